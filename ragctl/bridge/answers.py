"""Answers that the bridge gives itself: refusals as envelopes, and headers of every answer.

It never sends the client's own bytes back.
"""

from typing import Any

from aiohttp import web

from ragd import __version__
from ragd.errors import UNAVAILABLE, RagdError
from ragd.protocol.envelope import Envelope, Meta, encode, refusal_envelope

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "ragd",
    "X-Ragd-Version": __version__,
}


class BridgeRefusal(Exception):
    """A request that the bridge does not answer, with its HTTP status."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str | None = None,
        suggestion: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.status = status
        self.why = RagdError(code, message, suggestion)
        self.headers = headers or {}
        super().__init__(self.why.message)


def refusal_response(refused: BridgeRefusal, *, as_text: bool = False) -> web.Response:
    """The refusal as an envelope, or as text for a person who opened the address."""
    if as_text:
        return web.Response(
            text=f"{refused.why.message} {refused.why.suggestion}\n",
            status=refused.status,
            headers={**HEADERS, **refused.headers},
        )
    envelope = refusal_envelope(refused.why, UNAVAILABLE, Meta())
    return envelope_response(envelope, refused.status, refused.headers)


def data_response(data: Any) -> web.Response:
    """An answer of the bridge itself."""
    return envelope_response(Envelope("healthy", data, None, Meta()), 200, {})


def envelope_response(envelope: Envelope, status: int, headers: dict[str, str]) -> web.Response:
    """An envelope as a response with every header."""
    return web.Response(
        body=encode(envelope),
        status=status,
        content_type="application/json",
        headers={**HEADERS, **headers},
    )


def mark_with_headers(response: web.StreamResponse) -> None:
    """Set the headers of every answer. None of them can be replaced by a handler."""
    for name, value in HEADERS.items():
        response.headers[name] = value
