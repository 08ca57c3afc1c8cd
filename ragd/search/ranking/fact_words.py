"""Words for facts that change, in languages other than English and German. Only data.

`question_subject` has the topics and the words of English and German. What is written here is used
only if the question or the sentence is in one of these languages (`language_group`).
"""

import re
import unicodedata
from collections.abc import Collection, Mapping

from msgspec import Struct

from ragd.notes.late_pattern import LatePattern
from ragd.search.query.question_language import FUNCTION_WORDS, Group

_MARKS = re.compile("[\u0300-\u036f]")


class FactLanguage(Struct, frozen=True):
    """How questions for facts are asked in one language, or in a few that are alike.

    `asked`: finds a topic in a question. `any_number`: "how much", "how old". `general`: words that
    name neither a topic nor a subject. `user`: "I", "my". `to_user`: somebody owes the user money.
    `what_for`: the purpose of a debt, which a note about a repayment may not repeat. `is_spaced`:
    there are spaces between words. The patterns are for text without accents (`without_accents`).
    """

    asked: Mapping[str, LatePattern]
    any_number: LatePattern
    general: LatePattern
    user: LatePattern
    to_user: LatePattern
    what_for: LatePattern | None = None
    is_spaced: bool = True


def _pattern(text: str) -> LatePattern:
    return LatePattern(_plain(text))


def _words(text: str) -> LatePattern:
    """One of these as whole words."""
    return _pattern(rf"(?<!\w)(?:{text})(?!\w)")


def _plain(text: str) -> str:
    """An expression in the form of text without accents."""
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


def _general(group: Group, more: str) -> LatePattern:
    """The function words of a group of languages, and these."""
    return _words("|".join(dict.fromkeys(f"{FUNCTION_WORDS[group]} {more}".split())))


_REGULAR_SUM = (
    "alquiler|renta|sueldo|salario|nómina|hipoteca|loyer|salaire|affitto|stipendio|mutuo|aluguel"
    "|salário|saldo|solde"
)

ROMANCE = FactLanguage(  # Spanish, French, Italian, Portuguese
    {
        "debt": _words(
            r"deb(?:o|es?|en|emos|ía|íamos)|deudas?|adeud\w+|prest(?:é|ó|ado|aron|aste)"
            r"|dois|doit|doivent|devons|devais|dettes?|prêtée?s?|emprunt\w*|avancée?s?|dejado|adelant\w+"
            r"|dev(?:o|i|e|ono|iamo|emos|evo|ia|endo)|debit[oi]|prestat[oi]|dívidas?|emprest\w+"
            r"|(?:por |de |da )?devolver(?:le|les)?|pagar(?:le|les)|(?:por|falta|faltam) pagar"
            r"|quedan? por|faltan? por|rembourser|rendre|restituire|ridare|saldare"
        ),
        "weight": _words(
            "pes(?:a|an|o|as|aba|ava|ando)|pès(?:e|ent)|pesait|poids|kilos?|chili|quilos?"
        ),
        "price": _words(
            "cuesta[ns]?|costaba|costó|costano|(?<=quanto )costa|costa (?=il|la|l['’]|un|i|le)"
            "|coût(?:e|ent|ait|é)|cust(?:a|am|ava|ou)"
            "|vale[nm]?|vaut|precios?|prix|prezz[oi]|preços?|tarif(?:a|fa)?|cuota|mensualidad"
            "|mensalidade|viene|pag(?:o|amos|a|hiamo|as)|pa[iy]e[sz]?|payons"
        ),
        "balance": _pattern(
            rf"(?<!\w)(?:cuál|cuánto|qué|quel(?:le)?|combien|qual[e]?|quanto|quant)(?:['’]?è| es"
            rf"| est| é| è| hay| há)?(?!\w)(?=.{{0,80}}(?<!\w)(?:{_REGULAR_SUM})(?!\w))"
        ),
        "address": _words(
            "viv(?:e|en|es|ía|o|emos)|vive(?:nt)?|vit|vivono|dirección|domicilio|calle"
            "|habit(?:e|ent|es|ait)|adresse|rue|abit(?:a|ano|i|o)|indirizzo|via|rua"
            "|mor(?:a|am|ava|as)|endereço|resid(?:e|en|em|iert)|se mudó|déménagé|trasferit[oa]"
        ),
        "job": _words(
            r"trabaj\w+|empleo|empresa|se dedica|puesto|oficio|travail\w*|boulot|emploi|métier"
            r"|bosse|(?:dans la|da|de la) vi[ed]a?|si occupa"
            r"|entreprise|poste|lavor\w+|mestiere|impiego|azienda|trabalh\w+|emprego|profiss\w+"
            r"|profesión|profession\w*|ditta"
        ),
        "contact": _words(
            "teléfono|móvil|número|correo|contraseña|clave|téléphone|numéro|mot de passe|telefono"
            "|numero|cellulare|telefone|telemóvel|celular|senha"
        ),
    },
    _words("cu[aá]nt[oa]s?|qué edad|combien|quel âge|quant[oiae]|quant[oa]s|que idade|quão"),
    _general(
        "romance",
        "cuanto plata día queda quedan dar dado pagar devolver sigue siguen reste rendre "
        "rembourser payer devo dare resta euro euros fica",
    ),
    _words("yo|mi|mis|me|peso|pago|gano|vivo|je|j|mon|ma|mes|moi|io|mi[oae]|miei|eu|meus?|minhas?"),
    _words(
        "(?:me|nos) deb(?:e|en|ía|ían)|(?:me|nous) doi(?:t|vent)|(?:mi|ci) dev(?:e|ono)"
        "|(?:me|nos) dev(?:e|em)|(?:le|les|te) presté|(?:lui|leur|gli|le) (?:ai prêté|ho prestato)"
        "|j['’]ai prêté|emprestei|ho prestato"
    ),
    _words("(?:por|para|pour|per).*"),
)

