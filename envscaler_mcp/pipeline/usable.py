"""Whether a blueprint that a model wrote can be used: the same gates as for one that a person wrote."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio.to_thread

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.pipeline.telling import tell_stories

_TOLD = 12
"""How many faults are told at once."""
_TASKS = 10

ONE_AT_A_TIME = anyio.CapacityLimiter(1)
"""What works on this machine's cores waits for its turn; models answer meanwhile."""


def logic_is_usable(env_id: str) -> Callable[[str], Awaitable[list[str]]]:
    """Looks at a blueprint without stories: it must compile, grow, and say of itself what it was asked to."""

    def look(text: str) -> list[str]:
        try:
            blueprint = read_blueprint(text, f"{env_id}.yaml")
        except EnvScalerError as error:
            return [str(error)]
        if blueprint.id != env_id:
            return [f"the id must be {env_id}, and it is {blueprint.id}"]
        with _file(env_id, text) as path:
            (report,) = check_blueprints([path])
        return [str(problem) for problem in report.problems if problem.severity == "error"][:_TOLD]

    return _in_a_thread(look)


def stories_are_usable(env_id: str) -> Callable[[str], Awaitable[list[str]]]:
    """Looks at a blueprint with stories: proven tasks must come of them, and each must be told in one."""

    def look(text: str) -> list[str]:
        with _file(env_id, text) as path:
            (report,) = check_blueprints([path], probe=False)
            wrong = [str(problem) for problem in report.problems if problem.severity == "error"]
            if wrong:
                return wrong[:_TOLD]
            tasks = tell_stories(path, _TASKS, lambda *_: None)
        silent = [story for story in tasks.stories if not story.used and story.left_out]
        return [
            *tasks.failures[:3],
            *(f"no task came of the story {story.name}: {story.left_out[0][0]}" for story in silent if tasks.failures),
        ][:_TOLD]

    return _in_a_thread(look)


def _in_a_thread(look: Callable[[str], list[str]]) -> Callable[[str], Awaitable[list[str]]]:
    async def usable(text: str) -> list[str]:
        try:
            return await anyio.to_thread.run_sync(look, text, limiter=ONE_AT_A_TIME)
        except EnvScalerError as error:
            return [str(error)]
        # A defect here ends no run that was paid for.
        except Exception as error:
            return [f"it cannot be looked at ({type(error).__name__}: {error}); write what is unusual in it otherwise"]

    return usable


@contextmanager
def _file(env_id: str, text: str) -> Iterator[Path]:
    """A blueprint as a file for a while: what looks at blueprints looks at files."""
    with tempfile.TemporaryDirectory(prefix="blueprint-") as folder:
        path = Path(folder) / f"{env_id}.yaml"
        path.write_text(text, encoding="utf-8")
        yield path
