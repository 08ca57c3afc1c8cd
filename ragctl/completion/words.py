"""Words to suggest where a parser accepts any text: settings, their values, facts, durations."""

from typing import Any

from ragctl.commands.pause import RESUME
from ragd.config.json_schema import json_schema
from ragd.config.keys import dotted_keys
from ragd.events import TAGS, Unknown, tag_of_type


def setting_words() -> dict[str, tuple[str, ...]]:
    """Every key of the configuration, with its valid words; empty where any value is valid."""
    schema = json_schema()
    return {key.name: _valid_words(schema, key.name.split(".")) for key in dotted_keys()}


def suggested_words() -> dict[tuple[str, str], tuple[str, ...]]:
    """The words to suggest for a command's argument or option."""
    facts = tuple(tag for tag in TAGS if tag != tag_of_type(Unknown))
    return {("events", "type"): facts, ("pause", "duration"): ("30m", "1h", "2h", "1d", RESUME)}


def _valid_words(schema: dict[str, Any], steps: list[str]) -> tuple[str, ...]:
    for step in steps:
        schema = schema["properties"][step]
    return ("true", "false") if schema.get("type") == "boolean" else tuple(schema.get("enum", ()))
