"""What a model wrote: tried by two agents, repaired, and admitted by the gates that hold for all environments."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
import yaml

from envscaler_mcp.artifacts import Scenario, State, Topic
from envscaler_mcp.artifacts.quality import CaseCounts
from envscaler_mcp.config.choices import SEED, SHIPPED
from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.emit.folder import folder_files
from envscaler_mcp.errors import GrowthError, ModelError, SandboxError, ungrouped
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.llm import Author, UnusableError
from envscaler_mcp.pipeline.building import STATES, Built, built_of, grown_states, level_of, make
from envscaler_mcp.pipeline.usable import ONE_AT_A_TIME, logic_is_usable, stories_are_usable
from envscaler_mcp.quality import evaluate
from envscaler_mcp.quality.agents import try_with_agents
from envscaler_mcp.quality.report import BAR, Judged, counts, report_of
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.scenarios import Unproven, WrittenTaskMaker
from envscaler_mcp.scenarios.rewording import reword
from envscaler_mcp.scenarios.task_first.maker import AskedTaskMaker
from envscaler_mcp.scenarios.task_first.task_backend import CompiledCourt, Court, WrittenCourt
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import synthesize
from envscaler_mcp.synthesis.written.blueprints import repair_blueprint, without, write_blueprint, write_stories
from envscaler_mcp.synthesis.written.classes import card_of, repair_method, write_class
from envscaler_mcp.synthesis.written.states import write_states

_FINDINGS = 12
"""How many findings one repair gets."""

Tell = Callable[[str, str], None]
"""Gets the stage that was reached, and a remark on it."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """An environment that a model wrote and that passed every gate."""

    topic: Topic
    built: Built
    judged: CaseCounts
    """Results of the two agents' calls, after the last repair."""
    repairs: int
    reworded: int
    """How many scenarios are told in the model's words; the others would not have been proven in them."""


async def admitted_blueprint(
    author: Author, topic: Topic, example: str, wanted: SynthesisConfig, tell: Tell
) -> Admitted:
    """An environment written as a blueprint."""
    usable = logic_is_usable(topic.id)
    text = await write_blueprint(author, topic, example, usable)
    tell("blueprint", "")
    mended = 0
    while True:
        code, states = await _here(_compiled, text, topic.id)
        judged = await try_with_agents(author, author, code, states, open_world)
        findings = _findings(judged)
        tell("tried", _summary(judged))
        if not findings or mended == wanted.repairs:
            break
        text = await repair_blueprint(
            author, text, [complaint for some in findings.values() for complaint in some][:_FINDINGS], usable
        )
        mended += 1
        tell("mended", str(mended))
    _admit(topic, judged)
    if wanted.plan == "first":
        text = await write_stories(author, text, example, stories_are_usable(topic.id))
        tell("stories", "")
    making = await _here(make, _signed(author, topic, text), f"{topic.id}.yaml", wanted.scenarios)
    if making.short:
        raise GrowthError("; ".join(making.short.values()))
    made = making.made
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    court = CompiledCourt(code, made.model, made.speech)
    scenarios, reworded = await _scenarios(author, court, making.states, making.scenarios, wanted, tell)
    built = await _here(built_of, replace(making, scenarios=scenarios, shipped=SHIPPED))
    return Admitted(topic, built, counts(judged), mended, reworded)


async def admitted_class(author: Author, topic: Topic, wanted: SynthesisConfig, tell: Tell) -> Admitted:
    """An environment written as a class, one operation at a time."""
    made = await write_class(author, topic, lambda what: tell("code", what))
    states = await write_states(author, made, STATES)
    tell("states", str(len(states)))
    mended = 0
    while True:
        code = EnvironmentCode.of(card_of(author, made, tuple(STATES)), made.written.source)
        judged = await try_with_agents(author, author, code, states, open_isolated)
        judged += (await _here(partial(evaluate, code, states, open_isolated))).judged
        findings = _findings(judged)
        tell("tried", _summary(judged))
        if not findings or mended == wanted.repairs:
            break
        for name, complaints in sorted(findings.items()):
            made = await repair_method(author, made, name, complaints[:_FINDINGS])
        mended += 1
        tell("mended", str(mended))
    _admit(topic, judged)
    planned = await _here(_planned, code, states, wanted.scenarios) if wanted.plan == "first" else ()
    court = WrittenCourt(code, open_isolated)
    scenarios, reworded = await _scenarios(author, court, states, planned, wanted, tell)
    report = report_of(code.environment, code.environment.code_digest, [state.seed for state in states], judged)
    files = folder_files(code.environment, code.source, "", states, scenarios, {})
    files["quality_report.json"] = report.to_text()
    built = Built(code.environment, len(scenarios), len(scenarios), dict(sorted(files.items())), {})
    return Admitted(topic, built, counts(judged), mended, reworded)


