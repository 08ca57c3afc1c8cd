"""What the batcher does about collections that cannot be used: it records them, and refuses a new
index that would lose their notes. It never removes a note."""

from collections.abc import Callable, Iterable, Mapping

from ragd.batch.sync_plan import SyncPlan
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import VAULT
from ragd.vault.threads import unavailable_error, unavailable_fact
from ragd.vault.vault_scan import VaultScan
from ragd.vault.walk import VaultGone

NAME = "batcher"


async def record_gone(ledger: Ledger, gone: Mapping[str, VaultGone]) -> None:
    """Record the collections that cannot be used, unless that is known."""
    for name, why in gone.items():
        if not ledger.state.health.is_lost(name):
            await ledger.journal.append(NAME, unavailable_fact(why))


def hides_known_notes(
    scanned: VaultScan, known: Iterable[str], includes: Callable[[str], bool]
) -> bool:
    """Whether the index has notes in collections or folders that cannot be read now."""
    if not scanned.gone and not scanned.unreadable_folders:
        return False
    return any(map(includes, filter(scanned.may_exist, known)))


def why_refused(differing: SyncPlan, scanned: VaultScan) -> str:
    """Why a new index would lose notes: an error code, or empty if there is none for it."""
    if differing.held:
        return "DELETIONS_HELD"
    gone = scanned.gone.get(VAULT) or next(iter(scanned.gone.values()), None)
    return unavailable_error(gone).code if gone is not None else ""
