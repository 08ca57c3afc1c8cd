"""A token in an address: Azure's shared access signature is sent in the query of each request, so
whatever repeats an address repeats the secret. ragd repeats none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.objects.conditional_puts import require_conditional_puts
from tests.object_store.conftest import client_at
from tests.object_store.fault_proxy import Fault, FaultProxy
from tests.object_store.kinds import ACCOUNT, Server, az, sas_token
from tests.object_store.machines import Machine
from tests.object_store.servers import BUCKET
from tests.object_store.test_machines import assert_no_secret, assert_not_in_bundle


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("obstore", reason="obstore is not installed; it is part of ragd[cloud]")
    with az(tmp_path_factory.mktemp("sas")) as running:
        token = sas_token(BUCKET)
        signature = token.rpartition("sig=")[2]
        yield running._replace(
            environment={"AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT, "AZURE_STORAGE_SAS_TOKEN": token},
            secrets=(signature, signature.replace("%2B", "+").replace("%2F", "/")[:40]),
        )


def test_a_token_is_as_good_as_the_key_of_the_account(account: Server) -> None:
    require_conditional_puts(client_at(account, f"az://{BUCKET}/with-a-token"))


def test_a_reader_needs_a_token_to_read_and_list_only(account: Server, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Garden.md").write_text("The old pear tree needs to be cut back before March.\n")
    reading = {"AZURE_STORAGE_SAS_TOKEN": sas_token(BUCKET, "rl")}
    writer = Machine(tmp_path / "desktop" / "home", account.environment)
    reader = Machine(tmp_path / "laptop" / "home", account.environment | reading)
    options = {"endpoint": account.endpoint, "allow_http": True, "lease_s": 6, "follow_s": 0}
    store = {"path": f"az://{BUCKET}/read-only", "options": options}
    writer.configure(vault_path=str(vault), vector_store=store)
    reader.configure(vault_path="no-vault", role="reader", vector_store=store)
    try:
        writer.run("index")
        assert reader.found("pear tree") == ["Garden.md"]
        assert reader.codes() == []
    finally:
        for machine in (writer, reader):
            machine.stop()
            machine.kill()


def test_a_token_is_in_no_file_whatever_fails(account: Server, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Garden.md").write_text("The old pear tree needs to be cut back before March.\n")
    with FaultProxy(account.endpoint).running() as proxy:
        writer = Machine(tmp_path / "desktop" / "home", account.environment)
        options = {"endpoint": proxy.endpoint, "allow_http": True, "lease_s": 6}
        store = {"path": f"az://{BUCKET}/secret", "options": options}
        writer.configure(vault_path=str(vault), vector_store=store, log={"mirror": True})
        try:
            writer.run("index")
            fails: list[tuple[Fault, str]] = [(403, "STORE_DENIED"), ("cut", "STORE_UNREACHABLE")]
            for fault, code in fails:
                proxy.decide = lambda method, path, fault=fault: fault  # type: ignore[misc]
                (vault / "Garden.md").write_text(f"The pear tree is gone: {fault}.\n")
                writer.wait_for(lambda code=code: code in writer.codes())  # type: ignore[misc]
            writer.ragctl("doctor", "--bundle", str(tmp_path / "bundle.tar.gz"))  # a check fails
            proxy.decide = lambda method, path: "pass"
            writer.wait_for(lambda: writer.codes() == [])
        finally:
            writer.stop()
            writer.kill()
    assert_no_secret(account.secrets, writer.home)
    assert_not_in_bundle(account.secrets, tmp_path / "bundle.tar.gz")
