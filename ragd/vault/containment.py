"""Checks paths from requests: each is inside the vault, or refused.

It never reads the disk, and never repairs a path that leads outside. Such a path is a security
violation in any spelling; a malformed path is an invalid request.
"""

import re
import unicodedata
from urllib.parse import unquote_to_bytes

from ragd.errors import RagdError

MOST_BYTES = 4096
_DECODING_ROUNDS = 5  # a path that is still encoded after them is refused

_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z]:|[A-Za-z][A-Za-z0-9+.\-]+://")
_UNICODE_ESCAPE = re.compile(r"%u([0-9A-Fa-f]{4})")
# UTF-8 in more bytes than needed: a lax decoder reads it as a dot, a slash or a backslash.
_OVERLONG = re.compile(
    rb"\xc0([\x80-\xbf])|\xc1([\x80-\xbf])|\xe0\x80([\x80-\xbf])|\xe0\x81([\x80-\xbf])"
    rb"|\xf0\x80\x80([\x80-\xbf])|\xf0\x80\x81([\x80-\xbf])"
)
_SLASHES = str.maketrans(dict.fromkeys("\\\u2044\u2215\u2216\u29f5\u29f8\u29f9\uff0f\uff3c", "/"))
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.I)


def contained_path(path: str) -> str:
    """`path` relative to the vault's root, with `/` and without empty steps; or RagdError."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        raise _invalid("The path is not valid text.") from None
    if size > MOST_BYTES:
        raise _invalid("The path is too long.")
    for decoded in _decodings(path):
        _refuse_escape(decoded)
    for decoded in _decodings(path):
        _refuse_malformed(decoded)
    steps = [step for step in path.replace("\\", "/").split("/") if step not in ("", ".")]
    if not steps:
        raise _invalid("The path is empty.")
    return "/".join(steps)


def _decodings(path: str) -> list[str]:
    """The path as given, and after each round of decoding."""
    found = [path]
    for _ in range(_DECODING_ROUNDS):
        decoded = _decode(found[-1])
        if decoded == found[-1]:
            break
        found.append(decoded)
    else:
        if _decode(found[-1]) != found[-1]:
            raise RagdError("SECURITY_VIOLATION")
    # NFKC turns full-width dots and similar characters into plain ones.
    return [*found, *[unicodedata.normalize("NFKC", one) for one in found]]


def _decode(path: str) -> str:
    if "%" not in path:
        return path
    path = _UNICODE_ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), path)
    data = unquote_to_bytes(path.encode("utf-8", "surrogatepass"))
    return _OVERLONG.sub(_shortest, data).decode("utf-8", "replace")


def _shortest(match: re.Match[bytes]) -> bytes:
    assert match.lastindex is not None
    low = match.group(match.lastindex)[0] & 0x3F
    return bytes([low if match.lastindex % 2 else low | 0x40])


def _refuse_escape(path: str) -> None:
    path = path.translate(_SLASHES)
    if path.startswith("/") or _DRIVE_OR_SCHEME.match(path):
        raise RagdError("SECURITY_VIOLATION")
    # Windows drops dots and spaces at the end of a step, so `.. ` is `..` there.
    if any(not step.strip(". ") and step.count(".") not in (0, 1, 3) for step in path.split("/")):
        raise RagdError("SECURITY_VIOLATION")


def _refuse_malformed(path: str) -> None:
    if "\0" in path:
        raise _invalid("The path contains a NUL character.")
    for step in path.translate(_SLASHES).split("/"):
        if _DEVICE.fullmatch(step.rstrip(". ")):
            raise _invalid("The path names a device.")
        if not step.strip(". ") and step.count(".") == 3:
            raise _invalid("The path contains a folder name of dots only.")


def _invalid(message: str) -> RagdError:
    return RagdError("INVALID_REQUEST", message)
