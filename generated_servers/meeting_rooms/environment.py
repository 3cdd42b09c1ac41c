"""Meeting rooms. Compiled from blueprint.yaml; run `envscaler build meeting_rooms` after changing it there.

Books the meeting rooms and the movable equipment of an office building, with opening hours, closures, approval
for special rooms, weekly series and invitations.
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
    "Two bookings of one room never overlap, whether requested or confirmed.",
    "A booking lasts from 15 minutes to 8 hours and lies within its room's opening hours.",
    "A room is booked from Monday to Friday, unless it is open at weekends too.",
    "No room is booked while it is closed.",
    "Closures of one room never overlap, and each ends after it starts.",
    "A room seats the organiser, the visitors and everybody invited who has not declined.",
    "Nobody runs two meetings at the same time.",
    "Nobody has accepted two meetings at the same time.",
    "Nobody has accepted a meeting that takes place while they run another.",
    "Everybody is invited to a booking once, and its organiser is not invited.",
    "A confirmed booking of a room that needs approval was approved by an approver other than the organiser.",
    "A device is lent to one booking at a time.",
    "A device that is not portable stays on its floor.",
    "Only requested and confirmed bookings hold devices.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_room",
    "approve_booking",
    "decline_booking",
    "move_booking",
    "cancel_booking",
    "invite_people",
    "answer_invitation",
    "lend_device",
    "release_device",
    "close_room",
    "reopen_room",
)
"""The methods that may change something; all others only read."""

BOOKING_STATUS_MOVES = {
    ("requested", "confirmed"),
    ("requested", "declined"),
    ("requested", "cancelled"),
    ("confirmed", "requested"),
    ("confirmed", "cancelled"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "rooms": ("name",),
    "employees": ("name",),
    "devices": ("tag",),
    "closures": (),
    "bookings": ("title",),
    "invitations": (),
    "loans": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "organiser_id"),
    ("bookings", "room_id"),
    ("bookings", "series_id"),
    ("closures", "room_id"),
    ("invitations", "answer"),
    ("invitations", "booking_id"),
    ("invitations", "employee_id"),
    ("loans", "booking_id"),
    ("loans", "device_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Room(TypedDict):
    id: str
    name: str
    floor: int
    seats: int
    opens: str
    closes: str
    screen: bool
    weekends: bool
    needs_approval: bool


class Employee(TypedDict):
    id: str
    name: str
    team: Literal["sales", "finance", "engineering", "legal", "people"]
    may_approve: bool


class Device(TypedDict):
    id: str
    tag: str
    kind: Literal["projector", "conference_phone", "flip_chart", "video_cart", "voting_kit"]
    floor: int
    portable: bool


class Closure(TypedDict):
    id: str
    room_id: str
    starts: str
    ends: str
    reason: str


class Booking(TypedDict):
    id: str
    title: str
    room_id: str
    organiser_id: str
    starts: str
    ends: str
    visitors: int
    series_id: str | None
    approved_by_id: str | None
    declined_because: str | None
    status: Literal["requested", "confirmed", "declined", "cancelled"]


class Invitation(TypedDict):
    id: str
    booking_id: str
    employee_id: str
    answer: Literal["invited", "accepted", "declined"]


class Loan(TypedDict):
    id: str
    booking_id: str
    device_id: str


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


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


class MeetingRooms:
    """Books the meeting rooms and the movable equipment of an office building, with opening hours,
    closures, approval for special rooms, weekly series and invitations.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.employees: dict[str, Employee] = _copied(config.get("employees", {}))
        self.devices: dict[str, Device] = _copied(config.get("devices", {}))
        self.closures: dict[str, Closure] = _copied(config.get("closures", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.invitations: dict[str, Invitation] = _copied(config.get("invitations", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.now: str = config.get("now", "2026-03-02T08:20")
        self.counters: dict[str, int] = {
            "room": len(self.rooms),
            "employee": len(self.employees),
            "device": len(self.devices),
            "closure": len(self.closures),
            "booking": len(self.bookings),
            "invitation": len(self.invitations),
            "loan": len(self.loans),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._closures_by_room: dict[Any, dict[str, Closure]] = {}
        self._bookings_by_organiser: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_room: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_series: dict[Any, dict[str, Booking]] = {}
        self._invitations_by_booking: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_booking_answer: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_booking_employee: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_employee: dict[Any, dict[str, Invitation]] = {}
        self._invitations_by_employee_answer: dict[Any, dict[str, Invitation]] = {}
        self._loans_by_booking: dict[Any, dict[str, Loan]] = {}
        self._loans_by_booking_device: dict[Any, dict[str, Loan]] = {}
        self._loans_by_device: dict[Any, dict[str, Loan]] = {}
        for closure in self.closures.values():
            self._link("closures", closure)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for invitation in self.invitations.values():
            self._link("invitations", invitation)
        for loan in self.loans.values():
            self._link("loans", loan)

    def free_rooms(
        self,
        starts: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        people: Annotated[int, {"minimum": 1, "maximum": 30}] | None = None,
        screen: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Rooms that are open, free and large enough for a time, smallest first.

        Args:
            starts (str): When the meeting would begin, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the meeting in minutes, from 15 to 480.
            people (int, optional): How many people the room must seat, from 1 to 30. If left out, rooms of all
                sizes are listed.
            screen (bool, optional): Whether rooms with a screen are listed rather than those without. If left out,
                both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}} or {"success": False, "error": why
                not}
        """
        found = [
            r
            for r in self.rooms.values()
            if (people is None or r["seats"] >= people)
            and (screen is None or r["screen"] == screen)
            and (
                starts[:10] == _plus_minutes(starts, minutes)[:10]
                and r["opens"] <= starts[11:]
                and _plus_minutes(starts, minutes)[11:] <= r["closes"]
            )
            and (r["weekends"] or _weekday(starts[:10]) <= 5)
            and len(self._closures(r, starts, _plus_minutes(starts, minutes))) == 0
            and len(self._clashes(r, starts, _plus_minutes(starts, minutes))) == 0
        ]
        found.sort(key=lambda r: (r["seats"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rooms": [
                    {
                        "id": r["id"],
                        "name": r["name"],
                        "floor": r["floor"],
                        "seats": r["seats"],
                        "screen": r["screen"],
                        "needs_approval": r["needs_approval"],
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def free_devices(
        self,
        booking_id: str,
        kind: Literal["projector", "conference_phone", "flip_chart", "video_cart", "voting_kit"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Devices that can be lent to a booking.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            kind (str, optional): Kind of devices listed: projector, conference_phone, flip_chart, video_cart or
                voting_kit. If left out, devices of all kinds are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "devices": records}} or {"success": False, "error": why
                not}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            d
            for d in self.devices.values()
            if (kind is None or d["kind"] == kind)
            and (d["portable"] or d["floor"] == self.rooms[booking["room_id"]]["floor"])
            and len(self._loans_of(d, booking["starts"], booking["ends"])) == 0
        ]
        found.sort(key=lambda d: (d["tag"], _age(d)))
        return _found(
            {
                "total": len(found),
                "devices": [
                    {"id": d["id"], "tag": d["tag"], "kind": d["kind"], "floor": d["floor"]}
                    for d in _page(found, offset)
                ],
            }
        )

    def diary(
        self,
        employee_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The meetings of one employee on a day, run by them or with an invitation they have not declined.

        Args:
            employee_id (str): Id of the employee, such as EMPLOYEE-00001.
            on (str): Day whose meetings are listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        employee = self.employees.get(employee_id)
        if employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        found = [
            b
            for b in _distinct(
                [
                    *self._bookings_by_organiser.get(employee_id, {}).values(),
                    *_those(
                        self.bookings,
                        [i["booking_id"] for i in self._invitations_by_employee.get(employee_id, {}).values()],
                    ),
                ]
            )
            if (self._live(b) and b["starts"][:10] == on)
            and (
                b["organiser_id"] == employee_id
                or any(
                    i["answer"] != "declined"
                    for i in self._invitations_by_booking_employee.get((b["id"], employee_id), {}).values()
                )
            )
        ]
        found.sort(key=lambda b: (b["starts"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "title": b["title"],
                        "room": self.rooms[b["room_id"]]["name"],
                        "starts": b["starts"],
                        "ends": b["ends"],
                        "status": b["status"],
                        "role": "organiser" if b["organiser_id"] == employee_id else "guest",
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_rooms(
        self,
        name: Text | None = None,
        screen: bool | None = None,
        weekends: bool | None = None,
        needs_approval: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            screen (bool, optional): Only rooms with this value of `screen`.
            weekends (bool, optional): Only rooms with this value of `weekends`.
            needs_approval (bool, optional): Only rooms with this value of `needs_approval`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (screen is None or room["screen"] == screen)
            and (weekends is None or room["weekends"] == weekends)
            and (needs_approval is None or room["needs_approval"] == needs_approval)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_employees(
        self,
        name: Text | None = None,
        team: Literal["sales", "finance", "engineering", "legal", "people"] | None = None,
        may_approve: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the employees, oldest first, all of them or only some.

        Args:
            name (str, optional): Only employees whose name contains this text.
            team (str, optional): Only employees with this team.
            may_approve (bool, optional): Only employees that may approve (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "employees": records}}
        """
        found = [
            employee
            for employee in self.employees.values()
            if (name is None or name.casefold() in employee["name"].casefold())
            and (team is None or employee["team"] == team)
            and (may_approve is None or employee["may_approve"] == may_approve)
        ]
        return _found({"total": len(found), "employees": [{**employee} for employee in _page(found, offset)]})

    def list_devices(
        self,
        tag: Text | None = None,
        kind: Literal["projector", "conference_phone", "flip_chart", "video_cart", "voting_kit"] | None = None,
        portable: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the devices, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only devices whose tag contains this text.
            kind (str, optional): Only devices with this kind.
            portable (bool, optional): Only devices that are portable (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "devices": records}}
        """
        found = [
            device
            for device in self.devices.values()
            if (tag is None or tag.casefold() in device["tag"].casefold())
            and (kind is None or device["kind"] == kind)
            and (portable is None or device["portable"] == portable)
        ]
        return _found({"total": len(found), "devices": [{**device} for device in _page(found, offset)]})

    def list_closures(
        self,
        room_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the closures, oldest first, all of them or only some.

        Args:
            room_id (str, optional): Only closures of this room.
            starts_from (str, optional): Only closures whose `starts` is on this day or later.
            starts_to (str, optional): Only closures whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "closures": records}}
        """
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            closure
            for closure in self.closures.values()
            if (room_id is None or closure["room_id"] == room_id)
            and (starts_from is None or closure["starts"][:10] >= starts_from)
            and (starts_to is None or closure["starts"][:10] <= starts_to)
        ]
        shown = [{**closure} for closure in _page(found, offset)]
        return _found({"total": len(found), "closures": shown}, self._names_of_closures(shown))

    def get_booking(self, booking_id: str) -> Result:
        """Look up one booking by its id.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        shown = self._show_booking(booking)
        return _found(shown, self._names_of_bookings([shown]))

    def list_bookings(
        self,
        title: Text | None = None,
        room_id: str | None = None,
        organiser_id: str | None = None,
        series_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["requested", "confirmed", "declined", "cancelled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            title (str, optional): Only bookings whose title contains this text.
            room_id (str, optional): Only bookings of this room.
            organiser_id (str, optional): Only bookings whose organiser is this employee.
            series_id (str, optional): Only bookings whose series is this booking.
            approved_by_id (str, optional): Only bookings approved by this employee.
            status (str, optional): Only bookings with this status.
            starts_from (str, optional): Only bookings whose `starts` is on this day or later.
            starts_to (str, optional): Only bookings whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        if organiser_id is not None and organiser_id not in self.employees:
            return _refused(f"There is no employee {organiser_id!r}.")
        if series_id is not None and series_id not in self.bookings:
            return _refused(f"There is no booking {series_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.employees:
            return _refused(f"There is no employee {approved_by_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (title is None or title.casefold() in booking["title"].casefold())
            and (room_id is None or booking["room_id"] == room_id)
            and (organiser_id is None or booking["organiser_id"] == organiser_id)
            and (series_id is None or booking["series_id"] == series_id)
            and (approved_by_id is None or booking["approved_by_id"] == approved_by_id)
            and (status is None or booking["status"] == status)
            and (starts_from is None or booking["starts"][:10] >= starts_from)
            and (starts_to is None or booking["starts"][:10] <= starts_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_invitations(
        self,
        booking_id: str | None = None,
        employee_id: str | None = None,
        answer: Literal["invited", "accepted", "declined"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invitations, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only invitations of this booking.
            employee_id (str, optional): Only invitations of this employee.
            answer (str, optional): Only invitations with this answer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invitations": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        if employee_id is not None and employee_id not in self.employees:
            return _refused(f"There is no employee {employee_id!r}.")
        found = [
            invitation
            for invitation in self.invitations.values()
            if (booking_id is None or invitation["booking_id"] == booking_id)
            and (employee_id is None or invitation["employee_id"] == employee_id)
            and (answer is None or invitation["answer"] == answer)
        ]
        shown = [{**invitation} for invitation in _page(found, offset)]
        return _found({"total": len(found), "invitations": shown}, self._names_of_invitations(shown))

    def list_loans(
        self,
        booking_id: str | None = None,
        device_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only loans of this booking.
            device_id (str, optional): Only loans of this device.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        if device_id is not None and device_id not in self.devices:
            return _refused(f"There is no device {device_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (booking_id is None or loan["booking_id"] == booking_id)
            and (device_id is None or loan["device_id"] == device_id)
        ]
        shown = [{**loan} for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_room(
        self,
        organiser_id: str,
        room_id: str,
        title: Text,
        starts: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        visitors: Annotated[int, {"minimum": 0, "maximum": 20}] = 0,
        weeks: Annotated[int, {"minimum": 1, "maximum": 8}] = 1,
    ) -> Result:
        """Book a room for a meeting, for one week or several weeks in a row; a room that needs approval is only
        requested.

        Args:
            organiser_id (str): Employee who runs the meeting and takes part in it; an id such as EMPLOYEE-00001.
            room_id (str): Id of the room, such as ROOM-00001.
            title (str): Title of the meeting.
            starts (str): When the first meeting begins, later than now and within a year, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the meeting in minutes, within the opening hours of the room, from 15 to 480.
            visitors (int): How many people from outside the company come, from 0 to 20. Default: 0.
            weeks (int): Number of weeks in a row with the meeting, the first one included, from 1 to 8. Default:
                1.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organiser = self.employees.get(organiser_id)
        if organiser is None:
            return _refused(f"There is no employee {organiser_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if starts <= self.now:
            return _refused(f"{starts} is in the past.")
        if starts > _plus_minutes(self.now, 365 * 1440):
            return _refused("Rooms are booked for a year ahead at most.")
        ends = _plus_minutes(starts, minutes)
        if starts[:10] != ends[:10] or room["opens"] > starts[11:] or ends[11:] > room["closes"]:
            return _refused(
                f"{room['name']} is open from {room['opens']} to {room['closes']}, not from {starts} to {ends}."
            )
        if not room["weekends"] and _weekday(starts[:10]) > 5:
            return _refused(f"{room['name']} is not open at weekends, and {starts} is one.")
        if 1 + visitors > room["seats"]:
            return _refused(f"{room['name']} has {room['seats']} seats, {1 + visitors} are needed.")
        shut = next(
            (
                c
                for w in _numbers(0, weeks)
                for c in self._closures(room, _plus_minutes(starts, 7 * w * 1440), _plus_minutes(ends, 7 * w * 1440))
            ),
            None,
        )
        if shut is not None:
            return _refused(f"{room['name']} is closed from {shut['starts']} to {shut['ends']} ({shut['reason']}).")
        taken = next(
            (
                b
                for w in _numbers(0, weeks)
                for b in self._clashes(room, _plus_minutes(starts, 7 * w * 1440), _plus_minutes(ends, 7 * w * 1440))
            ),
            None,
        )
        if taken is not None:
            return _refused(f"{room['name']} is taken by {taken['title']} from {taken['starts']} to {taken['ends']}.")
        busy = next(
            (
                b
                for w in _numbers(0, weeks)
                for b in self._meetings_of(
                    organiser,
                    _plus_minutes(starts, 7 * w * 1440),
                    _plus_minutes(ends, 7 * w * 1440),
                )
            ),
            None,
        )
        if busy is not None:
            return _refused(f"{organiser['name']} is in {busy['title']} from {busy['starts']} to {busy['ends']}.")
        self._journal = []
        added_bookings: list[Any] = []
        head: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "title": title,
            "room_id": room_id,
            "organiser_id": organiser_id,
            "starts": starts,
            "ends": ends,
            "visitors": visitors,
            "series_id": None,
            "approved_by_id": None,
            "declined_because": None,
            "status": "requested" if room["needs_approval"] else "confirmed",
        }
        self._add("bookings", head)
        for w in list(_numbers(1, weeks)):
            booking = {
                "id": self._new_id("booking", "BOOKING", self.bookings),
                "title": title,
                "room_id": room_id,
                "organiser_id": organiser_id,
                "starts": _plus_minutes(starts, 7 * w * 1440),
                "ends": _plus_minutes(ends, 7 * w * 1440),
                "visitors": visitors,
                "series_id": head["id"],
                "approved_by_id": None,
                "declined_because": None,
                "status": "requested" if room["needs_approval"] else "confirmed",
            }
            self._add("bookings", booking)
            added_bookings.append(booking)
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_1(one_booking):
                return self._take_back(RULES[0])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_4_b(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_7(one_booking):
                return self._take_back(RULES[6])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_9_b(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([head, *added_bookings]):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {room['name']} for {organiser['name']} on {starts} as {title} (new: booking "
                f"{head['id']})."
            ),
            "data": {"booking_id": head["id"], **self._changes()},
        }

    def approve_booking(self, booking_id: str, approver_id: str) -> Result:
        """Approve a requested booking of a room that needs approval.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            approver_id (str): Employee who may approve bookings and is not the organiser; an id such as
                EMPLOYEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        approver = self.employees.get(approver_id)
        if approver is None:
            return _refused(f"There is no employee {approver_id!r}.")
        if booking["status"] != "requested":
            return _refused(f"{booking['title']} is {booking['status']}, not requested.")
        if booking["starts"] <= self.now:
            return _refused(f"{booking['title']} should have begun at {booking['starts']}.")
        if not approver["may_approve"]:
            return _refused(f"{approver['name']} may not approve bookings.")
        if approver_id == booking["organiser_id"]:
            return _refused(f"{approver['name']} cannot approve their own booking.")
        self._journal = []
        self._put("bookings", booking, "approved_by_id", approver_id)
        self._put("bookings", booking, "status", "confirmed")
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_b(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_invitation in _distinct(
            self._invitations_by_booking_answer.get((booking["id"], "accepted"), {}).values()
        ):
            if self._breaks_rule_8(one_invitation):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(
            self._invitations_by_booking_answer.get((booking["id"], "accepted"), {}).values()
        ):
            if self._breaks_rule_9_i(one_invitation):
                return self._take_back(RULES[8])
        if self._breaks_rule_9_b(booking):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        for one_loan in _distinct(self._loans_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_14(one_loan):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: approve {booking['title']} as {approver['name']}.",
            "data": self._changes(),
        }

    def decline_booking(self, booking_id: str, approver_id: str, reason: Text) -> Result:
        """Decline a requested booking and say why; its devices become free.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            approver_id (str): Employee who may decide about bookings; an id such as EMPLOYEE-00001.
            reason (str): Why the booking is declined.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        approver = self.employees.get(approver_id)
        if approver is None:
            return _refused(f"There is no employee {approver_id!r}.")
        if booking["status"] != "requested":
            return _refused(f"{booking['title']} is {booking['status']}, not requested.")
        if not approver["may_approve"]:
            return _refused(f"{approver['name']} may not decide about bookings.")
        self._journal = []
        deleted_loans: list[Any] = []
        for n in sorted(self._loans_by_booking.get(booking_id, {}).values(), key=_age):
            if n["id"] in self.loans:
                self._remove("loans", n)
            deleted_loans.append(n)
        self._put("bookings", booking, "declined_because", reason)
        self._put("bookings", booking, "status", "declined")
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_b(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_invitation in _distinct(
            self._invitations_by_booking_answer.get((booking["id"], "accepted"), {}).values()
        ):
            if self._breaks_rule_8(one_invitation):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(
            self._invitations_by_booking_answer.get((booking["id"], "accepted"), {}).values()
        ):
            if self._breaks_rule_9_i(one_invitation):
                return self._take_back(RULES[8])
        if self._breaks_rule_9_b(booking):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        for one_loan in _distinct(self._loans_by_booking.get(booking["id"], {}).values()):
            if one_loan["id"] in self.loans and self._breaks_rule_14(one_loan):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: decline {booking['title']} as {approver['name']} with the reason {reason}.",
            "data": self._changes(),
        }

    def move_booking(
        self,
        booking_id: str,
        room_id: str | None = None,
        starts: DateTime | None = None,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}] | None = None,
    ) -> Result:
        """Move a booking to another room or time, or change its length, which is possible even while it is going on,
        until its end; a new time asks those who accepted again, and a room that needs approval must approve again.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            room_id (str, optional): Room to which the meeting moves; an id such as ROOM-00001. If left out, the
                room stays as it is.
            starts (str, optional): When the meeting begins instead, later than now, as YYYY-MM-DDTHH:MM. If left
                out, the beginning stays as it is.
            minutes (int, optional): New length of the meeting in minutes, from 15 to 480. If left out, the length
                stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        if not self._live(booking):
            return _refused(f"{booking['title']} is {booking['status']}.")
        if not (booking["starts"] > self.now or booking["ends"] > self.now and room_id is None and starts is None):
            return _refused(
                f"{booking['title']} began at {booking['starts']}, so only its length can be changed, and only "
                "until it ends."
            )
        there = room or self.rooms[booking["room_id"]]
        begin = starts if starts is not None else booking["starts"]
        length = minutes if minutes is not None else self._booking_minutes(booking)
        finish = _plus_minutes(begin, length)
        if (
            there["id"] == booking["room_id"]
            and begin == booking["starts"]
            and length == self._booking_minutes(booking)
        ):
            return _refused(
                f"{booking['title']} is in {self.rooms[booking['room_id']]['name']} at {booking['starts']} for "
                f"{self._booking_minutes(booking)} minutes already."
            )
        if not ((begin > self.now or begin == booking["starts"]) and finish >= self.now):
            return _refused(f"{begin} to {finish} is in the past.")
        torn = next(
            (
                i
                for i in sorted(
                    self._invitations_by_booking_answer.get((booking_id, "accepted"), {}).values(),
                    key=_age,
                )
                if begin <= self.now
                and any(b is not booking for b in self._meetings_of(self.employees[i["employee_id"]], begin, finish))
            ),
            None,
        )
        if torn is not None:
            return _refused(
                f"{self.employees[torn['employee_id']]['name']} has to go to another meeting before {finish}."
            )
        if begin[:10] != finish[:10] or there["opens"] > begin[11:] or finish[11:] > there["closes"]:
            return _refused(
                f"{there['name']} is open from {there['opens']} to {there['closes']}, not from {begin} to {finish}."
            )
        if not there["weekends"] and _weekday(begin[:10]) > 5:
            return _refused(f"{there['name']} is not open at weekends, and {begin} is one.")
        if self._booking_expected(booking) > there["seats"]:
            return _refused(
                f"{there['name']} has {there['seats']} seats, {booking['title']} expects "
                f"{self._booking_expected(booking)} people."
            )
        shut = next((c for c in self._closures(there, begin, finish)), None)
        if shut is not None:
            return _refused(f"{there['name']} is closed from {shut['starts']} to {shut['ends']} ({shut['reason']}).")
        taken = next((b for b in self._clashes(there, begin, finish) if b is not booking), None)
        if taken is not None:
            return _refused(
                f"{there['name']} is taken by {taken['title']} from {taken['starts']} to {taken['ends']}."
            )
        busy = next(
            (
                b
                for b in self._meetings_of(self.employees[booking["organiser_id"]], begin, finish)
                if b is not booking
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"{self.employees[booking['organiser_id']]['name']} is in {busy['title']} from {busy['starts']} "
                f"to {busy['ends']}."
            )
        needed = next(
            (
                n
                for m in self.loans.values()
                for n in self._loans_of(self.devices[m["device_id"]], begin, finish)
                if m["booking_id"] == booking_id
                and n["booking_id"] != booking_id
            ),
            None,
        )
        if needed is not None:
            return _refused(
                f"{self.devices[needed['device_id']]['tag']} is lent to "
                f"{self.bookings[needed['booking_id']]['title']} then, so release it first."
            )
        stuck = next(
            (
                n
                for n in sorted(self._loans_by_booking.get(booking_id, {}).values(), key=_age)
                if not self.devices[n["device_id"]]["portable"]
                and self.devices[n["device_id"]]["floor"] != there["floor"]
            ),
            None,
        )
        if stuck is not None:
            return _refused(
                f"{self.devices[stuck['device_id']]['tag']} cannot leave floor "
                f"{self.devices[stuck['device_id']]['floor']}, so release it first."
            )
        self._journal = []
        changed_invitations: list[Any] = []
        changed_bookings: list[Any] = []
        changed_bookings_2: list[Any] = []
        if begin > self.now and (begin != booking["starts"] or length != self._booking_minutes(booking)):
            for i in sorted(self._invitations_by_booking_answer.get((booking_id, "accepted"), {}).values(), key=_age):
                if i["answer"] not in ("invited", "accepted"):
                    return self._take_back(f"Invitation {i['id']} cannot go from {i['answer']} to invited.")
                changed_invitations.append(i)
                self._put("invitations", i, "answer", "invited")
        self._put("bookings", booking, "room_id", there["id"])
        self._put("bookings", booking, "starts", begin)
        self._put("bookings", booking, "ends", finish)
        if begin > self.now:
            changed_bookings.append(booking)
            self._put("bookings", booking, "approved_by_id", None)
            status = "requested" if there["needs_approval"] else "confirmed"
            if booking["status"] != status and (booking["status"], status) not in BOOKING_STATUS_MOVES:
                return self._take_back(f"Booking {booking['title']} cannot go from {booking['status']} to {status}.")
            changed_bookings_2.append(booking)
            self._put("bookings", booking, "status", status)
        for one_booking in _distinct([booking, *changed_bookings_2]):
            if self._breaks_rule_1(one_booking):
                return self._take_back(RULES[0])
        for one_booking in _distinct([booking, *changed_bookings_2]):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct([booking, *changed_bookings_2]):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *changed_bookings_2]):
            if self._breaks_rule_4_b(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct(
            [booking, *[self.bookings[one["booking_id"]] for one in changed_invitations], *changed_bookings_2]
        ):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_booking in _distinct([booking, *changed_bookings_2]):
            if self._breaks_rule_7(one_booking):
                return self._take_back(RULES[6])
        for one_invitation in _distinct(
            [
                *changed_invitations,
                *self._invitations_by_booking_answer.get((booking["id"], "accepted"), {}).values(),
                *[
                    user
                    for one in changed_bookings_2
                    for user in self._invitations_by_booking_answer.get((one["id"], "accepted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_invitation):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(
            [
                *changed_invitations,
                *self._invitations_by_booking_answer.get((booking["id"], "accepted"), {}).values(),
                *[
                    user
                    for one in changed_bookings_2
                    for user in self._invitations_by_booking_answer.get((one["id"], "accepted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9_i(one_invitation):
                return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *changed_bookings_2]):
            if self._breaks_rule_9_b(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *changed_bookings, *changed_bookings_2]):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        for one_loan in _distinct(self._loans_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_12(one_loan):
                return self._take_back(RULES[11])
        for one_loan in _distinct(self._loans_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_13(one_loan):
                return self._take_back(RULES[12])
        for one_loan in _distinct(
            [user for one in changed_bookings_2 for user in self._loans_by_booking.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_14(one_loan):
                return self._take_back(RULES[13])
        done = f"move {booking['title']}"
        if room is not None:
            done += f" to {room['name']}"
        if starts is not None:
            done += f" to start at {starts}"
        if minutes is not None:
            done += f" to last {minutes} minutes"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_booking(self, booking_id: str, following: bool = False) -> Result:
        """Cancel a booking that has not begun, alone or with all later ones of its weekly series; their devices
        become free.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            following (bool): Whether all later meetings of the weekly series are cancelled too. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if not self._live(booking):
            return _refused(f"{booking['title']} is {booking['status']} already.")
        if booking["starts"] <= self.now:
            return _refused(f"{booking['title']} began at {booking['starts']}.")
        head = self.bookings.get(booking["series_id"]) or booking
        if not (
            not following
            or any(
                b["starts"] > booking["starts"]
                for b in _distinct(
                    [*_those(self.bookings, [head["id"]]), *self._bookings_by_series.get(head["id"], {}).values()]
                )
                if self._live(b)
            )
        ):
            return _refused(f"No later booking belongs to the series of {booking['title']}.")
        self._journal = []
        deleted_loans: list[Any] = []
        changed_bookings: list[Any] = []
        for b in [
            b
            for b in sorted(
                _distinct(
                    [
                        *_those(self.bookings, [booking_id, head["id"]]),
                        *self._bookings_by_series.get(head["id"], {}).values(),
                    ]
                ),
                key=_age,
            )
            if (
                b is booking
                or following
                and self._live(b)
                and b["starts"] > booking["starts"]
                and (b is head or b["series_id"] == head["id"])
            )
        ]:
            for n in sorted(self._loans_by_booking.get(b["id"], {}).values(), key=_age):
                if n["id"] in self.loans:
                    self._remove("loans", n)
                deleted_loans.append(n)
            if b["status"] not in ("requested", "confirmed", "cancelled"):
                return self._take_back(f"Booking {b['title']} cannot go from {b['status']} to cancelled.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "cancelled")
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_1(one_booking):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_4_b(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_7(one_booking):
                return self._take_back(RULES[6])
        for one_invitation in _distinct(
            [
                user
                for one in changed_bookings
                for user in self._invitations_by_booking_answer.get((one["id"], "accepted"), {}).values()
            ]
        ):
            if self._breaks_rule_8(one_invitation):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(
            [
                user
                for one in changed_bookings
                for user in self._invitations_by_booking_answer.get((one["id"], "accepted"), {}).values()
            ]
        ):
            if self._breaks_rule_9_i(one_invitation):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9_b(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        for one_loan in _distinct(
            [user for one in changed_bookings for user in self._loans_by_booking.get(one["id"], {}).values()]
        ):
            if one_loan["id"] in self.loans and self._breaks_rule_14(one_loan):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: cancel {booking['title']} on {booking['starts']}.",
            "data": self._changes(),
        }

    def invite_people(self, booking_id: str, person_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Invite employees to a meeting that has not begun.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            person_ids (list): Employees to invite, at least one and not the organiser: ids of employees, such as
                EMPLOYEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        people = []
        for key in person_ids:
            if key not in self.employees:
                return _refused(f"There is no employee {key!r}.")
            people.append(self.employees[key])
        if not self._live(booking):
            return _refused(f"{booking['title']} is {booking['status']}.")
        if booking["starts"] <= self.now:
            return _refused(f"{booking['title']} began at {booking['starts']}.")
        if len(people) <= 0:
            return _refused("Nobody is named.")
        if not _different([p["id"] for p in people]):
            return _refused("Somebody is named twice.")
        if self.employees[booking["organiser_id"]] in people:
            return _refused(
                f"{self.employees[booking['organiser_id']]['name']} runs {booking['title']} and need not be invited."
            )
        twice = next(
            (
                i
                for i in sorted(self._invitations_by_booking.get(booking_id, {}).values(), key=_age)
                if self.employees[i["employee_id"]] in people
            ),
            None,
        )
        if twice is not None:
            return _refused(
                f"{self.employees[twice['employee_id']]['name']} is invited to {booking['title']} already."
            )
        if self._booking_expected(booking) + len(people) > self.rooms[booking["room_id"]]["seats"]:
            return _refused(
                f"{self.rooms[booking['room_id']]['name']} has {self.rooms[booking['room_id']]['seats']} seats, "
                f"{self._booking_expected(booking) + len(people)} would be needed."
            )
        self._journal = []
        added_invitations: list[Any] = []
        for p in list(people):
            invitation = {
                "id": self._new_id("invitation", "INVITATION", self.invitations),
                "booking_id": booking_id,
                "employee_id": p["id"],
                "answer": "invited",
            }
            self._add("invitations", invitation)
            added_invitations.append(invitation)
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in added_invitations]):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_8(one_invitation):
                return self._take_back(RULES[7])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_9_i(one_invitation):
                return self._take_back(RULES[8])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_10_i(one_invitation):
                return self._take_back(RULES[9])
        for one_invitation in _distinct(added_invitations):
            if self._breaks_rule_10_i_again(one_invitation):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: invite {', '.join(str(one['name']) for one in people)} to {booking['title']}.",
            "data": self._changes(),
        }

    def answer_invitation(self, invitation_id: str, answer: Literal["accepted", "declined"]) -> Result:
        """Accept or decline an invitation, or change the answer before the meeting begins.

        Args:
            invitation_id (str): Id of the invitation, such as INVITATION-00001.
            answer (str): Answer that the invited employee gives: accepted or declined.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invitation = self.invitations.get(invitation_id)
        if invitation is None:
            return _refused(f"There is no invitation {invitation_id!r}.")
        if not self._live(self.bookings[invitation["booking_id"]]):
            return _refused(
                f"{self.bookings[invitation['booking_id']]['title']} is "
                f"{self.bookings[invitation['booking_id']]['status']}."
            )
        if self.bookings[invitation["booking_id"]]["starts"] <= self.now:
            return _refused(
                f"{self.bookings[invitation['booking_id']]['title']} began at "
                f"{self.bookings[invitation['booking_id']]['starts']}."
            )
        if invitation["answer"] == answer:
            return _refused(f"{self.employees[invitation['employee_id']]['name']} has {answer} already.")
        busy = next(
            (
                b
                for b in self._meetings_of(
                    self.employees[invitation["employee_id"]],
                    self.bookings[invitation["booking_id"]]["starts"],
                    self.bookings[invitation["booking_id"]]["ends"],
                )
                if b["id"] != invitation["booking_id"]
            ),
            None,
        )
        if answer != "declined" and busy is not None:
            return _refused(
                f"{self.employees[invitation['employee_id']]['name']} is in {busy['title']} from {busy['starts']} "
                f"to {busy['ends']}."
            )
        if (
            invitation["answer"] == "declined"
            and self._booking_expected(self.bookings[invitation["booking_id"]]) >= self.rooms[
                self.bookings[invitation["booking_id"]]["room_id"]
            ]["seats"]
        ):
            return _refused(
                f"{self.rooms[self.bookings[invitation['booking_id']]['room_id']]['name']} is full with "
                f"{self._booking_expected(self.bookings[invitation['booking_id']])} people."
            )
        self._journal = []
        self._put("invitations", invitation, "answer", answer)
        if self._breaks_rule_6(self.bookings[invitation["booking_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(invitation):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_i(invitation):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: note that {self.employees[invitation['employee_id']]['name']} has {answer} the invitation "
                f"to {self.bookings[invitation['booking_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def lend_device(self, device_id: str, booking_id: str) -> Result:
        """Reserve a device for the time of a booking.

        Args:
            device_id (str): Id of the device, such as DEVICE-00001.
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if not self._live(booking):
            return _refused(f"{booking['title']} is {booking['status']}.")
        if booking["ends"] <= self.now:
            return _refused(f"{booking['title']} ended at {booking['ends']}.")
        if self._loans_by_booking_device.get((booking_id, device_id), {}):
            return _refused(f"{booking['title']} has {device['tag']} already.")
        needed = next((n for n in self._loans_of(device, booking["starts"], booking["ends"])), None)
        if needed is not None:
            return _refused(
                f"{device['tag']} is lent to {self.bookings[needed['booking_id']]['title']} from "
                f"{self.bookings[needed['booking_id']]['starts']} to {self.bookings[needed['booking_id']]['ends']}."
            )
        if not device["portable"] and device["floor"] != self.rooms[booking["room_id"]]["floor"]:
            return _refused(
                f"{device['tag']} cannot leave floor {device['floor']} and "
                f"{self.rooms[booking['room_id']]['name']} is on floor {self.rooms[booking['room_id']]['floor']}."
            )
        self._journal = []
        loan: Loan = {
            "id": self._new_id("loan", "LOAN", self.loans),
            "booking_id": booking_id,
            "device_id": device_id,
        }
        self._add("loans", loan)
        if self._breaks_rule_12(loan):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(loan):
            return self._take_back(RULES[12])
        if self._breaks_rule_14(loan):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: lend {device['tag']} to {booking['title']} (new: loan {loan['id']}).",
            "data": {"loan_id": loan["id"], **self._changes()},
        }

    def release_device(self, device_id: str, booking_id: str) -> Result:
        """Give back a device that is reserved for a booking.

        Args:
            device_id (str): Id of the device, such as DEVICE-00001.
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        loan = next(
            (n for n in sorted(self._loans_by_booking_device.get((booking_id, device_id), {}).values(), key=_age)),
            None,
        )
        if loan is None:
            return _refused(f"{device['tag']} is not lent to {booking['title']}.")
        if booking["ends"] <= self.now:
            return _refused(f"{booking['title']} ended at {booking['ends']}.")
        self._journal = []
        self._remove("loans", loan)
        return {
            "success": True,
            "message": f"Done: release {device['tag']} from {booking['title']}.",
            "data": self._changes(),
        }

    def close_room(self, room_id: str, starts: DateTime, ends: DateTime, reason: Text) -> Result:
        """Close a room for a time in which it has no bookings.

        Args:
            room_id (str): Id of the room, such as ROOM-00001.
            starts (str): When the closure begins, not in the past, as YYYY-MM-DDTHH:MM.
            ends (str): When the closure ends, within 30 days of its beginning, as YYYY-MM-DDTHH:MM.
            reason (str): Why the room is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if starts < self.now:
            return _refused(f"{starts} is in the past.")
        if starts >= ends:
            return _refused(f"The closure must end after {starts}.")
        if _minutes_between(starts, ends) > 30 * 1440:
            return _refused("A room is closed for 30 days at most.")
        shut = next((c for c in self._closures(room, starts, ends)), None)
        if shut is not None:
            return _refused(f"{room['name']} is closed from {shut['starts']} to {shut['ends']} already.")
        taken = next((b for b in self._clashes(room, starts, ends)), None)
        if taken is not None:
            return _refused(
                f"{room['name']} is booked for {taken['title']} on {taken['starts']}, so move or cancel that first."
            )
        self._journal = []
        closure: Closure = {
            "id": self._new_id("closure", "CLOSURE", self.closures),
            "room_id": room_id,
            "starts": starts,
            "ends": ends,
            "reason": reason,
        }
        self._add("closures", closure)
        if self._breaks_rule_4_c(closure):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_c(closure):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(closure):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: close {room['name']} from {starts} to {ends} for {reason} (new: closure {closure['id']})."
            ),
            "data": {"closure_id": closure["id"], **self._changes()},
        }

    def reopen_room(self, closure_id: str) -> Result:
        """End a closure now, or drop it when it has not begun.

        Args:
            closure_id (str): Id of the closure, such as CLOSURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        closure = self.closures.get(closure_id)
        if closure is None:
            return _refused(f"There is no closure {closure_id!r}.")
        if closure["ends"] <= self.now:
            return _refused(f"{self.rooms[closure['room_id']]['name']} has been open again since {closure['ends']}.")
        self._journal = []
        deleted_closures: list[Any] = []
        changed_closures: list[Any] = []
        if closure["starts"] >= self.now:
            if closure["id"] in self.closures:
                self._remove("closures", closure)
            deleted_closures.append(closure)
        else:
            changed_closures.append(closure)
            if closure["id"] in self.closures:
                self._put("closures", closure, "ends", self.now)
        for one_closure in _distinct(changed_closures):
            if one_closure["id"] in self.closures and self._breaks_rule_4_c(one_closure):
                return self._take_back(RULES[3])
        for one_closure in _distinct(changed_closures):
            if one_closure["id"] in self.closures and self._breaks_rule_5_c(one_closure):
                return self._take_back(RULES[4])
        for one_closure in _distinct(changed_closures):
            if one_closure["id"] in self.closures and self._breaks_rule_5_c_again(one_closure):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: reopen {self.rooms[closure['room_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "minutes": self._booking_minutes(booking), "expected": self._booking_expected(booking)}

    def _names_of_closures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that closures point to."""
        return _names((self.rooms, "name", [row["room_id"] for row in shown]))

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names(
            (self.rooms, "name", [row["room_id"] for row in shown]),
            (self.employees, "name", [row["organiser_id"] for row in shown]),
            (self.bookings, "title", [row["series_id"] for row in shown]),
            (self.employees, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_invitations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invitations point to."""
        return _names(
            (self.bookings, "title", [row["booking_id"] for row in shown]),
            (self.employees, "name", [row["employee_id"] for row in shown]),
        )

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.bookings, "title", [row["booking_id"] for row in shown]),
            (self.devices, "tag", [row["device_id"] for row in shown]),
        )

    def _booking_minutes(self, booking: Booking) -> int:
        """The minutes of a booking."""
        return _minutes_between(booking["starts"], booking["ends"])

    def _booking_expected(self, booking: Booking) -> int:
        """The expected of a booking."""
        return (
            1
            + booking["visitors"]
            + sum(
                1
                for i in self._invitations_by_booking.get(booking["id"], {}).values()
                if i["answer"] != "declined"
            )
        )

    def _live(self, b: Booking) -> bool:
        return b["status"] in ("requested", "confirmed")

    def _clashes(self, room: Room, starts: str, ends: str) -> list[Booking]:
        return [
            b
            for b in sorted(self._bookings_by_room.get(room["id"], {}).values(), key=_age)
            if self._live(b)
            and _overlap(b["starts"], b["ends"], starts, ends)
        ]

    def _closures(self, room: Room, starts: str, ends: str) -> list[Closure]:
        return [
            c
            for c in sorted(self._closures_by_room.get(room["id"], {}).values(), key=_age)
            if _overlap(c["starts"], c["ends"], starts, ends)
        ]

    def _runs(self, e: Employee, starts: str, ends: str) -> list[Booking]:
        return [
            b
            for b in sorted(self._bookings_by_organiser.get(e["id"], {}).values(), key=_age)
            if self._live(b)
            and _overlap(b["starts"], b["ends"], starts, ends)
        ]

    def _attends(self, e: Employee, starts: str, ends: str) -> list[Booking]:
        return [
            self.bookings[i["booking_id"]]
            for i in sorted(self._invitations_by_employee_answer.get((e["id"], "accepted"), {}).values(), key=_age)
            if self._live(self.bookings[i["booking_id"]])
            and _overlap(
                self.bookings[i["booking_id"]]["starts"],
                self.bookings[i["booking_id"]]["ends"],
                starts,
                ends,
            )
        ]

    def _meetings_of(self, e: Employee, starts: str, ends: str) -> list[Booking]:
        return self._runs(e, starts, ends) + self._attends(e, starts, ends)

    def _loans_of(self, device: Device, starts: str, ends: str) -> list[Loan]:
        return [
            n
            for n in sorted(self._loans_by_device.get(device["id"], {}).values(), key=_age)
            if _overlap(
                self.bookings[n["booking_id"]]["starts"],
                self.bookings[n["booking_id"]]["ends"],
                starts,
                ends,
            )
        ]

    def _breaks_rule_1(self, a: Booking) -> bool:
        """Whether this is broken: two bookings of one room never overlap, whether requested or confirmed."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._bookings_by_room.get(a["room_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_2(self, b: Booking) -> bool:
        """Whether this is broken: a booking lasts from 15 minutes to 8 hours and lies within its room's opening
        hours.
        """
        return (
            self._live(b)
            and not (
                (15 <= self._booking_minutes(b) and self._booking_minutes(b) <= 480)
                and b["starts"][:10] == b["ends"][:10]
                and self.rooms[b["room_id"]]["opens"] <= b["starts"][11:]
                and b["ends"][11:] <= self.rooms[b["room_id"]]["closes"]
            )
        )

    def _breaks_rule_3(self, b: Booking) -> bool:
        """Whether this is broken: a room is booked from Monday to Friday, unless it is open at weekends too."""
        return self._live(b) and (not self.rooms[b["room_id"]]["weekends"] and _weekday(b["starts"][:10]) > 5)

    def _breaks_rule_4_c(self, c: Closure) -> bool:
        """Whether this is broken: no room is booked while it is closed."""
        return any(
            _overlap(c["starts"], c["ends"], b["starts"], b["ends"])
            for b in self._bookings_by_room.get(c["room_id"], {}).values()
            if self._live(b)
        )

    def _breaks_rule_4_b(self, b: Booking) -> bool:
        """Whether this is broken: no room is booked while it is closed."""
        return (
            self._live(b)
            and any(
                _overlap(c["starts"], c["ends"], b["starts"], b["ends"])
                for c in self._closures_by_room.get(b["room_id"], {}).values()
            )
        )

    def _breaks_rule_5_c(self, c: Closure) -> bool:
        """Whether this is broken: closures of one room never overlap, and each ends after it starts."""
        return c["starts"] >= c["ends"]

    def _breaks_rule_5_c_again(self, c: Closure) -> bool:
        """Whether this is broken: closures of one room never overlap, and each ends after it starts."""
        return any(
            _overlap(c["starts"], c["ends"], d["starts"], d["ends"])
            for d in self._closures_by_room.get(c["room_id"], {}).values()
            if c is not d
        )

    def _breaks_rule_6(self, b: Booking) -> bool:
        """Whether this is broken: a room seats the organiser, the visitors and everybody invited who has not
        declined.
        """
        return self._live(b) and self._booking_expected(b) > self.rooms[b["room_id"]]["seats"]

    def _breaks_rule_7(self, a: Booking) -> bool:
        """Whether this is broken: nobody runs two meetings at the same time."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._bookings_by_organiser.get(a["organiser_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_8(self, i: Invitation) -> bool:
        """Whether this is broken: nobody has accepted two meetings at the same time."""
        return (
            i["answer"] == "accepted"
            and self._live(self.bookings[i["booking_id"]])
            and any(
                _overlap(
                    self.bookings[i["booking_id"]]["starts"],
                    self.bookings[i["booking_id"]]["ends"],
                    self.bookings[j["booking_id"]]["starts"],
                    self.bookings[j["booking_id"]]["ends"],
                )
                for j in self._invitations_by_employee_answer.get((i["employee_id"], "accepted"), {}).values()
                if i is not j
                and self._live(self.bookings[j["booking_id"]])
            )
        )

    def _breaks_rule_9_i(self, i: Invitation) -> bool:
        """Whether this is broken: nobody has accepted a meeting that takes place while they run another."""
        return (
            i["answer"] == "accepted"
            and self._live(self.bookings[i["booking_id"]])
            and any(
                _overlap(
                    self.bookings[i["booking_id"]]["starts"],
                    self.bookings[i["booking_id"]]["ends"],
                    b["starts"],
                    b["ends"],
                )
                for b in self._bookings_by_organiser.get(i["employee_id"], {}).values()
                if self._live(b)
            )
        )

    def _breaks_rule_9_b(self, b: Booking) -> bool:
        """Whether this is broken: nobody has accepted a meeting that takes place while they run another."""
        return (
            self._live(b)
            and any(
                _overlap(
                    self.bookings[i["booking_id"]]["starts"],
                    self.bookings[i["booking_id"]]["ends"],
                    b["starts"],
                    b["ends"],
                )
                for i in self._invitations_by_employee_answer.get((b["organiser_id"], "accepted"), {}).values()
                if self._live(self.bookings[i["booking_id"]])
            )
        )

    def _breaks_rule_10_i(self, i: Invitation) -> bool:
        """Whether this is broken: everybody is invited to a booking once, and its organiser is not invited."""
        return any(
            other_i is not i
            for other_i in self._invitations_by_booking_employee.get((i["booking_id"], i["employee_id"]), {}).values()
        )

    def _breaks_rule_10_i_again(self, i: Invitation) -> bool:
        """Whether this is broken: everybody is invited to a booking once, and its organiser is not invited."""
        return i["employee_id"] == self.bookings[i["booking_id"]]["organiser_id"]

    def _breaks_rule_11(self, b: Booking) -> bool:
        """Whether this is broken: a confirmed booking of a room that needs approval was approved by an approver other
        than the organiser.
        """
        return (
            b["status"] == "confirmed"
            and self.rooms[b["room_id"]]["needs_approval"]
            and (
                b["approved_by_id"] is None
                or not self.employees[b["approved_by_id"]]["may_approve"]
                or b["approved_by_id"] == b["organiser_id"]
            )
        )

    def _breaks_rule_12(self, m: Loan) -> bool:
        """Whether this is broken: a device is lent to one booking at a time."""
        return any(
            _overlap(
                self.bookings[m["booking_id"]]["starts"],
                self.bookings[m["booking_id"]]["ends"],
                self.bookings[n["booking_id"]]["starts"],
                self.bookings[n["booking_id"]]["ends"],
            )
            for n in self._loans_by_device.get(m["device_id"], {}).values()
            if m is not n
        )

    def _breaks_rule_13(self, n: Loan) -> bool:
        """Whether this is broken: a device that is not portable stays on its floor."""
        return (
            not self.devices[n["device_id"]]["portable"]
            and self.devices[n["device_id"]]["floor"] != self.rooms[
                self.bookings[n["booking_id"]]["room_id"]
            ]["floor"]
        )

    def _breaks_rule_14(self, n: Loan) -> bool:
        """Whether this is broken: only requested and confirmed bookings hold devices."""
        return not self._live(self.bookings[n["booking_id"]])

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
            case "closures":
                self._closures_by_room.setdefault(record["room_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_organiser.setdefault(record["organiser_id"], {})[record["id"]] = record
                self._bookings_by_room.setdefault(record["room_id"], {})[record["id"]] = record
                self._bookings_by_series.setdefault(record["series_id"], {})[record["id"]] = record
            case "invitations":
                self._invitations_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record
                self._invitations_by_booking_answer.setdefault(
                    (record["booking_id"], record["answer"]),
                    {},
                )[record["id"]] = record
                self._invitations_by_booking_employee.setdefault(
                    (record["booking_id"], record["employee_id"]),
                    {},
                )[record["id"]] = record
                self._invitations_by_employee.setdefault(record["employee_id"], {})[record["id"]] = record
                self._invitations_by_employee_answer.setdefault(
                    (record["employee_id"], record["answer"]),
                    {},
                )[record["id"]] = record
            case "loans":
                self._loans_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record
                self._loans_by_booking_device.setdefault(
                    (record["booking_id"], record["device_id"]),
                    {},
                )[record["id"]] = record
                self._loans_by_device.setdefault(record["device_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "closures":
                del self._closures_by_room[record["room_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_organiser[record["organiser_id"]][record["id"]]
                del self._bookings_by_room[record["room_id"]][record["id"]]
                del self._bookings_by_series[record["series_id"]][record["id"]]
            case "invitations":
                del self._invitations_by_booking[record["booking_id"]][record["id"]]
                del self._invitations_by_booking_answer[record["booking_id"], record["answer"]][record["id"]]
                del self._invitations_by_booking_employee[record["booking_id"], record["employee_id"]][record["id"]]
                del self._invitations_by_employee[record["employee_id"]][record["id"]]
                del self._invitations_by_employee_answer[record["employee_id"], record["answer"]][record["id"]]
            case "loans":
                del self._loans_by_booking[record["booking_id"]][record["id"]]
                del self._loans_by_booking_device[record["booking_id"], record["device_id"]][record["id"]]
                del self._loans_by_device[record["device_id"]][record["id"]]
