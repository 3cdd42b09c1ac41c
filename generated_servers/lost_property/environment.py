"""Lost property office. Compiled from blueprint.yaml; run `envscaler build lost_property` after changing it there.

Keeps what is found on trains, trams and ferries, weighs the proof of those who claim it, hands it out and
disposes of the rest when its time is over.
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
    "No store holds more than it has room for.",
    "What is worth 100.00 or more lies in a secure store.",
    "Stored items have a place, and what has left has none.",
    "A claim is linked only to an item of the same kind and colour that was found on the day of the loss or later.",
    "An open claim is linked to nothing that has left the office.",
    "Every item that was handed out settled exactly one claim.",
    "Whoever got an item was identified and had proof enough for its value.",
    "Settled claims are paid, and no others.",
    "A proof of one sort is entered once for a claim.",
    "A batch takes only items of its fate whose time is over on the day it goes.",
    "Nothing in a batch is asked for in an open claim or was handed out.",
    "What is in a batch that has gone is disposed of, and nothing else is.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_item",
    "move_item",
    "extend_storage",
    "open_claim",
    "link_claim",
    "withdraw_claim",
    "add_proof",
    "hand_out",
    "plan_batch",
    "add_to_batch",
    "send_batch",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "places": ("name",),
    "kinds": ("name",),
    "stores": ("name",),
    "people": ("name",),
    "items": ("number",),
    "claims": (),
    "proofs": (),
    "batches": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("batches", "name"),
    ("claims", "item_id"),
    ("claims", "kind_id"),
    ("claims", "person_id"),
    ("claims", "status"),
    ("items", "batch_id"),
    ("items", "found_in_id"),
    ("items", "kind_id"),
    ("items", "number"),
    ("items", "store_id"),
    ("proofs", "claim_id"),
    ("proofs", "sort"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Place(TypedDict):
    id: str
    name: str


class Kind(TypedDict):
    id: str
    name: str
    keep_days: int
    fate: Literal["charity", "auction", "destruction"]
    fee: int
    bulk: int


class Store(TypedDict):
    id: str
    name: str
    room: int
    secure: bool


class Person(TypedDict):
    id: str
    name: str
    phone: str


class Item(TypedDict):
    id: str
    number: str
    kind_id: str
    colour: Literal["black", "blue", "red", "silver", "green"]
    found_on: str
    found_in_id: str
    value: int
    store_id: str | None
    finder_id: str | None
    extra_days: int
    batch_id: str | None
    status: Literal["stored", "handed_out", "disposed"]


class Claim(TypedDict):
    id: str
    person_id: str
    kind_id: str
    colour: Literal["black", "blue", "red", "silver", "green"]
    lost_on: str
    item_id: str | None
    paid: int | None
    reward: int | None
    status: Literal["open", "settled", "withdrawn"]


class Proof(TypedDict):
    id: str
    claim_id: str
    sort: Literal["identity", "detail", "photo", "receipt", "serial_number"]
    shown_on: str


class Batch(TypedDict):
    id: str
    name: str
    fate: Literal["charity", "auction", "destruction"]
    goes_on: str
    status: Literal["planned", "gone"]


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


class LostProperty:
    """Keeps what is found on trains, trams and ferries, weighs the proof of those who claim it, hands it
    out and disposes of the rest when its time is over.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.places: dict[str, Place] = _copied(config.get("places", {}))
        self.kinds: dict[str, Kind] = _copied(config.get("kinds", {}))
        self.stores: dict[str, Store] = _copied(config.get("stores", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.claims: dict[str, Claim] = _copied(config.get("claims", {}))
        self.proofs: dict[str, Proof] = _copied(config.get("proofs", {}))
        self.batches: dict[str, Batch] = _copied(config.get("batches", {}))
        self.now: str = config.get("now", "2026-09-22T09:30")
        self.counters: dict[str, int] = {
            "place": len(self.places),
            "kind": len(self.kinds),
            "store": len(self.stores),
            "person": len(self.people),
            "item": len(self.items),
            "claim": len(self.claims),
            "proof": len(self.proofs),
            "batch": len(self.batches),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._items_by_batch: dict[Any, dict[str, Item]] = {}
        self._items_by_found_in: dict[Any, dict[str, Item]] = {}
        self._items_by_kind: dict[Any, dict[str, Item]] = {}
        self._items_by_number: dict[Any, dict[str, Item]] = {}
        self._items_by_store: dict[Any, dict[str, Item]] = {}
        self._claims_by_item: dict[Any, dict[str, Claim]] = {}
        self._claims_by_item_status: dict[Any, dict[str, Claim]] = {}
        self._claims_by_person_kind_status: dict[Any, dict[str, Claim]] = {}
        self._proofs_by_claim: dict[Any, dict[str, Proof]] = {}
        self._proofs_by_claim_sort: dict[Any, dict[str, Proof]] = {}
        self._batches_by_name: dict[Any, dict[str, Batch]] = {}
        for item in self.items.values():
            self._link("items", item)
        for claim in self.claims.values():
            self._link("claims", claim)
        for proof in self.proofs.values():
            self._link("proofs", proof)
        for batch in self.batches.values():
            self._link("batches", batch)

    def likely_items(self, claim_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Stored items that may be what a claim is about, the first found after the loss on top.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        found = [
            i
            for i in self._items_by_kind.get(claim["kind_id"], {}).values()
            if (i["status"] == "stored" and self._fits_loss(claim, i))
        ]
        found.sort(key=lambda i: (i["found_on"], i["number"], _age(i)))
        shown = [
            {
                "id": i["id"],
                "number": i["number"],
                "found_on": i["found_on"],
                "found_in": self.places[i["found_in_id"]]["name"],
                "value": i["value"],
                "claims": len(self._pulled_by(i)),
                "batch": i["batch_id"],
            }
            for i in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "items": shown},
            _names((self.batches, "name", [row["batch"] for row in shown])),
        )

    def due_items(
        self,
        on: Date,
        fate: Literal["charity", "auction", "destruction"] | None = None,
        kind_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Stored items whose time is over on a day, which nobody claims and no batch holds, oldest find first.

        Args:
            on (str): Day on which the items' time must be over, as YYYY-MM-DD.
            fate (str, optional): What is meant to happen to the items: charity, auction or destruction. If left
                out, items of every fate are listed.
            kind_id (str, optional): Kind of the items; an id such as KIND-00001. If left out, items of all kinds
                are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        kind = self.kinds.get(kind_id) if kind_id is not None else None
        if kind_id is not None and kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        found = [
            i
            for i in self.items.values()
            if self._removable(i, on)
            and (fate is None or self.kinds[i["kind_id"]]["fate"] == fate)
            and (kind_id is None or i["kind_id"] == kind_id)
        ]
        found.sort(key=lambda i: (i["found_on"], i["number"], _age(i)))
        return _found(
            {
                "total": len(found),
                "items": [
                    {
                        "id": i["id"],
                        "number": i["number"],
                        "kind": self.kinds[i["kind_id"]]["name"],
                        "colour": i["colour"],
                        "found_on": i["found_on"],
                        "due_on": self._item_due_on(i),
                        "fate": self.kinds[i["kind_id"]]["fate"],
                        "value": i["value"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def claim_state(self, claim_id: str) -> Result:
        """How a claim stands, with what its item asks for and what it would cost today.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "data": {identified, strength, asked_for, rivals, fee}} or {"success": False,
                "error": why not}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        return _found(
            {
                "identified": self._identified(claim),
                "strength": self._claim_strength(claim),
                "asked_for": self._asked_for(self.items[claim["item_id"]]) if claim["item_id"] is not None else None,
                "rivals": len(
                    self._pulled_by(self.items[claim["item_id"]])
                ) - 1 if claim["item_id"] is not None and claim["status"] == "open" else 0,
                "fee": self._store_fee(
                    self.items[claim["item_id"]],
                    self.now[:10],
                ) if claim["item_id"] is not None else None,
            }
        )

    def list_places(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the places, oldest first, all of them or only some.

        Args:
            name (str, optional): Only places whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "places": records}}
        """
        found = [
            place
            for place in self.places.values()
            if (name is None or name.casefold() in place["name"].casefold())
        ]
        return _found({"total": len(found), "places": [self._show_place(place) for place in _page(found, offset)]})

    def list_kinds(
        self,
        name: Text | None = None,
        fate: Literal["charity", "auction", "destruction"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kinds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only kinds whose name contains this text.
            fate (str, optional): Only kinds with this fate.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kinds": records}}
        """
        found = [
            kind
            for kind in self.kinds.values()
            if (name is None or name.casefold() in kind["name"].casefold())
            and (fate is None or kind["fate"] == fate)
        ]
        return _found({"total": len(found), "kinds": [{**kind} for kind in _page(found, offset)]})

    def list_stores(
        self,
        name: Text | None = None,
        secure: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stores, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stores whose name contains this text.
            secure (bool, optional): Only stores that are secure (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stores": records}}
        """
        found = [
            store
            for store in self.stores.values()
            if (name is None or name.casefold() in store["name"].casefold())
            and (secure is None or store["secure"] == secure)
        ]
        return _found({"total": len(found), "stores": [self._show_store(store) for store in _page(found, offset)]})

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

    def list_items(
        self,
        number: Text | None = None,
        kind_id: str | None = None,
        colour: Literal["black", "blue", "red", "silver", "green"] | None = None,
        found_in_id: str | None = None,
        store_id: str | None = None,
        finder_id: str | None = None,
        batch_id: str | None = None,
        status: Literal["stored", "handed_out", "disposed"] | None = None,
        found_on_from: Date | None = None,
        found_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            number (str, optional): Only items whose number contains this text.
            kind_id (str, optional): Only items of this kind.
            colour (str, optional): Only items with this colour.
            found_in_id (str, optional): Only items found in this place.
            store_id (str, optional): Only items of this store.
            finder_id (str, optional): Only items whose finder is this person.
            batch_id (str, optional): Only items of this batch.
            status (str, optional): Only items with this status.
            found_on_from (str, optional): Only items whose `found_on` is on this day or later.
            found_on_to (str, optional): Only items whose `found_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        if found_in_id is not None and found_in_id not in self.places:
            return _refused(f"There is no place {found_in_id!r}.")
        if store_id is not None and store_id not in self.stores:
            return _refused(f"There is no store {store_id!r}.")
        if finder_id is not None and finder_id not in self.people:
            return _refused(f"There is no person {finder_id!r}.")
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (number is None or number.casefold() in item["number"].casefold())
            and (kind_id is None or item["kind_id"] == kind_id)
            and (colour is None or item["colour"] == colour)
            and (found_in_id is None or item["found_in_id"] == found_in_id)
            and (store_id is None or item["store_id"] == store_id)
            and (finder_id is None or item["finder_id"] == finder_id)
            and (batch_id is None or item["batch_id"] == batch_id)
            and (status is None or item["status"] == status)
            and (found_on_from is None or item["found_on"] >= found_on_from)
            and (found_on_to is None or item["found_on"] <= found_on_to)
        ]
        shown = [self._show_item(item) for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_claims(
        self,
        person_id: str | None = None,
        kind_id: str | None = None,
        colour: Literal["black", "blue", "red", "silver", "green"] | None = None,
        item_id: str | None = None,
        status: Literal["open", "settled", "withdrawn"] | None = None,
        lost_on_from: Date | None = None,
        lost_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the claims, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only claims of this person.
            kind_id (str, optional): Only claims of this kind.
            colour (str, optional): Only claims with this colour.
            item_id (str, optional): Only claims of this item.
            status (str, optional): Only claims with this status.
            lost_on_from (str, optional): Only claims whose `lost_on` is on this day or later.
            lost_on_to (str, optional): Only claims whose `lost_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        found = [
            claim
            for claim in self.claims.values()
            if (person_id is None or claim["person_id"] == person_id)
            and (kind_id is None or claim["kind_id"] == kind_id)
            and (colour is None or claim["colour"] == colour)
            and (item_id is None or claim["item_id"] == item_id)
            and (status is None or claim["status"] == status)
            and (lost_on_from is None or claim["lost_on"] >= lost_on_from)
            and (lost_on_to is None or claim["lost_on"] <= lost_on_to)
        ]
        shown = [self._show_claim(claim) for claim in _page(found, offset)]
        return _found({"total": len(found), "claims": shown}, self._names_of_claims(shown))

    def list_proofs(
        self,
        claim_id: str | None = None,
        sort: Literal["identity", "detail", "photo", "receipt", "serial_number"] | None = None,
        shown_on_from: Date | None = None,
        shown_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proofs, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only proofs of this claim.
            sort (str, optional): Only proofs with this sort.
            shown_on_from (str, optional): Only proofs whose `shown_on` is on this day or later.
            shown_on_to (str, optional): Only proofs whose `shown_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proofs": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        found = [
            proof
            for proof in self.proofs.values()
            if (claim_id is None or proof["claim_id"] == claim_id)
            and (sort is None or proof["sort"] == sort)
            and (shown_on_from is None or proof["shown_on"] >= shown_on_from)
            and (shown_on_to is None or proof["shown_on"] <= shown_on_to)
        ]
        return _found({"total": len(found), "proofs": [{**proof} for proof in _page(found, offset)]})

    def list_batches(
        self,
        name: Text | None = None,
        fate: Literal["charity", "auction", "destruction"] | None = None,
        status: Literal["planned", "gone"] | None = None,
        goes_on_from: Date | None = None,
        goes_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the batches, oldest first, all of them or only some.

        Args:
            name (str, optional): Only batches whose name contains this text.
            fate (str, optional): Only batches with this fate.
            status (str, optional): Only batches with this status.
            goes_on_from (str, optional): Only batches whose `goes_on` is on this day or later.
            goes_on_to (str, optional): Only batches whose `goes_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}}
        """
        found = [
            batch
            for batch in self.batches.values()
            if (name is None or name.casefold() in batch["name"].casefold())
            and (fate is None or batch["fate"] == fate)
            and (status is None or batch["status"] == status)
            and (goes_on_from is None or batch["goes_on"] >= goes_on_from)
            and (goes_on_to is None or batch["goes_on"] <= goes_on_to)
        ]
        return _found({"total": len(found), "batches": [self._show_batch(batch) for batch in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_item(
        self,
        number: Text,
        kind_id: str,
        colour: Literal["black", "blue", "red", "silver", "green"],
        found_on: Date,
        found_in_id: str,
        value: Annotated[int, {"minimum": 0, "maximum": 500000}],
        store_id: str,
        finder_id: str | None = None,
    ) -> Result:
        """Register a found item and put it into a store.

        Args:
            number (str): Number of the new item, not in use yet.
            kind_id (str): Id of the kind, such as KIND-00001.
            colour (str): Main colour of the item: black, blue, red, silver or green.
            found_on (str): Day on which it was found, within the last 30 days, as YYYY-MM-DD.
            found_in_id (str): Place where it was found; an id such as PLACE-00001.
            value (int): Estimated worth of the item, in cents, from 0 to 500000.
            store_id (str): Id of the store, such as STORE-00001.
            finder_id (str, optional): Person who found and handed in the item; an id such as PERSON-00001. If left
                out, no finder is noted.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        kind = self.kinds.get(kind_id)
        if kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        found_in = self.places.get(found_in_id)
        if found_in is None:
            return _refused(f"There is no place {found_in_id!r}.")
        store = self.stores.get(store_id)
        if store is None:
            return _refused(f"There is no store {store_id!r}.")
        finder = self.people.get(finder_id) if finder_id is not None else None
        if finder_id is not None and finder is None:
            return _refused(f"There is no person {finder_id!r}.")
        if self._items_by_number.get(number, {}):
            return _refused(f"There is an item {number} already.")
        if _plus_days(self.now[:10], -30) > found_on or found_on > self.now[:10]:
            return _refused(f"Finds are registered within 30 days, and {found_on} is not.")
        if value >= 10000 and not store["secure"]:
            return _refused(f"A find worth {_money(value)} belongs in a secure store, which {store['name']} is not.")
        if self._store_left(store) < kind["bulk"]:
            return _refused(
                f"{store['name']} has room for {self._store_left(store)}, and a {kind['name']} takes {kind['bulk']}."
            )
        self._journal = []
        item: Item = {
            "id": self._new_id("item", "ITEM", self.items),
            "number": number,
            "kind_id": kind_id,
            "colour": colour,
            "found_on": found_on,
            "found_in_id": found_in_id,
            "value": value,
            "store_id": store_id,
            "finder_id": finder_id,
            "extra_days": 0,
            "batch_id": None,
            "status": "stored",
        }
        self._add("items", item)
        if len(self._items_by_number.get(item["number"], {})) > 1:
            return self._take_back(f"There is already an item with the number {item['number']!r}.")
        for one_store in _distinct([self.stores.get(item["store_id"])]):
            if self._breaks_rule_1(one_store):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(item):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(item):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(item):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(item):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_i(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(item):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: register the {colour} {kind['name']} {number} in {store['name']} (new: item {item['id']})."
            ),
            "data": {"item_id": item["id"], **self._changes()},
        }

    def move_item(self, item_id: str, store_id: str) -> Result:
        """Move a stored item to another store.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            store_id (str): Id of the store, such as STORE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        store = self.stores.get(store_id)
        if store is None:
            return _refused(f"There is no store {store_id!r}.")
        if item["status"] != "stored":
            return _refused(f"{item['number']} is {item['status']}.")
        if item["store_id"] == store_id:
            return _refused(f"{item['number']} lies in {store['name']} already.")
        if item["value"] >= 10000 and not store["secure"]:
            return _refused(f"{item['number']} is worth {_money(item['value'])} and belongs in a secure store.")
        if self._store_left(store) < self.kinds[item["kind_id"]]["bulk"]:
            return _refused(
                f"{store['name']} has room for {self._store_left(store)}, and {item['number']} takes "
                f"{self.kinds[item['kind_id']]['bulk']}."
            )
        self._journal = []
        former_store_id = item["store_id"]
        self._put("items", item, "store_id", store_id)
        for one_store in _distinct([self.stores.get(item["store_id"]), self.stores.get(former_store_id)]):
            if self._breaks_rule_1(one_store):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(item):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(item):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move {item['number']} to {store['name']}.",
            "data": self._changes(),
        }

    def extend_storage(self, item_id: str, more_days: Annotated[int, {"minimum": 1, "maximum": 180}]) -> Result:
        """Keep an item longer than its kind is kept.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            more_days (int): Days that are added to the time it is kept, from 1 to 180.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if item["status"] != "stored":
            return _refused(f"{item['number']} is {item['status']}.")
        if item["batch_id"] is not None:
            return _refused(f"{item['number']} is in {self.batches[item['batch_id']]['name']} already.")
        if item["extra_days"] + more_days > 365:
            return _refused(f"{item['number']} is kept {item['extra_days']} days longer already.")
        self._journal = []
        extra_days = item["extra_days"] + more_days
        if not 0 <= extra_days <= 365:
            return self._take_back(f"The extra days of {item['number']} must be between 0 and 365.")
        self._put("items", item, "extra_days", extra_days)
        if self._breaks_rule_10(item):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: keep {item['number']} {more_days} days longer.",
            "data": self._changes(),
        }

    def open_claim(
        self,
        person_id: str,
        kind_id: str,
        colour: Literal["black", "blue", "red", "silver", "green"],
        lost_on: Date,
        item_id: str | None = None,
    ) -> Result:
        """Open a claim of somebody who has lost something, linked to an item where one is named, which is taken out
        of a batch that has not gone.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            kind_id (str): Id of the kind, such as KIND-00001.
            colour (str): Main colour of what was lost: black, blue, red, silver or green.
            lost_on (str): Day on which it was lost, not after today, as YYYY-MM-DD.
            item_id (str, optional): Stored item that seems to be the lost one; an id such as ITEM-00001. If left
                out, the claim is not linked to an item yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        kind = self.kinds.get(kind_id)
        if kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        item = self.items.get(item_id) if item_id is not None else None
        if item_id is not None and item is None:
            return _refused(f"There is no item {item_id!r}.")
        if lost_on > self.now[:10]:
            return _refused(f"{lost_on} is in the future.")
        if any(
            each["lost_on"] == lost_on
            for each in self._claims_by_person_kind_status.get((person_id, kind_id, "open"), {}).values()
        ):
            return _refused(f"{person['name']} has claimed a {kind['name']} lost on {lost_on} already.")
        if item_id is not None and item["status"] != "stored":
            return _refused(f"{item['number']} is {item['status']}.")
        if not (item_id is None or item["kind_id"] == kind_id and item["colour"] == colour):
            return _refused(f"{item['number']} is a {item['colour']} {self.kinds[item['kind_id']]['name']}.")
        if item_id is not None and item["found_on"] < lost_on:
            return _refused(f"{item['number']} was found on {item['found_on']}, before it was lost.")
        self._journal = []
        changed_items: list[Any] = []
        if item_id is not None:
            changed_items.append(item)
            self._put("items", item, "batch_id", None)
        claim: Claim = {
            "id": self._new_id("claim", "CLAIM", self.claims),
            "person_id": person_id,
            "kind_id": kind_id,
            "colour": colour,
            "lost_on": lost_on,
            "item_id": item_id,
            "paid": None,
            "reward": None,
            "status": "open",
        }
        self._add("claims", claim)
        if self._breaks_rule_4(claim):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(claim):
            return self._take_back(RULES[4])
        for one_item in _distinct([self.items.get(claim["item_id"])]):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(claim):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(claim):
            return self._take_back(RULES[7])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_10(one_item):
                return self._take_back(RULES[9])
        for one_claim in _distinct(
            [
                claim,
                *[
                    user
                    for one in changed_items
                    for user in self._claims_by_item_status.get((one["id"], "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11_c(one_claim):
                return self._take_back(RULES[10])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_11_i(one_item):
                return self._take_back(RULES[10])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_12(one_item):
                return self._take_back(RULES[11])
        done = f"open the claim of {person['name']} for a {colour} {kind['name']}"
        if item is not None:
            done += f" and link it to {item['number']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: claim {claim['id']}).",
            "data": {"claim_id": claim["id"], **self._changes()},
        }

    def link_claim(self, claim_id: str, item_id: str) -> Result:
        """Link an open claim to an item that may be the lost one, in place of any other; it leaves a batch that has
        not gone, and details or a serial number shown for another item count no more.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if claim["status"] != "open":
            return _refused(f"The claim of {self.people[claim['person_id']]['name']} is {claim['status']}.")
        if claim["item_id"] == item_id:
            return _refused(
                f"The claim of {self.people[claim['person_id']]['name']} is linked to {item['number']} already."
            )
        if item["status"] != "stored":
            return _refused(f"{item['number']} is {item['status']}.")
        if item["kind_id"] != claim["kind_id"] or item["colour"] != claim["colour"]:
            return _refused(
                f"{self.people[claim['person_id']]['name']} has lost a {claim['colour']} "
                f"{self.kinds[claim['kind_id']]['name']}, and {item['number']} is a {item['colour']} "
                f"{self.kinds[item['kind_id']]['name']}."
            )
        if item["found_on"] < claim["lost_on"]:
            return _refused(
                f"{item['number']} was found on {item['found_on']}, before the loss on {claim['lost_on']}."
            )
        self._journal = []
        deleted_proofs: list[Any] = []
        if claim["item_id"] is not None:
            for p in [
                p
                for p in sorted(self._proofs_by_claim.get(claim_id, {}).values(), key=_age)
                if p["sort"] in ("detail", "serial_number")
            ]:
                if p["id"] in self.proofs:
                    self._remove("proofs", p)
                deleted_proofs.append(p)
        self._put("items", item, "batch_id", None)
        former_item_id = claim["item_id"]
        self._put("claims", claim, "item_id", item_id)
        if self._breaks_rule_4(claim):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(claim):
            return self._take_back(RULES[4])
        for one_item in _distinct([self.items.get(claim["item_id"]), self.items.get(former_item_id)]):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_claim in _distinct([claim, *[self.claims[one["claim_id"]] for one in deleted_proofs]]):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        if self._breaks_rule_10(item):
            return self._take_back(RULES[9])
        for one_claim in _distinct([claim, *self._claims_by_item_status.get((item["id"], "open"), {}).values()]):
            if self._breaks_rule_11_c(one_claim):
                return self._take_back(RULES[10])
        if self._breaks_rule_11_i(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(item):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: link the claim of {self.people[claim['person_id']]['name']} to {item['number']}.",
            "data": self._changes(),
        }

    def withdraw_claim(self, claim_id: str) -> Result:
        """Close a claim that is not pursued.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "open":
            return _refused(f"The claim of {self.people[claim['person_id']]['name']} is {claim['status']}.")
        self._journal = []
        former_item_id = claim["item_id"]
        self._put("claims", claim, "item_id", None)
        self._put("claims", claim, "status", "withdrawn")
        if self._breaks_rule_4(claim):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(claim):
            return self._take_back(RULES[4])
        for one_item in _distinct([self.items.get(claim["item_id"]), self.items.get(former_item_id)]):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(claim):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(claim):
            return self._take_back(RULES[7])
        if self._breaks_rule_11_c(claim):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: withdraw the claim of {self.people[claim['person_id']]['name']}.",
            "data": self._changes(),
        }

    def add_proof(
        self,
        claim_id: str,
        sort: Literal["identity", "detail", "photo", "receipt", "serial_number"],
    ) -> Result:
        """Enter what somebody has shown for a claim; a detail counts one, a photo two, a receipt three, a serial
        number five.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            sort (str): What the person has shown: identity, detail, photo, receipt or serial_number.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "open":
            return _refused(f"The claim of {self.people[claim['person_id']]['name']} is {claim['status']}.")
        if self._proofs_by_claim_sort.get((claim_id, sort), {}):
            return _refused(f"{self.people[claim['person_id']]['name']} has shown that already.")
        self._journal = []
        proof: Proof = {
            "id": self._new_id("proof", "PROOF", self.proofs),
            "claim_id": claim_id,
            "sort": sort,
            "shown_on": self.now[:10],
        }
        self._add("proofs", proof)
        if self._breaks_rule_7(self.claims[proof["claim_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(proof):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: enter the proof {sort} for the claim of {self.people[claim['person_id']]['name']} (new: "
                f"proof {proof['id']})."
            ),
            "data": {"proof_id": proof["id"], **self._changes()},
        }

    def hand_out(self, claim_id: str) -> Result:
        """Hand an item out to the claimant with the strongest proof against its fee; half the fee is added for every
        30 days, and a finder is due five percent of the value.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "open":
            return _refused(f"The claim of {self.people[claim['person_id']]['name']} is {claim['status']}.")
        item = self.items.get(claim["item_id"])
        if item is None:
            return _refused(f"The claim of {self.people[claim['person_id']]['name']} is not linked to an item.")
        if item["batch_id"] is not None:
            return _refused(f"{item['number']} is in {self.batches[item['batch_id']]['name']}.")
        if not self._identified(claim):
            return _refused(f"{self.people[claim['person_id']]['name']} has not shown an identity card.")
        if self._claim_strength(claim) < self._asked_for(item):
            return _refused(
                f"{item['number']} asks for proof of {self._asked_for(item)}, and "
                f"{self.people[claim['person_id']]['name']} has {self._claim_strength(claim)}."
            )
        rival = self._stronger(claim)
        if rival is not None:
            return _refused(
                f"{self.people[rival['person_id']]['name']} claims {item['number']} with proof of "
                f"{self._claim_strength(rival)}, which is no weaker."
            )
        self._journal = []
        changed_claims: list[Any] = []
        former_item_ids: list[Any] = []
        paid = self._store_fee(item, self.now[:10])
        if not 0 <= paid <= 60000:
            return self._take_back(f"The paid of {claim['id']} must be between 0.00 and 600.00.")
        self._put("claims", claim, "paid", paid)
        reward = (
            item["value"] // 20
            if item["finder_id"] is not None and item["finder_id"] != claim["person_id"]
            else None
        )
        if reward is not None and not 0 <= reward <= 60000:
            return self._take_back(f"The reward of {claim['id']} must be between 0.00 and 600.00.")
        self._put("claims", claim, "reward", reward)
        self._put("claims", claim, "status", "settled")
        former_store_id = item["store_id"]
        self._put("items", item, "store_id", None)
        if item["status"] not in ("stored", "handed_out"):
            return self._take_back(f"Item {item['number']} cannot go from {item['status']} to handed_out.")
        self._put("items", item, "status", "handed_out")
        for c in list(self._pulled_by(item)):
            changed_claims.append(c)
            former_item_ids.append(c["item_id"])
            self._put("claims", c, "item_id", None)
        for one_store in _distinct([self.stores.get(item["store_id"]), self.stores.get(former_store_id)]):
            if self._breaks_rule_1(one_store):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(item):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(item):
            return self._take_back(RULES[2])
        for one_claim in _distinct(changed_claims):
            if self._breaks_rule_4(one_claim):
                return self._take_back(RULES[3])
        for one_claim in _distinct([claim, *self._claims_by_item.get(item["id"], {}).values(), *changed_claims]):
            if self._breaks_rule_5(one_claim):
                return self._take_back(RULES[4])
        for one_item in _distinct(
            [
                self.items.get(claim["item_id"]),
                item,
                *[self.items.get(one["item_id"]) for one in changed_claims],
                *[self.items.get(key) for key in former_item_ids],
            ]
        ):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_claim in _distinct([claim, *changed_claims]):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(claim):
            return self._take_back(RULES[7])
        for one_claim in _distinct([claim, *changed_claims]):
            if self._breaks_rule_11_c(one_claim):
                return self._take_back(RULES[10])
        if self._breaks_rule_11_i(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(item):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: hand out the item of {self.people[claim['person_id']]['name']}.",
            "data": self._changes(),
        }

    def plan_batch(self, name: Text, fate: Literal["charity", "auction", "destruction"], goes_on: Date) -> Result:
        """Plan a day on which items of one fate leave the office together.

        Args:
            name (str): Name of the new batch, not in use yet.
            fate (str): What happens to the items: charity, auction or destruction.
            goes_on (str): Day on which the batch leaves, within 90 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._batches_by_name.get(name, {}):
            return _refused(f"There is a batch {name} already.")
        if self.now[:10] > goes_on or goes_on > _plus_days(self.now[:10], 90):
            return _refused(f"A batch goes between {self.now[:10]} and {_plus_days(self.now[:10], 90)}.")
        self._journal = []
        batch: Batch = {
            "id": self._new_id("batch", "BATCH", self.batches),
            "name": name,
            "fate": fate,
            "goes_on": goes_on,
            "status": "planned",
        }
        self._add("batches", batch)
        if len(self._batches_by_name.get(batch["name"], {})) > 1:
            return self._take_back(f"There is already a batch with the name {batch['name']!r}.")
        return {
            "success": True,
            "message": f"Done: plan {name} for {goes_on} (new: batch {batch['id']}).",
            "data": {"batch_id": batch["id"], **self._changes()},
        }

    def add_to_batch(self, batch_id: str, item_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Put items whose time is over into a planned batch of their fate.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            item_ids (list): Items to put in, each once, with the batch's fate and unclaimed: ids of items, such as
                ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        items = []
        for key in item_ids:
            if key not in self.items:
                return _refused(f"There is no item {key!r}.")
            items.append(self.items[key])
        if batch["status"] != "planned":
            return _refused(f"{batch['name']} has gone.")
        if not (len(items) > 0 and _different([i["id"] for i in items])):
            return _refused("Name at least one item, and each once.")
        gone = next((i for i in items if (i["status"] != "stored" or i["batch_id"] is not None)), None)
        if gone is not None:
            return _refused(f"{gone['number']} is not in the store any more, or in a batch already.")
        other = next((i for i in items if self.kinds[i["kind_id"]]["fate"] != batch["fate"]), None)
        if other is not None:
            return _refused(f"{other['number']} is meant for {self.kinds[other['kind_id']]['fate']}.")
        early = next((i for i in items if self._item_due_on(i) > batch["goes_on"]), None)
        if early is not None:
            return _refused(f"{early['number']} is kept until {self._item_due_on(early)}.")
        wanted = next((i for i in items if len(self._pulled_by(i)) > 0), None)
        if wanted is not None:
            return _refused(f"Somebody claims {wanted['number']}.")
        self._journal = []
        changed_items: list[Any] = []
        for i in list(items):
            changed_items.append(i)
            self._put("items", i, "batch_id", batch_id)
        for one_item in _distinct(changed_items):
            if self._breaks_rule_10(one_item):
                return self._take_back(RULES[9])
        for one_claim in _distinct(
            [
                user
                for one in changed_items
                for user in self._claims_by_item_status.get((one["id"], "open"), {}).values()
            ]
        ):
            if self._breaks_rule_11_c(one_claim):
                return self._take_back(RULES[10])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_11_i(one_item):
                return self._take_back(RULES[10])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_12(one_item):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: put {', '.join(str(one['number']) for one in items)} into {batch['name']}.",
            "data": self._changes(),
        }

    def send_batch(self, batch_id: str) -> Result:
        """Let a batch leave on its day or later; its items are disposed of.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "planned":
            return _refused(f"{batch['name']} has gone.")
        if batch["goes_on"] > self.now[:10]:
            return _refused(f"{batch['name']} goes on {batch['goes_on']}.")
        if not self._items_by_batch.get(batch_id, {}):
            return _refused(f"There is nothing in {batch['name']}.")
        self._journal = []
        changed_items: list[Any] = []
        former_store_ids: list[Any] = []
        changed_items_2: list[Any] = []
        self._put("batches", batch, "status", "gone")
        for i in sorted(self._items_by_batch.get(batch_id, {}).values(), key=_age):
            changed_items.append(i)
            former_store_ids.append(i["store_id"])
            self._put("items", i, "store_id", None)
            if i["status"] not in ("stored", "disposed"):
                return self._take_back(f"Item {i['number']} cannot go from {i['status']} to disposed.")
            changed_items_2.append(i)
            self._put("items", i, "status", "disposed")
        for one_store in _distinct(
            [
                *[self.stores.get(one["store_id"]) for one in changed_items],
                *[self.stores.get(key) for key in former_store_ids],
            ]
        ):
            if self._breaks_rule_1(one_store):
                return self._take_back(RULES[0])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_2(one_item):
                return self._take_back(RULES[1])
        for one_item in _distinct([*changed_items, *changed_items_2]):
            if self._breaks_rule_3(one_item):
                return self._take_back(RULES[2])
        for one_claim in _distinct(
            [user for one in changed_items_2 for user in self._claims_by_item.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_claim):
                return self._take_back(RULES[4])
        for one_item in _distinct(changed_items_2):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_item in _distinct(changed_items_2):
            if self._breaks_rule_11_i(one_item):
                return self._take_back(RULES[10])
        for one_item in _distinct([*self._items_by_batch.get(batch["id"], {}).values(), *changed_items_2]):
            if self._breaks_rule_12(one_item):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: send {batch['name']} off.", "data": self._changes()}

    def _show_place(self, place: Place) -> dict[str, Any]:
        """The place as an answer shows it."""
        return {**place, "finds": self._place_finds(place)}

    def _show_store(self, store: Store) -> dict[str, Any]:
        """The store as an answer shows it."""
        return {**store, "left": self._store_left(store)}

    def _show_item(self, item: Item) -> dict[str, Any]:
        """The item as an answer shows it."""
        return {**item, "due_on": self._item_due_on(item)}

    def _show_claim(self, claim: Claim) -> dict[str, Any]:
        """The claim as an answer shows it."""
        return {**claim, "strength": self._claim_strength(claim)}

    def _show_batch(self, batch: Batch) -> dict[str, Any]:
        """The batch as an answer shows it."""
        return {**batch, "load": self._batch_load(batch)}

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.kinds, "name", [row["kind_id"] for row in shown]),
            (self.places, "name", [row["found_in_id"] for row in shown]),
            (self.stores, "name", [row["store_id"] for row in shown]),
            (self.people, "name", [row["finder_id"] for row in shown]),
            (self.batches, "name", [row["batch_id"] for row in shown]),
        )

    def _names_of_claims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that claims point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.kinds, "name", [row["kind_id"] for row in shown]),
            (self.items, "number", [row["item_id"] for row in shown]),
        )

    def _place_finds(self, place: Place) -> int:
        """The finds of a place."""
        return len(self._items_by_found_in.get(place["id"], {}))

    def _store_left(self, store: Store) -> int:
        """The left of a store."""
        return (
            store["room"]
            - sum(self.kinds[i["kind_id"]]["bulk"] for i in self._items_by_store.get(store["id"], {}).values())
        )

    def _item_due_on(self, item: Item) -> str:
        """The due on of an item."""
        return _plus_days(_plus_days(item["found_on"], self.kinds[item["kind_id"]]["keep_days"]), item["extra_days"])

    def _claim_strength(self, claim: Claim) -> int:
        """The strength of a claim."""
        return sum(self._worth(p["sort"]) for p in self._proofs_by_claim.get(claim["id"], {}).values())

    def _batch_load(self, batch: Batch) -> int:
        """The load of a batch."""
        return sum(self.kinds[i["kind_id"]]["bulk"] for i in self._items_by_batch.get(batch["id"], {}).values())

    def _worth(self, sort: str) -> int:
        return (
            0
            if sort == "identity"
            else 1
            if sort == "detail"
            else 2
            if sort == "photo"
            else 3
            if sort == "receipt"
            else 5
        )

    def _asked_for(self, i: Item) -> int:
        return 1 if i["value"] < 5000 else 3 if i["value"] < 20000 else 5

    def _identified(self, c: Claim) -> bool:
        return any(p["sort"] == "identity" for p in self._proofs_by_claim.get(c["id"], {}).values())

    def _pulled_by(self, i: Item) -> list[Claim]:
        return sorted(self._claims_by_item_status.get((i["id"], "open"), {}).values(), key=_age)

    def _stronger(self, c: Claim) -> Claim | None:
        return next(
            (
                o
                for o in sorted(self._claims_by_item_status.get((c["item_id"], "open"), {}).values(), key=_age)
                if c["item_id"] is not None
                and o is not c
                and self._claim_strength(o) >= self._claim_strength(c)
            ),
            None,
        )

    def _store_fee(self, i: Item, on: str) -> int:
        return (
            self.kinds[i["kind_id"]]["fee"]
            + self.kinds[i["kind_id"]]["fee"] * (_days_between(i["found_on"], on) // 30) // 2
        )

    def _fits_loss(self, c: Claim, i: Item) -> bool:
        return i["kind_id"] == c["kind_id"] and i["colour"] == c["colour"] and i["found_on"] >= c["lost_on"]

    def _removable(self, i: Item, on: str) -> bool:
        return (
            i["status"] == "stored"
            and i["batch_id"] is None
            and self._item_due_on(i) <= on
            and len(self._pulled_by(i)) == 0
        )

    def _breaks_rule_1(self, s: Store) -> bool:
        """Whether this is broken: no store holds more than it has room for."""
        return self._store_left(s) < 0

    def _breaks_rule_2(self, i: Item) -> bool:
        """Whether this is broken: what is worth 100.00 or more lies in a secure store."""
        return i["store_id"] is not None and (i["value"] >= 10000 and not self.stores[i["store_id"]]["secure"])

    def _breaks_rule_3(self, i: Item) -> bool:
        """Whether this is broken: stored items have a place, and what has left has none."""
        return (i["status"] == "stored") != (i["store_id"] is not None)

    def _breaks_rule_4(self, c: Claim) -> bool:
        """Whether this is broken: a claim is linked only to an item of the same kind and colour that was found on the
        day of the loss or later.
        """
        return not (c["item_id"] is None or self._fits_loss(c, self.items[c["item_id"]]))

    def _breaks_rule_5(self, c: Claim) -> bool:
        """Whether this is broken: an open claim is linked to nothing that has left the office."""
        return c["status"] == "open" and c["item_id"] is not None and self.items[c["item_id"]]["status"] != "stored"

    def _breaks_rule_6(self, i: Item) -> bool:
        """Whether this is broken: every item that was handed out settled exactly one claim."""
        return (i["status"] == "handed_out") != (len(self._claims_by_item_status.get((i["id"], "settled"), {})) == 1)

    def _breaks_rule_7(self, c: Claim) -> bool:
        """Whether this is broken: whoever got an item was identified and had proof enough for its value."""
        return (
            c["status"] == "settled"
            and not (
                self._identified(c)
                and c["item_id"] is not None
                and self._claim_strength(c) >= self._asked_for(self.items[c["item_id"]])
            )
        )

    def _breaks_rule_8(self, c: Claim) -> bool:
        """Whether this is broken: settled claims are paid, and no others."""
        return (c["status"] == "settled") != (c["paid"] is not None)

    def _breaks_rule_9(self, p: Proof) -> bool:
        """Whether this is broken: a proof of one sort is entered once for a claim."""
        return any(
            other_p is not p
            for other_p in self._proofs_by_claim_sort.get((p["claim_id"], p["sort"]), {}).values()
        )

    def _breaks_rule_10(self, i: Item) -> bool:
        """Whether this is broken: a batch takes only items of its fate whose time is over on the day it goes."""
        return not (
            i["batch_id"] is None
            or self.batches[i["batch_id"]]["fate"] == self.kinds[i["kind_id"]]["fate"]
            and self._item_due_on(i) <= self.batches[i["batch_id"]]["goes_on"]
        )

    def _breaks_rule_11_c(self, c: Claim) -> bool:
        """Whether this is broken: nothing in a batch is asked for in an open claim or was handed out."""
        return c["status"] == "open" and c["item_id"] is not None and self.items[c["item_id"]]["batch_id"] is not None

    def _breaks_rule_11_i(self, i: Item) -> bool:
        """Whether this is broken: nothing in a batch is asked for in an open claim or was handed out."""
        return i["batch_id"] is not None and i["status"] == "handed_out"

    def _breaks_rule_12(self, i: Item) -> bool:
        """Whether this is broken: what is in a batch that has gone is disposed of, and nothing else is."""
        return (i["status"] == "disposed") != (
            i["batch_id"] is not None
            and self.batches[i["batch_id"]]["status"] == "gone"
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
            case "items":
                self._items_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
                self._items_by_found_in.setdefault(record["found_in_id"], {})[record["id"]] = record
                self._items_by_kind.setdefault(record["kind_id"], {})[record["id"]] = record
                self._items_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._items_by_store.setdefault(record["store_id"], {})[record["id"]] = record
            case "claims":
                self._claims_by_item.setdefault(record["item_id"], {})[record["id"]] = record
                self._claims_by_item_status.setdefault((record["item_id"], record["status"]), {})[record["id"]] = record
                self._claims_by_person_kind_status.setdefault(
                    (record["person_id"], record["kind_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "proofs":
                self._proofs_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
                self._proofs_by_claim_sort.setdefault((record["claim_id"], record["sort"]), {})[record["id"]] = record
            case "batches":
                self._batches_by_name.setdefault(record["name"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "items":
                del self._items_by_batch[record["batch_id"]][record["id"]]
                del self._items_by_found_in[record["found_in_id"]][record["id"]]
                del self._items_by_kind[record["kind_id"]][record["id"]]
                del self._items_by_number[record["number"]][record["id"]]
                del self._items_by_store[record["store_id"]][record["id"]]
            case "claims":
                del self._claims_by_item[record["item_id"]][record["id"]]
                del self._claims_by_item_status[record["item_id"], record["status"]][record["id"]]
                del self._claims_by_person_kind_status[
                    record["person_id"],
                    record["kind_id"],
                    record["status"],
                ][record["id"]]
            case "proofs":
                del self._proofs_by_claim[record["claim_id"]][record["id"]]
                del self._proofs_by_claim_sort[record["claim_id"], record["sort"]][record["id"]]
            case "batches":
                del self._batches_by_name[record["name"]][record["id"]]
