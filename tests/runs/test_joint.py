"""One episode over several servers: every tool is there once, each world is judged by itself, and nobody judges others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Conversation, Fact, Goal, Scenario, Trajectory
from envscaler_mcp.config.run import RunConfig
from envscaler_mcp.episode.agent import COMPLETED, Action, Agent, Briefing, MakeAgent
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.loop import EpisodeLimits, EpisodeRecord
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.runs.multi_server import ExternalServer, JointlyPlayed, JointPlan, LocalServer, play_jointly
from envscaler_mcp.runs.plan import plan_run
from envscaler_mcp.runs.run import run_episodes
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.launch.notes_server import COMMAND, notes_over_http
from tests.runs.home import write_home

FIRST, SECOND = "lending_library", "other_library"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    write_home(home, tasks=2)
    return write_home(home, tasks=2, name=SECOND) / "generated_servers"


class Moving:
    """Makes the moves it was given, then says that all is done."""

    def __init__(self, *moves: Action) -> None:
        self._moves = iter(moves)
        self.briefing: Briefing | None = None

    def act(self, observation: str) -> Action:
        return next(self._moves, Action(text=COMPLETED))

    def made(self, briefing: Briefing, _scenario: Scenario) -> Agent:
        self.briefing = briefing
        return self


def at(servers: Path, environment: str, number: int = 0, **changes: Any) -> LocalServer:
    scenario = WorldHome(servers).scenarios(environment)[number]
    return LocalServer(environment, environment, scenario.model_copy(update=changes))


async def play(
    servers: Path, members: Iterable[LocalServer | ExternalServer], agent: MakeAgent, **changes: Any
) -> JointlyPlayed:
    options: dict[str, Any] = {"task": "", "agent": "oracle", "limits": EpisodeLimits(60), **changes}
    user = user_named("scripted")[1] if options.get("mode") == "conversation" else None
    with WorldHome.at(servers) as farm:
        return await play_jointly(farm, JointPlan(servers=tuple(members), **options), agent, user)


async def test_two_worlds_and_a_foreign_server_are_one_episode_and_each_world_judges_its_own_task(
    servers: Path,
) -> None:
    async with notes_over_http() as (url, _):
        members: list[LocalServer | ExternalServer] = [
            at(servers, FIRST),
            at(servers, SECOND, 1),
            ExternalServer("notes", url),
        ]
        done = await play(servers, members, agent_named("oracle")[1], task="Keep a note of it.")
    episode = done.trajectory
    assert (episode.verdict.solved, episode.verdict.reward, episode.ended) == (True, 1.0, "completed")
    assert (episode.id, episode.via) == ("lending_library-001+other_library-002/oracle/1", "direct+http")
    assert len(episode.verdict.checks) == sum(
        len(one.scenario.checks) for one in members if isinstance(one, LocalServer) and one.scenario
    )
    system, task = (str(message["content"]) for message in episode.messages[:2])
    assert [line for line in system.splitlines() if line in {"# lending_library", "# other_library", "# notes"}] == [
        "# lending_library",
        "# other_library",
        "# notes",
    ]
    assert system.endswith("Notes are kept here.\n")
    assert task.split("\n\n")[0] == "Keep a note of it."
    assert task.count("Somebody is at the desk") == 2
    assert Trajectory.from_text(episode.to_text(), "it") == episode


async def test_only_tools_of_one_name_have_the_name_of_their_server_before_it(servers: Path) -> None:
    agent = Moving(
        Action(tool="other_library__note", arguments={"member_id": "MEMB-00003", "text": "here"}),
        Action(tool="notes_count"),
        Action(tool="note", arguments={"member_id": "MEMB-00003", "text": "nowhere"}),
        Action(tool="notes__note", arguments={"text": "there"}),
    )
    async with notes_over_http() as (url, _):
        members: list[LocalServer | ExternalServer] = [
            LocalServer(FIRST, FIRST),
            LocalServer(SECOND, SECOND),
            ExternalServer("notes", url),
        ]
        done = await play(servers, members, agent.made, task="Note something.")
    names = [tool.name for tool in done.tools]
    assert len(set(names)) == len(names)
    assert {"lending_library__note", "other_library__note", "notes__note", "notes", "notes_count", "picture"} <= set(
        names
    )
    assert agent.briefing is not None
    assert [tool.name for tool in agent.briefing.tools] == names
    ours, counted, nowhere, theirs, _ = done.trajectory.steps
    assert list(ours.diff.changed) == ["members"]
    assert json.loads(counted.observation) == {"count": 0}
    assert "There is no tool 'note'" in nowhere.observation
    assert (theirs.observation, theirs.diff.empty) == ("Noted.", True)


async def test_rewards_are_the_mean_and_what_was_missed_is_told_by_world(servers: Path) -> None:
    calls = WorldHome(servers).scenarios(FIRST)[0].oracle
    moves = [Action(tool=f"{FIRST}__{one.tool}", arguments=one.arguments) for one in calls]
    done = await play(servers, [at(servers, FIRST), at(servers, SECOND)], Moving(*moves).made)
    verdict = done.trajectory.verdict
    assert (verdict.solved, verdict.reward, verdict.owner, verdict.masked) == (False, 0.5, "agent", False)
    assert verdict.reason.startswith("other_library: ")
    bad = Action(tool=f"{SECOND}__note", arguments={"member_id": "MEMB-00009", "text": "hello"})
    done = await play(servers, [at(servers, FIRST), at(servers, SECOND)], Moving(*moves, bad).made)
    assert done.trajectory.verdict.frame_violations[0].startswith("other_library: ")


async def test_where_nobody_judges_the_trajectory_is_kept_and_masked_with_a_reason(servers: Path) -> None:
    agent = Moving(Action(tool="note", arguments={"text": "Ada"}))
    async with notes_over_http() as (url, _):
        done = await play(servers, [ExternalServer("notes", url)], agent.made, task="Note Ada.")
    verdict = done.trajectory.verdict
    assert (verdict.masked, verdict.solved, verdict.owner) == (True, False, None)
    assert verdict.reason.startswith("nobody judged it")
    assert [step.observation for step in done.trajectory.steps] == ["Noted.", "Task finished"]
    assert done.trajectory.messages[0]["content"] == "Notes are kept here."


async def test_a_server_that_is_killed_in_the_middle_is_the_environment_s_failure(servers: Path) -> None:
    agent = Moving(
        Action(tool="get_book", arguments={"book_id": "BOOK-00001"}), Action(tool="dies"), Action(tool="notes")
    )
    done = await play(servers, [at(servers, FIRST), ExternalServer("notes", COMMAND)], agent.made)
    episode = done.trajectory
    assert (episode.ended, episode.verdict.owner, episode.verdict.masked) == ("error", "environment", True)
    assert "'notes' has ended" in episode.verdict.reason
    assert [step.tool for step in episode.steps] == ["get_book", "dies"]
    assert episode.verdict.checks == (False,) * len(episode.verdict.checks) != ()


async def test_a_scripted_user_tells_the_tasks_one_after_the_other_and_all_are_done(servers: Path) -> None:
    def talk(name: str) -> Conversation:
        goal = Goal(story="", ask=f"It is about {name}.", request=f"Do it for {name}.")
        return Conversation(
            first=f"Something for {name}.",
            goals=(goal.model_copy(update={"facts": (Fact(name="n", value=name, says=name),)}),),
        )

    members = [at(servers, FIRST, conversation=talk("Ada")), at(servers, SECOND, conversation=talk("Bob"))]
    done = await play(servers, members, agent_named("oracle")[1], mode="conversation", user="scripted")
    heard = [step.observation for step in done.trajectory.steps if not step.tool]
    assert done.trajectory.verdict.solved, done.trajectory.verdict
    assert heard[0] == "Do it for Ada."
    assert "It is about Bob." in heard[1]
    members = [at(servers, FIRST), at(servers, SECOND)]
    assert (await play(servers, members, agent_named("oracle")[1], mode="conversation")).trajectory.verdict.solved


async def test_one_scenario_alone_is_played_as_a_run_plays_it(servers: Path, tmp_path: Path) -> None:
    done = await play(servers, [at(servers, FIRST)], agent_named("oracle")[1])
    with WorldHome.at(servers) as farm:
        config = RunConfig(scenarios=(f"{FIRST}-001",))
        plan = plan_run(farm, [FIRST], config)
        await run_episodes(farm, plan, agent_named("oracle")[1], tmp_path, 1, lambda *_: None)
    (other,) = read_trajectories(tmp_path)
    skip = {"provenance", "steps"}
    assert done.trajectory.model_dump(exclude=skip) == other.model_dump(exclude=skip)


async def test_what_is_played_can_be_watched_step_by_step(servers: Path) -> None:
    seen: list[tuple[int, int]] = []

    def watch(played: EpisodeRecord) -> None:
        seen.append((len(played.messages), len(played.steps)))

    agent = Moving(Action(tool="get_book", arguments={"book_id": "BOOK-00001"}))
    plan = JointPlan((LocalServer(FIRST, FIRST),), "Look.", "mine", EpisodeLimits())
    with WorldHome.at(servers) as farm:
        await play_jointly(farm, plan, agent.made, watch=watch)
    assert seen == [(2, 0), (2, 1), (4, 2)]
