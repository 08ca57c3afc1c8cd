"""The query parameters of a request: parsed, or refused with the parameter's name.

It never reads the body.
"""

from aiohttp import web

from ragd.close_match import closest
from ragd.errors import RagdError
from ragd.events import TAGS
from ragd.gateway.coverage import DEPTH_BY_DEFAULT, CoverageRequest
from ragd.protocol import tool_schemas
from ragd.protocol.citations import parse_citation


def refuse_unknown_parameters(request: web.Request, names: tuple[str, ...]) -> None:
    """Raises RagdError for a parameter that is not one of these."""
    for name in request.query:
        if name not in names:
            valid = ", ".join(f"`{known}`" for known in names) or "none"
            raise RagdError(
                "INVALID_REQUEST", f"The parameter `{name[:60]}` is unknown; valid: {valid}."
            )


def parse_whole_number(request: web.Request, name: str, default: int) -> int:
    """The number in one parameter."""
    text = request.query.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise RagdError("INVALID_REQUEST", f"The parameter `{name}` should be a number.")
    return int(text)


def parse_note_request(request: web.Request) -> tool_schemas.NoteRequest:
    """The requested lines of a note."""
    path = request.query.get("path")
    if path is None:
        raise RagdError("INVALID_REQUEST", "The parameter `path` is required.")
    start = parse_whole_number(request, "from", 1)
    to = parse_whole_number(request, "to", start) if "to" in request.query else None
    place = request.query.get("place", "")
    if "from" not in request.query:  # the path may be a citation
        cited = parse_citation(path)
        path, place = cited.path, place or cited.place
        start, to = (start, to) if cited.first is None else (cited.first, cited.last)
    if start < 1 or (to is not None and to < start):
        raise RagdError(
            "INVALID_REQUEST", "Lines are numbered from 1, and `from` must not be after `to`."
        )
    raw = parse_whole_number(request, "raw", 0) != 0
    return tool_schemas.NoteRequest(path, start, to, raw, request.query.get("confirm"), place)


def parse_coverage_request(request: web.Request) -> CoverageRequest:
    """The folder to count, how deep, and which of its notes to list."""
    refuse_unknown_parameters(request, ("folder", "depth", "notes", "after"))
    return CoverageRequest(
        request.query.get("folder", ""),
        parse_whole_number(request, "depth", DEPTH_BY_DEFAULT),
        parse_whole_number(request, "notes", 0),
        request.query.get("after", ""),
    )


def parse_event_types(request: web.Request) -> list[str]:
    """The requested types of facts; empty means all."""
    wanted = request.query.getall("type", [])
    for tag in wanted:
        if tag not in TAGS:
            near = closest(tag, TAGS)
            hint = f"; did you mean `{near}`?" if near else "."
            raise RagdError("INVALID_REQUEST", f"The parameter `type` is not a type of fact{hint}")
    return wanted
