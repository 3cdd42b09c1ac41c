"""Server folders of the two small environments, as they would be emitted."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from envscaler_mcp.artifacts import State
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.trust import remember

SERVER = '''"""Serves this folder."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
'''


def _environments() -> ModuleType:
    path = Path(__file__).parent.parent / "serving" / "conftest.py"
    spec = importlib.util.spec_from_file_location("serving_environments", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


environments = _environments()


def write_folder(folder: Path, code: EnvironmentCode, content: dict[str, Any]) -> Path:
    code.environment.write(folder / "environment.json")
    write_text(folder / "environment.py", code.source)
    write_text(folder / "server.py", SERVER)
    State(environment=code.environment.id, name="start", seed=7, content=content).write(
        folder / "states" / "start.json"
    )
    if code.journaled:
        remember(code.environment, code.source, "compiled")
    return folder


@pytest.fixture(scope="session")
def library() -> EnvironmentCode:
    code: EnvironmentCode = environments.code_of("lending_library", "compiled")
    return code


@pytest.fixture(scope="session")
def office() -> EnvironmentCode:
    code: EnvironmentCode = environments.code_of(
        # The gate in front of a worker lets nothing through that ends a process.
        "parcel_office",
        "written",
        "SystemExit(3)",
        "ValueError(what)",
    )
    return code


@pytest.fixture(scope="session")
def library_folder(library: EnvironmentCode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("servers") / "lending_library"
    return write_folder(folder, library, environments.library_content())


@pytest.fixture(scope="session")
def office_folder(office: EnvironmentCode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("servers") / "parcel_office"
    return write_folder(folder, office, environments.office_content())
