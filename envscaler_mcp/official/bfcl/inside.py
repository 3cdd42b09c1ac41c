"""What runs of BFCL in the host of official code: its classes behind its own executor, and its own runner as the judge.

This module is imported before the official code can be; `load` imports that. A call is made and a verdict given by the same
official functions as in an official run. Only the model handler is ours: it reads calls that are recorded already.
"""

from __future__ import annotations

import inspect
import json
from copy import deepcopy
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from envscaler_mcp.official.bfcl.writing import WrittenConversation
from envscaler_mcp.official.plain_view import public, view_of_instances

_EVAL = "bfcl_eval.eval_checker."
_CLASSES = (
    "gorilla_file_system",
    "long_context",
    "math_api",
    "message_api",
    "posting_api",
    "ticket_api",
    "trading_bot",
    "travel_booking",
    "vehicle_control",
)
_JUDGED = "agent"
"""Under this name of a model the official executor keeps its instances for the judge."""
_PLAYED = f"{_JUDGED}_eval"
"""And so for a world: the executor adds that to a name when it judges, and writes names into what agents send."""
_NAMED = "named"
"""And so where nothing but the names of their methods is asked for."""
_NO_TOOL = "not_a_tool"
_official: dict[str, Any] = {}
"""The official modules, by what they are for."""


def load() -> None:
    """Import everything that is used later: behind the kernel's gate nothing can be."""
    _official["executor"] = import_module(f"{_EVAL}multi_turn_eval.multi_turn_utils")
    _official["runner"] = import_module(f"{_EVAL}eval_runner")
    _official["formats"] = import_module("bfcl_eval.model_handler.utils")
    _official["texts"] = import_module("bfcl_eval.utils")
    _official["types"] = import_module("bfcl_eval.constants.type_mappings")
    _official["prompts"] = import_module("bfcl_eval.constants.default_prompts")
    for name in _CLASSES:
        import_module(f"{_EVAL}multi_turn_eval.func_source_code.{name}")


class World:
    """The classes of one entry, at its start."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self._entry = entry
        self._functions, self._withheld = _functions_of(entry)
        if not _hints_when_compiled():
            # The fourth edition says the language once, before anything is released.
            self._functions = _with_hints(self._functions, entry)
        self._listed: list[dict[str, Any]] = []
        self._methods = _methods(entry)
        _executed(entry, [], _PLAYED)

    def tools(self, released: int) -> list[dict[str, Any]]:
        """The definitions that an official run sends with its next request, in the turn of that number."""
        withheld = self._withheld.pop(str(released), [])
        if self._listed and not withheld:
            return self._listed
        self._functions += withheld
        functions = self._functions
        if _hints_when_compiled():
            # The third edition says it each time, also where it stands already.
            functions = _with_hints(functions, self._entry)
        styles = _official["formats"].ModelStyle
        style = getattr(styles, "OpenAI_Completions", None) or styles.OPENAI_COMPLETIONS
        tools = _official["formats"].convert_to_tool(functions, _official["types"].GORILLA_TO_OPENAPI, style)
        self._listed = [tool["function"] for tool in tools]
        return self._listed

    def call(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        """What the official executor answers, and whether that is an error."""
        text = _executed(self._entry, [_expression(name, arguments, self._methods)], _PLAYED)[0][0]
        if not _is_callable(name, arguments, self._methods):
            text = f"Error during execution: name {name.partition('.')[0]!r} is not defined"
        return [text, text.startswith("Error during execution: ")]

    def digest(self) -> str:
        """Of the public attributes of every instance, which are all that the official state check compares."""
        return _digest(_executed(self._entry, [], _PLAYED)[1])

    def view(self) -> dict[str, Any]:
        """The same for people."""
        return view_of_instances(_executed(self._entry, [], _PLAYED)[1])


class Writing(WrittenConversation):
    """How a model without native calls is asked in the official runs."""

    def __init__(self, entry: dict[str, Any], calls: str) -> None:  # noqa: ARG002 - there is one way
        functions, withheld = _functions_of(entry)
        about = _category(entry) if _hints_when_compiled() else str(entry["id"])
        super().__init__(_official, entry, _with_hints(functions, entry), withheld, about)


def judge(entry: dict[str, Any], turns: list[list[list[list[Any]]]]) -> dict[str, Any]:
    """The verdict of the official runner on the calls of every turn, step by step."""
    runner = _official["runner"]
    truth = entry["ground_truth"]
    asked = {key: value for key, value in entry.items() if key not in ("ground_truth", "documents")}
    steps = [[[{name: json.dumps(arguments)} for name, arguments in step] for step in turn] for turn in turns]
    if hasattr(runner, "_evaluate_single_multi_turn_entry"):
        result = runner._evaluate_single_multi_turn_entry(
            _Handler(asked), entry["id"], steps, truth, deepcopy(asked), _JUDGED, _category(entry)
        )
    else:
        result = _judged_by_file(runner, asked, steps, truth)
    valid = result["valid"] is True
    error = result.get("error", {})
    answer = {"valid": valid, "error_type": error.get("error_type"), "reason": _text(error.get("error_message"))}
    if valid:
        # Every turn was played; else the checker stopped at the first that was wrong.
        answer["digest"] = _digest(_executed(entry, [], _JUDGED, judged=True)[1])
    return answer


def _judged_by_file(runner: Any, asked: dict[str, Any], steps: Any, truth: Any) -> dict[str, Any]:
    """The third edition judges a whole file of results, and writes one; here each has one entry, and none is written."""
    written: list[Any] = []
    runner.write_list_of_dicts_to_file = lambda _name, result, _folder: written.extend(result)
    results = [{"id": asked["id"], "result": steps}]
    answers = [{"id": asked["id"], "ground_truth": truth}]
    runner.multi_turn_runner(
        _Handler(asked), results, [deepcopy(asked)], answers, _JUDGED, _category(asked), Path("nowhere")
    )
    return written[1] if len(written) > 1 else {"valid": written[0]["correct_count"] == 1}


class _Handler:
    """Reads the recorded calls of a step as the handlers of models with native calls do."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self._methods = _methods(entry)

    def decode_execute(self, step: list[dict[str, str]], *_tags: Any, **_named: Any) -> list[str]:
        calls = [(name, json.loads(arguments)) for call in step for name, arguments in call.items()]
        return [_expression(name, arguments, self._methods) for name, arguments in calls]


