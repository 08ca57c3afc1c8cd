"""The port of an embedder, the identity of its vector space, its errors and its pace. Pure.

It never calls a provider: the adapters do. They raise `EmbeddingError` with a detail from a closed
list, so that no note text and no provider's answer gets into a log.
"""

import hashlib
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

Vector = bytes
"""Float32 numbers, little-endian, normalised to length 1. SQLite and Arrow store them unchanged."""

VectorView = bytes | memoryview
"""A vector, or a view of one that is kept elsewhere."""

CANARY = "The quick brown Fox jumps over the lazy Dog, and Ünïcode makes it 42."
"""A text of mixed case and accents. If its vector changes, the vector space is another one."""

CANARY_TOLERANCE = 0.995
"""Two canaries with at least this cosine are of one space. The same model on another machine stays
above it."""

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
        "reported an internal error",
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
        "the model's weights are not those of this version",
        "the vocabulary is not that of this version",
        "the model makes wrong vectors on this machine",
        "the model cannot be loaded",
        "the worker cannot be started",
        "the worker ended unexpectedly",
    }
)


class VectorSpace(Struct, frozen=True):
    """What the vectors were made with. Only vectors of the same space may be compared."""

    provider: str
    model: str
    digest: str  # of the weights, and of how they are run
    dimensions: int
    prompt: str = ""  # added before a query, never before a document
    window: int = 0  # tokens that the model reads at once; 0: its own limit

    @property
    def is_known(self) -> bool:
        """False while the weights are not known. Then no vector is of this space."""
        return bool(self.digest)

    @property
    def identity(self) -> str:
        """A short name for all fields: recorded with the index, and the key in the cache."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


class PassedOver(Struct, frozen=True):
    """Why Ollama was not chosen for an index, although the configuration allowed it."""

    code: str
    configured: int = 0  # sizes of vectors, where these two differ
    made: int = 0


class EmbeddingError(Exception):
    """Why no vectors were made. `kind` decides what to do; `detail` is one of `DETAILS`.

    `done`: the vectors that this call had made already, by position, so that they are not lost.
    `configured`, `made`: vector sizes, where these two differ.
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

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[Vector]:
        """The same; the vector of a long text may contain those of its units (`unit_vectors`).
        `urgent`: of a saved note, so that they do not wait for those of the backlog."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query. It is made before all waiting documents."""
        ...

    async def close(self) -> None: ...


def pack(numbers: Iterable[float]) -> Vector:
    """Numbers as a vector of length 1. Raises ValueError if they have no direction."""
    values = array("d", numbers)
    length = math.hypot(*values)  # NaN or infinity if a value is
    if not math.isfinite(length) or length == 0.0:
        raise ValueError("not a direction")
    return array("f", [value / length for value in values]).tobytes()


def unpack(vector: Vector) -> "array[float]":
    """A vector as numbers."""
    return array("f", vector)


def cosine(one: Vector, other: Vector) -> float:
    """How similar two vectors of one space are, from -1 to 1."""
    assert len(one) == len(other), "vectors of two spaces"
    return sum(map(float.__mul__, unpack(one), unpack(other)))


def mean(vectors: Sequence[tuple[Vector, float]]) -> Vector:
    """The weighted mean of vectors, as a vector of length 1."""
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
    """How many texts make one batch of about `turn_s` seconds. It measures every batch.

    Short batches let a query in between; long ones have less overhead. The time depends on the
    number of characters, not on the number of texts.
    """

    FIXED_COST = 40  # the cost of an empty text, in characters
    FIRST_S = 10.0  # how long one text may take before anything was measured
    FLOOR_S = 30.0  # a model may have to be loaded first

    def __init__(self, turn_s: float, start: int, most: int) -> None:
        assert 1 <= start <= most
        self._turn_s = turn_s
        self._most = most
        self._limit = start
        self._per_character_s: float | None = None
        self._patience = 1

    def batch_end(self, texts: Sequence[str], start: int) -> int:
        """Where the batch that begins at `start` ends."""
        assert start < len(texts)
        room = math.inf
        if self._per_character_s is not None:
            room = self._turn_s / self._per_character_s
        end = start
        for text in texts[start : start + self._limit]:
            room -= len(text) + self.FIXED_COST
            if room < 0 and end > start:
                break
            end += 1
        return end

    def allowance_s(self, texts: Sequence[str]) -> float:
        """The longest time that these may take."""
        expected = self.FIRST_S * len(texts)
        if self._per_character_s is not None:
            expected = 6 * self._per_character_s * self._work(texts)
        return self._patience * (self.FLOOR_S + expected)

    def learn(self, texts: Sequence[str], took_s: float) -> None:
        """Adapt to the time that a batch of these took."""
        measured = max(took_s, 1e-6) / self._work(texts)
        known = self._per_character_s
        self._per_character_s = measured if known is None else (known + measured) / 2
        self._patience = 1
        if len(texts) >= self._limit and took_s < self._turn_s:
            self._limit = min(self._most, 2 * self._limit)

    def slow_down(self) -> None:
        """A batch did not end in time: halve the batches, and double the time they may take."""
        self._limit = max(1, self._limit // 2)
        self._patience = min(8, 2 * self._patience)

    def _work(self, texts: Sequence[str]) -> int:
        return sum(len(text) + self.FIXED_COST for text in texts)
