"""Laundry service. Compiled from blueprint.yaml; run `envscaler build laundry_service` after changing it there.

Washes what customers bring in bags, in loads by colour and temperature, treats stains again, lets express work
go first, shelves finished bags and pays for lost pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A machine washes one load at a time, and a broken one none.",
    "Only one colour is washed in a load.",
    "Nothing is washed hotter than it bears.",
    "No load is heavier than its machine takes.",
    "What is being washed is in a running load, and nothing else is.",
    "Stains are treated before they are washed.",
    "A shelved or collected bag has nothing left to wash.",
    "A shelved bag has a rack of its own, and no other bag has one.",
    "Every lost piece has one open claim or a paid one, and other pieces have no open claim.",
    "Nobody is paid more for a lost or damaged piece than it was worth.",
    "An express bag is promised within three days of coming in.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_bag",
    "add_garment",
    "treat_stain",
    "start_load",
    "empty_machine",
    "stop_load",
    "set_machine",
    "shelve_bag",
    "hand_over",
    "promise_again",
    "report_lost",
    "pay_claim",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "articles": ("name",),
    "bags": ("tag",),
    "garments": ("code",),
    "machines": ("name",),
    "batches": (),
    "racks": ("label",),
    "claims": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bags", "rack_id"),
    ("bags", "status"),
    ("bags", "tag"),
    ("batches", "machine_id"),
    ("batches", "status"),
    ("claims", "garment_id"),
    ("garments", "bag_id"),
    ("garments", "batch_id"),
    ("garments", "code"),
    ("garments", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str
    credit: int


class Article(TypedDict):
    id: str
    name: str
    price: int


class Bag(TypedDict):
    id: str
    tag: str
    customer_id: str
    came_at: str
    promised_at: str
    express: bool
    rack_id: str | None
    status: Literal["open", "shelved", "collected"]


class Garment(TypedDict):
    id: str
    code: str
    bag_id: str
    article_id: str
    colour: Literal["white", "dark", "coloured"]
    hottest: int
    grams: int
    stain: Literal["grease", "wine", "ink", "blood"] | None
    treated: bool
    batch_id: str | None
    status: Literal["waiting", "washing", "lost", "clean"]


class Machine(TypedDict):
    id: str
    name: str
    capacity: int
    broken: bool


class Batch(TypedDict):
    id: str
    machine_id: str
    temperature: int
    ends_at: str
    status: Literal["running", "done", "stopped"]


class Rack(TypedDict):
    id: str
    label: str


class Claim(TypedDict):
    id: str
    garment_id: str
    worth: int
    damaged: bool
    paid: int | None
    closed: bool


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class LaundryService:
    """Washes what customers bring in bags, in loads by colour and temperature, treats stains again, lets
    express work go first, shelves finished bags and pays for lost pieces.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.articles: dict[str, Article] = _copied(config.get("articles", {}))
        self.bags: dict[str, Bag] = _copied(config.get("bags", {}))
        self.garments: dict[str, Garment] = _copied(config.get("garments", {}))
        self.machines: dict[str, Machine] = _copied(config.get("machines", {}))
        self.batches: dict[str, Batch] = _copied(config.get("batches", {}))
        self.racks: dict[str, Rack] = _copied(config.get("racks", {}))
        self.claims: dict[str, Claim] = _copied(config.get("claims", {}))
        self.now: str = config.get("now", "2026-11-03T14:00")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "article": len(self.articles),
            "bag": len(self.bags),
            "garment": len(self.garments),
            "machine": len(self.machines),
            "batch": len(self.batches),
            "rack": len(self.racks),
            "claim": len(self.claims),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._bags_by_rack_status: dict[Any, dict[str, Bag]] = {}
        self._bags_by_status: dict[Any, dict[str, Bag]] = {}
        self._bags_by_tag: dict[Any, dict[str, Bag]] = {}
        self._garments_by_bag: dict[Any, dict[str, Garment]] = {}
        self._garments_by_bag_status: dict[Any, dict[str, Garment]] = {}
        self._garments_by_batch: dict[Any, dict[str, Garment]] = {}
        self._garments_by_batch_status: dict[Any, dict[str, Garment]] = {}
        self._garments_by_code: dict[Any, dict[str, Garment]] = {}
        self._garments_by_status: dict[Any, dict[str, Garment]] = {}
        self._batches_by_machine: dict[Any, dict[str, Batch]] = {}
        self._batches_by_machine_status: dict[Any, dict[str, Batch]] = {}
        self._claims_by_garment: dict[Any, dict[str, Claim]] = {}
        for bag in self.bags.values():
            self._link("bags", bag)
        for garment in self.garments.values():
            self._link("garments", garment)
        for batch in self.batches.values():
            self._link("batches", batch)
        for claim in self.claims.values():
            self._link("claims", claim)

    def laundry_pile(
        self,
        colour: Literal["white", "dark", "coloured"] | None = None,
        temperature: Annotated[int, {"minimum": 30, "maximum": 90}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Pieces that wait to be washed, express first and then by the time promised.

        Args:
            colour (str, optional): Only pieces of this colour group: white, dark or coloured. If left out, pieces
                of all colours are listed.
            temperature (int, optional): Only pieces that bear this wash, in degrees Celsius, from 30 to 90. If
                left out, it does not narrow the list.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "garments": records}} or {"success": False, "error": why
                not}
        """
        found = [
            g
            for g in self._garments_by_status.get("waiting", {}).values()
            if (colour is None or g["colour"] == colour)
            and (temperature is None or g["hottest"] >= temperature)
        ]
        found.sort(
            key=lambda g: (
                -self.bags[g["bag_id"]]["express"],
                self.bags[g["bag_id"]]["promised_at"],
                g["code"],
                _age(g),
            )
        )
        return _found(
            {
                "total": len(found),
                "garments": [
                    {
                        "id": g["id"],
                        "code": g["code"],
                        "article": self.articles[g["article_id"]]["name"],
                        "bag": self.bags[g["bag_id"]]["tag"],
                        "express": self.bags[g["bag_id"]]["express"],
                        "promised_at": self.bags[g["bag_id"]]["promised_at"],
                        "colour": g["colour"],
                        "hottest": g["hottest"],
                        "grams": g["grams"],
                        "stain": g["stain"],
                        "treated": g["treated"],
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def nearly_done(
        self,
        customer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open bags, the earliest promised first, with the pieces that are not clean yet.

        Args:
            customer_id (str, optional): Only bags of this customer; an id such as CUSTOMER-00001. If left out, the
                bags of all customers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bags": records}} or {"success": False, "error": why
                not}
        """
        customer = self.customers.get(customer_id) if customer_id is not None else None
        if customer_id is not None and customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            b
            for b in self._bags_by_status.get("open", {}).values()
            if (customer_id is None or b["customer_id"] == customer_id)
        ]
        found.sort(key=lambda b: (b["promised_at"], b["tag"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bags": [
                    {
                        "id": b["id"],
                        "tag": b["tag"],
                        "customer": self.customers[b["customer_id"]]["name"],
                        "promised_at": b["promised_at"],
                        "express": b["express"],
                        "undone": self._bag_undone(b),
                        "not_clean": [
                            *[
                                g["code"]
                                for g in sorted(self._garments_by_bag.get(b["id"], {}).values(), key=_age)
                                if g["status"] in ("waiting", "washing")
                            ]
                        ],
                        "lost": [
                            *[
                                g["code"]
                                for g in sorted(
                                    self._garments_by_bag_status.get((b["id"], "lost"), {}).values(),
                                    key=_age,
                                )
                            ]
                        ],
                    }
                    for b in _page(found, offset)
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
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_articles(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the articles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only articles whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}}
        """
        found = [
            article
            for article in self.articles.values()
            if (name is None or name.casefold() in article["name"].casefold())
        ]
        return _found({"total": len(found), "articles": [{**article} for article in _page(found, offset)]})

    def list_bags(
        self,
        tag: Text | None = None,
        customer_id: str | None = None,
        express: bool | None = None,
        rack_id: str | None = None,
        status: Literal["open", "shelved", "collected"] | None = None,
        came_at_from: Date | None = None,
        came_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bags, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only bags whose tag contains this text.
            customer_id (str, optional): Only bags of this customer.
            express (bool, optional): Only bags with this value of `express`.
            rack_id (str, optional): Only bags of this rack.
            status (str, optional): Only bags with this status.
            came_at_from (str, optional): Only bags whose `came_at` is on this day or later.
            came_at_to (str, optional): Only bags whose `came_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bags": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if rack_id is not None and rack_id not in self.racks:
            return _refused(f"There is no rack {rack_id!r}.")
        found = [
            bag
            for bag in self.bags.values()
            if (tag is None or tag.casefold() in bag["tag"].casefold())
            and (customer_id is None or bag["customer_id"] == customer_id)
            and (express is None or bag["express"] == express)
            and (rack_id is None or bag["rack_id"] == rack_id)
            and (status is None or bag["status"] == status)
            and (came_at_from is None or bag["came_at"][:10] >= came_at_from)
            and (came_at_to is None or bag["came_at"][:10] <= came_at_to)
        ]
        shown = [self._show_bag(bag) for bag in _page(found, offset)]
        return _found({"total": len(found), "bags": shown}, self._names_of_bags(shown))

    def list_garments(
        self,
        code: Text | None = None,
        bag_id: str | None = None,
        article_id: str | None = None,
        colour: Literal["white", "dark", "coloured"] | None = None,
        stain: Literal["grease", "wine", "ink", "blood"] | None = None,
        treated: bool | None = None,
        batch_id: str | None = None,
        status: Literal["waiting", "washing", "lost", "clean"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the garments, oldest first, all of them or only some.

        Args:
            code (str, optional): Only garments whose code contains this text.
            bag_id (str, optional): Only garments of this bag.
            article_id (str, optional): Only garments of this article.
            colour (str, optional): Only garments with this colour.
            stain (str, optional): Only garments with this stain.
            treated (bool, optional): Only garments that are treated (true) or not (false).
            batch_id (str, optional): Only garments of this batch.
            status (str, optional): Only garments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "garments": records}}
        """
        if bag_id is not None and bag_id not in self.bags:
            return _refused(f"There is no bag {bag_id!r}.")
        if article_id is not None and article_id not in self.articles:
            return _refused(f"There is no article {article_id!r}.")
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        found = [
            garment
            for garment in self.garments.values()
            if (code is None or code.casefold() in garment["code"].casefold())
            and (bag_id is None or garment["bag_id"] == bag_id)
            and (article_id is None or garment["article_id"] == article_id)
            and (colour is None or garment["colour"] == colour)
            and (stain is None or garment["stain"] == stain)
            and (treated is None or garment["treated"] == treated)
            and (batch_id is None or garment["batch_id"] == batch_id)
            and (status is None or garment["status"] == status)
        ]
        shown = [{**garment} for garment in _page(found, offset)]
        return _found({"total": len(found), "garments": shown}, self._names_of_garments(shown))

    def list_machines(
        self,
        name: Text | None = None,
        broken: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the machines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only machines whose name contains this text.
            broken (bool, optional): Only machines that are broken (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "machines": records}}
        """
        found = [
            machine
            for machine in self.machines.values()
            if (name is None or name.casefold() in machine["name"].casefold())
            and (broken is None or machine["broken"] == broken)
        ]
        return _found(
            {"total": len(found), "machines": [self._show_machine(machine) for machine in _page(found, offset)]}
        )

    def list_batches(
        self,
        machine_id: str | None = None,
        status: Literal["running", "done", "stopped"] | None = None,
        ends_at_from: Date | None = None,
        ends_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the batches, oldest first, all of them or only some.

        Args:
            machine_id (str, optional): Only batches of this machine.
            status (str, optional): Only batches with this status.
            ends_at_from (str, optional): Only batches whose `ends_at` is on this day or later.
            ends_at_to (str, optional): Only batches whose `ends_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}}
        """
        if machine_id is not None and machine_id not in self.machines:
            return _refused(f"There is no machine {machine_id!r}.")
        found = [
            batch
            for batch in self.batches.values()
            if (machine_id is None or batch["machine_id"] == machine_id)
            and (status is None or batch["status"] == status)
            and (ends_at_from is None or batch["ends_at"][:10] >= ends_at_from)
            and (ends_at_to is None or batch["ends_at"][:10] <= ends_at_to)
        ]
        shown = [{**batch} for batch in _page(found, offset)]
        return _found({"total": len(found), "batches": shown}, self._names_of_batches(shown))

    def list_racks(
        self,
        label: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the racks, oldest first, all of them or only some.

        Args:
            label (str, optional): Only racks whose label contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "racks": records}}
        """
        found = [
            rack
            for rack in self.racks.values()
            if (label is None or label.casefold() in rack["label"].casefold())
        ]
        return _found({"total": len(found), "racks": [{**rack} for rack in _page(found, offset)]})

    def list_claims(
        self,
        garment_id: str | None = None,
        damaged: bool | None = None,
        closed: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the claims, oldest first, all of them or only some.

        Args:
            garment_id (str, optional): Only claims of this garment.
            damaged (bool, optional): Only claims that are damaged (true) or not (false).
            closed (bool, optional): Only claims that are closed (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}}
        """
        if garment_id is not None and garment_id not in self.garments:
            return _refused(f"There is no garment {garment_id!r}.")
        found = [
            claim
            for claim in self.claims.values()
            if (garment_id is None or claim["garment_id"] == garment_id)
            and (damaged is None or claim["damaged"] == damaged)
            and (closed is None or claim["closed"] == closed)
        ]
        shown = [{**claim} for claim in _page(found, offset)]
        return _found({"total": len(found), "claims": shown}, self._names_of_claims(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_bag(self, customer_id: str, tag: Text, promised_at: DateTime, express: bool = False) -> Result:
        """Take a bag in and promise when it is done, express within two days.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            tag (str): Tag of the bag, not in use yet.
            promised_at (str): Time by which it is done, at least four hours from now, as YYYY-MM-DDTHH:MM.
            express (bool): Whether it is express, to be done within two days. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if self._bags_by_tag.get(tag, {}):
            return _refused(f"There is a bag {tag}.")
        if promised_at < _plus_minutes(self.now, 4 * 60):
            return _refused("Nothing is done within four hours.")
        if express and promised_at > _plus_minutes(self.now, 2 * 1440):
            return _refused("Express means within two days.")
        self._journal = []
        bag: Bag = {
            "id": self._new_id("bag", "BAG", self.bags),
            "tag": tag,
            "customer_id": customer_id,
            "came_at": self.now,
            "promised_at": promised_at,
            "express": express,
            "rack_id": None,
            "status": "open",
        }
        self._add("bags", bag)
        if len(self._bags_by_tag.get(bag["tag"], {})) > 1:
            return self._take_back(f"There is already a bag with the tag {bag['tag']!r}.")
        if self._breaks_rule_7(bag):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_b(bag):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b_again(bag):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(bag):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take bag {tag} of {customer['name']} (new: bag {bag['id']}).",
            "data": {"bag_id": bag["id"], **self._changes()},
        }

    def add_garment(
        self,
        bag_id: str,
        code: Text,
        article_id: str,
        colour: Literal["white", "dark", "coloured"],
        hottest: Annotated[int, {"minimum": 30, "maximum": 90}],
        grams: Annotated[int, {"minimum": 20, "maximum": 4000}],
        stain: Literal["grease", "wine", "ink", "blood"] | None = None,
    ) -> Result:
        """Put a piece of an open bag into the books.

        Args:
            bag_id (str): Id of the bag, such as BAG-00001.
            code (str): Code of the piece, not in use yet.
            article_id (str): Id of the article, such as ARTICLE-00001.
            colour (str): Colour group with which the piece is washed: white, dark or coloured.
            hottest (int): Hottest wash that it bears, in degrees Celsius, from 30 to 90.
            grams (int): Weight of the piece in grams, from 20 to 4000.
            stain (str, optional): Stain that has to be treated before the wash: grease, wine, ink or blood. If
                left out, the piece has no stain.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bag = self.bags.get(bag_id)
        if bag is None:
            return _refused(f"There is no bag {bag_id!r}.")
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        if bag["status"] != "open":
            return _refused(f"Bag {bag['tag']} is {bag['status']}.")
        if self._garments_by_code.get(code, {}):
            return _refused(f"There is a piece {code}.")
        self._journal = []
        garment: Garment = {
            "id": self._new_id("garment", "GARMENT", self.garments),
            "code": code,
            "bag_id": bag_id,
            "article_id": article_id,
            "colour": colour,
            "hottest": hottest,
            "grams": grams,
            "stain": stain,
            "treated": False,
            "batch_id": None,
            "status": "waiting",
        }
        self._add("garments", garment)
        if len(self._garments_by_code.get(garment["code"], {})) > 1:
            return self._take_back(f"There is already a garment with the code {garment['code']!r}.")
        if self._breaks_rule_2_a(garment):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(garment):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(garment):
            return self._take_back(RULES[2])
        for one_batch in _distinct([self.batches.get(garment["batch_id"])]):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_g(garment):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_g_again(garment):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_g(garment):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_g_again(garment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.bags[garment["bag_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9_g(garment):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: add {article['name']} {code} to bag {bag['tag']} (new: garment {garment['id']}).",
            "data": {"garment_id": garment["id"], **self._changes()},
        }

    def treat_stain(self, garment_id: str) -> Result:
        """Treat the stain of a piece before it is washed.

        Args:
            garment_id (str): Id of the garment, such as GARMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        garment = self.garments.get(garment_id)
        if garment is None:
            return _refused(f"There is no garment {garment_id!r}.")
        if garment["status"] != "waiting":
            return _refused(f"Piece {garment['code']} is {garment['status']}.")
        if garment["stain"] is None:
            return _refused(f"Piece {garment['code']} has no stain.")
        if garment["treated"]:
            return _refused(f"The {garment['stain']} on piece {garment['code']} has been treated.")
        self._journal = []
        self._put("garments", garment, "treated", True)
        if self._breaks_rule_6_g(garment):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_g_again(garment):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: treat the stain on {garment['code']}.", "data": self._changes()}

    def start_load(
        self,
        machine_id: str,
        temperature: Annotated[int, {"minimum": 30, "maximum": 90}],
        garment_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Wash pieces of one colour in a machine; express pieces that could go with them and still fit in may not be
        left out.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            temperature (int): Temperature of the wash in degrees Celsius, from 30 to 90.
            garment_ids (list): Waiting pieces of one colour group, each once: ids of garments, such as
                GARMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        garments = []
        for key in garment_ids:
            if key not in self.garments:
                return _refused(f"There is no garment {key!r}.")
            garments.append(self.garments[key])
        if not (len(garments) > 0 and _different([g["id"] for g in garments])):
            return _refused("Name at least one piece, and each once.")
        if machine["broken"] or self._machine_busy(machine):
            return _refused(f"{machine['name']} is broken or running.")
        other = next((g for g in garments if g["status"] != "waiting"), None)
        if other is not None:
            return _refused(f"Piece {other['code']} is {other['status']}.")
        dirty = next((g for g in garments if not self._ready_to_wash(g)), None)
        if dirty is not None:
            return _refused(f"The stain on piece {dirty['code']} must be treated first.")
        tender = next((g for g in garments if g["hottest"] < temperature), None)
        if tender is not None:
            return _refused(f"Piece {tender['code']} bears {tender['hottest']} degrees.")
        if not all(g["colour"] == h["colour"] for g in garments for h in garments):
            return _refused("Colours are not mixed.")
        weight = sum(g["grams"] for g in garments)
        if weight > machine["capacity"]:
            return _refused(f"{weight} grams are more than the {machine['capacity']} that {machine['name']} takes.")
        pressing = next(
            (
                g
                for g in self.garments.values()
                if self.bags[g["bag_id"]]["express"]
                and self._ready_to_wash(g)
                and g not in garments
                and any(h["colour"] == g["colour"] for h in garments)
                and g["hottest"] >= temperature
                and weight + g["grams"] <= machine["capacity"]
            ),
            None,
        )
        if pressing is not None:
            return _refused(f"Piece {pressing['code']} is express and fits in, so wash it too.")
        self._journal = []
        changed_garments: list[Any] = []
        former_batch_ids: list[Any] = []
        changed_garments_2: list[Any] = []
        batch: Batch = {
            "id": self._new_id("batch", "BATCH", self.batches),
            "machine_id": machine_id,
            "temperature": temperature,
            "ends_at": _plus_minutes(_plus_minutes(self.now, 40), temperature // 2),
            "status": "running",
        }
        self._add("batches", batch)
        for g in list(garments):
            changed_garments.append(g)
            former_batch_ids.append(g["batch_id"])
            self._put("garments", g, "batch_id", batch["id"])
            if g["status"] not in ("waiting", "washing"):
                return self._take_back(f"Garment {g['code']} cannot go from {g['status']} to washing.")
            changed_garments_2.append(g)
            self._put("garments", g, "status", "washing")
        if self._breaks_rule_1_b(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b_again(batch):
            return self._take_back(RULES[0])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_2_a(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_2_b(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_3(one_garment):
                return self._take_back(RULES[2])
        for one_batch in _distinct(
            [
                batch,
                *[self.batches.get(one["batch_id"]) for one in changed_garments],
                *[self.batches.get(key) for key in former_batch_ids],
                *[self.batches.get(one["batch_id"]) for one in changed_garments_2],
            ]
        ):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_5_g(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct(changed_garments):
            if self._breaks_rule_5_g_again(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct(changed_garments_2):
            if self._breaks_rule_6_g(one_garment):
                return self._take_back(RULES[5])
        for one_bag in _distinct([self.bags[one["bag_id"]] for one in changed_garments_2]):
            if self._breaks_rule_7(one_bag):
                return self._take_back(RULES[6])
        for one_claim in _distinct(
            [user for one in changed_garments_2 for user in self._claims_by_garment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_c_again(one_claim):
                return self._take_back(RULES[8])
        for one_garment in _distinct(changed_garments_2):
            if self._breaks_rule_9_g(one_garment):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: wash {len(garments)} pieces in {machine['name']} at {temperature} degrees (new: batch "
                f"{batch['id']})."
            ),
            "data": {"batch_id": batch["id"], **self._changes()},
        }

    def empty_machine(
        self,
        batch_id: str,
        still_stained_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Empty a machine whose load is through; pieces that are still stained wait for another treatment.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            still_stained_ids (list): Pieces of the load that are still stained: ids of garments, such as
                GARMENT-00001. May be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        still_stained = []
        for key in still_stained_ids or []:
            if key not in self.garments:
                return _refused(f"There is no garment {key!r}.")
            still_stained.append(self.garments[key])
        if batch["status"] != "running":
            return _refused(f"The load is {batch['status']}.")
        if batch["ends_at"] > self.now:
            return _refused(f"It runs until {batch['ends_at']}.")
        if not _different([g["id"] for g in still_stained]):
            return _refused("A piece is named twice.")
        odd = next((g for g in still_stained if (g["batch_id"] != batch_id or g["stain"] is None)), None)
        if odd is not None:
            return _refused(f"Piece {odd['code']} is not in that load or had no stain.")
        self._journal = []
        changed_garments: list[Any] = []
        former_batch_ids: list[Any] = []
        changed_garments_2: list[Any] = []
        changed_garments_3: list[Any] = []
        changed_garments_4: list[Any] = []
        for g in list(self._inside(batch)):
            changed_garments.append(g)
            former_batch_ids.append(g["batch_id"])
            self._put("garments", g, "batch_id", None)
            changed_garments_2.append(g)
            self._put("garments", g, "treated", False)
            if g in still_stained:
                if g["status"] not in ("waiting", "washing", "lost"):
                    return self._take_back(f"Garment {g['code']} cannot go from {g['status']} to waiting.")
                changed_garments_3.append(g)
                self._put("garments", g, "status", "waiting")
            else:
                changed_garments_4.append(g)
                self._put("garments", g, "stain", None)
                if g["status"] not in ("washing", "lost", "clean"):
                    return self._take_back(f"Garment {g['code']} cannot go from {g['status']} to clean.")
                changed_garments_3.append(g)
                self._put("garments", g, "status", "clean")
        self._put("batches", batch, "status", "done")
        if self._breaks_rule_1_b(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b_again(batch):
            return self._take_back(RULES[0])
        for one_garment in _distinct([*changed_garments, *changed_garments_3]):
            if self._breaks_rule_2_a(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct([*changed_garments, *changed_garments_3]):
            if self._breaks_rule_2_b(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct([*changed_garments, *changed_garments_3]):
            if self._breaks_rule_3(one_garment):
                return self._take_back(RULES[2])
        for one_batch in _distinct(
            [
                batch,
                *[self.batches.get(one["batch_id"]) for one in changed_garments],
                *[self.batches.get(key) for key in former_batch_ids],
                *[self.batches.get(one["batch_id"]) for one in changed_garments_3],
            ]
        ):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_garment in _distinct([*changed_garments, *changed_garments_3]):
            if self._breaks_rule_5_g(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct([*changed_garments, *self._garments_by_batch.get(batch["id"], {}).values()]):
            if self._breaks_rule_5_g_again(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct([*changed_garments_2, *changed_garments_3, *changed_garments_4]):
            if self._breaks_rule_6_g(one_garment):
                return self._take_back(RULES[5])
        for one_garment in _distinct([*changed_garments_2, *changed_garments_4]):
            if self._breaks_rule_6_g_again(one_garment):
                return self._take_back(RULES[5])
        for one_bag in _distinct([self.bags[one["bag_id"]] for one in changed_garments_3]):
            if self._breaks_rule_7(one_bag):
                return self._take_back(RULES[6])
        for one_claim in _distinct(
            [user for one in changed_garments_3 for user in self._claims_by_garment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_c_again(one_claim):
                return self._take_back(RULES[8])
        for one_garment in _distinct(changed_garments_3):
            if self._breaks_rule_9_g(one_garment):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: empty {self.machines[batch['machine_id']]['name']}.",
            "data": self._changes(),
        }

    def stop_load(self, batch_id: str) -> Result:
        """Stop a running load; its pieces wait again.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "running":
            return _refused(f"The load is {batch['status']}.")
        if batch["ends_at"] <= self.now:
            return _refused(f"It is through since {batch['ends_at']}; empty the machine.")
        self._journal = []
        changed_garments: list[Any] = []
        former_batch_ids: list[Any] = []
        changed_garments_2: list[Any] = []
        for g in list(self._inside(batch)):
            changed_garments.append(g)
            former_batch_ids.append(g["batch_id"])
            self._put("garments", g, "batch_id", None)
            if g["status"] not in ("waiting", "washing", "lost"):
                return self._take_back(f"Garment {g['code']} cannot go from {g['status']} to waiting.")
            changed_garments_2.append(g)
            self._put("garments", g, "status", "waiting")
        self._put("batches", batch, "status", "stopped")
        if self._breaks_rule_1_b(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b_again(batch):
            return self._take_back(RULES[0])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_2_a(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_2_b(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_3(one_garment):
                return self._take_back(RULES[2])
        for one_batch in _distinct(
            [
                batch,
                *[self.batches.get(one["batch_id"]) for one in changed_garments],
                *[self.batches.get(key) for key in former_batch_ids],
                *[self.batches.get(one["batch_id"]) for one in changed_garments_2],
            ]
        ):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_garment in _distinct([*changed_garments, *changed_garments_2]):
            if self._breaks_rule_5_g(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct([*changed_garments, *self._garments_by_batch.get(batch["id"], {}).values()]):
            if self._breaks_rule_5_g_again(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct(changed_garments_2):
            if self._breaks_rule_6_g(one_garment):
                return self._take_back(RULES[5])
        for one_bag in _distinct([self.bags[one["bag_id"]] for one in changed_garments_2]):
            if self._breaks_rule_7(one_bag):
                return self._take_back(RULES[6])
        for one_claim in _distinct(
            [user for one in changed_garments_2 for user in self._claims_by_garment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_c_again(one_claim):
                return self._take_back(RULES[8])
        for one_garment in _distinct(changed_garments_2):
            if self._breaks_rule_9_g(one_garment):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: stop {self.machines[batch['machine_id']]['name']}.",
            "data": self._changes(),
        }

    def set_machine(self, machine_id: str, broken: bool) -> Result:
        """Note that an empty machine is broken or works again.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            broken (bool): Whether the machine is broken, or works again.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if machine["broken"] == broken:
            return _refused(f"{machine['name']} is noted like that.")
        if self._machine_busy(machine):
            return _refused(f"{machine['name']} is running; stop or empty it first.")
        self._journal = []
        self._put("machines", machine, "broken", broken)
        for one_batch in _distinct(self._batches_by_machine_status.get((machine["id"], "running"), {}).values()):
            if self._breaks_rule_1_b_again(one_batch):
                return self._take_back(RULES[0])
        return {"success": True, "message": f"Done: note the state of {machine['name']}.", "data": self._changes()}

    def shelve_bag(self, bag_id: str, rack_id: str) -> Result:
        """Put a bag whose pieces are all clean or lost on a free rack.

        Args:
            bag_id (str): Id of the bag, such as BAG-00001.
            rack_id (str): Id of the rack, such as RACK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bag = self.bags.get(bag_id)
        if bag is None:
            return _refused(f"There is no bag {bag_id!r}.")
        rack = self.racks.get(rack_id)
        if rack is None:
            return _refused(f"There is no rack {rack_id!r}.")
        if bag["status"] != "open":
            return _refused(f"Bag {bag['tag']} is {bag['status']}.")
        if self._bag_undone(bag) != 0:
            return _refused(f"{self._bag_undone(bag)} pieces of bag {bag['tag']} are not clean.")
        if not any(g["status"] == "clean" for g in self._garments_by_bag.get(bag_id, {}).values()):
            return _refused(f"There is nothing clean in bag {bag['tag']}.")
        if not self._free_rack(rack):
            return _refused(f"Rack {rack['label']} is taken.")
        self._journal = []
        self._put("bags", bag, "rack_id", rack_id)
        self._put("bags", bag, "status", "shelved")
        if self._breaks_rule_7(bag):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_b(bag):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b_again(bag):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: shelve bag {bag['tag']} on {rack['label']}.",
            "data": self._changes(),
        }

    def hand_over(self, bag_id: str) -> Result:
        """Hand a shelved bag over, or close an open one of which every piece is lost; the customer's credit is used
        for the price.

        Args:
            bag_id (str): Id of the bag, such as BAG-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bag = self.bags.get(bag_id)
        if bag is None:
            return _refused(f"There is no bag {bag_id!r}.")
        if not (
            bag["status"] == "shelved"
            or bag["status"] == "open"
            and all(g["status"] == "lost" for g in self._garments_by_bag.get(bag_id, {}).values())
        ):
            return _refused(f"Bag {bag['tag']} is {bag['status']}, and not all of it is lost.")
        self._journal = []
        customer = self.customers[bag["customer_id"]]
        credit = (
            self.customers[bag["customer_id"]]["credit"]
            - min(self.customers[bag["customer_id"]]["credit"], self._bag_price(bag))
        )
        if not 0 <= credit <= 100000:
            return self._take_back(f"The credit of {customer['name']} must be between 0.00 and 1,000.00.")
        self._put("customers", customer, "credit", credit)
        self._put("bags", bag, "rack_id", None)
        self._put("bags", bag, "status", "collected")
        if self._breaks_rule_7(bag):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_b(bag):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b_again(bag):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: hand bag {bag['tag']} to {self.customers[bag['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def promise_again(self, bag_id: str, promised_at: DateTime, express: bool | None = None) -> Result:
        """Promise an open bag for another time, as express or not.

        Args:
            bag_id (str): Id of the bag, such as BAG-00001.
            promised_at (str): New time by which the bag is done, in the future, as YYYY-MM-DDTHH:MM.
            express (bool, optional): Whether the bag is express from now on. If left out, it stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bag = self.bags.get(bag_id)
        if bag is None:
            return _refused(f"There is no bag {bag_id!r}.")
        if bag["status"] != "open":
            return _refused(f"Bag {bag['tag']} is {bag['status']}.")
        if promised_at <= self.now:
            return _refused(f"{promised_at} is past.")
        fast = bag["express"] if express is None else express
        if fast and promised_at > _plus_minutes(bag["came_at"], 3 * 1440):
            return _refused(f"An express bag that came at {bag['came_at']} cannot be promised for {promised_at}.")
        self._journal = []
        self._put("bags", bag, "promised_at", promised_at)
        self._put("bags", bag, "express", fast)
        if self._breaks_rule_11(bag):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: promise bag {bag['tag']} for {promised_at}.",
            "data": self._changes(),
        }

    def report_lost(
        self,
        garment_id: str,
        worth: Annotated[int, {"minimum": 100, "maximum": 50000}] | None = None,
        damaged: bool = False,
    ) -> Result:
        """Report a piece of an open bag as lost with what it was worth, or, where no worth is given, that a lost
        piece has turned up before its claim was paid; it must be washed then. A clean piece that came out damaged
        is paid for at once, as credit.

        Args:
            garment_id (str): Id of the garment, such as GARMENT-00001.
            worth (int, optional): Worth of the lost or damaged piece, in cents, from 100 to 50000. If left out, a
                lost piece has turned up again.
            damaged (bool): Whether a clean piece was damaged, and not lost. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        garment = self.garments.get(garment_id)
        if garment is None:
            return _refused(f"There is no garment {garment_id!r}.")
        if self.bags[garment["bag_id"]]["status"] != "open":
            return _refused(f"Bag {self.bags[garment['bag_id']]['tag']} is {self.bags[garment['bag_id']]['status']}.")
        if worth is not None and garment["status"] not in ("waiting", "clean"):
            return _refused(f"Piece {garment['code']} is {garment['status']}.")
        if worth is None and garment["status"] != "lost":
            return _refused(f"Piece {garment['code']} is not lost, so say what it was worth.")
        claim = self._claim_of(garment)
        if worth is None and claim is None:
            return _refused(f"The claim for piece {garment['code']} has been paid.")
        if not (
            worth is None
            or not any(c["paid"] is not None for c in self._claims_by_garment.get(garment_id, {}).values())
        ):
            return _refused(f"Piece {garment['code']} has been paid for.")
        if not (not damaged or worth is not None and garment["status"] == "clean"):
            return _refused("Damage is paid for a washed piece, with what it was worth.")
        self._journal = []
        added_claims: list[Any] = []
        changed_garments: list[Any] = []
        changed_claims: list[Any] = []
        if worth is not None:
            if damaged:
                new_claim = {
                    "id": self._new_id("claim", "CLAIM", self.claims),
                    "garment_id": garment_id,
                    "worth": worth,
                    "damaged": True,
                    "paid": worth,
                    "closed": True,
                }
                self._add("claims", new_claim)
                added_claims.append(new_claim)
                customer = self.customers[self.bags[garment["bag_id"]]["customer_id"]]
                credit = self.customers[self.bags[garment["bag_id"]]["customer_id"]]["credit"] + worth
                if not 0 <= credit <= 100000:
                    return self._take_back(f"The credit of {customer['name']} must be between 0.00 and 1,000.00.")
                self._put("customers", customer, "credit", credit)
            else:
                if garment["status"] not in ("waiting", "lost", "clean"):
                    return self._take_back(f"Garment {garment['code']} cannot go from {garment['status']} to lost.")
                changed_garments.append(garment)
                self._put("garments", garment, "status", "lost")
                new_claim_2 = {
                    "id": self._new_id("claim", "CLAIM", self.claims),
                    "garment_id": garment_id,
                    "worth": worth,
                    "damaged": False,
                    "paid": None,
                    "closed": False,
                }
                self._add("claims", new_claim_2)
                added_claims.append(new_claim_2)
        else:
            if garment["status"] not in ("waiting", "washing", "lost"):
                return self._take_back(f"Garment {garment['code']} cannot go from {garment['status']} to waiting.")
            changed_garments.append(garment)
            self._put("garments", garment, "status", "waiting")
            if claim is not None:
                changed_claims.append(claim)
                self._put("claims", claim, "closed", True)
        for one_garment in _distinct(changed_garments):
            if self._breaks_rule_2_a(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct(changed_garments):
            if self._breaks_rule_2_b(one_garment):
                return self._take_back(RULES[1])
        for one_garment in _distinct(changed_garments):
            if self._breaks_rule_3(one_garment):
                return self._take_back(RULES[2])
        for one_batch in _distinct([self.batches.get(one["batch_id"]) for one in changed_garments]):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_garment in _distinct(changed_garments):
            if self._breaks_rule_5_g(one_garment):
                return self._take_back(RULES[4])
        for one_garment in _distinct(changed_garments):
            if self._breaks_rule_6_g(one_garment):
                return self._take_back(RULES[5])
        for one_bag in _distinct([self.bags[one["bag_id"]] for one in changed_garments]):
            if self._breaks_rule_7(one_bag):
                return self._take_back(RULES[6])
        for one_claim in _distinct([*added_claims, *changed_claims]):
            if self._breaks_rule_9_c(one_claim):
                return self._take_back(RULES[8])
        for one_claim in _distinct(
            [
                *added_claims,
                *[user for one in changed_garments for user in self._claims_by_garment.get(one["id"], {}).values()],
                *changed_claims,
            ]
        ):
            if self._breaks_rule_9_c_again(one_claim):
                return self._take_back(RULES[8])
        for one_garment in _distinct(
            [
                *[self.garments[one["garment_id"]] for one in added_claims],
                *changed_garments,
                *[self.garments[one["garment_id"]] for one in changed_claims],
            ]
        ):
            if self._breaks_rule_9_g(one_garment):
                return self._take_back(RULES[8])
        for one_claim in _distinct([*added_claims, *changed_claims]):
            if self._breaks_rule_10(one_claim):
                return self._take_back(RULES[9])
        done = f"report {garment['code']} as lost, damaged or found"
        if worth is not None:
            done += f" with a worth of {_money(worth)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def pay_claim(self, claim_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 50000}]) -> Result:
        """Pay for a lost piece, as credit of the customer.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            amount (int): Money paid as credit, at most the worth claimed, in cents, from 100 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["closed"]:
            return _refused("The claim is closed.")
        if amount > claim["worth"]:
            return _refused(f"The piece was worth {_money(claim['worth'])}.")
        self._journal = []
        self._put("claims", claim, "paid", amount)
        self._put("claims", claim, "closed", True)
        customer = self.customers[self.bags[self.garments[claim["garment_id"]]["bag_id"]]["customer_id"]]
        credit = (
            self.customers[self.bags[self.garments[claim["garment_id"]]["bag_id"]]["customer_id"]]["credit"]
            + amount
        )
        if not 0 <= credit <= 100000:
            return self._take_back(f"The credit of {customer['name']} must be between 0.00 and 1,000.00.")
        self._put("customers", customer, "credit", credit)
        if self._breaks_rule_9_c(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_c_again(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_g(self.garments[claim["garment_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: pay {_money(amount)} for {self.garments[claim['garment_id']]['code']}.",
            "data": self._changes(),
        }

    def _show_bag(self, bag: Bag) -> dict[str, Any]:
        """The bag as an answer shows it."""
        return {**bag, "price": self._bag_price(bag), "undone": self._bag_undone(bag)}

    def _show_machine(self, machine: Machine) -> dict[str, Any]:
        """The machine as an answer shows it."""
        return {**machine, "busy": self._machine_busy(machine)}

    def _names_of_bags(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bags point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.racks, "label", [row["rack_id"] for row in shown]),
        )

    def _names_of_garments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that garments point to."""
        return _names(
            (self.bags, "tag", [row["bag_id"] for row in shown]),
            (self.articles, "name", [row["article_id"] for row in shown]),
        )

    def _names_of_batches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that batches point to."""
        return _names((self.machines, "name", [row["machine_id"] for row in shown]))

    def _names_of_claims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that claims point to."""
        return _names((self.garments, "code", [row["garment_id"] for row in shown]))

    def _bag_price(self, bag: Bag) -> int:
        """The price of a bag."""
        return _rounded(
            Fraction(
                sum(
                    self.articles[g["article_id"]]["price"]
                    for g in self._garments_by_bag.get(bag["id"], {}).values()
                    if g["status"] != "lost"
                ) * (150 if bag["express"] else 100),
                100,
            )
        )

    def _bag_undone(self, bag: Bag) -> int:
        """The undone of a bag."""
        return sum(
            1
            for g in self._garments_by_bag.get(bag["id"], {}).values()
            if g["status"] in ("waiting", "washing")
        )

    def _machine_busy(self, machine: Machine) -> bool:
        """The busy of a machine."""
        return any(b["status"] == "running" for b in self._batches_by_machine.get(machine["id"], {}).values())

    def _ready_to_wash(self, g: Garment) -> bool:
        return g["status"] == "waiting" and (g["stain"] is None or g["treated"])

    def _inside(self, b: Batch) -> list[Garment]:
        return sorted(self._garments_by_batch_status.get((b["id"], "washing"), {}).values(), key=_age)

    def _free_rack(self, r: Rack) -> bool:
        return not self._bags_by_rack_status.get((r["id"], "shelved"), {})

    def _claim_of(self, g: Garment) -> Claim | None:
        return next(
            (c for c in sorted(self._claims_by_garment.get(g["id"], {}).values(), key=_age) if not c["closed"]),
            None,
        )

    def _breaks_rule_1_b(self, b: Batch) -> bool:
        """Whether this is broken: a machine washes one load at a time, and a broken one none."""
        return (
            b["status"] == "running"
            and any(
                other_b is not b
                for other_b in self._batches_by_machine_status.get((b["machine_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_1_b_again(self, b: Batch) -> bool:
        """Whether this is broken: a machine washes one load at a time, and a broken one none."""
        return b["status"] == "running" and self.machines[b["machine_id"]]["broken"]

    def _breaks_rule_2_a(self, a: Garment) -> bool:
        """Whether this is broken: only one colour is washed in a load."""
        return (
            a["batch_id"] is not None
            and a["status"] == "washing"
            and any(
                a["colour"] != b["colour"]
                for b in self._garments_by_batch_status.get((a["batch_id"], "washing"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2_b(self, b: Garment) -> bool:
        """Whether this is broken: only one colour is washed in a load."""
        return (
            b["status"] == "washing"
            and any(
                a["colour"] != b["colour"]
                for a in self._garments_by_batch_status.get((b["batch_id"], "washing"), {}).values()
                if a is not b
                and a["batch_id"] is not None
            )
        )

    def _breaks_rule_3(self, g: Garment) -> bool:
        """Whether this is broken: nothing is washed hotter than it bears."""
        return (
            g["status"] == "washing"
            and (g["batch_id"] is not None and self.batches[g["batch_id"]]["temperature"] > g["hottest"])
        )

    def _breaks_rule_4(self, b: Batch) -> bool:
        """Whether this is broken: no load is heavier than its machine takes."""
        return (
            b["status"] == "running"
            and sum(
                g["grams"]
                for g in self._garments_by_batch_status.get((b["id"], "washing"), {}).values()
            ) > self.machines[b["machine_id"]]["capacity"]
        )

    def _breaks_rule_5_g(self, g: Garment) -> bool:
        """Whether this is broken: what is being washed is in a running load, and nothing else is."""
        return (g["status"] == "washing") != (g["batch_id"] is not None)

    def _breaks_rule_5_g_again(self, g: Garment) -> bool:
        """Whether this is broken: what is being washed is in a running load, and nothing else is."""
        return g["batch_id"] is not None and self.batches[g["batch_id"]]["status"] != "running"

    def _breaks_rule_6_g(self, g: Garment) -> bool:
        """Whether this is broken: stains are treated before they are washed."""
        return g["status"] == "washing" and (g["stain"] is not None and not g["treated"])

    def _breaks_rule_6_g_again(self, g: Garment) -> bool:
        """Whether this is broken: stains are treated before they are washed."""
        return g["stain"] is None and g["treated"]

    def _breaks_rule_7(self, b: Bag) -> bool:
        """Whether this is broken: a shelved or collected bag has nothing left to wash."""
        return b["status"] in ("shelved", "collected") and self._bag_undone(b) != 0

    def _breaks_rule_8_b(self, b: Bag) -> bool:
        """Whether this is broken: a shelved bag has a rack of its own, and no other bag has one."""
        return (
            b["status"] == "shelved"
            and any(
                other_b is not b
                for other_b in self._bags_by_rack_status.get((b["rack_id"], "shelved"), {}).values()
            )
        )

    def _breaks_rule_8_b_again(self, b: Bag) -> bool:
        """Whether this is broken: a shelved bag has a rack of its own, and no other bag has one."""
        return (b["status"] == "shelved") != (b["rack_id"] is not None)

    def _breaks_rule_9_c(self, c: Claim) -> bool:
        """Whether this is broken: every lost piece has one open claim or a paid one, and other pieces have no open
        claim.
        """
        return (
            not c["closed"]
            and any(
                other_c is not c
                for other_c in self._claims_by_garment.get(c["garment_id"], {}).values()
                if not other_c["closed"]
            )
        )

    def _breaks_rule_9_c_again(self, c: Claim) -> bool:
        """Whether this is broken: every lost piece has one open claim or a paid one, and other pieces have no open
        claim.
        """
        return not c["closed"] and self.garments[c["garment_id"]]["status"] != "lost"

    def _breaks_rule_9_g(self, g: Garment) -> bool:
        """Whether this is broken: every lost piece has one open claim or a paid one, and other pieces have no open
        claim.
        """
        return (
            g["status"] == "lost"
            and not any(
                not c["closed"]
                or c["paid"] is not None
                for c in self._claims_by_garment.get(g["id"], {}).values()
            )
        )

    def _breaks_rule_10(self, c: Claim) -> bool:
        """Whether this is broken: nobody is paid more for a lost or damaged piece than it was worth."""
        return not (c["paid"] is None or c["closed"] and c["paid"] <= c["worth"])

    def _breaks_rule_11(self, b: Bag) -> bool:
        """Whether this is broken: an express bag is promised within three days of coming in."""
        return b["express"] and b["promised_at"] > _plus_minutes(b["came_at"], 3 * 1440)

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
            case "bags":
                self._bags_by_rack_status.setdefault((record["rack_id"], record["status"]), {})[record["id"]] = record
                self._bags_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._bags_by_tag.setdefault(record["tag"], {})[record["id"]] = record
            case "garments":
                self._garments_by_bag.setdefault(record["bag_id"], {})[record["id"]] = record
                self._garments_by_bag_status.setdefault((record["bag_id"], record["status"]), {})[record["id"]] = record
                self._garments_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
                self._garments_by_batch_status.setdefault(
                    (record["batch_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._garments_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._garments_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "batches":
                self._batches_by_machine.setdefault(record["machine_id"], {})[record["id"]] = record
                self._batches_by_machine_status.setdefault(
                    (record["machine_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "claims":
                self._claims_by_garment.setdefault(record["garment_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "bags":
                del self._bags_by_rack_status[record["rack_id"], record["status"]][record["id"]]
                del self._bags_by_status[record["status"]][record["id"]]
                del self._bags_by_tag[record["tag"]][record["id"]]
            case "garments":
                del self._garments_by_bag[record["bag_id"]][record["id"]]
                del self._garments_by_bag_status[record["bag_id"], record["status"]][record["id"]]
                del self._garments_by_batch[record["batch_id"]][record["id"]]
                del self._garments_by_batch_status[record["batch_id"], record["status"]][record["id"]]
                del self._garments_by_code[record["code"]][record["id"]]
                del self._garments_by_status[record["status"]][record["id"]]
            case "batches":
                del self._batches_by_machine[record["machine_id"]][record["id"]]
                del self._batches_by_machine_status[record["machine_id"], record["status"]][record["id"]]
            case "claims":
                del self._claims_by_garment[record["garment_id"]][record["id"]]
