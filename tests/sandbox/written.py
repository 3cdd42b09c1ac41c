"""Environment code as somebody wrote it, with the card that belongs to it."""

from __future__ import annotations

from envscaler_mcp.artifacts import Environment, digest_of
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.tools import environment_class, parse, tool_table


def written(source: str) -> EnvironmentCode:
    """The code of a source that nobody has read."""
    name = environment_class(parse(source)).name
    card = Environment(
        id="written",
        title="Written",
        about="Somebody wrote it.",
        sector="test",
        version="1.0.0",
        origin="written",
        class_name=name,
        introduction="A place.",
        rules=(),
        tools=tool_table(source, name),
        states=(),
        code_digest=digest_of(source),
    )
    return EnvironmentCode.of(card, source)
