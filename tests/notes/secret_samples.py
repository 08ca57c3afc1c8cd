"""Planted secrets and innocent texts, for the tests of what is left out of transcripts.

The secrets are made here, from a fixed seed, so that no file of this project looks like it has one.
"""

import base64
import json
import random
from typing import NamedTuple

_CHANCE = random.Random(20260131)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"


def made(length: int, alphabet: str = LETTERS + DIGITS) -> str:
    """A random text with at least one digit and one letter of the alphabet."""
    while True:
        text = "".join(_CHANCE.choice(alphabet) for _ in range(length))
        if any(map(str.isdigit, text)) and any(map(str.isalpha, text)):
            return text


def hexadecimal(length: int) -> str:
    return made(length, "0123456789abcdef")


class Planted(NamedTuple):
    """A text, and the secret in it that must be left out."""

    text: str
    secret: str


def _with_prefixes() -> list[Planted]:
    """Tokens that their beginning gives away, each in a sentence."""
    shapes = [
        f"sk-{made(48)}",
        f"sk-proj-{made(20)}-{made(20)}",
        f"sk-ant-api03-{made(40)}_{made(20)}",
        f"sk-or-v1-{hexadecimal(64)}",
        f"ghp_{made(36)}",
        f"gho_{made(36)}",
        f"ghs_{made(36)}",
        f"github_pat_{made(22)}_{made(59)}",
        f"glpat-{made(20)}",
        f"xoxb-{made(11, DIGITS + 'a')}-{made(24)}",
        f"xoxp-{made(12)}-{made(12)}-{made(32)}",
        f"xapp-1-{made(11).upper()}-{made(30)}",
        f"AKIA{made(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}",
        f"ASIA{made(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}",
        f"AIza{made(35)}",
        f"ya29.{made(60)}",
        f"GOCSPX-{made(28)}",
        f"npm_{made(36)}",
        f"pypi-AgEIcHlwaS5vcmc{made(60)}",
        f"hf_{made(34)}",
        f"gsk_{made(52)}",
        f"xai-{made(60)}",
        f"r8_{made(37)}",
        f"{'sk'}_live_{made(24)}",
        f"rk_test_{made(24)}",
        f"whsec_{made(32)}",
        f"SG.{made(22)}.{made(43)}",
        f"SK{hexadecimal(32)}",
        f"dop_v1_{hexadecimal(64)}",
        f"dapi{hexadecimal(32)}",
        f"hvs.{made(90)}",
        f"AGE-SECRET-KEY-1{made(58).upper()}",
        f"123456789:AA{made(33)}",
        f"M{made(25)}.{made(6)}.{made(38)}",
        f"https://hooks.slack.com/services/T{made(8)}/B{made(8)}/{made(24)}",
        f"tskey-auth-{made(17)}-{made(32)}",
        f"lin_api_{made(40)}",
        f"key-{hexadecimal(32)}",
    ]
    return [Planted(f"Please use {one} for the call.", one.rpartition("/")[2]) for one in shapes]


def _jwt() -> str:
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890", "name": "Ann"})
    ]
    return ".".join((*parts, made(43)))


