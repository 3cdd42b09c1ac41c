"""A world in a worker is a world like any other: same methods, same bytes, and it forks."""

from __future__ import annotations

import gc
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_mcp.errors import SandboxError, WorkerEndedError, WorldError
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.system import IS_LINUX
from envscaler_mcp.sandbox.warm_code import loaded_workers
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.sandbox.zygote import zygote
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.serving.plain_json import is_plain
from envscaler_mcp.serving.world import open_unread_world
from tests.homes import written
from tests.sandbox.places import LIBRARIES, SHARED, SHOP

pytestmark = pytest.mark.skipif(os.name != "posix", reason="workers need fork")
linux = pytest.mark.skipif(not IS_LINUX, reason="worlds in workers are forked on Linux")
CODE = written(SHOP)
START: dict[str, Any] = {"orders": {}, "opened": None}


def opened(seed: int = 1, **options: Any) -> WorkerWorld:
    world = open_isolated(CODE, START, seed, **options)
    assert isinstance(world, WorkerWorld)
    return world


@pytest.fixture
def shop() -> Iterator[WorkerWorld]:
    with closing(opened()) as world:
        yield world


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.text(max_size=5), st.tuples(st.text(max_size=2)),
    st.lists(st.text(max_size=2), max_size=2), st.dictionaries(st.integers(0, 2), st.none(), max_size=1), st.binary(max_size=2),
    st.sampled_from(["pens, ink", "\ud800", "€"]),
)  # fmt: skip
CALLS = st.lists(
    st.tuples(
        st.sampled_from(
            ["place_order", "list_orders", "drop_order", "break_down", "place_ordr", "__init__", "_count", ""]
        ),
        st.one_of(
            st.dictionaries(st.sampled_from(["what", "type", "order_id", "wat"]), VALUES, max_size=3),
            st.builds(lambda what: {"what": what}, st.sampled_from(["pens, ink", "paper", " "])),
            VALUES,
        ),
        st.sampled_from([None, None, "a", "b"]),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls=CALLS, seed=st.integers(0, 3))
def test_a_worker_answers_with_the_same_bytes_as_a_world_in_this_process(calls: list[Any], seed: int) -> None:
    here = open_unread_world(CODE, START, seed)
    with closing(opened(seed)) as there:
        for tool, arguments, key in calls:
            # A key says "the same JSON again"; what is not JSON has none.
            key = key if is_plain(arguments) else None
            expected, answered = here.call(tool, arguments, key), there.call(tool, arguments, key)
            assert (answered.kind, answered.text) == (expected.kind, expected.text)
            assert there.diff() == here.diff()
        assert there.state() == here.state()
        assert there.state_hash() == here.state_hash()


def test_ordinary_libraries_work_behind_every_layer() -> None:
    code = written(LIBRARIES)
    here = open_unread_world(code, {}, 5)
    with closing(open_isolated(code, {}, 5)) as there:
        assert there.call("use_them", {}).text == here.call("use_them", {}).text
        assert there.call("use_them", {}).kind == "done"


def test_a_call_that_was_interrupted_ends_its_world(shop: WorkerWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(shop.line._reader, "next", interrupted)
        with pytest.raises(KeyboardInterrupt):
            shop.call("list_orders", {})
    with pytest.raises(WorkerEndedError) as caught:
        shop.call("list_orders", {})
    assert caught.value.reason == "closed"


def test_a_fork_of_the_harness_does_not_speak_for_it(shop: WorkerWorld) -> None:
    child = os.fork()
    if child == 0:
        try:
            shop.state()
        except SandboxError:
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert shop.call("list_orders", {}).kind == "done"


def test_marks_and_the_clock_work_through_the_worker(shop: WorkerWorld) -> None:
    shop.set_clock("2026-05-01T10:00")
    shop.call("place_order", {"what": "pens"})
    mark, before = shop.snapshot(), shop.state_hash()
    shop.call("place_order", {"what": "ink"})
    assert len(shop.diff_since(mark).created["orders"]) == 1
    shop.restore(mark)
    assert shop.state_hash() == before
    assert all(order["due"] > "2026-05-01" for order in shop.state()["orders"].values())


def test_what_a_world_refuses_arrives_as_its_own_sentence(shop: WorkerWorld) -> None:
    with pytest.raises(WorldError, match="There is no snapshot 7"):
        shop.restore(7)
    with pytest.raises(WorldError, match="A clock cannot show"):
        shop.set_clock("noon")
    assert shop.call("list_orders", {}).kind == "done"


@linux
def test_a_fork_goes_on_by_itself_and_outlives_its_parent() -> None:
    parent = opened()
    parent.call("place_order", {"what": "pens"})
    with closing(parent.fork()) as twin:
        assert twin.state_hash() == parent.state_hash()
        ours, theirs = parent.call("place_order", {"what": "ink"}), twin.call("place_order", {"what": "ink"})
        assert ours.text == theirs.text, "private attributes and chance go along"
        parent.call("place_order", {"what": "paper"})
        assert len(twin.state()["orders"]) == 2
        parent.close()
        with closing(twin.fork()) as grandchild:
            assert grandchild.state_hash() == twin.state_hash()


def test_where_worlds_cannot_be_forked_they_are_loaded_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envscaler_mcp.sandbox.worker_handle.CAN_FORK_SIBLINGS", False)
    unlike_the_others = Limits(cpu_seconds=599)
    with closing(opened(4, limits=unlike_the_others)) as one, closing(opened(4, limits=unlike_the_others)) as other:
        assert one.call("place_order", {"what": "pens"}) == other.call("place_order", {"what": "pens"})
        with pytest.raises(SandboxError, match="cannot be forked on this system"):
            one.fork()
        assert one.call("list_orders", {}).kind == "done"


@linux
def test_every_worker_ends_with_its_world() -> None:
    world = opened()
    twin = world.fork()
    handles = [os.pidfd_open(pid) for pid in (world.line.pid, twin.line.pid)]
    world.close()
    del twin
    gc.collect()
    for handle in handles:
        ended, _, _ = select.select([handle], [], [], 10)
        os.close(handle)
        assert ended


def test_a_closed_world_says_so(shop: WorkerWorld) -> None:
    shop.close()
    with pytest.raises(WorkerEndedError, match="was closed") as caught:
        shop.state()
    assert caught.value.reason == "closed"


def test_a_call_without_end_is_ended_from_outside_and_only_that_world_is_lost(shop: WorkerWorld) -> None:
    with closing(opened(limits=Limits(call_seconds=0.2))) as hanging:
        with pytest.raises(WorkerEndedError) as caught:
            hanging.call("hang", {})
        assert caught.value.reason == "time"
        with pytest.raises(WorkerEndedError, match="no answer in time"):
            hanging.state()
    assert shop.call("list_orders", {}).kind == "done"


def test_a_worker_that_was_killed_is_reported(shop: WorkerWorld) -> None:
    os.kill(shop.line.pid, signal.SIGKILL)
    with pytest.raises(WorkerEndedError) as caught:
        shop.call("list_orders", {})
    assert caught.value.reason == "crash"


def test_two_sessions_of_one_class_see_nothing_of_each_other() -> None:
    code = written(SHARED)
    with closing(open_isolated(code, {}, 1)) as one, closing(open_isolated(code, {}, 1)) as other:
        assert one.call("add", {"name": "mine"}).payload["data"] == ["mine"]
        assert other.call("read", {}).payload["data"] == []


def test_threads_may_share_worlds_and_the_zygote() -> None:
    failed: list[BaseException] = []

    def play(seed: int) -> None:
        try:
            for _ in range(3):
                with closing(opened(seed)) as world:
                    for _ in range(5):
                        assert world.call("place_order", {"what": "pens"}).kind == "done"
                    with closing(world.fork()) as twin:
                        assert twin.state_hash() == world.state_hash()
        except BaseException as cause:
            failed.append(cause)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


HARNESS = """
import sys
from envscaler_mcp.sandbox.isolation import open_isolated
from tests.sandbox.places import SHOP
from tests.homes import written
world = open_isolated(written(SHOP), {}, 1)
twin = world.fork()
print(world.line.pid, twin.line.pid, world.line._zygote._process.pid, flush=True)
world.call("hang", {})
"""


@linux
def test_a_harness_that_is_killed_takes_its_workers_along() -> None:
    path = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, "-c", HARNESS], stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": path}
    ) as harness:
        assert harness.stdout is not None
        watched = [os.pidfd_open(int(pid)) for pid in harness.stdout.readline().split()]
        harness.kill()
    assert len(watched) == 3
    for descriptor in watched:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        assert poll.poll(10_000), "it lives on"
        os.close(descriptor)


