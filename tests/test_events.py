"""The event types: names, encoding, parts, and that no text from a note can be in them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from ragd import events
from ragd.eventlog import codec, frame
from ragd.eventlog.codec import clip_errors, decode, encode, merge, split
from ragd.eventlog.frame import Record
from ragd.events import (
    ERRORS_MAX,
    EVENT_TYPES,
    PART_MAX_BYTES,
    RECORD_MAX_BYTES,
    TAGS,
    BatchStored,
    ChangesetFormed,
    Fact,
    FileChange,
    FileError,
    FilesChanged,
    FilledFile,
    JobFinished,
    MemoryStored,
    RecountedFile,
    SplitFact,
    StoredFile,
    TailCut,
    Unknown,
    VectorsFilled,
    VectorsRecounted,
    tag_of,
    tag_of_type,
)

KNOWN_TYPES = [kind for kind in EVENT_TYPES if kind is not Unknown]
PART_TYPES = [kind for kind in EVENT_TYPES if issubclass(kind, SplitFact)]

# Every text that a fact can hold, and why it cannot be text of a note. Add each new field here. In
# review, check whether text of a note can end up in it.
REVIEWED = {
    # Paths of notes. They are in the log, and the docs say so.
    *("FileChange.path", "ChangesetFormed.upserts", "ChangesetFormed.deletes", "FileSkipped.path"),
    *("FileFailed.path", "StoredFile.path", "FilledFile.path", "BatchStored.removed"),
    *("FileError.file", "TouchedFile.path", "RecountedFile.path", "TemplateFolder.path"),
    # Names of our own files.
    *("TailCut.segment", "TailCut.kept_as", "SegmentQuarantined.segment"),
    "SegmentQuarantined.kept_as",
    # Ids that we make.
    *("JobRequested.job_id", "JobCancelRequested.job_id", "JobStarted.job_id"),
    *("ChangesetFormed.job_id", "ChangesetFormed.batch_id", "BatchEmbedded.job_id"),
    *("BatchEmbedded.batch_id", "BatchStored.job_id", "BatchStored.batch_id"),
    *("BatchStored.generation", "VectorsFilled.job_id", "VectorsFilled.generation"),
    *("IndexActivated.generation", "JobFinished.job_id", "IndexBuilding.generation"),
    *("IndexBuilding.job_id", "IndexLost.generation", "StoreCompacted.generation"),
    *(
        "VectorsRecounted.generation",
        "ApprovalRequested.approval_id",
        "ApprovalDecided.approval_id",
    ),
    # Hashes; those of memories are keyed.
    *("DaemonStarted.config_hash", "ConfigReloaded.config_hash", "StoredFile.sha256"),
    *(
        "RecountedFile.sha256",
        "FilledFile.sha256",
        "MemoryStored.key_hash",
        "MemoryForgotten.key_hash",
    ),
    *(
        "IndexActivated.fingerprint",
        "IndexBuilding.fingerprint",
        "IndexBuilding.choice",
        "TouchedFile.sha256",
        "ScannedCollection.root",
    ),
    # Times that we format.
    *(
        "VaultScanned.newest_mtime",
        "VaultScanned.began",
        "ScannedCollection.newest_mtime",
        "DependencyLost.since",
    ),
    "SyncPaused.until",
    # Words of closed lists: codes, reasons, phrases, names of tools and origins.
    *("IndexBuilding.provider", "LanguageCount.code", "KindCount.kind"),
    *("FileSkipped.reason", "FileFailed.code", "FileFailed.detail", "FileError.message"),
    *(
        "EmbeddingFailed.code",
        "JobFinished.code",
        "IndexActivated.passed_over",
        "DependencyLost.code",
        "RequestRefused.code",
    ),
    *("RequestRefused.tool", "JobRequested.origin", "DaemonStopped.reason", "WatchLost.reason"),
    *("ApprovalRequested.tool", "ApprovalDecided.tool"),
    *("HealthChanged.before", "HealthChanged.after", "HealthChanged.reasons"),
    # Names from our code and from the configuration.
    *("DaemonStarted.version", "DaemonStarted.provider", "ConfigReloaded.provider"),
    *("ActorCrashed.name", "ActorCrashed.exception", "ActorCrashed.location"),
    *("BatchEmbedded.provider", "BatchEmbedded.model"),
    *("IndexActivated.provider", "IndexActivated.model"),
    # Names of collections, which people choose for their folders.
    *("WatchStarted.collection", "WatchLost.collection", "ScannedCollection.collection"),
    *("VaultUnavailable.collection", "DependencyLost.collection", "HeldCollection.collection"),
    *("DependencyRecovered.collection", "ConfigReloaded.collections", "JobRequested.accept_in"),
    # Names of agents and kinds of chats: the host chooses them, not the model, and not a note.
    *("ApprovalRequested.agent", "ApprovalRequested.chat"),
    *("ApprovalDecided.agent", "ApprovalDecided.chat"),
    # Names of tokens, which the user chooses; collections; times; tools of a closed list.
    *("TokenCreated.client", "TokenRevoked.client", "TokenUsed.client", "TokenUsed.tool"),
    *("TokenCreated.collections", "TokenCreated.expires"),
    # A fact of a version that is not this one, passed on as it was found.
    *("Unknown.name", "Unknown.raw"),
}


def structs_in(kind: Any) -> Iterator[type[Struct]]:
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield kind
    for arg in get_args(kind):
        yield from structs_in(arg)


def every_struct() -> set[type[Struct]]:
    found: set[type[Struct]] = set()
    open_ones: list[type[Struct]] = list(EVENT_TYPES)
    while open_ones:
        kind = open_ones.pop()
        if kind not in found:
            found.add(kind)
            for hint in get_type_hints(kind).values():
                open_ones.extend(structs_in(hint))
    return found


def holds_text(hint: Any) -> bool:
    """Text that the type itself does not limit to a few words."""
    if get_origin(hint) is Literal:
        return False
    if hint in (str, bytes, Any, object, msgspec.Raw):
        return True
    return any(holds_text(arg) for arg in get_args(hint) if arg is not Ellipsis)


def value_of(hint: Any) -> Any:
    """Some value of this type; texts need escapes and are not all ASCII."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return value_of(args[0])
    if origin is Literal:
        return args[-1]
    if origin is list:
        return [value_of(args[0])] * 2
    if args:
        return value_of(args[0])
    if isinstance(hint, type) and issubclass(hint, Struct):
        return example(hint)
    return {str: 'Tagebuch/"Ö"\n日記.md', int: 2**53, bool: False, bytes: b"{}"}[hint]


