"""Whether fenced code is indexed, if the configuration leaves that open. Pure.

With `auto`, the share of code in the vault decides when an index is made, and the index keeps that
choice: its fingerprint has it. So no index is cut again only because the vault has changed.
"""

from typing import Literal

from ragd.folds import State
from ragd.folds.catalog import Catalog
from ragd.notes.model import code_blocks_of

CodeBlocks = Literal["keep", "remove"]

MOSTLY_CODE_PERCENT = 50  # of the text; with more, `auto` keeps code


def chosen_code_blocks(configured: str, state: State) -> CodeBlocks:
    """What happens to fenced code now: as configured, else as in the index that is made now, else
    as in the one that serves."""
    if configured in ("keep", "remove"):
        return "keep" if configured == "keep" else "remove"
    catalog = state.catalog
    if catalog.building is not None:
        known = code_blocks_of(catalog.building.fingerprint)
    elif catalog.index is not None and not _is_reindexing(state):
        known = code_blocks_of(catalog.index.fingerprint)
    else:
        known = None
    return known or fitting_code_blocks(catalog)


def fitting_code_blocks(catalog: Catalog) -> CodeBlocks:
    """What `auto` chooses for a new index, by the last sample of notes."""
    return "keep" if (catalog.code_percent or 0) > MOSTLY_CODE_PERCENT else "remove"


def _is_reindexing(state: State) -> bool:
    """Whether a reindex has begun, and has not made its index yet."""
    return any(job.mode == "reindex" and job.phase == "running" for job in state.jobs.open)
