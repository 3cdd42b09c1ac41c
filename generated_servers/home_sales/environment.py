"""Home sales. Compiled from blueprint.yaml; run `envscaler build home_sales` after changing it there.

Sells homes for their owners, with listings, offers and counter-offers, one contract at a time, conditions with
deadlines, earnest money and closings.
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
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A home is on the market once at a time.",
    "A listing has one contract at most.",
    "A listing is under contract exactly as long as an offer for it is accepted.",
    "A listing that is sold has one closed offer, and neither a sold nor a withdrawn one has an offer that waits for an answer.",
    "A buyer has one offer at a time in play for a listing.",
    "Nobody is bound by contracts and purchases for more than their funds.",
    "A condition of a kind stands once in an offer and is due by the day of closing.",
    "Earnest money is paid on contracts only, and never more than is due.",
    "Conditions are cleared once all of the earnest money is there.",
    "The bank agrees only after the appraisal is settled.",
    "A sale closes with nothing open.",
    "The earnest money of a broken contract has gone to one side, and of no other offer.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "list_home",
    "withdraw_listing",
    "change_price",
    "make_offer",
    "counter_offer",
    "accept_offer",
    "reject_offer",
    "pay_earnest",
    "clear_condition",
    "extend_deadline",
    "break_contract",
    "close_sale",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "agents": ("name",),
    "homes": ("address",),
    "listings": (),
    "buyers": ("name",),
    "offers": (),
    "conditions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("conditions", "kind"),
    ("conditions", "offer_id"),
    ("conditions", "status"),
    ("listings", "agent_id"),
    ("listings", "home_id"),
    ("offers", "buyer_id"),
    ("offers", "listing_id"),
    ("offers", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Agent(TypedDict):
    id: str
    name: str
    commission_percent: int


class Home(TypedDict):
    id: str
    address: str
    rooms: int
    year_built: int


class Listing(TypedDict):
    id: str
    home_id: str
    agent_id: str
    asking: int
    listed_on: str
    status: Literal["active", "under_contract", "withdrawn", "sold"]


class Buyer(TypedDict):
    id: str
    name: str
    funds: int


class Offer(TypedDict):
    id: str
    listing_id: str
    buyer_id: str
    amount: int
    earnest_percent: int
    earnest_paid: int
    waits_for: Literal["seller", "buyer"]
    expires: str
    closes_on: str
    earnest_to: Literal["seller", "buyer"] | None
    status: Literal["open", "accepted", "rejected", "closed", "broken"]


class Condition(TypedDict):
    id: str
    offer_id: str
    kind: Literal["inspection", "appraisal", "financing", "own_home_sold"]
    due: str
    status: Literal["open", "met", "waived", "failed"]


class MakeOfferCondition(TypedDict):
    kind: Literal["inspection", "appraisal", "financing", "own_home_sold"]
    due: Date


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class HomeSales:
    """Sells homes for their owners, with listings, offers and counter-offers, one contract at a time,
    conditions with deadlines, earnest money and closings.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.agents: dict[str, Agent] = _copied(config.get("agents", {}))
        self.homes: dict[str, Home] = _copied(config.get("homes", {}))
        self.listings: dict[str, Listing] = _copied(config.get("listings", {}))
        self.buyers: dict[str, Buyer] = _copied(config.get("buyers", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.conditions: dict[str, Condition] = _copied(config.get("conditions", {}))
        self.now: str = config.get("now", "2026-05-11T09:00")
        self.counters: dict[str, int] = {
            "agent": len(self.agents),
            "home": len(self.homes),
            "listing": len(self.listings),
            "buyer": len(self.buyers),
            "offer": len(self.offers),
            "condition": len(self.conditions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._listings_by_agent: dict[Any, dict[str, Listing]] = {}
        self._listings_by_home: dict[Any, dict[str, Listing]] = {}
        self._offers_by_buyer: dict[Any, dict[str, Offer]] = {}
        self._offers_by_listing: dict[Any, dict[str, Offer]] = {}
        self._offers_by_listing_buyer: dict[Any, dict[str, Offer]] = {}
        self._offers_by_listing_status: dict[Any, dict[str, Offer]] = {}
        self._conditions_by_offer: dict[Any, dict[str, Condition]] = {}
        self._conditions_by_offer_kind: dict[Any, dict[str, Condition]] = {}
        self._conditions_by_offer_kind_status: dict[Any, dict[str, Condition]] = {}
        self._conditions_by_offer_status: dict[Any, dict[str, Condition]] = {}
        for listing in self.listings.values():
            self._link("listings", listing)
        for offer in self.offers.values():
            self._link("offers", offer)
        for condition in self.conditions.values():
            self._link("conditions", condition)

    def offers_for(self, listing_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The open offers for a listing, highest first.

        Args:
            listing_id (str): Id of the listing, such as LISTING-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}} or {"success": False, "error": why
                not}
        """
        listing = self.listings.get(listing_id)
        if listing is None:
            return _refused(f"There is no listing {listing_id!r}.")
        found = [
            o
            for o in self._offers_by_listing.get(listing_id, {}).values()
            if (o["listing_id"] == listing_id and o["status"] == "open")
        ]
        found.sort(key=lambda o: (-o["amount"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "offers": [
                    {
                        "id": o["id"],
                        "buyer": self.buyers[o["buyer_id"]]["name"],
                        "amount": o["amount"],
                        "waits_for": o["waits_for"],
                        "expires": o["expires"],
                        "can_pay": self._buyer_bound(
                            self.buyers[o["buyer_id"]]
                        ) + o["amount"] <= self.buyers[o["buyer_id"]]["funds"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def deadlines(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Open conditions of contracts that are due until a day.

        Args:
            until (str): Last deadline that is listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "conditions": records}} or {"success": False, "error":
                why not}
        """
        found = [
            c
            for c in self.conditions.values()
            if (c["status"] == "open" and self.offers[c["offer_id"]]["status"] == "accepted" and c["due"] <= until)
        ]
        found.sort(key=lambda c: (c["due"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "conditions": [
                    {
                        "id": c["id"],
                        "kind": c["kind"],
                        "due": c["due"],
                        "buyer": self.buyers[self.offers[c["offer_id"]]["buyer_id"]]["name"],
                        "home": self.homes[
                            self.listings[self.offers[c["offer_id"]]["listing_id"]]["home_id"]
                        ]["address"],
                        "earnest_missing": self._offer_earnest_missing(self.offers[c["offer_id"]]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def closing_statement(self, offer_id: str) -> Result:
        """What a contract comes to at the closing.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "data": {price, commission, rest_to_pay, conditions_open}} or {"success":
                False, "error": why not}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        return _found(
            {
                "price": offer["amount"],
                "commission": _rounded(
                    Fraction(
                        offer["amount"] * self.agents[
                            self.listings[offer["listing_id"]]["agent_id"]
                        ]["commission_percent"],
                        100,
                    )
                ),
                "rest_to_pay": offer["amount"] - offer["earnest_paid"],
                "conditions_open": self._offer_conditions_open(offer),
            }
        )

    def list_agents(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the agents, oldest first, all of them or only some.

        Args:
            name (str, optional): Only agents whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "agents": records}}
        """
        found = [
            agent
            for agent in self.agents.values()
            if (name is None or name.casefold() in agent["name"].casefold())
        ]
        return _found({"total": len(found), "agents": [self._show_agent(agent) for agent in _page(found, offset)]})

    def list_homes(
        self,
        address: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the homes, oldest first, all of them or only some.

        Args:
            address (str, optional): Only homes whose address contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "homes": records}}
        """
        found = [
            home
            for home in self.homes.values()
            if (address is None or address.casefold() in home["address"].casefold())
        ]
        return _found({"total": len(found), "homes": [{**home} for home in _page(found, offset)]})

    def list_listings(
        self,
        home_id: str | None = None,
        agent_id: str | None = None,
        status: Literal["active", "under_contract", "withdrawn", "sold"] | None = None,
        listed_on_from: Date | None = None,
        listed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the listings, oldest first, all of them or only some.

        Args:
            home_id (str, optional): Only listings of this home.
            agent_id (str, optional): Only listings of this agent.
            status (str, optional): Only listings with this status.
            listed_on_from (str, optional): Only listings whose `listed_on` is on this day or later.
            listed_on_to (str, optional): Only listings whose `listed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "listings": records}}
        """
        if home_id is not None and home_id not in self.homes:
            return _refused(f"There is no home {home_id!r}.")
        if agent_id is not None and agent_id not in self.agents:
            return _refused(f"There is no agent {agent_id!r}.")
        found = [
            listing
            for listing in self.listings.values()
            if (home_id is None or listing["home_id"] == home_id)
            and (agent_id is None or listing["agent_id"] == agent_id)
            and (status is None or listing["status"] == status)
            and (listed_on_from is None or listing["listed_on"] >= listed_on_from)
            and (listed_on_to is None or listing["listed_on"] <= listed_on_to)
        ]
        shown = [self._show_listing(listing) for listing in _page(found, offset)]
        return _found({"total": len(found), "listings": shown}, self._names_of_listings(shown))

    def list_buyers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the buyers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only buyers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "buyers": records}}
        """
        found = [
            buyer
            for buyer in self.buyers.values()
            if (name is None or name.casefold() in buyer["name"].casefold())
        ]
        return _found({"total": len(found), "buyers": [self._show_buyer(buyer) for buyer in _page(found, offset)]})

    def get_offer(self, offer_id: str) -> Result:
        """Look up one offer by its id.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        shown = self._show_offer(offer)
        return _found(shown, self._names_of_offers([shown]))

    def list_offers(
        self,
        listing_id: str | None = None,
        buyer_id: str | None = None,
        waits_for: Literal["seller", "buyer"] | None = None,
        earnest_to: Literal["seller", "buyer"] | None = None,
        status: Literal["open", "accepted", "rejected", "closed", "broken"] | None = None,
        expires_from: Date | None = None,
        expires_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            listing_id (str, optional): Only offers of this listing.
            buyer_id (str, optional): Only offers of this buyer.
            waits_for (str, optional): Only offers whose `waits_for` is this.
            earnest_to (str, optional): Only offers whose `earnest_to` is this.
            status (str, optional): Only offers with this status.
            expires_from (str, optional): Only offers whose `expires` is on this day or later.
            expires_to (str, optional): Only offers whose `expires` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if listing_id is not None and listing_id not in self.listings:
            return _refused(f"There is no listing {listing_id!r}.")
        if buyer_id is not None and buyer_id not in self.buyers:
            return _refused(f"There is no buyer {buyer_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (listing_id is None or offer["listing_id"] == listing_id)
            and (buyer_id is None or offer["buyer_id"] == buyer_id)
            and (waits_for is None or offer["waits_for"] == waits_for)
            and (earnest_to is None or offer["earnest_to"] == earnest_to)
            and (status is None or offer["status"] == status)
            and (expires_from is None or offer["expires"] >= expires_from)
            and (expires_to is None or offer["expires"] <= expires_to)
        ]
        shown = [self._show_offer(offer) for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def list_conditions(
        self,
        offer_id: str | None = None,
        kind: Literal["inspection", "appraisal", "financing", "own_home_sold"] | None = None,
        status: Literal["open", "met", "waived", "failed"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the conditions, oldest first, all of them or only some.

        Args:
            offer_id (str, optional): Only conditions of this offer.
            kind (str, optional): Only conditions with this kind.
            status (str, optional): Only conditions with this status.
            due_from (str, optional): Only conditions whose `due` is on this day or later.
            due_to (str, optional): Only conditions whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "conditions": records}}
        """
        if offer_id is not None and offer_id not in self.offers:
            return _refused(f"There is no offer {offer_id!r}.")
        found = [
            condition
            for condition in self.conditions.values()
            if (offer_id is None or condition["offer_id"] == offer_id)
            and (kind is None or condition["kind"] == kind)
            and (status is None or condition["status"] == status)
            and (due_from is None or condition["due"] >= due_from)
            and (due_to is None or condition["due"] <= due_to)
        ]
        return _found({"total": len(found), "conditions": [{**condition} for condition in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def list_home(
        self,
        home_id: str,
        agent_id: str,
        asking: Annotated[int, {"minimum": 5000000, "maximum": 300000000}],
    ) -> Result:
        """Put a home on the market with an agent.

        Args:
            home_id (str): Id of the home, such as HOME-00001.
            agent_id (str): Id of the agent, such as AGENT-00001.
            asking (int): Price that the seller asks for the home, in cents, from 5000000 to 300000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        home = self.homes.get(home_id)
        if home is None:
            return _refused(f"There is no home {home_id!r}.")
        agent = self.agents.get(agent_id)
        if agent is None:
            return _refused(f"There is no agent {agent_id!r}.")
        other = self._listed(home)
        if other is not None:
            return _refused(
                f"{home['address']} is on the market already, with {self.agents[other['agent_id']]['name']}."
            )
        self._journal = []
        listing: Listing = {
            "id": self._new_id("listing", "LISTING", self.listings),
            "home_id": home_id,
            "agent_id": agent_id,
            "asking": asking,
            "listed_on": self.now[:10],
            "status": "active",
        }
        self._add("listings", listing)
        if self._breaks_rule_1(listing):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(listing):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_l(listing):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: list {home['address']} with {agent['name']} for {_money(asking)} (new: listing "
                f"{listing['id']})."
            ),
            "data": {"listing_id": listing["id"], **self._changes()},
        }

    def withdraw_listing(self, listing_id: str) -> Result:
        """Take an active listing off the market, for good or to go to another agent; its open offers are rejected.

        Args:
            listing_id (str): Id of the listing, such as LISTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        listing = self.listings.get(listing_id)
        if listing is None:
            return _refused(f"There is no listing {listing_id!r}.")
        if listing["status"] != "active":
            return _refused(f"{self.homes[listing['home_id']]['address']} is {listing['status']}.")
        self._journal = []
        changed_offers: list[Any] = []
        for o in sorted(self._offers_by_listing_status.get((listing_id, "open"), {}).values(), key=_age):
            if o["status"] not in ("open", "rejected"):
                return self._take_back(f"Offer {o['id']} cannot go from {o['status']} to rejected.")
            changed_offers.append(o)
            self._put("offers", o, "status", "rejected")
        self._put("listings", listing, "status", "withdrawn")
        if self._breaks_rule_1(listing):
            return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_2(one_offer):
                return self._take_back(RULES[1])
        for one_listing in _distinct([listing, *[self.listings[one["listing_id"]] for one in changed_offers]]):
            if self._breaks_rule_3(one_listing):
                return self._take_back(RULES[2])
        for one_listing in _distinct([listing, *[self.listings[one["listing_id"]] for one in changed_offers]]):
            if self._breaks_rule_4_l(one_listing):
                return self._take_back(RULES[3])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_listing_status.get((listing["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_4_o(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_buyer in _distinct([self.buyers[one["buyer_id"]] for one in changed_offers]):
            if self._breaks_rule_6(one_buyer):
                return self._take_back(RULES[5])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_8_o(one_offer):
                return self._take_back(RULES[7])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_12_o(one_offer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {self.homes[listing['home_id']]['address']} off the market.",
            "data": self._changes(),
        }

    def change_price(
        self,
        listing_id: str,
        asking: Annotated[int, {"minimum": 5000000, "maximum": 300000000}],
    ) -> Result:
        """Change the asking price of an active listing.

        Args:
            listing_id (str): Id of the listing, such as LISTING-00001.
            asking (int): New asking price, not below the best open offer, in cents, from 5000000 to 300000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        listing = self.listings.get(listing_id)
        if listing is None:
            return _refused(f"There is no listing {listing_id!r}.")
        if listing["status"] != "active":
            return _refused(f"{self.homes[listing['home_id']]['address']} is {listing['status']}.")
        if asking == listing["asking"]:
            return _refused(f"{self.homes[listing['home_id']]['address']} is listed for {_money(asking)} already.")
        best = self._listing_best_open(listing)
        if best is not None and asking < best:
            return _refused(
                f"There is an offer of {_money(best)} for {self.homes[listing['home_id']]['address']}, so answer "
                "it before asking less."
            )
        self._journal = []
        self._put("listings", listing, "asking", asking)
        return {
            "success": True,
            "message": f"Done: change the price of {self.homes[listing['home_id']]['address']} to {_money(asking)}.",
            "data": self._changes(),
        }

    def make_offer(
        self,
        buyer_id: str,
        listing_id: str,
        amount: Annotated[int, {"minimum": 1000000, "maximum": 300000000}],
        earnest_percent: Annotated[int, {"minimum": 1, "maximum": 10}],
        expires: Date,
        closes_on: Date,
        conditions: Annotated[list[MakeOfferCondition], {"maxItems": 20}],
    ) -> Result:
        """Make a buyer's offer for a listing, with the earnest money as a share of the price and the conditions.

        Args:
            buyer_id (str): Id of the buyer, such as BUYER-00001.
            listing_id (str): Id of the listing, such as LISTING-00001.
            amount (int): Price offered, at least half the asking price, in cents, from 1000000 to 300000000.
            earnest_percent (int): Earnest money as a share of the price, in percent, from 1 to 10.
            expires (str): Last day on which the offer stands, not in the past, as YYYY-MM-DD.
            closes_on (str): Day on which the sale would close, after the offer expires, as YYYY-MM-DD.
            conditions (list): One entry for each condition, each kind once: kind: what the purchase depends on:
                inspection, appraisal, financing or own_home_sold; due: day by which it must be cleared, at latest
                at closing, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        buyer = self.buyers.get(buyer_id)
        if buyer is None:
            return _refused(f"There is no buyer {buyer_id!r}.")
        listing = self.listings.get(listing_id)
        if listing is None:
            return _refused(f"There is no listing {listing_id!r}.")
        if listing["status"] == "sold":
            return _refused(f"{self.homes[listing['home_id']]['address']} is sold.")
        if listing["status"] == "withdrawn":
            return _refused(f"{self.homes[listing['home_id']]['address']} is off the market.")
        if amount > buyer["funds"]:
            return _refused(f"{buyer['name']} has {_money(buyer['funds'])} at most, not {_money(amount)}.")
        if amount * 2 < listing["asking"]:
            return _refused(
                f"The seller of {self.homes[listing['home_id']]['address']} looks at nothing below half of "
                f"{_money(listing['asking'])}."
            )
        if any(self._in_play(o) for o in self._offers_by_listing_buyer.get((listing_id, buyer_id), {}).values()):
            return _refused(
                f"{buyer['name']} has an offer for {self.homes[listing['home_id']]['address']} already, which can "
                "be countered."
            )
        if self.now[:10] > expires or expires >= closes_on:
            return _refused(f"An offer expires today or later and before the closing on {closes_on}.")
        if not _different([c["kind"] for c in conditions]):
            return _refused("A condition is named twice.")
        late = next((c for c in conditions if (c["due"] > closes_on or c["due"] < self.now[:10])), None)
        if late is not None:
            return _refused(
                f"The {late['kind']} condition must be due between {self.now[:10]} and the closing on {closes_on}."
            )
        self._journal = []
        added_conditions: list[Any] = []
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "listing_id": listing_id,
            "buyer_id": buyer_id,
            "amount": amount,
            "earnest_percent": earnest_percent,
            "earnest_paid": 0,
            "waits_for": "seller",
            "expires": expires,
            "closes_on": closes_on,
            "earnest_to": None,
            "status": "open",
        }
        self._add("offers", offer)
        for c in list(conditions):
            condition = {
                "id": self._new_id("condition", "CONDITION", self.conditions),
                "offer_id": offer["id"],
                "kind": c["kind"],
                "due": c["due"],
                "status": "open",
            }
            self._add("conditions", condition)
            added_conditions.append(condition)
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_l(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_o(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(offer):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.buyers[offer["buyer_id"]]):
            return self._take_back(RULES[5])
        for one_condition in _distinct(added_conditions):
            if self._breaks_rule_7_c(one_condition):
                return self._take_back(RULES[6])
        for one_condition in _distinct(added_conditions):
            if self._breaks_rule_7_c_again(one_condition):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_o(offer):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_o_again(offer):
            return self._take_back(RULES[7])
        for one_condition in _distinct(added_conditions):
            if self._breaks_rule_9(one_condition):
                return self._take_back(RULES[8])
        for one_condition in _distinct(
            [
                *added_conditions,
                *[
                    user
                    for one in [self.offers[one["offer_id"]] for one in added_conditions]
                    for user in self._conditions_by_offer_kind_status.get(
                        (one["id"], "financing", "met"),
                        {},
                    ).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_condition):
                return self._take_back(RULES[9])
        for one_offer in _distinct([offer, *[self.offers[one["offer_id"]] for one in added_conditions]]):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_o(offer):
            return self._take_back(RULES[11])
        for one_condition in _distinct(added_conditions):
            if self._breaks_rule_12_c(one_condition):
                return self._take_back(RULES[11])
        if self._breaks_rule_12_o_again(offer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: offer {_money(amount)} for {self.homes[listing['home_id']]['address']} on behalf of "
                f"{buyer['name']} (new: offer {offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def counter_offer(
        self,
        offer_id: str,
        amount: Annotated[int, {"minimum": 1000000, "maximum": 300000000}],
        expires: Date,
    ) -> Result:
        """Answer an offer with another price, for the side that it waits for; it then waits for the other side.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            amount (int): New price, from the seller higher and from the buyer lower, in cents, from 1000000 to
                300000000.
            expires (str): Last day on which the new price stands, before closing, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}.")
        if offer["expires"] < self.now[:10]:
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} expired on {offer['expires']}.")
        if self.now[:10] > expires or expires >= offer["closes_on"]:
            return _refused(f"A counter-offer expires between today and the closing on {offer['closes_on']}.")
        if amount > self.buyers[offer["buyer_id"]]["funds"]:
            return _refused(
                f"{self.buyers[offer['buyer_id']]['name']} has {_money(self.buyers[offer['buyer_id']]['funds'])} "
                "at most."
            )
        if not (
            offer["waits_for"] == "seller"
            and amount > offer["amount"]
            or offer["waits_for"] == "buyer"
            and amount < offer["amount"]
        ):
            return _refused(
                f"{_money(offer['amount'])} is on the table and it is the {offer['waits_for']} who answers, so "
                f"{_money(amount)} makes no sense."
            )
        self._journal = []
        self._put("offers", offer, "amount", amount)
        self._put("offers", offer, "expires", expires)
        self._put("offers", offer, "waits_for", "buyer" if offer["waits_for"] == "seller" else "seller")
        if self._breaks_rule_6(self.buyers[offer["buyer_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o_again(offer):
            return self._take_back(RULES[7])
        for one_condition in _distinct(self._conditions_by_offer.get(offer["id"], {}).values()):
            if self._breaks_rule_9(one_condition):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(offer):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: counter the offer of {self.buyers[offer['buyer_id']]['name']} with {_money(amount)}.",
            "data": self._changes(),
        }

    def accept_offer(self, offer_id: str) -> Result:
        """Accept an offer for the side that it waits for, which puts the listing under contract.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}.")
        if offer["expires"] < self.now[:10]:
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} expired on {offer['expires']}.")
        other = self._contract(self.listings[offer["listing_id"]])
        if other is not None:
            return _refused(
                f"{self.homes[self.listings[offer['listing_id']]['home_id']]['address']} is under contract with "
                f"{self.buyers[other['buyer_id']]['name']}."
            )
        if (
            self._buyer_bound(self.buyers[offer["buyer_id"]])
            + offer["amount"] > self.buyers[offer["buyer_id"]]["funds"]
        ):
            return _refused(
                f"{self.buyers[offer['buyer_id']]['name']} is bound for "
                f"{_money(self._buyer_bound(self.buyers[offer['buyer_id']]))} already and cannot pay "
                f"{_money(offer['amount'])} too."
            )
        self._journal = []
        self._put("offers", offer, "status", "accepted")
        listing = self.listings[offer["listing_id"]]
        if listing["status"] not in ("active", "under_contract"):
            return self._take_back(f"Listing {listing['id']} cannot go from {listing['status']} to under_contract.")
        self._put("listings", listing, "status", "under_contract")
        if self._breaks_rule_1(listing):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(listing):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_l(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_l(listing):
            return self._take_back(RULES[3])
        for one_offer in _distinct(
            [offer, *self._offers_by_listing_status.get((listing["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_4_o(one_offer):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(offer):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.buyers[offer["buyer_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o(offer):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(offer):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_o(offer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: accept the offer of {self.buyers[offer['buyer_id']]['name']} for "
                f"{self.homes[self.listings[offer['listing_id']]['home_id']]['address']}."
            ),
            "data": self._changes(),
        }

    def reject_offer(self, offer_id: str) -> Result:
        """Reject an open offer, or drop one that was withdrawn or has expired.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}.")
        self._journal = []
        self._put("offers", offer, "status", "rejected")
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_l(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_o(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(offer):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.buyers[offer["buyer_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o(offer):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(offer):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_o(offer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: reject the offer of {self.buyers[offer['buyer_id']]['name']} for "
                f"{self.homes[self.listings[offer['listing_id']]['home_id']]['address']}."
            ),
            "data": self._changes(),
        }

    def pay_earnest(
        self,
        offer_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 30000000}] | None = None,
    ) -> Result:
        """Take earnest money on a contract, a part of it or all that is missing.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            amount (int, optional): Money that is taken now, in cents, from 1 to 30000000. If left out, all that is
                missing is taken.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "accepted":
            return _refused(
                f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}, so no earnest money "
                "is taken."
            )
        if self._offer_earnest_missing(offer) <= 0:
            return _refused("All of the earnest money is there.")
        if amount is not None and amount > self._offer_earnest_missing(offer):
            return _refused(
                f"{_money(self._offer_earnest_missing(offer))} is missing of the earnest money, not {_money(amount)}."
            )
        self._journal = []
        earnest_paid = offer["earnest_paid"] + (amount if amount is not None else self._offer_earnest_missing(offer))
        if not 0 <= earnest_paid <= 30000000:
            return self._take_back(f"The earnest paid of {offer['id']} must be between 0.00 and 300,000.00.")
        self._put("offers", offer, "earnest_paid", earnest_paid)
        if self._breaks_rule_8_o(offer):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_o_again(offer):
            return self._take_back(RULES[7])
        for one_condition in _distinct(self._conditions_by_offer.get(offer["id"], {}).values()):
            if self._breaks_rule_9(one_condition):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(offer):
            return self._take_back(RULES[10])
        done = f"take earnest money from {self.buyers[offer['buyer_id']]['name']}"
        if amount is not None:
            done += f" of {_money(amount)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def clear_condition(self, condition_id: str, waived: bool = False) -> Result:
        """Clear a condition of a contract, as met or waived by the buyer.

        Args:
            condition_id (str): Id of the condition, such as CONDITION-00001.
            waived (bool): Whether the buyer waives the condition, which is otherwise met. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        condition = self.conditions.get(condition_id)
        if condition is None:
            return _refused(f"There is no condition {condition_id!r}.")
        offer = self.offers[condition["offer_id"]]
        if offer["status"] != "accepted":
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}.")
        if condition["status"] != "open":
            return _refused(f"The {condition['kind']} condition is {condition['status']}.")
        if self._offer_earnest_missing(offer) != 0:
            return _refused(
                f"{_money(self._offer_earnest_missing(offer))} of the earnest money is missing, which comes first."
            )
        if not (waived or condition["due"] >= self.now[:10]):
            return _refused(f"The {condition['kind']} condition was due on {condition['due']}; extend or waive it.")
        if not (waived or condition["kind"] != "financing" or not self._appraisal_open(offer)):
            return _refused("The bank waits for the appraisal, which is still open.")
        self._journal = []
        status = "waived" if waived else "met"
        self._put("conditions", condition, "status", status)
        if self._breaks_rule_9(condition):
            return self._take_back(RULES[8])
        for one_condition in _distinct(
            [
                condition,
                *self._conditions_by_offer_kind_status.get((condition["offer_id"], "financing", "met"), {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_condition):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(self.offers[condition["offer_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_c(condition):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: clear the {condition['kind']} condition of "
                f"{self.buyers[self.offers[condition['offer_id']]['buyer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def extend_deadline(self, condition_id: str, due: Date) -> Result:
        """Give a condition more time, up to the day of closing.

        Args:
            condition_id (str): Id of the condition, such as CONDITION-00001.
            due (str): New deadline, later than before and at latest at closing, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        condition = self.conditions.get(condition_id)
        if condition is None:
            return _refused(f"There is no condition {condition_id!r}.")
        if self.offers[condition["offer_id"]]["status"] not in ("open", "accepted"):
            return _refused(
                f"The offer of {self.buyers[self.offers[condition['offer_id']]['buyer_id']]['name']} is "
                f"{self.offers[condition['offer_id']]['status']}."
            )
        if condition["status"] != "open":
            return _refused(f"The {condition['kind']} condition is {condition['status']}.")
        if due <= condition["due"]:
            return _refused(
                f"The {condition['kind']} condition is due on {condition['due']}, so {due} is no extension."
            )
        if due > self.offers[condition["offer_id"]]["closes_on"]:
            return _refused(f"The sale closes on {self.offers[condition['offer_id']]['closes_on']}, before {due}.")
        self._journal = []
        self._put("conditions", condition, "due", due)
        if self._breaks_rule_7_c_again(condition):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: extend the {condition['kind']} condition of "
                f"{self.buyers[self.offers[condition['offer_id']]['buyer_id']]['name']} to {due}."
            ),
            "data": self._changes(),
        }

    def break_contract(self, offer_id: str, by: Literal["buyer", "seller"], failed_id: str | None = None) -> Result:
        """Break a contract; the earnest money goes to the seller if the buyer walks away without an open condition
        that failed, and otherwise to the buyer.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            by (str): Side that breaks the contract: buyer or seller.
            failed_id (str, optional): Open condition of the offer that failed; an id such as CONDITION-00001. If
                left out, no condition failed, so a buyer who leaves loses the earnest money.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        failed = self.conditions.get(failed_id) if failed_id is not None else None
        if failed_id is not None and failed is None:
            return _refused(f"There is no condition {failed_id!r}.")
        if offer["status"] != "accepted":
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}.")
        if failed_id is not None and failed["offer_id"] != offer_id:
            return _refused("That condition belongs to another offer.")
        if failed_id is not None and failed["status"] != "open":
            return _refused("That condition is not open any more.")
        self._journal = []
        changed_conditions: list[Any] = []
        if failed_id is not None:
            if failed["status"] not in ("open", "failed"):
                return self._take_back(f"Condition {failed['id']} cannot go from {failed['status']} to failed.")
            changed_conditions.append(failed)
            self._put("conditions", failed, "status", "failed")
        self._put("offers", offer, "earnest_to", "seller" if failed_id is None and by == "buyer" else "buyer")
        self._put("offers", offer, "status", "broken")
        listing = self.listings[offer["listing_id"]]
        if listing["status"] not in ("active", "under_contract"):
            return self._take_back(f"Listing {listing['id']} cannot go from {listing['status']} to active.")
        self._put("listings", listing, "status", "active")
        if self._breaks_rule_1(listing):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(listing):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_l(self.listings[offer["listing_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_l(listing):
            return self._take_back(RULES[3])
        for one_offer in _distinct(
            [offer, *self._offers_by_listing_status.get((listing["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_4_o(one_offer):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(offer):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.buyers[offer["buyer_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o(offer):
            return self._take_back(RULES[7])
        for one_condition in _distinct(changed_conditions):
            if self._breaks_rule_9(one_condition):
                return self._take_back(RULES[8])
        for one_condition in _distinct(
            [
                *changed_conditions,
                *[
                    user
                    for one in [self.offers[one["offer_id"]] for one in changed_conditions]
                    for user in self._conditions_by_offer_kind_status.get(
                        (one["id"], "financing", "met"),
                        {},
                    ).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_condition):
                return self._take_back(RULES[9])
        for one_offer in _distinct([offer, *[self.offers[one["offer_id"]] for one in changed_conditions]]):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_o(offer):
            return self._take_back(RULES[11])
        for one_condition in _distinct(changed_conditions):
            if self._breaks_rule_12_c(one_condition):
                return self._take_back(RULES[11])
        if self._breaks_rule_12_o_again(offer):
            return self._take_back(RULES[11])
        done = f"break the contract of {self.buyers[offer['buyer_id']]['name']} for {self.homes[self.listings[offer['listing_id']]['home_id']]['address']} as the {by} wishes"
        if failed is not None:
            done += f" because of {failed['id']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def close_sale(self, offer_id: str) -> Result:
        """Close a sale with nothing open; every other offer for the home is rejected.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "accepted":
            return _refused(f"The offer of {self.buyers[offer['buyer_id']]['name']} is {offer['status']}.")
        if self._offer_earnest_missing(offer) != 0:
            return _refused(f"{_money(self._offer_earnest_missing(offer))} of the earnest money is missing.")
        if self._offer_conditions_open(offer) != 0:
            return _refused(f"{self._offer_conditions_open(offer)} conditions are open.")
        self._journal = []
        changed_offers: list[Any] = []
        self._put("offers", offer, "status", "closed")
        listing = self.listings[offer["listing_id"]]
        if listing["status"] not in ("under_contract", "sold"):
            return self._take_back(f"Listing {listing['id']} cannot go from {listing['status']} to sold.")
        self._put("listings", listing, "status", "sold")
        for o in sorted(self._offers_by_listing_status.get((offer["listing_id"], "open"), {}).values(), key=_age):
            if o["status"] not in ("open", "rejected"):
                return self._take_back(f"Offer {o['id']} cannot go from {o['status']} to rejected.")
            changed_offers.append(o)
            self._put("offers", o, "status", "rejected")
        if self._breaks_rule_1(listing):
            return self._take_back(RULES[0])
        for one_offer in _distinct([offer, *changed_offers]):
            if self._breaks_rule_2(one_offer):
                return self._take_back(RULES[1])
        for one_listing in _distinct(
            [
                self.listings[offer["listing_id"]],
                listing,
                *[self.listings[one["listing_id"]] for one in changed_offers],
            ]
        ):
            if self._breaks_rule_3(one_listing):
                return self._take_back(RULES[2])
        for one_listing in _distinct(
            [
                self.listings[offer["listing_id"]],
                listing,
                *[self.listings[one["listing_id"]] for one in changed_offers],
            ]
        ):
            if self._breaks_rule_4_l(one_listing):
                return self._take_back(RULES[3])
        for one_offer in _distinct(
            [offer, *self._offers_by_listing_status.get((listing["id"], "open"), {}).values(), *changed_offers]
        ):
            if self._breaks_rule_4_o(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct([offer, *changed_offers]):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_buyer in _distinct(
            [self.buyers[offer["buyer_id"]], *[self.buyers[one["buyer_id"]] for one in changed_offers]]
        ):
            if self._breaks_rule_6(one_buyer):
                return self._take_back(RULES[5])
        for one_offer in _distinct([offer, *changed_offers]):
            if self._breaks_rule_8_o(one_offer):
                return self._take_back(RULES[7])
        for one_offer in _distinct([offer, *changed_offers]):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        for one_offer in _distinct([offer, *changed_offers]):
            if self._breaks_rule_12_o(one_offer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: close the sale of {self.homes[self.listings[offer['listing_id']]['home_id']]['address']} "
                f"to {self.buyers[offer['buyer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_agent(self, agent: Agent) -> dict[str, Any]:
        """The agent as an answer shows it."""
        return {**agent, "sold": self._agent_sold(agent)}

    def _show_listing(self, listing: Listing) -> dict[str, Any]:
        """The listing as an answer shows it."""
        return {**listing, "best_open": self._listing_best_open(listing)}

    def _show_buyer(self, buyer: Buyer) -> dict[str, Any]:
        """The buyer as an answer shows it."""
        return {**buyer, "bound": self._buyer_bound(buyer)}

    def _show_offer(self, offer: Offer) -> dict[str, Any]:
        """The offer as an answer shows it."""
        return {
            **offer,
            "earnest_due": self._offer_earnest_due(offer),
            "earnest_missing": self._offer_earnest_missing(offer),
            "conditions_open": self._offer_conditions_open(offer),
        }

    def _names_of_listings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that listings point to."""
        return _names(
            (self.homes, "address", [row["home_id"] for row in shown]),
            (self.agents, "name", [row["agent_id"] for row in shown]),
        )

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names((self.buyers, "name", [row["buyer_id"] for row in shown]))

    def _agent_sold(self, agent: Agent) -> int:
        """The sold of an agent."""
        return sum(
            o["amount"]
            for _listing in self._listings_by_agent.get(agent["id"], {}).values()
            for o in self._offers_by_listing_status.get((_listing["id"], "closed"), {}).values()
        )

    def _listing_best_open(self, listing: Listing) -> int | None:
        """The best open of a listing."""
        return max(
            (o["amount"] for o in self._offers_by_listing_status.get((listing["id"], "open"), {}).values()),
            default=None,
        )

    def _buyer_bound(self, buyer: Buyer) -> int:
        """The bound of a buyer."""
        return sum(
            o["amount"]
            for o in self._offers_by_buyer.get(buyer["id"], {}).values()
            if o["status"] in ("accepted", "closed")
        )

    def _offer_earnest_due(self, offer: Offer) -> int:
        """The earnest due of an offer."""
        return _rounded(Fraction(offer["amount"] * offer["earnest_percent"], 100))

    def _offer_earnest_missing(self, offer: Offer) -> int:
        """The earnest missing of an offer."""
        return self._offer_earnest_due(offer) - offer["earnest_paid"]

    def _offer_conditions_open(self, offer: Offer) -> int:
        """The conditions open of an offer."""
        return len(self._conditions_by_offer_status.get((offer["id"], "open"), {}))

    def _contract(self, l: Listing) -> Offer | None:
        return next(
            (o for o in sorted(self._offers_by_listing_status.get((l["id"], "accepted"), {}).values(), key=_age)),
            None,
        )

    def _listed(self, h: Home) -> Listing | None:
        return next(
            (
                l
                for l in sorted(self._listings_by_home.get(h["id"], {}).values(), key=_age)
                if l["status"] not in ("sold", "withdrawn")
            ),
            None,
        )

    def _appraisal_open(self, o: Offer) -> bool:
        return any(
            c["status"] == "open"
            for c in self._conditions_by_offer_kind.get((o["id"], "appraisal"), {}).values()
        )

    def _in_play(self, o: Offer) -> bool:
        return o["status"] in ("open", "accepted")

    def _breaks_rule_1(self, l: Listing) -> bool:
        """Whether this is broken: a home is on the market once at a time."""
        return (
            l["status"] not in ("sold", "withdrawn")
            and any(
                other_l is not l
                for other_l in self._listings_by_home.get(l["home_id"], {}).values()
                if other_l["status"] not in ("sold", "withdrawn")
            )
        )

    def _breaks_rule_2(self, o: Offer) -> bool:
        """Whether this is broken: a listing has one contract at most."""
        return (
            o["status"] == "accepted"
            and any(
                other_o is not o
                for other_o in self._offers_by_listing_status.get((o["listing_id"], "accepted"), {}).values()
            )
        )

    def _breaks_rule_3(self, l: Listing) -> bool:
        """Whether this is broken: a listing is under contract exactly as long as an offer for it is accepted."""
        return (l["status"] == "under_contract") != any(
            o["status"] == "accepted"
            for o in self._offers_by_listing.get(l["id"], {}).values()
        )

    def _breaks_rule_4_l(self, l: Listing) -> bool:
        """Whether this is broken: a listing that is sold has one closed offer, and neither a sold nor a withdrawn one
        has an offer that waits for an answer.
        """
        return (l["status"] == "sold") != any(
            o["status"] == "closed"
            for o in self._offers_by_listing.get(l["id"], {}).values()
        )

    def _breaks_rule_4_o(self, o: Offer) -> bool:
        """Whether this is broken: a listing that is sold has one closed offer, and neither a sold nor a withdrawn one
        has an offer that waits for an answer.
        """
        return o["status"] == "open" and self.listings[o["listing_id"]]["status"] in ("sold", "withdrawn")

    def _breaks_rule_5(self, o: Offer) -> bool:
        """Whether this is broken: a buyer has one offer at a time in play for a listing."""
        return (
            self._in_play(o)
            and any(
                other_o is not o
                for other_o in self._offers_by_listing_buyer.get((o["listing_id"], o["buyer_id"]), {}).values()
                if self._in_play(other_o)
            )
        )

    def _breaks_rule_6(self, b: Buyer) -> bool:
        """Whether this is broken: nobody is bound by contracts and purchases for more than their funds."""
        return self._buyer_bound(b) > b["funds"]

    def _breaks_rule_7_c(self, c: Condition) -> bool:
        """Whether this is broken: a condition of a kind stands once in an offer and is due by the day of closing."""
        return any(
            other_c is not c
            for other_c in self._conditions_by_offer_kind.get((c["offer_id"], c["kind"]), {}).values()
        )

    def _breaks_rule_7_c_again(self, c: Condition) -> bool:
        """Whether this is broken: a condition of a kind stands once in an offer and is due by the day of closing."""
        return c["due"] > self.offers[c["offer_id"]]["closes_on"]

    def _breaks_rule_8_o(self, o: Offer) -> bool:
        """Whether this is broken: earnest money is paid on contracts only, and never more than is due."""
        return o["status"] in ("open", "rejected") and o["earnest_paid"] != 0

    def _breaks_rule_8_o_again(self, o: Offer) -> bool:
        """Whether this is broken: earnest money is paid on contracts only, and never more than is due."""
        return o["earnest_paid"] > self._offer_earnest_due(o)

    def _breaks_rule_9(self, c: Condition) -> bool:
        """Whether this is broken: conditions are cleared once all of the earnest money is there."""
        return c["status"] in ("met", "waived") and self._offer_earnest_missing(self.offers[c["offer_id"]]) != 0

    def _breaks_rule_10(self, c: Condition) -> bool:
        """Whether this is broken: the bank agrees only after the appraisal is settled."""
        return c["kind"] == "financing" and c["status"] == "met" and self._appraisal_open(self.offers[c["offer_id"]])

    def _breaks_rule_11(self, o: Offer) -> bool:
        """Whether this is broken: a sale closes with nothing open."""
        return (
            o["status"] == "closed"
            and (self._offer_conditions_open(o) != 0 or self._offer_earnest_missing(o) != 0)
        )

    def _breaks_rule_12_o(self, o: Offer) -> bool:
        """Whether this is broken: the earnest money of a broken contract has gone to one side, and of no other offer.
        """
        return (o["status"] == "broken") != (o["earnest_to"] is not None)

    def _breaks_rule_12_c(self, c: Condition) -> bool:
        """Whether this is broken: the earnest money of a broken contract has gone to one side, and of no other offer.
        """
        return (
            c["status"] == "failed"
            and any(o["earnest_to"] != "buyer" for o in _those(self.offers, [c["offer_id"]]))
        )

    def _breaks_rule_12_o_again(self, o: Offer) -> bool:
        """Whether this is broken: the earnest money of a broken contract has gone to one side, and of no other offer.
        """
        return any(
            o["earnest_to"] != "buyer"
            for c in self._conditions_by_offer_status.get((o["id"], "failed"), {}).values()
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
            case "listings":
                self._listings_by_agent.setdefault(record["agent_id"], {})[record["id"]] = record
                self._listings_by_home.setdefault(record["home_id"], {})[record["id"]] = record
            case "offers":
                self._offers_by_buyer.setdefault(record["buyer_id"], {})[record["id"]] = record
                self._offers_by_listing.setdefault(record["listing_id"], {})[record["id"]] = record
                self._offers_by_listing_buyer.setdefault(
                    (record["listing_id"], record["buyer_id"]),
                    {},
                )[record["id"]] = record
                self._offers_by_listing_status.setdefault(
                    (record["listing_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "conditions":
                self._conditions_by_offer.setdefault(record["offer_id"], {})[record["id"]] = record
                self._conditions_by_offer_kind.setdefault((record["offer_id"], record["kind"]), {})[record["id"]] = record
                self._conditions_by_offer_kind_status.setdefault(
                    (record["offer_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._conditions_by_offer_status.setdefault(
                    (record["offer_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "listings":
                del self._listings_by_agent[record["agent_id"]][record["id"]]
                del self._listings_by_home[record["home_id"]][record["id"]]
            case "offers":
                del self._offers_by_buyer[record["buyer_id"]][record["id"]]
                del self._offers_by_listing[record["listing_id"]][record["id"]]
                del self._offers_by_listing_buyer[record["listing_id"], record["buyer_id"]][record["id"]]
                del self._offers_by_listing_status[record["listing_id"], record["status"]][record["id"]]
            case "conditions":
                del self._conditions_by_offer[record["offer_id"]][record["id"]]
                del self._conditions_by_offer_kind[record["offer_id"], record["kind"]][record["id"]]
                del self._conditions_by_offer_kind_status[
                    record["offer_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._conditions_by_offer_status[record["offer_id"], record["status"]][record["id"]]
