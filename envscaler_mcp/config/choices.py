"""The words that documents, options and messages share: closed sets, and the numbers that hold by default.

This module imports nothing, so that a help text can name them without loading the rooms that use them.
"""

from __future__ import annotations

from typing import Literal

Level = Literal["easy", "medium", "hard"]
Split = Literal["train", "validation", "held_out"]
Mode = Literal["task", "conversation"]
"""Whether the agent gets the whole task at once, or a user who answers."""
Via = Literal["direct", "worker", "stdio", "http"]
"""How a world is reached: in this process, in a worker, or through a server over stdio or HTTP."""
Calls = Literal["native", "written", "react", "act"]
"""How the model of an agent calls tools in a benchmark: by its endpoint's own means, or in words that its authors' code reads.

Authors who have several ways to write name them: `react` with a thought before each call, and `act` without."""
ProofExtent = Literal["whole", "half"]
"""Everything that a proof proves, or only that a task can be solved, is not given away and says what it needs."""
Scoring = Literal["framed", "upstream"]
"""Whether a change outside the frame earns nothing, or is ignored as in the published rule."""
Owner = Literal["agent", "environment", "checker", "user_simulator", "timeout", "infrastructure"]
Isolation = Literal["local", "auto", "portable", "hard", "trusted"]
HostProgram = Literal[
    "claude-desktop",
    "claude-code",
    "vscode",
    "cursor",
    "windsurf",
    "zed",
    "codex",
    "gemini",
    "goose",
    "lm-studio",
    "json",
]
"""`json` is any other host: the form that most of them read, and no file of its own."""
NATIVE, RANDOM = "native", "random"
"""What stands for a dialect where none is spoken, and where another is drawn each time."""
DISTURBANCES: dict[str, tuple[str, ...]] = {
    "observation": ("typos", "request", "tool-texts", "argument-texts"),
    "action": (
        "same-name-bare",
        "same-name-described",
        "same-name-arguments",
        "same-name-copy",
        "same-name-mixed",
        "redundant",
    ),
    "metadata": ("cost-suffix", "cost-number", "cost-short", "time-suffix", "time-number", "time-short"),
    "transition": ("timeout", "rate-limit", "denied", "server-error", "broken-json", "drift"),
}
"""What can be disturbed between an agent and its world, by group."""
ALL_DISTURBANCES = "all"
TokenScope = Literal["agent", "control", "read"]
StudioScope = Literal["control", "read"]
OfferedTasks = Literal["train", "all", "none"]
Keepable = Literal["masked", "user", "unfinished", "turns", "frame", "duplicate"]
"""Reasons for which an export leaves an episode out, unless `--keep` names them."""
EXPORT_FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "trl": ("TRL, messages and tools", (".jsonl", ".parquet")),
    "llama-factory": ("LLaMA-Factory's sharegpt, a row for each turn", (".jsonl",)),
    "alpaca": ("LLaMA-Factory's alpaca as in the paper, a row for each turn", (".jsonl",)),
    "ms-swift": ("ms-swift for agents", (".jsonl",)),
    "verl": ("verl, a prompt for each task", (".parquet",)),
    "skyrl": ("SkyRL, a prompt for each task", (".parquet",)),
    "atif": ("Harbor's ATIF, a folder with a file for each episode", ()),
}
"""What each format is, and how the name of its file ends; where nothing is named, a folder is written."""

PERSON = "person"
AGENTS = (
    "oracle",
    "oracle-once",
    "noop",
    "random",
    PERSON,
    "scripted:FILE",
    "openai:MODEL",
    "prompted:MODEL",
    "module:Class",
)
USERS = ("scripted", PERSON, "openai:MODEL")

MAX_TOKENS, ANSWER_TOKENS = 100_000, 8_000
"""What a model may write in one episode and in one answer."""
MAX_STEPS = 60
PUBLISHED_STEPS: dict[Mode, int] = {"task": 30, "conversation": 40}
"""Steps of an episode; with published scoring, the published numbers."""
MAX_SECONDS, PERSON_SECONDS = 300.0, 24 * 3600.0
"""Duration of an episode; with a person as agent or user, the second number."""
SHIPPED, SCENARIOS = 10, 40
"""How many scenarios of an environment ship, and how many `build` makes by default."""
SEED = 7
"""Seed of the first start state of an environment, and of the scenarios made for written classes."""
