"""The Spanish words. Data only."""

from ragd.guard.word_lists import WordList

SPANISH = WordList(
    health="""
    medicación, medicaciones, medicamento*, medicina, medicinas, antidepres*, terapia*,
    terapeuta*, psicoterap*, psiquiatr*, psicólogo*, psicóloga*, depresión, depresiones,
    depresivo*, depresiva*, deprimid*, deprime, ansiedad*, ansioso*, ansiosa*, ataque de pánico,
    ataques de pánico, suicid*, autoles*, diagnosticaron, diagnosticad*, diagnóstico*, pastillas,
    somnífero*, quimioterap*, quimio, tumor*, cáncer*, leucemia, vih, sida, aborto*, embaraz*,
    insomnio*, migraña*, bipolar*, esquizo*, tdah, autis*, trauma*, anorexi*, bulimi*, alcohólic*,
    alcoholismo, adicto*, adicta*, adicción*, recaída*, hospitaliz*, en el hospital, cirugía*,
    síntoma*, presión arterial, tensión alta, colesterol, diabet*, epilep*, baja médica,
    tratamiento, mi médico, la médica, el médico, clínica, lloré, llorando, llorar, regla retras*,
    resonancia, enferm*, dolor de, dolores de, fiebre, alergi*, infección, vacuna*, discapac*,
    soledad, sin dormir, me odio, salud mental
    """,
    financial_debt="""
    deuda, deudas, endeud*, acreedor*, préstamo*, hipoteca*, debo dinero, debe dinero,
    deben dinero, le debo, les debo, me debe, me deben, pedí prestado, prestó dinero,
    presté dinero, tarjeta de el crédito, un crédito, número rojo, números rojos, pagué, pagado,
    pagada, pagar el alquiler, alquiler, salario*, sueldo*, gasté, gastado, gastos, bancarrota,
    embargaron, impag*, cuenta bancaria, pensión alimenticia, ahorros, sin dinero, facturas,
    factura, pagar mis, pagar la, pagar el, crédito, banco rechazó, impuestos, en paro, desemple*,
    despid*, herencia, multa*, jubilación, gano menos, gano más
    """,
    relations="""
    divorci*, mi ex, exmarido*, ex marido, exmujer, ex mujer, ex novio, ex novia, exnovi*,
    infidelidad*, infiel, infieles, me engañó, me dejó por, custodia, terapia de pareja,
    mi marido, mi mujer, mi novio, mi novia, mi esposa, mi esposo, amante, suegra, discutí con,
    me engaña, rompí con, rompió conmigo, violencia doméstica, violencia de género
    """,
    sections={
        "health": "salud, salud mental, terapia, medicación, síntomas, enfermedad",
        "financial_debt": "deudas, préstamos, sueldo",
        "relations": "relaciones, relación, pareja, matrimonio, divorcio",
    },
    harmless={
        "gast": (r"\bgast(?:é|ado|a|amos|ar) (?:\w+ ){0,3}(?:tiempo|energía|horas?|días?)\b",),
        "diagn": (r"\bdiagnóstico del? (?:\w+ )?(?:error|fallo|problema|red|sistema)\b",),
        "síntoma": (r"\bsíntomas? del? (?:\w+ )?(?:error|fallo|problema|sistema)\b",),
        "cáncer": (r"\btrópico de cáncer\b",),
    },
)