def _functions_of(entry: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """The documents of the entry's functions, and those that are withheld, by the turn that releases them."""
    functions = deepcopy([document for name in entry["involved_classes"] for document in entry["documents"][name]])
    withheld: dict[str, list[dict[str, Any]]] = {}
    for turn, names in entry.get("missed_function", {}).items():
        for name in names:
            place = next((n for n, document in enumerate(functions) if document["name"] == name), None)
            if place is not None:
                withheld.setdefault(turn, []).append(functions.pop(place))
    return functions, withheld


def _hints_when_compiled() -> bool:
    return hasattr(_official["formats"], "func_doc_language_specific_pre_processing")


def _with_hints(functions: list[dict[str, Any]], entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents, which say the language."""
    if _hints_when_compiled():
        say = _official["formats"].func_doc_language_specific_pre_processing
    else:
        say = _official["texts"]._func_doc_language_specific_pre_processing
    hinted: list[dict[str, Any]] = say(functions, _category(entry))
    return hinted


def _category(entry: dict[str, Any]) -> str:
    return str(entry["id"]).rsplit("_", 1)[0]


def _executed(
    entry: dict[str, Any], expressions: list[str], model: str, *, judged: bool = False
) -> tuple[list[str], dict[str, Any]]:
    results, instances = _official["executor"].execute_multi_turn_func_call(
        expressions,
        entry["initial_config"],
        entry["involved_classes"],
        model,
        entry["id"],
        long_context="long_context" in _category(entry),
        is_evaL_run=judged,
    )
    return results, instances


def _methods(entry: dict[str, Any]) -> frozenset[str]:
    """The names that the official executor looks up in the entry's instances, and not in its own module."""
    instances = _executed(entry, [], _NAMED)[1].values()
    names = {name for instance in instances for name, _ in inspect.getmembers(instance, inspect.ismethod)}
    return frozenset(name for name in names if not name.startswith("_"))


def _expression(name: str, arguments: dict[str, Any], methods: frozenset[str]) -> str:
    """The call as official handlers write it. It is evaluated, so what would be anything but a call of a method is none."""
    if not _is_callable(name, arguments, methods):
        return f"{_NO_TOOL}()"
    written: str = _official["formats"].convert_to_function_call([{name: arguments}])[0]
    return written


def _is_callable(name: str, arguments: dict[str, Any], methods: frozenset[str]) -> bool:
    return name in methods and all(word.isidentifier() for word in arguments)


def _digest(instances: dict[str, Any]) -> str:
    content = {name: _content(public(instance), {}) for name, instance in sorted(instances.items())}
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _content(value: Any, seen: dict[int, int]) -> Any:
    """A value as JSON that is equal for equal values only; what holds itself is named by its place."""
    if isinstance(value, dict | list | tuple | set) or hasattr(value, "__dict__"):
        if id(value) in seen:
            return ["seen", seen[id(value)]]
        seen[id(value)] = len(seen)
    if isinstance(value, dict):
        return ["dict", [[repr(key), _content(item, seen)] for key, item in sorted(value.items(), key=repr)]]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [_content(item, seen) for item in value]]
    if isinstance(value, set):
        return ["set", sorted(map(repr, value))]
    if hasattr(value, "__dict__"):
        return [type(value).__name__, _content(public(value), seen)]
    return [type(value).__name__, repr(value)]


def _text(message: Any) -> str:
    return " ".join(message) if isinstance(message, list) else str(message or "")
