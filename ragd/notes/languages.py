"""Detects the language of a text: by its script, and in Latin script by its function words. Pure.

It returns None rather than guess: names, numbers and single words have no language.
"""

from collections import Counter

from ragd.notes.late_pattern import LatePattern

LONGEST_READ = 4_000  # characters; reading more does not change the result
LEAST_SHARE = 0.06  # of a text's words that must be function words of its language
CLEAR_LEAD = 1.25  # how much better the best language must fit than the next

# A Han character counts as much as three letters, a Hangul syllable or a kana as two.
_SCRIPTS = (
    ("han", 3, LatePattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
    ("kana", 2, LatePattern("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
    ("hangul", 2, LatePattern("[\uac00-\ud7af\u1100-\u11ff\u3130-\u318f]")),
    ("cyrillic", 1, LatePattern("[\u0400-\u052f]")),
    (
        "arabic",
        1,
        LatePattern("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff]"),
    ),
    ("hebrew", 1, LatePattern("[\u0590-\u05ff]")),
    ("greek", 1, LatePattern("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("thai", 1, LatePattern("[\u0e00-\u0e7f]")),
    ("devanagari", 1, LatePattern("[\u0900-\u097f]")),
    ("tamil", 1, LatePattern("[\u0b80-\u0bff]")),
    ("armenian", 1, LatePattern("[\u0530-\u058f]")),
    ("georgian", 1, LatePattern("[\u10a0-\u10ff]")),
)
_LATIN = LatePattern("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
_BY_SCRIPT = {
    "hangul": "ko",
    "hebrew": "he",
    "greek": "el",
    "thai": "th",
    "devanagari": "hi",
    "tamil": "ta",
    "armenian": "hy",
    "georgian": "ka",
}
_UKRAINIAN = LatePattern("[іїєґІЇЄҐ]")
_SERBIAN = LatePattern("[ђјљњћџЂЈЉЊЋЏ]")
_RUSSIAN = LatePattern("[ыэёЫЭЁ]")
_PERSIAN = LatePattern("[پچژگک]")
_WORD = LatePattern(r"[^\W\d_]+")
# Links, code and paths are English in any language.
_APART = LatePattern(r"https?://\S+|`[^`\n]*`|\]\([^()\s]*\)")

_FUNCTION_WORDS = {
    "en": """a about after all also an and any are as at be because been before but by can could
        did do does for from had has have he her his how i if in into is it its just me more most
        my no not of on one or our out over she should so some such than that the their them then
        there these they this to up was we were what when where which who whose why will with
        would you your""",
    "de": """aber als am an auch auf aus bei bin bis da damit dann das dass dem den der des die
        diese dieser doch du durch ein eine einem einen einer er es für hat habe haben hatte ich
        ihr im in ist ja kann kein keine man mehr mein meine mich mir mit nach nicht noch nur oder
        ob schon sein seine sich sie sind so um und uns vom von vor war waren wann warum was
        welche welchem welchen welcher welches wenn wer wessen werden wie wir wird wo wurde zu zum
        zur über""",
    "fr": """au aux avec ce ces cette comme comment dans de des du elle en est et eux fait il ils
        je la le les leur lui mais me mes mon même ne nous on ont ou où par pas plus pour pourquoi
        qu quand que quel quelle quels quelles qui sa sans se ses si son sont sur te tu un une
        vous y à était être""",
    "es": """al algo como con cual cuál cuáles cuando cuándo cuánto cuántos cómo de del donde
        dónde el ella en entre era es esa ese está esta este esto fue ha han hasta hay la las le
        lo los me mi mis muy más no nos o para pero por porque que qué quién se ser si sin sobre
        son su sus también te tiene un una y ya yo""",
    "it": """al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e è
        ed era gli ha ho i il in io la le lo loro ma mi mia mio ne nel nella non per perché più
        quale quando quali quanto questa questo se si sono su sul sulla tra un una uno""",
    "pt": """ao aos as até com como da das de do dos e ela ele em entre era essa esse esta este eu
        foi há isso já mais mas me meu minha muito na não nas no nos o onde os ou para pela pelo
        por porque qual quais quando que quem se sem ser seu sua são também tem um uma você à
        é""",
    "nl": """aan als bij dan dat de deze die dit door een en er geen had heb hebben heeft het hij
        hoe ik in is je kan maar me met mijn naar niet nog of om onder ook op over te tot uit van
        veel voor waar waarom was wat we wel werd wie wij worden zal ze zich zijn zo""",
    "sv": """att av de den det dem detta du där efter eller en ett från för ha hade han har hon
        hur i inte jag kan man med men mig min mot mycket när och om oss på sig sin ska som så
        till under upp var vad vara vi vid är över""",
    "da": """af at blev da de den der det dig dem du efter eller en er et for fra han har havde
        hun hvad hvor hvordan i ikke ind jeg kan man med men mig min mod mange når nu og om op os
        på sig sin skal som så til ud under var ved vi være""",
    "no": """av at ble da de den der det deg dem du etter eller en er et for fra han har hadde hun
        hva hvor hvordan i ikke inn jeg kan man med men meg min mot mange når nå og om opp oss på
        seg sin skal som så til under var ved vi være""",
    "fi": """ei että en hän he ja jo joka jos kanssa koska kuin kun me mikä minä minun mutta myös
        ne niin nyt oli olen olet on ovat se sen siitä sinä tai tämä vain voi""",
    "pl": """ale być był była było czy dla do go ich ja jak jako jest już jeszcze który która
        które kto lub ma mi mnie na nie niż od po pod przez przy są się tak tego tej ten to tu
        tylko we za ze że żeby""",
    "cs": """ale ani aby být byl byla bylo co do jak jako je jeho jen ještě jsem jsou již kde když
        která které který mezi mi na nebo není od po pod pro před při se si tak také ten to tu ve
        za ze že""",
    "tr": """ama ben bir bu bunu çok çünkü da daha de değil diye en gibi göre her için ile ise
        kadar ki mi mı ne neden nasıl olan olarak oldu onun sonra şu ve veya ya""",
    "ro": """acest această al ale am ar au ca care ce cu cum că de din după este eu fi fost în
        între la lui mai nu pe pentru prin și sau se sunt sa său un una unde""",
    "hu": """az és egy hogy nem is de ha van volt meg mint már csak vagy ezt azt ez ami aki ki
        lesz még mert nincs nagyon után minden amikor""",
    "ca": """al amb això com de del dels el els en és ella entre era es està ha han i la les li
        meu molt més no o on per perquè però què qui se seva seu si són també un una""",
    "id": """ada adalah akan aku anda apa atau bagi bahwa bisa dalam dan dapat dari dengan di ia
        ini itu jika juga karena ke kita kami lebih mereka oleh pada saya sebagai sudah tidak
        untuk yang""",
}


def language_of(text: str) -> str | None:
    """The ISO 639-1 code of the language of most of the text; None if it is not clear."""
    text = text[:LONGEST_READ]
    if not text.isascii():
        script = _script_of(text)
        if script != "latin":
            return script and _language_of_script(script, text)
    return _in_latin_script(_APART.sub(" ", text))


def function_words_in(text: str) -> dict[str, frozenset[str]]:
    """The function words of each language in Latin script that a text has."""
    words = frozenset(_WORD.findall(_APART.sub(" ", text[:LONGEST_READ]).casefold()))
    return {code: words & known for code, known in _WORDS_OF.items()}


def _script_of(text: str) -> str | None:
    """The script that most of a text is in; Japanese is Han with some kana."""
    sizes = {"latin": len(_LATIN.findall(text))}
    if sum(map(str.isalpha, text)) > sizes["latin"]:
        for name, weight, characters in _SCRIPTS:
            if found := len(characters.findall(text)):
                sizes[name] = weight * found
    if sizes.get("kana", 0) > 0.1 * sizes.get("han", 0):
        sizes["kana"] = sizes.get("kana", 0) + sizes.pop("han", 0)
    best = max(sizes, key=lambda name: sizes[name])
    return best if sizes[best] else None


def _language_of_script(script: str, text: str) -> str | None:
    if script == "han":
        return "zh"
    if script == "kana":
        return "ja"
    if script == "arabic":
        return "fa" if _PERSIAN.search(text) else "ar"
    if script == "cyrillic":
        if _UKRAINIAN.search(text) and not _RUSSIAN.search(text):
            return "uk"
        return "sr" if _SERBIAN.search(text) and not _RUSSIAN.search(text) else "ru"
    return _BY_SCRIPT[script]


def _in_latin_script(text: str) -> str | None:
    """The language by function words. A word of several languages counts in part for each."""
    words = _WORD.findall(text.casefold())
    counted = Counter(words)
    fits: dict[str, float] = {}
    different: dict[str, int] = {}
    for word in counted.keys() & _LANGUAGES_BY_WORD.keys():
        languages = _LANGUAGES_BY_WORD[word]
        for language in languages:
            fits[language] = fits.get(language, 0.0) + counted[word] / len(languages)
            different[language] = different.get(language, 0) + 1
    if not fits:
        return None
    best, *others = sorted(fits, key=lambda language: -fits[language])
    if different[best] < 2 and not _is_conclusive(_WORDS_OF[best] & counted.keys()):
        return None
    if sum(counted[word] for word in _WORDS_OF[best] & counted.keys()) < LEAST_SHARE * len(words):
        return None
    if others and fits[best] < CLEAR_LEAD * fits[others[0]]:
        return None
    return best


def _is_conclusive(single: frozenset[str] | set[str]) -> bool:
    """Whether a single word proves a language: it is long, and in no other language."""
    return all(len(word) >= 3 and len(_LANGUAGES_BY_WORD[word]) == 1 for word in single)


_WORDS_OF = {code: frozenset(words.split()) for code, words in _FUNCTION_WORDS.items()}
LATIN_LANGUAGES = frozenset(_WORDS_OF)  # those that are told apart by their function words
FUNCTION_WORDS = frozenset().union(*_WORDS_OF.values())  # of all languages


def _languages_by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for code, words in _WORDS_OF.items():
        for word in words:
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


_LANGUAGES_BY_WORD = _languages_by_word()
