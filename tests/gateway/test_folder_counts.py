"""The numbers of every folder."""

from ragd.folds.catalog import Entry
from ragd.gateway.folder_counts import count_problems, count_stored, merged

FILES = {
    "a.md": Entry("x", 5, 10, 2, 1),
    "J/b.md": Entry("x", 9, 20, 3, 1, barred=1),
    "J/K/c.md": Entry("x", 7, 30, 4, 4),
    "@papers/d.md": Entry("x", 8, 40, 1, 0),
    "@other/e.md": Entry("x", 1, 50, 1, 1),
    "@memory/main/n/f.md": Entry("x", 2, 60, 1, 1),
}
NAMES = ("papers", "memory/main")


def test_each_folder_has_the_numbers_of_all_notes_below_it() -> None:
    tree = count_stored(FILES, NAMES)
    vault = tree["vault"]
    assert set(vault) == {"", "J", "J/K", "@other"}  # no collection has the name "other"
    assert (vault[""].notes, vault["J"].notes, vault["J/K"].notes) == (4, 2, 1)
    assert (vault["J"].passages, vault["J"].vectors, vault["J"].lacking) == (7, 5, 1)
    assert (vault["J"].newest_ns, vault[""].size_bytes) == (9, 110)
    assert tree["papers"][""].notes == 1
    assert {folder: one.notes for folder, one in tree["memory/main"].items()} == {"": 1, "n": 1}


def test_files_with_problems_are_counted_in_folders_without_notes_too() -> None:
    problems = count_problems(["J/x.md"], ["New/y.md"], ["New/z.md", "@papers/w.md"], NAMES)
    stored = count_stored(FILES, NAMES)
    both = merged(stored, problems)
    assert (both["vault"]["J"].failed, both["vault"]["J"].notes) == (1, 2)
    new = both["vault"]["New"]
    assert (new.notes, new.skipped, new.waiting) == (0, 1, 1)
    assert both["papers"][""].waiting == 1
    assert stored["vault"]["J"].failed == 0  # what is kept does not change


def test_an_empty_index_has_an_empty_vault() -> None:
    tree = count_stored({}, ())
    assert tree["vault"][""].notes == 0 and len(tree) == 1
