"""The manual as examples: every fenced block of docs/blueprints.md and docs/stories.md, and what each must come to.

A blueprint stands alone or is added to the first one of the manual; the blocks after it speak of it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Blueprint
from envscaler_mcp.errors import BlueprintError, GrowthError
from envscaler_mcp.language import Model, Problem, check_blueprint, read_blueprint
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.language.stories import Story
from envscaler_mcp.sampling import Chance
from envscaler_mcp.scenarios import grow
from envscaler_mcp.scenarios.casting import Casting
from envscaler_mcp.scenarios.knowledge import Unknown
from envscaler_mcp.scenarios.threads import Threading, Unfit
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.world import LocalWorld, open_world
from envscaler_mcp.synthesis import Synthesized, synthesize
from envscaler_mcp.synthesis.compile.rules import Question, questions

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "blueprints.md", DOCS / "stories.md")
BLUEPRINTS = ("yaml blueprint", "yaml added", "yaml wrong")
FOLLOWING = (
    "text calls",
    "text values",
    "text holds",
    "text checks",
    "text tools",
    "text problems",
    "text told",
    "text left out",
    "python compiled",
)
SEED = 7


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    kind: str
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        yield Block(match[1].strip(), match[2], page.count("\n", 0, match.start()) + 1)


def without_blocks(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


@dataclass
class Example:
    """A blueprint of the manual, and what the manual says about it."""

    block: Block
    base: Blueprint | None
    following: list[Block] = field(default_factory=list)

    @property
    def works(self) -> bool:
        return self.block.kind != "yaml wrong"

    def of_kind(self, kind: str) -> list[Block]:
        return [block for block in self.following if block.kind == kind]

    @cached_property
    def blueprint(self) -> Blueprint:
        if self.base is None:
            return read_blueprint(self.block.text, "blueprint.yaml")
        return merged(self.base, self.block.text)

    @cached_property
    def made(self) -> Synthesized:
        return synthesize(self.blueprint, ("start",))

    @cached_property
    def model(self) -> Model:
        return self.made.model

    @cached_property
    def start(self) -> dict[str, Any]:
        return grow(self.model, load_class(self.made.nursery_source, self.made.nursery_class), SEED).content

    def world(self) -> LocalWorld:
        return open_world(EnvironmentCode.of(self.made.environment, self.made.source, "compiled"), self.start, SEED)

    def problems(self) -> list[str]:
        """What an author is told: reading, checking and growing, each only where the one before found nothing."""
        try:
            found = check_blueprint(self.blueprint).problems
            if not found:
                self.world().close()
        except GrowthError as error:
            return [f"error: start: {error}"]
        except BlueprintError as error:
            return [f"error: {error}"]
        return told(found)


def told(problems: list[Problem]) -> list[str]:
    return [f"{problem.severity}: {problem}" for problem in problems]


def merged(base: Blueprint, text: str) -> Blueprint:
    """The base with an addition: what is named anew takes the place of what had the name, rules are added."""
    head = {"id": base.id, "title": base.title, "about": base.about, "sector": base.sector}
    lacking = "".join(
        f"{key}: {value}\n" for key, value in head.items() if not re.search(rf"^{key}:", text, re.MULTILINE)
    )
    addition = read_blueprint(text + lacking, "blueprint.yaml").model_dump(exclude_unset=True)
    whole = base.model_dump()
    for key, value in addition.items():
        if key == "rules":
            whole[key] = [*whole[key], *value]
        elif key == "entities":
            for entity, attributes in value.items():
                whole[key][entity] = {**whole[key].get(entity, {}), **attributes}
        elif key == "start":
            for part, said in value.items():
                whole[key][part] = {**whole[key][part], **said} if isinstance(said, dict) else said
        elif isinstance(value, dict):
            whole[key] = {**whole[key], **value}
        else:
            whole[key] = value
    return Blueprint.model_validate(whole)


def examples(page: str) -> list[Example]:
    """The examples in order; the first blueprint is what the others are added to."""
    found: list[Example] = []
    for block in blocks(page):
        if block.kind in BLUEPRINTS:
            base = found[0].blueprint if found and block.kind != "yaml blueprint" else None
            found.append(Example(block, base))
        elif block.kind == "python compiled":
            # `make check` compares it.
            found[0].following.append(block)
        else:
            # What is said after a mistake, other than the mistake itself, speaks of what worked before it.
            wrong = block.kind == "text problems"
            next(example for example in reversed(found) if wrong or example.works).following.append(block)
    return found


# What a block says, as text in one form


def calls(block: Block) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Tool, arguments and answer; the answer is JSON with any white space between its parts."""
    for piece in re.split(r"\n\s*\n", block.text.strip()):
        asked, _, answer = piece.partition("\n{")
        call = ast.parse(asked.strip(), mode="eval").body
        assert isinstance(call, ast.Call), asked
        assert isinstance(call.func, ast.Name), asked
        yield call.func.id, {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}, "{" + answer


