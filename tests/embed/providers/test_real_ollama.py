"""The only test with a real Ollama, if one with an embedding model runs here."""

import pytest

from ragd.embed.providers import ollama
from ragd.embed.providers.embedder_port import CANARY, EmbeddingError, cosine, same_space

URL = "http://localhost:11434"
MODELS = {"mxbai-embed-large": 1024, "all-minilm": 384, "nomic-embed-text": 768}


async def test_a_real_ollama_embeds_and_keeps_its_space() -> None:
    if not await ollama.is_reachable(URL):
        pytest.skip(f"no Ollama answers at {URL}")
    for model, dimensions in MODELS.items():
        try:
            embedder = await ollama.connect(URL, model, dimensions)
        except EmbeddingError:
            continue
        break
    else:
        pytest.skip(f"Ollama at {URL} has none of: {', '.join(MODELS)}")
    try:
        first, second = [(await embedder.embed([CANARY]))[0] for _ in range(2)]
        assert same_space(first, second)
        long = "The cat sleeps in the sun. " * 400
        cat, kitten, money, whole = await embedder.embed(
            ["The cat sleeps in the sun.", "A kitten naps.", "Revenue fell by three percent.", long]
        )
        assert cosine(cat, kitten) > cosine(cat, money)
        assert cosine(cat, whole) > cosine(money, whole)
        query = await embedder.embed_query("where is the cat?")
        assert cosine(query, cat) > cosine(query, money)
    finally:
        await embedder.close()
