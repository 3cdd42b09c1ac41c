"""The models that play in a run, as its plan has them: where each is asked, and the money that they share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from envscaler_mcp.config.choices import ANSWER_TOKENS
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import RunError
from envscaler_mcp.llm import FREE, Budget, ChatModel, Endpoint, ModelParams, Price, Spending, paid_models
from envscaler_mcp.llm.prices import LedgerLine
from envscaler_mcp.prompts import Prompts

SPENT = "spent.sqlite"
"""Lies in the run's folder."""
USER_TEMPERATURE, USER_TOKENS = 0.7, 4_000
"""The first is the paper's; the second leaves room for thoughts."""


@dataclass(frozen=True, slots=True)
class PricedEndpoint:
    """Where a model is asked, and what it costs there, if that is known."""

    endpoint: Endpoint
    price: Price | None = None


class Speaking(Protocol):
    """Who plays, and how their models are asked; a `RunPlan` says so."""

    @property
    def agent(self) -> str: ...

    @property
    def user(self) -> str: ...

    @property
    def answer_tokens(self) -> int | None: ...

    @property
    def temperature(self) -> float | None: ...

    @property
    def prompts(self) -> Mapping[str, str]: ...


@asynccontextmanager
async def open_voices(
    plan: Speaking,
    folder: Path,
    agent: PricedEndpoint | None = None,
    user: PricedEndpoint | None = None,
    *,
    budget: float | None = None,
    prompts: Path | None = None,
) -> AsyncIterator[tuple[ModelPlayer | None, ModelPlayer | None]]:
    """The voices of agent and user, for the block; whom no model plays has none.

    What they cost is counted in the run's folder, and the budget holds for both over all starts of the run.
    """
    parts = (plan.agent, _asking_of_agent(plan), agent), (plan.user, _asking_of_user(plan), user)
    if not any(asking for _, asking, _ in parts):
        yield None, None
        return
    worded = Prompts(prompts)
    other = next((name for name, digest in plan.prompts.items() if worded.digest_of(name) != digest), None)
    if other is not None:
        raise RunError(
            f"The prompt {other!r} reads otherwise than the plan says; hand in the prompts it was made with."
        )
    async with AsyncExitStack() as stack:
        spending = stack.enter_context(Spending(folder / SPENT))
        purse = Budget(spending, budget)
        asked: dict[Endpoint, Callable[[Price | None], ChatModel]] = {}
        voices: list[ModelPlayer | None] = []
        for name, asking, place in parts:
            if asking is None:
                voices.append(None)
                continue
            if place is None:
                raise RunError(f"{name!r} is played by a model; say where it is asked.")
            if budget is not None and place.price is None:
                raise RunError(f"A budget needs the price of {asking.model!r}.")
            if place.endpoint not in asked:
                reached = paid_models(place.endpoint, spending, purse)
                asked[place.endpoint] = await stack.enter_async_context(reached)
            model = asked[place.endpoint](place.price)
            voices.append(ModelPlayer(model, asking, place.price or FREE, worded))
        yield voices[0], voices[1]


def spent_in(folder: Path) -> LedgerLine | None:
    """What a run has spent on models in all its starts, if it asked any."""
    if not (folder / SPENT).is_file():
        return None
    with Spending(folder / SPENT) as spending:
        return spending.ledger.total


def _asking_of_agent(plan: Speaking) -> ModelParams | None:
    model = model_of_agent(plan.agent)
    if not model:
        return None
    return ModelParams(model=model, temperature=plan.temperature, max_tokens=plan.answer_tokens or ANSWER_TOKENS)


def _asking_of_user(plan: Speaking) -> ModelParams | None:
    model = model_of_user(plan.user)
    return ModelParams(model=model, temperature=USER_TEMPERATURE, max_tokens=USER_TOKENS) if model else None
