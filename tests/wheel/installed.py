"""The wheel, built as a release is and installed into an environment that holds what it requires and nothing else."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
NAME = "envscaler-mcp"


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and a user who never saw the project."""

    environment: Path
    home: Path

    @property
    def packages(self) -> Path:
        (folder,) = (self.environment / "lib").glob("python*/site-packages")
        return folder

    @property
    def variables(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def program(self, name: str) -> str:
        return str(self.environment / "bin" / name)

    def run(self, folder: Path, *words: str, program: str = "envscaler") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program(program), *words],
            cwd=folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


def installed(folder: Path) -> Installed:
    """The environment in this folder; of several processes that ask for it, the first makes it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = Installed(folder / "environment", folder / "user")
        if not (folder / "done").exists():
            made.home.mkdir()
            _install(_wheel(folder / "dist"), made)
            (folder / "done").touch()
    return made


def _wheel(into: Path) -> Path:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)]
    subprocess.run(
        build, cwd=ROOT, env={**os.environ, "WORLDS_PRESET": "1"}, check=True, capture_output=True, timeout=600
    )
    (wheel,) = into.glob("*.whl")
    return wheel


def _install(wheel: Path, made: Installed) -> None:
    venv.create(made.environment, with_pip=False)
    # What a registry would bring is here already: it is linked, package by package, so that no other is at hand.
    for name in sorted(_required(NAME)):
        for entry in _entries(name):
            (made.packages / entry.name).symlink_to(entry)
    pip = [sys.executable, "-m", "pip", "--python", made.program("python"), "install", "--quiet"]
    offline = ["--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, *offline, str(wheel)], check=True, capture_output=True, timeout=300)


def _required(name: str) -> set[str]:
    """Names of all that an installation of the package brings, without the package."""
    names: set[str] = set()
    waiting = list(_requirements(name, set()))
    while waiting:
        requirement = waiting.pop()
        key = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if key not in names:
            names.add(key)
            waiting.extend(_requirements(requirement.name, requirement.extras))
    return names


def _requirements(name: str, extras: set[str]) -> Iterator[Requirement]:
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        chosen = [{"extra": extra} for extra in ("", *extras)]
        if requirement.marker is None or any(requirement.marker.evaluate(dict(words)) for words in chosen):
            try:
                distribution(requirement.name)
            except PackageNotFoundError:
                continue
            yield requirement


def _entries(name: str) -> set[Path]:
    """What a package has in site-packages: folders and modules."""
    package = distribution(name)
    root = Path(str(package.locate_file("")))
    return {root / file.parts[0] for file in package.files or [] if file.parts[0] not in ("..", "__pycache__")}


def run_folder(base: Path) -> Path:
    """A folder that the processes of one run of the tests share."""
    return base.parent / f"wheel-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
