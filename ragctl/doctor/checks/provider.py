"""The embedding provider: Ollama with its model, or the embedded model, which is not run."""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec

from ragctl.doctor.checks import Finding, fail, no_configuration, ok, warn
from ragctl.doctor.checks.known_state import read_settings, replay_state
from ragctl.setup.ollama import LOAD_WITHIN_S, NoAnswer, OllamaServer, query_server, vector_size
from ragd.config.schema import EmbeddingSettings
from ragd.embed.providers.shipped_models import ENGLISH, SHIPPED, ShippedModel
from ragd.folds.catalog import ServingIndex
from ragd.health.explanation import explain_passed_over, language_hint, size_mismatch
from ragd.paths import Home

REINSTALL = "Install ragd again; the index and the notes are not affected."


def ollama(home: Home) -> Finding:
    """Whether Ollama answers, has the model and makes vectors of the configured size, if this
    configuration or the index needs Ollama."""
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    embedding = settings.embedding
    catalog = replay_state(home).catalog
    index = catalog.index
    needed = index.provider if index is not None else embedding.provider
    if embedding.provider == "ollama":  # set explicitly: the next index needs it
        needed = "ollama"
    if needed == "embedded":
        return _check_embedded(index, embedding, catalog.languages)
    judge = warn if needed == "auto" else fail
    try:
        server = query_server(embedding.base_url)
    except NoAnswer:
        if needed == "auto":
            return ok("Ollama does not answer; a new index would use the embedded model")
        return fail(
            f"Ollama does not answer at {embedding.base_url}",
            "Start it with `ollama serve`; full-text search works meanwhile.",
            embedding.base_url,
        )
    if not server.has_model(embedding.model):
        return judge(
            f"Ollama {server.version} answers but does not have the model {embedding.model}",
            f"Run `ollama pull {embedding.model}`.",
        )
    return _check_vector_size(server, embedding, judge)


def _check_vector_size(
    server: OllamaServer, embedding: EmbeddingSettings, judge: Callable[[str, str], Finding]
) -> Finding:
    """If the configuration sets the vector size, the model must make that size."""
    found = f"Ollama {server.version} has {embedding.model}"
    if not embedding.dimensions:
        return ok(found)
    try:
        made = vector_size(embedding.base_url, embedding.model)
    except NoAnswer:
        return warn(
            f"{found}, but it made no vector within {LOAD_WITHIN_S:g} s",
            "Is it busy? Try again; full-text search works meanwhile.",
        )
    if made != embedding.dimensions:
        return judge(*size_mismatch(embedding.model, embedding.dimensions, made))
    return ok(f"{found}, which makes vectors of {made} dimensions, as configured")


def _check_embedded(
    index: ServingIndex | None, embedding: EmbeddingSettings, languages: dict[str, int]
) -> Finding:
    """The embedded model is in use: by configuration, or because Ollama was passed over."""
    if index is not None and (hint := language_hint(index, languages, embedding.language)):
        return warn(hint["message"], hint["suggestion"])
    why = (
        explain_passed_over(index, embedding.model)
        if index is not None and embedding.provider == "auto"
        else None
    )
    if why is None:
        return ok("the embedded model is in use; no server is needed")
    if why["code"] == "OLLAMA_UNREACHABLE":  # normal without Ollama
        return ok(f"the embedded model is in use; no server is needed. {why['message']}")
    return warn(why["message"], why["suggestion"])


def weights(home: Home) -> Finding:
    """The model files must be exactly those this version was made for. The index's model must be
    installed; without an index, the English one."""
    index = replay_state(home).catalog.index
    needed = index.model if index is not None and index.provider == "embedded" else ENGLISH.name
    found = []
    for model in SHIPPED.values():
        if model.name != needed and find_spec(model.package) is None:
            continue
        if (problem := _weights_problem(model)) is not None:
            return problem
        found.append(model.name)
    return ok(f"{', '.join(found)}: the files are correct")


def _weights_problem(model: ShippedModel) -> Finding | None:
    spec = find_spec(model.package)
    if spec is None or spec.origin is None:
        return fail(f"the package {model.package} with the model's weights is missing", REINSTALL)
    for name, expected in model.files.items():
        path = spec.origin.removesuffix("__init__.py") + name
        digest = hashlib.sha256()
        try:
            with open(path, "rb") as file:
                while piece := file.read(1 << 20):
                    digest.update(piece)
        except OSError as why:
            return fail(f"{path}: {why.strerror}", REINSTALL, path)
        if digest.hexdigest() != expected:
            return fail(f"{path} is not the file this version was made for", REINSTALL, path)
    if model.needs_onnxruntime and find_spec("onnxruntime") is None:
        return fail("onnxruntime, which runs the model, is missing", REINSTALL)
    return None
