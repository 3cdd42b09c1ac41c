"""What the pages of the studio ask for: tables, forms, recorded calls, undo, forks, agents and checks."""

from __future__ import annotations

import json
import random

import pytest
from pydantic import SecretStr

from envscaler_mcp.farm.studio_agents import StudioModel
from envscaler_mcp.farm.timeline import MOST_STEPS
from envscaler_mcp.llm import Endpoint, ModelParams
from tests.llm.endpoint import Fail, Say, one_after_the_other, scripted_endpoint
from tests.studio.visitors import ENVIRONMENT, TASK, studio


async def test_the_catalogue_lists_all_environments_and_finds_them_by_words() -> None:
    async with studio() as (farm, owner):
        everything = (await owner.get("/v1/catalogue"))["environments"]
        assert {entry["id"] for entry in everything} == set(farm.front.worlds.environments.entries)
        fitting = (await owner.get("/v1/catalogue?search=hospital%20bed"))["environments"]
        assert [entry["id"] for entry in fitting] == [ENVIRONMENT]
        await owner.ask("GET", "/v1/catalogue?search=" + "a+" * 20, status=400)


async def test_tables_call_records_by_name_and_say_which_records_fields_name() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        tables = {table["name"]: table for table in (await owner.get(f"{path}/tables"))["tables"]}
        state = (await owner.get(f"{path}/state"))["state"]
        assert {name: table["records"] for name, table in tables.items()} == {name: state[name] for name in tables}
        assert tables["patients"]["labels"]["PATIENT-00001"] == state["patients"]["PATIENT-00001"]["name"]
        refers = {column["name"]: column["refers"] for column in tables["stays"]["columns"]}
        assert (refers["patient_id"], refers["bed_id"]) == ("patients", "beds")
        (stay, record), *_ = state["stays"].items()
        assert state["patients"][record["patient_id"]]["name"] in tables["stays"]["labels"][stay]


async def test_forms_offer_menus_records_and_dates() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        forms = {form["tool"]: form for form in (await owner.get(f"{path}/forms"))["forms"]}
        card = await owner.get(f"/v1/environments/{ENVIRONMENT}")
        assert list(forms) == [tool["name"] for tool in card["tools"]]
        fields = {field["name"]: field for field in forms["plan_admission"]["fields"]}
        assert (fields["patient_id"]["type"], fields["patient_id"]["refers"]) == ("record", "patients")
        assert fields["on"]["type"] == "date"
        outcome = next(field for field in forms["discharge_patient"]["fields"] if field["name"] == "outcome")
        assert (outcome["type"], "rehabilitation" in outcome["options"]) == ("choice", True)


async def test_a_refused_call_changes_nothing_and_names_the_condition_that_refused_it() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        before = await owner.hash(path)
        state = (await owner.get(f"{path}/state"))["state"]
        lying = next(stay for stay in state["stays"].values() if stay["status"] == "admitted")
        step = await owner.call(path, "block_bed", bed_id=lying["bed_id"], reason="broken rail")
        assert (step["kind"], step["condition"]) == ("refused", "not bed.taken")
        assert await owner.hash(path) == before


async def test_a_refusal_names_the_condition_that_refused_it_and_no_other_that_could_say_the_same() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(environment="animal_shelter")
        state = (await owner.get(f"{path}/state"))["state"]
        animal = next(
            id_ for id_, each in state["animals"].items() if each["status"] == "in_care" and not each["infectious"]
        )
        kennel = next(id_ for id_, each in state["kennels"].items() if each["wing"] != "isolation")
        step = await owner.call(path, "isolate_animal", animal_id=animal, kennel_id=kennel)
        assert (step["kind"], step["condition"]) == ("refused", "kennel.wing == 'isolation'")


async def test_a_fork_is_taken_back_to_where_it_began_and_no_further() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        beds = (await owner.get(f"{path}/state"))["state"]["beds"]
        first, second, third = [bed for bed, record in beds.items() if record["condition"] == "clean"][:3]
        await owner.call(path, "block_bed", bed_id=first, reason="broken rail")
        await owner.call(path, "list_beds")
        (card,) = (await owner.ask("POST", f"{path}/fork", {}, 201))["worlds"]
        fork = f"/v1/worlds/{card['name']}"
        start = await owner.hash(fork)
        assert (await owner.get(f"{fork}/timeline"))["earliest"] == 2
        for bed in (second, third):
            await owner.call(fork, "block_bed", bed_id=bed, reason="broken rail")
        assert await owner.hash(fork) != start
        earliest = (await owner.get(f"{fork}/timeline"))["earliest"]
        after = await owner.ask("POST", f"{fork}/undo", {"after": earliest})
        assert (earliest, after["earliest"], [step["number"] for step in after["steps"]]) == (2, 2, [1, 2])
        assert await owner.hash(fork) == start
        assert (await owner.get(f"{path}/timeline"))["earliest"] == 0


