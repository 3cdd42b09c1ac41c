"""What of the package a command runs through: its modules, its functions and how deep they call each other.

    python benchmarks/walks.py                     `build` of one environment, and one conversation of `run`
    python benchmarks/walks.py --list COMMAND …    the functions that a command of `envscaler` runs through

What runs while modules are imported does not count, and neither do comprehensions and generated code.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = str(Path(__file__).resolve().parent.parent / "envscaler_mcp") + "/"
ENVIRONMENT = "hospital_stays"
BUILD = ("build", ENVIRONMENT, "--anew", "--scenarios", "10", "--workers", "1")
RUN = ("run", "--env", ENVIRONMENT, "--agent", "oracle", "--mode", "conversation", "--limit", "1", "--processes", "1")


@dataclass
class Walk:
    """The functions of the package that ran."""

    functions: set[CodeType] = field(default_factory=set)
    deepest: list[CodeType] = field(default_factory=list)
    _seen: set[tuple[CodeType, CodeType | None]] = field(default_factory=set)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        call = (code, frame.f_back.f_code if frame.f_back else None)
        if event != "call" or call in self._seen or not code.co_filename.startswith(PACKAGE):
            return
        self._seen.add(call)
        stack = _stack(frame)
        self.functions.update(stack)
        self.deepest = max(self.deepest, stack, key=len)

    @property
    def modules(self) -> set[str]:
        return {code.co_filename for code in self.functions}


def _stack(frame: FrameType | None) -> list[CodeType]:
    """The functions that are running, each once; none while a module is imported."""
    stack: dict[CodeType, None] = {}
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE):
            if code.co_name == "<module>":
                return []
            if not code.co_name.startswith("<"):
                stack[code] = None
        frame = frame.f_back
    return list(reversed(stack))


def walk_of(arguments: list[str]) -> Walk:
    """What a command of `envscaler` runs through in this process."""
    from envscaler_mcp.cli import main

    walk = Walk()
    before = sys.argv
    sys.argv = ["envscaler", *arguments]
    threading.setprofile(walk.note)
    sys.setprofile(walk.note)
    try:
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        sys.argv = before
    return walk


def _name(code: CodeType) -> str:
    return f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname}"


def main() -> None:
    if sys.argv[1:2] == ["--list"]:
        walk = walk_of(sys.argv[2:])
        for code in sorted(walk.functions, key=lambda code: (code.co_filename, code.co_firstlineno)):
            print(_name(code))
        print("The deepest chain of calls:", *map(_name, walk.deepest), sep="\n    ")
        return
    with tempfile.TemporaryDirectory() as folder:
        walks = {
            "build": BUILD,
            "run, of servers that are not yet known to be made here": (*RUN, "--out", f"{folder}/first"),
            "run": (*RUN, "--out", f"{folder}/second"),
        }
        for name, arguments in walks.items():
            walk = walk_of(["--home", folder, *arguments])
            print(
                f"{len(walk.modules):>4} modules {len(walk.functions):>6,} functions {len(walk.deepest):>4} deep  {name}"
            )


if __name__ == "__main__":
    main()
