"""One-time tokens with which a person's agreement is brought back: five minutes, one call each.

It never accepts a token twice, late, or for another call than the one it was given for.
"""

import hashlib
import hmac
from collections.abc import Callable

import msgspec

from ragd.protocol.tool_schemas import NoteRequest, SearchRequest

VALID_S = 300.0
MOST = 256  # at once; the oldest make room

Guarded = SearchRequest | NoteRequest  # what may need one


class Confirmations:
    """The tokens that are out. Time and chance are given, so that it stays a plain value."""

    def __init__(self, monotonic: Callable[[], float], new_token: Callable[[], str]) -> None:
        self._monotonic = monotonic
        self._new_token = new_token
        self._open: dict[bytes, tuple[bytes, float]] = {}  # digest of token -> call, given at

    def issue_token(self, request: Guarded) -> str:
        """A token for this very call."""
        self._drop_old()
        while len(self._open) >= MOST:
            del self._open[next(iter(self._open))]
        token = self._new_token()
        self._open[_digest(token.encode())] = (_call(request), self._monotonic())
        return token

    def is_confirmed(self, request: Guarded) -> bool:
        """Whether the call brings back a token of ours: then a person has agreed to it."""
        return request.confirm is not None and self.redeem(request.confirm, request)

    def redeem(self, token: str, request: Guarded) -> bool:
        """Whether it is one of ours for this call; whatever the answer, it is used up."""
        self._drop_old()
        wanted = _digest(token.encode("utf-8", "surrogatepass"))
        found = None
        for known in self._open:
            if hmac.compare_digest(known, wanted):
                found = known
        if found is None:
            return False
        call, _ = self._open.pop(found)
        return hmac.compare_digest(call, _call(request))

    def _drop_old(self) -> None:
        now = self._monotonic()
        old = [key for key, (_, given) in self._open.items() if now - given > VALID_S]
        for key in old:
            del self._open[key]


def _call(request: Guarded) -> bytes:
    """The call without its token."""
    return _digest(msgspec.json.encode(msgspec.structs.replace(request, confirm=None)))


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
