"""How facts that change are stated in languages other than English and German.

A wrong match marks a true statement as outdated, so every pattern needs a word that says what the
sentence is about: a verb of living before a place, a known profession, a payment by the user. Only
words and patterns; `superseding` decides.
"""

import re
from collections.abc import Collection, Mapping

from msgspec import Struct

from ragd.notes.late_pattern import LatePattern
from ragd.search.query.question_language import Group
from ragd.search.ranking.amounts import AMOUNT_PATTERN

_NAME = r"(?-i:[A-ZÀ-ÞА-Я])[\w'’.-]*"
_HOUSE = r"(?<![\w.,:])\d{1,4}(?:\s?[a-z])?(?!\w|[.,:]\d)(?!\s?(?:[€$£%]|h\b|uur|euro))"
_PARTICLES = (
    r"(?:(?:de|da|das|do|dos|di|du|des|dei|degli|del|delle|della|dell['’]|la|las|los|el|le|les"
    r"|d['’]|l['’]|il|o)\s?)*"
)
_SUM = rf"(?:R?(?:{AMOUNT_PATTERN}))"


class ForeignStatements(Struct, frozen=True):
    """Statements in one language, or in a few that are alike.

    `words`: words that a statement of a topic has, beside its value. `home`, `work`: the whole
    statement. `before`, `after`: around a subject that the sentence is not about: "la sœur de".
    `unreal`: wishes and conditions. `to_user`: somebody owes the user money, or gave it back.
    """

    words: Mapping[str, LatePattern]
    home: LatePattern
    work: LatePattern
    unreal: LatePattern
    to_user: LatePattern
    before: LatePattern | None = None
    after: LatePattern | None = None


def _words(text: str) -> LatePattern:
    return LatePattern(rf"(?<!\w)(?:{text})(?!\w)", re.I)


def _anywhere(text: str) -> LatePattern:
    return LatePattern(text, re.I)


_NOW = (
    r"ahora|ya|aún|todavía|maintenant|désormais|toujours|adesso|ora|ancora|agora|ainda|hoje|oggi"
    r"|hoy"
    r"|en ce moment|actualmente|actuellement|attualmente|atualmente"
)
_STREET = (
    r"rue|avenue|boulevard|impasse|place|chemin|quai|allée|cours|via|viale|piazza|corso|vicolo"
    r"|calle|avenida|plaza|paseo|camino|ronda|rua|travessa|ladeira|praça|largo|alameda"
)
_ROMANCE_ADDRESS = (
    rf"(?:(?:{_STREET})\s{_PARTICLES}{_NAME}"
    rf"(?:\s{_PARTICLES}{_NAME}){{0,3}},?\s(?:n[º°.]\s?)?{_HOUSE}"
    rf"|{_HOUSE},?\s(?:{_STREET})\s{_PARTICLES}{_NAME})"
)
_ROMANCE_PROFESSION = (
    r"(?:enferme[ri]|infirmi|infermier|profess|profesor|maestr|docente|instit|médic|médec|medic"
    r"|dottor"
    r"|doctor|abogad|avocat|avvocat|advogad|ingenier|ingénieur|ingegner|engenheir|contabl|contad"
    r"|comptabl|contabil|cocin|cuisini|cuoc|cozinheir|chef|carpint|menuisi|falegnam|periodist"
    r"|journalist|giornalist|jornalist|program|développeu|sviluppat|desarrollad|conductor|chauffeur"
    r"|autist|motorist|camarer|serveu|camerier|garço|vended|vendeu|vendit|commess|dependient"
    r"|libr|livreir|bibliot|arquitect|architect|architett|arquitet|electricist|électricien"
    r"|elettricist|eletricist|fontaner|plombier|idraulic|encanad|peluquer|coiffeu|parrucchi"
    r"|cabeleireir|traduc|tradutt|tradut|direct|diret|gerent|gérant|polic|poliziott|bomber|pompier"
    r"|bombeir|panader|boulang|panettier|padeir|científic|scientifi|scienziat|cientist|veterinari"
    r"|vétérinair|farmac|pharmac|dentist|psic|psychologue|fisioterap|kiné|secretari|secrétair"
    r"|segretari|secretári|funcionari|fonctionnair|impiegat|emplead|empregad|estudiant|étudiant"
    r"|studente|artist|músic|musicien|musicist|fotógraf|photograph|fotograf|jardin|giardini"
    r"|agricult|mecánic|mécanicien|meccanic|pilot|soldad|soldat)\w{0,8}"
)
_ROMANCE_DAY = (
    r"(?:\s(?:(?:el|este|ce|na|il)\s)?(?:lunes|lundi|lunedì|segunda-feira|segunda|hoy|hier|ayer"
    r"|ieri"
    r"|ontem)(?:\sdernier)?)?"
)

