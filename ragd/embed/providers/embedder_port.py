"""What an embedder is: its port, the identity of its vector space, its errors, its pace. Pure.

It never talks to a provider: the adapters do, and raise `EmbeddingError`, whose words come from a
closed list, so that neither a note nor a provider's answer can get into a log through it.
"""

import hashlib
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

Vector = bytes
"""Float32, little-endian, one after another, of length 1: what SQLite and Arrow take as it is."""

CANARY = "The quick brown Fox jumps over the lazy Dog, and Ünïcode makes it 42."
"""One text of mixed case and accents: when its vector moves, the space is another one."""

CANARY_TOLERANCE = 0.995
"""Cosine above which two canaries are of one space (other kernels of one model stay above it)."""

Kind = Literal["unreachable", "model_missing", "wrong_model", "transient", "bad_item"]
Code = Literal[
    "OLLAMA_UNREACHABLE",
    "OLLAMA_MODEL_MISSING",
    "EMBEDDER_UNAVAILABLE",
    "INDEX_MODEL_MISMATCH",
    "DIMENSIONS_MISMATCH",
]

DETAILS = frozenset(
    {
        "does not answer",
        "answered with a redirect",
        "took too long",
        "is busy",
        "stopped in the middle of an answer",
        "failed inside",
        "answered something that is not an embedding",
        "answered more than expected",
        "answered with the wrong number of vectors",
        "does not have the model",
        "makes vectors of another size than configured",
        "makes vectors of another size than the index",
        "has another version of the model than the index",
        "made a vector that is not a number",
        "cannot embed this text",
        "is closed",
        "onnxruntime is not installed here",
        "the model's weights are not installed here",
        "the model's weights are not the ones this version knows",
        "the vocabulary is not the one this version knows",
        "the model gives wrong vectors on this machine",
        "the model cannot be loaded",
        "the worker cannot be started",
        "the worker ended unexpectedly",
    }
)


class VectorSpace(Struct, frozen=True):
    """Where vectors come from. Only vectors of one identity may be compared."""

    provider: str
    model: str
    digest: str  # of the weights, and of how they are run
    dimensions: int
    prompt: str = ""  # put before a query, never before a document
    window: int = 0  # tokens seen at once; 0: the model's own limit

    @property
    def is_known(self) -> bool:
        """False while nobody has said which weights these are: no vector is of this space yet."""
        return bool(self.digest)

    @property
    def identity(self) -> str:
        """One short name for all of it, recorded with the index and keyed on by the cache."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


class PassedOver(Struct, frozen=True):
    """Why Ollama was not taken for an index, where both providers were allowed."""

    code: str
    configured: int = 0  # sizes of vectors, where these two differ
    made: int = 0


class EmbeddingError(Exception):
    """Why there are no vectors: `kind` says what to do, `detail` is one of `DETAILS`.

    `done` holds the vectors this call had already made, by index: what was paid for is not lost.
    `configured`, `made`: sizes of vectors, where these two differ.
    """

    def __init__(
        self,
        code: Code,
        kind: Kind,
        detail: str,
        *,
        index: int | None = None,
        done: Mapping[int, Vector] | None = None,
        configured: int = 0,
        made: int = 0,
    ) -> None:
        assert detail in DETAILS, detail
        assert (index is not None) == (kind == "bad_item"), kind
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.kind: Kind = kind
        self.detail = detail
        self.index = index
        self.done: Mapping[int, Vector] = done or {}
        self.configured = configured
        self.made = made


class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def space(self) -> VectorSpace: ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of these documents, in order: all of them, or an `EmbeddingError`."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """The same, but that of a long text may come with those of its units (`unit_vectors`)."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; it goes before every batch of documents that waits."""
        ...

    async def close(self) -> None: ...


def pack(numbers: Iterable[float]) -> Vector:
    """Numbers as a vector of length 1. Raises ValueError for what has no direction."""
    values = array("d", numbers)
    length = math.hypot(*values)  # NaN and infinity come out of it as themselves
    if not math.isfinite(length) or length == 0.0:
        raise ValueError("not a direction")
    return array("f", [value / length for value in values]).tobytes()


def unpack(vector: Vector) -> "array[float]":
    """A vector as numbers."""
    return array("f", vector)


def cosine(one: Vector, other: Vector) -> float:
    """How alike two vectors of one space are, from -1 to 1."""
    assert len(one) == len(other), "vectors of two spaces"
    return sum(map(float.__mul__, unpack(one), unpack(other)))


def mean(vectors: Sequence[tuple[Vector, float]]) -> Vector:
    """The direction between vectors, each with its weight."""
    size = len(vectors[0][0]) // 4
    total = [0.0] * size
    for vector, weight in vectors:
        assert len(vector) == 4 * size, "vectors of two spaces"
        for place, value in enumerate(unpack(vector)):
            total[place] += value * weight
    return pack(total)


def same_space(canary: Vector, stored: Vector) -> bool:
    """True if the canary's vector is still the one that was stored with the index."""
    return len(canary) == len(stored) and cosine(canary, stored) >= CANARY_TOLERANCE


class BatchPace:
    """How many texts make one batch of about `turn_s` seconds. It learns from every batch.

    Short turns let a query in between; long ones waste less per request. Time goes with the
    characters, not with the number of texts.
    """

    _ROOM = 40  # characters' worth of work that even an empty text costs
    _FIRST_S = 10.0  # what one text may take before anything was measured
    _FLOOR_S = 30.0  # a model may have to be loaded first

    def __init__(self, turn_s: float, start: int, most: int) -> None:
        assert 1 <= start <= most
        self._turn_s = turn_s
        self._most = most
        self._limit = start
        self._per_character_s: float | None = None
        self._patience = 1

    def take(self, texts: Sequence[str], start: int) -> int:
        """Where the batch that begins at `start` ends."""
        assert start < len(texts)
        room = math.inf
        if self._per_character_s is not None:
            room = self._turn_s / self._per_character_s
        end = start
        for text in texts[start : start + self._limit]:
            room -= len(text) + self._ROOM
            if room < 0 and end > start:
                break
            end += 1
        return end

    def allowance_s(self, texts: Sequence[str]) -> float:
        """How long these may take at the very most."""
        expected = self._FIRST_S * len(texts)
        if self._per_character_s is not None:
            expected = 6 * self._per_character_s * self._work(texts)
        return self._patience * (self._FLOOR_S + expected)

    def learn(self, texts: Sequence[str], took_s: float) -> None:
        """A batch of these took so long."""
        measured = max(took_s, 1e-6) / self._work(texts)
        known = self._per_character_s
        self._per_character_s = measured if known is None else (known + measured) / 2
        self._patience = 1
        if len(texts) >= self._limit and took_s < self._turn_s:
            self._limit = min(self._most, 2 * self._limit)

    def slow_down(self) -> None:
        """A batch did not end in time: ask for half as much, and wait twice as long for it."""
        self._limit = max(1, self._limit // 2)
        self._patience = min(8, 2 * self._patience)

    def _work(self, texts: Sequence[str]) -> int:
        return sum(len(text) + self._ROOM for text in texts)
