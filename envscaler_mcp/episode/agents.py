"""The agents that come along: one that knows the solution, one that does nothing, one that guesses, one that recites."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from envscaler_mcp.artifacts import Call, Scenario, digest_of
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.config.choices import AGENTS, PERSON
from envscaler_mcp.episode.agent import COMPLETED, Action, Agent, Briefing, MakeAgent, Observation, RunAbortedError
from envscaler_mcp.episode.calling import Calling
from envscaler_mcp.episode.guessing import RandomAgent
from envscaler_mcp.episode.human import PersonAgent
from envscaler_mcp.episode.model_agent import PROMPTS, ModelAgent
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.providers import provider_of
from envscaler_mcp.errors import EnvScalerError


class UnknownAgentError(EnvScalerError):
    """No agent can be made of what was named."""


class Scripted:
    """Makes its calls in their order, whatever it sees, and says that it is done."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = iter(tuple(calls))

    def act(self, observation: str) -> Action:  # noqa: ARG002 - it does not listen
        """The next call of the script."""
        call = next(self._calls, None)
        return Action(text=COMPLETED) if call is None else Action(tool=call.tool, arguments=dict(call.arguments))


ASKING = "What exactly is to be done?"
DONE = "That is done."


class TalkingOracle:
    """Knows the solution and converses all the same: asks for each goal, does what solves it, and says so."""

    def __init__(self, scenario: Scenario) -> None:
        threads = scenario.threads or (tuple(range(len(scenario.oracle))),)
        self._moves = iter(
            [
                move
                for thread in threads
                for move in (
                    Action(text=ASKING),
                    *(
                        Action(tool=step.tool, arguments=dict(step.arguments))
                        for step in (scenario.oracle[n] for n in thread)
                    ),
                    Action(text=DONE),
                )
            ]
        )

    def act(self, observation: str) -> Action:  # noqa: ARG002 - it knows
        """The next move; a user who wants more is told again that all is done."""
        return next(self._moves, Action(text=DONE))


class Resending:
    """Sends a call again that was disturbed, with the names that the answer asks for; all else is another agent's."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._last: Call | None = None

    def act(self, observation: str) -> Action | Awaitable[Action]:
        """The last call once more, or the next move of the other."""
        if self._last is not None and isinstance(observation, Observation) and observation.disturbed:
            # Few runs are disturbed.
            from envscaler_mcp.disturbances import sent_again

            self._last = sent_again(self._last, observation)
            return Action(tool=self._last.tool, arguments=dict(self._last.arguments))
        action = self._agent.act(observation)
        if isinstance(action, Action):
            self._last = None if action.tool is None else Call(tool=action.tool, arguments=action.arguments)
        return action


def _oracle_once(briefing: Briefing, scenario: Scenario) -> Agent:
    return TalkingOracle(scenario) if briefing.mode == "conversation" else Scripted(scenario.oracle)


def _oracle(briefing: Briefing, scenario: Scenario) -> Agent:
    return Resending(_oracle_once(briefing, scenario))


def model_of_agent(name: str) -> str:
    """The model that plays agents of that name, if one does."""
    return provider_of(name)[1]


def is_given_solution(name: str) -> bool:
    """Whether episodes kept under this name are played by an agent that sees the task's document, and the solution in it."""
    without = name in ("noop", "random", PERSON) or name.startswith("scripted-")
    return not without and provider_of(name)[0] is None


def prompts_of_agent(name: str, mode: Mode) -> tuple[str, ...]:
    """The prompts that the model of an agent of that name is asked with; none where no model plays."""
    provider, _ = provider_of(name)
    return () if provider is None else (PROMPTS[mode], *provider.calling.prompts)


def agent_named(name: str, player: ModelPlayer | None = None) -> tuple[str, MakeAgent]:
    """How agents of that name are made, and the name under which their episodes are kept; models need a player."""
    if name == "oracle":
        return name, _oracle
    if name == "oracle-once":
        return name, _oracle_once
    if name == "noop":
        return name, lambda _briefing, _scenario: Scripted(())
    if name == "random":
        return name, lambda briefing, _scenario: RandomAgent(briefing)
    if name == PERSON:
        return name, lambda briefing, _scenario: PersonAgent(briefing)
    kind, colon, rest = name.partition(":")
    if kind == "scripted" and rest:
        return _scripted(Path(rest))
    provider, _ = provider_of(name)
    if provider is not None:
        return name, _of_model(name, provider.calling, player)
    if colon and rest:
        return name, _own(kind, rest)
    raise UnknownAgentError(f"There is no agent {name!r}; there are {', '.join(AGENTS)}.")


def _of_model(name: str, calling: Calling, player: ModelPlayer | None) -> MakeAgent:
    def make(briefing: Briefing, _scenario: Scenario) -> Agent:
        if player is None:
            raise RunAbortedError(f"The agent {name!r} needs an endpoint; `envscaler_mcp.runs.open_models` opens one.")
        return ModelAgent(briefing, player, calling)

    return make


_Script = TypeAdapter(tuple[Call, ...] | dict[str, tuple[Call, ...]])


def _scripted(path: Path) -> tuple[str, MakeAgent]:
    """A list of calls for every scenario, or an object with a list for each scenario's id."""
    try:
        text = path.read_text(encoding="utf-8")
        script = _Script.validate_json(text)
    except (OSError, UnicodeDecodeError) as cause:
        raise UnknownAgentError(f"The script {str(path)!r} cannot be read: {cause}") from cause
    except ValidationError as cause:
        raise UnknownAgentError(
            f'{str(path)!r} is no script; write [{{"tool": …, "arguments": {{…}}}}, …], or an object that holds such '
            "a list for each scenario's id."
        ) from cause

    def make(_briefing: Briefing, scenario: Scenario) -> Agent:
        return Scripted(_part_of(script, scenario.id))

    # Another script is another agent, whatever its file is called.
    return f"scripted-{digest_of(json.loads(text)).removeprefix('sha256:')[:12]}", make


def _part_of(script: tuple[Call, ...] | Mapping[str, tuple[Call, ...]], scenario: str) -> tuple[Call, ...]:
    return script.get(scenario, ()) if isinstance(script, Mapping) else script


def _own(module: str, name: str) -> MakeAgent:
    """A class of the user's own: of an installed module, else of one in the current folder."""
    # Last, so that the folder takes the place of nothing that is imported later.
    if "" not in sys.path:
        sys.path.append("")
    try:
        made: Any = getattr(import_module(module), name)
    except (ImportError, AttributeError) as cause:
        raise UnknownAgentError(f"The agent {module}:{name} cannot be found: {cause}") from cause
    if not callable(made):
        raise UnknownAgentError(f"{module}:{name} cannot make an agent; name a class that takes a Briefing.")

    def make(briefing: Briefing, _scenario: Scenario) -> Agent:
        agent: Agent = made(briefing)
        return agent

    return make
