"""Environments with the real packages of trainers, installed once under build/."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
VENVS = ROOT / "build" / "venvs"
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Trainer:
    """A trainer or harness, and the program that plays tasks through its own classes."""

    name: str
    packages: tuple[str, ...]
    beside_us: bool
    """Whether its packages and ours can live in one environment."""

    @property
    def program(self) -> Path:
        """What is run in its environment."""
        return HERE / f"{self.name}_program.py"

    @property
    def path(self) -> str:
        """Where its program finds our files."""
        return str(ROOT if self.beside_us else ROOT / "envscaler_mcp" / "rl" / "standalone")


TRAINERS = (
    Trainer("openenv", ("openenv==0.10.0",), beside_us=False),
    Trainer("verifiers", ("verifiers==0.4.0",), beside_us=False),
    Trainer("inspect_ai", ("inspect-ai==0.3.285",), beside_us=True),
    Trainer("skyrl", ("skyrl-gym==0.4.0",), beside_us=True),
    # What verl imports and does not name is named here.
    Trainer("verl", ("verl==0.9.1", "torch", "cachetools", "fastapi", "uvicorn"), beside_us=True),
    Trainer("ms_swift", ("ms-swift==4.6.0", "torch"), beside_us=True),
)


class NotInstalledError(Exception):
    """The packages cannot be had here."""


def python_of(trainer: Trainer) -> Path:
    """An interpreter with the packages of a trainer; NotInstalledError says why there is none."""
    folder = VENVS / trainer.name
    done, wanted = folder / f".installed-{trainer.name}", "\n".join(trainer.packages)
    python = folder / "bin" / "python"
    if done.is_file() and done.read_text() == wanted:
        return python
    own = ["-e", str(ROOT)] if trainer.beside_us else []
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
        command = [str(python), "-m", "pip", "install", "--quiet", *own, *trainer.packages]
        subprocess.run(command, check=True, capture_output=True, timeout=1_800)
    except (OSError, subprocess.SubprocessError) as cause:
        said = getattr(cause, "stderr", None) or b""
        raise NotInstalledError(f"{trainer.name} cannot be installed here: {said.decode()[-300:] or cause}") from cause
    done.write_text(wanted)
    return python
