"""The message and suggestion for an error code, with details from the log. Pure.

The details are models, sizes and names of collections, never a note or a path.
"""

from collections.abc import Mapping

from ragd.embed.providers.model_choice import describe_languages, model_for_setting, model_named
from ragd.embed.providers.shipped_models import ENGLISH
from ragd.errors import CODES
from ragd.folds import State
from ragd.folds.catalog import Catalog, ServingIndex
from ragd.folds.code_choice import fitting_code_blocks
from ragd.notes.model import code_blocks_of
from ragd.vault.collection_paths import VAULT, group_of

_STILL_WORKS = "full-text search still works."
_RESTART = "then `ragctl stop` and `ragctl start`"


def explain(code: str, state: State, configured_model: str) -> tuple[str, str]:
    """A message and the next step."""
    index = state.catalog.index
    model = index.model if index is not None and index.provider == "ollama" else configured_model
    if code == "OLLAMA_MODEL_MISSING" and model:
        return (
            f"Ollama responds but does not have the model {model}, so meaning-based search is off.",
            f"Run `ollama pull {model}`; {_STILL_WORKS}",
        )
    lost = state.health.lost.get("model")
    if code == "DIMENSIONS_MISMATCH" and lost is not None and lost.made:
        return size_mismatch(configured_model, lost.configured, lost.made)
    if code == "INDEX_NOT_FOUND" and _is_removed(state):
        return (
            "The index is missing: its folder was removed or moved away.",
            "Run `ragctl index`, which reads all notes again, or restore the folder.",
        )
    if code == "COLLECTION_NOT_FOUND" and state.health.lost_collections:
        return _lost_collections(state)
    if code == "DELETIONS_HELD" and state.health.held:
        return _held_deletions(state)
    return CODES[code].message, CODES[code].suggestion


_NOT_EMBEDDED = {
    "VECTORS_PENDING": (
        "Some passages have no vector yet.",
        "Try again when the embedder has caught up; `ragctl status` shows the progress.",
    ),
    "TIMEOUT": (
        "The question did not get a vector in time.",
        "Try again. If it keeps happening, run `ragctl doctor`.",
    ),
    "SENSITIVE_FILTERED": (
        "The question is sensitive, so it was not sent to the external embedding server.",
        "Use an embedding server on this machine.",
    ),
    "INDEX_STALE": (
        'The index is stale, and `search.stale` is "full_text".',
        "Run `ragctl sync`, or `ragctl config set search.stale hybrid`.",
    ),
}


def explain_without_fallback(code: str, state: State, configured_model: str) -> tuple[str, str]:
    """Why a search is refused with `search.fallback: "none"`, and the next step."""
    message, suggestion = _NOT_EMBEDDED.get(code) or explain(code, state, configured_model)
    return (
        f'{message} `search.fallback` is "none", so nothing was searched.',
        suggestion.replace(f"; {_STILL_WORKS}", "."),
    )


_WHY_LOST = {
    "missing": "its folder is missing",
    "empty": "its folder is empty",
    "unreadable": "its folder cannot be read",
    "moved": "another disk is in its place",
    "overlaps": "its folder is a link to a folder that ragd reads or writes already",
    "locked": "another program has locked its database",
    "damaged": "its database is damaged",
    "unknown_format": "its database has a format that ragd does not know",
    "not_responding": "its disk or its network mount does not respond",
}


_OF_DATABASES = ("locked", "damaged", "unknown_format")


def _lost_collections(state: State) -> tuple[str, str]:
    """Which collections cannot be used, why, and what to do."""
    lost = state.health.lost_collections
    listed = [f"@{name}: {_WHY_LOST[lost[name].reason]}" for name in sorted(lost)]
    one = len(lost) == 1
    what = "A collection cannot be used" if one else "Some collections cannot be used"
    are_databases = all(found.reason in _OF_DATABASES for found in lost.values())
    first = (
        "Update ragd, or repair the database" if are_databases else "Mount or restore the folder"
    )
    removable = [name for name in sorted(lost) if not group_of(name)]
    if removable:
        without = f"`ragctl collection remove @{removable[0]}`"
    else:
        without = "`ragctl config set sessions.enabled false`"
    return (
        f"{what} ({'; '.join(listed)}). {'Its' if one else 'Their'} notes stay in the index.",
        f"{first}; ragd then continues automatically. If you do not need it any more, run "
        f"{without}.",
    )


