"""What runs of ACEBench in the host of official code: its classes behind its own executor, its user, and its own evaluation.

The evaluation reads saved results and writes tables of scores. Here it is given one result at a time, and what it writes goes
nowhere: a fork has no files.
"""

from __future__ import annotations

import copy
import io
import json
from difflib import get_close_matches
from hashlib import sha256
from importlib import import_module
from typing import Any

from envscaler_mcp.official.ace.writing import Model, UnansweredRequest, Writing
from envscaler_mcp.official.plain_view import view_of_instances

__all__ = ["World", "Writing", "judge", "load"]

_CLASSES = (
    "phone_platform.base_api",
    "phone_platform.food_services",
    "phone_platform.message",
    "phone_platform.reminder",
)
_KINDS = ("multi_step", "multi_turn")
_PLAYED = "played"
_NO_TOOL = "not_a_tool"
_official: dict[str, Any] = {}
"""The official modules, by what they are for."""


def load() -> None:
    """Import everything that is used later: behind the kernel's gate nothing can be."""
    for kind in _KINDS:
        _official[kind] = import_module(f"model_inference.{kind}.{kind}_utils")
        for language in ("en", "zh"):
            for name in (*_CLASSES, "travel"):
                import_module(f"model_inference.{kind}.scenarios{language}.{name}")
    _official["saved"] = import_module("model_inference.apimodel_inference").SAVED_CLASS
    _official["user"] = import_module("model_inference.multi_turn.APIModel_user")
    _official["evaluation"] = import_module("eval_main")


class World:
    """The classes of one task, at its start, and its user."""

    def __init__(self, task: dict[str, Any]) -> None:
        self._task = task
        self._instances = _executed(task, [])[1]
        self._person: Any = None

    def tools(self, _turn: int) -> list[dict[str, Any]]:
        """The functions of the task, with types as JSON Schema names them."""
        return [{**function, "parameters": _schema(function["parameters"])} for function in self._task["function"]]

    def call(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        """What the official executor answers, and whether that is an error."""
        text = _result(self._task, name, arguments)[0]
        return [text, text.startswith(("Error during execution: ", "['E', 'r'"))]

    def digest(self) -> str:
        """Of all attributes of every instance."""
        return _digest(self._instances)

    def view(self) -> dict[str, Any]:
        """The same for people."""
        return view_of_instances(self._instances)

    def user(self, _strategy: str, text: str | None, answers: list[str]) -> dict[str, Any]:
        """What the user says to a text, or says first; or what its model has to be asked before that."""
        person = self._new_person() if self._person is None else copy.deepcopy(self._person)
        person.client = model = Model(answers)
        try:
            if text is None:
                said = person.get_init_prompt(self._task["question"])
            else:
                person.step(text)
                said = person.respond()["message"]
        except UnansweredRequest:
            return {"ask": model.asked}
        person.client = None
        self._person = person
        return {"said": said}

    def _new_person(self) -> Any:
        task = self._task
        # The name of the model says only where it is asked, and that is not here.
        return _official["user"].APIUSER("gpt", task["involved_classes"], language=task["language"])


def judge(task: dict[str, Any], moves: list[dict[str, Any]]) -> dict[str, Any]:
    """The official scores of recorded moves, each with its calls, their answers, and its text as the process score reads it."""
    instances = _executed(task, [])[1]
    differing = 0
    saved = False
    for move in moves:
        saved = saved or bool(move.get("ran"))
        for name, arguments, answer in move["calls"]:
            text, counts = _result(task, name, arguments)
            differing += text != answer
            saved = saved or counts
    # Officially a state is saved once a call was made; in conversations, once one was made without an error.
    state = json.loads(json.dumps(_saved(instances))) if saved else []
    end_to_end, process = _scores(task, state, [move["text"] for move in moves])
    reference = task["ground_truth"] if isinstance(task["ground_truth"], list) else [task["ground_truth"]]
    strict = _strictly_equal(state, reference, task["involved_classes"])
    return {
        "valid": end_to_end == 1.0,
        "reward": end_to_end,
        "end_to_end": end_to_end,
        "process": process,
        "strict": strict,
        "state": state,
        "digest": _digest(instances),
        "differing": differing,
        "error_type": "" if end_to_end == 1.0 else "wrong_state",
        "reason": "" if end_to_end == 1.0 else f"process score {process:g}",
        "figures": {"process": process, "strict": strict},
    }


def _scores(task: dict[str, Any], state: list[Any], process: list[str]) -> tuple[float, float]:
    """The end-to-end and the process score of the official evaluation, of one result."""
    evaluation = _official["evaluation"]
    evaluation.language, evaluation.OUTPUT_PATH = task["language"], ""
    evaluation.save_score_as_json = lambda *_: None
    evaluation.open = lambda *_, **__: io.StringIO()
    answer = {"ground_truth": task["ground_truth"], "mile_stone": task["mile_stone"]}
    scores = evaluation.agent_eval(
        [{"result": state, "process": process}], [task], [answer], f"agent_{task['kind']}", _PLAYED
    )
    return float(scores[0]), float(scores[1])


def _strictly_equal(state: list[Any], reference: list[Any], classes: list[str]) -> float:
    """Whether every class of the reference, misspelt or not, is as the reference says, and there is nothing else."""
    wanted: dict[str, Any] = {}
    for part in reference:
        for name, attributes in part.items():
            meant = get_close_matches(name, classes, 1) or [name]
            wanted[meant[0]] = attributes
    reached = {name: attributes for part in state for name, attributes in part.items()}
    return float(reached == wanted)


def _executed(task: dict[str, Any], expressions: list[str]) -> tuple[Any, Any]:
    execute = _official[task["kind"]].execute_agent_func_call
    results, instances = execute(
        func_call_list=expressions,
        initial_config=task["initial_config"],
        involved_classes=task["involved_classes"],
        model_name=_PLAYED,
        test_entry_id=task["id"],
        language=task["language"],
    )
    return results, instances


def _result(task: dict[str, Any], name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """The answer to one call, and whether it makes the official runner save the state."""
    results, instances = _executed(task, [_expression(name, arguments)])
    if isinstance(results, str):
        # An error in a conversation is told letter by letter.
        return str(list(results)), False
    return results[0], isinstance(instances, dict)


def _expression(name: str, arguments: dict[str, Any]) -> str:
    """The call as the official executor evaluates it; what would be anything but a call of a name is none."""
    if name.startswith("_") or not all(word.isidentifier() and word.isascii() for word in (name, *arguments)):
        return f"{_NO_TOOL}()"
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def _saved(instances: dict[str, Any]) -> list[Any]:
    return [
        {name: {key: value for key, value in vars(instance).items() if key in _official["saved"][name]}}
        for name, instance in instances.items()
    ]


def _digest(instances: dict[str, Any]) -> str:
    content = {name: vars(instance) for name, instance in sorted(instances.items())}
    return sha256(repr(content).encode()).hexdigest()


def _schema(described: Any) -> Any:
    """A description of parameters, with the official names of types mended."""
    if isinstance(described, list):
        return [_schema(item) for item in described]
    if not isinstance(described, dict):
        return described
    mended = {key: _schema(value) for key, value in described.items()}
    if isinstance(described.get("type"), str):
        mended["type"] = _TYPES.get(described["type"], described["type"])
    return mended


_TYPES = {"dict": "object", "list": "array", "float": "number", "tuple": "array"}
