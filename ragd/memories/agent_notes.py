"""Agents' own notes: Markdown in a folder of ragd's home, one subfolder for each agent.

A note is searchable like any other (the collection `@memory/AGENT`): it goes through the same
pipeline, and this module only writes the file and announces it. Its text is never recorded.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import structlog

from ragd.config.implicit_collections import is_agent_name
from ragd.errors import ConfigError, RagdError
from ragd.memories.agent_note_files import AgentNoteFiles, note_path
from ragd.paths import Home
from ragd.protocol.asker import OWNERS_AGENT, Asker
from ragd.runtime.durable_files import is_disk_full
from ragd.vault.collection_paths import MEMORY, agent_collection, join_path

ERASED_WITHIN_S = 5.0  # how long `forget` waits until the index has dropped the note

Announce = Callable[[list[str]], Awaitable[None]]
"""Records that these paths have changed, without waiting for further changes."""

log = structlog.get_logger("agent_notes")


class AgentNotes:
    """Writes and erases notes, one at a time.

    `add_folder` puts a new agent's folder into the configuration in force. `until_dropped` waits
    until the index has no such note.
    """

    def __init__(
        self,
        home: Home,
        announce: Announce,
        add_folder: Callable[[], Awaitable[object]],
        until_dropped: Callable[[str], Awaitable[None]],
    ) -> None:
        self._files = AgentNoteFiles(Path(home.agent_notes), Path(home.agent_note_versions))
        self._announce = announce
        self._add_folder = add_folder
        self._until_dropped = until_dropped
        self._lock = asyncio.Lock()

    async def remove_leftovers(self) -> None:
        """Remove what an interrupted write left."""
        async with self._lock:
            await asyncio.to_thread(self._files.remove_leftovers)

    async def write(self, asker: Asker, typed: str, text: str, *, append: bool) -> dict[str, Any]:
        """Write a note of this asker. When this returns, it is on the disk."""
        agent, inner = self.place_of(asker, typed)
        if not text.strip():
            raise RagdError("INVALID_REQUEST", "The field `text` has no visible text.")
        async with self._lock:
            is_new_agent = not await asyncio.to_thread(self._files.has_folder, agent)
            try:
                written = await asyncio.to_thread(
                    self._files.write, agent, inner, text, append=append
                )
            except OSError as why:
                raise _disk_error(why) from None
        path = join_path(agent_collection(MEMORY, agent), inner)
        if is_new_agent:
            await self._add_new_folder()
        await self._announce([path])
        return {
            "written": True,
            "path": path,
            "bytes": written.size,
            "versions": written.versions,
            "created": written.is_new,
        }

    async def forget(self, asker: Asker, typed: str) -> dict[str, Any]:
        """Erase a note of this asker, with its earlier contents. `forgotten` is false if there was
        none; `searchable`: the index still has it, for a moment."""
        agent, inner = self.place_of(asker, typed)
        async with self._lock:
            try:
                gone = await asyncio.to_thread(self._files.erase, agent, inner)
            except OSError as why:
                raise _disk_error(why) from None
        path = join_path(agent_collection(MEMORY, agent), inner)
        await self._announce([path])
        try:
            async with asyncio.timeout(ERASED_WITHIN_S):
                await self._until_dropped(path)
            searchable = False
        except TimeoutError:
            searchable = True
        return {"forgotten": gone, "path": path, "searchable": searchable}

    def place_of(self, asker: Asker, typed: str) -> tuple[str, str]:
        """The agent and the path in its folder. Raises RagdError for a path of another agent."""
        agent = OWNERS_AGENT if asker.is_owner else asker.agent
        prefix = f"@{MEMORY}/"
        if typed.startswith(prefix):
            named, _, rest = typed.removeprefix(prefix).partition("/")
            if named != agent and not asker.is_owner:
                raise RagdError(
                    "INVALID_REQUEST",
                    "There is no such note in your memory.",
                    "Give a path in your own memory, such as `MEMORY.md`.",
                )
            agent, typed = named, rest
        if not is_agent_name(agent):
            raise RagdError(
                "INVALID_REQUEST",
                "Only an agent with a plain name has a memory.",
                "Start the client with an agent's name: `ragctl mcp --agent NAME`.",
            )
        return agent, note_path(typed)

    async def _add_new_folder(self) -> None:
        try:
            await self._add_folder()
        except ConfigError as why:  # the next scan of the configuration finds the folder
            log.warning("a new agent's folder is not read yet", reason=why.message)


def _disk_error(why: OSError) -> RagdError:
    if is_disk_full(why):
        return RagdError("DISK_FULL")
    return RagdError(
        "INTERNAL", "The folder of agents' notes cannot be used.", "Run `ragctl doctor`."
    )
