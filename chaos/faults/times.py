"""Clocks that jump, a process that is frozen, restarts."""

import time

from chaos import client
from chaos.harness import require
from chaos.managed_daemon import WITHIN_S, ManagedDaemon

DAY_S = 86_400.0
HOUR_MS = 3_600_000
PAUSE_S = 3
JUMPS = (3 * DAY_S, -2 * DAY_S, 400 * DAY_S, 0.0, -30.0, 7200.0, 0.0)
RESTARTS = 10
QUEUE = 17_000  # more events than the system keeps for a process that does not read them


def jump(daemon: ManagedDaemon) -> None:
    """The wall clock is set forward and back; a note is saved after each jump."""
    for offset in JUMPS:
        daemon.set_clock(offset)
        daemon.wait_until_found(daemon.save())


def jump_amid_work(daemon: ManagedDaemon) -> None:
    """The clock jumps by a day while a job makes vectors: the job is completed, reports no duration
    of a day, and the next save is found."""
    for offset in (-DAY_S, 0.0, DAY_S, 0.0):
        daemon.provider.delay_s = 0.3
        note = daemon.save()
        job = daemon.request_job("sync")
        daemon.wait_for(lambda said: said["active_job"], "a job at work")
        daemon.set_clock(offset)
        daemon.provider.delay_s = 0.0
        daemon.wait_until_found(note)
        daemon.settle()
        (ended,) = [one for one in daemon.facts("job_finished") if one["job_id"] == job]
        require(ended["outcome"] == "complete", f"it is not complete: {ended}")
        last = daemon.status()["last_job"]
        for took in (ended["duration_ms"], last["text_ms"], last["duration_ms"]):
            require(0 <= took < HOUR_MS, f"a wrong duration: {took} ms")


def jump_while_paused(daemon: ManagedDaemon) -> None:
    """A pause of some seconds ends after those seconds, though the clock was set back a day."""
    daemon.pause(PAUSE_S)
    daemon.set_clock(-DAY_S)
    note = daemon.save()
    daemon.wait_for(lambda said: said["paused"] is None, "the end of the pause")
    daemon.wait_until_found(note)
    daemon.set_clock(0)


def sleep(daemon: ManagedDaemon) -> None:
    """Like a laptop that was closed for a day: notes saved meanwhile are found after a scan.

    Until that scan the index is stale; a probe may or may not report that in time.
    """
    daemon.freeze()
    before = len(daemon.facts("vault_scanned"))
    note = daemon.save()
    daemon.set_clock(DAY_S)
    daemon.thaw()
    daemon.wait_until_found(note)
    daemon.wait_for_facts("vault_scanned", before + 1)
    daemon.settle()
    daemon.set_clock(0)


def overflow(daemon: ManagedDaemon) -> None:
    """It is frozen while more events happen than the system keeps."""
    noise = daemon.vault.folder / "noise.txt"
    daemon.freeze()
    for number in range(QUEUE // 2):
        noise.write_text(str(number))  # open and write: at least two events
    note = daemon.save()
    daemon.thaw()
    noise.unlink()
    daemon.wait_until_found(note)


def stand_still(daemon: ManagedDaemon) -> None:
    """Freeze and thaw it a few times while it works."""
    rng = daemon.arena.rng
    for _ in range(5):
        note = daemon.save()
        time.sleep(rng.uniform(0, 0.4))
        daemon.freeze()
        daemon.write_note()
        time.sleep(rng.uniform(0, 0.3))
        daemon.thaw()
        daemon.wait_until_found(note)


def stand_still_for_a_minute(daemon: ManagedDaemon, seconds: float = 60.0) -> None:
    """Frozen for a minute with a request, a job and a follower in progress: all of them get their
    answer, and a note saved meanwhile is found."""
    follower = client.Follower(daemon.home.socket, 0)
    daemon.provider.delay_s = 0.3
    daemon.save()
    daemon.request_job("sync")
    daemon.wait_for(lambda said: said["active_job"], "a job at work")
    daemon.freeze()
    with client.connect(daemon.home.socket) as connection:
        connection.settimeout(seconds + WITHIN_S)
        client.send(connection, "GET", "/v1/status")
        note = daemon.save()
        time.sleep(seconds)
        daemon.provider.delay_s = 0.0
        daemon.thaw()
        head = connection.recv(65_536)
    require(b" 200 " in head, f"the answer to the request: {head[:200]!r}")
    daemon.wait_until_found(note)
    said = daemon.settle()
    seq = f'"seq":{said["log"]["seq"]},'.encode()
    follower.wait_for(seq, WITHIN_S)
    follower.close()


def restart(daemon: ManagedDaemon) -> None:
    """Ten restarts in a row, some after a kill, with a note saved before each."""
    for _ in range(RESTARTS):
        note = daemon.save()
        if daemon.arena.rng.random() < 0.5:
            daemon.kill()
        else:
            daemon.stop()
        daemon.start()
        daemon.wait_until_found(note)
    daemon.settle()


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
