"""What all facts have in common, and a fact of a type that this version does not know."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Mode = Literal["full", "sync", "reindex"]
Outcome = Literal["complete", "partial", "failed", "cancelled"]
ChangeKind = Literal["added", "modified", "deleted"]
PreviousStop = Literal["none", "clean", "crash"]
Dependency = Literal[
    "ollama",
    "embedder",
    "model",
    "vectors",
    "index",
    "store",
    "vault",
    "freshness",
    "scan",
    "disk",
    "object_store",
]

RECORD_MAX_BYTES = 64 * 1024
PART_MAX_BYTES = 48 * 1024
ERRORS_MAX = 100


class Fact(Struct, frozen=True, kw_only=True, gc=False, tag_field="type"):
    """The struct that every fact extends. A fact never refers to itself, so the garbage collector
    need not look at it: a replay makes very many."""


class SplitFact(Fact, frozen=True, kw_only=True):
    """A fact that lists files and may be split. Folds see it whole, after its last part."""

    part: int = 0  # counts from 0
    last: bool = True  # no more parts follow


class Unknown(Fact, frozen=True, kw_only=True, tag="unknown"):
    """A fact of a type that this version does not know: its name and its bytes."""

    name: str
    # The length keeps any line of a log from decoding to this class, even one of type `unknown`.
    raw: Annotated[bytes, Meta(min_length=2**60)]
