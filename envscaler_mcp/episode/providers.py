"""The providers of models by name: an agent `openai:gpt-4.1` is the model gpt-4.1 of the provider `openai`."""

from __future__ import annotations

from dataclasses import dataclass

from envscaler_mcp.episode.calling import Calling, NativeCalls, WrittenCalls
from envscaler_mcp.llm.access import Connect, chat_completions
from envscaler_mcp.plugins import PlugIns


@dataclass(frozen=True, slots=True)
class ModelProvider:
    """How its models are asked, and how they call tools."""

    calling: Calling
    connect: Connect = chat_completions
    """Opens the models at an endpoint; prices, budgets and pauses are kept by the caller."""
    plays_users: bool = True
    """Whether its models may play the user of a conversation, too."""


OPENAI = ModelProvider(NativeCalls())
PROMPTED = ModelProvider(WrittenCalls(), plays_users=False)

PROVIDERS = PlugIns(
    "envscaler.model_providers",
    ModelProvider,
    {"openai": "envscaler_mcp.episode.providers:OPENAI", "prompted": "envscaler_mcp.episode.providers:PROMPTED"},
)


def provider_of(name: str) -> tuple[ModelProvider | None, str]:
    """The provider that a player's name begins with, and the model; nothing where no model plays."""
    kind, _, model = name.partition(":")
    return (PROVIDERS[kind], model) if model and kind in PROVIDERS else (None, "")
