"""The guard's rules by the configuration in force, which may change while the daemon runs."""

import secrets

from ragd.clock import Clock
from ragd.config import is_address_external
from ragd.config_schema import Memory, Security
from ragd.notes.model import Chunk
from ragd.search.confirmation import Confirmations
from ragd.search.guard import Rules
from ragd.search.sensitive import may_leave
from ragd.settings import Settings

TOKEN_BYTES = 16


def confirmations(clock: Clock) -> Confirmations:
    """Tokens by this clock, that nobody guesses."""
    return Confirmations(clock.monotonic, lambda: secrets.token_urlsafe(TOKEN_BYTES))


class GuardInForce:
    """Rules that are made once for each configuration."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: tuple[Security, Memory, Rules] | None = None

    @property
    def blocks(self) -> bool:
        """Whether what is sensitive is withheld until somebody agreed."""
        return self._settings.current.security.sensitive == "block"

    def may_be_embedded(self, chunk: Chunk, provider: str) -> bool:
        """Whether this provider may see the chunk: what is sensitive stays on this machine."""
        return not self.leaves(provider) or may_leave(chunk, self.rules)

    def leaves(self, provider: str) -> bool:
        """Whether what this provider is shown leaves this machine."""
        return provider == "ollama" and is_address_external(self._settings.current)

    @property
    def rules(self) -> Rules:
        config = self._settings.current
        made = self._made
        if made is None or made[0] is not config.security or made[1] is not config.memory:
            rules = Rules.of(config.security, config.memory)
            self._made = made = (config.security, config.memory, rules)
        return made[2]
