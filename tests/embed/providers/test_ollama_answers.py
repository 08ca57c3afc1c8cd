"""Single answers of Ollama, without a server."""

from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest
from aioresponses import aioresponses

from ragd.embed.providers.embedder_port import EmbeddingError, pack
from ragd.embed.providers.ollama import (
    OllamaEmbedder,
    is_reachable,
    read_model_info,
    space_of,
)
from tests.embed.conftest import at_once

URL = "http://localhost:11434"
EMBED = f"{URL}/api/embed"
# aioresponses 0.7.9 does not know this argument of aiohttp 3.14 yet.
SAID: dict[str, Any] = {
    "response_class": partial(aiohttp.ClientResponse, stream_writer=Mock(output_size=0))
}


@pytest.fixture
def wire() -> Iterator[aioresponses]:
    with aioresponses() as played:
        yield played


async def outcome(status: int, body: str) -> str:
    """The result for a text whose request always gets this answer."""
    embedder = OllamaEmbedder(URL, space_of("m", "d", 2), sleep=at_once)
    with aioresponses() as played:
        played.post(EMBED, status=status, body=body, repeat=True, **SAID)
        try:
            await embedder.embed(["text"])
        except EmbeddingError as error:
            return f"{error.kind}: {error.detail}"
        finally:
            await embedder.close()
    return "vectors"


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, '{"embeddings":[[3,4]]}', "vectors"),
        (200, '{"embeddings":[[3,4,5]]}', "wrong_model: makes vectors of another size"),
        (
            200,
            '{"embeddings":[[0,0]]}',
            "transient: reported an internal error",
        ),  # of the canary, too
        (
            404,
            '{"error":"model \\"m\\" not found, try pulling it first"}',
            "model_missing: does not have the model",
        ),
        (404, "404 page not found", "transient: reported an internal error"),
        (400, '{"error":"missing request body"}', "transient: reported an internal error"),
        (400, '{"error":"invalid input type"}', "transient: reported an internal error"),
        (503, "", "transient: is busy"),
        (301, "", "unreachable: answered with a redirect"),
        (
            418,
            '{"error":"a note about Nancy and geoFFrey"}',
            "transient: reported an internal error",
        ),
    ],
)
async def test_an_answer_is_judged_by_its_words(status: int, body: str, expected: str) -> None:
    assert (await outcome(status, body)).startswith(expected)


async def test_vectors_are_brought_to_length_one(wire: aioresponses) -> None:
    wire.post(EMBED, body='{"embeddings":[[3,4]]}', **SAID)
    embedder = OllamaEmbedder(URL, space_of("m", "d", 2))
    assert await embedder.embed(["text"]) == [pack([0.6, 0.8])]
    await embedder.close()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (aiohttp.ServerDisconnectedError(), "transient"),
        (aiohttp.ClientPayloadError("Secret"), "transient"),
        (ConnectionResetError(), "transient"),
        (TimeoutError(), "transient"),
        (aiohttp.ConnectionTimeoutError(), "unreachable"),
        (aiohttp.InvalidURL("Secret"), "unreachable"),
    ],
)
async def test_what_the_network_does_has_a_kind(
    wire: aioresponses, fault: Exception, kind: str
) -> None:
    wire.post(EMBED, exception=fault, repeat=True)
    embedder = OllamaEmbedder(URL, space_of("m", "d", 2), sleep=at_once)
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed(["text"])
    assert caught.value.kind == kind
    await embedder.close()


async def test_looking_asks_for_the_version_and_the_models(wire: aioresponses) -> None:
    wire.get(f"{URL}/api/version", body='{"version":"0.33.0"}', repeat=True, **SAID)
    models = '{"models":[{"name":"m:latest","digest":"abc"}]}'
    wire.get(f"{URL}/api/tags", body=models, **SAID)
    assert await is_reachable(URL) is True
    assert (await read_model_info(URL, "m")).digest == "abc"


async def test_a_server_of_another_kind_is_not_ollama(wire: aioresponses) -> None:
    wire.get(f"{URL}/api/version", body="<html>", **SAID)
    assert await is_reachable(URL) is False