def _held_deletions(state: State) -> tuple[str, str]:
    held = state.health.held
    listed = [
        f"{count:,} in {'the vault' if name == VAULT else _shown(name)}"
        for name, count in sorted(held.items())
    ]
    return (
        f"Many notes disappeared at once ({', '.join(listed)}), so they are not removed from the "
        "index yet.",
        "If you deleted them on purpose, run `ragctl sync --accept-deletions "
        f"{' '.join(_shown(name) for name in sorted(held))}`.",
    )


def _shown(collection: str) -> str:
    return collection if collection == VAULT else f"@{collection}"


def _is_removed(state: State) -> bool:
    """Whether there was an index with notes, and its folder is gone."""
    return state.health.index_removed or bool(state.catalog.documents)


def size_mismatch(model: str, configured: int, made: int) -> tuple[str, str]:
    """The message for a configured vector size that is not the model's."""
    return (
        f"`embedding.dimensions` is {configured}, but Ollama's model {model} makes vectors of "
        f"{made} numbers, so meaning-based search is off.",
        "Run `ragctl config unset embedding.dimensions` (or `ragctl config set "
        f"embedding.dimensions {made}`), {_RESTART}; {_STILL_WORKS}",
    )


def explain_passed_over(index: ServingIndex, configured_model: str) -> dict[str, str] | None:
    """Why this index uses the embedded model although Ollama was wanted; None if it does not."""
    when = "when this index was made, so it uses the embedded model."
    again = "`ragctl reindex`"
    match index.passed_over:
        case "":
            return None
        case "DIMENSIONS_MISMATCH":
            message = (
                f"`embedding.dimensions` was {index.configured} and Ollama's model made vectors of "
                f"{index.made} numbers {when}"
            )
            first = f"`ragctl config unset embedding.dimensions`, {_RESTART}, then {again}"
        case "OLLAMA_MODEL_MISSING":
            message = f"Ollama did not have the model {configured_model} {when}"
            first = f"`ollama pull {configured_model}`, then {again}"
        case _:
            message = f"Ollama did not respond {when}"
            first = f"`ollama serve`, then {again}"
    return {
        "code": index.passed_over,
        "message": message,
        "suggestion": f"To use Ollama, run {first}.",
    }


def code_hint(index: ServingIndex, catalog: Catalog, configured: str) -> dict[str, str] | None:
    """A hint if `auto` would choose otherwise for a new index; else None."""
    current, fitting = code_blocks_of(index.fingerprint), fitting_code_blocks(catalog)
    if configured != "auto" or catalog.code_percent is None or current in (None, fitting):
        return None
    share = "More" if fitting == "keep" else "No more"
    what = "indexes it" if fitting == "keep" else "leaves it out"
    return {
        "message": f"{share} than half of the text is code now.",
        "suggestion": f"`ragctl reindex` builds an index that {what}.",
    }


def language_hint(
    index: ServingIndex, languages: Mapping[str, int], configured: str
) -> dict[str, str] | None:
    """A hint if another embedded model fits the notes, or is configured; else None."""
    current = model_named(index.model) if index.provider == "embedded" else None
    fitting = model_for_setting(configured, languages)
    if current is None or current.language == fitting.language:
        return None  # an older model of the language is kept until a reindex
    suggestion = (
        f"Run `ragctl reindex`: it builds an index with the {fitting.language} model, and switches "
        "to it when it is complete."
    )
    if configured != "auto":
        message = (
            f"`embedding.language` is {configured}, but the index uses the {current.language} "
            "model."
        )
        return {"message": message, "suggestion": suggestion}
    if fitting == ENGLISH:
        return None  # the multilingual model reads English too
    message = (
        f"The languages of {sum(languages.values())} sampled notes are: "
        f"{describe_languages(languages)}. The index uses the English model, which finds notes in "
        "other languages by words only."
    )
    return {"message": message, "suggestion": suggestion}
