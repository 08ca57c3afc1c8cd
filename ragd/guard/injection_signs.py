"""The signs that a text gives instructions to a machine. Pure.

Each sign describes how instructions are worded, not what they are about. A pattern is tried only on
texts that have a word of each of its groups, or one of its parts. Gaps are short and stay within a
sentence, so that every search is linear.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from ragd.guard.injection_words import (
    ANSWER,
    ANSWER_WORDS,
    CODE_BELOW,
    EARLIER,
    FAR,
    HIDDEN,
    MACHINE,
    MACHINE_WORDS,
    NEAR,
    ORDERS,
    START,
    TELL,
    VERB,
    WORK,
)


class InjectionSign(Struct, frozen=True):
    """One sign, and the words or parts that a text must have before its pattern is tried."""

    name: str
    words: tuple[frozenset[str], ...]
    parts: tuple[str, ...]
    pattern: str

    def is_in(self, text: str) -> bool:
        return _compiled(self.pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first tried: all of them take longer than the rest of this module."""
    return re.compile(pattern)


def _sign_by_words(name: str, words: Sequence[str], *patterns: str) -> InjectionSign:
    groups = tuple(frozenset(group.split()) for group in words)
    return InjectionSign(name, groups, (), "|".join(patterns))


def _sign_by_parts(name: str, parts: str, *patterns: str) -> InjectionSign:
    return InjectionSign(name, (), tuple(parts.split()), "|".join(patterns))


_OVERRIDES = "overrides what was said before"
_ASKS = "asks for the hidden instructions"
_ROLE = "gives the reader another role"
_FRAME = "imitates the frame of a conversation"
_SPEAKS = "speaks to a machine"
_ANSWERS = "says what the answer shall be"
_SECRETLY = "wants something kept from the user"
_SENDS = "wants data sent away or tools used"
_CODE = "wants code put into the answer"

