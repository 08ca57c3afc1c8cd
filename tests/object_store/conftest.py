"""One SeaweedFS for all tests of a session, and a prefix of its own for each test."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.object_client import ObjectClient
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.machines import Machine
from tests.object_store.servers import BUCKET, environment, seaweedfs

NOTES = {
    "Journal/2024-02-01.md": "#finance\nI owe Sreenivas $120 for the tickets to Hampi.\n",
    "Shopping.md": "- rye bread\n- coriander\n- batteries for the doorbell\n",
    "Garden.md": "The old pear tree needs to be cut back before March.\n",
}
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("obstore", reason="obstore is not installed; it is part of ragd[cloud]")
    with seaweedfs(tmp_path_factory.mktemp("seaweedfs")) as endpoint:
        options = StoreOptions(endpoint=endpoint, allow_http=True)
        first = ObjectClient(parse_address(f"s3://{BUCKET}"), options, environment())
        first.put("makes-the-bucket", b"")
        yield endpoint


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A prefix that no other test uses."""
    return f"s3://{BUCKET}/test-{next(_numbers)}-{tmp_path.name}"


@pytest.fixture
def client(server: str, address: str) -> ObjectClient:
    options = StoreOptions(endpoint=server, allow_http=True)
    return ObjectClient(parse_address(address), options, environment())


@pytest.fixture
def proxy(server: str) -> Iterator[FaultProxy]:
    with FaultProxy(server).running() as running:
        yield running


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


NewMachine = Callable[..., Machine]


@pytest.fixture
def new_machine(tmp_path: Path, server: str, address: str, vault: Path) -> Iterator[NewMachine]:
    """Makes machines that use the same index; the daemons are ended afterwards."""
    made: list[Machine] = []

    def make(
        name: str, *, role: str = "writer", endpoint: str = server, lease_s: float = 6, **more: Any
    ) -> Machine:
        machine = Machine(tmp_path / name / "home")
        options = {"endpoint": endpoint, "allow_http": True, "lease_s": lease_s, "follow_s": 0}
        machine.configure(
            vault_path=str(vault) if role == "writer" else "no-vault",
            role=role,
            vector_store={"path": address, "options": options},
            **more,
        )
        made.append(machine)
        return machine

    yield make
    for machine in made:
        machine.stop()
        machine.kill()
