"""Water sports rental. Compiled from blueprint.yaml; run `envscaler build water_sports_rental` after changing it there.

Sends boats and boards out from several beaches by the half hour, with flags, licences, life jackets by size,
deposits, defects and a queue for each kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A craft has one outing at a time, and only while it is out.",
    "Nobody takes more people than there are seats.",
    "No more life jackets of a size are out than a beach has.",
    "A skipper is out once at a time and waits for nothing meanwhile.",
    "Whoever skippers a boat had the licence it asks for.",
    "Nothing goes out under a red flag, and only what can bear it under a yellow one.",
    "A craft with a serious defect is in the workshop.",
    "A craft that is due for service does not stand ready.",
    "A customer waits for one thing at a time.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "send_out",
    "take_back",
    "prolong_outing",
    "join_queue",
    "leave_queue",
    "change_flag",
    "report_defect",
    "repair_defect",
    "release_craft",
    "move_jackets",
    "enter_licence",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "beaches": ("name",),
    "kinds": ("name",),
    "crafts": ("code",),
    "customers": ("name",),
    "jacketses": (),
    "outings": (),
    "defects": (),
    "waitings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("crafts", "beach_id"),
    ("crafts", "kind_id"),
    ("crafts", "place"),
    ("defects", "craft_id"),
    ("jacketses", "beach_id"),
    ("jacketses", "size"),
    ("outings", "beach_id"),
    ("outings", "craft_id"),
    ("outings", "skipper_id"),
    ("waitings", "beach_id"),
    ("waitings", "customer_id"),
    ("waitings", "kind_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Beach(TypedDict):
    id: str
    name: str
    flag: Literal["green", "yellow", "red"]


class Kind(TypedDict):
    id: str
    name: str
    seats: int
    licence: Literal["none_needed", "sail", "motor"]
    half_hour: int
    deposit: int
    goes_at_yellow: bool


class Craft(TypedDict):
    id: str
    code: str
    kind_id: str
    beach_id: str
    half_hours: int
    service_at: int
    place: Literal["ready", "out", "workshop"]


class Customer(TypedDict):
    id: str
    name: str
    born: str
    licence: Literal["sail", "motor"] | None
    licence_until: str | None


class Jackets(TypedDict):
    id: str
    beach_id: str
    size: Literal["child", "small", "medium", "large"]
    number: int


class Outing(TypedDict):
    id: str
    craft_id: str
    skipper_id: str
    beach_id: str
    flag_then: Literal["green", "yellow", "red"]
    out_at: str
    due_at: str
    child: int
    small: int
    medium: int
    large: int
    deposit: int
    charge: int | None


class Defect(TypedDict):
    id: str
    craft_id: str
    what: str
    serious: bool
    found_on: str
    fixed_on: str | None


class Waiting(TypedDict):
    id: str
    customer_id: str
    kind_id: str
    beach_id: str
    since: str


class SendOutJacket(TypedDict):
    size: Literal["child", "small", "medium", "large"]
    number: Annotated[int, {"minimum": 1, "maximum": 10}]


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


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


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class WaterSportsRental:
    """Sends boats and boards out from several beaches by the half hour, with flags, licences, life jackets
    by size, deposits, defects and a queue for each kind.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.beaches: dict[str, Beach] = _copied(config.get("beaches", {}))
        self.kinds: dict[str, Kind] = _copied(config.get("kinds", {}))
        self.crafts: dict[str, Craft] = _copied(config.get("crafts", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.jacketses: dict[str, Jackets] = _copied(config.get("jacketses", {}))
        self.outings: dict[str, Outing] = _copied(config.get("outings", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.waitings: dict[str, Waiting] = _copied(config.get("waitings", {}))
        self.now: str = config.get("now", "2026-08-08T14:10")
        self.counters: dict[str, int] = {
            "beach": len(self.beaches),
            "kind": len(self.kinds),
            "craft": len(self.crafts),
            "customer": len(self.customers),
            "jackets": len(self.jacketses),
            "outing": len(self.outings),
            "defect": len(self.defects),
            "waiting": len(self.waitings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._crafts_by_beach: dict[Any, dict[str, Craft]] = {}
        self._crafts_by_kind_beach: dict[Any, dict[str, Craft]] = {}
        self._crafts_by_kind_beach_place: dict[Any, dict[str, Craft]] = {}
        self._jacketses_by_beach: dict[Any, dict[str, Jackets]] = {}
        self._jacketses_by_beach_size: dict[Any, dict[str, Jackets]] = {}
        self._outings_by_beach: dict[Any, dict[str, Outing]] = {}
        self._outings_by_craft: dict[Any, dict[str, Outing]] = {}
        self._outings_by_skipper: dict[Any, dict[str, Outing]] = {}
        self._defects_by_craft: dict[Any, dict[str, Defect]] = {}
        self._waitings_by_customer: dict[Any, dict[str, Waiting]] = {}
        self._waitings_by_kind_beach: dict[Any, dict[str, Waiting]] = {}
        for craft in self.crafts.values():
            self._link("crafts", craft)
        for jackets in self.jacketses.values():
            self._link("jacketses", jackets)
        for outing in self.outings.values():
            self._link("outings", outing)
        for defect in self.defects.values():
            self._link("defects", defect)
        for waiting in self.waitings.values():
            self._link("waitings", waiting)

    def ready_craft(
        self,
        beach_id: str,
        kind_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Craft that stand ready at a beach and may go out under its flag, with how many wait for them.

        Args:
            beach_id (str): Id of the beach, such as BEACH-00001.
            kind_id (str, optional): Kind of craft listed; an id such as KIND-00001. If left out, craft of all
                kinds are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crafts": records}} or {"success": False, "error": why
                not}
        """
        beach = self.beaches.get(beach_id)
        if beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        kind = self.kinds.get(kind_id) if kind_id is not None else None
        if kind_id is not None and kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        found = [
            c
            for c in self._crafts_by_beach.get(beach_id, {}).values()
            if (
                c["beach_id"] == beach_id
                and c["place"] == "ready"
                and self._allowed(self.kinds[c["kind_id"]], beach["flag"])
            )
            and (kind_id is None or c["kind_id"] == kind_id)
        ]
        found.sort(key=lambda c: (c["half_hours"], c["code"], _age(c)))
        return _found(
            {
                "total": len(found),
                "crafts": [
                    {
                        "id": c["id"],
                        "code": c["code"],
                        "kind": self.kinds[c["kind_id"]]["name"],
                        "half_hours": c["half_hours"],
                        "until_service": c["service_at"] - c["half_hours"],
                        "waiting": len(self._queue(self.kinds[c["kind_id"]], beach)),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def on_the_water(
        self,
        beach_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Outings under way, the one that is due first on top.

        Args:
            beach_id (str, optional): Beach from which the outings began; an id such as BEACH-00001. If left out,
                the outings of all beaches are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "outings": records}} or {"success": False, "error": why
                not}
        """
        beach = self.beaches.get(beach_id) if beach_id is not None else None
        if beach_id is not None and beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        found = [
            o
            for o in self.outings.values()
            if o["charge"] is None
            and (beach_id is None or o["beach_id"] == beach_id)
        ]
        found.sort(key=lambda o: (o["due_at"], self.crafts[o["craft_id"]]["code"], _age(o)))
        return _found(
            {
                "total": len(found),
                "outings": [
                    {
                        "id": o["id"],
                        "craft": self.crafts[o["craft_id"]]["code"],
                        "skipper": self.customers[o["skipper_id"]]["name"],
                        "people": self._outing_people(o),
                        "out_at": o["out_at"],
                        "due_at": o["due_at"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def jackets_left(self, beach_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """How many life jackets of each size a beach has left.

        Args:
            beach_id (str): Id of the beach, such as BEACH-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jacketses": records}} or {"success": False, "error":
                why not}
        """
        beach = self.beaches.get(beach_id)
        if beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        found = [j for j in self._jacketses_by_beach.get(beach_id, {}).values()]
        found.sort(key=lambda j: (j["size"], _age(j)))
        return _found(
            {
                "total": len(found),
                "jacketses": [
                    {"id": j["id"], "size": j["size"], "number": j["number"], "left": self._left(j)}
                    for j in _page(found, offset)
                ],
            }
        )

    def list_beaches(
        self,
        name: Text | None = None,
        flag: Literal["green", "yellow", "red"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the beaches, oldest first, all of them or only some.

        Args:
            name (str, optional): Only beaches whose name contains this text.
            flag (str, optional): Only beaches with this flag.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "beaches": records}}
        """
        found = [
            beach
            for beach in self.beaches.values()
            if (name is None or name.casefold() in beach["name"].casefold())
            and (flag is None or beach["flag"] == flag)
        ]
        return _found({"total": len(found), "beaches": [{**beach} for beach in _page(found, offset)]})

    def list_kinds(
        self,
        name: Text | None = None,
        licence: Literal["none_needed", "sail", "motor"] | None = None,
        goes_at_yellow: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kinds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only kinds whose name contains this text.
            licence (str, optional): Only kinds with this licence.
            goes_at_yellow (bool, optional): Only kinds with this value of `goes_at_yellow`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kinds": records}}
        """
        found = [
            kind
            for kind in self.kinds.values()
            if (name is None or name.casefold() in kind["name"].casefold())
            and (licence is None or kind["licence"] == licence)
            and (goes_at_yellow is None or kind["goes_at_yellow"] == goes_at_yellow)
        ]
        return _found({"total": len(found), "kinds": [{**kind} for kind in _page(found, offset)]})

    def list_crafts(
        self,
        code: Text | None = None,
        kind_id: str | None = None,
        beach_id: str | None = None,
        place: Literal["ready", "out", "workshop"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crafts, oldest first, all of them or only some.

        Args:
            code (str, optional): Only crafts whose code contains this text.
            kind_id (str, optional): Only crafts of this kind.
            beach_id (str, optional): Only crafts of this beach.
            place (str, optional): Only crafts with this place.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crafts": records}}
        """
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        if beach_id is not None and beach_id not in self.beaches:
            return _refused(f"There is no beach {beach_id!r}.")
        found = [
            craft
            for craft in self.crafts.values()
            if (code is None or code.casefold() in craft["code"].casefold())
            and (kind_id is None or craft["kind_id"] == kind_id)
            and (beach_id is None or craft["beach_id"] == beach_id)
            and (place is None or craft["place"] == place)
        ]
        shown = [{**craft} for craft in _page(found, offset)]
        return _found({"total": len(found), "crafts": shown}, self._names_of_crafts(shown))

    def list_customers(
        self,
        name: Text | None = None,
        licence: Literal["sail", "motor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            licence (str, optional): Only customers with this licence.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (licence is None or customer["licence"] == licence)
        ]
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_jacketses(
        self,
        beach_id: str | None = None,
        size: Literal["child", "small", "medium", "large"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jacketses, oldest first, all of them or only some.

        Args:
            beach_id (str, optional): Only jacketses of this beach.
            size (str, optional): Only jacketses with this size.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jacketses": records}}
        """
        if beach_id is not None and beach_id not in self.beaches:
            return _refused(f"There is no beach {beach_id!r}.")
        found = [
            jackets
            for jackets in self.jacketses.values()
            if (beach_id is None or jackets["beach_id"] == beach_id)
            and (size is None or jackets["size"] == size)
        ]
        shown = [{**jackets} for jackets in _page(found, offset)]
        return _found({"total": len(found), "jacketses": shown}, self._names_of_jacketses(shown))

    def list_outings(
        self,
        craft_id: str | None = None,
        skipper_id: str | None = None,
        beach_id: str | None = None,
        flag_then: Literal["green", "yellow", "red"] | None = None,
        out_at_from: Date | None = None,
        out_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the outings, oldest first, all of them or only some.

        Args:
            craft_id (str, optional): Only outings of this craft.
            skipper_id (str, optional): Only outings whose skipper is this customer.
            beach_id (str, optional): Only outings of this beach.
            flag_then (str, optional): Only outings with this flag then.
            out_at_from (str, optional): Only outings whose `out_at` is on this day or later.
            out_at_to (str, optional): Only outings whose `out_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "outings": records}}
        """
        if craft_id is not None and craft_id not in self.crafts:
            return _refused(f"There is no craft {craft_id!r}.")
        if skipper_id is not None and skipper_id not in self.customers:
            return _refused(f"There is no customer {skipper_id!r}.")
        if beach_id is not None and beach_id not in self.beaches:
            return _refused(f"There is no beach {beach_id!r}.")
        found = [
            outing
            for outing in self.outings.values()
            if (craft_id is None or outing["craft_id"] == craft_id)
            and (skipper_id is None or outing["skipper_id"] == skipper_id)
            and (beach_id is None or outing["beach_id"] == beach_id)
            and (flag_then is None or outing["flag_then"] == flag_then)
            and (out_at_from is None or outing["out_at"][:10] >= out_at_from)
            and (out_at_to is None or outing["out_at"][:10] <= out_at_to)
        ]
        shown = [self._show_outing(outing) for outing in _page(found, offset)]
        return _found({"total": len(found), "outings": shown}, self._names_of_outings(shown))

    def list_defects(
        self,
        craft_id: str | None = None,
        serious: bool | None = None,
        found_on_from: Date | None = None,
        found_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            craft_id (str, optional): Only defects of this craft.
            serious (bool, optional): Only defects that are serious (true) or not (false).
            found_on_from (str, optional): Only defects whose `found_on` is on this day or later.
            found_on_to (str, optional): Only defects whose `found_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if craft_id is not None and craft_id not in self.crafts:
            return _refused(f"There is no craft {craft_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (craft_id is None or defect["craft_id"] == craft_id)
            and (serious is None or defect["serious"] == serious)
            and (found_on_from is None or defect["found_on"] >= found_on_from)
            and (found_on_to is None or defect["found_on"] <= found_on_to)
        ]
        shown = [{**defect} for defect in _page(found, offset)]
        return _found({"total": len(found), "defects": shown}, self._names_of_defects(shown))

    def list_waitings(
        self,
        customer_id: str | None = None,
        kind_id: str | None = None,
        beach_id: str | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the waitings, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only waitings of this customer.
            kind_id (str, optional): Only waitings of this kind.
            beach_id (str, optional): Only waitings of this beach.
            since_from (str, optional): Only waitings whose `since` is on this day or later.
            since_to (str, optional): Only waitings whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "waitings": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        if beach_id is not None and beach_id not in self.beaches:
            return _refused(f"There is no beach {beach_id!r}.")
        found = [
            waiting
            for waiting in self.waitings.values()
            if (customer_id is None or waiting["customer_id"] == customer_id)
            and (kind_id is None or waiting["kind_id"] == kind_id)
            and (beach_id is None or waiting["beach_id"] == beach_id)
            and (since_from is None or waiting["since"][:10] >= since_from)
            and (since_to is None or waiting["since"][:10] <= since_to)
        ]
        shown = [{**waiting} for waiting in _page(found, offset)]
        return _found({"total": len(found), "waitings": shown}, self._names_of_waitings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def send_out(
        self,
        craft_id: str,
        skipper_id: str,
        half_hours: Annotated[int, {"minimum": 1, "maximum": 16}],
        jackets: Annotated[list[SendOutJacket], {"maxItems": 20}],
    ) -> Result:
        """Send a craft out with its skipper, a life jacket for everybody aboard and the deposit paid; those who wait
        for the kind come first.

        Args:
            craft_id (str): Id of the craft, such as CRAFT-00001.
            skipper_id (str): Customer in charge aboard, 14 or older and with the licence needed; an id such as
                CUSTOMER-00001.
            half_hours (int): Length of the outing in half hours, over by eight in the evening, from 1 to 16.
            jackets (list): One entry for each size of life jacket, a jacket for everybody aboard: size: size of
                these life jackets: child, small, medium or large; number: people aboard who wear this size, from 1
                to 10.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        craft = self.crafts.get(craft_id)
        if craft is None:
            return _refused(f"There is no craft {craft_id!r}.")
        skipper = self.customers.get(skipper_id)
        if skipper is None:
            return _refused(f"There is no customer {skipper_id!r}.")
        if craft["place"] != "ready":
            return _refused(f"{craft['code']} is {craft['place']}.")
        kind = self.kinds[craft["kind_id"]]
        beach = self.beaches[craft["beach_id"]]
        if not self._allowed(kind, beach["flag"]):
            return _refused(f"The flag at {beach['name']} is {beach['flag']}, and no {kind['name']} goes out.")
        if not self._by_dusk(_plus_minutes(self.now, 30 * half_hours), self.now[:10]):
            return _refused(f"Everything is back by 20:00, and {half_hours} half hours from now is later.")
        if _years(skipper["born"], self.now[:10]) < 14:
            return _refused(f"{skipper['name']} is younger than 14.")
        if not self._licensed(skipper, kind, self.now[:10]):
            return _refused(f"{skipper['name']} has no valid licence for a {kind['name']}.")
        if any(o["charge"] is None for o in self._outings_by_skipper.get(skipper_id, {}).values()):
            return _refused(f"{skipper['name']} is out already.")
        if not (len(jackets) > 0 and _different([j["size"] for j in jackets])):
            return _refused("Name at least one size, and each once.")
        aboard = sum(j["number"] for j in jackets)
        if aboard > kind["seats"]:
            return _refused(f"A {kind['name']} takes {kind['seats']}, not {aboard}.")
        short = next((j for j in jackets if self._jackets_at(beach, j["size"]) < j["number"]), None)
        if short is not None:
            return _refused(
                f"{beach['name']} has {self._jackets_at(beach, short['size'])} jackets in size {short['size']} left."
            )
        if self._place_in_queue(skipper, kind, beach) >= self._free_ones(kind, beach):
            return _refused(
                f"{len(self._queue(kind, beach))} are waiting at {beach['name']} for a {kind['name']}, and those "
                "who came earlier go first."
            )
        if any(
            w["kind_id"] != kind["id"]
            or w["beach_id"] != beach["id"]
            for w in self._waitings_by_customer.get(skipper_id, {}).values()
        ):
            return _refused(f"{skipper['name']} waits for something else and has to leave that queue first.")
        self._journal = []
        deleted_waitings: list[Any] = []
        child = sum(j["number"] for j in jackets if j["size"] == "child")
        if not 0 <= child <= 10:
            return self._take_back("The child of an outing must be between 0 and 10.")
        small = sum(j["number"] for j in jackets if j["size"] == "small")
        if not 0 <= small <= 10:
            return self._take_back("The small of an outing must be between 0 and 10.")
        medium = sum(j["number"] for j in jackets if j["size"] == "medium")
        if not 0 <= medium <= 10:
            return self._take_back("The medium of an outing must be between 0 and 10.")
        large = sum(j["number"] for j in jackets if j["size"] == "large")
        if not 0 <= large <= 10:
            return self._take_back("The large of an outing must be between 0 and 10.")
        outing: Outing = {
            "id": self._new_id("outing", "OUTING", self.outings),
            "craft_id": craft_id,
            "skipper_id": skipper_id,
            "beach_id": beach["id"],
            "flag_then": beach["flag"],
            "out_at": self.now,
            "due_at": _plus_minutes(self.now, 30 * half_hours),
            "child": child,
            "small": small,
            "medium": medium,
            "large": large,
            "deposit": kind["deposit"],
            "charge": None,
        }
        self._add("outings", outing)
        for w in sorted(self._waitings_by_customer.get(skipper_id, {}).values(), key=_age):
            if w["id"] in self.waitings:
                self._remove("waitings", w)
            deleted_waitings.append(w)
        self._put("crafts", craft, "place", "out")
        if self._breaks_rule_1_o(outing):
            return self._take_back(RULES[0])
        for one_outing in _distinct([outing, *self._outings_by_craft.get(craft["id"], {}).values()]):
            if self._breaks_rule_1_o_again(one_outing):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(outing):
            return self._take_back(RULES[1])
        for one_jackets in _distinct(self._jacketses_by_beach.get(outing["beach_id"], {}).values()):
            if self._breaks_rule_3(one_jackets):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_o(outing):
            return self._take_back(RULES[3])
        for one_waiting in _distinct(self._waitings_by_customer.get(outing["skipper_id"], {}).values()):
            if one_waiting["id"] in self.waitings and self._breaks_rule_4_w(one_waiting):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(outing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(outing):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(craft):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(craft):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: send {craft['code']} out with {skipper['name']} (new: outing {outing['id']}).",
            "data": {"outing_id": outing["id"], **self._changes()},
        }

    def take_back(
        self,
        outing_id: str,
        beach_id: str | None = None,
        kept: Annotated[int, {"minimum": 0, "maximum": 60000}] = 0,
    ) -> Result:
        """Take a craft back; every half hour begun is paid, what is late counts twice, and the deposit goes back but
        for what is kept for damage.

        Args:
            outing_id (str): Id of the outing, such as OUTING-00001.
            beach_id (str, optional): Beach where the craft came back; an id such as BEACH-00001. If left out, the
                craft stays at the beach it left from.
            kept (int): Part of the deposit kept for damage, in cents, from 0 to 60000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        outing = self.outings.get(outing_id)
        if outing is None:
            return _refused(f"There is no outing {outing_id!r}.")
        beach = self.beaches.get(beach_id) if beach_id is not None else None
        if beach_id is not None and beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        if outing["charge"] is not None:
            return _refused(f"{self.crafts[outing['craft_id']]['code']} is back already.")
        if kept > outing["deposit"]:
            return _refused(
                f"The deposit was {_money(outing['deposit'])}, and no more than that can be kept for damage."
            )
        if outing["out_at"] >= self.now:
            return _refused(f"{self.crafts[outing['craft_id']]['code']} leaves only at {outing['out_at']}.")
        craft = self.crafts[outing["craft_id"]]
        used = ceil(Fraction(_minutes_between(outing["out_at"], self.now), 30))
        late = ceil(Fraction(max(0, _minutes_between(outing["due_at"], self.now)), 30))
        if craft["half_hours"] + used > 5000:
            return _refused(f"{craft['code']} is worn out.")
        self._journal = []
        changed_crafts: list[Any] = []
        charge = self.kinds[craft["kind_id"]]["half_hour"] * min(used + late, 32)
        if not 0 <= charge <= 300000:
            return self._take_back(f"The charge of {outing['id']} must be between 0.00 and 3,000.00.")
        self._put("outings", outing, "charge", charge)
        self._put("outings", outing, "deposit", kept)
        half_hours = craft["half_hours"] + used
        if not 0 <= half_hours <= 5000:
            return self._take_back(f"The half hours of {craft['code']} must be between 0 and 5000.")
        self._put("crafts", craft, "half_hours", half_hours)
        self._put("crafts", craft, "beach_id", (beach or self.beaches[craft["beach_id"]])["id"])
        if craft["half_hours"] >= craft["service_at"]:
            changed_crafts.append(craft)
            self._put("crafts", craft, "place", "workshop")
        else:
            changed_crafts.append(craft)
            self._put("crafts", craft, "place", "ready")
        if self._breaks_rule_1_o(outing):
            return self._take_back(RULES[0])
        for one_outing in _distinct(
            [outing, *[user for one in changed_crafts for user in self._outings_by_craft.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_1_o_again(one_outing):
                return self._take_back(RULES[0])
        for one_jackets in _distinct(self._jacketses_by_beach.get(outing["beach_id"], {}).values()):
            if self._breaks_rule_3(one_jackets):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_o(outing):
            return self._take_back(RULES[3])
        for one_waiting in _distinct(self._waitings_by_customer.get(outing["skipper_id"], {}).values()):
            if self._breaks_rule_4_w(one_waiting):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(outing):
            return self._take_back(RULES[4])
        for one_craft in _distinct(changed_crafts):
            if self._breaks_rule_7(one_craft):
                return self._take_back(RULES[6])
        for one_craft in _distinct([craft, *changed_crafts]):
            if self._breaks_rule_8(one_craft):
                return self._take_back(RULES[7])
        done = f"take {self.crafts[outing['craft_id']]['code']} back"
        if beach is not None:
            done += f" at {beach['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def prolong_outing(self, outing_id: str, half_hours: Annotated[int, {"minimum": 1, "maximum": 8}]) -> Result:
        """Let an outing last longer, unless somebody waits for that kind at its beach.

        Args:
            outing_id (str): Id of the outing, such as OUTING-00001.
            half_hours (int): How much longer the outing lasts in half hours, over by eight in the evening, from 1
                to 8.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        outing = self.outings.get(outing_id)
        if outing is None:
            return _refused(f"There is no outing {outing_id!r}.")
        if outing["charge"] is not None:
            return _refused(f"{self.crafts[outing['craft_id']]['code']} is back already.")
        if not self._allowed(
            self.kinds[self.crafts[outing["craft_id"]]["kind_id"]],
            self.beaches[outing["beach_id"]]["flag"],
        ):
            return _refused(
                f"The flag at {self.beaches[outing['beach_id']]['name']} is "
                f"{self.beaches[outing['beach_id']]['flag']}, and {self.crafts[outing['craft_id']]['code']} has "
                "to come back."
            )
        if not self._by_dusk(_plus_minutes(outing["due_at"], 30 * half_hours), outing["due_at"][:10]):
            return _refused(f"Everything is back by 20:00, and it is due at {outing['due_at']} now.")
        if len(
            self._queue(self.kinds[self.crafts[outing["craft_id"]]["kind_id"]], self.beaches[outing["beach_id"]])
        ) != 0:
            return _refused(
                f"Somebody waits for a {self.kinds[self.crafts[outing['craft_id']]['kind_id']]['name']} at "
                f"{self.beaches[outing['beach_id']]['name']}."
            )
        if _minutes_between(outing["out_at"], outing["due_at"]) + half_hours * 30 > 600:
            return _refused("Ten hours are the limit.")
        self._journal = []
        self._put("outings", outing, "due_at", _plus_minutes(outing["due_at"], half_hours * 30))
        return {
            "success": True,
            "message": (
                f"Done: prolong the outing of {self.customers[outing['skipper_id']]['name']} by {half_hours} half "
                "hours."
            ),
            "data": self._changes(),
        }

    def join_queue(self, customer_id: str, kind_id: str, beach_id: str) -> Result:
        """Put a customer into the queue for a kind of craft at a beach.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            kind_id (str): Id of the kind, such as KIND-00001.
            beach_id (str): Id of the beach, such as BEACH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        kind = self.kinds.get(kind_id)
        if kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        beach = self.beaches.get(beach_id)
        if beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        if self._waitings_by_customer.get(customer_id, {}):
            return _refused(f"{customer['name']} waits for something already.")
        if any(o["charge"] is None for o in self._outings_by_skipper.get(customer_id, {}).values()):
            return _refused(f"{customer['name']} is out on the water.")
        if not self._licensed(customer, kind, self.now[:10]):
            return _refused(f"{customer['name']} has no valid licence for a {kind['name']}.")
        if not self._crafts_by_kind_beach.get((kind_id, beach_id), {}):
            return _refused(f"There is no {kind['name']} at {beach['name']}.")
        self._journal = []
        waiting: Waiting = {
            "id": self._new_id("waiting", "WAITING", self.waitings),
            "customer_id": customer_id,
            "kind_id": kind_id,
            "beach_id": beach_id,
            "since": self.now,
        }
        self._add("waitings", waiting)
        if self._breaks_rule_4_w(waiting):
            return self._take_back(RULES[3])
        if self._breaks_rule_9(waiting):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: let {customer['name']} wait for a {kind['name']} at {beach['name']} (new: waiting "
                f"{waiting['id']})."
            ),
            "data": {"waiting_id": waiting["id"], **self._changes()},
        }

    def leave_queue(self, waiting_id: str) -> Result:
        """Take a customer out of a queue.

        Args:
            waiting_id (str): Id of the waiting, such as WAITING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        waiting = self.waitings.get(waiting_id)
        if waiting is None:
            return _refused(f"There is no waiting {waiting_id!r}.")
        self._journal = []
        self._remove("waitings", waiting)
        return {
            "success": True,
            "message": f"Done: take {self.customers[waiting['customer_id']]['name']} out of the queue.",
            "data": self._changes(),
        }

    def change_flag(self, beach_id: str, flag: Literal["green", "yellow", "red"]) -> Result:
        """Change the flag of a beach; what may not be out under it is due back in half an hour.

        Args:
            beach_id (str): Id of the beach, such as BEACH-00001.
            flag (str): Flag that is shown from now on (red lets no craft out, yellow only some kinds): green,
                yellow or red.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        beach = self.beaches.get(beach_id)
        if beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        if beach["flag"] == flag:
            return _refused(f"The flag at {beach['name']} is {flag} already.")
        self._journal = []
        self._put("beaches", beach, "flag", flag)
        for o in [
            o
            for o in sorted(self._outings_by_beach.get(beach_id, {}).values(), key=_age)
            if o["charge"] is None
            and o["out_at"] <= self.now
            and not self._allowed(self.kinds[self.crafts[o["craft_id"]]["kind_id"]], flag)
            and o["due_at"] > _plus_minutes(self.now, 30)
        ]:
            self._put("outings", o, "due_at", _plus_minutes(self.now, 30))
        return {
            "success": True,
            "message": f"Done: change the flag of {beach['name']} to {flag}.",
            "data": self._changes(),
        }

    def report_defect(self, craft_id: str, what: Text, serious: bool) -> Result:
        """Report a defect; a serious one sends the craft to the workshop, where it must not be out.

        Args:
            craft_id (str): Id of the craft, such as CRAFT-00001.
            what (str): Short description of the defect.
            serious (bool): Whether the craft must not go out before the defect is mended.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        craft = self.crafts.get(craft_id)
        if craft is None:
            return _refused(f"There is no craft {craft_id!r}.")
        if craft["place"] == "out" and serious:
            return _refused(f"{craft['code']} is out; take it back first.")
        self._journal = []
        changed_crafts: list[Any] = []
        defect: Defect = {
            "id": self._new_id("defect", "DEFECT", self.defects),
            "craft_id": craft_id,
            "what": what,
            "serious": serious,
            "found_on": self.now[:10],
            "fixed_on": None,
        }
        self._add("defects", defect)
        if serious and craft["place"] == "ready":
            changed_crafts.append(craft)
            self._put("crafts", craft, "place", "workshop")
        for one_outing in _distinct(
            [user for one in changed_crafts for user in self._outings_by_craft.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_o_again(one_outing):
                return self._take_back(RULES[0])
        for one_craft in _distinct([self.crafts[defect["craft_id"]], *changed_crafts]):
            if self._breaks_rule_7(one_craft):
                return self._take_back(RULES[6])
        for one_craft in _distinct(changed_crafts):
            if self._breaks_rule_8(one_craft):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: report a defect of {craft['code']} (new: defect {defect['id']}).",
            "data": {"defect_id": defect["id"], **self._changes()},
        }

    def repair_defect(self, defect_id: str) -> Result:
        """Enter that a defect is repaired.

        Args:
            defect_id (str): Id of the defect, such as DEFECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defect = self.defects.get(defect_id)
        if defect is None:
            return _refused(f"There is no defect {defect_id!r}.")
        if defect["fixed_on"] is not None:
            return _refused(f"That was repaired on {defect['fixed_on']}.")
        self._journal = []
        self._put("defects", defect, "fixed_on", self.now[:10])
        if self._breaks_rule_7(self.crafts[defect["craft_id"]]):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: repair {self.crafts[defect['craft_id']]['code']}.",
            "data": self._changes(),
        }

    def release_craft(self, craft_id: str, beach_id: str | None = None) -> Result:
        """Release a craft from the workshop; where it was due, its service is done.

        Args:
            craft_id (str): Id of the craft, such as CRAFT-00001.
            beach_id (str, optional): Beach to which the craft goes; an id such as BEACH-00001. If left out, the
                craft goes to the beach it was at.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        craft = self.crafts.get(craft_id)
        if craft is None:
            return _refused(f"There is no craft {craft_id!r}.")
        beach = self.beaches.get(beach_id) if beach_id is not None else None
        if beach_id is not None and beach is None:
            return _refused(f"There is no beach {beach_id!r}.")
        if craft["place"] != "workshop":
            return _refused(f"{craft['code']} is {craft['place']}.")
        open_one = self._unfixed(craft)
        if open_one is not None:
            return _refused(f"{craft['code']} still has a defect, {open_one['what']}.")
        self._journal = []
        changed_crafts: list[Any] = []
        if craft["half_hours"] >= craft["service_at"]:
            service_at = craft["half_hours"] + 120
            if not 10 <= service_at <= 6000:
                return self._take_back(f"The service at of {craft['code']} must be between 10 and 6000.")
            changed_crafts.append(craft)
            self._put("crafts", craft, "service_at", service_at)
        self._put("crafts", craft, "beach_id", (beach or self.beaches[craft["beach_id"]])["id"])
        self._put("crafts", craft, "place", "ready")
        for one_outing in _distinct(self._outings_by_craft.get(craft["id"], {}).values()):
            if self._breaks_rule_1_o_again(one_outing):
                return self._take_back(RULES[0])
        if self._breaks_rule_7(craft):
            return self._take_back(RULES[6])
        for one_craft in _distinct([craft, *changed_crafts]):
            if self._breaks_rule_8(one_craft):
                return self._take_back(RULES[7])
        done = f"release {craft['code']}"
        if beach is not None:
            done += f" to {beach['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def move_jackets(
        self,
        giver_id: str,
        taker_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 40}],
    ) -> Result:
        """Carry life jackets of a size from one beach to another.

        Args:
            giver_id (str): Stock of one size at the beach that gives the jackets; an id such as JACKETS-00001.
            taker_id (str): Stock of the same size at the beach that gets the jackets; an id such as JACKETS-00001.
            number (int): How many jackets are carried over, from 1 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.jacketses.get(giver_id)
        if giver is None:
            return _refused(f"There is no jackets {giver_id!r}.")
        taker = self.jacketses.get(taker_id)
        if taker is None:
            return _refused(f"There is no jackets {taker_id!r}.")
        if giver["size"] != taker["size"] or giver is taker:
            return _refused("Both piles must be of one size, at two beaches.")
        if self._left(giver) < number:
            return _refused(
                f"{self.beaches[giver['beach_id']]['name']} has {self._left(giver)} jackets in size "
                f"{giver['size']} left."
            )
        if taker["number"] + number > 80:
            return _refused(f"{self.beaches[taker['beach_id']]['name']} has no room for so many.")
        self._journal = []
        new_number = giver["number"] - number
        if not 0 <= new_number <= 80:
            return self._take_back(f"The number of {giver['id']} must be between 0 and 80.")
        self._put("jacketses", giver, "number", new_number)
        new_number_2 = taker["number"] + number
        if not 0 <= new_number_2 <= 80:
            return self._take_back(f"The number of {taker['id']} must be between 0 and 80.")
        self._put("jacketses", taker, "number", new_number_2)
        if self._breaks_rule_3(giver):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(taker):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: carry {number} jackets from {self.beaches[giver['beach_id']]['name']} to "
                f"{self.beaches[taker['beach_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def enter_licence(self, customer_id: str, licence: Literal["sail", "motor"], valid_until: Date) -> Result:
        """Enter the licence that a customer has shown.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            licence (str): Kind of licence shown, which replaces one entered before: sail or motor.
            valid_until (str): Last day on which the licence is valid, from today on, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if valid_until < self.now[:10]:
            return _refused(f"That licence ended on {valid_until}.")
        if any(
            self.kinds[self.crafts[o["craft_id"]]["kind_id"]]["licence"] not in ("none_needed", licence)
            for o in self._outings_by_skipper.get(customer_id, {}).values()
            if o["charge"] is None
        ):
            return _refused(f"{customer['name']} is out with another licence.")
        if any(
            self.kinds[w["kind_id"]]["licence"] not in ("none_needed", licence)
            for w in self._waitings_by_customer.get(customer_id, {}).values()
        ):
            return _refused(f"{customer['name']} waits with another licence.")
        self._journal = []
        self._put("customers", customer, "licence", licence)
        self._put("customers", customer, "licence_until", valid_until)
        for one_outing in _distinct(self._outings_by_skipper.get(customer["id"], {}).values()):
            if self._breaks_rule_5(one_outing):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: enter the {licence} licence of {customer['name']}.",
            "data": self._changes(),
        }

    def _show_outing(self, outing: Outing) -> dict[str, Any]:
        """The outing as an answer shows it."""
        return {**outing, "people": self._outing_people(outing)}

    def _names_of_crafts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that crafts point to."""
        return _names(
            (self.kinds, "name", [row["kind_id"] for row in shown]),
            (self.beaches, "name", [row["beach_id"] for row in shown]),
        )

    def _names_of_jacketses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jacketses point to."""
        return _names((self.beaches, "name", [row["beach_id"] for row in shown]))

    def _names_of_outings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that outings point to."""
        return _names(
            (self.crafts, "code", [row["craft_id"] for row in shown]),
            (self.customers, "name", [row["skipper_id"] for row in shown]),
            (self.beaches, "name", [row["beach_id"] for row in shown]),
        )

    def _names_of_defects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defects point to."""
        return _names((self.crafts, "code", [row["craft_id"] for row in shown]))

    def _names_of_waitings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that waitings point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.kinds, "name", [row["kind_id"] for row in shown]),
            (self.beaches, "name", [row["beach_id"] for row in shown]),
        )

    def _outing_people(self, outing: Outing) -> int:
        """The people of an outing."""
        return outing["child"] + outing["small"] + outing["medium"] + outing["large"]

    def _worn(self, o: Outing, size: str) -> int:
        return (
            o["child"]
            if size == "child"
            else o["small"]
            if size == "small"
            else o["medium"]
            if size == "medium"
            else o["large"]
        )

    def _left(self, j: Jackets) -> int:
        return (
            j["number"]
            - sum(
                self._worn(o, j["size"])
                for o in self._outings_by_beach.get(j["beach_id"], {}).values()
                if o["charge"] is None
            )
        )

    def _jackets_at(self, b: Beach, size: str) -> int:
        return sum(self._left(j) for j in self._jacketses_by_beach_size.get((b["id"], size), {}).values())

    def _licensed(self, p: Customer, k: Kind, d: str) -> bool:
        return (
            k["licence"] == "none_needed"
            or p["licence"] == k["licence"] and (
                p["licence_until"]
                if p["licence_until"] is not None
                else _plus_days(d, -1)
            ) >= d
        )

    def _allowed(self, k: Kind, flag: str) -> bool:
        return flag == "green" or flag == "yellow" and k["goes_at_yellow"]

    def _by_dusk(self, due: str, on: str) -> bool:
        return due[:10] == on and due[11:] <= "20:00"

    def _queue(self, k: Kind, b: Beach) -> list[Waiting]:
        return sorted(self._waitings_by_kind_beach.get((k["id"], b["id"]), {}).values(), key=_age)

    def _free_ones(self, k: Kind, b: Beach) -> int:
        return len(self._crafts_by_kind_beach_place.get((k["id"], b["id"], "ready"), {}))

    def _place_in_queue(self, p: Customer, k: Kind, b: Beach) -> int:
        return sum(
            1
            for w in self._queue(k, b)
            if (
                not any(m["customer_id"] == p["id"] for m in self._queue(k, b))
                or any(m["since"] > w["since"] for m in self._queue(k, b) if m["customer_id"] == p["id"])
            )
        )

    def _unfixed(self, c: Craft) -> Defect | None:
        return next(
            (
                d
                for d in sorted(self._defects_by_craft.get(c["id"], {}).values(), key=_age)
                if d["serious"]
                and d["fixed_on"] is None
            ),
            None,
        )

    def _breaks_rule_1_o(self, o: Outing) -> bool:
        """Whether this is broken: a craft has one outing at a time, and only while it is out."""
        return (
            o["charge"] is None
            and any(
                other_o is not o
                for other_o in self._outings_by_craft.get(o["craft_id"], {}).values()
                if other_o["charge"] is None
            )
        )

    def _breaks_rule_1_o_again(self, o: Outing) -> bool:
        """Whether this is broken: a craft has one outing at a time, and only while it is out."""
        return o["charge"] is None and self.crafts[o["craft_id"]]["place"] != "out"

    def _breaks_rule_2(self, o: Outing) -> bool:
        """Whether this is broken: nobody takes more people than there are seats."""
        return (
            1 > self._outing_people(o)
            or self._outing_people(o) > self.kinds[self.crafts[o["craft_id"]]["kind_id"]]["seats"]
        )

    def _breaks_rule_3(self, j: Jackets) -> bool:
        """Whether this is broken: no more life jackets of a size are out than a beach has."""
        return self._left(j) < 0

    def _breaks_rule_4_o(self, o: Outing) -> bool:
        """Whether this is broken: a skipper is out once at a time and waits for nothing meanwhile."""
        return (
            o["charge"] is None
            and any(
                other_o is not o
                for other_o in self._outings_by_skipper.get(o["skipper_id"], {}).values()
                if other_o["charge"] is None
            )
        )

    def _breaks_rule_4_w(self, w: Waiting) -> bool:
        """Whether this is broken: a skipper is out once at a time and waits for nothing meanwhile."""
        return any(o["charge"] is None for o in self._outings_by_skipper.get(w["customer_id"], {}).values())

    def _breaks_rule_5(self, o: Outing) -> bool:
        """Whether this is broken: whoever skippers a boat had the licence it asks for."""
        return (
            o["charge"] is None
            and (
                self.kinds[self.crafts[o["craft_id"]]["kind_id"]]["licence"] != "none_needed"
                and self.customers[o["skipper_id"]]["licence"] != self.kinds[
                    self.crafts[o["craft_id"]]["kind_id"]
                ]["licence"]
            )
        )

    def _breaks_rule_6(self, o: Outing) -> bool:
        """Whether this is broken: nothing goes out under a red flag, and only what can bear it under a yellow one.
        """
        return not self._allowed(self.kinds[self.crafts[o["craft_id"]]["kind_id"]], o["flag_then"])

    def _breaks_rule_7(self, c: Craft) -> bool:
        """Whether this is broken: a craft with a serious defect is in the workshop."""
        return self._unfixed(c) is not None and c["place"] != "workshop"

    def _breaks_rule_8(self, c: Craft) -> bool:
        """Whether this is broken: a craft that is due for service does not stand ready."""
        return c["place"] == "ready" and c["half_hours"] >= c["service_at"]

    def _breaks_rule_9(self, w: Waiting) -> bool:
        """Whether this is broken: a customer waits for one thing at a time."""
        return any(other_w is not w for other_w in self._waitings_by_customer.get(w["customer_id"], {}).values())

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

    def _remove(self, container: str, record: Any) -> None:
        """Let a record go."""
        self._journal.append(("delete", container, record["id"], record))
        del getattr(self, container)[record["id"]]
        self._unlink(container, record)

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
            case "crafts":
                self._crafts_by_beach.setdefault(record["beach_id"], {})[record["id"]] = record
                self._crafts_by_kind_beach.setdefault((record["kind_id"], record["beach_id"]), {})[record["id"]] = record
                self._crafts_by_kind_beach_place.setdefault(
                    (record["kind_id"], record["beach_id"], record["place"]),
                    {},
                )[record["id"]] = record
            case "jacketses":
                self._jacketses_by_beach.setdefault(record["beach_id"], {})[record["id"]] = record
                self._jacketses_by_beach_size.setdefault((record["beach_id"], record["size"]), {})[record["id"]] = record
            case "outings":
                self._outings_by_beach.setdefault(record["beach_id"], {})[record["id"]] = record
                self._outings_by_craft.setdefault(record["craft_id"], {})[record["id"]] = record
                self._outings_by_skipper.setdefault(record["skipper_id"], {})[record["id"]] = record
            case "defects":
                self._defects_by_craft.setdefault(record["craft_id"], {})[record["id"]] = record
            case "waitings":
                self._waitings_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._waitings_by_kind_beach.setdefault(
                    (record["kind_id"], record["beach_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "crafts":
                del self._crafts_by_beach[record["beach_id"]][record["id"]]
                del self._crafts_by_kind_beach[record["kind_id"], record["beach_id"]][record["id"]]
                del self._crafts_by_kind_beach_place[record["kind_id"], record["beach_id"], record["place"]][record["id"]]
            case "jacketses":
                del self._jacketses_by_beach[record["beach_id"]][record["id"]]
                del self._jacketses_by_beach_size[record["beach_id"], record["size"]][record["id"]]
            case "outings":
                del self._outings_by_beach[record["beach_id"]][record["id"]]
                del self._outings_by_craft[record["craft_id"]][record["id"]]
                del self._outings_by_skipper[record["skipper_id"]][record["id"]]
            case "defects":
                del self._defects_by_craft[record["craft_id"]][record["id"]]
            case "waitings":
                del self._waitings_by_customer[record["customer_id"]][record["id"]]
                del self._waitings_by_kind_beach[record["kind_id"], record["beach_id"]][record["id"]]
