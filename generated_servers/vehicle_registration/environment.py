"""Vehicle registration. Compiled from blueprint.yaml; run `envscaler build vehicle_registration` after changing it there.

Keeps a register of vehicles, with plates from a pool, transfers between owners, roadworthiness inspections,
liens in rank that block a change of hands, laying up and export.
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
    "A plate is on one vehicle at a time, and is assigned exactly when it is on one.",
    "A vehicle carries a plate of its own kind.",
    "Registered and laid-up vehicles have a plate, and no others.",
    "A registered vehicle is insured.",
    "A plate that is reserved says for whom, and nobody has more than two reserved.",
    "The odometer of a vehicle never goes back.",
    "Stations inspect the kinds of vehicles they are licensed for.",
    "A vehicle has one open transfer at a time, from its owner to somebody else.",
    "Nobody under 17 becomes the owner of a vehicle.",
    "The active liens on a vehicle are ranked from one without gaps.",
    "An active lien has a balance, and a released one has none.",
    "An exported vehicle has no lien, no open transfer and a country it went to.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_vehicle",
    "reserve_plate",
    "change_plate",
    "notify_transfer",
    "complete_transfer",
    "cancel_transfer",
    "record_inspection",
    "place_lien",
    "repay_lien",
    "lay_up_vehicle",
    "export_vehicle",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "people": ("name",),
    "plates": ("number",),
    "stations": ("name",),
    "lenders": ("name",),
    "vehicles": ("vin",),
    "transfers": (),
    "inspections": (),
    "liens": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("inspections", "vehicle_id"),
    ("liens", "status"),
    ("liens", "vehicle_id"),
    ("plates", "reserved_for_id"),
    ("transfers", "status"),
    ("transfers", "vehicle_id"),
    ("vehicles", "plate_id"),
    ("vehicles", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Person(TypedDict):
    id: str
    name: str
    born: str


class Plate(TypedDict):
    id: str
    number: str
    kind: Literal["car", "van", "motorcycle"]
    reserved_for_id: str | None
    rests_until: str | None
    status: Literal["free", "reserved", "assigned", "resting"]


class Station(TypedDict):
    id: str
    name: str
    kinds: list[Literal["car", "van", "motorcycle"]]


class Lender(TypedDict):
    id: str
    name: str


class Vehicle(TypedDict):
    id: str
    vin: str
    model: str
    kind: Literal["car", "van", "motorcycle"]
    first_used: str
    owner_id: str
    plate_id: str | None
    insured_until: str | None
    exported_to: str | None
    status: Literal["unregistered", "registered", "exported", "laid_up"]


class Transfer(TypedDict):
    id: str
    vehicle_id: str
    seller_id: str
    buyer_id: str
    price: int
    notified_on: str
    status: Literal["open", "completed", "cancelled"]


class Inspection(TypedDict):
    id: str
    vehicle_id: str
    station_id: str
    on: str
    odometer: int
    result: Literal["passed", "defects", "dangerous"]
    valid_until: str | None


class Lien(TypedDict):
    id: str
    vehicle_id: str
    lender_id: str
    rank: int
    balance: int
    status: Literal["active", "released"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class VehicleRegistration:
    """Keeps a register of vehicles, with plates from a pool, transfers between owners, roadworthiness
    inspections, liens in rank that block a change of hands, laying up and export.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.plates: dict[str, Plate] = _copied(config.get("plates", {}))
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.lenders: dict[str, Lender] = _copied(config.get("lenders", {}))
        self.vehicles: dict[str, Vehicle] = _copied(config.get("vehicles", {}))
        self.transfers: dict[str, Transfer] = _copied(config.get("transfers", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.liens: dict[str, Lien] = _copied(config.get("liens", {}))
        self.now: str = config.get("now", "2026-03-16T08:30")
        self.counters: dict[str, int] = {
            "person": len(self.people),
            "plate": len(self.plates),
            "station": len(self.stations),
            "lender": len(self.lenders),
            "vehicle": len(self.vehicles),
            "transfer": len(self.transfers),
            "inspection": len(self.inspections),
            "lien": len(self.liens),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._plates_by_reserved_for: dict[Any, dict[str, Plate]] = {}
        self._vehicles_by_plate: dict[Any, dict[str, Vehicle]] = {}
        self._vehicles_by_status: dict[Any, dict[str, Vehicle]] = {}
        self._transfers_by_vehicle_status: dict[Any, dict[str, Transfer]] = {}
        self._inspections_by_vehicle: dict[Any, dict[str, Inspection]] = {}
        self._liens_by_vehicle_status: dict[Any, dict[str, Lien]] = {}
        for plate in self.plates.values():
            self._link("plates", plate)
        for vehicle in self.vehicles.values():
            self._link("vehicles", vehicle)
        for transfer in self.transfers.values():
            self._link("transfers", transfer)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)
        for lien in self.liens.values():
            self._link("liens", lien)

    def available_plates(
        self,
        kind: Literal["car", "van", "motorcycle"],
        person_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Plates of a kind that a person may be given today.

        Args:
            kind (str): Kind of vehicle that the plate is for: car, van or motorcycle.
            person_id (str): Id of the person, such as PERSON-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plates": records}} or {"success": False, "error": why
                not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        found = [p for p in self.plates.values() if (p["kind"] == kind and self._available(p, person, self.now[:10]))]
        found.sort(key=lambda p: (p["number"], _age(p)))
        return _found(
            {
                "total": len(found),
                "plates": [
                    {"id": p["id"], "number": p["number"], "status": p["status"]}
                    for p in _page(found, offset)
                ],
            }
        )

    def runs_out(
        self,
        before: Date,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Vehicles on the road whose insurance or inspection ends before a day.

        Args:
            before (str): Day before which insurance or inspection ends, as YYYY-MM-DD.
            owner_id (str, optional): Owner of the vehicles; an id such as PERSON-00001. If left out, vehicles of
                all owners are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vehicles": records}} or {"success": False, "error": why
                not}
        """
        owner = self.people.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no person {owner_id!r}.")
        found = [
            v
            for v in self._vehicles_by_status.get("registered", {}).values()
            if (v["insured_until"] is not None and v["insured_until"] < before or not self._fit(v, before))
            and (owner_id is None or v["owner_id"] == owner_id)
        ]
        found.sort(key=lambda v: (v["vin"], _age(v)))
        shown = [
            {
                "id": v["id"],
                "vin": v["vin"],
                "model": v["model"],
                "plate": v["plate_id"],
                "insured_until": v["insured_until"],
                "fit_until": self._vehicle_fit_until(v),
            }
            for v in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "vehicles": shown},
            _names((self.plates, "number", [row["plate"] for row in shown])),
        )

    def encumbrances(self, vehicle_id: str) -> Result:
        """The liens on a vehicle in rank, and whether it may change hands.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.

        Returns:
            dict: {"success": True, "data": {owed, lenders, may_be_sold, open_transfer}} or {"success": False,
                "error": why not}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        sale = self._open_transfer(vehicle)
        return _found(
            {
                "owed": self._vehicle_owed(vehicle),
                "lenders": [*[self.lenders[l["lender_id"]]["name"] for l in self._liens_on(vehicle)]],
                "may_be_sold": self._vehicle_owed(vehicle) == 0 and vehicle["status"] != "exported",
                "open_transfer": sale["id"] if sale is not None else None,
            }
        )

    def list_people(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_plates(
        self,
        number: Text | None = None,
        kind: Literal["car", "van", "motorcycle"] | None = None,
        reserved_for_id: str | None = None,
        status: Literal["free", "reserved", "assigned", "resting"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plates, oldest first, all of them or only some.

        Args:
            number (str, optional): Only plates whose number contains this text.
            kind (str, optional): Only plates with this kind.
            reserved_for_id (str, optional): Only plates reserved for this person.
            status (str, optional): Only plates with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plates": records}}
        """
        if reserved_for_id is not None and reserved_for_id not in self.people:
            return _refused(f"There is no person {reserved_for_id!r}.")
        found = [
            plate
            for plate in self.plates.values()
            if (number is None or number.casefold() in plate["number"].casefold())
            and (kind is None or plate["kind"] == kind)
            and (reserved_for_id is None or plate["reserved_for_id"] == reserved_for_id)
            and (status is None or plate["status"] == status)
        ]
        shown = [{**plate} for plate in _page(found, offset)]
        return _found({"total": len(found), "plates": shown}, self._names_of_plates(shown))

    def list_stations(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stations whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (name is None or name.casefold() in station["name"].casefold())
        ]
        return _found(
            {"total": len(found), "stations": [self._show_station(station) for station in _page(found, offset)]}
        )

    def list_lenders(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lenders, oldest first, all of them or only some.

        Args:
            name (str, optional): Only lenders whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lenders": records}}
        """
        found = [
            lender
            for lender in self.lenders.values()
            if (name is None or name.casefold() in lender["name"].casefold())
        ]
        return _found({"total": len(found), "lenders": [{**lender} for lender in _page(found, offset)]})

    def list_vehicles(
        self,
        vin: Text | None = None,
        kind: Literal["car", "van", "motorcycle"] | None = None,
        owner_id: str | None = None,
        plate_id: str | None = None,
        status: Literal["unregistered", "registered", "exported", "laid_up"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vehicles, oldest first, all of them or only some.

        Args:
            vin (str, optional): Only vehicles whose vin contains this text.
            kind (str, optional): Only vehicles with this kind.
            owner_id (str, optional): Only vehicles whose owner is this person.
            plate_id (str, optional): Only vehicles of this plate.
            status (str, optional): Only vehicles with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vehicles": records}}
        """
        if owner_id is not None and owner_id not in self.people:
            return _refused(f"There is no person {owner_id!r}.")
        if plate_id is not None and plate_id not in self.plates:
            return _refused(f"There is no plate {plate_id!r}.")
        found = [
            vehicle
            for vehicle in self.vehicles.values()
            if (vin is None or vin.casefold() in vehicle["vin"].casefold())
            and (kind is None or vehicle["kind"] == kind)
            and (owner_id is None or vehicle["owner_id"] == owner_id)
            and (plate_id is None or vehicle["plate_id"] == plate_id)
            and (status is None or vehicle["status"] == status)
        ]
        shown = [self._show_vehicle(vehicle) for vehicle in _page(found, offset)]
        return _found({"total": len(found), "vehicles": shown}, self._names_of_vehicles(shown))

    def list_transfers(
        self,
        vehicle_id: str | None = None,
        seller_id: str | None = None,
        buyer_id: str | None = None,
        status: Literal["open", "completed", "cancelled"] | None = None,
        notified_on_from: Date | None = None,
        notified_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the transfers, oldest first, all of them or only some.

        Args:
            vehicle_id (str, optional): Only transfers of this vehicle.
            seller_id (str, optional): Only transfers whose seller is this person.
            buyer_id (str, optional): Only transfers whose buyer is this person.
            status (str, optional): Only transfers with this status.
            notified_on_from (str, optional): Only transfers whose `notified_on` is on this day or later.
            notified_on_to (str, optional): Only transfers whose `notified_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "transfers": records}}
        """
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if seller_id is not None and seller_id not in self.people:
            return _refused(f"There is no person {seller_id!r}.")
        if buyer_id is not None and buyer_id not in self.people:
            return _refused(f"There is no person {buyer_id!r}.")
        found = [
            transfer
            for transfer in self.transfers.values()
            if (vehicle_id is None or transfer["vehicle_id"] == vehicle_id)
            and (seller_id is None or transfer["seller_id"] == seller_id)
            and (buyer_id is None or transfer["buyer_id"] == buyer_id)
            and (status is None or transfer["status"] == status)
            and (notified_on_from is None or transfer["notified_on"] >= notified_on_from)
            and (notified_on_to is None or transfer["notified_on"] <= notified_on_to)
        ]
        shown = [{**transfer} for transfer in _page(found, offset)]
        return _found({"total": len(found), "transfers": shown}, self._names_of_transfers(shown))

    def list_inspections(
        self,
        vehicle_id: str | None = None,
        station_id: str | None = None,
        result: Literal["passed", "defects", "dangerous"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            vehicle_id (str, optional): Only inspections of this vehicle.
            station_id (str, optional): Only inspections of this station.
            result (str, optional): Only inspections with this result.
            on_from (str, optional): Only inspections whose `on` is on this day or later.
            on_to (str, optional): Only inspections whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (vehicle_id is None or inspection["vehicle_id"] == vehicle_id)
            and (station_id is None or inspection["station_id"] == station_id)
            and (result is None or inspection["result"] == result)
            and (on_from is None or inspection["on"] >= on_from)
            and (on_to is None or inspection["on"] <= on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def list_liens(
        self,
        vehicle_id: str | None = None,
        lender_id: str | None = None,
        status: Literal["active", "released"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the liens, oldest first, all of them or only some.

        Args:
            vehicle_id (str, optional): Only liens of this vehicle.
            lender_id (str, optional): Only liens of this lender.
            status (str, optional): Only liens with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "liens": records}}
        """
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if lender_id is not None and lender_id not in self.lenders:
            return _refused(f"There is no lender {lender_id!r}.")
        found = [
            lien
            for lien in self.liens.values()
            if (vehicle_id is None or lien["vehicle_id"] == vehicle_id)
            and (lender_id is None or lien["lender_id"] == lender_id)
            and (status is None or lien["status"] == status)
        ]
        shown = [{**lien} for lien in _page(found, offset)]
        return _found({"total": len(found), "liens": shown}, self._names_of_liens(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_vehicle(self, vehicle_id: str, insured_until: Date, plate_id: str | None = None) -> Result:
        """Register a vehicle with a plate, put a laid-up one back on the road with the plate it has, or enter new
        insurance for a registered one.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            insured_until (str): Last day of the insurance, after today, as YYYY-MM-DD.
            plate_id (str, optional): Plate for a vehicle without one, of its kind and available; an id such as
                PLATE-00001. If left out, the vehicle keeps the plate that it has.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        plate = self.plates.get(plate_id) if plate_id is not None else None
        if plate_id is not None and plate is None:
            return _refused(f"There is no plate {plate_id!r}.")
        if vehicle["status"] == "exported":
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is exported.")
        if insured_until <= self.now[:10]:
            return _refused(f"The insurance ran out on {insured_until}.")
        if (
            vehicle["status"] == "registered"
            and vehicle["insured_until"] is not None
            and insured_until <= vehicle["insured_until"]
        ):
            return _refused(
                f"The {vehicle['model']} {vehicle['vin']} is insured until {vehicle['insured_until']} already."
            )
        if not (vehicle["status"] == "registered" or self._fit(vehicle, self.now[:10])):
            return _refused(f"The {vehicle['model']} {vehicle['vin']} has no valid inspection.")
        verdict = self._last_verdict(vehicle)
        if verdict is not None and verdict["result"] == "dangerous":
            return _refused(
                f"The {vehicle['model']} {vehicle['vin']} was found dangerous on {verdict['on']}, so it must pass "
                "an inspection first."
            )
        if (plate_id is not None) != (vehicle["plate_id"] is None):
            return _refused("A vehicle that has a plate keeps it, and an unregistered one needs a plate.")
        if plate_id is not None and plate["kind"] != vehicle["kind"]:
            return _refused(f"That is a plate for a {plate['kind']}, not for a {vehicle['kind']}.")
        if not (plate_id is None or self._available(plate, self.people[vehicle["owner_id"]], self.now[:10])):
            return _refused(f"The plate {plate['number']} is {plate['status']}.")
        self._journal = []
        changed_plates: list[Any] = []
        former_reserved_for_ids: list[Any] = []
        changed_plates_2: list[Any] = []
        changed_vehicles: list[Any] = []
        former_plate_ids: list[Any] = []
        changed_vehicles_2: list[Any] = []
        if plate_id is not None:
            changed_plates.append(plate)
            former_reserved_for_ids.append(plate["reserved_for_id"])
            self._put("plates", plate, "reserved_for_id", None)
            self._put("plates", plate, "rests_until", None)
            changed_plates_2.append(plate)
            self._put("plates", plate, "status", "assigned")
            changed_vehicles.append(vehicle)
            former_plate_ids.append(vehicle["plate_id"])
            self._put("vehicles", vehicle, "plate_id", plate_id)
        self._put("vehicles", vehicle, "insured_until", insured_until)
        if vehicle["status"] != "registered":
            if vehicle["status"] not in ("unregistered", "registered", "laid_up"):
                return self._take_back(f"Vehicle {vehicle['vin']} cannot go from {vehicle['status']} to registered.")
            changed_vehicles_2.append(vehicle)
            self._put("vehicles", vehicle, "status", "registered")
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_1_v(one_vehicle):
                return self._take_back(RULES[0])
        for one_plate in _distinct(
            [
                *changed_plates_2,
                *[self.plates.get(one["plate_id"]) for one in changed_vehicles],
                *[self.plates.get(key) for key in former_plate_ids],
            ]
        ):
            if self._breaks_rule_1_p(one_plate):
                return self._take_back(RULES[0])
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_2(one_vehicle):
                return self._take_back(RULES[1])
        for one_vehicle in _distinct([*changed_vehicles, *changed_vehicles_2]):
            if self._breaks_rule_3(one_vehicle):
                return self._take_back(RULES[2])
        for one_vehicle in _distinct([vehicle, *changed_vehicles_2]):
            if self._breaks_rule_4(one_vehicle):
                return self._take_back(RULES[3])
        for one_plate in _distinct([*changed_plates, *changed_plates_2]):
            if self._breaks_rule_5_p(one_plate):
                return self._take_back(RULES[4])
        for one_person in _distinct(
            [
                *[self.people.get(one["reserved_for_id"]) for one in changed_plates],
                *[self.people.get(key) for key in former_reserved_for_ids],
            ]
        ):
            if self._breaks_rule_5_o(one_person):
                return self._take_back(RULES[4])
        for one_vehicle in _distinct(changed_vehicles_2):
            if self._breaks_rule_12_v(one_vehicle):
                return self._take_back(RULES[11])
        for one_lien in _distinct(
            [
                user
                for one in changed_vehicles_2
                for user in self._liens_by_vehicle_status.get((one["id"], "active"), {}).values()
            ]
        ):
            if self._breaks_rule_12_l(one_lien):
                return self._take_back(RULES[11])
        for one_transfer in _distinct(
            [
                user
                for one in changed_vehicles_2
                for user in self._transfers_by_vehicle_status.get((one["id"], "open"), {}).values()
            ]
        ):
            if self._breaks_rule_12_t(one_transfer):
                return self._take_back(RULES[11])
        done = f"register the {vehicle['model']} of {self.people[vehicle['owner_id']]['name']} as insured until {insured_until}"
        if plate is not None:
            done += f", with the plate {plate['number']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def reserve_plate(self, plate_id: str, person_id: str) -> Result:
        """Reserve a plate from the pool for a person, who may have two reserved.

        Args:
            plate_id (str): Id of the plate, such as PLATE-00001.
            person_id (str): Id of the person, such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plate = self.plates.get(plate_id)
        if plate is None:
            return _refused(f"There is no plate {plate_id!r}.")
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if not (
            plate["status"] == "free"
            or plate["status"] == "resting"
            and plate["rests_until"] is not None
            and plate["rests_until"] <= self.now[:10]
        ):
            return _refused(f"The plate {plate['number']} is {plate['status']}.")
        if len(self._plates_by_reserved_for.get(person_id, {})) >= 2:
            return _refused(f"{person['name']} has two plates reserved already.")
        self._journal = []
        self._put("plates", plate, "rests_until", None)
        former_reserved_for_id = plate["reserved_for_id"]
        self._put("plates", plate, "reserved_for_id", person_id)
        if plate["status"] not in ("free", "reserved", "resting"):
            return self._take_back(f"Plate {plate['number']} cannot go from {plate['status']} to reserved.")
        self._put("plates", plate, "status", "reserved")
        if self._breaks_rule_1_p(plate):
            return self._take_back(RULES[0])
        if self._breaks_rule_5_p(plate):
            return self._take_back(RULES[4])
        for one_person in _distinct(
            [self.people.get(plate["reserved_for_id"]), self.people.get(former_reserved_for_id)]
        ):
            if self._breaks_rule_5_o(one_person):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: reserve the plate {plate['number']} for {person['name']}.",
            "data": self._changes(),
        }

    def change_plate(self, vehicle_id: str, plate_id: str) -> Result:
        """Give a registered vehicle another plate; the old one rests for 90 days.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            plate_id (str): Id of the plate, such as PLATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        plate = self.plates.get(plate_id)
        if plate is None:
            return _refused(f"There is no plate {plate_id!r}.")
        if vehicle["status"] != "registered" or vehicle["plate_id"] is None:
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is {vehicle['status']}.")
        if plate["kind"] != vehicle["kind"]:
            return _refused(f"The plate {plate['number']} is for a {plate['kind']}.")
        if not self._available(plate, self.people[vehicle["owner_id"]], self.now[:10]):
            return _refused(f"The plate {plate['number']} is {plate['status']}.")
        self._journal = []
        its_plate = self.plates[vehicle["plate_id"]]
        self._put("plates", its_plate, "rests_until", _plus_days(self.now[:10], 90))
        its_plate_2 = self.plates[vehicle["plate_id"]]
        if its_plate_2["status"] not in ("assigned", "resting"):
            return self._take_back(
                f"Plate {its_plate_2['number']} cannot go from {its_plate_2['status']} to resting."
            )
        self._put("plates", its_plate_2, "status", "resting")
        former_reserved_for_id = plate["reserved_for_id"]
        self._put("plates", plate, "reserved_for_id", None)
        self._put("plates", plate, "rests_until", None)
        self._put("plates", plate, "status", "assigned")
        former_plate_id = vehicle["plate_id"]
        self._put("vehicles", vehicle, "plate_id", plate_id)
        if self._breaks_rule_1_v(vehicle):
            return self._take_back(RULES[0])
        for one_plate in _distinct(
            [its_plate_2, plate, self.plates.get(vehicle["plate_id"]), self.plates.get(former_plate_id)]
        ):
            if self._breaks_rule_1_p(one_plate):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(vehicle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(vehicle):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_p(its_plate_2):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p(plate):
            return self._take_back(RULES[4])
        for one_person in _distinct(
            [self.people.get(plate["reserved_for_id"]), self.people.get(former_reserved_for_id)]
        ):
            if self._breaks_rule_5_o(one_person):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: change the plate of the {vehicle['model']} of {self.people[vehicle['owner_id']]['name']} "
                f"to {plate['number']}."
            ),
            "data": self._changes(),
        }

    def notify_transfer(
        self,
        vehicle_id: str,
        buyer_id: str,
        price: Annotated[int, {"minimum": 0, "maximum": 20000000}],
    ) -> Result:
        """Note that an owner sells a vehicle to somebody.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            buyer_id (str): Person who buys the vehicle, 17 or older; an id such as PERSON-00001.
            price (int): Price agreed for the vehicle, in cents, from 0 to 20000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        buyer = self.people.get(buyer_id)
        if buyer is None:
            return _refused(f"There is no person {buyer_id!r}.")
        if vehicle["status"] == "exported":
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is exported.")
        other = self._open_transfer(vehicle)
        if other is not None:
            return _refused(
                f"A transfer of that vehicle to {self.people[other['buyer_id']]['name']} is open already."
            )
        if buyer_id == vehicle["owner_id"]:
            return _refused(f"{buyer['name']} owns that vehicle already.")
        if _years(buyer["born"], self.now[:10]) < 17:
            return _refused(
                f"{buyer['name']} is {_years(buyer['born'], self.now[:10])} and too young to own a vehicle."
            )
        self._journal = []
        transfer: Transfer = {
            "id": self._new_id("transfer", "TRANSFER", self.transfers),
            "vehicle_id": vehicle_id,
            "seller_id": vehicle["owner_id"],
            "buyer_id": buyer_id,
            "price": price,
            "notified_on": self.now[:10],
            "status": "open",
        }
        self._add("transfers", transfer)
        if self._breaks_rule_8_t(transfer):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_t_again(transfer):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(transfer):
            return self._take_back(RULES[8])
        if self._breaks_rule_12_t(transfer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: note the sale of the {vehicle['model']} of {self.people[vehicle['owner_id']]['name']} to "
                f"{buyer['name']} for {_money(price)} (new: transfer {transfer['id']})."
            ),
            "data": {"transfer_id": transfer["id"], **self._changes()},
        }

    def complete_transfer(self, transfer_id: str, keep_plate: bool, insured_until: Date | None = None) -> Result:
        """Complete a transfer within 30 days, once no lien is left; the buyer keeps the plate with insurance of their
        own, or hands it in.

        Args:
            transfer_id (str): Id of the transfer, such as TRANSFER-00001.
            keep_plate (bool): Whether the buyer keeps the plate rather than hands it in.
            insured_until (str, optional): Last day of the buyer's insurance, needed to keep the plate, as
                YYYY-MM-DD. If left out, the insurance ends and the plate must be handed in.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transfer = self.transfers.get(transfer_id)
        if transfer is None:
            return _refused(f"There is no transfer {transfer_id!r}.")
        if transfer["status"] != "open":
            return _refused(f"That transfer is {transfer['status']}.")
        if self.now[:10] > _plus_days(transfer["notified_on"], 30):
            return _refused(
                f"The sale was noted on {transfer['notified_on']}, more than 30 days ago, so it must be cancelled."
            )
        vehicle = self.vehicles[transfer["vehicle_id"]]
        if self._vehicle_owed(vehicle) != 0:
            return _refused(
                f"{_money(self._vehicle_owed(vehicle))} is owed on liens on the {vehicle['model']}, which must be "
                "repaid first."
            )
        if keep_plate and vehicle["plate_id"] is None:
            return _refused(f"The {vehicle['model']} has no plate to keep.")
        if keep_plate != (insured_until is not None):
            return _refused("Insurance is given exactly when the plate is kept.")
        if insured_until is not None and insured_until <= self.now[:10]:
            return _refused(f"The insurance ran out on {insured_until}.")
        self._journal = []
        changed_plates: list[Any] = []
        changed_vehicles: list[Any] = []
        former_plate_ids: list[Any] = []
        changed_vehicles_2: list[Any] = []
        self._put("vehicles", vehicle, "owner_id", transfer["buyer_id"])
        self._put("vehicles", vehicle, "insured_until", insured_until)
        if not keep_plate:
            for p in _those(self.plates, [vehicle["plate_id"]]):
                self._put("plates", p, "rests_until", _plus_days(self.now[:10], 90))
                if p["status"] not in ("assigned", "resting"):
                    return self._take_back(f"Plate {p['number']} cannot go from {p['status']} to resting.")
                changed_plates.append(p)
                self._put("plates", p, "status", "resting")
            if vehicle["plate_id"] is not None:
                changed_vehicles.append(vehicle)
                former_plate_ids.append(vehicle["plate_id"])
                self._put("vehicles", vehicle, "plate_id", None)
                if vehicle["status"] not in ("unregistered", "registered", "laid_up"):
                    return self._take_back(
                        f"Vehicle {vehicle['vin']} cannot go from {vehicle['status']} to unregistered."
                    )
                changed_vehicles_2.append(vehicle)
                self._put("vehicles", vehicle, "status", "unregistered")
        self._put("transfers", transfer, "status", "completed")
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_1_v(one_vehicle):
                return self._take_back(RULES[0])
        for one_plate in _distinct(
            [
                *changed_plates,
                *[self.plates.get(one["plate_id"]) for one in changed_vehicles],
                *[self.plates.get(key) for key in former_plate_ids],
            ]
        ):
            if self._breaks_rule_1_p(one_plate):
                return self._take_back(RULES[0])
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_2(one_vehicle):
                return self._take_back(RULES[1])
        for one_vehicle in _distinct([*changed_vehicles, *changed_vehicles_2]):
            if self._breaks_rule_3(one_vehicle):
                return self._take_back(RULES[2])
        for one_vehicle in _distinct([vehicle, *changed_vehicles_2]):
            if self._breaks_rule_4(one_vehicle):
                return self._take_back(RULES[3])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_5_p(one_plate):
                return self._take_back(RULES[4])
        if self._breaks_rule_8_t(transfer):
            return self._take_back(RULES[7])
        for one_transfer in _distinct(
            [transfer, *self._transfers_by_vehicle_status.get((vehicle["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_8_t_again(one_transfer):
                return self._take_back(RULES[7])
        for one_vehicle in _distinct(changed_vehicles_2):
            if self._breaks_rule_12_v(one_vehicle):
                return self._take_back(RULES[11])
        for one_lien in _distinct(
            [
                user
                for one in changed_vehicles_2
                for user in self._liens_by_vehicle_status.get((one["id"], "active"), {}).values()
            ]
        ):
            if self._breaks_rule_12_l(one_lien):
                return self._take_back(RULES[11])
        for one_transfer in _distinct(
            [
                transfer,
                *[
                    user
                    for one in changed_vehicles_2
                    for user in self._transfers_by_vehicle_status.get((one["id"], "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12_t(one_transfer):
                return self._take_back(RULES[11])
        done = f"complete the transfer of the {self.vehicles[transfer['vehicle_id']]['model']} to {self.people[transfer['buyer_id']]['name']}"
        if insured_until is not None:
            done += f", insured until {insured_until}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_transfer(self, transfer_id: str) -> Result:
        """Cancel an open transfer.

        Args:
            transfer_id (str): Id of the transfer, such as TRANSFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transfer = self.transfers.get(transfer_id)
        if transfer is None:
            return _refused(f"There is no transfer {transfer_id!r}.")
        if transfer["status"] != "open":
            return _refused(f"That transfer is {transfer['status']}.")
        self._journal = []
        self._put("transfers", transfer, "status", "cancelled")
        if self._breaks_rule_8_t(transfer):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_t_again(transfer):
            return self._take_back(RULES[7])
        if self._breaks_rule_12_t(transfer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the transfer of the {self.vehicles[transfer['vehicle_id']]['model']} to "
                f"{self.people[transfer['buyer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def record_inspection(
        self,
        vehicle_id: str,
        station_id: str,
        odometer: Annotated[int, {"minimum": 0, "maximum": 2000000}],
        result: Literal["passed", "defects", "dangerous"],
    ) -> Result:
        """Record an inspection; a pass is valid for two years (one for a van), and a dangerous vehicle is laid up.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            station_id (str): Id of the station, such as STATION-00001.
            odometer (int): Distance on the odometer, never below the last reading, from 0 to 2000000.
            result (str): Outcome of the inspection: passed, defects or dangerous.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if vehicle["status"] == "exported":
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is exported.")
        if vehicle["kind"] not in station["kinds"]:
            return _refused(f"{station['name']} is not licensed for a {vehicle['kind']}.")
        last = self._last_reading(vehicle)
        if last is not None and odometer < last:
            return _refused(f"The odometer showed {last} before, so {odometer} cannot be right.")
        self._journal = []
        changed_vehicles: list[Any] = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "vehicle_id": vehicle_id,
            "station_id": station_id,
            "on": self.now[:10],
            "odometer": odometer,
            "result": result,
            "valid_until": _add_months(
                self.now[:10],
                12 if vehicle["kind"] == "van" else 24,
            ) if result == "passed" else None,
        }
        self._add("inspections", inspection)
        if result == "dangerous" and vehicle["status"] == "registered":
            if vehicle["status"] not in ("registered", "laid_up"):
                return self._take_back(f"Vehicle {vehicle['vin']} cannot go from {vehicle['status']} to laid_up.")
            changed_vehicles.append(vehicle)
            self._put("vehicles", vehicle, "status", "laid_up")
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_3(one_vehicle):
                return self._take_back(RULES[2])
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_4(one_vehicle):
                return self._take_back(RULES[3])
        if self._breaks_rule_6_a(inspection):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(inspection):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(inspection):
            return self._take_back(RULES[6])
        for one_vehicle in _distinct(changed_vehicles):
            if self._breaks_rule_12_v(one_vehicle):
                return self._take_back(RULES[11])
        for one_lien in _distinct(
            [
                user
                for one in changed_vehicles
                for user in self._liens_by_vehicle_status.get((one["id"], "active"), {}).values()
            ]
        ):
            if self._breaks_rule_12_l(one_lien):
                return self._take_back(RULES[11])
        for one_transfer in _distinct(
            [
                user
                for one in changed_vehicles
                for user in self._transfers_by_vehicle_status.get((one["id"], "open"), {}).values()
            ]
        ):
            if self._breaks_rule_12_t(one_transfer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the inspection of the {vehicle['model']} of "
                f"{self.people[vehicle['owner_id']]['name']} at {station['name']} as {result} (new: inspection "
                f"{inspection['id']})."
            ),
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def place_lien(
        self,
        vehicle_id: str,
        lender_id: str,
        amount: Annotated[int, {"minimum": 10000, "maximum": 20000000}],
    ) -> Result:
        """Place a lien of a lender on a vehicle, behind those it has.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            lender_id (str): Id of the lender, such as LENDER-00001.
            amount (int): Amount that the owner owes the lender, in cents, from 10000 to 20000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        lender = self.lenders.get(lender_id)
        if lender is None:
            return _refused(f"There is no lender {lender_id!r}.")
        if vehicle["status"] == "exported":
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is exported.")
        if self._open_transfer(vehicle) is not None:
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is being sold, so nothing is placed on it now.")
        if len(self._liens_on(vehicle)) >= 4:
            return _refused(f"The {vehicle['model']} {vehicle['vin']} has four liens already.")
        if any(l["lender_id"] == lender_id for l in self._liens_on(vehicle)):
            return _refused(f"{lender['name']} has a lien on that vehicle already.")
        self._journal = []
        rank = len(self._liens_on(vehicle)) + 1
        if not 1 <= rank <= 9:
            return self._take_back("The rank of a lien must be between 1 and 9.")
        lien: Lien = {
            "id": self._new_id("lien", "LIEN", self.liens),
            "vehicle_id": vehicle_id,
            "lender_id": lender_id,
            "rank": rank,
            "balance": amount,
            "status": "active",
        }
        self._add("liens", lien)
        if self._breaks_rule_10_l(lien):
            return self._take_back(RULES[9])
        for one_lien in _distinct(
            [lien, *self._liens_by_vehicle_status.get((lien["vehicle_id"], "active"), {}).values()]
        ):
            if self._breaks_rule_10_l_again(one_lien):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lien):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_l(lien):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: place a lien of {lender['name']} for {_money(amount)} on the {vehicle['model']} of "
                f"{self.people[vehicle['owner_id']]['name']} (new: lien {lien['id']})."
            ),
            "data": {"lien_id": lien["id"], **self._changes()},
        }

    def repay_lien(
        self,
        lien_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 20000000}] | None = None,
    ) -> Result:
        """Record a repayment on a lien, all of it where no amount is given; a lien repaid in full is released and
        those behind it move up.

        Args:
            lien_id (str): Id of the lien, such as LIEN-00001.
            amount (int, optional): Amount repaid, at most the balance, in cents, from 1 to 20000000. If left out,
                the whole balance is repaid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lien = self.liens.get(lien_id)
        if lien is None:
            return _refused(f"There is no lien {lien_id!r}.")
        if lien["status"] != "active":
            return _refused(f"That lien is {lien['status']}.")
        if amount is not None and amount > lien["balance"]:
            return _refused(f"Only {_money(lien['balance'])} is owed on that lien.")
        self._journal = []
        changed_liens: list[Any] = []
        changed_liens_2: list[Any] = []
        balance = lien["balance"] - (amount if amount is not None else lien["balance"])
        if not 0 <= balance <= 20000000:
            return self._take_back(f"The balance of {lien['id']} must be between 0.00 and 200,000.00.")
        self._put("liens", lien, "balance", balance)
        if lien["balance"] == 0:
            changed_liens.append(lien)
            self._put("liens", lien, "status", "released")
            for l in [
                l
                for l in sorted(
                    self._liens_by_vehicle_status.get((lien["vehicle_id"], "active"), {}).values(),
                    key=_age,
                )
                if l["rank"] > lien["rank"]
            ]:
                rank = l["rank"] - 1
                if not 1 <= rank <= 9:
                    return self._take_back(f"The rank of {l['id']} must be between 1 and 9.")
                changed_liens_2.append(l)
                self._put("liens", l, "rank", rank)
        for one_lien in _distinct([*changed_liens, *changed_liens_2]):
            if self._breaks_rule_10_l(one_lien):
                return self._take_back(RULES[9])
        for one_lien in _distinct(
            [
                *changed_liens,
                *[
                    user
                    for one in [self.vehicles[one["vehicle_id"]] for one in changed_liens]
                    for user in self._liens_by_vehicle_status.get((one["id"], "active"), {}).values()
                ],
                *changed_liens_2,
            ]
        ):
            if self._breaks_rule_10_l_again(one_lien):
                return self._take_back(RULES[9])
        for one_lien in _distinct([lien, *changed_liens]):
            if self._breaks_rule_11(one_lien):
                return self._take_back(RULES[10])
        for one_lien in _distinct(changed_liens):
            if self._breaks_rule_12_l(one_lien):
                return self._take_back(RULES[11])
        done = f"record a repayment on the lien of {self.lenders[lien['lender_id']]['name']} on the {self.vehicles[lien['vehicle_id']]['model']} of {self.people[self.vehicles[lien['vehicle_id']]['owner_id']]['name']}"
        if amount is not None:
            done += f", {_money(amount)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def lay_up_vehicle(self, vehicle_id: str) -> Result:
        """Lay a registered vehicle up; it keeps its plate but is no longer insured.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if vehicle["status"] != "registered":
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is {vehicle['status']}.")
        self._journal = []
        self._put("vehicles", vehicle, "insured_until", None)
        self._put("vehicles", vehicle, "status", "laid_up")
        if self._breaks_rule_3(vehicle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(vehicle):
            return self._take_back(RULES[3])
        if self._breaks_rule_12_v(vehicle):
            return self._take_back(RULES[11])
        for one_lien in _distinct(self._liens_by_vehicle_status.get((vehicle["id"], "active"), {}).values()):
            if self._breaks_rule_12_l(one_lien):
                return self._take_back(RULES[11])
        for one_transfer in _distinct(self._transfers_by_vehicle_status.get((vehicle["id"], "open"), {}).values()):
            if self._breaks_rule_12_t(one_transfer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: lay up the {vehicle['model']} of {self.people[vehicle['owner_id']]['name']}.",
            "data": self._changes(),
        }

    def export_vehicle(self, vehicle_id: str, country: Text) -> Result:
        """Export a vehicle without liens to another country; its plate rests for 90 days.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            country (str): Country that the vehicle goes to.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if vehicle["status"] == "exported":
            return _refused(f"The {vehicle['model']} {vehicle['vin']} is exported already.")
        if self._vehicle_owed(vehicle) != 0:
            return _refused(
                f"{_money(self._vehicle_owed(vehicle))} is owed on liens on the {vehicle['model']}, which must be "
                "repaid first."
            )
        sale = self._open_transfer(vehicle)
        if sale is not None:
            return _refused(
                f"The transfer to {self.people[sale['buyer_id']]['name']} is open and must be completed or "
                "cancelled first."
            )
        self._journal = []
        changed_plates: list[Any] = []
        if vehicle["plate_id"] is not None:
            plate = self.plates[vehicle["plate_id"]]
            self._put("plates", plate, "rests_until", _plus_days(self.now[:10], 90))
            its_plate = self.plates[vehicle["plate_id"]]
            if its_plate["status"] not in ("assigned", "resting"):
                return self._take_back(
                    f"Plate {its_plate['number']} cannot go from {its_plate['status']} to resting."
                )
            changed_plates.append(its_plate)
            self._put("plates", its_plate, "status", "resting")
        former_plate_id = vehicle["plate_id"]
        self._put("vehicles", vehicle, "plate_id", None)
        self._put("vehicles", vehicle, "insured_until", None)
        self._put("vehicles", vehicle, "exported_to", country)
        self._put("vehicles", vehicle, "status", "exported")
        if self._breaks_rule_1_v(vehicle):
            return self._take_back(RULES[0])
        for one_plate in _distinct(
            [self.plates.get(vehicle["plate_id"]), self.plates.get(former_plate_id), *changed_plates]
        ):
            if self._breaks_rule_1_p(one_plate):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(vehicle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(vehicle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(vehicle):
            return self._take_back(RULES[3])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_5_p(one_plate):
                return self._take_back(RULES[4])
        if self._breaks_rule_12_v(vehicle):
            return self._take_back(RULES[11])
        for one_lien in _distinct(self._liens_by_vehicle_status.get((vehicle["id"], "active"), {}).values()):
            if self._breaks_rule_12_l(one_lien):
                return self._take_back(RULES[11])
        for one_transfer in _distinct(self._transfers_by_vehicle_status.get((vehicle["id"], "open"), {}).values()):
            if self._breaks_rule_12_t(one_transfer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: export the {vehicle['model']} of {self.people[vehicle['owner_id']]['name']} to {country}."
            ),
            "data": self._changes(),
        }

    def _show_station(self, station: Station) -> dict[str, Any]:
        """The station as an answer shows it."""
        return {**station, "kinds": [*station["kinds"]]}

    def _show_vehicle(self, vehicle: Vehicle) -> dict[str, Any]:
        """The vehicle as an answer shows it."""
        return {**vehicle, "fit_until": self._vehicle_fit_until(vehicle), "owed": self._vehicle_owed(vehicle)}

    def _names_of_plates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plates point to."""
        return _names((self.people, "name", [row["reserved_for_id"] for row in shown]))

    def _names_of_vehicles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vehicles point to."""
        return _names(
            (self.people, "name", [row["owner_id"] for row in shown]),
            (self.plates, "number", [row["plate_id"] for row in shown]),
        )

    def _names_of_transfers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that transfers point to."""
        return _names(
            (self.vehicles, "vin", [row["vehicle_id"] for row in shown]),
            (self.people, "name", [row["seller_id"] for row in shown]),
            (self.people, "name", [row["buyer_id"] for row in shown]),
        )

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names(
            (self.vehicles, "vin", [row["vehicle_id"] for row in shown]),
            (self.stations, "name", [row["station_id"] for row in shown]),
        )

    def _names_of_liens(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that liens point to."""
        return _names(
            (self.vehicles, "vin", [row["vehicle_id"] for row in shown]),
            (self.lenders, "name", [row["lender_id"] for row in shown]),
        )

    def _vehicle_fit_until(self, vehicle: Vehicle) -> str | None:
        """The fit until of a vehicle."""
        return max(
            (
                i["valid_until"]
                for i in self._inspections_by_vehicle.get(vehicle["id"], {}).values()
                if i["valid_until"] is not None
            ),
            default=None,
        )

    def _vehicle_owed(self, vehicle: Vehicle) -> int:
        """The owed of a vehicle."""
        return sum(l["balance"] for l in self._liens_by_vehicle_status.get((vehicle["id"], "active"), {}).values())

    def _available(self, p: Plate, o: Person, d: str) -> bool:
        return (
            p["status"] == "free"
            or p["status"] == "reserved" and p["reserved_for_id"] == o["id"]
            or p["status"] == "resting" and p["rests_until"] is not None and p["rests_until"] <= d
        )

    def _open_transfer(self, v: Vehicle) -> Transfer | None:
        return next(
            (t for t in sorted(self._transfers_by_vehicle_status.get((v["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _liens_on(self, v: Vehicle) -> list[Lien]:
        return sorted(self._liens_by_vehicle_status.get((v["id"], "active"), {}).values(), key=_age)

    def _last_reading(self, v: Vehicle) -> int | None:
        return max((i["odometer"] for i in self._inspections_by_vehicle.get(v["id"], {}).values()), default=None)

    def _fit(self, v: Vehicle, d: str) -> bool:
        return (
            _years(v["first_used"], d) < 3
            or self._vehicle_fit_until(v) is not None and self._vehicle_fit_until(v) >= d
        )

    def _last_verdict(self, v: Vehicle) -> Inspection | None:
        return min(
            (i for i in self._inspections_by_vehicle.get(v["id"], {}).values() if i["result"] != "defects"),
            key=lambda i: (_descending(i["on"]), _descending(i["id"]), _age(i)),
            default=None,
        )

    def _may_drive(self, v: Vehicle) -> bool:
        return (
            self._fit(v, self.now[:10])
            and not any(
                i["result"] == "dangerous"
                for i in _those(
                    self.inspections,
                    [_id_of(min((i_1 for i_1 in self._inspections_by_vehicle.get(v["id"], {}).values() if i_1["result"] != "defects"), key=lambda i_1: (_descending(i_1["on"]), _descending(i_1["id"]), _age(i_1)), default=None))],
                )
            )
        )

    def _breaks_rule_1_v(self, v: Vehicle) -> bool:
        """Whether this is broken: a plate is on one vehicle at a time, and is assigned exactly when it is on one."""
        return (
            v["plate_id"] is not None
            and any(
                other_v is not v
                for other_v in self._vehicles_by_plate.get(v["plate_id"], {}).values()
                if other_v["plate_id"] is not None
            )
        )

    def _breaks_rule_1_p(self, p: Plate) -> bool:
        """Whether this is broken: a plate is on one vehicle at a time, and is assigned exactly when it is on one."""
        return (p["status"] == "assigned") != bool(self._vehicles_by_plate.get(p["id"], {}))

    def _breaks_rule_2(self, v: Vehicle) -> bool:
        """Whether this is broken: a vehicle carries a plate of its own kind."""
        return v["plate_id"] is not None and self.plates[v["plate_id"]]["kind"] != v["kind"]

    def _breaks_rule_3(self, v: Vehicle) -> bool:
        """Whether this is broken: registered and laid-up vehicles have a plate, and no others."""
        return (v["plate_id"] is not None) != (v["status"] in ("registered", "laid_up"))

    def _breaks_rule_4(self, v: Vehicle) -> bool:
        """Whether this is broken: a registered vehicle is insured."""
        return v["status"] == "registered" and v["insured_until"] is None

    def _breaks_rule_5_p(self, p: Plate) -> bool:
        """Whether this is broken: a plate that is reserved says for whom, and nobody has more than two reserved."""
        return (p["status"] == "reserved") != (p["reserved_for_id"] is not None)

    def _breaks_rule_5_o(self, o: Person) -> bool:
        """Whether this is broken: a plate that is reserved says for whom, and nobody has more than two reserved."""
        return len(self._plates_by_reserved_for.get(o["id"], {})) > 2

    def _breaks_rule_6_a(self, a: Inspection) -> bool:
        """Whether this is broken: the odometer of a vehicle never goes back."""
        return any(
            a["odometer"] > b["odometer"]
            for b in self._inspections_by_vehicle.get(a["vehicle_id"], {}).values()
            if a["on"] < b["on"]
        )

    def _breaks_rule_6_b(self, b: Inspection) -> bool:
        """Whether this is broken: the odometer of a vehicle never goes back."""
        return any(
            a["odometer"] > b["odometer"]
            for a in self._inspections_by_vehicle.get(b["vehicle_id"], {}).values()
            if a["on"] < b["on"]
        )

    def _breaks_rule_7(self, i: Inspection) -> bool:
        """Whether this is broken: stations inspect the kinds of vehicles they are licensed for."""
        return self.vehicles[i["vehicle_id"]]["kind"] not in self.stations[i["station_id"]]["kinds"]

    def _breaks_rule_8_t(self, t: Transfer) -> bool:
        """Whether this is broken: a vehicle has one open transfer at a time, from its owner to somebody else."""
        return (
            t["status"] == "open"
            and any(
                other_t is not t
                for other_t in self._transfers_by_vehicle_status.get((t["vehicle_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_8_t_again(self, t: Transfer) -> bool:
        """Whether this is broken: a vehicle has one open transfer at a time, from its owner to somebody else."""
        return (
            t["status"] == "open"
            and (t["seller_id"] != self.vehicles[t["vehicle_id"]]["owner_id"] or t["buyer_id"] == t["seller_id"])
        )

    def _breaks_rule_9(self, t: Transfer) -> bool:
        """Whether this is broken: nobody under 17 becomes the owner of a vehicle."""
        return _years(self.people[t["buyer_id"]]["born"], t["notified_on"]) < 17

    def _breaks_rule_10_l(self, l: Lien) -> bool:
        """Whether this is broken: the active liens on a vehicle are ranked from one without gaps."""
        return (
            l["status"] == "active"
            and any(
                other_l is not l
                for other_l in self._liens_by_vehicle_status.get((l["vehicle_id"], "active"), {}).values()
                if other_l["rank"] == l["rank"]
            )
        )

    def _breaks_rule_10_l_again(self, l: Lien) -> bool:
        """Whether this is broken: the active liens on a vehicle are ranked from one without gaps."""
        return (
            l["status"] == "active"
            and l["rank"] > len(self._liens_by_vehicle_status.get((l["vehicle_id"], "active"), {}))
        )

    def _breaks_rule_11(self, l: Lien) -> bool:
        """Whether this is broken: an active lien has a balance, and a released one has none."""
        return (l["status"] == "active") != (l["balance"] > 0)

    def _breaks_rule_12_v(self, v: Vehicle) -> bool:
        """Whether this is broken: an exported vehicle has no lien, no open transfer and a country it went to."""
        return (v["status"] == "exported") != (v["exported_to"] is not None)

    def _breaks_rule_12_l(self, l: Lien) -> bool:
        """Whether this is broken: an exported vehicle has no lien, no open transfer and a country it went to."""
        return l["status"] == "active" and self.vehicles[l["vehicle_id"]]["status"] == "exported"

    def _breaks_rule_12_t(self, t: Transfer) -> bool:
        """Whether this is broken: an exported vehicle has no lien, no open transfer and a country it went to."""
        return t["status"] == "open" and self.vehicles[t["vehicle_id"]]["status"] == "exported"

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
            case "plates":
                self._plates_by_reserved_for.setdefault(record["reserved_for_id"], {})[record["id"]] = record
            case "vehicles":
                self._vehicles_by_plate.setdefault(record["plate_id"], {})[record["id"]] = record
                self._vehicles_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "transfers":
                self._transfers_by_vehicle_status.setdefault(
                    (record["vehicle_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "inspections":
                self._inspections_by_vehicle.setdefault(record["vehicle_id"], {})[record["id"]] = record
            case "liens":
                self._liens_by_vehicle_status.setdefault(
                    (record["vehicle_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "plates":
                del self._plates_by_reserved_for[record["reserved_for_id"]][record["id"]]
            case "vehicles":
                del self._vehicles_by_plate[record["plate_id"]][record["id"]]
                del self._vehicles_by_status[record["status"]][record["id"]]
            case "transfers":
                del self._transfers_by_vehicle_status[record["vehicle_id"], record["status"]][record["id"]]
            case "inspections":
                del self._inspections_by_vehicle[record["vehicle_id"]][record["id"]]
            case "liens":
                del self._liens_by_vehicle_status[record["vehicle_id"], record["status"]][record["id"]]
