"""Ask a real daemon the questions of the sets and print how good its answers are.

    python -m bench.sets [--only SET …] [--half tune|test] [--keep DIR] [--save FILE]
                         [--against FILE …] [--show FILE …]

The tuning half is the default. Use the test half once, at the end. `--keep` keeps vaults and
indexes, so that the next run embeds nothing again. `--against` compares with a saved run,
question by question. `--show` prints saved runs without asking anything.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bench.sets import (
    chains,
    crosslingual,
    diary_chains,
    diary_days,
    foreign_chains,
    journals,
    judged,
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
    *(properties, links, crosslingual, several, judged, journals, foreign_chains),
    diary_chains,
    diary_days,
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
    parser.add_argument(
        "--against", type=Path, nargs="+", help="earlier saved runs to compare with"
    )
    parser.add_argument("--vault", nargs="+", help="only the questions to these vaults")
    parser.add_argument(
        "--show", type=Path, nargs="+", help="print these saved runs without asking"
    )
    given = parser.parse_args()
    outcomes = _read_outcomes(given.show) if given.show else _ask_sets(given)
    print("\n".join(tables(outcomes)))
    if given.against:
        print("\n" + "\n".join(differences(outcomes, _read_outcomes(given.against))))


def _ask_sets(given: argparse.Namespace) -> list[Outcome]:
    """Ask the chosen questions, and save the outcomes."""
    wanted = set(given.vault or ())
    asked = []
    for name in given.only:
        one = SETS[name]()
        half = in_half(one.questions, given.half)
        asked.append((one, [q for q in half if not wanted or q.vault in wanted]))
    with tempfile.TemporaryDirectory(prefix="rags") as scratch:
        outcomes = ask_all(asked, given.keep or Path(scratch))
    if given.save:
        given.save.parent.mkdir(parents=True, exist_ok=True)
        given.save.write_bytes(msgspec.json.encode(outcomes))
    if given.half == "test":
        print("This was the test half: do not tune with it.", file=sys.stderr)
    return outcomes


def _read_outcomes(files: Sequence[Path]) -> list[Outcome]:
    return [
        outcome
        for file in files
        for outcome in msgspec.json.decode(file.read_bytes(), type=list[Outcome])
    ]


if __name__ == "__main__":
    main()