def example(kind: type[Struct]) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{name: value_of(hints[name]) for name in kind.__struct_fields__})


# Names


def test_tags_are_snake_case_unique_and_the_names_of_their_types() -> None:
    assert len(TAGS) == len(EVENT_TYPES)
    for tag, kind in TAGS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", tag)
        assert tag == re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def test_tags_are_written_out_so_that_renaming_a_type_cannot_change_the_log() -> None:
    modules = Path(events.__file__).parent.glob("*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in modules)
    for tag, kind in TAGS.items():
        assert re.search(rf'class {kind.__name__}\([^)]*\btag="{tag}"\)', source)


@pytest.mark.parametrize("kind", KNOWN_TYPES)
def test_every_fact_has_a_sentence_and_a_name(kind: type[Any]) -> None:
    assert (kind.__doc__ or "").strip().endswith(".")
    assert tag_of(example(kind)) == tag_of_type(kind)


def test_every_struct_of_the_vocabulary_is_frozen() -> None:
    assert all(kind.__struct_config__.frozen for kind in every_struct())


# Bytes and back


@pytest.mark.parametrize("kind", KNOWN_TYPES)
def test_a_fact_comes_back_from_its_bytes(kind: type[Any]) -> None:
    event = example(kind)
    raw = encode(event)
    assert raw.startswith(b'{"type":"%b",' % tag_of(event).encode())
    assert b"\n" not in raw
    assert decode(raw) == event
    assert encode(decode(raw)) == raw


@pytest.mark.parametrize("kind", KNOWN_TYPES)
def test_a_field_from_a_newer_version_does_not_hinder_reading(kind: type[Any]) -> None:
    raw = encode(example(kind)).replace(b"{", b'{"from_the_future":[1,{"x":null}],', 1)
    assert decode(raw) == example(kind)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"moon_phase_changed","phase":"full"}',
        b'{"type":"tail_cut","v":2,"where":"somewhere"}',
        b'{"type":"tail_cut","segment":7}',
        b'{"type":"unknown","name":"x","raw":"aGk="}',
        b'{"type":"unknown"}',
        b'{"no_type":1}',
        b'{"type":null}',
        b"[1,2]",
        b'"text"',
    ],
)
def test_what_this_version_does_not_know_is_kept_byte_for_byte(raw: bytes) -> None:
    event = decode(raw)
    assert isinstance(event, Unknown)
    assert encode(event) == raw