ROMANCE = ForeignStatements(  # Spanish, French, Italian, Portuguese
    {
        "debt": _words(
            r"deb(?:o|emos|ía)|adeudo|deudas?|devendo"
            r"|me (?:ha |han )?(?:prestado|dejado|adelantado|prestó|adelantó|prestaron|dejó)"
            r"|(?:pedí|he pedido|pedí a \w+) prestad\w+|quedo debiendo"
            r"|(?:pagué|devolví|transferí|aboné|di|he (?:pagado|devuelto|dado|transferido)|bizum)"
            rf"|(?:me |nos )?(?:quedan?|falta[mn]?|resta[nm]?|fica[m]?|ficando)(?:\s(?:{_NOW}"
            rf"|solo|só"
            rf"|por pagar|por devolver|da pagare|a pagar))*\s{_SUM}"
            r"|je (?:lui )?dois|dois|dettes?|m['’]a (?:encore )?(?:prêté|avancé)"
            r"|(?:j['’]ai )?emprunté"
            rf"|(?:j['’]ai )?(?:remboursé|viré)|virement|rendu (?:{_SUM}|l['’]argent|une partie"
            rf"|le reste|tout)|emprunt"
            rf"|payé {_SUM} à|(?:il )?(?:me |lui )?reste(?:nt)? (?:\w+ ){{0,3}}{_SUM}"
            rf"|reste à rembourser"
            r"|quittes|devo|debit[oi]|mi ha (?:ancora )?(?:prestato|anticipato|aiutato)"
            r"|fatt[oa] prestare"
            r"|ho (?:restituito|ridato|pagato|dato|versato|rimborsato|fatto un bonifico)"
            r"|restituit[oa]|ridat[oa]"
            rf"|bonifico|(?:restano|mancano|resta|manca) (?:\w+ ){{0,2}}{_SUM}|siamo pari|in pari"
            r"|dívidas?|me (?:emprestou|adiantou)|(?:pedi|peguei) .{0,20}emprestad\w+|emprestad\w+"
            r"|(?:eu )?(?:paguei|devolvi|transferi)|pix|estamos en paz|estamos quites|quites"
            r"|saldad[oa]"
            r"|saldat[oa]|tudo pago|todo pagado|prestito"
        ),
        "weight": _words(
            r"pes(?:a|an|o|as|aba|amos|é|ei|ato|ata)|pesada|pesado|pès(?:e|ent)|poids|pesée"
            r"|báscula|balanza"
            r"|bilancia|balança|balance|engordado|adelgazado|engordó|adelgazó|grossi|maigri"
            r"|ingrassat\w"
            r"|dimagrit\w|emagrec\w+|engordou|prende|a pris|ha preso|ha perso|subido|bajado"
        ),
        "price": _words(
            r"cuesta[ns]?|costaba|costó|costano|costa|coût(?:e|ent|ait|é)|cust(?:a|am|ava|ou)"
            r"|vale[nm]?|vaut|precios?|prix|prezz[oi]|preços?|tarif(?:a|fa|s)?|cuota|mensualidad"
            r"|mensalidade|pag(?:o|amos|a|hiamo|ué|uei|ato)|pa[iy]e[sz]?|payons|payé"
            r"|subi[dór]\w*|suben?"
            r"|bajad[oa]|baja|bajó|aument\w+|augment\w+|passée?s? à|baiss\w+|salit[oa]|sces[oa]"
            r"|rincar\w*"
            r"|subiu|caiu|baixou|monte|(?:al|por|par|pro|ao|à|a) ?(?:mes|mois|mese|mês)|mensual\w*"
            r"|quanto é|cuánto es|cher|chère|barato|car[oa]|alzat[oa]|bastano|rebajad[oa]"
            r"|novo valor|factura|facture|bolletta|desde ahora|a partir d\w+|d['’]ora in poi"
            r"|desormais|désormais"
        ),
        "age": _words(r"años|ans|anni|anos|cumpl\w+|compie|compiuto|fez \d+|faz \d+|fête ses"),
        "contact": _words(
            "teléfono|móvil|número|correo|contraseña|clave|téléphone|numéro|mot de passe|telefono"
            "|numero|cellulare|telefone|telemóvel|celular|senha"
        ),
    },
    _words(
        rf"(?:viv(?:e|en|o|imos)|vit|vivent|vis|habit(?:e|ent)|abit(?:a|ano|o)|mor(?:a|am|o)"
        rf"|resid(?:e|en)"
        rf"|logé?e?)(?:\s(?:{_NOW}))*\s(?:en|à|au|aux|a|ad|al|in|na|no|em|dans|chez|rue|calle"
        rf"|via|rua)\s"
        rf"(?:(?:{_STREET}|la|el|los|le|les|lo|il|o|os|as|un|una|une|uma)\s)*{_PARTICLES}"
        rf"(?:\d{{1,4}},?\s\w+\s{_PARTICLES})?{_NAME}.*"
        r"|(?:se ha mudado|se mudó|se mudaron|se han mudado|se trasladó|se fue a vivir|mudanza"
        r"|(?:a |ont )?(?:déménagé|emménagé)|déménager|déménagement|s['’]est installée?"
        r"|si è trasferit[oa]"
        r"|trasferit[oa]|ha traslocato|trasloco|se mudou|mudou-se|mudança|foi morar)"
        rf"\s(?:(?:a|para|pra|en|à|au|in|em|dans|vers|da|per)\s)(?:(?:{_STREET}|la|el|le|les|o|a"
        rf"|un\w?)\s)*"
        rf"{_PARTICLES}(?:\d{{1,4}},?\s\w+\s{_PARTICLES})?{_NAME}.*"
        rf"|(?:viv(?:e|en|o)|habit(?:e|ent)|abit(?:a|ano|o)|mor(?:a|am|o)|está|tá|sta|installée?"
        rf"|loge)"
        rf"(?:\s(?:{_NOW}))*(?:\s(?:en|à|au|a|al|in|na|no|em|ao))?(?:\s(?:la|el|le|o|a))?\s"
        rf"{_ROMANCE_ADDRESS}.*"
        r"|.*(?:dirección|domicilio|adresse|indirizzo|endereço|chez|casa|piso|apart\w+|appart\w+"
        r"|maison"
        r"|carta|lettre|courrier|lettera|tarjeta|carte|cartolina|cartão|cajas|cartons|scatoloni"
        r"|caixas"
        rf"|mudanza|mudança|déménag\w+|trasloc\w+|a partir de ahora|desde (?:ahora|hoy|esta)"
        rf"|{_NOW}).*?"
        rf"{_ROMANCE_ADDRESS}.*"
    ),
    _words(
        r"(?:trabaj(?:a|aba)|travaill(?:e|ait)|bosse|lavora|trabalha"
        r"|(?<!el )(?<!del )(?<!su )(?<!al )"
        r"(?<!un )(?<!il )(?<!suo )(?<!o )(?<!do )(?<!seu )(?:trabajo|lavoro|trabalho))"
        rf"(?:\s(?:{_NOW}))*\s(?:como|de|comme|come|da|en|à|au|aux|chez|para|pour|per|presso|in"
        rf"|a|na|no"
        r"|em|num|numa|dans|al|alla|nel|nella|nell['’])\s?(?!casa\b|noche|nuit|notte|noite)\w.*"
        r"|(?:contratad[oa]|contrató|embauchée?|(?:stat[oa]|hanno|ha) assunt[oa]|promovid[oa]"
        r"|promue?|promoss[oa]"
        r"|ascendid[oa]|ascendió|fichad[oa]|contrataram|embaucher)(?:\s\w+){0,3}?\s(?:como|de"
        r"|comme|come|par|chez|da|en|à|al?|em"
        rf"|na|no)\s?(?!l?e?l?a? ?cas)\w.*"
        rf"|(?:empez\w+|entró|commencé|cominciat\w+|iniziat\w+|começ\w+|arrancó){_ROMANCE_DAY}"
        rf"(?:\s(?:a (?:trabajar|travailler|lavorare|trabalhar)|à travailler))?{_ROMANCE_DAY}"
        rf"\s(?:como|de|comme|come|da)\s(?:un[ae]?\s)?{_ROMANCE_PROFESSION}.*"
        rf"|(?:es|est|è|é|está de|tá de|fa (?:il|la|lo|l['’])|devenue?|diventat[oa]|virou)\s?"
        rf"(?:(?:{_NOW})\s)*(?:(?:un[ae]?|uma?|l['’]|il|la|le)\s)?{_ROMANCE_PROFESSION}.*"
        rf"|(?:{_NOW})\s(?:es|est|è|é)\s(?:un[ae]?\s|uma?\s)?{_ROMANCE_PROFESSION}.*"
        r"|(?:nuevo|nueva|nouveau|nouvel|nuovo|novo)\s(?:trabajo|empleo|puesto|poste|travail|boulot"
        r"|emploi|lavoro|impiego|emprego|trabalho)\s?(?:para|de|pour|per|di|do|da|d['’]|:).*"
        r"|(?:trabalho|emprego) novo.*|(?:cambi(?:ado|ó) de|changé de|cambiato|mudou de"
        r"|trocou de)\s"
        r"(?:trabajo|empleo|travail|boulot|lavoro|emprego|trabalho).*"
        r"|(?:trabajo|travail|boulot|lavoro|trabalho|emprego)\s?:\s\w.*"
        r"|contrato de trabajo.*|contrat de travail.*|contratto di lavoro.*"
        r"|jubilad[oa]|se jubiló|en paro|(?:à la )?retraitée?|au chômage|pensionat[oa]|in pensione"
        r"|disoccupat[oa]|aposentad[oa]|aposentou-se|se aposentou|desempregad[oa]|despidieron"
        r"|licenciée?|licenziat[oa]|demitid[oa]"
    ),
    _words(
        r"quiere|quisiera|querría|sueña|ojalá|veut|voudrait|rêve|vuole|vorrebbe|sogna|quer|queria"
        r"|gostaria|sonha|sería|serait|sarebbe|seria|^\W*(?:si|se)(?= \w+ \w+.*,)"
    ),
    _words(
        r"me (?:ha |han )?(?:devuelto|devolvió|devolvieron|pagó|pagado|pagaron)|me deb(?:e|en|ía)"
        r"|(?:presté|he prestado|le dejé) .{0,30}\ba|m['’]a (?:rendu|remboursé|payé|viré)"
        r"|j['’]ai prêté"
        r"|me (?:rembourse|rend|paie|doi(?:t|vent))|mi (?:ha (?:restituito|ridato|pagato|dato)"
        r"|deve)"
        r"|ho prestato|me (?:devolveu|pagou|deve)|(?:devolveu|pagou)-me|emprestei"
    ),
    before=_anywhere(
        r"(?<!\w)(?:herman[oa]|madre|padre|mamá|papá|marido|mujer|espos[oa]|novi[oa]|hij[oa]s?"
        r"|prim[oa]|tí[oa]"
        r"|jef[ea]|amig[oa]s?|vecin[oa]|abuel[oa]|sœur|soeur|frère|mère|père|mari|femme|copine?"
        r"|fils"
        r"|fille|cousine?|tante|oncle|patron|amie?s?|voisine?|sorella|fratello|mamma|papà|marito"
        r"|moglie"
        r"|figli[oa]|cugin[oa]|zi[oa]|capo|amic[oa]|irmã|irmão|mãe|pai|esposa|filh[oa]|chefe"
        r"|vizinh[oa]"
        r"|trabajo|travail|lavoro|trabalho|perro|gato|chien|chat|cane|gatto|cachorro)"
        r"\s(?:de(?: la| el)?|d['’]|du|di|del|della|dell['’]|da|do)\s?$"
    ),
)

