"""What a daemon does about a store that it cannot use. What a reader does to a store: nothing."""

from pathlib import Path
from typing import Any

import pytest

from chaos.client import ask
from ragd.paths import Home
from ragd.protocol.tool_schemas import TOOLS
from tests.object_store.conftest import NewMachine
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.kinds import Server, make_container
from tests.object_store.machines import Machine
from tests.object_store.servers import BUCKET, environment, google, rclone

READS: dict[str, dict[str, Any]] = {
    "obsidian_rag_search": {"query": "pear tree"},
    "obsidian_rag_status": {},
    "obsidian_rag_read": {"path": "Garden.md"},
    "obsidian_rag_related": {"path": "Garden.md"},
    "obsidian_rag_memory_search": {"query": "pear tree"},
}
WRITES: dict[str, dict[str, Any]] = {
    "obsidian_rag_index": {"mode": "sync"},
    "obsidian_rag_memory_store": {"key": "tree", "value": "It is old.", "source": "Garden.md"},
    "obsidian_rag_memory_write": {"path": "MEMORY.md", "text": "The tree is old."},
    "obsidian_rag_memory_forget": {"key": "tree"},
}


def test_a_reader_answers_every_tool_that_reads_and_writes_nothing(
    new_machine: NewMachine, proxy: FaultProxy
) -> None:
    assert TOOLS.keys() == READS.keys() | WRITES.keys()
    writer = new_machine("desktop")
    writer.run("index")
    reader = new_machine("laptop", role="reader", endpoint=proxy.endpoint)
    reader.run("start")
    reader.wait_for(lambda: reader.codes() == [])
    socket = Home(str(reader.home)).socket
    for name, body in READS.items():
        assert ask(socket, "POST", f"/v1/tools/{name}", body).envelope["error"] is None, name
    for name, body in WRITES.items():
        answer = ask(socket, "POST", f"/v1/tools/{name}", body).envelope
        assert answer["error"]["code"] == "READ_ONLY", name
    for words in (("show", "Garden.md"), ("timeline",), ("coverage",), ("search", "tree")):
        reader.run(*words)
    reader.stop()
    assert proxy.requests.keys() <= {"GET", "HEAD"}


@pytest.mark.every_kind
def test_a_bucket_that_is_missing_is_said_and_waited_for(
    new_machine: NewMachine, server: Server
) -> None:
    if server.scheme == "s3":
        pytest.skip("SeaweedFS makes a bucket that is missing")
    machine = new_machine("desktop")
    name = f"missing-{Path(machine.home).parent.parent.name[-8:].strip('-_').replace('_', '-')}"
    options = {"endpoint": server.endpoint, "allow_http": True, "lease_s": 6}
    vault = str(machine.home.parent.parent / "vault")
    store = {"path": f"{server.scheme}://{name}/x", "options": options}
    machine.configure(vault_path=vault, vector_store=store)
    machine.run("start")
    machine.wait_for(lambda: "STORE_BUCKET_MISSING" in machine.codes())
    assert "does not exist" in machine.run("status")
    if server.scheme == "az":
        make_container(int(server.origin.rpartition(":")[2]), name)
        machine.wait_for(lambda: "STORE_BUCKET_MISSING" not in machine.codes())
        machine.run("index")
        assert machine.found("pear tree")[:1] == ["Garden.md"]


def unsafe_machine(folder: Path, address: str, endpoint: str, keys: dict[str, str]) -> Machine:
    (folder / "vault").mkdir()
    (folder / "vault" / "Garden.md").write_text("The old pear tree.\n")
    machine = Machine(folder / "desktop" / "home", keys)
    options = {"endpoint": endpoint, "allow_http": True}
    store = {"path": address, "options": options}
    machine.configure(vault_path=str(folder / "vault"), vector_store=store)
    return machine


def assert_refused(machine: Machine) -> None:
    try:
        machine.run("start")
        machine.wait_for(lambda: "STORE_UNSAFE" in machine.codes())
        assert "ignores conditions on puts" in machine.run("status")
        assert machine.found("pear tree") == []
    finally:
        machine.stop()
        machine.kill()


def test_a_daemon_does_not_use_an_s3_store_that_ignores_conditions(tmp_path: Path) -> None:
    with rclone(tmp_path) as endpoint:
        address = f"s3://{BUCKET}/x"
        assert_refused(unsafe_machine(tmp_path, address, endpoint, environment()))
        assert not [one for one in (tmp_path / "served").rglob("*") if one.is_file()]


def test_a_daemon_does_not_use_a_google_store_that_ignores_conditions(tmp_path: Path) -> None:
    from tests.object_store.kinds import write_account

    write_account(tmp_path / "account.json", tmp_path / "public.pem")
    keys = {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "account.json")}
    with google(tmp_path, BUCKET, "--ignore-conditions") as endpoint:
        assert_refused(unsafe_machine(tmp_path, f"gs://{BUCKET}/x", endpoint, keys))


@pytest.mark.parametrize(
    ("address", "keys"),
    [
        ("az://notes/x", {}),
        ("az://notes/x", {"AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_ACCOUNT_KEY": "?"}),
        ("gs://notes/x", {"GOOGLE_APPLICATION_CREDENTIALS": "/does/not/exist.json"}),
    ],
)
def test_credentials_that_cannot_be_read_are_said_and_the_daemon_goes_on(
    tmp_path: Path, address: str, keys: dict[str, str]
) -> None:
    pytest.importorskip("obstore", reason="obstore is not installed; it is part of ragd[cloud]")
    machine = unsafe_machine(tmp_path, address, "http://127.0.0.1:9", keys)
    try:
        machine.run("start")
        machine.wait_for(lambda: "STORE_DENIED" in machine.codes())
        assert "refuses the credentials, or they are missing" in machine.run("status")
    finally:
        machine.stop()
        machine.kill()
