"""The official runner of BFCL on results in a file, as its authors start it but for the packages that it does not need.

`python official_runner.py RESULTS OUT` in an environment that has the wheel: a line of RESULTS is an entry with its
`ground_truth` and its `result`, turns of steps of `{name: arguments}` with the arguments as the text of JSON.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import sys
import tempfile
import types
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

UNNEEDED = (
    "bfcl_eval.constants.model_config",
    "bfcl_eval.model_handler.parser.java_parser",
    "bfcl_eval.model_handler.parser.js_parser",
    "openai",
    *("dotenv", "filelock", "numpy", "overrides", "pandas", "tenacity", "tqdm"),
)


class Unneeded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules in the place of packages that are not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(UNNEEDED) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)

        def given(name: Any) -> Any:
            if callable(name):
                # A decorator leaves what it decorates as it is.
                return name
            if name.startswith("__"):
                raise AttributeError(name)
            return lambda *arguments, **_named: arguments[0] if arguments and callable(arguments[0]) else given

        vars(module)["__getattr__"] = given
        # A lock on a file that nothing else reads.
        vars(module)["FileLock"] = lambda *_, **__: nullcontext()
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is in it."""


class Handler:
    """What handlers of models with native calls do with a step."""

    def decode_execute(self, step: Any, *_tags: Any, **_named: Any) -> Any:
        return import_module("bfcl_eval.model_handler.utils").convert_to_function_call(step)


def verdict_on(handler: Any, model: str, entry: dict[str, Any], truth: Any, result: Any) -> list[Any]:
    """Whether the official runner takes a result for right, and what is wrong with it."""
    eval_runner = import_module("bfcl_eval.eval_checker.eval_runner")
    category = entry["id"].rsplit("_", 1)[0]
    if hasattr(eval_runner, "_evaluate_single_multi_turn_entry"):
        verdict = eval_runner._evaluate_single_multi_turn_entry(
            handler, entry["id"], result, truth, entry, model, category
        )
    else:
        with tempfile.TemporaryDirectory() as folder:
            eval_runner.multi_turn_runner(
                handler,
                [{"id": entry["id"], "result": result}],
                [entry],
                [{"id": entry["id"], "ground_truth": truth}],
                model,
                category,
                Path(folder),
            )
            score = next(Path(folder).rglob("*_score.json")).read_text(encoding="utf-8")
            lines = [json.loads(each) for each in score.splitlines()]
            verdict = lines[1] if len(lines) > 1 else {"valid": True}
    return [verdict["valid"], verdict.get("error", {}).get("error_type")]


def main(results: str, out: str) -> None:
    sys.meta_path.insert(0, Unneeded())
    verdicts = []
    for number, line in enumerate(Path(results).read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        truth, result = entry.pop("ground_truth"), entry.pop("result")
        verdicts.append(verdict_on(Handler(), f"run{number}", entry, truth, result))
    Path(out).write_text(json.dumps(verdicts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
