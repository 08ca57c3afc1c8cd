"""Any facts in any order: folds never raise, count correctly and never diverge.

Some facts are anything that their types allow; most are sensible ones from a pool. Both use few
names, so that they meet: the same note, the same job, the same generation.
"""

from collections.abc import Iterator
from itertools import product
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from ragd.errors import HEALTHY, worse
from ragd.eventlog.frame import Record
from ragd.events import (
    EVENT_TYPES,
    BatchStored,
    ChangeKind,
    ConfigReloaded,
    DaemonStarted,
    DeletionsHeld,
    Dependency,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    Event,
    Fact,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilledFile,
    HeldCollection,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobFinished,
    JobStarted,
    Mode,
    Outcome,
    RecountedFile,
    ScannedCollection,
    SegmentQuarantined,
    StoredFile,
    Unknown,
    VaultScanned,
    VaultUnavailable,
    VectorsFilled,
    VectorsRecounted,
    WatchLost,
    WatchStarted,
)
from ragd.folds import State, apply, decode_state, encode_state
from ragd.folds.health import update_reasons
from ragd.folds.health_reasons import REASONS
from ragd.folds.tables import Table

# How long an example takes says something about the machine only.
patiently = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])

CODES = (
    *("INDEX_CORRUPTED", "INDEX_NOT_FOUND", "OLLAMA_UNREACHABLE", "EMBEDDER_UNAVAILABLE"),
    *("VAULT_NOT_FOUND", "INDEX_MODEL_MISMATCH", "A_CODE_OF_THE_FUTURE"),
)
POOLS: dict[str, tuple[str, ...]] = {
    "path": ("a.md", "Über/ö.md", "日記/二.md"),
    "upserts": ("a.md", "Über/ö.md", "日記/二.md"),
    "deletes": ("a.md", "Über/ö.md", "日記/二.md"),
    "removed": ("a.md", "Über/ö.md", "日記/二.md"),
    "sha256": ("s1", "s2"),
    "job_id": ("j1", "j2", "j3"),
    "generation": ("", "g1", "g2"),
    "provider": ("auto", "ollama", "embedded"),
    "code": CODES,
    "since": ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    "name": ("batcher", "watcher"),
}


