"""The tools: the parser accepts exactly what the published schemas allow."""

import json
import re
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.errors import RagdError
from ragd.protocol.limits import DAY_OR_TIME, QUERY_READ_CHARS
from ragd.protocol.tool_schemas import TOOLS, SearchRequest, parse_request, published_tools

SCHEMAS: dict[str, dict[str, Any]] = {t["name"]: t["parameters"] for t in published_tools()}

# The JSON Schema keywords in use, and the types of their values.
WORDS: dict[str, Any] = {
    "$defs": dict,
    "$ref": str,
    "additionalProperties": bool,
    "anyOf": list,
    "default": object,
    "description": str,
    "enum": list,
    "items": dict,
    "maxItems": int,
    "maxLength": int,
    "maximum": int,
    "minLength": int,
    "minimum": int,
    "pattern": str,
    "properties": dict,
    "required": list,
    "title": str,
    "type": str,
}
TYPES: dict[str, Any] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


def is_valid(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    """Whether the value is valid by those keywords."""
    if "$ref" in schema:
        return is_valid(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root)
    if "anyOf" in schema:
        return any(is_valid(option, value, root) for option in schema["anyOf"])
    if "enum" in schema and value not in schema["enum"]:
        return False
    kind = schema.get("type")
    if kind and (
        not isinstance(value, TYPES[kind]) or isinstance(value, bool) is not (kind == "boolean")
    ):
        return False
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return (
            set(schema.get("required", [])) <= set(value)
            and (schema.get("additionalProperties", True) or set(value) <= set(properties))
            and all(is_valid(properties[k], v, root) for k, v in value.items() if k in properties)
        )
    if isinstance(value, list):
        items = schema.get("items", {})
        fits = len(value) <= schema.get("maxItems", len(value))
        return fits and all(is_valid(items, item, root) for item in value)
    if isinstance(value, str):
        pattern = re.search(schema.get("pattern", ""), value)
        low, high = schema.get("minLength", 0), schema.get("maxLength", len(value))
        return pattern is not None and low <= len(value) <= high
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def parses(tool: str, value: Any) -> bool:
    try:
        parse_request(tool, json.dumps(value).encode())
    except RagdError as why:
        assert why.code == "INVALID_REQUEST"
        return False
    return True


def walk(schema: Any) -> Any:
    if isinstance(schema, dict):
        yield schema
        for word, value in schema.items():
            inner = value.values() if word in ("properties", "$defs") else [value]
            for each in inner:
                yield from walk(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from walk(each)


@pytest.mark.parametrize("tool", SCHEMAS)
def test_each_schema_is_valid_json_schema_with_the_object_on_top(tool: str) -> None:
    schema = SCHEMAS[tool]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for part in walk(schema):
        for word, value in part.items():
            assert isinstance(value, WORDS[word]), word
        if "type" in part:
            assert part["type"] in TYPES
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/$defs/") in schema["$defs"]
        assert set(part.get("required", [])) <= set(part.get("properties", {}))
        if "pattern" in part:
            re.compile(part["pattern"])
    json.dumps(schema)


def test_every_parameter_is_described() -> None:
    for schema in SCHEMAS.values():
        for name, parameter in schema["properties"].items():
            described = "description" in parameter or any(
                "$ref" in option or "description" in option for option in parameter.get("anyOf", [])
            )
            assert described, name


def test_permissions_are_as_documented() -> None:
    assert {t["name"]: t["requiredPermissions"] for t in published_tools()} == {
        "obsidian_rag_search": ["vault:read"],
        "obsidian_rag_index": ["index:write"],
        "obsidian_rag_status": ["vault:read"],
        "obsidian_rag_memory_store": ["memory:write"],
        "obsidian_rag_read": ["vault:read"],
        "obsidian_rag_related": ["vault:read"],
        "obsidian_rag_memory_search": ["memory:read"],
        "obsidian_rag_memory_write": ["memory:write"],
        "obsidian_rag_memory_forget": ["memory:write"],
    }


words = st.text(max_size=5) | st.sampled_from(
    ["2024-01-15", "2024-01-15T10:00:00Z", "sync", "full", "x" * 201]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 60) | words,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["from", "to", "start"]) | words, inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(deadline=None)
@given(data=st.data(), tool=st.sampled_from(sorted(SCHEMAS)))
def test_the_published_schema_and_the_parser_agree(data: Any, tool: str) -> None:
    names = st.sampled_from([*SCHEMAS[tool]["properties"], "unknown"])
    request = data.draw(st.dictionaries(names, values, max_size=6) | values)
    fits = is_valid(SCHEMAS[tool], request, SCHEMAS[tool]) and passes_other_checks(request)
    assert parses(tool, request) == fits


def passes_other_checks(request: Any) -> bool:
    """Checks that a schema cannot express: the query is not blank, and days are real."""
    if not isinstance(request, dict) or not str(request.get("query", "x")).strip():
        return False
    days = request.get("date_range") or {}
    written = [day for day in days.values() if isinstance(day, str)]
    return all(re.search(DAY_OR_TIME, day) and is_day(day) for day in written)


def is_day(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


FITTING = st.fixed_dictionaries(
    {"query": st.text(min_size=1, max_size=20).filter(str.strip)},
    optional={
        "max_results": st.integers(1, 50),
        "directory_filter": st.lists(st.text(min_size=1, max_size=9), max_size=3),
        "tags": st.lists(st.text(min_size=1, max_size=9), max_size=3),
        "date_range": st.none()
        | st.fixed_dictionaries(
            {}, optional={"from": st.dates().map(str), "to": st.none() | st.dates().map(str)}
        ),
        "confirm": st.none() | st.text(max_size=9),
    },
)


@settings(deadline=None)
@given(FITTING)
def test_a_valid_request_is_parsed(request: dict[str, Any]) -> None:
    assert is_valid(SCHEMAS["obsidian_rag_search"], request, SCHEMAS["obsidian_rag_search"])
    parsed = parse_request("obsidian_rag_search", json.dumps(request).encode())
    assert isinstance(parsed, SearchRequest)
    assert parsed.query == request["query"]
    assert parsed.max_results == request.get("max_results", 5)
    assert parsed.tags == request.get("tags", [])
    days = request.get("date_range")
    if days is not None:
        assert parsed.date_range is not None
        assert parsed.date_range.start == days.get("from")


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(sorted(TOOLS)) | st.text(max_size=30))
def test_any_bytes_are_parsed_or_refused_as_invalid(body: bytes, tool: str) -> None:
    try:
        parse_request(tool, body)
    except RagdError as why:
        assert why.code == "INVALID_REQUEST"
        why.message.encode()  # it can be sent


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"limit": 5}', "The field `limit` is unknown; valid: `query`, "),
        (b'{"a` - at `$.b": 5}', "is unknown; valid: "),
        (b'{"query": "x", "date_range": {"since": 1}}', "`since` in `date_range` is unknown"),
        (b"{}", "The field `query` is required."),
        (b'{"query": 5}', "`query` is not valid: it must be a text, not a whole number."),
        (b'{"query": ""}', "The field `query` is empty"),
        (b'{"query": " \\n "}', "The field `query` is empty."),
        (b'{"query": "x", "max_results": 51}', "`max_results` is not valid: it must be at most 50"),
        (b'{"query": "x", "tags": [""]}', "it must have at least 1 characters"),
        (b'{"query": "x", "confirm": 5}', "it must be a text or nothing, not a whole number"),
        (
            b'{"query": "x", "date_range": {"from": "2024-02-30"}}',
            "`date_range.from` is not a real date",
        ),
        (
            b'{"query": "x", "date_range": {"to": "2024-01-15\\n"}}',
            "`date_range.to` is not a real date",
        ),
        (b'{"query": "x", "date_range": {"to": "\xd9\xa2024-01-15"}}', "`date_range.to`"),
        (b'{"query": "x", "date_range": {"to": "soon"}}', "write 2025-01-31, 2025-01-31T18:30 or"),
        (b'{"query": "x", "date_range": {"from": "2024-01-15T25:00Z"}}', "T18:30:00Z (or +02:00)"),
        (b'{"query": "x", "date_range": {"from": "2024-01-15T10:00 CET"}}', "`date_range.from`"),
        (b"[]", "The request is not valid: it must be an object, not a list."),
    ],
)
def test_the_message_names_the_field(body: bytes, message: str) -> None:
    with pytest.raises(RagdError) as refused:
        parse_request("obsidian_rag_search", body)
    assert message in refused.value.message


