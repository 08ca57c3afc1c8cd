"""Clients that ask for too much or take too little: endless searches, followers that never read."""

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from chaos import client
from chaos.harness import require
from chaos.resident import WITHIN_S, Resident, Saved

SEARCHERS = 4
COMPACTIONS = 4
STUCK_FOLLOWERS = 48  # so many that a copy for each stands out from what a batch takes
LONG_NAMES = 300
TURNS_MAX = 20
PIPE_BYTES = 1024 * 1024  # more than a socket and the daemon keep for one who does not read


class Searchers:
    """A few threads that search for one note without a pause, until the end of the block."""

    def __init__(self, resident: Resident, note: Saved) -> None:
        self._resident = resident
        self._note = note
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._search) for _ in range(SEARCHERS)]
        self.answers = 0
        self.wrong: list[Any] = []

    def _search(self) -> None:
        while not self._over.is_set():
            try:
                answer = self._resident.search(self._note.word)
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


def search_while_tidying(resident: Resident) -> None:
    """The index is compacted again and again under searches: each of them finds its note."""
    note = resident.save()
    resident.until_found(note)
    before = len(resident.facts("store_compacted"))
    with Searchers(resident, note) as searchers:
        for done in range(1, COMPACTIONS + 1):
            resident.until_found(resident.save())
            resident.until_facts("store_compacted", before + done)
    require(not searchers.wrong, f"{len(searchers.wrong)} went wrong: {searchers.wrong[:1]}")
    require(searchers.answers > COMPACTIONS, f"only {searchers.answers} searches")


def never_read(resident: Resident) -> None:
    """Followers that take nothing, with more to tell them than any buffer holds. Nobody waits for
    them: notes are found, others follow, and the daemon keeps no copy for each."""
    _make_a_long_log(resident)
    resident.until_found(resident.save())
    resident.settle()
    before = resident.takes()
    with ExitStack() as stack:
        connect_stuck(resident, stack)
        for _ in range(3):
            resident.until_found(resident.save())
        reader = client.Follower(resident.home.socket, 0)
        reader.until(f'"seq":{resident.status()["log"]["seq"]},'.encode(), WITHIN_S)
        reader.close()
        memory = resident.takes().memory - before.memory
        require(memory < STUCK_FOLLOWERS * PIPE_BYTES, f"{memory:,} bytes for who reads nothing")
        resident.settle()


def connect_stuck(resident: Resident, until_the_end: ExitStack) -> None:
    """Followers of all that the log holds, who never read a byte."""
    for _ in range(STUCK_FOLLOWERS):
        stuck = until_the_end.enter_context(client.connect(resident.home.socket))
        client.send(stuck, "GET", "/v1/events?after=0&follow=1")


def _make_a_long_log(resident: Resident) -> None:
    """More facts than fit between the daemon and one who does not read."""
    name = "a long name " * 15
    for turn in range(TURNS_MAX):
        if sum(file.stat().st_size for file in Path(resident.home.events).iterdir()) > PIPE_BYTES:
            return
        for number in range(LONG_NAMES):
            note = resident.vault.folder / f"{name}{turn} {number}.md"
            note.write_text(f"# Long {number}\n\nFor the turn {turn}.\n")
        resident.settle()
    require(False, "the log does not grow")


CASES = (search_while_tidying, never_read)
