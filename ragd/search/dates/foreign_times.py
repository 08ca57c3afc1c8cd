"""Rewrites the times of a question in English, if it is in another language. Pure.

`time_phrases` reads English, German and Chinese. "¿Qué hice la semana pasada?" becomes "¿Qué hice
last week?", which it can read. What the user sees has the words of the question again.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from ragd.search.query.question_language import Group, language_group

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SEASONS = ("spring", "summer", "autumn", "winter")
_UNITS = ("day", "week", "month", "year")
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATE = r"(?P<date>\d{1,2})"


class RewrittenTimes(Struct, frozen=True):
    """A question with its times in English. `replaced`: pairs of the new and the old words."""

    text: str
    replaced: tuple[tuple[str, str], ...] = ()

    def as_written(self, words: str) -> str:
        """These words with those of the question."""
        for new, old in self.replaced:
            words = words.replace(new, old, 1)
        return words


class _Language(Struct, frozen=True):
    """Names in the order of the English ones (`a b|c`: a and b are the first), numbers from one,
    and rules: an expression and its English.

    {unit}, {month}, {day}, {season}, {count}, {year} and {date} stand for such a name or number.
    """

    units: str
    months: str
    days: str
    seasons: str
    numbers: str
    rules: Sequence[tuple[str, str]]


_LAST = "(?:pasad[oa]s?|derni[eè]re?|passée?|scors[oa]|passat[oa]|passad[oa])"
_THE = "(?:(?:en|a|no?|ne) )?(?:(?:el|la|le|il|lo|o|nel|nella|no|na) |l['’]|nell['’])?"
_ROMANCE = _Language(
    "día días dia dias jour jours giorno giorni|semana semanas semaine semaines settimana settimane"
    "|mes meses mois mese mesi mês|año años an ans année années anno anni ano anos",
    "enero janvier gennaio janeiro|febrero février febbraio fevereiro|marzo mars março"
    "|abril avril aprile|mayo mai maggio maio|junio juin giugno junho|julio juillet luglio julho"
    "|agosto août|septiembre setiembre septembre settembre setembro|octubre octobre ottobre outubro"
    "|noviembre novembre|diciembre décembre dicembre dezembro",
    "lunes lundi lunedì segunda-feira|martes mardi martedì terça-feira"
    "|miércoles mercredi mercoledì quarta-feira|jueves jeudi giovedì quinta-feira"
    "|viernes vendredi venerdì sexta-feira|sábado samedi sabato|domingo dimanche domenica",
    "primavera printemps|verano été estate verão|otoño automne autunno outono"
    "|invierno hiver inverno",
    "un una une uno um uma|dos deux due dois duas|tres trois tre três|cuatro quatre quattro quatro"
    "|cinco cinq cinque|seis six sei|siete sept sette sete|ocho huit otto oito|nueve neuf nove"
    "|diez dix dieci dez",
    (
        ("anteayer|antes de ayer|avant-hier|l['’]altro ieri|anteontem", "the day before yesterday"),
        ("anoche|hier soir|ieri sera", "last night"),
        ("ayer|hier|ieri|ontem", "yesterday"),
        ("hoy(?! en d[ií]a)|aujourd['’]hui|oggi|hoje(?! em dia)", "today"),
        ("(?:hace|il y a|há) {count} {unit}", "{count} {unit}s ago"),
        ("{count} {unit} (?:fa|atrás)", "{count} {unit}s ago"),
        (r"(?:\w{{2,8}} )?(?:últim[oa]s|ultim[ie]) {count} {unit}", "in the last {count} {unit}s"),
        (r"(?:\w{{2,8}} )?{count} derni[eè]re?s {unit}", "in the last {count} {unit}s"),
        (
            rf"{_THE}(?:fin de semana|week-?end|fine settimana|fim de semana) {_LAST}",
            "last weekend",
        ),
        (rf"{_THE}{{unit}} {_LAST}", "last {unit}"),
        (rf"{_THE}(?:scors[oa]|últim[oa]) {{unit}}", "last {unit}"),
        ("(?:est[ea]|cet(?:te)?|ce|quest[oa]|quest['’]) ?{unit}(?:-ci)?", "this {unit}"),
        (rf"{_THE}{{day}} {_LAST}", "last {day}"),
        (rf"{_THE}{{season}} {_LAST}", "last {season}"),
        (
            rf"(?:(?:au|à|in|nell?|durante) ?)?{_THE}{{season}} (?:(?:de|del|do) )?{{year}}",
            "in the {season} of {year}",
        ),
        (
            "(?:el |le |il |em |no dia )?{date} (?:de )?{month} (?:del? )?{year}",
            "on {date} {month} {year}",
        ),
        ("(?:el |le |il |em |no dia )?{date} (?:de )?{month}", "on {date} {month}"),
        ("(?:desde|depuis|dal?) {month} (?:del? )?{year}", "since {month} {year}"),
        ("(?:desde|depuis|dal?) {month}", "since {month}"),
        ("(?:desde|depuis|dal?) {year}", "since {year}"),
        ("(?:en|in|em|a) {month} (?:del? )?{year}", "in {month} {year}"),
        ("{month} (?:del? )?{year}", "{month} {year}"),
        ("(?:en|in|em) {month}", "in {month}"),
        ("(?:en|em|nel) {year}", "in {year}"),
    ),
)
_DUTCH = _Language(
    "dag dagen|week weken|maand maanden|jaar jaren",
    "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
    "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
    "lente voorjaar|zomer|herfst najaar|winter",
    "één een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien",
    (
        ("eergisteren", "the day before yesterday"),
        ("gisteren|gisteravond", "yesterday"),
        ("vandaag", "today"),
        ("{count} {unit} geleden", "{count} {unit}s ago"),
        ("(?:in )?de (?:laatste|afgelopen) {count} {unit}", "in the last {count} {unit}s"),
        ("(?:in )?(?:het )?(?:vorige?|afgelopen) weekend", "last weekend"),
        ("(?:in )?(?:de |het )?(?:vorige?|afgelopen) {unit}", "last {unit}"),
        ("(?:in )?(?:deze|dit) {unit}", "this {unit}"),
        ("(?:vorige|afgelopen) {day}", "last {day}"),
        ("(?:in )?(?:de )?(?:vorige|afgelopen) {season}", "last {season}"),
        ("(?:in )?(?:de )?{season} van {year}", "in the {season} of {year}"),
        ("(?:op )?{date} {month} {year}", "on {date} {month} {year}"),
        ("(?:op )?{date} {month}", "on {date} {month}"),
        ("(?:sinds|vanaf) {month} {year}", "since {month} {year}"),
        ("(?:sinds|vanaf) {month}", "since {month}"),
        ("(?:sinds|vanaf) {year}", "since {year}"),
        ("(?:in )?{month} {year}", "in {month} {year}"),
        ("in {month}", "in {month}"),
    ),
)
_RUSSIAN = _Language(
    "день дня дней|неделя неделю недели недель неделе|месяц месяца месяцев месяце"
    "|год года лет году",
    "январь января январе|февраль февраля феврале|март марта марте|апрель апреля апреле"
    "|май мая мае|июнь июня июне|июль июля июле|август августа августе"
    "|сентябрь сентября сентябре|октябрь октября октябре|ноябрь ноября ноябре"
    "|декабрь декабря декабре",
    "понедельник|вторник|среду среда|четверг|пятницу пятница|субботу суббота|воскресенье",
    "весной весна весны|летом лето лета|осенью осень осени|зимой зима зимы",
    "один одну|два две|три|четыре|пять|шесть|семь|восемь|девять|десять",
    (
        ("позавчера", "the day before yesterday"),
        ("вчера(?: вечером)?", "yesterday"),
        ("сегодня", "today"),
        ("{count} {unit} назад", "{count} {unit}s ago"),
        ("{unit} назад", "1 {unit} ago"),
        ("за последни[ех] {count} {unit}", "in the last {count} {unit}s"),
        ("(?:на|в) прошл(?:ых|ые) выходных?", "last weekend"),
        ("(?:на|в) прошл(?:ой|ом|ую|ый) {unit}", "last {unit}"),
        ("(?:на|в) эт(?:ой|ом) {unit}", "this {unit}"),
        ("в прошл(?:ый|ую|ое) {day}", "last {day}"),
        ("прошл(?:ой|ым) {season}", "last {season}"),
        ("{season} {year}(?: года)?", "in the {season} of {year}"),
        ("{date} {month} {year}(?: года)?", "on {date} {month} {year}"),
        ("{date} {month}", "on {date} {month}"),
        ("с {month} {year}(?: года)?", "since {month} {year}"),
        ("с {month}", "since {month}"),
        ("с {year}(?: года)?", "since {year}"),
        ("в {month} {year}(?: года)?", "in {month} {year}"),
        ("в {month}", "in {month}"),
        ("в {year} году", "in {year}"),
    ),
)
_JAPANESE = _Language(
    "日|週間|か月 ヶ月 カ月|年",
    "1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月",
    "月曜日|火曜日|水曜日|木曜日|金曜日|土曜日|日曜日",
    "春|夏|秋|冬",
    "一|二|三|四|五|六|七|八|九|十",
    (
        ("おととい|一昨日", " the day before yesterday "),
        ("昨日|きのう", " yesterday "),
        ("今日|きょう", " today "),
        ("{count}{unit}前", " {count} {unit}s ago "),
        ("先週末", " last weekend "),
        ("先週の{day}", " last {day} "),
        ("先週", " last week "),
        ("先月", " last month "),
        ("(?:去年|昨年)の{season}", " last {season} "),
        ("去年|昨年", " last year "),
        ("今週", " this week "),
        ("今月", " this month "),
        ("今年", " this year "),
        ("{year}年の{season}", " in the {season} of {year} "),
        ("{year}年{month}(?P<date>[0-9]{{1,2}})日", " on {date} {month} {year} "),
        ("{year}年{month}", " in {month} {year} "),
        ("{month}から", " since {month} "),
        ("{year}年から", " since {year} "),
        ("{year}年", " in {year} "),
    ),
)
_LANGUAGES: dict[Group, _Language] = {
    "romance": _ROMANCE,
    "dutch": _DUTCH,
    "russian": _RUSSIAN,
    "japanese": _JAPANESE,
}
# The names of days, months, seasons and units of time in these languages.
FOREIGN_TIMES = " ".join(
    f"{one.units} {one.months} {one.days} {one.seasons}" for one in _LANGUAGES.values()
).replace("|", " ")


class _Rule(Struct, frozen=True):
    pattern: re.Pattern[str]
    english: str
    names: Mapping[str, Mapping[str, str]]  # the English names, by kind and name

    def rewritten(self, match: re.Match[str]) -> str:
        """The English words for a match."""
        found = {
            kind: self.names.get(kind, {}).get(name.lower(), name)
            for kind, name in match.groupdict().items()
        }
        return self.english.format(**found)


def rewrite_times(question: str) -> RewrittenTimes:
    """The question with its times in English. Unchanged in English, German and Chinese."""
    group = language_group(question)
    if group is None or group not in _LANGUAGES:
        return RewrittenTimes(question)
    text, replaced = question, []
    for rule in _rules_of(group):
        for match in reversed(list(rule.pattern.finditer(text))):
            new = rule.rewritten(match)
            text = f"{text[: match.start()]}{new}{text[match.end() :]}"
            replaced.append((new.strip(), match.group()))
    return RewrittenTimes(text, tuple(replaced))


@cache
def _rules_of(group: Group) -> tuple[_Rule, ...]:
    one = _LANGUAGES[group]
    numbers = [str(number) for number in range(1, one.numbers.count("|") + 2)]
    names = {
        "unit": _names(one.units, _UNITS),
        "month": _names(one.months, _MONTHS),
        "day": _names(one.days, _DAYS),
        "season": _names(one.seasons, _SEASONS),
        "count": _names(one.numbers, numbers),
    }
    parts = {kind: f"(?P<{kind}>{_any_of(known)})" for kind, known in names.items()}
    parts["count"] = rf"(?P<count>\d{{1,3}}|{_any_of(names['count'])})"
    is_spaced = group != "japanese"
    return tuple(
        _Rule(
            re.compile(_whole(source.format(**parts, year=_YEAR, date=_DATE), is_spaced), re.I),
            english,
            names,
        )
        for source, english in one.rules
    )


def _whole(source: str, is_spaced: bool) -> str:
    return rf"(?<!\w)(?:{source})(?!\w)".replace(" ", r"\s+") if is_spaced else source


def _names(text: str, english: Sequence[str]) -> dict[str, str]:
    groups = zip(text.split("|"), english, strict=True)
    return {name: new for names, new in groups for name in names.split()}


def _any_of(names: Mapping[str, str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
