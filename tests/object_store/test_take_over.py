"""A new machine continues from the object store alone, after the first one is lost entirely."""

import json
import shutil
from pathlib import Path

from tests.object_store.conftest import NewMachine, client_at
from tests.object_store.kinds import Server
from tests.object_store.machines import Machine

SECRET_FACT = "The spare key is under the blue pot."


def test_another_machine_takes_over_from_the_store_alone(
    new_machine: NewMachine, vault: Path, tmp_path: Path, address: str, server: Server
) -> None:
    first = new_machine("desktop", log={"mirror": True})
    first.run("index")
    first.run("memory", "store", "spare_key", SECRET_FACT, "Garden.md")
    first.stop()  # makes the last copy
    first.run("start")
    first.wait_for(lambda: first.codes() == [])
    key = tmp_path / "key.txt"
    key.write_text(first.run("mirror", "key"))
    before = first.answer("status")["data"]
    first.kill()
    shutil.rmtree(first.home)
    moved = tmp_path / "laptop" / "Notes"
    shutil.copytree(vault, moved)  # the vault is synced by other means, to another path

    second = Machine(tmp_path / "laptop" / "home", server.environment)
    try:
        second.run(
            *("mirror", "restore", address, str(moved), "--key", str(key)),
            *("--endpoint", server.endpoint),
        )
        second.run("start")
        second.wait_for(lambda: second.codes() == [])
        after = second.answer("status")["data"]
        assert after["index"]["generation"] == before["index"]["generation"]
        assert after["total_docs"] == before["total_docs"]
        assert SECRET_FACT in second.run("memory", "list")
        facts = [json.loads(line) for line in second.run("events", "--json").splitlines()]
        run = facts[0]["run"]  # the first machine's first one: its health history is here
        history = [one["event"]["type"] for one in facts if one["run"] == run]
        assert "health_changed" in history
        assert history[0] == "daemon_started"
        (moved / "Kites.md").write_text("The kite festival is on the second Sunday of July.\n")
        second.run("sync")
        assert second.found("kite festival")[0] == "Kites.md"
    finally:
        second.stop()
        second.kill()


def test_the_copy_of_the_memories_cannot_be_read_without_the_key(
    new_machine: NewMachine, vault: Path, tmp_path: Path, address: str, server: Server
) -> None:
    first = new_machine("desktop", log={"mirror": True})
    first.run("index")
    first.run("memory", "store", "spare_key", SECRET_FACT, "Garden.md")
    first.stop()
    client = client_at(server, address)
    names = [one.name for one in client.list_objects("log")]
    assert any(name.endswith("memories.sealed") for name in names)
    key = (first.home / "mirror.key").read_bytes().strip()
    for name in names:
        found = client.get(name)
        assert found is not None
        assert b"blue pot" not in found.data, name
        assert key not in found.data, name
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("0" * 64)
    second = Machine(tmp_path / "laptop" / "home", server.environment)
    refused = second.ragctl(
        *(
            "mirror",
            "restore",
            address,
            str(vault),
            "--key",
            str(wrong),
            "--endpoint",
            server.endpoint,
        )
    )
    assert refused.returncode != 0
    assert "not the one of this copy" in refused.stderr
    assert not (second.home / "config.json").exists()
