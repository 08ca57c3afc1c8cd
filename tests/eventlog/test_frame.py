"""One record as one line of bytes, and back."""

import json
import zlib

import msgspec
import pytest
from msgspec import structs

from ragd import events
from ragd.errors import EXIT_CONFIG, LogUnreadable
from ragd.eventlog import codec, frame
from ragd.eventlog.frame import (
    NotARecord,
    Record,
    RecordTooLarge,
    SegmentHeader,
    add_checksum,
    decode,
    encode,
)
from ragd.eventlog.segment import scan, segment_name
from ragd.events import (
    RECORD_MAX_BYTES,
    BatchStored,
    DaemonStopped,
    Event,
    FileChange,
    FilesChanged,
    FileSkipped,
    StoredFile,
    Unknown,
)
from ragd.folds import State, apply
from tests.eventlog.drafts import TS, record, write_groups
from tests.eventlog.simulated_disk import SimulatedDisk

AWKWARD = 'tab\t nl\n quote" back\\slash \x00\x1f\x7f \u2028 한국어 🎉'


def line_of(event_json: bytes, seq: int = 1) -> bytes:
    """A line as another version of the daemon might have written it, without its newline."""
    return add_checksum(
        b'{"seq":%d,"d":0,"ts":"%b","run":"r","actor":"a","cause":null,"event":%b}'
        % (seq, TS.encode(), event_json)
    )[:-1]


EVENTS: list[Event] = [
    DaemonStopped(reason="requested"),
    FileSkipped(path=AWKWARD, reason=AWKWARD),
    FilesChanged(
        changes=[FileChange("a.md", "added"), FileChange("b.md", "deleted")], part=3, last=False
    ),
    BatchStored(
        job_id="j",
        files=[StoredFile("a.md", "0" * 64, 2**62, 10, 3, 1)],
        removed=["c.md"],
        table_version=7,
    ),
]


@pytest.mark.parametrize("event", EVENTS)
def test_a_record_comes_back_as_it_was_written(event: Event) -> None:
    written = Record(2**40, 2**40 - 1, TS, "01J", "batcher", 5, event)
    assert decode(encode(written)[:-1]) == written


@pytest.mark.parametrize("event", EVENTS)
def test_a_line_without_its_nine_bytes_is_json_and_has_one_newline_at_its_end(event: Event) -> None:
    line = encode(record(12, event=event))
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    body = json.loads(line[9:])
    assert list(body) == ["seq", "d", "ts", "run", "actor", "cause", "event"]
    assert body["event"]["type"] == events.tag_of(event)
    assert line[:9] == b"%08x " % zlib.crc32(line[9:-1])


def test_json_for_people_is_the_line_without_its_checksum() -> None:
    assert frame.record_json(record(3)) == encode(record(3))[9:]


def padded(size: int) -> Record:
    """A record whose line has exactly so many bytes, newline included."""
    bare = len(encode(record(1, event=FileSkipped(path="", reason=""))))
    return record(1, event=FileSkipped(path="p" * (size - bare), reason=""))


def test_a_record_of_64_kib_is_written_and_read() -> None:
    line = encode(padded(RECORD_MAX_BYTES))
    assert len(line) == RECORD_MAX_BYTES
    assert decode(line[:-1]) == padded(RECORD_MAX_BYTES)


def test_a_record_over_64_kib_is_refused_on_writing() -> None:
    with pytest.raises(RecordTooLarge, match="file_skipped"):
        encode(padded(RECORD_MAX_BYTES + 1))


def test_a_record_over_64_kib_is_refused_on_reading() -> None:
    event = msgspec.json.encode({"type": "file_skipped", "path": "p" * 65_600, "reason": ""})
    with pytest.raises(NotARecord):
        decode(line_of(event))


def test_a_checksum_is_compared_as_bytes_not_as_a_number() -> None:
    seq = next(n for n in range(1, 100) if set(encode(record(n))[:8]) & set(b"abcdef"))
    line = encode(record(seq))[:-1]
    assert decode(line)
    for other in (line[:8].upper() + line[8:], line[:8] + b"\t" + line[9:], b" " + line[1:]):
        assert other != line
        with pytest.raises(NotARecord):
            decode(other)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"seq":1}',
        b'{"format":1,"min_reader":1,"created_by":"ragd","first":1}',
        b'{"seq":"1","d":0,"ts":"t","run":"r","actor":"a","cause":null,"event":{}}',
        b'{"seq":1,"d":0,"ts":"\xff","run":"r","actor":"a","cause":null,"event":{}}',
        b'{"seq":1,"d":0,"ts":"t","run":"r","actor":"a","cause":null,"event":{',
    ],
)
def test_a_line_with_a_checksum_that_is_not_a_record_is_refused(body: bytes) -> None:
    with pytest.raises(NotARecord):
        decode(add_checksum(body)[:-1])


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"note_dreamt","depth":3,"nested":{"a":[1,2.50,null]}}',
        b'{"type":"unknown","name":"x","raw":"AAAA"}',
        b'{"type":"file_skipped","path":7}',
        b'{"no":"type"}',
        b'{ "type" : "spaced" }',
        b"[1,2]",
    ],
)
def test_a_fact_of_an_unknown_type_is_kept_byte_for_byte(raw: bytes) -> None:
    found = decode(line_of(raw))
    assert isinstance(found.event, Unknown)
    assert found.event.raw == raw
    assert encode(found)[:-1] == line_of(raw)