DUTCH = FactLanguage(
    {
        "debt": _words(
            "schuldig|schuld(?:en)?|geleend|leende|lenen|terugbetalen|aflossen|voorgeschoten"
            "|in het krijt|krijgt (?:[^\\W\\d_]+ ){0,3}(?:nog )?van (?:me|mij)"
        ),
        "weight": _words("weeg|weegt|wegen|gewicht|zwaar"),
        "price": _words("kost(?:en|te)?|prijs|prijzen|betaal|betalen|tarief|contributie"),
        "balance": _pattern(
            r"(?<!\w)(?:hoeveel is|hoe hoog is|wat is|hoeveel bedraagt)(?!\w)"
            r"(?=.{0,80}(?<!\w)(?:huur|salaris|loon|hypotheek|saldo)(?!\w))"
        ),
        "address": _words("woont?|wonen|adres|straat|verhuisd|woon"),
        "job": _words("werkt?|werken|baan|beroep|bedrijf|functie"),
        "contact": _words("telefoonnummer|telefoon|nummer|wachtwoord|mailadres"),
    },
    _words("hoeveel|hoe (?:oud|lang|hoog|groot|ver|vaak|zwaar)"),
    _general("dutch", "krijgt terug betalen voor"),
    _words("ik|mijn|mij|me|wij|we|ons|onze"),
    _words(
        r"(?:is|zijn) (?:[^\W\d_]+ ){0,3}(?:mij|me|ons) (?:nog )?(?:\S+ ){0,2}schuldig"
        r"|(?:mij|me|ons) (?:nog )?(?:\S+ ){0,3}schuldig|(?:heb|had) ik (?:[^\W\d_]+ ){1,2}geleend"
    ),
    _words("(?:voor|vanwege).*"),
)

RUSSIAN = FactLanguage(
    {
        "debt": _words(
            r"долж(?:ен|на|ны|но)|долг[аиу]?|долги|задолж\w+|занял[аи]?|занимал\w*|одолж\w+"
        ),
        "weight": _words(r"вес(?:ит|ят|у)?|вешу|весил\w*|килограмм\w*|кило"),
        "price": _words(r"сто(?:ит|ят|ила?|или|имость)|цен[аы]|почём|плач[уё]\w*|плат(?:им|ит|ят)"),
        "balance": _pattern(
            r"(?<!\w)(?:какая|какой|какова|какое|сколько)(?!\w)"
            r"(?=.{0,80}(?<!\w)(?:аренд|зарплат|ипотек|квартплат|оклад|пенси))"
        ),
        "address": _words(
            r"жив[уёе]т|живут|жить|адрес\w*|переехал[аи]?|проживает|улиц[аеу]|поселил\w+"
        ),
        "job": _words(
            r"работа(?:ет|ют|ешь|ю|л|ла)?|работ[ауые]|на жизнь|зарабатыва\w+|професси\w+"
            r"|должност\w+|фирм\w+|компани\w+"
        ),
        "contact": _words(r"телефон\w*|номер\w*|парол\w+|почт[аы]"),
    },
    _words("сколько|насколько|как (?:далеко|долго|часто|высоко)"),
    _general("russian", "нужно надо отдать вернуть осталось остался рублей руб месяц"),
    _words(r"я|мне|меня|мой|моя|моё|мою|моего|моей|мы|нас|наш\w*|вешу|плачу|живу"),
    _words(
        r"мне (?:[^\W\d_]+ ){0,3}долж(?:ен|на|ны)|долж(?:ен|на|ны) мне|я одолжил\w*"
        r"|дал[аи]? в долг|одолжил[аи]? (?:ему|ей|им)"
    ),
    _words("(?:за|для).*"),
)

