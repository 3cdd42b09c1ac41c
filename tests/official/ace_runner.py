"""The official ACEBench, started alone: its own inference and its own evaluation, with models that say what is recorded.

`ace_runner.py EPISODES OUT`: each line of EPISODES has an entry with its language and its answer, the texts of the agent, those
of the user, and how the process score shall read the calls, if not as they were written. OUT has for each the scores, and all
that the agent's model was asked. It writes files where it is started.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import sys
import types
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

UNNEEDED = ("dotenv", "openai", "openpyxl", "pandas", "tqdm", "wcwidth")


class Unneeded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules in the place of packages that are not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(UNNEEDED) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        vars(module).update(
            OpenAI=Client, load_dotenv=lambda: None, tqdm=Bar, wcswidth=len, Workbook=None, Alignment=None
        )
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is in it."""


class Bar:
    def __init__(self, **_options: Any) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, _steps: int) -> None:
        pass


class Client:
    """Says what is recorded: to a request with a list of functions as the agent, to any other as the user."""

    agent: ClassVar[list[str]] = []
    user: ClassVar[list[str]] = []
    asked: ClassVar[list[Any]] = []

    def __init__(self, **_options: Any) -> None:
        self.chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=self._create))

    def _create(self, messages: list[dict[str, str]], **_options: Any) -> Any:
        is_agent = "[ApiName(" in messages[0]["content"]
        if is_agent:
            Client.asked.append(messages)
        texts = Client.agent if is_agent else Client.user
        message = types.SimpleNamespace(content=texts.pop(0))
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])


def main(episodes: str, out: str) -> None:
    sys.meta_path.insert(0, Unneeded())
    evaluation: Any = import_module("eval_main")
    make_model = import_module("model_inference.apimodel_inference").APIModelInference

    told = []
    for number, line in enumerate(Path(episodes).read_text(encoding="utf-8").splitlines()):
        episode = json.loads(line)
        Client.agent, Client.user, Client.asked = episode["agent"], episode["user"], []
        entry, language = episode["entry"], episode["language"]
        # Its instances are found again by the name of the model.
        model = make_model(f"gpt-{number}", language=language)
        functions = entry["function"]
        result, process = model.inference(entry["question"], functions, "", "", entry, entry["id"])
        read = process if episode["process"] is None else episode["process"]
        assert len(process) >= len(read)
        evaluation.language, evaluation.OUTPUT_PATH = language, f"./score_all/score_{language}/"
        saved = json.loads(json.dumps({"result": result, "process": read}))
        kind = entry["id"].rpartition("_")[0]
        scores = evaluation.agent_eval([saved], [entry], [episode["answer"]], kind, f"gpt-{number}")
        told.append({"scores": scores, "asked": Client.asked})
    Path(out).write_text(json.dumps(told), encoding="utf-8")


main(*sys.argv[1:])
