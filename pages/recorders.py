"""Which actors record each fact, by the sources: an actor's modules name it and make its facts.

They name it with a constant: `NAME`, or one like `STORE_WRITER = "store_writer"` of their package.
A module without such a constant works for the actors that import it. It reads the sources as text.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

WIRING = ".wiring"  # it builds all actors, and records nothing


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
    place = path.parent if path.name == "__init__.py" else path.with_suffix("")
    return ".".join(place.relative_to(package.parent).parts)


def _actors(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The actors that each module works for."""
    own = {module: _constants(module, tree) for module, tree in trees.items()}
    of: dict[str, set[str]] = {module: set() for module in trees}
    for module, tree in trees.items():
        of[module] |= set(own[module].values())
        if module.endswith(WIRING):
            continue
        for place, name in _imported(tree):
            if name in own.get(place, {}):
                of[module] = {own[place][name]}
    nameless = [module for module, actors in of.items() if not actors]
    named = {module: actors for module, actors in of.items() if actors}
    for module in nameless:
        for other, actors in named.items():
            if any(place == module for place, _ in _imported(trees[other])):
                of[module] = of[module] | actors
    return of


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


def _made_in(tree: ast.Module) -> set[str]:
    """Names that are called like a class."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {what.id for what in calls if isinstance(what, ast.Name)}
