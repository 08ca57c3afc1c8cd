"""Who makes the vectors: Ollama with its model, or the embedded model, which is not run."""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec

from ragctl.checks import Finding, fail, ok, unknown, warn
from ragctl.checks.known import settings, state
from ragctl.ollama import LOAD_WITHIN_S, NoAnswer, Server, ask, vector_size
from ragd.config_schema import Embedding
from ragd.embed_worker import MODEL, WEIGHTS_PACKAGE, WEIGHTS_SHA256
from ragd.explanation import passed_over, size_mismatch
from ragd.folds.catalog import Index
from ragd.paths import Home

WEIGHTS_FILE = "model.onnx"


def ollama(home: Home) -> Finding:
    """Whether it answers, has the model and makes vectors of the configured size, as far as that
    matters here."""
    wished = settings(home)
    if wished is None:
        return unknown()
    wish = wished.embedding
    index = state(home).catalog.index
    needed = index.provider if index is not None else wish.provider
    if wish.provider == "ollama":  # said in so many words: the next index needs it
        needed = "ollama"
    if needed == "embedded":
        return _embedded(index, wish)
    judge = warn if needed == "auto" else fail
    try:
        server = ask(wish.base_url)
    except NoAnswer:
        if needed == "auto":
            return ok("Ollama does not answer; an index made now has the embedded model")
        return fail(
            f"Ollama does not answer at {wish.base_url}",
            "Start it with `ollama serve`; full-text search goes on meanwhile.",
            wish.base_url,
        )
    if not server.has(wish.model):
        return judge(
            f"Ollama {server.version} answers but does not have the model {wish.model}",
            f"Run `ollama pull {wish.model}`.",
        )
    return _size(server, wish, judge)


def _size(server: Server, wish: Embedding, judge: Callable[[str, str], Finding]) -> Finding:
    """Where the configuration sets the size of vectors, the model has to make that size."""
    found = f"Ollama {server.version} has {wish.model}"
    if not wish.dimensions:
        return ok(found)
    try:
        made = vector_size(wish.base_url, wish.model)
    except NoAnswer:
        return warn(
            f"{found}, but made no vector within {LOAD_WITHIN_S:g} s",
            "Is it busy? Try again; full-text search goes on meanwhile.",
        )
    if made != wish.dimensions:
        return judge(*size_mismatch(wish.model, wish.dimensions, made))
    return ok(f"{found}, which makes vectors of {made} numbers, as configured")


def _embedded(index: Index | None, wish: Embedding) -> Finding:
    """The embedded model serves: because it is configured, or because Ollama was passed over."""
    why = passed_over(index, wish.model) if index is not None and wish.provider == "auto" else None
    if why is None:
        return ok("the embedded model serves; no server is needed")
    if why["code"] == "OLLAMA_UNREACHABLE":  # the usual case where there is no Ollama
        return ok(f"the embedded model serves; no server is needed. {why['message']}")
    return warn(why["message"], why["suggestion"])


def weights(home: Home) -> Finding:
    """The embedded model, byte for byte the one this version was made for."""
    again = "Install ragd again; the index and the notes are not affected."
    spec = find_spec(WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        return fail(f"the package {WEIGHTS_PACKAGE} with the model's weights is missing", again)
    path = spec.origin.removesuffix("__init__.py") + WEIGHTS_FILE
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as why:
        return fail(f"{path}: {why.strerror}", again, path)
    if digest.hexdigest() != WEIGHTS_SHA256:
        return fail(f"{path} is not the file this version was made for", again, path)
    if find_spec("onnxruntime") is None:
        return fail("onnxruntime, which runs the model, is missing", again)
    return ok(f"{MODEL}, byte for byte as it should be")