@linux
def test_a_zygote_that_was_killed_is_replaced() -> None:
    before = zygote()
    world = opened()
    os.kill(before._process.pid, signal.SIGKILL)
    before._process.wait()
    with pytest.raises(SandboxError):
        world.call("list_orders", {})
    with closing(opened()) as fresh:
        assert fresh.call("list_orders", {}).kind == "done"
    assert zygote() is not before


@linux
def test_a_worker_holds_nothing_but_its_channel(shop: WorkerWorld) -> None:
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{shop.line.pid}/status").read_text(encoding="utf-8").splitlines()
    )
    if zygote().kernel.works:
        assert status["Seccomp"].strip() == "2"
        assert status["NoNewPrivs"].strip() == "1"
    assert int(status["CapEff"], 16) == 0
    assert status["Threads"].strip() == "1"
    if os.geteuid() == 0:
        assert status["Uid"].split()[0] != "0"
        descriptors = sorted(path.name for path in Path(f"/proc/{shop.line.pid}/fd").iterdir())
        assert descriptors == ["0", "1", "2", "3"]
        assert Path(f"/proc/{shop.line.pid}/environ").read_bytes().count(b"=") <= 2
        assert str(Path(f"/proc/{shop.line.pid}/cwd").readlink()).endswith("(deleted)")
    limits = Path(f"/proc/{shop.line.pid}/limits").read_text(encoding="utf-8")
    found = {line[:26].strip(): line[26:].split() for line in limits.splitlines()}
    assert found["Max address space"][0] == str(512 << 20)
    assert found["Max processes"][0] == "0"
    assert found["Max file size"][:2] == ["0", "0"]
    assert found["Max core file size"][:2] == ["0", "0"]


