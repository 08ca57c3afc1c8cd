"""The facts about a scan: all roots were compared with the catalog, and files are left out. It
records nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ragd.batch.sync_plan import SyncPlan
from ragd.config.replaced_collections import root_key
from ragd.events import FileSkipped, ScannedCollection, VaultScanned
from ragd.vault.collection_paths import VAULT
from ragd.vault.threads import VaultNotResponding
from ragd.vault.vault_scan import VaultScan

SKIPPED_MAX = 10_000


def skipped_facts(scanned: VaultScan, known: Mapping[str, str]) -> Iterator[FileSkipped]:
    """Why files are left out, once for each file and reason. `known`: as the catalog has them
    while the facts are recorded."""
    for path, reason in scanned.skipped:
        if known.get(path) != reason and len(known) < SKIPPED_MAX:
            yield FileSkipped(path=path, reason=reason)


def scanned_fact(
    scanned: VaultScan, plan: SyncPlan, changed: Iterable[str], took_ms: int = 0
) -> VaultScanned:
    """What a scan found. `changed`: the notes that are new or look changed."""
    new = Counter(map(scanned.collection_of, changed))
    gone = Counter(map(scanned.collection_of, [*plan.removals, *plan.moves.values()]))
    gone.update(plan.held)
    return VaultScanned(
        files=len(scanned.notes),
        changed=new.total(),
        removed=gone.total(),
        newest_mtime=scanned.newest_mtime,
        took_ms=took_ms,
        began=scanned.began,
        began_seq=scanned.began_seq,
        device=scanned.device(VAULT),
        templates=scanned.templates,
        languages=scanned.languages,
        not_included=scanned.not_included,
        code_percent=scanned.code_percent,
        collections=_each(scanned, new, gone) if scanned.has_collections else [],
    )


def _each(
    scanned: VaultScan, new: "Counter[str]", removed: "Counter[str]"
) -> list[ScannedCollection]:
    found = [
        ScannedCollection(
            collection=name,
            files=len(root.notes),
            changed=new[name],
            removed=removed[name],
            newest_mtime=root.newest_mtime,
            device=scanned.device(name),
            root=root_key(root.root) if root.root and name != VAULT else "",
        )
        for name, root in scanned.roots.items()
    ]
    found += [
        ScannedCollection(
            collection=name,
            gone="not_responding" if isinstance(why, VaultNotResponding) else why.reason,
        )
        for name, why in scanned.gone.items()
    ]
    return sorted(found, key=lambda one: (one.collection != VAULT, one.collection))
