"""The guard's rules for the current configuration, which may change while the daemon runs."""

import hashlib
import secrets

from msgspec import structs

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.config.load import is_address_external
from ragd.config.schema import MemorySettings, SecuritySettings
from ragd.guard.approvals import Approvals
from ragd.guard.confirmation import Confirmations
from ragd.guard.inspection import (
    GuardedPassage,
    InspectedPassage,
    Rules,
    inspect,
    inspect_text,
)
from ragd.guard.sensitive import may_leave
from ragd.notes.model import Chunk
from ragd.protocol.asker import Asker

TOKEN_BYTES = 16
ID_CHARACTERS = 6
ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # a person types an id: none that look alike
MOST_INSPECTED = 4_096  # about 0.6 MB: equal results are kept once


def confirmations(clock: Clock) -> Confirmations:
    """Confirmation tokens that expire by this clock and cannot be guessed."""
    return Confirmations(clock.monotonic, lambda: secrets.token_urlsafe(TOKEN_BYTES))


def approvals(clock: Clock) -> Approvals:
    """Approvals that expire by this clock. Ids are random, so that after a restart an old id does
    not name another request."""
    return Approvals(
        clock.monotonic,
        lambda: "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_CHARACTERS)),
    )


class LiveGuard:
    """Inspects passages by rules that are built once for each configuration."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: tuple[SecuritySettings, MemorySettings, Rules] | None = None
        self._inspected: dict[bytes, InspectedPassage] = {}
        self._different: dict[InspectedPassage, InspectedPassage] = {}  # one for each combination

    def blocks(self, asker: Asker) -> bool:
        """Whether sensitive passages are withheld from this asker until the user agrees."""
        return not asker.sees_sensitive or self._settings.current.security.sensitive == "block"

    def withholds(self, text: str, asker: Asker) -> bool:
        """Whether this text, such as the name of a note, is not shown to this asker. Where
        sensitive text is withheld, only the user's own requests see it without consent."""
        if not self.blocks(asker) or asker.is_person:
            return False
        return inspect_text(text, self.rules).withheld

    def may_be_embedded(self, chunk: Chunk, provider: str) -> bool:
        """Whether this provider may get the chunk: sensitive text stays on this machine."""
        return not self.is_external(provider) or may_leave(chunk, self.rules)

    def is_external(self, provider: str) -> bool:
        """Whether this provider runs on another machine."""
        return provider == "ollama" and is_address_external(self._settings.current)

    @property
    def rules(self) -> Rules:
        config = self._settings.current
        made = self._made
        if made is None or made[0] is not config.security or made[1] is not config.memory:
            memory = config.memory
            if config.role == "reader":  # it cannot store what would be suggested
                memory = structs.replace(memory, auto_suggest=False)
            rules = Rules.from_config(config.security, memory)
            self._made = made = (config.security, config.memory, rules)
            self._inspected.clear()
        return made[2]

    def inspect(self, passage: GuardedPassage) -> InspectedPassage:
        """What the guard finds in a passage. Recent results are cached by digest."""
        rules, digest = self.rules, _digest(passage)
        found = self._inspected.pop(digest, None)
        if found is None:
            found = inspect(passage, rules)
            found = self._different.setdefault(found, found)
        if len(self._inspected) >= MOST_INSPECTED:
            del self._inspected[next(iter(self._inspected))]
        self._inspected[digest] = found
        return found


def _digest(passage: GuardedPassage) -> bytes:
    """The digest of everything that the guard inspects, so that no note text is kept."""
    parts = (
        *(passage.section or "", passage.title, passage.heading_path, passage.chunk_text),
        *passage.tags,
    )
    data = "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).digest()
