"""Settings are read from the process environment once, and say what they may say."""

from __future__ import annotations

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


def test_isolation_has_three_modes_and_a_fourth_is_refused() -> None:
    assert [Settings.read({"ENVSCALER_ISOLATION": mode}).isolation for mode in ("auto", "hard", "trusted")] == [
        "auto",
        "hard",
        "trusted",
    ]
    with pytest.raises(ValueError, match=r"ENVSCALER_ISOLATION is 'lax'; it may be one of auto, hard, trusted"):
        Settings.read({"ENVSCALER_ISOLATION": "lax"})


def test_settings_do_not_change_while_a_program_runs() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings.read({}).isolation = "hard"  # type: ignore[misc]
