"""Other people's programs, in the versions that package-lock.json names, installed once in a side folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "conformance"

INSTALL_SECONDS = 400
_UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "E403", "E407")


class NoProgramsError(Exception):
    """Why other people's programs cannot be had here."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs lie."""

    folder: Path

    @property
    def modules(self) -> Path:
        return self.folder / "node_modules"

    def node(self, *words: object) -> list[str]:
        """A command line that runs a script in the Node that was installed with the programs."""
        return [str(self.modules / ".bin" / "node"), *(str(word) for word in words)]

    def suite(self, name: str) -> list[str]:
        """The official conformance suite in one of its two versions."""
        return self.node(self.modules / name / "dist" / "index.js")

    def inspector(self) -> list[str]:
        """The command line of the MCP Inspector."""
        return self.node(
            self.modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js",
            "--cli",
        )

    def script(self, name: str) -> list[str]:
        """One of our own scripts, which lies beside the packages that it imports."""
        for path in (HERE / "clients").glob("*.mjs"):
            shutil.copy2(path, self.folder / path.name)
        return self.node(self.folder / name)

    def environment(self) -> dict[str, str]:
        """Variables for the programs, which then keep what they write to themselves."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return {**os.environ, "HOME": str(home), "NO_COLOR": "1"}


def installed() -> Programs:
    """The programs, installed first where they are not there in these versions; NoProgramsError where that fails."""
    programs = Programs(FOLDER)
    lock = (HERE / "package-lock.json").read_text(encoding="utf-8")
    stamp = FOLDER / ".installed"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != lock:
        stamp.unlink(missing_ok=True)
        _install(FOLDER)
        stamp.write_text(lock, encoding="utf-8")
    return programs


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoProgramsError("npm is not here; it comes with Node.js, of which any version does.")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy2(HERE / name, folder / name)
    command = [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise NoProgramsError(f"npm was not done after {INSTALL_SECONDS} seconds.") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        if any(word in said for word in _UNREACHABLE):
            raise NoProgramsError(f"npm reaches no registry from here: {said.splitlines()[0]}")
        raise RuntimeError(f"npm could not install what package-lock.json names:\n{said}")
