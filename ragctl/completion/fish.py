"""The script for fish, to be sourced or to lie in ~/.config/fish/completions."""

from collections.abc import Iterable, Sequence

from ragctl.completion import EARLY, Command, Option, Value

_HEAD = """\
# What `ragctl completion fish` printed; do not edit it. To have it in every new shell, type once:
#   ragctl completion fish > ~/.config/fish/completions/ragctl.fish

function __ragctl_typed --description 'The command and its arguments so far, without options'
    set -l words (commandline -opc)
    set -e words[1]
    set -l is_value no
    for word in $words
        if test $is_value = yes
            set is_value no
            continue
        end
        switch $word
            case --home
                set is_value yes
            case '-*'
            case '*'
                echo $word
        end
    end
end

function __ragctl_verb --description 'The command that is typed already, or failure'
    set -l typed (__ragctl_typed)
    test (count $typed) -gt 0; and echo $typed[1]
end

complete -c ragctl -f"""
_ALONE = "not __ragctl_verb > /dev/null"


def script(commands: Sequence[Command]) -> str:
    lines = [_HEAD]
    lines += _options(_ALONE, EARLY)
    for command in commands:
        lines.append(_line(_ALONE, "-a", _quoted(command.verb), "-d", _quoted(command.purpose)))
    lines.append(_line(_ALONE, "-a", "help", "-d", _quoted("Show the help of a command.")))
    verbs = " ".join(command.verb for command in commands)
    lines.append(_line(_behind("help"), "-a", _quoted(verbs)))
    for command in commands:
        behind = _behind(command.verb)
        lines += _options(behind, command.options)
        for value in command.arguments[:1]:
            lines += _argument(behind, value)
        lines += _depending(command)
    return "\n".join(lines) + "\n"


def _behind(verb: str) -> str:
    return f"string match -q -- {verb} (__ragctl_verb)"


def _options(condition: str, options: Iterable[Option]) -> list[str]:
    lines = []
    for option in options:
        words = []
        for name in option.names:
            words += ["-l", name[2:]] if name.startswith("--") else ["-s", name[1:]]
        if option.value is not None:
            words += _takes(option.value)
        lines.append(_line(condition, *words, "-d", _quoted(option.help)))
    return lines


def _takes(value: Value) -> list[str]:
    match value.kind:
        case "words":
            return ["-x", "-a", _quoted(" ".join(value.words))]
        case "folder":
            return ["-x", "-a", "'(__fish_complete_directories)'"]
        case "file":
            return ["-r", "-F"]
        case _:
            return ["-x"]


def _argument(condition: str, value: Value) -> list[str]:
    match value.kind:
        case "words":
            words = " ".join(value.words)
            unless = f"{condition}; and not __fish_seen_subcommand_from {words}"
            return [_line(unless, "-a", _quoted(words))]
        case "folder":
            return [_line(condition, "-a", "'(__fish_complete_directories)'")]
        case "file":
            return [_line(condition, "-F")]
        case _:
            return []


def _depending(command: Command) -> list[str]:
    lines = []
    for words, value in command.behind:
        typed = _quoted(" ".join((command.verb, *words)))
        condition = f"__ragctl_typed | string join ' ' | string match -q -- {typed}"
        lines.append(_line(condition, *_takes(value)[1:]))  # the first is for options only
    return lines


def _line(condition: str, *words: str) -> str:
    return " ".join(["complete -c ragctl", "-n", _quoted(condition), *words])


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
