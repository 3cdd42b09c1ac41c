"""What each layer does by itself, in a process made for it."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import socket
import sys
import textwrap
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from types import ModuleType

import pytest

from envscaler_mcp.sandbox import landlock, limits, seccomp
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.modules import guarded_builtins
from envscaler_mcp.sandbox.output import Sink
from envscaler_mcp.sandbox.probe import Kernel, probe
from envscaler_mcp.sandbox.system import PR_SET_NO_NEW_PRIVS, fork_sibling, prctl, syscall
from envscaler_mcp.sandbox.tripwire import TRIPPED, Stage, arm
from envscaler_mcp.sandbox.zygote import zygote
from envscaler_mcp.serving.determinism import Sources
from envscaler_mcp.serving.replaced_modules import replaced_modules

KERNEL = zygote().kernel if os.name == "posix" else Kernel(False, 0, False, "not posix", False)
with_kernel = pytest.mark.skipif(not KERNEL.works, reason=f"the kernel layer is missing: {KERNEL.why_not}")
FINE, REFUSED = 0, 7


class _Bare:
    pass


class _Lying(str):
    """A text that equals none of those that it is compared with, and hides what it hashes to."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


def in_a_child(attempt: Callable[[], int | None]) -> int:
    """The status of a fork that did it: what it returned, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        status = 100
        try:
            status = attempt() or FINE
        except OSError:
            status = REFUSED
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def listed(channel: int = 3, forks: bool = True) -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.allow_only_the_list(channel, forks)


@with_kernel
def test_landlock_takes_files_and_tcp_and_leaves_udp() -> None:
    def attempt() -> int | None:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        assert landlock.forbid_everything() == KERNEL.landlock
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.sendto(b"x", ("127.0.0.1", 9))
        if KERNEL.landlock >= 4:
            with socket.socket() as line:
                assert line.connect_ex(("127.0.0.1", 9)) == errno.EACCES
        return os.open("/", os.O_RDONLY)

    assert in_a_child(attempt) == REFUSED


@with_kernel
@pytest.mark.parametrize(
    "attempt",
    [
        socket.socket,
        lambda: os.write(1, b"x"),
        lambda: os.kill(os.getpid(), 0),
        lambda: os.execv("/bin/true", ["true"]),
        lambda: os.pipe(),
        lambda: prctl(4, 1),
        lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)),
        lambda: os.dup2(0, 5),
        lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN),
        lambda: syscall(0x40000000 + 39),
        lambda: socket.socket(fileno=0, family=1, type=1, proto=0).send(b"x"),
    ],
)
def test_a_system_call_that_is_not_on_the_list_ends_the_process(attempt: Callable[[], object]) -> None:
    def tried() -> None:
        listed()
        attempt()

    assert in_a_child(tried) == -signal.SIGSYS


@with_kernel
@pytest.mark.parametrize("attempt", [fork_sibling, lambda: limits.allow_processes(True)])
def test_nothing_is_forked_where_nobody_can_be_asked(attempt: Callable[[], object]) -> None:
    def tried() -> None:
        listed(forks=False)
        attempt()

    assert in_a_child(tried) == -signal.SIGSYS


@with_kernel
def test_a_process_is_made_only_when_the_harness_agrees() -> None:
    ours, theirs = socket.socketpair()

    def tried() -> int:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        socket.send_fds(theirs, [b"l"], [seccomp.ask_before_fork()])
        try:
            os.fork()
        except PermissionError:
            return REFUSED
        return FINE

    with ours, theirs:
        child = os.fork()
        if child == 0:
            os._exit(tried())
        _, handed, _, _ = socket.recv_fds(ours, 1, 1)
        listener = seccomp.Listener(handed[0])
        assert listener.asked(10)
        assert listener.refuse() == {child}
        assert not listener.asked(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == REFUSED
        os.close(handed[0])


@with_kernel
def test_memory_never_becomes_a_program_and_is_never_shared() -> None:
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 4]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def mapped(protection: int, flags: int = 0x22) -> int:
        return int(libc.mmap(None, 4096, protection, flags, -1, 0))

    def asked_at_once() -> None:
        listed()
        mapped(7)

    def asked_later() -> None:
        listed()
        libc.mprotect(mapped(3), 4096, 5)

    def shared(flags: int) -> None:
        listed()
        mapped(3, flags)

    assert in_a_child(partial(shared, 0x22)) == FINE
    assert in_a_child(partial(shared, 0x21)) == -signal.SIGSYS
    assert in_a_child(partial(shared, 0x23)) == -signal.SIGSYS
    assert in_a_child(asked_at_once) == -signal.SIGSYS
    assert in_a_child(asked_later) == -signal.SIGSYS


@with_kernel
def test_what_a_worker_needs_is_on_the_list() -> None:
    def attempt() -> None:
        listed(0)
        kept = [bytearray(1 << 20) for _ in range(20)]
        del kept
        os.urandom(8)
        os.getpid()
        sum(i for i in range(10_000))

    assert in_a_child(attempt) == FINE


@with_kernel
def test_files_are_answered_with_a_no_because_python_looks_at_some_by_itself() -> None:
    def attempt() -> int:
        listed()
        return os.open("/", os.O_RDONLY)

    assert in_a_child(attempt) == REFUSED


@with_kernel
def test_the_probe_agrees_with_the_zygote() -> None:
    assert probe() == KERNEL


@pytest.mark.parametrize(
    ("layer", "word"), [("landlock.version", "Landlock"), ("seccomp.allow_only_the_list", "seccomp")]
)
def test_the_probe_says_what_is_missing(layer: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSYS, "no")

    monkeypatch.setattr(f"envscaler_mcp.sandbox.{layer}", refuse if word == "seccomp" else lambda: 0)
    if word == "Landlock":
        monkeypatch.setattr(landlock, "forbid_everything", refuse)
    found = probe()
    assert not found.works
    assert word in found.why_not


def test_bounds_hold_memory_files_and_processes() -> None:
    def attempt() -> int | None:
        limits.apply(Limits(memory=200 << 20))
        try:
            bytearray(300 << 20)
        except MemoryError:
            pass
        else:
            return 1
        limits.drop_root(1)
        try:
            child = os.fork()
        except BlockingIOError:
            return REFUSED
        if child == 0:
            os._exit(0)
        return 2

    assert in_a_child(attempt) == REFUSED


def test_root_becomes_a_user_that_owns_nothing() -> None:
    def attempt() -> int:
        uid = limits.drop_root(5)
        assert uid == os.geteuid() == os.getuid()
        return 3 if uid == 0 else FINE

    assert in_a_child(attempt) == FINE


@pytest.mark.parametrize(
    ("stage", "attempt", "expected"),
    [
        ("playing", lambda: compile("1", "x", "eval"), TRIPPED),
        ("loading", lambda: compile("1", "x", "eval"), FINE),
        ("loading", os.fork, TRIPPED),
        ("playing", sys._getframe, TRIPPED),
        ("playing", lambda: open(os.devnull), TRIPPED),  # noqa: PTH123, SIM115
        ("playing", lambda: sum([1]), FINE),
        ("loading", lambda: setattr(textwrap.dedent, "__code__", (lambda text: text).__code__), TRIPPED),
        ("playing", lambda: setattr(_Bare(), "__class__", Exception), TRIPPED),
        ("playing", lambda: setattr(textwrap.dedent, "__defaults__", ()), TRIPPED),
        ("loading", lambda: namedtuple("Pair", "left right", defaults=[1], module="x"), FINE),  # noqa: PYI024
        ("loading", sys._getframe, TRIPPED),
        ("loading", lambda: sys.audit("object.__getattr__", None, _Lying("tb_frame")), TRIPPED),
        ("playing", lambda: _Bare(), FINE),
    ],
)
def test_the_tripwire_ends_the_process_and_says_why(stage: Stage, attempt: Callable[[], object], expected: int) -> None:
    ours, theirs = socket.socketpair()

    def tried() -> None:
        arm(lambda event: theirs.sendall(event.encode()))(stage)
        attempt()

    with ours, theirs:
        assert in_a_child(tried) == expected
        theirs.shutdown(socket.SHUT_WR)
        assert bool(ours.recv(100)) is (expected == TRIPPED)


def test_no_attribute_leads_from_what_tells_the_tripwire_its_stage_to_its_cells() -> None:
    def tried() -> int:
        enter = arm(lambda _: None)
        enter("playing")
        cells = ("__closure__", "__wrapped__", "__code__", "__globals__", "__func__", "func")
        return REFUSED if any(hasattr(enter, name) for name in cells) else FINE

    assert in_a_child(tried) == FINE


def test_printing_is_counted_and_kept_nowhere() -> None:
    ended: list[int] = []
    sink = Sink(10, lambda: ended.append(1))
    print("12345", end="", file=sink)
    assert not ended
    print("1234567", file=sink)
    assert ended


def _run(source: str) -> ModuleType:
    module = ModuleType("generated")
    vars(module)["__builtins__"] = guarded_builtins(replaced_modules(Sources(1)))
    exec(compile(source, "generated", "exec", dont_inherit=True), vars(module))
    return module


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import sys",
        "from . import x",
        "from typing import sys",
        "from typing import ForwardRef",
        "import random; random._os",
        "import uuid; uuid.os",
        "import functools; functools.wraps(print).func",
        "import functools; functools.update_wrapper",
        "open('x')",
        "eval('1')",
        "__builtins__['__import__']('os')",
        "getattr(1, '__class__')",
        "getattr('{}', 'format')",
        "setattr(print, '__name__', 'x')",
        "hasattr(1, '_x')",
        "type('X', (), {})",
        "class Name(str):\n    startswith = lambda *_: False\ngetattr(1, Name('__class__'))",
        (
            "import dataclasses\nfrom enum import Enum\n"
            "dataclasses.dataclass(init=False)(Enum('B', {'__annotations__': {'a or b': int}}))"
        ),
        (
            "import dataclasses\nfrom enum import Enum\n"
            "B = Enum('B', {'__dataclass_fields__': {'x': 1}})\nclass C(B): pass\ndataclasses.dataclass(C)"
        ),
    ],
)
def test_what_no_reader_sees_is_refused_when_it_runs(source: str) -> None:
    with pytest.raises((ImportError, AttributeError, NameError, KeyError, TypeError)):
        _run(source)


def test_guarded_modules_are_enough_for_ordinary_code() -> None:
    module = _run(
        "import collections.abc, datetime, json\n"
        "from dataclasses import dataclass, field\n"
        "from functools import wraps\n"
        "from enum import Enum\n"
        "class Kind(Enum):\n    A = 'a'\n"
        "@dataclass\nclass Line:\n    n: int = 1\n    more: list = field(default_factory=list)\n"
        "def twice(f):\n    @wraps(f)\n    def g(x):\n        return f(f(x))\n    return g\n"
        "@twice\ndef add(x):\n    return x + Line().n\n"
        "found = [add(1), json.dumps({'k': Kind.A.value}), isinstance([], collections.abc.Sequence),\n"
        "         datetime.datetime.now().year, type(Line(2)).__name__, getattr(Line(3), 'n', 0), add.__name__]\n"
    )
    assert module.found == [3, '{"k": "a"}', True, 2026, "Line", 3, "add"]
