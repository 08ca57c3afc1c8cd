"""What is indexed of a folder, for POST /v1/folders. Pure."""

from typing import Annotated

from msgspec import Meta, Struct

from ragd.protocol.tool_schemas import decode

PATH_MAX_CHARS = 1000


class FolderRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A folder of the vault, and whether it is never indexed."""

    folder: Annotated[str, Meta(min_length=1, max_length=PATH_MAX_CHARS)]
    never: bool


def parse_folder(body: bytes) -> FolderRequest:
    """The request in a body. Raises RagdError that names the wrong field."""
    request: FolderRequest = decode(body, FolderRequest)
    return request
