"""Mine headings. Compiled from blueprint.yaml; run `envscaler build mine_headings` after changing it there.

Drives the headings of a mine through drilling, charging, blasting, mucking and bolting, with explosives
magazines, air for machines and people, and re-entry times.
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
    "A district never needs more air than it gets.",
    "There is no more than one machine of a kind in a heading, and two machines in all.",
    "No more than five people are in a heading.",
    "Nobody and nothing is in a heading that was fired until its air has been checked.",
    "Nobody and nothing is in a heading that is reached through a fired one whose air has not been checked.",
    "Misfires are dealt with before a heading is mucked out.",
    "In a charged heading there are shotfirers only and no machines.",
    "A charged heading has one round that was not fired, and no other heading has one.",
    "Rounds are charged by shotfirers.",
    "A fired round says from when the heading may be entered, and air is checked in fired headings only.",
    "A heading that is drilled or charged has its holes, and others have none.",
    "No magazine stores more than its licence allows.",
    "Air is good enough where people work after a blast, that is 25 parts of gas at most.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "send_machine",
    "send_miner",
    "drill_round",
    "charge_round",
    "fire_round",
    "check_air",
    "muck_heading",
    "bolt_heading",
    "set_machine",
    "deliver_lot",
    "destroy_lot",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "districts": ("name",),
    "headings": ("name",),
    "machines": ("label",),
    "miners": ("name",),
    "magazines": ("name",),
    "lots": ("number",),
    "blasts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("blasts", "heading_id"),
    ("headings", "district_id"),
    ("headings", "off_id"),
    ("lots", "magazine_id"),
    ("lots", "number"),
    ("machines", "heading_id"),
    ("machines", "kind"),
    ("miners", "heading_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class District(TypedDict):
    id: str
    name: str
    airflow: int


class Heading(TypedDict):
    id: str
    name: str
    district_id: str
    off_id: str | None
    metres: int
    holes: int
    stage: Literal["bolted", "drilled", "charged", "blasted", "mucked"]


class Machine(TypedDict):
    id: str
    label: str
    kind: Literal["jumbo", "loader", "bolter"]
    air: int
    heading_id: str | None
    broken: bool


class Miner(TypedDict):
    id: str
    name: str
    shotfirer: bool
    heading_id: str | None


class Magazine(TypedDict):
    id: str
    name: str
    holds: Literal["bulk", "detonators"]
    most: int


class Lot(TypedDict):
    id: str
    number: str
    magazine_id: str
    amount: int
    good_until: str


class Blast(TypedDict):
    id: str
    heading_id: str
    shotfirer_id: str
    holes: int
    kilos: int
    fired_at: str | None
    safe_at: str | None
    gas: int | None
    misfires: int


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


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


class MineHeadings:
    """Drives the headings of a mine through drilling, charging, blasting, mucking and bolting, with
    explosives magazines, air for machines and people, and re-entry times.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.districts: dict[str, District] = _copied(config.get("districts", {}))
        self.headings: dict[str, Heading] = _copied(config.get("headings", {}))
        self.machines: dict[str, Machine] = _copied(config.get("machines", {}))
        self.miners: dict[str, Miner] = _copied(config.get("miners", {}))
        self.magazines: dict[str, Magazine] = _copied(config.get("magazines", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.blasts: dict[str, Blast] = _copied(config.get("blasts", {}))
        self.now: str = config.get("now", "2026-02-10T06:00")
        self.counters: dict[str, int] = {
            "district": len(self.districts),
            "heading": len(self.headings),
            "machine": len(self.machines),
            "miner": len(self.miners),
            "magazine": len(self.magazines),
            "lot": len(self.lots),
            "blast": len(self.blasts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._headings_by_district: dict[Any, dict[str, Heading]] = {}
        self._headings_by_off: dict[Any, dict[str, Heading]] = {}
        self._machines_by_heading: dict[Any, dict[str, Machine]] = {}
        self._machines_by_kind_heading: dict[Any, dict[str, Machine]] = {}
        self._miners_by_heading: dict[Any, dict[str, Miner]] = {}
        self._lots_by_magazine: dict[Any, dict[str, Lot]] = {}
        self._lots_by_number: dict[Any, dict[str, Lot]] = {}
        self._blasts_by_heading: dict[Any, dict[str, Blast]] = {}
        for heading in self.headings.values():
            self._link("headings", heading)
        for machine in self.machines.values():
            self._link("machines", machine)
        for miner in self.miners.values():
            self._link("miners", miner)
        for lot in self.lots.values():
            self._link("lots", lot)
        for blast in self.blasts.values():
            self._link("blasts", blast)

    def face_board(
        self,
        stage: Literal["bolted", "drilled", "charged", "blasted", "mucked"] | None = None,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """How the headings stand, with what is in them and from when a fired one may be entered.

        Args:
            stage (str, optional): Only headings at this stage: bolted, drilled, charged, blasted or mucked. If
                left out, headings at every stage are listed.
            district_id (str, optional): Only headings of this district; an id such as DISTRICT-00001. If left out,
                the headings of all districts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "headings": records}} or {"success": False, "error": why
                not}
        """
        district = self.districts.get(district_id) if district_id is not None else None
        if district_id is not None and district is None:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            h
            for h in self.headings.values()
            if (stage is None or h["stage"] == stage)
            and (district_id is None or h["district_id"] == district_id)
        ]
        found.sort(key=lambda h: (h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "headings": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "stage": h["stage"],
                        "metres": h["metres"],
                        "holes": h["holes"],
                        "machines": [
                            *[
                                m["label"]
                                for m in sorted(self._machines_by_heading.get(h["id"], {}).values(), key=_age)
                            ]
                        ],
                        "people": [
                            *[p["name"] for p in sorted(self._miners_by_heading.get(h["id"], {}).values(), key=_age)]
                        ],
                        "beyond": [*[x["name"] for x in _below(self._headings_by_off, h)]],
                        "unchecked": self._smoky(h),
                        "misfires": sum(b["misfires"] for b in self._blasts_by_heading.get(h["id"], {}).values()),
                        "safe_at": next(
                            (
                                b["safe_at"]
                                for b in sorted(self._blasts_by_heading.get(h["id"], {}).values(), key=_age)
                                if b["gas"] is None
                            ),
                            None,
                        ),
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def explosives(
        self,
        holds: Literal["bulk", "detonators"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What the magazines hold, the lots that keep the shortest first.

        Args:
            holds (str, optional): Only magazines that hold this: bulk or detonators. If left out, both kinds are
                listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        found = [
            x
            for x in self.lots.values()
            if x["amount"] > 0
            and (holds is None or self.magazines[x["magazine_id"]]["holds"] == holds)
        ]
        found.sort(key=lambda x: (x["good_until"], x["number"], _age(x)))
        return _found(
            {
                "total": len(found),
                "lots": [
                    {
                        "id": x["id"],
                        "number": x["number"],
                        "magazine": self.magazines[x["magazine_id"]]["name"],
                        "amount": x["amount"],
                        "good_until": x["good_until"],
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def air_balance(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The air of each district, what needs it there, and what is left.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "districts": records}} or {"success": False, "error":
                why not}
        """
        found = [d for d in self.districts.values()]
        found.sort(key=lambda d: (d["name"], _age(d)))
        return _found(
            {
                "total": len(found),
                "districts": [
                    {
                        "id": d["id"],
                        "name": d["name"],
                        "airflow": d["airflow"],
                        "needed": self._district_needed(d),
                        "spare": self._district_spare(d),
                        "machines": [
                            *[
                                m["label"]
                                for m in sorted(
                                    [
                                        m
                                        for _heading in self._headings_by_district.get(d["id"], {}).values()
                                        for m in self._machines_by_heading.get(_heading["id"], {}).values()
                                    ],
                                    key=_age,
                                )
                                if m["heading_id"] is not None
                            ]
                        ],
                        "people": sum(
                            1
                            for _heading in self._headings_by_district.get(d["id"], {}).values()
                            for p in self._miners_by_heading.get(_heading["id"], {}).values()
                            if p["heading_id"] is not None
                        ),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def list_districts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the districts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only districts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "districts": records}}
        """
        found = [
            district
            for district in self.districts.values()
            if (name is None or name.casefold() in district["name"].casefold())
        ]
        return _found(
            {"total": len(found), "districts": [self._show_district(district) for district in _page(found, offset)]}
        )

    def list_headings(
        self,
        name: Text | None = None,
        district_id: str | None = None,
        off_id: str | None = None,
        stage: Literal["bolted", "drilled", "charged", "blasted", "mucked"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the headings, oldest first, all of them or only some.

        Args:
            name (str, optional): Only headings whose name contains this text.
            district_id (str, optional): Only headings of this district.
            off_id (str, optional): Only headings whose off is this heading.
            stage (str, optional): Only headings with this stage.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "headings": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        if off_id is not None and off_id not in self.headings:
            return _refused(f"There is no heading {off_id!r}.")
        found = [
            heading
            for heading in self.headings.values()
            if (name is None or name.casefold() in heading["name"].casefold())
            and (district_id is None or heading["district_id"] == district_id)
            and (off_id is None or heading["off_id"] == off_id)
            and (stage is None or heading["stage"] == stage)
        ]
        shown = [{**heading} for heading in _page(found, offset)]
        return _found({"total": len(found), "headings": shown}, self._names_of_headings(shown))

    def list_machines(
        self,
        label: Text | None = None,
        kind: Literal["jumbo", "loader", "bolter"] | None = None,
        heading_id: str | None = None,
        broken: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the machines, oldest first, all of them or only some.

        Args:
            label (str, optional): Only machines whose label contains this text.
            kind (str, optional): Only machines with this kind.
            heading_id (str, optional): Only machines of this heading.
            broken (bool, optional): Only machines that are broken (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "machines": records}}
        """
        if heading_id is not None and heading_id not in self.headings:
            return _refused(f"There is no heading {heading_id!r}.")
        found = [
            machine
            for machine in self.machines.values()
            if (label is None or label.casefold() in machine["label"].casefold())
            and (kind is None or machine["kind"] == kind)
            and (heading_id is None or machine["heading_id"] == heading_id)
            and (broken is None or machine["broken"] == broken)
        ]
        shown = [{**machine} for machine in _page(found, offset)]
        return _found({"total": len(found), "machines": shown}, self._names_of_machines(shown))

    def list_miners(
        self,
        name: Text | None = None,
        shotfirer: bool | None = None,
        heading_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the miners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only miners whose name contains this text.
            shotfirer (bool, optional): Only miners with this value of `shotfirer`.
            heading_id (str, optional): Only miners of this heading.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "miners": records}}
        """
        if heading_id is not None and heading_id not in self.headings:
            return _refused(f"There is no heading {heading_id!r}.")
        found = [
            miner
            for miner in self.miners.values()
            if (name is None or name.casefold() in miner["name"].casefold())
            and (shotfirer is None or miner["shotfirer"] == shotfirer)
            and (heading_id is None or miner["heading_id"] == heading_id)
        ]
        shown = [{**miner} for miner in _page(found, offset)]
        return _found({"total": len(found), "miners": shown}, self._names_of_miners(shown))

    def list_magazines(
        self,
        name: Text | None = None,
        holds: Literal["bulk", "detonators"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the magazines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only magazines whose name contains this text.
            holds (str, optional): Only magazines whose `holds` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "magazines": records}}
        """
        found = [
            magazine
            for magazine in self.magazines.values()
            if (name is None or name.casefold() in magazine["name"].casefold())
            and (holds is None or magazine["holds"] == holds)
        ]
        return _found(
            {"total": len(found), "magazines": [self._show_magazine(magazine) for magazine in _page(found, offset)]}
        )

    def list_lots(
        self,
        number: Text | None = None,
        magazine_id: str | None = None,
        good_until_from: Date | None = None,
        good_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            number (str, optional): Only lots whose number contains this text.
            magazine_id (str, optional): Only lots of this magazine.
            good_until_from (str, optional): Only lots whose `good_until` is on this day or later.
            good_until_to (str, optional): Only lots whose `good_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if magazine_id is not None and magazine_id not in self.magazines:
            return _refused(f"There is no magazine {magazine_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (number is None or number.casefold() in lot["number"].casefold())
            and (magazine_id is None or lot["magazine_id"] == magazine_id)
            and (good_until_from is None or lot["good_until"] >= good_until_from)
            and (good_until_to is None or lot["good_until"] <= good_until_to)
        ]
        shown = [{**lot} for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_blasts(
        self,
        heading_id: str | None = None,
        shotfirer_id: str | None = None,
        fired_at_from: Date | None = None,
        fired_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the blasts, oldest first, all of them or only some.

        Args:
            heading_id (str, optional): Only blasts of this heading.
            shotfirer_id (str, optional): Only blasts whose shotfirer is this miner.
            fired_at_from (str, optional): Only blasts whose `fired_at` is on this day or later.
            fired_at_to (str, optional): Only blasts whose `fired_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "blasts": records}}
        """
        if heading_id is not None and heading_id not in self.headings:
            return _refused(f"There is no heading {heading_id!r}.")
        if shotfirer_id is not None and shotfirer_id not in self.miners:
            return _refused(f"There is no miner {shotfirer_id!r}.")
        found = [
            blast
            for blast in self.blasts.values()
            if (heading_id is None or blast["heading_id"] == heading_id)
            and (shotfirer_id is None or blast["shotfirer_id"] == shotfirer_id)
            and (fired_at_from is None or (blast["fired_at"] is not None and blast["fired_at"][:10] >= fired_at_from))
            and (fired_at_to is None or (blast["fired_at"] is not None and blast["fired_at"][:10] <= fired_at_to))
        ]
        shown = [{**blast} for blast in _page(found, offset)]
        return _found({"total": len(found), "blasts": shown}, self._names_of_blasts(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def send_machine(self, machine_id: str, heading_id: str | None = None) -> Result:
        """Send a machine into a heading, from where it is now, or back to the bay where no heading is named.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            heading_id (str, optional): Heading that the machine goes to; an id such as HEADING-00001. If left out,
                the machine goes back to the bay.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        heading = self.headings.get(heading_id) if heading_id is not None else None
        if heading_id is not None and heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        if machine["heading_id"] == heading_id:
            return _refused(f"{machine['label']} is there already.")
        if heading_id is not None and machine["broken"]:
            return _refused(f"{machine['label']} is broken.")
        if heading_id is not None and self._smoky(heading):
            return _refused(f"{heading['name']} was fired and its air has not been checked.")
        if heading_id is not None and self._cut_off(heading):
            return _refused(
                f"The way to {heading['name']} leads through a heading that was fired and whose air has not been "
                "checked."
            )
        if heading_id is not None and heading["stage"] == "charged":
            return _refused(f"{heading['name']} is charged.")
        same = next(
            (
                m
                for m in sorted(
                    self._machines_by_kind_heading.get((machine["kind"], heading_id), {}).values(),
                    key=_age,
                )
                if heading_id is not None
            ),
            None,
        )
        if same is not None:
            return _refused(f"{same['label']} is in that heading; send it out first.")
        if heading_id is not None and len(self._machines_by_heading.get(heading_id, {})) >= 2:
            return _refused(f"There are two machines in {heading['name']}.")
        freed = sum(
            m["air"]
            for m in _those(self.machines, [machine_id])
            if heading_id is not None
            and m["heading_id"] is not None
            and self.headings[m["heading_id"]]["district_id"] == heading["district_id"]
        )
        if (
            heading_id is not None
            and machine["air"] > self._district_spare(self.districts[heading["district_id"]]) + freed
        ):
            return _refused(
                f"{self.districts[heading['district_id']]['name']} has "
                f"{self._district_spare(self.districts[heading['district_id']])} air to spare and "
                f"{machine['label']} needs {machine['air']}."
            )
        self._journal = []
        former_heading_id = machine["heading_id"]
        self._put("machines", machine, "heading_id", heading_id)
        for one_district in _distinct(
            [
                *[
                    self.districts[one["district_id"]]
                    for one in [self.headings.get(machine["heading_id"])]
                    if one is not None
                ],
                *[
                    self.districts[one["district_id"]]
                    for one in [self.headings.get(former_heading_id)]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_1(one_district):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_m(machine):
            return self._take_back(RULES[1])
        for one_machine in _distinct(
            [
                machine,
                *[
                    user
                    for one in [self.headings.get(machine["heading_id"])]
                    if one is not None
                    for user in self._machines_by_heading.get(machine["heading_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.headings.get(former_heading_id)]
                    if one is not None
                    for user in self._machines_by_heading.get(former_heading_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_m_again(one_machine):
                return self._take_back(RULES[1])
        if self._breaks_rule_4_m(machine):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_m(machine):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_m(machine):
            return self._take_back(RULES[6])
        done = f"send {machine['label']} out"
        if heading is not None:
            done += f" and into {heading['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def send_miner(self, miner_id: str, heading_id: str | None = None) -> Result:
        """Send somebody into a heading, from where they are now, or out of the headings where none is named.

        Args:
            miner_id (str): Id of the miner, such as MINER-00001.
            heading_id (str, optional): Heading that the miner goes to; an id such as HEADING-00001. If left out,
                the miner leaves the headings.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        miner = self.miners.get(miner_id)
        if miner is None:
            return _refused(f"There is no miner {miner_id!r}.")
        heading = self.headings.get(heading_id) if heading_id is not None else None
        if heading_id is not None and heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        if miner["heading_id"] == heading_id:
            return _refused(f"{miner['name']} is there already.")
        if heading_id is not None and self._smoky(heading):
            return _refused(f"{heading['name']} was fired and its air has not been checked.")
        if heading_id is not None and self._cut_off(heading):
            return _refused(
                f"The way to {heading['name']} leads through a heading that was fired and whose air has not been "
                "checked."
            )
        if heading_id is not None and heading["stage"] == "charged" and not miner["shotfirer"]:
            return _refused(f"{heading['name']} is charged and {miner['name']} is no shotfirer.")
        if heading_id is not None and len(self._miners_by_heading.get(heading_id, {})) >= 5:
            return _refused(f"There are five people in {heading['name']}.")
        if not (
            heading_id is None
            or self._district_spare(self.districts[heading["district_id"]]) >= 3
            or miner["heading_id"] is not None
            and self.headings[miner["heading_id"]]["district_id"] == heading["district_id"]
        ):
            return _refused(
                f"{self.districts[heading['district_id']]['name']} has "
                f"{self._district_spare(self.districts[heading['district_id']])} air to spare and a person needs 3."
            )
        self._journal = []
        former_heading_id = miner["heading_id"]
        self._put("miners", miner, "heading_id", heading_id)
        for one_district in _distinct(
            [
                *[
                    self.districts[one["district_id"]]
                    for one in [self.headings.get(miner["heading_id"])]
                    if one is not None
                ],
                *[
                    self.districts[one["district_id"]]
                    for one in [self.headings.get(former_heading_id)]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_1(one_district):
                return self._take_back(RULES[0])
        for one_miner in _distinct(
            [
                miner,
                *[
                    user
                    for one in [self.headings.get(miner["heading_id"])]
                    if one is not None
                    for user in self._miners_by_heading.get(miner["heading_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.headings.get(former_heading_id)]
                    if one is not None
                    for user in self._miners_by_heading.get(former_heading_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_miner):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_p(miner):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_p(miner):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_p(miner):
            return self._take_back(RULES[6])
        done = f"send {miner['name']} out"
        if heading is not None:
            done += f" and into {heading['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def drill_round(self, heading_id: str, holes: Annotated[int, {"minimum": 10, "maximum": 90}]) -> Result:
        """Drill the holes of a round in a bolted heading, with a jumbo that is there.

        Args:
            heading_id (str): Id of the heading, such as HEADING-00001.
            holes (int): Holes that were drilled in the round, from 10 to 90.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heading = self.headings.get(heading_id)
        if heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        if heading["stage"] != "bolted":
            return _refused(f"{heading['name']} is {heading['stage']}.")
        if self._working(heading, "jumbo") is None:
            return _refused(f"There is no jumbo in {heading['name']}.")
        self._journal = []
        self._put("headings", heading, "holes", holes)
        self._put("headings", heading, "stage", "drilled")
        for one_blast in _distinct(self._blasts_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_6(one_blast):
                return self._take_back(RULES[5])
        for one_miner in _distinct(self._miners_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_p(one_miner):
                return self._take_back(RULES[6])
        for one_machine in _distinct(self._machines_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_m(one_machine):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_h(heading):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(heading):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: drill {holes} holes in {heading['name']}.",
            "data": self._changes(),
        }

    def charge_round(
        self,
        heading_id: str,
        shotfirer_id: str,
        kilos: Annotated[int, {"minimum": 1, "maximum": 900}],
    ) -> Result:
        """Charge a drilled heading that has no machine in it, by a shotfirer who is there; the explosives and a
        detonator for each hole are taken from the lots that keep the shortest.

        Args:
            heading_id (str): Id of the heading, such as HEADING-00001.
            shotfirer_id (str): Shotfirer in the heading who charges it; an id such as MINER-00001.
            kilos (int): Bulk explosives in kilograms, at most ten for each hole, from 1 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heading = self.headings.get(heading_id)
        if heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        shotfirer = self.miners.get(shotfirer_id)
        if shotfirer is None:
            return _refused(f"There is no miner {shotfirer_id!r}.")
        if heading["stage"] != "drilled":
            return _refused(f"{heading['name']} is {heading['stage']}.")
        if not shotfirer["shotfirer"]:
            return _refused(f"{shotfirer['name']} is no shotfirer.")
        if shotfirer["heading_id"] != heading_id:
            return _refused(f"{shotfirer['name']} is not in {heading['name']}.")
        machine = next((m for m in sorted(self._machines_by_heading.get(heading_id, {}).values(), key=_age)), None)
        if machine is not None:
            return _refused(f"{machine['label']} is in {heading['name']}; send it out first.")
        other = next(
            (p for p in sorted(self._miners_by_heading.get(heading_id, {}).values(), key=_age) if not p["shotfirer"]),
            None,
        )
        if other is not None:
            return _refused(f"{other['name']} is in {heading['name']} and no shotfirer.")
        if kilos > 10 * heading["holes"]:
            return _refused(f"{heading['holes']} holes take {10 * heading['holes']} kg at most.")
        if kilos > self._usable("bulk", self.now[:10]):
            return _refused(f"There are {self._usable('bulk', self.now[:10])} kg of good explosives.")
        if heading["holes"] > self._usable("detonators", self.now[:10]):
            return _refused(f"There are {self._usable('detonators', self.now[:10])} good detonators.")
        self._journal = []
        changed_lots: list[Any] = []
        kilos_left = kilos
        for x in sorted(
            [
                x
                for x in self.lots.values()
                if self.magazines[x["magazine_id"]]["holds"] == "bulk"
                and x["good_until"] >= self.now[:10]
            ],
            key=lambda x: (x["good_until"], x["number"], _age(x)),
        ):
            part = min(kilos_left, x["amount"])
            amount = x["amount"] - part
            if not 0 <= amount <= 3000:
                return self._take_back(f"The amount of {x['number']} must be between 0 and 3000.")
            changed_lots.append(x)
            self._put("lots", x, "amount", amount)
            kilos_left = kilos_left - part
        caps_left = heading["holes"]
        for x in sorted(
            [
                x
                for x in self.lots.values()
                if self.magazines[x["magazine_id"]]["holds"] == "detonators"
                and x["good_until"] >= self.now[:10]
            ],
            key=lambda x: (x["good_until"], x["number"], _age(x)),
        ):
            part = min(caps_left, x["amount"])
            new_amount = x["amount"] - part
            if not 0 <= new_amount <= 3000:
                return self._take_back(f"The amount of {x['number']} must be between 0 and 3000.")
            changed_lots.append(x)
            self._put("lots", x, "amount", new_amount)
            caps_left = caps_left - part
        holes = heading["holes"]
        if not 1 <= holes <= 90:
            return self._take_back("The holes of a blast must be between 1 and 90.")
        blast: Blast = {
            "id": self._new_id("blast", "BLAST", self.blasts),
            "heading_id": heading_id,
            "shotfirer_id": shotfirer_id,
            "holes": holes,
            "kilos": kilos,
            "fired_at": None,
            "safe_at": None,
            "gas": None,
            "misfires": 0,
        }
        self._add("blasts", blast)
        self._put("headings", heading, "stage", "charged")
        for one_miner in _distinct(self._miners_by_heading.get(blast["heading_id"], {}).values()):
            if self._breaks_rule_4_p(one_miner):
                return self._take_back(RULES[3])
        for one_machine in _distinct(self._machines_by_heading.get(blast["heading_id"], {}).values()):
            if self._breaks_rule_4_m(one_machine):
                return self._take_back(RULES[3])
        for one_miner in _distinct(
            [
                user
                for one in _below(self._headings_by_off, self.headings[blast["heading_id"]])
                for user in self._miners_by_heading.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_p(one_miner):
                return self._take_back(RULES[4])
        for one_machine in _distinct(
            [
                user
                for one in _below(self._headings_by_off, self.headings[blast["heading_id"]])
                for user in self._machines_by_heading.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_m(one_machine):
                return self._take_back(RULES[4])
        for one_blast in _distinct([blast, *self._blasts_by_heading.get(heading["id"], {}).values()]):
            if self._breaks_rule_6(one_blast):
                return self._take_back(RULES[5])
        for one_miner in _distinct(self._miners_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_p(one_miner):
                return self._take_back(RULES[6])
        for one_machine in _distinct(self._machines_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_m(one_machine):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_b(blast):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_h(self.headings[blast["heading_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_h(heading):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(blast):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(blast):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(heading):
            return self._take_back(RULES[10])
        for one_magazine in _distinct([self.magazines[one["magazine_id"]] for one in changed_lots]):
            if self._breaks_rule_12(one_magazine):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(blast):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: charge {heading['name']} with {kilos} kg (new: blast {blast['id']}).",
            "data": {"blast_id": blast["id"], **self._changes()},
        }

    def fire_round(self, heading_id: str) -> Result:
        """Fire a charged heading when nobody and nothing is in it or in a heading off it; it may be entered after 30
        minutes and one more for every five kilos.

        Args:
            heading_id (str): Id of the heading, such as HEADING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heading = self.headings.get(heading_id)
        if heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        if heading["stage"] != "charged":
            return _refused(f"{heading['name']} is {heading['stage']}.")
        person = self._somebody(heading)
        if person is not None:
            return _refused(f"{person['name']} is in there or beyond; send everybody out first.")
        machine = self._something(heading)
        if machine is not None:
            return _refused(f"{machine['label']} is in there or beyond; send it out first.")
        blast = self._open_blast(heading)
        if blast is None:
            return _refused(f"There is no round in {heading['name']}.")
        self._journal = []
        self._put("blasts", blast, "fired_at", self.now)
        self._put("blasts", blast, "safe_at", _plus_minutes(_plus_minutes(self.now, 30), blast["kilos"] // 5))
        self._put("headings", heading, "holes", 0)
        self._put("headings", heading, "stage", "blasted")
        for one_miner in _distinct(self._miners_by_heading.get(blast["heading_id"], {}).values()):
            if self._breaks_rule_4_p(one_miner):
                return self._take_back(RULES[3])
        for one_machine in _distinct(self._machines_by_heading.get(blast["heading_id"], {}).values()):
            if self._breaks_rule_4_m(one_machine):
                return self._take_back(RULES[3])
        for one_miner in _distinct(
            [
                user
                for one in _below(self._headings_by_off, self.headings[blast["heading_id"]])
                for user in self._miners_by_heading.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_p(one_miner):
                return self._take_back(RULES[4])
        for one_machine in _distinct(
            [
                user
                for one in _below(self._headings_by_off, self.headings[blast["heading_id"]])
                for user in self._machines_by_heading.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_m(one_machine):
                return self._take_back(RULES[4])
        for one_blast in _distinct(self._blasts_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_6(one_blast):
                return self._take_back(RULES[5])
        for one_miner in _distinct(self._miners_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_p(one_miner):
                return self._take_back(RULES[6])
        for one_machine in _distinct(self._machines_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_m(one_machine):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_b(blast):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_h(self.headings[blast["heading_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_h(heading):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(blast):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(heading):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: fire {heading['name']}.", "data": self._changes()}

    def check_air(
        self,
        heading_id: str,
        gas: Annotated[int, {"minimum": 0, "maximum": 500}],
        misfires: Annotated[int, {"minimum": 0, "maximum": 90}] = 0,
    ) -> Result:
        """Note the gas measured in a fired heading after its re-entry time, and how many holes misfired; it is open
        again at 25 parts and less.

        Args:
            heading_id (str): Id of the heading, such as HEADING-00001.
            gas (int): Gas measured, in parts, more than 25 being refused, from 0 to 500.
            misfires (int): Holes that did not go off, from 0 to 90. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heading = self.headings.get(heading_id)
        if heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        blast = self._open_blast(heading)
        if blast is None or blast["safe_at"] is None:
            return _refused(f"{heading['name']} has no fired round to check.")
        if blast["safe_at"] > self.now:
            return _refused(f"{heading['name']} may be entered from {blast['safe_at']}.")
        if gas > 25:
            return _refused(f"{gas} parts of gas are too much; ventilate on and measure again.")
        if misfires > blast["holes"]:
            return _refused(f"{heading['name']} had {blast['holes']} holes, so {misfires} cannot have misfired.")
        self._journal = []
        self._put("blasts", blast, "gas", gas)
        self._put("blasts", blast, "misfires", misfires)
        for one_miner in _distinct(self._miners_by_heading.get(blast["heading_id"], {}).values()):
            if self._breaks_rule_4_p(one_miner):
                return self._take_back(RULES[3])
        for one_machine in _distinct(self._machines_by_heading.get(blast["heading_id"], {}).values()):
            if self._breaks_rule_4_m(one_machine):
                return self._take_back(RULES[3])
        for one_miner in _distinct(
            [
                user
                for one in _below(self._headings_by_off, self.headings[blast["heading_id"]])
                for user in self._miners_by_heading.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_p(one_miner):
                return self._take_back(RULES[4])
        for one_machine in _distinct(
            [
                user
                for one in _below(self._headings_by_off, self.headings[blast["heading_id"]])
                for user in self._machines_by_heading.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_m(one_machine):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(blast):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(blast):
            return self._take_back(RULES[9])
        if self._breaks_rule_13(blast):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: note {gas} parts of gas in {heading['name']}.",
            "data": self._changes(),
        }

    def muck_heading(self, heading_id: str, cleared_by_id: str | None = None) -> Result:
        """Muck out a blasted heading whose air has been checked, with a loader that is there, after a shotfirer has
        cleared its misfires if it has any.

        Args:
            heading_id (str): Id of the heading, such as HEADING-00001.
            cleared_by_id (str, optional): Shotfirer in the heading who cleared the misfires; an id such as
                MINER-00001. If left out, nobody is named, which works only without misfires.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heading = self.headings.get(heading_id)
        if heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        cleared_by = self.miners.get(cleared_by_id) if cleared_by_id is not None else None
        if cleared_by_id is not None and cleared_by is None:
            return _refused(f"There is no miner {cleared_by_id!r}.")
        if heading["stage"] != "blasted":
            return _refused(f"{heading['name']} is {heading['stage']}.")
        if self._working(heading, "loader") is None:
            return _refused(f"There is no loader in {heading['name']}.")
        if self._misfired(heading) and cleared_by_id is None:
            return _refused(f"There are misfires in {heading['name']}, so say which shotfirer cleared them.")
        if not (cleared_by_id is None or cleared_by["shotfirer"] and cleared_by["heading_id"] == heading_id):
            return _refused(f"{cleared_by['name']} is no shotfirer or is not in {heading['name']}.")
        self._journal = []
        changed_blasts: list[Any] = []
        for b in [
            b
            for b in sorted(self._blasts_by_heading.get(heading_id, {}).values(), key=_age)
            if b["misfires"] > 0
        ]:
            changed_blasts.append(b)
            self._put("blasts", b, "misfires", 0)
        self._put("headings", heading, "stage", "mucked")
        for one_blast in _distinct([*changed_blasts, *self._blasts_by_heading.get(heading["id"], {}).values()]):
            if self._breaks_rule_6(one_blast):
                return self._take_back(RULES[5])
        for one_miner in _distinct(self._miners_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_p(one_miner):
                return self._take_back(RULES[6])
        for one_machine in _distinct(self._machines_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_m(one_machine):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_h(heading):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(heading):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: muck out {heading['name']}.", "data": self._changes()}

    def bolt_heading(self, heading_id: str, advance: Annotated[int, {"minimum": 1, "maximum": 6}]) -> Result:
        """Bolt a mucked heading with a bolter that is there, and note the advance.

        Args:
            heading_id (str): Id of the heading, such as HEADING-00001.
            advance (int): Metres by which the heading has advanced, from 1 to 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heading = self.headings.get(heading_id)
        if heading is None:
            return _refused(f"There is no heading {heading_id!r}.")
        if heading["stage"] != "mucked":
            return _refused(f"{heading['name']} is {heading['stage']}.")
        if self._working(heading, "bolter") is None:
            return _refused(f"There is no bolter in {heading['name']}.")
        self._journal = []
        metres = heading["metres"] + advance
        if not 0 <= metres <= 5000:
            return self._take_back(f"The metres of {heading['name']} must be between 0 and 5000.")
        self._put("headings", heading, "metres", metres)
        self._put("headings", heading, "stage", "bolted")
        for one_blast in _distinct(self._blasts_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_6(one_blast):
                return self._take_back(RULES[5])
        for one_miner in _distinct(self._miners_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_p(one_miner):
                return self._take_back(RULES[6])
        for one_machine in _distinct(self._machines_by_heading.get(heading["id"], {}).values()):
            if self._breaks_rule_7_m(one_machine):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_h(heading):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(heading):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: bolt {heading['name']} with {advance} metres.",
            "data": self._changes(),
        }

    def set_machine(self, machine_id: str, broken: bool) -> Result:
        """Note that a machine has broken down, which takes it to the bay, or that it works again.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            broken (bool): Whether the machine has broken down, or works again.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if machine["broken"] == broken:
            return _refused(f"{machine['label']} is noted like that already.")
        self._journal = []
        self._put("machines", machine, "broken", broken)
        former_heading_id = machine["heading_id"]
        self._put("machines", machine, "heading_id", None)
        for one_district in _distinct(
            [
                *[
                    self.districts[one["district_id"]]
                    for one in [self.headings.get(machine["heading_id"])]
                    if one is not None
                ],
                *[
                    self.districts[one["district_id"]]
                    for one in [self.headings.get(former_heading_id)]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_1(one_district):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_m(machine):
            return self._take_back(RULES[1])
        for one_machine in _distinct(
            [
                machine,
                *[
                    user
                    for one in [self.headings.get(machine["heading_id"])]
                    if one is not None
                    for user in self._machines_by_heading.get(machine["heading_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.headings.get(former_heading_id)]
                    if one is not None
                    for user in self._machines_by_heading.get(former_heading_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_m_again(one_machine):
                return self._take_back(RULES[1])
        if self._breaks_rule_4_m(machine):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_m(machine):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_m(machine):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: note the condition of {machine['label']}.",
            "data": self._changes(),
        }

    def deliver_lot(
        self,
        magazine_id: str,
        number: Text,
        amount: Annotated[int, {"minimum": 1, "maximum": 3000}],
        good_until: Date,
    ) -> Result:
        """Take a lot of explosives or detonators into a magazine.

        Args:
            magazine_id (str): Id of the magazine, such as MAGAZINE-00001.
            number (str): Number of the new lot, not in use yet.
            amount (int): Kilograms of explosives, or pieces of detonators, as the magazine holds, from 1 to 3000.
            good_until (str): Last day on which the lot may be used, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        magazine = self.magazines.get(magazine_id)
        if magazine is None:
            return _refused(f"There is no magazine {magazine_id!r}.")
        if good_until <= self.now[:10]:
            return _refused("The lot is past its date.")
        if self._lots_by_number.get(number, {}):
            return _refused(f"There is a lot {number}.")
        if self._magazine_stored(magazine) + amount > magazine["most"]:
            return _refused(
                f"{magazine['name']} may hold {magazine['most']} and has {self._magazine_stored(magazine)}."
            )
        self._journal = []
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "number": number,
            "magazine_id": magazine_id,
            "amount": amount,
            "good_until": good_until,
        }
        self._add("lots", lot)
        if len(self._lots_by_number.get(lot["number"], {})) > 1:
            return self._take_back(f"There is already a lot with the number {lot['number']!r}.")
        if self._breaks_rule_12(self.magazines[lot["magazine_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take lot {number} into {magazine['name']} (new: lot {lot['id']}).",
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def destroy_lot(self, lot_id: str) -> Result:
        """Destroy what is left of a lot that is past its date.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["good_until"] >= self.now[:10]:
            return _refused(f"Lot {lot['number']} is good until {lot['good_until']}.")
        if lot["amount"] <= 0:
            return _refused(f"Nothing is left of lot {lot['number']}.")
        self._journal = []
        self._put("lots", lot, "amount", 0)
        if self._breaks_rule_12(self.magazines[lot["magazine_id"]]):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: destroy lot {lot['number']}.", "data": self._changes()}

    def _show_district(self, district: District) -> dict[str, Any]:
        """The district as an answer shows it."""
        return {**district, "needed": self._district_needed(district), "spare": self._district_spare(district)}

    def _show_magazine(self, magazine: Magazine) -> dict[str, Any]:
        """The magazine as an answer shows it."""
        return {**magazine, "stored": self._magazine_stored(magazine)}

    def _names_of_headings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that headings point to."""
        return _names(
            (self.districts, "name", [row["district_id"] for row in shown]),
            (self.headings, "name", [row["off_id"] for row in shown]),
        )

    def _names_of_machines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that machines point to."""
        return _names((self.headings, "name", [row["heading_id"] for row in shown]))

    def _names_of_miners(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that miners point to."""
        return _names((self.headings, "name", [row["heading_id"] for row in shown]))

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names((self.magazines, "name", [row["magazine_id"] for row in shown]))

    def _names_of_blasts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that blasts point to."""
        return _names(
            (self.headings, "name", [row["heading_id"] for row in shown]),
            (self.miners, "name", [row["shotfirer_id"] for row in shown]),
        )

    def _district_needed(self, district: District) -> int:
        """The needed of a district."""
        return (
            sum(
                m["air"]
                for _heading in self._headings_by_district.get(district["id"], {}).values()
                for m in self._machines_by_heading.get(_heading["id"], {}).values()
                if m["heading_id"] is not None
            )
            + 3 * sum(
                1
                for _heading in self._headings_by_district.get(district["id"], {}).values()
                for p in self._miners_by_heading.get(_heading["id"], {}).values()
                if p["heading_id"] is not None
            )
        )

    def _district_spare(self, district: District) -> int:
        """The spare of a district."""
        return district["airflow"] - self._district_needed(district)

    def _magazine_stored(self, magazine: Magazine) -> int:
        """The stored of a magazine."""
        return sum(x["amount"] for x in self._lots_by_magazine.get(magazine["id"], {}).values())

    def _open_blast(self, h: Heading) -> Blast | None:
        return next(
            (b for b in sorted(self._blasts_by_heading.get(h["id"], {}).values(), key=_age) if b["gas"] is None),
            None,
        )

    def _smoky(self, h: Heading) -> bool:
        return any(
            b["fired_at"] is not None
            and b["gas"] is None
            for b in self._blasts_by_heading.get(h["id"], {}).values()
        )

    def _cut_off(self, h: Heading) -> bool:
        return any(self._smoky(x) for x in _above(self.headings, h, "off_id"))

    def _misfired(self, h: Heading) -> bool:
        return any(b["misfires"] > 0 for b in self._blasts_by_heading.get(h["id"], {}).values())

    def _beyond(self, h: Heading) -> list[Heading]:
        return [h] + _below(self._headings_by_off, h)

    def _somebody(self, h: Heading) -> Miner | None:
        return next(
            (
                p
                for p in sorted(
                    _distinct(
                        [
                            p
                            for key in [h["id"], *[record["id"] for record in _below(self._headings_by_off, h)]]
                            for p in self._miners_by_heading.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if p["heading_id"] is not None
            ),
            None,
        )

    def _something(self, h: Heading) -> Machine | None:
        return next(
            (
                m
                for m in sorted(
                    _distinct(
                        [
                            m
                            for key in [h["id"], *[record["id"] for record in _below(self._headings_by_off, h)]]
                            for m in self._machines_by_heading.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if m["heading_id"] is not None
            ),
            None,
        )

    def _working(self, h: Heading, k: str) -> Machine | None:
        return next(
            (
                m
                for m in sorted(self._machines_by_kind_heading.get((k, h["id"]), {}).values(), key=_age)
                if not m["broken"]
            ),
            None,
        )

    def _usable(self, k: str, d: str) -> int:
        return sum(
            x["amount"]
            for x in self.lots.values()
            if self.magazines[x["magazine_id"]]["holds"] == k
            and x["good_until"] >= d
        )

    def _breaks_rule_1(self, d: District) -> bool:
        """Whether this is broken: a district never needs more air than it gets."""
        return self._district_needed(d) > d["airflow"]

    def _breaks_rule_2_m(self, m: Machine) -> bool:
        """Whether this is broken: there is no more than one machine of a kind in a heading, and two machines in all.
        """
        return (
            m["heading_id"] is not None
            and any(
                other_m is not m
                for other_m in self._machines_by_kind_heading.get((m["kind"], m["heading_id"]), {}).values()
                if other_m["heading_id"] is not None
            )
        )

    def _breaks_rule_2_m_again(self, m: Machine) -> bool:
        """Whether this is broken: there is no more than one machine of a kind in a heading, and two machines in all.
        """
        return m["heading_id"] is not None and len(self._machines_by_heading.get(m["heading_id"], {})) > 2

    def _breaks_rule_3(self, p: Miner) -> bool:
        """Whether this is broken: no more than five people are in a heading."""
        return p["heading_id"] is not None and len(self._miners_by_heading.get(p["heading_id"], {})) > 5

    def _breaks_rule_4_p(self, p: Miner) -> bool:
        """Whether this is broken: nobody and nothing is in a heading that was fired until its air has been checked.
        """
        return p["heading_id"] is not None and self._smoky(self.headings[p["heading_id"]])

    def _breaks_rule_4_m(self, m: Machine) -> bool:
        """Whether this is broken: nobody and nothing is in a heading that was fired until its air has been checked.
        """
        return m["heading_id"] is not None and self._smoky(self.headings[m["heading_id"]])

    def _breaks_rule_5_p(self, p: Miner) -> bool:
        """Whether this is broken: nobody and nothing is in a heading that is reached through a fired one whose air
        has not been checked.
        """
        return p["heading_id"] is not None and self._cut_off(self.headings[p["heading_id"]])

    def _breaks_rule_5_m(self, m: Machine) -> bool:
        """Whether this is broken: nobody and nothing is in a heading that is reached through a fired one whose air
        has not been checked.
        """
        return m["heading_id"] is not None and self._cut_off(self.headings[m["heading_id"]])

    def _breaks_rule_6(self, b: Blast) -> bool:
        """Whether this is broken: misfires are dealt with before a heading is mucked out."""
        return b["misfires"] != 0 and self.headings[b["heading_id"]]["stage"] != "blasted"

    def _breaks_rule_7_p(self, p: Miner) -> bool:
        """Whether this is broken: in a charged heading there are shotfirers only and no machines."""
        return (
            p["heading_id"] is not None
            and self.headings[p["heading_id"]]["stage"] == "charged"
            and not p["shotfirer"]
        )

    def _breaks_rule_7_m(self, m: Machine) -> bool:
        """Whether this is broken: in a charged heading there are shotfirers only and no machines."""
        return m["heading_id"] is not None and self.headings[m["heading_id"]]["stage"] == "charged"

    def _breaks_rule_8_b(self, b: Blast) -> bool:
        """Whether this is broken: a charged heading has one round that was not fired, and no other heading has one.
        """
        return (
            b["fired_at"] is None
            and any(
                other_b is not b
                for other_b in self._blasts_by_heading.get(b["heading_id"], {}).values()
                if other_b["fired_at"] is None
            )
        )

    def _breaks_rule_8_h(self, h: Heading) -> bool:
        """Whether this is broken: a charged heading has one round that was not fired, and no other heading has one.
        """
        return (h["stage"] == "charged") != any(
            b["fired_at"] is None
            for b in self._blasts_by_heading.get(h["id"], {}).values()
        )

    def _breaks_rule_9(self, b: Blast) -> bool:
        """Whether this is broken: rounds are charged by shotfirers."""
        return not self.miners[b["shotfirer_id"]]["shotfirer"]

    def _breaks_rule_10(self, b: Blast) -> bool:
        """Whether this is broken: a fired round says from when the heading may be entered, and air is checked in
        fired headings only.
        """
        return not (
            (b["fired_at"] is not None) == (b["safe_at"] is not None)
            and (b["gas"] is None or b["fired_at"] is not None)
        )

    def _breaks_rule_11(self, h: Heading) -> bool:
        """Whether this is broken: a heading that is drilled or charged has its holes, and others have none."""
        return (h["stage"] in ("drilled", "charged")) != (h["holes"] > 0)

    def _breaks_rule_12(self, g: Magazine) -> bool:
        """Whether this is broken: no magazine stores more than its licence allows."""
        return self._magazine_stored(g) > g["most"]

    def _breaks_rule_13(self, b: Blast) -> bool:
        """Whether this is broken: air is good enough where people work after a blast, that is 25 parts of gas at
        most.
        """
        return b["gas"] is not None and b["gas"] > 25

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
            case "headings":
                self._headings_by_district.setdefault(record["district_id"], {})[record["id"]] = record
                self._headings_by_off.setdefault(record["off_id"], {})[record["id"]] = record
            case "machines":
                self._machines_by_heading.setdefault(record["heading_id"], {})[record["id"]] = record
                self._machines_by_kind_heading.setdefault(
                    (record["kind"], record["heading_id"]),
                    {},
                )[record["id"]] = record
            case "miners":
                self._miners_by_heading.setdefault(record["heading_id"], {})[record["id"]] = record
            case "lots":
                self._lots_by_magazine.setdefault(record["magazine_id"], {})[record["id"]] = record
                self._lots_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "blasts":
                self._blasts_by_heading.setdefault(record["heading_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "headings":
                del self._headings_by_district[record["district_id"]][record["id"]]
                del self._headings_by_off[record["off_id"]][record["id"]]
            case "machines":
                del self._machines_by_heading[record["heading_id"]][record["id"]]
                del self._machines_by_kind_heading[record["kind"], record["heading_id"]][record["id"]]
            case "miners":
                del self._miners_by_heading[record["heading_id"]][record["id"]]
            case "lots":
                del self._lots_by_magazine[record["magazine_id"]][record["id"]]
                del self._lots_by_number[record["number"]][record["id"]]
            case "blasts":
                del self._blasts_by_heading[record["heading_id"]][record["id"]]
