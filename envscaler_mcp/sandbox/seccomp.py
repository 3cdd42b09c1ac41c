"""A filter over system calls: what a running worker needs is allowed, the rest ends the process.

Two filters stand one behind the other. The first asks the harness about every new process, so that a world can be
forked when the harness wants it and never otherwise. The second is the list.
"""

from __future__ import annotations

import ctypes
import errno
import select
import struct
import sys
import time
from collections.abc import Iterable, Mapping

from envscaler_mcp.sandbox.system import CLONE_PARENT, MACHINE, PR_SET_PDEATHSIG, syscall

if sys.platform != "win32":
    import fcntl

_SIGKILL = 9
_NPROC = 6
_X32 = 0x40000000
_PROT_EXEC = 4
_MAP_SHARED = 1
"""Also a bit of MAP_SHARED_VALIDATE. Forks of one worker would all see such memory."""
_FORK_FLAGS = CLONE_PARENT | 0xFF
"""What `fork_sibling` asks for; threads, namespaces and an ordinary fork ask for something else."""

_KILL, _ERRNO, _ASK, _ALLOW = 0x80000000, 0x00050000, 0x7FC00000, 0x7FFF0000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH = 0, 4

_SET_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1

Program = list[tuple[int, int, int, int]]


class _Arch:
    """One processor's numbers."""

    def __init__(self, audit: int, seccomp: int, numbers: Mapping[str, int]) -> None:
        self.audit, self.seccomp, self.numbers = audit, seccomp, numbers


_ARCHS = {
    "x86_64": _Arch(
        0xC000003E,
        317,
        {
            "recvfrom": 45, "sendto": 44, "recvmsg": 47, "mmap": 9, "mprotect": 10, "clone": 56, "clone3": 435,
            "prctl": 157, "dup3": 292, "prlimit64": 302, "munmap": 11, "brk": 12, "mremap": 25, "madvise": 28, "futex": 202,
            "rt_sigprocmask": 14, "rt_sigreturn": 15, "sigaltstack": 131, "close": 3, "setpgid": 109,
            "getpid": 39, "getppid": 110, "gettid": 186, "getrandom": 318, "clock_gettime": 228, "clock_getres": 229,
            "gettimeofday": 96, "time": 201, "restart_syscall": 219, "sched_yield": 24, "set_robust_list": 273,
            "rseq": 334, "exit": 60, "exit_group": 231,
        },
    ),
    "aarch64": _Arch(
        0xC00000B7,
        277,
        {
            "recvfrom": 207, "sendto": 206, "recvmsg": 212, "mmap": 222, "mprotect": 226, "clone": 220, "clone3": 435,
            "prctl": 167, "dup3": 24, "prlimit64": 261, "munmap": 215, "brk": 214, "mremap": 216, "madvise": 233, "futex": 98,
            "rt_sigprocmask": 135, "rt_sigreturn": 139, "sigaltstack": 132, "close": 57, "setpgid": 154,
            "getpid": 172, "getppid": 173, "gettid": 178, "getrandom": 278, "clock_gettime": 113, "clock_getres": 114,
            "gettimeofday": 169, "restart_syscall": 128, "sched_yield": 124, "set_robust_list": 99,
            "rseq": 293, "exit": 93, "exit_group": 94,
        },
    ),
}  # fmt: skip

_SPECIAL = frozenset(
    {"recvfrom", "sendto", "recvmsg", "mmap", "mprotect", "clone", "clone3", "prctl", "dup3", "prlimit64"}
)


_REFUSED = {
    "x86_64": (2, 257, 4, 5, 6, 262, 89, 267, 8, 16, 72),
    "aarch64": (56, 79, 80, 78, 62, 29, 25),
}
"""open, stat, readlink, lseek, ioctl, fcntl: the C library and Python try these unasked and live with a no."""


def known_machine() -> bool:
    """Whether the numbers of this processor's system calls are written down here."""
    return MACHINE in _ARCHS


def ask_before_fork() -> int:
    """From here on a new process needs an answer; the descriptor on which the questions arrive."""
    arch = _arch()
    clone = arch.numbers["clone"]
    program = [*_head(arch), (_IF_EQUAL, 0, 1, clone), (_RETURN, 0, 0, _ASK), (_RETURN, 0, 0, _ALLOW)]
    return _install(arch, program, _NEW_LISTENER)


