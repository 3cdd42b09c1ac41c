"""tau-bench: a shop and an airline, users that a model plays, and the official reward."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Call, Step
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.rules import Ending
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.user import STOP, Look, User, UserWorld
from envscaler_mcp.official.benchmark import Fixture, OfficialTask
from envscaler_mcp.official.host import HostedCode
from envscaler_mcp.official.model_user import OfficialModelUser
from envscaler_mcp.official.source import Requirement, Source
from envscaler_mcp.official.world import OfficialWorld
from envscaler_mcp.serving.parsing import parsed_module

COMMIT = "59a200c6d575d595120f1cb70fea53cef0632f6b"
STEPS = 30
"""Moves of the agent, calls and words together; as in the official runner."""
STRATEGIES = ("llm", "react", "verify", "reflection", "envscaler-react")
"""How the user's model is asked. The last is EnvScaler's: as `react`, but what the user thinks is not said to the agent."""
RESPOND = "respond"
TRANSFER = "transfer_to_human_agents"
_PUBLISHED = {
    "Qwen3-8B, before EnvScaler (mean of retail and airline)": 38.19,
    "Qwen3-8B, after EnvScaler (SFT and RL; mean of both)": 44.81,
}
_DIFFERENCES = (
    "A native call whose arguments are no JSON object is answered with an error, and the episode goes on; officially it ends.",
    "A native call of a tool named `respond` is answered as an unknown one; officially it speaks to the user.",
    "With `react` and `act` an answer without words is said to the user; officially it ends the run. Words that are no text end the episode; officially they go to the user's model.",
    "Where the official code cannot read what the user's model said, the episode ends there and is judged; officially it ends without a reward.",
    "The official user asks its model once before it has a task; that question is left out.",
)


@dataclass(frozen=True)
class Tau:
    """One domain."""

    domain: str
    splits: tuple[str, ...]
    published: Mapping[str, float]
    differences: tuple[str, ...] = _DIFFERENCES
    default_categories: tuple[str, ...] = ("test",)
    max_steps: int = STEPS
    temperature: float | None = 0.0
    calls: tuple[Calls, ...] = ("native", "react", "act")
    needs_user_model: bool = True
    user_strategies: tuple[str, ...] = STRATEGIES

    @property
    def name(self) -> str:
        """`tau-retail` or `tau-airline`."""
        return f"tau-{self.domain}"

    @property
    def title(self) -> str:
        """One line for people."""
        return f"tau-bench {self.domain}"

    @property
    def requirement(self) -> Requirement:
        """A checkout; both domains lie in it."""
        return Requirement(
            name="tau-bench",
            version=f"tau-bench {COMMIT[:8]}",
            licence="MIT",
            folders=("tau_bench",),
            install=(
                "git clone https://github.com/sierra-research/tau-bench {folder} && "
                f"git -C {{folder}} checkout {COMMIT}"
            ),
            pins=f"envscaler_mcp.official.tau:{self.domain}.json",
        )

    @property
    def categories(self) -> tuple[str, ...]:
        """The official splits."""
        return self.splits

    def hosted(self, source: Source) -> HostedCode:
        """The tools, the users and the environment."""
        return HostedCode(
            adapter=f"envscaler_mcp.official.tau.{self.domain}",
            packages=self.requirement.folders,
            roots=source.roots,
            pins=source.digests,
            stubs=("litellm",),
        )

    def tasks(self, source: Source) -> Sequence[OfficialTask]:
        """All of them, split by split. They are Python; it is read, and not run."""
        wiki = source.read(f"tau_bench/envs/{self.domain}/wiki.md").decode()
        documents = tuple(_documents(source, f"tau_bench/envs/{self.domain}/tools/"))
        return [task for split in self.splits for task in self._of_split(source, split, wiki, documents)]

    def _of_split(
        self, source: Source, split: str, wiki: str, documents: tuple[tuple[str, str], ...]
    ) -> Iterator[OfficialTask]:
        code = source.read(f"tau_bench/envs/{self.domain}/tasks_{split}.py").decode()
        for index, task in enumerate(_tasks(code)):
            calls = [Call(tool=action["name"], arguments=action["kwargs"]) for action in task["actions"]]
            yield OfficialTask(
                id=_id(self.domain, split, index),
                category=split,
                content={"split": split, "index": index, "instruction": task["instruction"]},
                answers={"actions": task["actions"], "outputs": task["outputs"]},
                servers=(self.domain,),
                system=wiki,
                turns=(task["instruction"],),
                texts=(task["instruction"],),
                documents=documents,
                reference=(tuple((call,) for call in calls if call.tool != RESPOND),),
                closing=(" ".join(["That is done.", *task["outputs"]]),),
            )

    def alone(self, task: OfficialTask, server: str) -> Mapping[str, Any]:  # noqa: ARG002
        """The domain's only server."""
        return task.content

    def rules(self, task: OfficialTask) -> _Rules:  # noqa: ARG002
        """The same for every task."""
        return _Rules()

    def user(
        self, task: OfficialTask, world: UserWorld, player: ModelPlayer | None, seed: int, strategy: str = ""
    ) -> User:
        """The official user; without a model, one who says the whole task and is content with what follows."""
        if player is None:
            return _ScriptedUser(str(task.content["instruction"]), (STOP,))
        # Officially the model is sent no temperature.
        return OfficialModelUser(world, player, seed, strategy or STRATEGIES[0], None)

    def scripted_user(self, task: OfficialTask, world: OfficialWorld, fixture: Fixture) -> User:  # noqa: ARG002
        """Says what the script has; a reference is answered with the end."""
        said = fixture.user if fixture.moves is not None else (STOP,)
        return _ScriptedUser(str(task.content["instruction"]), said)

    def record(self, task: OfficialTask, steps: Sequence[Step]) -> list[dict[str, Any]]:  # noqa: ARG002
        """The moves as the official environment takes them, with the answers to them."""
        return [_move(step) for step in steps if not step.malformed and step.tool != RESPOND]

    def fixture(self, line: Mapping[str, Any]) -> Fixture | None:
        """Of the domain that the line names."""
        if line.get("bench") != "tau" or line.get("domain") != self.domain:
            return None
        turns: list[list[tuple[Call, ...]]] = [[]]
        words: list[str] = []
        for action in line["actions"]:
            if action["name"] == RESPOND:
                words.append(action["kwargs"]["content"])
                turns.append([])
            else:
                turns[-1].append((Call(tool=action["name"], arguments=action["kwargs"]),))
        observed = zip(line["actions"], line["observation_sha"], strict=False)
        return Fixture(
            task=_id(self.domain, line.get("split", "test"), line["task"]),
            variant=line["variant"],
            turns=tuple(map(tuple, turns)),
            words=tuple(words),
            user=tuple(line["user"]),
            observations=tuple(digest for action, digest in observed if action["name"] != RESPOND),
            expected=line["expect"],
            moves=len(line["actions"]),
        )


