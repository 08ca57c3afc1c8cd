"""The next thing to type, so that it works as pasted. It prints nothing."""

from shlex import quote

from ragd.paths import Home, platform_home, with_home_option


def for_home(said: str, home: Home) -> str:
    """A text whose commands name the home, unless it is the usual one.

    Also where OBSIDIAN_RAG_HOME names it: the line may be pasted into another shell, and must not
    address the daemon of another home there.
    """
    return with_home_option(said, home, platform_home())


def invoked(home: Home) -> str:
    """How ragctl is called for this home."""
    return "ragctl" if home.root == platform_home() else f"ragctl --home {quote(home.root)}"
