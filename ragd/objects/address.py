"""The address of an index in an object store, such as `s3://bucket/prefix`. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

SCHEMES = ("s3", "gs", "az")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ADDRESS = re.compile(
    r"(?P<scheme>[a-z0-9]+)://(?P<bucket>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}))"
    r"(?:/(?P<prefix>[A-Za-z0-9!_.*'()/=-]{0,500}))?",
    re.ASCII,
)
# What the providers allow as a name; s3 is left to the store, of which there are many kinds.
_NAMES = {
    "az": re.compile(r"(?=.{3,63}\Z)[a-z0-9]+(?:-[a-z0-9]+)*"),
    "gs": re.compile(r"(?=.{3,63}\Z)[a-z0-9][a-z0-9._-]*[a-z0-9]"),
}
_RULES = {
    "az": "the name of a container has 3 to 63 lowercase letters, digits and single hyphens",
    "gs": "the name of a bucket has 3 to 63 lowercase letters, digits, hyphens, dots and `_`",
}


class ObjectAddress(NamedTuple):
    """Where the objects of an index are. The prefix has no slash at its ends."""

    scheme: str
    bucket: str
    prefix: str

    @property
    def url(self) -> str:
        tail = f"/{self.prefix}" if self.prefix else ""
        return f"{self.scheme}://{self.bucket}{tail}"


def is_object_address(path: str) -> bool:
    """Whether this names an object store, and not a folder."""
    return _SCHEME.match(path) is not None


def parse_address(path: str) -> ObjectAddress:
    """The parts of a valid address. Raises ValueError."""
    found = _ADDRESS.fullmatch(path)
    if found is None or found["scheme"] not in SCHEMES:
        raise ValueError("not the address of an object store")
    prefix = "/".join(part for part in (found["prefix"] or "").split("/") if part)
    return ObjectAddress(found["scheme"], found["bucket"], prefix)


def address_problems(path: str, key: str) -> Iterator[str]:
    """A sentence for what is wrong. It never repeats the address: it may contain a password."""
    schemes = ", ".join(f"{one}://" for one in SCHEMES)
    if "@" in path:
        yield f"`{key}` must not contain a user name or a password."
        return
    if "?" in path or "#" in path:
        yield f"`{key}` must not contain a query or a fragment (`?` or `#`)."
        return
    try:
        address = parse_address(path)
    except ValueError:
        yield f"`{key}` should be a folder, or an address such as s3://bucket/prefix ({schemes})."
        return
    allowed = _NAMES.get(address.scheme)
    if allowed is not None and not allowed.fullmatch(address.bucket):
        yield f"`{key}` names nothing that can exist: {_RULES[address.scheme]}."
    if {".", ".."} & set(address.prefix.split("/")):
        yield f"`{key}` must not contain `.` or `..`."