SIGNS: Sequence[InjectionSign] = (
    _sign_by_words(
        _OVERRIDES,
        (
            "ignore disregard forget override bypass discard neglect cancel drop follow following"
            " attention supersede supersedes",
            "instruction instructions prompt prompts rule rules direction directions directive"
            " directives command commands guideline guidelines message messages programming"
            " training constraint constraints policy policies restriction restrictions context"
            " safeguard safeguards",
        ),
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|neglect|cancel|drop|not follow"
        rf"|stop following|pay no attention to|supersedes?)\b{NEAR}"
        rf"\b(?:{EARLIER}|your|system|user's)\b{NEAR}\b{ORDERS}\b",
    ),
    _sign_by_words(
        _OVERRIDES,
        ("ignore disregard forget override bypass disable",),
        rf"{START}(?:ignore|disregard|forget) (?:instructions|(?:all|any) (?:of )?(?:the |these "
        r"|your )?instructions|everything (?:above|before|you))\b",
        r"\b(?:ignore|disregard|forget|override|bypass|disable) (?:all |any |your )?(?:safety"
        r"|ethical|content|security) (?:guidelines|protocols?|polic(?:y|ies)|filters"
        r"|restrictions|rules)\b",
    ),
    _sign_by_words(
        _OVERRIDES,
        ("override",),
        r"\b(?:system|admin|developer|security|instruction) override\b ?[:\]!]",
    ),
    _sign_by_words(
        _OVERRIDES,
        ("instruction instructions",),
        r"\b(?:new|updated|real|actual) (?:system )?instructions? ?:",
        rf"\binstructions?{NEAR}\b(?:supersede|override|replace|take precedence over)\b{NEAR}"
        rf"\b(?:{EARLIER}|your|all)\b",
        r"\b(?:my instructions are|i (?:was|am|have been) instructed to)\b",
    ),
    _sign_by_words(
        _ASKS,
        ("prompt prompts instruction instructions configuration directives message messages",),
        rf"\b{TELL}\b{NEAR}\b(?:your|the|its|all|any|<)\W?{HIDDEN}[ _-]"
        r"(?:prompts?|instructions?|messages?)\b",
        rf"\byour {HIDDEN}[ _-]?(?:prompts?|instructions?|configurations?|directives?)\b",
        rf"\b{TELL}(?: \w+){{0,3}} (?:your|original|your own) prompts?\b",
        r"\byour new (?:system )?(?:prompt|instructions)\b",
        rf"\b(?:including|display|output|show)\b{NEAR}\b(?:initial|starting) (?:prompt|instruct)",
    ),
    _sign_by_parts(
        _ASKS,
        "instructed systemprompt system_prompt",
        r"\b(?:print|log|echo|dump)\([\"']?system_?prompt",
        r"\bi (?:was|am|have been) instructed to\b",
    ),
    _sign_by_words(
        _ASKS,
        ("above",),
        rf"\b{TELL}\b{NEAR}\b(?:(?:the|all|any) (?:text|words?|content|messages?) above"
        r"|above (?:text|words|content)|everything above)\b",
    ),
    _sign_by_words(
        _ASKS,
        ("conversation message prompt", "everything all text words"),
        rf"\b{TELL}(?: \w+)? (?:everything|all(?: the)? (?:text|words|content|messages))"
        r"(?: \w+){0,3} (?:before|from the (?:beginning|start) of) (?:this|the|our) "
        r"(?:message|conversation|prompt|chat)\b",
    ),
    _sign_by_words(
        _ASKS,
        ("supposed told instructed allowed forbidden",),
        r"\bwhat (?:are|were) you (?:not )?(?:supposed|told|instructed|allowed|forbidden) to "
        r"(?:tell|say|reveal|share)\b",
    ),
    _sign_by_words(
        _ROLE,
        ("you", "now henceforth onward onwards no under"),
        r"\byou(?: are|'re|’re) now (?:in )?(?:\w+ ){0,2}"
        r"(?:mode|dan|jailbroken|unrestricted|uncensored|unfiltered|free (?:from|of))\b",
        r"\b(?:from now on|from this point on(?:wards?)?|henceforth),? you "
        r"(?:are|will|must|shall|act|only|have no)\b",
        rf"\byou are no longer (?:an? )?(?:bound|restricted|limited|{MACHINE})\b",
        r"\byou (?:have|are under) no (?:restrictions|rules|limits|ethical)\b",
    ),
    _sign_by_words(
        _ROLE,
        ("unrestricted unfiltered uncensored jailbroken unlimited evil dan jailbreak anything",),
        r"\b(?:act|respond|answer|behave|roleplay|speak) as (?:an? |the )?(?:\w+ )?(?:unrestricted"
        r"|unfiltered|uncensored|jailbroken|unlimited|evil)\b",
        r"\b(?:act as|you are|you're|pretend to be|pretend you are) dan\b",
        r"\bdo anything now\b|\b(?:jailbreak|unrestricted|uncensored|dan) mode\b",
    ),
    _sign_by_words(
        _ROLE,
        ("you", "pretend imagine act roleplay"),
        r"\b(?:pretend|imagine|act as (?:if|though)|roleplay as if)(?: that)? you(?: are|'re|"
        rf" were) (?:an? |the )?(?:\w+ )?(?:{MACHINE}|unrestricted|uncensored|evil)\b",
    ),
    _sign_by_parts(
        _FRAME,
        "<|im_ <|sys <|user <|assis <|end [inst] [/inst] <<sys",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end)\b",
        r"\[/?inst\]|<</?sys>>",
    ),
    _sign_by_parts(
        _FRAME,
        "##",
        r"##{1,3} ?(?:system|instructions?|assistant|human|user)(?: prompt| message)? ?:",
    ),
    _sign_by_parts(
        _FRAME,
        "[system (system {system <system [admin (admin {admin <admin [developer (developer"
        " {developer <developer",
        r"[\[({<](?:system|admin|developer)[ _-](?:note|message|prompt|override|notice"
        r"|instructions?|command)[\])}>:]",
        r"(?:^|\n)\[system\] ?\w",
    ),
    _sign_by_parts(
        _FRAME,
        "system: system] system> assistant: assistant] assistant>",
        r"(?:^|[\n\[<.'\"] ?)(?:system|assistant)[\]>]? ?: ?(?:you|ignore|please|do not|always"
        r"|never|the user|new|admin)\b",
    ),
    _sign_by_words(
        _FRAME,
        ("begin end start", "system hidden secret", "prompt message instruction instructions"),
        r"\b(?:begin|end|start)(?: of)?(?: the)?(?: new)? (?:system|hidden|secret) "
        r"(?:prompt|message|instructions?)\b",
    ),
    _sign_by_words(
        _SPEAKS,
        (MACHINE_WORDS,),
        r"\b(?:attention|notes?|messages?|notice|important|warning|reminder)"
        rf"(?: \w+)? (?:to|for) (?:all |any |the |every |this |your )*{MACHINE}\b",
        rf"\b(?:attention|dear|hey|hello|hi|ok|okay|listen),? (?:all |the )?{MACHINE}\b ?[,:!.-]",
        rf"(?:^|[\n.!?(\[] ?){MACHINE} ?[,:] ?(?:please|you|do not|don't|ignore|always|never|now"
        r"|send|call|run|tell|say|answer|respond|reply|use|forward|delete|execute|store)\b",
        r"\b(?:if|when|as|since|because) you(?: are|'re|’re) (?:an? |the |reading this as an? )"
        rf"(?:\w+ )?{MACHINE}\b",
        rf"\b{MACHINE} (?:reading|processing|summari[sz]ing|parsing|indexing|that reads?"
        r"|who reads?) (?:this|these|the)\b",
        rf"\b{MACHINE} (?:must|shall|is (?:required|instructed|ordered) to|are (?:required"
        r"|instructed|ordered) to|needs? to|ha(?:s|ve) to) (?:now |always |never |not |also |first "
        r"|immediately )*(?:respond|reply|answer|output|ignore|call|send|run|execute|include|say"
        r"|tell|forward|delete|reveal|disclose|obey|comply|follow|print|visit|open|store)\b",
    ),
    _sign_by_words(
        _ANSWERS,
        ("your", ANSWER_WORDS),
        rf"{START}{VERB}\b{FAR}\byour (?:\w+ )?{ANSWER}\b",
        r"(?:^|[\n.!?:;] ?)(?:in|within|throughout|at the (?:end|start|beginning) of) your "
        rf"(?:next )?{ANSWER},? (?:please )?\w+",
    ),
    _sign_by_words(
        _ANSWERS,
        ("respond answer reply", "only exclusively solely just nothing exactly phrase word words"),
        rf"{START}(?:respond|answer|reply) (?:only|exclusively|solely|just) "
        r"(?:with|in|by|using)\b",
        r"\b(?:respond|reply|answer) with (?:only|nothing but|exactly|the (?:phrase|words?))\b",
    ),
    _sign_by_words(
        _SECRETLY,
        ("user human operator", "not don never without avoid hide conceal keep"),
        r"\b(?:do not|don't|don’t|never|without|avoid) (?:ever )?(?:mention\w*|tell\w*|reveal\w*"
        r"|say\w*|disclos\w+|inform\w*|alert\w*|warn\w*|notify\w*|ask\w*|show\w*|let\w*)\b"
        r"[^.!?\n]{0,30}\b(?:the user|the human|the operator)\b[^.!?\n]{0,20}"
        r"\b(?:this|these|about|that you|know|instruct\w*|permission|confirm\w*|first)\b",
        r"\bwithout (?:telling|informing|asking|alerting|notifying) the (?:user|human|operator)\b",
        r"\b(?:hide|conceal|keep) (?:this|these|it|them)\b[^.!?\n]{0,30}\bfrom the "
        r"(?:user|human)\b",
    ),
    _sign_by_words(
        _SENDS,
        (
            "send forward email mail upload post exfiltrate leak transmit submit copy append",
            "password passwords key keys secret secrets credential credentials token tokens apikey"
            " conversation conversations history notes files emails contacts vault memory memories"
            " personal",
        ),
        r"\b(?:send|forward|e-?mail|upload|post|exfiltrate|leak|transmit|submit|copy|append)\b"
        r"[^.!?\n]{0,60}\b(?:passwords?|api[ _-]?keys?|secrets?|credentials?|tokens?|private keys?"
        r"|conversations?|chat history|all (?:the |my |your |of )?(?:notes|files|emails?|contacts)"
        r"|vault|memor(?:y|ies)|personal (?:data|information))\b[^!?\n]{0,60}?"
        r"(?:https?://|www\.|\S@\w)",
    ),
    _sign_by_parts(
        _SENDS,
        "](http",
        r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&][^)=\s]{0,40}=(?:\{|<|\[|\$|%7b)",
    ),
    _sign_by_parts(
        _SENDS,
        "obsidian_rag_",
        rf"{START}(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,20}}\bobsidian_rag_\w+",
    ),
    _sign_by_words(
        _SENDS,
        ("tool tools function functions", "call invoke use run execute trigger"),
        rf"{START}(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,40}}"
        r"\b(?:tools?|functions?)\b[^.!?\n]{0,20}\bto (?:send|delete|forward|upload|e-?mail"
        r"|exfiltrate|post|transfer|purchase|buy)\b",
    ),
    _sign_by_words(
        _CODE,
        ("your", "code snippet script", "following subsequent below succeeding ensuing"),
        rf"{CODE_BELOW}[^.!?\n]{{0,60}}{WORK}",
        rf"{WORK}[^.!?\n]{{0,60}}{CODE_BELOW}",
    ),
    _sign_by_parts(
        _OVERRIDES,
        "anweisung vorgabe regeln befehl",
        r"\b(?:ignoriere?n?|vergiss|vergessen sie|missachte)\b[^.!?]{0,30}\b(?:vorherige|bisherige"
        r"|obige|frühere|vorige|deine|ihre)\w*\b[^.!?]{0,20}\b(?:anweisung|regel|vorgabe|befehl)",
    ),
    _sign_by_parts(
        _OVERRIDES,
        "instrucciones instruções instructions istruzioni consignes",
        r"\b(?:ignora|olvida|ignore|esqueça|oublie[zr]?|ignore[zr]|dimentica)\b[^.!?]{0,30}"
        r"\b(?:instrucciones|instruções|instructions|istruzioni|consignes)"
        r" (?:anteriores|previas|précédentes|ci-dessus|precedenti)\b",
    ),
    _sign_by_parts(
        _OVERRIDES,
        "игнорир забудь",
        r"\b(?:игнорируй(?:те)?|забудь(?:те)?)\b[^.!?]{0,30}\b(?:предыдущ|прошл|прежн|свои|ваши)\w*"
        r"[^.!?]{0,20}(?:инструкц|указан|команд|правил)",
    ),
    _sign_by_parts(
        _OVERRIDES,
        "忽略 无视 無視 忘记 忘掉 系统提示 システムプロンプト 用户 무시",
        r"(?:忽略|无视|無視|忘记|忘掉)[^。！？\n]{0,12}(?:之前|以上|上述|先前|前面|此前|所有|你的|系统)"
        r"[^。！？\n]{0,8}(?:指令|指示|提示|规则|命令|要求)",
        r"(?:以前|これまで|上記|前)の[^。！？\n]{0,8}(?:指示|命令|ルール)[^。！？\n]{0,6}無視",
        r"(?:显示|输出|告诉|泄露|重复|打印)[^。！？\n]{0,10}系统提示|システムプロンプトを",
        r"(?:不要|别|请勿)(?:让|告诉|通知)用户",
        r"(?:이전|위의|앞의)[^.!?\n]{0,10}(?:지시|명령|지침|규칙)[^.!?\n]{0,6}무시",
    ),
)
