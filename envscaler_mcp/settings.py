"""What the machine decides: the only reader of the process environment."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from envscaler_mcp.errors import ArtifactError, SettingsError, escaped_line
from envscaler_mcp.plain_files import PlainFolder, read_below, read_named_file

SETTINGS_FILE = "envscaler.toml"
"""In the home, beside `registry.json`, and in the folder `envscaler` of this user's settings; nothing in it is secret."""
_PACKAGE = Path(__file__).resolve().parent
_ARCHIVE = _PACKAGE / "library" / "worlds.tar.xz"
"""Where the build of a wheel puts the worlds (tools/build_hook.py)."""
_UV_CACHE = re.compile(r"(archive|builds|environments)-v\d+")
_LARGEST = 1 << 20
"""Bytes of a settings file."""
_ONLY_THE_USERS = ("base_url", "key_variable")
"""Where keys are sent, and which: a home may come from another person."""


class ModelSettings(BaseModel):
    """The part `[model]` of a settings file: which model is asked, and where."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = None
    base_url: str | None = None
    """OPENAI_BASE_URL goes before it."""
    key_variable: str = "OPENAI_API_KEY"
    """The variable that holds the key; the key itself stands in no file."""
    prices: Path | None = None
    """A table of prices by model."""


class ShippedWorlds(BaseModel):
    """The worlds that a wheel carries; a checkout has them in its own folder, and no archive."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    archive: Path
    """A file beside it says what is in it: `worlds.json` of `worlds.tar.xz`."""
    cache: Path
    """Where they are unpacked for this user; what lies there can be removed at any time."""


