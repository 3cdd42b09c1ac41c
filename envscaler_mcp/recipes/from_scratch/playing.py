"""A model plays many episodes at once; every answer comes from the world that was called."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from envscaler_mcp.artifacts import FreshTask
from envscaler_mcp.recipes.from_scratch.demonstrations import Lesson, Prompt
from envscaler_mcp.recipes.from_scratch.model import Cache, Decoder
from envscaler_mcp.recipes.from_scratch.tokenizer import Tokenizer
from envscaler_mcp.recipes.from_scratch.training import padded
from envscaler_mcp.rl import Episode, Gym

_LONGEST_LINE = 96
"""Tokens that the agent may write in a line."""
WRITES = 500
"""Tokens that the agent may write in an episode, several times what an oracle needs."""
_CHUNK = 256
"""Tokens that are read at once."""


@dataclass(slots=True)
class _Line:
    """What the agent writes before it reads again."""

    tokens: list[int] = field(default_factory=list)
    likelihoods: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Rollout:
    """An episode that was played, as numbers."""

    episode: Episode
    tokens: array[int] = field(default_factory=lambda: array("H"))
    written: bytearray = field(default_factory=bytearray)
    likelihoods: list[float] = field(default_factory=list)
    """The logarithm of the chance with which each token of the agent was drawn."""
    read: int = 0
    """How many of the tokens the model has read."""
    refused: int = 0

    def add(self, numbers: Sequence[int], *, by_agent: bool) -> None:
        """Tokens of the agent, or those it is shown."""
        self.tokens.extend(numbers)
        self.written.extend(bytes([by_agent]) * len(numbers))

    @property
    def lesson(self) -> Lesson:
        """To learn from."""
        return Lesson(self.tokens, bytes(self.written))


def roll_out(
    model: Decoder,
    tokenizer: Tokenizer,
    episodes: Sequence[Episode],
    prompt: Prompt,
    *,
    temperature: float = 0.0,
    seed: int = 0,
    longest: int = 4000,
) -> list[Rollout]:
    """Each episode to its end: when the model says so, when its budget is used up, or when it is too long."""
    device = model.embedding.weight.device
    generator = torch.Generator(device).manual_seed(seed)
    rollouts = [Rollout(episode) for episode in episodes]
    for rollout in rollouts:
        rollout.add([*tokenizer.encode(prompt(rollout.episode)), tokenizer.call], by_agent=False)
    model.eval()
    with torch.inference_mode():
        playing = list(rollouts)
        cache = Cache(model.shape, len(playing), device=device, dtype=model.embedding.weight.dtype)
        while playing:
            logits = _read(model, cache, playing)
            lines = _lines(model, cache, tokenizer, logits, temperature, generator)
            for rollout, line in zip(playing, lines, strict=True):
                _act(rollout, line, tokenizer)
            stay = [
                place
                for place, rollout in enumerate(playing)
                if not rollout.episode.done and len(rollout.tokens) < longest
            ]
            if len(stay) < len(playing):
                cache.keep(torch.tensor(stay, dtype=torch.long, device=device))
                playing = [playing[place] for place in stay]
    return rollouts


def _read(model: Decoder, cache: Cache, rollouts: Sequence[Rollout]) -> Tensor:
    """What comes after all that each one was shown, as logits."""
    device = model.embedding.weight.device
    logits = torch.zeros(len(rollouts), model.embedding.num_embeddings, device=device)
    while True:
        rows = [row for row, rollout in enumerate(rollouts) if rollout.read < len(rollout.tokens)]
        if not rows:
            return logits
        chunks = [rollouts[row].tokens[rollouts[row].read : rollouts[row].read + _CHUNK] for row in rows]
        counts = torch.tensor([len(chunk) for chunk in chunks], device=device)
        chosen = torch.tensor(rows, device=device)
        logits[chosen] = model.feed(padded(chunks).to(device), counts, cache, chosen).float()
        for row, chunk in zip(rows, chunks, strict=True):
            rollouts[row].read += len(chunk)


def _lines(
    model: Decoder,
    cache: Cache,
    tokenizer: Tokenizer,
    logits: Tensor,
    temperature: float,
    generator: torch.Generator,
) -> list[_Line]:
    """A line of each row, with its end."""
    lines = [_Line() for _ in range(len(logits))]
    rows = torch.arange(len(logits), device=logits.device)
    while True:
        likelihoods = (logits / (temperature or 1.0)).log_softmax(-1)
        if temperature:
            chosen = torch.multinomial(likelihoods.exp(), 1, generator=generator)[:, 0]
        else:
            chosen = logits.argmax(-1)
        drawn = likelihoods.gather(1, chosen[:, None])[:, 0].tolist()
        going = []
        for place, (row, token) in enumerate(zip(rows.tolist(), chosen.tolist(), strict=True)):
            lines[row].tokens.append(token)
            lines[row].likelihoods.append(drawn[place])
            if token != tokenizer.end and len(lines[row].tokens) < _LONGEST_LINE:
                going.append(place)
        if not going:
            return lines
        places = torch.tensor(going, device=logits.device)
        rows, chosen = rows[places], chosen[places]
        logits = model.feed(chosen[:, None], torch.ones_like(rows), cache, rows).float()


def _act(rollout: Rollout, line: _Line, tokenizer: Tokenizer) -> None:
    """Make the move that the line says. The last token of a line was not read yet, the others were."""
    rollout.add(line.tokens, by_agent=True)
    rollout.likelihoods.extend(line.likelihoods)
    rollout.read += len(line.tokens) - 1
    said = tokenizer.decode(token for token in line.tokens if token != tokenizer.end)
    if not said:
        rollout.episode.finish()
        return
    tool, _, arguments = said.partition(" ")
    answer = rollout.episode.call(tool, arguments, tokens=len(line.tokens))
    rollout.refused += answer.refused
    rollout.add([tokenizer.result, *tokenizer.encode(str(answer)), tokenizer.call], by_agent=False)


@dataclass(frozen=True, slots=True)
class Score:
    """How many tasks were solved."""

    tasks: int
    solved: int
    reward: float
    """The mean."""
    masked: int
    refused: int
    """Calls that the worlds refused."""
    by_story: dict[str, tuple[int, int]]
    """Of the tasks that a story is part of: how many were solved, of how many."""


def score(
    model: Decoder, tokenizer: Tokenizer, gym: Gym, tasks: Sequence[FreshTask], prompt: Prompt, *, at_once: int = 64
) -> Score:
    """Each task is played once, always with the likeliest token, and judged as a run judges it: all checks and the frame."""
    solved = refused = masked = 0
    rewards: list[float] = []
    stories: dict[str, list[bool]] = {}
    for begin in range(0, len(tasks), at_once):
        episodes = gym.open_many(tasks[begin : begin + at_once], max_tokens=WRITES)
        try:
            rollouts = roll_out(model, tokenizer, episodes, prompt)
            for rollout, verdict in zip(rollouts, gym.verify_many(episodes), strict=True):
                if verdict.masked:
                    masked += 1
                    continue
                solved += verdict.solved
                refused += rollout.refused
                rewards.append(verdict.reward)
                for story in stories_of(rollout.episode):
                    stories.setdefault(story, []).append(verdict.solved)
        finally:
            gym.close_many(episodes)
    return Score(
        tasks=len(rewards),
        solved=solved,
        reward=sum(rewards) / max(1, len(rewards)),
        masked=masked,
        refused=refused,
        by_story={story: (sum(each), len(each)) for story, each in sorted(stories.items())},
    )


def stories_of(episode: Episode) -> list[str]:
    """The stories that the task of an episode tells."""
    conversation = episode.scenario.conversation
    return sorted({goal.story for goal in conversation.goals}) if conversation is not None else []
