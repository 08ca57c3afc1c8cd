"""The times of Italian."""

from ragd.search.dates.languages.language import Language, numbers

_THE = "(?:il |lo |la |l')?"
_MANY = "(?:(?:gli|le|i|negli|nelle|nei|degli|delle|dei) )?"
_WEEKEND = "(?:week-?end|fine settimana)"
_PAST = "(?:scors|passat)"
_PART_OF_DAY = "(?: (?:mattina|pomeriggio|sera|notte))?"
_NO_DAY = "(?! (?:sant[oa]|grasso|nero|dell'angelo|delle (?:ceneri|palme)|di pasqua))"

ITALIAN = Language(
    group="romance",
    months="gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre"
    "|dicembre",
    days="lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica",
    seasons="primavera|estate|autunno|inverno",
    units="giorno giorni|settimana settimane|mese mesi|anno anni",
    ordinals="prima|seconda|terza|quarta|ultima",
    numbers=numbers(
        "un uno una|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici"
        "|quattordici|quindici|sedici|diciassette|diciotto|diciannove|venti|ventuno ventun",
        "venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta|cento",
        ("{ten}{one}", "{elided}{one}"),
        "un_paio_di|qualche alcuni alcune diversi diverse pochi poche",
    ),
    rules=(
        ("l'altro[ ]?ieri|ieri l'altro|avantieri", "the day before yesterday"),
        ("ieri (?:sera|notte)|(?:la )?scorsa notte", "last night"),
        (f"ieri{_PART_OF_DAY}", "yesterday"),
        (
            f"(?<!come[ ])oggi{_PART_OF_DAY}(?! come oggi)|stamattina|stamani|stasera"
            "|questa (?:mattina|sera)",
            "today",
        ),
        ("domani", "tomorrow"),
        ("COUNT UNIT (?:fa|or sono)", "COUNT UNITs ago"),
        (f"{_MANY}(?:(?:ultim|scors)[ie] COUNT|COUNT ultim[ie]) UNIT", "in the last COUNT UNITs"),
        (f"{_MANY}(?:ultim[ie] UNIT|UNIT scorsi)", "in the last few UNITs"),
        (f"(?:il |lo )?(?:{_WEEKEND} {_PAST}o|scorso {_WEEKEND})", "last weekend"),
        (f"questo {_WEEKEND}", "this weekend"),
        (f"(?:il )?(?:{_WEEKEND} prossimo|prossimo {_WEEKEND})", "next weekend"),
        (f"{_THE}(?:PERIOD {_PAST}[oa]|(?:scors|ultim)[oa] PERIOD)", "last PERIOD"),
        ("quest(?:o |a |')PERIOD", "this PERIOD"),
        (f"{_THE}(?:PERIOD prossim[oa]|prossim[oa] PERIOD)", "next PERIOD"),
        ("DAY della (?:settimana scorsa|scorsa settimana)", "DAY of last week"),
        (f"{_THE}(?:DAY {_PAST}[oa]|(?:scors|ultim)[oa] DAY){_PART_OF_DAY}", "last DAY"),
        ("quest[oa] DAY", "this DAY"),
        ("(?:il |la )?(?:DAY prossim[oa]|prossim[oa] DAY)", "next DAY"),
        (f"(?:il |la )?DAY{_PART_OF_DAY}{_NO_DAY}", "on DAY"),
        (f"{_THE}(?:SEASON {_PAST}[oa]|scors[oa] SEASON)", "last SEASON"),
        ("quest(?:o |a |')SEASON", "this SEASON"),
        (f"{_THE}SEASON", "SEASON"),
        (
            "(?:(?:dal|tra|fra) |dall')?(?:il |l')?DATE (?:al |all'|e il |e l'|e )DATE2 MONTH",
            "DATE MONTH to DATE2 MONTH",
        ),
        ("(?:il |l')?(?:DAY,? )?(?:il |l')?DATE MONTH", "DATE MONTH"),
        ("(?:il )?(?:DAY,? )?primo MONTH", "1 MONTH"),
        ("(?:la |l')?ORDINAL settimana d(?:i|el mese di) MONTH", "the ORDINAL week of MONTH"),
        ("(?:lo )?(?:MONTH scorso|scorso MONTH)", "last MONTH"),
        ("(?:il mese di )?MONTH", "MONTH"),
        ("(?:l'anno |l'|il )?YEAR", "YEAR"),
        ("recentemente|ultimamente|di recente", "recently"),
    ),
    before=(
        (
            "(?:(?:sin|fin|a partire) )?(?:da|dal|dallo|dalla|dai|dall')",
            "since",
        ),
        ("(?:fino|sino) (?:a|ad|al|alla|allo|all')", "until"),
        ("prima (?:di|del|della|dello|dell')", "before"),
        ("dopo", "after"),
        ("tra|fra", "between"),
        ("in|nel|nello|nella|nell'|negli|nei|a|ad|durante", "in"),
        (
            "(?:all'|a )?inizio(?: di| del| della| dell'| dello)?|agli inizi (?:di|del)",
            "the beginning of",
        ),
        ("(?:a )?metà(?: di| del| della| dell')?", "the middle of"),
        ("(?:a |alla )?fine(?: di| del| della| dell'| dello)?", "the end of"),
        ("COUNT UNIT prima (?:di|del|della|dell')", "COUNT UNITs before"),
        ("COUNT UNIT dopo", "COUNT UNITs after"),
        ("il giorno prima (?:di|del|della|dell')", "the day before"),
        ("il giorno dopo", "the day after"),
        ("la settimana prima (?:di|del|della|dell')", "the week before"),
        ("la settimana dopo", "the week after"),
    ),
    begins_range="da|dal|dalla|dallo|dall'",
    to="a|ad|al|alla|all'|fino (?:a|ad|al|alla|all')",
    and_="e",
    of="(?:di |del |della |dello |dell'|de )?",
    every="ogni|tutti i|tutte le|di|le",
    words="ieri avantieri oggi domani fa scorso scorsa scorsi scorse passato passata ultimo ultima "
    "ultimi ultime prossimo prossima stamattina stamani stasera weekend week-end recentemente "
    "ultimamente recente dal dallo dalla dall notte",
)
