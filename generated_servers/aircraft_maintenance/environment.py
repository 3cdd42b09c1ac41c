"""Aircraft maintenance. Compiled from blueprint.yaml; run `envscaler build aircraft_maintenance` after changing it there.

Keeps a small fleet airworthy, with parts whose life runs out by hours and cycles, defects that may be deferred
for some days, task cards signed by licensed engineers and release to service.
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
    "An aircraft in service has two engines and one of each other part.",
    "No aircraft has more parts of a kind than belong in it.",
    "No part stays in an aircraft beyond its life.",
    "An aircraft in service has no unfinished task card.",
    "Defects of category A are never deferred, and an aircraft flies with three deferred ones at most.",
    "A deferred defect says until when the aircraft may fly with it, and who decided that.",
    "A card is signed by somebody with its licence, and inspected by somebody else who has it too.",
    "A card is signed only when the one before it is finished.",
    "Dropped cards are not signed.",
    "A release is signed by somebody with licence C.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "log_flight",
    "report_defect",
    "defer_defect",
    "rectify_defect",
    "start_check",
    "raise_card",
    "sign_card",
    "inspect_card",
    "drop_card",
    "move_part",
    "overhaul_part",
    "release_aircraft",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "aircraft": ("registration",),
    "parts": ("serial",),
    "engineers": ("name",),
    "defects": (),
    "cards": ("number",),
    "releases": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("aircraft", "status"),
    ("cards", "after_id"),
    ("cards", "aircraft_id"),
    ("cards", "number"),
    ("defects", "aircraft_id"),
    ("defects", "status"),
    ("parts", "aircraft_id"),
    ("parts", "kind"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Aircraft(TypedDict):
    id: str
    registration: str
    hours: int
    cycles: int
    check_due_at: int | None
    status: Literal["in_service", "grounded", "in_check"]


class Part(TypedDict):
    id: str
    serial: str
    kind: Literal["engine", "apu", "battery", "landing_gear", "fuel_pump"]
    life_hours: int | None
    life_cycles: int | None
    hours_before: int
    cycles_before: int
    aircraft_id: str | None
    at_hours: int
    at_cycles: int


class Engineer(TypedDict):
    id: str
    name: str
    licences: list[Literal["B1", "B2", "C"]]


class Defect(TypedDict):
    id: str
    aircraft_id: str
    about: str
    category: Literal["A", "B", "C", "D"]
    reported_on: str
    fly_until: str | None
    handled_by_id: str | None
    status: Literal["open", "deferred", "rectified"]


class Card(TypedDict):
    id: str
    number: str
    aircraft_id: str
    work: str
    licence: Literal["B1", "B2"]
    twice: bool
    after_id: str | None
    signed_by_id: str | None
    inspected_by_id: str | None
    dropped: bool


class Release(TypedDict):
    id: str
    aircraft_id: str
    engineer_id: str
    released_at: str
    hours: int


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class AircraftMaintenance:
    """Keeps a small fleet airworthy, with parts whose life runs out by hours and cycles, defects that may
    be deferred for some days, task cards signed by licensed engineers and release to service.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.aircraft: dict[str, Aircraft] = _copied(config.get("aircraft", {}))
        self.parts: dict[str, Part] = _copied(config.get("parts", {}))
        self.engineers: dict[str, Engineer] = _copied(config.get("engineers", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.cards: dict[str, Card] = _copied(config.get("cards", {}))
        self.releases: dict[str, Release] = _copied(config.get("releases", {}))
        self.now: str = config.get("now", "2026-04-20T06:30")
        self.counters: dict[str, int] = {
            "aircraft": len(self.aircraft),
            "part": len(self.parts),
            "engineer": len(self.engineers),
            "defect": len(self.defects),
            "card": len(self.cards),
            "release": len(self.releases),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._aircraft_by_status: dict[Any, dict[str, Aircraft]] = {}
        self._parts_by_aircraft: dict[Any, dict[str, Part]] = {}
        self._parts_by_kind_aircraft: dict[Any, dict[str, Part]] = {}
        self._defects_by_aircraft: dict[Any, dict[str, Defect]] = {}
        self._defects_by_aircraft_status: dict[Any, dict[str, Defect]] = {}
        self._defects_by_status: dict[Any, dict[str, Defect]] = {}
        self._cards_by_after: dict[Any, dict[str, Card]] = {}
        self._cards_by_aircraft: dict[Any, dict[str, Card]] = {}
        self._cards_by_number: dict[Any, dict[str, Card]] = {}
        for aircraft in self.aircraft.values():
            self._link("aircraft", aircraft)
        for part in self.parts.values():
            self._link("parts", part)
        for defect in self.defects.values():
            self._link("defects", defect)
        for card in self.cards.values():
            self._link("cards", card)

    def life_left(
        self,
        margin: Annotated[int, {"minimum": 1, "maximum": 2000}],
        aircraft_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Parts in aircraft with few hours or cycles left, the fewest hours first.

        Args:
            margin (int): Most hours or cycles that the parts listed have left, from 1 to 2000.
            aircraft_id (str, optional): Aircraft whose parts are listed; an id such as AIRCRAFT-00001. If left
                out, the parts in all aircraft are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}} or {"success": False, "error": why
                not}
        """
        aircraft = self.aircraft.get(aircraft_id) if aircraft_id is not None else None
        if aircraft_id is not None and aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        found = [
            p
            for p in self.parts.values()
            if (
                p["aircraft_id"] is not None
                and (self._part_hours_left(p) <= margin or self._part_cycles_left(p) <= margin)
            )
            and (aircraft_id is None or p["aircraft_id"] == aircraft_id)
        ]
        found.sort(key=lambda p: (self._part_hours_left(p), self._part_cycles_left(p), p["serial"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "serial": p["serial"],
                "kind": p["kind"],
                "aircraft_id": p["aircraft_id"],
                "hours_left": self._part_hours_left(p),
                "cycles_left": self._part_cycles_left(p),
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "parts": shown},
            _names((self.aircraft, "registration", [row["aircraft_id"] for row in shown])),
        )

    def spare_parts(
        self,
        kind: Literal["engine", "apu", "battery", "landing_gear", "fuel_pump"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Parts of a kind in the store that still have life, the most hours left first.

        Args:
            kind (str): Kind of part wanted from the store: engine, apu, battery, landing_gear or fuel_pump.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self.parts.values()
            if (p["aircraft_id"] is None and p["kind"] == kind)
            and (self._part_hours_left(p) > 0 and self._part_cycles_left(p) > 0)
        ]
        found.sort(key=lambda p: (-self._part_hours_left(p), -self._part_cycles_left(p), p["serial"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parts": [
                    {
                        "id": p["id"],
                        "serial": p["serial"],
                        "hours_left": self._part_hours_left(p),
                        "cycles_left": self._part_cycles_left(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def deferred_list(
        self,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Deferred defects, the first to run out first.

        Args:
            until (str, optional): Day by which the time allowed for the defects listed ends, as YYYY-MM-DD. If
                left out, all deferred defects are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}} or {"success": False, "error": why
                not}
        """
        found = [
            d
            for d in self._defects_by_status.get("deferred", {}).values()
            if (until is None or d["fly_until"] is not None and d["fly_until"] <= until)
        ]
        found.sort(key=lambda d: (d["fly_until"] if d["fly_until"] is not None else self.now[:10], d["id"], _age(d)))
        return _found(
            {
                "total": len(found),
                "defects": [
                    {
                        "id": d["id"],
                        "aircraft": self.aircraft[d["aircraft_id"]]["registration"],
                        "about": d["about"],
                        "category": d["category"],
                        "fly_until": d["fly_until"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def why_not(self, aircraft_id: str) -> Result:
        """What keeps an aircraft from flying or from being released.

        Args:
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.

        Returns:
            dict: {"success": True, "data": {status, hours, check_due_at, missing, unfinished_cards, open_defects,
                overdue_defects}} or {"success": False, "error": why not}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        return _found(
            {
                "status": aircraft["status"],
                "hours": aircraft["hours"],
                "check_due_at": aircraft["check_due_at"],
                "missing": [*self._missing(aircraft)],
                "unfinished_cards": [
                    *[
                        x["number"]
                        for x in sorted(self._cards_by_aircraft.get(aircraft_id, {}).values(), key=_age)
                        if not self._card_finished(x)
                    ]
                ],
                "open_defects": [
                    *[
                        d["about"]
                        for d in sorted(
                            self._defects_by_aircraft_status.get((aircraft_id, "open"), {}).values(),
                            key=_age,
                        )
                    ]
                ],
                "overdue_defects": [
                    *[
                        d["about"]
                        for d in sorted(
                            self._defects_by_aircraft_status.get((aircraft_id, "deferred"), {}).values(),
                            key=_age,
                        )
                        if d["fly_until"] is not None
                        and d["fly_until"] < self.now[:10]
                    ]
                ],
            }
        )

    def list_aircraft(
        self,
        registration: Text | None = None,
        status: Literal["in_service", "grounded", "in_check"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the aircraft, oldest first, all of them or only some.

        Args:
            registration (str, optional): Only aircraft whose registration contains this text.
            status (str, optional): Only aircraft with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "aircraft": records}}
        """
        found = [
            aircraft
            for aircraft in self.aircraft.values()
            if (registration is None or registration.casefold() in aircraft["registration"].casefold())
            and (status is None or aircraft["status"] == status)
        ]
        return _found(
            {"total": len(found), "aircraft": [self._show_aircraft(aircraft) for aircraft in _page(found, offset)]}
        )

    def list_parts(
        self,
        serial: Text | None = None,
        kind: Literal["engine", "apu", "battery", "landing_gear", "fuel_pump"] | None = None,
        aircraft_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parts, oldest first, all of them or only some.

        Args:
            serial (str, optional): Only parts whose serial contains this text.
            kind (str, optional): Only parts with this kind.
            aircraft_id (str, optional): Only parts of this aircraft.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}}
        """
        if aircraft_id is not None and aircraft_id not in self.aircraft:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        found = [
            part
            for part in self.parts.values()
            if (serial is None or serial.casefold() in part["serial"].casefold())
            and (kind is None or part["kind"] == kind)
            and (aircraft_id is None or part["aircraft_id"] == aircraft_id)
        ]
        shown = [self._show_part(part) for part in _page(found, offset)]
        return _found({"total": len(found), "parts": shown}, self._names_of_parts(shown))

    def list_engineers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the engineers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only engineers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "engineers": records}}
        """
        found = [
            engineer
            for engineer in self.engineers.values()
            if (name is None or name.casefold() in engineer["name"].casefold())
        ]
        return _found(
            {"total": len(found), "engineers": [self._show_engineer(engineer) for engineer in _page(found, offset)]}
        )

    def list_defects(
        self,
        aircraft_id: str | None = None,
        category: Literal["A", "B", "C", "D"] | None = None,
        handled_by_id: str | None = None,
        status: Literal["open", "deferred", "rectified"] | None = None,
        reported_on_from: Date | None = None,
        reported_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            aircraft_id (str, optional): Only defects of this aircraft.
            category (str, optional): Only defects with this category.
            handled_by_id (str, optional): Only defects handled by this engineer.
            status (str, optional): Only defects with this status.
            reported_on_from (str, optional): Only defects whose `reported_on` is on this day or later.
            reported_on_to (str, optional): Only defects whose `reported_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if aircraft_id is not None and aircraft_id not in self.aircraft:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if handled_by_id is not None and handled_by_id not in self.engineers:
            return _refused(f"There is no engineer {handled_by_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (aircraft_id is None or defect["aircraft_id"] == aircraft_id)
            and (category is None or defect["category"] == category)
            and (handled_by_id is None or defect["handled_by_id"] == handled_by_id)
            and (status is None or defect["status"] == status)
            and (reported_on_from is None or defect["reported_on"] >= reported_on_from)
            and (reported_on_to is None or defect["reported_on"] <= reported_on_to)
        ]
        shown = [{**defect} for defect in _page(found, offset)]
        return _found({"total": len(found), "defects": shown}, self._names_of_defects(shown))

    def list_cards(
        self,
        number: Text | None = None,
        aircraft_id: str | None = None,
        licence: Literal["B1", "B2"] | None = None,
        twice: bool | None = None,
        after_id: str | None = None,
        signed_by_id: str | None = None,
        inspected_by_id: str | None = None,
        dropped: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cards, oldest first, all of them or only some.

        Args:
            number (str, optional): Only cards whose number contains this text.
            aircraft_id (str, optional): Only cards of this aircraft.
            licence (str, optional): Only cards with this licence.
            twice (bool, optional): Only cards with this value of `twice`.
            after_id (str, optional): Only cards after this card.
            signed_by_id (str, optional): Only cards signed by this engineer.
            inspected_by_id (str, optional): Only cards inspected by this engineer.
            dropped (bool, optional): Only cards that are dropped (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cards": records}}
        """
        if aircraft_id is not None and aircraft_id not in self.aircraft:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if after_id is not None and after_id not in self.cards:
            return _refused(f"There is no card {after_id!r}.")
        if signed_by_id is not None and signed_by_id not in self.engineers:
            return _refused(f"There is no engineer {signed_by_id!r}.")
        if inspected_by_id is not None and inspected_by_id not in self.engineers:
            return _refused(f"There is no engineer {inspected_by_id!r}.")
        found = [
            card
            for card in self.cards.values()
            if (number is None or number.casefold() in card["number"].casefold())
            and (aircraft_id is None or card["aircraft_id"] == aircraft_id)
            and (licence is None or card["licence"] == licence)
            and (twice is None or card["twice"] == twice)
            and (after_id is None or card["after_id"] == after_id)
            and (signed_by_id is None or card["signed_by_id"] == signed_by_id)
            and (inspected_by_id is None or card["inspected_by_id"] == inspected_by_id)
            and (dropped is None or card["dropped"] == dropped)
        ]
        shown = [self._show_card(card) for card in _page(found, offset)]
        return _found({"total": len(found), "cards": shown}, self._names_of_cards(shown))

    def list_releases(
        self,
        aircraft_id: str | None = None,
        engineer_id: str | None = None,
        released_at_from: Date | None = None,
        released_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the releases, oldest first, all of them or only some.

        Args:
            aircraft_id (str, optional): Only releases of this aircraft.
            engineer_id (str, optional): Only releases of this engineer.
            released_at_from (str, optional): Only releases whose `released_at` is on this day or later.
            released_at_to (str, optional): Only releases whose `released_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "releases": records}}
        """
        if aircraft_id is not None and aircraft_id not in self.aircraft:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if engineer_id is not None and engineer_id not in self.engineers:
            return _refused(f"There is no engineer {engineer_id!r}.")
        found = [
            release
            for release in self.releases.values()
            if (aircraft_id is None or release["aircraft_id"] == aircraft_id)
            and (engineer_id is None or release["engineer_id"] == engineer_id)
            and (released_at_from is None or release["released_at"][:10] >= released_at_from)
            and (released_at_to is None or release["released_at"][:10] <= released_at_to)
        ]
        shown = [{**release} for release in _page(found, offset)]
        return _found({"total": len(found), "releases": shown}, self._names_of_releases(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def log_flight(self, aircraft_id: str, flown: Annotated[int, {"minimum": 1, "maximum": 14}]) -> Result:
        """Log a flight of an aircraft in service.

        Args:
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.
            flown (int): Flight time of this one flight in hours, from 1 to 14.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if aircraft["status"] != "in_service":
            return _refused(f"{aircraft['registration']} is {aircraft['status']}.")
        stop = self._stopping(aircraft, self.now[:10])
        if stop is not None:
            return _refused(
                f"{aircraft['registration']} may not fly with {stop['about']}; have it deferred or rectified first."
            )
        if aircraft["check_due_at"] is not None and aircraft["hours"] + flown > aircraft["check_due_at"]:
            return _refused(
                f"{aircraft['registration']} has {aircraft['hours']} hours and its next check is due at "
                f"{aircraft['check_due_at']}; have it done first."
            )
        part = self._worn(aircraft, flown, 1)
        if part is not None:
            return _refused(
                f"The {part['kind']} {part['serial']} has {self._part_hours_left(part)} hours and "
                f"{self._part_cycles_left(part)} cycles left."
            )
        self._journal = []
        hours = aircraft["hours"] + flown
        if not 0 <= hours <= 90000:
            return self._take_back(f"The hours of {aircraft['registration']} must be between 0 and 90000.")
        self._put("aircraft", aircraft, "hours", hours)
        cycles = aircraft["cycles"] + 1
        if not 0 <= cycles <= 60000:
            return self._take_back(f"The cycles of {aircraft['registration']} must be between 0 and 60000.")
        self._put("aircraft", aircraft, "cycles", cycles)
        for one_part in _distinct(self._parts_by_aircraft.get(aircraft["id"], {}).values()):
            if self._breaks_rule_3(one_part):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: log {flown} hours for {aircraft['registration']}.",
            "data": self._changes(),
        }

    def report_defect(self, aircraft_id: str, about: Text, category: Literal["A", "B", "C", "D"]) -> Result:
        """Report a defect; one of category A, a no-go item that nothing allows to be deferred, grounds an aircraft in
        service.

        Args:
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.
            about (str): Short description of the defect, not yet known for this aircraft.
            category (str): Urgency of the defect (A grounds, B may wait 3 days, C 10 days, D 120 days): A, B, C or
                D.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if any(
            x["status"] != "rectified"
            for x in self._defects_by_aircraft.get(aircraft_id, {}).values()
            if x["about"] == about
        ):
            return _refused(f"{about} of {aircraft['registration']} is known.")
        self._journal = []
        changed_aircraft: list[Any] = []
        defect: Defect = {
            "id": self._new_id("defect", "DEFECT", self.defects),
            "aircraft_id": aircraft_id,
            "about": about,
            "category": category,
            "reported_on": self.now[:10],
            "fly_until": None,
            "handled_by_id": None,
            "status": "open",
        }
        self._add("defects", defect)
        if category == "A" and aircraft["status"] == "in_service":
            if aircraft["status"] not in ("in_service", "grounded"):
                return self._take_back(
                    f"Aircraft {aircraft['registration']} cannot go from {aircraft['status']} to grounded."
                )
            changed_aircraft.append(aircraft)
            self._put("aircraft", aircraft, "status", "grounded")
        for one_aircraft in _distinct(changed_aircraft):
            if self._breaks_rule_1(one_aircraft):
                return self._take_back(RULES[0])
        for one_card in _distinct(
            [user for one in changed_aircraft for user in self._cards_by_aircraft.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_4(one_card):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_x(defect):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a(self.aircraft[defect["aircraft_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_x(defect):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_x_again(defect):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: report {about} of {aircraft['registration']} in category {category} (new: defect "
                f"{defect['id']})."
            ),
            "data": {"defect_id": defect["id"], **self._changes()},
        }

    def defer_defect(self, defect_id: str, engineer_id: str) -> Result:
        """Defer a defect for the days that its category allows, counted from the report, that is 3 for B, 10 for C
        and 120 for D.

        Args:
            defect_id (str): Id of the defect, such as DEFECT-00001.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defect = self.defects.get(defect_id)
        if defect is None:
            return _refused(f"There is no defect {defect_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if defect["status"] != "open":
            return _refused(f"The defect was {defect['status']}.")
        if defect["category"] == "A":
            return _refused("A defect of category A cannot be deferred.")
        if self._aircraft_deferred(self.aircraft[defect["aircraft_id"]]) >= 3:
            return _refused(
                f"{self.aircraft[defect['aircraft_id']]['registration']} has three deferred defects; have one "
                "rectified first."
            )
        if _plus_days(defect["reported_on"], self._days_allowed(defect)) < self.now[:10]:
            return _refused(
                f"It was reported on {defect['reported_on']}, so the {self._days_allowed(defect)} days are over."
            )
        if len(engineer["licences"]) <= 0:
            return _refused(f"{engineer['name']} has no licence.")
        self._journal = []
        self._put("defects", defect, "fly_until", _plus_days(defect["reported_on"], self._days_allowed(defect)))
        self._put("defects", defect, "handled_by_id", engineer_id)
        self._put("defects", defect, "status", "deferred")
        if self._breaks_rule_5_x(defect):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a(self.aircraft[defect["aircraft_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_x(defect):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_x_again(defect):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: defer {defect['about']} of {self.aircraft[defect['aircraft_id']]['registration']}.",
            "data": self._changes(),
        }

    def rectify_defect(self, defect_id: str, engineer_id: str) -> Result:
        """Note that a defect was rectified by an engineer with licence B1 or B2.

        Args:
            defect_id (str): Id of the defect, such as DEFECT-00001.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defect = self.defects.get(defect_id)
        if defect is None:
            return _refused(f"There is no defect {defect_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if defect["status"] == "rectified":
            return _refused("It was rectified already.")
        if "B1" not in engineer["licences"] and "B2" not in engineer["licences"]:
            return _refused(f"{engineer['name']} has neither B1 nor B2.")
        if defect["category"] == "A" and self.aircraft[defect["aircraft_id"]]["status"] != "in_check":
            return _refused(
                f"{self.aircraft[defect['aircraft_id']]['registration']} is "
                f"{self.aircraft[defect['aircraft_id']]['status']}; a defect of category A is rectified in a check."
            )
        self._journal = []
        self._put("defects", defect, "fly_until", None)
        self._put("defects", defect, "handled_by_id", engineer_id)
        self._put("defects", defect, "status", "rectified")
        if self._breaks_rule_5_x(defect):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a(self.aircraft[defect["aircraft_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_x(defect):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_x_again(defect):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: note that {engineer['name']} rectified {defect['about']} of "
                f"{self.aircraft[defect['aircraft_id']]['registration']}."
            ),
            "data": self._changes(),
        }

    def start_check(self, aircraft_id: str) -> Result:
        """Take an aircraft into the hangar for a check.

        Args:
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if aircraft["status"] == "in_check":
            return _refused(f"{aircraft['registration']} is in a check already.")
        if len(self._aircraft_by_status.get("in_check", {})) >= 4:
            return _refused("There are four aircraft in the hangar and no more fit.")
        self._journal = []
        self._put("aircraft", aircraft, "status", "in_check")
        if self._breaks_rule_1(aircraft):
            return self._take_back(RULES[0])
        for one_card in _distinct(self._cards_by_aircraft.get(aircraft["id"], {}).values()):
            if self._breaks_rule_4(one_card):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: start a check of {aircraft['registration']}.",
            "data": self._changes(),
        }

    def raise_card(
        self,
        number: Text,
        aircraft_id: str,
        work: Text,
        licence: Literal["B1", "B2"],
        twice: bool = False,
        after_id: str | None = None,
    ) -> Result:
        """Raise a task card for an aircraft in a check, to be done after another card where one is named.

        Args:
            number (str): Number of the new task card, not in use yet.
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.
            work (str): Work that the card asks for.
            licence (str): Licence that the engineer who signs the work must hold: B1 or B2.
            twice (bool): Whether a second engineer must inspect the work. Default: false.
            after_id (str, optional): Card of the same aircraft to be done before this one; an id such as
                CARD-00001. If left out, the card waits for no other.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        after = self.cards.get(after_id) if after_id is not None else None
        if after_id is not None and after is None:
            return _refused(f"There is no card {after_id!r}.")
        if aircraft["status"] != "in_check":
            return _refused(f"{aircraft['registration']} is {aircraft['status']}; cards are raised in a check.")
        if self._cards_by_number.get(number, {}):
            return _refused(f"There is a card {number}.")
        if any(
            not self._card_finished(x)
            for x in self._cards_by_aircraft.get(aircraft_id, {}).values()
            if x["work"] == work
        ):
            return _refused(f"A card of {aircraft['registration']} for {work} is not finished.")
        if after_id is not None and after["aircraft_id"] != aircraft_id:
            return _refused("The card before belongs to another aircraft.")
        if after_id is not None and after["dropped"]:
            return _refused("The card before was dropped.")
        self._journal = []
        card: Card = {
            "id": self._new_id("card", "CARD", self.cards),
            "number": number,
            "aircraft_id": aircraft_id,
            "work": work,
            "licence": licence,
            "twice": twice,
            "after_id": after_id,
            "signed_by_id": None,
            "inspected_by_id": None,
            "dropped": False,
        }
        self._add("cards", card)
        if len(self._cards_by_number.get(card["number"], {})) > 1:
            return self._take_back(f"There is already a card with the number {card['number']!r}.")
        if self._breaks_rule_4(card):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_x(card):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_x_again(card):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(card):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(card):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: raise card {number} for {work} on {aircraft['registration']} (new: card {card['id']})."
            ),
            "data": {"card_id": card["id"], **self._changes()},
        }

    def sign_card(self, card_id: str, engineer_id: str) -> Result:
        """Sign a card whose work is done.

        Args:
            card_id (str): Id of the card, such as CARD-00001.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        card = self.cards.get(card_id)
        if card is None:
            return _refused(f"There is no card {card_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if card["dropped"] or card["signed_by_id"] is not None:
            return _refused(f"Card {card['number']} was signed or dropped.")
        if card["licence"] not in engineer["licences"]:
            return _refused(f"{engineer['name']} does not hold {card['licence']}.")
        if not (card["after_id"] is None or self._card_finished(self.cards[card["after_id"]])):
            return _refused(f"The card before {card['number']} is not finished.")
        self._journal = []
        self._put("cards", card, "signed_by_id", engineer_id)
        if self._breaks_rule_4(card):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_x(card):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_x_again(card):
            return self._take_back(RULES[6])
        for one_card in _distinct([card, *self._cards_by_after.get(card["id"], {}).values()]):
            if self._breaks_rule_8(one_card):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(card):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: sign card {card['number']} as {engineer['name']}.",
            "data": self._changes(),
        }

    def inspect_card(self, card_id: str, engineer_id: str) -> Result:
        """Sign the second inspection of a card that wants two pairs of eyes.

        Args:
            card_id (str): Id of the card, such as CARD-00001.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        card = self.cards.get(card_id)
        if card is None:
            return _refused(f"There is no card {card_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if not card["twice"]:
            return _refused(f"Card {card['number']} needs no second inspection.")
        if card["signed_by_id"] is None:
            return _refused(f"Card {card['number']} is not signed.")
        if card["inspected_by_id"] is not None:
            return _refused(f"Card {card['number']} was inspected.")
        if card["signed_by_id"] == engineer_id:
            return _refused(f"{engineer['name']} signed card {card['number']}, so somebody else must inspect it.")
        if card["licence"] not in engineer["licences"]:
            return _refused(f"{engineer['name']} does not hold {card['licence']}.")
        self._journal = []
        self._put("cards", card, "inspected_by_id", engineer_id)
        if self._breaks_rule_4(card):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_x_again(card):
            return self._take_back(RULES[6])
        for one_card in _distinct(self._cards_by_after.get(card["id"], {}).values()):
            if self._breaks_rule_8(one_card):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: inspect card {card['number']} as {engineer['name']}.",
            "data": self._changes(),
        }

    def drop_card(self, card_id: str) -> Result:
        """Drop a card that is not signed and that no other card waits for.

        Args:
            card_id (str): Id of the card, such as CARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        card = self.cards.get(card_id)
        if card is None:
            return _refused(f"There is no card {card_id!r}.")
        if card["dropped"] or card["signed_by_id"] is not None:
            return _refused(f"Card {card['number']} was signed or dropped.")
        other = next(
            (x for x in sorted(self._cards_by_after.get(card_id, {}).values(), key=_age) if not x["dropped"]),
            None,
        )
        if other is not None:
            return _refused(f"Card {other['number']} is to be done after it; drop that one first.")
        self._journal = []
        self._put("cards", card, "dropped", True)
        if self._breaks_rule_4(card):
            return self._take_back(RULES[3])
        for one_card in _distinct(self._cards_by_after.get(card["id"], {}).values()):
            if self._breaks_rule_8(one_card):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(card):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: drop card {card['number']}.", "data": self._changes()}

    def move_part(self, part_id: str, aircraft_id: str | None = None) -> Result:
        """Fit a part from the store into an aircraft that is in a check and lacks one, or take a part out of an
        aircraft in a check into the store where no aircraft is named.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            aircraft_id (str, optional): Aircraft in a check into which the part from the store goes; an id such as
                AIRCRAFT-00001. If left out, the part is taken out into the store.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        aircraft = self.aircraft.get(aircraft_id) if aircraft_id is not None else None
        if aircraft_id is not None and aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if (part["aircraft_id"] is None) == (aircraft_id is None):
            return _refused(f"{part['serial']} is in the store, or in an aircraft from which it must be taken first.")
        there = aircraft or self.aircraft.get(part["aircraft_id"])
        if there is None or there["status"] != "in_check":
            return _refused("The aircraft is not in a check; start one first.")
        if aircraft_id is not None and self._fitted(aircraft, part["kind"]) >= self._wanted(part["kind"]):
            return _refused(f"{aircraft['registration']} lacks no {part['kind']}; take one out first.")
        if not (aircraft_id is None or self._part_hours_left(part) > 0 and self._part_cycles_left(part) > 0):
            return _refused(f"{part['serial']} has no life left.")
        self._journal = []
        changed_parts: list[Any] = []
        changed_parts_2: list[Any] = []
        changed_parts_3: list[Any] = []
        changed_parts_4: list[Any] = []
        if part["aircraft_id"] is not None:
            old = self.aircraft[part["aircraft_id"]]
            hours_before = part["hours_before"] + old["hours"] - part["at_hours"]
            if not 0 <= hours_before <= 60000:
                return self._take_back(f"The hours before of {part['serial']} must be between 0 and 60000.")
            changed_parts.append(part)
            self._put("parts", part, "hours_before", hours_before)
            cycles_before = part["cycles_before"] + old["cycles"] - part["at_cycles"]
            if not 0 <= cycles_before <= 60000:
                return self._take_back(f"The cycles before of {part['serial']} must be between 0 and 60000.")
            changed_parts_2.append(part)
            self._put("parts", part, "cycles_before", cycles_before)
        former_aircraft_id = part["aircraft_id"]
        self._put("parts", part, "aircraft_id", aircraft_id)
        if aircraft_id is not None:
            changed_parts_3.append(part)
            self._put("parts", part, "at_hours", aircraft["hours"])
            changed_parts_4.append(part)
            self._put("parts", part, "at_cycles", aircraft["cycles"])
        for one_aircraft in _distinct(
            [self.aircraft.get(part["aircraft_id"]), self.aircraft.get(former_aircraft_id)]
        ):
            if self._breaks_rule_1(one_aircraft):
                return self._take_back(RULES[0])
        for one_part in _distinct(
            [
                part,
                *[
                    user
                    for one in [self.aircraft.get(part["aircraft_id"])]
                    if one is not None
                    for user in self._parts_by_aircraft.get(part["aircraft_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.aircraft.get(former_aircraft_id)]
                    if one is not None
                    for user in self._parts_by_aircraft.get(former_aircraft_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_part):
                return self._take_back(RULES[1])
        for one_part in _distinct([part, *changed_parts, *changed_parts_2, *changed_parts_3, *changed_parts_4]):
            if self._breaks_rule_3(one_part):
                return self._take_back(RULES[2])
        done = f"move {part['serial']}"
        if aircraft is not None:
            done += f" into {aircraft['registration']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def overhaul_part(self, part_id: str) -> Result:
        """Note that a part in the store came back from overhaul with a new life; engines and landing gear only.

        Args:
            part_id (str): Id of the part, such as PART-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        if part["aircraft_id"] is not None:
            return _refused(f"{part['serial']} is in an aircraft; remove it first.")
        if part["kind"] not in ("engine", "landing_gear"):
            return _refused(f"{part['serial']} is replaced, not overhauled.")
        if part["hours_before"] + part["cycles_before"] <= 0:
            return _refused(f"{part['serial']} is as new.")
        self._journal = []
        self._put("parts", part, "hours_before", 0)
        self._put("parts", part, "cycles_before", 0)
        if self._breaks_rule_3(part):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: note the overhaul of {part['serial']}.", "data": self._changes()}

    def release_aircraft(self, aircraft_id: str, engineer_id: str, check_done: bool = False) -> Result:
        """Release an aircraft from the hangar to service; an engineer with licence C signs. Where its check by hours
        was done, the next one is due 600 hours from now.

        Args:
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.
            check_done (bool): Whether the check by hours was done, which makes the next due in 600 hours. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if aircraft["status"] != "in_check":
            return _refused(f"{aircraft['registration']} is {aircraft['status']}.")
        if not (check_done or aircraft["check_due_at"] is None or aircraft["hours"] < aircraft["check_due_at"]):
            return _refused(
                f"The check of {aircraft['registration']} is due at {aircraft['check_due_at']} hours, so it is to "
                "be done before the release."
            )
        if "C" not in engineer["licences"]:
            return _refused(f"{engineer['name']} does not hold C.")
        if len(self._missing(aircraft)) != 0:
            return _refused(f"{aircraft['registration']} lacks {', '.join(one for one in self._missing(aircraft))}.")
        card = self._pending(aircraft)
        if card is not None:
            return _refused(f"Card {card['number']} is not finished.")
        stop = self._stopping(aircraft, self.now[:10])
        if stop is not None:
            return _refused(
                f"{aircraft['registration']} cannot be released with {stop['about']}; have it deferred or rectified."
            )
        self._journal = []
        release: Release = {
            "id": self._new_id("release", "RELEASE", self.releases),
            "aircraft_id": aircraft_id,
            "engineer_id": engineer_id,
            "released_at": self.now,
            "hours": aircraft["hours"],
        }
        self._add("releases", release)
        if check_done:
            check_due_at = aircraft["hours"] + 600
            if not 0 <= check_due_at <= 91000:
                return self._take_back(f"The check due at of {aircraft['registration']} must be between 0 and 91000.")
            self._put("aircraft", aircraft, "check_due_at", check_due_at)
        self._put("aircraft", aircraft, "status", "in_service")
        if self._breaks_rule_1(aircraft):
            return self._take_back(RULES[0])
        for one_card in _distinct(self._cards_by_aircraft.get(aircraft["id"], {}).values()):
            if self._breaks_rule_4(one_card):
                return self._take_back(RULES[3])
        if self._breaks_rule_10(release):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: release {aircraft['registration']} as {engineer['name']} (new: release {release['id']})."
            ),
            "data": {"release_id": release["id"], **self._changes()},
        }

    def _show_aircraft(self, aircraft: Aircraft) -> dict[str, Any]:
        """The aircraft as an answer shows it."""
        return {**aircraft, "deferred": self._aircraft_deferred(aircraft)}

    def _show_part(self, part: Part) -> dict[str, Any]:
        """The part as an answer shows it."""
        return {**part, "hours_left": self._part_hours_left(part), "cycles_left": self._part_cycles_left(part)}

    def _show_engineer(self, engineer: Engineer) -> dict[str, Any]:
        """The engineer as an answer shows it."""
        return {**engineer, "licences": [*engineer["licences"]]}

    def _show_card(self, card: Card) -> dict[str, Any]:
        """The card as an answer shows it."""
        return {**card, "finished": self._card_finished(card)}

    def _names_of_parts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parts point to."""
        return _names((self.aircraft, "registration", [row["aircraft_id"] for row in shown]))

    def _names_of_defects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defects point to."""
        return _names(
            (self.aircraft, "registration", [row["aircraft_id"] for row in shown]),
            (self.engineers, "name", [row["handled_by_id"] for row in shown]),
        )

    def _names_of_cards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cards point to."""
        return _names(
            (self.aircraft, "registration", [row["aircraft_id"] for row in shown]),
            (self.cards, "number", [row["after_id"] for row in shown]),
            (self.engineers, "name", [row["signed_by_id"] for row in shown]),
            (self.engineers, "name", [row["inspected_by_id"] for row in shown]),
        )

    def _names_of_releases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that releases point to."""
        return _names(
            (self.aircraft, "registration", [row["aircraft_id"] for row in shown]),
            (self.engineers, "name", [row["engineer_id"] for row in shown]),
        )

    def _aircraft_deferred(self, aircraft: Aircraft) -> int:
        """The deferred of an aircraft."""
        return len(self._defects_by_aircraft_status.get((aircraft["id"], "deferred"), {}))

    def _part_hours_left(self, part: Part) -> int:
        """The hours left of a part."""
        return (
            (part["life_hours"] if part["life_hours"] is not None else 99999)
            - part["hours_before"]
            - (
                self.aircraft[part["aircraft_id"]]["hours"] - part["at_hours"]
                if part["aircraft_id"] is not None
                else 0
            )
        )

    def _part_cycles_left(self, part: Part) -> int:
        """The cycles left of a part."""
        return (
            (part["life_cycles"] if part["life_cycles"] is not None else 99999)
            - part["cycles_before"]
            - (
                self.aircraft[part["aircraft_id"]]["cycles"] - part["at_cycles"]
                if part["aircraft_id"] is not None
                else 0
            )
        )

    def _card_finished(self, card: Card) -> bool:
        """The finished of a card."""
        return (
            card["dropped"]
            or card["signed_by_id"] is not None and (not card["twice"] or card["inspected_by_id"] is not None)
        )

    def _due_for_check(self, a: Aircraft, h: int) -> bool:
        return a["check_due_at"] is not None and a["hours"] + h > a["check_due_at"]

    def _wanted(self, k: str) -> int:
        return 2 if k == "engine" else 1

    def _fitted(self, a: Aircraft, k: str) -> int:
        return len(self._parts_by_kind_aircraft.get((k, a["id"]), {}))

    def _missing(self, a: Aircraft) -> list[str]:
        return [
            k
            for k in ["engine", "apu", "battery", "landing_gear", "fuel_pump"]
            if self._fitted(a, k) < self._wanted(k)
        ]

    def _worn(self, a: Aircraft, h: int, c: int) -> Part | None:
        return next(
            (
                p
                for p in sorted(self._parts_by_aircraft.get(a["id"], {}).values(), key=_age)
                if (self._part_hours_left(p) < h or self._part_cycles_left(p) < c)
            ),
            None,
        )

    def _pending(self, a: Aircraft) -> Card | None:
        return next(
            (
                x
                for x in sorted(self._cards_by_aircraft.get(a["id"], {}).values(), key=_age)
                if not self._card_finished(x)
            ),
            None,
        )

    def _stopping(self, a: Aircraft, d: str) -> Defect | None:
        return next(
            (
                x
                for x in sorted(self._defects_by_aircraft.get(a["id"], {}).values(), key=_age)
                if (
                    x["status"] == "open"
                    or x["status"] == "deferred"
                    and x["fly_until"] is not None
                    and x["fly_until"] < d
                )
            ),
            None,
        )

    def _days_allowed(self, x: Defect) -> int:
        return 3 if x["category"] == "B" else 10 if x["category"] == "C" else 120

    def _breaks_rule_1(self, a: Aircraft) -> bool:
        """Whether this is broken: an aircraft in service has two engines and one of each other part."""
        return a["status"] == "in_service" and len(self._missing(a)) != 0

    def _breaks_rule_2(self, p: Part) -> bool:
        """Whether this is broken: no aircraft has more parts of a kind than belong in it."""
        return (
            p["aircraft_id"] is not None
            and self._fitted(self.aircraft[p["aircraft_id"]], p["kind"]) > self._wanted(p["kind"])
        )

    def _breaks_rule_3(self, p: Part) -> bool:
        """Whether this is broken: no part stays in an aircraft beyond its life."""
        return not (p["aircraft_id"] is None or self._part_hours_left(p) >= 0 and self._part_cycles_left(p) >= 0)

    def _breaks_rule_4(self, x: Card) -> bool:
        """Whether this is broken: an aircraft in service has no unfinished task card."""
        return self.aircraft[x["aircraft_id"]]["status"] == "in_service" and not self._card_finished(x)

    def _breaks_rule_5_x(self, x: Defect) -> bool:
        """Whether this is broken: defects of category A are never deferred, and an aircraft flies with three deferred
        ones at most.
        """
        return x["status"] == "deferred" and x["category"] == "A"

    def _breaks_rule_5_a(self, a: Aircraft) -> bool:
        """Whether this is broken: defects of category A are never deferred, and an aircraft flies with three deferred
        ones at most.
        """
        return self._aircraft_deferred(a) > 3

    def _breaks_rule_6_x(self, x: Defect) -> bool:
        """Whether this is broken: a deferred defect says until when the aircraft may fly with it, and who decided
        that.
        """
        return (x["status"] == "deferred") != (x["fly_until"] is not None)

    def _breaks_rule_6_x_again(self, x: Defect) -> bool:
        """Whether this is broken: a deferred defect says until when the aircraft may fly with it, and who decided
        that.
        """
        return (x["status"] == "open") != (x["handled_by_id"] is None)

    def _breaks_rule_7_x(self, x: Card) -> bool:
        """Whether this is broken: a card is signed by somebody with its licence, and inspected by somebody else who
        has it too.
        """
        return x["signed_by_id"] is not None and x["licence"] not in self.engineers[x["signed_by_id"]]["licences"]

    def _breaks_rule_7_x_again(self, x: Card) -> bool:
        """Whether this is broken: a card is signed by somebody with its licence, and inspected by somebody else who
        has it too.
        """
        return not (
            x["inspected_by_id"] is None
            or x["twice"]
            and x["signed_by_id"] is not None
            and x["inspected_by_id"] != x["signed_by_id"]
            and x["licence"] in self.engineers[x["inspected_by_id"]]["licences"]
        )

    def _breaks_rule_8(self, x: Card) -> bool:
        """Whether this is broken: a card is signed only when the one before it is finished."""
        return not (
            x["signed_by_id"] is None
            or x["after_id"] is None
            or self._card_finished(self.cards[x["after_id"]])
        )

    def _breaks_rule_9(self, x: Card) -> bool:
        """Whether this is broken: dropped cards are not signed."""
        return x["dropped"] and x["signed_by_id"] is not None

    def _breaks_rule_10(self, r: Release) -> bool:
        """Whether this is broken: a release is signed by somebody with licence C."""
        return "C" not in self.engineers[r["engineer_id"]]["licences"]

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
            case "aircraft":
                self._aircraft_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "parts":
                self._parts_by_aircraft.setdefault(record["aircraft_id"], {})[record["id"]] = record
                self._parts_by_kind_aircraft.setdefault(
                    (record["kind"], record["aircraft_id"]),
                    {},
                )[record["id"]] = record
            case "defects":
                self._defects_by_aircraft.setdefault(record["aircraft_id"], {})[record["id"]] = record
                self._defects_by_aircraft_status.setdefault(
                    (record["aircraft_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._defects_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "cards":
                self._cards_by_after.setdefault(record["after_id"], {})[record["id"]] = record
                self._cards_by_aircraft.setdefault(record["aircraft_id"], {})[record["id"]] = record
                self._cards_by_number.setdefault(record["number"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "aircraft":
                del self._aircraft_by_status[record["status"]][record["id"]]
            case "parts":
                del self._parts_by_aircraft[record["aircraft_id"]][record["id"]]
                del self._parts_by_kind_aircraft[record["kind"], record["aircraft_id"]][record["id"]]
            case "defects":
                del self._defects_by_aircraft[record["aircraft_id"]][record["id"]]
                del self._defects_by_aircraft_status[record["aircraft_id"], record["status"]][record["id"]]
                del self._defects_by_status[record["status"]][record["id"]]
            case "cards":
                del self._cards_by_after[record["after_id"]][record["id"]]
                del self._cards_by_aircraft[record["aircraft_id"]][record["id"]]
                del self._cards_by_number[record["number"]][record["id"]]
