"""What is wrong with a request, in plain words that name the field. Pure."""

import re
from typing import Any

from ragd.protocol.limits import DAY_OR_TIME_FORMS

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$\.?(.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*?)`")
_OTHER = re.compile(r"^(.*?)(?: - at `\$\.?(.*?)`)?$", re.DOTALL)


def explain_invalid(message: str, wanted: Any, nested: Any) -> str:
    """msgspec's error as a sentence that names the field. `wanted`: the type of the request;
    `nested`: of the only object in one."""
    if unknown := _UNKNOWN.match(message):
        name, where = unknown[1][:60], f" in `{unknown[2]}`" if unknown[2] else ""
        valid = nested if where else wanted
        known = ", ".join(f"`{field}`" for field in valid.__struct_encode_fields__)
        return f"The field `{name}`{where} is unknown; valid: {known or 'none'}."
    if missing := _MISSING.search(message):
        return f"The field `{missing[1]}` is required."
    text, where = _OTHER.match(message).groups()  # type: ignore[union-attr]  # matches anything
    if where == "query" and "length >= 1" in text:
        return "The field `query` is empty; write what to search for."
    if where in ("date_range.from", "date_range.to"):
        return f"The field `{where}` is not valid: write {DAY_OR_TIME_FORMS}."
    problem = _in_plain_words(text)
    return (
        f"The field `{where}` is not valid: {problem}."
        if where
        else f"The request is not valid: {problem}."
    )


_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
_WRONG_KIND = re.compile(r"Expected `([\w |]+)`, got `(\w+)`")
_WRONG_SIZE = re.compile(r"Expected `(\w+)` (of length )?(<=|>=) (\d+)")
_WRONG_CHOICE = re.compile(r"Invalid enum value '?(.*?)'?")


def _in_plain_words(error: str) -> str:
    """msgspec's error about a value, without the names of types."""
    if kind := _WRONG_KIND.fullmatch(error):
        wanted = " or ".join(_KINDS.get(one, one) for one in kind[1].split(" | "))
        return f"it must be {wanted}, not {_KINDS.get(kind[2], kind[2])}"
    if size := _WRONG_SIZE.fullmatch(error):
        of = {"str": " characters", "array": " entries"}.get(size[1], "") if size[2] else ""
        bound = "at most" if size[3] == "<=" else "at least"
        return f"it must {'have' if size[2] else 'be'} {bound} {int(size[4]):,}{of}"
    if choice := _WRONG_CHOICE.fullmatch(error):
        return f"`{choice[1][:60]}` is not one of the allowed values"
    return error
