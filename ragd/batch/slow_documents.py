"""Puts off documents that take long to read, so that no note waits for them. Pure.

A job for the whole vault reads all notes first and announces these documents at its end. Then they
are read a few at a time. It reads nothing itself.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from ragd.batch.sync_plan import SyncPlan
from ragd.events import FileChange
from ragd.notes.documents.kinds import is_slow

DOCUMENTS_AT_ONCE = 8  # in one job
PLANNED_AT_ONCE = 512  # that a job chooses from: each of them is looked at, whatever else waits


class SplitPlan(NamedTuple):
    """A plan without slow documents, and the changes that announce those."""

    plan: SyncPlan
    put_off: list[FileChange]


def put_off_documents(plan: SyncPlan) -> SplitPlan:
    """Take the slow documents out of a plan. A moved one is announced with both of its paths, so
    that it is recognised again."""
    slow = [path for path in plan.upserts if is_slow(path)]
    if not slow:
        return SplitPlan(plan, [])
    moved_from = [plan.moves[path] for path in slow if path in plan.moves]
    changes = [FileChange(path, "modified") for path in slow]
    changes += [FileChange(path, "deleted") for path in moved_from]
    quick = structs.replace(
        plan,
        upserts=[path for path in plan.upserts if not is_slow(path)],
        moves={new: old for new, old in plan.moves.items() if not is_slow(new)},
    )
    return SplitPlan(quick, changes)


def documents_last(plan: SyncPlan) -> SyncPlan:
    """The same plan with the slow documents after all notes."""
    return structs.replace(plan, upserts=sorted(plan.upserts, key=is_slow))


def first_documents(plan: SyncPlan, vanished: Iterable[str]) -> SyncPlan:
    """The part of a plan for one job: what has vanished, and a few documents."""
    gone = set(vanished)
    present = [path for path in plan.upserts if path not in gone]
    chosen = [path for path in plan.upserts if path in gone] + present[:DOCUMENTS_AT_ONCE]
    moves = {path: plan.moves[path] for path in chosen if path in plan.moves}
    return structs.replace(plan, upserts=chosen, moves=moves)


def next_paths(upserts: Sequence[str], most: int) -> tuple[list[str], list[str]]:
    """The paths to read next, and the rest: some notes, or one slow document."""
    if upserts and is_slow(upserts[0]):
        return list(upserts[:1]), list(upserts[1:])
    paths = list(upserts[:most])
    end = next((at for at, path in enumerate(paths) if is_slow(path)), len(paths))
    return paths[:end], list(upserts[end:])
