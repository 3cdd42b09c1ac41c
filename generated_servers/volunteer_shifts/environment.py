"""Volunteer shifts. Compiled from blueprint.yaml; run `envscaler build volunteer_shifts` after changing it there.

Fills the shifts of a charity with volunteers who have the checks and skills they need, finds leads and
replacements, deals with no-shows and credits hours.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Nobody is on two shifts at the same time.",
    "A shift never has more people than it can take.",
    "A confirmed shift has enough people.",
    "A confirmed shift has a lead who may lead and is on it.",
    "Somebody on a confirmed shift has each skill that it needs.",
    "Only volunteers with a valid background check work where children are.",
    "A volunteer is signed up for a shift once.",
    "Hours are credited to those who came and to nobody else.",
    "A volunteer takes four shifts a week at most.",
    "Nobody is booked for days on which they are paused.",
    "Nobody redeems more hours than they earned.",
    "A volunteer has one certificate for a skill.",
    "A shift that was called off says why, and nobody is left on it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_shift",
    "sign_up",
    "drop_out",
    "name_lead",
    "confirm_shift",
    "record_no_show",
    "finish_shift",
    "call_off_shift",
    "register_volunteer",
    "renew_check",
    "certify",
    "redeem_hours",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "skills": ("name",),
    "volunteers": ("name",),
    "certificates": (),
    "shifts": ("code",),
    "sign_ups": (),
    "rewards": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("certificates", "skill_id"),
    ("certificates", "volunteer_id"),
    ("rewards", "volunteer_id"),
    ("shifts", "code"),
    ("shifts", "site_id"),
    ("sign_ups", "shift_id"),
    ("sign_ups", "status"),
    ("sign_ups", "volunteer_id"),
    ("volunteers", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str
    children: bool


class Skill(TypedDict):
    id: str
    name: str
    months: int


class Volunteer(TypedDict):
    id: str
    name: str
    may_lead: bool
    checked_until: str | None
    strikes: int
    paused_until: str | None


class Certificate(TypedDict):
    id: str
    volunteer_id: str
    skill_id: str
    valid_until: str


class Shift(TypedDict):
    id: str
    code: str
    site_id: str
    on: str
    starts: str
    ends: str
    least: int
    most: int
    need_ids: list[str]
    lead_id: str | None
    called_off_for: str | None
    status: Literal["open", "confirmed", "called_off", "done"]


class SignUp(TypedDict):
    id: str
    shift_id: str
    volunteer_id: str
    signed_at: str
    credited: int
    status: Literal["standby", "booked", "dropped", "attended", "missed"]


class Reward(TypedDict):
    id: str
    volunteer_id: str
    minutes: int
    what: Literal["course_place", "cinema_voucher", "team_dinner"]
    given_on: str


class FinishShiftEarly(TypedDict):
    volunteer_id: str
    minutes: Annotated[int, {"minimum": 10, "maximum": 480}]


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


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class VolunteerShifts:
    """Fills the shifts of a charity with volunteers who have the checks and skills they need, finds leads
    and replacements, deals with no-shows and credits hours.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.skills: dict[str, Skill] = _copied(config.get("skills", {}))
        self.volunteers: dict[str, Volunteer] = _copied(config.get("volunteers", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.shifts: dict[str, Shift] = _copied(config.get("shifts", {}))
        self.sign_ups: dict[str, SignUp] = _copied(config.get("sign_ups", {}))
        self.rewards: dict[str, Reward] = _copied(config.get("rewards", {}))
        self.now: str = config.get("now", "2026-06-10T09:00")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "skill": len(self.skills),
            "volunteer": len(self.volunteers),
            "certificate": len(self.certificates),
            "shift": len(self.shifts),
            "sign_up": len(self.sign_ups),
            "reward": len(self.rewards),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._volunteers_by_name: dict[Any, dict[str, Volunteer]] = {}
        self._certificates_by_volunteer_skill: dict[Any, dict[str, Certificate]] = {}
        self._shifts_by_code: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_site: dict[Any, dict[str, Shift]] = {}
        self._sign_ups_by_shift: dict[Any, dict[str, SignUp]] = {}
        self._sign_ups_by_shift_status: dict[Any, dict[str, SignUp]] = {}
        self._sign_ups_by_shift_volunteer: dict[Any, dict[str, SignUp]] = {}
        self._sign_ups_by_shift_volunteer_status: dict[Any, dict[str, SignUp]] = {}
        self._sign_ups_by_volunteer: dict[Any, dict[str, SignUp]] = {}
        self._sign_ups_by_volunteer_status: dict[Any, dict[str, SignUp]] = {}
        self._rewards_by_volunteer: dict[Any, dict[str, Reward]] = {}
        for volunteer in self.volunteers.values():
            self._link("volunteers", volunteer)
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for shift in self.shifts.values():
            self._link("shifts", shift)
        for sign_up in self.sign_ups.values():
            self._link("sign_ups", sign_up)
        for reward in self.rewards.values():
            self._link("rewards", reward)

    def who_can_come(
        self,
        shift_id: str,
        skill_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Volunteers who could be signed up for a shift, those with the fewest shifts in that week first.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            skill_id (str, optional): Only volunteers with this skill; an id such as SKILL-00001. If left out,
                volunteers with any skills are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "volunteers": records}} or {"success": False, "error":
                why not}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        skill = self.skills.get(skill_id) if skill_id is not None else None
        if skill_id is not None and skill is None:
            return _refused(f"There is no skill {skill_id!r}.")
        found = [
            v
            for v in self.volunteers.values()
            if (
                self._fits(v, shift)
                and not any(
                    x["status"] != "dropped"
                    for x in self._sign_ups_by_shift_volunteer.get((shift_id, v["id"]), {}).values()
                )
            )
            and (skill_id is None or self._has_skill(v, skill, shift["on"]))
        ]
        found.sort(key=lambda v: (self._week_load(v, shift["on"]), v["name"], _age(v)))
        return _found(
            {
                "total": len(found),
                "volunteers": [
                    {
                        "id": v["id"],
                        "name": v["name"],
                        "may_lead": v["may_lead"],
                        "shifts_that_week": self._week_load(v, shift["on"]),
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def gaps(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Open shifts from today on and what they lack.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}} or {"success": False, "error": why
                not}
        """
        found = [s for s in self.shifts.values() if (s["status"] == "open" and s["on"] >= self.now[:10])]
        found.sort(key=lambda s: (s["on"], s["starts"], self.sites[s["site_id"]]["name"], _age(s)))
        shown = [
            {
                "id": s["id"],
                "site": self.sites[s["site_id"]]["name"],
                "on": s["on"],
                "starts": s["starts"],
                "people": self._shift_people(s),
                "least": s["least"],
                "has_lead": s["lead_id"] is not None,
                "lacking": [
                    *[k["name"] for k in [self.skills[key] for key in s["need_ids"]] if not self._covered(s, k)]
                ],
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "shifts": shown},
            _names((self.shifts, "code", [row["id"] for row in shown])),
        )

    def standby_list(self, shift_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who is on standby for a shift, in the order in which they signed up, and who would move up.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sign_ups": records}} or {"success": False, "error": why
                not}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        found = [
            x
            for x in self._sign_ups_by_shift.get(shift_id, {}).values()
            if (x["shift_id"] == shift_id and x["status"] == "standby")
        ]
        found.sort(key=lambda x: (x["signed_at"], self.volunteers[x["volunteer_id"]]["name"], _age(x)))
        return _found(
            {
                "total": len(found),
                "sign_ups": [
                    {
                        "id": x["id"],
                        "volunteer": self.volunteers[x["volunteer_id"]]["name"],
                        "could_come": self._fits(self.volunteers[x["volunteer_id"]], shift),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_sites(
        self,
        name: Text | None = None,
        children: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            children (bool, optional): Only sites with this value of `children`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        found = [
            site
            for site in self.sites.values()
            if (name is None or name.casefold() in site["name"].casefold())
            and (children is None or site["children"] == children)
        ]
        return _found({"total": len(found), "sites": [{**site} for site in _page(found, offset)]})

    def list_skills(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the skills, oldest first, all of them or only some.

        Args:
            name (str, optional): Only skills whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "skills": records}}
        """
        found = [
            skill
            for skill in self.skills.values()
            if (name is None or name.casefold() in skill["name"].casefold())
        ]
        return _found({"total": len(found), "skills": [{**skill} for skill in _page(found, offset)]})

    def list_volunteers(
        self,
        name: Text | None = None,
        may_lead: bool | None = None,
        checked_until_from: Date | None = None,
        checked_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the volunteers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only volunteers whose name contains this text.
            may_lead (bool, optional): Only volunteers that may lead (true) or not (false).
            checked_until_from (str, optional): Only volunteers whose `checked_until` is on this day or later.
            checked_until_to (str, optional): Only volunteers whose `checked_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "volunteers": records}}
        """
        found = [
            volunteer
            for volunteer in self.volunteers.values()
            if (name is None or name.casefold() in volunteer["name"].casefold())
            and (may_lead is None or volunteer["may_lead"] == may_lead)
            and (
                checked_until_from is None
                or (volunteer["checked_until"] is not None and volunteer["checked_until"] >= checked_until_from)
            )
            and (
                checked_until_to is None
                or (volunteer["checked_until"] is not None and volunteer["checked_until"] <= checked_until_to)
            )
        ]
        return _found(
            {
                "total": len(found),
                "volunteers": [self._show_volunteer(volunteer) for volunteer in _page(found, offset)],
            }
        )

    def list_certificates(
        self,
        volunteer_id: str | None = None,
        skill_id: str | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            volunteer_id (str, optional): Only certificates of this volunteer.
            skill_id (str, optional): Only certificates of this skill.
            valid_until_from (str, optional): Only certificates whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only certificates whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if volunteer_id is not None and volunteer_id not in self.volunteers:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        if skill_id is not None and skill_id not in self.skills:
            return _refused(f"There is no skill {skill_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (volunteer_id is None or certificate["volunteer_id"] == volunteer_id)
            and (skill_id is None or certificate["skill_id"] == skill_id)
            and (valid_until_from is None or certificate["valid_until"] >= valid_until_from)
            and (valid_until_to is None or certificate["valid_until"] <= valid_until_to)
        ]
        shown = [{**certificate} for certificate in _page(found, offset)]
        return _found({"total": len(found), "certificates": shown}, self._names_of_certificates(shown))

    def list_shifts(
        self,
        code: Text | None = None,
        site_id: str | None = None,
        lead_id: str | None = None,
        status: Literal["open", "confirmed", "called_off", "done"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shifts, oldest first, all of them or only some.

        Args:
            code (str, optional): Only shifts whose code contains this text.
            site_id (str, optional): Only shifts of this site.
            lead_id (str, optional): Only shifts whose lead is this volunteer.
            status (str, optional): Only shifts with this status.
            on_from (str, optional): Only shifts whose `on` is on this day or later.
            on_to (str, optional): Only shifts whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if lead_id is not None and lead_id not in self.volunteers:
            return _refused(f"There is no volunteer {lead_id!r}.")
        found = [
            shift
            for shift in self.shifts.values()
            if (code is None or code.casefold() in shift["code"].casefold())
            and (site_id is None or shift["site_id"] == site_id)
            and (lead_id is None or shift["lead_id"] == lead_id)
            and (status is None or shift["status"] == status)
            and (on_from is None or shift["on"] >= on_from)
            and (on_to is None or shift["on"] <= on_to)
        ]
        shown = [self._show_shift(shift) for shift in _page(found, offset)]
        return _found({"total": len(found), "shifts": shown}, self._names_of_shifts(shown))

    def list_sign_ups(
        self,
        shift_id: str | None = None,
        volunteer_id: str | None = None,
        status: Literal["standby", "booked", "dropped", "attended", "missed"] | None = None,
        signed_at_from: Date | None = None,
        signed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sign ups, oldest first, all of them or only some.

        Args:
            shift_id (str, optional): Only sign ups of this shift.
            volunteer_id (str, optional): Only sign ups of this volunteer.
            status (str, optional): Only sign ups with this status.
            signed_at_from (str, optional): Only sign ups whose `signed_at` is on this day or later.
            signed_at_to (str, optional): Only sign ups whose `signed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sign_ups": records}}
        """
        if shift_id is not None and shift_id not in self.shifts:
            return _refused(f"There is no shift {shift_id!r}.")
        if volunteer_id is not None and volunteer_id not in self.volunteers:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        found = [
            sign_up
            for sign_up in self.sign_ups.values()
            if (shift_id is None or sign_up["shift_id"] == shift_id)
            and (volunteer_id is None or sign_up["volunteer_id"] == volunteer_id)
            and (status is None or sign_up["status"] == status)
            and (signed_at_from is None or sign_up["signed_at"][:10] >= signed_at_from)
            and (signed_at_to is None or sign_up["signed_at"][:10] <= signed_at_to)
        ]
        shown = [{**sign_up} for sign_up in _page(found, offset)]
        return _found({"total": len(found), "sign_ups": shown}, self._names_of_sign_ups(shown))

    def list_rewards(
        self,
        volunteer_id: str | None = None,
        what: Literal["course_place", "cinema_voucher", "team_dinner"] | None = None,
        given_on_from: Date | None = None,
        given_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rewards, oldest first, all of them or only some.

        Args:
            volunteer_id (str, optional): Only rewards of this volunteer.
            what (str, optional): Only rewards whose `what` is this.
            given_on_from (str, optional): Only rewards whose `given_on` is on this day or later.
            given_on_to (str, optional): Only rewards whose `given_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rewards": records}}
        """
        if volunteer_id is not None and volunteer_id not in self.volunteers:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        found = [
            reward
            for reward in self.rewards.values()
            if (volunteer_id is None or reward["volunteer_id"] == volunteer_id)
            and (what is None or reward["what"] == what)
            and (given_on_from is None or reward["given_on"] >= given_on_from)
            and (given_on_to is None or reward["given_on"] <= given_on_to)
        ]
        shown = [{**reward} for reward in _page(found, offset)]
        return _found({"total": len(found), "rewards": shown}, self._names_of_rewards(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_shift(
        self,
        code: Text,
        site_id: str,
        on: Date,
        starts: Time,
        ends: Time,
        least: Annotated[int, {"minimum": 1, "maximum": 8}],
        most: Annotated[int, {"minimum": 1, "maximum": 12}],
        need_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Open a shift for sign-up.

        Args:
            code (str): Code of the new shift, not in use yet.
            site_id (str): Id of the site, such as SITE-00001.
            on (str): Day of the shift, after today, as YYYY-MM-DD.
            starts (str): Time of day at which it starts, as HH:MM.
            ends (str): Time of day at which it ends, one to eight hours later, as HH:MM.
            least (int): Fewest volunteers with whom it can take place, from 1 to 8.
            most (int): Most volunteers who can take part, from 1 to 12.
            need_ids (list): Skills that somebody on the shift must have: ids of skills, such as SKILL-00001. May
                be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        needs = []
        for key in need_ids or []:
            if key not in self.skills:
                return _refused(f"There is no skill {key!r}.")
            needs.append(self.skills[key])
        if self._shifts_by_code.get(code, {}):
            return _refused(f"There is a shift {code} on the rota already.")
        if on <= self.now[:10]:
            return _refused(f"A shift is opened for a day after {self.now[:10]}.")
        if (
            starts >= ends
            or _clock_minutes(ends) - _clock_minutes(starts) < 60
            or _clock_minutes(ends) - _clock_minutes(starts) > 480
        ):
            return _refused("A shift lasts one to eight hours.")
        if least > most:
            return _refused(f"A shift cannot need {least} people and take only {most}.")
        if not _different([k["id"] for k in needs]):
            return _refused("Name each skill once.")
        if any(
            each["starts"] == starts
            for each in self._shifts_by_site.get(site_id, {}).values()
            if each["on"] == on
        ):
            return _refused(f"{site['name']} has a shift on {on} at {starts} already.")
        self._journal = []
        shift: Shift = {
            "id": self._new_id("shift", "SHIFT", self.shifts),
            "code": code,
            "site_id": site_id,
            "on": on,
            "starts": starts,
            "ends": ends,
            "least": least,
            "most": most,
            "need_ids": [record["id"] for record in _those(self.skills, [record["id"] for record in needs])],
            "lead_id": None,
            "called_off_for": None,
            "status": "open",
        }
        self._add("shifts", shift)
        if len(self._shifts_by_code.get(shift["code"], {})) > 1:
            return self._take_back(f"There is already a shift with the code {shift['code']!r}.")
        if self._breaks_rule_2_s(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_s_again(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_13_s(shift):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: open a shift at {site['name']} on {on} from {starts} to {ends} (new: shift {shift['id']})."
            ),
            "data": {"shift_id": shift["id"], **self._changes()},
        }

    def sign_up(self, shift_id: str, volunteer_id: str) -> Result:
        """Sign a volunteer up for a shift, on standby if it is full.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            volunteer_id (str): Id of the volunteer, such as VOLUNTEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        volunteer = self.volunteers.get(volunteer_id)
        if volunteer is None:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        if shift["status"] not in ("open", "confirmed"):
            return _refused(f"That shift is {shift['status']}.")
        if shift["on"] < self.now[:10]:
            return _refused(f"That shift was on {shift['on']}.")
        if any(
            x["status"] != "dropped"
            for x in self._sign_ups_by_shift_volunteer.get((shift_id, volunteer_id), {}).values()
        ):
            return _refused(f"{volunteer['name']} is signed up for it already.")
        if not self._checked(volunteer, shift):
            return _refused(
                f"{volunteer['name']} has no background check that is valid on {shift['on']}, and there are "
                f"children at {self.sites[shift['site_id']]['name']}."
            )
        if self._away(volunteer, shift["on"]):
            return _refused(f"{volunteer['name']} is paused after three no-shows.")
        other = self._clash(volunteer, shift)
        if other is not None:
            return _refused(
                f"{volunteer['name']} is at {self.sites[self.shifts[other['shift_id']]['site_id']]['name']} at "
                "that time."
            )
        if self._week_load(volunteer, shift["on"]) >= 4:
            return _refused(f"{volunteer['name']} has four shifts in that week, so drop one first.")
        self._journal = []
        changed_sign_ups: list[Any] = []
        place: SignUp = {
            "id": self._new_id("sign_up", "SU", self.sign_ups),
            "shift_id": shift_id,
            "volunteer_id": volunteer_id,
            "signed_at": self.now,
            "credited": 0,
            "status": "standby",
        }
        self._add("sign_ups", place)
        if self._shift_people(shift) < shift["most"]:
            if place["status"] not in ("standby", "booked"):
                return self._take_back(f"Sign up {place['id']} cannot go from {place['status']} to booked.")
            changed_sign_ups.append(place)
            self._put("sign_ups", place, "status", "booked")
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_1(one_sign_up):
                return self._take_back(RULES[0])
        for one_shift in _distinct(
            [self.shifts[place["shift_id"]], *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]
        ):
            if self._breaks_rule_2_s(one_shift):
                return self._take_back(RULES[1])
        for one_shift in _distinct(
            [self.shifts[place["shift_id"]], *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]
        ):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct(
            [self.shifts[place["shift_id"]], *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]
        ):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct(
            [self.shifts[place["shift_id"]], *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]
        ):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_6(one_sign_up):
                return self._take_back(RULES[5])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_7(one_sign_up):
                return self._take_back(RULES[6])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_8(one_sign_up):
                return self._take_back(RULES[7])
        for one_sign_up in _distinct(
            [
                place,
                *self._sign_ups_by_volunteer_status.get((place["volunteer_id"], "booked"), {}).values(),
                *changed_sign_ups,
                *[
                    user
                    for one in [self.volunteers[one["volunteer_id"]] for one in changed_sign_ups]
                    for user in self._sign_ups_by_volunteer_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_sign_up):
                return self._take_back(RULES[8])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_10(one_sign_up):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(self.volunteers[place["volunteer_id"]]):
            return self._take_back(RULES[10])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_13_x(one_sign_up):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: sign {volunteer['name']} up for {self.sites[shift['site_id']]['name']} on {shift['on']} "
                f"(new: sign up {place['id']})."
            ),
            "data": {"sign_up_id": place["id"], **self._changes()},
        }

    def drop_out(self, place_id: str) -> Result:
        """Take a volunteer off a shift; the first on standby who can come moves up, and a confirmed shift that lacks
        something then is open again.

        Args:
            place_id (str): Sign-up of the volunteer who is taken off; an id such as SU-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        place = self.sign_ups.get(place_id)
        if place is None:
            return _refused(f"There is no sign up {place_id!r}.")
        if place["status"] not in ("standby", "booked"):
            return _refused(f"{self.volunteers[place['volunteer_id']]['name']} is not expected there.")
        if self.shifts[place["shift_id"]]["on"] < self.now[:10]:
            return _refused(f"That shift was on {self.shifts[place['shift_id']]['on']}.")
        self._journal = []
        changed_shifts: list[Any] = []
        changed_sign_ups: list[Any] = []
        changed_shifts_2: list[Any] = []
        shift = self.shifts[place["shift_id"]]
        was_booked = place["status"] == "booked"
        self._put("sign_ups", place, "status", "dropped")
        if shift["lead_id"] == place["volunteer_id"]:
            changed_shifts.append(shift)
            self._put("shifts", shift, "lead_id", None)
        follower = self._next_up(shift)
        if was_booked and follower is not None and self._shift_people(shift) < shift["most"]:
            if follower["status"] not in ("standby", "booked"):
                return self._take_back(f"Sign up {follower['id']} cannot go from {follower['status']} to booked.")
            changed_sign_ups.append(follower)
            self._put("sign_ups", follower, "status", "booked")
        if (
            shift["status"] == "confirmed"
            and (
                shift["lead_id"] is None
                or self._shift_people(shift) < shift["least"]
                or any(not self._covered(shift, k) for k in [self.skills[key] for key in shift["need_ids"]])
            )
        ):
            if shift["status"] not in ("open", "confirmed"):
                return self._take_back(f"Shift {shift['code']} cannot go from {shift['status']} to open.")
            changed_shifts_2.append(shift)
            self._put("shifts", shift, "status", "open")
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_1(one_sign_up):
                return self._take_back(RULES[0])
        for one_shift in _distinct(
            [self.shifts[place["shift_id"]], *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]
        ):
            if self._breaks_rule_2_s(one_shift):
                return self._take_back(RULES[1])
        for one_shift in _distinct(
            [
                self.shifts[place["shift_id"]],
                *[self.shifts[one["shift_id"]] for one in changed_sign_ups],
                *changed_shifts_2,
            ]
        ):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct(
            [
                self.shifts[place["shift_id"]],
                *changed_shifts,
                *[self.shifts[one["shift_id"]] for one in changed_sign_ups],
                *changed_shifts_2,
            ]
        ):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct(
            [
                self.shifts[place["shift_id"]],
                *[self.shifts[one["shift_id"]] for one in changed_sign_ups],
                *changed_shifts_2,
            ]
        ):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_6(one_sign_up):
                return self._take_back(RULES[5])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_7(one_sign_up):
                return self._take_back(RULES[6])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_8(one_sign_up):
                return self._take_back(RULES[7])
        for one_sign_up in _distinct(
            [
                place,
                *self._sign_ups_by_volunteer_status.get((place["volunteer_id"], "booked"), {}).values(),
                *changed_sign_ups,
                *[
                    user
                    for one in [self.volunteers[one["volunteer_id"]] for one in changed_sign_ups]
                    for user in self._sign_ups_by_volunteer_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_sign_up):
                return self._take_back(RULES[8])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_10(one_sign_up):
                return self._take_back(RULES[9])
        for one_shift in _distinct(changed_shifts_2):
            if self._breaks_rule_13_s(one_shift):
                return self._take_back(RULES[12])
        for one_sign_up in _distinct(
            [
                place,
                *changed_sign_ups,
                *[user for one in changed_shifts_2 for user in self._sign_ups_by_shift.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_13_x(one_sign_up):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: take {self.volunteers[place['volunteer_id']]['name']} off "
                f"{self.sites[self.shifts[place['shift_id']]['site_id']]['name']} on "
                f"{self.shifts[place['shift_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def name_lead(self, shift_id: str, volunteer_id: str) -> Result:
        """Make a volunteer who is on a shift its lead.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            volunteer_id (str): Id of the volunteer, such as VOLUNTEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        volunteer = self.volunteers.get(volunteer_id)
        if volunteer is None:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        if shift["status"] not in ("open", "confirmed"):
            return _refused(f"That shift is {shift['status']}.")
        if not volunteer["may_lead"]:
            return _refused(f"{volunteer['name']} is not trained as a lead.")
        if not self._on_it(volunteer, shift):
            return _refused(f"{volunteer['name']} is not on that shift, so sign them up first.")
        if shift["lead_id"] is not None and shift["lead_id"] == volunteer_id:
            return _refused(f"{volunteer['name']} is the lead already.")
        self._journal = []
        self._put("shifts", shift, "lead_id", volunteer_id)
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: make {volunteer['name']} the lead at {self.sites[shift['site_id']]['name']} on {shift['on']}."
            ),
            "data": self._changes(),
        }

    def confirm_shift(self, shift_id: str) -> Result:
        """Confirm that a shift takes place, once people, lead and skills are there.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] != "open":
            return _refused(f"That shift is {shift['status']}.")
        if self._shift_people(shift) < shift["least"]:
            return _refused(f"{self._shift_people(shift)} are booked and {shift['least']} are needed.")
        if shift["lead_id"] is None:
            return _refused("That shift has no lead yet.")
        lacking = next(
            (k for k in [self.skills[key] for key in shift["need_ids"]] if not self._covered(shift, k)),
            None,
        )
        if lacking is not None:
            return _refused(f"Nobody on it has a valid certificate for {lacking['name']}.")
        self._journal = []
        self._put("shifts", shift, "status", "confirmed")
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_13_s(shift):
            return self._take_back(RULES[12])
        for one_sign_up in _distinct(self._sign_ups_by_shift.get(shift["id"], {}).values()):
            if self._breaks_rule_13_x(one_sign_up):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: confirm the shift at {self.sites[shift['site_id']]['name']} on {shift['on']}.",
            "data": self._changes(),
        }

    def record_no_show(self, place_id: str) -> Result:
        """Note that somebody did not come; the third time pauses them for sixty days and frees their later places.

        Args:
            place_id (str): Booked sign-up of the volunteer who did not come; an id such as SU-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        place = self.sign_ups.get(place_id)
        if place is None:
            return _refused(f"There is no sign up {place_id!r}.")
        if place["status"] != "booked":
            return _refused(f"{self.volunteers[place['volunteer_id']]['name']} is {place['status']} there.")
        if (
            self.shifts[place["shift_id"]]["status"] != "confirmed"
            or self.shifts[place["shift_id"]]["on"] + "T" + self.shifts[place["shift_id"]]["starts"] > self.now
        ):
            return _refused("That shift has not begun, or was never confirmed.")
        self._journal = []
        changed_volunteers: list[Any] = []
        changed_sign_ups: list[Any] = []
        changed_shifts: list[Any] = []
        changed_shifts_2: list[Any] = []
        who = self.volunteers[place["volunteer_id"]]
        self._put("sign_ups", place, "status", "missed")
        strikes = who["strikes"] + 1
        if not 0 <= strikes <= 3:
            return self._take_back(f"The strikes of {who['name']} must be between 0 and 3.")
        self._put("volunteers", who, "strikes", strikes)
        if who["strikes"] >= 3:
            self._put("volunteers", who, "strikes", 0)
            changed_volunteers.append(who)
            self._put("volunteers", who, "paused_until", _plus_days(self.now[:10], 60))
            for x in [
                x
                for x in sorted(self._sign_ups_by_volunteer.get(who["id"], {}).values(), key=_age)
                if x["status"] in ("standby", "booked")
                and self.shifts[x["shift_id"]]["on"] > self.now[:10]
                and self.shifts[x["shift_id"]]["on"] < _plus_days(self.now[:10], 60)
            ]:
                if x["status"] not in ("standby", "booked", "dropped"):
                    return self._take_back(f"Sign up {x['id']} cannot go from {x['status']} to dropped.")
                changed_sign_ups.append(x)
                self._put("sign_ups", x, "status", "dropped")
                if self.shifts[x["shift_id"]]["lead_id"] == who["id"]:
                    shift = self.shifts[x["shift_id"]]
                    changed_shifts.append(shift)
                    self._put("shifts", shift, "lead_id", None)
                if self.shifts[x["shift_id"]]["status"] == "confirmed":
                    its_shift = self.shifts[x["shift_id"]]
                    if its_shift["status"] not in ("open", "confirmed"):
                        return self._take_back(
                            f"Shift {its_shift['code']} cannot go from {its_shift['status']} to open."
                        )
                    changed_shifts_2.append(its_shift)
                    self._put("shifts", its_shift, "status", "open")
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_1(one_sign_up):
                return self._take_back(RULES[0])
        for one_shift in _distinct(
            [self.shifts[place["shift_id"]], *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]
        ):
            if self._breaks_rule_2_s(one_shift):
                return self._take_back(RULES[1])
        for one_shift in _distinct(
            [
                self.shifts[place["shift_id"]],
                *[self.shifts[one["shift_id"]] for one in changed_sign_ups],
                *changed_shifts_2,
            ]
        ):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct(
            [
                self.shifts[place["shift_id"]],
                *[self.shifts[one["shift_id"]] for one in changed_sign_ups],
                *changed_shifts,
                *changed_shifts_2,
            ]
        ):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct(
            [
                self.shifts[place["shift_id"]],
                *[self.shifts[one["shift_id"]] for one in changed_sign_ups],
                *changed_shifts_2,
            ]
        ):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_6(one_sign_up):
                return self._take_back(RULES[5])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_7(one_sign_up):
                return self._take_back(RULES[6])
        for one_sign_up in _distinct([place, *changed_sign_ups]):
            if self._breaks_rule_8(one_sign_up):
                return self._take_back(RULES[7])
        for one_sign_up in _distinct(
            [
                place,
                *self._sign_ups_by_volunteer_status.get((place["volunteer_id"], "booked"), {}).values(),
                *changed_sign_ups,
                *[
                    user
                    for one in [self.volunteers[one["volunteer_id"]] for one in changed_sign_ups]
                    for user in self._sign_ups_by_volunteer_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_sign_up):
                return self._take_back(RULES[8])
        for one_sign_up in _distinct(
            [
                place,
                *[
                    user
                    for one in changed_volunteers
                    for user in self._sign_ups_by_volunteer_status.get((one["id"], "booked"), {}).values()
                ],
                *changed_sign_ups,
            ]
        ):
            if self._breaks_rule_10(one_sign_up):
                return self._take_back(RULES[9])
        for one_shift in _distinct(changed_shifts_2):
            if self._breaks_rule_13_s(one_shift):
                return self._take_back(RULES[12])
        for one_sign_up in _distinct(
            [
                place,
                *changed_sign_ups,
                *[user for one in changed_shifts_2 for user in self._sign_ups_by_shift.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_13_x(one_sign_up):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: record that {self.volunteers[place['volunteer_id']]['name']} missed "
                f"{self.sites[self.shifts[place['shift_id']]['site_id']]['name']} on "
                f"{self.shifts[place['shift_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def finish_shift(self, shift_id: str, early: Annotated[list[FinishShiftEarly], {"maxItems": 20}]) -> Result:
        """Finish a confirmed shift and credit the time to all who came, to those who left early what they stayed, and
        half an hour more to the lead.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            early (list): One entry for each volunteer who left early: volunteer_id: volunteer booked on the shift
                who left early; an id such as VOLUNTEER-00001; minutes: time that the volunteer stayed, in minutes,
                from 10 to 480.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        entries, early = early, []
        for entry in entries:
            if entry["volunteer_id"] not in self.volunteers:
                return _refused(f"There is no volunteer {entry['volunteer_id']!r}.")
            early.append({"volunteer": self.volunteers[entry["volunteer_id"]], "minutes": entry["minutes"]})
        if shift["status"] != "confirmed":
            return _refused(f"That shift is {shift['status']}.")
        if shift["on"] + "T" + shift["ends"] > self.now:
            return _refused(f"That shift ends on {shift['on']} at {shift['ends']}.")
        if not _different([e["volunteer"]["id"] for e in early]):
            return _refused("Somebody is named twice.")
        odd = next(
            (
                e
                for e in early
                if not self._sign_ups_by_shift_volunteer_status.get((shift_id, e["volunteer"]["id"], "booked"), {})
            ),
            None,
        )
        if odd is not None:
            return _refused(f"{odd['volunteer']['name']} was not there.")
        if not all(e["minutes"] < self._shift_minutes(shift) for e in early):
            return _refused(
                f"The shift lasted {self._shift_minutes(shift)} minutes, so whoever left early stayed less."
            )
        self._journal = []
        changed_sign_ups: list[Any] = []
        changed_sign_ups_2: list[Any] = []
        for x in sorted(self._sign_ups_by_shift_status.get((shift_id, "booked"), {}).values(), key=_age):
            credited = self._shift_minutes(shift) + (30 if shift["lead_id"] == x["volunteer_id"] else 0)
            if not 0 <= credited <= 900:
                return self._take_back(f"The credited of {x['id']} must be between 0 and 900.")
            changed_sign_ups.append(x)
            self._put("sign_ups", x, "credited", credited)
            for e in [e for e in early if e["volunteer"] is self.volunteers[x["volunteer_id"]]]:
                changed_sign_ups.append(x)
                self._put("sign_ups", x, "credited", e["minutes"])
            if x["status"] not in ("booked", "attended"):
                return self._take_back(f"Sign up {x['id']} cannot go from {x['status']} to attended.")
            changed_sign_ups_2.append(x)
            self._put("sign_ups", x, "status", "attended")
        for x in sorted(self._sign_ups_by_shift_status.get((shift_id, "standby"), {}).values(), key=_age):
            if x["status"] not in ("standby", "booked", "dropped"):
                return self._take_back(f"Sign up {x['id']} cannot go from {x['status']} to dropped.")
            changed_sign_ups_2.append(x)
            self._put("sign_ups", x, "status", "dropped")
        self._put("shifts", shift, "status", "done")
        for one_sign_up in _distinct(changed_sign_ups_2):
            if self._breaks_rule_1(one_sign_up):
                return self._take_back(RULES[0])
        for one_shift in _distinct([self.shifts[one["shift_id"]] for one in changed_sign_ups_2]):
            if self._breaks_rule_2_s(one_shift):
                return self._take_back(RULES[1])
        for one_shift in _distinct([shift, *[self.shifts[one["shift_id"]] for one in changed_sign_ups_2]]):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct([shift, *[self.shifts[one["shift_id"]] for one in changed_sign_ups_2]]):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct([shift, *[self.shifts[one["shift_id"]] for one in changed_sign_ups_2]]):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_sign_up in _distinct(changed_sign_ups_2):
            if self._breaks_rule_6(one_sign_up):
                return self._take_back(RULES[5])
        for one_sign_up in _distinct(changed_sign_ups_2):
            if self._breaks_rule_7(one_sign_up):
                return self._take_back(RULES[6])
        for one_sign_up in _distinct([*changed_sign_ups, *changed_sign_ups_2]):
            if self._breaks_rule_8(one_sign_up):
                return self._take_back(RULES[7])
        for one_sign_up in _distinct(
            [
                *changed_sign_ups_2,
                *[
                    user
                    for one in [self.volunteers[one["volunteer_id"]] for one in changed_sign_ups_2]
                    for user in self._sign_ups_by_volunteer_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_sign_up):
                return self._take_back(RULES[8])
        for one_sign_up in _distinct(changed_sign_ups_2):
            if self._breaks_rule_10(one_sign_up):
                return self._take_back(RULES[9])
        for one_volunteer in _distinct([self.volunteers[one["volunteer_id"]] for one in changed_sign_ups]):
            if self._breaks_rule_11(one_volunteer):
                return self._take_back(RULES[10])
        if self._breaks_rule_13_s(shift):
            return self._take_back(RULES[12])
        for one_sign_up in _distinct([*changed_sign_ups_2, *self._sign_ups_by_shift.get(shift["id"], {}).values()]):
            if self._breaks_rule_13_x(one_sign_up):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: finish the shift at {self.sites[shift['site_id']]['name']} on {shift['on']}.",
            "data": self._changes(),
        }

    def call_off_shift(self, shift_id: str, reason: Text) -> Result:
        """Call a shift off and let everybody on it know.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            reason (str): Why the shift does not take place.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] not in ("open", "confirmed"):
            return _refused(f"That shift is {shift['status']}.")
        if self._sign_ups_by_shift_status.get((shift_id, "missed"), {}):
            return _refused("Somebody was noted as missing there, so finish it instead.")
        self._journal = []
        changed_sign_ups: list[Any] = []
        for x in [
            x
            for x in sorted(self._sign_ups_by_shift.get(shift_id, {}).values(), key=_age)
            if x["status"] in ("standby", "booked")
        ]:
            if x["status"] not in ("standby", "booked", "dropped"):
                return self._take_back(f"Sign up {x['id']} cannot go from {x['status']} to dropped.")
            changed_sign_ups.append(x)
            self._put("sign_ups", x, "status", "dropped")
        self._put("shifts", shift, "called_off_for", reason)
        self._put("shifts", shift, "status", "called_off")
        for one_sign_up in _distinct(changed_sign_ups):
            if self._breaks_rule_1(one_sign_up):
                return self._take_back(RULES[0])
        for one_shift in _distinct([self.shifts[one["shift_id"]] for one in changed_sign_ups]):
            if self._breaks_rule_2_s(one_shift):
                return self._take_back(RULES[1])
        for one_shift in _distinct([shift, *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct([shift, *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct([shift, *[self.shifts[one["shift_id"]] for one in changed_sign_ups]]):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_sign_up in _distinct(changed_sign_ups):
            if self._breaks_rule_6(one_sign_up):
                return self._take_back(RULES[5])
        for one_sign_up in _distinct(changed_sign_ups):
            if self._breaks_rule_7(one_sign_up):
                return self._take_back(RULES[6])
        for one_sign_up in _distinct(changed_sign_ups):
            if self._breaks_rule_8(one_sign_up):
                return self._take_back(RULES[7])
        for one_sign_up in _distinct(
            [
                *changed_sign_ups,
                *[
                    user
                    for one in [self.volunteers[one["volunteer_id"]] for one in changed_sign_ups]
                    for user in self._sign_ups_by_volunteer_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_sign_up):
                return self._take_back(RULES[8])
        for one_sign_up in _distinct(changed_sign_ups):
            if self._breaks_rule_10(one_sign_up):
                return self._take_back(RULES[9])
        if self._breaks_rule_13_s(shift):
            return self._take_back(RULES[12])
        for one_sign_up in _distinct([*changed_sign_ups, *self._sign_ups_by_shift.get(shift["id"], {}).values()]):
            if self._breaks_rule_13_x(one_sign_up):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: call off the shift at {self.sites[shift['site_id']]['name']} on {shift['on']}.",
            "data": self._changes(),
        }

    def register_volunteer(self, name: Text) -> Result:
        """Register somebody who wants to help; a background check is entered when it comes.

        Args:
            name (str): Name of the volunteer, not registered yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._volunteers_by_name.get(name, {}):
            return _refused(f"{name} is registered already.")
        self._journal = []
        volunteer: Volunteer = {
            "id": self._new_id("volunteer", "VOLUNTEER", self.volunteers),
            "name": name,
            "may_lead": False,
            "checked_until": None,
            "strikes": 0,
            "paused_until": None,
        }
        self._add("volunteers", volunteer)
        if len(self._volunteers_by_name.get(volunteer["name"], {})) > 1:
            return self._take_back(f"There is already a volunteer with the name {volunteer['name']!r}.")
        if self._breaks_rule_11(volunteer):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: register {name} (new: volunteer {volunteer['id']}).",
            "data": {"volunteer_id": volunteer["id"], **self._changes()},
        }

    def renew_check(self, volunteer_id: str, until: Date) -> Result:
        """Enter a background check that came back clear.

        Args:
            volunteer_id (str): Id of the volunteer, such as VOLUNTEER-00001.
            until (str): Last day for which the check is valid, later than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volunteer = self.volunteers.get(volunteer_id)
        if volunteer is None:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 1100):
            return _refused("A check is valid for three years at most.")
        if volunteer["checked_until"] is not None and until <= volunteer["checked_until"]:
            return _refused(f"{volunteer['name']} has a check that is valid longer.")
        self._journal = []
        self._put("volunteers", volunteer, "checked_until", until)
        for one_sign_up in _distinct(
            self._sign_ups_by_volunteer_status.get((volunteer["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_6(one_sign_up):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: enter the background check of {volunteer['name']} until {until}.",
            "data": self._changes(),
        }

    def certify(self, volunteer_id: str, skill_id: str) -> Result:
        """Certify that a volunteer learnt a skill or refreshed it.

        Args:
            volunteer_id (str): Id of the volunteer, such as VOLUNTEER-00001.
            skill_id (str): Id of the skill, such as SKILL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volunteer = self.volunteers.get(volunteer_id)
        if volunteer is None:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        skill = self.skills.get(skill_id)
        if skill is None:
            return _refused(f"There is no skill {skill_id!r}.")
        old = next(
            (
                c
                for c in sorted(
                    self._certificates_by_volunteer_skill.get((volunteer_id, skill_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if old is not None and old["valid_until"] >= _add_months(self.now[:10], skill["months"]):
            return _refused(f"{volunteer['name']} has a certificate for {skill['name']} until {old['valid_until']}.")
        self._journal = []
        added_certificates: list[Any] = []
        changed_certificates: list[Any] = []
        if old is None:
            certificate = {
                "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
                "volunteer_id": volunteer_id,
                "skill_id": skill_id,
                "valid_until": _add_months(self.now[:10], skill["months"]),
            }
            self._add("certificates", certificate)
            added_certificates.append(certificate)
        else:
            changed_certificates.append(old)
            self._put("certificates", old, "valid_until", _add_months(self.now[:10], skill["months"]))
        for one_shift in _distinct(
            [
                *[
                    self.shifts[one["shift_id"]]
                    for one in [
                        user
                        for one in [self.volunteers[one["volunteer_id"]] for one in added_certificates]
                        for user in self._sign_ups_by_volunteer.get(one["id"], {}).values()
                    ]
                ],
                *[
                    self.shifts[one["shift_id"]]
                    for one in [
                        user
                        for one in [self.volunteers[one["volunteer_id"]] for one in changed_certificates]
                        for user in self._sign_ups_by_volunteer.get(one["id"], {}).values()
                    ]
                ],
            ]
        ):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_certificate in _distinct(added_certificates):
            if self._breaks_rule_12(one_certificate):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: certify {volunteer['name']} for {skill['name']}.",
            "data": self._changes(),
        }

    def redeem_hours(
        self,
        volunteer_id: str,
        minutes: Annotated[int, {"minimum": 30, "maximum": 6000}],
        what: Literal["course_place", "cinema_voucher", "team_dinner"],
    ) -> Result:
        """Let a volunteer have a reward for credited time.

        Args:
            volunteer_id (str): Id of the volunteer, such as VOLUNTEER-00001.
            minutes (int): Credited time that is spent, in minutes, from 30 to 6000.
            what (str): Reward that the volunteer gets: course_place, cinema_voucher or team_dinner.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volunteer = self.volunteers.get(volunteer_id)
        if volunteer is None:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        if minutes > self._volunteer_balance(volunteer):
            return _refused(f"{volunteer['name']} has {self._volunteer_balance(volunteer)} minutes to redeem.")
        self._journal = []
        reward: Reward = {
            "id": self._new_id("reward", "REWARD", self.rewards),
            "volunteer_id": volunteer_id,
            "minutes": minutes,
            "what": what,
            "given_on": self.now[:10],
        }
        self._add("rewards", reward)
        if self._breaks_rule_11(self.volunteers[reward["volunteer_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: redeem {minutes} minutes of {volunteer['name']} for {what} (new: reward {reward['id']})."
            ),
            "data": {"reward_id": reward["id"], **self._changes()},
        }

    def _show_volunteer(self, volunteer: Volunteer) -> dict[str, Any]:
        """The volunteer as an answer shows it."""
        return {
            **volunteer,
            "earned": self._volunteer_earned(volunteer),
            "balance": self._volunteer_balance(volunteer),
        }

    def _show_shift(self, shift: Shift) -> dict[str, Any]:
        """The shift as an answer shows it."""
        return {
            **shift,
            "need_ids": [*shift["need_ids"]],
            "minutes": self._shift_minutes(shift),
            "people": self._shift_people(shift),
        }

    def _names_of_certificates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that certificates point to."""
        return _names(
            (self.volunteers, "name", [row["volunteer_id"] for row in shown]),
            (self.skills, "name", [row["skill_id"] for row in shown]),
        )

    def _names_of_shifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shifts point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.skills, "name", [each for row in shown for each in row["need_ids"]]),
            (self.volunteers, "name", [row["lead_id"] for row in shown]),
        )

    def _names_of_sign_ups(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sign ups point to."""
        return _names(
            (self.shifts, "code", [row["shift_id"] for row in shown]),
            (self.volunteers, "name", [row["volunteer_id"] for row in shown]),
        )

    def _names_of_rewards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rewards point to."""
        return _names((self.volunteers, "name", [row["volunteer_id"] for row in shown]))

    def _volunteer_earned(self, volunteer: Volunteer) -> int:
        """The earned of a volunteer."""
        return sum(x["credited"] for x in self._sign_ups_by_volunteer.get(volunteer["id"], {}).values())

    def _volunteer_balance(self, volunteer: Volunteer) -> int:
        """The balance of a volunteer."""
        return (
            self._volunteer_earned(volunteer)
            - sum(r["minutes"] for r in self._rewards_by_volunteer.get(volunteer["id"], {}).values())
        )

    def _shift_minutes(self, shift: Shift) -> int:
        """The minutes of a shift."""
        return _clock_minutes(shift["ends"]) - _clock_minutes(shift["starts"])

    def _shift_people(self, shift: Shift) -> int:
        """The people of a shift."""
        return sum(1 for x in self._sign_ups_by_shift.get(shift["id"], {}).values() if self._held(x))

    def _held(self, x: SignUp) -> bool:
        return x["status"] in ("booked", "attended", "missed")

    def _monday(self, d: str) -> str:
        return _plus_days(_plus_days(d, -_weekday(d)), 1)

    def _checked(self, v: Volunteer, s: Shift) -> bool:
        return (
            not self.sites[s["site_id"]]["children"]
            or v["checked_until"] is not None and v["checked_until"] >= s["on"]
        )

    def _away(self, v: Volunteer, d: str) -> bool:
        return v["paused_until"] is not None and _plus_days(v["paused_until"], -60) < d and d < v["paused_until"]

    def _clash(self, v: Volunteer, s: Shift) -> SignUp | None:
        return next(
            (
                x
                for x in sorted(self._sign_ups_by_volunteer.get(v["id"], {}).values(), key=_age)
                if self._held(x)
                and x["shift_id"] != s["id"]
                and self.shifts[x["shift_id"]]["on"] == s["on"]
                and _overlap(
                    self.shifts[x["shift_id"]]["starts"],
                    self.shifts[x["shift_id"]]["ends"],
                    s["starts"],
                    s["ends"],
                )
            ),
            None,
        )

    def _week_load(self, v: Volunteer, d: str) -> int:
        return sum(
            1
            for x in self._sign_ups_by_volunteer.get(v["id"], {}).values()
            if self._held(x)
            and self._monday(self.shifts[x["shift_id"]]["on"]) == self._monday(d)
        )

    def _fits(self, v: Volunteer, s: Shift) -> bool:
        return (
            self._checked(v, s)
            and not self._away(v, s["on"])
            and self._clash(v, s) is None
            and self._week_load(v, s["on"]) < 4
        )

    def _next_up(self, s: Shift) -> SignUp | None:
        return min(
            (
                x
                for x in self._sign_ups_by_shift_status.get((s["id"], "standby"), {}).values()
                if self._fits(self.volunteers[x["volunteer_id"]], s)
            ),
            key=lambda x: (x["signed_at"], self.volunteers[x["volunteer_id"]]["name"], _age(x)),
            default=None,
        )

    def _has_skill(self, v: Volunteer, k: Skill, d: str) -> bool:
        return any(
            c["valid_until"] >= d
            for c in self._certificates_by_volunteer_skill.get((v["id"], k["id"]), {}).values()
        )

    def _covered(self, s: Shift, k: Skill) -> bool:
        return any(
            self._has_skill(self.volunteers[x["volunteer_id"]], k, s["on"])
            for x in self._sign_ups_by_shift.get(s["id"], {}).values()
            if self._held(x)
        )

    def _on_it(self, v: Volunteer, s: Shift) -> bool:
        return any(self._held(x) for x in self._sign_ups_by_shift_volunteer.get((s["id"], v["id"]), {}).values())

    def _breaks_rule_1(self, a: SignUp) -> bool:
        """Whether this is broken: nobody is on two shifts at the same time."""
        return (
            self._held(a)
            and any(
                _overlap(
                    self.shifts[a["shift_id"]]["starts"],
                    self.shifts[a["shift_id"]]["ends"],
                    self.shifts[b["shift_id"]]["starts"],
                    self.shifts[b["shift_id"]]["ends"],
                )
                for b in self._sign_ups_by_volunteer.get(a["volunteer_id"], {}).values()
                if a is not b
                and self.shifts[a["shift_id"]]["on"] == self.shifts[b["shift_id"]]["on"]
                and self._held(b)
            )
        )

    def _breaks_rule_2_s(self, s: Shift) -> bool:
        """Whether this is broken: a shift never has more people than it can take."""
        return self._shift_people(s) > s["most"]

    def _breaks_rule_2_s_again(self, s: Shift) -> bool:
        """Whether this is broken: a shift never has more people than it can take."""
        return s["least"] > s["most"]

    def _breaks_rule_3(self, s: Shift) -> bool:
        """Whether this is broken: a confirmed shift has enough people."""
        return s["status"] == "confirmed" and self._shift_people(s) < s["least"]

    def _breaks_rule_4(self, s: Shift) -> bool:
        """Whether this is broken: a confirmed shift has a lead who may lead and is on it."""
        return (
            s["status"] == "confirmed"
            and not (
                s["lead_id"] is not None
                and self.volunteers[s["lead_id"]]["may_lead"]
                and self._on_it(self.volunteers[s["lead_id"]], s)
            )
        )

    def _breaks_rule_5(self, s: Shift) -> bool:
        """Whether this is broken: somebody on a confirmed shift has each skill that it needs."""
        return (
            s["status"] == "confirmed"
            and any(not self._covered(s, k) for k in [self.skills[key] for key in s["need_ids"]])
        )

    def _breaks_rule_6(self, x: SignUp) -> bool:
        """Whether this is broken: only volunteers with a valid background check work where children are."""
        return (
            x["status"] == "booked"
            and not self._checked(self.volunteers[x["volunteer_id"]], self.shifts[x["shift_id"]])
        )

    def _breaks_rule_7(self, x: SignUp) -> bool:
        """Whether this is broken: a volunteer is signed up for a shift once."""
        return (
            x["status"] != "dropped"
            and any(
                other_x is not x
                for other_x in self._sign_ups_by_shift_volunteer.get((x["shift_id"], x["volunteer_id"]), {}).values()
                if other_x["status"] != "dropped"
            )
        )

    def _breaks_rule_8(self, x: SignUp) -> bool:
        """Whether this is broken: hours are credited to those who came and to nobody else."""
        return (x["status"] == "attended") != (x["credited"] > 0)

    def _breaks_rule_9(self, x: SignUp) -> bool:
        """Whether this is broken: a volunteer takes four shifts a week at most."""
        return (
            x["status"] == "booked"
            and self._week_load(self.volunteers[x["volunteer_id"]], self.shifts[x["shift_id"]]["on"]) > 4
        )

    def _breaks_rule_10(self, x: SignUp) -> bool:
        """Whether this is broken: nobody is booked for days on which they are paused."""
        return (
            x["status"] == "booked"
            and self._away(self.volunteers[x["volunteer_id"]], self.shifts[x["shift_id"]]["on"])
        )

    def _breaks_rule_11(self, v: Volunteer) -> bool:
        """Whether this is broken: nobody redeems more hours than they earned."""
        return self._volunteer_balance(v) < 0

    def _breaks_rule_12(self, c: Certificate) -> bool:
        """Whether this is broken: a volunteer has one certificate for a skill."""
        return any(
            other_c is not c
            for other_c in self._certificates_by_volunteer_skill.get((c["volunteer_id"], c["skill_id"]), {}).values()
        )

    def _breaks_rule_13_s(self, s: Shift) -> bool:
        """Whether this is broken: a shift that was called off says why, and nobody is left on it."""
        return (s["status"] == "called_off") != (s["called_off_for"] is not None)

    def _breaks_rule_13_x(self, x: SignUp) -> bool:
        """Whether this is broken: a shift that was called off says why, and nobody is left on it."""
        return self.shifts[x["shift_id"]]["status"] == "called_off" and x["status"] in ("standby", "booked")

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
            case "volunteers":
                self._volunteers_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "certificates":
                self._certificates_by_volunteer_skill.setdefault(
                    (record["volunteer_id"], record["skill_id"]),
                    {},
                )[record["id"]] = record
            case "shifts":
                self._shifts_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._shifts_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "sign_ups":
                self._sign_ups_by_shift.setdefault(record["shift_id"], {})[record["id"]] = record
                self._sign_ups_by_shift_status.setdefault(
                    (record["shift_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sign_ups_by_shift_volunteer.setdefault(
                    (record["shift_id"], record["volunteer_id"]),
                    {},
                )[record["id"]] = record
                self._sign_ups_by_shift_volunteer_status.setdefault(
                    (record["shift_id"], record["volunteer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sign_ups_by_volunteer.setdefault(record["volunteer_id"], {})[record["id"]] = record
                self._sign_ups_by_volunteer_status.setdefault(
                    (record["volunteer_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "rewards":
                self._rewards_by_volunteer.setdefault(record["volunteer_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "volunteers":
                del self._volunteers_by_name[record["name"]][record["id"]]
            case "certificates":
                del self._certificates_by_volunteer_skill[record["volunteer_id"], record["skill_id"]][record["id"]]
            case "shifts":
                del self._shifts_by_code[record["code"]][record["id"]]
                del self._shifts_by_site[record["site_id"]][record["id"]]
            case "sign_ups":
                del self._sign_ups_by_shift[record["shift_id"]][record["id"]]
                del self._sign_ups_by_shift_status[record["shift_id"], record["status"]][record["id"]]
                del self._sign_ups_by_shift_volunteer[record["shift_id"], record["volunteer_id"]][record["id"]]
                del self._sign_ups_by_shift_volunteer_status[
                    record["shift_id"],
                    record["volunteer_id"],
                    record["status"],
                ][record["id"]]
                del self._sign_ups_by_volunteer[record["volunteer_id"]][record["id"]]
                del self._sign_ups_by_volunteer_status[record["volunteer_id"], record["status"]][record["id"]]
            case "rewards":
                del self._rewards_by_volunteer[record["volunteer_id"]][record["id"]]