def test_the_name_of_an_unknown_fact_is_the_one_it_came_with() -> None:
    event = decode(b'{"type":"moon_phase_changed","phase":"full"}')
    assert tag_of(event) == "moon_phase_changed"


def test_an_unknown_fact_passes_through_a_record_unchanged() -> None:
    raw = b'{"type":"unknown","name":"x","raw":"aGk="}'
    line = frame.encode(Record(1, 0, "t", "r", "a", None, decode(raw)))
    assert raw in line
    assert frame.decode(line.removesuffix(b"\n")).event == decode(raw)


def test_an_upcast_leads_from_an_old_version_to_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_to_second(plain: dict[str, Any]) -> dict[str, Any]:
        return {**plain, "key_hash": plain["hash"]}

    monkeypatch.setitem(codec.UPCASTS, ("memory_stored", 1), first_to_second)
    assert decode(b'{"type":"memory_stored","hash":"abc"}') == MemoryStored(key_hash="abc")


def test_bytes_that_are_no_json_are_refused() -> None:
    for raw in (b"", b'{"type":"tail_cut"', b"nonsense"):
        with pytest.raises(msgspec.DecodeError):
            decode(raw)


# What may be in a fact


def test_every_text_that_a_fact_can_hold_has_been_reviewed() -> None:
    found = {
        f"{kind.__name__}.{name}"
        for kind in every_struct()
        for name, hint in get_type_hints(kind).items()
        if name in kind.__struct_fields__ and holds_text(hint)
    }
    assert found == REVIEWED


