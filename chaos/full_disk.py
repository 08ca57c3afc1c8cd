"""A disk that is full for real: a small one of our own, in a mount namespace of our own.

`unshare` gives both without privileges on most Linux machines; where it does not, this part is
left out and says so. The disk is gone with the process that mounted it.
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
from chaos.checks import Book
from chaos.harness import KILLED, WITHIN_S, Arena, Broken, Child, environment, require
from ragd.paths import Home

SIZE_BYTES = 9 * 1024 * 1024
POINTS = ("log.before_take_back", "log.after_take_back")
ROOM_FOR_HALF = 100_000
ROOM = (0, 4096, 100_000, 600_000)
CYCLES_PER_CYCLE = 20
ENDS_WITHIN_S = 280.0
OUR_OWN_NAMESPACE = ("unshare", "--map-root-user", "--mount")

Harm = Callable[[Book, Random], None]


def unharmed(book: Book, rng: Random) -> None:
    """The full disk alone."""


HARMS: tuple[Harm, ...] = (spoil.tear, spoil.damage_last, unharmed)


def run(arena: Arena, cycles: int) -> None:
    """All of it, in a process that has the disk to itself."""
    if not is_possible():
        arena.tally["full disks (no private mounts on this machine)"] += 0
        return
    kill_count = max(3, cycles // CYCLES_PER_CYCLE)
    harm_count = 1 if cycles < CYCLES_PER_CYCLE else len(HARMS)
    given = map(str, (arena.seed, kill_count, harm_count))
    command = [*OUR_OWN_NAMESPACE, sys.executable, "-m", __name__, *given]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=ENDS_WITHIN_S
    )
    require(done.returncode == 0, f"on a full disk: {done.stderr[-4000:]}")
    arena.tally.update(json.loads(done.stdout.splitlines()[-1]))


def is_possible() -> bool:
    """Whether this machine lets us mount something for ourselves."""
    if shutil.which(OUR_OWN_NAMESPACE[0]) is None:
        return False
    tried = [*OUR_OWN_NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, timeout=WITHIN_S).returncode == 0


class Disk:
    """A tmpfs of a few megabytes, and a ballast to fill it with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"
        folder.mkdir()
        size = f"size={SIZE_BYTES}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)

    def fill(self, leaving: int) -> None:
        """No more than so much is left, whoever may write."""
        facts = os.statvfs(self.folder)
        free = facts.f_bavail * facts.f_frsize
        self._ballast.write_bytes(bytes(max(0, free - leaving)))

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def unmount(self, evidence: Path | None = None) -> None:
        if evidence is not None:
            shutil.copytree(self.folder, evidence, ignore=shutil.ignore_patterns("*.sock"))
        subprocess.run(["umount", str(self.folder)], check=True)


def take_back(arena: Arena, disk: Disk, book: Book) -> None:
    """Killed while it takes back what did not fit; there is no room for the next start either."""
    for point in POINTS:
        book.remember_state()
        before = book.check()
        disk.fill(leaving=ROOM_FOR_HALF)
        child = appends.start(arena, book.home, armed=point)
        require(child.ended() == KILLED, f"the crash point {point} was never hit: {child}")
        book.note(child)
        book.check_recovered(child, before)
        disk.free()
        appends.live_in_order(arena, book, facts=20)


def kills(arena: Arena, disk: Disk, count: int) -> Book:
    """Appenders that run into a full disk; some get room again, all are killed."""
    home = Home(str(disk.folder / "log"))
    book = Book(home)
    book.was_full = True
    for _ in range(count):
        book.remember_state()
        before = book.check()
        disk.fill(leaving=arena.rng.choice(ROOM))
        child = appends.start(arena, home)
        require(child.wait_for("R"), f"it does not open its log on a full disk: {child}")
        time.sleep(arena.rng.uniform(0, 0.5))
        if arena.rng.random() < 0.5:
            disk.free()
            _wait_for_more(child)
        require(child.kill() == KILLED, f"it ended by itself: {child}")
        book.note(child)
        book.check_recovered(child, before)
        disk.free()
    appends.live_in_order(arena, book, facts=20)
    return book


def _wait_for_more(child: Child) -> None:
    """With room again, it goes on by itself."""
    seen = len(child.lines)
    end = time.monotonic() + WITHIN_S
    while len(child.lines) == seen and not child.has_said("B"):
        require(child.is_running, f"it ended by itself: {child}")
        require(time.monotonic() < end, f"there is room again, but it does not go on: {child}")
        time.sleep(0.005)


def daemon_serves(arena: Arena, disk: Disk, harms: Sequence[Harm]) -> None:
    """On a full disk, with a harmed log on top, the daemon starts, answers and stops."""
    book = Book(Home(str(disk.folder / "h")))
    book.was_full = True
    house = daemons.House(arena, book)
    house.live_in_order()
    for harm in harms:
        harm(book, arena.rng)
        disk.fill(leaving=0)
        child = house.start()
        house.wait_until_it_answers(child)
        _wait_until_it_says_so(house)
        require(child.kill() == KILLED, f"it ended by itself: {child}")
        child = house.start()
        house.wait_until_it_answers(child)
        house.ask_to_stop()
        require(child.ended() == 0, f"it does not stop on a full disk: {child}")
        disk.free()
        house.live_in_order()


def _wait_until_it_says_so(house: daemons.House) -> None:
    end = time.monotonic() + WITHIN_S
    while time.monotonic() < end:
        data = client.ask(house.home.socket, "GET", "/v1/status").data
        if "DISK_FULL" in [reason["code"] for reason in data["reasons"]]:
            return
        client.ask(house.home.socket, "POST", "/v1/reload")  # the last bytes of the last page
    raise Broken("the disk is full, and status does not say so")


def main() -> None:
    """In a namespace of our own: `python -m chaos.full_disk SEED KILLS HARMS`."""
    seed, kill_count, harm_count = map(int, sys.argv[1:])
    with Arena(seed, "full disk") as arena:
        disk = Disk(arena.folder / "disk")
        try:
            book = kills(arena, disk, kill_count)
            take_back(arena, disk, book)
            daemon_serves(arena, disk, HARMS[:harm_count])
        except Exception:
            disk.unmount(evidence=arena.folder / "evidence")
            raise
        disk.unmount()
    found = book.acknowledged
    print(json.dumps({"kills on a full disk": kill_count, "facts found again there": found}))


if __name__ == "__main__":
    main()
