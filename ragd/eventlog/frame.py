"""One record as one line of bytes, and back. Pure: it never touches a file.

The writer and the reader hold the same assertions: a line is at most 64 KiB, its checksum is
compared as bytes (parsing it would accept other spellings of the same number).
"""

from binascii import crc32

import msgspec
from msgspec import Raw, Struct

from ragd import events
from ragd.eventlog import codec
from ragd.events import RECORD_MAX_BYTES, Event, Unknown

FORMAT = 1
MIN_READER = 1
READER = 1  # what this version can read

PREFIX_BYTES = 9  # eight hex digits and a space


class Record(Struct, frozen=True):
    """A fact with its place in the log: who said it, when, and because of which other fact."""

    seq: int
    d: int
    ts: str
    run: str
    actor: str
    cause: int | None
    event: Event


class _Envelope(Struct, frozen=True):
    seq: int
    d: int
    ts: str
    run: str
    actor: str
    cause: int | None
    event: Raw


class Header(Struct, frozen=True):
    """The first line of a segment. It is no fact and has no seq."""

    format: int
    min_reader: int
    created_by: str
    first: int


class NotARecord(Exception):
    """These bytes are not what a writer of ours would have written."""


class TooLarge(ValueError):
    """A fact over 64 KiB: its lists should have been split into parts."""


_encoder = msgspec.json.Encoder()
_record = msgspec.json.Decoder(Record)
_envelope = msgspec.json.Decoder(_Envelope)
_header = msgspec.json.Decoder(Header)


class _Versioned(Struct, frozen=True):
    v: int = 1


_versioned = msgspec.json.Decoder(_Versioned)


def seal(body: bytes) -> bytes:
    """The body as a line: its checksum, a space, itself, a newline."""
    return b"%08x %b\n" % (crc32(body), body)


def unseal(line: bytes) -> bytes:
    """The body of a line (without its newline), if the line is whole."""
    body = line[PREFIX_BYTES:]
    if line[:PREFIX_BYTES] != b"%08x " % crc32(body):
        raise NotARecord
    return body


def encode(record: Record) -> bytes:
    """The record's line, closing newline included."""
    raw = Raw(codec.encode(record.event))
    body = _encoder.encode(
        _Envelope(record.seq, record.d, record.ts, record.run, record.actor, record.cause, raw)
    )
    if len(body) + PREFIX_BYTES + 1 > RECORD_MAX_BYTES:
        raise TooLarge(f"{events.tag_of(record.event)}: {len(body)} bytes")
    return seal(body)


def encode_header(header: Header) -> bytes:
    """The header's line."""
    return seal(_encoder.encode(header))


def json_of(record: Record) -> bytes:
    """The record as JSON without its checksum, for people and for the socket."""
    return encode(record)[PREFIX_BYTES:]


def decode(line: bytes) -> Record:
    """The record in a line (without its newline). Raises NotARecord for anything else."""
    body = line[PREFIX_BYTES:]  # unseal, inlined: a replay spends its time here
    if line[:PREFIX_BYTES] != b"%08x " % crc32(body) or len(line) >= RECORD_MAX_BYTES:
        raise NotARecord
    try:
        record = _record.decode(body)
        if b'"v":' not in body:  # a quote inside a string would be escaped
            return record
    except msgspec.ValidationError:
        pass  # a type or a version that this vocabulary does not know
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why
    try:
        e = _envelope.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why
    return Record(e.seq, e.d, e.ts, e.run, e.actor, e.cause, _event(e.event))


def _event(raw: Raw) -> Event:
    """The fact; a version above ours says something else, even where its fields look like ours."""
    event = codec.decode(raw)
    try:
        newer = _versioned.decode(raw).v > getattr(event, "v", 1)
    except msgspec.ValidationError:  # no object, or a version that is no number
        return event
    return Unknown(name=events.tag_of(event), raw=bytes(raw)) if newer else event


def decode_header(line: bytes) -> Header:
    """The header in a segment's first line."""
    try:
        return _header.decode(unseal(line))
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise NotARecord from why