# Parts

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NUMBERS = st.integers(0, 2**53)
PARTS = st.one_of(
    st.builds(
        FilesChanged,
        changes=st.lists(
            st.builds(FileChange, TEXT, st.sampled_from(["added", "modified", "deleted"])),
            max_size=40,
        ),
    ),
    st.builds(
        ChangesetFormed,
        job_id=TEXT,
        batch_id=TEXT,
        upserts=st.lists(TEXT, max_size=40),
        deletes=st.lists(TEXT, max_size=40),
    ),
    st.builds(
        BatchStored,
        job_id=TEXT,
        batch_id=TEXT,
        files=st.lists(
            st.builds(StoredFile, TEXT, TEXT, NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=40
        ),
        removed=st.lists(TEXT, max_size=40),
        table_version=NUMBERS,
        generation=TEXT,
    ),
    st.builds(
        VectorsFilled,
        job_id=TEXT,
        files=st.lists(st.builds(FilledFile, TEXT, TEXT, NUMBERS), max_size=40),
        table_version=NUMBERS,
        generation=TEXT,
    ),
    st.builds(
        VectorsRecounted,
        files=st.lists(st.builds(RecountedFile, TEXT, TEXT, NUMBERS), max_size=40),
        counted=NUMBERS,
        found=NUMBERS,
        table_version=NUMBERS,
        generation=TEXT,
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PARTS, st.integers(1, 4000))
def test_parts_put_together_are_the_fact_they_came_from(event: Any, spare: int) -> None:
    most = max([0, *(len(msgspec.json.encode(i)) for i in items_of(event))])
    limit = len(encode(empty(event))) + 33 + most + spare
    parts = split(event, limit)
    assert merge(parts) == event
    assert all(len(encode(part)) < limit for part in parts)
    assert [part.part for part in parts] == list(range(len(parts)))
    assert [part.last for part in parts] == [False] * (len(parts) - 1) + [True]
    assert [i for part in parts for i in items_of(part)] == items_of(event)
    assert all(items_of(part) for part in parts[1:])


def empty(event: SplitFact) -> SplitFact:
    lists = [n for n in event.__struct_fields__ if isinstance(getattr(event, n), list)]
    return msgspec.structs.replace(event, **{name: [] for name in lists})


def items_of(event: SplitFact) -> list[Any]:
    values = (getattr(event, name) for name in event.__struct_fields__)
    return [item for value in values if isinstance(value, list) for item in value]


def test_a_small_fact_is_one_part_and_the_same() -> None:
    event = FilesChanged(changes=[FileChange("a.md", "added")])
    assert split(event) == [event]
    assert split(FilesChanged(changes=[])) == [FilesChanged(changes=[])]


@pytest.mark.parametrize("limit", range(190, 240))
def test_no_part_passes_the_limit_by_the_digits_of_its_number(limit: int) -> None:
    event = ChangesetFormed(job_id="j", upserts=["a"] * 5000, deletes=["b"])
    parts = split(event, limit)
    assert len(parts) > 100
    assert max(len(encode(part)) for part in parts) < limit
    assert merge(parts) == event


def test_the_longest_paths_there_can_be_fit_into_records() -> None:
    path = "\x01" * 4095  # every byte takes six in JSON
    files = [StoredFile(path, "0" * 64, 2**60, 2**40, 2**20, 0) for _ in range(10)]
    event = BatchStored(job_id="j", files=files, removed=[path] * 5, table_version=1)
    parts = split(event)
    assert merge(parts) == event
    for part in parts:
        assert len(encode(part)) < PART_MAX_BYTES
        assert len(frame.encode(Record(2**60, 0, "t" * 27, "r" * 26, "a", 1, part)))


def test_facts_that_list_notes_without_limit_come_in_parts() -> None:
    """Any other list would make a fact that no record can hold."""
    bounded = {"JobFinished.errors", "HealthChanged.reasons", "VaultScanned.templates"}
    bounded |= {"VaultScanned.languages", "VaultScanned.not_included"}
    bounded |= {"VaultScanned.collections", "DeletionsHeld.collections"}  # at most 100
    bounded |= {"ConfigReloaded.collections", "JobRequested.accept_in"}
    bounded |= {"TokenCreated.collections"}  # at most 100
    lists = {
        f"{kind.__name__}.{name}"
        for kind in EVENT_TYPES
        for name, hint in get_type_hints(kind).items()
        if get_origin(hint) is list and not issubclass(kind, SplitFact)
    }
    assert lists == bounded
    assert PART_TYPES


def test_parts_that_do_not_belong_together_are_not_merged() -> None:
    one, two = (FilesChanged(changes=[], part=n, last=False) for n in (0, 1))
    for wrong in ([], [one, two], [two], [one, msgspec.structs.replace(two, part=2, last=True)]):
        with pytest.raises(AssertionError):
            merge(wrong)


# Errors


def test_at_most_a_hundred_errors_are_kept_and_all_are_counted() -> None:
    errors = [FileError(f"{n}.md", "not text") for n in range(250)]
    kept, total = clip_errors(iter(errors))
    assert (kept, total) == (errors[:ERRORS_MAX], 250)
    assert clip_errors([]) == ([], 0)


@pytest.mark.parametrize("character", ["x", "語", "\x01"])
def test_a_job_with_a_hundred_errors_fits_into_a_record_however_long_the_paths(
    character: str,
) -> None:
    path = (character * 4096).encode()[:4095].decode(errors="ignore")
    kept, total = clip_errors([FileError(path, "not text")] * 100)
    event = JobFinished(
        job_id="j" * 36,
        mode="reindex",
        outcome="partial",
        indexed_files=2**53,
        removed_files=2**53,
        total_chunks=2**53,
        duration_ms=2**53,
        errors=kept,
        errors_total=total,
    )
    assert kept
    assert total == 100
    line = frame.encode(Record(2**53, 2**53, "t" * 27, "r" * 26, "store_writer", 2**53, event))
    assert len(line) <= RECORD_MAX_BYTES


def test_every_fact_is_a_fact() -> None:
    assert all(issubclass(kind, Fact) for kind in EVENT_TYPES)
    cut = TailCut(segment="1", offset=1, size_bytes=2, kept_as="")
    assert decode(encode(cut)) == cut
