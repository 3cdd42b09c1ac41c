"""Questions put to any endpoint that speaks the chat completions protocol; the only module that imports `openai`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import TracebackType
from typing import Any, Literal, Self

import anyio
import httpx2
import openai
from openai.types.chat import ChatCompletion

from envscaler_mcp.artifacts.episode import Usage
from envscaler_mcp.llm.bounded_answers import bounded_client
from envscaler_mcp.llm.chat import ChatRequest, ChatResponse, Message, ToolCall, UnansweredError
from envscaler_mcp.llm.endpoint import Endpoint
from envscaler_mcp.llm.reasoning import without_thoughts
from envscaler_mcp.llm.structured import plain_object

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_OF_ENDPOINT = frozenset({401, 402, 425, 429, 529})
"""Said whatever was asked. With any other the endpoint may have refused, or broken down or grown late over, this question alone."""
_UNREADABLE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of looking into something that is not what it should be: the client hands it on as it is."""
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
Habit = Literal["max_completion_tokens", "no_temperature", "no_schema", "no_seed"]
_TOO_LONG = (
    "context_length", "context length", "maximum context", "context window", "context size", "context limit",
    "prompt is too long", "input is too long", "input token count", "maximum prompt length", "reduce the length",
)  # fmt: skip
_TOO_MUCH = ("too large", "at most", "maximum allowed", "valid range")
"""What is said of a limit of tokens that no answer may have."""


class OpenAIChat:
    """One client, and so one pool of connections, for a whole run."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key.get_secret_value() or "none",
            timeout=endpoint.timeout,
            max_retries=0,
            http_client=bounded_client(endpoint.timeout),
        )
        self._habits: dict[str, frozenset[Habit]] = {}
        """What each model was found not to understand."""
        self._answered: set[str] = set()
        """Models that have answered, and so may be asked."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def answer(self, question: ChatRequest) -> ChatResponse:
        """The answer, if it is whole in time."""
        try:
            with anyio.fail_after(self.endpoint.timeout):
                return await (self._embedded(question) if question.kind == "embedding" else self._told(question))
        except TimeoutError:
            raise self._late(question) from None

    async def _told(self, question: ChatRequest) -> ChatResponse:
        """An endpoint that does not know an option is asked again without it, and remembered."""
        while True:
            habits = self._habits.get(question.model, frozenset())
            try:
                completion = await self._client.chat.completions.create(**_request(question, habits))
            except openai.BadRequestError as error:
                learned = _learned(error, question, habits)
                if learned is None:
                    raise self._unanswered(error, question) from error
                self._habits[question.model] = habits | {learned}
            except openai.OpenAIError as error:
                raise self._unanswered(error, question) from error
            except (RecursionError, ValueError) as error:
                raise self._unreadable(question, "JSON") from error
            else:
                try:
                    answer = _answer(completion)
                except _UNREADABLE as error:
                    raise self._unreadable(question, f"chat completion: {_shown(completion)}") from error
                self._answered.add(question.model)
                return answer

    async def _embedded(self, question: ChatRequest) -> ChatResponse:
        text = question.messages[-1].content
        try:
            response = await self._client.embeddings.create(model=question.model, input=[text], encoding_format="float")
        except openai.OpenAIError as error:
            raise self._unanswered(error, question) from error
        except _UNREADABLE as error:
            raise self._unreadable(question, "JSON") from error
        try:
            numbers = [float(number) for number in response.data[0].embedding]
        except _UNREADABLE as error:
            raise self._unreadable(question, f"embedding: {_shown(response)}") from error
        return ChatResponse(text=json.dumps(numbers), usage=_usage(response.usage))

    def _unreadable(self, question: ChatRequest, what: str) -> UnansweredError:
        return UnansweredError(
            f"{self._doing(question)}: what came is no {what}", transient=True, charged=True, suspect=True
        )

    def _late(self, question: ChatRequest) -> UnansweredError:
        message = f"{self._doing(question)}: nothing came in {self.endpoint.timeout:g} s that is whole"
        return UnansweredError(message, transient=True, charged=True, suspect=True)

    def _doing(self, question: ChatRequest) -> str:
        return f"{question.model!r} at {self.endpoint.base_url} does not answer ({question.purpose})"

    def _unanswered(self, error: openai.OpenAIError, question: ChatRequest) -> UnansweredError:
        doing = self._doing(question)
        match error:
            case openai.APITimeoutError() if not isinstance(error.__cause__, _UNSENT):
                return self._late(question)
            case openai.APIConnectionError():
                charged = not isinstance(error.__cause__, _UNSENT)
                message = f"{doing}: {error.__cause__ or error}"
                # An endpoint that took the question and hung up may have broken down over it.
                return UnansweredError(message, transient=True, charged=charged, suspect=charged)
            case openai.APIStatusError():
                advice, too_long = self._advice(error, question), _is_too_long(error)
                return UnansweredError(
                    ". ".join([f"{doing}: {_said(error)}", *([advice] if advice else [])]),
                    transient=error.status_code in _TRANSIENT and not advice and not too_long,
                    after=_after(error.response.headers),
                    refused=bool(advice),
                    too_long=too_long,
                    suspect=error.status_code not in _OF_ENDPOINT,
                )
        return UnansweredError(f"{doing}: {error}", transient=isinstance(error, openai.APIError), suspect=True)

    def _advice(self, error: openai.APIStatusError, question: ChatRequest) -> str:
        """What to look at where no question would be answered; nothing where it is about this one alone."""
        if 300 <= error.status_code < 400:
            where = error.response.headers.get("location", "another address")
            return f"The endpoint sends us to {where[:200]!r}, where nothing is sent unasked; name that address if it is right"
        if error.status_code == 401 or (error.status_code == 403 and question.model not in self._answered):
            key = self.endpoint.key_variable if self.endpoint.api_key.get_secret_value() else ""
            return f"Look at the key in {key}" if key else "No key was sent"
        if error.status_code == 404:
            return "Look at the model's name and at the endpoint's address"
        if error.status_code == 402 or error.code == "insufficient_quota":
            return "Look at the account"
        if error.status_code == 400 and _asks_too_much(error):
            return f"Ask for fewer tokens at once than {question.max_tokens}"
        return ""


