"""Which notes were moved."""

from msgspec import Struct

from ragd.vault.move_matching import match_moves, possible_moves


class File(Struct):
    size: int
    mtime_ns: int = 1


def test_a_path_whose_content_appeared_elsewhere_was_moved() -> None:
    assert match_moves({"a/x.md": "1", "a/y.md": "2"}, {"b/y.md": "2", "b/z.md": "3"}) == {
        "b/y.md": "a/y.md"
    }


def test_each_new_path_stands_for_one_that_vanished() -> None:
    vanished = {f"{number}.md": "same" for number in range(1000)}
    moves = match_moves(vanished, {"copy.md": "same", "copy 2.md": "same"})
    assert moves.keys() == {"copy.md", "copy 2.md"}
    assert len(set(moves.values())) == 2


def test_of_equal_notes_the_one_that_kept_its_name_is_it() -> None:
    vanished = {"a/1.md": "same", "a/2.md": "same", "a/3.md": "same"}
    moves = match_moves(vanished, {"b/other.md": "same", "b/2.md": "same", "b/1.md": "same"})
    assert moves == {"b/1.md": "a/1.md", "b/2.md": "a/2.md", "b/other.md": "a/3.md"}


def test_only_files_of_a_size_that_vanished_are_read() -> None:
    assert possible_moves([File(10), File(30)], [File(10), File(20), File(30)]) == [
        File(10),
        File(30),
    ]


def test_where_a_size_is_not_known_every_file_is_read() -> None:
    assert possible_moves([File(0, mtime_ns=0)], [File(10), File(20)]) == [File(10), File(20)]
