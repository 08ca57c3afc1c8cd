"""The vector store: the only module that knows lancedb. So far it tells whether an index is there.

lancedb takes seconds to import, so it is imported inside the calls, which run in a thread.
"""

from pathlib import Path

TABLE = "obsidian_chunks"


def probe(folder: Path) -> str | None:
    """What is wrong with the index in `folder`: an error code, or None if its table opens."""
    import lancedb

    if not folder.is_dir() or not any(folder.iterdir()):
        return "INDEX_NOT_FOUND"
    # An absolute path: one that starts with `db` would be taken for the cloud service.
    database = lancedb.connect(str(folder.resolve()))
    try:
        if TABLE not in database.table_names(limit=1000):
            return "INDEX_NOT_FOUND"
        database.open_table(TABLE).search().limit(1).to_list()
    except Exception:  # lance raises OSError, ValueError and RuntimeError for damage of any kind
        return "INDEX_CORRUPTED"
    return None
