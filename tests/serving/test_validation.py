"""Arguments are checked strictly, and a refusal says what to send instead."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.suggestion import nearest_name
from envscaler_mcp.serving.validation import MAX_DEPTH, MAX_NAMED, check_json, compile_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "nights": {"type": "integer", "minimum": 1, "maximum": 60},
        "status": {"type": "string", "enum": ["open", "closed"]},
        "on": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "at": {"type": "string", "format": "date-time"},
        "hour": {"type": "string", "format": "time"},
        "mail": {"type": "string", "format": "email"},
        "rate": {"type": "number", "minimum": 0},
        "ceiling": {"type": "number", "maximum": 10},
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "flag": {"type": "boolean"},
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"item_id": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
                "required": ["item_id"],
                "additionalProperties": False,
            },
        },
        "extras": {"type": "object", "additionalProperties": {"type": "integer"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 3}]},
        "anything": {},
        "big": {"type": "integer"},
    },
    "required": [],
    "additionalProperties": False,
}
check = compile_arguments(SCHEMA, 20)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"nights": 0}, "nights must be between 1 and 60."),
        ({"nights": "3"}, "nights must be a whole number, not the text '3'."),
        ({"nights": 3.0}, "nights must be a whole number, not 3.0."),
        ({"nights": True}, "nights must be a whole number, not true."),
        ({"nights": None}, "nights must be a whole number, not null."),
        ({"nigths": 3}, "There is no argument 'nigths'; did you mean 'nights'?"),
        (
            {"wholly_else": 3},
            (
                "There is no argument 'wholly_else'; there are nights, status, on, at, hour, mail, rate, ceiling, name, "
                "code, flag, lines, extras, either, anything, big."
            ),
        ),
        ({"status": "opne"}, "status must be one of 'open', 'closed', not 'opne'; did you mean 'open'?"),
        ({"on": "2026-02-30"}, "on must be a real date written like 2026-03-02, not '2026-02-30'."),
        ({"on": "20260302"}, "on must be a real date written like 2026-03-02, not '20260302'."),
        ({"on": 5}, "on must be a real date written like 2026-03-02, not 5."),
        ({"at": "2026-03-02"}, "at must be a real date and time written like 2026-03-02T09:30, not '2026-03-02'."),
        (
            {"at": "2026-03-02T25:00"},
            "at must be a real date and time written like 2026-03-02T09:30, not '2026-03-02T25:00'.",
        ),
        ({"hour": "24:00"}, "hour must be a time written like 09:30, not '24:00'."),
        ({"hour": "٠٩:٣٠"}, "hour must be a time written like 09:30, not '٠٩:٣٠'."),
        ({"mail": "nobody"}, "mail must be an e-mail address, not 'nobody'."),
        ({"rate": -1}, "rate must be at least 0."),
        ({"rate": -0.5}, "rate must be at least 0."),
        ({"rate": "x"}, "rate must be a number, not the text 'x'."),
        ({"rate": math.nan}, "rate must be a finite number, not nan."),
        ({"rate": math.inf}, "rate must be a finite number, not inf."),
        ({"rate": 10**400}, "rate is too large a number."),
        ({"ceiling": 11}, "ceiling must be at most 10."),
        ({"name": ""}, "name must not be empty."),
        ({"name": "sixsix"}, "name must have at most 5 characters."),
        ({"name": "\ud800"}, "name holds half a character and cannot be sent: '\\ud800'."),
        ({"code": "ab"}, "code must match ^[A-Z]{2}$, not 'ab'."),
        ({"flag": 1}, "flag must be true or false, not 1."),
        ({"flag": "true"}, "flag must be true or false, not the text 'true'."),
        ({"flag": "yes"}, "flag must be true or false, not the text 'yes'."),
        ({"lines": []}, "lines must not be empty."),
        ({"lines": {}}, "lines must be a list, not an object."),
        ({"lines": [{"item_id": "a"}] * 21}, "lines must have at most 20 items."),
        ({"lines": [{"item_id": "a"}, {"item_id": "b", "count": 0}]}, "lines[1].count must be at least 1."),
        ({"lines": [{"count": 1}]}, "lines[0].item_id is missing."),
        ({"lines": [{"item": "a"}]}, "lines[0] has no field 'item'; did you mean 'item_id'?"),
        ({"lines": ["a"]}, "lines[0] must be an object, not 'a'."),
        ({"extras": {"a": "1"}}, "extras['a'] must be a whole number, not the text '1'."),
        ({"extras": {"\udfff": 1}}, "extras['\\udfff'] holds half a character and cannot be sent: '\\udfff'."),
        ({"either": 2.5}, "either must be a text or a whole number, not 2.5."),
        ({"anything": {"a": [math.nan]}}, "anything['a'][0] must be a finite number, not nan."),
        ({"anything": {1: 2}}, "anything[1] must be a text, not 1."),
        ({"anything": (1,)}, "anything must be plain JSON, not a list."),
        ({"anything": "x" * 10_001}, "anything must have at most 10000 characters."),
        ({"anything": [0] * 21}, "anything must have at most 20 items."),
        ({"big": 2**53}, "big is too large a number."),
        ([], "The arguments must be an object, not a list."),
        (None, "The arguments must be an object, not null."),
    ],
)
def test_a_refusal_is_one_sentence_that_says_what_to_send(arguments: Any, sentence: str) -> None:
    assert check(arguments) == sentence


def test_an_argument_that_no_tool_has_is_answered_with_those_that_there_are() -> None:
    def refusal(*names: str) -> str | None:
        return compile_arguments({"type": "object", "properties": {name: {} for name in names}})({"zzz": 1})

    assert refusal() == "There is no argument 'zzz'; this tool has none."
    assert refusal("book_id") == "There is no argument 'zzz'; there is book_id."
    many = [f"book_{number}" for number in range(MAX_NAMED + 2)]
    assert refusal(*many) == f"There is no argument 'zzz'; there are {', '.join(many[:MAX_NAMED])} and 2 more."


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("list_ward", "list_wards"),
        ("wards", "list_wards"),
        ("list", "list_wards"),
        ("due", "due_on"),
        ("opne", "open"),
        ("list_meals", None),
        ("yesterday", None),
        ("o", None),
        ("", None),
    ],
)
def test_a_name_is_suggested_only_where_one_is_near(word: str, meant: str | None) -> None:
    assert nearest_name(word, ["open", "due_on", "list_wards", "today"]) == meant


def test_what_is_missing_is_named_in_the_order_of_the_signature() -> None:
    ordered = compile_arguments({**SCHEMA, "required": ["status", "nights"]})
    assert ordered({}) == "nights is missing."
    assert ordered({"nights": "x"}) == "nights must be a whole number, not the text 'x'."
    assert ordered({"nights": 3}) == "status is missing."


def test_a_very_deep_value_is_refused() -> None:
    deep: Any = 0
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert check({"anything": deep[0]}) is None
    assert str(check({"anything": deep})).endswith("is nested too deeply.")


def test_a_huge_number_is_quoted_briefly() -> None:
    assert check({"status": 10**5000}) == "status must be one of 'open', 'closed', not a huge number."


@pytest.mark.parametrize("schema", [{"type": "string", "format": "ipv4"}, {"type": "decimal"}, {"multipleOf": 2}])
def test_a_schema_that_cannot_be_enforced_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(WorldError):
        compile_arguments({"type": "object", "properties": {"x": schema}})


formats = FormatChecker(formats=())
for name, form, parse in (
    ("date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat),
    ("time", r"[0-9]{2}:[0-9]{2}", time.fromisoformat),
    ("date-time", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}", datetime.fromisoformat),
):

    def well_formed(value: object, form: str = form, parse: Any = parse) -> bool:
        return not isinstance(value, str) or (re.fullmatch(form, value) is not None and bool(parse(value) or True))

    formats.checks(name, raises=ValueError)(well_formed)
formats.checks("email")(lambda value: not isinstance(value, str) or "@" in value[1:-1])
peer = Draft202012Validator(SCHEMA, format_checker=formats)


def stricter(value: Any, depth: int = MAX_DEPTH + 1) -> bool:
    """What we ask for beyond JSON Schema: whole numbers without a point, and everything sendable and bounded."""
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, str):
        return len(value) <= 10_000 and value.encode("utf-8", "ignore").decode() == value
    if isinstance(value, int):
        return abs(value) < 2**53
    if isinstance(value, float):
        return math.isfinite(value)
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    return depth > 0 and (depth > MAX_DEPTH or len(value) <= 20) and all(stricter(one, depth - 1) for one in inner)


def points(arguments: dict[str, Any]) -> bool:
    """Whether a whole number is written with a point, which JSON Schema allows and we do not."""
    wholes = [arguments.get("nights"), arguments.get("big"), arguments.get("either")]
    wholes += arguments["extras"].values() if isinstance(arguments.get("extras"), dict) else []
    for line in arguments["lines"] if isinstance(arguments.get("lines"), list) else []:
        wholes += [line.get("count")] if isinstance(line, dict) else []
    return any(isinstance(value, float) for value in wholes)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 70),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=8),
    st.sampled_from(
        ["open", "closed", "2026-03-02", "2026-02-30", "2026-03-02T09:30", "09:30", "a@b.org", "AB", "AB\n", "\ud800"]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["item_id", "count", "a", "\udfff"]), inner, max_size=3),
    ),
    max_leaves=8,
)


@settings(max_examples=700, deadline=None)
@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "unknown"]), values, max_size=4))
def test_exactly_what_json_schema_and_our_stricter_rules_accept_is_accepted(arguments: dict[str, Any]) -> None:
    mail = arguments.get("mail")
    if isinstance(mail, str) and mail != "a@b.org":
        return
    expected = peer.is_valid(arguments) and stricter(arguments) and not points(arguments)
    assert (check(arguments) is None) == expected


@given(values)
def test_a_value_of_no_declared_type_must_be_bounded_plain_json(value: Any) -> None:
    assert (check_json(value, 20, MAX_DEPTH) is None) == stricter(value)