def test_folds_skip_and_count_what_they_do_not_know() -> None:
    state, plain = State(), State()
    apply(state, decode(line_of(b'{"type":"note_dreamt"}')))
    apply(state, decode(line_of(b'{"type":"note_dreamt"}', seq=2)))
    assert (state.unknown, state.seq) == (2, 2)
    plain.seq, plain.last_ts, plain.unknown = 2, TS, 2
    assert state == plain


def test_an_unknown_fact_in_a_segment_is_not_damage() -> None:
    header = frame.encode_header(SegmentHeader(1, 1, "ragd 9", 1))
    data = header + line_of(b'{"type":"note_dreamt"}') + b"\n" + encode(record(2))
    found = scan(segment_name(1), data, is_last=True)
    assert found.damage is None
    assert [r.seq for r in found.records] == [1, 2]


def test_an_older_version_is_brought_up_by_its_upcast(monkeypatch: pytest.MonkeyPatch) -> None:
    def upcast(plain: dict[str, object]) -> dict[str, object]:
        return {"type": plain["type"], "v": 2, "path": plain["file"], "reason": plain["why"]}

    monkeypatch.setitem(codec.UPCASTS, ("file_skipped", 1), upcast)
    found = decode(line_of(b'{"type":"file_skipped","file":"a.md","why":"hidden"}'))
    assert found.event == FileSkipped(path="a.md", reason="hidden")


def test_upcasts_are_taken_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"path": "from v1"}
    two = {"reason": "from v2"}
    monkeypatch.setitem(codec.UPCASTS, ("file_skipped", 1), lambda plain: {**plain, **one})
    monkeypatch.setitem(codec.UPCASTS, ("file_skipped", 2), lambda plain: {**plain, **two})
    found = decode(line_of(b'{"type":"file_skipped"}'))
    assert found.event == FileSkipped(path="from v1", reason="from v2")


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"file_skipped","v":2,"path":"a.md","reason":"means something else now"}',
        b'{"type":"file_skipped","v":2,"paths":["a.md"]}',
        b'{"v":9,"type":"daemon_stopped","reason":"x"}',
    ],
)
def test_a_version_from_the_future_is_unknown_even_if_it_looks_familiar(raw: bytes) -> None:
    found = decode(line_of(raw))
    assert found.event == Unknown(name=json.loads(raw)["type"], raw=raw)
    assert encode(found)[:-1] == line_of(raw)


def test_a_path_that_spells_a_version_field_is_just_a_path() -> None:
    written = record(1, event=FileSkipped(path='{"v":2}', reason='"v":3'))
    assert decode(encode(written)[:-1]) == written


def test_a_log_that_needs_a_newer_reader_is_refused_with_a_sentence() -> None:
    header = SegmentHeader(2, frame.READER + 1, "ragd 7.3", 1)
    with pytest.raises(LogUnreadable, match=r"newer version \(ragd 7.3\).* Install") as refused:
        scan(segment_name(1), frame.encode_header(header), is_last=True)
    assert refused.value.exit_code == EXIT_CONFIG == 78


def test_a_newer_format_that_this_reader_may_read_is_read() -> None:
    header = SegmentHeader(2, frame.READER, "ragd 7.3", 1)
    data = frame.encode_header(header) + encode(record(1))
    assert scan(segment_name(1), data, is_last=True).records == [record(1)]


def test_a_header_gains_fields_without_being_refused() -> None:
    body = structs.asdict(SegmentHeader(1, 1, "ragd 7.3", 1)) | {"colour": "green"}
    data = add_checksum(json.dumps(body).encode()) + encode(record(1))
    assert scan(segment_name(1), data, is_last=True).damage is None


def test_what_the_writer_writes_is_what_the_shell_pipeline_shows() -> None:
    disk = SimulatedDisk()
    write_groups(disk, [1, 3])
    lines = disk.read(segment_name(1)).splitlines()
    shown = [json.loads(line[9:]) for line in lines]  # cut -c10- | jq
    assert shown[0] == {"format": 1, "min_reader": 1, "created_by": "ragd test", "first": 1}
    assert [body["seq"] for body in shown[1:]] == [1, 2, 3, 4]
    assert [body["d"] for body in shown[1:]] == [0, 1, 1, 1]
