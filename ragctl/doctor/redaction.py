"""What may be shown to a stranger: paths and names become hashes, the rest stays as it is.

The key is made for one report and kept nowhere, so nobody can try names against it; within a report
the same name has the same hash. What is not known to be harmless is hashed, never the other way.
"""

import hmac
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

# Fields whose texts come from our own code: closed lists, ids, versions, times.
HARMLESS = frozenset(
    (
        *("type", "mode", "phase", "outcome", "origin", "state", "status", "how", "kind", "step"),
        *("code", "reason", "reasons", "detail", "dependency", "previous_stop", "before", "after"),
        "passed_over",
        *("provider", "model", "generation", "version", "id", "job_id", "batch_id", "run", "actor"),
        *("name", "exception", "location", "segment", "kept_as", "tool", "ts", "timestamp"),
        *(
            "since",
            "until",
            "began",
            "at",
            "started_at",
            "stopped_at",
            "requested_at",
            "finished_at",
        ),
        *("newest_mtime", "vault_mtime", "last_sync", "last_sync_mtime", "index_version"),
        *("plugin_health", "ollama_status", "event", "level", "library", "verdict", "message"),
        *("suggestion", "fix", "damage", "full_since", "applied", "needs_restart"),
        *("passed_over", "digest", "language"),
    )
)
PATHS = frozenset(("path", "file", "upserts", "deletes", "removed", "filename"))
_TAIL = r"(?![\w.-])(?:/[^\s'\"`,;:()]*)?"
_ABSOLUTE = r"(?<![\w/.~-])~?(?:/[^\s/'\"`,;:()\[\]]+)+|\b[A-Za-z]:\\\S+"
_KEPT_ENDING = ".md"


class Redactor:
    """Hides what is a person's own. `places`: folders by the name they are shown under; of those
    in `open_places` what lies inside is ours and stays readable."""

    def __init__(
        self,
        places: Mapping[str, str],
        names: Iterable[str] = (),
        open_places: Iterable[str] = (),
    ) -> None:
        self._key = secrets.token_bytes(32)
        self._places = sorted(places.items(), key=lambda one: -len(one[1]))
        self._open = frozenset(open_places)
        known = [re.escape(place.rstrip(os.sep)) + _TAIL for _, place in self._places]
        self._paths = "|".join([*known, _ABSOLUTE])
        words = "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True))
        self._names = rf"(?<![^\W_])(?:{words})(?![^\W_])" if words else r"(?!)"

    def opaque(self, text: str) -> str:
        """A hash in the place of a text."""
        raw = text.encode(errors="surrogatepass")
        return f"#{hmac.new(self._key, raw, 'sha256').hexdigest()[:12]}"

    def path(self, path: str) -> str:
        """A path with every name in it hashed, so that one sees what lies in the same folder."""
        for label, place in self._places:
            if path == place or path.startswith(place.rstrip(os.sep) + os.sep):
                rest = path[len(place) :]
                return f"[{label}]{rest if label in self._open else self._hashed(rest)}"
        return self._hashed(path)

    def _hashed(self, path: str) -> str:
        return "/".join(self._hashed_name(name) for name in path.split("/"))

    def _hashed_name(self, name: str) -> str:
        if name in ("", ".", "..", "~"):
            return name
        ending = _KEPT_ENDING if name.endswith(_KEPT_ENDING) else ""
        return self.opaque(name.removesuffix(ending)) + ending

    def text(self, text: str, private: Iterable[str] = ()) -> str:
        """A sentence of ours without the paths and names in it, and without what is `private`.

        All in one pass, so that nothing that was hidden is hidden again under another hash.
        """
        longest_first = sorted(private, key=len, reverse=True)
        hidden = "|".join(re.escape(words) for words in longest_first if len(words) > 1)
        pattern = f"(?P<private>{hidden or '(?!)'})|(?P<name>{self._names})|{self._paths}"
        return re.sub(pattern, self._hide, text, flags=re.IGNORECASE)

    def _hide(self, found: re.Match[str]) -> str:
        if found["private"] is not None:
            words = found["private"]
            labels = [label for label, place in self._places if place == words]
            return f"[{labels[0]}]" if labels else self._hashed(words)
        return "[name]" if found["name"] is not None else self.path(found[0])

    def value(self, value: Any, field: str = "") -> Any:
        """Any JSON value: numbers stay; texts by the field that they stand in."""
        if isinstance(value, dict):
            return {key: self.value(inner, key) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner, field) for inner in value]
        if not isinstance(value, str) or not value:
            return value
        if field in PATHS:
            return self.path(value)
        return self.text(value) if field in HARMLESS else self.opaque(value)
