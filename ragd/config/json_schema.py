"""The JSON Schema of config.json, for editors: names, choices, ranges, descriptions.

It has the same rules as the strict reader, as far as a schema (draft 7, which editors know best)
can express them. The reader also refuses an overlap that is not smaller than the chunk size, a port
above 65535, a whole number written as 64.0, and a duplicate key. It reads no file.
"""

from typing import Any, assert_never

from msgspec import NODEFAULT, inspect

from ragd.config.collection_rules import NAME_PATTERN
from ragd.config.schema import SCHEMA_KEY, Config, SchemaAddress
from ragd.config.validation import as_json_value, without_metadata
from ragd.vault.collection_paths import RESERVED

Schema = dict[str, Any]

_END = r"(?![\s\S])"  # not `$`, which in some languages lets a newline follow
_CONTROL = r"\u0000-\u001f\u007f-\u009f"
_ANY_TEXT = f"^[^{_CONTROL}]*{_END}"
_SOME_TEXT = rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*{_END}"

_NEXT = rf"\s*([/\\]|{_END})"
_ROOTED = rf"^\s*~?{_NEXT}|^[A-Za-z]:"
_UPWARDS = rf"(^|[/\\])\s*\.\.{_NEXT}"
_NOWHERE = rf"^\s*\.?\s*([/\\]\s*\.?\s*)*{_END}"
_INSIDE_THE_VAULT = {"not": {"pattern": f"{_ROOTED}|{_UPWARDS}|{_NOWHERE}"}}

_HOST = r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?)"
_BYTE = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_THIS_MACHINE = (
    rf"([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127(\.{_BYTE}){{3}}|\[[0:.]*1\])"  # [::1], spelt out
)


def _address(host: str) -> str:
    scheme = "^[Hh][Tt][Tt][Pp][Ss]?://"
    return rf"{scheme}{host}(:[0-9]{{1,5}})?(/[A-Za-z0-9._~!$&'()*+,;=:%/-]*)?{_END}"


# Rules beyond the type of a value, by its dotted name; `[]` means an item, `{}` a name.
_EXTRA_RULES: dict[str, Schema] = {
    "embedding.base_url": {"pattern": _address(_HOST)},
    "indexing.deny_dirs[]": _INSIDE_THE_VAULT,
    "indexing.allow_dirs[]": _INSIDE_THE_VAULT,
    "collections{}": {"pattern": f"^{NAME_PATTERN}{_END}", "not": {"enum": [*RESERVED]}},
    "collections.*.deny_dirs[]": _INSIDE_THE_VAULT,
    "collections.*.allow_dirs[]": _INSIDE_THE_VAULT,
}


def json_schema() -> Schema:
    """The schema of the whole config.json."""
    schema = _type_schema(inspect.type_info(Config), "")
    address = _described_schema(inspect.type_info(SchemaAddress))
    properties = {SCHEMA_KEY: address, **schema.pop("properties")}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ragd: config.json",
        **schema,
        "properties": properties,
        "allOf": [_not_both_weights_zero(), _this_machine_unless_agreed()],
    }


def _not_both_weights_zero() -> Schema:
    weights = ("vector_weight", "text_weight")
    zeros = {"required": [*weights], "properties": {name: {"const": 0} for name in weights}}
    return {"properties": {"search": {"not": zeros}}}


def _this_machine_unless_agreed() -> Schema:
    agreed = {"local_only": {"const": False}, "external_confirmed": {"const": True}}
    return {
        "if": {
            "required": ["security"],
            "properties": {"security": {"required": [*agreed], "properties": agreed}},
        },
        "else": {
            "properties": {
                "embedding": {"properties": {"base_url": {"pattern": _address(_THIS_MACHINE)}}}
            }
        },
    }


def _described_schema(kind: inspect.Type, name: str = "") -> Schema:
    extra = (kind.extra_json_schema or {}) if isinstance(kind, inspect.Metadata) else {}
    return {**extra, **_type_schema(kind, name)}


def _type_schema(kind: inspect.Type, name: str) -> Schema:
    shape = without_metadata(kind)
    match shape:
        case inspect.StructType():
            return _section_schema(shape, f"{name}." if name else "")
        case inspect.DictType():
            named = _type_schema(shape.key_type, "") | _EXTRA_RULES.get(f"{name}{{}}", {})
            value = _type_schema(shape.value_type, f"{name}.*")
            limits = _size_rules(shape, "Properties")
            return {
                "type": "object",
                **limits,
                "propertyNames": named,
                "additionalProperties": value,
            }
        case inspect.VarTupleType():
            item = f"{name}[]"
            items = _type_schema(shape.item_type, item) | _EXTRA_RULES.get(item, {})
            return {"type": "array", **_size_rules(shape, "Items"), "items": items}
        case inspect.StrType():
            pattern = _SOME_TEXT if shape.min_length else _ANY_TEXT
            return {"type": "string", **_size_rules(shape, "Length"), "pattern": pattern}
        case inspect.LiteralType():
            return {"enum": list(shape.values)}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer", "minimum": shape.ge, "maximum": shape.le}
        case inspect.FloatType():
            return {
                "type": "number",
                "minimum": as_json_value(shape.ge),
                "maximum": as_json_value(shape.le),
            }
        case _:
            assert_never(shape)


def _section_schema(shape: inspect.StructType, prefix: str) -> Schema:
    properties: Schema = {}
    for field in shape.fields:
        name = prefix + field.encode_name
        schema = _described_schema(field.type, name) | _EXTRA_RULES.get(name, {})
        if not isinstance(without_metadata(field.type), inspect.StructType) and not field.required:
            made = field.default_factory is not NODEFAULT
            schema["default"] = as_json_value(field.default_factory() if made else field.default)
        properties[field.encode_name] = schema
    required = [field.encode_name for field in shape.fields if field.required]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _size_rules(
    shape: inspect.StrType | inspect.VarTupleType | inspect.DictType, what: str
) -> dict[str, int]:
    sizes = {f"min{what}": shape.min_length, f"max{what}": shape.max_length}
    return {name: size for name, size in sizes.items() if size is not None}
