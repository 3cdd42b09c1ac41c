"""The models that play in a run, as its plan names them: their endpoints, and the budget that they share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.config.choices import ANSWER_TOKENS
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.providers import provider_of
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import RunError
from envscaler_mcp.llm import FREE, Budget, ChatModel, Endpoint, ModelParams, Price, Spending, paid_models
from envscaler_mcp.llm.access import Connect, chat_completions
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


@asynccontextmanager
async def open_models(
    plan: RunPlan,
    folder: Path,
    agent: PricedEndpoint | None = None,
    user: PricedEndpoint | None = None,
    *,
    budget: float | None = None,
    prompts: Path | None = None,
) -> AsyncIterator[tuple[ModelPlayer | None, ModelPlayer | None]]:
    """The models that play agent and user, for the block; none where a program or a person plays.

    What they cost is counted in the run's folder, and the budget holds for both over all starts of the run.
    """
    parts = (plan.agent, _params_of_agent(plan), agent), (plan.user, _params_of_user(plan), user)
    if not any(params for _, params, _ in parts):
        yield None, None
        return
    wordings = Prompts(prompts)
    other = next((name for name, digest in plan.prompts.items() if wordings.digest_of(name) != digest), None)
    if other is not None:
        raise RunError(f"The prompt {other!r} is not the one that the plan was made with; give the same --prompts.")
    async with AsyncExitStack() as stack:
        spending = stack.enter_context(Spending(folder / SPENT))
        shared = Budget(spending, budget)
        opened: dict[tuple[Endpoint, Connect], Callable[[Price | None], ChatModel]] = {}
        players: list[ModelPlayer | None] = []
        for name, params, place in parts:
            if params is None:
                players.append(None)
                continue
            if place is None:
                raise RunError(f"{name!r} is played by a model; say where it is asked.")
            if budget is not None and place.price is None:
                raise RunError(f"A budget needs the price of {params.model!r}.")
            provider, _ = provider_of(name)
            key = place.endpoint, chat_completions if provider is None else provider.connect
            if key not in opened:
                reached = paid_models(place.endpoint, spending, shared, key[1])
                opened[key] = await stack.enter_async_context(reached)
            model = opened[key](place.price)
            players.append(ModelPlayer(model, params, place.price or FREE, wordings))
        yield players[0], players[1]


def spent_in(folder: Path) -> LedgerLine | None:
    """What a run has spent on models in all its starts, if it asked any."""
    if not (folder / SPENT).is_file():
        return None
    with Spending(folder / SPENT) as spending:
        return spending.ledger.total


def _params_of_agent(plan: RunPlan) -> ModelParams | None:
    model = model_of_agent(plan.agent)
    if not model:
        return None
    return ModelParams(model=model, temperature=plan.temperature, max_tokens=plan.answer_tokens or ANSWER_TOKENS)


def _params_of_user(plan: RunPlan) -> ModelParams | None:
    model = model_of_user(plan.user)
    return ModelParams(model=model, temperature=USER_TEMPERATURE, max_tokens=USER_TOKENS) if model else None
