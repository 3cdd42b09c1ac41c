"""Voices behind a scripted endpoint, and a library to speak in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Literal

from envscaler_mcp.artifacts import Conversation, Fact, Goal, Scenario
from envscaler_mcp.episode.agent import Briefing, MakeAgent
from envscaler_mcp.episode.live import EpisodeLimits, EpisodeRecord
from envscaler_mcp.episode.loop import play
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.user import User
from envscaler_mcp.launch.channels import LocalChannel
from envscaler_mcp.launch.combined import CombinedServers, Member
from envscaler_mcp.llm import Budget, ModelParams, Price, Spending, paid_model
from envscaler_mcp.runs import WorldHome
from tests.llm.asking import endpoint

SERVER = "lending_library"
DEAR = Price(input=1000, output=1000)
CONVERSATION = Conversation(
    first="Somebody wants to join.",
    goals=(
        Goal(
            story="joining",
            ask="Somebody wants to join.",
            request="Enrol Ada Cole, ada@example.org, from 8 March.",
            facts=(
                Fact(name="name", value="Ada Cole", says="Ada Cole"),
                Fact(name="from", value="2026-03-08", says="8 March"),
            ),
        ),
    ),
)


@asynccontextmanager
async def voice_at(url: str, folder: Path, budget: float | None = None, **more: object) -> AsyncIterator[ModelPlayer]:
    """A voice for as long as the block lasts; what it says costs a dollar for a thousand tokens."""
    with Spending(folder / "spent.sqlite") as spending:
        async with paid_model(endpoint(url, **more), spending, DEAR, Budget(spending, budget)) as model:
            yield ModelPlayer(model, ModelParams(model="small", max_tokens=100), DEAR)


async def played(
    servers: Path,
    make_agent: MakeAgent,
    user: User | None = None,
    limits: EpisodeLimits | None = None,
    scenario: Scenario | None = None,
) -> EpisodeRecord:
    """One episode of the first scenario."""
    farm = WorldHome(servers)
    found = scenario or first_scenario(servers)
    with closing(farm.open(SERVER, scenario=found.id, isolation="local")) as session:
        world = session.world
        assert hasattr(world, "code")
        mode: Literal["task", "conversation"] = "task" if user is None else "conversation"
        briefing = Briefing(SERVER, "You are at the desk.", world.environment.tools, found.task, 3, mode)
        return await play(make_agent, found, alone(LocalChannel(session)), briefing, limits or EpisodeLimits(), user)


def alone(channel: LocalChannel) -> CombinedServers:
    """The channel's world as the only server of an episode."""
    world = channel.session.world
    assert hasattr(world, "code")
    return CombinedServers([Member(SERVER, "", world.code.tools, channel, is_world=True)])


def first_scenario(servers: Path) -> Scenario:
    return WorldHome(servers).scenarios(SERVER)[0]


def conversing(servers: Path) -> Scenario:
    """The first scenario, as somebody would tell it."""
    change = {"task": CONVERSATION.goals[0].request, "conversation": CONVERSATION}
    return first_scenario(servers).model_copy(update=change)
