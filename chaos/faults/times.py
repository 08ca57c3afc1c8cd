"""Time that does not go as it should: clocks that jump, a process that stands still, restarts."""

import time

from chaos.harness import require
from chaos.resident import Resident

DAY_S = 86_400.0
JUMPS = (3 * DAY_S, -2 * DAY_S, 400 * DAY_S, 0.0, -30.0, 7200.0, 0.0)
RESTARTS = 10
QUEUE = 17_000  # more events than the system keeps for who does not fetch them


def jump(resident: Resident) -> None:
    """The wall clock is set forth and back; notes are saved after each jump."""
    for offset in JUMPS:
        resident.set_clock(offset)
        resident.until_found(resident.save())


def sleep(resident: Resident) -> None:
    """As a machine that was shut for a day: what it slept through is not taken for seen."""
    resident.freeze()
    note = resident.save()
    resident.set_clock(DAY_S)
    resident.thaw()
    resident.until_found(note)
    resident.settle()
    reasons = [fact["reasons"] for fact in resident.facts("health_changed")]
    require(["INDEX_STALE"] in reasons, f"it was never stale: {reasons}")
    resident.set_clock(0)


def overflow(resident: Resident) -> None:
    """It stands still while more happens than the system remembers for it."""
    noise = resident.vault.folder / "noise.txt"
    resident.freeze()
    for number in range(QUEUE // 2):
        noise.write_text(str(number))  # opened and written: two events at least
    note = resident.save()
    resident.thaw()
    noise.unlink()
    resident.until_found(note)


def stand_still(resident: Resident) -> None:
    """Stopped and continued a few times in the middle of work."""
    rng = resident.arena.rng
    for _ in range(5):
        note = resident.save()
        time.sleep(rng.uniform(0, 0.4))
        resident.freeze()
        resident.write_another()
        time.sleep(rng.uniform(0, 0.3))
        resident.thaw()
        resident.until_found(note)


def restart(resident: Resident) -> None:
    """Ten restarts in a row, some by force, with something saved before each."""
    for _ in range(RESTARTS):
        note = resident.save()
        if resident.arena.rng.random() < 0.5:
            resident.kill()
        else:
            resident.stop()
        resident.start()
        resident.until_found(note)
    resident.settle()


CASES = (jump, sleep, overflow, stand_still, restart)
