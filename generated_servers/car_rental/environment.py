"""Car rental. Compiled from blueprint.yaml; run `envscaler build car_rental` after changing it there.

Rents cars by class between branches, with free upgrades when a class has run out, one-way fees, included
kilometres, deposits, damage, cleaning and service.
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
    "A car is out with one customer at a time.",
    "A customer has one car out at a time.",
    "A car counts as rented exactly while it is out.",
    "A customer drives the class that was reserved or one of the two above it.",
    "No class is reserved beyond its fleet on any day.",
    "A branch never has more cars standing there than spaces.",
    "A car is dropped where it came from or where a one-way rental is offered.",
    "A ready car is safe and not due for service.",
    "A deposit is held from the handover until the bill is settled.",
    "A barred customer has neither a reservation nor a car.",
    "Damage that is charged to a rental was done to the car of that rental.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "reserve_class",
    "drop_reservation",
    "hand_over",
    "change_rental",
    "take_back",
    "report_damage",
    "settle_bill",
    "clean_car",
    "send_to_workshop",
    "finish_workshop",
    "transfer_car",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "branches": ("name",),
    "routes": (),
    "car_classes": ("name",),
    "cars": ("plate",),
    "customers": ("name",),
    "rentals": (),
    "damages": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("cars", "branch_id"),
    ("cars", "condition"),
    ("cars", "klass_id"),
    ("damages", "car_id"),
    ("damages", "rental_id"),
    ("damages", "status"),
    ("rentals", "car_id"),
    ("rentals", "customer_id"),
    ("rentals", "klass_id"),
    ("rentals", "status"),
    ("routes", "destination_id"),
    ("routes", "origin_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Branch(TypedDict):
    id: str
    name: str
    spaces: int


class Route(TypedDict):
    id: str
    origin_id: str
    destination_id: str
    fee: int
    km: int


class CarClass(TypedDict):
    id: str
    name: str
    rank: int
    daily: int
    km_per_day: int
    per_km: int
    deposit: int
    per_litre: int


class Car(TypedDict):
    id: str
    plate: str
    klass_id: str
    branch_id: str
    odometer: int
    next_service: int
    condition: Literal["ready", "rented", "workshop", "returned"]


class Customer(TypedDict):
    id: str
    name: str
    licence_since: str
    barred: bool


class Rental(TypedDict):
    id: str
    customer_id: str
    klass_id: str
    origin_id: str
    drop_id: str
    starts: str
    ends: str
    car_id: str | None
    deposit: int
    charged: int
    status: Literal["reserved", "out", "cancelled", "no_show", "returned", "settled"]


class Damage(TypedDict):
    id: str
    car_id: str
    rental_id: str | None
    kind: Literal["scratch", "dent", "windscreen", "tyre", "interior"]
    cost: int
    status: Literal["open", "repaired"]


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _dates(start: str, end: str) -> list[str]:
    """Every date from start until the day before end, at most 366."""
    return [_plus_days(start, days) for days in range(min(max(_days_between(start, end), 0), 366))]


class CarRental:
    """Rents cars by class between branches, with free upgrades when a class has run out, one-way fees,
    included kilometres, deposits, damage, cleaning and service.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.branches: dict[str, Branch] = _copied(config.get("branches", {}))
        self.routes: dict[str, Route] = _copied(config.get("routes", {}))
        self.car_classes: dict[str, CarClass] = _copied(config.get("car_classes", {}))
        self.cars: dict[str, Car] = _copied(config.get("cars", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.rentals: dict[str, Rental] = _copied(config.get("rentals", {}))
        self.damages: dict[str, Damage] = _copied(config.get("damages", {}))
        self.now: str = config.get("now", "2026-06-08T08:45")
        self.counters: dict[str, int] = {
            "branch": len(self.branches),
            "route": len(self.routes),
            "car_class": len(self.car_classes),
            "car": len(self.cars),
            "customer": len(self.customers),
            "rental": len(self.rentals),
            "damage": len(self.damages),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._routes_by_origin_destination: dict[Any, dict[str, Route]] = {}
        self._cars_by_branch: dict[Any, dict[str, Car]] = {}
        self._cars_by_klass: dict[Any, dict[str, Car]] = {}
        self._cars_by_klass_branch_condition: dict[Any, dict[str, Car]] = {}
        self._rentals_by_car: dict[Any, dict[str, Rental]] = {}
        self._rentals_by_car_status: dict[Any, dict[str, Rental]] = {}
        self._rentals_by_customer_status: dict[Any, dict[str, Rental]] = {}
        self._rentals_by_klass: dict[Any, dict[str, Rental]] = {}
        self._damages_by_car: dict[Any, dict[str, Damage]] = {}
        self._damages_by_car_status: dict[Any, dict[str, Damage]] = {}
        self._damages_by_rental: dict[Any, dict[str, Damage]] = {}
        for route in self.routes.values():
            self._link("routes", route)
        for car in self.cars.values():
            self._link("cars", car)
        for rental in self.rentals.values():
            self._link("rentals", rental)
        for damage in self.damages.values():
            self._link("damages", damage)

    def ready_cars(
        self,
        branch_id: str,
        klass_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Ready cars of a branch, lowest class first and in it the fewest kilometres.

        Args:
            branch_id (str): Id of the branch, such as BRANCH-00001.
            klass_id (str, optional): Class of the cars listed; an id such as CC-00001. If left out, cars of all
                classes are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}} or {"success": False, "error": why
                not}
        """
        branch = self.branches.get(branch_id)
        if branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        klass = self.car_classes.get(klass_id) if klass_id is not None else None
        if klass_id is not None and klass is None:
            return _refused(f"There is no car class {klass_id!r}.")
        found = [
            c
            for c in self._cars_by_branch.get(branch_id, {}).values()
            if (c["branch_id"] == branch_id and c["condition"] == "ready")
            and (klass_id is None or c["klass_id"] == klass_id)
        ]
        found.sort(key=lambda c: (self.car_classes[c["klass_id"]]["rank"], c["odometer"], c["plate"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cars": [
                    {
                        "id": c["id"],
                        "plate": c["plate"],
                        "klass": self.car_classes[c["klass_id"]]["name"],
                        "odometer": c["odometer"],
                        "to_service": self._car_to_service(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def pickups(
        self,
        by_date: Date,
        branch_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Reservations that begin by a day, by branch, with the cars that are ready for them.

        Args:
            by_date (str): Last day on which the reservations listed begin, as YYYY-MM-DD.
            branch_id (str, optional): Branch where the rentals begin; an id such as BRANCH-00001. If left out, the
                pickups at all branches are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rentals": records}} or {"success": False, "error": why
                not}
        """
        branch = self.branches.get(branch_id) if branch_id is not None else None
        if branch_id is not None and branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        found = [
            r
            for r in self.rentals.values()
            if (r["status"] == "reserved" and r["starts"] <= by_date)
            and (branch_id is None or r["origin_id"] == branch_id)
        ]
        found.sort(key=lambda r: (r["starts"], r["id"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rentals": [
                    {
                        "id": r["id"],
                        "customer": self.customers[r["customer_id"]]["name"],
                        "klass": self.car_classes[r["klass_id"]]["name"],
                        "origin": self.branches[r["origin_id"]]["name"],
                        "starts": r["starts"],
                        "ready": self._ready_here(self.car_classes[r["klass_id"]], self.branches[r["origin_id"]]),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def overdue_cars(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Cars that should be back, the longest overdue first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rentals": records}} or {"success": False, "error": why
                not}
        """
        found = [r for r in self.rentals.values() if (r["status"] == "out" and r["ends"] < self.now[:10])]
        found.sort(key=lambda r: (r["ends"], r["id"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rentals": [
                    {
                        "id": r["id"],
                        "customer": self.customers[r["customer_id"]]["name"],
                        "plate": self.cars[r["car_id"]]["plate"] if r["car_id"] is not None else None,
                        "drop": self.branches[r["drop_id"]]["name"],
                        "days_late": _days_between(r["ends"], self.now[:10]),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def bill_of(self, rental_id: str) -> Result:
        """What a returned or settled rental comes to, and what is left of the deposit.

        Args:
            rental_id (str): Id of the rental, such as RENTAL-00001.

        Returns:
            dict: {"success": True, "data": {charged, damage, total, from_deposit, still_due}} or {"success":
                False, "error": why not}
        """
        rental = self.rentals.get(rental_id)
        if rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        if rental["status"] not in ("returned", "settled"):
            return _refused(f"The rental of {self.customers[rental['customer_id']]['name']} is {rental['status']}.")
        return _found(
            {
                "charged": rental["charged"],
                "damage": self._rental_bill(rental) - rental["charged"],
                "total": self._rental_bill(rental),
                "from_deposit": min(rental["deposit"], self._rental_bill(rental)),
                "still_due": max(self._rental_bill(rental) - rental["deposit"], 0),
            }
        )

    def list_branches(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the branches, oldest first, all of them or only some.

        Args:
            name (str, optional): Only branches whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "branches": records}}
        """
        found = [
            branch
            for branch in self.branches.values()
            if (name is None or name.casefold() in branch["name"].casefold())
        ]
        return _found(
            {"total": len(found), "branches": [self._show_branch(branch) for branch in _page(found, offset)]}
        )

    def list_routes(
        self,
        origin_id: str | None = None,
        destination_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the routes, oldest first, all of them or only some.

        Args:
            origin_id (str, optional): Only routes whose origin is this branch.
            destination_id (str, optional): Only routes whose destination is this branch.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "routes": records}}
        """
        if origin_id is not None and origin_id not in self.branches:
            return _refused(f"There is no branch {origin_id!r}.")
        if destination_id is not None and destination_id not in self.branches:
            return _refused(f"There is no branch {destination_id!r}.")
        found = [
            route
            for route in self.routes.values()
            if (origin_id is None or route["origin_id"] == origin_id)
            and (destination_id is None or route["destination_id"] == destination_id)
        ]
        shown = [{**route} for route in _page(found, offset)]
        return _found({"total": len(found), "routes": shown}, self._names_of_routes(shown))

    def list_car_classes(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the car classes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only car classes whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "car_classes": records}}
        """
        found = [
            car_class
            for car_class in self.car_classes.values()
            if (name is None or name.casefold() in car_class["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "car_classes": [self._show_car_class(car_class) for car_class in _page(found, offset)],
            }
        )

    def list_cars(
        self,
        plate: Text | None = None,
        klass_id: str | None = None,
        branch_id: str | None = None,
        condition: Literal["ready", "rented", "workshop", "returned"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cars, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only cars whose plate contains this text.
            klass_id (str, optional): Only cars whose klass is this car class.
            branch_id (str, optional): Only cars of this branch.
            condition (str, optional): Only cars with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}}
        """
        if klass_id is not None and klass_id not in self.car_classes:
            return _refused(f"There is no car class {klass_id!r}.")
        if branch_id is not None and branch_id not in self.branches:
            return _refused(f"There is no branch {branch_id!r}.")
        found = [
            car
            for car in self.cars.values()
            if (plate is None or plate.casefold() in car["plate"].casefold())
            and (klass_id is None or car["klass_id"] == klass_id)
            and (branch_id is None or car["branch_id"] == branch_id)
            and (condition is None or car["condition"] == condition)
        ]
        shown = [self._show_car(car) for car in _page(found, offset)]
        return _found({"total": len(found), "cars": shown}, self._names_of_cars(shown))

    def list_customers(
        self,
        name: Text | None = None,
        barred: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            barred (bool, optional): Only customers that are barred (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (barred is None or customer["barred"] == barred)
        ]
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_rentals(
        self,
        customer_id: str | None = None,
        klass_id: str | None = None,
        origin_id: str | None = None,
        drop_id: str | None = None,
        car_id: str | None = None,
        status: Literal["reserved", "out", "cancelled", "no_show", "returned", "settled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rentals, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only rentals of this customer.
            klass_id (str, optional): Only rentals whose klass is this car class.
            origin_id (str, optional): Only rentals whose origin is this branch.
            drop_id (str, optional): Only rentals whose drop is this branch.
            car_id (str, optional): Only rentals of this car.
            status (str, optional): Only rentals with this status.
            starts_from (str, optional): Only rentals whose `starts` is on this day or later.
            starts_to (str, optional): Only rentals whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rentals": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if klass_id is not None and klass_id not in self.car_classes:
            return _refused(f"There is no car class {klass_id!r}.")
        if origin_id is not None and origin_id not in self.branches:
            return _refused(f"There is no branch {origin_id!r}.")
        if drop_id is not None and drop_id not in self.branches:
            return _refused(f"There is no branch {drop_id!r}.")
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        found = [
            rental
            for rental in self.rentals.values()
            if (customer_id is None or rental["customer_id"] == customer_id)
            and (klass_id is None or rental["klass_id"] == klass_id)
            and (origin_id is None or rental["origin_id"] == origin_id)
            and (drop_id is None or rental["drop_id"] == drop_id)
            and (car_id is None or rental["car_id"] == car_id)
            and (status is None or rental["status"] == status)
            and (starts_from is None or rental["starts"] >= starts_from)
            and (starts_to is None or rental["starts"] <= starts_to)
        ]
        shown = [self._show_rental(rental) for rental in _page(found, offset)]
        return _found({"total": len(found), "rentals": shown}, self._names_of_rentals(shown))

    def list_damages(
        self,
        car_id: str | None = None,
        rental_id: str | None = None,
        kind: Literal["scratch", "dent", "windscreen", "tyre", "interior"] | None = None,
        status: Literal["open", "repaired"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the damages, oldest first, all of them or only some.

        Args:
            car_id (str, optional): Only damages of this car.
            rental_id (str, optional): Only damages of this rental.
            kind (str, optional): Only damages with this kind.
            status (str, optional): Only damages with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "damages": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        if rental_id is not None and rental_id not in self.rentals:
            return _refused(f"There is no rental {rental_id!r}.")
        found = [
            damage
            for damage in self.damages.values()
            if (car_id is None or damage["car_id"] == car_id)
            and (rental_id is None or damage["rental_id"] == rental_id)
            and (kind is None or damage["kind"] == kind)
            and (status is None or damage["status"] == status)
        ]
        shown = [{**damage} for damage in _page(found, offset)]
        return _found({"total": len(found), "damages": shown}, self._names_of_damages(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def reserve_class(
        self,
        customer_id: str,
        klass_id: str,
        origin_id: str,
        drop_id: str,
        starts: Date,
        ends: Date,
    ) -> Result:
        """Reserve a class for a customer, to be dropped at the same branch or, where a one-way rental is offered, at
        another.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            klass_id (str): Class of car that the customer wants; an id such as CC-00001.
            origin_id (str): Branch where the rental begins; an id such as BRANCH-00001.
            drop_id (str): Branch where the car is brought back, the same or one with a one-way offer; an id such
                as BRANCH-00001.
            starts (str): Day on which the rental begins, from today on, as YYYY-MM-DD.
            ends (str): Day on which the car is brought back, one to 28 days after the first, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        klass = self.car_classes.get(klass_id)
        if klass is None:
            return _refused(f"There is no car class {klass_id!r}.")
        origin = self.branches.get(origin_id)
        if origin is None:
            return _refused(f"There is no branch {origin_id!r}.")
        drop = self.branches.get(drop_id)
        if drop is None:
            return _refused(f"There is no branch {drop_id!r}.")
        if customer["barred"]:
            return _refused(f"{customer['name']} is barred.")
        if self.now[:10] > starts or starts >= ends:
            return _refused(f"A rental begins on {self.now[:10]} or later and lasts a day at least.")
        if _days_between(starts, ends) > 28:
            return _refused(f"{_days_between(starts, ends)} days are more than 28.")
        if klass["rank"] >= 4 and _years(customer["licence_since"], starts) < 2:
            return _refused(
                f"{klass['name']} wants two years of driving, and {customer['name']} has a licence since "
                f"{customer['licence_since']}."
            )
        if drop is not origin and self._way(origin, drop) is None:
            return _refused(f"No one-way rentals are offered from {origin['name']} to {drop['name']}.")
        short = self._short_day(klass, starts, ends)
        if short is not None:
            return _refused(
                f"All {self._car_class_fleet(klass)} cars of the class {klass['name']} are taken on {short}."
            )
        self._journal = []
        rental: Rental = {
            "id": self._new_id("rental", "RENTAL", self.rentals),
            "customer_id": customer_id,
            "klass_id": klass_id,
            "origin_id": origin_id,
            "drop_id": drop_id,
            "starts": starts,
            "ends": ends,
            "car_id": None,
            "deposit": 0,
            "charged": 0,
            "status": "reserved",
        }
        self._add("rentals", rental)
        if self._breaks_rule_1(rental):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(rental):
            return self._take_back(RULES[1])
        for one_car in _distinct([self.cars.get(rental["car_id"])]):
            if self._breaks_rule_3(one_car):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(rental):
            return self._take_back(RULES[3])
        for one_rental in _distinct([rental, *self._rentals_by_klass.get(rental["klass_id"], {}).values()]):
            if self._breaks_rule_5(one_rental):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(rental):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(rental):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(rental):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: reserve a {klass['name']} for {customer['name']} from {starts} to {ends} (new: rental "
                f"{rental['id']})."
            ),
            "data": {"rental_id": rental["id"], **self._changes()},
        }

    def drop_reservation(self, rental_id: str, why: Literal["cancelled", "no_show"]) -> Result:
        """Note that a reservation was cancelled or that the customer never came.

        Args:
            rental_id (str): Id of the rental, such as RENTAL-00001.
            why (str): What happened, a no_show once the first day has passed and a cancellation until then:
                cancelled or no_show.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rental = self.rentals.get(rental_id)
        if rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        if rental["status"] != "reserved":
            return _refused(f"The rental of {self.customers[rental['customer_id']]['name']} is {rental['status']}.")
        if (why == "no_show") != (rental["starts"] < self.now[:10]):
            return _refused(
                f"{self.customers[rental['customer_id']]['name']} was to come on {rental['starts']}; before and "
                "on that day it is a cancellation, later a no-show."
            )
        self._journal = []
        self._put("rentals", rental, "status", why)
        if self._breaks_rule_1(rental):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(rental):
            return self._take_back(RULES[1])
        for one_car in _distinct([self.cars.get(rental["car_id"])]):
            if self._breaks_rule_3(one_car):
                return self._take_back(RULES[2])
        for one_rental in _distinct([rental, *self._rentals_by_klass.get(rental["klass_id"], {}).values()]):
            if self._breaks_rule_5(one_rental):
                return self._take_back(RULES[4])
        if self._breaks_rule_9(rental):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(rental):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: note the reservation of {self.customers[rental['customer_id']]['name']} as {why}.",
            "data": self._changes(),
        }

    def hand_over(self, rental_id: str, car_id: str) -> Result:
        """Hand a ready car over and hold the deposit; a higher class, two steps at most, is given free only while the
        branch has no ready car of the class reserved.

        Args:
            rental_id (str): Id of the rental, such as RENTAL-00001.
            car_id (str): Id of the car, such as CAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rental = self.rentals.get(rental_id)
        if rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if rental["status"] != "reserved":
            return _refused(f"The rental of {self.customers[rental['customer_id']]['name']} is {rental['status']}.")
        if rental["starts"] > self.now[:10] or self.now[:10] >= rental["ends"]:
            return _refused(
                f"{self.customers[rental['customer_id']]['name']} has reserved from {rental['starts']} to "
                f"{rental['ends']}."
            )
        if self._rentals_by_customer_status.get((rental["customer_id"], "out"), {}):
            return _refused(f"{self.customers[rental['customer_id']]['name']} has a car out already.")
        if car["condition"] != "ready":
            return _refused(f"{car['plate']} is {car['condition']}.")
        if car["branch_id"] != rental["origin_id"]:
            return _refused(
                f"{car['plate']} stands in {self.branches[car['branch_id']]['name']}, not in "
                f"{self.branches[rental['origin_id']]['name']}."
            )
        if (
            self.car_classes[rental["klass_id"]]["rank"] > self.car_classes[car["klass_id"]]["rank"]
            or self.car_classes[car["klass_id"]]["rank"] > self.car_classes[rental["klass_id"]]["rank"] + 2
        ):
            return _refused(
                f"{self.car_classes[car['klass_id']]['name']} is not within two steps above "
                f"{self.car_classes[rental['klass_id']]['name']}."
            )
        if (
            car["klass_id"] != rental["klass_id"]
            and self._ready_here(self.car_classes[rental["klass_id"]], self.branches[rental["origin_id"]]) != 0
        ):
            return _refused(
                f"{self.branches[rental['origin_id']]['name']} has "
                f"{self._ready_here(self.car_classes[rental['klass_id']], self.branches[rental['origin_id']])} "
                f"ready in {self.car_classes[rental['klass_id']]['name']}, so no free upgrade."
            )
        if any(
            self._ready_here(k, self.branches[rental["origin_id"]]) > 0
            for k in self.car_classes.values()
            if (
                self.car_classes[rental["klass_id"]]["rank"] < k["rank"]
                and k["rank"] < self.car_classes[car["klass_id"]]["rank"]
            )
        ):
            return _refused(
                f"A lower class than {self.car_classes[car['klass_id']]['name']} is ready in "
                f"{self.branches[rental['origin_id']]['name']} and would do."
            )
        self._journal = []
        former_car_id = rental["car_id"]
        self._put("rentals", rental, "car_id", car_id)
        self._put("rentals", rental, "deposit", self.car_classes[rental["klass_id"]]["deposit"])
        self._put("rentals", rental, "status", "out")
        self._put("cars", car, "condition", "rented")
        if self._breaks_rule_1(rental):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(rental):
            return self._take_back(RULES[1])
        for one_car in _distinct([self.cars.get(rental["car_id"]), self.cars.get(former_car_id), car]):
            if self._breaks_rule_3(one_car):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(rental):
            return self._take_back(RULES[3])
        for one_rental in _distinct([rental, *self._rentals_by_klass.get(rental["klass_id"], {}).values()]):
            if self._breaks_rule_5(one_rental):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(self.branches[car["branch_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(car):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(rental):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(rental):
            return self._take_back(RULES[9])
        for one_damage in _distinct(self._damages_by_rental.get(rental["id"], {}).values()):
            if self._breaks_rule_11(one_damage):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: hand {car['plate']} over to {self.customers[rental['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def change_rental(self, rental_id: str, ends: Date | None = None, drop_id: str | None = None) -> Result:
        """Change the last day of a rental, the branch where it ends, or both.

        Args:
            rental_id (str): Id of the rental, such as RENTAL-00001.
            ends (str, optional): New day on which the car is brought back, from today on and within 28 days of the
                first, as YYYY-MM-DD. If left out, the last day stays as it is.
            drop_id (str, optional): New branch where the car is brought back; an id such as BRANCH-00001. If left
                out, the branch stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rental = self.rentals.get(rental_id)
        if rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        drop = self.branches.get(drop_id) if drop_id is not None else None
        if drop_id is not None and drop is None:
            return _refused(f"There is no branch {drop_id!r}.")
        if not self._live(rental):
            return _refused(f"The rental of {self.customers[rental['customer_id']]['name']} is {rental['status']}.")
        until = ends if ends is not None else rental["ends"]
        there = drop or self.branches[rental["drop_id"]]
        if until == rental["ends"] and there["id"] == rental["drop_id"]:
            return _refused("Nothing would change.")
        if not (
            until > rental["starts"]
            and _days_between(rental["starts"], until) <= 28
            and (ends is None or until >= self.now[:10])
        ):
            return _refused(f"A rental from {rental['starts']} cannot end on {until}.")
        if there["id"] != rental["origin_id"] and self._way(self.branches[rental["origin_id"]], there) is None:
            return _refused(
                f"No one-way rentals are offered from {self.branches[rental['origin_id']]['name']} to "
                f"{there['name']}."
            )
        short = next(
            (
                d
                for d in _dates(rental["ends"], max(until, rental["ends"]))
                if self._needed(
                    self.car_classes[rental["klass_id"]],
                    d,
                ) >= self._car_class_fleet(self.car_classes[rental["klass_id"]])
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"All cars of the class {self.car_classes[rental['klass_id']]['name']} are taken on {short}."
            )
        self._journal = []
        self._put("rentals", rental, "ends", until)
        self._put("rentals", rental, "drop_id", there["id"])
        for one_rental in _distinct(self._rentals_by_klass.get(rental["klass_id"], {}).values()):
            if self._breaks_rule_5(one_rental):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(rental):
            return self._take_back(RULES[6])
        done = f"change the rental of {self.customers[rental['customer_id']]['name']}"
        if ends is not None:
            done += f" to end on {ends}"
        if drop is not None:
            done += f" to be dropped in {drop['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def take_back(
        self,
        rental_id: str,
        km_driven: Annotated[int, {"minimum": 1, "maximum": 9000}],
        litres_short: Annotated[int, {"minimum": 0, "maximum": 90}] = 0,
    ) -> Result:
        """Take a car back where it was to be dropped and charge the days begun, kilometres beyond those included, the
        one-way fee and the litres that lack to a full tank.

        Args:
            rental_id (str): Id of the rental, such as RENTAL-00001.
            km_driven (int): Distance that the customer drove in kilometres, from 1 to 9000.
            litres_short (int): Fuel lacking to a full tank in litres, from 0 to 90. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rental = self.rentals.get(rental_id)
        if rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        if rental["status"] != "out" or rental["car_id"] is None:
            return _refused(f"The rental of {self.customers[rental['customer_id']]['name']} is {rental['status']}.")
        car = self.cars[rental["car_id"]]
        if self._branch_left(self.branches[rental["drop_id"]]) <= 0:
            return _refused(f"{self.branches[rental['drop_id']]['name']} has no space left for a car.")
        one_way = self._way(self.branches[rental["origin_id"]], self.branches[rental["drop_id"]])
        self._journal = []
        over = max(km_driven - self._days_of(rental) * self.car_classes[rental["klass_id"]]["km_per_day"], 0)
        charged = (
            self.car_classes[rental["klass_id"]]["daily"] * self._days_of(rental)
            + self.car_classes[rental["klass_id"]]["per_km"] * over
        )
        if not 0 <= charged <= 9000000:
            return self._take_back(f"The charged of {rental['id']} must be between 0.00 and 90,000.00.")
        self._put("rentals", rental, "charged", charged)
        if one_way is not None:
            new_charged = rental["charged"] + one_way["fee"]
            if not 0 <= new_charged <= 9000000:
                return self._take_back(f"The charged of {rental['id']} must be between 0.00 and 90,000.00.")
            self._put("rentals", rental, "charged", new_charged)
        new_charged_2 = rental["charged"] + self.car_classes[rental["klass_id"]]["per_litre"] * litres_short
        if not 0 <= new_charged_2 <= 9000000:
            return self._take_back(f"The charged of {rental['id']} must be between 0.00 and 90,000.00.")
        self._put("rentals", rental, "charged", new_charged_2)
        self._put("rentals", rental, "status", "returned")
        former_branch_id = car["branch_id"]
        self._put("cars", car, "branch_id", rental["drop_id"])
        odometer = car["odometer"] + km_driven
        if not 0 <= odometer <= 300000:
            return self._take_back(f"The odometer of {car['plate']} must be between 0 and 300000.")
        self._put("cars", car, "odometer", odometer)
        if car["condition"] not in ("rented", "workshop", "returned"):
            return self._take_back(f"Car {car['plate']} cannot go from {car['condition']} to returned.")
        self._put("cars", car, "condition", "returned")
        if self._breaks_rule_1(rental):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(rental):
            return self._take_back(RULES[1])
        for one_car in _distinct([self.cars.get(rental["car_id"]), car]):
            if self._breaks_rule_3(one_car):
                return self._take_back(RULES[2])
        for one_rental in _distinct([rental, *self._rentals_by_klass.get(rental["klass_id"], {}).values()]):
            if self._breaks_rule_5(one_rental):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(self.branches[car["branch_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.branches[former_branch_id]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(car):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(rental):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(rental):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: take the car of {self.customers[rental['customer_id']]['name']} back after {km_driven} "
                f"km, {litres_short} litres short."
            ),
            "data": self._changes(),
        }

    def report_damage(
        self,
        car_id: str,
        kind: Literal["scratch", "dent", "windscreen", "tyre", "interior"],
        cost: Annotated[int, {"minimum": 1000, "maximum": 400000}],
        rental_id: str | None = None,
    ) -> Result:
        """Report damage to a car that was returned; where a rental not yet settled is named, its customer is charged.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            kind (str): Kind of damage found: scratch, dent, windscreen, tyre or interior.
            cost (int): Cost of the repair, in cents, from 1000 to 400000.
            rental_id (str, optional): Unsettled rental of that car whose customer pays; an id such as
                RENTAL-00001. If left out, nobody is charged.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        rental = self.rentals.get(rental_id) if rental_id is not None else None
        if rental_id is not None and rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        if car["condition"] not in ("returned", "workshop"):
            return _refused(f"{car['plate']} is {car['condition']}, and only cars that came back are looked over.")
        if not (rental_id is None or rental["status"] == "returned" and rental["car_id"] == car_id):
            return _refused("That rental was of another car or has been settled.")
        self._journal = []
        damage: Damage = {
            "id": self._new_id("damage", "DAMAGE", self.damages),
            "car_id": car_id,
            "rental_id": rental_id,
            "kind": kind,
            "cost": cost,
            "status": "open",
        }
        self._add("damages", damage)
        if self._breaks_rule_8(self.cars[damage["car_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(damage):
            return self._take_back(RULES[10])
        done = f"report a {kind} on {car['plate']}"
        if rental is not None:
            done += f", to be charged to {rental['id']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: damage {damage['id']}).",
            "data": {"damage_id": damage["id"], **self._changes()},
        }

    def settle_bill(self, rental_id: str) -> Result:
        """Settle the bill of a returned rental and release what is left of the deposit.

        Args:
            rental_id (str): Id of the rental, such as RENTAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rental = self.rentals.get(rental_id)
        if rental is None:
            return _refused(f"There is no rental {rental_id!r}.")
        if rental["status"] != "returned":
            return _refused(f"The rental of {self.customers[rental['customer_id']]['name']} is {rental['status']}.")
        self._journal = []
        self._put("rentals", rental, "deposit", 0)
        self._put("rentals", rental, "status", "settled")
        if self._breaks_rule_1(rental):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(rental):
            return self._take_back(RULES[1])
        for one_car in _distinct([self.cars.get(rental["car_id"])]):
            if self._breaks_rule_3(one_car):
                return self._take_back(RULES[2])
        for one_rental in _distinct([rental, *self._rentals_by_klass.get(rental["klass_id"], {}).values()]):
            if self._breaks_rule_5(one_rental):
                return self._take_back(RULES[4])
        if self._breaks_rule_9(rental):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(rental):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: settle the bill of {self.customers[rental['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def clean_car(self, car_id: str) -> Result:
        """Clean a returned car, so that it is ready; unsafe cars and those due for service go to the workshop first.

        Args:
            car_id (str): Id of the car, such as CAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if car["condition"] != "returned":
            return _refused(f"{car['plate']} is {car['condition']}.")
        if self._unsafe(car):
            return _refused(f"{car['plate']} has a broken windscreen or tyre, so send it to the workshop.")
        if self._car_to_service(car) <= 0:
            return _refused(f"{car['plate']} is due for service, so send it to the workshop.")
        self._journal = []
        self._put("cars", car, "condition", "ready")
        if self._breaks_rule_3(car):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(self.branches[car["branch_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(car):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: clean {car['plate']}.", "data": self._changes()}

    def send_to_workshop(self, car_id: str) -> Result:
        """Send a car that is not rented to the workshop of its branch.

        Args:
            car_id (str): Id of the car, such as CAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if car["condition"] not in ("ready", "returned"):
            return _refused(f"{car['plate']} is {car['condition']}.")
        self._journal = []
        self._put("cars", car, "condition", "workshop")
        if self._breaks_rule_3(car):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(self.branches[car["branch_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(car):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: send {car['plate']} to the workshop.", "data": self._changes()}

    def finish_workshop(self, car_id: str, serviced: bool = True) -> Result:
        """Take a car back from the workshop with all damage repaired, and with the next service 15,000 km ahead if it
        was serviced; it must be cleaned.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            serviced (bool): Whether the car was serviced too, which puts the next service 15,000 km ahead.
                Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if car["condition"] != "workshop":
            return _refused(f"{car['plate']} is {car['condition']}, not in the workshop.")
        self._journal = []
        changed_damages: list[Any] = []
        changed_cars: list[Any] = []
        for d in sorted(self._damages_by_car_status.get((car_id, "open"), {}).values(), key=_age):
            changed_damages.append(d)
            self._put("damages", d, "status", "repaired")
        if serviced:
            next_service = car["odometer"] + 15000
            if not 1000 <= next_service <= 330000:
                return self._take_back(f"The next service of {car['plate']} must be between 1000 and 330000.")
            changed_cars.append(car)
            self._put("cars", car, "next_service", next_service)
        self._put("cars", car, "condition", "returned")
        if self._breaks_rule_3(car):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(self.branches[car["branch_id"]]):
            return self._take_back(RULES[5])
        for one_car in _distinct([car, *[self.cars[one["car_id"]] for one in changed_damages], *changed_cars]):
            if self._breaks_rule_8(one_car):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take {car['plate']} back from the workshop.",
            "data": self._changes(),
        }

    def transfer_car(self, car_id: str, to_id: str) -> Result:
        """Drive a ready car to another branch; it arrives ready and with the kilometres of the way.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            to_id (str): Other branch with a free space that the car is driven to; an id such as BRANCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        to = self.branches.get(to_id)
        if to is None:
            return _refused(f"There is no branch {to_id!r}.")
        if car["condition"] != "ready":
            return _refused(f"{car['plate']} is {car['condition']}.")
        if car["branch_id"] == to_id:
            return _refused(f"{car['plate']} stands in {to['name']} already.")
        drive = self._way(self.branches[car["branch_id"]], to)
        if drive is None:
            return _refused(
                f"Cars are not moved from {self.branches[car['branch_id']]['name']} to {to['name']} directly."
            )
        if self._branch_left(to) <= 0:
            return _refused(f"{to['name']} has no space left.")
        if drive["km"] >= self._car_to_service(car):
            return _refused(
                f"{car['plate']} has {self._car_to_service(car)} km to its service and the way takes {drive['km']}."
            )
        self._journal = []
        odometer = car["odometer"] + drive["km"]
        if not 0 <= odometer <= 300000:
            return self._take_back(f"The odometer of {car['plate']} must be between 0 and 300000.")
        self._put("cars", car, "odometer", odometer)
        former_branch_id = car["branch_id"]
        self._put("cars", car, "branch_id", to_id)
        if self._breaks_rule_6(self.branches[car["branch_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.branches[former_branch_id]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(car):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: drive {car['plate']} to {to['name']}.", "data": self._changes()}

    def _show_branch(self, branch: Branch) -> dict[str, Any]:
        """The branch as an answer shows it."""
        return {**branch, "left": self._branch_left(branch)}

    def _show_car_class(self, car_class: CarClass) -> dict[str, Any]:
        """The car class as an answer shows it."""
        return {**car_class, "fleet": self._car_class_fleet(car_class)}

    def _show_car(self, car: Car) -> dict[str, Any]:
        """The car as an answer shows it."""
        return {**car, "to_service": self._car_to_service(car)}

    def _show_rental(self, rental: Rental) -> dict[str, Any]:
        """The rental as an answer shows it."""
        return {**rental, "bill": self._rental_bill(rental)}

    def _names_of_routes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that routes point to."""
        return _names(
            (self.branches, "name", [row["origin_id"] for row in shown]),
            (self.branches, "name", [row["destination_id"] for row in shown]),
        )

    def _names_of_cars(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cars point to."""
        return _names(
            (self.car_classes, "name", [row["klass_id"] for row in shown]),
            (self.branches, "name", [row["branch_id"] for row in shown]),
        )

    def _names_of_rentals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rentals point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.car_classes, "name", [row["klass_id"] for row in shown]),
            (self.branches, "name", [row["origin_id"] for row in shown]),
            (self.branches, "name", [row["drop_id"] for row in shown]),
            (self.cars, "plate", [row["car_id"] for row in shown]),
        )

    def _names_of_damages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that damages point to."""
        return _names((self.cars, "plate", [row["car_id"] for row in shown]))

    def _branch_left(self, branch: Branch) -> int:
        """The left of a branch."""
        return (
            branch["spaces"]
            - sum(1 for c in self._cars_by_branch.get(branch["id"], {}).values() if c["condition"] != "rented")
        )

    def _car_class_fleet(self, car_class: CarClass) -> int:
        """The fleet of a car class."""
        return len(self._cars_by_klass.get(car_class["id"], {}))

    def _car_to_service(self, car: Car) -> int:
        """The to service of a car."""
        return car["next_service"] - car["odometer"]

    def _rental_bill(self, rental: Rental) -> int:
        """The bill of a rental."""
        return rental["charged"] + sum(d["cost"] for d in self._damages_by_rental.get(rental["id"], {}).values())

    def _unsafe(self, c: Car) -> bool:
        return any(
            d["status"] == "open"
            and d["kind"] in ("windscreen", "tyre")
            for d in self._damages_by_car.get(c["id"], {}).values()
        )

    def _live(self, r: Rental) -> bool:
        return r["status"] in ("reserved", "out")

    def _way(self, a: Branch, b: Branch) -> Route | None:
        return next(
            (w for w in sorted(self._routes_by_origin_destination.get((a["id"], b["id"]), {}).values(), key=_age)),
            None,
        )

    def _needed(self, k: CarClass, d: str) -> int:
        return sum(
            1
            for r in self._rentals_by_klass.get(k["id"], {}).values()
            if self._live(r)
            and (r["starts"] <= d and d < r["ends"])
        )

    def _short_day(self, k: CarClass, a: str, z: str) -> str | None:
        return next((d for d in _dates(a, z) if self._needed(k, d) >= self._car_class_fleet(k)), None)

    def _ready_here(self, k: CarClass, b: Branch) -> int:
        return len(self._cars_by_klass_branch_condition.get((k["id"], b["id"], "ready"), {}))

    def _days_of(self, r: Rental) -> int:
        return max(_days_between(r["starts"], self.now[:10]), 1)

    def _breaks_rule_1(self, r: Rental) -> bool:
        """Whether this is broken: a car is out with one customer at a time."""
        return (
            r["status"] == "out"
            and any(
                other_r is not r
                for other_r in self._rentals_by_car_status.get((r["car_id"], "out"), {}).values()
            )
        )

    def _breaks_rule_2(self, r: Rental) -> bool:
        """Whether this is broken: a customer has one car out at a time."""
        return (
            r["status"] == "out"
            and any(
                other_r is not r
                for other_r in self._rentals_by_customer_status.get((r["customer_id"], "out"), {}).values()
            )
        )

    def _breaks_rule_3(self, c: Car) -> bool:
        """Whether this is broken: a car counts as rented exactly while it is out."""
        return (c["condition"] == "rented") != any(
            r["status"] == "out"
            for r in self._rentals_by_car.get(c["id"], {}).values()
        )

    def _breaks_rule_4(self, r: Rental) -> bool:
        """Whether this is broken: a customer drives the class that was reserved or one of the two above it."""
        return not (
            r["car_id"] is None
            or self.car_classes[r["klass_id"]]["rank"] <= self.car_classes[self.cars[r["car_id"]]["klass_id"]]["rank"]
            and self.car_classes[
                self.cars[r["car_id"]]["klass_id"]
            ]["rank"] <= self.car_classes[r["klass_id"]]["rank"] + 2
        )

    def _breaks_rule_5(self, r: Rental) -> bool:
        """Whether this is broken: no class is reserved beyond its fleet on any day."""
        return (
            self._live(r)
            and sum(
                1
                for o in self._rentals_by_klass.get(r["klass_id"], {}).values()
                if self._live(o)
                and (o["starts"] <= r["starts"] and r["starts"] < o["ends"])
            ) > self._car_class_fleet(self.car_classes[r["klass_id"]])
        )

    def _breaks_rule_6(self, b: Branch) -> bool:
        """Whether this is broken: a branch never has more cars standing there than spaces."""
        return self._branch_left(b) < 0

    def _breaks_rule_7(self, r: Rental) -> bool:
        """Whether this is broken: a car is dropped where it came from or where a one-way rental is offered."""
        return not (
            r["drop_id"] == r["origin_id"]
            or bool(self._routes_by_origin_destination.get((r["origin_id"], r["drop_id"]), {}))
        )

    def _breaks_rule_8(self, c: Car) -> bool:
        """Whether this is broken: a ready car is safe and not due for service."""
        return c["condition"] == "ready" and (self._unsafe(c) or c["odometer"] >= c["next_service"])

    def _breaks_rule_9(self, r: Rental) -> bool:
        """Whether this is broken: a deposit is held from the handover until the bill is settled."""
        return (r["deposit"] > 0) != (r["status"] in ("out", "returned"))

    def _breaks_rule_10(self, r: Rental) -> bool:
        """Whether this is broken: a barred customer has neither a reservation nor a car."""
        return self._live(r) and self.customers[r["customer_id"]]["barred"]

    def _breaks_rule_11(self, d: Damage) -> bool:
        """Whether this is broken: damage that is charged to a rental was done to the car of that rental."""
        return d["rental_id"] is not None and self.rentals[d["rental_id"]]["car_id"] != d["car_id"]

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
            case "routes":
                self._routes_by_origin_destination.setdefault(
                    (record["origin_id"], record["destination_id"]),
                    {},
                )[record["id"]] = record
            case "cars":
                self._cars_by_branch.setdefault(record["branch_id"], {})[record["id"]] = record
                self._cars_by_klass.setdefault(record["klass_id"], {})[record["id"]] = record
                self._cars_by_klass_branch_condition.setdefault(
                    (record["klass_id"], record["branch_id"], record["condition"]),
                    {},
                )[record["id"]] = record
            case "rentals":
                self._rentals_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._rentals_by_car_status.setdefault((record["car_id"], record["status"]), {})[record["id"]] = record
                self._rentals_by_customer_status.setdefault(
                    (record["customer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._rentals_by_klass.setdefault(record["klass_id"], {})[record["id"]] = record
            case "damages":
                self._damages_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._damages_by_car_status.setdefault((record["car_id"], record["status"]), {})[record["id"]] = record
                self._damages_by_rental.setdefault(record["rental_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "routes":
                del self._routes_by_origin_destination[record["origin_id"], record["destination_id"]][record["id"]]
            case "cars":
                del self._cars_by_branch[record["branch_id"]][record["id"]]
                del self._cars_by_klass[record["klass_id"]][record["id"]]
                del self._cars_by_klass_branch_condition[
                    record["klass_id"],
                    record["branch_id"],
                    record["condition"],
                ][record["id"]]
            case "rentals":
                del self._rentals_by_car[record["car_id"]][record["id"]]
                del self._rentals_by_car_status[record["car_id"], record["status"]][record["id"]]
                del self._rentals_by_customer_status[record["customer_id"], record["status"]][record["id"]]
                del self._rentals_by_klass[record["klass_id"]][record["id"]]
            case "damages":
                del self._damages_by_car[record["car_id"]][record["id"]]
                del self._damages_by_car_status[record["car_id"], record["status"]][record["id"]]
                del self._damages_by_rental[record["rental_id"]][record["id"]]
