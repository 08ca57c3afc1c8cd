"""What the index has of each folder, counted for 100,000 notes, compared with one pass over them.

The notes are made up. A daemon counts once after each change of the catalog, in a thread, and
answers from the counts until then ("kept").
"""

import time
from collections.abc import Callable, Iterator
from statistics import median

from bench.table import Row, ms, ratio
from ragd.folds.catalog import Entry
from ragd.gateway.folder_counts import count_problems, count_stored, merged
from ragd.gateway.scope_counts import count_entries

NOTES = 100_000
FOLDERS = 1_000
ROUNDS = 9


def rows() -> Iterator[Row]:
    """All figures of this part."""
    files = {
        f"Area {n % 10}/Folder {n % FOLDERS}/Note {n}.md": Entry("", n, 100, 7, 7)
        for n in range(NOTES)
    }
    counted = count_stored(files, ())
    ours, kept, beside = [], [], []
    for _ in range(ROUNDS):
        ours.append(_time(lambda: count_stored(files, ())))
        kept.append(_time(lambda: merged(counted, count_problems((), (), (), ()))))
        beside.append(_time(lambda: count_entries(files)))
    totals = f"{ms(median(beside))} the totals in a status for an agent"
    what = f"coverage of {NOTES:,} notes in {FOLDERS:,} folders"
    yield Row(f"{what}, counted", ms(median(ours)), totals, ratio(ours, beside), "at most 1.5")
    yield Row("  kept", ms(median(kept)), totals, ratio(kept, beside), "at most 0.2")


def _time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
