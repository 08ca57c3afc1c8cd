"""How facts that change are stated in Romance languages and in Dutch. Only words and patterns."""

from ragd.search.facts.statement_patterns import NAME, SUM, ForeignStatements, anywhere, whole_words

_HOUSE = r"(?<![\w.,:])\d{1,4}(?:\s?[a-z])?(?!\w|[.,:]\d)(?!\s?(?:[€$£%]|h\b|uur|euro))"
_PARTICLES = (
    r"(?:(?:de|da|das|do|dos|di|du|des|dei|degli|del|delle|della|dell['’]|la|las|los|el|le|les"
    r"|d['’]|l['’]|il|o)\s?)*"
)
_NOW = (
    r"ahora|ya|aún|todavía|maintenant|désormais|toujours|adesso|ora|ancora|agora|ainda|hoje|oggi"
    r"|hoy|en ce moment|actualmente|actuellement|attualmente|atualmente"
)
_STREET = (
    r"rue|avenue|boulevard|impasse|place|chemin|quai|allée|cours|via|viale|piazza|corso|vicolo"
    r"|calle|avenida|plaza|paseo|camino|ronda|rua|travessa|ladeira|praça|largo|alameda"
)
_ROMANCE_ADDRESS = (
    rf"(?:(?:{_STREET})\s{_PARTICLES}{NAME}"
    rf"(?:\s{_PARTICLES}{NAME}){{0,3}},?\s(?:n[º°.]\s?)?{_HOUSE}"
    rf"|{_HOUSE},?\s(?:{_STREET})\s{_PARTICLES}{NAME})"
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
        "debt": whole_words(
            r"deb(?:o|emos|ía)|adeudo|deudas?|devendo"
            r"|me (?:ha |han )?(?:prestado|dejado|adelantado|prestó|adelantó|prestaron|dejó)"
            r"|(?:pedí|he pedido|pedí a \w+) prestad\w+|quedo debiendo"
            r"|(?:pagué|devolví|transferí|aboné|di|he (?:pagado|devuelto|dado|transferido)|bizum)"
            rf"|(?:me |nos )?(?:quedan?|falta[mn]?|resta[nm]?|fica[m]?|ficando)(?:\s(?:{_NOW}"
            rf"|solo|só"
            rf"|por pagar|por devolver|da pagare|a pagar))*\s{SUM}"
            r"|je (?:lui )?dois|dois|dettes?|m['’]a (?:encore )?(?:prêté|avancé)"
            r"|(?:j['’]ai )?emprunté"
            rf"|(?:j['’]ai )?(?:remboursé|viré)|virement"
            rf"|rendu (?:{SUM}|l['’]argent|une partie|le reste|tout)|emprunt|payé {SUM} à"
            rf"|(?:il )?(?:me |lui )?reste(?:nt)? (?:\w+ ){{0,3}}{SUM}|reste à rembourser"
            r"|quittes|devo|debit[oi]|mi ha (?:ancora )?(?:prestato|anticipato|aiutato)"
            r"|fatt[oa] prestare"
            r"|ho (?:restituito|ridato|pagato|dato|versato|rimborsato|fatto un bonifico)"
            r"|restituit[oa]|ridat[oa]"
            rf"|bonifico|(?:restano|mancano|resta|manca) (?:\w+ ){{0,2}}{SUM}|siamo pari|in pari"
            r"|dívidas?|me (?:emprestou|adiantou)|(?:pedi|peguei) .{0,20}emprestad\w+|emprestad\w+"
            r"|(?:eu )?(?:paguei|devolvi|transferi)|pix|estamos en paz|estamos quites|quites"
            r"|saldad[oa]|saldat[oa]|tudo pago|todo pagado|prestito"
        ),
        "weight": whole_words(
            r"pes(?:a|an|o|as|aba|amos|é|ei|ato|ata)|pesada|pesado|pès(?:e|ent)|poids|pesée|báscula"
            r"|balanza|bilancia|balança|balance|engordado|adelgazado|engordó|adelgazó|grossi|maigri"
            r"|ingrassat\w|dimagrit\w|emagrec\w+|engordou|prende|a pris|ha preso|ha perso|subido"
            r"|bajado"
        ),
        "price": whole_words(
            r"cuesta[ns]?|costaba|costó|costano|costa|coût(?:e|ent|ait|é)|cust(?:a|am|ava|ou)"
            r"|vale[nm]?|vaut|precios?|prix|prezz[oi]|preços?|tarif(?:a|fa|s)?|cuota|mensualidad"
            r"|mensalidade|pag(?:o|amos|a|hiamo|ué|uei|ato)|pa[iy]e[sz]?|payons|payé|subi[dór]\w*"
            r"|suben?|bajad[oa]|baja|bajó|aument\w+|augment\w+|passée?s? à|baiss\w+|salit[oa]"
            r"|sces[oa]|rincar\w*|subiu|caiu|baixou|monte"
            r"|(?:al|por|par|pro|ao|à|a) ?(?:mes|mois|mese|mês)|mensual\w*|quanto é|cuánto es|cher"
            r"|chère|barato|car[oa]|alzat[oa]|bastano|rebajad[oa]|novo valor|factura|facture"
            r"|bolletta|desde ahora|a partir d\w+|d['’]ora in poi|desormais|désormais"
        ),
        "age": whole_words(r"años|ans|anni|anos|cumpl\w+|compie|compiuto|fez \d+|faz \d+|fête ses"),
        "contact": whole_words(
            "teléfono|móvil|número|correo|contraseña|clave|téléphone|numéro|mot de passe|telefono"
            "|numero|cellulare|telefone|telemóvel|celular|senha"
        ),
    },
    whole_words(
        rf"(?:viv(?:e|en|o|imos)|vit|vivent|vis|habit(?:e|ent)|abit(?:a|ano|o)|mor(?:a|am|o)"
        rf"|resid(?:e|en)"
        rf"|logé?e?)(?:\s(?:{_NOW}))*\s(?:en|à|au|aux|a|ad|al|in|na|no|em|dans|chez|rue|calle"
        rf"|via|rua)\s"
        rf"(?:(?:{_STREET}|la|el|los|le|les|lo|il|o|os|as|un|una|une|uma)\s)*{_PARTICLES}"
        rf"(?:\d{{1,4}},?\s\w+\s{_PARTICLES})?{NAME}.*"
        r"|(?:se ha mudado|se mudó|se mudaron|se han mudado|se trasladó|se fue a vivir|mudanza"
        r"|(?:a |ont )?(?:déménagé|emménagé)|déménager|déménagement|s['’]est installée?"
        r"|si è trasferit[oa]"
        r"|trasferit[oa]|ha traslocato|trasloco|se mudou|mudou-se|mudança|foi morar)"
        rf"\s(?:(?:a|para|pra|en|à|au|in|em|dans|vers|da|per)\s)(?:(?:{_STREET}|la|el|le|les|o|a"
        rf"|un\w?)\s)*"
        rf"{_PARTICLES}(?:\d{{1,4}},?\s\w+\s{_PARTICLES})?{NAME}.*"
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
    whole_words(
        r"(?:trabaj(?:a|aba)|travaill(?:e|ait)|bosse|lavora|trabalha"
        r"|(?<!el )(?<!del )(?<!su )(?<!al )"
        r"(?<!un )(?<!il )(?<!suo )(?<!o )(?<!do )(?<!seu )(?:trabajo|lavoro|trabalho))"
        rf"(?:\s(?:{_NOW}))*\s(?:como|de|comme|come|da|en|à|au|aux|chez|para|pour|per|presso|in"
        rf"|a|na|no"
        r"|em|num|numa|dans|al|alla|nel|nella|nell['’])\s?(?!casa\b|noche|nuit|notte"
        r"|noite)\w.*|(?:contratad[oa]|contrató|embauchée?|(?:stat[oa]|hanno|ha) assunt[oa]"
        r"|promovid[oa]|promue?|promoss[oa]|ascendid[oa]|ascendió|fichad[oa]|contrataram"
        r"|embaucher)(?:\s\w+){0,3}?\s(?:como|de|comme|come|par|chez|da|en|à|al?|em"
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
    whole_words(
        r"quiere|quisiera|querría|sueña|ojalá|veut|voudrait|rêve|vuole|vorrebbe|sogna|quer|queria"
        r"|gostaria|sonha|sería|serait|sarebbe|seria|^\W*(?:si|se)(?= \w+ \w+.*,)"
    ),
    whole_words(
        r"me (?:ha |han )?(?:devuelto|devolvió|devolvieron|pagó|pagado|pagaron)|me deb(?:e|en|ía)"
        r"|(?:presté|he prestado|le dejé) .{0,30}\ba|m['’]a (?:rendu|remboursé|payé|viré)"
        r"|j['’]ai prêté|me (?:rembourse|rend|paie|doi(?:t|vent))"
        r"|mi (?:ha (?:restituito|ridato|pagato|dato)|deve)|ho prestato|me (?:devolveu|pagou|deve)"
        r"|(?:devolveu|pagou)-me|emprestei"
    ),
    before=anywhere(
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

_DUTCH_ADDRESS = rf"{NAME}(?:\s{NAME}){{0,2}}\s{_HOUSE}"
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
        "debt": whole_words(
            r"schuldig|schuld bij|mijn schuld|schulden|van \w+(?: \w+){0,3} geleend|geleend van"
            r"|heeft (?:me|mij) .{0,30}(?:geleend|voorgeschoten)|voorgeschoten|in het krijt"
            r"|(?:terugbetaald|teruggegeven|overgemaakt|afgelost|betaald) (?:aan|bij)"
            rf"|{SUM} (?:terugbetaald|teruggegeven|overgemaakt|betaald|afgelost)"
            rf"|(?:nog|resterende?|blijft|rest:) {SUM}|{SUM} (?:over|te gaan|te betalen)|quitte"
            rf"|alles betaald"
            r"|alles (?:terugbetaald|afgelost)|restant|geen schuld|bijgelegd|rekening opgemaakt"
        ),
        "weight": whole_words(
            "weeg|weegt|woog|gewogen|gewicht|zwaarder|lichter|weegschaal|aangekomen"
            "|afgevallen|dierenarts|dieet"
        ),
        "price": whole_words(
            r"kost(?:en|te)?|prijs|prijzen|betaal|betaald?e?|betalen|tarief|contributie|duurder"
            r"|goedkoper|gestegen|verhoogd?|omhoog|opslag|verlaagd|omlaag"
            r"|per (?:maand|jaar|week|keer)|voortaan|vanaf nu"
        ),
        "age": whole_words("jaar|jarig|geworden|verjaardag"),
        "contact": whole_words("telefoonnummer|nummer|telefoon|wachtwoord|mailadres|mobiel"),
    },
    whole_words(
        rf"(?:woont?|wonen)(?:\s(?:nu|nog|sinds \w+|tegenwoordig|weer))*\s(?:in|op|aan|te|bij)\s"
        rf"(?:(?:de|het)\s)?{NAME}.*"
        rf"|(?:verhuisd|verhuist|verhuizen|ingetrokken)\s(?:naar|in|op)\s(?:(?:de|het)\s)?{NAME}.*"
        rf"|naar\s{NAME}(?:\s{NAME})?\s(?:verhuisd|verhuist).*"
        r"|.*(?:adres|huis|thuis|woning|flat|kamer|kaartje|post|brief|dozen|verhuis\w*|vanaf nu"
        r"|woont?)"
        rf"(?!\w).*?{_DUTCH_ADDRESS}.*"
    ),
    whole_words(
        r"(?:werkt|werkte|werkzaam|werk)(?:\s(?:nu|tegenwoordig|weer|sinds \w+"
        r"|als \w+))*\s(?:als|bij"
        r"|voor|in het|in een|op het|op een)\s(?!school gaan)\w.*"
        r"|(?:aangenomen|begonnen|gepromoveerd|benoemd|gestart)(?:\s\w+){0,2}?\s(?:als|bij"
        r"|tot)\s\w.*"
        r"|nieuwe (?:baan|functie).*|van baan veranderd.*|baan(?: gevonden)? (?:als|bij).*"
        rf"|is(?:\s(?:nu|tegenwoordig|weer|sinds \w+))*\s(?:een\s)?{_DUTCH_PROFESSION}.*"
        r"|(?:met|op) pensioen|werkloos|ontslagen"
    ),
    whole_words("wil|zou|droomt|hoopt|^\\W*(?:als|indien)"),
    whole_words(
        r"(?:me|mij|ons) (?:\S+ ){0,4}(?:terugbetaald|teruggegeven|overgemaakt|schuldig)"
        r"|(?:is|zijn) (?:\w+ ){0,3}(?:mij|me|ons) (?:\S+ ){0,3}schuldig"
        r"|ik (?:heb|had) (?!.* van ).*geleend|heb ik (?!.* van ).*geleend"
    ),
    before=anywhere(
        r"(?<!\w)(?:zus(?:je)?|broer(?:tje)?|moeder|vader|man|vrouw|vriend(?:in)?|zoon|dochter"
        r"|neef|nicht|oom"
        r"|tante|baas|collega|buur\w+|hond|kat)\s(?:van|bij)\s$"
    ),
    after=anywhere(
        r"^(?:['’]?s)\s(?:zus|broer|moeder|vader|man|vrouw|vriend\w*|zoon|dochter|baas)"
    ),
)
