"""What `doctor` and `config` find out about Ollama: its version, its models, the vector size.

It uses no proxy, follows no redirect, and sends nothing but one fixed text.
"""

import json
from typing import Any, NamedTuple
from urllib.parse import urlsplit

ANSWER_WITHIN_S = 3.0
LOAD_WITHIN_S = 12.0  # a model may have to be loaded first
_ANSWER_MAX = 4 * 1024 * 1024
_TEXT = "How long is a vector of this text?"


class NoAnswer(Exception):
    """Nothing answers at the address, or it is not Ollama."""


class OllamaServer(NamedTuple):
    """A server that answers: its version, and the names of its models."""

    version: str
    models: frozenset[str]

    def has_model(self, model: str) -> bool:
        return not {model, f"{model}:latest"}.isdisjoint(self.models)


def query_server(base_url: str) -> OllamaServer:
    """The server at this address. Raises NoAnswer."""
    try:
        version = str(_call(base_url, "/api/version")["version"])
        models = _call(base_url, "/api/tags")["models"]
        return OllamaServer(version, frozenset(str(model["name"]) for model in models))
    except (OSError, ValueError, KeyError, TypeError) as why:
        raise NoAnswer from why


def vector_size(base_url: str, model: str) -> int:
    """The number of dimensions of this model's vectors. Raises NoAnswer."""
    request = {"model": model, "input": [_TEXT], "truncate": False, "keep_alive": "30m"}
    try:
        [vector] = _call(base_url, "/api/embed", request)["embeddings"]
        return len(vector)
    except (OSError, ValueError, KeyError, TypeError) as why:
        raise NoAnswer from why


def _call(base_url: str, path: str, body: object = None) -> dict[str, Any]:
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    place = urlsplit(base_url)
    kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
    within_s = ANSWER_WITHIN_S if body is None else LOAD_WITHIN_S
    connection = kind(place.hostname or "", place.port, timeout=within_s)
    try:
        data = None if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        headers = {"Content-Type": "application/json"}
        connection.request(method, place.path.rstrip("/") + path, data, headers)
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
