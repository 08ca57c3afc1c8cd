"""The daemon's fixtures, and a memory to store."""

from pathlib import Path

import pytest

from ragd.paths import Home
from tests.daemon.conftest import clock, folder, gateway, home, start

__all__ = ["clock", "folder", "gateway", "home", "start"]

STORE = "/v1/tools/obsidian_rag_memory_store"


@pytest.fixture
def vault(home: Home) -> Path:
    """The vault next to the home, with a note about money in it."""
    found = Path(home.root).parent / "vault"
    (found / "People").mkdir()
    (found / "People/Sreenivas.md").write_text("I owe Sreenivas $70.\n")
    return found
