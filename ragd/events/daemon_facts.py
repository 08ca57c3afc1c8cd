"""What the daemon records about its own runs and its log."""

from typing import Literal

from msgspec import field

from ragd.events.fact import Fact, PreviousStop

# The daemon


class DaemonStarted(Fact, frozen=True, kw_only=True, tag="daemon_started"):
    """A run began. `provider` is the configured one; it decides what an absent Ollama means."""

    version: str  # of the daemon
    config_hash: str
    previous_stop: PreviousStop  # how the run before this one ended
    provider: str = "auto"


class DaemonStopped(Fact, frozen=True, kw_only=True, tag="daemon_stopped"):
    """A run ended in order: everything before this record is durable."""

    reason: str  # `requested`, or `refused`: it could not serve


class ConfigReloaded(Fact, frozen=True, kw_only=True, tag="config_reloaded"):
    """The configuration file was read again and took effect."""

    config_hash: str
    provider: str = "auto"  # the configured one
    collections: list[str] = field(default_factory=list)  # the names of those besides the vault


class ActorCrashed(Fact, frozen=True, kw_only=True, tag="actor_crashed"):
    """An actor raised an exception: its type and place, never its message."""

    name: str  # which actor
    exception: str  # its type
    location: str  # the place in our code


class TailCut(Fact, frozen=True, kw_only=True, tag="tail_cut"):
    """A torn tail, never acknowledged, was cut off. Its bytes are kept in `kept_as`."""

    segment: str
    offset: int  # where in the segment it was cut
    size_bytes: int  # how much was cut off
    kept_as: str


class SegmentQuarantined(Fact, frozen=True, kw_only=True, tag="segment_quarantined"):
    """Durable records were damaged or missing. `kept_as` is empty if nothing was left to keep."""

    segment: str
    first_seq: int  # the first record that is lost
    last_seq: int  # the last one that may have been there
    reason: Literal["damaged", "missing", "header"]
    kept_as: str = ""
