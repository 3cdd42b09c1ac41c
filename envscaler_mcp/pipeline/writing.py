"""A world of one sentence: synthesized with a model as every other, and left for its author to look at and to publish."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from pydantic import SecretStr

from envscaler_mcp.artifacts.artifact import Part
from envscaler_mcp.config.choices import SHIPPED
from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.errors import EmitError, ungrouped
from envscaler_mcp.home import Home, read_home
from envscaler_mcp.llm import Endpoint, Ledger, ModelParams, Price
from envscaler_mcp.pipeline.building import Built
from envscaler_mcp.pipeline.synthesis_run import SynthesisSettings, synthesis_run
from envscaler_mcp.pipeline.synthesizing import Synthesis, SynthesisStep
from envscaler_mcp.settings import Settings, secret_named
from envscaler_mcp.synthesis.topics.mining import RawTask

ANSWER_TOKENS = 32_000
ANSWER_SECONDS = 600.0
_LOOK_SECONDS = 0.5
"""How often is looked what was asked since."""

Say = Callable[..., None]
"""Gets what is to be said of how far it is."""


class WorldWriter(Part):
    """The model that writes worlds, where it is asked, and what it costs. Its key stays in the environment."""

    settings: Settings
    model: str
    price: Price | None = None


async def write_world(writer: WorldWriter, budget: float | None, sentence: str, folder: Path, say: Say) -> Built:
    """The environment that a model wrote of this sentence; EmitError where none came of it."""
    options = SynthesisSettings(
        wanted=SynthesisConfig(environments=1, scenarios=SHIPPED),
        asking=ModelParams(model=writer.model, max_tokens=ANSWER_TOKENS),
        endpoint=_endpoint(writer.settings),
        price=writer.price,
        budget=budget,
    )
    costs = _Costs(say)
    with ungrouped():
        async with anyio.create_task_group() as watching:
            watching.start_soon(costs.watch)
            try:
                synthesis, _ = await synthesis_run(
                    options,
                    [RawTask(sentence, 1)],
                    folder / "run",
                    folder / "servers",
                    folder / "registry.json",
                    costs.on,
                    _known(writer.settings),
                )
            finally:
                costs.tell()
                watching.cancel_scope.cancel()
    return _admitted(synthesis)


def _endpoint(settings: Settings) -> Endpoint:
    variable, url = settings.model.key_variable, settings.model.base_url
    key = SecretStr(secret_named(variable) or "")
    endpoint = Endpoint(api_key=key, key_variable=variable, timeout=ANSWER_SECONDS)
    return endpoint if url is None else endpoint.model_copy(update={"base_url": url})


def _known(settings: Settings) -> Home | None:
    """The environments that it is to differ from."""
    return read_home(settings) if settings.shipped is not None or settings.registry_file.is_file() else None


def _admitted(synthesis: Synthesis) -> Built:
    if synthesis.admitted:
        return synthesis.admitted[0].built
    reasons = [
        *(failure.reason for failure in synthesis.failed),
        *(f"{left.topic.title}: {left.reason}" for left in synthesis.left_out),
        synthesis.stopped,
    ]
    raise EmitError("; ".join(filter(None, reasons)) or "The model named no line of work that the sentence is about.")


class _Costs:
    """Says each step, and what was asked so far, as soon as it is known."""

    def __init__(self, say: Say) -> None:
        self.ledger: Ledger | None = None
        self._say = say
        self._said: dict[str, Any] = {}

    def on(self, step: SynthesisStep, ledger: Ledger) -> None:
        self.ledger = ledger
        self._said = self._questions()
        self._say(step=step.stage, said=step.said[:500], topic=step.topic, **self._said)

    async def watch(self) -> None:
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            self.tell()

    def tell(self) -> None:
        """What was asked since the last line, if anything was."""
        questions = self._questions()
        if questions != self._said:
            self._said = questions
            self._say(**questions)

    def _questions(self) -> dict[str, Any]:
        if self.ledger is None:
            return {}
        rows = [
            {
                "about": purpose,
                "asked": line.asked,
                "tokens_in": line.prompt_tokens,
                "tokens_out": line.completion_tokens,
                "dollars": None if line.unpriced else line.dollars,
            }
            for purpose, line in sorted(self.ledger.lines.items())
        ]
        return {"questions": rows, "spent": self.ledger.total.dollars}