def _labelled() -> list[Planted]:
    """Secrets that the words around them give away."""
    token, hexed = made(40), hexadecimal(40)
    aws, key = made(40, LETTERS + DIGITS + "/+"), made(24)
    return [
        Planted("Passwort: Sommer2024!", "Sommer2024"),
        Planted("passwort=hunter2", "hunter2"),
        Planted("my password: correcthorse", "correcthorse"),
        Planted("The password is tr0ub4dor&3, ok?", "tr0ub4dor&3"),
        Planted("Das Kennwort lautet Blume77.", "Blume77"),
        Planted('The password is "swordfish".', "swordfish"),
        Planted("**Passwort:** `Sommer2024!`", "Sommer2024"),
        Planted("- **password**: *hunter2*", "hunter2"),
        Planted("__Password__ = hunter2", "hunter2"),
        Planted("Password:\n```\nhunter2\n```", "hunter2"),
        Planted("Password:\n\n    hunter2\n", "hunter2"),
        Planted("```env\nDB_PASSWORD=abcdef\nPORT=1\n```", "abcdef"),
        Planted("export PGPASSWORD='geheim geheim'", "geheim geheim"),
        Planted("| user | bob |\n| password | hunter2 |", "hunter2"),
        Planted('{"user": "bob", "password": "ab cd", "port": 1}', "ab cd"),
        Planted('{\\"password\\": \\"hunter2\\"}', "hunter2"),
        Planted("line\\npassword: hunter2\\nnext", "hunter2"),
        Planted("user: bob\npassword: hunter2\nhost: db", "hunter2"),
        Planted("login(userPassword => 'hunter2')", "hunter2"),
        Planted("WLAN-Schlüssel: kaffee-und-kuchen", "kaffee-und-kuchen"),
        Planted("contraseña: abierto", "abierto"),
        Planted("Пароль: солнце12", "солнце12"),
        Planted("密码：hunter2", "hunter2"),
        Planted("PIN: 4711", "4711"),
        Planted("> Password:\n> ```\n> hunter2\n> ```", "hunter2"),
        Planted("Password:\r\n\r\n    hunter2\r\n", "hunter2"),
        Planted(json.dumps({"cmd": "Contraseña: abierto"}), "abierto"),
        Planted(json.dumps(json.dumps({"text": "WLAN-Schlüssel: kaffee"})), "kaffee"),
        Planted("seed phrase: legal winner thank year wave sausage", "winner thank year wave"),
        Planted("passphrase: correct horse battery staple", "horse battery staple"),
        Planted(f"Authorization: Bearer {token}", token),
        Planted(f"curl -H 'Authorization: Bearer {token}' https://api.example.org", token),
        Planted("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"),
        Planted(f"the header was bearer {token}", token),
        Planted(f"jwt {_jwt()} was refused", _jwt()[:60]),
        Planted(f"API_KEY={key}", key),
        Planted(f"api-key: {key}", key),
        Planted(f'"apiKey": "{key}"', key),
        Planted(f"client_secret = '{key}'", key),
        Planted(f"?access_token={key}&page=2", key),
        Planted(f"here is my token: {hexed}", hexed),
        Planted(f"Here's the token you asked for:\n`{hexed}`", hexed),
        Planted(f"Der Schlüssel für den Server ist {hexed}", hexed),
        Planted(f"the secret you need is `{made(10)}{hexed}`", hexed),
        Planted(f"aws_secret_access_key = {aws}", aws),
        Planted(f"AccountKey={aws}==;EndpointSuffix=core", aws),
        Planted("postgres://bob:s3cret@db.local:5432/app", "s3cret"),
        Planted("https://bob:geheim@example.org/path", "geheim"),
        Planted("redis://:p4ss@10.0.0.1:6379", "p4ss"),
        Planted(f"https://{token}@git.example.org/x.git", token),
        Planted(f"mongodb+srv://root:{key}@cluster0.example.net", key),
    ]


def _beside() -> list[Planted]:
    """Secrets whose label is in a tag, a heading of a table, or some words before them."""
    token = made(24)
    return [
        Planted("| user | password |\n|---|:--|\n| bob | hunter2 |", "hunter2"),
        Planted("user | Passwort\n-- | --\nbob | `Sommer2024!`\nann | Winter2025!", "Winter2025"),
        Planted(f"> | name | API key |\n> |---|---|\n> | web | {token} |", token),
        Planted("<password>correcthorse</password>", "correcthorse"),
        Planted('the password "swordfish" worked', "swordfish"),
        Planted("config.set('password', 'swordfish')", "swordfish"),
        Planted("CREATE USER bob IDENTIFIED BY 'swordfish'", "swordfish"),
        Planted("machine db login bob password hunter2", "hunter2"),
        Planted("backup --password hunter2 --all", "hunter2"),
        Planted("password for the router: Sommer#2024", "Sommer#2024"),
        Planted("Password (router): Sommer#2024", "Sommer#2024"),
        Planted("Das Passwort für das WLAN ist Sommer#2024.", "Sommer#2024"),
        Planted("set the password to Sommer#2024 please", "Sommer#2024"),
        Planted(f"my recovery phrase is {'winner thank year wave ' * 3}", "thank year wave"),
        Planted(f"Set-Cookie: sid={token}; Path=/", token),
        Planted(f"https://x.blob.example.net/a?sv=2024&sig={token}%3D", token),
        Planted("card ending 5559, cvv 123", "cvv 123"),
    ]


def _in_markup() -> list[Planted]:
    """Tokens with marks of Markdown in or around them."""
    body, other = made(36), made(36)
    return [
        Planted(f"**ghp_{body}**", body),
        Planted(f"`ghp_{body}`", body),
        Planted(f"ghp\\_{body}", body),
        Planted(f"[ghp_{body}](https://example.org)", body),
        Planted(f"> ghp_{body}", body),
        Planted(f"| token | ghp_{body} |", body),
        Planted(f"```sh\ngh auth login --with-token <<< ghp_{body}\n```", body),
        Planted(f"sk-**ant**-api03-{other}", other),
        Planted(f"sk-\u200bant-api03-{other}", other),
        Planted(f"<code>ghp_{body}</code>", body),
        Planted(f'{{"headers": {{"Authorization": "token ghp_{body}"}}}}', body),
        Planted(f"x=ghp_{body};y=2", body),
    ]


