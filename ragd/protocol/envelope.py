"""The one shape of every answer. Pure: built from values, never raises for what it is given."""

from typing import Any

import msgspec
from msgspec import Struct

from ragd.errors import CODES, RagdError, worse


class ErrorBody(Struct, frozen=True):
    """What went wrong, for a person and for a program."""

    code: str
    message: str
    recoverable: bool
    suggestion: str


class Meta(Struct, frozen=True):
    """Always all four; `index_version` is `generation.version`, or empty without an index."""

    query_time_ms: int = 0
    chunks_scanned: int = 0
    index_version: str = ""
    vault_mtime: str | None = None


class SearchMeta(Meta, frozen=True):
    """What a search says of itself beyond that.

    `retrieval`: hybrid, vector or full_text; `embedded_share`: of all passages, those that can be
    found by meaning; `stale_since`: when the index began to lag behind the vault, if it does;
    `unindexed_files`: how many notes, new or changed, are not in the index yet.
    """

    retrieval: str = "full_text"
    embedded_share: float = 1.0
    stale_since: str | None = None
    unindexed_files: int = 0


class Envelope(Struct, frozen=True):
    """An answer. A degraded answer that was served has both data and error."""

    status: str
    data: Any
    error: ErrorBody | None
    meta: Meta


def error_body(code: str, message: str | None = None, suggestion: str | None = None) -> ErrorBody:
    """The declared error, with a more exact sentence where there is one."""
    kind = CODES[code]
    return ErrorBody(code, message or kind.message, kind.recoverable, suggestion or kind.suggestion)


def refusal_envelope(why: RagdError, health: str, meta: Meta) -> Envelope:
    """An answer without data. A refusal keeps the current health, unless its code says more."""
    status = health if why.kind.status is None else worse(health, why.kind.status)
    return Envelope(status, None, error_body(why.code, why.message, why.suggestion), meta)


def encode(envelope: Envelope) -> bytes:
    """The bytes that go out."""
    return msgspec.json.encode(envelope)
