"""The requests about tokens. Pure."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from ragd.errors import RagdError
from ragd.protocol.limits import TOKEN_EXPIRES_MAX_S
from ragd.protocol.request_errors import explain_invalid

COLLECTIONS_MAX = 100
CollectionName = Annotated[str, Meta(min_length=1, max_length=200)]
NAME_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,39}$"


class TokenRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Make a token."""

    name: Annotated[str, Meta(pattern=NAME_PATTERN)]
    collections: Annotated[list[CollectionName], Meta(max_length=COLLECTIONS_MAX)] = field(
        default_factory=list
    )
    read_only: bool = False
    sensitive: bool = False
    expires_s: Annotated[int, Meta(ge=1, le=TOKEN_EXPIRES_MAX_S)] | None = None


_decode = msgspec.json.Decoder(TokenRequest).decode


def parse_token_request(body: bytes) -> TokenRequest:
    """The request in a body. Raises RagdError that names the wrong field."""
    try:
        return _decode(body or b"{}")
    except msgspec.ValidationError as why:
        raise RagdError(
            "INVALID_REQUEST", explain_invalid(str(why), TokenRequest, TokenRequest)
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RagdError("INVALID_REQUEST", "The body is not valid JSON.") from None
