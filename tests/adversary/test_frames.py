"""What a worker past every gate can do to its host with what it sends: be ended."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Frame, Scenario, digest_of
from envscaler_mcp.errors import WorkerEndedError, WorldError
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.grading.reward import frame_violations
from envscaler_mcp.sandbox.frames import framed
from envscaler_mcp.sandbox.idle import IdleWatch
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import MIB, Limits, processor_seconds
from envscaler_mcp.sandbox.system import IS_LINUX
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.sandbox.zygote import Spawned, zygote
from envscaler_mcp.serving.plain_json import is_deeper, is_plain
from envscaler_mcp.serving.state_diff import diff_of_states
from tests.homes import written

ROOT = Path(__file__).parents[2]
PLACE = '''
class Place:
    def __init__(self, init_config: dict):
        self.things = {}

    def ping(self) -> dict:
        """Ping."""
        return {"success": True, "data": "pong"}

    def nest(self, depth: int) -> dict:
        """Nest.

        Args:
            depth (int): How deep.
        """
        inner = []
        for _ in range(depth):
            inner = [inner]
        self.things["deep"] = inner
        return {"success": True, "data": None}

    def tell(self, depth: int) -> dict:
        """Tell.

        Args:
            depth (int): How deep.
        """
        inner = []
        for _ in range(depth):
            inner = [inner]
        return {"success": True, "data": inner}
'''
Speaking = Callable[[bytes], WorkerWorld]


@pytest.fixture
def speaking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Speaking]:
    """Worlds whose worker says just this, with the number that was asked for."""
    monkeypatch.setattr("os.urandom", lambda size: bytes(size))
    with ExitStack() as stack:

        def world_that_says(rest: bytes) -> WorkerWorld:
            ours, theirs = socket.socketpair()
            stack.enter_context(theirs)
            body = b'{"id":"' + bytes(8).hex().encode() + b'",' + rest + b"}"
            # More than a socket holds: it is sent while the other side reads.
            sender = threading.Thread(target=_send, args=(theirs, framed(body)))
            sender.start()
            stack.callback(sender.join)
            line = stack.enter_context(closing(WorkerHandle(zygote(), Spawned(0, ours), Limits(call_seconds=20))))
            line.applied = {}
            return WorkerWorld(written(PLACE), line)

        yield world_that_says


def _send(stream: socket.socket, message: bytes) -> None:
    with suppress(OSError):
        stream.sendall(message)


PIECES = {b"[],": 11_000_000, b"{},": 11_000_000, b"[[]],": 6_600_000, b'"ab",': 6_700_000, b'{"a":0},': 4_100_000}


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_a_result_of_millions_of_values_is_not_parsed(piece: bytes, speaking: Speaking) -> None:
    for many in (PIECES[piece], (4 * MIB - 1000) // len(piece)):
        world = speaking(b'"kind":"done","payload":{"success":true,"data":[' + piece * many + b"0]}")
        with pytest.raises(WorkerEndedError, match=r"at most 4194304 are read|more than 500000 values") as caught:
            world.call("ping", {})
        assert caught.value.reason == "hostile"


def test_a_state_of_millions_of_values_is_not_parsed(speaking: Speaking) -> None:
    with pytest.raises(WorkerEndedError, match="more than 1000000 values"):
        speaking(b'"state":{"x":[' + b"[]," * 2_000_000 + b"0]}").state()
    with pytest.raises(WorkerEndedError, match="at most 8388608 are read"):
        speaking(b'"state":{"x":"' + b"x" * 9 * MIB + b'"}').state()
    with pytest.raises(WorkerEndedError, match="at most 262144 are read"):
        speaking(b'"hash":"' + b"x" * MIB + b'"').state_hash()


def test_the_bound_on_results_is_kept_here_too(speaking: Speaking) -> None:
    world = speaking(b'"kind":"done","payload":{"success":true,"data":"' + b"x" * 1_100_000 + b'"}')
    with pytest.raises(WorkerEndedError, match="at most 1000000 are taken"):
        world.call("ping", {})


@pytest.mark.parametrize("opening", [b"[", b'{"a":'], ids=["lists", "objects"])
@pytest.mark.parametrize("depth", [101, 500, 900])
def test_an_answer_nested_too_deep_ends_the_worker(opening: bytes, depth: int, speaking: Speaking) -> None:
    closed = b"]" * depth if opening == b"[" else b"0" + b"}" * depth
    with pytest.raises(WorkerEndedError, match="nested more than 100 deep") as caught:
        speaking(b'"state":{"x":' + opening * depth + closed + b"}").state()
    # As one that is too large: a state grows by what an agent does.
    assert caught.value.reason == "memory"


def test_honest_nesting_is_let_through() -> None:
    with closing(open_isolated(written(PLACE), {}, 1)) as world:
        assert world.call("nest", {"depth": 90}).kind == "done"
        assert world.call("tell", {"depth": 90}).kind == "done"
        assert json.dumps(world.state()).count("[") == 91


@pytest.mark.parametrize("depth", [101, 200, 500])
def test_arguments_nested_deep_are_refused_and_the_world_lives_on(depth: int) -> None:
    deep: Any = 0
    for _ in range(depth):
        deep = [deep]
    with closing(open_isolated(written(PLACE), {}, 1)) as world:
        assert world.call("nest", {"depth": deep}).kind == "invalid"
        assert world.call("ping", {}).kind == "done"


@pytest.mark.parametrize("depth", [101, 500, 900])
def test_a_class_that_nests_too_deep_is_told_as_a_failure_of_its_world(depth: int) -> None:
    with closing(open_isolated(written(PLACE), {}, 1)) as world:
        world.call("nest", {"depth": depth})
        for look in (world.state, world.state_hash, world.diff):
            with pytest.raises(WorldError, match="nested more than 100 deep"):
                look()
        with pytest.raises(WorkerEndedError, match="nested more than 100 deep"):
            world.call("tell", {"depth": depth})


@pytest.mark.parametrize("kind", [list, dict])
def test_an_end_nested_too_deep_is_the_failure_of_its_environment(kind: type) -> None:
    deep: Any = 0
    for _ in range(500):
        deep = [deep] if kind is list else {"a": deep}
    line = (ROOT / "generated_servers/hospital_stays/scenarios.jsonl").read_text(encoding="utf-8").splitlines()[0]
    scenario = Scenario.from_text(line, "a scenario")
    # A run takes a WorldError for the environment's failure, and anything else for this machine's.
    for initial, final in (({}, {"x": deep}), ({"x": deep}, {"x": deep})):
        with pytest.raises(WorldError, match="nested more than 100 deep"):
            judge(scenario, initial, final)


GOES_ON = '''
import sys

class Place:
    def __init__(self, init_config: dict):
        self.things = {}

    def go(self) -> dict:
        """Answer, and go on."""
        frame = sys._getframe()
        while "asked" not in frame.f_locals:
            frame = frame.f_back
        worker, number = frame.f_locals["self"], frame.f_locals["asked"]["id"]
        body = ('{"id":"' + number + '","kind":"done","payload":{"success":true}}').encode()
        worker._stream.sendall(len(body).to_bytes(4, "big") + body)
        while True:
            pass

    def ping(self) -> dict:
        """Ping."""
        return {"success": True, "data": "pong"}
'''


@pytest.mark.skipif(not IS_LINUX, reason="nothing tells here how much processor time a process uses")
def test_a_worker_that_goes_on_after_its_answer_is_ended() -> None:
    watch = IdleWatch()
    with closing(open_isolated(written(GOES_ON), {}, 1, layers=Layers(gate=False, tripwire=False))) as world:
        assert isinstance(world, WorkerWorld)
        for _ in range(20):
            world.call("ping", {})
        watch.add(world.line)
        for now in range(5):
            watch.look(1000.0 * now)
        assert world.line.usable, "a worker that waits is left alone"
        world.call("go", {})
        for now in range(6, 8):
            watch.look(1000.0 * now)
        used = processor_seconds(world.line.pid)
        while not world.line.ended and processor_seconds(world.line.pid) < used + 0.3:
            pass
        watch.look(9000.0)
        with pytest.raises(WorkerEndedError, match="went on using the processor") as caught:
            world.call("ping", {})
        assert caught.value.reason == "time"


@pytest.mark.skipif(not IS_LINUX, reason="nothing tells here what memory a process has")
def test_forks_of_a_worker_share_no_memory_that_can_be_written() -> None:
    with closing(open_isolated(written(PLACE), {}, 1)) as world:
        assert isinstance(world, WorkerWorld)
        try:
            maps = Path(f"/proc/{world.line.pid}/maps").read_text(encoding="utf-8").splitlines()
        except OSError:
            pytest.skip("this user may not look at its worker")
        assert [line for line in maps if line.split()[1].startswith("rw") and line.split()[1].endswith("s")] == []


def test_what_holds_itself_is_too_deep_and_takes_no_time() -> None:
    twice: list[Any] = []
    twice += [twice, twice]
    assert is_deeper(twice, 100)
    assert not is_plain({"x": twice})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"flags": {"urgent": None}}, {"flags": {}}),
        ({"flags": {"a": 1}}, {"flags": {"a": 1, "all": None}}),
        ({"rows": {"r": {"x": 1, "lock": None}}}, {"rows": {"r": {"x": 1}}}),
        ({"rows": {"r": {"x": 1}}}, {"rows": {"r": {"x": 1, "lock": None}}}),
        ({"a": 1, "b": None}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"rows": {}}, {}),
        ({}, {"rows": {}}),
        ({"x": 0.0}, {"x": -0.0}),
    ],
    ids=str,
)
def test_no_two_states_with_different_digests_are_within_an_empty_frame(before: Any, after: Any) -> None:
    assert digest_of(before) != digest_of(after)
    assert frame_violations(diff_of_states(before, after), Frame())
    assert not frame_violations(diff_of_states(before, before), Frame())