_DUTCH_ADDRESS = rf"{_NAME}(?:\s{_NAME}){{0,2}}\s{_HOUSE}"
_DUTCH_PROFESSION = (
    r"\w*(?:leraar|lerares|docent\w*|verpleeg\w+|verpleger|arts|dokter|chauffeur|bestuurder"
    r"|programmeur|ontwikkelaar|boekhoud\w+|kok|timmer\w+|loodgieter|elektricien|bakker|slager"
    r"|kapper|kapster|journalist\w*|schrijver|bibliothecar\w+|advocaat|ingenieur|architect\w*|tolk"
    r"|vertaler|manager|directeur|directrice|verkop\w+|ober|serveerster|agent|brandweer\w+|soldaat"
    r"|piloot|dierenarts|apotheker|tandarts|psycholoog|secretar\w+|ambtenaar|student\w*|kunstenaar"
    r"|muzikant\w*|fotograaf|tuinman|hovenier|boer|monteur|schoonmaker|bewaker|conducteur|makelaar"
    r"|verloskundige|redacteur|onderzoeker|analist|adviseur|consultant)"
)
DUTCH = ForeignStatements(
    {
        "debt": _words(
            r"schuldig|schuld bij|mijn schuld|schulden|van \w+(?: \w+){0,3} geleend|geleend van"
            r"|heeft (?:me|mij) .{0,30}(?:geleend|voorgeschoten)|voorgeschoten|in het krijt"
            r"|(?:terugbetaald|teruggegeven|overgemaakt|afgelost|betaald) (?:aan|bij)"
            rf"|{_SUM} (?:terugbetaald|teruggegeven|overgemaakt|betaald|afgelost)"
            rf"|(?:nog|resterende?|blijft|rest:) {_SUM}|{_SUM} (?:over|te gaan|te betalen)"
            rf"|quitte|alles betaald"
            r"|alles (?:terugbetaald|afgelost)|restant|geen schuld|bijgelegd|rekening opgemaakt"
        ),
        "weight": _words(
            "weeg|weegt|woog|gewogen|gewicht|zwaarder|lichter|weegschaal|aangekomen"
            "|afgevallen|dierenarts|dieet"
        ),
        "price": _words(
            r"kost(?:en|te)?|prijs|prijzen|betaal|betaald?e?|betalen|tarief|contributie|duurder"
            r"|goedkoper|gestegen|verhoogd?|omhoog|opslag|verlaagd|omlaag|per (?:maand|jaar|week"
            r"|keer)"
            r"|voortaan|vanaf nu"
        ),
        "age": _words("jaar|jarig|geworden|verjaardag"),
        "contact": _words("telefoonnummer|nummer|telefoon|wachtwoord|mailadres|mobiel"),
    },
    _words(
        rf"(?:woont?|wonen)(?:\s(?:nu|nog|sinds \w+|tegenwoordig|weer))*\s(?:in|op|aan|te|bij)\s"
        rf"(?:(?:de|het)\s)?{_NAME}.*"
        rf"|(?:verhuisd|verhuist|verhuizen|ingetrokken)\s(?:naar|in|op)\s(?:(?:de|het)\s)?{_NAME}.*"
        rf"|naar\s{_NAME}(?:\s{_NAME})?\s(?:verhuisd|verhuist).*"
        r"|.*(?:adres|huis|thuis|woning|flat|kamer|kaartje|post|brief|dozen|verhuis\w*|vanaf nu"
        r"|woont?)"
        rf"(?!\w).*?{_DUTCH_ADDRESS}.*"
    ),
    _words(
        r"(?:werkt|werkte|werkzaam|werk)(?:\s(?:nu|tegenwoordig|weer|sinds \w+"
        r"|als \w+))*\s(?:als|bij"
        r"|voor|in het|in een|op het|op een)\s(?!school gaan)\w.*"
        r"|(?:aangenomen|begonnen|gepromoveerd|benoemd|gestart)(?:\s\w+){0,2}?\s(?:als|bij"
        r"|tot)\s\w.*"
        r"|nieuwe (?:baan|functie).*|van baan veranderd.*|baan(?: gevonden)? (?:als|bij).*"
        rf"|is(?:\s(?:nu|tegenwoordig|weer|sinds \w+))*\s(?:een\s)?{_DUTCH_PROFESSION}.*"
        r"|(?:met|op) pensioen|werkloos|ontslagen"
    ),
    _words("wil|zou|droomt|hoopt|^\\W*(?:als|indien)"),
    _words(
        r"(?:me|mij|ons) (?:\S+ ){0,4}(?:terugbetaald|teruggegeven|overgemaakt|schuldig)"
        r"|(?:is|zijn) (?:\w+ ){0,3}(?:mij|me|ons) (?:\S+ ){0,3}schuldig"
        r"|ik (?:heb|had) (?!.* van ).*geleend|heb ik (?!.* van ).*geleend"
    ),
    before=_anywhere(
        r"(?<!\w)(?:zus(?:je)?|broer(?:tje)?|moeder|vader|man|vrouw|vriend(?:in)?|zoon|dochter"
        r"|neef|nicht|oom"
        r"|tante|baas|collega|buur\w+|hond|kat)\s(?:van|bij)\s$"
    ),
    after=_anywhere(
        r"^(?:['’]?s)\s(?:zus|broer|moeder|vader|man|vrouw|vriend\w*|zoon|dochter|baas)"
    ),
)

