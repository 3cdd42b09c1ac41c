"""Python values as plain JSON and back, so that a published world's attributes can leave its worker and be judged.

What is plain JSON already is itself. Anything else is an object with the one key `$python`: the name of its kind, and
what is in it. This file is also put, as text, after the checks that judge such a state, so it imports and uses only
what the gate lets generated code use, and its names are chosen so that no check has them.
"""

import collections
import datetime as dt
import decimal
from typing import Any

PYTHON_VALUE = "$python"
PYTHON_FACTORIES: dict[str, Any] = {"list": list, "dict": dict, "set": set, "int": int, "float": float, "str": str}


def python_value_as_json(value: Any) -> Any:
    """Plain JSON for a value; TypeError names what cannot be told."""
    kind = type(value)
    if value is None or kind is bool or kind is int:
        return value
    if kind is str:
        return value if value.isascii() else _python_text(value)
    if kind is float:
        return value if value - value == 0 else {PYTHON_VALUE: ["float", repr(value)]}
    if kind is list:
        return [python_value_as_json(item) for item in value]
    if kind is dict:
        return _python_dict(value)
    return {PYTHON_VALUE: _python_other(value, kind)}


def _python_text(value: str) -> Any:
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        return {PYTHON_VALUE: ["str", [ord(letter) for letter in value]]}
    return value


def _python_dict(value: dict[Any, Any]) -> dict[str, Any]:
    plain = all(type(name) is str and name != PYTHON_VALUE and type(_python_text(name)) is str for name in value)
    if plain:
        return {name: python_value_as_json(item) for name, item in value.items()}
    return {PYTHON_VALUE: ["dict", _python_pairs(value)]}


def _python_pairs(value: dict[Any, Any]) -> list[Any]:
    return [[python_value_as_json(name), python_value_as_json(item)] for name, item in value.items()]


def _python_other(value: Any, kind: type) -> list[Any]:
    if kind is tuple:
        return ["tuple", [python_value_as_json(item) for item in value]]
    if kind in (set, frozenset):
        return [kind.__name__, [python_value_as_json(item) for item in sorted(value, key=repr)]]
    if kind is collections.OrderedDict or kind is collections.Counter:
        return [kind.__name__, _python_pairs(value)]
    if kind is collections.defaultdict:
        factory = next((name for name, known in PYTHON_FACTORIES.items() if known is value.default_factory), None)
        if factory is not None or value.default_factory is None:
            return ["defaultdict", factory, _python_pairs(value)]
    if kind is collections.deque:
        return ["deque", value.maxlen, [python_value_as_json(item) for item in value]]
    if kind in (bytes, bytearray):
        return [kind.__name__, list(value)]
    if isinstance(value, decimal.Decimal):
        return ["Decimal", str(value)]
    if isinstance(value, dt.date):
        return ["datetime" if isinstance(value, dt.datetime) else "date", value.isoformat()]
    if isinstance(value, dt.time):
        return ["time", value.isoformat()]
    if isinstance(value, dt.timedelta):
        return ["timedelta", value.days, value.seconds, value.microseconds]
    raise TypeError("a value of the type " + kind.__name__)


def python_value_from_json(value: Any) -> Any:
    """The value that plain JSON stands for."""
    if type(value) is list:
        return [python_value_from_json(item) for item in value]
    if type(value) is not dict:
        return value
    if PYTHON_VALUE in value:
        return _python_value_of(*value[PYTHON_VALUE])
    return {name: python_value_from_json(item) for name, item in value.items()}


def _python_value_of(kind: str, *parts: Any) -> Any:
    inner = parts[-1]
    if kind == "float":
        return float(inner)
    if kind == "str":
        return "".join(chr(number) for number in inner)
    if kind in ("dict", "OrderedDict", "Counter", "defaultdict"):
        return _python_mapping(kind, parts[0], inner)
    if kind in ("tuple", "set", "frozenset"):
        sequence: Any = {"tuple": tuple, "set": set, "frozenset": frozenset}[kind]
        return sequence(python_value_from_json(item) for item in inner)
    if kind == "deque":
        return collections.deque([python_value_from_json(item) for item in inner], parts[0])
    if kind in ("bytes", "bytearray"):
        return bytes(inner) if kind == "bytes" else bytearray(inner)
    if kind == "Decimal":
        return decimal.Decimal(inner)
    if kind == "timedelta":
        return dt.timedelta(*parts)
    moments: dict[str, Any] = {"datetime": dt.datetime, "date": dt.date, "time": dt.time}
    return moments[kind].fromisoformat(inner)


def _python_mapping(kind: str, factory: Any, pairs: list[Any]) -> Any:
    made: Any = {"dict": dict, "OrderedDict": collections.OrderedDict, "Counter": collections.Counter}.get(kind, dict)()
    if kind == "defaultdict":
        made = collections.defaultdict(PYTHON_FACTORIES.get(factory or ""))
    for name, item in pairs:
        made[python_value_from_json(name)] = python_value_from_json(item)
    return made
