"""docs/deviations.md: the lists of what the program has beyond its contract.

The tables are written by hand and kept; only the lines between the marks are generated here.
"""

import re
from collections.abc import Iterable

from ragd.config.keys import dotted_keys
from ragd.errors import CODES
from ragd.folds import State
from ragd.gateway.live_state import LiveState
from ragd.gateway.status import status_envelope
from ragd.search.results import Result
from ragd.store.lance import schema

# What the contract names.
KEYS = {
    *("vault_path", "vector_store.type", "vector_store.path"),
    *(f"embedding.{key}" for key in ("provider", "model", "base_url", "dimensions")),
    *(f"indexing.{key}" for key in ("chunk_size", "chunk_overlap", "file_patterns")),
    *("indexing.deny_dirs", "indexing.allow_dirs", "memory.auto_suggest", "memory.patterns"),
    *("security.require_confirmation_for", "security.sensitive_sections", "security.local_only"),
}
RESULT = {
    *("chunk_text", "score", "source_file", "section", "date", "tags", "chunk_index"),
}
STATUS = {
    *("plugin_health", "total_docs", "total_chunks", "last_sync", "unindexed_files"),
    *("ollama_status", "active_job"),
}
ERRORS = {
    *("OLLAMA_UNREACHABLE", "INDEX_NOT_FOUND", "INDEX_CORRUPTED", "SECURITY_VIOLATION"),
    *("SENSITIVE_FILTERED", "INDEXER_FAILED"),
}
COLUMNS = (
    *("vector", "chunk_id", "chunk_text", "source_file", "source_directory", "section", "date"),
    *("tags", "chunk_index", "total_chunks", "modified_at", "indexed_at"),
)


def page(now: str) -> str:
    """The page with the current lists."""
    made = {
        "result": _listed(Result.__struct_fields__, RESULT),
        "status": _listed(_status_fields(), STATUS),
        "codes": _listed(CODES, ERRORS),
        "columns": _listed(_columns(), COLUMNS),
        "keys": "\n".join(_keys()),
    }
    return re.sub(
        r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)",
        lambda mark: f"{mark[1]}{made.pop(mark[2])}\n{mark[3]}",
        now,
        flags=re.S,
    )


def _listed(names: Iterable[str], contract: Iterable[str]) -> str:
    known = set(contract)
    return ", ".join(f"`{name}`" for name in names if name not in known) + "."


def _keys() -> Iterable[str]:
    for key in dotted_keys():
        if key.name not in KEYS:
            yield f"- `{key.name}`: {key.description}"


def _columns() -> list[str]:
    names = list(schema.arrow_schema(1, {}).names)
    assert tuple(names[: len(COLUMNS)]) == COLUMNS, "the contract's columns come first, in order"
    return names


def _status_fields() -> Iterable[str]:
    live = LiveState("", 0, "", "", 0, "", "")
    data = status_envelope(State(), live).data
    assert isinstance(data, dict)
    return list(data)
