"""Builds of blueprints for the owners of a farm: one at a time, in a process of its own that the kernel bounds."""

from __future__ import annotations

import json
import secrets
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from envscaler_mcp.artifacts import RegistryEntry
from envscaler_mcp.errors import WorldError

_SAID, _BUILT = "said.jsonl", "built.json"
_MOST_LINES = 2_000
_LARGEST = 4 << 20
"""Bytes that are read of what a build said."""
_PUBLISH_SECONDS = 60
_KEPT_BUILDS = 4
"""Whose tasks can be compared with those of another build."""
_ENDED = {
    signal.SIGALRM: "It took longer than a build may take.",
    signal.SIGXCPU: "It took longer than a build may take.",
    signal.SIGXFSZ: "It writes more than a build may write.",
}


@dataclass(frozen=True, slots=True)
class BuilderHome:
    """What builds blueprints, and where they are published."""

    command: tuple[str, ...]
    """Starts a process that takes an order on its input and says on its output how far it is, within bounds of its own."""
    servers: Path
    registry: Path


@dataclass(eq=False)
class Build:
    """One blueprint on its way."""

    process: subprocess.Popen[bytes]
    folder: Path
    id: str = field(default_factory=lambda: f"build-{secrets.token_hex(8)}")

    @property
    def built(self) -> Path:
        """Where it leaves what it made."""
        return self.folder / _BUILT

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def lines(self) -> list[dict[str, Any]]:
        """What it has said."""
        with (self.folder / _SAID).open("rb") as file:
            whole, newline, _ = file.read(_LARGEST).rpartition(b"\n")
        return [json.loads(line) for line in (whole + newline).splitlines()[:_MOST_LINES]]

    @property
    def failed(self) -> str:
        """Why it did not come to its end."""
        code = self.process.poll()
        if code is None:
            return ""
        said = self.lines()
        last = said[-1] if said else {}
        if "failed" in last:
            return str(last["failed"])
        if code == 0 and last.get("stage") == "done":
            return ""
        ended = next((why for number, why in _ENDED.items() if code == -number), None)
        return ended or "The build has ended before it was done; it may have needed too much memory."

    def end(self) -> None:
        """Whatever it is doing."""
        self.process.kill()
        self.process.wait()

    def remove(self) -> None:
        """With everything that it wrote."""
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


class Builds:
    """Those of one process of a farm."""

    def __init__(self, home: BuilderHome | None) -> None:
        self.home = home
        self._builds: dict[str, Build] = {}

    def start(self, text: str, before: str) -> Build:
        """Build a blueprint; what was being built is given up."""
        home = self._home()
        for build in self._builds.values():
            build.end()
        while len(self._builds) >= _KEPT_BUILDS:
            self._builds.pop(next(name for name in self._builds if str(self._builds[name].built) != before)).remove()
        folder = Path(tempfile.mkdtemp(prefix="envscaler-build-"))
        order = {"do": "build", "text": text, "before": before, "built": str(folder / _BUILT)}
        build = Build(self._started(home, order, folder), folder)
        self._builds[build.id] = build
        return build

    def _started(self, home: BuilderHome, order: dict[str, Any], folder: Path) -> subprocess.Popen[bytes]:
        try:
            with tempfile.TemporaryFile() as asked, (folder / _SAID).open("wb") as said:
                asked.write(json.dumps(order).encode())
                asked.seek(0)
                return subprocess.Popen(home.command, stdin=asked, stdout=said, stderr=subprocess.DEVNULL, cwd=folder)
        except OSError as cause:
            shutil.rmtree(folder, ignore_errors=True)
            raise WorldError(f"No process can be started that builds: {cause.strerror}.") from cause

    def _home(self) -> BuilderHome:
        if self.home is None:
            raise WorldError("This farm builds no blueprints; `envscaler studio` does.")
        return self.home

    def named(self, name: str) -> Build:
        """The build of that name; 404 where there is none."""
        build = self._builds.get(name)
        if build is None:
            raise HTTPException(404, "There is no such build; a later one has taken its place.")
        return build

    def built(self, name: str) -> Path | None:
        """What an earlier build made."""
        build = self._builds.get(name)
        if build is None or build.running or build.failed:
            return None
        return build.built

    def publish(self, build: Build) -> RegistryEntry:
        """Write what was built into the home."""
        home = self._home()
        if build.running or build.failed:
            raise WorldError("Only what was built to its end can be published.")
        order = {
            "do": "publish",
            "built": str(build.built),
            "servers": str(home.servers),
            "registry": str(home.registry),
        }
        try:
            ended = subprocess.run(
                home.command,
                input=json.dumps(order).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_PUBLISH_SECONDS,
                check=False,
            )
            answer = json.loads(ended.stdout.splitlines()[-1])
        except (OSError, subprocess.TimeoutExpired, IndexError, ValueError):
            raise WorldError("It could not be published; can the home be written?") from None
        if "failed" in answer:
            raise WorldError(str(answer["failed"]).replace(f"{home.registry.parent}/", ""))
        return RegistryEntry.model_validate_json(json.dumps(answer["entry"]))

    def close(self) -> None:
        """The farm ends."""
        for build in self._builds.values():
            build.remove()
        self._builds.clear()
