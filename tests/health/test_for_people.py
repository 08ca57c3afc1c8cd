"""What users see during problems: `status --watch` and the doctor."""

import json
import tarfile
from pathlib import Path

from chaos.faults import indexes
from chaos.harness import environment
from chaos.managed_daemon import ManagedDaemon
from tests.health.ragctl import run_ragctl
from tests.ragctl.terminal import Terminal


def test_the_screen_follows_a_real_daemon(daemon: ManagedDaemon) -> None:
    surroundings = environment() | {"TERM": "xterm-256color"}
    screen = Terminal(["--home", daemon.home.root, "status", "--watch"], 100, surroundings)
    try:
        screen.until("● healthy")
        daemon.provider.go_offline()
        screen.until("OLLAMA_UNREACHABLE")
        daemon.provider.go_online()
        screen.until("● healthy", times=2)
        screen.type("q")
        assert screen.ended() == 0
    finally:
        screen.close()


def test_the_doctor_finds_what_is_wrong_with_a_real_daemon_and_sends_it_nowhere(
    daemon: ManagedDaemon, tmp_path: Path
) -> None:
    note = daemon.save()
    daemon.wait_until_found(note)
    indexes.harm(daemon, indexes.cut_data, "INDEX_CORRUPTED")
    archive = tmp_path / "report.tar.gz"
    said = run_ragctl(daemon, "doctor", "--json", "--bundle", str(archive))
    assert said.returncode == 1, said.stderr
    checks = {one["name"]: one for one in json.loads(said.stdout)["checks"]}
    assert len(checks) >= 15
    bad = [one for one in checks.values() if one["verdict"] == "fail"]
    assert any("reindex" in one["fix"] for one in bad), bad
    with tarfile.open(archive) as opened:
        files = {name: opened.extractfile(name) for name in opened.getnames()}
        told = b"".join(file.read() for file in files.values() if file is not None)
    for private in (note.word, note.path, str(daemon.vault.folder), daemon.home.root):
        assert private.encode() not in told, private