async def _scenarios(
    author: Author,
    court: Court,
    states: Sequence[State],
    planned: Sequence[Scenario],
    wanted: SynthesisConfig,
    tell: Tell,
) -> tuple[tuple[Scenario, ...], int]:
    """The scenarios that ship, and how many of them are told in the model's words."""
    if wanted.plan == "task":
        maker = AskedTaskMaker(author, court)
        made: list[Scenario] = []
        for number in range(1, wanted.scenarios + 1):
            made.append(await maker.scenario(states[(number - 1) % len(states)], number))
            tell("scenarios", str(number))
        return tuple(made), len(made)
    tell("scenarios", str(len(planned)))
    if not wanted.reword:
        return tuple(planned), 0
    scenarios, reworded = await _reworded(author, court, states, planned)
    tell("words", str(reworded))
    return scenarios, reworded


T = TypeVar("T")


async def _here(work: Callable[..., T], *arguments: object) -> T:
    """Work for this machine's cores, one piece at a time, while models answer."""
    return await anyio.to_thread.run_sync(work, *arguments, limiter=ONE_AT_A_TIME)


def _compiled(text: str, env_id: str) -> tuple[EnvironmentCode, list[State]]:
    made = synthesize(read_blueprint(text, f"{env_id}.yaml"), tuple(STATES))
    return EnvironmentCode.of(made.environment, made.source, "compiled"), grown_states(made)


def _planned(code: EnvironmentCode, states: Sequence[State], many: int) -> tuple[Scenario, ...]:
    maker = WrittenTaskMaker(code, SEED, open_isolated)
    return tuple(
        maker.scenario(states[(number - 1) % len(states)], level_of(number), number) for number in range(1, many + 1)
    )


async def _reworded(
    author: Author, court: Court, states: Sequence[State], scenarios: Sequence[Scenario]
) -> tuple[tuple[Scenario, ...], int]:
    """The scenarios in the model's words where they are proven in them, in their own where not."""
    places = {state.name: state for state in states}
    reworded: dict[str, Scenario] = {}

    async def word(scenario: Scenario) -> None:
        try:
            rewording = await reword(author, court.card, scenario)
            proof = await _here(court.proof, rewording, places[scenario.state])
        except (UnusableError, Unproven, SandboxError):
            # Its own words are plain, and proven.
            return
        reworded[scenario.id] = rewording.model_copy(update={"proof": proof})

    with ungrouped():
        async with anyio.create_task_group() as group:
            for scenario in scenarios:
                group.start_soon(word, scenario)
    return tuple(reworded.get(scenario.id, scenario) for scenario in scenarios), len(reworded)


def _findings(judged: Sequence[Judged]) -> dict[str, list[str]]:
    """What failed, by operation, in the words that the author gets."""
    findings: dict[str, list[str]] = defaultdict(list)
    for judgement in judged:
        if judgement.judgement == "fail":
            findings[judgement.probe.tool].append(
                f"{judgement.probe.tool}({json.dumps(judgement.probe.arguments, ensure_ascii=False)}), meant to be "
                f"{'done' if judgement.probe.kind == 'positive' else 'refused'}: {judgement.reason} It returned {judgement.observation[:300]}"
            )
    return dict(findings)


def _summary(judged: Sequence[Judged]) -> str:
    summary = counts(judged)
    return f"{summary.total} calls, {summary.failed} fail"


def _admit(topic: Topic, judged: Sequence[Judged]) -> None:
    summary = counts(judged)
    share = (summary.passed + summary.warned) / summary.total if summary.total else 0.0
    if share < BAR:
        worst = next((judgement for judgement in judged if judgement.judgement == "fail"), None)
        why = f"; {worst.probe.tool}: {worst.reason}" if worst is not None else ""
        raise ModelError(
            f"{topic.id} is not admitted: {share:.0%} of {summary.total} calls did right, {BAR:.0%} must{why}"
        )


def _signed(author: Author, topic: Topic, text: str) -> str:
    """The blueprint with the name of who wrote it."""
    who = author.provenance("write_blueprint", {"topic": topic})
    signature = who.model_dump(mode="json", include={"author", "model", "prompt_digest", "parents"})
    return yaml.safe_dump({"provenance": signature}, sort_keys=True) + without(text, ("provenance",))
