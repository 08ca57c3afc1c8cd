"""What a failure of an object store means, as an error code. Pure.

The libraries have few exception classes, so their messages are read. A message that names none of
these is not a failure of the store.
"""

import re

from ragd.errors import RagdError

STORE_CODES = ("STORE_UNREACHABLE", "STORE_DENIED", "STORE_BUCKET_MISSING", "STORE_FULL")

_STORES = re.compile(
    r"\b(?:S3|GCS|MicrosoftAzure|Azure)\b|Error performing (?:GET|PUT|POST|DELETE|HEAD|LIST) "
)
_BUCKET = re.compile(r"NoSuchBucket|bucket does not exist|BucketNotFound|ContainerNotFound")
_DENIED = re.compile(
    r"\b40[13]\b|Forbidden|Unauthorized|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch"
    r"|ExpiredToken|InvalidToken|Unauthenticated|PermissionDenied|lacked the necessary privileges"
    r"|CredentialsNotLoaded|no providers in chain|credential provider|RequestTimeTooSkewed"
)
_FULL = re.compile(r"\b507\b|QuotaExceeded|InsufficientStorage|EntityTooLarge|no space left")
_UNREACHABLE = re.compile(
    r"\b(?:408|429|50[0234])\b|SlowDown|ServiceUnavailable|error sending request|timed? ?out"
    r"|connection (?:closed|refused|reset)|error decoding response body|dns error|tcp connect"
    r"|operation was canceled|incomplete message|retry_timeout|HTTP error",
    re.IGNORECASE,
)


def store_code(message: str, *, is_of_a_store: bool = False) -> str | None:
    """The error code of this message; None if it is not about an object store."""
    if not is_of_a_store and not _STORES.search(message):
        return None
    for code, pattern in (
        ("STORE_BUCKET_MISSING", _BUCKET),
        ("STORE_FULL", _FULL),
        ("STORE_DENIED", _DENIED),
        ("STORE_UNREACHABLE", _UNREACHABLE),
    ):
        if pattern.search(message):
            return code
    return "STORE_UNREACHABLE" if is_of_a_store else None


class ObjectStoreError(RagdError):
    """The object store did not do what it was asked for: one of STORE_CODES."""
