"""A small harness, run as a program: it executes attack programs behind chosen layers and writes down what happened.

It is a process of its own so that it can be another user, hold a key in its environment, and die without harm to the tests.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.sandbox.isolation import open_isolated, run_check
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.serving.world import World
from tests.homes import written

THIS_IS_THE_HARNESS = True
HARNESS_SECRET = "sk-canary-of-the-harness"
ATTACKS = Path(__file__).parent / "attacks"
ENVIRONMENT = '''

class Place:
    def __init__(self, init_config: dict):
        self.things = {}

    def go(self) -> dict:
        """Do what this environment is for."""
        found = %s
        return {"success": True, "data": "ESCAPED" if found is True else found}

    def ping(self) -> dict:
        """Say that all is well."""
        return {"success": True, "data": "pong"}
'''
CHECK = """

def check_func(final_state):
    return attack()
"""
WELL = {"success": True, "data": "pong"}


class Surroundings:
    """What an attack could reach: a folder with a secret, three listeners, and this process."""

    def __init__(self, user: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="canary-"))
        (self.folder / "secret.txt").write_text("CANARY", encoding="utf-8")
        self.out = self.folder / "out"
        self.out.mkdir()
        self.folder.chmod(0o755)
        self.out.chmod(0o777)
        self.heard = 0
        self.user = user
        tcp, daemon = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
        self.abstract = f"\0canary-{os.getpid()}"
        daemon.bind(self.abstract)
        daemon.listen()
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        self.tcp, self.udp = tcp.getsockname()[1], udp.getsockname()[1]
        for listener in (tcp, daemon):
            threading.Thread(target=self._answer_streams, args=(listener,), daemon=True).start()
        threading.Thread(target=self._answer_datagrams, args=(udp,), daemon=True).start()

    def _answer_streams(self, listener: socket.socket) -> None:
        while True:
            line, _ = listener.accept()
            with line, contextlib.suppress(OSError):
                if line.recv(4):
                    self.heard += 1
                    line.sendall(b"got!")

    def _answer_datagrams(self, listener: socket.socket) -> None:
        while True:
            _, sender = listener.recvfrom(4)
            self.heard += 1
            listener.sendto(b"got!", sender)

    def fill_in(self, source: str) -> str:
        values = {
            "CANARY": str(self.folder),
            "TCP": str(self.tcp),
            "UDP": str(self.udp),
            "ABSTRACT": "\\0" + self.abstract[1:],
            "HARNESS": str(os.getpid()),
            "USER": self.user,
        }
        for name, value in values.items():
            source = source.replace(f"@{name}@", value)
        return source

    def planted(self) -> list[str]:
        """What lies in the folder that was empty, which is empty again afterwards."""
        found = sorted(path.name for path in self.out.iterdir())
        for path in self.out.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", choices=["root", "ordinary"], required=True)
    parser.add_argument("--mode", choices=["auto", "portable", "hard"], default="auto")
    parser.add_argument("--layers", default="")
    parser.add_argument("--places", default="call,load,check")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--resident", type=int, default=384)
    parser.add_argument("attacks", nargs="*")
    chosen = parser.parse_args()
    if chosen.user == "ordinary" and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(54321, 54321, 54321)
        os.setresuid(54321, 54321, 54321)
    surroundings = Surroundings(chosen.user)
    try:
        for record in run_all(surroundings, Behind(chosen), chosen.places.split(","), chosen.attacks):
            sys.stdout.write(json.dumps(record) + "\n")
    finally:
        shutil.rmtree(surroundings.folder)


class Behind:
    """What stands between the attacks and this harness."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.mode = chosen.mode
        self.layers = Layers.only(*filter(None, chosen.layers.split(",")))
        self.limits = Limits(call_seconds=chosen.seconds, open_seconds=5, resident=chosen.resident << 20)

    def open(self, source: str, limits: Limits | None = None) -> World:
        return open_isolated(written(source), {}, 1, self.mode, layers=self.layers, limits=limits or self.limits)


def run_all(
    surroundings: Surroundings, behind: Behind, places: list[str], attacks: list[str]
) -> Iterator[dict[str, Any]]:
    honest = behind.open(ENVIRONMENT % "1", Limits())
    for name in attacks:
        source = surroundings.fill_in((ATTACKS / f"{name}.py").read_text(encoding="utf-8"))
        # What only wastes time wastes it in one place.
        for place in places[:1] if "# alone: process" in source else places:
            heard = surroundings.heard
            got_out, how = PLACES[place](source, behind)
            yield {
                "attack": name,
                "place": place,
                "got_out": got_out or surroundings.heard > heard,
                "how": how,
                "planted": surroundings.planted(),
                "harness_is_well": honest.call("ping", {}).payload == WELL,
            }
    fresh = behind.open(ENVIRONMENT % "2", Limits())
    yield {"attack": "", "harness_is_well": fresh.call("ping", {}).payload == WELL}


def in_a_call(source: str, behind: Behind) -> tuple[bool, str]:
    return _in_a_world(source + ENVIRONMENT % "attack()", behind)


def while_loading(source: str, behind: Behind) -> tuple[bool, str]:
    return _in_a_world(source + "\n\nFOUND = attack()\n" + ENVIRONMENT % "FOUND", behind)


def _in_a_world(source: str, behind: Behind) -> tuple[bool, str]:
    world = None
    try:
        world = behind.open(source)
        outcome = world.call("go", {})
        # Whatever the attack left on the channel would be taken for the answer to this.
        fooled = world.call("ping", {}).payload != WELL
        return outcome.payload.get("data") == "ESCAPED" or fooled, outcome.kind
    except EnvScalerError as cause:
        return False, told(cause)
    finally:
        if world is not None:
            world.close()


def in_a_check(source: str, behind: Behind) -> tuple[bool, str]:
    try:
        checked = run_check(source + CHECK, {}, {}, behind.mode, layers=behind.layers, limits=behind.limits)
    except EnvScalerError as cause:
        return False, told(cause)
    return checked.verdict is True, checked.failure or str(checked.verdict)


def told(cause: Exception) -> str:
    reason = getattr(cause, "reason", "")
    return f"{type(cause).__name__}: {reason}: {cause}"[:300]


PLACES = {"call": in_a_call, "load": while_loading, "check": in_a_check}

if __name__ == "__main__":
    main()
