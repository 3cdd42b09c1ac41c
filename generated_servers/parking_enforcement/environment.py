"""Parking enforcement. Compiled from blueprint.yaml; run `envscaler build parking_enforcement` after changing it there.

Enforces the parking zones of a city, with permits, tickets whose amounts rise from stage to stage, appeals
reviewed by somebody else, towing to the pound and payment plans.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A car has one permit at a time for a zone.",
    "No zone has more permits running than it can bear.",
    "A car with a permit for the zone is not fined for lacking one.",
    "A car gets one ticket a day in a zone.",
    "Nobody pays more than a ticket costs, and a ticket is paid when nothing is left.",
    "An appeal is decided by a reviewer who did not write the ticket.",
    "A ticket has one appeal pending at a time and two at most.",
    "No appeal is pending on a ticket that is paid, cancelled, in collection or in a running plan.",
    "A plan is about tickets of the motorist who agreed to it.",
    "A motorist has one running plan, and something is left in it.",
    "A plan with two missed instalments is broken.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "issue_ticket",
    "escalate_ticket",
    "pay_ticket",
    "file_appeal",
    "decide_appeal",
    "grant_permit",
    "end_permit",
    "tow_car",
    "release_car",
    "agree_plan",
    "book_instalment",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "zones": ("name",),
    "motorists": ("name",),
    "cars": ("plate",),
    "officers": ("name",),
    "permits": (),
    "tickets": (),
    "appeals": (),
    "plans": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("appeals", "status"),
    ("appeals", "ticket_id"),
    ("cars", "keeper_id"),
    ("permits", "car_id"),
    ("permits", "zone_id"),
    ("plans", "motorist_id"),
    ("plans", "status"),
    ("tickets", "car_id"),
    ("tickets", "offence"),
    ("tickets", "plan_id"),
    ("tickets", "stage"),
    ("tickets", "zone_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Zone(TypedDict):
    id: str
    name: str
    penalty: int
    most_permits: int


class Motorist(TypedDict):
    id: str
    name: str


class Car(TypedDict):
    id: str
    plate: str
    model: str
    keeper_id: str
    storage_a_day: int
    towed_on: str | None


class Officer(TypedDict):
    id: str
    name: str
    reviewer: bool


class Permit(TypedDict):
    id: str
    car_id: str
    zone_id: str
    kind: Literal["resident", "visitor", "trader"]
    starts: str
    ends: str


class Ticket(TypedDict):
    id: str
    car_id: str
    zone_id: str
    officer_id: str
    offence: Literal["no_permit", "overstay", "wrong_bay", "blocking"]
    issued_on: str
    due_on: str
    amount: int
    paid: int
    plan_id: str | None
    stage: Literal["issued", "reminded", "collection", "paid", "cancelled", "surcharged"]


class Appeal(TypedDict):
    id: str
    ticket_id: str
    ground: Literal["signs_missing", "permit_shown", "medical", "not_the_driver"]
    filed_on: str
    reviewer_id: str | None
    status: Literal["pending", "upheld", "reduced", "rejected"]


class Plan(TypedDict):
    id: str
    motorist_id: str
    instalment: int
    missed: int
    due_on: str
    status: Literal["running", "completed", "broken"]


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class ParkingEnforcement:
    """Enforces the parking zones of a city, with permits, tickets whose amounts rise from stage to stage,
    appeals reviewed by somebody else, towing to the pound and payment plans.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.motorists: dict[str, Motorist] = _copied(config.get("motorists", {}))
        self.cars: dict[str, Car] = _copied(config.get("cars", {}))
        self.officers: dict[str, Officer] = _copied(config.get("officers", {}))
        self.permits: dict[str, Permit] = _copied(config.get("permits", {}))
        self.tickets: dict[str, Ticket] = _copied(config.get("tickets", {}))
        self.appeals: dict[str, Appeal] = _copied(config.get("appeals", {}))
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.now: str = config.get("now", "2026-11-09T08:00")
        self.counters: dict[str, int] = {
            "zone": len(self.zones),
            "motorist": len(self.motorists),
            "car": len(self.cars),
            "officer": len(self.officers),
            "permit": len(self.permits),
            "ticket": len(self.tickets),
            "appeal": len(self.appeals),
            "plan": len(self.plans),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._cars_by_keeper: dict[Any, dict[str, Car]] = {}
        self._permits_by_car_zone: dict[Any, dict[str, Permit]] = {}
        self._permits_by_zone: dict[Any, dict[str, Permit]] = {}
        self._tickets_by_car: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_car_stage: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_car_zone: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_car_zone_offence: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_plan: dict[Any, dict[str, Ticket]] = {}
        self._appeals_by_ticket: dict[Any, dict[str, Appeal]] = {}
        self._appeals_by_ticket_status: dict[Any, dict[str, Appeal]] = {}
        self._plans_by_motorist_status: dict[Any, dict[str, Plan]] = {}
        for car in self.cars.values():
            self._link("cars", car)
        for permit in self.permits.values():
            self._link("permits", permit)
        for ticket in self.tickets.values():
            self._link("tickets", ticket)
        for appeal in self.appeals.values():
            self._link("appeals", appeal)
        for plan in self.plans.values():
            self._link("plans", plan)

    def overdue_tickets(
        self,
        zone_id: str | None = None,
        stage: Literal["issued", "reminded", "collection", "paid", "cancelled", "surcharged"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tickets that can be escalated today, those due first on top.

        Args:
            zone_id (str, optional): Zone where the tickets were written; an id such as ZONE-00001. If left out,
                tickets of all zones are listed.
            stage (str, optional): Stage that the tickets are in now: issued, reminded, collection, paid, cancelled
                or surcharged. If left out, tickets of all stages are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}} or {"success": False, "error": why
                not}
        """
        zone = self.zones.get(zone_id) if zone_id is not None else None
        if zone_id is not None and zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            t
            for t in self.tickets.values()
            if self._can_rise(t, self.now[:10])
            and (zone_id is None or t["zone_id"] == zone_id)
            and (stage is None or t["stage"] == stage)
        ]
        found.sort(key=lambda t: (t["due_on"], t["id"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tickets": [
                    {
                        "id": t["id"],
                        "plate": self.cars[t["car_id"]]["plate"],
                        "keeper": self.motorists[self.cars[t["car_id"]]["keeper_id"]]["name"],
                        "zone": self.zones[t["zone_id"]]["name"],
                        "stage": t["stage"],
                        "due_on": t["due_on"],
                        "left": self._ticket_left(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def to_settle(self, ticket_id: str) -> Result:
        """What settles a ticket today, with the discount of the first 14 days, and whether anything is in the way.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.

        Returns:
            dict: {"success": True, "data": {settles, appeal_pending, in_plan, stage}} or {"success": False,
                "error": why not}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        return _found(
            {
                "settles": self._settles(ticket, self.now[:10]),
                "appeal_pending": self._appealed(ticket),
                "in_plan": self._in_plan(ticket),
                "stage": ticket["stage"],
            }
        )

    def pound(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Cars in the pound, with storage and what is still in the way of their release.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}} or {"success": False, "error": why
                not}
        """
        found = [c for c in self.cars.values() if c["towed_on"] is not None]
        found.sort(key=lambda c: (c["towed_on"], c["plate"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cars": [
                    {
                        "id": c["id"],
                        "plate": c["plate"],
                        "keeper": self.motorists[c["keeper_id"]]["name"],
                        "towed_on": c["towed_on"],
                        "storage": self._storage_due(c, self.now[:10]),
                        "blocking_tickets": sum(
                            1
                            for t in self._tickets_by_car.get(c["id"], {}).values()
                            if self._is_open(t)
                            and not self._in_plan(t)
                        ),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_zones(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        found = [zone for zone in self.zones.values() if (name is None or name.casefold() in zone["name"].casefold())]
        return _found({"total": len(found), "zones": [{**zone} for zone in _page(found, offset)]})

    def list_motorists(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the motorists, oldest first, all of them or only some.

        Args:
            name (str, optional): Only motorists whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "motorists": records}}
        """
        found = [
            motorist
            for motorist in self.motorists.values()
            if (name is None or name.casefold() in motorist["name"].casefold())
        ]
        return _found(
            {"total": len(found), "motorists": [self._show_motorist(motorist) for motorist in _page(found, offset)]}
        )

    def list_cars(
        self,
        plate: Text | None = None,
        keeper_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cars, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only cars whose plate contains this text.
            keeper_id (str, optional): Only cars whose keeper is this motorist.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}}
        """
        if keeper_id is not None and keeper_id not in self.motorists:
            return _refused(f"There is no motorist {keeper_id!r}.")
        found = [
            car
            for car in self.cars.values()
            if (plate is None or plate.casefold() in car["plate"].casefold())
            and (keeper_id is None or car["keeper_id"] == keeper_id)
        ]
        shown = [self._show_car(car) for car in _page(found, offset)]
        return _found({"total": len(found), "cars": shown}, self._names_of_cars(shown))

    def list_officers(
        self,
        name: Text | None = None,
        reviewer: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the officers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only officers whose name contains this text.
            reviewer (bool, optional): Only officers with this value of `reviewer`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officers": records}}
        """
        found = [
            officer
            for officer in self.officers.values()
            if (name is None or name.casefold() in officer["name"].casefold())
            and (reviewer is None or officer["reviewer"] == reviewer)
        ]
        return _found({"total": len(found), "officers": [{**officer} for officer in _page(found, offset)]})

    def list_permits(
        self,
        car_id: str | None = None,
        zone_id: str | None = None,
        kind: Literal["resident", "visitor", "trader"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the permits, oldest first, all of them or only some.

        Args:
            car_id (str, optional): Only permits of this car.
            zone_id (str, optional): Only permits of this zone.
            kind (str, optional): Only permits with this kind.
            starts_from (str, optional): Only permits whose `starts` is on this day or later.
            starts_to (str, optional): Only permits whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            permit
            for permit in self.permits.values()
            if (car_id is None or permit["car_id"] == car_id)
            and (zone_id is None or permit["zone_id"] == zone_id)
            and (kind is None or permit["kind"] == kind)
            and (starts_from is None or permit["starts"] >= starts_from)
            and (starts_to is None or permit["starts"] <= starts_to)
        ]
        shown = [{**permit} for permit in _page(found, offset)]
        return _found({"total": len(found), "permits": shown}, self._names_of_permits(shown))

    def list_tickets(
        self,
        car_id: str | None = None,
        zone_id: str | None = None,
        officer_id: str | None = None,
        offence: Literal["no_permit", "overstay", "wrong_bay", "blocking"] | None = None,
        plan_id: str | None = None,
        stage: Literal["issued", "reminded", "collection", "paid", "cancelled", "surcharged"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tickets, oldest first, all of them or only some.

        Args:
            car_id (str, optional): Only tickets of this car.
            zone_id (str, optional): Only tickets of this zone.
            officer_id (str, optional): Only tickets of this officer.
            offence (str, optional): Only tickets with this offence.
            plan_id (str, optional): Only tickets of this plan.
            stage (str, optional): Only tickets with this stage.
            issued_on_from (str, optional): Only tickets whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only tickets whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        if officer_id is not None and officer_id not in self.officers:
            return _refused(f"There is no officer {officer_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            ticket
            for ticket in self.tickets.values()
            if (car_id is None or ticket["car_id"] == car_id)
            and (zone_id is None or ticket["zone_id"] == zone_id)
            and (officer_id is None or ticket["officer_id"] == officer_id)
            and (offence is None or ticket["offence"] == offence)
            and (plan_id is None or ticket["plan_id"] == plan_id)
            and (stage is None or ticket["stage"] == stage)
            and (issued_on_from is None or ticket["issued_on"] >= issued_on_from)
            and (issued_on_to is None or ticket["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_ticket(ticket) for ticket in _page(found, offset)]
        return _found({"total": len(found), "tickets": shown}, self._names_of_tickets(shown))

    def list_appeals(
        self,
        ticket_id: str | None = None,
        ground: Literal["signs_missing", "permit_shown", "medical", "not_the_driver"] | None = None,
        reviewer_id: str | None = None,
        status: Literal["pending", "upheld", "reduced", "rejected"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the appeals, oldest first, all of them or only some.

        Args:
            ticket_id (str, optional): Only appeals of this ticket.
            ground (str, optional): Only appeals with this ground.
            reviewer_id (str, optional): Only appeals whose reviewer is this officer.
            status (str, optional): Only appeals with this status.
            filed_on_from (str, optional): Only appeals whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only appeals whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "appeals": records}}
        """
        if ticket_id is not None and ticket_id not in self.tickets:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.officers:
            return _refused(f"There is no officer {reviewer_id!r}.")
        found = [
            appeal
            for appeal in self.appeals.values()
            if (ticket_id is None or appeal["ticket_id"] == ticket_id)
            and (ground is None or appeal["ground"] == ground)
            and (reviewer_id is None or appeal["reviewer_id"] == reviewer_id)
            and (status is None or appeal["status"] == status)
            and (filed_on_from is None or appeal["filed_on"] >= filed_on_from)
            and (filed_on_to is None or appeal["filed_on"] <= filed_on_to)
        ]
        shown = [{**appeal} for appeal in _page(found, offset)]
        return _found({"total": len(found), "appeals": shown}, self._names_of_appeals(shown))

    def list_plans(
        self,
        motorist_id: str | None = None,
        status: Literal["running", "completed", "broken"] | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            motorist_id (str, optional): Only plans of this motorist.
            status (str, optional): Only plans with this status.
            due_on_from (str, optional): Only plans whose `due_on` is on this day or later.
            due_on_to (str, optional): Only plans whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        if motorist_id is not None and motorist_id not in self.motorists:
            return _refused(f"There is no motorist {motorist_id!r}.")
        found = [
            plan
            for plan in self.plans.values()
            if (motorist_id is None or plan["motorist_id"] == motorist_id)
            and (status is None or plan["status"] == status)
            and (due_on_from is None or plan["due_on"] >= due_on_from)
            and (due_on_to is None or plan["due_on"] <= due_on_to)
        ]
        shown = [self._show_plan(plan) for plan in _page(found, offset)]
        return _found({"total": len(found), "plans": shown}, self._names_of_plans(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def issue_ticket(
        self,
        car_id: str,
        zone_id: str,
        officer_id: str,
        offence: Literal["no_permit", "overstay", "wrong_bay", "blocking"],
    ) -> Result:
        """Write a ticket; blocking costs one and a half times the penalty of the zone, and whoever pays within 14
        days pays half.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            zone_id (str): Id of the zone, such as ZONE-00001.
            officer_id (str): Id of the officer, such as OFFICER-00001.
            offence (str): Offence that the ticket is for: no_permit, overstay, wrong_bay or blocking.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        officer = self.officers.get(officer_id)
        if officer is None:
            return _refused(f"There is no officer {officer_id!r}.")
        if car["towed_on"] is not None:
            return _refused(f"The {car['model']} {car['plate']} is in the pound.")
        if officer["reviewer"]:
            return _refused(f"{officer['name']} reviews appeals and writes no tickets.")
        if offence == "no_permit" and self._has_permit(car, zone, self.now[:10]):
            return _refused(f"The {car['model']} {car['plate']} has a permit for {zone['name']}.")
        if any(
            each["issued_on"] == self.now[:10]
            for each in self._tickets_by_car_zone.get((car_id, zone_id), {}).values()
        ):
            return _refused(f"The {car['model']} {car['plate']} has a ticket for {zone['name']} from today already.")
        self._journal = []
        amount = _rounded(Fraction(zone["penalty"] * 3, 2)) if offence == "blocking" else zone["penalty"]
        if not 0 <= amount <= 500000:
            return self._take_back("The amount of a ticket must be between 0.00 and 5,000.00.")
        ticket: Ticket = {
            "id": self._new_id("ticket", "TICKET", self.tickets),
            "car_id": car_id,
            "zone_id": zone_id,
            "officer_id": officer_id,
            "offence": offence,
            "issued_on": self.now[:10],
            "due_on": _plus_days(self.now[:10], 14),
            "amount": amount,
            "paid": 0,
            "plan_id": None,
            "stage": "issued",
        }
        self._add("tickets", ticket)
        if self._breaks_rule_3_t(ticket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(ticket):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ticket):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_t(ticket):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(ticket):
            return self._take_back(RULES[8])
        for one_plan in _distinct([self.plans.get(ticket["plan_id"])]):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: write a ticket for the {car['model']} {car['plate']} in {zone['name']} (new: ticket "
                f"{ticket['id']})."
            ),
            "data": {"ticket_id": ticket["id"], **self._changes()},
        }

    def escalate_ticket(self, ticket_id: str) -> Result:
        """Raise an overdue ticket by a stage, first by a quarter with a reminder, then by half as a surcharge, then
        by 40.00 for collection; each gives 14 more days.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if not (self._is_open(ticket) and ticket["stage"] != "collection"):
            return _refused(f"The ticket is in the stage {ticket['stage']}.")
        if ticket["due_on"] >= self.now[:10]:
            return _refused(f"The ticket is due on {ticket['due_on']}.")
        if self._appealed(ticket):
            return _refused("An appeal against the ticket is pending.")
        if self._in_plan(ticket):
            return _refused("The ticket is being paid in instalments.")
        self._journal = []
        changed_tickets: list[Any] = []
        changed_tickets_2: list[Any] = []
        if ticket["stage"] == "issued":
            amount = ticket["amount"] + _rounded(Fraction(ticket["amount"], 4))
            if not 0 <= amount <= 500000:
                return self._take_back(f"The amount of {ticket['id']} must be between 0.00 and 5,000.00.")
            changed_tickets.append(ticket)
            self._put("tickets", ticket, "amount", amount)
            if ticket["stage"] not in ("issued", "reminded"):
                return self._take_back(f"Ticket {ticket['id']} cannot go from {ticket['stage']} to reminded.")
            changed_tickets_2.append(ticket)
            self._put("tickets", ticket, "stage", "reminded")
        else:
            if ticket["stage"] == "reminded":
                new_amount = ticket["amount"] + _rounded(Fraction(ticket["amount"], 2))
                if not 0 <= new_amount <= 500000:
                    return self._take_back(f"The amount of {ticket['id']} must be between 0.00 and 5,000.00.")
                changed_tickets.append(ticket)
                self._put("tickets", ticket, "amount", new_amount)
                if ticket["stage"] not in ("reminded", "surcharged"):
                    return self._take_back(f"Ticket {ticket['id']} cannot go from {ticket['stage']} to surcharged.")
                changed_tickets_2.append(ticket)
                self._put("tickets", ticket, "stage", "surcharged")
            else:
                new_amount_2 = ticket["amount"] + 4000
                if not 0 <= new_amount_2 <= 500000:
                    return self._take_back(f"The amount of {ticket['id']} must be between 0.00 and 5,000.00.")
                changed_tickets.append(ticket)
                self._put("tickets", ticket, "amount", new_amount_2)
                if ticket["stage"] not in ("issued", "reminded", "collection", "surcharged"):
                    return self._take_back(f"Ticket {ticket['id']} cannot go from {ticket['stage']} to collection.")
                changed_tickets_2.append(ticket)
                self._put("tickets", ticket, "stage", "collection")
        self._put("tickets", ticket, "due_on", _plus_days(self.now[:10], 14))
        for one_ticket in _distinct(changed_tickets_2):
            if self._breaks_rule_3_t(one_ticket):
                return self._take_back(RULES[2])
        for one_ticket in _distinct([*changed_tickets, *changed_tickets_2]):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        for one_appeal in _distinct(
            [
                user
                for one in changed_tickets_2
                for user in self._appeals_by_ticket_status.get((one["id"], "pending"), {}).values()
            ]
        ):
            if self._breaks_rule_8_a(one_appeal):
                return self._take_back(RULES[7])
        for one_plan in _distinct(
            [
                *[self.plans.get(one["plan_id"]) for one in changed_tickets],
                *[self.plans.get(one["plan_id"]) for one in changed_tickets_2],
            ]
        ):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: escalate the ticket of {ticket['issued_on']} for the "
                f"{self.cars[ticket['car_id']]['model']} {self.cars[ticket['car_id']]['plate']}."
            ),
            "data": self._changes(),
        }

    def pay_ticket(
        self,
        ticket_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 500000}] | None = None,
    ) -> Result:
        """Record a payment on a ticket, by itself what settles it today, which is half within the first 14 days.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            amount (int, optional): Amount received, at most what settles the ticket today, in cents, from 1 to
                500000. If left out, exactly what settles the ticket today is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if not self._is_open(ticket):
            return _refused(f"The ticket is {ticket['stage']}.")
        if self._in_plan(ticket):
            return _refused("The ticket is being paid in instalments, so book those.")
        if self._appealed(ticket):
            return _refused("An appeal against the ticket is pending, so decide it first.")
        whole = self._settles(ticket, self.now[:10])
        if amount is not None and amount > whole:
            return _refused(f"{_money(whole)} settles the ticket.")
        self._journal = []
        changed_tickets: list[Any] = []
        changed_tickets_2: list[Any] = []
        paid = ticket["paid"] + (amount if amount is not None else whole)
        if not 0 <= paid <= 500000:
            return self._take_back(f"The paid of {ticket['id']} must be between 0.00 and 5,000.00.")
        self._put("tickets", ticket, "paid", paid)
        if amount is None or amount == whole:
            changed_tickets.append(ticket)
            self._put("tickets", ticket, "amount", ticket["paid"])
            if ticket["stage"] not in ("issued", "reminded", "collection", "paid", "surcharged"):
                return self._take_back(f"Ticket {ticket['id']} cannot go from {ticket['stage']} to paid.")
            changed_tickets_2.append(ticket)
            self._put("tickets", ticket, "stage", "paid")
        for one_ticket in _distinct(changed_tickets_2):
            if self._breaks_rule_3_t(one_ticket):
                return self._take_back(RULES[2])
        for one_ticket in _distinct([ticket, *changed_tickets, *changed_tickets_2]):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        for one_appeal in _distinct(
            [
                user
                for one in changed_tickets_2
                for user in self._appeals_by_ticket_status.get((one["id"], "pending"), {}).values()
            ]
        ):
            if self._breaks_rule_8_a(one_appeal):
                return self._take_back(RULES[7])
        for one_plan in _distinct(
            [
                self.plans.get(ticket["plan_id"]),
                *[self.plans.get(one["plan_id"]) for one in changed_tickets],
                *[self.plans.get(one["plan_id"]) for one in changed_tickets_2],
            ]
        ):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        done = f"record a payment on the ticket of {ticket['issued_on']} for the {self.cars[ticket['car_id']]['model']} {self.cars[ticket['car_id']]['plate']}"
        if amount is not None:
            done += f", {_money(amount)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def file_appeal(
        self,
        ticket_id: str,
        ground: Literal["signs_missing", "permit_shown", "medical", "not_the_driver"],
    ) -> Result:
        """File an appeal against a ticket that is not in collection or being paid in instalments.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            ground (str): Ground on which the ticket is appealed: signs_missing, permit_shown, medical or
                not_the_driver.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if not (self._is_open(ticket) and ticket["stage"] != "collection"):
            return _refused(f"The ticket is in the stage {ticket['stage']}, so it is too late.")
        if self._in_plan(ticket):
            return _refused("The ticket is being paid in instalments, which accepts it.")
        if self._appealed(ticket):
            return _refused("An appeal against the ticket is pending already.")
        if len(self._appeals_by_ticket.get(ticket_id, {})) >= 2:
            return _refused("Two appeals were made against the ticket.")
        self._journal = []
        appeal: Appeal = {
            "id": self._new_id("appeal", "APPEAL", self.appeals),
            "ticket_id": ticket_id,
            "ground": ground,
            "filed_on": self.now[:10],
            "reviewer_id": None,
            "status": "pending",
        }
        self._add("appeals", appeal)
        if self._breaks_rule_6_a(appeal):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_a_again(appeal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_a(appeal):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t(self.tickets[appeal["ticket_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_a(appeal):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a_again(appeal):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: file an appeal against the ticket of {ticket['issued_on']} for the "
                f"{self.cars[ticket['car_id']]['model']} {self.cars[ticket['car_id']]['plate']} (new: appeal "
                f"{appeal['id']})."
            ),
            "data": {"appeal_id": appeal["id"], **self._changes()},
        }

    def decide_appeal(
        self,
        appeal_id: str,
        reviewer_id: str,
        outcome: Literal["upheld", "reduced", "rejected"],
    ) -> Result:
        """Decide an appeal; an upheld one cancels the ticket, a reduced one halves what is left, a rejected one gives
        14 more days.

        Args:
            appeal_id (str): Id of the appeal, such as APPEAL-00001.
            reviewer_id (str): Reviewing officer who decides and did not write the ticket; an id such as
                OFFICER-00001.
            outcome (str): Decision on the appeal, where upheld means the motorist was right: upheld, reduced or
                rejected.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appeal = self.appeals.get(appeal_id)
        if appeal is None:
            return _refused(f"There is no appeal {appeal_id!r}.")
        reviewer = self.officers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no officer {reviewer_id!r}.")
        if appeal["status"] != "pending":
            return _refused(f"That appeal is {appeal['status']}.")
        if not reviewer["reviewer"]:
            return _refused(f"{reviewer['name']} does not review appeals.")
        if reviewer_id == self.tickets[appeal["ticket_id"]]["officer_id"]:
            return _refused(f"{reviewer['name']} wrote that ticket.")
        self._journal = []
        changed_tickets: list[Any] = []
        changed_tickets_2: list[Any] = []
        ticket = self.tickets[appeal["ticket_id"]]
        self._put("appeals", appeal, "reviewer_id", reviewer_id)
        self._put("appeals", appeal, "status", outcome)
        if outcome == "upheld":
            if ticket["stage"] not in ("issued", "reminded", "collection", "cancelled", "surcharged"):
                return self._take_back(f"Ticket {ticket['id']} cannot go from {ticket['stage']} to cancelled.")
            changed_tickets.append(ticket)
            self._put("tickets", ticket, "stage", "cancelled")
        if outcome == "reduced":
            amount = ticket["amount"] - self._ticket_left(ticket) // 2
            if not 0 <= amount <= 500000:
                return self._take_back(f"The amount of {ticket['id']} must be between 0.00 and 5,000.00.")
            changed_tickets_2.append(ticket)
            self._put("tickets", ticket, "amount", amount)
        if outcome != "upheld":
            self._put("tickets", ticket, "due_on", _plus_days(self.now[:10], 14))
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_3_t(one_ticket):
                return self._take_back(RULES[2])
        for one_ticket in _distinct([*changed_tickets, *changed_tickets_2]):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_a(appeal):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_a_again(appeal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_a(appeal):
            return self._take_back(RULES[6])
        for one_appeal in _distinct(
            [
                appeal,
                *[
                    user
                    for one in changed_tickets
                    for user in self._appeals_by_ticket_status.get((one["id"], "pending"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_a(one_appeal):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_a_again(appeal):
            return self._take_back(RULES[7])
        for one_plan in _distinct(
            [
                *[self.plans.get(one["plan_id"]) for one in changed_tickets],
                *[self.plans.get(one["plan_id"]) for one in changed_tickets_2],
            ]
        ):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: decide the appeal about the ticket of {self.tickets[appeal['ticket_id']]['issued_on']} "
                f"for the {self.cars[self.tickets[appeal['ticket_id']]['car_id']]['model']} "
                f"{self.cars[self.tickets[appeal['ticket_id']]['car_id']]['plate']} as {outcome}."
            ),
            "data": self._changes(),
        }

    def grant_permit(
        self,
        car_id: str,
        zone_id: str,
        kind: Literal["resident", "visitor", "trader"],
        starts: Date,
        months: Annotated[int, {"minimum": 1, "maximum": 12}],
    ) -> Result:
        """Grant a car a permit for a zone from tomorrow or later, for some months.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            zone_id (str): Id of the zone, such as ZONE-00001.
            kind (str): Kind of permit holder: resident, visitor or trader.
            starts (str): First day of the permit, from tomorrow to 60 days ahead, as YYYY-MM-DD.
            months (int): Length of the permit in months, from 1 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if starts <= self.now[:10] or starts > _plus_days(self.now[:10], 60):
            return _refused("A permit starts tomorrow at the earliest and within 60 days.")
        ends = _add_months(starts, months)
        other = next(
            (
                p
                for p in sorted(self._permits_by_car_zone.get((car_id, zone_id), {}).values(), key=_age)
                if _overlap(p["starts"], p["ends"], starts, ends)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"The {car['model']} {car['plate']} has a permit for {zone['name']} until {other['ends']}."
            )
        if self._permits_in(zone, starts) >= zone["most_permits"]:
            return _refused(
                f"{zone['name']} has {self._permits_in(zone, starts)} permits on {starts} and can bear no more, "
                "so one must end first."
            )
        if not all(
            self._permits_in(zone, p["starts"]) < zone["most_permits"]
            for p in self._permits_by_zone.get(zone_id, {}).values()
            if (starts <= p["starts"] and p["starts"] < ends)
        ):
            return _refused(f"{zone['name']} is full later in that time.")
        if [
            t
            for _car in self._cars_by_keeper.get(car["keeper_id"], {}).values()
            for t in self._tickets_by_car_stage.get((_car["id"], "collection"), {}).values()
        ]:
            return _refused(
                f"{self.motorists[car['keeper_id']]['name']} has a ticket in collection, which must be paid first."
            )
        self._journal = []
        permit: Permit = {
            "id": self._new_id("permit", "PERMIT", self.permits),
            "car_id": car_id,
            "zone_id": zone_id,
            "kind": kind,
            "starts": starts,
            "ends": ends,
        }
        self._add("permits", permit)
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        for one_permit in _distinct([permit, *self._permits_by_zone.get(permit["zone_id"], {}).values()]):
            if self._breaks_rule_2(one_permit):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_p(permit):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: grant the {car['model']} {car['plate']} a {kind} permit for {zone['name']} from {starts} "
                f"(new: permit {permit['id']})."
            ),
            "data": {"permit_id": permit["id"], **self._changes()},
        }

    def end_permit(self, permit_id: str) -> Result:
        """End a permit today, or take it back where it has not begun.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["ends"] <= self.now[:10]:
            return _refused(f"That permit ended on {permit['ends']}.")
        self._journal = []
        deleted_permits: list[Any] = []
        changed_permits: list[Any] = []
        if permit["starts"] > self.now[:10]:
            if permit["id"] in self.permits:
                self._remove("permits", permit)
            deleted_permits.append(permit)
        else:
            changed_permits.append(permit)
            if permit["id"] in self.permits:
                self._put("permits", permit, "ends", self.now[:10])
        for one_permit in _distinct(changed_permits):
            if one_permit["id"] in self.permits and self._breaks_rule_1(one_permit):
                return self._take_back(RULES[0])
        for one_permit in _distinct(
            [
                *[
                    user
                    for one in [self.zones[one["zone_id"]] for one in deleted_permits]
                    for user in self._permits_by_zone.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.zones[one["zone_id"]] for one in changed_permits]
                    for user in self._permits_by_zone.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_permit["id"] in self.permits and self._breaks_rule_2(one_permit):
                return self._take_back(RULES[1])
        for one_permit in _distinct(changed_permits):
            if one_permit["id"] in self.permits and self._breaks_rule_3_p(one_permit):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: end the permit of the {self.cars[permit['car_id']]['model']} "
                f"{self.cars[permit['car_id']]['plate']} for {self.zones[permit['zone_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def tow_car(self, ticket_id: str) -> Result:
        """Tow a car that blocks others today or has three open tickets; 150.00 are added to the ticket it is towed
        for.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if not self._is_open(ticket):
            return _refused(f"The ticket is {ticket['stage']}.")
        if self.cars[ticket["car_id"]]["towed_on"] is not None:
            return _refused(
                f"The {self.cars[ticket['car_id']]['model']} {self.cars[ticket['car_id']]['plate']} is in the "
                "pound already."
            )
        if not (
            ticket["offence"] == "blocking"
            and ticket["issued_on"] == self.now[:10]
            or self._car_open_tickets(self.cars[ticket["car_id"]]) >= 3
        ):
            return _refused(
                f"The {self.cars[ticket['car_id']]['model']} {self.cars[ticket['car_id']]['plate']} blocks nobody "
                f"today and has {self._car_open_tickets(self.cars[ticket['car_id']])} open tickets, not three."
            )
        if self._in_plan(ticket):
            return _refused("The ticket is being paid in instalments.")
        if self._appealed(ticket):
            return _refused("An appeal against the ticket is pending, so nothing is towed for it.")
        self._journal = []
        amount = ticket["amount"] + 15000
        if not 0 <= amount <= 500000:
            return self._take_back(f"The amount of {ticket['id']} must be between 0.00 and 5,000.00.")
        self._put("tickets", ticket, "amount", amount)
        car = self.cars[ticket["car_id"]]
        self._put("cars", car, "towed_on", self.now[:10])
        if self._breaks_rule_5(ticket):
            return self._take_back(RULES[4])
        for one_plan in _distinct([self.plans.get(ticket["plan_id"])]):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: tow the {self.cars[ticket['car_id']]['model']} {self.cars[ticket['car_id']]['plate']}."
            ),
            "data": self._changes(),
        }

    def release_car(
        self,
        car_id: str,
        storage: Annotated[int, {"minimum": 0, "maximum": 1000000}] | None = None,
    ) -> Result:
        """Release a car from the pound for its storage by the day, which may be stated as a check, once each of its
        open tickets is paid or part of a running plan.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            storage (int, optional): Storage that is due until today, as a check, in cents, from 0 to 1000000. If
                left out, the storage due is not checked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if car["towed_on"] is None:
            return _refused(f"The {car['model']} {car['plate']} is not in the pound.")
        unpaid = next(
            (
                t
                for t in sorted(self._tickets_by_car.get(car_id, {}).values(), key=_age)
                if self._is_open(t)
                and not self._in_plan(t)
            ),
            None,
        )
        if unpaid is not None:
            return _refused(
                f"The ticket of {unpaid['issued_on']} for the {car['model']} {car['plate']} is neither paid nor "
                "part of a plan."
            )
        if storage is not None and storage != self._storage_due(car, self.now[:10]):
            return _refused(
                f"Storage of the {car['model']} {car['plate']} comes to "
                f"{_money(self._storage_due(car, self.now[:10]))}, not {_money(storage)}."
            )
        self._journal = []
        self._put("cars", car, "towed_on", None)
        done = f"release the {car['model']} {car['plate']}"
        if storage is not None:
            done += f" for {_money(storage)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def agree_plan(
        self,
        motorist_id: str,
        ticket_ids: Annotated[list[str], {"maxItems": 20}],
        instalment: Annotated[int, {"minimum": 500, "maximum": 100000}],
    ) -> Result:
        """Agree that a motorist pays open tickets in monthly instalments, twelve at most, the first in a month.

        Args:
            motorist_id (str): Id of the motorist, such as MOTORIST-00001.
            ticket_ids (list): Open tickets of this motorist that are paid in instalments: ids of tickets, such as
                TICKET-00001.
            instalment (int): Amount of each monthly instalment, in cents, from 500 to 100000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        motorist = self.motorists.get(motorist_id)
        if motorist is None:
            return _refused(f"There is no motorist {motorist_id!r}.")
        tickets = []
        for key in ticket_ids:
            if key not in self.tickets:
                return _refused(f"There is no ticket {key!r}.")
            tickets.append(self.tickets[key])
        if not (len(tickets) > 0 and _different([t["id"] for t in tickets])):
            return _refused("Name at least one ticket, and each once.")
        if self._plans_by_motorist_status.get((motorist_id, "running"), {}):
            return _refused(f"{motorist['name']} has a plan running already.")
        if not all(self.cars[t["car_id"]]["keeper_id"] == motorist_id and self._is_open(t) for t in tickets):
            return _refused(f"All tickets must be open and belong to cars of {motorist['name']}.")
        if any(self._appealed(t) for t in tickets):
            return _refused("An appeal against one of the tickets is pending.")
        if sum(self._ticket_left(t) for t in tickets) > instalment * 12:
            return _refused(
                f"{_money(sum(self._ticket_left(t) for t in tickets))} cannot be paid in twelve instalments of "
                f"{_money(instalment)}."
            )
        self._journal = []
        changed_tickets: list[Any] = []
        former_plan_ids: list[Any] = []
        plan: Plan = {
            "id": self._new_id("plan", "PLAN", self.plans),
            "motorist_id": motorist_id,
            "instalment": instalment,
            "missed": 0,
            "due_on": _add_months(self.now[:10], 1),
            "status": "running",
        }
        self._add("plans", plan)
        for t in list(tickets):
            changed_tickets.append(t)
            former_plan_ids.append(t["plan_id"])
            self._put("tickets", t, "plan_id", plan["id"])
        for one_appeal in _distinct(
            [
                user
                for one in changed_tickets
                for user in self._appeals_by_ticket_status.get((one["id"], "pending"), {}).values()
            ]
        ):
            if self._breaks_rule_8_a_again(one_appeal):
                return self._take_back(RULES[7])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_9(one_ticket):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_p(plan):
            return self._take_back(RULES[9])
        for one_plan in _distinct(
            [
                plan,
                *[self.plans.get(one["plan_id"]) for one in changed_tickets],
                *[self.plans.get(key) for key in former_plan_ids],
            ]
        ):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(plan):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: let {motorist['name']} pay {len(tickets)} tickets in instalments of {_money(instalment)} "
                f"(new: plan {plan['id']})."
            ),
            "data": {"plan_id": plan["id"], **self._changes()},
        }

    def book_instalment(self, plan_id: str, received: bool) -> Result:
        """Book an instalment of a plan on its tickets, oldest first, or that it was missed; the second miss breaks
        the plan and sends its tickets to collection.

        Args:
            plan_id (str): Id of the plan, such as PLAN-00001.
            received (bool): Whether the instalment came in, rather than being missed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if plan["status"] != "running":
            return _refused(f"The plan of {self.motorists[plan['motorist_id']]['name']} is {plan['status']}.")
        if not (received or plan["due_on"] < self.now[:10]):
            return _refused(
                f"The instalment of {self.motorists[plan['motorist_id']]['name']} is due on {plan['due_on']} and "
                "cannot have been missed yet."
            )
        self._journal = []
        changed_tickets: list[Any] = []
        changed_tickets_2: list[Any] = []
        changed_plans: list[Any] = []
        changed_plans_2: list[Any] = []
        self._put("plans", plan, "due_on", _add_months(plan["due_on"], 1))
        if received:
            rest = plan["instalment"]
            for t in sorted(
                [t for t in self._tickets_by_plan.get(plan_id, {}).values() if self._is_open(t)],
                key=lambda t: (t["issued_on"], t["id"], _age(t)),
            ):
                part = min(rest, self._ticket_left(t))
                rest = rest - part
                paid = t["paid"] + part
                if not 0 <= paid <= 500000:
                    return self._take_back(f"The paid of {t['id']} must be between 0.00 and 5,000.00.")
                changed_tickets.append(t)
                self._put("tickets", t, "paid", paid)
                if self._ticket_left(t) == 0:
                    if t["stage"] not in ("issued", "reminded", "collection", "paid", "surcharged"):
                        return self._take_back(f"Ticket {t['id']} cannot go from {t['stage']} to paid.")
                    changed_tickets_2.append(t)
                    self._put("tickets", t, "stage", "paid")
            if not any(self._is_open(t) for t in self._tickets_by_plan.get(plan_id, {}).values()):
                changed_plans.append(plan)
                self._put("plans", plan, "status", "completed")
        else:
            missed = plan["missed"] + 1
            if not 0 <= missed <= 2:
                return self._take_back(f"The missed of {plan['id']} must be between 0 and 2.")
            changed_plans_2.append(plan)
            self._put("plans", plan, "missed", missed)
            if plan["missed"] == 2:
                if plan["status"] not in ("running", "broken"):
                    return self._take_back(f"Plan {plan['id']} cannot go from {plan['status']} to broken.")
                changed_plans.append(plan)
                self._put("plans", plan, "status", "broken")
                for t in [
                    t
                    for t in sorted(self._tickets_by_plan.get(plan_id, {}).values(), key=_age)
                    if self._is_open(t)
                    and t["stage"] != "collection"
                ]:
                    if t["stage"] not in ("issued", "reminded", "collection", "surcharged"):
                        return self._take_back(f"Ticket {t['id']} cannot go from {t['stage']} to collection.")
                    changed_tickets_2.append(t)
                    self._put("tickets", t, "stage", "collection")
        for one_ticket in _distinct(changed_tickets_2):
            if self._breaks_rule_3_t(one_ticket):
                return self._take_back(RULES[2])
        for one_ticket in _distinct([*changed_tickets, *changed_tickets_2]):
            if self._breaks_rule_5(one_ticket):
                return self._take_back(RULES[4])
        for one_appeal in _distinct(
            [
                user
                for one in changed_tickets_2
                for user in self._appeals_by_ticket_status.get((one["id"], "pending"), {}).values()
            ]
        ):
            if self._breaks_rule_8_a(one_appeal):
                return self._take_back(RULES[7])
        for one_appeal in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_plans
                    for user in self._tickets_by_plan.get(one["id"], {}).values()
                ]
                for user in self._appeals_by_ticket_status.get((one["id"], "pending"), {}).values()
            ]
        ):
            if self._breaks_rule_8_a_again(one_appeal):
                return self._take_back(RULES[7])
        for one_plan in _distinct(changed_plans):
            if self._breaks_rule_10_p(one_plan):
                return self._take_back(RULES[9])
        for one_plan in _distinct(
            [
                *[self.plans.get(one["plan_id"]) for one in changed_tickets],
                *[self.plans.get(one["plan_id"]) for one in changed_tickets_2],
                *changed_plans,
            ]
        ):
            if self._breaks_rule_10_p_again(one_plan):
                return self._take_back(RULES[9])
        for one_plan in _distinct([*changed_plans, *changed_plans_2]):
            if self._breaks_rule_11(one_plan):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: book an instalment of {self.motorists[plan['motorist_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_motorist(self, motorist: Motorist) -> dict[str, Any]:
        """The motorist as an answer shows it."""
        return {**motorist, "owes": self._motorist_owes(motorist)}

    def _show_car(self, car: Car) -> dict[str, Any]:
        """The car as an answer shows it."""
        return {**car, "open_tickets": self._car_open_tickets(car)}

    def _show_ticket(self, ticket: Ticket) -> dict[str, Any]:
        """The ticket as an answer shows it."""
        return {**ticket, "left": self._ticket_left(ticket)}

    def _show_plan(self, plan: Plan) -> dict[str, Any]:
        """The plan as an answer shows it."""
        return {**plan, "left": self._plan_left(plan)}

    def _names_of_cars(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cars point to."""
        return _names((self.motorists, "name", [row["keeper_id"] for row in shown]))

    def _names_of_permits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that permits point to."""
        return _names(
            (self.cars, "plate", [row["car_id"] for row in shown]),
            (self.zones, "name", [row["zone_id"] for row in shown]),
        )

    def _names_of_tickets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tickets point to."""
        return _names(
            (self.cars, "plate", [row["car_id"] for row in shown]),
            (self.zones, "name", [row["zone_id"] for row in shown]),
            (self.officers, "name", [row["officer_id"] for row in shown]),
        )

    def _names_of_appeals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that appeals point to."""
        return _names((self.officers, "name", [row["reviewer_id"] for row in shown]))

    def _names_of_plans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plans point to."""
        return _names((self.motorists, "name", [row["motorist_id"] for row in shown]))

    def _motorist_owes(self, motorist: Motorist) -> int:
        """The owes of a motorist."""
        return sum(
            self._ticket_left(t)
            for _car in self._cars_by_keeper.get(motorist["id"], {}).values()
            for t in self._tickets_by_car.get(_car["id"], {}).values()
            if t["stage"] not in ("paid", "cancelled")
        )

    def _car_open_tickets(self, car: Car) -> int:
        """The open tickets of a car."""
        return sum(
            1
            for t in self._tickets_by_car.get(car["id"], {}).values()
            if t["stage"] not in ("paid", "cancelled")
        )

    def _ticket_left(self, ticket: Ticket) -> int:
        """The left of a ticket."""
        return ticket["amount"] - ticket["paid"]

    def _plan_left(self, plan: Plan) -> int:
        """The left of a plan."""
        return sum(
            self._ticket_left(t)
            for t in self._tickets_by_plan.get(plan["id"], {}).values()
            if t["stage"] not in ("paid", "cancelled")
        )

    def _is_open(self, t: Ticket) -> bool:
        return t["stage"] not in ("paid", "cancelled")

    def _appealed(self, t: Ticket) -> bool:
        return any(a["status"] == "pending" for a in self._appeals_by_ticket.get(t["id"], {}).values())

    def _in_plan(self, t: Ticket) -> bool:
        return t["plan_id"] is not None and self.plans[t["plan_id"]]["status"] == "running"

    def _settles(self, t: Ticket, d: str) -> int:
        return (
            _rounded(Fraction(t["amount"], 2)) - t["paid"]
            if t["stage"] == "issued" and d <= t["due_on"] and t["paid"] * 2 < t["amount"]
            else self._ticket_left(t)
        )

    def _has_permit(self, c: Car, z: Zone, d: str) -> bool:
        return any(
            p["starts"] <= d
            and d < p["ends"]
            for p in self._permits_by_car_zone.get((c["id"], z["id"]), {}).values()
        )

    def _permits_in(self, z: Zone, d: str) -> int:
        return sum(1 for p in self._permits_by_zone.get(z["id"], {}).values() if (p["starts"] <= d and d < p["ends"]))

    def _storage_due(self, c: Car, d: str) -> int:
        return c["storage_a_day"] * _days_between(c["towed_on"], d) if c["towed_on"] is not None else 0

    def _can_rise(self, t: Ticket, d: str) -> bool:
        return (
            self._is_open(t)
            and t["stage"] != "collection"
            and t["due_on"] < d
            and not self._appealed(t)
            and not self._in_plan(t)
        )

    def _breaks_rule_1(self, a: Permit) -> bool:
        """Whether this is broken: a car has one permit at a time for a zone."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._permits_by_car_zone.get((a["car_id"], a["zone_id"]), {}).values()
            if a is not b
        )

    def _breaks_rule_2(self, a: Permit) -> bool:
        """Whether this is broken: no zone has more permits running than it can bear."""
        return sum(
            1
            for b in self._permits_by_zone.get(a["zone_id"], {}).values()
            if (b["starts"] <= a["starts"] and a["starts"] < b["ends"])
        ) > self.zones[a["zone_id"]]["most_permits"]

    def _breaks_rule_3_t(self, t: Ticket) -> bool:
        """Whether this is broken: a car with a permit for the zone is not fined for lacking one."""
        return (
            t["offence"] == "no_permit"
            and t["stage"] != "cancelled"
            and any(
                p["starts"] <= t["issued_on"]
                and t["issued_on"] < p["ends"]
                for p in self._permits_by_car_zone.get((t["car_id"], t["zone_id"]), {}).values()
            )
        )

    def _breaks_rule_3_p(self, p: Permit) -> bool:
        """Whether this is broken: a car with a permit for the zone is not fined for lacking one."""
        return any(
            p["starts"] <= t["issued_on"]
            and t["issued_on"] < p["ends"]
            for t in self._tickets_by_car_zone_offence.get((p["car_id"], p["zone_id"], "no_permit"), {}).values()
            if t["stage"] != "cancelled"
        )

    def _breaks_rule_4(self, t: Ticket) -> bool:
        """Whether this is broken: a car gets one ticket a day in a zone."""
        return any(
            other_t is not t
            for other_t in self._tickets_by_car_zone.get((t["car_id"], t["zone_id"]), {}).values()
            if other_t["issued_on"] == t["issued_on"]
        )

    def _breaks_rule_5(self, t: Ticket) -> bool:
        """Whether this is broken: nobody pays more than a ticket costs, and a ticket is paid when nothing is left.
        """
        return (
            t["paid"] > t["amount"]
            or (t["stage"] == "paid") != (self._ticket_left(t) == 0 and t["stage"] != "cancelled")
        )

    def _breaks_rule_6_a(self, a: Appeal) -> bool:
        """Whether this is broken: an appeal is decided by a reviewer who did not write the ticket."""
        return (a["status"] == "pending") != (a["reviewer_id"] is None)

    def _breaks_rule_6_a_again(self, a: Appeal) -> bool:
        """Whether this is broken: an appeal is decided by a reviewer who did not write the ticket."""
        return (
            a["reviewer_id"] is not None
            and (
                not self.officers[a["reviewer_id"]]["reviewer"]
                or a["reviewer_id"] == self.tickets[a["ticket_id"]]["officer_id"]
            )
        )

    def _breaks_rule_7_a(self, a: Appeal) -> bool:
        """Whether this is broken: a ticket has one appeal pending at a time and two at most."""
        return (
            a["status"] == "pending"
            and any(
                other_a is not a
                for other_a in self._appeals_by_ticket_status.get((a["ticket_id"], "pending"), {}).values()
            )
        )

    def _breaks_rule_7_t(self, t: Ticket) -> bool:
        """Whether this is broken: a ticket has one appeal pending at a time and two at most."""
        return len(self._appeals_by_ticket.get(t["id"], {})) > 2

    def _breaks_rule_8_a(self, a: Appeal) -> bool:
        """Whether this is broken: no appeal is pending on a ticket that is paid, cancelled, in collection or in a
        running plan.
        """
        return (
            a["status"] == "pending"
            and self.tickets[a["ticket_id"]]["stage"] in ("paid", "cancelled", "collection")
        )

    def _breaks_rule_8_a_again(self, a: Appeal) -> bool:
        """Whether this is broken: no appeal is pending on a ticket that is paid, cancelled, in collection or in a
        running plan.
        """
        return (
            a["status"] == "pending"
            and self.tickets[a["ticket_id"]]["plan_id"] is not None
            and self.plans[self.tickets[a["ticket_id"]]["plan_id"]]["status"] == "running"
        )

    def _breaks_rule_9(self, t: Ticket) -> bool:
        """Whether this is broken: a plan is about tickets of the motorist who agreed to it."""
        return (
            t["plan_id"] is not None
            and self.plans[t["plan_id"]]["motorist_id"] != self.cars[t["car_id"]]["keeper_id"]
        )

    def _breaks_rule_10_p(self, p: Plan) -> bool:
        """Whether this is broken: a motorist has one running plan, and something is left in it."""
        return (
            p["status"] == "running"
            and any(
                other_p is not p
                for other_p in self._plans_by_motorist_status.get((p["motorist_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_10_p_again(self, p: Plan) -> bool:
        """Whether this is broken: a motorist has one running plan, and something is left in it."""
        return p["status"] == "running" and self._plan_left(p) <= 0

    def _breaks_rule_11(self, p: Plan) -> bool:
        """Whether this is broken: a plan with two missed instalments is broken."""
        return (p["status"] == "broken") != (p["missed"] == 2)

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
            case "cars":
                self._cars_by_keeper.setdefault(record["keeper_id"], {})[record["id"]] = record
            case "permits":
                self._permits_by_car_zone.setdefault((record["car_id"], record["zone_id"]), {})[record["id"]] = record
                self._permits_by_zone.setdefault(record["zone_id"], {})[record["id"]] = record
            case "tickets":
                self._tickets_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._tickets_by_car_stage.setdefault((record["car_id"], record["stage"]), {})[record["id"]] = record
                self._tickets_by_car_zone.setdefault((record["car_id"], record["zone_id"]), {})[record["id"]] = record
                self._tickets_by_car_zone_offence.setdefault(
                    (record["car_id"], record["zone_id"], record["offence"]),
                    {},
                )[record["id"]] = record
                self._tickets_by_plan.setdefault(record["plan_id"], {})[record["id"]] = record
            case "appeals":
                self._appeals_by_ticket.setdefault(record["ticket_id"], {})[record["id"]] = record
                self._appeals_by_ticket_status.setdefault(
                    (record["ticket_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "plans":
                self._plans_by_motorist_status.setdefault(
                    (record["motorist_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "cars":
                del self._cars_by_keeper[record["keeper_id"]][record["id"]]
            case "permits":
                del self._permits_by_car_zone[record["car_id"], record["zone_id"]][record["id"]]
                del self._permits_by_zone[record["zone_id"]][record["id"]]
            case "tickets":
                del self._tickets_by_car[record["car_id"]][record["id"]]
                del self._tickets_by_car_stage[record["car_id"], record["stage"]][record["id"]]
                del self._tickets_by_car_zone[record["car_id"], record["zone_id"]][record["id"]]
                del self._tickets_by_car_zone_offence[
                    record["car_id"],
                    record["zone_id"],
                    record["offence"],
                ][record["id"]]
                del self._tickets_by_plan[record["plan_id"]][record["id"]]
            case "appeals":
                del self._appeals_by_ticket[record["ticket_id"]][record["id"]]
                del self._appeals_by_ticket_status[record["ticket_id"], record["status"]][record["id"]]
            case "plans":
                del self._plans_by_motorist_status[record["motorist_id"], record["status"]][record["id"]]
