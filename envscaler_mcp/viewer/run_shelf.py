"""The run folders in a folder, each read once for as long as nothing is added to it."""

from __future__ import annotations

import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.errors import EnvScalerError, RunError
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.plain_files import PlainFolder
from envscaler_mcp.scoring.journal import RecordLocation
from envscaler_mcp.scoring.run_folder import PLAN, Tally, read_places, read_plan
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.studio.run_schemas import RunCard
from envscaler_mcp.viewer.review import Review

MOST_LISTED = 200
"""Run folders that are listed, the latest first."""
LISTING_SECONDS = 5.0
"""After which no more plans are read for a list."""
MOST_RECORD = 64 << 20
"""Bytes of a record that is shown; the largest that `run` writes has half as many."""
_MOST_OPEN = 4
_MOST_ENTRIES = 20_000
_IN_ADDRESS = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)

_Signature = tuple[tuple[str, int, int], ...]


class NoRunError(EnvScalerError):
    """There is no such run, or no such episode in it."""


@dataclass(frozen=True, eq=False)
class OpenRun:
    """What was read of a run."""

    card: RunCard
    folder: Path
    plan: RunPlan
    tally: Tally
    damaged: int
    places: Mapping[str, RecordLocation]
    servers: ServerFolders

    @cached_property
    def planned(self) -> Mapping[str, PlannedEpisode]:
        """Its episodes by id."""
        return {episode.id: episode for episode in self.plan.episodes}

    @cached_property
    def review(self) -> Review:
        """What this home can tell about its episodes."""
        return Review(self.servers, judge, TaskFile.of_run(self.folder))

    def record(self, episode: str) -> bytes:
        """The record of an episode."""
        place = self.places.get(episode)
        if place is None:
            raise NoRunError("There is no such episode in this run.")
        if place.length > MOST_RECORD:
            raise RunError(f"The record of this episode has {place.length:,} bytes; {MOST_RECORD:,} are shown.")
        return place.read()


@dataclass(eq=False)
class RunShelf:
    """All of them."""

    root: Path
    servers: ServerFolders
    _open: OrderedDict[str, tuple[_Signature, OpenRun]] = field(default_factory=OrderedDict)
    _cards: dict[str, tuple[_Signature, RunCard]] = field(default_factory=dict)

    def cards(self) -> tuple[tuple[RunCard, ...], int]:
        """The latest of them, and how many more there are."""
        folders = sorted(self._folders().items(), key=lambda entry: -_changed(entry[1]))
        ends = time.monotonic() + LISTING_SECONDS
        listed = [self._card(id_, folder, ends) for id_, folder in folders[:MOST_LISTED]]
        return tuple(listed), max(0, len(folders) - MOST_LISTED)

    def run(self, id_: str) -> OpenRun:
        """The run of that id as it is now."""
        folder = self._folders().get(id_)
        if folder is None:
            raise NoRunError("There is no such run; it was moved or deleted.")
        signature = _signature(folder)
        known = self._open.get(id_)
        if known is None or known[0] != signature:
            plan, tally, damaged, places = read_places(folder)
            card = _card_of(id_, folder, plan, signature)
            known = self._open[id_] = signature, OpenRun(card, folder, plan, tally, damaged, places, self.servers)
        self._open.move_to_end(id_)
        while len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)
        return known[1]

    def _folders(self) -> dict[str, Path]:
        """Run folders by id. The root may be a run itself; nothing in it is reached by a link."""
        if not self.root.is_dir():
            return {}
        if has_member(self.root, PLAN):
            return {_id_of(self.root.resolve().name): self.root}
        return {_id_of(name): self.root / name for name in self._names()}

    def _names(self) -> Iterator[str]:
        with PlainFolder.at(self.root) as opened:
            names = opened.entries()[:_MOST_ENTRIES]
        for name in names:
            folder = self.root / name
            if not folder.is_symlink() and folder.is_dir() and has_member(folder, PLAN):
                yield name

    def _card(self, id_: str, folder: Path, ends: float) -> RunCard:
        signature = _signature(folder)
        known = self._cards.get(id_)
        if known is not None and known[0] == signature:
            return known[1]
        if time.monotonic() > ends:
            return _without_plan(id_, folder, signature, "")
        try:
            card = _card_of(id_, folder, read_plan(folder), signature)
        except EnvScalerError as cause:
            card = _without_plan(id_, folder, signature, _sentence(cause, folder))
        self._cards[id_] = signature, card
        return card


def _id_of(name: str) -> str:
    if _IN_ADDRESS.fullmatch(name):
        return name
    return f"run-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:16]}"


def _signature(folder: Path) -> _Signature:
    """The files of a run and how long they are; a record is only ever added."""
    with PlainFolder.at(folder) as opened:
        names = [name for name in opened.entries() if name == PLAN or name.startswith("episodes-")]
    stats = [(name, (folder / name).lstat()) for name in names]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


def _changed(folder: Path) -> float:
    return _time(_signature(folder))


def _without_plan(id_: str, folder: Path, signature: _Signature, problem: str) -> RunCard:
    return RunCard(id=id_, name=_shown(folder), problem=problem, bytes=_size(signature), changed=_time(signature))


def _card_of(id_: str, folder: Path, plan: RunPlan, signature: _Signature) -> RunCard:
    return RunCard(
        id=id_,
        name=_shown(folder),
        agent=plan.agent,
        user=plan.user,
        mode=plan.mode,
        via=plan.via,
        scoring=plan.scoring,
        benchmark="" if plan.benchmark is None else plan.benchmark.name,
        planned=len(plan.episodes),
        bytes=_size(signature),
        changed=_time(signature),
    )


def _size(signature: _Signature) -> int:
    return sum(size for name, size, _ in signature if name != PLAN)


def _time(signature: _Signature) -> float:
    return max((changed for _, _, changed in signature), default=0) / 1e9


def _shown(folder: Path) -> str:
    return folder.resolve().name.encode(errors="replace").decode()


def _sentence(cause: EnvScalerError, folder: Path) -> str:
    """Why it cannot be read, without the path of this machine."""
    return str(cause).replace(str(folder), folder.name).encode(errors="replace").decode()[:500]
