"""Searches all the time during a round, and judges each answer afterwards by the history.

A note that is gone or in a denied folder is never served. A note that hides itself is served only
until a job that began after that has read it and has ended.
"""

import json
import threading
import time
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from chaos import client
from chaos.harness import WITHIN_S, require
from chaos.mix.heard import Heard
from chaos.mix.world import Was, World

EVERY_S = 0.06
MOST_RESULTS = 20
SEARCH = "/v1/tools/obsidian_rag_search"


class Answer(NamedTuple):
    """What was asked, from when to when, and the notes that the answer shows."""

    asked: str
    began: float
    ended: float
    paths: frozenset[str]
    is_whole: bool = True  # the machine was not too busy to look everywhere


class Prober:
    """A thread that asks, from the beginning of a block to its end."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._rng = Random(f"prober {seed}")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask_always, daemon=True)
        self.answers: list[Answer] = []

    def __enter__(self) -> "Prober":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _ask_always(self) -> None:
        while not self._over.wait(EVERY_S):
            try:
                self._ask()
            except (OSError, json.JSONDecodeError):
                continue  # killed, or too busy: another time

    def _ask(self) -> None:
        with self._world.lock:
            hidden = [
                path for path, was in self._world.history.items() if was[-1].state != "visible"
            ]
        if hidden and self._rng.random() < 0.3:
            self.answers.append(read_note(self._world, self._rng.choice(sorted(hidden))))
        elif marks := list(self._world.marks):
            self.answers.append(search(self._world, self._rng.choice(marks)))


def search(world: World, word: str) -> Answer:
    """The notes that a search shows; raises OSError if there is no daemon."""
    began = time.time()
    asked = {"query": word, "max_results": MOST_RESULTS}
    said = client.ask(world.home.socket, "POST", SEARCH, asked).envelope
    found = (said["data"] or {}).get("results", [])
    paths = {one["source_file"] for one in found}
    paths.update(path for one in found for path in one.get("also_in", ()))
    is_whole = said["data"] is not None and (said["error"] or {}).get("code") != "TIMEOUT"
    return Answer(f"search {word}", began, time.time(), frozenset(paths), is_whole)


def search_patiently(world: World, word: str) -> Answer:
    """Asks again while the machine is too busy for a whole answer."""
    end = time.monotonic() + WITHIN_S
    while True:
        try:
            if (answer := search(world, word)).is_whole:
                return answer
        except TimeoutError:
            continue
        finally:
            require(time.monotonic() < end, f"search {word}: no whole answer")


def read_note(world: World, path: str) -> Answer:
    """Whether the note's lines are shown."""
    began = time.time()
    reply = client.ask(world.home.socket, "GET", f"/v1/notes?path={quote(path)}")
    shown = {path} if reply.status == 200 else set()
    return Answer(f"read {path}", began, time.time(), frozenset(shown))


def check(answers: list[Answer], world: World, facts: list[Heard]) -> None:
    """Nothing was served that could not be, at that moment."""
    wrong: list[str] = []
    for answer in answers:
        for path in sorted(answer.paths):
            if why := _why_not(path, answer, world, facts):
                wrong.append(f"{answer.asked} showed {path}, which {why}")
    require(not wrong, f"{len(wrong)} times something was served: {'; '.join(wrong[:5])}")


def _why_not(path: str, answer: Answer, world: World, facts: list[Heard]) -> str | None:
    """Why this path had no place in this answer; None if it had."""
    if world.is_denied(path, answer.began, answer.ended):
        return "was in a denied folder"
    history = world.history.get(path, [])
    before = [was for was in history if was.ended <= answer.began]
    if any(answer.began < was.ended and was.began < answer.ended for was in history):
        return None  # it changed meanwhile
    if not before or before[-1].state == "gone":
        return "was not there"
    if before[-1].state == "hidden" and answer.asked.startswith("read"):
        return "was hidden"
    if before[-1].state == "hidden" and _is_hiding_known(path, before[-1], answer, facts):
        return "was hidden, and a job had read it so"
    return None


def _is_hiding_known(path: str, was: Was, answer: Answer, facts: list[Heard]) -> bool:
    """Whether a job that began after the note was hidden has read it, and has ended."""
    read = began = False
    for heard in facts:
        if heard.at >= answer.began:
            return False
        if heard.type == "job_started":
            began = heard.at > was.ended
        elif heard.type == "file_skipped" and heard.fact["path"] == path:
            read = read or began
        elif heard.type == "job_finished" and read:
            return True
    return False
