"""Film production. Compiled from blueprint.yaml; run `envscaler build film_production` after changing it there.

Schedules the scenes of a feature film on shooting days, with page limits, permits, continuity, rest between
days, weather cover and call sheets.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The scenes of a day stay within its pages, and so does its cover.",
    "A scene is on one day only, and is cover only while it is on none.",
    "A scene covers a day no more than once.",
    "The unit works at one location a day, and so does its cover.",
    "Scenes are shot while the permit of their location lasts.",
    "Nobody is on a day on which they are not free.",
    "Children work ten hours at most and are released by eight in the evening.",
    "A scene is shot on a later day than the scene that it must follow.",
    "Cover is shot indoors.",
    "A called day that is outdoors in rain or storm has cover.",
    "On a called day everybody in its scenes has one call and nobody else has any, and a draft has no calls.",
    "Between the wrap of one day and the next call performers rest eleven hours.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_day",
    "schedule_scene",
    "move_scene",
    "drop_scene",
    "add_cover",
    "update_forecast",
    "issue_calls",
    "pull_calls",
    "shift_call",
    "go_to_cover",
    "wrap_day",
    "strike_day",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "locations": ("name",),
    "performers": ("name",),
    "scenes": ("number",),
    "shoot_days": (),
    "slots": (),
    "calls": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("calls", "performer_id"),
    ("calls", "shoot_day_id"),
    ("scenes", "after_id"),
    ("shoot_days", "on"),
    ("slots", "scene_id"),
    ("slots", "shoot_day_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Location(TypedDict):
    id: str
    name: str
    permit_from: str
    permit_to: str


class Performer(TypedDict):
    id: str
    name: str
    child: bool
    makeup: int
    free_from: str
    free_to: str


class Scene(TypedDict):
    id: str
    number: str
    synopsis: str
    location_id: str
    exterior: bool
    eighths: int
    cast_ids: list[str]
    after_id: str | None


class ShootDay(TypedDict):
    id: str
    on: str
    call_at: str
    length: int
    page_limit: int
    forecast: Literal["dry", "rain", "storm"]
    status: Literal["draft", "called", "wrapped"]


class Slot(TypedDict):
    id: str
    shoot_day_id: str
    scene_id: str
    cover: bool
    shot: bool


class Call(TypedDict):
    id: str
    shoot_day_id: str
    performer_id: str
    at: str


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class FilmProduction:
    """Schedules the scenes of a feature film on shooting days, with page limits, permits, continuity, rest
    between days, weather cover and call sheets.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.locations: dict[str, Location] = _copied(config.get("locations", {}))
        self.performers: dict[str, Performer] = _copied(config.get("performers", {}))
        self.scenes: dict[str, Scene] = _copied(config.get("scenes", {}))
        self.shoot_days: dict[str, ShootDay] = _copied(config.get("shoot_days", {}))
        self.slots: dict[str, Slot] = _copied(config.get("slots", {}))
        self.calls: dict[str, Call] = _copied(config.get("calls", {}))
        self.now: str = config.get("now", "2026-06-08T15:00")
        self.counters: dict[str, int] = {
            "location": len(self.locations),
            "performer": len(self.performers),
            "scene": len(self.scenes),
            "shoot_day": len(self.shoot_days),
            "slot": len(self.slots),
            "call": len(self.calls),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._scenes_by_after: dict[Any, dict[str, Scene]] = {}
        self._shoot_days_by_on: dict[Any, dict[str, ShootDay]] = {}
        self._slots_by_scene: dict[Any, dict[str, Slot]] = {}
        self._slots_by_shoot_day: dict[Any, dict[str, Slot]] = {}
        self._slots_by_shoot_day_scene: dict[Any, dict[str, Slot]] = {}
        self._calls_by_performer: dict[Any, dict[str, Call]] = {}
        self._calls_by_shoot_day: dict[Any, dict[str, Call]] = {}
        self._calls_by_shoot_day_performer: dict[Any, dict[str, Call]] = {}
        for scene in self.scenes.values():
            self._link("scenes", scene)
        for shoot_day in self.shoot_days.values():
            self._link("shoot_days", shoot_day)
        for slot in self.slots.values():
            self._link("slots", slot)
        for call in self.calls.values():
            self._link("calls", call)

    def stripboard(
        self,
        location_id: str | None = None,
        exterior: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Scenes that are on no day yet, longest first.

        Args:
            location_id (str, optional): Only scenes at this location; an id such as LOCATION-00001. If left out,
                scenes at all locations are listed.
            exterior (bool, optional): Whether only outdoor scenes are listed, or only indoor ones. If left out,
                both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scenes": records}} or {"success": False, "error": why
                not}
        """
        location = self.locations.get(location_id) if location_id is not None else None
        if location_id is not None and location is None:
            return _refused(f"There is no location {location_id!r}.")
        found = [
            c
            for c in self.scenes.values()
            if not self._scene_planned(c)
            and (location_id is None or c["location_id"] == location_id)
            and (exterior is None or c["exterior"] == exterior)
        ]
        found.sort(key=lambda c: (-c["eighths"], c["number"], _age(c)))
        shown = [
            {
                "id": c["id"],
                "number": c["number"],
                "location": self.locations[c["location_id"]]["name"],
                "eighths": c["eighths"],
                "cast": [*[p["name"] for p in [self.performers[key] for key in c["cast_ids"]]]],
                "must_follow": c["after_id"],
            }
            for c in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "scenes": shown},
            _names((self.scenes, "number", [row["must_follow"] for row in shown])),
        )

    def days_for(
        self,
        scene_id: str,
        as_cover: bool = False,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Draft days on which a scene could be shot, or which it could cover.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.
            as_cover (bool): Whether the scene would only be cover for bad weather. Default: false.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shoot_days": records}} or {"success": False, "error":
                why not}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        found = [
            d
            for d in self.shoot_days.values()
            if (d["on"] > self.now[:10] and self._suits(scene, d, as_cover) and self._ready_by(scene, d["on"]))
            and (
                as_cover
                and not scene["exterior"]
                and d["status"] != "wrapped"
                or d["status"] == "draft"
                and scene["eighths"] <= self._shoot_day_left(d)
            )
        ]
        found.sort(key=lambda d: (d["on"], _age(d)))
        return _found(
            {
                "total": len(found),
                "shoot_days": [
                    {
                        "id": d["id"],
                        "on": d["on"],
                        "status": d["status"],
                        "left": self._shoot_day_left(d),
                        "forecast": d["forecast"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def who_works(self, shoot_day_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Whom a day needs for its scenes, and when they would be called.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "performers": records}} or {"success": False, "error":
                why not}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        found = [p for p in self._needed(shoot_day, False)]
        found.sort(key=lambda p: (p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "performers": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "child": p["child"],
                        "at": _plus_minutes(shoot_day["call_at"], -p["makeup"]),
                        "called": bool(self._calls_by_shoot_day_performer.get((shoot_day_id, p["id"]), {})),
                        "too_tired": self._tired(shoot_day, p) is not None,
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_locations(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the locations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only locations whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "locations": records}}
        """
        found = [
            location
            for location in self.locations.values()
            if (name is None or name.casefold() in location["name"].casefold())
        ]
        return _found({"total": len(found), "locations": [{**location} for location in _page(found, offset)]})

    def list_performers(
        self,
        name: Text | None = None,
        child: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the performers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only performers whose name contains this text.
            child (bool, optional): Only performers with this value of `child`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "performers": records}}
        """
        found = [
            performer
            for performer in self.performers.values()
            if (name is None or name.casefold() in performer["name"].casefold())
            and (child is None or performer["child"] == child)
        ]
        return _found({"total": len(found), "performers": [{**performer} for performer in _page(found, offset)]})

    def get_scene(self, scene_id: str) -> Result:
        """Look up one scene by its id.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        shown = self._show_scene(scene)
        return _found(shown, self._names_of_scenes([shown]))

    def list_scenes(
        self,
        number: Text | None = None,
        location_id: str | None = None,
        exterior: bool | None = None,
        after_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the scenes, oldest first, all of them or only some.

        Args:
            number (str, optional): Only scenes whose number contains this text.
            location_id (str, optional): Only scenes of this location.
            exterior (bool, optional): Only scenes with this value of `exterior`.
            after_id (str, optional): Only scenes after this scene.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scenes": records}}
        """
        if location_id is not None and location_id not in self.locations:
            return _refused(f"There is no location {location_id!r}.")
        if after_id is not None and after_id not in self.scenes:
            return _refused(f"There is no scene {after_id!r}.")
        found = [
            scene
            for scene in self.scenes.values()
            if (number is None or number.casefold() in scene["number"].casefold())
            and (location_id is None or scene["location_id"] == location_id)
            and (exterior is None or scene["exterior"] == exterior)
            and (after_id is None or scene["after_id"] == after_id)
        ]
        shown = [self._show_scene(scene) for scene in _page(found, offset)]
        return _found({"total": len(found), "scenes": shown}, self._names_of_scenes(shown))

    def list_shoot_days(
        self,
        forecast: Literal["dry", "rain", "storm"] | None = None,
        status: Literal["draft", "called", "wrapped"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shoot days, oldest first, all of them or only some.

        Args:
            forecast (str, optional): Only shoot days with this forecast.
            status (str, optional): Only shoot days with this status.
            on_from (str, optional): Only shoot days whose `on` is on this day or later.
            on_to (str, optional): Only shoot days whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shoot_days": records}}
        """
        found = [
            shoot_day
            for shoot_day in self.shoot_days.values()
            if (forecast is None or shoot_day["forecast"] == forecast)
            and (status is None or shoot_day["status"] == status)
            and (on_from is None or shoot_day["on"] >= on_from)
            and (on_to is None or shoot_day["on"] <= on_to)
        ]
        return _found(
            {
                "total": len(found),
                "shoot_days": [self._show_shoot_day(shoot_day) for shoot_day in _page(found, offset)],
            }
        )

    def list_slots(
        self,
        shoot_day_id: str | None = None,
        scene_id: str | None = None,
        cover: bool | None = None,
        shot: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slots, oldest first, all of them or only some.

        Args:
            shoot_day_id (str, optional): Only slots of this shoot day.
            scene_id (str, optional): Only slots of this scene.
            cover (bool, optional): Only slots with this value of `cover`.
            shot (bool, optional): Only slots with this value of `shot`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}}
        """
        if shoot_day_id is not None and shoot_day_id not in self.shoot_days:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if scene_id is not None and scene_id not in self.scenes:
            return _refused(f"There is no scene {scene_id!r}.")
        found = [
            slot
            for slot in self.slots.values()
            if (shoot_day_id is None or slot["shoot_day_id"] == shoot_day_id)
            and (scene_id is None or slot["scene_id"] == scene_id)
            and (cover is None or slot["cover"] == cover)
            and (shot is None or slot["shot"] == shot)
        ]
        shown = [{**slot} for slot in _page(found, offset)]
        return _found({"total": len(found), "slots": shown}, self._names_of_slots(shown))

    def list_calls(
        self,
        shoot_day_id: str | None = None,
        performer_id: str | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the calls, oldest first, all of them or only some.

        Args:
            shoot_day_id (str, optional): Only calls of this shoot day.
            performer_id (str, optional): Only calls of this performer.
            at_from (str, optional): Only calls whose `at` is on this day or later.
            at_to (str, optional): Only calls whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "calls": records}}
        """
        if shoot_day_id is not None and shoot_day_id not in self.shoot_days:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if performer_id is not None and performer_id not in self.performers:
            return _refused(f"There is no performer {performer_id!r}.")
        found = [
            call
            for call in self.calls.values()
            if (shoot_day_id is None or call["shoot_day_id"] == shoot_day_id)
            and (performer_id is None or call["performer_id"] == performer_id)
            and (at_from is None or call["at"][:10] >= at_from)
            and (at_to is None or call["at"][:10] <= at_to)
        ]
        shown = [{**call} for call in _page(found, offset)]
        return _found({"total": len(found), "calls": shown}, self._names_of_calls(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_day(
        self,
        on: Date,
        call: Time,
        length: Annotated[int, {"minimum": 6, "maximum": 14}],
        page_limit: Annotated[int, {"minimum": 8, "maximum": 48}],
    ) -> Result:
        """Open a shooting day with its call, its length in hours and its limit in eighths of a page.

        Args:
            on (str): Day of the shooting, within 60 days after today, as YYYY-MM-DD.
            call (str): Time of day at which the crew is called, as HH:MM.
            length (int): Length of the shooting day in hours, from 6 to 14.
            page_limit (int): Most script that is shot, in eighths of a page, from 8 to 48.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self.now[:10] >= on or on > _plus_days(self.now[:10], 60):
            return _refused(f"Days are opened from tomorrow to {_plus_days(self.now[:10], 60)}, not for {on}.")
        if self._shoot_days_by_on.get(on, {}):
            return _refused(f"{on} is a shooting day already.")
        if sum(1 for d in self.shoot_days.values() if abs(_days_between(on, d["on"])) <= 3) >= 6:
            return _refused(f"The unit needs a day off around {on}.")
        self._journal = []
        shoot_day: ShootDay = {
            "id": self._new_id("shoot_day", "SD", self.shoot_days),
            "on": on,
            "call_at": on + "T" + call,
            "length": length,
            "page_limit": page_limit,
            "forecast": "dry",
            "status": "draft",
        }
        self._add("shoot_days", shoot_day)
        if len(self._shoot_days_by_on.get(shoot_day["on"], {})) > 1:
            return self._take_back(f"There is already a shoot day with the on {shoot_day['on']!r}.")
        if self._breaks_rule_1_d(shoot_day):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(shoot_day):
            return self._take_back(RULES[0])
        if self._breaks_rule_10(shoot_day):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_d(shoot_day):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: open {on} as a shooting day with call at {call} (new: shoot day {shoot_day['id']}).",
            "data": {"shoot_day_id": shoot_day["id"], **self._changes()},
        }

    def schedule_scene(self, scene_id: str, shoot_day_id: str) -> Result:
        """Put a scene on a shooting day that has not been called.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] != "draft":
            return _refused(
                f"{shoot_day['on']} is {shoot_day['status']}; only a draft takes scenes, so pull the calls first."
            )
        if shoot_day["on"] < self.now[:10]:
            return _refused(f"{shoot_day['on']} is past.")
        there = self._main_slot(scene)
        if there is not None:
            return _refused(f"Scene {scene['number']} is on {self.shoot_days[there['shoot_day_id']]['on']} already.")
        if self._slots_by_scene.get(scene_id, {}):
            return _refused(f"Scene {scene['number']} is cover for a day, so drop it there first.")
        if (
            self.locations[scene["location_id"]]["permit_from"] > shoot_day["on"]
            or shoot_day["on"] > self.locations[scene["location_id"]]["permit_to"]
        ):
            return _refused(
                f"The permit for {self.locations[scene['location_id']]['name']} runs from "
                f"{self.locations[scene['location_id']]['permit_from']} to "
                f"{self.locations[scene['location_id']]['permit_to']}."
            )
        other = self._elsewhere(scene, shoot_day, False)
        if other is not None:
            return _refused(
                f"The unit is at {self.locations[self.scenes[other['scene_id']]['location_id']]['name']} on "
                f"{shoot_day['on']}, not at {self.locations[scene['location_id']]['name']}."
            )
        if scene["eighths"] > self._shoot_day_left(shoot_day):
            return _refused(
                f"{shoot_day['on']} has {self._shoot_day_left(shoot_day)} eighths left, not {scene['eighths']}."
            )
        gone = self._away(scene, shoot_day)
        if gone is not None:
            return _refused(f"{gone['name']} is free from {gone['free_from']} to {gone['free_to']} only.")
        small = self._too_late_for(scene, shoot_day)
        if small is not None:
            return _refused(
                f"{small['name']} is a child, and {shoot_day['on']} has {shoot_day['length']} hours and wraps at "
                f"{self._shoot_day_wraps_at(shoot_day)}."
            )
        if not self._ready_by(scene, shoot_day["on"]):
            return _refused(f"The scene that {scene['number']} must follow is not on a day before {shoot_day['on']}.")
        self._journal = []
        slot: Slot = {
            "id": self._new_id("slot", "SLOT", self.slots),
            "shoot_day_id": shoot_day_id,
            "scene_id": scene_id,
            "cover": False,
            "shot": False,
        }
        self._add("slots", slot)
        if self._breaks_rule_1_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(slot):
            return self._take_back(RULES[1])
        for one_slot in _distinct([slot, *self._slots_by_scene.get(slot["scene_id"], {}).values()]):
            if self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in self._scenes_by_after.get(slot["scene_id"], {}).values()
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(slot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[10])
        for one_call in _distinct(self._calls_by_shoot_day.get(slot["shoot_day_id"], {}).values()):
            if self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: put scene {scene['number']} on {shoot_day['on']} (new: slot {slot['id']}).",
            "data": {"slot_id": slot["id"], **self._changes()},
        }

    def move_scene(self, slot_id: str, shoot_day_id: str) -> Result:
        """Move a planned scene to another day; both days must be drafts.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        scene = self.scenes[slot["scene_id"]]
        if slot["cover"]:
            return _refused(f"Scene {scene['number']} is only cover there; drop it and add it elsewhere.")
        if slot["shoot_day_id"] == shoot_day_id:
            return _refused(f"Scene {scene['number']} is on {shoot_day['on']} already.")
        if self.shoot_days[slot["shoot_day_id"]]["status"] != "draft":
            return _refused(
                f"{self.shoot_days[slot['shoot_day_id']]['on']} is "
                f"{self.shoot_days[slot['shoot_day_id']]['status']}; pull the calls first."
            )
        if shoot_day["status"] != "draft":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}; pull the calls first.")
        if shoot_day["on"] < self.now[:10]:
            return _refused(f"{shoot_day['on']} is past.")
        if (
            self.locations[scene["location_id"]]["permit_from"] > shoot_day["on"]
            or shoot_day["on"] > self.locations[scene["location_id"]]["permit_to"]
        ):
            return _refused(
                f"The permit for {self.locations[scene['location_id']]['name']} runs from "
                f"{self.locations[scene['location_id']]['permit_from']} to "
                f"{self.locations[scene['location_id']]['permit_to']}."
            )
        other = self._elsewhere(scene, shoot_day, False)
        if other is not None:
            return _refused(
                f"The unit is at {self.locations[self.scenes[other['scene_id']]['location_id']]['name']} on "
                f"{shoot_day['on']}, not at {self.locations[scene['location_id']]['name']}."
            )
        if scene["eighths"] > self._shoot_day_left(shoot_day):
            return _refused(
                f"{shoot_day['on']} has {self._shoot_day_left(shoot_day)} eighths left, not {scene['eighths']}."
            )
        gone = self._away(scene, shoot_day)
        if gone is not None:
            return _refused(f"{gone['name']} is free from {gone['free_from']} to {gone['free_to']} only.")
        small = self._too_late_for(scene, shoot_day)
        if small is not None:
            return _refused(
                f"{small['name']} is a child, and {shoot_day['on']} has {shoot_day['length']} hours and wraps at "
                f"{self._shoot_day_wraps_at(shoot_day)}."
            )
        if not self._ready_by(scene, shoot_day["on"]):
            return _refused(f"The scene that {scene['number']} must follow is not on a day before {shoot_day['on']}.")
        behind = self._follower(scene, shoot_day["on"])
        if behind is not None:
            return _refused(
                f"Scene {self.scenes[behind['scene_id']]['number']} must follow {scene['number']} and is on "
                f"{self.shoot_days[behind['shoot_day_id']]['on']}."
            )
        done = f"move scene {self.scenes[slot['scene_id']]['number']} from {self.shoot_days[slot['shoot_day_id']]['on']} to {shoot_day['on']}"
        self._journal = []
        former_shoot_day_id = slot["shoot_day_id"]
        self._put("slots", slot, "shoot_day_id", shoot_day_id)
        if self._breaks_rule_1_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d(self.shoot_days[former_shoot_day_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(self.shoot_days[former_shoot_day_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in self._scenes_by_after.get(slot["scene_id"], {}).values()
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(self.shoot_days[former_shoot_day_id]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_d(self.shoot_days[former_shoot_day_id]):
            return self._take_back(RULES[10])
        for one_call in _distinct(
            [
                *self._calls_by_shoot_day.get(slot["shoot_day_id"], {}).values(),
                *self._calls_by_shoot_day.get(former_shoot_day_id, {}).values(),
            ]
        ):
            if self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def drop_scene(self, slot_id: str) -> Result:
        """Take a scene, planned or cover, off a day.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if self.shoot_days[slot["shoot_day_id"]]["status"] == "wrapped":
            return _refused(f"{self.shoot_days[slot['shoot_day_id']]['on']} is wrapped.")
        if not slot["cover"] and self.shoot_days[slot["shoot_day_id"]]["status"] != "draft":
            return _refused(f"{self.shoot_days[slot['shoot_day_id']]['on']} is called; pull the calls first.")
        behind = next(
            (
                t
                for t in sorted(
                    [
                        t
                        for _scene in self._scenes_by_after.get(slot["scene_id"], {}).values()
                        for t in self._slots_by_scene.get(_scene["id"], {}).values()
                    ],
                    key=_age,
                )
                if not t["cover"]
            ),
            None,
        )
        if not slot["cover"] and behind is not None:
            return _refused(
                f"Scene {self.scenes[behind['scene_id']]['number']} must follow "
                f"{self.scenes[slot['scene_id']]['number']} and is on "
                f"{self.shoot_days[behind['shoot_day_id']]['on']}, so drop that first."
            )
        if (
            slot["cover"]
            and self.shoot_days[slot["shoot_day_id"]]["status"] != "draft"
            and self.shoot_days[slot["shoot_day_id"]]["forecast"] != "dry"
            and self._outdoors(self.shoot_days[slot["shoot_day_id"]])
            and len(self._scenes_of(self.shoot_days[slot["shoot_day_id"]], True)) <= 1
        ):
            return _refused(
                f"{self.shoot_days[slot['shoot_day_id']]['on']} needs its cover, it is outdoors with "
                f"{self.shoot_days[slot['shoot_day_id']]['forecast']} forecast."
            )
        self._journal = []
        self._remove("slots", slot)
        if self._breaks_rule_1_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        for one_slot in _distinct(self._slots_by_scene.get(slot["scene_id"], {}).values()):
            if one_slot["id"] in self.slots and self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(
            [
                user
                for one in self._scenes_by_after.get(slot["scene_id"], {}).values()
                for user in self._slots_by_scene.get(one["id"], {}).values()
            ]
        ):
            if one_slot["id"] in self.slots and self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[10])
        for one_call in _distinct(self._calls_by_shoot_day.get(slot["shoot_day_id"], {}).values()):
            if self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: drop scene {self.scenes[slot['scene_id']]['number']} from "
                f"{self.shoot_days[slot['shoot_day_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def add_cover(self, scene_id: str, shoot_day_id: str) -> Result:
        """Add an indoor scene as weather cover of a day, called or not.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] == "wrapped":
            return _refused(f"{shoot_day['on']} is wrapped.")
        if scene["exterior"]:
            return _refused(f"Scene {scene['number']} is outdoors and covers nothing.")
        if self._scene_planned(scene):
            return _refused(f"Scene {scene['number']} is on a day already.")
        if self._slots_by_shoot_day_scene.get((shoot_day_id, scene_id), {}):
            return _refused(f"Scene {scene['number']} covers {shoot_day['on']} already.")
        if not self._ready_by(scene, shoot_day["on"]):
            return _refused(f"The scene that {scene['number']} must follow is not on a day before {shoot_day['on']}.")
        if (
            self.locations[scene["location_id"]]["permit_from"] > shoot_day["on"]
            or shoot_day["on"] > self.locations[scene["location_id"]]["permit_to"]
        ):
            return _refused(
                f"The permit for {self.locations[scene['location_id']]['name']} runs from "
                f"{self.locations[scene['location_id']]['permit_from']} to "
                f"{self.locations[scene['location_id']]['permit_to']}."
            )
        other = self._elsewhere(scene, shoot_day, True)
        if other is not None:
            return _refused(
                f"The cover of {shoot_day['on']} is at "
                f"{self.locations[self.scenes[other['scene_id']]['location_id']]['name']}, not at "
                f"{self.locations[scene['location_id']]['name']}."
            )
        if (
            sum(self.scenes[s["scene_id"]]["eighths"] for s in self._scenes_of(shoot_day, True))
            + scene["eighths"] > shoot_day["page_limit"]
        ):
            return _refused(f"That is more cover than the {shoot_day['page_limit']} eighths of the day.")
        gone = self._away(scene, shoot_day)
        if gone is not None:
            return _refused(f"{gone['name']} is free from {gone['free_from']} to {gone['free_to']} only.")
        small = self._too_late_for(scene, shoot_day)
        if small is not None:
            return _refused(
                f"{small['name']} is a child, and {shoot_day['on']} has {shoot_day['length']} hours and wraps at "
                f"{self._shoot_day_wraps_at(shoot_day)}."
            )
        self._journal = []
        slot: Slot = {
            "id": self._new_id("slot", "SLOT", self.slots),
            "shoot_day_id": shoot_day_id,
            "scene_id": scene_id,
            "cover": True,
            "shot": False,
        }
        self._add("slots", slot)
        if self._breaks_rule_1_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(slot):
            return self._take_back(RULES[1])
        for one_slot in _distinct([slot, *self._slots_by_scene.get(slot["scene_id"], {}).values()]):
            if self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in self._scenes_by_after.get(slot["scene_id"], {}).values()
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(slot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_d(self.shoot_days[slot["shoot_day_id"]]):
            return self._take_back(RULES[10])
        for one_call in _distinct(self._calls_by_shoot_day.get(slot["shoot_day_id"], {}).values()):
            if self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: add scene {scene['number']} as cover for {shoot_day['on']} (new: slot {slot['id']}).",
            "data": {"slot_id": slot["id"], **self._changes()},
        }

    def update_forecast(self, shoot_day_id: str, forecast: Literal["dry", "rain", "storm"]) -> Result:
        """Enter the forecast for a day; a called day outdoors needs cover before rain or storm is entered.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.
            forecast (str): Weather that is expected on the day: dry, rain or storm.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] == "wrapped":
            return _refused(f"{shoot_day['on']} is wrapped.")
        if shoot_day["forecast"] == forecast:
            return _refused(f"The forecast for {shoot_day['on']} is {forecast} already.")
        if (
            forecast != "dry"
            and shoot_day["status"] != "draft"
            and self._outdoors(shoot_day)
            and len(self._scenes_of(shoot_day, True)) <= 0
        ):
            return _refused(f"{shoot_day['on']} is outdoors and has been called, so add cover first.")
        self._journal = []
        self._put("shoot_days", shoot_day, "forecast", forecast)
        if self._breaks_rule_10(shoot_day):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: enter {forecast} as the forecast for {shoot_day['on']}.",
            "data": self._changes(),
        }

    def issue_calls(self, shoot_day_id: str) -> Result:
        """Send the call sheet of a day; everybody in its scenes gets a call ahead by their make-up.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] != "draft":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}.")
        if shoot_day["call_at"] <= self.now:
            return _refused(f"{shoot_day['on']} should have begun already.")
        if self._shoot_day_eighths(shoot_day) <= 0:
            return _refused(f"{shoot_day['on']} has no scenes.")
        if (
            shoot_day["forecast"] != "dry"
            and self._outdoors(shoot_day)
            and len(self._scenes_of(shoot_day, True)) <= 0
        ):
            return _refused(
                f"{shoot_day['on']} is outdoors with {shoot_day['forecast']} forecast, so add cover first."
            )
        near = next(
            (
                d
                for d in self.shoot_days.values()
                if d is not shoot_day
                and d["status"] != "draft"
                and d["call_at"] < _plus_minutes(self._shoot_day_wraps_at(shoot_day), 600)
                and shoot_day["call_at"] < _plus_minutes(self._shoot_day_wraps_at(d), 600)
            ),
            None,
        )
        if near is not None:
            return _refused(
                f"The crew would not rest ten hours between {near['on']} and {shoot_day['on']}, so shift the call."
            )
        worn = self._tired_one(shoot_day, False)
        if worn is not None:
            return _refused(f"{worn['name']} would not rest eleven hours between two days, so shift the call.")
        self._journal = []
        added_calls: list[Any] = []
        self._put("shoot_days", shoot_day, "status", "called")
        for p in list(self._needed(shoot_day, False)):
            call = {
                "id": self._new_id("call", "CALL", self.calls),
                "shoot_day_id": shoot_day_id,
                "performer_id": p["id"],
                "at": _plus_minutes(shoot_day["call_at"], -p["makeup"]),
            }
            self._add("calls", call)
            added_calls.append(call)
        if self._breaks_rule_10(shoot_day):
            return self._take_back(RULES[9])
        for one_call in _distinct(added_calls):
            if self._breaks_rule_11_k(one_call):
                return self._take_back(RULES[10])
        for one_shoot_day in _distinct([shoot_day, *[self.shoot_days[one["shoot_day_id"]] for one in added_calls]]):
            if self._breaks_rule_11_d(one_shoot_day):
                return self._take_back(RULES[10])
        for one_call in _distinct([*self._calls_by_shoot_day.get(shoot_day["id"], {}).values(), *added_calls]):
            if self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        for one_call in _distinct(added_calls):
            if self._breaks_rule_12_a(one_call):
                return self._take_back(RULES[11])
        for one_call in _distinct(added_calls):
            if self._breaks_rule_12_b(one_call):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: send the call sheet for {shoot_day['on']}.",
            "data": self._changes(),
        }

    def pull_calls(self, shoot_day_id: str) -> Result:
        """Withdraw the call sheet of a day that is still ahead.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] != "called":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}.")
        if shoot_day["on"] <= self.now[:10]:
            return _refused(f"It is too late to withdraw the call sheet of {shoot_day['on']}.")
        self._journal = []
        deleted_calls: list[Any] = []
        for k in sorted(self._calls_by_shoot_day.get(shoot_day_id, {}).values(), key=_age):
            if k["id"] in self.calls:
                self._remove("calls", k)
            deleted_calls.append(k)
        self._put("shoot_days", shoot_day, "status", "draft")
        if self._breaks_rule_10(shoot_day):
            return self._take_back(RULES[9])
        for one_shoot_day in _distinct([shoot_day, *[self.shoot_days[one["shoot_day_id"]] for one in deleted_calls]]):
            if self._breaks_rule_11_d(one_shoot_day):
                return self._take_back(RULES[10])
        for one_call in _distinct(self._calls_by_shoot_day.get(shoot_day["id"], {}).values()):
            if one_call["id"] in self.calls and self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: withdraw the call sheet of {shoot_day['on']}.",
            "data": self._changes(),
        }

    def shift_call(
        self,
        shoot_day_id: str,
        call: Time | None = None,
        length: Annotated[int, {"minimum": 6, "maximum": 14}] | None = None,
    ) -> Result:
        """Give a draft day another call, another length in hours, or both.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.
            call (str, optional): New time of day of the call, as HH:MM. If left out, the call stays as it is.
            length (int, optional): New length of the day in hours, from 6 to 14. If left out, the length stays as
                it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] != "draft":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}; pull the calls first.")
        if call is None and length is None:
            return _refused("Say the new call or the new length.")
        if not (
            (length if length is not None else shoot_day["length"]) <= 10
            or not any(
                any(p["child"] for p in [self.performers[key] for key in self.scenes[s["scene_id"]]["cast_ids"]])
                for s in self._slots_by_shoot_day.get(shoot_day_id, {}).values()
            )
        ):
            return _refused(f"There is a child on {shoot_day['on']}, so ten hours at most.")
        begin = shoot_day["on"] + "T" + (call if call is not None else shoot_day["call_at"][11:])
        ends = _plus_minutes(begin, (length if length is not None else shoot_day["length"]) * 60)
        if not (
            ends[:10] == shoot_day["on"]
            and ends[11:] <= "20:00"
            or not any(
                any(p["child"] for p in [self.performers[key] for key in self.scenes[s["scene_id"]]["cast_ids"]])
                for s in self._slots_by_shoot_day.get(shoot_day_id, {}).values()
            )
        ):
            return _refused(f"There is a child on {shoot_day['on']}, so wrap by 20:00, not at {ends}.")
        self._journal = []
        self._put("shoot_days", shoot_day, "call_at", begin)
        new_length = length if length is not None else shoot_day["length"]
        if not 6 <= new_length <= 14:
            return self._take_back(f"The length of {shoot_day['id']} must be between 6 and 14.")
        self._put("shoot_days", shoot_day, "length", new_length)
        for one_slot in _distinct(self._slots_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        for one_call in _distinct(self._calls_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_12_a(one_call):
                return self._take_back(RULES[11])
        done = f"shift {shoot_day['on']}"
        if call is not None:
            done += f" to a call at {call}"
        if length is not None:
            done += f" with {length} hours"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def go_to_cover(self, shoot_day_id: str) -> Result:
        """Give up the scenes of a called day because of the weather, shoot its cover instead and call those who are
        in it.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] != "called":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}.")
        if shoot_day["forecast"] == "dry":
            return _refused(f"The forecast for {shoot_day['on']} is dry.")
        if len(self._scenes_of(shoot_day, True)) <= 0:
            return _refused(f"{shoot_day['on']} has no cover.")
        twice = next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [
                                s["scene_id"]
                                for s in self._slots_by_shoot_day.get(shoot_day_id, {}).values()
                            ]
                            for t in self._slots_by_scene.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if t["cover"]
                and t["shoot_day_id"] != shoot_day_id
                and self.shoot_days[t["shoot_day_id"]]["status"] == "called"
                and any(s["scene_id"] == t["scene_id"] for s in self._scenes_of(shoot_day, True))
            ),
            None,
        )
        if twice is not None:
            return _refused(
                f"Scene {self.scenes[twice['scene_id']]['number']} covers "
                f"{self.shoot_days[twice['shoot_day_id']]['on']} too, which has been called, so drop it there or "
                "give that day other cover."
            )
        if not all(
            self._ready_by(self.scenes[s["scene_id"]], shoot_day["on"])
            for s in self._scenes_of(shoot_day, True)
        ):
            return _refused("A cover scene must follow one that is not on an earlier day.")
        behind = next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [
                                s["scene_id"]
                                for s in self._slots_by_shoot_day.get(shoot_day_id, {}).values()
                            ]
                            for _scene in self._scenes_by_after.get(key, {}).values()
                            for t in self._slots_by_scene.get(_scene["id"], {}).values()
                        ]
                    ),
                    key=_age,
                )
                if not t["cover"]
                and any(
                    s["scene_id"] == self.scenes[t["scene_id"]]["after_id"]
                    for s in self._scenes_of(shoot_day, False)
                )
            ),
            None,
        )
        if behind is not None:
            return _refused(
                f"Scene {self.scenes[behind['scene_id']]['number']} must follow a scene of {shoot_day['on']}, so "
                "drop it first."
            )
        worn = self._tired_one(shoot_day, True)
        if worn is not None:
            return _refused(f"{worn['name']} would not rest eleven hours between two days.")
        self._journal = []
        deleted_slots: list[Any] = []
        changed_slots: list[Any] = []
        deleted_calls: list[Any] = []
        added_calls: list[Any] = []
        for s in list(self._scenes_of(shoot_day, False)):
            if s["id"] in self.slots:
                self._remove("slots", s)
            deleted_slots.append(s)
        for s in list(self._scenes_of(shoot_day, True)):
            for t in [
                t
                for t in sorted(self._slots_by_scene.get(s["scene_id"], {}).values(), key=_age)
                if t is not s
            ]:
                if t["id"] in self.slots:
                    self._remove("slots", t)
                deleted_slots.append(t)
            changed_slots.append(s)
            if s["id"] in self.slots:
                self._put("slots", s, "cover", False)
        for k in sorted(self._calls_by_shoot_day.get(shoot_day_id, {}).values(), key=_age):
            if k["id"] in self.calls:
                self._remove("calls", k)
            deleted_calls.append(k)
        for p in list(self._needed(shoot_day, False)):
            call = {
                "id": self._new_id("call", "CALL", self.calls),
                "shoot_day_id": shoot_day_id,
                "performer_id": p["id"],
                "at": _plus_minutes(shoot_day["call_at"], -p["makeup"]),
            }
            self._add("calls", call)
            added_calls.append(call)
        for one_shoot_day in _distinct(
            [
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_slots],
                *[self.shoot_days[one["shoot_day_id"]] for one in changed_slots],
            ]
        ):
            if self._breaks_rule_1_d(one_shoot_day):
                return self._take_back(RULES[0])
        for one_shoot_day in _distinct(
            [
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_slots],
                *[self.shoot_days[one["shoot_day_id"]] for one in changed_slots],
            ]
        ):
            if self._breaks_rule_1_d_again(one_shoot_day):
                return self._take_back(RULES[0])
        for one_slot in _distinct(changed_slots):
            if one_slot["id"] in self.slots and self._breaks_rule_2_s(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(
            [
                *[
                    user
                    for one in [self.scenes[one["scene_id"]] for one in deleted_slots]
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
                *changed_slots,
                *[
                    user
                    for one in [self.scenes[one["scene_id"]] for one in changed_slots]
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_slot["id"] in self.slots and self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(changed_slots):
            if one_slot["id"] in self.slots and self._breaks_rule_4(one_slot):
                return self._take_back(RULES[3])
        for one_slot in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [self.scenes[one["scene_id"]] for one in deleted_slots]
                        for user in self._scenes_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
                *changed_slots,
                *[
                    user
                    for one in [
                        user
                        for one in [self.scenes[one["scene_id"]] for one in changed_slots]
                        for user in self._scenes_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_slot["id"] in self.slots and self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        for one_slot in _distinct(changed_slots):
            if one_slot["id"] in self.slots and self._breaks_rule_9(one_slot):
                return self._take_back(RULES[8])
        for one_shoot_day in _distinct(
            [
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_slots],
                *[self.shoot_days[one["shoot_day_id"]] for one in changed_slots],
            ]
        ):
            if self._breaks_rule_10(one_shoot_day):
                return self._take_back(RULES[9])
        for one_call in _distinct(added_calls):
            if one_call["id"] in self.calls and self._breaks_rule_11_k(one_call):
                return self._take_back(RULES[10])
        for one_shoot_day in _distinct(
            [
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_slots],
                *[self.shoot_days[one["shoot_day_id"]] for one in changed_slots],
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_calls],
                *[self.shoot_days[one["shoot_day_id"]] for one in added_calls],
            ]
        ):
            if self._breaks_rule_11_d(one_shoot_day):
                return self._take_back(RULES[10])
        for one_call in _distinct(
            [
                *[
                    user
                    for one in [self.shoot_days[one["shoot_day_id"]] for one in deleted_slots]
                    for user in self._calls_by_shoot_day.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.shoot_days[one["shoot_day_id"]] for one in changed_slots]
                    for user in self._calls_by_shoot_day.get(one["id"], {}).values()
                ],
                *added_calls,
            ]
        ):
            if one_call["id"] in self.calls and self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        for one_call in _distinct(added_calls):
            if one_call["id"] in self.calls and self._breaks_rule_12_a(one_call):
                return self._take_back(RULES[11])
        for one_call in _distinct(added_calls):
            if one_call["id"] in self.calls and self._breaks_rule_12_b(one_call):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: go to cover on {shoot_day['on']}.", "data": self._changes()}

    def wrap_day(
        self,
        shoot_day_id: str,
        unfinished_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Wrap a called day; scenes that were not finished go back to the board, the others are shot.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.
            unfinished_ids (list): Scene slots of the day, not cover, that were not finished: ids of slots, such as
                SLOT-00001. May be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        unfinished = []
        for key in unfinished_ids or []:
            if key not in self.slots:
                return _refused(f"There is no slot {key!r}.")
            unfinished.append(self.slots[key])
        if shoot_day["status"] != "called":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}.")
        if shoot_day["call_at"] > self.now:
            return _refused(f"{shoot_day['on']} has not begun.")
        if not _different([s["id"] for s in unfinished]):
            return _refused("A scene is named twice.")
        if not all(s["shoot_day_id"] == shoot_day_id and not s["cover"] for s in unfinished):
            return _refused(f"Name scenes that were on {shoot_day['on']} only.")
        behind = next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [s["scene_id"] for s in unfinished]
                            for _scene in self._scenes_by_after.get(key, {}).values()
                            for t in self._slots_by_scene.get(_scene["id"], {}).values()
                        ]
                    ),
                    key=_age,
                )
                if not t["cover"]
                and any(s["scene_id"] == self.scenes[t["scene_id"]]["after_id"] for s in unfinished)
            ),
            None,
        )
        if behind is not None:
            return _refused(
                f"Scene {self.scenes[behind['scene_id']]['number']} must follow one that was not finished, so "
                "drop it first."
            )
        self._journal = []
        deleted_slots: list[Any] = []
        deleted_calls: list[Any] = []
        for s in sorted(self._slots_by_shoot_day.get(shoot_day_id, {}).values(), key=_age):
            if s["cover"]:
                if s["id"] in self.slots:
                    self._remove("slots", s)
                deleted_slots.append(s)
            else:
                if s["id"] in self.slots:
                    self._put("slots", s, "shot", True)
        for s in list(unfinished):
            for p in [self.performers[key] for key in self.scenes[s["scene_id"]]["cast_ids"]]:
                for k in [
                    k
                    for k in sorted(
                        self._calls_by_shoot_day_performer.get((shoot_day_id, p["id"]), {}).values(),
                        key=_age,
                    )
                    if not any(
                        p["id"] in self.scenes[o["scene_id"]]["cast_ids"]
                        for o in self._slots_by_shoot_day.get(shoot_day_id, {}).values()
                        if o not in unfinished
                    )
                ]:
                    if k["id"] in self.calls:
                        self._remove("calls", k)
                    deleted_calls.append(k)
            if s["id"] in self.slots:
                self._remove("slots", s)
            deleted_slots.append(s)
        self._put("shoot_days", shoot_day, "status", "wrapped")
        for one_shoot_day in _distinct([self.shoot_days[one["shoot_day_id"]] for one in deleted_slots]):
            if self._breaks_rule_1_d(one_shoot_day):
                return self._take_back(RULES[0])
        for one_shoot_day in _distinct([self.shoot_days[one["shoot_day_id"]] for one in deleted_slots]):
            if self._breaks_rule_1_d_again(one_shoot_day):
                return self._take_back(RULES[0])
        for one_slot in _distinct(
            [
                user
                for one in [self.scenes[one["scene_id"]] for one in deleted_slots]
                for user in self._slots_by_scene.get(one["id"], {}).values()
            ]
        ):
            if one_slot["id"] in self.slots and self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(
            [
                user
                for one in [
                    user
                    for one in [self.scenes[one["scene_id"]] for one in deleted_slots]
                    for user in self._scenes_by_after.get(one["id"], {}).values()
                ]
                for user in self._slots_by_scene.get(one["id"], {}).values()
            ]
        ):
            if one_slot["id"] in self.slots and self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        for one_shoot_day in _distinct([shoot_day, *[self.shoot_days[one["shoot_day_id"]] for one in deleted_slots]]):
            if self._breaks_rule_10(one_shoot_day):
                return self._take_back(RULES[9])
        for one_shoot_day in _distinct(
            [
                shoot_day,
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_slots],
                *[self.shoot_days[one["shoot_day_id"]] for one in deleted_calls],
            ]
        ):
            if self._breaks_rule_11_d(one_shoot_day):
                return self._take_back(RULES[10])
        for one_call in _distinct(
            [
                *[
                    user
                    for one in [self.shoot_days[one["shoot_day_id"]] for one in deleted_slots]
                    for user in self._calls_by_shoot_day.get(one["id"], {}).values()
                ],
                *self._calls_by_shoot_day.get(shoot_day["id"], {}).values(),
            ]
        ):
            if one_call["id"] in self.calls and self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: wrap {shoot_day['on']}.", "data": self._changes()}

    def strike_day(self, shoot_day_id: str) -> Result:
        """Strike a draft day that has no scenes and no cover.

        Args:
            shoot_day_id (str): Id of the shoot day, such as SD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shoot_day = self.shoot_days.get(shoot_day_id)
        if shoot_day is None:
            return _refused(f"There is no shoot day {shoot_day_id!r}.")
        if shoot_day["status"] != "draft":
            return _refused(f"{shoot_day['on']} is {shoot_day['status']}.")
        if self._slots_by_shoot_day.get(shoot_day_id, {}):
            return _refused(f"{shoot_day['on']} still has scenes or cover.")
        self._journal = []
        self._remove("shoot_days", shoot_day)
        users = len(self._slots_by_shoot_day.get(shoot_day["id"], {}))
        if users:
            return self._take_back(
                f"Shoot day {shoot_day['id']} is still used by {users} {'slot' if users == 1 else 'slots'}."
            )
        users = len(self._calls_by_shoot_day.get(shoot_day["id"], {}))
        if users:
            return self._take_back(
                f"Shoot day {shoot_day['id']} is still used by {users} {'call' if users == 1 else 'calls'}."
            )
        for one_slot in _distinct(self._slots_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_5(one_slot):
                return self._take_back(RULES[4])
        for one_slot in _distinct(self._slots_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        for one_slot in _distinct(self._slots_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        for one_slot in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.scenes[one["scene_id"]]
                            for one in self._slots_by_shoot_day.get(shoot_day["id"], {}).values()
                        ]
                        for user in self._scenes_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._slots_by_scene.get(one["id"], {}).values()
                ],
                *self._slots_by_shoot_day.get(shoot_day["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        for one_call in _distinct(self._calls_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_11_k_again(one_call):
                return self._take_back(RULES[10])
        for one_call in _distinct(self._calls_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_12_a(one_call):
                return self._take_back(RULES[11])
        for one_call in _distinct(self._calls_by_shoot_day.get(shoot_day["id"], {}).values()):
            if self._breaks_rule_12_b(one_call):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: strike {shoot_day['on']}.", "data": self._changes()}

    def _show_scene(self, scene: Scene) -> dict[str, Any]:
        """The scene as an answer shows it."""
        return {**scene, "cast_ids": [*scene["cast_ids"]], "planned": self._scene_planned(scene)}

    def _show_shoot_day(self, shoot_day: ShootDay) -> dict[str, Any]:
        """The shoot day as an answer shows it."""
        return {
            **shoot_day,
            "wraps_at": self._shoot_day_wraps_at(shoot_day),
            "eighths": self._shoot_day_eighths(shoot_day),
            "left": self._shoot_day_left(shoot_day),
        }

    def _names_of_scenes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that scenes point to."""
        return _names(
            (self.locations, "name", [row["location_id"] for row in shown]),
            (self.performers, "name", [each for row in shown for each in row["cast_ids"]]),
            (self.scenes, "number", [row["after_id"] for row in shown]),
        )

    def _names_of_slots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that slots point to."""
        return _names((self.scenes, "number", [row["scene_id"] for row in shown]))

    def _names_of_calls(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that calls point to."""
        return _names((self.performers, "name", [row["performer_id"] for row in shown]))

    def _scene_planned(self, scene: Scene) -> bool:
        """The planned of a scene."""
        return any(not s["cover"] for s in self._slots_by_scene.get(scene["id"], {}).values())

    def _shoot_day_wraps_at(self, shoot_day: ShootDay) -> str:
        """The wraps at of a shoot day."""
        return _plus_minutes(shoot_day["call_at"], shoot_day["length"] * 60)

    def _shoot_day_eighths(self, shoot_day: ShootDay) -> int:
        """The eighths of a shoot day."""
        return sum(
            self.scenes[s["scene_id"]]["eighths"]
            for s in self._slots_by_shoot_day.get(shoot_day["id"], {}).values()
            if not s["cover"]
        )

    def _shoot_day_left(self, shoot_day: ShootDay) -> int:
        """The left of a shoot day."""
        return shoot_day["page_limit"] - self._shoot_day_eighths(shoot_day)

    def _scenes_of(self, d: ShootDay, cover: bool) -> list[Slot]:
        return [
            s
            for s in sorted(self._slots_by_shoot_day.get(d["id"], {}).values(), key=_age)
            if s["cover"] == cover
        ]

    def _needed(self, d: ShootDay, cover: bool) -> list[Performer]:
        return [
            p
            for p in _those(
                self.performers,
                [
                    key
                    for s in self._slots_by_shoot_day.get(d["id"], {}).values()
                    for key in self.scenes[s["scene_id"]]["cast_ids"]
                ],
            )
            if any(
                p["id"] in self.scenes[s["scene_id"]]["cast_ids"]
                for s in self._slots_by_shoot_day.get(d["id"], {}).values()
                if s["cover"] == cover
            )
        ]

    def _outdoors(self, d: ShootDay) -> bool:
        return any(self.scenes[s["scene_id"]]["exterior"] for s in self._scenes_of(d, False))

    def _main_slot(self, c: Scene) -> Slot | None:
        return next(
            (s for s in sorted(self._slots_by_scene.get(c["id"], {}).values(), key=_age) if not s["cover"]),
            None,
        )

    def _away(self, c: Scene, d: ShootDay) -> Performer | None:
        return next(
            (
                p
                for p in [self.performers[key] for key in c["cast_ids"]]
                if (p["free_from"] > d["on"] or d["on"] > p["free_to"])
            ),
            None,
        )

    def _elsewhere(self, c: Scene, d: ShootDay, cover: bool) -> Slot | None:
        return next(
            (s for s in self._scenes_of(d, cover) if self.scenes[s["scene_id"]]["location_id"] != c["location_id"]),
            None,
        )

    def _too_late_for(self, c: Scene, d: ShootDay) -> Performer | None:
        return next(
            (
                p
                for p in [self.performers[key] for key in c["cast_ids"]]
                if p["child"]
                and (
                    d["length"] > 10
                    or self._shoot_day_wraps_at(d)[:10] > d["on"]
                    or self._shoot_day_wraps_at(d)[11:] > "20:00"
                )
            ),
            None,
        )

    def _ready_by(self, c: Scene, on: str) -> bool:
        return (
            c["after_id"] is None
            or any(
                self.shoot_days[t["shoot_day_id"]]["on"] < on
                for t in self._slots_by_scene.get(c["after_id"], {}).values()
                if not t["cover"]
            )
        )

    def _follower(self, c: Scene, on: str) -> Slot | None:
        return next(
            (
                t
                for t in sorted(
                    [
                        t
                        for _scene in self._scenes_by_after.get(c["id"], {}).values()
                        for t in self._slots_by_scene.get(_scene["id"], {}).values()
                    ],
                    key=_age,
                )
                if not t["cover"]
                and self.shoot_days[t["shoot_day_id"]]["on"] <= on
            ),
            None,
        )

    def _tired(self, d: ShootDay, p: Performer) -> Call | None:
        return next(
            (
                k
                for k in sorted(self._calls_by_performer.get(p["id"], {}).values(), key=_age)
                if k["shoot_day_id"] != d["id"]
                and k["at"] < _plus_minutes(self._shoot_day_wraps_at(d), 660)
                and _plus_minutes(d["call_at"], -p["makeup"]) < _plus_minutes(
                    self._shoot_day_wraps_at(self.shoot_days[k["shoot_day_id"]]),
                    660,
                )
            ),
            None,
        )

    def _tired_one(self, d: ShootDay, cover: bool) -> Performer | None:
        return next((p for p in self._needed(d, cover) if self._tired(d, p) is not None), None)

    def _suits(self, c: Scene, d: ShootDay, cover: bool) -> bool:
        return (
            (
                self.locations[c["location_id"]]["permit_from"] <= d["on"]
                and d["on"] <= self.locations[c["location_id"]]["permit_to"]
            )
            and self._away(c, d) is None
            and self._too_late_for(c, d) is None
            and self._elsewhere(c, d, cover) is None
        )

    def _breaks_rule_1_d(self, d: ShootDay) -> bool:
        """Whether this is broken: the scenes of a day stay within its pages, and so does its cover."""
        return self._shoot_day_left(d) < 0

    def _breaks_rule_1_d_again(self, d: ShootDay) -> bool:
        """Whether this is broken: the scenes of a day stay within its pages, and so does its cover."""
        return sum(self.scenes[s["scene_id"]]["eighths"] for s in self._scenes_of(d, True)) > d["page_limit"]

    def _breaks_rule_2_s(self, s: Slot) -> bool:
        """Whether this is broken: a scene is on one day only, and is cover only while it is on none."""
        return (
            not s["cover"]
            and any(
                other_s is not s
                for other_s in self._slots_by_scene.get(s["scene_id"], {}).values()
                if not other_s["cover"]
            )
        )

    def _breaks_rule_2_t(self, t: Slot) -> bool:
        """Whether this is broken: a scene is on one day only, and is cover only while it is on none."""
        return t["cover"] and self._scene_planned(self.scenes[t["scene_id"]])

    def _breaks_rule_3(self, s: Slot) -> bool:
        """Whether this is broken: a scene covers a day no more than once."""
        return any(
            other_s is not s
            for other_s in self._slots_by_shoot_day_scene.get((s["shoot_day_id"], s["scene_id"]), {}).values()
        )

    def _breaks_rule_4(self, a: Slot) -> bool:
        """Whether this is broken: the unit works at one location a day, and so does its cover."""
        return any(
            self.scenes[a["scene_id"]]["location_id"] != self.scenes[b["scene_id"]]["location_id"]
            for b in self._slots_by_shoot_day.get(a["shoot_day_id"], {}).values()
            if a["cover"] == b["cover"]
        )

    def _breaks_rule_5(self, s: Slot) -> bool:
        """Whether this is broken: scenes are shot while the permit of their location lasts."""
        return (
            self.locations[
                self.scenes[s["scene_id"]]["location_id"]
            ]["permit_from"] > self.shoot_days[s["shoot_day_id"]]["on"]
            or self.shoot_days[s["shoot_day_id"]]["on"] > self.locations[
                self.scenes[s["scene_id"]]["location_id"]
            ]["permit_to"]
        )

    def _breaks_rule_6(self, s: Slot) -> bool:
        """Whether this is broken: nobody is on a day on which they are not free."""
        return self._away(self.scenes[s["scene_id"]], self.shoot_days[s["shoot_day_id"]]) is not None

    def _breaks_rule_7(self, s: Slot) -> bool:
        """Whether this is broken: children work ten hours at most and are released by eight in the evening."""
        return self._too_late_for(self.scenes[s["scene_id"]], self.shoot_days[s["shoot_day_id"]]) is not None

    def _breaks_rule_8(self, s: Slot) -> bool:
        """Whether this is broken: a scene is shot on a later day than the scene that it must follow."""
        return not (
            s["cover"]
            or self._ready_by(self.scenes[s["scene_id"]], self.shoot_days[s["shoot_day_id"]]["on"])
        )

    def _breaks_rule_9(self, s: Slot) -> bool:
        """Whether this is broken: cover is shot indoors."""
        return s["cover"] and self.scenes[s["scene_id"]]["exterior"]

    def _breaks_rule_10(self, d: ShootDay) -> bool:
        """Whether this is broken: a called day that is outdoors in rain or storm has cover."""
        return (
            d["status"] == "called"
            and (d["forecast"] != "dry" and self._outdoors(d) and len(self._scenes_of(d, True)) <= 0)
        )

    def _breaks_rule_11_k(self, k: Call) -> bool:
        """Whether this is broken: on a called day everybody in its scenes has one call and nobody else has any, and a
        draft has no calls.
        """
        return any(
            other_k is not k
            for other_k in self._calls_by_shoot_day_performer.get((k["shoot_day_id"], k["performer_id"]), {}).values()
        )

    def _breaks_rule_11_d(self, d: ShootDay) -> bool:
        """Whether this is broken: on a called day everybody in its scenes has one call and nobody else has any, and a
        draft has no calls.
        """
        return not (
            d["status"] == "draft"
            or all(
                bool(self._calls_by_shoot_day_performer.get((d["id"], p["id"]), {}))
                for p in self._needed(d, False)
            )
        )

    def _breaks_rule_11_k_again(self, k: Call) -> bool:
        """Whether this is broken: on a called day everybody in its scenes has one call and nobody else has any, and a
        draft has no calls.
        """
        return (
            self.shoot_days[k["shoot_day_id"]]["status"] == "draft"
            or self.performers[k["performer_id"]] not in self._needed(self.shoot_days[k["shoot_day_id"]], False)
        )

    def _breaks_rule_12_a(self, a: Call) -> bool:
        """Whether this is broken: between the wrap of one day and the next call performers rest eleven hours."""
        return any(
            _minutes_between(self._shoot_day_wraps_at(self.shoot_days[a["shoot_day_id"]]), b["at"]) < 660
            for b in self._calls_by_performer.get(a["performer_id"], {}).values()
            if self.shoot_days[a["shoot_day_id"]]["on"] < self.shoot_days[b["shoot_day_id"]]["on"]
        )

    def _breaks_rule_12_b(self, b: Call) -> bool:
        """Whether this is broken: between the wrap of one day and the next call performers rest eleven hours."""
        return any(
            _minutes_between(self._shoot_day_wraps_at(self.shoot_days[a["shoot_day_id"]]), b["at"]) < 660
            for a in self._calls_by_performer.get(b["performer_id"], {}).values()
            if self.shoot_days[a["shoot_day_id"]]["on"] < self.shoot_days[b["shoot_day_id"]]["on"]
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
            case "scenes":
                self._scenes_by_after.setdefault(record["after_id"], {})[record["id"]] = record
            case "shoot_days":
                self._shoot_days_by_on.setdefault(record["on"], {})[record["id"]] = record
            case "slots":
                self._slots_by_scene.setdefault(record["scene_id"], {})[record["id"]] = record
                self._slots_by_shoot_day.setdefault(record["shoot_day_id"], {})[record["id"]] = record
                self._slots_by_shoot_day_scene.setdefault(
                    (record["shoot_day_id"], record["scene_id"]),
                    {},
                )[record["id"]] = record
            case "calls":
                self._calls_by_performer.setdefault(record["performer_id"], {})[record["id"]] = record
                self._calls_by_shoot_day.setdefault(record["shoot_day_id"], {})[record["id"]] = record
                self._calls_by_shoot_day_performer.setdefault(
                    (record["shoot_day_id"], record["performer_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "scenes":
                del self._scenes_by_after[record["after_id"]][record["id"]]
            case "shoot_days":
                del self._shoot_days_by_on[record["on"]][record["id"]]
            case "slots":
                del self._slots_by_scene[record["scene_id"]][record["id"]]
                del self._slots_by_shoot_day[record["shoot_day_id"]][record["id"]]
                del self._slots_by_shoot_day_scene[record["shoot_day_id"], record["scene_id"]][record["id"]]
            case "calls":
                del self._calls_by_performer[record["performer_id"]][record["id"]]
                del self._calls_by_shoot_day[record["shoot_day_id"]][record["id"]]
                del self._calls_by_shoot_day_performer[record["shoot_day_id"], record["performer_id"]][record["id"]]
