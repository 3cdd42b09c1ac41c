"""Music school. Compiled from blueprint.yaml; run `envscaler build music_school` after changing it there.

Runs the weekly lessons of a music school, lends its instruments, fills the chairs of its ensembles and puts
recital programmes together to the minute.
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
    "A teacher gives one lesson at a time.",
    "A pupil has one weekly lesson, with somebody who teaches the instrument.",
    "Nobody teaches more minutes a week than agreed, and a lesson lasts 20 to 60 minutes.",
    "A lesson never falls into a rehearsal of the pupil.",
    "Exactly the lent instruments have a holder and a last day, and nobody holds two.",
    "Instruments are lent to pupils who play and are taught that instrument.",
    "A chair is taken by a pupil who is taught its instrument and has reached its level.",
    "A pupil has one chair in an ensemble and sits in two ensembles at most.",
    "A programme, with two minutes for the change after each piece, is not longer than the recital.",
    "The pieces of a programme are numbered from one without gaps.",
    "A piece is played by one pupil or by one ensemble, each once in a programme.",
    "A room has one lesson at a time.",
    "A soloist who plays an instrument of the school has it until the recital at least.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_series",
    "move_series",
    "end_series",
    "lend_instrument",
    "extend_loan",
    "return_instrument",
    "finish_repair",
    "fill_chair",
    "vacate_chair",
    "add_piece",
    "drop_piece",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "teachers": ("name",),
    "pupils": ("name",),
    "instruments": ("tag",),
    "series": (),
    "ensembles": ("name",),
    "chairs": (),
    "recitals": ("title",),
    "items": ("title",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("chairs", "ensemble_id"),
    ("chairs", "pupil_id"),
    ("instruments", "holder_id"),
    ("instruments", "status"),
    ("items", "ensemble_id"),
    ("items", "pupil_id"),
    ("items", "recital_id"),
    ("series", "on_day"),
    ("series", "pupil_id"),
    ("series", "room"),
    ("series", "status"),
    ("series", "teacher_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Teacher(TypedDict):
    id: str
    name: str
    teaches: list[Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"]]
    weekly_minutes: int


class Pupil(TypedDict):
    id: str
    name: str
    born: str
    plays: Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"]
    level: int


class Instrument(TypedDict):
    id: str
    tag: str
    kind: Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"]
    from_age: int
    holder_id: str | None
    due: str | None
    status: Literal["store", "lent", "repair"]


class Series(TypedDict):
    id: str
    pupil_id: str
    teacher_id: str
    on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    starts: str
    ends: str
    room: Literal["room_1", "room_2", "room_3", "hall"] | None
    status: Literal["running", "ended"]


class Ensemble(TypedDict):
    id: str
    name: str
    on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    starts: str
    ends: str


class Chair(TypedDict):
    id: str
    ensemble_id: str
    kind: Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"]
    min_level: int
    pupil_id: str | None


class Recital(TypedDict):
    id: str
    title: str
    held_on: str
    limit: int


class Item(TypedDict):
    id: str
    recital_id: str
    position: int
    title: str
    minutes: int
    pupil_id: str | None
    ensemble_id: str | None


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


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class MusicSchool:
    """Runs the weekly lessons of a music school, lends its instruments, fills the chairs of its ensembles
    and puts recital programmes together to the minute.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teachers: dict[str, Teacher] = _copied(config.get("teachers", {}))
        self.pupils: dict[str, Pupil] = _copied(config.get("pupils", {}))
        self.instruments: dict[str, Instrument] = _copied(config.get("instruments", {}))
        self.series: dict[str, Series] = _copied(config.get("series", {}))
        self.ensembles: dict[str, Ensemble] = _copied(config.get("ensembles", {}))
        self.chairs: dict[str, Chair] = _copied(config.get("chairs", {}))
        self.recitals: dict[str, Recital] = _copied(config.get("recitals", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.now: str = config.get("now", "2026-02-02T13:00")
        self.counters: dict[str, int] = {
            "teacher": len(self.teachers),
            "pupil": len(self.pupils),
            "instrument": len(self.instruments),
            "series": len(self.series),
            "ensemble": len(self.ensembles),
            "chair": len(self.chairs),
            "recital": len(self.recitals),
            "item": len(self.items),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._instruments_by_holder: dict[Any, dict[str, Instrument]] = {}
        self._instruments_by_holder_status: dict[Any, dict[str, Instrument]] = {}
        self._series_by_on_day_room_status: dict[Any, dict[str, Series]] = {}
        self._series_by_pupil: dict[Any, dict[str, Series]] = {}
        self._series_by_pupil_on_day_status: dict[Any, dict[str, Series]] = {}
        self._series_by_pupil_status: dict[Any, dict[str, Series]] = {}
        self._series_by_status: dict[Any, dict[str, Series]] = {}
        self._series_by_teacher_on_day_status: dict[Any, dict[str, Series]] = {}
        self._series_by_teacher_status: dict[Any, dict[str, Series]] = {}
        self._chairs_by_ensemble: dict[Any, dict[str, Chair]] = {}
        self._chairs_by_ensemble_pupil: dict[Any, dict[str, Chair]] = {}
        self._chairs_by_pupil: dict[Any, dict[str, Chair]] = {}
        self._items_by_ensemble: dict[Any, dict[str, Item]] = {}
        self._items_by_pupil: dict[Any, dict[str, Item]] = {}
        self._items_by_recital: dict[Any, dict[str, Item]] = {}
        self._items_by_recital_pupil_ensemble: dict[Any, dict[str, Item]] = {}
        for instrument in self.instruments.values():
            self._link("instruments", instrument)
        for series in self.series.values():
            self._link("series", series)
        for chair in self.chairs.values():
            self._link("chairs", chair)
        for item in self.items.values():
            self._link("items", item)

    def suitable_instruments(
        self,
        pupil_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Instruments in the store that are right for a pupil, the largest first.

        Args:
            pupil_id (str): Id of the pupil, such as PUPIL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instruments": records}} or {"success": False, "error":
                why not}
        """
        pupil = self.pupils.get(pupil_id)
        if pupil is None:
            return _refused(f"There is no pupil {pupil_id!r}.")
        found = [
            x
            for x in self.instruments.values()
            if (x["status"] == "store" and self._right_for(x, pupil, self.now[:10]))
        ]
        found.sort(key=lambda x: (-x["from_age"], x["tag"], _age(x)))
        return _found(
            {
                "total": len(found),
                "instruments": [
                    {"id": x["id"], "tag": x["tag"], "from_age": x["from_age"]}
                    for x in _page(found, offset)
                ],
            }
        )

    def programme(self, recital_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The pieces of a recital in order, and the minutes that are left.

        Args:
            recital_id (str): Id of the recital, such as RECITAL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        recital = self.recitals.get(recital_id)
        if recital is None:
            return _refused(f"There is no recital {recital_id!r}.")
        found = [i for i in self._items_by_recital.get(recital_id, {}).values()]
        found.sort(key=lambda i: (i["position"], _age(i)))
        return _found(
            {
                "total": len(found),
                "items": [
                    {
                        "id": i["id"],
                        "position": i["position"],
                        "title": i["title"],
                        "minutes": i["minutes"],
                        "left_in_all": recital["limit"] - self._recital_used(recital),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def candidates(self, chair_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Pupils who could take a chair, the highest level first, and whether a lesson is in the way.

        Args:
            chair_id (str): Id of the chair, such as CHAIR-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pupils": records}} or {"success": False, "error": why
                not}
        """
        chair = self.chairs.get(chair_id)
        if chair is None:
            return _refused(f"There is no chair {chair_id!r}.")
        found = [p for p in self.pupils.values() if self._may_sit(p, chair)]
        found.sort(key=lambda p: (-p["level"], p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "pupils": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "level": p["level"],
                        "lesson_in_the_way": self._lesson_clash(p, self.ensembles[chair["ensemble_id"]]) is not None,
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_teachers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teachers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teachers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teachers": records}}
        """
        found = [
            teacher
            for teacher in self.teachers.values()
            if (name is None or name.casefold() in teacher["name"].casefold())
        ]
        return _found(
            {"total": len(found), "teachers": [self._show_teacher(teacher) for teacher in _page(found, offset)]}
        )

    def list_pupils(
        self,
        name: Text | None = None,
        plays: Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pupils, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pupils whose name contains this text.
            plays (str, optional): Only pupils whose `plays` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pupils": records}}
        """
        found = [
            pupil
            for pupil in self.pupils.values()
            if (name is None or name.casefold() in pupil["name"].casefold())
            and (plays is None or pupil["plays"] == plays)
        ]
        return _found({"total": len(found), "pupils": [{**pupil} for pupil in _page(found, offset)]})

    def list_instruments(
        self,
        tag: Text | None = None,
        kind: Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"] | None = None,
        holder_id: str | None = None,
        status: Literal["store", "lent", "repair"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instruments, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only instruments whose tag contains this text.
            kind (str, optional): Only instruments with this kind.
            holder_id (str, optional): Only instruments whose holder is this pupil.
            status (str, optional): Only instruments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instruments": records}}
        """
        if holder_id is not None and holder_id not in self.pupils:
            return _refused(f"There is no pupil {holder_id!r}.")
        found = [
            instrument
            for instrument in self.instruments.values()
            if (tag is None or tag.casefold() in instrument["tag"].casefold())
            and (kind is None or instrument["kind"] == kind)
            and (holder_id is None or instrument["holder_id"] == holder_id)
            and (status is None or instrument["status"] == status)
        ]
        shown = [{**instrument} for instrument in _page(found, offset)]
        return _found({"total": len(found), "instruments": shown}, self._names_of_instruments(shown))

    def list_series(
        self,
        pupil_id: str | None = None,
        teacher_id: str | None = None,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None = None,
        room: Literal["room_1", "room_2", "room_3", "hall"] | None = None,
        status: Literal["running", "ended"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the series, oldest first, all of them or only some.

        Args:
            pupil_id (str, optional): Only series of this pupil.
            teacher_id (str, optional): Only series of this teacher.
            on_day (str, optional): Only series with this on day.
            room (str, optional): Only series with this room.
            status (str, optional): Only series with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "series": records}}
        """
        if pupil_id is not None and pupil_id not in self.pupils:
            return _refused(f"There is no pupil {pupil_id!r}.")
        if teacher_id is not None and teacher_id not in self.teachers:
            return _refused(f"There is no teacher {teacher_id!r}.")
        found = [
            series
            for series in self.series.values()
            if (pupil_id is None or series["pupil_id"] == pupil_id)
            and (teacher_id is None or series["teacher_id"] == teacher_id)
            and (on_day is None or series["on_day"] == on_day)
            and (room is None or series["room"] == room)
            and (status is None or series["status"] == status)
        ]
        shown = [{**series} for series in _page(found, offset)]
        return _found({"total": len(found), "series": shown}, self._names_of_series(shown))

    def list_ensembles(
        self,
        name: Text | None = None,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ensembles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only ensembles whose name contains this text.
            on_day (str, optional): Only ensembles with this on day.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ensembles": records}}
        """
        found = [
            ensemble
            for ensemble in self.ensembles.values()
            if (name is None or name.casefold() in ensemble["name"].casefold())
            and (on_day is None or ensemble["on_day"] == on_day)
        ]
        return _found(
            {"total": len(found), "ensembles": [self._show_ensemble(ensemble) for ensemble in _page(found, offset)]}
        )

    def list_chairs(
        self,
        ensemble_id: str | None = None,
        kind: Literal["violin", "cello", "flute", "clarinet", "trumpet", "guitar", "piano"] | None = None,
        pupil_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the chairs, oldest first, all of them or only some.

        Args:
            ensemble_id (str, optional): Only chairs of this ensemble.
            kind (str, optional): Only chairs with this kind.
            pupil_id (str, optional): Only chairs of this pupil.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chairs": records}}
        """
        if ensemble_id is not None and ensemble_id not in self.ensembles:
            return _refused(f"There is no ensemble {ensemble_id!r}.")
        if pupil_id is not None and pupil_id not in self.pupils:
            return _refused(f"There is no pupil {pupil_id!r}.")
        found = [
            chair
            for chair in self.chairs.values()
            if (ensemble_id is None or chair["ensemble_id"] == ensemble_id)
            and (kind is None or chair["kind"] == kind)
            and (pupil_id is None or chair["pupil_id"] == pupil_id)
        ]
        shown = [{**chair} for chair in _page(found, offset)]
        return _found({"total": len(found), "chairs": shown}, self._names_of_chairs(shown))

    def list_recitals(
        self,
        title: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recitals, oldest first, all of them or only some.

        Args:
            title (str, optional): Only recitals whose title contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recitals": records}}
        """
        found = [
            recital
            for recital in self.recitals.values()
            if (title is None or title.casefold() in recital["title"].casefold())
        ]
        return _found(
            {"total": len(found), "recitals": [self._show_recital(recital) for recital in _page(found, offset)]}
        )

    def list_items(
        self,
        title: Text | None = None,
        recital_id: str | None = None,
        pupil_id: str | None = None,
        ensemble_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            title (str, optional): Only items whose title contains this text.
            recital_id (str, optional): Only items of this recital.
            pupil_id (str, optional): Only items of this pupil.
            ensemble_id (str, optional): Only items of this ensemble.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if recital_id is not None and recital_id not in self.recitals:
            return _refused(f"There is no recital {recital_id!r}.")
        if pupil_id is not None and pupil_id not in self.pupils:
            return _refused(f"There is no pupil {pupil_id!r}.")
        if ensemble_id is not None and ensemble_id not in self.ensembles:
            return _refused(f"There is no ensemble {ensemble_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (title is None or title.casefold() in item["title"].casefold())
            and (recital_id is None or item["recital_id"] == recital_id)
            and (pupil_id is None or item["pupil_id"] == pupil_id)
            and (ensemble_id is None or item["ensemble_id"] == ensemble_id)
        ]
        shown = [{**item} for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_series(
        self,
        pupil_id: str,
        teacher_id: str,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
        starts: Time,
        ends: Time,
        room: Literal["room_1", "room_2", "room_3", "hall"] | None = None,
    ) -> Result:
        """Start the weekly lesson of a pupil with a teacher, in a room of the school or, where none is named,
        elsewhere.

        Args:
            pupil_id (str): Id of the pupil, such as PUPIL-00001.
            teacher_id (str): Id of the teacher, such as TEACHER-00001.
            on_day (str): Day of the week of the lesson: Monday, Tuesday, Wednesday, Thursday or Friday.
            starts (str): Time at which the lesson begins, as HH:MM.
            ends (str): Time at which the lesson ends, 20 to 60 minutes later, as HH:MM.
            room (str, optional): Room of the school for the lesson: room_1, room_2, room_3 or hall. If left out,
                it takes place elsewhere.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pupil = self.pupils.get(pupil_id)
        if pupil is None:
            return _refused(f"There is no pupil {pupil_id!r}.")
        teacher = self.teachers.get(teacher_id)
        if teacher is None:
            return _refused(f"There is no teacher {teacher_id!r}.")
        own = self._lessons_of(pupil)
        if own is not None:
            return _refused(
                f"{pupil['name']} has lessons with {self.teachers[own['teacher_id']]['name']} on {own['on_day']}."
            )
        if pupil["plays"] not in teacher["teaches"]:
            return _refused(f"{teacher['name']} does not teach the {pupil['plays']}.")
        if not (
            starts < ends
            and (
                20 <= _clock_minutes(ends) - _clock_minutes(starts)
                and _clock_minutes(ends) - _clock_minutes(starts) <= 60
            )
        ):
            return _refused("A lesson lasts 20 to 60 minutes.")
        if _clock_minutes(ends) - _clock_minutes(starts) > self._teacher_free_minutes(teacher):
            return _refused(f"{teacher['name']} has {self._teacher_free_minutes(teacher)} minutes a week left.")
        other = self._teacher_clash(teacher, on_day, starts, ends)
        if other is not None:
            return _refused(
                f"{teacher['name']} teaches {self.pupils[other['pupil_id']]['name']} on {on_day} from "
                f"{other['starts']} to {other['ends']}."
            )
        there = self._in_room(room, on_day, starts, ends, None)
        if there is not None:
            return _refused(
                f"{self.teachers[there['teacher_id']]['name']} teaches in that room on {on_day} from "
                f"{there['starts']} to {there['ends']}."
            )
        self._journal = []
        series: Series = {
            "id": self._new_id("series", "SERIES", self.series),
            "pupil_id": pupil_id,
            "teacher_id": teacher_id,
            "on_day": on_day,
            "starts": starts,
            "ends": ends,
            "room": room,
            "status": "running",
        }
        self._add("series", series)
        if self._breaks_rule_1(series):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(series):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_s_again(series):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_t(self.teachers[series["teacher_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_s(series):
            return self._take_back(RULES[2])
        for one_chair in _distinct(self._chairs_by_pupil.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_4(one_chair):
                return self._take_back(RULES[3])
        for one_instrument in _distinct(self._instruments_by_holder.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_6(one_instrument):
                return self._take_back(RULES[5])
        for one_chair in _distinct(self._chairs_by_pupil.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_7(one_chair):
                return self._take_back(RULES[6])
        if self._breaks_rule_12_a(series):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_b(series):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: start lessons of {pupil['name']} with {teacher['name']} on {on_day} at {starts} (new: "
                f"series {series['id']})."
            ),
            "data": {"series_id": series["id"], **self._changes()},
        }

    def move_series(
        self,
        series_id: str,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None = None,
        starts: Time | None = None,
        ends: Time | None = None,
        teacher_id: str | None = None,
        room: Literal["room_1", "room_2", "room_3", "hall"] | None = None,
    ) -> Result:
        """Move a weekly lesson to another time, room or teacher; what is not named stays.

        Args:
            series_id (str): Id of the series, such as SERIES-00001.
            on_day (str, optional): New day of the week: Monday, Tuesday, Wednesday, Thursday or Friday. If left
                out, the day stays the same.
            starts (str, optional): New time at which the lesson begins, as HH:MM. If left out, it begins at the
                same time as now.
            ends (str, optional): New time at which the lesson ends, 20 to 60 minutes after it begins, as HH:MM. If
                left out, it ends at the same time as now.
            teacher_id (str, optional): Teacher who takes the lessons over; an id such as TEACHER-00001. If left
                out, the teacher stays the same.
            room (str, optional): Other room of the school: room_1, room_2, room_3 or hall. If left out, the room
                stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        series = self.series.get(series_id)
        if series is None:
            return _refused(f"There is no series {series_id!r}.")
        teacher = self.teachers.get(teacher_id) if teacher_id is not None else None
        if teacher_id is not None and teacher is None:
            return _refused(f"There is no teacher {teacher_id!r}.")
        if series["status"] != "running":
            return _refused(f"The lessons of {self.pupils[series['pupil_id']]['name']} have ended.")
        to_room = room if room is not None else series["room"]
        to_day = on_day if on_day is not None else series["on_day"]
        begins = starts if starts is not None else series["starts"]
        finishes = ends if ends is not None else series["ends"]
        by = teacher or self.teachers[series["teacher_id"]]
        if (
            to_day == series["on_day"]
            and begins == series["starts"]
            and finishes == series["ends"]
            and by["id"] == series["teacher_id"]
            and to_room == series["room"]
        ):
            return _refused("The lesson is like that already.")
        if not (
            begins < finishes
            and (
                20 <= _clock_minutes(finishes) - _clock_minutes(begins)
                and _clock_minutes(finishes) - _clock_minutes(begins) <= 60
            )
        ):
            return _refused("A lesson lasts 20 to 60 minutes, so name both its beginning and its end.")
        if self.pupils[series["pupil_id"]]["plays"] not in by["teaches"]:
            return _refused(f"{by['name']} does not teach the {self.pupils[series['pupil_id']]['plays']}.")
        if (
            _clock_minutes(finishes)
            - _clock_minutes(begins) > self._teacher_free_minutes(by)
            + (
                _clock_minutes(series["ends"]) - _clock_minutes(series["starts"])
                if by["id"] == series["teacher_id"]
                else 0
            )
        ):
            return _refused(f"{by['name']} has {self._teacher_free_minutes(by)} minutes a week left.")
        other = next(
            (
                s
                for s in sorted(
                    self._series_by_teacher_on_day_status.get((by["id"], to_day, "running"), {}).values(),
                    key=_age,
                )
                if s is not series
                and _overlap(s["starts"], s["ends"], begins, finishes)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{by['name']} teaches {self.pupils[other['pupil_id']]['name']} on {to_day} from "
                f"{other['starts']} to {other['ends']}."
            )
        group = self._rehearsal_clash(self.pupils[series["pupil_id"]], to_day, begins, finishes)
        if group is not None:
            return _refused(f"{self.pupils[series['pupil_id']]['name']} rehearses with {group['name']} at that time.")
        there = self._in_room(to_room, to_day, begins, finishes, series)
        if there is not None:
            return _refused(
                f"{self.teachers[there['teacher_id']]['name']} teaches in that room on {to_day} from "
                f"{there['starts']} to {there['ends']}, so name another room."
            )
        self._journal = []
        self._put("series", series, "room", to_room)
        self._put("series", series, "on_day", to_day)
        self._put("series", series, "starts", begins)
        self._put("series", series, "ends", finishes)
        former_teacher_id = series["teacher_id"]
        self._put("series", series, "teacher_id", by["id"])
        if self._breaks_rule_1(series):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s_again(series):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_t(self.teachers[series["teacher_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_t(self.teachers[former_teacher_id]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_s(series):
            return self._take_back(RULES[2])
        for one_chair in _distinct(self._chairs_by_pupil.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_4(one_chair):
                return self._take_back(RULES[3])
        if self._breaks_rule_12_a(series):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_b(series):
            return self._take_back(RULES[11])
        done = f"move the lessons of {self.pupils[series['pupil_id']]['name']}"
        if on_day is not None:
            done += f" to {on_day}"
        if starts is not None:
            done += f" at {starts}"
        if teacher is not None:
            done += f" to {teacher['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def end_series(self, series_id: str) -> Result:
        """End the weekly lesson of a pupil who has given everything back and plays nowhere any more.

        Args:
            series_id (str): Id of the series, such as SERIES-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        series = self.series.get(series_id)
        if series is None:
            return _refused(f"There is no series {series_id!r}.")
        if series["status"] != "running":
            return _refused(f"The lessons of {self.pupils[series['pupil_id']]['name']} have ended.")
        kept = self._held_by(self.pupils[series["pupil_id"]])
        if kept is not None:
            return _refused(
                f"{self.pupils[series['pupil_id']]['name']} has {kept['tag']} on loan, so it has to come back first."
            )
        seat = next((c for c in sorted(self._chairs_by_pupil.get(series["pupil_id"], {}).values(), key=_age)), None)
        if seat is not None:
            return _refused(
                f"{self.pupils[series['pupil_id']]['name']} sits in "
                f"{self.ensembles[seat['ensemble_id']]['name']}, so the chair must be given up first."
            )
        piece = next(
            (
                i
                for i in sorted(self._items_by_pupil.get(series["pupil_id"], {}).values(), key=_age)
                if self.recitals[i["recital_id"]]["held_on"] >= self.now[:10]
            ),
            None,
        )
        if piece is not None:
            return _refused(
                f"{self.pupils[series['pupil_id']]['name']} is on the programme of "
                f"{self.recitals[piece['recital_id']]['title']}, so take the piece off first."
            )
        self._journal = []
        self._put("series", series, "status", "ended")
        if self._breaks_rule_1(series):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(series):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_s_again(series):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_t(self.teachers[series["teacher_id"]]):
            return self._take_back(RULES[2])
        for one_chair in _distinct(self._chairs_by_pupil.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_4(one_chair):
                return self._take_back(RULES[3])
        for one_instrument in _distinct(self._instruments_by_holder.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_6(one_instrument):
                return self._take_back(RULES[5])
        for one_chair in _distinct(self._chairs_by_pupil.get(series["pupil_id"], {}).values()):
            if self._breaks_rule_7(one_chair):
                return self._take_back(RULES[6])
        if self._breaks_rule_12_a(series):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_b(series):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: end the lessons of {self.pupils[series['pupil_id']]['name']}.",
            "data": self._changes(),
        }

    def lend_instrument(self, instrument_id: str, pupil_id: str, until: Date) -> Result:
        """Lend an instrument from the store to a pupil.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            pupil_id (str): Id of the pupil, such as PUPIL-00001.
            until (str): Day by which it must come back, within a year, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        pupil = self.pupils.get(pupil_id)
        if pupil is None:
            return _refused(f"There is no pupil {pupil_id!r}.")
        if instrument["status"] != "store":
            return _refused(f"{instrument['tag']} is {instrument['status']}.")
        if instrument["kind"] != pupil["plays"]:
            return _refused(
                f"{instrument['tag']} is a {instrument['kind']}, and {pupil['name']} plays the {pupil['plays']}."
            )
        if _years(pupil["born"], self.now[:10]) < instrument["from_age"]:
            return _refused(
                f"{instrument['tag']} is for players from {instrument['from_age']} years, and {pupil['name']} is "
                f"{_years(pupil['born'], self.now[:10])}."
            )
        if self._lessons_of(pupil) is None:
            return _refused(f"{pupil['name']} has no lessons, and instruments are lent to pupils only.")
        kept = self._held_by(pupil)
        if kept is not None:
            return _refused(f"{pupil['name']} has {kept['tag']}, which must come back first.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 370):
            return _refused("Instruments are lent for a year at most.")
        if any(
            self.recitals[i["recital_id"]]["held_on"] > until
            for i in self._items_by_pupil.get(pupil_id, {}).values()
        ):
            return _refused(f"{pupil['name']} plays in a recital after {until}, so lend it for longer.")
        self._journal = []
        former_holder_id = instrument["holder_id"]
        self._put("instruments", instrument, "holder_id", pupil_id)
        self._put("instruments", instrument, "due", until)
        self._put("instruments", instrument, "status", "lent")
        if self._breaks_rule_5_x(instrument):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_x_again(instrument):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(instrument):
            return self._take_back(RULES[5])
        for one_item in _distinct(
            [
                *[
                    user
                    for one in [self.pupils.get(instrument["holder_id"])]
                    if one is not None
                    for user in self._items_by_pupil.get(instrument["holder_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pupils.get(former_holder_id)]
                    if one is not None
                    for user in self._items_by_pupil.get(former_holder_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_13(one_item):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: lend {instrument['tag']} to {pupil['name']} until {until}.",
            "data": self._changes(),
        }

    def extend_loan(self, instrument_id: str, until: Date) -> Result:
        """Let a pupil keep a lent instrument for longer.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            until (str): New day by which it must come back, within a year from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["due"] is None:
            return _refused(f"{instrument['tag']} is not lent.")
        if instrument["due"] >= until or until > _plus_days(self.now[:10], 370):
            return _refused(f"The new day must come after {instrument['due']} and within a year.")
        self._journal = []
        self._put("instruments", instrument, "due", until)
        if self._breaks_rule_5_x(instrument):
            return self._take_back(RULES[4])
        for one_item in _distinct(
            [
                user
                for one in [self.pupils.get(instrument["holder_id"])]
                if one is not None
                for user in self._items_by_pupil.get(instrument["holder_id"], {}).values()
            ]
        ):
            if self._breaks_rule_13(one_item):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: extend the loan of {instrument['tag']} until {until}.",
            "data": self._changes(),
        }

    def return_instrument(self, instrument_id: str, damaged: bool = False) -> Result:
        """Take an instrument back, into the store or, if it is damaged, to be repaired.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            damaged (bool): Whether the instrument is damaged and goes to be repaired. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["status"] != "lent":
            return _refused(f"{instrument['tag']} is {instrument['status']}.")
        self._journal = []
        changed_instruments: list[Any] = []
        former_holder_id = instrument["holder_id"]
        self._put("instruments", instrument, "holder_id", None)
        self._put("instruments", instrument, "due", None)
        if damaged:
            changed_instruments.append(instrument)
            self._put("instruments", instrument, "status", "repair")
        else:
            changed_instruments.append(instrument)
            self._put("instruments", instrument, "status", "store")
        for one_instrument in _distinct([instrument, *changed_instruments]):
            if self._breaks_rule_5_x(one_instrument):
                return self._take_back(RULES[4])
        for one_instrument in _distinct([instrument, *changed_instruments]):
            if self._breaks_rule_5_x_again(one_instrument):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(instrument):
            return self._take_back(RULES[5])
        for one_item in _distinct(
            [
                *[
                    user
                    for one in [self.pupils.get(instrument["holder_id"])]
                    if one is not None
                    for user in self._items_by_pupil.get(instrument["holder_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pupils.get(former_holder_id)]
                    if one is not None
                    for user in self._items_by_pupil.get(former_holder_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_13(one_item):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: take {instrument['tag']} back.", "data": self._changes()}

    def finish_repair(self, instrument_id: str) -> Result:
        """Put a repaired instrument back into the store.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["status"] != "repair":
            return _refused(f"{instrument['tag']} is {instrument['status']}.")
        self._journal = []
        self._put("instruments", instrument, "status", "store")
        if self._breaks_rule_5_x(instrument):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_x_again(instrument):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: put {instrument['tag']} back into the store.",
            "data": self._changes(),
        }

    def fill_chair(self, chair_id: str, pupil_id: str) -> Result:
        """Give a chair of an ensemble to a pupil, in the place of whoever has it.

        Args:
            chair_id (str): Id of the chair, such as CHAIR-00001.
            pupil_id (str): Id of the pupil, such as PUPIL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        chair = self.chairs.get(chair_id)
        if chair is None:
            return _refused(f"There is no chair {chair_id!r}.")
        pupil = self.pupils.get(pupil_id)
        if pupil is None:
            return _refused(f"There is no pupil {pupil_id!r}.")
        if chair["pupil_id"] == pupil_id:
            return _refused(f"{pupil['name']} has that chair.")
        if pupil["plays"] != chair["kind"]:
            return _refused(f"The chair is for the {chair['kind']}, and {pupil['name']} plays the {pupil['plays']}.")
        if pupil["level"] < chair["min_level"]:
            return _refused(
                f"The chair asks for level {chair['min_level']}, and {pupil['name']} has level {pupil['level']}."
            )
        if self._lessons_of(pupil) is None:
            return _refused(f"{pupil['name']} has no lessons.")
        if self._sits_in(pupil, self.ensembles[chair["ensemble_id"]]):
            return _refused(f"{pupil['name']} sits in {self.ensembles[chair['ensemble_id']]['name']} already.")
        if self._chairs_of(pupil) >= 2:
            return _refused(f"{pupil['name']} sits in two ensembles already.")
        lesson = self._lesson_clash(pupil, self.ensembles[chair["ensemble_id"]])
        if lesson is not None:
            return _refused(
                f"{pupil['name']} has a lesson on {lesson['on_day']} from {lesson['starts']} to {lesson['ends']}, "
                "during the rehearsal, so move that first."
            )
        self._journal = []
        former_pupil_id = chair["pupil_id"]
        self._put("chairs", chair, "pupil_id", pupil_id)
        if self._breaks_rule_4(chair):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(chair):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_c(chair):
            return self._take_back(RULES[7])
        for one_pupil in _distinct([self.pupils.get(chair["pupil_id"]), self.pupils.get(former_pupil_id)]):
            if self._breaks_rule_8_p(one_pupil):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: give {pupil['name']} the {chair['kind']} chair in "
                f"{self.ensembles[chair['ensemble_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def vacate_chair(self, chair_id: str) -> Result:
        """Take a pupil off a chair of an ensemble that is on no programme.

        Args:
            chair_id (str): Id of the chair, such as CHAIR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        chair = self.chairs.get(chair_id)
        if chair is None:
            return _refused(f"There is no chair {chair_id!r}.")
        if chair["pupil_id"] is None:
            return _refused("The chair is empty.")
        recital = self._on_programme(self.ensembles[chair["ensemble_id"]], self.now[:10])
        if recital is not None:
            return _refused(
                f"{self.ensembles[chair['ensemble_id']]['name']} plays in {recital['title']}, so give the chair "
                "to somebody else instead."
            )
        self._journal = []
        former_pupil_id = chair["pupil_id"]
        self._put("chairs", chair, "pupil_id", None)
        if self._breaks_rule_4(chair):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(chair):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_c(chair):
            return self._take_back(RULES[7])
        for one_pupil in _distinct([self.pupils.get(chair["pupil_id"]), self.pupils.get(former_pupil_id)]):
            if self._breaks_rule_8_p(one_pupil):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: free a {chair['kind']} chair in {self.ensembles[chair['ensemble_id']]['name']}.",
            "data": self._changes(),
        }

    def add_piece(
        self,
        recital_id: str,
        title: Text,
        minutes: Annotated[int, {"minimum": 1, "maximum": 40}],
        pupil_id: str | None = None,
        ensemble_id: str | None = None,
        position: Annotated[int, {"minimum": 1, "maximum": 60}] | None = None,
    ) -> Result:
        """Put a piece of one pupil or one ensemble on a programme, at a place or at the end; what follows moves down.

        Args:
            recital_id (str): Id of the recital, such as RECITAL-00001.
            title (str): Title of the piece of music.
            minutes (int): Playing time of the piece in minutes, from 1 to 40.
            pupil_id (str, optional): Pupil who plays alone, where no ensemble is named; an id such as PUPIL-00001.
                If left out, an ensemble must be named.
            ensemble_id (str, optional): Ensemble that plays, where no pupil is named; an id such as
                ENSEMBLE-00001. If left out, a pupil must be named.
            position (int, optional): Number of its place on the programme, from 1 to 60. If left out, the piece
                comes at the end.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        recital = self.recitals.get(recital_id)
        if recital is None:
            return _refused(f"There is no recital {recital_id!r}.")
        pupil = self.pupils.get(pupil_id) if pupil_id is not None else None
        if pupil_id is not None and pupil is None:
            return _refused(f"There is no pupil {pupil_id!r}.")
        ensemble = self.ensembles.get(ensemble_id) if ensemble_id is not None else None
        if ensemble_id is not None and ensemble is None:
            return _refused(f"There is no ensemble {ensemble_id!r}.")
        if self.now[:10] > recital["held_on"]:
            return _refused(f"{recital['title']} was on {recital['held_on']}.")
        if (pupil_id is None) == (ensemble_id is None):
            return _refused("Name either a pupil or an ensemble.")
        if self._items_by_recital_pupil_ensemble.get((recital_id, pupil_id, ensemble_id), {}):
            return _refused(f"They are on the programme of {recital['title']} already.")
        if ensemble_id is not None and self._ensemble_vacant(ensemble) != 0:
            return _refused(
                f"{ensemble['name']} has {self._ensemble_vacant(ensemble)} empty chairs, so fill them first."
            )
        if pupil_id is not None and self._lessons_of(pupil) is None:
            return _refused(f"{pupil['name']} has no lessons.")
        if not (
            pupil_id is None
            or not any(
                x["due"] < recital["held_on"]
                for x in self._instruments_by_holder.get(pupil_id, {}).values()
                if x["due"] is not None
            )
        ):
            return _refused(f"The loan of {pupil['name']} ends before {recital['held_on']}, so extend it first.")
        if self._recital_used(recital) + minutes + 2 > recital["limit"]:
            return _refused(
                f"{recital['title']} has {recital['limit'] - self._recital_used(recital)} minutes left, and the "
                f"piece takes {minutes + 2} with the change."
            )
        if position is not None and position > self._pieces(recital) + 1:
            return _refused(f"The programme has {self._pieces(recital)} pieces.")
        self._journal = []
        changed_items: list[Any] = []
        at = position if position is not None else self._pieces(recital) + 1
        for i in sorted(
            [i for i in self._items_by_recital.get(recital_id, {}).values() if i["position"] >= at],
            key=lambda i: (-i["position"], _age(i)),
        ):
            new_position = i["position"] + 1
            if not 1 <= new_position <= 60:
                return self._take_back(f"The position of {i['title']} must be between 1 and 60.")
            changed_items.append(i)
            self._put("items", i, "position", new_position)
        if not 1 <= at <= 60:
            return self._take_back("The position of an item must be between 1 and 60.")
        item: Item = {
            "id": self._new_id("item", "ITEM", self.items),
            "recital_id": recital_id,
            "position": at,
            "title": title,
            "minutes": minutes,
            "pupil_id": pupil_id,
            "ensemble_id": ensemble_id,
        }
        self._add("items", item)
        if self._breaks_rule_9(self.recitals[item["recital_id"]]):
            return self._take_back(RULES[8])
        for one_item in _distinct([item, *changed_items]):
            if self._breaks_rule_10_i(one_item):
                return self._take_back(RULES[9])
        for one_item in _distinct(
            [item, *changed_items, *self._items_by_recital.get(item["recital_id"], {}).values()]
        ):
            if self._breaks_rule_10_i_again(one_item):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_i(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_i_again(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_13(item):
            return self._take_back(RULES[12])
        done = f"put {title} on the programme of {recital['title']}"
        if pupil is not None:
            done += f" by {pupil['name']}"
        if ensemble is not None:
            done += f" by {ensemble['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: item {item['id']}).",
            "data": {"item_id": item["id"], **self._changes()},
        }

    def drop_piece(self, item_id: str) -> Result:
        """Take a piece off a programme; what follows moves up.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if self.now[:10] > self.recitals[item["recital_id"]]["held_on"]:
            return _refused(
                f"{self.recitals[item['recital_id']]['title']} was on {self.recitals[item['recital_id']]['held_on']}."
            )
        self._journal = []
        changed_items: list[Any] = []
        recital = self.recitals[item["recital_id"]]
        at = item["position"]
        self._remove("items", item)
        for i in sorted(
            [i for i in self._items_by_recital.get(recital["id"], {}).values() if i["position"] > at],
            key=lambda i: (i["position"], _age(i)),
        ):
            position = i["position"] - 1
            if not 1 <= position <= 60:
                return self._take_back(f"The position of {i['title']} must be between 1 and 60.")
            changed_items.append(i)
            if i["id"] in self.items:
                self._put("items", i, "position", position)
        if self._breaks_rule_9(self.recitals[item["recital_id"]]):
            return self._take_back(RULES[8])
        for one_item in _distinct(changed_items):
            if one_item["id"] in self.items and self._breaks_rule_10_i(one_item):
                return self._take_back(RULES[9])
        for one_item in _distinct([*self._items_by_recital.get(item["recital_id"], {}).values(), *changed_items]):
            if one_item["id"] in self.items and self._breaks_rule_10_i_again(one_item):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: take {item['title']} off the programme of {self.recitals[item['recital_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def _show_teacher(self, teacher: Teacher) -> dict[str, Any]:
        """The teacher as an answer shows it."""
        return {**teacher, "teaches": [*teacher["teaches"]], "free_minutes": self._teacher_free_minutes(teacher)}

    def _show_ensemble(self, ensemble: Ensemble) -> dict[str, Any]:
        """The ensemble as an answer shows it."""
        return {**ensemble, "vacant": self._ensemble_vacant(ensemble)}

    def _show_recital(self, recital: Recital) -> dict[str, Any]:
        """The recital as an answer shows it."""
        return {**recital, "used": self._recital_used(recital)}

    def _names_of_instruments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instruments point to."""
        return _names((self.pupils, "name", [row["holder_id"] for row in shown]))

    def _names_of_series(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that series point to."""
        return _names(
            (self.pupils, "name", [row["pupil_id"] for row in shown]),
            (self.teachers, "name", [row["teacher_id"] for row in shown]),
        )

    def _names_of_chairs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that chairs point to."""
        return _names(
            (self.ensembles, "name", [row["ensemble_id"] for row in shown]),
            (self.pupils, "name", [row["pupil_id"] for row in shown]),
        )

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.recitals, "title", [row["recital_id"] for row in shown]),
            (self.pupils, "name", [row["pupil_id"] for row in shown]),
            (self.ensembles, "name", [row["ensemble_id"] for row in shown]),
        )

    def _teacher_free_minutes(self, teacher: Teacher) -> int:
        """The free minutes of a teacher."""
        return (
            teacher["weekly_minutes"]
            - sum(
                _clock_minutes(s["ends"]) - _clock_minutes(s["starts"])
                for s in self._series_by_teacher_status.get((teacher["id"], "running"), {}).values()
            )
        )

    def _ensemble_vacant(self, ensemble: Ensemble) -> int:
        """The vacant of an ensemble."""
        return sum(1 for c in self._chairs_by_ensemble.get(ensemble["id"], {}).values() if c["pupil_id"] is None)

    def _recital_used(self, recital: Recital) -> int:
        """The used of a recital."""
        return sum(i["minutes"] + 2 for i in self._items_by_recital.get(recital["id"], {}).values())

    def _lessons_of(self, p: Pupil) -> Series | None:
        return next(
            (s for s in sorted(self._series_by_pupil_status.get((p["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _held_by(self, p: Pupil) -> Instrument | None:
        return next((x for x in sorted(self._instruments_by_holder.get(p["id"], {}).values(), key=_age)), None)

    def _chairs_of(self, p: Pupil) -> int:
        return len(self._chairs_by_pupil.get(p["id"], {}))

    def _sits_in(self, p: Pupil, e: Ensemble) -> bool:
        return any(c["pupil_id"] == p["id"] for c in self._chairs_by_ensemble.get(e["id"], {}).values())

    def _teacher_clash(self, t: Teacher, d: str, a: str, b: str) -> Series | None:
        return next(
            (
                s
                for s in sorted(
                    self._series_by_teacher_on_day_status.get((t["id"], d, "running"), {}).values(),
                    key=_age,
                )
                if _overlap(s["starts"], s["ends"], a, b)
            ),
            None,
        )

    def _rehearsal_clash(self, p: Pupil, d: str, a: str, b: str) -> Ensemble | None:
        return next(
            (
                self.ensembles[c["ensemble_id"]]
                for c in sorted(self._chairs_by_pupil.get(p["id"], {}).values(), key=_age)
                if self.ensembles[c["ensemble_id"]]["on_day"] == d
                and _overlap(
                    self.ensembles[c["ensemble_id"]]["starts"],
                    self.ensembles[c["ensemble_id"]]["ends"],
                    a,
                    b,
                )
            ),
            None,
        )

    def _lesson_clash(self, p: Pupil, e: Ensemble) -> Series | None:
        return next(
            (
                s
                for s in sorted(
                    self._series_by_pupil_on_day_status.get((p["id"], e["on_day"], "running"), {}).values(),
                    key=_age,
                )
                if _overlap(s["starts"], s["ends"], e["starts"], e["ends"])
            ),
            None,
        )

    def _on_programme(self, e: Ensemble, d: str) -> Recital | None:
        return next(
            (
                self.recitals[i["recital_id"]]
                for i in sorted(self._items_by_ensemble.get(e["id"], {}).values(), key=_age)
                if self.recitals[i["recital_id"]]["held_on"] >= d
            ),
            None,
        )

    def _in_room(self, r: str | None, d: str, a: str, b: str, own: Series | None) -> Series | None:
        return next(
            (
                s
                for s in sorted(self._series_by_on_day_room_status.get((d, r, "running"), {}).values(), key=_age)
                if r is not None
                and s is not own
                and _overlap(s["starts"], s["ends"], a, b)
            ),
            None,
        )

    def _pieces(self, r: Recital) -> int:
        return len(self._items_by_recital.get(r["id"], {}))

    def _right_for(self, x: Instrument, p: Pupil, d: str) -> bool:
        return x["kind"] == p["plays"] and _years(p["born"], d) >= x["from_age"]

    def _may_sit(self, p: Pupil, c: Chair) -> bool:
        return (
            p["plays"] == c["kind"]
            and p["level"] >= c["min_level"]
            and self._lessons_of(p) is not None
            and not self._sits_in(p, self.ensembles[c["ensemble_id"]])
            and self._chairs_of(p) < 2
        )

    def _breaks_rule_1(self, a: Series) -> bool:
        """Whether this is broken: a teacher gives one lesson at a time."""
        return (
            a["status"] == "running"
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._series_by_teacher_on_day_status.get(
                    (a["teacher_id"], a["on_day"], "running"),
                    {},
                ).values()
                if a is not b
            )
        )

    def _breaks_rule_2_s(self, s: Series) -> bool:
        """Whether this is broken: a pupil has one weekly lesson, with somebody who teaches the instrument."""
        return (
            s["status"] == "running"
            and any(
                other_s is not s
                for other_s in self._series_by_pupil_status.get((s["pupil_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_2_s_again(self, s: Series) -> bool:
        """Whether this is broken: a pupil has one weekly lesson, with somebody who teaches the instrument."""
        return (
            s["status"] == "running"
            and self.pupils[s["pupil_id"]]["plays"] not in self.teachers[s["teacher_id"]]["teaches"]
        )

    def _breaks_rule_3_t(self, t: Teacher) -> bool:
        """Whether this is broken: nobody teaches more minutes a week than agreed, and a lesson lasts 20 to 60
        minutes.
        """
        return self._teacher_free_minutes(t) < 0

    def _breaks_rule_3_s(self, s: Series) -> bool:
        """Whether this is broken: nobody teaches more minutes a week than agreed, and a lesson lasts 20 to 60
        minutes.
        """
        return (
            20 > _clock_minutes(s["ends"]) - _clock_minutes(s["starts"])
            or _clock_minutes(s["ends"]) - _clock_minutes(s["starts"]) > 60
        )

    def _breaks_rule_4(self, c: Chair) -> bool:
        """Whether this is broken: a lesson never falls into a rehearsal of the pupil."""
        return (
            c["pupil_id"] is not None
            and any(
                _overlap(
                    s["starts"],
                    s["ends"],
                    self.ensembles[c["ensemble_id"]]["starts"],
                    self.ensembles[c["ensemble_id"]]["ends"],
                )
                for s in self._series_by_pupil_on_day_status.get(
                    (c["pupil_id"], self.ensembles[c["ensemble_id"]]["on_day"], "running"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_5_x(self, x: Instrument) -> bool:
        """Whether this is broken: exactly the lent instruments have a holder and a last day, and nobody holds two.
        """
        return (
            (x["status"] == "lent") != (x["holder_id"] is not None)
            or (x["status"] == "lent") != (x["due"] is not None)
        )

    def _breaks_rule_5_x_again(self, x: Instrument) -> bool:
        """Whether this is broken: exactly the lent instruments have a holder and a last day, and nobody holds two.
        """
        return (
            x["status"] == "lent"
            and any(
                other_x is not x
                for other_x in self._instruments_by_holder_status.get((x["holder_id"], "lent"), {}).values()
            )
        )

    def _breaks_rule_6(self, x: Instrument) -> bool:
        """Whether this is broken: instruments are lent to pupils who play and are taught that instrument."""
        return not (
            x["holder_id"] is None
            or x["kind"] == self.pupils[x["holder_id"]]["plays"]
            and any(s["status"] == "running" for s in self._series_by_pupil.get(x["holder_id"], {}).values())
        )

    def _breaks_rule_7(self, c: Chair) -> bool:
        """Whether this is broken: a chair is taken by a pupil who is taught its instrument and has reached its level.
        """
        return not (
            c["pupil_id"] is None
            or self.pupils[c["pupil_id"]]["plays"] == c["kind"]
            and self.pupils[c["pupil_id"]]["level"] >= c["min_level"]
            and any(s["status"] == "running" for s in self._series_by_pupil.get(c["pupil_id"], {}).values())
        )

    def _breaks_rule_8_c(self, c: Chair) -> bool:
        """Whether this is broken: a pupil has one chair in an ensemble and sits in two ensembles at most."""
        return (
            c["pupil_id"] is not None
            and any(
                other_c is not c
                for other_c in self._chairs_by_ensemble_pupil.get((c["ensemble_id"], c["pupil_id"]), {}).values()
                if other_c["pupil_id"] is not None
            )
        )

    def _breaks_rule_8_p(self, p: Pupil) -> bool:
        """Whether this is broken: a pupil has one chair in an ensemble and sits in two ensembles at most."""
        return self._chairs_of(p) > 2

    def _breaks_rule_9(self, r: Recital) -> bool:
        """Whether this is broken: a programme, with two minutes for the change after each piece, is not longer than
        the recital.
        """
        return self._recital_used(r) > r["limit"]

    def _breaks_rule_10_i(self, i: Item) -> bool:
        """Whether this is broken: the pieces of a programme are numbered from one without gaps."""
        return any(
            other_i is not i
            for other_i in self._items_by_recital.get(i["recital_id"], {}).values()
            if other_i["position"] == i["position"]
        )

    def _breaks_rule_10_i_again(self, i: Item) -> bool:
        """Whether this is broken: the pieces of a programme are numbered from one without gaps."""
        return i["position"] > self._pieces(self.recitals[i["recital_id"]])

    def _breaks_rule_11_i(self, i: Item) -> bool:
        """Whether this is broken: a piece is played by one pupil or by one ensemble, each once in a programme."""
        return (i["pupil_id"] is None) == (i["ensemble_id"] is None)

    def _breaks_rule_11_i_again(self, i: Item) -> bool:
        """Whether this is broken: a piece is played by one pupil or by one ensemble, each once in a programme."""
        return any(
            other_i is not i
            for other_i in self._items_by_recital_pupil_ensemble.get(
                (i["recital_id"], i["pupil_id"], i["ensemble_id"]),
                {},
            ).values()
        )

    def _breaks_rule_12_a(self, a: Series) -> bool:
        """Whether this is broken: a room has one lesson at a time."""
        return (
            a["status"] == "running"
            and any(
                a["room"] is not None
                and a["room"] == b["room"]
                and a["on_day"] == b["on_day"]
                and _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._series_by_status.get("running", {}).values()
                if a is not b
            )
        )

    def _breaks_rule_12_b(self, b: Series) -> bool:
        """Whether this is broken: a room has one lesson at a time."""
        return (
            b["status"] == "running"
            and any(
                a["room"] is not None
                and a["room"] == b["room"]
                and a["on_day"] == b["on_day"]
                and _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for a in self._series_by_status.get("running", {}).values()
                if a is not b
            )
        )

    def _breaks_rule_13(self, i: Item) -> bool:
        """Whether this is broken: a soloist who plays an instrument of the school has it until the recital at least.
        """
        return not (
            i["pupil_id"] is None
            or not any(
                x["due"] < self.recitals[i["recital_id"]]["held_on"]
                for x in self._instruments_by_holder.get(i["pupil_id"], {}).values()
                if x["due"] is not None
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
            case "instruments":
                self._instruments_by_holder.setdefault(record["holder_id"], {})[record["id"]] = record
                self._instruments_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "series":
                self._series_by_on_day_room_status.setdefault(
                    (record["on_day"], record["room"], record["status"]),
                    {},
                )[record["id"]] = record
                self._series_by_pupil.setdefault(record["pupil_id"], {})[record["id"]] = record
                self._series_by_pupil_on_day_status.setdefault(
                    (record["pupil_id"], record["on_day"], record["status"]),
                    {},
                )[record["id"]] = record
                self._series_by_pupil_status.setdefault((record["pupil_id"], record["status"]), {})[record["id"]] = record
                self._series_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._series_by_teacher_on_day_status.setdefault(
                    (record["teacher_id"], record["on_day"], record["status"]),
                    {},
                )[record["id"]] = record
                self._series_by_teacher_status.setdefault(
                    (record["teacher_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "chairs":
                self._chairs_by_ensemble.setdefault(record["ensemble_id"], {})[record["id"]] = record
                self._chairs_by_ensemble_pupil.setdefault(
                    (record["ensemble_id"], record["pupil_id"]),
                    {},
                )[record["id"]] = record
                self._chairs_by_pupil.setdefault(record["pupil_id"], {})[record["id"]] = record
            case "items":
                self._items_by_ensemble.setdefault(record["ensemble_id"], {})[record["id"]] = record
                self._items_by_pupil.setdefault(record["pupil_id"], {})[record["id"]] = record
                self._items_by_recital.setdefault(record["recital_id"], {})[record["id"]] = record
                self._items_by_recital_pupil_ensemble.setdefault(
                    (record["recital_id"], record["pupil_id"], record["ensemble_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "instruments":
                del self._instruments_by_holder[record["holder_id"]][record["id"]]
                del self._instruments_by_holder_status[record["holder_id"], record["status"]][record["id"]]
            case "series":
                del self._series_by_on_day_room_status[record["on_day"], record["room"], record["status"]][record["id"]]
                del self._series_by_pupil[record["pupil_id"]][record["id"]]
                del self._series_by_pupil_on_day_status[
                    record["pupil_id"],
                    record["on_day"],
                    record["status"],
                ][record["id"]]
                del self._series_by_pupil_status[record["pupil_id"], record["status"]][record["id"]]
                del self._series_by_status[record["status"]][record["id"]]
                del self._series_by_teacher_on_day_status[
                    record["teacher_id"],
                    record["on_day"],
                    record["status"],
                ][record["id"]]
                del self._series_by_teacher_status[record["teacher_id"], record["status"]][record["id"]]
            case "chairs":
                del self._chairs_by_ensemble[record["ensemble_id"]][record["id"]]
                del self._chairs_by_ensemble_pupil[record["ensemble_id"], record["pupil_id"]][record["id"]]
                del self._chairs_by_pupil[record["pupil_id"]][record["id"]]
            case "items":
                del self._items_by_ensemble[record["ensemble_id"]][record["id"]]
                del self._items_by_pupil[record["pupil_id"]][record["id"]]
                del self._items_by_recital[record["recital_id"]][record["id"]]
                del self._items_by_recital_pupil_ensemble[
                    record["recital_id"],
                    record["pupil_id"],
                    record["ensemble_id"],
                ][record["id"]]
