"""Marathon registration. Compiled from blueprint.yaml; run `envscaler build marathon_registration` after changing it there.

Registers runners for the races of a running festival, with start waves by expected time, bibs, medical
certificates, charity places, transfers, deferrals and vouchers.
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
    "A race never has more entries than places.",
    "A wave never has more runners than its capacity.",
    "Runners start in a wave of their race that suits their expected time.",
    "A runner has one entry under way in a race.",
    "No bib of a race is worn twice.",
    "A bib comes from the numbers of the runner's wave.",
    "Only paid entries in a race have a wave or a bib.",
    "Whoever has a bib has the medical certificate that the race asks for.",
    "Charity runners have raised what their charity asks for before they get a bib.",
    "A charity never fills more places of a race than it was given.",
    "Runners are old enough on the day of the race.",
    "A voucher pays for one entry of its owner.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register",
    "pay",
    "file_certificate",
    "assign_wave",
    "widen_wave",
    "assign_bib",
    "change_time",
    "transfer",
    "defer",
    "withdraw",
    "add_pledge",
    "hand_out_bib",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "races": ("name",),
    "waves": ("name",),
    "runners": ("name",),
    "allotments": ("name",),
    "registrations": (),
    "pledges": (),
    "vouchers": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("pledges", "registration_id"),
    ("registrations", "allotment_id"),
    ("registrations", "race_id"),
    ("registrations", "runner_id"),
    ("registrations", "wave_id"),
    ("vouchers", "spent_on_id"),
    ("waves", "race_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Race(TypedDict):
    id: str
    name: str
    held_on: str
    fee: int
    places: int
    from_age: int
    certificate: bool
    transfers_until: str


class Wave(TypedDict):
    id: str
    name: str
    race_id: str
    fastest: int
    slowest: int
    capacity: int
    first_bib: int
    last_bib: int


class Runner(TypedDict):
    id: str
    name: str
    born: str
    certified_until: str | None


class Allotment(TypedDict):
    id: str
    name: str
    charity: str
    race_id: str
    places: int
    least_raised: int


class Registration(TypedDict):
    id: str
    runner_id: str
    race_id: str
    allotment_id: str | None
    minutes: int
    wave_id: str | None
    bib: int | None
    paid: int
    status: Literal["open", "confirmed", "withdrawn", "collected", "transferred", "deferred"]


class Pledge(TypedDict):
    id: str
    registration_id: str
    sponsor: str
    amount: int


class Voucher(TypedDict):
    id: str
    runner_id: str
    value: int
    valid_until: str
    spent_on_id: str | None


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class MarathonRegistration:
    """Registers runners for the races of a running festival, with start waves by expected time, bibs,
    medical certificates, charity places, transfers, deferrals and vouchers.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.races: dict[str, Race] = _copied(config.get("races", {}))
        self.waves: dict[str, Wave] = _copied(config.get("waves", {}))
        self.runners: dict[str, Runner] = _copied(config.get("runners", {}))
        self.allotments: dict[str, Allotment] = _copied(config.get("allotments", {}))
        self.registrations: dict[str, Registration] = _copied(config.get("registrations", {}))
        self.pledges: dict[str, Pledge] = _copied(config.get("pledges", {}))
        self.vouchers: dict[str, Voucher] = _copied(config.get("vouchers", {}))
        self.now: str = config.get("now", "2026-03-10T09:00")
        self.counters: dict[str, int] = {
            "race": len(self.races),
            "wave": len(self.waves),
            "runner": len(self.runners),
            "allotment": len(self.allotments),
            "registration": len(self.registrations),
            "pledge": len(self.pledges),
            "voucher": len(self.vouchers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._waves_by_race: dict[Any, dict[str, Wave]] = {}
        self._registrations_by_allotment: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_race: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_runner: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_runner_race: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_wave: dict[Any, dict[str, Registration]] = {}
        self._pledges_by_registration: dict[Any, dict[str, Pledge]] = {}
        self._vouchers_by_spent_on: dict[Any, dict[str, Voucher]] = {}
        for wave in self.waves.values():
            self._link("waves", wave)
        for registration in self.registrations.values():
            self._link("registrations", registration)
        for pledge in self.pledges.values():
            self._link("pledges", pledge)
        for voucher in self.vouchers.values():
            self._link("vouchers", voucher)

    def not_ready(self, race_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Paid entries of a race that still lack a wave, a bib, a certificate or donations.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "registrations": records}} or {"success": False,
                "error": why not}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        found = [
            r
            for r in self._registrations_by_race.get(race_id, {}).values()
            if (r["race_id"] == race_id and r["status"] == "confirmed")
            and r["bib"] is None
        ]
        found.sort(key=lambda r: (r["minutes"], r["id"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "runner": self.runners[r["runner_id"]]["name"],
                "minutes": r["minutes"],
                "wave": r["wave_id"],
                "certificate_missing": not self._fit_to_run(self.runners[r["runner_id"]], race),
                "still_to_raise": self._registration_still_to_raise(r),
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "registrations": shown},
            _names((self.waves, "name", [row["wave"] for row in shown])),
        )

    def suitable_wave(
        self,
        race_id: str,
        minutes: Annotated[int, {"minimum": 20, "maximum": 600}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The wave of a race that suits an expected time, with its room and its lowest free bib.

        Args:
            race_id (str): Id of the race, such as RACE-00001.
            minutes (int): Expected time for the race in minutes, from 20 to 600.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "waves": records}} or {"success": False, "error": why
                not}
        """
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        found = [
            w
            for w in sorted(self._waves_by_race.get(race_id, {}).values(), key=_age)
            if (w["fastest"] <= minutes and minutes <= w["slowest"])
        ]
        return _found(
            {
                "total": len(found),
                "waves": [
                    {"id": w["id"], "name": w["name"], "room": self._wave_room(w), "lowest_bib": self._lowest_bib(w)}
                    for w in _page(found, offset)
                ],
            }
        )

    def charity_runners(
        self,
        allotment_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Runners on charity places and what they have still to raise, the largest gap first.

        Args:
            allotment_id (str, optional): Set of charity places whose runners are listed; an id such as
                ALLOTMENT-00001. If left out, the runners on all charity places are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "registrations": records}} or {"success": False,
                "error": why not}
        """
        allotment = self.allotments.get(allotment_id) if allotment_id is not None else None
        if allotment_id is not None and allotment is None:
            return _refused(f"There is no allotment {allotment_id!r}.")
        found = [
            r
            for r in self.registrations.values()
            if (r["allotment_id"] is not None and self._in_race(r))
            and (allotment_id is None or r["allotment_id"] == allotment_id)
        ]
        found.sort(
            key=lambda r: (-self._registration_still_to_raise(r), self.runners[r["runner_id"]]["name"], _age(r))
        )
        return _found(
            {
                "total": len(found),
                "registrations": [
                    {
                        "id": r["id"],
                        "runner": self.runners[r["runner_id"]]["name"],
                        "race": self.races[r["race_id"]]["name"],
                        "raised": self._registration_raised(r),
                        "still_to_raise": self._registration_still_to_raise(r),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def list_races(
        self,
        name: Text | None = None,
        certificate: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the races, oldest first, all of them or only some.

        Args:
            name (str, optional): Only races whose name contains this text.
            certificate (bool, optional): Only races with this value of `certificate`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "races": records}}
        """
        found = [
            race
            for race in self.races.values()
            if (name is None or name.casefold() in race["name"].casefold())
            and (certificate is None or race["certificate"] == certificate)
        ]
        return _found({"total": len(found), "races": [self._show_race(race) for race in _page(found, offset)]})

    def list_waves(
        self,
        name: Text | None = None,
        race_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the waves, oldest first, all of them or only some.

        Args:
            name (str, optional): Only waves whose name contains this text.
            race_id (str, optional): Only waves of this race.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "waves": records}}
        """
        if race_id is not None and race_id not in self.races:
            return _refused(f"There is no race {race_id!r}.")
        found = [
            wave
            for wave in self.waves.values()
            if (name is None or name.casefold() in wave["name"].casefold())
            and (race_id is None or wave["race_id"] == race_id)
        ]
        shown = [self._show_wave(wave) for wave in _page(found, offset)]
        return _found({"total": len(found), "waves": shown}, self._names_of_waves(shown))

    def list_runners(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only runners whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runners": records}}
        """
        found = [
            runner
            for runner in self.runners.values()
            if (name is None or name.casefold() in runner["name"].casefold())
        ]
        return _found({"total": len(found), "runners": [{**runner} for runner in _page(found, offset)]})

    def list_allotments(
        self,
        name: Text | None = None,
        race_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the allotments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only allotments whose name contains this text.
            race_id (str, optional): Only allotments of this race.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "allotments": records}}
        """
        if race_id is not None and race_id not in self.races:
            return _refused(f"There is no race {race_id!r}.")
        found = [
            allotment
            for allotment in self.allotments.values()
            if (name is None or name.casefold() in allotment["name"].casefold())
            and (race_id is None or allotment["race_id"] == race_id)
        ]
        shown = [self._show_allotment(allotment) for allotment in _page(found, offset)]
        return _found({"total": len(found), "allotments": shown}, self._names_of_allotments(shown))

    def list_registrations(
        self,
        runner_id: str | None = None,
        race_id: str | None = None,
        allotment_id: str | None = None,
        wave_id: str | None = None,
        status: Literal["open", "confirmed", "withdrawn", "collected", "transferred", "deferred"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the registrations, oldest first, all of them or only some.

        Args:
            runner_id (str, optional): Only registrations of this runner.
            race_id (str, optional): Only registrations of this race.
            allotment_id (str, optional): Only registrations of this allotment.
            wave_id (str, optional): Only registrations of this wave.
            status (str, optional): Only registrations with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "registrations": records}}
        """
        if runner_id is not None and runner_id not in self.runners:
            return _refused(f"There is no runner {runner_id!r}.")
        if race_id is not None and race_id not in self.races:
            return _refused(f"There is no race {race_id!r}.")
        if allotment_id is not None and allotment_id not in self.allotments:
            return _refused(f"There is no allotment {allotment_id!r}.")
        if wave_id is not None and wave_id not in self.waves:
            return _refused(f"There is no wave {wave_id!r}.")
        found = [
            registration
            for registration in self.registrations.values()
            if (runner_id is None or registration["runner_id"] == runner_id)
            and (race_id is None or registration["race_id"] == race_id)
            and (allotment_id is None or registration["allotment_id"] == allotment_id)
            and (wave_id is None or registration["wave_id"] == wave_id)
            and (status is None or registration["status"] == status)
        ]
        shown = [self._show_registration(registration) for registration in _page(found, offset)]
        return _found({"total": len(found), "registrations": shown}, self._names_of_registrations(shown))

    def list_pledges(
        self,
        registration_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pledges, oldest first, all of them or only some.

        Args:
            registration_id (str, optional): Only pledges of this registration.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pledges": records}}
        """
        if registration_id is not None and registration_id not in self.registrations:
            return _refused(f"There is no registration {registration_id!r}.")
        found = [
            pledge
            for pledge in self.pledges.values()
            if (registration_id is None or pledge["registration_id"] == registration_id)
        ]
        return _found({"total": len(found), "pledges": [{**pledge} for pledge in _page(found, offset)]})

    def list_vouchers(
        self,
        runner_id: str | None = None,
        spent_on_id: str | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vouchers, oldest first, all of them or only some.

        Args:
            runner_id (str, optional): Only vouchers of this runner.
            spent_on_id (str, optional): Only vouchers spent on this registration.
            valid_until_from (str, optional): Only vouchers whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only vouchers whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vouchers": records}}
        """
        if runner_id is not None and runner_id not in self.runners:
            return _refused(f"There is no runner {runner_id!r}.")
        if spent_on_id is not None and spent_on_id not in self.registrations:
            return _refused(f"There is no registration {spent_on_id!r}.")
        found = [
            voucher
            for voucher in self.vouchers.values()
            if (runner_id is None or voucher["runner_id"] == runner_id)
            and (spent_on_id is None or voucher["spent_on_id"] == spent_on_id)
            and (valid_until_from is None or voucher["valid_until"] >= valid_until_from)
            and (valid_until_to is None or voucher["valid_until"] <= valid_until_to)
        ]
        shown = [{**voucher} for voucher in _page(found, offset)]
        return _found({"total": len(found), "vouchers": shown}, self._names_of_vouchers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register(
        self,
        runner_id: str,
        race_id: str,
        minutes: Annotated[int, {"minimum": 20, "maximum": 600}],
        allotment_id: str | None = None,
    ) -> Result:
        """Register a runner for a race, on a charity place or a plain one; it must be paid for afterwards.

        Args:
            runner_id (str): Id of the runner, such as RUNNER-00001.
            race_id (str): Id of the race, such as RACE-00001.
            minutes (int): Time in minutes that the runner expects to need for the race, from 20 to 600.
            allotment_id (str, optional): Set of charity places in this race that the entry uses; an id such as
                ALLOTMENT-00001. If left out, the entry takes a plain place.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        runner = self.runners.get(runner_id)
        if runner is None:
            return _refused(f"There is no runner {runner_id!r}.")
        race = self.races.get(race_id)
        if race is None:
            return _refused(f"There is no race {race_id!r}.")
        allotment = self.allotments.get(allotment_id) if allotment_id is not None else None
        if allotment_id is not None and allotment is None:
            return _refused(f"There is no allotment {allotment_id!r}.")
        if race["held_on"] <= self.now[:10]:
            return _refused(f"{race['name']} was on {race['held_on']}.")
        if self._entry_of(runner, race) is not None:
            return _refused(f"{runner['name']} has an entry for {race['name']} already.")
        if _years(runner["born"], race["held_on"]) < race["from_age"]:
            return _refused(
                f"{runner['name']} will be {_years(runner['born'], race['held_on'])}, and {race['name']} starts "
                f"at {race['from_age']}."
            )
        if self._race_entries(race) >= race["places"]:
            return _refused(f"All {race['places']} places of {race['name']} are taken.")
        if self._wave_for(race, minutes) is None:
            return _refused(f"No wave of {race['name']} suits {minutes} minutes.")
        if allotment_id is not None and allotment["race_id"] != race_id:
            return _refused(f"{allotment['name']} is for {self.races[allotment['race_id']]['name']}.")
        if allotment_id is not None and self._allotment_used(allotment) >= allotment["places"]:
            return _refused(f"{allotment['name']} has no place left.")
        self._journal = []
        registration: Registration = {
            "id": self._new_id("registration", "REGISTRATION", self.registrations),
            "runner_id": runner_id,
            "race_id": race_id,
            "allotment_id": allotment_id,
            "minutes": minutes,
            "wave_id": None,
            "bib": None,
            "paid": 0,
            "status": "open",
        }
        self._add("registrations", registration)
        if self._breaks_rule_1(self.races[registration["race_id"]]):
            return self._take_back(RULES[0])
        for one_wave in _distinct([self.waves.get(registration["wave_id"])]):
            if self._breaks_rule_2(one_wave):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(registration):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(registration):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(registration):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(registration):
            return self._take_back(RULES[8])
        for one_allotment in _distinct([self.allotments.get(registration["allotment_id"])]):
            if self._breaks_rule_10_a(one_allotment):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_r(registration):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        done = f"register {runner['name']} for {race['name']} with {minutes} minutes"
        if allotment is not None:
            done += f" on a place of {allotment['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: registration {registration['id']}).",
            "data": {"registration_id": registration["id"], **self._changes()},
        }

    def pay(self, registration_id: str, voucher_id: str | None = None) -> Result:
        """Record that an entry was paid for, with a voucher or without.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            voucher_id (str, optional): Unspent voucher of the runner, its value taken off the fee; an id such as
                VOUCHER-00001. If left out, the whole fee is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        voucher = self.vouchers.get(voucher_id) if voucher_id is not None else None
        if voucher_id is not None and voucher is None:
            return _refused(f"There is no voucher {voucher_id!r}.")
        if registration["status"] != "open":
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > self.races[registration["race_id"]]["held_on"]:
            return _refused(
                f"{self.races[registration['race_id']]['name']} was on "
                f"{self.races[registration['race_id']]['held_on']}, so nothing about that entry changes any more."
            )
        if voucher_id is not None and voucher["runner_id"] != registration["runner_id"]:
            return _refused(f"That voucher belongs to {self.runners[voucher['runner_id']]['name']}.")
        if voucher_id is not None and voucher["spent_on_id"] is not None:
            return _refused("That voucher is spent.")
        if voucher_id is not None and voucher["valid_until"] < self.now[:10]:
            return _refused(f"That voucher was valid until {voucher['valid_until']}.")
        self._journal = []
        changed_vouchers: list[Any] = []
        fee = self.races[registration["race_id"]]["fee"]
        if not 0 <= fee <= 30000:
            return self._take_back(f"The paid of {registration['id']} must be between 0.00 and 300.00.")
        self._put("registrations", registration, "paid", fee)
        self._put("registrations", registration, "status", "confirmed")
        if voucher_id is not None:
            paid = max(0, fee - voucher["value"])
            if not 0 <= paid <= 30000:
                return self._take_back(f"The paid of {registration['id']} must be between 0.00 and 300.00.")
            self._put("registrations", registration, "paid", paid)
            changed_vouchers.append(voucher)
            self._put("vouchers", voucher, "spent_on_id", registration_id)
        if self._breaks_rule_1(self.races[registration["race_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_4(registration):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        for one_allotment in _distinct([self.allotments.get(registration["allotment_id"])]):
            if self._breaks_rule_10_a(one_allotment):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        for one_voucher in _distinct(changed_vouchers):
            if self._breaks_rule_12_v(one_voucher):
                return self._take_back(RULES[11])
        for one_voucher in _distinct(changed_vouchers):
            if self._breaks_rule_12_v_again(one_voucher):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the payment of {self.runners[registration['runner_id']]['name']} for "
                f"{self.races[registration['race_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def file_certificate(self, runner_id: str, valid_until: Date) -> Result:
        """File the medical certificate of a runner.

        Args:
            runner_id (str): Id of the runner, such as RUNNER-00001.
            valid_until (str): Last day on which the certificate is valid, later than any on file, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        runner = self.runners.get(runner_id)
        if runner is None:
            return _refused(f"There is no runner {runner_id!r}.")
        if valid_until <= self.now[:10]:
            return _refused(f"A certificate until {valid_until} has run out.")
        if runner["certified_until"] is not None and valid_until <= runner["certified_until"]:
            return _refused(f"{runner['name']} has a certificate until {runner['certified_until']} already.")
        self._journal = []
        self._put("runners", runner, "certified_until", valid_until)
        for one_registration in _distinct(self._registrations_by_runner.get(runner["id"], {}).values()):
            if self._breaks_rule_8(one_registration):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: file the certificate of {runner['name']} until {valid_until}.",
            "data": self._changes(),
        }

    def assign_wave(self, registration_id: str, wave_id: str) -> Result:
        """Give a paid entry its start wave, or another one; a bib of the old wave is given back.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            wave_id (str): Id of the wave, such as WAVE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        wave = self.waves.get(wave_id)
        if wave is None:
            return _refused(f"There is no wave {wave_id!r}.")
        if registration["status"] != "confirmed":
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > self.races[registration["race_id"]]["held_on"]:
            return _refused(
                f"{self.races[registration['race_id']]['name']} was on "
                f"{self.races[registration['race_id']]['held_on']}, so nothing about that entry changes any more."
            )
        if wave_id == registration["wave_id"]:
            return _refused(f"{self.runners[registration['runner_id']]['name']} starts in {wave['name']} already.")
        if wave["race_id"] != registration["race_id"]:
            return _refused(f"{wave['name']} belongs to {self.races[wave['race_id']]['name']}.")
        if wave["fastest"] > registration["minutes"] or registration["minutes"] > wave["slowest"]:
            return _refused(
                f"{wave['name']} is for {wave['fastest']} to {wave['slowest']} minutes, and "
                f"{self.runners[registration['runner_id']]['name']} expects {registration['minutes']}."
            )
        if self._wave_room(wave) <= 0:
            return _refused(f"{wave['name']} is full with {self._wave_runners(wave)} runners, so widen it first.")
        self._journal = []
        self._put("registrations", registration, "bib", None)
        former_wave_id = registration["wave_id"]
        self._put("registrations", registration, "wave_id", wave_id)
        for one_wave in _distinct([self.waves.get(registration["wave_id"]), self.waves.get(former_wave_id)]):
            if self._breaks_rule_2(one_wave):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(registration):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(registration):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(registration):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: let {self.runners[registration['runner_id']]['name']} start in {wave['name']}.",
            "data": self._changes(),
        }

    def widen_wave(
        self,
        wave_id: str,
        from_wave_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 10}],
    ) -> Result:
        """Move places from one wave of a race to another.

        Args:
            wave_id (str): Id of the wave, such as WAVE-00001.
            from_wave_id (str): Other wave of the same race that gives up the places; an id such as WAVE-00001.
            number (int): How many places move to the wave, from 1 to 10.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wave = self.waves.get(wave_id)
        if wave is None:
            return _refused(f"There is no wave {wave_id!r}.")
        from_wave = self.waves.get(from_wave_id)
        if from_wave is None:
            return _refused(f"There is no wave {from_wave_id!r}.")
        if wave is from_wave or wave["race_id"] != from_wave["race_id"]:
            return _refused("Places move between two waves of one race.")
        if self._wave_room(from_wave) < number:
            return _refused(f"{from_wave['name']} can spare {self._wave_room(from_wave)} places only.")
        if wave["capacity"] + number > wave["last_bib"] - wave["first_bib"] + 1:
            return _refused(f"{wave['name']} would have more places than bibs.")
        self._journal = []
        capacity = from_wave["capacity"] - number
        if not 0 <= capacity <= 40:
            return self._take_back(f"The capacity of {from_wave['name']} must be between 0 and 40.")
        self._put("waves", from_wave, "capacity", capacity)
        new_capacity = wave["capacity"] + number
        if not 0 <= new_capacity <= 40:
            return self._take_back(f"The capacity of {wave['name']} must be between 0 and 40.")
        self._put("waves", wave, "capacity", new_capacity)
        if self._breaks_rule_2(from_wave):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(wave):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: move {number} places from {from_wave['name']} to {wave['name']}.",
            "data": self._changes(),
        }

    def assign_bib(
        self,
        registration_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 9999}] | None = None,
    ) -> Result:
        """Give a runner a bib of the wave, the lowest free number unless another is named.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            number (int, optional): Free bib number within the range of the runner's wave, from 1 to 9999. If left
                out, the lowest free number of the wave is given.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] != "confirmed":
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > self.races[registration["race_id"]]["held_on"]:
            return _refused(
                f"{self.races[registration['race_id']]['name']} was on "
                f"{self.races[registration['race_id']]['held_on']}, so nothing about that entry changes any more."
            )
        if registration["bib"] is not None:
            return _refused(f"{self.runners[registration['runner_id']]['name']} has bib {registration['bib']}.")
        if registration["wave_id"] is None:
            return _refused(f"{self.runners[registration['runner_id']]['name']} has no wave yet.")
        wave = self.waves[registration["wave_id"]]
        if not self._fit_to_run(self.runners[registration["runner_id"]], self.races[registration["race_id"]]):
            return _refused(
                f"{self.runners[registration['runner_id']]['name']} has no medical certificate that lasts until "
                f"{self.races[registration['race_id']]['held_on']}."
            )
        if self._registration_still_to_raise(registration) != 0:
            return _refused(
                f"{self.runners[registration['runner_id']]['name']} has "
                f"{_money(self._registration_still_to_raise(registration))} still to raise."
            )
        if not (number is None or wave["first_bib"] <= number and number <= wave["last_bib"]):
            return _refused(f"{wave['name']} has the bibs {wave['first_bib']} to {wave['last_bib']}.")
        bib = number if number is not None else self._lowest_bib(wave)
        if bib is None:
            return _refused(f"{wave['name']} has no bib left.")
        if any(each["bib"] == bib for each in self._registrations_by_race.get(registration["race_id"], {}).values()):
            return _refused(f"Bib {bib} is taken.")
        self._journal = []
        if not 1 <= bib <= 9999:
            return self._take_back(f"The bib of {registration['id']} must be between 1 and 9999.")
        self._put("registrations", registration, "bib", bib)
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(registration):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(registration):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(registration):
            return self._take_back(RULES[8])
        done = f"give {self.runners[registration['runner_id']]['name']} a bib for {self.races[registration['race_id']]['name']}"
        if number is not None:
            done += f", number {number}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_time(self, registration_id: str, minutes: Annotated[int, {"minimum": 20, "maximum": 600}]) -> Result:
        """Change the expected time of an entry; a wave that no longer suits is given up, and the bib with it.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            minutes (int): New expected time of the runner in minutes, from 20 to 600.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] not in ("open", "confirmed"):
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > self.races[registration["race_id"]]["held_on"]:
            return _refused(
                f"{self.races[registration['race_id']]['name']} was on "
                f"{self.races[registration['race_id']]['held_on']}, so nothing about that entry changes any more."
            )
        if minutes == registration["minutes"]:
            return _refused(f"{self.runners[registration['runner_id']]['name']} expects {minutes} minutes already.")
        better = self._wave_for(self.races[registration["race_id"]], minutes)
        if better is None:
            return _refused(f"No wave of {self.races[registration['race_id']]['name']} suits {minutes} minutes.")
        self._journal = []
        changed_registrations: list[Any] = []
        changed_registrations_2: list[Any] = []
        former_wave_ids: list[Any] = []
        self._put("registrations", registration, "minutes", minutes)
        if registration["wave_id"] != better["id"]:
            changed_registrations.append(registration)
            self._put("registrations", registration, "bib", None)
            changed_registrations_2.append(registration)
            former_wave_ids.append(registration["wave_id"])
            self._put("registrations", registration, "wave_id", None)
        for one_wave in _distinct(
            [
                *[self.waves.get(one["wave_id"]) for one in changed_registrations_2],
                *[self.waves.get(key) for key in former_wave_ids],
            ]
        ):
            if self._breaks_rule_2(one_wave):
                return self._take_back(RULES[1])
        for one_registration in _distinct([registration, *changed_registrations_2]):
            if self._breaks_rule_3(one_registration):
                return self._take_back(RULES[2])
        for one_registration in _distinct(changed_registrations):
            if self._breaks_rule_5(one_registration):
                return self._take_back(RULES[4])
        for one_registration in _distinct([*changed_registrations, *changed_registrations_2]):
            if self._breaks_rule_6(one_registration):
                return self._take_back(RULES[5])
        for one_registration in _distinct([*changed_registrations, *changed_registrations_2]):
            if self._breaks_rule_7(one_registration):
                return self._take_back(RULES[6])
        for one_registration in _distinct(changed_registrations):
            if self._breaks_rule_8(one_registration):
                return self._take_back(RULES[7])
        for one_registration in _distinct(changed_registrations):
            if self._breaks_rule_9(one_registration):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: change the expected time of {self.runners[registration['runner_id']]['name']} for "
                f"{self.races[registration['race_id']]['name']} to {minutes} minutes."
            ),
            "data": self._changes(),
        }

    def transfer(
        self,
        registration_id: str,
        runner_id: str,
        minutes: Annotated[int, {"minimum": 20, "maximum": 600}],
    ) -> Result:
        """Transfer a paid entry to another runner until the last day for that; the new runner needs a wave and a bib
        of their own.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            runner_id (str): Id of the runner, such as RUNNER-00001.
            minutes (int): Time in minutes that the new runner expects to need, from 20 to 600.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        runner = self.runners.get(runner_id)
        if runner is None:
            return _refused(f"There is no runner {runner_id!r}.")
        if registration["status"] != "confirmed":
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        race = self.races[registration["race_id"]]
        if self.now[:10] > race["transfers_until"]:
            return _refused(f"Entries for {race['name']} could be transferred until {race['transfers_until']}.")
        if registration["allotment_id"] is not None:
            return _refused("A charity place cannot be transferred; withdraw it and let the charity name somebody.")
        if self._entry_of(runner, race) is not None:
            return _refused(f"{runner['name']} has an entry for {race['name']} already.")
        if _years(runner["born"], race["held_on"]) < race["from_age"]:
            return _refused(
                f"{runner['name']} will be {_years(runner['born'], race['held_on'])}, and {race['name']} starts "
                f"at {race['from_age']}."
            )
        if self._wave_for(race, minutes) is None:
            return _refused(f"No wave of {race['name']} suits {minutes} minutes.")
        done = f"transfer the entry of {self.runners[registration['runner_id']]['name']} for {self.races[registration['race_id']]['name']} to {runner['name']}"
        self._journal = []
        self._put("registrations", registration, "bib", None)
        former_wave_id = registration["wave_id"]
        self._put("registrations", registration, "wave_id", None)
        self._put("registrations", registration, "status", "transferred")
        heir: Registration = {
            "id": self._new_id("registration", "REGISTRATION", self.registrations),
            "runner_id": runner_id,
            "race_id": race["id"],
            "allotment_id": None,
            "minutes": minutes,
            "wave_id": None,
            "bib": None,
            "paid": registration["paid"],
            "status": "open",
        }
        self._add("registrations", heir)
        if heir["status"] not in ("open", "confirmed"):
            return self._take_back(f"Registration {heir['id']} cannot go from {heir['status']} to confirmed.")
        self._put("registrations", heir, "status", "confirmed")
        if self._breaks_rule_1(self.races[registration["race_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.races[heir["race_id"]]):
            return self._take_back(RULES[0])
        for one_wave in _distinct(
            [self.waves.get(registration["wave_id"]), self.waves.get(former_wave_id), self.waves.get(heir["wave_id"])]
        ):
            if self._breaks_rule_2(one_wave):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(heir):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(registration):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(heir):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(heir):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(registration):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(heir):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(heir):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(registration):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(heir):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(registration):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(heir):
            return self._take_back(RULES[8])
        for one_allotment in _distinct(
            [self.allotments.get(registration["allotment_id"]), self.allotments.get(heir["allotment_id"])]
        ):
            if self._breaks_rule_10_a(one_allotment):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_r(heir):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        if self._breaks_rule_11(heir):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: registration {heir['id']}).",
            "data": {"registration_id": heir["id"], **self._changes()},
        }

    def defer(self, registration_id: str) -> Result:
        """Defer a paid entry until the last day for that, against a voucher worth what was paid, or half of it in the
        last 60 days.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] != "confirmed":
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > self.races[registration["race_id"]]["transfers_until"]:
            return _refused(
                f"Entries for {self.races[registration['race_id']]['name']} could be deferred until "
                f"{self.races[registration['race_id']]['transfers_until']}."
            )
        if registration["paid"] < 200:
            return _refused("Nothing was paid that a voucher could be given for.")
        self._journal = []
        self._put("registrations", registration, "bib", None)
        former_wave_id = registration["wave_id"]
        self._put("registrations", registration, "wave_id", None)
        self._put("registrations", registration, "status", "deferred")
        value = (
            registration["paid"]
            if _days_between(self.now[:10], self.races[registration["race_id"]]["held_on"]) > 60
            else registration["paid"] // 2
        )
        if not 100 <= value <= 30000:
            return self._take_back("The value of a voucher must be between 1.00 and 300.00.")
        voucher: Voucher = {
            "id": self._new_id("voucher", "VOUCHER", self.vouchers),
            "runner_id": registration["runner_id"],
            "value": value,
            "valid_until": _add_months(self.now[:10], 18),
            "spent_on_id": None,
        }
        self._add("vouchers", voucher)
        if self._breaks_rule_1(self.races[registration["race_id"]]):
            return self._take_back(RULES[0])
        for one_wave in _distinct([self.waves.get(registration["wave_id"]), self.waves.get(former_wave_id)]):
            if self._breaks_rule_2(one_wave):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(registration):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(registration):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(registration):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(registration):
            return self._take_back(RULES[8])
        for one_allotment in _distinct([self.allotments.get(registration["allotment_id"])]):
            if self._breaks_rule_10_a(one_allotment):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_v(voucher):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_v_again(voucher):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: defer the entry of {self.runners[registration['runner_id']]['name']} for "
                f"{self.races[registration['race_id']]['name']} (new: voucher {voucher['id']})."
            ),
            "data": {"voucher_id": voucher["id"], **self._changes()},
        }

    def withdraw(self, registration_id: str) -> Result:
        """Withdraw an entry without compensation.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] not in ("open", "confirmed"):
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > self.races[registration["race_id"]]["held_on"]:
            return _refused(
                f"{self.races[registration['race_id']]['name']} was on "
                f"{self.races[registration['race_id']]['held_on']}, so nothing about that entry changes any more."
            )
        self._journal = []
        self._put("registrations", registration, "bib", None)
        former_wave_id = registration["wave_id"]
        self._put("registrations", registration, "wave_id", None)
        self._put("registrations", registration, "status", "withdrawn")
        if self._breaks_rule_1(self.races[registration["race_id"]]):
            return self._take_back(RULES[0])
        for one_wave in _distinct([self.waves.get(registration["wave_id"]), self.waves.get(former_wave_id)]):
            if self._breaks_rule_2(one_wave):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(registration):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(registration):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(registration):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(registration):
            return self._take_back(RULES[8])
        for one_allotment in _distinct([self.allotments.get(registration["allotment_id"])]):
            if self._breaks_rule_10_a(one_allotment):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: withdraw {self.runners[registration['runner_id']]['name']} from "
                f"{self.races[registration['race_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def add_pledge(
        self,
        registration_id: str,
        sponsor: Text,
        amount: Annotated[int, {"minimum": 100, "maximum": 200000}],
    ) -> Result:
        """Record what a sponsor pledges for a charity runner.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            sponsor (str): Name of the person or company that pledges the money.
            amount (int): Money that the sponsor pledges for the runner's charity, in cents, from 100 to 200000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if not self._in_race(registration):
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if registration["allotment_id"] is None:
            return _refused(f"{self.runners[registration['runner_id']]['name']} does not run for a charity.")
        self._journal = []
        pledge: Pledge = {
            "id": self._new_id("pledge", "PLEDGE", self.pledges),
            "registration_id": registration_id,
            "sponsor": sponsor,
            "amount": amount,
        }
        self._add("pledges", pledge)
        if self._breaks_rule_9(self.registrations[pledge["registration_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: record a pledge of {_money(amount)} by {sponsor} for "
                f"{self.runners[registration['runner_id']]['name']} (new: pledge {pledge['id']})."
            ),
            "data": {"pledge_id": pledge["id"], **self._changes()},
        }

    def hand_out_bib(self, registration_id: str) -> Result:
        """Hand a bib out in the days before the race.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] != "confirmed":
            return _refused(
                f"The entry of {self.runners[registration['runner_id']]['name']} is {registration['status']}."
            )
        if registration["bib"] is None:
            return _refused(f"{self.runners[registration['runner_id']]['name']} has no bib yet.")
        if (
            _plus_days(self.races[registration["race_id"]]["held_on"], -7) > self.now[:10]
            or self.now[:10] > self.races[registration["race_id"]]["held_on"]
        ):
            return _refused(
                f"Bibs for {self.races[registration['race_id']]['name']} are handed out from "
                f"{_plus_days(self.races[registration['race_id']]['held_on'], -7)} on."
            )
        self._journal = []
        self._put("registrations", registration, "status", "collected")
        if self._breaks_rule_1(self.races[registration["race_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_4(registration):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(registration):
            return self._take_back(RULES[6])
        for one_allotment in _distinct([self.allotments.get(registration["allotment_id"])]):
            if self._breaks_rule_10_a(one_allotment):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hand out the bib of {self.runners[registration['runner_id']]['name']} for "
                f"{self.races[registration['race_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_race(self, race: Race) -> dict[str, Any]:
        """The race as an answer shows it."""
        return {**race, "entries": self._race_entries(race)}

    def _show_wave(self, wave: Wave) -> dict[str, Any]:
        """The wave as an answer shows it."""
        return {**wave, "runners": self._wave_runners(wave), "room": self._wave_room(wave)}

    def _show_allotment(self, allotment: Allotment) -> dict[str, Any]:
        """The allotment as an answer shows it."""
        return {**allotment, "used": self._allotment_used(allotment)}

    def _show_registration(self, registration: Registration) -> dict[str, Any]:
        """The registration as an answer shows it."""
        return {
            **registration,
            "raised": self._registration_raised(registration),
            "still_to_raise": self._registration_still_to_raise(registration),
        }

    def _names_of_waves(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that waves point to."""
        return _names((self.races, "name", [row["race_id"] for row in shown]))

    def _names_of_allotments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that allotments point to."""
        return _names((self.races, "name", [row["race_id"] for row in shown]))

    def _names_of_registrations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that registrations point to."""
        return _names(
            (self.runners, "name", [row["runner_id"] for row in shown]),
            (self.races, "name", [row["race_id"] for row in shown]),
            (self.allotments, "name", [row["allotment_id"] for row in shown]),
            (self.waves, "name", [row["wave_id"] for row in shown]),
        )

    def _names_of_vouchers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vouchers point to."""
        return _names((self.runners, "name", [row["runner_id"] for row in shown]))

    def _race_entries(self, race: Race) -> int:
        """The entries of a race."""
        return sum(1 for r in self._registrations_by_race.get(race["id"], {}).values() if self._in_race(r))

    def _wave_runners(self, wave: Wave) -> int:
        """The runners of a wave."""
        return len(self._registrations_by_wave.get(wave["id"], {}))

    def _wave_room(self, wave: Wave) -> int:
        """The room of a wave."""
        return wave["capacity"] - self._wave_runners(wave)

    def _allotment_used(self, allotment: Allotment) -> int:
        """The used of an allotment."""
        return sum(1 for r in self._registrations_by_allotment.get(allotment["id"], {}).values() if self._in_race(r))

    def _registration_raised(self, registration: Registration) -> int:
        """The raised of a registration."""
        return sum(p["amount"] for p in self._pledges_by_registration.get(registration["id"], {}).values())

    def _registration_still_to_raise(self, registration: Registration) -> int:
        """The still to raise of a registration."""
        return (
            max(
                0,
                self.allotments[
                    registration["allotment_id"]
                ]["least_raised"] - self._registration_raised(registration),
            )
            if registration["allotment_id"] is not None
            else 0
        )

    def _in_race(self, r: Registration) -> bool:
        return r["status"] in ("open", "confirmed", "collected")

    def _fit_to_run(self, u: Runner, race: Race) -> bool:
        return not race["certificate"] or u["certified_until"] is not None and u["certified_until"] >= race["held_on"]

    def _wave_for(self, race: Race, minutes: int) -> Wave | None:
        return next(
            (
                w
                for w in sorted(self._waves_by_race.get(race["id"], {}).values(), key=_age)
                if (w["fastest"] <= minutes and minutes <= w["slowest"])
            ),
            None,
        )

    def _entry_of(self, u: Runner, race: Race) -> Registration | None:
        return next(
            (
                r
                for r in sorted(self._registrations_by_runner_race.get((u["id"], race["id"]), {}).values(), key=_age)
                if self._in_race(r)
            ),
            None,
        )

    def _lowest_bib(self, w: Wave) -> int | None:
        return next(
            (
                k
                for k in _numbers(w["first_bib"], w["last_bib"] + 1)
                if not any(r["bib"] == k for r in self._registrations_by_race.get(w["race_id"], {}).values())
            ),
            None,
        )

    def _could_register(self, u: Runner, race: Race) -> bool:
        return (
            self._entry_of(u, race) is None
            and _years(u["born"], race["held_on"]) >= race["from_age"]
            and self._race_entries(race) < race["places"]
        )

    def _breaks_rule_1(self, e: Race) -> bool:
        """Whether this is broken: a race never has more entries than places."""
        return self._race_entries(e) > e["places"]

    def _breaks_rule_2(self, w: Wave) -> bool:
        """Whether this is broken: a wave never has more runners than its capacity."""
        return self._wave_runners(w) > w["capacity"]

    def _breaks_rule_3(self, r: Registration) -> bool:
        """Whether this is broken: runners start in a wave of their race that suits their expected time."""
        return (
            r["wave_id"] is not None
            and not (
                self.waves[r["wave_id"]]["race_id"] == r["race_id"]
                and (
                    self.waves[r["wave_id"]]["fastest"] <= r["minutes"]
                    and r["minutes"] <= self.waves[r["wave_id"]]["slowest"]
                )
            )
        )

    def _breaks_rule_4(self, r: Registration) -> bool:
        """Whether this is broken: a runner has one entry under way in a race."""
        return (
            self._in_race(r)
            and any(
                other_r is not r
                for other_r in self._registrations_by_runner_race.get((r["runner_id"], r["race_id"]), {}).values()
                if self._in_race(other_r)
            )
        )

    def _breaks_rule_5(self, r: Registration) -> bool:
        """Whether this is broken: no bib of a race is worn twice."""
        return (
            r["bib"] is not None
            and any(
                other_r is not r
                for other_r in self._registrations_by_race.get(r["race_id"], {}).values()
                if other_r["bib"] == r["bib"]
                and other_r["bib"] is not None
            )
        )

    def _breaks_rule_6(self, r: Registration) -> bool:
        """Whether this is broken: a bib comes from the numbers of the runner's wave."""
        return (
            r["bib"] is not None
            and not (
                r["wave_id"] is not None
                and (
                    self.waves[r["wave_id"]]["first_bib"] <= r["bib"]
                    and r["bib"] <= self.waves[r["wave_id"]]["last_bib"]
                )
            )
        )

    def _breaks_rule_7(self, r: Registration) -> bool:
        """Whether this is broken: only paid entries in a race have a wave or a bib."""
        return (r["wave_id"] is not None or r["bib"] is not None) and r["status"] not in ("confirmed", "collected")

    def _breaks_rule_8(self, r: Registration) -> bool:
        """Whether this is broken: whoever has a bib has the medical certificate that the race asks for."""
        return r["bib"] is not None and not self._fit_to_run(self.runners[r["runner_id"]], self.races[r["race_id"]])

    def _breaks_rule_9(self, r: Registration) -> bool:
        """Whether this is broken: charity runners have raised what their charity asks for before they get a bib."""
        return r["bib"] is not None and self._registration_still_to_raise(r) != 0

    def _breaks_rule_10_a(self, a: Allotment) -> bool:
        """Whether this is broken: a charity never fills more places of a race than it was given."""
        return self._allotment_used(a) > a["places"]

    def _breaks_rule_10_r(self, r: Registration) -> bool:
        """Whether this is broken: a charity never fills more places of a race than it was given."""
        return r["allotment_id"] is not None and self.allotments[r["allotment_id"]]["race_id"] != r["race_id"]

    def _breaks_rule_11(self, r: Registration) -> bool:
        """Whether this is broken: runners are old enough on the day of the race."""
        return (
            self._in_race(r)
            and _years(
                self.runners[r["runner_id"]]["born"],
                self.races[r["race_id"]]["held_on"],
            ) < self.races[r["race_id"]]["from_age"]
        )

    def _breaks_rule_12_v(self, v: Voucher) -> bool:
        """Whether this is broken: a voucher pays for one entry of its owner."""
        return (
            v["spent_on_id"] is not None
            and any(
                other_v is not v
                for other_v in self._vouchers_by_spent_on.get(v["spent_on_id"], {}).values()
                if other_v["spent_on_id"] is not None
            )
        )

    def _breaks_rule_12_v_again(self, v: Voucher) -> bool:
        """Whether this is broken: a voucher pays for one entry of its owner."""
        return v["spent_on_id"] is not None and self.registrations[v["spent_on_id"]]["runner_id"] != v["runner_id"]

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
            case "waves":
                self._waves_by_race.setdefault(record["race_id"], {})[record["id"]] = record
            case "registrations":
                self._registrations_by_allotment.setdefault(record["allotment_id"], {})[record["id"]] = record
                self._registrations_by_race.setdefault(record["race_id"], {})[record["id"]] = record
                self._registrations_by_runner.setdefault(record["runner_id"], {})[record["id"]] = record
                self._registrations_by_runner_race.setdefault(
                    (record["runner_id"], record["race_id"]),
                    {},
                )[record["id"]] = record
                self._registrations_by_wave.setdefault(record["wave_id"], {})[record["id"]] = record
            case "pledges":
                self._pledges_by_registration.setdefault(record["registration_id"], {})[record["id"]] = record
            case "vouchers":
                self._vouchers_by_spent_on.setdefault(record["spent_on_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "waves":
                del self._waves_by_race[record["race_id"]][record["id"]]
            case "registrations":
                del self._registrations_by_allotment[record["allotment_id"]][record["id"]]
                del self._registrations_by_race[record["race_id"]][record["id"]]
                del self._registrations_by_runner[record["runner_id"]][record["id"]]
                del self._registrations_by_runner_race[record["runner_id"], record["race_id"]][record["id"]]
                del self._registrations_by_wave[record["wave_id"]][record["id"]]
            case "pledges":
                del self._pledges_by_registration[record["registration_id"]][record["id"]]
            case "vouchers":
                del self._vouchers_by_spent_on[record["spent_on_id"]][record["id"]]
