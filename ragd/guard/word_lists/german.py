"""The German words. Data only."""

from ragd.guard.word_lists import WordList

GERMAN = WordList(
    health="""
    medikament*, *medikamente, *medikamenten, medizinische*, arznei*, tablette, tabletten,
    schlaftablett*, therapie*, *therapie, therapeut*, therapi*, psychotherap*, psychiat*,
    psychologe, psychologen, psychologin, psychologinnen, psychisch*, psychose*, psychosom*,
    depressi*, deprimier*, angststörung*, angstzust*, angstattack*, panikattack*, panikstörung*,
    todesangst, suizid*, selbstmord*, selbstverletz*, mich umbringen, mich geritzt, ritze mich,
    diagnose, diagnosen, diagnostizier*, verschrieben, verschreibt, verschreibung*, dosis,
    dosierung*, überdosis, insulin*, chemotherapie*, chemo, bestrahlung*, biopsie*, tumor*,
    *krebs, krebs, krebsdiagnose, krebserkrank*, leukämie, metastase*, hiv, fehlgeburt*,
    schwanger*, schwangerschaft*, abtreib*, kinderwunschbehandlung*, wechseljahre*,
    schlafstörung*, schlaflos*, migräne*, bipolar*, borderline*, schizo*, adhs, autis*, asperger*,
    ptbs, traumatis*, trauma*, essstörung*, magersucht, magersüchtig*, bulimi*, süchtig*,
    suchtkrank*, suchtberat*, alkoholi*, alkoholkrank*, alkoholsucht, entzug, entzugsklinik*,
    rückfällig*, krankenhaus*, klinik*, operiert, symptom*, blutdruck*, blutzucker*, blutwert*,
    blutbild*, cholesterin*, diabet*, zuckerkrank*, asthma*, epilep*, demenz*, alzheimer*,
    parkinson*, schlaganfall*, herzinfarkt*, krankgeschrieben, krankschreib*, krankmeldung*,
    erkrank*, burnout*, burn out, ausgebrannt, nervenzusammenbruch*, hausarzt*, hausärzt*,
    frauenarzt*, frauenärzt*, facharzt*, arzttermin*, onkologe*, onkologin*, kardiologe*,
    kardiologin*, neurologe*, neurologin*, urologe*, urologin*, schmerzmittel*, antidepress*,
    stimmungsschwank*, geweint, weine ständig, weinkrampf*, weinen müssen, mrt, röntgen*,
    ultraschall*, knoten in der brust, panik, panisch*, angst, ängste, entziehungskur*,
    entgiftung*, ritzen, meine tage sind, meine periode, regelschmerz*, verhütung*, antibabypille,
    der arzt, die ärztin, beim arzt, zum arzt, mein arzt, meine ärztin, befund, befunde,
    laborbefund*, laborwert*, diagnosegespräch*, anpassungsstörung*, persönlichkeitsstörung*,
    belastungsstörung*, reha, kur, pflegegrad*, pflegestufe*, pflegeheim*, sterbehilfe, hospiz*,
    behinder*, schwerbehindert*, rollstuhl*, herzrasen, herzschwäche, herzprobleme, kopfschmerz*,
    rückenschmerz*, bauchschmerz*, schmerzen, allergi*, infektion*, entzünd*, fieber, erbrochen,
    erbrechen, durchfall, covid*, corona, geimpft, impfung*, übergewicht*, abgenommen, zugenommen,
    gewogen, einsam, einsamkeit, verkatert, betrunken, zu viel getrunken, leber, niere, nieren,
    schilddrüse*, gebärmutter*, prostata*, physiotherap*, krankengymnast*, hörgerät*, albträume,
    alpträume, selbsthass, hasse mich, minderwertig*, panische angst, angst vor menschen,
    niedergeschlagen*
    """,
    financial_debt="""
    schulde, schuldest, schuldet, schuldete, schuldeten, schulden, *schulden, verschulde*,
    überschuld*, verschuldung*, gläubiger*, kredit, kredite, krediten, kredits, kreditkarte*,
    kreditrate*, *kredit, *kredite, darlehen*, *darlehen, hypothek*, dispo, dispokredit*,
    überzogen, kontostand*, kontoauszug*, mahnung, mahnungen, mahnbescheid*, mahngebühr*,
    inkasso*, gerichtsvollzieh*, pfänd*, insolvenz*, insolvent*, pleite, bankrott*, bezahlt,
    bezahle, bezahlen, bezahlst, bezahlte, abbezahl*, zurückgezahlt, zurückzahl*, zurückbezahl*,
    abgezahlt, abzahl*, ratenzahl*, monatsrate*, geld ausgegeben, zu viel ausgegeben,
    ausgegeben für, geld ausgeben, ausgaben, gehalt, gehälter, gehaltserhöh*, lohn, löhne,
    monatslohn, stundenlohn, nettolohn, einkommen, miete, mietrückst*, mieterhöh*, nebenkosten*,
    geld geliehen, geld leihen, geld verliehen, leihe mir, leiht mir, lieh mir, lieh ihm,
    lieh ihr, geborgt, ersparn*, ersparte*, spielschuld*, unterhalt, unterhaltszahl*, überweis*,
    steuerschuld*, steuernachzahl*, schulden*, lohnerhöh*, verdiene, verdient weniger,
    verdient mehr, raten für, raten fürs, die raten, geld reicht, geld fehlt, mein geld,
    unser geld, sein geld, ihr geld, sparkonto*, spareinlage*, bafög, bürgergeld, hartz,
    arbeitslos*, jobcenter, gekündigt worden, entlassen worden, abfindung*, rente,
    rentenbescheid*, erbe, geerbt, erbschaft*, steuerbescheid*, finanzamt, bußgeld*, strafzettel,
    kaution*, vermieter*, rückstand, ratenkauf, kontopfänd*, zinsen, bürgschaft*, bürge, lotto,
    verspielt, wette verloren, aktien, geldsorgen, geldnot, geldprobleme, kein geld,
    zu wenig geld, kann mir nicht leisten, nicht leisten können, rechnung bezahl*
    """,
    relations="""
    scheidung*, scheiden lassen, lassen uns scheiden, lässt sich scheiden, lasse mich scheiden,
    geschieden*, mein ex, meine ex, meinem ex, meiner ex, meinen ex, ex freund*, exfreund*,
    ex mann, exmann*, ex frau, exfrau*, affäre*, fremdgegangen, fremdgehen, geht fremd,
    ging fremd, fremdgeh*, seitensprung*, betrügt mich, betrogen hat, hat mich betrogen, untreu*,
    eheberat*, paartherap*, paarberat*, ehekrise*, beziehungskrise*, beziehungsprobl*,
    sorgerecht*, schluss gemacht, schluss machen, macht schluss, trennung von meine*,
    trennung von ihm, trennung von ihr, uns getrennt, getrennt lebend, hat mich verlassen,
    meine ehe, unsere ehe, unserer ehe, häusliche gewalt, hat mich geschlagen, liebeskummer*,
    will die trennung, wegen der trennung, nach der trennung, trennung ist, ausgezogen,
    meine frau, mein mann, meinem mann, meiner frau, mein freund hat mich,
    meine freundin hat mich, schwiegermutter, schwiegervater, streit mit, gestritten, zerstritten,
    unsere beziehung, meine beziehung, in der beziehung, kontakt abgebrochen, geküsst, geliebte*,
    liebhaber, one night stand, dating app*, verliebt in
    """,
    sections={
        "health": "gesundheit, psyche, psychische gesundheit, mentale gesundheit, therapie,"
        " medikamente, medikation, symptome, diagnose, diagnosen, krankheit, krankheiten,"
        " seelische gesundheit, körperliche gesundheit, krankenakte",
        "financial_debt": "schulden, kredite, gehalt",
        "relations": "beziehung, beziehungen, ehe, partnerschaft, scheidung, liebesleben",
    },
    harmless={
        "bezahlt": (r"\bbezahlt (?:gemacht|machen)\b|\bmach(?:t|te|en) sich bezahlt\b",),
        "diagnose": (
            r"\bdiagnosen? (?:des|der|von|im|eines|einer) (?:\w+ )?(?:fehlers?|problems?|netzes"
            r"|netzwerks?|servers?|programms?|absturzes|software|bugs?|lecks?|speichers?|motors?)\b",
        ),
        "symptom": (
            r"\bsymptome? (?:des|der|von|eines|einer) (?:\w+ )?(?:fehlers?|problems?|bugs?"
            r"|programms?|absturzes|krise|wandels?)\b",
        ),
        "krankenh": (
            r"\bkrankenh(?:aus|äuser) (?:im|in dem|des) (?:film|roman|buch|serie|stück)\w*",
        ),
        "therapie": (
            r"\btherapie (?:für|gegen) (?:\w+ ){0,2}(?:code|programme?|software|server|prozesse"
            r"|fehler|rechner|computer)\b",
        ),
        "krebs": (
            r"\bder krebs (?:lebt|frisst|wohnt|häutet|läuft)\b|\bsternzeichen krebs\b",
            r"\bkrebs (?:im|am) (?:wasser|meer|strand|bach|fluss)\b|\bwendekreis\w* des krebs",
            r"\b(?:fluss|strand|tiefsee|taschen|einsiedler|speise|edel)krebs\b",
        ),
        "lohn": (r"\blohn der (?:mühen?|angst|arbeit)\b|\bmühe lohn\b",),
        "süchtig": (r"\bsüchtig nach (?:diese\w*|schokolade|kaffee|dem spiel|der serie)\b",),
        "überzogen": (
            r"\büberzogene? (?:ausdrücke?|erwartung(?:en)?|kritik|vergleich\w*)\b"
            r"|\bbett überzogen\b",
        ),
        "bipolar": (r"\bbipolare\w* (?:transistor|verteilung|schrittmotor)\w*",),
        "tablette": (r"\btabletten? in (?:der|die) spülmaschine\b|\bspülmaschinentab\w*",),
        "gehalt": (
            r"\bgehalt (?:des|der|eines) (?:gedichts?|textes|romans?|stücks?|werkes?|films?)\b",
        ),
        "arzt": (r"\b(?:der|ein) arzt (?:im|in dem|in der) (?:krimi|film|roman|buch|serie)\b",),
        "panik": (r"\bpanik auf der titanic\b|\bkein(?:e)? panik\b",),
        "angst": (r"\bkeine angst\b|\bangst(?:hase|gegner)\w*",),
        "ausgezogen": (r"\b(?:schuhe|jacke|mantel|stiefel|hose) (?:\w+ )?ausgezogen\b",),
        "dosis": (r"\bdosis (?:humor|glück|geduld|sonne|koffein|ironie)\b",),
        "verliebt": (
            r"\bverliebt in (?:die|das|den|diese\w*) (?:stadt|idee|lied|insel|landschaft|gitarre"
            r"|app)\b",
        ),
    },
)