def test_the_last_call_is_the_last_one_even_where_it_could_not_travel() -> None:
    with closing(opened(0)) as there:
        here = open_unread_world(CODE, START, 0)
        for world in (here, there):
            for tool, arguments in (("place_ordr", ("",)), ("place_order", {"what": ("ink",)})):
                world.call("place_order", {"what": "ink"})
                assert not world.diff().empty
                assert world.call(tool, arguments).kind == "invalid"  # type: ignore[arg-type]
                assert world.diff().empty


@pytest.mark.parametrize("depth", [90, 99, 150, 900])
def test_arguments_that_are_nested_deep_are_refused_and_end_no_world(depth: int) -> None:
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]
    with closing(open_isolated(written(KEEPER), {}, 1)) as world:
        assert world.call("put", {"text": nested}).kind == "invalid"
        assert world.call("take", {}).kind == "done"


KEEPER = '''
class Place:
    def __init__(self, init_config: dict):
        self.text = ""
    def put(self, text: str) -> dict:
        """Put.

        Args:
            text (str): t
        """
        self.text = text
        return {"success": True, "data": 1}
    def take(self) -> dict:
        """Take."""
        return {"success": True, "data": self.text}
'''


COUNTS_LOADS = """
from decimal import getcontext

getcontext().prec += 2
LOADS = getcontext().prec
{more}


class Counter:
    def __init__(self, init_config: dict):
        self.loads: int = LOADS

    def count(self) -> dict:
        \"\"\"Leave something behind in the process.\"\"\"
        getcontext().prec += 100
        return {{"success": True, "data": LOADS}}
"""
"""A decimal context is all that code may change in a process and find again when it is loaded there a second time."""


