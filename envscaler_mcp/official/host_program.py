"""The host of official code: an interpreter that imports it once, from verified files, and forks for each episode and verdict.

A fork is a fresh copy of every module, so nothing that one episode or verdict changes is seen by another. A fork closes
every descriptor but its channel and lets the kernel refuse every path, before it is told what to do. The host itself runs
nothing but the imports; these have this user's rights, and so only files whose digests are known are imported.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import signal
import socket
import sys
import time
import types
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from envscaler_mcp.sandbox import landlock, limits, seccomp, system
from envscaler_mcp.sandbox.frames import Bounds, ClosedError, FrameError, Reader, encode
from envscaler_mcp.sandbox.limits import CHANNEL, MIB, Limits
from envscaler_mcp.sandbox.probe import Kernel, probe

_MESSAGE = 65536
LIMITS = Limits(memory=2048 * MIB, resident=1024 * MIB, cpu_seconds=3600, call_seconds=60.0, frame=64 * MIB)
"""What one fork may use."""
_BOUNDS = Bounds(LIMITS.frame, LIMITS.frame, 200)


class PinnedFiles(importlib.abc.MetaPathFinder):
    """Finds the modules of the official packages, and lets in no file whose digest is not the known one."""

    def __init__(self, roots: Sequence[str], packages: Sequence[str], pins: dict[str, str] | None) -> None:
        self._roots = [Path(root) for root in roots]
        self._packages = frozenset(packages)
        self._pins = pins
        """Nothing while the digests are taken for the first time."""
        self.loaded: dict[str, str] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Where the module's file lies, if the module is of an official package."""
        del path, target
        top = name.partition(".")[0]
        if top not in self._packages:
            return None
        stem = name.replace(".", "/")
        for root in self._roots:
            if not (root / top).is_dir() and not (root / f"{top}.py").is_file():
                continue
            for file in (f"{stem}/__init__.py", f"{stem}.py"):
                if (root / file).is_file():
                    return self._spec(name, root, file)
            if (root / stem).is_dir():
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [str(root / stem)]
                return spec
        return None

    def _spec(self, name: str, root: Path, file: str) -> importlib.machinery.ModuleSpec | None:
        loader = _PinnedFile(name, str(root / file), file, self)
        return importlib.util.spec_from_file_location(
            name,
            root / file,
            loader=loader,
            submodule_search_locations=[str((root / file).parent)] if file.endswith("/__init__.py") else None,
        )

    def check(self, file: str, content: bytes) -> None:
        """Refuse a file that is not the known one."""
        digest = sha256(content).hexdigest()
        if self._pins is not None and self._pins.get(file) != digest:
            raise ImportError(f"{file} is not a file that is known here")
        self.loaded[file] = digest


class _PinnedFile(importlib.machinery.SourceFileLoader):
    """Compiles the bytes that were checked; no compiled file is read or written."""

    def __init__(self, name: str, path: str, file: str, files: PinnedFiles) -> None:
        super().__init__(name, path)
        self._file, self._files = file, files

    def get_code(self, fullname: str) -> types.CodeType:  # noqa: ARG002 - the file is the module's own
        """The code of the file."""
        content = Path(self.path).read_bytes()
        self._files.check(self._file, content)
        code: types.CodeType = compile(content, self.path, "exec", dont_inherit=True)
        return code

    def get_data(self, path: str) -> bytes:
        """The content of a file that lies beside the module's."""
        content = super().get_data(path)
        self._files.check(str(Path(self._file).parent / Path(path).name), content)
        return content


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that official code imports and does not need here: every name of theirs is there, and means nothing."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A stub, for a module that is named, or lies below one."""
        del path, target
        if any(name == stub or name.startswith(f"{stub}.") for stub in self._names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module without content."""
        return _Stub(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is in it."""


class _Stub(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        return [] if name == "__all__" else _Anything


class _Anything:
    """Can be called, subclassed and used as a decorator; a function it decorates stays what it is."""

    def __new__(cls, *arguments: Any, **_named: Any) -> Any:
        if len(arguments) == 1 and not _named and isinstance(arguments[0], types.FunctionType):
            return arguments[0]
        return super().__new__(cls)

    def __init__(self, *_arguments: Any, **_named: Any) -> None:
        """Whatever it is made of."""

    def __call__(self, *arguments: Any, **_named: Any) -> Any:
        return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], types.FunctionType) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def main() -> None:
    """Serve until the other end hangs up, then take every fork along."""
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        host = _Host(control, json.loads(_line(control)))
    except Exception as cause:
        _say(control, {"failed": f"{type(cause).__name__}: {cause}"})
        return
    _say(control, {"ready": host.files.loaded, "unconfined": "" if host.kernel.works else host.kernel.why_not})
    while host.serve_one():
        pass
    host.end_all()


