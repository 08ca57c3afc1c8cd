"""The times of Spanish."""

from ragd.search.dates.languages.language import Language, numbers

_THE = "(?:el |la )?"
_WEEKEND = "(?:fin de semana|finde)"
_PART_OF_DAY = "(?: (?:por|en|a) la (?:mañana|tarde|noche))?"
_NEXT = "(?:que viene|próxim[oa])"
_NO_DAY = "(?! (?:de (?:carnaval|pascua|ramos|resurrección)|sant[oa]|negro))"

SPANISH = Language(
    group="romance",
    months="enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre setiembre|octubre"
    "|noviembre|diciembre",
    days="lunes|martes|miércoles|jueves|viernes|sábado|domingo",
    seasons="primavera|verano|otoño|invierno",
    units="día días|semana semanas|mes meses|año años",
    ordinals="primera|segunda|tercera|cuarta|última",
    numbers=numbers(
        "un uno una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce"
        "|quince|dieciséis|diecisiete|dieciocho|diecinueve|veinte|veintiún veintiuno veintiuna"
        "|veintidós|veintitrés|veinticuatro|veinticinco|veintiséis|veintisiete|veintiocho"
        "|veintinueve",
        "veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien",
        ("{ten} y {one}",),
        "un_par_de|unos unas algunos algunas varios varias pocos pocas unos_pocos unas_pocas",
    ),
    rules=(
        ("anteayer|antes de ayer|antier", "the day before yesterday"),
        ("anoche|ayer (?:por|en|a) la noche", "last night"),
        (f"ayer{_PART_OF_DAY}", "yesterday"),
        ("hoy(?! (?:en )?día)|esta (?:mañana|tarde|noche)", "today"),
        ("(?<!la[ ])(?<!esta[ ])(?<!una[ ])(?<!cada[ ])(?<!de[ ])mañana", "tomorrow"),
        ("hace (?:ya |como )?COUNT UNIT|COUNT UNIT atrás", "COUNT UNITs ago"),
        ("hace medio año", "6 months ago"),
        (
            "(?:(?:los|las|estos|estas) )?(?:(?:últim|pasad)[oa]s COUNT|COUNT últim[oa]s) UNIT",
            "in the last COUNT UNITs",
        ),
        ("(?:(?:los|las|estos|estas) )?últim[oa]s UNIT", "in the last few UNITs"),
        (f"(?:el )?(?:{_WEEKEND} pasado|(?:pasado|último) {_WEEKEND})", "last weekend"),
        (f"este {_WEEKEND}", "this weekend"),
        (f"(?:el )?(?:{_WEEKEND} {_NEXT}|próximo {_WEEKEND})", "next weekend"),
        (f"{_THE}(?:PERIOD pasad[oa]|(?:pasad|últim)[oa] PERIOD)", "last PERIOD"),
        (f"{_THE}PERIOD antepasad[oa]", "2 PERIODs ago"),
        ("est[ea] PERIOD", "this PERIOD"),
        (f"{_THE}(?:PERIOD {_NEXT}|próxim[oa] PERIOD)", "next PERIOD"),
        ("(?:el )?DAY de la semana pasada", "DAY of last week"),
        (f"(?:el )?(?:DAY pasado|(?:pasado|último) DAY){_PART_OF_DAY}", "last DAY"),
        (f"este DAY{_PART_OF_DAY}{_NO_DAY}", "this DAY"),
        (f"(?:el )?(?:DAY {_NEXT}|próximo DAY)", "next DAY"),
        (f"el DAY{_PART_OF_DAY}{_NO_DAY}", "on DAY"),
        ("DAY", "DAY"),
        (f"{_THE}(?:SEASON pasad[oa]|(?:pasad|últim)[oa] SEASON)", "last SEASON"),
        ("est[ea] SEASON", "this SEASON"),
        (f"{_THE}SEASON", "SEASON"),
        (
            "(?:(?:del?|entre) )?(?:el )?DATE (?:al?|y)(?: el)? DATE2 (?:de )?MONTH",
            "DATE MONTH to DATE2 MONTH",
        ),
        ("(?:el )?(?:DAY,? )?(?:el )?(?:día )?DATE (?:de )?MONTH", "DATE MONTH"),
        ("(?:el )?(?:DAY,? )?primero de MONTH", "1 MONTH"),
        ("(?:la )?ORDINAL semana de(?:l mes de)? MONTH", "the ORDINAL week of MONTH"),
        ("(?:el )?(?:MONTH pasado|pasado MONTH)", "last MONTH"),
        ("este MONTH", "this MONTH"),
        ("(?:el mes de )?MONTH", "MONTH"),
        ("(?:el )?(?:año )?YEAR", "YEAR"),
        ("últimamente|recientemente|hace poco(?: tiempo)?", "recently"),
    ),
    before=(
        ("desde|a partir del?|a partir de la", "since"),
        ("hasta", "until"),
        ("antes del?", "before"),
        ("después del?|tras", "after"),
        ("entre", "between"),
        ("en|durante", "in"),
        (
            "(?:a |al )?(?:principios?|comienzos?|inicios?) del?|(?:a )?primeros de",
            "the beginning of",
        ),
        ("(?:a )?mediados del?", "the middle of"),
        ("(?:a |al )?(?:finales|fines|final) del?", "the end of"),
        ("COUNT UNIT antes del?", "COUNT UNITs before"),
        ("COUNT UNIT después del?", "COUNT UNITs after"),
        ("el día antes del?", "the day before"),
        ("el día después del?", "the day after"),
        ("la semana antes del?", "the week before"),
        ("la semana después del?", "the week after"),
    ),
    begins_range="desde(?: el| la)?|del?",
    to="a|al|hasta(?: el| la)?",
    and_="y(?: el| la)?",
    of="(?:del? (?:año )?)?",
    every="cada|todos los|todas las|los",
    words="ayer anteayer antier anoche hoy mañana pasado pasada pasados pasadas último última "
    "últimos últimas próximo próxima antepasado finde últimamente recientemente desde hasta poco",
)
