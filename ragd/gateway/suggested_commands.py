"""Adds `--home` to the commands in messages, so that a pasted command reaches this daemon.

The reader may use any shell, so only the platform's default home is left out: an environment
variable may not be set there. It changes only messages and suggestions.
"""

from typing import Any

from msgspec import structs

from ragd.paths import Home, platform_home, with_home_option
from ragd.protocol.envelope import Envelope

_TEXTS = ("message", "suggestion")


class SuggestedCommands:
    """The commands in the messages of one daemon."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._default = platform_home()

    def add_home(self, text: str) -> str:
        """The text with `--home` in its commands."""
        return with_home_option(text, self._home, self._default)

    def add_home_to_fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The same object, with `--home` in its message and its suggestion."""
        return {**fields, **{key: self.add_home(fields[key]) for key in _TEXTS if fields.get(key)}}

    def add_home_to_envelope(self, envelope: Envelope) -> Envelope:
        """The same answer, with `--home` in its error, its hint and the reasons of a status."""
        if self._home.root == self._default:
            return envelope
        error, data = envelope.error, envelope.data
        if error is not None:
            fields = {"message": error.message, "suggestion": error.suggestion}
            error = structs.replace(error, **self.add_home_to_fields(fields))
        if isinstance(data, dict) and "hint" in data:
            data = {**data, "hint": self.add_home(data["hint"])}
        if isinstance(data, dict) and "reasons" in data:
            data = {
                **data,
                "reasons": [self.add_home_to_fields(reason) for reason in data["reasons"]],
            }
            index = data.get("index")
            if isinstance(index, dict) and (why := index.get("passed_over")):
                data["index"] = {**index, "passed_over": self.add_home_to_fields(why)}
        return structs.replace(envelope, error=error, data=data)
