"""One episode over several servers: every tool is there once, each world is judged alone, other servers are not judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Conversation, Fact, Goal, Scenario, Trajectory
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.config.run import RunConfig
from envscaler_mcp.episode.agent import COMPLETED, Action, Agent, Briefing, MakeAgent
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.live import EpisodeRecord
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.runs.plan import ExternalServer, LocalServer, plan_episode, plan_run
from envscaler_mcp.runs.run import run_episodes
from envscaler_mcp.scoring.run_folder import read_trajectories
from envscaler_mcp.serving.tasks import load_scenarios
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


def at(servers: Path, environment: str, number: int = 0) -> LocalServer:
    return LocalServer(environment, environment, WorldHome(servers).scenarios(environment)[number])


async def play(
    servers: Path,
    members: Iterable[LocalServer | ExternalServer],
    agent: MakeAgent,
    folder: Path,
    task: str = "",
    mode: Mode = "task",
) -> Trajectory:
    """The episode as its run folder holds it."""
    members = list(members)
    external = {one.name: one.target for one in members if isinstance(one, ExternalServer)}
    with WorldHome.at(servers) as home:
        plan = plan_episode(home, members, task, RunConfig(mode=mode))
        await run_episodes(home, plan, agent, folder, 1, lambda *_: None, external=external)
    (episode,) = read_trajectories(folder)
    return episode


async def test_two_worlds_and_a_foreign_server_are_one_episode_and_each_world_judges_its_own_task(
    servers: Path, tmp_path: Path
) -> None:
    async with notes_over_http() as (url, _):
        members: list[LocalServer | ExternalServer] = [
            at(servers, FIRST),
            at(servers, SECOND, 1),
            ExternalServer("notes", url),
        ]
        episode = await play(servers, members, agent_named("oracle")[1], tmp_path, task="Keep a note of it.")
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


async def test_only_tools_of_one_name_have_the_name_of_their_server_before_it(servers: Path, tmp_path: Path) -> None:
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
        episode = await play(servers, members, agent.made, tmp_path, task="Note something.")
    names = [tool.name for tool in episode.tools]
    assert len(set(names)) == len(names)
    assert {"lending_library__note", "other_library__note", "notes__note", "notes", "notes_count", "picture"} <= set(
        names
    )
    assert agent.briefing is not None
    assert [tool.name for tool in agent.briefing.tools] == names
    ours, counted, nowhere, theirs, _ = episode.steps
    assert list(ours.diff.changed) == ["members"]
    assert json.loads(counted.observation) == {"count": 0}
    assert "There is no tool 'note'" in nowhere.observation
    assert (theirs.observation, theirs.diff.empty) == ("Noted.", True)


async def test_rewards_are_the_mean_and_what_was_missed_is_told_by_world(servers: Path, tmp_path: Path) -> None:
    calls = WorldHome(servers).scenarios(FIRST)[0].oracle
    moves = [Action(tool=f"{FIRST}__{one.tool}", arguments=one.arguments) for one in calls]
    episode = await play(servers, [at(servers, FIRST), at(servers, SECOND)], Moving(*moves).made, tmp_path)
    verdict = episode.verdict
    assert (verdict.solved, verdict.reward, verdict.owner, verdict.masked) == (False, 0.5, "agent", False)
    assert verdict.reason.startswith("other_library: ")
    bad = Action(tool=f"{SECOND}__note", arguments={"member_id": "MEMB-00009", "text": "hello"})
    episode = await play(
        servers, [at(servers, FIRST), at(servers, SECOND)], Moving(*moves, bad).made, tmp_path / "more"
    )
    assert episode.verdict.frame_violations[0].startswith("other_library: ")


async def test_where_no_world_has_a_scenario_the_trajectory_is_kept_and_masked_with_a_reason(
    servers: Path, tmp_path: Path
) -> None:
    agent = Moving(Action(tool="note", arguments={"text": "Ada"}))
    async with notes_over_http() as (url, _):
        episode = await play(servers, [ExternalServer("notes", url)], agent.made, tmp_path, task="Note Ada.")
    verdict = episode.verdict
    assert (verdict.masked, verdict.solved, verdict.owner) == (True, False, None)
    assert verdict.reason.startswith("it was not judged")
    assert [step.observation for step in episode.steps] == ["Noted.", "Task finished"]
    assert episode.messages[0]["content"] == "Notes are kept here."


async def test_a_server_that_is_killed_in_the_middle_is_the_environment_s_failure(
    servers: Path, tmp_path: Path
) -> None:
    agent = Moving(
        Action(tool="get_book", arguments={"book_id": "BOOK-00001"}), Action(tool="dies"), Action(tool="notes")
    )
    episode = await play(servers, [at(servers, FIRST), ExternalServer("notes", COMMAND)], agent.made, tmp_path)
    assert (episode.ended, episode.verdict.owner, episode.verdict.masked) == ("error", "environment", True)
    assert "'notes' has ended" in episode.verdict.reason
    assert [step.tool for step in episode.steps] == ["get_book", "dies"]
    assert episode.verdict.checks == (False,) * len(episode.verdict.checks) != ()


async def test_a_scripted_user_tells_the_tasks_one_after_the_other_and_all_are_done(
    servers: Path, tmp_path: Path
) -> None:
    def talk(name: str) -> Conversation:
        goal = Goal(story="", ask=f"It is about {name}.", request=f"Do it for {name}.")
        return Conversation(
            first=f"Something for {name}.",
            goals=(goal.model_copy(update={"facts": (Fact(name="n", value=name, says=name),)}),),
        )

    talking = home_with(tmp_path / "home", {FIRST: talk("Ada"), SECOND: talk("Bob")})
    members = [at(talking, FIRST), at(talking, SECOND)]
    episode = await play(talking, members, agent_named("oracle")[1], tmp_path / "run", mode="conversation")
    heard = [step.observation for step in episode.steps if not step.tool]
    assert episode.verdict.solved, episode.verdict
    assert heard[0] == "Do it for Ada."
    assert "It is about Bob." in heard[1]
    members = [at(servers, FIRST), at(servers, SECOND)]
    silent = await play(servers, members, agent_named("oracle")[1], tmp_path / "other", mode="conversation")
    assert silent.verdict.solved


def home_with(home: Path, conversations: Mapping[str, Conversation]) -> Path:
    """The server folders of a home whose first tasks are told so."""
    for name, conversation in conversations.items():
        folder = write_home(home, tasks=1, name=name) / "generated_servers" / name
        (scenario,) = load_scenarios(folder)
        (folder / "scenarios.jsonl").write_text(
            scenario.model_copy(update={"conversation": conversation}).to_line(), encoding="utf-8"
        )
    return home / "generated_servers"


async def test_one_scenario_alone_is_played_as_a_run_plays_it(servers: Path, tmp_path: Path) -> None:
    episode = await play(servers, [at(servers, FIRST)], agent_named("oracle")[1], tmp_path)
    with WorldHome.at(servers) as farm:
        config = RunConfig(scenarios=(f"{FIRST}-001",))
        plan = plan_run(farm, [FIRST], config)
        await run_episodes(farm, plan, agent_named("oracle")[1], tmp_path, 1, lambda *_: None)
    (other,) = read_trajectories(tmp_path)
    skip = {"provenance", "steps"}
    assert episode.model_dump(exclude=skip) == other.model_dump(exclude=skip)


async def test_what_is_played_can_be_watched_step_by_step(servers: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def watch(record: EpisodeRecord) -> None:
        seen.append((len(record.messages), len(record.steps)))

    agent = Moving(Action(tool="get_book", arguments={"book_id": "BOOK-00001"}))
    with WorldHome.at(servers) as home:
        plan = plan_episode(home, [LocalServer(FIRST, FIRST)], "Look.", RunConfig())
        await run_episodes(home, plan, agent.made, tmp_path, 1, lambda *_: None, watch=watch)
    assert seen == [(2, 0), (2, 1), (4, 2)]
