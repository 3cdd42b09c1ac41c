"""A person at the keyboard, as the agent or as the user."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import anyio

from envscaler_mcp.artifacts import Scenario, Tool
from envscaler_mcp.episode.agent import COMPLETED, Action, Briefing, Observation, RunAbortedError
from envscaler_mcp.episode.typed import TypedError, arguments_typed, usage_of
from envscaler_mcp.episode.user import STOP, Look
from envscaler_mcp.errors import WorldError
from envscaler_mcp.html.visible import visible
from envscaler_mcp.serving.suggestion import did_you_mean
from envscaler_mcp.serving.validation import compile_arguments, without_patterns

DONE = "done"

Completing = Callable[[str], Sequence[str]]
"""What the last word of a line may become."""


class PersonAgent:
    """Is shown what an agent is told, and types calls, words, or that all is done."""

    def __init__(self, briefing: Briefing) -> None:
        self._talks = briefing.mode == "conversation"
        self._tools = {tool.name: tool for tool in briefing.tools}
        self._begun = False
        _show(f"{briefing.introduction.rstrip()}\n\n{len(self._tools)} tools; ? lists them, ? TOOL tells of one.")
        _show(
            "Type TOOL key=value …, TOOL {JSON}, or done" + (", or what you say to the user." if self._talks else ".")
        )

    async def act(self, observation: str) -> Action:
        """What was typed. Nothing that cannot be meant costs a move."""
        if not self._begun:
            _show("\nThe user says:" if self._talks else "\nThe task:")
        self._begun = True
        for heard in observation.answers if isinstance(observation, Observation) else (observation,):
            _show(_readable(heard))
        while True:
            line = await _typed("agent> ", self._completions)
            if line is None and self._talks:
                raise RunAbortedError("The person who played the agent has left.")
            try:
                move = Action(text=COMPLETED) if line is None else self._move(line.strip())
            except TypedError as cause:
                _show(str(cause))
            else:
                if move is not None:
                    return move

    def _move(self, line: str) -> Action | None:
        """Nothing where only a question was asked of us."""
        name, _, rest = line.partition(" ")
        if not line or name == "?":
            self._tell(rest.strip())
            return None
        if line == DONE:
            return Action(text="That is done." if self._talks else COMPLETED)
        if name in self._tools:
            return self._call(self._tools[name], rest)
        if COMPLETED in line or (self._talks and not _is_meant_as_call(line)):
            return Action(text=line)
        raise TypedError(
            f"There is no tool {name!r}{did_you_mean(name, self._tools)}"
            + ("" if self._talks else " No user reads along: type a call, ? for the tools, or done.")
        )

    def _call(self, tool: Tool, rest: str) -> Action:
        arguments = arguments_typed(tool, rest)
        wrong = _wrong(tool, arguments)
        if wrong is not None:
            raise TypedError(f"{wrong} {usage_of(tool)}")
        return Action(tool=tool.name, arguments=arguments)

    def _tell(self, name: str) -> None:
        if not name:
            for tool in self._tools.values():
                _show(f"  {tool.name}: {tool.description.partition(chr(10))[0]}")
        elif name in self._tools:
            tool = self._tools[name]
            _show(f"{tool.description}\n{usage_of(tool)}")
            for argument, schema in tool.input_schema.get("properties", {}).items():
                _show(f"  {argument}: {json.dumps(schema, ensure_ascii=False)}")
        else:
            raise TypedError(f"There is no tool {name!r}{did_you_mean(name, self._tools)}")

    def _completions(self, line: str) -> Sequence[str]:
        first, *others = line.split(" ")
        if not others or first == "?":
            return [*self._tools, DONE]
        properties = self._tools[first].input_schema.get("properties", {}) if first in self._tools else {}
        return [f"{name}=" for name in properties]


class PersonUser:
    """Is shown the task, and what the agent says; types what a user says."""

    def __init__(self, scenario: Scenario) -> None:
        self._first = scenario.conversation.first if scenario.conversation else scenario.task
        _show(f"You are the user. What you want:\n{scenario.task}\nType what you say; done when you want no more.")
        for goal in scenario.conversation.goals if scenario.conversation else ():
            for fact in goal.facts:
                if fact.says:
                    _show(f"  {fact.name.replace('_', ' ')}: {fact.says}")
        _show(f"An empty line says first: {self._first}")

    async def opening(self) -> str:
        """Their own first words, or those of the scenario."""
        said = await self._said()
        if said == STOP:
            raise RunAbortedError("The person who was to play the user has left.")
        return said or self._first

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - they see what a user sees
        """What they answer."""
        _show(f"The agent says:\n{said}")
        while not (text := await self._said()):
            _show("Type what you say, or done.")
        return text

    async def _said(self) -> str:
        line = await _typed("user> ", lambda _: [DONE])
        return STOP if line is None or line.strip() == DONE else line.strip()


def _readable(heard: str) -> str:
    """An answer of our own worlds with its lines apart; any other as it is."""
    try:
        return json.dumps(json.loads(heard), ensure_ascii=False, indent=1)
    except ValueError:
        return heard


def _is_meant_as_call(line: str) -> bool:
    _, _, rest = line.partition(" ")
    words = rest.split()
    return rest.lstrip().startswith("{") or (bool(words) and all("=" in word for word in words))


def _wrong(tool: Tool, arguments: dict[str, Any]) -> str | None:
    """What does not fit a schema that says all; others are for their servers to read."""
    if tool.input_schema.get("additionalProperties") is not False:
        return None
    try:
        return compile_arguments(without_patterns(tool.input_schema))(arguments)
    except (WorldError, ValueError, TypeError, AttributeError, KeyError):
        return None


def _show(text: str) -> None:
    """Beside what is printed for programs, where that is not read on this screen."""
    out = sys.stdout if sys.stdout.isatty() else sys.stderr
    out.write(visible(text) + "\n")
    out.flush()


async def _typed(prompt: str, completing: Completing) -> str | None:
    """One line, nothing at the end of the input. Everything else waits for it, and is let finish before."""
    await anyio.wait_all_tasks_blocked()
    while True:
        try:
            with _interruptible(), _completed(completing):
                return input(_prompt(prompt))  # noqa: ASYNC250 - a thread that waits for a key cannot be ended
        except EOFError:
            _show("")
            return None
        except UnicodeDecodeError:
            _show("That is no text.")
        except KeyboardInterrupt:
            # As if it had come while no question was open: the loop ends everything in its order.
            signal.raise_signal(signal.SIGINT)
            await anyio.sleep_forever()


class EnterKey:
    """Waits for Enter; for nothing any more after the end of the input, or after `done`."""

    def __init__(self) -> None:
        self._awaited = True

    async def wait(self) -> None:
        """Until it was typed."""
        if self._awaited:
            line = await _typed("Enter for the next move> ", lambda _: [DONE])
            self._awaited = line is not None and line.strip() != DONE


def _prompt(prompt: str) -> str:
    if sys.stdout.isatty():
        return prompt
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return ""


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends the waiting for a line, which the event loop's own handler would only take note of."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _completed(completing: Completing) -> Iterator[None]:
    """Tab completes words while a line is typed on a screen, and the arrows bring back lines before."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield
        return
    with suppress(ImportError):
        import readline

        def complete(word: str, number: int) -> str | None:
            line = readline.get_line_buffer()[: readline.get_endidx()]
            fitting = [
                completion
                for completion in completing(line)
                if completion.startswith(word) and completion.isprintable()
            ]
            return fitting[number] + ("" if fitting[number].endswith("=") else " ") if number < len(fitting) else None

        readline.set_completer_delims(" ")
        readline.set_completer(complete)
        readline.parse_and_bind("tab: complete")
    yield
