"""Who makes the vectors: Ollama with its model, or the embedded model. Neither is run."""

import hashlib
import json
from importlib.util import find_spec
from urllib.parse import urlsplit

from ragctl.checks import Finding, fail, ok, unknown, warn
from ragctl.checks.known import settings, state
from ragd.embed_worker import MODEL, WEIGHTS_PACKAGE, WEIGHTS_SHA256
from ragd.paths import Home

ANSWER_WITHIN_S = 3.0
_ANSWER_MAX = 4 * 1024 * 1024
WEIGHTS_FILE = "model.onnx"


def ollama(home: Home) -> Finding:
    """Whether it answers and has the model, as far as that matters here."""
    wished = settings(home)
    if wished is None:
        return unknown()
    wish = wished.embedding
    needed = _provider_of_index(home) or wish.provider
    if wish.provider == "ollama":  # said in so many words: the next index needs it
        needed = "ollama"
    if needed == "embedded":
        return ok("the embedded model serves; no server is needed")
    try:
        version = str(_get(wish.base_url, "/api/version")["version"])
        models = {str(one["name"]) for one in _get(wish.base_url, "/api/tags")["models"]}
    except (OSError, ValueError, KeyError, TypeError):
        if needed == "auto":
            return ok("Ollama does not answer; an index made now has the embedded model")
        return fail(
            f"Ollama does not answer at {wish.base_url}",
            f"Start it with `ollama serve`, then `ollama pull {wish.model}`; "
            "full-text search goes on meanwhile.",
            wish.base_url,
        )
    if not {wish.model, f"{wish.model}:latest"} & models:
        judge = warn if needed == "auto" else fail
        return judge(
            f"Ollama {version} answers but does not have the model {wish.model}",
            f"Run `ollama pull {wish.model}`.",
        )
    return ok(f"Ollama {version} has {wish.model}")


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


def _provider_of_index(home: Home) -> str | None:
    index = state(home).catalog.index
    return index.provider if index is not None else None


def _get(base_url: str, path: str) -> dict[str, list[dict[str, str]]]:
    """One answer, without a proxy and without following anybody elsewhere."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    place = urlsplit(base_url)
    kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
    connection = kind(place.hostname or "", place.port, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", place.path.rstrip("/") + path)
        answer = connection.getresponse()
        if answer.status != 200:
            raise ValueError("not an answer")
        found = json.loads(answer.read(_ANSWER_MAX))
    except HTTPException as why:
        raise ValueError("not HTTP") from why
    finally:
        connection.close()
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found
