"""Passages that read like orders to an agent: suspected by the way they speak.

It never proves anything: what it flags is shown with the flag, and what it misses is still marked
untrusted. Its time grows with the text alone.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from ragd.search.words import folded

_JOINERS = str.maketrans("", "", "\u200c\u200d\ufe0e\ufe0f")
_SPACES = re.compile(r"[ \t]+|\n[ \t\n]*")

# Gaps stay within a sentence and are short, so that every search is linear.
_NEAR = r"[^.!?。！？]{0,40}?"
_FAR = r"[^.!?。！？]{0,120}?"
_START = r"(?:^|[\n.!?:;>\-*,\"'(\[]\s?|\b(?:please|then|also|and|must|should|kindly|now) )"

_MACHINE = (
    r"(?:a\.?i\.?|llms?|(?:large )?language models?|chat ?bots?|chatgpt|gpt(?:-\d\w*)?|claude"
    r"|gemini|copilot|openclaw|(?:a\.?i\.? |virtual |digital )(?:assistants?|agents?|models?"
    r"|systems?)|assistants?|ai-?agents?)"
)
_ANSWER = r"(?:response|reply|answer|output|completion|message|summary|explanation|elucidation)"
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|directions?|directives?|commands?|guidelines?|messages?"
    r"|programming|training|constraints?|polic(?:y|ies)|restrictions?|context|safeguards?)"
)
_EARLIER = r"(?:previous|prior|above|preceding|earlier|foregoing|original|initial|existing|former)"
_HIDDEN = (
    r"(?:system|initial|original|hidden|secret|starting|internal|developer|base|underlying|opening)"
)
_VERB = (
    r"(?:add|adjust|alter|anagram|append|apply|arrange|augment|begin|change|combine|compose|conceal"
    r"|convert|craft|deliver|disguise|embed|encode|encrypt|end|enhance|ensure|express|finish|format"
    r"|formulate|give|group|hide|include|incorporate|insert|integrate|introduce|invert|jumble|make"
    r"|mention|misspell|modify|obfuscate|omit|output|phrase|prefix|present|print|produce|provide"
    r"|rearrange|refine|remove|render|repeat|replace|respond|reverse|rewrite|scramble|shift|shuffle"
    r"|spell|start|state|structure|substitute|swap|transform|translate|transpose|use|utili[sz]e"
    r"|weave|wrap|write)"
)
_BLEND = (
    r"(?:absorb|add|adopt|append|apply|blend|combine|deploy|embed|employ|engage|enhance|enlist"
    r"|enrich\w*|ensure|execute|fuse|harmoni[sz]e|includ\w+|inclusion|incorporat\w+|inject|insert"
    r"|integrat\w+|introduce|leverage|make|meld|merge|run|use|utili[sz]e|weave)"
)


class Sign(Struct, frozen=True):
    """One way of giving orders. `hints`: without any of them, the pattern need not be tried."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _sign(name: str, hints: str, *alternatives: str) -> Sign:
    return Sign(name, tuple(hints.split()), re.compile("|".join(alternatives)))


