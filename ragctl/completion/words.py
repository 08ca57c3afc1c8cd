"""Words for places where a parser takes any: settings and their values, facts, lengths of time."""

from typing import Any

from ragctl.commands.pause import RESUME
from ragd.config.json_schema import json_schema
from ragd.config.keys import dotted_keys
from ragd.events import TAGS, Unknown, tag_of_type


def settings() -> dict[str, tuple[str, ...]]:
    """Every key of the configuration, with the words that it takes; none where it takes any."""
    schema = json_schema()
    return {key.name: _taken(schema, key.name.split(".")) for key in dotted_keys()}


def offered() -> dict[tuple[str, str], tuple[str, ...]]:
    """What to offer for a command's argument or option."""
    facts = tuple(tag for tag in TAGS if tag != tag_of_type(Unknown))
    return {("events", "type"): facts, ("pause", "length"): ("30m", "1h", "2h", "1d", RESUME)}


def _taken(schema: dict[str, Any], steps: list[str]) -> tuple[str, ...]:
    for step in steps:
        schema = schema["properties"][step]
    return ("true", "false") if schema.get("type") == "boolean" else tuple(schema.get("enum", ()))
