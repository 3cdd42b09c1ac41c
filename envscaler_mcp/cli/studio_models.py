"""The models of a studio, as options name them: one that plays tasks, and one that plays the users of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.lookup import settings_of

if TYPE_CHECKING:
    from envscaler_mcp.farm.studio_agents import StudioModel
    from envscaler_mcp.farm.studio_users import StudioUser

USER_HELP = (
    "Who plays the users of benchmarks in the studio: a model, such as openai:MODEL, or `scripted`, who says the whole task "
    "at once. Default: the person in front of the page."
)
_SECONDS = 120.0
"""How long is waited for an answer of a model."""


def playing_model(ctx: typer.Context, agent: str, budget: float | None) -> StudioModel | None:
    """The model of `--agent`, if one is named."""
    from envscaler_mcp.episode.agents import model_of_agent

    return _model(ctx, agent, model_of_agent(agent), budget, "agent") if agent else None


def answering_user(
    ctx: typer.Context, user: str, benchmarks: Sequence[str], budget: float | None = None
) -> StudioUser | None:
    """Who plays the users of these benchmarks, if `--user` says so."""
    from envscaler_mcp.episode.users import model_of_user

    if user and not benchmarks:
        raise typer.BadParameter("it plays the users of benchmarks; name one with --benchmark", param_hint="--user")
    if user in ("", "scripted"):
        return "scripted" if user else None
    return _model(ctx, user, model_of_user(user), budget, "user")


def _model(ctx: typer.Context, named: str, model: str | None, budget: float | None, who: str) -> StudioModel:
    from envscaler_mcp.cli.models import Pace
    from envscaler_mcp.cli.voices import place_of
    from envscaler_mcp.config.choices import ANSWER_TOKENS
    from envscaler_mcp.farm.studio_agents import StudioModel
    from envscaler_mcp.llm import ModelParams

    if not model:
        raise typer.BadParameter(f"{named!r} is no model; write it as openai:MODEL", param_hint=f"--{who}")
    place = place_of(settings_of(ctx), model, Pace(parallel=4, timeout=_SECONDS), None, None, budget, who)
    return StudioModel(named, place.endpoint, ModelParams(model=model, max_tokens=ANSWER_TOKENS), place.price, budget)
