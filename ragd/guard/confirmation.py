"""One-time tokens that confirm that the user agreed to a call. Each is valid for five minutes.

They are kept in memory only, as digests (`gateway/consent.py`). A token is never accepted twice,
late, or for another call. A program can repeat a call with its token without asking, so agents get
one only with `security.confirm: "token"`.
"""

import hashlib
import hmac
from collections.abc import Callable

import msgspec

from ragd.protocol.tool_schemas import NoteRequest, SearchRequest

VALID_S = 300.0
MOST_TOKENS = 256  # at once; the oldest are dropped

ConfirmableRequest = SearchRequest | NoteRequest


class Confirmations:
    """The open tokens. The clock and the token source are passed in, so that it stays pure."""

    def __init__(self, monotonic: Callable[[], float], new_token: Callable[[], str]) -> None:
        self._monotonic = monotonic
        self._new_token = new_token
        self._open: dict[
            bytes, tuple[bytes, float]
        ] = {}  # digest of token -> digest of call, issue time

    def issue_token(self, request: ConfirmableRequest) -> str:
        """A new token for exactly this call."""
        self._drop_old()
        while len(self._open) >= MOST_TOKENS:
            del self._open[next(iter(self._open))]
        token = self._new_token()
        self._open[_digest(token.encode())] = (call_digest(request), self._monotonic())
        return token

    def is_confirmed(self, request: ConfirmableRequest) -> bool:
        """Whether the call has a valid token, which means that the user agreed to it."""
        return request.confirm is not None and self.redeem(request.confirm, request)

    def redeem(self, token: str, request: ConfirmableRequest) -> bool:
        """Whether the token is valid for this call. A known token is used up either way."""
        self._drop_old()
        wanted = _digest(token.encode("utf-8", "surrogatepass"))
        found = None
        for known in self._open:
            if hmac.compare_digest(known, wanted):
                found = known
        if found is None:
            return False
        call, _ = self._open.pop(found)
        return hmac.compare_digest(call, call_digest(request))

    def _drop_old(self) -> None:
        now = self._monotonic()
        old = [key for key, (_, issued) in self._open.items() if now - issued > VALID_S]
        for key in old:
            del self._open[key]


def call_digest(request: ConfirmableRequest) -> bytes:
    """The digest of the call without its token."""
    return _digest(msgspec.json.encode(msgspec.structs.replace(request, confirm=None)))


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
