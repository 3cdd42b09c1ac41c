"""Worlds and checks of unread code, in workers. Everything else that opens a worker goes through here."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from envscaler_mcp.artifacts import canonical_json
from envscaler_mcp.errors import ArtifactError, SandboxError
from envscaler_mcp.sandbox.execution import MAX_FAILURE, check_function, failure_of, modules_at, verdict_of
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.policy import admit, admit_check
from envscaler_mcp.sandbox.purity import only_looks
from envscaler_mcp.sandbox.warm_code import loaded_workers
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.sandbox.zygote import zygote
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.replaced_modules import builtins_with
from envscaler_mcp.serving.world import World, open_unread_world
from envscaler_mcp.settings import PORTABLE, portable_allowed

Mode = Literal["auto", "portable", "hard", "trusted"]
"""`auto` and `hard`: every layer; `portable`: every layer that works here, also without the kernel's, for those who say so;
`trusted`: in this process, for code of your own. What a user allows for all commands widens `auto` and never `hard`."""

ALL = Layers()
ORDINARY = Limits()


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check said, or why it said nothing."""

    verdict: bool | None
    failure: str | None
    ended: bool = False
    """Whether a limit of time, memory or output ended it, or its process ended."""


def open_isolated(
    code: EnvironmentCode,
    state: Mapping[str, Any],
    seed: int,
    mode: Mode = "auto",
    *,
    limits: Limits = ORDINARY,
    layers: Layers = ALL,
) -> World:
    """A world whose code cannot reach this process, this machine or another world.

    SandboxError with the lines where the code is refused before it runs; WorkerEndedError where it was ended.
    """
    if mode == "trusted":
        if not code.trusted:
            _warn(f"The code of {code.environment.id!r} runs inside this process with everything this process may do.")
        return open_unread_world(code, state, seed)
    layers = layers_in(mode, layers, known=code.trusted)
    if layers.gate and not code.admitted:
        admit(code.source, f"The code of {code.environment.id!r}")
    line = loaded_workers().line_for(code, limits, layers)
    try:
        line.ask("open", limits.open_seconds, state=dict(state), seed=seed)
    except BaseException:
        line.close()
        raise
    return WorkerWorld(code, line)


def run_check(
    source: str,
    initial_state: Mapping[str, Any],
    final_state: Mapping[str, Any],
    mode: Mode = "auto",
    *,
    limits: Limits = ORDINARY,
    layers: Layers = ALL,
) -> Checked:
    """What `check_func(final_state)` of a source answers, on copies of both states that nothing else holds."""
    if mode == "trusted":
        _warn("A check runs inside this process with everything this process may do.")
        return _checked_here(source, initial_state, final_state)
    layers = layers_in(mode, layers, known=only_looks(source))
    if layers.gate:
        admit_check(source)
    line = WorkerHandle.start(zygote(), limits, layers)
    try:
        return checked_in(line, [source], dict(initial_state), dict(final_state))[0][0]
    finally:
        line.close()


def checked_in(
    line: WorkerHandle,
    sources: list[str],
    initial: dict[str, Any] | None,
    final: dict[str, Any],
    *,
    handed_on: bool = False,
    shared: bool = False,
    python: bool = False,
    seconds: float | None = None,
) -> tuple[list[Checked], dict[str, Any]]:
    """What each check says in this worker, and the end as they left it, where it is handed on.

    Without a beginning it is the one that this worker was told of last. WorkerEndedError, and no word of any, where one of them ends the worker.
    Where several checks run in it, or it is shared with other endings, a check that finds too little memory is no answer but a WorldError.
    """
    asked = {
        "sources": sources,
        "initial": initial,
        "final": final,
        "handed_on": handed_on,
        "looking": not python and all(map(only_looks, sources)),
        "python": python,
        "alone": len(sources) == 1 and not shared,
    }
    answer = line.ask("check", line.limits.call_seconds if seconds is None else seconds, **asked)
    said, left = answer.get("answers"), answer.get("left")
    if type(said) is not list or len(said) != len(sources) or type(left) not in (dict, type(None)):
        raise line.reject("check: an answer to other questions")
    return [_checked(line, answer_of_one) for answer_of_one in said], final if left is None else left


def _checked(line: WorkerHandle, answer: object) -> Checked:
    if type(answer) is dict:
        verdict, failure = answer.get("verdict"), answer.get("failure")
        if type(verdict) is bool and failure is None:
            return Checked(verdict, None)
        if verdict is None and type(failure) is str:
            return Checked(None, failure[:MAX_FAILURE], ended=failure.startswith(f"{MemoryError.__name__}: "))
    raise line.reject("check: an answer that is neither a verdict nor a failure")


def layers_in(mode: Mode, layers: Layers = ALL, *, known: bool = False) -> Layers:
    """What will stand between the code and the machine; SandboxError where that is less than the mode needs.

    Known code needs the kernel's layer in mode `hard` only: the compiler's own, and checks whose text shows that they only
    look.
    """
    kernel = zygote().kernel
    if mode == "hard" and not (kernel.works and layers.kernel):
        why = kernel.why_not or "the kernel layer was switched off"
        raise SandboxError(
            f"Mode 'hard' needs Landlock and seccomp: {why}. `envscaler doctor` says what this machine offers."
        )
    if mode == "auto" and layers.kernel and not (kernel.works or known or portable_allowed()):
        raise SandboxError(without_kernel(kernel.why_not))
    return layers if kernel.works or kernel.seccomp or kernel.landlock else layers.without("kernel")


def without_kernel(why: str) -> str:
    """Why unread code is refused here, and what allows it."""
    return (
        f"Unread code does not run here: the kernel layer is missing ({why.rstrip('.')}). Without it, code that gets "
        "past the gate could read your files and use your network. If you accept that, choose isolation 'portable' "
        f"(--isolation portable where a command has it, {PORTABLE}=portable for all); `envscaler doctor` says more."
    )


def _checked_here(source: str, initial_state: Mapping[str, Any], final_state: Mapping[str, Any]) -> Checked:
    try:
        initial, final = json.loads(canonical_json(dict(initial_state))), json.loads(canonical_json(dict(final_state)))
    except ArtifactError as cause:
        raise SandboxError(f"A check works on plain JSON: {cause}") from cause
    try:
        answer = verdict_of(check_function(source, initial, builtins_with(modules_at(final)))(final))
    except Exception as cause:
        answer = failure_of(cause)
    return Checked(answer.get("verdict"), answer.get("failure"))


def _warn(message: str) -> None:
    warnings.warn(f"{message} Use mode 'auto' for code that you have not read.", RuntimeWarning, stacklevel=3)
