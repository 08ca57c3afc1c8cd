"""Ollama's answers and faults, with a fake server on a real port."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from ragd.embed.providers import ollama as adapter
from ragd.embed.providers.embedder_port import BatchPace, EmbeddingError, cosine, pack
from ragd.embed.providers.ollama import OllamaEmbedder, space_of
from tests.embed.conftest import at_once
from tests.embed.fake_ollama import (
    BUSY,
    DIGEST,
    DIMENSIONS,
    EOF,
    MODEL,
    NAN_400,
    TERMINATED,
    Answer,
    FakeOllama,
    cut_off,
    elsewhere,
    failure,
    hang,
    never_ends,
    raw,
    rows,
    running,
    says,
    vector_of,
)

SECRET = "Secret"
PROMPT = "Represent this sentence for searching relevant passages: "


async def failure_of(embedder: OllamaEmbedder, *texts: str) -> EmbeddingError:
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed(texts or ["a", "b"])
    chain: BaseException | None = caught.value
    while chain is not None:  # neither it nor what it came from may quote an answer
        assert SECRET not in str(chain)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)
    return caught.value


# The request


async def test_the_request_is_always_the_same_but_for_its_texts(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    await remote.embed(["one"])
    await remote.embed_query("two")
    assert ollama.requests == [
        {"model": MODEL, "input": [text], "truncate": False, "keep_alive": "30m"}
        for text in ("one", PROMPT + "two")
    ]


async def test_only_one_request_is_in_flight(ollama: FakeOllama, remote: OllamaEmbedder) -> None:
    calls = [remote.embed([f"text {n}"]) for n in range(6)]
    await asyncio.gather(*calls, *(remote.embed_query(f"query {n}") for n in range(6)))
    assert len(ollama.requests) == 12
    assert ollama.most_in_flight == 1


async def test_batches_grow_from_eight_to_sixty_four(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    await remote.embed([f"text {n}" for n in range(130)])
    assert [len(texts) for texts in ollama.inputs] == [8, 16, 32, 64, 10]


async def test_a_batch_is_never_larger_than_configured(ollama: FakeOllama) -> None:
    embedder = OllamaEmbedder(ollama.base_url, space_of(MODEL, DIGEST, DIMENSIONS), batch_size=5)
    await embedder.embed([f"text {n}" for n in range(12)])
    assert [len(texts) for texts in ollama.inputs] == [5, 5, 2]
    await embedder.close()


async def test_a_query_overtakes_the_waiting_documents(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    ollama.go.clear()
    documents = asyncio.create_task(remote.embed([f"text {n}" for n in range(20)]))
    await ollama.asked.wait()
    query = asyncio.create_task(remote.embed_query("urgent"))
    await asyncio.sleep(0)
    ollama.go.set()
    await asyncio.gather(documents, query)
    assert [len(texts) for texts in ollama.inputs] == [8, 1, 12]
    assert ollama.inputs[1] == [PROMPT + "urgent"]


async def test_a_request_is_heard_to_its_end_though_its_caller_gave_up(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    """Ollama stops loading a model when its client leaves: no search would ever find it ready."""
    ollama.go.clear()
    query = asyncio.create_task(remote.embed_query("first"))
    await ollama.asked.wait()
    query.cancel()
    await asyncio.gather(query, return_exceptions=True)
    second = asyncio.create_task(remote.embed_query("second"))
    await asyncio.sleep(0)
    assert len(ollama.requests) == ollama.in_flight == 1
    ollama.go.set()
    assert await second == pack(vector_of(PROMPT + "second"))
    assert ollama.answered == 2


@pytest.mark.parametrize(
    ("model", "prompt"),
    [
        ("mxbai-embed-large", PROMPT),
        ("mxbai-embed-large:latest", PROMPT),
        ("mxbai-embed-large:335m-v1-fp16", PROMPT),
        ("someone/mxbai-embed-large", PROMPT),
        ("all-minilm", ""),
    ],
)
def test_only_the_model_that_needs_a_prompt_gets_one(model: str, prompt: str) -> None:
    assert space_of(model, DIGEST, 1024).prompt == prompt


# Failures of the server


@pytest.fixture
def refusing_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        yield taken.getsockname()[1]


async def test_refused_is_unreachable(refusing_port: int) -> None:
    url = f"http://127.0.0.1:{refusing_port}"
    embedder = OllamaEmbedder(url, space_of(MODEL, DIGEST, DIMENSIONS), sleep=at_once)
    error = await failure_of(embedder)
    assert (error.code, error.kind) == ("OLLAMA_UNREACHABLE", "unreachable")
    assert await adapter.is_reachable(url) is False
    await embedder.close()


@pytest.mark.parametrize(
    "url", ["http://", "http://nowhere.invalid", "not a url", "http://[::1", "http://a b/"]
)
async def test_an_address_that_is_none_is_unreachable(url: str) -> None:
    embedder = OllamaEmbedder(url, space_of(MODEL, DIGEST, DIMENSIONS), sleep=at_once)
    assert (await failure_of(embedder)).kind == "unreachable"
    await embedder.close()


async def test_an_unknown_model_is_named_as_such(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    ollama.models.clear()
    error = await failure_of(remote)
    assert (error.kind, error.detail) == ("model_missing", "does not have the model")
    assert len(ollama.requests) == 1


PASSING: dict[str, tuple[Answer, str]] = {
    "the runner crashed (400)": (says(400, EOF), "stopped in the middle of an answer"),
    "the runner cannot start (500)": (says(500, TERMINATED), "reported an internal error"),
    "the queue is full (503)": (says(503, BUSY), "is busy"),
    "a proxy's 502": (raw("<html>Secret</html>", 502), "reported an internal error"),
    "cut off in mid-body": (cut_off, "stopped in the middle of an answer"),
    "not JSON": (raw("Secret"), "answered something that is not an embedding"),
    "half JSON": (raw('{"embeddings":[[0.1,'), "answered something that is not an embedding"),
    "other JSON": (raw('{"embedding":[0.1]}'), "answered something that is not an embedding"),
    "texts for numbers": (
        raw('{"embeddings":[["Secret"]]}'),
        "answered something that is not an embedding",
    ),
    "deep JSON": (raw("[" * 50_000), "answered something that is not an embedding"),
    "NaN in JSON": (raw('{"embeddings":[[NaN]]}'), "answered something that is not an embedding"),
    "too few vectors": (
        rows(lambda texts: [vector_of(text) for text in texts[1:]]),
        "answered with the wrong number of vectors",
    ),
    "too many vectors": (
        rows(lambda texts: [vector_of("Secret")] * (len(texts) + 1)),
        "answered with the wrong number of vectors",
    ),
    "no vectors": (rows(lambda texts: []), "answered with the wrong number of vectors"),
    "an endless body": (never_ends, "answered more than expected"),
}


@pytest.mark.parametrize("case", PASSING)
async def test_a_fault_that_passes_is_overcome(
    ollama: FakeOllama, remote: OllamaEmbedder, case: str
) -> None:
    ollama.faults.append(PASSING[case][0])
    assert await remote.embed(["a", "b"]) == [pack(vector_of("a")), pack(vector_of("b"))]
    assert len(ollama.requests) == 2


@pytest.mark.parametrize("case", PASSING)
async def test_a_permanent_fault_is_reported_without_its_message(
    ollama: FakeOllama, remote: OllamaEmbedder, case: str
) -> None:
    ollama.always, detail = PASSING[case]
    error = await failure_of(remote)
    assert (error.code, error.kind) == ("OLLAMA_UNREACHABLE", "transient")
    assert error.detail == detail
    assert len(ollama.requests) <= 3


async def test_a_redirect_is_not_followed(ollama: FakeOllama, remote: OllamaEmbedder) -> None:
    ollama.always = elsewhere
    error = await failure_of(remote)
    assert (error.kind, error.detail) == ("unreachable", "answered with a redirect")
    assert len(ollama.requests) == 1


async def test_proxies_of_the_environment_are_not_used(
    ollama: FakeOllama, remote: OllamaEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert await remote.embed(["a"]) == [pack(vector_of("a"))]
    assert await adapter.is_reachable(ollama.base_url)


async def test_a_server_that_hangs_is_not_waited_for_for_ever(
    ollama: FakeOllama, remote: OllamaEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BatchPace, "FLOOR_S", 0.05)
    monkeypatch.setattr(BatchPace, "FIRST_S", 0.0)
    ollama.always = hang
    error = await failure_of(remote)
    assert (error.kind, error.detail) == ("transient", "took too long")
    assert len(ollama.requests) == 1
    ollama.always = None
    monkeypatch.undo()
    assert await remote.embed(["a"]) == [pack(vector_of("a"))]


async def test_a_server_that_comes_back_is_used_again() -> None:
    async with running() as first:
        port = int(first.base_url.rpartition(":")[2])
        space = space_of(MODEL, DIGEST, DIMENSIONS)
        embedder = OllamaEmbedder(first.base_url, space, sleep=at_once)
        await embedder.embed(["a"])
    assert (await failure_of(embedder)).kind == "unreachable"
    async with running(port):
        assert await embedder.embed(["a"]) == [pack(vector_of("a"))]
        await embedder.close()


# Failures of one text


async def test_another_number_of_dimensions_is_another_model(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    ollama.always = rows(lambda texts: [vector_of(text, 1024) for text in texts])
    error = await failure_of(remote)
    assert (error.code, error.kind) == ("INDEX_MODEL_MISMATCH", "wrong_model")
    assert len(ollama.requests) == 1


async def test_a_configured_size_that_is_not_the_models_is_reported_with_both_sizes(
    ollama: FakeOllama,
) -> None:
    space = space_of(MODEL, DIGEST, DIMENSIONS)
    embedder = OllamaEmbedder(ollama.base_url, space, configured=1024)
    error = await failure_of(embedder)
    assert (error.code, error.kind) == ("DIMENSIONS_MISMATCH", "wrong_model")
    assert (error.configured, error.made) == (1024, DIMENSIONS)
    await embedder.close()
    with pytest.raises(EmbeddingError) as caught:
        await adapter.connect(ollama.base_url, MODEL, 1024)
    assert (caught.value.code, caught.value.made) == ("DIMENSIONS_MISMATCH", DIMENSIONS)


@pytest.mark.parametrize("dimensions", [0, DIMENSIONS])
async def test_the_size_of_vectors_is_the_models_own(ollama: FakeOllama, dimensions: int) -> None:
    embedder = await adapter.connect(ollama.base_url, MODEL, dimensions)
    assert embedder.space == space_of(MODEL, DIGEST, DIMENSIONS)
    assert len(await embedder.embed(["a", "b"])) == 2
    await embedder.close()


async def test_a_batch_of_much_larger_vectors_is_another_model_and_not_a_fault(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    ollama.always = rows(lambda texts: [[0.123456789012345] * 8192 for _ in texts])
    assert (await failure_of(remote, *"abcdefgh")).code == "INDEX_MODEL_MISMATCH"


@pytest.mark.parametrize(
    "answer",
    [
        says(400, NAN_400),
        says(500, {"error": "json: unsupported value: NaN"}),
        rows(lambda texts: [[0.0] * DIMENSIONS for _ in texts]),
    ],
    ids=["400", "500 of older versions", "a vector without direction"],
)
async def test_a_text_whose_vector_is_not_a_number_is_found(
    ollama: FakeOllama, remote: OllamaEmbedder, answer: Answer
) -> None:
    ollama.poison["Secret"] = answer
    texts = [f"text {n}" for n in range(20)]
    texts[13] = "a Secret text"
    error = await failure_of(remote, *texts)
    assert (error.kind, error.index) == ("bad_item", 13)
    assert error.done[7] == pack(vector_of("text 7"))
    del texts[13]
    assert len(await remote.embed(texts)) == 19


@pytest.mark.parametrize(
    "body",
    [
        {"error": "the input length exceeds the context length"},
        {"error": "request (2622 tokens) exceeds the available context size (512 tokens)"},
        {"error": "input is too large to process. increase the physical batch size"},
    ],
)
async def test_a_text_that_is_too_long_is_embedded_whole_in_parts(
    ollama: FakeOllama, remote: OllamaEmbedder, body: object
) -> None:
    long = " ".join(f"word{n}" for n in range(900))

    def answer(request: object, asked: dict[str, list[str]]) -> object:
        if any(len(text.split()) > 512 for text in asked["input"]):
            return failure(400, body)
        return rows(lambda texts: [vector_of(text) for text in texts])(request, asked)  # type: ignore[arg-type]

    ollama.always = answer
    first, vector, last = await remote.embed(["first", long, "last"])
    assert first == pack(vector_of("first"))
    assert last == pack(vector_of("last"))
    assert cosine(vector, pack(vector_of(long))) > 0.95
    embedded = {word for texts in ollama.inputs for text in texts for word in text.split()}
    assert {f"word{n}" for n in range(900)} <= embedded


async def test_a_text_that_crashes_the_runner_does_not_hold_up_the_others(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    ollama.poison["Secret"] = says(400, EOF)
    error = await failure_of(remote, "a", "b", "Secret", "d")
    assert (error.kind, error.index) == ("bad_item", 2)


# Looking and probing


async def test_model_info_has_the_version_and_the_digest(ollama: FakeOllama) -> None:
    assert await adapter.read_model_info(ollama.base_url, MODEL) == adapter.OllamaModelInfo(
        "0.33.1", DIGEST
    )
    assert await adapter.read_model_info(
        ollama.base_url, f"{MODEL}:latest"
    ) == adapter.OllamaModelInfo("0.33.1", DIGEST)
    assert (await adapter.read_model_info(ollama.base_url, "other")).digest is None
    assert ollama.requests == []


async def test_connecting_makes_the_space_of_what_is_there(ollama: FakeOllama) -> None:
    embedder = await adapter.connect(ollama.base_url, MODEL, DIMENSIONS)
    assert embedder.space == space_of(MODEL, DIGEST, DIMENSIONS)
    await embedder.close()
    with pytest.raises(EmbeddingError) as caught:
        await adapter.connect(ollama.base_url, "other", DIMENSIONS)
    assert caught.value.kind == "model_missing"


async def test_the_digest_is_that_of_the_models_current_weights(
    ollama: FakeOllama, remote: OllamaEmbedder
) -> None:
    assert await remote.digest() == DIGEST
    ollama.models[f"{MODEL}:latest"] = "0" * 64
    assert await remote.digest() == "0" * 64
    ollama.models.clear()
    assert await remote.digest() is None
