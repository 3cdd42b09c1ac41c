"""A request with an idempotency key is done once; sent again, it gets the first answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp.farm.application import error_response

KEPT_KEYS = 1_000
"""Of one token; a client sends a request again within moments."""
KEPT_TOKENS = 100
"""The tokens used last, however each was written."""
MAX_KEY = 200
KEPT_BYTES = 8 * 1024 * 1024
"""Of the answers of one token; its last one is kept in any case."""
ALL_KEPT_BYTES = 32 * 1024 * 1024
"""Of the answers of all tokens; the token with the most makes room."""

_Answers = dict[str, tuple[bytes, asyncio.Task[Response]]]
"""By key, in the order in which they were asked for."""


class IdempotentRequests:
    """The last keys of each token, each with a digest of the request and with its answer.

    Tokens share nothing: one cannot read, block or push out what another did under the same key.
    """

    def __init__(self) -> None:
        self._by_token: dict[bytes, _Answers] = {}

    async def answer(
        self, request: Request, holder: str, order: bytes, do: Callable[[], Coroutine[Any, Any, Response]]
    ) -> Response:
        """The first answer to this order of a holder whose token was checked; another order with a used key is refused."""
        key = request.headers.get("idempotency-key")
        if key is None:
            return await do()
        if not 0 < len(key) <= MAX_KEY:
            return error_response(400, f"An idempotency key has 1 to {MAX_KEY} characters.")
        answers = self._answers_of(holder)
        sent = hashlib.sha256(order).digest()
        first = answers.get(key)
        if first is None:
            if len(answers) >= KEPT_KEYS:
                del answers[next(iter(answers))]
            answers[key] = first = sent, asyncio.get_running_loop().create_task(do())
        if first[0] != sent:
            return error_response(409, "This idempotency key was already used for another request.")
        try:
            # The client that sent it first may have left; it is done all the same.
            answer = await asyncio.shield(first[1])
        except BaseException:
            if first[1].done():
                answers.pop(key, None)
            raise
        else:
            # What was refused changed nothing, and takes no place of what was done.
            if answer.status_code >= 400:
                answers.pop(key, None)
            return answer
        finally:
            self._forget_oldest(holder, answers)

    def _forget_oldest(self, holder: str, answers: _Answers) -> None:
        """Keep to the bounds; where all tokens hold too many bytes, the one that holds most makes room."""
        digest = _digest(holder)
        if not answers and self._by_token.get(digest) is answers:
            del self._by_token[digest]
        if len(self._by_token) > KEPT_TOKENS:
            del self._by_token[next(iter(self._by_token))]
        sizes = _sizes(answers)
        while sum(sizes.values()) > KEPT_BYTES and len(sizes) > 1:
            _forget_first(answers, sizes)
        by_token = [(held, _sizes(held)) for held in self._by_token.values()]
        while sum(sum(sizes.values()) for _, sizes in by_token) > ALL_KEPT_BYTES:
            _forget_first(*max(by_token, key=lambda pair: sum(pair[1].values())))

    def _answers_of(self, holder: str) -> _Answers:
        digest = _digest(holder)
        answers = self._by_token.pop(digest, {})
        # The token that was used last stands last.
        self._by_token[digest] = answers
        return answers


def _digest(holder: str) -> bytes:
    return hashlib.sha256(holder.encode()).digest()


def _forget_first(answers: _Answers, sizes: dict[str, int]) -> None:
    key = next(iter(sizes))
    del sizes[key], answers[key]


def _sizes(answers: _Answers) -> dict[str, int]:
    """Bytes of the answers that are there, by key; requests that are still being done are not among them."""
    return {
        key: len(task.result().body)
        for key, (_, task) in answers.items()
        if task.done() and not task.cancelled() and task.exception() is None
    }
