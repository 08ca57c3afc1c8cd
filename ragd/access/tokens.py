"""A token: what its holder may do. The holder is an agent with limits of its own. Pure.

Only a digest of the token's secret is kept. The secret is random and long, so a plain digest is
enough: nobody can guess it from that.
"""

import hashlib
import hmac
from collections.abc import Sequence

from msgspec import Struct

from ragd.protocol.asker import Asker, comparable

AGENT_PREFIX = "token-"
"""A token is an agent of its own: one called `main` is not the agent `main`."""

TOKENS_MAX = 64
SECRET_MAX_CHARS = 200


class AccessToken(Struct, frozen=True, kw_only=True):
    """A token, as the file has it."""

    name: str
    digest: str  # of the secret: SHA-256, in hex
    created: str
    expires: str | None  # None: never
    collections: tuple[str, ...] | None  # None: all that the rules permit and that are not private
    read_only: bool
    sensitive: bool  # sensitive passages are treated as for any agent, not always withheld


def digest_of(secret: str) -> str:
    """The digest under which a token is kept."""
    return hashlib.sha256(secret[:SECRET_MAX_CHARS].encode("utf-8", "replace")).hexdigest()


def find_token(tokens: Sequence[AccessToken], secret: str) -> AccessToken | None:
    """The token with this secret. Every token is compared, so that the time says nothing."""
    wanted = digest_of(secret).encode()
    found = None
    for token in tokens:
        if hmac.compare_digest(token.digest.encode(), wanted):
            found = token
    return found


def is_expired(token: AccessToken, now: str) -> bool:
    """Whether its time is over. Times are as the log writes them, so they compare as text."""
    return token.expires is not None and token.expires <= now


def asker_of_token(token: AccessToken, session: str) -> Asker:
    """The holder as an asker. The kind of chat is not known."""
    return Asker(
        agent=comparable(AGENT_PREFIX + token.name),
        session=session,
        token=token.name,
        only_in=None if token.collections is None else frozenset(token.collections),
        is_read_only=token.read_only,
        sees_sensitive=token.sensitive,
    )


def may_use(asker: Asker, permissions: Sequence[str]) -> bool:
    """Whether this asker may call a tool that needs these permissions."""
    return not asker.is_read_only or all(one.endswith(":read") for one in permissions)
