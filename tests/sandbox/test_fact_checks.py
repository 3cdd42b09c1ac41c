"""Checks in the compiler's own forms are answered as data, with the answer that running them has."""

from __future__ import annotations

import ast
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Check
from envscaler_mcp.sandbox import fact_checks
from envscaler_mcp.sandbox.checking import Checker, DataChecker, NeedsWorkerError
from envscaler_mcp.sandbox.execution import check_function, failure_of, verdict_of
from envscaler_mcp.sandbox.fact_checks import MOST_CHARACTERS, FactCheck, NotReadHereError, StatePair, fact_check
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.sandbox.purity import builtins_to_look
from envscaler_mcp.serving.parsing import parsed_module

ROOT = Path(__file__).resolve().parents[2]

INITIAL: dict[str, Any] = {
    "orders": {"O-1": {"id": "O-1", "status": "open", "rooms": ["R-1"], "paid": 0}},
    "lines": {"L-1": {"id": "L-1", "order_id": "O-1", "many": 2}},
}
FINAL: dict[str, Any] = {
    "orders": {
        "O-1": {"id": "O-1", "status": "sent", "rooms": ["R-2", "R-1"], "paid": 0},
        "O-2": {"id": "O-2", "status": "open", "rooms": ["L-2"], "paid": None},
    },
    "lines": {"L-2": {"id": "L-2", "order_id": "O-2", "many": 3}},
}
NEW_ORDERS = '[one for key, one in final_state["orders"].items() if key not in initial_state["orders"]]'
NEW_LINES = NEW_ORDERS.replace("orders", "lines")


def one(test: str, key: str = "O-1") -> str:
    return (
        "def check_func(final_state):\n"
        f'    record = final_state["orders"].get({key!r})\n'
        f"    return record is not None and {test}\n"
    )


def many(test: str, number: int = 1, new: str = NEW_ORDERS) -> str:
    return f"def check_func(final_state):\n    new = {new}\n    return sum(1 for record in new if {test}) == {number}\n"


def gone(key: str) -> str:
    return f'def check_func(final_state):\n    return {key!r} not in final_state["lines"]\n'


LIKE = f"[record['id'] for record in {NEW_ORDERS} if record['status'] == 'open' and record['paid'] == None]"
SOURCES = [
    one("record['status'] == 'sent'"),
    one("record['status'] == 'it\\'s \"sent\"\\n'"),
    one("record['status'] == 'sent'", "O-7"),
    one("record['paid'] == False"),
    one("record['paid'] == -3"),
    one("record['paid'] == 0.0 and record['rooms'] == []"),
    one("sorted(record['rooms']) == ['R-1', 'R-2']"),
    one("len(record['rooms']) == 2 and all(one in record['rooms'] for one in ['R-1'])"),
    one(
        "len(record['rooms']) == 1 and all(one in record['rooms'] for one in [])"
        f" and sum(1 for one in record['rooms'] if one in [record['id'] for record in {NEW_LINES} if True]) >= 1",
        "O-2",
    ),
    many("record['status'] == 'open' and record['paid'] == None"),
    many("record['status'] == 'open'", 0),
    many(f"record['order_id'] in {LIKE} and record['many'] == 3", new=NEW_LINES),
    gone("L-1"),
    gone("L-2"),
]


def ran(source: str, initial: Any, final: Any) -> Checked:
    """What the program says that the text is."""
    try:
        answer = verdict_of(check_function(source, initial, builtins_to_look())(final))
    except Exception as cause:
        answer = failure_of(cause)
    return Checked(answer.get("verdict"), answer.get("failure"))


