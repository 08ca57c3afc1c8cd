"""The address of the page: a name of its own for every run of the bridge.

While no bridge runs, any user of the machine can take its port and leave a script (a service
worker) or a cached file in a browser that comes there. A browser keeps those for an address. So
each run has an address that no browser has seen: `http://NAME.localhost:PORT`. Browsers send all
of `*.localhost` to this machine, without asking a name server.
"""

import re
import secrets
from urllib.parse import quote, urlsplit

from ragctl.bridge.addresses import LOCALHOST, LOOPBACK

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_LENGTH = 20  # 100 bits: nobody can be there before us
_PAGE_HOST = re.compile(rf"r[a-z2-7]{{{_LENGTH}}}\.{LOCALHOST}")
_KEPT = "/?:@!$&'()*+,;=-._~%"
_VIEW_MAX = 4000


def new_page_host() -> str:
    """The host of the page for this run."""
    return f"r{''.join(secrets.choice(_LETTERS) for _ in range(_LENGTH))}.{LOCALHOST}"


def view_of(typed: str) -> str | None:
    """The view that a path such as `/search?q=boat`, or an address of any run, leads to. None if
    it is neither."""
    if not typed.startswith("/"):
        try:
            parts = urlsplit(typed)
            name, _ = parts.hostname or "", parts.port
        except ValueError:
            return None
        is_ours = name == LOCALHOST or name in LOOPBACK or _PAGE_HOST.fullmatch(name)
        if parts.scheme != "http" or not is_ours or parts.username is not None:
            return None
        typed = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    view = quote(typed.partition("#")[0], safe=_KEPT)
    if view.startswith("//") or len(view) > _VIEW_MAX:
        return None
    return "/" if view.partition("?")[0] == "/enter" else view
