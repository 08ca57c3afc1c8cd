"""`ragctl token`: makes, lists and revokes tokens of a real daemon."""

from pathlib import Path

import pytest

from ragd.paths import Home
from tests.ragctl.conftest import Ragctl


@pytest.mark.slow
def test_a_token_is_made_shown_once_listed_and_revoked(ragctl: Ragctl, home: Home) -> None:
    made = ragctl(
        *("token", "create", "phone", "--read-only", "--collections", "vault", "--expires", "30d")
    )
    assert made.code == 0
    (secret,) = made.lines
    assert secret.startswith("ragd_") and "shown only now" in made.err
    assert secret not in Path(home.tokens).read_text()
    listed = ragctl("token", "list").out
    assert "phone" in listed and "in vault" in listed and secret not in listed
    assert "only after" in listed
    (one,) = ragctl("token", "list", "--json").json["data"]["tokens"]
    assert (one["read_only"], one["collections"], one["expired"]) == (True, ["vault"], False)
    again = ragctl("token", "create", "phone")
    assert again.code == 2 and "already" in again.err
    unknown = ragctl("token", "create", "other", "--collections", "nowhere")
    assert unknown.code == 1 and unknown.out == ""
    assert ragctl("token", "revoke", "phone").code == 0
    assert ragctl("token", "revoke", "phone").code == 6
    assert ragctl("token", "list").out == "There are no tokens.\n"
    shown = ragctl("events", "--type", "token_created", "--type", "token_revoked").out
    assert shown.count("client=phone") == 2
    never = ragctl("token", "create", "desk", "--expires", "never", "--sensitive")
    assert "as your settings say" in never.err
    assert "does not expire" in ragctl("token", "list").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("create",),
        ("list", "phone"),
        ("revoke",),
        ("revoke", "phone", "--read-only"),
        ("list", "--expires", "30d"),
        ("create", "phone", "--expires", "soon"),
        ("create", "phone", "--expires", "99999d"),
        ("create", "phone", "--collections", ","),
        ("make", "phone"),
    ],
)
def test_a_wrong_command_is_refused_before_the_daemon_is_asked(
    ragctl: Ragctl, home: Home, arguments: tuple[str, ...]
) -> None:
    refused = ragctl("token", *arguments)
    assert refused.code == 2 and refused.out == ""
    assert not Path(home.lock).exists()
