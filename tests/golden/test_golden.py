"""Logs of earlier versions always fold to the same bytes (see make_golden.py)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct, structs

from ragd.eventlog import frame
from ragd.eventlog.frame import Record
from ragd.events import EVENT_TYPES, SplitFact, Unknown
from ragd.folds import State, apply, decode_state
from ragd.state.replay import replay, verify

HERE = Path(__file__).parent
VERSIONS = sorted(path.name for path in HERE.glob("v*") if path.is_dir())


def records_of(version: str) -> list[Record]:
    lines: list[bytes] = []
    for segment in sorted((HERE / version / "events").glob("*.ndjson")):
        header, *rest = segment.read_bytes().splitlines()
        frame.decode_header(header)
        lines.extend(rest)
    return [frame.decode(line) for line in lines]


def as_then(now: Any, then: Any) -> Any:
    """What is known now, without the fields that structs have got since then."""
    if isinstance(now, Struct):
        return {name: as_then(getattr(now, name), then[name]) for name in then}
    if isinstance(now, dict):
        return {key: as_then(now[key], then.get(key)) for key in sorted(now)}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [as_then(*pair) for pair in zip(now, then, strict=True)]
    return sorted(now) if isinstance(now, set) else now


def is_frozen_state(state: State, version: str) -> bool:
    frozen = (HERE / version / "state.json").read_bytes()
    return msgspec.json.encode(as_then(state, msgspec.json.decode(frozen))) == frozen


@pytest.mark.parametrize("version", VERSIONS)
def test_a_golden_log_folds_to_exactly_its_frozen_bytes(version: str) -> None:
    state = State()
    for record in records_of(version):
        apply(state, record)
    assert is_frozen_state(state, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_replay_of_a_golden_log_reaches_the_same_state_without_damage(
    version: str, tmp_path: Path
) -> None:
    replayed = replay(HERE / version / "events", tmp_path / "no-snapshots")
    assert replayed.damage == []
    assert is_frozen_state(replayed.state, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_golden_state_can_be_read_and_gone_on_from(version: str) -> None:
    frozen = (HERE / version / "state.json").read_bytes()
    assert is_frozen_state(decode_state(frozen), version)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_line_of_a_golden_log_says_today_what_it_said_then(version: str) -> None:
    """Old records are shown and passed on: a field may be added to them, none may go or change."""
    for segment in (HERE / version / "events").glob("*.ndjson"):
        for line in segment.read_bytes().splitlines()[1:]:
            then = json.loads(line[frame.PREFIX_BYTES :])
            now = json.loads(frame.record_json(frame.decode(line)))
            assert says_still(then, now)
            assert {**now, "event": then["event"]} == then


def says_still(then: Any, now: Any) -> bool:
    """Whether all of it is there as it was; fields may have been added, at any depth."""
    if isinstance(then, dict):
        return all(key in now and says_still(value, now[key]) for key, value in then.items())
    if isinstance(then, list):
        return len(then) == len(now) and all(map(says_still, then, now))
    return bool(then == now)


def test_a_state_that_differs_is_not_taken_for_the_frozen_one() -> None:
    state = decode_state((HERE / "v1" / "state.json").read_bytes())
    del state.jobs.finished[0]
    assert not is_frozen_state(state, "v1")
    state = decode_state((HERE / "v1" / "state.json").read_bytes())
    state.catalog.waiting["another.md"] = "2026-11-15T00:00:00.000000Z"
    assert not is_frozen_state(state, "v1")


def test_every_type_of_fact_occurs_in_some_golden_log() -> None:
    seen = {type(record.event) for version in VERSIONS for record in records_of(version)}
    assert {kind.__name__ for kind in set(EVENT_TYPES) - seen} == set()


def test_every_field_of_every_fact_is_set_in_some_golden_log() -> None:
    """A field that no golden log sets could lose its meaning without a test that fails."""
    kinds = {kind for kind in EVENT_TYPES if not issubclass(kind, Unknown)}
    fields = {(kind.__name__, name) for kind in kinds for name in kind.__struct_fields__}
    split = {(kind.__name__, name) for kind in kinds for name in ("part", "last")}
    seen: set[tuple[str, str]] = set()
    for version in VERSIONS:
        for record in records_of(version):
            seen |= set(set_fields(record.event))
    assert fields - split - seen == set()
    nested = {"ScannedCollection", "HeldCollection", "KindCount", "TouchedFile", "StoredFile"}
    assert nested <= {kind for kind, _ in seen}
    assert ("ScannedCollection", "gone") in seen


def set_fields(value: Any) -> Iterator[tuple[str, str]]:
    """The fields of a struct, and of those in it, that have another value than nothing."""
    if isinstance(value, Struct):
        for name in value.__struct_fields__:
            found = getattr(value, name)
            required = structs.fields(type(value))
            is_required = any(one.name == name and one.required for one in required)
            if found or is_required:
                yield type(value).__name__, name
            yield from set_fields(found)
    elif isinstance(value, list):
        for one in value:
            yield from set_fields(one)


def test_the_golden_story_of_collections_ends_as_it_was_told() -> None:
    state = replay(HERE / "v3" / "events", HERE / "no-snapshots").state
    catalog, health = state.catalog, state.health
    assert set(catalog.files) == {"Inbox/to-do.md", "@work/Sitzung – März.md"}
    assert catalog.code_percent == 61
    assert catalog.not_included == {"canvas": 2, "pdf": 7}
    assert catalog.failures == {"@papers/Scan.pdf": "it is encrypted"}
    assert (health.deletions_held, len(health.lost_collections)) == (0, 0)
    assert [job.code for job in state.jobs.finished] == ["", "", "COLLECTION_NOT_FOUND"]


def test_the_golden_logs_have_parts_a_fact_cut_short_and_names_beyond_ascii() -> None:
    state = State()
    parts = 0
    names: set[str] = set()
    for record in records_of("v1"):
        apply(state, record)
        parts += isinstance(record.event, SplitFact) and record.event.part > 0
        names |= state.catalog.files.keys()
    assert parts > 3
    assert state.parts.open
    assert sum(not name.isascii() for name in names) > 5
    assert sum(isinstance(record.event, Unknown) for record in records_of("v1")) == state.unknown


def test_the_golden_state_is_the_one_that_the_story_leads_to() -> None:
    """Frozen bytes could be frozen nonsense: this is the story's end in words."""
    state = replay(HERE / "v1" / "events", HERE / "no-snapshots").state
    catalog = state.catalog
    assert (catalog.documents, catalog.chunks, catalog.chunks_embedded) == (5, 15, 5)
    assert catalog.index is not None
    assert (catalog.index.generation, catalog.index.provider) == ("g-0003", "embedded")
    assert list(catalog.waiting) == ["日記/下書き.md"]
    assert state.health.worst_first == ["LOG_QUARANTINED"]
    assert [job.id for job in state.jobs.open] == ["job-05", "job-06"]
    assert [job.outcome for job in state.jobs.finished] == ["partial", *["complete"] * 3]
    assert (state.runs.version, state.runs.previous_stop) == ("0.1.1", "crash")
    assert (state.sync_result.mode, state.sync_result.total_docs) == ("reindex", 0)


def test_a_golden_log_verifies_against_its_own_sync_result(tmp_path: Path) -> None:
    state = replay(HERE / "v1" / "events", tmp_path).state
    written = tmp_path / "sync-result.json"
    written.write_bytes(msgspec.json.encode(state.sync_result))
    assert verify(HERE / "v1" / "events", tmp_path / "none", written) == []
