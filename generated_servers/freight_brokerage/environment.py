"""Freight brokerage. Compiled from blueprint.yaml; run `envscaler build freight_brokerage` after changing it there.

Brokers truckloads between shippers and carriers, with offers that go to one carrier after the other, insurance
that lapses, detention, proofs of delivery, invoices and margins.
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
    "A load is offered to one carrier after the other.",
    "No carrier is offered a load twice for the same pay.",
    "Only open loads are on offer.",
    "A broker keeps at least 8 percent of what the customer pays.",
    "A load is hauled by a carrier whose insurance covers its value on every day of the haul.",
    "Loads go only to carriers with the equipment for them.",
    "A carrier never hauls more loads at a time than it has trucks.",
    "A covered load has a carrier and a cost, and an open or cancelled one has neither.",
    "A customer never owes more than the credit.",
    "The insurance policies of a carrier do not overlap.",
    "Detention is booked once for each stop, and delivery is proved and invoiced once.",
    "No load is invoiced without proof of delivery, and the invoice is the charge with detention and without what was deducted.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "enter_load",
    "offer_load",
    "answer_offer",
    "withdraw_load",
    "add_policy",
    "pick_up_load",
    "deliver_load",
    "book_detention",
    "file_proof",
    "invoice_load",
    "record_payment",
)
"""The methods that may change something; all others only read."""

LOAD_STATUS_MOVES = {
    ("open", "covered"),
    ("open", "cancelled"),
    ("covered", "open"),
    ("covered", "rolling"),
    ("covered", "cancelled"),
    ("rolling", "delivered"),
    ("delivered", "invoiced"),
    ("invoiced", "settled"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "carriers": ("name",),
    "policies": (),
    "loads": ("number",),
    "offers": (),
    "detentions": (),
    "proofs": (),
    "invoices": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("detentions", "load_id"),
    ("detentions", "stop"),
    ("invoices", "load_id"),
    ("loads", "carrier_id"),
    ("loads", "customer_id"),
    ("loads", "number"),
    ("loads", "status"),
    ("offers", "carrier_id"),
    ("offers", "load_id"),
    ("offers", "status"),
    ("policies", "carrier_id"),
    ("proofs", "load_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str
    credit: int
    detention_hourly: int


class Carrier(TypedDict):
    id: str
    name: str
    equipment: list[Literal["dry_van", "reefer", "flatbed"]]
    trucks: int
    rating: int


class Policy(TypedDict):
    id: str
    carrier_id: str
    cover: int
    starts: str
    ends: str


class Load(TypedDict):
    id: str
    number: str
    customer_id: str
    origin: str
    goal: str
    equipment: Literal["dry_van", "reefer", "flatbed"]
    value: int
    pickup_on: str
    deliver_by: str
    charge: int
    carrier_id: str | None
    cost: int | None
    status: Literal["open", "covered", "cancelled", "rolling", "delivered", "invoiced", "settled"]


class Offer(TypedDict):
    id: str
    load_id: str
    carrier_id: str
    pay: int
    expires_at: str
    status: Literal["open", "accepted", "declined", "lapsed"]


class Detention(TypedDict):
    id: str
    load_id: str
    stop: Literal["pickup", "delivery"]
    hours: int


class Proof(TypedDict):
    id: str
    load_id: str
    signed_by: str
    deduction: int


class Invoice(TypedDict):
    id: str
    load_id: str
    amount: int
    due_on: str
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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class FreightBrokerage:
    """Brokers truckloads between shippers and carriers, with offers that go to one carrier after the
    other, insurance that lapses, detention, proofs of delivery, invoices and margins.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.carriers: dict[str, Carrier] = _copied(config.get("carriers", {}))
        self.policies: dict[str, Policy] = _copied(config.get("policies", {}))
        self.loads: dict[str, Load] = _copied(config.get("loads", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.detentions: dict[str, Detention] = _copied(config.get("detentions", {}))
        self.proofs: dict[str, Proof] = _copied(config.get("proofs", {}))
        self.invoices: dict[str, Invoice] = _copied(config.get("invoices", {}))
        self.now: str = config.get("now", "2026-10-06T09:40")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "carrier": len(self.carriers),
            "policy": len(self.policies),
            "load": len(self.loads),
            "offer": len(self.offers),
            "detention": len(self.detentions),
            "proof": len(self.proofs),
            "invoice": len(self.invoices),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._policies_by_carrier: dict[Any, dict[str, Policy]] = {}
        self._loads_by_carrier: dict[Any, dict[str, Load]] = {}
        self._loads_by_customer: dict[Any, dict[str, Load]] = {}
        self._loads_by_number: dict[Any, dict[str, Load]] = {}
        self._loads_by_status: dict[Any, dict[str, Load]] = {}
        self._offers_by_load_carrier: dict[Any, dict[str, Offer]] = {}
        self._offers_by_load_status: dict[Any, dict[str, Offer]] = {}
        self._detentions_by_load: dict[Any, dict[str, Detention]] = {}
        self._detentions_by_load_stop: dict[Any, dict[str, Detention]] = {}
        self._proofs_by_load: dict[Any, dict[str, Proof]] = {}
        self._invoices_by_load: dict[Any, dict[str, Invoice]] = {}
        for policy in self.policies.values():
            self._link("policies", policy)
        for load in self.loads.values():
            self._link("loads", load)
        for offer in self.offers.values():
            self._link("offers", offer)
        for detention in self.detentions.values():
            self._link("detentions", detention)
        for proof in self.proofs.values():
            self._link("proofs", proof)
        for invoice in self.invoices.values():
            self._link("invoices", invoice)

    def carriers_for(self, load_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Carriers that may haul a load, by equipment, insurance and free trucks, the best rated first.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "carriers": records}} or {"success": False, "error": why
                not}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        found = [c for c in self.carriers.values() if self._can_haul(c, load)]
        found.sort(key=lambda c: (-c["rating"], c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "carriers": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "rating": c["rating"],
                        "insured_until": self._covered_until(c),
                        "asked_before": self._asked(c, load),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def open_board(
        self,
        equipment: Literal["dry_van", "reefer", "flatbed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open loads with the offer they are out on, those to be picked up first before the others.

        Args:
            equipment (str, optional): Sort of truck that the loads need: dry_van, reefer or flatbed. If left out,
                loads for every sort of truck are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loads": records}} or {"success": False, "error": why
                not}
        """
        found = [
            l
            for l in self._loads_by_status.get("open", {}).values()
            if (equipment is None or l["equipment"] == equipment)
        ]
        found.sort(key=lambda l: (l["pickup_on"], l["number"], _age(l)))
        return _found(
            {
                "total": len(found),
                "loads": [
                    {
                        "id": l["id"],
                        "number": l["number"],
                        "pickup_on": l["pickup_on"],
                        "charge": l["charge"],
                        "offer_out": self._open_offer(l) is not None,
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def receivables(
        self,
        customer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Unpaid invoices, the oldest first.

        Args:
            customer_id (str, optional): Customer who owes the money; an id such as CUSTOMER-00001. If left out,
                the invoices of all customers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}} or {"success": False, "error": why
                not}
        """
        customer = self.customers.get(customer_id) if customer_id is not None else None
        if customer_id is not None and customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            i
            for i in self.invoices.values()
            if i["paid_on"] is None
            and (customer_id is None or self.loads[i["load_id"]]["customer_id"] == customer_id)
        ]
        found.sort(key=lambda i: (i["due_on"], self.loads[i["load_id"]]["number"], _age(i)))
        return _found(
            {
                "total": len(found),
                "invoices": [
                    {
                        "id": i["id"],
                        "load": self.loads[i["load_id"]]["number"],
                        "customer": self.customers[self.loads[i["load_id"]]["customer_id"]]["name"],
                        "amount": i["amount"],
                        "due_on": i["due_on"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_customers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
        ]
        return _found(
            {"total": len(found), "customers": [self._show_customer(customer) for customer in _page(found, offset)]}
        )

    def list_carriers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the carriers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only carriers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "carriers": records}}
        """
        found = [
            carrier
            for carrier in self.carriers.values()
            if (name is None or name.casefold() in carrier["name"].casefold())
        ]
        return _found(
            {"total": len(found), "carriers": [self._show_carrier(carrier) for carrier in _page(found, offset)]}
        )

    def list_policies(
        self,
        carrier_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the policies, oldest first, all of them or only some.

        Args:
            carrier_id (str, optional): Only policies of this carrier.
            starts_from (str, optional): Only policies whose `starts` is on this day or later.
            starts_to (str, optional): Only policies whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "policies": records}}
        """
        if carrier_id is not None and carrier_id not in self.carriers:
            return _refused(f"There is no carrier {carrier_id!r}.")
        found = [
            policy
            for policy in self.policies.values()
            if (carrier_id is None or policy["carrier_id"] == carrier_id)
            and (starts_from is None or policy["starts"] >= starts_from)
            and (starts_to is None or policy["starts"] <= starts_to)
        ]
        shown = [{**policy} for policy in _page(found, offset)]
        return _found({"total": len(found), "policies": shown}, self._names_of_policies(shown))

    def list_loads(
        self,
        number: Text | None = None,
        customer_id: str | None = None,
        equipment: Literal["dry_van", "reefer", "flatbed"] | None = None,
        carrier_id: str | None = None,
        status: Literal["open", "covered", "cancelled", "rolling", "delivered", "invoiced", "settled"] | None = None,
        pickup_on_from: Date | None = None,
        pickup_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loads, oldest first, all of them or only some.

        Args:
            number (str, optional): Only loads whose number contains this text.
            customer_id (str, optional): Only loads of this customer.
            equipment (str, optional): Only loads with this equipment.
            carrier_id (str, optional): Only loads of this carrier.
            status (str, optional): Only loads with this status.
            pickup_on_from (str, optional): Only loads whose `pickup_on` is on this day or later.
            pickup_on_to (str, optional): Only loads whose `pickup_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loads": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if carrier_id is not None and carrier_id not in self.carriers:
            return _refused(f"There is no carrier {carrier_id!r}.")
        found = [
            load
            for load in self.loads.values()
            if (number is None or number.casefold() in load["number"].casefold())
            and (customer_id is None or load["customer_id"] == customer_id)
            and (equipment is None or load["equipment"] == equipment)
            and (carrier_id is None or load["carrier_id"] == carrier_id)
            and (status is None or load["status"] == status)
            and (pickup_on_from is None or load["pickup_on"] >= pickup_on_from)
            and (pickup_on_to is None or load["pickup_on"] <= pickup_on_to)
        ]
        shown = [self._show_load(load) for load in _page(found, offset)]
        return _found({"total": len(found), "loads": shown}, self._names_of_loads(shown))

    def list_offers(
        self,
        load_id: str | None = None,
        carrier_id: str | None = None,
        status: Literal["open", "accepted", "declined", "lapsed"] | None = None,
        expires_at_from: Date | None = None,
        expires_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            load_id (str, optional): Only offers of this load.
            carrier_id (str, optional): Only offers of this carrier.
            status (str, optional): Only offers with this status.
            expires_at_from (str, optional): Only offers whose `expires_at` is on this day or later.
            expires_at_to (str, optional): Only offers whose `expires_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if load_id is not None and load_id not in self.loads:
            return _refused(f"There is no load {load_id!r}.")
        if carrier_id is not None and carrier_id not in self.carriers:
            return _refused(f"There is no carrier {carrier_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (load_id is None or offer["load_id"] == load_id)
            and (carrier_id is None or offer["carrier_id"] == carrier_id)
            and (status is None or offer["status"] == status)
            and (expires_at_from is None or offer["expires_at"][:10] >= expires_at_from)
            and (expires_at_to is None or offer["expires_at"][:10] <= expires_at_to)
        ]
        shown = [{**offer} for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def list_detentions(
        self,
        load_id: str | None = None,
        stop: Literal["pickup", "delivery"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the detentions, oldest first, all of them or only some.

        Args:
            load_id (str, optional): Only detentions of this load.
            stop (str, optional): Only detentions with this stop.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "detentions": records}}
        """
        if load_id is not None and load_id not in self.loads:
            return _refused(f"There is no load {load_id!r}.")
        found = [
            detention
            for detention in self.detentions.values()
            if (load_id is None or detention["load_id"] == load_id)
            and (stop is None or detention["stop"] == stop)
        ]
        shown = [{**detention} for detention in _page(found, offset)]
        return _found({"total": len(found), "detentions": shown}, self._names_of_detentions(shown))

    def list_proofs(
        self,
        load_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proofs, oldest first, all of them or only some.

        Args:
            load_id (str, optional): Only proofs of this load.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proofs": records}}
        """
        if load_id is not None and load_id not in self.loads:
            return _refused(f"There is no load {load_id!r}.")
        found = [proof for proof in self.proofs.values() if (load_id is None or proof["load_id"] == load_id)]
        shown = [{**proof} for proof in _page(found, offset)]
        return _found({"total": len(found), "proofs": shown}, self._names_of_proofs(shown))

    def list_invoices(
        self,
        load_id: str | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invoices, oldest first, all of them or only some.

        Args:
            load_id (str, optional): Only invoices of this load.
            due_on_from (str, optional): Only invoices whose `due_on` is on this day or later.
            due_on_to (str, optional): Only invoices whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}}
        """
        if load_id is not None and load_id not in self.loads:
            return _refused(f"There is no load {load_id!r}.")
        found = [
            invoice
            for invoice in self.invoices.values()
            if (load_id is None or invoice["load_id"] == load_id)
            and (due_on_from is None or invoice["due_on"] >= due_on_from)
            and (due_on_to is None or invoice["due_on"] <= due_on_to)
        ]
        shown = [{**invoice} for invoice in _page(found, offset)]
        return _found({"total": len(found), "invoices": shown}, self._names_of_invoices(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def enter_load(
        self,
        number: Text,
        customer_id: str,
        origin: Text,
        goal: Text,
        equipment: Literal["dry_van", "reefer", "flatbed"],
        value: Annotated[int, {"minimum": 100000, "maximum": 90000000}],
        pickup_on: Date,
        deliver_by: Date,
        charge: Annotated[int, {"minimum": 20000, "maximum": 2000000}],
    ) -> Result:
        """Enter a load that a customer wants hauled.

        Args:
            number (str): Number of the new load, not in use yet.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            origin (str): City where the load is picked up.
            goal (str): City where the load is delivered.
            equipment (str): Sort of truck that the load needs, reefer meaning a refrigerated one: dry_van, reefer
                or flatbed.
            value (int): Value of the goods, which the insurance of the carrier must cover, in cents, from 100000
                to 90000000.
            pickup_on (str): Day of pick-up, from today on, as YYYY-MM-DD.
            deliver_by (str): Last day for delivery, at most 14 days after pick-up, as YYYY-MM-DD.
            charge (int): What the customer pays for the haul, in cents, from 20000 to 2000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if self._loads_by_number.get(number, {}):
            return _refused(f"There is a load {number} already.")
        if self.now[:10] > pickup_on or pickup_on > deliver_by:
            return _refused("A load is picked up today or later and delivered after that.")
        if deliver_by > _plus_days(pickup_on, 14):
            return _refused("A haul takes 14 days at most.")
        if self._customer_outstanding(customer) + charge > customer["credit"]:
            return _refused(
                f"{customer['name']} owes {_money(self._customer_outstanding(customer))} of "
                f"{_money(customer['credit'])}; a payment must come in first."
            )
        self._journal = []
        load: Load = {
            "id": self._new_id("load", "LOAD", self.loads),
            "number": number,
            "customer_id": customer_id,
            "origin": origin,
            "goal": goal,
            "equipment": equipment,
            "value": value,
            "pickup_on": pickup_on,
            "deliver_by": deliver_by,
            "charge": charge,
            "carrier_id": None,
            "cost": None,
            "status": "open",
        }
        self._add("loads", load)
        if len(self._loads_by_number.get(load["number"], {})) > 1:
            return self._take_back(f"There is already a load with the number {load['number']!r}.")
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_l(load):
            return self._take_back(RULES[5])
        for one_load in _distinct(
            [
                load,
                *[
                    user
                    for one in [self.carriers.get(load["carrier_id"])]
                    if one is not None
                    for user in self._loads_by_carrier.get(load["carrier_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[load["customer_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: enter load {number} of {customer['name']} (new: load {load['id']}).",
            "data": {"load_id": load["id"], **self._changes()},
        }

    def offer_load(
        self,
        load_id: str,
        carrier_id: str,
        pay: Annotated[int, {"minimum": 10000, "maximum": 2000000}],
        open_hours: Annotated[int, {"minimum": 1, "maximum": 72}],
    ) -> Result:
        """Offer an open load to a carrier for a pay, for some hours.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            carrier_id (str): Id of the carrier, such as CARRIER-00001.
            pay (int): What the carrier gets for the haul, at most 92 percent of the charge, in cents, from 10000
                to 2000000.
            open_hours (int): How many hours from now the carrier may answer, from 1 to 72.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        carrier = self.carriers.get(carrier_id)
        if carrier is None:
            return _refused(f"There is no carrier {carrier_id!r}.")
        if load["status"] != "open":
            return _refused(f"Load {load['number']} is {load['status']}.")
        other = self._open_offer(load)
        if other is not None:
            return _refused(
                f"Load {load['number']} is with {self.carriers[other['carrier_id']]['name']} until "
                f"{other['expires_at']}; wait for the answer."
            )
        if load["equipment"] not in carrier["equipment"]:
            return _refused(f"{carrier['name']} has no {load['equipment']}.")
        if any(each["pay"] == pay for each in self._offers_by_load_carrier.get((load_id, carrier_id), {}).values()):
            return _refused(f"{carrier['name']} was offered {_money(pay)} for {load['number']} before.")
        if pay * 100 > load["charge"] * 92:
            return _refused(f"For {_money(pay)} less than 8 percent of {_money(load['charge'])} would be left.")
        self._journal = []
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "load_id": load_id,
            "carrier_id": carrier_id,
            "pay": pay,
            "expires_at": _plus_minutes(self.now, open_hours * 60),
            "status": "open",
        }
        self._add("offers", offer)
        if self._breaks_rule_1(offer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(offer):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_6_o(offer):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: offer load {load['number']} to {carrier['name']} for {_money(pay)} (new: offer "
                f"{offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def answer_offer(self, offer_id: str, answer: Literal["accepted", "declined", "no_answer"]) -> Result:
        """Note the answer of a carrier to an offer, or that none came in time.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            answer (str): What the carrier answered, no_answer being right only after the offer has run out:
                accepted, declined or no_answer.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer to {self.carriers[offer['carrier_id']]['name']} is {offer['status']}.")
        if answer == "no_answer" and offer["expires_at"] >= self.now:
            return _refused(f"{self.carriers[offer['carrier_id']]['name']} may answer until {offer['expires_at']}.")
        if answer == "accepted" and offer["expires_at"] < self.now:
            return _refused(
                f"The offer to {self.carriers[offer['carrier_id']]['name']} ended at {offer['expires_at']}; make "
                "a new one."
            )
        if not (
            answer != "accepted"
            or self._insured(self.carriers[offer["carrier_id"]], self.loads[offer["load_id"]])
        ):
            return _refused(
                f"The insurance of {self.carriers[offer['carrier_id']]['name']} does not cover "
                f"{self.loads[offer['load_id']]['number']} from {self.loads[offer['load_id']]['pickup_on']} to "
                f"{self.loads[offer['load_id']]['deliver_by']}."
            )
        if (
            answer == "accepted"
            and self._busy(
                self.carriers[offer["carrier_id"]],
                self.loads[offer["load_id"]]["pickup_on"],
                self.loads[offer["load_id"]]["deliver_by"],
                self.loads[offer["load_id"]],
            ) >= self.carriers[offer["carrier_id"]]["trucks"]
        ):
            return _refused(
                f"All {self.carriers[offer['carrier_id']]['trucks']} trucks of "
                f"{self.carriers[offer['carrier_id']]['name']} are on the road then."
            )
        self._journal = []
        changed_offers: list[Any] = []
        changed_loads: list[Any] = []
        former_carrier_ids: list[Any] = []
        changed_loads_2: list[Any] = []
        changed_loads_3: list[Any] = []
        if answer == "accepted":
            changed_offers.append(offer)
            self._put("offers", offer, "status", "accepted")
            load = self.loads[offer["load_id"]]
            changed_loads.append(load)
            former_carrier_ids.append(load["carrier_id"])
            self._put("loads", load, "carrier_id", offer["carrier_id"])
            its_load = self.loads[offer["load_id"]]
            changed_loads_2.append(its_load)
            self._put("loads", its_load, "cost", offer["pay"])
            its_load_2 = self.loads[offer["load_id"]]
            if its_load_2["status"] not in ("open", "covered"):
                return self._take_back(
                    f"Load {its_load_2['number']} cannot go from {its_load_2['status']} to covered."
                )
            changed_loads_3.append(its_load_2)
            self._put("loads", its_load_2, "status", "covered")
        if answer == "declined":
            if offer["status"] not in ("open", "declined"):
                return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to declined.")
            changed_offers.append(offer)
            self._put("offers", offer, "status", "declined")
        if answer == "no_answer":
            if offer["status"] not in ("open", "lapsed"):
                return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to lapsed.")
            changed_offers.append(offer)
            self._put("offers", offer, "status", "lapsed")
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(
            [
                *changed_offers,
                *[
                    user
                    for one in changed_loads_3
                    for user in self._offers_by_load_status.get((one["id"], "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        for one_load in _distinct([*changed_loads, *changed_loads_3]):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(changed_loads):
            if self._breaks_rule_6_l(one_load):
                return self._take_back(RULES[5])
        for one_load in _distinct(
            [
                *changed_loads,
                *[
                    user
                    for one in [self.carriers.get(one["carrier_id"]) for one in changed_loads]
                    if one is not None
                    for user in self._loads_by_carrier.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.carriers.get(key) for key in former_carrier_ids]
                    if one is not None
                    for user in self._loads_by_carrier.get(one["id"], {}).values()
                ],
                *changed_loads_3,
                *[
                    user
                    for one in [self.carriers.get(one["carrier_id"]) for one in changed_loads_3]
                    if one is not None
                    for user in self._loads_by_carrier.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        for one_load in _distinct([*changed_loads, *changed_loads_2, *changed_loads_3]):
            if self._breaks_rule_8(one_load):
                return self._take_back(RULES[7])
        for one_customer in _distinct([self.customers[one["customer_id"]] for one in changed_loads_3]):
            if self._breaks_rule_9(one_customer):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: note for {self.carriers[offer['carrier_id']]['name']} and load "
                f"{self.loads[offer['load_id']]['number']} the answer {answer}."
            ),
            "data": self._changes(),
        }

    def withdraw_load(self, load_id: str, cancel: bool = False) -> Result:
        """Take a load that was not picked up back from its carrier, so that it is open again, or cancel it where the
        customer wants that.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            cancel (bool): Whether the load is cancelled for good instead of being open again. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if not (load["status"] == "covered" or cancel and load["status"] == "open"):
            return _refused(f"Load {load['number']} is {load['status']}.")
        other = self._open_offer(load)
        if other is not None:
            return _refused(
                f"Load {load['number']} is with {self.carriers[other['carrier_id']]['name']} until "
                f"{other['expires_at']}; enter an answer first."
            )
        self._journal = []
        former_carrier_id = load["carrier_id"]
        self._put("loads", load, "carrier_id", None)
        self._put("loads", load, "cost", None)
        status = "cancelled" if cancel else "open"
        if load["status"] != status and (load["status"], status) not in LOAD_STATUS_MOVES:
            return self._take_back(f"Load {load['number']} cannot go from {load['status']} to {status}.")
        self._put("loads", load, "status", status)
        for one_offer in _distinct(self._offers_by_load_status.get((load["id"], "open"), {}).values()):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_l(load):
            return self._take_back(RULES[5])
        for one_load in _distinct(
            [
                load,
                *[
                    user
                    for one in [self.carriers.get(load["carrier_id"])]
                    if one is not None
                    for user in self._loads_by_carrier.get(load["carrier_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.carriers.get(former_carrier_id)]
                    if one is not None
                    for user in self._loads_by_carrier.get(former_carrier_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[load["customer_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: {'cancel' if cancel else 'reopen'} load {load['number']}.",
            "data": self._changes(),
        }

    def add_policy(
        self,
        carrier_id: str,
        cover: Annotated[int, {"minimum": 1000000, "maximum": 90000000}],
        starts: Date,
        ends: Date,
    ) -> Result:
        """Record an insurance policy of a carrier.

        Args:
            carrier_id (str): Id of the carrier, such as CARRIER-00001.
            cover (int): Value of goods up to which the policy insures, in cents, from 1000000 to 90000000.
            starts (str): First day of the policy, as YYYY-MM-DD.
            ends (str): Last day of the policy, from today on, two years long at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        carrier = self.carriers.get(carrier_id)
        if carrier is None:
            return _refused(f"There is no carrier {carrier_id!r}.")
        if starts > ends or ends > _plus_days(starts, 730):
            return _refused("A policy runs two years at most.")
        if ends < self.now[:10]:
            return _refused("A policy that has ended is of no use.")
        other = next(
            (
                p
                for p in sorted(self._policies_by_carrier.get(carrier_id, {}).values(), key=_age)
                if (p["ends"] >= starts and ends >= p["starts"])
            ),
            None,
        )
        if other is not None:
            return _refused(f"{carrier['name']} is insured from {other['starts']} to {other['ends']} already.")
        self._journal = []
        policy: Policy = {
            "id": self._new_id("policy", "POLICY", self.policies),
            "carrier_id": carrier_id,
            "cover": cover,
            "starts": starts,
            "ends": ends,
        }
        self._add("policies", policy)
        for one_load in _distinct(self._loads_by_carrier.get(policy["carrier_id"], {}).values()):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        if self._breaks_rule_10_p(policy):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_p_again(policy):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record insurance of {carrier['name']} from {starts} to {ends} (new: policy {policy['id']})."
            ),
            "data": {"policy_id": policy["id"], **self._changes()},
        }

    def pick_up_load(self, load_id: str) -> Result:
        """Note that a covered load was picked up.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] != "covered":
            return _refused(f"Load {load['number']} is {load['status']}.")
        if load["pickup_on"] > self.now[:10]:
            return _refused(f"Load {load['number']} is picked up on {load['pickup_on']}.")
        if not (
            load["carrier_id"] is not None
            and self._insured_on(self.carriers[load["carrier_id"]], load, self.now[:10])
        ):
            return _refused(
                f"The carrier of {load['number']} has no insurance over its value today, so take the load back."
            )
        self._journal = []
        self._put("loads", load, "status", "rolling")
        for one_offer in _distinct(self._offers_by_load_status.get((load["id"], "open"), {}).values()):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        for one_load in _distinct(
            [
                load,
                *[
                    user
                    for one in [self.carriers.get(load["carrier_id"])]
                    if one is not None
                    for user in self._loads_by_carrier.get(load["carrier_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[load["customer_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: note the pick-up of load {load['number']}.",
            "data": self._changes(),
        }

    def deliver_load(self, load_id: str) -> Result:
        """Note that a load was delivered.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] != "rolling":
            return _refused(f"Load {load['number']} is {load['status']}.")
        self._journal = []
        self._put("loads", load, "status", "delivered")
        for one_offer in _distinct(self._offers_by_load_status.get((load["id"], "open"), {}).values()):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        for one_load in _distinct(
            [
                load,
                *[
                    user
                    for one in [self.carriers.get(load["carrier_id"])]
                    if one is not None
                    for user in self._loads_by_carrier.get(load["carrier_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[load["customer_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: note the delivery of load {load['number']}.",
            "data": self._changes(),
        }

    def book_detention(
        self,
        load_id: str,
        stop: Literal["pickup", "delivery"],
        hours_waited: Annotated[int, {"minimum": 1, "maximum": 24}],
    ) -> Result:
        """Book how many hours a truck had to wait at a stop; two of them are free.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            stop (str): Where the truck had to wait: pickup or delivery.
            hours_waited (int): Whole hours the truck waited, more than the two that are free, from 1 to 24.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] not in ("rolling", "delivered"):
            return _refused(f"Load {load['number']} is {load['status']}.")
        if stop != "pickup" and load["status"] != "delivered":
            return _refused(f"Load {load['number']} was not delivered yet.")
        if hours_waited <= 2:
            return _refused(f"Two hours are free, and the truck waited {hours_waited}.")
        if self._detentions_by_load_stop.get((load_id, stop), {}):
            return _refused(f"Detention at the {stop} of {load['number']} was booked before.")
        self._journal = []
        if not 3 <= hours_waited <= 24:
            return self._take_back("The hours of a detention must be between 3 and 24.")
        detention: Detention = {
            "id": self._new_id("detention", "DETENTION", self.detentions),
            "load_id": load_id,
            "stop": stop,
            "hours": hours_waited,
        }
        self._add("detentions", detention)
        if self._breaks_rule_11_d(detention):
            return self._take_back(RULES[10])
        for one_invoice in _distinct(self._invoices_by_load.get(detention["load_id"], {}).values()):
            if self._breaks_rule_12(one_invoice):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {hours_waited} hours of waiting at the {stop} of load {load['number']} (new: "
                f"detention {detention['id']})."
            ),
            "data": {"detention_id": detention["id"], **self._changes()},
        }

    def file_proof(
        self,
        load_id: str,
        signed_by: Text,
        deduction: Annotated[int, {"minimum": 0, "maximum": 2000000}] = 0,
    ) -> Result:
        """File the signed proof of delivery, with what the customer may deduct for damage.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            signed_by (str): Name of the person who signed for the delivery.
            deduction (int): What the customer may deduct for damage, less than the charge, in cents, from 0 to
                2000000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] != "delivered":
            return _refused(f"Load {load['number']} is {load['status']}.")
        if self._proofs_by_load.get(load_id, {}):
            return _refused(f"The proof of {load['number']} was filed before.")
        if deduction >= load["charge"]:
            return _refused(f"The deduction leaves nothing of {_money(load['charge'])}.")
        self._journal = []
        proof: Proof = {
            "id": self._new_id("proof", "PROOF", self.proofs),
            "load_id": load_id,
            "signed_by": signed_by,
            "deduction": deduction,
        }
        self._add("proofs", proof)
        if self._breaks_rule_11_p(proof):
            return self._take_back(RULES[10])
        for one_invoice in _distinct(self._invoices_by_load.get(proof["load_id"], {}).values()):
            if self._breaks_rule_12(one_invoice):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: file the proof of delivery of load {load['number']} (new: proof {proof['id']}).",
            "data": {"proof_id": proof["id"], **self._changes()},
        }

    def invoice_load(self, load_id: str) -> Result:
        """Invoice a delivered load with its detention, less the deduction, payable in 30 days.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] != "delivered":
            return _refused(f"Load {load['number']} is {load['status']}.")
        proof = self._proof_of(load)
        if proof is None:
            return _refused(f"The proof of delivery of {load['number']} is missing.")
        self._journal = []
        amount = load["charge"] + self._load_waiting_fee(load) - proof["deduction"]
        if not 1 <= amount <= 9000000:
            return self._take_back("The amount of an invoice must be between 0.01 and 90,000.00.")
        invoice: Invoice = {
            "id": self._new_id("invoice", "INVOICE", self.invoices),
            "load_id": load_id,
            "amount": amount,
            "due_on": _plus_days(self.now[:10], 30),
            "paid_on": None,
        }
        self._add("invoices", invoice)
        self._put("loads", load, "status", "invoiced")
        for one_offer in _distinct(self._offers_by_load_status.get((load["id"], "open"), {}).values()):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        for one_load in _distinct(
            [
                load,
                *[
                    user
                    for one in [self.carriers.get(load["carrier_id"])]
                    if one is not None
                    for user in self._loads_by_carrier.get(load["carrier_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[load["customer_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_i(invoice):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(invoice):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: invoice load {load['number']} (new: invoice {invoice['id']}).",
            "data": {"invoice_id": invoice["id"], **self._changes()},
        }

    def record_payment(self, invoice_id: str) -> Result:
        """Record that an invoice was paid.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["paid_on"] is not None:
            return _refused(f"The invoice of load {self.loads[invoice['load_id']]['number']} was paid already.")
        if self.loads[invoice["load_id"]]["status"] != "invoiced":
            return _refused(
                f"Load {self.loads[invoice['load_id']]['number']} is {self.loads[invoice['load_id']]['status']}."
            )
        self._journal = []
        self._put("invoices", invoice, "paid_on", self.now[:10])
        load = self.loads[invoice["load_id"]]
        if load["status"] not in ("invoiced", "settled"):
            return self._take_back(f"Load {load['number']} cannot go from {load['status']} to settled.")
        self._put("loads", load, "status", "settled")
        for one_offer in _distinct(self._offers_by_load_status.get((load["id"], "open"), {}).values()):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        for one_load in _distinct(
            [
                load,
                *[
                    user
                    for one in [self.carriers.get(load["carrier_id"])]
                    if one is not None
                    for user in self._loads_by_carrier.get(load["carrier_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_load):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[load["customer_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record the payment for load {self.loads[invoice['load_id']]['number']}.",
            "data": self._changes(),
        }

    def _show_customer(self, customer: Customer) -> dict[str, Any]:
        """The customer as an answer shows it."""
        return {**customer, "outstanding": self._customer_outstanding(customer)}

    def _show_carrier(self, carrier: Carrier) -> dict[str, Any]:
        """The carrier as an answer shows it."""
        return {**carrier, "equipment": [*carrier["equipment"]]}

    def _show_load(self, load: Load) -> dict[str, Any]:
        """The load as an answer shows it."""
        return {**load, "waiting_fee": self._load_waiting_fee(load)}

    def _names_of_policies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that policies point to."""
        return _names((self.carriers, "name", [row["carrier_id"] for row in shown]))

    def _names_of_loads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loads point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.carriers, "name", [row["carrier_id"] for row in shown]),
        )

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names(
            (self.loads, "number", [row["load_id"] for row in shown]),
            (self.carriers, "name", [row["carrier_id"] for row in shown]),
        )

    def _names_of_detentions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that detentions point to."""
        return _names((self.loads, "number", [row["load_id"] for row in shown]))

    def _names_of_proofs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that proofs point to."""
        return _names((self.loads, "number", [row["load_id"] for row in shown]))

    def _names_of_invoices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invoices point to."""
        return _names((self.loads, "number", [row["load_id"] for row in shown]))

    def _customer_outstanding(self, customer: Customer) -> int:
        """The outstanding of a customer."""
        return sum(
            l["charge"]
            for l in self._loads_by_customer.get(customer["id"], {}).values()
            if l["status"] not in ("settled", "cancelled")
        )

    def _load_waiting_fee(self, load: Load) -> int:
        """The waiting fee of a load."""
        return sum(
            (d["hours"] - 2) * self.customers[load["customer_id"]]["detention_hourly"]
            for d in self._detentions_by_load.get(load["id"], {}).values()
        )

    def _live(self, l: Load) -> bool:
        return l["status"] in ("covered", "rolling")

    def _insured(self, c: Carrier, l: Load) -> bool:
        return any(
            p["starts"] <= l["pickup_on"]
            and p["ends"] >= l["deliver_by"]
            and p["cover"] >= l["value"]
            for p in self._policies_by_carrier.get(c["id"], {}).values()
        )

    def _insured_on(self, c: Carrier, l: Load, d: str) -> bool:
        return any(
            (p["starts"] <= d and d <= p["ends"])
            and p["cover"] >= l["value"]
            for p in self._policies_by_carrier.get(c["id"], {}).values()
        )

    def _busy(self, c: Carrier, a: str, b: str, other: Load) -> int:
        return sum(
            1
            for m in self._loads_by_carrier.get(c["id"], {}).values()
            if m is not other
            and self._live(m)
            and _overlap(m["pickup_on"], _plus_days(m["deliver_by"], 1), a, _plus_days(b, 1))
        )

    def _can_haul(self, c: Carrier, l: Load) -> bool:
        return (
            l["equipment"] in c["equipment"]
            and self._insured(c, l)
            and self._busy(c, l["pickup_on"], l["deliver_by"], l) < c["trucks"]
        )

    def _asked(self, c: Carrier, l: Load) -> bool:
        return bool(self._offers_by_load_carrier.get((l["id"], c["id"]), {}))

    def _open_offer(self, l: Load) -> Offer | None:
        return next(
            (o for o in sorted(self._offers_by_load_status.get((l["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _proof_of(self, l: Load) -> Proof | None:
        return next((p for p in sorted(self._proofs_by_load.get(l["id"], {}).values(), key=_age)), None)

    def _covered_until(self, c: Carrier) -> str | None:
        return max((p["ends"] for p in self._policies_by_carrier.get(c["id"], {}).values()), default=None)

    def _breaks_rule_1(self, o: Offer) -> bool:
        """Whether this is broken: a load is offered to one carrier after the other."""
        return (
            o["status"] == "open"
            and any(
                other_o is not o
                for other_o in self._offers_by_load_status.get((o["load_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_2(self, o: Offer) -> bool:
        """Whether this is broken: no carrier is offered a load twice for the same pay."""
        return any(
            other_o is not o
            for other_o in self._offers_by_load_carrier.get((o["load_id"], o["carrier_id"]), {}).values()
            if other_o["pay"] == o["pay"]
        )

    def _breaks_rule_3(self, o: Offer) -> bool:
        """Whether this is broken: only open loads are on offer."""
        return o["status"] == "open" and self.loads[o["load_id"]]["status"] != "open"

    def _breaks_rule_4(self, o: Offer) -> bool:
        """Whether this is broken: a broker keeps at least 8 percent of what the customer pays."""
        return o["pay"] * 100 > self.loads[o["load_id"]]["charge"] * 92

    def _breaks_rule_5(self, l: Load) -> bool:
        """Whether this is broken: a load is hauled by a carrier whose insurance covers its value on every day of the
        haul.
        """
        return (
            self._live(l)
            and not (l["carrier_id"] is not None and self._insured(self.carriers[l["carrier_id"]], l))
        )

    def _breaks_rule_6_o(self, o: Offer) -> bool:
        """Whether this is broken: loads go only to carriers with the equipment for them."""
        return self.loads[o["load_id"]]["equipment"] not in self.carriers[o["carrier_id"]]["equipment"]

    def _breaks_rule_6_l(self, l: Load) -> bool:
        """Whether this is broken: loads go only to carriers with the equipment for them."""
        return l["carrier_id"] is not None and l["equipment"] not in self.carriers[l["carrier_id"]]["equipment"]

    def _breaks_rule_7(self, l: Load) -> bool:
        """Whether this is broken: a carrier never hauls more loads at a time than it has trucks."""
        return (
            self._live(l)
            and (
                l["carrier_id"] is not None
                and sum(
                    1
                    for m in self._loads_by_carrier.get(l["carrier_id"], {}).values()
                    if self._live(m)
                    and (m["pickup_on"] <= l["pickup_on"] and l["pickup_on"] <= m["deliver_by"])
                ) > self.carriers[l["carrier_id"]]["trucks"]
            )
        )

    def _breaks_rule_8(self, l: Load) -> bool:
        """Whether this is broken: a covered load has a carrier and a cost, and an open or cancelled one has neither.
        """
        return (
            (l["status"] in ("open", "cancelled")) != (l["carrier_id"] is None)
            or (l["carrier_id"] is None) != (l["cost"] is None)
        )

    def _breaks_rule_9(self, c: Customer) -> bool:
        """Whether this is broken: a customer never owes more than the credit."""
        return self._customer_outstanding(c) > c["credit"]

    def _breaks_rule_10_p(self, p: Policy) -> bool:
        """Whether this is broken: the insurance policies of a carrier do not overlap."""
        return any(
            p["ends"] >= q["starts"]
            and q["ends"] >= p["starts"]
            for q in self._policies_by_carrier.get(p["carrier_id"], {}).values()
            if p is not q
        )

    def _breaks_rule_10_p_again(self, p: Policy) -> bool:
        """Whether this is broken: the insurance policies of a carrier do not overlap."""
        return p["starts"] > p["ends"]

    def _breaks_rule_11_d(self, d: Detention) -> bool:
        """Whether this is broken: detention is booked once for each stop, and delivery is proved and invoiced once.
        """
        return any(
            other_d is not d
            for other_d in self._detentions_by_load_stop.get((d["load_id"], d["stop"]), {}).values()
        )

    def _breaks_rule_11_p(self, p: Proof) -> bool:
        """Whether this is broken: detention is booked once for each stop, and delivery is proved and invoiced once.
        """
        return any(other_p is not p for other_p in self._proofs_by_load.get(p["load_id"], {}).values())

    def _breaks_rule_11_i(self, i: Invoice) -> bool:
        """Whether this is broken: detention is booked once for each stop, and delivery is proved and invoiced once.
        """
        return any(other_i is not i for other_i in self._invoices_by_load.get(i["load_id"], {}).values())

    def _breaks_rule_12(self, i: Invoice) -> bool:
        """Whether this is broken: no load is invoiced without proof of delivery, and the invoice is the charge with
        detention and without what was deducted.
        """
        return not any(
            i["amount"] == self.loads[i["load_id"]]["charge"] + self._load_waiting_fee(
                self.loads[i["load_id"]]
            ) - p["deduction"]
            for p in self._proofs_by_load.get(i["load_id"], {}).values()
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
            case "policies":
                self._policies_by_carrier.setdefault(record["carrier_id"], {})[record["id"]] = record
            case "loads":
                self._loads_by_carrier.setdefault(record["carrier_id"], {})[record["id"]] = record
                self._loads_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._loads_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._loads_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "offers":
                self._offers_by_load_carrier.setdefault(
                    (record["load_id"], record["carrier_id"]),
                    {},
                )[record["id"]] = record
                self._offers_by_load_status.setdefault((record["load_id"], record["status"]), {})[record["id"]] = record
            case "detentions":
                self._detentions_by_load.setdefault(record["load_id"], {})[record["id"]] = record
                self._detentions_by_load_stop.setdefault((record["load_id"], record["stop"]), {})[record["id"]] = record
            case "proofs":
                self._proofs_by_load.setdefault(record["load_id"], {})[record["id"]] = record
            case "invoices":
                self._invoices_by_load.setdefault(record["load_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "policies":
                del self._policies_by_carrier[record["carrier_id"]][record["id"]]
            case "loads":
                del self._loads_by_carrier[record["carrier_id"]][record["id"]]
                del self._loads_by_customer[record["customer_id"]][record["id"]]
                del self._loads_by_number[record["number"]][record["id"]]
                del self._loads_by_status[record["status"]][record["id"]]
            case "offers":
                del self._offers_by_load_carrier[record["load_id"], record["carrier_id"]][record["id"]]
                del self._offers_by_load_status[record["load_id"], record["status"]][record["id"]]
            case "detentions":
                del self._detentions_by_load[record["load_id"]][record["id"]]
                del self._detentions_by_load_stop[record["load_id"], record["stop"]][record["id"]]
            case "proofs":
                del self._proofs_by_load[record["load_id"]][record["id"]]
            case "invoices":
                del self._invoices_by_load[record["load_id"]][record["id"]]
