"""A blueprint that a model wrote is compiled, tried, mended and told like any other."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from envscaler_mcp.artifacts import Environment, Scenario, Topic
from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.errors import ModelError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.llm import ChatRequest
from envscaler_mcp.pipeline.admitting import Admitted, admitted_blueprint
from envscaler_mcp.synthesis.written.blueprints import only, without
from tests.llm.asking import Actor, Part
from tests.pipeline.lending_author import fenced, says_it_again
from tests.quality.test_agents import content, passes

TEXT = blueprint_files()["lift_service"].read_text(encoding="utf-8")
LOGIC, SPOKEN = without(TEXT, ("words", "stories")), only(TEXT, ("words", "stories"))
SILENT = """\
stories:
  nowhere:
    cast:
      - lift in Lift if lift.tag == 'No such lift'
    do:
      - stop_lift(lift=lift)
    tell:
      - "{lift} makes a noise, so it has to stand still."
"""
EXAMPLE = blueprint_files()["expense_approvals"].read_text(encoding="utf-8")
TOPIC = Topic(
    id="lift_service",
    title="Lift service",
    introduction="Keeps lifts and breakdowns. Technicians are sent, arrive and mend. Trapped people come first.",
    usefulness=8,
    modelability=9,
)


def picks(question: ChatRequest) -> str:
    tools = re.findall(r"(?m)^\* (list_\w+) \(reads\)", content(question))
    calls = [{"tool": tool, "tries": "as it is", "kind": "positive", "arguments": {}} for tool in tools]
    return json.dumps({"calls": calls})


def author(**parts: Part) -> Actor:
    played: dict[str, Part] = {
        "write_blueprint": [fenced(LOGIC, "yaml")],
        "repair_blueprint": [fenced(LOGIC, "yaml")],
        "write_stories": [fenced(SPOKEN, "yaml")],
        "pick_calls": picks,
        "judge_calls": passes,
        "word_task": says_it_again,
    }
    return Actor(**(played | parts))


async def admitted(actor: Actor, *, reword: bool = True) -> Admitted:
    wanted = SynthesisConfig(environments=1, reword=reword)
    return await admitted_blueprint(actor.author(), TOPIC, EXAMPLE, wanted, lambda *_: None)


@cache
def gatherings() -> tuple[str, str]:
    """A fault that the compiler finds, and what it says of it."""
    broken = LOGIC.replace("ref(Lift)", "ref(Lyft)")
    assert broken != LOGIC
    return broken, "did you mean"


async def test_a_blueprint_becomes_an_environment_whose_tasks_are_told_anew_and_proven_in_these_words() -> None:
    actor = author(write_blueprint=[fenced(gatherings()[0], "yaml"), fenced(LOGIC, "yaml")])
    found = await admitted(actor)
    files = found.built.files
    card = Environment.from_text(files["environment.json"], "card")
    assert (card.id, card.origin, card.provenance.author) == ("lift_service", "compiled", "model")
    signed = read_blueprint(files["blueprint.yaml"], "blueprint.yaml")
    assert (signed.provenance.author, signed.provenance.model) == ("model", "small")
    assert signed.provenance.parents == {"topic": TOPIC.digest}
    assert gatherings()[1] in actor.asked[1].messages[3].content
    scenarios = [Scenario.from_text(line, "scenario") for line in files["scenarios.jsonl"].splitlines()]
    assert len(scenarios) == 10
    assert found.reworded == 10
    for scenario in scenarios:
        assert scenario.task.partition("\n\n")[2].startswith("Good morning. ")
        assert "".join(span.text for span in scenario.spans) == scenario.task
        assert scenario.provenance.model == "small"
        assert scenario.proof is not None
        assert scenario.proof.oracle_reward == 1.0
        assert scenario.proof.text_mutants.made > 0


@pytest.mark.slow
async def test_a_message_that_loses_a_fact_is_sent_back_and_then_left_as_it_was() -> None:
    actor = author(word_task=["Please do what we talked about yesterday, as soon as you can."])
    found = await admitted(actor)
    assert found.reworded == 0
    again = next(one for one in actor.asked if one.purpose == "word_task" and len(one.messages) == 4)
    assert "must stand in it exactly so" in again.messages[3].content
    assert "Good morning" not in found.built.files["scenarios.jsonl"]


@pytest.mark.slow
async def test_what_the_judge_finds_goes_back_to_whoever_wrote_the_blueprint() -> None:
    def once(question: ChatRequest) -> str:
        whole = json.loads(passes(question))
        if actor.times("repair_blueprint") == 0:
            whole["verdicts"][0] |= {"judgement": "fail", "reason": "Lifts are listed without their floors."}
        return json.dumps(whole)

    actor = author(judge_calls=once)
    found = await admitted(actor)
    assert found.repairs == 1
    repair = content(next(one for one in actor.asked if one.purpose == "repair_blueprint"))
    assert "Lifts are listed without their floors." in repair


async def test_stories_of_which_no_task_comes_go_back_with_the_reason() -> None:
    actor = author(write_stories=[fenced(SILENT, "yaml"), fenced("words: {}", "yaml"), fenced(SPOKEN, "yaml")])
    await admitted(actor, reword=False)
    asked = [one for one in actor.asked if one.purpose == "write_stories"]
    assert "no record fits " in asked[1].messages[3].content
    assert "`words:` and `stories:` are wanted" in asked[2].messages[5].content


async def test_a_blueprint_under_another_id_goes_back() -> None:
    other = LOGIC.replace("id: lift_service", "id: lifts", 1)
    actor = author(write_blueprint=[fenced(other, "yaml")])
    with pytest.raises(ModelError, match="the id must be lift_service, and it is lifts"):
        await admitted(actor)
