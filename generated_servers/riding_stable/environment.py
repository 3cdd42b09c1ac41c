"""Riding stable. Compiled from blueprint.yaml; run `envscaler build riding_stable` after changing it there.

Finds horses for riders by weight and level within the work each horse can do, keeps quarrelling horses in
different paddocks, and plans the days of farrier and vet.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Horses that do not get on are never in one paddock.",
    "A paddock has no more horses than it bears.",
    "A quarrel is between two horses and noted once.",
    "No horse carries more than it can.",
    "Riders ride horses of their level.",
    "Hacks are for riders of level 2 and jumping is for those of level 3.",
    "No horse works longer than its daily minutes.",
    "A horse has half an hour of rest between two rides.",
    "Nobody rides two horses at a time.",
    "Lame horses have no rides booked.",
    "Horses are ridden with shoes and vaccinations in date, and never on their rest day.",
    "Farrier and vet treat each horse once a visit, and no more horses than agreed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_ride",
    "cancel_ride",
    "change_horse",
    "move_ride",
    "finish_ride",
    "assess_rider",
    "report_lame",
    "report_fit",
    "turn_out",
    "bring_in",
    "note_dislike",
    "plan_visit",
    "plan_treatment",
    "carry_out",
)
"""The methods that may change something; all others only read."""

RIDE_STATUS_MOVES = {("booked", "ridden"), ("booked", "cancelled")}

LABELS: dict[str, tuple[str, ...]] = {
    "paddocks": ("name",),
    "horses": ("name",),
    "dislikes": (),
    "riders": ("name",),
    "rides": (),
    "visits": ("code",),
    "treatments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("dislikes", "one_id"),
    ("dislikes", "other_id"),
    ("horses", "paddock_id"),
    ("rides", "horse_id"),
    ("rides", "rider_id"),
    ("rides", "status"),
    ("treatments", "horse_id"),
    ("treatments", "visit_id"),
    ("visits", "code"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Paddock(TypedDict):
    id: str
    name: str
    most: int


class Horse(TypedDict):
    id: str
    name: str
    carries: int
    level: int
    daily_minutes: int
    rest_day: int
    paddock_id: str | None
    shod_on: str
    shoe_weeks: int
    vaccinated_until: str
    status: Literal["fit", "lame"]


class Dislike(TypedDict):
    id: str
    one_id: str
    other_id: str


class Rider(TypedDict):
    id: str
    name: str
    kilos: int
    level: int


class Ride(TypedDict):
    id: str
    horse_id: str
    rider_id: str
    starts_at: str
    minutes: int
    kind: Literal["lesson", "hack", "jumping"]
    status: Literal["booked", "ridden", "cancelled"]


class Visit(TypedDict):
    id: str
    code: str
    who: Literal["farrier", "vet"]
    comes_on: str
    most: int


class Treatment(TypedDict):
    id: str
    visit_id: str
    horse_id: str
    status: Literal["planned", "done"]


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class RidingStable:
    """Finds horses for riders by weight and level within the work each horse can do, keeps quarrelling
    horses in different paddocks, and plans the days of farrier and vet.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.paddocks: dict[str, Paddock] = _copied(config.get("paddocks", {}))
        self.horses: dict[str, Horse] = _copied(config.get("horses", {}))
        self.dislikes: dict[str, Dislike] = _copied(config.get("dislikes", {}))
        self.riders: dict[str, Rider] = _copied(config.get("riders", {}))
        self.rides: dict[str, Ride] = _copied(config.get("rides", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.now: str = config.get("now", "2026-04-22T12:00")
        self.counters: dict[str, int] = {
            "paddock": len(self.paddocks),
            "horse": len(self.horses),
            "dislike": len(self.dislikes),
            "rider": len(self.riders),
            "ride": len(self.rides),
            "visit": len(self.visits),
            "treatment": len(self.treatments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._horses_by_paddock: dict[Any, dict[str, Horse]] = {}
        self._dislikes_by_one: dict[Any, dict[str, Dislike]] = {}
        self._dislikes_by_one_other: dict[Any, dict[str, Dislike]] = {}
        self._dislikes_by_other: dict[Any, dict[str, Dislike]] = {}
        self._rides_by_horse: dict[Any, dict[str, Ride]] = {}
        self._rides_by_horse_status: dict[Any, dict[str, Ride]] = {}
        self._rides_by_rider_status: dict[Any, dict[str, Ride]] = {}
        self._visits_by_code: dict[Any, dict[str, Visit]] = {}
        self._treatments_by_visit: dict[Any, dict[str, Treatment]] = {}
        self._treatments_by_visit_horse: dict[Any, dict[str, Treatment]] = {}
        for horse in self.horses.values():
            self._link("horses", horse)
        for dislike in self.dislikes.values():
            self._link("dislikes", dislike)
        for ride in self.rides.values():
            self._link("rides", ride)
        for visit in self.visits.values():
            self._link("visits", visit)
        for treatment in self.treatments.values():
            self._link("treatments", treatment)

    def suitable_horses(
        self,
        rider_id: str,
        starts_at: DateTime,
        minutes: Annotated[int, {"minimum": 20, "maximum": 180}] = 45,
        kind: Literal["lesson", "hack", "jumping"] = "lesson",
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Horses that a rider could ride at a time, the least worked that day first.

        Args:
            rider_id (str): Id of the rider, such as RIDER-00001.
            starts_at (str): When the ride would begin, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the ride in minutes, from 20 to 180. Default: 45.
            kind (str): Kind of ride, a hack being a ride out in the country: lesson, hack or jumping. Default:
                lesson.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "horses": records}} or {"success": False, "error": why
                not}
        """
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        found = [
            h
            for h in self.horses.values()
            if rider["level"] >= self._least(kind)
            and self._could_take(h, rider, starts_at, minutes)
        ]
        found.sort(key=lambda h: (self._minutes_on(h, starts_at[:10]), h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "horses": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "level": h["level"],
                        "carries": h["carries"],
                        "worked": self._minutes_on(h, starts_at[:10]),
                        "daily_minutes": h["daily_minutes"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def list_paddocks(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the paddocks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only paddocks whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "paddocks": records}}
        """
        found = [
            paddock
            for paddock in self.paddocks.values()
            if (name is None or name.casefold() in paddock["name"].casefold())
        ]
        return _found(
            {"total": len(found), "paddocks": [self._show_paddock(paddock) for paddock in _page(found, offset)]}
        )

    def list_horses(
        self,
        name: Text | None = None,
        paddock_id: str | None = None,
        status: Literal["fit", "lame"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the horses, oldest first, all of them or only some.

        Args:
            name (str, optional): Only horses whose name contains this text.
            paddock_id (str, optional): Only horses of this paddock.
            status (str, optional): Only horses with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "horses": records}}
        """
        if paddock_id is not None and paddock_id not in self.paddocks:
            return _refused(f"There is no paddock {paddock_id!r}.")
        found = [
            horse
            for horse in self.horses.values()
            if (name is None or name.casefold() in horse["name"].casefold())
            and (paddock_id is None or horse["paddock_id"] == paddock_id)
            and (status is None or horse["status"] == status)
        ]
        shown = [self._show_horse(horse) for horse in _page(found, offset)]
        return _found({"total": len(found), "horses": shown}, self._names_of_horses(shown))

    def list_dislikes(
        self,
        one_id: str | None = None,
        other_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the dislikes, oldest first, all of them or only some.

        Args:
            one_id (str, optional): Only dislikes whose one is this horse.
            other_id (str, optional): Only dislikes whose other is this horse.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dislikes": records}}
        """
        if one_id is not None and one_id not in self.horses:
            return _refused(f"There is no horse {one_id!r}.")
        if other_id is not None and other_id not in self.horses:
            return _refused(f"There is no horse {other_id!r}.")
        found = [
            dislike
            for dislike in self.dislikes.values()
            if (one_id is None or dislike["one_id"] == one_id)
            and (other_id is None or dislike["other_id"] == other_id)
        ]
        shown = [{**dislike} for dislike in _page(found, offset)]
        return _found({"total": len(found), "dislikes": shown}, self._names_of_dislikes(shown))

    def list_riders(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the riders, oldest first, all of them or only some.

        Args:
            name (str, optional): Only riders whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "riders": records}}
        """
        found = [
            rider
            for rider in self.riders.values()
            if (name is None or name.casefold() in rider["name"].casefold())
        ]
        return _found({"total": len(found), "riders": [{**rider} for rider in _page(found, offset)]})

    def list_rides(
        self,
        horse_id: str | None = None,
        rider_id: str | None = None,
        kind: Literal["lesson", "hack", "jumping"] | None = None,
        status: Literal["booked", "ridden", "cancelled"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rides, oldest first, all of them or only some.

        Args:
            horse_id (str, optional): Only rides of this horse.
            rider_id (str, optional): Only rides of this rider.
            kind (str, optional): Only rides with this kind.
            status (str, optional): Only rides with this status.
            starts_at_from (str, optional): Only rides whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only rides whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rides": records}}
        """
        if horse_id is not None and horse_id not in self.horses:
            return _refused(f"There is no horse {horse_id!r}.")
        if rider_id is not None and rider_id not in self.riders:
            return _refused(f"There is no rider {rider_id!r}.")
        found = [
            ride
            for ride in self.rides.values()
            if (horse_id is None or ride["horse_id"] == horse_id)
            and (rider_id is None or ride["rider_id"] == rider_id)
            and (kind is None or ride["kind"] == kind)
            and (status is None or ride["status"] == status)
            and (starts_at_from is None or ride["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or ride["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_ride(ride) for ride in _page(found, offset)]
        return _found({"total": len(found), "rides": shown}, self._names_of_rides(shown))

    def list_visits(
        self,
        code: Text | None = None,
        who: Literal["farrier", "vet"] | None = None,
        comes_on_from: Date | None = None,
        comes_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            code (str, optional): Only visits whose code contains this text.
            who (str, optional): Only visits whose `who` is this.
            comes_on_from (str, optional): Only visits whose `comes_on` is on this day or later.
            comes_on_to (str, optional): Only visits whose `comes_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        found = [
            visit
            for visit in self.visits.values()
            if (code is None or code.casefold() in visit["code"].casefold())
            and (who is None or visit["who"] == who)
            and (comes_on_from is None or visit["comes_on"] >= comes_on_from)
            and (comes_on_to is None or visit["comes_on"] <= comes_on_to)
        ]
        return _found({"total": len(found), "visits": [self._show_visit(visit) for visit in _page(found, offset)]})

    def list_treatments(
        self,
        visit_id: str | None = None,
        horse_id: str | None = None,
        status: Literal["planned", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            visit_id (str, optional): Only treatments of this visit.
            horse_id (str, optional): Only treatments of this horse.
            status (str, optional): Only treatments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        if visit_id is not None and visit_id not in self.visits:
            return _refused(f"There is no visit {visit_id!r}.")
        if horse_id is not None and horse_id not in self.horses:
            return _refused(f"There is no horse {horse_id!r}.")
        found = [
            treatment
            for treatment in self.treatments.values()
            if (visit_id is None or treatment["visit_id"] == visit_id)
            and (horse_id is None or treatment["horse_id"] == horse_id)
            and (status is None or treatment["status"] == status)
        ]
        shown = [{**treatment} for treatment in _page(found, offset)]
        return _found({"total": len(found), "treatments": shown}, self._names_of_treatments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_ride(
        self,
        horse_id: str,
        rider_id: str,
        starts_at: DateTime,
        minutes: Annotated[int, {"minimum": 20, "maximum": 180}] = 45,
        kind: Literal["lesson", "hack", "jumping"] = "lesson",
    ) -> Result:
        """Book a ride for a rider on a horse.

        Args:
            horse_id (str): Id of the horse, such as HORSE-00001.
            rider_id (str): Id of the rider, such as RIDER-00001.
            starts_at (str): When the ride begins, later than now, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the ride in minutes, from 20 to 180. Default: 45.
            kind (str): Kind of ride, a hack being a ride out in the country: lesson, hack or jumping. Default:
                lesson.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if rider["kilos"] > horse["carries"]:
            return _refused(
                f"{horse['name']} carries {horse['carries']} kilos and {rider['name']} weighs {rider['kilos']}."
            )
        if rider["level"] < horse["level"]:
            return _refused(
                f"{horse['name']} is for riders of level {horse['level']}, and {rider['name']} has {rider['level']}."
            )
        if rider["level"] < self._least(kind):
            return _refused(f"A {kind} takes level {self._least(kind)}, and {rider['name']} has {rider['level']}.")
        if horse["status"] != "fit":
            return _refused(f"{horse['name']} is lame.")
        if _weekday(starts_at[:10]) == horse["rest_day"]:
            return _refused(f"{starts_at[:10]} is the rest day of {horse['name']}.")
        if starts_at[:10] > self._horse_shoes_until(horse):
            return _refused(f"{horse['name']} needs the farrier by {self._horse_shoes_until(horse)}.")
        if starts_at[:10] > horse["vaccinated_until"]:
            return _refused(f"The vaccination of {horse['name']} ends on {horse['vaccinated_until']}.")
        if self._minutes_on(horse, starts_at[:10]) + minutes > horse["daily_minutes"]:
            return _refused(
                f"{horse['name']} has {self._minutes_on(horse, starts_at[:10])} of {horse['daily_minutes']} "
                "minutes of work that day."
            )
        clash = next((each for each in self._horse_busy(horse, starts_at, minutes)), None)
        if clash is not None:
            return _refused(
                f"{horse['name']} is ridden from {clash['starts_at']} to {self._ride_ends_at(clash)} and needs "
                "half an hour of rest around that."
            )
        own = next((each for each in self._rider_busy(rider, starts_at, minutes)), None)
        if own is not None:
            return _refused(
                f"{rider['name']} rides {self.horses[own['horse_id']]['name']} from {own['starts_at']} to "
                f"{self._ride_ends_at(own)}."
            )
        self._journal = []
        ride: Ride = {
            "id": self._new_id("ride", "RIDE", self.rides),
            "horse_id": horse_id,
            "rider_id": rider_id,
            "starts_at": starts_at,
            "minutes": minutes,
            "kind": kind,
            "status": "booked",
        }
        self._add("rides", ride)
        if self._breaks_rule_4(ride):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ride):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(ride):
            return self._take_back(RULES[5])
        for one_ride in _distinct([ride, *self._rides_by_horse.get(ride["horse_id"], {}).values()]):
            if self._breaks_rule_7(one_ride):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(ride):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ride):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ride):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(ride):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: book {horse['name']} for {rider['name']} at {starts_at} (new: ride {ride['id']}).",
            "data": {"ride_id": ride["id"], **self._changes()},
        }

    def cancel_ride(self, ride_id: str) -> Result:
        """Cancel a booked ride.

        Args:
            ride_id (str): Id of the ride, such as RIDE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ride = self.rides.get(ride_id)
        if ride is None:
            return _refused(f"There is no ride {ride_id!r}.")
        if ride["status"] != "booked":
            return _refused(f"That ride is {ride['status']}.")
        self._journal = []
        self._put("rides", ride, "status", "cancelled")
        if self._breaks_rule_4(ride):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ride):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(ride):
            return self._take_back(RULES[5])
        for one_ride in _distinct([ride, *self._rides_by_horse.get(ride["horse_id"], {}).values()]):
            if self._breaks_rule_7(one_ride):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(ride):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ride):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ride):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(ride):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the ride of {self.riders[ride['rider_id']]['name']} on "
                f"{self.horses[ride['horse_id']]['name']} at {ride['starts_at']}."
            ),
            "data": self._changes(),
        }

    def change_horse(self, ride_id: str, horse_id: str) -> Result:
        """Give a booked ride another horse.

        Args:
            ride_id (str): Id of the ride, such as RIDE-00001.
            horse_id (str): Id of the horse, such as HORSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ride = self.rides.get(ride_id)
        if ride is None:
            return _refused(f"There is no ride {ride_id!r}.")
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        if ride["status"] != "booked":
            return _refused(f"That ride is {ride['status']}.")
        if horse_id == ride["horse_id"]:
            return _refused(f"{self.riders[ride['rider_id']]['name']} rides {horse['name']} anyway.")
        if self.riders[ride["rider_id"]]["kilos"] > horse["carries"]:
            return _refused(
                f"{horse['name']} carries {horse['carries']} kilos and {self.riders[ride['rider_id']]['name']} "
                f"weighs {self.riders[ride['rider_id']]['kilos']}."
            )
        if self.riders[ride["rider_id"]]["level"] < horse["level"]:
            return _refused(
                f"{horse['name']} is for riders of level {horse['level']}, and "
                f"{self.riders[ride['rider_id']]['name']} has {self.riders[ride['rider_id']]['level']}."
            )
        if not self._works_on(horse, ride["starts_at"][:10]):
            return _refused(
                f"{horse['name']} does not work on {ride['starts_at'][:10]}, being lame, at rest, or due for the "
                "farrier or the vet."
            )
        if self._minutes_on(horse, ride["starts_at"][:10]) + ride["minutes"] > horse["daily_minutes"]:
            return _refused(
                f"{horse['name']} has {self._minutes_on(horse, ride['starts_at'][:10])} of "
                f"{horse['daily_minutes']} minutes of work that day."
            )
        clash = next((each for each in self._horse_busy(horse, ride["starts_at"], ride["minutes"])), None)
        if clash is not None:
            return _refused(
                f"{horse['name']} is ridden from {clash['starts_at']} to {self._ride_ends_at(clash)} and needs "
                "half an hour of rest around that."
            )
        self._journal = []
        former_horse_id = ride["horse_id"]
        self._put("rides", ride, "horse_id", horse_id)
        if self._breaks_rule_4(ride):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ride):
            return self._take_back(RULES[4])
        for one_ride in _distinct(
            [
                ride,
                *self._rides_by_horse.get(ride["horse_id"], {}).values(),
                *self._rides_by_horse.get(former_horse_id, {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_ride):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(ride):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(ride):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(ride):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: put {self.riders[ride['rider_id']]['name']} on {horse['name']} at {ride['starts_at']}."
            ),
            "data": self._changes(),
        }

    def move_ride(self, ride_id: str, starts_at: DateTime) -> Result:
        """Move a booked ride to another time.

        Args:
            ride_id (str): Id of the ride, such as RIDE-00001.
            starts_at (str): When the ride begins from now on, later than now, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ride = self.rides.get(ride_id)
        if ride is None:
            return _refused(f"There is no ride {ride_id!r}.")
        if ride["status"] != "booked":
            return _refused(f"That ride is {ride['status']}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if not self._works_on(self.horses[ride["horse_id"]], starts_at[:10]):
            return _refused(
                f"{self.horses[ride['horse_id']]['name']} does not work on {starts_at[:10]}, being lame, at rest, "
                "or due for the farrier or the vet."
            )
        if (
            self._minutes_on(self.horses[ride["horse_id"]], starts_at[:10])
            + (
                0
                if starts_at[:10] == ride["starts_at"][:10]
                else ride["minutes"]
            ) > self.horses[ride["horse_id"]]["daily_minutes"]
        ):
            return _refused(
                f"{self.horses[ride['horse_id']]['name']} has "
                f"{self._minutes_on(self.horses[ride['horse_id']], starts_at[:10])} of "
                f"{self.horses[ride['horse_id']]['daily_minutes']} minutes of work that day."
            )
        clash = next(
            (x for x in self._horse_busy(self.horses[ride["horse_id"]], starts_at, ride["minutes"]) if x is not ride),
            None,
        )
        if clash is not None:
            return _refused(
                f"{self.horses[ride['horse_id']]['name']} is ridden from {clash['starts_at']} to "
                f"{self._ride_ends_at(clash)} and needs half an hour of rest around that."
            )
        own = next(
            (x for x in self._rider_busy(self.riders[ride["rider_id"]], starts_at, ride["minutes"]) if x is not ride),
            None,
        )
        if own is not None:
            return _refused(
                f"{self.riders[ride['rider_id']]['name']} rides {self.horses[own['horse_id']]['name']} from "
                f"{own['starts_at']} to {self._ride_ends_at(own)}."
            )
        self._journal = []
        self._put("rides", ride, "starts_at", starts_at)
        for one_ride in _distinct([ride, *self._rides_by_horse.get(ride["horse_id"], {}).values()]):
            if self._breaks_rule_7(one_ride):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(ride):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ride):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(ride):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: move the ride of {self.riders[ride['rider_id']]['name']} on "
                f"{self.horses[ride['horse_id']]['name']} to {starts_at}."
            ),
            "data": self._changes(),
        }

    def finish_ride(self, ride_id: str) -> Result:
        """Note that a booked ride took place.

        Args:
            ride_id (str): Id of the ride, such as RIDE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ride = self.rides.get(ride_id)
        if ride is None:
            return _refused(f"There is no ride {ride_id!r}.")
        if ride["status"] != "booked":
            return _refused(f"That ride is {ride['status']}.")
        if ride["starts_at"] > self.now:
            return _refused(f"That ride begins at {ride['starts_at']}.")
        self._journal = []
        self._put("rides", ride, "status", "ridden")
        if self._breaks_rule_4(ride):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(ride):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(ride):
            return self._take_back(RULES[5])
        for one_ride in _distinct([ride, *self._rides_by_horse.get(ride["horse_id"], {}).values()]):
            if self._breaks_rule_7(one_ride):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(ride):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ride):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ride):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(ride):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: note the ride of {self.riders[ride['rider_id']]['name']} on "
                f"{self.horses[ride['horse_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def assess_rider(
        self,
        rider_id: str,
        kilos: Annotated[int, {"minimum": 20, "maximum": 150}] | None = None,
        level: Annotated[int, {"minimum": 1, "maximum": 4}] | None = None,
    ) -> Result:
        """Enter the weight and the level of a rider anew.

        Args:
            rider_id (str): Id of the rider, such as RIDER-00001.
            kilos (int, optional): New weight of the rider in kilograms, from 20 to 150. If left out, the weight
                stays as it is.
            level (int, optional): New riding level, higher being more skilled, from 1 to 4. If left out, the level
                stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        weight = kilos if kilos is not None else rider["kilos"]
        skill = level if level is not None else rider["level"]
        bad = next(
            (
                x
                for x in sorted(self._rides_by_rider_status.get((rider_id, "booked"), {}).values(), key=_age)
                if (
                    weight > self.horses[x["horse_id"]]["carries"]
                    or skill < self.horses[x["horse_id"]]["level"]
                    or skill < self._least(x["kind"])
                )
            ),
            None,
        )
        if bad is not None:
            return _refused(
                f"{rider['name']} is booked for a {bad['kind']} on {self.horses[bad['horse_id']]['name']} at "
                f"{bad['starts_at']}, which no longer suits, so change that first."
            )
        self._journal = []
        if not 20 <= weight <= 150:
            return self._take_back(f"The kilos of {rider['name']} must be between 20 and 150.")
        self._put("riders", rider, "kilos", weight)
        if not 1 <= skill <= 4:
            return self._take_back(f"The level of {rider['name']} must be between 1 and 4.")
        self._put("riders", rider, "level", skill)
        for one_ride in _distinct(self._rides_by_rider_status.get((rider["id"], "booked"), {}).values()):
            if self._breaks_rule_4(one_ride):
                return self._take_back(RULES[3])
        for one_ride in _distinct(self._rides_by_rider_status.get((rider["id"], "booked"), {}).values()):
            if self._breaks_rule_5(one_ride):
                return self._take_back(RULES[4])
        for one_ride in _distinct(self._rides_by_rider_status.get((rider["id"], "booked"), {}).values()):
            if self._breaks_rule_6(one_ride):
                return self._take_back(RULES[5])
        done = f"assess {rider['name']}"
        if kilos is not None:
            done += f" at {kilos} kilos"
        if level is not None:
            done += f" at level {level}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def report_lame(self, horse_id: str, cancel_rides: bool = False) -> Result:
        """Take a lame horse out of work, once its rides are given to others or cancelled, or at once, when those
        ahead are cancelled with it and those begun count as ridden.

        Args:
            horse_id (str): Id of the horse, such as HORSE-00001.
            cancel_rides (bool): Whether booked rides of the horse ahead are cancelled rather than stop the report.
                Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        if horse["status"] != "fit":
            return _refused(f"{horse['name']} is lame already.")
        x = next(
            (x for x in sorted(self._rides_by_horse_status.get((horse_id, "booked"), {}).values(), key=_age)),
            None,
        )
        if not (cancel_rides or x is None):
            return _refused(
                f"{horse['name']} is booked for {self.riders[x['rider_id']]['name']} at {x['starts_at']}, so find "
                "another horse or let its rides be cancelled."
            )
        self._journal = []
        changed_rides: list[Any] = []
        for r in sorted(self._rides_by_horse_status.get((horse_id, "booked"), {}).values(), key=_age):
            status = "ridden" if r["starts_at"] <= self.now else "cancelled"
            if r["status"] != status and (r["status"], status) not in RIDE_STATUS_MOVES:
                return self._take_back(f"Ride {r['id']} cannot go from {r['status']} to {status}.")
            changed_rides.append(r)
            self._put("rides", r, "status", status)
        self._put("horses", horse, "status", "lame")
        for one_ride in _distinct(changed_rides):
            if self._breaks_rule_4(one_ride):
                return self._take_back(RULES[3])
        for one_ride in _distinct(changed_rides):
            if self._breaks_rule_5(one_ride):
                return self._take_back(RULES[4])
        for one_ride in _distinct(changed_rides):
            if self._breaks_rule_6(one_ride):
                return self._take_back(RULES[5])
        for one_ride in _distinct(
            [
                *changed_rides,
                *[
                    user
                    for one in [self.horses[one["horse_id"]] for one in changed_rides]
                    for user in self._rides_by_horse.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_ride):
                return self._take_back(RULES[6])
        for one_ride in _distinct(changed_rides):
            if self._breaks_rule_8(one_ride):
                return self._take_back(RULES[7])
        for one_ride in _distinct(changed_rides):
            if self._breaks_rule_9(one_ride):
                return self._take_back(RULES[8])
        for one_ride in _distinct(
            [*changed_rides, *self._rides_by_horse_status.get((horse["id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_10(one_ride):
                return self._take_back(RULES[9])
        for one_ride in _distinct(changed_rides):
            if self._breaks_rule_11(one_ride):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: report {horse['name']} lame.", "data": self._changes()}

    def report_fit(self, horse_id: str) -> Result:
        """Put a horse back to work.

        Args:
            horse_id (str): Id of the horse, such as HORSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        if horse["status"] != "lame":
            return _refused(f"{horse['name']} is fit.")
        self._journal = []
        self._put("horses", horse, "status", "fit")
        for one_ride in _distinct(self._rides_by_horse_status.get((horse["id"], "booked"), {}).values()):
            if self._breaks_rule_10(one_ride):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: report {horse['name']} fit.", "data": self._changes()}

    def turn_out(self, horse_id: str, paddock_id: str) -> Result:
        """Put a horse into a paddock, out of another one if it is there.

        Args:
            horse_id (str): Id of the horse, such as HORSE-00001.
            paddock_id (str): Id of the paddock, such as PADDOCK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        paddock = self.paddocks.get(paddock_id)
        if paddock is None:
            return _refused(f"There is no paddock {paddock_id!r}.")
        if horse["paddock_id"] == paddock_id:
            return _refused(f"{horse['name']} is in {paddock['name']} already.")
        if self._paddock_horses(paddock) >= paddock["most"]:
            return _refused(f"{paddock['name']} is full with {self._paddock_horses(paddock)} horses.")
        foe = self._foe_in(horse, paddock)
        if foe is not None:
            return _refused(f"{horse['name']} and {foe['name']} do not get on, so take {foe['name']} out first.")
        self._journal = []
        former_paddock_id = horse["paddock_id"]
        self._put("horses", horse, "paddock_id", paddock_id)
        for one_dislike in _distinct(
            [
                *self._dislikes_by_one.get(horse["id"], {}).values(),
                *self._dislikes_by_other.get(horse["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_1(one_dislike):
                return self._take_back(RULES[0])
        for one_paddock in _distinct([self.paddocks.get(horse["paddock_id"]), self.paddocks.get(former_paddock_id)]):
            if self._breaks_rule_2(one_paddock):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: turn {horse['name']} out into {paddock['name']}.",
            "data": self._changes(),
        }

    def bring_in(self, horse_id: str) -> Result:
        """Bring a horse in from the paddock.

        Args:
            horse_id (str): Id of the horse, such as HORSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        if horse["paddock_id"] is None:
            return _refused(f"{horse['name']} is inside.")
        self._journal = []
        former_paddock_id = horse["paddock_id"]
        self._put("horses", horse, "paddock_id", None)
        for one_dislike in _distinct(
            [
                *self._dislikes_by_one.get(horse["id"], {}).values(),
                *self._dislikes_by_other.get(horse["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_1(one_dislike):
                return self._take_back(RULES[0])
        for one_paddock in _distinct([self.paddocks.get(horse["paddock_id"]), self.paddocks.get(former_paddock_id)]):
            if self._breaks_rule_2(one_paddock):
                return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: bring {horse['name']} in.", "data": self._changes()}

    def note_dislike(self, one_id: str, other_id: str) -> Result:
        """Note that two horses do not get on.

        Args:
            one_id (str): First of the two horses that do not get on; an id such as HORSE-00001.
            other_id (str): Second of the two horses that do not get on; an id such as HORSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.horses.get(one_id)
        if one is None:
            return _refused(f"There is no horse {one_id!r}.")
        other = self.horses.get(other_id)
        if other is None:
            return _refused(f"There is no horse {other_id!r}.")
        if one is other:
            return _refused("Name two horses.")
        if self._enemies(one, other):
            return _refused(f"{one['name']} and {other['name']} are known not to get on.")
        if one["paddock_id"] is not None and one["paddock_id"] == other["paddock_id"]:
            return _refused(f"{one['name']} and {other['name']} are in one paddock, so separate them first.")
        self._journal = []
        dislike: Dislike = {
            "id": self._new_id("dislike", "DISLIKE", self.dislikes),
            "one_id": one_id,
            "other_id": other_id,
        }
        self._add("dislikes", dislike)
        if self._breaks_rule_1(dislike):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_d(dislike):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_d_again(dislike):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: note that {one['name']} and {other['name']} do not get on (new: dislike {dislike['id']})."
            ),
            "data": {"dislike_id": dislike["id"], **self._changes()},
        }

    def plan_visit(
        self,
        code: Text,
        who: Literal["farrier", "vet"],
        comes_on: Date,
        most: Annotated[int, {"minimum": 1, "maximum": 12}],
    ) -> Result:
        """Plan a day of the farrier or the vet.

        Args:
            code (str): New code of the visit, not in use yet.
            who (str): Who comes to treat the horses: farrier or vet.
            comes_on (str): Day of the visit, from today on and within 120 days, as YYYY-MM-DD.
            most (int): Most horses that can be treated on the visit, from 1 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self.now[:10] > comes_on or comes_on > _plus_days(self.now[:10], 120):
            return _refused(f"Visits are planned up to {_plus_days(self.now[:10], 120)}.")
        if self._visits_by_code.get(code, {}):
            return _refused(f"There is a visit {code} already.")
        self._journal = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "code": code,
            "who": who,
            "comes_on": comes_on,
            "most": most,
        }
        self._add("visits", visit)
        if len(self._visits_by_code.get(visit["code"], {})) > 1:
            return self._take_back(f"There is already a visit with the code {visit['code']!r}.")
        if self._breaks_rule_12_v(visit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: plan the {who} for {comes_on} (new: visit {visit['id']}).",
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def plan_treatment(self, visit_id: str, horse_id: str) -> Result:
        """Put a horse on the list of a visit.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            horse_id (str): Id of the horse, such as HORSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        horse = self.horses.get(horse_id)
        if horse is None:
            return _refused(f"There is no horse {horse_id!r}.")
        if visit["comes_on"] < self.now[:10]:
            return _refused(f"That visit was on {visit['comes_on']}.")
        if self._visit_planned(visit) >= visit["most"]:
            return _refused(f"The {visit['who']} has no time left on {visit['comes_on']}.")
        if self._treatments_by_visit_horse.get((visit_id, horse_id), {}):
            return _refused(f"{horse['name']} is on that list already.")
        self._journal = []
        treatment: Treatment = {
            "id": self._new_id("treatment", "TREATMENT", self.treatments),
            "visit_id": visit_id,
            "horse_id": horse_id,
            "status": "planned",
        }
        self._add("treatments", treatment)
        if self._breaks_rule_12_t(treatment):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_v(self.visits[treatment["visit_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: put {horse['name']} on the list of the {visit['who']} for {visit['comes_on']} (new: "
                f"treatment {treatment['id']})."
            ),
            "data": {"treatment_id": treatment["id"], **self._changes()},
        }

    def carry_out(self, treatment_id: str) -> Result:
        """Note that the farrier has shod or the vet has vaccinated a horse.

        Args:
            treatment_id (str): Id of the treatment, such as TREATMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        treatment = self.treatments.get(treatment_id)
        if treatment is None:
            return _refused(f"There is no treatment {treatment_id!r}.")
        if treatment["status"] != "planned":
            return _refused("That is done.")
        if self.visits[treatment["visit_id"]]["comes_on"] > self.now[:10]:
            return _refused(
                f"The {self.visits[treatment['visit_id']]['who']} comes on "
                f"{self.visits[treatment['visit_id']]['comes_on']}."
            )
        self._journal = []
        changed_horses: list[Any] = []
        changed_horses_2: list[Any] = []
        self._put("treatments", treatment, "status", "done")
        if self.visits[treatment["visit_id"]]["who"] == "farrier":
            horse = self.horses[treatment["horse_id"]]
            changed_horses.append(horse)
            self._put(
                "horses",
                horse,
                "shod_on",
                max(self.horses[treatment["horse_id"]]["shod_on"], self.visits[treatment["visit_id"]]["comes_on"]),
            )
        else:
            its_horse = self.horses[treatment["horse_id"]]
            changed_horses_2.append(its_horse)
            self._put(
                "horses",
                its_horse,
                "vaccinated_until",
                max(
                    self.horses[treatment["horse_id"]]["vaccinated_until"],
                    _add_months(self.visits[treatment["visit_id"]]["comes_on"], 6),
                ),
            )
        for one_ride in _distinct(
            [
                *[
                    user
                    for one in changed_horses
                    for user in self._rides_by_horse_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in changed_horses_2
                    for user in self._rides_by_horse_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_ride):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: note that the {self.visits[treatment['visit_id']]['who']} has treated "
                f"{self.horses[treatment['horse_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_paddock(self, paddock: Paddock) -> dict[str, Any]:
        """The paddock as an answer shows it."""
        return {**paddock, "horses": self._paddock_horses(paddock)}

    def _show_horse(self, horse: Horse) -> dict[str, Any]:
        """The horse as an answer shows it."""
        return {**horse, "shoes_until": self._horse_shoes_until(horse)}

    def _show_ride(self, ride: Ride) -> dict[str, Any]:
        """The ride as an answer shows it."""
        return {**ride, "ends_at": self._ride_ends_at(ride)}

    def _show_visit(self, visit: Visit) -> dict[str, Any]:
        """The visit as an answer shows it."""
        return {**visit, "planned": self._visit_planned(visit)}

    def _names_of_horses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that horses point to."""
        return _names((self.paddocks, "name", [row["paddock_id"] for row in shown]))

    def _names_of_dislikes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that dislikes point to."""
        return _names(
            (self.horses, "name", [row["one_id"] for row in shown]),
            (self.horses, "name", [row["other_id"] for row in shown]),
        )

    def _names_of_rides(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rides point to."""
        return _names(
            (self.horses, "name", [row["horse_id"] for row in shown]),
            (self.riders, "name", [row["rider_id"] for row in shown]),
        )

    def _names_of_treatments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that treatments point to."""
        return _names(
            (self.visits, "code", [row["visit_id"] for row in shown]),
            (self.horses, "name", [row["horse_id"] for row in shown]),
        )

    def _paddock_horses(self, paddock: Paddock) -> int:
        """The horses of a paddock."""
        return len(self._horses_by_paddock.get(paddock["id"], {}))

    def _horse_shoes_until(self, horse: Horse) -> str:
        """The shoes until of a horse."""
        return _plus_days(horse["shod_on"], horse["shoe_weeks"] * 7)

    def _ride_ends_at(self, ride: Ride) -> str:
        """The ends at of a ride."""
        return _plus_minutes(ride["starts_at"], ride["minutes"])

    def _visit_planned(self, visit: Visit) -> int:
        """The planned of a visit."""
        return len(self._treatments_by_visit.get(visit["id"], {}))

    def _minutes_on(self, h: Horse, d: str) -> int:
        return sum(
            x["minutes"]
            for x in self._rides_by_horse.get(h["id"], {}).values()
            if x["status"] != "cancelled"
            and x["starts_at"][:10] == d
        )

    def _enemies(self, a: Horse, b: Horse) -> bool:
        return any(
            d["one_id"] == a["id"]
            and d["other_id"] == b["id"]
            or d["one_id"] == b["id"]
            and d["other_id"] == a["id"]
            for d in _distinct([d for key in [a["id"], b["id"]] for d in self._dislikes_by_one.get(key, {}).values()])
        )

    def _foe_in(self, h: Horse, p: Paddock) -> Horse | None:
        return next(
            (
                o
                for o in sorted(self._horses_by_paddock.get(p["id"], {}).values(), key=_age)
                if o is not h
                and self._enemies(h, o)
            ),
            None,
        )

    def _matches(self, h: Horse, r: Rider) -> bool:
        return r["kilos"] <= h["carries"] and r["level"] >= h["level"]

    def _least(self, k: str) -> int:
        return 1 if k == "lesson" else 2 if k == "hack" else 3

    def _works_on(self, h: Horse, d: str) -> bool:
        return (
            h["status"] == "fit"
            and _weekday(d) != h["rest_day"]
            and d <= self._horse_shoes_until(h)
            and d <= h["vaccinated_until"]
        )

    def _horse_busy(self, h: Horse, a: str, m: int) -> list[Ride]:
        return [
            x
            for x in sorted(self._rides_by_horse_status.get((h["id"], "booked"), {}).values(), key=_age)
            if _overlap(
                x["starts_at"],
                _plus_minutes(self._ride_ends_at(x), 30),
                a,
                _plus_minutes(_plus_minutes(a, m), 30),
            )
        ]

    def _rider_busy(self, r: Rider, a: str, m: int) -> list[Ride]:
        return [
            x
            for x in sorted(self._rides_by_rider_status.get((r["id"], "booked"), {}).values(), key=_age)
            if _overlap(x["starts_at"], self._ride_ends_at(x), a, _plus_minutes(a, m))
        ]

    def _could_take(self, h: Horse, r: Rider, a: str, m: int) -> bool:
        return (
            self._matches(h, r)
            and self._works_on(h, a[:10])
            and self._minutes_on(h, a[:10]) + m <= h["daily_minutes"]
            and len(self._horse_busy(h, a, m)) == 0
        )

    def _room_in(self, p: Paddock, h: Horse) -> bool:
        return self._paddock_horses(p) < p["most"] and self._foe_in(h, p) is None

    def _breaks_rule_1(self, d: Dislike) -> bool:
        """Whether this is broken: horses that do not get on are never in one paddock."""
        return (
            self.horses[d["one_id"]]["paddock_id"] is not None
            and self.horses[d["one_id"]]["paddock_id"] == self.horses[d["other_id"]]["paddock_id"]
        )

    def _breaks_rule_2(self, p: Paddock) -> bool:
        """Whether this is broken: a paddock has no more horses than it bears."""
        return self._paddock_horses(p) > p["most"]

    def _breaks_rule_3_d(self, d: Dislike) -> bool:
        """Whether this is broken: a quarrel is between two horses and noted once."""
        return d["one_id"] == d["other_id"]

    def _breaks_rule_3_d_again(self, d: Dislike) -> bool:
        """Whether this is broken: a quarrel is between two horses and noted once."""
        return any(
            other_d is not d
            for other_d in self._dislikes_by_one_other.get((d["one_id"], d["other_id"]), {}).values()
        )

    def _breaks_rule_4(self, x: Ride) -> bool:
        """Whether this is broken: no horse carries more than it can."""
        return x["status"] == "booked" and self.riders[x["rider_id"]]["kilos"] > self.horses[x["horse_id"]]["carries"]

    def _breaks_rule_5(self, x: Ride) -> bool:
        """Whether this is broken: riders ride horses of their level."""
        return x["status"] == "booked" and self.riders[x["rider_id"]]["level"] < self.horses[x["horse_id"]]["level"]

    def _breaks_rule_6(self, x: Ride) -> bool:
        """Whether this is broken: hacks are for riders of level 2 and jumping is for those of level 3."""
        return x["status"] == "booked" and self.riders[x["rider_id"]]["level"] < self._least(x["kind"])

    def _breaks_rule_7(self, x: Ride) -> bool:
        """Whether this is broken: no horse works longer than its daily minutes."""
        return (
            x["status"] != "cancelled"
            and self._minutes_on(
                self.horses[x["horse_id"]],
                x["starts_at"][:10],
            ) > self.horses[x["horse_id"]]["daily_minutes"]
        )

    def _breaks_rule_8(self, a: Ride) -> bool:
        """Whether this is broken: a horse has half an hour of rest between two rides."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(
                    a["starts_at"],
                    _plus_minutes(self._ride_ends_at(a), 30),
                    b["starts_at"],
                    _plus_minutes(self._ride_ends_at(b), 30),
                )
                for b in self._rides_by_horse_status.get((a["horse_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_9(self, a: Ride) -> bool:
        """Whether this is broken: nobody rides two horses at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["starts_at"], self._ride_ends_at(a), b["starts_at"], self._ride_ends_at(b))
                for b in self._rides_by_rider_status.get((a["rider_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_10(self, x: Ride) -> bool:
        """Whether this is broken: lame horses have no rides booked."""
        return x["status"] == "booked" and self.horses[x["horse_id"]]["status"] == "lame"

    def _breaks_rule_11(self, x: Ride) -> bool:
        """Whether this is broken: horses are ridden with shoes and vaccinations in date, and never on their rest day.
        """
        return (
            x["status"] == "booked"
            and (
                x["starts_at"][:10] > self._horse_shoes_until(self.horses[x["horse_id"]])
                or x["starts_at"][:10] > self.horses[x["horse_id"]]["vaccinated_until"]
                or _weekday(x["starts_at"][:10]) == self.horses[x["horse_id"]]["rest_day"]
            )
        )

    def _breaks_rule_12_t(self, t: Treatment) -> bool:
        """Whether this is broken: farrier and vet treat each horse once a visit, and no more horses than agreed."""
        return any(
            other_t is not t
            for other_t in self._treatments_by_visit_horse.get((t["visit_id"], t["horse_id"]), {}).values()
        )

    def _breaks_rule_12_v(self, v: Visit) -> bool:
        """Whether this is broken: farrier and vet treat each horse once a visit, and no more horses than agreed."""
        return self._visit_planned(v) > v["most"]

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
            case "horses":
                self._horses_by_paddock.setdefault(record["paddock_id"], {})[record["id"]] = record
            case "dislikes":
                self._dislikes_by_one.setdefault(record["one_id"], {})[record["id"]] = record
                self._dislikes_by_one_other.setdefault((record["one_id"], record["other_id"]), {})[record["id"]] = record
                self._dislikes_by_other.setdefault(record["other_id"], {})[record["id"]] = record
            case "rides":
                self._rides_by_horse.setdefault(record["horse_id"], {})[record["id"]] = record
                self._rides_by_horse_status.setdefault((record["horse_id"], record["status"]), {})[record["id"]] = record
                self._rides_by_rider_status.setdefault((record["rider_id"], record["status"]), {})[record["id"]] = record
            case "visits":
                self._visits_by_code.setdefault(record["code"], {})[record["id"]] = record
            case "treatments":
                self._treatments_by_visit.setdefault(record["visit_id"], {})[record["id"]] = record
                self._treatments_by_visit_horse.setdefault(
                    (record["visit_id"], record["horse_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "horses":
                del self._horses_by_paddock[record["paddock_id"]][record["id"]]
            case "dislikes":
                del self._dislikes_by_one[record["one_id"]][record["id"]]
                del self._dislikes_by_one_other[record["one_id"], record["other_id"]][record["id"]]
                del self._dislikes_by_other[record["other_id"]][record["id"]]
            case "rides":
                del self._rides_by_horse[record["horse_id"]][record["id"]]
                del self._rides_by_horse_status[record["horse_id"], record["status"]][record["id"]]
                del self._rides_by_rider_status[record["rider_id"], record["status"]][record["id"]]
            case "visits":
                del self._visits_by_code[record["code"]][record["id"]]
            case "treatments":
                del self._treatments_by_visit[record["visit_id"]][record["id"]]
                del self._treatments_by_visit_horse[record["visit_id"], record["horse_id"]][record["id"]]
