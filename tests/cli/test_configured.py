"""A command's options are the fields of one model, and a configuration file takes the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import COMMANDS, app, load
from envscaler_mcp.config.play import PlayOptions
from envscaler_mcp.config.run import RunOptions
from envscaler_mcp.config.synthesis import SynthesisOptions
from envscaler_mcp.scoring.run_folder import read_run
from tests.runs.home import write_home

RECORDED = json.loads(Path(__file__).with_name("recorded_options.json").read_text(encoding="utf-8"))
"""The options of every command as they were when commands declared them one by one."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=3)


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


def said(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}")


def test_every_recorded_option_is_there_with_its_names_and_its_kind() -> None:
    program: Any = typer.main.get_command(app)
    for name in COMMANDS:
        program.commands[name] = load(name)
    there = {
        path: [
            {
                "names": [*each.opts, *each.secondary_opts],
                "kind": each.param_type_name,
                "required": each.required,
                "multiple": bool(getattr(each, "multiple", False)),
            }
            for each in command.get_params(command.context_class(command, info_name=path))
        ]
        for path, command in commands(program, "envscaler")
    }
    assert {path: [each for each in options if each not in there[path]] for path, options in RECORDED.items()} == {
        path: [] for path in RECORDED
    }


@pytest.mark.parametrize(
    ("name", "model"), [("run", RunOptions), ("play", PlayOptions), ("synthesize", SynthesisOptions)]
)
def test_the_options_have_the_defaults_of_the_models_fields(name: str, model: Any) -> None:
    parameters = {each.name: each for each in load(name).params}
    assert parameters.keys() == {*model.flags(), "config"}
    for field in model.flags():
        if not parameters[field].required:
            default = model.model_fields[field].default
            assert parameters[field].default == (list(default) if isinstance(default, tuple) else default)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("run.yaml", "agent: noop\nscenario: lending_library-002\nmax_steps: 7\njson: true\n"),
        ("run.toml", 'agent = "noop"\nscenario = ["lending_library-002"]\nmax-steps = 7\njson = true\n'),
    ],
)
def test_a_configuration_file_sets_options_and_a_flag_wins(home: Path, tmp_path: Path, file: str, text: str) -> None:
    path, out = tmp_path / file, tmp_path / "out"
    path.write_text(f"out: {out}\n{text}" if file.endswith("yaml") else f'out = "{out}"\n{text}', encoding="utf-8")
    done = envscaler(home, "run", "--config", path, "--max-steps", 9)
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["agent"] == "noop"
    plan, _, _ = read_run(out)
    assert [each.scenario for each in plan.episodes] == ["lending_library-002"]
    assert plan.max_steps == 9


def test_a_required_option_that_neither_file_nor_command_line_sets_is_named(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("agent: noop\n", encoding="utf-8")
    refused = envscaler(home, "run", "--config", path)
    assert refused.exit_code == 2
    assert "--out" in said(refused)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("paralel: 3\n", "there is no option 'paralel'; did you mean 'parallel'?"),
        ("parallel: 65\n", "parallel: Input should be less than or equal to 64"),
        ("level: simple\n", "level: Input should be 'easy', 'medium' or 'hard'"),
        ("scenario: [[]]\n", "scenario.0: Input should be a valid string"),
        ("config: other.yaml\n", "there is no option 'config'"),
        ("- agent\n", "it must be a table of options and values"),
        ("agent: [\n", "while parsing a flow node"),
    ],
)
def test_a_file_that_cannot_be_followed_is_wrong_use_and_names_the_key(
    home: Path, tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text, encoding="utf-8")
    refused = envscaler(home, "run", "--out", tmp_path / "out", "--config", path)
    assert refused.exit_code == 2
    assert reason in said(refused)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_neither_yaml_nor_toml_or_is_not_there_is_wrong_use(home: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    assert "must end with .yaml, .yml or .toml" in said(envscaler(home, "run", "--config", tmp_path / "run.json"))
    missing = envscaler(home, "run", "--config", tmp_path / "missing.yaml")
    assert missing.exit_code == 2
    assert "missing.yaml" in said(missing)


def test_a_configuration_file_holds_for_play_and_synthesize_too(home: Path, tmp_path: Path) -> None:
    play, synthesize = tmp_path / "play.yaml", tmp_path / "synthesize.toml"
    play.write_text("agent: oracle\nscenario: [lending_library-001]\njson: true\n", encoding="utf-8")
    played = envscaler(home, "play", "--config", play)
    assert json.loads(played.output)["verdict"]["reward"] == 1.0
    synthesize.write_text('record = "a"\nreplay = "b"\ntasks = "tasks.txt"\n', encoding="utf-8")
    refused = envscaler(home, "synthesize", "--config", synthesize)
    assert refused.exit_code == 2
    assert "recorded or replayed, not both" in said(refused)
