"""The times of Portuguese."""

from ragd.search.dates.languages.language import Language, numbers

_THE = "(?:n?[oa] )?"
_MANY = "(?:n?[oa]s )?"
_WEEKEND = "(?:fim de semana|fim-de-semana|fds)"
_PART_OF_DAY = "(?: (?:à|de|pela) (?:manhã|tarde|noite))?"
_NEXT = "(?:que vem|próxim[oa])"
_ENDS = r"(?=\s*(?:$|[?.!,;:)]))"
_NO_DAY = "(?! (?:de (?:carnaval|páscoa|ramos)|gorda|santa|magra))"

PORTUGUESE = Language(
    group="romance",
    months="janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro"
    "|dezembro",
    days="segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira|sábado|domingo",
    short_days="segunda|terça|quarta|quinta|sexta",
    seasons="primavera|verão|outono|inverno",
    units="dia dias|semana semanas|mês meses|ano anos",
    ordinals="primeira|segunda|terceira|quarta|última",
    numbers=numbers(
        "um uma|dois duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze"
        "|catorze quatorze|quinze|dezesseis dezasseis|dezessete dezassete|dezoito"
        "|dezenove dezanove",
        "vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|cem",
        ("{ten} e {one}",),
        "um_par_de|uns umas alguns algumas vários várias poucos poucas",
    ),
    rules=(
        ("anteontem|antes de ontem", "the day before yesterday"),
        ("ontem (?:à|de) noite", "last night"),
        (f"ontem{_PART_OF_DAY}", "yesterday"),
        (f"hoje(?! em dia){_PART_OF_DAY}|(?:n?est|n?ess)a (?:manhã|tarde|noite)", "today"),
        ("amanhã", "tomorrow"),
        ("(?:há|faz) (?:cerca de )?COUNT UNIT(?: atrás)?|COUNT UNIT atrás", "COUNT UNITs ago"),
        (
            f"{_MANY}(?:(?:últim|passad)[oa]s COUNT|COUNT últim[oa]s) UNIT",
            "in the last COUNT UNITs",
        ),
        (f"{_MANY}últim[oa]s UNIT", "in the last few UNITs"),
        (f"(?:n?o )?(?:{_WEEKEND} passado|(?:último|passado) {_WEEKEND})", "last weekend"),
        (f"n?es[ts]e {_WEEKEND}", "this weekend"),
        (f"(?:n?o )?(?:{_WEEKEND} {_NEXT}|próximo {_WEEKEND})", "next weekend"),
        (f"{_THE}(?:PERIOD passad[oa]|(?:passad|últim)[oa] PERIOD)", "last PERIOD"),
        (f"{_THE}PERIOD retrasad[oa]", "2 PERIODs ago"),
        ("n?es[ts][ea] PERIOD", "this PERIOD"),
        (f"{_THE}(?:PERIOD {_NEXT}|próxim[oa] PERIOD)", "next PERIOD"),
        (f"{_THE}(?:DAY|SHORTDAY) da semana passada", "DAY of last week"),
        (f"{_THE}(?:(?:DAY|SHORTDAY) passad[oa]|(?:passad|últim)[oa] DAY)", "last DAY"),
        ("n?es[ts][ea] DAY", "this DAY"),
        (f"{_THE}(?:(?:DAY|SHORTDAY) {_NEXT}|próxim[oa] (?:DAY|SHORTDAY))", "next DAY"),
        (f"{_THE}DAY{_PART_OF_DAY}{_NO_DAY}", "on DAY"),
        (f"na SHORTDAY{_PART_OF_DAY}{_ENDS}", "on DAY"),
        (f"{_THE}(?:SEASON passad[oa]|(?:passad|últim)[oa] SEASON)", "last SEASON"),
        ("n?es[ts][ea] SEASON", "this SEASON"),
        (f"{_THE}SEASON", "SEASON"),
        (
            "(?:(?:de|do|entre|entre o) )?(?:dias? )?DATE (?:a|ao|e)(?: o)? DATE2 (?:de )?MONTH",
            "DATE MONTH to DATE2 MONTH",
        ),
        ("(?:n?[oa] )?(?:DAY,? )?(?:n?o )?(?:dia )?DATE (?:de )?MONTH", "DATE MONTH"),
        ("(?:n?o )?(?:dia )?primeiro de MONTH", "1 MONTH"),
        ("(?:n?a )?ORDINAL semana d(?:e|o mês de) MONTH", "the ORDINAL week of MONTH"),
        ("(?:n?o )?(?:MONTH passado|(?:último|passado) MONTH)", "last MONTH"),
        ("(?:(?:n?o )?mês de )?MONTH", "MONTH"),
        ("(?:(?:n?o )?ano (?:de )?)?YEAR", "YEAR"),
        ("recentemente|ultimamente|há pouco(?: tempo)?", "recently"),
    ),
    before=(
        ("desde|a partir de|a partir do|a partir da", "since"),
        ("até(?: ao| à)?", "until"),
        ("antes d[eoa]", "before"),
        ("depois d[eoa]|após", "after"),
        ("entre", "between"),
        ("em|durante", "in"),
        ("(?:n?o )?(?:início|inicios|começo|princípio) d[eoa]", "the beginning of"),
        ("(?:em )?meados d[eoa]", "the middle of"),
        ("(?:n?o )?(?:fim|final) d[eoa]|(?:em )?finais d[eo]", "the end of"),
        ("COUNT UNIT antes d[eoa]", "COUNT UNITs before"),
        ("COUNT UNIT depois d[eoa]", "COUNT UNITs after"),
        ("n?o dia antes d[eoa]", "the day before"),
        ("n?o dia depois d[eoa]", "the day after"),
        ("n?a semana antes d[eoa]", "the week before"),
        ("n?a semana depois d[eoa]", "the week after"),
    ),
    begins_range="d[eoa]|desde(?: o| a)?",
    to="a|à|ao|até(?: o| a| ao| à)?",
    and_="e(?: o| a)?",
    of="(?:d[eo] (?:ano (?:de )?)?)?",
    every="cada|tod[oa]s?(?: [oa]s?)?|[oa]s",
    words="ontem anteontem hoje amanhã passado passada passados passadas último última últimos "
    "últimas próximo próxima atrás há retrasado recentemente ultimamente fds fim-de-semana vem "
    "segunda-feira desde até segunda terça quarta quinta sexta feira",
)
