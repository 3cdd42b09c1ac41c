"""Many checks of one ending: what each says is its own, and one that fails takes no other along."""

from __future__ import annotations

import importlib.util
import os
import signal
from contextlib import closing
from typing import Any

import pytest

from envscaler_mcp.artifacts import Check
from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.checking import Checker, run_checks
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.limits import Limits

STATE: dict[str, Any] = {"orders": {"O-1": {"status": "shipped"}}, "now": "2026-03-02T09:00"}


def check(body: str) -> str:
    return f"def check_func(final_state):\n    {body}\n"


SHIPPED = check("return final_state['orders']['O-1']['status'] == 'shipped'")
LOST = check("return final_state['orders']['O-1']['status'] == 'lost'")
HANGS = check("while True: pass")
DIES = check("return final_state['orders']['O-1'].__class__")
CRASHES = "import re\n" + check("return re.match('(a|a)*b', 'a' * 40) is None")


def test_checks_answer_in_their_order() -> None:
    assert [one.verdict for one in run_checks([SHIPPED, LOST, SHIPPED], STATE, STATE)] == [True, False, True]
    assert run_checks([], STATE, STATE) == []


def test_what_one_check_does_to_the_states_no_other_sees() -> None:
    meddler = check("initial_state.clear(); final_state['orders']['O-1']['status'] = 'lost'; return True")
    unharmed = check("return initial_state == final_state")
    assert [one.verdict for one in run_checks([meddler, SHIPPED, unharmed], STATE, STATE)] == [True, True, True]
    assert STATE["orders"]["O-1"]["status"] == "shipped"


def test_what_one_check_leaves_in_its_module_no_other_sees() -> None:
    leaves = "seen = []\n" + check("seen.append(1); return len(seen) == 1")
    looks = check("return bool(seen)")
    first, again, other = run_checks([leaves, leaves, looks], STATE, STATE)
    assert (first.verdict, again.verdict, other.verdict) == (True, True, None)
    assert "NameError" in str(other.failure)


def test_failing_is_told_apart_from_false() -> None:
    raises, says_one, refused = run_checks(
        [check("return final_state['nothing']"), check("return 1"), "import os\n" + SHIPPED], STATE, STATE
    )
    assert raises == Checked(None, "KeyError: 'nothing'")
    assert says_one == Checked(None, "the check answered with a int, not True or False")
    assert refused.verdict is None
    assert "the module 'os' may not be imported" in str(refused.failure)


@pytest.mark.parametrize("bad", [HANGS, DIES, CRASHES], ids=["hangs", "dies", "crashes"])
def test_a_check_that_never_answers_fails_alone(bad: str) -> None:
    said = run_checks([SHIPPED, bad, LOST], STATE, STATE, limits=Limits(call_seconds=0.5))
    assert [one.verdict for one in said] == [True, None, False]
    assert said[1].failure


def test_a_named_tuple_may_be_made_after_another_check_has_run() -> None:
    makes = "from collections import namedtuple\nPlace = namedtuple('Place', 'row')\n" + check(
        "return Place(1).row == 1"
    )
    assert [one.verdict for one in run_checks([SHIPPED, makes], STATE, STATE)] == [True, True]


def test_a_checker_goes_on_when_its_worker_is_ended_from_outside() -> None:
    with closing(Checker()) as judge:
        assert judge.run([SHIPPED], STATE, STATE)[0].verdict is True
        assert judge._clean is not None
        os.kill(judge._clean.pid, signal.SIGKILL)
        assert judge.run([SHIPPED, LOST], STATE, STATE) == [Checked(True, None), Checked(False, None)]


def test_a_checker_never_runs_checks_in_this_process() -> None:
    with pytest.raises(SandboxError, match="run_check"):
        Checker("trusted")


@pytest.mark.skipif(importlib.util.find_spec("pydantic_monty") is None, reason="Monty is not installed")
def test_monty_says_what_a_worker_says() -> None:
    sources = [SHIPPED, LOST, check("return final_state['nothing']"), check("return 1")]
    in_monty = run_checks([Check(check_item="", check_func=one, engine="monty") for one in sources], STATE, STATE)
    in_worker = run_checks(sources, STATE, STATE)
    assert [one.verdict for one in in_monty] == [one.verdict for one in in_worker] == [True, False, None, None]
    hangs = Check(check_item="", check_func=HANGS, engine="monty")
    (ended,) = run_checks([hangs], STATE, STATE, limits=Limits(call_seconds=0.2))
    assert ended.verdict is None


def test_a_check_for_monty_runs_in_a_worker_where_monty_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envscaler_mcp.sandbox.monty.monty_installed", lambda: False)
    assert run_checks([Check(check_item="", check_func=SHIPPED, engine="monty")], STATE, STATE)[0].verdict is True
