"""Court docket. Compiled from blueprint.yaml; run `envscaler build court_docket` after changing it there.

Keeps the docket of a court, from the allocation of cases to judges who must stand aside where they have an
interest, through hearings, adjournments and motions with deadlines to joined cases and judgment.
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
    "A hearing ends by 18:00 on the day on which it begins.",
    "A room holds one hearing at a time.",
    "A judge sits in one hearing at a time.",
    "No judge decides a case in whose parties they have an interest.",
    "A case goes to a judge of its chamber, and an active case always has a judge.",
    "No judge has more open cases than they can take.",
    "Hearings are set in active cases only, and in the leading one of joined cases.",
    "A room has a seat for everybody who is expected.",
    "No trial is set while a motion to dismiss is pending.",
    "A case is adjourned three times at most.",
    "A decided case has an outcome and no motion is pending in it.",
    "Joined cases have the judge of the leading one, which is not itself joined to another.",
    "A side has one motion of a kind pending in a suit.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "assign_judge",
    "stand_aside",
    "set_hearing",
    "reschedule_hearing",
    "hold_hearing",
    "file_motion",
    "answer_motion",
    "rule_motion",
    "resume_case",
    "decide_case",
    "join_cases",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "judges": ("name",),
    "rooms": ("name",),
    "parties": ("name",),
    "suits": ("number",),
    "interests": (),
    "hearings": (),
    "motions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("hearings", "kind"),
    ("hearings", "room_id"),
    ("hearings", "status"),
    ("hearings", "suit_id"),
    ("interests", "judge_id"),
    ("interests", "party_id"),
    ("motions", "kind"),
    ("motions", "side"),
    ("motions", "suit_id"),
    ("suits", "joined_to_id"),
    ("suits", "judge_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Judge(TypedDict):
    id: str
    name: str
    chamber: Literal["civil", "family", "commercial"]
    most_cases: int


class Room(TypedDict):
    id: str
    name: str
    seats: int
    video: bool


class Party(TypedDict):
    id: str
    name: str


class Suit(TypedDict):
    id: str
    number: str
    chamber: Literal["civil", "family", "commercial"]
    plaintiff_id: str
    defendant_id: str
    filed_on: str
    judge_id: str | None
    joined_to_id: str | None
    outcome: Literal["for_plaintiff", "for_defendant", "settled", "dismissed"] | None
    status: Literal["filed", "active", "decided", "stayed"]


class Interest(TypedDict):
    id: str
    judge_id: str
    party_id: str
    reason: Literal["kinship", "former_client", "shareholding", "friendship"]


class Hearing(TypedDict):
    id: str
    suit_id: str
    kind: Literal["preliminary", "motion", "trial"]
    room_id: str
    starts: str
    minutes: int
    seats: int
    status: Literal["set", "held", "adjourned", "vacated"]


class Motion(TypedDict):
    id: str
    suit_id: str
    side: Literal["plaintiff", "defendant"]
    kind: Literal["dismiss", "discovery", "stay", "evidence"]
    filed_on: str
    answer_due: str
    ruling: Literal["granted", "denied"] | None
    status: Literal["open", "answered", "ruled", "withdrawn"]


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


class CourtDocket:
    """Keeps the docket of a court, from the allocation of cases to judges who must stand aside where they
    have an interest, through hearings, adjournments and motions with deadlines to joined cases and
    judgment.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.judges: dict[str, Judge] = _copied(config.get("judges", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.parties: dict[str, Party] = _copied(config.get("parties", {}))
        self.suits: dict[str, Suit] = _copied(config.get("suits", {}))
        self.interests: dict[str, Interest] = _copied(config.get("interests", {}))
        self.hearings: dict[str, Hearing] = _copied(config.get("hearings", {}))
        self.motions: dict[str, Motion] = _copied(config.get("motions", {}))
        self.now: str = config.get("now", "2026-09-07T08:00")
        self.counters: dict[str, int] = {
            "judge": len(self.judges),
            "room": len(self.rooms),
            "party": len(self.parties),
            "suit": len(self.suits),
            "interest": len(self.interests),
            "hearing": len(self.hearings),
            "motion": len(self.motions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._suits_by_joined_to: dict[Any, dict[str, Suit]] = {}
        self._suits_by_judge: dict[Any, dict[str, Suit]] = {}
        self._interests_by_judge: dict[Any, dict[str, Interest]] = {}
        self._interests_by_judge_party: dict[Any, dict[str, Interest]] = {}
        self._hearings_by_room_status: dict[Any, dict[str, Hearing]] = {}
        self._hearings_by_suit: dict[Any, dict[str, Hearing]] = {}
        self._hearings_by_suit_kind_status: dict[Any, dict[str, Hearing]] = {}
        self._hearings_by_suit_status: dict[Any, dict[str, Hearing]] = {}
        self._motions_by_suit: dict[Any, dict[str, Motion]] = {}
        self._motions_by_suit_kind: dict[Any, dict[str, Motion]] = {}
        self._motions_by_suit_side_kind: dict[Any, dict[str, Motion]] = {}
        for suit in self.suits.values():
            self._link("suits", suit)
        for interest in self.interests.values():
            self._link("interests", interest)
        for hearing in self.hearings.values():
            self._link("hearings", hearing)
        for motion in self.motions.values():
            self._link("motions", motion)

    def cause_list(
        self,
        on: Date,
        judge_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is heard on a day, in the order of the clock.

        Args:
            on (str): Day of the hearings, as YYYY-MM-DD.
            judge_id (str, optional): Judge who hears the cases; an id such as JUDGE-00001. If left out, the
                hearings of all judges are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hearings": records}} or {"success": False, "error": why
                not}
        """
        judge = self.judges.get(judge_id) if judge_id is not None else None
        if judge_id is not None and judge is None:
            return _refused(f"There is no judge {judge_id!r}.")
        found = [
            h
            for h in self.hearings.values()
            if (h["status"] == "set" and h["starts"][:10] == on)
            and (judge_id is None or self.suits[h["suit_id"]]["judge_id"] == judge_id)
        ]
        found.sort(key=lambda h: (h["starts"], h["id"], _age(h)))
        return _found(
            {
                "total": len(found),
                "hearings": [
                    {
                        "id": h["id"],
                        "suit": self.suits[h["suit_id"]]["number"],
                        "kind": h["kind"],
                        "room": self.rooms[h["room_id"]]["name"],
                        "starts": h["starts"],
                        "minutes": h["minutes"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def free_rooms(
        self,
        starts: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        seats: Annotated[int, {"minimum": 2, "maximum": 200}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Rooms that are free for a hearing, the smallest first.

        Args:
            starts (str): When the hearing would begin, as YYYY-MM-DDTHH:MM.
            minutes (int): How long the hearing would last, in minutes, from 15 to 480.
            seats (int, optional): How many seats the room must have at least, from 2 to 200. If left out, rooms of
                every size are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}} or {"success": False, "error": why
                not}
        """
        found = [
            r
            for r in self.rooms.values()
            if len(self._in_room(r, starts, minutes)) == 0
            and (seats is None or r["seats"] >= seats)
        ]
        found.sort(key=lambda r: (r["seats"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rooms": [
                    {"id": r["id"], "name": r["name"], "seats": r["seats"], "video": r["video"]}
                    for r in _page(found, offset)
                ],
            }
        )

    def judges_for(self, suit_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Judges to whom a case may be allocated, those with the fewest cases first.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "judges": records}} or {"success": False, "error": why
                not}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        found = [j for j in self.judges.values() if self._may_sit(j, suit)]
        found.sort(key=lambda j: (self._judge_cases(j), j["name"], _age(j)))
        return _found(
            {
                "total": len(found),
                "judges": [
                    {"id": j["id"], "name": j["name"], "cases": self._judge_cases(j), "most_cases": j["most_cases"]}
                    for j in _page(found, offset)
                ],
            }
        )

    def ripe_motions(
        self,
        judge_id: str | None = None,
        suit_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Pending motions on which the judge may rule, oldest first.

        Args:
            judge_id (str, optional): Judge who has the cases; an id such as JUDGE-00001. If left out, the motions
                before all judges are listed.
            suit_id (str, optional): Case in which the motions were filed; an id such as SUIT-00001. If left out,
                the motions of all cases are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "motions": records}} or {"success": False, "error": why
                not}
        """
        judge = self.judges.get(judge_id) if judge_id is not None else None
        if judge_id is not None and judge is None:
            return _refused(f"There is no judge {judge_id!r}.")
        suit = self.suits.get(suit_id) if suit_id is not None else None
        if suit_id is not None and suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        found = [
            m
            for m in self.motions.values()
            if (m["status"] == "answered" or m["status"] == "open" and m["answer_due"] < self.now[:10])
            and (judge_id is None or self.suits[m["suit_id"]]["judge_id"] == judge_id)
            and (suit_id is None or m["suit_id"] == suit_id)
        ]
        found.sort(key=lambda m: (m["filed_on"], m["id"], _age(m)))
        return _found(
            {
                "total": len(found),
                "motions": [
                    {
                        "id": m["id"],
                        "suit": self.suits[m["suit_id"]]["number"],
                        "side": m["side"],
                        "kind": m["kind"],
                        "filed_on": m["filed_on"],
                        "status": m["status"],
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def list_judges(
        self,
        name: Text | None = None,
        chamber: Literal["civil", "family", "commercial"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the judges, oldest first, all of them or only some.

        Args:
            name (str, optional): Only judges whose name contains this text.
            chamber (str, optional): Only judges with this chamber.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "judges": records}}
        """
        found = [
            judge
            for judge in self.judges.values()
            if (name is None or name.casefold() in judge["name"].casefold())
            and (chamber is None or judge["chamber"] == chamber)
        ]
        return _found({"total": len(found), "judges": [self._show_judge(judge) for judge in _page(found, offset)]})

    def list_rooms(
        self,
        name: Text | None = None,
        video: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            video (bool, optional): Only rooms with this value of `video`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (video is None or room["video"] == video)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_parties(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parties whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}}
        """
        found = [
            party
            for party in self.parties.values()
            if (name is None or name.casefold() in party["name"].casefold())
        ]
        return _found({"total": len(found), "parties": [{**party} for party in _page(found, offset)]})

    def list_suits(
        self,
        number: Text | None = None,
        chamber: Literal["civil", "family", "commercial"] | None = None,
        plaintiff_id: str | None = None,
        defendant_id: str | None = None,
        judge_id: str | None = None,
        joined_to_id: str | None = None,
        outcome: Literal["for_plaintiff", "for_defendant", "settled", "dismissed"] | None = None,
        status: Literal["filed", "active", "decided", "stayed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the suits, oldest first, all of them or only some.

        Args:
            number (str, optional): Only suits whose number contains this text.
            chamber (str, optional): Only suits with this chamber.
            plaintiff_id (str, optional): Only suits whose plaintiff is this party.
            defendant_id (str, optional): Only suits whose defendant is this party.
            judge_id (str, optional): Only suits of this judge.
            joined_to_id (str, optional): Only suits joined to this suit.
            outcome (str, optional): Only suits with this outcome.
            status (str, optional): Only suits with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "suits": records}}
        """
        if plaintiff_id is not None and plaintiff_id not in self.parties:
            return _refused(f"There is no party {plaintiff_id!r}.")
        if defendant_id is not None and defendant_id not in self.parties:
            return _refused(f"There is no party {defendant_id!r}.")
        if judge_id is not None and judge_id not in self.judges:
            return _refused(f"There is no judge {judge_id!r}.")
        if joined_to_id is not None and joined_to_id not in self.suits:
            return _refused(f"There is no suit {joined_to_id!r}.")
        found = [
            suit
            for suit in self.suits.values()
            if (number is None or number.casefold() in suit["number"].casefold())
            and (chamber is None or suit["chamber"] == chamber)
            and (plaintiff_id is None or suit["plaintiff_id"] == plaintiff_id)
            and (defendant_id is None or suit["defendant_id"] == defendant_id)
            and (judge_id is None or suit["judge_id"] == judge_id)
            and (joined_to_id is None or suit["joined_to_id"] == joined_to_id)
            and (outcome is None or suit["outcome"] == outcome)
            and (status is None or suit["status"] == status)
        ]
        shown = [self._show_suit(suit) for suit in _page(found, offset)]
        return _found({"total": len(found), "suits": shown}, self._names_of_suits(shown))

    def list_interests(
        self,
        judge_id: str | None = None,
        party_id: str | None = None,
        reason: Literal["kinship", "former_client", "shareholding", "friendship"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the interests, oldest first, all of them or only some.

        Args:
            judge_id (str, optional): Only interests of this judge.
            party_id (str, optional): Only interests of this party.
            reason (str, optional): Only interests with this reason.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "interests": records}}
        """
        if judge_id is not None and judge_id not in self.judges:
            return _refused(f"There is no judge {judge_id!r}.")
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            interest
            for interest in self.interests.values()
            if (judge_id is None or interest["judge_id"] == judge_id)
            and (party_id is None or interest["party_id"] == party_id)
            and (reason is None or interest["reason"] == reason)
        ]
        shown = [{**interest} for interest in _page(found, offset)]
        return _found({"total": len(found), "interests": shown}, self._names_of_interests(shown))

    def list_hearings(
        self,
        suit_id: str | None = None,
        kind: Literal["preliminary", "motion", "trial"] | None = None,
        room_id: str | None = None,
        status: Literal["set", "held", "adjourned", "vacated"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hearings, oldest first, all of them or only some.

        Args:
            suit_id (str, optional): Only hearings of this suit.
            kind (str, optional): Only hearings with this kind.
            room_id (str, optional): Only hearings of this room.
            status (str, optional): Only hearings with this status.
            starts_from (str, optional): Only hearings whose `starts` is on this day or later.
            starts_to (str, optional): Only hearings whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hearings": records}}
        """
        if suit_id is not None and suit_id not in self.suits:
            return _refused(f"There is no suit {suit_id!r}.")
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            hearing
            for hearing in self.hearings.values()
            if (suit_id is None or hearing["suit_id"] == suit_id)
            and (kind is None or hearing["kind"] == kind)
            and (room_id is None or hearing["room_id"] == room_id)
            and (status is None or hearing["status"] == status)
            and (starts_from is None or hearing["starts"][:10] >= starts_from)
            and (starts_to is None or hearing["starts"][:10] <= starts_to)
        ]
        shown = [{**hearing} for hearing in _page(found, offset)]
        return _found({"total": len(found), "hearings": shown}, self._names_of_hearings(shown))

    def list_motions(
        self,
        suit_id: str | None = None,
        side: Literal["plaintiff", "defendant"] | None = None,
        kind: Literal["dismiss", "discovery", "stay", "evidence"] | None = None,
        ruling: Literal["granted", "denied"] | None = None,
        status: Literal["open", "answered", "ruled", "withdrawn"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the motions, oldest first, all of them or only some.

        Args:
            suit_id (str, optional): Only motions of this suit.
            side (str, optional): Only motions with this side.
            kind (str, optional): Only motions with this kind.
            ruling (str, optional): Only motions with this ruling.
            status (str, optional): Only motions with this status.
            filed_on_from (str, optional): Only motions whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only motions whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "motions": records}}
        """
        if suit_id is not None and suit_id not in self.suits:
            return _refused(f"There is no suit {suit_id!r}.")
        found = [
            motion
            for motion in self.motions.values()
            if (suit_id is None or motion["suit_id"] == suit_id)
            and (side is None or motion["side"] == side)
            and (kind is None or motion["kind"] == kind)
            and (ruling is None or motion["ruling"] == ruling)
            and (status is None or motion["status"] == status)
            and (filed_on_from is None or motion["filed_on"] >= filed_on_from)
            and (filed_on_to is None or motion["filed_on"] <= filed_on_to)
        ]
        shown = [{**motion} for motion in _page(found, offset)]
        return _found({"total": len(found), "motions": shown}, self._names_of_motions(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def assign_judge(self, suit_id: str, judge_id: str) -> Result:
        """Allocate a case without a judge, with those joined to it, to a judge of its chamber.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.
            judge_id (str): Id of the judge, such as JUDGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        judge = self.judges.get(judge_id)
        if judge is None:
            return _refused(f"There is no judge {judge_id!r}.")
        if suit["status"] == "decided":
            return _refused(f"Case {suit['number']} is decided.")
        if suit["judge_id"] is not None:
            return _refused(f"Case {suit['number']} has a judge already.")
        if suit["joined_to_id"] is not None:
            return _refused(f"Case {suit['number']} is joined to another, so allocate the leading suit.")
        if judge["chamber"] != suit["chamber"]:
            return _refused(
                f"{judge['name']} sits in the {judge['chamber']} chamber and case {suit['number']} is "
                f"{suit['chamber']}."
            )
        odd = next((c for c in self._bundle(suit) if self._has_interest(judge, c)), None)
        if odd is not None:
            return _refused(
                f"{judge['name']} has an interest in a party of case {odd['number']} and must stand aside."
            )
        if self._judge_cases(judge) + len(self._bundle(suit)) > judge["most_cases"]:
            return _refused(
                f"{judge['name']} has {self._judge_cases(judge)} cases and can take {judge['most_cases']} at most."
            )
        self._journal = []
        changed_suits: list[Any] = []
        former_judge_ids: list[Any] = []
        changed_suits_2: list[Any] = []
        for c in list(self._bundle(suit)):
            changed_suits.append(c)
            former_judge_ids.append(c["judge_id"])
            self._put("suits", c, "judge_id", judge_id)
            if c["status"] == "filed":
                if c["status"] not in ("filed", "active", "stayed"):
                    return self._take_back(f"Suit {c['number']} cannot go from {c['status']} to active.")
                changed_suits_2.append(c)
                self._put("suits", c, "status", "active")
        for one_hearing in _distinct(
            [
                user
                for one in changed_suits
                for user in self._hearings_by_suit_status.get((one["id"], "set"), {}).values()
            ]
        ):
            if self._breaks_rule_3(one_hearing):
                return self._take_back(RULES[2])
        for one_suit in _distinct([*changed_suits, *changed_suits_2]):
            if self._breaks_rule_4_c(one_suit):
                return self._take_back(RULES[3])
        for one_suit in _distinct([*changed_suits, *changed_suits_2]):
            if self._breaks_rule_5(one_suit):
                return self._take_back(RULES[4])
        for one_judge in _distinct(
            [
                *[self.judges.get(one["judge_id"]) for one in changed_suits],
                *[self.judges.get(key) for key in former_judge_ids],
                *[self.judges.get(one["judge_id"]) for one in changed_suits_2],
            ]
        ):
            if self._breaks_rule_6(one_judge):
                return self._take_back(RULES[5])
        for one_hearing in _distinct(
            [
                user
                for one in changed_suits_2
                for user in self._hearings_by_suit_status.get((one["id"], "set"), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        for one_suit in _distinct(changed_suits_2):
            if self._breaks_rule_11_c(one_suit):
                return self._take_back(RULES[10])
        for one_motion in _distinct(
            [user for one in changed_suits_2 for user in self._motions_by_suit.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11_m(one_motion):
                return self._take_back(RULES[10])
        for one_suit in _distinct(
            [
                *[user for one in changed_suits for user in self._suits_by_joined_to.get(one["id"], {}).values()],
                *changed_suits,
            ]
        ):
            if self._breaks_rule_12(one_suit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: allocate case {suit['number']} to {judge['name']}.",
            "data": self._changes(),
        }

    def stand_aside(
        self,
        judge_id: str,
        party_id: str,
        reason: Literal["kinship", "former_client", "shareholding", "friendship"],
    ) -> Result:
        """Record a judge's interest in a party; the judge loses every open case of that party, whose hearings are
        vacated.

        Args:
            judge_id (str): Id of the judge, such as JUDGE-00001.
            party_id (str): Id of the party, such as PARTY-00001.
            reason (str): What ties the judge to the party: kinship, former_client, shareholding or friendship.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        judge = self.judges.get(judge_id)
        if judge is None:
            return _refused(f"There is no judge {judge_id!r}.")
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if self._interests_by_judge_party.get((judge_id, party_id), {}):
            return _refused(f"{judge['name']} has declared an interest in {party['name']} already.")
        self._journal = []
        changed_hearings: list[Any] = []
        changed_suits: list[Any] = []
        former_judge_ids: list[Any] = []
        changed_suits_2: list[Any] = []
        interest: Interest = {
            "id": self._new_id("interest", "INTEREST", self.interests),
            "judge_id": judge_id,
            "party_id": party_id,
            "reason": reason,
        }
        self._add("interests", interest)
        for c in [
            c
            for c in sorted(self._suits_by_judge.get(judge_id, {}).values(), key=_age)
            if c["joined_to_id"] is None
            and c["status"] != "decided"
            and any(
                party in [self.parties[d["plaintiff_id"]], self.parties[d["defendant_id"]]]
                for d in self._bundle(c)
            )
        ]:
            for h in sorted(self._hearings_by_suit_status.get((c["id"], "set"), {}).values(), key=_age):
                if h["status"] not in ("set", "vacated"):
                    return self._take_back(f"Hearing {h['id']} cannot go from {h['status']} to vacated.")
                changed_hearings.append(h)
                self._put("hearings", h, "status", "vacated")
            for d in list(self._bundle(c)):
                changed_suits.append(d)
                former_judge_ids.append(d["judge_id"])
                self._put("suits", d, "judge_id", None)
                if d["status"] == "active":
                    if d["status"] not in ("filed", "active"):
                        return self._take_back(f"Suit {d['number']} cannot go from {d['status']} to filed.")
                    changed_suits_2.append(d)
                    self._put("suits", d, "status", "filed")
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_2(one_hearing):
                return self._take_back(RULES[1])
        for one_hearing in _distinct(
            [
                *changed_hearings,
                *[
                    user
                    for one in changed_suits
                    for user in self._hearings_by_suit_status.get((one["id"], "set"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_hearing):
                return self._take_back(RULES[2])
        for one_suit in _distinct([*changed_suits, *changed_suits_2]):
            if self._breaks_rule_4_c(one_suit):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_i(interest):
            return self._take_back(RULES[3])
        for one_suit in _distinct([*changed_suits, *changed_suits_2]):
            if self._breaks_rule_5(one_suit):
                return self._take_back(RULES[4])
        for one_judge in _distinct(
            [
                *[self.judges.get(one["judge_id"]) for one in changed_suits],
                *[self.judges.get(key) for key in former_judge_ids],
                *[self.judges.get(one["judge_id"]) for one in changed_suits_2],
            ]
        ):
            if self._breaks_rule_6(one_judge):
                return self._take_back(RULES[5])
        for one_hearing in _distinct(
            [
                *changed_hearings,
                *[
                    user
                    for one in changed_suits_2
                    for user in self._hearings_by_suit_status.get((one["id"], "set"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_8(one_hearing):
                return self._take_back(RULES[7])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_9_h(one_hearing):
                return self._take_back(RULES[8])
        for one_suit in _distinct([self.suits[one["suit_id"]] for one in changed_hearings]):
            if self._breaks_rule_10(one_suit):
                return self._take_back(RULES[9])
        for one_suit in _distinct(changed_suits_2):
            if self._breaks_rule_11_c(one_suit):
                return self._take_back(RULES[10])
        for one_motion in _distinct(
            [user for one in changed_suits_2 for user in self._motions_by_suit.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11_m(one_motion):
                return self._take_back(RULES[10])
        for one_suit in _distinct(
            [
                *[user for one in changed_suits for user in self._suits_by_joined_to.get(one["id"], {}).values()],
                *changed_suits,
            ]
        ):
            if self._breaks_rule_12(one_suit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: let {judge['name']} stand aside from cases of {party['name']} for {reason} (new: interest "
                f"{interest['id']})."
            ),
            "data": {"interest_id": interest["id"], **self._changes()},
        }

    def set_hearing(
        self,
        suit_id: str,
        kind: Literal["preliminary", "motion", "trial"],
        room_id: str,
        starts: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        seats: Annotated[int, {"minimum": 2, "maximum": 200}],
    ) -> Result:
        """Set a hearing in a case before its judge.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.
            kind (str): What the hearing is for: preliminary, motion or trial.
            room_id (str): Id of the room, such as ROOM-00001.
            starts (str): Future time at which it begins, Monday to Friday, 08 to 16.30 hours, as YYYY-MM-DDTHH:MM.
            minutes (int): How long it lasts in minutes, ending by 18 hours, from 15 to 480.
            seats (int): How many seats the room must have for it, from 2 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if suit["status"] != "active":
            return _refused(f"Case {suit['number']} is {suit['status']}, so nothing is heard in it.")
        if suit["joined_to_id"] is not None:
            return _refused(f"Case {suit['number']} is joined to another and is heard with that.")
        if starts <= self.now:
            return _refused(f"{starts} is over.")
        if _weekday(starts[:10]) > 5 or starts[11:] < "08:00" or starts[11:] > "16:30":
            return _refused("The court sits Monday to Friday from 08:00, and hearings begin by 16:30.")
        if _plus_minutes(starts, minutes)[:10] != starts[:10] or _plus_minutes(starts, minutes)[11:] > "18:00":
            return _refused(f"The court closes at 18:00, and {minutes} minutes from {starts} are longer than that.")
        if not (
            kind != "trial"
            or not any(self._pending(m) for m in self._motions_by_suit_kind.get((suit_id, "dismiss"), {}).values())
        ):
            return _refused(
                f"A motion to dismiss is pending in case {suit['number']}, so rule on it before a trial is set."
            )
        if seats > room["seats"]:
            return _refused(f"{room['name']} has {room['seats']} seats, not {seats}.")
        other = next((each for each in self._in_room(room, starts, minutes)), None)
        if other is not None:
            return _refused(
                f"{room['name']} is taken by case {self.suits[other['suit_id']]['number']} from {other['starts']} "
                f"for {other['minutes']} minutes."
            )
        busy = next((each for each in self._before_judge(self.judges.get(suit["judge_id"]), starts, minutes)), None)
        if busy is not None:
            return _refused(
                f"The judge sits in case {self.suits[busy['suit_id']]['number']} from {busy['starts']} for "
                f"{busy['minutes']} minutes."
            )
        self._journal = []
        hearing: Hearing = {
            "id": self._new_id("hearing", "HEARING", self.hearings),
            "suit_id": suit_id,
            "kind": kind,
            "room_id": room_id,
            "starts": starts,
            "minutes": minutes,
            "seats": seats,
            "status": "set",
        }
        self._add("hearings", hearing)
        if self._breaks_rule_1(hearing):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(hearing):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(hearing):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(hearing):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(hearing):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_h(hearing):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.suits[hearing["suit_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: set a {kind} hearing in case {suit['number']} on {starts} in {room['name']} (new: hearing "
                f"{hearing['id']})."
            ),
            "data": {"hearing_id": hearing["id"], **self._changes()},
        }

    def reschedule_hearing(
        self,
        hearing_id: str,
        starts: DateTime | None = None,
        room_id: str | None = None,
    ) -> Result:
        """Move a hearing to another room, or adjourn it to another time, of which a case is allowed three.

        Args:
            hearing_id (str): Id of the hearing, such as HEARING-00001.
            starts (str, optional): New time at which the hearing begins, which counts as an adjournment, as
                YYYY-MM-DDTHH:MM. If left out, the time stays as it is.
            room_id (str, optional): Other room with enough seats; an id such as ROOM-00001. If left out, the room
                stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hearing = self.hearings.get(hearing_id)
        if hearing is None:
            return _refused(f"There is no hearing {hearing_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        if hearing["status"] != "set":
            return _refused(f"That hearing is {hearing['status']}.")
        if hearing["starts"] <= self.now:
            return _refused(
                f"The hearing in case {self.suits[hearing['suit_id']]['number']} began on {hearing['starts']}, so "
                "record that it was held."
            )
        if starts is None and room_id is None:
            return _refused("Say which time or which room it moves to.")
        at = starts if starts is not None else hearing["starts"]
        there = room or self.rooms[hearing["room_id"]]
        if at == hearing["starts"] and there["id"] == hearing["room_id"]:
            return _refused(
                f"The hearing in case {self.suits[hearing['suit_id']]['number']} is at that time in "
                f"{there['name']} already."
            )
        if at <= self.now:
            return _refused(f"{at} is over.")
        if _weekday(at[:10]) > 5 or at[11:] < "08:00" or at[11:] > "16:30":
            return _refused("The court sits Monday to Friday from 08:00, and hearings begin by 16:30.")
        if (
            _plus_minutes(at, hearing["minutes"])[:10] != at[:10]
            or _plus_minutes(at, hearing["minutes"])[11:] > "18:00"
        ):
            return _refused(
                f"The court closes at 18:00, and {hearing['minutes']} minutes from {at} are longer than that."
            )
        if at != hearing["starts"] and self._suit_adjournments(self.suits[hearing["suit_id"]]) >= 3:
            return _refused(f"Case {self.suits[hearing['suit_id']]['number']} has been adjourned three times.")
        if hearing["seats"] > there["seats"]:
            return _refused(f"{there['name']} has {there['seats']} seats and {hearing['seats']} are needed.")
        other = next((h for h in self._in_room(there, at, hearing["minutes"]) if h is not hearing), None)
        if other is not None:
            return _refused(
                f"{there['name']} is taken by case {self.suits[other['suit_id']]['number']} from "
                f"{other['starts']} for {other['minutes']} minutes."
            )
        busy = next(
            (
                h
                for h in self._before_judge(
                    self.judges.get(self.suits[hearing["suit_id"]]["judge_id"]),
                    at,
                    hearing["minutes"],
                )
                if h is not hearing
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"The judge sits in case {self.suits[busy['suit_id']]['number']} from {busy['starts']} for "
                f"{busy['minutes']} minutes."
            )
        done = f"reschedule the {hearing['kind']} hearing in case {self.suits[hearing['suit_id']]['number']}"
        if starts is not None:
            done += f" to {starts}"
        if room is not None:
            done += f" in {room['name']}"
        self._journal = []
        changed_hearings: list[Any] = []
        changed_hearings_2: list[Any] = []
        added_hearings: list[Any] = []
        if at == hearing["starts"]:
            changed_hearings.append(hearing)
            self._put("hearings", hearing, "room_id", there["id"])
        else:
            changed_hearings_2.append(hearing)
            self._put("hearings", hearing, "status", "adjourned")
            new_hearing = {
                "id": self._new_id("hearing", "HEARING", self.hearings),
                "suit_id": hearing["suit_id"],
                "kind": hearing["kind"],
                "room_id": there["id"],
                "starts": at,
                "minutes": hearing["minutes"],
                "seats": hearing["seats"],
                "status": "set",
            }
            self._add("hearings", new_hearing)
            added_hearings.append(new_hearing)
        for one_hearing in _distinct(added_hearings):
            if self._breaks_rule_1(one_hearing):
                return self._take_back(RULES[0])
        for one_hearing in _distinct([*changed_hearings, *changed_hearings_2, *added_hearings]):
            if self._breaks_rule_2(one_hearing):
                return self._take_back(RULES[1])
        for one_hearing in _distinct([*changed_hearings_2, *added_hearings]):
            if self._breaks_rule_3(one_hearing):
                return self._take_back(RULES[2])
        for one_hearing in _distinct([*changed_hearings_2, *added_hearings]):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        for one_hearing in _distinct([*changed_hearings, *changed_hearings_2, *added_hearings]):
            if self._breaks_rule_8(one_hearing):
                return self._take_back(RULES[7])
        for one_hearing in _distinct([*changed_hearings_2, *added_hearings]):
            if self._breaks_rule_9_h(one_hearing):
                return self._take_back(RULES[8])
        for one_suit in _distinct(
            [
                *[self.suits[one["suit_id"]] for one in changed_hearings_2],
                *[self.suits[one["suit_id"]] for one in added_hearings],
            ]
        ):
            if self._breaks_rule_10(one_suit):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hold_hearing(self, hearing_id: str) -> Result:
        """Record that a hearing took place.

        Args:
            hearing_id (str): Id of the hearing, such as HEARING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hearing = self.hearings.get(hearing_id)
        if hearing is None:
            return _refused(f"There is no hearing {hearing_id!r}.")
        if hearing["status"] != "set":
            return _refused(f"That hearing is {hearing['status']}.")
        if hearing["starts"] > self.now:
            return _refused(
                f"The hearing in case {self.suits[hearing['suit_id']]['number']} begins on {hearing['starts']}."
            )
        self._journal = []
        self._put("hearings", hearing, "status", "held")
        if self._breaks_rule_2(hearing):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(hearing):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(hearing):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(hearing):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_h(hearing):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.suits[hearing["suit_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record that the {hearing['kind']} hearing in case "
                f"{self.suits[hearing['suit_id']]['number']} was held."
            ),
            "data": self._changes(),
        }

    def file_motion(
        self,
        suit_id: str,
        side: Literal["plaintiff", "defendant"],
        kind: Literal["dismiss", "discovery", "stay", "evidence"],
        answer_days: Annotated[int, {"minimum": 3, "maximum": 60}],
    ) -> Result:
        """File a motion of one side, which the other may answer within some days.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.
            side (str): Side of the case that files the motion: plaintiff or defendant.
            kind (str): What the motion asks the judge for: dismiss, discovery, stay or evidence.
            answer_days (int): How many days from today the other side has to answer, from 3 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        if suit["status"] != "active":
            return _refused(f"Case {suit['number']} is {suit['status']}.")
        if kind == "dismiss" and side != "defendant":
            return _refused("A plaintiff does not move to dismiss their own case.")
        if any(self._pending(m) for m in self._motions_by_suit_side_kind.get((suit_id, side, kind), {}).values()):
            return _refused(f"A motion of that kind by the {side} is pending in case {suit['number']}.")
        if not (kind != "dismiss" or not self._hearings_by_suit_kind_status.get((suit_id, "trial", "set"), {})):
            return _refused(f"The trial in case {suit['number']} is set, so it is too late to move for dismissal.")
        self._journal = []
        motion: Motion = {
            "id": self._new_id("motion", "MOTION", self.motions),
            "suit_id": suit_id,
            "side": side,
            "kind": kind,
            "filed_on": self.now[:10],
            "answer_due": _plus_days(self.now[:10], answer_days),
            "ruling": None,
            "status": "open",
        }
        self._add("motions", motion)
        if self._breaks_rule_9_m(motion):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_m(motion):
            return self._take_back(RULES[10])
        if self._breaks_rule_13(motion):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: file the {side}'s motion ({kind}) in case {suit['number']} (new: motion {motion['id']})."
            ),
            "data": {"motion_id": motion["id"], **self._changes()},
        }

    def answer_motion(self, motion_id: str) -> Result:
        """Record that the other side has answered a motion in time.

        Args:
            motion_id (str): Id of the motion, such as MOTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        motion = self.motions.get(motion_id)
        if motion is None:
            return _refused(f"There is no motion {motion_id!r}.")
        if motion["status"] != "open":
            return _refused(f"That motion is {motion['status']}.")
        if self.now[:10] > motion["answer_due"]:
            return _refused(f"The answer was due on {motion['answer_due']}.")
        self._journal = []
        self._put("motions", motion, "status", "answered")
        if self._breaks_rule_9_m(motion):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_m(motion):
            return self._take_back(RULES[10])
        if self._breaks_rule_13(motion):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: record the answer to the {motion['side']}'s motion ({motion['kind']}) in case "
                f"{self.suits[motion['suit_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def rule_motion(self, motion_id: str, granted: bool) -> Result:
        """Rule on a motion that was answered or whose answer is overdue; a dismissal ends the case, a stay vacates
        its hearings.

        Args:
            motion_id (str): Id of the motion, such as MOTION-00001.
            granted (bool): Whether the judge grants the motion, false denying it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        motion = self.motions.get(motion_id)
        if motion is None:
            return _refused(f"There is no motion {motion_id!r}.")
        if not self._pending(motion):
            return _refused(f"That motion is {motion['status']}.")
        if motion["status"] != "answered" and motion["answer_due"] >= self.now[:10]:
            return _refused(f"The other side may answer until {motion['answer_due']}.")
        if self.suits[motion["suit_id"]]["judge_id"] is None:
            return _refused(f"Case {self.suits[motion['suit_id']]['number']} has no judge at present.")
        if granted and motion["kind"] == "stay" and self.suits[motion["suit_id"]]["status"] != "active":
            return _refused(
                f"Case {self.suits[motion['suit_id']]['number']} is {self.suits[motion['suit_id']]['status']}."
            )
        self._journal = []
        changed_suits: list[Any] = []
        changed_suits_2: list[Any] = []
        changed_motions: list[Any] = []
        changed_hearings: list[Any] = []
        self._put("motions", motion, "ruling", "granted" if granted else "denied")
        if motion["status"] not in ("open", "answered", "ruled"):
            return self._take_back(f"Motion {motion['id']} cannot go from {motion['status']} to ruled.")
        self._put("motions", motion, "status", "ruled")
        suit = self.suits[motion["suit_id"]]
        if granted and motion["kind"] == "dismiss":
            for c in list(self._bundle(suit)):
                changed_suits.append(c)
                self._put("suits", c, "outcome", "dismissed")
                changed_suits_2.append(c)
                self._put("suits", c, "status", "decided")
                for m in [
                    m
                    for m in sorted(self._motions_by_suit.get(c["id"], {}).values(), key=_age)
                    if self._pending(m)
                ]:
                    if m["status"] not in ("open", "answered", "withdrawn"):
                        return self._take_back(f"Motion {m['id']} cannot go from {m['status']} to withdrawn.")
                    changed_motions.append(m)
                    self._put("motions", m, "status", "withdrawn")
                for h in sorted(self._hearings_by_suit_status.get((c["id"], "set"), {}).values(), key=_age):
                    if h["status"] not in ("set", "vacated"):
                        return self._take_back(f"Hearing {h['id']} cannot go from {h['status']} to vacated.")
                    changed_hearings.append(h)
                    self._put("hearings", h, "status", "vacated")
        if granted and motion["kind"] == "stay":
            if suit["status"] not in ("active", "stayed"):
                return self._take_back(f"Suit {suit['number']} cannot go from {suit['status']} to stayed.")
            changed_suits_2.append(suit)
            self._put("suits", suit, "status", "stayed")
            for h in sorted(self._hearings_by_suit_status.get((suit["id"], "set"), {}).values(), key=_age):
                if h["status"] not in ("set", "vacated"):
                    return self._take_back(f"Hearing {h['id']} cannot go from {h['status']} to vacated.")
                changed_hearings.append(h)
                self._put("hearings", h, "status", "vacated")
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_2(one_hearing):
                return self._take_back(RULES[1])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_3(one_hearing):
                return self._take_back(RULES[2])
        for one_suit in _distinct(changed_suits_2):
            if self._breaks_rule_4_c(one_suit):
                return self._take_back(RULES[3])
        for one_suit in _distinct(changed_suits_2):
            if self._breaks_rule_5(one_suit):
                return self._take_back(RULES[4])
        for one_judge in _distinct([self.judges.get(one["judge_id"]) for one in changed_suits_2]):
            if self._breaks_rule_6(one_judge):
                return self._take_back(RULES[5])
        for one_hearing in _distinct(
            [
                *[
                    user
                    for one in changed_suits_2
                    for user in self._hearings_by_suit_status.get((one["id"], "set"), {}).values()
                ],
                *changed_hearings,
            ]
        ):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_8(one_hearing):
                return self._take_back(RULES[7])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_9_h(one_hearing):
                return self._take_back(RULES[8])
        for one_motion in _distinct([motion, *changed_motions]):
            if self._breaks_rule_9_m(one_motion):
                return self._take_back(RULES[8])
        for one_suit in _distinct([self.suits[one["suit_id"]] for one in changed_hearings]):
            if self._breaks_rule_10(one_suit):
                return self._take_back(RULES[9])
        for one_suit in _distinct([*changed_suits, *changed_suits_2]):
            if self._breaks_rule_11_c(one_suit):
                return self._take_back(RULES[10])
        for one_motion in _distinct(
            [
                motion,
                *[user for one in changed_suits_2 for user in self._motions_by_suit.get(one["id"], {}).values()],
                *changed_motions,
            ]
        ):
            if self._breaks_rule_11_m(one_motion):
                return self._take_back(RULES[10])
        for one_motion in _distinct([motion, *changed_motions]):
            if self._breaks_rule_13(one_motion):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: rule on the {motion['side']}'s motion ({motion['kind']}) in case "
                f"{self.suits[motion['suit_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def resume_case(self, suit_id: str) -> Result:
        """Resume a stayed suit.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        if suit["status"] != "stayed":
            return _refused(f"Case {suit['number']} is {suit['status']}.")
        if suit["judge_id"] is None:
            return _refused(f"Case {suit['number']} has no judge, so allocate it first.")
        self._journal = []
        self._put("suits", suit, "status", "active")
        if self._breaks_rule_4_c(suit):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(suit):
            return self._take_back(RULES[4])
        for one_judge in _distinct([self.judges.get(suit["judge_id"])]):
            if self._breaks_rule_6(one_judge):
                return self._take_back(RULES[5])
        for one_hearing in _distinct(self._hearings_by_suit_status.get((suit["id"], "set"), {}).values()):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        if self._breaks_rule_11_c(suit):
            return self._take_back(RULES[10])
        for one_motion in _distinct(self._motions_by_suit.get(suit["id"], {}).values()):
            if self._breaks_rule_11_m(one_motion):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: resume case {suit['number']}.", "data": self._changes()}

    def decide_case(self, suit_id: str, outcome: Literal["for_plaintiff", "for_defendant", "settled"]) -> Result:
        """Enter the outcome of a case and of those joined to it, after the trial in an active case or on a settlement
        at any time, which withdraws pending motions.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.
            outcome (str): How the case ends, a settlement being possible without a trial: for_plaintiff,
                for_defendant or settled.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        if not (suit["status"] == "active" or outcome == "settled" and suit["status"] != "decided"):
            return _refused(f"Case {suit['number']} is {suit['status']}, and only an active case is judged.")
        if suit["joined_to_id"] is not None:
            return _refused(f"Case {suit['number']} is joined to another and is decided with that.")
        if not (
            outcome == "settled"
            or any(
                h["kind"] == "trial"
                and h["status"] == "held"
                for h in self._hearings_by_suit.get(suit_id, {}).values()
            )
        ):
            return _refused(f"No trial has been held in case {suit['number']}.")
        waiting = next(
            (
                m
                for c in self._bundle(suit)
                for m in sorted(self._motions_by_suit.get(c["id"], {}).values(), key=_age)
                if self._pending(m)
            ),
            None,
        )
        if outcome != "settled" and waiting is not None:
            return _refused(f"A motion is pending in case {suit['number']} or one joined to it, so rule on it first.")
        self._journal = []
        changed_suits: list[Any] = []
        changed_suits_2: list[Any] = []
        changed_motions: list[Any] = []
        changed_hearings: list[Any] = []
        for c in [c for c in self._bundle(suit) if c["status"] != "decided"]:
            changed_suits.append(c)
            self._put("suits", c, "outcome", outcome)
            changed_suits_2.append(c)
            self._put("suits", c, "status", "decided")
            for m in [
                m
                for m in sorted(self._motions_by_suit.get(c["id"], {}).values(), key=_age)
                if self._pending(m)
            ]:
                if m["status"] not in ("open", "answered", "withdrawn"):
                    return self._take_back(f"Motion {m['id']} cannot go from {m['status']} to withdrawn.")
                changed_motions.append(m)
                self._put("motions", m, "status", "withdrawn")
            for h in sorted(self._hearings_by_suit_status.get((c["id"], "set"), {}).values(), key=_age):
                if h["status"] not in ("set", "vacated"):
                    return self._take_back(f"Hearing {h['id']} cannot go from {h['status']} to vacated.")
                changed_hearings.append(h)
                self._put("hearings", h, "status", "vacated")
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_2(one_hearing):
                return self._take_back(RULES[1])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_3(one_hearing):
                return self._take_back(RULES[2])
        for one_suit in _distinct(changed_suits_2):
            if self._breaks_rule_4_c(one_suit):
                return self._take_back(RULES[3])
        for one_suit in _distinct(changed_suits_2):
            if self._breaks_rule_5(one_suit):
                return self._take_back(RULES[4])
        for one_judge in _distinct([self.judges.get(one["judge_id"]) for one in changed_suits_2]):
            if self._breaks_rule_6(one_judge):
                return self._take_back(RULES[5])
        for one_hearing in _distinct(
            [
                *[
                    user
                    for one in changed_suits_2
                    for user in self._hearings_by_suit_status.get((one["id"], "set"), {}).values()
                ],
                *changed_hearings,
            ]
        ):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_8(one_hearing):
                return self._take_back(RULES[7])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_9_h(one_hearing):
                return self._take_back(RULES[8])
        for one_motion in _distinct(changed_motions):
            if self._breaks_rule_9_m(one_motion):
                return self._take_back(RULES[8])
        for one_suit in _distinct([self.suits[one["suit_id"]] for one in changed_hearings]):
            if self._breaks_rule_10(one_suit):
                return self._take_back(RULES[9])
        for one_suit in _distinct([*changed_suits, *changed_suits_2]):
            if self._breaks_rule_11_c(one_suit):
                return self._take_back(RULES[10])
        for one_motion in _distinct(
            [
                *[user for one in changed_suits_2 for user in self._motions_by_suit.get(one["id"], {}).values()],
                *changed_motions,
            ]
        ):
            if self._breaks_rule_11_m(one_motion):
                return self._take_back(RULES[10])
        for one_motion in _distinct(changed_motions):
            if self._breaks_rule_13(one_motion):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: decide case {suit['number']} as {outcome}.",
            "data": self._changes(),
        }

    def join_cases(self, suit_id: str, lead_id: str) -> Result:
        """Join a case to a leading case of the same chamber; its own hearings are vacated and the judge is that of
        the leading case.

        Args:
            suit_id (str): Id of the suit, such as SUIT-00001.
            lead_id (str): Active leading case of the same chamber, with a party in common; an id such as
                SUIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suit = self.suits.get(suit_id)
        if suit is None:
            return _refused(f"There is no suit {suit_id!r}.")
        lead = self.suits.get(lead_id)
        if lead is None:
            return _refused(f"There is no suit {lead_id!r}.")
        if suit is lead or suit["chamber"] != lead["chamber"]:
            return _refused("Cases are joined to another one of the same chamber.")
        if suit["joined_to_id"] is not None or len(_below(self._suits_by_joined_to, suit)) != 0:
            return _refused(f"Case {suit['number']} is part of joined cases already.")
        if lead["joined_to_id"] is not None:
            return _refused(f"Case {lead['number']} is itself joined to another.")
        if suit["status"] not in ("filed", "active") or lead["status"] != "active" or lead["judge_id"] is None:
            return _refused(
                f"Case {suit['number']} is {suit['status']} and case {lead['number']} is {lead['status']}; the "
                "leading case must be active."
            )
        if (
            self.parties[suit["plaintiff_id"]] not in [
                self.parties[lead["plaintiff_id"]],
                self.parties[lead["defendant_id"]],
            ]
            and self.parties[suit["defendant_id"]] not in [
                self.parties[lead["plaintiff_id"]],
                self.parties[lead["defendant_id"]],
            ]
        ):
            return _refused(f"Cases {suit['number']} and {lead['number']} have no party in common.")
        if self._has_interest(self.judges[lead["judge_id"]], suit):
            return _refused(
                f"{self.judges[lead['judge_id']]['name']} has an interest in a party of case {suit['number']}."
            )
        if (
            suit["judge_id"] != lead["judge_id"]
            and self._judge_cases(self.judges[lead["judge_id"]]) >= self.judges[lead["judge_id"]]["most_cases"]
        ):
            return _refused(f"{self.judges[lead['judge_id']]['name']} can take no more cases.")
        self._journal = []
        changed_hearings: list[Any] = []
        for h in sorted(self._hearings_by_suit_status.get((suit_id, "set"), {}).values(), key=_age):
            if h["status"] not in ("set", "vacated"):
                return self._take_back(f"Hearing {h['id']} cannot go from {h['status']} to vacated.")
            changed_hearings.append(h)
            self._put("hearings", h, "status", "vacated")
        self._put("suits", suit, "joined_to_id", lead_id)
        former_judge_id = suit["judge_id"]
        self._put("suits", suit, "judge_id", lead["judge_id"])
        self._put("suits", suit, "status", "active")
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_2(one_hearing):
                return self._take_back(RULES[1])
        for one_hearing in _distinct(
            [*changed_hearings, *self._hearings_by_suit_status.get((suit["id"], "set"), {}).values()]
        ):
            if self._breaks_rule_3(one_hearing):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_c(suit):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(suit):
            return self._take_back(RULES[4])
        for one_judge in _distinct([self.judges.get(suit["judge_id"]), self.judges.get(former_judge_id)]):
            if self._breaks_rule_6(one_judge):
                return self._take_back(RULES[5])
        for one_hearing in _distinct(
            [*changed_hearings, *self._hearings_by_suit_status.get((suit["id"], "set"), {}).values()]
        ):
            if self._breaks_rule_7(one_hearing):
                return self._take_back(RULES[6])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_8(one_hearing):
                return self._take_back(RULES[7])
        for one_hearing in _distinct(changed_hearings):
            if self._breaks_rule_9_h(one_hearing):
                return self._take_back(RULES[8])
        for one_suit in _distinct([self.suits[one["suit_id"]] for one in changed_hearings]):
            if self._breaks_rule_10(one_suit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_c(suit):
            return self._take_back(RULES[10])
        for one_motion in _distinct(self._motions_by_suit.get(suit["id"], {}).values()):
            if self._breaks_rule_11_m(one_motion):
                return self._take_back(RULES[10])
        for one_suit in _distinct([suit, *self._suits_by_joined_to.get(suit["id"], {}).values()]):
            if self._breaks_rule_12(one_suit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: join case {suit['number']} to case {lead['number']}.",
            "data": self._changes(),
        }

    def _show_judge(self, judge: Judge) -> dict[str, Any]:
        """The judge as an answer shows it."""
        return {**judge, "cases": self._judge_cases(judge)}

    def _show_suit(self, suit: Suit) -> dict[str, Any]:
        """The suit as an answer shows it."""
        return {**suit, "adjournments": self._suit_adjournments(suit)}

    def _names_of_suits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that suits point to."""
        return _names(
            (self.parties, "name", [row["plaintiff_id"] for row in shown]),
            (self.parties, "name", [row["defendant_id"] for row in shown]),
            (self.judges, "name", [row["judge_id"] for row in shown]),
            (self.suits, "number", [row["joined_to_id"] for row in shown]),
        )

    def _names_of_interests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that interests point to."""
        return _names(
            (self.judges, "name", [row["judge_id"] for row in shown]),
            (self.parties, "name", [row["party_id"] for row in shown]),
        )

    def _names_of_hearings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that hearings point to."""
        return _names(
            (self.suits, "number", [row["suit_id"] for row in shown]),
            (self.rooms, "name", [row["room_id"] for row in shown]),
        )

    def _names_of_motions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that motions point to."""
        return _names((self.suits, "number", [row["suit_id"] for row in shown]))

    def _judge_cases(self, judge: Judge) -> int:
        """The cases of a judge."""
        return sum(1 for c in self._suits_by_judge.get(judge["id"], {}).values() if c["status"] != "decided")

    def _suit_adjournments(self, suit: Suit) -> int:
        """The adjournments of a suit."""
        return len(self._hearings_by_suit_status.get((suit["id"], "adjourned"), {}))

    def _pending(self, m: Motion) -> bool:
        return m["status"] in ("open", "answered")

    def _bundle(self, c: Suit) -> list[Suit]:
        return [c] + _below(self._suits_by_joined_to, c)

    def _has_interest(self, j: Judge, c: Suit) -> bool:
        return any(
            self.parties[i["party_id"]] in [self.parties[c["plaintiff_id"]], self.parties[c["defendant_id"]]]
            for i in self._interests_by_judge.get(j["id"], {}).values()
        )

    def _in_room(self, r: Room, at: str, long: int) -> list[Hearing]:
        return [
            h
            for h in sorted(self._hearings_by_room_status.get((r["id"], "set"), {}).values(), key=_age)
            if _overlap(h["starts"], _plus_minutes(h["starts"], h["minutes"]), at, _plus_minutes(at, long))
        ]

    def _before_judge(self, j: Judge | None, at: str, long: int) -> list[Hearing]:
        return [
            h
            for h in sorted(
                [
                    h
                    for _suit in self._suits_by_judge.get(j["id"] if j is not None else None, {}).values()
                    for h in self._hearings_by_suit_status.get((_suit["id"], "set"), {}).values()
                ],
                key=_age,
            )
            if _overlap(h["starts"], _plus_minutes(h["starts"], h["minutes"]), at, _plus_minutes(at, long))
        ]

    def _may_sit(self, j: Judge, c: Suit) -> bool:
        return (
            j["chamber"] == c["chamber"]
            and not any(self._has_interest(j, d) for d in self._bundle(c))
            and self._judge_cases(j) + len(self._bundle(c)) <= j["most_cases"]
        )

    def _breaks_rule_1(self, h: Hearing) -> bool:
        """Whether this is broken: a hearing ends by 18:00 on the day on which it begins."""
        return (
            _plus_minutes(h["starts"], h["minutes"])[:10] != h["starts"][:10]
            or _plus_minutes(h["starts"], h["minutes"])[11:] > "18:00"
        )

    def _breaks_rule_2(self, a: Hearing) -> bool:
        """Whether this is broken: a room holds one hearing at a time."""
        return (
            a["status"] == "set"
            and any(
                _overlap(
                    a["starts"],
                    _plus_minutes(a["starts"], a["minutes"]),
                    b["starts"],
                    _plus_minutes(b["starts"], b["minutes"]),
                )
                for b in self._hearings_by_room_status.get((a["room_id"], "set"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_3(self, a: Hearing) -> bool:
        """Whether this is broken: a judge sits in one hearing at a time."""
        return (
            a["status"] == "set"
            and any(
                _overlap(
                    a["starts"],
                    _plus_minutes(a["starts"], a["minutes"]),
                    b["starts"],
                    _plus_minutes(b["starts"], b["minutes"]),
                )
                for _suit in self._suits_by_judge.get(self.suits[a["suit_id"]]["judge_id"], {}).values()
                for b in self._hearings_by_suit_status.get((_suit["id"], "set"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4_c(self, c: Suit) -> bool:
        """Whether this is broken: no judge decides a case in whose parties they have an interest."""
        return (
            c["judge_id"] is not None
            and c["status"] != "decided"
            and any(
                self.parties[i["party_id"]] in [self.parties[c["plaintiff_id"]], self.parties[c["defendant_id"]]]
                for i in self._interests_by_judge.get(c["judge_id"], {}).values()
            )
        )

    def _breaks_rule_4_i(self, i: Interest) -> bool:
        """Whether this is broken: no judge decides a case in whose parties they have an interest."""
        return any(
            self.parties[i["party_id"]] in [self.parties[c["plaintiff_id"]], self.parties[c["defendant_id"]]]
            for c in self._suits_by_judge.get(i["judge_id"], {}).values()
            if c["judge_id"] is not None
            and c["status"] != "decided"
        )

    def _breaks_rule_5(self, c: Suit) -> bool:
        """Whether this is broken: a case goes to a judge of its chamber, and an active case always has a judge."""
        return not (
            (c["judge_id"] is None or self.judges[c["judge_id"]]["chamber"] == c["chamber"])
            and (c["status"] != "active" or c["judge_id"] is not None)
        )

    def _breaks_rule_6(self, j: Judge) -> bool:
        """Whether this is broken: no judge has more open cases than they can take."""
        return self._judge_cases(j) > j["most_cases"]

    def _breaks_rule_7(self, h: Hearing) -> bool:
        """Whether this is broken: hearings are set in active cases only, and in the leading one of joined cases."""
        return (
            h["status"] == "set"
            and (
                self.suits[h["suit_id"]]["status"] != "active"
                or self.suits[h["suit_id"]]["joined_to_id"] is not None
            )
        )

    def _breaks_rule_8(self, h: Hearing) -> bool:
        """Whether this is broken: a room has a seat for everybody who is expected."""
        return h["status"] == "set" and h["seats"] > self.rooms[h["room_id"]]["seats"]

    def _breaks_rule_9_h(self, h: Hearing) -> bool:
        """Whether this is broken: no trial is set while a motion to dismiss is pending."""
        return (
            h["kind"] == "trial"
            and h["status"] == "set"
            and any(self._pending(m) for m in self._motions_by_suit_kind.get((h["suit_id"], "dismiss"), {}).values())
        )

    def _breaks_rule_9_m(self, m: Motion) -> bool:
        """Whether this is broken: no trial is set while a motion to dismiss is pending."""
        return (
            m["kind"] == "dismiss"
            and self._pending(m)
            and bool(self._hearings_by_suit_kind_status.get((m["suit_id"], "trial", "set"), {}))
        )

    def _breaks_rule_10(self, c: Suit) -> bool:
        """Whether this is broken: a case is adjourned three times at most."""
        return self._suit_adjournments(c) > 3

    def _breaks_rule_11_c(self, c: Suit) -> bool:
        """Whether this is broken: a decided case has an outcome and no motion is pending in it."""
        return (c["status"] == "decided") != (c["outcome"] is not None)

    def _breaks_rule_11_m(self, m: Motion) -> bool:
        """Whether this is broken: a decided case has an outcome and no motion is pending in it."""
        return self._pending(m) and self.suits[m["suit_id"]]["status"] == "decided"

    def _breaks_rule_12(self, c: Suit) -> bool:
        """Whether this is broken: joined cases have the judge of the leading one, which is not itself joined to
        another.
        """
        return not (
            c["joined_to_id"] is None
            or self.suits[c["joined_to_id"]]["joined_to_id"] is None
            and self.suits[c["joined_to_id"]]["judge_id"] == c["judge_id"]
            and c["joined_to_id"] != c["id"]
        )

    def _breaks_rule_13(self, m: Motion) -> bool:
        """Whether this is broken: a side has one motion of a kind pending in a suit."""
        return (
            self._pending(m)
            and any(
                other_m is not m
                for other_m in self._motions_by_suit_side_kind.get((m["suit_id"], m["side"], m["kind"]), {}).values()
                if self._pending(other_m)
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
            case "suits":
                self._suits_by_joined_to.setdefault(record["joined_to_id"], {})[record["id"]] = record
                self._suits_by_judge.setdefault(record["judge_id"], {})[record["id"]] = record
            case "interests":
                self._interests_by_judge.setdefault(record["judge_id"], {})[record["id"]] = record
                self._interests_by_judge_party.setdefault(
                    (record["judge_id"], record["party_id"]),
                    {},
                )[record["id"]] = record
            case "hearings":
                self._hearings_by_room_status.setdefault((record["room_id"], record["status"]), {})[record["id"]] = record
                self._hearings_by_suit.setdefault(record["suit_id"], {})[record["id"]] = record
                self._hearings_by_suit_kind_status.setdefault(
                    (record["suit_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._hearings_by_suit_status.setdefault((record["suit_id"], record["status"]), {})[record["id"]] = record
            case "motions":
                self._motions_by_suit.setdefault(record["suit_id"], {})[record["id"]] = record
                self._motions_by_suit_kind.setdefault((record["suit_id"], record["kind"]), {})[record["id"]] = record
                self._motions_by_suit_side_kind.setdefault(
                    (record["suit_id"], record["side"], record["kind"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "suits":
                del self._suits_by_joined_to[record["joined_to_id"]][record["id"]]
                del self._suits_by_judge[record["judge_id"]][record["id"]]
            case "interests":
                del self._interests_by_judge[record["judge_id"]][record["id"]]
                del self._interests_by_judge_party[record["judge_id"], record["party_id"]][record["id"]]
            case "hearings":
                del self._hearings_by_room_status[record["room_id"], record["status"]][record["id"]]
                del self._hearings_by_suit[record["suit_id"]][record["id"]]
                del self._hearings_by_suit_kind_status[record["suit_id"], record["kind"], record["status"]][record["id"]]
                del self._hearings_by_suit_status[record["suit_id"], record["status"]][record["id"]]
            case "motions":
                del self._motions_by_suit[record["suit_id"]][record["id"]]
                del self._motions_by_suit_kind[record["suit_id"], record["kind"]][record["id"]]
                del self._motions_by_suit_side_kind[record["suit_id"], record["side"], record["kind"]][record["id"]]
