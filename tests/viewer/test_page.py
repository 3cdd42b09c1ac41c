"""A run as one page: everything is in it, nothing is asked of anybody, and no text becomes more than text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Step, Trajectory, Verdict
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.scoring.journal import Journal, read_journal
from envscaler_mcp.scoring.run_folder import Tally
from envscaler_mcp.viewer.packing import PACKET, pack, plain_json
from envscaler_mcp.viewer.page import run_page
from envscaler_mcp.viewer.review import Reviewed
from tests.runs.home import write_home
from tests.viewer.playing import EXACT, HOSTILE, envscaler, hostile_home, hostile_run


class Page(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self.policy = ""
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append(tag)
        self.links += [told[name] or "" for name in ("href", "src", "action") if name in told]
        self.handlers += [name for name in told if name.startswith("on") or name == "style"]
        if tag == "script":
            self.scripts.append((told.get("id") or "", ""))
        if tag == "meta" and told.get("http-equiv"):
            self.policy = told["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.tags and self.lasttag == "script" and self.cdata_elem == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        else:
            self.text += data

    @property
    def rows(self) -> list[dict[str, Any]]:
        told = json.loads(dict(self.scripts)["rows"])
        return [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]

    @property
    def episodes(self) -> list[dict[str, Any]]:
        texts = [text for name, text in self.scripts if name.startswith("packet-")]
        packets = [json.loads(zlib.decompress(base64.b64decode(text))) for text in texts]
        return [packets[row["packet"]][row["place"]] for row in self.rows]

    @property
    def tasks(self) -> list[str]:
        return list(json.loads(dict(self.scripts)["rows"])["tasks"])


def played(verdict: Verdict, **told: Any) -> Trajectory:
    names = {"id": "one", "scenario": "", "environment": "", "agent": "", **told}
    return Trajectory(**names, scenario_digest="", code_digest="", seed=0, via="direct", verdict=verdict)


def page_of(home: Path, run: Path, *words: object) -> tuple[Page, str]:
    file = run / "page.html"
    told = envscaler(home, "runs", "html", run, "--out", file, *words)
    assert told.exit_code == 0, told.output
    text = file.read_text(encoding="utf-8")
    return Page(text), text


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=3)


@pytest.fixture(scope="module")
def solved(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("run")
    assert envscaler(home, "run", "--out", run).exit_code == 0
    return run


def test_no_text_of_a_record_becomes_markup_or_script(home: Path, solved: Path, tmp_path: Path) -> None:
    own = hostile_home(tmp_path / "home")
    found, text = page_of(own, hostile_run(own, tmp_path / "run"))
    harmless, _ = page_of(home, solved)
    assert set(found.tags) == set(harmless.tags)
    assert found.tags.count("script") == harmless.tags.count("script") == 3
    assert found.handlers == []
    assert not re.search("[\u2028\u2029\u202e\u200b\x1b\x9b]", text)
    # And yet nothing of it is lost.
    first = found.episodes[0]
    step, other = first["turns"][0]["steps"]
    assert (step["text"], step["reasoning"], json.loads(step["arguments"])["text"]) == (HOSTILE, HOSTILE, HOSTILE)
    # A name of a tool is kept up to 200 letters.
    assert HOSTILE.startswith(other["tool"])
    assert len(other["tool"]) == 200
    assert HOSTILE in first["checks"][0]["check_item"]
    assert HOSTILE in found.tasks[found.rows[0]["task"]]
    assert {row["id"].partition("/")[0] for row in found.rows} == {
        "lending_library-001",
        "lending_library-002 <b>&amp;\u202e'\"",
    }


def test_no_name_of_a_run_becomes_markup(home: Path, solved: Path) -> None:
    # No plan that is read has such an id; the page holds where one would.
    planned = PlannedEpisode.model_construct(
        id=HOSTILE, scenario="", scenario_digest="", environment=HOSTILE, code_digest="", repetition=1, seed=0
    )
    plan = RunPlan(
        agent=HOSTILE, via="direct", user=HOSTILE, scoring="framed", max_steps=1, max_seconds=1, episodes=(planned,)
    )
    owner: Any = HOSTILE
    verdict = Verdict.model_construct(owner=owner, reason=HOSTILE, frame_violations=(HOSTILE,))
    spoilt = played(verdict, environment=HOSTILE, agent=HOSTILE)
    failed = played(Verdict(owner="agent", reason=HOSTILE), environment=HOSTILE, agent=HOSTILE)
    text = run_page(plan, pack([Reviewed(spoilt, unsure=HOSTILE), Reviewed(failed)]), HOSTILE, Tally())
    harmless, _ = page_of(home, solved)
    found = Page(text)
    assert set(found.tags) == set(harmless.tags)
    assert (found.tags.count("script"), found.handlers, found.links) == (3, [], [])
    assert not re.search("[\u2028\u2029\u202e\u200b\x1b\x9b]", text)
    assert found.text.count("</script><script>document.title = 'owned'</script>") >= 6


def test_the_page_needs_nothing_from_elsewhere_and_runs_only_its_own_script(home: Path, solved: Path) -> None:
    found, text = page_of(home, solved)
    assert found.links == []
    assert "://" not in text
    assert found.policy.startswith("default-src 'none';")
    script = dict(found.scripts)[""]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in found.policy
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|fetch\(", script)


def test_each_step_is_in_it_and_the_checks_that_turned_true_there(home: Path, solved: Path) -> None:
    found, _ = page_of(home, solved)
    assert [row["solved"] for row in found.rows] == [True] * 3
    assert {(row["level"], row["split"], row["owner"]) for row in found.rows} == {("medium", "train", "")}
    for episode in found.episodes:
        assert turned(episode) == {
            "join": [[1], []],
            "lend_book": [[2], []],
            "return_book": [[3], []],
            "note": [[4], []],
        }
        assert episode["unsure"] == ""


def turned(episode: dict[str, Any]) -> dict[str, Any]:
    steps = [step for turn in episode["turns"] for step in turn["steps"]]
    return {step["tool"]: step["turned"] for step in steps if "turned" in step}


def test_calls_of_one_turn_have_each_what_came_of_it_and_none_is_taken_for_speech(home: Path, tmp_path: Path) -> None:
    words = ("--agent", "tests.viewer.playing:AtOnce", "--limit", 1, "--out", tmp_path)
    envscaler(home, "run", *words)
    episode = page_of(home, tmp_path)[0].episodes[0]
    assert turned(episode) == {"join": [[1], []], "lend_book": [[2], []]}
    first, last = episode["turns"]
    assert (first["spoken"], last["spoken"]) == (False, True)
    assert [step["tool"] for step in first["steps"]] == ["join", "lend_book", "", "get_book"]
    assert first["steps"][2]["arguments"] == '{"secret": 1}'
    assert first["steps"][3]["arguments"] == json.dumps(EXACT, ensure_ascii=False)
    assert first["steps"][1]["changes"][0].startswith("+ loans LOAN-00001: ")


def test_figures_stand_above_the_list(home: Path, solved: Path) -> None:
    found, text = page_of(home, solved)
    assert "<th scope=row>lending_library</th><td>3</td><td>3</td><td>100 %</td><td>1.000</td>" in text
    assert "<th scope=row>medium</th><td>3</td><td>3</td><td>100 %</td><td>1.000</td>" in text
    assert found.tags.count("svg") == 2
    assert "all 3 episodes" in found.text


def test_a_limit_takes_the_first_and_says_so(home: Path, solved: Path) -> None:
    found, _ = page_of(home, solved, "--limit", 2)
    assert len(found.rows) == len(found.episodes) == 2
    assert "2 of 3 episodes. 1 more is recorded and left out here." in found.text
    assert "not finished" not in found.text


def test_the_page_of_a_damaged_run_says_so(home: Path, solved: Path, tmp_path: Path) -> None:
    lines = (solved / "episodes-00001.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "episodes-00001.jsonl").write_bytes(b"".join([lines[0], lines[1][100:], lines[2]]))
    (tmp_path / "plan.json").write_bytes((solved / "plan.json").read_bytes())
    found, _ = page_of(home, tmp_path)
    assert "2 of 3 episodes. The run is not finished: 1 episode is missing. 1 stretch of its journal" in found.text


def test_a_record_that_cannot_be_read_is_told_and_the_rest_is_shown(home: Path, solved: Path, tmp_path: Path) -> None:
    records, _ = read_journal(solved)
    bad = json.loads(records[0])
    bad["steps"][1]["arguments"] = json.loads("[" * 300 + "]" * 300)
    with Journal.open(tmp_path) as journal:
        journal.append([json.dumps(bad).encode(), *records[1:]])
    (tmp_path / "plan.json").write_bytes((solved / "plan.json").read_bytes())
    found, _ = page_of(home, tmp_path)
    assert [row["id"] for row in found.rows] == [json.loads(record)["id"] for record in records]
    assert ["recursion" in one["unreadable"] for one in found.episodes] == [True, False, False]
    assert [one["verdict"]["solved"] for one in found.episodes] == [True] * 3
    told = envscaler(home, "runs", "show", tmp_path, "--episode", bad["id"])
    assert "Nothing else can be shown: a record of the run is not a Trajectory" in told.output
    assert json.loads(envscaler(home, "runs", "show", tmp_path, "--episode", bad["id"], "--json").output) == bad


def test_many_episodes_take_little_room(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--agent", "noop", "--repeat", 50, "--out", tmp_path)
    small, text = page_of(home, tmp_path, "--limit", 25)
    many, longer = page_of(home, tmp_path)
    assert [row["id"] for row in many.rows] == [one["id"] for one in many.episodes]
    assert (len(small.rows), len(many.rows), len(many.tasks)) == (25, 150, 3)
    assert (len(longer) - len(text)) / 125 < 600


def test_no_packet_and_no_line_is_large_however_much_is_said() -> None:
    much = Step(number=1, turn=1, tool="x" * PACKET, observation="y" * (PACKET // 4))
    verdict = Verdict(owner="agent", reason="z" * PACKET)
    packed = pack(Reviewed(played(verdict, steps=(much,), id=str(number))) for number in range(4))
    more = pack(Reviewed(played(verdict, steps=(Step(number=1, text="t"),), id=str(number))) for number in range(3))
    assert len(packed.packets) == 4
    assert [row[-2:] for row in more.rows] == [(0, 0), (1, 0), (2, 0)]
    assert len(plain_json(packed.rows)) < 4 * 1000
    small = pack(Reviewed(played(Verdict(), id=str(number))) for number in range(3))
    assert [row[-2:] for row in small.rows] == [(0, 0), (0, 1), (0, 2)]


def test_a_task_that_is_no_longer_there_is_told_and_the_rest_is_shown(home: Path, tmp_path: Path) -> None:
    own = write_home(tmp_path / "home", tasks=2)
    run = tmp_path / "run"
    envscaler(own, "run", "--out", run)
    (own / "generated_servers" / "lending_library" / "scenarios.jsonl").unlink()
    found, _ = page_of(own, run)
    assert {row["level"] for row in found.rows} == {""}
    assert all("There is no scenario" in one["unsure"] and turned(one) == {} for one in found.episodes)
    assert all("Somebody is at the desk" in task for task in found.tasks)


def test_a_task_that_was_made_again_is_not_taken_for_the_one_that_was_played(home: Path, tmp_path: Path) -> None:
    own = write_home(tmp_path / "home", tasks=1)
    run = tmp_path / "run"
    envscaler(own, "run", "--out", run)
    file = own / "generated_servers" / "lending_library" / "scenarios.jsonl"
    file.write_text(file.read_text().replace("Somebody is at the desk", "Nobody is at the desk"))
    found, text = page_of(own, run)
    assert "was made again" in found.episodes[0]["unsure"]
    assert found.episodes[0]["verdict"]["solved"]
    assert "Nobody is at the desk" not in text


def test_every_ink_can_be_read_on_every_ground(home: Path, solved: Path) -> None:
    _, text = page_of(home, solved)
    light: dict[str, str] = {}
    dark: dict[str, str] = {}
    for found in re.finditer(r"(prefers-color-scheme: dark\) \{\s*)?:root \{([^}]*)\}", text):
        (dark if found[1] else light).update(re.findall(r"--(\w+): (#[0-9a-f]{6})", found[2]))
    assert light.keys() == dark.keys()
    for colours in (light, dark):
        for ink in ("ink", "dim", "good", "bad", "warn"):
            for ground in ("ground", "said", "heard", "code"):
                assert _contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground, colours[ink], colours[ground])


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at:end], 16) / 255 for at, end in pairwise((1, 3, 5, 7))]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
