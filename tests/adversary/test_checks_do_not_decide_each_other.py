"""Whatever one check does, the answers of others are their own: in the same ending, in another, and where it is handed on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from envscaler_mcp.sandbox.checking import Checker, checker, run_checks
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import MIB, Limits
from envscaler_mcp.sandbox.purity import only_looks

State = dict[str, Any]
OPEN: State = {"orders": [{"status": "open"}], "card": "4111"}

PAID = """
from collections import Counter
def check_func(final_state):
    return Counter([order["status"] for order in final_state["orders"]]).most_common(1)[0][0] == "paid"
"""
# Each changes something of its interpreter, and is followed by a check that is True only where that can be seen.
MEDDLERS = {
    "a registry of abstract classes": (
        "from collections.abc import Mapping\ndef check_func(final_state):\n    Mapping.register(int)\n    return isinstance(1, Mapping)\n",
        "from collections.abc import Mapping\ndef check_func(final_state):\n    return isinstance(1, Mapping)\n",
    ),
    "the context of decimals": (
        "from decimal import Decimal, getcontext\ndef check_func(final_state):\n    getcontext().prec = 1\n    return True\n",
        "from decimal import Decimal\ndef check_func(final_state):\n    return str(Decimal(1) / 3) == '0.3'\n",
    ),
    "chance": (
        "import random\ndef check_func(final_state):\n    random.seed('mine')\n    return random.random() < 2\n",
        "import random\ndef check_func(final_state):\n    return random.random() in _of_mine()\ndef _of_mine():\n    mine = random.Random('mine')\n    return [mine.random() for _ in range(9)]\n",
    ),
}


@pytest.fixture
def judge() -> Iterator[Checker]:
    with checker() as made:
        yield made


@pytest.mark.parametrize("what", MEDDLERS)
@pytest.mark.parametrize("handed_on", [False, True])
def test_what_a_check_changes_in_its_interpreter_no_other_sees(what: str, handed_on: bool, judge: Checker) -> None:
    meddler, sees = MEDDLERS[what]
    answers = judge.run([sees, meddler, sees, meddler, sees], OPEN, OPEN, handed_on=handed_on)
    assert [answer.verdict for answer in answers] == [False, True, False, True, False]
    assert judge.run([sees], OPEN, OPEN)[0].verdict is False


@pytest.mark.parametrize(
    "patch",
    [
        "Counter.most_common = lambda self, n=None: [('paid', 9)]",
        "import collections; collections.Counter = lambda orders: [1]",
        "import builtins; builtins.len = builtins.list = lambda orders: 1",
        "import envscaler_mcp.sandbox.worker as w; w.verdict_of = lambda answer: {'verdict': True}",
    ],
)
def test_even_past_the_gate_a_check_decides_its_own_answer_only(patch: str) -> None:
    hostile = f"from collections import Counter\ndef check_func(final_state):\n    {patch}\n    return True\n"
    looks = "def check_func(final_state):\n    return len(final_state['orders']) == 7\n"
    with checker(layers=Layers(gate=False, tripwire=False)) as judge:
        for _ in range(2):
            answers = judge.run([hostile, PAID, looks], OPEN, OPEN)
            assert [answer.verdict for answer in answers[1:]] == [False, False]


def test_nothing_of_an_earlier_ending_is_there(judge: Checker) -> None:
    keeps = "from decimal import getcontext\nclass Kept: pass\ndef check_func(final_state):\n    getcontext().capitals = 0\n    Kept.card = final_state['card']\n    return True\n"
    sees = "from decimal import getcontext\ndef check_func(final_state):\n    return getcontext().capitals == 0\n"
    assert judge.run([keeps], OPEN, OPEN)[0].verdict is True
    assert judge.run([sees], {}, {})[0].verdict is False


def test_checks_of_many_threads_do_not_meet(judge: Checker) -> None:
    meddler, sees = MEDDLERS["the context of decimals"]
    answers: list[list[Checked]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(judge.run([meddler, sees], OPEN, OPEN))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [[one.verdict for one in ending] for ending in answers] == [[True, False]] * 4


def test_an_end_that_is_handed_on_travels_as_json_and_nothing_else_does(judge: Checker) -> None:
    pays = "def check_func(final_state):\n    final_state['orders'][0]['status'] = 'paid'\n    return True\n"
    assert [one.verdict for one in judge.run([PAID, pays, PAID], OPEN, OPEN, handed_on=True)] == [False, True, True]
    assert [one.verdict for one in judge.run([PAID, pays, PAID], OPEN, OPEN)] == [False, True, False]
    leaves_a_set = "def check_func(final_state):\n    final_state['orders'] = {1, 2}\n    return True\n"
    first, left, last = judge.run([PAID, leaves_a_set, PAID], OPEN, OPEN, handed_on=True)
    assert (first.verdict, left.verdict, last.verdict) == (False, None, False)
    assert "not plain JSON" in str(left.failure)


SURROGATE = "class E(Exception):\n    def __str__(self):\n        return '\\ud800'\ndef check_func(final_state):\n    raise E()\n"
GIANT = (
    "class S(str):\n    def __getitem__(self, key):\n        return 'y' * 30_000_000\n"
    "class E(Exception):\n    def __str__(self):\n        return S('x')\n"
    "def check_func(final_state):\n    raise E()\n"
)
LONG = "class E(Exception):\n    def __str__(self):\n        return 'z' * 10_000_000\ndef check_func(final_state):\n    raise E()\n"
DEEP = (
    "def check_func(final_state):\n    inner = []\n    for _ in range(900):\n        inner = [inner]\n"
    "    final_state['deep'] = inner\n    return True\n"
)
LOOKS = "def check_func(final_state):\n    return len(final_state['orders']) == 1\n"


@pytest.mark.parametrize("handed_on", [False, True])
@pytest.mark.parametrize("hostile", [SURROGATE, GIANT, LONG], ids=["half a character", "a giant text", "a long text"])
def test_a_failure_in_strange_words_costs_no_other_its_answer(hostile: str, handed_on: bool, judge: Checker) -> None:
    before, failed, after = judge.run([LOOKS, hostile, LOOKS], OPEN, OPEN, handed_on=handed_on)
    assert (before.verdict, failed.verdict, after.verdict) == (True, None, True)
    assert failed.failure is not None
    assert len(failed.failure) <= 600


def test_a_check_that_leaves_too_deep_an_end_fails_alone(judge: Checker) -> None:
    before, failed, after = judge.run([LOOKS, DEEP, LOOKS], OPEN, OPEN, handed_on=True)
    assert (before.verdict, failed.verdict, after.verdict) == (True, None, True)


def test_a_check_that_hangs_does_not_take_the_time_of_others() -> None:
    hangs = "def check_func(final_state):\n    return len([0 for _ in range(10 ** 12)]) > 0\n"
    answers = run_checks([LOOKS, hangs, LOOKS], OPEN, OPEN, limits=_quick())
    assert [one.verdict for one in answers] == [True, None, True]


# Each takes a name of Python's for its own in one scope, and uses Python's in another.
TAKES = {
    "a parameter": "def _unused(getattr):\n    return 0\n",
    "a parameter of a lambda": "_unused = lambda getattr: 0\n",
    "a local": "def _unused():\n    getattr = 0\n",
    "a function": "def _unused():\n    def getattr():\n        pass\n",
    "a comprehension": "_unused = [0 for getattr in []]\n",
}
CHANGES = (
    "def check_func(final_state):\n"
    "    if final_state != initial_state:\n"
    "        getattr(final_state, 'update')({'orders': []})\n"
    "    return final_state != initial_state\n"
)
EMPTY = "def check_func(final_state):\n    return final_state['orders'] == [] and initial_state['orders'] == []\n"


@pytest.mark.parametrize("one_author", [False, True])
@pytest.mark.parametrize("takes", TAKES.values(), ids=TAKES)
def test_a_name_of_pythons_bound_elsewhere_lets_no_check_change_what_others_see(takes: str, one_author: bool) -> None:
    assert not only_looks(takes + CHANGES)
    with checker(one_author=one_author) as judge:
        answers = judge.run([takes + CHANGES, EMPTY], {"orders": []}, OPEN)
        assert [one.verdict for one in answers] == [True, False]


@pytest.mark.parametrize("one_author", [False, True])
def test_even_a_changing_check_taken_for_one_that_looks_changes_copies_of_its_own(
    one_author: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("checking", "isolation"):
        monkeypatch.setattr(f"envscaler_mcp.sandbox.{module}.only_looks", lambda _: True)
    changes = "def check_func(final_state):\n    final_state.clear()\n    initial_state.clear()\n    return True\n"
    same = "def check_func(final_state):\n    return final_state == initial_state and len(final_state) == 2\n"
    asks = "def check_func(final_state):\n    return getattr(final_state, 'n', True)\n"
    with checker(one_author=one_author) as judge:
        for _ in range(2):
            answers = judge.run([changes, same, asks, changes], OPEN, OPEN)
            assert [one.verdict for one in answers] == [True, True, None, True]
            assert str(answers[2].failure).startswith("NameError")


HOGS = {
    "in its module": "held = [0] * {many}\ndef check_func(final_state):\n    return len(held) > 0\n",
    "in a closure": (
        "def check_func(final_state):\n    held = [0] * {many}\n    def inner(depth):\n        return inner if depth else held\n"
        "    return len(inner(0)) > 0\n"
    ),
    "and is not loaded": "held = [0] * {many}\ndef f():\n    return f\nnone = held['x']\ndef check_func(final_state):\n    return True\n",
}


@pytest.mark.parametrize("one_author", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("hog", HOGS.values(), ids=HOGS)
def test_the_memory_of_one_check_is_there_for_the_next(hog: str, one_author: bool) -> None:
    hog = hog.format(many=16_000_000)
    uses = "def check_func(final_state):\n    return len([0] * 16_000_000) > 0\n"
    assert only_looks(hog)
    assert only_looks(uses)
    with checker(one_author=one_author, limits=Limits(memory=240 * MIB)) as judge:
        for _ in range(2):
            assert [one.verdict for one in judge.run([hog, uses, LOOKS], OPEN, OPEN)][1:] == [True, True]
            assert judge.run([uses], OPEN, OPEN)[0].verdict is True


def test_a_check_that_needs_too_much_memory_fails_alone() -> None:
    much = "def check_func(final_state):\n    return len([0] * 10 ** 9) > 0\n"
    answers = run_checks([LOOKS, much, LOOKS], OPEN, OPEN)
    assert [(one.verdict, one.ended) for one in answers] == [(True, False), (None, True), (True, False)]


def _quick() -> Any:
    return Limits(call_seconds=0.5)
