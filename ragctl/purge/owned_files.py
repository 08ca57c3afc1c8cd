"""Which files in ragd's folders are ragd's, by name. All others are never removed. Pure."""

import re
from typing import NamedTuple


class OwnedFolderRules(NamedTuple):
    """ragd's files in a folder, by name, and its subfolders with their rules."""

    files: re.Pattern[str]
    folders: tuple[tuple[re.Pattern[str], str], ...] = ()


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_NOTHING = _pattern(r"(?!)")
_SEGMENT = r"\d{16}\.ndjson"

# Removed last, in this order: the configuration says where the rest is, and the lock keeps a daemon
# from starting until everything else is gone.
REMOVED_LAST = ("config.json", "ragd.lock")

RULES = {
    "home": OwnedFolderRules(
        _pattern(
            r"config\.json|config\.json\.bak|config\.lock|ragd\.lock|ragd\.sock|sync-result\.json|memories\.key"
            r"|tokens\.json"
            r"|(?:embeddings|memories)\.sqlite(?:-wal|-shm|-journal)?|embeddings\.sqlite\.aside"
            r"|\.(?:config\.json|config\.json\.bak|sync-result\.json|memories\.key|tokens\.json)\.tmp"
            r"|\.?(?:writer-id|mirror\.key)(?:\.tmp)?"
        ),
        (
            (_pattern("events"), "events"),
            (_pattern("snapshots"), "snapshots"),
            (_pattern("logs"), "logs"),
            (_pattern(r"vectors\.lance"), "vectors"),
            (_pattern("memory|memory-versions"), "agents"),
            (_pattern("bridge"), "bridge"),
            (_pattern(r"\.restoring-.+"), "home"),  # of `ragctl mirror restore`
        ),
    ),
    # The lock of `ragctl serve`, and links that are valid once.
    "bridge": OwnedFolderRules(_pattern(r"lock|link-[0-9a-f]{64}|open-[0-9a-f]{64}\.html")),
    # The notes that agents wrote, and their earlier contents.
    "agents": OwnedFolderRules(_NOTHING, ((_pattern(r"[^.].*"), "agent_notes"),)),
    "agent_notes": OwnedFolderRules(
        _pattern(r"[^.].*\.md|\..+\.md\.tmp"), ((_pattern(r"[^.].*"), "agent_notes"),)
    ),
    "events": OwnedFolderRules(_pattern(rf"{_SEGMENT}(?:\.tmp)?"), ((_pattern("aside"), "aside"),)),
    "aside": OwnedFolderRules(_pattern(rf"{_SEGMENT}\..+")),
    "snapshots": OwnedFolderRules(_pattern(r"\d{16}\.json(?:\.tmp)?|\.\d{16}\.json\.tmp")),
    "logs": OwnedFolderRules(_pattern(r"ragd\.log(?:\.\d+)?|crash\.txt")),
    "vectors": OwnedFolderRules(_NOTHING, ((_pattern(r"[0-9A-Z]{26}|\.tmp-.+"), "generation"),)),
    "generation": OwnedFolderRules(_NOTHING, ((_pattern(r"obsidian_chunks\.lance"), "table"),)),
    "table": OwnedFolderRules(_NOTHING, ((_pattern(r"data|_[a-z]+"), "lance"),)),
    # lance's files: tables, versions, transactions, deletions, and temporary files.
    "lance": OwnedFolderRules(
        _pattern(
            r".+\.(?:lance|manifest|txn|arrow|bin|idx)(?:#\d+)?|latest_version_hint\.json|\.tmp.*"
        ),
        ((_pattern(r"[0-9a-f-]{36}"), "lance"),),
    ),
    "sockets": OwnedFolderRules(_pattern(r"[0-9a-f]{16}\.sock")),
}


def find_folder_rules(rule: OwnedFolderRules, name: str) -> str | None:
    """The rules for a subfolder of this name; None if it is not ragd's."""
    return next((rules for pattern, rules in rule.folders if pattern.fullmatch(name)), None)
