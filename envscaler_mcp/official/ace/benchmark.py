"""ACEBench-Agent: a telephone and a travel agency, in two languages; tasks to be solved alone, and tasks of a user."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any

from envscaler_mcp.artifacts import Call, Step
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.rules import Ending
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.user import Look, User, UserWorld
from envscaler_mcp.official.ace.solutions import solution_of
from envscaler_mcp.official.ace.texts import calls_of, calls_written_in, language_text, message_of
from envscaler_mcp.official.ace.writing import FINISHED
from envscaler_mcp.official.benchmark import Fixture, OfficialTask
from envscaler_mcp.official.host import HostedCode
from envscaler_mcp.official.model_user import OfficialModelUser
from envscaler_mcp.official.source import Requirement, Source
from envscaler_mcp.official.world import OfficialWorld
from envscaler_mcp.official.written_calls import NOTHING
from envscaler_mcp.serving.parsing import parsed_module

COMMIT = "56dd66cf6439b0d9655ee1b353e4cd745c6f664e"
MOVES = 20
"""Of the agent; officially 40 messages, of which each second is an answer."""
_CATEGORIES = tuple(f"{language}_multi_{kind}" for language in ("en", "zh") for kind in ("step", "turn"))
_FIRST_MOVE = 1
"""Officially nothing that is said in it, or in answer to it, ends an episode."""
_STUBS = ("pandas", "openpyxl", "openai", "tqdm", "dotenv", "wcwidth")
_DIFFERENCES = (
    "With native calls the agent calls tools by its endpoint's own means, and is told so; officially it writes calls into its words.",
    "With native calls the process score reads `[name(key='value')]`, its quotes not escaped; officially the agent's own words.",
    "A written call whose arguments are no JSON, such as a call inside a call, is answered with an error; officially it is evaluated.",
    "Several calls of one move are made and answered one after the other; officially an error in a conversation drops those that follow.",
    "Officially the answers to several calls are written down when all of them were made.",
    "Officially, and with written calls, an English agent of the multi-step tasks is told its rules in Chinese; with native calls in English.",
    "`strict`, beside the official score, also compares classes that the official reference misspells.",
)


@dataclass(frozen=True)
class AceBench:
    """Four categories: two languages, each with and without a user."""

    requirement: Requirement
    published: Mapping[str, float]
    name: str = "acebench"
    title: str = "ACEBench-Agent, multi-step and multi-turn, in English and Chinese"
    categories: tuple[str, ...] = _CATEGORIES
    default_categories: tuple[str, ...] = _CATEGORIES[:2]
    max_steps: int = MOVES
    temperature: float | None = 0.001
    calls: tuple[Calls, ...] = ("native", "written")
    needs_user_model: bool = True
    user_strategies: tuple[str, ...] = ()
    differences: tuple[str, ...] = _DIFFERENCES

    def hosted(self, source: Source) -> HostedCode:
        """The executor, the classes, the user and the evaluation."""
        return HostedCode(
            adapter="envscaler_mcp.official.ace.inside",
            packages=("category", "eval_main", "model_eval", "model_inference"),
            roots=source.roots,
            pins=source.digests,
            stubs=_STUBS,
        )

    def tasks(self, source: Source) -> Sequence[OfficialTask]:
        """All of them, category by category."""
        return [task for category in _CATEGORIES for task in self._of_category(source, category)]

    def _of_category(self, source: Source, category: str) -> Iterator[OfficialTask]:
        language, _, kind = category.partition("_")
        file = f"data_agent_{kind}.json"
        answers = {line["id"]: line for line in source.json_lines(f"data_all/data_{language}/possible_answer/{file}")}
        policies = _policies(source, language)
        for entry in source.json_lines(f"data_all/data_{language}/{file}"):
            answer = answers[entry["id"]]
            yield OfficialTask(
                id=f"{language}_{entry['id']}",
                category=category,
                content={**entry, "language": language, "kind": kind},
                answers={"ground_truth": answer["ground_truth"], "mile_stone": answer["mile_stone"]},
                servers=("travel" if "Travel" in entry["involved_classes"] else "phone",),
                system=_system(language, kind, entry["involved_classes"], policies),
                reference=(tuple((call,) for call in solution_of(entry, answer)),),
                closing=(FINISHED,),
                turns=(entry["question"],),
                texts=(entry["question"],),
                documents=tuple((function["name"], function["description"]) for function in entry["function"]),
                no_user=kind == "multi_step",
            )

    def alone(self, task: OfficialTask, server: str) -> Mapping[str, Any]:  # noqa: ARG002
        """The task's only server: the classes of a telephone act together."""
        return task.content

    def rules(self, task: OfficialTask) -> _Rules:  # noqa: ARG002
        """The same for every task."""
        return _Rules()

    def user(
        self,
        task: OfficialTask,
        world: UserWorld,
        player: ModelPlayer | None,
        seed: int,
        strategy: str = "",
    ) -> User:
        """The official user in conversations; elsewhere, and without a model, the official sentence that answers words."""
        if player is None or task.no_user:
            return _Silent(task)
        return OfficialModelUser(world, player, seed, strategy, 0.001)

    def scripted_user(self, task: OfficialTask, world: OfficialWorld, fixture: Fixture) -> User:  # noqa: ARG002
        """Says the whole task, and the official sentence to everything."""
        return _Silent(task)

    def record(self, task: OfficialTask, steps: Sequence[Step]) -> list[dict[str, Any]]:
        """The moves with calls, and how the process score reads each; in multi-step tasks it reads words, too, but for calls that were not made."""
        moves: list[dict[str, Any]] = []
        for move in _moves(steps):
            made = [step for step in move if is_call(step) and not step.malformed]
            calls = [(step.tool, step.arguments) for step in made]
            if made:
                answered = [[step.tool, step.arguments, step.observation] for step in made]
                moves.append({"calls": answered, "text": message_of(move[0].text, calls)})
            elif move[0].observation == NOTHING and calls_written_in(move[0].text) == []:
                moves.append({"calls": [], "text": move[0].text, "ran": True})
            elif task.content["kind"] == "multi_step" and not calls_written_in(move[0].text):
                moves.append({"calls": [], "text": move[0].text})
        return moves

    def fixture(self, line: Mapping[str, Any]) -> Fixture | None:
        """Of the language that the line names. A text that is no call is said."""
        if line.get("bench") != "ace":
            return None
        turns: list[list[tuple[Call, ...]]] = [[]]
        words: list[str] = []
        spoken: list[str] = []
        for text, logged in zip_longest(line["calls"], line["process_log"], fillvalue=""):
            if calls := calls_of(text):
                turns[-1].append(tuple(Call(tool=name, arguments=given) for name, given in calls))
                spoken.append(logged)
            else:
                words.append(text)
                turns.append([])
        return Fixture(
            task=f"{line['lang']}_{line['id']}",
            variant=line["variant"],
            turns=tuple(map(tuple, turns)),
            words=(*words, FINISHED),
            observations=tuple(line["result_sha"]),
            expected={**line["expect"], **({"state": line["state"]} if "state" in line else {})},
            spoken=tuple(spoken),
            moves=max(len(line["calls"]), 1),
            texts=_messages,
        )


