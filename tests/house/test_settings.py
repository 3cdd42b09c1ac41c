"""Settings are read from the process environment once, and stay as they were read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from envscaler_mcp.errors import SettingsError
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


def test_a_home_that_is_named_brings_its_own_model_and_no_other_home_is_read(tmp_path: Path) -> None:
    named, other = tmp_path / "named", tmp_path / "other"
    for home, text in ((named, '[model]\nname = "small"\n'), (other, "[model")):
        home.mkdir()
        (home / "envscaler.toml").write_text(text, encoding="utf-8")
    variables = {"ENVSCALER_HOME": str(other), "XDG_CONFIG_HOME": str(tmp_path)}
    settings = Settings.read(variables, home=named)
    assert (settings.home, settings.model.name) == (named.resolve(), "small")


def test_what_hosts_keep_lies_where_this_user_keeps_such_files(tmp_path: Path) -> None:
    if sys.platform == "darwin":
        assert Settings.read({}).client_settings == Path.home() / "Library" / "Application Support"
    else:
        assert Settings.read({"XDG_CONFIG_HOME": str(tmp_path)}).client_settings == tmp_path
        assert Settings.read({}).client_settings == Path.home() / ".config"


def test_a_checkout_has_no_archive_of_worlds() -> None:
    assert Settings.read({}).shipped is None


@pytest.mark.parametrize(
    ("prefix", "found"),
    [("/home/me/.cache/uv/archive-v0/abc", True), ("/big/environments-v2/x", True), ("/home/me/project/.venv", False)],
)
def test_a_program_in_the_cache_of_uv_knows_which_uv_runs_it(
    prefix: str, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert Settings.read({"UV": "/bin/uv"}).uv == (Path("/bin/uv") if found else None)
    assert Settings.read({}).uv is None


def test_settings_do_not_change_while_a_program_runs() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings.read({}).home = Path("/")  # type: ignore[misc]


def test_a_user_says_which_model_is_asked_and_where(tmp_path: Path) -> None:
    own = tmp_path / "config" / "envscaler"
    own.mkdir(parents=True)
    (own / "envscaler.toml").write_text(
        '[model]\nname = "small"\nbase_url = "http://localhost:8000/v1"\nkey_variable = "MY_KEY"\nprices = "p.yaml"\n'
    )
    variables = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "ENVSCALER_HOME": str(tmp_path)}
    if sys.platform == "darwin":
        pytest.skip("the folder of a user's settings is not named by a variable there")
    model = Settings.read(variables).model
    assert (model.name, model.base_url, model.key_variable) == ("small", "http://localhost:8000/v1", "MY_KEY")
    assert model.prices == own / "p.yaml"
    (tmp_path / "envscaler.toml").write_text('[model]\nname = "large"\nprices = "own.yaml"\n')
    model = Settings.read({**variables, "OPENAI_BASE_URL": "http://other/v1"}).model
    assert (model.name, model.base_url) == ("large", "http://other/v1")
    assert model.prices == tmp_path / "own.yaml"


@pytest.mark.parametrize("line", ['base_url = "http://elsewhere/v1"', 'key_variable = "AWS_SECRET_ACCESS_KEY"'])
def test_a_home_does_not_say_where_keys_are_sent(tmp_path: Path, line: str) -> None:
    (tmp_path / "envscaler.toml").write_text(f"[model]\n{line}\n")
    with pytest.raises(SettingsError, match="a home may come from another person"):
        Settings.read({"ENVSCALER_HOME": str(tmp_path)})


@pytest.mark.parametrize("text", ["model = 7", "[model", '[model]\nname = ["a"]'])
def test_a_settings_file_that_cannot_be_used_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "envscaler.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"envscaler.toml cannot be used"):
        Settings.read({"ENVSCALER_HOME": str(tmp_path)})
