"""Two agents that try an environment: one picks calls and never sees the code, the other sees everything and judges."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio.to_thread
from pydantic import BaseModel, Field

from envscaler_mcp.artifacts import Environment, State, Tool
from envscaler_mcp.artifacts.quality import Judgement
from envscaler_mcp.llm import Author, MisfitError, bullets
from envscaler_mcp.quality.judge import Probe, judge_call
from envscaler_mcp.quality.learned import InferredInvariants
from envscaler_mcp.quality.probe_worlds import Bench, Opener, Tried
from envscaler_mcp.quality.report import Judged
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.parsing import parsed_module

_AT_ONCE = 12
"""How many calls are picked, and judged, in one answer."""
_ROUNDS = 5
_LONG = 24_000
"""Of how many characters of a state the tester is told."""
_GRAVE: tuple[Judgement, ...] = ("fail", "warning", "pass")


class PickedCall(BaseModel):
    """A call that the tester wants tried."""

    tool: str
    tries: str = Field(description="What it tries, in a few words.")
    kind: Literal["positive", "negative"] = Field(description="Whether it must be done or refused.")
    arguments: dict[str, Any]


class _Picked(BaseModel):
    calls: list[PickedCall]


class CallVerdict(BaseModel):
    """What the judge says of one call."""

    number: int
    reason: str
    judgement: Judgement


class _Verdicts(BaseModel):
    verdicts: list[CallVerdict] = Field(description="One for each call, in their order.")


@dataclass(slots=True)
class _Coverage:
    """How often each tool was tried, and in which way."""

    tools: tuple[Tool, ...]
    tried: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def whole(self) -> bool:
        """Whether every tool was done once, and every change and every look-up with arguments was refused once."""
        return all(
            self.tried[tool.name, "positive"]
            and (self.tried[tool.name, "negative"] or not tool.input_schema.get("required"))
            for tool in self.tools
        )

    @property
    def text(self) -> str:
        return "; ".join(
            f"{tool.name} {self.tried[tool.name, 'positive']} positive, {self.tried[tool.name, 'negative']} negative"
            for tool in self.tools
        )


async def try_with_agents(
    tester: Author,
    judge_: Author,
    code: EnvironmentCode,
    states: Sequence[State],
    open_world: Opener,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Judged]:
    """Calls picked, made and judged until every tool was tried in every way, or for as many rounds as there are."""
    coverage = _Coverage(code.environment.tools)
    law = InferredInvariants([state.content for state in states])
    judged: list[Judged] = []
    for number in range(_ROUNDS):
        state = states[number % len(states)]
        picked = await tester.ask(
            "pick_calls",
            _Picked,
            _check_names(code.environment),
            draw=number,
            introduction=code.environment.introduction,
            rules=bullets(code.environment.rules),
            tools=described_tools(code.environment),
            state=shortened(state),
            tried=coverage.text,
            number=str(_AT_ONCE),
        )
        calls = picked.calls[: 2 * _AT_ONCE]
        tries = await anyio.to_thread.run_sync(_made, code, state, open_world, calls)
        verdicts = await _verdicts(judge_, code, state, calls, tries, number)
        for call, tried, verdict in zip(calls, tries, verdicts, strict=True):
            probe = Probe(call.tool, call.kind, call.tries, call.arguments, lenient=True)
            tool = next(candidate for candidate in code.environment.tools if candidate.name == call.tool)
            # What the contract of all environments says stands beside the judge's opinion, and the graver one counts.
            opinions = [(verdict.judgement, verdict.reason), judge_call(probe, tool, tried, law)]
            judgement, reason = min(opinions, key=lambda opinion: _GRAVE.index(opinion[0]))
            judged.append(
                Judged(probe, state.name, tried.before, tried.after, tried.diff, tried.outcome.text, judgement, reason)
            )
            done = "positive" if tried.outcome.kind == "done" else "negative"
            coverage.tried[call.tool, done] += 1
        progress(len(calls))
        if coverage.whole:
            break
    return judged


async def _verdicts(
    author: Author, code: EnvironmentCode, state: State, calls: Sequence[PickedCall], tries: Sequence[Tried], draw: int
) -> list[CallVerdict]:
    wanted = set(range(1, len(calls) + 1))

    def check(answer: _Verdicts) -> None:
        missing = wanted - {verdict.number for verdict in answer.verdicts}
        if missing:
            raise MisfitError(f"There is no verdict on call {', '.join(map(str, sorted(missing)))}.")

    called = {call.tool for call in calls}
    shown = [f"The state:\n```json\n{shortened(state)}\n```"]
    for number, (call, tried) in enumerate(zip(calls, tries, strict=True), start=1):
        shown.append(
            f"{number}. {call.tool}({json.dumps(call.arguments, ensure_ascii=False)}), meant to be "
            f"{'done' if call.kind == 'positive' else 'refused'}: {call.tries}\n"
            f"returned: {tried.outcome.text[:1500]}\n"
            f"changed: {tried.diff.model_dump_json(exclude_defaults=True)[:1500]}"
            + (f"\nraised: {tried.failure}" if tried.failure else "")
        )
    answer = await author.ask(
        "judge_calls",
        _Verdicts,
        check,
        draw=draw,
        rules=bullets(code.environment.rules),
        code=methods_source(code.source, code.environment.class_name, called),
        calls="\n\n".join(shown),
    )
    by_number = {verdict.number: verdict for verdict in answer.verdicts}
    return [by_number[number] for number in sorted(wanted)]


def _made(code: EnvironmentCode, state: State, open_world: Opener, calls: Sequence[PickedCall]) -> list[Tried]:
    bench = Bench(code, state, open_world)
    try:
        return [bench.attempt(call.tool, call.arguments) for call in calls]
    finally:
        bench.close()


def _check_names(environment: Environment) -> Callable[[_Picked], None]:
    names = {tool.name for tool in environment.tools}

    def check(picked: _Picked) -> None:
        unknown = sorted({call.tool for call in picked.calls} - names)
        if unknown:
            raise MisfitError(f"There is no tool {', '.join(unknown)}; there are {', '.join(sorted(names))}.")
        if not picked.calls:
            raise MisfitError("Pick at least one call.")

    return check


def described_tools(environment: Environment) -> str:
    """The tools as agents know them."""
    lines = []
    for tool in environment.tools:
        schema = json.dumps(tool.input_schema, ensure_ascii=False)
        lines.append(f"* {tool.name} ({tool.effect}): {tool.description}\n  arguments: {schema}")
    return "\n".join(lines)


def shortened(state: State, most: int = _LONG) -> str:
    """A state as JSON; where it is long, with the first records of each container only."""
    text = json.dumps(state.content, ensure_ascii=False)
    keep = 64
    while len(text) > most and keep > 1:
        keep //= 2
        few = {
            name: dict(list(value.items())[:keep]) if isinstance(value, dict) else value
            for name, value in state.content.items()
        }
        text = json.dumps(few, ensure_ascii=False)
    return text


def methods_source(source: str, class_name: str, methods: set[str]) -> str:
    """A class with those of its methods, and with the private ones that they may use."""
    tree = parsed_module(source)
    lines = source.splitlines()
    left_out: set[int] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for method in node.body:
                if (
                    isinstance(method, ast.FunctionDef)
                    and not method.name.startswith("_")
                    and method.name not in methods
                ):
                    first = min([method.lineno, *(decorator.lineno for decorator in method.decorator_list)])
                    left_out.update(range(first, (method.end_lineno or first) + 1))
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in left_out)
