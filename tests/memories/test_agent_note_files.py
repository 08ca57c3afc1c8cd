"""The files of agents' notes: nothing outside their two folders is read, written or erased."""

from pathlib import Path

import pytest

from ragd.errors import RagdError
from ragd.memories.agent_note_files import AgentNoteFiles, note_path


@pytest.fixture
def files(tmp_path: Path) -> AgentNoteFiles:
    made = AgentNoteFiles(tmp_path / "memory", tmp_path / "versions")
    made.write("main", "MEMORY.md", "Likes tea.", append=False)
    return made


def test_a_link_to_a_folder_elsewhere_is_not_followed(
    files: AgentNoteFiles, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "vault"
    elsewhere.mkdir()
    (elsewhere / "Diary.md").write_text("My diary.")
    (tmp_path / "memory/main/link").symlink_to(elsewhere)
    (tmp_path / "memory/work").symlink_to(elsewhere)
    for agent, inner in (("main", "link/Diary.md"), ("work", "Diary.md")):
        with pytest.raises(RagdError, match="A link is in the way"):
            files.erase(agent, inner)
        with pytest.raises(RagdError, match="A link is in the way"):
            files.write(agent, inner, "New.", append=False)
    assert (elsewhere / "Diary.md").read_text() == "My diary."
    assert [path.name for path in elsewhere.iterdir()] == ["Diary.md"]


def test_the_text_behind_a_link_does_not_become_part_of_a_note(
    files: AgentNoteFiles, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("canary")
    (tmp_path / "memory/main/key.md").symlink_to(tmp_path / "key")
    with pytest.raises(RagdError, match="A link is in the way"):
        files.write("main", "key.md", "More.", append=True)
    copies = [path for path in tmp_path.rglob("*.md") if "canary" in path.read_text()]
    assert copies == [tmp_path / "memory/main/key.md"], "the link itself"


def test_a_folder_is_not_forgotten_like_a_note(files: AgentNoteFiles, tmp_path: Path) -> None:
    for text in ("One.", "Two."):
        files.write("main", "trips.md/2026.md", text, append=False)
    with pytest.raises(RagdError, match="There is a folder of this name"):
        files.erase("main", "trips.md")
    earlier = list((tmp_path / "versions/main/trips.md/2026.md").iterdir())
    assert [path.read_text() for path in earlier] == ["One."]


def test_a_name_that_no_file_system_takes_is_refused(files: AgentNoteFiles) -> None:
    with pytest.raises(RagdError, match="The name is too long"):
        note_path("é" * 150 + ".md")
    longest = "e" * 237 + ".md"
    assert files.write("main", note_path(longest), "Fits.", append=False).is_new
