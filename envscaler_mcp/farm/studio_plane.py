"""What the studio asks for beside worlds and states: the catalogue, tables, forms, recorded calls, undo, agents, checks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from envscaler_mcp.artifacts import RegistryEntry, Scenario
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.benchmark_session import OfficialTaskCard, OfficialTasks
from envscaler_mcp.farm.catalogue import MAX_SEARCH, MAX_SEARCH_WORDS
from envscaler_mcp.farm.control_plane import FarmControlPlane
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.event_stream import EventStream
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.peers import Siblings
from envscaler_mcp.farm.studio_agents import StudioAgents
from envscaler_mcp.farm.studio_arena import arena_of
from envscaler_mcp.farm.studio_benchmarks import (
    listed_benchmarks,
    official_card,
    official_checks,
    official_session,
    official_state,
    official_words,
    said_answer,
)
from envscaler_mcp.farm.studio_door import StudioDoor, Visitor
from envscaler_mcp.farm.studio_users import StudioUsers
from envscaler_mcp.farm.timeline import Caller, Timeline
from envscaler_mcp.farm.verdicts import HOLDER, Verdicts
from envscaler_mcp.farm.world_views import Reads, WorldViews
from envscaler_mcp.farm.worlds import Worlds
from envscaler_mcp.registry import SearchIndex
from envscaler_mcp.serving.control import schemas
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.control.schemas import ControlOperation
from envscaler_mcp.serving.outcome import Outcome, encode
from envscaler_mcp.studio.forms import forms_of
from envscaler_mcp.studio.qr import qr_code
from envscaler_mcp.studio.run_schemas import VISITOR_OPERATIONS, ArenaAnswer
from envscaler_mcp.studio.schemas import (
    STUDIO_OPERATIONS,
    AgentsAnswer,
    Author,
    CallOrder,
    CatalogueAnswer,
    CheckLamp,
    ChecksAnswer,
    ConnectAnswer,
    FormsAnswer,
    Listed,
    PlayAnswer,
    PlayedBy,
    PlayOrder,
    RecordedCall,
    SaidAnswer,
    SayOrder,
    ShareAnswer,
    SnippetsAnswer,
    TablesAnswer,
    TaskCard,
    TaskWordsList,
    TimelineAnswer,
    UndoOrder,
)
from envscaler_mcp.studio.snippets import connections, snippets
from envscaler_mcp.studio.tables import tables_of

SHARE_SECONDS = 900
"""How long an address for a reader opens a page."""


class StudioPlane(FarmControlPlane):
    """The control plane with everything that a page, or a program that shows worlds, asks for."""

    operations: ClassVar[Sequence[ControlOperation]] = STUDIO_OPERATIONS

    def __init__(
        self,
        worlds: Worlds,
        siblings: Siblings,
        url: str,
        verdicts: Verdicts,
        agents: StudioAgents,
        users: StudioUsers,
        door: StudioDoor,
        views: WorldViews,
    ) -> None:
        super().__init__(worlds, siblings, url, verdicts)
        self._agents = agents
        self._users = users
        self._door = door
        self._views = views
        self._indexed: tuple[Mapping[str, RegistryEntry], SearchIndex] | None = None

    def _holder(self, request: Request) -> str:
        """Whose request it is: of a token or a session that was checked."""
        visitor = self._door.visitor(request.headers)
        if visitor is None:
            raise HTTPException(401, "Log in to the studio, or send a token.")
        VISITOR.set(visitor)
        return visitor.holder

    # Environments

    @property
    def _index(self) -> SearchIndex:
        # Others may be registered while the farm runs.
        entries = self._worlds.environments.entries
        if self._indexed is None or self._indexed[0] is not entries:
            self._indexed = entries, SearchIndex(tuple(entries.values()))
        return self._indexed[1]

    async def _do_catalogue(self, request: Request) -> CatalogueAnswer:
        search = request.query_params.get("search", "")
        if len(search) > MAX_SEARCH or len(search.split()) > MAX_SEARCH_WORDS:
            raise WorldError(f"A search has at most {MAX_SEARCH_WORDS} words and {MAX_SEARCH} characters.")
        entries = self._index.search(search) if search.strip() else self._worlds.environments.entries.values()
        benchmarks = listed_benchmarks(self._shown_benchmarks(), search)
        return CatalogueAnswer(environments=(*map(_listed, entries), *benchmarks))

    def _shown_benchmarks(self) -> Mapping[str, BenchmarkOpener]:
        return self._worlds.environments.benchmarks

    async def _do_tasks(self, request: Request) -> TaskWordsList:
        environment = await self._environment(request)
        if isinstance(environment, OfficialTasks):
            return TaskWordsList(tasks=tuple(map(official_words, self._official_cards(environment))))
        scenarios = await environment.scenarios()
        return TaskWordsList(tasks=tuple(_words(task) for task in scenarios if self._may_show(task)))

    def _may_show(self, task: Scenario) -> bool:  # noqa: ARG002 - readers see less
        return True

    def _official_cards(self, benchmark: OfficialTasks) -> Sequence[OfficialTaskCard]:
        return benchmark.cards()

    async def _do_connect(self, request: Request) -> ConnectAnswer:
        environment = (await self._environment(request)).card.id
        if environment in self._worlds.environments.benchmarks:
            raise WorldError("There are no guest links to a benchmark; its owner opens a world and gives its address.")
        name = self._worlds.invitation(environment)
        return connections(environment, f"{self._url}/e/{environment}/{name}/mcp")

    # What a world shows

    async def _do_tables(self, world: HostedWorld) -> TablesAnswer:
        return await self._views.of_state(world, "tables", _tables, _reads(world))

    async def _do_forms(self, world: HostedWorld) -> FormsAnswer:
        return await self._views.of_state(world, "forms", partial(_forms, world), _reads(world))

    async def _do_checks(self, world: HostedWorld) -> ChecksAnswer:
        official = official_session(world)
        if official is not None:
            return official_checks(official, self._users.played)
        return await self._views.of_world(world, "checks", partial(self._checked, world))

    async def _checked(self, world: HostedWorld) -> ChecksAnswer:
        task = world.session.scenario
        if task is None:
            return ChecksAnswer(task=None)
        verdict = await self._verdicts.verdict(world, "framed", HOLDER.get())
        lamps = zip(task.checks, verdict.checks, strict=True)
        return ChecksAnswer(
            task=task.task,
            id=task.id,
            level=task.level,
            checks=tuple(CheckLamp(words=check.check_item, holds=holds) for check, holds in lamps),
            frame_violations=tuple(path.encode(errors="replace").decode() for path in verdict.frame_violations),
            reward=verdict.reward,
            solved=verdict.solved,
            steps=len(task.oracle),
            next_step=0 if world.timeline is None else world.timeline.made_by("oracle"),
        )

    # Calls

    async def _do_timeline(self, world: HostedWorld) -> TimelineAnswer:
        timeline = world.timeline
        return TimelineAnswer(
            recording=timeline is not None,
            steps=() if timeline is None else timeline.steps(),
            dropped=0 if timeline is None else timeline.dropped,
            parent=self.shown_name(world.parent),
            forked_after=world.forked_after,
            earliest=0 if timeline is None else timeline.earliest,
        )

    def shown_name(self, name: str) -> str:
        """The name by which those who ask here know a world."""
        return name

    async def _do_record(self, world: HostedWorld) -> TimelineAnswer:
        await self._recorded(world)
        return await self._do_timeline(world)

    async def _recorded(self, world: HostedWorld) -> Timeline:
        return await world.record(self._worlds.recordings)

    async def _do_call(self, world: HostedWorld, order: CallOrder) -> RecordedCall:
        return (await self._called(world, "person", order.tool, order.arguments))[0]

    async def _called(
        self, world: HostedWorld, author: Author, tool: str, arguments: Mapping[str, Any]
    ) -> tuple[RecordedCall, Outcome]:
        await self._recorded(world)
        caller = Caller(author)
        answer = world.call(tool, dict(arguments), None, caller)
        outcome = answer if isinstance(answer, Outcome) else await answer
        if caller.step is None:
            # It never reached the world: that has ended, or has answered as many calls as it may.
            raise WorldError(str(json.loads(outcome.text).get("error", "The world did not answer.")))
        return caller.step, outcome

    async def _do_undo(self, world: HostedWorld, order: UndoOrder) -> TimelineAnswer:
        timeline = await self._recorded(world)
        await world.act(lambda session: timeline.undo(order.after, session.restore))
        self._agents.leave(world)
        world.tell("restored", {"after": order.after})
        return await self._do_timeline(world)

    async def _do_restore(self, world: HostedWorld, order: schemas.Snapshot) -> schemas.Done:
        done = await super()._do_restore(world, order)
        self._agents.leave(world)
        if world.timeline is not None:
            world.timeline.restored(order.snapshot)
        return done

    async def _do_agents(self, request: Request) -> AgentsAnswer:  # noqa: ARG002 - all routes get it
        model = self._agents.model
        return AgentsAnswer(
            agents=("oracle", "random") if model is None else ("oracle", "random", "model"),
            model="" if model is None else model.params.model,
        )

    async def _do_play(self, world: HostedWorld, order: PlayOrder) -> PlayAnswer:
        if official_session(world) is not None:
            raise WorldError("No agent of the studio plays a benchmark's task; `envscaler bench run` lets one.")
        return await self.play(world, order.agent)

    async def play(self, world: HostedWorld, agent: PlayedBy) -> PlayAnswer:
        """Let an agent make its next call."""
        action = await self._agents.next(world, agent, await self._recorded(world))
        if action.tool is None:
            return PlayAnswer(ended=True, says=action.text)
        step, outcome = await self._called(world, agent, action.tool, action.arguments)
        self._agents.heard(world, agent, outcome.text, refused=outcome.is_error)
        return PlayAnswer(ended=False, says=action.text, step=step)

    async def _do_say(self, world: HostedWorld, order: SayOrder) -> SaidAnswer:
        official = official_session(world)
        if official is None:
            raise WorldError("This world is at no task of a benchmark, and no user answers in it.")
        return said_answer(await self._users.say(world, official, order))

    async def _do_fork(self, world: HostedWorld, order: schemas.ForkOrder) -> schemas.WorldCards:
        cards = await super()._do_fork(world, order)
        timeline = world.timeline
        for fork in filter(None, (self._worlds.get(card.name) for card in cards.worlds)):
            fork.parent = world.name
            if timeline is not None:
                fork.forked_after = timeline.last
                fork.timeline = timeline.forked(f"world {fork.name}")
            # Many forks of a long recording would hold up the calls of other worlds.
            await asyncio.sleep(0)
        return cards

    async def _do_arena(self, world: HostedWorld) -> ArenaAnswer:
        forks = [fork for fork in self._worlds if fork.parent == world.name and self._shows(fork)]
        return await arena_of(forks, self._do_checks, self.shown_name)

    def _shows(self, world: HostedWorld) -> bool:  # noqa: ARG002 - pages of readers may see only one
        return True

    async def _do_share(self, world: HostedWorld) -> ShareAnswer:
        if not self._door.admits:
            raise WorldError("This farm shows no studio; start it with --studio.")
        code = self._door.reader_code(VISITOR.get(), world.name, SHARE_SECONDS)
        place = f"world/{self._door.alias(world.name)}/live"
        address = f"{self._url}/#code={code}&at={place}"
        return ShareAnswer(address=address, seconds=SHARE_SECONDS, qr=qr_code(address))

    async def _do_snippets(self, world: HostedWorld, order: CallOrder) -> SnippetsAnswer:
        return snippets(self.card(world).url, order.tool, order.arguments)


class ReaderPlane(StudioPlane):
    """What a page of a reader is answered: nothing that changes a world, and no name by which one could be called."""

    operations: ClassVar[Sequence[ControlOperation]] = VISITOR_OPERATIONS

    def world(self, name: str) -> HostedWorld:
        """The world of that alias; NoWorldError where there is none, or another is the only one that is shown."""
        if VISITOR.get().world not in ("", name):
            raise NoWorldError("This page shows another world, and only that.")
        return super().world(self._door.named(name, self._worlds))

    def card(self, world: HostedWorld) -> schemas.WorldCard:
        """A world as readers see it."""
        return super().card(world).model_copy(update={"name": self._door.alias(world.name), "url": ""})

    def shown_name(self, name: str) -> str:
        """The alias."""
        return self._door.alias(name) if name else ""

    def _may_show(self, task: Scenario) -> bool:
        return task.split == "train"

    def _shows(self, world: HostedWorld) -> bool:
        return VISITOR.get().world in ("", self._door.alias(world.name))

    async def _do_events(self, world: HostedWorld) -> EventStream:
        return EventStream(world.watchers.enter(guest=True))

    def _shown_benchmarks(self) -> Mapping[str, BenchmarkOpener]:
        return {}

    def _official_cards(self, benchmark: OfficialTasks) -> Sequence[OfficialTaskCard]:  # noqa: ARG002 - none is for training
        return ()

    def card_from_elsewhere(self, card: dict[str, Any]) -> dict[str, Any]:
        """A world of another process of the farm as readers see it."""
        return {**card, "name": self._door.alias(card["name"]), "url": ""}

    async def _do_list(self, request: Request) -> dict[str, Any]:
        only = VISITOR.get().world
        cards = (await super()._do_list(request))["worlds"]
        return {"worlds": [card for card in cards if only in ("", card["name"])]}


VISITOR: ContextVar[Visitor] = ContextVar("visitor")
"""Who sent the request that is being answered."""


def _tables(state: Mapping[str, Any]) -> TablesAnswer:
    # A world may hold halves of characters, which no answer could.
    return tables_of(json.loads(encode(state).encode(errors="replace")))


def _forms(world: HostedWorld, state: Mapping[str, Any]) -> FormsAnswer:
    official = official_session(world)
    card = world.environment.card if official is None else official_card(world, official)
    return forms_of(card, _tables(state))


def _reads(world: HostedWorld) -> Reads | None:
    return None if official_session(world) is None else official_state


def _listed(entry: RegistryEntry) -> Listed:
    return Listed(
        id=entry.id,
        title=entry.title,
        about=entry.about,
        sector=entry.sector,
        tools=len(entry.tools),
        tasks=entry.scenarios,
    )


def _words(task: Scenario) -> TaskCard:
    return TaskCard(
        id=task.id,
        level=task.level,
        split=task.split,
        task=task.task,
        checks=tuple(check.check_item for check in task.checks),
        steps=len(task.oracle),
    )
