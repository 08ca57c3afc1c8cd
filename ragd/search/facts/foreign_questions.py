"""How questions for facts that change are asked in languages other than English and German.

`question_subject` has the topics and the words of English and German, `foreign_statements` how
such facts are stated in other languages. Only words and patterns.
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
            r"|dois|doit|doivent|devons|devais|dettes?|prêtée?s?|emprunt\w*"
            r"|dev(?:o|i|e|ono|iamo|emos|evo|ia|endo)|debit[oi]|prestat[oi]|dívidas?|emprest\w+"
            r"|(?:por |de |da )?devolver(?:le|les)?|pagar(?:le|les)|(?:por|falta|faltam) pagar"
            r"|quedan? por|faltan? por|rembourser|rendre|restituire|ridare|saldare"
        ),
        "weight": _words(
            "pes(?:a|an|o|as|aba|ava|ando)|pès(?:e|ent)|pesait|poids"
            "|(?<=quantos )quilos|(?<=cuántos )kilos|(?<=combien de )kilos|(?<=quanti )chili"
        ),
        "price": _words(
            "cuesta[ns]?|costaba|costó|costano|(?<=quanto )costa|costa (?=il|la|l['’]|un|i|le)"
            "|coût(?:e|ent|ait|é)|cust(?:a|am|ava|ou)"
            "|(?<=cuánto )vale[nm]?|(?<=quanto )vale[nm]?|vaut|precios?|prix|prezz[oi]|preços?"
            "|valor atual|tarif(?:a|fa)?|cuota|mensualidad"
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
        "age": _words("qué edad|cuántos años|quel âge|quanti anni|que idade|quantos anos"),
        "contact": _words(
            "teléfono|móvil|número|correo|contraseña|clave|téléphone|numéro|mot de passe|telefono"
            "|numero|cellulare|telefone|telemóvel|celular|senha"
        ),
    },
    _words("cu[aá]nt[oa]s?|qué edad|combien|quel âge|quant[oiae]|quant[oa]s|que idade|quão"),
    _general(
        "romance",
        "cuanto plata día queda quedan dar dado pagar devolver sigue siguen reste rendre "
        "rembourser payer devo dare resta euro euros fica "
        "mando mandar carta lettre envoyer lettera "
        "valor cara vida",
    ),
    _words("yo|mi|mis|me|peso|pago|gano|vivo|je|j|mon|ma|mes|moi|io|mi[oe]|miei|eu|meus?|minhas?"),
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
            "|in het krijt|krijgt(?=.{0,40} van (?:me|mij))"
        ),
        "weight": _words("weeg|weegt|wegen|gewicht|zwaar"),
        "price": _words("kost(?:en|te)?|prijs|prijzen|betaal|betalen|tarief|contributie"),
        "balance": _pattern(
            r"(?<!\w)(?:hoeveel is|hoe hoog is|wat is|hoeveel bedraagt)(?!\w)"
            r"(?=.{0,80}(?<!\w)(?:huur|salaris|loon|hypotheek|saldo)(?!\w))"
        ),
        "address": _words("woont?|wonen|adres|straat|verhuisd|woon|moet de post"),
        "job": _words("werkt?|werken|baan|beroep|bedrijf|functie"),
        "contact": _words("telefoonnummer|telefoon|nummer van|wachtwoord|mailadres"),
        "age": _words("hoe oud"),
    },
    _words("hoeveel|hoe (?:oud|lang|hoog|groot|ver|vaak|zwaar)"),
    _general("dutch", "krijgt terug betalen voor huidige post heen gewicht prijs"),
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
            r"долж(?:ен|на|ны|но)|не вернул[аи]?|осталось отдать|отдать|долг[аиу]?|долги"
            r"|задолж\w+|занял[аи]?|занимал\w*|одолж\w+"
        ),
        "weight": _words(r"вес(?:ит|ят|у)?|вешу|весил\w*|килограмм\w*|кило"),
        "price": _words(
            r"сто(?:ит|ят|ила?|или|имость)|цен[аы]|обходится|почём|плач[уё]\w*|плат(?:им|ит|ят)"
        ),
        "balance": _pattern(
            r"(?<!\w)(?:какая|какой|какова|какое|сколько)(?!\w)"
            r"(?=.{0,80}(?<!\w)(?:аренд|зарплат|ипотек|квартплат|оклад|пенси))"
        ),
        "address": _words(
            r"жив[уёе]т|живут|жить|отправить письмо|адрес\w*|переехал[аи]?|проживает|улиц[аеу]"
            r"|поселил\w+"
        ),
        "job": _words(
            r"работа(?:ет|ют|ешь|ю|л|ла)?|работ[ауые]|на жизнь|зарабатыва\w+|професси\w+"
            r"|должност\w+|фирм\w+|компани\w+"
        ),
        "age": _words("сколько лет"),
        "contact": _words(r"телефон\w*|номер\w*|парол\w+|почт[аы]"),
    },
    _words("сколько|насколько|как (?:далеко|долго|часто|высоко)"),
    _general(
        "russian",
        "перед письмо отправить килограммов нужно надо отдать вернуть осталось остался рублей руб "
        "месяц",
    ),
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
        "age": _pattern("几岁|多大|多少岁"),
        "contact": _pattern("电话|号码|手机|密码|邮箱"),
    },
    _pattern("多少|几(?:个|岁|次|本|公里)|多(?:大|高|长|远|久|快)"),
    _pattern(
        "我们|他们|她们|你们|现在|目前|如今|最近|今天|当前|一共|总共|到底|请问|还剩|还要|每个?月"
        "|一个月|什么地方|哪个城市|哪里|哪儿|哪家|哪|什么|多少|谁|钱|了吗|是不是"
        "|[我你他她它的了吗呢"
        "吧还在是给从跟每几]"
    ),
    _pattern("我"),
    _pattern("欠我|借给(?!了?我)|还给?了?我|还我"),
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
        "age": _pattern("何歳|いくつ"),
        "contact": _pattern("電話|番号|パスワード|メール"),
    },
    _pattern("いくら|いくつ|何(?:歳|個|回|キロ|人|冊)|どのくらい|どれくらい|どれ位"),
    # All hiragana: particles and endings. Names are usually in other letters.
    _pattern(
        "[\u3040-\u309f]+|今|現在|最近|私|僕|俺|円|金額|残り|お金|金|荷物|送|何|誰|毎月|月額"
        "|[？。、]"
    ),
    _pattern("私|僕|俺|うち"),
    _pattern("貸し(?!てもら|てくれ)|返してもら|返してくれ"),
    is_spaced=False,
)

_BY_GROUP: Mapping[Group, FactLanguage] = {
    "romance": ROMANCE,
    "dutch": DUTCH,
    "russian": RUSSIAN,
    "chinese": CHINESE,
    "japanese": JAPANESE,
}


def names_user(sentence: str, groups: Collection[Group]) -> bool:
    """Whether a sentence without accents is about the user, in one of these languages."""
    return any(one.user.search(sentence) for one in _languages(groups))


def _languages(groups: Collection[Group]) -> list[FactLanguage]:
    return [_BY_GROUP[one] for one in groups]


def fact_language(group: Group) -> FactLanguage:
    return _BY_GROUP[group]