def shortest(answer: str) -> str:
    """The answer as it is sent."""
    return encode(json.loads(answer))


def played(example: Example, block: Block) -> Iterator[tuple[str, str, str]]:
    """Each call, what it answers in compiled code, and what the interpreter says; all in one world from the start."""
    world, interpreter = example.world(), Interpreter(example.model, example.start)
    try:
        for tool, arguments, _ in calls(block):
            outcome = world.call(tool, arguments)
            same = outcome.text
            if outcome.kind in ("done", "refused"):
                same = encode(interpreter.call(tool, arguments))
            yield f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})", outcome.text, same
    finally:
        world.close()


def asked(block: Block) -> list[tuple[str, str]]:
    """Expression and value of each line of a block of values."""
    lines = [re.split(r" {2,}→ ", line.strip(), maxsplit=1) for line in block.text.strip().splitlines()]
    return [(line[0].strip(), line[1].strip() if len(line) > 1 else "") for line in lines]


def asking(example: Example, expressions: list[str]) -> Example:
    """The example with a question that answers with these expressions."""
    answer = {f"value_{number}": text for number, text in enumerate(expressions, start=1)}
    spec = example.blueprint.model_dump()
    spec["queries"]["these_values"] = {"about": "Answers with these values.", "answer": answer}
    whole = Blueprint.model_validate(spec)
    extended = Example(example.block, None)
    extended.__dict__["blueprint"] = whole
    extended.__dict__["start"] = example.start
    return extended


def values(example: Example, expressions: list[str]) -> tuple[list[Any], list[Any]]:
    """The values at the start, from compiled code and from the interpreter."""
    extended = asking(example, expressions)
    world = extended.world()
    try:
        found = world.call("these_values", {}).payload["data"]
    finally:
        world.close()
    same = Interpreter(extended.model, extended.start).call("these_values", {})["data"]
    return list(found.values()), list(same.values())


def tellings(block: Block) -> list[list[str]]:
    """Story by story the telling on one line, then its calls."""
    found: list[list[str]] = []
    for piece in re.split(r"\n\s*\n", block.text.strip()):
        said, *calls = re.split(r"\n  (?=\w+\()", piece)
        found.append([" ".join(said.split()), *calls])
    return found


def told_stories(example: Example) -> Iterator[tuple[str, str, list[str]]]:
    """Each story of the addition as it is told at the start, with its calls; or why it cannot be."""
    known = example.base.stories if example.base is not None else {}
    world, chance = example.world(), Chance(SEED, "manual")
    try:
        start = world.snapshot()
        for name in example.blueprint.stories:
            if name not in known:
                yield name, *_told(example, example.made.speech.stories[name], world, chance)
                world.restore(start)
    finally:
        world.close()


def _told(example: Example, story: Story, world: LocalWorld, chance: Chance) -> tuple[str, list[str]]:
    casting = Casting(example.model)
    names = casting.cast(story, SteadyEvaluator(Store(example.model, world.state())), chance, set())
    if names is None:
        return casting.why(story), []
    threading = Threading(example.model, example.made.speech, chance)
    try:
        thread = threading.thread(story, names, world, 0)
    except (Unfit, Unknown) as reason:
        return str(reason), []
    made = [f"{call.tool}({', '.join(f'{k}={encode(v)}' for k, v in call.arguments.items())})" for call in thread.calls]
    return "".join(span.text for span in thread.spans), made


def rule_costs(example: Example) -> list[str]:
    """What is looked at again after a change, rule by rule of the addition."""
    known = len(example.base.rules) if example.base is not None else 0
    lines: list[str] = []
    for rule in example.model.rules[known:]:
        whole: list[str] = []
        for question in questions(rule, example.model):
            if not isinstance(question, Question):
                whole.append("everything the rule reads")
            else:
                far = [f"{entity}.{name}" for (entity, name), routes in question.routes.items() if routes is None]
                if far:
                    whole.append(f"every {question.entity} after a change of {', '.join(sorted(far))}")
        lines.append(f"{rule.text} {'; '.join(dict.fromkeys(whole)) or 'only what was touched'}")
    return lines


def tool_lines(example: Example) -> list[str]:
    """Every tool with its arguments; those in brackets may be left out."""
    lines: list[str] = []
    for tool in example.made.environment.tools:
        needed = tool.input_schema.get("required", [])
        arguments = [name if name in needed else f"[{name}]" for name in tool.input_schema["properties"]]
        lines.append(f"{tool.effect:<6} {tool.name}({', '.join(arguments)})")
    return lines
