"""Commands in messages, completed so that they work when pasted. It prints nothing."""

from shlex import quote

from ragd.paths import Home, platform_home, with_home_option


def add_home_option(text: str, home: Home) -> str:
    """The text with `--home` added to its commands, unless the home is the default one.

    It is also added if OBSIDIAN_RAG_HOME sets the home: pasted in another shell, the command would
    otherwise reach the daemon of another home.
    """
    return with_home_option(text, home, platform_home())


def ragctl_command(home: Home) -> str:
    """The command that calls ragctl for this home."""
    return "ragctl" if home.root == platform_home() else f"ragctl --home {quote(home.root)}"
