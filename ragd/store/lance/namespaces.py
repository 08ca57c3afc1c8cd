"""Imports lancedb without its client for remote catalogues, which ragd never uses.

`import lancedb` loads that client, which takes longer than all the rest: 7 s instead of 2 s on a
busy machine (lancedb 0.40, lance-namespace 0.11). Inside `left_out`, its packages are replaced with
empty modules. Modules that are loaded already are not touched. The test names the versions for
which this was measured, and fails when it is not needed any more.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PACKAGES = ("lance_namespace", "lance_namespace_urllib3_client")


class _EmptyModule(ModuleType):
    """A module in which every name is a new, unused class."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {})
        setattr(self, name, made)
        return made


class _EmptyModuleFinder(MetaPathFinder, Loader):
    """Loads the packages of the client as empty modules."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in PACKAGES:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


@contextmanager
def left_out() -> Iterator[None]:
    """Import lancedb inside this block. A later import of those packages gets the real ones."""
    finder = _EmptyModuleFinder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        empty = [name for name, known in sys.modules.items() if isinstance(known, _EmptyModule)]
        for name in empty:
            del sys.modules[name]
