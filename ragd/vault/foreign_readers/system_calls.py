"""Makes the Linux kernel refuse system calls that a reader never needs (seccomp).

Refused: network sockets, other programs and processes, signals to others, files opened for
writing, and what could get around these. It knows 64-bit Intel and ARM processors. A refused call
fails with an error; it does not end the process.
"""

import ctypes
import errno
import platform
import struct
import sys
from typing import NamedTuple

_SET_SECCOMP, _SET_NO_NEW_PRIVS, _FILTER_MODE = 22, 38, 2
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _FAIL = 0x7FFF_0000, 0x0005_0000
_SAME_PROCESS = 0x0001_0000  # a flag of clone: a thread, not a process
_FIRST_X32 = 0x4000_0000  # the numbers of another way to call an Intel kernel
_WRITING = 0o1 | 0o2 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC


class _Calls(NamedTuple):
    """The numbers of one processor."""

    architecture: int
    clone: int
    opens: tuple[tuple[int, int], ...]  # a call that opens a file, and which argument has its flags
    refused: tuple[int, ...]


_CLONE3 = 435  # its flags cannot be seen; the C library then uses clone
# io_uring_setup, pidfd_send_signal, openat2, pidfd_open
_SAME_EVERYWHERE = (425, 424, 437, 434)
_BY_PROCESSOR = {
    "x86_64": _Calls(
        0xC000_003E,
        clone=56,
        opens=((2, 1), (257, 2)),
        refused=(
            *(41, 42, 49),  # socket, connect, bind
            *(57, 58, 59, 322),  # fork, vfork, execve, execveat
            *(62, 200, 129, 297),  # kill, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo
            *(101, 310, 311),  # ptrace, process_vm_readv, process_vm_writev
            *(85, 76, 304, 133, 259),  # creat, truncate, open_by_handle_at, mknod, mknodat
            *(87, 263, 84, 83, 258),  # unlink, unlinkat, rmdir, mkdir, mkdirat
            *(82, 264, 316, 86, 265, 88, 266),  # rename, link, symlink and their variants
            *(90, 268, 92, 94, 260),  # chmod, fchmodat, chown, lchown, fchownat
            *_SAME_EVERYWHERE,
        ),
    ),
    "aarch64": _Calls(
        0xC000_00B7,
        clone=220,
        opens=((56, 2),),
        refused=(
            *(198, 203, 200),  # socket, connect, bind
            *(221, 281),  # execve, execveat
            *(129, 130, 138, 240),  # kill, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo
            *(117, 270, 271),  # ptrace, process_vm_readv, process_vm_writev
            *(45, 265, 33),  # truncate, open_by_handle_at, mknodat
            *(35, 34),  # unlinkat, mkdirat
            *(38, 276, 37, 36),  # renameat, renameat2, linkat, symlinkat
            *(53, 54),  # fchmodat, fchownat
            *_SAME_EVERYWHERE,
        ),
    ),
}


def refuse_system_calls() -> bool:
    """Refuse them from now on, in all threads to come. Returns whether the kernel does so."""
    calls = _BY_PROCESSOR.get(platform.machine())
    if sys.platform != "linux" or calls is None:
        return False
    code = _filter(calls)
    instructions = ctypes.create_string_buffer(code)
    # struct sock_fprog: the number of instructions, and a pointer to them
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(instructions))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_ulong)
    if prctl(_SET_NO_NEW_PRIVS, 1, None, 0, 0):
        return False
    return bool(prctl(_SET_SECCOMP, _FILTER_MODE, program, 0, 0) == 0)


def _filter(calls: _Calls) -> bytes:
    """The program that the kernel runs for every system call."""
    refuse = _instruction(_RETURN, _FAIL | errno.EACCES)
    allow = _instruction(_RETURN, _ALLOW)
    parts = [
        _instruction(_LOAD, _ARCHITECTURE_AT),
        _instruction(_EQUAL, calls.architecture, 1, 0),
        refuse,
        _instruction(_LOAD, _NUMBER_AT),
        _instruction(_AT_LEAST, _FIRST_X32, 0, 1),
        refuse,
        _instruction(_EQUAL, _CLONE3, 0, 1),
        _instruction(_RETURN, _FAIL | errno.ENOSYS),
        _instruction(_EQUAL, calls.clone, 0, 4),
        _instruction(_LOAD, _ARGUMENTS_AT),
        _instruction(_ANY_BIT, _SAME_PROCESS, 0, 1),
        allow,
        refuse,
    ]
    for number, argument in calls.opens:
        parts += [
            _instruction(_EQUAL, number, 0, 4),
            _instruction(_LOAD, _ARGUMENTS_AT + 8 * argument),
            _instruction(_ANY_BIT, _WRITING, 1, 0),
            allow,
            refuse,
        ]
    for number in calls.refused:
        parts += [_instruction(_EQUAL, number, 0, 1), refuse]
    return b"".join([*parts, allow])


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
