"""The daemon's fixtures, for tests of privacy and robustness."""

from tests.daemon.conftest import clock, folder, gateway, home, start

__all__ = ["clock", "folder", "gateway", "home", "start"]
