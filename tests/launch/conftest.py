"""Server folders of the two small environments, as they would be emitted."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from envscaler_mcp.serving import EnvironmentCode
from tests.homes import start_state, write_server


def _environments() -> ModuleType:
    path = Path(__file__).parent.parent / "serving" / "conftest.py"
    spec = importlib.util.spec_from_file_location("serving_environments", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


environments = _environments()


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
    write_server(folder, library, start_state(environments.library_content(), "lending_library"))
    return folder


@pytest.fixture(scope="session")
def office_folder(office: EnvironmentCode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("servers") / "parcel_office"
    write_server(folder, office, start_state(environments.office_content(), "parcel_office"))
    return folder
