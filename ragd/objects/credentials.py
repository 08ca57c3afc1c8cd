"""Credentials and options for an object store, from the environment and the usual files.

They are never written anywhere. Without any, the libraries look for those of the machine itself.
"""

import configparser
import os
from collections.abc import Mapping
from pathlib import Path

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import ObjectAddress

_AWS_NAMES = {
    "aws_access_key_id": "AWS_ACCESS_KEY_ID",
    "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY",
    "aws_session_token": "AWS_SESSION_TOKEN",
}
# The option, the variables that may contain it (the second is the one of Azure's own command), and
# its name in the section [storage] of that command's file.
_AZURE_NAMES = (
    ("account_name", ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"), "account"),
    ("account_key", ("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_KEY"), "key"),
    ("sas_token", ("AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_KEY"), "sas_token"),
)
_GOOGLE_NAMES = {
    "service_account": ("GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH"),
    "service_account_key": ("GOOGLE_SERVICE_ACCOUNT_KEY",),
    "application_credentials": ("GOOGLE_APPLICATION_CREDENTIALS",),
}
_ENDPOINTS = {"s3": "aws_endpoint", "az": "azure_storage_endpoint", "gs": "google_base_url"}
_CLIENT_NAMES = {"sas_token": "sas_key"}


def lance_options(
    address: ObjectAddress, options: StoreOptions, environment: Mapping[str, str]
) -> dict[str, str]:
    """The storage options of lance. They contain secrets: never log them."""
    found = {_ENDPOINTS[address.scheme]: options.endpoint} if options.endpoint else {}
    found |= {"allow_http": "true"} if options.allow_http else {}
    if address.scheme == "s3":
        found |= aws_credentials(environment)
        found["aws_region"] = options.region or _aws_region(environment)
    elif address.scheme == "az":
        known = azure_credentials(environment)
        found |= {f"azure_storage_{name}": value for name, value in known.items()}
    else:
        known = google_credentials(environment)
        found |= {f"google_{name}": value for name, value in known.items()}
    return found | {"timeout": "30s", "connect_timeout": "5s", "client_max_retries": "6"}


def client_options(
    address: ObjectAddress, options: StoreOptions, environment: Mapping[str, str]
) -> dict[str, str]:
    """The same for the client of single objects."""
    name = "base_url" if address.scheme == "gs" else "endpoint"
    found = {name: options.endpoint} if options.endpoint else {}
    if address.scheme == "az":
        known = azure_credentials(environment)
        return found | {_CLIENT_NAMES.get(name, name): value for name, value in known.items()}
    if address.scheme == "gs":
        return found | google_credentials(environment)
    keys = aws_credentials(environment)
    found |= {name.removeprefix("aws_"): value for name, value in keys.items()}
    found = {("token" if name == "session_token" else name): found[name] for name in found}
    return found | {"region": options.region or _aws_region(environment)}


def azure_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """The account and its key or token: of the environment, else of the file that `az config set
    storage.account=…` writes. An identity (AZURE_CLIENT_ID, …) is left to the libraries."""
    found = {
        name: environment[variable]
        for name, variables, _ in _AZURE_NAMES
        for variable in reversed(variables)
        if environment.get(variable)
    }
    section = _section(
        Path(environment.get("AZURE_CONFIG_DIR") or _home_of(environment) / ".azure") / "config",
        ("storage",),
    )
    has_secret = {"account_key", "sas_token"} & found.keys() or environment.get("AZURE_CLIENT_ID")
    for name, _, key in _AZURE_NAMES:
        is_secret = name != "account_name"
        if section.get(key) and name not in found and not (is_secret and has_secret):
            found[name] = section[key]
    return found


def google_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """The service account that the environment names. The libraries look for the other ones: those
    of `gcloud auth application-default login`, and of the machine itself."""
    return {
        name: environment[variable]
        for name, variables in _GOOGLE_NAMES.items()
        for variable in reversed(variables)
        if environment.get(variable)
    }


def aws_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """The keys of the environment, else those of the profile in the credentials file."""
    found = {name: environment[key] for name, key in _AWS_NAMES.items() if environment.get(key)}
    if "aws_access_key_id" in found and "aws_secret_access_key" in found:
        return found
    section = _profile(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials", "")
    return {name: section[name] for name in _AWS_NAMES if section.get(name)}


def _aws_region(environment: Mapping[str, str]) -> str:
    for key in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        if environment.get(key):
            return environment[key]
    section = _profile(environment, "AWS_CONFIG_FILE", "config", "profile ")
    return section.get("region", "us-east-1")


def _profile(
    environment: Mapping[str, str], variable: str, name: str, prefix: str
) -> Mapping[str, str]:
    """The section of the chosen profile in one of the files of the AWS tools."""
    path = Path(environment.get(variable) or _home_of(environment) / ".aws" / name)
    profile = environment.get("AWS_PROFILE") or "default"
    return _section(path, (profile, f"{prefix}{profile}"))


def _home_of(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111


def _section(path: Path, names: tuple[str, ...]) -> Mapping[str, str]:
    """The first of these sections that a file has; nothing if it has none, or is not readable."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, ValueError, configparser.Error):
        return {}
    for section in names:
        if parser.has_section(section):
            return dict(parser.items(section))
    return {}
