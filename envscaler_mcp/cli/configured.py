"""Commands whose options are the fields of a config model, and `--config FILE`, which takes the same as YAML or TOML."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from envscaler_mcp.config.options import Config, Flag
from envscaler_mcp.errors import ArtifactError

C = TypeVar("C", bound=Config)

_LARGEST = 1 << 20
"""Bytes of a configuration file."""


def configured(model: type[C]) -> Callable[[Callable[[typer.Context, C], None]], Callable[..., None]]:
    """Make a command of a function that takes a context and a config; the signature that typer reads comes from the model."""

    def decorate(act: Callable[[typer.Context, C], None]) -> Callable[..., None]:
        def command(ctx: typer.Context, **given: Any) -> None:
            del given["config"]
            act(ctx, _checked(model, {name: value for name, value in given.items() if value is not None}))

        parameters = [_parameter("ctx", typer.Context), *_parameters(model)]
        vars(command)["__signature__"] = inspect.Signature(parameters)
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def _parameters(model: type[Config]) -> Iterator[inspect.Parameter]:
    for name, flag in model.flags().items():
        field = model.model_fields[name]
        default = inspect.Parameter.empty if field.is_required() else _listed(field.default)
        yield _parameter(name, Annotated[_annotation(field), _option(field, flag)], default)

    def read(ctx: typer.Context, config: Path | None) -> Path | None:
        if config is not None and not ctx.resilient_parsing:
            ctx.default_map = _defaults(model, config)
        return config

    # Eager: what it sets must be there before the other options are looked at.
    option = typer.Option(
        metavar="FILE",
        is_eager=True,
        callback=read,
        help="A YAML or TOML file with the options of this command, such as max_steps: 20. An option on the command line wins.",
    )
    yield _parameter("config", Annotated[Path | None, option], None)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _annotation(field: FieldInfo) -> Any:
    kind = field.annotation
    # typer takes a tuple for several values behind one flag.
    return list[get_args(kind)[0]] if get_origin(kind) is tuple else kind  # type: ignore[misc]


def _listed(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


def _option(field: FieldInfo, flag: Flag) -> Any:
    if flag.argument:
        return typer.Argument(help=flag.help, metavar=flag.metavar)
    limits = {name: getattr(mark, name) for mark in field.metadata for name in ("ge", "le") if hasattr(mark, name)}
    return typer.Option(
        *flag.names,
        help=flag.help,
        metavar=flag.metavar,
        rich_help_panel=flag.panel,
        min=limits.get("ge"),
        max=limits.get("le"),
    )


def _checked(model: type[C], values: dict[str, Any]) -> C:
    try:
        return model.model_validate(values)
    except ValidationError as cause:
        raise typer.BadParameter(_sentence(model, cause)) from cause


def _defaults(model: type[Config], path: Path) -> dict[str, Any]:
    """The fields that a file sets; an unknown key or a wrong value is wrong use."""
    from envscaler_mcp.serving.suggestion import did_you_mean

    keys = model.keys()
    values: dict[str, Any] = {}
    for word, value in _table(path).items():
        key = str(word).replace("-", "_")
        if key not in keys:
            raise _wrong(path, f"there is no option {str(word)!r}{did_you_mean(key, keys)}")
        if value is not None:
            several = get_origin(model.model_fields[keys[key]].annotation) is tuple
            values[keys[key]] = [value] if several and not isinstance(value, list) else value
    try:
        model.model_validate(values)
    except ValidationError as cause:
        # What the file leaves out may stand on the command line.
        if any(error["type"] != "missing" for error in cause.errors()):
            raise _wrong(path, _sentence(model, cause)) from cause
    return values


def _table(path: Path) -> dict[Any, Any]:
    """The content of a configuration file."""
    from envscaler_mcp.plain_files import read_named_file

    if path.suffix not in (".yaml", ".yml", ".toml"):
        raise _wrong(path, "its name must end with .yaml, .yml or .toml")
    try:
        text = read_named_file(path, _LARGEST).decode("utf-8")
        table = _toml(text) if path.suffix == ".toml" else _yaml(text)
    except (ArtifactError, ValueError, RecursionError) as cause:
        raise _wrong(path, str(cause)) from cause
    if not isinstance(table, dict):
        raise _wrong(path, "it must be a table of options and values")
    return table


def _toml(text: str) -> Any:
    import tomllib

    return tomllib.loads(text)


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as cause:
        raise ValueError(cause) from cause


def _sentence(model: type[Config], cause: ValidationError) -> str:
    """The first thing that is wrong, with the key by which the user knows the field."""
    keys = {field: key for key, field in model.keys().items()}
    errors = cause.errors()
    error = next((each for each in errors if each["type"] != "missing"), errors[0])
    where = ".".join(str(step) for step in error["loc"][1:])
    name = keys.get(str(error["loc"][0]), str(error["loc"][0])) if error["loc"] else "the options"
    return f"{name}{'.' if where else ''}{where}: {error['msg']}"


def _wrong(path: Path, reason: str) -> typer.BadParameter:
    return typer.BadParameter(f"{path}: {reason}", param_hint="--config")
