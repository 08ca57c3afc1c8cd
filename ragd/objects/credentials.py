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


def lance_options(
    address: ObjectAddress, options: StoreOptions, environment: Mapping[str, str]
) -> dict[str, str]:
    """The storage options of lance. They contain secrets: never log them."""
    found = dict(_of_endpoint(options))
    if address.scheme == "s3":
        found |= aws_credentials(environment)
        found["aws_region"] = options.region or _aws_region(environment)
    return found | {"timeout": "30s", "connect_timeout": "5s", "client_max_retries": "6"}


def client_options(
    address: ObjectAddress, options: StoreOptions, environment: Mapping[str, str]
) -> dict[str, str]:
    """The same for the client of single objects."""
    found = {"endpoint": options.endpoint} if options.endpoint else {}
    if address.scheme == "s3":
        found |= {
            name.removeprefix("aws_"): value for name, value in aws_credentials(environment).items()
        }
        found = {("token" if name == "session_token" else name): found[name] for name in found}
        found["region"] = options.region or _aws_region(environment)
    return found


def _of_endpoint(options: StoreOptions) -> dict[str, str]:
    found = {"aws_endpoint": options.endpoint} if options.endpoint else {}
    return found | ({"allow_http": "true"} if options.allow_http else {})


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
    home = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111
    path = Path(environment.get(variable) or Path(home) / ".aws" / name)
    profile = environment.get("AWS_PROFILE") or "default"
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, ValueError, configparser.Error):
        return {}
    for section in (profile, f"{prefix}{profile}"):
        if parser.has_section(section):
            return dict(parser.items(section))
    return {}