def scenarios(step: int) -> Iterator[dict[str, Any]]:
    lines = (
        line
        for file in sorted(ROOT.glob("generated_servers/*/scenarios.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    )
    return (json.loads(line) for number, line in enumerate(lines) if number % step == 0)


def test_every_check_that_ships_is_read() -> None:
    sources = [check["check_func"] for scenario in scenarios(11) for check in scenario["checks"]]
    assert len(sources) > 1000
    assert [source for source in sources if fact_check(source) is None] == []


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_read_answers_as_the_program_does(source: str) -> None:
    admit_check(source)
    with closing(Checker()) as judge:
        for initial, final in [(INITIAL, FINAL), (FINAL, INITIAL), (INITIAL, INITIAL)]:
            assert judge.run([source], initial, final) == [ran(source, initial, final)]
        assert judge._clean is None, "nothing was run"


@pytest.mark.parametrize("source", SOURCES)
def test_where_the_program_fails_it_fails_in_the_same_words(source: str) -> None:
    chance = random.Random(7)
    with closing(Checker()) as judge:
        for _ in range(60):
            initial, final = (damaged(state, chance) for state in (INITIAL, FINAL))
            assert judge.run([source], initial, final) == [ran(source, initial, final)]


def damaged(state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The state with one thing replaced or missing anywhere in it."""
    state = json.loads(json.dumps(state))
    place: Any = state
    while True:
        name = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if isinstance(place[name], dict | list) and place[name] and chance.random() < 0.8:
            place = place[name]
            continue
        if chance.random() < 0.4:
            del place[name]
        else:
            place[name] = chance.choice([None, True, 0, 1, -3, 0.0, "O-1", "L-2", [], ["O-2"], {}, {"id": "O-2"}, [[]]])
        return state


NEARLY: list[Callable[[str], str]] = [
    lambda source: source + "\n",
    lambda source: source + "# a remark\n",
    lambda source: "import math\n" + source,
    lambda source: source.replace("check_func", "check"),
    lambda source: source.replace("(final_state):", "(final_state, more=[]):"),
    lambda source: source.replace("    return", "    final_state.clear()\n    return"),
    lambda source: source.replace(" is not None and ", " is not None or "),
    lambda source: source.replace("record = ", "record = other = "),
    lambda source: source.replace("'status'", "status"),
    lambda source: source.replace("== 'sent'", "== ('sent',)"),
    lambda source: source.replace("== 'sent'", "== print"),
    lambda source: source.replace("== 'sent'", "!= 'sent'"),
    lambda source: source.replace("== 'sent'", "== 'se' 'nt'"),
    lambda source: source.replace('final_state["orders"]', 'initial_state["orders"]'),
    lambda source: source.replace('"orders"', '"orders\\""'),
    lambda source: source.replace(".get(", ".pop("),
]


@pytest.mark.parametrize("change", NEARLY)
def test_a_text_that_is_not_one_of_the_forms_to_the_letter_is_a_program(change: Callable[[str], str]) -> None:
    source = SOURCES[0]
    assert fact_check(source) is not None
    assert change(source) != source
    assert fact_check(change(source)) is None


class SaysYes(str):
    """What a world could hand over whose code runs in this process."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


def test_a_text_with_an_equality_of_its_own_decides_nothing() -> None:
    final = {"orders": {"O-1": {"status": SaysYes("open")}}}
    with closing(Checker()) as judge:
        assert judge.run([SOURCES[0]], INITIAL, final) == [Checked(False, None)]
        assert judge._clean is not None, "a worker was asked"


def test_what_would_take_long_is_left_to_a_worker() -> None:
    records = {f"O-{number}": {"id": f"O-{number}", "status": "open", "paid": None} for number in range(3_000)}
    lines = {f"L-{number}": {"id": f"L-{number}", "order_id": "none", "many": 3} for number in range(3_000)}
    final = {"orders": records, "lines": lines}
    initial: dict[str, Any] = {"orders": {}, "lines": {}}
    read = fact_check(many(f"record['order_id'] in {LIKE}", 0, NEW_LINES))
    assert read is not None
    with pytest.raises(NotReadHereError):
        read.answer(StatePair(initial, final))
    with closing(Checker()) as judge:
        source = many(f"record['order_id'] in {LIKE}", 0, NEW_LINES)
        assert judge.run([source], initial, final) == [Checked(True, None)]


NUMBERS = random.Random(7).sample(range(10**9), 40_000)


def nested(value: Any, depth: int) -> Any:
    return value if depth == 0 else [nested(value, depth - 1)]


def records(count: int, **content: Any) -> dict[str, Any]:
    return {f"O-{number}": {"id": f"O-{number}", **content} for number in range(count)}


COSTLY: dict[str, tuple[str, dict[str, Any]]] = {
    "deep rows are sorted": (
        one("sorted(record['rooms']) == [0]"),
        {"O-1": {"rooms": [nested(number, 90) for number in NUMBERS[:900]]}},
    ),
    "wide rows are sorted": (
        one("sorted(record['rooms']) == [0]"),
        {"O-1": {"rooms": [["ab"] * 900 + [number] for number in NUMBERS[:900]]}},
    ),
    "many numbers are sorted": (one(f"sorted(record['rooms']) == {[1] * 5000}"), {"O-1": {"rooms": NUMBERS[:5000]}}),
    "texts that begin alike are sorted": (
        one(f"sorted(record['rooms']) == {['a'] * 3000}"),
        {"O-1": {"rooms": ["a" * 900 + str(number) for number in NUMBERS[:3000]]}},
    ),
    "rows are looked for": (
        one(f"all(one in record['rooms'] for one in {[1] * 4000})"),
        {"O-1": {"rooms": [*NUMBERS, 1]}},
    ),
    "a text is searched": (
        one(f"all(one in record['rooms'] for one in {['b'] * 3000})"),
        {"O-1": {"rooms": "a" * 10**6}},
    ),
    "many are compared with a long list": (
        many(f"record['rooms'] == {[0] * 5000}"),
        records(9_000) | records(60, rooms=[0] * 4_999 + [1]),
    ),
    "many are compared with a long text": (
        many(f"record['rooms'] == {'a' * 16_000!r}"),
        records(900, rooms="a" * 15_999 + "b"),
    ),
    "many are asked much": (many(" and ".join(["record['paid'] == 0"] * 600)), records(2_000, paid=0)),
    "ids are nested": (
        many(f"record['rooms'] in [record['id'] for record in {NEW_ORDERS} if True]"),
        {str(number): {"id": nested(number, 90), "rooms": nested(-1, 90)} for number in range(900)},
    ),
    "ids are numbers of one hash": (
        many(f"record['rooms'] in [record['id'] for record in {NEW_ORDERS} if True]"),
        {str(number): {"id": number * (2**61 - 1), "rooms": 1} for number in range(3_000)},
    ),
    "a list names many": (
        one(f"sum(1 for one in record['rooms'] if one in [record['id'] for record in {NEW_ORDERS} if True]) >= 1"),
        records(3_000) | {"O-1": {"id": "O-1", "rooms": ["O-2"] * 40_000}},
    ),
    "there is much that no check asks for": (one("record['paid'] == 1"), {"O-1": {"paid": 1, "rooms": [{}] * 10**6}}),
    "the check fails": (one("record['paid'] == 1"), {"O-1": {}}),
}


@pytest.mark.parametrize("costly", COSTLY)
def test_no_ending_and_no_number_of_checks_hold_this_process_up(costly: str) -> None:
    source, orders = COSTLY[costly]
    read = fact_check(source)
    assert read is not None
    ending = StatePair({"orders": {}}, {"orders": orders})
    began = time.thread_time()
    while is_answered(read, ending):
        pass
    assert time.thread_time() - began < 0.1


def is_answered(read: FactCheck, ending: StatePair) -> bool:
    """Whether the check is answered here; what its program would raise is an answer."""
    try:
        read.answer(ending)
    except NotReadHereError:
        return False
    except KeyError:
        return True
    return True


def test_lists_in_a_list_are_left_to_a_worker_which_says_what_the_program_says() -> None:
    final = {"orders": {"O-1": {"rooms": [["R-1"], ["R-2"]]}}}
    with closing(Checker()) as judge:
        for source in SOURCES[6], SOURCES[7]:
            assert judge.run([source], {}, final) == [ran(source, {}, final)]
        assert judge._clean is not None, "a worker was asked"


def test_a_long_text_and_one_with_more_than_plain_literals_is_a_program() -> None:
    same_hashes = ", ".join(str(number * (2**61 - 1)) for number in range(1, 300))
    for literal in (repr("a" * MOST_CHARACTERS), f"{{{same_hashes}}}", "1 + 2j", "--3", "(1, 2)", "[[1]]", "{'a': 1}"):
        assert fact_check(one(f"record['paid'] == {literal}")) is None


def test_checks_that_are_long_together_are_left_to_a_worker_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def noted(source: str) -> ast.Module:
        read.append(len(source))
        return parsed_module(source)

    monkeypatch.setattr(fact_checks, "parsed_module", noted)
    long = Check(check_item="", check_func=one(" and ".join(["record['paid'] == 0"] * 550)))
    with closing(DataChecker()) as reader:
        assert reader.run([long] * 4, INITIAL, FINAL) == [Checked(True, None)] * 4
        read.clear()
        with pytest.raises(NeedsWorkerError):
            reader.run([long] * 5, INITIAL, FINAL)
    with closing(Checker()) as judge:
        assert judge.run([long] * 5, INITIAL, FINAL) == [Checked(True, None)] * 5
    assert not read


def test_of_many_checks_none_answers_for_another() -> None:
    count = 4_400
    orders = {"O-1": {"id": "O-1", "paid": "O-1", **{f"n{number}": number % 2 for number in range(count)}}}
    ending = StatePair({"orders": {}}, {"orders": orders}, _steps=10**6)

    def answer(number: int) -> bool:
        read = fact_check(
            many(f"record['paid'] in [record['id'] for record in {NEW_ORDERS} if record['n{number}'] == 1]")
        )
        assert read is not None
        return read.answer(ending)

    assert [answer(number) for number in range(count)] == [number % 2 == 1 for number in range(count)]


def test_a_check_after_one_that_changes_the_end_sees_it_changed() -> None:
    changes = "def check_func(final_state):\n    final_state['orders']['O-1']['status'] = 'lost'\n    return True\n"
    with closing(Checker()) as judge:
        answers = judge.run([changes, SOURCES[0]], INITIAL, FINAL, handed_on=True)
        assert [answer.verdict for answer in answers] == [True, False]
        answers = judge.run([changes, SOURCES[0]], INITIAL, FINAL)
        assert [answer.verdict for answer in answers] == [True, True]


def test_a_check_made_for_monty_and_all_checks_in_hard_mode_are_not_answered_here() -> None:
    with closing(Checker("hard")) as judge:
        assert judge.run([SOURCES[0]], INITIAL, FINAL) == [Checked(True, None)]
        assert judge._clean is not None
    with closing(Checker()) as judge:
        asked = Check(check_item="", check_func=SOURCES[0], engine="monty")
        assert judge.run([asked], INITIAL, FINAL) == [Checked(True, None)]
