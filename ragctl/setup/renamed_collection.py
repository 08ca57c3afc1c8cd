"""Settings after a collection was renamed or removed: its contexts and its access rules, too.

It never reads or writes a file.
"""

from collections.abc import Callable, Mapping

from ragd.config.validation import JsonObject

Rename = Callable[[str], str | None]  # the new name; None: the collection is removed


def rename_collection(settings: JsonObject, old: str, new: str) -> JsonObject:
    """The settings with another name for a collection, in the same place of the list."""
    return _renamed(settings, lambda name: new if name == old else name)


def drop_collection(settings: JsonObject, name: str) -> JsonObject:
    """The settings without a collection."""
    return _renamed(settings, lambda known: None if known == name else known)


def _renamed(settings: JsonObject, rename: Rename) -> JsonObject:
    changed = dict(settings)
    for key, names in (("collections", rename), ("contexts", _of_path(rename))):
        section = settings.get(key)
        if isinstance(section, Mapping):
            changed[key] = {
                name: value
                for known, value in section.items()
                if (name := names(str(known))) is not None
            }
            if not changed[key]:
                del changed[key]
    access = settings.get("access")
    if isinstance(access, Mapping) and isinstance(access.get("rules"), list):
        changed["access"] = {**access, "rules": [_rule(rule, rename) for rule in access["rules"]]}
    return changed


def _of_path(rename: Rename) -> Rename:
    """The same for a path: `@papers/2024` becomes `@articles/2024`."""

    def renamed(path: str) -> str | None:
        if not path.startswith("@"):
            return path
        first, slash, rest = path.partition("/")
        name = rename(first[1:])
        return None if name is None else f"@{name}{slash}{rest}"

    return renamed


def _rule(rule: object, rename: Rename) -> object:
    if not isinstance(rule, Mapping) or not isinstance(rule.get("collections"), list):
        return rule
    names = (rename(str(name)) for name in rule["collections"])
    return {**rule, "collections": [name for name in names if name is not None]}