@pytest.mark.parametrize("seed", range(3))
async def test_undo_brings_back_the_state_after_any_call(seed: int) -> None:
    chance = random.Random(seed)
    async with studio() as (_, owner):
        path = await owner.opened()
        hashes = [await owner.hash(path)]
        for _ in range(15):
            played = await owner.ask("POST", f"{path}/play", {"agent": "random"})
            if not played["ended"]:
                hashes.append(await owner.hash(path))
        state = (await owner.get(f"{path}/state"))["state"]
        free = [bed for bed, record in state["beds"].items() if record["condition"] == "clean"]
        for bed in free:
            await owner.call(path, "block_bed", bed_id=bed, reason="a reason")
            hashes.append(await owner.hash(path))
        assert len(set(hashes)) > 1
        while len(hashes) > 1:
            after = chance.randrange(len(hashes) - 1)
            timeline = await owner.ask("POST", f"{path}/undo", {"after": after})
            assert [step["number"] for step in timeline["steps"]] == list(range(1, after + 1))
            del hashes[after + 1 :]
            assert await owner.hash(path) == hashes[-1]
        await owner.ask("POST", f"{path}/undo", {"after": 5}, status=400)


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_the_oracle_solves_a_task_and_a_person_may_take_over_in_the_middle(isolation: str) -> None:
    async with studio(isolation=isolation) as (_, owner):
        path = await owner.opened(scenario=TASK)
        checks = await owner.get(f"{path}/checks")
        assert (checks["reward"], any(lamp["holds"] for lamp in checks["checks"])) == (0.0, False)
        for _ in range(checks["steps"] - 1):
            await owner.ask("POST", f"{path}/play", {"agent": "oracle"})
        before = await owner.get(f"{path}/checks")
        assert 0 < before["reward"] < 1
        fork = (await owner.ask("POST", f"{path}/fork", {}, 201))["worlds"][0]["name"]
        solution = (await owner.get(f"/v1/environments/{ENVIRONMENT}/scenarios"))["scenarios"]
        last = next(task for task in solution if task["id"] == TASK)["oracle"][-1]
        step = await owner.call(path, last["tool"], **last["arguments"])
        assert (step["by"], (await owner.get(f"{path}/checks"))["solved"]) == ("person", True)
        assert (await owner.get(f"/v1/worlds/{fork}/checks"))["reward"] == before["reward"]
        forked = await owner.get(f"/v1/worlds/{fork}/timeline")
        assert (forked["parent"], forked["forked_after"]) == (path.split("/")[-1], checks["steps"] - 1)
        assert (await owner.ask("POST", f"/v1/worlds/{fork}/play", {"agent": "oracle"}))["step"]["by"] == "oracle"
        assert (await owner.get(f"/v1/worlds/{fork}/checks"))["solved"]
        assert (await owner.ask("POST", f"/v1/worlds/{fork}/play", {"agent": "oracle"}))["ended"]


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_a_solution_goes_on_where_it_was_after_an_undo(isolation: str) -> None:
    async with studio(isolation=isolation) as (_, owner):
        path = await owner.opened(scenario=TASK)
        steps = (await owner.get(f"{path}/checks"))["steps"]
        for _ in range(steps):
            await owner.ask("POST", f"{path}/play", {"agent": "oracle"})
        await owner.ask("POST", f"{path}/undo", {"after": 1})
        assert (await owner.get(f"{path}/checks"))["next_step"] == 1
        for _ in range(steps - 1):
            await owner.ask("POST", f"{path}/play", {"agent": "oracle"})
        assert (await owner.get(f"{path}/checks"))["solved"]


async def test_a_mark_of_the_owners_own_takes_later_calls_out_of_the_recording() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(scenario=TASK)
        mark = (await owner.ask("POST", f"{path}/snapshot"))["snapshot"]
        for _ in range(4):
            await owner.ask("POST", f"{path}/play", {"agent": "oracle"})
        await owner.ask("POST", f"{path}/restore", {"snapshot": mark})
        steps = (await owner.get(f"{path}/timeline"))["steps"]
        assert all(step["tool"].startswith("list_") for step in steps)
        state = await owner.hash(path)
        await owner.ask("POST", f"{path}/undo", {"after": 0})
        assert await owner.hash(path) == state


