"""Plug-ins of installed packages: listed without an import, imported when looked up, named when they fail."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FunctionType

import pytest

from envscaler_mcp.errors import PlugInError
from envscaler_mcp.plugins import PlugIns


def install(folder: Path, package: str, source: str, entries: str) -> None:
    """A distribution as an installer leaves it: a module and its dist-info."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[envscaler.benchmarks]\n{entries}\n", encoding="utf-8")
    (folder / f"{package}.py").write_text(source, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_plug_in_is_listed_without_an_import_and_imported_when_it_is_looked_up(site: Path) -> None:
    install(site, "plugin_listed", "def play() -> str:\n    return 'played'\n", "chess = plugin_listed:play")
    plugins = PlugIns("envscaler.benchmarks", FunctionType, {})
    assert "chess" in plugins
    assert "chess" in list(plugins)
    assert "plugin_listed" not in sys.modules
    assert plugins["chess"]() == "played"
    assert "checkers" not in plugins
    with pytest.raises(KeyError):
        plugins["checkers"]


def test_a_plug_in_that_cannot_be_imported_is_an_error_that_names_its_package(site: Path) -> None:
    install(site, "plugin_broken", "raise RuntimeError('no licence')\n", "broken = plugin_broken:play")
    with pytest.raises(
        PlugInError, match=r"plugin_broken:play of plugin_broken\) cannot be imported: RuntimeError: no"
    ):
        PlugIns("envscaler.benchmarks", FunctionType, {})["broken"]


def test_a_plug_in_that_is_of_another_kind_is_an_error(site: Path) -> None:
    install(site, "plugin_constant", "VALUE = 3\n", "constant = plugin_constant:VALUE")
    with pytest.raises(PlugInError, match=r"of plugin_constant\) is a int, not a function"):
        PlugIns("envscaler.benchmarks", FunctionType, {})["constant"]


def test_a_name_that_two_packages_register_is_an_error_that_names_both(site: Path) -> None:
    for package in ("plugin_first", "plugin_second"):
        install(site, package, "def play() -> None: ...\n", f"twice = {package}:play")
    with pytest.raises(PlugInError, match="plugin_first and plugin_second; uninstall"):
        PlugIns("envscaler.benchmarks", FunctionType, {})["twice"]
