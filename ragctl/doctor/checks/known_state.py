"""What several checks need: the configuration, and the state from the log. It needs no daemon."""

from pathlib import Path

from ragd.config import load as configuration
from ragd.config.schema import Config
from ragd.errors import ConfigError, LogUnreadable
from ragd.eventlog.follow import TooOld
from ragd.folds import State
from ragd.paths import Home
from ragd.state.replay import replay


def read_settings(home: Home) -> Config | None:
    """The configuration, or None if it is not valid. Its folders are not checked."""
    try:
        return configuration.read(home)
    except ConfigError:
        return None


def replay_state(home: Home) -> State:
    """The state after the last fact; empty if the log cannot be read (`log` reports that)."""
    try:
        return replay(Path(home.events), Path(home.snapshots)).state
    except (LogUnreadable, TooOld):
        return State()
