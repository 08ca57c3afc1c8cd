"""Both providers in one fixture, and other shared fixtures."""

from collections.abc import AsyncIterator

import pytest

from ragd.embed.providers.embedder_port import Embedder
from ragd.embed.providers.local_model import EmbeddedEmbedder
from ragd.embed.providers.ollama import OllamaEmbedder, space_of
from ragd.embed.worker import MINILM, MULTILINGUAL
from tests.embed.fake_ollama import DIGEST, DIMENSIONS, MODEL, FakeOllama, running


async def at_once(seconds: float) -> None:
    """A backoff without pauses."""


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with running() as server:
        yield server


@pytest.fixture
async def remote(ollama: FakeOllama) -> AsyncIterator[OllamaEmbedder]:
    embedder = OllamaEmbedder(ollama.base_url, space_of(MODEL, DIGEST, DIMENSIONS), sleep=at_once)
    yield embedder
    await embedder.close()


@pytest.fixture
async def local() -> AsyncIterator[EmbeddedEmbedder]:
    embedder = EmbeddedEmbedder(sleep=at_once)
    yield embedder
    await embedder.close()


@pytest.fixture
async def multilingual() -> AsyncIterator[EmbeddedEmbedder]:
    embedder = EmbeddedEmbedder(sleep=at_once, model=MULTILINGUAL)
    yield embedder
    await embedder.close()


@pytest.fixture
async def minilm() -> AsyncIterator[EmbeddedEmbedder]:
    """The English model of older indexes."""
    embedder = EmbeddedEmbedder(sleep=at_once, model=MINILM)
    yield embedder
    await embedder.close()


@pytest.fixture(params=["local", "minilm", "multilingual", "remote"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Each provider in turn: all of them fulfil the port."""
    found: Embedder = request.getfixturevalue(request.param)
    return found
