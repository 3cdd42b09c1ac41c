"""Music festival. Compiled from blueprint.yaml; run `envscaler build music_festival` after changing it there.

Puts the running order of a festival together, with stages and changeovers, curfews, musicians who play in
several bands, backline, crews and wristbands for nested zones.
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
    "A stage has one band at a time, and its changeover before the next.",
    "Every slot ends by the curfew of its stage, on the day on which it begins.",
    "A musician has twenty minutes between two slots.",
    "A band plays once a day.",
    "A crew serves one slot at a time, with the changeover after it.",
    "A crew serves no more slots on a day than agreed.",
    "A confirmed slot has a crew and all the backline it needs on its stage.",
    "Gear that is away for repair stands on no stage.",
    "No zone lets in more wristbands than it has room for.",
    "Nobody wears two valid wristbands.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_slot",
    "move_slot",
    "change_length",
    "delay_stage",
    "close_slot",
    "send_crew",
    "confirm_slot",
    "carry_gear",
    "set_gear",
    "issue_wristband",
    "change_zone",
    "block_wristband",
)
"""The methods that may change something; all others only read."""

SLOT_STATUS_MOVES = {
    ("planned", "confirmed"),
    ("planned", "dropped"),
    ("confirmed", "planned"),
    ("confirmed", "dropped"),
    ("confirmed", "played"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "stages": ("name",),
    "zones": ("name",),
    "bands": ("name",),
    "musicians": ("name",),
    "crews": ("name",),
    "gears": ("label",),
    "slots": (),
    "wristbands": ("holder",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("gears", "condition"),
    ("gears", "kind"),
    ("gears", "stage_id"),
    ("musicians", "band_ids"),
    ("slots", "band_id"),
    ("slots", "crew_id"),
    ("slots", "stage_id"),
    ("slots", "status"),
    ("wristbands", "code"),
    ("wristbands", "holder"),
    ("wristbands", "zone_id"),
    ("zones", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Stage(TypedDict):
    id: str
    name: str
    curfew: str
    changeover: int


class Zone(TypedDict):
    id: str
    name: str
    within_id: str | None
    room_for: int


class Band(TypedDict):
    id: str
    name: str
    needs: list[Literal["drums", "bass_amp", "guitar_amp", "piano", "decks"]]
    headliner: bool


class Musician(TypedDict):
    id: str
    name: str
    band_ids: list[str]


class Crew(TypedDict):
    id: str
    name: str
    most_a_day: int


class Gear(TypedDict):
    id: str
    label: str
    kind: Literal["drums", "bass_amp", "guitar_amp", "piano", "decks"]
    bought: int
    stage_id: str | None
    condition: Literal["ready", "away"]


class Slot(TypedDict):
    id: str
    band_id: str
    stage_id: str
    starts_at: str
    minutes: int
    crew_id: str | None
    status: Literal["planned", "confirmed", "dropped", "played"]


class Wristband(TypedDict):
    id: str
    code: str
    holder: str
    band_id: str | None
    zone_id: str
    blocked: bool


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class MusicFestival:
    """Puts the running order of a festival together, with stages and changeovers, curfews, musicians who
    play in several bands, backline, crews and wristbands for nested zones.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stages: dict[str, Stage] = _copied(config.get("stages", {}))
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.bands: dict[str, Band] = _copied(config.get("bands", {}))
        self.musicians: dict[str, Musician] = _copied(config.get("musicians", {}))
        self.crews: dict[str, Crew] = _copied(config.get("crews", {}))
        self.gears: dict[str, Gear] = _copied(config.get("gears", {}))
        self.slots: dict[str, Slot] = _copied(config.get("slots", {}))
        self.wristbands: dict[str, Wristband] = _copied(config.get("wristbands", {}))
        self.now: str = config.get("now", "2026-07-14T09:00")
        self.counters: dict[str, int] = {
            "stage": len(self.stages),
            "zone": len(self.zones),
            "band": len(self.bands),
            "musician": len(self.musicians),
            "crew": len(self.crews),
            "gear": len(self.gears),
            "slot": len(self.slots),
            "wristband": len(self.wristbands),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._zones_by_within: dict[Any, dict[str, Zone]] = {}
        self._musicians_by_bands: dict[Any, dict[str, Musician]] = {}
        self._gears_by_kind_stage_condition: dict[Any, dict[str, Gear]] = {}
        self._slots_by_band: dict[Any, dict[str, Slot]] = {}
        self._slots_by_crew: dict[Any, dict[str, Slot]] = {}
        self._slots_by_stage: dict[Any, dict[str, Slot]] = {}
        self._slots_by_stage_status: dict[Any, dict[str, Slot]] = {}
        self._wristbands_by_code: dict[Any, dict[str, Wristband]] = {}
        self._wristbands_by_lower_holder: dict[Any, dict[str, Wristband]] = {}
        self._wristbands_by_zone: dict[Any, dict[str, Wristband]] = {}
        for zone in self.zones.values():
            self._link("zones", zone)
        for musician in self.musicians.values():
            self._link("musicians", musician)
        for gear in self.gears.values():
            self._link("gears", gear)
        for slot in self.slots.values():
            self._link("slots", slot)
        for wristband in self.wristbands.values():
            self._link("wristbands", wristband)

    def free_crews(self, slot_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Crews that could serve a slot, the least busy of that day first.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}} or {"success": False, "error": why
                not}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        found = [
            c
            for c in self.crews.values()
            if (slot["crew_id"] is None or c["id"] != slot["crew_id"])
            and self._crew_busy(c, self.stages[slot["stage_id"]], slot["starts_at"], slot["minutes"], slot) is None
            and self._crew_load(c, slot["starts_at"][:10]) < c["most_a_day"]
        ]
        found.sort(key=lambda c: (self._crew_load(c, slot["starts_at"][:10]), c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "crews": [
                    {"id": c["id"], "name": c["name"], "that_day": self._crew_load(c, slot["starts_at"][:10])}
                    for c in _page(found, offset)
                ],
            }
        )

    def day_sheet(
        self,
        date: Date,
        stage_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The running order of a day, stage by stage.

        Args:
            date (str): Day whose running order is listed, as YYYY-MM-DD.
            stage_id (str, optional): Only slots on this stage; an id such as STAGE-00001. If left out, the slots
                on all stages are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}} or {"success": False, "error": why
                not}
        """
        stage = self.stages.get(stage_id) if stage_id is not None else None
        if stage_id is not None and stage is None:
            return _refused(f"There is no stage {stage_id!r}.")
        found = [
            s
            for s in self.slots.values()
            if (self._on(s) and s["starts_at"][:10] == date)
            and (stage_id is None or s["stage_id"] == stage_id)
        ]
        found.sort(key=lambda s: (self.stages[s["stage_id"]]["name"], s["starts_at"], _age(s)))
        shown = [
            {
                "id": s["id"],
                "stage": self.stages[s["stage_id"]]["name"],
                "band": self.bands[s["band_id"]]["name"],
                "starts_at": s["starts_at"],
                "ends_at": self._slot_ends_at(s),
                "stage_clear_at": self._slot_clear_at(s),
                "crew_id": s["crew_id"],
                "status": s["status"],
                "lacks": [*self._slot_lacks(s)],
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "slots": shown},
            _names((self.crews, "name", [row["crew_id"] for row in shown])),
        )

    def list_stages(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stages, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stages whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stages": records}}
        """
        found = [
            stage
            for stage in self.stages.values()
            if (name is None or name.casefold() in stage["name"].casefold())
        ]
        return _found({"total": len(found), "stages": [{**stage} for stage in _page(found, offset)]})

    def list_zones(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            within_id (str, optional): Only zones within this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        if within_id is not None and within_id not in self.zones:
            return _refused(f"There is no zone {within_id!r}.")
        found = [
            zone
            for zone in self.zones.values()
            if (name is None or name.casefold() in zone["name"].casefold())
            and (within_id is None or zone["within_id"] == within_id)
        ]
        shown = [self._show_zone(zone) for zone in _page(found, offset)]
        return _found({"total": len(found), "zones": shown}, self._names_of_zones(shown))

    def list_bands(
        self,
        name: Text | None = None,
        headliner: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bands, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bands whose name contains this text.
            headliner (bool, optional): Only bands with this value of `headliner`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bands": records}}
        """
        found = [
            band
            for band in self.bands.values()
            if (name is None or name.casefold() in band["name"].casefold())
            and (headliner is None or band["headliner"] == headliner)
        ]
        return _found({"total": len(found), "bands": [self._show_band(band) for band in _page(found, offset)]})

    def list_musicians(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the musicians, oldest first, all of them or only some.

        Args:
            name (str, optional): Only musicians whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "musicians": records}}
        """
        found = [
            musician
            for musician in self.musicians.values()
            if (name is None or name.casefold() in musician["name"].casefold())
        ]
        shown = [self._show_musician(musician) for musician in _page(found, offset)]
        return _found({"total": len(found), "musicians": shown}, self._names_of_musicians(shown))

    def list_crews(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crews, oldest first, all of them or only some.

        Args:
            name (str, optional): Only crews whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}}
        """
        found = [crew for crew in self.crews.values() if (name is None or name.casefold() in crew["name"].casefold())]
        return _found({"total": len(found), "crews": [{**crew} for crew in _page(found, offset)]})

    def list_gears(
        self,
        label: Text | None = None,
        kind: Literal["drums", "bass_amp", "guitar_amp", "piano", "decks"] | None = None,
        stage_id: str | None = None,
        condition: Literal["ready", "away"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the gears, oldest first, all of them or only some.

        Args:
            label (str, optional): Only gears whose label contains this text.
            kind (str, optional): Only gears with this kind.
            stage_id (str, optional): Only gears of this stage.
            condition (str, optional): Only gears with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gears": records}}
        """
        if stage_id is not None and stage_id not in self.stages:
            return _refused(f"There is no stage {stage_id!r}.")
        found = [
            gear
            for gear in self.gears.values()
            if (label is None or label.casefold() in gear["label"].casefold())
            and (kind is None or gear["kind"] == kind)
            and (stage_id is None or gear["stage_id"] == stage_id)
            and (condition is None or gear["condition"] == condition)
        ]
        shown = [{**gear} for gear in _page(found, offset)]
        return _found({"total": len(found), "gears": shown}, self._names_of_gears(shown))

    def list_slots(
        self,
        band_id: str | None = None,
        stage_id: str | None = None,
        crew_id: str | None = None,
        status: Literal["planned", "confirmed", "dropped", "played"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slots, oldest first, all of them or only some.

        Args:
            band_id (str, optional): Only slots of this band.
            stage_id (str, optional): Only slots of this stage.
            crew_id (str, optional): Only slots of this crew.
            status (str, optional): Only slots with this status.
            starts_at_from (str, optional): Only slots whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only slots whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}}
        """
        if band_id is not None and band_id not in self.bands:
            return _refused(f"There is no band {band_id!r}.")
        if stage_id is not None and stage_id not in self.stages:
            return _refused(f"There is no stage {stage_id!r}.")
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            slot
            for slot in self.slots.values()
            if (band_id is None or slot["band_id"] == band_id)
            and (stage_id is None or slot["stage_id"] == stage_id)
            and (crew_id is None or slot["crew_id"] == crew_id)
            and (status is None or slot["status"] == status)
            and (starts_at_from is None or slot["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or slot["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_slot(slot) for slot in _page(found, offset)]
        return _found({"total": len(found), "slots": shown}, self._names_of_slots(shown))

    def list_wristbands(
        self,
        holder: Text | None = None,
        band_id: str | None = None,
        zone_id: str | None = None,
        blocked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the wristbands, oldest first, all of them or only some.

        Args:
            holder (str, optional): Only wristbands whose holder contains this text.
            band_id (str, optional): Only wristbands of this band.
            zone_id (str, optional): Only wristbands of this zone.
            blocked (bool, optional): Only wristbands that are blocked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wristbands": records}}
        """
        if band_id is not None and band_id not in self.bands:
            return _refused(f"There is no band {band_id!r}.")
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            wristband
            for wristband in self.wristbands.values()
            if (holder is None or holder.casefold() in wristband["holder"].casefold())
            and (band_id is None or wristband["band_id"] == band_id)
            and (zone_id is None or wristband["zone_id"] == zone_id)
            and (blocked is None or wristband["blocked"] == blocked)
        ]
        shown = [{**wristband} for wristband in _page(found, offset)]
        return _found({"total": len(found), "wristbands": shown}, self._names_of_wristbands(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_slot(
        self,
        band_id: str,
        stage_id: str,
        starts_at: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 150}],
        crew_id: str | None = None,
    ) -> Result:
        """Put a band on a stage at a time.

        Args:
            band_id (str): Id of the band, such as BAND-00001.
            stage_id (str): Id of the stage, such as STAGE-00001.
            starts_at (str): Time at which the band begins to play, as YYYY-MM-DDTHH:MM.
            minutes (int): Time the band plays, in minutes without the changeover, from 15 to 150.
            crew_id (str, optional): Crew that serves the slot; an id such as CREW-00001. If left out, the slot has
                no crew yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        band = self.bands.get(band_id)
        if band is None:
            return _refused(f"There is no band {band_id!r}.")
        stage = self.stages.get(stage_id)
        if stage is None:
            return _refused(f"There is no stage {stage_id!r}.")
        crew = self.crews.get(crew_id) if crew_id is not None else None
        if crew_id is not None and crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if any(
            s["starts_at"][:10] == starts_at[:10]
            for s in self._slots_by_band.get(band_id, {}).values()
            if self._on(s)
        ):
            return _refused(f"{band['name']} plays on {starts_at[:10]} already.")
        if self._too_late(stage, starts_at, minutes):
            return _refused(f"{stage['name']} must be quiet by {stage['curfew']}.")
        other = self._in_the_way(stage, starts_at, minutes, None)
        if other is not None:
            return _refused(
                f"{stage['name']} has {self.bands[other['band_id']]['name']} from {other['starts_at']} and is "
                f"clear at {self._slot_clear_at(other)}."
            )
        twice = self._sharing(band, starts_at, minutes, None)
        if twice is not None:
            return _refused(
                f"A musician of {band['name']} plays with {self.bands[twice['band_id']]['name']} from "
                f"{twice['starts_at']} to {self._slot_ends_at(twice)} and needs twenty minutes."
            )
        work = next(
            (
                s
                for s in self.slots.values()
                if crew_id is not None
                and s is self._crew_busy(crew, stage, starts_at, minutes, None)
            ),
            None,
        )
        if work is not None:
            return _refused(f"The crew serves {self.bands[work['band_id']]['name']} at {work['starts_at']}.")
        if crew_id is not None and self._crew_load(crew, starts_at[:10]) >= crew["most_a_day"]:
            return _refused(f"{crew['name']} serves {crew['most_a_day']} slots that day and can take no more.")
        self._journal = []
        slot: Slot = {
            "id": self._new_id("slot", "SLOT", self.slots),
            "band_id": band_id,
            "stage_id": stage_id,
            "starts_at": starts_at,
            "minutes": minutes,
            "crew_id": crew_id,
            "status": "planned",
        }
        self._add("slots", slot)
        if self._breaks_rule_1(slot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(slot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(slot):
            return self._take_back(RULES[4])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in [self.crews.get(slot["crew_id"])]
                    if one is not None
                    for user in self._slots_by_crew.get(slot["crew_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        done = f"book {band['name']} on {stage['name']} at {starts_at} for {minutes} minutes"
        if crew is not None:
            done += f" with {crew['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: slot {slot['id']}).",
            "data": {"slot_id": slot["id"], **self._changes()},
        }

    def move_slot(self, slot_id: str, stage_id: str | None = None, starts_at: DateTime | None = None) -> Result:
        """Move a slot to another stage, another time or both; it must be confirmed again.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            stage_id (str, optional): New stage of the slot; an id such as STAGE-00001. If left out, it stays on
                its stage.
            starts_at (str, optional): New start of the slot, as YYYY-MM-DDTHH:MM. If left out, it keeps its time.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        stage = self.stages.get(stage_id) if stage_id is not None else None
        if stage_id is not None and stage is None:
            return _refused(f"There is no stage {stage_id!r}.")
        if not (self._on(slot) and slot["starts_at"] > self.now):
            return _refused(f"The slot of {self.bands[slot['band_id']]['name']} is {slot['status']}.")
        if stage_id is None and starts_at is None:
            return _refused("Name a stage, a time or both.")
        there = stage or self.stages[slot["stage_id"]]
        then = starts_at if starts_at is not None else slot["starts_at"]
        if then <= self.now:
            return _refused(f"{then} is past.")
        if any(
            s["starts_at"][:10] == then[:10]
            for s in self._slots_by_band.get(slot["band_id"], {}).values()
            if s is not slot
            and self._on(s)
        ):
            return _refused(f"{self.bands[slot['band_id']]['name']} plays on {then[:10]} already.")
        if self._too_late(there, then, slot["minutes"]):
            return _refused(f"{there['name']} must be quiet by {there['curfew']}.")
        other = self._in_the_way(there, then, slot["minutes"], slot)
        if other is not None:
            return _refused(
                f"{there['name']} has {self.bands[other['band_id']]['name']} from {other['starts_at']} and is "
                f"clear at {self._slot_clear_at(other)}."
            )
        twice = self._sharing(self.bands[slot["band_id"]], then, slot["minutes"], slot)
        if twice is not None:
            return _refused(
                f"A musician plays with {self.bands[twice['band_id']]['name']} from {twice['starts_at']} to "
                f"{self._slot_ends_at(twice)} and needs twenty minutes."
            )
        work = next(
            (
                s
                for s in self.slots.values()
                if slot["crew_id"] is not None
                and s is self._crew_busy(self.crews[slot["crew_id"]], there, then, slot["minutes"], slot)
            ),
            None,
        )
        if work is not None:
            return _refused(
                f"The crew serves {self.bands[work['band_id']]['name']} at {work['starts_at']}; give the slot "
                "another crew first."
            )
        if (
            slot["crew_id"] is not None
            and then[:10] != slot["starts_at"][:10]
            and self._crew_load(self.crews[slot["crew_id"]], then[:10]) >= self.crews[slot["crew_id"]]["most_a_day"]
        ):
            return _refused(f"{self.crews[slot['crew_id']]['name']} can take no more that day.")
        self._journal = []
        changed_slots: list[Any] = []
        if slot["status"] == "confirmed":
            if slot["status"] not in ("planned", "confirmed"):
                return self._take_back(f"Slot {slot['id']} cannot go from {slot['status']} to planned.")
            changed_slots.append(slot)
            self._put("slots", slot, "status", "planned")
        self._put("slots", slot, "stage_id", there["id"])
        self._put("slots", slot, "starts_at", then)
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_1(one_slot):
                return self._take_back(RULES[0])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_2(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_3_a(one_slot):
                return self._take_back(RULES[2])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_4(one_slot):
                return self._take_back(RULES[3])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_5_a(one_slot):
                return self._take_back(RULES[4])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_5_b(one_slot):
                return self._take_back(RULES[4])
        for one_slot in _distinct(
            [
                slot,
                *changed_slots,
                *[
                    user
                    for one in [self.crews.get(one["crew_id"]) for one in changed_slots]
                    if one is not None
                    for user in self._slots_by_crew.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.crews.get(slot["crew_id"])]
                    if one is not None
                    for user in self._slots_by_crew.get(slot["crew_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        done = f"move {self.bands[slot['band_id']]['name']}"
        if stage is not None:
            done += f" to {stage['name']}"
        if starts_at is not None:
            done += f" to {starts_at}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_length(self, slot_id: str, minutes: Annotated[int, {"minimum": 15, "maximum": 150}]) -> Result:
        """Give a slot another length; it stays confirmed.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            minutes (int): New playing time in minutes, from 15 to 150.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if not (self._on(slot) and slot["starts_at"] > self.now):
            return _refused(f"The slot of {self.bands[slot['band_id']]['name']} is {slot['status']}.")
        if minutes == slot["minutes"]:
            return _refused(f"It lasts {minutes} minutes already.")
        if self._too_late(self.stages[slot["stage_id"]], slot["starts_at"], minutes):
            return _refused(
                f"{self.stages[slot['stage_id']]['name']} must be quiet by {self.stages[slot['stage_id']]['curfew']}."
            )
        other = self._in_the_way(self.stages[slot["stage_id"]], slot["starts_at"], minutes, slot)
        if other is not None:
            return _refused(
                f"{self.bands[other['band_id']]['name']} begins at {other['starts_at']} and the stage needs "
                f"{self.stages[slot['stage_id']]['changeover']} minutes before."
            )
        twice = self._sharing(self.bands[slot["band_id"]], slot["starts_at"], minutes, slot)
        if twice is not None:
            return _refused(f"A musician plays with {self.bands[twice['band_id']]['name']} at {twice['starts_at']}.")
        work = next(
            (
                s
                for s in self.slots.values()
                if slot["crew_id"] is not None
                and s is self._crew_busy(
                    self.crews[slot["crew_id"]],
                    self.stages[slot["stage_id"]],
                    slot["starts_at"],
                    minutes,
                    slot,
                )
            ),
            None,
        )
        if work is not None:
            return _refused(f"The crew serves {self.bands[work['band_id']]['name']} at {work['starts_at']}.")
        self._journal = []
        self._put("slots", slot, "minutes", minutes)
        if self._breaks_rule_1(slot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(slot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_a(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(slot):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: let {self.bands[slot['band_id']]['name']} play for {minutes} minutes.",
            "data": self._changes(),
        }

    def delay_stage(
        self,
        stage_id: str,
        date: Date,
        minutes: Annotated[int, {"minimum": 5, "maximum": 90}],
        since: Time | None = None,
    ) -> Result:
        """Let everything that has not begun on a stage begin some minutes later on a day, today included, or only
        what begins at some time or later.

        Args:
            stage_id (str): Id of the stage, such as STAGE-00001.
            date (str): Day whose slots begin later, from today on, as YYYY-MM-DD.
            minutes (int): Delay in minutes, from 5 to 90.
            since (str, optional): Time of day from which slots are delayed, as HH:MM. If left out, all slots that
                have not begun are delayed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stage = self.stages.get(stage_id)
        if stage is None:
            return _refused(f"There is no stage {stage_id!r}.")
        if date < self.now[:10]:
            return _refused(f"{date} is past.")
        late = [
            s
            for s in self._running_order(stage, date)
            if s["starts_at"] > self.now
            and (since is None or s["starts_at"][11:] >= since)
        ]
        if len(late) <= 0:
            return _refused(f"Nothing begins on {stage['name']} then.")
        out = next(
            (s for s in late if self._too_late(stage, _plus_minutes(s["starts_at"], minutes), s["minutes"])),
            None,
        )
        if out is not None:
            return _refused(
                f"{self.bands[out['band_id']]['name']} would play until "
                f"{_plus_minutes(self._slot_ends_at(out), minutes)} and {stage['name']} must be quiet by "
                f"{stage['curfew']}; shorten or drop that slot first."
            )
        twice = next(
            (
                s
                for s in late
                for o in _those(
                    self.slots,
                    [_id_of(next((s_2 for p in sorted(self._musicians_by_bands.get(s["band_id"], {}).values(), key=_age) for s_2 in sorted(_distinct([s_2 for key in p["band_ids"] for s_2 in self._slots_by_band.get(key, {}).values()]), key=_age) if s_2["status"] in ("planned", "confirmed") and s_2 is not s and _overlap(s_2["starts_at"], _plus_minutes(_plus_minutes(s_2["starts_at"], s_2["minutes"]), 20), _plus_minutes(s["starts_at"], minutes), _plus_minutes(_plus_minutes(_plus_minutes(s["starts_at"], minutes), s["minutes"]), 20))), None))],
                )
                if o["stage_id"] != stage_id
            ),
            None,
        )
        if twice is not None:
            return _refused(f"A musician of {self.bands[twice['band_id']]['name']} plays elsewhere at that time.")
        work = next(
            (
                s
                for s in late
                for o in self.slots.values()
                if s["crew_id"] is not None
                and o is self._crew_busy(
                    self.crews[s["crew_id"]],
                    stage,
                    _plus_minutes(s["starts_at"], minutes),
                    s["minutes"],
                    s,
                )
                and o not in late
            ),
            None,
        )
        if work is not None:
            return _refused(
                f"The crew of {self.bands[work['band_id']]['name']} is busy elsewhere then; give the slot another "
                "crew first."
            )
        self._journal = []
        changed_slots: list[Any] = []
        for s in list(late):
            changed_slots.append(s)
            self._put("slots", s, "starts_at", _plus_minutes(s["starts_at"], minutes))
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_1(one_slot):
                return self._take_back(RULES[0])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_2(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_3_a(one_slot):
                return self._take_back(RULES[2])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_4(one_slot):
                return self._take_back(RULES[3])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_5_a(one_slot):
                return self._take_back(RULES[4])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_5_b(one_slot):
                return self._take_back(RULES[4])
        for one_slot in _distinct(
            [
                *[
                    user
                    for one in [self.crews.get(one["crew_id"]) for one in changed_slots]
                    if one is not None
                    for user in self._slots_by_crew.get(one["id"], {}).values()
                ],
                *changed_slots,
            ]
        ):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        done = f"delay {stage['name']} on {date} by {minutes} minutes"
        if since is not None:
            done += f" from {since} on"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def close_slot(self, slot_id: str, played: bool = False) -> Result:
        """Take a slot out of the running order because it is dropped or, once it is over, because it was played; only
        then is its backline free.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            played (bool): Whether the confirmed slot is over and was played rather than dropped. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if not self._on(slot):
            return _refused(f"The slot of {self.bands[slot['band_id']]['name']} is {slot['status']} already.")
        if played and slot["status"] != "confirmed":
            return _refused(
                f"The slot of {self.bands[slot['band_id']]['name']} was never confirmed, so it is dropped, not "
                "played."
            )
        if played and self._slot_ends_at(slot) > self.now:
            return _refused(
                f"{self.bands[slot['band_id']]['name']} has not played yet; the slot ends at "
                f"{self._slot_ends_at(slot)}."
            )
        self._journal = []
        status = "played" if played else "dropped"
        if slot["status"] != status and (slot["status"], status) not in SLOT_STATUS_MOVES:
            return self._take_back(f"Slot {slot['id']} cannot go from {slot['status']} to {status}.")
        self._put("slots", slot, "status", status)
        if self._breaks_rule_1(slot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(slot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(slot):
            return self._take_back(RULES[4])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in [self.crews.get(slot["crew_id"])]
                    if one is not None
                    for user in self._slots_by_crew.get(slot["crew_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: close the slot of {self.bands[slot['band_id']]['name']} at {slot['starts_at']}.",
            "data": self._changes(),
        }

    def send_crew(self, slot_id: str, crew_id: str) -> Result:
        """Give a slot a crew, in the place of the one it has.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if not self._on(slot):
            return _refused(f"The slot of {self.bands[slot['band_id']]['name']} is {slot['status']}.")
        if slot["crew_id"] == crew_id:
            return _refused(f"{crew['name']} serves it already.")
        work = self._crew_busy(crew, self.stages[slot["stage_id"]], slot["starts_at"], slot["minutes"], slot)
        if work is not None:
            return _refused(
                f"{crew['name']} serves {self.bands[work['band_id']]['name']} at {work['starts_at']} until "
                f"{self._slot_clear_at(work)}."
            )
        if self._crew_load(crew, slot["starts_at"][:10]) >= crew["most_a_day"]:
            return _refused(f"{crew['name']} serves {crew['most_a_day']} slots that day and can take no more.")
        self._journal = []
        former_crew_id = slot["crew_id"]
        self._put("slots", slot, "crew_id", crew_id)
        if self._breaks_rule_5_a(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(slot):
            return self._take_back(RULES[4])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in [self.crews.get(slot["crew_id"])]
                    if one is not None
                    for user in self._slots_by_crew.get(slot["crew_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.crews.get(former_crew_id)]
                    if one is not None
                    for user in self._slots_by_crew.get(former_crew_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: send {crew['name']} to the slot of {self.bands[slot['band_id']]['name']}.",
            "data": self._changes(),
        }

    def confirm_slot(self, slot_id: str) -> Result:
        """Confirm a slot that has a crew and its backline on the stage.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if slot["status"] != "planned":
            return _refused(f"The slot of {self.bands[slot['band_id']]['name']} is {slot['status']}.")
        if slot["crew_id"] is None:
            return _refused(f"{self.bands[slot['band_id']]['name']} has no crew.")
        if len(self._slot_lacks(slot)) != 0:
            return _refused(
                f"{self.stages[slot['stage_id']]['name']} lacks {', '.join(one for one in self._slot_lacks(slot))}."
            )
        self._journal = []
        self._put("slots", slot, "status", "confirmed")
        if self._breaks_rule_1(slot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(slot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(slot):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(slot):
            return self._take_back(RULES[4])
        for one_slot in _distinct(
            [
                slot,
                *[
                    user
                    for one in [self.crews.get(slot["crew_id"])]
                    if one is not None
                    for user in self._slots_by_crew.get(slot["crew_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: confirm the slot of {self.bands[slot['band_id']]['name']}.",
            "data": self._changes(),
        }

    def carry_gear(self, gear_id: str, stage_id: str | None = None) -> Result:
        """Carry a piece of backline to a stage, or back to the store.

        Args:
            gear_id (str): Id of the gear, such as GEAR-00001.
            stage_id (str, optional): Stage to which the gear is carried; an id such as STAGE-00001. If left out,
                it goes back to the store.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        gear = self.gears.get(gear_id)
        if gear is None:
            return _refused(f"There is no gear {gear_id!r}.")
        stage = self.stages.get(stage_id) if stage_id is not None else None
        if stage_id is not None and stage is None:
            return _refused(f"There is no stage {stage_id!r}.")
        if gear["condition"] != "ready":
            return _refused(f"{gear['label']} is away for repair.")
        if gear["stage_id"] == stage_id:
            return _refused(f"{gear['label']} is there already.")
        slot = next(
            (s for s in self.slots.values() if gear["stage_id"] is not None and s is self._needed(gear)),
            None,
        )
        if slot is not None:
            return _refused(
                f"{self.bands[slot['band_id']]['name']} needs it at {slot['starts_at']} and there is no other; "
                "bring one first."
            )
        self._journal = []
        former_stage_id = gear["stage_id"]
        self._put("gears", gear, "stage_id", stage_id)
        for one_slot in _distinct(
            [
                *[
                    user
                    for one in [self.stages.get(gear["stage_id"])]
                    if one is not None
                    for user in self._slots_by_stage_status.get((gear["stage_id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [self.stages.get(former_stage_id)]
                    if one is not None
                    for user in self._slots_by_stage_status.get((former_stage_id, "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(gear):
            return self._take_back(RULES[7])
        done = f"carry {gear['label']}"
        if stage is not None:
            done += f" to {stage['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def set_gear(self, gear_id: str, works: bool) -> Result:
        """Send a piece of backline away for repair, or take it back into the store when it works again.

        Args:
            gear_id (str): Id of the gear, such as GEAR-00001.
            works (bool): Whether the gear works again rather than going away for repair.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        gear = self.gears.get(gear_id)
        if gear is None:
            return _refused(f"There is no gear {gear_id!r}.")
        if (gear["condition"] == "ready") == works:
            return _refused(f"{gear['label']} is noted like that already.")
        slot = next(
            (
                s
                for s in self.slots.values()
                if not works
                and gear["stage_id"] is not None
                and s is self._needed(gear)
            ),
            None,
        )
        if slot is not None:
            return _refused(
                f"{self.bands[slot['band_id']]['name']} needs it at {slot['starts_at']} and there is no other; "
                "bring one first."
            )
        self._journal = []
        changed_gears: list[Any] = []
        changed_gears_2: list[Any] = []
        former_stage_ids: list[Any] = []
        if works:
            changed_gears.append(gear)
            self._put("gears", gear, "condition", "ready")
        else:
            changed_gears_2.append(gear)
            former_stage_ids.append(gear["stage_id"])
            self._put("gears", gear, "stage_id", None)
            changed_gears.append(gear)
            self._put("gears", gear, "condition", "away")
        for one_slot in _distinct(
            [
                *[
                    user
                    for one in [self.stages.get(one["stage_id"]) for one in changed_gears]
                    if one is not None
                    for user in self._slots_by_stage_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [self.stages.get(one["stage_id"]) for one in changed_gears_2]
                    if one is not None
                    for user in self._slots_by_stage_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [self.stages.get(key) for key in former_stage_ids]
                    if one is not None
                    for user in self._slots_by_stage_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        for one_gear in _distinct([*changed_gears, *changed_gears_2]):
            if self._breaks_rule_8(one_gear):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: note the condition of {gear['label']}.", "data": self._changes()}

    def issue_wristband(self, code: Text, holder: Text, zone_id: str, band_id: str | None = None) -> Result:
        """Issue a wristband for a zone; it opens the zones around it too.

        Args:
            code (str): Code on the wristband, not in use yet.
            holder (str): Full name of the person who wears it.
            zone_id (str): Id of the zone, such as ZONE-00001.
            band_id (str, optional): Band the holder belongs to; an id such as BAND-00001. If left out, the
                wristband belongs to no band.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        band = self.bands.get(band_id) if band_id is not None else None
        if band_id is not None and band is None:
            return _refused(f"There is no band {band_id!r}.")
        if self._wristbands_by_code.get(code, {}):
            return _refused(f"{code} was issued before.")
        if any(not w["blocked"] for w in self._wristbands_by_lower_holder.get(holder.lower(), {}).values()):
            return _refused(f"{holder} has a valid wristband; block it first.")
        z = self._full(zone, None)
        if z is not None:
            return _refused(f"{z['name']} has room for {z['room_for']} and is full.")
        self._journal = []
        wristband: Wristband = {
            "id": self._new_id("wristband", "WRISTBAND", self.wristbands),
            "code": code,
            "holder": holder,
            "band_id": band_id,
            "zone_id": zone_id,
            "blocked": False,
        }
        self._add("wristbands", wristband)
        if len(self._wristbands_by_code.get(wristband["code"], {})) > 1:
            return self._take_back(f"There is already a wristband with the code {wristband['code']!r}.")
        for one_zone in _distinct(
            [self.zones[wristband["zone_id"]], *_above(self.zones, self.zones[wristband["zone_id"]], "within_id")]
        ):
            if self._breaks_rule_9(one_zone):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(wristband):
            return self._take_back(RULES[9])
        done = f"issue {code} to {holder} for {zone['name']}"
        if band is not None:
            done += f" with {band['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: wristband {wristband['id']}).",
            "data": {"wristband_id": wristband["id"], **self._changes()},
        }

    def change_zone(self, wristband_id: str, zone_id: str) -> Result:
        """Let a wristband open another zone.

        Args:
            wristband_id (str): Id of the wristband, such as WRISTBAND-00001.
            zone_id (str): Id of the zone, such as ZONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wristband = self.wristbands.get(wristband_id)
        if wristband is None:
            return _refused(f"There is no wristband {wristband_id!r}.")
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if wristband["blocked"]:
            return _refused(f"{wristband['code']} is blocked.")
        if zone_id == wristband["zone_id"]:
            return _refused(f"{wristband['code']} is for {zone['name']} already.")
        z = self._full(zone, self.zones[wristband["zone_id"]])
        if z is not None:
            return _refused(f"{z['name']} has room for {z['room_for']} and is full.")
        self._journal = []
        former_zone_id = wristband["zone_id"]
        self._put("wristbands", wristband, "zone_id", zone_id)
        for one_zone in _distinct(
            [
                self.zones[wristband["zone_id"]],
                self.zones[former_zone_id],
                *_above(self.zones, self.zones[wristband["zone_id"]], "within_id"),
                *_above(self.zones, self.zones[former_zone_id], "within_id"),
            ]
        ):
            if self._breaks_rule_9(one_zone):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: change {wristband['holder']} to {zone['name']}.",
            "data": self._changes(),
        }

    def block_wristband(self, wristband_id: str) -> Result:
        """Block a wristband for good.

        Args:
            wristband_id (str): Id of the wristband, such as WRISTBAND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wristband = self.wristbands.get(wristband_id)
        if wristband is None:
            return _refused(f"There is no wristband {wristband_id!r}.")
        if wristband["blocked"]:
            return _refused(f"{wristband['code']} is blocked already.")
        self._journal = []
        self._put("wristbands", wristband, "blocked", True)
        for one_zone in _distinct(
            [self.zones[wristband["zone_id"]], *_above(self.zones, self.zones[wristband["zone_id"]], "within_id")]
        ):
            if self._breaks_rule_9(one_zone):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(wristband):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: block {wristband['holder']}.", "data": self._changes()}

    def _show_zone(self, zone: Zone) -> dict[str, Any]:
        """The zone as an answer shows it."""
        return {**zone, "inside": self._zone_inside(zone)}

    def _show_band(self, band: Band) -> dict[str, Any]:
        """The band as an answer shows it."""
        return {**band, "needs": [*band["needs"]]}

    def _show_musician(self, musician: Musician) -> dict[str, Any]:
        """The musician as an answer shows it."""
        return {**musician, "band_ids": [*musician["band_ids"]]}

    def _show_slot(self, slot: Slot) -> dict[str, Any]:
        """The slot as an answer shows it."""
        return {
            **slot,
            "ends_at": self._slot_ends_at(slot),
            "clear_at": self._slot_clear_at(slot),
            "lacks": self._slot_lacks(slot),
        }

    def _names_of_zones(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that zones point to."""
        return _names((self.zones, "name", [row["within_id"] for row in shown]))

    def _names_of_musicians(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that musicians point to."""
        return _names((self.bands, "name", [each for row in shown for each in row["band_ids"]]))

    def _names_of_gears(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that gears point to."""
        return _names((self.stages, "name", [row["stage_id"] for row in shown]))

    def _names_of_slots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that slots point to."""
        return _names(
            (self.bands, "name", [row["band_id"] for row in shown]),
            (self.stages, "name", [row["stage_id"] for row in shown]),
            (self.crews, "name", [row["crew_id"] for row in shown]),
        )

    def _names_of_wristbands(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that wristbands point to."""
        return _names(
            (self.bands, "name", [row["band_id"] for row in shown]),
            (self.zones, "name", [row["zone_id"] for row in shown]),
        )

    def _zone_inside(self, zone: Zone) -> int:
        """The inside of a zone."""
        return sum(
            1
            for w in _distinct(
                [
                    w
                    for key in [zone["id"], *[record["id"] for record in _below(self._zones_by_within, zone)]]
                    for w in self._wristbands_by_zone.get(key, {}).values()
                ]
            )
            if not w["blocked"]
        )

    def _slot_ends_at(self, slot: Slot) -> str:
        """The ends at of a slot."""
        return _plus_minutes(slot["starts_at"], slot["minutes"])

    def _slot_clear_at(self, slot: Slot) -> str:
        """The clear at of a slot."""
        return _plus_minutes(
            _plus_minutes(slot["starts_at"], slot["minutes"]),
            self.stages[slot["stage_id"]]["changeover"],
        )

    def _slot_lacks(self, slot: Slot) -> list[str]:
        """The lacks of a slot."""
        return [
            k
            for k in self.bands[slot["band_id"]]["needs"]
            if not self._gears_by_kind_stage_condition.get((k, slot["stage_id"], "ready"), {})
        ]

    def _on(self, s: Slot) -> bool:
        return s["status"] in ("planned", "confirmed")

    def _running_order(self, g: Stage, d: str) -> list[Slot]:
        return [
            s
            for s in sorted(self._slots_by_stage.get(g["id"], {}).values(), key=_age)
            if self._on(s)
            and s["starts_at"][:10] == d
        ]

    def _in_the_way(self, g: Stage, a: str, m: int, own: Slot | None) -> Slot | None:
        return next(
            (
                s
                for s in sorted(self._slots_by_stage.get(g["id"], {}).values(), key=_age)
                if self._on(s)
                and s is not own
                and _overlap(
                    s["starts_at"],
                    self._slot_clear_at(s),
                    a,
                    _plus_minutes(_plus_minutes(a, m), g["changeover"]),
                )
            ),
            None,
        )

    def _too_late(self, g: Stage, a: str, m: int) -> bool:
        return _plus_minutes(a, m)[:10] != a[:10] or _plus_minutes(a, m)[11:] > g["curfew"]

    def _sharing(self, b: Band, a: str, m: int, own: Slot | None) -> Slot | None:
        return next(
            (
                s
                for p in sorted(self._musicians_by_bands.get(b["id"], {}).values(), key=_age)
                for s in sorted(
                    _distinct([s for key in p["band_ids"] for s in self._slots_by_band.get(key, {}).values()]),
                    key=_age,
                )
                if self._on(s)
                and s is not own
                and _overlap(
                    s["starts_at"],
                    _plus_minutes(self._slot_ends_at(s), 20),
                    a,
                    _plus_minutes(_plus_minutes(a, m), 20),
                )
            ),
            None,
        )

    def _crew_busy(self, c: Crew, g: Stage, a: str, m: int, own: Slot | None) -> Slot | None:
        return next(
            (
                s
                for s in sorted(self._slots_by_crew.get(c["id"], {}).values(), key=_age)
                if self._on(s)
                and s is not own
                and _overlap(
                    s["starts_at"],
                    self._slot_clear_at(s),
                    a,
                    _plus_minutes(_plus_minutes(a, m), g["changeover"]),
                )
            ),
            None,
        )

    def _crew_load(self, c: Crew, d: str) -> int:
        return sum(
            1
            for s in self._slots_by_crew.get(c["id"], {}).values()
            if self._on(s)
            and s["starts_at"][:10] == d
        )

    def _full(self, z: Zone, old: Zone | None) -> Zone | None:
        return next(
            (
                x
                for x in [z] + _above(self.zones, z, "within_id")
                if self._zone_inside(x) >= x["room_for"]
                and (old is None or x is not old and x not in _above(self.zones, old, "within_id"))
            ),
            None,
        )

    def _needed(self, g: Gear) -> Slot | None:
        return next(
            (
                s
                for s in sorted(self._slots_by_stage_status.get((g["stage_id"], "confirmed"), {}).values(), key=_age)
                if g["kind"] in self.bands[s["band_id"]]["needs"]
                and not any(
                    o is not g
                    for o in self._gears_by_kind_stage_condition.get((g["kind"], g["stage_id"], "ready"), {}).values()
                )
            ),
            None,
        )

    def _breaks_rule_1(self, a: Slot) -> bool:
        """Whether this is broken: a stage has one band at a time, and its changeover before the next."""
        return (
            self._on(a)
            and any(
                _overlap(a["starts_at"], self._slot_clear_at(a), b["starts_at"], self._slot_clear_at(b))
                for b in self._slots_by_stage.get(a["stage_id"], {}).values()
                if a is not b
                and self._on(b)
            )
        )

    def _breaks_rule_2(self, s: Slot) -> bool:
        """Whether this is broken: every slot ends by the curfew of its stage, on the day on which it begins."""
        return self._on(s) and self._too_late(self.stages[s["stage_id"]], s["starts_at"], s["minutes"])

    def _breaks_rule_3_a(self, a: Slot) -> bool:
        """Whether this is broken: a musician has twenty minutes between two slots."""
        return (
            self._on(a)
            and any(
                _overlap(
                    a["starts_at"],
                    _plus_minutes(self._slot_ends_at(a), 20),
                    b["starts_at"],
                    _plus_minutes(self._slot_ends_at(b), 20),
                )
                for p in self._musicians_by_bands.get(a["band_id"], {}).values()
                for b in _distinct([b for key in p["band_ids"] for b in self._slots_by_band.get(key, {}).values()])
                if a is not b
                and self._on(b)
            )
        )

    def _breaks_rule_4(self, s: Slot) -> bool:
        """Whether this is broken: a band plays once a day."""
        return (
            self._on(s)
            and any(
                other_s is not s
                for other_s in self._slots_by_band.get(s["band_id"], {}).values()
                if other_s["starts_at"][:10] == s["starts_at"][:10]
                and self._on(other_s)
            )
        )

    def _breaks_rule_5_a(self, a: Slot) -> bool:
        """Whether this is broken: a crew serves one slot at a time, with the changeover after it."""
        return (
            a["crew_id"] is not None
            and self._on(a)
            and any(
                _overlap(a["starts_at"], self._slot_clear_at(a), b["starts_at"], self._slot_clear_at(b))
                for b in self._slots_by_crew.get(a["crew_id"], {}).values()
                if a is not b
                and self._on(b)
            )
        )

    def _breaks_rule_5_b(self, b: Slot) -> bool:
        """Whether this is broken: a crew serves one slot at a time, with the changeover after it."""
        return (
            self._on(b)
            and any(
                _overlap(a["starts_at"], self._slot_clear_at(a), b["starts_at"], self._slot_clear_at(b))
                for a in self._slots_by_crew.get(b["crew_id"], {}).values()
                if a is not b
                and a["crew_id"] is not None
                and self._on(a)
            )
        )

    def _breaks_rule_6(self, s: Slot) -> bool:
        """Whether this is broken: a crew serves no more slots on a day than agreed."""
        return (
            self._on(s)
            and (
                s["crew_id"] is not None
                and sum(
                    1
                    for t in self._slots_by_crew.get(s["crew_id"], {}).values()
                    if self._on(t)
                    and t["starts_at"][:10] == s["starts_at"][:10]
                ) > self.crews[s["crew_id"]]["most_a_day"]
            )
        )

    def _breaks_rule_7(self, s: Slot) -> bool:
        """Whether this is broken: a confirmed slot has a crew and all the backline it needs on its stage."""
        return s["status"] == "confirmed" and (s["crew_id"] is None or len(self._slot_lacks(s)) != 0)

    def _breaks_rule_8(self, g: Gear) -> bool:
        """Whether this is broken: gear that is away for repair stands on no stage."""
        return g["condition"] != "ready" and g["stage_id"] is not None

    def _breaks_rule_9(self, z: Zone) -> bool:
        """Whether this is broken: no zone lets in more wristbands than it has room for."""
        return self._zone_inside(z) > z["room_for"]

    def _breaks_rule_10(self, w: Wristband) -> bool:
        """Whether this is broken: nobody wears two valid wristbands."""
        return (
            not w["blocked"]
            and any(
                other_w is not w
                for other_w in self._wristbands_by_lower_holder.get(w["holder"].lower(), {}).values()
                if not other_w["blocked"]
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
            case "zones":
                self._zones_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "musicians":
                for key in record["band_ids"]:
                    self._musicians_by_bands.setdefault(key, {})[record["id"]] = record
            case "gears":
                self._gears_by_kind_stage_condition.setdefault(
                    (record["kind"], record["stage_id"], record["condition"]),
                    {},
                )[record["id"]] = record
            case "slots":
                self._slots_by_band.setdefault(record["band_id"], {})[record["id"]] = record
                self._slots_by_crew.setdefault(record["crew_id"], {})[record["id"]] = record
                self._slots_by_stage.setdefault(record["stage_id"], {})[record["id"]] = record
                self._slots_by_stage_status.setdefault((record["stage_id"], record["status"]), {})[record["id"]] = record
            case "wristbands":
                self._wristbands_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._wristbands_by_lower_holder.setdefault(record["holder"].lower(), {})[record["id"]] = record
                self._wristbands_by_zone.setdefault(record["zone_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "zones":
                del self._zones_by_within[record["within_id"]][record["id"]]
            case "musicians":
                for key in record["band_ids"]:
                    self._musicians_by_bands[key].pop(record["id"], None)
            case "gears":
                del self._gears_by_kind_stage_condition[
                    record["kind"],
                    record["stage_id"],
                    record["condition"],
                ][record["id"]]
            case "slots":
                del self._slots_by_band[record["band_id"]][record["id"]]
                del self._slots_by_crew[record["crew_id"]][record["id"]]
                del self._slots_by_stage[record["stage_id"]][record["id"]]
                del self._slots_by_stage_status[record["stage_id"], record["status"]][record["id"]]
            case "wristbands":
                del self._wristbands_by_code[record["code"]][record["id"]]
                del self._wristbands_by_lower_holder[record["holder"].lower()][record["id"]]
                del self._wristbands_by_zone[record["zone_id"]][record["id"]]
