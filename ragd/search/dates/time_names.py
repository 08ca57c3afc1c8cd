"""The names of times in English, German and Chinese. Pure."""


def _numbered(groups: str, first: int = 1) -> dict[str, int]:
    """For `a b|c`: a and b have the first number, c the next."""
    return {
        name.replace("_", " "): number
        for number, names in enumerate(groups.split("|"), first)
        for name in names.split()
    }


FULL_MONTHS = _numbered(
    "january januar jänner|february februar|march märz|april|may mai|june juni|july juli|august|"
    "september|october oktober|november|december dezember"
)
SHORT_MONTHS = _numbered("jan|feb|mar|apr|may|jun|jul|aug|sept sep|oct okt|nov|dec dez")
MONTHS = {**FULL_MONTHS, **SHORT_MONTHS}

LATIN_SEASONS = _numbered(
    "spring springtime frühling frühjahr|summer summertime sommer|autumn fall herbst|winter", 0
)
SEASONS = {**LATIN_SEASONS, "春": 0, "夏": 1, "秋": 2, "冬": 3}

LATIN_WEEKDAYS = _numbered(
    "monday montag|tuesday dienstag|wednesday mittwoch|thursday donnerstag|friday freitag|"
    "saturday samstag sonnabend|sunday sonntag",
    0,
)
CHINESE_WEEKDAYS = _numbered("一|二|三|四|五|六|日 天", 0)
WEEKDAYS = {**LATIN_WEEKDAYS, **CHINESE_WEEKDAYS}

LATIN_STEPS = {
    **dict.fromkeys(
        ["last", "past", "previous", "letzten", "letzte", "letztes", "letzter", "letztem"], -1
    ),
    **dict.fromkeys(
        ["vorigen", "vorige", "voriges", "vergangenen", "vergangene", "vergangenes"], -1
    ),
    **dict.fromkeys(["vorletzten", "vorletzte", "vorletztes", "vorletzter", "vorletztem"], -2),
    **dict.fromkeys(["this", "diesen", "dieses", "diese", "dieser", "diesem"], 0),
    **dict.fromkeys(["next", "nächsten", "nächste", "nächstes"], 1),
}
CHINESE_STEPS = {"上": -1, "这": 0, "本": 0, "下": 1, "上一": -1, "下一": 1}
STEPS = {**LATIN_STEPS, **CHINESE_STEPS, "去": -1, "前": -2, "今": 0, "明": 1}

LATIN_UNITS = {
    **dict.fromkeys(["day", "days", "tag", "tage", "tagen"], "day"),
    **dict.fromkeys(["week", "weeks", "woche", "wochen"], "week"),
    **dict.fromkeys(["month", "months", "monat", "monate", "monaten"], "month"),
    **dict.fromkeys(["year", "years", "jahr", "jahre", "jahren", "jahres"], "year"),
    **dict.fromkeys(["weekend", "wochenende"], "weekend"),
    **dict.fromkeys(["quarter", "quartal"], "quarter"),
}
CHINESE_UNITS = {
    **dict.fromkeys(("天", "日"), "day"),
    **dict.fromkeys(("周", "星期", "礼拜"), "week"),
    "周末": "weekend",
    "月": "month",
    "年": "year",
}
UNITS = {**LATIN_UNITS, **CHINESE_UNITS}

LATIN_DAY_WORDS = {
    **dict.fromkeys(("today", "tonight", "this morning", "this afternoon", "this evening"), 0),
    **dict.fromkeys(("heute morgen", "heute abend", "heute früh", "heute"), 0),
    **dict.fromkeys(("yesterday", "last night", "yesterday evening", "yesterday morning"), -1),
    **dict.fromkeys(("gestern abend", "gestern morgen", "gestern früh", "gestern"), -1),
    **dict.fromkeys(("the day before yesterday", "day before yesterday", "vorgestern"), -2),
    "tomorrow": 1,
}
CHINESE_DAY_WORDS = {
    **dict.fromkeys(("今天", "今日", "今晚", "今早"), 0),
    **dict.fromkeys(("昨天", "昨日", "昨晚"), -1),
    "前天": -2,
    "大前天": -3,
    "明天": 1,
}
DAY_WORDS = {**LATIN_DAY_WORDS, **CHINESE_DAY_WORDS}

LATIN_FEASTS = {
    **dict.fromkeys(("easter", "ostern", "easter sunday", "easter monday"), "easter"),
    **dict.fromkeys(("christmas", "christmas day", "xmas", "weihnachten"), "christmas"),
    **dict.fromkeys(("christmas eve", "heiligabend", "heiligabends"), "christmas eve"),
    **dict.fromkeys(("new year's eve", "silvester"), "new year's eve"),
    **dict.fromkeys(("new year", "new year's", "new year's day", "neujahr"), "new year"),
    "thanksgiving": "thanksgiving",
    "halloween": "halloween",
    **dict.fromkeys(("valentine's day", "valentinstag"), "valentine's day"),
}
CHINESE_FEASTS = {
    "圣诞节": "christmas",
    "圣诞": "christmas",
    "复活节": "easter",
    "元旦": "new year",
}
FEASTS = {**LATIN_FEASTS, **CHINESE_FEASTS}
FIXED_FEASTS = {
    "christmas": (12, 24, 26),
    "christmas eve": (12, 24, 24),
    "new year's eve": (12, 31, 31),
    "new year": (1, 1, 1),
    "halloween": (10, 31, 31),
    "valentine's day": (2, 14, 14),
}

_VAGUE = {
    **dict.fromkeys(("a couple of", "couple of", "a couple", "ein paar"), 2),
    **dict.fromkeys(("a few", "few", "several", "some", "einigen", "wenigen"), 3),
}
VAGUE = frozenset((*_VAGUE, "几"))  # numbers that are only approximate
LATIN_NUMBERS = {
    **_numbered(
        "a an one ein eine einem einen einer|two zwei|three drei|four vier|five fünf|six sechs|"
        "seven sieben|eight acht|nine neun|ten zehn|eleven elf|twelve zwölf|thirteen dreizehn|"
        "fourteen vierzehn|fifteen fünfzehn|sixteen sechzehn|seventeen siebzehn|"
        "eighteen achtzehn|nineteen neunzehn|twenty zwanzig"
    ),
    **dict.fromkeys(("thirty", "dreißig"), 30),
    **dict.fromkeys(("forty", "vierzig"), 40),
    **dict.fromkeys(("fifty", "fünfzig"), 50),
    **_VAGUE,
}
_CHINESE_DIGITS = {**_numbered("一|二 两|三 几|四|五|六|七|八|九"), "十": 10}


def number(text: str) -> int | None:
    """The number that a word or digits name; None for any other text."""
    squeezed = " ".join(text.lower().split())
    if squeezed.isdecimal():
        return int(squeezed)
    if squeezed in LATIN_NUMBERS:
        return LATIN_NUMBERS[squeezed]
    tens, has_ten, ones = squeezed.partition("十")
    if has_ten:
        return 10 * _CHINESE_DIGITS.get(tens, 1) + _CHINESE_DIGITS.get(ones, 0)
    return _CHINESE_DIGITS.get(squeezed)