class _Host:
    def __init__(self, control: socket.socket, asked: dict[str, Any]) -> None:
        self._control = control
        self._children: set[int] = set()
        self._number = 0
        self._read = b""
        self._handed: list[int] = []
        system.hide_memory()
        self.kernel = probe()
        adapter = importlib.import_module(asked["adapter"])
        self.files = PinnedFiles(asked["roots"], asked["packages"], asked["pins"])
        _narrow([Stubs(asked["stubs"]), self.files])
        # What the standard library imports late could not be imported behind the kernel's gate.
        for late in ("_strptime", "encodings.idna", "encodings.unicode_escape", "traceback", "linecache"):
            importlib.import_module(late)
        time.tzset()
        time.localtime()
        sys.stdout = sys.stderr = _Nowhere()
        adapter.load()
        self._adapter = adapter
        gc.collect()
        gc.freeze()

    def serve_one(self) -> bool:
        """Answer one request; false when there will be no more."""
        asked = self._next()
        if asked is None:
            return False
        self._children = {pid for pid in self._children if not _has_ended(pid)}
        if asked["do"] == "fork":
            _say(self._control, {"pid": self._fork(self._handed.pop(0))})
        elif asked["pid"] in self._children:
            os.kill(asked["pid"], signal.SIGKILL)
        return True

    def _next(self) -> dict[str, Any] | None:
        """One request of a line; several may arrive at once, because not every one is answered."""
        while b"\n" not in self._read:
            try:
                text, handed, _, _ = socket.recv_fds(self._control, _MESSAGE, 4)
            except OSError:
                return None
            if not text:
                return None
            self._read += text
            self._handed += handed
        line, _, self._read = self._read.partition(b"\n")
        asked: dict[str, Any] = json.loads(line)
        return asked

    def _fork(self, channel: int) -> int:
        self._number += 1
        host = os.getpid()
        child = os.fork()
        if child == 0:
            try:
                _answer_all(self._adapter, _hardened(channel, host, self._number, self.kernel))
            finally:
                os._exit(1)
        os.close(channel)
        self._children.add(child)
        return child

    def end_all(self) -> None:
        """Every fork that is left."""
        for pid in self._children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in self._children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _narrow(finders: list[Any]) -> None:
    """From here on modules come from Python's own library and from these finders."""
    library = {str(Path(os.__file__).parent), str(Path(os.__file__).parent / "lib-dynload")}
    sys.path[:] = [path for path in sys.path if path in library or path.endswith("lib-dynload")]
    sys.meta_path[:0] = finders
    sys.path_importer_cache.clear()


def _hardened(channel: int, host: int, number: int, kernel: Kernel) -> socket.socket:
    """The only way out, as far as this kernel can see to that: nothing else of the machine can be named from here on."""
    limits.leave_the_others(host)
    limits.keep_only(channel)
    stream = socket.socket(fileno=CHANNEL)
    limits.apply(LIMITS)
    limits.drop_root(number)
    limits.die_with_parent()
    if kernel.landlock or kernel.seccomp:
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if kernel.landlock:
        landlock.forbid_everything()
    if kernel.seccomp:
        seccomp.allow_only_the_list(CHANNEL, forks=False)
    return stream


def _answer_all(adapter: Any, stream: socket.socket) -> None:
    reader = Reader(stream)
    fork = _Fork(adapter)
    while True:
        try:
            asked = reader.next(_BOUNDS)
        except (ClosedError, FrameError, OSError):
            os._exit(0)
        # What cannot be written, such as half a character or an infinite number, is an error like what was raised.
        try:
            answer = encode({"id": asked["id"], "answer": fork.answer(asked)})
        except Exception as cause:
            answer = encode({"id": asked["id"], "error": _sentence(cause)})
        stream.sendall(answer)


def _sentence(cause: Exception) -> str:
    """An exception as it can be sent."""
    return f"{type(cause).__name__}: {cause}"[:2000].encode("utf-8", "replace").decode()


class _Fork:
    """One episode or one verdict."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter
        self._world: Any = None
        self._writing: Any = None
        self._log: list[dict[str, Any]] = []
        """The calls that were answered, the turns that were begun, and what was said to the user, in their order."""
        self._keyed: dict[str, tuple[Any, Any]] = {}

    def answer(self, asked: dict[str, Any]) -> Any:
        """What one request is answered."""
        match asked["do"]:
            case "open":
                self._world = self._adapter.World(asked["task"])
                return True
            case "judge":
                return self._adapter.judge(asked["task"], asked["record"])
            case "write":
                self._writing = self._adapter.Writing(asked["task"], asked["calls"])
                return self._writing.system()
            case "request":
                return self._writing.request(*asked["given"])
            case "read":
                return self._writing.read(*asked["given"])
            case "call":
                tool, arguments = asked["given"]
                return self._called(tool, arguments, asked.get("key"))
            case "log":
                return self._log
            case "note":
                return self._noted(*asked["given"])
            case "digest" | "view" as asked_for:
                return getattr(self._world, asked_for)()
            case "tools":
                (turn,) = asked["given"]
                if turn:
                    self._log.append({"turn": turn})
                return self._world.tools(turn)
            case _:
                return self._said(*asked["given"])

    def _called(self, tool: str, arguments: dict[str, Any], key: str | None) -> Any:
        if key in self._keyed and self._keyed[key][0] == [tool, arguments]:
            return self._keyed[key][1]
        # The official code may change what it is given.
        sent = copy.deepcopy(arguments)
        try:
            text, is_error = answer = self._world.call(tool, arguments)
        except Exception as cause:
            text, is_error = answer = [f"Error: {_sentence(cause)}", True]
        self._log.append({"tool": tool, "arguments": sent, "observation": text, "is_error": is_error})
        if key is not None:
            self._keyed[key] = [tool, sent], answer
        return answer

    def _noted(self, text: str | None, reply: str) -> bool:
        """Something was said that no official code has answered."""
        if text is not None:
            self._log.append({"text": text, "observation": reply})
            if hasattr(self._world, "heard"):
                self._world.heard(reply)
        return True

    def _said(self, strategy: str, text: str | None, answers: list[str]) -> Any:
        try:
            made = self._world.user(strategy, text, answers)
        except Exception as cause:
            return {"failed": _sentence(cause)}
        if text is not None and "said" in made:
            self._log.append({"text": text, "observation": made["said"]})
        return made


class _Nowhere:
    """Where official code prints."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """There is nothing."""


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _line(control: socket.socket) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        piece = control.recv(_MESSAGE)
        if not piece:
            raise EOFError
        text += piece
    return text


def _say(control: socket.socket, answer: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        control.sendall(json.dumps(answer).encode() + b"\n")
