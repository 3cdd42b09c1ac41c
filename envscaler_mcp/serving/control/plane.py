"""Requests of the control plane, answered: one method for each operation, the same for a single server and a farm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import anyio.to_thread
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from envscaler_mcp.artifacts import StateDiff, Verdict
from envscaler_mcp.artifacts.mistakes import first_mistake
from envscaler_mcp.errors import UnreadableStateError, WorldError
from envscaler_mcp.serving.control.bodies import read_order
from envscaler_mcp.serving.control.schemas import (
    ControlOperation,
    Done,
    ForkOrder,
    HashAnswer,
    OpenOrder,
    Snapshot,
    VerifyOrder,
    WorldCard,
    WorldCards,
)
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.session import Session

MAX_BODY = 1024 * 1024
"""How long the body of a request may be, in bytes."""

T = TypeVar("T")
Body = TypeVar("Body", bound=BaseModel)


class NoWorldError(WorldError):
    """There is no world of that name."""


class ControlledWorld(Protocol):
    """A world as its owner reaches it."""

    session: Session

    async def act(self, does: Callable[[Session], T]) -> T:
        """The result of `does`, run while no call of an agent runs."""


W = TypeVar("W", bound=ControlledWorld)


class ControlPlane(ABC, Generic[W]):
    """What an owner may do with worlds. A subclass says which worlds there are, and how one is opened and closed.

    A request that cannot be done raises an EnvScalerError; the application that holds the routes makes an answer of it.
    """

    operations: ClassVar[Sequence[ControlOperation]]

    def routes(self) -> list[Route]:
        """One for each path; its methods are the operations there."""
        by_path: dict[str, dict[str, ControlOperation]] = {}
        for operation in self.operations:
            by_path.setdefault(operation.path, {})[operation.method] = operation
        return [Route(path, partial(self._answer, there), methods=list(there)) for path, there in by_path.items()]

    async def _answer(self, there: Mapping[str, ControlOperation], request: Request) -> Response:
        operation = there["GET" if request.method == "HEAD" else request.method]
        does: Callable[..., Any] = getattr(self, f"_do_{operation.does}")
        name = request.path_params.get("name")
        given: list[Any] = [request] if name is None else [self.world(name)]
        if operation.takes is not None:
            given.append(_read(operation.takes, await _body(request)))
        answer = await does(*given)
        if isinstance(answer, Response):
            return answer
        # A state is plain JSON already, and large: no model reads it again.
        content = _json_of(answer) if isinstance(answer, BaseModel) else encode(answer)
        return Response(content, 201 if operation.does in ("open", "fork") else 200, media_type="application/json")

    @abstractmethod
    def world(self, name: str) -> W:
        """The world of that name; NoWorldError where there is none."""

    @abstractmethod
    def card(self, world: W) -> WorldCard:
        """A world as it is listed."""

    @abstractmethod
    async def _do_open(self, request: Request, order: OpenOrder) -> WorldCards | Response: ...

    @abstractmethod
    async def _do_list(self, request: Request) -> WorldCards | Mapping[str, Any]: ...

    @abstractmethod
    async def _do_close(self, world: W) -> Done: ...

    @abstractmethod
    async def _do_fork(self, world: W, order: ForkOrder) -> WorldCards | Response: ...

    async def _do_card(self, world: W) -> WorldCard:
        return self.card(world)

    async def _do_state(self, world: W) -> Mapping[str, Any] | Response:
        return {"state": await world.act(lambda session: session.state())}

    async def _do_hash(self, world: W) -> HashAnswer:
        return HashAnswer(hash=await world.act(lambda session: session.state_hash()))

    async def _do_diff(self, world: W) -> StateDiff:
        return await world.act(lambda session: session.diff())

    async def _do_changes(self, world: W) -> StateDiff:
        return await world.act(lambda session: session.diff_since_start())

    async def _do_snapshot(self, world: W) -> Snapshot:
        return Snapshot(snapshot=await world.act(lambda session: session.snapshot()))

    async def _do_restore(self, world: W, order: Snapshot) -> Done:
        await world.act(lambda session: session.restore(order.snapshot))
        return Done()

    async def _do_verify(self, world: W, order: VerifyOrder) -> Verdict:
        # Only reading the state takes a turn: agents may call while the checks run.
        final = await final_state(world)
        return await anyio.to_thread.run_sync(world.session.judged, final, order.scoring)


async def final_state(world: ControlledWorld) -> Mapping[str, Any]:
    """The state of a world, to be judged; UnreadableStateError where it cannot be told."""
    try:
        return await world.act(lambda session: session.state())
    except WorldError as cause:
        raise UnreadableStateError(str(cause)) from cause


def _json_of(answer: BaseModel) -> str | bytes:
    try:
        return answer.model_dump_json()
    except PydanticSerializationError:
        # A world, or who calls it, may hold halves of characters.
        return encode(answer.model_dump(mode="json")).encode(errors="replace")


def _read(model: type[Body], body: bytes) -> Body:
    try:
        return read_order(model, body)
    except ValidationError as cause:
        raise WorldError(first_mistake(cause, "The body: ")) from cause


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"A request may have {MAX_BODY} bytes.")
    return bytes(body)
