"""Makes a bug report safe to share: paths and names become hashes, the rest stays readable.

The key is made for one report and not stored, so names cannot be guessed from hashes. Within one
report the same name has the same hash. Every text that is not known to be safe is hashed.
"""

import hmac
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

# Fields whose texts come from ragd's own code: fixed words, ids, versions, times.
SAFE_FIELDS = frozenset(
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
PATH_FIELDS = frozenset(("path", "file", "upserts", "deletes", "removed", "filename"))
_TAIL = r"(?![\w.-])(?:/[^\s'\"`,;:()]*)?"
_ABSOLUTE = r"(?<![\w/.~-])~?(?:/[^\s/'\"`,;:()\[\]]+)+|\b[A-Za-z]:\\\S+"
_KEPT_ENDING = ".md"


class Redactor:
    """Hashes personal paths and names. `places`: known folders by their label. Paths inside
    `open_places` are ragd's own and stay readable."""

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

    def hash_text(self, text: str) -> str:
        """A hash that replaces a text."""
        raw = text.encode(errors="surrogatepass")
        return f"#{hmac.new(self._key, raw, 'sha256').hexdigest()[:12]}"

    def redact_path(self, path: str) -> str:
        """The path with each name hashed on its own, so that folders can still be compared."""
        for label, place in self._places:
            if path == place or path.startswith(place.rstrip(os.sep) + os.sep):
                rest = path[len(place) :]
                return f"[{label}]{rest if label in self._open else self._hash_path(rest)}"
        return self._hash_path(path)

    def _hash_path(self, path: str) -> str:
        return "/".join(self._hash_name(name) for name in path.split("/"))

    def _hash_name(self, name: str) -> str:
        if name in ("", ".", "..", "~"):
            return name
        ending = _KEPT_ENDING if name.endswith(_KEPT_ENDING) else ""
        return self.hash_text(name.removesuffix(ending)) + ending

    def redact_text(self, text: str, private: Iterable[str] = ()) -> str:
        """A message of ragd with its paths, names and `private` words hashed.

        All in one pass, so that no hash is hashed again.
        """
        longest_first = sorted(private, key=len, reverse=True)
        hidden = "|".join(re.escape(words) for words in longest_first if len(words) > 1)
        pattern = f"(?P<private>{hidden or '(?!)'})|(?P<name>{self._names})|{self._paths}"
        return re.sub(pattern, self._replace_match, text, flags=re.IGNORECASE)

    def _replace_match(self, found: re.Match[str]) -> str:
        if found["private"] is not None:
            words = found["private"]
            labels = [label for label, place in self._places if place == words]
            return f"[{labels[0]}]" if labels else self._hash_path(words)
        return "[name]" if found["name"] is not None else self.redact_path(found[0])

    def redact_value(self, value: Any, field: str = "") -> Any:
        """A JSON value: numbers stay; texts are redacted by their field."""
        if isinstance(value, dict) and field == "collections":  # people choose these names
            return {
                key: self.redact_value(inner, key if key != "name" else "")
                for key, inner in value.items()
            }
        if isinstance(value, dict):
            return {key: self.redact_value(inner, key) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_value(inner, field) for inner in value]
        if not isinstance(value, str) or not value:
            return value
        if field in PATH_FIELDS:
            return self.redact_path(value)
        return self.redact_text(value) if field in SAFE_FIELDS else self.hash_text(value)
