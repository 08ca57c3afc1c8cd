"""The operations of one round, made from its seed only: the same seed gives the same round. Pure.

`world.py` carries them out on a vault, its collections, a provider and a daemon.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from chaos.mix.planned_vault import ANCHORS, HIDING, PAPERS, PlannedVault

NOTES = (20, 40)
STEPS = (22, 36)
WAIT_S = 0.25  # the longest pause before a step
KILLS_MAX = 2
GONE_MAX = 45  # more deletions within minutes may be held until a person confirms them
KEPT = 8  # with fewer notes, the next edit creates one
COLLECTIONS_MAX = 3
DENIED = ("Private", "Projects/Deep", "Daily")
FAULTS = ("away", "hang", "fail", "cut", "invalid", "hang vectors", "fail vectors", "slow")
BEGINNINGS = ("indexed", "indexed", "indexing", "indexing", "indexing", "empty")

# Facts of the log that a step may wait for, so that it happens at that moment.
MOMENTS = (
    *("job_started", "changeset_formed", "batch_stored", "batch_embedded", "vectors_filled"),
    *("job_finished", "index_building", "index_activated", "store_compacted"),
)
PLUG_IN = "plug in"
AT_A_SWITCH = ("index_building", "batch_stored", "vectors_filled", "job_finished")


class Step(NamedTuple):
    """One operation, to be done after this fact, if any, and after this pause."""

    kind: str
    path: str = ""
    to: str = ""
    data: bytes = b""
    how: str = ""
    after: str = ""
    pause_s: float = 0.0
    files: tuple[tuple[str, bytes], ...] = ()  # of a new collection

    def __str__(self) -> str:
        words = [self.kind, self.path, f"-> {self.to}" if self.to else "", self.how]
        if self.data:
            words.append(f"({len(self.data)} bytes)")
        if self.after:
            words.append(f"after {self.after}")
        return " ".join(word for word in (*words, f"+{self.pause_s:.2f} s") if word)


class Round(NamedTuple):
    """All random choices of a round."""

    beginning: str
    notes: dict[str, bytes]
    collections: dict[str, str]  # name -> folder
    settings: dict[str, dict[str, Any]]
    seconds_per_text: float
    steps: list[Step]


def make_round(seed: int) -> Round:
    """Make the round of this seed."""
    rng = Random(f"mix {seed}")
    beginning = rng.choice(BEGINNINGS)
    settings: dict[str, dict[str, Any]] = {
        "watch": {
            "debounce_s": rng.choice((0.02, 0.05, 0.2)),
            "collect_s": rng.choice((0.05, 0.2, 0.5)),
            "rescan_s": rng.choice((1, 3, 3600)),
        },
        "health": {"probe_s": rng.choice((0.1, 0.5))},
        "embedding": {"batch_size": rng.choice((1, 4, 64))},
    }
    speed = rng.choice((0.001, 0.003, 0.006, 0.01))
    vault = PlannedVault(rng)
    if beginning != "empty":
        vault.notes |= {path: vault.compose(path) for path in ANCHORS}
        for name in ("work", PAPERS):
            vault.fill_collection(name)
        for _ in range(rng.randint(*NOTES)):
            path = vault.new_path(root="")
            data = vault.compose(path)
            hides = path.endswith(".md") and rng.random() < 0.1
            vault.notes[path] = HIDING + data if hides else data
    notes, collections = dict(vault.notes), dict(vault.collections)
    return Round(beginning, notes, collections, settings, speed, StepMaker(rng, vault).make())


class StepMaker:
    """Makes the steps one after the other; each is possible after the previous ones."""

    def __init__(self, rng: Random, vault: PlannedVault) -> None:
        self._rng = rng
        self._vault = vault
        self._made: list[Step] = []
        self._gone = 0
        self._kills = 0
        self._denied: tuple[str, ...] = ()
        self._has_requested = False  # for a job, so that it may be cancelled
        self._may_cancel = True
        self._has_compared = False
        # The steps that end a fault, a pause or a kill, and the step number at which each is due.
        self._due: dict[str, int] = {}
        self._edits: dict[Callable[[], None], int] = {
            self._append: 7,
            self._rewrite: 5,
            self._create: 5,
            self._copy: 2,
            self._touch: 1,
            self._enlarge: 1,
            self._delete: 4,
            self._recreate: 3,
            self._hide: 4,
            self._unhide: 3,
            self._move: 3,
            self._move_folder: 2,
            self._alter: 2,
            self._deny: 2,
        }
        self._controls: dict[Callable[[], None], int] = {
            self._request_job: 3,
            self._reindex_and_edit: 4,
            self._change_model: 2,
            self._cancel: 1,
            self._pause: 1,
            self._fault: 3,
            self._kill: 2,
            self._compare: 1,
            self._add_collection: 2,
            self._rename_collection: 2,
            self._remove_collection: 2,
            self._unplug: 3,
            self._kill_while_reading: 1,
        }

    def make(self) -> list[Step]:
        count = self._rng.randint(*STEPS)
        while len(self._made) < count:
            self._add_due_ends(len(self._made))
            if "start" in self._due or self._rng.random() < 0.7:
                self._edit()
            else:
                self._add_one_of(self._controls)
        self._add_due_ends(None)
        return self._made

    def _add_one_of(self, kinds: dict[Callable[[], None], int]) -> None:
        self._rng.choices(list(kinds), list(kinds.values()))[0]()

    def _edit(self) -> None:
        if missing := [path for path in ANCHORS if path not in self._vault.notes]:
            self._write(missing[0], self._vault.compose(missing[0]))
        elif len(self._vault.notes) < KEPT:
            self._create()
        else:
            self._add_one_of(self._edits)

    def _add(self, kind: str, after: str | None = None, **more: Any) -> None:
        rng = self._rng
        if after is None:
            after = rng.choice(MOMENTS) if rng.random() < 0.25 else ""
        if "start" in self._due:
            after = ""  # no daemon runs, so no fact is recorded
        pause_s = 0.0 if rng.random() < 0.4 else rng.uniform(0, WAIT_S)
        self._made.append(Step(kind, after=after, pause_s=pause_s, **more))

    def _add_due_ends(self, now: int | None) -> None:
        """Add the ends that are due. A killed daemon is started before any request."""
        for end in sorted(self._due, key=lambda end: end != "start"):
            is_due = now is None or self._due[end] <= now
            if is_due and (end != "resume" or "start" not in self._due):
                self._add(end, path=self._vault.unplugged if end == PLUG_IN else "")
                del self._due[end]
                if end == PLUG_IN:
                    self._vault.unplugged = ""

    def _schedule(self, end: str) -> None:
        self._due[end] = len(self._made) + self._rng.randint(0, 4)

    # Notes

    def _write(self, path: str, data: bytes, after: str | None = None, how: str = "") -> None:
        self._vault.notes[path] = data
        how = how or self._rng.choice(("in place", "in place", "replaced", "in two halves"))
        self._add("write", path=path, data=data, how=how, after=after)

    def _append(self, after: str | None = None) -> None:
        path = self._vault.any_note()
        self._write(path, self._vault.with_line_added(path), after)

    def _rewrite(self, after: str | None = None) -> None:
        path = self._vault.any_path()
        self._write(path, self._vault.compose(path), after)

    def _create(self, after: str | None = None) -> None:
        path = self._vault.new_path()
        self._write(path, self._vault.compose(path), after)

    def _copy(self) -> None:
        path = self._vault.any_path()
        self._write(self._vault.new_path(_suffix(path)), self._vault.notes[path])

    def _touch(self) -> None:
        path = self._vault.any_path()
        self._write(path, self._vault.notes[path])

    def _enlarge(self) -> None:
        path = self._vault.any_path()
        self._write(path, self._vault.compose_large(path))

    def _alter(self) -> None:
        path = self._vault.any_path()
        self._write(path, self._vault.with_other_mark(path), how="same size and time")

    def _delete(self, after: str | None = None) -> None:
        if path := self._choose_removable():
            del self._vault.notes[path]
            self._add("delete", path=path, after=after)

    def _choose_removable(self) -> str:
        """Choose a note that may leave its path; empty if too many have left already."""
        loose = self._vault.removable()
        if not loose or self._gone >= GONE_MAX:
            return ""
        self._gone += 1
        return self._rng.choice(loose)

    def _recreate(self) -> None:
        path = self._choose_removable()
        if not path:
            return
        data = self._vault.notes[path]
        self._add("delete", path=path)
        self._write(path, data if self._rng.random() < 0.5 else self._vault.compose(path))

    def _hide(self, after: str | None = None) -> None:
        if shown := self._vault.visible():
            path = self._rng.choice(shown)
            self._write(path, HIDING + self._vault.notes[path], after)

    def _unhide(self) -> None:
        if hidden := self._vault.hidden():
            path = self._rng.choice(hidden)
            self._write(path, self._vault.notes[path].removeprefix(HIDING))

    def _move(self, after: str | None = None) -> None:
        if path := self._choose_removable():
            to = self._vault.new_path(_suffix(path))
            self._vault.notes[to] = self._vault.notes.pop(path)
            self._add("move", path=path, to=to, after=after)

    def _move_folder(self) -> None:
        if folders := self._vault.folders():
            folder, to = self._rng.choice(folders), self._vault.new_folder()
            inside = sum(path.startswith(f"{folder}/") for path in self._vault.notes)
            if self._gone + inside <= GONE_MAX:
                self._gone += inside
                self._vault.move_folder(folder, to)
                self._add("move folder", path=folder, to=to)

    def _deny(self) -> None:
        chosen = tuple(name for name in DENIED if self._rng.random() < 0.4)
        if chosen != self._denied:
            self._denied = chosen
            self._add("deny", path=", ".join(chosen))

    # Collections

    def _add_collection(self) -> None:
        """A new folder, or one that was removed, perhaps under its old name."""
        vault = self._vault
        if len(vault.collections) >= COLLECTIONS_MAX or not vault.notes:
            return
        name, folders = vault.new_name(), vault.restorable()
        if folders and self._rng.random() < 0.6:
            folder = self._rng.choice(folders)
            old = vault.parked[folder].name
            name = old if old not in vault.collections and self._rng.random() < 0.7 else name
            vault.restore_collection(folder, name)
            self._add("add collection", path=name, to=folder)
        else:
            files = tuple(vault.fill_collection(name).items())
            self._add("add collection", path=name, to=vault.collections[name], files=files)

    def _rename_collection(self) -> None:
        if names := self._vault.present():
            name, to = self._rng.choice(names), self._vault.new_name()
            self._vault.rename_collection(name, to)
            self._add("rename collection", path=name, to=to)

    def _remove_collection(self) -> None:
        """Also one that is unplugged."""
        if names := list(self._vault.collections):
            name = self._rng.choice(names)
            self._vault.remove_collection(name)
            self._add("remove collection", path=name)

    def _unplug(self) -> None:
        vault = self._vault
        if (names := vault.present()) and not vault.unplugged:
            vault.unplugged = vault.collections[self._rng.choice(names)]
            how = self._rng.choice(("moved away", "empty mount point"))
            self._add("unplug", path=vault.unplugged, how=how)
            self._schedule(PLUG_IN)

    # The daemon and its provider

    def _request_job(self) -> None:
        self._has_requested = True
        self._add("ask", how=self._rng.choice(("sync", "sync", "full")))

    def _reindex_and_edit(self) -> None:
        """Edits while an index is built, and right at the switch to it."""
        self._has_requested = True
        self._add("ask", how="reindex")
        edits = (self._append, self._rewrite, self._create, self._delete, self._hide, self._move)
        for moment in AT_A_SWITCH[self._rng.randrange(len(AT_A_SWITCH)) :]:
            if len(self._vault.notes) >= KEPT:
                self._rng.choice(edits)(moment)
        if self._vault.notes and self._rng.random() < 0.5:
            self._append("index_activated")

    def _change_model(self) -> None:
        """From here on no reindex is cancelled: only a reindex makes the vectors of this model."""
        if not self._due:
            self._may_cancel = False
            self._add("change model")
            self._reindex_and_edit()

    def _cancel(self) -> None:
        if self._has_requested and self._may_cancel:
            self._add("cancel")

    def _pause(self) -> None:
        if "resume" not in self._due:
            self._add("pause")
            self._schedule("resume")

    def _fault(self) -> None:
        if "provider works" not in self._due:
            self._add("fault", how=self._rng.choice(FAULTS))
            self._schedule("provider works")

    def _kill(self) -> None:
        if self._kills < KILLS_MAX:
            self._kills += 1
            self._add("kill")
            self._schedule("start")

    def _kill_while_reading(self) -> None:
        """Kill it while it reads a document."""
        if self._kills < KILLS_MAX and len(self._vault.notes) >= KEPT:
            path = self._vault.new_path(".pdf")
            self._write(path, self._vault.compose_large(path), after="")
            self._kills += 1
            self._add("kill", after="job_started")
            self._schedule("start")

    def _compare(self) -> None:
        """Compare in the middle of the round, once."""
        if not self._due and not self._has_compared:
            self._has_compared = True
            self._add("compare", after="")


def _suffix(path: str) -> str:
    return path[path.rindex(".") :]
