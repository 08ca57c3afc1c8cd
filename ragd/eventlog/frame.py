"""One record as one line of bytes, and back. Pure: it never touches a file.

Writer and reader enforce the same rules: a line is at most 64 KiB, and its checksum is compared as
bytes (a parser would accept other spellings of the same number).
"""

import re
from binascii import crc32
from collections.abc import Sequence

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
_find_version = re.compile(_VERSION).search  # twice as fast as `in` for a whole segment


def name_versions(lines: bytes) -> bool:
    """Whether a fact in these lines names its version, so that `decode` has to read each alone."""
    return _find_version(lines) is not None


def decode_block(lines: Sequence[bytes]) -> list[Record] | None:
    """The records in these lines, each with its newline, if all of them are plain records: whole,
    of types that this version knows, and without a version. Otherwise None.

    A replay spends much of its time here. One call formats all checksums, and one compares them.
    """
    bodies = [line[PREFIX_BYTES:-1] for line in lines]
    checksums = b"%08x " * len(lines) % tuple(map(crc32, bodies))
    if b"".join([line[:PREFIX_BYTES] for line in lines]) != checksums:
        return None
    if len(max(lines, key=len)) > RECORD_MAX_BYTES or not lines[-1].endswith(b"\n"):
        return None
    try:
        return [_decode_record(body) for body in bodies]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def decode(line: bytes) -> Record:
    """The record in a line (without its newline). Raises NotARecord for anything else."""
    body = check_checksum(line)
    if len(line) + 1 > RECORD_MAX_BYTES:
        raise NotARecord
    try:
        record = _decode_record(body)
        return _decode_versioned(body) if _VERSION in body else record
    except msgspec.ValidationError:
        return _decode_versioned(body)  # a type or a version that this reader does not know
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why


def _decode_versioned(body: bytes) -> Record:
    """The record, then its fact by the version that it names."""
    try:
        e = _raw_record.decode(body)
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
