"""The door: what is refused, what each mode promises, and what crosses between code, world and check."""

from __future__ import annotations

import dataclasses
import json
import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from envscaler_mcp.errors import SandboxError, SettingsError, WorkerEndedError, WorldError
from envscaler_mcp.sandbox import isolation
from envscaler_mcp.sandbox.checking import run_checks
from envscaler_mcp.sandbox.frames import encode, framed
from envscaler_mcp.sandbox.isolation import open_isolated, run_check
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.probe import Kernel
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.sandbox.zygote import Spawned, zygote
from tests.homes import written
from tests.sandbox.places import LIAR, SHOP

PENDING = "def check_func(final_state):\n    return final_state['orders']['O-1']['status'] == 'shipped'\n"


def test_code_is_refused_before_it_runs_with_its_lines() -> None:
    source = SHOP + "\nimport os\n"
    with pytest.raises(SandboxError, match=rf"line {source.count(chr(10))}: the module 'os' may not be imported"):
        open_isolated(written(source), {}, 1)


def test_hard_refuses_to_start_without_the_kernel_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SandboxError, match="Mode 'hard' needs Landlock and seccomp"):
        open_isolated(written(SHOP), {}, 1, "hard", layers=Layers().without("kernel"))
    old = Kernel(works=False, landlock=0, seccomp=False, why_not="the kernel is old", forks=False)
    monkeypatch.setattr(zygote(), "kernel", old)
    with pytest.raises(SandboxError, match="the kernel is old"):
        run_check(PENDING, {}, {}, "hard")


def test_unread_code_runs_without_the_kernel_layer_only_where_the_user_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = Kernel(works=False, landlock=0, seccomp=False, why_not="the kernel is old", forks=False)
    monkeypatch.setattr(zygote(), "kernel", old)
    monkeypatch.delenv("ENVSCALER_ISOLATION", raising=False)
    without = Layers().without("kernel")
    told = r"the kernel is old.*read your files and use your network.*--isolation portable.*envscaler doctor"
    with pytest.raises(SandboxError, match=told):
        open_isolated(written(SHOP), {}, 1)
    with pytest.raises(SandboxError, match=told):
        run_checks(["import re\n" + PENDING], {}, {})
    assert isolation.layers_in("portable") == without
    monkeypatch.setenv("ENVSCALER_ISOLATION", "portable")
    assert isolation.layers_in("auto") == without
    with pytest.raises(SandboxError, match="Mode 'hard'"):
        isolation.layers_in("hard")
    monkeypatch.setenv("ENVSCALER_ISOLATION", "protable")
    with pytest.raises(SettingsError, match="'protable'"):
        isolation.layers_in("auto")


def test_known_code_needs_no_kernel_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Kernel(works=False, landlock=0, seccomp=False, why_not="the kernel is old", forks=False)
    monkeypatch.setattr(zygote(), "kernel", old)
    monkeypatch.delenv("ENVSCALER_ISOLATION", raising=False)
    assert isolation.layers_in("auto", known=True) == Layers().without("kernel")
    state = {"orders": {"O-1": {"status": "shipped"}}}
    assert [one.verdict for one in run_checks([PENDING], state, state)] == [True]


def test_a_worker_without_the_kernel_layer_is_a_worker() -> None:
    with closing(open_isolated(written(SHOP), {}, 1, "portable", layers=Layers().without("kernel"))) as world:
        assert isinstance(world, WorkerWorld)
        assert world.line.applied["kernel"] is False
        assert world.call("place_order", {"what": "ink"}).kind == "done"
        with closing(world.fork()) as twin:
            assert twin.state_hash() == world.state_hash()


def test_trusted_runs_here_and_warns() -> None:
    with pytest.warns(RuntimeWarning, match="inside this process"):
        world = open_isolated(written(SHOP), {}, 1, "trusted")
    assert not isinstance(world, WorkerWorld)
    with pytest.warns(RuntimeWarning, match="inside this process"):
        checked = run_check("def check_func(final_state):\n    return True", {}, {}, "trusted")
    assert checked.verdict is True


def test_an_honest_check_is_not_fooled_by_a_lying_state() -> None:
    with closing(open_isolated(written(LIAR), {}, 1)) as world:
        state = world.state()
    assert type(state["orders"]["O-1"]["status"]) is str
    assert run_check(PENDING, {}, state).verdict is False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert run_check(PENDING, {}, state, "trusted").verdict is False


