"""docs/troubleshooting.md: every code has its generated sentence and a written paragraph."""

import re
from pathlib import Path

import pytest

from pages import troubleshooting
from ragctl import cli
from ragd import errors
from ragd.errors import CODES
from ragd.folds.health_reasons import REASONS
from ragd.notes import chunk_maker, parse
from ragd.vault import files as vault_files
from ragd.vault import folder_rules, leftover_files, safe_open, session_database, walk

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


def test_every_code_has_a_heading_in_its_part_and_nothing_else_has() -> None:
    health, _, others = PAGE.partition(troubleshooting.OTHERS)
    reasons = {reason.code for reason in REASONS}
    assert set(re.findall(r"^### (.+)$", health, re.M)) == reasons
    assert set(re.findall(r"^### (.+)$", others, re.M)) == set(CODES) - reasons


@pytest.mark.parametrize("code", CODES)
def test_what_it_means_and_what_to_do_are_said(code: str) -> None:
    """If the second fails: write the cause and what to check under its heading."""
    part = PAGE.split(f"\n### {code}\n", 1)[1].split("\n### ", 1)[0]
    assert CODES[code].message in part and CODES[code].suggestion in part
    assert len(troubleshooting.paragraphs(PAGE)[code]) > 80, code


def test_making_it_again_keeps_what_was_written_by_hand() -> None:
    assert troubleshooting.page(PAGE) == PAGE
    bare = re.sub(r"^>.*\n", "", PAGE, flags=re.M)
    assert troubleshooting.paragraphs(bare) == troubleshooting.paragraphs(PAGE)


@pytest.mark.parametrize("code", ["WATCH_LOST", "TIMEOUT"])
def test_a_new_code_gets_its_heading(code: str) -> None:
    without = re.sub(rf"^### {code}\n.*?(?=^##)", "", PAGE, flags=re.M | re.S)
    again = troubleshooting.page(without)
    assert CODES[code].suggestion in again
    health, _, _ = again.partition(troubleshooting.OTHERS)
    assert (f"### {code}" in health) == (code == "WATCH_LOST")
    assert troubleshooting.paragraphs(again)[code] == ""


LEFT_OUT = (
    *(
        folder_rules.TEMPLATES,
        leftover_files.CONFLICT,
        leftover_files.HIDDEN,
        leftover_files.PLACEHOLDER,
    ),
    *(parse.HIDDEN, chunk_maker.TOO_MANY),
    *(safe_open.LINK, safe_open.NOT_REGULAR, safe_open.TOO_LARGE, vault_files.PERMISSION_DENIED),
    *(walk.PATH_TOO_LONG, walk.FOLDER_UNREADABLE, walk.FOLDER_TOO_DEEP, walk.INPUT_OUTPUT),
    *(walk.NAME_NOT_UTF8, safe_open.DOCUMENT_TOO_LARGE, session_database.UNREADABLE_MESSAGE),
)


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_every_reason_to_leave_a_note_out_has_its_row(reason: str) -> None:
    part = PAGE.split("\n## What is left out\n", 1)[1].split("\n## ", 1)[0]
    assert f"\n| {reason} |" in part


def test_every_way_in_which_the_daemon_ends_is_told() -> None:
    kinds = [errors.ConfigError, errors.AlreadyRunning, errors.PermissionRefused]
    codes = {kind.exit_code for kind in [*kinds, errors.LogUnreadable, errors.LogFailed]}
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.M)}
    assert told == codes | {errors.EXIT_FAILED}


def test_every_command_and_every_place_on_this_page_that_it_names_exists() -> None:
    commands = set(re.findall(r"`ragctl (\w+)", PAGE)) | set(
        re.findall(r"^    ragctl (\w+)", PAGE, re.M)
    )
    assert commands <= set(cli.PURPOSES)
    anchors = set(re.findall(r"\]\(#(\w+)\)", PAGE))
    assert anchors and {anchor.upper() for anchor in anchors} <= set(CODES)
