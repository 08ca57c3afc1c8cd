"""The size of the containers inside an object, to test that they are bounded."""

from collections import deque
from typing import Any


def largest_container(value: Any) -> int:
    """The number of entries in the largest container that the object or its attributes hold."""
    found, seen = [0], set[int]()
    todo = [value]
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, str | bytes | type):
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            todo += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset | deque):
            todo += one
        if isinstance(one, dict | list | set | frozenset | deque):
            found.append(len(one))
        if type(one).__module__.startswith(("ragd", "ragctl")):
            todo += _attributes(one)
    return max(found)


def _attributes(value: Any) -> list[Any]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    named = [getattr(value, name) for name in slots if hasattr(value, name)]
    return [*named, *getattr(value, "__dict__", {}).values()]
