"""What a request must look like before anything is done for it: its host, its origin, its type.

It raises BridgeRefusal for everything else. It decides nothing about who asks.
"""

from aiohttp import web

from ragctl.bridge.addresses import is_own_origin
from ragctl.bridge.answers import BridgeRefusal

_READS = ("GET", "HEAD")
_FETCH_SITE = "Sec-Fetch-Site"


def require_own_host(request: web.Request, hosts: frozenset[str]) -> str:
    """The name under which we were addressed. Anything but exactly one of ours is refused."""
    named = request.headers.getall("Host", [])
    if len(named) != 1 or named[0] not in hosts or not request.raw_path.startswith("/"):
        raise BridgeRefusal(
            421,
            "SECURITY_VIOLATION",
            "The request is addressed to another host.",
            "Whenever `ragctl serve` starts, the page gets a new address: run `ragctl open`, with "
            "this one after it for the same view. `ragctl serve --status` shows where MCP is.",
        )
    return named[0]


def is_navigation(request: web.Request) -> bool:
    """Whether a person sees the answer itself: a browser opened the address."""
    return request.headers.get("Sec-Fetch-Mode") == "navigate"


def require_own_origin(request: web.Request, host: str) -> None:
    """The request must come from our own page. Browsers send no `Origin` with its reads."""
    origins = request.headers.getall("Origin", [])
    missing_is_fine = request.method in _READS and not origins
    if not missing_is_fine and not (len(origins) == 1 and is_own_origin(origins[0], host)):
        raise _of_another_page()
    if request.headers.get(_FETCH_SITE, "same-origin") != "same-origin":
        raise _of_another_page()


def require_own_origin_if_any(request: web.Request, host: str) -> None:
    """Programs send no `Origin`; a page of another site that calls us does."""
    if "Origin" in request.headers or _FETCH_SITE in request.headers:
        require_own_origin(request, host)


def require_json(request: web.Request) -> None:
    """A form of another page can send text, but not JSON."""
    if (
        request.content_type != "application/json"
        or len(request.headers.getall("Content-Type")) > 1
    ):
        raise BridgeRefusal(
            415,
            "INVALID_REQUEST",
            "The body is not JSON.",
            "Send `Content-Type: application/json`.",
        )


def _of_another_page() -> BridgeRefusal:
    return BridgeRefusal(
        403,
        "SECURITY_VIOLATION",
        "The request does not come from the page of this bridge.",
        "Open the page with `ragctl open`.",
    )
