"""What other checks start from: the configuration, and the log's last word. Nobody is asked."""

from pathlib import Path

from ragd.config import load as configuration
from ragd.config.schema import Config
from ragd.errors import ConfigError, LogUnreadable
from ragd.eventlog.follow import TooOld
from ragd.folds import State
from ragd.paths import Home
from ragd.state.replay import replay


def settings(home: Home) -> Config | None:
    """The configuration, if it can be read; the places that it names are not looked at."""
    try:
        return configuration.read(home)
    except ConfigError:
        return None


def state(home: Home) -> State:
    """What the log knows last; a log that cannot be read knows nothing (`log` says so)."""
    try:
        return replay(Path(home.events), Path(home.snapshots)).state
    except (LogUnreadable, TooOld):
        return State()
