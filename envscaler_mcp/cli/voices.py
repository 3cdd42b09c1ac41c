"""Where the models of a run are asked, as its options say."""

from __future__ import annotations

from pathlib import Path

import typer

from envscaler_mcp.cli.models import Pace, price_at, reached
from envscaler_mcp.llm.prices import LedgerLine
from envscaler_mcp.runs import PricedEndpoint
from envscaler_mcp.settings import Settings, secret_named


def place_of(
    settings: Settings, model: str, pace: Pace, price: str | None, prices: Path | None, budget: float | None, who: str
) -> PricedEndpoint:
    """The endpoint of these settings, and the price of the model of `agent` or `user`; a budget needs it."""
    option = "--price" if who == "agent" else f"--{who}-price"
    endpoint, _ = reached(settings, model, pace, needed=True, option=f"--{who}")
    place = PricedEndpoint(endpoint, price_at(settings, model, price, prices, option))
    if place.price is None and budget is not None:
        raise typer.BadParameter(
            f"a budget needs the price of {model!r}: dollars for a million tokens in and out, such as 2,8",
            param_hint=option,
        )
    return place


def elsewhere(settings: Settings, url: str | None, key_variable: str | None) -> Settings:
    """The settings with another endpoint; the key of one endpoint is never sent to another."""
    if url is None and key_variable is None:
        return settings
    if key_variable is not None and secret_named(key_variable) is None:
        raise typer.BadParameter(f"there is no key in {key_variable}", param_hint="--user-key")
    change = {"base_url": url or settings.model.base_url, "key_variable": key_variable or ""}
    return settings.model_copy(update={"model": settings.model.model_copy(update=change)})


def cost_sentence(spent: LedgerLine) -> str:
    """What was spent, in a sentence; dollars as far as prices are known."""
    tokens = f"{spent.prompt_tokens:,} tokens in, {spent.completion_tokens:,} out"
    dollars = f"${spent.dollars:.2f} for "
    if spent.unpriced:
        dollars = f"At least {dollars}" if spent.dollars else ""
    return f"{dollars}{spent.asked:,} answers of models: {tokens}."
