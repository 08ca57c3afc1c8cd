"""Real object stores on this machine, each on a port of its own, for one test session.

SeaweedFS is the thorough one for s3://, moto the quick one. rclone ignores conditions on puts: it
is the one that ragd must refuse. Azurite is the one for az://, our own `gcs_server.py` for gs://.
"""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parent.parent.parent
KEY, SECRET = "loopback-key", "loopback-secret-canary-5d1f"
BUCKET = "notes"


def environment() -> dict[str, str]:
    """The credentials, as a daemon finds them."""
    return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}


def find_program(name: str) -> str:
    """The program of a server package. Skips the test if it is not installed."""
    named = os.environ.get("RAGD_STORE_SERVERS")
    places = [Path(sys.executable).parent, ROOT / ".cache" / "store-servers" / "bin"]
    if named:
        places.append(Path(named) / "bin")
    for place in places:
        if (place / name).is_file():
            return str(place / name)
    pytest.skip(f"{name} is not installed; `make test-store` installs it")


def find_azurite() -> Path:
    """The script of the npm package. Skips the test if it is not installed."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed; az:// is tested with the npm package azurite")
    script = Path("node_modules/azurite/dist/src/blob/main.js")
    for place in (os.environ.get("RAGD_AZURITE"), ROOT / "tests" / "object_store" / "azurite"):
        if place is not None and (Path(place) / script).is_file():
            return Path(place) / script
    pytest.skip("azurite is not installed; `make test` and `make test-store` install it")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def seaweedfs(folder: Path) -> Iterator[str]:
    """The address of a SeaweedFS that respects credentials and conditions."""
    program = find_program("weed")
    keys = {"accessKey": KEY, "secretKey": SECRET}
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    identities = [{"name": "test", "credentials": [keys], "actions": actions}]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    named = ("master.port", "volume.port", "filer.port", "s3.port")
    more = ("s3.port.iceberg", "s3.port.lance")
    ports = {name: free_port() for name in (*named, *more, *(f"{one}.grpc" for one in named))}
    data = folder / "weed"
    data.mkdir()
    command = [
        *(program, "-logtostderr=true", "server", f"-dir={data}", "-ip=127.0.0.1"),
        *("-ip.bind=127.0.0.1", "-filer", "-s3", f"-s3.config={folder / 's3.json'}"),
        *("-s3.iam=false", "-master.telemetry=false", "-master.volumeSizeLimitMB=64"),
        *("-volume.max=100", *(f"-{name}={port}" for name, port in ports.items())),
    ]
    with _running(command, folder / "weed.log", data) as child:
        _wait_until_answering(ports["s3.port"], child, folder / "weed.log")
        yield f"http://127.0.0.1:{ports['s3.port']}"


@contextmanager
def moto(folder: Path) -> Iterator[str]:
    """The address of a moto server, with the bucket. It accepts any credentials."""
    program = find_program("moto_server")
    port = free_port()
    command = [program, "-H", "127.0.0.1", "-p", str(port)]
    with _running(command, folder / "moto.log", folder) as child:
        _wait_until_answering(port, child, folder / "moto.log")
        _request(port, "PUT", f"/{BUCKET}")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def rclone(folder: Path) -> Iterator[str]:
    """The address of an rclone that serves a folder, and ignores conditions on puts."""
    program = find_program("rclone")
    port = free_port()
    (folder / "served" / BUCKET).mkdir(parents=True)
    keys = ["--auth-key", f"{KEY},{SECRET}", "--addr", f"127.0.0.1:{port}"]
    command = [program, "serve", "s3", *keys, "--config", "/dev/null", str(folder / "served")]
    with _running(command, folder / "rclone.log", folder) as child:
        _wait_until_answering(port, child, folder / "rclone.log")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def azurite(folder: Path, account: str, key: str) -> Iterator[int]:
    """The port of an Azurite with one account and no container."""
    script = find_azurite()
    port = free_port()
    data = folder / "azurite"
    data.mkdir()
    command = [
        *("node", str(script), "--blobHost", "127.0.0.1", "--blobPort", str(port)),
        *("--location", str(data), "--silent", "--disableTelemetry"),
    ]
    accounts = {"AZURITE_ACCOUNTS": f"{account}:{key}"}
    with _running(command, folder / "azurite.log", data, **accounts) as child:
        _wait_until_answering(port, child, folder / "azurite.log")
        yield port


@contextmanager
def google(folder: Path, bucket: str, *more: str) -> Iterator[str]:
    """The address of our own small Google Cloud Storage, with a bucket."""
    port = free_port()
    module = [sys.executable, "-m", "tests.object_store.gcs_server"]
    command = [*module, "--port", str(port), "--bucket", bucket, *more]
    with _running(command, folder / "google.log", folder, PYTHONPATH=str(ROOT)) as child:
        _wait_until_answering(port, child, folder / "google.log")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _running(
    command: list[str], log: Path, folder: Path, **more: str
) -> Iterator["subprocess.Popen[bytes]"]:
    place = Path(command[0]).parent.parent  # of packages that were installed with --target
    child_environment = {**os.environ, "PYTHONPATH": str(place), "HOME": str(folder)} | more
    with log.open("wb") as written:
        child = subprocess.Popen(
            command, stdout=written, stderr=written, cwd=folder, env=child_environment
        )
    try:
        yield child
    finally:
        child.kill()
        child.wait(PATIENCE_S)
        shutil.rmtree(folder / "weed", ignore_errors=True)


def _wait_until_answering(port: int, child: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if child.poll() is not None:
            break
        try:
            _request(port, "GET", "/")
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def _request(port: int, method: str, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, headers={"Content-Length": "0"})
        return connection.getresponse().status
    finally:
        connection.close()
