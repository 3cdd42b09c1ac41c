"""All actors of a farm, as the process in front sees them: which are there, how much each holds, what each answers."""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Any, Literal

import anyio

from envscaler_mcp.errors import EnvScalerError, LaunchError
from envscaler_mcp.farm.front_end import FarmConfig
from envscaler_mcp.farm.http_messages import Answer, Request
from envscaler_mcp.farm.on_ray.cluster import node_address, placed

PLACING_SECONDS = 120.0
"""How long the first actor may take to be there: a node may have to read Python from a network."""
_OTHERS_SECONDS = 15.0
"""How long the others are waited for from then on."""
_AGAIN_SECONDS = 1.0
_CLOSING_SECONDS = 5.0

logger = logging.getLogger(__name__)


class GoneError(EnvScalerError):
    """An actor is not there, and what it held is lost."""


class RayHost:
    """One actor, through all its lives."""

    def __init__(self, config: FarmConfig, number: int, of: int, arrival: asyncio.Event) -> None:
        self.number = number
        self.there = False
        self.worlds = 0
        """As many as it said it holds, and those that it is being asked for."""
        self._config = config
        self._of = of
        self._arrival = arrival
        self._handle: Any = None
        self._end = asyncio.Event()
        """The end of this life; the next has another."""
        self._living: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Be placed for the first time; LaunchError where it cannot begin on its node."""
        from ray.exceptions import RayError

        self._handle = placed(self.number, self._of)
        try:
            await self._begun()
        except RayError as cause:
            raise LaunchError(
                "An actor of the farm cannot begin on its node, where envscaler-mcp must be installed in this version: "
                f"{_why(cause)}"
            ) from cause
        self.there = True

    def supervise(self) -> None:
        """Be there from now on as often as there is a node for it."""
        self._living = asyncio.get_running_loop().create_task(self._live())

    async def _live(self) -> None:
        while True:
            if not self.there:
                await self._come_again()
            watching = asyncio.get_running_loop().create_task(self._watch(self._end))
            try:
                await self._end.wait()
            finally:
                watching.cancel()

    async def _watch(self, end: asyncio.Event) -> None:
        """Learn that this actor has ended, also between requests."""
        from ray.exceptions import RayError

        try:
            await self._handle.stay.remote()
        except RayError as cause:
            self._lost(end, cause)

    async def _come_again(self) -> None:
        """Be there once more, with no worlds; Ray places it again, and where it will not, we do."""
        from ray.exceptions import ActorDiedError, RayError, RayTaskError

        logger.warning("actor %d of the farm comes when a node has room for it", self.number)
        while not self.there:
            try:
                await self._begun()
            except RayError as cause:
                if isinstance(cause, RayTaskError):
                    logger.warning("actor %d of the farm cannot begin: %s", self.number, _why(cause))
                await asyncio.sleep(_AGAIN_SECONDS)
                if isinstance(cause, ActorDiedError):
                    self._handle = placed(self.number, self._of)
            else:
                self.worlds = 0
                self._end = asyncio.Event()
                self.there = True
                self._arrival.set()
        logger.warning("actor %d of the farm is there", self.number)

    async def _begun(self) -> None:
        await self._handle.begin.remote(self._config, node_address())

    async def ask(self, request: Request, where: Literal["ask", "look"] = "ask") -> Answer:
        """What it answers, on the side of owners or of those who look; GoneError where it is not there."""
        from ray.exceptions import RayError, RayTaskError

        end = self._incarnation()
        try:
            answered: tuple[Answer, int] | None = await getattr(self._handle, where).remote(request)
        except RayTaskError:
            # It is there, and broke over this one request.
            raise
        except RayError as cause:
            raise self._lost(end, cause) from cause
        if answered is None:
            raise self._lost(end, "it was started again")
        answer, self.worlds = answered
        return answer

    async def events(self, request: Request) -> Answer | AsyncGenerator[bytes]:
        """What happens in one of its worlds, as it happens."""
        from ray.exceptions import RayError

        end = self._incarnation()
        pieces = self._handle.events.options(num_returns="streaming").remote(request)
        try:
            first = await (await anext(pieces))
        except RayError as cause:
            raise self._lost(end, cause) from cause
        except StopAsyncIteration:
            raise self._lost(end, "it was started again") from None
        return first if isinstance(first, Answer) else _pieces(first, pieces)

    def _incarnation(self) -> asyncio.Event:
        if not self.there:
            raise GoneError(f"Actor {self.number} of the farm is not there.")
        return self._end

    def _lost(self, end: asyncio.Event, cause: object) -> GoneError:
        """A request noticed that an actor had ended; another may have taken its place since."""
        if not end.is_set():
            logger.warning("actor %d of the farm does not answer; what it held is lost: %s", self.number, cause)
            end.set()
            self.there = False
        return GoneError(f"Actor {self.number} of the farm has ended.")

    async def close(self) -> None:
        """End it, and the worlds it holds."""
        import ray
        from ray.exceptions import RayError

        if self._living is not None:
            self._living.cancel()
        if self._handle is None:
            return
        if self.there:
            with suppress(RayError), anyio.move_on_after(_CLOSING_SECONDS):
                await self._handle.close.remote()
        ray.kill(self._handle)


class Hosts:
    """The actors of one farm; numbers do not change, and a world's name falls on the number that holds it."""

    def __init__(self, config: FarmConfig, count: int) -> None:
        self._arrival = asyncio.Event()
        self.all = tuple(RayHost(config, number, count, self._arrival) for number in range(count))

    @property
    def there(self) -> list[RayHost]:
        """Those that answer now, the emptiest first."""
        return sorted((host for host in self.all if host.there), key=lambda host: host.worlds)

    async def start(self) -> None:
        """Be placed: all of them, or those for which there is room now; the others follow when there is."""
        try:
            with anyio.move_on_after(PLACING_SECONDS) as patience:
                async with anyio.create_task_group() as group:
                    for host in self.all:
                        group.start_soon(_come, host, patience)
        except* LaunchError as failed:
            raise failed.exceptions[0] from None
        late = [host for host in self.all if not host.there]
        if len(late) == len(self.all):
            raise LaunchError(
                f"None of {len(late)} actors could be placed within {PLACING_SECONDS:.0f} seconds; each takes one CPU, "
                "and `ray status` shows what is free."
            )
        for host in self.all:
            host.supervise()

    async def any_there(self, seconds: float) -> bool:
        """Whether an actor is there, or comes within so many seconds."""
        with anyio.move_on_after(seconds):
            while not self.there:
                self._arrival.clear()
                await self._arrival.wait()
        return bool(self.there)

    async def ask_each(self, request: Request) -> list[Answer]:
        """What those that are there answer to the same question."""
        answers: list[Answer] = []

        async def ask(host: RayHost) -> None:
            with suppress(GoneError):
                answers.append(await host.ask(request))

        async with anyio.create_task_group() as group:
            for host in self.there:
                group.start_soon(ask, host)
        return answers

    async def close(self) -> None:
        """End all of them."""
        async with anyio.create_task_group() as group:
            for host in self.all:
                group.start_soon(host.close)


async def _come(host: RayHost, patience: anyio.CancelScope) -> None:
    await host.start()
    patience.deadline = min(patience.deadline, anyio.current_time() + _OTHERS_SECONDS)


def _why(cause: Exception) -> str:
    """Without the traceback that Ray puts before what an actor said."""
    said = getattr(cause, "cause", None)
    return str(said or cause)


async def _pieces(first: bytes, pieces: Any) -> AsyncGenerator[bytes]:
    import ray
    from ray.exceptions import RayError

    try:
        yield first
        async for piece in pieces:
            yield await piece
    except RayError:
        # The actor is gone, and so is the world that was watched.
        return
    finally:
        ray.cancel(pieces)


def shares(count: int, held: Sequence[int]) -> list[int]:
    """How many of so many new worlds each gets that holds some already, so that all hold the same in the end."""
    counts = [0] * len(held)
    emptiest = [(worlds, place) for place, worlds in enumerate(held)]
    heapq.heapify(emptiest)
    for _ in range(count):
        worlds, place = emptiest[0]
        counts[place] += 1
        heapq.heapreplace(emptiest, (worlds + 1, place))
    return counts
