"""Loyalty programme. Compiled from blueprint.yaml; run `envscaler build loyalty_programme` after changing it there.

Keeps the points of a shop chain's members in lots that run out, with tiers, rewards, returned purchases and
partner cards that share a pool.
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
    "Every point of a lot is left, spent, given away, taken back, set against a debt or expired.",
    "A reward is paid for in full with points, and a cancelled one with none.",
    "A reserved reward draws only on points of the member's own household.",
    "A partner card hangs on a main card, never on another partner card.",
    "A main card has at most four partner cards.",
    "Whoever owes points has none left.",
    "A member has at most two rewards reserved at a time.",
    "A receipt counts once, unless everything on it was returned.",
    "No more is returned than was bought.",
    "Purchases name a shop and a receipt, and other lots name neither.",
    "Two members of one household never reserve the same reward at once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "record_purchase",
    "return_goods",
    "grant_points",
    "redeem_reward",
    "hand_out_reward",
    "cancel_redemption",
    "expire_points",
    "give_points",
    "add_partner_card",
    "remove_partner_card",
    "review_tier",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "tiers": ("name",),
    "shops": ("name",),
    "members": ("name",),
    "lots": (),
    "rewards": ("name",),
    "redemptions": (),
    "draws": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("draws", "lot_id"),
    ("draws", "redemption_id"),
    ("lots", "member_id"),
    ("lots", "shop_id"),
    ("lots", "source"),
    ("members", "main_id"),
    ("redemptions", "member_id"),
    ("redemptions", "reward_id"),
    ("redemptions", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Tier(TypedDict):
    id: str
    name: str
    threshold: int
    bonus: int


class Shop(TypedDict):
    id: str
    name: str
    per_point: int


class Member(TypedDict):
    id: str
    name: str
    main_id: str | None
    tier_id: str
    tier_since: str
    debt: int


class Lot(TypedDict):
    id: str
    member_id: str
    source: Literal["purchase", "goodwill", "gift"]
    shop_id: str | None
    receipt: str | None
    amount: int
    returned: int
    points: int
    left: int
    expired: int
    taken_back: int
    settled: int
    given: int
    earned_on: str
    expires_on: str


class Reward(TypedDict):
    id: str
    name: str
    points: int
    tier_id: str
    stock: int


class Redemption(TypedDict):
    id: str
    member_id: str
    reward_id: str
    points: int
    made_on: str
    status: Literal["reserved", "collected", "cancelled"]


class Draw(TypedDict):
    id: str
    redemption_id: str
    lot_id: str
    points: int


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


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


class LoyaltyProgramme:
    """Keeps the points of a shop chain's members in lots that run out, with tiers, rewards, returned
    purchases and partner cards that share a pool.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.tiers: dict[str, Tier] = _copied(config.get("tiers", {}))
        self.shops: dict[str, Shop] = _copied(config.get("shops", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.rewards: dict[str, Reward] = _copied(config.get("rewards", {}))
        self.redemptions: dict[str, Redemption] = _copied(config.get("redemptions", {}))
        self.draws: dict[str, Draw] = _copied(config.get("draws", {}))
        self.now: str = config.get("now", "2026-03-03T14:10")
        self.counters: dict[str, int] = {
            "tier": len(self.tiers),
            "shop": len(self.shops),
            "member": len(self.members),
            "lot": len(self.lots),
            "reward": len(self.rewards),
            "redemption": len(self.redemptions),
            "draw": len(self.draws),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._members_by_main: dict[Any, dict[str, Member]] = {}
        self._lots_by_member: dict[Any, dict[str, Lot]] = {}
        self._lots_by_member_source: dict[Any, dict[str, Lot]] = {}
        self._lots_by_shop: dict[Any, dict[str, Lot]] = {}
        self._lots_by_source_shop: dict[Any, dict[str, Lot]] = {}
        self._redemptions_by_member: dict[Any, dict[str, Redemption]] = {}
        self._redemptions_by_member_status: dict[Any, dict[str, Redemption]] = {}
        self._redemptions_by_reward_status: dict[Any, dict[str, Redemption]] = {}
        self._draws_by_lot: dict[Any, dict[str, Draw]] = {}
        self._draws_by_redemption: dict[Any, dict[str, Draw]] = {}
        for member in self.members.values():
            self._link("members", member)
        for lot in self.lots.values():
            self._link("lots", lot)
        for redemption in self.redemptions.values():
            self._link("redemptions", redemption)
        for draw in self.draws.values():
            self._link("draws", draw)

    def running_out(
        self,
        until: Date,
        member_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lots with points left that run out until a day, soonest first.

        Args:
            until (str): Last day on which the listed points may run out, as YYYY-MM-DD.
            member_id (str, optional): Member whose points are looked at; an id such as MEMBER-00001. If left out,
                the points of all members are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id) if member_id is not None else None
        if member_id is not None and member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            c
            for c in self.lots.values()
            if (c["left"] > 0 and c["expires_on"] <= until)
            and (member_id is None or c["member_id"] == member_id)
        ]
        found.sort(key=lambda c: (c["expires_on"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "lots": [
                    {
                        "id": c["id"],
                        "member": self.members[c["member_id"]]["name"],
                        "left": c["left"],
                        "expires_on": c["expires_on"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def within_reach(self, member_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Rewards that a member could have today, alone or from the pool of the household, dearest first.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rewards": records}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            r
            for r in self.rewards.values()
            if (
                r["stock"] > 0
                and self.tiers[r["tier_id"]]["threshold"] <= self.tiers[member["tier_id"]]["threshold"]
            )
            and r["points"] <= self._pool(member)
        ]
        found.sort(key=lambda r: (-r["points"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rewards": [
                    {
                        "id": r["id"],
                        "name": r["name"],
                        "points": r["points"],
                        "alone": r["points"] <= self._member_points(member),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def household_pool(
        self,
        member_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The cards of a member's household and what each has.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [m for m in self._household(member)]
        return _found(
            {
                "total": len(found),
                "members": [
                    {
                        "id": m["id"],
                        "name": m["name"],
                        "points": self._member_points(m),
                        "debt": m["debt"],
                        "tier": self.tiers[m["tier_id"]]["name"],
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def tier_progress(self, member_id: str) -> Result:
        """What a member collected in the last twelve months and which tier that would be.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "data": {tier, since, year_points, reaches}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        return _found(
            {
                "tier": self.tiers[member["tier_id"]]["name"],
                "since": member["tier_since"],
                "year_points": self._member_year_points(member),
                "reaches": self._reached(member)["name"],
            }
        )

    def list_tiers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tiers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tiers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tiers": records}}
        """
        found = [tier for tier in self.tiers.values() if (name is None or name.casefold() in tier["name"].casefold())]
        return _found({"total": len(found), "tiers": [{**tier} for tier in _page(found, offset)]})

    def list_shops(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shops, oldest first, all of them or only some.

        Args:
            name (str, optional): Only shops whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shops": records}}
        """
        found = [shop for shop in self.shops.values() if (name is None or name.casefold() in shop["name"].casefold())]
        return _found({"total": len(found), "shops": [{**shop} for shop in _page(found, offset)]})

    def list_members(
        self,
        name: Text | None = None,
        main_id: str | None = None,
        tier_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            main_id (str, optional): Only members whose main is this member.
            tier_id (str, optional): Only members of this tier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if main_id is not None and main_id not in self.members:
            return _refused(f"There is no member {main_id!r}.")
        if tier_id is not None and tier_id not in self.tiers:
            return _refused(f"There is no tier {tier_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (main_id is None or member["main_id"] == main_id)
            and (tier_id is None or member["tier_id"] == tier_id)
        ]
        shown = [self._show_member(member) for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_lots(
        self,
        member_id: str | None = None,
        source: Literal["purchase", "goodwill", "gift"] | None = None,
        shop_id: str | None = None,
        earned_on_from: Date | None = None,
        earned_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only lots of this member.
            source (str, optional): Only lots with this source.
            shop_id (str, optional): Only lots of this shop.
            earned_on_from (str, optional): Only lots whose `earned_on` is on this day or later.
            earned_on_to (str, optional): Only lots whose `earned_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if shop_id is not None and shop_id not in self.shops:
            return _refused(f"There is no shop {shop_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (member_id is None or lot["member_id"] == member_id)
            and (source is None or lot["source"] == source)
            and (shop_id is None or lot["shop_id"] == shop_id)
            and (earned_on_from is None or lot["earned_on"] >= earned_on_from)
            and (earned_on_to is None or lot["earned_on"] <= earned_on_to)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_rewards(
        self,
        name: Text | None = None,
        tier_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rewards, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rewards whose name contains this text.
            tier_id (str, optional): Only rewards of this tier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rewards": records}}
        """
        if tier_id is not None and tier_id not in self.tiers:
            return _refused(f"There is no tier {tier_id!r}.")
        found = [
            reward
            for reward in self.rewards.values()
            if (name is None or name.casefold() in reward["name"].casefold())
            and (tier_id is None or reward["tier_id"] == tier_id)
        ]
        shown = [{**reward} for reward in _page(found, offset)]
        return _found({"total": len(found), "rewards": shown}, self._names_of_rewards(shown))

    def list_redemptions(
        self,
        member_id: str | None = None,
        reward_id: str | None = None,
        status: Literal["reserved", "collected", "cancelled"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the redemptions, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only redemptions of this member.
            reward_id (str, optional): Only redemptions of this reward.
            status (str, optional): Only redemptions with this status.
            made_on_from (str, optional): Only redemptions whose `made_on` is on this day or later.
            made_on_to (str, optional): Only redemptions whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "redemptions": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if reward_id is not None and reward_id not in self.rewards:
            return _refused(f"There is no reward {reward_id!r}.")
        found = [
            redemption
            for redemption in self.redemptions.values()
            if (member_id is None or redemption["member_id"] == member_id)
            and (reward_id is None or redemption["reward_id"] == reward_id)
            and (status is None or redemption["status"] == status)
            and (made_on_from is None or redemption["made_on"] >= made_on_from)
            and (made_on_to is None or redemption["made_on"] <= made_on_to)
        ]
        shown = [{**redemption} for redemption in _page(found, offset)]
        return _found({"total": len(found), "redemptions": shown}, self._names_of_redemptions(shown))

    def list_draws(
        self,
        redemption_id: str | None = None,
        lot_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the draws, oldest first, all of them or only some.

        Args:
            redemption_id (str, optional): Only draws of this redemption.
            lot_id (str, optional): Only draws of this lot.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "draws": records}}
        """
        if redemption_id is not None and redemption_id not in self.redemptions:
            return _refused(f"There is no redemption {redemption_id!r}.")
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            draw
            for draw in self.draws.values()
            if (redemption_id is None or draw["redemption_id"] == redemption_id)
            and (lot_id is None or draw["lot_id"] == lot_id)
        ]
        return _found({"total": len(found), "draws": [{**draw} for draw in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def record_purchase(
        self,
        member_id: str,
        shop_id: str,
        receipt: Text,
        amount: Annotated[int, {"minimum": 100, "maximum": 300000}],
    ) -> Result:
        """Credit the points of a purchase, with the bonus of the member's tier; debts are settled first, and the tier
        rises where its threshold is reached.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            shop_id (str): Id of the shop, such as SHOP-00001.
            receipt (str): Number of the receipt, not credited by that shop before.
            amount (int): Sum on the receipt, enough for at least one point, in cents, from 100 to 300000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        shop = self.shops.get(shop_id)
        if shop is None:
            return _refused(f"There is no shop {shop_id!r}.")
        if amount < shop["per_point"]:
            return _refused(f"{_money(amount)} are too little for a point at {shop['name']}.")
        same = next(
            (
                c
                for c in sorted(self._lots_by_shop.get(shop_id, {}).values(), key=_age)
                if c["receipt"] == receipt
                and c["returned"] < c["amount"]
            ),
            None,
        )
        if same is not None:
            return _refused(
                f"Receipt {receipt} of {shop['name']} was credited to {self.members[same['member_id']]['name']} "
                f"on {same['earned_on']}."
            )
        self._journal = []
        base = amount // shop["per_point"]
        points = base + base * self.tiers[member["tier_id"]]["bonus"] // 100
        pays = min(member["debt"], points)
        debt = member["debt"] - pays
        if not 0 <= debt <= 9000:
            return self._take_back(f"The debt of {member['name']} must be between 0 and 9000.")
        self._put("members", member, "debt", debt)
        if not 0 <= points <= 20000:
            return self._take_back("The points of a lot must be between 0 and 20000.")
        left = points - pays
        if not 0 <= left <= 20000:
            return self._take_back("The left of a lot must be between 0 and 20000.")
        if not 0 <= pays <= 20000:
            return self._take_back("The settled of a lot must be between 0 and 20000.")
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "member_id": member_id,
            "source": "purchase",
            "shop_id": shop_id,
            "receipt": receipt,
            "amount": amount,
            "returned": 0,
            "points": points,
            "left": left,
            "expired": 0,
            "taken_back": 0,
            "settled": pays,
            "given": 0,
            "earned_on": self.now[:10],
            "expires_on": _plus_days(_add_months(self.now[:10][:8] + "01", 13), -1),
        }
        self._add("lots", lot)
        now_in = self._reached(member)
        if now_in["threshold"] > self.tiers[member["tier_id"]]["threshold"]:
            self._put("members", member, "tier_id", now_in["id"])
            self._put("members", member, "tier_since", self.now[:10])
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(member):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.members[lot["member_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(lot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(lot):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: credit receipt {receipt} of {shop['name']} over {_money(amount)} to {member['name']} "
                f"(new: lot {lot['id']})."
            ),
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def return_goods(self, lot_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 300000}]) -> Result:
        """Take back the points of goods that were returned; what is spent already comes out of other lots that are
        still good or becomes a debt.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            amount (int): Price of the returned goods, at most what is not returned yet, in cents, from 100 to
                300000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["source"] != "purchase" or lot["amount"] == 0:
            return _refused(f"Only purchases can be returned, and this is a {lot['source']}.")
        if amount > lot["amount"] - lot["returned"]:
            return _refused(
                f"{_money(lot['amount'] - lot['returned'])} of that receipt can still be returned, not "
                f"{_money(amount)}."
            )
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        changed_lots_3: list[Any] = []
        changed_members: list[Any] = []
        for c in [
            c
            for c in sorted(self._lots_by_member.get(lot["member_id"], {}).values(), key=_age)
            if c is not lot
            and c["left"] > 0
            and c["expires_on"] < self.now[:10]
        ]:
            expired = c["expired"] + c["left"]
            if not 0 <= expired <= 20000:
                return self._take_back(f"The expired of {c['id']} must be between 0 and 20000.")
            changed_lots.append(c)
            self._put("lots", c, "expired", expired)
            changed_lots_2.append(c)
            self._put("lots", c, "left", 0)
        back = (
            lot["points"] * (lot["returned"] + amount) // lot["amount"]
            - lot["points"] * lot["returned"] // lot["amount"]
        )
        returned = lot["returned"] + amount
        if not 0 <= returned <= 500000:
            return self._take_back(f"The returned of {lot['id']} must be between 0.00 and 5,000.00.")
        self._put("lots", lot, "returned", returned)
        first_part = min(lot["left"], back)
        left = lot["left"] - first_part
        if not 0 <= left <= 20000:
            return self._take_back(f"The left of {lot['id']} must be between 0 and 20000.")
        self._put("lots", lot, "left", left)
        taken_back = lot["taken_back"] + first_part
        if not 0 <= taken_back <= 20000:
            return self._take_back(f"The taken back of {lot['id']} must be between 0 and 20000.")
        self._put("lots", lot, "taken_back", taken_back)
        open = back - first_part
        for c in sorted(
            [c for c in self._lots_by_member.get(lot["member_id"], {}).values() if c["left"] > 0],
            key=lambda c: (c["expires_on"], c["id"], _age(c)),
        ):
            part = min(c["left"], open)
            if part > 0:
                new_left = c["left"] - part
                if not 0 <= new_left <= 20000:
                    return self._take_back(f"The left of {c['id']} must be between 0 and 20000.")
                changed_lots_2.append(c)
                self._put("lots", c, "left", new_left)
                new_taken_back = c["taken_back"] + part
                if not 0 <= new_taken_back <= 20000:
                    return self._take_back(f"The taken back of {c['id']} must be between 0 and 20000.")
                changed_lots_3.append(c)
                self._put("lots", c, "taken_back", new_taken_back)
                open = open - part
        if open > 0:
            member = self.members[lot["member_id"]]
            debt = self.members[lot["member_id"]]["debt"] + open
            if not 0 <= debt <= 9000:
                return self._take_back(f"The debt of {member['name']} must be between 0 and 9000.")
            changed_members.append(member)
            self._put("members", member, "debt", debt)
        for one_lot in _distinct([lot, *changed_lots, *changed_lots_2, *changed_lots_3]):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_member in _distinct(
            [
                self.members[lot["member_id"]],
                *[self.members[one["member_id"]] for one in changed_lots_2],
                *changed_members,
            ]
        ):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(lot):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: take back points of {self.members[lot['member_id']]['name']} for {_money(amount)} of "
                "returned goods."
            ),
            "data": self._changes(),
        }

    def grant_points(self, member_id: str, points: Annotated[int, {"minimum": 10, "maximum": 2000}]) -> Result:
        """Grant goodwill points that are valid for 90 days; debts are settled first.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            points (int): Goodwill points that the member gets, from 10 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if sum(
            1
            for c in self._lots_by_member_source.get((member_id, "goodwill"), {}).values()
            if c["earned_on"] == self.now[:10]
        ) >= 3:
            return _refused(f"{member['name']} was granted points three times today.")
        self._journal = []
        pays = min(member["debt"], points)
        debt = member["debt"] - pays
        if not 0 <= debt <= 9000:
            return self._take_back(f"The debt of {member['name']} must be between 0 and 9000.")
        self._put("members", member, "debt", debt)
        left = points - pays
        if not 0 <= left <= 20000:
            return self._take_back("The left of a lot must be between 0 and 20000.")
        if not 0 <= pays <= 20000:
            return self._take_back("The settled of a lot must be between 0 and 20000.")
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "member_id": member_id,
            "source": "goodwill",
            "shop_id": None,
            "receipt": None,
            "amount": 0,
            "returned": 0,
            "points": points,
            "left": left,
            "expired": 0,
            "taken_back": 0,
            "settled": pays,
            "given": 0,
            "earned_on": self.now[:10],
            "expires_on": _plus_days(self.now[:10], 90),
        }
        self._add("lots", lot)
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(member):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.members[lot["member_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(lot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(lot):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: grant {points} points to {member['name']} (new: lot {lot['id']}).",
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def redeem_reward(self, member_id: str, reward_id: str, pooled: bool = False) -> Result:
        """Reserve a reward for a member, paid with the points that run out first, their own before those of the
        household.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            reward_id (str): Id of the reward, such as REWARD-00001.
            pooled (bool): Whether points of the household may be used too. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        reward = self.rewards.get(reward_id)
        if reward is None:
            return _refused(f"There is no reward {reward_id!r}.")
        if member["debt"] != 0:
            return _refused(f"{member['name']} owes {member['debt']} points.")
        if self.tiers[member["tier_id"]]["threshold"] < self.tiers[reward["tier_id"]]["threshold"]:
            return _refused(
                f"{reward['name']} is for {self.tiers[reward['tier_id']]['name']} and above, and {member['name']} "
                f"has {self.tiers[member['tier_id']]['name']}."
            )
        if reward["stock"] <= 0:
            return _refused(f"{reward['name']} is out of stock.")
        if len(self._redemptions_by_member_status.get((member_id, "reserved"), {})) >= 2:
            return _refused(f"{member['name']} has two rewards to collect first.")
        twin = next(
            (
                r
                for r in sorted(
                    self._redemptions_by_reward_status.get((reward_id, "reserved"), {}).values(),
                    key=_age,
                )
                if self._root(self.members[r["member_id"]]) is self._root(member)
            ),
            None,
        )
        if twin is not None:
            return _refused(
                f"{reward['name']} is reserved for {self.members[twin['member_id']]['name']} of the same "
                "household already."
            )
        if not (pooled or self._member_points(member) >= reward["points"]):
            return _refused(
                f"{member['name']} has {self._member_points(member)} points of their own and {reward['name']} "
                f"costs {reward['points']}."
            )
        if self._pool(member) < reward["points"]:
            return _refused(
                f"The household has {self._pool(member)} points together and {reward['name']} costs "
                f"{reward['points']}."
            )
        self._journal = []
        added_draws: list[Any] = []
        changed_lots: list[Any] = []
        redemption: Redemption = {
            "id": self._new_id("redemption", "REDEMPTION", self.redemptions),
            "member_id": member_id,
            "reward_id": reward_id,
            "points": reward["points"],
            "made_on": self.now[:10],
            "status": "reserved",
        }
        self._add("redemptions", redemption)
        stock = reward["stock"] - 1
        if not 0 <= stock <= 200:
            return self._take_back(f"The stock of {reward['name']} must be between 0 and 200.")
        self._put("rewards", reward, "stock", stock)
        open = reward["points"]
        for c in sorted(
            [
                c
                for c in self.lots.values()
                if self._live(c)
                and (
                    c["member_id"] == member_id
                    or pooled
                    and self._root(self.members[c["member_id"]]) is self._root(member)
                )
            ],
            key=lambda c: (c["member_id"] != member_id, c["expires_on"], c["id"], _age(c)),
        ):
            part = min(c["left"], open)
            if part > 0:
                if not 1 <= part <= 5000:
                    return self._take_back("The points of a draw must be between 1 and 5000.")
                draw = {
                    "id": self._new_id("draw", "DRAW", self.draws),
                    "redemption_id": redemption["id"],
                    "lot_id": c["id"],
                    "points": part,
                }
                self._add("draws", draw)
                added_draws.append(draw)
                left = c["left"] - part
                if not 0 <= left <= 20000:
                    return self._take_back(f"The left of {c['id']} must be between 0 and 20000.")
                changed_lots.append(c)
                self._put("lots", c, "left", left)
                open = open - part
        for one_lot in _distinct([*[self.lots[one["lot_id"]] for one in added_draws], *changed_lots]):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_redemption in _distinct(
            [redemption, *[self.redemptions[one["redemption_id"]] for one in added_draws]]
        ):
            if self._breaks_rule_2(one_redemption):
                return self._take_back(RULES[1])
        for one_draw in _distinct(added_draws):
            if self._breaks_rule_3(one_draw):
                return self._take_back(RULES[2])
        for one_member in _distinct([self.members[one["member_id"]] for one in changed_lots]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(self.members[redemption["member_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(redemption):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: reserve {reward['name']} for {member['name']} (new: redemption {redemption['id']}).",
            "data": {"redemption_id": redemption["id"], **self._changes()},
        }

    def hand_out_reward(self, redemption_id: str) -> Result:
        """Hand a reserved reward out to the member.

        Args:
            redemption_id (str): Id of the redemption, such as REDEMPTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        redemption = self.redemptions.get(redemption_id)
        if redemption is None:
            return _refused(f"There is no redemption {redemption_id!r}.")
        if redemption["status"] != "reserved":
            return _refused(
                f"{self.rewards[redemption['reward_id']]['name']} for "
                f"{self.members[redemption['member_id']]['name']} is {redemption['status']}."
            )
        self._journal = []
        self._put("redemptions", redemption, "status", "collected")
        if self._breaks_rule_2(redemption):
            return self._take_back(RULES[1])
        for one_draw in _distinct(self._draws_by_redemption.get(redemption["id"], {}).values()):
            if self._breaks_rule_3(one_draw):
                return self._take_back(RULES[2])
        if self._breaks_rule_7(self.members[redemption["member_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(redemption):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hand {self.rewards[redemption['reward_id']]['name']} out to "
                f"{self.members[redemption['member_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_redemption(self, redemption_id: str) -> Result:
        """Cancel a reserved reward; its points go back where they came from, less what ran out or was owed meanwhile.

        Args:
            redemption_id (str): Id of the redemption, such as REDEMPTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        redemption = self.redemptions.get(redemption_id)
        if redemption is None:
            return _refused(f"There is no redemption {redemption_id!r}.")
        if redemption["status"] != "reserved":
            return _refused(
                f"{self.rewards[redemption['reward_id']]['name']} for "
                f"{self.members[redemption['member_id']]['name']} is {redemption['status']}."
            )
        self._journal = []
        changed_members: list[Any] = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        changed_lots_3: list[Any] = []
        deleted_draws: list[Any] = []
        self._put("redemptions", redemption, "status", "cancelled")
        reward = self.rewards[redemption["reward_id"]]
        stock = self.rewards[redemption["reward_id"]]["stock"] + 1
        if not 0 <= stock <= 200:
            return self._take_back(f"The stock of {reward['name']} must be between 0 and 200.")
        self._put("rewards", reward, "stock", stock)
        for d in sorted(self._draws_by_redemption.get(redemption_id, {}).values(), key=_age):
            owner = self.members[self.lots[d["lot_id"]]["member_id"]]
            pays = min(owner["debt"], d["points"])
            debt = owner["debt"] - pays
            if not 0 <= debt <= 9000:
                return self._take_back(f"The debt of {owner['name']} must be between 0 and 9000.")
            changed_members.append(owner)
            self._put("members", owner, "debt", debt)
            lot = self.lots[d["lot_id"]]
            settled = self.lots[d["lot_id"]]["settled"] + pays
            if not 0 <= settled <= 20000:
                return self._take_back(f"The settled of {lot['id']} must be between 0 and 20000.")
            changed_lots.append(lot)
            self._put("lots", lot, "settled", settled)
            if self.lots[d["lot_id"]]["expires_on"] < self.now[:10]:
                its_lot = self.lots[d["lot_id"]]
                expired = self.lots[d["lot_id"]]["expired"] + d["points"] - pays
                if not 0 <= expired <= 20000:
                    return self._take_back(f"The expired of {its_lot['id']} must be between 0 and 20000.")
                changed_lots_2.append(its_lot)
                self._put("lots", its_lot, "expired", expired)
            else:
                its_lot_2 = self.lots[d["lot_id"]]
                left = self.lots[d["lot_id"]]["left"] + d["points"] - pays
                if not 0 <= left <= 20000:
                    return self._take_back(f"The left of {its_lot_2['id']} must be between 0 and 20000.")
                changed_lots_3.append(its_lot_2)
                self._put("lots", its_lot_2, "left", left)
            if d["id"] in self.draws:
                self._remove("draws", d)
            deleted_draws.append(d)
        for one_lot in _distinct(
            [*changed_lots, *changed_lots_2, *changed_lots_3, *[self.lots[one["lot_id"]] for one in deleted_draws]]
        ):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_redemption in _distinct(
            [redemption, *[self.redemptions[one["redemption_id"]] for one in deleted_draws]]
        ):
            if self._breaks_rule_2(one_redemption):
                return self._take_back(RULES[1])
        for one_draw in _distinct(self._draws_by_redemption.get(redemption["id"], {}).values()):
            if one_draw["id"] in self.draws and self._breaks_rule_3(one_draw):
                return self._take_back(RULES[2])
        for one_member in _distinct([*changed_members, *[self.members[one["member_id"]] for one in changed_lots_3]]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(self.members[redemption["member_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(redemption):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel {self.rewards[redemption['reward_id']]['name']} for "
                f"{self.members[redemption['member_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def expire_points(self, before: Date) -> Result:
        """Write off what is left of all lots that ran out before a day.

        Args:
            before (str): Day before which the points ran out, today at the latest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if before > self.now[:10]:
            return _refused(f"Lots that run out after {self.now[:10]} are still good.")
        if not any(c["left"] > 0 and c["expires_on"] < before for c in self.lots.values()):
            return _refused(f"No lot that ran out before {before} has points left.")
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        for c in [c for c in self.lots.values() if c["left"] > 0 and c["expires_on"] < before]:
            expired = c["expired"] + c["left"]
            if not 0 <= expired <= 20000:
                return self._take_back(f"The expired of {c['id']} must be between 0 and 20000.")
            changed_lots.append(c)
            self._put("lots", c, "expired", expired)
            changed_lots_2.append(c)
            self._put("lots", c, "left", 0)
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_member in _distinct([self.members[one["member_id"]] for one in changed_lots_2]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: write off points that ran out before {before}.",
            "data": self._changes(),
        }

    def give_points(
        self,
        giver_id: str,
        taker_id: str,
        points: Annotated[int, {"minimum": 1, "maximum": 5000}],
    ) -> Result:
        """Give points to another member of the household, those that run out first; they keep their last day.

        Args:
            giver_id (str): Member of the household whose points are given away; an id such as MEMBER-00001.
            taker_id (str): Member of the same household who gets the points; an id such as MEMBER-00001.
            points (int): Points that change hands, from 1 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.members.get(giver_id)
        if giver is None:
            return _refused(f"There is no member {giver_id!r}.")
        taker = self.members.get(taker_id)
        if taker is None:
            return _refused(f"There is no member {taker_id!r}.")
        if giver is taker:
            return _refused(f"{giver['name']} cannot give points to themselves.")
        if self._root(giver) is not self._root(taker):
            return _refused(f"{giver['name']} and {taker['name']} are not in one household.")
        if taker["debt"] != 0:
            return _refused(f"{taker['name']} owes {taker['debt']} points, which a gift does not settle.")
        if points > self._member_points(giver):
            return _refused(f"{giver['name']} has {self._member_points(giver)} points, not {points}.")
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        added_lots: list[Any] = []
        open = points
        for c in sorted(
            [c for c in self._lots_by_member.get(giver_id, {}).values() if self._live(c)],
            key=lambda c: (c["expires_on"], c["id"], _age(c)),
        ):
            part = min(c["left"], open)
            if part > 0:
                left = c["left"] - part
                if not 0 <= left <= 20000:
                    return self._take_back(f"The left of {c['id']} must be between 0 and 20000.")
                changed_lots.append(c)
                self._put("lots", c, "left", left)
                given = c["given"] + part
                if not 0 <= given <= 20000:
                    return self._take_back(f"The given of {c['id']} must be between 0 and 20000.")
                changed_lots_2.append(c)
                self._put("lots", c, "given", given)
                if not 0 <= part <= 20000:
                    return self._take_back("The points of a lot must be between 0 and 20000.")
                if not 0 <= part <= 20000:
                    return self._take_back("The left of a lot must be between 0 and 20000.")
                lot = {
                    "id": self._new_id("lot", "LOT", self.lots),
                    "member_id": taker_id,
                    "source": "gift",
                    "shop_id": None,
                    "receipt": None,
                    "amount": 0,
                    "returned": 0,
                    "points": part,
                    "left": part,
                    "expired": 0,
                    "taken_back": 0,
                    "settled": 0,
                    "given": 0,
                    "earned_on": self.now[:10],
                    "expires_on": c["expires_on"],
                }
                self._add("lots", lot)
                added_lots.append(lot)
                open = open - part
        for one_lot in _distinct([*changed_lots, *changed_lots_2, *added_lots]):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_member in _distinct(
            [
                *[self.members[one["member_id"]] for one in changed_lots],
                *[self.members[one["member_id"]] for one in added_lots],
            ]
        ):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_9(one_lot):
                return self._take_back(RULES[8])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_10(one_lot):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: give {points} points of {giver['name']} to {taker['name']}.",
            "data": self._changes(),
        }

    def add_partner_card(self, card_id: str, main_id: str) -> Result:
        """Hang a member's card on the main card of a household.

        Args:
            card_id (str): Member whose card becomes a partner card; an id such as MEMBER-00001.
            main_id (str): Member who has the main card of the household; an id such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        card = self.members.get(card_id)
        if card is None:
            return _refused(f"There is no member {card_id!r}.")
        main = self.members.get(main_id)
        if main is None:
            return _refused(f"There is no member {main_id!r}.")
        if card is main:
            return _refused(f"{card['name']} cannot hang on their own card.")
        if card["main_id"] is not None:
            return _refused(f"{card['name']} is a partner card of a household, so take it off that one first.")
        if main["main_id"] is not None:
            return _refused(f"{main['name']} has a partner card; name the main card of the household.")
        if self._members_by_main.get(card_id, {}):
            return _refused(f"{card['name']} has partner cards of their own.")
        if len(self._members_by_main.get(main_id, {})) >= 4:
            return _refused(f"{main['name']} has four partner cards already.")
        clash = next(
            (
                r
                for r in self.redemptions.values()
                for o in sorted(
                    self._redemptions_by_reward_status.get((r["reward_id"], "reserved"), {}).values(),
                    key=_age,
                )
                if r["member_id"] == card_id
                and r["status"] == "reserved"
                and self._root(self.members[o["member_id"]]) is main
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"Both have {self.rewards[clash['reward_id']]['name']} reserved, so hand one out or cancel it first."
            )
        self._journal = []
        former_main_id = card["main_id"]
        self._put("members", card, "main_id", main_id)
        for one_draw in _distinct(
            [
                *[
                    user
                    for one in self._redemptions_by_member.get(card["id"], {}).values()
                    for user in self._draws_by_redemption.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in self._lots_by_member.get(card["id"], {}).values()
                    for user in self._draws_by_lot.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_draw):
                return self._take_back(RULES[2])
        for one_member in _distinct([card, *self._members_by_main.get(card["id"], {}).values()]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members.get(card["main_id"]), self.members.get(former_main_id)]):
            if self._breaks_rule_5(one_member):
                return self._take_back(RULES[4])
        for one_redemption in _distinct(
            self._redemptions_by_member_status.get((card["id"], "reserved"), {}).values()
        ):
            if self._breaks_rule_11(one_redemption):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: hang the card of {card['name']} on that of {main['name']}.",
            "data": self._changes(),
        }

    def remove_partner_card(self, card_id: str) -> Result:
        """Take a partner card off its household.

        Args:
            card_id (str): Member whose partner card leaves the household; an id such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        card = self.members.get(card_id)
        if card is None:
            return _refused(f"There is no member {card_id!r}.")
        if card["main_id"] is None:
            return _refused(f"{card['name']} is no partner card.")
        held = next(
            (
                self.redemptions[d["redemption_id"]]
                for d in sorted(
                    _distinct(
                        [
                            *[
                                d
                                for _redemption in self._redemptions_by_member.get(card_id, {}).values()
                                for d in self._draws_by_redemption.get(_redemption["id"], {}).values()
                            ],
                            *[
                                d
                                for _lot in self._lots_by_member.get(card_id, {}).values()
                                for d in self._draws_by_lot.get(_lot["id"], {}).values()
                            ],
                        ]
                    ),
                    key=_age,
                )
                if self.redemptions[d["redemption_id"]]["status"] == "reserved"
                and self.redemptions[d["redemption_id"]]["member_id"] != self.lots[d["lot_id"]]["member_id"]
            ),
            None,
        )
        if held is not None:
            return _refused(
                f"{self.rewards[held['reward_id']]['name']}, reserved for "
                f"{self.members[held['member_id']]['name']}, was paid from the pool, so hand it out or cancel it "
                "first."
            )
        self._journal = []
        former_main_id = card["main_id"]
        self._put("members", card, "main_id", None)
        for one_draw in _distinct(
            [
                *[
                    user
                    for one in self._redemptions_by_member.get(card["id"], {}).values()
                    for user in self._draws_by_redemption.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in self._lots_by_member.get(card["id"], {}).values()
                    for user in self._draws_by_lot.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_draw):
                return self._take_back(RULES[2])
        for one_member in _distinct([card, *self._members_by_main.get(card["id"], {}).values()]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members.get(card["main_id"]), self.members.get(former_main_id)]):
            if self._breaks_rule_5(one_member):
                return self._take_back(RULES[4])
        for one_redemption in _distinct(
            self._redemptions_by_member_status.get((card["id"], "reserved"), {}).values()
        ):
            if self._breaks_rule_11(one_redemption):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take the card of {card['name']} off the household.",
            "data": self._changes(),
        }

    def review_tier(self, member_id: str) -> Result:
        """Set the tier of a member to what the points of the last twelve months reach, a year after it was last set.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if _plus_days(member["tier_since"], 365) > self.now[:10]:
            return _refused(f"The tier of {member['name']} was set on {member['tier_since']} and stands for a year.")
        self._journal = []
        self._put("members", member, "tier_id", self._reached(member)["id"])
        self._put("members", member, "tier_since", self.now[:10])
        return {"success": True, "message": f"Done: review the tier of {member['name']}.", "data": self._changes()}

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "points": self._member_points(member), "year_points": self._member_year_points(member)}

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "drawn": self._lot_drawn(lot)}

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names(
            (self.members, "name", [row["main_id"] for row in shown]),
            (self.tiers, "name", [row["tier_id"] for row in shown]),
        )

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.shops, "name", [row["shop_id"] for row in shown]),
        )

    def _names_of_rewards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rewards point to."""
        return _names((self.tiers, "name", [row["tier_id"] for row in shown]))

    def _names_of_redemptions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that redemptions point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.rewards, "name", [row["reward_id"] for row in shown]),
        )

    def _member_points(self, member: Member) -> int:
        """The points of a member."""
        return sum(
            c["left"]
            for c in self._lots_by_member.get(member["id"], {}).values()
            if c["expires_on"] >= self.now[:10]
        )

    def _member_year_points(self, member: Member) -> int:
        """The year points of a member."""
        return sum(
            (c["amount"] - c["returned"]) // self.shops[c["shop_id"]]["per_point"]
            for c in self._lots_by_member.get(member["id"], {}).values()
            if c["shop_id"] is not None
            and c["earned_on"] > _add_months(self.now[:10], -12)
        )

    def _lot_drawn(self, lot: Lot) -> int:
        """The drawn of a lot."""
        return sum(d["points"] for d in self._draws_by_lot.get(lot["id"], {}).values())

    def _root(self, m: Member) -> Member:
        return self.members.get(m["main_id"]) or m

    def _household(self, m: Member) -> list[Member]:
        return [self._root(m)] + _below(self._members_by_main, self._root(m))

    def _live(self, c: Lot) -> bool:
        return c["left"] > 0 and c["expires_on"] >= self.now[:10]

    def _reached(self, m: Member) -> Tier:
        return (
            min(
                (t for t in self.tiers.values() if t["threshold"] <= self._member_year_points(m)),
                key=lambda t: (-t["threshold"], _age(t)),
                default=None,
            )
            or self.tiers[m["tier_id"]]
        )

    def _pool(self, m: Member) -> int:
        return sum(
            c["left"]
            for c in self.lots.values()
            if self._live(c)
            and self._root(self.members[c["member_id"]]) is self._root(m)
        )

    def _breaks_rule_1(self, c: Lot) -> bool:
        """Whether this is broken: every point of a lot is left, spent, given away, taken back, set against a debt or
        expired.
        """
        return (
            c["left"]
            + self._lot_drawn(c)
            + c["given"]
            + c["taken_back"]
            + c["settled"]
            + c["expired"] != c["points"]
        )

    def _breaks_rule_2(self, r: Redemption) -> bool:
        """Whether this is broken: a reward is paid for in full with points, and a cancelled one with none."""
        return sum(
            d["points"]
            for d in self._draws_by_redemption.get(r["id"], {}).values()
        ) != (0 if r["status"] == "cancelled" else r["points"])

    def _breaks_rule_3(self, d: Draw) -> bool:
        """Whether this is broken: a reserved reward draws only on points of the member's own household."""
        return (
            self.redemptions[d["redemption_id"]]["status"] == "reserved"
            and self._root(
                self.members[self.redemptions[d["redemption_id"]]["member_id"]]
            ) is not self._root(self.members[self.lots[d["lot_id"]]["member_id"]])
        )

    def _breaks_rule_4(self, m: Member) -> bool:
        """Whether this is broken: a partner card hangs on a main card, never on another partner card."""
        return not (m["main_id"] is None or m["main_id"] != m["id"] and self.members[m["main_id"]]["main_id"] is None)

    def _breaks_rule_5(self, m: Member) -> bool:
        """Whether this is broken: a main card has at most four partner cards."""
        return len(self._members_by_main.get(m["id"], {})) > 4

    def _breaks_rule_6(self, m: Member) -> bool:
        """Whether this is broken: whoever owes points has none left."""
        return m["debt"] > 0 and sum(c["left"] for c in self._lots_by_member.get(m["id"], {}).values()) != 0

    def _breaks_rule_7(self, m: Member) -> bool:
        """Whether this is broken: a member has at most two rewards reserved at a time."""
        return len(self._redemptions_by_member_status.get((m["id"], "reserved"), {})) > 2

    def _breaks_rule_8(self, c: Lot) -> bool:
        """Whether this is broken: a receipt counts once, unless everything on it was returned."""
        return (
            c["source"] == "purchase"
            and c["returned"] < c["amount"]
            and any(
                other_c is not c
                for other_c in self._lots_by_source_shop.get(("purchase", c["shop_id"]), {}).values()
                if other_c["receipt"] == c["receipt"]
                and other_c["returned"] < other_c["amount"]
            )
        )

    def _breaks_rule_9(self, c: Lot) -> bool:
        """Whether this is broken: no more is returned than was bought."""
        return c["returned"] > c["amount"]

    def _breaks_rule_10(self, c: Lot) -> bool:
        """Whether this is broken: purchases name a shop and a receipt, and other lots name neither."""
        return (c["source"] == "purchase") != (c["shop_id"] is not None and c["receipt"] is not None)

    def _breaks_rule_11(self, r: Redemption) -> bool:
        """Whether this is broken: two members of one household never reserve the same reward at once."""
        return (
            r["status"] == "reserved"
            and any(
                other_r is not r
                for other_r in self._redemptions_by_reward_status.get((r["reward_id"], "reserved"), {}).values()
                if self._root(self.members[other_r["member_id"]]) is self._root(self.members[r["member_id"]])
            )
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
            case "members":
                self._members_by_main.setdefault(record["main_id"], {})[record["id"]] = record
            case "lots":
                self._lots_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._lots_by_member_source.setdefault((record["member_id"], record["source"]), {})[record["id"]] = record
                self._lots_by_shop.setdefault(record["shop_id"], {})[record["id"]] = record
                self._lots_by_source_shop.setdefault((record["source"], record["shop_id"]), {})[record["id"]] = record
            case "redemptions":
                self._redemptions_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._redemptions_by_member_status.setdefault(
                    (record["member_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._redemptions_by_reward_status.setdefault(
                    (record["reward_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "draws":
                self._draws_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
                self._draws_by_redemption.setdefault(record["redemption_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "members":
                del self._members_by_main[record["main_id"]][record["id"]]
            case "lots":
                del self._lots_by_member[record["member_id"]][record["id"]]
                del self._lots_by_member_source[record["member_id"], record["source"]][record["id"]]
                del self._lots_by_shop[record["shop_id"]][record["id"]]
                del self._lots_by_source_shop[record["source"], record["shop_id"]][record["id"]]
            case "redemptions":
                del self._redemptions_by_member[record["member_id"]][record["id"]]
                del self._redemptions_by_member_status[record["member_id"], record["status"]][record["id"]]
                del self._redemptions_by_reward_status[record["reward_id"], record["status"]][record["id"]]
            case "draws":
                del self._draws_by_lot[record["lot_id"]][record["id"]]
                del self._draws_by_redemption[record["redemption_id"]][record["id"]]
