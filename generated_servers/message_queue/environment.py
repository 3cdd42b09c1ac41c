"""Message queue. Compiled from blueprint.yaml; run `envscaler build message_queue` after changing it there.

Runs the message broker of a web shop, where messages on topics go to subscriptions and are taken by workers,
acknowledged, retried after a while, set aside as dead and redriven.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A message goes to a subscription once, and only to those of its topic that want its kind.",
    "What is taken has a worker and a time until which it is hidden, and nothing else has.",
    "Nothing is tried more often than its subscription allows.",
    "What waits has a try left.",
    "A worker never holds more than it has slots.",
    "Workers hold messages only of subscriptions they serve.",
    "An ordered subscription has one message of a group out at a time.",
    "A subscription never has a longer backlog than its limit.",
    "Whatever is dead says what went wrong.",
    "A worker serves each subscription once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "publish_message",
    "take_messages",
    "acknowledge",
    "reject_delivery",
    "extend_hiding",
    "return_overdue",
    "redrive_delivery",
    "drop_delivery",
    "add_subscription",
    "tune_subscription",
    "assign_worker",
)
"""The methods that may change something; all others only read."""

DELIVERY_STATUS_MOVES = {
    ("waiting", "taken"),
    ("waiting", "dropped"),
    ("taken", "done"),
    ("taken", "waiting"),
    ("taken", "dead"),
    ("dead", "waiting"),
    ("dead", "dropped"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "topics": ("name",),
    "subscriptions": ("name",),
    "workers": ("name",),
    "messages": ("code",),
    "deliveries": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("deliveries", "message_id"),
    ("deliveries", "status"),
    ("deliveries", "subscription_id"),
    ("deliveries", "worker_id"),
    ("messages", "code"),
    ("messages", "number"),
    ("messages", "topic_id"),
    ("subscriptions", "name"),
    ("subscriptions", "topic_id"),
    ("workers", "serve_ids"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Topic(TypedDict):
    id: str
    name: str


class Subscription(TypedDict):
    id: str
    name: str
    topic_id: str
    only: Literal["created", "changed", "cancelled", "failed"] | None
    ordered: bool
    most_tries: int
    hides_for: int
    limit: int
    paused: bool


class Worker(TypedDict):
    id: str
    name: str
    slots: int
    serve_ids: list[str]


class Message(TypedDict):
    id: str
    number: int
    code: str
    topic_id: str
    kind: Literal["created", "changed", "cancelled", "failed"]
    group: str
    priority: int
    published_at: str


class Delivery(TypedDict):
    id: str
    message_id: str
    subscription_id: str
    tries: int
    worker_id: str | None
    hidden_until: str | None
    not_before: str | None
    error: str | None
    status: Literal["waiting", "taken", "dropped", "done", "dead"]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class MessageQueue:
    """Runs the message broker of a web shop, where messages on topics go to subscriptions and are taken by
    workers, acknowledged, retried after a while, set aside as dead and redriven.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.topics: dict[str, Topic] = _copied(config.get("topics", {}))
        self.subscriptions: dict[str, Subscription] = _copied(config.get("subscriptions", {}))
        self.workers: dict[str, Worker] = _copied(config.get("workers", {}))
        self.messages: dict[str, Message] = _copied(config.get("messages", {}))
        self.deliveries: dict[str, Delivery] = _copied(config.get("deliveries", {}))
        self.now: str = config.get("now", "2026-07-14T15:25")
        self.counters: dict[str, int] = {
            "topic": len(self.topics),
            "subscription": len(self.subscriptions),
            "worker": len(self.workers),
            "message": len(self.messages),
            "delivery": len(self.deliveries),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._subscriptions_by_lower_name: dict[Any, dict[str, Subscription]] = {}
        self._subscriptions_by_name: dict[Any, dict[str, Subscription]] = {}
        self._subscriptions_by_topic: dict[Any, dict[str, Subscription]] = {}
        self._workers_by_serves: dict[Any, dict[str, Worker]] = {}
        self._messages_by_code: dict[Any, dict[str, Message]] = {}
        self._messages_by_lower_code: dict[Any, dict[str, Message]] = {}
        self._messages_by_number: dict[Any, dict[str, Message]] = {}
        self._messages_by_topic: dict[Any, dict[str, Message]] = {}
        self._deliveries_by_message_subscription: dict[Any, dict[str, Delivery]] = {}
        self._deliveries_by_status: dict[Any, dict[str, Delivery]] = {}
        self._deliveries_by_subscription: dict[Any, dict[str, Delivery]] = {}
        self._deliveries_by_subscription_status: dict[Any, dict[str, Delivery]] = {}
        self._deliveries_by_subscription_worker: dict[Any, dict[str, Delivery]] = {}
        self._deliveries_by_worker: dict[Any, dict[str, Delivery]] = {}
        for subscription in self.subscriptions.values():
            self._link("subscriptions", subscription)
        for worker in self.workers.values():
            self._link("workers", worker)
        for message in self.messages.values():
            self._link("messages", message)
        for delivery in self.deliveries.values():
            self._link("deliveries", delivery)

    def next_in_line(
        self,
        subscription_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What a subscription would hand out next, in that order.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deliveries": records}} or {"success": False, "error":
                why not}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        found = [d for d in self._in_line(subscription)]
        found.sort(
            key=lambda d: (
                -self.messages[d["message_id"]]["priority"],
                self.messages[d["message_id"]]["number"],
                _age(d),
            )
        )
        return _found(
            {
                "total": len(found),
                "deliveries": [
                    {
                        "id": d["id"],
                        "message": self.messages[d["message_id"]]["code"],
                        "kind": self.messages[d["message_id"]]["kind"],
                        "group": self.messages[d["message_id"]]["group"],
                        "priority": self.messages[d["message_id"]]["priority"],
                        "tries": d["tries"],
                        "error": d["error"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def dead_letters(
        self,
        subscription_id: str | None = None,
        kind: Literal["created", "changed", "cancelled", "failed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Dead messages with their errors, the oldest message first.

        Args:
            subscription_id (str, optional): Subscription in which the messages are dead; an id such as
                SUBSCRIPTION-00001. If left out, the messages of all subscriptions are listed.
            kind (str, optional): Kind of the messages: created, changed, cancelled or failed. If left out,
                messages of every kind are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deliveries": records}} or {"success": False, "error":
                why not}
        """
        subscription = self.subscriptions.get(subscription_id) if subscription_id is not None else None
        if subscription_id is not None and subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        found = [
            d
            for d in self._deliveries_by_status.get("dead", {}).values()
            if (subscription_id is None or d["subscription_id"] == subscription_id)
            and (kind is None or self.messages[d["message_id"]]["kind"] == kind)
        ]
        found.sort(
            key=lambda d: (
                self.messages[d["message_id"]]["number"],
                self.subscriptions[d["subscription_id"]]["name"],
                _age(d),
            )
        )
        return _found(
            {
                "total": len(found),
                "deliveries": [
                    {
                        "id": d["id"],
                        "message": self.messages[d["message_id"]]["code"],
                        "subscription": self.subscriptions[d["subscription_id"]]["name"],
                        "kind": self.messages[d["message_id"]]["kind"],
                        "error": d["error"],
                        "tries": d["tries"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def out_with(self, worker_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a worker holds at present, the first to run out first.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deliveries": records}} or {"success": False, "error":
                why not}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        found = [d for d in self._deliveries_by_worker.get(worker_id, {}).values()]
        found.sort(key=lambda d: (d["hidden_until"] if d["hidden_until"] is not None else self.now, d["id"], _age(d)))
        return _found(
            {
                "total": len(found),
                "deliveries": [
                    {
                        "id": d["id"],
                        "message": self.messages[d["message_id"]]["code"],
                        "subscription": self.subscriptions[d["subscription_id"]]["name"],
                        "hidden_until": d["hidden_until"],
                        "overdue": self._overdue(d),
                        "tries": d["tries"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def workers_for(
        self,
        subscription_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The workers that serve a subscription, those with most free slots first.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}} or {"success": False, "error": why
                not}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        found = [w for w in self._workers_by_serves.get(subscription_id, {}).values()]
        found.sort(key=lambda w: (-(w["slots"] - self._worker_busy(w)), w["name"], _age(w)))
        return _found(
            {
                "total": len(found),
                "workers": [
                    {
                        "id": w["id"],
                        "name": w["name"],
                        "free_slots": w["slots"] - self._worker_busy(w),
                        "holds_from_it": len(
                            self._deliveries_by_subscription_worker.get((subscription_id, w["id"]), {})
                        ),
                        "could_take": self._can_take(w, subscription),
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def lag_of(self, subscription_id: str) -> Result:
        """How a subscription is doing.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.

        Returns:
            dict: {"success": True, "data": {backlog, room_left, ready, taken, overdue, dead, oldest_waiting}} or
                {"success": False, "error": why not}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        return _found(
            {
                "backlog": self._subscription_backlog(subscription),
                "room_left": subscription["limit"] - self._subscription_backlog(subscription),
                "ready": len(self._in_line(subscription)),
                "taken": len(self._deliveries_by_subscription_status.get((subscription_id, "taken"), {})),
                "overdue": sum(
                    1
                    for d in self._deliveries_by_subscription.get(subscription_id, {}).values()
                    if self._overdue(d)
                ),
                "dead": self._subscription_dead(subscription),
                "oldest_waiting": min(
                    [
                        ((self.messages[d["message_id"]]["number"],), self.messages[d["message_id"]]["code"])
                        for d in sorted(
                            self._deliveries_by_subscription_status.get((subscription_id, "waiting"), {}).values(),
                            key=_age,
                        )
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1],
            }
        )

    def list_topics(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the topics, oldest first, all of them or only some.

        Args:
            name (str, optional): Only topics whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "topics": records}}
        """
        found = [
            topic
            for topic in self.topics.values()
            if (name is None or name.casefold() in topic["name"].casefold())
        ]
        return _found({"total": len(found), "topics": [{**topic} for topic in _page(found, offset)]})

    def list_subscriptions(
        self,
        name: Text | None = None,
        topic_id: str | None = None,
        only: Literal["created", "changed", "cancelled", "failed"] | None = None,
        ordered: bool | None = None,
        paused: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the subscriptions, oldest first, all of them or only some.

        Args:
            name (str, optional): Only subscriptions whose name contains this text.
            topic_id (str, optional): Only subscriptions of this topic.
            only (str, optional): Only subscriptions whose `only` is this.
            ordered (bool, optional): Only subscriptions that are ordered (true) or not (false).
            paused (bool, optional): Only subscriptions that are paused (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subscriptions": records}}
        """
        if topic_id is not None and topic_id not in self.topics:
            return _refused(f"There is no topic {topic_id!r}.")
        found = [
            subscription
            for subscription in self.subscriptions.values()
            if (name is None or name.casefold() in subscription["name"].casefold())
            and (topic_id is None or subscription["topic_id"] == topic_id)
            and (only is None or subscription["only"] == only)
            and (ordered is None or subscription["ordered"] == ordered)
            and (paused is None or subscription["paused"] == paused)
        ]
        shown = [self._show_subscription(subscription) for subscription in _page(found, offset)]
        return _found({"total": len(found), "subscriptions": shown}, self._names_of_subscriptions(shown))

    def list_workers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the workers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only workers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}}
        """
        found = [
            worker
            for worker in self.workers.values()
            if (name is None or name.casefold() in worker["name"].casefold())
        ]
        shown = [self._show_worker(worker) for worker in _page(found, offset)]
        return _found({"total": len(found), "workers": shown}, self._names_of_workers(shown))

    def list_messages(
        self,
        code: Text | None = None,
        topic_id: str | None = None,
        kind: Literal["created", "changed", "cancelled", "failed"] | None = None,
        published_at_from: Date | None = None,
        published_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the messages, oldest first, all of them or only some.

        Args:
            code (str, optional): Only messages whose code contains this text.
            topic_id (str, optional): Only messages of this topic.
            kind (str, optional): Only messages with this kind.
            published_at_from (str, optional): Only messages whose `published_at` is on this day or later.
            published_at_to (str, optional): Only messages whose `published_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "messages": records}}
        """
        if topic_id is not None and topic_id not in self.topics:
            return _refused(f"There is no topic {topic_id!r}.")
        found = [
            message
            for message in self.messages.values()
            if (code is None or code.casefold() in message["code"].casefold())
            and (topic_id is None or message["topic_id"] == topic_id)
            and (kind is None or message["kind"] == kind)
            and (published_at_from is None or message["published_at"][:10] >= published_at_from)
            and (published_at_to is None or message["published_at"][:10] <= published_at_to)
        ]
        shown = [{**message} for message in _page(found, offset)]
        return _found({"total": len(found), "messages": shown}, self._names_of_messages(shown))

    def list_deliveries(
        self,
        message_id: str | None = None,
        subscription_id: str | None = None,
        worker_id: str | None = None,
        status: Literal["waiting", "taken", "dropped", "done", "dead"] | None = None,
        hidden_until_from: Date | None = None,
        hidden_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deliveries, oldest first, all of them or only some.

        Args:
            message_id (str, optional): Only deliveries of this message.
            subscription_id (str, optional): Only deliveries of this subscription.
            worker_id (str, optional): Only deliveries of this worker.
            status (str, optional): Only deliveries with this status.
            hidden_until_from (str, optional): Only deliveries whose `hidden_until` is on this day or later.
            hidden_until_to (str, optional): Only deliveries whose `hidden_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deliveries": records}}
        """
        if message_id is not None and message_id not in self.messages:
            return _refused(f"There is no message {message_id!r}.")
        if subscription_id is not None and subscription_id not in self.subscriptions:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        found = [
            delivery
            for delivery in self.deliveries.values()
            if (message_id is None or delivery["message_id"] == message_id)
            and (subscription_id is None or delivery["subscription_id"] == subscription_id)
            and (worker_id is None or delivery["worker_id"] == worker_id)
            and (status is None or delivery["status"] == status)
            and (
                hidden_until_from is None
                or (delivery["hidden_until"] is not None and delivery["hidden_until"][:10] >= hidden_until_from)
            )
            and (
                hidden_until_to is None
                or (delivery["hidden_until"] is not None and delivery["hidden_until"][:10] <= hidden_until_to)
            )
        ]
        shown = [{**delivery} for delivery in _page(found, offset)]
        return _found({"total": len(found), "deliveries": shown}, self._names_of_deliveries(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def publish_message(
        self,
        topic_id: str,
        code: Text,
        kind: Literal["created", "changed", "cancelled", "failed"],
        group: Text,
        priority: Annotated[int, {"minimum": 1, "maximum": 3}] = 2,
    ) -> Result:
        """Publish a message on a topic; it waits in every subscription that wants its kind.

        Args:
            topic_id (str): Id of the topic, such as TOPIC-00001.
            code (str): Code of the new message, not in use yet.
            kind (str): Kind of event that the message reports: created, changed, cancelled or failed.
            group (str): Group whose messages ordered subscriptions hand out one after the other.
            priority (int): Priority of the message, 3 being the highest, from 1 to 3. Default: 2.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        topic = self.topics.get(topic_id)
        if topic is None:
            return _refused(f"There is no topic {topic_id!r}.")
        if self._messages_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a message {code} already.")
        full = next(
            (
                s
                for s in sorted(self._subscriptions_by_topic.get(topic_id, {}).values(), key=_age)
                if self._wants(s, kind)
                and self._subscription_backlog(s) >= s["limit"]
            ),
            None,
        )
        if full is not None:
            return _refused(f"The backlog of {full['name']} is at its limit of {full['limit']}, so raise that first.")
        self._journal = []
        added_deliveries: list[Any] = []
        number = (
            (
                max((m["number"] for m in self.messages.values()), default=None)
                if max((m["number"] for m in self.messages.values()), default=None) is not None
                else 0
            )
            + 1
        )
        if not 1 <= number <= 100000:
            return self._take_back("The number of a message must be between 1 and 100000.")
        message: Message = {
            "id": self._new_id("message", "MESSAGE", self.messages),
            "number": number,
            "code": code,
            "topic_id": topic_id,
            "kind": kind,
            "group": group,
            "priority": priority,
            "published_at": self.now,
        }
        self._add("messages", message)
        for s in [
            s
            for s in sorted(self._subscriptions_by_topic.get(topic_id, {}).values(), key=_age)
            if self._wants(s, kind)
        ]:
            delivery = {
                "id": self._new_id("delivery", "DELIVERY", self.deliveries),
                "message_id": message["id"],
                "subscription_id": s["id"],
                "tries": 0,
                "worker_id": None,
                "hidden_until": None,
                "not_before": None,
                "error": None,
                "status": "waiting",
            }
            self._add("deliveries", delivery)
            added_deliveries.append(delivery)
        if len(self._messages_by_number.get(message["number"], {})) > 1:
            return self._take_back(f"There is already a message with the number {message['number']!r}.")
        if len(self._messages_by_code.get(message["code"], {})) > 1:
            return self._take_back(f"There is already a message with the code {message['code']!r}.")
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_1_d(one_delivery):
                return self._take_back(RULES[0])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_1_d_again(one_delivery):
                return self._take_back(RULES[0])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_2(one_delivery):
                return self._take_back(RULES[1])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_3(one_delivery):
                return self._take_back(RULES[2])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_4(one_delivery):
                return self._take_back(RULES[3])
        for one_worker in _distinct([self.workers.get(one["worker_id"]) for one in added_deliveries]):
            if self._breaks_rule_5(one_worker):
                return self._take_back(RULES[4])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_6(one_delivery):
                return self._take_back(RULES[5])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_7(one_delivery):
                return self._take_back(RULES[6])
        for one_subscription in _distinct([self.subscriptions[one["subscription_id"]] for one in added_deliveries]):
            if self._breaks_rule_8(one_subscription):
                return self._take_back(RULES[7])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_9(one_delivery):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: publish {code} on {topic['name']} (new: message {message['id']}).",
            "data": {"message_id": message["id"], **self._changes()},
        }

    def take_messages(
        self,
        worker_id: str,
        subscription_id: str,
        most: Annotated[int, {"minimum": 1, "maximum": 10}] = 1,
    ) -> Result:
        """Let a worker take the next messages of a subscription, high priority first and older before newer, as far
        as it has free slots; each counts as a try.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            most (int): Most messages to take, as far as the worker has free slots, from 1 to 10. Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if subscription_id not in worker["serve_ids"]:
            return _refused(f"{worker['name']} does not serve {subscription['name']}.")
        if subscription["paused"]:
            return _refused(f"{subscription['name']} is paused.")
        if self._worker_busy(worker) >= worker["slots"]:
            return _refused(f"{worker['name']} has {worker['slots']} slots and all are in use.")
        if len(self._in_line(subscription)) <= 0:
            return _refused(f"Nothing in {subscription['name']} is ready to be taken.")
        self._journal = []
        changed_deliveries: list[Any] = []
        former_worker_ids: list[Any] = []
        changed_deliveries_2: list[Any] = []
        changed_deliveries_3: list[Any] = []
        changed_deliveries_4: list[Any] = []
        number = min(most, worker["slots"] - self._worker_busy(worker))
        for d in sorted(
            self._in_line(subscription),
            key=lambda d: (
                -self.messages[d["message_id"]]["priority"],
                self.messages[d["message_id"]]["number"],
                _age(d),
            ),
        )[: max(number, 0)]:
            changed_deliveries.append(d)
            former_worker_ids.append(d["worker_id"])
            self._put("deliveries", d, "worker_id", worker_id)
            changed_deliveries_2.append(d)
            self._put("deliveries", d, "hidden_until", _plus_minutes(self.now, subscription["hides_for"]))
            self._put("deliveries", d, "not_before", None)
            tries = d["tries"] + 1
            if not 0 <= tries <= 20:
                return self._take_back(f"The tries of {d['id']} must be between 0 and 20.")
            changed_deliveries_3.append(d)
            self._put("deliveries", d, "tries", tries)
            if d["status"] not in ("waiting", "taken"):
                return self._take_back(f"Delivery {d['id']} cannot go from {d['status']} to taken.")
            changed_deliveries_4.append(d)
            self._put("deliveries", d, "status", "taken")
        for one_delivery in _distinct([*changed_deliveries, *changed_deliveries_2, *changed_deliveries_4]):
            if self._breaks_rule_2(one_delivery):
                return self._take_back(RULES[1])
        for one_delivery in _distinct([*changed_deliveries_3, *changed_deliveries_4]):
            if self._breaks_rule_3(one_delivery):
                return self._take_back(RULES[2])
        for one_delivery in _distinct([*changed_deliveries_3, *changed_deliveries_4]):
            if self._breaks_rule_4(one_delivery):
                return self._take_back(RULES[3])
        for one_worker in _distinct(
            [
                *[self.workers.get(one["worker_id"]) for one in changed_deliveries],
                *[self.workers.get(key) for key in former_worker_ids],
            ]
        ):
            if self._breaks_rule_5(one_worker):
                return self._take_back(RULES[4])
        for one_delivery in _distinct(changed_deliveries):
            if self._breaks_rule_6(one_delivery):
                return self._take_back(RULES[5])
        for one_delivery in _distinct(changed_deliveries_4):
            if self._breaks_rule_7(one_delivery):
                return self._take_back(RULES[6])
        for one_subscription in _distinct(
            [self.subscriptions[one["subscription_id"]] for one in changed_deliveries_4]
        ):
            if self._breaks_rule_8(one_subscription):
                return self._take_back(RULES[7])
        for one_delivery in _distinct(changed_deliveries_4):
            if self._breaks_rule_9(one_delivery):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: let {worker['name']} take up to {most} from {subscription['name']}.",
            "data": self._changes(),
        }

    def acknowledge(self, delivery_id: str) -> Result:
        """Acknowledge a message that a worker has dealt with.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        if delivery["status"] != "taken":
            return _refused(
                f"{self.messages[delivery['message_id']]['code']} is {delivery['status']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            )
        self._journal = []
        former_worker_id = delivery["worker_id"]
        self._put("deliveries", delivery, "worker_id", None)
        self._put("deliveries", delivery, "hidden_until", None)
        self._put("deliveries", delivery, "status", "done")
        if self._breaks_rule_2(delivery):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(delivery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(delivery):
            return self._take_back(RULES[3])
        for one_worker in _distinct([self.workers.get(delivery["worker_id"]), self.workers.get(former_worker_id)]):
            if self._breaks_rule_5(one_worker):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(delivery):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(delivery):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.subscriptions[delivery["subscription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(delivery):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: acknowledge {self.messages[delivery['message_id']]['code']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def reject_delivery(
        self,
        delivery_id: str,
        error: Text,
        retry_in: Annotated[int, {"minimum": 0, "maximum": 1440}] = 0,
        for_good: bool = False,
    ) -> Result:
        """Give a taken message back with an error, to be tried again after some minutes; after its last try, or when
        it is rejected for good, it is dead.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.
            error (str): What went wrong.
            retry_in (int): Minutes to wait before the next try, from 0 to 1440. Default: 0.
            for_good (bool): Whether it is dead at once, without another try. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        if delivery["status"] != "taken":
            return _refused(
                f"{self.messages[delivery['message_id']]['code']} is {delivery['status']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            )
        self._journal = []
        former_worker_id = delivery["worker_id"]
        self._put("deliveries", delivery, "worker_id", None)
        self._put("deliveries", delivery, "hidden_until", None)
        self._put("deliveries", delivery, "error", error)
        status = (
            "dead"
            if for_good or delivery["tries"] >= self.subscriptions[delivery["subscription_id"]]["most_tries"]
            else "waiting"
        )
        self._put("deliveries", delivery, "status", status)
        if delivery["status"] == "waiting" and retry_in > 0:
            self._put("deliveries", delivery, "not_before", _plus_minutes(self.now, retry_in))
        if self._breaks_rule_2(delivery):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(delivery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(delivery):
            return self._take_back(RULES[3])
        for one_worker in _distinct([self.workers.get(delivery["worker_id"]), self.workers.get(former_worker_id)]):
            if self._breaks_rule_5(one_worker):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(delivery):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(delivery):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.subscriptions[delivery["subscription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(delivery):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: reject {self.messages[delivery['message_id']]['code']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']} because of {error}."
            ),
            "data": self._changes(),
        }

    def extend_hiding(self, delivery_id: str, minutes: Annotated[int, {"minimum": 5, "maximum": 4320}]) -> Result:
        """Keep a taken message hidden for some minutes from now.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.
            minutes (int): Time it stays hidden from now on, in minutes, longer than what is left, from 5 to 4320.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        if delivery["status"] != "taken" or delivery["hidden_until"] is None:
            return _refused(
                f"{self.messages[delivery['message_id']]['code']} is {delivery['status']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            )
        if _plus_minutes(self.now, minutes) <= delivery["hidden_until"]:
            return _refused(f"It is hidden until {delivery['hidden_until']} anyway.")
        self._journal = []
        self._put("deliveries", delivery, "hidden_until", _plus_minutes(self.now, minutes))
        if self._breaks_rule_2(delivery):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": (
                f"Done: keep {self.messages[delivery['message_id']]['code']} hidden for {minutes} minutes in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def return_overdue(self, subscription_id: str) -> Result:
        """Return every message of a subscription whose hiding is over; those without a try left are dead.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if not any(self._overdue(d) for d in self._deliveries_by_subscription.get(subscription_id, {}).values()):
            return _refused(f"Nothing in {subscription['name']} is overdue.")
        self._journal = []
        changed_deliveries: list[Any] = []
        former_worker_ids: list[Any] = []
        changed_deliveries_2: list[Any] = []
        changed_deliveries_3: list[Any] = []
        changed_deliveries_4: list[Any] = []
        for d in [
            d
            for d in sorted(self._deliveries_by_subscription.get(subscription_id, {}).values(), key=_age)
            if self._overdue(d)
        ]:
            changed_deliveries.append(d)
            former_worker_ids.append(d["worker_id"])
            self._put("deliveries", d, "worker_id", None)
            changed_deliveries_2.append(d)
            self._put("deliveries", d, "hidden_until", None)
            changed_deliveries_3.append(d)
            self._put("deliveries", d, "error", "hiding ran out")
            status = "dead" if d["tries"] >= subscription["most_tries"] else "waiting"
            if d["status"] != status and (d["status"], status) not in DELIVERY_STATUS_MOVES:
                return self._take_back(f"Delivery {d['id']} cannot go from {d['status']} to {status}.")
            changed_deliveries_4.append(d)
            self._put("deliveries", d, "status", status)
        for one_delivery in _distinct([*changed_deliveries, *changed_deliveries_2, *changed_deliveries_4]):
            if self._breaks_rule_2(one_delivery):
                return self._take_back(RULES[1])
        for one_delivery in _distinct(changed_deliveries_4):
            if self._breaks_rule_3(one_delivery):
                return self._take_back(RULES[2])
        for one_delivery in _distinct(changed_deliveries_4):
            if self._breaks_rule_4(one_delivery):
                return self._take_back(RULES[3])
        for one_worker in _distinct(
            [
                *[self.workers.get(one["worker_id"]) for one in changed_deliveries],
                *[self.workers.get(key) for key in former_worker_ids],
            ]
        ):
            if self._breaks_rule_5(one_worker):
                return self._take_back(RULES[4])
        for one_delivery in _distinct(changed_deliveries):
            if self._breaks_rule_6(one_delivery):
                return self._take_back(RULES[5])
        for one_delivery in _distinct(changed_deliveries_4):
            if self._breaks_rule_7(one_delivery):
                return self._take_back(RULES[6])
        for one_subscription in _distinct(
            [self.subscriptions[one["subscription_id"]] for one in changed_deliveries_4]
        ):
            if self._breaks_rule_8(one_subscription):
                return self._take_back(RULES[7])
        for one_delivery in _distinct([*changed_deliveries_3, *changed_deliveries_4]):
            if self._breaks_rule_9(one_delivery):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: return what is overdue in {subscription['name']}.",
            "data": self._changes(),
        }

    def redrive_delivery(self, delivery_id: str) -> Result:
        """Put a dead message back in line with all its tries.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        if delivery["status"] != "dead":
            return _refused(
                f"{self.messages[delivery['message_id']]['code']} is {delivery['status']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            )
        if self._subscription_backlog(
            self.subscriptions[delivery["subscription_id"]]
        ) >= self.subscriptions[delivery["subscription_id"]]["limit"]:
            return _refused(
                f"The backlog of {self.subscriptions[delivery['subscription_id']]['name']} is at its limit of "
                f"{self.subscriptions[delivery['subscription_id']]['limit']}, so raise that first."
            )
        self._journal = []
        self._put("deliveries", delivery, "tries", 0)
        self._put("deliveries", delivery, "error", None)
        self._put("deliveries", delivery, "status", "waiting")
        if self._breaks_rule_2(delivery):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(delivery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(delivery):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(delivery):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.subscriptions[delivery["subscription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(delivery):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: redrive {self.messages[delivery['message_id']]['code']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def drop_delivery(self, delivery_id: str) -> Result:
        """Drop a message that waits or is dead from a subscription.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        if delivery["status"] not in ("waiting", "dead"):
            return _refused(
                f"{self.messages[delivery['message_id']]['code']} is {delivery['status']} in "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            )
        self._journal = []
        self._put("deliveries", delivery, "status", "dropped")
        if self._breaks_rule_2(delivery):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(delivery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(delivery):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(delivery):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.subscriptions[delivery["subscription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(delivery):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: drop {self.messages[delivery['message_id']]['code']} from "
                f"{self.subscriptions[delivery['subscription_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def add_subscription(
        self,
        name: Text,
        topic_id: str,
        only: Literal["created", "changed", "cancelled", "failed"] | None = None,
        ordered: bool = False,
        since: DateTime | None = None,
    ) -> Result:
        """Add a subscription to a topic, which starts empty or with everything published there since some time.

        Args:
            name (str): Name of the new subscription, not in use yet.
            topic_id (str): Id of the topic, such as TOPIC-00001.
            only (str, optional): Only kind of message that it wants: created, changed, cancelled or failed. If
                left out, it wants messages of every kind.
            ordered (bool): Whether messages of one group are handed out one after the other. Default: false.
            since (str, optional): Past moment from which on messages are taken over, at most 40 of them, as
                YYYY-MM-DDTHH:MM. If left out, it starts empty.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        topic = self.topics.get(topic_id)
        if topic is None:
            return _refused(f"There is no topic {topic_id!r}.")
        if self._subscriptions_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a subscription {name} already.")
        if since is not None and since >= self.now:
            return _refused(f"{since} is not past.")
        if (
            since is not None
            and sum(
                1
                for m in self._messages_by_topic.get(topic_id, {}).values()
                if m["published_at"] >= since
                and (only is None or m["kind"] == only)
            ) > 40
        ):
            return _refused("More than 40 messages were published since then, so choose a later time.")
        self._journal = []
        added_deliveries: list[Any] = []
        subscription: Subscription = {
            "id": self._new_id("subscription", "SUBSCRIPTION", self.subscriptions),
            "name": name,
            "topic_id": topic_id,
            "only": only,
            "ordered": ordered,
            "most_tries": 3,
            "hides_for": 30,
            "limit": 40,
            "paused": False,
        }
        self._add("subscriptions", subscription)
        if since is not None:
            for m in sorted(
                [
                    m
                    for m in self._messages_by_topic.get(topic_id, {}).values()
                    if m["published_at"] >= since
                    and (only is None or m["kind"] == only)
                ],
                key=lambda m: (m["number"], _age(m)),
            ):
                delivery = {
                    "id": self._new_id("delivery", "DELIVERY", self.deliveries),
                    "message_id": m["id"],
                    "subscription_id": subscription["id"],
                    "tries": 0,
                    "worker_id": None,
                    "hidden_until": None,
                    "not_before": None,
                    "error": None,
                    "status": "waiting",
                }
                self._add("deliveries", delivery)
                added_deliveries.append(delivery)
        if len(self._subscriptions_by_name.get(subscription["name"], {})) > 1:
            return self._take_back(f"There is already a subscription with the name {subscription['name']!r}.")
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_1_d(one_delivery):
                return self._take_back(RULES[0])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_1_d_again(one_delivery):
                return self._take_back(RULES[0])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_2(one_delivery):
                return self._take_back(RULES[1])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_3(one_delivery):
                return self._take_back(RULES[2])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_4(one_delivery):
                return self._take_back(RULES[3])
        for one_worker in _distinct([self.workers.get(one["worker_id"]) for one in added_deliveries]):
            if self._breaks_rule_5(one_worker):
                return self._take_back(RULES[4])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_6(one_delivery):
                return self._take_back(RULES[5])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_7(one_delivery):
                return self._take_back(RULES[6])
        for one_subscription in _distinct(
            [subscription, *[self.subscriptions[one["subscription_id"]] for one in added_deliveries]]
        ):
            if self._breaks_rule_8(one_subscription):
                return self._take_back(RULES[7])
        for one_delivery in _distinct(added_deliveries):
            if self._breaks_rule_9(one_delivery):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: add the subscription {name} to {topic['name']} (new: subscription {subscription['id']})."
            ),
            "data": {"subscription_id": subscription["id"], **self._changes()},
        }

    def tune_subscription(
        self,
        subscription_id: str,
        most_tries: Annotated[int, {"minimum": 1, "maximum": 20}] | None = None,
        hides_for: Annotated[int, {"minimum": 5, "maximum": 4320}] | None = None,
        limit: Annotated[int, {"minimum": 3, "maximum": 500}] | None = None,
        paused: bool | None = None,
    ) -> Result:
        """Change how often a subscription tries, how long it hides what is taken, its limit, or whether it is paused.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            most_tries (int, optional): Most tries before a message is dead, from 1 to 20. If left out, the number
                stays as it is.
            hides_for (int, optional): Time a taken message stays hidden, in minutes, from 5 to 4320. If left out,
                the time stays as it is.
            limit (int, optional): Most messages that may be waiting or taken, from 3 to 500. If left out, the
                limit stays as it is.
            paused (bool, optional): Whether it hands out nothing for the time being. If left out, it stays paused
                or running as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if not (
            most_tries is not None
            and most_tries != subscription["most_tries"]
            or hides_for is not None
            and hides_for != subscription["hides_for"]
            or limit is not None
            and limit != subscription["limit"]
            or paused is not None
            and paused != subscription["paused"]
        ):
            return _refused(f"{subscription['name']} is set like that already.")
        tries = most_tries if most_tries is not None else subscription["most_tries"]
        if any(
            d["status"] == "waiting"
            and d["tries"] >= tries
            or d["status"] == "taken"
            and d["tries"] > tries
            for d in self._deliveries_by_subscription.get(subscription_id, {}).values()
        ):
            return _refused(f"Some messages in {subscription['name']} have been tried more often than that.")
        if limit is not None and limit < self._subscription_backlog(subscription):
            return _refused(f"{subscription['name']} has a backlog of {self._subscription_backlog(subscription)}.")
        self._journal = []
        if not 1 <= tries <= 20:
            return self._take_back(f"The most tries of {subscription['name']} must be between 1 and 20.")
        self._put("subscriptions", subscription, "most_tries", tries)
        new_hides_for = hides_for if hides_for is not None else subscription["hides_for"]
        if not 5 <= new_hides_for <= 4320:
            return self._take_back(f"The hides for of {subscription['name']} must be between 5 and 4320.")
        self._put("subscriptions", subscription, "hides_for", new_hides_for)
        new_limit = limit if limit is not None else subscription["limit"]
        if not 3 <= new_limit <= 500:
            return self._take_back(f"The limit of {subscription['name']} must be between 3 and 500.")
        self._put("subscriptions", subscription, "limit", new_limit)
        if paused is not None:
            self._put("subscriptions", subscription, "paused", paused)
        for one_delivery in _distinct(self._deliveries_by_subscription.get(subscription["id"], {}).values()):
            if self._breaks_rule_3(one_delivery):
                return self._take_back(RULES[2])
        for one_delivery in _distinct(
            self._deliveries_by_subscription_status.get((subscription["id"], "waiting"), {}).values()
        ):
            if self._breaks_rule_4(one_delivery):
                return self._take_back(RULES[3])
        if self._breaks_rule_8(subscription):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: tune {subscription['name']}.", "data": self._changes()}

    def assign_worker(self, worker_id: str, subscription_id: str, serving: bool = True) -> Result:
        """Let a worker serve a subscription, or no longer.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            serving (bool): Whether the worker serves it, as opposed to no longer. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if serving != (subscription_id not in worker["serve_ids"]):
            return _refused(f"For {worker['name']} that is so already.")
        if not (serving or not self._deliveries_by_subscription_worker.get((subscription_id, worker_id), {})):
            return _refused(
                f"{worker['name']} still holds messages of {subscription['name']}, so these must be acknowledged "
                "or rejected first."
            )
        self._journal = []
        self._put(
            "workers",
            worker,
            "serve_ids",
            [
                record["id"]
                for record in [
                    s
                    for s in _those(self.subscriptions, [*worker["serve_ids"], subscription_id])
                    if (s["id"] in worker["serve_ids"] and s is not subscription or s is subscription and serving)
                ]
            ],
        )
        for one_delivery in _distinct(self._deliveries_by_worker.get(worker["id"], {}).values()):
            if self._breaks_rule_6(one_delivery):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(worker):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: change whether {worker['name']} serves {subscription['name']}.",
            "data": self._changes(),
        }

    def _show_subscription(self, subscription: Subscription) -> dict[str, Any]:
        """The subscription as an answer shows it."""
        return {
            **subscription,
            "backlog": self._subscription_backlog(subscription),
            "dead": self._subscription_dead(subscription),
        }

    def _show_worker(self, worker: Worker) -> dict[str, Any]:
        """The worker as an answer shows it."""
        return {**worker, "serve_ids": [*worker["serve_ids"]], "busy": self._worker_busy(worker)}

    def _names_of_subscriptions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that subscriptions point to."""
        return _names((self.topics, "name", [row["topic_id"] for row in shown]))

    def _names_of_workers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that workers point to."""
        return _names((self.subscriptions, "name", [each for row in shown for each in row["serve_ids"]]))

    def _names_of_messages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that messages point to."""
        return _names((self.topics, "name", [row["topic_id"] for row in shown]))

    def _names_of_deliveries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deliveries point to."""
        return _names(
            (self.messages, "code", [row["message_id"] for row in shown]),
            (self.subscriptions, "name", [row["subscription_id"] for row in shown]),
            (self.workers, "name", [row["worker_id"] for row in shown]),
        )

    def _subscription_backlog(self, subscription: Subscription) -> int:
        """The backlog of a subscription."""
        return sum(
            1
            for d in self._deliveries_by_subscription.get(subscription["id"], {}).values()
            if d["status"] in ("waiting", "taken")
        )

    def _subscription_dead(self, subscription: Subscription) -> int:
        """The dead of a subscription."""
        return len(self._deliveries_by_subscription_status.get((subscription["id"], "dead"), {}))

    def _worker_busy(self, worker: Worker) -> int:
        """The busy of a worker."""
        return len(self._deliveries_by_worker.get(worker["id"], {}))

    def _wants(self, s: Subscription, k: str) -> bool:
        return s["only"] is None or s["only"] == k

    def _held(self, d: Delivery) -> bool:
        return (
            self.subscriptions[d["subscription_id"]]["ordered"]
            and any(
                o["status"] in ("waiting", "taken")
                and self.messages[o["message_id"]]["group"] == self.messages[d["message_id"]]["group"]
                and self.messages[o["message_id"]]["number"] < self.messages[d["message_id"]]["number"]
                for o in self._deliveries_by_subscription.get(d["subscription_id"], {}).values()
            )
        )

    def _group_busy(self, d: Delivery) -> bool:
        return (
            self.subscriptions[d["subscription_id"]]["ordered"]
            and any(
                o["status"] == "taken"
                and self.messages[o["message_id"]]["group"] == self.messages[d["message_id"]]["group"]
                for o in self._deliveries_by_subscription.get(d["subscription_id"], {}).values()
            )
        )

    def _ready(self, d: Delivery) -> bool:
        return (
            d["status"] == "waiting"
            and (d["not_before"] is None or d["not_before"] <= self.now)
            and not self._held(d)
            and not self._group_busy(d)
        )

    def _in_line(self, s: Subscription) -> list[Delivery]:
        return [
            d
            for d in sorted(self._deliveries_by_subscription.get(s["id"], {}).values(), key=_age)
            if self._ready(d)
        ]

    def _overdue(self, d: Delivery) -> bool:
        return d["status"] == "taken" and d["hidden_until"] is not None and d["hidden_until"] <= self.now

    def _can_take(self, w: Worker, s: Subscription) -> bool:
        return (
            s["id"] in w["serve_ids"]
            and self._worker_busy(w) < w["slots"]
            and not s["paused"]
            and len(self._in_line(s)) > 0
        )

    def _breaks_rule_1_d(self, d: Delivery) -> bool:
        """Whether this is broken: a message goes to a subscription once, and only to those of its topic that want its
        kind.
        """
        return any(
            other_d is not d
            for other_d in self._deliveries_by_message_subscription.get(
                (d["message_id"], d["subscription_id"]),
                {},
            ).values()
        )

    def _breaks_rule_1_d_again(self, d: Delivery) -> bool:
        """Whether this is broken: a message goes to a subscription once, and only to those of its topic that want its
        kind.
        """
        return not (
            self.messages[d["message_id"]]["topic_id"] == self.subscriptions[d["subscription_id"]]["topic_id"]
            and self._wants(self.subscriptions[d["subscription_id"]], self.messages[d["message_id"]]["kind"])
        )

    def _breaks_rule_2(self, d: Delivery) -> bool:
        """Whether this is broken: what is taken has a worker and a time until which it is hidden, and nothing else
        has.
        """
        return (
            (d["status"] == "taken") != (d["worker_id"] is not None)
            or (d["status"] == "taken") != (d["hidden_until"] is not None)
        )

    def _breaks_rule_3(self, d: Delivery) -> bool:
        """Whether this is broken: nothing is tried more often than its subscription allows."""
        return (
            d["status"] in ("waiting", "taken")
            and d["tries"] > self.subscriptions[d["subscription_id"]]["most_tries"]
        )

    def _breaks_rule_4(self, d: Delivery) -> bool:
        """Whether this is broken: what waits has a try left."""
        return d["status"] == "waiting" and d["tries"] >= self.subscriptions[d["subscription_id"]]["most_tries"]

    def _breaks_rule_5(self, w: Worker) -> bool:
        """Whether this is broken: a worker never holds more than it has slots."""
        return self._worker_busy(w) > w["slots"]

    def _breaks_rule_6(self, d: Delivery) -> bool:
        """Whether this is broken: workers hold messages only of subscriptions they serve."""
        return d["worker_id"] is not None and d["subscription_id"] not in self.workers[d["worker_id"]]["serve_ids"]

    def _breaks_rule_7(self, d: Delivery) -> bool:
        """Whether this is broken: an ordered subscription has one message of a group out at a time."""
        return (
            d["status"] == "taken"
            and self.subscriptions[d["subscription_id"]]["ordered"]
            and any(
                other_d is not d
                for other_d in self._deliveries_by_subscription_status.get(
                    (d["subscription_id"], "taken"),
                    {},
                ).values()
                if self.messages[other_d["message_id"]]["group"] == self.messages[d["message_id"]]["group"]
                and self.subscriptions[other_d["subscription_id"]]["ordered"]
            )
        )

    def _breaks_rule_8(self, s: Subscription) -> bool:
        """Whether this is broken: a subscription never has a longer backlog than its limit."""
        return self._subscription_backlog(s) > s["limit"]

    def _breaks_rule_9(self, d: Delivery) -> bool:
        """Whether this is broken: whatever is dead says what went wrong."""
        return d["status"] == "dead" and d["error"] is None

    def _breaks_rule_10(self, w: Worker) -> bool:
        """Whether this is broken: a worker serves each subscription once."""
        return not _different([s["id"] for s in [self.subscriptions[key] for key in w["serve_ids"]]])

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
            case "subscriptions":
                self._subscriptions_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._subscriptions_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._subscriptions_by_topic.setdefault(record["topic_id"], {})[record["id"]] = record
            case "workers":
                for key in record["serve_ids"]:
                    self._workers_by_serves.setdefault(key, {})[record["id"]] = record
            case "messages":
                self._messages_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._messages_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
                self._messages_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._messages_by_topic.setdefault(record["topic_id"], {})[record["id"]] = record
            case "deliveries":
                self._deliveries_by_message_subscription.setdefault(
                    (record["message_id"], record["subscription_id"]),
                    {},
                )[record["id"]] = record
                self._deliveries_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._deliveries_by_subscription.setdefault(record["subscription_id"], {})[record["id"]] = record
                self._deliveries_by_subscription_status.setdefault(
                    (record["subscription_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._deliveries_by_subscription_worker.setdefault(
                    (record["subscription_id"], record["worker_id"]),
                    {},
                )[record["id"]] = record
                self._deliveries_by_worker.setdefault(record["worker_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "subscriptions":
                del self._subscriptions_by_lower_name[record["name"].lower()][record["id"]]
                del self._subscriptions_by_name[record["name"]][record["id"]]
                del self._subscriptions_by_topic[record["topic_id"]][record["id"]]
            case "workers":
                for key in record["serve_ids"]:
                    self._workers_by_serves[key].pop(record["id"], None)
            case "messages":
                del self._messages_by_code[record["code"]][record["id"]]
                del self._messages_by_lower_code[record["code"].lower()][record["id"]]
                del self._messages_by_number[record["number"]][record["id"]]
                del self._messages_by_topic[record["topic_id"]][record["id"]]
            case "deliveries":
                del self._deliveries_by_message_subscription[
                    record["message_id"],
                    record["subscription_id"],
                ][record["id"]]
                del self._deliveries_by_status[record["status"]][record["id"]]
                del self._deliveries_by_subscription[record["subscription_id"]][record["id"]]
                del self._deliveries_by_subscription_status[record["subscription_id"], record["status"]][record["id"]]
                del self._deliveries_by_subscription_worker[record["subscription_id"], record["worker_id"]][record["id"]]
                del self._deliveries_by_worker[record["worker_id"]][record["id"]]
