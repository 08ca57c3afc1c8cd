"""Names this daemon's home in the commands that it suggests, so that a pasted line reaches it.

Who reads an answer may type in any shell, so only the platform's own place goes without saying.
Pure but for the name of that place.
"""

from typing import Any

from msgspec import structs

from ragd.paths import Home, addressed, usual_home
from ragd.protocol.envelope import Envelope

_TEXTS = ("message", "suggestion")


class Addressing:
    """Texts of one daemon."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._plain = usual_home()

    def text(self, said: str) -> str:
        return addressed(said, self._home, self._plain)

    def texts(self, said: dict[str, Any]) -> dict[str, Any]:
        """The same object, with its message and its suggestion addressed."""
        return {**said, **{key: self.text(said[key]) for key in _TEXTS if said.get(key)}}

    def envelope(self, envelope: Envelope) -> Envelope:
        """An answer: its error, and the reasons of a status."""
        if self._home.root == self._plain:
            return envelope
        error, data = envelope.error, envelope.data
        if error is not None:
            said = self.texts({"message": error.message, "suggestion": error.suggestion})
            error = structs.replace(error, **said)
        if isinstance(data, dict) and "reasons" in data:
            data = {**data, "reasons": [self.texts(reason) for reason in data["reasons"]]}
            index = data.get("index")
            if isinstance(index, dict) and (why := index.get("passed_over")):
                data["index"] = {**index, "passed_over": self.texts(why)}
        return structs.replace(envelope, error=error, data=data)
