"""The words that documents, options and messages share: closed sets, and the numbers that hold by default.

Nothing is imported here, so that a help text can name them without loading what they are about.
"""

from __future__ import annotations

from typing import Literal

Level = Literal["easy", "medium", "hard"]
Split = Literal["train", "validation", "held_out"]
Mode = Literal["task", "conversation"]
"""Whether the agent gets the whole task at once, or a user who answers."""
Via = Literal["direct", "worker", "stdio", "http"]
"""How a world is reached: in this process, in a worker, or through a server over stdio or HTTP."""
Scoring = Literal["framed", "upstream"]
"""Whether a change outside the frame earns nothing, or is ignored as in the published rule."""
Engine = Literal["local", "ray"]
Owner = Literal["agent", "environment", "checker", "user_simulator", "timeout", "infrastructure"]
Isolation = Literal["local", "auto", "portable", "hard", "trusted"]

PERSON = "person"
AGENTS = ("oracle", "noop", "random", PERSON, "scripted:FILE", "openai:MODEL", "prompted:MODEL", "module:Class")
USERS = ("scripted", PERSON, "openai:MODEL")

MAX_TOKENS, ANSWER_TOKENS = 100_000, 8_000
"""What a model may write in one episode and in one answer."""
MAX_STEPS = 60
PUBLISHED_STEPS: dict[Mode, int] = {"task": 30, "conversation": 40}
"""Steps of an episode; with published scoring, the published numbers."""
MAX_SECONDS, PERSON_SECONDS = 300.0, 24 * 3600.0
"""Duration of an episode; with a person as agent or user, the second number."""
