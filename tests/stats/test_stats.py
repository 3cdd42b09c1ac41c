"""What a farm holds is counted as it is, and what its scenarios teach is measured by playing them."""

from __future__ import annotations

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.pipeline.building import blueprint_of
from envscaler_mcp.pipeline.emission import emit_environments
from envscaler_mcp.registry import read_registry
from envscaler_mcp.scenarios.variety import alike
from envscaler_mcp.stats.signal import near_duplicates
from envscaler_mcp.stats.topic_map import topic_map
from tests.homes import register
from tests.runs.home import write_home

SERVERS = Path(__file__).parents[2] / "generated_servers"
WORDS = st.lists(st.sampled_from([(w, w, w) for w in "abcdefghijkl"]), min_size=1, max_size=10).map(frozenset)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two environments as they ship, ten scenarios of each."""
    found = tmp_path_factory.mktemp("farm")
    shipped = {entry.id: entry for entry in read_registry(SERVERS.parent / "registry.json").entries}
    for name in ("bank_accounts", "hospital_stays"):
        # What a build left beside does not ship.
        ships = shutil.ignore_patterns("more_scenarios.jsonl")
        shutil.copytree(SERVERS / name, found / "generated_servers" / name, ignore=ships)
        register(found, shipped[name])
    return found


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


def test_environments_tools_attributes_and_scenarios_are_counted(home: Path) -> None:
    told = json.loads(envscaler(home, "stats", "--json").output)
    assert told["table"]["environments"] == 2
    assert told["table"]["scenarios"] == 20
    bank = told["environments"]["bank_accounts"]
    card = json.loads((home / "generated_servers" / "bank_accounts" / "environment.json").read_text())
    effects = [tool["effect"] for tool in card["tools"]]
    assert (bank["query_tools"], bank["change_tools"]) == (effects.count("reads"), effects.count("writes"))
    assert sum(bank["scenarios"].values()) == 10
    assert told["paper"]["query tools"] == 10.44


def test_one_environment_is_measured_alone(home: Path) -> None:
    told = json.loads(envscaler(home, "stats", "bank_accounts", "--signal", "--json").output)
    assert list(told["environments"]) == ["bank_accounts"]
    assert told["signal"]["table"]["scenarios"] == 10
    unknown = envscaler(home, "stats", "bank_acounts")
    assert (unknown.exit_code, "did you mean 'bank_accounts'?" in unknown.output) == (1, True)


def test_the_signal_of_what_ships_is_what_it_must_be(home: Path) -> None:
    told = json.loads(envscaler(home, "stats", "--signal", "--json").output)["signal"]
    table = told["table"]
    assert table["do-nothing reward"] == 0.0
    assert table["checks true at the start"] == 0.0
    assert table["random-policy reward"] < 0.05
    assert table["proven"] == 1.0
    assert table["kill rate"] == 1.0
    assert table["near-duplicates"] == 0.0
    assert table["default-worded sentences"] < 0.1
    assert table["clauses"] > 2
    assert 0 < table["idle clauses"] < 1
    assert sum(told["splits"].values()) == table["scenarios"]


def test_scenarios_that_are_done_already_are_found_out(tmp_path: Path) -> None:
    write_home(tmp_path, tasks=3)
    file = tmp_path / "generated_servers" / "lending_library" / "scenarios.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines[:1]:
        for check in line["checks"]:
            check["check_func"] = "def check_func(final_state):\n    return True\n"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    table = json.loads(envscaler(tmp_path, "stats", "--signal", "--json").output)["signal"]["table"]
    assert table["do-nothing reward"] == pytest.approx(1 / 3)
    assert table["checks true at the start"] > 0


@pytest.mark.slow
def test_one_environment_twice_is_an_answer_of_no(home: Path, tmp_path: Path) -> None:
    text = blueprint_of("bank_accounts").read_text(encoding="utf-8")
    twin = tmp_path / "tills.yaml"
    twin.write_text(text.replace("id: bank_accounts", "id: tills", 1), encoding="utf-8")
    emit_environments([blueprint_of("bank_accounts"), twin], tmp_path / "generated_servers", tmp_path / "registry.json")
    assert envscaler(home, "stats", "--similarity").exit_code == 0
    told = envscaler(tmp_path, "stats", "--similarity")
    assert told.exit_code == 1
    assert "1.000  bank_accounts  tills" in told.output


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def test_the_page_shows_every_environment_and_needs_nothing_from_elsewhere(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "farm.html"
    assert envscaler(home, "stats", "--html", file).exit_code == 0
    text = file.read_text(encoding="utf-8")
    page = _Page()
    page.feed(text)
    assert page.tags.count("circle") == 2
    assert page.tags.count("svg") >= 6
    assert "script" not in page.tags
    assert page.links == []
    assert "bank accounts" in text
    assert "hospital stays" in text


@given(st.dictionaries(st.text("xyz", min_size=1, max_size=3), WORDS, max_size=8))
def test_near_duplicates_are_found_as_by_comparing_every_pair(
    texts: dict[str, frozenset[tuple[str, str, str]]],
) -> None:
    names = sorted(texts)
    pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
    slow = {frozenset(pair) for pair in pairs if alike(texts[pair[0]], texts[pair[1]]) >= 0.6}
    assert {frozenset((one, other)) for one, other, _ in near_duplicates(texts)} == slow


def test_what_speaks_of_similar_things_lies_near() -> None:
    texts = {
        "cows": "cows milk barn feed herd",
        "goats": "goats milk barn feed herd",
        "servers": "servers network port address router",
        "switches": "switches network port address router",
    }
    places = topic_map(texts)

    def apart(one: str, other: str) -> float:
        return sum((a - b) ** 2 for a, b in zip(places[one], places[other], strict=True))

    assert max(apart("cows", "goats"), apart("servers", "switches")) < min(
        apart(one, other) for one in ("cows", "goats") for other in ("servers", "switches")
    )
