"""What a failure of an object store means, as an error code. Pure.

The libraries have few exception classes, so their messages are read. A message that names none of
these is not a failure of the store.
"""

import re

from ragd.errors import RagdError

STORE_CODES = ("STORE_UNREACHABLE", "STORE_DENIED", "STORE_BUCKET_MISSING", "STORE_FULL")

_STORES = re.compile(
    r"\b(?:S3|GCS|MicrosoftAzure|Azure|\w+CryptoProvider)\b"
    r"|Error performing (?:GET|PUT|POST|DELETE|HEAD|LIST) "
)
# What contains numbers that are no status: addresses and durations.
_NUMBERS = re.compile(r"https?://[^\s,]+|\b\d[\d.]*(?:ns|µs|ms|s)\b")
# Where a machine in a cloud finds its own credentials. Asked last: there are no others.
_OWN_CREDENTIALS = re.compile(r"/computeMetadata/|/metadata/identity/")
_BUCKET = re.compile(r"NoSuchBucket|bucket does not exist|BucketNotFound|ContainerNotFound")
_DENIED = re.compile(
    r"\b40[13]\b|Forbidden|Unauthorized|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch"
    r"|ExpiredToken|InvalidToken|Unauthenticated|PermissionDenied|lacked the necessary privileges"
    r"|CredentialsNotLoaded|no providers in chain|credential provider|RequestTimeTooSkewed"
    r"|AuthenticationFailed|AuthorizationFailure|ResourceNotFound|Invalid Access Key"
    r"|Account must be specified|no storage account configured"
    r"|credential error|service account file|token response body|CryptoProvider error"
    r"|performing token request[^{]*\b40\d\b"
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
    if _OWN_CREDENTIALS.search(message):
        return "STORE_DENIED"
    message = _NUMBERS.sub("", message)
    for code, pattern in (
        ("STORE_BUCKET_MISSING", _BUCKET),
        ("STORE_FULL", _FULL),
        ("STORE_DENIED", _DENIED),
        ("STORE_UNREACHABLE", _UNREACHABLE),
    ):
        if pattern.search(message):
            return code
    return "STORE_UNREACHABLE" if is_of_a_store else None


def code_of_missing(message: str) -> str | None:
    """The error code, if more than a single object is missing: the bucket, or what the account may
    know about."""
    if _BUCKET.search(message):
        return "STORE_BUCKET_MISSING"
    return "STORE_DENIED" if "<Code>ResourceNotFound<" in message else None


def is_throttled(message: str) -> bool:
    """Whether the store refused a request because there were too many: nothing was done."""
    return re.search(r"\b429\b", _NUMBERS.sub("", message)) is not None


class ObjectStoreError(RagdError):
    """The object store did not do what it was asked for: one of STORE_CODES."""
