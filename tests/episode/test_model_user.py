"""A user that a model plays knows the task, tells it bit by bit, and is looked at while it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.episode.agent import Action, Agent, Briefing
from envscaler_mcp.episode.live import EpisodeRecord
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.user import STOP
from envscaler_mcp.episode.users import UnknownUserError, user_named
from tests.episode.voices import CONVERSATION, conversing, first_scenario, played, voice_at
from tests.llm.endpoint import Fail, Reply, Say, ScriptedEndpoint, one_after_the_other, scripted_endpoint
from tests.runs.home import write_home

PROGRESS = GoalProgress((), lambda _: ())


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home")) / "generated_servers"


class Asking:
    """Says these things one after the other, and remembers what it heard."""

    def __init__(self, *says: str) -> None:
        self._says = iter(says)
        self.heard: list[str] = []

    def act(self, observation: str) -> Action:
        self.heard.append(observation)
        return Action(text=next(self._says, "Is there anything else?"))


async def conversation(
    servers: Path, folder: Path, scenario: Scenario, agent: Asking, *replies: Reply
) -> tuple[EpisodeRecord, ScriptedEndpoint]:
    def make(_briefing: Briefing, _scenario: Scenario) -> Agent:
        return agent

    async with scripted_endpoint(one_after_the_other(*replies)) as place, voice_at(place.url, folder) as voice:
        user = user_named("openai:small", voice)[1](scenario, PROGRESS, 3)
        return await played(servers, make, user, scenario=scenario), place


async def test_the_model_is_told_the_task_and_hears_only_what_the_agent_says(servers: Path, tmp_path: Path) -> None:
    agent = Asking("What is their name?")
    replies = (Say("Ada Cole.", reasoning=f"not yet {STOP}"), Say(f"From 8 March on. {STOP}"))
    done, place = await conversation(servers, tmp_path, conversing(servers), agent, *replies)
    assert agent.heard == [CONVERSATION.first, "Ada Cole."]
    system, *rest = place.requests[1]["messages"]
    assert CONVERSATION.goals[0].request in system["content"]
    assert "name: Ada Cole; from: 8 March" in system["content"]
    assert [(one["role"], one["content"]) for one in rest] == [
        ("user", "[Agent] Hi! How can I help you today?"),
        ("assistant", CONVERSATION.first),
        ("user", "[Agent] What is their name?"),
        ("assistant", "Ada Cole."),
        ("user", "[Agent] Is there anything else?"),
    ]
    assert (done.ended, done.owner, done.invented) == ("completed", None, [])
    assert done.messages[1] == {"role": "user", "content": CONVERSATION.first}
    uses = [step.user_use for step in done.steps]
    assert uses[0] is not None
    assert uses[1] is not None
    assert done.user_use == uses[0] + uses[1]


async def test_where_nobody_wrote_a_conversation_the_model_begins_it(servers: Path, tmp_path: Path) -> None:
    agent = Asking("What is it about?")
    replies = (Say("Hello, I am at the desk."), Say(STOP))
    done, place = await conversation(servers, tmp_path, first_scenario(servers), agent, *replies)
    assert agent.heard[0] == done.messages[1]["content"] == "Hello, I am at the desk."
    assert len(place.requests) == 2
    assert done.user_use is not None
    assert done.steps[0].user_use is not None
    assert done.user_use.prompt_tokens == 2 * done.steps[0].user_use.prompt_tokens


async def test_what_the_user_invented_after_the_agent_spoke_is_noted_and_excuses_no_agent(
    servers: Path, tmp_path: Path
) -> None:
    replies = (Say("Ada Lovelace, on 8 March."), Say(f"I said Ada Cole. {STOP}"))
    done, _ = await conversation(servers, tmp_path, conversing(servers), Asking("Who?"), *replies)
    assert [(one.step, one.value) for one in done.invented] == [(1, "Lovelace")]
    assert (done.ended, done.owner) == ("completed", None)
    assert done.reason == "the user invented Lovelace, after the agent had spoken"


async def test_what_the_user_invented_before_the_agent_spoke_is_the_users_failure(
    servers: Path, tmp_path: Path
) -> None:
    replies = (Say("I am Lovelace, at the desk."), Say(STOP))
    done, _ = await conversation(servers, tmp_path, first_scenario(servers), Asking("Who?"), *replies)
    assert [(one.step, one.value) for one in done.invented] == [(0, "Lovelace")]
    assert (done.ended, done.owner, done.reason) == ("completed", "user_simulator", "the user invented Lovelace")


async def test_a_model_that_said_nothing_is_asked_with_another_seed(servers: Path, tmp_path: Path) -> None:
    replies = (Say(""), Say(f"Ada Cole, from 8 March. {STOP}"))
    done, place = await conversation(servers, tmp_path, conversing(servers), Asking("Who?"), *replies)
    assert (done.ended, done.owner, [asked["seed"] for asked in place.requests]) == ("completed", None, [3, 4])


async def test_that_a_user_left_before_all_was_told_is_noted_and_excuses_no_agent(
    servers: Path, tmp_path: Path
) -> None:
    replies = (Say(f"Ada Cole. {STOP}"),)
    done, _ = await conversation(servers, tmp_path, conversing(servers), Asking("Who?"), *replies)
    assert (done.ended, done.owner) == ("completed", None)
    assert done.reason == "the user stopped before they had told 8 March"


@pytest.mark.parametrize(
    ("replies", "owner", "told"),
    [
        ((Say("a" * 16_001),), "user_simulator", "said nothing, or over 16,000 letters, 3 times"),
        ((Say("  "),), "user_simulator", "said nothing, or over 16,000 letters, 3 times"),
        (
            (Say(None, refusal="I cannot play people."),),
            "user_simulator",
            "said nothing, or over 16,000 letters, 3 times",
        ),
        ((Fail(500, headers={"retry-after-ms": "1"}),), "infrastructure", "asked 6 times"),
    ],
)
async def test_a_user_who_cannot_speak_is_not_the_agent_s_failure(
    servers: Path, tmp_path: Path, replies: Any, owner: str, told: str
) -> None:
    done, _ = await conversation(servers, tmp_path, conversing(servers), Asking("Who?"), *replies)
    assert (done.ended, done.owner) == ("error", owner)
    assert told in done.reason


@pytest.mark.parametrize("name", ["nobody", "openai:", "openai", "prompted:small"])
def test_a_user_who_is_not_there_is_told_at_once(name: str) -> None:
    with pytest.raises(UnknownUserError):
        user_named(name)
