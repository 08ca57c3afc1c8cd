"""The collections that no one configures by name: one for each agent that has a folder.

Each is added to the configuration that was read, under a name with two parts: `sessions/main`. Only
`agent_folders` uses the disk, to list folders. It never writes, and never reads a file.
"""

# Paths are strings here, as in paths.py.
# ruff: noqa: PTH112, PTH118, PTH208

import os
from typing import NamedTuple

import msgspec

from ragd.config.schema import CollectionSettings, Config
from ragd.paths import Home
from ragd.protocol.asker import comparable
from ragd.protocol.limits import AGENT_MAX_CHARS
from ragd.vault.collection_paths import MEMORY, SESSIONS, agent_collection, group_of

_NOT_IN_NAMES = frozenset('/\\:*?"<>|@')  # of folders, on any system
MOST_AGENTS = 100  # of each group; the first ones by name


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
        groups.append(AgentGroup(SESSIONS, config.sessions.path, "sessions", settings))
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
    """The folder of each agent, by the agent's name in the form that is compared.

    A parent that is missing or cannot be listed has no agents. Of two folders whose names differ
    only in case, the one in lower case counts, else the first.
    """
    try:
        listed = sorted(os.listdir(parent), key=lambda name: (name != comparable(name), name))
    except OSError:
        return {}
    found: dict[str, str] = {}
    for name in listed:
        agent, root = comparable(name), os.path.join(parent, name, inside).rstrip(os.sep)
        if is_agent_name(agent) and agent not in found and os.path.isdir(root):
            found[agent] = root
    return dict(sorted(found.items())[:MOST_AGENTS])


def is_agent_name(name: str) -> bool:
    """Whether an agent of this name can have a folder, which is a part of paths and of a
    collection's name."""
    is_plain = name.isprintable() and not name.startswith(".") and not set(name) & _NOT_IN_NAMES
    return 0 < len(name) <= AGENT_MAX_CHARS and is_plain