def test_a_very_long_field_name_is_cut() -> None:
    with pytest.raises(RagdError) as refused:
        parse_request("obsidian_rag_status", json.dumps({"x" * 100_000: 1}).encode())
    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("obsidian_rag_serch", "obsidian_rag_search"),
        ("rag_status", "obsidian_rag_status"),
        ("memory_store", "obsidian_rag_memory_store"),
        ("x" * 10_000, None),
        ("", None),
    ],
)
def test_for_an_unknown_tool_the_nearest_is_suggested(name: str, near: str | None) -> None:
    with pytest.raises(RagdError) as refused:
        parse_request(name, b"{}")
    assert refused.value.code == "INVALID_REQUEST"
    assert ("did you mean" in refused.value.message) == (near is not None)
    if near:
        assert near in refused.value.message


@pytest.mark.parametrize(
    "moment",
    [
        *("2024-01-15", "2024-01-15T10:30", "2024-01-15 10:30:59", "2024-01-15T10:30:59.123Z"),
        *("2024-01-15T10:30Z", "2024-01-15T10:30:59+05:30", "2024-01-15T10:30:59.123456789-0800"),
    ],
)
def test_days_and_timestamps_are_accepted_as_written(moment: str) -> None:
    request = {"query": "x", "date_range": {"from": moment, "to": moment}}
    assert is_valid(SCHEMAS["obsidian_rag_search"], request, SCHEMAS["obsidian_rag_search"])
    parsed = parse_request("obsidian_rag_search", json.dumps(request).encode())
    assert isinstance(parsed, SearchRequest) and parsed.date_range is not None
    assert (parsed.date_range.start, parsed.date_range.to) == (moment, moment)


def test_a_long_query_is_cut_to_what_is_read() -> None:
    request = parse_request("obsidian_rag_search", json.dumps({"query": "x" * 5_000}).encode())
    assert isinstance(request, SearchRequest)
    assert request.query == "x" * QUERY_READ_CHARS
