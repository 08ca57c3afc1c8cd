"""The daemon's fixtures, for tests of what it keeps to itself and of what it withstands."""

from tests.daemon.conftest import clock, folder, home, house, start

__all__ = ["clock", "folder", "home", "house", "start"]
