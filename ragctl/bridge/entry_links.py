"""Links that sign a browser in to the page, each valid once and for a minute.

`ragctl open` makes one as a file that only this user can create; the bridge removes the file when
the code is used. So a code needs no secret that two processes share, and no other user can make
one. The file's name is a hash: the code itself is only in the link.
"""

import contextlib
import hashlib
import html
import os
import re
import secrets
import time

from ragctl.bridge.bridge_lock import make_bridge_folder
from ragd.paths import Home

VALID_S = 60.0
_FILES = re.compile(r"(?:link-[0-9a-f]{64}|open-[0-9a-f]{64}\.html)")
_CODE = re.compile(r"[A-Za-z0-9_-]{43}")


def make_code(home: Home) -> str:
    """A new code. Codes that expired are removed."""
    make_bridge_folder(home)
    remove_expired(home)
    code = secrets.token_urlsafe(32)
    _write_private(_link_path(home, code), b"")
    return code


def use_code(home: Home, code: str) -> bool:
    """Whether the code is valid. It is used up by this: of two uses at once, one gets it."""
    if not _CODE.fullmatch(code):
        return False
    path = _link_path(home, code)
    try:
        written = os.lstat(path).st_mtime
        os.unlink(path)  # only one caller can remove it
    except OSError:
        return False
    with contextlib.suppress(OSError):
        os.unlink(_page_path(home, code))
    return 0 <= time.time() - written < VALID_S


def write_opening_page(home: Home, code: str, link: str) -> str:
    """A private file that leads a browser to the link, and its path. Other users can see the
    arguments of a browser that is started, so the link itself must not be one of them."""
    target = html.escape(link, quote=True)
    page = (
        "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>"
        f'<meta http-equiv=refresh content="0; url={target}"><title>ragd</title>'
        f'<a rel=noreferrer href="{target}">Open the page</a>'
    )
    path = _page_path(home, code)
    _write_private(path, page.encode())
    return path


def make_link(address: str, code: str, view: str = "") -> str:
    """The link, which leads to a view such as `/search?q=boat`. What follows # is not sent to any
    server and is not in any log."""
    return f"{address}/enter#{code}{view}"


def remove_expired(home: Home, *, everything: bool = False) -> None:
    """Remove the files of codes that expired, or of all codes."""
    with contextlib.suppress(OSError):
        for name in os.listdir(home.bridge):
            path = os.path.join(home.bridge, name)
            if not _FILES.fullmatch(name):
                continue
            with contextlib.suppress(OSError):
                if everything or not 0 <= time.time() - os.lstat(path).st_mtime < VALID_S:
                    os.unlink(path)


def _link_path(home: Home, code: str) -> str:
    return os.path.join(home.bridge, f"link-{_digest(code)}")


def _page_path(home: Home, code: str) -> str:
    return os.path.join(home.bridge, f"open-{_digest(code)}.html")


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _write_private(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags, 0o600)
    try:
        os.write(handle, content)
    finally:
        os.close(handle)
