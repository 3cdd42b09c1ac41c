"""The voices of a run are its plan's, whoever opens them."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.llm import Message
from envscaler_mcp.runs import PricedEndpoint, RunConfig, WorldHome, open_models, plan_run
from envscaler_mcp.runs.models import spent_in
from tests.episode.voices import DEAR, SERVER
from tests.llm.asking import endpoint
from tests.llm.endpoint import Fail, Say, one_after_the_other, scripted_endpoint
from tests.runs.home import write_home

ASKED = [Message(role="user", content="Which book?")]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home")) / "generated_servers"


def planned(servers: Path, **config: object) -> RunPlan:
    models = {"agent": "prompted:big", "mode": "conversation", "user": "openai:small"}
    return plan_run(WorldHome(servers), [SERVER], RunConfig.model_validate({**models, **config}))


async def test_models_are_asked_as_the_plan_says_and_share_the_pauses_of_one_endpoint(
    servers: Path, tmp_path: Path
) -> None:
    plan = planned(servers, temperature=0.3)
    assert plan.prompts.keys() == {"play_conversation", "write_calls", "play_user"}
    pause = one_after_the_other(Fail(429, headers={"retry-after-ms": "200"}), Say("It is over."))
    async with scripted_endpoint(pause) as place:
        there = PricedEndpoint(endpoint(place.url), DEAR)
        async with open_models(plan, tmp_path, there, there) as (agent, user), anyio.create_task_group() as group:
            assert agent is not None
            assert user is not None
            group.start_soon(lambda: agent.answer("play_conversation", ASKED, seed=1))
            while not place.requests:  # noqa: ASYNC110 - a server
                await anyio.sleep(0.01)
            await anyio.sleep(0.03)
            began = anyio.current_time()
            await user.answer("play_user", ASKED, seed=1)
            assert anyio.current_time() - began > 0.1
    asked = {one["model"]: (one["temperature"], one["max_tokens"]) for one in place.requests}
    assert asked == {"big": (0.3, plan.answer_tokens), "small": (0.7, 4000)}
    assert plan.answer_tokens == 8000


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"user": None}, "'openai:small' is played by a model; say where it is asked"),
        ({"budget": 5.0}, "A budget needs the price of 'big'"),
        (
            {"reworded": "Talk {{introduction}} {{task}}"},
            "The prompt 'play_user' is not the one that the plan was made with",
        ),
    ],
)
async def test_what_the_plan_needs_and_does_not_get_is_told(
    servers: Path, tmp_path: Path, more: dict[str, object], told: str
) -> None:
    there = PricedEndpoint(endpoint("http://127.0.0.1:9/v1"))
    given = {"agent": there, "user": there, **more}
    if words := given.pop("reworded", None):
        (tmp_path / "play_user.md").write_text(str(words))
        given["prompts"] = tmp_path
    with pytest.raises(EnvScalerError, match=told):
        async with open_models(planned(servers), tmp_path, **given):  # type: ignore[arg-type]
            pass


async def test_whom_no_model_plays_has_no_voice(servers: Path, tmp_path: Path) -> None:
    async with open_models(planned(servers, agent="oracle", user="scripted"), tmp_path) as voices:
        assert voices == (None, None)
    assert spent_in(tmp_path) is None
