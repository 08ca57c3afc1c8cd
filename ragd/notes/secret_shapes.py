"""The shapes of secrets: tokens by their beginnings, private keys, logins in addresses, and the
words that announce a secret. Pure; `secrets.py` uses them.

No expression here can take more than linear time: every repetition is bounded or possessive.
"""

import re
from collections.abc import Iterator

from ragd.notes.late_pattern import LatePattern

_LETTER_DIGIT = "A-Za-z0-9"
_WIDE = f"[{_LETTER_DIGIT}_-]"

_TOKEN_SHAPES = (
    # OpenAI, Anthropic and others; a digit tells them from words with hyphens
    rf"sk-(?=[A-Za-z_-]{{0,60}}[0-9]){_WIDE}{{16,}}+",
    rf"(?:sk|pk|rk)_(?:live|test)_[{_LETTER_DIGIT}]{{10,}}+",
    rf"whsec_[{_LETTER_DIGIT}+/=]{{16,}}+",
    rf"gh[pousr]_[{_LETTER_DIGIT}]{{20,}}+",
    rf"github_pat_[{_LETTER_DIGIT}_]{{20,}}+",
    rf"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-{_WIDE}{{16,}}+",
    rf"xox[abceoprs]-[{_LETTER_DIGIT}-]{{8,}}+",
    rf"xapp-[0-9]-[{_LETTER_DIGIT}-]{{10,}}+",
    r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    rf"AIza{_WIDE}{{30,}}+",
    rf"ya29\.{_WIDE}{{20,}}+",
    rf"GOCSPX-{_WIDE}{{20,}}+",
    rf"npm_[{_LETTER_DIGIT}]{{30,}}+",
    rf"pypi-{_WIDE}{{16,}}+",
    rf"(?:hf|gsk|r8|ntn|figd|sntrys|lin_api|glc|fo1|fm2|ops|pat|nvapi|pcsk|rpa|dckr_pat|shpat|shpss"
    rf"|shpca|shppa)[_-](?=[A-Za-z_-]{{0,60}}[0-9]){_WIDE}{{20,}}+",
    rf"(?:xai|pplx|tskey|tvly|PMAK|dop|key)-(?=[A-Za-z_-]{{0,60}}[0-9]){_WIDE}{{20,}}+",
    rf"secret_[{_LETTER_DIGIT}]{{40,}}+",
    rf"SG\.{_WIDE}{{16,80}}\.{_WIDE}{{16,}}+",
    r"(?:AC|SK)[0-9a-f]{32}(?![0-9a-f])",
    r"do[opr]_v1_[0-9a-f]{32,}+",
    r"dapi[0-9a-f]{32}",
    rf"hv[sb]\.{_WIDE}{{20,}}+",
    rf"dp\.(?:pt|st|ct|sa)\.{_WIDE}{{20,}}+",
    rf"ATATT3{_WIDE}{{30,}}+[=A-F0-9]{{0,20}}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{20,}+",
    rf"[MNO]{_WIDE}{{23,27}}\.{_WIDE}{{6}}\.{_WIDE}{{27,}}+",
    rf"[0-9]{{8,10}}:AA{_WIDE}{{30,}}+",
    # JSON Web Tokens, with two to five parts
    rf"eyJ{_WIDE}{{8,}}+\.{_WIDE}{{8,}}+(?:\.{_WIDE}{{0,8000}}){{0,3}}",
    rf"hooks\.slack\.com/services/[{_LETTER_DIGIT}/]{{20,}}+",
    rf"discord(?:app)?\.com/api/webhooks/[0-9]{{10,25}}/{_WIDE}{{20,}}+",
    rf"(?<=[?&]sig=)[{_LETTER_DIGIT}%_+/=-]{{16,}}+",
    # Headers: a scheme, and what follows it
    r"(?<=[Bb]earer )(?=[^\s]{0,200}[0-9])[A-Za-z0-9._~+/=-]{12,}+",
    r"(?<=BEARER )(?=[^\s]{0,200}[0-9])[A-Za-z0-9._~+/=-]{12,}+",
    r"(?<=[Bb]asic )(?=[A-Za-z0-9+/]{0,200}[0-9=])[A-Za-z0-9+/]{8,}+={0,2}",
)

TOKENS = LatePattern(
    rf"(?<![{_LETTER_DIGIT}_])(?:{'|'.join(_TOKEN_SHAPES)})",
)

KEY_BLOCK = LatePattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]"
)
KEY_BLOCK_END = LatePattern(
    r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: ?[0-9a-f]{0,128}"
)

URL_LOGIN = LatePattern(
    r"(?<=://)(?P<login>(?P<name>[^\s/:@\"'<>\[\]()]{0,200}+)"
    r"(?::(?P<password>[^\s/@\"'<>]{1,200}+))?)(?=@[\w\[])"
)

_STRONG_LABELS = (
    r"pass(?:wor[dt]|wd|code|ord)|(?<![a-z])pass(?![a-z])|(?<![a-z])pwd?(?![a-z])|(?<=_)pw(?![a-z])"
    r"|kennwort|zugangscode|geheimzahl|(?:wlan|wifi|wi-fi|netzwerk)[- ]?(?:schlüssel|key)"
    r"|contrase[ñn]a|mot de passe|senha|wachtwoord|has[łl]o|lösenord|пароль|密码|密碼|口令"
    r"|パスワード|비밀번호|identified by"
)
_PHRASES = (
    r"pass[- ]?phrase|seed[- ]?phrase|recovery[- ]?(?:phrase|words|code|key)|mnemonic"
    r"|wiederherstellungs(?:schlüssel|phrase|code)"
)
_PIN = r"(?<![a-z])(?:pin|puk|tan|cvv|cvc|otp)(?:[- ]?(?:code|nummer|number))?(?![a-z])"
_WEAK_LABELS = (
    r"(?:api|access|auth|private|secret|client|signing|encryption|license|account|service|master"
    r"|bot|app)[-_ ]?(?:key|token|secret|schlüssel)|secret|token|credentials?|geheimnis"
    r"|authorization|x-api-key|sharedaccesskey|accountkey|cookie"
)
_KEY = r"(?<![a-z])key|schlüssel|(?<![a-z])clé|clave|zugangsdaten"

LABELS = LatePattern(
    rf"(?P<phrase>{_PHRASES})|(?P<password>{_STRONG_LABELS})|(?P<pin>{_PIN})|(?P<token>{_WEAK_LABELS})"
    rf"|(?P<key>{_KEY})",
    re.IGNORECASE,
)
"""What announces a secret; the group that matched is its kind."""

# How labels begin. A search for plain letters first is much quicker than one for labels alone.
_BEGINNINGS = LatePattern(
    "pas|pw|ken|zug|geh|wla|wif|wi-|net|con|mot|sen|wac|has|lös|пар|密|口|パ|비|see|rec|mne|wie|pin"
    "|puk|tan|cvv|cvc|otp|api|acc|aut|pri|sec|cli|sig|enc|lic|ser|mas|bot|app|tok|cre|x-a|sha|key"
    "|sch|clé|cla|coo|ide"
)


def find_labels(text: str) -> Iterator[re.Match[str]]:
    """The same as `LABELS.finditer`, but quicker."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are two in lower case
        yield from LABELS.finditer(text)
        return
    position = 0
    while begin := _BEGINNINGS.search(lower, position):
        label = LABELS.match(text, begin.start())
        position = label.end() if label else begin.start() + 1
        if label:
            yield label
