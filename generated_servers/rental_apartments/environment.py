"""Rental apartments. Compiled from blueprint.yaml; run `envscaler build rental_apartments` after changing it there.

Lets the flats of several houses, with leases, deposits, monthly rent and payments, increases under a cap,
notice periods, and flats handed back with defects that are settled against the deposit.
"""

from __future__ import annotations

from calendar import monthrange
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
    "A flat has one tenant at a time, and is promised to one at most.",
    "A flat is promised only from a day after the present lease has ended.",
    "Nobody rents two flats at a time.",
    "A deposit is never more than agreed, and agreed are three rents at most.",
    "Nobody has the keys before a third of the deposit is there.",
    "A rent is charged once a month, and no charge is overpaid.",
    "A lease has an end and somebody who gave notice once notice was given, and not before.",
    "No increase takes a rent above the reference rent of the flat.",
    "Increases of one lease start at least fifteen months apart.",
    "Within three years a rent rises by no more than the cap of the house.",
    "One increase of a lease at most waits for an answer.",
    "A settled lease has no deposit held and no defect open.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sign_lease",
    "take_deposit",
    "cancel_lease",
    "hand_over_keys",
    "charge_rents",
    "take_payment",
    "announce_increase",
    "answer_increase",
    "give_notice",
    "take_back",
    "accept_repair",
    "settle_deposit",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "houses": ("name",),
    "apartments": ("label",),
    "tenants": ("name",),
    "leases": (),
    "charges": (),
    "increases": (),
    "defects": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("apartments", "house_id"),
    ("charges", "kind"),
    ("charges", "lease_id"),
    ("defects", "lease_id"),
    ("defects", "status"),
    ("increases", "lease_id"),
    ("increases", "status"),
    ("leases", "apartment_id"),
    ("leases", "status"),
    ("leases", "tenant_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class House(TypedDict):
    id: str
    name: str
    cap_percent: int


class Apartment(TypedDict):
    id: str
    label: str
    house_id: str
    rooms: int
    reference_rent: int


class Tenant(TypedDict):
    id: str
    name: str


class Lease(TypedDict):
    id: str
    tenant_id: str
    apartment_id: str
    begins: str
    first_rent: int
    deposit_due: int
    deposit_held: int
    refunded: int | None
    ends: str | None
    notice_by: Literal["tenant", "landlord"] | None
    status: Literal["signed", "running", "cancelled", "notice", "returned", "settled"]


class Charge(TypedDict):
    id: str
    lease_id: str
    kind: Literal["rent", "damage"]
    due: str
    amount: int
    paid: int


class Increase(TypedDict):
    id: str
    lease_id: str
    starts: str
    old_rent: int
    new_rent: int
    status: Literal["announced", "agreed", "withdrawn"]


class Defect(TypedDict):
    id: str
    lease_id: str
    what: str
    cost: int
    status: Literal["open", "repaired", "charged"]


class TakeBackDefect(TypedDict):
    what: Text
    cost: Annotated[int, {"minimum": 1000, "maximum": 400000}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


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


class RentalApartments:
    """Lets the flats of several houses, with leases, deposits, monthly rent and payments, increases under
    a cap, notice periods, and flats handed back with defects that are settled against the deposit.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.houses: dict[str, House] = _copied(config.get("houses", {}))
        self.apartments: dict[str, Apartment] = _copied(config.get("apartments", {}))
        self.tenants: dict[str, Tenant] = _copied(config.get("tenants", {}))
        self.leases: dict[str, Lease] = _copied(config.get("leases", {}))
        self.charges: dict[str, Charge] = _copied(config.get("charges", {}))
        self.increases: dict[str, Increase] = _copied(config.get("increases", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.now: str = config.get("now", "2026-06-01T09:00")
        self.counters: dict[str, int] = {
            "house": len(self.houses),
            "apartment": len(self.apartments),
            "tenant": len(self.tenants),
            "lease": len(self.leases),
            "charge": len(self.charges),
            "increase": len(self.increases),
            "defect": len(self.defects),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._apartments_by_house: dict[Any, dict[str, Apartment]] = {}
        self._leases_by_apartment: dict[Any, dict[str, Lease]] = {}
        self._leases_by_apartment_status: dict[Any, dict[str, Lease]] = {}
        self._leases_by_tenant: dict[Any, dict[str, Lease]] = {}
        self._charges_by_lease: dict[Any, dict[str, Charge]] = {}
        self._charges_by_lease_kind: dict[Any, dict[str, Charge]] = {}
        self._increases_by_lease: dict[Any, dict[str, Increase]] = {}
        self._increases_by_lease_status: dict[Any, dict[str, Increase]] = {}
        self._defects_by_lease_status: dict[Any, dict[str, Defect]] = {}
        for apartment in self.apartments.values():
            self._link("apartments", apartment)
        for lease in self.leases.values():
            self._link("leases", lease)
        for charge in self.charges.values():
            self._link("charges", charge)
        for increase in self.increases.values():
            self._link("increases", increase)
        for defect in self.defects.values():
            self._link("defects", defect)

    def flats_free(
        self,
        since: Date,
        rooms: Annotated[int, {"minimum": 1, "maximum": 6}] | None = None,
        house_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Flats that can be let from a day on, cheapest reference rent first.

        Args:
            since (str): Day from which the flat must be free, as YYYY-MM-DD.
            rooms (int, optional): Fewest rooms that the flat may have, from 1 to 6. If left out, flats with any
                number of rooms are listed.
            house_id (str, optional): Only flats in this house; an id such as HOUSE-00001. If left out, flats in
                all houses are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "apartments": records}} or {"success": False, "error":
                why not}
        """
        house = self.houses.get(house_id) if house_id is not None else None
        if house_id is not None and house is None:
            return _refused(f"There is no house {house_id!r}.")
        found = [
            a
            for a in self.apartments.values()
            if self._promised(a) is None
            and not any(
                l["ends"] is None
                or l["ends"] >= since
                for l in self._leases_by_apartment.get(a["id"], {}).values()
                if self._living(l)
            )
            and (rooms is None or a["rooms"] >= rooms)
            and (house_id is None or a["house_id"] == house_id)
        ]
        found.sort(key=lambda a: (a["reference_rent"], a["label"], _age(a)))
        return _found(
            {
                "total": len(found),
                "apartments": [
                    {
                        "id": a["id"],
                        "label": a["label"],
                        "house": self.houses[a["house_id"]]["name"],
                        "rooms": a["rooms"],
                        "reference_rent": a["reference_rent"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def rent_file(self, lease_id: str) -> Result:
        """What a lease costs today, how far it may be raised, and when notice given today would end it.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.

        Returns:
            dict: {"success": True, "data": {rent, owed, next_start, last_raised, most, end_by_tenant,
                end_by_landlord}} or {"success": False, "error": why not}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        starts = _add_months(self.now[:10][:8] + "01", 2)
        last = self._newest(lease, starts)
        return _found(
            {
                "rent": self._rent_on(lease, self.now[:10]),
                "owed": self._lease_owed(lease),
                "next_start": starts,
                "last_raised": last["starts"] if last is not None else lease["begins"],
                "most": min(
                    self.apartments[lease["apartment_id"]]["reference_rent"],
                    floor(
                        Fraction(
                            self._base_rent(lease, starts, self._rent_on(lease, starts)) * (
                                100 + self.houses[self.apartments[lease["apartment_id"]]["house_id"]]["cap_percent"]
                            ),
                            100,
                        )
                    ),
                ),
                "end_by_tenant": self._earliest_end(lease, "tenant", self.now[:10]),
                "end_by_landlord": self._earliest_end(lease, "landlord", self.now[:10]),
            }
        )

    def arrears(
        self,
        house_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Leases on which money is open, the largest sums first.

        Args:
            house_id (str, optional): Only leases in this house; an id such as HOUSE-00001. If left out, leases in
                all houses are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leases": records}} or {"success": False, "error": why
                not}
        """
        house = self.houses.get(house_id) if house_id is not None else None
        if house_id is not None and house is None:
            return _refused(f"There is no house {house_id!r}.")
        found = [
            l
            for l in self.leases.values()
            if self._lease_owed(l) > 0
            and (house_id is None or self.apartments[l["apartment_id"]]["house_id"] == house_id)
        ]
        found.sort(key=lambda l: (-self._lease_owed(l), l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "leases": [
                    {
                        "id": l["id"],
                        "tenant": self.tenants[l["tenant_id"]]["name"],
                        "apartment": self.apartments[l["apartment_id"]]["label"],
                        "status": l["status"],
                        "owed": self._lease_owed(l),
                        "rent": self._rent_on(l, self.now[:10]),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def list_houses(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the houses, oldest first, all of them or only some.

        Args:
            name (str, optional): Only houses whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "houses": records}}
        """
        found = [
            house
            for house in self.houses.values()
            if (name is None or name.casefold() in house["name"].casefold())
        ]
        return _found({"total": len(found), "houses": [self._show_house(house) for house in _page(found, offset)]})

    def list_apartments(
        self,
        label: Text | None = None,
        house_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the apartments, oldest first, all of them or only some.

        Args:
            label (str, optional): Only apartments whose label contains this text.
            house_id (str, optional): Only apartments of this house.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "apartments": records}}
        """
        if house_id is not None and house_id not in self.houses:
            return _refused(f"There is no house {house_id!r}.")
        found = [
            apartment
            for apartment in self.apartments.values()
            if (label is None or label.casefold() in apartment["label"].casefold())
            and (house_id is None or apartment["house_id"] == house_id)
        ]
        shown = [self._show_apartment(apartment) for apartment in _page(found, offset)]
        return _found({"total": len(found), "apartments": shown}, self._names_of_apartments(shown))

    def list_tenants(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tenants, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tenants whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tenants": records}}
        """
        found = [
            tenant
            for tenant in self.tenants.values()
            if (name is None or name.casefold() in tenant["name"].casefold())
        ]
        return _found(
            {"total": len(found), "tenants": [self._show_tenant(tenant) for tenant in _page(found, offset)]}
        )

    def list_leases(
        self,
        tenant_id: str | None = None,
        apartment_id: str | None = None,
        notice_by: Literal["tenant", "landlord"] | None = None,
        status: Literal["signed", "running", "cancelled", "notice", "returned", "settled"] | None = None,
        begins_from: Date | None = None,
        begins_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leases, oldest first, all of them or only some.

        Args:
            tenant_id (str, optional): Only leases of this tenant.
            apartment_id (str, optional): Only leases of this apartment.
            notice_by (str, optional): Only leases whose `notice_by` is this.
            status (str, optional): Only leases with this status.
            begins_from (str, optional): Only leases whose `begins` is on this day or later.
            begins_to (str, optional): Only leases whose `begins` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leases": records}}
        """
        if tenant_id is not None and tenant_id not in self.tenants:
            return _refused(f"There is no tenant {tenant_id!r}.")
        if apartment_id is not None and apartment_id not in self.apartments:
            return _refused(f"There is no apartment {apartment_id!r}.")
        found = [
            lease
            for lease in self.leases.values()
            if (tenant_id is None or lease["tenant_id"] == tenant_id)
            and (apartment_id is None or lease["apartment_id"] == apartment_id)
            and (notice_by is None or lease["notice_by"] == notice_by)
            and (status is None or lease["status"] == status)
            and (begins_from is None or lease["begins"] >= begins_from)
            and (begins_to is None or lease["begins"] <= begins_to)
        ]
        shown = [self._show_lease(lease) for lease in _page(found, offset)]
        return _found({"total": len(found), "leases": shown}, self._names_of_leases(shown))

    def list_charges(
        self,
        lease_id: str | None = None,
        kind: Literal["rent", "damage"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the charges, oldest first, all of them or only some.

        Args:
            lease_id (str, optional): Only charges of this lease.
            kind (str, optional): Only charges with this kind.
            due_from (str, optional): Only charges whose `due` is on this day or later.
            due_to (str, optional): Only charges whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}}
        """
        if lease_id is not None and lease_id not in self.leases:
            return _refused(f"There is no lease {lease_id!r}.")
        found = [
            charge
            for charge in self.charges.values()
            if (lease_id is None or charge["lease_id"] == lease_id)
            and (kind is None or charge["kind"] == kind)
            and (due_from is None or charge["due"] >= due_from)
            and (due_to is None or charge["due"] <= due_to)
        ]
        return _found({"total": len(found), "charges": [{**charge} for charge in _page(found, offset)]})

    def list_increases(
        self,
        lease_id: str | None = None,
        status: Literal["announced", "agreed", "withdrawn"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the increases, oldest first, all of them or only some.

        Args:
            lease_id (str, optional): Only increases of this lease.
            status (str, optional): Only increases with this status.
            starts_from (str, optional): Only increases whose `starts` is on this day or later.
            starts_to (str, optional): Only increases whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "increases": records}}
        """
        if lease_id is not None and lease_id not in self.leases:
            return _refused(f"There is no lease {lease_id!r}.")
        found = [
            increase
            for increase in self.increases.values()
            if (lease_id is None or increase["lease_id"] == lease_id)
            and (status is None or increase["status"] == status)
            and (starts_from is None or increase["starts"] >= starts_from)
            and (starts_to is None or increase["starts"] <= starts_to)
        ]
        return _found({"total": len(found), "increases": [{**increase} for increase in _page(found, offset)]})

    def list_defects(
        self,
        lease_id: str | None = None,
        status: Literal["open", "repaired", "charged"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            lease_id (str, optional): Only defects of this lease.
            status (str, optional): Only defects with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if lease_id is not None and lease_id not in self.leases:
            return _refused(f"There is no lease {lease_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (lease_id is None or defect["lease_id"] == lease_id)
            and (status is None or defect["status"] == status)
        ]
        return _found({"total": len(found), "defects": [{**defect} for defect in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sign_lease(
        self,
        tenant_id: str,
        apartment_id: str,
        begins: Date,
        rent: Annotated[int, {"minimum": 20000, "maximum": 250000}],
    ) -> Result:
        """Sign a lease for a flat that is free from a day on; the deposit is three rents.

        Args:
            tenant_id (str): Id of the tenant, such as TENANT-00001.
            apartment_id (str): Id of the apartment, such as APARTMENT-00001.
            begins (str): First day of the lease, within 150 days from today, as YYYY-MM-DD.
            rent (int): Monthly rent, at most ten percent above the reference rent, in cents, from 20000 to 250000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tenant = self.tenants.get(tenant_id)
        if tenant is None:
            return _refused(f"There is no tenant {tenant_id!r}.")
        apartment = self.apartments.get(apartment_id)
        if apartment is None:
            return _refused(f"There is no apartment {apartment_id!r}.")
        if self.now[:10] > begins or begins > _plus_days(self.now[:10], 150):
            return _refused(
                f"A lease begins between {self.now[:10]} and {_plus_days(self.now[:10], 150)}, not on {begins}."
            )
        if rent * 10 > apartment["reference_rent"] * 11:
            return _refused(
                f"Flat {apartment['label']} may cost a tenth more than {_money(apartment['reference_rent'])} at "
                f"most, not {_money(rent)}."
            )
        present = self._taken_until(apartment)
        if present is not None and present["ends"] is None:
            return _refused(
                f"Flat {apartment['label']} is let to {self.tenants[present['tenant_id']]['name']} without an end."
            )
        if present is not None and present["ends"] is not None and present["ends"] >= begins:
            return _refused(
                f"Flat {apartment['label']} is let to {self.tenants[present['tenant_id']]['name']} until "
                f"{present['ends']}."
            )
        next_one = self._promised(apartment)
        if next_one is not None:
            return _refused(
                f"Flat {apartment['label']} is promised to {self.tenants[next_one['tenant_id']]['name']} already."
            )
        elsewhere = next(
            (
                l
                for l in sorted(self._leases_by_tenant.get(tenant_id, {}).values(), key=_age)
                if l["status"] in ("signed", "running")
            ),
            None,
        )
        if elsewhere is not None:
            return _refused(
                f"{tenant['name']} has a lease of flat {self.apartments[elsewhere['apartment_id']]['label']}, "
                "which must come under notice first."
            )
        self._journal = []
        deposit_due = rent * 3
        if not 60000 <= deposit_due <= 750000:
            return self._take_back("The deposit due of a lease must be between 600.00 and 7,500.00.")
        lease: Lease = {
            "id": self._new_id("lease", "LEASE", self.leases),
            "tenant_id": tenant_id,
            "apartment_id": apartment_id,
            "begins": begins,
            "first_rent": rent,
            "deposit_due": deposit_due,
            "deposit_held": 0,
            "refunded": None,
            "ends": None,
            "notice_by": None,
            "status": "signed",
        }
        self._add("leases", lease)
        if self._breaks_rule_1_l(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_l(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lease):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(lease):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(lease):
            return self._take_back(RULES[6])
        if self._breaks_rule_12_l(lease):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_l_again(lease):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: let flat {apartment['label']} to {tenant['name']} from {begins} for {_money(rent)} (new: "
                f"lease {lease['id']})."
            ),
            "data": {"lease_id": lease["id"], **self._changes()},
        }

    def take_deposit(self, lease_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 750000}]) -> Result:
        """Take a part of the deposit, or all of it.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            amount (int): Money taken now towards the deposit, in cents, from 1 to 750000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] not in ("signed", "running"):
            return _refused(
                f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']} and takes no deposit."
            )
        if lease["deposit_held"] + amount > lease["deposit_due"]:
            return _refused(
                f"Of the deposit of {_money(lease['deposit_due'])}, {_money(lease['deposit_held'])} is there, so "
                f"{_money(amount)} is too much."
            )
        self._journal = []
        deposit_held = lease["deposit_held"] + amount
        if not 0 <= deposit_held <= 750000:
            return self._take_back(f"The deposit held of {lease['id']} must be between 0.00 and 7,500.00.")
        self._put("leases", lease, "deposit_held", deposit_held)
        if self._breaks_rule_4(lease):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_12_l_again(lease):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} of the deposit of {self.tenants[lease['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def cancel_lease(self, lease_id: str) -> Result:
        """Cancel a signed lease before the keys are handed over; what was paid of the deposit goes back.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "signed":
            return _refused(
                f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']}, and only a signed "
                "one can be cancelled."
            )
        self._journal = []
        self._put("leases", lease, "deposit_held", 0)
        self._put("leases", lease, "status", "cancelled")
        if self._breaks_rule_1_l(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_l(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lease):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(lease):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(lease):
            return self._take_back(RULES[6])
        if self._breaks_rule_12_l(lease):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_l_again(lease):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel the lease of {self.tenants[lease['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def hand_over_keys(self, lease_id: str) -> Result:
        """Hand the keys over when the lease begins and a third of the deposit is there.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "signed":
            return _refused(f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']}.")
        if lease["begins"] > self.now[:10]:
            return _refused(f"The lease of {self.tenants[lease['tenant_id']]['name']} begins on {lease['begins']}.")
        if lease["deposit_held"] * 3 < lease["deposit_due"]:
            return _refused(
                f"{self.tenants[lease['tenant_id']]['name']} has paid {_money(lease['deposit_held'])} of "
                f"{_money(lease['deposit_due'])}, and a third is needed for the keys."
            )
        present = self._taken_until(self.apartments[lease["apartment_id"]])
        if present is not None:
            return _refused(
                f"{self.tenants[present['tenant_id']]['name']} has not handed flat "
                f"{self.apartments[lease['apartment_id']]['label']} back."
            )
        self._journal = []
        self._put("leases", lease, "status", "running")
        if self._breaks_rule_1_l(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_l(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lease):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(lease):
            return self._take_back(RULES[6])
        if self._breaks_rule_12_l(lease):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_l_again(lease):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: hand the keys of flat {self.apartments[lease['apartment_id']]['label']} to "
                f"{self.tenants[lease['tenant_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def charge_rents(self, house_id: str) -> Result:
        """Charge the rent of the current month to every tenant of a house who was not charged yet.

        Args:
            house_id (str): Id of the house, such as HOUSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        house = self.houses.get(house_id)
        if house is None:
            return _refused(f"There is no house {house_id!r}.")
        month = self.now[:10][:8] + "01"
        open_ones = [
            l
            for l in sorted(
                [
                    l
                    for _apartment in self._apartments_by_house.get(house_id, {}).values()
                    for l in self._leases_by_apartment.get(_apartment["id"], {}).values()
                ],
                key=_age,
            )
            if self._living(l)
            and not any(
                each["due"] == month
                for each in self._charges_by_lease_kind.get((l["id"], "rent"), {}).values()
            )
        ]
        if len(open_ones) <= 0:
            return _refused(f"In {house['name']} everybody was charged for the month of {month}.")
        self._journal = []
        added_charges: list[Any] = []
        for l in list(open_ones):
            amount = self._rent_on(l, month)
            if not 1 <= amount <= 750000:
                return self._take_back("The amount of a charge must be between 0.01 and 7,500.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "lease_id": l["id"],
                "kind": "rent",
                "due": month,
                "amount": amount,
                "paid": 0,
            }
            self._add("charges", charge)
            added_charges.append(charge)
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_6_c(one_charge):
                return self._take_back(RULES[5])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_6_c_again(one_charge):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: charge the rents of {house['name']}.", "data": self._changes()}

    def take_payment(self, lease_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 750000}]) -> Result:
        """Take money from a tenant and put it against the open charges, oldest first.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            amount (int): Money received, at most what is owed, in cents, from 1 to 750000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if self._lease_owed(lease) <= 0:
            return _refused(f"Nothing is open on the lease of {self.tenants[lease['tenant_id']]['name']}.")
        if amount > self._lease_owed(lease):
            return _refused(
                f"{self.tenants[lease['tenant_id']]['name']} owes {_money(self._lease_owed(lease))}, not "
                f"{_money(amount)}."
            )
        self._journal = []
        changed_charges: list[Any] = []
        left = amount
        for c in sorted(
            [c for c in self._charges_by_lease.get(lease_id, {}).values() if c["paid"] < c["amount"]],
            key=lambda c: (c["due"], c["id"], _age(c)),
        ):
            part = min(left, c["amount"] - c["paid"])
            paid = c["paid"] + part
            if not 0 <= paid <= 750000:
                return self._take_back(f"The paid of {c['id']} must be between 0.00 and 7,500.00.")
            changed_charges.append(c)
            self._put("charges", c, "paid", paid)
            left = left - part
        for one_charge in _distinct(changed_charges):
            if self._breaks_rule_6_c_again(one_charge):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} from {self.tenants[lease['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def announce_increase(self, lease_id: str, rent: Annotated[int, {"minimum": 20000, "maximum": 250000}]) -> Result:
        """Announce a higher rent, which starts on the first of the month after next.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            rent (int): New monthly rent, at most the reference rent, in cents, from 20000 to 250000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "running":
            return _refused(f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']}.")
        starts = _add_months(self.now[:10][:8] + "01", 2)
        old = self._rent_on(lease, starts)
        if rent <= old:
            return _refused(f"{self.tenants[lease['tenant_id']]['name']} pays {_money(old)} already.")
        open_one = next(
            (i for i in sorted(self._increases_by_lease_status.get((lease_id, "announced"), {}).values(), key=_age)),
            None,
        )
        if open_one is not None:
            return _refused(
                f"{self.tenants[lease['tenant_id']]['name']} has not answered the increase to "
                f"{_money(open_one['new_rent'])}."
            )
        if _add_months(lease["begins"], 15) > starts:
            return _refused(
                f"The lease of {self.tenants[lease['tenant_id']]['name']} began on {lease['begins']}, less than "
                f"fifteen months before {starts}."
            )
        recent = next(
            (
                i
                for i in sorted(self._increases_by_lease_status.get((lease_id, "agreed"), {}).values(), key=_age)
                if _add_months(i["starts"], 15) > starts
            ),
            None,
        )
        if recent is not None:
            return _refused(
                f"The rent of {self.tenants[lease['tenant_id']]['name']} was raised on {recent['starts']}, less "
                f"than fifteen months before {starts}."
            )
        if rent > self.apartments[lease["apartment_id"]]["reference_rent"]:
            return _refused(
                f"The reference rent of flat {self.apartments[lease['apartment_id']]['label']} is "
                f"{_money(self.apartments[lease['apartment_id']]['reference_rent'])}, less than {_money(rent)}."
            )
        base = self._base_rent(lease, starts, old)
        if rent * 100 > base * (100 + self.houses[self.apartments[lease["apartment_id"]]["house_id"]]["cap_percent"]):
            return _refused(
                f"{_money(rent)} is more than "
                f"{self.houses[self.apartments[lease['apartment_id']]['house_id']]['cap_percent']} percent above "
                f"{_money(base)}, the rent of three years ago."
            )
        self._journal = []
        if not 20000 <= old <= 250000:
            return self._take_back("The old rent of an increase must be between 200.00 and 2,500.00.")
        increase: Increase = {
            "id": self._new_id("increase", "INCREASE", self.increases),
            "lease_id": lease_id,
            "starts": starts,
            "old_rent": old,
            "new_rent": rent,
            "status": "announced",
        }
        self._add("increases", increase)
        if self._breaks_rule_8(increase):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(increase):
            return self._take_back(RULES[8])
        for one_increase in _distinct([increase, *self._increases_by_lease.get(increase["lease_id"], {}).values()]):
            if self._breaks_rule_10(one_increase):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(increase):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: announce {_money(rent)} to {self.tenants[lease['tenant_id']]['name']} (new: increase "
                f"{increase['id']})."
            ),
            "data": {"increase_id": increase["id"], **self._changes()},
        }

    def answer_increase(self, increase_id: str, agreed: bool) -> Result:
        """Record that a tenant agreed to an announced increase, or that it is withdrawn.

        Args:
            increase_id (str): Id of the increase, such as INCREASE-00001.
            agreed (bool): Whether the tenant agreed, or the increase is withdrawn.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        increase = self.increases.get(increase_id)
        if increase is None:
            return _refused(f"There is no increase {increase_id!r}.")
        if increase["status"] != "announced":
            return _refused(
                f"The increase for {self.tenants[self.leases[increase['lease_id']]['tenant_id']]['name']} is "
                f"{increase['status']}."
            )
        self._journal = []
        status = "agreed" if agreed else "withdrawn"
        self._put("increases", increase, "status", status)
        if self._breaks_rule_8(increase):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(increase):
            return self._take_back(RULES[8])
        for one_increase in _distinct([increase, *self._increases_by_lease.get(increase["lease_id"], {}).values()]):
            if self._breaks_rule_10(one_increase):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(increase):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                "Done: record the answer of "
                f"{self.tenants[self.leases[increase['lease_id']]['tenant_id']]['name']} to "
                f"{_money(increase['new_rent'])}."
            ),
            "data": self._changes(),
        }

    def give_notice(self, lease_id: str, by: Literal["tenant", "landlord"], ends: Date | None = None) -> Result:
        """Give notice on a lease, for the earliest possible day or a later end of a month; two rents behind, the
        landlord may end it in 14 days, also where notice was given before.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            by (str): Side that gives notice: tenant or landlord.
            ends (str, optional): Last day of the lease, an end of a month, as YYYY-MM-DD. If left out, it ends on
                the earliest possible day.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if not (
            lease["status"] == "running"
            or lease["status"] == "notice"
            and by == "landlord"
            and self._two_rents_behind(lease, self.now[:10])
        ):
            return _refused(
                f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']}; under notice "
                "already, only the landlord may end it sooner, for two rents of arrears."
            )
        earliest = self._earliest_end(lease, by, self.now[:10])
        until = ends if ends is not None else earliest
        if lease["ends"] is not None and until >= lease["ends"]:
            return _refused(
                f"The lease of {self.tenants[lease['tenant_id']]['name']} ends on {lease['ends']} anyway."
            )
        if until < earliest:
            return _refused(
                f"The lease of {self.tenants[lease['tenant_id']]['name']} can end on {earliest} at the earliest."
            )
        if until != earliest and _plus_days(until, 1)[:8] + "01" != _plus_days(until, 1):
            return _refused(f"{until} is not the last day of a month.")
        self._journal = []
        changed_leases: list[Any] = []
        changed_increases: list[Any] = []
        self._put("leases", lease, "ends", until)
        self._put("leases", lease, "notice_by", by)
        if lease["status"] == "running":
            if lease["status"] not in ("running", "notice"):
                return self._take_back(f"Lease {lease['id']} cannot go from {lease['status']} to notice.")
            changed_leases.append(lease)
            self._put("leases", lease, "status", "notice")
        for i in sorted(self._increases_by_lease_status.get((lease_id, "announced"), {}).values(), key=_age):
            if i["status"] not in ("announced", "withdrawn"):
                return self._take_back(f"Increase {i['id']} cannot go from {i['status']} to withdrawn.")
            changed_increases.append(i)
            self._put("increases", i, "status", "withdrawn")
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_1_l(one_lease):
                return self._take_back(RULES[0])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_1_l_again(one_lease):
                return self._take_back(RULES[0])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_2_s(one_lease):
                return self._take_back(RULES[1])
        for one_lease in _distinct([lease, *changed_leases]):
            if self._breaks_rule_2_l(one_lease):
                return self._take_back(RULES[1])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_3(one_lease):
                return self._take_back(RULES[2])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_5(one_lease):
                return self._take_back(RULES[4])
        for one_lease in _distinct([lease, *changed_leases]):
            if self._breaks_rule_7(one_lease):
                return self._take_back(RULES[6])
        for one_increase in _distinct(changed_increases):
            if self._breaks_rule_8(one_increase):
                return self._take_back(RULES[7])
        for one_increase in _distinct(changed_increases):
            if self._breaks_rule_9(one_increase):
                return self._take_back(RULES[8])
        for one_increase in _distinct(
            [
                *changed_increases,
                *[
                    user
                    for one in [self.leases[one["lease_id"]] for one in changed_increases]
                    for user in self._increases_by_lease.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_increase):
                return self._take_back(RULES[9])
        for one_increase in _distinct(changed_increases):
            if self._breaks_rule_11(one_increase):
                return self._take_back(RULES[10])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_12_l(one_lease):
                return self._take_back(RULES[11])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_12_l_again(one_lease):
                return self._take_back(RULES[11])
        done = f"give notice for {self.tenants[lease['tenant_id']]['name']} by the {by}"
        if ends is not None:
            done += f" for {ends}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def take_back(self, lease_id: str, defects: Annotated[list[TakeBackDefect], {"maxItems": 20}]) -> Result:
        """Take a flat back on the last day of the lease or later and list what is damaged.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            defects (list): One entry for each thing that is damaged: what: what is damaged, each thing once; cost:
                money that the repair costs, in cents, from 1000 to 400000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "notice" or lease["ends"] is None:
            return _refused(f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']}.")
        if lease["ends"] > self.now[:10]:
            return _refused(f"The lease of {self.tenants[lease['tenant_id']]['name']} runs until {lease['ends']}.")
        if not _different([d["what"].lower() for d in defects]):
            return _refused("A defect is named twice.")
        self._journal = []
        added_defects: list[Any] = []
        self._put("leases", lease, "status", "returned")
        for d in list(defects):
            defect = {
                "id": self._new_id("defect", "DEFECT", self.defects),
                "lease_id": lease_id,
                "what": d["what"],
                "cost": d["cost"],
                "status": "open",
            }
            self._add("defects", defect)
            added_defects.append(defect)
        if self._breaks_rule_1_l(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_l(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lease):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(lease):
            return self._take_back(RULES[6])
        if self._breaks_rule_12_l(lease):
            return self._take_back(RULES[11])
        for one_lease in _distinct([lease, *[self.leases[one["lease_id"]] for one in added_defects]]):
            if self._breaks_rule_12_l_again(one_lease):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take flat {self.apartments[lease['apartment_id']]['label']} back from "
                f"{self.tenants[lease['tenant_id']]['name']} with {len(defects)} defects."
            ),
            "data": self._changes(),
        }

    def accept_repair(self, defect_id: str) -> Result:
        """Accept that a tenant has repaired a defect, so that it costs nothing.

        Args:
            defect_id (str): Id of the defect, such as DEFECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defect = self.defects.get(defect_id)
        if defect is None:
            return _refused(f"There is no defect {defect_id!r}.")
        if defect["status"] != "open":
            return _refused(f"The defect {defect['what']} is {defect['status']}.")
        self._journal = []
        self._put("defects", defect, "status", "repaired")
        if self._breaks_rule_12_l_again(self.leases[defect["lease_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: accept the repair of {defect['what']} by "
                f"{self.tenants[self.leases[defect['lease_id']]['tenant_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def settle_deposit(self, lease_id: str) -> Result:
        """Settle the deposit of a flat that was handed back; open charges go first, then defects, and the rest is
        refunded.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "returned":
            return _refused(f"The lease of {self.tenants[lease['tenant_id']]['name']} is {lease['status']}.")
        self._journal = []
        changed_charges: list[Any] = []
        added_charges: list[Any] = []
        changed_defects: list[Any] = []
        left = lease["deposit_held"]
        for c in sorted(
            [c for c in self._charges_by_lease.get(lease_id, {}).values() if c["paid"] < c["amount"]],
            key=lambda c: (c["due"], c["id"], _age(c)),
        ):
            part = min(left, c["amount"] - c["paid"])
            paid = c["paid"] + part
            if not 0 <= paid <= 750000:
                return self._take_back(f"The paid of {c['id']} must be between 0.00 and 7,500.00.")
            changed_charges.append(c)
            self._put("charges", c, "paid", paid)
            left = left - part
        damage = self._lease_defects_open(lease)
        if damage > 0:
            part = min(left, damage)
            if not 1 <= damage <= 750000:
                return self._take_back("The amount of a charge must be between 0.01 and 7,500.00.")
            if not 0 <= part <= 750000:
                return self._take_back("The paid of a charge must be between 0.00 and 7,500.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "lease_id": lease_id,
                "kind": "damage",
                "due": self.now[:10],
                "amount": damage,
                "paid": part,
            }
            self._add("charges", charge)
            added_charges.append(charge)
            left = left - part
            for d in sorted(self._defects_by_lease_status.get((lease_id, "open"), {}).values(), key=_age):
                if d["status"] not in ("open", "charged"):
                    return self._take_back(f"Defect {d['id']} cannot go from {d['status']} to charged.")
                changed_defects.append(d)
                self._put("defects", d, "status", "charged")
        if not 0 <= left <= 750000:
            return self._take_back(f"The refunded of {lease['id']} must be between 0.00 and 7,500.00.")
        self._put("leases", lease, "refunded", left)
        self._put("leases", lease, "deposit_held", 0)
        self._put("leases", lease, "status", "settled")
        if self._breaks_rule_1_l(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lease):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_l(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lease):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(lease):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_6_c(one_charge):
                return self._take_back(RULES[5])
        for one_charge in _distinct([*changed_charges, *added_charges]):
            if self._breaks_rule_6_c_again(one_charge):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(lease):
            return self._take_back(RULES[6])
        if self._breaks_rule_12_l(lease):
            return self._take_back(RULES[11])
        for one_lease in _distinct([lease, *[self.leases[one["lease_id"]] for one in changed_defects]]):
            if self._breaks_rule_12_l_again(one_lease):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: settle the deposit of {self.tenants[lease['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_house(self, house: House) -> dict[str, Any]:
        """The house as an answer shows it."""
        return {**house, "free": self._house_free(house)}

    def _show_apartment(self, apartment: Apartment) -> dict[str, Any]:
        """The apartment as an answer shows it."""
        return {**apartment, "let_to_id": _id_of(self._apartment_let_to(apartment))}

    def _show_tenant(self, tenant: Tenant) -> dict[str, Any]:
        """The tenant as an answer shows it."""
        return {**tenant, "arrears": self._tenant_arrears(tenant)}

    def _show_lease(self, lease: Lease) -> dict[str, Any]:
        """The lease as an answer shows it."""
        return {**lease, "owed": self._lease_owed(lease), "defects_open": self._lease_defects_open(lease)}

    def _names_of_apartments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that apartments point to."""
        return _names(
            (self.houses, "name", [row["house_id"] for row in shown]),
            (self.tenants, "name", [row["let_to_id"] for row in shown]),
        )

    def _names_of_leases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leases point to."""
        return _names(
            (self.tenants, "name", [row["tenant_id"] for row in shown]),
            (self.apartments, "label", [row["apartment_id"] for row in shown]),
        )

    def _house_free(self, house: House) -> int:
        """The free of a house."""
        return sum(
            1
            for a in self._apartments_by_house.get(house["id"], {}).values()
            if self._apartment_let_to(a) is None
        )

    def _apartment_let_to(self, apartment: Apartment) -> Tenant | None:
        """The let to of an apartment."""
        return next(
            (
                self.tenants[l["tenant_id"]]
                for l in sorted(self._leases_by_apartment.get(apartment["id"], {}).values(), key=_age)
                if l["status"] in ("running", "notice")
            ),
            None,
        )

    def _tenant_arrears(self, tenant: Tenant) -> int:
        """The arrears of a tenant."""
        return sum(self._lease_owed(l) for l in self._leases_by_tenant.get(tenant["id"], {}).values())

    def _lease_owed(self, lease: Lease) -> int:
        """The owed of a lease."""
        return sum(c["amount"] - c["paid"] for c in self._charges_by_lease.get(lease["id"], {}).values())

    def _lease_defects_open(self, lease: Lease) -> int:
        """The defects open of a lease."""
        return sum(d["cost"] for d in self._defects_by_lease_status.get((lease["id"], "open"), {}).values())

    def _living(self, l: Lease) -> bool:
        return l["status"] in ("running", "notice")

    def _newest(self, l: Lease, d: str) -> Increase | None:
        return min(
            (i for i in self._increases_by_lease_status.get((l["id"], "agreed"), {}).values() if i["starts"] <= d),
            key=lambda i: (_descending(i["starts"]), _age(i)),
            default=None,
        )

    def _rent_on(self, l: Lease, d: str) -> int:
        return self._newest(l, d)["new_rent"] if self._newest(l, d) is not None else l["first_rent"]

    def _base_rent(self, l: Lease, d: str, current: int) -> int:
        return min(
            current,
            min(
                (
                    i["old_rent"]
                    for i in self._increases_by_lease_status.get((l["id"], "agreed"), {}).values()
                    if (_add_months(d, -36) < i["starts"] and i["starts"] <= d)
                ),
                default=None,
            ) if min(
                (
                    i["old_rent"]
                    for i in self._increases_by_lease_status.get((l["id"], "agreed"), {}).values()
                    if (_add_months(d, -36) < i["starts"] and i["starts"] <= d)
                ),
                default=None,
            ) is not None else current,
        )

    def _months_needed(self, l: Lease, by: str, d: str) -> int:
        return 3 if by == "tenant" or _years(l["begins"], d) < 5 else 6 if _years(l["begins"], d) < 8 else 9

    def _two_rents_behind(self, l: Lease, d: str) -> bool:
        return self._lease_owed(l) >= self._rent_on(l, d) * 2

    def _earliest_end(self, l: Lease, by: str, d: str) -> str:
        return (
            _plus_days(d, 14)
            if by == "landlord" and self._two_rents_behind(l, d)
            else _plus_days(_add_months(d[:8] + "01", self._months_needed(l, by, d) + 1), -1)
        )

    def _taken_until(self, a: Apartment) -> Lease | None:
        return next(
            (l for l in sorted(self._leases_by_apartment.get(a["id"], {}).values(), key=_age) if self._living(l)),
            None,
        )

    def _promised(self, a: Apartment) -> Lease | None:
        return next(
            (l for l in sorted(self._leases_by_apartment_status.get((a["id"], "signed"), {}).values(), key=_age)),
            None,
        )

    def _breaks_rule_1_l(self, l: Lease) -> bool:
        """Whether this is broken: a flat has one tenant at a time, and is promised to one at most."""
        return (
            self._living(l)
            and any(
                other_l is not l
                for other_l in self._leases_by_apartment.get(l["apartment_id"], {}).values()
                if self._living(other_l)
            )
        )

    def _breaks_rule_1_l_again(self, l: Lease) -> bool:
        """Whether this is broken: a flat has one tenant at a time, and is promised to one at most."""
        return (
            l["status"] == "signed"
            and any(
                other_l is not l
                for other_l in self._leases_by_apartment_status.get((l["apartment_id"], "signed"), {}).values()
            )
        )

    def _breaks_rule_2_s(self, s: Lease) -> bool:
        """Whether this is broken: a flat is promised only from a day after the present lease has ended."""
        return (
            s["status"] == "signed"
            and any(
                l["ends"] is None
                or l["ends"] >= s["begins"]
                for l in self._leases_by_apartment.get(s["apartment_id"], {}).values()
                if self._living(l)
            )
        )

    def _breaks_rule_2_l(self, l: Lease) -> bool:
        """Whether this is broken: a flat is promised only from a day after the present lease has ended."""
        return (
            self._living(l)
            and any(
                l["ends"] is None
                or l["ends"] >= s["begins"]
                for s in self._leases_by_apartment_status.get((l["apartment_id"], "signed"), {}).values()
            )
        )

    def _breaks_rule_3(self, l: Lease) -> bool:
        """Whether this is broken: nobody rents two flats at a time."""
        return (
            l["status"] in ("signed", "running")
            and any(
                other_l is not l
                for other_l in self._leases_by_tenant.get(l["tenant_id"], {}).values()
                if other_l["status"] in ("signed", "running")
            )
        )

    def _breaks_rule_4(self, l: Lease) -> bool:
        """Whether this is broken: a deposit is never more than agreed, and agreed are three rents at most."""
        return l["deposit_held"] > l["deposit_due"] or l["deposit_due"] > l["first_rent"] * 3

    def _breaks_rule_5(self, l: Lease) -> bool:
        """Whether this is broken: nobody has the keys before a third of the deposit is there."""
        return self._living(l) and l["deposit_held"] * 3 < l["deposit_due"]

    def _breaks_rule_6_c(self, c: Charge) -> bool:
        """Whether this is broken: a rent is charged once a month, and no charge is overpaid."""
        return (
            c["kind"] == "rent"
            and any(
                other_c is not c
                for other_c in self._charges_by_lease_kind.get((c["lease_id"], "rent"), {}).values()
                if other_c["due"] == c["due"]
            )
        )

    def _breaks_rule_6_c_again(self, c: Charge) -> bool:
        """Whether this is broken: a rent is charged once a month, and no charge is overpaid."""
        return c["paid"] > c["amount"]

    def _breaks_rule_7(self, l: Lease) -> bool:
        """Whether this is broken: a lease has an end and somebody who gave notice once notice was given, and not
        before.
        """
        return (
            (l["ends"] is not None) != (l["status"] in ("notice", "returned", "settled"))
            or (l["ends"] is not None) != (l["notice_by"] is not None)
        )

    def _breaks_rule_8(self, i: Increase) -> bool:
        """Whether this is broken: no increase takes a rent above the reference rent of the flat."""
        return (
            i["status"] != "withdrawn"
            and i["new_rent"] > self.apartments[self.leases[i["lease_id"]]["apartment_id"]]["reference_rent"]
        )

    def _breaks_rule_9(self, a: Increase) -> bool:
        """Whether this is broken: increases of one lease start at least fifteen months apart."""
        return (
            a["status"] != "withdrawn"
            and any(
                _add_months(a["starts"], 15) > b["starts"]
                and _add_months(b["starts"], 15) > a["starts"]
                for b in self._increases_by_lease.get(a["lease_id"], {}).values()
                if a is not b
                and b["status"] != "withdrawn"
            )
        )

    def _breaks_rule_10(self, i: Increase) -> bool:
        """Whether this is broken: within three years a rent rises by no more than the cap of the house."""
        return (
            i["status"] != "withdrawn"
            and i["new_rent"] * 100 > self._base_rent(self.leases[i["lease_id"]], i["starts"], i["old_rent"]) * (
                100 + self.houses[
                    self.apartments[self.leases[i["lease_id"]]["apartment_id"]]["house_id"]
                ]["cap_percent"]
            )
        )

    def _breaks_rule_11(self, i: Increase) -> bool:
        """Whether this is broken: one increase of a lease at most waits for an answer."""
        return (
            i["status"] == "announced"
            and any(
                other_i is not i
                for other_i in self._increases_by_lease_status.get((i["lease_id"], "announced"), {}).values()
            )
        )

    def _breaks_rule_12_l(self, l: Lease) -> bool:
        """Whether this is broken: a settled lease has no deposit held and no defect open."""
        return (l["status"] == "settled") != (l["refunded"] is not None)

    def _breaks_rule_12_l_again(self, l: Lease) -> bool:
        """Whether this is broken: a settled lease has no deposit held and no defect open."""
        return l["status"] == "settled" and (l["deposit_held"] != 0 or self._lease_defects_open(l) != 0)

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
            case "apartments":
                self._apartments_by_house.setdefault(record["house_id"], {})[record["id"]] = record
            case "leases":
                self._leases_by_apartment.setdefault(record["apartment_id"], {})[record["id"]] = record
                self._leases_by_apartment_status.setdefault(
                    (record["apartment_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._leases_by_tenant.setdefault(record["tenant_id"], {})[record["id"]] = record
            case "charges":
                self._charges_by_lease.setdefault(record["lease_id"], {})[record["id"]] = record
                self._charges_by_lease_kind.setdefault((record["lease_id"], record["kind"]), {})[record["id"]] = record
            case "increases":
                self._increases_by_lease.setdefault(record["lease_id"], {})[record["id"]] = record
                self._increases_by_lease_status.setdefault(
                    (record["lease_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "defects":
                self._defects_by_lease_status.setdefault(
                    (record["lease_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "apartments":
                del self._apartments_by_house[record["house_id"]][record["id"]]
            case "leases":
                del self._leases_by_apartment[record["apartment_id"]][record["id"]]
                del self._leases_by_apartment_status[record["apartment_id"], record["status"]][record["id"]]
                del self._leases_by_tenant[record["tenant_id"]][record["id"]]
            case "charges":
                del self._charges_by_lease[record["lease_id"]][record["id"]]
                del self._charges_by_lease_kind[record["lease_id"], record["kind"]][record["id"]]
            case "increases":
                del self._increases_by_lease[record["lease_id"]][record["id"]]
                del self._increases_by_lease_status[record["lease_id"], record["status"]][record["id"]]
            case "defects":
                del self._defects_by_lease_status[record["lease_id"], record["status"]][record["id"]]
