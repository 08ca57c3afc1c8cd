"""The browsers that are signed in to the page, each with two secrets. In memory only.

The cookie alone is not enough: browsers send it to every port of the same name, also to one of
another user. So each request of the page has a second secret, which only pages of our own origin
can read, and which also proves that the page itself sent the request (CSRF).
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable

from msgspec import Struct

IDLE_S = 12 * 3600.0
LONGEST_S = 7 * 24 * 3600.0
SESSIONS_MAX = 32
_VALUE_MAX = 100


class PageSession(Struct):
    """A browser that is signed in. Only digests of its secrets are kept."""

    cookie: bytes
    csrf: bytes
    began: float
    used: float


class NewSession(Struct, frozen=True):
    """The secrets of a new session; they are sent once."""

    cookie: str
    csrf: str


class PageSessions:
    """Creates sessions and finds them again. `now`: seconds that never go back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._sessions: list[PageSession] = []

    def begin(self) -> NewSession:
        """A new session. If there are too many, the one that was used least recently ends."""
        self._end_expired()
        if len(self._sessions) >= SESSIONS_MAX:
            self._sessions.remove(min(self._sessions, key=lambda one: one.used))
        made = NewSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        now = self._now()
        self._sessions.append(PageSession(_digest(made.cookie), _digest(made.csrf), now, now))
        return made

    def find(self, cookie: str) -> PageSession | None:
        """The session with this cookie. Every one is compared, in the same time."""
        self._end_expired()
        wanted = _digest(cookie)
        found = None
        for one in self._sessions:
            if hmac.compare_digest(one.cookie, wanted):
                found = one
        if found is not None:
            found.used = self._now()
        return found

    def is_open(self, session: PageSession) -> bool:
        """Whether this browser is still signed in. It does not count as a use."""
        self._end_expired()
        return any(one is session for one in self._sessions)

    def end(self, session: PageSession) -> None:
        """Sign this browser out."""
        self._sessions = [one for one in self._sessions if one is not session]

    def _end_expired(self) -> None:
        now = self._now()
        self._sessions = [
            one for one in self._sessions if now - one.used < IDLE_S and now - one.began < LONGEST_S
        ]


def has_csrf(session: PageSession, csrf: str) -> bool:
    """Whether this is the second secret of the session."""
    return hmac.compare_digest(session.csrf, _digest(csrf))


def _digest(secret: str) -> bytes:
    """Of whatever was sent: a header may have bytes that are no text."""
    sent = secret[:_VALUE_MAX].encode("utf-8", "surrogateescape")
    return hashlib.sha256(sent).digest()
