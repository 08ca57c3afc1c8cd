"""Secrets are left out of a text, and everything else stays as it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.notes.secret_shapes import LABELS, find_labels
from ragd.notes.secrets import MARK, without_secrets
from tests.notes.secret_samples import INNOCENT, PLANTED, Planted

UNITS = [
    "a", "a ", "1", "A1b2", "\n", "*", "`", "\\n", "|", "= ", "password: ", "password:\n", "passw",
    "password:\n```\n", "pass|", "pin: ", "token ", "token: 'a", "secret=", "key a1B", "sk-",
    "sk-a-", "eyJa", "eyJaaaaaaaaaaaaa.", "://", "://a:", "://a:b@", "a.b@", "Bearer ", "AIza-_",
    "| password |\n|-|\n", "|-", "password>a</", "password ", "password a!1", "cookie: a1",
    "-----BEGIN PRIVATE KEY-----", "MMMMMMMMMMMMMMMMMMMMMMMM.", "seed phrase: ", "passphrase: a b ",
]  # fmt: skip


def test_enough_is_planted() -> None:
    assert len(PLANTED) >= 60 and len(INNOCENT) >= 60
    assert all(one.secret in one.text for one in PLANTED)


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.text[:40])
def test_a_planted_secret_is_left_out(planted: Planted) -> None:
    cleaned = without_secrets(planted.text)
    assert planted.secret not in cleaned
    assert MARK in cleaned


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.text[:40])
def test_it_is_left_out_in_the_middle_of_a_text_too(planted: Planted) -> None:
    text = f"Hello there.\n\n{planted.text}\n\nThe weir is closed on Monday."
    cleaned = without_secrets(text)
    assert planted.secret not in cleaned
    assert cleaned.startswith("Hello there.")
    if "cut off" not in planted.text:
        assert cleaned.endswith("The weir is closed on Monday.")


@pytest.mark.parametrize("text", INNOCENT)
def test_an_innocent_text_stays(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.text[:40])
def test_nothing_more_is_left_out_the_second_time(planted: Planted) -> None:
    cleaned = without_secrets(planted.text)
    assert without_secrets(cleaned) == cleaned


@given(st.lists(st.sampled_from([*UNITS, *(one.text for one in PLANTED)]) | st.text(max_size=20)))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_cleaned(parts: list[str]) -> None:
    text = "".join(parts)
    cleaned = without_secrets(text)
    assert MARK in cleaned or cleaned == text


LABEL_WORDS = [
    *(
        "password",
        "Passwort",
        "PASSWD",
        "db_pw",
        "pass",
        "Kennwort",
        "WLAN-Schlüssel",
        "密码",
        "пароль",
    ),
    *(
        "contraseña",
        "passphrase",
        "seed phrase",
        "recovery code",
        "PIN",
        "otp",
        "apiKey",
        "api-key",
    ),
    *(
        "client_secret",
        "token",
        "credentials",
        "Authorization",
        "AccountKey",
        "key",
        "clé",
        "Zugangsdaten",
    ),
    *("cookie", "identified by"),
    *("compass", "monkey", "spinner", "app", "a", "appa", "p", "İ", " ", "_", ":", "ss"),
]


@given(st.lists(st.sampled_from(LABEL_WORDS)))
@settings(max_examples=300, deadline=None)
def test_the_quick_search_for_labels_finds_the_same(parts: list[str]) -> None:
    text = "".join(parts)
    found = [(one.span(), one.lastgroup) for one in find_labels(text)]
    assert found == [(one.span(), one.lastgroup) for one in LABELS.finditer(text)]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_no_repetition_takes_super_linear_time(unit: str) -> None:
    without_secrets(unit * (1_000_000 // len(unit)))


@pytest.mark.slow
def test_a_long_table_takes_linear_time() -> None:
    row = "| bob | Sommer2024! |\n"
    cleaned = without_secrets("| user | password |\n|---|---|\n" + row * 50_000)
    assert cleaned.count(MARK) == 50_000
