"""Reads a block of YAML with properties. Pure.

It never builds YAML objects: it reads the parser's events, keeps plain strings, follows no alias
and refuses a block that is too deep.
"""

from itertools import accumulate

import yaml

DEEPEST = 64
ALIAS = "*"  # replaces a value that is an alias

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NESTING = {"[": 1, "{": 1, "]": -1, "}": -1}


class TooDeep(Exception):
    """The block is nested too deeply."""


class NotYaml(Exception):
    """The block cannot be read."""


def read_values(block: str) -> dict[str, list[str]] | None:
    """The strings under each top-level key; None if the block is not a mapping. Raises TooDeep and
    NotYaml."""
    _refuse_depth(block)
    try:
        return _read_events(block)
    except (yaml.YAMLError, ValueError) as why:
        raise NotYaml from why


def _read_events(block: str) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    depth, skip, key = 0, 0, None
    gathered: list[str] = []
    awaits_key = True
    for event in yaml.parse(block, Loader=_LOADER):
        if isinstance(event, yaml.DocumentEndEvent):
            break
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise TooDeep
            mapping = isinstance(event, yaml.MappingStartEvent)
            if depth == 1 and not mapping:
                return None
            if depth > 1 and mapping and not skip:
                skip = depth
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            skip = 0 if skip == depth else skip
            depth -= 1
            if depth != 1:
                continue
        elif isinstance(event, yaml.ScalarEvent):
            if depth == 0:
                return None if event.value.strip() else {}
            empty = event.style in (None, "") and event.value in ("", "~", "null", "Null", "NULL")
            if not skip and not empty:
                gathered.append(event.value)
            if depth != 1:
                continue
        elif not (isinstance(event, yaml.AliasEvent) and depth == 1):
            continue
        elif key == "rag" and not awaits_key:
            gathered.append(ALIAS)
        # A whole top-level node is complete: it is a key, or the value of the last key.
        if awaits_key:
            key = gathered[0].strip().lower() if len(gathered) == 1 else None
        elif key is not None:
            found[key] = gathered
        gathered = []
        awaits_key = not awaits_key
    return found


def _refuse_depth(block: str) -> None:
    """Raise for deep brackets before parsing: libyaml needs quadratic time for them."""
    if block.count("[") + block.count("{") > DEEPEST:
        steps = [_NESTING[char] for char in block if char in _NESTING]
        if max(accumulate(steps), default=0) > DEEPEST:
            raise TooDeep
