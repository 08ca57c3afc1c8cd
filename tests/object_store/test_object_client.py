"""Single objects on real servers: conditions, missing objects, and what failures are called."""

from pathlib import Path

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.errors import RagdError
from ragd.objects.address import parse_address
from ragd.objects.conditional_puts import require_conditional_puts
from ragd.objects.object_client import ObjectClient
from ragd.objects.store_errors import ObjectStoreError
from tests.object_store.conftest import client_at
from tests.object_store.fault_proxy import FaultProxy
from tests.object_store.kinds import Server, write_account
from tests.object_store.servers import BUCKET, environment, google, moto, rclone

pytestmark = pytest.mark.every_kind


def client_of(endpoint: str, bucket: str = BUCKET, **keys: str) -> ObjectClient:
    options = StoreOptions(endpoint=endpoint, allow_http=True)
    return ObjectClient(parse_address(f"s3://{bucket}/x"), options, environment() | keys, 2.0)


def client_with(server: Server, endpoint: str = "", **keys: str) -> ObjectClient:
    """With another endpoint, or other credentials. A busy machine has twenty seconds to answer."""
    options = StoreOptions(endpoint=endpoint or server.endpoint, allow_http=True)
    address = parse_address(f"{server.scheme}://{BUCKET}/x")
    return ObjectClient(address, options, server.environment | keys, 20.0)


def google_client(folder: Path, endpoint: str, **more: object) -> ObjectClient:
    write_account(folder / "account.json", folder / "public.pem", **more)
    options = StoreOptions(endpoint=endpoint, allow_http=True)
    keys = {"GOOGLE_SERVICE_ACCOUNT": str(folder / "account.json")}
    return ObjectClient(parse_address(f"gs://{BUCKET}/x"), options, keys)


def test_an_object_is_created_once_and_replaced_by_its_version(client: ObjectClient) -> None:
    first = client.create("one", b"1")
    assert first is not None
    assert client.create("one", b"2") is None
    second = client.replace("one", b"3", first)
    assert second is not None
    assert client.replace("one", b"4", first) is None
    assert client.replace("gone", b"4", first) is None
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


def test_an_object_that_is_gone_does_not_keep_the_others(client: ObjectClient) -> None:
    """Libraries stop at the first one that is missing, for some kinds of stores."""
    names = [f"a/{number}" for number in range(30)]
    for name in names[1:]:
        client.put(name, b"x")
    client.delete([*names[:10], "a/never", *names[10:]])
    assert client.list_objects() == []


def test_more_objects_than_a_page_are_listed_and_deleted(client: ObjectClient) -> None:
    for number in range(120):  # a page of `gcs_server.py` has 100
        client.put(f"a/{number}", b"x")
    assert len(client.list_objects("a")) == 120
    client.delete_folder("a")
    assert client.list_objects() == []


def test_a_store_that_respects_conditions_is_accepted_and_left_clean(
    client: ObjectClient,
) -> None:
    require_conditional_puts(client)
    assert client.list_objects() == []


def test_wrong_credentials_are_named(server: Server) -> None:
    wrong = client_with(server, **server.wrong)
    for call in (lambda: wrong.get("x"), lambda: wrong.put("x", b"1"), wrong.list_objects):
        with pytest.raises(ObjectStoreError) as denied:
            call()
        assert denied.value.code == "STORE_DENIED"
    with pytest.raises(ObjectStoreError) as denied:
        wrong.delete(["x", "y"])
    assert denied.value.code == "STORE_DENIED"


def test_a_missing_bucket_is_named(server: Server) -> None:
    if server.scheme == "s3":
        pytest.skip("SeaweedFS makes a bucket that is missing; moto does not, in a test of its own")
    gone = client_at(server, f"{server.scheme}://nobody-made-this/x")
    for call in (lambda: gone.get("x"), lambda: gone.create("x", b"1"), gone.list_objects):
        with pytest.raises(ObjectStoreError) as missing:
            call()
        assert missing.value.code == "STORE_BUCKET_MISSING"


@pytest.mark.parametrize("fault", [503, 500, 429, "cut", "cut_answer"])
def test_a_store_that_does_not_answer_is_named(
    server: Server, proxy: FaultProxy, fault: object
) -> None:
    proxy.decide = lambda method, path: fault  # type: ignore[assignment, return-value]
    with pytest.raises(ObjectStoreError) as failed:
        client_with(server, proxy.endpoint).put("x", b"1")
    assert failed.value.code == "STORE_UNREACHABLE"


def test_a_full_store_is_named(server: Server, proxy: FaultProxy) -> None:
    proxy.decide = lambda method, path: 507
    with pytest.raises(ObjectStoreError) as failed:
        client_with(server, proxy.endpoint).put("x", b"1")
    assert failed.value.code == "STORE_FULL"


def test_a_put_that_was_refused_for_now_is_repeated(server: Server, proxy: FaultProxy) -> None:
    refusals = iter([429])
    proxy.decide = lambda method, path: next(refusals, "pass")
    client = client_with(server, proxy.endpoint)
    tag = client.put("refused-for-now", b"1")
    assert client.replace("refused-for-now", b"2", tag) is not None


def test_an_s3_store_that_ignores_conditions_is_refused(tmp_path: Path) -> None:
    with rclone(tmp_path) as endpoint, pytest.raises(RagdError) as refused:
        require_conditional_puts(client_of(endpoint))
    assert refused.value.code == "STORE_UNSAFE"


def test_a_google_store_that_ignores_conditions_is_refused(tmp_path: Path) -> None:
    with (
        google(tmp_path, BUCKET, "--ignore-conditions") as endpoint,
        pytest.raises(RagdError) as refused,
    ):
        require_conditional_puts(google_client(tmp_path, endpoint))
    assert refused.value.code == "STORE_UNSAFE"


def test_a_store_with_one_write_of_a_name_in_a_second_is_accepted(tmp_path: Path) -> None:
    """As Google's is: the probe and the lease write the same name several times."""
    with google(tmp_path, BUCKET, "--writes-apart", "1") as endpoint:
        require_conditional_puts(google_client(tmp_path, endpoint))


def test_the_file_of_a_service_account_may_name_the_store(tmp_path: Path) -> None:
    with google(tmp_path, BUCKET) as endpoint:
        client = google_client(tmp_path, "", gcs_base_url=endpoint, disable_oauth=True)
        assert client.create("one", b"1") is not None


def test_a_missing_bucket_of_s3_is_named(tmp_path: Path) -> None:
    with moto(tmp_path) as endpoint:
        require_conditional_puts(client_of(endpoint))
        gone = client_of(endpoint, bucket="nobody-made-this")
        with pytest.raises(ObjectStoreError) as missing:
            gone.get("x")
        with pytest.raises(ObjectStoreError) as not_created:
            gone.create("x", b"1")
    assert missing.value.code == not_created.value.code == "STORE_BUCKET_MISSING"