_RUSSIAN_PROFESSION = (
    r"(?:учител|врач|медсестр|медбрат|повар|водител|программист|бухгалтер|инженер|юрист|адвокат"
    r"|журналист|директор|менеджер|продав|библиотекар|архитектор|электрик|механик|дизайнер"
    r"|переводчи"
    r"|парикмахер|художни|музыкант|плотник|сварщик|учён|преподавател|секретар|охранник|строител"
    r"|тренер|психолог|стоматолог|ветеринар|фармацевт|пенсионер|студент|садовник|флорист"
    r"|репорт[её]р"
    r"|аналитик|официант|курьер|пекар|л[её]тчик|полицейск|пожарн)\w*"
)
RUSSIAN = ForeignStatements(
    {
        "debt": _words(
            r"долж(?:ен|на|ны)|долг[аиу]?|долги|задолж\w+|занял[аи]?|взял[аи]? (?:в долг|взаймы|у)"
            r"|одолжил[аи]? мне|мне одолжил[аи]?|выручил[аи]?|(?:^|(?<=[:.,] ))\W*(?:я |ещё "
            r"|снова )*"
            r"(?:вернул|отдал|перев[её]л|заплатил|выплатил|погасил)[аи]?"
            rf"|(?:осталось|остался|осталась|ещё) (?:\w+ ){{0,2}}{_SUM}|в расч[её]те|квиты"
        ),
        "weight": _words(
            r"вес(?:ит|ят|у|ом)?|вешу|весил\w*|взвес\w+|взвешив\w+|весах|весы|килограмм\w*"
            r"|поправил\w*"
            r"|похудел\w*|набрал\w*|потолстел\w*"
        ),
        "price": _words(
            r"сто(?:ит|ят|ила?|или|имость)|цен[аыу]|плач[уё]\w*|плат(?:им|ит|ят|а)|подорожал\w*"
            r"|подешевел\w*|повысил\w*|поднял\w*|снизил\w*|обходится|в месяц|теперь|скидк\w+"
        ),
        "address": _words(r"адрес\w*|гост\w+|новосель\w+|живёт|квартир\w+"),
        "age": _words(r"лет|год[а]?|исполн\w+"),
        "contact": _words(r"телефон\w*|номер\w*|парол\w+|почт[аы]"),
    },
    _words(
        rf"(?:жив[её]т|живут|живу|проживает|переехал[аи]?|перебрал\w+"
        rf"|поселил\w+)(?:\s[\w-]+){{0,2}}?\s"
        rf"(?:в|во|на)\s{_NAME}.*"
        rf"|(?:снимает|снял[аи]?|купил[аи]?)\s(?:квартиру|дом|комнату)\s(?:в|на)\s{_NAME}.*"
        r"|.*(?:адрес\w*|квартир\w*|гост\w+|новосель\w+|переезд\w*|дом[ауе]?|письмо"
        r"|посылк\w+)(?!\w)"
        rf".*?{_NAME}[^.]{{0,40}}?,\s?(?:(?:д\.?|дом)\s?)?\d{{1,4}}.*"
    ),
    _words(
        r"работа(?:ет|ю|ют|л|ла)(?:\s(?:теперь|сейчас|уже))*\s(?:в|во|на|у|\w+(?:ом|ем|ой|ей))\s?.*"
        r"|(?:устроил\w+|трудится)(?:\s\w+)?\s(?:в|на|\w+(?:ом|ем|ой|ей)).*"
        rf"|(?:стал[аи]?|назначили|повысили до|взяли|перешла?"
        rf"|перешёл)\s(?:\w+\s)?{_RUSSIAN_PROFESSION}.*"
        r"|(?:взяли|приняли)\s(?:на работу|в штат).*|(?:взяли|приняли)\s\w+(?:ом|ем|ой|ей)\s(?:в"
        r"|на)\s.*"
        r"|переш\w+\s(?:работать|на работу|на новую работу|в компани\w+|в фирму).*"
        rf"|(?:теперь|сейчас|уже|[—–-])\s(?:\w+\s)?{_RUSSIAN_PROFESSION}.*"
        r"|на пенси[июя]|без работы|уволил\w+|сменил[аи]? работу.*|новая работа.*"
    ),
    _words(r"хочет|хотел[аи]?|мечтает|бы|^\W*(?:если|вдруг)"),
    _words(
        r"мне (?:\S+ ){0,3}(?:вернул|отдал|долж)\w*|(?:вернул|отдал)[аи]? мне|долж\w+ мне"
        r"|дал[аи]? (?:\S+ ){0,2}в долг|я одолжил[аи]?|одолжил[аи]? (?:ему|ей|им)"
    ),
    before=_anywhere(
        r"(?<!\w)(?:сестр|брат|мам|мать|пап|отец|отц|муж|жен|сын|доч|друг|подруг|начальни|сосед"
        r"|бабушк|дедушк"
        r"|т[её]т|дяд)\w{0,4}\s$"
    ),
)