def _request(question: ChatRequest, habits: frozenset[Habit]) -> dict[str, Any]:
    # The client goes through messages and tools word by word, which takes longer than all the rest; what is extra it
    # sends as it is, in the place of what has the same name.
    extra: dict[str, Any] = {"messages": _sent(question.messages)}
    if question.tools:
        extra["tools"] = list(question.tools)
    request: dict[str, Any] = {"model": question.model, "messages": [], "extra_body": extra}
    if question.temperature is not None and "no_temperature" not in habits:
        request["temperature"] = question.temperature
    if question.seed is not None and "no_seed" not in habits:
        request["seed"] = question.seed
    if question.max_tokens is not None:
        name = "max_completion_tokens" if "max_completion_tokens" in habits else "max_tokens"
        request[name] = question.max_tokens
    if question.shape is not None and "no_schema" not in habits:
        shape = {"name": question.schema_name or "answer", "schema": question.shape}
        request["response_format"] = {"type": "json_schema", "json_schema": shape}
    return request


def _sent(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation as the strictest endpoints take it.

    They refuse all of it where two calls have one id, or one that is not nine letters and digits, where a call is
    malformed, and where a turn says nothing. Any model does that at times, and then no conversation could go on.
    """
    sent: list[dict[str, Any]] = []
    unanswered: list[tuple[str, str]] = []
    made = 0
    for message in messages:
        entry: dict[str, Any] = {"role": message.role, "content": message.content}
        if message.tool_calls:
            unanswered = [(call.id, f"call{made + place:05}") for place, call in enumerate(message.tool_calls)]
            made += len(unanswered)
            entry["tool_calls"] = [
                {
                    "id": new,
                    "type": "function",
                    "function": {"name": _name(call), "arguments": _readable(call.arguments)},
                }
                for call, (_, new) in zip(message.tool_calls, unanswered, strict=True)
            ]
        elif message.role == "assistant" and not message.content.strip():
            entry["content"] = "…"
        if message.role == "tool":
            answered = next(
                (pair for pair in unanswered if pair[0] == message.tool_call_id), ("", message.tool_call_id)
            )
            entry["tool_call_id"] = answered[1]
            unanswered = [pair for pair in unanswered if pair is not answered]
        sent.append(entry)
    return sent


def _name(call: ToolCall) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", call.name[:64]) or "unnamed"


@lru_cache(maxsize=4096)
def _readable(arguments: str) -> str:
    """Remembered, since every question of a conversation holds all its calls."""
    return "{}" if not arguments or plain_object(arguments) is None else arguments


def _learned(error: openai.BadRequestError, question: ChatRequest, habits: frozenset[Habit]) -> Habit | None:
    """What the endpoint's complaint says it does not understand, if it was sent."""
    if _is_too_long(error) or _asks_too_much(error):
        return None
    said = f"{error.param or ''} {_said(error)}".lower()
    sent: dict[Habit, tuple[bool, str]] = {
        "max_completion_tokens": (question.max_tokens is not None, "max_tokens"),
        "no_temperature": (question.temperature is not None, "temperature"),
        "no_schema": (question.shape is not None, "response_format"),
        "no_seed": (question.seed is not None, "seed"),
    }
    for habit, (was_sent, word) in sent.items():
        schema = habit == "no_schema" and ("json_schema" in said or "schema" in said.split())
        if was_sent and habit not in habits and (word in said or schema):
            return habit
    return None


def _answer(completion: ChatCompletion) -> ChatResponse:
    choice = completion.choices[0]
    said = choice.message
    text, thoughts = without_thoughts(said.content or "")
    extra = said.model_extra or {}
    calls = [
        call
        for call in (tool_call.model_dump(warnings=False) for tool_call in said.tool_calls or ())
        if call.get("function")
    ]
    refused = bool(said.refusal) or choice.finish_reason == "content_filter"
    return ChatResponse(
        text=said.refusal if refused and said.refusal else text,
        reasoning=str(extra.get("reasoning_content") or extra.get("reasoning") or thoughts),
        tool_calls=tuple(
            ToolCall(
                id=str(call.get("id") or f"call_{place}"),
                name=call["function"]["name"],
                arguments=_arguments(call["function"].get("arguments")),
            )
            for place, call in enumerate(calls)
        ),
        finish="refused"
        if refused
        else "length"
        if choice.finish_reason == "length"
        else "tool_calls"
        if calls
        else "stop",
        usage=_usage(completion.usage),
    )


def _arguments(written: object) -> str:
    """Some endpoints have read them already."""
    if written is None:
        return "{}"
    return written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)


