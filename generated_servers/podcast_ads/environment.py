"""Podcast advertising. Compiled from blueprint.yaml; run `envscaler build podcast_ads` after changing it there.

Sells the advertising places of podcast episodes to campaigns with impression goals, keeps rivals apart, counts
what was heard and makes good what was not.
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
    "A place in an episode is sold once.",
    "A campaign has at most one spot in an episode.",
    "Rivals of one category never share an episode, and an exclusive campaign shares it with nobody.",
    "A spot stands only in a place that the show sells.",
    "A show carries no spot of a category it refuses in an episode to come.",
    "A spot is heard between the first and the last day of its campaign.",
    "A campaign is never planned for more than a tenth above its goal.",
    "No show carries more of a campaign than the agreed share of its goal.",
    "A spot is made good once at a time, for the same campaign and in a later episode.",
    "What has aired was published and counted, and nothing in a published episode is still booked.",
    "An episode is published with its downloads.",
    "A closed campaign is billed and has nothing booked or owed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sign_campaign",
    "extend_campaign",
    "book_spots",
    "release_spot",
    "move_spot",
    "publish_episode",
    "report_missed",
    "make_good",
    "plan_episode",
    "shift_episode",
    "refuse_category",
    "close_campaign",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "advertisers": ("name",),
    "shows": ("host",),
    "episodes": ("title",),
    "campaigns": ("title",),
    "spots": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("campaigns", "title"),
    ("episodes", "show_id"),
    ("episodes", "title"),
    ("spots", "campaign_id"),
    ("spots", "episode_id"),
    ("spots", "instead_of_id"),
    ("spots", "place"),
    ("spots", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Advertiser(TypedDict):
    id: str
    name: str
    category: Literal["food", "finance", "gaming", "travel", "health", "telecom", "betting", "alcohol"]
    contact: str


class Show(TypedDict):
    id: str
    name: str
    host: str
    places: list[Literal["opening", "middle", "closing"]]
    refuses: list[Literal["food", "finance", "gaming", "travel", "health", "telecom", "betting", "alcohol"]]


class Episode(TypedDict):
    id: str
    title: str
    show_id: str
    publishes_on: str
    expected: int
    downloads: int | None
    status: Literal["planned", "published"]


class Campaign(TypedDict):
    id: str
    title: str
    advertiser_id: str
    goal: int
    thousand_costs: int
    show_share: int
    exclusive: bool
    starts: str
    ends: str
    billed: int | None
    status: Literal["running", "closed"]


class Spot(TypedDict):
    id: str
    campaign_id: str
    episode_id: str
    place: Literal["opening", "middle", "closing"]
    planned: int
    heard: int | None
    instead_of_id: str | None
    status: Literal["booked", "aired", "missed", "released"]


class BookSpotsPlace(TypedDict):
    episode_id: str
    place: Literal["opening", "middle", "closing"]


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


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


class PodcastAds:
    """Sells the advertising places of podcast episodes to campaigns with impression goals, keeps rivals
    apart, counts what was heard and makes good what was not.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.advertisers: dict[str, Advertiser] = _copied(config.get("advertisers", {}))
        self.shows: dict[str, Show] = _copied(config.get("shows", {}))
        self.episodes: dict[str, Episode] = _copied(config.get("episodes", {}))
        self.campaigns: dict[str, Campaign] = _copied(config.get("campaigns", {}))
        self.spots: dict[str, Spot] = _copied(config.get("spots", {}))
        self.now: str = config.get("now", "2026-06-10T09:00")
        self.counters: dict[str, int] = {
            "advertiser": len(self.advertisers),
            "show": len(self.shows),
            "episode": len(self.episodes),
            "campaign": len(self.campaigns),
            "spot": len(self.spots),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._episodes_by_lower_title: dict[Any, dict[str, Episode]] = {}
        self._episodes_by_show: dict[Any, dict[str, Episode]] = {}
        self._episodes_by_title: dict[Any, dict[str, Episode]] = {}
        self._campaigns_by_lower_title: dict[Any, dict[str, Campaign]] = {}
        self._campaigns_by_title: dict[Any, dict[str, Campaign]] = {}
        self._spots_by_campaign: dict[Any, dict[str, Spot]] = {}
        self._spots_by_campaign_episode: dict[Any, dict[str, Spot]] = {}
        self._spots_by_campaign_status: dict[Any, dict[str, Spot]] = {}
        self._spots_by_episode: dict[Any, dict[str, Spot]] = {}
        self._spots_by_episode_place: dict[Any, dict[str, Spot]] = {}
        self._spots_by_episode_status: dict[Any, dict[str, Spot]] = {}
        self._spots_by_instead_of: dict[Any, dict[str, Spot]] = {}
        for episode in self.episodes.values():
            self._link("episodes", episode)
        for campaign in self.campaigns.values():
            self._link("campaigns", campaign)
        for spot in self.spots.values():
            self._link("spots", spot)

    def possible_episodes(
        self,
        campaign_id: str,
        show_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Episodes in which a campaign may have a spot, soonest first, with the places that are free and how many
        they reach.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            show_id (str, optional): Only episodes of this show; an id such as SHOW-00001. If left out, the
                episodes of all shows are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "episodes": records}} or {"success": False, "error": why
                not}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        show = self.shows.get(show_id) if show_id is not None else None
        if show_id is not None and show is None:
            return _refused(f"There is no show {show_id!r}.")
        found = [
            e
            for e in self.episodes.values()
            if self._may_run(campaign, e)
            and (show_id is None or e["show_id"] == show_id)
            and any(self._in_place(e, p) is None for p in self.shows[e["show_id"]]["places"])
        ]
        found.sort(key=lambda e: (e["publishes_on"], e["title"], _age(e)))
        return _found(
            {
                "total": len(found),
                "episodes": [
                    {
                        "id": e["id"],
                        "title": e["title"],
                        "show": self.shows[e["show_id"]]["name"],
                        "publishes_on": e["publishes_on"],
                        "free": [*[p for p in self.shows[e["show_id"]]["places"] if self._in_place(e, p) is None]],
                        "reaches": [
                            *[
                                self._reach(e, p)
                                for p in self.shows[e["show_id"]]["places"]
                                if self._in_place(e, p) is None
                            ]
                        ],
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def owed_spots(
        self,
        campaign_id: str | None = None,
        show_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Spots that were missed or fell short and are not made good yet, of campaigns that have not reached their
        goal.

        Args:
            campaign_id (str, optional): Only spots of this campaign; an id such as CAMPAIGN-00001. If left out,
                the spots of all campaigns are listed.
            show_id (str, optional): Only spots on this show; an id such as SHOW-00001. If left out, the spots of
                all shows are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spots": records}} or {"success": False, "error": why
                not}
        """
        campaign = self.campaigns.get(campaign_id) if campaign_id is not None else None
        if campaign_id is not None and campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        show = self.shows.get(show_id) if show_id is not None else None
        if show_id is not None and show is None:
            return _refused(f"There is no show {show_id!r}.")
        found = [
            x
            for x in self.spots.values()
            if (self._owed(x) and self.campaigns[x["campaign_id"]]["status"] == "running")
            and (campaign_id is None or x["campaign_id"] == campaign_id)
            and (show_id is None or self.episodes[x["episode_id"]]["show_id"] == show_id)
        ]
        found.sort(key=lambda x: (self.episodes[x["episode_id"]]["publishes_on"], x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "spots": [
                    {
                        "id": x["id"],
                        "campaign": self.campaigns[x["campaign_id"]]["title"],
                        "episode": self.episodes[x["episode_id"]]["title"],
                        "published_on": self.episodes[x["episode_id"]]["publishes_on"],
                        "owed": self._gap(x),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def run_sheet(
        self,
        since: Date,
        until: Date,
        show_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is to be read out in the episodes of some days, place by place.

        Args:
            since (str): First day that is listed, as YYYY-MM-DD.
            until (str): Last day that is listed, as YYYY-MM-DD.
            show_id (str, optional): Only episodes of this show; an id such as SHOW-00001. If left out, the
                episodes of all shows are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spots": records}} or {"success": False, "error": why
                not}
        """
        show = self.shows.get(show_id) if show_id is not None else None
        if show_id is not None and show is None:
            return _refused(f"There is no show {show_id!r}.")
        if since > until:
            return _refused(f"The last day must not come before {since}.")
        found = [
            x
            for x in self.spots.values()
            if (
                self._holds_place(x)
                and (
                    since <= self.episodes[x["episode_id"]]["publishes_on"]
                    and self.episodes[x["episode_id"]]["publishes_on"] <= until
                )
            )
            and (show_id is None or self.episodes[x["episode_id"]]["show_id"] == show_id)
        ]
        found.sort(
            key=lambda x: (
                self.episodes[x["episode_id"]]["publishes_on"],
                self.episodes[x["episode_id"]]["title"],
                x["place"],
                _age(x),
            )
        )
        return _found(
            {
                "total": len(found),
                "spots": [
                    {
                        "id": x["id"],
                        "episode": self.episodes[x["episode_id"]]["title"],
                        "publishes_on": self.episodes[x["episode_id"]]["publishes_on"],
                        "place": x["place"],
                        "campaign": self.campaigns[x["campaign_id"]]["title"],
                        "advertiser": self.advertisers[self.campaigns[x["campaign_id"]]["advertiser_id"]]["name"],
                        "thousand_costs": self.campaigns[x["campaign_id"]]["thousand_costs"],
                        "status": x["status"],
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def pacing(self, campaign_id: str) -> Result:
        """How far a campaign has come towards its goal.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.

        Returns:
            dict: {"success": True, "data": {goal, planned, heard, unplanned, days_left, owed}} or {"success":
                False, "error": why not}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        return _found(
            {
                "goal": campaign["goal"],
                "planned": self._campaign_planned(campaign),
                "heard": self._campaign_heard(campaign),
                "unplanned": self._campaign_unplanned(campaign),
                "days_left": max(0, _days_between(self.now[:10], campaign["ends"])),
                "owed": sum(1 for x in self._spots_by_campaign.get(campaign_id, {}).values() if self._owed(x)),
            }
        )

    def to_close(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Campaigns that can be closed and billed.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "campaigns": records}} or {"success": False, "error":
                why not}
        """
        found = [
            c
            for c in self.campaigns.values()
            if (c["status"] == "running" and (c["ends"] < self.now[:10] or self._campaign_heard(c) >= c["goal"]))
            and not any(
                x["status"] == "booked"
                or self._owed(x)
                for x in self._spots_by_campaign.get(c["id"], {}).values()
            )
        ]
        found.sort(key=lambda c: (c["ends"], c["title"], _age(c)))
        return _found(
            {
                "total": len(found),
                "campaigns": [
                    {
                        "id": c["id"],
                        "title": c["title"],
                        "advertiser": self.advertisers[c["advertiser_id"]]["name"],
                        "ends": c["ends"],
                        "heard": self._campaign_heard(c),
                        "goal": c["goal"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_advertisers(
        self,
        name: Text | None = None,
        category: Literal[
            "food",
            "finance",
            "gaming",
            "travel",
            "health",
            "telecom",
            "betting",
            "alcohol",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the advertisers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only advertisers whose name contains this text.
            category (str, optional): Only advertisers with this category.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "advertisers": records}}
        """
        found = [
            advertiser
            for advertiser in self.advertisers.values()
            if (name is None or name.casefold() in advertiser["name"].casefold())
            and (category is None or advertiser["category"] == category)
        ]
        return _found({"total": len(found), "advertisers": [{**advertiser} for advertiser in _page(found, offset)]})

    def list_shows(
        self,
        host: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shows, oldest first, all of them or only some.

        Args:
            host (str, optional): Only shows whose host contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shows": records}}
        """
        found = [show for show in self.shows.values() if (host is None or host.casefold() in show["host"].casefold())]
        return _found({"total": len(found), "shows": [self._show_show(show) for show in _page(found, offset)]})

    def list_episodes(
        self,
        title: Text | None = None,
        show_id: str | None = None,
        status: Literal["planned", "published"] | None = None,
        publishes_on_from: Date | None = None,
        publishes_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the episodes, oldest first, all of them or only some.

        Args:
            title (str, optional): Only episodes whose title contains this text.
            show_id (str, optional): Only episodes of this show.
            status (str, optional): Only episodes with this status.
            publishes_on_from (str, optional): Only episodes whose `publishes_on` is on this day or later.
            publishes_on_to (str, optional): Only episodes whose `publishes_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "episodes": records}}
        """
        if show_id is not None and show_id not in self.shows:
            return _refused(f"There is no show {show_id!r}.")
        found = [
            episode
            for episode in self.episodes.values()
            if (title is None or title.casefold() in episode["title"].casefold())
            and (show_id is None or episode["show_id"] == show_id)
            and (status is None or episode["status"] == status)
            and (publishes_on_from is None or episode["publishes_on"] >= publishes_on_from)
            and (publishes_on_to is None or episode["publishes_on"] <= publishes_on_to)
        ]
        shown = [{**episode} for episode in _page(found, offset)]
        return _found({"total": len(found), "episodes": shown}, self._names_of_episodes(shown))

    def list_campaigns(
        self,
        title: Text | None = None,
        advertiser_id: str | None = None,
        exclusive: bool | None = None,
        status: Literal["running", "closed"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the campaigns, oldest first, all of them or only some.

        Args:
            title (str, optional): Only campaigns whose title contains this text.
            advertiser_id (str, optional): Only campaigns of this advertiser.
            exclusive (bool, optional): Only campaigns with this value of `exclusive`.
            status (str, optional): Only campaigns with this status.
            starts_from (str, optional): Only campaigns whose `starts` is on this day or later.
            starts_to (str, optional): Only campaigns whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "campaigns": records}}
        """
        if advertiser_id is not None and advertiser_id not in self.advertisers:
            return _refused(f"There is no advertiser {advertiser_id!r}.")
        found = [
            campaign
            for campaign in self.campaigns.values()
            if (title is None or title.casefold() in campaign["title"].casefold())
            and (advertiser_id is None or campaign["advertiser_id"] == advertiser_id)
            and (exclusive is None or campaign["exclusive"] == exclusive)
            and (status is None or campaign["status"] == status)
            and (starts_from is None or campaign["starts"] >= starts_from)
            and (starts_to is None or campaign["starts"] <= starts_to)
        ]
        shown = [self._show_campaign(campaign) for campaign in _page(found, offset)]
        return _found({"total": len(found), "campaigns": shown}, self._names_of_campaigns(shown))

    def list_spots(
        self,
        campaign_id: str | None = None,
        episode_id: str | None = None,
        place: Literal["opening", "middle", "closing"] | None = None,
        instead_of_id: str | None = None,
        status: Literal["booked", "aired", "missed", "released"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the spots, oldest first, all of them or only some.

        Args:
            campaign_id (str, optional): Only spots of this campaign.
            episode_id (str, optional): Only spots of this episode.
            place (str, optional): Only spots with this place.
            instead_of_id (str, optional): Only spots instead of this spot.
            status (str, optional): Only spots with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spots": records}}
        """
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if episode_id is not None and episode_id not in self.episodes:
            return _refused(f"There is no episode {episode_id!r}.")
        if instead_of_id is not None and instead_of_id not in self.spots:
            return _refused(f"There is no spot {instead_of_id!r}.")
        found = [
            spot
            for spot in self.spots.values()
            if (campaign_id is None or spot["campaign_id"] == campaign_id)
            and (episode_id is None or spot["episode_id"] == episode_id)
            and (place is None or spot["place"] == place)
            and (instead_of_id is None or spot["instead_of_id"] == instead_of_id)
            and (status is None or spot["status"] == status)
        ]
        shown = [{**spot} for spot in _page(found, offset)]
        return _found({"total": len(found), "spots": shown}, self._names_of_spots(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sign_campaign(
        self,
        advertiser_id: str,
        title: Text,
        goal: Annotated[int, {"minimum": 5000, "maximum": 900000}],
        thousand_costs: Annotated[int, {"minimum": 500, "maximum": 9000}],
        starts: Date,
        ends: Date,
        show_share: Annotated[int, {"minimum": 20, "maximum": 100}] = 100,
        exclusive: bool = False,
    ) -> Result:
        """Sign a campaign of an advertiser with its goal, its price per thousand and its time.

        Args:
            advertiser_id (str): Id of the advertiser, such as ADVERTISER-00001.
            title (str): Title of the campaign, not in use yet.
            goal (int): Listens that the campaign is to reach in all, from 5000 to 900000.
            thousand_costs (int): Price for a thousand listens, in cents, from 500 to 9000.
            starts (str): First day of the campaign, not in the past, as YYYY-MM-DD.
            ends (str): Last day of the campaign, within 200 days of the first, as YYYY-MM-DD.
            show_share (int): Most of the goal that one show may carry, in percent, from 20 to 100. Default: 100.
            exclusive (bool): Whether it shares its episodes with no other campaign. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        advertiser = self.advertisers.get(advertiser_id)
        if advertiser is None:
            return _refused(f"There is no advertiser {advertiser_id!r}.")
        if self._campaigns_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a campaign {title} already.")
        if self.now[:10] > starts or starts >= ends:
            return _refused("A campaign starts today or later and ends after it starts.")
        if _days_between(starts, ends) > 200:
            return _refused(f"{_days_between(starts, ends)} days are more than 200.")
        self._journal = []
        campaign: Campaign = {
            "id": self._new_id("campaign", "CAMPAIGN", self.campaigns),
            "title": title,
            "advertiser_id": advertiser_id,
            "goal": goal,
            "thousand_costs": thousand_costs,
            "show_share": show_share,
            "exclusive": exclusive,
            "starts": starts,
            "ends": ends,
            "billed": None,
            "status": "running",
        }
        self._add("campaigns", campaign)
        if len(self._campaigns_by_title.get(campaign["title"], {})) > 1:
            return self._take_back(f"There is already a campaign with the title {campaign['title']!r}.")
        if self._breaks_rule_7(campaign):
            return self._take_back(RULES[6])
        if self._breaks_rule_12_c(campaign):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: sign the campaign {title} of {advertiser['name']} for {goal} impressions (new: campaign "
                f"{campaign['id']})."
            ),
            "data": {"campaign_id": campaign["id"], **self._changes()},
        }

    def extend_campaign(
        self,
        campaign_id: str,
        ends: Date | None = None,
        goal: Annotated[int, {"minimum": 5000, "maximum": 900000}] | None = None,
    ) -> Result:
        """Let a campaign run longer, raise its goal, or both.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            ends (str, optional): New last day, later than before, as YYYY-MM-DD. If left out, the last day stays
                as it is.
            goal (int, optional): New goal in listens, higher than before, from 5000 to 900000. If left out, the
                goal stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "running":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if ends is None and goal is None:
            return _refused("Give a new last day or a new goal.")
        if not (ends is None or ends > campaign["ends"] and ends >= self.now[:10]):
            return _refused(f"{campaign['title']} runs until {campaign['ends']} already.")
        if ends is not None and ends > _plus_days(campaign["starts"], 300):
            return _refused("A campaign runs 300 days at most.")
        if goal is not None and goal <= campaign["goal"]:
            return _refused(f"{campaign['title']} has a goal of {campaign['goal']} already.")
        self._journal = []
        changed_campaigns: list[Any] = []
        changed_campaigns_2: list[Any] = []
        if ends is not None:
            changed_campaigns.append(campaign)
            self._put("campaigns", campaign, "ends", ends)
        if goal is not None:
            changed_campaigns_2.append(campaign)
            self._put("campaigns", campaign, "goal", goal)
        for one_spot in _distinct(
            [user for one in changed_campaigns for user in self._spots_by_campaign.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_spot):
                return self._take_back(RULES[5])
        for one_campaign in _distinct(changed_campaigns_2):
            if self._breaks_rule_7(one_campaign):
                return self._take_back(RULES[6])
        for one_spot in _distinct(
            [
                user
                for one in changed_campaigns_2
                for user in self._spots_by_campaign_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        for one_spot in _distinct(
            [user for one in changed_campaigns_2 for user in self._spots_by_campaign.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        done = f"extend {campaign['title']}"
        if ends is not None:
            done += f" until {ends}"
        if goal is not None:
            done += f" to {goal} impressions"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def book_spots(self, campaign_id: str, places: Annotated[list[BookSpotsPlace], {"maxItems": 20}]) -> Result:
        """Book places in episodes for a campaign, one in each episode.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            places (list): One entry for each episode, each episode once: episode_id: planned episode that comes
                out during the campaign; an id such as EPISODE-00001; place: where in the episode the spot is
                heard: opening, middle or closing.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        entries, places = places, []
        for entry in entries:
            if entry["episode_id"] not in self.episodes:
                return _refused(f"There is no episode {entry['episode_id']!r}.")
            places.append({"episode": self.episodes[entry["episode_id"]], "place": entry["place"]})
        if campaign["status"] != "running":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if not (len(places) > 0 and _different([p["episode"]["id"] for p in places])):
            return _refused("Name at least one episode, and each once.")
        past = next(
            (
                p["episode"]
                for p in places
                if (p["episode"]["status"] != "planned" or p["episode"]["publishes_on"] < self.now[:10])
            ),
            None,
        )
        if past is not None:
            return _refused(f"{past['title']} of {past['publishes_on']} takes no bookings any more.")
        outside = next(
            (
                p["episode"]
                for p in places
                if (
                    campaign["starts"] > p["episode"]["publishes_on"]
                    or p["episode"]["publishes_on"] > campaign["ends"]
                )
            ),
            None,
        )
        if outside is not None:
            return _refused(
                f"{outside['title']} comes out on {outside['publishes_on']}, and {campaign['title']} runs from "
                f"{campaign['starts']} to {campaign['ends']}."
            )
        unsold = next((p for p in places if p["place"] not in self.shows[p["episode"]["show_id"]]["places"]), None)
        if unsold is not None:
            return _refused(f"{self.shows[unsold['episode']['show_id']]['name']} sells no {unsold['place']}.")
        cross = next(
            (
                self.shows[p["episode"]["show_id"]]
                for p in places
                if self.advertisers[
                    campaign["advertiser_id"]
                ]["category"] in self.shows[p["episode"]["show_id"]]["refuses"]
            ),
            None,
        )
        if cross is not None:
            return _refused(
                f"{cross['host']} refuses {self.advertisers[campaign['advertiser_id']]['category']} on "
                f"{cross['name']}."
            )
        own = next((p["episode"] for p in places if self._own_spot(campaign, p["episode"]) is not None), None)
        if own is not None:
            return _refused(f"{campaign['title']} has a spot in {own['title']} already.")
        taken = next(
            (
                x
                for p in places
                for x in sorted(
                    self._spots_by_episode_place.get((p["episode"]["id"], p["place"]), {}).values(),
                    key=_age,
                )
                if self._holds_place(x)
            ),
            None,
        )
        if taken is not None:
            return _refused(
                f"The {taken['place']} of {self.episodes[taken['episode_id']]['title']} is taken by "
                f"{self.campaigns[taken['campaign_id']]['title']}."
            )
        foe = next(
            (
                x
                for p in places
                for x in sorted(self._spots_by_episode.get(p["episode"]["id"], {}).values(), key=_age)
                if self._holds_place(x)
                and self._quarrel(self.campaigns[x["campaign_id"]], campaign)
            ),
            None,
        )
        if foe is not None:
            return _refused(
                f"{campaign['title']} cannot share {self.episodes[foe['episode_id']]['title']} with "
                f"{self.campaigns[foe['campaign_id']]['title']}; one of them is exclusive or they are rivals."
            )
        more = sum(self._reach(p["episode"], p["place"]) for p in places)
        if (self._campaign_planned(campaign) + more) * 10 > campaign["goal"] * 11:
            return _refused(
                f"With {self._campaign_planned(campaign) + more} impressions {campaign['title']} would be more "
                f"than a tenth above its goal of {campaign['goal']}."
            )
        full = next(
            (
                s
                for s in self.shows.values()
                if (
                    self._on_show(campaign, s) + sum(
                        self._reach(p["episode"], p["place"])
                        for p in places
                        if p["episode"]["show_id"] == s["id"]
                    )
                ) * 100 > campaign["goal"] * campaign["show_share"]
            ),
            None,
        )
        if full is not None:
            return _refused(
                f"{full['name']} may carry {campaign['show_share']} percent of {campaign['title']} at most."
            )
        self._journal = []
        added_spots: list[Any] = []
        for p in sorted(places, key=lambda p: (p["episode"]["title"],)):
            planned = self._reach(p["episode"], p["place"])
            if not 1 <= planned <= 90000:
                return self._take_back("The planned of a spot must be between 1 and 90000.")
            spot = {
                "id": self._new_id("spot", "SPOT", self.spots),
                "campaign_id": campaign_id,
                "episode_id": p["episode"]["id"],
                "place": p["place"],
                "planned": planned,
                "heard": None,
                "instead_of_id": None,
                "status": "booked",
            }
            self._add("spots", spot)
            added_spots.append(spot)
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_1(one_spot):
                return self._take_back(RULES[0])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_2(one_spot):
                return self._take_back(RULES[1])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_3_a(one_spot):
                return self._take_back(RULES[2])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_3_b(one_spot):
                return self._take_back(RULES[2])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_4(one_spot):
                return self._take_back(RULES[3])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_5(one_spot):
                return self._take_back(RULES[4])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_6(one_spot):
                return self._take_back(RULES[5])
        for one_campaign in _distinct([self.campaigns[one["campaign_id"]] for one in added_spots]):
            if self._breaks_rule_7(one_campaign):
                return self._take_back(RULES[6])
        for one_spot in _distinct(
            [
                *added_spots,
                *[
                    user
                    for one in [self.campaigns[one["campaign_id"]] for one in added_spots]
                    for user in self._spots_by_campaign_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_9_x(one_spot):
                return self._take_back(RULES[8])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_9_x_again(one_spot):
                return self._take_back(RULES[8])
        for one_spot in _distinct(added_spots):
            if self._breaks_rule_10(one_spot):
                return self._take_back(RULES[9])
        for one_spot in _distinct(
            [
                *added_spots,
                *[
                    user
                    for one in [self.campaigns[one["campaign_id"]] for one in added_spots]
                    for user in self._spots_by_campaign.get(one["id"], {}).values()
                ],
                *[self.spots.get(one["instead_of_id"]) for one in added_spots],
            ]
        ):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: book {len(places)} spots for {campaign['title']}.",
            "data": self._changes(),
        }

    def release_spot(self, spot_id: str) -> Result:
        """Give a booked place back for sale.

        Args:
            spot_id (str): Id of the spot, such as SPOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        spot = self.spots.get(spot_id)
        if spot is None:
            return _refused(f"There is no spot {spot_id!r}.")
        if spot["status"] != "booked":
            return _refused(f"The spot of {self.campaigns[spot['campaign_id']]['title']} is {spot['status']}.")
        self._journal = []
        self._put("spots", spot, "status", "released")
        if self._breaks_rule_1(spot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(spot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(spot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(spot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.campaigns[spot["campaign_id"]]):
            return self._take_back(RULES[6])
        for one_spot in _distinct(
            [spot, *self._spots_by_campaign_status.get((spot["campaign_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_x(spot):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(spot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(spot):
            return self._take_back(RULES[9])
        for one_spot in _distinct(
            [
                spot,
                self.spots.get(spot["instead_of_id"]),
                *self._spots_by_campaign.get(spot["campaign_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: release the spot of {self.campaigns[spot['campaign_id']]['title']} in "
                f"{self.episodes[spot['episode_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def move_spot(self, spot_id: str, episode_id: str, place: Literal["opening", "middle", "closing"]) -> Result:
        """Move a booked spot to another episode or place.

        Args:
            spot_id (str): Id of the spot, such as SPOT-00001.
            episode_id (str): Id of the episode, such as EPISODE-00001.
            place (str): Where in the episode the spot is then heard: opening, middle or closing.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        spot = self.spots.get(spot_id)
        if spot is None:
            return _refused(f"There is no spot {spot_id!r}.")
        episode = self.episodes.get(episode_id)
        if episode is None:
            return _refused(f"There is no episode {episode_id!r}.")
        if spot["status"] != "booked":
            return _refused(f"The spot of {self.campaigns[spot['campaign_id']]['title']} is {spot['status']}.")
        campaign = self.campaigns[spot["campaign_id"]]
        if episode_id == spot["episode_id"] and place == spot["place"]:
            return _refused("The spot stands there already.")
        if episode["status"] != "planned" or episode["publishes_on"] < self.now[:10]:
            return _refused(f"{episode['title']} of {episode['publishes_on']} takes no bookings any more.")
        if campaign["starts"] > episode["publishes_on"] or episode["publishes_on"] > campaign["ends"]:
            return _refused(
                f"{episode['title']} comes out on {episode['publishes_on']}, and {campaign['title']} runs from "
                f"{campaign['starts']} to {campaign['ends']}."
            )
        if place not in self.shows[episode["show_id"]]["places"]:
            return _refused(f"{self.shows[episode['show_id']]['name']} sells no {place}.")
        if self.advertisers[campaign["advertiser_id"]]["category"] in self.shows[episode["show_id"]]["refuses"]:
            return _refused(
                f"{self.shows[episode['show_id']]['host']} refuses "
                f"{self.advertisers[campaign['advertiser_id']]['category']} on "
                f"{self.shows[episode['show_id']]['name']}."
            )
        sitting = self._in_place(episode, place)
        if sitting is not None:
            return _refused(
                f"The {place} of {episode['title']} is taken by {self.campaigns[sitting['campaign_id']]['title']}."
            )
        if episode_id != spot["episode_id"] and self._own_spot(campaign, episode) is not None:
            return _refused(f"{campaign['title']} has a spot in {episode['title']} already.")
        foe = self._rival(campaign, episode)
        if foe is not None:
            return _refused(
                f"{campaign['title']} cannot share {episode['title']} with "
                f"{self.campaigns[foe['campaign_id']]['title']}; one of them is exclusive or they are rivals."
            )
        if not (
            spot["instead_of_id"] is None
            or self.episodes[
                self.spots[spot["instead_of_id"]]["episode_id"]
            ]["publishes_on"] <= episode["publishes_on"]
            and self._reach(episode, place) >= self._gap(self.spots[spot["instead_of_id"]])
        ):
            return _refused("It makes good an earlier spot, so the episode must come later and reach enough people.")
        counted = spot["planned"] if spot["instead_of_id"] is None else self._reach(episode, place)
        if (self._campaign_planned(campaign) - counted + self._reach(episode, place)) * 10 > campaign["goal"] * 11:
            return _refused(f"{campaign['title']} would be more than a tenth above its goal of {campaign['goal']}.")
        there = (
            self._on_show(campaign, self.shows[episode["show_id"]])
            - (
                counted
                if episode["show_id"] == self.episodes[spot["episode_id"]]["show_id"]
                and spot["instead_of_id"] is None
                else 0
            )
        )
        if (
            spot["instead_of_id"] is None
            and (there + self._reach(episode, place)) * 100 > campaign["goal"] * campaign["show_share"]
        ):
            return _refused(
                f"{self.shows[episode['show_id']]['name']} may carry {campaign['show_share']} percent of "
                f"{campaign['title']} at most."
            )
        self._journal = []
        self._put("spots", spot, "episode_id", episode_id)
        self._put("spots", spot, "place", place)
        planned = self._reach(episode, place)
        if not 1 <= planned <= 90000:
            return self._take_back(f"The planned of {spot['id']} must be between 1 and 90000.")
        self._put("spots", spot, "planned", planned)
        if self._breaks_rule_1(spot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(spot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(spot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(spot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(spot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.campaigns[spot["campaign_id"]]):
            return self._take_back(RULES[6])
        for one_spot in _distinct(
            [spot, *self._spots_by_campaign_status.get((spot["campaign_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        for one_spot in _distinct([spot, *self._spots_by_instead_of.get(spot["id"], {}).values()]):
            if self._breaks_rule_9_x_again(one_spot):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(spot):
            return self._take_back(RULES[9])
        if self._breaks_rule_12_x(spot):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: move the spot of {self.campaigns[spot['campaign_id']]['title']} to the {place} of "
                f"{episode['title']}."
            ),
            "data": self._changes(),
        }

    def publish_episode(
        self,
        episode_id: str,
        downloads: Annotated[int, {"minimum": 0, "maximum": 300000}],
    ) -> Result:
        """Enter the downloads of an episode that came out; its booked spots are counted by their place.

        Args:
            episode_id (str): Id of the episode, such as EPISODE-00001.
            downloads (int): Downloads of the episode, between a quarter and four times those expected, from 0 to
                300000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        episode = self.episodes.get(episode_id)
        if episode is None:
            return _refused(f"There is no episode {episode_id!r}.")
        if episode["status"] != "planned":
            return _refused(f"{episode['title']} is {episode['status']}.")
        if episode["publishes_on"] > self.now[:10]:
            return _refused(f"{episode['title']} comes out on {episode['publishes_on']}.")
        if downloads * 4 < episode["expected"] or downloads > episode["expected"] * 4:
            return _refused(f"{downloads} downloads cannot be right where {episode['expected']} were expected.")
        self._journal = []
        changed_spots: list[Any] = []
        changed_spots_2: list[Any] = []
        self._put("episodes", episode, "downloads", downloads)
        self._put("episodes", episode, "status", "published")
        for x in sorted(self._spots_by_episode_status.get((episode_id, "booked"), {}).values(), key=_age):
            heard = floor(
                Fraction(downloads * (100 if x["place"] == "opening" else 85 if x["place"] == "middle" else 50), 100)
            )
            if not 0 <= heard <= 300000:
                return self._take_back(f"The heard of {x['id']} must be between 0 and 300000.")
            changed_spots.append(x)
            self._put("spots", x, "heard", heard)
            if x["status"] not in ("booked", "aired"):
                return self._take_back(f"Spot {x['id']} cannot go from {x['status']} to aired.")
            changed_spots_2.append(x)
            self._put("spots", x, "status", "aired")
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_1(one_spot):
                return self._take_back(RULES[0])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_2(one_spot):
                return self._take_back(RULES[1])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_3_a(one_spot):
                return self._take_back(RULES[2])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_3_b(one_spot):
                return self._take_back(RULES[2])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_5(one_spot):
                return self._take_back(RULES[4])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_6(one_spot):
                return self._take_back(RULES[5])
        for one_campaign in _distinct([self.campaigns[one["campaign_id"]] for one in changed_spots_2]):
            if self._breaks_rule_7(one_campaign):
                return self._take_back(RULES[6])
        for one_spot in _distinct(
            [
                *changed_spots_2,
                *[
                    user
                    for one in [self.campaigns[one["campaign_id"]] for one in changed_spots_2]
                    for user in self._spots_by_campaign_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_9_x(one_spot):
                return self._take_back(RULES[8])
        for one_spot in _distinct(changed_spots_2):
            if self._breaks_rule_9_x_again(one_spot):
                return self._take_back(RULES[8])
        for one_spot in _distinct(
            [*self._spots_by_episode.get(episode["id"], {}).values(), *changed_spots, *changed_spots_2]
        ):
            if self._breaks_rule_10(one_spot):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(episode):
            return self._take_back(RULES[10])
        for one_spot in _distinct(
            [
                *changed_spots,
                *[
                    user
                    for one in [self.campaigns[one["campaign_id"]] for one in changed_spots]
                    for user in self._spots_by_campaign.get(one["id"], {}).values()
                ],
                *changed_spots_2,
                *[
                    user
                    for one in [self.campaigns[one["campaign_id"]] for one in changed_spots_2]
                    for user in self._spots_by_campaign.get(one["id"], {}).values()
                ],
                *[self.spots.get(one["instead_of_id"]) for one in changed_spots_2],
            ]
        ):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: publish {episode['title']} with {downloads} downloads.",
            "data": self._changes(),
        }

    def report_missed(self, spot_id: str) -> Result:
        """Report that a spot was not heard as it was sold, for instance with the wrong text.

        Args:
            spot_id (str): Id of the spot, such as SPOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        spot = self.spots.get(spot_id)
        if spot is None:
            return _refused(f"There is no spot {spot_id!r}.")
        if spot["status"] != "aired":
            return _refused(f"The spot of {self.campaigns[spot['campaign_id']]['title']} is {spot['status']}.")
        if self.campaigns[spot["campaign_id"]]["status"] != "running":
            return _refused(f"{self.campaigns[spot['campaign_id']]['title']} is closed and billed.")
        self._journal = []
        self._put("spots", spot, "heard", None)
        self._put("spots", spot, "status", "missed")
        if self._breaks_rule_1(spot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(spot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(spot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(spot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.campaigns[spot["campaign_id"]]):
            return self._take_back(RULES[6])
        for one_spot in _distinct(
            [spot, *self._spots_by_campaign_status.get((spot["campaign_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_x(spot):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(spot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(spot):
            return self._take_back(RULES[9])
        for one_spot in _distinct(
            [
                spot,
                self.spots.get(spot["instead_of_id"]),
                *self._spots_by_campaign.get(spot["campaign_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: report the spot of {self.campaigns[spot['campaign_id']]['title']} in "
                f"{self.episodes[spot['episode_id']]['title']} as missed."
            ),
            "data": self._changes(),
        }

    def make_good(self, spot_id: str, episode_id: str, place: Literal["opening", "middle", "closing"]) -> Result:
        """Give a campaign that has not reached its goal a free place instead of a spot that was missed, or heard by
        less than four fifths of those expected.

        Args:
            spot_id (str): Id of the spot, such as SPOT-00001.
            episode_id (str): Id of the episode, such as EPISODE-00001.
            place (str): Where in the episode the free spot is heard: opening, middle or closing.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        spot = self.spots.get(spot_id)
        if spot is None:
            return _refused(f"There is no spot {spot_id!r}.")
        episode = self.episodes.get(episode_id)
        if episode is None:
            return _refused(f"There is no episode {episode_id!r}.")
        campaign = self.campaigns[spot["campaign_id"]]
        if campaign["status"] != "running":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if self._campaign_heard(campaign) >= campaign["goal"]:
            return _refused(f"{campaign['title']} has reached its goal of {campaign['goal']}, so nothing is owed.")
        if not self._owed(spot):
            return _refused(
                f"Nothing is owed for the spot of {campaign['title']} in "
                f"{self.episodes[spot['episode_id']]['title']}."
            )
        if episode["status"] != "planned" or episode["publishes_on"] < self.now[:10]:
            return _refused(f"{episode['title']} of {episode['publishes_on']} takes no bookings any more.")
        if campaign["starts"] > episode["publishes_on"] or episode["publishes_on"] > campaign["ends"]:
            return _refused(
                f"{episode['title']} comes out on {episode['publishes_on']}, and {campaign['title']} runs from "
                f"{campaign['starts']} to {campaign['ends']}."
            )
        if place not in self.shows[episode["show_id"]]["places"]:
            return _refused(f"{self.shows[episode['show_id']]['name']} sells no {place}.")
        if self.advertisers[campaign["advertiser_id"]]["category"] in self.shows[episode["show_id"]]["refuses"]:
            return _refused(
                f"{self.shows[episode['show_id']]['host']} refuses "
                f"{self.advertisers[campaign['advertiser_id']]['category']} on "
                f"{self.shows[episode['show_id']]['name']}."
            )
        if self._own_spot(campaign, episode) is not None:
            return _refused(f"{campaign['title']} has a spot in {episode['title']} already.")
        sitting = self._in_place(episode, place)
        if sitting is not None:
            return _refused(
                f"The {place} of {episode['title']} is taken by {self.campaigns[sitting['campaign_id']]['title']}."
            )
        foe = self._rival(campaign, episode)
        if foe is not None:
            return _refused(
                f"{campaign['title']} cannot share {episode['title']} with "
                f"{self.campaigns[foe['campaign_id']]['title']}; one of them is exclusive or they are rivals."
            )
        if self._reach(episode, place) < self._gap(spot):
            return _refused(
                f"The {place} of {episode['title']} reaches {self._reach(episode, place)}, and {self._gap(spot)} "
                "are owed."
            )
        if self.episodes[spot["episode_id"]]["publishes_on"] > episode["publishes_on"]:
            return _refused(f"{episode['title']} comes before the spot that is owed.")
        if self._on_show(campaign, self.shows[episode["show_id"]]) * 100 > campaign["goal"] * campaign["show_share"]:
            return _refused(
                f"{self.shows[episode['show_id']]['name']} carries too much of {campaign['title']} already."
            )
        done = f"make good the spot of {self.campaigns[spot['campaign_id']]['title']} in {self.episodes[spot['episode_id']]['title']} with the {place} of {episode['title']}"
        self._journal = []
        planned = self._reach(episode, place)
        if not 1 <= planned <= 90000:
            return self._take_back("The planned of a spot must be between 1 and 90000.")
        new_spot: Spot = {
            "id": self._new_id("spot", "SPOT", self.spots),
            "campaign_id": campaign["id"],
            "episode_id": episode_id,
            "place": place,
            "planned": planned,
            "heard": None,
            "instead_of_id": spot_id,
            "status": "booked",
        }
        self._add("spots", new_spot)
        if self._breaks_rule_1(new_spot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(new_spot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(new_spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(new_spot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(new_spot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(new_spot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(new_spot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.campaigns[new_spot["campaign_id"]]):
            return self._take_back(RULES[6])
        for one_spot in _distinct(
            [new_spot, *self._spots_by_campaign_status.get((new_spot["campaign_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_8(one_spot):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_x(new_spot):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(new_spot):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(new_spot):
            return self._take_back(RULES[9])
        for one_spot in _distinct(
            [
                new_spot,
                self.spots.get(new_spot["instead_of_id"]),
                *self._spots_by_campaign.get(new_spot["campaign_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: spot {new_spot['id']}).",
            "data": {"spot_id": new_spot["id"], **self._changes()},
        }

    def plan_episode(
        self,
        show_id: str,
        title: Text,
        publishes_on: Date,
        expected: Annotated[int, {"minimum": 500, "maximum": 90000}],
    ) -> Result:
        """Plan an episode of a show with the downloads that are expected.

        Args:
            show_id (str): Id of the show, such as SHOW-00001.
            title (str): Title of the episode, not in use yet.
            publishes_on (str): Day on which it comes out, after today, as YYYY-MM-DD.
            expected (int): Downloads that are expected, from 500 to 90000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        show = self.shows.get(show_id)
        if show is None:
            return _refused(f"There is no show {show_id!r}.")
        if self._episodes_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is an episode {title} already.")
        if publishes_on <= self.now[:10]:
            return _refused(f"An episode is planned for a day to come, not for {publishes_on}.")
        self._journal = []
        episode: Episode = {
            "id": self._new_id("episode", "EPISODE", self.episodes),
            "title": title,
            "show_id": show_id,
            "publishes_on": publishes_on,
            "expected": expected,
            "downloads": None,
            "status": "planned",
        }
        self._add("episodes", episode)
        if len(self._episodes_by_title.get(episode["title"], {})) > 1:
            return self._take_back(f"There is already an episode with the title {episode['title']!r}.")
        if self._breaks_rule_11(episode):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: plan the episode {title} of {show['host']} for {publishes_on} (new: episode {episode['id']})."
            ),
            "data": {"episode_id": episode["id"], **self._changes()},
        }

    def shift_episode(self, episode_id: str, to: Date) -> Result:
        """Let an episode come out on another day.

        Args:
            episode_id (str): Id of the episode, such as EPISODE-00001.
            to (str): New day on which it comes out, not in the past, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        episode = self.episodes.get(episode_id)
        if episode is None:
            return _refused(f"There is no episode {episode_id!r}.")
        if episode["status"] != "planned":
            return _refused(f"{episode['title']} is {episode['status']}.")
        if to < self.now[:10] or to == episode["publishes_on"]:
            return _refused("Give another day, today or later.")
        left_out = next(
            (
                x
                for x in sorted(self._spots_by_episode_status.get((episode_id, "booked"), {}).values(), key=_age)
                if (self.campaigns[x["campaign_id"]]["starts"] > to or to > self.campaigns[x["campaign_id"]]["ends"])
            ),
            None,
        )
        if left_out is not None:
            return _refused(
                f"{self.campaigns[left_out['campaign_id']]['title']} runs from "
                f"{self.campaigns[left_out['campaign_id']]['starts']} to "
                f"{self.campaigns[left_out['campaign_id']]['ends']}; extend it, or move or release its spot first."
            )
        early = next(
            (
                x
                for x in sorted(self._spots_by_episode_status.get((episode_id, "booked"), {}).values(), key=_age)
                if x["instead_of_id"] is not None
                and self.episodes[self.spots[x["instead_of_id"]]["episode_id"]]["publishes_on"] > to
            ),
            None,
        )
        if early is not None:
            return _refused(
                f"{self.campaigns[early['campaign_id']]['title']} is made good there, and that must come later."
            )
        if any(
            self.episodes[m["episode_id"]]["publishes_on"] < to
            for _spot in self._spots_by_episode.get(episode_id, {}).values()
            for m in self._spots_by_instead_of.get(_spot["id"], {}).values()
            if m["instead_of_id"] is not None
        ):
            return _refused(f"A spot of {episode['title']} is made good before {to}.")
        self._journal = []
        self._put("episodes", episode, "publishes_on", to)
        for one_spot in _distinct(self._spots_by_episode.get(episode["id"], {}).values()):
            if self._breaks_rule_6(one_spot):
                return self._take_back(RULES[5])
        for one_spot in _distinct(
            [
                *[
                    user
                    for one in self._spots_by_episode.get(episode["id"], {}).values()
                    for user in self._spots_by_instead_of.get(one["id"], {}).values()
                ],
                *self._spots_by_episode.get(episode["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_9_x_again(one_spot):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: shift {episode['title']} to {to}.", "data": self._changes()}

    def refuse_category(
        self,
        show_id: str,
        category: Literal["food", "finance", "gaming", "travel", "health", "telecom", "betting", "alcohol"],
    ) -> Result:
        """Note that a show takes no spots of a category any more.

        Args:
            show_id (str): Id of the show, such as SHOW-00001.
            category (str): Trade whose spots the show refuses from now on: food, finance, gaming, travel, health,
                telecom, betting or alcohol.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        show = self.shows.get(show_id)
        if show is None:
            return _refused(f"There is no show {show_id!r}.")
        if category in show["refuses"]:
            return _refused(f"{show['name']} refuses {category} already.")
        booked = next(
            (
                x
                for x in sorted(
                    [
                        x
                        for _episode in self._episodes_by_show.get(show_id, {}).values()
                        for x in self._spots_by_episode_status.get((_episode["id"], "booked"), {}).values()
                    ],
                    key=_age,
                )
                if self.advertisers[self.campaigns[x["campaign_id"]]["advertiser_id"]]["category"] == category
            ),
            None,
        )
        if booked is not None:
            return _refused(
                f"{self.campaigns[booked['campaign_id']]['title']} is booked in "
                f"{self.episodes[booked['episode_id']]['title']}; move or release that first."
            )
        self._journal = []
        self._put("shows", show, "refuses", [*(show["refuses"] + [category])])
        for one_spot in _distinct(
            [
                user
                for one in self._episodes_by_show.get(show["id"], {}).values()
                for user in self._spots_by_episode_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_5(one_spot):
                return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: refuse {category} on {show['host']}.", "data": self._changes()}

    def close_campaign(self, campaign_id: str) -> Result:
        """Close a campaign whose time is over or whose goal is reached, and bill what was heard, up to the goal.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "running":
            return _refused(f"{campaign['title']} is {campaign['status']}.")
        if campaign["ends"] >= self.now[:10] and self._campaign_heard(campaign) < campaign["goal"]:
            return _refused(
                f"{campaign['title']} runs until {campaign['ends']} and has {self._campaign_heard(campaign)} of "
                f"{campaign['goal']} impressions."
            )
        booked = next(
            (x for x in sorted(self._spots_by_campaign_status.get((campaign_id, "booked"), {}).values(), key=_age)),
            None,
        )
        if booked is not None:
            return _refused(f"{campaign['title']} is still booked in {self.episodes[booked['episode_id']]['title']}.")
        open_one = next(
            (x for x in sorted(self._spots_by_campaign.get(campaign_id, {}).values(), key=_age) if self._owed(x)),
            None,
        )
        if open_one is not None:
            return _refused(
                f"{campaign['title']} is owed a spot for {self.episodes[open_one['episode_id']]['title']}."
            )
        self._journal = []
        self._put(
            "campaigns",
            campaign,
            "billed",
            _rounded(
                Fraction(campaign["thousand_costs"] * min(self._campaign_heard(campaign), campaign["goal"]), 1000)
            ),
        )
        self._put("campaigns", campaign, "status", "closed")
        if self._breaks_rule_12_c(campaign):
            return self._take_back(RULES[11])
        for one_spot in _distinct(self._spots_by_campaign.get(campaign["id"], {}).values()):
            if self._breaks_rule_12_x(one_spot):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: close and bill {campaign['title']}.", "data": self._changes()}

    def _show_show(self, show: Show) -> dict[str, Any]:
        """The show as an answer shows it."""
        return {**show, "places": [*show["places"]], "refuses": [*show["refuses"]]}

    def _show_campaign(self, campaign: Campaign) -> dict[str, Any]:
        """The campaign as an answer shows it."""
        return {
            **campaign,
            "planned": self._campaign_planned(campaign),
            "heard": self._campaign_heard(campaign),
            "unplanned": self._campaign_unplanned(campaign),
        }

    def _names_of_episodes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that episodes point to."""
        return _names((self.shows, "host", [row["show_id"] for row in shown]))

    def _names_of_campaigns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that campaigns point to."""
        return _names((self.advertisers, "name", [row["advertiser_id"] for row in shown]))

    def _names_of_spots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that spots point to."""
        return _names(
            (self.campaigns, "title", [row["campaign_id"] for row in shown]),
            (self.episodes, "title", [row["episode_id"] for row in shown]),
        )

    def _campaign_planned(self, campaign: Campaign) -> int:
        """The planned of a campaign."""
        return sum(
            x["planned"]
            for x in self._spots_by_campaign.get(campaign["id"], {}).values()
            if self._holds_place(x)
            and x["instead_of_id"] is None
        )

    def _campaign_heard(self, campaign: Campaign) -> int:
        """The heard of a campaign."""
        return sum(
            x["heard"]
            if x["heard"] is not None
            else 0
            for x in self._spots_by_campaign_status.get((campaign["id"], "aired"), {}).values()
        )

    def _campaign_unplanned(self, campaign: Campaign) -> int:
        """The unplanned of a campaign."""
        return max(0, campaign["goal"] - self._campaign_planned(campaign))

    def _holds_place(self, x: Spot) -> bool:
        return x["status"] in ("booked", "aired")

    def _reach(self, e: Episode, place: str) -> int:
        return floor(Fraction(e["expected"] * (100 if place == "opening" else 85 if place == "middle" else 50), 100))

    def _gap(self, x: Spot) -> int:
        return (
            x["planned"]
            if x["status"] == "missed"
            else x["planned"] - (x["heard"] if x["heard"] is not None else 0)
            if x["status"] == "aired" and (x["heard"] if x["heard"] is not None else 0) * 100 < x["planned"] * 80
            else 0
        )

    def _owed(self, x: Spot) -> bool:
        return (
            self._gap(x) > 0
            and x["instead_of_id"] is None
            and self._campaign_heard(self.campaigns[x["campaign_id"]]) < self.campaigns[x["campaign_id"]]["goal"]
            and not any(self._holds_place(m) for m in self._spots_by_instead_of.get(x["id"], {}).values())
        )

    def _in_place(self, e: Episode, place: str) -> Spot | None:
        return next(
            (
                x
                for x in sorted(self._spots_by_episode_place.get((e["id"], place), {}).values(), key=_age)
                if self._holds_place(x)
            ),
            None,
        )

    def _own_spot(self, c: Campaign, e: Episode) -> Spot | None:
        return next(
            (
                x
                for x in sorted(self._spots_by_campaign_episode.get((c["id"], e["id"]), {}).values(), key=_age)
                if self._holds_place(x)
            ),
            None,
        )

    def _quarrel(self, a: Campaign, b: Campaign) -> bool:
        return (
            a is not b
            and (
                a["exclusive"]
                or b["exclusive"]
                or a["advertiser_id"] != b["advertiser_id"]
                and self.advertisers[
                    a["advertiser_id"]
                ]["category"] == self.advertisers[b["advertiser_id"]]["category"]
            )
        )

    def _rival(self, c: Campaign, e: Episode) -> Spot | None:
        return next(
            (
                x
                for x in sorted(self._spots_by_episode.get(e["id"], {}).values(), key=_age)
                if self._holds_place(x)
                and self._quarrel(self.campaigns[x["campaign_id"]], c)
            ),
            None,
        )

    def _on_show(self, c: Campaign, s: Show) -> int:
        return sum(
            x["planned"]
            for x in self._spots_by_campaign.get(c["id"], {}).values()
            if self.episodes[x["episode_id"]]["show_id"] == s["id"]
            and self._holds_place(x)
            and x["instead_of_id"] is None
        )

    def _may_run(self, c: Campaign, e: Episode) -> bool:
        return (
            e["status"] == "planned"
            and e["publishes_on"] >= self.now[:10]
            and (c["starts"] <= e["publishes_on"] and e["publishes_on"] <= c["ends"])
            and self.advertisers[c["advertiser_id"]]["category"] not in self.shows[e["show_id"]]["refuses"]
            and self._own_spot(c, e) is None
            and self._rival(c, e) is None
        )

    def _may_take(self, c: Campaign, e: Episode, place: str) -> bool:
        return (
            self._may_run(c, e)
            and place in self.shows[e["show_id"]]["places"]
            and self._in_place(e, place) is None
        )

    def _within(self, c: Campaign, e: Episode, place: str) -> bool:
        return (
            (self._campaign_planned(c) + self._reach(e, place)) * 10 <= c["goal"] * 11
            and (
                self._on_show(c, self.shows[e["show_id"]]) + self._reach(e, place)
            ) * 100 <= c["goal"] * c["show_share"]
        )

    def _breaks_rule_1(self, x: Spot) -> bool:
        """Whether this is broken: a place in an episode is sold once."""
        return (
            self._holds_place(x)
            and any(
                other_x is not x
                for other_x in self._spots_by_episode_place.get((x["episode_id"], x["place"]), {}).values()
                if self._holds_place(other_x)
            )
        )

    def _breaks_rule_2(self, x: Spot) -> bool:
        """Whether this is broken: a campaign has at most one spot in an episode."""
        return (
            self._holds_place(x)
            and any(
                other_x is not x
                for other_x in self._spots_by_campaign_episode.get((x["campaign_id"], x["episode_id"]), {}).values()
                if self._holds_place(other_x)
            )
        )

    def _breaks_rule_3_a(self, a: Spot) -> bool:
        """Whether this is broken: rivals of one category never share an episode, and an exclusive campaign shares it
        with nobody.
        """
        return (
            self._holds_place(a)
            and any(
                self._quarrel(self.campaigns[a["campaign_id"]], self.campaigns[b["campaign_id"]])
                for b in self._spots_by_episode.get(a["episode_id"], {}).values()
                if a is not b
                and self._holds_place(b)
            )
        )

    def _breaks_rule_3_b(self, b: Spot) -> bool:
        """Whether this is broken: rivals of one category never share an episode, and an exclusive campaign shares it
        with nobody.
        """
        return (
            self._holds_place(b)
            and any(
                self._quarrel(self.campaigns[a["campaign_id"]], self.campaigns[b["campaign_id"]])
                for a in self._spots_by_episode.get(b["episode_id"], {}).values()
                if a is not b
                and self._holds_place(a)
            )
        )

    def _breaks_rule_4(self, x: Spot) -> bool:
        """Whether this is broken: a spot stands only in a place that the show sells."""
        return x["place"] not in self.shows[self.episodes[x["episode_id"]]["show_id"]]["places"]

    def _breaks_rule_5(self, x: Spot) -> bool:
        """Whether this is broken: a show carries no spot of a category it refuses in an episode to come."""
        return (
            x["status"] == "booked"
            and self.advertisers[
                self.campaigns[x["campaign_id"]]["advertiser_id"]
            ]["category"] in self.shows[self.episodes[x["episode_id"]]["show_id"]]["refuses"]
        )

    def _breaks_rule_6(self, x: Spot) -> bool:
        """Whether this is broken: a spot is heard between the first and the last day of its campaign."""
        return (
            self._holds_place(x)
            and (
                self.campaigns[x["campaign_id"]]["starts"] > self.episodes[x["episode_id"]]["publishes_on"]
                or self.episodes[x["episode_id"]]["publishes_on"] > self.campaigns[x["campaign_id"]]["ends"]
            )
        )

    def _breaks_rule_7(self, c: Campaign) -> bool:
        """Whether this is broken: a campaign is never planned for more than a tenth above its goal."""
        return self._campaign_planned(c) * 10 > c["goal"] * 11

    def _breaks_rule_8(self, x: Spot) -> bool:
        """Whether this is broken: no show carries more of a campaign than the agreed share of its goal."""
        return (
            x["status"] == "booked"
            and sum(
                y["planned"]
                for y in self._spots_by_campaign.get(x["campaign_id"], {}).values()
                if self.episodes[y["episode_id"]]["show_id"] == self.episodes[x["episode_id"]]["show_id"]
                and self._holds_place(y)
                and y["instead_of_id"] is None
            ) * 100 > self.campaigns[x["campaign_id"]]["goal"] * self.campaigns[x["campaign_id"]]["show_share"]
        )

    def _breaks_rule_9_x(self, x: Spot) -> bool:
        """Whether this is broken: a spot is made good once at a time, for the same campaign and in a later episode.
        """
        return (
            x["instead_of_id"] is not None
            and self._holds_place(x)
            and any(
                other_x is not x
                for other_x in self._spots_by_instead_of.get(x["instead_of_id"], {}).values()
                if other_x["instead_of_id"] is not None
                and self._holds_place(other_x)
            )
        )

    def _breaks_rule_9_x_again(self, x: Spot) -> bool:
        """Whether this is broken: a spot is made good once at a time, for the same campaign and in a later episode.
        """
        return (
            self._holds_place(x)
            and not (
                x["instead_of_id"] is None
                or self.spots[x["instead_of_id"]]["campaign_id"] == x["campaign_id"]
                and self.episodes[
                    self.spots[x["instead_of_id"]]["episode_id"]
                ]["publishes_on"] <= self.episodes[x["episode_id"]]["publishes_on"]
            )
        )

    def _breaks_rule_10(self, x: Spot) -> bool:
        """Whether this is broken: what has aired was published and counted, and nothing in a published episode is
        still booked.
        """
        return not (
            (x["status"] == "aired") == (x["heard"] is not None)
            and (x["status"] != "aired" or self.episodes[x["episode_id"]]["status"] == "published")
            and (x["status"] != "booked" or self.episodes[x["episode_id"]]["status"] == "planned")
        )

    def _breaks_rule_11(self, e: Episode) -> bool:
        """Whether this is broken: an episode is published with its downloads."""
        return (e["status"] == "published") != (e["downloads"] is not None)

    def _breaks_rule_12_c(self, c: Campaign) -> bool:
        """Whether this is broken: a closed campaign is billed and has nothing booked or owed."""
        return (c["status"] == "closed") != (c["billed"] is not None)

    def _breaks_rule_12_x(self, x: Spot) -> bool:
        """Whether this is broken: a closed campaign is billed and has nothing booked or owed."""
        return self.campaigns[x["campaign_id"]]["status"] == "closed" and (x["status"] == "booked" or self._owed(x))

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
            case "episodes":
                self._episodes_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._episodes_by_show.setdefault(record["show_id"], {})[record["id"]] = record
                self._episodes_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "campaigns":
                self._campaigns_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._campaigns_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "spots":
                self._spots_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record
                self._spots_by_campaign_episode.setdefault(
                    (record["campaign_id"], record["episode_id"]),
                    {},
                )[record["id"]] = record
                self._spots_by_campaign_status.setdefault(
                    (record["campaign_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._spots_by_episode.setdefault(record["episode_id"], {})[record["id"]] = record
                self._spots_by_episode_place.setdefault(
                    (record["episode_id"], record["place"]),
                    {},
                )[record["id"]] = record
                self._spots_by_episode_status.setdefault(
                    (record["episode_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._spots_by_instead_of.setdefault(record["instead_of_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "episodes":
                del self._episodes_by_lower_title[record["title"].lower()][record["id"]]
                del self._episodes_by_show[record["show_id"]][record["id"]]
                del self._episodes_by_title[record["title"]][record["id"]]
            case "campaigns":
                del self._campaigns_by_lower_title[record["title"].lower()][record["id"]]
                del self._campaigns_by_title[record["title"]][record["id"]]
            case "spots":
                del self._spots_by_campaign[record["campaign_id"]][record["id"]]
                del self._spots_by_campaign_episode[record["campaign_id"], record["episode_id"]][record["id"]]
                del self._spots_by_campaign_status[record["campaign_id"], record["status"]][record["id"]]
                del self._spots_by_episode[record["episode_id"]][record["id"]]
                del self._spots_by_episode_place[record["episode_id"], record["place"]][record["id"]]
                del self._spots_by_episode_status[record["episode_id"], record["status"]][record["id"]]
                del self._spots_by_instead_of[record["instead_of_id"]][record["id"]]