CHINESE = ForeignStatements(
    {
        "debt": _anywhere(
            r"欠(?!我)|(?:向|跟|找|从).{1,8}借|借给(?:了)?我|借了(?!我)|(?:^|[：:，, 。]|我|今天"
            r"|又|刚|已经|先)还"
            r"(?:了|给|清|完|掉)|(?:^|[：:，, 。]|我|今天|又|刚|先)(?:转|付)(?:了|给)|还(?:剩|差"
            r"|要还)|两清|还清"
            r"|不欠|剩下"
        ),
        "weight": _anywhere(
            "体重|秤|(?:现在|已经|降到|长到|有)\\s?(?=\\d)|[轻重]了|[胖瘦]|称|磅秤|长到|有多重"
            "|重(?=\\d)|公斤(?!的)"
        ),
        "price": _anywhere(
            "价|费用|涨|降|[交付缴]了?|每[月年周次]|一个月|月费|要花|贵了|便宜|多少钱|收费|改成"
            "|变成|[要是按到]\\s?(?=\\d)"
        ),
        "age": _anywhere("岁"),
        "contact": _anywhere("电话(?:是|：|:|号码|改)|号码|手机号|密码|邮箱"),
    },
    _anywhere(
        r"住在(?!院|家)|现住|住址|搬到|搬去|搬进|搬至|搬家(?:去|到)|家在|地址[是：:改]"
        r"|[路街巷弄]\d{1,5}号"
    ),
    _anywhere(
        r"在.{1,20}(?:工作|上班|任职)|去.{1,20}上班|(?:当上|升任|升为|入职|跳槽到?|被聘为)"
        r"|(?:成为|当|做|是|转做).{0,10}(?:师|员|医生|教授|经理|主任|司机|厨|律师|总监|会计|记者"
        r"|教练|护士|校长)"
        r"|新?工作[是：:]|换了?(?:新)?工作|加入.{1,12}(?:公司|集团|银行|医院|团队|工作室)"
        r"|(?:退休|失业|辞职)了?"
    ),
    _anywhere("想要?|希望|打算|如果|要是|假如"),
    _anywhere("欠我|借给(?!了?我)|还给?了?我|还我"),
    after=_anywhere(
        r"^的?(?:妹妹|姐姐|哥哥|弟弟|爸爸?|妈妈?|父亲|母亲|妻子|老婆|丈夫|老公|儿子|女儿|朋友"
        r"|同事|老板|邻居"
        r"|表|堂|奶奶|爷爷|叔|阿姨)"
    ),
)

