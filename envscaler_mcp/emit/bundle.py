"""One environment as a folder or `.mcpb` file: uv fetches what it needs, or it runs where `mcp` is installed."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.artifacts.members import check_target, has_member, member_parts
from envscaler_mcp.emit.folder import docstring_title
from envscaler_mcp.errors import ArtifactError, EmitError, boundary
from envscaler_mcp.plain_files import read_below, replacing
from envscaler_mcp.serving.parsing import parsed_module

ENTRY = "launch"
"""The room that serves a folder; a bundle holds it and the rooms it stands on."""

NEEDS = "mcp>=2.3,<3"
SERVER = f'''"""{{title}}: made by `envscaler bundle {{id}}`; runs where Python 3.11 and `mcp` are installed."""

# /// script
# requires-python = ">=3.11"
# dependencies = ["{NEEDS}"]
# ///

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "lib"))

from envscaler_mcp.launch.server import main  # noqa: E402

if __name__ == "__main__":
    main(FOLDER{{vouched}})
'''
PROJECT = f'''# Made by `envscaler bundle`: what uv installs before it starts server.py.
[project]
name = {{name}}
version = {{version}}
requires-python = ">=3.11"
dependencies = ["{NEEDS}"]

[tool.uv]
package = false
'''


def bundle_files(folder: Path, *, trusted: bool) -> dict[str, bytes]:
    """Everything a bundle of this server folder holds, by its path inside; the same bytes on every machine.

    Where it is trusted, the bundle's program vouches for the code by its digest; any other code runs in a worker there too.
    """
    environment = Environment.read_in(folder, "environment.json")
    files = {
        "pyproject.toml": PROJECT.format(
            name=json.dumps(_published_name(environment)), version=json.dumps(_plain_version(environment))
        ).encode(),
        "manifest.json": (json.dumps(manifest(environment), ensure_ascii=False, indent=2) + "\n").encode(),
        "server.py": SERVER.format(
            title=docstring_title(environment),
            id=environment.id,
            vouched=f', vouched="{environment.code_digest}"' if trusted else "",
        ).encode(),
    }
    names = ["environment.json", "environment.py", "README.md", "blueprint.yaml"]
    names += [f"states/{state}.json" for state in environment.states]
    with boundary(EmitError, f"bundle of {environment.id!r}"):
        for name in names:
            if name != "blueprint.yaml" or has_member(folder, name):
                files[name] = _taken(environment.id, folder, name)
        package = Path(__file__).resolve().parent.parent
        for path in vendored(package):
            files[f"lib/{package.name}/{path.relative_to(package).as_posix()}"] = path.read_bytes()
    return dict(sorted(files.items()))


def _taken(env_id: str, folder: Path, name: str) -> bytes:
    try:
        return read_below(folder, name)
    except ArtifactError as cause:
        raise EmitError(f"bundle of {env_id!r}: {cause}") from cause


def manifest(environment: Environment) -> dict[str, Any]:
    """The description by which a host installs an `.mcpb` file."""
    return {
        "manifest_version": "0.4",
        "name": _published_name(environment),
        "display_name": environment.title,
        "version": environment.version,
        "description": environment.about,
        "long_description": environment.introduction,
        "author": {"name": "EnvScaler MCP"},
        "license": "Apache-2.0",
        "keywords": ["simulation", environment.sector],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {"command": "uv", "args": ["run", "--directory", "${__dirname}", "server.py"]},
        },
        "tools": [{"name": tool.name, "description": tool.description} for tool in environment.tools],
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": ">=3.11"}},
    }


def _published_name(environment: Environment) -> str:
    return environment.id.replace("_", "-")


def _plain_version(environment: Environment) -> str:
    """The version, where it is one that Python packages may have."""
    return environment.version if re.fullmatch(r"\d{1,9}(\.\d{1,9}){0,3}", environment.version) else "0"


def write_bundle(files: dict[str, bytes], out: Path) -> None:
    """Write the bundle as a folder, in place of an older bundle; anything else that is there is left alone."""
    if out.is_symlink():
        raise EmitError(f"{str(out)!r} is a link; name another folder with --out, or remove it")
    if out.exists() and not _is_bundle(out):
        raise EmitError(f"{str(out)!r} exists and is not a bundle; name another folder with --out")
    with boundary(EmitError, f"bundle {str(out)!r}"), replacing(out) as fresh:
        for name, content in files.items():
            path = check_target(fresh, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if out.exists():
            shutil.rmtree(out)


def write_mcpb(files: dict[str, bytes], out: Path) -> None:
    """Write the bundle as one file; stored, not deflated, since compressors differ from machine to machine."""
    # A pipe is no bundle either, and would be waited for.
    if os.path.lexists(out) and not (out.is_file() and zipfile.is_zipfile(out)):
        raise EmitError(f"{str(out)!r} exists and is not a bundle; name another file with --out")
    whole = boundary(EmitError, f"bundle {str(out)!r}")
    with whole, replacing(out) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo("/".join(member_parts(name)), date_time=(1980, 1, 1, 0, 0, 0))
            member.create_system = 3
            member.external_attr = 0o100644 << 16
            archive.writestr(member, content)


def vendored(package: Path) -> list[Path]:
    """The files of this package that a running server may import, found by reading imports and running nothing."""
    rooms, waiting = set(), {ENTRY}
    while waiting:
        room = waiting.pop()
        rooms.add(room)
        waiting |= {name for path in _files_of(package, room) for name in _rooms_imported(path, package)} - rooms
    return sorted([package / "__init__.py", *(path for room in rooms for path in _files_of(package, room))])


def _files_of(package: Path, room: str) -> list[Path]:
    folder = package / room
    if not folder.is_dir():
        return [package / f"{room}.py"]
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def _rooms_imported(path: Path, package: Path) -> set[str]:
    if path.suffix != ".py":
        return set()
    modules = set()
    for node in ast.walk(parsed_module(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    names = {name.split(".")[1] for name in modules if name.startswith(f"{package.name}.")}
    return {name for name in names if (package / name).is_dir() or (package / f"{name}.py").is_file()}


def _is_bundle(folder: Path) -> bool:
    return (folder / "manifest.json").is_file() and (folder / "lib" / "envscaler_mcp").is_dir()
