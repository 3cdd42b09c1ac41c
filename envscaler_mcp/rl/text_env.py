"""Tasks as turns of text: an action is what a policy wrote, an observation is what it reads next.

`rl.gymnasium`, `rl.gem` and `rl.roll` give this the names and types that their libraries ask for.
"""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from envscaler_mcp.artifacts import Verdict
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.episode.calling import WrittenCalls, action_of
from envscaler_mcp.errors import LaunchError, RunError
from envscaler_mcp.llm import ChatResponse
from envscaler_mcp.llm.reasoning import without_thoughts
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.rl.draws import draw_task
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.errors import MaskedError, UsageError
from envscaler_mcp.rl.gym import AnyTask, Gym, listed_tasks, local
from envscaler_mcp.rl.options import Choices, EpisodeOptions, check_choice, check_kind, names_of, whole_number

Masked = Literal["raise", "zero"]
"""What becomes of an episode that has no reward: MaskedError, or 0 with `masked` in its info."""

_TURN_ENDS = "<|im_end|>", "<|endoftext|>"
"""What a trainer leaves of the template if it decodes special tokens too."""


class TextEnv:
    """Plays one task after the other. The reward comes with the last step; by `step_rewards`, what each step adds to it.

    Tasks are those of `environments` (all by default), `level` and `split`, or `tasks` themselves. `gym` is a gym or what
    opens one, such as `rl.connect`; by default it is one of this process, shared by all that name the same `home`.
    """

    def __init__(
        self,
        *,
        gym: Gym | Callable[[], Gym] | None = None,
        home: str | None = None,
        environments: str | Sequence[str] | None = None,
        tasks: Sequence[AnyTask] | None = None,
        level: Level | None = None,
        split: Split | None = "train",
        step_rewards: bool = False,
        masked: Masked = "raise",
        **options: Unpack[Choices],
    ) -> None:
        self._config: dict[str, Any] = {
            "gym": gym,
            "home": home,
            "environments": environments,
            "tasks": tasks,
            "level": level,
            "split": split,
            "step_rewards": step_rewards,
            "masked": masked,
            **options,
        }
        check_choice("masked", masked, Masked)
        check_kind(level, split)
        seed = EpisodeOptions.of(options).seed
        self._gym = _opened_gym(gym, home)
        self._environments = None if environments is None else self._checked(environments)
        self._tasks = None if tasks is None else _some_tasks(tasks)
        self._of_kind: dict[str, Any] = {"level": level, "split": split}
        self._step_rewards = step_rewards
        self._masked = masked
        self._options = options
        self._random = random.Random(seed if "seed" in options else None)  # noqa: S311 - a choice of tasks, no secret
        self._actions = random.Random(seed if "seed" in options else None)  # noqa: S311
        self._episode: Episode | None = None
        self._rewarded = 0.0
        """What the steps so far have earned."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.close()

    # No property: GEM's wrappers read every attribute before anything has begun.
    def playing(self) -> Episode:
        """The episode under way."""
        if self._episode is None:
            raise RunError("No task was begun: `reset` comes first.")
        return self._episode

    def reset(self, seed: int | None = None, task: AnyTask | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a task in a fresh world: the one named, or one by chance; the same one for the same seed."""
        if seed is not None:
            seed = whole_number("seed", seed, None)
            self._random.seed(seed)
            self._actions.seed(seed)
        return self._begin(self._chosen(self._random.randrange) if task is None else task)

    def step(self, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What came of what the policy wrote: observation, reward, terminated, truncated, info."""
        if not isinstance(action, str):
            raise UsageError(f"An action is the text that a policy wrote, and this is {action!r:.80}.")
        return self._moved(move_of_text(action))

    def sample_random_action(self) -> str:
        """A call of one of the tools, with arguments of the right types."""
        function = self._actions.choice(self.playing().tools)["function"]
        parameters = function["parameters"]
        arguments = {
            name: random_value(parameters["properties"][name], self._actions) for name in parameters.get("required", ())
        }
        return call_text(function["name"], arguments)

    def spawn(self, same_state: bool = False, **changes: Any) -> Self:
        """A second one of the same configuration; with `same_state` it goes on from here, in a world of its own."""
        other = type(self)(**{**self._config, **changes})
        if same_state:
            other._episode, other._rewarded = self.playing().fork(), self._rewarded
            other._random.setstate(self._random.getstate())
            other._actions.setstate(self._actions.getstate())
        return other

    def close(self) -> None:
        """End the world."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    # What adapters say otherwise

    def _first(self, episode: Episode) -> tuple[Any, dict[str, Any]]:
        """The first observation and its info: all that a policy is shown, with the tools written out as Qwen3 has it."""
        info = {"environment": episode.environment, "scenario": episode.scenario.id}
        return written_prompt(episode), {**info, "messages": episode.messages, "tools": episode.tools}

    def _observed(self, action: Action, observation: Observation) -> Any:
        """What the policy reads next."""
        return observed_text(action, observation)

    # How tasks are begun and rewarded

    def _chosen(self, below: Callable[[int], int]) -> AnyTask:
        """A task by chance: every environment is as likely as another, and then every task of it."""
        if self._tasks is not None:
            return self._tasks[below(len(self._tasks))]
        names = self._gym.environments() if self._environments is None else self._environments
        return draw_task(names, lambda name: list(self._gym.tasks(name, **self._of_kind)), below)

    def _checked(self, environments: str | Iterable[str]) -> list[str]:
        names = names_of(environments)
        if not names:
            raise UsageError("environments is empty; leave it out for all of them.")
        self._gym.tasks(names)
        return names

    def _begin(self, task: AnyTask) -> tuple[Any, dict[str, Any]]:
        self.close()
        self._episode = self._gym.open(task, **self._options)
        self._rewarded = 0.0
        return self._first(self._episode)

    def _moved(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        episode = self.playing()
        over = episode.done
        try:
            observation = episode.act(action)
            reward, ending = (0.0, {}) if over else self._reward(episode)
        except (MaskedError, LaunchError) as cause:
            if self._masked == "raise":
                raise
            lost = {"masked": True, "reason": str(cause), "refused": True, "steps": episode.steps}
            return self._observed(Action(), Observation(str(cause), refused=True)), 0.0, False, True, lost
        info = {"refused": observation.refused, "steps": episode.steps, **ending}
        terminated = episode.done and not episode.truncated
        return self._observed(action, observation), reward, terminated, episode.truncated, info

    def _reward(self, episode: Episode) -> tuple[float, dict[str, Any]]:
        """What the last move earned, and what is said of it."""
        if not episode.done:
            total = episode.progress() if self._step_rewards else self._rewarded
            return self._earned(total), {}
        verdict = episode.verify()
        if verdict.masked:
            raise MaskedError(f"The episode has no reward, because of the {verdict.owner}: {verdict.reason}")
        return self._earned(verdict.reward), ending_of(verdict)

    def _earned(self, total: float) -> float:
        earned, self._rewarded = total - self._rewarded, total
        return earned


def ending_of(verdict: Verdict) -> dict[str, Any]:
    """What an info says of an ending."""
    return {
        "masked": verdict.masked,
        "solved": verdict.solved,
        "checks": list(verdict.checks),
        "reason": verdict.reason,
    }


def move_of_text(text: str, *, tokens: int = 0) -> Action:
    """The move that a policy wrote: its calls between tags as Qwen3 and the Hermes models write them, or what it said."""
    answer, thoughts = without_thoughts(_without_turn_ends(text))
    said, calls = WrittenCalls().read(ChatResponse(text=answer))
    action = action_of(said, calls, thoughts)
    return replace(action, use=ModelCost(completion_tokens=tokens)) if tokens else action


def _without_turn_ends(text: str) -> str:
    # A pattern would begin anew at every blank: a turn of nothing else would take minutes.
    end, ended = len(text), False
    while True:
        while end and text[end - 1].isspace():
            end -= 1
        mark = next((mark for mark in _TURN_ENDS if text.endswith(mark, 0, end)), None)
        if mark is None:
            return text[:end] if ended else text
        end, ended = end - len(mark), True


def observed_text(action: Action, observation: Observation) -> str:
    """What the policy reads next: answers to calls between tags, or what was said to it."""
    if action.tool is None:
        return str(observation)
    return WrittenCalls().answered([], observation.answers)[0].content


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as a policy writes it."""
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


def written_prompts(episode: Episode) -> tuple[str, str]:
    """All that a policy is shown before its first move: the system's message with the tools in it, and the user's."""
    system, user = (message["content"] for message in episode.messages[:2])
    tools = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in episode.tools)
    prompt = Prompts().render(WrittenCalls.prompts[0], instructions=system, tools=tools, task=user)
    return prompt.system, prompt.user


def written_prompt(episode: Episode) -> str:
    """The same as one text."""
    return "\n\n".join(written_prompts(episode))


def random_value(schema: Mapping[str, Any], chance: random.Random) -> Any:
    """A value that a schema admits by its type; it names nothing that a world holds."""
    if schema.get("enum"):
        return chance.choice(schema["enum"])
    kinds: Mapping[str, Callable[[], Any]] = {
        "integer": lambda: chance.randint(schema.get("minimum", 0), schema.get("maximum", 100)),
        "number": lambda: round(chance.uniform(schema.get("minimum", 0), schema.get("maximum", 100)), 2),
        "boolean": lambda: chance.random() < 0.5,
        "array": lambda: [random_value(schema.get("items", {}), chance)],
        "object": dict,
    }
    kind = str(schema.get("type"))
    return kinds[kind]() if kind in kinds else f"text-{chance.randrange(1_000)}"


def _opened_gym(gym: Any, home: str | None) -> Gym:
    if gym is not None and not isinstance(gym, Gym) and not callable(gym):
        raise UsageError(f"gym is {gym!r:.80}; it is a gym, or a function that opens one, such as rl.connect.")
    if isinstance(gym, Gym) and home is not None:
        raise UsageError("home names the home of a gym that is opened here; the gym that you give has its own.")
    return gym if isinstance(gym, Gym) else _shared(gym or local, home)


def _some_tasks(tasks: AnyTask | Iterable[AnyTask]) -> list[AnyTask]:
    listed = listed_tasks(tasks)
    if not listed:
        raise UsageError("tasks is empty; leave it out for those that environments, level and split say.")
    return listed


_gyms: dict[tuple[int, Callable[..., Gym], str | None], Gym] = {}
_lock = threading.Lock()


def _shared(open_gym: Callable[..., Gym], home: str | None) -> Gym:
    """The gym of this process that was opened so before; a forked process opens its own."""
    key = os.getpid(), open_gym, home
    with _lock:
        if key not in _gyms or _gyms[key].closed:
            _gyms[key] = open_gym() if home is None else open_gym(home)
        return _gyms[key]
