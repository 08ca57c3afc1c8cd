"""Where credentials come from: the environment, then the usual files."""

from pathlib import Path

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.credentials import client_options, lance_options

AZ, GS, S3 = (parse_address(f"{scheme}://notes/x") for scheme in ("az", "gs", "s3"))
HERE = StoreOptions(endpoint="http://127.0.0.1:1/account", allow_http=True)


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    (tmp_path / ".azure").mkdir()
    (tmp_path / ".azure" / "config").write_text("[storage]\naccount = of-file\nkey = file-key\n")
    return {"HOME": str(tmp_path)}


@pytest.mark.parametrize(
    ("address", "lance", "client"),
    [
        (S3, "aws_endpoint", "endpoint"),
        (AZ, "azure_storage_endpoint", "endpoint"),
        (GS, "google_base_url", "base_url"),
    ],
)
def test_each_kind_has_its_name_for_the_endpoint(address, lance, client) -> None:  # type: ignore[no-untyped-def]
    environment = {"HOME": "/nowhere"}
    assert lance_options(address, HERE, environment)[lance] == HERE.endpoint
    assert lance_options(address, HERE, environment)["allow_http"] == "true"
    assert client_options(address, HERE, environment)[client] == HERE.endpoint
    assert lance not in lance_options(address, StoreOptions(), environment)


@pytest.mark.parametrize(
    "names",
    [
        ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
        ("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY"),  # of Azure's own command
    ],
)
def test_azure_variables_come_before_the_file(home: dict[str, str], names: tuple[str, str]) -> None:
    environment = home | {names[0]: "mine", names[1]: "my-key"}
    found = lance_options(AZ, HERE, environment)
    assert found["azure_storage_account_name"] == "mine"
    assert found["azure_storage_account_key"] == "my-key"
    known = client_options(AZ, HERE, environment)
    assert (known["account_name"], known["account_key"]) == ("mine", "my-key")


def test_the_file_of_azures_own_command_is_read(home: dict[str, str]) -> None:
    found = lance_options(AZ, HERE, home)
    assert found["azure_storage_account_name"] == "of-file"
    assert found["azure_storage_account_key"] == "file-key"


@pytest.mark.parametrize("variable", ["AZURE_STORAGE_SAS_TOKEN", "AZURE_CLIENT_ID"])
def test_a_secret_of_the_environment_is_not_mixed_with_one_of_the_file(
    home: dict[str, str], variable: str
) -> None:
    found = lance_options(AZ, HERE, home | {variable: "sig=1"})
    assert "azure_storage_account_key" not in found
    assert found["azure_storage_account_name"] == "of-file"


def test_a_token_has_another_name_for_each_library(home: dict[str, str]) -> None:
    environment = home | {"AZURE_STORAGE_SAS_TOKEN": "sig=1"}
    assert lance_options(AZ, HERE, environment)["azure_storage_sas_token"] == "sig=1"
    assert client_options(AZ, HERE, environment)["sas_key"] == "sig=1"


def test_a_service_account_is_named_by_the_environment() -> None:
    environment = {"HOME": "/nowhere", "GOOGLE_APPLICATION_CREDENTIALS": "/a.json"}
    assert lance_options(GS, HERE, environment)["google_application_credentials"] == "/a.json"
    assert client_options(GS, HERE, environment)["application_credentials"] == "/a.json"
    more = environment | {"GOOGLE_SERVICE_ACCOUNT": "/b.json"}
    assert lance_options(GS, HERE, more)["google_service_account"] == "/b.json"


def test_keys_of_one_kind_are_not_passed_to_another(home: dict[str, str]) -> None:
    environment = home | {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "canary"}
    for address in (AZ, GS):
        assert "canary" not in lance_options(address, HERE, environment).values()
        assert "canary" not in client_options(address, HERE, environment).values()
