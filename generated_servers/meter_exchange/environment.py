"""Meter exchange. Compiled from blueprint.yaml; run `envscaler build meter_exchange` after changing it there.

Looks after the meters of a municipal utility, with readings and their plausibility, seals that end, visits
without access, warrants, and households in arrears.
"""

from __future__ import annotations

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
    "A household has one fitted meter of a kind, and a stored meter has no household.",
    "Accepted readings of a meter never run backwards.",
    "A meter has one reading in doubt at a time.",
    "A meter has one booked visit at a time, and only a fitted meter has one.",
    "A fitter has the trade for the meter.",
    "A fitter has at most three visits in half a day.",
    "After three visits without access nobody goes there without a warrant that is valid on the day.",
    "Three visits without access were not all in the same half of the day.",
    "A warrant is asked for after three visits without access, and one at a time.",
    "A granted warrant says how long it is valid, and no other does.",
    "Nobody vulnerable is cut off.",
    "A household is cut off only with arrears and two open reminders.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "enter_reading",
    "decide_reading",
    "book_visit",
    "record_no_access",
    "request_warrant",
    "decide_warrant",
    "exchange_meter",
    "register_vulnerable",
    "send_reminder",
    "cut_supply",
    "take_payment",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "households": ("name",),
    "meters": ("serial",),
    "readings": (),
    "fitters": ("name",),
    "visits": (),
    "warrants": (),
    "reminders": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("meters", "household_id"),
    ("meters", "kind"),
    ("meters", "status"),
    ("readings", "meter_id"),
    ("readings", "status"),
    ("reminders", "household_id"),
    ("visits", "fitter_id"),
    ("visits", "half"),
    ("visits", "meter_id"),
    ("visits", "status"),
    ("warrants", "meter_id"),
    ("warrants", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Household(TypedDict):
    id: str
    name: str
    street: str
    vulnerable: bool
    arrears: int
    cut_on: str | None


class Meter(TypedDict):
    id: str
    serial: str
    kind: Literal["electricity", "gas", "water"]
    household_id: str | None
    forecast: int
    sealed_until: str
    status: Literal["stored", "fitted", "removed"]


class Reading(TypedDict):
    id: str
    meter_id: str
    taken_on: str
    value: int
    source: Literal["customer", "fitter", "estimate"]
    status: Literal["in_doubt", "accepted", "rejected"]


class Fitter(TypedDict):
    id: str
    name: str
    trades: list[Literal["electricity", "gas", "water"]]


class Visit(TypedDict):
    id: str
    meter_id: str
    fitter_id: str
    day: str
    half: Literal["morning", "afternoon"]
    status: Literal["booked", "no_access", "done", "called_off"]


class Warrant(TypedDict):
    id: str
    meter_id: str
    asked_on: str
    valid_until: str | None
    status: Literal["asked", "granted", "refused"]


class Reminder(TypedDict):
    id: str
    household_id: str
    sent_on: str
    open: bool


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


class MeterExchange:
    """Looks after the meters of a municipal utility, with readings and their plausibility, seals that end,
    visits without access, warrants, and households in arrears.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.households: dict[str, Household] = _copied(config.get("households", {}))
        self.meters: dict[str, Meter] = _copied(config.get("meters", {}))
        self.readings: dict[str, Reading] = _copied(config.get("readings", {}))
        self.fitters: dict[str, Fitter] = _copied(config.get("fitters", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.warrants: dict[str, Warrant] = _copied(config.get("warrants", {}))
        self.reminders: dict[str, Reminder] = _copied(config.get("reminders", {}))
        self.now: str = config.get("now", "2026-09-14T07:45")
        self.counters: dict[str, int] = {
            "household": len(self.households),
            "meter": len(self.meters),
            "reading": len(self.readings),
            "fitter": len(self.fitters),
            "visit": len(self.visits),
            "warrant": len(self.warrants),
            "reminder": len(self.reminders),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._meters_by_kind_household_status: dict[Any, dict[str, Meter]] = {}
        self._readings_by_meter_status: dict[Any, dict[str, Reading]] = {}
        self._visits_by_fitter: dict[Any, dict[str, Visit]] = {}
        self._visits_by_fitter_half_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_fitter_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_meter_status: dict[Any, dict[str, Visit]] = {}
        self._warrants_by_meter: dict[Any, dict[str, Warrant]] = {}
        self._warrants_by_meter_status: dict[Any, dict[str, Warrant]] = {}
        self._reminders_by_household: dict[Any, dict[str, Reminder]] = {}
        for meter in self.meters.values():
            self._link("meters", meter)
        for reading in self.readings.values():
            self._link("readings", reading)
        for visit in self.visits.values():
            self._link("visits", visit)
        for warrant in self.warrants.values():
            self._link("warrants", warrant)
        for reminder in self.reminders.values():
            self._link("reminders", reminder)

    def seals_ending(
        self,
        by_day: Date,
        kind: Literal["electricity", "gas", "water"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Fitted meters whose seal ends by a day and for which no visit is booked, earliest seal first.

        Args:
            by_day (str): Last day on which the seals listed end, as YYYY-MM-DD.
            kind (str, optional): Kind of meters listed: electricity, gas or water. If left out, meters of all
                kinds are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meters": records}} or {"success": False, "error": why
                not}
        """
        found = [
            m
            for m in self.meters.values()
            if (m["status"] == "fitted" and m["sealed_until"] <= by_day and self._visit_to(m) is None)
            and (kind is None or m["kind"] == kind)
        ]
        found.sort(key=lambda m: (m["sealed_until"], m["serial"], _age(m)))
        shown = [
            {
                "id": m["id"],
                "serial": m["serial"],
                "kind": m["kind"],
                "household": m["household_id"],
                "sealed_until": m["sealed_until"],
                "failed": self._meter_failed(m),
                "warrant_to_be_asked": self._wants_warrant(m),
            }
            for m in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "meters": shown},
            _names((self.households, "name", [row["household"] for row in shown])),
        )

    def check_value(self, meter_id: str, value: Annotated[int, {"minimum": 0, "maximum": 999999}]) -> Result:
        """Whether a value would be plausible for a meter today, and what the forecast would give.

        Args:
            meter_id (str): Id of the meter, such as METER-00001.
            value (int): Figure that the meter is said to show, from 0 to 999999.

        Returns:
            dict: {"success": True, "data": {last_value, days, by_forecast, plausible}} or {"success": False,
                "error": why not}
        """
        meter = self.meters.get(meter_id)
        if meter is None:
            return _refused(f"There is no meter {meter_id!r}.")
        return _found(
            {
                "last_value": self._value_of(meter),
                "days": self._days_since(meter, self.now[:10]),
                "by_forecast": self._value_of(meter) + _rounded(
                    Fraction(meter["forecast"] * self._days_since(meter, self.now[:10]), 365)
                ),
                "plausible": self._plausible(meter, value, self.now[:10]),
            }
        )

    def collections(
        self,
        step: Literal["cut_off", "letter"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Households that may be cut off today, or those that are due for a letter, with the highest arrears first.

        Args:
            step (str): Step for which households are due, the supply being cut_off or a letter sent: cut_off or
                letter.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}} or {"success": False, "error":
                why not}
        """
        found = [
            h
            for h in self.households.values()
            if (self._may_be_cut(h, self.now[:10]) if step == "cut_off" else self._due_letter(h, self.now[:10]))
        ]
        found.sort(key=lambda h: (-h["arrears"], h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "households": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "arrears": h["arrears"],
                        "reminders": self._household_reminders(h),
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def day_sheet(
        self,
        fitter_id: str,
        until: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The booked visits of a fitter until a day.

        Args:
            fitter_id (str): Id of the fitter, such as FITTER-00001.
            until (str): Last day of the visits listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}} or {"success": False, "error": why
                not}
        """
        fitter = self.fitters.get(fitter_id)
        if fitter is None:
            return _refused(f"There is no fitter {fitter_id!r}.")
        found = [
            v
            for v in self._visits_by_fitter.get(fitter_id, {}).values()
            if (v["status"] == "booked" and v["fitter_id"] == fitter_id and v["day"] <= until)
        ]
        found.sort(key=lambda v: (v["day"], _descending(v["half"]), v["id"], _age(v)))
        return _found(
            {
                "total": len(found),
                "visits": [
                    {
                        "id": v["id"],
                        "day": v["day"],
                        "half": v["half"],
                        "serial": self.meters[v["meter_id"]]["serial"],
                        "kind": self.meters[v["meter_id"]]["kind"],
                        "failed": self._meter_failed(self.meters[v["meter_id"]]),
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def list_households(
        self,
        name: Text | None = None,
        vulnerable: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the households, oldest first, all of them or only some.

        Args:
            name (str, optional): Only households whose name contains this text.
            vulnerable (bool, optional): Only households that are vulnerable (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}}
        """
        found = [
            household
            for household in self.households.values()
            if (name is None or name.casefold() in household["name"].casefold())
            and (vulnerable is None or household["vulnerable"] == vulnerable)
        ]
        return _found(
            {
                "total": len(found),
                "households": [self._show_household(household) for household in _page(found, offset)],
            }
        )

    def list_meters(
        self,
        serial: Text | None = None,
        kind: Literal["electricity", "gas", "water"] | None = None,
        household_id: str | None = None,
        status: Literal["stored", "fitted", "removed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meters, oldest first, all of them or only some.

        Args:
            serial (str, optional): Only meters whose serial contains this text.
            kind (str, optional): Only meters with this kind.
            household_id (str, optional): Only meters of this household.
            status (str, optional): Only meters with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meters": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        found = [
            meter
            for meter in self.meters.values()
            if (serial is None or serial.casefold() in meter["serial"].casefold())
            and (kind is None or meter["kind"] == kind)
            and (household_id is None or meter["household_id"] == household_id)
            and (status is None or meter["status"] == status)
        ]
        shown = [self._show_meter(meter) for meter in _page(found, offset)]
        return _found({"total": len(found), "meters": shown}, self._names_of_meters(shown))

    def list_readings(
        self,
        meter_id: str | None = None,
        source: Literal["customer", "fitter", "estimate"] | None = None,
        status: Literal["in_doubt", "accepted", "rejected"] | None = None,
        taken_on_from: Date | None = None,
        taken_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the readings, oldest first, all of them or only some.

        Args:
            meter_id (str, optional): Only readings of this meter.
            source (str, optional): Only readings with this source.
            status (str, optional): Only readings with this status.
            taken_on_from (str, optional): Only readings whose `taken_on` is on this day or later.
            taken_on_to (str, optional): Only readings whose `taken_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "readings": records}}
        """
        if meter_id is not None and meter_id not in self.meters:
            return _refused(f"There is no meter {meter_id!r}.")
        found = [
            reading
            for reading in self.readings.values()
            if (meter_id is None or reading["meter_id"] == meter_id)
            and (source is None or reading["source"] == source)
            and (status is None or reading["status"] == status)
            and (taken_on_from is None or reading["taken_on"] >= taken_on_from)
            and (taken_on_to is None or reading["taken_on"] <= taken_on_to)
        ]
        shown = [{**reading} for reading in _page(found, offset)]
        return _found({"total": len(found), "readings": shown}, self._names_of_readings(shown))

    def list_fitters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fitters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only fitters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fitters": records}}
        """
        found = [
            fitter
            for fitter in self.fitters.values()
            if (name is None or name.casefold() in fitter["name"].casefold())
        ]
        return _found(
            {"total": len(found), "fitters": [self._show_fitter(fitter) for fitter in _page(found, offset)]}
        )

    def list_visits(
        self,
        meter_id: str | None = None,
        fitter_id: str | None = None,
        half: Literal["morning", "afternoon"] | None = None,
        status: Literal["booked", "no_access", "done", "called_off"] | None = None,
        day_from: Date | None = None,
        day_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            meter_id (str, optional): Only visits of this meter.
            fitter_id (str, optional): Only visits of this fitter.
            half (str, optional): Only visits with this half.
            status (str, optional): Only visits with this status.
            day_from (str, optional): Only visits whose `day` is on this day or later.
            day_to (str, optional): Only visits whose `day` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if meter_id is not None and meter_id not in self.meters:
            return _refused(f"There is no meter {meter_id!r}.")
        if fitter_id is not None and fitter_id not in self.fitters:
            return _refused(f"There is no fitter {fitter_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (meter_id is None or visit["meter_id"] == meter_id)
            and (fitter_id is None or visit["fitter_id"] == fitter_id)
            and (half is None or visit["half"] == half)
            and (status is None or visit["status"] == status)
            and (day_from is None or visit["day"] >= day_from)
            and (day_to is None or visit["day"] <= day_to)
        ]
        shown = [{**visit} for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def list_warrants(
        self,
        meter_id: str | None = None,
        status: Literal["asked", "granted", "refused"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the warrants, oldest first, all of them or only some.

        Args:
            meter_id (str, optional): Only warrants of this meter.
            status (str, optional): Only warrants with this status.
            asked_on_from (str, optional): Only warrants whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only warrants whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "warrants": records}}
        """
        if meter_id is not None and meter_id not in self.meters:
            return _refused(f"There is no meter {meter_id!r}.")
        found = [
            warrant
            for warrant in self.warrants.values()
            if (meter_id is None or warrant["meter_id"] == meter_id)
            and (status is None or warrant["status"] == status)
            and (asked_on_from is None or warrant["asked_on"] >= asked_on_from)
            and (asked_on_to is None or warrant["asked_on"] <= asked_on_to)
        ]
        shown = [{**warrant} for warrant in _page(found, offset)]
        return _found({"total": len(found), "warrants": shown}, self._names_of_warrants(shown))

    def list_reminders(
        self,
        household_id: str | None = None,
        open: bool | None = None,
        sent_on_from: Date | None = None,
        sent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reminders, oldest first, all of them or only some.

        Args:
            household_id (str, optional): Only reminders of this household.
            open (bool, optional): Only reminders that are open (true) or not (false).
            sent_on_from (str, optional): Only reminders whose `sent_on` is on this day or later.
            sent_on_to (str, optional): Only reminders whose `sent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reminders": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        found = [
            reminder
            for reminder in self.reminders.values()
            if (household_id is None or reminder["household_id"] == household_id)
            and (open is None or reminder["open"] == open)
            and (sent_on_from is None or reminder["sent_on"] >= sent_on_from)
            and (sent_on_to is None or reminder["sent_on"] <= sent_on_to)
        ]
        shown = [{**reminder} for reminder in _page(found, offset)]
        return _found({"total": len(found), "reminders": shown}, self._names_of_reminders(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def enter_reading(
        self,
        meter_id: str,
        value: Annotated[int, {"minimum": 0, "maximum": 999999}],
        source: Literal["customer", "fitter", "estimate"],
    ) -> Result:
        """Enter a reading of a fitted meter; more than twice the forecast puts it in doubt.

        Args:
            meter_id (str): Id of the meter, such as METER-00001.
            value (int): Figure that the meter shows, not below the last accepted one, from 0 to 999999.
            source (str): Who took the reading: customer, fitter or estimate.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meter = self.meters.get(meter_id)
        if meter is None:
            return _refused(f"There is no meter {meter_id!r}.")
        if meter["status"] != "fitted":
            return _refused(f"Meter {meter['serial']} is {meter['status']}.")
        if value < self._value_of(meter):
            return _refused(
                f"Meter {meter['serial']} stood at {self._value_of(meter)} before and cannot stand at {value} now."
            )
        doubt = next(
            (r for r in sorted(self._readings_by_meter_status.get((meter_id, "in_doubt"), {}).values(), key=_age)),
            None,
        )
        if doubt is not None:
            return _refused(
                f"The reading of {doubt['value']} on meter {meter['serial']} is in doubt and has to be decided first."
            )
        self._journal = []
        changed_readings: list[Any] = []
        reading: Reading = {
            "id": self._new_id("reading", "READING", self.readings),
            "meter_id": meter_id,
            "taken_on": self.now[:10],
            "value": value,
            "source": source,
            "status": "in_doubt",
        }
        self._add("readings", reading)
        if self._plausible(meter, value, self.now[:10]):
            if reading["status"] not in ("in_doubt", "accepted"):
                return self._take_back(f"Reading {reading['id']} cannot go from {reading['status']} to accepted.")
            changed_readings.append(reading)
            self._put("readings", reading, "status", "accepted")
        for one_reading in _distinct([reading, *changed_readings]):
            if self._breaks_rule_2_a(one_reading):
                return self._take_back(RULES[1])
        for one_reading in _distinct([reading, *changed_readings]):
            if self._breaks_rule_2_b(one_reading):
                return self._take_back(RULES[1])
        for one_reading in _distinct([reading, *changed_readings]):
            if self._breaks_rule_3(one_reading):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: enter {value} for meter {meter['serial']} (new: reading {reading['id']}).",
            "data": {"reading_id": reading["id"], **self._changes()},
        }

    def decide_reading(self, reading_id: str, accepted: bool) -> Result:
        """Accept or reject a reading that is in doubt.

        Args:
            reading_id (str): Id of the reading, such as READING-00001.
            accepted (bool): Whether the reading is accepted rather than rejected.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reading = self.readings.get(reading_id)
        if reading is None:
            return _refused(f"There is no reading {reading_id!r}.")
        if reading["status"] != "in_doubt":
            return _refused(f"The reading of {reading['value']} is {reading['status']}.")
        if accepted and reading["value"] < self._value_of(self.meters[reading["meter_id"]]):
            return _refused(
                f"Meter {self.meters[reading['meter_id']]['serial']} has an accepted reading of "
                f"{self._value_of(self.meters[reading['meter_id']])} since then."
            )
        self._journal = []
        status = "accepted" if accepted else "rejected"
        self._put("readings", reading, "status", status)
        if self._breaks_rule_2_a(reading):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(reading):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(reading):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: decide about {reading['value']} on meter {self.meters[reading['meter_id']]['serial']}."
            ),
            "data": self._changes(),
        }

    def book_visit(
        self,
        meter_id: str,
        fitter_id: str,
        day_of_visit: Date,
        half: Literal["morning", "afternoon"],
    ) -> Result:
        """Book a fitter to exchange a meter whose seal ends within half a year; after three visits without access
        only with a warrant.

        Args:
            meter_id (str): Id of the meter, such as METER-00001.
            fitter_id (str): Id of the fitter, such as FITTER-00001.
            day_of_visit (str): Day on which the fitter comes, from today on and within 60 days, as YYYY-MM-DD.
            half (str): Half of the day, another one than before after two misses in the same half: morning or
                afternoon.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meter = self.meters.get(meter_id)
        if meter is None:
            return _refused(f"There is no meter {meter_id!r}.")
        fitter = self.fitters.get(fitter_id)
        if fitter is None:
            return _refused(f"There is no fitter {fitter_id!r}.")
        if meter["status"] != "fitted":
            return _refused(f"Meter {meter['serial']} is {meter['status']}.")
        if meter["sealed_until"] > _plus_days(self.now[:10], 183):
            return _refused(f"The seal of meter {meter['serial']} is good until {meter['sealed_until']}.")
        if self.now[:10] > day_of_visit or day_of_visit > _plus_days(self.now[:10], 60):
            return _refused(f"Visits are booked for {self.now[:10]} to {_plus_days(self.now[:10], 60)}.")
        other = self._visit_to(meter)
        if other is not None:
            return _refused(
                f"{self.fitters[other['fitter_id']]['name']} is booked for meter {meter['serial']} on "
                f"{other['day']} already."
            )
        if meter["kind"] not in fitter["trades"]:
            return _refused(f"{fitter['name']} is not trained for {meter['kind']}.")
        if sum(
            1
            for v in self._visits_by_fitter_half_status.get((fitter_id, half, "booked"), {}).values()
            if v["day"] == day_of_visit
        ) >= 3:
            return _refused(f"{fitter['name']} has three visits on the {half} of {day_of_visit}.")
        if not (self._meter_failed(meter) < 3 or self._covered(meter, day_of_visit)):
            return _refused(
                f"Nobody opened three times at meter {meter['serial']}, so a warrant valid on {day_of_visit} is "
                "needed."
            )
        if not (self._meter_failed(meter) != 2 or any(v["half"] != half for v in self._misses(meter))):
            return _refused(f"Both visits so far were on a {half}, so the third must be at another time of day.")
        self._journal = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "meter_id": meter_id,
            "fitter_id": fitter_id,
            "day": day_of_visit,
            "half": half,
            "status": "booked",
        }
        self._add("visits", visit)
        if self._breaks_rule_4_v(visit):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(visit):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(visit):
            return self._take_back(RULES[4])
        for one_visit in _distinct(
            [visit, *self._visits_by_fitter_status.get((visit["fitter_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(
            [visit, *self._visits_by_meter_status.get((visit["meter_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(self.meters[visit["meter_id"]]):
            return self._take_back(RULES[7])
        for one_warrant in _distinct(self._warrants_by_meter.get(visit["meter_id"], {}).values()):
            if self._breaks_rule_9_w(one_warrant):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: book {fitter['name']} for meter {meter['serial']} on the {half} of {day_of_visit} (new: "
                f"visit {visit['id']})."
            ),
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def record_no_access(self, visit_id: str, called_off: bool = False) -> Result:
        """Record that nobody opened for a visit, or that it was called off beforehand, which counts against nobody.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            called_off (bool): Whether the visit was called off beforehand rather than nobody opened. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "booked":
            return _refused(f"That visit is {visit['status']}.")
        if not (called_off or visit["day"] <= self.now[:10]):
            return _refused(f"{self.fitters[visit['fitter_id']]['name']} goes there on {visit['day']} only.")
        self._journal = []
        status = "called_off" if called_off else "no_access"
        self._put("visits", visit, "status", status)
        if self._breaks_rule_4_v(visit):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [visit, *self._visits_by_fitter_status.get((visit["fitter_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(
            [visit, *self._visits_by_meter_status.get((visit["meter_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(self.meters[visit["meter_id"]]):
            return self._take_back(RULES[7])
        for one_warrant in _distinct(self._warrants_by_meter.get(visit["meter_id"], {}).values()):
            if self._breaks_rule_9_w(one_warrant):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: close the visit to meter {self.meters[visit['meter_id']]['serial']} on {visit['day']} "
                "without an exchange."
            ),
            "data": self._changes(),
        }

    def request_warrant(self, meter_id: str) -> Result:
        """Ask the court for a warrant after three visits without access.

        Args:
            meter_id (str): Id of the meter, such as METER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meter = self.meters.get(meter_id)
        if meter is None:
            return _refused(f"There is no meter {meter_id!r}.")
        if meter["status"] != "fitted" or meter["household_id"] is None:
            return _refused(f"Meter {meter['serial']} is {meter['status']}.")
        if self._meter_failed(meter) < 3:
            return _refused(
                f"There were {self._meter_failed(meter)} visits without access at meter {meter['serial']}, and "
                "the court wants three."
            )
        if self.households[meter["household_id"]]["vulnerable"]:
            return _refused(
                f"{self.households[meter['household_id']]['name']} is vulnerable, so the welfare office has to be "
                "asked instead."
            )
        if self._warrants_by_meter_status.get((meter_id, "asked"), {}):
            return _refused(f"A warrant for meter {meter['serial']} has been asked for.")
        if self._covered(meter, self.now[:10]):
            return _refused(f"There is a valid warrant for meter {meter['serial']}.")
        self._journal = []
        warrant: Warrant = {
            "id": self._new_id("warrant", "WARRANT", self.warrants),
            "meter_id": meter_id,
            "asked_on": self.now[:10],
            "valid_until": None,
            "status": "asked",
        }
        self._add("warrants", warrant)
        for one_visit in _distinct(self._visits_by_meter_status.get((warrant["meter_id"], "booked"), {}).values()):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_9_w(warrant):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_w_again(warrant):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(warrant):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: request a warrant for meter {meter['serial']} (new: warrant {warrant['id']}).",
            "data": {"warrant_id": warrant["id"], **self._changes()},
        }

    def decide_warrant(self, warrant_id: str, valid_until: Date | None = None) -> Result:
        """Enter what the court has decided, with the last day of a warrant that was granted.

        Args:
            warrant_id (str): Id of the warrant, such as WARRANT-00001.
            valid_until (str, optional): Last day of the granted warrant, after today and within 90 days, as
                YYYY-MM-DD. If left out, the court has refused the warrant.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        warrant = self.warrants.get(warrant_id)
        if warrant is None:
            return _refused(f"There is no warrant {warrant_id!r}.")
        if warrant["status"] != "asked":
            return _refused(
                f"The warrant for meter {self.meters[warrant['meter_id']]['serial']} is {warrant['status']}."
            )
        if not (valid_until is None or self.now[:10] < valid_until and valid_until <= _plus_days(self.now[:10], 90)):
            return _refused("A warrant is good for 90 days at most.")
        self._journal = []
        changed_warrants: list[Any] = []
        changed_warrants_2: list[Any] = []
        if valid_until is not None:
            changed_warrants.append(warrant)
            self._put("warrants", warrant, "valid_until", valid_until)
            changed_warrants_2.append(warrant)
            self._put("warrants", warrant, "status", "granted")
        else:
            if warrant["status"] not in ("asked", "refused"):
                return self._take_back(f"Warrant {warrant['id']} cannot go from {warrant['status']} to refused.")
            changed_warrants_2.append(warrant)
            self._put("warrants", warrant, "status", "refused")
        for one_visit in _distinct(
            [
                *[
                    user
                    for one in [self.meters[one["meter_id"]] for one in changed_warrants]
                    for user in self._visits_by_meter_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.meters[one["meter_id"]] for one in changed_warrants_2]
                    for user in self._visits_by_meter_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        for one_warrant in _distinct(changed_warrants_2):
            if self._breaks_rule_9_w_again(one_warrant):
                return self._take_back(RULES[8])
        for one_warrant in _distinct([*changed_warrants, *changed_warrants_2]):
            if self._breaks_rule_10(one_warrant):
                return self._take_back(RULES[9])
        done = f"enter the court's decision about meter {self.meters[warrant['meter_id']]['serial']}"
        if valid_until is not None:
            done += f", valid until {valid_until}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def exchange_meter(
        self,
        visit_id: str,
        new_meter_id: str,
        last_value: Annotated[int, {"minimum": 0, "maximum": 999999}],
    ) -> Result:
        """Exchange a meter on a visit, with the last reading of the old one, which is in doubt where it is more than
        twice the forecast; the new one begins at zero.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            new_meter_id (str): Meter from the store that is fitted, of the same kind and with a seal for over a
                year; an id such as METER-00001.
            last_value (int): Figure that the old meter shows, not below the last accepted one, from 0 to 999999.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        new_meter = self.meters.get(new_meter_id)
        if new_meter is None:
            return _refused(f"There is no meter {new_meter_id!r}.")
        if visit["status"] != "booked":
            return _refused(f"That visit is {visit['status']}.")
        if visit["day"] > self.now[:10]:
            return _refused(f"{self.fitters[visit['fitter_id']]['name']} goes there on {visit['day']} only.")
        old = self.meters[visit["meter_id"]]
        if new_meter["status"] != "stored":
            return _refused(f"Meter {new_meter['serial']} is {new_meter['status']}.")
        if new_meter["kind"] != old["kind"]:
            return _refused(f"Meter {new_meter['serial']} is for {new_meter['kind']}, not for {old['kind']}.")
        if new_meter["sealed_until"] <= _plus_days(self.now[:10], 365):
            return _refused(
                f"The seal of meter {new_meter['serial']} ends on {new_meter['sealed_until']}, that is too soon."
            )
        if last_value < self._value_of(old):
            return _refused(
                f"Meter {old['serial']} stood at {self._value_of(old)} before and cannot stand at {last_value} now."
            )
        if self._readings_by_meter_status.get((old["id"], "in_doubt"), {}):
            return _refused(f"A reading of meter {old['serial']} is in doubt and has to be decided first.")
        self._journal = []
        changed_readings: list[Any] = []
        final: Reading = {
            "id": self._new_id("reading", "READING", self.readings),
            "meter_id": old["id"],
            "taken_on": self.now[:10],
            "value": last_value,
            "source": "fitter",
            "status": "in_doubt",
        }
        self._add("readings", final)
        if self._plausible(old, last_value, self.now[:10]):
            if final["status"] not in ("in_doubt", "accepted"):
                return self._take_back(f"Reading {final['id']} cannot go from {final['status']} to accepted.")
            changed_readings.append(final)
            self._put("readings", final, "status", "accepted")
        if old["status"] not in ("fitted", "removed"):
            return self._take_back(f"Meter {old['serial']} cannot go from {old['status']} to removed.")
        self._put("meters", old, "status", "removed")
        self._put("meters", new_meter, "household_id", old["household_id"])
        self._put("meters", new_meter, "forecast", old["forecast"])
        if new_meter["status"] not in ("stored", "fitted"):
            return self._take_back(f"Meter {new_meter['serial']} cannot go from {new_meter['status']} to fitted.")
        self._put("meters", new_meter, "status", "fitted")
        begin: Reading = {
            "id": self._new_id("reading", "READING", self.readings),
            "meter_id": new_meter_id,
            "taken_on": self.now[:10],
            "value": 0,
            "source": "fitter",
            "status": "in_doubt",
        }
        self._add("readings", begin)
        if begin["status"] not in ("in_doubt", "accepted"):
            return self._take_back(f"Reading {begin['id']} cannot go from {begin['status']} to accepted.")
        self._put("readings", begin, "status", "accepted")
        self._put("visits", visit, "status", "done")
        if self._breaks_rule_1_m(old):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_m(new_meter):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_m_again(old):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_m_again(new_meter):
            return self._take_back(RULES[0])
        for one_reading in _distinct([final, begin, *changed_readings]):
            if self._breaks_rule_2_a(one_reading):
                return self._take_back(RULES[1])
        for one_reading in _distinct([final, begin, *changed_readings]):
            if self._breaks_rule_2_b(one_reading):
                return self._take_back(RULES[1])
        for one_reading in _distinct([final, begin, *changed_readings]):
            if self._breaks_rule_3(one_reading):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_v(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *self._visits_by_meter_status.get((old["id"], "booked"), {}).values(),
                *self._visits_by_meter_status.get((new_meter["id"], "booked"), {}).values(),
            ]
        ):
            if self._breaks_rule_4_v_again(one_visit):
                return self._take_back(RULES[3])
        for one_visit in _distinct(
            [visit, *self._visits_by_fitter_status.get((visit["fitter_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(
            [visit, *self._visits_by_meter_status.get((visit["meter_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(self.meters[visit["meter_id"]]):
            return self._take_back(RULES[7])
        for one_warrant in _distinct(self._warrants_by_meter.get(visit["meter_id"], {}).values()):
            if self._breaks_rule_9_w(one_warrant):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: exchange meter {self.meters[visit['meter_id']]['serial']} for {new_meter['serial']} (new: "
                f"reading {final['id']}, reading {begin['id']})."
            ),
            "data": {"reading_id": final["id"], "begin_id": begin["id"], **self._changes()},
        }

    def register_vulnerable(self, household_id: str, vulnerable: bool) -> Result:
        """Register that a household is vulnerable, which puts its supply back on, or that this has ended.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            vulnerable (bool): Whether the household is vulnerable from now on rather than no longer.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if household["vulnerable"] == vulnerable:
            return _refused(f"That is on record for {household['name']} already.")
        self._journal = []
        changed_households: list[Any] = []
        self._put("households", household, "vulnerable", vulnerable)
        if vulnerable:
            changed_households.append(household)
            self._put("households", household, "cut_on", None)
        for one_household in _distinct([household, *changed_households]):
            if self._breaks_rule_11(one_household):
                return self._take_back(RULES[10])
        for one_household in _distinct(changed_households):
            if self._breaks_rule_12(one_household):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: register {household['name']}.", "data": self._changes()}

    def send_reminder(self, household_id: str) -> Result:
        """Remind a household of its arrears, at most once in seven days.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if household["arrears"] <= 0:
            return _refused(f"{household['name']} owes nothing.")
        recent = next(
            (
                r
                for r in sorted(self._reminders_by_household.get(household_id, {}).values(), key=_age)
                if r["open"]
                and _plus_days(r["sent_on"], 7) > self.now[:10]
            ),
            None,
        )
        if recent is not None:
            return _refused(
                f"{household['name']} was reminded on {recent['sent_on']}, that is less than seven days ago."
            )
        self._journal = []
        reminder: Reminder = {
            "id": self._new_id("reminder", "REMINDER", self.reminders),
            "household_id": household_id,
            "sent_on": self.now[:10],
            "open": True,
        }
        self._add("reminders", reminder)
        if self._breaks_rule_12(self.households[reminder["household_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: remind {household['name']} (new: reminder {reminder['id']}).",
            "data": {"reminder_id": reminder["id"], **self._changes()},
        }

    def cut_supply(self, household_id: str) -> Result:
        """Cut off a household that owes 100.00 or more and was reminded twice, each time at least fourteen days ago.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if household["cut_on"] is not None:
            return _refused(f"{household['name']} has been cut off since {household['cut_on']}.")
        if household["vulnerable"]:
            return _refused(f"{household['name']} is vulnerable and is not cut off.")
        if household["arrears"] < 10000:
            return _refused(
                f"{household['name']} owes {_money(household['arrears'])}, and below 100.00 nobody is cut off."
            )
        if not self._may_be_cut(household, self.now[:10]):
            return _refused(f"{household['name']} needs two open reminders, each at least fourteen days old.")
        self._journal = []
        self._put("households", household, "cut_on", self.now[:10])
        if self._breaks_rule_11(household):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(household):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: cut off {household['name']}.", "data": self._changes()}

    def take_payment(self, household_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 1000000}]) -> Result:
        """Take a payment on arrears; below 50.00 the supply comes back on and the reminders are settled.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            amount (int): Money that the household pays, at most its arrears, in cents, from 1 to 1000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if amount > household["arrears"]:
            return _refused(f"{household['name']} owes {_money(household['arrears'])}, not {_money(amount)}.")
        self._journal = []
        changed_households: list[Any] = []
        changed_reminders: list[Any] = []
        arrears = household["arrears"] - amount
        if not 0 <= arrears <= 1000000:
            return self._take_back(f"The arrears of {household['name']} must be between 0.00 and 10,000.00.")
        self._put("households", household, "arrears", arrears)
        if household["arrears"] < 5000:
            changed_households.append(household)
            self._put("households", household, "cut_on", None)
            for r in [
                r
                for r in sorted(self._reminders_by_household.get(household_id, {}).values(), key=_age)
                if r["open"]
            ]:
                changed_reminders.append(r)
                self._put("reminders", r, "open", False)
        for one_household in _distinct(changed_households):
            if self._breaks_rule_11(one_household):
                return self._take_back(RULES[10])
        for one_household in _distinct(
            [household, *changed_households, *[self.households[one["household_id"]] for one in changed_reminders]]
        ):
            if self._breaks_rule_12(one_household):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} from {household['name']}.",
            "data": self._changes(),
        }

    def _show_household(self, household: Household) -> dict[str, Any]:
        """The household as an answer shows it."""
        return {**household, "reminders": self._household_reminders(household)}

    def _show_meter(self, meter: Meter) -> dict[str, Any]:
        """The meter as an answer shows it."""
        return {**meter, "failed": self._meter_failed(meter), "last_id": _id_of(self._meter_last(meter))}

    def _show_fitter(self, fitter: Fitter) -> dict[str, Any]:
        """The fitter as an answer shows it."""
        return {**fitter, "trades": [*fitter["trades"]]}

    def _names_of_meters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meters point to."""
        return _names((self.households, "name", [row["household_id"] for row in shown]))

    def _names_of_readings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that readings point to."""
        return _names((self.meters, "serial", [row["meter_id"] for row in shown]))

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names(
            (self.meters, "serial", [row["meter_id"] for row in shown]),
            (self.fitters, "name", [row["fitter_id"] for row in shown]),
        )

    def _names_of_warrants(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that warrants point to."""
        return _names((self.meters, "serial", [row["meter_id"] for row in shown]))

    def _names_of_reminders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reminders point to."""
        return _names((self.households, "name", [row["household_id"] for row in shown]))

    def _household_reminders(self, household: Household) -> int:
        """The reminders of a household."""
        return sum(1 for r in self._reminders_by_household.get(household["id"], {}).values() if r["open"])

    def _meter_failed(self, meter: Meter) -> int:
        """The failed of a meter."""
        return len(self._visits_by_meter_status.get((meter["id"], "no_access"), {}))

    def _meter_last(self, meter: Meter) -> Reading | None:
        """The last of a meter."""
        return min(
            self._readings_by_meter_status.get((meter["id"], "accepted"), {}).values(),
            key=lambda r: (_descending(r["taken_on"]), -r["value"], _age(r)),
            default=None,
        )

    def _value_of(self, m: Meter) -> int:
        return self._meter_last(m)["value"] if self._meter_last(m) is not None else 0

    def _days_since(self, m: Meter, d: str) -> int:
        return _days_between(self._meter_last(m)["taken_on"], d) if self._meter_last(m) is not None else 365

    def _plausible(self, m: Meter, value: int, d: str) -> bool:
        return (value - self._value_of(m)) * 365 <= 2 * m["forecast"] * max(1, self._days_since(m, d))

    def _visit_to(self, m: Meter) -> Visit | None:
        return next(
            (v for v in sorted(self._visits_by_meter_status.get((m["id"], "booked"), {}).values(), key=_age)),
            None,
        )

    def _misses(self, m: Meter) -> list[Visit]:
        return sorted(self._visits_by_meter_status.get((m["id"], "no_access"), {}).values(), key=_age)

    def _covered(self, m: Meter, d: str) -> bool:
        return any(
            d <= w["valid_until"]
            for w in self._warrants_by_meter_status.get((m["id"], "granted"), {}).values()
            if w["valid_until"] is not None
        )

    def _may_be_cut(self, h: Household, d: str) -> bool:
        return (
            not h["vulnerable"]
            and h["cut_on"] is None
            and h["arrears"] >= 10000
            and sum(
                1
                for r in self._reminders_by_household.get(h["id"], {}).values()
                if r["open"]
                and _plus_days(r["sent_on"], 14) <= d
            ) >= 2
        )

    def _wants_warrant(self, m: Meter) -> bool:
        return (
            m["status"] == "fitted"
            and self._meter_failed(m) >= 3
            and m["household_id"] is not None
            and not self.households[m["household_id"]]["vulnerable"]
            and not self._warrants_by_meter_status.get((m["id"], "asked"), {})
            and not any(
                w["valid_until"] >= self.now[:10]
                for w in self._warrants_by_meter.get(m["id"], {}).values()
                if w["valid_until"] is not None
            )
        )

    def _due_letter(self, h: Household, d: str) -> bool:
        return (
            h["arrears"] > 0
            and h["cut_on"] is None
            and self._household_reminders(h) < 2
            and not any(
                _plus_days(r["sent_on"], 7) > d
                for r in self._reminders_by_household.get(h["id"], {}).values()
                if r["open"]
            )
        )

    def _breaks_rule_1_m(self, m: Meter) -> bool:
        """Whether this is broken: a household has one fitted meter of a kind, and a stored meter has no household.
        """
        return (
            m["status"] == "fitted"
            and any(
                other_m is not m
                for other_m in self._meters_by_kind_household_status.get(
                    (m["kind"], m["household_id"], "fitted"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_1_m_again(self, m: Meter) -> bool:
        """Whether this is broken: a household has one fitted meter of a kind, and a stored meter has no household.
        """
        return (m["status"] == "stored") != (m["household_id"] is None)

    def _breaks_rule_2_a(self, a: Reading) -> bool:
        """Whether this is broken: accepted readings of a meter never run backwards."""
        return (
            a["status"] == "accepted"
            and any(
                a["taken_on"] < b["taken_on"]
                and a["value"] > b["value"]
                for b in self._readings_by_meter_status.get((a["meter_id"], "accepted"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2_b(self, b: Reading) -> bool:
        """Whether this is broken: accepted readings of a meter never run backwards."""
        return (
            b["status"] == "accepted"
            and any(
                a["taken_on"] < b["taken_on"]
                and a["value"] > b["value"]
                for a in self._readings_by_meter_status.get((b["meter_id"], "accepted"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_3(self, r: Reading) -> bool:
        """Whether this is broken: a meter has one reading in doubt at a time."""
        return (
            r["status"] == "in_doubt"
            and any(
                other_r is not r
                for other_r in self._readings_by_meter_status.get((r["meter_id"], "in_doubt"), {}).values()
            )
        )

    def _breaks_rule_4_v(self, v: Visit) -> bool:
        """Whether this is broken: a meter has one booked visit at a time, and only a fitted meter has one."""
        return (
            v["status"] == "booked"
            and any(
                other_v is not v
                for other_v in self._visits_by_meter_status.get((v["meter_id"], "booked"), {}).values()
            )
        )

    def _breaks_rule_4_v_again(self, v: Visit) -> bool:
        """Whether this is broken: a meter has one booked visit at a time, and only a fitted meter has one."""
        return v["status"] == "booked" and self.meters[v["meter_id"]]["status"] != "fitted"

    def _breaks_rule_5(self, v: Visit) -> bool:
        """Whether this is broken: a fitter has the trade for the meter."""
        return self.meters[v["meter_id"]]["kind"] not in self.fitters[v["fitter_id"]]["trades"]

    def _breaks_rule_6(self, v: Visit) -> bool:
        """Whether this is broken: a fitter has at most three visits in half a day."""
        return (
            v["status"] == "booked"
            and sum(
                1
                for o in self._visits_by_fitter_half_status.get((v["fitter_id"], v["half"], "booked"), {}).values()
                if o["day"] == v["day"]
            ) > 3
        )

    def _breaks_rule_7(self, v: Visit) -> bool:
        """Whether this is broken: after three visits without access nobody goes there without a warrant that is valid
        on the day.
        """
        return (
            v["status"] == "booked"
            and not (
                self._meter_failed(self.meters[v["meter_id"]]) < 3
                or self._covered(self.meters[v["meter_id"]], v["day"])
            )
        )

    def _breaks_rule_8(self, m: Meter) -> bool:
        """Whether this is broken: three visits without access were not all in the same half of the day."""
        return not (
            self._meter_failed(m) < 3
            or any(v["half"] == "morning" for v in self._misses(m))
            and any(v["half"] == "afternoon" for v in self._misses(m))
        )

    def _breaks_rule_9_w(self, w: Warrant) -> bool:
        """Whether this is broken: a warrant is asked for after three visits without access, and one at a time."""
        return self._meter_failed(self.meters[w["meter_id"]]) < 3

    def _breaks_rule_9_w_again(self, w: Warrant) -> bool:
        """Whether this is broken: a warrant is asked for after three visits without access, and one at a time."""
        return (
            w["status"] == "asked"
            and any(
                other_w is not w
                for other_w in self._warrants_by_meter_status.get((w["meter_id"], "asked"), {}).values()
            )
        )

    def _breaks_rule_10(self, w: Warrant) -> bool:
        """Whether this is broken: a granted warrant says how long it is valid, and no other does."""
        return (w["status"] == "granted") != (w["valid_until"] is not None)

    def _breaks_rule_11(self, h: Household) -> bool:
        """Whether this is broken: nobody vulnerable is cut off."""
        return h["vulnerable"] and h["cut_on"] is not None

    def _breaks_rule_12(self, h: Household) -> bool:
        """Whether this is broken: a household is cut off only with arrears and two open reminders."""
        return not (h["cut_on"] is None or h["arrears"] > 0 and self._household_reminders(h) >= 2)

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
            case "meters":
                self._meters_by_kind_household_status.setdefault(
                    (record["kind"], record["household_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "readings":
                self._readings_by_meter_status.setdefault(
                    (record["meter_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "visits":
                self._visits_by_fitter.setdefault(record["fitter_id"], {})[record["id"]] = record
                self._visits_by_fitter_half_status.setdefault(
                    (record["fitter_id"], record["half"], record["status"]),
                    {},
                )[record["id"]] = record
                self._visits_by_fitter_status.setdefault(
                    (record["fitter_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._visits_by_meter_status.setdefault((record["meter_id"], record["status"]), {})[record["id"]] = record
            case "warrants":
                self._warrants_by_meter.setdefault(record["meter_id"], {})[record["id"]] = record
                self._warrants_by_meter_status.setdefault(
                    (record["meter_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "reminders":
                self._reminders_by_household.setdefault(record["household_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "meters":
                del self._meters_by_kind_household_status[
                    record["kind"],
                    record["household_id"],
                    record["status"],
                ][record["id"]]
            case "readings":
                del self._readings_by_meter_status[record["meter_id"], record["status"]][record["id"]]
            case "visits":
                del self._visits_by_fitter[record["fitter_id"]][record["id"]]
                del self._visits_by_fitter_half_status[
                    record["fitter_id"],
                    record["half"],
                    record["status"],
                ][record["id"]]
                del self._visits_by_fitter_status[record["fitter_id"], record["status"]][record["id"]]
                del self._visits_by_meter_status[record["meter_id"], record["status"]][record["id"]]
            case "warrants":
                del self._warrants_by_meter[record["meter_id"]][record["id"]]
                del self._warrants_by_meter_status[record["meter_id"], record["status"]][record["id"]]
            case "reminders":
                del self._reminders_by_household[record["household_id"]][record["id"]]