def test_a_check_sees_both_states_and_owns_its_copies() -> None:
    state = {"orders": {"O-1": {"status": "shipped"}}}
    meddler = (
        "def check_func(final_state):\n    initial_state.clear()\n    final_state['orders'].clear()\n    return True\n"
    )
    assert run_check(meddler, state, state).verdict is True
    assert state == {"orders": {"O-1": {"status": "shipped"}}}
    seen = "def check_func(final_state):\n    return initial_state['n'] + 1 == final_state['n']\n"
    assert run_check(seen, {"n": 1}, {"n": 2}).verdict is True


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return final_state['nothing']", "KeyError: 'nothing'"),
        ("return 1", "answered with a int"),
        ("return None", "answered with a NoneType"),
        ("return final_state", "answered with a dict"),
    ],
)
def test_a_check_that_cannot_say_says_why(body: str, told: str) -> None:
    checked = run_check(f"def check_func(final_state):\n    {body}\n", {}, {})
    assert checked.verdict is None
    assert checked.failure is not None
    assert told in checked.failure


def test_a_check_without_its_function_is_refused() -> None:
    with pytest.raises(SandboxError, match="check_func"):
        run_check("def check(final_state):\n    return True\n", {}, {})


def test_a_check_without_end_is_ended() -> None:
    endless = "def check_func(final_state):\n    while True:\n        pass\n"
    with pytest.raises(WorkerEndedError) as caught:
        run_check(endless, {}, {}, limits=Limits(call_seconds=0.2))
    assert caught.value.reason == "time"


@pytest.mark.parametrize("state", [{"x": float("nan")}, {"x": {1, 2}}, {"x": object()}])
def test_a_state_that_is_not_json_is_not_sent(state: dict[str, Any]) -> None:
    with pytest.raises(SandboxError, match="plain JSON"):
        open_isolated(written(SHOP), state, 1)


def test_a_world_that_cannot_open_says_why() -> None:
    with pytest.raises(WorldError, match="cannot be a field of the state"):
        open_isolated(written(SHOP), {"place_order": 1}, 1)


Speaking = Callable[[bytes], WorkerHandle]


@pytest.fixture
def speaking() -> Iterator[Speaking]:
    """Lines to workers that say just this, whatever they are asked."""
    with ExitStack() as stack:

        def to_worker_that_says(answer: bytes) -> WorkerHandle:
            ours, theirs = socket.socketpair()
            stack.enter_context(theirs).sendall(answer)
            line = stack.enter_context(closing(WorkerHandle(zygote(), Spawned(0, ours), Limits(call_seconds=0.2))))
            line.applied = {}
            return line

        yield to_worker_that_says


@pytest.mark.parametrize(
    "answer",
    [
        encode({"id": "0000000000000001", "kind": "done", "payload": {"success": True}}),
        encode({"kind": "done", "payload": {"success": True}}),
        framed(b"[]"),
        framed(b'{"id": NaN}'),
        framed(b'{"id": "x", "n": Infinity}'),
        framed(b'{"id": "\xff"}'),
        framed(b"{"),
        framed(b"[" * 100_000),
        framed(b""),
        b"HTTP/1.1 200 OK\r\n\r\n",
        (2**32 - 1).to_bytes(4) + b"x",
    ],
)
def test_anything_but_the_answer_that_was_asked_for_ends_the_worker(answer: bytes, speaking: Speaking) -> None:
    line = speaking(answer)
    with pytest.raises(WorkerEndedError) as caught:
        line.ask("state", 0.2)
    assert caught.value.reason == "hostile"
    assert not line.usable


def test_an_answer_of_the_wrong_kind_ends_the_worker(monkeypatch: pytest.MonkeyPatch, speaking: Speaking) -> None:
    monkeypatch.setattr("os.urandom", lambda size: bytes(size))
    number = bytes(8).hex()
    for wrong in (
        {"kind": "gift", "payload": {}},
        {"kind": "done", "payload": []},
        {"kind": ["done"], "payload": {}},
        {},
    ):
        world = WorkerWorld(written(SHOP), speaking(encode({"id": number, **wrong})))
        with pytest.raises(WorkerEndedError, match="no outcome"):
            world.call("list_orders", {})
    world = WorkerWorld(written(SHOP), speaking(encode({"id": number, "diff": {"created": 1}})))
    with pytest.raises(WorkerEndedError, match="no difference"):
        world.diff()


def test_a_second_answer_is_taken_for_no_later_request() -> None:
    with closing(open_isolated(written(SHOP), {}, 1)) as world:
        assert isinstance(world, WorkerWorld)
        forged = {"id": "0" * 16, "kind": "done", "payload": {"success": True, "data": "FORGED"}}
        world.line._reader._held += encode(forged)
        with pytest.raises(WorkerEndedError, match="an answer to no request"):
            world.call("list_orders", {})


def test_a_message_too_long_is_not_sent() -> None:
    small = dataclasses.replace(Limits(), frame=200_000)
    with pytest.raises(SandboxError, match="at most 200000"):
        open_isolated(written(SHOP), {"orders": {"a": "x" * 300_000}}, 1, limits=small)


def test_what_travels_is_one_json_object() -> None:
    frame = encode({"id": "1", "text": "€"})
    assert int.from_bytes(frame[:4]) == len(frame) - 4
    assert json.loads(frame[4:]) == {"id": "1", "text": "€"}
