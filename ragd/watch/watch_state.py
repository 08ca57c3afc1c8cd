"""The states of one collection's watch, and every transition between them. It records nothing.

From WAITING_FOR_VAULT, a scan leads to VAULT_FOUND or VAULT_GONE. An open watch makes VAULT_FOUND
WATCHING or POLLING, and a closed one makes it VAULT_FOUND again. From these three, a missed vault
leads back to WAITING_FOR_VAULT. Only a scan ends VAULT_GONE.
"""

import asyncio
from enum import Enum, auto

from ragd.vault.note_reader import RootIdentity


class WatchState(Enum):
    """Whether the vault was found, and how changes in it are noticed."""

    WAITING_FOR_VAULT = auto()  # no scan has found the vault, at all or since it was missed
    VAULT_GONE = auto()  # a scan did not find the vault, and this was recorded
    VAULT_FOUND = auto()  # a scan found the vault; no watch is open
    WATCHING = auto()  # the system reports changes
    POLLING = auto()  # scans find changes, because the system's watch fails


class WatchStates:
    """The current state. Every change of it is one of these methods."""

    def __init__(self) -> None:
        self.current = WatchState.WAITING_FOR_VAULT
        self._root: RootIdentity | None = None  # as the last scan saw it
        self._found = asyncio.Event()  # set while the vault is present
        # Counts how often the vault was missed or replaced. A watch that was opened before that is
        # dead, even if the vault is back.
        self.vault_losses = 0

    @property
    def is_vault_present(self) -> bool:
        return self._found.is_set()

    async def wait_for_vault(self) -> None:
        await self._found.wait()

    def vault_found(self, root: RootIdentity) -> None:
        """A scan found the vault, with this root."""
        if root != self._root:
            self.vault_losses += 1
            self._root = root
        if self.current in (WatchState.WAITING_FOR_VAULT, WatchState.VAULT_GONE):
            self.current = WatchState.VAULT_FOUND
        self._found.set()

    def vault_missed(self) -> None:
        """The vault was missed: by a probe, by another actor, or by the watch itself."""
        self.vault_losses += 1
        self._found.clear()
        if self.current is not WatchState.VAULT_GONE:
            self.current = WatchState.WAITING_FOR_VAULT

    def vault_gone(self) -> bool:
        """A scan did not find the vault. Returns whether this has to be recorded."""
        must_record = self.current is not WatchState.VAULT_GONE
        self.current = WatchState.VAULT_GONE
        self._root = None
        self._found.clear()
        return must_record

    def watch_opened(self, *, polling: bool) -> None:
        """A watch is open. If the vault was missed meanwhile, it will be closed soon."""
        if self.current is WatchState.VAULT_FOUND:
            self.current = WatchState.POLLING if polling else WatchState.WATCHING

    def watch_closed(self) -> None:
        if self.current in (WatchState.WATCHING, WatchState.POLLING):
            self.current = WatchState.VAULT_FOUND