CHINESE = FactLanguage(
    {
        "debt": _pattern("欠|债|借了?|[该要]还|还清|还完"),
        "weight": _pattern("体重|有?多重|有?(?:几|多少)公?斤|重量"),
        "price": _pattern("要?[花交付]?多少钱|价格|价钱|费用|花费|几块|[要交]多少|涨到多少"),
        "balance": _pattern("多少(?=.{0,20}(?:房租|租金|工资|薪水|余额))|余额"),
        "address": _pattern("住址|地址|住在?|搬到?|寄(?:快递|东西|信|到)+"),
        "job": _pattern("工作|上班|职业|公司|做什么|职位|干什么"),
        "contact": _pattern("电话|号码|手机|密码|邮箱"),
    },
    _pattern("多少|几(?:个|岁|次|本|公里)|多(?:大|高|长|远|久|快)"),
    _pattern(
        "我们|他们|她们|你们|现在|目前|如今|最近|今天|当前|一共|总共|到底|请问|还剩|还要|每个?月"
        "|一个月|什么地方|哪个城市|哪里|哪儿|哪家|哪|什么|多少|谁|钱|了吗|是不是|[我你他她它的了吗呢"
        "吧还在是给从跟每几]"
    ),
    _pattern("我"),
    _pattern("欠我|借给(?!我)"),
    is_spaced=False,
)

JAPANESE = FactLanguage(
    {
        "debt": _pattern("借り|借金|返さ|返済|返せ"),
        "weight": _pattern("体重|重さ|重量|何キロ|何kg|量った|測った"),
        "price": _pattern("いくら|値段|料金|価格|費用|月謝|会費"),
        "balance": _pattern("(?:いくら|何円)(?=.{0,20}(?:家賃|給料|残高))|残高"),
        "address": _pattern("住ん|住所|住まい|引っ越|転居"),
        "job": _pattern("働い|働く|勤め|仕事|職業|会社|職場"),
        "contact": _pattern("電話|番号|パスワード|メール"),
    },
    _pattern("いくら|いくつ|何(?:歳|個|回|キロ|人|冊)|どのくらい|どれくらい|どれ位"),
    # All hiragana: particles and endings. Names are usually in other letters.
    _pattern(
        "[\u3040-\u309f]+|今|現在|最近|私|僕|俺|円|金額|残り|お金|金|荷物|送|何|誰|毎月|月額|[？。、]"
    ),
    _pattern("私|僕|俺|うち"),
    _pattern("貸し"),
    is_spaced=False,
)

_BY_GROUP: Mapping[Group, FactLanguage] = {
    "romance": ROMANCE,
    "dutch": DUTCH,
    "russian": RUSSIAN,
    "chinese": CHINESE,
    "japanese": JAPANESE,
}

