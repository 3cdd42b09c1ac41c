"""The official prompts and parsers of BFCL for models without native calls, as its handler for chat completions uses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from envscaler_mcp.official.written_calls import plain_calls


class WrittenConversation:
    """The requests of one entry to a model that writes its calls."""

    def __init__(
        self,
        official: Mapping[str, Any],
        entry: dict[str, Any],
        functions: list[dict[str, Any]],
        withheld: Mapping[str, list[dict[str, Any]]],
        about: str,
    ) -> None:
        """`about` is the entry or its category, as the edition wants it; `functions` say their language already."""
        self._formats = official["formats"]
        self._released = official["prompts"].DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING
        self._is_empty = official["executor"].is_empty_execute_response
        self._withheld = withheld
        self._turns: list[list[dict[str, str]]] = deepcopy(entry["question"])
        self._turns[0] = self._formats.system_prompt_pre_processing_chat_model(self._turns[0], functions, about)
        self._turn = 0
        self._messages: list[dict[str, str]] = []
        self._expressions: list[str] = []

    def system(self) -> str:
        """What the agent's model is told first."""
        return self._turns[0][0]["content"]

    def request(self, said: str | None, answers: list[str]) -> list[dict[str, str]]:
        """The next request: in a new turn, or else after the answers to calls."""
        if said is not None:
            self._messages += self._of_turn()
            self._turn += 1
        else:
            results = self._formats.format_execution_results_prompting(
                {}, answers, {"model_responses_decoded": self._expressions}
            )
            self._messages.append({"role": "user", "content": results})
        return self._messages

    def read(self, text: str) -> list[list[Any]] | None:
        """The calls in what the model wrote; nothing where its turn is over."""
        self._messages.append({"role": "assistant", "content": text})
        decode: Callable[[Any], Any] = self._formats.decoded_output_to_execution_list
        decoded: Sequence[dict[str, Any]] = ()

        def noted(calls: Any) -> Any:
            nonlocal decoded
            decoded = calls
            return decode(calls)

        self._formats.decoded_output_to_execution_list = noted
        try:
            self._expressions = self._formats.default_decode_execute_prompting(text)
        except Exception:
            return None
        finally:
            self._formats.decoded_output_to_execution_list = decode
        return None if self._is_empty(self._expressions) else plain_calls(decoded, self._expressions)

    def _of_turn(self) -> list[dict[str, str]]:
        released = self._withheld.get(str(self._turn))
        if released is None:
            return self._turns[self._turn]
        return [{"role": "user", "content": self._released.format(functions=released)}]
