"""Settings are read from the process environment once, and stay as they were read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from envscaler_mcp.settings import Settings


def test_home_is_the_folder_named_by_the_environment(tmp_path: Path) -> None:
    settings = Settings.read({"ENVSCALER_HOME": str(tmp_path)})
    assert settings.home == tmp_path.resolve()
    assert settings.registry_file == tmp_path.resolve() / "registry.json"
    assert settings.servers == tmp_path.resolve() / "generated_servers"


def test_without_a_name_home_is_the_nearest_folder_above_that_has_a_registry(tmp_path: Path) -> None:
    (tmp_path / "registry.json").write_text("{}", encoding="utf-8")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert Settings.read({}, start=deep).home == tmp_path.resolve()


def test_what_hosts_keep_lies_where_this_user_keeps_such_files(tmp_path: Path) -> None:
    if sys.platform == "darwin":
        assert Settings.read({}).client_settings == Path.home() / "Library" / "Application Support"
    else:
        assert Settings.read({"XDG_CONFIG_HOME": str(tmp_path)}).client_settings == tmp_path
        assert Settings.read({}).client_settings == Path.home() / ".config"


def test_settings_do_not_change_while_a_program_runs() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings.read({}).home = Path("/")  # type: ignore[misc]
