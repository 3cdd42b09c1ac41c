"""A package that registers an importer is used by `envscaler import` as the built-in importer is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from envscaler_mcp.synthesis.starter import starter_blueprint

IMPORTER = """
from envscaler_mcp.pipeline.building import build
from envscaler_mcp.pipeline.emission import add_to_registry, write_built
from envscaler_mcp.pipeline.imported import Imported, ImportedEnvironment


def import_blueprint(environments, scenarios, servers, registry_file, progress, *, faithful):
    built = build(environments)
    environment = built.environment
    write_built(built, servers / environment.id)
    add_to_registry([built], servers, registry_file)
    progress(environment.id, 1)
    return Imported([ImportedEnvironment(environment.id, environment.title, tools=len(environment.tools))])
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages: one with a working importer, one that cannot be imported."""
    folder = tmp_path_factory.mktemp("site")
    for package, source, entry in (
        ("blueprint_importer", IMPORTER, "blueprint = blueprint_importer:import_blueprint"),
        ("broken_importer", "raise OSError('no licence')", "broken = broken_importer:load"),
    ):
        info = folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (folder / f"{package}.py").write_text(source, encoding="utf-8")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[envscaler.importers]\n{entry}\n", encoding="utf-8")
    return folder


def envscaler(site: Path, home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200"}
    return subprocess.run(program, capture_output=True, text=True, check=False, env=environment, cwd=home)


def test_an_importer_of_another_package_makes_servers_of_its_own_format(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "boat_rental.yaml"
    file.write_text(starter_blueprint("boat_rental", "leisure"), encoding="utf-8")
    done = envscaler(site, tmp_path, "import", "blueprint", "--environments", file)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 environment is imported." in done.stdout
    listed = envscaler(site, tmp_path, "list", "--json")
    assert [entry["id"] for entry in json.loads(listed.stdout)] == ["boat_rental"]


def test_an_importer_that_cannot_be_loaded_is_an_error_that_names_its_package(site: Path, tmp_path: Path) -> None:
    done = envscaler(site, tmp_path, "import", "broken", "--environments", tmp_path / "none.json")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "envscaler: 'broken' in envscaler.importers (broken_importer:load of broken_importer)"
    )
    assert "OSError: no licence" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unknown_format_is_wrong_use_and_the_formats_are_listed(site: Path, tmp_path: Path) -> None:
    done = envscaler(site, tmp_path, "import", "envscalar", "--environments", tmp_path / "none.json")
    assert done.returncode == 2
    message = " ".join(done.stderr.replace("│", " ").split())
    assert "there is no format 'envscalar'; did you mean 'envscaler'? Formats: envscaler, blueprint, broken" in message
