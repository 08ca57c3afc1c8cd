"""Damage as a kill or a bad disk leaves it, made by hand, so that recovery has work to do.

Each function needs a log that is not open, and records its damage in the log's promises.
"""

import shutil
from pathlib import Path
from random import Random

from chaos.checks import Line, Promises, Reading
from ragd.eventlog.frame import Record, encode
from ragd.events import FileSkipped


def tear(promises: Promises, rng: Random) -> None:
    """Append a group that was never acknowledged, without the end of its last record."""
    reading = promises.check()
    events = Path(promises.home.events)
    newest = max(events.glob("*.ndjson"))
    ts = reading.lines[-1].fields["ts"]
    group = b""
    for n in range(rng.randint(1, 3)):
        fact = FileSkipped(path=f"torn {n}", reason="x" * rng.randint(0, 9000))
        group += encode(Record(reading.last + 1 + n, reading.last, ts, "torn", "chaos", None, fact))
    with newest.open("ab") as file:
        file.write(group[: -rng.randint(1, 100)])
    promises.check()


def damage_last(promises: Promises, rng: Random) -> None:
    """Flip a bit of a durable record, in the open segment if it has such a record."""
    reading = promises.check()
    _damage(promises, rng, reading, [reading.lines[-1].segment])


def damage_middle(promises: Promises, rng: Random) -> None:
    """Flip a bit of a durable record in an earlier segment."""
    reading = promises.check()
    segments = sorted({line.segment for line in reading.lines})
    assert len(segments) > 2, "the log should have several segments"
    _damage(promises, rng, reading, segments[1:-1])


def _damage(promises: Promises, rng: Random, reading: Reading, segments: list[str]) -> None:
    """In one of these segments, or else in the newest one with a provably durable record."""
    by_segment: dict[str, list[Line]] = {}
    for line in reading.lines:
        by_segment.setdefault(line.segment, []).append(line)
    able = [name for name, some in by_segment.items() if any(_is_proven(one, some) for one in some)]
    lines = by_segment[rng.choice([name for name in segments if name in able] or [max(able)])]
    victim = rng.choice([line for line in lines if _is_proven(line, lines)])
    # With a snapshot that covers the record, the next start would not read it.
    shutil.rmtree(promises.home.snapshots, ignore_errors=True)
    place = victim.offset + rng.randrange(len(victim.body))
    with (Path(promises.home.events) / victim.segment).open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1 << rng.randrange(8)]))
    promises.record_damage(lines[0].seq, lines[-1].seq)


def _is_proven(victim: Line, lines: list[Line]) -> bool:
    """Whether a later record says that this one was durable."""
    return any(later.d >= victim.seq for later in lines)
