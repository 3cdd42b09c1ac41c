"""Rows to train on: the commands of the command line, run as such and shown."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from envscaler_mcp.errors import RunError
from envscaler_mcp.processes import own_program


def played_by_oracle(folder: Path, environments: Sequence[str], home: Path | None, limit: int = 16) -> Path:
    """The run of the stored solutions of these environments, in a folder."""
    named = [word for name in environments for word in ("--env", name)]
    command(["run", "--agent", "oracle", "--split", "train", "--limit", str(limit), *named, "--out", str(folder)], home)
    return folder


def exported(run: Path, form: str, file: Path, home: Path | None) -> Path:
    """The solved episodes of a run as rows of that format."""
    command(["export", str(run), "--format", form, "--out", str(file), "--only", "solved"], home)
    return file


def command(words: Sequence[str], home: Path | None = None) -> None:
    """Run a command of `envscaler`; RunError where it fails."""
    where = [] if home is None else ["--home", str(home)]
    program = own_program("envscaler_mcp.cli:main", *where, *words)
    print(f"$ envscaler {shlex.join([*where, *words])}", flush=True)
    if subprocess.run(program, check=False).returncode:
        raise RunError(f"`envscaler {shlex.join(words)}` failed; what it said stands above.")
