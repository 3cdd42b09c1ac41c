"""Official code plays and judges in a host of its own, from files that are known, with nothing shared between episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Call
from envscaler_mcp.episode.agent import Action, Briefing, Observation
from envscaler_mcp.episode.live import EpisodeLimits
from envscaler_mcp.errors import LaunchError
from envscaler_mcp.official.host import OfficialHost
from envscaler_mcp.official.host_program import PinnedFiles
from envscaler_mcp.official.pinning import taken
from envscaler_mcp.official.scripted import Script
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import OfficialEpisode, Stage
from envscaler_mcp.official.world import open_official_world
from envscaler_mcp.sandbox import landlock
from tests.official.staging import FILES, copied, registered
from tests.official.till.benchmark import TILL

confined = pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage.of(TILL, FILES) as opened:
        yield opened


def scripted(turns: Sequence[Sequence[Sequence[tuple[str, dict[str, Any]]]]]) -> Script:
    return Script([[[Call(tool=name, arguments=given) for name, given in step] for step in turn] for turn in turns])


async def played(stage: Stage, task: str, agent: Any) -> OfficialEpisode:
    return await stage.play(
        stage.tasks[task],
        lambda _briefing, _scenario: agent,
        lambda task, world: TILL.user(task, world, None, 0),
        EpisodeLimits(TILL.max_steps, 60.0),
    )


async def test_the_authors_solution_of_each_task_is_right_and_doing_nothing_is_not(stage: Stage) -> None:
    for task in stage.tasks.values():
        right = await played(stage, task.id, Script(task.reference))
        assert (right.verdict.solved, right.verdict.reward, right.verdict.scoring) == (True, 1.0, "official")
        wrong = await played(stage, task.id, Script(()))
        assert (wrong.verdict.solved, wrong.verdict.owner, wrong.verdict.reason) == (False, "agent", "wrong_balance")
        assert wrong.verdict.grading == "tillbench 1"


async def test_episodes_that_are_played_at_once_share_nothing(stage: Stage) -> None:
    results: list[str] = []

    async def deposit() -> None:
        judged = await played(stage, "till_1", scripted([[[("deposit", {"amount": 5})]]]))
        results.append(judged.record.steps[0].observation)

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(deposit)
    assert results == ['{"balance": 15, "fees": 1}'] * 8


async def test_a_set_is_printed_in_the_same_order_in_every_host(stage: Stage) -> None:
    with Stage.of(TILL, FILES) as another:
        texts = [
            (await played(each, "till_1", scripted([[[("owners", {})]]]))).record.steps[0].observation
            for each in (stage, another)
        ]
    assert texts[0] == texts[1]


@confined
@pytest.mark.parametrize("name", ["read", "write"])
async def test_official_code_reaches_nothing_on_this_machine(stage: Stage, tmp_path: Path, name: str) -> None:
    file = tmp_path / "file"
    file.write_text("yours", encoding="utf-8")
    file.chmod(0o666)
    judged = await played(stage, "till_1", scripted([[[(name, {"path": str(file)})]]]))
    assert judged.record.steps[0].observation.startswith("Error: ")
    assert file.read_text(encoding="utf-8") == "yours"


@confined
@pytest.mark.parametrize("name", ["spawn", "connect"])
async def test_official_code_that_starts_a_process_or_opens_a_socket_is_ended(stage: Stage, name: str) -> None:
    judged = await played(stage, "till_1", scripted([[[(name, {})]]]))
    assert (judged.verdict.owner, judged.verdict.masked) == ("environment", True)


async def test_a_world_whose_process_ends_is_no_failure_of_the_agent(stage: Stage) -> None:
    judged = await played(stage, "till_1", scripted([[[("vanish", {})]]]))
    assert (judged.verdict.owner, judged.verdict.masked) == ("environment", True), judged.verdict.reason
    assert (await played(stage, "till_1", Script(stage.tasks["till_1"].reference))).verdict.solved


async def test_a_state_that_the_judge_cannot_reach_again_counts_for_nothing(stage: Stage) -> None:
    judged = await played(stage, "till_1", scripted([[[("shake", {})]]]))
    assert (judged.verdict.owner, judged.verdict.masked) == ("checker", True)
    assert "replay of the calls" in judged.verdict.reason


async def test_calls_end_an_episode_when_the_authors_say_so(stage: Stage) -> None:
    judged = await played(stage, "till_1", scripted([[[("deposit", {"amount": 1})]] * 9]))
    assert judged.record.ended == "steps"
    assert [step.tool for step in judged.record.steps] == ["deposit"] * 4
    # What was done until then is judged as officially.
    assert not judged.verdict.masked


class Noting:
    """Notes which tools it hears of, and calls one that is not listed yet."""

    def __init__(self, briefing: Briefing) -> None:
        self.listed = [[tool.name for tool in briefing.tools]]
        self.said = [briefing.task]
        self.verbatim = briefing.verbatim

    def act(self, observation: str) -> Action:
        self.said.append(str(observation))
        if isinstance(observation, Observation) and observation.tools is not None:
            self.listed.append([tool.name for tool in observation.tools])
        if len(self.said) == 2:
            return Action(tool="withdraw", arguments={"amount": 1})
        return Action(text="")


async def test_withheld_tools_are_told_of_in_their_turn_and_answer_before_it(stage: Stage) -> None:
    made: list[Noting] = []

    def make(briefing: Briefing, _scenario: object) -> Noting:
        made.append(Noting(briefing))
        return made[0]

    judged = await stage.play(
        stage.tasks["till_3"], make, lambda task, world: TILL.user(task, world, None, 0), EpisodeLimits(9, 60.0)
    )
    assert made[0].listed == [["deposit", "owners"], ["deposit", "withdraw", "owners"]]
    assert made[0].said[0] == "Take 4 out."
    assert made[0].verbatim == ""
    assert [step.observation for step in judged.record.steps] == ['{"balance": 9}', "What about now?", "###STOP###"]
    assert [tool.name for tool in judged.tools] == ["deposit", "withdraw", "owners"]


async def test_a_tool_comes_over_the_protocol_as_its_authors_define_it(stage: Stage) -> None:
    async with open_official_world(stage.host, "till", stage.tasks["till_1"].content) as world:
        function = world.tools["deposit"].tool.function["function"]
        assert list(function) == ["name", "description", "parameters", "response"]
        assert list(function["parameters"]) == ["type", "properties", "required"]
        capabilities = world._client.server_capabilities
        assert capabilities is not None
        assert capabilities.tools is not None
        assert capabilities.tools.list_changed
        outcome, _ = await world.call("deposit", {"amount": "much", "more": None}, writes=True)
        assert outcome.is_error
        assert outcome.text.startswith("Error: Till.deposit() got an unexpected keyword argument")


def test_a_file_that_is_not_the_known_one_is_refused_with_the_command_that_mends_it(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    file = folder / "tillbench" / "checker.py"
    file.write_text(file.read_text(encoding="utf-8").replace("== wanted", "!= wanted"), encoding="utf-8")
    with pytest.raises(
        OfficialFilesError, match=r"checker.py is not the file of tillbench 1. Get it with:\n.*tillbench=="
    ):
        find(TILL.requirement, folder)


def test_a_folder_without_the_files_is_an_error_that_says_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(OfficialFilesError, match=r"has no folder 'tillbench'. Get it with:\n +pip install --target"):
        find(TILL.requirement, tmp_path)


def test_a_host_imports_no_file_that_changed_since_it_was_checked(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    source = find(TILL.requirement, folder)
    (folder / "tillbench" / "checker.py").write_text("def check(*_):\n    return True, 0\n", encoding="utf-8")
    with pytest.raises(LaunchError, match=r"tillbench/checker.py is not a file that is known here"):
        OfficialHost(TILL.hosted(source))


def test_a_file_beside_a_module_is_read_only_as_it_is_known(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    known = PinnedFiles([str(folder)], ["tillbench"], dict(TILL.requirement.digests))
    found = known.find_spec("tillbench")
    assert found is not None
    assert isinstance(found.loader, SourceFileLoader)
    tasks = folder / "tillbench" / "tasks.jsonl"
    assert found.loader.get_data(str(tasks)) == tasks.read_bytes()
    tasks.write_text("{}", encoding="utf-8")
    with pytest.raises(ImportError, match=r"tillbench/tasks.jsonl is not a file that is known here"):
        found.loader.get_data(str(tasks))


def test_the_digests_are_those_that_the_pinning_program_writes(
    tmp_path: Path,
) -> None:
    with registered(tmp_path):
        assert taken("till", FILES) == TILL.requirement.digests
