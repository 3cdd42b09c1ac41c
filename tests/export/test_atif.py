"""Harbor reads what was played as a trajectory of its own format.

The rules are those of harbor 0.25: harbor/models/trajectories/ (fields, sources, references of answers to calls). They
are told anew here, since Harbor needs Python 3.12; where it is installed it takes the documents itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from pydantic import BaseModel, ConfigDict, Field

from envscaler_mcp.artifacts import Step, Verdict
from envscaler_mcp.artifacts.artifact import Provenance
from envscaler_mcp.artifacts.episode import Invention, ModelCost
from envscaler_mcp.errors import ExportError, RunError
from envscaler_mcp.export.atif import write_atif
from envscaler_mcp.export.dialogue import Dialogue
from tests.export.dialogues import TALK, agent, answer, call, dialogue, talks, user

ONLY_AGENT = {"reasoning_content", "tool_calls", "metrics", "model_name"}
SOURCES = {"system": "system", "user": "user", "agent": "assistant"}


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class HarborCall(Strict):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class HarborResult(Strict):
    source_call_id: str | None = None
    content: str | None = None
    extra: dict[str, Any] | None = None


class HarborObservation(Strict):
    results: list[HarborResult]


class HarborMetrics(Strict):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


class HarborTotals(Strict):
    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = Field(default=None, ge=0)


class HarborStep(Strict):
    step_id: int = Field(ge=1)
    source: Literal["system", "user", "agent"]
    message: str
    model_name: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[HarborCall] | None = None
    observation: HarborObservation | None = None
    metrics: HarborMetrics | None = None


class HarborAgent(Strict):
    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None


class HarborTrajectory(Strict):
    schema_version: Literal["ATIF-v1.7"]
    session_id: str
    trajectory_id: str
    agent: HarborAgent
    steps: list[HarborStep] = Field(min_length=1)
    final_metrics: HarborTotals
    extra: dict[str, Any]


def validate(document: Any) -> None:
    HarborTrajectory.model_validate(document)
    for number, step in enumerate(document["steps"], 1):
        assert step["step_id"] == number
        assert step["source"] == "agent" or not ONLY_AGENT & step.keys()
        called = {one["tool_call_id"] for one in step.get("tool_calls", [])}
        answered = {result["source_call_id"] for result in step.get("observation", {"results": []})["results"]}
        assert answered <= called


def documents(folder: Path) -> list[Any]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]


def messages_in(document: Any) -> list[dict[str, Any]]:
    """The conversation again."""
    found: list[dict[str, Any]] = []
    for step in document["steps"]:
        message = {"role": SOURCES[step["source"]], "content": step["message"]}
        if "reasoning_content" in step:
            message["reasoning_content"] = step["reasoning_content"]
        if "tool_calls" in step:
            message["tool_calls"] = [
                call(one["function_name"], one["arguments"], one["tool_call_id"]) for one in step["tool_calls"]
            ]
        found.append(message)
        found += [
            {"role": "tool", "tool_call_id": result["source_call_id"], "content": result["content"]}
            for result in step.get("observation", {"results": []})["results"]
        ]
    return found


@settings(deadline=None, max_examples=25)
@given(talks())
@example(TALK)
def test_every_message_comes_back_and_every_answer_names_its_call(
    tmp_path_factory: Any, talk: tuple[dict[str, Any], ...]
) -> None:
    one, folder = dialogue(talk), tmp_path_factory.mktemp("atif")
    assert write_atif(folder, [one]) == 1
    (document,) = documents(folder)
    nameless = [{key: value for key, value in message.items() if key != "name"} for message in one.messages]
    assert messages_in(document) == nameless
    validate(document)


def test_each_episode_is_a_file_of_its_own_with_its_verdict(tmp_path: Path) -> None:
    failed = Verdict(owner="agent", reward=0.25, checks=(True, False))
    cut = [user("Hi"), agent("", call("find", {})), answer("none")]
    episodes = [dialogue(TALK), dialogue(cut, id="../library/my:Agent/2", ended="steps", verdict=failed)]
    assert write_atif(tmp_path / "first", episodes) == 2
    assert sorted(path.name for path in (tmp_path / "first").iterdir()) == [
        ".._library_my_Agent_2.json",
        "library-001_oracle_1.json",
    ]
    document, whole = documents(tmp_path / "first")
    assert (document["schema_version"], document["extra"]["ended"]) == ("ATIF-v1.7", "steps")
    assert (document["extra"]["verdict"]["reward"], document["extra"]["verdict"]["checks"]) == (0.25, [True, False])
    assert "reward" not in document["extra"]
    assert whole["agent"]["tool_definitions"] == list(episodes[0].tools)
    assert whole["steps"][-1] == {"step_id": 8, "source": "user", "message": "Task finished"}


@pytest.mark.parametrize("id_", ["library_001/oracle/1", "LIBRARY-001/oracle/1", "ä" * 300])
def test_no_two_episodes_are_one_file_and_no_name_is_too_long(tmp_path: Path, id_: str) -> None:
    episodes = [dialogue(TALK), dialogue(TALK, id=id_), dialogue(TALK, id="library_001_oracle/1")]
    assert write_atif(tmp_path / "first", episodes) == 3
    found = documents(tmp_path / "first")
    assert {one["session_id"] for one in found} == {one.trajectory.id for one in episodes}
    assert len({path.name.casefold() for path in (tmp_path / "first").iterdir()}) == 3


def test_what_a_call_led_to_and_what_a_move_took_stands_with_it(tmp_path: Path) -> None:
    use, more = (
        ModelCost(prompt_tokens=900, cached_tokens=300, completion_tokens=70, dollars=0.5),
        ModelCost(completion_tokens=30),
    )
    talk = [
        user("Hi"),
        agent("", call("find", {}), call("find", {}, "call_2")),
        answer("The arguments must be an object."),
        answer("none", "call_2"),
        agent(""),
        user("The move was empty."),
        agent("So."),
    ]
    steps = [
        Step(number=1, turn=1, tool="find", malformed='{"shelf": oops', is_error=True, use=use),
        Step(number=2, turn=1, tool="find"),
        Step(number=3, turn=2, is_error=True),
        Step(number=4, turn=3, text="So.", use=more),
    ]
    one = dialogue(
        talk,
        steps=steps,
        agent="openai:small",
        provenance=Provenance(model="small"),
        mode="conversation",
        user="openai:other",
        use=use + more,
        user_use=more,
        invented=[Invention(step=4, value="Zora")],
    )
    write_atif(tmp_path / "first", [one])
    (document,) = documents(tmp_path / "first")
    validate(document)
    made, other = document["steps"][1]["tool_calls"]
    # Nobody wrote `{}`; what was written cannot stand in its place.
    assert (made["arguments"], made["extra"]) == ({}, {"malformed": '{"shelf": oops'})
    assert "extra" not in other
    results = document["steps"][1]["observation"]["results"]
    assert [result["extra"]["is_error"] for result in results] == [True, False]
    first = {"prompt_tokens": 900, "completion_tokens": 70, "cached_tokens": 300, "cost_usd": 0.5}
    assert [step.get("metrics", {}).get("completion_tokens") for step in document["steps"]] == [
        None, 70, None, None, 30,
    ]  # fmt: skip
    assert document["steps"][1]["metrics"] == first
    assert document["final_metrics"]["total_completion_tokens"] == 100
    assert (document["agent"]["name"], document["agent"]["model_name"]) == ("openai:small", "small")
    told = document["extra"]
    assert (told["mode"], told["user"], told["user_use"]["completion_tokens"]) == ("conversation", "openai:other", 30)
    assert told["invented"] == [{"step": 4, "value": "Zora"}]


@pytest.mark.parametrize("written", ["{", "[1]", "[" * 9000])
def test_arguments_that_are_no_object_stand_beside_the_call(tmp_path: Path, written: str) -> None:
    write_atif(tmp_path / "first", [dialogue([user("Hi"), agent("", call("find", written)), answer("none")])])
    (document,) = documents(tmp_path / "first")
    validate(document)
    (made,) = document["steps"][1]["tool_calls"]
    assert (made["arguments"], made["extra"]) == ({}, {"malformed": written})


def test_what_is_there_already_is_not_written_over(tmp_path: Path) -> None:
    write_atif(tmp_path / "first", [dialogue(TALK)])
    (tmp_path / "file").touch()
    for name in ("first", "file"):
        with pytest.raises(ExportError, match=r"is there already; .* name a new folder"):
            write_atif(tmp_path / name, [dialogue(TALK, id="another")])
    assert [path.name for path in (tmp_path / "first").iterdir()] == ["library-001_oracle_1.json"]


def test_a_trouble_on_the_way_leaves_no_half_of_a_folder(tmp_path: Path) -> None:
    def troubled() -> Iterator[Dialogue]:
        yield dialogue(TALK)
        raise RunError("torn")

    with pytest.raises(RunError, match="torn"):
        write_atif(tmp_path / "first", troubled())
    assert write_atif(tmp_path / "first", []) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_harbor_itself_takes_it(tmp_path: Path) -> None:
    trajectories = pytest.importorskip(
        "harbor.models.trajectories", reason="harbor is not here; it needs Python 3.12: pip install harbor"
    )
    write_atif(tmp_path, [dialogue(TALK)])
    (document,) = documents(tmp_path)
    assert trajectories.Trajectory(**document).to_json_dict() == document
