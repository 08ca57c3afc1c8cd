"""`ragctl coverage`: the table, and its refusals."""

from typing import Any

from ragctl.views.coverage import render_coverage
from ragctl.views.render import Ink

NOTHING: dict[str, Any] = {"total": 0, "reasons": {}, "files": []}


def numbers(notes: int, **more: int) -> dict[str, Any]:
    zeros = dict.fromkeys(
        ("vectors_missing", "vectors_never", "failed", "skipped", "waiting", "size_bytes"), 0
    )
    counts = {"notes": notes, "passages": 2 * notes, "vectors": 2 * notes}
    return {**counts, **zeros, "last_change": None, **more}


def data(**more: Any) -> dict[str, Any]:
    return {
        "collections": [
            {"name": "vault", **numbers(3), "private": False},
            {"name": "diary", **numbers(1), "private": True},
        ],
        "folder": None,
        "folders": [
            {"path": "Journal", "collection": "vault", **numbers(2, failed=1, vectors=3)},
            {"path": "Journal/2024", "collection": "vault", **numbers(1)},
            {"path": "@diary/deep", "collection": "diary", **numbers(1, waiting=4)},
        ],
        "left_out": 0,
        "failed": NOTHING,
        "skipped": NOTHING,
        **more,
    }


def test_folders_are_shown_below_their_collections() -> None:
    lines = render_coverage(data(), Ink()).splitlines()
    assert [line.split() for line in lines] == [
        ["notes", "passages", "vectors", "last", "change"],
        ["vault", "3", "6", "100", "%"],
        ["Journal", "2", "4", "75", "%", "1", "failed"],
        ["2024", "1", "2", "100", "%"],
        ["@diary", "(private)", "1", "2", "100", "%"],
        ["deep", "1", "2", "100", "%", "4", "waiting"],
    ]
    assert lines[3].startswith("    2024") and lines[5].startswith("  deep")


def test_a_vector_that_is_missing_is_never_rounded_away() -> None:
    rows = [{"path": "J", "collection": "vault", **numbers(5000, vectors=9999, vectors_missing=1)}]
    shown = render_coverage(data(folders=rows), Ink())
    assert "99 %" in shown and "1 without a vector yet" in shown


def test_files_with_problems_are_listed_with_their_reasons() -> None:
    files = [{"path": f"{n}\x1b[2J.md", "code": "x", "reason": "too large"} for n in range(12)]
    failed = {"total": 12, "reasons": {}, "files": files}
    shown = render_coverage(data(failed=failed, left_out=3), Ink())
    assert "12 files could not be read" in shown and "and 2 more" in shown
    assert "3 smaller folders left out" in shown and "\x1b" not in shown


def test_the_notes_of_one_folder_are_listed() -> None:
    note = {"path": "J/a.md", "state": "indexed", "reason": None, "passages": 2, "vectors": 1}
    other = {**note, "path": "J/b.md", "state": "failed", "reason": "too large"}
    third = {**note, "path": "J/c.md", "state": "waiting"}
    top = {"path": "J", "collection": "vault", **numbers(3)}
    shown = render_coverage(
        data(folder=top, folders=[], notes=[note, other, third], more=7), Ink()
    ).splitlines()
    assert shown[1].split()[0] == "J"
    assert shown[3:] == [
        "  J/a.md  2 passages, 1 with a vector",
        "  J/b.md  failed: too large",
        "  J/c.md  waiting",
        "  and 7 more notes",
    ]
