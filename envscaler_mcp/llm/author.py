"""A model that writes: with its prompts, its price and its patience behind it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.artifacts.artifact import Artifact, Provenance
from envscaler_mcp.llm.acting import Ended, Perform, act
from envscaler_mcp.llm.chat import ChatModel, ChatRequest, Message
from envscaler_mcp.llm.structured import ModelParams, ask, ask_for, ask_to
from envscaler_mcp.prompts import Prompts

T = TypeVar("T")
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Author:
    """A model that is asked to write something."""

    model: ChatModel
    asking: ModelParams
    prompts: Prompts

    async def ask(
        self,
        prompt: str,
        shape: type[Shape],
        check: Callable[[Shape], object] = lambda _: None,
        /,
        *,
        draw: int = 0,
        **values: str,
    ) -> Shape:
        """An answer of a shape to the prompt of that name."""
        return await ask(self.model, self.asking, self.prompts.render(prompt, **values), shape, check=check, draw=draw)

    async def ask_to(
        self, prompt: str, shape: type[Shape], use: Callable[[Shape], T | Awaitable[T]], /, **values: str
    ) -> T:
        """What `use` makes of an answer of a shape to the prompt of that name."""
        return await ask_to(self.model, self.asking, self.prompts.render(prompt, **values), shape, use)

    async def ask_for(
        self, prompt: str, read: Callable[[str], T | Awaitable[T]], /, *, draw: int = 0, **values: str
    ) -> T:
        """What `read` makes of an answer to the prompt of that name."""
        return await ask_for(self.model, self.asking, self.prompts.render(prompt, **values), read, draw=draw)

    async def act(self, prompt: str, tools: Sequence[Tool], perform: Perform, turns: int, /, **values: str) -> Ended:
        """How its work with tools ended, as the prompt of that name sets it."""
        return await act(self.model, self.asking, self.prompts.render(prompt, **values), tools, perform, turns)

    async def vector(self, model: str, text: str) -> list[float]:
        """The numbers that an embedding model has for a text."""
        asked = ChatRequest(
            purpose="embed", kind="embedding", model=model, messages=(Message(role="user", content=text),)
        )
        answer = await self.model.answer(asked)
        return [float(number) for number in json.loads(answer.text)]

    def provenance(self, prompt: str, parents: Mapping[str, Artifact] | None = None) -> Provenance:
        """Where a document comes from that this author wrote."""
        return Provenance(
            author="model",
            parents={noun: parent.digest for noun, parent in (parents or {}).items()},
            model=self.asking.model,
            prompt_digest=self.prompts.digest_of(prompt),
        )
