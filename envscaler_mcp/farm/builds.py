"""Builds of blueprints for the owners of a farm: one at a time, in a process of its own that the kernel bounds."""

from __future__ import annotations

import json
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
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
    writer: Writer | None = None
    """The model that writes worlds, where one was named."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that writes a blueprint of a sentence."""

    model: str
    order: Mapping[str, Any]
    """What the process is told of it."""
    budget: float | None = None
    """Dollars for all that it writes here."""


@dataclass(eq=False)
class Build:
    """One blueprint on its way."""

    process: subprocess.Popen[bytes]
    folder: Path
    writes: bool = False
    """Whether a model writes it, which costs."""
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

    @property
    def spent(self) -> float:
        """Dollars, as far as they are known."""
        return max((float(line.get("spent", 0)) for line in self.lines()), default=0.0) if self.writes else 0.0

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
        self._spent = 0.0
        """By builds that are not here any more."""

    def start(self, text: str, before: str) -> Build:
        """Build a blueprint; what was being built is given up."""
        return self._begun(self._home(), {"do": "build", "text": text, "before": before}, before)

    def write(self, sentence: str) -> Build:
        """Let the model write a world of a sentence."""
        home = self._home()
        if home.writer is None:
            raise WorldError("No model writes worlds here; start `envscaler studio --agent openai:MODEL`.")
        budget = home.writer.budget
        left = None if budget is None else max(budget - self.spent, 0.0)
        return self._begun(home, {"do": "write", "sentence": sentence, "writer": home.writer.order, "budget": left}, "")

    @property
    def spent(self) -> float:
        """Dollars for all that was written."""
        return self._spent + sum(build.spent for build in self._builds.values())

    def _begun(self, home: BuilderHome, order: dict[str, Any], before: str) -> Build:
        if any(build.writes and build.running for build in self._builds.values()):
            # What was paid for would be lost.
            raise WorldError("The model is writing a world; stop that, or wait for its end.")
        for build in self._builds.values():
            build.end()
        while len(self._builds) >= _KEPT_BUILDS:
            oldest = self._builds.pop(next(name for name in self._builds if str(self._builds[name].built) != before))
            self._spent += oldest.spent
            oldest.remove()
        folder = Path(tempfile.mkdtemp(prefix="envscaler-build-"))
        process = self._started(home, {**order, "built": str(folder / _BUILT)}, folder)
        build = Build(process, folder, writes=order["do"] == "write")
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
