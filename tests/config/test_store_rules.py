"""What may be configured about an object store: addresses, consent, roles; and no credentials."""

import json
from typing import Any

import pytest

from ragd.config.load import Config, parse, vault_id
from ragd.errors import ConfigError

AGREED: Any = {"security": {"local_only": False, "external_confirmed": True}}
HERE = {"endpoint": "http://127.0.0.1:8333", "allow_http": True}


def build(path: str = "s3://bucket/notes", options: Any = None, **values: Any) -> Config:
    store = {"path": path, "options": options or {}, **values.pop("store", {})}
    tree = {"vault_path": "/vault", "vector_store": store, **values}
    return parse(json.dumps(tree).encode(), "/home/of/ragd")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("s3://bucket/notes", "s3://bucket/notes"),
        ("s3://bucket", "s3://bucket"),
        ("s3://bucket//notes/", "s3://bucket/notes"),
        ("gs://bucket/a/b", "gs://bucket/a/b"),
        ("az://container/notes", "az://container/notes"),
    ],
)
def test_an_address_is_kept_and_never_becomes_a_path(given: str, kept: str) -> None:
    assert build(given, **AGREED).vector_store.path == kept


@pytest.mark.parametrize(
    "path",
    [
        *("http://bucket/notes", "s3://", "s3:///notes", "ftp://bucket", "S3://bucket/x"),
        *("s3://bucket/../x", "s3://bucket/a?b=c", "s3://bucket/a#b", "s3://a b/c"),
        *("az://My-Container/x", "az://ab/x", "az://a--b/x", "az://a.b.c/x", "gs://My-Bucket/x"),
    ],
)
def test_what_is_no_address_is_refused(path: str) -> None:
    with pytest.raises(ConfigError, match=r"vector_store\.path"):
        build(path, **AGREED)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    wrong: Any = (
        {"path": "s3://me:canary-word@bucket/x"},
        {"options": {"endpoint": "https://me:canary-word@host"}},
    )
    for values in wrong:
        with pytest.raises(ConfigError, match="user name or a password") as refused:
            build(**values, **AGREED)
        assert "canary-word" not in str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        *("aws_secret_access_key", "secret_access_key", "token"),
        *("azure_storage_account_key", "sas_token", "google_service_account_key"),
    ],
)
def test_there_is_no_key_for_credentials(name: str) -> None:
    with pytest.raises(ConfigError, match="not a known key") as refused:
        build(options={name: "canary-word"}, **AGREED)
    assert "canary-word" not in str(refused.value)


def test_a_writer_needs_consent_for_another_machine_and_none_for_this_one() -> None:
    with pytest.raises(ConfigError, match=r"security\.local_only"):
        build()
    with pytest.raises(ConfigError, match=r"security\.external_confirmed"):
        build(security={"local_only": False})
    with pytest.raises(ConfigError, match=r"security\.local_only"):
        build(options={"endpoint": "https://s3.example.org"})
    assert build(options=HERE).vector_store.options.endpoint == HERE["endpoint"]


def test_a_reader_needs_an_address_and_no_consent() -> None:
    assert build(role="reader").role == "reader"
    with pytest.raises(ConfigError, match='`role` "reader" needs'):
        build("", role="reader")


def test_an_endpoint_without_tls_must_be_allowed() -> None:
    with pytest.raises(ConfigError, match="has no TLS"):
        build(options={"endpoint": "http://127.0.0.1:8333"})


def test_the_vault_of_an_index_that_was_taken_over_keeps_its_id() -> None:
    plain, taken = build(**AGREED), build(store={"vault": "0123456789abcdef"}, **AGREED)
    assert vault_id(taken) == "0123456789abcdef" != vault_id(plain)
    with pytest.raises(ConfigError, match=r"vector_store\.vault"):
        build(store={"vault": "not hex"}, **AGREED)


def test_a_mirror_needs_an_object_store() -> None:
    with pytest.raises(ConfigError, match=r"log\.mirror"):
        build("", log={"mirror": True})
