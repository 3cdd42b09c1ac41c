"""What a person sees of an export: how much is written, what was left out and why, and what was used wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.export.formats import FORMATS
from tests.runs.home import write_home


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = write_home(tmp_path_factory.mktemp("home"), tasks=3)
    assert envscaler(found, "run", "--repeat", "2", "--out", found / "run").exit_code == 0
    assert envscaler(found, "run", "--agent", "noop", "--out", found / "idle").exit_code == 0
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("export", "DIR", "--format", "trl", "--out", "OUT"),
        ("export", "--format", "trl", "DIR", "--out", "OUT"),
        ("export", "run", "--out", "OUT", "--format", "trl", "DIR"),
    ],
)
def test_a_run_is_exported_and_what_was_left_out_is_counted(home: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    out = tmp_path / "rows.jsonl"
    places = {"DIR": str(home / "run"), "OUT": str(out)}
    told = envscaler(home, *(places.get(word, word) for word in words), "--only", "solved")
    assert told.exit_code == 0, told.output
    assert told.output.splitlines() == [
        "3 left out (duplicate): an episode before it teaches the same.",
        f"3 of 6 episodes are 3 entries in {out}.",
    ]
    assert len(out.read_text().splitlines()) == 3


def test_episodes_of_another_split_are_named_with_the_option_that_exports_them(home: Path, tmp_path: Path) -> None:
    words = ("export", home / "run", "--format", "trl", "--out", tmp_path / "rows.jsonl", "--split", "held_out")
    told = envscaler(home, *words)
    assert told.exit_code == 1
    assert (
        "6 left out (split): its task belongs to another split (train 6); --split train exports them.\n" in told.output
    )
    assert envscaler(home, *words, "--split", "train").exit_code == 0


def test_programs_get_the_counts(home: Path, tmp_path: Path) -> None:
    words = ("export", home / "run", "--format", "alpaca", "--out", tmp_path / "rows.jsonl", "--json")
    counts = json.loads(envscaler(home, *words).output)
    removed = counts.pop("removed")
    assert counts == {"attempts": 6, "episodes": 3, "written": 24, "missing": 0, "damaged": 0, "absent": []}
    assert {name: many for name, many in removed.items() if many} == {"duplicate": 3}
    assert "masked" in removed


def test_where_nothing_is_left_the_answer_is_no(home: Path, tmp_path: Path) -> None:
    words = ("export", home / "idle", "--format", "trl", "--out", tmp_path / "rows.jsonl")
    told = envscaler(home, *words)
    assert told.exit_code == 1
    assert "3 left out (turns)" in told.output
    assert "nothing is left to write" in told.stderr
    kept = envscaler(home, *words, "--keep", "turns", "--keep", "duplicate", "--min-turns", "1")
    assert kept.exit_code == 0, kept.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--format", "verl", "--out", "rows.jsonl"), "ends with .parquet"),
        (("--format", "trl", "--out", "rows"), "ends with .jsonl or .parquet"),
        (("--format", "chatml", "--out", "rows.jsonl"), "'chatml' is not one of"),
        (("--format", "trl", "--out", "rows.jsonl", "--only", "good"), "'good'"),
        (("--format", "trl", "--out", "rows.jsonl", "--split", "test"), "'test' is none of train"),
        (("--format", "trl", "--out", "rows.jsonl", "--keep", "malformed"), "'malformed' is none of masked"),
        (("--format", "trl"), "--out"),
        (("--format", "trl", "--out", "rows.jsonl", "--min-turns", "9", "--max-turns", "2"), "no episode has 9 turns"),
        (("--format", "verl", "--out", "rows.parquet", "--max-turns", "2"), "turns leave out nothing"),
        (("--format", "atif", "--out", "rows", "--keep", "masked"), "masked leave out nothing"),
    ],
)
def test_wrong_use_ends_with_2(home: Path, words: tuple[str, ...], told: str) -> None:
    result = envscaler(home, "export", home / "run", *words)
    assert result.exit_code == 2
    assert told in result.output.replace("\n", " ")


def test_a_folder_without_a_run_says_how_one_is_begun(home: Path, tmp_path: Path) -> None:
    told = envscaler(home, "export", tmp_path, "--format", "trl", "--out", tmp_path / "rows.jsonl")
    assert told.exit_code == 1
    assert "There is no run in" in told.stderr
    assert envscaler(home, "export", "elsewhere", "--format", "trl", "--out", "rows.jsonl").exit_code == 2


def test_help_has_an_example_of_every_format_that_works(home: Path, tmp_path: Path) -> None:
    text = envscaler(home, "export", "run", "--help").output
    for name in FORMATS:
        (line,) = [one for one in text.splitlines() if f"--format {name} --out" in one]
        _, *words = line.split()
        words[1], words[-1] = str(home / "run"), str(tmp_path / words[-1])
        assert not Path(words[-1]).exists(), "one example would be written over by the next"
        assert not any(tmp_path.rglob(f"{Path(words[-1]).parent.name}/*")), "and no two share a list of data sets"
        assert envscaler(home, *words).exit_code == 0, line
