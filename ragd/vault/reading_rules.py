"""Which files of each root are read, by the configuration. It reads no file."""

from msgspec import Struct

from ragd.config.schema import Config
from ragd.notes.documents.kinds import default_patterns
from ragd.vault.collection_paths import VAULT, group_of, join_path


class ReadingRules(Struct, frozen=True):
    """What the configuration says about one root."""

    patterns: tuple[str, ...]
    allow_dirs: tuple[str, ...]
    deny_dirs: tuple[str, ...]
    skips_templates: bool
    taken: tuple[str, ...] = ()  # folders whose paths belong to a collection
    # Programs write and remove its files, so a root without files does not mean that it is lost.
    may_be_empty: bool = False


def roots_of(config: Config) -> dict[str, str]:
    """The folder of the vault and of each collection, by name; the vault first."""
    return {VAULT: config.vault_path} | {name: c.path for name, c in config.collections.items()}


def rules_of(config: Config, collection: str) -> ReadingRules:
    """Which notes of a collection belong in the index."""
    indexing = config.indexing
    skips_templates = indexing.templates == "skip"
    if collection == VAULT:
        groups = dict.fromkeys(filter(None, map(group_of, config.collections)))
        taken = tuple(join_path(name, "") for name in (*config.collections, *groups))
        lists = (indexing.file_patterns, indexing.allow_dirs, indexing.deny_dirs)
        return ReadingRules(*lists, skips_templates, taken)
    one = config.collections[collection]
    patterns = one.patterns or default_patterns()
    lists = (patterns, one.allow_dirs, one.deny_dirs)
    if group_of(collection):
        return ReadingRules(*lists, skips_templates=False, may_be_empty=True)
    return ReadingRules(*lists, skips_templates)