def of_type(kind: Any, field: str) -> st.SearchStrategy[Any]:
    """Any value that the type of a field allows, its numbers small and not always sensible."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return of_type(args[0], field)
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of([of_type(arg, field) for arg in args])
    if origin is list:
        return st.lists(of_type(args[0], field), max_size=3)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return of_struct(kind)
    if kind is str:
        return st.sampled_from(POOLS.get(field, ("one", "zwei")))
    plain = {int: st.integers(-2, 5), bool: st.booleans(), bytes: st.just(b'{"type":"new"}')}
    return st.none() if kind is NoneType else plain[kind]


def of_struct(kind: type[Struct]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind, include_extras=True)
    return st.builds(kind, **{name: of_type(hints[name], name) for name in kind.__struct_fields__})


def started(provider: str) -> DaemonStarted:
    return DaemonStarted(version="1", config_hash="c", previous_stop="crash", provider=provider)


def finished(mode: Any, outcome: Any) -> JobFinished:
    counts: dict[str, Any] = {
        "indexed_files": 1,
        "removed_files": 0,
        "total_chunks": 2,
        "duration_ms": 3,
    }
    return JobFinished(job_id="j1", mode=mode, outcome=outcome, **counts)


def stored(files: str, removed: str, embedded: int, generation: str) -> BatchStored:
    return BatchStored(
        job_id="j1",
        files=[StoredFile(path, "s1", 1, 1, 2, embedded) for path in files],
        removed=list(removed),
        table_version=1,
        generation=generation,
    )


def filled(path: str, generation: str) -> VectorsFilled:
    files = [FilledFile(path, "s1", 2)]
    return VectorsFilled(job_id="j1", files=files, table_version=2, generation=generation)


def recounted(path: str, embedded: int, generation: str) -> VectorsRecounted:
    files = [RecountedFile(path, "s1", embedded)]
    counts: dict[str, Any] = {"counted": 1, "found": embedded, "table_version": 2}
    return VectorsRecounted(files=files, generation=generation, **counts)


def scanned_roots(vault: Any, papers: Any) -> VaultScanned:
    """A scan of two roots, each with the reason why it is gone."""
    found = [ScannedCollection("vault", gone=vault), ScannedCollection("papers", gone=papers)]
    return VaultScanned(files=1, changed=0, removed=0, collections=found)


MODES = get_args(Mode)
PROVIDERS = ("auto", "ollama", "embedded")
SENSIBLE: list[list[Fact]] = [
    [started(provider) for provider in PROVIDERS],
    [ConfigReloaded(config_hash="c", provider=provider) for provider in PROVIDERS],
    [DependencyLost(dependency=d, code=CODES[-1]) for d in get_args(Dependency)],
    [DependencyLost(dependency="index", code=code) for code in CODES[:2]],
    [DependencyLost(dependency=d, code="X") for d in ("freshness", "vectors")],
    [DependencyRecovered(dependency=d) for d in get_args(Dependency)],
    [EmbeddingFailed(code=code, attempt=n) for code, n in product(CODES[2:4], (1, 2))],
    [VaultUnavailable(reason=why) for why in ("missing", "empty", "unreadable", "moved")],
    [VaultScanned(files=1, changed=n, removed=0) for n in (0, 1)],
    [scanned_roots(*gone) for gone in product(("", "missing"), ("", "empty", "unreadable"))],
    [scanned_roots("not_responding", ""), scanned_roots("", "not_responding")],
    [VaultUnavailable(reason=why, collection="papers") for why in ("missing", "moved")],
    [DependencyLost(dependency="vault", code="X", collection="papers")],
    [DependencyRecovered(dependency="vault", collection="papers")],
    [WatchLost(reason="limit", collection="papers"), WatchStarted(collection="papers")],
    [DeletionsHeld(count=60, collections=[HeldCollection("papers", 60)])],
    [ConfigReloaded(config_hash="c", collections=["papers"])],
    [WatchLost(reason="limit"), WatchStarted()],
    [SegmentQuarantined(segment="1", first_seq=1, last_seq=2, reason="damaged")],
    [DeletionsHeld(count=count) for count in (0, 60)],
    [FilesChanged(changes=[FileChange(p, k)]) for p, k in product("ab", get_args(ChangeKind))],
    [JobStarted(job_id="j1", mode=mode, files_planned=2, files_removed=0) for mode in MODES],
    [FileSkipped(path="a", reason="too-large"), FileFailed(path="a", code="X", detail="x")],
    [stored(*these) for these in product(("", "a", "ab"), ("", "a", "ab"), (0, 2), ("", "g1"))],
    [stored("ab", "", embedded, "g2") for embedded in (0, 2)],
    [filled(*these) for these in product("ab", ("", "g2"))],
    [recounted(*these) for these in product("ab", (0, 1, 2), ("", "g2"))],
    [
        IndexActivated(generation=g, provider=p, model="m", dimensions=2)
        for g, p in product(("g1", "g2"), PROVIDERS[1:])
    ],
    [IndexBuilding(generation=g, job_id="j1", fingerprint="f") for g in ("g1", "g2")],
    [IndexLost(reason="missing"), IndexLost(reason="missing", generation="g2")],
    [finished(*these) for these in product(MODES, get_args(Outcome))],
]
POSSIBLE = st.one_of([of_struct(kind) for kind in EVENT_TYPES])
SAID = st.one_of(*[st.sampled_from(facts) for facts in SENSIBLE], POSSIBLE, POSSIBLE)
ACTORS = st.sampled_from(["watcher", "watcher", "batcher"])
SPOKEN = st.tuples(SAID, ACTORS, st.integers(0, 30))
# A log begins with a first start; now and then it has a gap, as a quarantine leaves one. Left to
# itself, hypothesis makes logs of five facts or so: these find more, those are easier to read.
LOGS = st.tuples(
    st.sampled_from(SENSIBLE[0]),
    st.lists(SPOKEN, max_size=10) | st.lists(SPOKEN, min_size=40, max_size=60),
)


Facts = tuple[Event, list[tuple[Event, str, int]]]


def records(log: Facts) -> list[Record]:
    first, rest = log
    said: list[tuple[Event, str, int]] = [(first, "daemon", 0), *rest]
    made: list[Record] = []
    seq, run = 0, 0
    for fact, actor, luck in said:
        seq += 9 if luck == 30 else 1
        run += isinstance(fact, DaemonStarted)
        ts = f"2026-11-15T14:{seq // 60:02d}:{seq % 60:02d}.000000Z"
        made.append(Record(seq, seq - 1, ts, f"run-{run}", actor, None, fact))
    return made


def folded(said: list[Record]) -> Iterator[tuple[Record, State]]:
    """The state after each record; always the same object."""
    state = State()
    for record in said:
        apply(state, record)
        yield record, state


@patiently
@given(LOGS)
def test_counts_always_add_up_and_none_is_below_zero(log: Facts) -> None:
    for _, state in folded(records(log)):
        catalog = state.catalog
        for table in (catalog, catalog.building):
            if table is not None:
                assert table.chunks == sum(entry.chunks for entry in table.files.values())
                assert table.chunks_embedded == sum(e.embedded for e in table.files.values())
                assert all(0 <= e.embedded <= e.chunks for e in table.files.values())
                assert 0 <= table.chunks_embedded <= table.chunks
                assert table.backlog >= 0
                lacks = {path for path, entry in table.files.items() if entry.lacking}
                assert set(table.lacking) == lacks
                assert set(table.folders) == set(Table(files=table.files).folders)
        assert all(0.0 <= job.progress <= 1.0 for job in state.jobs.open)


@patiently
@given(LOGS)
def test_going_on_from_a_snapshot_of_any_moment_gives_the_same_bytes(log: Facts) -> None:
    said = records(log)
    snapshots = [encode_state(state) for _, state in folded(said)]
    for taken, raw in enumerate(snapshots[:: max(1, len(said) // 8)]):
        state = decode_state(raw)
        at = taken * max(1, len(said) // 8)
        for record, expected in zip(said[at + 1 :], snapshots[at + 1 :], strict=True):
            apply(state, record)
            assert encode_state(state) == expected


@patiently
@given(LOGS)
def test_a_snapshot_at_every_step_changes_nothing(log: Facts) -> None:
    said = records(log)
    through_snapshots = State()
    for record, state in folded(said):
        apply(through_snapshots, record)
        raw = encode_state(through_snapshots)
        assert raw == encode_state(state)
        through_snapshots = decode_state(raw)
        assert encode_state(through_snapshots) == raw


@settings(patiently, max_examples=150)
@given(LOGS)
def test_a_reason_comes_and_goes_only_with_facts_that_its_line_names(log: Facts) -> None:
    lines = {reason.code: reason for reason in REASONS}
    before: dict[str, Any] = {}
    for record, state in folded(records(log)):
        now = dict(state.health.reasons)
        for code in now.keys() - before.keys():
            assert type(record.event) in lines[code].raised_by, code
            assert now[code].seq == record.seq
        for code in before.keys() - now.keys():
            assert type(record.event) in lines[code].cleared_by, code
        for code in before.keys() & now.keys():
            assert now[code] == before[code], "a reason that holds keeps its since and seq"
        before = now


@patiently
@given(LOGS)
def test_the_state_is_always_the_worst_of_the_reasons(log: Facts) -> None:
    for _, state in folded(records(log)):
        health = state.health
        assert health.states.keys() == health.reasons.keys()
        worst = HEALTHY
        for code in health.reasons:
            worst = worse(worst, health.states[code])
        assert health.state == worst
        assert sorted(health.worst_first) == sorted(health.reasons)
        if health.worst_first:
            assert health.states[health.worst_first[0]] == worst


@patiently
@given(LOGS)
def test_settling_only_where_something_changed_is_as_good_as_settling_always(log: Facts) -> None:
    for record, state in folded(records(log)):
        again = decode_state(encode_state(state))
        update_reasons(again.health, again.catalog, record)
        assert encode_state(again) == encode_state(state)


@patiently
@given(LOGS)
def test_unknown_facts_are_counted_and_change_nothing_else(log: Facts) -> None:
    said = records(log)
    unknown = sum(isinstance(record.event, Unknown) for record in said)
    assert [state for _, state in folded(said)][-1].unknown == unknown
