"""What is asked of a model and what it answers, whatever it is reached by."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator

from envscaler_mcp.artifacts.artifact import Part
from envscaler_mcp.artifacts.canonical import digest_of
from envscaler_mcp.artifacts.episode import Usage
from envscaler_mcp.errors import ModelError


def _whole(text: str) -> str:
    return text.encode(errors="replace").decode()


Said = Annotated[str, AfterValidator(_whole)]
"""Text of a model. Halves of surrogate pairs come as escapes, and no file can hold them."""


class ToolCall(Part):
    """A call as the model wrote it."""

    id: Said
    name: Said
    arguments: Said
    """JSON, if the model kept to its format."""


class Message(Part):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    """Which call a tool message answers."""


class ChatRequest(Part):
    """One request to a model; equal questions have equal answers, so an answer is paid for once."""

    purpose: str
    """The prompt that asks, for accounts and logs; no part of the identity."""
    kind: Literal["chat", "embedding"] = "chat"
    """What is wanted: an answer, or the numbers of the last message's text as JSON."""
    model: str
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...] = ()
    schema_name: str = ""
    shape: dict[str, Any] | None = None
    """The JSON schema that the answer shall have."""
    temperature: float | None = None
    max_tokens: int | None = None
    draw: int = 0
    """Tells apart questions that are asked more than once on purpose."""
    seed: int | None = None
    """For the endpoint's own chance, where it has one that can be told."""
    looked_into: bool = False
    """Whether a failure that the question may be the cause of is told at once, since the asker looks for its cause; no
    part of the identity."""

    @property
    def key(self) -> str:
        """The question's identity."""
        # Without a seed it is what it was before there were seeds, for the sake of what was recorded.
        left_out = {"purpose", "looked_into"} | (set() if self.seed is not None else {"seed"})
        return digest_of(self.model_dump(mode="json", exclude=left_out))


class ChatResponse(Part):
    """What a model said."""

    text: Said = ""
    reasoning: Said = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Literal["stop", "length", "tool_calls", "refused"] = "stop"
    usage: Usage = Usage()


class ChatModel(Protocol):
    """Whatever answers questions: an endpoint, a recording, or one of them behind a cache."""

    async def answer(self, question: ChatRequest) -> ChatResponse: ...


class UnansweredError(ModelError):
    """The endpoint did not answer this time."""

    def __init__(
        self,
        message: str,
        *,
        transient: bool,
        after: float | None = None,
        charged: bool = False,
        refused: bool = False,
        too_long: bool = False,
        suspect: bool = False,
    ) -> None:
        super().__init__(message)
        self.transient = transient
        """Whether the same question may be answered later."""
        self.after = after
        """Seconds that the endpoint asked for."""
        self.charged = charged
        """Whether it may cost all the same: it was sent, and neither an answer nor an error came."""
        self.refused = refused
        """Whether no other question would be answered either: the key, the model or the account is refused."""
        self.too_long = too_long
        """Whether the model cannot read that much."""
        self.suspect = suspect
        """Whether what was asked may be why: the endpoint was reached, and did not say that it answers nothing now."""
