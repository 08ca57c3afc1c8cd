"""Finds what is wrong with a configuration's JSON, and names each key by its dotted name.

It never repeats a text value (it may be a secret), and reports all problems, not only the first.
The types, ranges and names of the keys come from a msgspec struct.
"""

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NoReturn, assert_never, cast

from msgspec import inspect

from ragd.close_match import closest
from ragd.errors import ConfigError

MAX_PROBLEMS = 20
_SHOWN = 60

JsonObject = dict[str, object]
Scalar = (
    inspect.BoolType | inspect.IntType | inspect.FloatType | inspect.StrType | inspect.LiteralType
)
Shape = Scalar | inspect.VarTupleType | inspect.DictType | inspect.StructType


def read_object(raw: bytes) -> JsonObject:
    """The JSON object in `raw`. Raises ConfigError with the place of the error."""
    duplicates: list[tuple[JsonObject, list[str]]] = []

    def to_dict(pairs: list[tuple[str, object]]) -> JsonObject:
        found = dict(pairs)
        if len(found) < len(pairs):
            times = Counter(name for name, _ in pairs)
            duplicates.append((found, [name for name in times if times[name] > 1]))
        return found

    text = _decoded(raw)
    try:
        tree = json.loads(text, object_pairs_hook=to_dict, parse_constant=_refuse_constant)
    except json.JSONDecodeError as broken:
        why = broken.msg.removesuffix(" at").removesuffix(" starting")
        where = f"line {broken.lineno}, column {broken.colno}"
        raise ConfigError(
            f"The configuration is not valid JSON at {where} ({why}).",
            "Correct that line: keys and texts need double quotes, and the last item has no comma.",
        ) from None
    except RecursionError:
        raise ConfigError("The configuration is nested too deeply.") from None
    except ValueError:  # Python's limit on the digits of a whole number
        raise ConfigError("The configuration contains a number with too many digits.") from None
    if not isinstance(tree, dict):
        raise ConfigError(
            f"The configuration should be a section in braces, {{…}}, but is {found_words(tree)}."
        )
    if duplicates:
        raise_problems(
            f"`{printable(key)}` occurs twice; keep one."
            for key in _duplicate_names(tree, duplicates)
        )
    return tree


def find_problems(shape: inspect.Type, value: object, key: str = "") -> Iterator[str]:
    """A sentence for each difference between `value` and `shape`."""
    shape = without_metadata(shape)
    match shape:
        case inspect.StructType():
            yield from _struct_problems(shape, value, key)
        case inspect.DictType():
            if not isinstance(value, dict):
                yield _mismatch(shape, value, key)
                return
            yield from _size_problems(shape, len(value), key)
            for name, item in value.items():
                yield from find_problems(shape.key_type, name, f"{key}.{printable(name)}")
                yield from find_problems(shape.value_type, item, f"{key}.{printable(name)}")
        case inspect.VarTupleType():
            if not isinstance(value, list | tuple):
                yield _mismatch(shape, value, key)
                return
            yield from _size_problems(shape, len(value), key)
            for place, item in enumerate(value):
                yield from find_problems(shape.item_type, item, f"{key}[{place}]")
        case inspect.StrType():
            yield from _text_problems(shape, value, key)
        case inspect.LiteralType():
            if value not in shape.values or not isinstance(value, str):
                yield _mismatch(shape, value, key) + _did_you_mean(shape, value)
        case inspect.BoolType():
            if not isinstance(value, bool):
                yield _mismatch(shape, value, key)
        case inspect.IntType() | inspect.FloatType():
            whole = isinstance(shape, inspect.IntType)
            if not _is_number(value, whole) or not _in_range(shape, cast(float, value)):
                yield _mismatch(shape, value, key)
        case _:
            assert_never(shape)


def raise_problems(sentences: Iterable[str], suggestion: str = "") -> None:
    """Raise one ConfigError with all `sentences`. Do nothing if there are none."""
    rest = iter(sentences)
    listed = list(islice(rest, MAX_PROBLEMS))
    if not listed:
        return
    if next(rest, None) is not None:
        listed.append("There are more problems.")
    raise ConfigError("\n".join(listed), suggestion)


def without_metadata(shape: inspect.Type) -> Shape:
    """A type without its description."""
    while isinstance(shape, inspect.Metadata):
        shape = shape.type
    return cast(Shape, shape)


