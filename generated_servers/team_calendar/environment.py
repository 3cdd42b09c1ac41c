"""Team calendar. Compiled from blueprint.yaml; run `envscaler build team_calendar` after changing it there.

Plans the meetings of a company in two buildings, with working hours, invitations and answers, delegates who act
for others, rooms, absences and proposals of new times.
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
    "A room holds one event at a time.",
    "Nobody organises two events at the same time.",
    "Nobody has said yes to two events at the same time.",
    "Nobody has said yes to an event while they organise another one.",
    "A room has a seat for everybody who has not declined.",
    "An event takes place in a room of the organiser's building.",
    "Who organises an event or has said yes is at work at that time.",
    "Nobody organises an event or has said yes to one on a day of absence.",
    "Somebody is invited to an event once, and the organiser not at all.",
    "An invited person has at most one open proposal for an event.",
    "Nobody is their own delegate or named twice.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_event",
    "invite_person",
    "uninvite_person",
    "answer_invitation",
    "propose_time",
    "decide_proposal",
    "move_event",
    "hand_over_event",
    "cancel_event",
    "enter_absence",
    "withdraw_absence",
    "set_delegate",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "people": ("name",),
    "rooms": ("name",),
    "events": ("title",),
    "invitations": (),
    "proposals": (),
    "absences": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("absences", "person_id"),
    ("events", "organiser_id"),
    ("events", "room_id"),
    ("events", "status"),
    ("events", "title"),
    ("invitations", "answer"),
    ("invitations", "event_id"),
    ("invitations", "person_id"),
    ("proposals", "by_id"),
    ("proposals", "event_id"),
    ("proposals", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Person(TypedDict):
    id: str
    name: str
    building: Literal["north", "south"]
    from_time: str
    to_time: str
    delegate_ids: list[str]


class Room(TypedDict):
    id: str
    name: str
    building: Literal["north", "south"]
    seats: int
    screen: bool


class Event(TypedDict):
    id: str
    title: str
    organiser_id: str
    starts: str
    minutes: int
    room_id: str | None
    status: Literal["planned", "cancelled"]


class Invitation(TypedDict):
    id: str
    event_id: str
    person_id: str
    needed: bool
    answer: Literal["open", "yes", "maybe", "no"]
    answered_by_id: str | None


class Proposal(TypedDict):
    id: str
    event_id: str
    by_id: str
    starts: str
    status: Literal["open", "taken", "declined"]


class Absence(TypedDict):
    id: str
    person_id: str
    first_day: str
    last_day: str


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


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class TeamCalendar:
    """Plans the meetings of a company in two buildings, with working hours, invitations and answers,
    delegates who act for others, rooms, absences and proposals of new times.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.events: dict[str, Event] = _copied(config.get("events", {}))
        self.invitations: dict[str, Invitation] = _copied(config.get("invitations", {}))
        self.proposals: dict[str, Proposal] = _copied(config.get("proposals", {}))
        self.absences: dict[str, Absence] = _copied(config.get("absences", {}))
        self.now: str = config.get("now", "2026-06-16T09:15")
        self.counters: dict[str, int] = {
            "person": len(self.people),
            "room": len(self.rooms),
            "event": len(self.events),
            "invitation": len(self.invitations),
            "proposal": len(self.proposals),
            "absence": len(self.absences),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._events_by_lower_title: dict[Any, dict[str, Event]] = {}
        self._events_by_organiser: dict[Any, dict[str, Event]] = {}
        self._events_by_organiser_status: dict[Any, dict[str, Event]] = {}
        self._events_by_room_status: dict[Any, dict[str, Event]] = {}
        self._events_by_title: dict[Any, dict[str, Event]] = {}
        self._invitations_by_event: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_event_answer: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_event_person: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_person: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_person_answer: dict[Any, dict[str, Invitation]] = {}
        self._proposals_by_event_by_status: dict[Any, dict[str, Proposal]] = {}
        self._proposals_by_event_status: dict[Any, dict[str, Proposal]] = {}
        self._absences_by_person: dict[Any, dict[str, Absence]] = {}
        for event in self.events.values():
            self._link("events", event)
        for invitation in self.invitations.values():
            self._link("invitations", invitation)
        for proposal in self.proposals.values():
            self._link("proposals", proposal)
        for absence in self.absences.values():
            self._link("absences", absence)

    def free_slots(
        self,
        person_id: str,
        on: Date,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        other_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """At which half hours of a day some people are all at work and free for so many minutes, counted from when
        the first of them begins work.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            on (str): Day to look at, as YYYY-MM-DD.
            minutes (int): Length of the free time, in minutes, from 15 to 480.
            other_ids (list): Other people who must be free as well: ids of people, such as PERSON-00001. If left
                out, only the one person must be free.

        Returns:
            dict: {"success": True, "data": {starts}} or {"success": False, "error": why not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        others = []
        for key in other_ids or []:
            if key not in self.people:
                return _refused(f"There is no person {key!r}.")
            others.append(self.people[key])
        return _found(
            {"starts": [*[a for a in self._half_hours(person, on) if a > self.now and self._free(person, a, minutes) and all(self._free(p, a, minutes) for p in others)]]}
        )

    def free_rooms(
        self,
        building: Literal["north", "south"],
        starts: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        people: Annotated[int, {"minimum": 1, "maximum": 40}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Rooms of a building that are free for some minutes and have seats enough, the smallest first.

        Args:
            building (str): Building of the rooms: north or south.
            starts (str): Moment from which on the room is needed, as YYYY-MM-DDTHH:MM.
            minutes (int): Time the room is needed, in minutes, from 15 to 480.
            people (int): Seats that are needed, from 1 to 40.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}} or {"success": False, "error": why
                not}
        """
        found = [
            r
            for r in self.rooms.values()
            if (r["building"] == building and r["seats"] >= people)
            and self._in_room(r, starts, minutes) is None
        ]
        found.sort(key=lambda r: (r["seats"], r["name"], _age(r)))
        return _found({"total": len(found), "rooms": [{**r} for r in _page(found, offset)]})

    def agenda(
        self,
        person_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What a person organises or is invited to on some day, in order of time.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            on (str): Day to look at, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}} or {"success": False, "error": why
                not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        found = [
            e
            for e in _distinct(
                [
                    *self._events_by_organiser.get(person_id, {}).values(),
                    *_those(
                        self.events,
                        [i["event_id"] for i in self._invitations_by_person.get(person_id, {}).values()],
                    ),
                ]
            )
            if (e["status"] == "planned" and e["starts"][:10] == on)
            and (e["organiser_id"] == person_id or self._invited(e, person))
        ]
        found.sort(key=lambda e: (e["starts"], e["id"], _age(e)))
        shown = [
            {
                "id": e["id"],
                "title": e["title"],
                "organiser": self.people[e["organiser_id"]]["name"],
                "starts": e["starts"],
                "ends": self._event_ends(e),
                "room": e["room_id"],
                "answer": next(
                    (
                        i["answer"]
                        for i in sorted(
                            self._invitations_by_event_person.get((e["id"], person_id), {}).values(),
                            key=_age,
                        )
                    ),
                    None,
                ),
            }
            for e in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "events": shown},
            _names((self.rooms, "name", [row["room"] for row in shown])),
        )

    def unanswered(self, person_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Invitations to events ahead that a person has not answered, the next event first.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invitations": records}} or {"success": False, "error":
                why not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        found = [
            i
            for i in self._invitations_by_person.get(person_id, {}).values()
            if (i["person_id"] == person_id and i["answer"] == "open")
            and (
                self.events[i["event_id"]]["status"] == "planned"
                and self.events[i["event_id"]]["starts"] > self.now
            )
        ]
        found.sort(key=lambda i: (self.events[i["event_id"]]["starts"], i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "invitations": [
                    {
                        "event_id": self.events[i["event_id"]]["id"],
                        "title": self.events[i["event_id"]]["title"],
                        "starts": self.events[i["event_id"]]["starts"],
                        "needed": i["needed"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_people(
        self,
        name: Text | None = None,
        building: Literal["north", "south"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            building (str, optional): Only people with this building.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (building is None or person["building"] == building)
        ]
        shown = [self._show_person(person) for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_rooms(
        self,
        name: Text | None = None,
        building: Literal["north", "south"] | None = None,
        screen: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            building (str, optional): Only rooms with this building.
            screen (bool, optional): Only rooms with this value of `screen`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (building is None or room["building"] == building)
            and (screen is None or room["screen"] == screen)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_events(
        self,
        title: Text | None = None,
        organiser_id: str | None = None,
        room_id: str | None = None,
        status: Literal["planned", "cancelled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the events, oldest first, all of them or only some.

        Args:
            title (str, optional): Only events whose title contains this text.
            organiser_id (str, optional): Only events whose organiser is this person.
            room_id (str, optional): Only events of this room.
            status (str, optional): Only events with this status.
            starts_from (str, optional): Only events whose `starts` is on this day or later.
            starts_to (str, optional): Only events whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}}
        """
        if organiser_id is not None and organiser_id not in self.people:
            return _refused(f"There is no person {organiser_id!r}.")
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            event
            for event in self.events.values()
            if (title is None or title.casefold() in event["title"].casefold())
            and (organiser_id is None or event["organiser_id"] == organiser_id)
            and (room_id is None or event["room_id"] == room_id)
            and (status is None or event["status"] == status)
            and (starts_from is None or event["starts"][:10] >= starts_from)
            and (starts_to is None or event["starts"][:10] <= starts_to)
        ]
        shown = [self._show_event(event) for event in _page(found, offset)]
        return _found({"total": len(found), "events": shown}, self._names_of_events(shown))

    def list_invitations(
        self,
        event_id: str | None = None,
        person_id: str | None = None,
        needed: bool | None = None,
        answer: Literal["open", "yes", "maybe", "no"] | None = None,
        answered_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invitations, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only invitations of this event.
            person_id (str, optional): Only invitations of this person.
            needed (bool, optional): Only invitations that are needed (true) or not (false).
            answer (str, optional): Only invitations with this answer.
            answered_by_id (str, optional): Only invitations answered by this person.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invitations": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if answered_by_id is not None and answered_by_id not in self.people:
            return _refused(f"There is no person {answered_by_id!r}.")
        found = [
            invitation
            for invitation in self.invitations.values()
            if (event_id is None or invitation["event_id"] == event_id)
            and (person_id is None or invitation["person_id"] == person_id)
            and (needed is None or invitation["needed"] == needed)
            and (answer is None or invitation["answer"] == answer)
            and (answered_by_id is None or invitation["answered_by_id"] == answered_by_id)
        ]
        shown = [{**invitation} for invitation in _page(found, offset)]
        return _found({"total": len(found), "invitations": shown}, self._names_of_invitations(shown))

    def list_proposals(
        self,
        event_id: str | None = None,
        by_id: str | None = None,
        status: Literal["open", "taken", "declined"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proposals, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only proposals of this event.
            by_id (str, optional): Only proposals by this person.
            status (str, optional): Only proposals with this status.
            starts_from (str, optional): Only proposals whose `starts` is on this day or later.
            starts_to (str, optional): Only proposals whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proposals": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        if by_id is not None and by_id not in self.people:
            return _refused(f"There is no person {by_id!r}.")
        found = [
            proposal
            for proposal in self.proposals.values()
            if (event_id is None or proposal["event_id"] == event_id)
            and (by_id is None or proposal["by_id"] == by_id)
            and (status is None or proposal["status"] == status)
            and (starts_from is None or proposal["starts"][:10] >= starts_from)
            and (starts_to is None or proposal["starts"][:10] <= starts_to)
        ]
        shown = [{**proposal} for proposal in _page(found, offset)]
        return _found({"total": len(found), "proposals": shown}, self._names_of_proposals(shown))

    def list_absences(
        self,
        person_id: str | None = None,
        first_day_from: Date | None = None,
        first_day_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the absences, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only absences of this person.
            first_day_from (str, optional): Only absences whose `first_day` is on this day or later.
            first_day_to (str, optional): Only absences whose `first_day` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "absences": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        found = [
            absence
            for absence in self.absences.values()
            if (person_id is None or absence["person_id"] == person_id)
            and (first_day_from is None or absence["first_day"] >= first_day_from)
            and (first_day_to is None or absence["first_day"] <= first_day_to)
        ]
        shown = [{**absence} for absence in _page(found, offset)]
        return _found({"total": len(found), "absences": shown}, self._names_of_absences(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_event(
        self,
        organiser_id: str,
        by_id: str,
        title: Text,
        starts: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        room_id: str | None = None,
        needed_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
        welcome_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Plan an event and invite people, who have not answered yet.

        Args:
            organiser_id (str): Person who organises the event; an id such as PERSON-00001.
            by_id (str): Organiser, or a delegate who acts for the organiser; an id such as PERSON-00001.
            title (str): Title of the new event, not in use yet.
            starts (str): Moment at which it begins, within the organiser's working hours, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the event, in minutes, from 15 to 480.
            room_id (str, optional): Free room in the organiser's building; an id such as ROOM-00001. If left out,
                the event has no room.
            needed_ids (list): People invited whose presence matters, without the organiser: ids of people, such as
                PERSON-00001. If left out, nobody is invited as needed.
            welcome_ids (list): People invited who may stay away, none of them needed too: ids of people, such as
                PERSON-00001. If left out, nobody is invited as merely welcome.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organiser = self.people.get(organiser_id)
        if organiser is None:
            return _refused(f"There is no person {organiser_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        needed = []
        for key in needed_ids or []:
            if key not in self.people:
                return _refused(f"There is no person {key!r}.")
            needed.append(self.people[key])
        welcome = []
        for key_2 in welcome_ids or []:
            if key_2 not in self.people:
                return _refused(f"There is no person {key_2!r}.")
            welcome.append(self.people[key_2])
        if not self._acts_for(by, organiser):
            return _refused(f"{by['name']} is no delegate of {organiser['name']}.")
        if self._events_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is an event {title} already.")
        if starts <= self.now:
            return _refused(f"{starts} is past.")
        if not (
            _different([p["id"] for p in needed])
            and _different([p["id"] for p in welcome])
            and not any(p in needed for p in welcome)
            and organiser not in needed + welcome
        ):
            return _refused("Somebody is named twice, or the organiser is invited.")
        if not self._at_work(organiser, starts, minutes):
            return _refused(
                f"{organiser['name']} works from {organiser['from_time']} to {organiser['to_time']}, Monday to "
                "Friday."
            )
        if self._away(organiser, starts[:10]):
            return _refused(f"{organiser['name']} is away on {starts[:10]}.")
        other = self._clash(organiser, starts, minutes)
        if other is not None:
            return _refused(
                f"{organiser['name']} is in {other['title']} from {other['starts']} to {self._event_ends(other)}."
            )
        if room_id is not None and room["building"] != organiser["building"]:
            return _refused(f"{room['name']} is not in {organiser['name']}'s building.")
        if room_id is not None and len(needed) + len(welcome) >= room["seats"]:
            return _refused(f"{room['name']} has {room['seats']} seats.")
        taken = next(
            (
                e
                for e in sorted(self._events_by_room_status.get((room_id, "planned"), {}).values(), key=_age)
                if room_id is not None
                and _overlap(e["starts"], self._event_ends(e), starts, _plus_minutes(starts, minutes))
            ),
            None,
        )
        if taken is not None:
            return _refused(f"The room is taken by {taken['title']} until {self._event_ends(taken)}.")
        self._journal = []
        added_invitations: list[Any] = []
        event: Event = {
            "id": self._new_id("event", "EVENT", self.events),
            "title": title,
            "organiser_id": organiser_id,
            "starts": starts,
            "minutes": minutes,
            "room_id": room_id,
            "status": "planned",
        }
        self._add("events", event)
        for p in _those(self.people, [record["id"] for record in needed]):
            invitation = {
                "id": self._new_id("invitation", "INVITATION", self.invitations),
                "event_id": event["id"],
                "person_id": p["id"],
                "needed": True,
                "answer": "open",
                "answered_by_id": None,
            }
            self._add("invitations", invitation)
            added_invitations.append(invitation)
        for p in _those(self.people, [record["id"] for record in welcome]):
            new_invitation = {
                "id": self._new_id("invitation", "INVITATION", self.invitations),
                "event_id": event["id"],
                "person_id": p["id"],
                "needed": False,
                "answer": "open",
                "answered_by_id": None,
            }
            self._add("invitations", new_invitation)
            added_invitations.append(new_invitation)
        if len(self._events_by_title.get(event["title"], {})) > 1:
            return self._take_back(f"There is already an event with the title {event['title']!r}.")
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_3(one_invitation):
                return self._take_back(RULES[2])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_4_i(one_invitation):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_e(event):
            return self._take_back(RULES[3])
        for one_event in _distinct([event, *[self.events[one["event_id"]] for one in added_invitations]]):
            if self._breaks_rule_5(one_event):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(event):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_e(event):
            return self._take_back(RULES[6])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_7_i(one_invitation):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_e(event):
            return self._take_back(RULES[7])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_8_i(one_invitation):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_9_i(one_invitation):
                return self._take_back(RULES[8])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_9_i_again(one_invitation):
                return self._take_back(RULES[8])
        done = f"plan {title} of {organiser['name']} for {starts} as {by['name']}"
        if room is not None:
            done += f" in {room['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: event {event['id']}).",
            "data": {"event_id": event["id"], **self._changes()},
        }

    def invite_person(self, event_id: str, by_id: str, person_id: str, needed: bool = True) -> Result:
        """Invite one more person to an event.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            by_id (str): Organiser of the event, or a delegate; an id such as PERSON-00001.
            person_id (str): Id of the person, such as PERSON-00001.
            needed (bool): Whether the person's presence matters. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._acts_for(by, self.people[event["organiser_id"]]):
            return _refused(f"{by['name']} does not act for {self.people[event['organiser_id']]['name']}.")
        if person_id == event["organiser_id"]:
            return _refused(f"{person['name']} organises {event['title']}.")
        if self._invited(event, person):
            return _refused(f"{person['name']} is invited already.")
        if event["room_id"] is not None and self._event_expected(event) >= self.rooms[event["room_id"]]["seats"]:
            return _refused(
                f"{self.rooms[event['room_id']]['name']} has {self.rooms[event['room_id']]['seats']} seats and "
                f"{self._event_expected(event)} people are expected, so take a larger room first."
            )
        self._journal = []
        invitation: Invitation = {
            "id": self._new_id("invitation", "INVITATION", self.invitations),
            "event_id": event_id,
            "person_id": person_id,
            "needed": needed,
            "answer": "open",
            "answered_by_id": None,
        }
        self._add("invitations", invitation)
        if self._breaks_rule_3(invitation):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_i(invitation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.events[invitation["event_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_i(invitation):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_i(invitation):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_i(invitation):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_i_again(invitation):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: invite {person['name']} to {event['title']} as {by['name']} (new: invitation "
                f"{invitation['id']})."
            ),
            "data": {"invitation_id": invitation["id"], **self._changes()},
        }

    def uninvite_person(self, event_id: str, by_id: str, person_id: str) -> Result:
        """Take somebody off the list of an event; an open proposal of theirs for it lapses.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            by_id (str): Organiser of the event, or a delegate; an id such as PERSON-00001.
            person_id (str): Id of the person, such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._acts_for(by, self.people[event["organiser_id"]]):
            return _refused(f"{by['name']} does not act for {self.people[event['organiser_id']]['name']}.")
        if not self._invited(event, person):
            return _refused(f"{person['name']} is not invited to {event['title']}.")
        self._journal = []
        changed_proposals: list[Any] = []
        deleted_invitations: list[Any] = []
        for p in sorted(self._proposals_by_event_by_status.get((event_id, person_id, "open"), {}).values(), key=_age):
            if p["status"] not in ("open", "declined"):
                return self._take_back(f"Proposal {p['id']} cannot go from {p['status']} to declined.")
            changed_proposals.append(p)
            self._put("proposals", p, "status", "declined")
        for i in sorted(self._invitations_by_event_person.get((event_id, person_id), {}).values(), key=_age):
            if i["id"] in self.invitations:
                self._remove("invitations", i)
            deleted_invitations.append(i)
        for one_event in _distinct([self.events[one["event_id"]] for one in deleted_invitations]):
            if self._breaks_rule_5(one_event):
                return self._take_back(RULES[4])
        for one_proposal in _distinct(changed_proposals):
            if self._breaks_rule_10(one_proposal):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: take {person['name']} off the list of {event['title']} as {by['name']}.",
            "data": self._changes(),
        }

    def answer_invitation(
        self,
        event_id: str,
        person_id: str,
        by_id: str,
        answer: Literal["yes", "maybe", "no"],
    ) -> Result:
        """Answer an invitation for oneself or for somebody one is a delegate of.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            person_id (str): Id of the person, such as PERSON-00001.
            by_id (str): Invited person, or a delegate of theirs; an id such as PERSON-00001.
            answer (str): Answer that is given: yes, maybe or no.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._acts_for(by, person):
            return _refused(f"{by['name']} is no delegate of {person['name']}.")
        invitation = next(
            (i for i in sorted(self._invitations_by_event_person.get((event_id, person_id), {}).values(), key=_age)),
            None,
        )
        if invitation is None:
            return _refused(f"{person['name']} is not invited to {event['title']}.")
        if invitation["answer"] == answer:
            return _refused(f"{person['name']} has said {answer} already.")
        if not (answer != "yes" or self._at_work(person, event["starts"], event["minutes"])):
            return _refused(
                f"{person['name']} works from {person['from_time']} to {person['to_time']}, Monday to Friday."
            )
        if answer == "yes" and self._away(person, event["starts"][:10]):
            return _refused(f"{person['name']} is away on {event['starts'][:10]}.")
        other = self._clash_but(person, event["starts"], event["minutes"], event)
        if answer == "yes" and other is not None:
            return _refused(
                f"{person['name']} is in {other['title']} from {other['starts']} to {self._event_ends(other)}."
            )
        if (
            invitation["answer"] == "no"
            and event["room_id"] is not None
            and self._event_expected(event) >= self.rooms[event["room_id"]]["seats"]
        ):
            return _refused(f"{self.rooms[event['room_id']]['name']} is full by now.")
        self._journal = []
        self._put("invitations", invitation, "answer", answer)
        self._put("invitations", invitation, "answered_by_id", by_id)
        if self._breaks_rule_3(invitation):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_i(invitation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.events[invitation["event_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_i(invitation):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_i(invitation):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: answer {answer} to {event['title']} for {person['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def propose_time(self, event_id: str, by_id: str, starts: DateTime) -> Result:
        """Propose another time for an event to which one is invited.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            by_id (str): Invited person who proposes the time; an id such as PERSON-00001.
            starts (str): Moment at which the event would begin, after now, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._invited(event, by):
            return _refused(f"{by['name']} is not invited to {event['title']}.")
        if starts <= self.now or starts == event["starts"]:
            return _refused("Propose a time ahead that differs from the present one.")
        if self._proposals_by_event_by_status.get((event_id, by_id, "open"), {}):
            return _refused(f"{by['name']} has an open proposal for {event['title']} already.")
        if not self._at_work(by, starts, event["minutes"]):
            return _refused(f"{by['name']} works from {by['from_time']} to {by['to_time']}, Monday to Friday.")
        self._journal = []
        proposal: Proposal = {
            "id": self._new_id("proposal", "PROPOSAL", self.proposals),
            "event_id": event_id,
            "by_id": by_id,
            "starts": starts,
            "status": "open",
        }
        self._add("proposals", proposal)
        if self._breaks_rule_10(proposal):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: propose {starts} for {event['title']} as {by['name']} (new: proposal {proposal['id']})."
            ),
            "data": {"proposal_id": proposal["id"], **self._changes()},
        }

    def decide_proposal(self, proposal_id: str, by_id: str, taken: bool) -> Result:
        """Take a proposal, which moves the event, counts as a yes of who proposed it and asks everybody else again,
        or decline it.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            by_id (str): Organiser of the event, or a delegate; an id such as PERSON-00001.
            taken (bool): Whether the event moves to that time, as opposed to declining it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        event = self.events[proposal["event_id"]]
        organiser = self.people[event["organiser_id"]]
        if proposal["status"] != "open":
            return _refused(f"The proposal is {proposal['status']}.")
        if not self._acts_for(by, organiser):
            return _refused(f"{by['name']} does not act for {organiser['name']}.")
        if not (
            not taken
            or event["status"] == "planned"
            and event["starts"] > self.now
            and proposal["starts"] > self.now
        ):
            return _refused(f"{event['title']} is over or cancelled, or the time is past.")
        if not (
            not taken
            or self._at_work(organiser, proposal["starts"], event["minutes"])
            and not self._away(organiser, proposal["starts"][:10])
        ):
            return _refused(f"{organiser['name']} is not at work then.")
        other = self._clash_but(organiser, proposal["starts"], event["minutes"], event)
        if taken and other is not None:
            return _refused(f"{organiser['name']} is in {other['title']} then.")
        block = self._clash_but(self.people[proposal["by_id"]], proposal["starts"], event["minutes"], event)
        if not (
            not taken
            or block is None
            and self._at_work(self.people[proposal["by_id"]], proposal["starts"], event["minutes"])
            and not self._away(self.people[proposal["by_id"]], proposal["starts"][:10])
            and self._invited(event, self.people[proposal["by_id"]])
        ):
            return _refused(f"{self.people[proposal['by_id']]['name']} has no time then any more.")
        guest = next(
            (
                e
                for e in sorted(self._events_by_room_status.get((event["room_id"], "planned"), {}).values(), key=_age)
                if e is not event
                and event["room_id"] is not None
                and _overlap(
                    e["starts"],
                    self._event_ends(e),
                    proposal["starts"],
                    _plus_minutes(proposal["starts"], event["minutes"]),
                )
            ),
            None,
        )
        if taken and guest is not None:
            return _refused(f"The room is taken by {guest['title']} then.")
        if (
            taken
            and event["room_id"] is not None
            and 1 + len(self._invitations_by_event.get(event["id"], {})) > self.rooms[event["room_id"]]["seats"]
        ):
            return _refused("The room is too small for everybody who would be asked again.")
        self._journal = []
        changed_events: list[Any] = []
        changed_invitations: list[Any] = []
        changed_proposals: list[Any] = []
        if taken:
            changed_events.append(event)
            self._put("events", event, "starts", proposal["starts"])
            for i in sorted(self._invitations_by_event.get(event["id"], {}).values(), key=_age):
                changed_invitations.append(i)
                self._put("invitations", i, "answer", "yes" if i["person_id"] == proposal["by_id"] else "open")
                self._put(
                    "invitations",
                    i,
                    "answered_by_id",
                    proposal["by_id"] if i["person_id"] == proposal["by_id"] else None,
                )
            for p in [
                p
                for p in sorted(self._proposals_by_event_status.get((event["id"], "open"), {}).values(), key=_age)
                if p is not proposal
            ]:
                if p["status"] not in ("open", "declined"):
                    return self._take_back(f"Proposal {p['id']} cannot go from {p['status']} to declined.")
                changed_proposals.append(p)
                self._put("proposals", p, "status", "declined")
            if proposal["status"] not in ("open", "taken"):
                return self._take_back(f"Proposal {proposal['id']} cannot go from {proposal['status']} to taken.")
            changed_proposals.append(proposal)
            self._put("proposals", proposal, "status", "taken")
        else:
            if proposal["status"] not in ("open", "declined"):
                return self._take_back(f"Proposal {proposal['id']} cannot go from {proposal['status']} to declined.")
            changed_proposals.append(proposal)
            self._put("proposals", proposal, "status", "declined")
        for one_event in _distinct(changed_events):
            if self._breaks_rule_1_a(one_event):
                return self._take_back(RULES[0])
        for one_event in _distinct(changed_events):
            if self._breaks_rule_1_b(one_event):
                return self._take_back(RULES[0])
        for one_event in _distinct(changed_events):
            if self._breaks_rule_2(one_event):
                return self._take_back(RULES[1])
        for one_invitation in _distinct(
            [
                *[
                    user
                    for one in changed_events
                    for user in self._invitations_by_event_answer.get((one["id"], "yes"), {}).values()
                ],
                *changed_invitations,
            ]
        ):
            if self._breaks_rule_3(one_invitation):
                return self._take_back(RULES[2])
        for one_invitation in _distinct(
            [
                *[
                    user
                    for one in changed_events
                    for user in self._invitations_by_event_answer.get((one["id"], "yes"), {}).values()
                ],
                *changed_invitations,
            ]
        ):
            if self._breaks_rule_4_i(one_invitation):
                return self._take_back(RULES[3])
        for one_event in _distinct(changed_events):
            if self._breaks_rule_4_e(one_event):
                return self._take_back(RULES[3])
        for one_event in _distinct([self.events[one["event_id"]] for one in changed_invitations]):
            if self._breaks_rule_5(one_event):
                return self._take_back(RULES[4])
        for one_event in _distinct(changed_events):
            if self._breaks_rule_7_e(one_event):
                return self._take_back(RULES[6])
        for one_invitation in _distinct(
            [
                *[
                    user
                    for one in changed_events
                    for user in self._invitations_by_event_answer.get((one["id"], "yes"), {}).values()
                ],
                *changed_invitations,
            ]
        ):
            if self._breaks_rule_7_i(one_invitation):
                return self._take_back(RULES[6])
        for one_event in _distinct(changed_events):
            if self._breaks_rule_8_e(one_event):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(
            [
                *[
                    user
                    for one in changed_events
                    for user in self._invitations_by_event_answer.get((one["id"], "yes"), {}).values()
                ],
                *changed_invitations,
            ]
        ):
            if self._breaks_rule_8_i(one_invitation):
                return self._take_back(RULES[7])
        for one_proposal in _distinct(changed_proposals):
            if self._breaks_rule_10(one_proposal):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: decide on the proposal of {self.people[proposal['by_id']]['name']} for "
                f"{self.events[proposal['event_id']]['title']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def move_event(
        self,
        event_id: str,
        by_id: str,
        starts: DateTime | None = None,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}] | None = None,
        room_id: str | None = None,
    ) -> Result:
        """Change the time, the length or the room of an event; at another time or length everybody is asked again and
        open proposals lapse.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            by_id (str): Organiser of the event, or a delegate; an id such as PERSON-00001.
            starts (str, optional): Moment at which it begins from now on, as YYYY-MM-DDTHH:MM. If left out, the
                beginning stays as it is.
            minutes (int, optional): New length of the event, in minutes, from 15 to 480. If left out, the length
                stays as it is.
            room_id (str, optional): Free room in the organiser's building; an id such as ROOM-00001. If left out,
                the room stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._acts_for(by, self.people[event["organiser_id"]]):
            return _refused(f"{by['name']} does not act for {self.people[event['organiser_id']]['name']}.")
        organiser = self.people[event["organiser_id"]]
        at = starts if starts is not None else event["starts"]
        long = minutes if minutes is not None else event["minutes"]
        where = room or self.rooms.get(event["room_id"])
        if at == event["starts"] and long == event["minutes"] and where is self.rooms.get(event["room_id"]):
            return _refused("Nothing would change.")
        if at <= self.now:
            return _refused(f"{at} is past.")
        if not (self._at_work(organiser, at, long) and not self._away(organiser, at[:10])):
            return _refused(f"{organiser['name']} is not at work then.")
        other = self._clash_but(organiser, at, long, event)
        if other is not None:
            return _refused(
                f"{organiser['name']} is in {other['title']} from {other['starts']} to {self._event_ends(other)}."
            )
        if room_id is not None and room["building"] != organiser["building"]:
            return _refused(f"{room['name']} is not in {organiser['name']}'s building.")
        guest = next(
            (
                e
                for e in sorted(
                    self._events_by_room_status.get(
                        (where["id"] if where is not None else None, "planned"),
                        {},
                    ).values(),
                    key=_age,
                )
                if e is not event
                and where is not None
                and _overlap(e["starts"], self._event_ends(e), at, _plus_minutes(at, long))
            ),
            None,
        )
        if guest is not None:
            return _refused(
                f"The room is taken by {guest['title']} from {guest['starts']} to {self._event_ends(guest)}."
            )
        if (
            where is not None
            and (
                self._event_expected(event)
                if at == event["starts"]
                and long == event["minutes"]
                else 1 + len(self._invitations_by_event.get(event_id, {}))
            ) > where["seats"]
        ):
            return _refused("The room is too small for those who are or would be asked.")
        self._journal = []
        changed_invitations: list[Any] = []
        changed_proposals: list[Any] = []
        if at != event["starts"] or long != event["minutes"]:
            for i in sorted(self._invitations_by_event.get(event_id, {}).values(), key=_age):
                changed_invitations.append(i)
                self._put("invitations", i, "answer", "open")
                self._put("invitations", i, "answered_by_id", None)
            for p in sorted(self._proposals_by_event_status.get((event_id, "open"), {}).values(), key=_age):
                if p["status"] not in ("open", "declined"):
                    return self._take_back(f"Proposal {p['id']} cannot go from {p['status']} to declined.")
                changed_proposals.append(p)
                self._put("proposals", p, "status", "declined")
        self._put("events", event, "starts", at)
        if not 15 <= long <= 480:
            return self._take_back(f"The minutes of {event['title']} must be between 15 and 480.")
        self._put("events", event, "minutes", long)
        self._put("events", event, "room_id", where["id"] if where is not None else None)
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        for one_invitation in _distinct(
            [*changed_invitations, *self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()]
        ):
            if self._breaks_rule_3(one_invitation):
                return self._take_back(RULES[2])
        for one_invitation in _distinct(
            [*changed_invitations, *self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()]
        ):
            if self._breaks_rule_4_i(one_invitation):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_e(event):
            return self._take_back(RULES[3])
        for one_event in _distinct([event, *[self.events[one["event_id"]] for one in changed_invitations]]):
            if self._breaks_rule_5(one_event):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(event):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_e(event):
            return self._take_back(RULES[6])
        for one_invitation in _distinct(
            [*changed_invitations, *self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()]
        ):
            if self._breaks_rule_7_i(one_invitation):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_e(event):
            return self._take_back(RULES[7])
        for one_invitation in _distinct(
            [*changed_invitations, *self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()]
        ):
            if self._breaks_rule_8_i(one_invitation):
                return self._take_back(RULES[7])
        for one_proposal in _distinct(changed_proposals):
            if self._breaks_rule_10(one_proposal):
                return self._take_back(RULES[9])
        done = f"move {event['title']} as {by['name']}"
        if starts is not None:
            done += f" to {starts}"
        if room is not None:
            done += f" into {room['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_over_event(self, event_id: str, by_id: str, heir_id: str) -> Result:
        """Hand an event over to another organiser of the same building, who leaves the list of the invited.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            by_id (str): Present organiser of the event, or a delegate; an id such as PERSON-00001.
            heir_id (str): Person who organises it from now on; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        heir = self.people.get(heir_id)
        if heir is None:
            return _refused(f"There is no person {heir_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._acts_for(by, self.people[event["organiser_id"]]):
            return _refused(f"{by['name']} does not act for {self.people[event['organiser_id']]['name']}.")
        if heir_id == event["organiser_id"]:
            return _refused(f"{heir['name']} organises {event['title']} already.")
        if event["room_id"] is not None and self.rooms[event["room_id"]]["building"] != heir["building"]:
            return _refused(f"{heir['name']} works in the other building.")
        if not (
            self._at_work(heir, event["starts"], event["minutes"])
            and not self._away(heir, event["starts"][:10])
        ):
            return _refused(f"{heir['name']} is not at work then.")
        other = self._clash_but(heir, event["starts"], event["minutes"], event)
        if other is not None:
            return _refused(f"{heir['name']} is in {other['title']} then.")
        if not (
            event["room_id"] is None
            or self._invited(event, heir)
            or self._event_expected(event) <= self.rooms[event["room_id"]]["seats"]
        ):
            return _refused("The room is too small.")
        self._journal = []
        changed_proposals: list[Any] = []
        deleted_invitations: list[Any] = []
        for p in sorted(self._proposals_by_event_by_status.get((event_id, heir_id, "open"), {}).values(), key=_age):
            if p["status"] not in ("open", "declined"):
                return self._take_back(f"Proposal {p['id']} cannot go from {p['status']} to declined.")
            changed_proposals.append(p)
            self._put("proposals", p, "status", "declined")
        for i in sorted(self._invitations_by_event_person.get((event_id, heir_id), {}).values(), key=_age):
            if i["id"] in self.invitations:
                self._remove("invitations", i)
            deleted_invitations.append(i)
        self._put("events", event, "organiser_id", heir_id)
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_e(event):
            return self._take_back(RULES[3])
        for one_event in _distinct([self.events[one["event_id"]] for one in deleted_invitations]):
            if self._breaks_rule_5(one_event):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(event):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_e(event):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_e(event):
            return self._take_back(RULES[7])
        for one_invitation in _distinct(self._invitations_by_event.get(event["id"], {}).values()):
            if one_invitation["id"] in self.invitations and self._breaks_rule_9_i_again(one_invitation):
                return self._take_back(RULES[8])
        for one_proposal in _distinct(changed_proposals):
            if self._breaks_rule_10(one_proposal):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: hand {event['title']} over to {heir['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def cancel_event(self, event_id: str, by_id: str) -> Result:
        """Cancel an event; open proposals lapse.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            by_id (str): Organiser of the event, or a delegate; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if event["status"] != "planned" or event["starts"] <= self.now:
            return _refused(f"{event['title']} is over or cancelled.")
        if not self._acts_for(by, self.people[event["organiser_id"]]):
            return _refused(f"{by['name']} does not act for {self.people[event['organiser_id']]['name']}.")
        self._journal = []
        changed_proposals: list[Any] = []
        for p in sorted(self._proposals_by_event_status.get((event_id, "open"), {}).values(), key=_age):
            if p["status"] not in ("open", "declined"):
                return self._take_back(f"Proposal {p['id']} cannot go from {p['status']} to declined.")
            changed_proposals.append(p)
            self._put("proposals", p, "status", "declined")
        self._put("events", event, "status", "cancelled")
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        for one_invitation in _distinct(self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()):
            if self._breaks_rule_3(one_invitation):
                return self._take_back(RULES[2])
        for one_invitation in _distinct(self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()):
            if self._breaks_rule_4_i(one_invitation):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_e(event):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(event):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(event):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_e(event):
            return self._take_back(RULES[6])
        for one_invitation in _distinct(self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()):
            if self._breaks_rule_7_i(one_invitation):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_e(event):
            return self._take_back(RULES[7])
        for one_invitation in _distinct(self._invitations_by_event_answer.get((event["id"], "yes"), {}).values()):
            if self._breaks_rule_8_i(one_invitation):
                return self._take_back(RULES[7])
        for one_proposal in _distinct(changed_proposals):
            if self._breaks_rule_10(one_proposal):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: cancel {event['title']} as {by['name']}.",
            "data": self._changes(),
        }

    def enter_absence(self, person_id: str, first_day: Date, last_day: Date) -> Result:
        """Enter days of absence; every yes and maybe for these days becomes a no.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            first_day (str): First day of the absence, today at the earliest, as YYYY-MM-DD.
            last_day (str): Last day of the absence, at most 41 days in all, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if self.now[:10] > first_day or first_day > last_day or last_day > _plus_days(first_day, 40):
            return _refused("An absence begins today or later and lasts 1 to 41 days.")
        if any(
            first_day <= x["last_day"]
            for x in self._absences_by_person.get(person_id, {}).values()
            if x["first_day"] <= last_day
        ):
            return _refused(f"{person['name']} is away on some of these days already.")
        own = next(
            (
                e
                for e in sorted(self._events_by_organiser_status.get((person_id, "planned"), {}).values(), key=_age)
                if (first_day <= e["starts"][:10] and e["starts"][:10] <= last_day)
            ),
            None,
        )
        if own is not None:
            return _refused(
                f"{person['name']} organises {own['title']} on {own['starts'][:10]}, so move it, hand it over or "
                "cancel it first."
            )
        self._journal = []
        changed_invitations: list[Any] = []
        for i in [
            i
            for i in sorted(self._invitations_by_person.get(person_id, {}).values(), key=_age)
            if i["answer"] in ("yes", "maybe")
            and self.events[i["event_id"]]["status"] == "planned"
            and self.events[i["event_id"]]["starts"] > self.now
            and (
                first_day <= self.events[i["event_id"]]["starts"][:10]
                and self.events[i["event_id"]]["starts"][:10] <= last_day
            )
        ]:
            changed_invitations.append(i)
            self._put("invitations", i, "answer", "no")
            self._put("invitations", i, "answered_by_id", person_id)
        absence: Absence = {
            "id": self._new_id("absence", "ABSENCE", self.absences),
            "person_id": person_id,
            "first_day": first_day,
            "last_day": last_day,
        }
        self._add("absences", absence)
        for one_invitation in _distinct(changed_invitations):
            if self._breaks_rule_3(one_invitation):
                return self._take_back(RULES[2])
        for one_invitation in _distinct(changed_invitations):
            if self._breaks_rule_4_i(one_invitation):
                return self._take_back(RULES[3])
        for one_event in _distinct([self.events[one["event_id"]] for one in changed_invitations]):
            if self._breaks_rule_5(one_event):
                return self._take_back(RULES[4])
        for one_invitation in _distinct(changed_invitations):
            if self._breaks_rule_7_i(one_invitation):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_x(absence):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_x_again(absence):
            return self._take_back(RULES[7])
        for one_invitation in _distinct(changed_invitations):
            if self._breaks_rule_8_i(one_invitation):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: enter that {person['name']} is away from {first_day} to {last_day} (new: absence "
                f"{absence['id']})."
            ),
            "data": {"absence_id": absence["id"], **self._changes()},
        }

    def withdraw_absence(self, absence_id: str, back_on: Date | None = None) -> Result:
        """Withdraw an absence that is ahead, or let somebody be back earlier than entered.

        Args:
            absence_id (str): Id of the absence, such as ABSENCE-00001.
            back_on (str, optional): First day back at work, earlier than entered, as YYYY-MM-DD. If left out, the
                whole absence is withdrawn, which must not have begun before today.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        absence = self.absences.get(absence_id)
        if absence is None:
            return _refused(f"There is no absence {absence_id!r}.")
        if absence["last_day"] < self.now[:10]:
            return _refused(
                f"That absence of {self.people[absence['person_id']]['name']} ended on {absence['last_day']}."
            )
        if back_on is None and absence["first_day"] < self.now[:10]:
            return _refused(
                f"{self.people[absence['person_id']]['name']} has been away since {absence['first_day']}, so say "
                "the day of the return."
            )
        if not (
            back_on is None
            or back_on >= self.now[:10]
            and (absence["first_day"] < back_on and back_on <= absence["last_day"])
        ):
            return _refused(
                f"{self.people[absence['person_id']]['name']} is away from {absence['first_day']} to "
                f"{absence['last_day']}, so {back_on} is no earlier return."
            )
        self._journal = []
        deleted_absences: list[Any] = []
        changed_absences: list[Any] = []
        if back_on is None:
            if absence["id"] in self.absences:
                self._remove("absences", absence)
            deleted_absences.append(absence)
        else:
            changed_absences.append(absence)
            if absence["id"] in self.absences:
                self._put("absences", absence, "last_day", _plus_days(back_on, -1))
        for one_absence in _distinct(changed_absences):
            if one_absence["id"] in self.absences and self._breaks_rule_8_x(one_absence):
                return self._take_back(RULES[7])
        for one_absence in _distinct(changed_absences):
            if one_absence["id"] in self.absences and self._breaks_rule_8_x_again(one_absence):
                return self._take_back(RULES[7])
        done = f"withdraw the absence of {self.people[absence['person_id']]['name']} from {absence['first_day']}"
        if back_on is not None:
            done += f" as of {back_on}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def set_delegate(self, person_id: str, delegate_id: str, acting: bool = True) -> Result:
        """Let somebody act for a person in the calendar, or no longer.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            delegate_id (str): Somebody else who acts for the person; an id such as PERSON-00001.
            acting (bool): Whether the delegate may act, as opposed to no longer. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        delegate = self.people.get(delegate_id)
        if delegate is None:
            return _refused(f"There is no person {delegate_id!r}.")
        if person is delegate:
            return _refused("Nobody is their own delegate.")
        if acting != (delegate_id not in person["delegate_ids"]):
            return _refused(f"For {delegate['name']} it is as wanted already.")
        if acting and len(person["delegate_ids"]) >= 3:
            return _refused(f"{person['name']} has three delegates, so let one go first.")
        self._journal = []
        self._put(
            "people",
            person,
            "delegate_ids",
            [
                record["id"]
                for record in [
                    p
                    for p in _those(self.people, [*person["delegate_ids"], delegate_id])
                    if (p["id"] in person["delegate_ids"] and p is not delegate or p is delegate and acting)
                ]
            ],
        )
        if self._breaks_rule_11(person):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: change whether {delegate['name']} acts for {person['name']}.",
            "data": self._changes(),
        }

    def _show_person(self, person: Person) -> dict[str, Any]:
        """The person as an answer shows it."""
        return {**person, "delegate_ids": [*person["delegate_ids"]]}

    def _show_event(self, event: Event) -> dict[str, Any]:
        """The event as an answer shows it."""
        return {**event, "ends": self._event_ends(event), "expected": self._event_expected(event)}

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names((self.people, "name", [each for row in shown for each in row["delegate_ids"]]))

    def _names_of_events(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that events point to."""
        return _names(
            (self.people, "name", [row["organiser_id"] for row in shown]),
            (self.rooms, "name", [row["room_id"] for row in shown]),
        )

    def _names_of_invitations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invitations point to."""
        return _names(
            (self.events, "title", [row["event_id"] for row in shown]),
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.people, "name", [row["answered_by_id"] for row in shown]),
        )

    def _names_of_proposals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that proposals point to."""
        return _names(
            (self.events, "title", [row["event_id"] for row in shown]),
            (self.people, "name", [row["by_id"] for row in shown]),
        )

    def _names_of_absences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that absences point to."""
        return _names((self.people, "name", [row["person_id"] for row in shown]))

    def _event_ends(self, event: Event) -> str:
        """The ends of an event."""
        return _plus_minutes(event["starts"], event["minutes"])

    def _event_expected(self, event: Event) -> int:
        """The expected of an event."""
        return 1 + sum(1 for i in self._invitations_by_event.get(event["id"], {}).values() if i["answer"] != "no")

    def _acts_for(self, by: Person, p: Person) -> bool:
        return by is p or by["id"] in p["delegate_ids"]

    def _at_work(self, p: Person, a: str, m: int) -> bool:
        return (
            _weekday(a[:10]) <= 5
            and a[:10] == _plus_minutes(a, m)[:10]
            and p["from_time"] <= a[11:]
            and _plus_minutes(a, m)[11:] <= p["to_time"]
        )

    def _away(self, p: Person, on: str) -> bool:
        return any(
            x["first_day"] <= on
            and on <= x["last_day"]
            for x in self._absences_by_person.get(p["id"], {}).values()
        )

    def _attends(self, p: Person, e: Event) -> bool:
        return (
            e["status"] == "planned"
            and (
                e["organiser_id"] == p["id"]
                or any(
                    i["answer"] == "yes"
                    for i in self._invitations_by_event_person.get((e["id"], p["id"]), {}).values()
                )
            )
        )

    def _clash(self, p: Person, a: str, m: int) -> Event | None:
        return next(
            (
                e
                for e in sorted(
                    _distinct(
                        [
                            *self._events_by_organiser.get(p["id"], {}).values(),
                            *_those(
                                self.events,
                                [
                                    i["event_id"]
                                    for i in self._invitations_by_person_answer.get((p["id"], "yes"), {}).values()
                                ],
                            ),
                        ]
                    ),
                    key=_age,
                )
                if self._attends(p, e)
                and _overlap(e["starts"], self._event_ends(e), a, _plus_minutes(a, m))
            ),
            None,
        )

    def _clash_but(self, p: Person, a: str, m: int, own: Event) -> Event | None:
        return next(
            (
                e
                for e in sorted(
                    _distinct(
                        [
                            *self._events_by_organiser.get(p["id"], {}).values(),
                            *_those(
                                self.events,
                                [
                                    i["event_id"]
                                    for i in self._invitations_by_person_answer.get((p["id"], "yes"), {}).values()
                                ],
                            ),
                        ]
                    ),
                    key=_age,
                )
                if e is not own
                and self._attends(p, e)
                and _overlap(e["starts"], self._event_ends(e), a, _plus_minutes(a, m))
            ),
            None,
        )

    def _free(self, p: Person, a: str, m: int) -> bool:
        return self._at_work(p, a, m) and not self._away(p, a[:10]) and self._clash(p, a, m) is None

    def _free_but(self, p: Person, a: str, own: Event) -> bool:
        return (
            self._at_work(p, a, own["minutes"])
            and not self._away(p, a[:10])
            and self._clash_but(p, a, own["minutes"], own) is None
        )

    def _in_room(self, r: Room, a: str, m: int) -> Event | None:
        return next(
            (
                e
                for e in sorted(self._events_by_room_status.get((r["id"], "planned"), {}).values(), key=_age)
                if _overlap(e["starts"], self._event_ends(e), a, _plus_minutes(a, m))
            ),
            None,
        )

    def _half_hours(self, p: Person, on: str) -> list[str]:
        return [_plus_minutes(on + "T" + p["from_time"], 30 * k) for k in _numbers(0, 20)]

    def _invited(self, e: Event, p: Person) -> bool:
        return bool(self._invitations_by_event_person.get((e["id"], p["id"]), {}))

    def _breaks_rule_1_a(self, a: Event) -> bool:
        """Whether this is broken: a room holds one event at a time."""
        return (
            a["room_id"] is not None
            and a["status"] == "planned"
            and any(
                _overlap(a["starts"], self._event_ends(a), b["starts"], self._event_ends(b))
                for b in self._events_by_room_status.get((a["room_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_1_b(self, b: Event) -> bool:
        """Whether this is broken: a room holds one event at a time."""
        return (
            b["status"] == "planned"
            and any(
                _overlap(a["starts"], self._event_ends(a), b["starts"], self._event_ends(b))
                for a in self._events_by_room_status.get((b["room_id"], "planned"), {}).values()
                if a is not b
                and a["room_id"] is not None
            )
        )

    def _breaks_rule_2(self, a: Event) -> bool:
        """Whether this is broken: nobody organises two events at the same time."""
        return (
            a["status"] == "planned"
            and any(
                _overlap(a["starts"], self._event_ends(a), b["starts"], self._event_ends(b))
                for b in self._events_by_organiser_status.get((a["organiser_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_3(self, i: Invitation) -> bool:
        """Whether this is broken: nobody has said yes to two events at the same time."""
        return (
            i["answer"] == "yes"
            and self.events[i["event_id"]]["status"] == "planned"
            and any(
                _overlap(
                    self.events[i["event_id"]]["starts"],
                    self._event_ends(self.events[i["event_id"]]),
                    self.events[j["event_id"]]["starts"],
                    self._event_ends(self.events[j["event_id"]]),
                )
                for j in self._invitations_by_person_answer.get((i["person_id"], "yes"), {}).values()
                if i is not j
                and self.events[j["event_id"]]["status"] == "planned"
            )
        )

    def _breaks_rule_4_i(self, i: Invitation) -> bool:
        """Whether this is broken: nobody has said yes to an event while they organise another one."""
        return (
            i["answer"] == "yes"
            and self.events[i["event_id"]]["status"] == "planned"
            and any(
                _overlap(
                    self.events[i["event_id"]]["starts"],
                    self._event_ends(self.events[i["event_id"]]),
                    e["starts"],
                    self._event_ends(e),
                )
                for e in self._events_by_organiser_status.get((i["person_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_4_e(self, e: Event) -> bool:
        """Whether this is broken: nobody has said yes to an event while they organise another one."""
        return (
            e["status"] == "planned"
            and any(
                _overlap(
                    self.events[i["event_id"]]["starts"],
                    self._event_ends(self.events[i["event_id"]]),
                    e["starts"],
                    self._event_ends(e),
                )
                for i in self._invitations_by_person_answer.get((e["organiser_id"], "yes"), {}).values()
                if self.events[i["event_id"]]["status"] == "planned"
            )
        )

    def _breaks_rule_5(self, e: Event) -> bool:
        """Whether this is broken: a room has a seat for everybody who has not declined."""
        return (
            e["status"] == "planned"
            and (e["room_id"] is not None and self._event_expected(e) > self.rooms[e["room_id"]]["seats"])
        )

    def _breaks_rule_6(self, e: Event) -> bool:
        """Whether this is broken: an event takes place in a room of the organiser's building."""
        return (
            e["status"] == "planned"
            and (
                e["room_id"] is not None
                and self.rooms[e["room_id"]]["building"] != self.people[e["organiser_id"]]["building"]
            )
        )

    def _breaks_rule_7_e(self, e: Event) -> bool:
        """Whether this is broken: who organises an event or has said yes is at work at that time."""
        return (
            e["status"] == "planned"
            and not self._at_work(self.people[e["organiser_id"]], e["starts"], e["minutes"])
        )

    def _breaks_rule_7_i(self, i: Invitation) -> bool:
        """Whether this is broken: who organises an event or has said yes is at work at that time."""
        return (
            i["answer"] == "yes"
            and self.events[i["event_id"]]["status"] == "planned"
            and not self._at_work(
                self.people[i["person_id"]],
                self.events[i["event_id"]]["starts"],
                self.events[i["event_id"]]["minutes"],
            )
        )

    def _breaks_rule_8_x(self, x: Absence) -> bool:
        """Whether this is broken: nobody organises an event or has said yes to one on a day of absence."""
        return any(
            x["first_day"] <= e["starts"][:10]
            and e["starts"][:10] <= x["last_day"]
            for e in self._events_by_organiser_status.get((x["person_id"], "planned"), {}).values()
        )

    def _breaks_rule_8_e(self, e: Event) -> bool:
        """Whether this is broken: nobody organises an event or has said yes to one on a day of absence."""
        return (
            e["status"] == "planned"
            and any(
                x["first_day"] <= e["starts"][:10]
                and e["starts"][:10] <= x["last_day"]
                for x in self._absences_by_person.get(e["organiser_id"], {}).values()
            )
        )

    def _breaks_rule_8_x_again(self, x: Absence) -> bool:
        """Whether this is broken: nobody organises an event or has said yes to one on a day of absence."""
        return any(
            x["first_day"] <= self.events[i["event_id"]]["starts"][:10]
            and self.events[i["event_id"]]["starts"][:10] <= x["last_day"]
            for i in self._invitations_by_person_answer.get((x["person_id"], "yes"), {}).values()
            if self.events[i["event_id"]]["status"] == "planned"
        )

    def _breaks_rule_8_i(self, i: Invitation) -> bool:
        """Whether this is broken: nobody organises an event or has said yes to one on a day of absence."""
        return (
            i["answer"] == "yes"
            and self.events[i["event_id"]]["status"] == "planned"
            and any(
                x["first_day"] <= self.events[i["event_id"]]["starts"][:10]
                and self.events[i["event_id"]]["starts"][:10] <= x["last_day"]
                for x in self._absences_by_person.get(i["person_id"], {}).values()
            )
        )

    def _breaks_rule_9_i(self, i: Invitation) -> bool:
        """Whether this is broken: somebody is invited to an event once, and the organiser not at all."""
        return any(
            other_i is not i
            for other_i in self._invitations_by_event_person.get((i["event_id"], i["person_id"]), {}).values()
        )

    def _breaks_rule_9_i_again(self, i: Invitation) -> bool:
        """Whether this is broken: somebody is invited to an event once, and the organiser not at all."""
        return i["person_id"] == self.events[i["event_id"]]["organiser_id"]

    def _breaks_rule_10(self, p: Proposal) -> bool:
        """Whether this is broken: an invited person has at most one open proposal for an event."""
        return (
            p["status"] == "open"
            and any(
                other_p is not p
                for other_p in self._proposals_by_event_by_status.get(
                    (p["event_id"], p["by_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_11(self, p: Person) -> bool:
        """Whether this is broken: nobody is their own delegate or named twice."""
        return not (
            p["id"] not in p["delegate_ids"]
            and _different([d["id"] for d in [self.people[key] for key in p["delegate_ids"]]])
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
            case "events":
                self._events_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._events_by_organiser.setdefault(record["organiser_id"], {})[record["id"]] = record
                self._events_by_organiser_status.setdefault(
                    (record["organiser_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._events_by_room_status.setdefault((record["room_id"], record["status"]), {})[record["id"]] = record
                self._events_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "invitations":
                self._invitations_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._invitations_by_event_answer.setdefault(
                    (record["event_id"], record["answer"]),
                    {},
                )[record["id"]] = record
                self._invitations_by_event_person.setdefault(
                    (record["event_id"], record["person_id"]),
                    {},
                )[record["id"]] = record
                self._invitations_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._invitations_by_person_answer.setdefault(
                    (record["person_id"], record["answer"]),
                    {},
                )[record["id"]] = record
            case "proposals":
                self._proposals_by_event_by_status.setdefault(
                    (record["event_id"], record["by_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._proposals_by_event_status.setdefault(
                    (record["event_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "absences":
                self._absences_by_person.setdefault(record["person_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "events":
                del self._events_by_lower_title[record["title"].lower()][record["id"]]
                del self._events_by_organiser[record["organiser_id"]][record["id"]]
                del self._events_by_organiser_status[record["organiser_id"], record["status"]][record["id"]]
                del self._events_by_room_status[record["room_id"], record["status"]][record["id"]]
                del self._events_by_title[record["title"]][record["id"]]
            case "invitations":
                del self._invitations_by_event[record["event_id"]][record["id"]]
                del self._invitations_by_event_answer[record["event_id"], record["answer"]][record["id"]]
                del self._invitations_by_event_person[record["event_id"], record["person_id"]][record["id"]]
                del self._invitations_by_person[record["person_id"]][record["id"]]
                del self._invitations_by_person_answer[record["person_id"], record["answer"]][record["id"]]
            case "proposals":
                del self._proposals_by_event_by_status[
                    record["event_id"],
                    record["by_id"],
                    record["status"],
                ][record["id"]]
                del self._proposals_by_event_status[record["event_id"], record["status"]][record["id"]]
            case "absences":
                del self._absences_by_person[record["person_id"]][record["id"]]
