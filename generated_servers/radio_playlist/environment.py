"""Radio playlist. Compiled from blueprint.yaml; run `envscaler build radio_playlist` after changing it there.

Schedules the music and the advertising of a radio station hour by hour, with rotations, artist separation,
rests for worn-out songs and breaks in which rival brands never meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Two songs of one artist start at least two clock hours apart.",
    "A song comes back only after the rest of its rotation, three hours for power, six for current and a day for gold.",
    "An hour never has more songs of a rotation than its clock, and none from the library.",
    "The music of an hour stays within the limit of its clock.",
    "Explicit songs run only in hours whose clock allows them.",
    "A song that rests is not played.",
    "A locked hour has every song of its clock.",
    "Rival brands, that is brands of one trade, never meet in a break.",
    "A brand is heard at most once an hour.",
    "A break is never oversold.",
    "No campaign gets more airings than were ordered.",
    "Spots run on the days of their campaign.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_hour",
    "fill_hour",
    "place_track",
    "replace_track",
    "lock_hour",
    "reopen_hour",
    "rest_track",
    "move_rotation",
    "book_campaign",
    "place_spot",
    "move_spot",
    "drop_spot",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "artists": ("name",),
    "tracks": ("title",),
    "hour_clocks": ("name",),
    "hours": (),
    "plays": (),
    "ad_breaks": (),
    "campaigns": ("brand",),
    "airings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("airings", "campaign_id"),
    ("airings", "slot_id"),
    ("campaigns", "brand"),
    ("hours", "starts"),
    ("plays", "hour_id"),
    ("plays", "kind"),
    ("plays", "track_id"),
    ("tracks", "artist_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Artist(TypedDict):
    id: str
    name: str
    home: str


class Track(TypedDict):
    id: str
    title: str
    artist_id: str
    rotation: Literal["power", "current", "gold", "library"]
    seconds: int
    explicit: bool
    rests_from: str | None
    rests_until: str | None


class HourClock(TypedDict):
    id: str
    name: str
    power: int
    current: int
    gold: int
    music_limit: int
    break_minutes: list[int]
    break_seconds: int
    explicit_allowed: bool


class Hour(TypedDict):
    id: str
    starts: str
    layout_id: str
    host: str
    status: Literal["open", "locked"]


class Play(TypedDict):
    id: str
    hour_id: str
    track_id: str
    kind: Literal["power", "current", "gold", "library"]


class AdBreak(TypedDict):
    id: str
    hour_id: str
    minute: int


class Campaign(TypedDict):
    id: str
    brand: str
    trade: Literal["cars", "banks", "supermarkets", "furniture", "travel", "insurance"]
    seconds: int
    ordered: int
    runs_from: str
    runs_to: str


class Airing(TypedDict):
    id: str
    slot_id: str
    campaign_id: str


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


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class RadioPlaylist:
    """Schedules the music and the advertising of a radio station hour by hour, with rotations, artist
    separation, rests for worn-out songs and breaks in which rival brands never meet.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.artists: dict[str, Artist] = _copied(config.get("artists", {}))
        self.tracks: dict[str, Track] = _copied(config.get("tracks", {}))
        self.hour_clocks: dict[str, HourClock] = _copied(config.get("hour_clocks", {}))
        self.hours: dict[str, Hour] = _copied(config.get("hours", {}))
        self.plays: dict[str, Play] = _copied(config.get("plays", {}))
        self.ad_breaks: dict[str, AdBreak] = _copied(config.get("ad_breaks", {}))
        self.campaigns: dict[str, Campaign] = _copied(config.get("campaigns", {}))
        self.airings: dict[str, Airing] = _copied(config.get("airings", {}))
        self.now: str = config.get("now", "2026-04-14T10:00")
        self.counters: dict[str, int] = {
            "artist": len(self.artists),
            "track": len(self.tracks),
            "hour_clock": len(self.hour_clocks),
            "hour": len(self.hours),
            "play": len(self.plays),
            "ad_break": len(self.ad_breaks),
            "campaign": len(self.campaigns),
            "airing": len(self.airings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tracks_by_artist: dict[Any, dict[str, Track]] = {}
        self._hours_by_starts: dict[Any, dict[str, Hour]] = {}
        self._plays_by_hour: dict[Any, dict[str, Play]] = {}
        self._plays_by_hour_kind: dict[Any, dict[str, Play]] = {}
        self._plays_by_track: dict[Any, dict[str, Play]] = {}
        self._campaigns_by_brand: dict[Any, dict[str, Campaign]] = {}
        self._campaigns_by_lower_brand: dict[Any, dict[str, Campaign]] = {}
        self._airings_by_campaign: dict[Any, dict[str, Airing]] = {}
        self._airings_by_slot: dict[Any, dict[str, Airing]] = {}
        for track in self.tracks.values():
            self._link("tracks", track)
        for hour in self.hours.values():
            self._link("hours", hour)
        for play in self.plays.values():
            self._link("plays", play)
        for campaign in self.campaigns.values():
            self._link("campaigns", campaign)
        for airing in self.airings.values():
            self._link("airings", airing)

    def songs_that_fit(
        self,
        hour_id: str,
        instead_of_id: str | None = None,
        rotation: Literal["power", "current", "gold", "library"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Songs that may be put into an hour, or played there instead of a scheduled one, fewest spins first.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.
            instead_of_id (str, optional): Scheduled play in that hour that would be replaced; an id such as
                PLAY-00001. If left out, only songs that can be added are listed.
            rotation (str, optional): Only songs of this rotation: power, current, gold or library. If left out,
                songs of all rotations are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tracks": records}} or {"success": False, "error": why
                not}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        instead_of = self.plays.get(instead_of_id) if instead_of_id is not None else None
        if instead_of_id is not None and instead_of is None:
            return _refused(f"There is no play {instead_of_id!r}.")
        found = [
            t
            for t in self.tracks.values()
            if (
                self._fits(hour, t, None)
                or instead_of_id is not None
                and instead_of["hour_id"] == hour_id
                and instead_of["track_id"] != t["id"]
                and self._fits(hour, t, instead_of)
            )
            and (rotation is None or t["rotation"] == rotation)
        ]
        found.sort(key=lambda t: (self._track_spins(t), t["title"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tracks": [
                    {
                        "id": t["id"],
                        "title": t["title"],
                        "artist": self.artists[t["artist_id"]]["name"],
                        "rotation": t["rotation"],
                        "seconds": t["seconds"],
                        "spins": self._track_spins(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def breaks_for(
        self,
        campaign_id: str,
        on: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Breaks of open hours into which the spot of a campaign may go, in the order of the clock.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            on (str, optional): Only breaks of this day, as YYYY-MM-DD. If left out, breaks of all days are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ad_breaks": records}} or {"success": False, "error":
                why not}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [
            b
            for b in self.ad_breaks.values()
            if self._takes(b, campaign, None)
            and (on is None or self.hours[b["hour_id"]]["starts"][:10] == on)
        ]
        found.sort(key=lambda b: (self.hours[b["hour_id"]]["starts"], b["minute"], _age(b)))
        return _found(
            {
                "total": len(found),
                "ad_breaks": [
                    {
                        "id": b["id"],
                        "hour": self.hours[b["hour_id"]]["starts"],
                        "minute": b["minute"],
                        "left": self._ad_break_left(b),
                        "spots": len(self._airings_by_slot.get(b["id"], {})),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_artists(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the artists, oldest first, all of them or only some.

        Args:
            name (str, optional): Only artists whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "artists": records}}
        """
        found = [
            artist
            for artist in self.artists.values()
            if (name is None or name.casefold() in artist["name"].casefold())
        ]
        return _found({"total": len(found), "artists": [{**artist} for artist in _page(found, offset)]})

    def list_tracks(
        self,
        title: Text | None = None,
        artist_id: str | None = None,
        rotation: Literal["power", "current", "gold", "library"] | None = None,
        explicit: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tracks, oldest first, all of them or only some.

        Args:
            title (str, optional): Only tracks whose title contains this text.
            artist_id (str, optional): Only tracks of this artist.
            rotation (str, optional): Only tracks with this rotation.
            explicit (bool, optional): Only tracks that are explicit (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tracks": records}}
        """
        if artist_id is not None and artist_id not in self.artists:
            return _refused(f"There is no artist {artist_id!r}.")
        found = [
            track
            for track in self.tracks.values()
            if (title is None or title.casefold() in track["title"].casefold())
            and (artist_id is None or track["artist_id"] == artist_id)
            and (rotation is None or track["rotation"] == rotation)
            and (explicit is None or track["explicit"] == explicit)
        ]
        shown = [self._show_track(track) for track in _page(found, offset)]
        return _found({"total": len(found), "tracks": shown}, self._names_of_tracks(shown))

    def list_hour_clocks(
        self,
        name: Text | None = None,
        explicit_allowed: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hour clocks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only hour clocks whose name contains this text.
            explicit_allowed (bool, optional): Only hour clocks with this value of `explicit_allowed`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hour_clocks": records}}
        """
        found = [
            hour_clock
            for hour_clock in self.hour_clocks.values()
            if (name is None or name.casefold() in hour_clock["name"].casefold())
            and (explicit_allowed is None or hour_clock["explicit_allowed"] == explicit_allowed)
        ]
        return _found(
            {
                "total": len(found),
                "hour_clocks": [self._show_hour_clock(hour_clock) for hour_clock in _page(found, offset)],
            }
        )

    def list_hours(
        self,
        layout_id: str | None = None,
        status: Literal["open", "locked"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hours, oldest first, all of them or only some.

        Args:
            layout_id (str, optional): Only hours whose layout is this hour clock.
            status (str, optional): Only hours with this status.
            starts_from (str, optional): Only hours whose `starts` is on this day or later.
            starts_to (str, optional): Only hours whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hours": records}}
        """
        if layout_id is not None and layout_id not in self.hour_clocks:
            return _refused(f"There is no hour clock {layout_id!r}.")
        found = [
            hour
            for hour in self.hours.values()
            if (layout_id is None or hour["layout_id"] == layout_id)
            and (status is None or hour["status"] == status)
            and (starts_from is None or hour["starts"][:10] >= starts_from)
            and (starts_to is None or hour["starts"][:10] <= starts_to)
        ]
        shown = [self._show_hour(hour) for hour in _page(found, offset)]
        return _found({"total": len(found), "hours": shown}, self._names_of_hours(shown))

    def list_plays(
        self,
        hour_id: str | None = None,
        track_id: str | None = None,
        kind: Literal["power", "current", "gold", "library"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plays, oldest first, all of them or only some.

        Args:
            hour_id (str, optional): Only plays of this hour.
            track_id (str, optional): Only plays of this track.
            kind (str, optional): Only plays with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plays": records}}
        """
        if hour_id is not None and hour_id not in self.hours:
            return _refused(f"There is no hour {hour_id!r}.")
        if track_id is not None and track_id not in self.tracks:
            return _refused(f"There is no track {track_id!r}.")
        found = [
            play
            for play in self.plays.values()
            if (hour_id is None or play["hour_id"] == hour_id)
            and (track_id is None or play["track_id"] == track_id)
            and (kind is None or play["kind"] == kind)
        ]
        shown = [{**play} for play in _page(found, offset)]
        return _found({"total": len(found), "plays": shown}, self._names_of_plays(shown))

    def list_ad_breaks(
        self,
        hour_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ad breaks, oldest first, all of them or only some.

        Args:
            hour_id (str, optional): Only ad breaks of this hour.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ad_breaks": records}}
        """
        if hour_id is not None and hour_id not in self.hours:
            return _refused(f"There is no hour {hour_id!r}.")
        found = [
            ad_break
            for ad_break in self.ad_breaks.values()
            if (hour_id is None or ad_break["hour_id"] == hour_id)
        ]
        return _found(
            {"total": len(found), "ad_breaks": [self._show_ad_break(ad_break) for ad_break in _page(found, offset)]}
        )

    def list_campaigns(
        self,
        brand: Text | None = None,
        trade: Literal["cars", "banks", "supermarkets", "furniture", "travel", "insurance"] | None = None,
        runs_from_from: Date | None = None,
        runs_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the campaigns, oldest first, all of them or only some.

        Args:
            brand (str, optional): Only campaigns whose brand contains this text.
            trade (str, optional): Only campaigns with this trade.
            runs_from_from (str, optional): Only campaigns whose `runs_from` is on this day or later.
            runs_from_to (str, optional): Only campaigns whose `runs_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "campaigns": records}}
        """
        found = [
            campaign
            for campaign in self.campaigns.values()
            if (brand is None or brand.casefold() in campaign["brand"].casefold())
            and (trade is None or campaign["trade"] == trade)
            and (runs_from_from is None or campaign["runs_from"] >= runs_from_from)
            and (runs_from_to is None or campaign["runs_from"] <= runs_from_to)
        ]
        return _found(
            {"total": len(found), "campaigns": [self._show_campaign(campaign) for campaign in _page(found, offset)]}
        )

    def list_airings(
        self,
        slot_id: str | None = None,
        campaign_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the airings, oldest first, all of them or only some.

        Args:
            slot_id (str, optional): Only airings whose slot is this ad break.
            campaign_id (str, optional): Only airings of this campaign.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "airings": records}}
        """
        if slot_id is not None and slot_id not in self.ad_breaks:
            return _refused(f"There is no ad break {slot_id!r}.")
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        found = [
            airing
            for airing in self.airings.values()
            if (slot_id is None or airing["slot_id"] == slot_id)
            and (campaign_id is None or airing["campaign_id"] == campaign_id)
        ]
        shown = [{**airing} for airing in _page(found, offset)]
        return _found({"total": len(found), "airings": shown}, self._names_of_airings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_hour(self, starts: DateTime, layout_id: str, host: Text) -> Result:
        """Plan an hour on a clock; the breaks come with it, the songs do not.

        Args:
            starts (str): Start of the hour, on the full hour and in the future, as YYYY-MM-DDTHH:MM.
            layout_id (str): Hour clock that sets the breaks of the hour; an id such as HC-00001.
            host (str): Name of the person who presents it.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        layout = self.hour_clocks.get(layout_id)
        if layout is None:
            return _refused(f"There is no hour clock {layout_id!r}.")
        if starts <= self.now:
            return _refused(f"{starts} is past, so plan a later hour.")
        if starts[11:] not in (
            "05:00",
            "06:00",
            "07:00",
            "08:00",
            "09:00",
            "10:00",
            "11:00",
            "12:00",
            "13:00",
            "14:00",
            "15:00",
            "16:00",
            "17:00",
            "18:00",
            "19:00",
            "20:00",
            "21:00",
            "22:00",
            "23:00",
        ):
            return _refused(f"Hours begin on the full hour between 05:00 and 23:00, not at {starts}.")
        if self._hours_by_starts.get(starts, {}):
            return _refused(f"The hour from {starts} is planned already.")
        self._journal = []
        added_ad_breaks: list[Any] = []
        hour: Hour = {
            "id": self._new_id("hour", "HOUR", self.hours),
            "starts": starts,
            "layout_id": layout_id,
            "host": host,
            "status": "open",
        }
        self._add("hours", hour)
        for m in list(layout["break_minutes"]):
            ad_break = {"id": self._new_id("ad_break", "AB", self.ad_breaks), "hour_id": hour["id"], "minute": m}
            self._add("ad_breaks", ad_break)
            added_ad_breaks.append(ad_break)
        if len(self._hours_by_starts.get(hour["starts"], {})) > 1:
            return self._take_back(f"There is already a hour with the starts {hour['starts']!r}.")
        if self._breaks_rule_4(hour):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(hour):
            return self._take_back(RULES[6])
        for one_ad_break in _distinct(added_ad_breaks):
            if self._breaks_rule_10(one_ad_break):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan the hour from {starts} on the {layout['name']} clock with {host} (new: hour "
                f"{hour['id']})."
            ),
            "data": {"hour_id": hour["id"], **self._changes()},
        }

    def fill_hour(self, hour_id: str) -> Result:
        """Fill the open places of an hour with songs that suit, those with the fewest spins first and by title where
        spins are equal.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if hour["status"] != "open":
            return _refused(f"The hour from {hour['starts']} is locked, so reopen it first.")
        if hour["starts"] <= self.now:
            return _refused(f"The hour from {hour['starts']} has begun.")
        if self._hour_missing(hour) <= 0:
            return _refused(f"The hour from {hour['starts']} has all its songs.")
        if not any(self._fits(hour, t, None) for t in self.tracks.values()):
            return _refused(f"No song suits the hour from {hour['starts']}.")
        self._journal = []
        added_plays: list[Any] = []
        for t in sorted(self.tracks.values(), key=lambda t: (self._track_spins(t), t["title"], _age(t))):
            if self._fits(hour, t, None):
                play = {
                    "id": self._new_id("play", "PLAY", self.plays),
                    "hour_id": hour_id,
                    "track_id": t["id"],
                    "kind": t["rotation"],
                }
                self._add("plays", play)
                added_plays.append(play)
        for one_play in _distinct(added_plays):
            if self._breaks_rule_1_a(one_play):
                return self._take_back(RULES[0])
        for one_play in _distinct(added_plays):
            if self._breaks_rule_1_b(one_play):
                return self._take_back(RULES[0])
        for one_play in _distinct(added_plays):
            if self._breaks_rule_2_a(one_play):
                return self._take_back(RULES[1])
        for one_play in _distinct(added_plays):
            if self._breaks_rule_2_b(one_play):
                return self._take_back(RULES[1])
        for one_play in _distinct(
            [
                *added_plays,
                *[
                    user
                    for one in [self.hours[one["hour_id"]] for one in added_plays]
                    for user in self._plays_by_hour.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_play):
                return self._take_back(RULES[2])
        for one_hour in _distinct([self.hours[one["hour_id"]] for one in added_plays]):
            if self._breaks_rule_4(one_hour):
                return self._take_back(RULES[3])
        for one_play in _distinct(added_plays):
            if self._breaks_rule_5(one_play):
                return self._take_back(RULES[4])
        for one_play in _distinct(added_plays):
            if self._breaks_rule_6(one_play):
                return self._take_back(RULES[5])
        for one_hour in _distinct([self.hours[one["hour_id"]] for one in added_plays]):
            if self._breaks_rule_7(one_hour):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: fill the hour from {hour['starts']}.", "data": self._changes()}

    def place_track(self, hour_id: str, track_id: str) -> Result:
        """Put one song into an hour that still has a place of its rotation.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.
            track_id (str): Id of the track, such as TRACK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        track = self.tracks.get(track_id)
        if track is None:
            return _refused(f"There is no track {track_id!r}.")
        if hour["status"] != "open":
            return _refused(f"The hour from {hour['starts']} is locked, so reopen it first.")
        if hour["starts"] <= self.now:
            return _refused(f"The hour from {hour['starts']} has begun.")
        if self._resting(track, hour["starts"][:10]):
            return _refused(f"{track['title']} rests on {hour['starts'][:10]}.")
        if not self.hour_clocks[hour["layout_id"]]["explicit_allowed"] and track["explicit"]:
            return _refused(
                f"{track['title']} is explicit, and the {self.hour_clocks[hour['layout_id']]['name']} clock "
                "allows none."
            )
        if self._of_kind(hour, track["rotation"], None) >= self._places(hour, track["rotation"]):
            return _refused(
                f"The hour from {hour['starts']} has no {track['rotation']} place left, so replace a song."
            )
        near = self._same_artist(hour, track, None)
        if near is not None:
            return _refused(
                f"{self.artists[track['artist_id']]['name']} is on from {self.hours[near['hour_id']]['starts']} "
                f"with {self.tracks[near['track_id']]['title']} already."
            )
        again = self._too_soon(hour, track, None)
        if again is not None:
            return _refused(
                f"{track['title']} is on from {self.hours[again['hour_id']]['starts']} and must rest "
                f"{max(self._gap(track['rotation']), self._gap(again['kind'])) // 60} hours."
            )
        if self._hour_music(hour) + track["seconds"] > self.hour_clocks[hour["layout_id"]]["music_limit"]:
            return _refused(
                f"{track['title']} is too long, there are "
                f"{self.hour_clocks[hour['layout_id']]['music_limit'] - self._hour_music(hour)} seconds of music "
                "left."
            )
        self._journal = []
        play: Play = {
            "id": self._new_id("play", "PLAY", self.plays),
            "hour_id": hour_id,
            "track_id": track_id,
            "kind": track["rotation"],
        }
        self._add("plays", play)
        if self._breaks_rule_1_a(play):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(play):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(play):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(play):
            return self._take_back(RULES[1])
        for one_play in _distinct([play, *self._plays_by_hour.get(play["hour_id"], {}).values()]):
            if self._breaks_rule_3(one_play):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.hours[play["hour_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(play):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(play):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.hours[play["hour_id"]]):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: place {track['title']} in the hour from {hour['starts']} (new: play {play['id']}).",
            "data": {"play_id": play["id"], **self._changes()},
        }

    def replace_track(self, play_id: str, track_id: str) -> Result:
        """Play another song of the same rotation, or of one with a place left, instead of a scheduled one.

        Args:
            play_id (str): Id of the play, such as PLAY-00001.
            track_id (str): Id of the track, such as TRACK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        play = self.plays.get(play_id)
        if play is None:
            return _refused(f"There is no play {play_id!r}.")
        track = self.tracks.get(track_id)
        if track is None:
            return _refused(f"There is no track {track_id!r}.")
        hour = self.hours[play["hour_id"]]
        if hour["status"] != "open":
            return _refused(f"The hour from {hour['starts']} is locked, so reopen it first.")
        if hour["starts"] <= self.now:
            return _refused(f"The hour from {hour['starts']} has begun.")
        if track_id == play["track_id"]:
            return _refused(f"{track['title']} is there already.")
        if self._resting(track, hour["starts"][:10]):
            return _refused(f"{track['title']} rests on {hour['starts'][:10]}.")
        if not self.hour_clocks[hour["layout_id"]]["explicit_allowed"] and track["explicit"]:
            return _refused(
                f"{track['title']} is explicit, and the {self.hour_clocks[hour['layout_id']]['name']} clock "
                "allows none."
            )
        if self._of_kind(hour, track["rotation"], play) >= self._places(hour, track["rotation"]):
            return _refused(f"The hour from {hour['starts']} has no {track['rotation']} place for {track['title']}.")
        near = self._same_artist(hour, track, play)
        if near is not None:
            return _refused(
                f"{self.artists[track['artist_id']]['name']} is on from {self.hours[near['hour_id']]['starts']} "
                f"with {self.tracks[near['track_id']]['title']} already."
            )
        again = self._too_soon(hour, track, play)
        if again is not None:
            return _refused(
                f"{track['title']} is on from {self.hours[again['hour_id']]['starts']} and must rest "
                f"{max(self._gap(track['rotation']), self._gap(again['kind'])) // 60} hours."
            )
        if self._music_without(hour, play) + track["seconds"] > self.hour_clocks[hour["layout_id"]]["music_limit"]:
            return _refused(f"{track['title']} is too long for the hour from {hour['starts']}.")
        done = f"play {track['title']} instead of {self.tracks[play['track_id']]['title']} in the hour from {self.hours[play['hour_id']]['starts']}"
        self._journal = []
        self._put("plays", play, "track_id", track_id)
        self._put("plays", play, "kind", track["rotation"])
        if self._breaks_rule_1_a(play):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(play):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(play):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(play):
            return self._take_back(RULES[1])
        for one_play in _distinct([play, *self._plays_by_hour.get(play["hour_id"], {}).values()]):
            if self._breaks_rule_3(one_play):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.hours[play["hour_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(play):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(play):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def lock_hour(self, hour_id: str) -> Result:
        """Lock an hour that has all its songs and hand it to the studio.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if hour["status"] != "open":
            return _refused(f"The hour from {hour['starts']} is locked already.")
        if hour["starts"] <= self.now:
            return _refused(f"The hour from {hour['starts']} has begun.")
        if self._hour_missing(hour) != 0:
            return _refused(f"The hour from {hour['starts']} lacks {self._hour_missing(hour)} songs.")
        self._journal = []
        self._put("hours", hour, "status", "locked")
        if self._breaks_rule_7(hour):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: lock the hour from {hour['starts']}.", "data": self._changes()}

    def reopen_hour(self, hour_id: str) -> Result:
        """Take a locked hour back from the studio for changes to songs or spots.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if hour["status"] != "locked":
            return _refused(f"The hour from {hour['starts']} is open.")
        if hour["starts"] <= self.now:
            return _refused(f"The hour from {hour['starts']} has begun.")
        self._journal = []
        self._put("hours", hour, "status", "open")
        if self._breaks_rule_7(hour):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: reopen the hour from {hour['starts']}.", "data": self._changes()}

    def rest_track(self, track_id: str, until: Date) -> Result:
        """Rest a song from today until the day on which it may be played again.

        Args:
            track_id (str): Id of the track, such as TRACK-00001.
            until (str): Day on which the song may be played again, within 120 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        track = self.tracks.get(track_id)
        if track is None:
            return _refused(f"There is no track {track_id!r}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 120):
            return _refused(f"A rest ends within 120 days after {self.now[:10]}.")
        on = next(
            (
                p
                for p in sorted(self._plays_by_track.get(track_id, {}).values(), key=_age)
                if (
                    self.now[:10] <= self.hours[p["hour_id"]]["starts"][:10]
                    and self.hours[p["hour_id"]]["starts"][:10] < until
                )
            ),
            None,
        )
        if on is not None:
            return _refused(
                f"{track['title']} is scheduled from {self.hours[on['hour_id']]['starts']}, so replace it there "
                "first."
            )
        self._journal = []
        self._put("tracks", track, "rests_from", self.now[:10])
        self._put("tracks", track, "rests_until", until)
        for one_play in _distinct(self._plays_by_track.get(track["id"], {}).values()):
            if self._breaks_rule_6(one_play):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: rest {track['title']} until {until}.", "data": self._changes()}

    def move_rotation(self, track_id: str, rotation: Literal["power", "current", "gold", "library"]) -> Result:
        """Move a song that is in no coming hour to another rotation.

        Args:
            track_id (str): Id of the track, such as TRACK-00001.
            rotation (str): Rotation that the song goes to: power, current, gold or library.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        track = self.tracks.get(track_id)
        if track is None:
            return _refused(f"There is no track {track_id!r}.")
        if track["rotation"] == rotation:
            return _refused(f"{track['title']} is in the {rotation} rotation already.")
        on = next(
            (
                p
                for p in sorted(self._plays_by_track.get(track_id, {}).values(), key=_age)
                if self.hours[p["hour_id"]]["starts"] > self.now
            ),
            None,
        )
        if on is not None:
            return _refused(
                f"{track['title']} is scheduled from {self.hours[on['hour_id']]['starts']}, so replace it there "
                "first."
            )
        self._journal = []
        self._put("tracks", track, "rotation", rotation)
        return {
            "success": True,
            "message": f"Done: move {track['title']} to the {rotation} rotation.",
            "data": self._changes(),
        }

    def book_campaign(
        self,
        brand: Text,
        trade: Literal["cars", "banks", "supermarkets", "furniture", "travel", "insurance"],
        seconds: Annotated[int, {"minimum": 10, "maximum": 60}],
        ordered: Annotated[int, {"minimum": 1, "maximum": 40}],
        runs_from: Date,
        runs_to: Date,
    ) -> Result:
        """Book a campaign of a brand; a new order of a brand that has one adds airings to it and may let it run
        longer.

        Args:
            brand (str): Name of the brand that advertises.
            trade (str): Trade of the brand, for a known one the same as before: cars, banks, supermarkets,
                furniture, travel or insurance.
            seconds (int): Length of the spot in seconds, for a known brand as before, from 10 to 60.
            ordered (int): Airings that are ordered, added to those of a known brand, from 1 to 40.
            runs_from (str): First day of the campaign, not in the past, as YYYY-MM-DD.
            runs_to (str): Last day of the campaign, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        old = next(
            (c for c in sorted(self._campaigns_by_lower_brand.get(brand.lower(), {}).values(), key=_age)),
            None,
        )
        if not (old is None or old["trade"] == trade and old["seconds"] == seconds):
            return _refused(
                f"{brand} has a campaign of {old['seconds']} seconds for {old['trade']}, and a new order adds to "
                "that."
            )
        if old is not None and old["ordered"] + ordered > 40:
            return _refused(f"{brand} has ordered {old['ordered']} airings, and 40 are the most.")
        if not (old is None or old["runs_from"] <= runs_from and runs_from <= _plus_days(old["runs_to"], 1)):
            return _refused(
                f"{brand} is on from {old['runs_from']} to {old['runs_to']}, so a new order begins in that time "
                "or on the day after."
            )
        if self.now[:10] > runs_from or runs_from > runs_to:
            return _refused("A campaign begins today or later and ends on the same day or after.")
        self._journal = []
        changed_campaigns: list[Any] = []
        changed_campaigns_2: list[Any] = []
        added_campaigns: list[Any] = []
        if old is not None:
            new_ordered = old["ordered"] + ordered
            if not 1 <= new_ordered <= 40:
                return self._take_back(f"The ordered of {old['brand']} must be between 1 and 40.")
            changed_campaigns.append(old)
            self._put("campaigns", old, "ordered", new_ordered)
            changed_campaigns_2.append(old)
            self._put("campaigns", old, "runs_to", max(old["runs_to"], runs_to))
        else:
            campaign = {
                "id": self._new_id("campaign", "CAMPAIGN", self.campaigns),
                "brand": brand,
                "trade": trade,
                "seconds": seconds,
                "ordered": ordered,
                "runs_from": runs_from,
                "runs_to": runs_to,
            }
            self._add("campaigns", campaign)
            added_campaigns.append(campaign)
        for one_campaign in added_campaigns:
            if len(self._campaigns_by_brand.get(one_campaign["brand"], {})) > 1:
                return self._take_back(f"There is already a campaign with the brand {one_campaign['brand']!r}.")
        for one_campaign_2 in _distinct([*changed_campaigns, *added_campaigns]):
            if self._breaks_rule_11(one_campaign_2):
                return self._take_back(RULES[10])
        for one_airing in _distinct(
            [user for one in changed_campaigns_2 for user in self._airings_by_campaign.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12(one_airing):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {ordered} airings of {seconds} seconds for {brand} from {runs_from} to {runs_to}."
            ),
            "data": self._changes(),
        }

    def place_spot(self, campaign_id: str, slot_id: str) -> Result:
        """Put the spot of a campaign into a break.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.
            slot_id (str): Break of an open hour that the spot goes into; an id such as AB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        slot = self.ad_breaks.get(slot_id)
        if slot is None:
            return _refused(f"There is no ad break {slot_id!r}.")
        if self._campaign_placed(campaign) >= campaign["ordered"]:
            return _refused(f"All {campaign['ordered']} airings of {campaign['brand']} are placed.")
        if self.hours[slot["hour_id"]]["status"] != "open":
            return _refused(f"The hour from {self.hours[slot['hour_id']]['starts']} is locked, so reopen it first.")
        if self.hours[slot["hour_id"]]["starts"] <= self.now:
            return _refused(f"The hour from {self.hours[slot['hour_id']]['starts']} has begun.")
        if (
            campaign["runs_from"] > self.hours[slot["hour_id"]]["starts"][:10]
            or self.hours[slot["hour_id"]]["starts"][:10] > campaign["runs_to"]
        ):
            return _refused(f"{campaign['brand']} runs from {campaign['runs_from']} to {campaign['runs_to']}.")
        if campaign["seconds"] > self._ad_break_left(slot):
            return _refused(f"The break has {self._ad_break_left(slot)} seconds left, not {campaign['seconds']}.")
        other = self._rival(slot, campaign, None)
        if other is not None:
            return _refused(
                f"{campaign['brand']} cannot meet its rival {self.campaigns[other['campaign_id']]['brand']} in "
                "one break."
            )
        if self._heard(self.hours[slot["hour_id"]], campaign, None):
            return _refused(
                f"{campaign['brand']} is heard in the hour from {self.hours[slot['hour_id']]['starts']} already."
            )
        self._journal = []
        airing: Airing = {
            "id": self._new_id("airing", "AIRING", self.airings),
            "slot_id": slot_id,
            "campaign_id": campaign_id,
        }
        self._add("airings", airing)
        if self._breaks_rule_8(airing):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(airing):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.ad_breaks[airing["slot_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.campaigns[airing["campaign_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(airing):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: place {campaign['brand']} at minute {slot['minute']} of the hour from "
                f"{self.hours[slot['hour_id']]['starts']} (new: airing {airing['id']})."
            ),
            "data": {"airing_id": airing["id"], **self._changes()},
        }

    def move_spot(self, airing_id: str, slot_id: str) -> Result:
        """Move an airing to another break.

        Args:
            airing_id (str): Id of the airing, such as AIRING-00001.
            slot_id (str): Break of an open hour that the airing moves to; an id such as AB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        airing = self.airings.get(airing_id)
        if airing is None:
            return _refused(f"There is no airing {airing_id!r}.")
        slot = self.ad_breaks.get(slot_id)
        if slot is None:
            return _refused(f"There is no ad break {slot_id!r}.")
        campaign = self.campaigns[airing["campaign_id"]]
        if slot_id == airing["slot_id"]:
            return _refused(f"{campaign['brand']} is in that break already.")
        if self.hours[self.ad_breaks[airing["slot_id"]]["hour_id"]]["status"] != "open":
            return _refused(
                f"The hour from {self.hours[self.ad_breaks[airing['slot_id']]['hour_id']]['starts']} is locked, "
                "so reopen it first."
            )
        if self.hours[slot["hour_id"]]["status"] != "open":
            return _refused(f"The hour from {self.hours[slot['hour_id']]['starts']} is locked, so reopen it first.")
        if (
            self.hours[self.ad_breaks[airing["slot_id"]]["hour_id"]]["starts"] <= self.now
            or self.hours[slot["hour_id"]]["starts"] <= self.now
        ):
            return _refused("Only breaks of hours to come can be changed.")
        if (
            campaign["runs_from"] > self.hours[slot["hour_id"]]["starts"][:10]
            or self.hours[slot["hour_id"]]["starts"][:10] > campaign["runs_to"]
        ):
            return _refused(f"{campaign['brand']} runs from {campaign['runs_from']} to {campaign['runs_to']}.")
        if campaign["seconds"] > self._ad_break_left(slot):
            return _refused(f"The break has {self._ad_break_left(slot)} seconds left, not {campaign['seconds']}.")
        other = self._rival(slot, campaign, airing)
        if other is not None:
            return _refused(
                f"{campaign['brand']} cannot meet its rival {self.campaigns[other['campaign_id']]['brand']} in "
                "one break."
            )
        if self._heard(self.hours[slot["hour_id"]], campaign, airing):
            return _refused(
                f"{campaign['brand']} is heard in the hour from {self.hours[slot['hour_id']]['starts']} already."
            )
        self._journal = []
        former_slot_id = airing["slot_id"]
        self._put("airings", airing, "slot_id", slot_id)
        if self._breaks_rule_8(airing):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(airing):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.ad_breaks[airing["slot_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(self.ad_breaks[former_slot_id]):
            return self._take_back(RULES[9])
        if self._breaks_rule_12(airing):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: move {self.campaigns[airing['campaign_id']]['brand']} to minute {slot['minute']} of the "
                f"hour from {self.hours[slot['hour_id']]['starts']}."
            ),
            "data": self._changes(),
        }

    def drop_spot(self, airing_id: str) -> Result:
        """Take an airing out of its break; the campaign is owed it again.

        Args:
            airing_id (str): Id of the airing, such as AIRING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        airing = self.airings.get(airing_id)
        if airing is None:
            return _refused(f"There is no airing {airing_id!r}.")
        if self.hours[self.ad_breaks[airing["slot_id"]]["hour_id"]]["status"] != "open":
            return _refused(
                f"The hour from {self.hours[self.ad_breaks[airing['slot_id']]['hour_id']]['starts']} is locked, "
                "so reopen it first."
            )
        if self.hours[self.ad_breaks[airing["slot_id"]]["hour_id"]]["starts"] <= self.now:
            return _refused(
                f"The hour from {self.hours[self.ad_breaks[airing['slot_id']]['hour_id']]['starts']} has begun."
            )
        self._journal = []
        self._remove("airings", airing)
        if self._breaks_rule_10(self.ad_breaks[airing["slot_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.campaigns[airing["campaign_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: drop {self.campaigns[airing['campaign_id']]['brand']} from the hour from "
                f"{self.hours[self.ad_breaks[airing['slot_id']]['hour_id']]['starts']}."
            ),
            "data": self._changes(),
        }

    def _show_track(self, track: Track) -> dict[str, Any]:
        """The track as an answer shows it."""
        return {**track, "spins": self._track_spins(track)}

    def _show_hour_clock(self, hour_clock: HourClock) -> dict[str, Any]:
        """The hour clock as an answer shows it."""
        return {**hour_clock, "break_minutes": [*hour_clock["break_minutes"]]}

    def _show_hour(self, hour: Hour) -> dict[str, Any]:
        """The hour as an answer shows it."""
        return {**hour, "music": self._hour_music(hour), "missing": self._hour_missing(hour)}

    def _show_ad_break(self, ad_break: AdBreak) -> dict[str, Any]:
        """The ad break as an answer shows it."""
        return {**ad_break, "sold": self._ad_break_sold(ad_break), "left": self._ad_break_left(ad_break)}

    def _show_campaign(self, campaign: Campaign) -> dict[str, Any]:
        """The campaign as an answer shows it."""
        return {**campaign, "placed": self._campaign_placed(campaign)}

    def _names_of_tracks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tracks point to."""
        return _names((self.artists, "name", [row["artist_id"] for row in shown]))

    def _names_of_hours(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that hours point to."""
        return _names((self.hour_clocks, "name", [row["layout_id"] for row in shown]))

    def _names_of_plays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plays point to."""
        return _names((self.tracks, "title", [row["track_id"] for row in shown]))

    def _names_of_airings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that airings point to."""
        return _names((self.campaigns, "brand", [row["campaign_id"] for row in shown]))

    def _track_spins(self, track: Track) -> int:
        """The spins of a track."""
        return len(self._plays_by_track.get(track["id"], {}))

    def _hour_music(self, hour: Hour) -> int:
        """The music of a hour."""
        return sum(self.tracks[p["track_id"]]["seconds"] for p in self._plays_by_hour.get(hour["id"], {}).values())

    def _hour_missing(self, hour: Hour) -> int:
        """The missing of a hour."""
        return (
            self.hour_clocks[hour["layout_id"]]["power"]
            + self.hour_clocks[hour["layout_id"]]["current"]
            + self.hour_clocks[hour["layout_id"]]["gold"]
            - len(self._plays_by_hour.get(hour["id"], {}))
        )

    def _ad_break_sold(self, ad_break: AdBreak) -> int:
        """The sold of an ad break."""
        return sum(
            self.campaigns[x["campaign_id"]]["seconds"]
            for x in self._airings_by_slot.get(ad_break["id"], {}).values()
        )

    def _ad_break_left(self, ad_break: AdBreak) -> int:
        """The left of an ad break."""
        return (
            self.hour_clocks[self.hours[ad_break["hour_id"]]["layout_id"]]["break_seconds"]
            - self._ad_break_sold(ad_break)
        )

    def _campaign_placed(self, campaign: Campaign) -> int:
        """The placed of a campaign."""
        return len(self._airings_by_campaign.get(campaign["id"], {}))

    def _resting(self, t: Track, d: str) -> bool:
        return (
            t["rests_from"] is not None
            and t["rests_until"] is not None
            and (t["rests_from"] <= d and d < t["rests_until"])
        )

    def _gap(self, kind: str) -> int:
        return 180 if kind == "power" else 360 if kind == "current" else 1440

    def _places(self, h: Hour, kind: str) -> int:
        return (
            self.hour_clocks[h["layout_id"]]["power"]
            if kind == "power"
            else self.hour_clocks[h["layout_id"]]["current"]
            if kind == "current"
            else self.hour_clocks[h["layout_id"]]["gold"]
            if kind == "gold"
            else 0
        )

    def _of_kind(self, h: Hour, kind: str, gone: Play | None) -> int:
        return sum(1 for p in self._plays_by_hour_kind.get((h["id"], kind), {}).values() if p is not gone)

    def _same_artist(self, h: Hour, t: Track, gone: Play | None) -> Play | None:
        return next(
            (
                p
                for p in sorted(
                    [
                        p
                        for _track in self._tracks_by_artist.get(t["artist_id"], {}).values()
                        for p in self._plays_by_track.get(_track["id"], {}).values()
                    ],
                    key=_age,
                )
                if p is not gone
                and abs(_minutes_between(h["starts"], self.hours[p["hour_id"]]["starts"])) < 120
            ),
            None,
        )

    def _too_soon(self, h: Hour, t: Track, gone: Play | None) -> Play | None:
        return next(
            (
                p
                for p in sorted(self._plays_by_track.get(t["id"], {}).values(), key=_age)
                if p is not gone
                and abs(
                    _minutes_between(h["starts"], self.hours[p["hour_id"]]["starts"])
                ) < max(self._gap(t["rotation"]), self._gap(p["kind"]))
            ),
            None,
        )

    def _music_without(self, h: Hour, gone: Play | None) -> int:
        return sum(
            self.tracks[p["track_id"]]["seconds"]
            for p in self._plays_by_hour.get(h["id"], {}).values()
            if p is not gone
        )

    def _fits(self, h: Hour, t: Track, gone: Play | None) -> bool:
        return (
            not self._resting(t, h["starts"][:10])
            and (self.hour_clocks[h["layout_id"]]["explicit_allowed"] or not t["explicit"])
            and self._of_kind(h, t["rotation"], gone) < self._places(h, t["rotation"])
            and self._music_without(h, gone) + t["seconds"] <= self.hour_clocks[h["layout_id"]]["music_limit"]
            and self._same_artist(h, t, gone) is None
            and self._too_soon(h, t, gone) is None
        )

    def _rival(self, b: AdBreak, c: Campaign, gone: Airing | None) -> Airing | None:
        return next(
            (
                x
                for x in sorted(self._airings_by_slot.get(b["id"], {}).values(), key=_age)
                if x is not gone
                and self.campaigns[x["campaign_id"]]["trade"] == c["trade"]
                and x["campaign_id"] != c["id"]
            ),
            None,
        )

    def _heard(self, h: Hour, c: Campaign, gone: Airing | None) -> bool:
        return any(
            x is not gone
            for x in self._airings_by_campaign.get(c["id"], {}).values()
            if self.ad_breaks[x["slot_id"]]["hour_id"] == h["id"]
        )

    def _takes(self, b: AdBreak, c: Campaign, gone: Airing | None) -> bool:
        return (
            self.hours[b["hour_id"]]["status"] == "open"
            and self.hours[b["hour_id"]]["starts"] > self.now
            and (
                c["runs_from"] <= self.hours[b["hour_id"]]["starts"][:10]
                and self.hours[b["hour_id"]]["starts"][:10] <= c["runs_to"]
            )
            and self._ad_break_left(b) >= c["seconds"]
            and self._rival(b, c, gone) is None
            and not self._heard(self.hours[b["hour_id"]], c, gone)
        )

    def _breaks_rule_1_a(self, a: Play) -> bool:
        """Whether this is broken: two songs of one artist start at least two clock hours apart."""
        return any(
            abs(_minutes_between(self.hours[b["hour_id"]]["starts"], self.hours[a["hour_id"]]["starts"])) < 120
            for _track in self._tracks_by_artist.get(self.tracks[a["track_id"]]["artist_id"], {}).values()
            for b in self._plays_by_track.get(_track["id"], {}).values()
            if a is not b
        )

    def _breaks_rule_1_b(self, b: Play) -> bool:
        """Whether this is broken: two songs of one artist start at least two clock hours apart."""
        return any(
            abs(_minutes_between(self.hours[b["hour_id"]]["starts"], self.hours[a["hour_id"]]["starts"])) < 120
            for _track in self._tracks_by_artist.get(self.tracks[b["track_id"]]["artist_id"], {}).values()
            for a in self._plays_by_track.get(_track["id"], {}).values()
            if a is not b
        )

    def _breaks_rule_2_a(self, a: Play) -> bool:
        """Whether this is broken: a song comes back only after the rest of its rotation, three hours for power, six
        for current and a day for gold.
        """
        return any(
            abs(
                _minutes_between(self.hours[b["hour_id"]]["starts"], self.hours[a["hour_id"]]["starts"])
            ) < self._gap(a["kind"])
            for b in self._plays_by_track.get(a["track_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_2_b(self, b: Play) -> bool:
        """Whether this is broken: a song comes back only after the rest of its rotation, three hours for power, six
        for current and a day for gold.
        """
        return any(
            abs(
                _minutes_between(self.hours[b["hour_id"]]["starts"], self.hours[a["hour_id"]]["starts"])
            ) < self._gap(a["kind"])
            for a in self._plays_by_track.get(b["track_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_3(self, p: Play) -> bool:
        """Whether this is broken: an hour never has more songs of a rotation than its clock, and none from the
        library.
        """
        return self._of_kind(
            self.hours[p["hour_id"]],
            p["kind"],
            None,
        ) > self._places(self.hours[p["hour_id"]], p["kind"])

    def _breaks_rule_4(self, h: Hour) -> bool:
        """Whether this is broken: the music of an hour stays within the limit of its clock."""
        return self._hour_music(h) > self.hour_clocks[h["layout_id"]]["music_limit"]

    def _breaks_rule_5(self, p: Play) -> bool:
        """Whether this is broken: explicit songs run only in hours whose clock allows them."""
        return (
            not self.hour_clocks[self.hours[p["hour_id"]]["layout_id"]]["explicit_allowed"]
            and self.tracks[p["track_id"]]["explicit"]
        )

    def _breaks_rule_6(self, p: Play) -> bool:
        """Whether this is broken: a song that rests is not played."""
        return self._resting(self.tracks[p["track_id"]], self.hours[p["hour_id"]]["starts"][:10])

    def _breaks_rule_7(self, h: Hour) -> bool:
        """Whether this is broken: a locked hour has every song of its clock."""
        return h["status"] == "locked" and self._hour_missing(h) != 0

    def _breaks_rule_8(self, x: Airing) -> bool:
        """Whether this is broken: rival brands, that is brands of one trade, never meet in a break."""
        return any(
            other_x is not x
            for other_x in self._airings_by_slot.get(x["slot_id"], {}).values()
            if self.campaigns[other_x["campaign_id"]]["trade"] == self.campaigns[x["campaign_id"]]["trade"]
        )

    def _breaks_rule_9(self, x: Airing) -> bool:
        """Whether this is broken: a brand is heard at most once an hour."""
        return any(
            other_x is not x
            for other_x in self._airings_by_campaign.get(x["campaign_id"], {}).values()
            if self.ad_breaks[other_x["slot_id"]]["hour_id"] == self.ad_breaks[x["slot_id"]]["hour_id"]
        )

    def _breaks_rule_10(self, b: AdBreak) -> bool:
        """Whether this is broken: a break is never oversold."""
        return self._ad_break_left(b) < 0

    def _breaks_rule_11(self, c: Campaign) -> bool:
        """Whether this is broken: no campaign gets more airings than were ordered."""
        return self._campaign_placed(c) > c["ordered"]

    def _breaks_rule_12(self, x: Airing) -> bool:
        """Whether this is broken: spots run on the days of their campaign."""
        return (
            self.campaigns[x["campaign_id"]]["runs_from"] > self.hours[
                self.ad_breaks[x["slot_id"]]["hour_id"]
            ]["starts"][:10]
            or self.hours[
                self.ad_breaks[x["slot_id"]]["hour_id"]
            ]["starts"][:10] > self.campaigns[x["campaign_id"]]["runs_to"]
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
            case "tracks":
                self._tracks_by_artist.setdefault(record["artist_id"], {})[record["id"]] = record
            case "hours":
                self._hours_by_starts.setdefault(record["starts"], {})[record["id"]] = record
            case "plays":
                self._plays_by_hour.setdefault(record["hour_id"], {})[record["id"]] = record
                self._plays_by_hour_kind.setdefault((record["hour_id"], record["kind"]), {})[record["id"]] = record
                self._plays_by_track.setdefault(record["track_id"], {})[record["id"]] = record
            case "campaigns":
                self._campaigns_by_brand.setdefault(record["brand"], {})[record["id"]] = record
                self._campaigns_by_lower_brand.setdefault(record["brand"].lower(), {})[record["id"]] = record
            case "airings":
                self._airings_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record
                self._airings_by_slot.setdefault(record["slot_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tracks":
                del self._tracks_by_artist[record["artist_id"]][record["id"]]
            case "hours":
                del self._hours_by_starts[record["starts"]][record["id"]]
            case "plays":
                del self._plays_by_hour[record["hour_id"]][record["id"]]
                del self._plays_by_hour_kind[record["hour_id"], record["kind"]][record["id"]]
                del self._plays_by_track[record["track_id"]][record["id"]]
            case "campaigns":
                del self._campaigns_by_brand[record["brand"]][record["id"]]
                del self._campaigns_by_lower_brand[record["brand"].lower()][record["id"]]
            case "airings":
                del self._airings_by_campaign[record["campaign_id"]][record["id"]]
                del self._airings_by_slot[record["slot_id"]][record["id"]]
