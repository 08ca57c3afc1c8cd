"""The worker: loads a model and answers requests until its input ends.

The daemon closes the input after a time without a request
(`ragd/embed/providers/local_model.py`), and when it stops. A worker for questions runs at normal
priority, because a person waits for it; one for passages is nice.

A reported error has only a type and a place, never a text.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ragd.embed.worker import (
    BULK,
    MINILM,
    MULTILINGUAL,
    EmbedFailed,
    EmbedRequest,
    Ready,
    Reply,
    Unavailable,
    Vectors,
    frame,
    read_request,
)
from ragd.embed.worker.loading import CannotRun, Floats
from ragd.embed.worker.units import PassageVectors
from ragd.runtime.worker_pipes import own_pipes, send

NICENESS = 5  # a person's own programs go first


class LoadedModel(Protocol):
    """A loaded model."""

    def embed(self, texts: Sequence[str]) -> Floats: ...


@runtime_checkable
class UnitModel(Protocol):
    """A model that also makes vectors for the units of long texts."""

    def embed_passages(self, texts: Sequence[str]) -> PassageVectors: ...


def load(name: str) -> LoadedModel:
    """The model of this name. Raises CannotRun."""
    if name == MULTILINGUAL.name:
        from ragd.embed.worker import multilingual

        return multilingual.load()
    if name == MINILM.name:
        from ragd.embed.worker import minilm

        return minilm.load()
    from ragd.embed.worker import granite

    return granite.load()


def main() -> int:
    requests, replies = own_pipes()
    if BULK in sys.argv and hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        model = load(sys.argv[-1])
    except CannotRun as reason:
        send(replies, frame(Unavailable(reason.detail)))
        return 1
    send(replies, frame(Ready()))
    while (request := read_request(requests)) is not None:
        send(replies, frame(_answer(model, request)))
    return 0


def _answer(model: LoadedModel, request: EmbedRequest) -> Reply:
    try:
        made = _embed(model, request.texts)
    except Exception as error:
        _report(error)
        return EmbedFailed("failed_inside")
    if not np.isfinite(made.vectors).all():
        return EmbedFailed("not_a_number")
    return Vectors(made.vectors.astype("<f4").tobytes(), made.units)


def _embed(model: LoadedModel, texts: Sequence[str]) -> PassageVectors:
    if isinstance(model, UnitModel):
        return model.embed_passages(texts)
    return PassageVectors(model.embed(texts), [])


def _report(error: Exception) -> None:
    place = traceback.extract_tb(error.__traceback__)[-1]
    print(f"embed_worker: {type(error).__name__} at {place.name}:{place.lineno}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
