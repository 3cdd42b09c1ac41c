"""Compiled code does what the interpreter does, call for call, over every blueprint there is."""

from __future__ import annotations

import pytest

from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.compile import compile_model
from tests.synthesis.twins import Twins, replayed
from tests.synthesis.worlds import TURNS, compiled, model, play, raw, start, with_seeds, write

CALLS, WRITES, HISTORY = 70, 45, 18


@pytest.mark.parametrize("name", TURNS)
def test_a_grown_state_is_sound(name: str) -> None:
    state = start(name, HISTORY)
    assert Twins(model(name), state, compiled(name)).meant.check_state() == []


@pytest.mark.parametrize("name", TURNS)
def test_calls_answer_and_change_what_the_blueprint_means(name: str) -> None:
    changes = 0
    for seed in (1, 2):
        twins, done = play(name, seed, CALLS, HISTORY)
        replayed(twins, start(name, HISTORY))
        changes += done
    assert changes or not model(name).blueprint.start.records


@pytest.mark.parametrize("name", TURNS)
def test_no_write_gets_past_a_rule(name: str) -> None:
    twins, _ = write(name, 1, WRITES, HISTORY)
    assert twins.done


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "seed"), with_seeds(2, 3))
def test_many_calls_answer_and_change_what_the_blueprint_means(name: str, seed: int) -> None:
    twins, _ = play(name, seed, 250, 60)
    replayed(twins, start(name, 60))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "seed"), with_seeds(2, 3, 4, 5))
def test_none_of_many_writes_gets_past_a_rule(name: str, seed: int) -> None:
    write(name, seed, 150, 10 * seed)


@pytest.mark.slow
def test_raw_writes_meet_most_rules() -> None:
    rules = {rule.text for rule in model("parish").rules}
    met = set().union(*(write("parish", seed, 300, 16)[1] for seed in range(4)))
    assert len(rules & met) > len(rules) // 2


@pytest.mark.parametrize(
    ("code", "forgotten"),
    [
        ("if self._breaks_rule_", "if 0 and self._breaks_rule_"),
        ("> 1:\n            return self._take_back", "> 99:\n            return self._take_back"),
        ("        self._undo(journal)", "        self.now = self.now"),
        ("self._unlink(container, record)\n            record[field]", "record[field]"),
        ('self._journal.append(("put"', '(("put"'),
    ],
)
def test_code_that_forgets_something_is_found_out(code: str, forgotten: str) -> None:
    # The comparison would be worth nothing if it could not fail.
    whole = compile_model(raw("trapdoors").model)
    assert code in whole.source
    broken = load_class(whole.source.replace(code, forgotten), whole.class_name)
    with pytest.raises((AssertionError, KeyError)):
        write("trapdoors", 2, 120, HISTORY, broken)
