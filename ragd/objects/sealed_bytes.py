"""Encrypts what another machine may store but not read: AES-256-GCM, with a key of this home.

The key is made once, is kept in the home, and never goes into the object store.
"""

import secrets
from functools import cache
from pathlib import Path
from typing import Any

from ragd.errors import StartupError
from ragd.runtime.durable_files import replace_file

KEY_BYTES = 32
_NONCE_BYTES = 12
_PURPOSE = b"ragd memories 1"


class WrongKey(Exception):
    """The key does not open this, or it was changed."""


@cache
def _aes() -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise StartupError(
            "The package `cryptography` is missing, which `log.mirror` needs.",
            "Run `pipx inject ragd obstore cryptography`, or `pip install 'ragd[cloud]'`.",
        ) from None
    return AESGCM


def read_or_make_key(path: Path) -> bytes:
    """The key of this home; a new one if there is none yet."""
    try:
        return parse_key(path.read_text("ascii"))
    except FileNotFoundError:
        key = secrets.token_bytes(KEY_BYTES)
        replace_file(path, key.hex().encode() + b"\n")
        return key


def parse_key(text: str) -> bytes:
    """The key that `ragctl mirror key` printed. Raises ValueError."""
    key = bytes.fromhex(text.strip())
    if len(key) != KEY_BYTES:
        raise ValueError("not a key")
    return key


def seal(data: bytes, key: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed: bytes = _aes()(key).encrypt(nonce, data, _PURPOSE)
    return nonce + sealed


def unseal(data: bytes, key: bytes) -> bytes:
    """The content. Raises WrongKey."""
    try:
        opened: bytes = _aes()(key).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _PURPOSE)
    except Exception:
        raise WrongKey from None
    return opened
