"""Verdicts on imported worlds lose no failed episode, and pay what the published runtime pays."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from envscaler_mcp.artifacts import Call, Check, Conversation, Fact, Goal, Scenario, State, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.cli.summary import print_summary
from envscaler_mcp.episode import transcript
from envscaler_mcp.episode.agent import Action, Briefing
from envscaler_mcp.episode.transcript import TOO_LARGE
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.errors import Unproven, WorldError
from envscaler_mcp.export.episodes import export_run
from envscaler_mcp.export.filters import ExportFilter
from envscaler_mcp.export.formats import FORMATS
from envscaler_mcp.grading.graders import WorkerGrader
from envscaler_mcp.launch.memory import in_memory
from envscaler_mcp.launch.opening import open_folder
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.pipeline.proving import write_scenarios
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.rescoring import rescore_run
from envscaler_mcp.sandbox.checking import checker
from envscaler_mcp.sandbox.policy import MAX_SOURCE
from envscaler_mcp.scoring.lines import read_lines, sealed
from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
from envscaler_mcp.serving import deadline
from envscaler_mcp.serving.outcome import Outcome, kind_of
from envscaler_mcp.serving.plain_json import is_plain
from envscaler_mcp.trust import load_code
from envscaler_mcp.viewer.review import Review
from envscaler_mcp.viewer.summary import summary_of
from envscaler_mcp.viewer.writing import write_page
from tests.adversary import desk
from tests.adversary.published_runtime import Episode, built, played
from tests.homes import write_server
from tests.runs.home import content, library_code
from tests.runs.home import scenario as library_scenario


def imported(home: Path, scenarios: Sequence[dict[str, Any]], *, faithful: bool = False) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    (home / "e.json").write_text(json.dumps([desk.ENVIRONMENT]))
    (home / "s.json").write_text(json.dumps(list(scenarios)))
    servers = home / "generated_servers"
    found = import_upstream(home / "e.json", [home / "s.json"], servers, home / "registry.json", faithful=faithful)
    assert not any(one.refused for one in found.environments)
    assert not any(one.refused for one in found.scenarios)
    return servers


class Plays:
    """Makes moves, texts or pairs of a name and arguments, whatever it hears."""

    def __init__(self, moves: Sequence[Any]) -> None:
        self._moves = iter(moves)
        self.heard: list[str] = []

    def act(self, observation: str) -> Action:
        self.heard.append(observation)
        move = next(self._moves, "Task Completed")
        return Action(text=move) if isinstance(move, str) else Action(tool=move[0], arguments=move[1])


def run(servers: Path, folder: Path, moves: Mapping[str, Sequence[Any]], **options: Any) -> dict[str, Any]:
    """The summary of a run, as programs get it."""

    def agent(_briefing: Briefing, scenario: Scenario) -> Plays:
        return Plays(moves[scenario.id])

    with WorldHome.at(servers) as farm:
        plan = plan_run(farm, ["desk"], RunConfig(scenarios=tuple(moves), **options))
        anyio.run(run_episodes, farm, plan, agent, folder, 2, lambda *_: None)
    plan, tally, _ = read_run(folder)
    return summary_of(plan, tally)


def as_published(item: dict[str, Any], moves: Sequence[Any], max_steps: int = 30) -> Episode:
    return played(desk.DESK, "Desk", item["init_config"], desk.checks_of(item), list(moves), max_steps)


# Failed episodes do not vanish


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("twelve"), desk.TWELVE)


@pytest.fixture(scope="module")
def twelve_faithful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("faithful"), desk.TWELVE, faithful=True)


@pytest.mark.parametrize("home", ["twelve", "twelve_faithful"])
def test_twelve_imported_scenarios_earn_what_the_reference_pays(
    home: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    moves = {f"task_{n}": [*desk.moves(n), "Task Completed"] for n in range(12)}
    told = run(request.getfixturevalue(home), tmp_path, moves, scoring="upstream")
    paid = [as_published(item, moves[item["task_id"]]).reward for item in desk.TWELVE]
    assert {one["id"].split("/")[0]: one["reward"] for one in told["episodes"]} == {
        item["task_id"]: reward for item, reward in zip(desk.TWELVE, paid, strict=True)
    }
    assert told["reward"] == pytest.approx(mean(paid))
    assert told["masked"] == 0
    assert {0.25, 0.5, 0.75, 1.0} == set(paid)


def test_an_index_into_a_record_that_was_not_made_is_a_failure_of_the_agent(twelve: Path, tmp_path: Path) -> None:
    moves = {f"task_{n}": desk.moves(7 if n in (1, 2, 4, 5, 7) else 0) for n in range(10)}
    moves = {name: [(tool, _renamed(given, name)) for tool, given in calls] for name, calls in moves.items()}
    told = run(twelve, tmp_path, moves)
    assert (told["done"], told["solved"], told["masked"]) == (10, 5, 0)
    assert told["reward"] == 0.5
    assert told["failures"] == {"agent": 5}
    (once,) = told["passing"]
    assert (once["at_least_once"], once["tasks"]) == (0.5, 10)
    failed = next(one for one in told["episodes"] if one["id"].startswith("task_0/"))
    assert failed["reason"] == "3 of 4 checks are not true: 1 (KeyError: 'T-0'), 2 (KeyError: 'T-0'), 3"


def _renamed(given: dict[str, Any], task: str) -> dict[str, Any]:
    ticket = given["ticket_id"]
    return {**given, "ticket_id": ticket if ticket == "OLD" else f"T-{task.removeprefix('task_')}"}


ENDS_IT = "def check_func(final_state):\n    while {}:\n        pass\n    return True"
CANNOT = {
    "refused by the gate": "import os\n\n\ndef check_func(final_state):\n    return True",
    "no Python": "def check_func(final_state:\n",
    "no function": "x = 1",
    "nothing at all": "",
    "not to be loaded": "LIMIT = 1 // 0\n\n\ndef check_func(final_state):\n    return True",
}
NOT_DONE = "final_state['tickets']['OLD']['status'] != 'closed'"
HIDES = {
    "raises past Exception": f"def check_func(final_state):\n    if {NOT_DONE}:\n        raise BaseException('not done')\n    return True",
    "raises a class of its own": (
        "class Stop(BaseException):\n    pass\n\n\n"
        f"def check_func(final_state):\n    if {NOT_DONE}:\n        raise Stop\n    return True"
    ),
    "needs too much memory": f"def check_func(final_state):\n    if {NOT_DONE}:\n        return len([0] * 10 ** 9) == 0\n    return True",
    "measures memory": (
        "class Full(Exception):\n    pass\n\n\n"
        "try:\n    held = [0] * 10 ** 9\nexcept MemoryError:\n    raise Full\n\n\ndef check_func(final_state):\n    return True"
    ),
    "knows the time": (
        "from datetime import datetime\nif datetime.now().year < 2999:\n    1 // 0\n\n\n"
        "def check_func(final_state):\n    return True"
    ),
}
"""Checks without an answer wherever the task is not done, or may have been made so."""


def judged(servers: Path, checks: Sequence[str], moves: Sequence[Any], scoring: Scoring = "framed") -> Verdict:
    with WorldHome.at(servers) as farm, closing(farm.open("desk", scenario="task_0")) as session:
        assert session.scenario is not None
        wanted = tuple(Check(check_item="", check_func=one) for one in checks)
        scenario = session.scenario.model_copy(update={"checks": wanted})
        for tool, given in moves:
            session.world.call(tool, given)
        return farm.judge(scenario, session.initial, session.state(), scoring)


@pytest.mark.parametrize("scoring", ["framed", "upstream"])
@pytest.mark.parametrize(
    "check",
    [*HIDES.values(), pytest.param(ENDS_IT.format(NOT_DONE), marks=pytest.mark.slow)],
    ids=[*HIDES, "never returns"],
)
def test_no_check_hides_an_episode_that_failed(twelve: Path, check: str, scoring: Scoring) -> None:
    found = judged(twelve, [desk.CHECKS[2], check], [], scoring)
    assert (found.owner, found.masked, found.reward, found.checks) == ("agent", False, 0.0, (False, False))
    assert "2 (" in found.reason


def test_a_check_that_hides_failures_pays_where_the_task_is_done(twelve: Path) -> None:
    found = judged(twelve, [desk.CHECKS[2], HIDES["raises past Exception"]], [("close_ticket", {"ticket_id": "OLD"})])
    assert (found.owner, found.masked, found.reward) == (None, False, 1.0)


def test_a_check_that_a_limit_ends_at_the_start_is_listed_and_not_gradable(tmp_path: Path) -> None:
    imported(tmp_path / "none", [desk.scenario("none", list(desk.CHECKS))])
    item = desk.scenario("ended", [desk.CHECKS[2], HIDES["needs too much memory"], HIDES["raises past Exception"]])
    files = tmp_path / "none"
    (files / "s.json").write_text(json.dumps([item]))
    found = import_upstream(files / "e.json", [files / "s.json"], tmp_path / "servers", tmp_path / "registry.json")
    (task,) = found.scenarios
    assert (task.unanswered, task.raising, task.broken, task.gradable) == ((2,), (3,), (), False)


def test_a_check_that_a_limit_ends_at_the_start_is_not_proven(twelve: Path) -> None:
    with WorldHome.at(twelve) as farm, closing(farm.open("desk", scenario="task_0")) as session, checker() as judging:
        assert session.scenario is not None
        check = Check(check_item="", check_func=HIDES["needs too much memory"])
        scenario = session.scenario.model_copy(update={"checks": (check,)})
        initial = dict(session.initial)
        with pytest.raises(Unproven, match="check 1 says nothing: MemoryError"):
            WorkerGrader(scenario, initial, judging).answers(initial)


@pytest.mark.parametrize("why", CANNOT)
def test_a_check_that_cannot_run_whatever_the_agent_did_masks_the_episode(twelve: Path, why: str) -> None:
    found = judged(twelve, [desk.CHECKS[2], CANNOT[why]], [])
    assert (found.owner, found.masked) == ("checker", True)
    assert found.reason.startswith("check 2 cannot run: ")


@pytest.mark.parametrize("why", ["no Python", "no function", "nothing at all", "not to be loaded"])
def test_by_the_published_rule_a_check_that_does_not_compile_is_one_that_failed(twelve: Path, why: str) -> None:
    done = [("close_ticket", {"ticket_id": "OLD"})]
    found = judged(twelve, [desk.CHECKS[2], CANNOT[why]], done, "upstream")
    assert (found.owner, found.masked, found.reward) == ("agent", False, 0.5)


def test_what_the_published_runtime_would_have_run_and_is_not_run_here_is_masked(twelve: Path) -> None:
    assert judged(twelve, [desk.CHECKS[2], CANNOT["refused by the gate"]], [], "upstream").masked


@pytest.mark.parametrize("scoring", ["framed", "upstream"])
@pytest.mark.parametrize(
    "check",
    [
        pytest.param(ENDS_IT.format("final_state['tickets']['OLD']['status'] == 'closed'"), marks=pytest.mark.slow),
        "def check_func(final_state):\n    return no_such_name",
        "def check_func(initial_state, final_state):\n    return True",
        "def check_func(final_state):\n    return final_state['tickets']",
        "def check_func(final_state):\n    return 1 // (final_state['tickets']['OLD']['status'] != 'closed') > 0",
    ],
)
def test_a_check_that_has_no_answer_on_the_agents_ending_alone_has_failed(
    twelve: Path, check: str, scoring: Scoring
) -> None:
    found = judged(twelve, [desk.CHECKS[2], check], [("close_ticket", {"ticket_id": "OLD"})], scoring)
    assert (found.owner, found.masked, found.reward) == ("agent", False, 0.5)
    assert "2 (" in found.reason


def test_words_of_a_check_that_no_record_can_hold_lose_no_verdict(twelve: Path) -> None:
    check = "def check_func(final_state):\n    raise ValueError('x\\n' * 100000)"
    found = judged(twelve, [check], [])
    assert (found.owner, found.masked) == ("agent", False)
    assert len(Verdict.model_validate_json(found.model_dump_json()).reason) < 500


# As published


FIRST = {"ticket_id": "T-1", "priority": "high"}
ENDINGS: dict[str, list[Any]] = {
    "a refused call that changed something": [("open_ticket", {"ticket_id": "OLD", "priority": "x"}), "done"],
    "a result that is a number": [("count", {}), "Task Completed"],
    "a result that is a pair": [("open_ticket", FIRST), ("pair", {}), "Task Completed"],
    "a result that is nothing": [("nothing", {}), "Task Completed"],
    "a refusal after a change": [("half", {"ticket_id": "OLD"}), "Task Completed"],
    "arguments of other types than annotated": [("open_ticket", {"ticket_id": "T-1", "priority": 7, "tags": {}}), "x"],
    "an exception": [("open_ticket", FIRST), ("close_ticket", {"ticket_id": "T-9"}), ("count", {}), "Task Completed"],
    "a wrong argument": [("close_ticket", {"ticket": "OLD"}), "Task Completed"],
    "a missing argument": [("close_ticket", {}), "Task Completed"],
    "a name that is not there": [("fly", {}), ("close_ticket", {"ticket_id": "OLD"}), "Task Completed"],
    "a private method": [("_wipe", {}), "Task Completed"],
    "the constructor": [("__init__", {"init_config": {}}), "Task Completed"],
    "an attribute that cannot be called": [("tickets", {}), "Task Completed"],
    "any words": [("close_ticket", {"ticket_id": "OLD"}), "May I ask something?", ("count", {})],
    "the limit of steps": [("close_ticket", {"ticket_id": "OLD"}), *[("count", {})] * 40],
}
SEES = (
    "def check_func(final_state):\n    return final_state['init_config']['tickets']['OLD']['status'] == 'closed'",
    "def check_func(final_state):\n    return final_state['_log'] == ['open OLD']",
    "def check_func(final_state):\n    return final_state['by_number'][2] == 'T-1' and final_state['last'] == (2, 'T-1')",
    "def check_func(final_state):\n    return final_state['tickets']['OLD']['status'] == 'half'",
    "def check_func(final_state):\n    return not final_state['tickets']",
    "def check_func(final_state):\n    return initial_state['last'] == (0, '') and initial_state['by_number'] == {}",
    "def check_func(final_state):\n    final_state['spoilt'] = (1,)\n    return False",
    "def check_func(final_state):\n    return final_state['spoilt'] == (1,)",
)
"""Private attributes, int keys, tuples, `init_config`, and a change that a later check sees."""


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("seeing"), [desk.scenario("sees", list(SEES))], faithful=True)


@pytest.mark.parametrize("what", ENDINGS)
def test_a_faithful_world_does_and_pays_what_the_published_runtime_does(
    seeing: Path, what: str, tmp_path: Path
) -> None:
    moves = ENDINGS[what]
    (told,) = run(seeing, tmp_path, {"sees": moves}, scoring="upstream")["episodes"]
    there = as_published(desk.scenario("sees", list(SEES)), moves)
    (record,) = read_trajectories(tmp_path)
    heard = [step.observation for step in record.steps]
    assert [_without_paths(one) for one in heard] == [_without_paths(one) for one in there.observations]
    assert told["reward"] == there.reward
    assert record.verdict.masked is False


def _without_paths(text: str) -> str:
    """Of a traceback the first line: the others name the files of the machine that ran it."""
    return text.partition("\n")[0] if text.startswith("Error: ") else text


def test_the_final_state_of_a_faithful_world_is_all_that_the_instance_has(seeing: Path) -> None:
    with WorldHome.at(seeing) as farm, closing(farm.open("desk", scenario="sees")) as session:
        session.world.call("open_ticket", FIRST)
        state = session.state()
    there = built(desk.DESK, "Desk", desk.start())
    there.open_ticket(**FIRST)
    assert state.keys() == vars(there).keys()
    assert state["by_number"] == {"$python": ["dict", [[2, "T-1"]]]}
    assert state["init_config"]["tickets"] == state["tickets"]


def test_agents_read_a_faithful_environment_to_the_letter(seeing: Path) -> None:
    with WorldHome.at(seeing) as farm, closing(farm.open("desk", scenario="sees")) as session:
        card = session.world.environment
    assert [tool.function for tool in card.tools] == desk.ENVIRONMENT["tools"]
    briefed: list[Briefing] = []

    def agent(briefing: Briefing, _scenario: Scenario) -> Plays:
        briefed.append(briefing)
        return Plays([])

    with WorldHome.at(seeing) as farm:
        plan = plan_run(farm, ["desk"], RunConfig(scoring="upstream"))
        assert plan.max_steps == 30
        anyio.run(run_episodes, farm, plan, agent, seeing.parent / "briefed", 1, lambda *_: None)
    assert briefed[0].introduction == (
        "# Environment Information\n## Brief Introduction:  \nA desk keeps tickets.  \nPeople open and close them.\n"
        "## Environment Rules / Constraints:  \n- Ids are unique.\n- A ticket is closed once.\n"
    )


def test_by_default_agents_get_all_documentation_and_no_promise_that_is_not_held(twelve: Path) -> None:
    from envscaler_mcp.scenarios.introduction import introduction_of

    with WorldHome.at(twelve) as farm, closing(farm.open("desk", scenario="task_0")) as session:
        card = session.world.environment
    described = card.tool("open_ticket")
    assert described is not None
    assert described.description == desk.OPEN_DOC
    assert "refused" not in introduction_of(card)
    assert "- Ids are unique." in introduction_of(card)


def test_a_faithful_episode_is_the_same_behind_a_server(seeing: Path, tmp_path: Path) -> None:
    moves = [("open_ticket", FIRST), ("pair", {}), ("half", {"ticket_id": "OLD"}), ("close_ticket", {"ticket_id": "X"})]
    both = {}
    for way in ("direct", "stdio"):
        run(seeing, tmp_path / way, {"sees": moves}, scoring="upstream", via=way)
        (both[way],) = read_trajectories(tmp_path / way)
    here, there = both["direct"], both["stdio"]
    assert [step.observation for step in here.steps] == [step.observation for step in there.steps]
    assert (here.verdict, here.final_hash) == (there.verdict, there.final_hash)


def test_faithful_episodes_are_replayed_and_judged_anew_to_the_letter(seeing: Path, tmp_path: Path) -> None:
    for number, moves in enumerate(list(ENDINGS.values())[::3]):
        folder = tmp_path / f"run-{number}"
        run(seeing, folder, {"sees": moves}, scoring="upstream")
        with WorldHome.at(seeing) as farm:
            anew = partial(rescore_run, farm, folder, tmp_path / f"new-{number}", "upstream", "worker", 1)
            told = anyio.run(anew, lambda *_: None)
        assert told.not_judged == {}
        assert told.changed == []


def test_no_scenarios_are_made_by_trying_in_a_faithful_world(seeing: Path) -> None:
    with pytest.raises(WorldError, match="was imported with --faithful"):
        write_scenarios(seeing / "desk", many=1)


OBJECTS = desk.DESK.replace("class Desk:", "class Line:\n    pass\n\n\nclass Desk:").replace(
    "self._log: List[str] = []", "self._log = [Line()]"
)


def test_a_state_that_cannot_leave_its_world_is_refused_with_its_attribute(tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text(json.dumps([{**desk.ENVIRONMENT, "env_class_code": OBJECTS}]))
    (tmp_path / "s.json").write_text(json.dumps(desk.TWELVE[:1]))
    paths = tmp_path / "e.json", [tmp_path / "s.json"], tmp_path / "servers", tmp_path / "r.json"
    (found,) = import_upstream(*paths, faithful=True).scenarios
    assert "The attribute '_log' of Desk holds a value of the type Line" in found.refused


def test_what_the_default_does_otherwise_is_listed(tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text(json.dumps([desk.ENVIRONMENT]))
    (tmp_path / "s.json").write_text(json.dumps([desk.scenario("sees", list(SEES), env_class_name="Other")]))
    servers = tmp_path / "generated_servers"
    (one,) = import_upstream(tmp_path / "e.json", [tmp_path / "s.json"], servers, tmp_path / "r.json").environments
    assert any("init_config are no part of the state" in line for line in one.otherwise)
    assert "The schema of arguments is another than the published one: open_ticket." in one.otherwise
    (task,) = one.scenarios
    assert task.otherwise == (
        "It names the class 'Other'; 'Desk' of its environment is run.",
        "Its checks read _log, init_config, which is no part of the state here.",
    )
    assert task.raising
    assert not task.broken


# Readers of records


ABSENT = object()


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf, None, "0.5", True, ABSENT])
def test_a_reward_that_is_no_number_stops_no_reader(twelve: Path, tmp_path: Path, reward: Any) -> None:
    folder = tmp_path / "run"
    run(twelve, folder, {"task_0": [], "task_3": desk.moves(3)})
    _recorded_anew(folder, "task_0", reward)
    plan, tally, _ = read_run(folder)
    told = summary_of(plan, tally)
    print_summary(plan, tally)
    assert (told["done"], told["masked"], told["reward"], told["failures"]) == (2, 1, 2 / 3, {"agent": 1, "checker": 1})
    (spoilt,) = [one for one in told["episodes"] if one["owner"] == "checker"]
    assert "no reward can be read" in spoilt["reason"]
    with WorldHome.at(twelve) as farm:
        write_page(folder, tmp_path / "run.html", Review(twelve, farm.judge), None, lambda *_: None)
    page = (tmp_path / "run.html").read_text()
    rows = page.partition("<script type=application/json id=rows>")[2].partition("</script>")[0]
    assert len(json.loads(rows, parse_constant=lambda word: pytest.fail(word))["rows"]) == 2
    assert "The figures are of 1 episode; 1 is masked" in page
    done = export_run(
        folder,
        twelve,
        FORMATS["trl"],
        ExportFilter(splits=("train", "validation", "held_out")),
        tmp_path / "rows.jsonl",
    )
    assert done.removed["masked"] == 1


def _recorded_anew(folder: Path, scenario: str, reward: Any) -> None:
    """The journal with another reward, sealed as whoever writes such a record would seal it."""
    (path,) = folder.glob("episodes-*.jsonl")
    lines = []
    for record in read_lines(path.read_bytes()).records:
        told = json.loads(record)
        if told["scenario"] == scenario:
            told["verdict"]["reward"] = reward
            told["steps"] = [{**step, "milliseconds": math.nan} for step in told["steps"]]
            if reward is ABSENT:
                del told["verdict"]["reward"]
        lines.append(sealed(json.dumps(told).encode()))
    path.write_bytes(b"".join(lines))


# No agent hides its own failed episode


LARGE = 'return {"success": True, "data": "x" * 2_000_000}\n        raise RuntimeError('
LONG = "while True:\n            pass\n        raise RuntimeError("
OWN_WORDS = 'return self._refuse(f"Somebody with the address {email} is a member already.")'
SAID = " failed because of an error inside the environment; nothing was changed."


class Odd(Plays):
    """Makes moves as they are."""

    def act(self, observation: str) -> Action:
        move = next(self._moves, Action(text="Task Completed"))
        assert isinstance(move, Action)
        return move


def odd_home(home: Path, **changes: str) -> Path:
    """A home with the lending library, its code changed: compiled code that is judged as it stands."""
    code = library_code("lending_library", **changes)
    state = State(environment=code.environment.id, name="start", seed=7, content=content(2, 2))
    task = library_scenario(code, state, "lending_library-001", [JOIN]).model_copy(update={"oracle": ()})
    write_server(home / "generated_servers" / "lending_library", code, state, [task])
    return home / "generated_servers"


JOIN = Call(tool="join", arguments={"name": "Ada", "email": "ada@example.org"})


def odd_verdict(servers: Path, folder: Path, moves: Sequence[Action], **options: Any) -> Verdict:
    with WorldHome.at(servers) as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(**options))
        anyio.run(run_episodes, farm, plan, lambda *_: Odd(moves), folder, 1, lambda *_: None)
    (played,) = read_trajectories(folder)
    return played.verdict


STUMBLE = Action(tool="stumble", arguments={"member_id": "MEMB-00001"})


@pytest.mark.parametrize("via", ["direct", "worker"])
@pytest.mark.parametrize("changes", [{}, {"raise RuntimeError(": LARGE}], ids=["raises", "large"])
def test_a_call_that_raises_or_answers_too_much_masks_no_episode(
    changes: dict[str, str], via: str, tmp_path: Path
) -> None:
    servers = odd_home(tmp_path, **changes)
    failed = odd_verdict(servers, tmp_path / "failed", [STUMBLE], via=via)
    assert (failed.owner, failed.masked, len(failed.checks)) == ("agent", False, 1)
    join = Action(tool=JOIN.tool, arguments=JOIN.arguments)
    assert odd_verdict(servers, tmp_path / "solved", [STUMBLE, join], via=via).solved


def test_a_call_that_takes_too_long_is_refused_and_masks_no_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "SECONDS", 0.2)
    servers = odd_home(tmp_path, **{"raise RuntimeError(": LONG})
    failed = odd_verdict(servers, tmp_path / "failed", [STUMBLE])
    assert (failed.owner, failed.masked, len(failed.checks)) == ("agent", False, 1)


@pytest.mark.slow
def test_a_worker_that_is_ended_for_a_call_without_an_end_is_the_agents_failure(tmp_path: Path) -> None:
    servers = odd_home(tmp_path, **{"raise RuntimeError(": LONG})
    failed = odd_verdict(servers, tmp_path / "failed", [STUMBLE], via="worker")
    assert (failed.owner, failed.masked) == ("agent", False)


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_refusal_in_an_agents_own_words_is_no_defect_of_the_environment(era: str, tmp_path: Path) -> None:
    changes = {OWN_WORDS: 'return self._refuse(f"{email}")', '"format": "email"': '"maxLength": 200'}
    folder = odd_home(tmp_path, **changes) / "lending_library"
    world = open_folder(folder, load_code(folder), isolation="trusted")
    given = {"name": "Ada", "email": f"x{SAID}"}
    assert world.call("join", given).kind == "done"
    async with in_memory(world, mode=era) as client:
        for tool, arguments, kind in (("join", given, "refused"), ("stumble", STUMBLE.arguments, "failed")):
            result = await client.call_tool(tool, arguments)
            (text,) = result.content
            assert getattr(text, "text", "").endswith(f'{SAID}"}}')
            assert kind_of(result.meta, bool(result.is_error)) == kind


class Echo:
    """Always says the same."""

    def __init__(self, said: str) -> None:
        self._said = said

    def act(self, observation: str) -> Action:
        return Action(text=self._said)


@pytest.mark.parametrize("said", ["What is their name?", "Which day?", "Hm.", "Done.", "Shall I?", "x" * (5 << 20)])
def test_an_agent_that_only_talks_fails_and_is_not_masked(said: str, tmp_path: Path) -> None:
    servers = odd_home(tmp_path)
    path = servers / "lending_library" / "scenarios.jsonl"
    task = Scenario.model_validate_json(path.read_text())
    facts = (Fact(name="name", value="Ada", says="Ada"), Fact(name="day", value="2026-03-08", says="8 March"))
    goal = Goal(story="s", ask="One wants to join.", request="Make Ada a member on 8 March.", facts=facts)
    talk = Conversation(first=goal.ask, goals=(goal,))
    path.write_text(task.model_copy(update={"conversation": talk}).model_dump_json() + "\n")
    with WorldHome.at(servers) as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(mode="conversation", user="scripted"))
        _, make_user = user_named(plan.user)
        anyio.run(
            partial(run_episodes, make_user=make_user), farm, plan, lambda *_: Echo(said), tmp_path / "run", 1, print
        )
    (played,) = read_trajectories(tmp_path / "run")
    assert (played.verdict.owner, played.verdict.masked) == ("agent", False), played.verdict.reason


ODD_ARGUMENTS: dict[str, Any] = {
    "many digits": {"page": 10**4500},
    "301 digits": {"page": 10**300},
    "a mebibyte": {"shelf": "y" * (1 << 20)},
    "forty": {"shelf": "y" * (40 << 20)},
    "control letters": {"shelf": "\x01" * 150_000},
    "wide": {"shelf": list(range(300_000))},
    "no JSON": {"shelf": float("nan")},
    "itself": {},
    "a bomb": {"shelf": [[]]},
}
ODD_ARGUMENTS["itself"]["shelf"] = ODD_ARGUMENTS["itself"]
for _ in range(60):
    ODD_ARGUMENTS["a bomb"]["shelf"] = [ODD_ARGUMENTS["a bomb"]["shelf"]] * 2
ODD_MOVES = [
    *(Action(tool="list_books", arguments=given) for given in ODD_ARGUMENTS.values()),
    *(Action(tool=name) for name in ("x" * 40_000, "x\r\ny: z\u0000€", "__class__", "\ud800", " ")),
    Action(tool=10**5000),  # type: ignore[arg-type]
    Action(text=10**5000),  # type: ignore[arg-type]
    Action(text="\ud800", reasoning="\udfff"),
    Action(),
]


@pytest.mark.parametrize("via", ["direct", "worker", pytest.param("http", marks=pytest.mark.slow)])
def test_odd_calls_are_answered_and_are_never_an_excuse(via: str, tmp_path: Path) -> None:
    servers = odd_home(tmp_path)
    found = odd_verdict(servers, tmp_path / "run", ODD_MOVES, via=via)
    assert (found.owner, found.masked, len(found.checks)) == ("agent", False, 1)


def test_what_is_too_large_is_answered_with_the_same_words_everywhere(tmp_path: Path) -> None:
    answers = []
    for via in ("direct", "worker"):
        odd_verdict(odd_home(tmp_path / via), tmp_path / via / "run", ODD_MOVES, via=via)
        (played,) = read_trajectories(tmp_path / via / "run")
        answers.append([step.observation for step in played.steps])
    assert answers[0] == answers[1]
    assert answers[0][0] == answers[0][3] == Outcome.saying("invalid", TOO_LARGE).text


ODD_VALUES = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(10**400), 10**400)
    | some.floats()
    | some.text(some.characters(), max_size=20)
    | some.binary(max_size=3),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_arguments_that_are_small_are_no_longer_where_they_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "MAX_BYTES", 60)
    letters = some.text(some.sampled_from('a"\\\n\x01\u00e9\N{GRINNING FACE}'), max_size=9)
    scalars = letters | some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False, width=32)

    @settings(max_examples=100, deadline=None)
    @given(some.lists(scalars | some.lists(scalars, max_size=3) | some.dictionaries(letters, scalars, max_size=2)))
    def is_counted(value: list[Any]) -> None:
        if is_plain(value) and transcript.is_small(value):
            assert len(json.dumps(value)) <= transcript.MAX_BYTES

    is_counted()
    assert transcript.is_small({"name": "a" * 20})


ODD_CALLS = some.builds(
    lambda tool, arguments: Action(tool=tool, arguments=arguments),
    some.sampled_from(["list_books", "join", "note", "stumble", "lend_books"]) | some.text(max_size=5),
    some.dictionaries(some.sampled_from(["member_id", "name", "email", "lines", "page", "text"]), ODD_VALUES)
    | ODD_VALUES,
)


@pytest.fixture(scope="module")
def odd_servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_home(tmp_path_factory.mktemp("odd"))


@pytest.mark.parametrize("via", ["direct", "worker"])
def test_whatever_an_agent_does_it_has_solved_its_task_or_failed_it(via: str, odd_servers: Path) -> None:
    @settings(max_examples=12, deadline=None)
    @given(some.lists(ODD_CALLS | some.builds(lambda text: Action(text=text), some.text(max_size=9)), max_size=8))
    def plays(moves: list[Action]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            found = odd_verdict(odd_servers, Path(folder) / "run", moves, via=via)
        assert found.solved or (found.owner, found.masked) == ("agent", False)

    plays()


APPROVED = {"$python": ["str", [ord(letter) for letter in "approved"]]}


def approved(servers: Path) -> Verdict:
    with WorldHome.at(servers) as home, closing(home.open("desk", scenario="task_0")) as session:
        assert session.scenario is not None
        check = Check(
            check_item="", check_func='def check_func(final_state):\n    return final_state["last"] == "approved"'
        )
        scenario = session.scenario.model_copy(update={"checks": (check,)})
        return home.judge(scenario, session.initial, {**session.initial, "last": APPROVED})


def test_what_looks_like_a_python_value_is_one_in_a_published_world_only(twelve: Path, twelve_faithful: Path) -> None:
    assert not approved(twelve).solved
    assert approved(twelve_faithful).solved


@pytest.mark.parametrize("scoring", ["framed", "upstream"])
def test_no_ending_decides_whether_a_check_is_refused(twelve_faithful: Path, scoring: Scoring) -> None:
    # Each is near a bound of the gate: a name that the reader of Python values has too, and the longest text.
    checks = [
        'def f():\n    import math as dt\n    return dt\n\ndef check_func(final_state):\n    return final_state["last"] == 1',
        'def check_func(final_state):\n    return final_state["last"] == 1\n' + "#" * 399_900,
    ]
    moves = [("open_ticket", {"ticket_id": "X", "priority": "low"})]
    verdict = judged(twelve_faithful, checks, moves, scoring)
    assert (verdict.owner, verdict.masked) == ("agent", False)


def test_an_ending_too_large_to_be_sent_to_its_checks_is_a_failed_one(twelve: Path) -> None:
    with WorldHome.at(twelve) as home, closing(home.open("desk", scenario="task_0")) as session:
        assert session.scenario is not None
        large = {**session.initial, "_log": ["x" * (40 << 20)]}
        verdict = home.judge(session.scenario, session.initial, large)
        assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False)
        # Together these are larger than a message may be, and each of them is not.
        padded = "def check_func(final_state):\n    return True\n" + "#" * 390_000
        checks = tuple(Check(check_item="", check_func=f"{padded}{number}") for number in range(90))
        scenario = session.scenario.model_copy(update={"checks": checks})
        assert home.judge(scenario, session.initial, dict(session.initial), "upstream").solved


def test_a_check_as_long_as_the_gate_allows_masks_no_ending(twelve: Path) -> None:
    body = f"def check_func(final_state):\n    if {NOT_DONE}:\n        return {{}}['no']\n    return True\n"
    check = "#" * (MAX_SOURCE - len(body) - 10) + "\n" + body
    verdict = judged(twelve, [check], [])
    assert (verdict.owner, verdict.masked) == ("agent", False)


@pytest.mark.parametrize("scoring", ["framed", "upstream"])
def test_a_check_that_is_nested_too_deep_is_the_checkers_failure_at_every_ending(
    twelve: Path, scoring: Scoring
) -> None:
    deep = f"def check_func(final_state):\n    return {'not ' * 600}({NOT_DONE})\n"

    def verdict(callers: int, moves: Sequence[Any]) -> Verdict:
        return verdict(callers - 1, moves) if callers else judged(twelve, [deep + f"# {len(moves)}\n"], moves, scoring)

    verdicts = [verdict(callers, moves) for callers in (0, 400) for moves in ([], desk.moves(7))]
    assert {(each.owner, each.masked) for each in verdicts} == {("checker", True)}
    assert len({each.reason for each in verdicts}) == 1


UNWRITABLE = """
    def hold(self, ticket_id: str):
        self.tickets[ticket_id]["parts"] = [self.tickets[ticket_id]]

    def scale(self, factor: int):
        self.last = (self.last[0] * factor + 1, "")
"""


@pytest.mark.parametrize(
    ("tool", "arguments", "times"),
    [("hold", {"ticket_id": "OLD"}, 1), ("scale", {"factor": 10**290}, 16)],
    ids=["a record that holds itself", "a number of too many digits"],
)
def test_a_published_state_that_cannot_be_written_down_is_the_agents_failure(
    tool: str, arguments: dict[str, Any], times: int, tmp_path: Path
) -> None:
    (tmp_path / "e.json").write_text(json.dumps([{**desk.ENVIRONMENT, "env_class_code": desk.DESK + UNWRITABLE}]))
    (tmp_path / "s.json").write_text(json.dumps(desk.TWELVE[:1]))
    servers = tmp_path / "generated_servers"
    import_upstream(tmp_path / "e.json", [tmp_path / "s.json"], servers, tmp_path / "registry.json", faithful=True)
    with WorldHome.at(servers) as home, closing(home.open("desk", scenario="task_0")) as session:
        outcomes = [session.world.call(tool, arguments) for _ in range(times)]
        assert outcomes[-1].kind == "exhausted"
        assert session.state()
