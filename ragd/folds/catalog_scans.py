"""What a scan of all roots means for the catalog: a fold. Pure; it reads no root.

A collection that the scan could not use keeps everything that is known about it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ragd.eventlog.frame import Record
from ragd.events import ScannedCollection, VaultScanned
from ragd.folds.catalog import Catalog, ScannedRoot, stop_waiting
from ragd.vault.collection_paths import VAULT, collection_of, join_path


def _vault_scanned(catalog: Catalog, event: VaultScanned, record: Record) -> None:
    catalog.scanned_at = record.ts
    catalog.templates = event.templates
    catalog.not_included = {one.kind: one.files for one in event.not_included}
    if event.languages:
        catalog.languages = {one.code: one.notes for one in event.languages}
    if event.code_percent is not None:
        catalog.code_percent = event.code_percent
    roots = event.collections or [_only_the_vault(event)]
    if event.newest_mtime is not None:
        before = catalog.newest_mtime or ""
        is_whole = not any(one.gone for one in roots)
        catalog.newest_mtime = event.newest_mtime if is_whole else max(event.newest_mtime, before)
    for one in roots:
        _root_scanned(catalog, one, record)
    catalog.gone = {one.collection for one in roots if one.gone}
    _forget_removed_collections(catalog, [one.collection for one in roots])
    same = {one.collection for one in roots if not (one.gone or one.changed or one.removed)}
    names = {one.collection for one in roots}
    for listed in (catalog.waiting, catalog.changed_since) if same else ():
        for path in [
            path
            for path in listed
            if collection_of(path, names) in same
            and _was_seen(catalog, listed, path, event, record)
        ]:
            del listed[path]
    for path in [path for path in catalog.announced if path not in catalog.waiting]:
        if collection_of(path, names) in same:
            stop_waiting(catalog, path)


def _only_the_vault(event: VaultScanned) -> ScannedCollection:
    return ScannedCollection(
        VAULT, event.files, event.changed, event.removed, event.newest_mtime, event.device
    )


def _root_scanned(catalog: Catalog, one: ScannedCollection, record: Record) -> None:
    if one.collection == VAULT:
        if not one.gone:
            catalog.vault_scanned_at = record.ts
        if not one.gone and one.removed == 0:
            catalog.device = one.device or catalog.device
        return
    known = catalog.collections.get(one.collection, ScannedRoot())
    if not one.gone:
        device = (one.device if one.removed == 0 else 0) or known.device
        known = ScannedRoot(device, record.ts, one.newest_mtime, one.root or known.root)
    catalog.collections[one.collection] = known


def _forget_removed_collections(catalog: Catalog, scanned: Collection[str]) -> None:
    """A collection that is not configured any more is forgotten with its last note, and the paths
    that are only listed at once: without the collection, they would count as the vault's."""
    removed = [name for name in catalog.collections if name not in scanned]
    if not removed:
        return
    for listed in (catalog.skipped, catalog.failed, catalog.failures):
        for path in _paths_in(removed, listed):
            del listed[path]
    for path in _paths_in(removed, catalog.waiting):
        if not catalog.is_stored(path):  # a stored one waits until it has left the index
            catalog.changed_since.pop(path, None)
            stop_waiting(catalog, path)
    for name in removed:
        if not catalog.is_folder(join_path(name, "")):
            del catalog.collections[name]


def _paths_in(collections: Collection[str], paths: Iterable[str]) -> list[str]:
    return [path for path in paths if collection_of(path, collections) != VAULT]


def _was_seen(
    catalog: Catalog, listed: dict[str, str], path: str, event: VaultScanned, record: Record
) -> bool:
    """Whether a scan that found no difference saw this path after it was announced.

    Records are compared, because a clock can be set back. Older logs have only the time.
    """
    if path in catalog.skipped and catalog.is_stored(path):
        return False  # it has to leave the index
    if event.began_seq:
        return catalog.announced.get(path, 0) <= event.began_seq
    return listed[path] <= (event.began or record.ts)


HANDLERS: Mapping[type, Callable[[Catalog, Any, Record], None]] = {VaultScanned: _vault_scanned}
