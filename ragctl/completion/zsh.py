"""The script for zsh, to be sourced or to lie in a folder of $fpath as `_ragctl`."""

from collections.abc import Iterable, Sequence

from ragctl.completion import EARLY, Command, Option, Value

_SCRIPT = """\
#compdef ragctl
# What `ragctl completion zsh` printed; do not edit it. To have it in every new shell, type once,
# where ~/.zshrc has `autoload -U compinit && compinit` already:
#   echo 'source <(ragctl completion zsh)' >> ~/.zshrc

_ragctl_behind() {{  # a command and its arguments so far; what depends on them
    case "$*" in
{behind}
    esac
}}

_ragctl() {{
    local curcontext="$curcontext" state line ret=1
    local -A opt_args
    local -a verbs
    verbs=(
{verbs}
    )
    _arguments -C {early} \\
        '1: :->verb' \\
        '*:: :->rest' && ret=0
    case $state in
        verb)
            _describe -t commands 'command' verbs && ret=0
            ;;
        rest)
            curcontext="${{curcontext%:*:*}}:ragctl-$words[1]:"
            case $words[1] in
                help)
                    _describe -t commands 'command' verbs && ret=0
                    ;;
{cases}
            esac
            ;;
    esac
    return ret
}}

if [[ $funcstack[1] == _ragctl ]]; then
    _ragctl "$@"
else
    compdef _ragctl ragctl
fi
"""
_CASE = """\
                {verb})
                    _arguments {specs} && ret=0
                    ;;"""
_DO = {"folder": "_files -/", "file": "_files", "anything": ""}


def script(commands: Sequence[Command]) -> str:
    verbs = [f"        {_quoted(_verb(c.verb, c.purpose))}" for c in commands]
    verbs.append(f"        {_quoted(_verb('help', 'Show the help of a command.'))}")
    cases = [_CASE.format(verb=c.verb, specs=_joined(_specs(c), 24)) for c in commands]
    return _SCRIPT.format(
        verbs="\n".join(verbs),
        early=_joined(_options(EARLY), 8),
        cases="\n".join(cases),
        behind="\n".join(line for c in commands for line in _behind(c)),
    )


def _verb(verb: str, purpose: str) -> str:
    return f"{verb}:{_escaped(purpose)}"


def _specs(command: Command) -> list[str]:
    specs = _options(command.options)
    depending = {len(words) + 1 for words, _ in command.behind}
    for place, value in enumerate(command.arguments, 1):
        endless = command.endless and place == len(command.arguments)
        said = _dependent(command.verb, value, place) if place in depending else _value(value)
        specs.append(f"{'*' if endless else place}:{said}")
    return specs


def _dependent(verb: str, value: Value, place: int) -> str:
    """Left to `_ragctl_behind`, which gets the arguments before this one."""
    before = " ".join(f"$line[{earlier}]" for earlier in range(1, place))
    return f"{_escaped(value.name)}:{{_ragctl_behind {verb} {before}}}"


def _behind(command: Command) -> list[str]:
    lines = []
    for words, value in command.behind:
        offer = f'compadd "$expl[@]" -- {" ".join(value.words)}'
        do = offer if value.kind == "words" else _DO[value.kind]
        lines.append(f"        '{' '.join((command.verb, *words))}') {do} ;;")
    return lines


def _options(options: Iterable[Option]) -> list[str]:
    specs = []
    for option in options:
        told = f"[{_escaped(option.help)}]"
        takes = f":{_value(option.value)}" if option.value is not None else ""
        others = "" if option.repeats else f"({' '.join(option.names)})"
        for name in option.names:
            equals = "=" if takes and name.startswith("--") else ""
            specs.append(f"{'*' if option.repeats else others}{name}{equals}{told}{takes}")
    return specs


def _value(value: Value) -> str:
    do = f"({' '.join(value.words)})" if value.kind == "words" else _DO[value.kind]
    return f"{_escaped(value.name)}:{do}"


def _escaped(text: str) -> str:
    for sign in ("\\", "[", "]", ":"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _joined(specs: Iterable[str], indent: int) -> str:
    return f" \\\n{' ' * indent}".join(map(_quoted, specs))
