"""The folder of one server: what makes it this environment and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Scenario, State
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.members import check_target, has_member, read_member
from envscaler_mcp.emit.readme import WorkedCall, origin_of, readme
from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.language.text import within_docstring

_SERVER = '''"""Serves {title}. {origin}"""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
'''


def folder_files(
    environment: Environment,
    source: str,
    blueprint_text: str,
    states: Sequence[State],
    scenarios: Sequence[Scenario],
    calls: Mapping[str, WorkedCall],
) -> dict[str, str]:
    """Every file of the folder by its path inside; equal inputs give equal texts."""
    files = {
        "environment.json": environment.to_text(),
        "environment.py": source,
        "server.py": _SERVER.format(title=docstring_title(environment), origin=origin_of(environment)),
        "README.md": readme(environment, calls, scenarios),
    }
    if environment.origin == "compiled":
        files["blueprint.yaml"] = blueprint_text
    if scenarios:
        files["scenarios.jsonl"] = "".join(scenario.to_line() for scenario in scenarios)
    for state in states:
        files[f"states/{state.name}.json"] = state.to_text()
    return dict(sorted(files.items()))


def docstring_title(environment: Environment) -> str:
    """The title for the first line of a program: titles may be anybody's."""
    return within_docstring(" ".join(environment.title.split()))


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Make the folder hold exactly these files."""
    for name, text in files.items():
        path = check_target(folder, name)
        if not _holds(folder, name, text):
            write_text(path, text)
    for path in _present(folder):
        if path.relative_to(folder).as_posix() not in files:
            path.unlink()


def folder_differences(folder: Path, files: Mapping[str, str], besides: Sequence[str] = ()) -> list[str]:
    """What would be written, in words; nothing when the folder is what would be emitted, besides what may lie there."""
    found = [
        f"{name} is missing" if not has_member(folder, name) else f"{name} is not what would be emitted"
        for name, text in files.items()
        if not _holds(folder, name, text)
    ]
    names = (path.relative_to(folder).as_posix() for path in _present(folder))
    return [*found, *(f"{name} would not be emitted" for name in names if name not in files and name not in besides)]


def _holds(folder: Path, name: str, text: str) -> bool:
    """Whether the plain file of that name holds the text."""
    try:
        return read_member(folder, name) == text.encode("utf-8")
    except ArtifactError:
        return False


def _present(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if (path.is_file() or path.is_symlink()) and "__pycache__" not in path.parts
    ]