class Settings(BaseModel):
    """Read once where a program starts, then handed on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path
    """The folder that holds `registry.json` and `generated_servers/`; ENVSCALER_HOME, else the nearest one above.

    Writers write here. Readers ask `home.read_home`, which knows the shipped worlds too.
    """
    client_settings: Path
    """Where hosts such as Claude Desktop keep their files for this user."""
    state: Path
    """Where this user's programs keep what they need again: the farm's secret, its audit log, its control socket."""
    model: ModelSettings = ModelSettings()
    shipped: ShippedWorlds | None = None
    """Nothing in a checkout."""
    uv: Path | None = None
    """The `uv` that runs this program out of its cache (`uvx envscaler-mcp`); nothing where the program is installed."""

    @property
    def farm_secret(self) -> Path:
        return self.state / "farm.secret"

    @property
    def farm_socket(self) -> Path:
        return self.state / "farm.sock"

    @property
    def other_farm_socket(self) -> Path:
        """A further socket file of a farm of this process whose control plane is elsewhere, for programs of this user."""
        return self.state / f"farm-{os.getpid()}.sock"

    @property
    def farm_sockets(self) -> list[Path]:
        """The socket files of farms of this user, which may have ended: the usual one, and the others, the latest first."""
        others = [file for file in self.state.glob("farm-*.sock") if file.is_socket()]
        return [self.farm_socket, *sorted(others, key=_made_at, reverse=True)]

    @property
    def farm_audit(self) -> Path:
        return self.state / "farm-audit.jsonl"

    @property
    def registry_file(self) -> Path:
        return self.home / "registry.json"

    @property
    def servers(self) -> Path:
        return self.home / "generated_servers"

    @classmethod
    def read(
        cls, variables: Mapping[str, str] | None = None, start: Path | None = None, *, home: Path | None = None
    ) -> Self:
        """Settings of this process, with the home that its user named; tests hand in variables and a folder to start from."""
        variables = os.environ if variables is None else variables
        home = home.resolve() if home is not None else _home(variables.get("ENVSCALER_HOME"), start or Path.cwd())
        return cls(
            home=home,
            client_settings=_client_settings(variables),
            state=state_folder(variables),
            model=_model_settings(home, _client_settings(variables), variables.get("OPENAI_BASE_URL") or None),
            shipped=_shipped_worlds(variables),
            uv=_uv(variables.get("UV"), Path(sys.prefix)),
        )


def _made_at(file: Path) -> float:
    try:
        return file.lstat().st_mtime
    except OSError:
        return 0.0


def _home(named: str | None, start: Path) -> Path:
    """The folder named, else the nearest with a registry from here upwards, else the checkout this code runs from.

    A package that was installed from a wheel lies in no checkout: where there is no home yet, it is the folder at hand.
    """
    if named:
        return Path(named).expanduser().resolve()
    start = start.resolve()
    checkout, in_checkout = _PACKAGE.parent, not _ARCHIVE.is_file()
    for folder in (start, *start.parents, *([checkout] if in_checkout else [])):
        if (folder / "registry.json").is_file():
            return folder
    return checkout if in_checkout and start.is_relative_to(checkout) else start


def _shipped_worlds(variables: Mapping[str, str]) -> ShippedWorlds | None:
    return ShippedWorlds(archive=_ARCHIVE, cache=_cache(variables) / "worlds") if _ARCHIVE.is_file() else None


def _uv(program: str | None, prefix: Path) -> Path | None:
    """Uv names itself to what it starts; in its cache, whose folders bear a version, an environment may go at any time."""
    return Path(program) if program and any(_UV_CACHE.fullmatch(part) for part in prefix.parts) else None


def _model_settings(home: Path, user: Path, base_url: str | None) -> ModelSettings:
    """What the user's own file says; a home's file goes before it in what cannot send a key anywhere."""
    own, file = user / "envscaler" / SETTINGS_FILE, home / SETTINGS_FILE
    own_table = _model_table(file, lambda: read_below(home, SETTINGS_FILE, _LARGEST))
    for name in _ONLY_THE_USERS:
        if name in own_table:
            raise SettingsError(
                f"{file} sets model.{name}, which decides where a key is sent; a home may come from another person. "
                f"Move that line to {own}" + (", or set OPENAI_BASE_URL." if name == "base_url" else ".")
            )
    try:
        settings = ModelSettings.model_validate(
            {**_model_table(own, lambda: read_named_file(own, _LARGEST)), **own_table}
        )
    except ValidationError as cause:
        first = cause.errors()[0]
        said = escaped_line(f"model.{'.'.join(map(str, first['loc']))}: {first['msg']}")
        raise SettingsError(f"{file if own_table else own} cannot be used: {said}") from cause
    if settings.prices is not None:
        prices = _prices_in(home, settings.prices) if "prices" in own_table else own.parent / settings.prices
        settings = settings.model_copy(update={"prices": prices})
    return settings.model_copy(update={"base_url": base_url}) if base_url is not None else settings


def _prices_in(home: Path, prices: Path) -> Path:
    """A home may come from another person: its table lies inside of it, and is no link."""
    try:
        with PlainFolder.at(home) as opened:
            if opened.has(prices.as_posix()):
                os.close(opened.open_file(prices.as_posix()))
    except ArtifactError as cause:
        raise SettingsError(f"{home / SETTINGS_FILE} cannot be used: model.prices: {cause}") from cause
    return home / prices


def _model_table(file: Path, content: Callable[[], bytes]) -> dict[str, Any]:
    if not os.path.lexists(file):
        return {}
    try:
        table = tomllib.loads(content().decode("utf-8")).get("model", {})
    except (ArtifactError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as cause:
        raise SettingsError(f"{file} cannot be used: {escaped_line(str(cause))}") from cause
    if not isinstance(table, dict):
        raise SettingsError(f"{file} cannot be used: model is not a table")
    return table


def _client_settings(variables: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        return Path(variables.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(variables.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _cache(variables: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        return Path(variables.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "envscaler" / "cache"
    if sys.platform == "darwin" and not variables.get("XDG_CACHE_HOME"):
        return Path.home() / "Library" / "Caches" / "envscaler"
    return Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envscaler"


def state_folder(variables: Mapping[str, str] | None = None) -> Path:
    """Where this user's programs keep what they need again."""
    variables = os.environ if variables is None else variables
    return Path(variables.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "envscaler"


PORTABLE = "ENVSCALER_ISOLATION"
"""Set to `portable`, it allows unread code to run without the kernel's layer, in every command and in what it starts."""


def portable_allowed(variables: Mapping[str, str] | None = None) -> bool:
    """Whether this user accepts that unread code runs where the kernel's layer is missing."""
    chosen = (os.environ if variables is None else variables).get(PORTABLE, "")
    if chosen not in ("", "auto", "portable"):
        raise SettingsError(f"{PORTABLE} is {chosen!r}; it may be 'portable', 'auto' or empty.")
    return chosen == "portable"


def secret_named(name: str) -> str | None:
    """The value of a variable that holds a secret, which so never stands on a command line."""
    return os.environ.get(name) or None


def benchmark_folder(name: str, variables: Mapping[str, str] | None = None) -> Path:
    """Where this user's copy of an official benchmark is kept, unless the user names another folder."""
    variables = os.environ if variables is None else variables
    cache = Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "envscaler" / "benchmarks" / name


def named_benchmark_folder(name: str, variables: Mapping[str, str] | None = None) -> Path | None:
    """The folder that a variable names for a benchmark: ENVSCALER_BENCH_BFCL_V3 for `bfcl-v3`."""
    variables = os.environ if variables is None else variables
    named = variables.get(f"ENVSCALER_BENCH_{name.upper().replace('-', '_')}")
    return Path(named).expanduser().resolve() if named else None
