"""The next thing to type, so that it works as pasted. It prints nothing."""

from shlex import quote

from ragd.paths import Home, addressed, default_home


def for_home(said: str, home: Home) -> str:
    """A text whose commands name the home, where ragctl would not find it by itself."""
    return addressed(said, home, default_home())


def invoked(home: Home) -> str:
    """How ragctl is called for this home."""
    return "ragctl" if home.root == default_home() else f"ragctl --home {quote(home.root)}"
