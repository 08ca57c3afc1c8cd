"""The envelope: the one format of every answer. Pure, and it never raises."""

from typing import Any

import msgspec
from msgspec import Struct

from ragd.errors import CODES, RagdError, worse


class ErrorBody(Struct, frozen=True):
    """The error of an answer, for people and for programs."""

    code: str
    message: str
    recoverable: bool
    suggestion: str


class Meta(Struct, frozen=True):
    """In every answer. `index_version` is `generation.version`, or empty without an index.

    `index_as_of`: only in the answers of a reader: when the index was last known to be current.
    """

    query_time_ms: int = 0
    chunks_scanned: int = 0
    index_version: str = ""
    vault_mtime: str | None = None
    index_as_of: str | msgspec.UnsetType | None = msgspec.UNSET


class SearchMeta(Meta, frozen=True):
    """The meta of a search.

    `retrieval`: hybrid, vector or full_text. `embedded_share`: the share of passages that can be
    found by meaning. `stale_since`: since when the index is older than the vault, if it is.
    `unindexed_files`: how many new or changed notes are not in the index yet.
    """

    retrieval: str = "full_text"
    embedded_share: float = 1.0
    stale_since: str | None = None
    unindexed_files: int = 0
    provider: str = ""  # that made the vectors: embedded or ollama
    model: str = ""


class Envelope(Struct, frozen=True):
    """An answer. A degraded answer has both data and error."""

    status: str
    data: Any
    error: ErrorBody | None
    meta: Meta


def error_body(code: str, message: str | None = None, suggestion: str | None = None) -> ErrorBody:
    """The declared error, with a more exact message or suggestion if there is one."""
    kind = CODES[code]
    return ErrorBody(code, message or kind.message, kind.recoverable, suggestion or kind.suggestion)


def refusal_envelope(why: RagdError, health: str, meta: Meta) -> Envelope:
    """An answer without data. Its status is the current health, or worse if the code's is."""
    status = health if why.kind.status is None else worse(health, why.kind.status)
    return Envelope(status, None, error_body(why.code, why.message, why.suggestion), meta)


def encode(envelope: Envelope) -> bytes:
    """The answer as JSON."""
    return msgspec.json.encode(envelope)
