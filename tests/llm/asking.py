"""Questions as the tests put them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import SecretStr

from envscaler_mcp.llm import Author, ChatRequest, ChatResponse, Endpoint, Message, ModelParams, ToolCall
from envscaler_mcp.prompts import Prompt, Prompts

Calls = tuple[tuple[str, dict[str, Any]], ...]
Part = list[str | dict[str, Any]] | Callable[[ChatRequest], str] | Callable[[ChatRequest], str | Calls]


def question(text: str = "How many wards are there?", **more: object) -> ChatRequest:
    return ChatRequest.model_validate(
        {"purpose": "count_wards", "model": "small", "messages": (Message(role="user", content=text),), **more}
    )


def prompt(text: str = "How many wards are there?") -> Prompt:
    return Prompt(name="count_wards", digest="0" * 64, system="You count.", user=text)


def endpoint(url: str, **more: object) -> Endpoint:
    return Endpoint.model_validate({"base_url": url, "api_key": SecretStr("sk-test"), "timeout": 5.0, **more})


class Counting:
    """A model that answers with what it was asked, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []

    async def answer(self, question: ChatRequest) -> ChatResponse:
        self.asked.append(question)
        return ChatResponse(text=f"{question.messages[-1].content} ({question.draw})")


class Actor:
    """A model that plays a part: for each prompt what it says, one answer after the other, the last one again and again."""

    def __init__(self, **parts: Part) -> None:
        self.parts = {name: list(part) if isinstance(part, list) else part for name, part in parts.items()}
        self.asked: list[ChatRequest] = []

    async def answer(self, question: ChatRequest) -> ChatResponse:
        said = self.say(question)
        if isinstance(said, str):
            return ChatResponse(text=said)
        turn = len(question.messages)
        calls = (
            ToolCall(id=f"call_{turn}_{at}", name=name, arguments=json.dumps(given))
            for at, (name, given) in enumerate(said)
        )
        return ChatResponse(tool_calls=tuple(calls), finish="tool_calls")

    def say(self, question: ChatRequest) -> str | Calls:
        """What it says to a question, or the calls it makes."""
        self.asked.append(question)
        part = self.parts[question.purpose]
        if callable(part):
            return part(question)
        said = part.pop(0) if len(part) > 1 else part[0]
        return said if isinstance(said, str) else json.dumps(said)

    def author(self, rounds: int = 2) -> Author:
        return Author(self, ModelParams(model="small", rounds=rounds), Prompts())

    def times(self, purpose: str) -> int:
        return sum(question.purpose == purpose for question in self.asked)


def plays(*turns: Calls | str) -> Callable[[ChatRequest], str | Calls]:
    """A solver that does these things one after the other, whatever it is answered."""

    def turn(question: ChatRequest) -> str | Calls:
        return turns[sum(message.role == "assistant" for message in question.messages)]

    return turn
