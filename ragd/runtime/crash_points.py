"""Named places where a test may kill the process. They do nothing unless the environment arms one.

`RAGD_CRASHPOINT=log.after_write` kills this process (SIGKILL, no clean-up) when it first reaches
that point; `RAGD_CRASHPOINT=log.after_write:7` at the seventh time. Never armed in daily use.
"""

import os
import signal

POINTS = (
    "log.before_write",
    "log.mid_write",
    "log.after_write",
    "log.after_sync",
    "log.before_take_back",
    "log.after_take_back",
    "segment.before_create",
    "segment.after_temporary",
    "segment.after_rename",
    "recovery.after_keep",
    "recovery.after_cut",
    "recovery.after_aside",
    "recovery.after_rewrite",
    "recovery.before_record",
    "recovery.after_mark",
    "snapshot.before_write",
    "snapshot.after_write",
    "snapshot.after_forget",
    "retention.after_drop",
    "durable.after_temporary",
    "durable.after_rename",
    "daemon.after_lock",
    "daemon.after_bind",
    "daemon.before_stopped",
    "daemon.after_stopped",
    "job.after_plan",
    "job.after_read",
    "job.after_formed",
    "embed.before_cache",
    "embed.after_cache",
    "store.before_commit",
    "store.after_commit",
    "store.after_fact",
    "store.after_fill",
    "index.after_create",
    "index.before_switch",
    "index.after_switch",
)


def _parse(armed: str) -> tuple[str, int]:
    name, _, count = armed.partition(":")
    if name and name not in POINTS:
        raise ValueError(f"RAGD_CRASHPOINT is not the name of a crash point: {name}")
    return name, int(count or 1)


_armed, _countdown = _parse(os.environ.get("RAGD_CRASHPOINT", ""))


def is_due(name: str) -> bool:
    """True if this point is armed and its count is reached. For a caller that must first do half
    of its work."""
    global _countdown
    assert name in POINTS, name
    if name != _armed:
        return False
    _countdown -= 1
    return _countdown == 0


def crashpoint(name: str) -> None:
    """Die here if this point is armed."""
    if is_due(name):
        die()


def die() -> None:
    """End this process as a power cut would: no clean-up of any kind."""
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
