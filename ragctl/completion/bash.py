"""The script for bash, from 3.2 (macOS) on; it needs nothing that bash does not have."""

from collections.abc import Iterable, Sequence

from ragctl.completion import EARLY, Command, Option, Value

_SCRIPT = """\
# What `ragctl completion bash` printed; do not edit it. To have it in every new shell, type once:
#   echo 'source <(ragctl completion bash)' >> ~/.bashrc

_ragctl_options() {{  # of which command
    case $1 in
{options}
    esac
}}

_ragctl_value() {{  # of which command, of which option
    wants=
    case "$1:$2" in
{values}
    esac
}}

_ragctl_argument() {{  # of which command, in which place
    wants=
    case "$1:$2" in
{arguments}
    esac
}}

_ragctl_behind() {{  # a command and its arguments so far; what depends on them
    case $1 in
{behind}
    esac
}}

_ragctl_reply() {{  # what may stand there, what is typed so far
    local line
    case $1 in
        @anything) ;;
        @folder) compopt -o dirnames 2>/dev/null ||
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$2") ;;
        @file) compopt -o default 2>/dev/null ||
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2") ;;
        *) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$1" -- "$2") ;;
    esac
}}

_ragctl() {{
    local typed=${{COMP_WORDS[COMP_CWORD]}} word verb='' pending='' plain='' wants='' words=''
    local given=''
    local -i i place=0
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        if [[ $word == = ]]; then  # bash takes --option=value apart
            continue
        elif [[ -n $pending ]]; then
            pending=''
        elif [[ -z $plain && $word == -- ]]; then
            plain=yes
        elif [[ -z $plain && $word == -* ]]; then
            _ragctl_value "$verb" "$word"
            pending=$wants
        elif [[ -z $verb ]]; then
            verb=$word
        else
            place=$((place + 1))
            given="$given $word"
        fi
    done
    if [[ -n $pending ]]; then
        [[ $typed == = ]] && typed=''
        _ragctl_reply "$pending" "$typed"
        return
    fi
    _ragctl_options "$verb"
    if [[ -z $plain && $typed == -* ]]; then
        _ragctl_reply "$words" "$typed"
        return
    fi
    _ragctl_argument "$verb" "$place"
    _ragctl_behind "$verb$given"
    if [[ -z $wants && -z $typed && -z $plain ]]; then
        wants=$words
    fi
    _ragctl_reply "${{wants:-@anything}}" "$typed"
}}

complete -F _ragctl ragctl
"""


def script(commands: Sequence[Command]) -> str:
    verbs = " ".join(command.verb for command in commands)
    of_all = [("", EARLY), *((command.verb, command.options) for command in commands)]
    arguments = [_case(["':0'"], f"wants='{verbs} help'"), _case(["help:0"], f"wants='{verbs}'")]
    for command in commands:
        arguments += _arguments(command)
    return _SCRIPT.format(
        options="\n".join(
            _case([verb or "''"], f"words='{' '.join(option.names[0] for option in options)}'")
            for verb, options in of_all
        ),
        values="\n".join(line for verb, options in of_all for line in _values(verb, options)),
        arguments="\n".join(arguments),
        behind="\n".join(line for command in commands for line in _behind(command)),
    )


def _values(verb: str, options: Iterable[Option]) -> list[str]:
    return [
        _case([f"'{verb}:{name}'" for name in option.names], f"wants='{_wants(option.value)}'")
        for option in options
        if option.value is not None
    ]


def _arguments(command: Command) -> list[str]:
    cases = []
    for place, value in enumerate(command.arguments):
        last = command.endless and place == len(command.arguments) - 1
        cases.append(
            _case([f"{command.verb}:{'*' if last else place}"], f"wants='{_wants(value)}'")
        )
    return cases


def _behind(command: Command) -> list[str]:
    return [
        _case([f"'{' '.join((command.verb, *words))}'"], f"wants='{_wants(value)}'")
        for words, value in command.behind
    ]


def _wants(value: Value) -> str:
    return " ".join(value.words) if value.kind == "words" else f"@{value.kind}"


def _case(patterns: Sequence[str], does: str) -> str:
    return f"        {' | '.join(patterns)}) {does} ;;"
