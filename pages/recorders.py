"""Finds the actors that record each fact: an actor's modules name it and create its facts.

They name it with a constant: `NAME`, or one like `STORE_WRITER = "store_writer"` of their package.
A module that imports from one of them, in the same package, works for the same actor; any other
works for the actors that import it. The sources are only parsed, never run.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

WIRING = ".wiring"  # builds all actors and records nothing


def recorders(package: Path, facts: Iterable[str]) -> dict[str, list[str]]:
    """The actors that record each of these facts (named by class); an empty list if none does."""
    wanted = set(facts)
    trees = {_name(package, path): ast.parse(path.read_bytes()) for path in package.rglob("*.py")}
    actors = _named_actors(trees)
    found: dict[str, set[str]] = defaultdict(set)
    for module, tree in trees.items():
        for definition in tree.body:
            name = getattr(definition, "name", "")
            for fact in _made_in(definition) & wanted:
                found[fact] |= actors[module] or _importers(module, name, trees, actors)
                if isinstance(definition, ast.FunctionDef):  # makes a fact, also for others
                    found[fact] |= _importers_by_name(module, name, trees, actors)
    return {fact: sorted(found[fact]) for fact in sorted(wanted)}


def _name(package: Path, path: Path) -> str:
    place = path.parent if path.name == "__init__.py" else path.with_suffix("")
    return ".".join(place.relative_to(package.parent).parts)


def _named_actors(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The actors that each module names or works for."""
    own = {module: _constants(module, tree) for module, tree in trees.items()}
    of: dict[str, set[str]] = {module: set(own[module].values()) for module in trees}
    for module, tree in trees.items():
        if module.endswith(WIRING):
            continue
        for place, name in _imported(tree):
            if name in own.get(place, {}):
                of[module] = {own[place][name]}
            elif "NAME" in own.get(place, {}) and _package(place) == _package(module):
                of[module] = of[module] or {own[place]["NAME"]}
    return of


def _importers(
    module: str, name: str, trees: dict[str, ast.Module], actors: dict[str, set[str]]
) -> set[str]:
    """The actors that import this definition; if none does, those that import its module."""
    by_name = _importers_by_name(module, name, trees, actors)
    return by_name or {
        actor
        for other, tree in trees.items()
        if any(place == module for place, _ in _imported(tree))
        for actor in actors[other]
    }


def _importers_by_name(
    module: str, name: str, trees: dict[str, ast.Module], actors: dict[str, set[str]]
) -> set[str]:
    return {
        actor
        for other, tree in trees.items()
        if (module, name) in _imported(tree)
        for actor in actors[other]
    }


def _package(module: str) -> str:
    return module.rpartition(".")[0]


def _constants(module: str, tree: ast.Module) -> dict[str, str]:
    """The constants of a module that name an actor."""
    package = module.rpartition(".")[2]
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            value = str(node.value.value)
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            found |= {
                name: value
                for name in names
                if name == "NAME" or (name == value.upper() and package in value)
            }
    return found


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def _made_in(tree: ast.AST) -> set[str]:
    """Names that are called like a class."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {what.id for what in calls if isinstance(what, ast.Name)}
