"""No text that others wrote steers a terminal, whichever command prints it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Environment, Registry, State
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.cli.program import COMMANDS, app
from envscaler_mcp.html.visible import UNSEEN, escaped, on_one_line, visible

ROOT = Path(__file__).resolve().parents[2]
ENV = "hospital_stays"
ODD = "odd"
RAW = "\x1b]0;OWNED\x07\x1b[2J\x9b31m\u202e\u200b\u2066\x7f\x08\r\U000e0041"
STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\[[0-9;?]*[A-Za-z]")
"""What a style, or a bar that shows how far something has come, may be made of."""


def steers(text: str) -> list[str]:
    """The signs in a text that would steer a terminal."""
    return sorted({sign for sign in text if any(first <= ord(sign) <= last for first, last in UNSEEN)} - {"\n", "\t"})


@given(st.text(alphabet=st.characters(codec=None) | st.sampled_from(RAW)))
def test_what_is_shown_holds_no_sign_that_steers_and_loses_no_other(text: str) -> None:
    for shown in (visible(text), on_one_line(text)):
        assert steers(shown) == []
        assert [sign for sign in shown if sign in text] or not [sign for sign in text if sign.isalnum()]
    assert not {"\n", "\t"} & set(on_one_line(text))


@given(
    st.recursive(
        st.text(alphabet=st.sampled_from(RAW + 'a"\\\n')), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
    )
)
def test_json_with_escapes_says_the_same(document: Any) -> None:
    text = escaped(json.dumps(document, ensure_ascii=False))
    assert steers(text) == []
    assert json.loads(text) == document


def test_what_is_said_is_shown_by_number_and_json_by_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b]0;x\x07", "\x9b31m", err=False)
    print_json({"a": "\x9b31m\u202e"}, indent=None)
    assert capsys.readouterr().out == 'a⟨U+001B⟩]0;x⟨U+0007⟩⟨U+009B⟩31m\n{"a": "\\u009b31m\\u202e"}\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which every text of a card, a registry, a state, a task, a run and a blueprint is hostile."""
    made = tmp_path_factory.mktemp("hostile")
    blueprint = _blueprint()
    (made / "desk.yaml").write_text(blueprint, encoding="utf-8")
    (made / "broken.yaml").write_text(
        blueprint.replace("holds: ", f'holds: "{RAW.encode("unicode_escape").decode()} and " #')
    )
    (made / "told.yaml").write_text(_told())
    shutil.copytree(ROOT / "generated_servers" / ENV, made / "generated_servers" / ENV)
    (made / "generated_servers" / ENV / "more_scenarios.jsonl").unlink(missing_ok=True)
    registry = json.loads((ROOT / "registry.json").read_text(encoding="utf-8"))
    registry["entries"] = [entry for entry in registry["entries"] if entry["id"] == ENV]
    (made / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    folder = made / "generated_servers" / ENV
    _spoil_states(folder)
    _spoil_tasks(folder)
    _spoil_card(folder, made / "registry.json")
    _add_odd_card(made)
    (made / "tasks.jsonl").write_text(json.dumps({"task": f"Lend the book to Ann {RAW}"}) + "\n", encoding="utf-8")
    (made / "environments.json").write_text(json.dumps([{"env_id": f"x{RAW}", "env_class_code": f"class{RAW}"}]))
    (made / "code.py").write_text(f"raise ValueError({RAW!r})")
    return made


def _blueprint() -> str:
    from envscaler_mcp.synthesis.starter import starter_blueprint

    text = starter_blueprint("desk", "other")
    yaml_text = "".join(f"\\U{ord(sign):08X}" for sign in RAW)
    return re.sub(
        r"^(title|about): (.*)$",
        lambda line: f'{line[1]}: "{line[2].strip(chr(34))} {yaml_text}"',
        text,
        flags=re.MULTILINE,
    )


def _told() -> str:
    """A blueprint with stories, in which whoever asks says what steers."""
    text = (ROOT / "generated_servers" / ENV / "blueprint.yaml").read_text(encoding="utf-8")
    return re.sub(
        r'^( +tell:.*\n +- ")',
        lambda line: line[1] + "".join(f"\\U{ord(sign):08X}" for sign in RAW),
        text,
        flags=re.MULTILINE,
    )


def _spoil_states(folder: Path) -> None:
    for file in (folder / "states").iterdir():
        state = json.loads(file.read_text(encoding="utf-8"))
        for records in state["content"].values():
            for record in records.values() if isinstance(records, dict) else ():
                for field, value in record.items() if isinstance(record, dict) else ():
                    if isinstance(value, str) and field in {"name", "title", "note"}:
                        record[field] = value + RAW
        file.write_text(json.dumps(state), encoding="utf-8")


def _spoil_tasks(folder: Path) -> None:
    file = folder / "scenarios.jsonl"
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines()[:2]:
        task = json.loads(line)
        task["task"] += RAW
        task["state_digest"] = State.read(folder / "states" / f"{task['state']}.json").digest
        for check in task["checks"]:
            check["check_item"] += RAW
        lines.append(json.dumps(task))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _spoil_card(folder: Path, registry_file: Path) -> None:
    card = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    for name in ("title", "about", "introduction", "sector", "version"):
        card[name] += RAW
    card["rules"] = [rule + RAW for rule in card["rules"]]
    for tool in card["tools"]:
        tool["description"] = RAW + tool["description"]
    (folder / "environment.json").write_text(json.dumps(card), encoding="utf-8")
    registry = json.loads(registry_file.read_text(encoding="utf-8"))
    for entry in registry["entries"]:
        for name in ("title", "about", "sector", "version"):
            entry[name] += RAW
        entry["digests"]["environment"] = Environment.read(folder / "environment.json").digest
    registry_file.write_text(json.dumps(registry), encoding="utf-8")


def _add_odd_card(home: Path) -> None:
    """An environment that not even its tools' names can be believed of."""
    there = home / "generated_servers" / ENV
    odd = home / "generated_servers" / ODD
    shutil.copytree(there, odd)
    card = json.loads((odd / "environment.json").read_text(encoding="utf-8"))
    card["id"], card["origin"] = ODD, "written"
    for tool in card["tools"]:
        tool["name"] += RAW
        tool["input_schema"]["properties"] = {RAW: {"type": RAW, "enum": [RAW]}}
    (odd / "environment.json").write_text(json.dumps(card), encoding="utf-8")
    registry = Registry.read(home / "registry.json")
    entry = json.loads(registry.entries[0].model_dump_json())
    entry |= {"id": ODD, "tools": [tool["name"] for tool in card["tools"]]}
    entry["command"] = ["{python}", f"generated_servers/{ODD}/server.py{RAW}"]
    document = json.loads(registry.to_text())
    document["entries"].append(entry)
    (home / "registry.json").write_text(json.dumps(document), encoding="utf-8")


def envscaler(home: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["--home", str(home), *words], env={"COLUMNS": "200"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output + done.stderr


LINES: list[Any] = [
    "list",
    "list --json",
    "list --search hospital",
    "list --check",
    "show {env}",
    "show {env} --json",
    "show {odd}",
    "show nothing",
    "call {env}",
    "call {env} list_patients",
    "call {env} list_patients --json",
    "call {env} get_patient patient_id={raw}",
    "call {env} nothing{raw}",
    "call {odd}",
    "call {odd} nothing",
    "call {odd} list_patients --isolation auto",
    "serve {env} --scenario nothing{raw}",
    "serve {odd} --state nothing",
    "farm token control",
    "studio nothing{raw} --no-browser",
    "studio --no-browser --agent nothing{raw}",
    "connect {env} --client vscode",
    "connect {odd} --client vscode --install --file {out}/mcp.json",
    "bundle {env} --out {out}/bundle",
    "bundle {odd} --out {out}/odd",
    "play task --server {env} --agent noop",
    "play --scenario {env}-easy-01 --agent oracle",
    "play --scenario {env}-easy-01 --agent oracle --json",
    "run --env {env} --agent noop --out {out}/run",
    "runs show {out}/run",
    "runs show {out}/run --json",
    "runs show {out}/run --failed",
    "runs show {out}/run --episode {env}-easy-01",
    "runs html {out}/run --out {out}/run.html",
    "blueprint check {home}/desk.yaml",
    "blueprint check {home}/desk.yaml --json",
    "blueprint check {home}/broken.yaml",
    "blueprint grow {home}/desk.yaml",
    "blueprint grow {home}/desk.yaml --json",
    "blueprint grow {home}/broken.yaml",
    "blueprint grow {home}/told.yaml",
    pytest.param("blueprint tell {home}/told.yaml --scenarios 2", marks=pytest.mark.slow),
    "blueprint new {raw}",
    "build {home}/broken.yaml",
    "check {env}",
    pytest.param("check {env} --json", marks=pytest.mark.slow),
    "check {odd}",
    "scenarios {odd}",
    "tasks {odd} --count 1 --out {out}/fresh.jsonl",
    "tasks nothing{raw} --count 1 --out {out}/fresh.jsonl --json",
    "run --tasks {home}/tasks.jsonl --agent oracle --out {out}/fresh",
    "openenv {env}",
    "openenv {odd}",
    pytest.param("prove {env}", marks=pytest.mark.slow),
    pytest.param("prove {env} --json", marks=pytest.mark.slow),
    "bench list",
    "bench run {raw} --out {out}/bench",
    "bench replay {home}/{raw}.jsonl",
    "bench report {home}/{raw}",
    "bench report {out}/run",
    "stats",
    "stats --json",
    "mine {home}/tasks.jsonl --why",
    "mine {home}/tasks.jsonl --json",
    "synthesize --tasks {home}/tasks.jsonl",
    "import envscaler --environments {home}/environments.json",
    "export envscaler --environments {out}/e.json --scenarios {out}/s.json",
    "export {out}/run --format hermes --out {out}/rows.jsonl",
    "doctor",
    "docs",
    "docs {raw}",
    "schemas --check",
]
ELSEWHERE = {"demo": "it shows what it has just made of the library's own blueprints"}


def test_every_command_is_tried_with_hostile_texts() -> None:
    texts = [line if isinstance(line, str) else line.values[0] for line in LINES]
    assert {text.split()[0] for text in texts} | set(ELSEWHERE) == set(COMMANDS)


@pytest.mark.parametrize("line", LINES)
def test_no_command_prints_what_steers_a_terminal(line: str, home: Path) -> None:
    out = home / "out"
    out.mkdir(exist_ok=True)
    if "/run" in line and not (out / "run").is_dir():
        envscaler(home, "run", "--env", ENV, "--agent", "noop", "--out", str(out / "run"))
    words = [word.format(env=ENV, odd=ODD, raw=RAW, home=home, out=out) for word in line.split()]
    code, said = envscaler(home, *words)
    assert said or code == 0
    assert steers(STYLE.sub("", said)) == []


def _on_a_terminal(home: Path, words: list[str]) -> str:
    child, descriptor = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "envscaler_mcp", "--home", str(home), *words])
    said = "".join(_read(descriptor))
    os.close(descriptor)
    os.waitpid(child, 0)
    return said


def _read(descriptor: int) -> Iterator[str]:
    while select.select([descriptor], [], [], 60)[0]:
        try:
            part = os.read(descriptor, 1 << 16)
        except OSError:
            return
        if not part:
            return
        yield part.decode("utf-8", "replace")


@pytest.mark.slow
@pytest.mark.parametrize("line", ["show {env}", "play --scenario {env}-easy-01 --agent oracle"])
def test_a_real_terminal_gets_nothing_that_steers_it_but_styles(line: str, home: Path) -> None:
    said = _on_a_terminal(home, [word.format(env=ENV) for word in line.split()])
    assert said
    assert "\x1b]0;" not in said
    assert "\x1b[2J" not in said
    assert steers(STYLE.sub("", said).replace("\r\n", "\n")) == []
