"""Files that are complete or absent, and private folders."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragd.errors import PermissionRefused
from ragd.runtime.durable_files import (
    is_disk_full,
    make_directory,
    private_directory,
    replace_file,
    sync_directory,
    write_all,
    write_durably,
)

OTHER = 65534
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give things away")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records the system calls in order, by file name."""
    asked: list[str] = []

    def name_of(handle: int) -> str:
        return Path(os.readlink(f"/proc/self/fd/{handle}")).name

    def spy(function: str, describe: Any) -> None:
        original = getattr(os, function)

        def call(*arguments: Any, **more: Any) -> Any:
            asked.append(f"{function} {describe(*arguments)}")
            return original(*arguments, **more)

        monkeypatch.setattr(os, function, call)

    for function in ("write", "fsync", "fchmod"):
        spy(function, lambda handle, *_: name_of(handle))
    spy("replace", lambda old, new: f"{Path(old).name} {Path(new).name}")
    spy("rename", lambda old, new: f"{Path(old).name} {Path(new).name}")
    return asked


def test_a_replacement_is_synced_renamed_and_its_folder_synced(
    tmp_path: Path, calls: list[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    replace_file(folder / "file", b"new")
    assert calls == [
        "fchmod .file.tmp",
        "write .file.tmp",
        "fsync .file.tmp",
        "replace .file.tmp file",
        "fsync folder",
    ]
    assert (folder / "file").read_bytes() == b"new"
    assert os.listdir(folder) == ["file"]


def test_a_replacement_is_private_whatever_the_umask_and_the_old_mode(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(0o666)
    mask = os.umask(0)
    try:
        replace_file(file, b"new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"old")

    def fail(handle: int) -> None:
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="I/O"):
        replace_file(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_link_is_never_followed_to_write(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / ".file.tmp").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic"):
        replace_file(tmp_path / "file", b"new")
    assert victim.read_bytes() == b"precious"
    replace_file(tmp_path / "file", b"new")  # the link is out of the way now
    assert (tmp_path / "file").read_bytes() == b"new"
    assert victim.read_bytes() == b"precious"


def test_a_link_under_the_final_name_is_replaced_itself(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / "file").symlink_to(victim)
    replace_file(tmp_path / "file", b"new")
    assert not (tmp_path / "file").is_symlink()
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("point", "expected"), [("durable.after_temporary", b"old"), ("durable.after_rename", b"new")]
)
def test_a_crash_between_the_steps_leaves_the_old_file_or_the_new(
    tmp_path: Path, point: str, expected: bytes
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    code = "import sys; from pathlib import Path\n"
    code += "from ragd.runtime.durable_files import replace_file\n"
    code += "replace_file(Path(sys.argv[1]), b'new')"
    command = [sys.executable, "-c", code, str(file)]
    crash = subprocess.run(
        command,
        env={**os.environ, "RAGD_CRASHPOINT": point, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert crash.returncode == -signal.SIGKILL
    assert file.read_bytes() == expected
    replace_file(file, b"newer")  # leftover files do no harm
    assert os.listdir(tmp_path) == ["file"]
    assert file.read_bytes() == b"newer"


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, bytes(data)[:3]))
    write_durably(tmp_path / "file", b"0123456789")
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_writing_nothing_writes_nothing(tmp_path: Path, calls: list[str]) -> None:
    handle = os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY)
    write_all(handle, b"")
    os.close(handle)
    assert calls == []


def test_a_full_disk_and_a_full_quota_are_full_and_nothing_else_is() -> None:
    assert is_disk_full(OSError(errno.ENOSPC, ""))
    assert is_disk_full(OSError(errno.EDQUOT, ""))
    assert not is_disk_full(OSError(errno.EIO, ""))
    assert not is_disk_full(OSError("without a number"))


def test_a_folder_that_is_made_is_durable_in_its_own_folder(
    tmp_path: Path, calls: list[str]
) -> None:
    make_directory(tmp_path / "new")
    make_directory(tmp_path / "new")
    assert calls == [f"fsync {tmp_path.name}"]


def test_syncing_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        sync_directory(tmp_path / "file")


# Private folders


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_and_those_above_it_are_private_whatever_the_umask(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        private_directory(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(mask)
    assert [mode(tmp_path / p) for p in ("a", "a/b", "a/b/c")] == [0o700] * 3


def test_a_loose_folder_is_tightened_and_those_above_it_are_left_alone(tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir(mode=0o755)
    (above / "loose").mkdir(mode=0o755)
    private_directory(above / "loose")
    assert (mode(above / "loose"), mode(above)) == (0o700, 0o755)


def test_a_file_in_the_way_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"precious")
    with pytest.raises(PermissionRefused, match="not a folder"):
        private_directory(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"precious"


def test_a_dangling_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(PermissionRefused):
        private_directory(tmp_path / "link")
    assert not (tmp_path / "nowhere").exists()


def test_a_link_is_followed_only_where_it_may_be(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(PermissionRefused):
        private_directory(tmp_path / "link", links=False)
    assert mode(target) == 0o755  # untouched
    private_directory(tmp_path / "link")
    assert mode(target) == 0o700


@needs_root
def test_a_folder_of_another_user_is_refused_and_not_changed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    os.chown(theirs, OTHER, OTHER)
    with pytest.raises(PermissionRefused, match=f"uid {OTHER}"):
        private_directory(theirs)
    assert mode(theirs) == 0o755