def allow_only_the_list(channel: int, forks: bool) -> None:
    """From here on only the list; messages go over one descriptor, no memory becomes a program or is shared.

    Forking is on it only where a listener decides on each clone.
    """
    arch = _arch()
    numbers = arch.numbers
    program = _head(arch)
    for name in ("recvfrom", "sendto", "recvmsg"):
        program += _when(numbers[name], [_load(0), (_IF_EQUAL, 0, 1, channel), *_verdicts()])
    program += _when(
        numbers["mmap"],
        [_load(2), (_IF_ANY, 3, 0, _PROT_EXEC), _load(3), (_IF_ANY, 1, 0, _MAP_SHARED), *_verdicts()],
    )
    program += _when(numbers["mprotect"], [_load(2), (_IF_ANY, 1, 0, _PROT_EXEC), *_verdicts()])
    if forks:
        program += _forking(numbers)
    program += _when(numbers["clone3"], [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)])
    program += _when(
        numbers["prctl"],
        [_load(0), (_IF_EQUAL, 0, 3, PR_SET_PDEATHSIG), _load(1), (_IF_EQUAL, 0, 1, _SIGKILL), *_verdicts()],
    )
    program += _when(numbers["dup3"], [_load(1), (_IF_EQUAL, 0, 1, channel), *_verdicts()])
    for number in _REFUSED[MACHINE]:
        program += _when(number, [(_RETURN, 0, 0, _ERRNO | errno.EACCES)])
    plain = [number for name, number in numbers.items() if name not in _SPECIAL]
    for number in plain:
        program += _when(number, [(_RETURN, 0, 0, _ALLOW)])
    program.append((_RETURN, 0, 0, _KILL))
    _install(arch, program, 0)


class Listener:
    """The harness's end of `ask_before_fork`: worlds forked from one another share the questions."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def asked(self, seconds: float) -> bool:
        """Whether a clone waits for an answer, within so many seconds."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        return any(events & select.POLLIN for _, events in poll.poll(seconds * 1000))

    def agree(self, worker: int, seconds: float) -> bool:
        """Let the worker make one process; false when it did not ask in time. Others are refused."""
        deadline = time.monotonic() + seconds
        while self.asked(max(0.0, deadline - time.monotonic())):
            number, pid = self._question()
            if number is None:
                continue
            if pid == worker:
                return self._answer(number, 0, _CONTINUE)
            self._answer(number, -errno.EPERM, 0)
        return False

    def refuse(self) -> set[int]:
        """Refuse every clone that waits; the pids of the processes that tried."""
        asking = set()
        while self.asked(0):
            number, pid = self._question()
            if number is not None:
                self._answer(number, -errno.EPERM, 0)
                asking.add(pid)
        return asking

    def _question(self) -> tuple[int | None, int]:
        question = bytearray(80)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, question)
        except OSError:
            # The process that asked is gone.
            return None, 0
        number, pid = struct.unpack_from("=QI", question)
        return int(number), int(pid)

    def _answer(self, number: int, error: int, flags: int) -> bool:
        try:
            fcntl.ioctl(self.descriptor, _SEND, bytearray(struct.pack("=QqiI", number, 0, error, flags)))
        except OSError:
            return False
        return True


def _arch() -> _Arch:
    if MACHINE not in _ARCHS:
        raise OSError(errno.ENOSYS, f"no list of system calls is known for {MACHINE!r}")
    return _ARCHS[MACHINE]


def _head(arch: _Arch) -> Program:
    """Another processor's calls and the x32 variant would slip past the numbers: they end the process."""
    return [
        (_LOAD, 0, 0, _ARCH),
        (_IF_EQUAL, 1, 0, arch.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]


def _forking(numbers: Mapping[str, int]) -> Program:
    """A sibling and nothing else, and the bound on processes lifted for it."""
    sibling = [
        _load(0),
        (_IF_ANY, 4, 0, ~_FORK_FLAGS & 0xFFFFFFFF),
        (_IF_ANY, 0, 3, CLONE_PARENT),
        _load(1),
        (_IF_EQUAL, 0, 1, 0),
        *_verdicts(),
    ]
    bound = [_load(0), (_IF_EQUAL, 0, 3, 0), _load(1), (_IF_EQUAL, 0, 1, _NPROC), *_verdicts()]
    return _when(numbers["clone"], sibling) + _when(numbers["prlimit64"], bound)


def _when(number: int, block: Iterable[tuple[int, int, int, int]]) -> Program:
    """The block runs for that call only; it returns in every branch."""
    steps = list(block)
    return [(_IF_EQUAL, 0, len(steps), number), *steps]


def _load(argument: int) -> tuple[int, int, int, int]:
    """The lower half of an argument: both processors store it first."""
    return (_LOAD, 0, 0, 16 + 8 * argument)


def _verdicts() -> Program:
    """What the jump before it chose between: allowed, or the end."""
    return [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _KILL)]


def _install(arch: _Arch, program: Program, flags: int) -> int:
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(buffer)))
    return syscall(arch.seccomp, _SET_FILTER, flags, ctypes.byref(header))
