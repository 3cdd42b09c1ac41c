"""How ACEBench writes calls, and what an agent of ours is told first."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_mcp.serving.parsing import parsed_expression

_FIRST = {
    ("en", "multi_step"): (
        "Solve the task with the tools. Where one call follows from another, make them one after the other, and decide each "
        'by the answers so far. Nothing can be asked. When the task is done, say "finish conversation".'
    ),
    ("zh", "multi_step"): (
        "请使用工具完成任务。如果步骤之间有先后关系, 请逐步调用, 并根据每次返回的结果决定下一步。不能向用户提问。"
        '任务完成后, 请回复 "finish conversation"。'
    ),
    ("en", "multi_turn"): (
        "Help the user with the tools. Where something is missing that a call needs, ask the user for it; never make it up. "
        "These are your rules:"
    ),
    ("zh", "multi_turn"): "请使用工具帮助用户。如果缺少调用所需的信息, 请向用户询问, 不要编造。你需要遵循的规则如下:",
}


def language_text(language: str, kind: str) -> str:
    """What the agent's model is told before the official rules."""
    return _FIRST[language, kind]


def calls_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls in a text such as `[name(key='value')]`; none where it is no such text."""
    try:
        expression = parsed_expression(text.strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    calls = expression.elts if isinstance(expression, ast.List) else [expression]
    try:
        return [_call(call) for call in calls]
    except (ValueError, TypeError):
        return []


def _call(expression: ast.expr) -> tuple[str, dict[str, Any]]:
    if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Name) or expression.args:
        raise ValueError("no call with named values")
    return expression.func.id, {str(each.arg): ast.literal_eval(each.value) for each in expression.keywords}


def message_of(said: str, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """A move as the process score reads it: what the agent itself wrote, if that is its calls, else its calls in writing."""
    written = f"[{', '.join(_written(name, arguments) for name, arguments in calls)}]"
    made = [(name, dict(arguments)) for name, arguments in calls]
    bracketed = calls_of(said) if said.lstrip().startswith("[") else []
    return said if made in (bracketed, calls_written_in(said)) else written


def calls_written_in(said: str) -> list[tuple[str, Any]] | None:
    """The calls that the official parsers read in what an agent wrote, but for what they evaluate; none where nothing is called."""
    try:
        expression = parsed_expression(said.removeprefix(" ").strip("[]'"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if isinstance(expression, ast.Tuple | ast.List):
        calls = expression.elts
    else:
        calls = [expression] if isinstance(expression, ast.Call) else []
    try:
        return [(_name(call), {each.arg: _value(each.value) for each in call.keywords}) for call in calls]  # type: ignore[attr-defined]
    except (AttributeError, ValueError, TypeError):
        return None


def _name(call: Any) -> str:
    return ast.unparse(call.func)


def _value(expression: ast.expr) -> Any:
    """A value as the official parsers have it: a name is its own text."""
    if isinstance(expression, ast.Name):
        return expression.id
    if isinstance(expression, ast.List | ast.Tuple):
        return [_value(each) for each in expression.elts]
    return ast.literal_eval(expression)


def _written(name: str, arguments: Mapping[str, Any]) -> str:
    """A call with its texts between single quotes, and nothing in them escaped: so the official milestones are written."""
    values = (f"{key}='{value}'" if isinstance(value, str) else f"{key}={value!r}" for key, value in arguments.items())
    return f"{name}({', '.join(values)})"
