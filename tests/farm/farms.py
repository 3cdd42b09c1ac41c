"""Farms to be tested: inside this process, or the program as it is started."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envscaler_mcp.farm.front_end import FarmConfig, FrontEnd, serving
from envscaler_mcp.farm.peers import Mailboxes
from envscaler_mcp.farm.tokens import Scope, token_for
from envscaler_mcp.registry import read_registry
from envscaler_mcp.serving.control.client import ControlClient
from envscaler_mcp.serving.sockets import listen, url_of
from envscaler_mcp.settings import state_folder
from envscaler_mcp.trust import load_code

ROOT = Path(__file__).parents[2]
SECRET = b"a secret that is long enough for a farm"


@dataclass
class Here:
    """A farm in this process."""

    front: FrontEnd
    url: str
    control: str

    def token(self, scope: Scope, seconds: float = 600) -> str:
        return token_for(SECRET, scope, seconds)

    def client(self) -> ControlClient:
        return ControlClient(self.control, self.token("control"))


@asynccontextmanager
async def farm_here(**config: Any) -> AsyncIterator[Here]:
    """A farm of what ships, in this process's event loop."""
    with (
        Mailboxes.opened(1) as boxes,
        listen("127.0.0.1", 0, None) as agents,
        listen("127.0.0.1", 0, None) as owners,
    ):
        wanted = {
            "servers": ROOT / "generated_servers",
            "registry": read_registry(ROOT / "registry.json"),
            "registry_written": "2026-01-01T00:00:00Z",
            "secret": SECRET,
            "url": url_of(agents),
            **config,
        }
        front = FrontEnd(FarmConfig(**wanted), 0, boxes)
        async with serving(front, [agents], [owners], boxes):
            yield Here(front, url_of(agents), str(owners.getsockname()[1]))


@dataclass
class Program:
    """`envscaler farm` as a process of its own."""

    url: str
    control: str
    process: subprocess.Popen[str]

    def token(self, scope: Scope, seconds: float = 600) -> str:
        return token_for(SECRET, scope, seconds)

    def client(self) -> ControlClient:
        return ControlClient(self.control, self.token("control"))

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def connected(self) -> socket.socket:
        """A raw connection to the agents' side."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)


@contextmanager
def farm_program(folder: Path, *options: str, processes: int = 2) -> Iterator[Program]:
    """The program with a state folder of its own, ended with the block; it remembers what these tests have compiled."""
    load_code(ROOT / "generated_servers" / "hospital_stays")
    (folder / "envscaler").mkdir(mode=0o700, exist_ok=True)
    for memory in state_folder().glob("compiled-*.txt"):
        shutil.copy(memory, folder / "envscaler")
    words = [
        "farm",
        "--port",
        "0",
        "--control",
        "0",
        "--json",
        "--secret-env",
        "FARM_SECRET",
        "--processes",
        str(processes),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), *words, *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "FARM_SECRET": SECRET.decode(), "XDG_STATE_HOME": str(folder)},
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield Program(told["url"], told["control"], process)
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(20)
        if process.stdout is not None:
            process.stdout.close()
    assert code == 0