_JAPANESE_PROFESSION = (
    r"(?:[師者員長家士官工]|ナー|マー|ター|ラー|医者|先生|教授|看護|運転手|経理|料理人|店員|職人"
    r"|記者|プログラマ)"
)
JAPANESE = ForeignStatements(
    {
        "debt": _anywhere(
            r"借り|借金|立て替え|貸してもら|貸してくれ|(?:に|へ)[^。、が]{0,20}(?:返した|返す"
            r"|返済|払った|振り込|送金)"
            r"|返済|完済|全額返|残り"
        ),
        "weight": _anywhere(
            "体重|重さ|重量|[太痩]っ|痩せ|太っ|減っ|減量|増え|ダイエット|量った|測った|は(?:今"
            "|もう)?\\s?(?=\\d)|もう(?=\\d)|(?:kg|キロ)(?:だった|になった|まで|。|$)"
        ),
        "price": _anywhere(
            "値段|料金|価格|費用|月謝|会費|値上|値下|上が|下が|払っ|支払|月額|毎月|円に|円だった"
            "|変わ|[はが](?=\\d)"
        ),
        "address": _anywhere("家|引っ越|新居|住所"),
        "age": _anywhere("歳|才"),
        "contact": _anywhere("電話番号|番号|パスワード|メール"),
    },
    _anywhere(
        r"に住(?:ん|み|む)|[へに]引っ越|に移り住|住所[は：:、が]|転居"
        r"|(?:家|宅|部屋|引っ越|手紙|荷物|はがき"
        r"|新居).{0,30}[市区町村][^\d。時間円]{1,10}\d{1,4}(?:番地?|丁目|-\d|(?=[。、]|$))"
    ),
    _anywhere(
        r"で働|に勤め|勤務|に転職|に入社|に就職|に昇進"
        rf"|{_JAPANESE_PROFESSION}(?:になっ|として|をし(?:て|始)|だ(?:そうだ|って|よ)?(?=[。、]|$))"
        r"|仕事[はが：:].{1,30}|転職|退職|無職|失業|定年"
    ),
    _anywhere("たい(?:と|。|$|そう)|つもり|もし|だったら"),
    _anywhere("返してもら|返してくれ|貸し(?!てもら|てくれ)|が[^。、]{0,20}返し"),
    after=_anywhere(
        r"^(?:さん|くん|ちゃん|先輩)?の(?:妹|姉|兄|弟|父|母|妻|奥さん|夫|旦那|息子|娘|友|上司"
        r"|同僚|おじ|おば|彼女"
        r"|彼氏|犬|猫)"
    ),
)

