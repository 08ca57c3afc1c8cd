"""Time that does not go as it should: clocks that jump, a process that stands still, restarts."""

import time

from chaos import client
from chaos.harness import require
from chaos.resident import WITHIN_S, Resident

DAY_S = 86_400.0
HOUR_MS = 3_600_000
PAUSE_S = 3
JUMPS = (3 * DAY_S, -2 * DAY_S, 400 * DAY_S, 0.0, -30.0, 7200.0, 0.0)
RESTARTS = 10
QUEUE = 17_000  # more events than the system keeps for who does not fetch them


def jump(resident: Resident) -> None:
    """The wall clock is set forth and back; notes are saved after each jump."""
    for offset in JUMPS:
        resident.set_clock(offset)
        resident.until_found(resident.save())


def jump_amid_work(resident: Resident) -> None:
    """A day back and a day forth, and home again, each while a job makes vectors: it is finished,
    took no day by its own account, and the next save is found."""
    for offset in (-DAY_S, 0.0, DAY_S, 0.0):
        resident.provider.delay_s = 0.3
        note = resident.save()
        job = resident.ask_for("sync")
        resident.until(lambda said: said["active_job"], "a job at work")
        resident.set_clock(offset)
        resident.provider.delay_s = 0.0
        resident.until_found(note)
        resident.settle()
        (ended,) = [one for one in resident.facts("job_finished") if one["job_id"] == job]
        require(ended["outcome"] == "complete", f"it ended otherwise: {ended}")
        last = resident.status()["last_job"]
        for took in (ended["duration_ms"], last["text_ms"], last["duration_ms"]):
            require(0 <= took < HOUR_MS, f"how long it took: {took} ms")


def jump_while_paused(resident: Resident) -> None:
    """A pause of some seconds is over after those seconds, though the clock was set back a day."""
    resident.pause(PAUSE_S)
    resident.set_clock(-DAY_S)
    note = resident.save()
    resident.until(lambda said: said["paused"] is None, "the end of the pause")
    resident.until_found(note)
    resident.set_clock(0)


def sleep(resident: Resident) -> None:
    """As a machine that was shut for a day: what it slept through is not taken for seen.

    Until it has looked, it is stale; whether a probe tells that before it has is chance.
    """
    resident.freeze()
    before = len(resident.facts("vault_scanned"))
    note = resident.save()
    resident.set_clock(DAY_S)
    resident.thaw()
    resident.until_found(note)
    resident.until_facts("vault_scanned", before + 1)
    resident.settle()
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


def stand_still_for_a_minute(resident: Resident, seconds: float = 60.0) -> None:
    """Stopped for a minute with a question on its way, a job at work and somebody who follows: all
    of them get their answer, and what was saved meanwhile is found."""
    follower = client.Follower(resident.home.socket, 0)
    resident.provider.delay_s = 0.3
    resident.save()
    resident.ask_for("sync")
    resident.until(lambda said: said["active_job"], "a job at work")
    resident.freeze()
    with client.connect(resident.home.socket) as asked:
        asked.settimeout(seconds + WITHIN_S)
        client.send(asked, "GET", "/v1/status")
        note = resident.save()
        time.sleep(seconds)
        resident.provider.delay_s = 0.0
        resident.thaw()
        head = asked.recv(65_536)
    require(b" 200 " in head, f"who asked meanwhile was told: {head[:200]!r}")
    resident.until_found(note)
    said = resident.settle()
    seq = f'"seq":{said["log"]["seq"]},'.encode()
    follower.until(seq, WITHIN_S)
    follower.close()


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


CASES = (
    jump,
    jump_amid_work,
    jump_while_paused,
    sleep,
    overflow,
    stand_still,
    stand_still_for_a_minute,
    restart,
)
