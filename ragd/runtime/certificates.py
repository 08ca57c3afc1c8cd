"""Keeps an import from reading the certificates of the machine.

aiohttp reads all of them twice when it is imported, for clients with an https address: 30 ms of
CPU time in every start. A client that has such an address calls `https_context` instead. No check
becomes weaker: a context without certificates trusts no server.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def certificates_unread() -> Iterator[None]:
    """A TLS context that is made during the block, in any thread, has no certificates."""
    kept = ssl.SSLContext.load_default_certs
    ssl.SSLContext.load_default_certs = _read_none  # type: ignore[assignment, method-assign]
    ssl.SSLContext.set_default_verify_paths = _read_none  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        ssl.SSLContext.load_default_certs = kept  # type: ignore[method-assign]
        del ssl.SSLContext.set_default_verify_paths  # that of its C base class is seen again


def _read_none(context: ssl.SSLContext, purpose: ssl.Purpose | None = None) -> None:
    """In place of the two methods that read certificates."""


def https_context() -> ssl.SSLContext:
    """The context of an HTTP client that trusts the certificates of this machine."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(("http/1.1",))
    return context
