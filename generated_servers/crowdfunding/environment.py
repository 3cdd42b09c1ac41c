"""Crowdfunding. Compiled from blueprint.yaml; run `envscaler build crowdfunding` after changing it there.

Runs all-or-nothing campaigns with limited rewards, pledges that may be changed until the end, stretch goals,
refunds when a goal is missed, and payouts and deliveries when it is reached.
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
    "A backer has one pledge in a campaign.",
    "A reward is never claimed more often than there are copies.",
    "A pledge covers the price of its reward.",
    "A reward belongs to the campaign that is pledged to.",
    "Pledges are active while a campaign is live and at no other time.",
    "A campaign is funded only if it reached its goal.",
    "A campaign that failed or was stopped keeps no pledge.",
    "Nobody backs a campaign of their own.",
    "Only verified creators go live.",
    "A creator has two campaigns live at a time at most.",
    "A campaign is paid out once, for what was raised.",
    "Stretch goals lie above the goal, at different amounts, and are announced only when reached in their order.",
    "Rewards are sent only for pledges that were charged.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "verify_creator",
    "launch_campaign",
    "offer_reward",
    "pledge",
    "change_pledge",
    "withdraw_pledge",
    "announce_stretch",
    "extend_campaign",
    "settle_campaign",
    "pay_out",
    "resolve_pledge",
)
"""The methods that may change something; all others only read."""

PLEDGE_STATUS_MOVES = {
    ("active", "charged"),
    ("active", "withdrawn"),
    ("active", "lapsed"),
    ("charged", "refunded"),
    ("charged", "bounced"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "backers": ("name",),
    "creators": ("name",),
    "campaigns": ("title",),
    "rewards": ("name",),
    "stretch_goals": ("name",),
    "pledges": (),
    "payouts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("campaigns", "creator_id"),
    ("campaigns", "status"),
    ("payouts", "campaign_id"),
    ("pledges", "backer_id"),
    ("pledges", "campaign_id"),
    ("pledges", "reward_id"),
    ("pledges", "status"),
    ("rewards", "campaign_id"),
    ("rewards", "name"),
    ("stretch_goals", "campaign_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Backer(TypedDict):
    id: str
    name: str
    country: Literal["france", "spain", "poland", "canada", "japan"]
    blocked: bool


class Creator(TypedDict):
    id: str
    name: str
    verified: bool


class Campaign(TypedDict):
    id: str
    title: str
    creator_id: str
    goal: int
    ends_on: str
    extended: bool
    fee_percent: int
    status: Literal["draft", "live", "funded", "failed", "stopped", "paid_out"]


class Reward(TypedDict):
    id: str
    name: str
    campaign_id: str
    price: int
    copies: int | None
    ships: bool


class StretchGoal(TypedDict):
    id: str
    name: str
    campaign_id: str
    at: int
    announced: bool


class Pledge(TypedDict):
    id: str
    backer_id: str
    campaign_id: str
    reward_id: str | None
    amount: int
    made_on: str
    sent_on: str | None
    status: Literal["active", "charged", "withdrawn", "lapsed", "refunded", "bounced"]


class Payout(TypedDict):
    id: str
    campaign_id: str
    gross: int
    fee: int
    paid_on: str


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class Crowdfunding:
    """Runs all-or-nothing campaigns with limited rewards, pledges that may be changed until the end,
    stretch goals, refunds when a goal is missed, and payouts and deliveries when it is reached.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.backers: dict[str, Backer] = _copied(config.get("backers", {}))
        self.creators: dict[str, Creator] = _copied(config.get("creators", {}))
        self.campaigns: dict[str, Campaign] = _copied(config.get("campaigns", {}))
        self.rewards: dict[str, Reward] = _copied(config.get("rewards", {}))
        self.stretch_goals: dict[str, StretchGoal] = _copied(config.get("stretch_goals", {}))
        self.pledges: dict[str, Pledge] = _copied(config.get("pledges", {}))
        self.payouts: dict[str, Payout] = _copied(config.get("payouts", {}))
        self.now: str = config.get("now", "2026-07-02T11:00")
        self.counters: dict[str, int] = {
            "backer": len(self.backers),
            "creator": len(self.creators),
            "campaign": len(self.campaigns),
            "reward": len(self.rewards),
            "stretch_goal": len(self.stretch_goals),
            "pledge": len(self.pledges),
            "payout": len(self.payouts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._campaigns_by_creator: dict[Any, dict[str, Campaign]] = {}
        self._campaigns_by_creator_status: dict[Any, dict[str, Campaign]] = {}
        self._campaigns_by_status: dict[Any, dict[str, Campaign]] = {}
        self._rewards_by_campaign: dict[Any, dict[str, Reward]] = {}
        self._rewards_by_name: dict[Any, dict[str, Reward]] = {}
        self._stretch_goals_by_campaign: dict[Any, dict[str, StretchGoal]] = {}
        self._pledges_by_backer_campaign: dict[Any, dict[str, Pledge]] = {}
        self._pledges_by_campaign: dict[Any, dict[str, Pledge]] = {}
        self._pledges_by_campaign_status: dict[Any, dict[str, Pledge]] = {}
        self._pledges_by_reward: dict[Any, dict[str, Pledge]] = {}
        self._payouts_by_campaign: dict[Any, dict[str, Payout]] = {}
        for campaign in self.campaigns.values():
            self._link("campaigns", campaign)
        for reward in self.rewards.values():
            self._link("rewards", reward)
        for stretch_goal in self.stretch_goals.values():
            self._link("stretch_goals", stretch_goal)
        for pledge in self.pledges.values():
            self._link("pledges", pledge)
        for payout in self.payouts.values():
            self._link("payouts", payout)

    def rewards_left(
        self,
        campaign_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The rewards of a campaign with their price and how many copies are left, cheapest first.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rewards": records}} or {"success": False, "error": why
                not}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [r for r in self._rewards_by_campaign.get(campaign_id, {}).values()]
        found.sort(key=lambda r: (r["price"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rewards": [
                    {
                        "id": r["id"],
                        "name": r["name"],
                        "price": r["price"],
                        "claimed": self._reward_claimed(r),
                        "copies": r["copies"],
                        "sold_out": self._copies_left(r) == 0,
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def ending_soon(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Live campaigns and how far they are from their goals, those that end first on top.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "campaigns": records}} or {"success": False, "error":
                why not}
        """
        found = [c for c in self._campaigns_by_status.get("live", {}).values()]
        found.sort(key=lambda c: (c["ends_on"], c["title"], _age(c)))
        shown = [
            {
                "id": c["id"],
                "title": c["title"],
                "ends_on": c["ends_on"],
                "over": c["ends_on"] < self.now[:10],
                "raised": self._campaign_raised(c),
                "missing": max(0, c["goal"] - self._campaign_raised(c)),
                "next_stretch": _id_of(self._next_stretch(c)),
            }
            for c in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "campaigns": shown},
            _names((self.stretch_goals, "name", [row["next_stretch"] for row in shown])),
        )

    def parcels_to_send(
        self,
        campaign_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Charged pledges of a campaign whose rewards were not sent.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pledges": records}} or {"success": False, "error": why
                not}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [p for p in self._to_send(campaign)]
        found.sort(key=lambda p: (self.backers[p["backer_id"]]["name"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "backer": self.backers[p["backer_id"]]["name"],
                "country": self.backers[p["backer_id"]]["country"],
                "reward": p["reward_id"],
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "pledges": shown},
            _names((self.rewards, "name", [row["reward"] for row in shown])),
        )

    def list_backers(
        self,
        name: Text | None = None,
        country: Literal["france", "spain", "poland", "canada", "japan"] | None = None,
        blocked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the backers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only backers whose name contains this text.
            country (str, optional): Only backers with this country.
            blocked (bool, optional): Only backers that are blocked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "backers": records}}
        """
        found = [
            backer
            for backer in self.backers.values()
            if (name is None or name.casefold() in backer["name"].casefold())
            and (country is None or backer["country"] == country)
            and (blocked is None or backer["blocked"] == blocked)
        ]
        return _found({"total": len(found), "backers": [{**backer} for backer in _page(found, offset)]})

    def list_creators(
        self,
        name: Text | None = None,
        verified: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the creators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only creators whose name contains this text.
            verified (bool, optional): Only creators that are verified (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "creators": records}}
        """
        found = [
            creator
            for creator in self.creators.values()
            if (name is None or name.casefold() in creator["name"].casefold())
            and (verified is None or creator["verified"] == verified)
        ]
        return _found({"total": len(found), "creators": [{**creator} for creator in _page(found, offset)]})

    def list_campaigns(
        self,
        title: Text | None = None,
        creator_id: str | None = None,
        extended: bool | None = None,
        status: Literal["draft", "live", "funded", "failed", "stopped", "paid_out"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the campaigns, oldest first, all of them or only some.

        Args:
            title (str, optional): Only campaigns whose title contains this text.
            creator_id (str, optional): Only campaigns of this creator.
            extended (bool, optional): Only campaigns that are extended (true) or not (false).
            status (str, optional): Only campaigns with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "campaigns": records}}
        """
        if creator_id is not None and creator_id not in self.creators:
            return _refused(f"There is no creator {creator_id!r}.")
        found = [
            campaign
            for campaign in self.campaigns.values()
            if (title is None or title.casefold() in campaign["title"].casefold())
            and (creator_id is None or campaign["creator_id"] == creator_id)
            and (extended is None or campaign["extended"] == extended)
            and (status is None or campaign["status"] == status)
        ]
        shown = [self._show_campaign(campaign) for campaign in _page(found, offset)]
        return _found({"total": len(found), "campaigns": shown}, self._names_of_campaigns(shown))

    def list_rewards(
        self,
        name: Text | None = None,
        campaign_id: str | None = None,
        ships: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rewards, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rewards whose name contains this text.
            campaign_id (str, optional): Only rewards of this campaign.
            ships (bool, optional): Only rewards with this value of `ships`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rewards": records}}
        """
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [
            reward
            for reward in self.rewards.values()
            if (name is None or name.casefold() in reward["name"].casefold())
            and (campaign_id is None or reward["campaign_id"] == campaign_id)
            and (ships is None or reward["ships"] == ships)
        ]
        shown = [self._show_reward(reward) for reward in _page(found, offset)]
        return _found({"total": len(found), "rewards": shown}, self._names_of_rewards(shown))

    def list_stretch_goals(
        self,
        name: Text | None = None,
        campaign_id: str | None = None,
        announced: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stretch goals, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stretch goals whose name contains this text.
            campaign_id (str, optional): Only stretch goals of this campaign.
            announced (bool, optional): Only stretch goals that are announced (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stretch_goals": records}}
        """
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [
            stretch_goal
            for stretch_goal in self.stretch_goals.values()
            if (name is None or name.casefold() in stretch_goal["name"].casefold())
            and (campaign_id is None or stretch_goal["campaign_id"] == campaign_id)
            and (announced is None or stretch_goal["announced"] == announced)
        ]
        shown = [self._show_stretch_goal(stretch_goal) for stretch_goal in _page(found, offset)]
        return _found({"total": len(found), "stretch_goals": shown}, self._names_of_stretch_goals(shown))

    def list_pledges(
        self,
        backer_id: str | None = None,
        campaign_id: str | None = None,
        reward_id: str | None = None,
        status: Literal["active", "charged", "withdrawn", "lapsed", "refunded", "bounced"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pledges, oldest first, all of them or only some.

        Args:
            backer_id (str, optional): Only pledges of this backer.
            campaign_id (str, optional): Only pledges of this campaign.
            reward_id (str, optional): Only pledges of this reward.
            status (str, optional): Only pledges with this status.
            made_on_from (str, optional): Only pledges whose `made_on` is on this day or later.
            made_on_to (str, optional): Only pledges whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pledges": records}}
        """
        if backer_id is not None and backer_id not in self.backers:
            return _refused(f"There is no backer {backer_id!r}.")
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if reward_id is not None and reward_id not in self.rewards:
            return _refused(f"There is no reward {reward_id!r}.")
        found = [
            pledge
            for pledge in self.pledges.values()
            if (backer_id is None or pledge["backer_id"] == backer_id)
            and (campaign_id is None or pledge["campaign_id"] == campaign_id)
            and (reward_id is None or pledge["reward_id"] == reward_id)
            and (status is None or pledge["status"] == status)
            and (made_on_from is None or pledge["made_on"] >= made_on_from)
            and (made_on_to is None or pledge["made_on"] <= made_on_to)
        ]
        shown = [{**pledge} for pledge in _page(found, offset)]
        return _found({"total": len(found), "pledges": shown}, self._names_of_pledges(shown))

    def list_payouts(
        self,
        campaign_id: str | None = None,
        paid_on_from: Date | None = None,
        paid_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payouts, oldest first, all of them or only some.

        Args:
            campaign_id (str, optional): Only payouts of this campaign.
            paid_on_from (str, optional): Only payouts whose `paid_on` is on this day or later.
            paid_on_to (str, optional): Only payouts whose `paid_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payouts": records}}
        """
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [
            payout
            for payout in self.payouts.values()
            if (campaign_id is None or payout["campaign_id"] == campaign_id)
            and (paid_on_from is None or payout["paid_on"] >= paid_on_from)
            and (paid_on_to is None or payout["paid_on"] <= paid_on_to)
        ]
        shown = [{**payout} for payout in _page(found, offset)]
        return _found({"total": len(found), "payouts": shown}, self._names_of_payouts(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def verify_creator(self, creator_id: str) -> Result:
        """Note that the papers of a creator were checked.

        Args:
            creator_id (str): Id of the creator, such as CREATOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        creator = self.creators.get(creator_id)
        if creator is None:
            return _refused(f"There is no creator {creator_id!r}.")
        if creator["verified"]:
            return _refused(f"{creator['name']} is verified already.")
        self._journal = []
        self._put("creators", creator, "verified", True)
        for one_campaign in _distinct(self._campaigns_by_creator.get(creator["id"], {}).values()):
            if self._breaks_rule_9(one_campaign):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: verify {creator['name']}.", "data": self._changes()}

    def launch_campaign(self, campaign_id: str, ends_on: Date) -> Result:
        """Take a draft live until a day, with at least one reward.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            ends_on (str): Last day of the campaign, 7 to 60 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "draft":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if not self.creators[campaign["creator_id"]]["verified"]:
            return _refused(
                f"{self.creators[campaign['creator_id']]['name']} is not verified, so check the papers first."
            )
        if not self._rewards_by_campaign.get(campaign_id, {}):
            return _refused(f"{campaign['title']} offers no reward yet.")
        if _plus_days(self.now[:10], 7) > ends_on or ends_on > _plus_days(self.now[:10], 60):
            return _refused(f"A campaign runs for 7 to 60 days from {self.now[:10]}.")
        if len(self._campaigns_by_creator_status.get((campaign["creator_id"], "live"), {})) >= 2:
            return _refused(f"{self.creators[campaign['creator_id']]['name']} has two campaigns live.")
        self._journal = []
        self._put("campaigns", campaign, "ends_on", ends_on)
        self._put("campaigns", campaign, "status", "live")
        for one_pledge in _distinct(self._pledges_by_campaign.get(campaign["id"], {}).values()):
            if self._breaks_rule_5(one_pledge):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(campaign):
            return self._take_back(RULES[5])
        for one_pledge in _distinct(self._pledges_by_campaign.get(campaign["id"], {}).values()):
            if self._breaks_rule_7(one_pledge):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(campaign):
            return self._take_back(RULES[8])
        for one_campaign in _distinct(self._campaigns_by_creator.get(campaign["creator_id"], {}).values()):
            if self._breaks_rule_10(one_campaign):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_c(campaign):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: launch {campaign['title']} until {ends_on}.",
            "data": self._changes(),
        }

    def offer_reward(
        self,
        campaign_id: str,
        name: Text,
        price: Annotated[int, {"minimum": 500, "maximum": 500000}],
        copies: Annotated[int, {"minimum": 1, "maximum": 2000}] | None = None,
        ships: bool = True,
    ) -> Result:
        """Add a reward to a draft or a live campaign, or raise how many copies of one there are.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            name (str): Name of a new reward, or of one whose number of copies changes.
            price (int): Least pledge for the reward, unchanged where it exists already, in cents, from 500 to
                500000.
            copies (int, optional): Copies there are in all, more than are claimed, from 1 to 2000. If left out,
                any number of copies can be claimed.
            ships (bool): Whether the reward has to be sent to the backers. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] not in ("draft", "live"):
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        known = next((r for r in sorted(self._rewards_by_name.get(name, {}).values(), key=_age)), None)
        if known is not None and known["campaign_id"] != campaign_id:
            return _refused(f"{name} is a reward of another campaign.")
        if not (
            known is None
            or known["price"] == price
            and known["copies"] is not None
            and (copies is None or copies > self._reward_claimed(known))
        ):
            return _refused(f"{name} can only get another number of copies, above {self._reward_claimed(known)}.")
        self._journal = []
        added_rewards: list[Any] = []
        changed_rewards: list[Any] = []
        if known is None:
            reward = {
                "id": self._new_id("reward", "REWARD", self.rewards),
                "name": name,
                "campaign_id": campaign_id,
                "price": price,
                "copies": copies,
                "ships": ships,
            }
            self._add("rewards", reward)
            added_rewards.append(reward)
        else:
            changed_rewards.append(known)
            self._put("rewards", known, "copies", copies)
        for one_reward in added_rewards:
            if len(self._rewards_by_name.get(one_reward["name"], {})) > 1:
                return self._take_back(f"There is already a reward with the name {one_reward['name']!r}.")
        for one_reward_2 in _distinct([*added_rewards, *changed_rewards]):
            if self._breaks_rule_2(one_reward_2):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: offer {name} in {campaign['title']} for {_money(price)}.",
            "data": self._changes(),
        }

    def pledge(
        self,
        backer_id: str,
        campaign_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 2000000}],
        reward_id: str | None = None,
    ) -> Result:
        """Take the pledge of a backer, with a reward or without.

        Args:
            backer_id (str): Id of the backer, such as BACKER-00001.
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            amount (int): Sum that the backer pledges, at least the price of the reward, in cents, from 100 to
                2000000.
            reward_id (str, optional): Reward the backer wants, from this campaign; an id such as REWARD-00001. If
                left out, the pledge is without a reward.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        backer = self.backers.get(backer_id)
        if backer is None:
            return _refused(f"There is no backer {backer_id!r}.")
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        reward = self.rewards.get(reward_id) if reward_id is not None else None
        if reward_id is not None and reward is None:
            return _refused(f"There is no reward {reward_id!r}.")
        if campaign["status"] != "live":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if self.now[:10] > campaign["ends_on"]:
            return _refused(f"{campaign['title']} ended on {campaign['ends_on']}.")
        if backer["blocked"]:
            return _refused(f"{backer['name']} is blocked.")
        if backer["name"] == self.creators[campaign["creator_id"]]["name"]:
            return _refused(f"{backer['name']} cannot back their own campaign.")
        if self._pledge_of(backer, campaign) is not None:
            return _refused(f"{backer['name']} backs {campaign['title']} already, so change that pledge.")
        if reward_id is not None and reward["campaign_id"] != campaign_id:
            return _refused(f"{reward['name']} is not a reward of {campaign['title']}.")
        if reward_id is not None and self._copies_left(reward) <= 0:
            return _refused(f"All copies of {reward['name']} are gone.")
        if reward_id is not None and amount < reward["price"]:
            return _refused(f"{reward['name']} takes {_money(reward['price'])}, not {_money(amount)}.")
        self._journal = []
        pledge: Pledge = {
            "id": self._new_id("pledge", "PLEDGE", self.pledges),
            "backer_id": backer_id,
            "campaign_id": campaign_id,
            "reward_id": reward_id,
            "amount": amount,
            "made_on": self.now[:10],
            "sent_on": None,
            "status": "active",
        }
        self._add("pledges", pledge)
        if self._breaks_rule_1(pledge):
            return self._take_back(RULES[0])
        for one_reward in _distinct([self.rewards.get(pledge["reward_id"])]):
            if self._breaks_rule_2(one_reward):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(pledge):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(pledge):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(pledge):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.campaigns[pledge["campaign_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(pledge):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(pledge):
            return self._take_back(RULES[7])
        if self._breaks_rule_13(pledge):
            return self._take_back(RULES[12])
        done = f"take {_money(amount)} from {backer['name']} for {campaign['title']}"
        if reward is not None:
            done += f" with {reward['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: pledge {pledge['id']}).",
            "data": {"pledge_id": pledge["id"], **self._changes()},
        }

    def change_pledge(
        self,
        promise_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 2000000}] | None = None,
        reward_id: str | None = None,
    ) -> Result:
        """Change an active pledge, its amount, its reward or both; without a reward it keeps the one it has.

        Args:
            promise_id (str): Active pledge that is changed; an id such as PLEDGE-00001.
            amount (int, optional): New sum, at least the price of the reward, in cents, from 100 to 2000000. If
                left out, the sum stays the same.
            reward_id (str, optional): Other reward of the same campaign; an id such as REWARD-00001. If left out,
                the pledge keeps the reward it has.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promise = self.pledges.get(promise_id)
        if promise is None:
            return _refused(f"There is no pledge {promise_id!r}.")
        reward = self.rewards.get(reward_id) if reward_id is not None else None
        if reward_id is not None and reward is None:
            return _refused(f"There is no reward {reward_id!r}.")
        if promise["status"] != "active":
            return _refused(f"The pledge of {self.backers[promise['backer_id']]['name']} is {promise['status']}.")
        if self.now[:10] > self.campaigns[promise["campaign_id"]]["ends_on"]:
            return _refused(
                f"{self.campaigns[promise['campaign_id']]['title']} ended on "
                f"{self.campaigns[promise['campaign_id']]['ends_on']}."
            )
        if amount is None and reward_id is None:
            return _refused("Say what is to change.")
        wish = reward or self.rewards.get(promise["reward_id"])
        sum_now = amount if amount is not None else promise["amount"]
        if wish is not None and wish["campaign_id"] != promise["campaign_id"]:
            return _refused(f"{wish['name']} is not a reward of {self.campaigns[promise['campaign_id']]['title']}.")
        if wish is not None and wish["id"] != promise["reward_id"] and self._copies_left(wish) <= 0:
            return _refused(f"All copies of {wish['name']} are gone.")
        if wish is not None and sum_now < wish["price"]:
            return _refused(f"{wish['name']} takes {_money(wish['price'])}, not {_money(sum_now)}.")
        self._journal = []
        former_reward_id = promise["reward_id"]
        self._put("pledges", promise, "reward_id", wish["id"] if wish is not None else None)
        if not 100 <= sum_now <= 2000000:
            return self._take_back(f"The amount of {promise['id']} must be between 1.00 and 20,000.00.")
        self._put("pledges", promise, "amount", sum_now)
        for one_reward in _distinct([self.rewards.get(promise["reward_id"]), self.rewards.get(former_reward_id)]):
            if self._breaks_rule_2(one_reward):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(promise):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(promise):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.campaigns[promise["campaign_id"]]):
            return self._take_back(RULES[5])
        done = f"change the pledge of {self.backers[promise['backer_id']]['name']} to {self.campaigns[promise['campaign_id']]['title']}"
        if amount is not None:
            done += f" to {_money(amount)}"
        if reward is not None:
            done += f" with {reward['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def withdraw_pledge(self, promise_id: str) -> Result:
        """Withdraw an active pledge before the campaign has ended.

        Args:
            promise_id (str): Active pledge that the backer withdraws; an id such as PLEDGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promise = self.pledges.get(promise_id)
        if promise is None:
            return _refused(f"There is no pledge {promise_id!r}.")
        if promise["status"] != "active":
            return _refused(f"The pledge of {self.backers[promise['backer_id']]['name']} is {promise['status']}.")
        if self.now[:10] > self.campaigns[promise["campaign_id"]]["ends_on"]:
            return _refused(
                f"{self.campaigns[promise['campaign_id']]['title']} ended on "
                f"{self.campaigns[promise['campaign_id']]['ends_on']}."
            )
        self._journal = []
        self._put("pledges", promise, "status", "withdrawn")
        if self._breaks_rule_1(promise):
            return self._take_back(RULES[0])
        for one_reward in _distinct([self.rewards.get(promise["reward_id"])]):
            if self._breaks_rule_2(one_reward):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(promise):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(promise):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.campaigns[promise["campaign_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(promise):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(promise):
            return self._take_back(RULES[7])
        if self._breaks_rule_13(promise):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: withdraw the pledge of {self.backers[promise['backer_id']]['name']} to "
                f"{self.campaigns[promise['campaign_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def announce_stretch(self, stretch_id: str) -> Result:
        """Announce the next stretch goal of a campaign once it is reached.

        Args:
            stretch_id (str): Stretch goal that is reached and comes next; an id such as SG-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stretch = self.stretch_goals.get(stretch_id)
        if stretch is None:
            return _refused(f"There is no stretch goal {stretch_id!r}.")
        if stretch["announced"]:
            return _refused(f"{stretch['name']} was announced already.")
        campaign = self.campaigns[stretch["campaign_id"]]
        if not self._stretch_goal_reached(stretch):
            return _refused(
                f"{campaign['title']} has {_money(self._campaign_raised(campaign))} and {stretch['name']} takes "
                f"{_money(stretch['at'])}."
            )
        before = self._next_stretch(campaign)
        if before is not None and before is not stretch:
            return _refused(f"{before['name']} comes first.")
        self._journal = []
        self._put("stretch_goals", stretch, "announced", True)
        if self._breaks_rule_12_g_again_again(stretch):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_h(stretch):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: announce {stretch['name']} of {self.campaigns[stretch['campaign_id']]['title']}.",
            "data": self._changes(),
        }

    def extend_campaign(self, campaign_id: str, ends_on: Date) -> Result:
        """Let a live campaign run longer, once and by two weeks at most.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            ends_on (str): New last day, later than now by two weeks at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "live":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if campaign["ends_on"] < self.now[:10]:
            return _refused(f"{campaign['title']} ended on {campaign['ends_on']}.")
        if campaign["extended"]:
            return _refused(f"{campaign['title']} was extended before.")
        if campaign["ends_on"] >= ends_on or ends_on > _plus_days(campaign["ends_on"], 14):
            return _refused(
                f"The new end lies between {_plus_days(campaign['ends_on'], 1)} and "
                f"{_plus_days(campaign['ends_on'], 14)}."
            )
        self._journal = []
        self._put("campaigns", campaign, "extended", True)
        self._put("campaigns", campaign, "ends_on", ends_on)
        return {
            "success": True,
            "message": f"Done: extend {campaign['title']} until {ends_on}.",
            "data": self._changes(),
        }

    def settle_campaign(self, campaign_id: str, stop: bool = False) -> Result:
        """Settle a campaign that has ended, charging every pledge if the goal was reached and letting all lapse if
        not; or stop a live one early.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            stop (bool): Whether a live campaign is stopped before its end, so that all pledges lapse. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "live":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if not (stop or campaign["ends_on"] < self.now[:10]):
            return _refused(f"{campaign['title']} runs until {campaign['ends_on']}.")
        if stop and self.now[:10] > campaign["ends_on"]:
            return _refused(f"{campaign['title']} ended on {campaign['ends_on']}, so settle it by its result.")
        self._journal = []
        changed_pledges: list[Any] = []
        enough = self._campaign_raised(campaign) >= campaign["goal"] and not stop
        for p in sorted(self._pledges_by_campaign_status.get((campaign_id, "active"), {}).values(), key=_age):
            status = "charged" if enough else "lapsed"
            if p["status"] != status and (p["status"], status) not in PLEDGE_STATUS_MOVES:
                return self._take_back(f"Pledge {p['id']} cannot go from {p['status']} to {status}.")
            changed_pledges.append(p)
            self._put("pledges", p, "status", status)
        new_status = "funded" if enough else "stopped" if stop else "failed"
        self._put("campaigns", campaign, "status", new_status)
        for one_pledge in _distinct(changed_pledges):
            if self._breaks_rule_1(one_pledge):
                return self._take_back(RULES[0])
        for one_reward in _distinct([self.rewards.get(one["reward_id"]) for one in changed_pledges]):
            if self._breaks_rule_2(one_reward):
                return self._take_back(RULES[1])
        for one_pledge in _distinct(changed_pledges):
            if self._breaks_rule_3(one_pledge):
                return self._take_back(RULES[2])
        for one_pledge in _distinct([*changed_pledges, *self._pledges_by_campaign.get(campaign["id"], {}).values()]):
            if self._breaks_rule_5(one_pledge):
                return self._take_back(RULES[4])
        for one_campaign in _distinct([campaign, *[self.campaigns[one["campaign_id"]] for one in changed_pledges]]):
            if self._breaks_rule_6(one_campaign):
                return self._take_back(RULES[5])
        for one_pledge in _distinct([*changed_pledges, *self._pledges_by_campaign.get(campaign["id"], {}).values()]):
            if self._breaks_rule_7(one_pledge):
                return self._take_back(RULES[6])
        for one_pledge in _distinct(changed_pledges):
            if self._breaks_rule_8(one_pledge):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(campaign):
            return self._take_back(RULES[8])
        for one_campaign in _distinct(self._campaigns_by_creator.get(campaign["creator_id"], {}).values()):
            if self._breaks_rule_10(one_campaign):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_c(campaign):
            return self._take_back(RULES[10])
        for one_pledge in _distinct(changed_pledges):
            if self._breaks_rule_13(one_pledge):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: settle {campaign['title']}.", "data": self._changes()}

    def pay_out(self, campaign_id: str) -> Result:
        """Pay a funded campaign to its creator, less the fee.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "funded":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if _plus_days(campaign["ends_on"], 14) > self.now[:10]:
            return _refused(f"{campaign['title']} may be paid out from {_plus_days(campaign['ends_on'], 14)} on.")
        self._journal = []
        gross = self._campaign_raised(campaign)
        if not 100 <= gross <= 20000000:
            return self._take_back("The gross of a payout must be between 1.00 and 200,000.00.")
        fee = _rounded(Fraction(self._campaign_raised(campaign) * campaign["fee_percent"], 100))
        if not 0 <= fee <= 2000000:
            return self._take_back("The fee of a payout must be between 0.00 and 20,000.00.")
        payout: Payout = {
            "id": self._new_id("payout", "PAYOUT", self.payouts),
            "campaign_id": campaign_id,
            "gross": gross,
            "fee": fee,
            "paid_on": self.now[:10],
        }
        self._add("payouts", payout)
        self._put("campaigns", campaign, "status", "paid_out")
        for one_pledge in _distinct(self._pledges_by_campaign.get(campaign["id"], {}).values()):
            if self._breaks_rule_5(one_pledge):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(campaign):
            return self._take_back(RULES[5])
        for one_pledge in _distinct(self._pledges_by_campaign.get(campaign["id"], {}).values()):
            if self._breaks_rule_7(one_pledge):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(campaign):
            return self._take_back(RULES[8])
        for one_campaign in _distinct(self._campaigns_by_creator.get(campaign["creator_id"], {}).values()):
            if self._breaks_rule_10(one_campaign):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_x(payout):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c(self.campaigns[payout["campaign_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c(campaign):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: pay {campaign['title']} out (new: payout {payout['id']}).",
            "data": {"payout_id": payout["id"], **self._changes()},
        }

    def resolve_pledge(self, promise_id: str, outcome: Literal["sent", "refunded", "bounced"]) -> Result:
        """Note that the reward of a charged pledge was sent, or, before the payout, refund the pledge or note that
        its charge bounced.

        Args:
            promise_id (str): Pledge that has been charged; an id such as PLEDGE-00001.
            outcome (str): What happened to the reward or the charge: sent, refunded or bounced.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promise = self.pledges.get(promise_id)
        if promise is None:
            return _refused(f"There is no pledge {promise_id!r}.")
        if promise["status"] != "charged":
            return _refused(f"The pledge of {self.backers[promise['backer_id']]['name']} is {promise['status']}.")
        if not (
            outcome != "sent"
            or promise["reward_id"] is not None
            and self.rewards[promise["reward_id"]]["ships"]
        ):
            return _refused(f"{self.backers[promise['backer_id']]['name']} has no reward that is sent.")
        if outcome == "sent" and promise["sent_on"] is not None:
            return _refused(f"It was sent to {self.backers[promise['backer_id']]['name']} already.")
        if outcome == "refunded" and self.campaigns[promise["campaign_id"]]["status"] != "funded":
            return _refused(
                f"{self.campaigns[promise['campaign_id']]['title']} was paid out, so the creator has to refund."
            )
        if outcome == "bounced" and self.campaigns[promise["campaign_id"]]["status"] != "funded":
            return _refused(
                f"{self.campaigns[promise['campaign_id']]['title']} was paid out already, so the charge stands."
            )
        if outcome != "sent" and promise["sent_on"] is not None:
            return _refused(f"The reward was sent to {self.backers[promise['backer_id']]['name']}.")
        self._journal = []
        changed_pledges: list[Any] = []
        changed_pledges_2: list[Any] = []
        if outcome == "sent":
            changed_pledges.append(promise)
            self._put("pledges", promise, "sent_on", self.now[:10])
        else:
            status = "refunded" if outcome == "refunded" else "bounced"
            changed_pledges_2.append(promise)
            self._put("pledges", promise, "status", status)
        for one_pledge in _distinct(changed_pledges_2):
            if self._breaks_rule_1(one_pledge):
                return self._take_back(RULES[0])
        for one_reward in _distinct([self.rewards.get(one["reward_id"]) for one in changed_pledges_2]):
            if self._breaks_rule_2(one_reward):
                return self._take_back(RULES[1])
        for one_pledge in _distinct(changed_pledges_2):
            if self._breaks_rule_3(one_pledge):
                return self._take_back(RULES[2])
        for one_pledge in _distinct(changed_pledges_2):
            if self._breaks_rule_5(one_pledge):
                return self._take_back(RULES[4])
        for one_campaign in _distinct([self.campaigns[one["campaign_id"]] for one in changed_pledges_2]):
            if self._breaks_rule_6(one_campaign):
                return self._take_back(RULES[5])
        for one_pledge in _distinct(changed_pledges_2):
            if self._breaks_rule_7(one_pledge):
                return self._take_back(RULES[6])
        for one_pledge in _distinct(changed_pledges_2):
            if self._breaks_rule_8(one_pledge):
                return self._take_back(RULES[7])
        for one_pledge in _distinct([*changed_pledges, *changed_pledges_2]):
            if self._breaks_rule_13(one_pledge):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: note {outcome} for the pledge of {self.backers[promise['backer_id']]['name']} to "
                f"{self.campaigns[promise['campaign_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def _show_campaign(self, campaign: Campaign) -> dict[str, Any]:
        """The campaign as an answer shows it."""
        return {**campaign, "raised": self._campaign_raised(campaign), "backers": self._campaign_backers(campaign)}

    def _show_reward(self, reward: Reward) -> dict[str, Any]:
        """The reward as an answer shows it."""
        return {**reward, "claimed": self._reward_claimed(reward)}

    def _show_stretch_goal(self, stretch_goal: StretchGoal) -> dict[str, Any]:
        """The stretch goal as an answer shows it."""
        return {**stretch_goal, "reached": self._stretch_goal_reached(stretch_goal)}

    def _names_of_campaigns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that campaigns point to."""
        return _names((self.creators, "name", [row["creator_id"] for row in shown]))

    def _names_of_rewards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rewards point to."""
        return _names((self.campaigns, "title", [row["campaign_id"] for row in shown]))

    def _names_of_stretch_goals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stretch goals point to."""
        return _names((self.campaigns, "title", [row["campaign_id"] for row in shown]))

    def _names_of_pledges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pledges point to."""
        return _names(
            (self.backers, "name", [row["backer_id"] for row in shown]),
            (self.campaigns, "title", [row["campaign_id"] for row in shown]),
            (self.rewards, "name", [row["reward_id"] for row in shown]),
        )

    def _names_of_payouts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payouts point to."""
        return _names((self.campaigns, "title", [row["campaign_id"] for row in shown]))

    def _campaign_raised(self, campaign: Campaign) -> int:
        """The raised of a campaign."""
        return sum(
            p["amount"]
            for p in self._pledges_by_campaign.get(campaign["id"], {}).values()
            if p["status"] in ("active", "charged")
        )

    def _campaign_backers(self, campaign: Campaign) -> int:
        """The backers of a campaign."""
        return sum(
            1
            for p in self._pledges_by_campaign.get(campaign["id"], {}).values()
            if p["status"] in ("active", "charged")
        )

    def _reward_claimed(self, reward: Reward) -> int:
        """The claimed of a reward."""
        return sum(
            1
            for p in self._pledges_by_reward.get(reward["id"], {}).values()
            if p["status"] in ("active", "charged")
        )

    def _stretch_goal_reached(self, stretch_goal: StretchGoal) -> bool:
        """The reached of a stretch goal."""
        return self._campaign_raised(self.campaigns[stretch_goal["campaign_id"]]) >= stretch_goal["at"]

    def _counts(self, p: Pledge) -> bool:
        return p["status"] in ("active", "charged")

    def _copies_left(self, r: Reward) -> int:
        return (
            0
            if r["copies"] is not None and self._reward_claimed(r) >= r["copies"]
            else 1
            if r["copies"] is None
            else r["copies"] - self._reward_claimed(r)
        )

    def _pledge_of(self, b: Backer, c: Campaign) -> Pledge | None:
        return next(
            (
                p
                for p in sorted(self._pledges_by_backer_campaign.get((b["id"], c["id"]), {}).values(), key=_age)
                if self._counts(p)
            ),
            None,
        )

    def _next_stretch(self, c: Campaign) -> StretchGoal | None:
        return min(
            (g for g in self._stretch_goals_by_campaign.get(c["id"], {}).values() if not g["announced"]),
            key=lambda g: (g["at"], _age(g)),
            default=None,
        )

    def _to_send(self, c: Campaign) -> list[Pledge]:
        return [
            p
            for p in sorted(self._pledges_by_campaign_status.get((c["id"], "charged"), {}).values(), key=_age)
            if p["reward_id"] is not None
            and self.rewards[p["reward_id"]]["ships"]
            and p["sent_on"] is None
        ]

    def _breaks_rule_1(self, p: Pledge) -> bool:
        """Whether this is broken: a backer has one pledge in a campaign."""
        return (
            self._counts(p)
            and any(
                other_p is not p
                for other_p in self._pledges_by_backer_campaign.get((p["backer_id"], p["campaign_id"]), {}).values()
                if self._counts(other_p)
            )
        )

    def _breaks_rule_2(self, r: Reward) -> bool:
        """Whether this is broken: a reward is never claimed more often than there are copies."""
        return r["copies"] is not None and self._reward_claimed(r) > r["copies"]

    def _breaks_rule_3(self, p: Pledge) -> bool:
        """Whether this is broken: a pledge covers the price of its reward."""
        return (
            self._counts(p)
            and (p["reward_id"] is not None and p["amount"] < self.rewards[p["reward_id"]]["price"])
        )

    def _breaks_rule_4(self, p: Pledge) -> bool:
        """Whether this is broken: a reward belongs to the campaign that is pledged to."""
        return p["reward_id"] is not None and self.rewards[p["reward_id"]]["campaign_id"] != p["campaign_id"]

    def _breaks_rule_5(self, p: Pledge) -> bool:
        """Whether this is broken: pledges are active while a campaign is live and at no other time."""
        return self._counts(p) and (p["status"] == "active") != (self.campaigns[p["campaign_id"]]["status"] == "live")

    def _breaks_rule_6(self, c: Campaign) -> bool:
        """Whether this is broken: a campaign is funded only if it reached its goal."""
        return (
            c["status"] in ("funded", "paid_out")
            and sum(
                p["amount"]
                for p in self._pledges_by_campaign.get(c["id"], {}).values()
                if p["status"] in ("charged", "refunded", "bounced")
            ) < c["goal"]
        )

    def _breaks_rule_7(self, p: Pledge) -> bool:
        """Whether this is broken: a campaign that failed or was stopped keeps no pledge."""
        return self._counts(p) and self.campaigns[p["campaign_id"]]["status"] in ("failed", "stopped")

    def _breaks_rule_8(self, p: Pledge) -> bool:
        """Whether this is broken: nobody backs a campaign of their own."""
        return (
            self._counts(p)
            and self.backers[p["backer_id"]]["name"] == self.creators[
                self.campaigns[p["campaign_id"]]["creator_id"]
            ]["name"]
        )

    def _breaks_rule_9(self, c: Campaign) -> bool:
        """Whether this is broken: only verified creators go live."""
        return c["status"] not in ("draft", "stopped") and not self.creators[c["creator_id"]]["verified"]

    def _breaks_rule_10(self, c: Campaign) -> bool:
        """Whether this is broken: a creator has two campaigns live at a time at most."""
        return len(self._campaigns_by_creator_status.get((c["creator_id"], "live"), {})) > 2

    def _breaks_rule_11_x(self, x: Payout) -> bool:
        """Whether this is broken: a campaign is paid out once, for what was raised."""
        return any(other_x is not x for other_x in self._payouts_by_campaign.get(x["campaign_id"], {}).values())

    def _breaks_rule_11_c(self, c: Campaign) -> bool:
        """Whether this is broken: a campaign is paid out once, for what was raised."""
        return (c["status"] == "paid_out") != bool(self._payouts_by_campaign.get(c["id"], {}))

    def _breaks_rule_12_g_again_again(self, g: StretchGoal) -> bool:
        """Whether this is broken: stretch goals lie above the goal, at different amounts, and are announced only when
        reached in their order.
        """
        return (
            g["announced"]
            and any(
                not h["announced"]
                for h in self._stretch_goals_by_campaign.get(g["campaign_id"], {}).values()
                if h["at"] < g["at"]
            )
        )

    def _breaks_rule_12_h(self, h: StretchGoal) -> bool:
        """Whether this is broken: stretch goals lie above the goal, at different amounts, and are announced only when
        reached in their order.
        """
        return any(
            not h["announced"]
            for g in self._stretch_goals_by_campaign.get(h["campaign_id"], {}).values()
            if g["announced"]
            and h["at"] < g["at"]
        )

    def _breaks_rule_13(self, p: Pledge) -> bool:
        """Whether this is broken: rewards are sent only for pledges that were charged."""
        return p["sent_on"] is not None and p["status"] not in ("charged", "refunded")

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
            case "campaigns":
                self._campaigns_by_creator.setdefault(record["creator_id"], {})[record["id"]] = record
                self._campaigns_by_creator_status.setdefault(
                    (record["creator_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._campaigns_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "rewards":
                self._rewards_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record
                self._rewards_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "stretch_goals":
                self._stretch_goals_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record
            case "pledges":
                self._pledges_by_backer_campaign.setdefault(
                    (record["backer_id"], record["campaign_id"]),
                    {},
                )[record["id"]] = record
                self._pledges_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record
                self._pledges_by_campaign_status.setdefault(
                    (record["campaign_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._pledges_by_reward.setdefault(record["reward_id"], {})[record["id"]] = record
            case "payouts":
                self._payouts_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "campaigns":
                del self._campaigns_by_creator[record["creator_id"]][record["id"]]
                del self._campaigns_by_creator_status[record["creator_id"], record["status"]][record["id"]]
                del self._campaigns_by_status[record["status"]][record["id"]]
            case "rewards":
                del self._rewards_by_campaign[record["campaign_id"]][record["id"]]
                del self._rewards_by_name[record["name"]][record["id"]]
            case "stretch_goals":
                del self._stretch_goals_by_campaign[record["campaign_id"]][record["id"]]
            case "pledges":
                del self._pledges_by_backer_campaign[record["backer_id"], record["campaign_id"]][record["id"]]
                del self._pledges_by_campaign[record["campaign_id"]][record["id"]]
                del self._pledges_by_campaign_status[record["campaign_id"], record["status"]][record["id"]]
                del self._pledges_by_reward[record["reward_id"]][record["id"]]
            case "payouts":
                del self._payouts_by_campaign[record["campaign_id"]][record["id"]]
