"""Funeral home. Compiled from blueprint.yaml; run `envscaler build funeral_home` after changing it there.

Arranges funerals from the first night to the last instalment, with papers and waiting periods, chapels and
celebrants, cremations, urns in custody and costs.
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
    "A place in the cold room is for one person, and large coffins lie in wide places.",
    "Whoever is still with us has a place in the cold room, and nobody else has.",
    "An arrangement has one ceremony and one cremation at most.",
    "Ceremonies in a chapel begin at least an hour and a half apart.",
    "A celebrant has two hours between the beginnings of two ceremonies, and holds only rites that are theirs.",
    "No more guests are expected than a chapel seats.",
    "Cremations are two hours apart, and nobody is cremated within 48 hours of their death.",
    "A cremation needs all its papers and an arrangement for a cremation.",
    "A cremation begins after the ceremony.",
    "There is an urn after the cremation only, and it leaves custody once.",
    "Instalments never come to more than the costs.",
    "A grave is named for those who were buried, and for nobody else.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_in",
    "file_paper",
    "change_kind",
    "book_ceremony",
    "change_ceremony",
    "cancel_ceremony",
    "book_cremation",
    "note_farewell",
    "hand_over_urn",
    "add_cost",
    "plan_instalments",
    "pay_instalment",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "places": ("label",),
    "chapels": ("name",),
    "celebrants": ("name",),
    "arrangements": ("deceased",),
    "ceremonies": (),
    "cremations": (),
    "items": (),
    "instalments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("arrangements", "deceased"),
    ("arrangements", "place_id"),
    ("arrangements", "status"),
    ("ceremonies", "arrangement_id"),
    ("ceremonies", "celebrant_id"),
    ("ceremonies", "chapel_id"),
    ("cremations", "arrangement_id"),
    ("instalments", "arrangement_id"),
    ("items", "arrangement_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Place(TypedDict):
    id: str
    label: str
    wide: bool


class Chapel(TypedDict):
    id: str
    name: str
    seats: int


class Celebrant(TypedDict):
    id: str
    name: str
    rites: list[Literal["catholic", "protestant", "orthodox", "civil"]]


class Arrangement(TypedDict):
    id: str
    deceased: str
    contact: str
    died_at: str
    kind: Literal["burial", "cremation"]
    rite: Literal["catholic", "protestant", "orthodox", "civil"]
    large: bool
    papers: list[Literal["certificate", "burial_permit", "cremation_permit", "second_examination"]]
    place_id: str | None
    grave: str | None
    status: Literal["open", "buried", "cremated"]


class Ceremony(TypedDict):
    id: str
    arrangement_id: str
    chapel_id: str
    celebrant_id: str
    starts_at: str
    guests: int
    cancelled: bool


class Cremation(TypedDict):
    id: str
    arrangement_id: str
    starts_at: str
    done: bool
    urn: str | None
    urn_went_to: str | None


class Item(TypedDict):
    id: str
    arrangement_id: str
    what: str
    amount: int


class Instalment(TypedDict):
    id: str
    arrangement_id: str
    due_on: str
    amount: int
    paid_on: str | None


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class FuneralHome:
    """Arranges funerals from the first night to the last instalment, with papers and waiting periods,
    chapels and celebrants, cremations, urns in custody and costs.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.places: dict[str, Place] = _copied(config.get("places", {}))
        self.chapels: dict[str, Chapel] = _copied(config.get("chapels", {}))
        self.celebrants: dict[str, Celebrant] = _copied(config.get("celebrants", {}))
        self.arrangements: dict[str, Arrangement] = _copied(config.get("arrangements", {}))
        self.ceremonies: dict[str, Ceremony] = _copied(config.get("ceremonies", {}))
        self.cremations: dict[str, Cremation] = _copied(config.get("cremations", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.instalments: dict[str, Instalment] = _copied(config.get("instalments", {}))
        self.now: str = config.get("now", "2026-03-19T08:30")
        self.counters: dict[str, int] = {
            "place": len(self.places),
            "chapel": len(self.chapels),
            "celebrant": len(self.celebrants),
            "arrangement": len(self.arrangements),
            "ceremony": len(self.ceremonies),
            "cremation": len(self.cremations),
            "item": len(self.items),
            "instalment": len(self.instalments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._arrangements_by_deceased: dict[Any, dict[str, Arrangement]] = {}
        self._arrangements_by_place: dict[Any, dict[str, Arrangement]] = {}
        self._arrangements_by_status: dict[Any, dict[str, Arrangement]] = {}
        self._ceremonies_by_arrangement: dict[Any, dict[str, Ceremony]] = {}
        self._ceremonies_by_celebrant: dict[Any, dict[str, Ceremony]] = {}
        self._ceremonies_by_chapel: dict[Any, dict[str, Ceremony]] = {}
        self._cremations_by_arrangement: dict[Any, dict[str, Cremation]] = {}
        self._items_by_arrangement: dict[Any, dict[str, Item]] = {}
        self._instalments_by_arrangement: dict[Any, dict[str, Instalment]] = {}
        for arrangement in self.arrangements.values():
            self._link("arrangements", arrangement)
        for ceremony in self.ceremonies.values():
            self._link("ceremonies", ceremony)
        for cremation in self.cremations.values():
            self._link("cremations", cremation)
        for item in self.items.values():
            self._link("items", item)
        for instalment in self.instalments.values():
            self._link("instalments", instalment)

    def with_us(
        self,
        kind: Literal["burial", "cremation"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who is in the cold room, the longest dead first, with the papers that are missing.

        Args:
            kind (str, optional): Kind of farewell: burial or cremation. If left out, all who are in the cold room
                are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "arrangements": records}} or {"success": False, "error":
                why not}
        """
        found = [
            a
            for a in self._arrangements_by_status.get("open", {}).values()
            if (kind is None or a["kind"] == kind)
        ]
        found.sort(key=lambda a: (a["died_at"], a["deceased"], _age(a)))
        shown = [
            {
                "id": a["id"],
                "deceased": a["deceased"],
                "died_at": a["died_at"],
                "kind": a["kind"],
                "rite": a["rite"],
                "place_id": a["place_id"],
                "lacking": [*self._lacking(a)],
                "not_cremated_before": self._earliest(a),
                "cremation_at": next(
                    (
                        c["starts_at"]
                        for c in sorted(self._cremations_by_arrangement.get(a["id"], {}).values(), key=_age)
                    ),
                    None,
                ),
            }
            for a in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "arrangements": shown},
            _names((self.places, "label", [row["place_id"] for row in shown])),
        )

    def chapel_diary(
        self,
        since: DateTime,
        chapel_id: str | None = None,
        celebrant_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Ceremonies from a time on, in order of time.

        Args:
            since (str): Moment from which on ceremonies are listed, as YYYY-MM-DDTHH:MM.
            chapel_id (str, optional): Chapel of the ceremonies; an id such as CHAPEL-00001. If left out, the
                ceremonies of all chapels are listed.
            celebrant_id (str, optional): Celebrant who holds the ceremonies; an id such as CELEBRANT-00001. If
                left out, the ceremonies of all celebrants are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ceremonies": records}} or {"success": False, "error":
                why not}
        """
        chapel = self.chapels.get(chapel_id) if chapel_id is not None else None
        if chapel_id is not None and chapel is None:
            return _refused(f"There is no chapel {chapel_id!r}.")
        celebrant = self.celebrants.get(celebrant_id) if celebrant_id is not None else None
        if celebrant_id is not None and celebrant is None:
            return _refused(f"There is no celebrant {celebrant_id!r}.")
        found = [
            c
            for c in self.ceremonies.values()
            if (not c["cancelled"] and c["starts_at"] >= since)
            and (chapel_id is None or c["chapel_id"] == chapel_id)
            and (celebrant_id is None or c["celebrant_id"] == celebrant_id)
        ]
        found.sort(key=lambda c: (c["starts_at"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "ceremonies": [
                    {
                        "id": c["id"],
                        "deceased": self.arrangements[c["arrangement_id"]]["deceased"],
                        "rite": self.arrangements[c["arrangement_id"]]["rite"],
                        "chapel": self.chapels[c["chapel_id"]]["name"],
                        "celebrant": self.celebrants[c["celebrant_id"]]["name"],
                        "starts_at": c["starts_at"],
                        "guests": c["guests"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_places(
        self,
        label: Text | None = None,
        wide: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the places, oldest first, all of them or only some.

        Args:
            label (str, optional): Only places whose label contains this text.
            wide (bool, optional): Only places that are wide (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "places": records}}
        """
        found = [
            place
            for place in self.places.values()
            if (label is None or label.casefold() in place["label"].casefold())
            and (wide is None or place["wide"] == wide)
        ]
        return _found({"total": len(found), "places": [{**place} for place in _page(found, offset)]})

    def list_chapels(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the chapels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only chapels whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chapels": records}}
        """
        found = [
            chapel
            for chapel in self.chapels.values()
            if (name is None or name.casefold() in chapel["name"].casefold())
        ]
        return _found({"total": len(found), "chapels": [{**chapel} for chapel in _page(found, offset)]})

    def list_celebrants(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the celebrants, oldest first, all of them or only some.

        Args:
            name (str, optional): Only celebrants whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "celebrants": records}}
        """
        found = [
            celebrant
            for celebrant in self.celebrants.values()
            if (name is None or name.casefold() in celebrant["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "celebrants": [self._show_celebrant(celebrant) for celebrant in _page(found, offset)],
            }
        )

    def list_arrangements(
        self,
        deceased: Text | None = None,
        kind: Literal["burial", "cremation"] | None = None,
        rite: Literal["catholic", "protestant", "orthodox", "civil"] | None = None,
        large: bool | None = None,
        place_id: str | None = None,
        status: Literal["open", "buried", "cremated"] | None = None,
        died_at_from: Date | None = None,
        died_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the arrangements, oldest first, all of them or only some.

        Args:
            deceased (str, optional): Only arrangements whose deceased contains this text.
            kind (str, optional): Only arrangements with this kind.
            rite (str, optional): Only arrangements with this rite.
            large (bool, optional): Only arrangements that are large (true) or not (false).
            place_id (str, optional): Only arrangements of this place.
            status (str, optional): Only arrangements with this status.
            died_at_from (str, optional): Only arrangements whose `died_at` is on this day or later.
            died_at_to (str, optional): Only arrangements whose `died_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "arrangements": records}}
        """
        if place_id is not None and place_id not in self.places:
            return _refused(f"There is no place {place_id!r}.")
        found = [
            arrangement
            for arrangement in self.arrangements.values()
            if (deceased is None or deceased.casefold() in arrangement["deceased"].casefold())
            and (kind is None or arrangement["kind"] == kind)
            and (rite is None or arrangement["rite"] == rite)
            and (large is None or arrangement["large"] == large)
            and (place_id is None or arrangement["place_id"] == place_id)
            and (status is None or arrangement["status"] == status)
            and (died_at_from is None or arrangement["died_at"][:10] >= died_at_from)
            and (died_at_to is None or arrangement["died_at"][:10] <= died_at_to)
        ]
        shown = [self._show_arrangement(arrangement) for arrangement in _page(found, offset)]
        return _found({"total": len(found), "arrangements": shown}, self._names_of_arrangements(shown))

    def list_ceremonies(
        self,
        arrangement_id: str | None = None,
        chapel_id: str | None = None,
        celebrant_id: str | None = None,
        cancelled: bool | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ceremonies, oldest first, all of them or only some.

        Args:
            arrangement_id (str, optional): Only ceremonies of this arrangement.
            chapel_id (str, optional): Only ceremonies of this chapel.
            celebrant_id (str, optional): Only ceremonies of this celebrant.
            cancelled (bool, optional): Only ceremonies that are cancelled (true) or not (false).
            starts_at_from (str, optional): Only ceremonies whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only ceremonies whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ceremonies": records}}
        """
        if arrangement_id is not None and arrangement_id not in self.arrangements:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        if chapel_id is not None and chapel_id not in self.chapels:
            return _refused(f"There is no chapel {chapel_id!r}.")
        if celebrant_id is not None and celebrant_id not in self.celebrants:
            return _refused(f"There is no celebrant {celebrant_id!r}.")
        found = [
            ceremony
            for ceremony in self.ceremonies.values()
            if (arrangement_id is None or ceremony["arrangement_id"] == arrangement_id)
            and (chapel_id is None or ceremony["chapel_id"] == chapel_id)
            and (celebrant_id is None or ceremony["celebrant_id"] == celebrant_id)
            and (cancelled is None or ceremony["cancelled"] == cancelled)
            and (starts_at_from is None or ceremony["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or ceremony["starts_at"][:10] <= starts_at_to)
        ]
        shown = [{**ceremony} for ceremony in _page(found, offset)]
        return _found({"total": len(found), "ceremonies": shown}, self._names_of_ceremonies(shown))

    def list_cremations(
        self,
        arrangement_id: str | None = None,
        done: bool | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cremations, oldest first, all of them or only some.

        Args:
            arrangement_id (str, optional): Only cremations of this arrangement.
            done (bool, optional): Only cremations with this value of `done`.
            starts_at_from (str, optional): Only cremations whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only cremations whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cremations": records}}
        """
        if arrangement_id is not None and arrangement_id not in self.arrangements:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        found = [
            cremation
            for cremation in self.cremations.values()
            if (arrangement_id is None or cremation["arrangement_id"] == arrangement_id)
            and (done is None or cremation["done"] == done)
            and (starts_at_from is None or cremation["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or cremation["starts_at"][:10] <= starts_at_to)
        ]
        shown = [{**cremation} for cremation in _page(found, offset)]
        return _found({"total": len(found), "cremations": shown}, self._names_of_cremations(shown))

    def list_items(
        self,
        arrangement_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            arrangement_id (str, optional): Only items of this arrangement.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if arrangement_id is not None and arrangement_id not in self.arrangements:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (arrangement_id is None or item["arrangement_id"] == arrangement_id)
        ]
        shown = [{**item} for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_instalments(
        self,
        arrangement_id: str | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instalments, oldest first, all of them or only some.

        Args:
            arrangement_id (str, optional): Only instalments of this arrangement.
            due_on_from (str, optional): Only instalments whose `due_on` is on this day or later.
            due_on_to (str, optional): Only instalments whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instalments": records}}
        """
        if arrangement_id is not None and arrangement_id not in self.arrangements:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        found = [
            instalment
            for instalment in self.instalments.values()
            if (arrangement_id is None or instalment["arrangement_id"] == arrangement_id)
            and (due_on_from is None or instalment["due_on"] >= due_on_from)
            and (due_on_to is None or instalment["due_on"] <= due_on_to)
        ]
        shown = [{**instalment} for instalment in _page(found, offset)]
        return _found({"total": len(found), "instalments": shown}, self._names_of_instalments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_in(
        self,
        deceased: Text,
        contact: Text,
        died_at: DateTime,
        kind: Literal["burial", "cremation"],
        rite: Literal["catholic", "protestant", "orthodox", "civil"],
        place_id: str,
        large: bool = False,
    ) -> Result:
        """Take somebody who has died into the cold room and open the arrangement.

        Args:
            deceased (str): Full name of the person who has died.
            contact (str): Full name of the relative or other person who arranges the funeral.
            died_at (str): Moment of the death, as YYYY-MM-DDTHH:MM.
            kind (str): Kind of farewell: burial or cremation.
            rite (str): Rite of the ceremony: catholic, protestant, orthodox or civil.
            place_id (str): Id of the place, such as PLACE-00001.
            large (bool): Whether a wide place is needed. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        place = self.places.get(place_id)
        if place is None:
            return _refused(f"There is no place {place_id!r}.")
        if died_at > self.now:
            return _refused(f"{died_at} is in the future.")
        if self._arrangements_by_deceased.get(deceased, {}):
            return _refused(f"There is an arrangement for {deceased}.")
        other = next((a for a in sorted(self._arrangements_by_place.get(place_id, {}).values(), key=_age)), None)
        if other is not None:
            return _refused(f"{other['deceased']} lies in place {place['label']}.")
        if not place["wide"] and large:
            return _refused(f"Place {place['label']} is too narrow.")
        self._journal = []
        arrangement: Arrangement = {
            "id": self._new_id("arrangement", "ARRANGEMENT", self.arrangements),
            "deceased": deceased,
            "contact": contact,
            "died_at": died_at,
            "kind": kind,
            "rite": rite,
            "large": large,
            "papers": [],
            "place_id": place_id,
            "grave": None,
            "status": "open",
        }
        self._add("arrangements", arrangement)
        if len(self._arrangements_by_deceased.get(arrangement["deceased"], {})) > 1:
            return self._take_back(f"There is already an arrangement with the deceased {arrangement['deceased']!r}.")
        if self._breaks_rule_1_a(arrangement):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again(arrangement):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(arrangement):
            return self._take_back(RULES[1])
        if self._breaks_rule_11(arrangement):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(arrangement):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {deceased} in to place {place['label']} (new: arrangement {arrangement['id']}).",
            "data": {"arrangement_id": arrangement["id"], **self._changes()},
        }

    def file_paper(
        self,
        arrangement_id: str,
        paper: Literal["certificate", "burial_permit", "cremation_permit", "second_examination"],
    ) -> Result:
        """File a paper that has arrived.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            paper (str): Paper that has arrived, the second examination only after the certificate: certificate,
                burial_permit, cremation_permit or second_examination.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        if paper in arrangement["papers"]:
            return _refused(f"That paper of {arrangement['deceased']} is on file.")
        if paper == "second_examination" and "certificate" not in arrangement["papers"]:
            return _refused("The second examination comes after the certificate.")
        self._journal = []
        self._put("arrangements", arrangement, "papers", [*(arrangement["papers"] + [paper])])
        for one_cremation in _distinct(self._cremations_by_arrangement.get(arrangement["id"], {}).values()):
            if self._breaks_rule_8(one_cremation):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: file {paper} for {arrangement['deceased']}.",
            "data": self._changes(),
        }

    def change_kind(self, arrangement_id: str, kind: Literal["burial", "cremation"]) -> Result:
        """Change an arrangement from burial to cremation or back, which calls a cremation that is ahead off.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            kind (str): Kind of farewell from now on: burial or cremation.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        if arrangement["status"] != "open":
            return _refused(f"{arrangement['deceased']} was {arrangement['status']}.")
        if arrangement["kind"] == kind:
            return _refused(f"It is a {kind} already.")
        fire = self._cremation_of(arrangement)
        if fire is not None and fire["starts_at"] <= self.now:
            return _refused(f"The cremation of {arrangement['deceased']} began at {fire['starts_at']}.")
        self._journal = []
        deleted_cremations: list[Any] = []
        for c in sorted(self._cremations_by_arrangement.get(arrangement_id, {}).values(), key=_age):
            if c["id"] in self.cremations:
                self._remove("cremations", c)
            deleted_cremations.append(c)
        self._put("arrangements", arrangement, "kind", kind)
        for one_cremation in _distinct(self._cremations_by_arrangement.get(arrangement["id"], {}).values()):
            if one_cremation["id"] in self.cremations and self._breaks_rule_8(one_cremation):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: change the arrangement of {arrangement['deceased']} to {kind}.",
            "data": self._changes(),
        }

    def book_ceremony(
        self,
        arrangement_id: str,
        chapel_id: str,
        celebrant_id: str,
        starts_at: DateTime,
        guests: Annotated[int, {"minimum": 1, "maximum": 400}],
    ) -> Result:
        """Book a ceremony in a chapel with a celebrant.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            chapel_id (str): Id of the chapel, such as CHAPEL-00001.
            celebrant_id (str): Id of the celebrant, such as CELEBRANT-00001.
            starts_at (str): Moment at which it begins, between 9 am and 5 pm, as YYYY-MM-DDTHH:MM.
            guests (int): Guests expected, no more than the chapel has seats, from 1 to 400.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        chapel = self.chapels.get(chapel_id)
        if chapel is None:
            return _refused(f"There is no chapel {chapel_id!r}.")
        celebrant = self.celebrants.get(celebrant_id)
        if celebrant is None:
            return _refused(f"There is no celebrant {celebrant_id!r}.")
        if arrangement["status"] != "open":
            return _refused(f"{arrangement['deceased']} was {arrangement['status']}.")
        if self._ceremony_of(arrangement) is not None:
            return _refused(f"There is a ceremony for {arrangement['deceased']} already.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if starts_at[11:] < "09:00" or starts_at[11:] > "17:00":
            return _refused("Ceremonies begin between 09:00 and 17:00.")
        if guests > chapel["seats"]:
            return _refused(f"{chapel['name']} seats {chapel['seats']}, not {guests}.")
        if arrangement["rite"] not in celebrant["rites"]:
            return _refused(f"{celebrant['name']} does not hold the {arrangement['rite']} rite.")
        other = self._chapel_busy(chapel, starts_at, None)
        if other is not None:
            return _refused(
                f"{chapel['name']} is used for {self.arrangements[other['arrangement_id']]['deceased']} at "
                f"{other['starts_at']}."
            )
        elsewhere = self._speaking(celebrant, starts_at, None)
        if elsewhere is not None:
            return _refused(
                f"{celebrant['name']} speaks for {self.arrangements[elsewhere['arrangement_id']]['deceased']} at "
                f"{elsewhere['starts_at']}."
            )
        fire = self._cremation_of(arrangement)
        if fire is not None and _plus_minutes(starts_at, 60) > fire["starts_at"]:
            return _refused(f"The cremation at {fire['starts_at']} must come after the ceremony.")
        self._journal = []
        ceremony: Ceremony = {
            "id": self._new_id("ceremony", "CEREMONY", self.ceremonies),
            "arrangement_id": arrangement_id,
            "chapel_id": chapel_id,
            "celebrant_id": celebrant_id,
            "starts_at": starts_at,
            "guests": guests,
            "cancelled": False,
        }
        self._add("ceremonies", ceremony)
        if self._breaks_rule_3_c(ceremony):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(ceremony):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(ceremony):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(ceremony):
            return self._take_back(RULES[5])
        if self._breaks_rule_9_c(ceremony):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: book {chapel['name']} for {arrangement['deceased']} at {starts_at} with "
                f"{celebrant['name']} (new: ceremony {ceremony['id']})."
            ),
            "data": {"ceremony_id": ceremony["id"], **self._changes()},
        }

    def change_ceremony(
        self,
        ceremony_id: str,
        chapel_id: str | None = None,
        celebrant_id: str | None = None,
    ) -> Result:
        """Change the chapel, the celebrant or both of a ceremony that is ahead.

        Args:
            ceremony_id (str): Id of the ceremony, such as CEREMONY-00001.
            chapel_id (str, optional): Chapel that takes the ceremony; an id such as CHAPEL-00001. If left out, the
                chapel stays as it is.
            celebrant_id (str, optional): Celebrant who takes over, able to hold the rite; an id such as
                CELEBRANT-00001. If left out, the celebrant stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ceremony = self.ceremonies.get(ceremony_id)
        if ceremony is None:
            return _refused(f"There is no ceremony {ceremony_id!r}.")
        chapel = self.chapels.get(chapel_id) if chapel_id is not None else None
        if chapel_id is not None and chapel is None:
            return _refused(f"There is no chapel {chapel_id!r}.")
        celebrant = self.celebrants.get(celebrant_id) if celebrant_id is not None else None
        if celebrant_id is not None and celebrant is None:
            return _refused(f"There is no celebrant {celebrant_id!r}.")
        if ceremony["cancelled"] or ceremony["starts_at"] <= self.now:
            return _refused(f"The ceremony at {ceremony['starts_at']} is over or cancelled.")
        there = chapel or self.chapels[ceremony["chapel_id"]]
        speaker = celebrant or self.celebrants[ceremony["celebrant_id"]]
        if there["id"] == ceremony["chapel_id"] and speaker["id"] == ceremony["celebrant_id"]:
            return _refused("That changes nothing.")
        if ceremony["guests"] > there["seats"]:
            return _refused(f"{there['name']} seats {there['seats']}, not {ceremony['guests']}.")
        if self.arrangements[ceremony["arrangement_id"]]["rite"] not in speaker["rites"]:
            return _refused(
                f"{speaker['name']} does not hold the {self.arrangements[ceremony['arrangement_id']]['rite']} rite."
            )
        other = self._chapel_busy(there, ceremony["starts_at"], ceremony)
        if other is not None:
            return _refused(
                f"{there['name']} is used for {self.arrangements[other['arrangement_id']]['deceased']} at "
                f"{other['starts_at']}."
            )
        elsewhere = self._speaking(speaker, ceremony["starts_at"], ceremony)
        if elsewhere is not None:
            return _refused(
                f"{speaker['name']} speaks for {self.arrangements[elsewhere['arrangement_id']]['deceased']} at "
                f"{elsewhere['starts_at']}."
            )
        self._journal = []
        self._put("ceremonies", ceremony, "chapel_id", there["id"])
        self._put("ceremonies", ceremony, "celebrant_id", speaker["id"])
        if self._breaks_rule_4_a(ceremony):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(ceremony):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(ceremony):
            return self._take_back(RULES[5])
        done = f"change the ceremony for {self.arrangements[ceremony['arrangement_id']]['deceased']}"
        if chapel is not None:
            done += f" to {chapel['name']}"
        if celebrant is not None:
            done += f" with {celebrant['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_ceremony(self, ceremony_id: str) -> Result:
        """Cancel a ceremony that is ahead.

        Args:
            ceremony_id (str): Id of the ceremony, such as CEREMONY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ceremony = self.ceremonies.get(ceremony_id)
        if ceremony is None:
            return _refused(f"There is no ceremony {ceremony_id!r}.")
        if ceremony["cancelled"] or ceremony["starts_at"] <= self.now:
            return _refused(f"The ceremony at {ceremony['starts_at']} is over or cancelled.")
        self._journal = []
        self._put("ceremonies", ceremony, "cancelled", True)
        if self._breaks_rule_3_c(ceremony):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(ceremony):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(ceremony):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c(ceremony):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(ceremony):
            return self._take_back(RULES[5])
        if self._breaks_rule_9_c(ceremony):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: cancel the ceremony for {self.arrangements[ceremony['arrangement_id']]['deceased']}.",
            "data": self._changes(),
        }

    def book_cremation(self, arrangement_id: str, starts_at: DateTime) -> Result:
        """Book the cremation of somebody whose papers are all there, or move one that is ahead, 48 hours after the
        death and an hour after the beginning of the ceremony at the earliest.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            starts_at (str): Moment at which the cremation begins, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        if arrangement["status"] != "open" or arrangement["kind"] != "cremation":
            return _refused(f"{arrangement['deceased']} was {arrangement['status']} or is to be buried.")
        fire = self._cremation_of(arrangement)
        if fire is not None and fire["starts_at"] <= self.now:
            return _refused(f"The cremation of {arrangement['deceased']} began at {fire['starts_at']}.")
        if fire is not None and fire["starts_at"] == starts_at:
            return _refused(f"It is booked for {starts_at} already.")
        if len(self._lacking(arrangement)) != 0:
            return _refused(
                f"{', '.join(one for one in self._lacking(arrangement))} of {arrangement['deceased']} is not on file."
            )
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if starts_at < self._earliest(arrangement):
            return _refused(f"Nobody is cremated within 48 hours, so not before {self._earliest(arrangement)}.")
        ceremony = self._ceremony_of(arrangement)
        if ceremony is not None and starts_at < _plus_minutes(ceremony["starts_at"], 60):
            return _refused(f"The ceremony is at {ceremony['starts_at']}.")
        other = self._oven_busy(starts_at, fire)
        if other is not None:
            return _refused(
                f"The oven is in use for {self.arrangements[other['arrangement_id']]['deceased']} at "
                f"{other['starts_at']}."
            )
        self._journal = []
        added_cremations: list[Any] = []
        changed_cremations: list[Any] = []
        if fire is None:
            cremation = {
                "id": self._new_id("cremation", "CREMATION", self.cremations),
                "arrangement_id": arrangement_id,
                "starts_at": starts_at,
                "done": False,
                "urn": None,
                "urn_went_to": None,
            }
            self._add("cremations", cremation)
            added_cremations.append(cremation)
        else:
            changed_cremations.append(fire)
            self._put("cremations", fire, "starts_at", starts_at)
        for one_cremation in _distinct(added_cremations):
            if self._breaks_rule_3_c_again(one_cremation):
                return self._take_back(RULES[2])
        for one_cremation in _distinct([*added_cremations, *changed_cremations]):
            if self._breaks_rule_7_a(one_cremation):
                return self._take_back(RULES[6])
        for one_cremation in _distinct([*added_cremations, *changed_cremations]):
            if self._breaks_rule_7_b(one_cremation):
                return self._take_back(RULES[6])
        for one_cremation in _distinct([*added_cremations, *changed_cremations]):
            if self._breaks_rule_7_c(one_cremation):
                return self._take_back(RULES[6])
        for one_cremation in _distinct(added_cremations):
            if self._breaks_rule_8(one_cremation):
                return self._take_back(RULES[7])
        for one_cremation in _distinct([*added_cremations, *changed_cremations]):
            if self._breaks_rule_9_d(one_cremation):
                return self._take_back(RULES[8])
        for one_cremation in _distinct(added_cremations):
            if self._breaks_rule_10_c(one_cremation):
                return self._take_back(RULES[9])
        for one_cremation in _distinct(added_cremations):
            if self._breaks_rule_10_c_again(one_cremation):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: book the cremation of {arrangement['deceased']} at {starts_at}.",
            "data": self._changes(),
        }

    def note_farewell(self, arrangement_id: str, urn: Text | None = None, grave: Text | None = None) -> Result:
        """Note that somebody was buried or cremated as arranged; the place is free, a burial has its grave, and after
        a cremation there is an urn with a number.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            urn (str, optional): Number of the urn, needed after a cremation. If left out, no urn is noted, as
                after a burial.
            grave (str, optional): Name of the grave, needed after a burial. If left out, no grave is noted, as
                after a cremation.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        if arrangement["status"] != "open":
            return _refused(f"{arrangement['deceased']} was {arrangement['status']}.")
        if len(self._lacking(arrangement)) != 0:
            return _refused(
                f"{', '.join(one for one in self._lacking(arrangement))} of {arrangement['deceased']} is not on file."
            )
        if (arrangement["kind"] == "cremation") != (urn is not None):
            return _refused("An urn number is given after a cremation and only then.")
        if (arrangement["kind"] == "burial") != (grave is not None):
            return _refused("The grave is named after a burial and only then.")
        fire = self._cremation_of(arrangement)
        if not (arrangement["kind"] == "burial" or fire is not None and fire["starts_at"] <= self.now):
            return _refused(f"No cremation of {arrangement['deceased']} has taken place.")
        ceremony = self._ceremony_of(arrangement)
        if arrangement["kind"] != "cremation" and ceremony is not None and ceremony["starts_at"] > self.now:
            return _refused(f"The ceremony at {ceremony['starts_at']} comes first.")
        if arrangement["kind"] != "cremation" and self.now < self._earliest(arrangement):
            return _refused(f"Nobody is buried within 48 hours, so not before {self._earliest(arrangement)}.")
        self._journal = []
        changed_cremations: list[Any] = []
        changed_cremations_2: list[Any] = []
        changed_arrangements: list[Any] = []
        self._put("arrangements", arrangement, "place_id", None)
        self._put("arrangements", arrangement, "grave", grave)
        if fire is not None:
            changed_cremations.append(fire)
            self._put("cremations", fire, "done", True)
            changed_cremations_2.append(fire)
            self._put("cremations", fire, "urn", urn)
        if arrangement["kind"] == "burial":
            changed_arrangements.append(arrangement)
            self._put("arrangements", arrangement, "status", "buried")
        else:
            if arrangement["status"] not in ("open", "cremated"):
                return self._take_back(
                    f"Arrangement {arrangement['deceased']} cannot go from {arrangement['status']} to cremated."
                )
            changed_arrangements.append(arrangement)
            self._put("arrangements", arrangement, "status", "cremated")
        if self._breaks_rule_1_a(arrangement):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again(arrangement):
            return self._take_back(RULES[0])
        for one_arrangement in _distinct([arrangement, *changed_arrangements]):
            if self._breaks_rule_2(one_arrangement):
                return self._take_back(RULES[1])
        for one_cremation in _distinct([*changed_cremations, *changed_cremations_2]):
            if self._breaks_rule_10_c(one_cremation):
                return self._take_back(RULES[9])
        for one_cremation in _distinct(
            [
                *changed_cremations,
                *[
                    user
                    for one in changed_arrangements
                    for user in self._cremations_by_arrangement.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_c_again(one_cremation):
                return self._take_back(RULES[9])
        for one_arrangement in _distinct([arrangement, *changed_arrangements]):
            if self._breaks_rule_12(one_arrangement):
                return self._take_back(RULES[11])
        done = f"note the farewell to {arrangement['deceased']}"
        if urn is not None:
            done += f" with urn {urn}"
        if grave is not None:
            done += f" in grave {grave}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_over_urn(self, cremation_id: str, to: Text) -> Result:
        """Hand an urn over; half of the costs must be paid.

        Args:
            cremation_id (str): Id of the cremation, such as CREMATION-00001.
            to (str): Full name of the person who receives the urn.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cremation = self.cremations.get(cremation_id)
        if cremation is None:
            return _refused(f"There is no cremation {cremation_id!r}.")
        if not cremation["done"] or cremation["urn_went_to"] is not None:
            return _refused(
                f"The urn of {self.arrangements[cremation['arrangement_id']]['deceased']} is not in our custody."
            )
        if self._arrangement_received(
            self.arrangements[cremation["arrangement_id"]]
        ) * 2 < self._arrangement_total(self.arrangements[cremation["arrangement_id"]]):
            return _refused(
                f"{_money(self._arrangement_received(self.arrangements[cremation['arrangement_id']]))} of "
                f"{_money(self._arrangement_total(self.arrangements[cremation['arrangement_id']]))} are paid, and "
                "half is wanted first."
            )
        self._journal = []
        self._put("cremations", cremation, "urn_went_to", to)
        if self._breaks_rule_10_c(cremation):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: hand the urn of {self.arrangements[cremation['arrangement_id']]['deceased']} over to {to}."
            ),
            "data": self._changes(),
        }

    def add_cost(
        self,
        arrangement_id: str,
        what: Text,
        amount: Annotated[int, {"minimum": 100, "maximum": 900000}],
    ) -> Result:
        """Add a cost to an arrangement.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            what (str): What the cost is for.
            amount (int): Sum that is added, in cents, from 100 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        self._journal = []
        item: Item = {
            "id": self._new_id("item", "ITEM", self.items),
            "arrangement_id": arrangement_id,
            "what": what,
            "amount": amount,
        }
        self._add("items", item)
        if self._breaks_rule_11(self.arrangements[item["arrangement_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: add {what} for {_money(amount)} to the costs of {arrangement['deceased']} (new: item "
                f"{item['id']})."
            ),
            "data": {"item_id": item["id"], **self._changes()},
        }

    def plan_instalments(
        self,
        arrangement_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 12}],
        starts_on: Date,
    ) -> Result:
        """Plan all costs that are not planned yet in equal monthly instalments; the first one takes the cents that
        are left over.

        Args:
            arrangement_id (str): Id of the arrangement, such as ARRANGEMENT-00001.
            number (int): Number of monthly instalments, from 1 to 12.
            starts_on (str): Day on which the first one is due, today at the earliest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        arrangement = self.arrangements.get(arrangement_id)
        if arrangement is None:
            return _refused(f"There is no arrangement {arrangement_id!r}.")
        if starts_on < self.now[:10]:
            return _refused(f"{starts_on} is past.")
        if self._arrangement_unplanned(arrangement) // number < 100:
            return _refused(
                f"{_money(self._arrangement_unplanned(arrangement))} is too little for {number} instalments."
            )
        self._journal = []
        added_instalments: list[Any] = []
        open_sum = self._arrangement_unplanned(arrangement)
        part = open_sum // number
        for n in list(_numbers(0, number)):
            amount = part if n > 0 else open_sum - part * (number - 1)
            if not 100 <= amount <= 900000:
                return self._take_back("The amount of an instalment must be between 1.00 and 9,000.00.")
            instalment = {
                "id": self._new_id("instalment", "INSTALMENT", self.instalments),
                "arrangement_id": arrangement_id,
                "due_on": _add_months(starts_on, n),
                "amount": amount,
                "paid_on": None,
            }
            self._add("instalments", instalment)
            added_instalments.append(instalment)
        for one_arrangement in _distinct([self.arrangements[one["arrangement_id"]] for one in added_instalments]):
            if self._breaks_rule_11(one_arrangement):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: plan {number} instalments for {arrangement['deceased']}.",
            "data": self._changes(),
        }

    def pay_instalment(self, instalment_id: str) -> Result:
        """Note that an instalment was paid.

        Args:
            instalment_id (str): Id of the instalment, such as INSTALMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instalment = self.instalments.get(instalment_id)
        if instalment is None:
            return _refused(f"There is no instalment {instalment_id!r}.")
        if instalment["paid_on"] is not None:
            return _refused(f"It was paid on {instalment['paid_on']}.")
        self._journal = []
        self._put("instalments", instalment, "paid_on", self.now[:10])
        return {
            "success": True,
            "message": (
                f"Done: note the payment of {_money(instalment['amount'])} for "
                f"{self.arrangements[instalment['arrangement_id']]['deceased']}."
            ),
            "data": self._changes(),
        }

    def _show_celebrant(self, celebrant: Celebrant) -> dict[str, Any]:
        """The celebrant as an answer shows it."""
        return {**celebrant, "rites": [*celebrant["rites"]]}

    def _show_arrangement(self, arrangement: Arrangement) -> dict[str, Any]:
        """The arrangement as an answer shows it."""
        return {
            **arrangement,
            "papers": [*arrangement["papers"]],
            "total": self._arrangement_total(arrangement),
            "received": self._arrangement_received(arrangement),
            "unplanned": self._arrangement_unplanned(arrangement),
        }

    def _names_of_arrangements(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that arrangements point to."""
        return _names((self.places, "label", [row["place_id"] for row in shown]))

    def _names_of_ceremonies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that ceremonies point to."""
        return _names(
            (self.arrangements, "deceased", [row["arrangement_id"] for row in shown]),
            (self.chapels, "name", [row["chapel_id"] for row in shown]),
            (self.celebrants, "name", [row["celebrant_id"] for row in shown]),
        )

    def _names_of_cremations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cremations point to."""
        return _names((self.arrangements, "deceased", [row["arrangement_id"] for row in shown]))

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names((self.arrangements, "deceased", [row["arrangement_id"] for row in shown]))

    def _names_of_instalments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instalments point to."""
        return _names((self.arrangements, "deceased", [row["arrangement_id"] for row in shown]))

    def _arrangement_total(self, arrangement: Arrangement) -> int:
        """The total of an arrangement."""
        return sum(x["amount"] for x in self._items_by_arrangement.get(arrangement["id"], {}).values())

    def _arrangement_received(self, arrangement: Arrangement) -> int:
        """The received of an arrangement."""
        return sum(
            p["amount"]
            for p in self._instalments_by_arrangement.get(arrangement["id"], {}).values()
            if p["paid_on"] is not None
        )

    def _arrangement_unplanned(self, arrangement: Arrangement) -> int:
        """The unplanned of an arrangement."""
        return (
            sum(x["amount"] for x in self._items_by_arrangement.get(arrangement["id"], {}).values())
            - sum(p["amount"] for p in self._instalments_by_arrangement.get(arrangement["id"], {}).values())
        )

    def _ceremony_of(self, a: Arrangement) -> Ceremony | None:
        return next(
            (
                c
                for c in sorted(self._ceremonies_by_arrangement.get(a["id"], {}).values(), key=_age)
                if not c["cancelled"]
            ),
            None,
        )

    def _cremation_of(self, a: Arrangement) -> Cremation | None:
        return next((c for c in sorted(self._cremations_by_arrangement.get(a["id"], {}).values(), key=_age)), None)

    def _needed(self, k: str) -> list[str]:
        return (
            ["certificate", "burial_permit"]
            if k == "burial"
            else ["certificate", "cremation_permit", "second_examination"]
        )

    def _lacking(self, a: Arrangement) -> list[str]:
        return [p for p in self._needed(a["kind"]) if p not in a["papers"]]

    def _chapel_busy(self, h: Chapel, at: str, own: Ceremony | None) -> Ceremony | None:
        return next(
            (
                c
                for c in sorted(self._ceremonies_by_chapel.get(h["id"], {}).values(), key=_age)
                if not c["cancelled"]
                and c is not own
                and abs(_minutes_between(at, c["starts_at"])) < 90
            ),
            None,
        )

    def _speaking(self, m: Celebrant, at: str, own: Ceremony | None) -> Ceremony | None:
        return next(
            (
                c
                for c in sorted(self._ceremonies_by_celebrant.get(m["id"], {}).values(), key=_age)
                if not c["cancelled"]
                and c is not own
                and abs(_minutes_between(at, c["starts_at"])) < 120
            ),
            None,
        )

    def _oven_busy(self, at: str, own: Cremation | None) -> Cremation | None:
        return next(
            (c for c in self.cremations.values() if c is not own and abs(_minutes_between(at, c["starts_at"])) < 120),
            None,
        )

    def _earliest(self, a: Arrangement) -> str:
        return _plus_minutes(a["died_at"], 48 * 60)

    def _breaks_rule_1_a(self, a: Arrangement) -> bool:
        """Whether this is broken: a place in the cold room is for one person, and large coffins lie in wide places.
        """
        return (
            a["place_id"] is not None
            and any(
                other_a is not a
                for other_a in self._arrangements_by_place.get(a["place_id"], {}).values()
                if other_a["place_id"] is not None
            )
        )

    def _breaks_rule_1_a_again(self, a: Arrangement) -> bool:
        """Whether this is broken: a place in the cold room is for one person, and large coffins lie in wide places.
        """
        return a["place_id"] is not None and not self.places[a["place_id"]]["wide"] and a["large"]

    def _breaks_rule_2(self, a: Arrangement) -> bool:
        """Whether this is broken: whoever is still with us has a place in the cold room, and nobody else has."""
        return (a["status"] == "open") != (a["place_id"] is not None)

    def _breaks_rule_3_c(self, c: Ceremony) -> bool:
        """Whether this is broken: an arrangement has one ceremony and one cremation at most."""
        return (
            not c["cancelled"]
            and any(
                other_c is not c
                for other_c in self._ceremonies_by_arrangement.get(c["arrangement_id"], {}).values()
                if not other_c["cancelled"]
            )
        )

    def _breaks_rule_3_c_again(self, c: Cremation) -> bool:
        """Whether this is broken: an arrangement has one ceremony and one cremation at most."""
        return any(
            other_c is not c
            for other_c in self._cremations_by_arrangement.get(c["arrangement_id"], {}).values()
        )

    def _breaks_rule_4_a(self, a: Ceremony) -> bool:
        """Whether this is broken: ceremonies in a chapel begin at least an hour and a half apart."""
        return (
            not a["cancelled"]
            and any(
                abs(_minutes_between(b["starts_at"], a["starts_at"])) < 90
                for b in self._ceremonies_by_chapel.get(a["chapel_id"], {}).values()
                if a is not b
                and not b["cancelled"]
            )
        )

    def _breaks_rule_4_b(self, b: Ceremony) -> bool:
        """Whether this is broken: ceremonies in a chapel begin at least an hour and a half apart."""
        return (
            not b["cancelled"]
            and any(
                abs(_minutes_between(b["starts_at"], a["starts_at"])) < 90
                for a in self._ceremonies_by_chapel.get(b["chapel_id"], {}).values()
                if a is not b
                and not a["cancelled"]
            )
        )

    def _breaks_rule_5_a(self, a: Ceremony) -> bool:
        """Whether this is broken: a celebrant has two hours between the beginnings of two ceremonies, and holds only
        rites that are theirs.
        """
        return (
            not a["cancelled"]
            and any(
                abs(_minutes_between(b["starts_at"], a["starts_at"])) < 120
                for b in self._ceremonies_by_celebrant.get(a["celebrant_id"], {}).values()
                if a is not b
                and not b["cancelled"]
            )
        )

    def _breaks_rule_5_b(self, b: Ceremony) -> bool:
        """Whether this is broken: a celebrant has two hours between the beginnings of two ceremonies, and holds only
        rites that are theirs.
        """
        return (
            not b["cancelled"]
            and any(
                abs(_minutes_between(b["starts_at"], a["starts_at"])) < 120
                for a in self._ceremonies_by_celebrant.get(b["celebrant_id"], {}).values()
                if a is not b
                and not a["cancelled"]
            )
        )

    def _breaks_rule_5_c(self, c: Ceremony) -> bool:
        """Whether this is broken: a celebrant has two hours between the beginnings of two ceremonies, and holds only
        rites that are theirs.
        """
        return (
            not c["cancelled"]
            and self.arrangements[c["arrangement_id"]]["rite"] not in self.celebrants[c["celebrant_id"]]["rites"]
        )

    def _breaks_rule_6(self, c: Ceremony) -> bool:
        """Whether this is broken: no more guests are expected than a chapel seats."""
        return not c["cancelled"] and c["guests"] > self.chapels[c["chapel_id"]]["seats"]

    def _breaks_rule_7_a(self, a: Cremation) -> bool:
        """Whether this is broken: cremations are two hours apart, and nobody is cremated within 48 hours of their
        death.
        """
        return any(
            abs(_minutes_between(b["starts_at"], a["starts_at"])) < 120
            for b in self.cremations.values()
            if a is not b
        )

    def _breaks_rule_7_b(self, b: Cremation) -> bool:
        """Whether this is broken: cremations are two hours apart, and nobody is cremated within 48 hours of their
        death.
        """
        return any(
            abs(_minutes_between(b["starts_at"], a["starts_at"])) < 120
            for a in self.cremations.values()
            if a is not b
        )

    def _breaks_rule_7_c(self, c: Cremation) -> bool:
        """Whether this is broken: cremations are two hours apart, and nobody is cremated within 48 hours of their
        death.
        """
        return c["starts_at"] < self._earliest(self.arrangements[c["arrangement_id"]])

    def _breaks_rule_8(self, c: Cremation) -> bool:
        """Whether this is broken: a cremation needs all its papers and an arrangement for a cremation."""
        return (
            self.arrangements[c["arrangement_id"]]["kind"] != "cremation"
            or len(self._lacking(self.arrangements[c["arrangement_id"]])) != 0
        )

    def _breaks_rule_9_d(self, d: Cremation) -> bool:
        """Whether this is broken: a cremation begins after the ceremony."""
        return any(
            not c["cancelled"]
            and d["starts_at"] < _plus_minutes(c["starts_at"], 60)
            for c in self._ceremonies_by_arrangement.get(d["arrangement_id"], {}).values()
        )

    def _breaks_rule_9_c(self, c: Ceremony) -> bool:
        """Whether this is broken: a cremation begins after the ceremony."""
        return any(
            not c["cancelled"]
            and d["starts_at"] < _plus_minutes(c["starts_at"], 60)
            for d in self._cremations_by_arrangement.get(c["arrangement_id"], {}).values()
        )

    def _breaks_rule_10_c(self, c: Cremation) -> bool:
        """Whether this is broken: there is an urn after the cremation only, and it leaves custody once."""
        return not (c["done"] == (c["urn"] is not None) and (c["urn"] is not None or c["urn_went_to"] is None))

    def _breaks_rule_10_c_again(self, c: Cremation) -> bool:
        """Whether this is broken: there is an urn after the cremation only, and it leaves custody once."""
        return (self.arrangements[c["arrangement_id"]]["status"] == "cremated") != c["done"]

    def _breaks_rule_11(self, a: Arrangement) -> bool:
        """Whether this is broken: instalments never come to more than the costs."""
        return self._arrangement_unplanned(a) < 0

    def _breaks_rule_12(self, a: Arrangement) -> bool:
        """Whether this is broken: a grave is named for those who were buried, and for nobody else."""
        return (a["status"] == "buried") != (a["grave"] is not None)

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
            case "arrangements":
                self._arrangements_by_deceased.setdefault(record["deceased"], {})[record["id"]] = record
                self._arrangements_by_place.setdefault(record["place_id"], {})[record["id"]] = record
                self._arrangements_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "ceremonies":
                self._ceremonies_by_arrangement.setdefault(record["arrangement_id"], {})[record["id"]] = record
                self._ceremonies_by_celebrant.setdefault(record["celebrant_id"], {})[record["id"]] = record
                self._ceremonies_by_chapel.setdefault(record["chapel_id"], {})[record["id"]] = record
            case "cremations":
                self._cremations_by_arrangement.setdefault(record["arrangement_id"], {})[record["id"]] = record
            case "items":
                self._items_by_arrangement.setdefault(record["arrangement_id"], {})[record["id"]] = record
            case "instalments":
                self._instalments_by_arrangement.setdefault(record["arrangement_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "arrangements":
                del self._arrangements_by_deceased[record["deceased"]][record["id"]]
                del self._arrangements_by_place[record["place_id"]][record["id"]]
                del self._arrangements_by_status[record["status"]][record["id"]]
            case "ceremonies":
                del self._ceremonies_by_arrangement[record["arrangement_id"]][record["id"]]
                del self._ceremonies_by_celebrant[record["celebrant_id"]][record["id"]]
                del self._ceremonies_by_chapel[record["chapel_id"]][record["id"]]
            case "cremations":
                del self._cremations_by_arrangement[record["arrangement_id"]][record["id"]]
            case "items":
                del self._items_by_arrangement[record["arrangement_id"]][record["id"]]
            case "instalments":
                del self._instalments_by_arrangement[record["arrangement_id"]][record["id"]]
