"""What a kill or a bad disk leaves behind, made by hand, so that recovery has something to do.

Each takes the book of a log that nobody has open, and notes in it what it did.
"""

import shutil
from pathlib import Path
from random import Random

from chaos.checks import Book, Line, Reading
from ragd.eventlog.frame import Record, encode
from ragd.events import FileSkipped


def tear(book: Book, rng: Random) -> None:
    """The last group was never acknowledged, and of its last record a part is missing."""
    reading = book.check()
    events = Path(book.home.events)
    newest = max(events.glob("*.ndjson"))
    ts = reading.lines[-1].fields["ts"]
    group = b""
    for n in range(rng.randint(1, 3)):
        fact = FileSkipped(path=f"torn {n}", reason="x" * rng.randint(0, 9000))
        group += encode(Record(reading.last + 1 + n, reading.last, ts, "torn", "chaos", None, fact))
    with newest.open("ab") as file:
        file.write(group[: -rng.randint(1, 100)])
    book.check()


def damage_last(book: Book, rng: Random) -> None:
    """A bit of a durable record has flipped, in the open segment if it has such a record."""
    reading = book.check()
    _damage(book, rng, reading, [reading.lines[-1].segment])


def damage_middle(book: Book, rng: Random) -> None:
    """A bit of a durable record in an earlier segment has flipped."""
    reading = book.check()
    segments = sorted({line.segment for line in reading.lines})
    assert len(segments) > 2, "the log should have several segments"
    _damage(book, rng, reading, segments[1:-1])


def _damage(book: Book, rng: Random, reading: Reading, segments: list[str]) -> None:
    """In one of these segments, or in the newest one with a record that is known to be durable."""
    by_segment: dict[str, list[Line]] = {}
    for line in reading.lines:
        by_segment.setdefault(line.segment, []).append(line)
    able = [name for name, some in by_segment.items() if any(_is_proven(one, some) for one in some)]
    lines = by_segment[rng.choice([name for name in segments if name in able] or [max(able)])]
    victim = rng.choice([line for line in lines if _is_proven(line, lines)])
    # A snapshot that covers it would spare the next start from reading it at all.
    shutil.rmtree(book.home.snapshots, ignore_errors=True)
    place = victim.offset + rng.randrange(len(victim.body))
    with (Path(book.home.events) / victim.segment).open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1 << rng.randrange(8)]))
    book.note_damage(lines[0].seq, lines[-1].seq)


def _is_proven(victim: Line, lines: list[Line]) -> bool:
    """Some later record says that this one was durable."""
    return any(later.d >= victim.seq for later in lines)
