"""GRPO: groups of episodes that are forked from one start, each compared with the others of its group."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean, pstdev

import torch
from torch.nn import functional

from envscaler_mcp.artifacts import FreshTask
from envscaler_mcp.recipes.from_scratch.demonstrations import Prompt
from envscaler_mcp.recipes.from_scratch.model import Decoder
from envscaler_mcp.recipes.from_scratch.playing import WRITES, Rollout, roll_out
from envscaler_mcp.recipes.from_scratch.tokenizer import Tokenizer
from envscaler_mcp.recipes.from_scratch.training import padded
from envscaler_mcp.rl import Gym


@dataclass(frozen=True, slots=True)
class Reinforcing:
    """How episodes are drawn and learned from."""

    steps: int = 30
    tasks: int = 8
    """Of a step."""
    group: int = 8
    """Episodes of a task."""
    rate: float = 1e-4
    clip: float = 0.2
    batches: int = 2
    """Updates of a step."""
    temperature: float = 1.0
    tokens: int = 8192
    """That are learned from at once, padding included."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Judged:
    rollout: Rollout
    advantage: float


Report = Callable[[dict[str, float]], None]


def reinforce(
    model: Decoder,
    tokenizer: Tokenizer,
    gym: Gym,
    tasks: Iterable[FreshTask],
    plan: Reinforcing,
    prompt: Prompt,
    report: Report = lambda _: None,
) -> list[dict[str, float]]:
    """Improve the model in place; for each step the mean reward of what was drawn, before it was learned from."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, betas=(0.9, 0.95), weight_decay=0.0)
    endless = iter(tasks)
    log: list[dict[str, float]] = []
    began, cpu = time.monotonic(), time.process_time()
    for step in range(plan.steps):
        groups = [
            _group(model, tokenizer, gym, chosen, prompt, plan, step)
            for chosen in _parts(islice(endless, plan.tasks), 8)
        ]
        judged = [each for part, _, _ in groups for each in part]
        rewards = [reward for _, part, _ in groups for reward in part]
        solved = [each for _, _, part in groups for each in part]
        moved = _learn(model, optimizer, judged, plan, random.Random(f"{plan.seed} {step}"))
        line = {
            "step": step,
            "reward": fmean(rewards) if rewards else 0.0,
            "solved": fmean(solved) if solved else 0.0,
            "episodes": len(rewards),
            "learned": len(judged),
            "moved": moved,
            "seconds": time.monotonic() - began,
            "cpu": time.process_time() - cpu,
        }
        log.append(line)
        report(line)
    return log


def _parts(tasks: Iterator[FreshTask], many: int) -> Iterator[list[FreshTask]]:
    while part := list(islice(tasks, many)):
        yield part


def _group(
    model: Decoder,
    tokenizer: Tokenizer,
    gym: Gym,
    tasks: Sequence[FreshTask],
    prompt: Prompt,
    plan: Reinforcing,
    step: int,
) -> tuple[list[_Judged], list[float], list[bool]]:
    """What is learned from, and the rewards, of some tasks: each is opened once and forked."""
    starts = gym.open_many(tasks, max_tokens=WRITES)
    episodes = [episode for start in starts for episode in start.fork_many(plan.group)]
    try:
        seed = hash((plan.seed, step, tasks[0].scenario.seed)) & 0xFFFFFFFF
        rollouts = roll_out(model, tokenizer, episodes, prompt, temperature=plan.temperature, seed=seed)
        verdicts = gym.verify_many(episodes)
    finally:
        gym.close_many([*starts, *episodes])
    judged: list[_Judged] = []
    for begin in range(0, len(episodes), plan.group):
        group = slice(begin, begin + plan.group)
        # A masked episode says nothing about the policy.
        counted = [
            (rollout, verdict.reward)
            for rollout, verdict in zip(rollouts[group], verdicts[group], strict=True)
            if not verdict.masked
        ]
        rewards = [reward for _, reward in counted]
        if len(rewards) > 1 and (spread := pstdev(rewards)) > 0:
            judged += [_Judged(rollout, (reward - fmean(rewards)) / spread) for rollout, reward in counted]
    clean = [verdict for verdict in verdicts if not verdict.masked]
    return judged, [verdict.reward for verdict in clean], [verdict.solved for verdict in clean]


def _learn(
    model: Decoder,
    optimizer: torch.optim.Optimizer,
    judged: Sequence[_Judged],
    plan: Reinforcing,
    chance: random.Random,
) -> float:
    """Some updates; how far the last one was from the policy that drew the episodes, as a share of tokens clipped."""
    order = chance.sample(judged, len(judged))
    many = -(-len(order) // plan.batches) if order else 0
    clipped = tokens = 0
    model.train()
    for begin in range(0, len(order), many or 1):
        batch = order[begin : begin + many]
        written = sum(len(each.rollout.likelihoods) for each in batch)
        optimizer.zero_grad()
        for part in _by_length(batch, plan.tokens):
            loss, beyond = _loss(model, part, plan)
            (loss / written).backward()
            clipped += beyond
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        tokens += written
    return clipped / tokens if tokens else 0.0


def _by_length(judged: Sequence[_Judged], most: int) -> Iterator[list[_Judged]]:
    part: list[_Judged] = []
    for each in sorted(judged, key=lambda each: len(each.rollout.tokens)):
        if part and len(each.rollout.tokens) * (len(part) + 1) > most:
            yield part
            part = []
        part.append(each)
    if part:
        yield part


def _loss(model: Decoder, part: Sequence[_Judged], plan: Reinforcing) -> tuple[torch.Tensor, int]:
    device = model.embedding.weight.device
    tokens = padded([each.rollout.tokens for each in part]).to(device)
    written = padded([each.rollout.written for each in part]).to(device)[:, 1:].bool()
    with torch.autocast(device.type, torch.bfloat16):
        logits = model(tokens[:, :-1], written)
    likelihoods = -functional.cross_entropy(logits.float() / plan.temperature, tokens[:, 1:][written], reduction="none")
    before = torch.tensor([value for each in part for value in each.rollout.likelihoods], device=device)
    counts = torch.tensor([len(each.rollout.likelihoods) for each in part], device=device)
    advantages = torch.tensor([each.advantage for each in part], device=device).repeat_interleave(counts)
    ratio = (likelihoods - before).exp()
    held = ratio.clamp(1 - plan.clip, 1 + plan.clip)
    loss = -torch.minimum(ratio * advantages, held * advantages).sum()
    return loss, int((ratio != held).sum())
