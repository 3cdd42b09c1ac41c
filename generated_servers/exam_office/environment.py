"""Exam office. Compiled from blueprint.yaml; run `envscaler build exam_office` after changing it there.

Runs the written exams of a faculty, from entry and sitting through two or three examiners to the release of
marks and appeals.
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
    "Nobody sits the exam of a module more than three times.",
    "A candidate has one entry under way for a module and passes it once.",
    "Nobody is entered for two exams on one day, or for more exams than the programme allows at once.",
    "Whoever is entered for a module has passed everything it builds on.",
    "Candidates sit only exams of their programme.",
    "A sitting never has more candidates than seats.",
    "A hall holds one sitting a day, and a module is examined once a day.",
    "A script is marked by examiners of the module, each of them once and in one role.",
    "A third examiner is called only where the first two are more than ten marks apart.",
    "No examiner has more scripts waiting than agreed.",
    "A passed or failed exam has a result on the right side of the pass mark, and nothing else has one.",
    "There is one appeal against a result, and nobody reviews a script they have marked.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "schedule_sitting",
    "register_candidate",
    "withdraw_registration",
    "hold_sitting",
    "excuse_absence",
    "allot_scripts",
    "call_third_examiner",
    "enter_marks",
    "release_marks",
    "lodge_appeal",
    "decide_appeal",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "modules": ("title",),
    "candidates": ("name",),
    "examiners": ("name",),
    "sittings": ("code",),
    "registrations": (),
    "markings": (),
    "appeals": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("appeals", "registration_id"),
    ("examiners", "module_ids"),
    ("markings", "examiner_id"),
    ("markings", "registration_id"),
    ("markings", "role"),
    ("registrations", "candidate_id"),
    ("registrations", "sitting_id"),
    ("registrations", "status"),
    ("sittings", "code"),
    ("sittings", "hall"),
    ("sittings", "held_on"),
    ("sittings", "module_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Module(TypedDict):
    id: str
    title: str
    pass_mark: int
    builds_on_id: str | None
    programmes: list[Literal["economics", "business", "statistics"]]


class Candidate(TypedDict):
    id: str
    name: str
    programme: Literal["economics", "business", "statistics"]
    at_once: int


class Examiner(TypedDict):
    id: str
    name: str
    module_ids: list[str]
    most_scripts: int


class Sitting(TypedDict):
    id: str
    code: str
    module_id: str
    held_on: str
    hall: Literal["great_hall", "north_hall", "south_hall", "annexe"]
    seats: int
    register_until: str
    released_on: str | None
    status: Literal["open", "held", "released"]


class Registration(TypedDict):
    id: str
    candidate_id: str
    sitting_id: str
    registered_on: str
    result: int | None
    status: Literal["registered", "withdrawn", "absent", "written", "excused", "passed", "failed"]


class Marking(TypedDict):
    id: str
    registration_id: str
    examiner_id: str
    role: Literal["first", "second", "third"]
    mark: int | None


class Appeal(TypedDict):
    id: str
    registration_id: str
    grounds: str
    lodged_on: str
    reviewer_id: str | None
    status: Literal["lodged", "upheld", "rejected"]


class EnterMarksLine(TypedDict):
    marking_id: str
    mark: Annotated[int, {"minimum": 0, "maximum": 100}]


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


def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())


class ExamOffice:
    """Runs the written exams of a faculty, from entry and sitting through two or three examiners to the
    release of marks and appeals.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.modules: dict[str, Module] = _copied(config.get("modules", {}))
        self.candidates: dict[str, Candidate] = _copied(config.get("candidates", {}))
        self.examiners: dict[str, Examiner] = _copied(config.get("examiners", {}))
        self.sittings: dict[str, Sitting] = _copied(config.get("sittings", {}))
        self.registrations: dict[str, Registration] = _copied(config.get("registrations", {}))
        self.markings: dict[str, Marking] = _copied(config.get("markings", {}))
        self.appeals: dict[str, Appeal] = _copied(config.get("appeals", {}))
        self.now: str = config.get("now", "2026-07-06T08:30")
        self.counters: dict[str, int] = {
            "module": len(self.modules),
            "candidate": len(self.candidates),
            "examiner": len(self.examiners),
            "sitting": len(self.sittings),
            "registration": len(self.registrations),
            "marking": len(self.markings),
            "appeal": len(self.appeals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._examiners_by_modules: dict[Any, dict[str, Examiner]] = {}
        self._sittings_by_code: dict[Any, dict[str, Sitting]] = {}
        self._sittings_by_held_on_hall: dict[Any, dict[str, Sitting]] = {}
        self._sittings_by_module: dict[Any, dict[str, Sitting]] = {}
        self._registrations_by_candidate: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_candidate_status: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_sitting: dict[Any, dict[str, Registration]] = {}
        self._registrations_by_sitting_status: dict[Any, dict[str, Registration]] = {}
        self._markings_by_examiner: dict[Any, dict[str, Marking]] = {}
        self._markings_by_registration: dict[Any, dict[str, Marking]] = {}
        self._markings_by_registration_examiner: dict[Any, dict[str, Marking]] = {}
        self._markings_by_registration_role: dict[Any, dict[str, Marking]] = {}
        self._appeals_by_registration: dict[Any, dict[str, Appeal]] = {}
        for examiner in self.examiners.values():
            self._link("examiners", examiner)
        for sitting in self.sittings.values():
            self._link("sittings", sitting)
        for registration in self.registrations.values():
            self._link("registrations", registration)
        for marking in self.markings.values():
            self._link("markings", marking)
        for appeal in self.appeals.values():
            self._link("appeals", appeal)

    def possible_sittings(
        self,
        candidate_id: str,
        module_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sittings for which a candidate could be entered today, the next one first.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            module_id (str, optional): Only sittings of this module; an id such as MODULE-00001. If left out, the
                sittings of all modules are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sittings": records}} or {"success": False, "error": why
                not}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        module = self.modules.get(module_id) if module_id is not None else None
        if module_id is not None and module is None:
            return _refused(f"There is no module {module_id!r}.")
        found = [
            s
            for s in self.sittings.values()
            if (self._open_for(s, self.now[:10]) and self._eligible(candidate, s))
            and (module_id is None or s["module_id"] == module_id)
        ]
        found.sort(key=lambda s: (s["held_on"], s["code"], _age(s)))
        shown = [
            {
                "id": s["id"],
                "module": self.modules[s["module_id"]]["title"],
                "held_on": s["held_on"],
                "hall": s["hall"],
                "seats_left": s["seats"] - self._sitting_taken(s),
                "register_until": s["register_until"],
                "attempt": self._attempts(candidate, self.modules[s["module_id"]]) + 1,
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "sittings": shown},
            _names((self.sittings, "code", [row["id"] for row in shown])),
        )

    def disputed_scripts(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Scripts whose two marks are more than ten apart and that nobody has as third examiner.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "registrations": records}} or {"success": False,
                "error": why not}
        """
        found = [
            r
            for r in self.registrations.values()
            if (r["status"] == "written" and self._disputed(r))
            and not self._markings_by_registration_role.get((r["id"], "third"), {})
        ]
        return _found(
            {
                "total": len(found),
                "registrations": [
                    {
                        "id": r["id"],
                        "candidate": self.candidates[r["candidate_id"]]["name"],
                        "module": self.modules[self.sittings[r["sitting_id"]]["module_id"]]["title"],
                        "first_mark": self._mark_of(r, "first"),
                        "second_mark": self._mark_of(r, "second"),
                        "possible_thirds": sum(
                            1
                            for e in _distinct(
                                self._examiners_by_modules.get(
                                    self.sittings[r["sitting_id"]]["module_id"],
                                    {},
                                ).values()
                            )
                            if self._may_mark(e, r)
                        ),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def desk_of_examiner(
        self,
        examiner_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Scripts that wait for an examiner's mark.

        Args:
            examiner_id (str): Id of the examiner, such as EXAMINER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "markings": records}} or {"success": False, "error": why
                not}
        """
        examiner = self.examiners.get(examiner_id)
        if examiner is None:
            return _refused(f"There is no examiner {examiner_id!r}.")
        found = [
            m
            for m in self._markings_by_examiner.get(examiner_id, {}).values()
            if (m["examiner_id"] == examiner_id and m["mark"] is None)
        ]
        found.sort(
            key=lambda m: (
                self.sittings[self.registrations[m["registration_id"]]["sitting_id"]]["held_on"],
                self.candidates[self.registrations[m["registration_id"]]["candidate_id"]]["name"],
                _age(m),
            )
        )
        return _found(
            {
                "total": len(found),
                "markings": [
                    {
                        "id": m["id"],
                        "candidate": self.candidates[
                            self.registrations[m["registration_id"]]["candidate_id"]
                        ]["name"],
                        "module": self.modules[
                            self.sittings[self.registrations[m["registration_id"]]["sitting_id"]]["module_id"]
                        ]["title"],
                        "role": m["role"],
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def progress(self, sitting_id: str) -> Result:
        """How far the marking of a sitting has come.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.

        Returns:
            dict: {"success": True, "data": {status, scripts, without_examiner, agreed, can_be_released}} or
                {"success": False, "error": why not}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        scripts = sorted(self._registrations_by_sitting_status.get((sitting_id, "written"), {}).values(), key=_age)
        return _found(
            {
                "status": sitting["status"],
                "scripts": len(scripts),
                "without_examiner": sum(1 for r in scripts if not self._markings_by_registration.get(r["id"], {})),
                "agreed": sum(1 for r in scripts if self._registration_proposed(r) is not None),
                "can_be_released": self._complete(sitting),
            }
        )

    def list_modules(
        self,
        title: Text | None = None,
        builds_on_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the modules, oldest first, all of them or only some.

        Args:
            title (str, optional): Only modules whose title contains this text.
            builds_on_id (str, optional): Only modules builds on this module.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "modules": records}}
        """
        if builds_on_id is not None and builds_on_id not in self.modules:
            return _refused(f"There is no module {builds_on_id!r}.")
        found = [
            module
            for module in self.modules.values()
            if (title is None or title.casefold() in module["title"].casefold())
            and (builds_on_id is None or module["builds_on_id"] == builds_on_id)
        ]
        shown = [self._show_module(module) for module in _page(found, offset)]
        return _found({"total": len(found), "modules": shown}, self._names_of_modules(shown))

    def list_candidates(
        self,
        name: Text | None = None,
        programme: Literal["economics", "business", "statistics"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the candidates, oldest first, all of them or only some.

        Args:
            name (str, optional): Only candidates whose name contains this text.
            programme (str, optional): Only candidates with this programme.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "candidates": records}}
        """
        found = [
            candidate
            for candidate in self.candidates.values()
            if (name is None or name.casefold() in candidate["name"].casefold())
            and (programme is None or candidate["programme"] == programme)
        ]
        return _found(
            {
                "total": len(found),
                "candidates": [self._show_candidate(candidate) for candidate in _page(found, offset)],
            }
        )

    def list_examiners(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the examiners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only examiners whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "examiners": records}}
        """
        found = [
            examiner
            for examiner in self.examiners.values()
            if (name is None or name.casefold() in examiner["name"].casefold())
        ]
        shown = [self._show_examiner(examiner) for examiner in _page(found, offset)]
        return _found({"total": len(found), "examiners": shown}, self._names_of_examiners(shown))

    def list_sittings(
        self,
        code: Text | None = None,
        module_id: str | None = None,
        hall: Literal["great_hall", "north_hall", "south_hall", "annexe"] | None = None,
        status: Literal["open", "held", "released"] | None = None,
        held_on_from: Date | None = None,
        held_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sittings, oldest first, all of them or only some.

        Args:
            code (str, optional): Only sittings whose code contains this text.
            module_id (str, optional): Only sittings of this module.
            hall (str, optional): Only sittings with this hall.
            status (str, optional): Only sittings with this status.
            held_on_from (str, optional): Only sittings whose `held_on` is on this day or later.
            held_on_to (str, optional): Only sittings whose `held_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sittings": records}}
        """
        if module_id is not None and module_id not in self.modules:
            return _refused(f"There is no module {module_id!r}.")
        found = [
            sitting
            for sitting in self.sittings.values()
            if (code is None or code.casefold() in sitting["code"].casefold())
            and (module_id is None or sitting["module_id"] == module_id)
            and (hall is None or sitting["hall"] == hall)
            and (status is None or sitting["status"] == status)
            and (held_on_from is None or sitting["held_on"] >= held_on_from)
            and (held_on_to is None or sitting["held_on"] <= held_on_to)
        ]
        shown = [self._show_sitting(sitting) for sitting in _page(found, offset)]
        return _found({"total": len(found), "sittings": shown}, self._names_of_sittings(shown))

    def list_registrations(
        self,
        candidate_id: str | None = None,
        sitting_id: str | None = None,
        status: Literal["registered", "withdrawn", "absent", "written", "excused", "passed", "failed"] | None = None,
        registered_on_from: Date | None = None,
        registered_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the registrations, oldest first, all of them or only some.

        Args:
            candidate_id (str, optional): Only registrations of this candidate.
            sitting_id (str, optional): Only registrations of this sitting.
            status (str, optional): Only registrations with this status.
            registered_on_from (str, optional): Only registrations whose `registered_on` is on this day or later.
            registered_on_to (str, optional): Only registrations whose `registered_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "registrations": records}}
        """
        if candidate_id is not None and candidate_id not in self.candidates:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if sitting_id is not None and sitting_id not in self.sittings:
            return _refused(f"There is no sitting {sitting_id!r}.")
        found = [
            registration
            for registration in self.registrations.values()
            if (candidate_id is None or registration["candidate_id"] == candidate_id)
            and (sitting_id is None or registration["sitting_id"] == sitting_id)
            and (status is None or registration["status"] == status)
            and (registered_on_from is None or registration["registered_on"] >= registered_on_from)
            and (registered_on_to is None or registration["registered_on"] <= registered_on_to)
        ]
        shown = [self._show_registration(registration) for registration in _page(found, offset)]
        return _found({"total": len(found), "registrations": shown}, self._names_of_registrations(shown))

    def list_markings(
        self,
        registration_id: str | None = None,
        examiner_id: str | None = None,
        role: Literal["first", "second", "third"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the markings, oldest first, all of them or only some.

        Args:
            registration_id (str, optional): Only markings of this registration.
            examiner_id (str, optional): Only markings of this examiner.
            role (str, optional): Only markings with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "markings": records}}
        """
        if registration_id is not None and registration_id not in self.registrations:
            return _refused(f"There is no registration {registration_id!r}.")
        if examiner_id is not None and examiner_id not in self.examiners:
            return _refused(f"There is no examiner {examiner_id!r}.")
        found = [
            marking
            for marking in self.markings.values()
            if (registration_id is None or marking["registration_id"] == registration_id)
            and (examiner_id is None or marking["examiner_id"] == examiner_id)
            and (role is None or marking["role"] == role)
        ]
        shown = [{**marking} for marking in _page(found, offset)]
        return _found({"total": len(found), "markings": shown}, self._names_of_markings(shown))

    def list_appeals(
        self,
        registration_id: str | None = None,
        reviewer_id: str | None = None,
        status: Literal["lodged", "upheld", "rejected"] | None = None,
        lodged_on_from: Date | None = None,
        lodged_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the appeals, oldest first, all of them or only some.

        Args:
            registration_id (str, optional): Only appeals of this registration.
            reviewer_id (str, optional): Only appeals whose reviewer is this examiner.
            status (str, optional): Only appeals with this status.
            lodged_on_from (str, optional): Only appeals whose `lodged_on` is on this day or later.
            lodged_on_to (str, optional): Only appeals whose `lodged_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "appeals": records}}
        """
        if registration_id is not None and registration_id not in self.registrations:
            return _refused(f"There is no registration {registration_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.examiners:
            return _refused(f"There is no examiner {reviewer_id!r}.")
        found = [
            appeal
            for appeal in self.appeals.values()
            if (registration_id is None or appeal["registration_id"] == registration_id)
            and (reviewer_id is None or appeal["reviewer_id"] == reviewer_id)
            and (status is None or appeal["status"] == status)
            and (lodged_on_from is None or appeal["lodged_on"] >= lodged_on_from)
            and (lodged_on_to is None or appeal["lodged_on"] <= lodged_on_to)
        ]
        shown = [{**appeal} for appeal in _page(found, offset)]
        return _found({"total": len(found), "appeals": shown}, self._names_of_appeals(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def schedule_sitting(
        self,
        code: Text,
        module_id: str,
        held_on: Date,
        hall: Literal["great_hall", "north_hall", "south_hall", "annexe"],
        seats: Annotated[int, {"minimum": 2, "maximum": 60}],
        register_until: Date,
    ) -> Result:
        """Schedule a sitting of a module in a hall.

        Args:
            code (str): Code of the new sitting, not in use yet.
            module_id (str): Id of the module, such as MODULE-00001.
            held_on (str): Day of the exam, as YYYY-MM-DD.
            hall (str): Hall where the exam is written, free on that day: great_hall, north_hall, south_hall or
                annexe.
            seats (int): Most candidates who can be entered, from 2 to 60.
            register_until (str): Last day on which candidates can be entered, before the exam, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        module = self.modules.get(module_id)
        if module is None:
            return _refused(f"There is no module {module_id!r}.")
        if self._sittings_by_code.get(code, {}):
            return _refused(f"Another sitting has the code {code}.")
        if self.now[:10] > register_until or register_until >= held_on:
            return _refused(f"Entry closes between {self.now[:10]} and the day before {held_on}.")
        user = next(
            (s for s in sorted(self._sittings_by_held_on_hall.get((held_on, hall), {}).values(), key=_age)),
            None,
        )
        if user is not None:
            return _refused(f"The {hall} is taken by {self.modules[user['module_id']]['title']} on {held_on}.")
        if any(s["held_on"] == held_on for s in self._sittings_by_module.get(module_id, {}).values()):
            return _refused(f"{module['title']} is examined on {held_on} already.")
        self._journal = []
        sitting: Sitting = {
            "id": self._new_id("sitting", "SITTING", self.sittings),
            "code": code,
            "module_id": module_id,
            "held_on": held_on,
            "hall": hall,
            "seats": seats,
            "register_until": register_until,
            "released_on": None,
            "status": "open",
        }
        self._add("sittings", sitting)
        if len(self._sittings_by_code.get(sitting["code"], {})) > 1:
            return self._take_back(f"There is already a sitting with the code {sitting['code']!r}.")
        if self._breaks_rule_6(sitting):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(sitting):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_s_again(sitting):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: schedule {module['title']} for {held_on} in the {hall} (new: sitting {sitting['id']})."
            ),
            "data": {"sitting_id": sitting["id"], **self._changes()},
        }

    def register_candidate(self, candidate_id: str, sitting_id: str) -> Result:
        """Enter a candidate for a sitting.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            sitting_id (str): Id of the sitting, such as SITTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        if sitting["status"] != "open":
            return _refused(f"The sitting {sitting['code']} is {sitting['status']}.")
        if self.now[:10] > sitting["register_until"]:
            return _refused(f"Entry for {sitting['code']} closed on {sitting['register_until']}.")
        if candidate["programme"] not in self.modules[sitting["module_id"]]["programmes"]:
            return _refused(
                f"{self.modules[sitting['module_id']]['title']} is not examined in {candidate['programme']}."
            )
        if self._has_passed(candidate, self.modules[sitting["module_id"]]):
            return _refused(f"{candidate['name']} has passed {self.modules[sitting['module_id']]['title']}.")
        other = self._under_way(candidate, self.modules[sitting["module_id"]])
        if other is not None:
            return _refused(
                f"{candidate['name']} is entered for {self.modules[sitting['module_id']]['title']} on "
                f"{self.sittings[other['sitting_id']]['held_on']} already, so withdraw that first."
            )
        if self._attempts(candidate, self.modules[sitting["module_id"]]) >= 3:
            return _refused(
                f"{candidate['name']} has used all three attempts in {self.modules[sitting['module_id']]['title']}."
            )
        before = self._lacking(candidate, self.modules[sitting["module_id"]])
        if before is not None:
            return _refused(f"{candidate['name']} has to pass {before['title']} first.")
        clash = self._same_day(candidate, sitting["held_on"])
        if clash is not None:
            return _refused(
                f"{candidate['name']} sits "
                f"{self.modules[self.sittings[clash['sitting_id']]['module_id']]['title']} on {sitting['held_on']}."
            )
        if self._candidate_entered(candidate) >= candidate["at_once"]:
            return _refused(f"{candidate['name']} may be entered for {candidate['at_once']} exams at once.")
        if self._sitting_taken(sitting) >= sitting["seats"]:
            return _refused(f"All {sitting['seats']} seats of {sitting['code']} are taken.")
        self._journal = []
        registration: Registration = {
            "id": self._new_id("registration", "REGISTRATION", self.registrations),
            "candidate_id": candidate_id,
            "sitting_id": sitting_id,
            "registered_on": self.now[:10],
            "result": None,
            "status": "registered",
        }
        self._add("registrations", registration)
        for one_registration in _distinct(
            [registration, *self._registrations_by_candidate.get(registration["candidate_id"], {}).values()]
        ):
            if self._breaks_rule_1(one_registration):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(registration):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_r(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_c(self.candidates[registration["candidate_id"]]):
            return self._take_back(RULES[2])
        for one_registration in _distinct(
            [
                registration,
                *self._registrations_by_candidate_status.get(
                    (registration["candidate_id"], "registered"),
                    {},
                ).values(),
            ]
        ):
            if self._breaks_rule_4(one_registration):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sittings[registration["sitting_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: enter {candidate['name']} for {sitting['code']} (new: registration {registration['id']})."
            ),
            "data": {"registration_id": registration["id"], **self._changes()},
        }

    def withdraw_registration(self, registration_id: str) -> Result:
        """Withdraw an entry, up to three days before the exam; it does not count as an attempt.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] != "registered":
            return _refused(
                f"The entry of {self.candidates[registration['candidate_id']]['name']} is {registration['status']}."
            )
        if _plus_days(self.now[:10], 3) > self.sittings[registration["sitting_id"]]["held_on"]:
            return _refused(
                f"The exam is on {self.sittings[registration['sitting_id']]['held_on']}, so it is too late to "
                "withdraw."
            )
        self._journal = []
        self._put("registrations", registration, "status", "withdrawn")
        for one_registration in _distinct(
            [registration, *self._registrations_by_candidate.get(registration["candidate_id"], {}).values()]
        ):
            if self._breaks_rule_1(one_registration):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(registration):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_r(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_c(self.candidates[registration["candidate_id"]]):
            return self._take_back(RULES[2])
        for one_registration in _distinct(
            [
                registration,
                *self._registrations_by_candidate_status.get(
                    (registration["candidate_id"], "registered"),
                    {},
                ).values(),
            ]
        ):
            if self._breaks_rule_4(one_registration):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sittings[registration["sitting_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: withdraw {self.candidates[registration['candidate_id']]['name']} from "
                f"{self.sittings[registration['sitting_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def hold_sitting(
        self,
        sitting_id: str,
        absent_ids: Annotated[list[str], {"maxItems": 20}],
        cheated_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Record that a sitting was held, who was absent and who was caught cheating, which fails with zero marks;
        everybody else has written.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.
            absent_ids (list): Registrations of the candidates who did not come, an empty list where all came: ids
                of registrations, such as REGISTRATION-00001.
            cheated_ids (list): Registrations of the candidates who came and were caught cheating: ids of
                registrations, such as REGISTRATION-00001. If left out, nobody has cheated.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        absent = []
        for key in absent_ids:
            if key not in self.registrations:
                return _refused(f"There is no registration {key!r}.")
            absent.append(self.registrations[key])
        cheated = []
        for key_2 in cheated_ids or []:
            if key_2 not in self.registrations:
                return _refused(f"There is no registration {key_2!r}.")
            cheated.append(self.registrations[key_2])
        if sitting["status"] != "open":
            return _refused(f"The sitting {sitting['code']} is {sitting['status']}.")
        if sitting["held_on"] > self.now[:10]:
            return _refused(f"{sitting['code']} is on {sitting['held_on']}.")
        if not _different([r["id"] for r in absent]):
            return _refused("Somebody is named twice.")
        if not all(r["sitting_id"] == sitting_id and r["status"] == "registered" for r in absent):
            return _refused(f"Only candidates who are entered for {sitting['code']} can be absent from it.")
        if not (_different([r["id"] for r in cheated]) and not any(r in absent for r in cheated)):
            return _refused("Somebody is named twice.")
        if not all(r["sitting_id"] == sitting_id and r["status"] == "registered" for r in cheated):
            return _refused(f"Only candidates who are entered for {sitting['code']} can have cheated in it.")
        self._journal = []
        changed_registrations: list[Any] = []
        changed_registrations_2: list[Any] = []
        for r in sorted(self._registrations_by_sitting_status.get((sitting_id, "registered"), {}).values(), key=_age):
            if r in absent:
                if r["status"] not in ("registered", "absent"):
                    return self._take_back(f"Registration {r['id']} cannot go from {r['status']} to absent.")
                changed_registrations.append(r)
                self._put("registrations", r, "status", "absent")
            else:
                if r["status"] not in ("registered", "written"):
                    return self._take_back(f"Registration {r['id']} cannot go from {r['status']} to written.")
                changed_registrations.append(r)
                self._put("registrations", r, "status", "written")
        for r in list(cheated):
            changed_registrations_2.append(r)
            self._put("registrations", r, "result", 0)
            if r["status"] not in ("written", "failed"):
                return self._take_back(f"Registration {r['id']} cannot go from {r['status']} to failed.")
            changed_registrations.append(r)
            self._put("registrations", r, "status", "failed")
        self._put("sittings", sitting, "status", "held")
        for one_registration in _distinct(
            [
                *changed_registrations,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_registrations]
                    for user in self._registrations_by_candidate.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_registration):
                return self._take_back(RULES[0])
        for one_registration in _distinct(changed_registrations):
            if self._breaks_rule_2(one_registration):
                return self._take_back(RULES[1])
        for one_registration in _distinct(changed_registrations):
            if self._breaks_rule_3_r(one_registration):
                return self._take_back(RULES[2])
        for one_candidate in _distinct([self.candidates[one["candidate_id"]] for one in changed_registrations]):
            if self._breaks_rule_3_c(one_candidate):
                return self._take_back(RULES[2])
        for one_registration in _distinct(
            [
                *changed_registrations,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_registrations]
                    for user in self._registrations_by_candidate_status.get((one["id"], "registered"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_registration):
                return self._take_back(RULES[3])
        for one_registration in _distinct(changed_registrations):
            if self._breaks_rule_5(one_registration):
                return self._take_back(RULES[4])
        for one_sitting in _distinct([self.sittings[one["sitting_id"]] for one in changed_registrations]):
            if self._breaks_rule_6(one_sitting):
                return self._take_back(RULES[5])
        for one_registration in _distinct([*changed_registrations, *changed_registrations_2]):
            if self._breaks_rule_11(one_registration):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: record {sitting['code']} as held.", "data": self._changes()}

    def excuse_absence(self, registration_id: str) -> Result:
        """Excuse an absence within 21 days, so that it does not count as an attempt.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] != "absent":
            return _refused(
                f"The entry of {self.candidates[registration['candidate_id']]['name']} is {registration['status']}."
            )
        if self.now[:10] > _plus_days(self.sittings[registration["sitting_id"]]["held_on"], 21):
            return _refused(
                f"The exam was on {self.sittings[registration['sitting_id']]['held_on']}, more than 21 days ago."
            )
        self._journal = []
        self._put("registrations", registration, "status", "excused")
        for one_registration in _distinct(
            [registration, *self._registrations_by_candidate.get(registration["candidate_id"], {}).values()]
        ):
            if self._breaks_rule_1(one_registration):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(registration):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_r(registration):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_c(self.candidates[registration["candidate_id"]]):
            return self._take_back(RULES[2])
        for one_registration in _distinct(
            [
                registration,
                *self._registrations_by_candidate_status.get(
                    (registration["candidate_id"], "registered"),
                    {},
                ).values(),
            ]
        ):
            if self._breaks_rule_4(one_registration):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(registration):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sittings[registration["sitting_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_11(registration):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: excuse the absence of {self.candidates[registration['candidate_id']]['name']} from "
                f"{self.sittings[registration['sitting_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def allot_scripts(self, sitting_id: str, first_examiner_id: str, second_examiner_id: str) -> Result:
        """Give all scripts of a sitting that nobody marks yet to a first and a second examiner.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.
            first_examiner_id (str): Examiner of the module who marks every script first; an id such as
                EXAMINER-00001.
            second_examiner_id (str): Another examiner of the module, who marks every script too; an id such as
                EXAMINER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        first_examiner = self.examiners.get(first_examiner_id)
        if first_examiner is None:
            return _refused(f"There is no examiner {first_examiner_id!r}.")
        second_examiner = self.examiners.get(second_examiner_id)
        if second_examiner is None:
            return _refused(f"There is no examiner {second_examiner_id!r}.")
        if sitting["status"] != "held":
            return _refused(f"The sitting {sitting['code']} is {sitting['status']}.")
        scripts = [
            r
            for r in sorted(self._registrations_by_sitting_status.get((sitting_id, "written"), {}).values(), key=_age)
            if not self._markings_by_registration.get(r["id"], {})
        ]
        if len(scripts) <= 0:
            return _refused(f"Every script of {sitting['code']} has its examiners.")
        if first_examiner is second_examiner:
            return _refused(f"The second examiner must be another person than {first_examiner['name']}.")
        if sitting["module_id"] not in first_examiner["module_ids"]:
            return _refused(
                f"{first_examiner['name']} does not examine {self.modules[sitting['module_id']]['title']}."
            )
        if sitting["module_id"] not in second_examiner["module_ids"]:
            return _refused(
                f"{second_examiner['name']} does not examine {self.modules[sitting['module_id']]['title']}."
            )
        if self._examiner_waiting(first_examiner) + len(scripts) > first_examiner["most_scripts"]:
            return _refused(
                f"{first_examiner['name']} has {self._examiner_waiting(first_examiner)} scripts waiting and takes "
                f"{first_examiner['most_scripts']} at most, so {len(scripts)} are too many."
            )
        if self._examiner_waiting(second_examiner) + len(scripts) > second_examiner["most_scripts"]:
            return _refused(
                f"{second_examiner['name']} has {self._examiner_waiting(second_examiner)} scripts waiting and "
                f"takes {second_examiner['most_scripts']} at most, so {len(scripts)} are too many."
            )
        self._journal = []
        added_markings: list[Any] = []
        for r in list(scripts):
            marking = {
                "id": self._new_id("marking", "MARKING", self.markings),
                "registration_id": r["id"],
                "examiner_id": first_examiner_id,
                "role": "first",
                "mark": None,
            }
            self._add("markings", marking)
            added_markings.append(marking)
            new_marking = {
                "id": self._new_id("marking", "MARKING", self.markings),
                "registration_id": r["id"],
                "examiner_id": second_examiner_id,
                "role": "second",
                "mark": None,
            }
            self._add("markings", new_marking)
            added_markings.append(new_marking)
        for one_marking in _distinct(added_markings):
            if self._breaks_rule_8_m(one_marking):
                return self._take_back(RULES[7])
        for one_marking in _distinct(added_markings):
            if self._breaks_rule_8_m_again(one_marking):
                return self._take_back(RULES[7])
        for one_marking in _distinct(added_markings):
            if self._breaks_rule_8_m_again_again(one_marking):
                return self._take_back(RULES[7])
        for one_marking in _distinct(
            [
                *added_markings,
                *[
                    user
                    for one in [self.registrations[one["registration_id"]] for one in added_markings]
                    for user in self._markings_by_registration.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_marking):
                return self._take_back(RULES[8])
        for one_examiner in _distinct([self.examiners[one["examiner_id"]] for one in added_markings]):
            if self._breaks_rule_10(one_examiner):
                return self._take_back(RULES[9])
        for one_appeal in _distinct(
            [
                user
                for one in [self.registrations[one["registration_id"]] for one in added_markings]
                for user in self._appeals_by_registration.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12_a_again(one_appeal):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: give the scripts of {sitting['code']} to {first_examiner['name']} and "
                f"{second_examiner['name']}."
            ),
            "data": self._changes(),
        }

    def call_third_examiner(self, registration_id: str, examiner_id: str) -> Result:
        """Give a script to a third examiner where the first two are more than ten marks apart.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            examiner_id (str): Id of the examiner, such as EXAMINER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        examiner = self.examiners.get(examiner_id)
        if examiner is None:
            return _refused(f"There is no examiner {examiner_id!r}.")
        if registration["status"] != "written":
            return _refused(
                f"The entry of {self.candidates[registration['candidate_id']]['name']} is {registration['status']}."
            )
        if not self._disputed(registration):
            return _refused(
                f"The two marks of {self.candidates[registration['candidate_id']]['name']} are not in and more "
                "than ten apart."
            )
        if self._markings_by_registration_role.get((registration_id, "third"), {}):
            return _refused(f"{self.candidates[registration['candidate_id']]['name']} has a third examiner already.")
        if self.sittings[registration["sitting_id"]]["module_id"] not in examiner["module_ids"]:
            return _refused(
                f"{examiner['name']} does not examine "
                f"{self.modules[self.sittings[registration['sitting_id']]['module_id']]['title']}."
            )
        if self._markings_by_registration_examiner.get((registration_id, examiner_id), {}):
            return _refused(f"{examiner['name']} has marked that script.")
        if self._examiner_waiting(examiner) >= examiner["most_scripts"]:
            return _refused(
                f"{examiner['name']} has {self._examiner_waiting(examiner)} scripts waiting and takes no more."
            )
        self._journal = []
        marking: Marking = {
            "id": self._new_id("marking", "MARKING", self.markings),
            "registration_id": registration_id,
            "examiner_id": examiner_id,
            "role": "third",
            "mark": None,
        }
        self._add("markings", marking)
        if self._breaks_rule_8_m(marking):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_m_again(marking):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_m_again_again(marking):
            return self._take_back(RULES[7])
        for one_marking in _distinct(
            [marking, *self._markings_by_registration.get(marking["registration_id"], {}).values()]
        ):
            if self._breaks_rule_9(one_marking):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(self.examiners[marking["examiner_id"]]):
            return self._take_back(RULES[9])
        for one_appeal in _distinct(self._appeals_by_registration.get(marking["registration_id"], {}).values()):
            if self._breaks_rule_12_a_again(one_appeal):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: call {examiner['name']} as third examiner of "
                f"{self.candidates[registration['candidate_id']]['name']} (new: marking {marking['id']})."
            ),
            "data": {"marking_id": marking["id"], **self._changes()},
        }

    def enter_marks(self, lines: Annotated[list[EnterMarksLine], {"maxItems": 20}]) -> Result:
        """Enter marks that examiners have returned.

        Args:
            lines (list): One entry for each script and examiner, each once: marking_id: script with its examiner,
                not marked yet; an id such as MARKING-00001; mark: mark that the examiner gave, in points, from 0
                to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entries, lines = lines, []
        for entry in entries:
            if entry["marking_id"] not in self.markings:
                return _refused(f"There is no marking {entry['marking_id']!r}.")
            lines.append({"marking": self.markings[entry["marking_id"]], "mark": entry["mark"]})
        if not (len(lines) > 0 and _different([l["marking"]["id"] for l in lines])):
            return _refused("Name at least one script, and each once.")
        done = next((l["marking"] for l in lines if l["marking"]["mark"] is not None), None)
        if done is not None:
            return _refused(
                f"{self.examiners[done['examiner_id']]['name']} has returned the mark of "
                f"{self.candidates[self.registrations[done['registration_id']]['candidate_id']]['name']} already."
            )
        self._journal = []
        changed_markings: list[Any] = []
        for l in list(lines):
            marking = l["marking"]
            changed_markings.append(marking)
            self._put("markings", marking, "mark", l["mark"])
        for one_marking in _distinct(
            [
                user
                for one in [self.registrations[one["registration_id"]] for one in changed_markings]
                for user in self._markings_by_registration.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_9(one_marking):
                return self._take_back(RULES[8])
        for one_examiner in _distinct([self.examiners[one["examiner_id"]] for one in changed_markings]):
            if self._breaks_rule_10(one_examiner):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: enter {len(lines)} marks.", "data": self._changes()}

    def release_marks(self, sitting_id: str) -> Result:
        """Release the marks of a sitting once every script has an agreed one.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        if sitting["status"] != "held":
            return _refused(f"The sitting {sitting['code']} is {sitting['status']}.")
        unmarked = next(
            (
                r
                for r in sorted(
                    self._registrations_by_sitting_status.get((sitting_id, "written"), {}).values(),
                    key=_age,
                )
                if self._registration_proposed(r) is None
            ),
            None,
        )
        if unmarked is not None:
            return _refused(
                f"{self.candidates[unmarked['candidate_id']]['name']} has no agreed mark yet, so get the missing "
                "marks or a third examiner first."
            )
        self._journal = []
        changed_registrations: list[Any] = []
        changed_registrations_2: list[Any] = []
        for r in sorted(self._registrations_by_sitting_status.get((sitting_id, "written"), {}).values(), key=_age):
            final = self._registration_proposed(r) if self._registration_proposed(r) is not None else 0
            if not 0 <= final <= 100:
                return self._take_back(f"The result of {r['id']} must be between 0 and 100.")
            changed_registrations.append(r)
            self._put("registrations", r, "result", final)
            if final >= self.modules[sitting["module_id"]]["pass_mark"]:
                if r["status"] not in ("written", "passed", "failed"):
                    return self._take_back(f"Registration {r['id']} cannot go from {r['status']} to passed.")
                changed_registrations_2.append(r)
                self._put("registrations", r, "status", "passed")
            else:
                if r["status"] not in ("written", "failed"):
                    return self._take_back(f"Registration {r['id']} cannot go from {r['status']} to failed.")
                changed_registrations_2.append(r)
                self._put("registrations", r, "status", "failed")
        self._put("sittings", sitting, "released_on", self.now[:10])
        self._put("sittings", sitting, "status", "released")
        for one_registration in _distinct(
            [
                *changed_registrations_2,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_registrations_2]
                    for user in self._registrations_by_candidate.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_registration):
                return self._take_back(RULES[0])
        for one_registration in _distinct(changed_registrations_2):
            if self._breaks_rule_2(one_registration):
                return self._take_back(RULES[1])
        for one_registration in _distinct(changed_registrations_2):
            if self._breaks_rule_3_r(one_registration):
                return self._take_back(RULES[2])
        for one_candidate in _distinct([self.candidates[one["candidate_id"]] for one in changed_registrations_2]):
            if self._breaks_rule_3_c(one_candidate):
                return self._take_back(RULES[2])
        for one_registration in _distinct(
            [
                *changed_registrations_2,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_registrations_2]
                    for user in self._registrations_by_candidate_status.get((one["id"], "registered"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_registration):
                return self._take_back(RULES[3])
        for one_registration in _distinct(changed_registrations_2):
            if self._breaks_rule_5(one_registration):
                return self._take_back(RULES[4])
        for one_sitting in _distinct([self.sittings[one["sitting_id"]] for one in changed_registrations_2]):
            if self._breaks_rule_6(one_sitting):
                return self._take_back(RULES[5])
        for one_registration in _distinct([*changed_registrations, *changed_registrations_2]):
            if self._breaks_rule_11(one_registration):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: release the marks of {sitting['code']}.", "data": self._changes()}

    def lodge_appeal(self, registration_id: str, grounds: Text) -> Result:
        """Take an appeal against a result, within 30 days of its release.

        Args:
            registration_id (str): Id of the registration, such as REGISTRATION-00001.
            grounds (str): Why the candidate appeals against the result.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        registration = self.registrations.get(registration_id)
        if registration is None:
            return _refused(f"There is no registration {registration_id!r}.")
        if registration["status"] not in ("passed", "failed"):
            return _refused(
                f"There is no result of {self.candidates[registration['candidate_id']]['name']} in "
                f"{self.modules[self.sittings[registration['sitting_id']]['module_id']]['title']} to appeal against."
            )
        since = (
            self.sittings[registration["sitting_id"]]["released_on"]
            if self.sittings[registration["sitting_id"]]["released_on"] is not None
            else self.now[:10]
        )
        if self.now[:10] > _plus_days(since, 30):
            return _refused(f"The result was released on {since}, more than 30 days ago.")
        if self._appeals_by_registration.get(registration_id, {}):
            return _refused(
                f"{self.candidates[registration['candidate_id']]['name']} has appealed against that result already."
            )
        self._journal = []
        appeal: Appeal = {
            "id": self._new_id("appeal", "APPEAL", self.appeals),
            "registration_id": registration_id,
            "grounds": grounds,
            "lodged_on": self.now[:10],
            "reviewer_id": None,
            "status": "lodged",
        }
        self._add("appeals", appeal)
        if self._breaks_rule_12_a(appeal):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_a_again(appeal):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take the appeal of {self.candidates[registration['candidate_id']]['name']} against "
                f"{self.sittings[registration['sitting_id']]['code']} (new: appeal {appeal['id']})."
            ),
            "data": {"appeal_id": appeal["id"], **self._changes()},
        }

    def decide_appeal(
        self,
        appeal_id: str,
        reviewer_id: str,
        mark: Annotated[int, {"minimum": 0, "maximum": 100}],
    ) -> Result:
        """Decide an appeal by the mark of a reviewer who has not marked the script; a result never goes down.

        Args:
            appeal_id (str): Id of the appeal, such as APPEAL-00001.
            reviewer_id (str): Examiner of the module who has not marked the script; an id such as EXAMINER-00001.
            mark (int): Mark that the reviewer gives, in points, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appeal = self.appeals.get(appeal_id)
        if appeal is None:
            return _refused(f"There is no appeal {appeal_id!r}.")
        reviewer = self.examiners.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no examiner {reviewer_id!r}.")
        if appeal["status"] != "lodged":
            return _refused(f"The appeal is {appeal['status']}.")
        entry = self.registrations[appeal["registration_id"]]
        if self.sittings[entry["sitting_id"]]["module_id"] not in reviewer["module_ids"]:
            return _refused(
                f"{reviewer['name']} does not examine "
                f"{self.modules[self.sittings[entry['sitting_id']]['module_id']]['title']}."
            )
        if self._markings_by_registration_examiner.get((entry["id"], reviewer_id), {}):
            return _refused(f"{reviewer['name']} has marked that script, so name somebody else.")
        later = next(
            (
                r
                for r in sorted(self._registrations_by_candidate.get(entry["candidate_id"], {}).values(), key=_age)
                if self.sittings[r["sitting_id"]]["module_id"] == self.sittings[entry["sitting_id"]]["module_id"]
                and r is not entry
                and r["status"] in ("written", "passed")
            ),
            None,
        )
        if (
            later is not None
            and entry["status"] != "passed"
            and mark >= self.modules[self.sittings[entry["sitting_id"]]["module_id"]]["pass_mark"]
        ):
            return _refused(
                f"{self.candidates[entry['candidate_id']]['name']} has written the exam of "
                f"{self.sittings[later['sitting_id']]['held_on']} since, so this attempt cannot become a pass any "
                "more."
            )
        self._journal = []
        changed_registrations: list[Any] = []
        changed_registrations_2: list[Any] = []
        self._put("appeals", appeal, "reviewer_id", reviewer_id)
        if entry["result"] is not None and mark > entry["result"]:
            changed_registrations.append(entry)
            self._put("registrations", entry, "result", mark)
            self._put("appeals", appeal, "status", "upheld")
        else:
            if appeal["status"] not in ("lodged", "rejected"):
                return self._take_back(f"Appeal {appeal['id']} cannot go from {appeal['status']} to rejected.")
            self._put("appeals", appeal, "status", "rejected")
        if (
            entry["status"] == "failed"
            and mark >= self.modules[self.sittings[entry["sitting_id"]]["module_id"]]["pass_mark"]
        ):
            for r in [
                r
                for r in sorted(
                    self._registrations_by_candidate_status.get((entry["candidate_id"], "registered"), {}).values(),
                    key=_age,
                )
                if self.sittings[r["sitting_id"]]["module_id"] == self.sittings[entry["sitting_id"]]["module_id"]
            ]:
                if r["status"] not in ("registered", "withdrawn"):
                    return self._take_back(f"Registration {r['id']} cannot go from {r['status']} to withdrawn.")
                changed_registrations_2.append(r)
                self._put("registrations", r, "status", "withdrawn")
            if entry["status"] not in ("written", "passed", "failed"):
                return self._take_back(f"Registration {entry['id']} cannot go from {entry['status']} to passed.")
            changed_registrations_2.append(entry)
            self._put("registrations", entry, "status", "passed")
        for one_registration in _distinct(
            [
                *changed_registrations_2,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_registrations_2]
                    for user in self._registrations_by_candidate.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_registration):
                return self._take_back(RULES[0])
        for one_registration in _distinct(changed_registrations_2):
            if self._breaks_rule_2(one_registration):
                return self._take_back(RULES[1])
        for one_registration in _distinct(changed_registrations_2):
            if self._breaks_rule_3_r(one_registration):
                return self._take_back(RULES[2])
        for one_candidate in _distinct([self.candidates[one["candidate_id"]] for one in changed_registrations_2]):
            if self._breaks_rule_3_c(one_candidate):
                return self._take_back(RULES[2])
        for one_registration in _distinct(
            [
                *changed_registrations_2,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_registrations_2]
                    for user in self._registrations_by_candidate_status.get((one["id"], "registered"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_registration):
                return self._take_back(RULES[3])
        for one_registration in _distinct(changed_registrations_2):
            if self._breaks_rule_5(one_registration):
                return self._take_back(RULES[4])
        for one_sitting in _distinct([self.sittings[one["sitting_id"]] for one in changed_registrations_2]):
            if self._breaks_rule_6(one_sitting):
                return self._take_back(RULES[5])
        for one_registration in _distinct([*changed_registrations, *changed_registrations_2]):
            if self._breaks_rule_11(one_registration):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_a_again(appeal):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                "Done: decide the appeal of "
                f"{self.candidates[self.registrations[appeal['registration_id']]['candidate_id']]['name']} with "
                f"{mark} by {reviewer['name']}."
            ),
            "data": self._changes(),
        }

    def _show_module(self, module: Module) -> dict[str, Any]:
        """The module as an answer shows it."""
        return {**module, "programmes": [*module["programmes"]]}

    def _show_candidate(self, candidate: Candidate) -> dict[str, Any]:
        """The candidate as an answer shows it."""
        return {**candidate, "entered": self._candidate_entered(candidate)}

    def _show_examiner(self, examiner: Examiner) -> dict[str, Any]:
        """The examiner as an answer shows it."""
        return {**examiner, "module_ids": [*examiner["module_ids"]], "waiting": self._examiner_waiting(examiner)}

    def _show_sitting(self, sitting: Sitting) -> dict[str, Any]:
        """The sitting as an answer shows it."""
        return {**sitting, "taken": self._sitting_taken(sitting)}

    def _show_registration(self, registration: Registration) -> dict[str, Any]:
        """The registration as an answer shows it."""
        return {
            **registration,
            "proposed": self._registration_proposed(registration),
            "attempt": self._registration_attempt(registration),
        }

    def _names_of_modules(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that modules point to."""
        return _names((self.modules, "title", [row["builds_on_id"] for row in shown]))

    def _names_of_examiners(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that examiners point to."""
        return _names((self.modules, "title", [each for row in shown for each in row["module_ids"]]))

    def _names_of_sittings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sittings point to."""
        return _names((self.modules, "title", [row["module_id"] for row in shown]))

    def _names_of_registrations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that registrations point to."""
        return _names(
            (self.candidates, "name", [row["candidate_id"] for row in shown]),
            (self.sittings, "code", [row["sitting_id"] for row in shown]),
        )

    def _names_of_markings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that markings point to."""
        return _names((self.examiners, "name", [row["examiner_id"] for row in shown]))

    def _names_of_appeals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that appeals point to."""
        return _names((self.examiners, "name", [row["reviewer_id"] for row in shown]))

    def _candidate_entered(self, candidate: Candidate) -> int:
        """The entered of a candidate."""
        return len(self._registrations_by_candidate_status.get((candidate["id"], "registered"), {}))

    def _examiner_waiting(self, examiner: Examiner) -> int:
        """The waiting of an examiner."""
        return sum(1 for m in self._markings_by_examiner.get(examiner["id"], {}).values() if m["mark"] is None)

    def _sitting_taken(self, sitting: Sitting) -> int:
        """The taken of a sitting."""
        return sum(
            1
            for r in self._registrations_by_sitting.get(sitting["id"], {}).values()
            if r["status"] in ("registered", "written")
        )

    def _registration_proposed(self, registration: Registration) -> int | None:
        """The proposed of a registration."""
        return self._agreed(
            self._mark_of(registration, "first"),
            self._mark_of(registration, "second"),
            self._mark_of(registration, "third"),
        )

    def _registration_attempt(self, registration: Registration) -> int:
        """The attempt of a registration."""
        return sum(
            1
            for r in self._registrations_by_candidate.get(registration["candidate_id"], {}).values()
            if self.sittings[r["sitting_id"]]["module_id"] == self.sittings[registration["sitting_id"]]["module_id"]
            and self._counts(r)
            and self.sittings[r["sitting_id"]]["held_on"] <= self.sittings[registration["sitting_id"]]["held_on"]
        )

    def _mark_of(self, r: Registration, role: str) -> int:
        return (
            next(
                (
                    m["mark"]
                    for m in sorted(self._markings_by_registration_role.get((r["id"], role), {}).values(), key=_age)
                ),
                None,
            )
            if next(
                (
                    m["mark"]
                    for m in sorted(self._markings_by_registration_role.get((r["id"], role), {}).values(), key=_age)
                ),
                None,
            ) is not None
            else -1
        )

    def _agreed(self, a: int, b: int, t: int) -> int | None:
        return (
            None
            if a < 0 or b < 0
            else _rounded(Fraction(a + b, 2))
            if abs(a - b) <= 10
            else None
            if t < 0
            else _rounded(
                Fraction(t + (a if abs(a - t) < abs(b - t) else b if abs(b - t) < abs(a - t) else max(a, b)), 2)
            )
        )

    def _counts(self, r: Registration) -> bool:
        return r["status"] not in ("withdrawn", "excused")

    def _attempts(self, c: Candidate, m: Module) -> int:
        return sum(
            1
            for r in self._registrations_by_candidate.get(c["id"], {}).values()
            if self.sittings[r["sitting_id"]]["module_id"] == m["id"]
            and self._counts(r)
        )

    def _has_passed(self, c: Candidate, m: Module) -> bool:
        return any(
            self.sittings[r["sitting_id"]]["module_id"] == m["id"]
            for r in self._registrations_by_candidate_status.get((c["id"], "passed"), {}).values()
        )

    def _under_way(self, c: Candidate, m: Module) -> Registration | None:
        return next(
            (
                r
                for r in sorted(self._registrations_by_candidate.get(c["id"], {}).values(), key=_age)
                if self.sittings[r["sitting_id"]]["module_id"] == m["id"]
                and r["status"] in ("registered", "written")
            ),
            None,
        )

    def _same_day(self, c: Candidate, d: str) -> Registration | None:
        return next(
            (
                r
                for r in sorted(
                    self._registrations_by_candidate_status.get((c["id"], "registered"), {}).values(),
                    key=_age,
                )
                if self.sittings[r["sitting_id"]]["held_on"] == d
            ),
            None,
        )

    def _lacking(self, c: Candidate, m: Module) -> Module | None:
        return next((b for b in _above(self.modules, m, "builds_on_id") if not self._has_passed(c, b)), None)

    def _disputed(self, r: Registration) -> bool:
        return (
            self._mark_of(r, "first") >= 0
            and self._mark_of(r, "second") >= 0
            and abs(self._mark_of(r, "first") - self._mark_of(r, "second")) > 10
        )

    def _open_for(self, s: Sitting, d: str) -> bool:
        return s["status"] == "open" and d <= s["register_until"] and self._sitting_taken(s) < s["seats"]

    def _eligible(self, c: Candidate, s: Sitting) -> bool:
        return (
            c["programme"] in self.modules[s["module_id"]]["programmes"]
            and not self._has_passed(c, self.modules[s["module_id"]])
            and self._under_way(c, self.modules[s["module_id"]]) is None
            and self._attempts(c, self.modules[s["module_id"]]) < 3
            and self._lacking(c, self.modules[s["module_id"]]) is None
            and self._same_day(c, s["held_on"]) is None
            and self._candidate_entered(c) < c["at_once"]
        )

    def _complete(self, s: Sitting) -> bool:
        return (
            s["status"] == "held"
            and all(
                self._registration_proposed(r) is not None
                for r in self._registrations_by_sitting_status.get((s["id"], "written"), {}).values()
            )
        )

    def _may_mark(self, e: Examiner, r: Registration) -> bool:
        return (
            self.sittings[r["sitting_id"]]["module_id"] in e["module_ids"]
            and not self._markings_by_registration_examiner.get((r["id"], e["id"]), {})
        )

    def _breaks_rule_1(self, r: Registration) -> bool:
        """Whether this is broken: nobody sits the exam of a module more than three times."""
        return (
            self._counts(r)
            and self._attempts(
                self.candidates[r["candidate_id"]],
                self.modules[self.sittings[r["sitting_id"]]["module_id"]],
            ) > 3
        )

    def _breaks_rule_2(self, r: Registration) -> bool:
        """Whether this is broken: a candidate has one entry under way for a module and passes it once."""
        return (
            r["status"] in ("registered", "written", "passed")
            and any(
                other_r is not r
                for other_r in self._registrations_by_candidate.get(r["candidate_id"], {}).values()
                if self.sittings[other_r["sitting_id"]]["module_id"] == self.sittings[r["sitting_id"]]["module_id"]
                and other_r["status"] in ("registered", "written", "passed")
            )
        )

    def _breaks_rule_3_r(self, r: Registration) -> bool:
        """Whether this is broken: nobody is entered for two exams on one day, or for more exams than the programme
        allows at once.
        """
        return (
            r["status"] == "registered"
            and any(
                other_r is not r
                for other_r in self._registrations_by_candidate_status.get(
                    (r["candidate_id"], "registered"),
                    {},
                ).values()
                if self.sittings[other_r["sitting_id"]]["held_on"] == self.sittings[r["sitting_id"]]["held_on"]
            )
        )

    def _breaks_rule_3_c(self, c: Candidate) -> bool:
        """Whether this is broken: nobody is entered for two exams on one day, or for more exams than the programme
        allows at once.
        """
        return self._candidate_entered(c) > c["at_once"]

    def _breaks_rule_4(self, r: Registration) -> bool:
        """Whether this is broken: whoever is entered for a module has passed everything it builds on."""
        return (
            r["status"] == "registered"
            and self._lacking(
                self.candidates[r["candidate_id"]],
                self.modules[self.sittings[r["sitting_id"]]["module_id"]],
            ) is not None
        )

    def _breaks_rule_5(self, r: Registration) -> bool:
        """Whether this is broken: candidates sit only exams of their programme."""
        return (
            self._counts(r)
            and self.candidates[r["candidate_id"]]["programme"] not in self.modules[
                self.sittings[r["sitting_id"]]["module_id"]
            ]["programmes"]
        )

    def _breaks_rule_6(self, s: Sitting) -> bool:
        """Whether this is broken: a sitting never has more candidates than seats."""
        return self._sitting_taken(s) > s["seats"]

    def _breaks_rule_7_s(self, s: Sitting) -> bool:
        """Whether this is broken: a hall holds one sitting a day, and a module is examined once a day."""
        return any(
            other_s is not s
            for other_s in self._sittings_by_held_on_hall.get((s["held_on"], s["hall"]), {}).values()
        )

    def _breaks_rule_7_s_again(self, s: Sitting) -> bool:
        """Whether this is broken: a hall holds one sitting a day, and a module is examined once a day."""
        return any(
            other_s is not s
            for other_s in self._sittings_by_module.get(s["module_id"], {}).values()
            if other_s["held_on"] == s["held_on"]
        )

    def _breaks_rule_8_m(self, m: Marking) -> bool:
        """Whether this is broken: a script is marked by examiners of the module, each of them once and in one role.
        """
        return any(
            other_m is not m
            for other_m in self._markings_by_registration_examiner.get(
                (m["registration_id"], m["examiner_id"]),
                {},
            ).values()
        )

    def _breaks_rule_8_m_again(self, m: Marking) -> bool:
        """Whether this is broken: a script is marked by examiners of the module, each of them once and in one role.
        """
        return any(
            other_m is not m
            for other_m in self._markings_by_registration_role.get((m["registration_id"], m["role"]), {}).values()
        )

    def _breaks_rule_8_m_again_again(self, m: Marking) -> bool:
        """Whether this is broken: a script is marked by examiners of the module, each of them once and in one role.
        """
        return self.sittings[
            self.registrations[m["registration_id"]]["sitting_id"]
        ]["module_id"] not in self.examiners[m["examiner_id"]]["module_ids"]

    def _breaks_rule_9(self, m: Marking) -> bool:
        """Whether this is broken: a third examiner is called only where the first two are more than ten marks apart.
        """
        return not (m["role"] != "third" or self._disputed(self.registrations[m["registration_id"]]))

    def _breaks_rule_10(self, e: Examiner) -> bool:
        """Whether this is broken: no examiner has more scripts waiting than agreed."""
        return self._examiner_waiting(e) > e["most_scripts"]

    def _breaks_rule_11(self, r: Registration) -> bool:
        """Whether this is broken: a passed or failed exam has a result on the right side of the pass mark, and
        nothing else has one.
        """
        return not (
            (r["result"] is not None) == (r["status"] in ("passed", "failed"))
            and (
                r["result"] is None
                or (
                    r["result"] >= self.modules[self.sittings[r["sitting_id"]]["module_id"]]["pass_mark"]
                ) == (r["status"] == "passed")
            )
        )

    def _breaks_rule_12_a(self, a: Appeal) -> bool:
        """Whether this is broken: there is one appeal against a result, and nobody reviews a script they have marked.
        """
        return any(
            other_a is not a
            for other_a in self._appeals_by_registration.get(a["registration_id"], {}).values()
        )

    def _breaks_rule_12_a_again(self, a: Appeal) -> bool:
        """Whether this is broken: there is one appeal against a result, and nobody reviews a script they have marked.
        """
        return not (
            a["reviewer_id"] is None
            or not self._markings_by_registration_examiner.get((a["registration_id"], a["reviewer_id"]), {})
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
            case "examiners":
                for key in record["module_ids"]:
                    self._examiners_by_modules.setdefault(key, {})[record["id"]] = record
            case "sittings":
                self._sittings_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._sittings_by_held_on_hall.setdefault((record["held_on"], record["hall"]), {})[record["id"]] = record
                self._sittings_by_module.setdefault(record["module_id"], {})[record["id"]] = record
            case "registrations":
                self._registrations_by_candidate.setdefault(record["candidate_id"], {})[record["id"]] = record
                self._registrations_by_candidate_status.setdefault(
                    (record["candidate_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._registrations_by_sitting.setdefault(record["sitting_id"], {})[record["id"]] = record
                self._registrations_by_sitting_status.setdefault(
                    (record["sitting_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "markings":
                self._markings_by_examiner.setdefault(record["examiner_id"], {})[record["id"]] = record
                self._markings_by_registration.setdefault(record["registration_id"], {})[record["id"]] = record
                self._markings_by_registration_examiner.setdefault(
                    (record["registration_id"], record["examiner_id"]),
                    {},
                )[record["id"]] = record
                self._markings_by_registration_role.setdefault(
                    (record["registration_id"], record["role"]),
                    {},
                )[record["id"]] = record
            case "appeals":
                self._appeals_by_registration.setdefault(record["registration_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "examiners":
                for key in record["module_ids"]:
                    self._examiners_by_modules[key].pop(record["id"], None)
            case "sittings":
                del self._sittings_by_code[record["code"]][record["id"]]
                del self._sittings_by_held_on_hall[record["held_on"], record["hall"]][record["id"]]
                del self._sittings_by_module[record["module_id"]][record["id"]]
            case "registrations":
                del self._registrations_by_candidate[record["candidate_id"]][record["id"]]
                del self._registrations_by_candidate_status[record["candidate_id"], record["status"]][record["id"]]
                del self._registrations_by_sitting[record["sitting_id"]][record["id"]]
                del self._registrations_by_sitting_status[record["sitting_id"], record["status"]][record["id"]]
            case "markings":
                del self._markings_by_examiner[record["examiner_id"]][record["id"]]
                del self._markings_by_registration[record["registration_id"]][record["id"]]
                del self._markings_by_registration_examiner[
                    record["registration_id"],
                    record["examiner_id"],
                ][record["id"]]
                del self._markings_by_registration_role[record["registration_id"], record["role"]][record["id"]]
            case "appeals":
                del self._appeals_by_registration[record["registration_id"]][record["id"]]
