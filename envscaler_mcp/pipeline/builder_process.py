"""The program of a process that builds one blueprint and says how far it is, a JSON object a line; lets a model write one; or
writes into a home what was built.

The blueprint may come from a stranger: the kernel bounds the time and the memory of the process, and the size of what it writes.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio

from envscaler_mcp.artifacts import Environment, Level, Scenario, State
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.config.choices import SHIPPED
from envscaler_mcp.emit.folder import write_folder
from envscaler_mcp.errors import EmitError, EnvScalerError, SandboxError, Unproven
from envscaler_mcp.html.counts import counted
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.pipeline.building import BuildListener, Built, built_of, make
from envscaler_mcp.pipeline.emission import add_to_registry
from envscaler_mcp.pipeline.writing import WorldWriter, write_world
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sandbox.checking import Checker, checker
from envscaler_mcp.scenarios import Prover
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.tasks import TASKS
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized

if sys.platform != "win32":
    import resource

SECONDS = 240
"""How long a build may take by the clock, and of a processor."""
WRITE_SECONDS = 3_600
"""How long a model may take to write a world."""
WRITE_PROCESSOR = 900
"""Of a processor, for what is tried and proven of it."""
MEMORY = 3 << 30
LARGEST = 32 << 20
"""Bytes of a file that it writes."""
_MOST_BEFORE = 20
_MOST_WORDS = 2_000


def main() -> None:
    """Do what the order on the input says."""
    order: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    writes = order["do"] == "write"
    _bound(writes=writes)
    stage = _Stage(order.get("before", ""))
    try:
        if order["do"] == "publish":
            _publish(Path(order["built"]), Path(order["servers"]), Path(order["registry"]))
        elif writes:
            _write(order, Path(order["built"]), stage)
        else:
            _build(order["text"], Path(order["built"]), stage)
    except EnvScalerError as cause:
        stage.fail(str(cause))
    except (RecursionError, MemoryError):
        stage.fail("It needs more memory than a build may take.")


def _bound(*, writes: bool = False) -> None:
    seconds, processor = (WRITE_SECONDS, WRITE_PROCESSOR) if writes else (SECONDS, SECONDS)
    signal.alarm(seconds)
    if sys.platform != "win32":
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, processor),
            (resource.RLIMIT_FSIZE, LARGEST),
            (resource.RLIMIT_AS, MEMORY),
        ):
            hard = resource.getrlimit(kind)[1]
            value = most if hard == resource.RLIM_INFINITY else min(most, hard)
            # At the soft limit of processor time comes a signal that tells why; at the hard one the process is killed.
            resource.setrlimit(kind, (value, hard if kind == resource.RLIMIT_CPU else value))
    os.nice(5)


class _Stage(BuildListener):
    """Says where the build is, and after growing what became of the tasks that there were before."""

    def __init__(self, before: str) -> None:
        self.name = "check"
        self._before = before
        self._began = time.monotonic()

    def say(self, **details: Any) -> None:
        """One line; words of the blueprint may hold halves of characters."""
        line = {"stage": self.name, "seconds": round(time.monotonic() - self._began, 2), **details}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def begin(self, name: str, **details: Any) -> None:
        """The next stage."""
        self.name = name
        self.say(begun=True, **details)

    def fail(self, why: str) -> None:
        """The last line of a build that does not come to its end."""
        self.say(failed=why[:_MOST_WORDS])

    def compiled(self, made: Synthesized) -> None:
        self.made = made
        tools = [{"name": tool.name, "effect": tool.effect} for tool in made.environment.tools]
        self.say(tools=tools, lines=made.source.count("\n"), title=made.environment.title, id=made.environment.id)
        self.begin("grow")

    def grown(self, states: Sequence[State]) -> None:
        kinds = [entity.container for entity in self.made.model.entities.values()]
        for state in states:
            records = {kind: len(state.content[kind]) for kind in kinds}
            self.say(state=state.name, seed=state.seed, records=records)
        if self._before:
            self.begin("before")
            _prove_again(self._before, self)
        self.begin("prove", stories=len(self.made.blueprint.stories), wanted=SHIPPED)

    def proven(self, scenario: Scenario) -> None:
        proof = scenario.proof
        mutants = sum(tally.made - tally.equivalent for tally in proof.mutants.values()) if proof is not None else 0
        self.say(**_task(scenario), wrong_endings=mutants)

    def short(self, level: Level, reason: str) -> None:
        self.say(level=level, short=reason[:_MOST_WORDS])


def _task(scenario: Scenario) -> dict[str, Any]:
    return {
        "task": scenario.task.partition("\n\n")[2] or scenario.task,
        "id": scenario.id,
        "level": scenario.level,
        "checks": len(scenario.checks),
        "calls": len(scenario.oracle),
    }


def _build(text: str, file: Path, stage: _Stage) -> None:
    stage.say(begun=True)
    _check(text, stage)
    stage.begin("compile")
    built = built_of(make(text, "blueprint.yaml", listener=stage))
    _leave(built, file)
    stage.begin("done", id=built.environment.id, tasks=built.scenarios)


def _leave(built: Built, file: Path) -> None:
    """What was made, for the process that publishes it."""
    document = {"environment": built.environment.model_dump(mode="json"), "files": built.files}
    file.write_text(json.dumps({**document, "shipped": built.shipped}), encoding="utf-8")


def _write(order: Mapping[str, Any], file: Path, stage: _Stage) -> None:
    stage.begin("write")
    writer = WorldWriter.model_validate_json(json.dumps(order["writer"]))
    with tempfile.TemporaryDirectory(prefix="world-") as folder:
        built = anyio.run(write_world, writer, order["budget"], order["sentence"], Path(folder), stage.say)
    _leave(built, file)
    text = built.files["blueprint.yaml"]
    stage.begin("done", id=built.environment.id, tasks=built.scenarios, text=text)


def _check(text: str, stage: _Stage) -> None:
    with tempfile.TemporaryDirectory(prefix="blueprint-") as folder:
        path = Path(folder) / "blueprint.yaml"
        path.write_text(text, encoding="utf-8", errors="replace")
        (report,) = check_blueprints([path])
    problems = [
        {"severity": problem.severity, "place": problem.place, "message": problem.message}
        for problem in report.problems
        if not problem.message.startswith("the file is called blueprint.yaml")
    ]
    stage.say(problems=problems[:100], counts=report.counts)
    if not report.sound:
        errors = sum(problem["severity"] == "error" for problem in problems)
        raise EmitError(f"{counted(errors, 'error')} must be mended before it can be compiled.")


def _prove_again(before: str, stage: _Stage) -> None:
    """Prove tasks of an earlier version in the new one, each at the start state that it was made for."""
    made = stage.made
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    with checker(one_author=True) as judging:
        for scenario, state in _tasks_in(Path(before)):
            if scenario.environment != made.environment.id or not scenario.oracle:
                continue
            stage.say(**_task(scenario), why=_disproof(scenario, state, code, made, judging))


def _disproof(scenario: Scenario, state: State, code: EnvironmentCode, made: Synthesized, judging: Checker) -> str:
    """Why a task is not proven any more; nothing where it is."""
    try:
        with closing(open_world(code, state.content, scenario.seed)) as world:
            start = world.snapshot()
            for number, call in enumerate(scenario.oracle, start=1):
                outcome = world.call(call.tool, dict(call.arguments), None)
                if outcome.kind != "done":
                    return f"call {number} of its solution, {call.tool}, is refused: {_sentence(outcome)}"
            world.restore(start)
            Prover(scenario, made.model, made.speech, code.environment, world, judging).prove("half")
    except (Unproven, SandboxError) as reason:
        return str(reason)[:_MOST_WORDS]
    except (EnvScalerError, KeyError, TypeError, ValueError, AttributeError):
        return "its start state does not fit the environment any more"
    return ""


def _sentence(outcome: Outcome) -> str:
    """Why a call was refused."""
    answer = json.loads(outcome.text)
    return str(answer.get("error", outcome.text))[:_MOST_WORDS]


def _tasks_in(before: Path) -> Iterator[tuple[Scenario, State]]:
    """The tasks of a server folder, or of an earlier build, with their start states."""
    if before.is_file():
        files: Mapping[str, str] = json.loads(before.read_text(encoding="utf-8"))["files"]
        texts = files.get(TASKS, "")
    else:
        files = {}
        texts = read_member_text(before, TASKS) if has_member(before, TASKS) else ""
    for line in [line for line in texts.split("\n") if line][:_MOST_BEFORE]:
        scenario = Scenario.from_text(line, TASKS)
        name = f"states/{scenario.state}.json"
        state = State.from_text(files[name], name) if files else State.read_in(before, name)
        yield scenario, state


def _publish(file: Path, servers: Path, registry: Path) -> None:
    """Write what was built into a home; an environment of its id there is replaced, unless it is the library's."""
    document = json.loads(file.read_text(encoding="utf-8"))
    made = _environment(document)
    if made.environment.id in blueprint_files():
        raise EmitError(f"{made.environment.id} is an environment of the library; give yours another id.")
    write_folder(servers / made.environment.id, made.files)
    add_to_registry([made], servers, registry)
    entry = next(each for each in read_registry(registry).entries if each.id == made.environment.id)
    sys.stdout.write(json.dumps({"stage": "published", "entry": entry.model_dump(mode="json")}) + "\n")


def _environment(document: Mapping[str, Any]) -> Built:
    environment = Environment.model_validate_json(json.dumps(document["environment"]))
    return Built(environment, document["shipped"], document["shipped"], dict(document["files"]), {})