# Values of statements, as they are written: `stated_values` has those of English and German.
LIVES = (
    r"viv(?:e|en|o|ía|ono)|vit|habit(?:e|ent|ait)|abit(?:a|ano|o)|mor(?:a|am|ava)|resid(?:e|en)"
    r"|mud[óo]|mudaron|mudou(?:-se)?|[dé]ménagée?|emménagée?|trasferit[oaie]|trasloc\w+|calle|rue"
    r"|via|rua|dirección|adresse|indirizzo|endereço|woont|wonen|woon|verhuisd|adres"
    r"|жив[её]т|живут|живу|переехал[аи]?|перебрал\w+|адрес|снимает|снял[аи]?"
)
STREET = (
    r"rue|avenue|boulevard|impasse|place|chemin|quai|allée|via|viale|piazza|corso|vicolo|calle"
    r"|avenida|plaza|paseo|camino|rua|travessa|ladeira|praça|largo|alameda|straat|laan|ул\.|улиц[аеы]"
    r"|проспект\w?|пер\.|переул\w+|наб\.|ш\."
)
IN = "en|à|a|au|aux|in|na|no|em|para|al|dans|vers|te|naar|в|во|на|calle|rue|via|rua"
ARTICLE = "la|las|los|el|le|les|il|lo|o|os|as|de|het|calle|rue|via|rua|город|улиц[еу]"
RUSSIAN_STREET = "улиц[аеу]|проспект\\w?|переул\\w+|площад\\w+|шоссе|набережн\\w+"
LIVES_UNSPACED = (
    r"(?:住在?|搬到|搬去|搬进|搬至|地址[是：:]?)\s?[^\s。，？]|[路街道巷弄]\d{1,5}号?"
    r"|\w(?:に住|へ引っ越|に引っ越|に移)|住所[は：:、]|[市区町村].{0,12}\d"
)
HOME = (
    r"dirección|domicilio|casa|piso|apartamento|mudanza|mudado|mudou|carta|adresse|chez|maison"
    r"|appartement|déménag\w+|emménag\w+|indirizzo|appartamento|traslo\w+|trasferi\w+|endereço|adres"
    r"|huis|thuis|verhui\w+|woon\w*|woning|kaartje|post|адрес\w*|дом[ауе]?|квартир\w+|гост\w+"
    r"|новосель\w+|переезд\w*|перее\w+|письмо|посылк\w+"
)
HOME_UNSPACED = "家|宅|址|住"
BEFORE_ADDRESS = (
    "está|ahora|vive|en|est|maintenant|à|au|è|ora|adesso|a|al|agora|na|no|em|nu|vanaf nu|op|aan|in"
    "|теперь|сейчас|на|в|la|le|il"
)
WISH = (
    r"quiere|querría|sueña|ojalá|veut|voudrait|rêve|vuole|vorrebbe|sogna|quer|queria|sonha|wil|zou"
    r"|droomt|хочет|хотел[аи]?|мечтает|бы"
)
WISH_UNSPACED = "想|希望|たい|つもり"
WORKS = (
    r"trabaj(?:a|an|o|aba|ará|ando)|contrat\w+|ascend\w+|empez\w+|travaill(?:e|es|ent|ait|era)"
    r"|embauch(?:ée?|er)|promue?|devenue?|commencé|lavor(?:a|o|ava|ano|ando|erà)|assunt[oa]"
    r"|promoss[oa]|diventat[oa]|cominciat\w+|iniziat\w+|trabalh(?:a|am|o|ava|ando|ará)|começ\w+"
    r"|promovid[oa]|werkt|werkte|werk (?:nu |tegenwoordig )?(?=als|bij|voor)|begonnen|aangenomen"
    r"|работа(?:ет|ют|ю|л|ла|ли|ть)|устроил\w+|стал[аи]?|переш\w+|повысили|назначили|трудится|взяли"
)
AS = (
    "como|de|en|para|comme|chez|au|à|dans|come|da|per|presso|in|alla|na|no|em|als|bij|voor"
    "|в|во|на|у|[а-я]{3,20}(?:ом|ем|ой)"
)
ROLES = (
    r"jubilad[oa]|se jubiló|en paro|retraitée?|au chômage|pensionat[oa]|in pensione|disoccupat[oa]"
    r"|aposentad[oa]|aposentou-se|desempregad[oa]|met pensioen|werkloos|на пенси[июя]|без работы"
    r"|уволил\w+|(?:nuevo|nueva|nouveau|nuovo|novo) (?:trabajo|empleo|puesto|poste|travail|lavoro"
    r"|emprego)|emprego novo|trabalho novo|nieuwe baan|(?:cambiato|mudou de|changé de|cambió de)"
    r" (?:lavoro|emprego|travail|trabajo|boulot)|van baan veranderd|сменил[аи]? работу|новая работа"
    # "Ana es enfermera", "Jan is nu leraar op": a profession after "is", without an article.
    r"|(?:es|est|è|é|теперь|сейчас)(?: (?:ahora|maintenant|ora|adesso|agora))?"
    r" \w{2,}(?:or|ora|ero|era|ista|ario|aria|ière?|eur|euse|rice|tore|aio|[gl]og[oae]?|ienne|ien"
    r"|chef|abile|ame|nte|ник|ист|тель|арь|ёр|ер|вар|олог)"
    r"|is(?: nu| tegenwoordig)? \w{3,}(?:aar|man|vrouw|eur|er|ist|kok|kundige)"
    r" (?:bij|op|aan|in het|in een)"
)
WORKS_UNSPACED = (
    r"在.{1,20}(?:工作|上班|任职|当|做)|去.{1,20}上班|新?工作[是：:]"
    r"|换了?工作|(?:当上?|成为|升任|升为|入职|加入|跳槽到?|转到)\s?\w|退休|失业|辞职"
    r"|\w(?:で働|に勤め|勤務|に転職|に入社|に就職|に昇進)"
    r"|[師者員長家士官手職人屋医生工んー]になっ|として働|[師者員長家士官手職人屋医生工んー]をしている"
    r"|転職|退職|無職|失業"
)
NOTHING_OWED = (
    r"estamos en paz|(?:todo|deuda) (?:pagad[oa]|saldad[oa])|no le debo nada|ya no le debo"
    r"|nous sommes quittes|je ne (?:lui )?dois plus rien|tout (?:payé|remboursé)|siamo pari"
    r"|non (?:(?:gli|le) )?devo più (?:niente|nulla)|ne dois plus rien|geen schuld meer"
    r"|saldato tutto|estamos quites|não devo (?:mais )?nada|tudo pago"
    r"|we staan quitte|alles (?:terug)?betaald|niets meer schuldig|в расч[её]те"
    r"|мы квиты|больше (?:ничего )?не долж\w+|вернул[аи]? вс[её]"
)
NOTHING_OWED_UNSPACED = "两清|还清|付清|不欠|完済|全額返"

