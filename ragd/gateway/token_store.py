"""The tokens of a home, in a file of their own that only the daemon writes.

They are not in the log: a part of the log that is damaged and moved aside must not bring a revoked
token back. The file has digests; the secret of a token is returned once, when it is made.
"""

import asyncio
import secrets
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct

from ragd.access.tokens import TOKENS_MAX, AccessToken, digest_of, find_token, is_expired
from ragd.clock import Clock, iso
from ragd.errors import RagdError
from ragd.events import TokenCreated, TokenRevoked
from ragd.gateway.fact_recorder import FactRecorder
from ragd.protocol.token_requests import TokenRequest
from ragd.runtime.durable_files import replace_file

SECRET_PREFIX = "ragd_"  # noqa: S105  (so that scanners of secrets can find it)
SECRET_BYTES = 32

log = structlog.get_logger("tokens")


class TokenFile(Struct, frozen=True):
    """What the file contains."""

    tokens: list[AccessToken]
    version: int = 1


_decode = msgspec.json.Decoder(TokenFile).decode


class TokenStore:
    """Makes, finds and revokes tokens. One change at a time."""

    def __init__(self, path: Path, clock: Clock, facts: FactRecorder) -> None:
        self._path = path
        self._clock = clock
        self._facts = facts
        self._changing = asyncio.Lock()
        self._tokens: list[AccessToken] | None = None  # None: not read yet

    async def find(self, secret: str) -> AccessToken | None:
        """The token with this secret, unless it has expired."""
        found = find_token(await self._read(), secret)
        return None if found is None or is_expired(found, self._clock.now()) else found

    async def is_valid(self, token: AccessToken) -> bool:
        """Whether a token that was found before is still accepted."""
        return token in await self._read() and not is_expired(token, self._clock.now())

    async def list_all(self) -> list[AccessToken]:
        """All tokens, also those that expired, by name."""
        return sorted(await self._read(), key=lambda one: one.name)

    def is_expired(self, token: AccessToken) -> bool:
        """Whether its time is over."""
        return is_expired(token, self._clock.now())

    async def create(self, wanted: TokenRequest) -> tuple[AccessToken, str]:
        """A new token, and its secret. Its fact is recorded first, so no token exists that the log
        does not name."""
        async with self._changing:
            tokens = await self._read()
            if any(one.name == wanted.name for one in tokens):
                raise RagdError(
                    "INVALID_REQUEST",
                    f"There is a token `{wanted.name}` already.",
                    f"Choose another name, or run `ragctl token revoke {wanted.name}` first.",
                )
            if len(tokens) >= TOKENS_MAX:
                raise RagdError(
                    "INVALID_REQUEST",
                    f"There are {TOKENS_MAX} tokens, which is the most.",
                    "Run `ragctl token list`, and revoke those that nobody uses.",
                )
            secret = SECRET_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
            made = AccessToken(
                name=wanted.name,
                digest=digest_of(secret),
                created=self._clock.now(),
                expires=_after(self._clock.now(), wanted.expires_s),
                collections=tuple(wanted.collections) or None,
                read_only=wanted.read_only,
                sensitive=wanted.sensitive,
            )
            await self._facts.record(
                TokenCreated(
                    client=made.name,
                    collections=list(made.collections or ()),
                    read_only=made.read_only,
                    sensitive=made.sensitive,
                    expires=made.expires,
                )
            )
            await self._write([*tokens, made])
            self._tokens = [*tokens, made]
        return made, secret

    async def revoke(self, name: str) -> bool:
        """Revoke a token; False if there is none. It takes effect first, also on a full disk; if it
        cannot be written, this raises RagdError."""
        async with self._changing:
            tokens = await self._read()
            left = [one for one in tokens if one.name != name]
            if len(left) == len(tokens):
                return False
            self._tokens = left
            try:
                await self._write(left)
            except RagdError:
                raise RagdError(
                    "DISK_FULL",
                    "The token is not accepted any more, but that could not be saved.",
                    "Free some space, then run the same command again; until then, a restart of "
                    "the daemon would accept the token again.",
                ) from None
            await self._facts.record(TokenRevoked(client=name))
        return True

    async def _read(self) -> list[AccessToken]:
        if self._tokens is None:
            found = await asyncio.to_thread(_read_file, self._path)
            if self._tokens is None:  # another request may have read it meanwhile
                self._tokens = found
        return self._tokens

    async def _write(self, tokens: list[AccessToken]) -> None:
        content = msgspec.json.format(msgspec.json.encode(TokenFile(tokens)), indent=2)
        try:
            await asyncio.to_thread(replace_file, self._path, content)
        except OSError:
            raise RagdError("DISK_FULL") from None


def _read_file(path: Path) -> list[AccessToken]:
    """The tokens in the file. If it cannot be read, no token is accepted."""
    try:
        return _decode(path.read_bytes()).tokens
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as why:
        log.error("the file of tokens cannot be read", exception=type(why).__name__)
        return []


def _after(now: str, seconds: int | None) -> str | None:
    if seconds is None:
        return None
    return iso(datetime.fromisoformat(now) + timedelta(seconds=seconds))
