"""The next thing to type, so that it works as pasted. It prints nothing."""

from shlex import quote

from ragd.paths import Home, default_home


def for_home(said: str, home: Home) -> str:
    """A sentence whose commands name the home, where ragctl would not find it by itself."""
    if home.root == default_home():
        return said
    return said.replace("`ragctl ", f"`ragctl --home {quote(home.root)} ")
