"""Damaged files, some of each kind, always the same. `fuzz_readers.py` runs as many as you like."""

import itertools
from collections.abc import Iterator

import pytest
import structlog

from ragd.vault.document_worker import DocumentWorker
from tests.vault.foreign_readers.fuzz_readers import fuzz, mutations


@pytest.fixture(autouse=True)
def no_log_is_configured_afterwards() -> Iterator[None]:
    """The fuzzer captures the log, which counts as a configuration."""
    yield
    structlog.reset_defaults()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pdf", "docx", "epub"])
def test_damaged_files_cost_only_themselves(worker: DocumentWorker, kind: str) -> None:
    outcome = fuzz(kind, 300, seed=20_261_118, worker=worker)
    assert outcome.defects == []
    assert outcome.counts["read"] > 20 and len(outcome.counts) > 1


def test_a_seed_makes_the_same_files_again() -> None:
    first, again = (list(itertools.islice(mutations("docx", 7, ()), 20)) for _ in range(2))
    assert first == again and len(set(first)) > 15
