"""Evidence locker. Compiled from blueprint.yaml; run `envscaler build evidence_locker` after changing it there.

Keeps the exhibits of a police district - lockers that take only certain kinds, seals, packages with things
inside, the chain of custody, release to court and laboratory, and disposal under two signatures.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "An exhibit is in a locker, with somebody or inside another one, or it was disposed of, and never two of these.",
    "A locker is never fuller than it can be.",
    "A locker holds only the kinds that it takes, also inside of packages.",
    "An exhibit is no larger than what it is packed in.",
    "What lies in a locker or in a package is sealed.",
    "What is packed into an exhibit belongs to the same matter, and no package lies within itself.",
    "Who has an exhibit out has it for a purpose and until a day, and nobody has more than four.",
    "A closed matter has a day until which its exhibits are kept, and none of them is out.",
    "Exhibits of an open matter are not up for disposal.",
    "An exhibit has one disposal under way.",
    "Two people sign a disposal, a prosecutor first and then a custodian, and neither leads the matter.",
    "What was disposed of had both signatures, or lay inside something that had.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_in",
    "move_item",
    "pack_item",
    "unpack_item",
    "release_item",
    "return_item",
    "close_matter",
    "reopen_matter",
    "propose_disposal",
    "sign_disposal",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "officers": ("name",),
    "matters": ("title",),
    "lockers": ("label",),
    "items": ("tag",),
    "custodies": (),
    "disposals": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("custodies", "item_id"),
    ("custodies", "seal"),
    ("disposals", "item_id"),
    ("disposals", "status"),
    ("items", "holder_id"),
    ("items", "locker_id"),
    ("items", "matter_id"),
    ("items", "seal"),
    ("items", "tag"),
    ("items", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Officer(TypedDict):
    id: str
    name: str
    post: Literal["investigator", "custodian", "laboratory", "prosecutor"]


class Matter(TypedDict):
    id: str
    number: str
    title: str
    lead_id: str
    keep_until: str | None
    status: Literal["open", "closed"]


class Locker(TypedDict):
    id: str
    label: str
    takes: list[Literal["weapon", "drugs", "cash", "document", "device", "clothing"]]
    slots: int


class Item(TypedDict):
    id: str
    tag: str
    what: str
    kind: Literal["weapon", "drugs", "cash", "document", "device", "clothing"]
    matter_id: str
    size: int
    seal: str | None
    locker_id: str | None
    holder_id: str | None
    within_id: str | None
    purpose: Literal["court", "laboratory", "viewing"] | None
    due_back: str | None
    disposed_on: str | None


class Custody(TypedDict):
    id: str
    item_id: str
    by_id: str
    at: str
    step: Literal["booked_in", "moved", "packed", "unpacked", "released", "returned", "disposed"]
    seal: str | None


class Disposal(TypedDict):
    id: str
    item_id: str
    manner: Literal["destroy", "owner", "auction"]
    first_by_id: str | None
    second_by_id: str | None
    status: Literal["proposed", "done", "dropped"]


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


def _id_of(record: Any) -> str | None:
    """The id of a record that may not be there."""
    return record["id"] if record is not None else None


def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


class EvidenceLocker:
    """Keeps the exhibits of a police district - lockers that take only certain kinds, seals, packages with
    things inside, the chain of custody, release to court and laboratory, and disposal under two
    signatures.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.officers: dict[str, Officer] = _copied(config.get("officers", {}))
        self.matters: dict[str, Matter] = _copied(config.get("matters", {}))
        self.lockers: dict[str, Locker] = _copied(config.get("lockers", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.custodies: dict[str, Custody] = _copied(config.get("custodies", {}))
        self.disposals: dict[str, Disposal] = _copied(config.get("disposals", {}))
        self.now: str = config.get("now", "2026-02-18T08:20")
        self.counters: dict[str, int] = {
            "officer": len(self.officers),
            "matter": len(self.matters),
            "locker": len(self.lockers),
            "item": len(self.items),
            "custody": len(self.custodies),
            "disposal": len(self.disposals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._items_by_holder: dict[Any, dict[str, Item]] = {}
        self._items_by_locker: dict[Any, dict[str, Item]] = {}
        self._items_by_lower_tag: dict[Any, dict[str, Item]] = {}
        self._items_by_matter: dict[Any, dict[str, Item]] = {}
        self._items_by_seal: dict[Any, dict[str, Item]] = {}
        self._items_by_tag: dict[Any, dict[str, Item]] = {}
        self._items_by_within: dict[Any, dict[str, Item]] = {}
        self._custodies_by_item: dict[Any, dict[str, Custody]] = {}
        self._custodies_by_seal: dict[Any, dict[str, Custody]] = {}
        self._disposals_by_item: dict[Any, dict[str, Disposal]] = {}
        self._disposals_by_item_status: dict[Any, dict[str, Disposal]] = {}
        for item in self.items.values():
            self._link("items", item)
        for custody in self.custodies.values():
            self._link("custodies", custody)
        for disposal in self.disposals.values():
            self._link("disposals", disposal)

    def room_for(
        self,
        kind: Literal["weapon", "drugs", "cash", "document", "device", "clothing"],
        size: Annotated[int, {"minimum": 1, "maximum": 10}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lockers that take a kind and have room, the tightest fit first.

        Args:
            kind (str): Sort of exhibit that the locker must take: weapon, drugs, cash, document, device or
                clothing.
            size (int): Slots that must be free in the locker, from 1 to 10.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lockers": records}} or {"success": False, "error": why
                not}
        """
        found = [l for l in self.lockers.values() if (kind in l["takes"] and self._locker_free(l) >= size)]
        found.sort(key=lambda l: (self._locker_free(l), l["label"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lockers": [
                    {"id": l["id"], "label": l["label"], "slots": l["slots"], "free": self._locker_free(l)}
                    for l in _page(found, offset)
                ],
            }
        )

    def overdue_exhibits(
        self,
        purpose: Literal["court", "laboratory", "viewing"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Exhibits that should have come back, the most overdue first.

        Args:
            purpose (str, optional): What the exhibits were taken out for: court, laboratory or viewing. If left
                out, exhibits out for every purpose are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        found = [
            i
            for i in self.items.values()
            if (i["holder_id"] is not None and i["due_back"] is not None and i["due_back"] < self.now[:10])
            and (purpose is None or i["purpose"] == purpose)
        ]
        found.sort(key=lambda i: (i["due_back"], i["tag"], _age(i)))
        shown = [{**i} for i in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def where_is(self, item_id: str) -> Result:
        """Where an exhibit is, also when it lies inside others, and what lies in it.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "data": {outermost, packed_in, contains, sealed}} or {"success": False,
                "error": why not}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        answer = {
            "outermost": _id_of(self._top(item)),
            "packed_in": [*[o["tag"] for o in _above(self.items, item, "within_id")]],
            "contains": [*[o["tag"] for o in _below(self._items_by_within, item)]],
            "sealed": item["seal"] is not None,
        }
        return _found(answer, _names((self.items, "tag", [row["outermost"] for row in [answer]])))

    def list_officers(
        self,
        name: Text | None = None,
        post: Literal["investigator", "custodian", "laboratory", "prosecutor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the officers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only officers whose name contains this text.
            post (str, optional): Only officers with this post.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officers": records}}
        """
        found = [
            officer
            for officer in self.officers.values()
            if (name is None or name.casefold() in officer["name"].casefold())
            and (post is None or officer["post"] == post)
        ]
        return _found(
            {"total": len(found), "officers": [self._show_officer(officer) for officer in _page(found, offset)]}
        )

    def list_matters(
        self,
        title: Text | None = None,
        lead_id: str | None = None,
        status: Literal["open", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the matters, oldest first, all of them or only some.

        Args:
            title (str, optional): Only matters whose title contains this text.
            lead_id (str, optional): Only matters whose lead is this officer.
            status (str, optional): Only matters with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "matters": records}}
        """
        if lead_id is not None and lead_id not in self.officers:
            return _refused(f"There is no officer {lead_id!r}.")
        found = [
            matter
            for matter in self.matters.values()
            if (title is None or title.casefold() in matter["title"].casefold())
            and (lead_id is None or matter["lead_id"] == lead_id)
            and (status is None or matter["status"] == status)
        ]
        shown = [{**matter} for matter in _page(found, offset)]
        return _found({"total": len(found), "matters": shown}, self._names_of_matters(shown))

    def list_lockers(
        self,
        label: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lockers, oldest first, all of them or only some.

        Args:
            label (str, optional): Only lockers whose label contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lockers": records}}
        """
        found = [
            locker
            for locker in self.lockers.values()
            if (label is None or label.casefold() in locker["label"].casefold())
        ]
        return _found(
            {"total": len(found), "lockers": [self._show_locker(locker) for locker in _page(found, offset)]}
        )

    def get_item(self, item_id: str) -> Result:
        """Look up one item by its id.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        shown = {**item}
        return _found(shown, self._names_of_items([shown]))

    def list_items(
        self,
        tag: Text | None = None,
        kind: Literal["weapon", "drugs", "cash", "document", "device", "clothing"] | None = None,
        matter_id: str | None = None,
        locker_id: str | None = None,
        holder_id: str | None = None,
        within_id: str | None = None,
        purpose: Literal["court", "laboratory", "viewing"] | None = None,
        due_back_from: Date | None = None,
        due_back_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only items whose tag contains this text.
            kind (str, optional): Only items with this kind.
            matter_id (str, optional): Only items of this matter.
            locker_id (str, optional): Only items of this locker.
            holder_id (str, optional): Only items whose holder is this officer.
            within_id (str, optional): Only items within this item.
            purpose (str, optional): Only items with this purpose.
            due_back_from (str, optional): Only items whose `due_back` is on this day or later.
            due_back_to (str, optional): Only items whose `due_back` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if matter_id is not None and matter_id not in self.matters:
            return _refused(f"There is no matter {matter_id!r}.")
        if locker_id is not None and locker_id not in self.lockers:
            return _refused(f"There is no locker {locker_id!r}.")
        if holder_id is not None and holder_id not in self.officers:
            return _refused(f"There is no officer {holder_id!r}.")
        if within_id is not None and within_id not in self.items:
            return _refused(f"There is no item {within_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (tag is None or tag.casefold() in item["tag"].casefold())
            and (kind is None or item["kind"] == kind)
            and (matter_id is None or item["matter_id"] == matter_id)
            and (locker_id is None or item["locker_id"] == locker_id)
            and (holder_id is None or item["holder_id"] == holder_id)
            and (within_id is None or item["within_id"] == within_id)
            and (purpose is None or item["purpose"] == purpose)
            and (due_back_from is None or (item["due_back"] is not None and item["due_back"] >= due_back_from))
            and (due_back_to is None or (item["due_back"] is not None and item["due_back"] <= due_back_to))
        ]
        shown = [{**item} for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_custodies(
        self,
        item_id: str | None = None,
        by_id: str | None = None,
        step: Literal["booked_in", "moved", "packed", "unpacked", "released", "returned", "disposed"] | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the custodies, oldest first, all of them or only some.

        Args:
            item_id (str, optional): Only custodies of this item.
            by_id (str, optional): Only custodies by this officer.
            step (str, optional): Only custodies with this step.
            at_from (str, optional): Only custodies whose `at` is on this day or later.
            at_to (str, optional): Only custodies whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "custodies": records}}
        """
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        if by_id is not None and by_id not in self.officers:
            return _refused(f"There is no officer {by_id!r}.")
        found = [
            custody
            for custody in self.custodies.values()
            if (item_id is None or custody["item_id"] == item_id)
            and (by_id is None or custody["by_id"] == by_id)
            and (step is None or custody["step"] == step)
            and (at_from is None or custody["at"][:10] >= at_from)
            and (at_to is None or custody["at"][:10] <= at_to)
        ]
        shown = [{**custody} for custody in _page(found, offset)]
        return _found({"total": len(found), "custodies": shown}, self._names_of_custodies(shown))

    def list_disposals(
        self,
        item_id: str | None = None,
        manner: Literal["destroy", "owner", "auction"] | None = None,
        first_by_id: str | None = None,
        second_by_id: str | None = None,
        status: Literal["proposed", "done", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the disposals, oldest first, all of them or only some.

        Args:
            item_id (str, optional): Only disposals of this item.
            manner (str, optional): Only disposals with this manner.
            first_by_id (str, optional): Only disposals first by this officer.
            second_by_id (str, optional): Only disposals second by this officer.
            status (str, optional): Only disposals with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disposals": records}}
        """
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        if first_by_id is not None and first_by_id not in self.officers:
            return _refused(f"There is no officer {first_by_id!r}.")
        if second_by_id is not None and second_by_id not in self.officers:
            return _refused(f"There is no officer {second_by_id!r}.")
        found = [
            disposal
            for disposal in self.disposals.values()
            if (item_id is None or disposal["item_id"] == item_id)
            and (manner is None or disposal["manner"] == manner)
            and (first_by_id is None or disposal["first_by_id"] == first_by_id)
            and (second_by_id is None or disposal["second_by_id"] == second_by_id)
            and (status is None or disposal["status"] == status)
        ]
        shown = [{**disposal} for disposal in _page(found, offset)]
        return _found({"total": len(found), "disposals": shown}, self._names_of_disposals(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_in(
        self,
        tag: Text,
        what: Text,
        kind: Literal["weapon", "drugs", "cash", "document", "device", "clothing"],
        matter_id: str,
        size: Annotated[int, {"minimum": 1, "maximum": 10}],
        locker_id: str,
        seal: Text,
        by_id: str,
    ) -> Result:
        """Book a new exhibit of an open matter into a locker, under a seal.

        Args:
            tag (str): Tag of the new exhibit, not given before.
            what (str): What the exhibit is, in a few words.
            kind (str): Sort of exhibit, which the locker must take: weapon, drugs, cash, document, device or
                clothing.
            matter_id (str): Id of the matter, such as MATTER-00001.
            size (int): Slots that the exhibit takes up in a locker, from 1 to 10.
            locker_id (str): Id of the locker, such as LOCKER-00001.
            seal (str): Number of the seal put on the exhibit, never used before.
            by_id (str): Officer who books the exhibit in; an id such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        locker = self.lockers.get(locker_id)
        if locker is None:
            return _refused(f"There is no locker {locker_id!r}.")
        by = self.officers.get(by_id)
        if by is None:
            return _refused(f"There is no officer {by_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['number']} is closed, so reopen it first.")
        if self._items_by_lower_tag.get(tag.lower(), {}):
            return _refused(f"The tag {tag} was given already.")
        if self._used_seal(seal):
            return _refused(f"Seal {seal} was used before.")
        if kind not in locker["takes"]:
            return _refused(f"Locker {locker['label']} does not take that kind.")
        if self._locker_free(locker) < size:
            return _refused(f"Locker {locker['label']} has {self._locker_free(locker)} slots left, not {size}.")
        self._journal = []
        item: Item = {
            "id": self._new_id("item", "ITEM", self.items),
            "tag": tag,
            "what": what,
            "kind": kind,
            "matter_id": matter_id,
            "size": size,
            "seal": seal,
            "locker_id": locker_id,
            "holder_id": None,
            "within_id": None,
            "purpose": None,
            "due_back": None,
            "disposed_on": None,
        }
        self._add("items", item)
        custody: Custody = {
            "id": self._new_id("custody", "CUSTODY", self.custodies),
            "item_id": item["id"],
            "by_id": by_id,
            "at": self.now,
            "step": "booked_in",
            "seal": seal,
        }
        self._add("custodies", custody)
        if len(self._items_by_tag.get(item["tag"], {})) > 1:
            return self._take_back(f"There is already an item with the tag {item['tag']!r}.")
        if item["seal"] is not None and len(self._items_by_seal.get(item["seal"], {})) > 1:
            return self._take_back(f"There is already an item with the seal {item['seal']!r}.")
        if self._breaks_rule_1(item):
            return self._take_back(RULES[0])
        for one_locker in _distinct([self.lockers.get(item["locker_id"])]):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        for one_item in _distinct([item, *_above(self.items, item, "within_id")]):
            if self._breaks_rule_3(one_item):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(item):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(item):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(item):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_i(item):
            return self._take_back(RULES[6])
        for one_officer in _distinct([self.officers.get(item["holder_id"])]):
            if self._breaks_rule_7_o(one_officer):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(item):
            return self._take_back(RULES[7])
        if self._breaks_rule_12(item):
            return self._take_back(RULES[11])
        if self._breaks_rule_12(self.items[custody["item_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {tag} of {matter['title']} into locker {locker['label']} as {by['name']} (new: item "
                f"{item['id']}, custody {custody['id']})."
            ),
            "data": {"item_id": item["id"], "custody_id": custody["id"], **self._changes()},
        }

    def move_item(self, item_id: str, locker_id: str, by_id: str) -> Result:
        """Move an exhibit, with all that is packed in it, to another locker.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            locker_id (str): Id of the locker, such as LOCKER-00001.
            by_id (str): Custodian who moves the exhibit; an id such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        locker = self.lockers.get(locker_id)
        if locker is None:
            return _refused(f"There is no locker {locker_id!r}.")
        by = self.officers.get(by_id)
        if by is None:
            return _refused(f"There is no officer {by_id!r}.")
        if item["locker_id"] is None:
            return _refused(f"{item['tag']} is not in a locker.")
        if item["locker_id"] == locker_id:
            return _refused(f"{item['tag']} is in that locker already.")
        if not self._takes_all(locker, item):
            return _refused(f"Locker {locker['label']} does not take {item['tag']} or what is packed in it.")
        if self._locker_free(locker) < item["size"]:
            return _refused(
                f"Locker {locker['label']} has {self._locker_free(locker)} slots left, not {item['size']}."
            )
        if by["post"] != "custodian":
            return _refused("Only custodians move exhibits.")
        self._journal = []
        former_locker_id = item["locker_id"]
        self._put("items", item, "locker_id", locker_id)
        custody: Custody = {
            "id": self._new_id("custody", "CUSTODY", self.custodies),
            "item_id": item_id,
            "by_id": by_id,
            "at": self.now,
            "step": "moved",
            "seal": None,
        }
        self._add("custodies", custody)
        if self._breaks_rule_1(item):
            return self._take_back(RULES[0])
        for one_locker in _distinct([self.lockers.get(item["locker_id"]), self.lockers.get(former_locker_id)]):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(item):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(item):
            return self._take_back(RULES[4])
        if self._breaks_rule_12(self.items[custody["item_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: move {item['tag']} to locker {locker['label']} as {by['name']} (new: custody "
                f"{custody['id']})."
            ),
            "data": {"custody_id": custody["id"], **self._changes()},
        }

    def pack_item(self, item_id: str, into_id: str, seal: Text, by_id: str) -> Result:
        """Pack a sealed exhibit into another one of the same matter, which gets a new seal.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            into_id (str): Exhibit of the same matter, in a locker, that serves as the package; an id such as
                ITEM-00001.
            seal (str): Number of the new seal on the package, never used before.
            by_id (str): Custodian who packs the exhibit; an id such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        into = self.items.get(into_id)
        if into is None:
            return _refused(f"There is no item {into_id!r}.")
        by = self.officers.get(by_id)
        if by is None:
            return _refused(f"There is no officer {by_id!r}.")
        if item["locker_id"] is None or into["locker_id"] is None:
            return _refused("Both must lie in a locker.")
        if item is into:
            return _refused("Something cannot be packed into itself.")
        if item["matter_id"] != into["matter_id"]:
            return _refused(f"{item['tag']} and {into['tag']} belong to different matters.")
        if item["size"] > into["size"]:
            return _refused(f"{item['tag']} is too large for {into['tag']}.")
        if not self._takes_all(self.lockers[into["locker_id"]], item):
            return _refused(
                f"Locker {self.lockers[into['locker_id']]['label']}, in which {into['tag']} lies, does not take "
                f"{item['tag']} or what is packed in it."
            )
        if by["post"] != "custodian":
            return _refused("Only custodians pack exhibits.")
        if self._used_seal(seal):
            return _refused(f"Seal {seal} was used before.")
        if self._pending(item) is not None or self._pending(into) is not None:
            return _refused("A disposal is under way for one of them.")
        self._journal = []
        former_locker_id = item["locker_id"]
        self._put("items", item, "locker_id", None)
        former_within_id = item["within_id"]
        self._put("items", item, "within_id", into_id)
        self._put("items", into, "seal", seal)
        custody: Custody = {
            "id": self._new_id("custody", "CUSTODY", self.custodies),
            "item_id": item_id,
            "by_id": by_id,
            "at": self.now,
            "step": "packed",
            "seal": seal,
        }
        self._add("custodies", custody)
        if into["seal"] is not None and len(self._items_by_seal.get(into["seal"], {})) > 1:
            return self._take_back(f"There is already an item with the seal {into['seal']!r}.")
        if self._breaks_rule_1(item):
            return self._take_back(RULES[0])
        for one_locker in _distinct([self.lockers.get(item["locker_id"]), self.lockers.get(former_locker_id)]):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        for one_item in _distinct(
            [
                item,
                self.items.get(former_within_id),
                *_above(self.items, item, "within_id"),
                *[
                    user
                    for one in [self.items.get(former_within_id)]
                    if one is not None
                    for user in _above(self.items, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_item):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(item):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(item):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(into):
            return self._take_back(RULES[4])
        for one_item in _distinct([item, *_below(self._items_by_within, item)]):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        if self._breaks_rule_12(self.items[custody["item_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: pack {item['tag']} into {into['tag']} under seal {seal} as {by['name']} (new: custody "
                f"{custody['id']})."
            ),
            "data": {"custody_id": custody["id"], **self._changes()},
        }

    def unpack_item(self, item_id: str, locker_id: str, seal: Text, by_id: str) -> Result:
        """Take an exhibit out of its package into a locker; the package gets a new seal.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            locker_id (str): Id of the locker, such as LOCKER-00001.
            seal (str): Number of the new seal on the package, never used before.
            by_id (str): Custodian who unpacks the exhibit; an id such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        locker = self.lockers.get(locker_id)
        if locker is None:
            return _refused(f"There is no locker {locker_id!r}.")
        by = self.officers.get(by_id)
        if by is None:
            return _refused(f"There is no officer {by_id!r}.")
        package = self.items.get(item["within_id"])
        if package is None:
            return _refused(f"{item['tag']} is not packed.")
        if package["locker_id"] is None and package["within_id"] is None:
            return _refused(f"{package['tag']} must be in store first.")
        if not self._takes_all(locker, item):
            return _refused(f"Locker {locker['label']} does not take {item['tag']} or what is packed in it.")
        if self._locker_free(locker) < item["size"]:
            return _refused(
                f"Locker {locker['label']} has {self._locker_free(locker)} slots left, not {item['size']}."
            )
        if by["post"] != "custodian":
            return _refused("Only custodians unpack exhibits.")
        if self._used_seal(seal):
            return _refused(f"Seal {seal} was used before.")
        self._journal = []
        former_within_id = item["within_id"]
        self._put("items", item, "within_id", None)
        former_locker_id = item["locker_id"]
        self._put("items", item, "locker_id", locker_id)
        self._put("items", package, "seal", seal)
        custody: Custody = {
            "id": self._new_id("custody", "CUSTODY", self.custodies),
            "item_id": item_id,
            "by_id": by_id,
            "at": self.now,
            "step": "unpacked",
            "seal": seal,
        }
        self._add("custodies", custody)
        if package["seal"] is not None and len(self._items_by_seal.get(package["seal"], {})) > 1:
            return self._take_back(f"There is already an item with the seal {package['seal']!r}.")
        if self._breaks_rule_1(item):
            return self._take_back(RULES[0])
        for one_locker in _distinct([self.lockers.get(item["locker_id"]), self.lockers.get(former_locker_id)]):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        for one_item in _distinct(
            [
                self.items.get(former_within_id),
                item,
                *_above(self.items, item, "within_id"),
                *[
                    user
                    for one in [self.items.get(former_within_id)]
                    if one is not None
                    for user in _above(self.items, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_item):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(item):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(item):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(package):
            return self._take_back(RULES[4])
        for one_item in _distinct([item, *_below(self._items_by_within, item)]):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        if self._breaks_rule_12(self.items[custody["item_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take {item['tag']} out of its package into locker {locker['label']} as {by['name']} (new: "
                f"custody {custody['id']})."
            ),
            "data": {"custody_id": custody["id"], **self._changes()},
        }

    def release_item(
        self,
        item_id: str,
        holder_id: str,
        purpose: Literal["court", "laboratory", "viewing"],
        due_back: Date,
    ) -> Result:
        """Release an exhibit from its locker to somebody for a purpose; for the laboratory the seal is broken.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            holder_id (str): Officer who receives the exhibit, one of the laboratory for that purpose; an id such
                as OFFICER-00001.
            purpose (str): What the exhibit is taken out for: court, laboratory or viewing.
            due_back (str): Day by which it must be back, within 120 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        holder = self.officers.get(holder_id)
        if holder is None:
            return _refused(f"There is no officer {holder_id!r}.")
        if item["within_id"] is not None:
            return _refused(f"{item['tag']} is packed, so unpack it first.")
        if item["locker_id"] is None:
            return _refused(f"{item['tag']} is not in a locker.")
        if self.matters[item["matter_id"]]["status"] != "open":
            return _refused(f"{self.matters[item['matter_id']]['number']} is closed, so reopen it first.")
        if self.now[:10] > due_back or due_back > _plus_days(self.now[:10], 120):
            return _refused(f"It must be back between {self.now[:10]} and {_plus_days(self.now[:10], 120)}.")
        if purpose == "laboratory" and holder["post"] != "laboratory":
            return _refused(f"{holder['name']} does not work in the laboratory.")
        if self._officer_holds(holder) >= 4:
            return _refused(f"{holder['name']} has four exhibits out already.")
        self._journal = []
        changed_items: list[Any] = []
        former_locker_id = item["locker_id"]
        self._put("items", item, "locker_id", None)
        former_holder_id = item["holder_id"]
        self._put("items", item, "holder_id", holder_id)
        self._put("items", item, "purpose", purpose)
        self._put("items", item, "due_back", due_back)
        if purpose == "laboratory":
            changed_items.append(item)
            self._put("items", item, "seal", None)
        custody: Custody = {
            "id": self._new_id("custody", "CUSTODY", self.custodies),
            "item_id": item_id,
            "by_id": holder_id,
            "at": self.now,
            "step": "released",
            "seal": None,
        }
        self._add("custodies", custody)
        for one_item in changed_items:
            if one_item["seal"] is not None and len(self._items_by_seal.get(one_item["seal"], {})) > 1:
                return self._take_back(f"There is already an item with the seal {one_item['seal']!r}.")
        if self._breaks_rule_1(item):
            return self._take_back(RULES[0])
        for one_locker in _distinct([self.lockers.get(item["locker_id"]), self.lockers.get(former_locker_id)]):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(item):
            return self._take_back(RULES[2])
        for one_item_2 in _distinct([item, *changed_items]):
            if self._breaks_rule_5(one_item_2):
                return self._take_back(RULES[4])
        if self._breaks_rule_7_i(item):
            return self._take_back(RULES[6])
        for one_officer in _distinct([self.officers.get(item["holder_id"]), self.officers.get(former_holder_id)]):
            if self._breaks_rule_7_o(one_officer):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(item):
            return self._take_back(RULES[7])
        if self._breaks_rule_12(self.items[custody["item_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: release {item['tag']} to {holder['name']} for {purpose} until {due_back} (new: custody "
                f"{custody['id']})."
            ),
            "data": {"custody_id": custody["id"], **self._changes()},
        }

    def return_item(self, item_id: str, locker_id: str, seal: Text | None = None) -> Result:
        """Take an exhibit back into a locker; it needs a new seal where the old one was broken and none where it was
        not.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            locker_id (str): Id of the locker, such as LOCKER-00001.
            seal (str, optional): Number of the new seal, only where the old one was broken. If left out, the
                unbroken seal stays on; a broken one must be replaced.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        locker = self.lockers.get(locker_id)
        if locker is None:
            return _refused(f"There is no locker {locker_id!r}.")
        from_whom = self.officers.get(item["holder_id"])
        if from_whom is None:
            return _refused(f"{item['tag']} is not out.")
        if item["seal"] is not None and seal is not None:
            return _refused(f"{item['tag']} still has its seal, so name no other.")
        if item["seal"] is None and seal is None:
            return _refused(f"The seal of {item['tag']} was broken, so name a new one.")
        if seal is not None and self._used_seal(seal):
            return _refused("That seal was used before.")
        if not self._takes_all(locker, item):
            return _refused(f"Locker {locker['label']} does not take {item['tag']} or what is packed in it.")
        if self._locker_free(locker) < item["size"]:
            return _refused(
                f"Locker {locker['label']} has {self._locker_free(locker)} slots left, not {item['size']}."
            )
        self._journal = []
        custody: Custody = {
            "id": self._new_id("custody", "CUSTODY", self.custodies),
            "item_id": item_id,
            "by_id": from_whom["id"],
            "at": self.now,
            "step": "returned",
            "seal": seal,
        }
        self._add("custodies", custody)
        self._put("items", item, "seal", item["seal"] if item["seal"] is not None else seal)
        former_holder_id = item["holder_id"]
        self._put("items", item, "holder_id", None)
        self._put("items", item, "purpose", None)
        self._put("items", item, "due_back", None)
        former_locker_id = item["locker_id"]
        self._put("items", item, "locker_id", locker_id)
        if item["seal"] is not None and len(self._items_by_seal.get(item["seal"], {})) > 1:
            return self._take_back(f"There is already an item with the seal {item['seal']!r}.")
        if self._breaks_rule_1(item):
            return self._take_back(RULES[0])
        for one_locker in _distinct([self.lockers.get(item["locker_id"]), self.lockers.get(former_locker_id)]):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(item):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(item):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_i(item):
            return self._take_back(RULES[6])
        for one_officer in _distinct([self.officers.get(item["holder_id"]), self.officers.get(former_holder_id)]):
            if self._breaks_rule_7_o(one_officer):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(item):
            return self._take_back(RULES[7])
        if self._breaks_rule_12(self.items[custody["item_id"]]):
            return self._take_back(RULES[11])
        done = f"take {item['tag']} back into locker {locker['label']}"
        if seal is not None:
            done += f" under seal {seal}"
        return {
            "success": True,
            "message": f"Done: {done} (new: custody {custody['id']}).",
            "data": {"custody_id": custody["id"], **self._changes()},
        }

    def close_matter(self, matter_id: str, keep_years: Annotated[int, {"minimum": 1, "maximum": 30}]) -> Result:
        """Close a matter, of which nothing is out, and keep its exhibits for some years.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            keep_years (int): How many years from today the exhibits are kept, from 1 to 30.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['number']} is closed already.")
        outside = next(
            (i for i in sorted(self._items_by_matter.get(matter_id, {}).values(), key=_age) if self._out(i)),
            None,
        )
        if outside is not None:
            return _refused(f"{outside['tag']} is still out.")
        self._journal = []
        self._put("matters", matter, "keep_until", _add_months(self.now[:10], keep_years * 12))
        self._put("matters", matter, "status", "closed")
        if self._breaks_rule_8_m(matter):
            return self._take_back(RULES[7])
        for one_item in _distinct(self._items_by_matter.get(matter["id"], {}).values()):
            if self._breaks_rule_8_i(one_item):
                return self._take_back(RULES[7])
        for one_disposal in _distinct(
            [
                user
                for one in self._items_by_matter.get(matter["id"], {}).values()
                for user in self._disposals_by_item_status.get((one["id"], "proposed"), {}).values()
            ]
        ):
            if self._breaks_rule_9(one_disposal):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: close {matter['title']} and keep its exhibits for {keep_years} years.",
            "data": self._changes(),
        }

    def reopen_matter(self, matter_id: str) -> Result:
        """Reopen a closed matter, which drops every disposal proposed in it.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "closed":
            return _refused(f"{matter['number']} is open.")
        self._journal = []
        changed_disposals: list[Any] = []
        for d in sorted(
            [
                d
                for _item in self._items_by_matter.get(matter_id, {}).values()
                for d in self._disposals_by_item_status.get((_item["id"], "proposed"), {}).values()
            ],
            key=_age,
        ):
            if d["status"] not in ("proposed", "dropped"):
                return self._take_back(f"Disposal {d['id']} cannot go from {d['status']} to dropped.")
            changed_disposals.append(d)
            self._put("disposals", d, "status", "dropped")
        self._put("matters", matter, "keep_until", None)
        self._put("matters", matter, "status", "open")
        if self._breaks_rule_8_m(matter):
            return self._take_back(RULES[7])
        for one_item in _distinct(self._items_by_matter.get(matter["id"], {}).values()):
            if self._breaks_rule_8_i(one_item):
                return self._take_back(RULES[7])
        for one_disposal in _distinct(
            [
                *changed_disposals,
                *[
                    user
                    for one in self._items_by_matter.get(matter["id"], {}).values()
                    for user in self._disposals_by_item_status.get((one["id"], "proposed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_disposal):
                return self._take_back(RULES[8])
        for one_disposal in _distinct(changed_disposals):
            if self._breaks_rule_10(one_disposal):
                return self._take_back(RULES[9])
        for one_disposal in _distinct(changed_disposals):
            if self._breaks_rule_11_d(one_disposal):
                return self._take_back(RULES[10])
        for one_disposal in _distinct(changed_disposals):
            if self._breaks_rule_11_d_again(one_disposal):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: reopen {matter['title']}.", "data": self._changes()}

    def propose_disposal(self, item_id: str, manner: Literal["destroy", "owner", "auction"]) -> Result:
        """Propose to dispose of an exhibit in a locker whose time is over.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            manner (str): How the exhibit is disposed of, weapons and drugs only by destroying them: destroy, owner
                or auction.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if self.matters[item["matter_id"]]["keep_until"] is None:
            return _refused(f"{self.matters[item['matter_id']]['number']} is open.")
        if self.matters[item["matter_id"]]["keep_until"] >= self.now[:10]:
            return _refused(
                f"The exhibits of {self.matters[item['matter_id']]['number']} are kept until "
                f"{self.matters[item['matter_id']]['keep_until']}."
            )
        if item["locker_id"] is None:
            return _refused(f"{item['tag']} is not in a locker by itself.")
        if self._pending(item) is not None:
            return _refused(f"A disposal of {item['tag']} is under way.")
        if manner != "destroy" and self._dangerous(item):
            return _refused(f"Drugs and weapons are destroyed, also those that are packed in {item['tag']}.")
        self._journal = []
        disposal: Disposal = {
            "id": self._new_id("disposal", "DISPOSAL", self.disposals),
            "item_id": item_id,
            "manner": manner,
            "first_by_id": None,
            "second_by_id": None,
            "status": "proposed",
        }
        self._add("disposals", disposal)
        if self._breaks_rule_9(disposal):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(disposal):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_d(disposal):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_d_again(disposal):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(self.items[disposal["item_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: propose {manner} for {item['tag']} (new: disposal {disposal['id']}).",
            "data": {"disposal_id": disposal["id"], **self._changes()},
        }

    def sign_disposal(self, disposal_id: str, by_id: str) -> Result:
        """Sign a disposal, first a prosecutor and then a custodian, with whose signature the exhibit and all that is
        packed in it are gone.

        Args:
            disposal_id (str): Id of the disposal, such as DISPOSAL-00001.
            by_id (str): Prosecutor for the first or custodian for the second signature, not leading the matter; an
                id such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        disposal = self.disposals.get(disposal_id)
        if disposal is None:
            return _refused(f"There is no disposal {disposal_id!r}.")
        by = self.officers.get(by_id)
        if by is None:
            return _refused(f"There is no officer {by_id!r}.")
        if disposal["status"] != "proposed":
            return _refused(f"That disposal is {disposal['status']}.")
        if by_id == self.matters[self.items[disposal["item_id"]]["matter_id"]]["lead_id"]:
            return _refused(f"{by['name']} leads the matter and may not sign.")
        if disposal["first_by_id"] is None and by["post"] != "prosecutor":
            return _refused("A prosecutor signs first.")
        if disposal["first_by_id"] is not None and by["post"] != "custodian":
            return _refused("A custodian signs second.")
        self._journal = []
        changed_disposals: list[Any] = []
        changed_disposals_2: list[Any] = []
        changed_disposals_3: list[Any] = []
        changed_items: list[Any] = []
        former_locker_ids: list[Any] = []
        changed_items_2: list[Any] = []
        former_within_ids: list[Any] = []
        changed_items_3: list[Any] = []
        added_custodies: list[Any] = []
        if disposal["first_by_id"] is None:
            changed_disposals.append(disposal)
            self._put("disposals", disposal, "first_by_id", by_id)
        else:
            changed_disposals_2.append(disposal)
            self._put("disposals", disposal, "second_by_id", by_id)
            changed_disposals_3.append(disposal)
            self._put("disposals", disposal, "status", "done")
            for i in sorted(
                [self.items[disposal["item_id"]]] + _below(self._items_by_within, self.items[disposal["item_id"]]),
                key=lambda i: (i["tag"], _age(i)),
            ):
                changed_items.append(i)
                former_locker_ids.append(i["locker_id"])
                self._put("items", i, "locker_id", None)
                changed_items_2.append(i)
                former_within_ids.append(i["within_id"])
                self._put("items", i, "within_id", None)
                changed_items_3.append(i)
                self._put("items", i, "disposed_on", self.now[:10])
                custody = {
                    "id": self._new_id("custody", "CUSTODY", self.custodies),
                    "item_id": i["id"],
                    "by_id": by_id,
                    "at": self.now,
                    "step": "disposed",
                    "seal": None,
                }
                self._add("custodies", custody)
                added_custodies.append(custody)
        for one_item in _distinct([*changed_items, *changed_items_2, *changed_items_3]):
            if self._breaks_rule_1(one_item):
                return self._take_back(RULES[0])
        for one_locker in _distinct(
            [
                *[self.lockers.get(one["locker_id"]) for one in changed_items],
                *[self.lockers.get(key) for key in former_locker_ids],
            ]
        ):
            if self._breaks_rule_2(one_locker):
                return self._take_back(RULES[1])
        for one_item in _distinct(
            [
                *changed_items,
                *[user for one in changed_items_2 for user in _above(self.items, one, "within_id")],
                *[self.items.get(key) for key in former_within_ids],
                *[
                    user
                    for one in [self.items.get(key) for key in former_within_ids]
                    if one is not None
                    for user in _above(self.items, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_item):
                return self._take_back(RULES[2])
        for one_item in _distinct(changed_items_2):
            if self._breaks_rule_4(one_item):
                return self._take_back(RULES[3])
        for one_item in _distinct([*changed_items, *changed_items_2]):
            if self._breaks_rule_5(one_item):
                return self._take_back(RULES[4])
        for one_item in _distinct(
            [*changed_items_2, *[user for one in changed_items_2 for user in _below(self._items_by_within, one)]]
        ):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_disposal in _distinct(changed_disposals_3):
            if self._breaks_rule_9(one_disposal):
                return self._take_back(RULES[8])
        for one_disposal in _distinct(changed_disposals_3):
            if self._breaks_rule_10(one_disposal):
                return self._take_back(RULES[9])
        for one_disposal in _distinct([*changed_disposals, *changed_disposals_3]):
            if self._breaks_rule_11_d(one_disposal):
                return self._take_back(RULES[10])
        for one_disposal in _distinct([*changed_disposals, *changed_disposals_2, *changed_disposals_3]):
            if self._breaks_rule_11_d_again(one_disposal):
                return self._take_back(RULES[10])
        for one_item in _distinct(
            [
                *[self.items[one["item_id"]] for one in changed_disposals_2],
                *changed_items_3,
                *[self.items[one["item_id"]] for one in added_custodies],
            ]
        ):
            if self._breaks_rule_12(one_item):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: sign the disposal of {self.items[disposal['item_id']]['tag']} as {by['name']}.",
            "data": self._changes(),
        }

    def _show_officer(self, officer: Officer) -> dict[str, Any]:
        """The officer as an answer shows it."""
        return {**officer, "holds": self._officer_holds(officer)}

    def _show_locker(self, locker: Locker) -> dict[str, Any]:
        """The locker as an answer shows it."""
        return {**locker, "takes": [*locker["takes"]], "free": self._locker_free(locker)}

    def _names_of_matters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that matters point to."""
        return _names((self.officers, "name", [row["lead_id"] for row in shown]))

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.matters, "title", [row["matter_id"] for row in shown]),
            (self.lockers, "label", [row["locker_id"] for row in shown]),
            (self.officers, "name", [row["holder_id"] for row in shown]),
            (self.items, "tag", [row["within_id"] for row in shown]),
        )

    def _names_of_custodies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that custodies point to."""
        return _names(
            (self.items, "tag", [row["item_id"] for row in shown]),
            (self.officers, "name", [row["by_id"] for row in shown]),
        )

    def _names_of_disposals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that disposals point to."""
        return _names(
            (self.items, "tag", [row["item_id"] for row in shown]),
            (self.officers, "name", [row["first_by_id"] for row in shown]),
            (self.officers, "name", [row["second_by_id"] for row in shown]),
        )

    def _officer_holds(self, officer: Officer) -> int:
        """The holds of an officer."""
        return len(self._items_by_holder.get(officer["id"], {}))

    def _locker_free(self, locker: Locker) -> int:
        """The free of a locker."""
        return locker["slots"] - sum(i["size"] for i in self._items_by_locker.get(locker["id"], {}).values())

    def _used_seal(self, number: str) -> bool:
        return (
            any(c["seal"] is not None for c in self._custodies_by_seal.get(number, {}).values())
            or any(i["seal"] is not None for i in self._items_by_seal.get(number, {}).values())
        )

    def _all_of(self, i: Item) -> list[Item]:
        return [i] + _below(self._items_by_within, i)

    def _takes_all(self, l: Locker, i: Item) -> bool:
        return all(o["kind"] in l["takes"] for o in self._all_of(i))

    def _dangerous(self, i: Item) -> bool:
        return any(o["kind"] in ("drugs", "weapon") for o in self._all_of(i))

    def _fits(self, i: Item, l: Locker) -> bool:
        return self._takes_all(l, i) and self._locker_free(l) >= i["size"]

    def _top(self, i: Item) -> Item | None:
        return next((o for o in [i] + _above(self.items, i, "within_id") if o["within_id"] is None), None)

    def _out(self, i: Item) -> bool:
        return i["holder_id"] is not None

    def _pending(self, i: Item) -> Disposal | None:
        return next(
            (d for d in sorted(self._disposals_by_item_status.get((i["id"], "proposed"), {}).values(), key=_age)),
            None,
        )

    def _breaks_rule_1(self, i: Item) -> bool:
        """Whether this is broken: an exhibit is in a locker, with somebody or inside another one, or it was disposed
        of, and never two of these.
        """
        return (
            (1 if i["locker_id"] is not None else 0)
            + (1 if i["holder_id"] is not None else 0)
            + (1 if i["within_id"] is not None else 0)
            + (1 if i["disposed_on"] is not None else 0) != 1
        )

    def _breaks_rule_2(self, l: Locker) -> bool:
        """Whether this is broken: a locker is never fuller than it can be."""
        return self._locker_free(l) < 0

    def _breaks_rule_3(self, i: Item) -> bool:
        """Whether this is broken: a locker holds only the kinds that it takes, also inside of packages."""
        return not (i["locker_id"] is None or self._takes_all(self.lockers[i["locker_id"]], i))

    def _breaks_rule_4(self, i: Item) -> bool:
        """Whether this is broken: an exhibit is no larger than what it is packed in."""
        return i["within_id"] is not None and i["size"] > self.items[i["within_id"]]["size"]

    def _breaks_rule_5(self, i: Item) -> bool:
        """Whether this is broken: what lies in a locker or in a package is sealed."""
        return (i["locker_id"] is not None or i["within_id"] is not None) and i["seal"] is None

    def _breaks_rule_6(self, i: Item) -> bool:
        """Whether this is broken: what is packed into an exhibit belongs to the same matter, and no package lies
        within itself.
        """
        return not (
            i["within_id"] is None
            or self.items[i["within_id"]]["matter_id"] == i["matter_id"]
            and i not in _above(self.items, i, "within_id")
        )

    def _breaks_rule_7_i(self, i: Item) -> bool:
        """Whether this is broken: who has an exhibit out has it for a purpose and until a day, and nobody has more
        than four.
        """
        return (
            (i["holder_id"] is not None) != (i["purpose"] is not None)
            or (i["holder_id"] is not None) != (i["due_back"] is not None)
        )

    def _breaks_rule_7_o(self, o: Officer) -> bool:
        """Whether this is broken: who has an exhibit out has it for a purpose and until a day, and nobody has more
        than four.
        """
        return self._officer_holds(o) > 4

    def _breaks_rule_8_m(self, m: Matter) -> bool:
        """Whether this is broken: a closed matter has a day until which its exhibits are kept, and none of them is
        out.
        """
        return (m["status"] == "closed") != (m["keep_until"] is not None)

    def _breaks_rule_8_i(self, i: Item) -> bool:
        """Whether this is broken: a closed matter has a day until which its exhibits are kept, and none of them is
        out.
        """
        return i["holder_id"] is not None and self.matters[i["matter_id"]]["status"] == "closed"

    def _breaks_rule_9(self, d: Disposal) -> bool:
        """Whether this is broken: exhibits of an open matter are not up for disposal."""
        return d["status"] == "proposed" and self.matters[self.items[d["item_id"]]["matter_id"]]["status"] != "closed"

    def _breaks_rule_10(self, d: Disposal) -> bool:
        """Whether this is broken: an exhibit has one disposal under way."""
        return (
            d["status"] == "proposed"
            and any(
                other_d is not d
                for other_d in self._disposals_by_item_status.get((d["item_id"], "proposed"), {}).values()
            )
        )

    def _breaks_rule_11_d(self, d: Disposal) -> bool:
        """Whether this is broken: two people sign a disposal, a prosecutor first and then a custodian, and neither
        leads the matter.
        """
        return (
            d["status"] != "dropped"
            and not (
                d["first_by_id"] is None
                or self.officers[d["first_by_id"]]["post"] == "prosecutor"
                and d["first_by_id"] != self.matters[self.items[d["item_id"]]["matter_id"]]["lead_id"]
            )
        )

    def _breaks_rule_11_d_again(self, d: Disposal) -> bool:
        """Whether this is broken: two people sign a disposal, a prosecutor first and then a custodian, and neither
        leads the matter.
        """
        return (
            d["status"] != "dropped"
            and not (
                d["second_by_id"] is None
                or d["first_by_id"] is not None
                and self.officers[d["second_by_id"]]["post"] == "custodian"
                and d["second_by_id"] != self.matters[self.items[d["item_id"]]["matter_id"]]["lead_id"]
            )
        )

    def _breaks_rule_12(self, i: Item) -> bool:
        """Whether this is broken: what was disposed of had both signatures, or lay inside something that had."""
        return (
            i["disposed_on"] is not None
            and not (
                any(d["second_by_id"] is not None for d in self._disposals_by_item.get(i["id"], {}).values())
                or any(c["step"] == "disposed" for c in self._custodies_by_item.get(i["id"], {}).values())
            )
        )

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
            case "items":
                self._items_by_holder.setdefault(record["holder_id"], {})[record["id"]] = record
                self._items_by_locker.setdefault(record["locker_id"], {})[record["id"]] = record
                self._items_by_lower_tag.setdefault(record["tag"].lower(), {})[record["id"]] = record
                self._items_by_matter.setdefault(record["matter_id"], {})[record["id"]] = record
                self._items_by_seal.setdefault(record["seal"], {})[record["id"]] = record
                self._items_by_tag.setdefault(record["tag"], {})[record["id"]] = record
                self._items_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "custodies":
                self._custodies_by_item.setdefault(record["item_id"], {})[record["id"]] = record
                self._custodies_by_seal.setdefault(record["seal"], {})[record["id"]] = record
            case "disposals":
                self._disposals_by_item.setdefault(record["item_id"], {})[record["id"]] = record
                self._disposals_by_item_status.setdefault(
                    (record["item_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "items":
                del self._items_by_holder[record["holder_id"]][record["id"]]
                del self._items_by_locker[record["locker_id"]][record["id"]]
                del self._items_by_lower_tag[record["tag"].lower()][record["id"]]
                del self._items_by_matter[record["matter_id"]][record["id"]]
                del self._items_by_seal[record["seal"]][record["id"]]
                del self._items_by_tag[record["tag"]][record["id"]]
                del self._items_by_within[record["within_id"]][record["id"]]
            case "custodies":
                del self._custodies_by_item[record["item_id"]][record["id"]]
                del self._custodies_by_seal[record["seal"]][record["id"]]
            case "disposals":
                del self._disposals_by_item[record["item_id"]][record["id"]]
                del self._disposals_by_item_status[record["item_id"], record["status"]][record["id"]]
