"""A worker with the real process, shared by the tests of a module."""

from collections.abc import Iterator

import pytest

from ragd.vault.document_worker import DocumentWorker
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def worker() -> Iterator[DocumentWorker]:
    made = DocumentWorker(PATIENCE_S, PATIENCE_S)
    yield made
    made.close()
