"""The folds are written for speed. Here is what they must equal, written plainly.

`apply` looks up the handlers of a fact once and settles health only when its inputs changed. The
plain fold asks every table for every record, and always settles health.
"""

from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.eventlog.frame import Record
from ragd.events import BatchStored, Event, JobFinished, SplitFact, StoredFile, Unknown
from ragd.folds import State, apply, catalog, catalog_scans, encode_state, health, pause, runs
from ragd.folds import jobs as job_fold
from ragd.folds import sync_result as result_fold
from ragd.folds.catalog import Building, Catalog
from ragd.folds.jobs import FILLING_KEPT, FINISHED_KEPT, Job, Jobs
from ragd.folds.parts import assemble
from ragd.folds.times import iso_of_ns
from tests.folds.test_any_sequence import LOGS, Facts, patiently, records

TABLES: list[tuple[str, Any]] = [
    ("catalog", catalog.HANDLERS),
    ("catalog", catalog_scans.HANDLERS),
    ("jobs", job_fold.HANDLERS),
    ("pause", pause.HANDLERS),
    ("runs", runs.HANDLERS),
    ("health", health.HANDLERS),
]


def apply_plainly(state: State, record: Record) -> None:
    event: Any = record.event
    if record.seq != state.seq + 1 or type(event).__name__ == "DaemonStarted":
        state.parts.open.clear()
    state.seq, state.last_ts = record.seq, record.ts
    if isinstance(event, Unknown):
        state.unknown += 1
        return
    if isinstance(event, SplitFact):
        event = assemble(state.parts, event, record.actor, record.run)
    if event is None:
        return
    for name, handlers in TABLES:
        if name == "pause":  # after the jobs' own handlers, and before all that reads them
            job_fold.update_filling(state.jobs, event, record, state.catalog)
        if name == "health":
            result_fold.apply(state.sync_result, event, record, state.catalog, state.jobs)
        if type(event) in handlers:
            handlers[type(event)](getattr(state, name), event, record)
    health.update_reasons(state.health, state.catalog, record)


@patiently
@given(LOGS)
def test_any_log_folds_to_the_bytes_of_the_plain_fold(log: Facts) -> None:
    quick, plain = State(), State()
    for record in records(log):
        apply(quick, record)
        apply_plainly(plain, record)
        assert encode_state(quick) == encode_state(plain)


# Which jobs are forgotten


def kept_plainly(jobs: list[Job], building: str) -> list[str]:
    """Of each kind the last ones are kept, and one that builds an index always."""
    kept: list[str] = []
    for place, job in enumerate(jobs):
        later = [one for one in jobs[place + 1 :] if one.id != building]
        like = [j for j in later if j.asked is job.asked and is_awaited(j) is is_awaited(job)]
        most = FILLING_KEPT if is_awaited(job) else FINISHED_KEPT
        if job.id == building or len(like) < most:
            kept.append(job.id)
    return kept


def is_awaited(job: Job) -> bool:
    return job.asked and job.fills


KINDS = st.sampled_from([(False, False), (False, True), (True, False), (True, True)])
ALIKE = KINDS.flatmap(lambda kind: st.lists(st.just(kind), min_size=15, max_size=25))
MANY = st.lists(st.just((True, True)), min_size=95, max_size=105)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(KINDS, max_size=60) | ALIKE | MANY,
    st.integers(0, 70),
    st.booleans(),
)
def test_the_jobs_that_are_kept_are_those_of_the_plain_rule(
    kinds: list[tuple[bool, bool]], building: int, is_built: bool
) -> None:
    numbers = count()
    jobs = Jobs(finished=[made_job(next(numbers), *kind) for kind in kinds])
    jobs.finished.append(made_job(next(numbers), asked=False, fills=False))
    jobs.filling = sum(job.fills for job in jobs.finished)
    full = Catalog()
    full.store([StoredFile("a.md", "s", 1, 1, 2, 0)])  # vectors are missing: the jobs still fill
    if is_built:
        full.building = Building(generation="g2", job_id=f"j{building}")
    last = jobs.finished[-1]
    ended = JobFinished(
        job_id=last.id,
        mode="sync",
        outcome="failed",
        indexed_files=0,
        removed_files=0,
        total_chunks=0,
        duration_ms=1,
    )
    expected = kept_plainly(list(jobs.finished), full.building.job_id if full.building else "")
    job_fold.update_filling(jobs, ended, recorded(1, ended), full)
    assert [job.id for job in jobs.finished] == expected
    assert jobs.filling == sum(job.fills for job in jobs.finished)


def made_job(number: int, asked: bool, fills: bool) -> Job:
    job = Job(f"j{number}", "sync", "tool", "2026-01-01T00:00:00.000000Z", phase="finished")
    job.asked, job.fills = asked, fills
    return job


def recorded(seq: int, event: Event) -> Record:
    return Record(seq, seq - 1, "2026-01-01T00:00:00.000000Z", "run", "test", None, event)


# The newest note

TIMES = st.sampled_from(
    [0, 999, 1_000, 1_999, 10**18, 10**18 + 1, 10**18 + 1_000, -(10**19), 10**24]
)
STORED = st.tuples(st.dictionaries(st.sampled_from("abc"), TIMES), st.sets(st.sampled_from("abc")))


@settings(deadline=None)
@given(
    st.sampled_from([None, "", iso_of_ns(1_000), iso_of_ns(10**18), "2001-09-09T01:46:40Z", "x"]),
    st.lists(STORED, max_size=6),
)
def test_the_newest_time_is_that_of_the_plain_rule(
    first: str | None, batches: list[tuple[dict[str, int], set[str]]]
) -> None:
    state = State()
    state.catalog.newest_mtime = first
    for seq, (saved, removed) in enumerate(batches, 1):
        files = [StoredFile(path, "s", ns, 1, 1, 1) for path, ns in saved.items()]
        event = BatchStored(job_id="j", files=files, removed=sorted(removed), table_version=1)
        expected = newest_plainly(state.catalog, saved, removed)
        apply(state, recorded(seq, event))
        assert state.catalog.newest_mtime == expected


def newest_plainly(before: Catalog, saved: dict[str, int], removed: set[str]) -> str | None:
    """The texts of times are compared. All notes count only if the newest one is not the same."""
    newest, latest = before.newest_mtime or "", max(map(iso_of_ns, saved.values()), default="")
    if latest >= newest:
        return latest or None
    times = {path: entry.mtime_ns for path, entry in before.files.items()}
    touched = [iso_of_ns(times[path]) for path in (*removed, *saved) if path in times]
    if newest not in touched:
        return newest
    left = {path: ns for path, ns in times.items() if path not in removed} | saved
    return max(map(iso_of_ns, left.values()), default=newest)