def counted(more: str = "") -> EnvironmentCode:
    return written(COUNTS_LOADS.format(more=more))


def ahead() -> None:
    """Wait until the next worlds are there that are forked ahead."""
    loaded_workers()._wanted.join()


@linux
def test_worlds_that_were_forked_ahead_begin_as_any_other() -> None:
    code = counted()
    begun = []
    for _ in range(4):
        with closing(open_isolated(code, {}, 1)) as world:
            begun.append(world.state_hash())
            world.call("count", {})
        ahead()
    assert len(set(begun)) == 1


@linux
def test_the_second_world_is_there_before_it_is_asked_for_and_was_never_told_a_state() -> None:
    open_isolated(CODE, START, 1).close()
    ahead()
    known = [one for one in loaded_workers()._loaded.values() if one.code is CODE][-1]
    waiting = known.spare
    assert waiting is not None
    with pytest.raises(WorldError, match="no world is open"):
        waiting.ask("state", 5.0)
    with closing(open_isolated(CODE, START, 1)) as world:
        assert isinstance(world, WorkerWorld)
        assert world.line is waiting
    ahead()
    assert known.spare is not waiting


@linux
def test_a_waiting_world_that_was_ended_from_outside_is_not_missed() -> None:
    opened().close()
    ahead()
    known = [one for one in loaded_workers()._loaded.values() if one.code is CODE][-1]
    assert known.spare is not None
    handle = os.pidfd_open(known.spare.pid)
    os.kill(known.spare.pid, signal.SIGKILL)
    select.select([handle], [], [], 10)
    os.close(handle)
    with closing(opened()) as world:
        assert world.call("list_orders", {}).kind == "done"


@linux
def test_code_whose_workers_were_ended_from_outside_is_loaded_again() -> None:
    opened().close()
    ahead()
    known = [each for each in loaded_workers()._loaded.values() if each.code is CODE][-1]
    assert known.spare is not None
    for worker in (known.spare, known.line):
        handle = os.pidfd_open(worker.pid)
        os.kill(worker.pid, signal.SIGKILL)
        select.select([handle], [], [], 10)
        os.close(handle)
    with closing(opened()) as world:
        assert world.call("list_orders", {}).kind == "done"


@linux
def test_code_that_cannot_be_loaded_again_says_so_whenever_a_world_is_opened() -> None:
    # 28 at first: loaded at 30, and rehearsed at 32.
    hangs = counted("while LOADS == 32: pass")
    limits = Limits(open_seconds=0.3)
    for _ in range(2):
        with pytest.raises(WorkerEndedError) as caught:
            open_isolated(hangs, {}, 1, limits=limits)
        assert caught.value.reason == "time"
    raises = counted("assert LOADS != 32")
    for _ in range(2):
        with pytest.raises(WorldError, match="AssertionError"):
            open_isolated(raises, {}, 1)


@linux
def test_code_that_cannot_be_loaded_is_not_remembered() -> None:
    known = len(loaded_workers()._loading)
    for number in range(3):
        broken = EnvironmentCode.of(CODE.environment.model_copy(), f"{SHOP}\nodd = 1 / 0  # {number}\n")
        with pytest.raises(WorldError, match="division by zero"):
            open_isolated(broken, START, 1)
    gc.collect()
    assert len(loaded_workers()._loading) <= known
