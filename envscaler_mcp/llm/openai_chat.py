"""Questions put to any endpoint that speaks the chat completions protocol; the only module that imports `openai`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Literal, Self

import openai
from openai.types.chat import ChatCompletion

from envscaler_mcp.llm.chat import Answer, Message, Question, ToolCall, UnansweredError, Usage
from envscaler_mcp.llm.endpoint import Endpoint
from envscaler_mcp.llm.thoughts import without_thoughts

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
Habit = Literal["max_completion_tokens", "no_temperature", "no_schema"]


class OpenAIChat:
    """One client, and so one pool of connections, for a whole run."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key.get_secret_value() or "none",
            timeout=endpoint.timeout,
            max_retries=0,
        )
        self._habits: dict[str, frozenset[Habit]] = {}
        """What each model was found not to understand."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def answer(self, question: Question) -> Answer:
        """The answer; an endpoint that does not know an option is asked again without it, and remembered."""
        if question.kind == "embedding":
            return await self._embedded(question)
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
            except ValueError as error:
                raise UnansweredError(f"{self._doing(question)}: what came is no JSON", transient=True) from error
            else:
                try:
                    return _answer(completion)
                except (AttributeError, IndexError, TypeError) as error:
                    # The client hands on what it cannot read as it is.
                    raise UnansweredError(
                        f"{self._doing(question)}: what came is no chat completion: {str(completion)[:120]!r}",
                        transient=True,
                    ) from error

    async def _embedded(self, question: Question) -> Answer:
        text = question.messages[-1].content
        try:
            found = await self._client.embeddings.create(model=question.model, input=[text], encoding_format="float")
        except openai.OpenAIError as error:
            raise self._failed(error, f"{question.model!r} at {self.endpoint.base_url} embeds no text") from error
        if not found.data:
            raise UnansweredError(f"{self._doing(question)}: what came holds no numbers", transient=True)
        return Answer(text=json.dumps(found.data[0].embedding), usage=Usage(prompt_tokens=found.usage.prompt_tokens))

    def _unanswered(self, error: openai.OpenAIError, question: Question) -> UnansweredError:
        return self._failed(error, self._doing(question))

    def _doing(self, question: Question) -> str:
        return f"{question.model!r} at {self.endpoint.base_url} does not answer ({question.purpose})"

    def _failed(self, error: openai.OpenAIError, doing: str) -> UnansweredError:
        match error:
            case openai.APITimeoutError():
                return UnansweredError(f"{doing}: nothing came in {self.endpoint.timeout:g} s", transient=True)
            case openai.APIConnectionError():
                return UnansweredError(f"{doing}: {error.__cause__ or error}", transient=True)
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return UnansweredError(f"{doing}: {_said(error)}. Look at the key in OPENAI_API_KEY", transient=False)
            case openai.NotFoundError():
                return UnansweredError(f"{doing}: {_said(error)}. Look at --model and OPENAI_BASE_URL", transient=False)
            case openai.APIStatusError():
                spent = error.status_code == 429 and error.code == "insufficient_quota"
                return UnansweredError(
                    f"{doing}: {_said(error)}",
                    transient=error.status_code in _TRANSIENT and not spent,
                    after=_after(error.response.headers),
                )
        return UnansweredError(f"{doing}: {error}", transient=isinstance(error, openai.APIError))


def _request(question: Question, habits: frozenset[Habit]) -> dict[str, Any]:
    request: dict[str, Any] = {
        "model": question.model,
        "messages": [_message(message) for message in question.messages],
    }
    if question.tools:
        request["tools"] = list(question.tools)
    if question.temperature is not None and "no_temperature" not in habits:
        request["temperature"] = question.temperature
    if question.max_tokens is not None:
        name = "max_completion_tokens" if "max_completion_tokens" in habits else "max_tokens"
        request[name] = question.max_tokens
    if question.shape is not None and "no_schema" not in habits:
        shape = {"name": question.schema_name or "answer", "schema": question.shape}
        request["response_format"] = {"type": "json_schema", "json_schema": shape}
    return request


def _message(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        found["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        found["tool_call_id"] = message.tool_call_id
    return found


def _learned(error: openai.BadRequestError, question: Question, habits: frozenset[Habit]) -> Habit | None:
    """What the endpoint's complaint says it does not understand, if it was sent."""
    said = f"{error.param or ''} {_said(error)}".lower()
    sent: dict[Habit, tuple[bool, str]] = {
        "max_completion_tokens": (question.max_tokens is not None, "max_tokens"),
        "no_temperature": (question.temperature is not None, "temperature"),
        "no_schema": (question.shape is not None, "response_format"),
    }
    for habit, (was_sent, word) in sent.items():
        schema = habit == "no_schema" and ("json_schema" in said or "schema" in said.split())
        if was_sent and habit not in habits and (word in said or schema):
            return habit
    return None


def _answer(completion: ChatCompletion) -> Answer:
    choice = completion.choices[0]
    said = choice.message
    text, thoughts = without_thoughts(said.content or "")
    extra = said.model_extra or {}
    calls = [call for call in said.tool_calls or () if call.type == "function"]
    refused = bool(said.refusal) or choice.finish_reason == "content_filter"
    return Answer(
        text=said.refusal if refused and said.refusal else text,
        reasoning=str(extra.get("reasoning_content") or extra.get("reasoning") or thoughts),
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments) for call in calls
        ),
        finish="refused"
        if refused
        else "length"
        if choice.finish_reason == "length"
        else "tool_calls"
        if calls
        else "stop",
        usage=_usage(completion),
    )


def _usage(completion: ChatCompletion) -> Usage:
    used = completion.usage
    if used is None:
        return Usage()
    prompt, done = used.prompt_tokens_details, used.completion_tokens_details
    return Usage(
        prompt_tokens=used.prompt_tokens or 0,
        cached_tokens=(prompt.cached_tokens or 0) if prompt else 0,
        completion_tokens=used.completion_tokens or 0,
        reasoning_tokens=(done.reasoning_tokens or 0) if done else 0,
    )


def _said(error: openai.APIError) -> str:
    status = f"{error.status_code} " if isinstance(error, openai.APIStatusError) else ""
    told = error.body.get("message") if isinstance(error.body, dict) else None
    return f"{status}{told or error.message}"[:300].rstrip(".")


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
