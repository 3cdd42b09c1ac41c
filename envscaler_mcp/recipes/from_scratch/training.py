"""Trains a decoder on demonstrations for so many minutes, in a way that can be stopped and continued."""

from __future__ import annotations

import json
import random
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from envscaler_mcp.recipes.from_scratch.demonstrations import Lesson
from envscaler_mcp.recipes.from_scratch.model import Decoder, Shape

_WARM_UP = 100
"""Steps until the learning rate has its height."""
_SHARE_OF_ANSWERS = 0.12
"""How much of what the agent did not write is learned too, and how much that counts: it teaches to copy."""
_WEIGHT_OF_ANSWERS = 0.5
_EVERY = 50
"""Steps between two lines of the log."""
_CHECKPOINT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Schooling:
    """How a model is trained."""

    minutes: float
    """Of the threads' processor time: what a machine that does nothing else takes. On an accelerator, of the clock."""
    threads: int = 2
    batch: int = 6144
    """Tokens of a step, padding included."""
    rate: float = 3e-3
    decay: float = 0.6
    """The last part of the time, in which the learning rate falls to nothing."""
    seed: int = 0
    longest: int = 2048
    """Longer demonstrations are left out."""


@dataclass(slots=True)
class Spent:
    """How far a training is."""

    step: int = 0
    tokens: int = 0
    cpu: float = 0.0
    seconds: float = 0.0
    log: list[dict[str, float]] = field(default_factory=list)


Report = Callable[[dict[str, float]], None]


def train(
    lessons: Sequence[Lesson],
    size: int,
    shape: Shape,
    schooling: Schooling,
    checkpoint: Path,
    *,
    device: str = "cpu",
    report: Report = lambda _: None,
) -> tuple[Decoder, Spent]:
    """The model and what it took. A checkpoint that is there already is continued."""
    torch.set_num_threads(schooling.threads)
    torch.manual_seed(schooling.seed)
    model = Decoder(size, shape).to(device)
    optimizers = _optimizers(model, schooling)
    spent = Spent()
    if checkpoint.is_file():
        spent = _restore(checkpoint, model, optimizers)
    lessons = [lesson for lesson in lessons if len(lesson.tokens) <= schooling.longest]
    budget = schooling.minutes * 60
    begun = spent.step
    clock = _Clock(device, schooling.threads, spent)
    saved = clock.seconds
    while clock.used < budget:
        batches = _batches(lessons, schooling.batch, schooling.seed, _epoch(spent, lessons))
        for batch in batches:
            used = clock.used
            if used >= budget:
                break
            _set_rate(optimizers, _rate(spent.step, used / budget, schooling))
            figures = _step(model, optimizers, batch, device, random.Random(spent.step))
            spent.step += 1
            spent.tokens += sum(len(lesson.tokens) for lesson in batch)
            spent.cpu, spent.seconds = clock.cpu, clock.seconds
            if spent.step % _EVERY == 0:
                line = {"step": spent.step, "tokens": spent.tokens, "cpu": spent.cpu, "seconds": spent.seconds}
                line |= {name: float(value) for name, value in figures.items()} | {"used": used / budget}
                spent.log.append(line)
                report(line)
            if clock.seconds - saved > _CHECKPOINT_SECONDS:
                saved = clock.seconds
                save(checkpoint, model, spent, optimizers)
    if spent.step > begun:
        save(checkpoint, model, spent, optimizers)
    return model, spent


class _Clock:
    """What a training has used, earlier runs included."""

    def __init__(self, device: str, threads: int, spent: Spent) -> None:
        self._by_clock = device != "cpu"
        self._threads = threads
        self._cpu, self._seconds = spent.cpu - time.process_time(), spent.seconds - time.monotonic()

    @property
    def cpu(self) -> float:
        return self._cpu + time.process_time()

    @property
    def seconds(self) -> float:
        return self._seconds + time.monotonic()

    @property
    def used(self) -> float:
        """Seconds of the budget."""
        return self.seconds if self._by_clock else self.cpu / self._threads


