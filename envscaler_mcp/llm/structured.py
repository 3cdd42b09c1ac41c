"""Answers of a shape: read, checked, and sent back with what is wrong until they can be used."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from envscaler_mcp.artifacts.artifact import Part
from envscaler_mcp.artifacts.canonical import canonical_json
from envscaler_mcp.errors import ArtifactError, ModelError
from envscaler_mcp.llm.bullets import bullets
from envscaler_mcp.llm.chat import ChatModel, ChatRequest, Message
from envscaler_mcp.prompts import Prompt

_DEEPEST = 100
"""Documents are written down within others, and pydantic writes none of more than 255 levels."""
T = TypeVar("T")
Shape = TypeVar("Shape", bound=BaseModel)

_FENCE = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+([\w+-]*+)")


class MisfitError(Exception):
    """An answer cannot be used; the message tells the model why."""


class UnusableError(ModelError):
    """No answer could be used, however often it was asked for."""

    def __init__(self, message: str, last: str) -> None:
        super().__init__(message)
        self.last = last
        """The last answer."""


class ModelParams(Part):
    """How a run puts its questions."""

    model: str
    temperature: float | None = None
    max_tokens: int = 16_000
    rounds: int = 3
    """How often an answer that cannot be used is sent back."""


async def ask(
    model: ChatModel,
    asking: ModelParams,
    prompt: Prompt,
    shape: type[Shape],
    *,
    check: Callable[[Shape], object] = lambda _: None,
    draw: int = 0,
) -> Shape:
    """An answer of the shape; `check` raises where it has the shape and is wrong all the same."""

    def use(answer: Shape) -> Shape:
        check(answer)
        return answer

    return await ask_to(model, asking, prompt, shape, use, draw=draw)


async def ask_to(
    model: ChatModel,
    asking: ModelParams,
    prompt: Prompt,
    shape: type[Shape],
    use: Callable[[Shape], T | Awaitable[T]],
    *,
    draw: int = 0,
) -> T:
    """What `use` makes of an answer of the shape, at once or after a while."""

    def read(text: str) -> T | Awaitable[T]:
        try:
            return use(shape.model_validate(json_in(text)))
        except ValidationError as error:
            raise MisfitError(_what_is_wrong(error)) from error

    return await ask_for(model, asking, prompt, read, schema=shape.model_json_schema(), draw=draw)


async def ask_for(
    model: ChatModel,
    asking: ModelParams,
    prompt: Prompt,
    read: Callable[[str], T | Awaitable[T]],
    *,
    schema: dict[str, Any] | None = None,
    draw: int = 0,
) -> T:
    """What `read` makes of an answer, at once or after a while. Where it finds a misfit, the model answers again."""
    messages = [Message(role="system", content=prompt.system), Message(role="user", content=prompt.user)]
    if schema is not None:
        form = f"\n\nAnswer with one JSON document of this schema and nothing else:\n```json\n{json.dumps(schema)}\n```"
        messages[1] = Message(role="user", content=prompt.user + form)
    limit, last, why = asking.max_tokens, "", ""
    for _ in range(asking.rounds + 1):
        answer = await model.answer(
            ChatRequest(
                purpose=prompt.name,
                model=asking.model,
                messages=tuple(messages),
                schema_name=prompt.name if schema is not None else "",
                shape=schema,
                temperature=asking.temperature,
                max_tokens=limit,
                draw=draw,
            )
        )
        if answer.finish == "refused":
            raise UnusableError(f"{asking.model!r} refuses to answer ({prompt.name}): {answer.text[:300]}", answer.text)
        last = answer.text
        try:
            if answer.finish == "length":
                limit *= 2
                raise MisfitError("It was cut off before its end. Answer again, whole and shorter.")
            result = read(last)
            return await result if isinstance(result, Awaitable) else result
        except MisfitError as misfit:
            why = str(misfit)
            messages += [
                Message(role="assistant", content=last),
                Message(role="user", content=f"This cannot be used.\n\n{why}\n\nAnswer again, whole."),
            ]
    raise UnusableError(
        f"{asking.model!r} gave no answer that can be used in {asking.rounds + 1} rounds ({prompt.name}): {why[:600]}",
        last,
    )


def json_in(text: str) -> Any:
    """The JSON document of an answer: the whole, or what stands in its last fence, or its outermost braces."""
    candidates = [text.strip(), *(block for _, block in reversed(_fences(text)))]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        candidates.append(text[start : end + 1])
    error = ""
    for candidate in candidates:
        try:
            return legible_json(candidate)
        except ValueError as cause:
            error = error or str(cause)
    raise MisfitError(f"It is no JSON document: {error}." if text.strip() else "It is empty.")


def legible_json(text: str) -> Any:
    """What a text says as JSON; ValueError also where it is too deep, or holds what cannot be written down again."""
    try:
        document = json.loads(text)
        if _deeper(document, _DEEPEST):
            raise RecursionError(f"it is nested more than {_DEEPEST} deep")
        canonical_json(document)
    except (RecursionError, ArtifactError) as cause:
        raise ValueError(str(cause)) from cause
    return document


def plain_object(text: str) -> dict[str, Any] | None:
    """The arguments of a call, if they are an object of plain JSON; none at all are none."""
    try:
        document = legible_json(text or "{}")
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _deeper(value: object, most: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(most == 0 or _deeper(item, most - 1) for item in inner)


def block_in(text: str, *languages: str) -> str:
    """The one fenced block of an answer in a language; the longest where there are several."""
    blocks = [block for language, block in _fences(text) if language.lower() in languages]
    blocks = blocks or [block for language, block in _fences(text) if not language]
    if not blocks:
        raise MisfitError(f"It holds no block fenced as ```{languages[0]}.")
    return max(blocks, key=len)


def _fences(text: str) -> list[tuple[str, str]]:
    """Language and text of each block; a fence that is never closed opens none."""
    lines = text.split("\n")
    closing: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        closing.setdefault(line.rstrip(" \t"), []).append(number)
    fences: list[tuple[str, str]] = []
    after = 0
    for number, line in enumerate(lines):
        fence = _FENCE.match(line) if number >= after else None
        ends = closing.get(fence[1], []) if fence is not None else []
        place = bisect_right(ends, number)
        if fence is not None and place < len(ends):
            fences.append((fence[2], "".join(f"{inside}\n" for inside in lines[number + 1 : ends[place]])))
            after = ends[place] + 1
    return fences


def _what_is_wrong(error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_url=False)[:12]:
        where = ".".join(str(step) for step in problem["loc"]) or "the document"
        lines.append(f"{where}: {problem['msg']}")
    return "The document does not have the shape that was asked for:\n" + bullets(lines)
