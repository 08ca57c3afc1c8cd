"""The kinds of object stores that are tested: what runs one, its credentials, and its secrets."""

import base64
import hashlib
import hmac
import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from tests.object_store import servers
from tests.object_store.gcs_server import EMAIL
from tests.object_store.servers import BUCKET

ACCOUNT = "ragdtests"
ACCOUNT_KEY = base64.b64encode(b"loopback-secret-canary-7e40-of-an-account").decode()
WRONG_KEY = base64.b64encode(b"another key").decode()
_AZURE_VERSION = "2021-08-06"


class Server(NamedTuple):
    """A store that runs. `environment` has its credentials, `wrong` what must be refused, and no
    file may contain one of `secrets`."""

    scheme: str
    endpoint: str
    environment: dict[str, str]
    wrong: dict[str, str]
    secrets: tuple[str, ...]

    @property
    def origin(self) -> str:
        """The endpoint without its path."""
        return "/".join(self.endpoint.split("/")[:3])


@contextmanager
def s3(folder: Path) -> Iterator[Server]:
    with servers.seaweedfs(folder) as endpoint:
        wrong = {"AWS_SECRET_ACCESS_KEY": "wrong"}
        secrets = (servers.SECRET, servers.KEY)
        yield Server("s3", endpoint, servers.environment(), wrong, secrets)


@contextmanager
def az(folder: Path) -> Iterator[Server]:
    """Azurite, Microsoft's own emulator."""
    with servers.azurite(folder, ACCOUNT, ACCOUNT_KEY) as port:
        make_container(port, BUCKET)
        yield Server(
            "az",
            f"http://127.0.0.1:{port}/{ACCOUNT}",
            {"AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": ACCOUNT_KEY},
            {"AZURE_STORAGE_ACCOUNT_KEY": WRONG_KEY},
            (ACCOUNT_KEY,),
        )


@contextmanager
def gs(folder: Path, *more: str) -> Iterator[Server]:
    """Our own small server (`gcs_server.py`), which checks the signature of each token."""
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    secret = write_account(folder / "account.json", folder / "public.pem")
    write_account(folder / "stranger.json", folder / "unused.pem")
    with servers.google(folder, BUCKET, "--key", str(folder / "public.pem"), *more) as endpoint:
        yield Server(
            "gs",
            endpoint,
            {"GOOGLE_APPLICATION_CREDENTIALS": str(folder / "account.json")},
            {"GOOGLE_APPLICATION_CREDENTIALS": str(folder / "stranger.json")},
            (secret,),
        )


KINDS: dict[str, Callable[[Path], Any]] = {"s3": s3, "az": az, "gs": gs}


def write_account(file: Path, public: Path, **more: object) -> str:
    """Write the file of a new service account and its public key. Returns a line of the secret."""
    from cryptography.hazmat.primitives import serialization as formats
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        formats.Encoding.PEM, formats.PrivateFormat.PKCS8, formats.NoEncryption()
    ).decode()
    account = {"type": "service_account", "client_email": EMAIL, "private_key_id": "1"}
    file.write_text(json.dumps(account | {"private_key": pem, **more}))
    info = formats.PublicFormat.SubjectPublicKeyInfo
    public.write_bytes(key.public_key().public_bytes(formats.Encoding.PEM, info))
    return pem.splitlines()[3]


def make_container(port: int, name: str) -> None:
    """Make a container, as Azure's own tools do it."""
    when, path = formatdate(usegmt=True), f"/{ACCOUNT}/{name}"
    to_sign = (
        f"PUT{12 * chr(10)}x-ms-date:{when}\nx-ms-version:{_AZURE_VERSION}\n"
        f"/{ACCOUNT}{path}\nrestype:container"
    )
    headers = {
        "x-ms-date": when,
        "x-ms-version": _AZURE_VERSION,
        "Authorization": f"SharedKey {ACCOUNT}:{_signed(to_sign)}",
        "Content-Length": "0",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("PUT", f"{path}?restype=container", headers=headers)
    assert connection.getresponse().status == 201
    connection.close()


def sas_token(container: str, permissions: str = "racwdl") -> str:
    """A shared access signature for one container, as Azure's own tools make it."""
    until, protocols = "2099-01-01T00:00:00Z", "https,http"
    place = f"/blob/{ACCOUNT}/{container}"
    fields = [permissions, "", until, place, "", "", protocols, _AZURE_VERSION, "c"]
    signature = _signed("\n".join([*fields, *[""] * 7]))
    query = {"sp": permissions, "se": until, "spr": protocols, "sv": _AZURE_VERSION, "sr": "c"}
    query["sig"] = signature
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())


def _signed(text: str) -> str:
    key = base64.b64decode(ACCOUNT_KEY)
    return base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
