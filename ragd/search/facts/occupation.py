"""Finds out whether a sentence in English or German states what work somebody does. Pure.

"Anna is a nurse" does, "Anna is a great cook", "Anna was an hour late" and "Anna joined Dad for
lunch" do not. After "is a", only words that are known as professions count, unless the sentence
says that something is new: "Anna is a ranger now".
"""

from ragd.notes.late_pattern import LatePattern

_PROFESSIONS = (
    r"accountant|actor|actress|adviser|advisor|agent|analyst|architect|artist|assistant|astronomer"
    r"|attorney|author|baker|banker|barber|barista|bartender|biologist|bookkeeper|bricklayer|broker"
    r"|builder|butcher|captain|caretaker|carer|carpenter|cashier|chef|chemist|cleaner|clerk|coach"
    r"|composer|conductor|consultant|contractor|cook|counsell?or|courier|dancer|dealer|dentist"
    r"|designer|detective|developer|diplomat|director|dispatcher|doctor|driver|economist|editor"
    r"|electrician|engineer|estate agent|farmer|firefighter|fisherman|florist|freelancer|gardener"
    r"|geologist|guard|guide|hairdresser|historian|illustrator|inspector|instructor|intern"
    r"|interpreter|janitor|jeweller|journalist|judge|lab technician|lawyer|lecturer|librarian"
    r"|lifeguard|locksmith|machinist|manager|masseur|mechanic|midwife|miner|musician|nanny|notary"
    r"|nurse|officer|operator|optician|painter|paramedic|pharmacist|photographer|physicist"
    r"|physiotherapist|pilot|planner|plumber|policeman|policewoman|porter|postdoc|postman|potter"
    r"|priest|principal|producer|professor|programmer|prosecutor|psychiatrist|psychologist|ranger"
    r"|realtor|receptionist|recruiter|reporter|researcher|roofer|sailor|salesman|saleswoman"
    r"|scientist|seamstress|secretary|shop assistant|social worker|soldier|solicitor|statistician"
    r"|student|surgeon|surveyor|tailor|tax adviser|teacher|technician|therapist|trader|trainee"
    r"|trainer|translator|tutor|upholsterer|vet|veterinarian|waiter|waitress|warden|watchmaker"
    r"|welder|worker|writer"
)
_NO_PROFESSION = (
    r"mother|father|mum|mom|dad|parent|grand\w+|aunt|uncle|wid\w+|member|veg\w+|citizen|fan"
    r"|\w*owner|bit|little|lot|few|year|hour|day|week|month|minute|good|better|great|fast|slow"
    r"|happy|person|man|woman|girl|boy|teenager|adult|friend|mess|wreck|listener|lover|winner|loser"
)
_PRAISE = (
    r"great|good|terrible|bad|wonderful|decent|excellent|keen|careful|fast|slow|better|lousy"
    r"|brilliant|passionate|amateur|hobby|talented|fine|real|such an?|quite an?|born"
)
_NEW = r"now|these days|nowadays|at the moment|currently|since \w+|today|by now"
_NOUN = r"[\w'’-]+"
_WORKS = LatePattern(
    r"(?<!\w)(?i:works?|working|worked|employed|hired|appointed|promoted|freelances?)"
    r"(?!\w)(?:\s(?i:now|today|full.time|part.time|again|still|there|these days|on \w+day)){0,2}"
    r"\s(?i:as|at|for|by|to)(?!\w)\s(?!(?i:home|night|nothing|hours|weekends?|last|all)(?!\w))"
    r"|(?<!\w)(?i:works?|working)\s(?i:in|with)\s(?i:the|an?)\s[\w ]{0,30}(?i:office|hospital"
    r"|school|shop|store|bank|bakery|firm|company|lab\w*|library|hotel|factory|clinic|museum"
    r"|restaurant|café|studio|agency|ministry|team|university)(?!\w)"
    r"|(?<!\w)(?i:started|starts|began)\s(?:(?i:work|a new job|the new job|a job)\s)?"
    r"(?:(?i:on \w+day|today|this week)\s)?(?i:as)\s(?i:an?|the)\s"
    rf"|(?<!\w)(?i:started|starts)\s(?:(?i:work|a new job)\s)?(?i:at|with)\s[A-ZÀ-Þ]"
    r"|(?<!\w)(?i:job|work|contract|living|position|profession)(?!\w)[^.]{0,30}?"
    r"(?:\s(?i:as|at|for)\s(?!(?i:home|night)(?!\w))|:\s)"
    r"(?:(?i:an?|the)\s\w|[A-ZÀ-Þ]|.{0,40}?:\s\w)"
    rf"|(?<!\w)(?i:joined)\s(?:(?i:the)\s)?(?:{_NOUN}\s){{0,3}}"
    r"(?i:as an?|team|staff|company|firm|labs?|inc|ltd|gmbh|group|bank)(?!\w)"
    r"|(?<!\w)(?i:retired|unemployed|redundant|laid off|looking for work|out of work"
    r"|(?:lost|quit|left) (?:the|his|her|their|my) (?:job|firm))(?!\w)"
)
_IS = LatePattern(
    rf"(?<!\w)(?i:is|was|am|became|becomes|become)\s(?:(?i:{_NEW})\s)?(?i:an?|the new)\s"
    rf"(?!(?i:{_PRAISE})\s)(?:{_NOUN}\s){{0,3}}?(?i:{_PROFESSIONS})(?!\w)"
)
_IS_NOW = LatePattern(
    rf"(?<!\w)(?i:is|am)\s(?:(?i:now|currently|these days)\s)(?i:an?|the new)\s"
    rf"(?!(?:{_NOUN}\s){{0,2}}(?i:{_NO_PROFESSION})(?!\w))\w"
    rf"|(?<!\w)(?i:is|am)\s(?i:an?|the new)\s(?!(?:{_NOUN}\s){{0,2}}(?i:{_NO_PROFESSION})(?!\w))"
    rf"[^.,]{{2,60}}?\s(?i:{_NEW})(?!\w)|(?<!\w)(?i:became|has become)\s(?i:an?|the)\s"
    rf"(?!(?:{_NOUN}\s){{0,2}}(?i:{_NO_PROFESSION})(?!\w))\w"
)
_IN_GERMAN = LatePattern(
    r"(?<!\w)(?i:arbeitet|angestellt|eingestellt|angefangen|anfängt|befördert|verdient|jobbt)(?!\w)"
    r"[^.]{0,40}?\s(?i:als|bei|beim|für|im|in der|in einem|in einer|an der|am|zum|zur)\s"
    r"(?:(?i:einem|einer|der|den|dem)\s)?[A-ZÀ-Þ]"
    r"|(?<!\w)(?:Stelle|Job|Arbeit|Beruf|Posten)(?!\w)[^.]{0,30}?(?:\s(?i:als|bei|beim)|:)\s"
    r"(?:(?i:der|dem)\s)?[A-ZÀ-Þ]"
    r"|(?<!\w)(?i:ist|wird|wurde|bin)\s"
    r"(?:(?i:jetzt|nun|gerade|inzwischen|heute|seit \w+|wieder)\s){0,2}"
    r"(?:(?i:eine?)\s)?[A-ZÀ-Þ]\w*(?:er|erin|or|orin|ist|istin|eur|eurin|euse|loge|login|ent|entin"
    r"|ant|antin|arzt|ärztin|och|öchin|lehrkraft|frau|mann|kraft|wart|wirt|wirtin|ar|arin|hebamme"
    r"|schwester|pfleger)(?!\w)(?:\s(?i:bei|beim|in|im|an|am|auf)\s|\W*$)"
    r"|(?<!\w)(?i:pensioniert|in rente|in pension|arbeitslos|entlassen|auf jobsuche)(?!\w)"
)
_NOT_YET = LatePattern(
    r"(?<!\w)(?i:interview\w*|appl(?:y|ies|ied|ying|ication)|wants?|dreams?|hopes?|wish(?:es)?"
    r"|would|might|could|if|late from|home from|about to|bewirbt|beworben|bewerbung|möchte|würde"
    r"|träumt|vorstellungsgespräch)(?!\w)"
)


def states_work(sentence: str) -> bool:
    """Whether an English or German sentence states the work of somebody."""
    if _NOT_YET.search(sentence):
        return False
    return any(one.search(sentence) for one in (_WORKS, _IS, _IS_NOW, _IN_GERMAN))
