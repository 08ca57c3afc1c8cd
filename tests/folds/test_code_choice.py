"""Whether code is indexed: as configured, else as the index has it, else by the share of code."""

import pytest

from ragd.events import (
    IndexActivated,
    IndexBuilding,
    JobRequested,
    JobStarted,
    VaultScanned,
)
from ragd.folds.code_choice import MOSTLY_CODE_PERCENT, chosen_code_blocks
from ragd.health.explanation import code_hint
from ragd.notes.model import ChunkOptions, code_blocks_of
from ragd.notes.parse import fingerprint
from tests.folds.conftest import Log

KEEP, REMOVE = (fingerprint(ChunkOptions(code_blocks=one)) for one in ("keep", "remove"))


def scanned(percent: int | None) -> VaultScanned:
    return VaultScanned(files=1, changed=0, removed=0, code_percent=percent)


def activated(cut: str, generation: str = "g1") -> IndexActivated:
    return IndexActivated(
        generation=generation, provider="embedded", model="m", dimensions=3, fingerprint=cut
    )


@pytest.mark.parametrize("configured", ["keep", "remove"])
def test_an_explicit_setting_wins(log: Log, configured: str) -> None:
    log.add(scanned(99), activated(REMOVE))
    assert chosen_code_blocks(configured, log.state) == configured


@pytest.mark.parametrize(
    ("percent", "chosen"),
    [
        *[(None, "remove"), (0, "remove"), (MOSTLY_CODE_PERCENT, "remove")],
        *[(MOSTLY_CODE_PERCENT + 1, "keep"), (100, "keep")],
    ],
)
def test_the_share_of_code_decides_for_the_first_index(
    log: Log, percent: int | None, chosen: str
) -> None:
    log.add(scanned(percent))
    assert chosen_code_blocks("auto", log.state) == chosen


@pytest.mark.parametrize(("cut", "chosen"), [(KEEP, "keep"), (REMOVE, "remove")])
def test_an_index_keeps_the_choice_it_was_made_with(log: Log, cut: str, chosen: str) -> None:
    log.add(activated(cut))
    for percent in (0, 100):
        log.add(scanned(percent))
        log.through_a_snapshot()
        assert chosen_code_blocks("auto", log.state) == chosen


def test_a_reindex_chooses_again_and_its_index_keeps_the_choice(log: Log) -> None:
    log.add(activated(REMOVE), scanned(80))
    log.add(JobRequested(job_id="j", mode="reindex"))
    assert chosen_code_blocks("auto", log.state) == "remove", "it has not begun"
    log.add(JobStarted(job_id="j", mode="reindex", files_planned=1, files_removed=0))
    assert chosen_code_blocks("auto", log.state) == "keep"
    log.add(IndexBuilding(generation="g2", job_id="j", fingerprint=KEEP), scanned(10))
    assert chosen_code_blocks("auto", log.state) == "keep"
    log.finish(mode="reindex", job="j")
    assert chosen_code_blocks("auto", log.state) == "keep"
    log.add(activated(KEEP, "g2"))
    assert chosen_code_blocks("auto", log.state) == "keep"


def test_a_reindex_that_was_cancelled_changes_nothing(log: Log) -> None:
    log.add(activated(REMOVE), scanned(80))
    log.add(JobRequested(job_id="j", mode="reindex"))
    log.add(JobStarted(job_id="j", mode="reindex", files_planned=1, files_removed=0))
    log.add(IndexBuilding(generation="g2", job_id="j", fingerprint=KEEP))
    log.finish("cancelled", mode="reindex", job="j")
    assert chosen_code_blocks("auto", log.state) == "remove"


def test_an_old_log_without_a_share_or_a_fingerprint_leaves_code_out(log: Log) -> None:
    log.add(activated(""), scanned(None))
    assert chosen_code_blocks("auto", log.state) == "remove"
    log.add(scanned(60))
    log.add(scanned(None))
    assert log.state.catalog.code_percent == 60, "a scan without a sample keeps the last one"


def test_the_fingerprint_says_what_happened_to_code() -> None:
    assert (code_blocks_of(KEEP), code_blocks_of(REMOVE)) == ("keep", "remove")
    assert code_blocks_of("") is code_blocks_of("c0ffee") is None


def test_a_hint_says_when_a_reindex_would_choose_otherwise(log: Log) -> None:
    log.add(activated(REMOVE))
    catalog = log.state.catalog
    assert catalog.index is not None
    assert code_hint(catalog.index, catalog, "auto") is None, "nothing was measured"
    log.add(scanned(80))
    hint = code_hint(catalog.index, catalog, "auto")
    assert hint is not None and "ragctl reindex" in hint["suggestion"]
    assert code_hint(catalog.index, catalog, "remove") is None
    log.add(activated(KEEP))
    assert catalog.index is not None and code_hint(catalog.index, catalog, "auto") is None
