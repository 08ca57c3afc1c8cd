"""Keeps lancedb's client for remote catalogues from being loaded: more than a second, never used.

While `left_out` is in force, the packages of that client are empty shells whose names are classes
that nobody calls. It touches nothing that is loaded already.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PACKAGES = ("lance_namespace", "lance_namespace_urllib3_client")


class _Shell(ModuleType):
    """Has every name that is asked of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {})
        setattr(self, name, made)
        return made


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in PACKAGES:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Shell(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


@contextmanager
def left_out() -> Iterator[None]:
    """Import lancedb in here. Afterwards whoever imports those packages gets the real ones."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, _Shell)]:
            del sys.modules[name]
