"""Dairy herd. Compiled from blueprint.yaml; run `envscaler build dairy_herd` after changing it there.

Keeps a dairy herd through insemination, calving, milking and dry-off, holds milk back after antibiotics and
fills and empties the bulk tanks.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A pen never holds more animals than it has places.",
    "Heifers stand in a pen for young stock, dry cows in a dry pen and cows in milk in a herd or sick pen.",
    "An animal that was sold or has died has left its pen and every other one stands in a pen.",
    "A cow has at most one insemination that is open or has taken.",
    "A sold or dead animal carries no calf in these books.",
    "A cow is never inseminated by her own sire.",
    "Held milk never goes into a bulk tank.",
    "A cow is milked once in a shift.",
    "A bulk tank never holds more than fits in.",
    "A cow that has calved has a lactation number and a calving time, and a heifer has neither.",
    "A calf is younger than its dam.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "inseminate_cow",
    "check_pregnancy",
    "record_abortion",
    "dry_off_cow",
    "record_calving",
    "treat_cow",
    "record_milking",
    "empty_tank",
    "move_animal",
    "remove_animal",
    "restock_straws",
)
"""The methods that may change something; all others only read."""

COW_PHASE_MOVES = {
    ("heifer", "milking"),
    ("heifer", "sold"),
    ("heifer", "dead"),
    ("milking", "dry"),
    ("milking", "sold"),
    ("milking", "dead"),
    ("dry", "milking"),
    ("dry", "sold"),
    ("dry", "dead"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "pens": ("name",),
    "cows": ("name",),
    "bulls": ("name",),
    "inseminations": (),
    "medicines": ("name",),
    "treatments": (),
    "tanks": ("name",),
    "milkings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("cows", "ear_tag"),
    ("cows", "name"),
    ("cows", "pen_id"),
    ("inseminations", "cow_id"),
    ("inseminations", "status"),
    ("milkings", "cow_id"),
    ("milkings", "shift"),
    ("treatments", "cow_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Pen(TypedDict):
    id: str
    name: str
    kind: Literal["herd", "sick", "dry", "young"]
    places: int


class Cow(TypedDict):
    id: str
    name: str
    ear_tag: str
    pen_id: str | None
    born: str
    dam_id: str | None
    sire_id: str | None
    lactation: int
    calved_at: str | None
    phase: Literal["heifer", "milking", "sold", "dead", "dry"]


class Bull(TypedDict):
    id: str
    name: str
    breed: Literal["holstein", "jersey", "angus", "montbeliarde"]
    straws: int


class Insemination(TypedDict):
    id: str
    cow_id: str
    bull_id: str
    served_on: str
    checked_on: str | None
    status: Literal["open", "pregnant", "empty", "calved", "lost"]


class Medicine(TypedDict):
    id: str
    name: str
    use: Literal["udder", "general", "dry_cow"]
    milk_days: int
    meat_days: int


class Treatment(TypedDict):
    id: str
    cow_id: str
    medicine_id: str
    reason: str
    given_at: str
    milk_from: str
    meat_from: str


class Tank(TypedDict):
    id: str
    name: str
    capacity: int
    litres: int
    sold: int
    last_into: Literal["tanker", "calves", "slurry"] | None
    emptied_at: str | None


class Milking(TypedDict):
    id: str
    cow_id: str
    at: str
    shift: Literal["morning", "evening"]
    litres: int
    tank_id: str | None


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


class DairyHerd:
    """Keeps a dairy herd through insemination, calving, milking and dry-off, holds milk back after
    antibiotics and fills and empties the bulk tanks.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.pens: dict[str, Pen] = _copied(config.get("pens", {}))
        self.cows: dict[str, Cow] = _copied(config.get("cows", {}))
        self.bulls: dict[str, Bull] = _copied(config.get("bulls", {}))
        self.inseminations: dict[str, Insemination] = _copied(config.get("inseminations", {}))
        self.medicines: dict[str, Medicine] = _copied(config.get("medicines", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.tanks: dict[str, Tank] = _copied(config.get("tanks", {}))
        self.milkings: dict[str, Milking] = _copied(config.get("milkings", {}))
        self.now: str = config.get("now", "2026-03-02T07:40")
        self.counters: dict[str, int] = {
            "pen": len(self.pens),
            "cow": len(self.cows),
            "bull": len(self.bulls),
            "insemination": len(self.inseminations),
            "medicine": len(self.medicines),
            "treatment": len(self.treatments),
            "tank": len(self.tanks),
            "milking": len(self.milkings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._cows_by_ear_tag: dict[Any, dict[str, Cow]] = {}
        self._cows_by_lower_name: dict[Any, dict[str, Cow]] = {}
        self._cows_by_name: dict[Any, dict[str, Cow]] = {}
        self._cows_by_pen: dict[Any, dict[str, Cow]] = {}
        self._inseminations_by_cow: dict[Any, dict[str, Insemination]] = {}
        self._inseminations_by_cow_status: dict[Any, dict[str, Insemination]] = {}
        self._treatments_by_cow: dict[Any, dict[str, Treatment]] = {}
        self._milkings_by_cow: dict[Any, dict[str, Milking]] = {}
        self._milkings_by_cow_shift: dict[Any, dict[str, Milking]] = {}
        for cow in self.cows.values():
            self._link("cows", cow)
        for insemination in self.inseminations.values():
            self._link("inseminations", insemination)
        for treatment in self.treatments.values():
            self._link("treatments", treatment)
        for milking in self.milkings.values():
            self._link("milkings", milking)

    def held_milk(
        self,
        pen_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Animals whose milk is held back now, with the time from which it may be sold.

        Args:
            pen_id (str, optional): Pen the animals stand in; an id such as PEN-00001. If left out, the animals of
                all pens are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cows": records}} or {"success": False, "error": why
                not}
        """
        pen = self.pens.get(pen_id) if pen_id is not None else None
        if pen_id is not None and pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        found = [
            c
            for c in self.cows.values()
            if (self._held(c, self.now) and c["phase"] == "milking")
            and (pen_id is None or c["pen_id"] == pen_id)
        ]
        found.sort(
            key=lambda c: (
                self._cow_milk_held_until(c) if self._cow_milk_held_until(c) is not None else self.now,
                c["name"],
                _age(c),
            )
        )
        shown = [
            {"id": c["id"], "name": c["name"], "pen": c["pen_id"], "milk_from": self._cow_milk_held_until(c)}
            for c in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "cows": shown},
            _names((self.pens, "name", [row["pen"] for row in shown])),
        )

    def due_cows(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Animals in calf that are due until a day, soonest first.

        Args:
            until (str): Last expected calving day that is listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inseminations": records}} or {"success": False,
                "error": why not}
        """
        found = [
            i
            for i in self.inseminations.values()
            if (i["status"] == "pregnant" and self._insemination_due_on(i) <= until)
        ]
        found.sort(key=lambda i: (self._insemination_due_on(i), self.cows[i["cow_id"]]["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "inseminations": [
                    {
                        "cow_id": i["cow_id"],
                        "cow": self.cows[i["cow_id"]]["name"],
                        "phase": self.cows[i["cow_id"]]["phase"],
                        "due_on": self._insemination_due_on(i),
                        "bull": self.bulls[i["bull_id"]]["name"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def to_scan(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Animals that were served at least 28 days ago and not scanned yet, longest first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inseminations": records}} or {"success": False,
                "error": why not}
        """
        found = [
            i
            for i in self.inseminations.values()
            if (i["status"] == "open" and _plus_days(i["served_on"], 28) <= self.now[:10])
        ]
        found.sort(key=lambda i: (i["served_on"], self.cows[i["cow_id"]]["name"], _age(i)))
        shown = [
            {
                "cow_id": i["cow_id"],
                "cow": self.cows[i["cow_id"]]["name"],
                "pen": self.cows[i["cow_id"]]["pen_id"],
                "served_on": i["served_on"],
                "bull": self.bulls[i["bull_id"]]["name"],
            }
            for i in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "inseminations": shown},
            _names((self.pens, "name", [row["pen"] for row in shown])),
        )

    def list_pens(
        self,
        name: Text | None = None,
        kind: Literal["herd", "sick", "dry", "young"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pens, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pens whose name contains this text.
            kind (str, optional): Only pens with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pens": records}}
        """
        found = [
            pen
            for pen in self.pens.values()
            if (name is None or name.casefold() in pen["name"].casefold())
            and (kind is None or pen["kind"] == kind)
        ]
        return _found({"total": len(found), "pens": [self._show_pen(pen) for pen in _page(found, offset)]})

    def list_cows(
        self,
        name: Text | None = None,
        pen_id: str | None = None,
        dam_id: str | None = None,
        sire_id: str | None = None,
        phase: Literal["heifer", "milking", "sold", "dead", "dry"] | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cows, oldest first, all of them or only some.

        Args:
            name (str, optional): Only cows whose name contains this text.
            pen_id (str, optional): Only cows of this pen.
            dam_id (str, optional): Only cows whose dam is this cow.
            sire_id (str, optional): Only cows whose sire is this bull.
            phase (str, optional): Only cows with this phase.
            born_from (str, optional): Only cows whose `born` is on this day or later.
            born_to (str, optional): Only cows whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cows": records}}
        """
        if pen_id is not None and pen_id not in self.pens:
            return _refused(f"There is no pen {pen_id!r}.")
        if dam_id is not None and dam_id not in self.cows:
            return _refused(f"There is no cow {dam_id!r}.")
        if sire_id is not None and sire_id not in self.bulls:
            return _refused(f"There is no bull {sire_id!r}.")
        found = [
            cow
            for cow in self.cows.values()
            if (name is None or name.casefold() in cow["name"].casefold())
            and (pen_id is None or cow["pen_id"] == pen_id)
            and (dam_id is None or cow["dam_id"] == dam_id)
            and (sire_id is None or cow["sire_id"] == sire_id)
            and (phase is None or cow["phase"] == phase)
            and (born_from is None or cow["born"] >= born_from)
            and (born_to is None or cow["born"] <= born_to)
        ]
        shown = [self._show_cow(cow) for cow in _page(found, offset)]
        return _found({"total": len(found), "cows": shown}, self._names_of_cows(shown))

    def list_bulls(
        self,
        name: Text | None = None,
        breed: Literal["holstein", "jersey", "angus", "montbeliarde"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bulls, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bulls whose name contains this text.
            breed (str, optional): Only bulls with this breed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bulls": records}}
        """
        found = [
            bull
            for bull in self.bulls.values()
            if (name is None or name.casefold() in bull["name"].casefold())
            and (breed is None or bull["breed"] == breed)
        ]
        return _found({"total": len(found), "bulls": [{**bull} for bull in _page(found, offset)]})

    def list_inseminations(
        self,
        cow_id: str | None = None,
        bull_id: str | None = None,
        status: Literal["open", "pregnant", "empty", "calved", "lost"] | None = None,
        served_on_from: Date | None = None,
        served_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inseminations, oldest first, all of them or only some.

        Args:
            cow_id (str, optional): Only inseminations of this cow.
            bull_id (str, optional): Only inseminations of this bull.
            status (str, optional): Only inseminations with this status.
            served_on_from (str, optional): Only inseminations whose `served_on` is on this day or later.
            served_on_to (str, optional): Only inseminations whose `served_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inseminations": records}}
        """
        if cow_id is not None and cow_id not in self.cows:
            return _refused(f"There is no cow {cow_id!r}.")
        if bull_id is not None and bull_id not in self.bulls:
            return _refused(f"There is no bull {bull_id!r}.")
        found = [
            insemination
            for insemination in self.inseminations.values()
            if (cow_id is None or insemination["cow_id"] == cow_id)
            and (bull_id is None or insemination["bull_id"] == bull_id)
            and (status is None or insemination["status"] == status)
            and (served_on_from is None or insemination["served_on"] >= served_on_from)
            and (served_on_to is None or insemination["served_on"] <= served_on_to)
        ]
        shown = [self._show_insemination(insemination) for insemination in _page(found, offset)]
        return _found({"total": len(found), "inseminations": shown}, self._names_of_inseminations(shown))

    def list_medicines(
        self,
        name: Text | None = None,
        use: Literal["udder", "general", "dry_cow"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the medicines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only medicines whose name contains this text.
            use (str, optional): Only medicines with this use.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "medicines": records}}
        """
        found = [
            medicine
            for medicine in self.medicines.values()
            if (name is None or name.casefold() in medicine["name"].casefold())
            and (use is None or medicine["use"] == use)
        ]
        return _found({"total": len(found), "medicines": [{**medicine} for medicine in _page(found, offset)]})

    def list_treatments(
        self,
        cow_id: str | None = None,
        medicine_id: str | None = None,
        given_at_from: Date | None = None,
        given_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            cow_id (str, optional): Only treatments of this cow.
            medicine_id (str, optional): Only treatments of this medicine.
            given_at_from (str, optional): Only treatments whose `given_at` is on this day or later.
            given_at_to (str, optional): Only treatments whose `given_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        if cow_id is not None and cow_id not in self.cows:
            return _refused(f"There is no cow {cow_id!r}.")
        if medicine_id is not None and medicine_id not in self.medicines:
            return _refused(f"There is no medicine {medicine_id!r}.")
        found = [
            treatment
            for treatment in self.treatments.values()
            if (cow_id is None or treatment["cow_id"] == cow_id)
            and (medicine_id is None or treatment["medicine_id"] == medicine_id)
            and (given_at_from is None or treatment["given_at"][:10] >= given_at_from)
            and (given_at_to is None or treatment["given_at"][:10] <= given_at_to)
        ]
        shown = [{**treatment} for treatment in _page(found, offset)]
        return _found({"total": len(found), "treatments": shown}, self._names_of_treatments(shown))

    def list_tanks(
        self,
        name: Text | None = None,
        last_into: Literal["tanker", "calves", "slurry"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tanks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tanks whose name contains this text.
            last_into (str, optional): Only tanks with this last into.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tanks": records}}
        """
        found = [
            tank
            for tank in self.tanks.values()
            if (name is None or name.casefold() in tank["name"].casefold())
            and (last_into is None or tank["last_into"] == last_into)
        ]
        return _found({"total": len(found), "tanks": [self._show_tank(tank) for tank in _page(found, offset)]})

    def list_milkings(
        self,
        cow_id: str | None = None,
        shift: Literal["morning", "evening"] | None = None,
        tank_id: str | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the milkings, oldest first, all of them or only some.

        Args:
            cow_id (str, optional): Only milkings of this cow.
            shift (str, optional): Only milkings with this shift.
            tank_id (str, optional): Only milkings of this tank.
            at_from (str, optional): Only milkings whose `at` is on this day or later.
            at_to (str, optional): Only milkings whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "milkings": records}}
        """
        if cow_id is not None and cow_id not in self.cows:
            return _refused(f"There is no cow {cow_id!r}.")
        if tank_id is not None and tank_id not in self.tanks:
            return _refused(f"There is no tank {tank_id!r}.")
        found = [
            milking
            for milking in self.milkings.values()
            if (cow_id is None or milking["cow_id"] == cow_id)
            and (shift is None or milking["shift"] == shift)
            and (tank_id is None or milking["tank_id"] == tank_id)
            and (at_from is None or milking["at"][:10] >= at_from)
            and (at_to is None or milking["at"][:10] <= at_to)
        ]
        shown = [{**milking} for milking in _page(found, offset)]
        return _found({"total": len(found), "milkings": shown}, self._names_of_milkings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def inseminate_cow(self, cow_id: str, bull_id: str) -> Result:
        """Inseminate a heifer or cow in heat; an older insemination that was never checked counts as empty then.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            bull_id (str): Id of the bull, such as BULL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        bull = self.bulls.get(bull_id)
        if bull is None:
            return _refused(f"There is no bull {bull_id!r}.")
        if cow["phase"] not in ("heifer", "milking"):
            return _refused(f"{cow['name']} is {cow['phase']} and is not inseminated.")
        if cow["phase"] == "heifer" and _add_months(cow["born"], 14) > self.now[:10]:
            return _refused(f"{cow['name']} was born on {cow['born']} and is too young before 14 months.")
        if cow["calved_at"] is not None and _plus_days(cow["calved_at"][:10], 45) > self.now[:10]:
            return _refused(f"{cow['name']} calved less than 45 days ago.")
        last = self._service(cow)
        if last is not None and last["status"] != "open":
            return _refused(f"{cow['name']} is in calf already.")
        if last is not None and _plus_days(last["served_on"], 18) > self.now[:10]:
            return _refused(f"{cow['name']} was inseminated less than 18 days ago, on {last['served_on']}.")
        if cow["sire_id"] is not None and cow["sire_id"] == bull_id:
            return _refused(f"{bull['name']} is the sire of {cow['name']}, so take another bull.")
        if bull["straws"] <= 0:
            return _refused(f"There is no straw of {bull['name']} left.")
        self._journal = []
        changed_inseminations: list[Any] = []
        for i in sorted(self._inseminations_by_cow_status.get((cow_id, "open"), {}).values(), key=_age):
            if i["status"] not in ("open", "empty"):
                return self._take_back(f"Insemination {i['id']} cannot go from {i['status']} to empty.")
            changed_inseminations.append(i)
            self._put("inseminations", i, "status", "empty")
        straws = bull["straws"] - 1
        if not 0 <= straws <= 60:
            return self._take_back(f"The straws of {bull['name']} must be between 0 and 60.")
        self._put("bulls", bull, "straws", straws)
        insemination: Insemination = {
            "id": self._new_id("insemination", "INSEMINATION", self.inseminations),
            "cow_id": cow_id,
            "bull_id": bull_id,
            "served_on": self.now[:10],
            "checked_on": None,
            "status": "open",
        }
        self._add("inseminations", insemination)
        for one_insemination in _distinct([insemination, *changed_inseminations]):
            if self._breaks_rule_4(one_insemination):
                return self._take_back(RULES[3])
        for one_insemination in _distinct([insemination, *changed_inseminations]):
            if self._breaks_rule_5(one_insemination):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(insemination):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: inseminate {cow['name']} with {bull['name']} (new: insemination {insemination['id']})."
            ),
            "data": {"insemination_id": insemination["id"], **self._changes()},
        }

    def check_pregnancy(self, cow_id: str, pregnant: bool) -> Result:
        """Enter the result of the scan of an inseminated cow, at least 28 days after she was served.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            pregnant (bool): Whether the scan shows that the cow is in calf.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        last = self._service(cow)
        if last is None or last["status"] != "open":
            return _refused(f"{cow['name']} has no insemination that waits for a scan.")
        if _plus_days(last["served_on"], 28) > self.now[:10]:
            return _refused(
                f"{cow['name']} was served on {last['served_on']} and can be scanned from "
                f"{_plus_days(last['served_on'], 28)}."
            )
        self._journal = []
        self._put("inseminations", last, "checked_on", self.now[:10])
        status = "pregnant" if pregnant else "empty"
        self._put("inseminations", last, "status", status)
        if self._breaks_rule_4(last):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(last):
            return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: enter the scan of {cow['name']}.", "data": self._changes()}

    def record_abortion(self, cow_id: str) -> Result:
        """Record that a cow has lost her calf.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        last = self._service(cow)
        if last is None or last["status"] != "pregnant":
            return _refused(f"{cow['name']} is not known to be in calf.")
        self._journal = []
        self._put("inseminations", last, "checked_on", self.now[:10])
        self._put("inseminations", last, "status", "lost")
        if self._breaks_rule_4(last):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(last):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: record that {cow['name']} has lost her calf.",
            "data": self._changes(),
        }

    def dry_off_cow(self, cow_id: str, pen_id: str, tube_id: str | None = None) -> Result:
        """Dry a cow off 40 to 75 days before she calves and put her into a dry pen, with a dry-cow tube if wanted.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            pen_id (str): Id of the pen, such as PEN-00001.
            tube_id (str, optional): Dry-cow medicine given to the cow at dry-off; an id such as MEDICINE-00001. If
                left out, she gets no medicine.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        tube = self.medicines.get(tube_id) if tube_id is not None else None
        if tube_id is not None and tube is None:
            return _refused(f"There is no medicine {tube_id!r}.")
        if cow["phase"] != "milking":
            return _refused(f"{cow['name']} is {cow['phase']}, not in milk.")
        calf = self._service(cow)
        if calf is None or calf["status"] != "pregnant":
            return _refused(f"{cow['name']} is not known to be in calf.")
        if (
            _plus_days(self.now[:10], 40) > self._insemination_due_on(calf)
            or self._insemination_due_on(calf) > _plus_days(self.now[:10], 75)
        ):
            return _refused(
                f"{cow['name']} is due on {self._insemination_due_on(calf)}; cows are dried off 40 to 75 days before."
            )
        if self._held(cow, self.now):
            return _refused(f"{cow['name']} is still under treatment, and her milk is held back.")
        if pen["kind"] != "dry":
            return _refused(f"{pen['name']} is no pen for dry cows.")
        if self._pen_free(pen) <= 0:
            return _refused(f"{pen['name']} is full.")
        if tube_id is not None and tube["use"] != "dry_cow":
            return _refused(f"{tube['name']} is not a dry-cow tube.")
        self._journal = []
        added_treatments: list[Any] = []
        former_pen_id = cow["pen_id"]
        self._put("cows", cow, "pen_id", pen_id)
        self._put("cows", cow, "phase", "dry")
        if tube_id is not None:
            treatment = {
                "id": self._new_id("treatment", "TREATMENT", self.treatments),
                "cow_id": cow_id,
                "medicine_id": tube_id,
                "reason": "dry-off",
                "given_at": self.now,
                "milk_from": _plus_minutes(self.now, tube["milk_days"] * 1440),
                "meat_from": _plus_days(self.now[:10], tube["meat_days"]),
            }
            self._add("treatments", treatment)
            added_treatments.append(treatment)
        for one_pen in _distinct([self.pens.get(cow["pen_id"]), self.pens.get(former_pen_id)]):
            if self._breaks_rule_1(one_pen):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(cow):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(cow):
            return self._take_back(RULES[2])
        for one_insemination in _distinct(self._inseminations_by_cow.get(cow["id"], {}).values()):
            if self._breaks_rule_5(one_insemination):
                return self._take_back(RULES[4])
        for one_treatment in _distinct(added_treatments):
            if self._breaks_rule_7_t(one_treatment):
                return self._take_back(RULES[6])
        if self._breaks_rule_10(cow):
            return self._take_back(RULES[9])
        done = f"dry {cow['name']} off into {pen['name']}"
        if tube is not None:
            done += f" with {tube['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def record_calving(
        self,
        cow_id: str,
        pen_id: str,
        calf_name: Text | None = None,
        ear_tag: Text | None = None,
        calf_pen_id: str | None = None,
    ) -> Result:
        """Record a calving; the cow joins a pen for cows in milk, and a heifer calf that is kept gets a name, an ear
        tag and a pen.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            pen_id (str): Id of the pen, such as PEN-00001.
            calf_name (str, optional): Name of the heifer calf, given only together with its ear tag and pen. If
                left out, no calf is kept.
            ear_tag (str, optional): Ear tag number of the heifer calf, not in use yet. If left out, no calf is
                kept.
            calf_pen_id (str, optional): Pen for young stock that the heifer calf goes into; an id such as
                PEN-00001. If left out, no calf is kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        calf_pen = self.pens.get(calf_pen_id) if calf_pen_id is not None else None
        if calf_pen_id is not None and calf_pen is None:
            return _refused(f"There is no pen {calf_pen_id!r}.")
        if cow["phase"] not in ("dry", "heifer"):
            return _refused(f"{cow['name']} is {cow['phase']}; only dry cows and heifers calve.")
        calf = self._service(cow)
        if calf is None or calf["status"] != "pregnant":
            return _refused(f"{cow['name']} is not known to be in calf.")
        if self._insemination_due_on(calf) > _plus_days(self.now[:10], 18):
            return _refused(f"{cow['name']} is due on {self._insemination_due_on(calf)}; enter a loss instead.")
        if pen["kind"] not in ("herd", "sick"):
            return _refused(f"{pen['name']} is no pen for cows in milk.")
        if self._pen_free(pen) <= 0:
            return _refused(f"{pen['name']} is full, so make room first.")
        if (calf_name is None) != (ear_tag is None) or (calf_name is None) != (calf_pen_id is None):
            return _refused("A calf that is kept needs a name, an ear tag and a pen.")
        if not (calf_name is None or not self._cows_by_lower_name.get(calf_name.lower(), {})):
            return _refused(f"There is an animal called {calf_name} already.")
        if not (ear_tag is None or not self._cows_by_ear_tag.get(ear_tag, {})):
            return _refused(f"The ear tag {ear_tag} is in use.")
        if calf_pen_id is not None and calf_pen["kind"] != "young":
            return _refused(f"{calf_pen['name']} is no pen for young stock.")
        if calf_pen_id is not None and self._pen_free(calf_pen) <= 0 and cow["pen_id"] != calf_pen_id:
            return _refused(f"{calf_pen['name']} is full.")
        done = f"record the calving of {cow['name']} into {pen['name']}"
        if calf_name is not None:
            done += f" with the calf {calf_name}"
        self._journal = []
        added_cows: list[Any] = []
        self._put("inseminations", calf, "status", "calved")
        self._put("cows", cow, "calved_at", self.now)
        lactation = cow["lactation"] + 1
        if not 0 <= lactation <= 15:
            return self._take_back(f"The lactation of {cow['name']} must be between 0 and 15.")
        self._put("cows", cow, "lactation", lactation)
        former_pen_id = cow["pen_id"]
        self._put("cows", cow, "pen_id", pen_id)
        self._put("cows", cow, "phase", "milking")
        if calf_name is not None and ear_tag is not None and calf_pen_id is not None:
            new_cow = {
                "id": self._new_id("cow", "COW", self.cows),
                "name": calf_name,
                "ear_tag": ear_tag,
                "pen_id": calf_pen_id,
                "born": self.now[:10],
                "dam_id": cow_id,
                "sire_id": calf["bull_id"],
                "lactation": 0,
                "calved_at": None,
                "phase": "heifer",
            }
            self._add("cows", new_cow)
            added_cows.append(new_cow)
        for one_cow in added_cows:
            if len(self._cows_by_name.get(one_cow["name"], {})) > 1:
                return self._take_back(f"There is already a cow with the name {one_cow['name']!r}.")
        for one_cow_2 in added_cows:
            if len(self._cows_by_ear_tag.get(one_cow_2["ear_tag"], {})) > 1:
                return self._take_back(f"There is already a cow with the ear tag {one_cow_2['ear_tag']!r}.")
        for one_pen in _distinct(
            [
                self.pens.get(cow["pen_id"]),
                self.pens.get(former_pen_id),
                *[self.pens.get(one["pen_id"]) for one in added_cows],
            ]
        ):
            if self._breaks_rule_1(one_pen):
                return self._take_back(RULES[0])
        for one_cow_3 in _distinct([cow, *added_cows]):
            if self._breaks_rule_2(one_cow_3):
                return self._take_back(RULES[1])
        for one_cow_3 in _distinct([cow, *added_cows]):
            if self._breaks_rule_3(one_cow_3):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(calf):
            return self._take_back(RULES[3])
        for one_insemination in _distinct([calf, *self._inseminations_by_cow.get(cow["id"], {}).values()]):
            if self._breaks_rule_5(one_insemination):
                return self._take_back(RULES[4])
        for one_cow_3 in _distinct([cow, *added_cows]):
            if self._breaks_rule_10(one_cow_3):
                return self._take_back(RULES[9])
        for one_cow_3 in _distinct(added_cows):
            if self._breaks_rule_11(one_cow_3):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def treat_cow(self, cow_id: str, medicine_id: str, reason: Text) -> Result:
        """Give a medicine to an animal; one in milk must stand in a sick pen before she gets anything that holds her
        milk back.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            medicine_id (str): Id of the medicine, such as MEDICINE-00001.
            reason (str): Illness or other reason for the treatment.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        medicine = self.medicines.get(medicine_id)
        if medicine is None:
            return _refused(f"There is no medicine {medicine_id!r}.")
        if cow["pen_id"] is None:
            return _refused(f"{cow['name']} is {cow['phase']} and no longer in the herd.")
        if medicine["use"] == "dry_cow":
            return _refused(f"{medicine['name']} is given at dry-off only.")
        if medicine["use"] != "general" and cow["phase"] != "milking":
            return _refused(f"{medicine['name']} is for cows in milk.")
        if cow["phase"] == "milking" and medicine["milk_days"] != 0 and self.pens[cow["pen_id"]]["kind"] != "sick":
            return _refused(
                f"{medicine['name']} holds the milk back for {medicine['milk_days']} days, so move {cow['name']} "
                "to a sick pen first."
            )
        self._journal = []
        treatment: Treatment = {
            "id": self._new_id("treatment", "TREATMENT", self.treatments),
            "cow_id": cow_id,
            "medicine_id": medicine_id,
            "reason": reason,
            "given_at": self.now,
            "milk_from": _plus_minutes(self.now, medicine["milk_days"] * 1440),
            "meat_from": _plus_days(self.now[:10], medicine["meat_days"]),
        }
        self._add("treatments", treatment)
        if self._breaks_rule_7_t(treatment):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: treat {cow['name']} with {medicine['name']} for {reason} (new: treatment {treatment['id']})."
            ),
            "data": {"treatment_id": treatment["id"], **self._changes()},
        }

    def record_milking(
        self,
        cow_id: str,
        litres: Annotated[int, {"minimum": 1, "maximum": 60}],
        tank_id: str | None = None,
    ) -> Result:
        """Record what a cow gave in this shift and the tank it went into; without a tank it is poured away.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            litres (int): Milk that the cow gave in this shift, in litres, from 1 to 60.
            tank_id (str, optional): Tank the milk goes into; an id such as TANK-00001. If left out, the milk is
                poured away, as it must be while it is held back.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        tank = self.tanks.get(tank_id) if tank_id is not None else None
        if tank_id is not None and tank is None:
            return _refused(f"There is no tank {tank_id!r}.")
        if cow["phase"] != "milking" or cow["pen_id"] is None:
            return _refused(f"{cow['name']} is not in milk.")
        if self._milked(cow, self.now):
            return _refused(f"{cow['name']} has been milked this {self._shift_of(self.now)} already.")
        if tank_id is not None and self._held(cow, self.now):
            return _refused(f"The milk of {cow['name']} is held back after treatment and must be poured away.")
        if tank_id is not None and self._fresh(cow, self.now):
            return _refused(
                f"{cow['name']} has calved less than four days ago, so this is colostrum and stays out of the tank."
            )
        if tank_id is not None and self.pens[cow["pen_id"]]["kind"] != "herd":
            return _refused(f"{cow['name']} stands in a sick pen; move her back to the herd before her milk is sold.")
        if tank_id is not None and self._tank_room(tank) < litres:
            return _refused(f"{tank['name']} has room for {self._tank_room(tank)} litres, not {litres}.")
        self._journal = []
        changed_tanks: list[Any] = []
        milking: Milking = {
            "id": self._new_id("milking", "MILKING", self.milkings),
            "cow_id": cow_id,
            "at": self.now,
            "shift": self._shift_of(self.now),
            "litres": litres,
            "tank_id": tank_id,
        }
        self._add("milkings", milking)
        if tank_id is not None:
            new_litres = tank["litres"] + litres
            if not 0 <= new_litres <= 9000:
                return self._take_back(f"The litres of {tank['name']} must be between 0 and 9000.")
            changed_tanks.append(tank)
            self._put("tanks", tank, "litres", new_litres)
        if self._breaks_rule_7_m(milking):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(milking):
            return self._take_back(RULES[7])
        for one_tank in _distinct(changed_tanks):
            if self._breaks_rule_9(one_tank):
                return self._take_back(RULES[8])
        done = f"record {litres} litres from {cow['name']}"
        if tank is not None:
            done += f" into {tank['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: milking {milking['id']}).",
            "data": {"milking_id": milking["id"], **self._changes()},
        }

    def empty_tank(
        self,
        tank_id: str,
        into: Literal["tanker", "calves", "slurry"],
        litres: Annotated[int, {"minimum": 1, "maximum": 9000}] | None = None,
    ) -> Result:
        """Empty a bulk tank, wholly or by some litres, into the dairy's tanker, for the calves or into the slurry.

        Args:
            tank_id (str): Id of the tank, such as TANK-00001.
            into (str): Where the milk goes, the tanker being the dairy's: tanker, calves or slurry.
            litres (int, optional): Milk taken out of the tank in litres, from 1 to 9000. If left out, the tank is
                emptied wholly.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tank = self.tanks.get(tank_id)
        if tank is None:
            return _refused(f"There is no tank {tank_id!r}.")
        if tank["litres"] <= 0:
            return _refused(f"{tank['name']} is empty.")
        if litres is not None and litres > tank["litres"]:
            return _refused(f"{tank['name']} holds {tank['litres']} litres only.")
        self._journal = []
        out = litres if litres is not None else tank["litres"]
        new_litres = tank["litres"] - out
        if not 0 <= new_litres <= 9000:
            return self._take_back(f"The litres of {tank['name']} must be between 0 and 9000.")
        self._put("tanks", tank, "litres", new_litres)
        self._put("tanks", tank, "last_into", into)
        if into == "tanker":
            sold = tank["sold"] + out
            if not 0 <= sold <= 900000:
                return self._take_back(f"The sold of {tank['name']} must be between 0 and 900000.")
            self._put("tanks", tank, "sold", sold)
        if tank["litres"] == 0:
            self._put("tanks", tank, "emptied_at", self.now)
        if self._breaks_rule_9(tank):
            return self._take_back(RULES[8])
        done = f"empty {tank['name']} into the {into}"
        if litres is not None:
            done += f" by {litres} litres"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def move_animal(self, cow_id: str, pen_id: str) -> Result:
        """Move an animal to another pen of the right kind; nobody leaves the sick pen for the herd while her milk is
        held back.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            pen_id (str): Id of the pen, such as PEN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        if cow["pen_id"] is None:
            return _refused(f"{cow['name']} is {cow['phase']} and no longer in the herd.")
        if cow["pen_id"] == pen_id:
            return _refused(f"{cow['name']} stands in {pen['name']} already.")
        if not self._suits(cow, pen):
            return _refused(f"{pen['name']} is no place for {cow['name']}, who is {cow['phase']}.")
        if self._pen_free(pen) <= 0:
            return _refused(f"{pen['name']} is full with {self._pen_cows(pen)} animals.")
        if pen["kind"] == "herd" and self._held(cow, self.now):
            return _refused(f"The milk of {cow['name']} is still held back, so she stays in the sick pen.")
        self._journal = []
        former_pen_id = cow["pen_id"]
        self._put("cows", cow, "pen_id", pen_id)
        for one_pen in _distinct([self.pens.get(cow["pen_id"]), self.pens.get(former_pen_id)]):
            if self._breaks_rule_1(one_pen):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(cow):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(cow):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: move {cow['name']} to {pen['name']}.", "data": self._changes()}

    def remove_animal(self, cow_id: str, died: bool = False) -> Result:
        """Take an animal off the books, because it is sold (not in calf, after the waiting time for meat) or because
        it died or was put down.

        Args:
            cow_id (str): Id of the cow, such as COW-00001.
            died (bool): Whether the animal died or was put down rather than sold. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cow = self.cows.get(cow_id)
        if cow is None:
            return _refused(f"There is no cow {cow_id!r}.")
        if cow["pen_id"] is None:
            return _refused(f"{cow['name']} is {cow['phase']} already.")
        if not (died or not self._in_calf(cow)):
            return _refused(f"{cow['name']} is in calf and is not sold.")
        if not (
            died
            or not any(t["meat_from"] > self.now[:10] for t in self._treatments_by_cow.get(cow_id, {}).values())
        ):
            return _refused(
                f"{cow['name']} was treated and may not be sold before the waiting time for meat is over."
            )
        self._journal = []
        changed_inseminations: list[Any] = []
        for i in sorted(self._inseminations_by_cow_status.get((cow_id, "open"), {}).values(), key=_age):
            if i["status"] not in ("open", "empty"):
                return self._take_back(f"Insemination {i['id']} cannot go from {i['status']} to empty.")
            changed_inseminations.append(i)
            self._put("inseminations", i, "status", "empty")
        for i in sorted(self._inseminations_by_cow_status.get((cow_id, "pregnant"), {}).values(), key=_age):
            if i["status"] not in ("pregnant", "lost"):
                return self._take_back(f"Insemination {i['id']} cannot go from {i['status']} to lost.")
            changed_inseminations.append(i)
            self._put("inseminations", i, "status", "lost")
        former_pen_id = cow["pen_id"]
        self._put("cows", cow, "pen_id", None)
        phase = "dead" if died else "sold"
        if cow["phase"] != phase and (cow["phase"], phase) not in COW_PHASE_MOVES:
            return self._take_back(f"Cow {cow['name']} cannot go from {cow['phase']} to {phase}.")
        self._put("cows", cow, "phase", phase)
        for one_pen in _distinct([self.pens.get(cow["pen_id"]), self.pens.get(former_pen_id)]):
            if self._breaks_rule_1(one_pen):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(cow):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(cow):
            return self._take_back(RULES[2])
        for one_insemination in _distinct(changed_inseminations):
            if self._breaks_rule_4(one_insemination):
                return self._take_back(RULES[3])
        for one_insemination in _distinct(
            [*changed_inseminations, *self._inseminations_by_cow.get(cow["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_insemination):
                return self._take_back(RULES[4])
        if self._breaks_rule_10(cow):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: take {cow['name']} off the books.", "data": self._changes()}

    def restock_straws(self, bull_id: str, straws: Annotated[int, {"minimum": 1, "maximum": 60}]) -> Result:
        """Put new straws of a bull into the nitrogen flask, which takes 60 of each.

        Args:
            bull_id (str): Id of the bull, such as BULL-00001.
            straws (int): New straws of semen that are added, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bull = self.bulls.get(bull_id)
        if bull is None:
            return _refused(f"There is no bull {bull_id!r}.")
        if bull["straws"] + straws > 60:
            return _refused(
                f"With {straws} more there would be {bull['straws'] + straws} straws of {bull['name']}; 60 fit in."
            )
        self._journal = []
        new_straws = bull["straws"] + straws
        if not 0 <= new_straws <= 60:
            return self._take_back(f"The straws of {bull['name']} must be between 0 and 60.")
        self._put("bulls", bull, "straws", new_straws)
        return {
            "success": True,
            "message": f"Done: put {straws} straws of {bull['name']} into the flask.",
            "data": self._changes(),
        }

    def _show_pen(self, pen: Pen) -> dict[str, Any]:
        """The pen as an answer shows it."""
        return {**pen, "cows": self._pen_cows(pen), "free": self._pen_free(pen)}

    def _show_cow(self, cow: Cow) -> dict[str, Any]:
        """The cow as an answer shows it."""
        return {
            **cow,
            "milk_held_until": self._cow_milk_held_until(cow),
            "meat_held_until": self._cow_meat_held_until(cow),
        }

    def _show_insemination(self, insemination: Insemination) -> dict[str, Any]:
        """The insemination as an answer shows it."""
        return {**insemination, "due_on": self._insemination_due_on(insemination)}

    def _show_tank(self, tank: Tank) -> dict[str, Any]:
        """The tank as an answer shows it."""
        return {**tank, "room": self._tank_room(tank)}

    def _names_of_cows(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cows point to."""
        return _names(
            (self.pens, "name", [row["pen_id"] for row in shown]),
            (self.cows, "name", [row["dam_id"] for row in shown]),
            (self.bulls, "name", [row["sire_id"] for row in shown]),
        )

    def _names_of_inseminations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inseminations point to."""
        return _names(
            (self.cows, "name", [row["cow_id"] for row in shown]),
            (self.bulls, "name", [row["bull_id"] for row in shown]),
        )

    def _names_of_treatments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that treatments point to."""
        return _names(
            (self.cows, "name", [row["cow_id"] for row in shown]),
            (self.medicines, "name", [row["medicine_id"] for row in shown]),
        )

    def _names_of_milkings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that milkings point to."""
        return _names(
            (self.cows, "name", [row["cow_id"] for row in shown]),
            (self.tanks, "name", [row["tank_id"] for row in shown]),
        )

    def _pen_cows(self, pen: Pen) -> int:
        """The cows of a pen."""
        return len(self._cows_by_pen.get(pen["id"], {}))

    def _pen_free(self, pen: Pen) -> int:
        """The free of a pen."""
        return pen["places"] - self._pen_cows(pen)

    def _cow_milk_held_until(self, cow: Cow) -> str | None:
        """The milk held until of a cow."""
        return max((t["milk_from"] for t in self._treatments_by_cow.get(cow["id"], {}).values()), default=None)

    def _cow_meat_held_until(self, cow: Cow) -> str | None:
        """The meat held until of a cow."""
        return max((t["meat_from"] for t in self._treatments_by_cow.get(cow["id"], {}).values()), default=None)

    def _insemination_due_on(self, insemination: Insemination) -> str:
        """The due on of an insemination."""
        return _plus_days(insemination["served_on"], 283)

    def _tank_room(self, tank: Tank) -> int:
        """The room of a tank."""
        return tank["capacity"] - tank["litres"]

    def _shift_of(self, t: str) -> str:
        return "morning" if t[11:] < "12:00" else "evening"

    def _held(self, c: Cow, t: str) -> bool:
        return any(x["milk_from"] > t for x in self._treatments_by_cow.get(c["id"], {}).values())

    def _fresh(self, c: Cow, t: str) -> bool:
        return c["calved_at"] is not None and _plus_minutes(c["calved_at"], 4 * 1440) > t

    def _service(self, c: Cow) -> Insemination | None:
        return next(
            (
                i
                for i in sorted(self._inseminations_by_cow.get(c["id"], {}).values(), key=_age)
                if i["status"] in ("open", "pregnant")
            ),
            None,
        )

    def _suits(self, c: Cow, p: Pen) -> bool:
        return (
            p["kind"] == "young"
            if c["phase"] == "heifer"
            else p["kind"] == "dry"
            if c["phase"] == "dry"
            else p["kind"] in ("herd", "sick")
        )

    def _milked(self, c: Cow, t: str) -> bool:
        return any(
            m["at"][:10] == t[:10]
            and m["shift"] == self._shift_of(t)
            for m in self._milkings_by_cow.get(c["id"], {}).values()
        )

    def _in_calf(self, c: Cow) -> bool:
        return any(i["status"] == "pregnant" for i in self._inseminations_by_cow.get(c["id"], {}).values())

    def _breaks_rule_1(self, p: Pen) -> bool:
        """Whether this is broken: a pen never holds more animals than it has places."""
        return self._pen_cows(p) > p["places"]

    def _breaks_rule_2(self, c: Cow) -> bool:
        """Whether this is broken: heifers stand in a pen for young stock, dry cows in a dry pen and cows in milk in a
        herd or sick pen.
        """
        return c["pen_id"] is not None and not self._suits(c, self.pens[c["pen_id"]])

    def _breaks_rule_3(self, c: Cow) -> bool:
        """Whether this is broken: an animal that was sold or has died has left its pen and every other one stands in
        a pen.
        """
        return (c["phase"] in ("sold", "dead")) != (c["pen_id"] is None)

    def _breaks_rule_4(self, i: Insemination) -> bool:
        """Whether this is broken: a cow has at most one insemination that is open or has taken."""
        return (
            i["status"] in ("open", "pregnant")
            and any(
                other_i is not i
                for other_i in self._inseminations_by_cow.get(i["cow_id"], {}).values()
                if other_i["status"] in ("open", "pregnant")
            )
        )

    def _breaks_rule_5(self, i: Insemination) -> bool:
        """Whether this is broken: a sold or dead animal carries no calf in these books."""
        return i["status"] in ("open", "pregnant") and self.cows[i["cow_id"]]["phase"] in ("sold", "dead")

    def _breaks_rule_6(self, i: Insemination) -> bool:
        """Whether this is broken: a cow is never inseminated by her own sire."""
        return self.cows[i["cow_id"]]["sire_id"] is not None and self.cows[i["cow_id"]]["sire_id"] == i["bull_id"]

    def _breaks_rule_7_m(self, m: Milking) -> bool:
        """Whether this is broken: held milk never goes into a bulk tank."""
        return (
            m["tank_id"] is not None
            and any(
                m["at"] < t["milk_from"]
                for t in self._treatments_by_cow.get(m["cow_id"], {}).values()
                if t["given_at"] < m["at"]
            )
        )

    def _breaks_rule_7_t(self, t: Treatment) -> bool:
        """Whether this is broken: held milk never goes into a bulk tank."""
        return any(
            m["at"] < t["milk_from"]
            for m in self._milkings_by_cow.get(t["cow_id"], {}).values()
            if m["tank_id"] is not None
            and t["given_at"] < m["at"]
        )

    def _breaks_rule_8(self, m: Milking) -> bool:
        """Whether this is broken: a cow is milked once in a shift."""
        return any(
            other_m is not m
            for other_m in self._milkings_by_cow_shift.get((m["cow_id"], m["shift"]), {}).values()
            if other_m["at"][:10] == m["at"][:10]
        )

    def _breaks_rule_9(self, t: Tank) -> bool:
        """Whether this is broken: a bulk tank never holds more than fits in."""
        return t["litres"] > t["capacity"]

    def _breaks_rule_10(self, c: Cow) -> bool:
        """Whether this is broken: a cow that has calved has a lactation number and a calving time, and a heifer has
        neither.
        """
        return not (
            (c["lactation"] > 0) == (c["calved_at"] is not None)
            and (c["phase"] != "heifer" or c["lactation"] == 0)
            and (c["phase"] not in ("milking", "dry") or c["lactation"] > 0)
        )

    def _breaks_rule_11(self, c: Cow) -> bool:
        """Whether this is broken: a calf is younger than its dam."""
        return c["dam_id"] is not None and self.cows[c["dam_id"]]["born"] >= c["born"]

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
            case "cows":
                self._cows_by_ear_tag.setdefault(record["ear_tag"], {})[record["id"]] = record
                self._cows_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._cows_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._cows_by_pen.setdefault(record["pen_id"], {})[record["id"]] = record
            case "inseminations":
                self._inseminations_by_cow.setdefault(record["cow_id"], {})[record["id"]] = record
                self._inseminations_by_cow_status.setdefault(
                    (record["cow_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "treatments":
                self._treatments_by_cow.setdefault(record["cow_id"], {})[record["id"]] = record
            case "milkings":
                self._milkings_by_cow.setdefault(record["cow_id"], {})[record["id"]] = record
                self._milkings_by_cow_shift.setdefault((record["cow_id"], record["shift"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "cows":
                del self._cows_by_ear_tag[record["ear_tag"]][record["id"]]
                del self._cows_by_lower_name[record["name"].lower()][record["id"]]
                del self._cows_by_name[record["name"]][record["id"]]
                del self._cows_by_pen[record["pen_id"]][record["id"]]
            case "inseminations":
                del self._inseminations_by_cow[record["cow_id"]][record["id"]]
                del self._inseminations_by_cow_status[record["cow_id"], record["status"]][record["id"]]
            case "treatments":
                del self._treatments_by_cow[record["cow_id"]][record["id"]]
            case "milkings":
                del self._milkings_by_cow[record["cow_id"]][record["id"]]
                del self._milkings_by_cow_shift[record["cow_id"], record["shift"]][record["id"]]
