"""The recipe that teaches a model from nothing: its texts, its pictures, and the whole of it where PyTorch is installed."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from envscaler_mcp import rl
from envscaler_mcp.html.curves import Curve, curves
from envscaler_mcp.recipes.from_scratch.demonstrations import Demonstration, call_of, lesson_of
from envscaler_mcp.recipes.from_scratch.figures import draw
from envscaler_mcp.recipes.from_scratch.tokenizer import Tokenizer
from tests.farm.farms import ROOT


@pytest.fixture(scope="module")
def played() -> list[Demonstration]:
    """What the oracle does with two tasks that ship, in text."""
    found = []
    with rl.local(ROOT) as gym:
        for number in range(2):
            with gym.open(environment="tool_crib", index=number) as episode:
                calls = episode.scenario.oracle
                answers = tuple(str(episode.call(call.tool, call.arguments)) for call in calls)
                written = tuple(call_of(call.tool, call.arguments) for call in calls)
                found.append(Demonstration(episode.scenario.task, written, answers))
    return found


def test_numbers_give_the_text_again_byte_for_byte(played: list[Demonstration]) -> None:
    tokenizer = Tokenizer.of([played[0].text], seen=2)
    texts = [
        *(each.text for each in played),
        "Zoë’s  two\tspaces, ab12cd, 2026-06-02T06:30, \u0004",
        '{"a":["b","c d"],"e":[]}',
    ]
    assert [tokenizer.decode(tokenizer.encode(text)) for text in texts] == texts


def test_a_name_has_the_same_numbers_in_a_sentence_and_in_a_record() -> None:
    tokenizer = Tokenizer.of(["Ana Petrov and the TOOL-00027"] * 9)
    name, sentence = tokenizer.encode("Ana Petrov"), tokenizer.encode("and the Ana Petrov")
    assert len(name) == 2
    assert sentence[-2:] == name
    assert tokenizer.encode('{"name":"Ana Petrov"}')[-4:-2] != name or name == tokenizer.encode('"Ana Petrov"')[1:-1]


def test_a_lesson_marks_what_the_agent_wrote(played: list[Demonstration]) -> None:
    tokenizer = Tokenizer.of(each.text for each in played)
    lesson = lesson_of(played[0], tokenizer)
    lines: list[str] = []
    line: list[int] = []
    for token, by_agent in zip(lesson.tokens, lesson.written, strict=True):
        if by_agent and token == tokenizer.end:
            lines.append(tokenizer.decode(line))
            line = []
        elif by_agent:
            line.append(token)
    assert lines == [*played[0].calls, ""]


def test_curves_are_one_picture_that_says_its_last_values() -> None:
    picture = ET.fromstring(curves("Reward <now>", "step", "reward", [Curve("a & b", [(0, 0.25), (10, 0.5)])]))
    assert picture.get("aria-label") == "Reward <now>; at the end: a & b 0.500"
    assert len(picture.findall("{http://www.w3.org/2000/svg}path")) == 1
    assert curves("nothing", "x", "y", [Curve("", [])]) == ""


def test_without_torch_the_message_names_the_extra(tmp_path: Path) -> None:
    hidden = (
        "import sys; sys.modules['torch'] = None; from envscaler_mcp.recipes.from_scratch.__main__ import app; app()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", hidden, "--tiny", "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "envscaler-mcp[learn]" in ended.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_tiny_plan_goes_from_tasks_to_grpo_and_is_not_done_twice(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    command = [
        sys.executable,
        "-m",
        "envscaler_mcp.recipes.from_scratch",
        "--tiny",
        "--out",
        str(tmp_path),
        "--home",
        str(ROOT),
    ]
    first = subprocess.run(command, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    result = json.loads((tmp_path / "tiny" / "result.json").read_text())
    assert result["training"]["steps"] > 0
    assert result["unseen"]["tasks"] == result["unseen_after_grpo"]["tasks"] == result["plan"]["unseen"]
    assert len(result["grpo"]) == result["plan"]["grpo"]
    assert {path.name for path in draw(tmp_path)} >= {"results.md", "grpo.svg"}
    before = (tmp_path / "tiny" / "model.pt").read_bytes()
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "tiny" / "model.pt").read_bytes() == before


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_plan_for_held_out_worlds_plays_worlds_that_it_never_learned(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    command = [
        sys.executable,
        "-m",
        "envscaler_mcp.recipes.from_scratch",
        "--plan",
        "held-out-worlds",
        "--device",
        "cpu",
    ]
    small = ["--worlds", "tool_crib,hospital_stays", "--unseen-worlds", HELD_OUT, "--tasks", "16", "--unseen", "2"]
    small += ["--parameters", "0.5M", "--minutes", "0.1", "--out", str(tmp_path), "--home", str(ROOT)]
    ended = subprocess.run([*command, *small], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    result = json.loads((tmp_path / "held-out-worlds" / "result.json").read_text())
    assert result["unseen_worlds"]["tasks"] == 2


HELD_OUT = "cold_chain"
"""A world of the split that is held out."""
