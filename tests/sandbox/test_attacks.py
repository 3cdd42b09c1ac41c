"""Every attack program behind every arrangement of layers, as root and as an ordinary user.

Each file in `attacks` says which layers stop it when they stand alone, and whether it gets out when nothing stands in its
way but a process of its own. Both are shown here, so that a layer that stops working is missed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RUNNER = HERE / "attack_runner.py"
EVERY_LAYER = "gate,limits,tripwire,kernel"
CANARY = "sk-canary"


@dataclass(frozen=True)
class Program:
    name: str
    alone: frozenset[str]
    """Layers that stop it by themselves; `process` for those that need no more than a process of their own."""
    free: str
    """`yes` where it gets out when nothing else stands in its way, `harmless` where what it gets is of no use."""

    @classmethod
    def of(cls, path: Path) -> Program:
        found = dict(re.findall(r"^# (alone|free): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE))
        return cls(path.stem, frozenset(found["alone"].split()), found["free"])


@dataclass(frozen=True)
class Arrangement:
    """Layers, a mode, a user, and which attacks are run where."""

    layers: str
    mode: str = "auto"
    user: str = "root"
    places: str = "call,load,check"
    seconds: float = 0.4
    attacks: str = "all"


ATTACKS = {path.stem: Program.of(path) for path in sorted((HERE / "attacks").glob("*.py"))}
USERS = ("root", "ordinary")
ALONE = ("gate", "limits", "tripwire", "kernel")
ARRANGEMENTS = {
    **{f"auto as {user}": Arrangement(EVERY_LAYER, user=user, places="call,check") for user in USERS},
    **{f"hard as {user}": Arrangement(EVERY_LAYER, "hard", user, places="call,check") for user in USERS},
    **{f"portable as {user}": Arrangement("gate,limits,tripwire", "portable", user, places="call") for user in USERS},
    "hard with the gate open as root": Arrangement("limits,tripwire,kernel", "hard"),
    "hard with the gate open as ordinary": Arrangement("limits,tripwire,kernel", "hard", "ordinary", "call"),
    "portable with the gate open as root": Arrangement("limits,tripwire", "portable", places="call,load"),
    "portable with the gate open as ordinary": Arrangement("limits,tripwire", "portable", "ordinary", "call"),
    **{
        f"only {layer} as {user}": Arrangement(layer, user=user, places="call", seconds=5, attacks=layer)
        for layer in ALONE
        for user in USERS
    },
    **{f"nothing as {user}": Arrangement("", user=user, places="call", seconds=5, attacks="free") for user in USERS},
}


def attacks_of(arrangement: Arrangement) -> list[str]:
    if arrangement.attacks == "free":
        return [name for name, program in ATTACKS.items() if program.free == "yes"]
    if arrangement.attacks == "all":
        shut = "gate" in arrangement.layers
        return [name for name, program in ATTACKS.items() if shut or program.free != "harmless"]
    return [name for name, program in ATTACKS.items() if arrangement.attacks in program.alone]


def interpreter_of(user: str) -> str | None:
    """A Python that this user may read; the packages come along by path."""
    candidates = [sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"]
    if user == "root" or os.geteuid() != 0:
        return candidates[0]
    as_other = {"user": 54321, "group": 54321, "extra_groups": [], "cwd": "/", "capture_output": True}
    for candidate in candidates:
        try:
            tried = subprocess.run([candidate, "-c", "import json, ssl"], check=False, **as_other)  # type: ignore[call-overload]
        except OSError:
            continue
        if tried.returncode == 0:
            return candidate
    return None


def run(arrangement: Arrangement) -> list[dict[str, Any]] | str:
    """What was written down, or why it could not be tried here."""
    if arrangement.user == "root" and os.geteuid() != 0:
        return "these tests do not run as root"
    interpreter = interpreter_of(arrangement.user)
    if interpreter is None:
        return "no Python of this version can be read by an ordinary user"
    chosen = ["--user", arrangement.user, "--mode", arrangement.mode, "--layers", arrangement.layers]
    bounds = ["--places", arrangement.places, "--seconds", str(arrangement.seconds)]
    roomy = ["--resident", "2048"] if arrangement.attacks == "free" else []
    done = subprocess.run(
        [interpreter, str(RUNNER), *chosen, *bounds, *roomy, *attacks_of(arrangement)],
        check=False,
        capture_output=True,
        text=True,
        cwd="/",
        timeout=110,
        env={
            "OPENAI_API_KEY": f"{CANARY}-of-the-environment",
            "PYTHONPATH": os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")]),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


SLOW = {
    name
    for name, arrangement in ARRANGEMENTS.items()
    # Where the kernel offers every layer, `hard` is the same arrangement as `auto`.
    if "gate open" in name or arrangement.mode == "hard" or (arrangement.seconds > 1) == (arrangement.user != "root")
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in ARRANGEMENTS]
)
def test_no_attack_gets_out_and_the_harness_is_unharmed(name: str) -> None:
    arrangement = ARRANGEMENTS[name]
    records = run(arrangement)
    if isinstance(records, str):
        pytest.skip(records)
    done = [record for record in records if record["attack"]]
    assert {record["attack"] for record in done} == set(attacks_of(arrangement))
    got_out = {record["attack"]: record["how"] for record in done if record["got_out"] or record["planted"]}
    if arrangement.attacks == "free":
        assert set(got_out) == set(attacks_of(arrangement)), "an attack that never works shows nothing"
    else:
        assert got_out == {}
    assert [record["attack"] for record in records if not record["harness_is_well"]] == []
    assert records[-1]["attack"] == "", "the harness did not come to its end"
    assert CANARY not in json.dumps(records), "a key of the harness was told"


@pytest.mark.parametrize("layer", ALONE)
def test_every_layer_stops_something_by_itself(layer: str) -> None:
    alone = {name for name, program in ATTACKS.items() if layer in program.alone and program.free == "yes"}
    assert alone


def test_there_are_more_than_forty_attacks() -> None:
    assert len(ATTACKS) > 40
