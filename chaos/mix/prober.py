"""Searches continuously during a round, and later checks each answer against the history.

A note that is deleted, in a denied folder or in a removed collection is never served, except that
deletions in an unplugged collection may not be known yet. A hidden note is served only until
a job that began after it was hidden has read it and has ended.
"""

import json
import threading
import time
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from chaos import client
from chaos.harness import WITHIN_S, require
from chaos.mix.listener import ReceivedFact
from chaos.mix.world import PathState, World

EVERY_S = 0.06
MOST_RESULTS = 20
SEARCH = "/v1/tools/obsidian_rag_search"


class Observation(NamedTuple):
    """A request, when it began and ended, and the notes that the answer shows."""

    asked: str
    began: float
    ended: float
    paths: frozenset[str]
    is_whole: bool = True  # False if the search timed out in part


class Prober:
    """A thread that sends requests during the block."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._rng = Random(f"prober {seed}")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask_repeatedly, daemon=True)
        self.answers: list[Observation] = []

    def __enter__(self) -> "Prober":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _ask_repeatedly(self) -> None:
        while not self._over.wait(EVERY_S):
            try:
                self._ask()
            except (OSError, json.JSONDecodeError):
                continue  # the daemon was killed or is busy: try again later

    def _ask(self) -> None:
        with self._world.lock:
            hidden = [
                path for path, was in self._world.history.items() if was[-1].state != "visible"
            ]
        if hidden and self._rng.random() < 0.3:
            self.answers.append(read_note(self._world, self._rng.choice(sorted(hidden))))
        elif marks := list(self._world.marks):
            self.answers.append(search(self._world, self._rng.choice(marks)))


def search(world: World, word: str) -> Observation:
    """Search for a word. Raises OSError if there is no daemon."""
    began = time.time()
    asked = {"query": word, "max_results": MOST_RESULTS}
    said = client.ask(world.home.socket, "POST", SEARCH, asked).envelope
    found = (said["data"] or {}).get("results", [])
    paths = {one["source_file"] for one in found}
    paths.update(path for one in found for path in one.get("also_in", ()))
    is_whole = said["data"] is not None and (said["error"] or {}).get("code") != "TIMEOUT"
    return Observation(f"search {word}", began, time.time(), frozenset(paths), is_whole)


def search_patiently(world: World, word: str) -> Observation:
    """Search again while the machine is too busy for a complete answer."""
    end = time.monotonic() + WITHIN_S
    while True:
        try:
            if (answer := search(world, word)).is_whole:
                return answer
        except TimeoutError:
            continue
        finally:
            require(time.monotonic() < end, f"search {word}: no complete answer")


def read_note(world: World, path: str) -> Observation:
    """Ask for the lines of a note. A path that does not exist may be the name of another note."""
    began = time.time()
    reply = client.ask(world.home.socket, "GET", f"/v1/notes?path={quote(path)}")
    data = reply.envelope["data"]  # none if the collection is unplugged
    shown = {str(data["path"])} if reply.status == 200 and data else set()
    return Observation(f"read {path}", began, time.time(), frozenset(shown))


def check(answers: list[Observation], world: World, facts: list[ReceivedFact]) -> None:
    """Every served note was allowed to be served at that moment."""
    wrong: list[str] = []
    for answer in answers:
        for path in sorted(answer.paths):
            if why := _why_forbidden(path, answer, world, facts):
                wrong.append(f"{answer.asked} showed {path}, which {why}")
    require(not wrong, f"{len(wrong)} notes must not have been served: {'; '.join(wrong[:5])}")


def _why_forbidden(
    path: str, answer: Observation, world: World, facts: list[ReceivedFact]
) -> str | None:
    """Why this path must not be in this answer; None if it may."""
    if world.is_denied(path, answer.began, answer.ended):
        return "was in a denied folder"
    history = world.history.get(path, [])
    before = [was for was in history if was.ended <= answer.began]
    if any(answer.began < was.ended and was.began < answer.ended for was in history):
        return None  # it changed during the request
    if not before or before[-1].state == "gone":
        is_known = bool(before) and world.is_unplugged(path, answer.began, answer.ended)
        return None if is_known else "did not exist"
    if before[-1].state == "hidden" and answer.asked.startswith("read"):
        return "was hidden"
    if before[-1].state == "hidden" and _has_job_read_hidden(path, before[-1], answer, facts):
        return "was hidden, and a job had read that"
    return None


def _has_job_read_hidden(
    path: str, was: PathState, answer: Observation, facts: list[ReceivedFact]
) -> bool:
    """Whether a job that began after the note was hidden has read it, and has ended."""
    read = began = False
    for received in facts:
        if received.at >= answer.began:
            return False
        if received.type == "job_started":
            began = received.at > was.ended
        elif received.type == "file_skipped" and received.fact["path"] == path:
            read = read or began
        elif received.type == "job_finished" and read:
            return True
    return False