_BY_GROUP: Mapping[Group, ForeignStatements] = {
    "romance": ROMANCE,
    "dutch": DUTCH,
    "russian": RUSSIAN,
    "chinese": CHINESE,
    "japanese": JAPANESE,
}


def names_fact(topic: str, sentence: str, groups: Collection[Group]) -> bool:
    """Whether a sentence has a word that statements of the topic have, in one of the languages."""
    found = (_BY_GROUP[one].words.get(topic) for one in groups)
    return any(words.search(sentence) for words in found if words is not None)


def states_home(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence states where somebody lives, in one of these languages."""
    return any(_BY_GROUP[one].home.search(sentence) for one in groups)


def states_work(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence states the work of somebody, in one of these languages."""
    return any(_BY_GROUP[one].work.search(sentence) for one in groups)


def is_unreal(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence is a wish or a condition, in one of these languages."""
    return any(_BY_GROUP[one].unreal.search(sentence) for one in groups)


def is_owed_to_user(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence is about money that the user lent, or got back."""
    return any(_BY_GROUP[one].to_user.search(sentence) for one in groups)


def relative_of(before: str, after: str, groups: Collection[Group]) -> str:
    """The word for a relative, if the subject between these texts only says whose sister or boss is
    meant; else empty."""
    for one in (_BY_GROUP[group] for group in groups):
        match = (one.before and one.before.search(before)) or (
            one.after and one.after.search(after)
        )
        if match:
            return match.group()
    return ""


NOTHING_OWED = (
    r"estamos en paz|(?:todo|deuda) (?:pagad[oa]|saldad[oa])|no le debo nada|ya no le debo"
    r"|nous sommes quittes|je ne (?:lui )?dois plus rien|tout (?:payé|remboursé)|siamo pari"
    r"|non (?:(?:gli|le) )?devo più (?:niente|nulla)|ne dois plus rien|geen schuld meer"
    r"|saldato tutto|estamos quites|não devo (?:mais )?nada|tudo pago"
    r"|we staan quitte|alles (?:terug)?betaald|niets meer schuldig|в расч[её]те"
    r"|мы квиты|больше (?:ничего )?не долж\w+|вернул[аи]? вс[её]"
)
NOTHING_OWED_UNSPACED = "两清|还清|付清|不欠|完済|全額返"