class _Rules:
    hears_silence = True
    one_call = False

    def ending(self, steps: Sequence[Step]) -> Ending | None:
        """Either of the two has said that everything is done."""
        if not steps or is_call(steps[-1]) or steps[-1].turn <= _FIRST_MOVE:
            return None
        return "completed" if FINISHED in steps[-1].text or FINISHED in steps[-1].observation else None


class _Silent:
    """Gives the task at once, and answers no question."""

    def __init__(self, task: OfficialTask) -> None:
        self._task = task.content

    async def opening(self) -> str:
        return str(self._task["question"])

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - it does not listen
        return "Please do not ask me any questions, use the known conditions to solve the problem"


def _moves(steps: Sequence[Step]) -> Iterator[list[Step]]:
    for _, group in groupby(steps, key=lambda step: step.turn):
        yield list(group)


def _messages(steps: Sequence[Step]) -> list[str]:
    """The answers to each move with calls as the official runner tells of them, which it does in JSON."""
    moves = [move for move in _moves(steps) if is_call(move[0])]
    return [json.dumps(_answers([step.observation for step in move])) for move in moves]


def _answers(texts: Sequence[str]) -> list[Any]:
    answers: list[Any] = []
    for text in texts:
        if text.startswith("['E', 'r'"):
            return list(ast.literal_eval(text))
        try:
            answers.append(json.loads(text))
        except ValueError:
            answers.append(text)
    return answers


def _policies(source: Source, language: str) -> Mapping[str, str]:
    """The official rules of each of the two trades; they stand in Python, which is read, and not run."""
    policies: dict[str, str] = {}
    for statement in parsed_module(source.read(f"model_inference/prompt_{language}.py").decode()).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in (f"TRAVEL_PROMPT_{language.upper()}", f"BASE_PROMPT_{language.upper()}"):
                policies[name.partition("_")[0]] = ast.literal_eval(statement.value)
    return policies


def _system(language: str, kind: str, classes: Sequence[str], policies: Mapping[str, str]) -> str:
    first = language_text(language, kind)
    if kind == "multi_step":
        return first
    parts = [policies[trade] for name, trade in (("Travel", "TRAVEL"), ("BaseApi", "BASE")) if name in classes]
    return "\n\n".join([first, *parts])


ACEBENCH = AceBench(
    Requirement(
        name="acebench",
        version=f"ACEBench {COMMIT[:8]}",
        licence="MIT",
        folders=("model_inference", "model_eval", "data_all"),
        install=f"git clone https://github.com/chenchen0103/ACEBench {{folder}} && git -C {{folder}} checkout {COMMIT}",
        pins="envscaler_mcp.official.ace:pins.json",
    ),
    {"Qwen3-8B, before EnvScaler": 60.0, "Qwen3-8B, after EnvScaler (SFT and RL)": 72.5},
)
