"""The French words. Data only."""

from ragd.guard.word_lists import WordList

FRENCH = WordList(
    health="""
    médicament*, médication*, antidépress*, thérapie*, thérapeut*, psychothérap*, psychiatr*,
    psychologue*, mon psy, ma psy, chez le psy, dépression, dépressions, dépressif*, dépressive*,
    déprim*, anxiété*, anxieux, anxieuse*, angoiss*, crise de panique, crises de panique,
    attaque de panique, suicid*, automutil*, diagnostiqu*, ordonnance*, pilules, somnifère*,
    chimiothérap*, chimio, tumeur*, cancer*, leucémie, vih, sida, fausse couche*, enceinte,
    avortement*, avorter, grossesse*, insomnie*, migraine*, bipolaire*, schizo*, tdah, autis*,
    traumatis*, anorexi*, boulimi*, alcoolique*, alcoolisme, sevrage, rechute*, hospitalis*,
    à l'hôpital, chirurgi*, symptôme*, tension artérielle, cholestérol, diabèt*, diabét*, asthm*,
    épilep*, arrêt maladie, burnout, la dose, traitement, mon médecin, le médecin, clinique,
    pleuré, pleure tous, règles en retard, irm, maladie, malade, douleur*, fièvre, allergi*,
    infection, vaccin*, handicap*, solitude, je me déteste, santé mentale
    """,
    financial_debt="""
    dette, dettes, endett*, surendett*, créancier*, emprunt, emprunts, emprunté*, emprunter,
    prêté de l'argent, prêter de l'argent, prêté des sous, dois de l'argent, doit de l'argent,
    me doit, lui dois, leur dois, crédit immobilier, carte de crédit, hypothèque*, à découvert,
    découvert bancaire, payé, payés, paye le, paie le, payer le loyer, loyer, loyers, rembours*,
    salaire*, dépensé, dépensée, dépenses, dépenser, faillite*, huissier*, impayé*,
    compte bancaire, pension alimentaire, factures, facture, payer mes, payer ma, payer le,
    le crédit, un crédit, mon crédit, crédit refusé, banque a refusé, sans argent, plus d'argent,
    impôts, chômage, licencié*, hérité*, héritage, amende, retraite de, épargne, fauché, fauchée,
    argent emprunté
    """,
    relations="""
    divorc*, ex mari*, ex femme*, mon ex, ma ex, ex copain*, ex copine*, infidèle*, infidélit*,
    m'a trompé*, m'a quitté*, garde des enfants, thérapie de couple, mon mari, ma femme,
    mon copain, ma copine, quittée, quitté pour, amant, maîtresse, belle mère, rompu avec,
    séparés depuis, violence conjugale, violences conjugales
    """,
    sections={
        "health": "santé, santé mentale, thérapie, médicaments, symptômes, maladie",
        "financial_debt": "dettes, emprunts, salaire",
        "relations": "relations, relation, couple, mariage, divorce",
    },
    harmless={
        "pression": (
            r"\bd[ée]pressions? (?:\w+ )?(?:arrive|atmosph[ée]rique|venant|de l[’']atlantique"
            r"|sur la|tropicale)",
        ),
        "pay": (r"\bpay(?:er|é|e) (?:\w+ )?(?:attention|visite)\b",),
        "pens": (r"\bd[ée]pens\w+ (?:\w+ ){0,2}(?:temps|[ée]nergie)\b",),
    },
)
