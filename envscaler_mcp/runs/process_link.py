"""What the process of a run and the processes that play its episodes say to each other.

Both ends are this program; what comes from a model, a world or a record is a value inside these messages.
"""

from __future__ import annotations

import pickle
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio
from anyio.abc import UNIXSocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.errors import ModelError
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.llm import (
    BudgetSpentError,
    ChatRequest,
    ChatResponse,
    ModelParams,
    Price,
)
from envscaler_mcp.runs.episode_queue import Assignment, PlayedEpisode

Failure = tuple[type[Exception], str, dict[str, object]]
"""An exception of a model. Pickled as it is, it would lose what it says beside its message."""


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model as the process that plays knows it; it is asked through the process of the run."""

    params: ModelParams
    price: Price


@dataclass(frozen=True, slots=True)
class PlayerJob:
    """Everything that a process must know before it plays; the first message."""

    servers: ServerFolders
    registry: Registry | None
    plan: RunPlan
    """Without its episodes, which come one by one."""
    agent: str
    """As the command names it."""
    agent_model: AskedModel | None
    user_model: AskedModel | None
    prompts: Path | None
    parallel: int
    tasks: Path | None = None
    """The run folder that holds fresh tasks, where these are played."""


@dataclass(frozen=True, slots=True)
class NextWanted:
    """A player has nothing to do."""

    number: int
    player: int
    group: str


@dataclass(frozen=True, slots=True)
class NextGiven:
    """The answer; nothing is left where it is empty."""

    number: int
    assignments: list[Assignment]


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A model is asked."""

    number: int
    of_user: bool
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What the model said, or why it did not."""

    number: int
    said: ChatResponse | Failure
    lost: float
    """Seconds that were lost with waiting for an endpoint that was busy or down."""


@dataclass(frozen=True, slots=True)
class QuestionGivenUp:
    """The episode that asked has ended."""

    number: int


FromPlayers = NextWanted | PlayedEpisode | ModelQuestion | QuestionGivenUp
ToPlayers = PlayerJob | NextGiven | ModelAnswer

_LENGTH = struct.Struct("!Q")


class ProcessLink:
    """One end of the socket between two processes."""

    def __init__(self, stream: UNIXSocketStream) -> None:
        self._stream = stream
        self._received = BufferedByteReceiveStream(stream)
        self._sending = anyio.Lock()

    @classmethod
    async def over(cls, end: socket.socket) -> Self:
        """The link over a socket, which belongs to it from now on."""
        return cls(await UNIXSocketStream.from_socket(end))

    async def send(self, message: FromPlayers | ToPlayers) -> None:
        """Send one message; BrokenResourceError where the other process has ended."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        async with self._sending:
            # Half a message would make noise of all that follow.
            with anyio.CancelScope(shield=True):
                await self._stream.send(_LENGTH.pack(len(data)) + data)

    async def receive(self) -> object:
        """The next message; EndOfStream, or BrokenResourceError, where the other process has ended."""
        (length,) = _LENGTH.unpack(await self._received.receive_exactly(_LENGTH.size))
        data = await self._received.receive_exactly(length)
        return pickle.loads(data)  # noqa: S301 - this program wrote it

    async def aclose(self) -> None:
        """End the link; the other process is told by that."""
        await self._stream.aclose()


ENDED = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError)
"""What is raised where the other process has ended."""


def sent_failure(error: ModelError | BudgetSpentError) -> Failure:
    """An exception of a model as it is sent."""
    return type(error), str(error), dict(vars(error))


def received_error(failure: Failure) -> Exception:
    """The same exception again."""
    kind, message, about = failure
    error = kind.__new__(kind, message)
    vars(error).update(about)
    return error
