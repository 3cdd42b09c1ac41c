"""Blood bank. Compiled from blueprint.yaml; run `envscaler build blood_bank` after changing it there.

Takes donations, types and screens them, splits them into components that keep for different times, holds
compatible units for patients, issues them, and quarantines and recalls what may not be safe.
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
    "Components are made only of cleared donations, one of each kind.",
    "A cleared donation has the blood group of its donor.",
    "Units are held and issued only for patients whose blood group they suit.",
    "A unit is held for or issued to one patient at a time.",
    "Held units are in stock, and issued units went out to a patient.",
    "Nobody gets a unit after its expiry.",
    "A request never has more units than were asked for, and it is met when all have been issued.",
    "Only open requests have units on hold.",
    "A patient has one open request for each kind of component.",
    "Between two donations of a donor lie at least 56 days.",
    "A store keeps one kind of component and no more than fits in.",
    "A quarantined unit says why, and no other does.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_donation",
    "test_donation",
    "split_donation",
    "open_request",
    "close_request",
    "hold_unit",
    "issue_unit",
    "release_unit",
    "quarantine_units",
    "decide_quarantine",
    "defer_donor",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "donors": ("name",),
    "donations": ("number",),
    "stores": ("name",),
    "units": (),
    "patients": ("name",),
    "requests": (),
    "holds": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("donations", "donor_id"),
    ("donations", "number"),
    ("donations", "status"),
    ("holds", "request_id"),
    ("holds", "status"),
    ("holds", "unit_id"),
    ("requests", "kind"),
    ("requests", "patient_id"),
    ("requests", "status"),
    ("units", "donation_id"),
    ("units", "kind"),
    ("units", "status"),
    ("units", "store_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Donor(TypedDict):
    id: str
    name: str
    registered_on: str
    abo: Literal["O", "A", "B", "AB"] | None
    rhesus: Literal["positive", "negative"] | None
    deferred_until: str | None
    deferred_for: str | None


class Donation(TypedDict):
    id: str
    number: str
    donor_id: str
    taken_on: str
    abo: Literal["O", "A", "B", "AB"] | None
    rhesus: Literal["positive", "negative"] | None
    status: Literal["awaiting_results", "cleared", "conflicting", "rejected"]


class Store(TypedDict):
    id: str
    name: str
    keeps: Literal["red_cells", "platelets", "plasma"]
    capacity: int


class Unit(TypedDict):
    id: str
    donation_id: str
    kind: Literal["red_cells", "platelets", "plasma"]
    store_id: str
    quarantined_for: str | None
    status: Literal["in_stock", "quarantined", "issued", "destroyed"]


class Patient(TypedDict):
    id: str
    name: str
    abo: Literal["O", "A", "B", "AB"]
    rhesus: Literal["positive", "negative"]
    ward: str


class Request(TypedDict):
    id: str
    patient_id: str
    kind: Literal["red_cells", "platelets", "plasma"]
    units: int
    needed_on: str
    urgent: bool
    status: Literal["open", "met", "withdrawn"]


class Hold(TypedDict):
    id: str
    unit_id: str
    request_id: str
    held_until: str
    issued_on: str | None
    status: Literal["held", "issued", "released"]


class SplitDonationPart(TypedDict):
    kind: Literal["red_cells", "platelets", "plasma"]
    store_id: str


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


class BloodBank:
    """Takes donations, types and screens them, splits them into components that keep for different times,
    holds compatible units for patients, issues them, and quarantines and recalls what may not be safe.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.donors: dict[str, Donor] = _copied(config.get("donors", {}))
        self.donations: dict[str, Donation] = _copied(config.get("donations", {}))
        self.stores: dict[str, Store] = _copied(config.get("stores", {}))
        self.units: dict[str, Unit] = _copied(config.get("units", {}))
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.requests: dict[str, Request] = _copied(config.get("requests", {}))
        self.holds: dict[str, Hold] = _copied(config.get("holds", {}))
        self.now: str = config.get("now", "2026-04-14T07:45")
        self.counters: dict[str, int] = {
            "donor": len(self.donors),
            "donation": len(self.donations),
            "store": len(self.stores),
            "unit": len(self.units),
            "patient": len(self.patients),
            "request": len(self.requests),
            "hold": len(self.holds),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._donations_by_donor: dict[Any, dict[str, Donation]] = {}
        self._donations_by_donor_status: dict[Any, dict[str, Donation]] = {}
        self._donations_by_lower_number: dict[Any, dict[str, Donation]] = {}
        self._donations_by_number: dict[Any, dict[str, Donation]] = {}
        self._units_by_donation: dict[Any, dict[str, Unit]] = {}
        self._units_by_donation_kind: dict[Any, dict[str, Unit]] = {}
        self._units_by_donation_status: dict[Any, dict[str, Unit]] = {}
        self._units_by_store: dict[Any, dict[str, Unit]] = {}
        self._requests_by_patient_kind_status: dict[Any, dict[str, Request]] = {}
        self._holds_by_request: dict[Any, dict[str, Hold]] = {}
        self._holds_by_request_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_unit: dict[Any, dict[str, Hold]] = {}
        self._holds_by_unit_status: dict[Any, dict[str, Hold]] = {}
        for donation in self.donations.values():
            self._link("donations", donation)
        for unit in self.units.values():
            self._link("units", unit)
        for request in self.requests.values():
            self._link("requests", request)
        for hold in self.holds.values():
            self._link("holds", hold)

    def matching_units(
        self,
        request_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Units that may be held for a request, those that expire first at the top.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "units": records}} or {"success": False, "error": why
                not}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        found = [u for u in self.units.values() if self._free(u, request)]
        found.sort(key=lambda u: (self._unit_expires(u), self.donations[u["donation_id"]]["number"], _age(u)))
        return _found(
            {
                "total": len(found),
                "units": [
                    {
                        "id": u["id"],
                        "donation": self.donations[u["donation_id"]]["number"],
                        "abo": self.donations[u["donation_id"]]["abo"],
                        "rhesus": self.donations[u["donation_id"]]["rhesus"],
                        "expires": self._unit_expires(u),
                        "store": self.stores[u["store_id"]]["name"],
                    }
                    for u in _page(found, offset)
                ],
            }
        )

    def donors_to_call(
        self,
        abo: Literal["O", "A", "B", "AB"],
        rhesus: Literal["positive", "negative"],
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Donors of a group who may give on a day, those who have not given for longest first.

        Args:
            abo (str): Blood group of the donors in the ABO system: O, A, B or AB.
            rhesus (str): Rhesus factor of the donors: positive or negative.
            on (str): Day on which they would give blood, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "donors": records}} or {"success": False, "error": why
                not}
        """
        found = [
            d
            for d in self.donors.values()
            if (d["abo"] == abo and d["rhesus"] == rhesus)
            and self._donor_may_give_from(d) <= on
        ]
        found.sort(key=lambda d: (self._donor_may_give_from(d), d["name"], _age(d)))
        return _found(
            {
                "total": len(found),
                "donors": [
                    {"id": d["id"], "name": d["name"], "may_give_from": self._donor_may_give_from(d)}
                    for d in _page(found, offset)
                ],
            }
        )

    def recall_trace(self, donor_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """All units made of the donations of a donor, and who got them or has them on hold.

        Args:
            donor_id (str): Id of the donor, such as DONOR-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "units": records}} or {"success": False, "error": why
                not}
        """
        donor = self.donors.get(donor_id)
        if donor is None:
            return _refused(f"There is no donor {donor_id!r}.")
        found = [
            u
            for u in [
                u
                for _donation in self._donations_by_donor.get(donor_id, {}).values()
                for u in self._units_by_donation.get(_donation["id"], {}).values()
            ]
        ]
        found.sort(key=lambda u: (self.donations[u["donation_id"]]["taken_on"], u["kind"], _age(u)))
        return _found(
            {
                "total": len(found),
                "units": [
                    {
                        "id": u["id"],
                        "donation": self.donations[u["donation_id"]]["number"],
                        "kind": u["kind"],
                        "status": u["status"],
                        "holds": [
                            *[
                                h["id"]
                                for h in sorted(self._holds_by_unit.get(u["id"], {}).values(), key=_age)
                                if h["status"] in ("held", "issued")
                            ]
                        ],
                        "patients": [
                            *[
                                self.patients[self.requests[h["request_id"]]["patient_id"]]["name"]
                                for h in sorted(self._holds_by_unit.get(u["id"], {}).values(), key=_age)
                                if h["status"] in ("held", "issued")
                            ]
                        ],
                    }
                    for u in _page(found, offset)
                ],
            }
        )

    def stock_level(
        self,
        kind: Literal["red_cells", "platelets", "plasma"],
        abo: Literal["O", "A", "B", "AB"],
        rhesus: Literal["positive", "negative"],
    ) -> Result:
        """How many units of a component and group are usable, on hold and in quarantine.

        Args:
            kind (str): Component to count: red_cells, platelets or plasma.
            abo (str): Blood group of the units in the ABO system: O, A, B or AB.
            rhesus (str): Rhesus factor of the units: positive or negative.

        Returns:
            dict: {"success": True, "data": {usable, on_hold, quarantined, next_expiry}} or {"success": False,
                "error": why not}
        """
        theirs = [
            u
            for u in self.units.values()
            if u["kind"] == kind
            and self.donations[u["donation_id"]]["abo"] == abo
            and self.donations[u["donation_id"]]["rhesus"] == rhesus
        ]
        return _found(
            {
                "usable": sum(
                    1
                    for u in theirs
                    if u["status"] == "in_stock"
                    and not self._unit_held(u)
                    and self._unit_expires(u) >= self.now[:10]
                ),
                "on_hold": sum(1 for u in theirs if self._unit_held(u)),
                "quarantined": sum(1 for u in theirs if u["status"] == "quarantined"),
                "next_expiry": min(
                    (
                        self._unit_expires(u)
                        for u in theirs
                        if u["status"] == "in_stock"
                        and self._unit_expires(u) >= self.now[:10]
                    ),
                    default=None,
                ),
            }
        )

    def list_donors(
        self,
        name: Text | None = None,
        abo: Literal["O", "A", "B", "AB"] | None = None,
        rhesus: Literal["positive", "negative"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the donors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only donors whose name contains this text.
            abo (str, optional): Only donors with this abo.
            rhesus (str, optional): Only donors with this rhesus.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "donors": records}}
        """
        found = [
            donor
            for donor in self.donors.values()
            if (name is None or name.casefold() in donor["name"].casefold())
            and (abo is None or donor["abo"] == abo)
            and (rhesus is None or donor["rhesus"] == rhesus)
        ]
        return _found({"total": len(found), "donors": [self._show_donor(donor) for donor in _page(found, offset)]})

    def list_donations(
        self,
        number: Text | None = None,
        donor_id: str | None = None,
        abo: Literal["O", "A", "B", "AB"] | None = None,
        rhesus: Literal["positive", "negative"] | None = None,
        status: Literal["awaiting_results", "cleared", "conflicting", "rejected"] | None = None,
        taken_on_from: Date | None = None,
        taken_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the donations, oldest first, all of them or only some.

        Args:
            number (str, optional): Only donations whose number contains this text.
            donor_id (str, optional): Only donations of this donor.
            abo (str, optional): Only donations with this abo.
            rhesus (str, optional): Only donations with this rhesus.
            status (str, optional): Only donations with this status.
            taken_on_from (str, optional): Only donations whose `taken_on` is on this day or later.
            taken_on_to (str, optional): Only donations whose `taken_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "donations": records}}
        """
        if donor_id is not None and donor_id not in self.donors:
            return _refused(f"There is no donor {donor_id!r}.")
        found = [
            donation
            for donation in self.donations.values()
            if (number is None or number.casefold() in donation["number"].casefold())
            and (donor_id is None or donation["donor_id"] == donor_id)
            and (abo is None or donation["abo"] == abo)
            and (rhesus is None or donation["rhesus"] == rhesus)
            and (status is None or donation["status"] == status)
            and (taken_on_from is None or donation["taken_on"] >= taken_on_from)
            and (taken_on_to is None or donation["taken_on"] <= taken_on_to)
        ]
        shown = [{**donation} for donation in _page(found, offset)]
        return _found({"total": len(found), "donations": shown}, self._names_of_donations(shown))

    def list_stores(
        self,
        name: Text | None = None,
        keeps: Literal["red_cells", "platelets", "plasma"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stores, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stores whose name contains this text.
            keeps (str, optional): Only stores whose `keeps` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stores": records}}
        """
        found = [
            store
            for store in self.stores.values()
            if (name is None or name.casefold() in store["name"].casefold())
            and (keeps is None or store["keeps"] == keeps)
        ]
        return _found({"total": len(found), "stores": [self._show_store(store) for store in _page(found, offset)]})

    def list_units(
        self,
        donation_id: str | None = None,
        kind: Literal["red_cells", "platelets", "plasma"] | None = None,
        store_id: str | None = None,
        status: Literal["in_stock", "quarantined", "issued", "destroyed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the units, oldest first, all of them or only some.

        Args:
            donation_id (str, optional): Only units of this donation.
            kind (str, optional): Only units with this kind.
            store_id (str, optional): Only units of this store.
            status (str, optional): Only units with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "units": records}}
        """
        if donation_id is not None and donation_id not in self.donations:
            return _refused(f"There is no donation {donation_id!r}.")
        if store_id is not None and store_id not in self.stores:
            return _refused(f"There is no store {store_id!r}.")
        found = [
            unit
            for unit in self.units.values()
            if (donation_id is None or unit["donation_id"] == donation_id)
            and (kind is None or unit["kind"] == kind)
            and (store_id is None or unit["store_id"] == store_id)
            and (status is None or unit["status"] == status)
        ]
        shown = [self._show_unit(unit) for unit in _page(found, offset)]
        return _found({"total": len(found), "units": shown}, self._names_of_units(shown))

    def list_patients(
        self,
        name: Text | None = None,
        abo: Literal["O", "A", "B", "AB"] | None = None,
        rhesus: Literal["positive", "negative"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patients whose name contains this text.
            abo (str, optional): Only patients with this abo.
            rhesus (str, optional): Only patients with this rhesus.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}}
        """
        found = [
            patient
            for patient in self.patients.values()
            if (name is None or name.casefold() in patient["name"].casefold())
            and (abo is None or patient["abo"] == abo)
            and (rhesus is None or patient["rhesus"] == rhesus)
        ]
        return _found({"total": len(found), "patients": [{**patient} for patient in _page(found, offset)]})

    def list_requests(
        self,
        patient_id: str | None = None,
        kind: Literal["red_cells", "platelets", "plasma"] | None = None,
        urgent: bool | None = None,
        status: Literal["open", "met", "withdrawn"] | None = None,
        needed_on_from: Date | None = None,
        needed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requests, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only requests of this patient.
            kind (str, optional): Only requests with this kind.
            urgent (bool, optional): Only requests that are urgent (true) or not (false).
            status (str, optional): Only requests with this status.
            needed_on_from (str, optional): Only requests whose `needed_on` is on this day or later.
            needed_on_to (str, optional): Only requests whose `needed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requests": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        found = [
            request
            for request in self.requests.values()
            if (patient_id is None or request["patient_id"] == patient_id)
            and (kind is None or request["kind"] == kind)
            and (urgent is None or request["urgent"] == urgent)
            and (status is None or request["status"] == status)
            and (needed_on_from is None or request["needed_on"] >= needed_on_from)
            and (needed_on_to is None or request["needed_on"] <= needed_on_to)
        ]
        shown = [self._show_request(request) for request in _page(found, offset)]
        return _found({"total": len(found), "requests": shown}, self._names_of_requests(shown))

    def list_holds(
        self,
        unit_id: str | None = None,
        request_id: str | None = None,
        status: Literal["held", "issued", "released"] | None = None,
        held_until_from: Date | None = None,
        held_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holds, oldest first, all of them or only some.

        Args:
            unit_id (str, optional): Only holds of this unit.
            request_id (str, optional): Only holds of this request.
            status (str, optional): Only holds with this status.
            held_until_from (str, optional): Only holds whose `held_until` is on this day or later.
            held_until_to (str, optional): Only holds whose `held_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}}
        """
        if unit_id is not None and unit_id not in self.units:
            return _refused(f"There is no unit {unit_id!r}.")
        if request_id is not None and request_id not in self.requests:
            return _refused(f"There is no request {request_id!r}.")
        found = [
            hold
            for hold in self.holds.values()
            if (unit_id is None or hold["unit_id"] == unit_id)
            and (request_id is None or hold["request_id"] == request_id)
            and (status is None or hold["status"] == status)
            and (held_until_from is None or hold["held_until"] >= held_until_from)
            and (held_until_to is None or hold["held_until"] <= held_until_to)
        ]
        return _found({"total": len(found), "holds": [{**hold} for hold in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_donation(
        self,
        donor_id: str,
        number: Text,
        haemoglobin: Annotated[int, {"minimum": 60, "maximum": 220}],
    ) -> Result:
        """Register a donation that a donor has given today.

        Args:
            donor_id (str): Id of the donor, such as DONOR-00001.
            number (str): New number of the donation, not used before.
            haemoglobin (int): Haemoglobin of the donor in grams a litre (125 or more to give), from 60 to 220.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        donor = self.donors.get(donor_id)
        if donor is None:
            return _refused(f"There is no donor {donor_id!r}.")
        if self._donor_may_give_from(donor) > self.now[:10]:
            return _refused(f"{donor['name']} may give again from {self._donor_may_give_from(donor)}.")
        if haemoglobin < 125:
            return _refused(f"The haemoglobin of {donor['name']} is {haemoglobin} and must be at least 125.")
        if self._donations_by_lower_number.get(number.lower(), {}):
            return _refused(f"The number {number} has been used, so take the next label.")
        self._journal = []
        donation: Donation = {
            "id": self._new_id("donation", "DONATION", self.donations),
            "number": number,
            "donor_id": donor_id,
            "taken_on": self.now[:10],
            "abo": None,
            "rhesus": None,
            "status": "awaiting_results",
        }
        self._add("donations", donation)
        if len(self._donations_by_number.get(donation["number"], {})) > 1:
            return self._take_back(f"There is already a donation with the number {donation['number']!r}.")
        if self._breaks_rule_2(donation):
            return self._take_back(RULES[1])
        if self._breaks_rule_10_a(donation):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(donation):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: register donation {number} of {donor['name']} (new: donation {donation['id']}).",
            "data": {"donation_id": donation["id"], **self._changes()},
        }

    def test_donation(
        self,
        donation_id: str,
        abo: Literal["O", "A", "B", "AB"],
        rhesus: Literal["positive", "negative"],
        reactive: bool = False,
    ) -> Result:
        """Record the group and the screening of a donation; a reactive one is rejected and the donor's units go into
        quarantine, a group that differs from the donor's is tested a second time.

        Args:
            donation_id (str): Id of the donation, such as DONATION-00001.
            abo (str): Blood group found in the ABO system: O, A, B or AB.
            rhesus (str): Rhesus factor found: positive or negative.
            reactive (bool): Whether the screening for infections reacted. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        donation = self.donations.get(donation_id)
        if donation is None:
            return _refused(f"There is no donation {donation_id!r}.")
        if donation["status"] not in ("awaiting_results", "conflicting"):
            return _refused(f"Donation {donation['number']} is {donation['status']}.")
        self._journal = []
        changed_donations: list[Any] = []
        changed_holds: list[Any] = []
        changed_units: list[Any] = []
        changed_units_2: list[Any] = []
        changed_donors: list[Any] = []
        changed_donors_2: list[Any] = []
        donor = self.donors[donation["donor_id"]]
        self._put("donations", donation, "abo", abo)
        self._put("donations", donation, "rhesus", rhesus)
        if reactive:
            changed_donations.append(donation)
            self._put("donations", donation, "status", "rejected")
            self._put("donors", donor, "deferred_until", _plus_days(self.now[:10], 3650))
            self._put("donors", donor, "deferred_for", "reactive screening")
            for u in sorted(
                [
                    u
                    for _donation in self._donations_by_donor.get(donor["id"], {}).values()
                    for u in self._units_by_donation_status.get((_donation["id"], "in_stock"), {}).values()
                ],
                key=_age,
            ):
                for h in sorted(self._holds_by_unit_status.get((u["id"], "held"), {}).values(), key=_age):
                    if h["status"] not in ("held", "released"):
                        return self._take_back(f"Hold {h['id']} cannot go from {h['status']} to released.")
                    changed_holds.append(h)
                    self._put("holds", h, "status", "released")
                changed_units.append(u)
                self._put("units", u, "quarantined_for", "reactive screening")
                if u["status"] not in ("in_stock", "quarantined"):
                    return self._take_back(f"Unit {u['id']} cannot go from {u['status']} to quarantined.")
                changed_units_2.append(u)
                self._put("units", u, "status", "quarantined")
        else:
            if donor["abo"] is None or donor["abo"] == abo and donor["rhesus"] == rhesus:
                changed_donors.append(donor)
                self._put("donors", donor, "abo", abo)
                changed_donors_2.append(donor)
                self._put("donors", donor, "rhesus", rhesus)
                if donation["status"] not in ("awaiting_results", "cleared", "conflicting"):
                    return self._take_back(
                        f"Donation {donation['number']} cannot go from {donation['status']} to cleared."
                    )
                changed_donations.append(donation)
                self._put("donations", donation, "status", "cleared")
            else:
                if donation["status"] == "conflicting":
                    if donation["status"] not in ("awaiting_results", "conflicting", "rejected"):
                        return self._take_back(
                            f"Donation {donation['number']} cannot go from {donation['status']} to rejected."
                        )
                    changed_donations.append(donation)
                    self._put("donations", donation, "status", "rejected")
                else:
                    if donation["status"] not in ("awaiting_results", "conflicting"):
                        return self._take_back(
                            f"Donation {donation['number']} cannot go from {donation['status']} to conflicting."
                        )
                    changed_donations.append(donation)
                    self._put("donations", donation, "status", "conflicting")
        for one_unit in _distinct(
            [user for one in changed_donations for user in self._units_by_donation.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_u(one_unit):
                return self._take_back(RULES[0])
        for one_donation in _distinct(
            [
                donation,
                *changed_donations,
                *[
                    user
                    for one in changed_donors
                    for user in self._donations_by_donor_status.get((one["id"], "cleared"), {}).values()
                ],
                *[
                    user
                    for one in changed_donors_2
                    for user in self._donations_by_donor_status.get((one["id"], "cleared"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_donation):
                return self._take_back(RULES[1])
        for one_hold in _distinct(
            [
                *[
                    user
                    for one in self._units_by_donation.get(donation["id"], {}).values()
                    for user in self._holds_by_unit.get(one["id"], {}).values()
                ],
                *changed_holds,
            ]
        ):
            if self._breaks_rule_3(one_hold):
                return self._take_back(RULES[2])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(
            [
                *changed_holds,
                *[
                    user
                    for one in changed_units_2
                    for user in self._holds_by_unit_status.get((one["id"], "held"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5_h(one_hold):
                return self._take_back(RULES[4])
        for one_unit in _distinct([*[self.units[one["unit_id"]] for one in changed_holds], *changed_units_2]):
            if self._breaks_rule_5_u(one_unit):
                return self._take_back(RULES[4])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r(one_request):
                return self._take_back(RULES[6])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r_again(one_request):
                return self._take_back(RULES[6])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_8(one_hold):
                return self._take_back(RULES[7])
        for one_store in _distinct([self.stores[one["store_id"]] for one in changed_units_2]):
            if self._breaks_rule_11_s(one_store):
                return self._take_back(RULES[10])
        for one_unit in _distinct([*changed_units, *changed_units_2]):
            if self._breaks_rule_12(one_unit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: record the results of donation {donation['number']}.",
            "data": self._changes(),
        }

    def split_donation(self, donation_id: str, parts: Annotated[list[SplitDonationPart], {"maxItems": 20}]) -> Result:
        """Split a cleared donation into its components and store them.

        Args:
            donation_id (str): Id of the donation, such as DONATION-00001.
            parts (list): One entry for each component made of the donation: kind: component that is stored, each
                kind once: red_cells, platelets or plasma; store_id: store for that component with room for one
                more unit; an id such as STORE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        donation = self.donations.get(donation_id)
        if donation is None:
            return _refused(f"There is no donation {donation_id!r}.")
        entries, parts = parts, []
        for entry in entries:
            if entry["store_id"] not in self.stores:
                return _refused(f"There is no store {entry['store_id']!r}.")
            parts.append({"kind": entry["kind"], "store": self.stores[entry["store_id"]]})
        if donation["status"] != "cleared":
            return _refused(f"Donation {donation['number']} is {donation['status']}.")
        if self._units_by_donation.get(donation_id, {}):
            return _refused(f"Donation {donation['number']} was split already.")
        if not (
            not any(
                g["taken_on"] >= donation["taken_on"]
                for g in self._donations_by_donor_status.get((donation["donor_id"], "rejected"), {}).values()
            )
            or self.donors[donation["donor_id"]]["deferred_for"] != "reactive screening"
        ):
            return _refused(
                f"The screening of {self.donors[donation['donor_id']]['name']} has turned out reactive since, so "
                f"nothing of donation {donation['number']} goes into stock."
            )
        if not (len(parts) > 0 and _different([p["kind"] for p in parts])):
            return _refused("Name at least one component, and each kind once.")
        odd = next((p for p in parts if p["store"]["keeps"] != p["kind"]), None)
        if odd is not None:
            return _refused(f"{odd['store']['name']} keeps {odd['store']['keeps']}, not {odd['kind']}.")
        full = next((p for p in parts if self._store_used(p["store"]) >= p["store"]["capacity"]), None)
        if full is not None:
            return _refused(f"{full['store']['name']} is full with {self._store_used(full['store'])} units.")
        old = next(
            (p for p in parts if _plus_days(donation["taken_on"], self._keeps_for(p["kind"])) < self.now[:10]),
            None,
        )
        if old is not None:
            return _refused(f"The {old['kind']} of donation {donation['number']} would have expired by now.")
        self._journal = []
        added_units: list[Any] = []
        for p in sorted(parts, key=lambda p: (p["kind"],)):
            unit = {
                "id": self._new_id("unit", "UNIT", self.units),
                "donation_id": donation_id,
                "kind": p["kind"],
                "store_id": p["store"]["id"],
                "quarantined_for": None,
                "status": "in_stock",
            }
            self._add("units", unit)
            added_units.append(unit)
        for one_unit in _distinct(added_units):
            if self._breaks_rule_1_u(one_unit):
                return self._take_back(RULES[0])
        for one_unit in _distinct(added_units):
            if self._breaks_rule_1_u_again(one_unit):
                return self._take_back(RULES[0])
        for one_unit in _distinct(added_units):
            if self._breaks_rule_5_u(one_unit):
                return self._take_back(RULES[4])
        for one_unit in _distinct(added_units):
            if self._breaks_rule_11_u(one_unit):
                return self._take_back(RULES[10])
        for one_store in _distinct([self.stores[one["store_id"]] for one in added_units]):
            if self._breaks_rule_11_s(one_store):
                return self._take_back(RULES[10])
        for one_unit in _distinct(added_units):
            if self._breaks_rule_12(one_unit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: split donation {donation['number']} into {len(parts)} components.",
            "data": self._changes(),
        }

    def open_request(
        self,
        patient_id: str,
        kind: Literal["red_cells", "platelets", "plasma"],
        units: Annotated[int, {"minimum": 1, "maximum": 8}],
        needed_on: Date,
        urgent: bool = False,
    ) -> Result:
        """Open a request of a patient for units of a component.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            kind (str): Component that the patient needs: red_cells, platelets or plasma.
            units (int): Number of units that the patient needs, from 1 to 8.
            needed_on (str): Day on which they are needed, from today to 30 days ahead, as YYYY-MM-DD.
            urgent (bool): Whether the request goes before others. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if self.now[:10] > needed_on or needed_on > _plus_days(self.now[:10], 30):
            return _refused(f"Blood is requested for a day from {self.now[:10]} to {_plus_days(self.now[:10], 30)}.")
        same = next(
            (
                r
                for r in sorted(
                    self._requests_by_patient_kind_status.get((patient_id, kind, "open"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if same is not None:
            return _refused(
                f"{patient['name']} has an open request for {same['units']} {kind} on {same['needed_on']}, so "
                "close that first."
            )
        self._journal = []
        request: Request = {
            "id": self._new_id("request", "REQUEST", self.requests),
            "patient_id": patient_id,
            "kind": kind,
            "units": units,
            "needed_on": needed_on,
            "urgent": urgent,
            "status": "open",
        }
        self._add("requests", request)
        if self._breaks_rule_7_r(request):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again(request):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(request):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: open a request of {patient['name']} for {units} {kind} on {needed_on} (new: request "
                f"{request['id']})."
            ),
            "data": {"request_id": request["id"], **self._changes()},
        }

    def close_request(self, request_id: str) -> Result:
        """Withdraw an open request; units on hold for it become free.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        if request["status"] != "open":
            return _refused(
                f"The request of {self.patients[request['patient_id']]['name']} for {request['kind']} is "
                f"{request['status']}."
            )
        self._journal = []
        changed_holds: list[Any] = []
        for h in sorted(self._holds_by_request_status.get((request_id, "held"), {}).values(), key=_age):
            if h["status"] not in ("held", "released"):
                return self._take_back(f"Hold {h['id']} cannot go from {h['status']} to released.")
            changed_holds.append(h)
            self._put("holds", h, "status", "released")
        self._put("requests", request, "status", "withdrawn")
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_3(one_hold):
                return self._take_back(RULES[2])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_5_h(one_hold):
                return self._take_back(RULES[4])
        for one_unit in _distinct([self.units[one["unit_id"]] for one in changed_holds]):
            if self._breaks_rule_5_u(one_unit):
                return self._take_back(RULES[4])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r(one_request):
                return self._take_back(RULES[6])
        for one_request in _distinct([request, *[self.requests[one["request_id"]] for one in changed_holds]]):
            if self._breaks_rule_7_r_again(one_request):
                return self._take_back(RULES[6])
        for one_hold in _distinct(
            [*changed_holds, *self._holds_by_request_status.get((request["id"], "held"), {}).values()]
        ):
            if self._breaks_rule_8(one_hold):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(request):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: withdraw the request of {self.patients[request['patient_id']]['name']} for {request['kind']}."
            ),
            "data": self._changes(),
        }

    def hold_unit(self, request_id: str, unit_id: str) -> Result:
        """Cross-match a unit for an open request and hold it for five days, or until two days after it is needed.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.
            unit_id (str): Id of the unit, such as UNIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        if request["status"] != "open":
            return _refused(
                f"The request of {self.patients[request['patient_id']]['name']} for {request['kind']} is "
                f"{request['status']}."
            )
        if self._request_missing(request) <= 0:
            return _refused(
                f"All {request['units']} units for {self.patients[request['patient_id']]['name']} are on hold or "
                "issued."
            )
        if unit["kind"] != request["kind"]:
            return _refused(
                f"{self.patients[request['patient_id']]['name']} needs {request['kind']}, not {unit['kind']}."
            )
        if unit["status"] != "in_stock":
            return _refused(
                f"The {unit['kind']} of donation {self.donations[unit['donation_id']]['number']} are "
                f"{unit['status']}."
            )
        other = self._hold_on(unit)
        if other is not None:
            return _refused(
                "The unit is on hold for "
                f"{self.patients[self.requests[other['request_id']]['patient_id']]['name']} until "
                f"{other['held_until']}, so release it there first."
            )
        if not self._suits(unit, self.patients[request["patient_id"]]):
            return _refused(
                "Group "
                f"{self.donations[unit['donation_id']]['abo'] if self.donations[unit['donation_id']]['abo'] is not None else 'O'} {self.donations[unit['donation_id']]['rhesus'] if self.donations[unit['donation_id']]['rhesus'] is not None else 'negative'} does not suit {self.patients[request['patient_id']]['name']}, who is {self.patients[request['patient_id']]['abo']} {self.patients[request['patient_id']]['rhesus']}."
            )
        if self._unit_expires(unit) < max(self.now[:10], request["needed_on"]):
            return _refused(
                f"The unit expires on {self._unit_expires(unit)} and is needed on {request['needed_on']}."
            )
        self._journal = []
        hold: Hold = {
            "id": self._new_id("hold", "HOLD", self.holds),
            "unit_id": unit_id,
            "request_id": request_id,
            "held_until": max(_plus_days(self.now[:10], 5), _plus_days(request["needed_on"], 2)),
            "issued_on": None,
            "status": "held",
        }
        self._add("holds", hold)
        if self._breaks_rule_3(hold):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(hold):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_h(hold):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_u(self.units[hold["unit_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(hold):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_r(self.requests[hold["request_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again(self.requests[hold["request_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(hold):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: hold the {unit['kind']} of donation {self.donations[unit['donation_id']]['number']} for "
                f"{self.patients[request['patient_id']]['name']} (new: hold {hold['id']})."
            ),
            "data": {"hold_id": hold["id"], **self._changes()},
        }

    def issue_unit(self, hold_id: str) -> Result:
        """Issue a unit that is on hold to the ward of its patient; a request is met with its last unit.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        if hold["status"] != "held":
            return _refused(
                f"The hold for {self.patients[self.requests[hold['request_id']]['patient_id']]['name']} is "
                f"{hold['status']}."
            )
        if hold["held_until"] < self.now[:10]:
            return _refused(
                f"The hold for {self.patients[self.requests[hold['request_id']]['patient_id']]['name']} lapsed on "
                f"{hold['held_until']}, so release the unit and cross-match it again."
            )
        if self._unit_expires(self.units[hold["unit_id"]]) < self.now[:10]:
            return _refused(f"The unit expired on {self._unit_expires(self.units[hold['unit_id']])}.")
        self._journal = []
        changed_requests: list[Any] = []
        self._put("holds", hold, "issued_on", self.now[:10])
        self._put("holds", hold, "status", "issued")
        unit = self.units[hold["unit_id"]]
        if unit["status"] not in ("in_stock", "issued"):
            return self._take_back(f"Unit {unit['id']} cannot go from {unit['status']} to issued.")
        self._put("units", unit, "status", "issued")
        if len(
            self._holds_by_request_status.get((hold["request_id"], "issued"), {})
        ) == self.requests[hold["request_id"]]["units"]:
            request = self.requests[hold["request_id"]]
            if request["status"] not in ("open", "met"):
                return self._take_back(f"Request {request['id']} cannot go from {request['status']} to met.")
            changed_requests.append(request)
            self._put("requests", request, "status", "met")
        if self._breaks_rule_3(hold):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(hold):
            return self._take_back(RULES[3])
        for one_hold in _distinct([hold, *self._holds_by_unit_status.get((unit["id"], "held"), {}).values()]):
            if self._breaks_rule_5_h(one_hold):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_u(self.units[hold["unit_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_u(unit):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(hold):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_r(self.requests[hold["request_id"]]):
            return self._take_back(RULES[6])
        for one_request in _distinct([self.requests[hold["request_id"]], *changed_requests]):
            if self._breaks_rule_7_r_again(one_request):
                return self._take_back(RULES[6])
        for one_hold in _distinct(
            [
                hold,
                *[
                    user
                    for one in changed_requests
                    for user in self._holds_by_request_status.get((one["id"], "held"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_hold):
                return self._take_back(RULES[7])
        for one_request in _distinct(changed_requests):
            if self._breaks_rule_9(one_request):
                return self._take_back(RULES[8])
        if self._breaks_rule_11_s(self.stores[unit["store_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(unit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: issue the {self.units[hold['unit_id']]['kind']} of donation "
                f"{self.donations[self.units[hold['unit_id']]['donation_id']]['number']} to "
                f"{self.patients[self.requests[hold['request_id']]['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def release_unit(self, hold_id: str) -> Result:
        """Release a unit that is on hold so that others can have it.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        if hold["status"] != "held":
            return _refused(
                f"The hold for {self.patients[self.requests[hold['request_id']]['patient_id']]['name']} is "
                f"{hold['status']}."
            )
        self._journal = []
        self._put("holds", hold, "status", "released")
        if self._breaks_rule_3(hold):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(hold):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_h(hold):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_u(self.units[hold["unit_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(hold):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_r(self.requests[hold["request_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again(self.requests[hold["request_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(hold):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: release the {self.units[hold['unit_id']]['kind']} of donation "
                f"{self.donations[self.units[hold['unit_id']]['donation_id']]['number']} held for "
                f"{self.patients[self.requests[hold['request_id']]['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def quarantine_units(self, unit_ids: Annotated[list[str], {"maxItems": 20}], reason: Text) -> Result:
        """Put units into quarantine; holds on them end.

        Args:
            unit_ids (list): Units in stock that go into quarantine: ids of units, such as UNIT-00001.
            reason (str): Why the units may not be safe.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        units = []
        for key in unit_ids:
            if key not in self.units:
                return _refused(f"There is no unit {key!r}.")
            units.append(self.units[key])
        if not (len(units) > 0 and _different([u["id"] for u in units])):
            return _refused("Name at least one unit, and each once.")
        out = next((u for u in units if u["status"] != "in_stock"), None)
        if out is not None:
            return _refused(
                f"The {out['kind']} of donation {self.donations[out['donation_id']]['number']} are {out['status']}."
            )
        self._journal = []
        changed_holds: list[Any] = []
        changed_units: list[Any] = []
        changed_units_2: list[Any] = []
        for u in list(units):
            for h in sorted(self._holds_by_unit_status.get((u["id"], "held"), {}).values(), key=_age):
                if h["status"] not in ("held", "released"):
                    return self._take_back(f"Hold {h['id']} cannot go from {h['status']} to released.")
                changed_holds.append(h)
                self._put("holds", h, "status", "released")
            changed_units.append(u)
            self._put("units", u, "quarantined_for", reason)
            if u["status"] not in ("in_stock", "quarantined"):
                return self._take_back(f"Unit {u['id']} cannot go from {u['status']} to quarantined.")
            changed_units_2.append(u)
            self._put("units", u, "status", "quarantined")
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_3(one_hold):
                return self._take_back(RULES[2])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(
            [
                *changed_holds,
                *[
                    user
                    for one in changed_units_2
                    for user in self._holds_by_unit_status.get((one["id"], "held"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5_h(one_hold):
                return self._take_back(RULES[4])
        for one_unit in _distinct([*[self.units[one["unit_id"]] for one in changed_holds], *changed_units_2]):
            if self._breaks_rule_5_u(one_unit):
                return self._take_back(RULES[4])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r(one_request):
                return self._take_back(RULES[6])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r_again(one_request):
                return self._take_back(RULES[6])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_8(one_hold):
                return self._take_back(RULES[7])
        for one_store in _distinct([self.stores[one["store_id"]] for one in changed_units_2]):
            if self._breaks_rule_11_s(one_store):
                return self._take_back(RULES[10])
        for one_unit in _distinct([*changed_units, *changed_units_2]):
            if self._breaks_rule_12(one_unit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: put {len(units)} units into quarantine for {reason}.",
            "data": self._changes(),
        }

    def decide_quarantine(
        self,
        unit_ids: Annotated[list[str], {"maxItems": 20}],
        verdict: Literal["usable", "destroy"],
    ) -> Result:
        """End the quarantine of units, which are usable again or destroyed.

        Args:
            unit_ids (list): Units in quarantine that are decided on: ids of units, such as UNIT-00001.
            verdict (str): Decision, where units past their last day can only be destroyed: usable or destroy.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        units = []
        for key in unit_ids:
            if key not in self.units:
                return _refused(f"There is no unit {key!r}.")
            units.append(self.units[key])
        if not (len(units) > 0 and _different([u["id"] for u in units])):
            return _refused("Name at least one unit, and each once.")
        out = next((u for u in units if u["status"] != "quarantined"), None)
        if out is not None:
            return _refused(
                f"The {out['kind']} of donation {self.donations[out['donation_id']]['number']} are {out['status']}."
            )
        old = next((u for u in units if self._unit_expires(u) < self.now[:10]), None)
        if verdict != "destroy" and old is not None:
            return _refused(
                f"The {old['kind']} of donation {self.donations[old['donation_id']]['number']} expired on "
                f"{self._unit_expires(old)} and can only be destroyed."
            )
        self._journal = []
        changed_units: list[Any] = []
        changed_units_2: list[Any] = []
        for u in list(units):
            changed_units.append(u)
            self._put("units", u, "quarantined_for", None)
            if verdict == "usable":
                if u["status"] not in ("in_stock", "quarantined"):
                    return self._take_back(f"Unit {u['id']} cannot go from {u['status']} to in_stock.")
                changed_units_2.append(u)
                self._put("units", u, "status", "in_stock")
            else:
                if u["status"] not in ("quarantined", "destroyed"):
                    return self._take_back(f"Unit {u['id']} cannot go from {u['status']} to destroyed.")
                changed_units_2.append(u)
                self._put("units", u, "status", "destroyed")
        for one_hold in _distinct(
            [
                user
                for one in changed_units_2
                for user in self._holds_by_unit_status.get((one["id"], "held"), {}).values()
            ]
        ):
            if self._breaks_rule_5_h(one_hold):
                return self._take_back(RULES[4])
        for one_unit in _distinct(changed_units_2):
            if self._breaks_rule_5_u(one_unit):
                return self._take_back(RULES[4])
        for one_store in _distinct([self.stores[one["store_id"]] for one in changed_units_2]):
            if self._breaks_rule_11_s(one_store):
                return self._take_back(RULES[10])
        for one_unit in _distinct([*changed_units, *changed_units_2]):
            if self._breaks_rule_12(one_unit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: end the quarantine of {len(units)} units as {verdict}.",
            "data": self._changes(),
        }

    def defer_donor(self, donor_id: str, until: Date, reason: Text, recall: bool = False) -> Result:
        """Defer a donor until a day; with a recall all units of the donor that are in stock go into quarantine.

        Args:
            donor_id (str): Id of the donor, such as DONOR-00001.
            until (str): Last day of the deferral, later than one that is already noted, as YYYY-MM-DD.
            reason (str): Why the donor must not give blood.
            recall (bool): Whether units of the donor in stock are put into quarantine. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        donor = self.donors.get(donor_id)
        if donor is None:
            return _refused(f"There is no donor {donor_id!r}.")
        if until < self.now[:10]:
            return _refused(f"{until} is in the past.")
        if donor["deferred_until"] is not None and donor["deferred_until"] >= until:
            return _refused(f"{donor['name']} is deferred until {donor['deferred_until']} already.")
        self._journal = []
        changed_holds: list[Any] = []
        changed_units: list[Any] = []
        changed_units_2: list[Any] = []
        self._put("donors", donor, "deferred_until", until)
        self._put("donors", donor, "deferred_for", reason)
        if recall:
            for u in sorted(
                [
                    u
                    for _donation in self._donations_by_donor.get(donor_id, {}).values()
                    for u in self._units_by_donation_status.get((_donation["id"], "in_stock"), {}).values()
                ],
                key=_age,
            ):
                for h in sorted(self._holds_by_unit_status.get((u["id"], "held"), {}).values(), key=_age):
                    if h["status"] not in ("held", "released"):
                        return self._take_back(f"Hold {h['id']} cannot go from {h['status']} to released.")
                    changed_holds.append(h)
                    self._put("holds", h, "status", "released")
                changed_units.append(u)
                self._put("units", u, "quarantined_for", reason)
                if u["status"] not in ("in_stock", "quarantined"):
                    return self._take_back(f"Unit {u['id']} cannot go from {u['status']} to quarantined.")
                changed_units_2.append(u)
                self._put("units", u, "status", "quarantined")
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_3(one_hold):
                return self._take_back(RULES[2])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(
            [
                *changed_holds,
                *[
                    user
                    for one in changed_units_2
                    for user in self._holds_by_unit_status.get((one["id"], "held"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5_h(one_hold):
                return self._take_back(RULES[4])
        for one_unit in _distinct([*[self.units[one["unit_id"]] for one in changed_holds], *changed_units_2]):
            if self._breaks_rule_5_u(one_unit):
                return self._take_back(RULES[4])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r(one_request):
                return self._take_back(RULES[6])
        for one_request in _distinct([self.requests[one["request_id"]] for one in changed_holds]):
            if self._breaks_rule_7_r_again(one_request):
                return self._take_back(RULES[6])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_8(one_hold):
                return self._take_back(RULES[7])
        for one_store in _distinct([self.stores[one["store_id"]] for one in changed_units_2]):
            if self._breaks_rule_11_s(one_store):
                return self._take_back(RULES[10])
        for one_unit in _distinct([*changed_units, *changed_units_2]):
            if self._breaks_rule_12(one_unit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: defer {donor['name']} until {until} for {reason}.",
            "data": self._changes(),
        }

    def _show_donor(self, donor: Donor) -> dict[str, Any]:
        """The donor as an answer shows it."""
        return {**donor, "may_give_from": self._donor_may_give_from(donor)}

    def _show_store(self, store: Store) -> dict[str, Any]:
        """The store as an answer shows it."""
        return {**store, "used": self._store_used(store)}

    def _show_unit(self, unit: Unit) -> dict[str, Any]:
        """The unit as an answer shows it."""
        return {**unit, "expires": self._unit_expires(unit), "held": self._unit_held(unit)}

    def _show_request(self, request: Request) -> dict[str, Any]:
        """The request as an answer shows it."""
        return {**request, "missing": self._request_missing(request)}

    def _names_of_donations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that donations point to."""
        return _names((self.donors, "name", [row["donor_id"] for row in shown]))

    def _names_of_units(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that units point to."""
        return _names(
            (self.donations, "number", [row["donation_id"] for row in shown]),
            (self.stores, "name", [row["store_id"] for row in shown]),
        )

    def _names_of_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that requests point to."""
        return _names((self.patients, "name", [row["patient_id"] for row in shown]))

    def _donor_may_give_from(self, donor: Donor) -> str:
        """The may give from of a donor."""
        return self._give_from(self._last_gift(donor), donor["deferred_until"], donor["registered_on"])

    def _store_used(self, store: Store) -> int:
        """The used of a store."""
        return sum(
            1
            for u in self._units_by_store.get(store["id"], {}).values()
            if u["status"] in ("in_stock", "quarantined")
        )

    def _unit_expires(self, unit: Unit) -> str:
        """The expires of an unit."""
        return _plus_days(self.donations[unit["donation_id"]]["taken_on"], self._keeps_for(unit["kind"]))

    def _unit_held(self, unit: Unit) -> bool:
        """The held of an unit."""
        return any(h["status"] == "held" for h in self._holds_by_unit.get(unit["id"], {}).values())

    def _request_missing(self, request: Request) -> int:
        """The missing of a request."""
        return (
            request["units"]
            - sum(
                1
                for h in self._holds_by_request.get(request["id"], {}).values()
                if h["status"] in ("held", "issued")
            )
        )

    def _last_gift(self, d: Donor) -> str | None:
        return max((g["taken_on"] for g in self._donations_by_donor.get(d["id"], {}).values()), default=None)

    def _give_from(self, last: str | None, off: str | None, since: str) -> str:
        return max(
            _plus_days(last, 56) if last is not None else since,
            _plus_days(off, 1) if off is not None else since,
        )

    def _keeps_for(self, kind: str) -> int:
        return 42 if kind == "red_cells" else 7 if kind == "platelets" else 365

    def _red_fit(self, g: Donation, p: Patient) -> bool:
        return g["abo"] == "O" or g["abo"] == p["abo"] or p["abo"] == "AB"

    def _plasma_fit(self, g: Donation, p: Patient) -> bool:
        return g["abo"] == "AB" or g["abo"] == p["abo"] or p["abo"] == "O"

    def _rhesus_fit(self, g: Donation, p: Patient) -> bool:
        return g["rhesus"] == "negative" or p["rhesus"] == "positive"

    def _suits(self, u: Unit, p: Patient) -> bool:
        return (
            self._plasma_fit(self.donations[u["donation_id"]], p)
            if u["kind"] == "plasma"
            else self._rhesus_fit(self.donations[u["donation_id"]], p) and (
                self._red_fit(self.donations[u["donation_id"]], p)
                if u["kind"] == "red_cells"
                else self._plasma_fit(self.donations[u["donation_id"]], p)
            )
        )

    def _free(self, u: Unit, r: Request) -> bool:
        return (
            u["kind"] == r["kind"]
            and u["status"] == "in_stock"
            and not self._unit_held(u)
            and self._unit_expires(u) >= max(self.now[:10], r["needed_on"])
            and self._suits(u, self.patients[r["patient_id"]])
        )

    def _hold_on(self, u: Unit) -> Hold | None:
        return next(
            (h for h in sorted(self._holds_by_unit_status.get((u["id"], "held"), {}).values(), key=_age)),
            None,
        )

    def _breaks_rule_1_u(self, u: Unit) -> bool:
        """Whether this is broken: components are made only of cleared donations, one of each kind."""
        return self.donations[u["donation_id"]]["status"] != "cleared"

    def _breaks_rule_1_u_again(self, u: Unit) -> bool:
        """Whether this is broken: components are made only of cleared donations, one of each kind."""
        return any(
            other_u is not u
            for other_u in self._units_by_donation_kind.get((u["donation_id"], u["kind"]), {}).values()
        )

    def _breaks_rule_2(self, g: Donation) -> bool:
        """Whether this is broken: a cleared donation has the blood group of its donor."""
        return (
            g["status"] == "cleared"
            and (
                g["abo"] != self.donors[g["donor_id"]]["abo"]
                or g["rhesus"] != self.donors[g["donor_id"]]["rhesus"]
                or g["abo"] is None
                or g["rhesus"] is None
            )
        )

    def _breaks_rule_3(self, h: Hold) -> bool:
        """Whether this is broken: units are held and issued only for patients whose blood group they suit."""
        return (
            h["status"] in ("held", "issued")
            and not (
                self._suits(self.units[h["unit_id"]], self.patients[self.requests[h["request_id"]]["patient_id"]])
                and self.units[h["unit_id"]]["kind"] == self.requests[h["request_id"]]["kind"]
            )
        )

    def _breaks_rule_4(self, h: Hold) -> bool:
        """Whether this is broken: a unit is held for or issued to one patient at a time."""
        return (
            h["status"] in ("held", "issued")
            and any(
                other_h is not h
                for other_h in self._holds_by_unit.get(h["unit_id"], {}).values()
                if other_h["status"] in ("held", "issued")
            )
        )

    def _breaks_rule_5_h(self, h: Hold) -> bool:
        """Whether this is broken: held units are in stock, and issued units went out to a patient."""
        return h["status"] == "held" and self.units[h["unit_id"]]["status"] != "in_stock"

    def _breaks_rule_5_u(self, u: Unit) -> bool:
        """Whether this is broken: held units are in stock, and issued units went out to a patient."""
        return not (
            u["status"] != "issued"
            or any(h["status"] == "issued" for h in self._holds_by_unit.get(u["id"], {}).values())
        )

    def _breaks_rule_6(self, h: Hold) -> bool:
        """Whether this is broken: nobody gets a unit after its expiry."""
        return (
            h["status"] == "issued"
            and (h["issued_on"] is None or h["issued_on"] > self._unit_expires(self.units[h["unit_id"]]))
        )

    def _breaks_rule_7_r(self, r: Request) -> bool:
        """Whether this is broken: a request never has more units than were asked for, and it is met when all have
        been issued.
        """
        return self._request_missing(r) < 0

    def _breaks_rule_7_r_again(self, r: Request) -> bool:
        """Whether this is broken: a request never has more units than were asked for, and it is met when all have
        been issued.
        """
        return r["status"] == "met" and len(self._holds_by_request_status.get((r["id"], "issued"), {})) != r["units"]

    def _breaks_rule_8(self, h: Hold) -> bool:
        """Whether this is broken: only open requests have units on hold."""
        return h["status"] == "held" and self.requests[h["request_id"]]["status"] != "open"

    def _breaks_rule_9(self, r: Request) -> bool:
        """Whether this is broken: a patient has one open request for each kind of component."""
        return (
            r["status"] == "open"
            and any(
                other_r is not r
                for other_r in self._requests_by_patient_kind_status.get(
                    (r["patient_id"], r["kind"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_10_a(self, a: Donation) -> bool:
        """Whether this is broken: between two donations of a donor lie at least 56 days."""
        return any(
            abs(_days_between(b["taken_on"], a["taken_on"])) < 56
            for b in self._donations_by_donor.get(a["donor_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_10_b(self, b: Donation) -> bool:
        """Whether this is broken: between two donations of a donor lie at least 56 days."""
        return any(
            abs(_days_between(b["taken_on"], a["taken_on"])) < 56
            for a in self._donations_by_donor.get(b["donor_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_11_u(self, u: Unit) -> bool:
        """Whether this is broken: a store keeps one kind of component and no more than fits in."""
        return self.stores[u["store_id"]]["keeps"] != u["kind"]

    def _breaks_rule_11_s(self, s: Store) -> bool:
        """Whether this is broken: a store keeps one kind of component and no more than fits in."""
        return self._store_used(s) > s["capacity"]

    def _breaks_rule_12(self, u: Unit) -> bool:
        """Whether this is broken: a quarantined unit says why, and no other does."""
        return (u["quarantined_for"] is not None) != (u["status"] == "quarantined")

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
            case "donations":
                self._donations_by_donor.setdefault(record["donor_id"], {})[record["id"]] = record
                self._donations_by_donor_status.setdefault(
                    (record["donor_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._donations_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._donations_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "units":
                self._units_by_donation.setdefault(record["donation_id"], {})[record["id"]] = record
                self._units_by_donation_kind.setdefault(
                    (record["donation_id"], record["kind"]),
                    {},
                )[record["id"]] = record
                self._units_by_donation_status.setdefault(
                    (record["donation_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._units_by_store.setdefault(record["store_id"], {})[record["id"]] = record
            case "requests":
                self._requests_by_patient_kind_status.setdefault(
                    (record["patient_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
            case "holds":
                self._holds_by_request.setdefault(record["request_id"], {})[record["id"]] = record
                self._holds_by_request_status.setdefault(
                    (record["request_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._holds_by_unit.setdefault(record["unit_id"], {})[record["id"]] = record
                self._holds_by_unit_status.setdefault((record["unit_id"], record["status"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "donations":
                del self._donations_by_donor[record["donor_id"]][record["id"]]
                del self._donations_by_donor_status[record["donor_id"], record["status"]][record["id"]]
                del self._donations_by_lower_number[record["number"].lower()][record["id"]]
                del self._donations_by_number[record["number"]][record["id"]]
            case "units":
                del self._units_by_donation[record["donation_id"]][record["id"]]
                del self._units_by_donation_kind[record["donation_id"], record["kind"]][record["id"]]
                del self._units_by_donation_status[record["donation_id"], record["status"]][record["id"]]
                del self._units_by_store[record["store_id"]][record["id"]]
            case "requests":
                del self._requests_by_patient_kind_status[
                    record["patient_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
            case "holds":
                del self._holds_by_request[record["request_id"]][record["id"]]
                del self._holds_by_request_status[record["request_id"], record["status"]][record["id"]]
                del self._holds_by_unit[record["unit_id"]][record["id"]]
                del self._holds_by_unit_status[record["unit_id"], record["status"]][record["id"]]
