"""An OpenEnv environment whose step repeats a text, behind OpenEnv's own server; run in an environment of its own."""

from __future__ import annotations

import socket
import sys
from typing import Any

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Say(Action):
    text: str


class Said(Observation):
    text: str = ""


class Echo(Environment[Say, Said, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, *_: Any, **__: Any) -> Said:
        return Said()

    def step(self, action: Say, *_: Any, **__: Any) -> Said:
        return Said(text=action.text)

    @property
    def state(self) -> State:
        return State()


if __name__ == "__main__":
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.bind(("127.0.0.1", 0))
    sock.listen(128)
    sys.stdout.write(f"http://127.0.0.1:{sock.getsockname()[1]}/ws\n")
    sys.stdout.flush()
    app = create_fastapi_app(Echo, Say, Said, max_concurrent_envs=64)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[sock])
