"""A systemd unit as text. It writes no file.

The system call filter needs no privileges and always works. Restricting the file system needs a
user namespace, which some machines do not allow: `sandbox` adds these lines.
"""

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Program
from ragd.errors import EXIT_ALREADY_RUNNING, EXIT_CONFIG, EXIT_PERMISSION

NO_RESTART_CODES = (
    EXIT_ALREADY_RUNNING,
    EXIT_PERMISSION,
    EXIT_CONFIG,
)  # a restart fixes none of these

# A stop is bounded (daemon.py): seven waits of at most five seconds.
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
FILTERED = """\
# No core dumps, no new privileges, no sockets but local ones and IP, no unusual calls.
LimitCORE=0
UMask=0077
NoNewPrivileges=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
"""
_NO_NEW_CODE = "MemoryDenyWriteExecute=yes\n"
_SANDBOX = """\
# The file system, including the vault, is read-only, except for the folders that ragd writes.
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


def render_unit(program: Program, *, sandbox: bool) -> str:
    """The unit that runs this program. Raises Failure if a path cannot be written in a unit."""
    if any(sign in program.command[0] for sign in "\\\"'"):
        raise Failure(
            f"systemd cannot run {program.command[0]}: the path contains a quote or a backslash.",
            "Install ragd in another folder.",
        )
    environment = (
        quote_unit_word(f"{name}={value}") for name, value in program.environment.items()
    )
    lines = [
        f"# {MARK}, which overwrites it.",
        "# To change something, use `systemctl --user edit`: ragctl keeps that.",
        "[Unit]",
        f"Description=ragd, search for an Obsidian vault ({_home_text(program)})",
        "StartLimitIntervalSec=300",
        "StartLimitBurst=5",
        "",
        "[Service]",
        # The colon: systemd expands no variables after it.
        f"ExecStart=:{' '.join(map(quote_unit_word, program.command))}",
        *(f"Environment={setting}" for setting in environment),
        _SERVICE.format(hopeless=" ".join(map(str, NO_RESTART_CODES))),
        FILTERED + _NO_NEW_CODE,
    ]
    if sandbox:
        lines.append(_SANDBOX.format(places="\n".join(_path_lines(program))))
    lines += ["[Install]", "WantedBy=default.target", ""]
    return "\n".join(lines)


def quote_unit_word(word: str) -> str:
    """The word, quoted for a unit: spaces, quotes, and percent signs."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{_require_printable(escaped)}"'


def sandbox_properties(program: Program) -> list[str]:
    """The lines that need a user namespace, for a trial with `systemd-run`, which takes a percent
    sign literally."""
    lines = _SANDBOX.format(places="\n".join(_path_lines(program))).splitlines()
    return [line.replace("%%", "%") for line in lines if not line.startswith("#")]


def _path_lines(program: Program) -> list[str]:
    """The writable folders, the read-only vault, and private temporary folders."""
    lines = [f"ReadWritePaths={quote_unit_word(path)}" for path in program.writable]
    lines.append(f"ReadOnlyPaths=-{quote_unit_word(program.vault)}")
    used = (*program.command, *program.environment.values(), program.vault, *program.writable)
    if any(_is_in(path, folder) for path in used for folder in _TEMPORARY):
        lines += [f"ReadWritePaths={folder}" for folder in _TEMPORARY]
    else:
        lines.append("PrivateTmp=yes")
    return lines


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _home_text(program: Program) -> str:
    return _require_printable(program.home.root.replace("%", "%%"))


def _require_printable(text: str) -> str:
    """The text. Raises Failure if a unit cannot contain it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        wrong = "is not UTF-8"
    else:
        wrong = "contains a control character" if any(c < " " or c == "\x7f" for c in text) else ""
    if wrong:
        raise Failure(
            f"A systemd unit cannot contain {text!r}: it {wrong}.",
            "Rename the folder, or choose another one with --home.",
        )
    return text
