"""What executing a check means; the same in a worker and, for trusted code, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import CodeType, ModuleType
from typing import Any

from envscaler_mcp.sandbox.source_cache import remembered
from envscaler_mcp.serving.code import Rewriting
from envscaler_mcp.serving.determinism import DEFAULT_NOW, Sources
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.replaced_modules import replaced_modules


def modules_at(final: Mapping[str, Any]) -> dict[str, ModuleType]:
    """Modules in which time stands still at the final state's."""
    now = final.get("now")
    return replaced_modules(Sources(0, now if isinstance(now, str) and is_minute(now) else DEFAULT_NOW))


def check_function(
    source: str, initial: object, builtins: Mapping[str, Any], rewriting: Rewriting | None = None
) -> Callable[[Any], Any]:
    """`check_func` of a source, with `initial_state` at hand."""
    module = ModuleType("check")
    vars(module).update(__builtins__=builtins, initial_state=initial)
    # A dataclass looks its own module up while it is being made.
    sys.modules["check"] = module
    try:
        exec(compiled_check(source, rewriting), vars(module))
    finally:
        del sys.modules["check"]
    function: Callable[[Any], Any] = vars(module)["check_func"]
    return function


@remembered
def compiled_check(source: str, rewriting: Rewriting | None = None) -> CodeType:
    """The code of a check. Nothing of it has run."""
    module = parsed_module(source)
    return compile(module if rewriting is None else rewriting(module), "check.py", "exec", dont_inherit=True)


def verdict_of(answer: object) -> dict[str, Any]:
    """True or False and nothing that merely counts as one of them."""
    if type(answer) is bool:
        return {"verdict": answer}
    return {"failure": f"the check answered with a {type(answer).__name__}, not True or False"}


MAX_FAILURE = 600
"""Characters of a failure that are passed on."""


def failure_of(cause: BaseException) -> dict[str, Any]:
    """An exception in its own words, as text that can be sent; asking for them runs code of the check."""
    try:
        words = _plain_text(str(cause))
    except BaseException:
        words = ""
    return {"failure": f"{_plain_text(type(cause).__name__)[:80]}: {words}"}


def _plain_text(text: str) -> str:
    """The first characters of a text that may be of a class of the check's, with half characters replaced."""
    return str.__getitem__(text, slice(0, 500)).encode("utf-8", "replace").decode()
