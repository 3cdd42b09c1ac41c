"""Sailing regatta. Compiled from blueprint.yaml; run `envscaler build sailing_regatta` after changing it there.

Scores the races of a sailing regatta by low points with a discard, from starts, finishes and codes through
protests and redress to the measurement certificates of the boats.
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
    "A boat has one result in a race.",
    "No two boats have the same place.",
    "Every result has a place or a code, and only a disqualified boat has both.",
    "Boats sail in the races of their fleet.",
    "No boat is certified that failed its last inspection of the hull or the sails.",
    "Only races that were started have results.",
    "No place is beyond the number of boats in the fleet.",
    "A fleet sails one race at a time.",
    "Who loses a protest is disqualified in that race.",
    "Protests are between two boats that have a result in the race.",
    "A boat asks once for redress in a race.",
    "Redress points stand where redress was given.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_race",
    "record_finish",
    "score_code",
    "swap_places",
    "close_race",
    "abandon_race",
    "file_protest",
    "decide_protest",
    "ask_redress",
    "decide_redress",
    "inspect_boat",
    "issue_certificate",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "fleets": ("name",),
    "boats": ("name",),
    "races": ("code",),
    "finishes": (),
    "protests": (),
    "redress_requests": (),
    "inspections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("boats", "fleet_id"),
    ("finishes", "boat_id"),
    ("finishes", "race_id"),
    ("inspections", "boat_id"),
    ("inspections", "item"),
    ("protests", "against_id"),
    ("protests", "by_id"),
    ("protests", "race_id"),
    ("protests", "status"),
    ("races", "fleet_id"),
    ("races", "status"),
    ("redress_requests", "boat_id"),
    ("redress_requests", "race_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Fleet(TypedDict):
    id: str
    name: str
    discard_from: int


class Boat(TypedDict):
    id: str
    name: str
    sail: str
    fleet_id: str
    skipper: str
    certified_until: str | None


class Race(TypedDict):
    id: str
    code: str
    fleet_id: str
    number: int
    sailed_on: str
    status: Literal["scheduled", "started", "finished", "abandoned"]


class Finish(TypedDict):
    id: str
    race_id: str
    boat_id: str
    place: int | None
    code: Literal["dns", "dnf", "ocs", "ret", "dsq"] | None
    redress: int | None


class Protest(TypedDict):
    id: str
    race_id: str
    by_id: str
    against_id: str
    rule: int
    filed_on: str
    status: Literal["filed", "upheld", "dismissed"]


class RedressRequest(TypedDict):
    id: str
    race_id: str
    boat_id: str
    reason: str
    status: Literal["open", "given", "refused"]


class Inspection(TypedDict):
    id: str
    boat_id: str
    item: Literal["hull", "sails"]
    passed: bool
    checked_on: str


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _mean(values: list[int]) -> Fraction | None:
    """The average, or None of nothing."""
    return Fraction(sum(values), len(values)) if values else None


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class SailingRegatta:
    """Scores the races of a sailing regatta by low points with a discard, from starts, finishes and codes
    through protests and redress to the measurement certificates of the boats.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.fleets: dict[str, Fleet] = _copied(config.get("fleets", {}))
        self.boats: dict[str, Boat] = _copied(config.get("boats", {}))
        self.races: dict[str, Race] = _copied(config.get("races", {}))
        self.finishes: dict[str, Finish] = _copied(config.get("finishes", {}))
        self.protests: dict[str, Protest] = _copied(config.get("protests", {}))
        self.redress_requests: dict[str, RedressRequest] = _copied(config.get("redress_requests", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.now: str = config.get("now", "2026-08-14T18:30")
        self.counters: dict[str, int] = {
            "fleet": len(self.fleets),
            "boat": len(self.boats),
            "race": len(self.races),
            "finish": len(self.finishes),
            "protest": len(self.protests),
            "redress_request": len(self.redress_requests),
            "inspection": len(self.inspections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._boats_by_fleet: dict[Any, dict[str, Boat]] = {}
        self._races_by_fleet_status: dict[Any, dict[str, Race]] = {}
        self._finishes_by_boat: dict[Any, dict[str, Finish]] = {}
        self._finishes_by_race: dict[Any, dict[str, Finish]] = {}
        self._finishes_by_race_boat: dict[Any, dict[str, Finish]] = {}
        self._protests_by_race: dict[Any, dict[str, Protest]] = {}
        self._protests_by_race_by_against: dict[Any, dict[str, Protest]] = {}
        self._protests_by_race_status: dict[Any, dict[str, Protest]] = {}
        self._protests_by_status: dict[Any, dict[str, Protest]] = {}
        self._redress_requests_by_race: dict[Any, dict[str, RedressRequest]] = {}
        self._redress_requests_by_race_boat: dict[Any, dict[str, RedressRequest]] = {}
        self._inspections_by_boat: dict[Any, dict[str, Inspection]] = {}
        self._inspections_by_boat_item: dict[Any, dict[str, Inspection]] = {}
        for boat in self.boats.values():
            self._link("boats", boat)
        for race in self.races.values():
            self._link("races", race)
        for finish in self.finishes.values():
            self._link("finishes", finish)
        for protest in self.protests.values():
            self._link("protests", protest)
        for redress_request in self.redress_requests.values():
            self._link("redress_requests", redress_request)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)

    def standings(self, fleet_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The boats of a fleet in the order of their net points; ties go to the boat with more first places, then
        seconds, then thirds, then to the better latest race.

        Args:
            fleet_id (str): Id of the fleet, such as FLEET-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boats": records}} or {"success": False, "error": why
                not}
        """
        fleet = self.fleets.get(fleet_id)
        if fleet is None:
            return _refused(f"There is no fleet {fleet_id!r}.")
        found = [b for b in self._boats_by_fleet.get(fleet_id, {}).values()]
        found.sort(
            key=lambda b: (
                self._boat_net(b),
                -self._times(b, 1),
                -self._times(b, 2),
                -self._times(b, 3),
                self._latest(b),
                b["name"],
                _age(b),
            )
        )
        return _found(
            {
                "total": len(found),
                "boats": [
                    {
                        "id": b["id"],
                        "name": b["name"],
                        "sail": b["sail"],
                        "net": self._boat_net(b),
                        "gross": self._boat_gross(b),
                        "discard": self._boat_worst(b),
                        "first_places": self._times(b, 1),
                        "latest_race": self._latest(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def race_sheet(self, race_id: str) -> Result:
        """The results of a race with points, and the boats without a result.

        Args:
            race_id (str): Id of the race, such as RACE-00001.

        Returns:
            dict: {"success": True, "data": {boats, points, missing, next_place}} or {"success": False, "error":
                why not}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        return _found(
            {
                "boats": [
                    *[
                        self.boats[f["boat_id"]]["name"]
                        for f in sorted(self._finishes_by_race.get(race_id, {}).values(), key=_age)
                    ]
                ],
                "points": [
                    *[
                        self._finish_points(f)
                        for f in sorted(self._finishes_by_race.get(race_id, {}).values(), key=_age)
                    ]
                ],
                "missing": [*[b["name"] for b in self._missing(race)]],
                "next_place": self._next_place(race),
            }
        )

    def open_hearings(
        self,
        fleet_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Protests that are not decided yet.

        Args:
            fleet_id (str, optional): Fleet in whose races the protests listed arose; an id such as FLEET-00001. If
                left out, the protests of all fleets are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "protests": records}} or {"success": False, "error": why
                not}
        """
        fleet = self.fleets.get(fleet_id) if fleet_id is not None else None
        if fleet_id is not None and fleet is None:
            return _refused(f"There is no fleet {fleet_id!r}.")
        found = [
            p
            for p in self._protests_by_status.get("filed", {}).values()
            if (fleet_id is None or self.races[p["race_id"]]["fleet_id"] == fleet_id)
        ]
        found.sort(key=lambda p: (p["filed_on"], p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "protests": [
                    {
                        "id": p["id"],
                        "race": self.races[p["race_id"]]["code"],
                        "by": self.boats[p["by_id"]]["name"],
                        "against": self.boats[p["against_id"]]["name"],
                        "rule": p["rule"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_fleets(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fleets, oldest first, all of them or only some.

        Args:
            name (str, optional): Only fleets whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fleets": records}}
        """
        found = [
            fleet
            for fleet in self.fleets.values()
            if (name is None or name.casefold() in fleet["name"].casefold())
        ]
        return _found({"total": len(found), "fleets": [self._show_fleet(fleet) for fleet in _page(found, offset)]})

    def list_boats(
        self,
        name: Text | None = None,
        fleet_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the boats, oldest first, all of them or only some.

        Args:
            name (str, optional): Only boats whose name contains this text.
            fleet_id (str, optional): Only boats of this fleet.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boats": records}}
        """
        if fleet_id is not None and fleet_id not in self.fleets:
            return _refused(f"There is no fleet {fleet_id!r}.")
        found = [
            boat
            for boat in self.boats.values()
            if (name is None or name.casefold() in boat["name"].casefold())
            and (fleet_id is None or boat["fleet_id"] == fleet_id)
        ]
        shown = [self._show_boat(boat) for boat in _page(found, offset)]
        return _found({"total": len(found), "boats": shown}, self._names_of_boats(shown))

    def list_races(
        self,
        code: Text | None = None,
        fleet_id: str | None = None,
        status: Literal["scheduled", "started", "finished", "abandoned"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the races, oldest first, all of them or only some.

        Args:
            code (str, optional): Only races whose code contains this text.
            fleet_id (str, optional): Only races of this fleet.
            status (str, optional): Only races with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "races": records}}
        """
        if fleet_id is not None and fleet_id not in self.fleets:
            return _refused(f"There is no fleet {fleet_id!r}.")
        found = [
            race
            for race in self.races.values()
            if (code is None or code.casefold() in race["code"].casefold())
            and (fleet_id is None or race["fleet_id"] == fleet_id)
            and (status is None or race["status"] == status)
        ]
        shown = [{**race} for race in _page(found, offset)]
        return _found({"total": len(found), "races": shown}, self._names_of_races(shown))

    def list_finishes(
        self,
        race_id: str | None = None,
        boat_id: str | None = None,
        code: Literal["dns", "dnf", "ocs", "ret", "dsq"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the finishes, oldest first, all of them or only some.

        Args:
            race_id (str, optional): Only finishes of this race.
            boat_id (str, optional): Only finishes of this boat.
            code (str, optional): Only finishes with this code.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "finishes": records}}
        """
        if race_id is not None and race_id not in self.races:
            return _refused(f"There is no race {race_id!r}.")
        if boat_id is not None and boat_id not in self.boats:
            return _refused(f"There is no boat {boat_id!r}.")
        found = [
            finish
            for finish in self.finishes.values()
            if (race_id is None or finish["race_id"] == race_id)
            and (boat_id is None or finish["boat_id"] == boat_id)
            and (code is None or finish["code"] == code)
        ]
        shown = [self._show_finish(finish) for finish in _page(found, offset)]
        return _found({"total": len(found), "finishes": shown}, self._names_of_finishes(shown))

    def list_protests(
        self,
        race_id: str | None = None,
        by_id: str | None = None,
        against_id: str | None = None,
        status: Literal["filed", "upheld", "dismissed"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the protests, oldest first, all of them or only some.

        Args:
            race_id (str, optional): Only protests of this race.
            by_id (str, optional): Only protests by this boat.
            against_id (str, optional): Only protests whose against is this boat.
            status (str, optional): Only protests with this status.
            filed_on_from (str, optional): Only protests whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only protests whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "protests": records}}
        """
        if race_id is not None and race_id not in self.races:
            return _refused(f"There is no race {race_id!r}.")
        if by_id is not None and by_id not in self.boats:
            return _refused(f"There is no boat {by_id!r}.")
        if against_id is not None and against_id not in self.boats:
            return _refused(f"There is no boat {against_id!r}.")
        found = [
            protest
            for protest in self.protests.values()
            if (race_id is None or protest["race_id"] == race_id)
            and (by_id is None or protest["by_id"] == by_id)
            and (against_id is None or protest["against_id"] == against_id)
            and (status is None or protest["status"] == status)
            and (filed_on_from is None or protest["filed_on"] >= filed_on_from)
            and (filed_on_to is None or protest["filed_on"] <= filed_on_to)
        ]
        shown = [{**protest} for protest in _page(found, offset)]
        return _found({"total": len(found), "protests": shown}, self._names_of_protests(shown))

    def list_redress_requests(
        self,
        race_id: str | None = None,
        boat_id: str | None = None,
        status: Literal["open", "given", "refused"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the redress requests, oldest first, all of them or only some.

        Args:
            race_id (str, optional): Only redress requests of this race.
            boat_id (str, optional): Only redress requests of this boat.
            status (str, optional): Only redress requests with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "redress_requests": records}}
        """
        if race_id is not None and race_id not in self.races:
            return _refused(f"There is no race {race_id!r}.")
        if boat_id is not None and boat_id not in self.boats:
            return _refused(f"There is no boat {boat_id!r}.")
        found = [
            redress_request
            for redress_request in self.redress_requests.values()
            if (race_id is None or redress_request["race_id"] == race_id)
            and (boat_id is None or redress_request["boat_id"] == boat_id)
            and (status is None or redress_request["status"] == status)
        ]
        shown = [{**redress_request} for redress_request in _page(found, offset)]
        return _found({"total": len(found), "redress_requests": shown}, self._names_of_redress_requests(shown))

    def list_inspections(
        self,
        boat_id: str | None = None,
        item: Literal["hull", "sails"] | None = None,
        passed: bool | None = None,
        checked_on_from: Date | None = None,
        checked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            boat_id (str, optional): Only inspections of this boat.
            item (str, optional): Only inspections with this item.
            passed (bool, optional): Only inspections with this value of `passed`.
            checked_on_from (str, optional): Only inspections whose `checked_on` is on this day or later.
            checked_on_to (str, optional): Only inspections whose `checked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if boat_id is not None and boat_id not in self.boats:
            return _refused(f"There is no boat {boat_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (boat_id is None or inspection["boat_id"] == boat_id)
            and (item is None or inspection["item"] == item)
            and (passed is None or inspection["passed"] == passed)
            and (checked_on_from is None or inspection["checked_on"] >= checked_on_from)
            and (checked_on_to is None or inspection["checked_on"] <= checked_on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_race(self, race_id: str) -> Result:
        """Start the next race of a fleet on its day or later.

        Args:
            race_id (str): Id of the race, such as RACE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        if race["status"] != "scheduled":
            return _refused(f"That race is {race['status']}.")
        if race["sailed_on"] > self.now[:10]:
            return _refused(f"The race is planned for {race['sailed_on']}.")
        other = next(
            (
                r
                for r in sorted(self._races_by_fleet_status.get((race["fleet_id"], "started"), {}).values(), key=_age)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"Race {other['number']} of {self.fleets[race['fleet_id']]['name']} is still on the water, so "
                "close or abandon it."
            )
        before = next(
            (
                r
                for r in sorted(
                    self._races_by_fleet_status.get((race["fleet_id"], "scheduled"), {}).values(),
                    key=_age,
                )
                if r["number"] < race["number"]
            ),
            None,
        )
        if before is not None:
            return _refused(f"Race {before['number']} comes first.")
        self._journal = []
        self._put("races", race, "status", "started")
        for one_finish in _distinct(self._finishes_by_race.get(race["id"], {}).values()):
            if self._breaks_rule_6(one_finish):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(self.fleets[race["fleet_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: start race {race['number']} of {self.fleets[race['fleet_id']]['name']}.",
            "data": self._changes(),
        }

    def record_finish(
        self,
        race_id: str,
        boat_id: str,
        place: Annotated[int, {"minimum": 1, "maximum": 60}],
    ) -> Result:
        """Record the place in which a boat crossed the line.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            boat_id (str): Id of the boat, such as BOAT-00001.
            place (int): Place in which the boat crossed the line, the winner being 1, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        boat = self.boats.get(boat_id)
        if boat is None:
            return _refused(f"There is no boat {boat_id!r}.")
        if race["status"] != "started":
            return _refused(f"That race is {race['status']}.")
        if boat["fleet_id"] != race["fleet_id"]:
            return _refused(f"{boat['name']} sails with {self.fleets[boat['fleet_id']]['name']}.")
        if self._result(race, boat) is not None:
            return _refused(f"{boat['name']} has a result already.")
        if place > self._fleet_boats(self.fleets[race["fleet_id"]]):
            return _refused(
                f"{self.fleets[race['fleet_id']]['name']} has {self._fleet_boats(self.fleets[race['fleet_id']])} "
                "boats only."
            )
        if any(each["place"] == place for each in self._finishes_by_race.get(race_id, {}).values()):
            return _refused(f"Place {place} is given away.")
        if not self._measured(boat, race["sailed_on"]):
            return _refused(
                f"{boat['name']} has no certificate for {race['sailed_on']} and can only be scored with a code."
            )
        self._journal = []
        finish: Finish = {
            "id": self._new_id("finish", "FINISH", self.finishes),
            "race_id": race_id,
            "boat_id": boat_id,
            "place": place,
            "code": None,
            "redress": None,
        }
        self._add("finishes", finish)
        if self._breaks_rule_1(finish):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(finish):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(finish):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(finish):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(finish):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(finish):
            return self._take_back(RULES[6])
        for one_protest in _distinct(self._protests_by_race_status.get((finish["race_id"], "upheld"), {}).values()):
            if self._breaks_rule_9(one_protest):
                return self._take_back(RULES[8])
        for one_protest in _distinct(self._protests_by_race.get(finish["race_id"], {}).values()):
            if self._breaks_rule_10(one_protest):
                return self._take_back(RULES[9])
        for one_redress_request in _distinct(self._redress_requests_by_race.get(finish["race_id"], {}).values()):
            if self._breaks_rule_12(one_redress_request):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record {boat['name']} as number {place} in race {race['number']} of "
                f"{self.fleets[race['fleet_id']]['name']} (new: finish {finish['id']})."
            ),
            "data": {"finish_id": finish["id"], **self._changes()},
        }

    def score_code(self, race_id: str, boat_id: str, code: Literal["dns", "dnf", "ocs", "ret"]) -> Result:
        """Score a boat that did not start, did not finish, was over the line early or retired.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            boat_id (str): Id of the boat, such as BOAT-00001.
            code (str): Why the boat has no place (dns did not start, dnf did not finish, ocs started early, ret
                retired): dns, dnf, ocs or ret.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        boat = self.boats.get(boat_id)
        if boat is None:
            return _refused(f"There is no boat {boat_id!r}.")
        if race["status"] != "started":
            return _refused(f"That race is {race['status']}.")
        if boat["fleet_id"] != race["fleet_id"]:
            return _refused(f"{boat['name']} sails with {self.fleets[boat['fleet_id']]['name']}.")
        if self._result(race, boat) is not None:
            return _refused(f"{boat['name']} has a result already.")
        self._journal = []
        finish: Finish = {
            "id": self._new_id("finish", "FINISH", self.finishes),
            "race_id": race_id,
            "boat_id": boat_id,
            "place": None,
            "code": code,
            "redress": None,
        }
        self._add("finishes", finish)
        if self._breaks_rule_1(finish):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(finish):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(finish):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(finish):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(finish):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(finish):
            return self._take_back(RULES[6])
        for one_protest in _distinct(self._protests_by_race_status.get((finish["race_id"], "upheld"), {}).values()):
            if self._breaks_rule_9(one_protest):
                return self._take_back(RULES[8])
        for one_protest in _distinct(self._protests_by_race.get(finish["race_id"], {}).values()):
            if self._breaks_rule_10(one_protest):
                return self._take_back(RULES[9])
        for one_redress_request in _distinct(self._redress_requests_by_race.get(finish["race_id"], {}).values()):
            if self._breaks_rule_12(one_redress_request):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: score {boat['name']} {code} in race {race['number']} of "
                f"{self.fleets[race['fleet_id']]['name']} (new: finish {finish['id']})."
            ),
            "data": {"finish_id": finish["id"], **self._changes()},
        }

    def swap_places(self, race_id: str, one_id: str, other_id: str) -> Result:
        """Correct the places of two boats that were mixed up.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            one_id (str): First of the two boats that have each other's place; an id such as BOAT-00001.
            other_id (str): Second of the two boats that have each other's place; an id such as BOAT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        one = self.boats.get(one_id)
        if one is None:
            return _refused(f"There is no boat {one_id!r}.")
        other = self.boats.get(other_id)
        if other is None:
            return _refused(f"There is no boat {other_id!r}.")
        if one is other:
            return _refused("Name two boats.")
        if race["status"] not in ("started", "finished"):
            return _refused(f"That race is {race['status']}.")
        a = self._result(race, one)
        b = self._result(race, other)
        if a is None or b is None or a["place"] is None or b["place"] is None:
            return _refused("Both must have a place in that race.")
        self._journal = []
        place = a["place"]
        self._put("finishes", a, "place", b["place"])
        if not 1 <= place <= 60:
            return self._take_back(f"The place of {b['id']} must be between 1 and 60.")
        self._put("finishes", b, "place", place)
        if self._breaks_rule_2(a):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(b):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(a):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(b):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(a):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(b):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: swap the places of {one['name']} and {other['name']} in race {race['number']} of "
                f"{self.fleets[race['fleet_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_race(self, race_id: str) -> Result:
        """Close a race; boats without a result are scored as not finished.

        Args:
            race_id (str): Id of the race, such as RACE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        if race["status"] != "started":
            return _refused(f"That race is {race['status']}.")
        if not any(f["place"] is not None for f in self._finishes_by_race.get(race_id, {}).values()):
            return _refused("Nobody has finished, so abandon the race.")
        self._journal = []
        added_finishes: list[Any] = []
        for b in list(self._missing(race)):
            finish = {
                "id": self._new_id("finish", "FINISH", self.finishes),
                "race_id": race_id,
                "boat_id": b["id"],
                "place": None,
                "code": "dnf",
                "redress": None,
            }
            self._add("finishes", finish)
            added_finishes.append(finish)
        self._put("races", race, "status", "finished")
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_1(one_finish):
                return self._take_back(RULES[0])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_2(one_finish):
                return self._take_back(RULES[1])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_3(one_finish):
                return self._take_back(RULES[2])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_4(one_finish):
                return self._take_back(RULES[3])
        for one_finish in _distinct([*added_finishes, *self._finishes_by_race.get(race["id"], {}).values()]):
            if self._breaks_rule_6(one_finish):
                return self._take_back(RULES[5])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_7(one_finish):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(self.fleets[race["fleet_id"]]):
            return self._take_back(RULES[7])
        for one_protest in _distinct(
            [
                user
                for one in [self.races[one["race_id"]] for one in added_finishes]
                for user in self._protests_by_race_status.get((one["id"], "upheld"), {}).values()
            ]
        ):
            if self._breaks_rule_9(one_protest):
                return self._take_back(RULES[8])
        for one_protest in _distinct(
            [
                user
                for one in [self.races[one["race_id"]] for one in added_finishes]
                for user in self._protests_by_race.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_protest):
                return self._take_back(RULES[9])
        for one_redress_request in _distinct(
            [
                user
                for one in [self.races[one["race_id"]] for one in added_finishes]
                for user in self._redress_requests_by_race.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12(one_redress_request):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: close race {race['number']} of {self.fleets[race['fleet_id']]['name']}.",
            "data": self._changes(),
        }

    def abandon_race(self, race_id: str) -> Result:
        """Abandon a race that is on the water; what was recorded in it is struck.

        Args:
            race_id (str): Id of the race, such as RACE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        if race["status"] != "started":
            return _refused(f"That race is {race['status']}.")
        if not (not self._protests_by_race.get(race_id, {}) and not self._redress_requests_by_race.get(race_id, {})):
            return _refused("There are protests or requests about that race.")
        self._journal = []
        deleted_finishes: list[Any] = []
        for f in sorted(self._finishes_by_race.get(race_id, {}).values(), key=_age):
            if f["id"] in self.finishes:
                self._remove("finishes", f)
            deleted_finishes.append(f)
        self._put("races", race, "status", "abandoned")
        for one_finish in _distinct(self._finishes_by_race.get(race["id"], {}).values()):
            if one_finish["id"] in self.finishes and self._breaks_rule_6(one_finish):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(self.fleets[race["fleet_id"]]):
            return self._take_back(RULES[7])
        for one_protest in _distinct(
            [
                user
                for one in [self.races[one["race_id"]] for one in deleted_finishes]
                for user in self._protests_by_race_status.get((one["id"], "upheld"), {}).values()
            ]
        ):
            if self._breaks_rule_9(one_protest):
                return self._take_back(RULES[8])
        for one_protest in _distinct(
            [
                user
                for one in [self.races[one["race_id"]] for one in deleted_finishes]
                for user in self._protests_by_race.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_protest):
                return self._take_back(RULES[9])
        for one_redress_request in _distinct(
            [
                user
                for one in [self.races[one["race_id"]] for one in deleted_finishes]
                for user in self._redress_requests_by_race.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12(one_redress_request):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: abandon race {race['number']} of {self.fleets[race['fleet_id']]['name']}.",
            "data": self._changes(),
        }

    def file_protest(
        self,
        race_id: str,
        by_id: str,
        against_id: str,
        rule: Annotated[int, {"minimum": 1, "maximum": 90}],
    ) -> Result:
        """File a protest of one boat against another.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            by_id (str): Boat that protests, with a result in the race; an id such as BOAT-00001.
            against_id (str): Other boat, said to have broken a rule in the race; an id such as BOAT-00001.
            rule (int): Number of the racing rule that is said to be broken, from 1 to 90.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        by = self.boats.get(by_id)
        if by is None:
            return _refused(f"There is no boat {by_id!r}.")
        against = self.boats.get(against_id)
        if against is None:
            return _refused(f"There is no boat {against_id!r}.")
        if by is against:
            return _refused("Nobody protests against themselves.")
        if self._result(race, by) is None or self._result(race, against) is None:
            return _refused("Both must have a result in that race.")
        if self.now[:10] > _plus_days(race["sailed_on"], 3):
            return _refused(f"Protests about that race were possible until {_plus_days(race['sailed_on'], 3)}.")
        if self._protests_by_race_by_against.get((race_id, by_id, against_id), {}):
            return _refused(f"{by['name']} has protested against {against['name']} already.")
        self._journal = []
        protest: Protest = {
            "id": self._new_id("protest", "PROTEST", self.protests),
            "race_id": race_id,
            "by_id": by_id,
            "against_id": against_id,
            "rule": rule,
            "filed_on": self.now[:10],
            "status": "filed",
        }
        self._add("protests", protest)
        if self._breaks_rule_9(protest):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(protest):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: file the protest of {by['name']} against {against['name']} under rule {rule} (new: "
                f"protest {protest['id']})."
            ),
            "data": {"protest_id": protest["id"], **self._changes()},
        }

    def decide_protest(self, protest_id: str, upheld: bool) -> Result:
        """Record what the jury decided about a protest; who loses is disqualified in that race.

        Args:
            protest_id (str): Id of the protest, such as PROTEST-00001.
            upheld (bool): Whether the jury upholds the protest, which disqualifies the boat, rather than dismisses
                it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        protest = self.protests.get(protest_id)
        if protest is None:
            return _refused(f"There is no protest {protest_id!r}.")
        if protest["status"] != "filed":
            return _refused(f"That protest is {protest['status']}.")
        f = self._result(self.races[protest["race_id"]], self.boats[protest["against_id"]])
        if f is None:
            return _refused(f"{self.boats[protest['against_id']]['name']} has no result in that race.")
        if upheld and f["place"] is None:
            return _refused(
                f"{self.boats[protest['against_id']]['name']} is scored "
                f"{f['code'] if f['code'] is not None else 'dsq'} and cannot be disqualified."
            )
        if upheld and f["redress"] is not None:
            return _refused(f"{self.boats[protest['against_id']]['name']} was given redress in that race.")
        self._journal = []
        changed_finishes: list[Any] = []
        changed_protests: list[Any] = []
        if upheld:
            changed_finishes.append(f)
            self._put("finishes", f, "code", "dsq")
            changed_protests.append(protest)
            self._put("protests", protest, "status", "upheld")
        else:
            if protest["status"] not in ("filed", "dismissed"):
                return self._take_back(f"Protest {protest['id']} cannot go from {protest['status']} to dismissed.")
            changed_protests.append(protest)
            self._put("protests", protest, "status", "dismissed")
        for one_finish in _distinct(changed_finishes):
            if self._breaks_rule_3(one_finish):
                return self._take_back(RULES[2])
        for one_protest in _distinct(
            [
                *[
                    user
                    for one in [self.races[one["race_id"]] for one in changed_finishes]
                    for user in self._protests_by_race_status.get((one["id"], "upheld"), {}).values()
                ],
                *changed_protests,
            ]
        ):
            if self._breaks_rule_9(one_protest):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: decide the protest of {self.boats[protest['by_id']]['name']} against "
                f"{self.boats[protest['against_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def ask_redress(self, race_id: str, boat_id: str, reason: Text) -> Result:
        """Ask for redress for a boat that lost places through no fault of its own.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            boat_id (str): Id of the boat, such as BOAT-00001.
            reason (str): What cost the boat its places without its own fault.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        boat = self.boats.get(boat_id)
        if boat is None:
            return _refused(f"There is no boat {boat_id!r}.")
        if race["status"] != "finished":
            return _refused(f"That race is {race['status']}.")
        if self._result(race, boat) is None:
            return _refused(f"{boat['name']} has no result in that race.")
        if self.now[:10] > _plus_days(race["sailed_on"], 3):
            return _refused(f"Redress in that race could be asked for until {_plus_days(race['sailed_on'], 3)}.")
        if self._redress_requests_by_race_boat.get((race_id, boat_id), {}):
            return _refused(f"{boat['name']} has asked for redress in that race already.")
        self._journal = []
        redress_request: RedressRequest = {
            "id": self._new_id("redress_request", "RR", self.redress_requests),
            "race_id": race_id,
            "boat_id": boat_id,
            "reason": reason,
            "status": "open",
        }
        self._add("redress_requests", redress_request)
        if self._breaks_rule_11(redress_request):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(redress_request):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: ask for redress for {boat['name']} because {reason} (new: redress request "
                f"{redress_request['id']})."
            ),
            "data": {"redress_request_id": redress_request["id"], **self._changes()},
        }

    def decide_redress(self, request_id: str, given: bool) -> Result:
        """Give redress, that is the boat's average points in its other finished races, or refuse it.

        Args:
            request_id (str): Open request for redress that the jury decides; an id such as RR-00001.
            given (bool): Whether redress is given rather than refused.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.redress_requests.get(request_id)
        if request is None:
            return _refused(f"There is no redress request {request_id!r}.")
        if request["status"] != "open":
            return _refused(f"That request is {request['status']}.")
        f = self._result(self.races[request["race_id"]], self.boats[request["boat_id"]])
        if f is None:
            return _refused(f"{self.boats[request['boat_id']]['name']} has no result in that race.")
        if given and f["code"] == "dsq":
            return _refused(f"{self.boats[request['boat_id']]['name']} is disqualified in that race.")
        if given and len(self._elsewhere(self.boats[request["boat_id"]], self.races[request["race_id"]])) <= 0:
            return _refused(f"{self.boats[request['boat_id']]['name']} has no other race to take an average of.")
        self._journal = []
        changed_finishes: list[Any] = []
        changed_redress_requests: list[Any] = []
        if given:
            redress = max(
                1,
                _rounded(
                    _mean(
                        [
                            each
                            for each in self._elsewhere(
                                self.boats[request["boat_id"]],
                                self.races[request["race_id"]],
                            )
                        ]
                    )
                    if _mean(
                        [
                            each
                            for each in self._elsewhere(
                                self.boats[request["boat_id"]],
                                self.races[request["race_id"]],
                            )
                        ]
                    ) is not None
                    else Fraction(1, 1)
                ),
            )
            if not 1 <= redress <= 60:
                return self._take_back(f"The redress of {f['id']} must be between 1 and 60.")
            changed_finishes.append(f)
            self._put("finishes", f, "redress", redress)
            changed_redress_requests.append(request)
            self._put("redress_requests", request, "status", "given")
        else:
            if request["status"] not in ("open", "refused"):
                return self._take_back(
                    f"Redress request {request['id']} cannot go from {request['status']} to refused."
                )
            changed_redress_requests.append(request)
            self._put("redress_requests", request, "status", "refused")
        for one_redress_request in _distinct(
            [
                *[
                    user
                    for one in [self.races[one["race_id"]] for one in changed_finishes]
                    for user in self._redress_requests_by_race.get(one["id"], {}).values()
                ],
                *changed_redress_requests,
            ]
        ):
            if self._breaks_rule_12(one_redress_request):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: decide about the redress of {self.boats[request['boat_id']]['name']}.",
            "data": self._changes(),
        }

    def inspect_boat(self, boat_id: str, item: Literal["hull", "sails"], passed: bool) -> Result:
        """Record an inspection; a boat that fails loses its certificate.

        Args:
            boat_id (str): Id of the boat, such as BOAT-00001.
            item (str): Part of the boat that was inspected: hull or sails.
            passed (bool): Whether the part passed the inspection.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        boat = self.boats.get(boat_id)
        if boat is None:
            return _refused(f"There is no boat {boat_id!r}.")
        self._journal = []
        changed_boats: list[Any] = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "boat_id": boat_id,
            "item": item,
            "passed": passed,
            "checked_on": self.now[:10],
        }
        self._add("inspections", inspection)
        if not passed:
            changed_boats.append(boat)
            self._put("boats", boat, "certified_until", None)
        for one_boat in _distinct([self.boats[inspection["boat_id"]], *changed_boats]):
            if self._breaks_rule_5(one_boat):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: record the inspection of the {item} of {boat['name']} (new: inspection {inspection['id']})."
            ),
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def issue_certificate(self, boat_id: str, until: Date) -> Result:
        """Issue or prolong a measurement certificate for a boat whose last inspections were passed.

        Args:
            boat_id (str): Id of the boat, such as BOAT-00001.
            until (str): Last day of the certificate, after today and later than the present one, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        boat = self.boats.get(boat_id)
        if boat is None:
            return _refused(f"There is no boat {boat_id!r}.")
        if until <= self.now[:10]:
            return _refused(f"A certificate lasts until a later day than {self.now[:10]}.")
        if boat["certified_until"] is not None and until <= boat["certified_until"]:
            return _refused(f"{boat['name']} is certified until {boat['certified_until']}.")
        if not self._in_order(boat, "hull"):
            return _refused(f"The hull of {boat['name']} has not passed its last inspection.")
        if not self._in_order(boat, "sails"):
            return _refused(f"The sails of {boat['name']} have not passed their last inspection.")
        self._journal = []
        self._put("boats", boat, "certified_until", until)
        if self._breaks_rule_5(boat):
            return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: certify {boat['name']} until {until}.", "data": self._changes()}

    def _show_fleet(self, fleet: Fleet) -> dict[str, Any]:
        """The fleet as an answer shows it."""
        return {**fleet, "boats": self._fleet_boats(fleet), "sailed": self._fleet_sailed(fleet)}

    def _show_boat(self, boat: Boat) -> dict[str, Any]:
        """The boat as an answer shows it."""
        return {**boat, "gross": self._boat_gross(boat), "worst": self._boat_worst(boat), "net": self._boat_net(boat)}

    def _show_finish(self, finish: Finish) -> dict[str, Any]:
        """The finish as an answer shows it."""
        return {**finish, "points": self._finish_points(finish)}

    def _names_of_boats(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that boats point to."""
        return _names((self.fleets, "name", [row["fleet_id"] for row in shown]))

    def _names_of_races(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that races point to."""
        return _names((self.fleets, "name", [row["fleet_id"] for row in shown]))

    def _names_of_finishes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that finishes point to."""
        return _names(
            (self.races, "code", [row["race_id"] for row in shown]),
            (self.boats, "name", [row["boat_id"] for row in shown]),
        )

    def _names_of_protests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that protests point to."""
        return _names(
            (self.races, "code", [row["race_id"] for row in shown]),
            (self.boats, "name", [row["by_id"] for row in shown]),
            (self.boats, "name", [row["against_id"] for row in shown]),
        )

    def _names_of_redress_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that redress requests point to."""
        return _names(
            (self.races, "code", [row["race_id"] for row in shown]),
            (self.boats, "name", [row["boat_id"] for row in shown]),
        )

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names((self.boats, "name", [row["boat_id"] for row in shown]))

    def _fleet_boats(self, fleet: Fleet) -> int:
        """The boats of a fleet."""
        return len(self._boats_by_fleet.get(fleet["id"], {}))

    def _fleet_sailed(self, fleet: Fleet) -> int:
        """The sailed of a fleet."""
        return len(self._races_by_fleet_status.get((fleet["id"], "finished"), {}))

    def _boat_gross(self, boat: Boat) -> int:
        """The gross of a boat."""
        return sum(
            self._finish_points(f)
            for f in self._finishes_by_boat.get(boat["id"], {}).values()
            if self.races[f["race_id"]]["status"] == "finished"
        )

    def _boat_worst(self, boat: Boat) -> int | None:
        """The worst of a boat."""
        return max(
            (
                self._finish_points(f)
                for f in self._finishes_by_boat.get(boat["id"], {}).values()
                if self.races[f["race_id"]]["status"] == "finished"
            ),
            default=None,
        )

    def _boat_net(self, boat: Boat) -> int:
        """The net of a boat."""
        return (
            self._boat_gross(boat) - (self._boat_worst(boat) if self._boat_worst(boat) is not None else 0)
            if self._fleet_sailed(self.fleets[boat["fleet_id"]]) >= self.fleets[boat["fleet_id"]]["discard_from"]
            else self._boat_gross(boat)
        )

    def _finish_points(self, finish: Finish) -> int:
        """The points of a finish."""
        return (
            finish["redress"]
            if finish["redress"] is not None
            else self._fleet_boats(self.fleets[self.races[finish["race_id"]]["fleet_id"]]) + 1
            if finish["code"] is not None
            else 1 + sum(
                1
                for o in self._finishes_by_race.get(finish["race_id"], {}).values()
                if o["code"] is None
                and o["place"] is not None
                and o["place"] < (finish["place"] if finish["place"] is not None else 0)
            )
        )

    def _result(self, r: Race, b: Boat) -> Finish | None:
        return next(
            (f for f in sorted(self._finishes_by_race_boat.get((r["id"], b["id"]), {}).values(), key=_age)),
            None,
        )

    def _measured(self, b: Boat, on: str) -> bool:
        return b["certified_until"] is not None and b["certified_until"] >= on

    def _last_check(self, b: Boat, item: str) -> Inspection | None:
        return min(
            self._inspections_by_boat_item.get((b["id"], item), {}).values(),
            key=lambda i: (_descending(i["checked_on"]), _descending(i["id"]), _age(i)),
            default=None,
        )

    def _in_order(self, b: Boat, item: str) -> bool:
        return self._last_check(b, item) is not None and self._last_check(b, item)["passed"]

    def _elsewhere(self, b: Boat, r: Race) -> list[int]:
        return [
            self._finish_points(f)
            for f in sorted(self._finishes_by_boat.get(b["id"], {}).values(), key=_age)
            if f["race_id"] != r["id"]
            and self.races[f["race_id"]]["status"] == "finished"
            and f["redress"] is None
        ]

    def _times(self, b: Boat, n: int) -> int:
        return sum(
            1
            for f in self._finishes_by_boat.get(b["id"], {}).values()
            if self.races[f["race_id"]]["status"] == "finished"
            and self._finish_points(f) == n
        )

    def _latest(self, b: Boat) -> int:
        return (
            min(
                [
                    ((-self.races[f["race_id"]]["number"],), self._finish_points(f))
                    for f in sorted(self._finishes_by_boat.get(b["id"], {}).values(), key=_age)
                    if self.races[f["race_id"]]["status"] == "finished"
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1]
            if min(
                [
                    ((-self.races[f["race_id"]]["number"],), self._finish_points(f))
                    for f in sorted(self._finishes_by_boat.get(b["id"], {}).values(), key=_age)
                    if self.races[f["race_id"]]["status"] == "finished"
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1] is not None
            else 0
        )

    def _missing(self, r: Race) -> list[Boat]:
        return [
            b
            for b in sorted(self._boats_by_fleet.get(r["fleet_id"], {}).values(), key=_age)
            if not self._finishes_by_race_boat.get((r["id"], b["id"]), {})
        ]

    def _next_place(self, r: Race) -> int:
        return 1 + sum(1 for f in self._finishes_by_race.get(r["id"], {}).values() if f["place"] is not None)

    def _breaks_rule_1(self, f: Finish) -> bool:
        """Whether this is broken: a boat has one result in a race."""
        return any(
            other_f is not f
            for other_f in self._finishes_by_race_boat.get((f["race_id"], f["boat_id"]), {}).values()
        )

    def _breaks_rule_2(self, f: Finish) -> bool:
        """Whether this is broken: no two boats have the same place."""
        return (
            f["place"] is not None
            and any(
                other_f is not f
                for other_f in self._finishes_by_race.get(f["race_id"], {}).values()
                if other_f["place"] == f["place"]
                and other_f["place"] is not None
            )
        )

    def _breaks_rule_3(self, f: Finish) -> bool:
        """Whether this is broken: every result has a place or a code, and only a disqualified boat has both."""
        return not (
            (f["place"] is not None) != (f["code"] is not None)
            or f["code"] == "dsq"
            and f["place"] is not None
        )

    def _breaks_rule_4(self, f: Finish) -> bool:
        """Whether this is broken: boats sail in the races of their fleet."""
        return self.boats[f["boat_id"]]["fleet_id"] != self.races[f["race_id"]]["fleet_id"]

    def _breaks_rule_5(self, b: Boat) -> bool:
        """Whether this is broken: no boat is certified that failed its last inspection of the hull or the sails."""
        return not (
            b["certified_until"] is None
            or not any(
                not any(
                    j["id"] > i["id"]
                    for j in self._inspections_by_boat_item.get((b["id"], i["item"]), {}).values()
                )
                for i in self._inspections_by_boat.get(b["id"], {}).values()
                if not i["passed"]
            )
        )

    def _breaks_rule_6(self, f: Finish) -> bool:
        """Whether this is broken: only races that were started have results."""
        return self.races[f["race_id"]]["status"] not in ("started", "finished")

    def _breaks_rule_7(self, f: Finish) -> bool:
        """Whether this is broken: no place is beyond the number of boats in the fleet."""
        return (
            f["place"] is not None
            and f["place"] > self._fleet_boats(self.fleets[self.races[f["race_id"]]["fleet_id"]])
        )

    def _breaks_rule_8(self, c: Fleet) -> bool:
        """Whether this is broken: a fleet sails one race at a time."""
        return len(self._races_by_fleet_status.get((c["id"], "started"), {})) > 1

    def _breaks_rule_9(self, p: Protest) -> bool:
        """Whether this is broken: who loses a protest is disqualified in that race."""
        return (
            p["status"] == "upheld"
            and not any(
                f["code"] == "dsq"
                for f in self._finishes_by_race_boat.get((p["race_id"], p["against_id"]), {}).values()
            )
        )

    def _breaks_rule_10(self, p: Protest) -> bool:
        """Whether this is broken: protests are between two boats that have a result in the race."""
        return not (
            p["by_id"] != p["against_id"]
            and any(f["boat_id"] == p["by_id"] for f in self._finishes_by_race.get(p["race_id"], {}).values())
            and any(f["boat_id"] == p["against_id"] for f in self._finishes_by_race.get(p["race_id"], {}).values())
        )

    def _breaks_rule_11(self, q: RedressRequest) -> bool:
        """Whether this is broken: a boat asks once for redress in a race."""
        return any(
            other_q is not q
            for other_q in self._redress_requests_by_race_boat.get((q["race_id"], q["boat_id"]), {}).values()
        )

    def _breaks_rule_12(self, q: RedressRequest) -> bool:
        """Whether this is broken: redress points stand where redress was given."""
        return (q["status"] == "given") != any(
            f["redress"] is not None
            for f in self._finishes_by_race_boat.get((q["race_id"], q["boat_id"]), {}).values()
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
            case "boats":
                self._boats_by_fleet.setdefault(record["fleet_id"], {})[record["id"]] = record
            case "races":
                self._races_by_fleet_status.setdefault((record["fleet_id"], record["status"]), {})[record["id"]] = record
            case "finishes":
                self._finishes_by_boat.setdefault(record["boat_id"], {})[record["id"]] = record
                self._finishes_by_race.setdefault(record["race_id"], {})[record["id"]] = record
                self._finishes_by_race_boat.setdefault((record["race_id"], record["boat_id"]), {})[record["id"]] = record
            case "protests":
                self._protests_by_race.setdefault(record["race_id"], {})[record["id"]] = record
                self._protests_by_race_by_against.setdefault(
                    (record["race_id"], record["by_id"], record["against_id"]),
                    {},
                )[record["id"]] = record
                self._protests_by_race_status.setdefault((record["race_id"], record["status"]), {})[record["id"]] = record
                self._protests_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "redress_requests":
                self._redress_requests_by_race.setdefault(record["race_id"], {})[record["id"]] = record
                self._redress_requests_by_race_boat.setdefault(
                    (record["race_id"], record["boat_id"]),
                    {},
                )[record["id"]] = record
            case "inspections":
                self._inspections_by_boat.setdefault(record["boat_id"], {})[record["id"]] = record
                self._inspections_by_boat_item.setdefault((record["boat_id"], record["item"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "boats":
                del self._boats_by_fleet[record["fleet_id"]][record["id"]]
            case "races":
                del self._races_by_fleet_status[record["fleet_id"], record["status"]][record["id"]]
            case "finishes":
                del self._finishes_by_boat[record["boat_id"]][record["id"]]
                del self._finishes_by_race[record["race_id"]][record["id"]]
                del self._finishes_by_race_boat[record["race_id"], record["boat_id"]][record["id"]]
            case "protests":
                del self._protests_by_race[record["race_id"]][record["id"]]
                del self._protests_by_race_by_against[
                    record["race_id"],
                    record["by_id"],
                    record["against_id"],
                ][record["id"]]
                del self._protests_by_race_status[record["race_id"], record["status"]][record["id"]]
                del self._protests_by_status[record["status"]][record["id"]]
            case "redress_requests":
                del self._redress_requests_by_race[record["race_id"]][record["id"]]
                del self._redress_requests_by_race_boat[record["race_id"], record["boat_id"]][record["id"]]
            case "inspections":
                del self._inspections_by_boat[record["boat_id"]][record["id"]]
                del self._inspections_by_boat_item[record["boat_id"], record["item"]][record["id"]]
