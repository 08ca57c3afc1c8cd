"""The vault, the collections, the provider and the daemon of one round, and how each step changes
them."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from chaos import client
from chaos.checks import Promises
from chaos.daemons import DaemonHarness
from chaos.faults import ollama
from chaos.harness import Arena, Broken, Child, require
from chaos.managed_daemon import codes
from chaos.mix.listener import Listener
from chaos.mix.plan import Round, Step
from chaos.mix.planned_vault import PATTERNS, is_hiding, marks_in
from chaos.provider import Fault, Provider
from ragd.config.schema import IndexingSettings
from ragd.paths import Home
from ragd.state.replay import replay

MOMENT_WITHIN_S = 0.4  # the fact that a step waits for may never come
ANSWERS_WITHIN_S = 120.0  # for a running daemon on a busy machine
HALVES_S = 0.03
PAUSE_S = 300
BUSY = (
    *("active_job", "building", "unindexed_files", "documents_waiting", "chunks_pending"),
    *("paused", "config_refused"),
)

FAULTS: dict[str, Fault | None] = {
    "away": None,
    "hang": ollama.hang,
    "fail": ollama.fail,
    "cut": ollama.cut_off,
    "invalid": ollama.send_invalid_json,
    "hang vectors": ollama.when_embedding(ollama.hang),
    "fail vectors": ollama.when_embedding(ollama.fail),
    "slow": ollama.when_embedding(ollama.delay),
}


class PathState(NamedTuple):
    """A path got this state between these two moments: visible, hidden, or gone."""

    began: float
    ended: float
    state: str


class Away(NamedTuple):
    """A collection was unplugged from one moment to another."""

    prefix: str
    began: float
    ended: float = float("inf")


class World:
    """Carries out the steps of a plan, except `compare`."""

    def __init__(self, arena: Arena, round_: Round, provider: Provider) -> None:
        self.home = Home(str(arena.folder / "h"))
        self.vault = arena.folder / "vault"
        self.vault.mkdir()
        self._folder = arena.folder
        self.collections: dict[str, Path] = {}
        self.unplugged: dict[str, frozenset[str]] = {}  # folder -> notes that must stay indexed
        self.away: list[Away] = []
        self.provider = provider
        self.notes: dict[str, bytes] = {}
        self.denied: tuple[str, ...] = ()
        self.marks: dict[str, str] = {}  # word -> the path it was last written to
        self.history: dict[str, list[PathState]] = {}
        provider.seconds_per_text = round_.seconds_per_text
        self.done: list[str] = []  # every step, its time and its result
        self.denials: list[tuple[float, float, tuple[str, ...]]] = []
        self._began = time.time()
        self._jobs: list[str] = []
        settings = dict(round_.settings)
        settings["embedding"] = provider.settings | settings["embedding"]
        settings["indexing"] = {"file_patterns": PATTERNS}
        self.harness = DaemonHarness(
            arena, Promises(self.home), vault=self.vault, settings=settings
        )
        self.listener = Listener(self.home.socket)
        self.child: Child | None = None
        self.lock = threading.Lock()  # so that the prober reads complete entries of the history
        self.collections = {name: arena.folder / to for name, to in round_.collections.items()}
        for path, data in round_.notes.items():
            self._write(Step("write", path=path, data=data, how="in place"))
        self._configure_collections()

    def file(self, path: str) -> Path:
        """The file of a note."""
        if path.startswith("@"):
            name, _, inner = path[1:].partition("/")
            return self.collections[name] / inner
        return self.vault / path

    # The daemon

    def start(self) -> None:
        self.child = self.harness.start()
        self.harness.wait_until_it_answers(self.child)
        self.listener.follow()

    def stop(self) -> None:
        assert self.child is not None
        self.harness.ask_to_stop()
        require(self.child.wait_for_exit(ANSWERS_WITHIN_S) == 0, f"it did not stop: {self.child}")
        self.harness.promises.check_settled()

    def request(self, method: str, target: str, body: object = None) -> client.Reply:
        """Send a request to the running daemon, again while it is too busy to answer."""
        end = time.monotonic() + ANSWERS_WITHIN_S
        while True:
            require(self.child is not None and self.child.is_running, f"it ended: {self.child}")
            try:
                return client.ask(self.home.socket, method, target, body)
            except OSError as why:
                if time.monotonic() > end:
                    raise Broken(f"{method} {target}: no answer: {why!r}") from why
                time.sleep(0.05)

    def status(self) -> dict[str, Any]:
        return self.request("GET", "/v1/status").data

    # Steps

    def do(self, step: Step) -> None:
        """Carry out one step when it is due."""
        if step.after:
            self.listener.wait_for(step.after, MOMENT_WITHIN_S)
        time.sleep(step.pause_s)
        began = time.time()
        said = self.ACTIONS[step.kind](self, step) or ""
        self.done.append(f"{began - self._began:7.3f}  {step}  {said}".rstrip())

    def _write(self, step: Step) -> None:
        path = self.file(step.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        began = time.time()
        if step.how == "replaced":
            part = path.with_suffix(".part")
            part.write_bytes(step.data)
            part.replace(path)
        elif step.how == "in two halves":
            with path.open("wb", buffering=0) as file:
                file.write(step.data[: len(step.data) // 2])
                time.sleep(HALVES_S)
                file.write(step.data[len(step.data) // 2 :])
        elif step.how == "same size and time":
            before = path.stat()
            with path.open("r+b", buffering=0) as file:
                file.write(step.data)
                os.utime(file.fileno(), ns=(before.st_atime_ns, before.st_mtime_ns))
        else:
            path.write_bytes(step.data)
        self.notes[step.path] = step.data
        self.marks |= dict.fromkeys(marks_in(step.data), step.path)
        self._record(step.path, began)

    def _delete(self, step: Step) -> None:
        began = time.time()
        self.file(step.path).unlink()
        del self.notes[step.path]
        self._record(step.path, began)

    def _move(self, step: Step) -> None:
        self.file(step.to).parent.mkdir(parents=True, exist_ok=True)
        moved = {step.path: step.to}
        if step.kind == "move folder":
            inside = [path for path in self.notes if path.startswith(f"{step.path}/")]
            moved = {path: step.to + path[len(step.path) :] for path in inside}
        began = time.time()
        self.file(step.path).rename(self.file(step.to))
        self._give_other_paths(moved, began)

    def _give_other_paths(self, moved: dict[str, str], began: float) -> None:
        for old, new in moved.items():
            self.notes[new] = self.notes.pop(old)
            self.marks |= dict.fromkeys(marks_in(self.notes[new]), new)
            self._record(old, began)
            self._record(new, began)

    def _record(self, path: str, began: float) -> None:
        data = self.notes.get(path)
        state = "gone" if data is None else "hidden" if is_hiding(data) else "visible"
        with self.lock:
            self.history.setdefault(path, []).append(PathState(began, time.time(), state))

    def _deny(self, step: Step) -> str:
        self.denied = tuple(name for name in step.path.split(", ") if name)
        began = time.time()
        deny_dirs = [*IndexingSettings().deny_dirs, *self.denied]
        self.harness.configure(indexing={"deny_dirs": deny_dirs, "file_patterns": PATTERNS})
        if self.child is None:
            self.denials.append((began, float("inf"), self.denied))
            return "read at the start"
        self._reload()
        with self.lock:
            self.denials.append((began, time.time(), self.denied))
        return ""

    def _reload(self) -> None:
        """Make a running daemon read its configuration again."""
        if self.child is not None:
            reply = self.request("POST", "/v1/reload")
            require(reply.status == 200, f"reload: {reply}")

    # Collections

    def _configure_collections(self) -> None:
        self.harness.configure(
            collections={name: {"path": str(path)} for name, path in self.collections.items()}
        )

    def _paths_in(self, name: str) -> list[str]:
        return [path for path in self.notes if path.startswith(f"@{name}/")]

    def _add_collection(self, step: Step) -> None:
        began = time.time()
        self.collections[step.path] = root = self._folder / step.to
        for path, data in step.files:
            file = self.file(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        for file in filter(Path.is_file, root.rglob("*")):
            path = f"@{step.path}/{file.relative_to(root)}"
            self.notes[path] = file.read_bytes()
            self.marks |= dict.fromkeys(marks_in(self.notes[path]), path)
        self._configure_collections()
        self._reload()
        for path in self._paths_in(step.path):
            self._record(path, began)

    def _rename_collection(self, step: Step) -> None:
        began = time.time()
        self.collections[step.to] = self.collections.pop(step.path)
        self._configure_collections()
        self._reload()
        moved = {
            path: f"@{step.to}{path[1 + len(step.path) :]}" for path in self._paths_in(step.path)
        }
        self._give_other_paths(moved, began)

    def _remove_collection(self, step: Step) -> None:
        began = time.time()
        paths = self._paths_in(step.path)
        del self.collections[step.path]
        self._configure_collections()
        self._reload()
        self._end_away(f"@{step.path}/")
        for path in paths:
            del self.notes[path]
            self._record(path, began)

    def _unplug(self, step: Step) -> str:
        """The folder is away; perhaps there is an empty mount point in its place."""
        root = self._folder / step.path
        names = [name for name, path in self.collections.items() if path == root]
        known = self.indexed()
        paths = [path for name in names for path in self._paths_in(name)]
        shown = [path for path in paths if path in known and not is_hiding(self.notes[path])]
        self.unplugged[step.path] = frozenset(shown)
        with self.lock:
            self.away += [Away(f"@{name}/", time.time()) for name in names]
        root.rename(root.with_suffix(".away"))
        if step.how == "empty mount point":
            root.mkdir()
        return f"{len(shown)} notes stay"

    def _plug_in(self, step: Step) -> str:
        """Before it is back: nothing of it was lost, unless it was removed meanwhile."""
        root = self._folder / step.path
        kept = {path for path in self.unplugged.pop(step.path) if path in self.notes}
        lost = sorted(kept - self.indexed())
        require(not lost, f"lost from the unplugged {step.path}: {lost[:5]}")
        if root.is_dir():
            root.rmdir()
        root.with_suffix(".away").rename(root)
        self._end_away("")
        return f"{len(kept)} notes stayed"

    def _end_away(self, prefix: str) -> None:
        """A collection was removed, or all that were unplugged are back."""
        now = time.time()
        with self.lock:
            self.away = [
                away._replace(ended=min(away.ended, now))
                if away.prefix.startswith(prefix)
                else away
                for away in self.away
            ]

    def is_unplugged(self, path: str, began: float, ended: float) -> bool:
        """Whether the path's collection was unplugged at some moment of this time: then nobody
        knows whether the note is still there."""
        with self.lock:
            return any(
                path.startswith(away.prefix) and away.began < ended and began < away.ended
                for away in self.away
            )

    def indexed(self) -> set[str]:
        """The paths in the catalog now."""
        state = replay(Path(self.home.events), Path(self.home.snapshots)).state
        return set(state.catalog.files)

    def is_denied(self, path: str, began: float, ended: float) -> bool:
        """Whether this path was in a denied folder during the whole time."""
        with self.lock:
            held = [dirs for _, since, dirs in self.denials if since <= began][-1:]
            meanwhile = [dirs for at, since, dirs in self.denials if since > began and at < ended]
        lists = [*held, *meanwhile]
        return bool(held) and all(is_in_folder(path, dirs) for dirs in lists)

    def _ask(self, step: Step) -> str:
        reply = self.request("POST", "/v1/jobs", {"mode": step.how})
        require(reply.status == 200, f"{step}: {reply}")
        self._jobs.append(str(reply.data["job_id"]))
        return self._jobs[-1]

    def _cancel(self, step: Step) -> str:
        reply = self.request("POST", f"/v1/jobs/{self._jobs[-1]}/cancel")
        require(reply.status in (200, 404), f"{step}: {reply}")
        return f"{self._jobs[-1]}: {reply.status}"

    def _change_model(self, step: Step) -> None:
        """Wait until no index is being built: a running reindex would not use the new model."""
        before: object = None
        while (said := self.status())["active_job"] or said["building"]:
            if (now := self.signature(said)) != before:
                before, end = now, time.monotonic() + ANSWERS_WITHIN_S
            require(time.monotonic() < end, f"a job or a build makes no progress: {said}")
            time.sleep(0.05)
        self.provider.change_model()

    def signature(self, said: dict[str, Any]) -> object:
        """A value that changes as long as work goes on."""
        keys = ("total_docs", "total_chunks", "chunks_embedded", "plugin_health", *BUSY)
        return [said[key] for key in keys], codes(said)

    def _pause(self, step: Step) -> None:
        reply = self.request("POST", "/v1/pause", {"seconds": PAUSE_S})
        require(reply.status == 200, f"{step}: {reply}")

    def _resume(self, step: Step) -> None:
        reply = self.request("POST", "/v1/resume", {})
        require(reply.status == 200, f"{step}: {reply}")

    def _fault(self, step: Step) -> None:
        fault = FAULTS[step.how]
        self.provider.fault = fault
        if fault is None:
            self.provider.go_offline()

    def _repair_provider(self, step: Step) -> None:
        self.provider.go_online()

    def _kill(self, step: Step) -> None:
        assert self.child is not None
        self.child.kill()
        self.child = None
        self.harness.promises.check()

    def _start(self, step: Step) -> None:
        self.start()
        with self.lock:  # denials made while it was down are in force now
            self.denials = [(at, min(since, time.time()), dirs) for at, since, dirs in self.denials]

    ACTIONS: ClassVar[dict[str, Callable[["World", Step], str | None]]] = {
        "write": _write,
        "delete": _delete,
        "move": _move,
        "move folder": _move,
        "add collection": _add_collection,
        "rename collection": _rename_collection,
        "remove collection": _remove_collection,
        "unplug": _unplug,
        "plug in": _plug_in,
        "deny": _deny,
        "ask": _ask,
        "cancel": _cancel,
        "change model": _change_model,
        "pause": _pause,
        "resume": _resume,
        "fault": _fault,
        "provider works": _repair_provider,
        "kill": _kill,
        "start": _start,
    }


def is_in_folder(path: str, folders: tuple[str, ...]) -> bool:
    """By the rules of deny_dirs: a plain name at any depth, or a path from the vault's root. They
    hold for the vault, not for collections."""
    if path.startswith("@"):
        return False
    steps = path.split("/")[:-1]
    above = {"/".join(steps[: depth + 1]) for depth in range(len(steps))}
    return any(folder in above or folder in steps for folder in folders)
