"""What is ragd's in its folders, by name; whatever has another name is somebody else's. Pure."""

import re
from typing import NamedTuple


class Folder(NamedTuple):
    """What a folder may hold of ours: files by their names, and folders with rules of their own."""

    files: re.Pattern[str]
    folders: tuple[tuple[re.Pattern[str], str], ...] = ()


def _name(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_NOTHING = _name(r"(?!)")
_SEGMENT = r"\d{16}\.ndjson"

# In the order in which they go: the configuration says where the rest is, so it is nearly the last,
# and with the lock nobody can start while something is still there.
LAST = ("config.json", "ragd.lock")

RULES = {
    "home": Folder(
        _name(
            r"config\.json|config\.json\.bak|ragd\.lock|ragd\.sock|sync-result\.json|memories\.key"
            r"|(?:embeddings|memories)\.sqlite(?:-wal|-shm|-journal)?|embeddings\.sqlite\.aside"
            r"|\.(?:config\.json|config\.json\.bak|sync-result\.json|memories\.key)\.tmp"
        ),
        (
            (_name("events"), "events"),
            (_name("snapshots"), "snapshots"),
            (_name("logs"), "logs"),
            (_name(r"vectors\.lance"), "vectors"),
        ),
    ),
    "events": Folder(_name(rf"{_SEGMENT}(?:\.tmp)?"), ((_name("aside"), "aside"),)),
    "aside": Folder(_name(rf"{_SEGMENT}\..+")),
    "snapshots": Folder(_name(r"\d{16}\.json(?:\.tmp)?|\.\d{16}\.json\.tmp")),
    "logs": Folder(_name(r"ragd\.log(?:\.\d+)?|crash\.txt")),
    "vectors": Folder(_NOTHING, ((_name(r"[0-9A-Z]{26}|\.tmp-.+"), "generation"),)),
    "generation": Folder(_NOTHING, ((_name(r"obsidian_chunks\.lance"), "table"),)),
    "table": Folder(_NOTHING, ((_name(r"data|_[a-z]+"), "lance"),)),
    # What lance calls its files: tables, versions, transactions, deletions, and their left-overs.
    "lance": Folder(
        _name(
            r".+\.(?:lance|manifest|txn|arrow|bin|idx)(?:#\d+)?|latest_version_hint\.json|\.tmp.*"
        ),
        ((_name(r"[0-9a-f-]{36}"), "lance"),),
    ),
    "sockets": Folder(_name(r"[0-9a-f]{16}\.sock")),
}


def folder_in(rule: Folder, name: str) -> str | None:
    """The rules for a folder of this name, if it is one of ours."""
    return next((rules for pattern, rules in rule.folders if pattern.fullmatch(name)), None)
