"""One change of config.json at a time, whichever process makes it.

A change reads the whole file and replaces it. Without the lock, the second of two changes at once
would write the settings without the first one. It reads and writes no settings itself.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ragd.errors import ConfigError
from ragd.paths import Home
from ragd.runtime.lock import try_lock

WITHIN_S = 10.0
_AGAIN_S = 0.02
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def config_lock(home: Home, within_s: float = WITHIN_S) -> Iterator[None]:
    """Lock the file while it is compared or read, and replaced. Raises ConfigError if another
    change takes too long, or the home cannot be written to."""
    try:
        handle = os.open(home.config_lock, _FLAGS, 0o600)
    except FileNotFoundError:  # without a home there is nothing to change
        yield
        return
    except OSError as why:
        raise ConfigError(
            f"{home.config_lock} cannot be opened: {why.strerror}.", "Run `ragctl doctor`."
        ) from None
    try:
        end = time.monotonic() + within_s
        while not try_lock(handle):
            if time.monotonic() > end:
                raise ConfigError("Another command is changing config.json.", "Try again.")
            time.sleep(_AGAIN_S)
        yield
    finally:
        os.close(handle)  # this releases the lock; the file stays
