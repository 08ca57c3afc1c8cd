"""Demanding clients: endless searches, and followers that never read."""

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from chaos import client
from chaos.harness import require
from chaos.managed_daemon import WITHIN_S, ManagedDaemon, SavedNote

SEARCHERS = 4
COMPACTIONS = 4
STUCK_FOLLOWERS = 48  # so many that a copy for each would exceed the memory of a batch
LONG_NAMES = 300
TURNS_MAX = 20
PIPE_BYTES = 1024 * 1024  # more than a socket and the daemon buffer for a client


class Searchers:
    """A few threads that search for one note without a pause during the block."""

    def __init__(self, daemon: ManagedDaemon, note: SavedNote) -> None:
        self._daemon = daemon
        self._note = note
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._search) for _ in range(SEARCHERS)]
        self.answers = 0
        self.wrong: list[Any] = []

    def _search(self) -> None:
        while not self._over.is_set():
            try:
                answer = self._daemon.search(self._note.word)
                found = answer.envelope["data"] is not None and self._note.path in answer.files
            except OSError as why:
                self.wrong.append(why)
                continue
            self.answers += 1
            if not found:
                self.wrong.append(answer)

    def __enter__(self) -> "Searchers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def search_while_tidying(daemon: ManagedDaemon) -> None:
    """The index is compacted repeatedly while searches run: each of them finds its note."""
    note = daemon.save()
    daemon.wait_until_found(note)
    before = len(daemon.facts("store_compacted"))
    with Searchers(daemon, note) as searchers:
        for done in range(1, COMPACTIONS + 1):
            daemon.wait_until_found(daemon.save())
            daemon.wait_for_facts("store_compacted", before + done)
    require(not searchers.wrong, f"{len(searchers.wrong)} went wrong: {searchers.wrong[:1]}")
    require(searchers.answers > COMPACTIONS, f"only {searchers.answers} searches")


def never_read(daemon: ManagedDaemon) -> None:
    """Followers that read nothing, with more facts than any buffer holds. They block nothing:
    notes are found, other followers work, and the daemon keeps no copy for each."""
    _make_a_long_log(daemon)
    daemon.wait_until_found(daemon.save())
    daemon.settle()
    before = daemon.resource_use()
    with ExitStack() as stack:
        connect_stuck(daemon, stack)
        for _ in range(3):
            daemon.wait_until_found(daemon.save())
        reader = client.Follower(daemon.home.socket, 0)
        reader.wait_for(f'"seq":{daemon.status()["log"]["seq"]},'.encode(), WITHIN_S)
        reader.close()
        memory = daemon.resource_use().memory - before.memory
        require(
            memory < STUCK_FOLLOWERS * PIPE_BYTES,
            f"{memory:,} bytes for followers that read nothing",
        )
        daemon.settle()


def connect_stuck(daemon: ManagedDaemon, until_the_end: ExitStack) -> None:
    """Connect followers of the whole log that never read a byte."""
    for _ in range(STUCK_FOLLOWERS):
        stuck = until_the_end.enter_context(client.connect(daemon.home.socket))
        client.send(stuck, "GET", "/v1/events?after=0&follow=1")


def _make_a_long_log(daemon: ManagedDaemon) -> None:
    """Make more facts than the buffers between the daemon and a client hold."""
    name = "a long name " * 15
    for turn in range(TURNS_MAX):
        if sum(file.stat().st_size for file in Path(daemon.home.events).iterdir()) > PIPE_BYTES:
            return
        for number in range(LONG_NAMES):
            note = daemon.vault.folder / f"{name}{turn} {number}.md"
            note.write_text(f"# Long {number}\n\nFor the turn {turn}.\n")
        daemon.settle()
    require(False, "the log does not grow")


CASES = (search_while_tidying, never_read)
