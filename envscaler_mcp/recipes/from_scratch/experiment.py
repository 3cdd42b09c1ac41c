"""One experiment: fresh tasks, a model that learns them from nothing, unseen tasks that it plays, and GRPO on top."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import torch

from envscaler_mcp.artifacts import FreshTask, Registry, Split
from envscaler_mcp.errors import RunError
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.pipeline.fresh_tasks import RegisteredFolder, make_tasks, stream_of
from envscaler_mcp.plain_files import replacing
from envscaler_mcp.recipes.from_scratch.demonstrations import Lesson, Prompt, demonstrations, lesson_of, prompt
from envscaler_mcp.recipes.from_scratch.model import Decoder, Shape
from envscaler_mcp.recipes.from_scratch.plan import SHAPES, Plan
from envscaler_mcp.recipes.from_scratch.playing import score
from envscaler_mcp.recipes.from_scratch.reinforcing import Reinforcing, reinforce
from envscaler_mcp.recipes.from_scratch.tokenizer import Tokenizer
from envscaler_mcp.recipes.from_scratch.training import Schooling, Spent, load, read_lessons, save, store_lessons, train
from envscaler_mcp.registry import find_entry
from envscaler_mcp.rl import Gym
from envscaler_mcp.scoring.task_file import TaskFile

Say = Callable[[str], None]
_UNSEEN_SEED = 1_000
_GRPO_SEED = 2_000
_STREAMS = 6
"""Streams of one experiment have seeds of their own, and those of unseen tasks another split besides."""


@dataclass(frozen=True, slots=True)
class TrainingWorlds:
    """Where worlds are taken from."""

    servers: ServerFolders
    registry: Registry
    gym: Gym

    def places(self, worlds: Sequence[str], split: Split) -> list[RegisteredFolder]:
        """Worlds by name; `all` are those of the split."""
        entries = [
            entry
            for name in worlds
            for entry in (
                [entry for entry in self.registry.entries if entry.split == split and entry.digests.blueprint]
                if name == "all"
                else [find_entry(self.registry, name)]
            )
        ]
        return [RegisteredFolder(self.servers / entry.id, entry.digests) for entry in dict.fromkeys(entries)]


class Experiment:
    """An experiment in a folder. What is there already, from a run that was interrupted, is not done again."""

    def __init__(self, plan: Plan, home: TrainingWorlds, folder: Path, say: Say) -> None:
        self.plan, self.home, self.folder, self.say = plan, home, folder, say
        self.result: dict[str, Any] = {"plan": asdict(plan), "machine": _machine(plan), "stages": {}}
        folder.mkdir(parents=True, exist_ok=True)
        self._resume()

    def perform(self) -> dict[str, Any]:
        """All stages; the result, which lies in the folder too."""
        torch.set_num_threads(self.plan.threads)
        learned = self._tasks("train", self.plan.worlds, self.plan.tasks, "train", self.plan.seed)
        unseen = list(
            self._tasks("unseen", self.plan.worlds, self.plan.unseen, "held_out", self.plan.seed + _UNSEEN_SEED)
        )
        tokenizer, lessons = self._lessons(learned)
        model = self._trained(tokenizer, lessons)
        self._evaluated("unseen", model, tokenizer, unseen)
        if self.plan.unseen_worlds:
            worlds = self.plan.unseen_worlds
            others = self._tasks("unseen_worlds", worlds, self.plan.unseen, "held_out", self.plan.seed + _UNSEEN_SEED)
            self._evaluated("unseen_worlds", model, tokenizer, list(others))
        if self.plan.grpo:
            model = self._reinforced(model, tokenizer)
            self._evaluated("unseen_after_grpo", model, tokenizer, unseen)
        return self.result

    @property
    def _prompt(self) -> Prompt:
        return prompt(shows_tools=self.plan.shows_tools)

    # Stages

    def _tasks(self, name: str, worlds: Sequence[str], many: int, split: Split, seed: int) -> TaskFile:
        places = self.home.places(worlds, split)
        stream = stream_of(places, level=self.plan.level, seed=seed, split=split)
        file = self.folder / f"{name}.jsonl"
        with self._stage(f"tasks: {name}"):
            made = make_tasks(places, stream, -(-many // len(places)), file, self.plan.threads)
        self.result[f"tasks_{name}"] = {
            "tasks": sum(world.made for world in made),
            "siblings": sum(world.siblings for world in made),
            "states": sum(world.states for world in made),
            "worlds": len(made),
        }
        self.say(f"{sum(world.made for world in made):,} tasks of {len(made)} worlds: {name}")
        return TaskFile.at(file)

    def _lessons(self, tasks: TaskFile) -> tuple[Tokenizer, list[Lesson]]:
        words, numbers = self.folder / "tokenizer.json", self.folder / "lessons.pt"
        if not numbers.is_file():
            with self._stage("demonstrations"):
                texts = list(demonstrations(self.home.gym, tasks, self._prompt))
                tokenizer = Tokenizer.of(demonstration.text for demonstration in texts)
                tokenizer.write(words)
                store_lessons([lesson_of(demonstration, tokenizer) for demonstration in texts], numbers)
        tokenizer, lessons = Tokenizer.read(words), read_lessons(numbers)
        fitting = [lesson for lesson in lessons if len(lesson.tokens) <= self.plan.longest]
        if not fitting:
            raise RunError(f"No demonstration has at most {self.plan.longest} tokens; let `longest` be larger.")
        self.result["demonstrations"] = {
            "learned": len(fitting),
            "too_long": len(lessons) - len(fitting),
            "tokens": sum(len(lesson.tokens) for lesson in fitting),
            "written": sum(sum(lesson.written) for lesson in fitting),
            "vocabulary": tokenizer.size,
        }
        return tokenizer, fitting

    def _trained(self, tokenizer: Tokenizer, lessons: Sequence[Lesson]) -> Decoder:
        width, layers, heads = SHAPES[self.plan.size]
        shape = Shape(width, layers, heads, longest=max(4096, 2 * self.plan.longest))
        schooling = Schooling(
            self.plan.minutes, threads=self.plan.threads, seed=self.plan.seed, longest=self.plan.longest
        )
        steps = self.result.get("training", {}).get("steps", 0)
        with self._stage("training"):
            model, spent = train(
                lessons,
                tokenizer.size,
                shape,
                schooling,
                self.folder / "model.pt",
                device=self.plan.device,
                report=self._tell_training,
            )
        if spent.step > steps:
            self._forget_scores()
        self.result["training"] = {
            "parameters": model.parameters_in_all,
            "steps": spent.step,
            "tokens": spent.tokens,
            "epochs": round(spent.tokens / sum(len(lesson.tokens) for lesson in lessons), 2),
            "cpu_minutes": round(spent.cpu / 60, 2),
            "minutes": round(spent.seconds / 60, 2),
            "log": spent.log,
        }
        self._store()
        return model

    def _evaluated(self, name: str, model: Decoder, tokenizer: Tokenizer, tasks: Sequence[FreshTask]) -> None:
        if name not in self.result:
            with self._stage(f"evaluation: {name}"):
                scored = score(model, tokenizer, self.home.gym, tasks, self._prompt)
            self.result[name] = asdict(scored)
            if name == "unseen":
                cpu = self.result["training"]["cpu_minutes"]
                self.result.setdefault("scores", []).append(
                    {"cpu_minutes": cpu, "solved": scored.solved, "tasks": scored.tasks}
                )
            self._store()
        solved, played, reward = (self.result[name][field] for field in ("solved", "tasks", "reward"))
        self.say(f"{name}: {solved} of {played} tasks solved, mean reward {reward:.3f}")

    def _reinforced(self, model: Decoder, tokenizer: Tokenizer) -> Decoder:
        checkpoint = self.folder / "grpo.pt"
        if checkpoint.is_file():
            return load(checkpoint, self.plan.device)[0]
        with self._stage("grpo"):
            log = reinforce(
                model,
                tokenizer,
                self.home.gym,
                self._endless(),
                replace(Reinforcing(), steps=self.plan.grpo, seed=self.plan.seed),
                self._prompt,
                self._tell_grpo,
            )
        self.result["grpo"] = log
        save(checkpoint, model, Spent())
        return model

    def _endless(self) -> Iterator[FreshTask]:
        """Tasks that were never learned, of the worlds in turn."""
        worlds = [place.folder.name for place in self.home.places(self.plan.worlds, "train")]
        # Tasks that follow each other in a stream share a start state, so several streams of each world take turns.
        streams = [
            self.home.gym.fresh_tasks(world, level=self.plan.level, seed=self.plan.seed + _GRPO_SEED + number)
            for number in range(_STREAMS)
            for world in worlds
        ]
        return (next(stream) for stream in cycle(streams))

    # What is told and stored

    def _tell_training(self, line: dict[str, float]) -> None:
        self.say(
            f"{line['used']:4.0%} step {line['step']:.0f}, {line['tokens'] / 1e6:.1f} M tokens, "
            f"loss {line['loss']:.4f}, {line['right']:.2%} of the agent's tokens right"
        )

    def _tell_grpo(self, line: dict[str, float]) -> None:
        self.say(
            f"grpo step {line['step']:.0f}: reward {line['reward']:.3f}, solved {line['solved']:.2%}, "
            f"{line['learned']:.0f} of {line['episodes']:.0f} episodes say something"
        )

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        began, cpu = time.monotonic(), _cpu_seconds()
        yield
        spent = {"seconds": round(time.monotonic() - began, 1), "cpu_seconds": round(_cpu_seconds() - cpu, 1)}
        before = self.result["stages"].get(name, {})
        self.result["stages"][name] = {what: round(value + before.get(what, 0.0), 1) for what, value in spent.items()}

    def _forget_scores(self) -> None:
        """What was measured of the model before it was trained on; the list of all scores stays."""
        for name in ("unseen", "unseen_worlds", "grpo", "unseen_after_grpo"):
            self.result.pop(name, None)
        (self.folder / "grpo.pt").unlink(missing_ok=True)

    def _resume(self) -> None:
        file = self.folder / "result.json"
        if not file.is_file():
            return
        stored = json.loads(file.read_text(encoding="utf-8"))
        # An experiment may be given more minutes, and GRPO, later on.
        free: dict[str, Any] = {"grpo": 0, "threads": 0, "minutes": 0}
        if json.loads(json.dumps({**asdict(self.plan), **free})) != {**stored["plan"], **free}:
            raise RunError(f"{self.folder} holds an experiment with another plan; choose another --name or --out.")
        if self.plan.minutes < stored["plan"]["minutes"]:
            raise RunError(f"{self.folder} was trained for {stored['plan']['minutes']} minutes already.")
        self.result = {**stored, "plan": asdict(self.plan)}

    def _store(self) -> None:
        with replacing(self.folder / "result.json") as part:
            part.write_text(json.dumps(self.result, indent=1) + "\n", encoding="utf-8")


def _cpu_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _machine(plan: Plan) -> dict[str, Any]:
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").is_file():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    if plan.device != "cpu":
        name += f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else f", {plan.device}"
    return {"processor": name, "cores": os.cpu_count(), "torch": torch.__version__, "python": platform.python_version()}
