"""Mutates real notes and documents and reads them: no reader may raise, hang or break its rules.

`python -m tests.notes.documents.fuzz [--each 10000] [--seed 1]` prints the seed, the figures and
the slowest read. A failure prints the seed and the number of the mutation that reproduces it.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ragd.notes.documents.model import Unreadable
from ragd.notes.parse import Unparsable
from tests.notes.documents.reader_rules import check_file
from tests.notes.documents.samples import SAMPLES

MOST_BYTES = 200_000
# Pieces that matter to one of the readers.
PIECES = (
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b"\\ud800", b":", b",", b"null", b"1e999"),
    *(b"-1", b"true", b'"x":', b'"text":"', b'"nodes":[', b'"elements":[', b'"id":', b"9" * 400),
    *(b"<", b">", b"</", b"<!--", b"-->", b"<script>", b"</script>", b"<h1>", b"</h2>", b"<title>"),
    *(b"&amp;", b"&#0;", b"&#x110000;", b"&lt;", b"<svg ", b"href='"),
    *(b"*", b"** ", b":END:", b":PROPERTIES:", b"#+TITLE:", b"[[", b"]]", b"[[a][b]]", b"===="),
    *(
        b"# ",
        b"###### ",
        b"- [ ] ",
        b"> [!note] ",
        b"|",
        b"|-|-|\n",
        b"~~~",
        b"$$",
        b"#tag/x ",
        b"^id",
    ),
    *(b"tags: [", b"rag: false\n", b"date: 2024-13-45\n", b"![[", b"](", b"==", b"[^1]: ", b"%% "),
    *(b"```", b"```compressed-json\n", b"%%", b"## Text Elements\n", b" ^a1\n", b"---\n"),
    *(b"\n", b"\r", b"\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b$", b"\xe2\x80\xae"),
)

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, float("nan"), "", "\ud800", "a\u0000b", "\n" * 500, [], {}, [[]]),
    *("group", "text", "frame", "# <script>\n%%", "]]" * 99, 10**400, {"id": "a1"}, "\u202e" * 9),
)


class FuzzResult(NamedTuple):
    """What the mutations of one document came to."""

    read: int
    refused: int
    slowest_s: float


def mutations(samples: Sequence[bytes], count: int, seed: str) -> Iterator[bytes]:
    """Mutated samples, always the same for a seed."""
    chance = random.Random(seed)
    for _ in range(count):
        sample = chance.choice(samples)
        if sample[:1] == b"{" and b"}\n{" not in sample and chance.random() < 0.5:
            yield json.dumps(_mutated_json(json.loads(sample), chance)).encode()
            continue
        data = bytearray(sample)
        for _ in range(chance.choice((1, 1, 2, 3, 8))):
            _mutate(data, samples, chance)
        yield bytes(data[:MOST_BYTES])


def _mutated_json(value: Any, chance: random.Random) -> Any:
    """The value with some of its parts replaced, doubled or left out: still valid JSON."""
    if chance.random() < 0.03:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        kept = [one for one in value.items() if chance.random() > 0.03]
        return {key: _mutated_json(one, chance) for key, one in kept}
    if isinstance(value, list):
        times = chance.choice((1, 1, 1, 2, 30))
        return [_mutated_json(one, chance) for one in value * times]
    return value


def _mutate(data: bytearray, samples: Sequence[bytes], chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((1, 2, 10, 100, 1000)))
    match chance.randrange(7):
        case 0:
            data[start:start] = chance.choice(PIECES) * chance.choice((1, 1, 2, 50, 3000))
        case 1:
            del data[start:end]
        case 2:
            data[start:end] = chance.randbytes(end - start)
        case 3:
            data[start:start] = data[start:end] * chance.choice((1, 2, 40))
        case 4:
            del data[start:]
        case 5:
            other = chance.choice(samples)
            data[start:end] = other[chance.randrange(len(other) + 1) :]
        case _:
            if data:
                data[start % len(data)] ^= 1 << chance.randrange(8)


def fuzz(path: str, count: int, seed: int) -> FuzzResult:
    """Read this many mutations of the samples for a path. Raises AssertionError."""
    read = refused = 0
    slowest = 0.0
    for number, data in enumerate(mutations(SAMPLES[path], count, f"{seed}:{path}")):
        began = time.perf_counter()
        try:
            found = check_file(path, data)
        except Exception as why:
            raise AssertionError(f"{path}, seed {seed}, mutation {number}") from why
        slowest = max(slowest, time.perf_counter() - began)
        is_refused = isinstance(found, Unreadable | Unparsable)
        refused += is_refused
        read += not is_refused
    return FuzzResult(read, refused, slowest)


def main() -> None:
    """Fuzz every reader."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=10_000, help="mutations of each document")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    for path in SAMPLES:
        found = fuzz(path, asked.each, asked.seed)
        print(
            f"{path:16} {found.read:6,} read {found.refused:6,} refused, "
            f"slowest {found.slowest_s:.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
