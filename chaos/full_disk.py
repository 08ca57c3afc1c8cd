"""A disk that is really full: a small tmpfs in a mount namespace of its own.

`unshare` allows both without privileges on most Linux machines; elsewhere this part is skipped and
the summary says so. The disk disappears with the process that mounted it.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from chaos import appends, client, daemons, spoil
from chaos.checks import Promises
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, Child, environment, require
from ragd.paths import Home

SIZE_BYTES = 9 * 1024 * 1024
POINTS = ("log.before_take_back", "log.after_take_back")
ROOM_FOR_HALF = 100_000
ROOM = (0, 4096, 100_000, 600_000)
CYCLES_PER_CYCLE = 20
ENDS_WITHIN_S = 280.0
NAMESPACE = ("unshare", "--map-root-user", "--mount")

Harm = Callable[[Promises, Random], None]


def leave_undamaged(promises: Promises, rng: Random) -> None:
    """No damage, only the full disk."""


HARMS: tuple[Harm, ...] = (spoil.tear, spoil.damage_last, leave_undamaged)


def run(arena: Arena, cycles: int) -> None:
    """Run everything in a child process with its own disk."""
    if not is_possible():
        arena.tally["full disks (no private mounts on this machine)"] += 0
        return
    kill_count = max(3, cycles // CYCLES_PER_CYCLE)
    harm_count = 1 if cycles < CYCLES_PER_CYCLE else len(HARMS)
    given = map(str, (arena.seed, kill_count, harm_count))
    command = [*NAMESPACE, sys.executable, "-m", __name__, *given]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=ENDS_WITHIN_S
    )
    require(done.returncode == 0, f"on a full disk: {done.stderr[-4000:]}")
    arena.tally.update(json.loads(done.stdout.splitlines()[-1]))


def is_possible() -> bool:
    """Whether this machine allows private mounts."""
    if shutil.which(NAMESPACE[0]) is None:
        return False
    tried = [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, timeout=WITHIN_S).returncode == 0


class Disk:
    """A tmpfs of a few megabytes, and a ballast file to fill it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"
        folder.mkdir()
        size = f"size={SIZE_BYTES}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)

    def fill(self, leaving: int) -> None:
        """Leave at most this many bytes free."""
        facts = os.statvfs(self.folder)
        free = facts.f_bavail * facts.f_frsize
        self._ballast.write_bytes(bytes(max(0, free - leaving)))

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def unmount(self, evidence: Path | None = None) -> None:
        if evidence is not None:
            shutil.copytree(self.folder, evidence, ignore=shutil.ignore_patterns("*.sock"))
        subprocess.run(["umount", str(self.folder)], check=True)


def crash_while_taking_back(arena: Arena, disk: Disk, promises: Promises) -> None:
    """Appenders die while they take back a write that did not fit."""
    for point in POINTS:
        promises.remember_state()
        before = promises.check()
        disk.fill(leaving=ROOM_FOR_HALF)
        child = appends.start(arena, promises.home, armed=point)
        require(child.wait_for_exit() == KILLED, f"the crash point {point} was never hit: {child}")
        promises.record(child)
        promises.check_recovered(child, before)
        disk.free()
        appends.run_cleanly(arena, promises, facts=20)


def kill_appenders(arena: Arena, disk: Disk, count: int) -> Promises:
    """Appenders meet a full disk; some get room again, all are killed."""
    home = Home(str(disk.folder / "log"))
    promises = Promises(home)
    promises.was_full = True
    for _ in range(count):
        promises.remember_state()
        before = promises.check()
        disk.fill(leaving=arena.rng.choice(ROOM))
        child = appends.start(arena, home)
        require(child.wait_for("R"), f"it does not open its log on a full disk: {child}")
        time.sleep(arena.rng.uniform(0, 0.5))
        if arena.rng.random() < 0.5:
            disk.free()
            _wait_for_progress(child)
        require(child.kill() == KILLED, f"it ended on its own: {child}")
        promises.record(child)
        promises.check_recovered(child, before)
        disk.free()
    appends.run_cleanly(arena, promises, facts=20)
    return promises


def _wait_for_progress(child: Child) -> None:
    """Wait until it appends again."""
    seen = len(child.lines)
    end = time.monotonic() + WITHIN_S
    while len(child.lines) == seen and not child.has_printed("B"):
        require(child.is_running, f"it ended on its own: {child}")
        require(time.monotonic() < end, f"there is room again, but it appends nothing: {child}")
        time.sleep(0.005)


def run_daemons(arena: Arena, disk: Disk, harms: Sequence[Harm]) -> None:
    """On a full disk and with a damaged log, the daemon starts, answers and stops."""
    promises = Promises(Home(str(disk.folder / "h")))
    promises.was_full = True
    harness = daemons.DaemonHarness(arena, promises)
    harness.run_cleanly()
    for harm in harms:
        harm(promises, arena.rng)
        disk.fill(leaving=0)
        child = harness.start()
        harness.wait_until_it_answers(child)
        _wait_until_reported(harness)
        require(child.kill() == KILLED, f"it ended on its own: {child}")
        child = harness.start()
        harness.wait_until_it_answers(child)
        harness.ask_to_stop()
        require(child.wait_for_exit() == 0, f"it does not stop on a full disk: {child}")
        disk.free()
        harness.run_cleanly()


def _wait_until_reported(harness: daemons.DaemonHarness) -> None:
    end = time.monotonic() + WITHIN_S
    while time.monotonic() < end:
        data = client.ask(harness.home.socket, "GET", "/v1/status").data
        if "DISK_FULL" in [reason["code"] for reason in data["reasons"]]:
            return
        client.ask(harness.home.socket, "POST", "/v1/reload")  # a fact that fills the last page
    raise Broken("the disk is full, but status does not report DISK_FULL")


def main() -> None:
    """`python -m chaos.full_disk SEED KILLS HARMS`, run in the namespace."""
    seed, kill_count, harm_count = map(int, sys.argv[1:])
    with Arena(seed, "full disk") as arena:
        disk = Disk(arena.folder / "disk")
        try:
            promises = kill_appenders(arena, disk, kill_count)
            crash_while_taking_back(arena, disk, promises)
            run_daemons(arena, disk, HARMS[:harm_count])
        except Exception:
            disk.unmount(evidence=arena.folder / "evidence")
            raise
        disk.unmount()
    found = promises.acknowledged
    print(json.dumps({"kills on a full disk": kill_count, "facts found again there": found}))


if __name__ == "__main__":
    main()
