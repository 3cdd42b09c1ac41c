"""A benchmark of other authors in the studio: its tasks, tools and state, and their verdict; and what their code cannot do is not there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.studio_agents import StudioModel
from envscaler_mcp.llm import Endpoint, ModelParams
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment
from envscaler_mcp.official.stage import Stage
from tests.llm.endpoint import Asked, Fail, Reply, Say, scripted_endpoint
from tests.official.staging import FILES, registered
from tests.official.till.benchmark import TALK, TILL
from tests.studio.visitors import Visitor, studio, visitor


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with registered(tmp_path_factory.mktemp("site")), Stage.of(TILL, FILES) as opened:
        yield opened


@pytest.fixture(scope="module")
def stage_of_talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with registered(tmp_path_factory.mktemp("site")), Stage.of(TALK, FILES) as opened:
        yield opened


@asynccontextmanager
async def with_till(stage: Stage, **config: Any) -> AsyncIterator[tuple[Any, Visitor]]:
    opener = BenchmarkOpener("A till", lambda: BenchmarkEnvironment(stage))
    async with studio(benchmarks={stage.benchmark.name: opener}, **config) as (farm, owner):
        yield farm, owner


async def at(owner: Visitor, task: str) -> str:
    (benchmark,) = [each for each in (await owner.get("/v1/catalogue"))["environments"] if each["benchmark"]]
    return await owner.opened(environment=benchmark["id"], scenario=task)


async def test_the_gallery_of_owners_names_it_as_a_benchmark(stage: Stage) -> None:
    async with with_till(stage) as (farm, owner), visitor(farm.url, "read") as reader:
        listed = [entry for entry in (await owner.get("/v1/catalogue"))["environments"] if entry["benchmark"]]
        assert [(entry["id"], entry["title"], entry["sector"]) for entry in listed] == [("till", "A till", "benchmark")]
        fitting = (await owner.get("/v1/catalogue?search=till%20benchmark"))["environments"]
        assert "till" in [entry["id"] for entry in fitting]
        assert not any(entry["benchmark"] for entry in (await reader.get("/v1/catalogue"))["environments"])
        assert (await reader.get("/v1/environments/till/tasks"))["tasks"] == []


async def test_its_tasks_are_listed_in_the_words_of_its_users(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        tasks = (await owner.get("/v1/environments/till/tasks"))["tasks"]
        assert [(task["id"], task["category"], task["task"], task["turns"], task["steps"]) for task in tasks] == [
            ("till_1", "easy", "Put 5 in.", 1, 1),
            ("till_2", "easy", "Put 5 in.", 2, 2),
            ("till_3", "hard", "Take 4 out.", 2, 1),
        ]


async def test_a_world_shows_its_tools_its_state_and_the_verdict_of_its_authors(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        path = await at(owner, "till_3")
        checks = await owner.get(f"{path}/checks")
        turns = ["Take 4 out.", "What about now?"]
        official = checks["official"]
        assert (official["category"], official["turns"], official["begun"]) == ("hard", turns, 0)
        assert (official["talks"], official["conversation"], official["over"]) == (False, [], False)
        forms = (await owner.get(f"{path}/forms"))["forms"]
        assert [form["tool"] for form in forms] == ["deposit", "owners"]
        await owner.ask("POST", f"{path}/turn", {"turn": 1})
        assert (await owner.get(f"{path}/checks"))["official"]["begun"] == 1
        forms = (await owner.get(f"{path}/forms"))["forms"]
        assert [form["tool"] for form in forms] == ["deposit", "withdraw", "owners"]
        step = await owner.call(path, "withdraw", amount=4)
        assert (step["kind"], step["result"], step["undoable"]) == ("done", {"balance": 6}, False)
        tables = await owner.get(f"{path}/tables")
        assert tables["scalars"] == {"balance": 6}
        assert [table["name"] for table in tables["tables"]] == ["drawers"]
        judged = await owner.ask("POST", f"{path}/judge", {})
        assert (judged["verdict"]["solved"], judged["answer"]["valid"]) == (True, True)


async def test_what_its_authors_code_cannot_do_is_refused_in_a_sentence(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        path = await at(owner, "till_1")
        await owner.call(path, "deposit", amount=5)
        for order, body in (("undo", {"after": 0}), ("fork", {}), ("play", {"agent": "oracle"}), ("snapshot", None)):
            refused = await owner.ask("POST", f"{path}/{order}", body, status=400)
            assert refused["error"].endswith("."), order
        refused = await owner.ask("GET", "/v1/environments/till/connect", status=400)
        assert "no guest links" in refused["error"]
        timeline = await owner.get(f"{path}/timeline")
        assert [step["tool"] for step in timeline["steps"]] == ["deposit"]


async def test_a_reader_of_its_world_may_look_and_not_ask_the_judge(stage: Stage) -> None:
    async with with_till(stage) as (farm, owner), visitor(farm.url, "read") as reader:
        await at(owner, "till_2")
        (world,) = (await reader.get("/v1/worlds"))["worlds"]
        path = f"/v1/worlds/{world['name']}"
        assert (await reader.get(f"{path}/checks"))["official"]["turns"] == ["Put 5 in.", "Take 3 out."]
        assert (await reader.get(f"{path}/tables"))["scalars"] == {"balance": 10}
        for order in ("judge", "turn", "call"):
            await reader.ask("POST", f"{path}/{order}", {}, status=403)


async def test_the_person_in_front_of_the_page_plays_agent_and_user(stage_of_talk: Stage) -> None:
    async with with_till(stage_of_talk) as (_, owner):
        path = await at(owner, "till_1")
        assert (await talk(owner, path))["user"] == "person"
        early = await owner.ask("POST", f"{path}/say", {"text": "Hello?", "reply": "Hello."}, status=400)
        assert early["error"] == "The user says something first; send that, or an order without a text."
        alone = await owner.ask("POST", f"{path}/say", {}, status=400)
        assert "start the farm with --user" in alone["error"]
        await owner.ask("POST", f"{path}/say", {"reply": "Put 5 in, please."})
        await owner.call(path, "deposit", amount=5)
        said = await owner.ask("POST", f"{path}/say", {"text": "It is in.", "reply": "Thank you. ###STOP###"})
        assert said == {"after": 1, "text": "It is in.", "reply": "Thank you. ###STOP###"}
        words = await talk(owner, path)
        assert [(each["after"], each["text"]) for each in words["conversation"]] == [(0, None), (1, "It is in.")]
        assert words["over"]
        late = await owner.ask("POST", f"{path}/say", {"text": "More?", "reply": "No."}, status=400)
        assert "has ended" in late["error"]
        assert (await owner.ask("POST", f"{path}/judge", {}))["verdict"]["solved"]


@pytest.mark.parametrize("words", ["\ud800", "e" * 100_001, 7, ["Hi."], "\x00 <b>&"])
async def test_odd_words_are_said_or_refused_and_the_world_goes_on(stage_of_talk: Stage, words: Any) -> None:
    async with with_till(stage_of_talk) as (_, owner):
        path = await at(owner, "till_1")
        body = json.dumps({"reply": words}).encode()
        answer = await owner.web.post(f"{path}/say", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (200, 400), answer.text
        said = (await talk(owner, path))["conversation"]
        assert [each["reply"] for each in said] == ([words] if answer.status_code == 200 else [])
        await owner.call(path, "deposit", amount=5)
        assert (await owner.ask("POST", f"{path}/judge", {}))["verdict"]["solved"]


async def test_a_script_answers_where_the_studio_was_started_so(stage_of_talk: Stage) -> None:
    async with with_till(stage_of_talk, studio_user="scripted") as (_, owner):
        path = await at(owner, "till_3")
        assert (await owner.ask("POST", f"{path}/say", {}))["reply"] == "Take 4 out."
        refused = await owner.ask("POST", f"{path}/say", {"text": "I cannot.", "reply": "Try."}, status=400)
        assert refused["error"] == "A user answers here; send only what the agent says."
        assert (await owner.ask("POST", f"{path}/say", {"text": "I cannot."}))["reply"] == "What about now?"
        assert "withdraw" in [form["tool"] for form in (await owner.get(f"{path}/forms"))["forms"]]
        await owner.call(path, "withdraw", amount=4)
        assert "###STOP###" in (await owner.ask("POST", f"{path}/say", {"text": "Done."}))["reply"]
        words = await talk(owner, path)
        assert (words["user"], words["over"], [each["after"] for each in words["conversation"]]) == (
            "scripted",
            True,
            [0, 0, 1],
        )
        assert (await owner.ask("POST", f"{path}/judge", {}))["verdict"]["solved"]


async def test_a_model_answers_as_the_authors_have_it_asked(stage_of_talk: Stage) -> None:
    def answers(asked: Asked) -> Reply:
        if asked["messages"][-1]["content"] == "Break.":
            return Fail(400, "no such words")
        return Say(f"You said {asked['messages'][-1]['content']}")

    async with scripted_endpoint(answers) as place:
        user = StudioModel("openai:u", Endpoint(base_url=place.url, api_key=SecretStr("key")), ModelParams(model="u"))
        async with with_till(stage_of_talk, studio_user=user) as (farm, owner), visitor(farm.url, "read") as reader:
            path = await at(owner, "till_2")
            assert (await owner.ask("POST", f"{path}/say", {}))["reply"] == "You said Hi"
            assert (await owner.ask("POST", f"{path}/say", {"text": "How much?"}))["reply"] == "You said How much?"
            failed = await owner.ask("POST", f"{path}/say", {"text": "Break."}, status=400)
            assert failed["error"].startswith("The user cannot answer")
            (world,) = (await reader.get("/v1/worlds"))["worlds"]
            seen = (await reader.get(f"/v1/worlds/{world['name']}/checks"))["official"]
            assert (seen["user"], [each["text"] for each in seen["conversation"]]) == ("model", [None, "How much?"])
            await reader.ask("POST", f"/v1/worlds/{world['name']}/say", {"text": "Me too."}, status=403)
        assert place.requests[0]["messages"][0] == {"role": "system", "content": "You are plain."}


async def test_nothing_is_said_where_the_task_says_all_of_it(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        refused = await owner.ask("POST", f"{await at(owner, 'till_1')}/say", {"reply": "Hello."}, status=400)
        assert "stands in the task" in refused["error"]


async def talk(owner: Visitor, path: str) -> Any:
    return (await owner.get(f"{path}/checks"))["official"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("studio", "--user", "scripted"), "name one with --benchmark"),
        (("farm", "--port", "0", "--user", "scripted"), "name one with --benchmark"),
        (("studio", "--benchmark", "till-talk", "--user", "me"), "'me' is no model"),
    ],
)
def test_a_user_that_could_not_answer_is_refused(tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    from typer.testing import CliRunner

    from envscaler_mcp.cli.program import app

    with registered(tmp_path):
        ran = CliRunner().invoke(app, [*words, *(["--no-browser"] if words[0] == "studio" else [])])
    assert ran.exit_code == 2
    assert complaint in " ".join(ran.output.replace("│", " ").split())


def test_files_of_a_benchmark_that_are_not_here_stop_the_studio(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from envscaler_mcp.cli.program import app

    ran = CliRunner().invoke(
        app, ["studio", "--no-browser", "--benchmark", "bfcl-v3"], env={"ENVSCALER_BENCH_BFCL_V3": str(tmp_path)}
    )
    assert ran.exit_code == 1
    assert "Get it with" in ran.output
