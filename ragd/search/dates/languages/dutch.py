"""The times of Dutch."""

from ragd.search.dates.languages.language import Language, numbers

_THE = "(?:de |het )?"
_PAST = "(?:vorige?|afgelopen|verleden|voorbije)"
_NEXT = "(?:volgende?|komende?|aankomende?)"
_PARTS_OF_DAY = "ochtend|morgen|middag|namiddag|avond|nacht"
_PART_OF_DAY = f"(?:[ ]?(?:{_PARTS_OF_DAY}))?"
_DAYS = "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag"

DUTCH = Language(
    group="dutch",
    months="januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november"
    "|december",
    days=_DAYS,
    seasons="lente voorjaar|zomer|herfst najaar|winter",
    units="dag dagen|week weken|maand maanden|jaar jaren",
    ordinals="eerste|tweede|derde|vierde|laatste",
    numbers=numbers(
        "één een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien"
        "|vijftien|zestien|zeventien|achttien|negentien",
        "twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig|honderd",
        ("{one}en{ten}",),
        "een_paar|enkele een_aantal enige",
    ),
    rules=(
        ("eergisteren", "the day before yesterday"),
        ("gisternacht|gisteravond|gisterenavond", "last night"),
        (f"gister(?:en)?{_PART_OF_DAY}", "yesterday"),
        ("vandaag|vanochtend|vanmorgen|vanmiddag|vanavond", "today"),
        ("morgen", "tomorrow"),
        ("COUNT UNIT (?:geleden|terug)", "COUNT UNITs ago"),
        ("een half jaar geleden", "6 months ago"),
        (f"{_THE}(?:laatste|afgelopen|voorbije) COUNT UNIT", "in the last COUNT UNITs"),
        (
            f"{_THE}(?:laatste|afgelopen|voorbije) (?:paar )?(?=\\w+en\\b)UNIT",
            "in the last few UNITs",
        ),
        (f"{_THE}{_PAST} weekend", "last weekend"),
        ("dit weekend", "this weekend"),
        (f"{_THE}{_NEXT} weekend", "next weekend"),
        (f"{_THE}{_PAST} (?!\\w+en\\b)PERIOD", "last PERIOD"),
        ("(?:deze|dit) PERIOD|van de week", "this PERIOD"),
        (f"{_THE}{_NEXT} PERIOD", "next PERIOD"),
        (f"(?:op )?DAY (?:van |in )?(?:de )?{_PAST} week", "DAY of last week"),
        (f"{_THE}{_PAST} DAY{_PART_OF_DAY}|DAY jl", "last DAY"),
        ("deze DAY", "this DAY"),
        (f"{_THE}{_NEXT} DAY", "next DAY"),
        (f"(?:op )?DAY{_PART_OF_DAY}", "on DAY"),
        (f"{_THE}{_PAST} SEASON", "last SEASON"),
        ("(?:deze|dit) SEASON", "this SEASON"),
        (f"{_THE}SEASON", "SEASON"),
        (
            "(?:(?:van|tussen|vanaf) )?DATE (?:tot(?: en met)?|t/m|en) DATE2 MONTH",
            "DATE MONTH to DATE2 MONTH",
        ),
        ("(?:op )?(?:DAY,? )?DATE MONTH", "DATE MONTH"),
        ("(?:de )?ORDINAL week van MONTH", "the ORDINAL week of MONTH"),
        ("(?:vorige|afgelopen|verleden) MONTH", "last MONTH"),
        ("(?:de maand )?MONTH", "MONTH"),
        ("(?:het jaar )?YEAR", "YEAR"),
        ("onlangs|recent|recentelijk|laatst|de laatste tijd", "recently"),
    ),
    before=(
        ("sinds|sedert|vanaf", "since"),
        ("tot(?: en met| aan)?|t/m", "until"),
        ("na", "after"),
        ("tussen", "between"),
        ("in|op|tijdens|gedurende|rond", "in"),
        ("(?:aan )?(?:het )?begin(?: van)?", "the beginning of"),
        ("half|halverwege|midden(?: in)?", "the middle of"),
        ("(?:aan )?(?:het )?einde?(?: van)?", "the end of"),
        ("COUNT UNIT voor", "COUNT UNITs before"),
        ("COUNT UNIT na", "COUNT UNITs after"),
        ("de dag voor", "the day before"),
        ("de dag na", "the day after"),
        ("de week voor", "the week before"),
        ("de week na", "the week after"),
    ),
    begins_range="van|vanaf",
    to="tot(?: en met)?|t/m",
    and_="en",
    of="(?:van )?(?:het jaar )?",
    every="elke|iedere|alle|goede|witte|zwarte",
    words="gisteren gisteravond gisterenavond gisternacht eergisteren vandaag vanochtend vanmorgen "
    "vanmiddag vanavond morgen geleden terug vorige vorig afgelopen verleden voorbije volgende "
    "volgend komende weekend onlangs recent recentelijk laatst laatste sinds vanaf tot "
    + " ".join(f"{day}{part}" for day in _DAYS.split("|") for part in _PARTS_OF_DAY.split("|")),
)
