"""What can be seen to change nothing may share its states; everything that could is not taken for it."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from envscaler_mcp.sandbox.checking import Checker, run_checks
from envscaler_mcp.sandbox.purity import only_looks

STATE: dict[str, Any] = {"orders": {"O-1": {"status": "open", "lines": [1, 2]}}, "n": 1}

NEW = "[one for one in final_state['orders'].values() if one not in initial_state['orders'].values()]"
LOOKS = [
    "return final_state['orders'].get('O-1') is not None",
    "return any(one['status'] == 'open' for one in final_state['orders'].values())",
    f"found = {NEW}\n    return len(found) == 0",
    "for key, one in final_state['orders'].items():\n        if one != 'open':\n            return False\n    return True",
    "return sorted(final_state['orders'], key=lambda key: key.lower()) == ['O-1']",
]
CHANGES = [
    "final_state['n'] = 2\n    return True",
    "final_state['orders']['O-1']['lines'].append(3)\n    return True",
    "lines = final_state['orders']['O-1']['lines']\n    lines += [3]\n    return True",
    "del final_state['orders']\n    return True",
    "for final_state['n'] in [2]:\n        pass\n    return True",
    "[0 for final_state['n'] in [2]]\n    return True",
    "final_state['orders']['O-1']['lines'][0], _ = 9, 9\n    return True",
    "add = final_state['orders']['O-1']['lines'].append\n    list(map(add, [3]))\n    return True",
    "final_state['orders'].update({'O-2': {}})\n    return True",
    "final_state['orders'].pop('O-1')\n    return True",
    "initial_state.clear()\n    return True",
    "final_state['orders'] |= {'O-2': {}}\n    return True",
    "final_state['orders']['O-1']['lines'].sort(reverse=True)\n    return True",
    "dict.update(final_state, n=3)\n    return True",
    "with_ = setattr\n    return True",
    "global leak\n    leak = 1\n    return True",
    "import functools\n    return True",
]


def check(body: str) -> str:
    return f"def check_func(final_state):\n    {body}\n"


@pytest.mark.parametrize("body", LOOKS)
def test_a_check_that_only_looks_is_seen_to(body: str) -> None:
    assert only_looks(check(body))


@pytest.mark.parametrize("body", CHANGES)
def test_a_check_that_could_change_something_is_not_taken_for_one_that_looks(body: str) -> None:
    assert not only_looks(check(body))


@pytest.mark.parametrize(
    "source",
    [
        "@final_state.update\n" + check("return True"),
        "async def check_func(final_state):\n    return True\n",
        "class A:\n    pass\n" + check("return True"),
        check("return (n := 1) == 1"),
        check("return unknown(final_state)"),
        check("len = initial_state\n    return True"),
        check("__builtins__ = final_state\n    return True"),
        "def f(x) -> final_state.clear():\n    return x\n" + check("return True"),
    ],
)
def test_what_is_not_known_is_taken_for_a_change(source: str) -> None:
    assert not only_looks(source)


@pytest.mark.parametrize("body", CHANGES[:14])
def test_a_check_after_one_that_changes_its_states_sees_them_as_they_were(body: str) -> None:
    same = check("return initial_state == final_state and final_state['orders']['O-1']['lines'] == [1, 2]")
    said = run_checks([same, check(body), same], STATE, STATE)
    assert [said[0].verdict, said[2].verdict] == [True, True]


def test_another_beginning_is_told_to_a_worker_that_knows_one() -> None:
    one_is_int = check("return str(initial_state['n']) == '1'")
    with closing(Checker()) as judge:
        for beginning, verdict in ((1, True), (1, True), (1.0, False), (True, False), (1, True)):
            assert judge.run([one_is_int], {"n": beginning}, STATE)[0].verdict is verdict
