"""A published environment whose code has every habit that published code has, and twelve scenarios in it."""

from __future__ import annotations

from typing import Any

DESK = '''
from typing import Dict, List, Optional


class Desk:
    def __init__(self, init_config: dict):
        """A desk of tickets."""
        self.tickets: Dict[str, dict] = {}
        self.by_number: Dict[int, str] = {}
        self.last = (0, "")
        self._log: List[str] = []
        self.init_config = init_config

    def open_ticket(self, ticket_id: str, priority: str, tags: Optional[List[str]] = None) -> dict:
        """
        Open a ticket.

        Args:
            ticket_id (str): New id.
            priority (str): low or high.
            tags (List[str], optional): Words.

        Returns:
            dict: {"success": True, "message": str} or {"success": False, "error": str}

        Constraints:
            - The id must be new.
        """
        self._log.append("open " + ticket_id)
        if ticket_id in self.tickets:
            return {"success": False, "error": "Ticket exists"}
        self.tickets[ticket_id] = {"priority": priority, "status": "open", "tags": tags}
        self.by_number[len(self.tickets)] = ticket_id
        self.last = (len(self.tickets), ticket_id)
        return {"success": True, "message": "Ticket opened"}

    def close_ticket(self, ticket_id: str) -> dict:
        """Close a ticket."""
        self.tickets[ticket_id]["status"] = "closed"
        return {"success": True, "message": "Ticket closed"}

    def count(self) -> int:
        """Number of tickets."""
        return len(self.tickets)

    def pair(self) -> tuple:
        """The last ticket."""
        return self.last

    def half(self, ticket_id: str) -> dict:
        """Marks a ticket and refuses all the same."""
        self.tickets[ticket_id]["status"] = "half"
        return {"success": False, "error": "Not allowed"}

    def nothing(self) -> None:
        """Says nothing."""

    def _wipe(self) -> dict:
        """Not offered."""
        self.tickets.clear()
        return {"success": True}
'''

CHECKS = (
    "def check_func(final_state):\n    return final_state['tickets']['T-{0}']['priority'] == 'high'",
    "def check_func(final_state):\n    return final_state['tickets']['T-{0}']['status'] == 'closed'",
    "def check_func(final_state):\n    return final_state['tickets']['OLD']['status'] == 'closed'",
    "def check_func(final_state):\n    return 'OLD' in final_state['tickets']",
)
"""The first two look up a record that the agent is to make; the last one is true at the start."""


def parameters(**types: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": one} for name, one in types.items()}, "required": [*types]}


def function(name: str, description: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": given}}


OPEN_DOC = (
    "Open a ticket.\n\nArgs:\n    ticket_id (str): New id.\n    priority (str): low or high.\n"
    "    tags (List[str], optional): Words.\n\nReturns:\n"
    '    dict: {"success": True, "message": str} or {"success": False, "error": str}\n\n'
    "Constraints:\n    - The id must be new."
)

ENVIRONMENT: dict[str, Any] = {
    "env_id": "desk",
    "environment_summary": "Ticket desk",
    "environment_introduction": "A desk keeps tickets.  \nPeople open and close them.",
    "state_space_definition": [],
    "constraints_rules": ["Ids are unique.", "A ticket is closed once."],
    "operation_list": [],
    "env_class_name": "Desk",
    "env_class_code": DESK,
    "tools": [
        # As published: an optional argument is an object that is needed.
        function("open_ticket", OPEN_DOC, parameters(ticket_id="string", priority="string", tags="object")),
        function("close_ticket", "Close a ticket.", parameters(ticket_id="string")),
        function("count", "Number of tickets.", parameters()),
        function("pair", "The last ticket.", parameters()),
        function("half", "Marks a ticket and refuses all the same.", parameters(ticket_id="string")),
        function("nothing", "Says nothing.", parameters()),
    ],
}


def start() -> dict[str, Any]:
    return {"tickets": {"OLD": {"priority": "low", "status": "open", "tags": None}}}


def scenario(task_id: str, checks: list[str], **more: Any) -> dict[str, Any]:
    return {
        "env_id": "desk",
        "env_class_name": "Desk",
        "task_id": task_id,
        "init_config": start(),
        "task": f"Do what {task_id} says, please.",
        "checklist_with_func": [{"check_item": f"Has {n}?", "check_func": one} for n, one in enumerate(checks)],
        **more,
    }


TWELVE = [scenario(f"task_{n}", [check.format(n) for check in CHECKS]) for n in range(12)]


def moves(number: int) -> list[tuple[str, dict[str, Any]]]:
    """A share of the task for each number: in twelve of them each share, from nothing to all, with either priority."""
    whole: list[tuple[str, dict[str, Any]]] = [
        ("close_ticket", {"ticket_id": "OLD"}),
        ("open_ticket", {"ticket_id": f"T-{number}", "priority": "high" if number % 3 else "low"}),
        ("close_ticket", {"ticket_id": f"T-{number}"}),
    ]
    return whole[: number % 4]


def checks_of(item: dict[str, Any]) -> list[str]:
    return [one["check_func"] for one in item["checklist_with_func"]]
