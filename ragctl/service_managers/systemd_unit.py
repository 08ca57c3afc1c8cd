"""A systemd unit as text: quoting, and what is in it. It touches nothing.

What is hardened by a system call filter needs no privileges and always works. What needs a view of
the file system of its own needs a user namespace, which some machines do not give: those lines
stand apart, and `sandbox` says whether they are there.
"""

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Program
from ragd.errors import EXIT_ALREADY_RUNNING, EXIT_CONFIG, EXIT_PERMISSION

HOPELESS = (EXIT_ALREADY_RUNNING, EXIT_PERMISSION, EXIT_CONFIG)  # another start mends none of them

# The whole way down is bounded (daemon.py): seven waits of five seconds at most.
_SERVICE = """\
Type=notify
NotifyAccess=main
WatchdogSec=60
Restart=on-failure
RestartSec=5
RestartPreventExitStatus={hopeless}
TimeoutStartSec=300
TimeoutStopSec=60
KillMode=mixed
"""
_FILTERED = """\
# No core dumps, no new privileges, no sockets but local ones and IP (Ollama), no unusual calls.
LimitCORE=0
UMask=0077
NoNewPrivileges=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
MemoryDenyWriteExecute=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
"""
_APART = """\
# The file system is read-only, the vault too, but for the folders that ragd writes.
PrivateUsers=yes
ProtectSystem=strict
{places}
PrivateDevices=yes
CapabilityBoundingSet=
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
"""
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108


def unit(program: Program, *, sandbox: bool) -> str:
    """The unit that runs this program for its user. Raises Failure for what no unit can say."""
    if any(sign in program.command[0] for sign in "\\\"'"):
        raise Failure(
            f"systemd cannot run {program.command[0]}: there is a quote or a backslash in it.",
            "Install ragd in another folder.",
        )
    environment = (quoted(f"{name}={value}") for name, value in program.environment.items())
    lines = [
        f"# {MARK}, which will write it anew.",
        "# To change something, use `systemctl --user edit`: that is kept.",
        "[Unit]",
        f"Description=ragd, which answers questions about an Obsidian vault ({_text(program)})",
        "StartLimitIntervalSec=300",
        "StartLimitBurst=5",
        "",
        "[Service]",
        # The colon: nothing behind it is taken for a variable.
        f"ExecStart=:{' '.join(map(quoted, program.command))}",
        *(f"Environment={setting}" for setting in environment),
        _SERVICE.format(hopeless=" ".join(map(str, HOPELESS))),
        _FILTERED,
    ]
    if sandbox:
        lines.append(_APART.format(places="\n".join(_places(program))))
    lines += ["[Install]", "WantedBy=default.target", ""]
    return "\n".join(lines)


def quoted(word: str) -> str:
    """One word, whatever is in it: spaces, quotes, and the percent sign that means something."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{_utterable(escaped)}"'


def sandbox_properties(program: Program) -> list[str]:
    """The lines that need a user namespace, for a try with `systemd-run`: there, a percent sign is
    nothing but itself."""
    lines = _APART.format(places="\n".join(_places(program))).splitlines()
    return [line.replace("%%", "%") for line in lines if not line.startswith("#")]


def _places(program: Program) -> list[str]:
    """What is writable, what never is, and folders for temporary files that nobody else sees."""
    lines = [f"ReadWritePaths={quoted(place)}" for place in program.writable]
    lines.append(f"ReadOnlyPaths=-{quoted(program.vault)}")
    used = (*program.command, *program.environment.values(), program.vault, *program.writable)
    if any(_below(place, folder) for place in used for folder in _TEMPORARY):
        lines += [f"ReadWritePaths={folder}" for folder in _TEMPORARY]
    else:
        lines.append("PrivateTmp=yes")
    return lines


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _text(program: Program) -> str:
    return _utterable(program.home.root.replace("%", "%%"))


def _utterable(text: str) -> str:
    """The text, if a unit can say it at all."""
    try:
        text.encode()
    except UnicodeEncodeError:
        wrong = "is not UTF-8"
    else:
        wrong = "has a control character in it" if any(c < " " or c == "\x7f" for c in text) else ""
    if wrong:
        raise Failure(
            f"A systemd unit cannot name {text!r}: it {wrong}.",
            "Give the folder another name, or choose another with --home.",
        )
    return text