def _usage(used: object) -> Usage:
    prompt = getattr(used, "prompt_tokens_details", None)
    done = getattr(used, "completion_tokens_details", None)
    read = _count(used, "prompt_tokens")
    return Usage(
        prompt_tokens=read,
        # Some tell more than were sent, and what costs less than nothing would fill the purse.
        cached_tokens=min(_count(prompt, "cached_tokens"), read),
        completion_tokens=_count(used, "completion_tokens"),
        reasoning_tokens=_count(done, "reasoning_tokens"),
    )


def _count(used: object, name: str) -> int:
    """How many; what is told otherwise than as a number is not told."""
    try:
        return max(math.ceil(float(getattr(used, name))), 0)
    except (AttributeError, OverflowError, TypeError, ValueError):
        return 0


def _shown(received: object) -> str:
    """How something begins that an endpoint sent."""
    return repr(str(received.to_dict(warnings=False) if isinstance(received, openai.BaseModel) else received)[:300])


def _said(error: openai.APIError) -> str:
    status = f"{error.status_code} " if isinstance(error, openai.APIStatusError) else ""
    message = error.body.get("message") if isinstance(error.body, dict) else None
    return f"{status}{message or error.message}"[:300].rstrip(".")


def _is_too_long(error: openai.APIStatusError) -> bool:
    message = f"{error.code or ''} {_said(error)}".lower()
    # Some count what a question takes of the tokens of a minute, and say so of one that takes more than all of them.
    words = {400: _TOO_LONG, 413: _TOO_LONG, 429: ("request too large",)}.get(error.status_code, ())
    return any(each in message for each in words)


def _asks_too_much(error: openai.APIStatusError) -> bool:
    """Whether an answer may not be as long as it was allowed to be, which every question allows."""
    message = f"{error.param or ''} {_said(error)}".lower()
    limit = "max_tokens" in message or "max_completion_tokens" in message
    return limit and any(words in message for words in _TOO_MUCH) and not _is_too_long(error)


def _after(headers: Mapping[str, str]) -> float | None:
    """The wait that the endpoint asks for, in seconds, however it is written."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is not None:
            try:
                seconds = float(said) * unit
            except ValueError:
                return _until(said, headers.get("date"))
            return max(seconds, 0.0) if math.isfinite(seconds) else None
    return None


def _until(moment: str, now: str | None) -> float | None:
    """From the endpoint's own clock, which need not be ours."""
    try:
        return max((parsedate_to_datetime(moment) - parsedate_to_datetime(now or "")).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