class _Rules:
    hears_silence = True
    one_call = True

    def ending(self, steps: Sequence[Step]) -> Ending | None:
        """Handing the user over to a person ends the episode."""
        return "completed" if steps and steps[-1].tool == TRANSFER and not steps[-1].malformed else None


class _ScriptedUser:
    def __init__(self, first: str, replies: Sequence[str]) -> None:
        self._first, self._replies = first, iter(replies)

    async def opening(self) -> str:
        return self._first

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - it does not listen
        return next(self._replies, STOP)


def _move(step: Step) -> dict[str, Any]:
    if is_call(step):
        return {"name": step.tool, "kwargs": step.arguments, "reply": step.observation}
    return {"name": RESPOND, "kwargs": {"content": step.text}, "reply": step.observation}


def _id(domain: str, split: str, index: int) -> str:
    return f"tau_{domain}_{split}_{index}"


def _documents(source: Source, folder: str) -> Iterator[tuple[str, str]]:
    """Name and description of every tool; each is a class of its own, whose definition is read, and not run."""
    for path in [path for path in source.digests if path.startswith(folder)]:
        for node in ast.walk(parsed_module(source.read(path).decode())):
            if isinstance(node, ast.FunctionDef) and node.name == "get_info":
                (returned,) = (each.value for each in node.body if isinstance(each, ast.Return))
                assert returned is not None
                function = ast.literal_eval(returned)["function"]
                yield function["name"], function["description"]


def _tasks(code: str) -> list[dict[str, Any]]:
    """The tasks of a module that holds a list of them and nothing else."""
    *_, assigned = parsed_module(code).body
    assert isinstance(assigned, ast.Assign)
    tasks: list[dict[str, Any]] = _plain(assigned.value)
    return tasks


def _plain(node: ast.expr) -> Any:
    """A literal, in which an object that is made with named values is those values."""
    if isinstance(node, ast.Call):
        return {keyword.arg: _plain(keyword.value) for keyword in node.keywords}
    if isinstance(node, ast.List):
        return [_plain(item) for item in node.elts]
    return ast.literal_eval(node)


RETAIL = Tau("retail", ("test", "dev", "train"), _PUBLISHED)
AIRLINE = Tau("airline", ("test",), _PUBLISHED)
