"""Single objects on real servers: conditions, missing objects, and what failures are called."""

from pathlib import Path

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.errors import RagdError
from ragd.objects.address import parse_address
from ragd.objects.conditional_puts import require_conditional_puts
from ragd.objects.object_client import ObjectClient
from ragd.objects.store_errors import ObjectStoreError
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.servers import BUCKET, environment, moto, rclone


def client_of(endpoint: str, bucket: str = BUCKET, **keys: str) -> ObjectClient:
    options = StoreOptions(endpoint=endpoint, allow_http=True)
    return ObjectClient(parse_address(f"s3://{bucket}/x"), options, environment() | keys, 2.0)


def test_an_object_is_created_once_and_replaced_by_its_version(client: ObjectClient) -> None:
    first = client.create("one", b"1")
    assert first is not None
    assert client.create("one", b"2") is None
    second = client.replace("one", b"3", first)
    assert second is not None
    assert client.replace("one", b"4", first) is None
    found = client.get("one")
    assert found is not None
    assert (found.data, found.tag) == (b"3", second)


def test_what_is_missing_is_none_and_can_be_deleted(client: ObjectClient) -> None:
    assert client.get("nothing") is None
    client.delete(["nothing"])
    client.put("a/b/c", b"x")
    client.put("a/d", b"xy")
    assert sorted((one.name, one.size) for one in client.list_objects("a")) == [
        ("a/b/c", 1),
        ("a/d", 2),
    ]
    assert client.list_folders() == ["a"]
    client.delete_folder("a")
    assert client.list_objects() == []


def test_a_store_that_respects_conditions_is_accepted_and_left_clean(
    client: ObjectClient,
) -> None:
    require_conditional_puts(client)
    assert client.list_objects() == []


def test_a_store_that_ignores_conditions_is_refused(tmp_path: Path, server: str) -> None:
    with rclone(tmp_path) as endpoint, pytest.raises(RagdError) as refused:
        require_conditional_puts(client_of(endpoint))
    assert refused.value.code == "STORE_UNSAFE"


def test_wrong_credentials_are_named(server: str) -> None:
    with pytest.raises(ObjectStoreError) as denied:
        client_of(server, AWS_SECRET_ACCESS_KEY="wrong").get("x")
    assert denied.value.code == "STORE_DENIED"


def test_a_missing_bucket_is_named(tmp_path: Path, server: str) -> None:
    with moto(tmp_path) as endpoint:
        require_conditional_puts(client_of(endpoint))
        gone = client_of(endpoint, bucket="nobody-made-this")
        with pytest.raises(ObjectStoreError) as missing:
            gone.get("x")
        with pytest.raises(ObjectStoreError) as not_created:
            gone.create("x", b"1")
    assert missing.value.code == not_created.value.code == "STORE_BUCKET_MISSING"


@pytest.mark.parametrize("fault", [503, 500, 429, "cut", "cut_answer"])
def test_a_store_that_does_not_answer_is_named(proxy: FaultProxy, fault: object) -> None:
    proxy.decide = lambda method, path: fault  # type: ignore[assignment, return-value]
    with pytest.raises(ObjectStoreError) as failed:
        client_of(proxy.endpoint).put("x", b"1")
    assert failed.value.code == "STORE_UNREACHABLE"


def test_a_full_store_is_named(proxy: FaultProxy) -> None:
    proxy.decide = lambda method, path: 507
    with pytest.raises(ObjectStoreError) as failed:
        client_of(proxy.endpoint).put("x", b"1")
    assert failed.value.code == "STORE_FULL"