async def test_calls_of_agents_are_recorded_with_those_of_the_owner() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        url = (await owner.get(path))["url"]
        call = {"name": "list_wards", "arguments": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        answer = await owner.web.post(url, json=message, headers={"accept": "application/json, text/event-stream"})
        assert answer.status_code == 200
        steps = (await owner.get(f"{path}/timeline"))["steps"]
        assert [(step["by"], step["tool"]) for step in steps] == [("agent", "list_wards")]


async def test_a_recording_holds_the_latest_calls_and_says_how_many_are_gone() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened()
        world = farm.front.worlds.named(path.split("/")[-1])
        for _ in range(MOST_STEPS + 20):
            world.call("list_wards", {}, None)
        timeline = await owner.get(f"{path}/timeline")
        assert (len(timeline["steps"]) <= MOST_STEPS, timeline["dropped"] >= 20) == (True, True)
        assert timeline["steps"][-1]["number"] == MOST_STEPS + 20
        held = farm.front.worlds.recordings
        assert held.total > 0
        await owner.ask("DELETE", path)
        assert held.total == 0


async def test_a_long_text_is_recorded_by_its_beginning() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        await owner.call(path, "list_wards", name="x" * 100_000)
        (step,) = (await owner.get(f"{path}/timeline"))["steps"]
        assert step["shortened"]["arguments"] > 100_000
        assert len(json.dumps(step)) < 20_000


async def test_halves_of_characters_from_an_agent_do_not_hide_what_happened() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened(scenario=TASK)
        world = farm.front.worlds.named(path.split("/")[-1])
        world.call("block_bed", {"bed_id": "BED-00005", "reason": "half \ud800 of it"}, None)
        (step,) = (await owner.get(f"{path}/timeline"))["steps"]
        assert (step["kind"], step["arguments"]["reason"]) == ("invalid", "half ? of it")


async def test_a_call_is_copied_for_other_programs_with_the_address_of_its_world() -> None:
    async with studio() as (_, owner):
        path = await owner.opened()
        order = {"tool": "list_wards", "arguments": {"name": 'it\'s "quoted"; $(x)'}}
        texts = await owner.ask("POST", f"{path}/snippets", order)
        assert json.loads(texts["mcp"])["params"] == {"name": "list_wards", "arguments": order["arguments"]}
        url = (await owner.get(path))["url"]
        assert url in texts["curl"]
        assert url in texts["python"]
        compile(texts["python"], "snippet", "exec")


async def test_hosts_are_told_of_a_fresh_guest_link() -> None:
    async with studio() as (_, owner):
        first, second = [await owner.get(f"/v1/environments/{ENVIRONMENT}/connect") for _ in range(2)]
        assert first["url"] != second["url"]
        assert all(first["url"] in host["document"] for host in first["hosts"])
        assert {host["client"] for host in first["hosts"] if host["link"]} == {"vscode", "cursor"}


async def test_a_model_plays_where_one_was_named() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(scenario=TASK)
        assert (await owner.get("/v1/agents"))["agents"] == ["oracle", "random"]
        await owner.ask("POST", f"{path}/play", {"agent": "model"}, status=400)
        task = (await owner.get(f"/v1/environments/{ENVIRONMENT}/scenarios"))["scenarios"]
        oracle = next(each for each in task if each["id"] == TASK)["oracle"]
    calls = [[(call["tool"], json.dumps(call["arguments"]))] for call in oracle]
    # Two calls in one turn are two steps.
    turns = [calls[0] + calls[1], *calls[2:]]
    replies = [Say("I look.", tool_calls=turn) for turn in turns]
    async with scripted_endpoint(one_after_the_other(*replies, Say("All done."))) as place:
        endpoint = Endpoint(api_key=SecretStr("sk"), base_url=place.url)
        model = StudioModel("openai:small", endpoint, ModelParams(model="small"))
        async with studio(studio_model=model) as (_, owner):
            assert (await owner.get("/v1/agents"))["model"] == "small"
            path = await owner.opened(scenario=TASK)
            for call in oracle:
                played = await owner.ask("POST", f"{path}/play", {"agent": "model"})
                assert (played["step"]["by"], played["step"]["tool"]) == ("model", call["tool"])
            assert (await owner.get(f"{path}/checks"))["solved"]
            ending = await owner.ask("POST", f"{path}/play", {"agent": "model"})
            assert (ending["ended"], ending["says"]) == (True, "All done.")
        last = json.dumps(place.requests[-1])
        assert "Done: block bed 203 B" in last


async def test_a_model_that_cannot_be_asked_says_so_and_changes_nothing() -> None:
    async with scripted_endpoint(one_after_the_other(*[Fail(401, "wrong key")] * 9)) as place:
        endpoint = Endpoint(api_key=SecretStr("sk"), base_url=place.url)
        model = StudioModel("openai:small", endpoint, ModelParams(model="small"))
        async with studio(studio_model=model) as (_, owner):
            path = await owner.opened(scenario=TASK)
            answer = await owner.ask("POST", f"{path}/play", {"agent": "model"}, status=400)
            assert "cannot play" in answer["error"]
            assert (await owner.get(f"{path}/timeline"))["steps"] == []
