"""A store in a folder of its own, and an index in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.store.lance import ChunkIndex, LanceStore
from tests.store.lance.drafts import identity


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors.lance"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[LanceStore]:
    opened = LanceStore(folder)
    yield opened
    opened.close()


@pytest.fixture
async def index(store: LanceStore) -> AsyncIterator[ChunkIndex]:
    opened = await store.create(identity())
    yield opened
    opened.close()
