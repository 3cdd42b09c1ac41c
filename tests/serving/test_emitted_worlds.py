"""Every server folder that ships: its worlds go back, fork, and say what changed, whatever is called."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import State
from envscaler_mcp.serving import EnvironmentCode, open_unread_world
from envscaler_mcp.trust import load_code
from tests.library_sample import turns

SERVERS = Path(__file__).parents[2] / "generated_servers"
NAMES = sorted(path.parent.name for path in SERVERS.glob("*/environment.json"))
CALLS = 150


@pytest.fixture(scope="module", params=turns(NAMES))
def emitted(request: pytest.FixtureRequest) -> tuple[EnvironmentCode, dict[str, Any]]:
    folder = SERVERS / request.param
    code = load_code(folder)
    return code, State.read(folder / "states" / f"{code.environment.states[0]}.json").content


def value_for(name: str, schema: dict[str, Any], content: dict[str, Any], rng: random.Random) -> Any:
    """Something of the right type, and often of the right meaning."""
    if "anyOf" in schema:
        return value_for(name, rng.choice(schema["anyOf"]), content, rng)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return [value_for(name, schema["items"], content, rng) for _ in range(rng.randint(1, 3))]
    if kind == "object":
        return {field: value_for(field, inner, content, rng) for field, inner in schema["properties"].items()}
    if kind in ("integer", "number"):
        low = schema.get("minimum", 0)
        return rng.randint(int(low) + 1, int(min(schema.get("maximum", low + 200), low + 200)))
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    dated = {"date": "2026-03-%02d", "date-time": "2026-03-%02dT10:00"}.get(schema.get("format", ""))
    if dated is not None:
        return dated % rng.randint(1, 28)
    ids = [key for records in content.values() if isinstance(records, dict) for key in records]
    named = [key for key in ids if key.split("-")[0][:3].lower() in name]
    return rng.choice(named or ids) if name.endswith(("_id", "_ids")) else "09:30" if "format" in schema else "A word"


def scripts(code: EnvironmentCode, content: dict[str, Any], seed: int) -> list[tuple[str, dict[str, Any]]]:
    rng = random.Random(seed)
    script = []
    for _ in range(CALLS):
        tool = rng.choice(code.environment.tools)
        properties = tool.input_schema["properties"]
        script.append((tool.name, {name: value_for(name, inner, content, rng) for name, inner in properties.items()}))
    return script


def test_an_emitted_world_loses_nothing_when_it_goes_back_or_forks(
    emitted: tuple[EnvironmentCode, dict[str, Any]],
) -> None:
    code, content = emitted
    assert code.trust == "shipped"
    world = open_unread_world(code, content, 7)
    before, hashed = world.state(), world.state_hash()
    mark = world.snapshot()
    twin = world.fork()
    script = scripts(code, content, 11)
    texts = []
    for tool, arguments in script:
        known = world.state_hash()
        outcome = world.call(tool, arguments)
        texts.append(outcome.text)
        assert outcome.kind != "failed", (tool, arguments, world.last_failure)
        if world.diff().empty:
            assert world.state_hash() == known
        else:
            assert outcome.kind == "done"
    assert len({text for text in texts if '"success":true' in text}) > CALLS / 20
    after = world.state_hash()
    world.restore(mark)
    assert world.state() == before
    assert list(map(list, (world.state()[name] for name in before if isinstance(before[name], dict)))) == list(
        map(list, (before[name] for name in before if isinstance(before[name], dict)))
    )
    assert world.state_hash() == hashed
    assert [world.call(tool, arguments).text for tool, arguments in script] == texts
    assert [twin.call(tool, arguments).text for tool, arguments in script] == texts
    assert world.state_hash() == twin.state_hash() == after
    later = world.fork()
    more = scripts(code, content, 13)
    assert [later.call(tool, arguments).text for tool, arguments in more] == [
        twin.call(tool, arguments).text for tool, arguments in more
    ]
    assert later.state_hash() == twin.state_hash()
    assert world.state_hash() == after
