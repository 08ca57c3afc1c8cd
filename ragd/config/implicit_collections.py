"""The collections that no one configures by name: one for each agent that has a folder.

Each is added to the configuration that was read, under a name with two parts: `sessions/main`. Only
`agent_folders` uses the disk, to list folders. It never writes, and reads nothing but the version
of a database.
"""

# Paths are strings here, as in paths.py.
# ruff: noqa: PTH112, PTH113, PTH118, PTH123, PTH208

import os
from typing import NamedTuple

import msgspec

from ragd.config.schema import CollectionSettings, Config
from ragd.paths import Home
from ragd.protocol.asker import comparable
from ragd.protocol.limits import AGENT_MAX_CHARS
from ragd.vault.collection_paths import (
    MEMORY,
    SESSION_DATABASE,
    SESSIONS,
    agent_collection,
    group_of,
)

_NOT_IN_NAMES = frozenset('/\\:*?"<>|@')  # of folders, on any system
MOST_AGENTS = 100  # of each group; the first ones by name
SESSION_FILES = "sessions"  # the folder with files, in that of an agent
FIRST_WITH_SESSIONS = 4  # version of a database, as OpenClaw counts them
SQLITE_HEADER = 100  # bytes


class AgentGroup(NamedTuple):
    """A folder with one subfolder for each agent, and how the files in those are read."""

    name: str  # one of AGENT_GROUPS
    parent: str
    inside: str  # the folder in each agent's subfolder that is its collection; empty: itself
    settings: CollectionSettings  # of each collection, with an empty path


def agent_groups(config: Config, home: Home) -> list[AgentGroup]:
    """The groups that the configuration switches on."""
    notes = CollectionSettings(
        path="",
        patterns=("*.md",),
        deny_dirs=(),
        context="Notes that this agent wrote for itself.",
        private=True,
    )
    groups = [AgentGroup(MEMORY, home.agent_notes, "", notes)]
    if config.sessions.enabled:
        settings = CollectionSettings(
            path="",
            patterns=("*.jsonl",),
            deny_dirs=("*",),
            context="Past conversations with this agent.",
            private=True,
        )
        groups.append(AgentGroup(SESSIONS, config.sessions.path, SESSION_FILES, settings))
    return groups


def add_implicit_collections(config: Config, home: Home) -> Config:
    """The configuration with a collection for each agent's folder that exists now."""
    added: dict[str, CollectionSettings] = {}
    for group in agent_groups(config, home):
        for agent, root in agent_folders(group.parent, group.inside).items():
            settings = msgspec.structs.replace(group.settings, path=root)
            added[agent_collection(group.name, agent)] = settings
    if not added:
        return config
    return msgspec.structs.replace(config, collections={**config.collections, **added})


def without_implicit_collections(config: Config) -> Config:
    """The configuration as it is written."""
    written = {name: one for name, one in config.collections.items() if not group_of(name)}
    return msgspec.structs.replace(config, collections=written)


def agent_folders(parent: str, inside: str) -> dict[str, str]:
    """The folder of each agent, by the agent's name in the form that is compared. Instead of the
    folder with its sessions it may be the database with them.

    A parent that is missing or cannot be listed has no agents. Of two folders whose names differ
    only in case, the one in lower case counts, else the first.
    """
    try:
        listed = sorted(os.listdir(parent), key=lambda name: (name != comparable(name), name))
    except OSError:
        return {}
    found: dict[str, str] = {}
    for name in listed:
        agent, root = comparable(name), _root(os.path.join(parent, name), inside)
        if root is not None and is_agent_name(agent) and agent not in found:
            found[agent] = root
    return dict(sorted(found.items())[:MOST_AGENTS])


def _root(agent: str, inside: str) -> str | None:
    """An agent's collection, from its folder. OpenClaw leaves the folder for files with sessions in
    place when a database has them."""
    folder = os.path.join(agent, inside).rstrip(os.sep)
    has_folder = os.path.isdir(folder)
    if inside == SESSION_FILES:
        database = os.path.join(agent, "agent", SESSION_DATABASE)
        if os.path.isfile(database) and not (has_folder and _is_without_sessions(database)):
            return database
    return folder if has_folder else None


def _is_without_sessions(database: str) -> bool:
    """Whether it is of a version that left sessions in files."""
    # Closing the file may drop a lock that SQLite holds on it in another thread of ragd. That one
    # only reads, so the worst is that it has to look again.
    try:
        with open(database, "rb") as opened:
            head = opened.read(SQLITE_HEADER)
    except OSError:
        return False
    version = int.from_bytes(head[60:64], "big")  # 0: it has just been created
    return head.startswith(b"SQLite format 3") and 0 < version < FIRST_WITH_SESSIONS


def is_agent_name(name: str) -> bool:
    """Whether an agent of this name can have a folder, which is a part of paths and of a
    collection's name."""
    is_plain = name.isprintable() and not name.startswith(".") and not set(name) & _NOT_IN_NAMES
    return 0 < len(name) <= AGENT_MAX_CHARS and is_plain
