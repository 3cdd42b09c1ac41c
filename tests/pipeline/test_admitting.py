"""What a model wrote is tried, mended and proven before it is an environment."""

from __future__ import annotations

import json

import pytest

from envscaler_mcp.artifacts import Environment, QualityReport, Scenario, Topic
from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import ChatRequest
from envscaler_mcp.pipeline.admitting import Admitted, admitted_class
from envscaler_mcp.pipeline.building import STATES
from envscaler_mcp.synthesis.written.classes import write_class
from envscaler_mcp.synthesis.written.states import write_states
from tests.llm.asking import Actor
from tests.pipeline.lending_author import METHODS, lending_author, state
from tests.quality.test_agents import content, passes

TOPIC = Topic(
    id="lending_desk",
    title="Lending desk",
    introduction="Keeps books, readers and loans. Books are lent, extended and taken back. Readers have limits.",
    usefulness=8,
    modelability=9,
)


async def admitted(actor: Actor, many: int = 2, repairs: int = 2) -> tuple[Admitted, list[tuple[str, str]]]:
    told: list[tuple[str, str]] = []
    wanted = SynthesisConfig(environments=1, scenarios=many, style="code", repairs=repairs)
    found = await admitted_class(actor.author(), TOPIC, wanted, lambda stage, said: told.append((stage, said)))
    return found, told


async def test_a_class_is_written_tried_and_comes_with_states_scenarios_and_its_report() -> None:
    found, told = await admitted(lending_author())
    files = found.built.files
    card = Environment.from_text(files["environment.json"], "card")
    assert (card.id, card.origin, card.class_name) == ("lending_desk", "written", "LendingDesk")
    assert card.provenance.model == "small"
    assert {tool.name for tool in card.tools} == METHODS.keys()
    assert sorted(name for name in files if name.startswith("states/")) == [
        "states/start.json",
        "states/start_2.json",
        "states/start_3.json",
    ]
    assert QualityReport.from_text(files["quality_report.json"], "report").admitted
    scenarios = [Scenario.from_text(line, "scenario") for line in files["scenarios.jsonl"].splitlines()]
    assert [one.proof is not None and one.proof.oracle_reward for one in scenarios] == [1.0, 1.0]
    assert "blueprint.yaml" not in files
    assert [stage for stage, _ in told if stage != "code"] == ["states", "tried", "scenarios", "words"]
    assert all(one.task.startswith("Good morning. ") for one in scenarios)
    assert (found.repairs, found.reworded) == (0, 2)


FORGETFUL = METHODS["take_back"].replace("self.books[loan['book_id']]['status'] = 'in'", "pass")


def sees_books_that_stay_lent(question: ChatRequest) -> str:
    whole = json.loads(passes(question))
    if "self.books[loan['book_id']]['status'] = 'in'" not in content(question):
        for verdict in whole["verdicts"]:
            if f'\n{verdict["number"]}. take_back({{"loan_id": "LN-0001"}})' in content(question):
                verdict |= {"judgement": "fail", "reason": "The book stays lent."}
    return json.dumps(whole)


async def test_what_the_judge_finds_goes_back_to_whoever_wrote_the_operation() -> None:
    assert METHODS["take_back"] != FORGETFUL
    actor = lending_author({"take_back": FORGETFUL}, judge_calls=sees_books_that_stay_lent)
    found, told = await admitted(actor, many=1)
    assert found.repairs == 1
    assert ("mended", "1") in told
    repair = content(next(one for one in actor.asked if one.purpose == "repair_method"))
    assert "The book stays lent." in repair
    assert 'take_back({"loan_id": "LN-0001"}), meant to be done: The book stays lent.' in repair
    assert "['status'] = 'in'" in found.built.files["environment.py"]
    assert actor.times("repair_method") == 1


async def test_what_is_never_mended_is_not_admitted() -> None:
    def hates_everything(question: ChatRequest) -> str:
        whole = json.loads(passes(question))
        for verdict in whole["verdicts"]:
            verdict |= {"judgement": "fail", "reason": "It is all wrong."}
        return json.dumps(whole)

    with pytest.raises(ModelError, match=r"lending_desk is not admitted: .*85% must; .*: It is all wrong\."):
        await admitted(lending_author(judge_calls=hates_everything), repairs=1)


def has_gone(question: ChatRequest) -> str:
    raise ModelError("nobody is there")


@pytest.mark.parametrize("asked", ["write_method", "write_state", "word_task"])
async def test_an_error_of_several_questions_at_once_is_told_by_itself(asked: str) -> None:
    with pytest.raises(ModelError, match="nobody is there"):
        await admitted(lending_author({}, **{asked: has_gone}), many=1)


async def test_an_operation_that_cannot_be_written_is_left_out_and_the_others_stay() -> None:
    actor = lending_author({"extend_loan": "def extend_loan(self) -> dict:\n    'X.'\n    return eval('1')"})
    calls = [
        one for one in json.loads(json.dumps(actor.parts["pick_calls"]))[0]["calls"] if one["tool"] != "extend_loan"
    ]
    actor.parts["pick_calls"] = [{"calls": calls}]
    found, _ = await admitted(actor, many=1)
    assert "extend_loan" not in {tool.name for tool in found.built.environment.tools}
    assert len(found.built.environment.tools) == len(METHODS) - 1


@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        ({"books": {}}, "`books` holds 0 records"),
        ({"shelves": {"A": {}}}, "There is no container 'shelves'"),
        ({"loans": {"LN-1": {"loan_id": "LN-1", "book_id": "BK-77"}}}, 'names book_id "BK-77", which nothing has'),
        ({"readers": {"RD-1": {"name": "Ada"}, "RD-2": {"name": "Bo"}}}, "readers RD-1 lacks email, loans, reader_id"),
    ],
)
async def test_a_start_state_that_does_not_hang_together_goes_back(spoilt: dict[str, object], complaint: str) -> None:
    actor = lending_author(write_state=lambda q: json.dumps(state() | spoilt if len(q.messages) == 2 else state()))
    made = await write_class(actor.author(), TOPIC, lambda stage: None)
    assert [one.content.items() >= state().items() for one in await write_states(actor.author(), made, STATES)] == [
        True
    ] * 3
    again = [one for one in actor.asked if one.purpose == "write_state" and len(one.messages) == 4]
    assert len(again) == 3
    assert complaint in again[0].messages[3].content
