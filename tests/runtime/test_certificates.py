"""An import without the machine's certificates, and a client that has them."""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ragd.embed.providers.ollama import is_reachable
from ragd.runtime.certificates import certificates_unread, https_context

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"version":"0.33.0"}'
IN_THE_DAEMON = """
import ssl
from ragd.runtime.certificates import certificates_unread
made = []
plain = ssl.SSLContext.__new__
ssl.SSLContext.__new__ = lambda *given, **named: made.append(plain(*given, **named)) or made[-1]
with certificates_unread():
    import ragd.daemon
print([len(context.get_ca_certs()) for context in made])
"""


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 7)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = tmp_path / "certificate.pem", tmp_path / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return certificate, private


@pytest.fixture
def trusted(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine trusts the certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(pair[0]))
    yield


def count(context: ssl.SSLContext) -> int:
    return len(context.get_ca_certs())


@pytest.mark.usefixtures("trusted")
def test_a_context_has_no_certificates_only_if_it_was_made_during_the_block() -> None:
    before = ssl.create_default_context()
    with certificates_unread():
        during = ssl.create_default_context()
        by_path = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        by_path.set_default_verify_paths()
    after = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    after.set_default_verify_paths()
    counts = (before, during, by_path, after, https_context())
    assert [count(context) for context in counts] == [1, 0, 0, 1, 1]
    assert during.verify_mode == ssl.CERT_REQUIRED and during.check_hostname


@pytest.mark.usefixtures("trusted")
def test_the_daemon_is_imported_without_reading_a_certificate() -> None:
    command = [sys.executable, "-c", IN_THE_DAEMON]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    made = found.stdout.strip()
    assert made != "[]", "aiohttp makes its contexts when it is imported"
    assert set(made) <= set("[0, ]")


async def asked_over_https(pair: tuple[Path, Path]) -> bool:
    """Whether a server with this certificate counts as reachable."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*pair)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "localhost", 0, ssl=context)
    async with server:
        port = server.sockets[0].getsockname()[1]
        return await is_reachable(f"https://localhost:{port}")


@pytest.mark.usefixtures("trusted")
async def test_a_server_with_a_trusted_certificate_is_reached(pair: tuple[Path, Path]) -> None:
    assert await asked_over_https(pair)


async def test_a_server_with_another_certificate_is_not(pair: tuple[Path, Path]) -> None:
    assert not await asked_over_https(pair)
