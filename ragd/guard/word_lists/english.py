"""The English words. Data only."""

from ragd.guard.word_lists import WordList

_TIME = (
    r"(?:time|times|seconds?|minutes?|hours?|days?|weeks?|months?|years?|ages|decades?|lifetime"
    r"|life|lives|mornings?|afternoons?|evenings?|nights?|weekends?|holidays?|vacations?|childhood"
    r"|youth|summers?|autumns?|falls?|winters?|springs?|christmas|easter|energy|effort|attention"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|season|career|lunch|break)"
)

ENGLISH = WordList(
    health="""
    medicat*, medicine, medicines, antidepress*, antipsychotic*, antibiotic*, therapy, therapies,
    therapist, therapists, therapeutic, psychotherap*, psychiatr*, psychologist, psychologists,
    psychosis, psychoses, psychotic, counselling, counseling, counsellor*, counselor*,
    mental health, mental illness*, mentally ill, depressed, depressing me, depression,
    depressions, depressive, anxiety, anxieties, anxious, anxiously, panic attack*, suicid*,
    kill myself, killed himself, killed herself, self harm*, selfharm*, cut myself,
    cutting myself, hurt myself, diagnosed, diagnosis, diagnoses, prescription, prescriptions,
    prescribed, pills, sleeping pill, overdos*, insulin, chemo, chemotherap*, radiotherap*,
    biops*, tumor, tumors, tumour*, cancer, cancers, leukemia, leukaemia, lymphoma, hiv,
    aids test, chlamydia, herpes, miscarr*, pregnan*, abortion*, ivf, infertil*,
    fertility treatment, menopaus*, insomnia*, sleepless, sleeplessness, migraine*, bipolar,
    schizo*, adhd, autism, autistic, asperger*, ptsd, ocd, trauma, traumas, traumatic, traumati*,
    eating disorder*, anorexi*, bulimi*, binge eating, addict, addicts, addicted, addiction*,
    alcoholi*, sober, sobriety, rehab, relaps*, withdrawal symptom*, hospitalis*, hospitaliz*,
    in hospital, in the hospital, to the hospital, to hospital, surger*, symptom*, blood pressure,
    blood test*, blood sugar, cholesterol, diabet*, asthma*, epilep*, dementia, alzheimer*,
    parkinson*, stroke last, heart attack*, heart disease*, kidney failure, sick leave, burnout,
    burned out, burnt out, mood swing*, nervous breakdown*, breakdown yesterday, psych ward,
    ritalin, adderall, xanax, prozac, zoloft, lexapro, sertraline, citalopram, escitalopram,
    fluoxetine, venlafaxine, lithium dose, lorazepam, valium, oxycodone, opioid*, painkiller*,
    chronic pain, chronic fatigue, hopeless again, felt hopeless, feel hopeless, worthless, meds,
    my doctor, her doctor, his doctor, doctor says, doctor said, doctor thinks, doctor is worried,
    doctors say, doctors said, gp says, doctor's appointment*, the dose, my dose, higher dose,
    lower dose, daily dose, double dose, antihistamine*, steroids, steroid injection*, vaccinat*,
    crying every, cried all, cried again, cried myself, been crying, burst into tears,
    could not stop crying, couldn't stop crying, my period, period is late, period pain*,
    contracept*, pregnancy test*, mri, ct scan*, x ray of my, ultrasound, found a lump, a lump in,
    mammogram*, colonoscop*, the clinic, test results, lab results, my liver, my kidney*,
    my heart rate, heart failure, heart condition, my lungs, weighed myself, weigh myself,
    my weight, lost weight, gained weight, binged, purged, hangover, hungover, drinking again,
    drank too much, drink too much, blacked out, seizure*, fainted, my back pain, in pain,
    chest pain*, pain in my, arthritis, thyroid, covid, fever, vomit*, diarrh*, ulcer*, hernia*,
    endometrio*, infection, infected with, allergic reaction*, epipen, wheelchair, my disability,
    disability pension, hearing aid*, nightmares, flashback*, numb inside, self esteem, lonely,
    loneliness, hate my body, hate myself, hating myself, grief counsel*, social anxiety,
    on sick leave, called in sick, assisted living, hospice, terminal illness, terminally ill,
    physiotherap*, physical therapy, sleep apnea, sleep apnoea, sick again, mentally exhausted,
    panic disorder, phobia*, hypochondri*, gynecologist*, gynaecologist*, oncologist*,
    cardiologist*, urologist*, dermatologist*, neurologist*, test results came
    """,
    financial_debt="""
    owe, owes, owed, owing, debt, debts, debtor, debtors, indebtedness, creditor*, iou, ious,
    loan, loans, lender*, lent me, lent him, lent her, lent them, borrowed money, borrow money,
    borrowing money, lend me money, money back, mortgage*, overdraft*, overdrawn, overdue rent,
    overdue bill*, overdue payment*, bills are overdue, rent is overdue, arrears, bankrupt*,
    insolven*, foreclos*, repossess*, paid, repay*, repaid, pay back, paying back, pays back,
    pay off, paying off, pays off, payment, payments, payday, pay rise, salary, salaries, wage,
    wages, my income, our income, spend, spends, spent, spending, overspen*, overspending,
    credit card*, credit score*, maxed out, bank account*, bank balance, account balance,
    bank statement*, my savings, our savings, his savings, her savings, life savings,
    savings account*, savings are, net worth, tax debt*, unpaid, instalment*, installment*,
    garnish*, debt collector*, bailiff*, gambling loss*, gambling debt*, gambled away, alimony,
    child support, pension pot, broke again, can't afford, cannot afford, could not afford,
    couldn't afford, paycheck*, paycheque*, payslip*, paying for, pay for the, i earn, he earns,
    she earns, we earn, they earn, how much i earn, my earnings, my bonus, tax bill*, tax refund*,
    the taxes, my taxes, bills, my bill, refinanc*, retirement account*, my pension, pension is,
    pension of, borrowed from, borrowing from, give it back to him, give it back to her,
    money from, money to, my money, our money, his money, her money, last money, no money,
    out of money, short of money, in the red, worth of debt, my budget, our budget,
    my inheritance, inherited money, lawsuit settlement, fined, a fine of, penalty fee*,
    late fee*, bounced, cash advance*, pawned, pawnshop*, lottery, gambling, betting,
    lost at poker, crypto loss*, my portfolio, my stocks, sold my shares, unemploy*, laid off,
    got fired, was fired, severance, on benefits, food stamps, welfare, jobcentre, rent is due,
    behind on rent, behind on the rent, eviction notice*, evicted from, be evicted
    """,
    relations="""
    divorc*, my ex, her ex, his ex, ex husband*, ex wife*, ex wives, ex boyfriend*,
    ex girlfriend*, ex partner*, breakup*, broke up with, break up with, breaking up with,
    broken up with, dumped me, dumped him, dumped her, an affair, affair with, affairs with,
    cheated on, cheating on, cheats on, unfaithful, infidelit*, custody, marriage counsel*,
    couples counsel*, couples therap*, our marriage, my marriage, their marriage, his marriage,
    her marriage, my husband, my wife, my boyfriend, my girlfriend, sleeping with him,
    sleeping with her, slept with, separated from my, restraining order*, domestic violence,
    abusive, hit me again, left me, leaving me, left him, left her, moved out, kicked me out,
    not talking to me, does not talk to me, doesn't talk to me, my spouse, my lover, her lover,
    his lover, one night stand, on tinder, dating app*, crush on, kissed me, kissed him,
    kissed her, our relationship, my relationship, relationship with my, estranged, disowned,
    my mother in law, fight with my, argument with my, argued with my, toxic relationship*,
    engagement is off, called off the wedding, still love him, still love her, in love with
    """,
    sections={
        "health": "mental health, physical health, mental wellbeing, mental well being, therapy,"
        " medication, medications, medical, medical history, symptoms, diagnosis, diagnoses, mood,"
        " mood log, psychotherapy, illness, illnesses",
        "financial_debt": "debt, debts, loans, owed, money owed, salary",
        "relations": "relations, relationship, relationships, marriage, divorce, dating, love life",
    },
    harmless={
        "anxious": (
            r"\b(?<!too )anxious(?:ly)? (?:to (?:see|know|hear|get|start|begin|meet|please|try"
            r"|learn|find|read|go|show|be|help|return|finish|watch|play|visit|hand|use|share|join|taste"
            r"|open)|for (?:news|more|spring|summer|the next|the new|the (?:film|game|book"
            r"|release)))\b",
        ),
        "spen": (  # time, and not money
            r"\bspend (?:your|my|our|their|his|her) (?:sundays|saturdays|fridays|mondays|days)\b",
            rf"\b(?:over)?spen(?:d|ds|t|ding)\b(?: [\w’']+){{0,6}}? {_TIME}\b",
            rf"\b{_TIME} (?:(?:is|was|are|were|you|we|i|they|he|she) )?(?:well )?"
            r"spen(?:t|d|ding)\b",
            r"\bspen(?:t|d) (?:batter(?:y|ies)|cartridges?|fuel|force)\b",
        ),
        "pa": (
            r"\b(?:pays?|paid|paying) (?:\w+ ){0,2}(?:attention|heed|homage|respects?|tribute"
            r"|lip service|compliments?|visits?)\b",
            r"\bpa(?:ys|id) dividends\b",
            r"\b(?:work|efforts?|patience|practice|training|risk|research|it|that) (?:\w+ )?"
            r"(?:pays|paid) off\b",
            r"\bpayments? (?:api|gateway|provider|form|page|service|module|system|processing)\b",
            r"\bpaid (?:leave|version|plan|tier|feature|features|app|apps|subscription|users?)\b",
            r"\bunpaid (?:interns?|internships?|work|overtime)\b",
        ),
        "debt": (
            r"\b(?:technical|tech|sleep|design|documentation|code) debts?\b",
            r"\bdebts? of (?:gratitude|thanks|honou?r)\b",
        ),
        "ow": (
            r"\bow(?:es?|ed) (?:its|their) (?:names?|success|existence|fame|charm|shape)\b",
            r"\bowing to\b",
            r"\bow(?:e|es|ed) (?:(?:it|this|that|much|a lot|everything|their|its|his|her) )?"
            r"(?:to (?:the|a|an|its|their)|\w+ (?:an?|some) (?:explanation|apology|answer|favou?r"
            r"|beer|coffee|drink|reply|letter|call|visit|postcard|e?mail))\b",
            r"\b(?:name|names|success|style|existence|much|everything|a lot|a great deal) (?:\w+ )?"
            r"ow(?:es?|ed) (?:\w+ )?to\b",
        ),
        "depress": (
            r"\b(?:great|economic|tropical|shallow|deep|circular|atmospheric) depressions?\b",
            r"\bdepressions? (?:in|between|of) (?:the |a |an |two )?(?:ground|hills?|rock|sand"
            r"|surface|land|1930s|thirties|soil|moon)\b",
            r"\bdepress(?:ed)? (?:the |a )?(?:key|button|pedal|lever|switch|clutch|brake|market"
            r"|economy|prices?|areas?)\b",
            r"\b(?:key|button|pedal|lever|switch) (?:\w+ ){0,2}depressed\b",
            r"\bdepressions? (?:over|off|west|east|north|south) \w+",
        ),
        "diagnos": (
            r"\bdiagnoses? (?:the|a|an|this|these|your|any|such|network|memory|and fix) ",
            r"\bdiagnos(?:ed|is|es) (?:of |with )?(?:the |a |an |this |your |some )?(?:\w+ )?"
            r"(?:bugs?|problems?|issues?|errors?|networks?|tools?|crash(?:es)?|leaks?|faults?|output"
            r"|mode|logs?|messages?|builds?|performance|memory|code|engine)\b",
            r"\b(?:compiler|error|network|remote|build|system|disk|language server|type) "
            r"diagnos(?:is|es|ed)\b",
        ),
        "dose": (r"\bdose.response\b",),
        "symptom": (
            r"\bsymptoms? of (?:the |a |an |this |some )?(?:\w+ )?(?:bugs?|problems?|errors?|design"
            r"|leaks?|crash(?:es)?|faults?|failure|decline|crisis|change)\b",
        ),
        "cancer": (
            r"\btropic of cancer\b|\bcancer (?:nebula|constellation)\b",
            r"\bcancer(?: and|,) (?:leo|gemini)\b|\b(?:gemini|leo|zodiac)[ ,:]{1,2}(?:and )?"
            r"cancer\b",
        ),
        "bipolar": (r"\bbipolar (?:transistors?|junctions?|signals?|world|order|plug|cells?)\b",),
        "therap": (
            r"\btherapist in (?:that|this|the) (?:\w+ )?(?:sitcom|film|movie|series|novel)\b",
            r"\bretail therapy\b",
        ),
        "addict": (
            r"\baddict(?:ed|ion) to (?:this|that|these|the new|coffee|chocolate|tea|games?|puzzles?"
            r"|podcasts?|books?|reading|learning|music)\b",
        ),
        "prescription": (r"\bprescription (?:lens(?:es)?|glasses|sunglasses|goggles)\b",),
        "alcoholi": (r"\balcoholic (?:drinks?|beverages?|cider|punch)\b|\bnon.alcoholic\b",),
        "loan": (
            r"\bloan (?:the|a|this|that) (?:book|film|record|game|tool|ladder|bike)\b",
            r"\b(?:on|inter.?library) loans?\b|\bloans? (?:from|to) (?:the |a )?(?:museum|library"
            r"|gallery)\b",
        ),
        "suicide": (r"\bsuicide squad\b|\bsuicide (?:burns?|linux|prevention module)\b",),
        "pregnant": (r"\bpregnant (?:pause|silence|with meaning)\b",),
        "salar": (r"\bsalary caps?\b",),
        "credit card": (r"\bcredit cards? (?:did|were|was|numbers? (?:regex|format))\b",),
        "money": (r"\bmoney (?:from|to) (?:the|a) (?:state|film|festival|project|museum)\b",),
        "bills": (r"\bbills? (?:was|were) passed\b|\bbills of (?:rights|lading|materials?)\b",),
        "infection": (r"\binfection (?:of|in) (?:the )?(?:computer|network|server|story|game)\b",),
        "moved out": (r"\bmoved out of (?:the )?(?:way|function|class|module|loop|file|main)\b",),
        "affair": (r"\ban affair of (?:state|honou?r)\b",),
        "in love": (r"\bin love with (?:this|that|the|these|my new|our new|python|\w+ing)\b",),
        "divorc": (
            r"\bdivorc(?:e|ed|es|ing) (?:the |an? |this |itself )?(?:\w+ )?from "
            r"(?:its|the|reality|context|any|all|history|politics)\b",
        ),
        "marriage": (
            r"\bmarriage of (?:text|form|style|art|two|sound|image|technology|convenience)\b",
        ),
        "worthless": (r"\bworthless (?:certificate|comment|test|argument|code)\b",),
        "sober": (r"\bsober (?:style|tone|design|look|assessment)\b",),
        "custody": (r"\bchain of custody\b|\bcustody of the (?:code|repository|archive|keys?)\b",),
    },
)
