"""The times of French."""

from ragd.search.dates.languages.language import Language, numbers

_THE = "(?:le |la |l')?"
_WEEKEND = "week[- ]?end"
_PAST = "(?:dernier|dernière|passée?)"
_PART_OF_DAY = "(?: (?:matin|midi|après-midi|soir))?"
_NO_DAY = "(?! (?:gras|saint|noir|bleu|(?:de )?p[aâ]ques|de pentecôte|des cendres))"

FRENCH = Language(
    group="romance",
    months="janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    days="lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
    seasons="printemps|été|automne|hiver",
    units="jour jours|semaine semaines|mois|an ans année années",
    ordinals="première|deuxième seconde|troisième|quatrième|dernière",
    numbers=numbers(
        "un une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze"
        "|seize|dix-sept|dix-huit|dix-neuf",
        "vingt|trente|quarante|cinquante|soixante|soixante-dix|quatre-vingts|quatre-vingt-dix|cent",
        ("{ten}-{one}", "{ten} et {one}"),
        "|quelques plusieurs",
    ),
    rules=(
        ("avant-hier", "the day before yesterday"),
        ("hier soir|la nuit dernière", "last night"),
        (f"hier{_PART_OF_DAY}", "yesterday"),
        ("aujourd'hui|ce matin|cet après-midi|ce soir", "today"),
        ("demain", "tomorrow"),
        ("(?:il )?y a (?:environ |déjà )?COUNT UNIT", "COUNT UNITs ago"),
        ("il y a six mois", "6 months ago"),
        (
            "(?:(?:au cours )?(?:les|ces|des) )?"
            "(?:COUNT derni(?:ers|ères)|derni(?:ers|ères) COUNT) UNIT",
            "in the last COUNT UNITs",
        ),
        ("(?:(?:au cours )?(?:les|ces|des) )?derni(?:ers|ères) UNIT", "in the last few UNITs"),
        (f"(?:le )?{_WEEKEND} {_PAST}", "last weekend"),
        (f"ce {_WEEKEND}", "this weekend"),
        (f"(?:le )?{_WEEKEND} prochain", "next weekend"),
        (f"{_THE}PERIOD {_PAST}", "last PERIOD"),
        ("(?:ce|cet|cette) PERIOD(?:-ci)?", "this PERIOD"),
        (f"{_THE}PERIOD en cours", "this PERIOD"),
        (f"{_THE}PERIOD prochaine?", "next PERIOD"),
        ("(?:le )?DAY de la semaine dernière", "DAY of last week"),
        (f"(?:le )?DAY {_PAST}", "last DAY"),
        (f"ce DAY{_PART_OF_DAY}", "this DAY"),
        ("(?:le )?DAY prochain", "next DAY"),
        (f"(?:le )?DAY{_PART_OF_DAY}{_NO_DAY}", "on DAY"),
        (f"{_THE}SEASON {_PAST}", "last SEASON"),
        ("cet? SEASON", "this SEASON"),
        (f"{_THE}SEASON", "SEASON"),
        (
            "(?:(?:du|entre) )?(?:le )?DATE (?:au|et)(?: le)? DATE2 MONTH",
            "DATE MONTH to DATE2 MONTH",
        ),
        ("(?:le )?(?:DAY,? )?(?:le )?DATE MONTH", "DATE MONTH"),
        ("(?:le )?(?:DAY,? )?premier MONTH", "1 MONTH"),
        ("(?:la )?ORDINAL semaine (?:de |d'|du mois de )MONTH", "the ORDINAL week of MONTH"),
        ("(?:le )?MONTH dernier", "last MONTH"),
        ("(?:à la |la )?mi-MONTH", "the middle of MONTH"),
        ("(?:le mois de |le mois d')?MONTH", "MONTH"),
        ("(?:l'année |l'an )?YEAR", "YEAR"),
        ("récemment|dernièrement|ces derniers temps|ces jours-ci", "recently"),
    ),
    before=(
        ("depuis|à partir de|à partir du|dès", "since"),
        ("jusqu'(?:en|à|au)|jusqu'", "until"),
        ("avant(?: la fin de)?", "before"),
        ("après", "after"),
        ("entre", "between"),
        ("en|au|à|dans|pendant|durant|courant|au cours de", "in"),
        ("(?:au |en |le )?début(?: de| du| d')?", "the beginning of"),
        ("au milieu (?:de|du|d')", "the middle of"),
        ("(?:à la |en |la )?fin(?: de| du| d')?", "the end of"),
        ("COUNT UNIT avant", "COUNT UNITs before"),
        ("COUNT UNIT après", "COUNT UNITs after"),
        ("la veille (?:de|du)|le jour avant", "the day before"),
        ("le lendemain (?:de|du)|le jour après", "the day after"),
        ("la semaine avant", "the week before"),
        ("la semaine après", "the week after"),
    ),
    begins_range="de|du|d'|depuis",
    to="à|au|jusqu'(?:en|à|au)",
    and_="et",
    of="(?:de |d'|du )?(?:l'année )?",
    every="chaque|tous les|les",
    words="hier avant-hier avant aujourd hui demain dernier dernière derniers dernières passé "
    "passée prochain prochaine week-end weekend week récemment dernièrement matin soir midi depuis "
    "jusqu jours-ci",
)
