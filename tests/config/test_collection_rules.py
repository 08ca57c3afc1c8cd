"""Which names and folders a collection can have."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ragd.batch.auto_jobs import reading_rules
from ragd.config.collection_rules import name_problem
from ragd.config.load import Config, check_folders, parse, vault_id
from ragd.errors import ConfigError

FOLDER = os.path.abspath("/home/of/ragd")


def build(**collections: Any) -> Config:
    values = {"vault_path": "/vault", "collections": collections}
    return parse(json.dumps(values).encode(), FOLDER)


@pytest.mark.parametrize("name", ["papers", "work-2", "a", "7", "a--b", "x" * 40])
def test_a_plain_name_is_accepted(name: str) -> None:
    assert name_problem(name) is None
    assert name in build(**{name: {"path": "/papers"}}).collections


@pytest.mark.parametrize(
    "name", ["Papers", "-a", "a-", "a b", "a/b", "@a", "ä", "a.b", "vault", "memory", "a\n"]
)
def test_another_name_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ConfigError, match="collections"):
        build(**{name: {"path": "/papers"}})
    assert name_problem(name)


def test_a_name_of_over_forty_characters_is_refused() -> None:
    assert name_problem("x" * 41)
    with pytest.raises(ConfigError, match="at most 40"):
        build(**{"x" * 41: {"path": "/papers"}})


def test_its_paths_are_made_absolute_and_plain() -> None:
    one = build(papers={"path": "papers/../docs", "deny_dirs": ["a//b/"]}).collections["papers"]
    assert one.path == os.path.join(FOLDER, "docs")
    assert one.deny_dirs == ("a/b",)


@pytest.mark.parametrize("folder", ["..", "/etc", "~", "a/../.."])
def test_a_folder_that_leads_out_of_it_is_refused(folder: str) -> None:
    with pytest.raises(ConfigError, match=r"collections\.papers\.allow_dirs\[0\]"):
        build(papers={"path": "/papers", "allow_dirs": [folder]})


def test_the_home_of_an_unknown_user_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"collections\.papers\.path"):
        build(papers={"path": "~nobody-of-this-name/x"})


def check(tmp_path: Path, **roots: str) -> None:
    """Check a home, a vault and these collections, all relative to one folder."""
    values = {
        "vault_path": str(tmp_path / "vault"),
        "collections": {name: {"path": str(tmp_path / root)} for name, root in roots.items()},
    }
    home = str(tmp_path / "home")
    check_folders(parse(json.dumps(values).encode(), home), home)


def test_folders_beside_each_other_are_fine(tmp_path: Path) -> None:
    check(tmp_path, papers="papers", other="papers-2", third="vault-2")


@pytest.mark.parametrize(
    ("root", "message"),
    [
        ("vault", "same folder as the vault"),
        ("vault/papers", "inside the vault"),
        (".", "is inside the collection `second`"),
        ("home", "inside a folder that ragd writes"),
        ("home/papers", "inside a folder that ragd writes"),
        ("first", "same folder as the collection `first`"),
        ("first/deep", "inside the collection `first`"),
        ("first/..", "is inside the collection `second`"),
    ],
)
def test_overlapping_roots_are_refused(tmp_path: Path, root: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        check(tmp_path, first="first", second=root)
    assert message in refused.value.message
    assert "`second`" in refused.value.message


def test_a_root_around_an_earlier_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="contains the collection `first`"):
        check(tmp_path, first="outer/first", second="outer")


def test_a_root_around_the_home_is_refused(tmp_path: Path) -> None:
    values = {"vault_path": "/elsewhere", "collections": {"all": {"path": str(tmp_path)}}}
    home = str(tmp_path / "home")
    with pytest.raises(ConfigError, match="is inside the collection `all`"):
        check_folders(parse(json.dumps(values).encode(), home), home)


def test_roots_that_overlap_by_a_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vault" / "deep").mkdir(parents=True)
    (tmp_path / "papers").symlink_to(tmp_path / "vault" / "deep")
    with pytest.raises(ConfigError, match="inside the vault"):
        check(tmp_path, papers="papers")


def test_a_collection_does_not_change_the_identity_of_the_index() -> None:
    assert vault_id(build()) == vault_id(build(papers={"path": "/papers"}))


def test_only_what_decides_which_notes_are_read_starts_a_sync() -> None:
    plain = build(papers={"path": "/papers"})
    words = build(papers={"path": "/papers", "context": "Papers.", "private": True})
    assert reading_rules(plain) == reading_rules(words)
    for other in (
        build(),
        build(papers={"path": "/other"}),
        build(other={"path": "/papers"}),
        build(papers={"path": "/papers", "patterns": ["*.pdf"]}),
        build(papers={"path": "/papers", "allow_dirs": ["a"]}),
        build(papers={"path": "/papers", "deny_dirs": ["a"]}),
    ):
        assert reading_rules(plain) != reading_rules(other)