def _optimizers(model: Decoder, schooling: Schooling) -> list[torch.optim.Optimizer]:
    """Matrices are learned by Muon, which learns more of each token; the others by AdamW."""
    matrices = [weight for weight in model.layers.parameters() if weight.dim() == 2 and min(weight.shape) > 8]
    chosen = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in chosen]
    return [
        torch.optim.Muon(matrices, lr=schooling.rate, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=schooling.rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def _rate(step: int, used: float, schooling: Schooling) -> float:
    falling = min(1.0, (1.0 - used) / schooling.decay)
    return schooling.rate * min(1.0, (step + 1) / _WARM_UP) * max(falling, 0.02)


def _set_rate(optimizers: Sequence[torch.optim.Optimizer], rate: float) -> None:
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = rate


def _epoch(spent: Spent, lessons: Sequence[Lesson]) -> int:
    return spent.tokens // max(1, sum(len(lesson.tokens) for lesson in lessons))


def _batches(lessons: Sequence[Lesson], most: int, seed: int, epoch: int) -> list[list[Lesson]]:
    """Lessons of like lengths beside each other, in an order by chance."""
    chance = random.Random(f"{seed} {epoch}")
    order = sorted(lessons, key=lambda lesson: len(lesson.tokens) * chance.uniform(0.93, 1.07))
    batches: list[list[Lesson]] = [[]]
    for lesson in order:
        length = max(len(other.tokens) for other in (*batches[-1], lesson))
        if batches[-1] and length * (len(batches[-1]) + 1) > most:
            batches.append([])
        batches[-1].append(lesson)
    chance.shuffle(batches)
    return batches


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of numbers as one tensor."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])


def _step(
    model: Decoder,
    optimizers: Sequence[torch.optim.Optimizer],
    batch: Sequence[Lesson],
    device: str,
    chance: random.Random,
) -> dict[str, Tensor]:
    tokens = padded([lesson.tokens for lesson in batch])
    written = padded([lesson.written for lesson in batch])[:, 1:].bool()
    real = torch.arange(1, tokens.shape[1]) < torch.tensor([len(lesson.tokens) for lesson in batch])[:, None]
    drawn = torch.rand(real.shape, generator=torch.Generator().manual_seed(chance.getrandbits(40))) < _SHARE_OF_ANSWERS
    wanted = (written | (drawn & real)).to(device)
    tokens = tokens.to(device)
    by_agent = written.to(device)[wanted]
    with torch.autocast(device, torch.bfloat16):
        logits = model(tokens[:, :-1], wanted)
    losses = functional.cross_entropy(logits.float(), tokens[:, 1:][wanted], reduction="none")
    weights = torch.where(by_agent, 1.0, _WEIGHT_OF_ANSWERS)
    loss = (losses * weights).sum() / weights.sum()
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers:
        optimizer.step()
    right = (logits.argmax(-1) == tokens[:, 1:][wanted])[by_agent].float().mean()
    return {"loss": losses[by_agent].mean().detach(), "right": right}


def save(path: Path, model: Decoder, spent: Spent, optimizers: Sequence[torch.optim.Optimizer] = ()) -> None:
    """Store a model, what it took, and what is needed to go on."""
    state: dict[str, Any] = {
        "model": model.state_dict(),
        "shape": asdict(model.shape),
        "size": model.embedding.num_embeddings,
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
        "spent": json.dumps(asdict(spent)),
    }
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.replace(path)


def load(path: Path, device: str = "cpu") -> tuple[Decoder, Spent]:
    """A model as it was stored."""
    state = torch.load(path, map_location=device, weights_only=True)
    model = Decoder(state["size"], Shape(**state["shape"])).to(device)
    model.load_state_dict(state["model"])
    return model, Spent(**json.loads(state["spent"]))


def store_lessons(lessons: Sequence[Lesson], path: Path) -> None:
    """Write lessons into a file."""
    stored = {
        "lengths": torch.tensor([len(lesson.tokens) for lesson in lessons]),
        "tokens": torch.tensor([token for lesson in lessons for token in lesson.tokens], dtype=torch.int32),
        "written": torch.tensor([by_agent for lesson in lessons for by_agent in lesson.written], dtype=torch.uint8),
    }
    part = path.with_suffix(".part")
    torch.save(stored, part)
    part.replace(path)


def read_lessons(path: Path) -> list[Lesson]:
    """Lessons as they were stored."""
    stored = torch.load(path, weights_only=True)
    lengths = stored["lengths"].tolist()
    return [
        Lesson(array("H", tokens.tolist()), bytes(written.tolist()))
        for tokens, written in zip(stored["tokens"].split(lengths), stored["written"].split(lengths), strict=True)
    ]


def _restore(path: Path, model: Decoder, optimizers: Sequence[torch.optim.Optimizer]) -> Spent:
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for optimizer, stored in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(stored)
    return Spent(**json.loads(state["spent"]))
