"""Parts of the regular expressions for instructions to a machine. Pure.

Gaps are short and stay within a sentence, so that every search is linear.
"""

NEAR = r"(?:[^.!?。！？]|[.!?](?=[\w\"'])){0,40}?"
FAR = r"(?:[^.!?。！？]|[.!?](?=[\w\"'])){0,120}?"
START = r"(?:^|[\n.!?:;>*,\"'(\[-] ?|\b(?:please|then|also|and|must|should|kindly|now) )"

MACHINE = (
    r"(?:ai|llms?|(?:large )?language models?|chat ?bots?|chatgpt|gpt(?:-\d\w*)?|claude|gemini"
    r"|copilot|openclaw|(?:ai |virtual |digital )(?:assistants?|agents?|models?|systems?)"
    r"|assistants?)"
)
MACHINE_WORDS = (
    "ai llm llms language chat chatbot chatbots chatgpt gpt claude gemini copilot openclaw virtual"
    " digital assistant assistants"
)
ANSWER_WORDS = "response reply answer output completion message summary explanation elucidation"
ANSWER = f"(?:{'|'.join(ANSWER_WORDS.split())})"
ORDERS = (
    r"(?:instructions?|prompts?|rules?|directions?|directives?|commands?|guidelines?|messages?"
    r"|programming|training|constraints?|polic(?:y|ies)|restrictions?|context|safeguards?)"
)
EARLIER = r"(?:previous|prior|above|preceding|earlier|foregoing|original|initial|existing|former)"
HIDDEN = (
    r"(?:system|initial|original|hidden|secret|starting|internal|developer|base|underlying|opening)"
)
TELL = (
    r"(?:show|reveal|print|output|display|repeat|tell|give|leak|send|encode|translate|see|dump"
    r"|summari[sz]e|expose|share|list|provide|disclose|write|return|recite|copy)"
)
VERB = (
    r"(?:add|adjust|alter|anagram|append|apply|arrange|augment|begin|change|combine|compose|conceal"
    r"|convert|craft|deliver|disguise|embed|encode|encrypt|end|enhance|ensure|express|finish|format"
    r"|formulate|give|group|hide|include|incorporate|insert|integrate|introduce|invert|jumble|make"
    r"|mention|misspell|modify|obfuscate|omit|output|phrase|prefix|present|print|produce|provide"
    r"|rearrange|refine|remove|render|repeat|replace|respond|reverse|rewrite|scramble|shift|shuffle"
    r"|spell|start|state|structure|substitute|swap|transform|translate|transpose|use|utili[sz]e"
    r"|weave|wrap|write)"
)
CODE_BELOW = (
    r"\b(?:following|subsequent|below|succeeding|ensuing)(?: \w+)? (?:code|snippet|script)\b"
)
WORK_WORDS = f"code codebase solution implementation algorithm program {ANSWER_WORDS}"
WORK = rf"\byour (?:\w+ )?(?:{'|'.join(WORK_WORDS.split())})\b"
