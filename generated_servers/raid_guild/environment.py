"""Raid guild. Compiled from blueprint.yaml; run `envscaler build raid_guild` after changing it there.

Runs the raid nights of a game guild, from sign-up and roster with roles and a bench to boss kills, weekly lock-
outs, loot paid in points and attendance.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A member has one character in a night at most.",
    "No more characters raid than the raid has room for.",
    "A roster that is ready or under way has the tanks and healers that the raid needs.",
    "A character kills bosses of the same raid in one night of a week only.",
    "Nobody raids below the item level of the raid.",
    "A raid has no more kills in a night than bosses, and none before it is under way.",
    "Nothing drops in a raid that belongs to another one.",
    "Loot is wanted by characters who can use it, each once, of one member each.",
    "Awarded loot went to somebody who wanted it and was paid, and other loot has neither winner nor price.",
    "Nobody has less than no points.",
    "A night that is over has no open loot.",
    "A night is paid once to each member.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sign_up",
    "roster_place",
    "bench_place",
    "close_roster",
    "swap_places",
    "note_absence",
    "kill_boss",
    "want_item",
    "award_drop",
    "end_night",
    "plan_night",
    "call_off",
    "decay_points",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "members": ("name",),
    "characters": ("name",),
    "raids": ("name",),
    "items": ("name",),
    "nights": ("name",),
    "places": (),
    "drops": (),
    "point_entries": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("drops", "night_id"),
    ("drops", "status"),
    ("nights", "name"),
    ("nights", "starts_at"),
    ("places", "character_id"),
    ("places", "night_id"),
    ("places", "status"),
    ("point_entries", "kind"),
    ("point_entries", "member_id"),
    ("point_entries", "night_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Member(TypedDict):
    id: str
    name: str
    joined_on: str
    rank: Literal["trial", "raider", "officer"]


class Character(TypedDict):
    id: str
    name: str
    member_id: str
    calling: Literal["tank", "healer", "melee", "caster"]
    item_level: int


class Raid(TypedDict):
    id: str
    name: str
    size: int
    tanks: int
    healers: int
    bosses: int
    from_level: int


class Item(TypedDict):
    id: str
    name: str
    raid_id: str
    price: int
    fits: list[Literal["tank", "healer", "melee", "caster"]]


class Night(TypedDict):
    id: str
    name: str
    raid_id: str
    starts_at: str
    bosses_down: int
    status: Literal["planned", "ready", "called_off", "under_way", "over"]


class Place(TypedDict):
    id: str
    night_id: str
    character_id: str
    status: Literal["signed", "in", "benched", "excused", "missing"]


class Drop(TypedDict):
    id: str
    item_id: str
    night_id: str
    boss: int
    wanted_by_ids: list[str]
    winner_id: str | None
    paid: int | None
    status: Literal["open", "awarded", "shattered"]


class PointEntry(TypedDict):
    id: str
    member_id: str
    amount: int
    kind: Literal["brought_over", "raided", "sat_on_bench", "loot", "absence", "decay"]
    night_id: str | None
    booked_on: str


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


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


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


class RaidGuild:
    """Runs the raid nights of a game guild, from sign-up and roster with roles and a bench to boss kills,
    weekly lock-outs, loot paid in points and attendance.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.characters: dict[str, Character] = _copied(config.get("characters", {}))
        self.raids: dict[str, Raid] = _copied(config.get("raids", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.nights: dict[str, Night] = _copied(config.get("nights", {}))
        self.places: dict[str, Place] = _copied(config.get("places", {}))
        self.drops: dict[str, Drop] = _copied(config.get("drops", {}))
        self.point_entries: dict[str, PointEntry] = _copied(config.get("point_entries", {}))
        self.now: str = config.get("now", "2026-09-16T18:00")
        self.counters: dict[str, int] = {
            "member": len(self.members),
            "character": len(self.characters),
            "raid": len(self.raids),
            "item": len(self.items),
            "night": len(self.nights),
            "place": len(self.places),
            "drop": len(self.drops),
            "point_entry": len(self.point_entries),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._nights_by_name: dict[Any, dict[str, Night]] = {}
        self._nights_by_starts_at: dict[Any, dict[str, Night]] = {}
        self._places_by_character_status: dict[Any, dict[str, Place]] = {}
        self._places_by_night: dict[Any, dict[str, Place]] = {}
        self._places_by_night_status: dict[Any, dict[str, Place]] = {}
        self._drops_by_night: dict[Any, dict[str, Drop]] = {}
        self._drops_by_night_status: dict[Any, dict[str, Drop]] = {}
        self._point_entries_by_member: dict[Any, dict[str, PointEntry]] = {}
        self._point_entries_by_member_kind_night: dict[Any, dict[str, PointEntry]] = {}
        for night in self.nights.values():
            self._link("nights", night)
        for place in self.places.values():
            self._link("places", place)
        for drop in self.drops.values():
            self._link("drops", drop)
        for point_entry in self.point_entries.values():
            self._link("point_entries", point_entry)

    def free_to_raid(
        self,
        night_id: str,
        calling: Literal["tank", "healer", "melee", "caster"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Characters that could still be signed up for a night, the highest item level first.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.
            calling (str, optional): Role of the characters: tank, healer, melee or caster. If left out, characters
                of all roles are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "characters": records}} or {"success": False, "error":
                why not}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        found = [
            c
            for c in self.characters.values()
            if (
                c["item_level"] >= self.raids[night["raid_id"]]["from_level"]
                and self._place_of(self.members[c["member_id"]], night) is None
                and self._bound(c, night) is None
            )
            and (calling is None or c["calling"] == calling)
        ]
        found.sort(key=lambda c: (-c["item_level"], c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "characters": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "member": self.members[c["member_id"]]["name"],
                        "calling": c["calling"],
                        "item_level": c["item_level"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_members(
        self,
        name: Text | None = None,
        rank: Literal["trial", "raider", "officer"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            rank (str, optional): Only members with this rank.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (rank is None or member["rank"] == rank)
        ]
        return _found(
            {"total": len(found), "members": [self._show_member(member) for member in _page(found, offset)]}
        )

    def list_characters(
        self,
        name: Text | None = None,
        member_id: str | None = None,
        calling: Literal["tank", "healer", "melee", "caster"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the characters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only characters whose name contains this text.
            member_id (str, optional): Only characters of this member.
            calling (str, optional): Only characters with this calling.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "characters": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            character
            for character in self.characters.values()
            if (name is None or name.casefold() in character["name"].casefold())
            and (member_id is None or character["member_id"] == member_id)
            and (calling is None or character["calling"] == calling)
        ]
        shown = [{**character} for character in _page(found, offset)]
        return _found({"total": len(found), "characters": shown}, self._names_of_characters(shown))

    def list_raids(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the raids, oldest first, all of them or only some.

        Args:
            name (str, optional): Only raids whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "raids": records}}
        """
        found = [raid for raid in self.raids.values() if (name is None or name.casefold() in raid["name"].casefold())]
        return _found({"total": len(found), "raids": [{**raid} for raid in _page(found, offset)]})

    def list_items(
        self,
        name: Text | None = None,
        raid_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            name (str, optional): Only items whose name contains this text.
            raid_id (str, optional): Only items of this raid.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if raid_id is not None and raid_id not in self.raids:
            return _refused(f"There is no raid {raid_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (name is None or name.casefold() in item["name"].casefold())
            and (raid_id is None or item["raid_id"] == raid_id)
        ]
        shown = [self._show_item(item) for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_nights(
        self,
        name: Text | None = None,
        raid_id: str | None = None,
        status: Literal["planned", "ready", "called_off", "under_way", "over"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the nights, oldest first, all of them or only some.

        Args:
            name (str, optional): Only nights whose name contains this text.
            raid_id (str, optional): Only nights of this raid.
            status (str, optional): Only nights with this status.
            starts_at_from (str, optional): Only nights whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only nights whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nights": records}}
        """
        if raid_id is not None and raid_id not in self.raids:
            return _refused(f"There is no raid {raid_id!r}.")
        found = [
            night
            for night in self.nights.values()
            if (name is None or name.casefold() in night["name"].casefold())
            and (raid_id is None or night["raid_id"] == raid_id)
            and (status is None or night["status"] == status)
            and (starts_at_from is None or night["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or night["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_night(night) for night in _page(found, offset)]
        return _found({"total": len(found), "nights": shown}, self._names_of_nights(shown))

    def list_places(
        self,
        night_id: str | None = None,
        character_id: str | None = None,
        status: Literal["signed", "in", "benched", "excused", "missing"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the places, oldest first, all of them or only some.

        Args:
            night_id (str, optional): Only places of this night.
            character_id (str, optional): Only places of this character.
            status (str, optional): Only places with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "places": records}}
        """
        if night_id is not None and night_id not in self.nights:
            return _refused(f"There is no night {night_id!r}.")
        if character_id is not None and character_id not in self.characters:
            return _refused(f"There is no character {character_id!r}.")
        found = [
            place
            for place in self.places.values()
            if (night_id is None or place["night_id"] == night_id)
            and (character_id is None or place["character_id"] == character_id)
            and (status is None or place["status"] == status)
        ]
        shown = [{**place} for place in _page(found, offset)]
        return _found({"total": len(found), "places": shown}, self._names_of_places(shown))

    def list_drops(
        self,
        item_id: str | None = None,
        night_id: str | None = None,
        winner_id: str | None = None,
        status: Literal["open", "awarded", "shattered"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drops, oldest first, all of them or only some.

        Args:
            item_id (str, optional): Only drops of this item.
            night_id (str, optional): Only drops of this night.
            winner_id (str, optional): Only drops whose winner is this character.
            status (str, optional): Only drops with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drops": records}}
        """
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        if night_id is not None and night_id not in self.nights:
            return _refused(f"There is no night {night_id!r}.")
        if winner_id is not None and winner_id not in self.characters:
            return _refused(f"There is no character {winner_id!r}.")
        found = [
            drop
            for drop in self.drops.values()
            if (item_id is None or drop["item_id"] == item_id)
            and (night_id is None or drop["night_id"] == night_id)
            and (winner_id is None or drop["winner_id"] == winner_id)
            and (status is None or drop["status"] == status)
        ]
        shown = [self._show_drop(drop) for drop in _page(found, offset)]
        return _found({"total": len(found), "drops": shown}, self._names_of_drops(shown))

    def list_point_entries(
        self,
        member_id: str | None = None,
        kind: Literal["brought_over", "raided", "sat_on_bench", "loot", "absence", "decay"] | None = None,
        night_id: str | None = None,
        booked_on_from: Date | None = None,
        booked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the point entries, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only point entries of this member.
            kind (str, optional): Only point entries with this kind.
            night_id (str, optional): Only point entries of this night.
            booked_on_from (str, optional): Only point entries whose `booked_on` is on this day or later.
            booked_on_to (str, optional): Only point entries whose `booked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "point_entries": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if night_id is not None and night_id not in self.nights:
            return _refused(f"There is no night {night_id!r}.")
        found = [
            point_entry
            for point_entry in self.point_entries.values()
            if (member_id is None or point_entry["member_id"] == member_id)
            and (kind is None or point_entry["kind"] == kind)
            and (night_id is None or point_entry["night_id"] == night_id)
            and (booked_on_from is None or point_entry["booked_on"] >= booked_on_from)
            and (booked_on_to is None or point_entry["booked_on"] <= booked_on_to)
        ]
        shown = [{**point_entry} for point_entry in _page(found, offset)]
        return _found({"total": len(found), "point_entries": shown}, self._names_of_point_entries(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sign_up(self, night_id: str, character_id: str) -> Result:
        """Sign a character up for a planned or ready night.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.
            character_id (str): Id of the character, such as CHARACTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        character = self.characters.get(character_id)
        if character is None:
            return _refused(f"There is no character {character_id!r}.")
        if night["status"] not in ("planned", "ready"):
            return _refused(f"{night['name']} is {night['status']}.")
        if night["starts_at"] <= self.now:
            return _refused(f"{night['name']} began at {night['starts_at']}.")
        other = self._place_of(self.members[character["member_id"]], night)
        if other is not None:
            return _refused(
                f"{self.members[character['member_id']]['name']} is down for {night['name']} with "
                f"{self.characters[other['character_id']]['name']} already."
            )
        if character["item_level"] < self.raids[night["raid_id"]]["from_level"]:
            return _refused(
                f"{self.raids[night['raid_id']]['name']} asks for item level "
                f"{self.raids[night['raid_id']]['from_level']}, and {character['name']} has "
                f"{character['item_level']}."
            )
        earlier = self._bound(character, night)
        if earlier is not None:
            return _refused(
                f"{character['name']} is locked out of {self.raids[night['raid_id']]['name']} this week since "
                f"{earlier['name']}."
            )
        self._journal = []
        place: Place = {
            "id": self._new_id("place", "PLACE", self.places),
            "night_id": night_id,
            "character_id": character_id,
            "status": "signed",
        }
        self._add("places", place)
        if self._breaks_rule_1(place):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.nights[place["night_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.nights[place["night_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(place):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(place):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: sign {character['name']} up for {night['name']} (new: place {place['id']}).",
            "data": {"place_id": place["id"], **self._changes()},
        }

    def roster_place(self, place_id: str) -> Result:
        """Put a signed or benched character on the roster of a planned night.

        Args:
            place_id (str): Id of the place, such as PLACE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        place = self.places.get(place_id)
        if place is None:
            return _refused(f"There is no place {place_id!r}.")
        night = self.nights[place["night_id"]]
        if night["status"] != "planned":
            return _refused(f"The roster of {night['name']} is closed; swap places instead.")
        if place["status"] not in ("signed", "benched"):
            return _refused(f"{self.characters[place['character_id']]['name']} is {place['status']}.")
        if self.characters[place["character_id"]]["item_level"] < self.raids[night["raid_id"]]["from_level"]:
            return _refused(
                f"{self.raids[night['raid_id']]['name']} asks for item level "
                f"{self.raids[night['raid_id']]['from_level']}."
            )
        if self._night_filled(night) >= self.raids[night["raid_id"]]["size"]:
            return _refused(f"{night['name']} is full with {self._night_filled(night)}; bench somebody first.")
        earlier = self._bound(self.characters[place["character_id"]], night)
        if earlier is not None:
            return _refused(
                f"{self.characters[place['character_id']]['name']} is locked out of "
                f"{self.raids[night['raid_id']]['name']} this week since {earlier['name']}."
            )
        self._journal = []
        self._put("places", place, "status", "in")
        if self._breaks_rule_1(place):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.nights[place["night_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.nights[place["night_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(place):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(place):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: put {self.characters[place['character_id']]['name']} on the roster of "
                f"{self.nights[place['night_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def bench_place(self, place_id: str) -> Result:
        """Put a character of a planned night on the bench.

        Args:
            place_id (str): Id of the place, such as PLACE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        place = self.places.get(place_id)
        if place is None:
            return _refused(f"There is no place {place_id!r}.")
        if self.nights[place["night_id"]]["status"] != "planned":
            return _refused(f"The roster of {self.nights[place['night_id']]['name']} is closed; swap places instead.")
        if place["status"] not in ("signed", "in"):
            return _refused(f"{self.characters[place['character_id']]['name']} is {place['status']}.")
        self._journal = []
        self._put("places", place, "status", "benched")
        if self._breaks_rule_1(place):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.nights[place["night_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.nights[place["night_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(place):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(place):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: bench {self.characters[place['character_id']]['name']} for "
                f"{self.nights[place['night_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_roster(self, night_id: str) -> Result:
        """Close the roster of a planned night, on the day before or later, when it has its tanks and healers; whoever
        is only signed up goes on the bench.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        if night["status"] != "planned":
            return _refused(f"{night['name']} is {night['status']}.")
        if night["starts_at"][:10] > _plus_days(self.now[:10], 1):
            return _refused(
                f"{night['name']} is on {night['starts_at'][:10]}, and rosters are closed on the day before at "
                "the earliest."
            )
        if self._seats(night, "tank") < self.raids[night["raid_id"]]["tanks"]:
            return _refused(
                f"{night['name']} has {self._seats(night, 'tank')} of {self.raids[night['raid_id']]['tanks']} tanks."
            )
        if self._seats(night, "healer") < self.raids[night["raid_id"]]["healers"]:
            return _refused(
                f"{night['name']} has {self._seats(night, 'healer')} of {self.raids[night['raid_id']]['healers']} "
                "healers."
            )
        if self._night_filled(night) * 2 <= self.raids[night["raid_id"]]["size"]:
            return _refused(f"{self._night_filled(night)} are too few for {self.raids[night['raid_id']]['name']}.")
        self._journal = []
        changed_places: list[Any] = []
        for p in sorted(self._places_by_night_status.get((night_id, "signed"), {}).values(), key=_age):
            if p["status"] not in ("signed", "in", "benched"):
                return self._take_back(f"Place {p['id']} cannot go from {p['status']} to benched.")
            changed_places.append(p)
            self._put("places", p, "status", "benched")
        self._put("nights", night, "status", "ready")
        for one_place in _distinct(changed_places):
            if self._breaks_rule_1(one_place):
                return self._take_back(RULES[0])
        for one_night in _distinct([self.nights[one["night_id"]] for one in changed_places]):
            if self._breaks_rule_2(one_night):
                return self._take_back(RULES[1])
        for one_night in _distinct([night, *[self.nights[one["night_id"]] for one in changed_places]]):
            if self._breaks_rule_3(one_night):
                return self._take_back(RULES[2])
        for one_place in _distinct(changed_places):
            if self._breaks_rule_4(one_place):
                return self._take_back(RULES[3])
        for one_place in _distinct(changed_places):
            if self._breaks_rule_5(one_place):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(night):
            return self._take_back(RULES[5])
        for one_drop in _distinct(self._drops_by_night_status.get((night["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_drop):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: close the roster of {night['name']}.", "data": self._changes()}

    def swap_places(self, leaving_id: str, coming_id: str) -> Result:
        """Exchange somebody on a closed roster for somebody on its bench.

        Args:
            leaving_id (str): Place on the roster that moves to the bench; an id such as PLACE-00001.
            coming_id (str): Benched place of the same night that moves onto the roster; an id such as PLACE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leaving = self.places.get(leaving_id)
        if leaving is None:
            return _refused(f"There is no place {leaving_id!r}.")
        coming = self.places.get(coming_id)
        if coming is None:
            return _refused(f"There is no place {coming_id!r}.")
        night = self.nights[leaving["night_id"]]
        if coming["night_id"] != night["id"]:
            return _refused(f"{self.characters[coming['character_id']]['name']} is on the bench of another night.")
        if night["status"] not in ("ready", "under_way"):
            return _refused(f"{night['name']} is {night['status']}.")
        if leaving["status"] != "in":
            return _refused(
                f"{self.characters[leaving['character_id']]['name']} is {leaving['status']}, not on the roster."
            )
        if coming["status"] != "benched":
            return _refused(
                f"{self.characters[coming['character_id']]['name']} is {coming['status']}, not on the bench."
            )
        earlier = self._bound(self.characters[coming["character_id"]], night)
        if earlier is not None:
            return _refused(
                f"{self.characters[coming['character_id']]['name']} is locked out of "
                f"{self.raids[night['raid_id']]['name']} this week since {earlier['name']}."
            )
        if (
            self.characters[leaving["character_id"]]["calling"] == "tank"
            and self.characters[coming["character_id"]]["calling"] != "tank"
            and self._seats(night, "tank") <= self.raids[night["raid_id"]]["tanks"]
        ):
            return _refused(
                f"{night['name']} needs {self.raids[night['raid_id']]['tanks']} tanks, so a tank must come in."
            )
        if (
            self.characters[leaving["character_id"]]["calling"] == "healer"
            and self.characters[coming["character_id"]]["calling"] != "healer"
            and self._seats(night, "healer") <= self.raids[night["raid_id"]]["healers"]
        ):
            return _refused(
                f"{night['name']} needs {self.raids[night['raid_id']]['healers']} healers, so a healer must come in."
            )
        self._journal = []
        self._put("places", leaving, "status", "benched")
        if coming["status"] not in ("signed", "in", "benched"):
            return self._take_back(f"Place {coming['id']} cannot go from {coming['status']} to in.")
        self._put("places", coming, "status", "in")
        if self._breaks_rule_1(leaving):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(coming):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.nights[leaving["night_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.nights[coming["night_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.nights[leaving["night_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(self.nights[coming["night_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(leaving):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(coming):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(leaving):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(coming):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: swap {self.characters[coming['character_id']]['name']} in for "
                f"{self.characters[leaving['character_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def note_absence(self, place_id: str, excuse: bool) -> Result:
        """Note that somebody does not come; without an excuse it costs up to 15 points.

        Args:
            place_id (str): Id of the place, such as PLACE-00001.
            excuse (bool): Whether the absence is excused and costs no points.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        place = self.places.get(place_id)
        if place is None:
            return _refused(f"There is no place {place_id!r}.")
        night = self.nights[place["night_id"]]
        if night["status"] not in ("planned", "ready", "under_way"):
            return _refused(f"{night['name']} is {night['status']}.")
        if not self._counts(place):
            return _refused(f"{self.characters[place['character_id']]['name']} is {place['status']}.")
        if not (excuse or place["status"] != "benched"):
            return _refused("Who sits on the bench is not missed; note an excuse.")
        if (
            place["status"] == "in"
            and night["status"] != "planned"
            and self.characters[place["character_id"]]["calling"] == "tank"
            and self._seats(night, "tank") <= self.raids[night["raid_id"]]["tanks"]
        ):
            return _refused(
                f"{night['name']} needs {self.raids[night['raid_id']]['tanks']} tanks, so swap another one in first."
            )
        if (
            place["status"] == "in"
            and night["status"] != "planned"
            and self.characters[place["character_id"]]["calling"] == "healer"
            and self._seats(night, "healer") <= self.raids[night["raid_id"]]["healers"]
        ):
            return _refused(
                f"{night['name']} needs {self.raids[night['raid_id']]['healers']} healers, so swap another one in "
                "first."
            )
        fine = min(15, self._member_points(self.members[self.characters[place["character_id"]]["member_id"]]))
        self._journal = []
        changed_places: list[Any] = []
        added_point_entries: list[Any] = []
        if excuse:
            if place["status"] not in ("signed", "in", "benched", "excused"):
                return self._take_back(f"Place {place['id']} cannot go from {place['status']} to excused.")
            changed_places.append(place)
            self._put("places", place, "status", "excused")
        else:
            if place["status"] not in ("signed", "in", "missing"):
                return self._take_back(f"Place {place['id']} cannot go from {place['status']} to missing.")
            changed_places.append(place)
            self._put("places", place, "status", "missing")
            amount = -fine
            if not -1000 <= amount <= 1000:
                return self._take_back("The amount of a point entry must be between -1000 and 1000.")
            point_entry = {
                "id": self._new_id("point_entry", "PE", self.point_entries),
                "member_id": self.characters[place["character_id"]]["member_id"],
                "amount": amount,
                "kind": "absence",
                "night_id": night["id"],
                "booked_on": self.now[:10],
            }
            self._add("point_entries", point_entry)
            added_point_entries.append(point_entry)
        for one_place in _distinct(changed_places):
            if self._breaks_rule_1(one_place):
                return self._take_back(RULES[0])
        for one_night in _distinct([self.nights[one["night_id"]] for one in changed_places]):
            if self._breaks_rule_2(one_night):
                return self._take_back(RULES[1])
        for one_night in _distinct([self.nights[one["night_id"]] for one in changed_places]):
            if self._breaks_rule_3(one_night):
                return self._take_back(RULES[2])
        for one_place in _distinct(changed_places):
            if self._breaks_rule_4(one_place):
                return self._take_back(RULES[3])
        for one_place in _distinct(changed_places):
            if self._breaks_rule_5(one_place):
                return self._take_back(RULES[4])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_point_entries]):
            if self._breaks_rule_10(one_member):
                return self._take_back(RULES[9])
        for one_point_entry in _distinct(added_point_entries):
            if self._breaks_rule_12(one_point_entry):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note the absence of {self.characters[place['character_id']]['name']}.",
            "data": self._changes(),
        }

    def kill_boss(self, night_id: str, item_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Enter the kill of the following boss of a night, with what it dropped.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.
            item_ids (list): Items of this raid that the boss dropped, three at most: ids of items, such as
                ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        items = []
        for key in item_ids:
            if key not in self.items:
                return _refused(f"There is no item {key!r}.")
            items.append(self.items[key])
        if night["status"] not in ("ready", "under_way"):
            return _refused(f"{night['name']} is {night['status']}.")
        if night["starts_at"][:10] > self.now[:10]:
            return _refused(f"{night['name']} begins at {night['starts_at']}.")
        if night["bosses_down"] >= self.raids[night["raid_id"]]["bosses"]:
            return _refused(
                f"All {self.raids[night['raid_id']]['bosses']} bosses of {self.raids[night['raid_id']]['name']} "
                "are down."
            )
        if not (_different([i["id"] for i in items]) and len(items) <= 3):
            return _refused("A boss drops up to three different items.")
        if not all(i["raid_id"] == night["raid_id"] for i in items):
            return _refused(f"One of these items does not drop in {self.raids[night['raid_id']]['name']}.")
        barred = next(
            (c for c in self._crew(night) if night["bosses_down"] == 0 and self._bound(c, night) is not None),
            None,
        )
        if barred is not None:
            return _refused(
                f"{barred['name']} is locked out of {self.raids[night['raid_id']]['name']} this week; swap them "
                "out first."
            )
        self._journal = []
        changed_nights: list[Any] = []
        added_drops: list[Any] = []
        bosses_down = night["bosses_down"] + 1
        if not 0 <= bosses_down <= 10:
            return self._take_back(f"The bosses down of {night['name']} must be between 0 and 10.")
        self._put("nights", night, "bosses_down", bosses_down)
        if night["status"] == "ready":
            changed_nights.append(night)
            self._put("nights", night, "status", "under_way")
        for i in sorted(items, key=lambda i: (i["name"], _age(i))):
            boss = night["bosses_down"]
            if not 1 <= boss <= 10:
                return self._take_back("The boss of a drop must be between 1 and 10.")
            drop = {
                "id": self._new_id("drop", "DROP", self.drops),
                "item_id": i["id"],
                "night_id": night_id,
                "boss": boss,
                "wanted_by_ids": [record["id"] for record in []],
                "winner_id": None,
                "paid": None,
                "status": "open",
            }
            self._add("drops", drop)
            added_drops.append(drop)
        for one_night in _distinct(changed_nights):
            if self._breaks_rule_3(one_night):
                return self._take_back(RULES[2])
        for one_place in _distinct(self._places_by_night_status.get((night["id"], "in"), {}).values()):
            if self._breaks_rule_4(one_place):
                return self._take_back(RULES[3])
        for one_night in _distinct([night, *changed_nights]):
            if self._breaks_rule_6(one_night):
                return self._take_back(RULES[5])
        for one_drop in _distinct([*self._drops_by_night.get(night["id"], {}).values(), *added_drops]):
            if self._breaks_rule_7(one_drop):
                return self._take_back(RULES[6])
        for one_drop in _distinct(added_drops):
            if self._breaks_rule_8(one_drop):
                return self._take_back(RULES[7])
        for one_drop in _distinct(added_drops):
            if self._breaks_rule_9(one_drop):
                return self._take_back(RULES[8])
        for one_drop in _distinct(
            [
                *[
                    user
                    for one in changed_nights
                    for user in self._drops_by_night_status.get((one["id"], "open"), {}).values()
                ],
                *added_drops,
            ]
        ):
            if self._breaks_rule_11(one_drop):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: enter a kill in {night['name']}.", "data": self._changes()}

    def want_item(self, drop_id: str, character_id: str) -> Result:
        """Note that a character on the roster wants an item that has dropped.

        Args:
            drop_id (str): Id of the drop, such as DROP-00001.
            character_id (str): Id of the character, such as CHARACTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drop = self.drops.get(drop_id)
        if drop is None:
            return _refused(f"There is no drop {drop_id!r}.")
        character = self.characters.get(character_id)
        if character is None:
            return _refused(f"There is no character {character_id!r}.")
        if drop["status"] != "open":
            return _refused(f"{self.items[drop['item_id']]['name']} is {drop['status']}.")
        if character not in self._crew(self.nights[drop["night_id"]]):
            return _refused(f"{character['name']} was not on the roster of {self.nights[drop['night_id']]['name']}.")
        if character["calling"] not in self.items[drop["item_id"]]["fits"]:
            return _refused(f"{self.items[drop['item_id']]['name']} is of no use to a {character['calling']}.")
        if character_id in drop["wanted_by_ids"]:
            return _refused(f"{character['name']} has asked for it already.")
        self._journal = []
        self._put(
            "drops",
            drop,
            "wanted_by_ids",
            [record["id"] for record in [self.characters[key] for key in drop["wanted_by_ids"]] + [character]],
        )
        if self._breaks_rule_8(drop):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(drop):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: note that {character['name']} wants {self.items[drop['item_id']]['name']}.",
            "data": self._changes(),
        }

    def award_drop(self, drop_id: str, character_id: str | None = None) -> Result:
        """Award an open item to the one with the most points among those who want it and can pay (the longer
        membership where points are equal; nothing above 40 for members on trial), or shatter it where nobody is
        named.

        Args:
            drop_id (str): Id of the drop, such as DROP-00001.
            character_id (str, optional): Character who wants the item and comes first for it; an id such as
                CHARACTER-00001. If left out, the item is shattered, as nobody who wants it can pay.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drop = self.drops.get(drop_id)
        if drop is None:
            return _refused(f"There is no drop {drop_id!r}.")
        character = self.characters.get(character_id) if character_id is not None else None
        if character_id is not None and character is None:
            return _refused(f"There is no character {character_id!r}.")
        if drop["status"] != "open":
            return _refused(f"{self.items[drop['item_id']]['name']} is {drop['status']}.")
        if character_id is not None and character_id not in drop["wanted_by_ids"]:
            return _refused(f"{character['name']} has not asked for it.")
        if (
            character_id is not None
            and self._member_points(self.members[character["member_id"]]) < self.items[drop["item_id"]]["price"]
        ):
            return _refused(
                f"{self.items[drop['item_id']]['name']} costs {self.items[drop['item_id']]['price']}, and "
                f"{self.members[character['member_id']]['name']} has "
                f"{self._member_points(self.members[character['member_id']])} points."
            )
        if (
            character_id is not None
            and self.members[character["member_id"]]["rank"] == "trial"
            and self.items[drop["item_id"]]["price"] > 40
        ):
            return _refused(
                f"{self.members[character['member_id']]['name']} is on trial and gets nothing above 40 points."
            )
        better = next(
            (
                x
                for x in [self.characters[key] for key in drop["wanted_by_ids"]]
                if self._may_pay(x, drop)
                and (character_id is None or self._ahead_of(character, drop) is x)
            ),
            None,
        )
        if better is not None:
            return _refused(f"{better['name']} wants it too, can pay and comes first.")
        self._journal = []
        changed_drops: list[Any] = []
        changed_drops_2: list[Any] = []
        changed_drops_3: list[Any] = []
        added_point_entries: list[Any] = []
        if character_id is not None:
            changed_drops.append(drop)
            self._put("drops", drop, "winner_id", character_id)
            changed_drops_2.append(drop)
            self._put("drops", drop, "paid", self.items[drop["item_id"]]["price"])
            changed_drops_3.append(drop)
            self._put("drops", drop, "status", "awarded")
            amount = -self.items[drop["item_id"]]["price"]
            if not -1000 <= amount <= 1000:
                return self._take_back("The amount of a point entry must be between -1000 and 1000.")
            point_entry = {
                "id": self._new_id("point_entry", "PE", self.point_entries),
                "member_id": character["member_id"],
                "amount": amount,
                "kind": "loot",
                "night_id": drop["night_id"],
                "booked_on": self.now[:10],
            }
            self._add("point_entries", point_entry)
            added_point_entries.append(point_entry)
        else:
            if drop["status"] not in ("open", "shattered"):
                return self._take_back(f"Drop {drop['id']} cannot go from {drop['status']} to shattered.")
            changed_drops_3.append(drop)
            self._put("drops", drop, "status", "shattered")
        for one_drop in _distinct([*changed_drops, *changed_drops_2, *changed_drops_3]):
            if self._breaks_rule_9(one_drop):
                return self._take_back(RULES[8])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_point_entries]):
            if self._breaks_rule_10(one_member):
                return self._take_back(RULES[9])
        for one_drop in _distinct(changed_drops_3):
            if self._breaks_rule_11(one_drop):
                return self._take_back(RULES[10])
        for one_point_entry in _distinct(added_point_entries):
            if self._breaks_rule_12(one_point_entry):
                return self._take_back(RULES[11])
        done = f"settle {self.items[drop['item_id']]['name']}"
        if character is not None:
            done += f" for {character['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def end_night(self, night_id: str) -> Result:
        """End a night and pay ten points a boss to those on the roster and five to those on the bench.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        if night["status"] != "under_way":
            return _refused(f"{night['name']} is {night['status']}.")
        left = next(
            (d for d in sorted(self._drops_by_night_status.get((night_id, "open"), {}).values(), key=_age)),
            None,
        )
        if left is not None:
            return _refused(f"{self.items[left['item_id']]['name']} is still open; award or shatter it.")
        self._journal = []
        added_point_entries: list[Any] = []
        for p in [
            p
            for p in sorted(self._places_by_night.get(night_id, {}).values(), key=_age)
            if p["status"] in ("in", "benched")
        ]:
            amount = (10 if p["status"] == "in" else 5) * night["bosses_down"]
            if not -1000 <= amount <= 1000:
                return self._take_back("The amount of a point entry must be between -1000 and 1000.")
            point_entry = {
                "id": self._new_id("point_entry", "PE", self.point_entries),
                "member_id": self.characters[p["character_id"]]["member_id"],
                "amount": amount,
                "kind": "raided" if p["status"] == "in" else "sat_on_bench",
                "night_id": night_id,
                "booked_on": self.now[:10],
            }
            self._add("point_entries", point_entry)
            added_point_entries.append(point_entry)
        self._put("nights", night, "status", "over")
        if self._breaks_rule_3(night):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(night):
            return self._take_back(RULES[5])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_point_entries]):
            if self._breaks_rule_10(one_member):
                return self._take_back(RULES[9])
        for one_drop in _distinct(self._drops_by_night_status.get((night["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_drop):
                return self._take_back(RULES[10])
        for one_point_entry in _distinct(added_point_entries):
            if self._breaks_rule_12(one_point_entry):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: end {night['name']}.", "data": self._changes()}

    def plan_night(self, name: Text, raid_id: str, starts_at: DateTime) -> Result:
        """Plan a raid night ahead, at a time when no other one begins.

        Args:
            name (str): Name of the night, not used before.
            raid_id (str): Id of the raid, such as RAID-00001.
            starts_at (str): Time at which the raid begins, within the next 60 days, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        raid = self.raids.get(raid_id)
        if raid is None:
            return _refused(f"There is no raid {raid_id!r}.")
        if self._nights_by_name.get(name, {}):
            return _refused(f"There is a night {name} already.")
        if self.now >= starts_at or starts_at >= _plus_minutes(self.now, 60 * 1440):
            return _refused(f"A night is planned for the next 60 days, not for {starts_at}.")
        other = next(
            (
                n
                for n in sorted(self._nights_by_starts_at.get(starts_at, {}).values(), key=_age)
                if n["status"] != "called_off"
            ),
            None,
        )
        if other is not None:
            return _refused(f"{other['name']} begins at that time, so choose another hour or call it off.")
        self._journal = []
        night: Night = {
            "id": self._new_id("night", "NIGHT", self.nights),
            "name": name,
            "raid_id": raid_id,
            "starts_at": starts_at,
            "bosses_down": 0,
            "status": "planned",
        }
        self._add("nights", night)
        if len(self._nights_by_name.get(night["name"], {})) > 1:
            return self._take_back(f"There is already a night with the name {night['name']!r}.")
        if self._breaks_rule_2(night):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(night):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(night):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: plan {name} in {raid['name']} for {starts_at} (new: night {night['id']}).",
            "data": {"night_id": night["id"], **self._changes()},
        }

    def call_off(self, night_id: str) -> Result:
        """Call a night off that has not begun.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        if night["status"] not in ("planned", "ready"):
            return _refused(f"{night['name']} is {night['status']}.")
        self._journal = []
        self._put("nights", night, "status", "called_off")
        if self._breaks_rule_3(night):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(night):
            return self._take_back(RULES[5])
        for one_drop in _distinct(self._drops_by_night_status.get((night["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_drop):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: call {night['name']} off.", "data": self._changes()}

    def decay_points(self, percent: Annotated[int, {"minimum": 1, "maximum": 30}]) -> Result:
        """Let the points of all members decay by some percent, once a week.

        Args:
            percent (int): Share of the points that each member loses, in percent, from 1 to 30.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if any(
            e["booked_on"] > _plus_days(self.now[:10], -7)
            for e in self.point_entries.values()
            if e["kind"] == "decay"
        ):
            return _refused("The points decayed within the last seven days.")
        if not any(self._member_points(m) * percent >= 100 for m in self.members.values()):
            return _refused("Nobody has enough points to lose any.")
        self._journal = []
        added_point_entries: list[Any] = []
        for m in [m for m in self.members.values() if self._member_points(m) * percent >= 100]:
            amount = -(self._member_points(m) * percent // 100)
            if not -1000 <= amount <= 1000:
                return self._take_back("The amount of a point entry must be between -1000 and 1000.")
            point_entry = {
                "id": self._new_id("point_entry", "PE", self.point_entries),
                "member_id": m["id"],
                "amount": amount,
                "kind": "decay",
                "night_id": None,
                "booked_on": self.now[:10],
            }
            self._add("point_entries", point_entry)
            added_point_entries.append(point_entry)
        for one_member in _distinct([self.members[one["member_id"]] for one in added_point_entries]):
            if self._breaks_rule_10(one_member):
                return self._take_back(RULES[9])
        for one_point_entry in _distinct(added_point_entries):
            if self._breaks_rule_12(one_point_entry):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: let the points decay by {percent} percent.",
            "data": self._changes(),
        }

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "points": self._member_points(member)}

    def _show_item(self, item: Item) -> dict[str, Any]:
        """The item as an answer shows it."""
        return {**item, "fits": [*item["fits"]]}

    def _show_night(self, night: Night) -> dict[str, Any]:
        """The night as an answer shows it."""
        return {**night, "week": self._night_week(night), "filled": self._night_filled(night)}

    def _show_drop(self, drop: Drop) -> dict[str, Any]:
        """The drop as an answer shows it."""
        return {**drop, "wanted_by_ids": [*drop["wanted_by_ids"]]}

    def _names_of_characters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that characters point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names((self.raids, "name", [row["raid_id"] for row in shown]))

    def _names_of_nights(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that nights point to."""
        return _names((self.raids, "name", [row["raid_id"] for row in shown]))

    def _names_of_places(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that places point to."""
        return _names(
            (self.nights, "name", [row["night_id"] for row in shown]),
            (self.characters, "name", [row["character_id"] for row in shown]),
        )

    def _names_of_drops(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that drops point to."""
        return _names(
            (self.items, "name", [row["item_id"] for row in shown]),
            (self.nights, "name", [row["night_id"] for row in shown]),
            (self.characters, "name", [each for row in shown for each in row["wanted_by_ids"]]),
            (self.characters, "name", [row["winner_id"] for row in shown]),
        )

    def _names_of_point_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that point entries point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.nights, "name", [row["night_id"] for row in shown]),
        )

    def _member_points(self, member: Member) -> int:
        """The points of a member."""
        return sum(e["amount"] for e in self._point_entries_by_member.get(member["id"], {}).values())

    def _night_week(self, night: Night) -> str:
        """The week of a night."""
        return _plus_days(_plus_days(night["starts_at"][:10], -_weekday(night["starts_at"][:10])), 1)

    def _night_filled(self, night: Night) -> int:
        """The filled of a night."""
        return len(self._places_by_night_status.get((night["id"], "in"), {}))

    def _crew(self, n: Night) -> list[Character]:
        return [
            self.characters[p["character_id"]]
            for p in sorted(self._places_by_night_status.get((n["id"], "in"), {}).values(), key=_age)
        ]

    def _seats(self, n: Night, calling: str) -> int:
        return sum(1 for c in self._crew(n) if c["calling"] == calling)

    def _counts(self, p: Place) -> bool:
        return p["status"] in ("signed", "in", "benched")

    def _place_of(self, m: Member, n: Night) -> Place | None:
        return next(
            (
                p
                for p in sorted(self._places_by_night.get(n["id"], {}).values(), key=_age)
                if self.characters[p["character_id"]]["member_id"] == m["id"]
                and self._counts(p)
            ),
            None,
        )

    def _bound(self, c: Character, n: Night) -> Night | None:
        return next(
            (
                self.nights[p["night_id"]]
                for p in sorted(self._places_by_character_status.get((c["id"], "in"), {}).values(), key=_age)
                if p["night_id"] != n["id"]
                and self.nights[p["night_id"]]["raid_id"] == n["raid_id"]
                and self._night_week(self.nights[p["night_id"]]) == self._night_week(n)
                and self.nights[p["night_id"]]["bosses_down"] > 0
            ),
            None,
        )

    def _may_pay(self, c: Character, d: Drop) -> bool:
        return (
            self._member_points(self.members[c["member_id"]]) >= self.items[d["item_id"]]["price"]
            and (self.members[c["member_id"]]["rank"] != "trial" or self.items[d["item_id"]]["price"] <= 40)
        )

    def _ahead_of(self, c: Character, d: Drop) -> Character | None:
        return next(
            (
                x
                for x in [self.characters[key] for key in d["wanted_by_ids"]]
                if x is not c
                and self._may_pay(x, d)
                and (
                    self._member_points(
                        self.members[x["member_id"]]
                    ) > self._member_points(self.members[c["member_id"]])
                    or self._member_points(
                        self.members[x["member_id"]]
                    ) == self._member_points(self.members[c["member_id"]])
                    and self.members[x["member_id"]]["joined_on"] < self.members[c["member_id"]]["joined_on"]
                )
            ),
            None,
        )

    def _heir(self, d: Drop) -> Character | None:
        return min(
            (x for x in [self.characters[key] for key in d["wanted_by_ids"]] if self._may_pay(x, d)),
            key=lambda x: (
                -self._member_points(self.members[x["member_id"]]),
                self.members[x["member_id"]]["joined_on"],
                _age(x),
            ),
            default=None,
        )

    def _breaks_rule_1(self, p: Place) -> bool:
        """Whether this is broken: a member has one character in a night at most."""
        return (
            self._counts(p)
            and any(
                other_p is not p
                for other_p in self._places_by_night.get(p["night_id"], {}).values()
                if self.characters[
                    other_p["character_id"]
                ]["member_id"] == self.characters[p["character_id"]]["member_id"]
                and self._counts(other_p)
            )
        )

    def _breaks_rule_2(self, n: Night) -> bool:
        """Whether this is broken: no more characters raid than the raid has room for."""
        return self._night_filled(n) > self.raids[n["raid_id"]]["size"]

    def _breaks_rule_3(self, n: Night) -> bool:
        """Whether this is broken: a roster that is ready or under way has the tanks and healers that the raid needs.
        """
        return (
            n["status"] in ("ready", "under_way")
            and (
                self._seats(n, "tank") < self.raids[n["raid_id"]]["tanks"]
                or self._seats(n, "healer") < self.raids[n["raid_id"]]["healers"]
            )
        )

    def _breaks_rule_4(self, a: Place) -> bool:
        """Whether this is broken: a character kills bosses of the same raid in one night of a week only."""
        return (
            a["status"] == "in"
            and any(
                self.nights[a["night_id"]]["raid_id"] == self.nights[b["night_id"]]["raid_id"]
                and self._night_week(self.nights[a["night_id"]]) == self._night_week(self.nights[b["night_id"]])
                and self.nights[a["night_id"]]["bosses_down"] != 0
                and self.nights[b["night_id"]]["bosses_down"] != 0
                for b in self._places_by_character_status.get((a["character_id"], "in"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5(self, p: Place) -> bool:
        """Whether this is broken: nobody raids below the item level of the raid."""
        return (
            p["status"] == "in"
            and self.characters[p["character_id"]]["item_level"] < self.raids[
                self.nights[p["night_id"]]["raid_id"]
            ]["from_level"]
        )

    def _breaks_rule_6(self, n: Night) -> bool:
        """Whether this is broken: a raid has no more kills in a night than bosses, and none before it is under way.
        """
        return not (
            n["bosses_down"] <= self.raids[n["raid_id"]]["bosses"]
            and (n["bosses_down"] == 0 or n["status"] in ("under_way", "over"))
        )

    def _breaks_rule_7(self, d: Drop) -> bool:
        """Whether this is broken: nothing drops in a raid that belongs to another one."""
        return (
            self.items[d["item_id"]]["raid_id"] != self.nights[d["night_id"]]["raid_id"]
            or d["boss"] > self.nights[d["night_id"]]["bosses_down"]
        )

    def _breaks_rule_8(self, d: Drop) -> bool:
        """Whether this is broken: loot is wanted by characters who can use it, each once, of one member each."""
        return not (
            _different([c["member_id"] for c in [self.characters[key] for key in d["wanted_by_ids"]]])
            and all(
                c["calling"] in self.items[d["item_id"]]["fits"]
                for c in [self.characters[key] for key in d["wanted_by_ids"]]
            )
        )

    def _breaks_rule_9(self, d: Drop) -> bool:
        """Whether this is broken: awarded loot went to somebody who wanted it and was paid, and other loot has
        neither winner nor price.
        """
        return not (
            (d["status"] == "awarded") == (d["winner_id"] is not None)
            and (d["status"] == "awarded") == (d["paid"] is not None)
            and (d["winner_id"] is None or d["winner_id"] in d["wanted_by_ids"])
        )

    def _breaks_rule_10(self, m: Member) -> bool:
        """Whether this is broken: nobody has less than no points."""
        return self._member_points(m) < 0

    def _breaks_rule_11(self, d: Drop) -> bool:
        """Whether this is broken: a night that is over has no open loot."""
        return d["status"] == "open" and self.nights[d["night_id"]]["status"] == "over"

    def _breaks_rule_12(self, e: PointEntry) -> bool:
        """Whether this is broken: a night is paid once to each member."""
        return (
            e["kind"] in ("raided", "sat_on_bench")
            and any(
                other_e is not e
                for other_e in self._point_entries_by_member_kind_night.get(
                    (e["member_id"], e["kind"], e["night_id"]),
                    {},
                ).values()
                if other_e["kind"] in ("raided", "sat_on_bench")
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
            case "nights":
                self._nights_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._nights_by_starts_at.setdefault(record["starts_at"], {})[record["id"]] = record
            case "places":
                self._places_by_character_status.setdefault(
                    (record["character_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._places_by_night.setdefault(record["night_id"], {})[record["id"]] = record
                self._places_by_night_status.setdefault((record["night_id"], record["status"]), {})[record["id"]] = record
            case "drops":
                self._drops_by_night.setdefault(record["night_id"], {})[record["id"]] = record
                self._drops_by_night_status.setdefault((record["night_id"], record["status"]), {})[record["id"]] = record
            case "point_entries":
                self._point_entries_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._point_entries_by_member_kind_night.setdefault(
                    (record["member_id"], record["kind"], record["night_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "nights":
                del self._nights_by_name[record["name"]][record["id"]]
                del self._nights_by_starts_at[record["starts_at"]][record["id"]]
            case "places":
                del self._places_by_character_status[record["character_id"], record["status"]][record["id"]]
                del self._places_by_night[record["night_id"]][record["id"]]
                del self._places_by_night_status[record["night_id"], record["status"]][record["id"]]
            case "drops":
                del self._drops_by_night[record["night_id"]][record["id"]]
                del self._drops_by_night_status[record["night_id"], record["status"]][record["id"]]
            case "point_entries":
                del self._point_entries_by_member[record["member_id"]][record["id"]]
                del self._point_entries_by_member_kind_night[
                    record["member_id"],
                    record["kind"],
                    record["night_id"],
                ][record["id"]]
