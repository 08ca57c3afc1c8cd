"""`ragctl service` with a real systemd. Needs root, namespaces and systemd."""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.ragctl.service_managers import user_manager

HERE = Path(__file__).parent


def why_not() -> str:
    if sys.platform != "linux" or os.getuid() != 0:
        return "only root on Linux can make a place for a systemd of its own"
    missing = [name for name in ("unshare", "mount", "systemctl") if shutil.which(name) is None]
    if missing or not Path(user_manager.systemd()).exists():
        return f"there is no {', '.join(missing) or 'systemd'}"
    return ""


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_service_works_under_a_real_systemd() -> None:
    folder = tempfile.mkdtemp(prefix="ragd-story-")
    try:
        done = subprocess.run(
            [
                *("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"),
                *(sys.executable, str(HERE / "user_manager.py"), folder),
                str(HERE / "service_story.py"),
            ],
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE_S,
        )
    finally:
        os.rmdir(folder)
        for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
            remove_groups(Path(place) / Path(folder).name)
    if done.returncode == user_manager.CANNOT or "unshare failed" in done.stderr:
        pytest.skip(f"this machine gives no namespaces: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.endswith("THE END\n")


def remove_groups(group: Path) -> None:
    """The cgroups that systemd leaves when it is killed."""
    with suppress(OSError):
        for inner in sorted(group.rglob("*"), reverse=True):
            if inner.is_dir():
                inner.rmdir()
        group.rmdir()
