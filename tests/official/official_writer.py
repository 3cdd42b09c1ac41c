"""The official prompting run of BFCL, started alone: its own handler and its own runner, with a model that says what is recorded.

`python official_writer.py EPISODES OUT` in an environment that has the wheel: a line of EPISODES is an entry with its
`ground_truth` and the `texts` that the model says, one after the other. OUT has for each whether it is valid, the type of its
error, and all that the model was asked.
"""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from official_runner import Unneeded, verdict_on  # type: ignore[import-not-found]

LAST = "I am finished."


def handler_of(model: str) -> Any:
    for name in ("openai_completion", "openai_completions"):
        try:
            official: Any = import_module(f"bfcl_eval.model_handler.api_inference.{name}").OpenAICompletionsHandler
        except ModuleNotFoundError:
            continue
        break

    class Speaking(official):  # type: ignore[misc]
        def __init__(self) -> None:
            self.model_name = self.registry_name = model
            self.model_name_underline_replaced = model
            self.is_fc_model = False
            self.temperature = 0.001
            self.texts: list[str] = []
            self.asked: list[Any] = []

        def _query_prompting(self, inference_data: dict[str, Any]) -> Any:
            self.asked.append([plain(message) for message in inference_data["message"]])
            text = self.texts.pop(0) if self.texts else LAST
            message = SimpleNamespace(role="assistant", content=text)
            usage = SimpleNamespace(prompt_tokens=1, completion_tokens=1)
            return SimpleNamespace(choices=[SimpleNamespace(message=message)], usage=usage), 0.0

    return Speaking()


def plain(message: Any) -> dict[str, str]:
    content = message if isinstance(message, dict) else vars(message)
    return {"role": content["role"], "content": content["content"]}


def prepared(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with its functions, as the official runs prepare it."""
    texts: Any = import_module("bfcl_eval.utils")
    if hasattr(texts, "populate_test_cases_with_predefined_functions"):
        cases = texts.populate_test_cases_with_predefined_functions([entry])
        cases = texts.add_language_specific_hint_to_function_doc(cases)
    else:
        cases = import_module("bfcl_eval._llm_response_generation").process_multi_turn_test_case([entry])
    (made,) = cases
    return dict(made)


def main(episodes: str, out: str) -> None:
    sys.meta_path.insert(0, Unneeded())
    told = []
    for number, line in enumerate(Path(episodes).read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        truth, texts = entry.pop("ground_truth"), entry.pop("texts")
        handler = handler_of(f"run{number}")
        handler.texts = texts
        result, _ = handler.inference(prepared(deepcopy(entry)), False, True)
        told.append([*verdict_on(handler, f"judged{number}", entry, truth, result), handler.asked])
    Path(out).write_text(json.dumps(told), encoding="utf-8")


main(*sys.argv[1:])
