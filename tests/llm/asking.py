"""Questions as the tests put them."""

from __future__ import annotations

from pydantic import SecretStr

from envscaler_mcp.llm import Answer, Endpoint, Message, Question
from envscaler_mcp.prompts import Prompt


def question(text: str = "How many wards are there?", **more: object) -> Question:
    return Question.model_validate(
        {"purpose": "count_wards", "model": "small", "messages": (Message(role="user", content=text),), **more}
    )


def prompt(text: str = "How many wards are there?") -> Prompt:
    return Prompt(name="count_wards", digest="0" * 64, system="You count.", user=text)


def endpoint(url: str, **more: object) -> Endpoint:
    return Endpoint.model_validate({"base_url": url, "api_key": SecretStr("sk-test"), "timeout": 5.0, **more})


class Counting:
    """A model that answers with what it was asked, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(text=f"{question.messages[-1].content} ({question.draw})")
