"""A run that turns raw tasks into environments: its folder, its model, what it writes, and how it continues."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.artifacts.artifact import Part, write_text
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.errors import EmitError, EnvScalerError
from envscaler_mcp.home import Home
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.llm import Author, Endpoint, Ledger, ModelParams, Price, model_access
from envscaler_mcp.pipeline.admitting import Admitted
from envscaler_mcp.pipeline.emission import add_to_registry, write_built
from envscaler_mcp.pipeline.synthesizing import Synthesis, SynthesisStep, synthesize_environments
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.registry import read_registry
from envscaler_mcp.synthesis.topics.asked import judge_tasks
from envscaler_mcp.synthesis.topics.described import described
from envscaler_mcp.synthesis.topics.mining import RawTask
from envscaler_mcp.synthesis.topics.stateful import NEEDED, Finding

ANSWERS, REPORT, OWN = "answers.sqlite", "report.json", "environments.txt"
_EXAMPLE = "expense_approvals"
"""The blueprint that a model is shown."""


class SynthesisSettings(Part):
    """Everything that decides what a run does, but for the tasks."""

    wanted: SynthesisConfig
    asking: ModelParams
    endpoint: Endpoint
    price: Price | None = None
    budget: float | None = None
    prompts: Path | None = None
    mode: Literal["live", "record", "replay"] = "live"
    recording: Path | None = None


async def synthesis_run(
    options: SynthesisSettings,
    tasks: Sequence[RawTask],
    folder: Path,
    servers: Path,
    registry_file: Path,
    on: Callable[[SynthesisStep, Ledger], None] = lambda _step, _ledger: None,
    known: Home | None = None,
) -> tuple[Synthesis, Ledger]:
    """Write environments and register them. The same run again pays only for answers that it does not have.

    They are to differ from those that are known; by default, from those that the registry has.
    """
    known = known or _registered(servers, registry_file)
    async with model_access(
        options.endpoint,
        folder / ANSWERS,
        price=options.price,
        budget=options.budget,
        folder=options.recording,
        mode=options.mode,
    ) as access:
        author = Author(access, options.asking, Prompts(options.prompts))
        own = set(read_member_text(folder, OWN).split()) if has_member(folder, OWN) else set[str]()

        def free(env_id: str) -> None:
            if env_id not in own and has_member(servers, env_id):
                raise EmitError(
                    f"{servers / env_id} exists and is not of this run: move it away and repeat the command, or "
                    "write into another folder with --home; answers so far are stored"
                )

        def keep(admitted: Admitted) -> None:
            free(admitted.built.environment.id)
            # Noted before it is written: a folder that is not noted belongs to another run.
            own.add(admitted.built.environment.id)
            write_text(folder / OWN, "".join(f"{name}\n" for name in sorted(own)))
            there = write_built(admitted.built, servers / admitted.built.environment.id)
            add_to_registry([there], servers, registry_file)

        synthesis = Synthesis(len(tasks))

        def tell() -> None:
            document = report(synthesis, access.ledger, options)
            write_text(folder / REPORT, json.dumps(document, ensure_ascii=False, indent=1) + "\n")

        try:
            await synthesize_environments(
                author,
                tasks,
                _there(known, own),
                options.wanted,
                blueprint_files()[_EXAMPLE].read_text(encoding="utf-8"),
                free,
                keep,
                synthesis,
                lambda step: on(step, access.ledger),
            )
        except EnvScalerError:
            tell()
            raise
        tell()
        return synthesis, access.ledger


async def judged_tasks(
    endpoint: Endpoint, asking: ModelParams, tasks: Sequence[RawTask], answers: Path
) -> tuple[list[Finding], Ledger]:
    """The verdict of a model on each raw task; answers are stored, so that none is paid for twice."""
    async with model_access(endpoint, answers) as access:
        verdicts = await judge_tasks(Author(access, asking, Prompts()), tasks)
        return [Finding(NEEDED if verdict.stateful else 0, (verdict.reason,)) for verdict in verdicts], access.ledger


def _registered(servers: Path, registry_file: Path) -> Home | None:
    return Home(read_registry(registry_file), servers, registry_file) if registry_file.is_file() else None


def _there(home: Home | None, own: Collection[str]) -> dict[str, str]:
    """The descriptions of registered environments that this run has not written."""
    if home is None:
        return {}
    cards = [Environment.read_in(home.servers / entry.id, "environment.json") for entry in home.registry.entries]
    return {card.id: described(card) for card in cards if card.id not in own}


def report(synthesis: Synthesis, ledger: Ledger, options: SynthesisSettings) -> dict[str, Any]:
    """The result of the run and its cost, as JSON."""
    return {
        "style": options.wanted.style,
        "plan": options.wanted.plan,
        "model": options.asking.model,
        "stopped": synthesis.stopped,
        "tasks": synthesis.tasks,
        "kept": synthesis.relevant,
        "groups": synthesis.groups,
        "admitted": [
            {
                "id": admitted.built.environment.id,
                "title": admitted.topic.title,
                "tools": len(admitted.built.environment.tools),
                "scenarios": admitted.built.scenarios,
                "reworded": admitted.reworded,
                "repairs": admitted.repairs,
                "judged": admitted.judged.model_dump(mode="json"),
            }
            for admitted in synthesis.admitted
        ],
        "failed": [{"id": failure.topic.id, "reason": failure.reason} for failure in synthesis.failed],
        "left_out": [{"id": topic.topic.id, "reason": topic.reason} for topic in synthesis.left_out],
        "stages": {name: asdict(line) for name, line in sorted(ledger.lines.items())},
        "total": asdict(ledger.total),
    }
