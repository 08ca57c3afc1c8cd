"""A search that also says where an expected note fell out, for POST /v1/explain. Pure.

It is not a tool: only the user asks why a note was not found.
"""

from typing import Annotated

from msgspec import Meta, structs

from ragd.protocol.tool_schemas import SearchRequest, check_search, decode

NAME_MAX_CHARS = 1000


class ExplainRequest(SearchRequest, frozen=True, forbid_unknown_fields=True):
    """The fields of a search, and the name or path of a note that should have been found."""

    expect: Annotated[str, Meta(max_length=NAME_MAX_CHARS)] = ""


def parse_explain(body: bytes) -> ExplainRequest:
    """The request in a body. Raises RagdError that names the wrong field."""
    request: ExplainRequest = decode(body, ExplainRequest)
    checked = check_search(request)
    assert isinstance(checked, ExplainRequest)
    return structs.replace(checked, explain=True)
