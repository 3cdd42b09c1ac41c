"""Calls that lead to the state which a reference asks for.

The official milestones are no solutions: some are no programs, some name what does not exist, and some contradict the task. For
the telephone the calls follow from the state itself; for travels the milestones are right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envscaler_mcp.artifacts import Call
from envscaler_mcp.official.ace.texts import calls_of

_PEOPLE = ("Eve", "Frank", "Grace", "Helen", "Isaac", "Jack")
"""In the order of their numbers."""
_FIRST_MESSAGES = 6
"""How many there are at the start."""


def solution_of(entry: Mapping[str, Any], answer: Mapping[str, Any]) -> list[Call]:
    """The calls for an entry of the data, from its reference."""
    if "Travel" in entry["involved_classes"]:
        milestones: Sequence[str] = answer["mile_stone"]
        return [Call(tool=name, arguments=given) for text in milestones for name, given in calls_of(text)]
    # Some classes are misspelt, and none has the same first letter as another.
    wanted = {name[0]: attributes for part in _listed(answer["ground_truth"]) for name, attributes in part.items()}
    start = entry["initial_config"].get("BaseApi", {})
    return [
        *_device(start, wanted["B"]),
        *_orders(wanted.get("F", {})),
        *_messages(wanted.get("M", {})),
        *_reminders(wanted.get("R", {})),
    ]


def _device(start: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[Call]:
    if wanted["wifi"] and not start.get("wifi", False):
        yield Call(tool="turn_on_wifi", arguments={})
    if wanted["logged_in"] and not start.get("logged_in", True):
        yield Call(tool="login_device", arguments={})


def _orders(food: Mapping[str, Any]) -> Iterator[Call]:
    for name in food.get("logged_in_users", ()):
        arguments = {"username": name, "password": food["users"][name]["password"]}
        yield Call(tool="login_food_platform", arguments=arguments)
    for order in food.get("orders", ()):
        items = [{"product": item["product"], "quantity": item["quantity"]} for item in order["items"]]
        arguments = {"username": order["user_name"], "merchant_name": order["merchant_name"], "items": items}
        yield Call(tool="add_food_delivery_order", arguments=arguments)


def _messages(messages: Mapping[str, Any]) -> Iterator[Call]:
    inbox = messages.get("inbox")
    if inbox is None:
        return
    for number in range(1, _FIRST_MESSAGES + 1):
        if str(number) not in inbox:
            yield Call(tool="delete_message", arguments={"message_id": number})
    for number, message in inbox.items():
        if int(number) > _FIRST_MESSAGES:
            sender, receiver = (_PEOPLE[int(message[key][-1])] for key in ("sender_id", "receiver_id"))
            arguments = {"sender_name": sender, "receiver_name": receiver, "message": message["message"]}
            yield Call(tool="send_message", arguments=arguments)


def _reminders(reminders: Mapping[str, Any]) -> Iterator[Call]:
    for number, reminder in reminders.get("reminder_list", {}).items():
        if reminder["reminder_id"] == int(number):
            arguments = {name: reminder[name] for name in ("title", "description", "time")}
            yield Call(tool="add_reminder", arguments=arguments)


def _listed(answer: Any) -> list[Any]:
    return answer if isinstance(answer, list) else [answer]
