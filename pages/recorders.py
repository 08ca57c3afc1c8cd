"""Who records each fact, as the sources say: an actor's modules carry its NAME and make its facts.

It reads the sources as text. A module without a NAME works for the actors that import it.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path


def recorders(package: Path, facts: Iterable[str]) -> dict[str, list[str]]:
    """The actors that record each of these facts (named by class); none where nobody is found."""
    wanted = set(facts)
    trees = {_name(package, path): ast.parse(path.read_bytes()) for path in package.rglob("*.py")}
    actors = _actors(trees)
    found: dict[str, set[str]] = defaultdict(set)
    for module, tree in trees.items():
        for fact in _made_in(tree) & wanted:
            found[fact] |= actors[module]
    return {fact: sorted(found[fact]) for fact in sorted(wanted)}


def _name(package: Path, path: Path) -> str:
    return ".".join(path.relative_to(package.parent).with_suffix("").parts)


def _actors(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The actors that each module works for."""
    own = {module: name for module, tree in trees.items() if (name := _constant(tree, "NAME"))}
    of: dict[str, set[str]] = {module: set() for module in trees}
    for module, tree in trees.items():
        if module in own:
            of[module] = {own[module]}
        for place, name in _imported(tree):
            if name == "NAME" and place in own:
                of[module] = {own[place]}
    nameless = [module for module, actors in of.items() if not actors]
    named = {module: actors for module, actors in of.items() if actors}
    for module in nameless:
        for other, actors in named.items():
            if any(place == module for place, _ in _imported(trees[other])):
                of[module] = of[module] | actors
    return of


def _constant(tree: ast.Module, name: str) -> str | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if name in names:
                return str(node.value.value)
    return None


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def _made_in(tree: ast.Module) -> set[str]:
    """Names that are called like a class."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {what.id for what in calls if isinstance(what, ast.Name)}
