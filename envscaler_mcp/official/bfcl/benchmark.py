"""BFCL multi-turn: four categories of 200 tasks each, a scripted user, and the official checker as the judge."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from envscaler_mcp.artifacts import Call, Step
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.rules import Ending
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.user import STOP, Look, UserWorld
from envscaler_mcp.official.benchmark import Fixture, OfficialTask
from envscaler_mcp.official.host import HostedCode
from envscaler_mcp.official.source import Requirement, Source
from envscaler_mcp.official.world import OfficialWorld
from envscaler_mcp.serving.parsing import parsed_expression

STEPS = 20
"""Steps of a turn after which one more is the last; as in the official runner."""
RELEASED = "I have updated some more functions you can choose from. What about now?"
"""What the official runner says in the turn that releases withheld tools."""
CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
_MOST_TURNS = 10
_CLASSES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "TwitterAPI": "posting_api",
    "VehicleControlAPI": "vehicle_control",
}
_STUBS = (
    "bfcl_eval.constants.model_config",
    "bfcl_eval.model_handler.parser.java_parser",
    "bfcl_eval.model_handler.parser.js_parser",
    *("dotenv", "filelock", "numpy", "overrides", "pandas", "tenacity", "tqdm"),
)
_DIFFERENCES = (
    "A call whose arguments are no JSON object is answered with an error, and the turn goes on; officially the turn ends.",
    "A call of what is no method of the task's classes is answered as an unknown function; officially it is evaluated.",
    "So is a call whose arguments are no identifiers.",
    "A written call whose arguments are no JSON, such as a call inside a call, is answered with an error; officially it is evaluated.",
    "An answer without words and calls stands as … in later requests; officially it stands as the endpoint gave it.",
    "The judge is the official runner; the model handler, which sends the requests, is this package's.",
)


@dataclass(frozen=True)
class Bfcl:
    """One edition."""

    edition: str
    requirement: Requirement
    published: Mapping[str, float]
    categories: tuple[str, ...] = CATEGORIES
    default_categories: tuple[str, ...] = CATEGORIES
    max_steps: int = (STEPS + 2) * _MOST_TURNS
    temperature: float | None = 0.001
    calls: tuple[Calls, ...] = ("native", "written")
    needs_user_model: bool = False
    user_strategies: tuple[str, ...] = ()
    differences: tuple[str, ...] = _DIFFERENCES

    @property
    def name(self) -> str:
        """`bfcl-v3` or `bfcl-v4`."""
        return f"bfcl-{self.edition}"

    @property
    def title(self) -> str:
        """One line for people."""
        return f"BFCL {self.edition} multi-turn, 4 x 200 tasks"

    def hosted(self, source: Source) -> HostedCode:
        """The executor, the classes, the checker and the runner."""
        return HostedCode(
            adapter="envscaler_mcp.official.bfcl.inside",
            packages=self.requirement.folders,
            roots=source.roots,
            pins=source.digests,
            stubs=_STUBS,
            # Importing the official constants makes folders.
            variables={"BFCL_PROJECT_ROOT": "{temp}"},
        )

    def tasks(self, source: Source) -> Sequence[OfficialTask]:
        """All of them, category by category."""
        documents = {
            name: source.json_lines(f"bfcl_eval/data/multi_turn_func_doc/{file}.json")
            for name, file in _CLASSES.items()
        }
        return [task for category in CATEGORIES for task in self._of_category(source, category, documents)]

    def _of_category(self, source: Source, category: str, documents: Mapping[str, list[Any]]) -> Iterator[OfficialTask]:
        file = f"BFCL_{self.edition}_multi_turn_{category}.json"
        answers = {line["id"]: line for line in source.json_lines(f"bfcl_eval/data/possible_answer/{file}")}
        for entry in source.json_lines(f"bfcl_eval/data/{file}"):
            truth, classes = answers[entry["id"]]["ground_truth"], entry["involved_classes"]
            own = {name: documents[name] for name in classes}
            parameters = {
                document["name"]: list(document["parameters"]["properties"])
                for each in own.values()
                for document in each
            }
            yield OfficialTask(
                id=entry["id"],
                category=category,
                content={**entry, "documents": own},
                answers={"ground_truth": truth},
                servers=tuple(classes),
                turns=tuple("\n".join(each["content"] for each in turn) or RELEASED for turn in entry["question"]),
                texts=tuple(message["content"] for turn in entry["question"] for message in turn),
                documents=tuple(
                    (document["name"], document["description"]) for each in own.values() for document in each
                ),
                reference=tuple(_steps([_call(text, parameters) for text in turn]) for turn in truth),
            )

    def alone(self, task: OfficialTask, server: str) -> Mapping[str, Any]:
        """One class at its start in the task; nothing is withheld, as no turn would release it."""
        content = {name: value for name, value in task.content.items() if name != "missed_function"}
        return {**content, "involved_classes": [server], "documents": {server: task.content["documents"][server]}}

    def rules(self, task: OfficialTask) -> _Rules:  # noqa: ARG002
        """The same for every task."""
        return _Rules()

    def user(
        self,
        task: OfficialTask,
        world: UserWorld,
        player: ModelPlayer | None,  # noqa: ARG002
        seed: int,  # noqa: ARG002
        strategy: str = "",  # noqa: ARG002
    ) -> _User:
        """Says the questions of the task one after the other."""
        return _User(task, world)

    def scripted_user(self, task: OfficialTask, world: OfficialWorld, fixture: Fixture) -> _User:
        """The same, for as many turns as the script has."""
        return _User(task, world, len(fixture.turns))

    def record(self, task: OfficialTask, steps: Sequence[Step]) -> list[list[list[list[Any]]]]:  # noqa: ARG002
        """The calls of every turn, step by step. A turn ends with words, also with none."""
        turns: list[list[list[list[Any]]]] = [[]]
        for _, move in groupby(steps, key=lambda step: step.turn):
            made = list(move)
            if not is_call(made[0]):
                turns.append([])
            elif calls := [[step.tool, step.arguments] for step in made if not step.malformed]:
                turns[-1].append(calls)
        # The words that end a turn begin the next one, and after the last there is none.
        return turns[:-1] if steps and not is_call(steps[-1]) else turns

    def fixture(self, line: Mapping[str, Any]) -> Fixture | None:
        """Of the edition that the line names."""
        if line.get("bench") != "bfcl" or line.get("bfcl_eval") != self.requirement.version.partition(" ")[2]:
            return None
        turns = tuple(
            tuple(tuple(Call(tool=call["name"], arguments=call["arguments"]) for call in step) for step in turn)
            for turn in line["turns"]
        )
        digests = tuple(digest for turn in line["result_sha"] for step in turn for digest in step)
        return Fixture(
            line["id"], line["variant"], turns, ("",) * len(turns), observations=digests, expected=line["expect"]
        )


class _Rules:
    hears_silence = True
    one_call = False

    def ending(self, steps: Sequence[Step]) -> Ending | None:
        """The twenty-first step of a turn is the last of the episode."""
        moves: set[int] = set()
        for step in reversed(steps):
            if not is_call(step):
                break
            moves.add(step.turn)
        return "steps" if len(moves) > STEPS else None


class _User:
    """Says a question in each turn, and releases tools where the task withholds some."""

    def __init__(self, task: OfficialTask, world: UserWorld, turns: int | None = None) -> None:
        self._questions: list[list[dict[str, str]]] = task.content["question"][:turns]
        self._withheld = task.content.get("missed_function", {})
        self._world = world
        self._turn = 0

    async def opening(self) -> str:
        """The first question."""
        return await self._said()

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002
        """The next question, whatever was said."""
        self._turn += 1
        return STOP if self._turn >= len(self._questions) else await self._said()

    async def _said(self) -> str:
        if str(self._turn) in self._withheld:
            await self._world.release(self._turn)
            return RELEASED
        return "\n".join(message["content"] for message in self._questions[self._turn])


def _steps(calls: Sequence[Call]) -> tuple[tuple[Call, ...], ...]:
    """The calls of a turn, one in a step where that is no step too many."""
    each = -(-len(calls) // STEPS) or 1
    return tuple(tuple(calls[begin : begin + each]) for begin in range(0, len(calls), each))


def _call(text: str, parameters: Mapping[str, Sequence[str]]) -> Call:
    """A call of the reference; arguments without a name have the names of the document, in its order."""
    expression = parsed_expression(text)
    assert isinstance(expression, ast.Call)
    assert isinstance(expression.func, ast.Name)
    positional = zip(parameters.get(expression.func.id, ()), expression.args, strict=False)
    named = [(keyword.arg or "", keyword.value) for keyword in expression.keywords]
    arguments = {name: ast.literal_eval(value) for name, value in [*positional, *named]}
    return Call(tool=expression.func.id, arguments=arguments)


def _requirement(edition: str, version: str) -> Requirement:
    return Requirement(
        name=f"bfcl-{edition}",
        version=f"bfcl-eval {version}",
        licence="Apache-2.0",
        folders=("bfcl_eval", "mpmath"),
        install=f"pip install --no-deps --target {{folder}} 'bfcl-eval=={version}' 'mpmath==1.3.0'",
        pins=f"envscaler_mcp.official.bfcl:{edition}.json",
    )


V3 = Bfcl(
    "v3",
    _requirement("v3", "2025.7.9"),
    {"Qwen3-8B, before EnvScaler": 28.88, "Qwen3-8B, after EnvScaler (SFT and RL)": 41.88},
)
V4 = Bfcl("v4", _requirement("v4", "2026.3.23"), {})