def expected_words(shape: inspect.Type) -> str:
    """What a type requires, in plain words."""
    shape = without_metadata(shape)
    match shape:
        case inspect.StructType():
            return "a section in braces, {…}"
        case inspect.DictType():
            return f"a section of names, each with {expected_words(shape.value_type)}"
        case inspect.VarTupleType():
            return f"a list of {expected_words(shape.item_type)}"
        case inspect.StrType():
            return "text"
        case inspect.LiteralType():
            *most, last = [f'"{choice}"' for choice in shape.values]
            return f"{', '.join(most)} or {last}" if most else last
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType() | inspect.FloatType():
            noun = "whole number" if isinstance(shape, inspect.IntType) else "number"
            return f"a {noun} from {shape.ge} to {shape.le}"
        case _:
            assert_never(shape)


def found_words(value: object) -> str:
    """What a value is, in plain words, without repeating a text."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {printable(_digits(value))}"
        case str():
            return "a text in quotes" if value else "an empty text"
        case list() | tuple():
            return "a list"
        case _:
            return "a section in braces"


def as_json_value(value: object) -> object:
    """The value as JSON writes it, in one form: 2.0 becomes 2."""
    if isinstance(value, dict):
        return {name: as_json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json_value(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def printable(text: str) -> str:
    """A name from outside, made safe to print: short, one line, no control characters."""
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return "".join(letter if letter.isprintable() else "�" for letter in short)


def _decoded(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError("The configuration is saved as UTF-16.", "Save it again as UTF-8.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        raise ConfigError(
            f"The configuration is not UTF-8 text (byte {broken.start}).", "Save it again as UTF-8."
        ) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ConfigError(f"The configuration contains {name}, which is not a number in JSON.")


def _duplicate_names(
    tree: JsonObject, duplicates: list[tuple[JsonObject, list[str]]]
) -> Iterator[str]:
    """The dotted names of duplicate keys. Without recursion, because the tree may be deep."""
    names_in = {id(owner): names for owner, names in duplicates}
    ahead: list[tuple[str, object]] = [("", tree)]
    while ahead:
        prefix, node = ahead.pop()
        if isinstance(node, dict):
            yield from (prefix + name for name in names_in.get(id(node), ()))
            ahead.extend(
                (f"{prefix}{printable(name)}."[-_SHOWN:], child) for name, child in node.items()
            )
        elif isinstance(node, list):
            ahead.extend((prefix, child) for child in node)


def _struct_problems(shape: inspect.StructType, value: object, key: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _mismatch(shape, value, key)
        return
    prefix = f"{key}." if key else ""
    known = {field.encode_name: field for field in shape.fields}
    for name in value:
        if name not in known:
            near = closest(name.lower(), known)
            hint = f"did you mean `{prefix}{near}`?" if near else f"known here: {', '.join(known)}."
            yield f"`{prefix}{printable(name)}` is not a known key; {hint}"
    for name, field in known.items():
        if name in value:
            yield from find_problems(field.type, value[name], prefix + name)
        elif field.required:
            yield f"`{prefix}{name}` is missing; it should be {expected_words(field.type)}."


def _text_problems(shape: inspect.StrType, value: object, key: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield _mismatch(shape, value, key)
        return
    yield from _size_problems(shape, len(value), key)
    if shape.min_length and value.isspace():
        yield f"`{key}` must not be empty."
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value):
        yield f"`{key}` contains a control character, or one that is not Unicode."


def _size_problems(
    shape: inspect.StrType | inspect.VarTupleType | inspect.DictType, size: int, key: str
) -> Iterator[str]:
    if size < (shape.min_length or 0):
        yield f"`{key}` must not be empty."
    if shape.max_length is not None and size > shape.max_length:
        unit = "characters" if isinstance(shape, inspect.StrType) else "items"
        yield f"`{key}` has {size} {unit}; at most {shape.max_length} are allowed."


def _mismatch(shape: Shape, value: object, key: str) -> str:
    one_of_many = isinstance(shape, inspect.LiteralType) and isinstance(value, str)
    found = "something else" if one_of_many else found_words(value)
    return f"`{key}` should be {expected_words(shape)}, but is {found}."


def _did_you_mean(shape: inspect.LiteralType, value: object) -> str:
    near = closest(value.lower(), map(str, shape.values)) if isinstance(value, str) else None
    return f' Did you mean "{near}"?' if near else ""


def _is_number(value: object, whole: bool) -> bool:
    if isinstance(value, bool):  # in Python, True is a number
        return False
    return isinstance(value, int) or (
        not whole and isinstance(value, float) and math.isfinite(value)
    )


def _in_range(shape: inspect.IntType | inspect.FloatType, value: float) -> bool:
    return (shape.ge is None or value >= shape.ge) and (shape.le is None or value <= shape.le)


def _digits(value: float) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to print whole numbers of more than 4,300 digits
        return "with thousands of digits"