def _blocks() -> list[Planted]:
    """Private keys of several lines."""
    lines = "\n".join(made(64) for _ in range(4))
    return [
        Planted(f"-----BEGIN {kind}PRIVATE KEY{end}-----\n{lines}\n{tail}", lines[70:110])
        for kind, end, tail in (
            ("RSA ", "", "-----END RSA PRIVATE KEY-----"),
            ("", "", "-----END PRIVATE KEY-----"),
            ("OPENSSH ", "", "-----END OPENSSH PRIVATE KEY-----"),
            ("PGP ", " BLOCK", "-----END PGP PRIVATE KEY BLOCK-----"),
            ("EC ", "", "and the end was cut off"),
        )
    ] + [
        Planted(
            f"PuTTY-User-Key-File-3: ssh-ed25519\n{lines}\nPrivate-MAC: {hexadecimal(64)}\n",
            lines[70:110],
        )
    ]


PLANTED = [*_with_prefixes(), *_labelled(), *_beside(), *_in_markup(), *_blocks()]

_HASH = "3f2a9c1b7d8e4f5a6b7c8d9e0f1a2b3c4d5e6f70"

INNOCENT = [
    # Identifiers that are public: nothing announces a secret, or the words say what they are
    "The id is 550e8400-e29b-41d4-a716-446655440000.",
    f"It was fixed in commit {_HASH}.",
    f"git show {_HASH}",
    f"The token bug is fixed in commit {_HASH}.",
    f"The key change is revision {_HASH}.",
    f"sha256:{'ab12' * 16}",
    f"md5 of the key file: {'0123456789abcdef' * 2}",
    "session 7f3b1a2c-9d4e-4f5a-8b6c-1d2e3f4a5b6c, request 42",
    "Docker image nginx@sha256:" + "0f" * 32,
    "ISBN 978-3-16-148410-0, DOI 10.1000/182",
    "The order number is 2026-4711-0815.",
    "IP 192.168.178.1, MAC 00:1A:2B:3C:4D:5E",
    # Words about secrets
    "How do I reset my password?",
    "The password is wrong.",
    "The password is stored in the safe.",
    "Das Passwort ist abgelaufen.",
    "Passwort vergessen? Klick hier.",
    "Passwords should be long.",
    "The secret of good bread is time.",
    "Secret Santa: we meet on Friday.",
    "A token of appreciation for the team.",
    "max_tokens=4096 and temperature=0.2",
    "The answer used 12,345 tokens.",
    "token_count: 12345",
    "The tokenizer splits words into tokens.",
    "Press any key to continue.",
    "The key point: we need more time.",
    "key: value",
    "The keyboard shortcut is Ctrl+Shift+P.",
    "primary_key: user_id",
    "Der Schlüssel liegt unter der Matte.",
    "Schlüsselübergabe: Freitag, 14 Uhr",
    "The bearer of this letter is my friend.",
    "Bearer tokens are sent in a header.",
    "The private key stays on your machine.",
    "Basic knowledge of Python is enough.",
    "authorization: required",
    "pin the message, please",
    "The spin of an electron: 1/2",
    "| field | password |\n|---|---|\n| kind | text |",
    "| step | what |\n|---|---|\n| 2 | reset the password2 field |",
    "The password for the router is on its back.",
    "My password manager has 120 entries; version 8.10 is out!",
    "The recovery phrase is in the safe at home.",
    "I pass 100 metres before the bridge.",
    "Cookies: 250g flour, 2 eggs",
    "<b>Password</b> rules were changed.",
    # Code with a name and no value
    "password: str",
    "password: string;",
    "password = None",
    "password = os.environ['DB_PASSWORD']",
    "password=${DB_PASSWORD}",
    "password: <your password>",
    "password: ********",
    "const token = process.env.TOKEN",
    "token = get_token(user)",
    "if (token === null) return",
    "def check_password(password: str) -> bool:",
    "api_key = settings.api_key",
    # Addresses and names without a login
    "https://example.org/path?page=2&sort=asc",
    "Write to bob@example.org.",
    "https://user@example.org/repo.git",
    "git@github.com:owner/name.git",
    "ssh://host:22/path",
    "file:///home/bob/notes.md",
    "See https://example.org/@bob and https://example.org:8443/@bob.",
    # Long words and long values
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
    "The class is AbstractAuthenticationTokenProviderFactoryBean2.",
    "src/components/token/TokenProviderSettingsPanel2.tsx",
    "The token lives in src/components/AuthProvider2/index.test.tsx.",
    "![image](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ)",
    "The image is base64, iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ.",
    "sk-learn is installed as scikit-learn-extra-package",
    "class sk-fading-circle-container is animated",
    "The eyJa prefix is that of a JWT.",
    "AKIA is a prefix of AWS.",
    "3.14159265358979323846264338327950288",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "----------------------------------------",
    "npm_config_registry and npm_lifecycle_event_name_of_the_script",
    "2026-11-18T07:20:29.123456Z",
    "Pass the salt. I pass: 3 points for you.",
    "Die TAN-Liste ist alt.",
]