_PAYING = _words(
    r"pagu?[éo]|pag(?:ado|amos|ou|uei|ato|ata|ati|hato|are|ar|ando)|abon\w+|devolv\w+|devuelt\w+"
    r"|quedan?|resto|restan?|saldad[oa]s?|saldat[oa]|liquid\w+|pay(?:é|er|ées?)|rembours\w+"
    r"|rend(?:u|s|ue)|reste(?:nt)?|restituit\w+|ridat[oi]|mancano|manca|falta[mn]?|quit(?:te|es)"
    r"|vir(?:é|ement)|bonifico|transfer\w+|betaald?e?|terugbetaald|terug|resterende|afgelost"
    r"|overgemaakt"
    r"|верну\w*|отда(?:л|ла|ли|м|ть)|запла\w+|выплат\w+|перевел\w*|остал\w+|остается|погаси\w*"
    r"|рассчита\w+"
)
_PAYING_UNSPACED = _pattern("欠|还|借|付|转|剩|返|払|残|振り込|送金")
# Money that somebody gives back to the user.
_GIVEN_BACK = _pattern(
    r"(?<!\w)(?:me (?:ha |han )?(?:devol\w+|devuelto|pag(?:ó|ado|aron))"
    r"|m['’]a (?:rendu|remboursé|payé)|mi ha (?:restituito|ridato|pagato)|me (?:devolveu|pagou)"
    r"|(?:heeft )?mij (?:\S+ ){0,3}terug|мне (?:\S+ ){0,2}(?:вернул|отдал)[аи]?"
    r"|(?:вернул|отдал)[аи]? мне)(?!\w)|还给?我|返してくれ"
)


def names_fact(topic: str, sentence: str, groups: Collection[Group]) -> bool:
    """Whether a sentence without accents has a word for the topic in one of these languages. For a
    debt, words for paying are enough."""
    if (
        groups
        and topic == "debt"
        and (_PAYING.search(sentence) or _PAYING_UNSPACED.search(sentence))
    ):
        return True
    languages = _languages(groups)
    return any(one.asked[topic].search(sentence) for one in languages if topic in one.asked)


def names_user(sentence: str, groups: Collection[Group]) -> bool:
    """Whether a sentence without accents is about the user, in one of these languages."""
    return any(one.user.search(sentence) for one in _languages(groups))


def is_owed_to_user(sentence: str, groups: Collection[Group]) -> bool:
    """Whether a sentence without accents is about money that the user lent, or got back."""
    if groups and _GIVEN_BACK.search(sentence):
        return True
    return any(one.to_user.search(sentence) for one in _languages(groups))


def _languages(groups: Collection[Group]) -> list[FactLanguage]:
    return [_BY_GROUP[one] for one in groups]


def language_of(group: Group) -> FactLanguage:
    return _BY_GROUP[group]
