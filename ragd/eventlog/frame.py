"""One record as one line of bytes, and back. Pure: it never touches a file.

Writer and reader enforce the same rules: a line is at most 64 KiB, and its checksum is compared as
bytes (a parser would accept other spellings of the same number).
"""

from binascii import crc32
from collections.abc import Callable

import msgspec
from msgspec import Raw, Struct

from ragd import events
from ragd.eventlog import codec
from ragd.events import RECORD_MAX_BYTES, Event, Unknown

FORMAT = 1
MIN_READER = 1
READER = 1  # what this version can read

PREFIX_BYTES = 9  # eight hex digits and a space


class Record(Struct, frozen=True, gc=False):
    """A fact with its place in the log: the actor, the time, and the fact that caused it."""

    seq: int
    d: int
    ts: str
    run: str
    actor: str
    cause: int | None
    event: Event


class _RawRecord(Struct, frozen=True, gc=False):
    seq: int
    d: int
    ts: str
    run: str
    actor: str
    cause: int | None
    event: Raw


class SegmentHeader(Struct, frozen=True):
    """The first line of a segment. It is not a fact and has no seq."""

    format: int
    min_reader: int
    created_by: str
    first: int


class NotARecord(Exception):
    """These bytes are not a line of the log."""


class RecordTooLarge(ValueError):
    """A fact of more than 64 KiB: its lists must be split into parts."""


_encoder = msgspec.json.Encoder()
_decode_record = msgspec.json.Decoder(Record).decode
_raw_record = msgspec.json.Decoder(_RawRecord)
_header = msgspec.json.Decoder(SegmentHeader)


class _FactVersion(Struct, frozen=True):
    v: int = 1


_version_decoder = msgspec.json.Decoder(_FactVersion)


def add_checksum(body: bytes) -> bytes:
    """The body as a line: its checksum, a space, the body, a newline."""
    return b"%08x %b\n" % (crc32(body), body)


def check_checksum(line: bytes) -> bytes:
    """The body of a line (without its newline). Raises NotARecord if the checksum is wrong."""
    body = line[PREFIX_BYTES:]
    if line[:PREFIX_BYTES] != b"%08x " % crc32(body):
        raise NotARecord
    return body


def encode(record: Record) -> bytes:
    """The record's line, closing newline included."""
    raw = Raw(codec.encode(record.event))
    body = _encoder.encode(
        _RawRecord(record.seq, record.d, record.ts, record.run, record.actor, record.cause, raw)
    )
    if len(body) + PREFIX_BYTES + 1 > RECORD_MAX_BYTES:
        raise RecordTooLarge(f"{events.tag_of(record.event)}: {len(body)} bytes")
    return add_checksum(body)


def encode_header(header: SegmentHeader) -> bytes:
    """The header's line."""
    return add_checksum(_encoder.encode(header))


def record_json(record: Record) -> bytes:
    """The record as JSON without its checksum, for people and for the socket."""
    return encode(record)[PREFIX_BYTES:]


_VERSION = b'"v":'  # a quote inside a string would be escaped


def decoder_for(lines: bytes) -> Callable[[bytes], Record]:
    """The function that decodes each of these lines, with its newline. To search all of them for
    facts with a version at once is quicker than to search each."""
    return _decode_line if _VERSION in lines else _decode_unversioned


def decode(line: bytes) -> Record:
    """The record in a line (without its newline). Raises NotARecord for anything else."""
    return _decode_line(line + b"\n")


def _decode_line(line: bytes) -> Record:
    record = _decode_unversioned(line)
    return _decode_versioned(line) if _VERSION in line else record


def _decode_unversioned(line: bytes) -> Record:
    """As `_decode_line`, for a line in which no fact has a version."""
    body = line[PREFIX_BYTES:-1]  # check_checksum, inlined: a replay spends its time here
    if line[:PREFIX_BYTES] != b"%08x " % crc32(body) or len(line) > RECORD_MAX_BYTES:
        raise NotARecord
    try:
        return _decode_record(body)
    except msgspec.ValidationError:
        return _decode_versioned(line)  # a type or a version that this reader does not know
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why


def _decode_versioned(line: bytes) -> Record:
    """The record, then its fact by the version that it names."""
    try:
        e = _raw_record.decode(line[PREFIX_BYTES:-1])
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why
    return Record(e.seq, e.d, e.ts, e.run, e.actor, e.cause, _event(e.event))


def _event(raw: Raw) -> Event:
    """The fact. A newer version is `Unknown`, even if its fields look like ours."""
    event = codec.decode(raw)
    try:
        newer = _version_decoder.decode(raw).v > getattr(event, "v", 1)
    except msgspec.ValidationError:  # not an object, or the version is not a number
        return event
    return Unknown(name=events.tag_of(event), raw=bytes(raw)) if newer else event


def decode_header(line: bytes) -> SegmentHeader:
    """The header in a segment's first line."""
    try:
        return _header.decode(check_checksum(line))
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why
