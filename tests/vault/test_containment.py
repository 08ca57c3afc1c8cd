"""Paths from requests."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.errors import RagdError
from ragd.vault.containment import contained_path


def code_of(path: str) -> str:
    with pytest.raises(RagdError) as refused:
        contained_path(path)
    return refused.value.code


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("Journal", "Journal"),
        ("Journal/2024/", "Journal/2024"),
        ("./Journal//2024/.", "Journal/2024"),
        ("Journal\\2024", "Journal/2024"),
        ("100%25 sure/50%", "100%25 sure/50%"),
        ("Wait…/x", "Wait…/x"),
        ("..notes/a..b/c..", "..notes/a..b/c.."),
        ("Meeting 10:30.md", "Meeting 10:30.md"),
        ("Console/auxiliary", "Console/auxiliary"),
        ("日記/🎉", "日記/🎉"),
        ("a\nb", "a\nb"),
        ("~/x", "~/x"),
    ],
)
def test_a_path_inside_is_given_back_clean(path: str, clean: str) -> None:
    assert contained_path(path) == clean


@pytest.mark.parametrize(
    "path",
    [
        "..", "../x", "a/../b", "a/..", "..\\x", "a\\..\\..\\x", "/etc/passwd", "\\x", "//server/x",
        "\\\\server\\share", "C:\\Windows", "c:x", "C:/x", "file:///etc/passwd", "http://x/y",
        "%2e%2e/x", "%2e%2e%2fx", "..%2fx", "..%5cx", "%252e%252e%252fx", "%%32%65%%32%65/x",
        "%c0%ae%c0%ae/x", "..%c0%afx", "..%c1%9cx", "%e0%80%ae%e0%80%ae/x", "%uff0e%uff0e/x",
        "%u002e%u002e/x", "．．/x", "‥/x", "..／x", "..∕x", "..＼x", "%2fetc", "%5cetc",
        ".. /x", ". ./x", "..../x", "a/%2e%2e", "%" + "25" * 10 + "2e", "%ef%bc%8e%ef%bc%8e/x",
    ],
)  # fmt: skip
def test_a_path_that_leaves_in_any_spelling_is_a_violation(path: str) -> None:
    assert code_of(path) == "SECURITY_VIOLATION"


@pytest.mark.parametrize(
    "path",
    [
        *["", ".", "./", "a\0b", "a%00", "a%2500", "CON", "x/nul.md", "COM1", "lpt9.txt", "aux "],
        *["...", "\ud800", "x" * 5000, "NUL.", "conout$", "a/.../b"],
    ],
)
def test_a_path_that_is_merely_odd_is_an_invalid_request(path: str) -> None:
    assert code_of(path) == "INVALID_REQUEST"


@given(st.text())
def test_no_path_raises_anything_else_and_none_leads_outside(path: str) -> None:
    try:
        found = contained_path(path)
    except RagdError as refused:
        assert refused.code in ("SECURITY_VIOLATION", "INVALID_REQUEST")
    else:
        assert not found.startswith("/")
        assert ".." not in found.split("/")
        assert "\0" not in found


def test_no_attack_string_names_a_file_outside(shared: Path, tmp_path: Path) -> None:
    vault = tmp_path / "a" / "b" / "vault"
    vault.mkdir(parents=True)
    codes = {"SECURITY_VIOLATION": 0, "INVALID_REQUEST": 0, "inside": 0}
    with (shared / "security" / "path_traversal.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            attack = json.loads(line)["text"]
            try:
                found = contained_path(attack)
            except RagdError as refused:
                codes[refused.code] += 1
                continue
            codes["inside"] += 1
            assert not (vault / found).exists(), attack
            assert (vault / found).resolve().is_relative_to(vault), attack
    assert codes["SECURITY_VIOLATION"] > 1000
    assert sum(codes.values()) == 1200
