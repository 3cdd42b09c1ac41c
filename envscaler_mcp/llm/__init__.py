"""Talking to models: requests and responses, stored, counted and paid for once."""

from envscaler_mcp.artifacts.episode import Usage
from envscaler_mcp.llm.access import ModelAccess, model_access, paid_model, paid_models
from envscaler_mcp.llm.author import Author
from envscaler_mcp.llm.bullets import bullets
from envscaler_mcp.llm.charging import Budget, BudgetSpentError
from envscaler_mcp.llm.chat import ChatModel, ChatRequest, ChatResponse, Message, ToolCall, UnansweredError
from envscaler_mcp.llm.endpoint import Endpoint
from envscaler_mcp.llm.ledger import Spending
from envscaler_mcp.llm.prices import FREE, Ledger, Price, price_of, read_prices
from envscaler_mcp.llm.structured import (
    MisfitError,
    ModelParams,
    UnusableError,
    ask,
    ask_for,
    block_in,
    json_in,
    legible_json,
    plain_object,
)

__all__ = [
    "FREE",
    "Author",
    "Budget",
    "BudgetSpentError",
    "ChatModel",
    "ChatRequest",
    "ChatResponse",
    "Endpoint",
    "Ledger",
    "Message",
    "MisfitError",
    "ModelAccess",
    "ModelParams",
    "Price",
    "Spending",
    "ToolCall",
    "UnansweredError",
    "UnusableError",
    "Usage",
    "ask",
    "ask_for",
    "block_in",
    "bullets",
    "json_in",
    "legible_json",
    "model_access",
    "paid_model",
    "paid_models",
    "plain_object",
    "price_of",
    "read_prices",
]
