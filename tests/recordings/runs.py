"""The runs that are recorded: from raw tasks to environments with proven scenarios, in every style."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.llm.asking import Actor
from tests.recordings import costume_store, seed_exchange
from tests.recordings.blueprint_author import blueprint_author
from tests.recordings.class_author import ClassAuthor

HERE = Path(__file__).parent
MODEL = "recorded-model"
PRICE = "2,8"


@dataclass(frozen=True)
class Run:
    """One recorded run."""

    name: str
    options: tuple[str, ...]
    author: Callable[[], Actor]
    environment: str
    scenarios: int

    @property
    def folder(self) -> Path:
        return HERE / self.name

    @property
    def tasks(self) -> Path:
        return self.folder / "tasks.txt"

    def command(self, home: Path, *words: str) -> list[str]:
        program = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), "synthesize"]
        given = ["--tasks", str(self.tasks), "--run", str(home / "run"), "--model", MODEL, "--price", PRICE]
        return [*program, *given, "--scenarios", str(self.scenarios), *self.options, *words]


def _code() -> Actor:
    return ClassAuthor(
        seed_exchange,
        seed_exchange.TOPIC,
        {"list_varieties": seed_exchange.REFUSED, "send_seeds": seed_exchange.FORGETFUL},
        ("send_seeds", 'packet["seeds"] -=', "The seeds are sent and stay in the packet."),
    ).actor()


RUNS = (
    Run("blueprint_style", ("--style", "blueprint"), lambda: blueprint_author(costume_store), "costume_store", 10),
    Run("code_style", ("--style", "code"), _code, "seed_exchange", 3),
    Run("task_first", ("--style", "code", "--plan", "task", "--judge", "local"), _code, "seed_exchange", 3),
)


def surroundings(url: str = "http://127.0.0.1:9/v1") -> dict[str, str]:
    """The variables of a run's process; by itself an endpoint that nobody answers at."""
    return {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-test", "COLUMNS": "200"}
