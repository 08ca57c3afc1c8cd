"""Who makes the vectors: Ollama with its model, or the embedded model, which is not run."""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec

from ragctl.doctor.checks import Finding, fail, ok, unknown, warn
from ragctl.doctor.checks.known_state import settings, state
from ragctl.setup.ollama import LOAD_WITHIN_S, NoAnswer, OllamaServer, query_server, vector_size
from ragd.config.schema import EmbeddingSettings
from ragd.embed.providers.shipped_models import ENGLISH, SHIPPED, ShippedModel
from ragd.folds.catalog import ServingIndex
from ragd.health.explanation import explain_passed_over, language_hint, size_mismatch
from ragd.paths import Home

AGAIN = "Install ragd again; the index and the notes are not affected."


def ollama(home: Home) -> Finding:
    """Whether it answers, has the model and makes vectors of the configured size, as far as that
    matters here."""
    wished = settings(home)
    if wished is None:
        return unknown()
    wish = wished.embedding
    catalog = state(home).catalog
    index = catalog.index
    needed = index.provider if index is not None else wish.provider
    if wish.provider == "ollama":  # said in so many words: the next index needs it
        needed = "ollama"
    if needed == "embedded":
        return _embedded(index, wish, catalog.languages)
    judge = warn if needed == "auto" else fail
    try:
        server = query_server(wish.base_url)
    except NoAnswer:
        if needed == "auto":
            return ok("Ollama does not answer; an index made now has the embedded model")
        return fail(
            f"Ollama does not answer at {wish.base_url}",
            "Start it with `ollama serve`; full-text search goes on meanwhile.",
            wish.base_url,
        )
    if not server.has_model(wish.model):
        return judge(
            f"Ollama {server.version} answers but does not have the model {wish.model}",
            f"Run `ollama pull {wish.model}`.",
        )
    return _size(server, wish, judge)


def _size(
    server: OllamaServer, wish: EmbeddingSettings, judge: Callable[[str, str], Finding]
) -> Finding:
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


def _embedded(
    index: ServingIndex | None, wish: EmbeddingSettings, languages: dict[str, int]
) -> Finding:
    """The embedded model serves: because it is configured, or because Ollama was passed over."""
    if index is not None and (hint := language_hint(index, languages, wish.language)):
        return warn(hint["message"], hint["suggestion"])
    why = (
        explain_passed_over(index, wish.model)
        if index is not None and wish.provider == "auto"
        else None
    )
    if why is None:
        return ok("the embedded model serves; no server is needed")
    if why["code"] == "OLLAMA_UNREACHABLE":  # the usual case where there is no Ollama
        return ok(f"the embedded model serves; no server is needed. {why['message']}")
    return warn(why["message"], why["suggestion"])


def weights(home: Home) -> Finding:
    """The embedded models, byte for byte the ones this version was made for. The one of the index
    must be there; without an index, the English one."""
    index = state(home).catalog.index
    needed = index.model if index is not None and index.provider == "embedded" else ENGLISH.name
    found = []
    for model in SHIPPED.values():
        if model.name != needed and find_spec(model.package) is None:
            continue
        if (problem := _problem(model)) is not None:
            return problem
        found.append(model.name)
    return ok(f"{', '.join(found)}: byte for byte as it should be")


def _problem(model: ShippedModel) -> Finding | None:
    spec = find_spec(model.package)
    if spec is None or spec.origin is None:
        return fail(f"the package {model.package} with the model's weights is missing", AGAIN)
    for name, expected in model.files.items():
        path = spec.origin.removesuffix("__init__.py") + name
        digest = hashlib.sha256()
        try:
            with open(path, "rb") as file:
                while piece := file.read(1 << 20):
                    digest.update(piece)
        except OSError as why:
            return fail(f"{path}: {why.strerror}", AGAIN, path)
        if digest.hexdigest() != expected:
            return fail(f"{path} is not the file this version was made for", AGAIN, path)
    if model.needs_onnxruntime and find_spec("onnxruntime") is None:
        return fail("onnxruntime, which runs the model, is missing", AGAIN)
    return None
