"""Helpdesk. Compiled from blueprint.yaml; run `envscaler build helpdesk` after changing it there.

Handles the tickets of a support desk, with service levels whose clock stops while a customer has to answer,
queues that need skills, agents with limited room, merging of duplicates and escalation to higher tiers.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A ticket in work or pending has an agent, and a new or merged one has none.",
    "An agent's open tickets never weigh more than the agent has room for, urgent ones three and high ones two.",
    "Agents work only in queues whose skill and tier they have.",
    "Urgent tickets in work are with somebody who is on shift.",
    "The clock is stopped exactly while a ticket is pending.",
    "A merged ticket lives on in another one of the same customer that is not merged itself.",
    "A solved ticket has a time and an answer that the customer could read.",
    "Replies stand in tickets that are not merged.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_ticket",
    "assign_ticket",
    "write_reply",
    "stop_clock",
    "resume_ticket",
    "solve_ticket",
    "reopen_ticket",
    "merge_tickets",
    "escalate_ticket",
    "retriage_ticket",
    "set_shift",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "levels": ("name",),
    "customers": ("name",),
    "queues": ("name",),
    "agents": ("name",),
    "tickets": ("title",),
    "replies": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("replies", "ticket_id"),
    ("tickets", "agent_id"),
    ("tickets", "merged_into_id"),
    ("tickets", "priority"),
    ("tickets", "status"),
    ("tickets", "title"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Level(TypedDict):
    id: str
    name: str
    reply_within: int
    solve_within: int


class Customer(TypedDict):
    id: str
    name: str
    level_id: str


class Queue(TypedDict):
    id: str
    name: str
    skill: Literal["network", "billing", "accounts", "devices", "software"]
    tier: int
    escalates_to_id: str | None


class Agent(TypedDict):
    id: str
    name: str
    skills: list[Literal["network", "billing", "accounts", "devices", "software"]]
    tier: int
    room: int
    on_shift: bool


class Ticket(TypedDict):
    id: str
    title: str
    customer_id: str
    queue_id: str
    priority: Literal["normal", "high", "urgent"]
    agent_id: str | None
    opened_at: str
    stopped_for: int
    pending_since: str | None
    merged_into_id: str | None
    solved_at: str | None
    status: Literal["new", "open", "merged", "pending", "solved"]


class Reply(TypedDict):
    id: str
    ticket_id: str
    agent_id: str | None
    sent_at: str
    public: bool
    words: str


def _refused(error: str) -> Result:
    """What a call that may not be made answers."""
    return {"success": False, "error": error}


def _found(data: object, names: dict[str, str] | None = None) -> Result:
    """What a question answers, and what people call the records to which that points."""
    return {"success": True, "data": data, "names": names} if names else {"success": True, "data": data}


def _names(*pointed: tuple[dict[str, Any], str, list[Any]]) -> dict[str, str]:
    """What people call the records with these ids: each time all records, the attribute that names them, and ids."""
    return {key: records[key][label] for records, label, keys in pointed for key in keys if key in records}


def _clock(now: str) -> dict[str, str]:
    """The day and the hour, and the day of the week."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return {"now": now, "weekday": days[date.fromisoformat(now[:10]).weekday()]}


def _page(records: list[Any], offset: int) -> list[Any]:
    """At most fifty of them, from the one at `offset`."""
    return records[offset : offset + 50]


def _age(record: Any) -> tuple[int, str]:
    """The order of records: ids are counted up, so older ones come first."""
    return len(record["id"]), record["id"]


def _copied(records: dict[str, Any]) -> dict[str, Any]:
    """Records of one's own, oldest first."""
    ordered = sorted(records.items(), key=lambda pair: (len(pair[0]), pair[0]))
    return {
        key: {field: [*value] if isinstance(value, list) else value for field, value in record.items()}
        for key, record in ordered
    }


