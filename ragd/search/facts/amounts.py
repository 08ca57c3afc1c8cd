"""Finds sums of money as notes write them: "$40", "40 euros", "3 500 руб", "三百元". Pure."""

import re

from ragd.notes.late_pattern import LatePattern

# A number. Repetitions have a limit, so that a page of digits does not take long.
NUMBER_PATTERN = "\\d[\\d.,' \u00a0\u202f]{0,20}"
_MONEY = (
    r"euros?|eur|dollars?|usd|bucks|francs?|chf|pounds?|gbp|rupees?|inr|yen|yuan|kronen?|zloty"
    r"|d[óo]lares|dollari|reais|pesos|(?:тыс\w{0,4}\.?\s?)?(?:руб\w{0,3}|р\.)"
)
AMOUNT_PATTERN = (
    rf"[$€£¥￥₹₩₽]\s?{NUMBER_PATTERN}|{NUMBER_PATTERN}\s?[$€£¥￥₹₩₽]"
    rf"|{NUMBER_PATTERN}\s?(?:(?:{_MONEY})(?!\w)|[万千]?[元块円])"
    rf"|(?<!\w)(?:{_MONEY})\s{NUMBER_PATTERN}|[一二两三四五六七八九十百千万]{{1,12}}\s?(?:[元円]"
    rf"|块(?=[钱。，]|$))"
)
_AMOUNT = LatePattern(AMOUNT_PATTERN, re.I)


def find_amount(sentence: str) -> re.Match[str] | None:
    """The first sum of money."""
    return _AMOUNT.search(sentence)
