"""Checks whether a store respects conditions on puts. Without them, two commits can overwrite each
other, and no lease can be held: such a store is refused.
"""

from ragd.clock import new_id
from ragd.errors import RagdError
from ragd.objects.object_client import ObjectClient

_PROBE = "probe"


def require_conditional_puts(client: ObjectClient) -> None:
    """Raises RagdError if the store ignores a condition. It leaves nothing behind."""
    name = f"{_PROBE}/{new_id()}"
    try:
        if not _has_conditional_puts(client, name):
            raise RagdError("STORE_UNSAFE")
    finally:
        client.delete([name])


def _has_conditional_puts(client: ObjectClient, name: str) -> bool:
    first = client.create(name, b"1")
    if first is None or client.create(name, b"2") is not None:
        return False
    second = client.replace(name, b"3", first)
    if second is None or client.replace(name, b"4", first) is not None:
        return False
    found = client.get(name)
    return found is not None and found.data == b"3"