def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class Helpdesk:
    """Handles the tickets of a support desk, with service levels whose clock stops while a customer has to
    answer, queues that need skills, agents with limited room, merging of duplicates and escalation to
    higher tiers.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.levels: dict[str, Level] = _copied(config.get("levels", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.queues: dict[str, Queue] = _copied(config.get("queues", {}))
        self.agents: dict[str, Agent] = _copied(config.get("agents", {}))
        self.tickets: dict[str, Ticket] = _copied(config.get("tickets", {}))
        self.replies: dict[str, Reply] = _copied(config.get("replies", {}))
        self.now: str = config.get("now", "2026-09-03T14:05")
        self.counters: dict[str, int] = {
            "level": len(self.levels),
            "customer": len(self.customers),
            "queue": len(self.queues),
            "agent": len(self.agents),
            "ticket": len(self.tickets),
            "reply": len(self.replies),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tickets_by_agent_status: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_lower_title: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_merged_into: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_priority_agent_status: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_status: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_title: dict[Any, dict[str, Ticket]] = {}
        self._replies_by_ticket: dict[Any, dict[str, Reply]] = {}
        for ticket in self.tickets.values():
            self._link("tickets", ticket)
        for reply in self.replies.values():
            self._link("replies", reply)

    def late_tickets(
        self,
        queue_id: str | None = None,
        customer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """New and open tickets whose time is over, the longest overdue first.

        Args:
            queue_id (str, optional): Queue of the tickets; an id such as QUEUE-00001. If left out, the tickets of
                all queues are listed.
            customer_id (str, optional): Customer of the tickets; an id such as CUSTOMER-00001. If left out, the
                tickets of all customers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}} or {"success": False, "error": why
                not}
        """
        queue = self.queues.get(queue_id) if queue_id is not None else None
        if queue_id is not None and queue is None:
            return _refused(f"There is no queue {queue_id!r}.")
        customer = self.customers.get(customer_id) if customer_id is not None else None
        if customer_id is not None and customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            t
            for t in self.tickets.values()
            if self._late(t)
            and (queue_id is None or t["queue_id"] == queue_id)
            and (customer_id is None or t["customer_id"] == customer_id)
        ]
        found.sort(key=lambda t: (self._ticket_due_at(t), t["id"], _age(t)))
        shown = [
            {
                "id": t["id"],
                "title": t["title"],
                "customer": self.customers[t["customer_id"]]["name"],
                "queue": self.queues[t["queue_id"]]["name"],
                "priority": t["priority"],
                "agent": t["agent_id"],
                "due_at": self._ticket_due_at(t),
            }
            for t in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "tickets": shown},
            _names((self.agents, "name", [row["agent"] for row in shown])),
        )

    def agents_for(self, ticket_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who on shift could take a ticket, those with most room left first.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "agents": records}} or {"success": False, "error": why
                not}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        found = [a for a in self.agents.values() if self._could_take(a, ticket)]
        found.sort(key=lambda a: (-(a["room"] - self._agent_load(a)), a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "agents": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "room_left": a["room"] - self._agent_load(a),
                        "tier": a["tier"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def first_replies_due(
        self,
        agent_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Living tickets whose customer has had no answer, by when the first one is due.

        Args:
            agent_id (str, optional): Agent who has the tickets; an id such as AGENT-00001. If left out, all
                tickets are listed, also those without an agent.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}} or {"success": False, "error": why
                not}
        """
        agent = self.agents.get(agent_id) if agent_id is not None else None
        if agent_id is not None and agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        found = [
            t
            for t in self.tickets.values()
            if (self._alive(t) and not self._ticket_answered(t))
            and (agent_id is None or t["agent_id"] == agent_id)
        ]
        found.sort(
            key=lambda t: (
                _plus_minutes(
                    t["opened_at"],
                    self.levels[self.customers[t["customer_id"]]["level_id"]]["reply_within"],
                ),
                t["id"],
                _age(t),
            )
        )
        shown = [
            {
                "id": t["id"],
                "title": t["title"],
                "customer": self.customers[t["customer_id"]]["name"],
                "agent": t["agent_id"],
                "reply_due_at": _plus_minutes(
                    t["opened_at"],
                    self.levels[self.customers[t["customer_id"]]["level_id"]]["reply_within"],
                ),
            }
            for t in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "tickets": shown},
            _names((self.agents, "name", [row["agent"] for row in shown])),
        )

    def waiting_for_customer(
        self,
        agent_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Pending tickets, those pending longest first.

        Args:
            agent_id (str, optional): Agent who has the tickets; an id such as AGENT-00001. If left out, the
                tickets of all agents are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}} or {"success": False, "error": why
                not}
        """
        agent = self.agents.get(agent_id) if agent_id is not None else None
        if agent_id is not None and agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        found = [
            t
            for t in self._tickets_by_status.get("pending", {}).values()
            if (agent_id is None or t["agent_id"] == agent_id)
        ]
        found.sort(
            key=lambda t: (t["pending_since"] if t["pending_since"] is not None else self.now, t["id"], _age(t))
        )
        shown = [
            {
                "id": t["id"],
                "title": t["title"],
                "customer": self.customers[t["customer_id"]]["name"],
                "agent": t["agent_id"],
                "pending_since": t["pending_since"],
            }
            for t in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "tickets": shown},
            _names((self.agents, "name", [row["agent"] for row in shown])),
        )

    def list_levels(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the levels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only levels whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "levels": records}}
        """
        found = [
            level
            for level in self.levels.values()
            if (name is None or name.casefold() in level["name"].casefold())
        ]
        return _found({"total": len(found), "levels": [{**level} for level in _page(found, offset)]})

    def list_customers(
        self,
        name: Text | None = None,
        level_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            level_id (str, optional): Only customers of this level.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        if level_id is not None and level_id not in self.levels:
            return _refused(f"There is no level {level_id!r}.")
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (level_id is None or customer["level_id"] == level_id)
        ]
        shown = [{**customer} for customer in _page(found, offset)]
        return _found({"total": len(found), "customers": shown}, self._names_of_customers(shown))

    def list_queues(
        self,
        name: Text | None = None,
        skill: Literal["network", "billing", "accounts", "devices", "software"] | None = None,
        escalates_to_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the queues, oldest first, all of them or only some.

        Args:
            name (str, optional): Only queues whose name contains this text.
            skill (str, optional): Only queues with this skill.
            escalates_to_id (str, optional): Only queues escalates to this queue.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "queues": records}}
        """
        if escalates_to_id is not None and escalates_to_id not in self.queues:
            return _refused(f"There is no queue {escalates_to_id!r}.")
        found = [
            queue
            for queue in self.queues.values()
            if (name is None or name.casefold() in queue["name"].casefold())
            and (skill is None or queue["skill"] == skill)
            and (escalates_to_id is None or queue["escalates_to_id"] == escalates_to_id)
        ]
        shown = [{**queue} for queue in _page(found, offset)]
        return _found({"total": len(found), "queues": shown}, self._names_of_queues(shown))

    def list_agents(
        self,
        name: Text | None = None,
        on_shift: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the agents, oldest first, all of them or only some.

        Args:
            name (str, optional): Only agents whose name contains this text.
            on_shift (bool, optional): Only agents that are on shift (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "agents": records}}
        """
        found = [
            agent
            for agent in self.agents.values()
            if (name is None or name.casefold() in agent["name"].casefold())
            and (on_shift is None or agent["on_shift"] == on_shift)
        ]
        return _found({"total": len(found), "agents": [self._show_agent(agent) for agent in _page(found, offset)]})

    def list_tickets(
        self,
        title: Text | None = None,
        customer_id: str | None = None,
        queue_id: str | None = None,
        priority: Literal["normal", "high", "urgent"] | None = None,
        agent_id: str | None = None,
        merged_into_id: str | None = None,
        status: Literal["new", "open", "merged", "pending", "solved"] | None = None,
        opened_at_from: Date | None = None,
        opened_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tickets, oldest first, all of them or only some.

        Args:
            title (str, optional): Only tickets whose title contains this text.
            customer_id (str, optional): Only tickets of this customer.
            queue_id (str, optional): Only tickets of this queue.
            priority (str, optional): Only tickets with this priority.
            agent_id (str, optional): Only tickets of this agent.
            merged_into_id (str, optional): Only tickets whose merged into is this ticket.
            status (str, optional): Only tickets with this status.
            opened_at_from (str, optional): Only tickets whose `opened_at` is on this day or later.
            opened_at_to (str, optional): Only tickets whose `opened_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if queue_id is not None and queue_id not in self.queues:
            return _refused(f"There is no queue {queue_id!r}.")
        if agent_id is not None and agent_id not in self.agents:
            return _refused(f"There is no agent {agent_id!r}.")
        if merged_into_id is not None and merged_into_id not in self.tickets:
            return _refused(f"There is no ticket {merged_into_id!r}.")
        found = [
            ticket
            for ticket in self.tickets.values()
            if (title is None or title.casefold() in ticket["title"].casefold())
            and (customer_id is None or ticket["customer_id"] == customer_id)
            and (queue_id is None or ticket["queue_id"] == queue_id)
            and (priority is None or ticket["priority"] == priority)
            and (agent_id is None or ticket["agent_id"] == agent_id)
            and (merged_into_id is None or ticket["merged_into_id"] == merged_into_id)
            and (status is None or ticket["status"] == status)
            and (opened_at_from is None or ticket["opened_at"][:10] >= opened_at_from)
            and (opened_at_to is None or ticket["opened_at"][:10] <= opened_at_to)
        ]
        shown = [self._show_ticket(ticket) for ticket in _page(found, offset)]
        return _found({"total": len(found), "tickets": shown}, self._names_of_tickets(shown))

    def list_replies(
        self,
        ticket_id: str | None = None,
        agent_id: str | None = None,
        public: bool | None = None,
        sent_at_from: Date | None = None,
        sent_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the replies, oldest first, all of them or only some.

        Args:
            ticket_id (str, optional): Only replies of this ticket.
            agent_id (str, optional): Only replies of this agent.
            public (bool, optional): Only replies that are public (true) or not (false).
            sent_at_from (str, optional): Only replies whose `sent_at` is on this day or later.
            sent_at_to (str, optional): Only replies whose `sent_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "replies": records}}
        """
        if ticket_id is not None and ticket_id not in self.tickets:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if agent_id is not None and agent_id not in self.agents:
            return _refused(f"There is no agent {agent_id!r}.")
        found = [
            reply
            for reply in self.replies.values()
            if (ticket_id is None or reply["ticket_id"] == ticket_id)
            and (agent_id is None or reply["agent_id"] == agent_id)
            and (public is None or reply["public"] == public)
            and (sent_at_from is None or reply["sent_at"][:10] >= sent_at_from)
            and (sent_at_to is None or reply["sent_at"][:10] <= sent_at_to)
        ]
        shown = [{**reply} for reply in _page(found, offset)]
        return _found({"total": len(found), "replies": shown}, self._names_of_replies(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_ticket(
        self,
        customer_id: str,
        queue_id: str,
        title: Text,
        priority: Literal["normal", "high", "urgent"] = "normal",
    ) -> Result:
        """Open a ticket for a customer in a queue.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            queue_id (str): Id of the queue, such as QUEUE-00001.
            title (str): Title of the new ticket, not in use yet.
            priority (str): Priority of the ticket: normal, high or urgent. Default: normal.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        queue = self.queues.get(queue_id)
        if queue is None:
            return _refused(f"There is no queue {queue_id!r}.")
        if self._tickets_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a ticket {title} already.")
        self._journal = []
        ticket: Ticket = {
            "id": self._new_id("ticket", "TICKET", self.tickets),
            "title": title,
            "customer_id": customer_id,
            "queue_id": queue_id,
            "priority": priority,
            "agent_id": None,
            "opened_at": self.now,
            "stopped_for": 0,
            "pending_since": None,
            "merged_into_id": None,
            "solved_at": None,
            "status": "new",
        }
        self._add("tickets", ticket)
        if len(self._tickets_by_title.get(ticket["title"], {})) > 1:
            return self._take_back(f"There is already a ticket with the title {ticket['title']!r}.")
        if self._breaks_rule_1(ticket):
            return self._take_back(RULES[0])
        for one_agent in _distinct([self.agents.get(ticket["agent_id"])]):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ticket):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_t(ticket):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_t_again(ticket):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(ticket):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t_again(ticket):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: open the ticket {title} of {customer['name']} in {queue['name']} (new: ticket "
                f"{ticket['id']})."
            ),
            "data": {"ticket_id": ticket["id"], **self._changes()},
        }

    def assign_ticket(self, ticket_id: str, agent_id: str) -> Result:
        """Give a ticket to an agent who is on shift, knows the queue and has room; a new one is open from then on.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            agent_id (str): Id of the agent, such as AGENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        agent = self.agents.get(agent_id)
        if agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        if not self._alive(ticket):
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if agent_id == ticket["agent_id"]:
            return _refused(f"{agent['name']} has {ticket['title']} already.")
        if not agent["on_shift"]:
            return _refused(f"{agent['name']} is not on shift.")
        if self.queues[ticket["queue_id"]]["skill"] not in agent["skills"]:
            return _refused(f"{agent['name']} knows nothing of {self.queues[ticket['queue_id']]['skill']}.")
        if agent["tier"] < self.queues[ticket["queue_id"]]["tier"]:
            return _refused(
                f"{self.queues[ticket['queue_id']]['name']} is tier {self.queues[ticket['queue_id']]['tier']} and "
                f"{agent['name']} only tier {agent['tier']}."
            )
        if ticket["status"] != "pending" and self._agent_load(agent) + self._weight(ticket) > agent["room"]:
            return _refused(
                f"{agent['name']} has {self._agent_load(agent)} of {agent['room']} on the desk, so "
                f"{ticket['title']} does not fit."
            )
        self._journal = []
        changed_tickets: list[Any] = []
        former_agent_id = ticket["agent_id"]
        self._put("tickets", ticket, "agent_id", agent_id)
        if ticket["status"] == "new":
            if ticket["status"] not in ("new", "open", "pending", "solved"):
                return self._take_back(f"Ticket {ticket['title']} cannot go from {ticket['status']} to open.")
            changed_tickets.append(ticket)
            self._put("tickets", ticket, "status", "open")
        for one_ticket in _distinct([ticket, *changed_tickets]):
            if self._breaks_rule_1(one_ticket):
                return self._take_back(RULES[0])
        for one_agent in _distinct(
            [
                self.agents.get(ticket["agent_id"]),
                self.agents.get(former_agent_id),
                *[self.agents.get(one["agent_id"]) for one in changed_tickets],
            ]
        ):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        for one_ticket in _distinct([ticket, *changed_tickets]):
            if self._breaks_rule_3(one_ticket):
                return self._take_back(RULES[2])
        for one_ticket in _distinct([ticket, *changed_tickets]):
            if self._breaks_rule_4(one_ticket):
                return self._take_back(RULES[3])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_6_t(one_ticket):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(
            [user for one in changed_tickets for user in self._tickets_by_merged_into.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_7_t(one_ticket):
                return self._take_back(RULES[6])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_7_t_again(one_ticket):
                return self._take_back(RULES[6])
        for one_reply in _distinct(
            [user for one in changed_tickets for user in self._replies_by_ticket.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: give {ticket['title']} to {agent['name']}.",
            "data": self._changes(),
        }

    def write_reply(self, ticket_id: str, agent_id: str, words: Text, public: bool = True) -> Result:
        """Write to the customer of an open ticket, or leave an internal note.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            agent_id (str): Id of the agent, such as AGENT-00001.
            words (str): Text of the reply or note.
            public (bool): Whether the customer sees it, reserved for the ticket's own agent. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        agent = self.agents.get(agent_id)
        if agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        if ticket["status"] not in ("open", "pending"):
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if public and ticket["agent_id"] != agent_id:
            return _refused(f"Only the agent who has {ticket['title']} writes to the customer; others leave a note.")
        self._journal = []
        reply: Reply = {
            "id": self._new_id("reply", "REPLY", self.replies),
            "ticket_id": ticket_id,
            "agent_id": agent_id,
            "sent_at": self.now,
            "public": public,
            "words": words,
        }
        self._add("replies", reply)
        if self._breaks_rule_7_t_again(self.tickets[reply["ticket_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(reply):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: write in {ticket['title']} as {agent['name']} (new: reply {reply['id']}).",
            "data": {"reply_id": reply["id"], **self._changes()},
        }

    def stop_clock(self, ticket_id: str) -> Result:
        """Set an open ticket pending until the customer answers; the clock stops and the ticket no longer weighs on
        its agent.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if ticket["status"] != "open":
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if not self._ticket_answered(ticket):
            return _refused(
                f"Nobody has written to the customer of {ticket['title']}, so there is nothing to wait for."
            )
        self._journal = []
        self._put("tickets", ticket, "pending_since", self.now)
        self._put("tickets", ticket, "status", "pending")
        if self._breaks_rule_1(ticket):
            return self._take_back(RULES[0])
        for one_agent in _distinct([self.agents.get(ticket["agent_id"])]):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ticket):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_t(ticket):
            return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_merged_into.get(ticket["id"], {}).values()):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_t(ticket):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t_again(ticket):
            return self._take_back(RULES[6])
        for one_reply in _distinct(self._replies_by_ticket.get(ticket["id"], {}).values()):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: stop the clock of {ticket['title']}.", "data": self._changes()}

    def resume_ticket(self, ticket_id: str, answer: Text | None = None) -> Result:
        """Take up a pending ticket again, perhaps with what the customer answered; the minutes it was pending are
        added to its time.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            answer (str, optional): What the customer answered. If left out, no answer is noted.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if ticket["status"] != "pending" or ticket["pending_since"] is None or ticket["agent_id"] is None:
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        agent = self.agents[ticket["agent_id"]]
        if self._agent_load(agent) + self._weight(ticket) > agent["room"]:
            return _refused(
                f"{agent['name']} has no room for {ticket['title']} at present, so give it to somebody else first."
            )
        if ticket["priority"] == "urgent" and not agent["on_shift"]:
            return _refused(
                f"{agent['name']} is not on shift and the ticket is urgent, so give it to somebody else first."
            )
        self._journal = []
        added_replies: list[Any] = []
        stopped_for = ticket["stopped_for"] + _minutes_between(ticket["pending_since"], self.now)
        if not 0 <= stopped_for <= 1000000:
            return self._take_back(f"The stopped for of {ticket['title']} must be between 0 and 1000000.")
        self._put("tickets", ticket, "stopped_for", stopped_for)
        self._put("tickets", ticket, "pending_since", None)
        self._put("tickets", ticket, "status", "open")
        if answer is not None:
            reply = {
                "id": self._new_id("reply", "REPLY", self.replies),
                "ticket_id": ticket_id,
                "agent_id": None,
                "sent_at": self.now,
                "public": True,
                "words": answer,
            }
            self._add("replies", reply)
            added_replies.append(reply)
        if self._breaks_rule_1(ticket):
            return self._take_back(RULES[0])
        for one_agent in _distinct([self.agents.get(ticket["agent_id"])]):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ticket):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_t(ticket):
            return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_merged_into.get(ticket["id"], {}).values()):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_t(ticket):
            return self._take_back(RULES[6])
        for one_ticket in _distinct([ticket, *[self.tickets[one["ticket_id"]] for one in added_replies]]):
            if self._breaks_rule_7_t_again(one_ticket):
                return self._take_back(RULES[6])
        for one_reply in _distinct([*self._replies_by_ticket.get(ticket["id"], {}).values(), *added_replies]):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        done = f"resume {ticket['title']}"
        if answer is not None:
            done += f" with the answer {answer}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def solve_ticket(self, ticket_id: str) -> Result:
        """Mark an open or pending ticket as solved.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if ticket["status"] not in ("open", "pending"):
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if not self._ticket_answered(ticket):
            return _refused(f"The customer of {ticket['title']} has had no answer yet.")
        self._journal = []
        changed_tickets: list[Any] = []
        if ticket["pending_since"] is not None:
            stopped_for = ticket["stopped_for"] + _minutes_between(ticket["pending_since"], self.now)
            if not 0 <= stopped_for <= 1000000:
                return self._take_back(f"The stopped for of {ticket['title']} must be between 0 and 1000000.")
            self._put("tickets", ticket, "stopped_for", stopped_for)
            changed_tickets.append(ticket)
            self._put("tickets", ticket, "pending_since", None)
        self._put("tickets", ticket, "solved_at", self.now)
        self._put("tickets", ticket, "status", "solved")
        if self._breaks_rule_1(ticket):
            return self._take_back(RULES[0])
        for one_agent in _distinct([self.agents.get(ticket["agent_id"])]):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        for one_ticket in _distinct([ticket, *changed_tickets]):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_t(ticket):
            return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_merged_into.get(ticket["id"], {}).values()):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_t(ticket):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t_again(ticket):
            return self._take_back(RULES[6])
        for one_reply in _distinct(self._replies_by_ticket.get(ticket["id"], {}).values()):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: solve {ticket['title']}.", "data": self._changes()}

    def reopen_ticket(self, ticket_id: str, agent_id: str) -> Result:
        """Open a solved ticket again with an agent who can take it; the minutes it was solved are added to its time.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            agent_id (str): Id of the agent, such as AGENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        agent = self.agents.get(agent_id)
        if agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        if ticket["status"] != "solved" or ticket["solved_at"] is None:
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if not self._knows(agent, self.queues[ticket["queue_id"]]):
            return _refused(
                f"{agent['name']} has not the skill or tier for {self.queues[ticket['queue_id']]['name']}."
            )
        if not agent["on_shift"]:
            return _refused(f"{agent['name']} is not on shift.")
        if self._agent_load(agent) + self._weight(ticket) > agent["room"]:
            return _refused(f"{agent['name']} has {self._agent_load(agent)} of {agent['room']} on the desk.")
        self._journal = []
        stopped_for = ticket["stopped_for"] + _minutes_between(ticket["solved_at"], self.now)
        if not 0 <= stopped_for <= 1000000:
            return self._take_back(f"The stopped for of {ticket['title']} must be between 0 and 1000000.")
        self._put("tickets", ticket, "stopped_for", stopped_for)
        self._put("tickets", ticket, "solved_at", None)
        former_agent_id = ticket["agent_id"]
        self._put("tickets", ticket, "agent_id", agent_id)
        self._put("tickets", ticket, "status", "open")
        if self._breaks_rule_1(ticket):
            return self._take_back(RULES[0])
        for one_agent in _distinct([self.agents.get(ticket["agent_id"]), self.agents.get(former_agent_id)]):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ticket):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_t(ticket):
            return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_merged_into.get(ticket["id"], {}).values()):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_t(ticket):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t_again(ticket):
            return self._take_back(RULES[6])
        for one_reply in _distinct(self._replies_by_ticket.get(ticket["id"], {}).values()):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: reopen {ticket['title']} with {agent['name']}.",
            "data": self._changes(),
        }

    def merge_tickets(self, duplicate_id: str, into_id: str) -> Result:
        """Merge a duplicate into another living ticket of the same customer, which takes over its replies and the
        higher of the two priorities.

        Args:
            duplicate_id (str): Living ticket that is closed into the other one; an id such as TICKET-00001.
            into_id (str): Living ticket of the same customer that goes on; an id such as TICKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        duplicate = self.tickets.get(duplicate_id)
        if duplicate is None:
            return _refused(f"There is no ticket {duplicate_id!r}.")
        into = self.tickets.get(into_id)
        if into is None:
            return _refused(f"There is no ticket {into_id!r}.")
        if duplicate is into:
            return _refused("A ticket is not merged into itself.")
        if duplicate["customer_id"] != into["customer_id"]:
            return _refused(f"{duplicate['title']} is of another customer than {into['title']}.")
        if not (self._alive(duplicate) and self._alive(into)):
            return _refused("Both tickets must be new, open or pending.")
        if self._tickets_by_merged_into.get(duplicate_id, {}):
            return _refused(f"Other tickets were merged into {duplicate['title']}, so merge the other way round.")
        boss = self.agents.get(into["agent_id"])
        if (
            self._weight(duplicate) > self._weight(into)
            and boss is not None
            and into["status"] == "open"
            and self._agent_load(boss) + self._weight(duplicate) - self._weight(into) - (
                self._weight(duplicate)
                if duplicate["agent_id"] == boss["id"]
                and duplicate["status"] == "open"
                else 0
            ) > boss["room"]
        ):
            return _refused(f"{boss['name']} has no room for the higher priority.")
        if (
            duplicate["priority"] == "urgent"
            and boss is not None
            and into["status"] == "open"
            and not boss["on_shift"]
        ):
            return _refused(f"{boss['name']} is not on shift, and the ticket would become urgent.")
        self._journal = []
        changed_replies: list[Any] = []
        former_ticket_ids: list[Any] = []
        changed_tickets: list[Any] = []
        for r in sorted(self._replies_by_ticket.get(duplicate_id, {}).values(), key=_age):
            changed_replies.append(r)
            former_ticket_ids.append(r["ticket_id"])
            self._put("replies", r, "ticket_id", into_id)
        before = duplicate["priority"]
        heavier = self._weight(duplicate) > self._weight(into)
        former_agent_id = duplicate["agent_id"]
        self._put("tickets", duplicate, "agent_id", None)
        self._put("tickets", duplicate, "pending_since", None)
        self._put("tickets", duplicate, "merged_into_id", into_id)
        if duplicate["status"] not in ("new", "open", "merged", "pending"):
            return self._take_back(f"Ticket {duplicate['title']} cannot go from {duplicate['status']} to merged.")
        self._put("tickets", duplicate, "status", "merged")
        if heavier:
            changed_tickets.append(into)
            self._put("tickets", into, "priority", before)
        if self._breaks_rule_1(duplicate):
            return self._take_back(RULES[0])
        for one_agent in _distinct(
            [
                self.agents.get(duplicate["agent_id"]),
                self.agents.get(former_agent_id),
                *[self.agents.get(one["agent_id"]) for one in changed_tickets],
            ]
        ):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(duplicate):
            return self._take_back(RULES[2])
        for one_ticket in _distinct([duplicate, *changed_tickets]):
            if self._breaks_rule_4(one_ticket):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(duplicate):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_t(duplicate):
            return self._take_back(RULES[5])
        for one_ticket in _distinct([duplicate, *self._tickets_by_merged_into.get(duplicate["id"], {}).values()]):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_t(duplicate):
            return self._take_back(RULES[6])
        for one_ticket in _distinct(
            [
                duplicate,
                *[self.tickets[one["ticket_id"]] for one in changed_replies],
                *[self.tickets.get(key) for key in former_ticket_ids],
            ]
        ):
            if self._breaks_rule_7_t_again(one_ticket):
                return self._take_back(RULES[6])
        for one_reply in _distinct([*changed_replies, *self._replies_by_ticket.get(duplicate["id"], {}).values()]):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: merge {duplicate['title']} into {into['title']}.",
            "data": self._changes(),
        }

    def escalate_ticket(self, ticket_id: str, note: Text, by_id: str) -> Result:
        """Pass a ticket to the queue above its own; an agent without the skill or tier for that loses it and it is
        new again.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            note (str): Internal note on why it is passed up.
            by_id (str): Agent who passes it up; an id such as AGENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        by = self.agents.get(by_id)
        if by is None:
            return _refused(f"There is no agent {by_id!r}.")
        if not self._alive(ticket):
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if self.queues[ticket["queue_id"]]["escalates_to_id"] is None:
            return _refused(f"There is nothing above {self.queues[ticket['queue_id']]['name']}.")
        self._journal = []
        changed_tickets: list[Any] = []
        changed_tickets_2: list[Any] = []
        former_agent_ids: list[Any] = []
        changed_tickets_3: list[Any] = []
        above_it = self.queues[self.queues[ticket["queue_id"]]["escalates_to_id"]]
        reply: Reply = {
            "id": self._new_id("reply", "REPLY", self.replies),
            "ticket_id": ticket_id,
            "agent_id": by_id,
            "sent_at": self.now,
            "public": False,
            "words": note,
        }
        self._add("replies", reply)
        self._put("tickets", ticket, "queue_id", above_it["id"])
        if ticket["agent_id"] is not None and not self._knows(self.agents[ticket["agent_id"]], above_it):
            if ticket["pending_since"] is not None:
                stopped_for = ticket["stopped_for"] + _minutes_between(ticket["pending_since"], self.now)
                if not 0 <= stopped_for <= 1000000:
                    return self._take_back(f"The stopped for of {ticket['title']} must be between 0 and 1000000.")
                self._put("tickets", ticket, "stopped_for", stopped_for)
                changed_tickets.append(ticket)
                self._put("tickets", ticket, "pending_since", None)
            changed_tickets_2.append(ticket)
            former_agent_ids.append(ticket["agent_id"])
            self._put("tickets", ticket, "agent_id", None)
            if ticket["status"] not in ("new", "open", "pending"):
                return self._take_back(f"Ticket {ticket['title']} cannot go from {ticket['status']} to new.")
            changed_tickets_3.append(ticket)
            self._put("tickets", ticket, "status", "new")
        for one_ticket in _distinct([*changed_tickets_2, *changed_tickets_3]):
            if self._breaks_rule_1(one_ticket):
                return self._take_back(RULES[0])
        for one_agent in _distinct(
            [
                *[self.agents.get(one["agent_id"]) for one in changed_tickets_2],
                *[self.agents.get(key) for key in former_agent_ids],
                *[self.agents.get(one["agent_id"]) for one in changed_tickets_3],
            ]
        ):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        for one_ticket in _distinct([ticket, *changed_tickets_2, *changed_tickets_3]):
            if self._breaks_rule_3(one_ticket):
                return self._take_back(RULES[2])
        for one_ticket in _distinct([*changed_tickets_2, *changed_tickets_3]):
            if self._breaks_rule_4(one_ticket):
                return self._take_back(RULES[3])
        for one_ticket in _distinct([*changed_tickets, *changed_tickets_3]):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        for one_ticket in _distinct(changed_tickets_3):
            if self._breaks_rule_6_t(one_ticket):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(
            [user for one in changed_tickets_3 for user in self._tickets_by_merged_into.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_t_again(one_ticket):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(changed_tickets_3):
            if self._breaks_rule_7_t(one_ticket):
                return self._take_back(RULES[6])
        for one_ticket in _distinct([self.tickets[reply["ticket_id"]], *changed_tickets_3]):
            if self._breaks_rule_7_t_again(one_ticket):
                return self._take_back(RULES[6])
        for one_reply in _distinct(
            [
                reply,
                *[user for one in changed_tickets_3 for user in self._replies_by_ticket.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_reply):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: escalate {ticket['title']} as {by['name']} (new: reply {reply['id']}).",
            "data": {"reply_id": reply["id"], **self._changes()},
        }

    def retriage_ticket(
        self,
        ticket_id: str,
        queue_id: str | None = None,
        priority: Literal["normal", "high", "urgent"] | None = None,
    ) -> Result:
        """Change the queue of a new ticket, or the priority of a living one, or both.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            queue_id (str, optional): New queue, only for a ticket that is still new; an id such as QUEUE-00001. If
                left out, the queue stays as it is.
            priority (str, optional): New priority of the ticket: normal, high or urgent. If left out, the priority
                stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        queue = self.queues.get(queue_id) if queue_id is not None else None
        if queue_id is not None and queue is None:
            return _refused(f"There is no queue {queue_id!r}.")
        if not self._alive(ticket):
            return _refused(f"{ticket['title']} is {ticket['status']}.")
        if queue_id is None and priority is None:
            return _refused("Say the queue or the priority.")
        if queue_id is not None and ticket["status"] != "new":
            return _refused(
                f"{ticket['title']} is {ticket['status']}; only new tickets change their queue, others are escalated."
            )
        if queue_id is not None and queue_id == ticket["queue_id"]:
            return _refused(f"{ticket['title']} is in {queue['name']} already.")
        if priority is not None and priority == ticket["priority"]:
            return _refused(f"{ticket['title']} is {priority} already.")
        agent = self.agents.get(ticket["agent_id"])
        if (
            priority is not None
            and agent is not None
            and ticket["status"] == "open"
            and self._agent_load(agent) - self._weight(ticket) + self._weight_of(priority) > agent["room"]
        ):
            return _refused(
                f"{agent['name']} has no room for that, so give {ticket['title']} to somebody else first."
            )
        if (
            priority is not None
            and priority == "urgent"
            and agent is not None
            and ticket["status"] == "open"
            and not agent["on_shift"]
        ):
            return _refused(f"{agent['name']} is not on shift, so give {ticket['title']} to somebody else first.")
        self._journal = []
        self._put("tickets", ticket, "queue_id", (queue or self.queues[ticket["queue_id"]])["id"])
        self._put("tickets", ticket, "priority", priority if priority is not None else ticket["priority"])
        for one_agent in _distinct([self.agents.get(ticket["agent_id"])]):
            if self._breaks_rule_2(one_agent):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        done = f"retriage {ticket['title']}"
        if queue is not None:
            done += f" to {queue['name']}"
        if priority is not None:
            done += f" as {priority}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def set_shift(self, agent_id: str, on_shift: bool) -> Result:
        """Let an agent begin or end a shift; nobody goes while they have an urgent ticket in work.

        Args:
            agent_id (str): Id of the agent, such as AGENT-00001.
            on_shift (bool): Whether the shift begins, as opposed to ends.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        agent = self.agents.get(agent_id)
        if agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        if on_shift == agent["on_shift"]:
            return _refused(f"For {agent['name']} that is so already.")
        hot = next(
            (
                t
                for t in sorted(
                    self._tickets_by_priority_agent_status.get(("urgent", agent_id, "open"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if not (on_shift or hot is None):
            return _refused(
                f"{agent['name']} still has the urgent ticket {hot['title']}, so give that to somebody first."
            )
        self._journal = []
        self._put("agents", agent, "on_shift", on_shift)
        for one_ticket in _distinct(
            self._tickets_by_priority_agent_status.get(("urgent", agent["id"], "open"), {}).values()
        ):
            if self._breaks_rule_4(one_ticket):
                return self._take_back(RULES[3])
        return {"success": True, "message": f"Done: change the shift of {agent['name']}.", "data": self._changes()}

    def _show_agent(self, agent: Agent) -> dict[str, Any]:
        """The agent as an answer shows it."""
        return {**agent, "skills": [*agent["skills"]], "load": self._agent_load(agent)}

    def _show_ticket(self, ticket: Ticket) -> dict[str, Any]:
        """The ticket as an answer shows it."""
        return {**ticket, "due_at": self._ticket_due_at(ticket), "answered": self._ticket_answered(ticket)}

    def _names_of_customers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that customers point to."""
        return _names((self.levels, "name", [row["level_id"] for row in shown]))

    def _names_of_queues(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that queues point to."""
        return _names((self.queues, "name", [row["escalates_to_id"] for row in shown]))

    def _names_of_tickets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tickets point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.queues, "name", [row["queue_id"] for row in shown]),
            (self.agents, "name", [row["agent_id"] for row in shown]),
            (self.tickets, "title", [row["merged_into_id"] for row in shown]),
        )

    def _names_of_replies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that replies point to."""
        return _names(
            (self.tickets, "title", [row["ticket_id"] for row in shown]),
            (self.agents, "name", [row["agent_id"] for row in shown]),
        )

    def _agent_load(self, agent: Agent) -> int:
        """The load of an agent."""
        return sum(self._weight(t) for t in self._tickets_by_agent_status.get((agent["id"], "open"), {}).values())

    def _ticket_due_at(self, ticket: Ticket) -> str:
        """The due at of a ticket."""
        return _plus_minutes(_plus_minutes(ticket["opened_at"], self._minutes_for(ticket)), ticket["stopped_for"])

    def _ticket_answered(self, ticket: Ticket) -> bool:
        """The answered of a ticket."""
        return any(
            r["public"]
            and r["agent_id"] is not None
            for r in self._replies_by_ticket.get(ticket["id"], {}).values()
        )

    def _weight(self, t: Ticket) -> int:
        return 3 if t["priority"] == "urgent" else 2 if t["priority"] == "high" else 1

    def _minutes_for(self, t: Ticket) -> int:
        return self.levels[self.customers[t["customer_id"]]["level_id"]]["solve_within"] // (
            4
            if t["priority"] == "urgent"
            else 2
            if t["priority"] == "high"
            else 1
        )

    def _weight_of(self, p: str) -> int:
        return 3 if p == "urgent" else 2 if p == "high" else 1

    def _alive(self, t: Ticket) -> bool:
        return t["status"] in ("new", "open", "pending")

    def _late(self, t: Ticket) -> bool:
        return t["status"] in ("new", "open") and self._ticket_due_at(t) < self.now

    def _knows(self, a: Agent, q: Queue) -> bool:
        return q["skill"] in a["skills"] and a["tier"] >= q["tier"]

    def _could_take(self, a: Agent, t: Ticket) -> bool:
        return (
            a["on_shift"]
            and self._knows(a, self.queues[t["queue_id"]])
            and a["id"] != t["agent_id"]
            and self._agent_load(a) + self._weight(t) <= a["room"]
        )

    def _breaks_rule_1(self, t: Ticket) -> bool:
        """Whether this is broken: a ticket in work or pending has an agent, and a new or merged one has none."""
        return (t["agent_id"] is not None) != (t["status"] in ("open", "pending", "solved"))

    def _breaks_rule_2(self, a: Agent) -> bool:
        """Whether this is broken: an agent's open tickets never weigh more than the agent has room for, urgent ones
        three and high ones two.
        """
        return self._agent_load(a) > a["room"]

    def _breaks_rule_3(self, t: Ticket) -> bool:
        """Whether this is broken: agents work only in queues whose skill and tier they have."""
        return (
            t["status"] in ("open", "pending")
            and not (
                t["agent_id"] is None
                or self.queues[t["queue_id"]]["skill"] in self.agents[t["agent_id"]]["skills"]
                and self.agents[t["agent_id"]]["tier"] >= self.queues[t["queue_id"]]["tier"]
            )
        )

    def _breaks_rule_4(self, t: Ticket) -> bool:
        """Whether this is broken: urgent tickets in work are with somebody who is on shift."""
        return (
            t["status"] == "open"
            and t["priority"] == "urgent"
            and (t["agent_id"] is not None and not self.agents[t["agent_id"]]["on_shift"])
        )

    def _breaks_rule_5(self, t: Ticket) -> bool:
        """Whether this is broken: the clock is stopped exactly while a ticket is pending."""
        return (t["pending_since"] is not None) != (t["status"] == "pending")

    def _breaks_rule_6_t(self, t: Ticket) -> bool:
        """Whether this is broken: a merged ticket lives on in another one of the same customer that is not merged
        itself.
        """
        return (t["merged_into_id"] is not None) != (t["status"] == "merged")

    def _breaks_rule_6_t_again(self, t: Ticket) -> bool:
        """Whether this is broken: a merged ticket lives on in another one of the same customer that is not merged
        itself.
        """
        return not (
            t["merged_into_id"] is None
            or t["merged_into_id"] != t["id"]
            and self.tickets[t["merged_into_id"]]["customer_id"] == t["customer_id"]
            and self.tickets[t["merged_into_id"]]["status"] != "merged"
        )

    def _breaks_rule_7_t(self, t: Ticket) -> bool:
        """Whether this is broken: a solved ticket has a time and an answer that the customer could read."""
        return (t["solved_at"] is not None) != (t["status"] == "solved")

    def _breaks_rule_7_t_again(self, t: Ticket) -> bool:
        """Whether this is broken: a solved ticket has a time and an answer that the customer could read."""
        return t["status"] == "solved" and not self._ticket_answered(t)

    def _breaks_rule_8(self, r: Reply) -> bool:
        """Whether this is broken: replies stand in tickets that are not merged."""
        return self.tickets[r["ticket_id"]]["status"] == "merged"

    def _new_id(self, noun: str, prefix: str, records: dict[str, Any]) -> str:
        """The next id; numbers are never used twice."""
        self._journal.append(("scalar", "counters", noun, self.counters.get(noun)))
        number = self.counters.get(noun, 0) + 1
        while f"{prefix}-{number:05d}" in records:
            number += 1
        self.counters[noun] = number
        return f"{prefix}-{number:05d}"

    def _add(self, container: str, record: Any) -> None:
        """Keep a new record."""
        self._journal.append(("new", container, record["id"]))
        getattr(self, container)[record["id"]] = record
        self._link(container, record)

    def _put(self, container: str, record: Any, field: str, value: Any) -> None:
        """Change one attribute of a record."""
        self._journal.append(("put", container, record["id"], field, record[field]))
        if (container, field) in INDEXED:
            self._unlink(container, record)
            record[field] = value
            self._link(container, record)
        else:
            record[field] = value

    def _changes(self) -> dict[str, Any]:
        """What this call has done: new records, what is new of others, and which are gone; at most twenty records."""
        before: dict[tuple[str, str], dict[str, Any] | None] = {}
        for kind, container, key, *rest in self._journal:
            if kind == "new":
                before[container, key] = None
            elif kind != "scalar":
                known = before.setdefault((container, key), {})
                if kind == "put" and known is not None:
                    known.setdefault(rest[0], rest[1])
        changed: dict[str, list[Any]] = {}
        deleted: dict[str, list[str]] = {}
        told = 0
        for (container, key), fields in before.items():
            record = getattr(self, container).get(key)
            if record is None:
                shown = None
            elif fields is None:
                shown = {name: value for name, value in record.items() if value is not None}
            else:
                shown = {name: record[name] for name, value in fields.items() if record[name] != value}
                if not shown:
                    continue
                shown = {"id": key, **{name: record[name] for name in LABELS[container]}, **shown}
            if record is None and fields is None:
                continue
            told += 1
            if told > 20:
                continue
            if shown is None:
                deleted.setdefault(container, []).append(key)
            else:
                changed.setdefault(container, []).append(shown)
        answer: dict[str, Any] = {"changed": changed} if changed else {}
        if deleted:
            answer["deleted"] = deleted
        if told > 20:
            answer["more"] = told - 20
        return answer

    def _take_back(self, error: str) -> Result:
        """Undo what this call has written so far, and refuse it."""
        journal, self._journal = self._journal, []
        self._undo(journal)
        return _refused(error)

    def _undo(self, journal: list[tuple[Any, ...]]) -> None:
        """Take writes back, the latest first."""
        for kind, container, key, *rest in reversed(journal):
            records = getattr(self, container)
            if kind == "new":
                self._unlink(container, records.pop(key))
            elif kind == "put":
                field, value = rest
                self._unlink(container, records[key])
                records[key][field] = value
                self._link(container, records[key])
            elif kind == "delete":
                self._link(container, rest[0])
                setattr(self, container, dict(sorted({**records, key: rest[0]}.items(), key=lambda pair: _age(pair[1]))))
            elif key is None:
                setattr(self, container, rest[0])
            elif rest[0] is None:
                del records[key]
            else:
                records[key] = rest[0]

    def _link(self, container: str, record: Any) -> None:
        """Enter a record where it can be found by its attributes."""
        match container:
            case "tickets":
                self._tickets_by_agent_status.setdefault(
                    (record["agent_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._tickets_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._tickets_by_merged_into.setdefault(record["merged_into_id"], {})[record["id"]] = record
                self._tickets_by_priority_agent_status.setdefault(
                    (record["priority"], record["agent_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._tickets_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._tickets_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "replies":
                self._replies_by_ticket.setdefault(record["ticket_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tickets":
                del self._tickets_by_agent_status[record["agent_id"], record["status"]][record["id"]]
                del self._tickets_by_lower_title[record["title"].lower()][record["id"]]
                del self._tickets_by_merged_into[record["merged_into_id"]][record["id"]]
                del self._tickets_by_priority_agent_status[
                    record["priority"],
                    record["agent_id"],
                    record["status"],
                ][record["id"]]
                del self._tickets_by_status[record["status"]][record["id"]]
                del self._tickets_by_title[record["title"]][record["id"]]
            case "replies":
                del self._replies_by_ticket[record["ticket_id"]][record["id"]]
