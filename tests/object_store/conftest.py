"""One server of each kind for all tests of a session, and a prefix of its own for each test.

A test runs with all kinds. In `make test`, most run with s3:// alone: what differs between kinds is
in the tests that are marked `every_kind`.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.object_client import ObjectClient
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.kinds import KINDS, Server
from tests.object_store.machines import Machine
from tests.object_store.servers import BUCKET

NOTES = {
    "Journal/2024-02-01.md": "#finance\nI owe Sreenivas $120 for the tickets to Hampi.\n",
    "Shopping.md": "- rye bread\n- coriander\n- batteries for the doorbell\n",
    "Garden.md": "The old pear tree needs to be cut back before March.\n",
}
IS_THOROUGH = "RAGD_STORE_KILLS" in os.environ
_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=list(KINDS))
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    pytest.importorskip("obstore", reason="obstore is not installed; it is part of ragd[cloud]")
    kind = request.param
    with KINDS[kind](tmp_path_factory.mktemp(kind)) as running:
        client_at(running, f"{kind}://{BUCKET}").put("makes-the-bucket", b"")
        yield running


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In `make test`, only the tests that say so run with each kind."""
    reason = "part of make test-store: with s3:// alone in make test"
    for item in items:
        spec = getattr(item, "callspec", None)
        kind = spec.params.get("server", "s3") if spec is not None else "s3"
        if kind == "s3" or IS_THOROUGH or item.get_closest_marker("every_kind"):
            continue
        item.add_marker(pytest.mark.skip(reason=reason))


def client_at(server: Server, address: str, **options: Any) -> ObjectClient:
    """A client with the credentials of this server."""
    settings = StoreOptions(endpoint=server.endpoint, allow_http=True, **options)
    return ObjectClient(parse_address(address), settings, server.environment)


@pytest.fixture
def address(tmp_path: Path, server: Server) -> str:
    """A prefix that no other test uses."""
    return f"{server.scheme}://{BUCKET}/test-{next(_numbers)}-{tmp_path.name[:40]}"


@pytest.fixture
def client(server: Server, address: str) -> ObjectClient:
    return client_at(server, address)


@pytest.fixture
def proxy(server: Server) -> Iterator[FaultProxy]:
    with FaultProxy(server.endpoint).running() as running:
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
def new_machine(tmp_path: Path, server: Server, address: str, vault: Path) -> Iterator[NewMachine]:
    """Makes machines that use the same index; the daemons are ended afterwards."""
    made: list[Machine] = []

    def make(
        name: str, *, role: str = "writer", endpoint: str = "", lease_s: float = 6, **more: Any
    ) -> Machine:
        machine = Machine(tmp_path / name / "home", server.environment)
        options = {"endpoint": endpoint or server.endpoint, "allow_http": True}
        options |= {"lease_s": lease_s, "follow_s": 0}
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