SIGNS: Sequence[Sign] = (
    _sign(
        "overrides what was said before",
        "instruct prompt rule direct command guideline messag programm train constraint polic"
        " restrict context safeguard",
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|neglect|cancel|drop|not follow"
        rf"|stop following|pay no attention to|supersedes?)\b{_NEAR}"
        rf"\b(?:{_EARLIER}|your|system|user's)\b{_NEAR}\b{_ORDERS}\b",
        r"\b(?:new|updated|real|actual) (?:system )?instructions?\s?:",
        rf"\binstructions?{_NEAR}\b(?:supersede|override|replace|take precedence over)\b{_NEAR}"
        rf"\b(?:{_EARLIER}|your|all)\b",
    ),
    _sign(
        "asks for the hidden instructions",
        "prompt instruct configur text above supposed sentence",
        rf"\b(?:show|reveal|print|output|display|repeat|tell|give|leak|send|encode|translate|see"
        rf"|summari[sz]e|dump|expose|share|list|provide|disclose|write|return|recite)\b{_NEAR}"
        rf"\b(?:your|the|its|all|any|<)\W?{_HIDDEN}[ _-](?:prompts?|instructions?|messages?)\b",
        rf"\byour {_HIDDEN}[ _-]?(?:prompts?|instructions?|configurations?|directives?)\b",
        rf"\b(?:including|display|output|show)\b{_NEAR}\b(?:initial|starting) (?:prompt|instruct)",
        r"\b(?:print|log|echo|dump)\(\s*[\"']?system_?prompt",
        rf"\b(?:repeat|output|print|copy|recite|translate)\b{_NEAR}"
        r"\b(?:(?:the|all|any) (?:text|words?|content|messages?) above|above (?:text|words|content)"
        r"|everything above)\b",
        r"\bwhat (?:are|were) you (?:not )?(?:supposed|told|instructed|allowed|forbidden) to "
        r"(?:tell|say|reveal|share|do)\b",
        r"\b(?:my instructions are|i (?:was|am|have been) instructed to)\b",
    ),
    _sign(
        "gives the reader another role",
        "you're you pretend",
        r"\byou(?: are|'re|’re) now (?:in )?(?:\w+ ){0,2}"
        r"(?:mode|dan|jailbroken|unrestricted|uncensored|unfiltered|free (?:from|of))\b",
        r"\b(?:from now on|from this point on(?:wards?)?|henceforth),? you "
        r"(?:are|will|must|shall|should|act|can|have|only)\b",
        rf"\b(?:pretend|imagine|act as (?:if|though)|roleplay as if)(?: that)? you(?: are|'re|"
        rf" were) (?:an? |the )?(?:\w+ )?"
        rf"(?:{_MACHINE}|unrestricted|uncensored|evil|administrator)\b",
        rf"\byou are (?:no longer|not) (?:an? )?(?:bound|restricted|limited|{_MACHINE})\b",
        r"\byou (?:have|are under) no (?:restrictions|rules|limits|ethical)\b",
    ),
    _sign(
        "imitates the frame of a conversation",
        "<|im_ <|sys <|user <|assis <|end [inst [/inst <<sys system: system] [system ###"
        " begin assistant:",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end)\|?>?",
        r"\[/?inst\]|<</?sys>>",
        r"#{2,4} ?(?:system|instructions?|assistant|human|user)(?: prompt| message)? ?:",
        r"[\[({<](?:system|admin|developer)(?:[ _-](?:note|message|prompt|override|notice"
        r"|instructions?|command))?[\])}>:]+ ?\w",
        r"\b(?:begin|end|start)(?: of)?(?: the)?(?: new)? (?:system|hidden|secret) "
        r"(?:prompt|message|instructions?)\b",
        r"(?:^|\n)(?:system|assistant) ?: ?(?:you|ignore|please|do not|always|never|the user)\b",
    ),
    _sign(
        "speaks to a machine",
        "a.i ai llm language chat gpt claude gemini copilot openclaw assistant",
        rf"\b(?:attention|notes?|messages?|notice|important|warning|reminder)"
        rf"(?: \w+)? (?:to|for) (?:all |any |the |every |this |your )*{_MACHINE}\b",
        rf"\b(?:attention|dear|hey|hello|hi|ok|okay|listen),? (?:all |the )?{_MACHINE}\b ?[,:!.-]",
        rf"(?:^|[\n.!?(\[] ?){_MACHINE} ?[,:] ?(?:please|you|do not|don't|ignore|always|never|now"
        rf"|send|call|run|tell|say|answer|respond|reply|use|forward|delete|execute|store)\b",
        rf"\b(?:if|when|as|since|because) you(?: are|'re|’re) (?:an? |the |reading this as an? )"
        rf"(?:\w+ )?{_MACHINE}\b",
        rf"\b{_MACHINE} (?:reading|processing|summari[sz]ing|parsing|indexing|that reads?"
        r"|who reads?) (?:this|these|the)\b",
        rf"\b{_MACHINE} (?:must|shall|is (?:required|instructed|ordered) to|are (?:required"
        r"|instructed|ordered) to|needs? to|ha(?:s|ve) to) (?:now |always |never |not |also |first "
        r"|immediately )*(?:respond|reply|answer|output|ignore|call|send|run|execute|include|say"
        r"|tell|forward|delete|reveal|disclose|obey|comply|follow|print|visit|open|store)\b",
    ),
    _sign(
        "says what the answer shall be",
        "your respond answer reply",
        rf"{_START}{_VERB}\b{_FAR}\byour (?:\w+ )?{_ANSWER}(?:'s|’s)?\b",
        r"(?:^|[\n.!?:;] ?)(?:in|within|throughout|at the (?:end|start|beginning) of) your "
        rf"(?:next )?{_ANSWER},? (?:please )?\w+",
        rf"{_START}(?:respond|answer|reply) (?:only|exclusively|solely|just) "
        r"(?:with|in|by|using)\b",
        r"\b(?:respond|reply|answer) with (?:only|nothing but|exactly|the (?:phrase|words?))\b",
    ),
    _sign(
        "wants something kept from the user",
        "user human anyone operator",
        r"\b(?:do not|don't|don’t|never|without|avoid) (?:ever )?(?:mention\w*|tell\w*|reveal\w*"
        r"|say\w*|disclos\w+|inform\w*|alert\w*|warn\w*|notify\w*|ask\w*|show\w*|let\w*)\b"
        r"[^.!?\n]{0,30}\b(?:the user|the human|the operator)\b[^.!?\n]{0,20}"
        r"\b(?:this|these|about|that you|know|instruct\w*|permission|confirm\w*|first)\b",
        r"\bwithout (?:telling|informing|asking|alerting|notifying) the (?:user|human|operator)\b",
        r"\b(?:hide|conceal|keep) (?:this|these|it|them)\b[^.!?\n]{0,30}\bfrom the "
        r"(?:user|human)\b",
    ),
    _sign(
        "wants data sent away or tools used",
        "http @ www. tool function obsidian_rag",
        r"\b(?:send|forward|e-?mail|upload|post|exfiltrate|leak|transmit|submit|copy|append)\b"
        r"[^.!?\n]{0,60}\b(?:passwords?|api[ _-]?keys?|secrets?|credentials?|tokens?|private keys?"
        r"|conversations?|chat history|all (?:the |my |your |of )?(?:notes|files|emails?|contacts)"
        r"|vault|memor(?:y|ies)|personal (?:data|information))\b[^!?\n]{0,60}?"
        r"(?:https?://|www\.|\S@\w)",
        r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&][^)=\s]{0,40}=(?:\{|<|\[|\$|%7b)",
        rf"{_START}(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,40}}"
        r"\b(?:tools?|functions?)\b[^.!?\n]{0,20}\bto (?:send|delete|forward|upload|e-?mail"
        r"|exfiltrate|remove|post|transfer|purchase|buy)\b",
        rf"{_START}(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,20}}\bobsidian_rag_\w+",
    ),
    _sign(
        "wants code put into the answer",
        "code snippet",
        rf"\b{_BLEND}\b[^.!?\n]{{0,60}}\b(?:following|subsequent|below|succeeding|ensuing|given)"
        r"(?: \w+)? (?:code|snippet|script)\b",
        r"\byour (?:code(?:base)?|solution|implementation|algorithm|program)\b[^.!?\n]{0,60}"
        r"\bthe (?:following|subsequent|below|succeeding)(?: \w+)? (?:code|snippet|script)\b",
    ),
    _sign(
        "overrides what was said before, in another language",
        "ignorier vergiss vergessen ignora olvida ignore oublie esqueça игнорир забудь 忽略 无视"
        " 無視 忘记 忘掉 系统提示 システムプロンプト 告诉用户 무시",
        r"\b(?:ignoriere?n?|vergiss|vergessen sie|missachte)\b[^.!?]{0,30}\b(?:vorherige|bisherige"
        r"|obige|frühere|vorige|deine|ihre)\w*\b[^.!?]{0,20}\b(?:anweisung|regel|vorgabe|befehl)",
        r"\b(?:ignora|olvida|ignore|esqueça|oublie[zr]?|ignore[zr]|dimentica)\b[^.!?]{0,30}"
        r"\b(?:instrucciones|instruções|instructions|istruzioni|consignes|reglas|règles)"
        r" (?:anteriores|previas|précédentes|ci-dessus|precedenti)\b",
        r"\b(?:игнорируй(?:те)?|забудь(?:те)?)\b[^.!?]{0,30}\b(?:предыдущ|прошл|прежн|свои|ваши)\w*"
        r"[^.!?]{0,20}(?:инструкц|указан|команд|правил)",
        r"(?:忽略|无视|無視|忘记|忘掉)[^。！？\n]{0,12}(?:之前|以上|上述|先前|前面|此前|所有|你的|系统)"
        r"[^。！？\n]{0,8}(?:指令|指示|提示|规则|命令|要求)",
        r"(?:以前|これまで|上記|前)の[^。！？\n]{0,8}(?:指示|命令|ルール)[^。！？\n]{0,6}無視",
        r"(?:显示|输出|告诉|泄露|重复|打印)[^。！？\n]{0,10}系统提示|システムプロンプトを",
        r"(?:不要|别|请勿)(?:让|告诉|通知)用户",
        r"(?:이전|위의|앞의)[^.!?\n]{0,10}(?:지시|명령|지침|규칙)[^.!?\n]{0,6}무시",
    ),
)


def signs(text: str) -> list[str]:
    """In which ways a text gives orders, by name."""
    text = _SPACES.sub(_space, folded(text).translate(_JOINERS))
    return [
        sign.name
        for sign in SIGNS
        if any(hint in text for hint in sign.hints) and sign.pattern.search(text)
    ]


def suspected(text: str) -> bool:
    """Whether a text reads like an instruction to an agent."""
    return bool(signs(text))


def _space(match: re.Match[str]) -> str:
    return "\n" if match.group()[0] == "\n" else " "
