"""The files of the page, read from the package. It never opens a path that a request names.

The folder is listed once; a request selects one of the names found there. So no spelling of a path
leads anywhere else.
"""

import os

from aiohttp import web

from ragctl.bridge.answers import BridgeRefusal

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "page")
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain",
}
FIRST = "/index.html"


class StaticFiles:
    """The files by their paths, such as `/index.html` and `/views/search.js`."""

    def __init__(self, folder: str = FOLDER) -> None:
        self._files = _list_files(folder)

    def answer(self, path: str) -> web.Response:
        """The file with this path. A path without a type is a view of the page, which is a URL of
        its own: it gets the page itself. Raises BridgeRefusal if there is no such file."""
        wanted = path if "." in path.rpartition("/")[2] else FIRST
        found = self._files.get(wanted)
        if found is None:
            raise BridgeRefusal(404, "INVALID_REQUEST", "There is no such file.", "Open `/`.")
        with open(found, "rb") as file:
            content = file.read()
        kind = TYPES[os.path.splitext(found)[1]]
        charset = "utf-8" if kind.startswith(("text/", "application/json")) else None
        return web.Response(body=content, content_type=kind, charset=charset)


def _list_files(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            if os.path.splitext(name)[1] in TYPES and not os.path.islink(path):
                found["/" + os.path.relpath(path, folder).replace(os.sep, "/")] = path
    return found
