"""Cinema programme. Compiled from blueprint.yaml; run `envscaler build cinema_programme` after changing it there.

Plans the shows of a cinema with several screens, with cleaning gaps, age ratings by the hour, film licences
that demand a number of shows, screens out of order and private hire.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A screen plays one show at a time and is cleaned before the next.",
    "A confirmed hire has the screen to itself.",
    "A film is shown only while its licence runs.",
    "Films from 16 begin at five in the afternoon at the earliest, films from 18 at eight in the evening.",
    "A film in surround sound is shown on a screen that has it.",
    "No more seats are sold or let than a screen has.",
    "Nothing takes place on a screen that is closed.",
    "The licences of one film never run at the same time.",
    "One film never begins twice at the same time.",
    "A settled licence had its shows or cost 150.00 for each one missing, and a running one costs nothing yet.",
    "The closures of a screen never overlap.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sign_licence",
    "extend_licence",
    "settle_licence",
    "plan_show",
    "move_show",
    "swap_screens",
    "cancel_show",
    "sell_seats",
    "note_enquiry",
    "confirm_hire",
    "end_hire",
    "close_screen",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "screens": ("name",),
    "films": ("title",),
    "licences": (),
    "shows": (),
    "hires": (),
    "closures": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("closures", "screen_id"),
    ("hires", "customer"),
    ("hires", "screen_id"),
    ("hires", "status"),
    ("licences", "film_id"),
    ("licences", "status"),
    ("shows", "licence_id"),
    ("shows", "screen_id"),
    ("shows", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Screen(TypedDict):
    id: str
    name: str
    seats: int
    cleaning: int
    surround: bool
    hourly: int
    evening: str


class Film(TypedDict):
    id: str
    title: str
    minutes: int
    rating: int
    surround: bool


class Licence(TypedDict):
    id: str
    film_id: str
    first_on: str
    last_on: str
    minimum: int
    missing_fee: int
    penalty: int
    status: Literal["running", "settled"]


class Show(TypedDict):
    id: str
    licence_id: str
    screen_id: str
    starts_at: str
    sold: int
    moved: bool
    status: Literal["planned", "cancelled"]


class Hire(TypedDict):
    id: str
    customer: str
    screen_id: str
    starts_at: str
    length: int
    guests: int
    status: Literal["enquired", "confirmed", "declined", "called_off"]


class Closure(TypedDict):
    id: str
    screen_id: str
    first_on: str
    last_on: str
    reason: str


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class CinemaProgramme:
    """Plans the shows of a cinema with several screens, with cleaning gaps, age ratings by the hour, film
    licences that demand a number of shows, screens out of order and private hire.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.screens: dict[str, Screen] = _copied(config.get("screens", {}))
        self.films: dict[str, Film] = _copied(config.get("films", {}))
        self.licences: dict[str, Licence] = _copied(config.get("licences", {}))
        self.shows: dict[str, Show] = _copied(config.get("shows", {}))
        self.hires: dict[str, Hire] = _copied(config.get("hires", {}))
        self.closures: dict[str, Closure] = _copied(config.get("closures", {}))
        self.now: str = config.get("now", "2026-05-12T10:30")
        self.counters: dict[str, int] = {
            "screen": len(self.screens),
            "film": len(self.films),
            "licence": len(self.licences),
            "show": len(self.shows),
            "hire": len(self.hires),
            "closure": len(self.closures),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._licences_by_film: dict[Any, dict[str, Licence]] = {}
        self._licences_by_film_status: dict[Any, dict[str, Licence]] = {}
        self._shows_by_licence: dict[Any, dict[str, Show]] = {}
        self._shows_by_licence_status: dict[Any, dict[str, Show]] = {}
        self._shows_by_screen: dict[Any, dict[str, Show]] = {}
        self._shows_by_screen_status: dict[Any, dict[str, Show]] = {}
        self._hires_by_lower_customer: dict[Any, dict[str, Hire]] = {}
        self._hires_by_screen_status: dict[Any, dict[str, Hire]] = {}
        self._closures_by_screen: dict[Any, dict[str, Closure]] = {}
        for licence in self.licences.values():
            self._link("licences", licence)
        for show in self.shows.values():
            self._link("shows", show)
        for hire in self.hires.values():
            self._link("hires", hire)
        for closure in self.closures.values():
            self._link("closures", closure)

    def screens_for(
        self,
        film_id: str,
        starts_at: DateTime,
        seats: Annotated[int, {"minimum": 1, "maximum": 500}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The screens on which a film could begin at a time, smallest first.

        Args:
            film_id (str): Id of the film, such as FILM-00001.
            starts_at (str): Time at which the show would begin, as YYYY-MM-DDTHH:MM.
            seats (int, optional): Seats that the screen must have at least, from 1 to 500. If left out, screens of
                every size are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "screens": records}} or {"success": False, "error": why
                not}
        """
        film = self.films.get(film_id)
        if film is None:
            return _refused(f"There is no film {film_id!r}.")
        found = [
            c
            for c in self.screens.values()
            if (seats is None or c["seats"] >= seats)
            and self._hears(c, film)
            and self._idle(c, starts_at, self._ends_in(c, film, starts_at))
        ]
        found.sort(key=lambda c: (c["seats"], c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "screens": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "seats": c["seats"],
                        "free_again": self._ends_in(c, film, starts_at),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def programme(
        self,
        on: Date,
        screen_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is shown on a day.

        Args:
            on (str): Day whose shows are listed, as YYYY-MM-DD.
            screen_id (str, optional): Only shows on this screen; an id such as SCREEN-00001. If left out, the
                shows on all screens are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shows": records}} or {"success": False, "error": why
                not}
        """
        screen = self.screens.get(screen_id) if screen_id is not None else None
        if screen_id is not None and screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        found = [
            s
            for s in self.shows.values()
            if (s["status"] == "planned" and s["starts_at"][:10] == on)
            and (screen_id is None or s["screen_id"] == screen_id)
        ]
        found.sort(key=lambda s: (s["starts_at"], self.screens[s["screen_id"]]["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "shows": [
                    {
                        "id": s["id"],
                        "film": self._show_film(s)["title"],
                        "screen": self.screens[s["screen_id"]]["name"],
                        "starts_at": s["starts_at"],
                        "free_at": self._show_free_at(s),
                        "sold": s["sold"],
                        "left": self._show_left(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def shows_owed(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Running licences that still owe shows, the first to end first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "licences": records}} or {"success": False, "error": why
                not}
        """
        found = [x for x in self.licences.values() if (x["status"] == "running" and self._licence_owed(x) > 0)]
        found.sort(key=lambda x: (x["last_on"], x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "licences": [
                    {
                        "id": x["id"],
                        "film": self.films[x["film_id"]]["title"],
                        "last_on": x["last_on"],
                        "minimum": x["minimum"],
                        "owed": self._licence_owed(x),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def hire_diary(
        self,
        screen_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Enquiries and confirmed hires that are ahead, in order of time.

        Args:
            screen_id (str, optional): Only hires of this screen; an id such as SCREEN-00001. If left out, the
                hires of all screens are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hires": records}} or {"success": False, "error": why
                not}
        """
        screen = self.screens.get(screen_id) if screen_id is not None else None
        if screen_id is not None and screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        found = [
            h
            for h in self.hires.values()
            if (h["status"] in ("enquired", "confirmed") and h["starts_at"] > self.now)
            and (screen_id is None or h["screen_id"] == screen_id)
        ]
        found.sort(key=lambda h: (h["starts_at"], h["customer"], _age(h)))
        return _found(
            {
                "total": len(found),
                "hires": [
                    {
                        "id": h["id"],
                        "customer": h["customer"],
                        "screen": self.screens[h["screen_id"]]["name"],
                        "starts_at": h["starts_at"],
                        "free_at": self._hire_free_at(h),
                        "guests": h["guests"],
                        "fee": self._hire_fee(h),
                        "status": h["status"],
                        "shows_in_the_way": len(
                            self._shows_at(self.screens[h["screen_id"]], h["starts_at"], self._hire_free_at(h))
                        ),
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def list_screens(
        self,
        name: Text | None = None,
        surround: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the screens, oldest first, all of them or only some.

        Args:
            name (str, optional): Only screens whose name contains this text.
            surround (bool, optional): Only screens with this value of `surround`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "screens": records}}
        """
        found = [
            screen
            for screen in self.screens.values()
            if (name is None or name.casefold() in screen["name"].casefold())
            and (surround is None or screen["surround"] == surround)
        ]
        return _found({"total": len(found), "screens": [{**screen} for screen in _page(found, offset)]})

    def list_films(
        self,
        title: Text | None = None,
        surround: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the films, oldest first, all of them or only some.

        Args:
            title (str, optional): Only films whose title contains this text.
            surround (bool, optional): Only films with this value of `surround`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "films": records}}
        """
        found = [
            film
            for film in self.films.values()
            if (title is None or title.casefold() in film["title"].casefold())
            and (surround is None or film["surround"] == surround)
        ]
        return _found({"total": len(found), "films": [{**film} for film in _page(found, offset)]})

    def list_licences(
        self,
        film_id: str | None = None,
        status: Literal["running", "settled"] | None = None,
        first_on_from: Date | None = None,
        first_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the licences, oldest first, all of them or only some.

        Args:
            film_id (str, optional): Only licences of this film.
            status (str, optional): Only licences with this status.
            first_on_from (str, optional): Only licences whose `first_on` is on this day or later.
            first_on_to (str, optional): Only licences whose `first_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "licences": records}}
        """
        if film_id is not None and film_id not in self.films:
            return _refused(f"There is no film {film_id!r}.")
        found = [
            licence
            for licence in self.licences.values()
            if (film_id is None or licence["film_id"] == film_id)
            and (status is None or licence["status"] == status)
            and (first_on_from is None or licence["first_on"] >= first_on_from)
            and (first_on_to is None or licence["first_on"] <= first_on_to)
        ]
        shown = [self._show_licence(licence) for licence in _page(found, offset)]
        return _found({"total": len(found), "licences": shown}, self._names_of_licences(shown))

    def list_shows(
        self,
        licence_id: str | None = None,
        screen_id: str | None = None,
        moved: bool | None = None,
        status: Literal["planned", "cancelled"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shows, oldest first, all of them or only some.

        Args:
            licence_id (str, optional): Only shows of this licence.
            screen_id (str, optional): Only shows of this screen.
            moved (bool, optional): Only shows that are moved (true) or not (false).
            status (str, optional): Only shows with this status.
            starts_at_from (str, optional): Only shows whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only shows whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shows": records}}
        """
        if licence_id is not None and licence_id not in self.licences:
            return _refused(f"There is no licence {licence_id!r}.")
        if screen_id is not None and screen_id not in self.screens:
            return _refused(f"There is no screen {screen_id!r}.")
        found = [
            show
            for show in self.shows.values()
            if (licence_id is None or show["licence_id"] == licence_id)
            and (screen_id is None or show["screen_id"] == screen_id)
            and (moved is None or show["moved"] == moved)
            and (status is None or show["status"] == status)
            and (starts_at_from is None or show["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or show["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_show(show) for show in _page(found, offset)]
        return _found({"total": len(found), "shows": shown}, self._names_of_shows(shown))

    def list_hires(
        self,
        screen_id: str | None = None,
        status: Literal["enquired", "confirmed", "declined", "called_off"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hires, oldest first, all of them or only some.

        Args:
            screen_id (str, optional): Only hires of this screen.
            status (str, optional): Only hires with this status.
            starts_at_from (str, optional): Only hires whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only hires whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hires": records}}
        """
        if screen_id is not None and screen_id not in self.screens:
            return _refused(f"There is no screen {screen_id!r}.")
        found = [
            hire
            for hire in self.hires.values()
            if (screen_id is None or hire["screen_id"] == screen_id)
            and (status is None or hire["status"] == status)
            and (starts_at_from is None or hire["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or hire["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_hire(hire) for hire in _page(found, offset)]
        return _found({"total": len(found), "hires": shown}, self._names_of_hires(shown))

    def list_closures(
        self,
        screen_id: str | None = None,
        first_on_from: Date | None = None,
        first_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the closures, oldest first, all of them or only some.

        Args:
            screen_id (str, optional): Only closures of this screen.
            first_on_from (str, optional): Only closures whose `first_on` is on this day or later.
            first_on_to (str, optional): Only closures whose `first_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "closures": records}}
        """
        if screen_id is not None and screen_id not in self.screens:
            return _refused(f"There is no screen {screen_id!r}.")
        found = [
            closure
            for closure in self.closures.values()
            if (screen_id is None or closure["screen_id"] == screen_id)
            and (first_on_from is None or closure["first_on"] >= first_on_from)
            and (first_on_to is None or closure["first_on"] <= first_on_to)
        ]
        shown = [{**closure} for closure in _page(found, offset)]
        return _found({"total": len(found), "closures": shown}, self._names_of_closures(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sign_licence(
        self,
        film_id: str,
        first_on: Date,
        last_on: Date,
        minimum: Annotated[int, {"minimum": 1, "maximum": 60}],
    ) -> Result:
        """Sign a licence to show a film for some weeks with a minimum of shows.

        Args:
            film_id (str): Id of the film, such as FILM-00001.
            first_on (str): First day on which the film may be shown, today or later, as YYYY-MM-DD.
            last_on (str): Last day the film may be shown, one to nine weeks after the first, as YYYY-MM-DD.
            minimum (int): Least number of shows the distributor asks for, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        film = self.films.get(film_id)
        if film is None:
            return _refused(f"There is no film {film_id!r}.")
        if first_on < self.now[:10]:
            return _refused("A licence begins today or later.")
        if _plus_days(first_on, 6) > last_on or last_on > _plus_days(first_on, 62):
            return _refused(f"A licence runs for one to nine weeks from {first_on}.")
        other = next(
            (
                x
                for x in sorted(self._licences_by_film.get(film_id, {}).values(), key=_age)
                if x["first_on"] <= last_on
                and first_on <= x["last_on"]
            ),
            None,
        )
        if other is not None:
            return _refused(f"{film['title']} is licensed from {other['first_on']} to {other['last_on']}.")
        self._journal = []
        licence: Licence = {
            "id": self._new_id("licence", "LICENCE", self.licences),
            "film_id": film_id,
            "first_on": first_on,
            "last_on": last_on,
            "minimum": minimum,
            "missing_fee": 15000,
            "penalty": 0,
            "status": "running",
        }
        self._add("licences", licence)
        if self._breaks_rule_8_a(licence):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_x(licence):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_x(licence):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_x_again(licence):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: sign a licence for {film['title']} from {first_on} to {last_on} (new: licence "
                f"{licence['id']})."
            ),
            "data": {"licence_id": licence["id"], **self._changes()},
        }

    def extend_licence(self, licence_id: str, last_on: Date) -> Result:
        """Extend a running licence that has not run out; for each week begun the distributor asks for three more
        shows.

        Args:
            licence_id (str): Id of the licence, such as LICENCE-00001.
            last_on (str): New last day, later than now by four weeks at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        licence = self.licences.get(licence_id)
        if licence is None:
            return _refused(f"There is no licence {licence_id!r}.")
        if licence["status"] != "running":
            return _refused(f"The licence of {self.films[licence['film_id']]['title']} is settled.")
        if licence["last_on"] < self.now[:10]:
            return _refused(
                f"The licence of {self.films[licence['film_id']]['title']} ran out on {licence['last_on']}, so "
                "settle it and sign a new one."
            )
        if last_on <= licence["last_on"]:
            return _refused(f"It runs until {licence['last_on']} anyway.")
        if last_on > _plus_days(licence["last_on"], 28):
            return _refused("A licence is extended by four weeks at most.")
        other = next(
            (
                x
                for x in sorted(self._licences_by_film.get(licence["film_id"], {}).values(), key=_age)
                if x["first_on"] > licence["last_on"]
                and x["first_on"] <= last_on
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"The next licence of {self.films[licence['film_id']]['title']} begins on {other['first_on']}."
            )
        if licence["minimum"] + 3 * ceil(Fraction(_days_between(licence["last_on"], last_on), 7)) > 60:
            return _refused("No licence asks for more than 60 shows.")
        self._journal = []
        minimum = licence["minimum"] + 3 * ceil(Fraction(_days_between(licence["last_on"], last_on), 7))
        if not 1 <= minimum <= 60:
            return self._take_back(f"The minimum of {licence['id']} must be between 1 and 60.")
        self._put("licences", licence, "minimum", minimum)
        self._put("licences", licence, "last_on", last_on)
        for one_show in _distinct(self._shows_by_licence_status.get((licence["id"], "planned"), {}).values()):
            if self._breaks_rule_3(one_show):
                return self._take_back(RULES[2])
        if self._breaks_rule_8_a(licence):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_x(licence):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_x(licence):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: extend the licence of {self.films[licence['film_id']]['title']} until {last_on}.",
            "data": self._changes(),
        }

    def settle_licence(self, licence_id: str) -> Result:
        """Settle a licence that has ended, or whose minimum is met and that has no show ahead; each missing show
        costs 150.00.

        Args:
            licence_id (str): Id of the licence, such as LICENCE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        licence = self.licences.get(licence_id)
        if licence is None:
            return _refused(f"There is no licence {licence_id!r}.")
        if licence["status"] != "running":
            return _refused(f"The licence of {self.films[licence['film_id']]['title']} is settled already.")
        ahead = next(
            (
                s
                for s in sorted(self._shows_by_licence_status.get((licence_id, "planned"), {}).values(), key=_age)
                if s["starts_at"] > self.now
            ),
            None,
        )
        if ahead is not None:
            return _refused(f"{self.films[licence['film_id']]['title']} is to be shown at {ahead['starts_at']}.")
        if licence["last_on"] >= self.now[:10] and self._licence_owed(licence) != 0:
            return _refused(f"{self._licence_owed(licence)} shows are owed and it runs until {licence['last_on']}.")
        self._journal = []
        penalty = licence["missing_fee"] * self._licence_owed(licence)
        if not 0 <= penalty <= 2000000:
            return self._take_back(f"The penalty of {licence['id']} must be between 0.00 and 20,000.00.")
        self._put("licences", licence, "penalty", penalty)
        self._put("licences", licence, "status", "settled")
        if self._breaks_rule_10_x(licence):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_x_again(licence):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: settle the licence of {self.films[licence['film_id']]['title']}.",
            "data": self._changes(),
        }

    def plan_show(self, film_id: str, screen_id: str, starts_at: DateTime) -> Result:
        """Plan a show of a film on a screen.

        Args:
            film_id (str): Id of the film, such as FILM-00001.
            screen_id (str): Id of the screen, such as SCREEN-00001.
            starts_at (str): Start of the show, from 10 o'clock to 23.15, later for adult films, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        film = self.films.get(film_id)
        if film is None:
            return _refused(f"There is no film {film_id!r}.")
        screen = self.screens.get(screen_id)
        if screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        licence = self._licensed(film, starts_at[:10])
        if licence is None:
            return _refused(f"There is no running licence for {film['title']} on {starts_at[:10]}.")
        if starts_at[11:] < self._earliest(film):
            return _refused(
                f"{film['title']} is rated {film['rating']} and begins at {self._earliest(film)} at the earliest."
            )
        if starts_at[11:] > "23:15" or starts_at[11:] < "10:00":
            return _refused("Shows begin between 10:00 and 23:15.")
        if not self._hears(screen, film):
            return _refused(f"{film['title']} needs surround sound and {screen['name']} has none.")
        if self._closed_on(screen, starts_at[:10]) is not None:
            return _refused(f"{screen['name']} is closed on {starts_at[:10]}.")
        clash = next(
            (each for each in self._shows_at(screen, starts_at, self._ends_in(screen, film, starts_at))),
            None,
        )
        if clash is not None:
            return _refused(
                f"{screen['name']} shows {self._show_film(clash)['title']} at {clash['starts_at']} and is free "
                f"again at {self._show_free_at(clash)}."
            )
        hire = next(
            (each for each in self._hires_at(screen, starts_at, self._ends_in(screen, film, starts_at))),
            None,
        )
        if hire is not None:
            return _refused(
                f"{screen['name']} is let to {hire['customer']} from {hire['starts_at']} and free again at "
                f"{self._hire_free_at(hire)}."
            )
        if any(
            s["starts_at"] == starts_at
            for _licence in self._licences_by_film.get(film_id, {}).values()
            for s in self._shows_by_licence.get(_licence["id"], {}).values()
            if s["status"] == "planned"
        ):
            return _refused(f"{film['title']} begins at that time on another screen.")
        self._journal = []
        show: Show = {
            "id": self._new_id("show", "SHOW", self.shows),
            "licence_id": licence["id"],
            "screen_id": screen_id,
            "starts_at": starts_at,
            "sold": 0,
            "moved": False,
            "status": "planned",
        }
        self._add("shows", show)
        if self._breaks_rule_1(show):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(show):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(show):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(show):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(show):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(show):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(show):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(show):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_x(self.licences[show["licence_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: plan {film['title']} on {screen['name']} at {starts_at} (new: show {show['id']}).",
            "data": {"show_id": show["id"], **self._changes()},
        }

    def move_show(self, show_id: str, screen_id: str | None = None, starts_at: DateTime | None = None) -> Result:
        """Move a show to another screen, another time or both; who bought a ticket keeps it.

        Args:
            show_id (str): Id of the show, such as SHOW-00001.
            screen_id (str, optional): New screen of the show; an id such as SCREEN-00001. If left out, it stays on
                its screen.
            starts_at (str, optional): New start of the show, as YYYY-MM-DDTHH:MM. If left out, it keeps its time.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        show = self.shows.get(show_id)
        if show is None:
            return _refused(f"There is no show {show_id!r}.")
        screen = self.screens.get(screen_id) if screen_id is not None else None
        if screen_id is not None and screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        if show["status"] != "planned" or show["starts_at"] <= self.now:
            return _refused(f"The show at {show['starts_at']} is over or cancelled.")
        if screen_id is None and starts_at is None:
            return _refused("Name a screen, a time or both.")
        there = screen or self.screens[show["screen_id"]]
        then = starts_at if starts_at is not None else show["starts_at"]
        if then <= self.now:
            return _refused(f"{then} is past.")
        if (
            self.licences[show["licence_id"]]["first_on"] > then[:10]
            or then[:10] > self.licences[show["licence_id"]]["last_on"]
        ):
            return _refused(
                f"The licence of {self._show_film(show)['title']} runs from "
                f"{self.licences[show['licence_id']]['first_on']} to {self.licences[show['licence_id']]['last_on']}."
            )
        if then[11:] < self._earliest(self._show_film(show)) or then[11:] > "23:15":
            return _refused(
                f"{self._show_film(show)['title']} begins between {self._earliest(self._show_film(show))} and 23:15."
            )
        if not self._hears(there, self._show_film(show)):
            return _refused(f"{self._show_film(show)['title']} needs surround sound and {there['name']} has none.")
        if show["sold"] > there["seats"]:
            return _refused(f"{show['sold']} seats are sold and {there['name']} has {there['seats']}.")
        if self._closed_on(there, then[:10]) is not None:
            return _refused(f"{there['name']} is closed on {then[:10]}.")
        clash = next(
            (
                s
                for s in self._shows_at(there, then, self._ends_in(there, self._show_film(show), then))
                if s is not show
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"{there['name']} shows {self._show_film(clash)['title']} at {clash['starts_at']} and is free "
                f"again at {self._show_free_at(clash)}."
            )
        hire = next(
            (each for each in self._hires_at(there, then, self._ends_in(there, self._show_film(show), then))),
            None,
        )
        if hire is not None:
            return _refused(
                f"{there['name']} is let to {hire['customer']} from {hire['starts_at']} and free again at "
                f"{self._hire_free_at(hire)}."
            )
        if any(
            s["starts_at"] == then
            for _licence in self._licences_by_film.get(self.licences[show["licence_id"]]["film_id"], {}).values()
            for s in self._shows_by_licence.get(_licence["id"], {}).values()
            if s is not show
            and s["status"] == "planned"
        ):
            return _refused(f"{self._show_film(show)['title']} begins at that time on another screen.")
        self._journal = []
        self._put("shows", show, "screen_id", there["id"])
        self._put("shows", show, "starts_at", then)
        self._put("shows", show, "moved", True)
        if self._breaks_rule_1(show):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(show):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(show):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(show):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(show):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(show):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(show):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(show):
            return self._take_back(RULES[8])
        done = f"move the show of {self._show_film(show)['title']}"
        if screen is not None:
            done += f" to {screen['name']}"
        if starts_at is not None:
            done += f" to {starts_at}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def swap_screens(self, one_id: str, other_id: str) -> Result:
        """Let two shows that have not begun change their screens.

        Args:
            one_id (str): First of the two shows; an id such as SHOW-00001.
            other_id (str): Second show, on another screen; an id such as SHOW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.shows.get(one_id)
        if one is None:
            return _refused(f"There is no show {one_id!r}.")
        other = self.shows.get(other_id)
        if other is None:
            return _refused(f"There is no show {other_id!r}.")
        if one is other or one["screen_id"] == other["screen_id"]:
            return _refused("These are on one screen.")
        if (
            one["status"] != "planned"
            or other["status"] != "planned"
            or one["starts_at"] <= self.now
            or other["starts_at"] <= self.now
        ):
            return _refused("One of these shows is over or cancelled.")
        if (
            one["sold"] > self.screens[other["screen_id"]]["seats"]
            or other["sold"] > self.screens[one["screen_id"]]["seats"]
        ):
            return _refused("More seats are sold than the other screen has.")
        if not (
            self._hears(self.screens[other["screen_id"]], self._show_film(one))
            and self._hears(self.screens[one["screen_id"]], self._show_film(other))
        ):
            return _refused("A film in surround sound would lose it.")
        if (
            self._closed_on(self.screens[one["screen_id"]], other["starts_at"][:10]) is not None
            or self._closed_on(self.screens[other["screen_id"]], one["starts_at"][:10]) is not None
        ):
            return _refused("A screen is closed on that day.")
        clash = next(
            (
                s
                for s in sorted(
                    _distinct(
                        [
                            s
                            for key in [other["screen_id"], one["screen_id"]]
                            for s in self._shows_by_screen.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if s is not one
                and s is not other
                and s["status"] == "planned"
                and (
                    s["screen_id"] == other["screen_id"]
                    and _overlap(
                        s["starts_at"],
                        self._show_free_at(s),
                        one["starts_at"],
                        self._ends_in(self.screens[other["screen_id"]], self._show_film(one), one["starts_at"]),
                    )
                    or s["screen_id"] == one["screen_id"]
                    and _overlap(
                        s["starts_at"],
                        self._show_free_at(s),
                        other["starts_at"],
                        self._ends_in(self.screens[one["screen_id"]], self._show_film(other), other["starts_at"]),
                    )
                )
            ),
            None,
        )
        if clash is not None:
            return _refused(f"{self._show_film(clash)['title']} at {clash['starts_at']} is in the way.")
        if (
            len(
                self._hires_at(
                    self.screens[other["screen_id"]],
                    one["starts_at"],
                    self._ends_in(self.screens[other["screen_id"]], self._show_film(one), one["starts_at"]),
                )
            ) != 0
            or len(
                self._hires_at(
                    self.screens[one["screen_id"]],
                    other["starts_at"],
                    self._ends_in(self.screens[one["screen_id"]], self._show_film(other), other["starts_at"]),
                )
            ) != 0
        ):
            return _refused("A hire is in the way.")
        self._journal = []
        first_screen = self.screens[one["screen_id"]]
        self._put("shows", one, "screen_id", other["screen_id"])
        self._put("shows", other, "screen_id", first_screen["id"])
        self._put("shows", one, "moved", True)
        self._put("shows", other, "moved", True)
        if self._breaks_rule_1(one):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(other):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(one):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_s(other):
            return self._take_back(RULES[1])
        if self._breaks_rule_5(one):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(other):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(one):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_s(other):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(one):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_s(other):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: swap the screens of {self._show_film(one)['title']} and {self._show_film(other)['title']}."
            ),
            "data": self._changes(),
        }

    def cancel_show(self, show_id: str) -> Result:
        """Cancel a show that has not begun; tickets are refunded.

        Args:
            show_id (str): Id of the show, such as SHOW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        show = self.shows.get(show_id)
        if show is None:
            return _refused(f"There is no show {show_id!r}.")
        if show["status"] != "planned":
            return _refused(f"The show at {show['starts_at']} is cancelled.")
        if show["starts_at"] <= self.now:
            return _refused(f"The show began at {show['starts_at']}.")
        self._journal = []
        self._put("shows", show, "sold", 0)
        self._put("shows", show, "status", "cancelled")
        if self._breaks_rule_1(show):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(show):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(show):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(show):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(show):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(show):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(show):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(show):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_x(self.licences[show["licence_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: cancel {self._show_film(show)['title']} at {show['starts_at']}.",
            "data": self._changes(),
        }

    def sell_seats(self, show_id: str, number: Annotated[int, {"minimum": 1, "maximum": 400}]) -> Result:
        """Sell seats for a show.

        Args:
            show_id (str): Id of the show, such as SHOW-00001.
            number (int): Seats that are sold, at most those left, from 1 to 400.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        show = self.shows.get(show_id)
        if show is None:
            return _refused(f"There is no show {show_id!r}.")
        if show["status"] != "planned" or show["starts_at"] <= self.now:
            return _refused(f"The show at {show['starts_at']} is over or cancelled.")
        if number > self._show_left(show):
            return _refused(f"{self._show_left(show)} seats are left, not {number}.")
        self._journal = []
        sold = show["sold"] + number
        if not 0 <= sold <= 500:
            return self._take_back(f"The sold of {show['id']} must be between 0 and 500.")
        self._put("shows", show, "sold", sold)
        if self._breaks_rule_6_s(show):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: sell {number} seats for {self._show_film(show)['title']} at {show['starts_at']}.",
            "data": self._changes(),
        }

    def note_enquiry(
        self,
        customer: Text,
        screen_id: str,
        starts_at: DateTime,
        length: Annotated[int, {"minimum": 1, "maximum": 8}],
        guests: Annotated[int, {"minimum": 1, "maximum": 500}],
    ) -> Result:
        """Note an enquiry for private hire; it keeps nothing free until it is confirmed.

        Args:
            customer (str): Name of the person or company that asks.
            screen_id (str): Id of the screen, such as SCREEN-00001.
            starts_at (str): Start of the hire, more than a day ahead, from 9 to 22 o'clock, as YYYY-MM-DDTHH:MM.
            length (int): Duration of the hire in hours, from 1 to 8.
            guests (int): People who will come, at most the seats of the screen, from 1 to 500.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        screen = self.screens.get(screen_id)
        if screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        if starts_at <= _plus_minutes(self.now, 24 * 60):
            return _refused("A screen is let at least a day before.")
        if starts_at[11:] < "09:00" or starts_at[11:] > "22:00":
            return _refused("Screens are let from 09:00 on, and nothing begins after 22:00.")
        if guests > screen["seats"]:
            return _refused(f"{screen['name']} has {screen['seats']} seats, not {guests}.")
        if any(
            h["starts_at"] == starts_at
            for h in self._hires_by_lower_customer.get(customer.lower(), {}).values()
            if h["status"] in ("enquired", "confirmed")
        ):
            return _refused(f"{customer} has asked for that time already.")
        self._journal = []
        hire: Hire = {
            "id": self._new_id("hire", "HIRE", self.hires),
            "customer": customer,
            "screen_id": screen_id,
            "starts_at": starts_at,
            "length": length,
            "guests": guests,
            "status": "enquired",
        }
        self._add("hires", hire)
        if self._breaks_rule_2_h(hire):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_h_again(hire):
            return self._take_back(RULES[1])
        if self._breaks_rule_6_h(hire):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_h(hire):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: note the enquiry of {customer} for {screen['name']} at {starts_at} (new: hire {hire['id']})."
            ),
            "data": {"hire_id": hire["id"], **self._changes()},
        }

    def confirm_hire(self, hire_id: str, screen_id: str | None = None) -> Result:
        """Confirm an enquiry, on its screen or on another one.

        Args:
            hire_id (str): Id of the hire, such as HIRE-00001.
            screen_id (str, optional): Other screen that the hire is moved to; an id such as SCREEN-00001. If left
                out, it stays on the screen of the enquiry.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hire = self.hires.get(hire_id)
        if hire is None:
            return _refused(f"There is no hire {hire_id!r}.")
        screen = self.screens.get(screen_id) if screen_id is not None else None
        if screen_id is not None and screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        if hire["status"] != "enquired":
            return _refused(f"The hire of {hire['customer']} is {hire['status']}.")
        if hire["starts_at"] <= self.now:
            return _refused(f"{hire['starts_at']} is past, so decline it.")
        there = screen or self.screens[hire["screen_id"]]
        if hire["guests"] > there["seats"]:
            return _refused(f"{there['name']} has {there['seats']} seats, not {hire['guests']}.")
        if self._closed_on(there, hire["starts_at"][:10]) is not None:
            return _refused(f"{there['name']} is closed on {hire['starts_at'][:10]}.")
        clash = next(
            (
                each
                for each in self._shows_at(
                    there,
                    hire["starts_at"],
                    _plus_minutes(_plus_minutes(hire["starts_at"], hire["length"] * 60), there["cleaning"]),
                )
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"{there['name']} shows {self._show_film(clash)['title']} at {clash['starts_at']}; move or cancel "
                "that show first."
            )
        other = next(
            (
                each
                for each in self._hires_at(
                    there,
                    hire["starts_at"],
                    _plus_minutes(_plus_minutes(hire["starts_at"], hire["length"] * 60), there["cleaning"]),
                )
            ),
            None,
        )
        if other is not None:
            return _refused(f"{there['name']} is let to {other['customer']} at {other['starts_at']}.")
        self._journal = []
        self._put("hires", hire, "screen_id", there["id"])
        self._put("hires", hire, "status", "confirmed")
        if self._breaks_rule_2_h(hire):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_h_again(hire):
            return self._take_back(RULES[1])
        if self._breaks_rule_6_h(hire):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_h(hire):
            return self._take_back(RULES[6])
        done = f"confirm the hire of {hire['customer']}"
        if screen is not None:
            done += f" on {screen['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def end_hire(self, hire_id: str) -> Result:
        """Decline an enquiry or call a confirmed hire off.

        Args:
            hire_id (str): Id of the hire, such as HIRE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hire = self.hires.get(hire_id)
        if hire is None:
            return _refused(f"There is no hire {hire_id!r}.")
        if hire["status"] not in ("enquired", "confirmed"):
            return _refused(f"The hire of {hire['customer']} is {hire['status']}.")
        if hire["status"] != "enquired" and hire["starts_at"] <= self.now:
            return _refused(f"The hire began at {hire['starts_at']}.")
        self._journal = []
        changed_hires: list[Any] = []
        if hire["status"] == "enquired":
            if hire["status"] not in ("enquired", "declined"):
                return self._take_back(f"Hire {hire['id']} cannot go from {hire['status']} to declined.")
            changed_hires.append(hire)
            self._put("hires", hire, "status", "declined")
        else:
            if hire["status"] not in ("confirmed", "called_off"):
                return self._take_back(f"Hire {hire['id']} cannot go from {hire['status']} to called_off.")
            changed_hires.append(hire)
            self._put("hires", hire, "status", "called_off")
        for one_hire in _distinct(changed_hires):
            if self._breaks_rule_2_h(one_hire):
                return self._take_back(RULES[1])
        for one_hire in _distinct(changed_hires):
            if self._breaks_rule_2_h_again(one_hire):
                return self._take_back(RULES[1])
        for one_hire in _distinct(changed_hires):
            if self._breaks_rule_6_h(one_hire):
                return self._take_back(RULES[5])
        for one_hire in _distinct(changed_hires):
            if self._breaks_rule_7_h(one_hire):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: end the hire of {hire['customer']}.", "data": self._changes()}

    def close_screen(self, screen_id: str, first_on: Date, last_on: Date, reason: Text) -> Result:
        """Close a screen for some days on which nothing is planned or confirmed there.

        Args:
            screen_id (str): Id of the screen, such as SCREEN-00001.
            first_on (str): First day of the closure, today or later, as YYYY-MM-DD.
            last_on (str): Last day of the closure, at most 20 days after the first, as YYYY-MM-DD.
            reason (str): Why the screen is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        screen = self.screens.get(screen_id)
        if screen is None:
            return _refused(f"There is no screen {screen_id!r}.")
        if self.now[:10] > first_on or first_on > last_on:
            return _refused("A closure begins today or later and ends after it begins.")
        if last_on > _plus_days(first_on, 20):
            return _refused("A screen is closed for three weeks at most.")
        show = next(
            (
                s
                for s in sorted(self._shows_by_screen_status.get((screen_id, "planned"), {}).values(), key=_age)
                if (first_on <= s["starts_at"][:10] and s["starts_at"][:10] <= last_on)
            ),
            None,
        )
        if show is not None:
            return _refused(
                f"{screen['name']} shows {self._show_film(show)['title']} at {show['starts_at']}; move or cancel "
                "that show first."
            )
        hire = next(
            (
                h
                for h in sorted(self._hires_by_screen_status.get((screen_id, "confirmed"), {}).values(), key=_age)
                if (first_on <= h["starts_at"][:10] and h["starts_at"][:10] <= last_on)
            ),
            None,
        )
        if hire is not None:
            return _refused(f"{screen['name']} is let to {hire['customer']} at {hire['starts_at']}.")
        if any(
            first_on <= k["last_on"]
            for k in self._closures_by_screen.get(screen_id, {}).values()
            if k["first_on"] <= last_on
        ):
            return _refused(f"{screen['name']} is closed on some of these days already.")
        self._journal = []
        closure: Closure = {
            "id": self._new_id("closure", "CLOSURE", self.closures),
            "screen_id": screen_id,
            "first_on": first_on,
            "last_on": last_on,
            "reason": reason,
        }
        self._add("closures", closure)
        if self._breaks_rule_7_k(closure):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_k_again(closure):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(closure):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: close {screen['name']} from {first_on} to {last_on} for {reason} (new: closure "
                f"{closure['id']})."
            ),
            "data": {"closure_id": closure["id"], **self._changes()},
        }

    def _show_licence(self, licence: Licence) -> dict[str, Any]:
        """The licence as an answer shows it."""
        return {**licence, "planned": self._licence_planned(licence), "owed": self._licence_owed(licence)}

    def _show_show(self, show: Show) -> dict[str, Any]:
        """The show as an answer shows it."""
        return {
            **show,
            "film_id": _id_of(self._show_film(show)),
            "free_at": self._show_free_at(show),
            "left": self._show_left(show),
        }

    def _show_hire(self, hire: Hire) -> dict[str, Any]:
        """The hire as an answer shows it."""
        return {**hire, "free_at": self._hire_free_at(hire), "fee": self._hire_fee(hire)}

    def _names_of_licences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that licences point to."""
        return _names((self.films, "title", [row["film_id"] for row in shown]))

    def _names_of_shows(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shows point to."""
        return _names(
            (self.screens, "name", [row["screen_id"] for row in shown]),
            (self.films, "title", [row["film_id"] for row in shown]),
        )

    def _names_of_hires(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that hires point to."""
        return _names((self.screens, "name", [row["screen_id"] for row in shown]))

    def _names_of_closures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that closures point to."""
        return _names((self.screens, "name", [row["screen_id"] for row in shown]))

    def _licence_planned(self, licence: Licence) -> int:
        """The planned of a licence."""
        return len(self._shows_by_licence_status.get((licence["id"], "planned"), {}))

    def _licence_owed(self, licence: Licence) -> int:
        """The owed of a licence."""
        return max(0, licence["minimum"] - self._licence_planned(licence))

    def _show_film(self, show: Show) -> Film:
        """The film of a show."""
        return self.films[self.licences[show["licence_id"]]["film_id"]]

    def _show_free_at(self, show: Show) -> str:
        """The free at of a show."""
        return _plus_minutes(
            _plus_minutes(
                _plus_minutes(show["starts_at"], 20),
                self.films[self.licences[show["licence_id"]]["film_id"]]["minutes"],
            ),
            self.screens[show["screen_id"]]["cleaning"],
        )

    def _show_left(self, show: Show) -> int:
        """The left of a show."""
        return self.screens[show["screen_id"]]["seats"] - show["sold"]

    def _hire_free_at(self, hire: Hire) -> str:
        """The free at of a hire."""
        return _plus_minutes(
            _plus_minutes(hire["starts_at"], hire["length"] * 60),
            self.screens[hire["screen_id"]]["cleaning"],
        )

    def _hire_fee(self, hire: Hire) -> int:
        """The fee of a hire."""
        return self.screens[hire["screen_id"]]["hourly"] * hire["length"]

    def _earliest(self, f: Film) -> str:
        return "20:00" if f["rating"] >= 18 else "17:00" if f["rating"] >= 16 else "10:00"

    def _shows_at(self, c: Screen, a: str, b: str) -> list[Show]:
        return [
            s
            for s in sorted(self._shows_by_screen_status.get((c["id"], "planned"), {}).values(), key=_age)
            if _overlap(s["starts_at"], self._show_free_at(s), a, b)
        ]

    def _hires_at(self, c: Screen, a: str, b: str) -> list[Hire]:
        return [
            h
            for h in sorted(self._hires_by_screen_status.get((c["id"], "confirmed"), {}).values(), key=_age)
            if _overlap(h["starts_at"], self._hire_free_at(h), a, b)
        ]

    def _closed_on(self, c: Screen, d: str) -> Closure | None:
        return next(
            (
                k
                for k in sorted(self._closures_by_screen.get(c["id"], {}).values(), key=_age)
                if (k["first_on"] <= d and d <= k["last_on"])
            ),
            None,
        )

    def _idle(self, c: Screen, a: str, b: str) -> bool:
        return (
            len(self._shows_at(c, a, b)) == 0
            and len(self._hires_at(c, a, b)) == 0
            and self._closed_on(c, a[:10]) is None
        )

    def _ends_in(self, c: Screen, f: Film, a: str) -> str:
        return _plus_minutes(_plus_minutes(_plus_minutes(a, 20), f["minutes"]), c["cleaning"])

    def _licensed(self, f: Film, d: str) -> Licence | None:
        return next(
            (
                x
                for x in sorted(self._licences_by_film_status.get((f["id"], "running"), {}).values(), key=_age)
                if (x["first_on"] <= d and d <= x["last_on"])
            ),
            None,
        )

    def _hears(self, c: Screen, f: Film) -> bool:
        return c["surround"] or not f["surround"]

    def _breaks_rule_1(self, a: Show) -> bool:
        """Whether this is broken: a screen plays one show at a time and is cleaned before the next."""
        return (
            a["status"] == "planned"
            and any(
                _overlap(a["starts_at"], self._show_free_at(a), b["starts_at"], self._show_free_at(b))
                for b in self._shows_by_screen_status.get((a["screen_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2_h(self, h: Hire) -> bool:
        """Whether this is broken: a confirmed hire has the screen to itself."""
        return (
            h["status"] == "confirmed"
            and any(
                _overlap(h["starts_at"], self._hire_free_at(h), s["starts_at"], self._show_free_at(s))
                for s in self._shows_by_screen_status.get((h["screen_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_2_s(self, s: Show) -> bool:
        """Whether this is broken: a confirmed hire has the screen to itself."""
        return (
            s["status"] == "planned"
            and any(
                _overlap(h["starts_at"], self._hire_free_at(h), s["starts_at"], self._show_free_at(s))
                for h in self._hires_by_screen_status.get((s["screen_id"], "confirmed"), {}).values()
            )
        )

    def _breaks_rule_2_h_again(self, h: Hire) -> bool:
        """Whether this is broken: a confirmed hire has the screen to itself."""
        return (
            h["status"] == "confirmed"
            and any(
                _overlap(h["starts_at"], self._hire_free_at(h), g["starts_at"], self._hire_free_at(g))
                for g in self._hires_by_screen_status.get((h["screen_id"], "confirmed"), {}).values()
                if h is not g
            )
        )

    def _breaks_rule_3(self, s: Show) -> bool:
        """Whether this is broken: a film is shown only while its licence runs."""
        return (
            s["status"] == "planned"
            and (
                self.licences[s["licence_id"]]["first_on"] > s["starts_at"][:10]
                or s["starts_at"][:10] > self.licences[s["licence_id"]]["last_on"]
            )
        )

    def _breaks_rule_4(self, s: Show) -> bool:
        """Whether this is broken: films from 16 begin at five in the afternoon at the earliest, films from 18 at
        eight in the evening.
        """
        return s["status"] == "planned" and s["starts_at"][11:] < self._earliest(self._show_film(s))

    def _breaks_rule_5(self, s: Show) -> bool:
        """Whether this is broken: a film in surround sound is shown on a screen that has it."""
        return s["status"] == "planned" and not self._hears(self.screens[s["screen_id"]], self._show_film(s))

    def _breaks_rule_6_s(self, s: Show) -> bool:
        """Whether this is broken: no more seats are sold or let than a screen has."""
        return s["status"] == "planned" and s["sold"] > self.screens[s["screen_id"]]["seats"]

    def _breaks_rule_6_h(self, h: Hire) -> bool:
        """Whether this is broken: no more seats are sold or let than a screen has."""
        return h["status"] in ("enquired", "confirmed") and h["guests"] > self.screens[h["screen_id"]]["seats"]

    def _breaks_rule_7_k(self, k: Closure) -> bool:
        """Whether this is broken: nothing takes place on a screen that is closed."""
        return any(
            k["first_on"] <= s["starts_at"][:10]
            and s["starts_at"][:10] <= k["last_on"]
            for s in self._shows_by_screen_status.get((k["screen_id"], "planned"), {}).values()
        )

    def _breaks_rule_7_s(self, s: Show) -> bool:
        """Whether this is broken: nothing takes place on a screen that is closed."""
        return (
            s["status"] == "planned"
            and any(
                k["first_on"] <= s["starts_at"][:10]
                and s["starts_at"][:10] <= k["last_on"]
                for k in self._closures_by_screen.get(s["screen_id"], {}).values()
            )
        )

    def _breaks_rule_7_k_again(self, k: Closure) -> bool:
        """Whether this is broken: nothing takes place on a screen that is closed."""
        return any(
            k["first_on"] <= h["starts_at"][:10]
            and h["starts_at"][:10] <= k["last_on"]
            for h in self._hires_by_screen_status.get((k["screen_id"], "confirmed"), {}).values()
        )

    def _breaks_rule_7_h(self, h: Hire) -> bool:
        """Whether this is broken: nothing takes place on a screen that is closed."""
        return (
            h["status"] == "confirmed"
            and any(
                k["first_on"] <= h["starts_at"][:10]
                and h["starts_at"][:10] <= k["last_on"]
                for k in self._closures_by_screen.get(h["screen_id"], {}).values()
            )
        )

    def _breaks_rule_8_a(self, a: Licence) -> bool:
        """Whether this is broken: the licences of one film never run at the same time."""
        return any(
            a["last_on"] >= b["first_on"]
            and b["last_on"] >= a["first_on"]
            for b in self._licences_by_film.get(a["film_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_8_x(self, x: Licence) -> bool:
        """Whether this is broken: the licences of one film never run at the same time."""
        return x["first_on"] > x["last_on"]

    def _breaks_rule_9(self, s: Show) -> bool:
        """Whether this is broken: one film never begins twice at the same time."""
        return (
            s["status"] == "planned"
            and any(
                other_s is not s
                for _licence in self._licences_by_film.get(self.licences[s["licence_id"]]["film_id"], {}).values()
                for other_s in self._shows_by_licence.get(_licence["id"], {}).values()
                if other_s["starts_at"] == s["starts_at"]
                and other_s["status"] == "planned"
            )
        )

    def _breaks_rule_10_x(self, x: Licence) -> bool:
        """Whether this is broken: a settled licence had its shows or cost 150.00 for each one missing, and a running
        one costs nothing yet.
        """
        return x["status"] == "settled" and x["penalty"] != x["missing_fee"] * self._licence_owed(x)

    def _breaks_rule_10_x_again(self, x: Licence) -> bool:
        """Whether this is broken: a settled licence had its shows or cost 150.00 for each one missing, and a running
        one costs nothing yet.
        """
        return x["status"] == "running" and x["penalty"] != 0

    def _breaks_rule_11(self, j: Closure) -> bool:
        """Whether this is broken: the closures of a screen never overlap."""
        return any(
            j["last_on"] >= k["first_on"]
            and k["last_on"] >= j["first_on"]
            for k in self._closures_by_screen.get(j["screen_id"], {}).values()
            if j is not k
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
            case "licences":
                self._licences_by_film.setdefault(record["film_id"], {})[record["id"]] = record
                self._licences_by_film_status.setdefault((record["film_id"], record["status"]), {})[record["id"]] = record
            case "shows":
                self._shows_by_licence.setdefault(record["licence_id"], {})[record["id"]] = record
                self._shows_by_licence_status.setdefault(
                    (record["licence_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._shows_by_screen.setdefault(record["screen_id"], {})[record["id"]] = record
                self._shows_by_screen_status.setdefault(
                    (record["screen_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "hires":
                self._hires_by_lower_customer.setdefault(record["customer"].lower(), {})[record["id"]] = record
                self._hires_by_screen_status.setdefault(
                    (record["screen_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "closures":
                self._closures_by_screen.setdefault(record["screen_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "licences":
                del self._licences_by_film[record["film_id"]][record["id"]]
                del self._licences_by_film_status[record["film_id"], record["status"]][record["id"]]
            case "shows":
                del self._shows_by_licence[record["licence_id"]][record["id"]]
                del self._shows_by_licence_status[record["licence_id"], record["status"]][record["id"]]
                del self._shows_by_screen[record["screen_id"]][record["id"]]
                del self._shows_by_screen_status[record["screen_id"], record["status"]][record["id"]]
            case "hires":
                del self._hires_by_lower_customer[record["customer"].lower()][record["id"]]
                del self._hires_by_screen_status[record["screen_id"], record["status"]][record["id"]]
            case "closures":
                del self._closures_by_screen[record["screen_id"]][record["id"]]
