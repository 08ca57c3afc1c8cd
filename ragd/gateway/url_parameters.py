"""What stands behind the `?` of a request: taken apart, or refused with the parameter's name."""

from aiohttp import web

from ragd.close_match import closest
from ragd.errors import RagdError
from ragd.events import TAGS
from ragd.protocol import tool_schemas


def only(request: web.Request, names: tuple[str, ...]) -> None:
    for name in request.query:
        if name not in names:
            valid = ", ".join(f"`{known}`" for known in names) or "none"
            raise RagdError(
                "INVALID_REQUEST", f"The parameter `{name[:60]}` is unknown; valid: {valid}."
            )


def number(request: web.Request, name: str, default: int) -> int:
    text = request.query.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise RagdError("INVALID_REQUEST", f"The parameter `{name}` should be a number.")
    return int(text)


def note_asked_for(request: web.Request) -> tool_schemas.NoteRequest:
    path = request.query.get("path")
    if path is None:
        raise RagdError("INVALID_REQUEST", "The parameter `path` is required.")
    start = number(request, "from", 1)
    to = number(request, "to", start) if "to" in request.query else None
    if start < 1 or (to is not None and to < start):
        raise RagdError(
            "INVALID_REQUEST", "Lines are numbered from 1, and `from` is not behind `to`."
        )
    raw = number(request, "raw", 0) != 0
    return tool_schemas.NoteRequest(path, start, to, raw, request.query.get("confirm"))


def types(request: web.Request) -> list[str]:
    wanted = request.query.getall("type", [])
    for tag in wanted:
        if tag not in TAGS:
            near = closest(tag, TAGS)
            hint = f"; did you mean `{near}`?" if near else "."
            raise RagdError("INVALID_REQUEST", f"The parameter `type` names no fact{hint}")
    return wanted


def too_old(oldest: int) -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        f"The parameter `after` lies before the oldest record that is kept, {oldest}.",
        f"Use after={oldest - 1} or later.",
    )
