"""Ask the sets of a real daemon and print how good its answers are.

    python -m bench.sets [--only SET …] [--half tune|test] [--keep DIR] [--save FILE]
                         [--against FILE]

The tuning half is the default. Look at the test half once, at the end. `--keep` leaves vaults and
indexes there, so that the next run embeds nothing anew. `--against` compares with a saved run,
question by question.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from bench.sets import (
    chains,
    crosslingual,
    links,
    phrases,
    properties,
    relative_times,
    several,
    titles,
    typos,
    unanswerable,
)
from bench.sets.asking import ask_all
from bench.sets.figures import Outcome
from bench.sets.model import QuestionSet, in_half
from bench.sets.report import differences, tables

_MODULES = (
    *(titles, chains, relative_times, unanswerable, typos, phrases),
    *(properties, links, crosslingual, several),
)
SETS: dict[str, Callable[[], QuestionSet]] = {one.NAME: one.make for one in _MODULES}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.sets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--half", choices=("tune", "test"), default="tune")
    parser.add_argument("--keep", type=Path, help="leave vaults and indexes in this folder")
    parser.add_argument("--save", type=Path, help="write every outcome to this file")
    parser.add_argument("--against", type=Path, help="an earlier saved run to compare with")
    parser.add_argument("--vault", nargs="+", help="only the questions to these vaults")
    given = parser.parse_args()
    sets = [SETS[name]() for name in given.only]
    asked = [
        (
            one,
            [
                q
                for q in in_half(one.questions, given.half)
                if q.vault in (given.vault or [q.vault])
            ],
        )
        for one in sets
    ]
    with tempfile.TemporaryDirectory(prefix="rags") as scratch:
        outcomes = ask_all(asked, given.keep or Path(scratch))
    if given.save:
        given.save.parent.mkdir(parents=True, exist_ok=True)
        given.save.write_bytes(msgspec.json.encode(outcomes))
    print("\n".join(tables(outcomes)))
    if given.against:
        then = msgspec.json.decode(given.against.read_bytes(), type=list[Outcome])
        print("\n" + "\n".join(differences(outcomes, then)))
    if given.half == "test":
        print("\nThis was the test half: tune nothing by it.", file=sys.stderr)


if __name__ == "__main__":
    main()
