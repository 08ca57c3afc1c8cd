"""Requests with exact phrases only."""

import pytest

from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.prepared_query import PreparedQuery


@pytest.mark.parametrize(
    ("text", "quoted", "literal"),
    [
        ("pipx install", ("pipx install",), True),
        ("Pipx Install", ("pipx install",), True),
        ("pipx install red green", ("pipx install", "red green"), True),
        ("how to pipx install black", ("pipx install",), False),
        ("pipx install", (), False),
    ],
)
def test_a_request_of_phrases_alone_is_literal(
    text: str, quoted: tuple[str, ...], literal: bool
) -> None:
    request = SearchRequest(query=text)
    assert PreparedQuery(text, request, quoted=quoted).is_literal == literal
