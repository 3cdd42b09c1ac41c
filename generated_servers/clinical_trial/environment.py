"""Clinical trial. Compiled from blueprint.yaml; run `envscaler build clinical_trial` after changing it there.

Runs a blinded trial at several sites - consent in its newest version, randomisation by a list for each site and
age group, visits within their windows, kits of the right arm, adverse events and unblinding.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A subject has one place on the randomisation lists, on the list of the own site and age group.",
    "The places of a list are used in order.",
    "A site never enrols more subjects than its target.",
    "A kit is given at the site where it is, within its time and to a subject of its arm.",
    "A visit is done within four days of its due date.",
    "A visit is done only under the consent that was the newest on that day.",
    "Visits are done in order, and each once.",
    "Who has left the trial or completed it has no visit ahead.",
    "A serious event is resolved only after the sponsor was notified.",
    "An event of grade 4 is serious.",
    "Only subjects with a serious event of grade 3 or 4 are unblinded.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "screen_subject",
    "issue_form",
    "sign_consent",
    "randomise_subject",
    "record_visit",
    "ship_kit",
    "report_event",
    "notify_event",
    "resolve_event",
    "unblind_subject",
    "withdraw_subject",
)
"""The methods that may change something; all others only read."""

SUBJECT_STATUS_MOVES = {
    ("screened", "randomised"),
    ("screened", "failed"),
    ("randomised", "completed"),
    ("randomised", "withdrawn"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "consent_forms": ("version",),
    "subjects": ("code",),
    "allocations": (),
    "visits": (),
    "kits": ("number",),
    "packing_entries": (),
    "events": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("allocations", "age"),
    ("allocations", "site_id"),
    ("allocations", "subject_id"),
    ("consent_forms", "version"),
    ("events", "kind"),
    ("events", "status"),
    ("events", "subject_id"),
    ("kits", "site_id"),
    ("kits", "subject_id"),
    ("packing_entries", "kit_id"),
    ("subjects", "code"),
    ("visits", "status"),
    ("visits", "subject_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str
    target: int


class ConsentForm(TypedDict):
    id: str
    version: str
    valid_from: str


class Subject(TypedDict):
    id: str
    code: str
    site_id: str
    age: Literal["younger", "older"]
    screened_on: str
    consent_id: str | None
    unblinded_for: str | None
    status: Literal["screened", "randomised", "failed", "completed", "withdrawn"]


class Allocation(TypedDict):
    id: str
    number: int
    site_id: str
    age: Literal["younger", "older"]
    arm: Literal["alpha", "beta"]
    subject_id: str | None


class Visit(TypedDict):
    id: str
    subject_id: str
    number: int
    due_on: str
    done_on: str | None
    status: Literal["planned", "done", "missed", "cancelled"]


class Kit(TypedDict):
    id: str
    number: str
    site_id: str | None
    expires: str
    subject_id: str | None
    given_on: str | None


class PackingEntry(TypedDict):
    id: str
    kit_id: str
    arm: Literal["alpha", "beta"]


class Event(TypedDict):
    id: str
    subject_id: str
    kind: Literal["headache", "rash", "fever", "fall", "raised_liver_values", "chest_pain"]
    grade: int
    serious: bool
    began_on: str
    notified_on: str | None
    status: Literal["open", "resolved"]


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


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class ClinicalTrial:
    """Runs a blinded trial at several sites - consent in its newest version, randomisation by a list for
    each site and age group, visits within their windows, kits of the right arm, adverse events and
    unblinding.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.consent_forms: dict[str, ConsentForm] = _copied(config.get("consent_forms", {}))
        self.subjects: dict[str, Subject] = _copied(config.get("subjects", {}))
        self.allocations: dict[str, Allocation] = _copied(config.get("allocations", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.kits: dict[str, Kit] = _copied(config.get("kits", {}))
        self.packing_entries: dict[str, PackingEntry] = _copied(config.get("packing_entries", {}))
        self.events: dict[str, Event] = _copied(config.get("events", {}))
        self.now: str = config.get("now", "2026-06-22T10:00")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "consent_form": len(self.consent_forms),
            "subject": len(self.subjects),
            "allocation": len(self.allocations),
            "visit": len(self.visits),
            "kit": len(self.kits),
            "packing_entry": len(self.packing_entries),
            "event": len(self.events),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._consent_forms_by_lower_version: dict[Any, dict[str, ConsentForm]] = {}
        self._consent_forms_by_version: dict[Any, dict[str, ConsentForm]] = {}
        self._subjects_by_code: dict[Any, dict[str, Subject]] = {}
        self._subjects_by_lower_code: dict[Any, dict[str, Subject]] = {}
        self._allocations_by_site: dict[Any, dict[str, Allocation]] = {}
        self._allocations_by_site_age: dict[Any, dict[str, Allocation]] = {}
        self._allocations_by_subject: dict[Any, dict[str, Allocation]] = {}
        self._visits_by_subject: dict[Any, dict[str, Visit]] = {}
        self._visits_by_subject_status: dict[Any, dict[str, Visit]] = {}
        self._kits_by_site: dict[Any, dict[str, Kit]] = {}
        self._kits_by_subject: dict[Any, dict[str, Kit]] = {}
        self._packing_entries_by_kit: dict[Any, dict[str, PackingEntry]] = {}
        self._events_by_subject: dict[Any, dict[str, Event]] = {}
        self._events_by_subject_kind_status: dict[Any, dict[str, Event]] = {}
        self._events_by_subject_status: dict[Any, dict[str, Event]] = {}
        for consent_form in self.consent_forms.values():
            self._link("consent_forms", consent_form)
        for subject in self.subjects.values():
            self._link("subjects", subject)
        for allocation in self.allocations.values():
            self._link("allocations", allocation)
        for visit in self.visits.values():
            self._link("visits", visit)
        for kit in self.kits.values():
            self._link("kits", kit)
        for packing_entry in self.packing_entries.values():
            self._link("packing_entries", packing_entry)
        for event in self.events.values():
            self._link("events", event)

    def visits_due(
        self,
        by_day: Date,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Each subject's next planned visit that is due by a day, earliest first.

        Args:
            by_day (str): Last due day that is listed, as YYYY-MM-DD.
            site_id (str, optional): Site of the subjects; an id such as SITE-00001. If left out, the subjects of
                all sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            v
            for v in self.visits.values()
            if (self._due_next(v) and v["due_on"] <= by_day)
            and (site_id is None or self.subjects[v["subject_id"]]["site_id"] == site_id)
        ]
        found.sort(key=lambda v: (v["due_on"], self.subjects[v["subject_id"]]["code"], _age(v)))
        return _found(
            {
                "total": len(found),
                "visits": [
                    {
                        "id": v["id"],
                        "subject": self.subjects[v["subject_id"]]["code"],
                        "number": v["number"],
                        "due_on": v["due_on"],
                        "window_ends": _plus_days(v["due_on"], 4),
                        "consent_up_to_date": self._up_to_date(self.subjects[v["subject_id"]], self.now[:10]),
                        "held": self._held(self.subjects[v["subject_id"]]),
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def treatment_of(self, subject_id: str) -> Result:
        """The arm of a subject whose blind was broken.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.

        Returns:
            dict: {"success": True, "data": {arm, unblinded_for}} or {"success": False, "error": why not}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        place = self._place_of(subject)
        if subject["unblinded_for"] is None or place is None:
            return _refused(f"{subject['code']} is blinded; nobody sees the arm before the blind is broken.")
        return _found({"arm": place["arm"], "unblinded_for": subject["unblinded_for"]})

    def must_sign_again(
        self,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Subjects in the trial who have not signed the newest consent form.

        Args:
            site_id (str, optional): Site of the subjects; an id such as SITE-00001. If left out, the subjects of
                all sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subjects": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            s
            for s in self.subjects.values()
            if (s["status"] in ("screened", "randomised") and not self._up_to_date(s, self.now[:10]))
            and (site_id is None or s["site_id"] == site_id)
        ]
        found.sort(key=lambda s: (s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "subjects": [
                    {
                        "id": s["id"],
                        "code": s["code"],
                        "site": self.sites[s["site_id"]]["name"],
                        "status": s["status"],
                        "signed": self.consent_forms[
                            s["consent_id"]
                        ]["version"] if s["consent_id"] is not None else "none",
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_sites(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        found = [site for site in self.sites.values() if (name is None or name.casefold() in site["name"].casefold())]
        return _found({"total": len(found), "sites": [self._show_site(site) for site in _page(found, offset)]})

    def list_consent_forms(
        self,
        version: Text | None = None,
        valid_from_from: Date | None = None,
        valid_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the consent forms, oldest first, all of them or only some.

        Args:
            version (str, optional): Only consent forms whose version contains this text.
            valid_from_from (str, optional): Only consent forms whose `valid_from` is on this day or later.
            valid_from_to (str, optional): Only consent forms whose `valid_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "consent_forms": records}}
        """
        found = [
            consent_form
            for consent_form in self.consent_forms.values()
            if (version is None or version.casefold() in consent_form["version"].casefold())
            and (valid_from_from is None or consent_form["valid_from"] >= valid_from_from)
            and (valid_from_to is None or consent_form["valid_from"] <= valid_from_to)
        ]
        return _found(
            {"total": len(found), "consent_forms": [{**consent_form} for consent_form in _page(found, offset)]}
        )

    def get_subject(self, subject_id: str) -> Result:
        """Look up one subject by its id.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        shown = self._show_subject(subject)
        return _found(shown, self._names_of_subjects([shown]))

    def list_subjects(
        self,
        code: Text | None = None,
        site_id: str | None = None,
        age: Literal["younger", "older"] | None = None,
        consent_id: str | None = None,
        status: Literal["screened", "randomised", "failed", "completed", "withdrawn"] | None = None,
        screened_on_from: Date | None = None,
        screened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the subjects, oldest first, all of them or only some.

        Args:
            code (str, optional): Only subjects whose code contains this text.
            site_id (str, optional): Only subjects of this site.
            age (str, optional): Only subjects with this age.
            consent_id (str, optional): Only subjects whose consent is this consent form.
            status (str, optional): Only subjects with this status.
            screened_on_from (str, optional): Only subjects whose `screened_on` is on this day or later.
            screened_on_to (str, optional): Only subjects whose `screened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subjects": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if consent_id is not None and consent_id not in self.consent_forms:
            return _refused(f"There is no consent form {consent_id!r}.")
        found = [
            subject
            for subject in self.subjects.values()
            if (code is None or code.casefold() in subject["code"].casefold())
            and (site_id is None or subject["site_id"] == site_id)
            and (age is None or subject["age"] == age)
            and (consent_id is None or subject["consent_id"] == consent_id)
            and (status is None or subject["status"] == status)
            and (screened_on_from is None or subject["screened_on"] >= screened_on_from)
            and (screened_on_to is None or subject["screened_on"] <= screened_on_to)
        ]
        shown = [self._show_subject(subject) for subject in _page(found, offset)]
        return _found({"total": len(found), "subjects": shown}, self._names_of_subjects(shown))

    def list_visits(
        self,
        subject_id: str | None = None,
        status: Literal["planned", "done", "missed", "cancelled"] | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            subject_id (str, optional): Only visits of this subject.
            status (str, optional): Only visits with this status.
            due_on_from (str, optional): Only visits whose `due_on` is on this day or later.
            due_on_to (str, optional): Only visits whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if subject_id is not None and subject_id not in self.subjects:
            return _refused(f"There is no subject {subject_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (subject_id is None or visit["subject_id"] == subject_id)
            and (status is None or visit["status"] == status)
            and (due_on_from is None or visit["due_on"] >= due_on_from)
            and (due_on_to is None or visit["due_on"] <= due_on_to)
        ]
        shown = [{**visit} for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def list_kits(
        self,
        number: Text | None = None,
        site_id: str | None = None,
        subject_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kits, oldest first, all of them or only some.

        Args:
            number (str, optional): Only kits whose number contains this text.
            site_id (str, optional): Only kits of this site.
            subject_id (str, optional): Only kits of this subject.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kits": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if subject_id is not None and subject_id not in self.subjects:
            return _refused(f"There is no subject {subject_id!r}.")
        found = [
            kit
            for kit in self.kits.values()
            if (number is None or number.casefold() in kit["number"].casefold())
            and (site_id is None or kit["site_id"] == site_id)
            and (subject_id is None or kit["subject_id"] == subject_id)
        ]
        shown = [{**kit} for kit in _page(found, offset)]
        return _found({"total": len(found), "kits": shown}, self._names_of_kits(shown))

    def list_events(
        self,
        subject_id: str | None = None,
        kind: Literal["headache", "rash", "fever", "fall", "raised_liver_values", "chest_pain"] | None = None,
        serious: bool | None = None,
        status: Literal["open", "resolved"] | None = None,
        began_on_from: Date | None = None,
        began_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the events, oldest first, all of them or only some.

        Args:
            subject_id (str, optional): Only events of this subject.
            kind (str, optional): Only events with this kind.
            serious (bool, optional): Only events that are serious (true) or not (false).
            status (str, optional): Only events with this status.
            began_on_from (str, optional): Only events whose `began_on` is on this day or later.
            began_on_to (str, optional): Only events whose `began_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}}
        """
        if subject_id is not None and subject_id not in self.subjects:
            return _refused(f"There is no subject {subject_id!r}.")
        found = [
            event
            for event in self.events.values()
            if (subject_id is None or event["subject_id"] == subject_id)
            and (kind is None or event["kind"] == kind)
            and (serious is None or event["serious"] == serious)
            and (status is None or event["status"] == status)
            and (began_on_from is None or event["began_on"] >= began_on_from)
            and (began_on_to is None or event["began_on"] <= began_on_to)
        ]
        shown = [{**event} for event in _page(found, offset)]
        return _found({"total": len(found), "events": shown}, self._names_of_events(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def screen_subject(self, code: Text, site_id: str, age: Literal["younger", "older"]) -> Result:
        """Screen a new subject at a site.

        Args:
            code (str): Code of the new subject, not given before.
            site_id (str): Id of the site, such as SITE-00001.
            age (str): Age group of the subject: younger or older.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if self._subjects_by_lower_code.get(code.lower(), {}):
            return _refused(f"The code {code} was given already.")
        if self._site_enrolled(site) >= site["target"]:
            return _refused(f"{site['name']} has enrolled all {site['target']} subjects.")
        self._journal = []
        subject: Subject = {
            "id": self._new_id("subject", "SUBJECT", self.subjects),
            "code": code,
            "site_id": site_id,
            "age": age,
            "screened_on": self.now[:10],
            "consent_id": None,
            "unblinded_for": None,
            "status": "screened",
        }
        self._add("subjects", subject)
        if len(self._subjects_by_code.get(subject["code"], {})) > 1:
            return self._take_back(f"There is already a subject with the code {subject['code']!r}.")
        if self._breaks_rule_11(subject):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: screen {code} at {site['name']} (new: subject {subject['id']}).",
            "data": {"subject_id": subject["id"], **self._changes()},
        }

    def issue_form(self, version: Text, valid_from: Date) -> Result:
        """Issue a new version of the consent form, valid from tomorrow or later.

        Args:
            version (str): Name of the new form version, not in use yet.
            valid_from (str): First day of the version, after today and after all others, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._consent_forms_by_lower_version.get(version.lower(), {}):
            return _refused(f"There is a version {version} already.")
        if not (
            valid_from > self.now[:10]
            and not any(f["valid_from"] >= valid_from for f in self.consent_forms.values())
        ):
            return _refused(f"A new version begins after {self.now[:10]} and after all others.")
        self._journal = []
        consent_form: ConsentForm = {
            "id": self._new_id("consent_form", "CF", self.consent_forms),
            "version": version,
            "valid_from": valid_from,
        }
        self._add("consent_forms", consent_form)
        if len(self._consent_forms_by_version.get(consent_form["version"], {})) > 1:
            return self._take_back(f"There is already a consent form with the version {consent_form['version']!r}.")
        if any(self._breaks_rule_6(one_visit) for one_visit in self.visits.values()):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: issue the consent form {version} from {valid_from} (new: consent form {consent_form['id']})."
            ),
            "data": {"consent_form_id": consent_form["id"], **self._changes()},
        }

    def sign_consent(self, subject_id: str, form_id: str) -> Result:
        """Record that a subject signed a version of the consent form that is valid and newer than the last one
        signed.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            form_id (str): Version of the consent form that was signed; an id such as CF-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        form = self.consent_forms.get(form_id)
        if form is None:
            return _refused(f"There is no consent form {form_id!r}.")
        if subject["status"] not in ("screened", "randomised"):
            return _refused(f"{subject['code']} is {subject['status']}.")
        if form["valid_from"] > self.now[:10]:
            return _refused(f"Version {form['version']} is valid from {form['valid_from']}.")
        if (
            subject["consent_id"] is not None
            and self.consent_forms[subject["consent_id"]]["valid_from"] >= form["valid_from"]
        ):
            return _refused(f"{subject['code']} has signed that or a newer version already.")
        self._journal = []
        self._put("subjects", subject, "consent_id", form_id)
        for one_visit in _distinct(self._visits_by_subject.get(subject["id"], {}).values()):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: record the consent of {subject['code']} to {form['version']}.",
            "data": self._changes(),
        }

    def randomise_subject(self, subject_id: str) -> Result:
        """Randomise a screened subject to the next place of the list, which plans four visits four weeks apart, the
        first today.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        if subject["status"] != "screened":
            return _refused(f"{subject['code']} is {subject['status']}.")
        if not self._up_to_date(subject, self.now[:10]):
            return _refused(f"{subject['code']} has not signed the newest consent form.")
        if _days_between(subject["screened_on"], self.now[:10]) > 60:
            return _refused(
                f"{subject['code']} was screened on {subject['screened_on']}, which is more than 60 days ago."
            )
        if self._site_enrolled(self.sites[subject["site_id"]]) >= self.sites[subject["site_id"]]["target"]:
            return _refused(
                f"{self.sites[subject['site_id']]['name']} has enrolled all "
                f"{self.sites[subject['site_id']]['target']} subjects."
            )
        if self._next_place(subject) is None:
            return _refused(f"The list of that age group is used up at {self.sites[subject['site_id']]['name']}.")
        self._journal = []
        added_visits: list[Any] = []
        place = self._next_place(subject)
        self._put("subjects", subject, "status", "randomised")
        former_subject_id = place["subject_id"]
        self._put("allocations", place, "subject_id", subject_id)
        for n in list(_numbers(1, 5)):
            if not 1 <= n <= 4:
                return self._take_back("The number of a visit must be between 1 and 4.")
            visit = {
                "id": self._new_id("visit", "VISIT", self.visits),
                "subject_id": subject_id,
                "number": n,
                "due_on": _plus_days(self.now[:10], 28 * (n - 1)),
                "done_on": None,
                "status": "planned",
            }
            self._add("visits", visit)
            added_visits.append(visit)
        if self._breaks_rule_1_a(place):
            return self._take_back(RULES[0])
        for one_allocation in _distinct([place, *self._allocations_by_subject.get(subject["id"], {}).values()]):
            if self._breaks_rule_1_a_again(one_allocation):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(place):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(place):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.sites[place["site_id"]]):
            return self._take_back(RULES[2])
        for one_kit in _distinct(
            [
                *[
                    user
                    for one in [self.subjects.get(place["subject_id"])]
                    if one is not None
                    for user in self._kits_by_subject.get(place["subject_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.subjects.get(former_subject_id)]
                    if one is not None
                    for user in self._kits_by_subject.get(former_subject_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_kit):
                return self._take_back(RULES[3])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_7_v(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_7_a(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_7_b(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct([*self._visits_by_subject.get(subject["id"], {}).values(), *added_visits]):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: randomise {subject['code']}.", "data": self._changes()}

    def record_visit(self, visit_id: str, came: bool, kit_id: str | None = None) -> Result:
        """Record a visit that took place, with the kit given at visits 1 to 3 unless treatment is held (next_kit of
        the subject says which, and nobody sees the arm); or one whose window has passed as missed.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            came (bool): Whether the subject came, as opposed to a missed visit whose window has passed.
            kit_id (str, optional): Kit that was given, needed at visits 1 to 3 unless treatment is held; an id
                such as KIT-00001. If left out, no kit was given.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        kit = self.kits.get(kit_id) if kit_id is not None else None
        if kit_id is not None and kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        if visit["status"] != "planned":
            return _refused(
                f"Visit {visit['number']} of {self.subjects[visit['subject_id']]['code']} is {visit['status']}."
            )
        if not self._due_next(visit):
            return _refused(f"An earlier visit of {self.subjects[visit['subject_id']]['code']} is still planned.")
        if not (
            not came
            or _plus_days(visit["due_on"], -4) <= self.now[:10]
            and self.now[:10] <= _plus_days(visit["due_on"], 4)
        ):
            return _refused(
                f"Visit {visit['number']} of {self.subjects[visit['subject_id']]['code']} is due on "
                f"{visit['due_on']}, four days more or less."
            )
        if not (came or self.now[:10] > _plus_days(visit["due_on"], 4)):
            return _refused(
                f"{self.subjects[visit['subject_id']]['code']} can still come until {_plus_days(visit['due_on'], 4)}."
            )
        if not (not came or self._up_to_date(self.subjects[visit["subject_id"]], self.now[:10])):
            return _refused(f"{self.subjects[visit['subject_id']]['code']} must sign the newest consent form first.")
        if not (kit_id is None or came and visit["number"] < 4):
            return _refused("No kit is given with a visit that was missed or is the last.")
        if kit_id is not None and self._held(self.subjects[visit["subject_id"]]):
            return _refused(f"The treatment of {self.subjects[visit['subject_id']]['code']} is held.")
        if not (
            kit_id is not None
            or not came
            or visit["number"] == 4
            or self._held(self.subjects[visit["subject_id"]])
        ):
            return _refused("Name the kit that was given.")
        if not (kit_id is None or self._gives(kit, self.subjects[visit["subject_id"]], self.now[:10])):
            return _refused(
                f"That kit cannot be given to {self.subjects[visit['subject_id']]['code']}; the system names one "
                f"that can, if there is one at {self.sites[self.subjects[visit['subject_id']]['site_id']]['name']}."
            )
        self._journal = []
        changed_visits: list[Any] = []
        changed_visits_2: list[Any] = []
        changed_kits: list[Any] = []
        changed_kits_2: list[Any] = []
        changed_subjects: list[Any] = []
        if came:
            changed_visits.append(visit)
            self._put("visits", visit, "done_on", self.now[:10])
            changed_visits_2.append(visit)
            self._put("visits", visit, "status", "done")
            if kit_id is not None:
                changed_kits.append(kit)
                self._put("kits", kit, "subject_id", visit["subject_id"])
                changed_kits_2.append(kit)
                self._put("kits", kit, "given_on", self.now[:10])
            if visit["number"] == 4:
                subject = self.subjects[visit["subject_id"]]
                if subject["status"] not in ("randomised", "completed"):
                    return self._take_back(
                        f"Subject {subject['code']} cannot go from {subject['status']} to completed."
                    )
                changed_subjects.append(subject)
                self._put("subjects", subject, "status", "completed")
        else:
            if visit["status"] not in ("planned", "missed"):
                return self._take_back(f"Visit {visit['id']} cannot go from {visit['status']} to missed.")
            changed_visits_2.append(visit)
            self._put("visits", visit, "status", "missed")
        for one_allocation in _distinct(
            [user for one in changed_subjects for user in self._allocations_by_subject.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_a_again(one_allocation):
                return self._take_back(RULES[0])
        for one_kit in _distinct([*changed_kits, *changed_kits_2]):
            if self._breaks_rule_4(one_kit):
                return self._take_back(RULES[3])
        for one_visit in _distinct([*changed_visits, *changed_visits_2]):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(changed_visits_2):
            if self._breaks_rule_7_a(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(changed_visits_2):
            if self._breaks_rule_7_b(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(
            [
                *changed_visits_2,
                *[user for one in changed_subjects for user in self._visits_by_subject.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        done = f"record visit {visit['number']} of {self.subjects[visit['subject_id']]['code']}"
        if kit is not None:
            done += f" with kit {kit['number']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def ship_kit(self, kit_id: str, site_id: str) -> Result:
        """Ship a kit from the depot to a site.

        Args:
            kit_id (str): Id of the kit, such as KIT-00001.
            site_id (str): Id of the site, such as SITE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        kit = self.kits.get(kit_id)
        if kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if kit["site_id"] is not None:
            return _refused(f"Kit {kit['number']} is at {self.sites[kit['site_id']]['name']}.")
        if kit["expires"] <= self.now[:10]:
            return _refused(f"Kit {kit['number']} expires on {kit['expires']}.")
        self._journal = []
        self._put("kits", kit, "site_id", site_id)
        if self._breaks_rule_4(kit):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: ship kit {kit['number']} to {site['name']}.",
            "data": self._changes(),
        }

    def report_event(
        self,
        subject_id: str,
        kind: Literal["headache", "rash", "fever", "fall", "raised_liver_values", "chest_pain"],
        grade: Annotated[int, {"minimum": 1, "maximum": 4}],
        serious: bool,
    ) -> Result:
        """Report an adverse event of a subject; from grade 3 on treatment is held until it is resolved.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            kind (str): What happened to the subject: headache, rash, fever, fall, raised_liver_values or
                chest_pain.
            grade (int): Severity, where 1 is mild and 4 life-threatening, from 1 to 4.
            serious (bool): Whether the event is serious under trial rules, always so at grade 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        if subject["status"] not in ("randomised", "completed"):
            return _refused(f"{subject['code']} is {subject['status']}.")
        if not (grade < 4 or serious):
            return _refused("An event of grade 4 is serious.")
        if self._events_by_subject_kind_status.get((subject_id, kind, "open"), {}):
            return _refused(f"That event of {subject['code']} is open already.")
        self._journal = []
        event: Event = {
            "id": self._new_id("event", "EVENT", self.events),
            "subject_id": subject_id,
            "kind": kind,
            "grade": grade,
            "serious": serious,
            "began_on": self.now[:10],
            "notified_on": None,
            "status": "open",
        }
        self._add("events", event)
        if self._breaks_rule_9(event):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(event):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.subjects[event["subject_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: report {kind} of grade {grade} for {subject['code']} (new: event {event['id']}).",
            "data": {"event_id": event["id"], **self._changes()},
        }

    def notify_event(self, event_id: str) -> Result:
        """Note that the sponsor was notified of a serious event.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if not event["serious"]:
            return _refused(f"The event of {self.subjects[event['subject_id']]['code']} is not serious.")
        if event["notified_on"] is not None:
            return _refused(f"The sponsor was notified on {event['notified_on']}.")
        self._journal = []
        self._put("events", event, "notified_on", self.now[:10])
        if self._breaks_rule_9(event):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: note that the sponsor knows of the event of {self.subjects[event['subject_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def resolve_event(self, event_id: str) -> Result:
        """Record that an event is over; of a serious one the sponsor must know.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "open":
            return _refused(f"The event of {self.subjects[event['subject_id']]['code']} is {event['status']}.")
        if event["serious"] and event["notified_on"] is None:
            return _refused("The sponsor has not been notified yet.")
        self._journal = []
        self._put("events", event, "status", "resolved")
        if self._breaks_rule_9(event):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: resolve the event of {self.subjects[event['subject_id']]['code']}.",
            "data": self._changes(),
        }

    def unblind_subject(self, subject_id: str, reason: Text) -> Result:
        """Break the blind of a subject with an open serious event of grade 3 or 4, in an emergency at once; the
        sponsor is notified of the event before or after, and the arm can be looked up then.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            reason (str): Why the treatment must be known.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        if subject["unblinded_for"] is not None:
            return _refused(f"{subject['code']} was unblinded already.")
        if self._place_of(subject) is None:
            return _refused(f"{subject['code']} was never randomised.")
        if not self._grave(subject):
            return _refused(f"{subject['code']} has no open serious event of grade 3 or 4.")
        self._journal = []
        self._put("subjects", subject, "unblinded_for", reason)
        if self._breaks_rule_11(subject):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: unblind {subject['code']} with the reason {reason}.",
            "data": self._changes(),
        }

    def withdraw_subject(self, subject_id: str) -> Result:
        """Take a subject out of the trial, as a screening failure or as a withdrawal that cancels the visits ahead.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        if subject["status"] not in ("screened", "randomised"):
            return _refused(f"{subject['code']} is {subject['status']}.")
        self._journal = []
        changed_visits: list[Any] = []
        for v in sorted(self._visits_by_subject_status.get((subject_id, "planned"), {}).values(), key=_age):
            if v["status"] not in ("planned", "cancelled"):
                return self._take_back(f"Visit {v['id']} cannot go from {v['status']} to cancelled.")
            changed_visits.append(v)
            self._put("visits", v, "status", "cancelled")
        status = "failed" if subject["status"] == "screened" else "withdrawn"
        if subject["status"] != status and (subject["status"], status) not in SUBJECT_STATUS_MOVES:
            return self._take_back(f"Subject {subject['code']} cannot go from {subject['status']} to {status}.")
        self._put("subjects", subject, "status", status)
        for one_allocation in _distinct(self._allocations_by_subject.get(subject["id"], {}).values()):
            if self._breaks_rule_1_a_again(one_allocation):
                return self._take_back(RULES[0])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_7_a(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_7_b(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct([*changed_visits, *self._visits_by_subject.get(subject["id"], {}).values()]):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take {subject['code']} out of the trial.",
            "data": self._changes(),
        }

    def _show_site(self, site: Site) -> dict[str, Any]:
        """The site as an answer shows it."""
        return {**site, "enrolled": self._site_enrolled(site)}

    def _show_subject(self, subject: Subject) -> dict[str, Any]:
        """The subject as an answer shows it."""
        return {**subject, "next_kit_id": _id_of(self._subject_next_kit(subject))}

    def _names_of_subjects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that subjects point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.consent_forms, "version", [row["consent_id"] for row in shown]),
            (self.kits, "number", [row["next_kit_id"] for row in shown]),
        )

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names((self.subjects, "code", [row["subject_id"] for row in shown]))

    def _names_of_kits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that kits point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.subjects, "code", [row["subject_id"] for row in shown]),
        )

    def _names_of_events(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that events point to."""
        return _names((self.subjects, "code", [row["subject_id"] for row in shown]))

    def _site_enrolled(self, site: Site) -> int:
        """The enrolled of a site."""
        return sum(1 for a in self._allocations_by_site.get(site["id"], {}).values() if a["subject_id"] is not None)

    def _subject_next_kit(self, subject: Subject) -> Kit | None:
        """The next kit of a subject."""
        return min(
            (
                k
                for k in self._kits_by_site.get(subject["site_id"], {}).values()
                if self._gives(k, subject, self.now[:10])
            ),
            key=lambda k: (k["expires"], k["number"], _age(k)),
            default=None,
        )

    def _arm_of(self, k: Kit) -> str | None:
        return next(
            (c["arm"] for c in sorted(self._packing_entries_by_kit.get(k["id"], {}).values(), key=_age)),
            None,
        )

    def _gives(self, k: Kit, s: Subject, d: str) -> bool:
        return (
            k["site_id"] == s["site_id"]
            and k["subject_id"] is None
            and k["expires"] >= d
            and any(a["arm"] == self._arm_of(k) for a in self._allocations_by_subject.get(s["id"], {}).values())
        )

    def _up_to_date(self, s: Subject, d: str) -> bool:
        return (
            s["consent_id"] is not None
            and not any(
                f["valid_from"] > self.consent_forms[s["consent_id"]]["valid_from"]
                for f in self.consent_forms.values()
                if f["valid_from"] <= d
            )
        )

    def _place_of(self, s: Subject) -> Allocation | None:
        return next((a for a in sorted(self._allocations_by_subject.get(s["id"], {}).values(), key=_age)), None)

    def _next_place(self, s: Subject) -> Allocation | None:
        return min(
            (
                a
                for a in self._allocations_by_site_age.get((s["site_id"], s["age"]), {}).values()
                if a["subject_id"] is None
            ),
            key=lambda a: (a["number"], _age(a)),
            default=None,
        )

    def _held(self, s: Subject) -> bool:
        return (
            s["unblinded_for"] is not None
            or any(e["grade"] >= 3 for e in self._events_by_subject_status.get((s["id"], "open"), {}).values())
        )

    def _due_next(self, v: Visit) -> bool:
        return (
            v["status"] == "planned"
            and not any(
                w["number"] < v["number"]
                for w in self._visits_by_subject_status.get((v["subject_id"], "planned"), {}).values()
            )
        )

    def _grave(self, s: Subject) -> bool:
        return any(
            e["grade"] >= 3
            for e in self._events_by_subject_status.get((s["id"], "open"), {}).values()
            if e["serious"]
        )

    def _breaks_rule_1_a(self, a: Allocation) -> bool:
        """Whether this is broken: a subject has one place on the randomisation lists, on the list of the own site and
        age group.
        """
        return (
            a["subject_id"] is not None
            and any(
                other_a is not a
                for other_a in self._allocations_by_subject.get(a["subject_id"], {}).values()
                if other_a["subject_id"] is not None
            )
        )

    def _breaks_rule_1_a_again(self, a: Allocation) -> bool:
        """Whether this is broken: a subject has one place on the randomisation lists, on the list of the own site and
        age group.
        """
        return not (
            a["subject_id"] is None
            or self.subjects[a["subject_id"]]["site_id"] == a["site_id"]
            and self.subjects[a["subject_id"]]["age"] == a["age"]
            and self.subjects[a["subject_id"]]["status"] != "screened"
        )

    def _breaks_rule_2_a(self, a: Allocation) -> bool:
        """Whether this is broken: the places of a list are used in order."""
        return any(
            a["subject_id"] is None
            and b["subject_id"] is not None
            and a["number"] <= b["number"]
            for b in self._allocations_by_site_age.get((a["site_id"], a["age"]), {}).values()
        )

    def _breaks_rule_2_b(self, b: Allocation) -> bool:
        """Whether this is broken: the places of a list are used in order."""
        return any(
            a["subject_id"] is None
            and b["subject_id"] is not None
            and a["number"] <= b["number"]
            for a in self._allocations_by_site_age.get((b["site_id"], b["age"]), {}).values()
        )

    def _breaks_rule_3(self, s: Site) -> bool:
        """Whether this is broken: a site never enrols more subjects than its target."""
        return self._site_enrolled(s) > s["target"]

    def _breaks_rule_4(self, k: Kit) -> bool:
        """Whether this is broken: a kit is given at the site where it is, within its time and to a subject of its
        arm.
        """
        return not (
            k["subject_id"] is None
            or k["site_id"] is not None
            and k["site_id"] == self.subjects[k["subject_id"]]["site_id"]
            and k["given_on"] is not None
            and k["given_on"] <= k["expires"]
            and any(
                a["arm"] == self._arm_of(k)
                for a in self._allocations_by_subject.get(k["subject_id"], {}).values()
            )
        )

    def _breaks_rule_5(self, v: Visit) -> bool:
        """Whether this is broken: a visit is done within four days of its due date."""
        return not (
            (v["done_on"] is not None) == (v["status"] == "done")
            and (
                v["done_on"] is None
                or _plus_days(v["due_on"], -4) <= v["done_on"]
                and v["done_on"] <= _plus_days(v["due_on"], 4)
            )
        )

    def _breaks_rule_6(self, v: Visit) -> bool:
        """Whether this is broken: a visit is done only under the consent that was the newest on that day."""
        return not (
            v["done_on"] is None
            or self.subjects[v["subject_id"]]["consent_id"] is not None
            and not any(
                f["valid_from"] > self.consent_forms[self.subjects[v["subject_id"]]["consent_id"]]["valid_from"]
                for f in self.consent_forms.values()
                if f["valid_from"] <= v["done_on"]
            )
        )

    def _breaks_rule_7_v(self, v: Visit) -> bool:
        """Whether this is broken: visits are done in order, and each once."""
        return any(
            other_v is not v
            for other_v in self._visits_by_subject.get(v["subject_id"], {}).values()
            if other_v["number"] == v["number"]
        )

    def _breaks_rule_7_a(self, a: Visit) -> bool:
        """Whether this is broken: visits are done in order, and each once."""
        return any(
            a["number"] <= b["number"]
            and a["status"] == "planned"
            and b["status"] != "planned"
            and b["status"] != "cancelled"
            and a is not b
            for b in self._visits_by_subject.get(a["subject_id"], {}).values()
        )

    def _breaks_rule_7_b(self, b: Visit) -> bool:
        """Whether this is broken: visits are done in order, and each once."""
        return any(
            a["number"] <= b["number"]
            and a["status"] == "planned"
            and b["status"] != "planned"
            and b["status"] != "cancelled"
            and a is not b
            for a in self._visits_by_subject.get(b["subject_id"], {}).values()
        )

    def _breaks_rule_8(self, v: Visit) -> bool:
        """Whether this is broken: who has left the trial or completed it has no visit ahead."""
        return v["status"] == "planned" and self.subjects[v["subject_id"]]["status"] != "randomised"

    def _breaks_rule_9(self, e: Event) -> bool:
        """Whether this is broken: a serious event is resolved only after the sponsor was notified."""
        return e["serious"] and e["status"] == "resolved" and e["notified_on"] is None

    def _breaks_rule_10(self, e: Event) -> bool:
        """Whether this is broken: an event of grade 4 is serious."""
        return e["grade"] == 4 and not e["serious"]

    def _breaks_rule_11(self, s: Subject) -> bool:
        """Whether this is broken: only subjects with a serious event of grade 3 or 4 are unblinded."""
        return not (
            s["unblinded_for"] is None
            or any(e["serious"] and e["grade"] >= 3 for e in self._events_by_subject.get(s["id"], {}).values())
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
            case "consent_forms":
                self._consent_forms_by_lower_version.setdefault(record["version"].lower(), {})[record["id"]] = record
                self._consent_forms_by_version.setdefault(record["version"], {})[record["id"]] = record
            case "subjects":
                self._subjects_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._subjects_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
            case "allocations":
                self._allocations_by_site.setdefault(record["site_id"], {})[record["id"]] = record
                self._allocations_by_site_age.setdefault((record["site_id"], record["age"]), {})[record["id"]] = record
                self._allocations_by_subject.setdefault(record["subject_id"], {})[record["id"]] = record
            case "visits":
                self._visits_by_subject.setdefault(record["subject_id"], {})[record["id"]] = record
                self._visits_by_subject_status.setdefault(
                    (record["subject_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "kits":
                self._kits_by_site.setdefault(record["site_id"], {})[record["id"]] = record
                self._kits_by_subject.setdefault(record["subject_id"], {})[record["id"]] = record
            case "packing_entries":
                self._packing_entries_by_kit.setdefault(record["kit_id"], {})[record["id"]] = record
            case "events":
                self._events_by_subject.setdefault(record["subject_id"], {})[record["id"]] = record
                self._events_by_subject_kind_status.setdefault(
                    (record["subject_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._events_by_subject_status.setdefault(
                    (record["subject_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "consent_forms":
                del self._consent_forms_by_lower_version[record["version"].lower()][record["id"]]
                del self._consent_forms_by_version[record["version"]][record["id"]]
            case "subjects":
                del self._subjects_by_code[record["code"]][record["id"]]
                del self._subjects_by_lower_code[record["code"].lower()][record["id"]]
            case "allocations":
                del self._allocations_by_site[record["site_id"]][record["id"]]
                del self._allocations_by_site_age[record["site_id"], record["age"]][record["id"]]
                del self._allocations_by_subject[record["subject_id"]][record["id"]]
            case "visits":
                del self._visits_by_subject[record["subject_id"]][record["id"]]
                del self._visits_by_subject_status[record["subject_id"], record["status"]][record["id"]]
            case "kits":
                del self._kits_by_site[record["site_id"]][record["id"]]
                del self._kits_by_subject[record["subject_id"]][record["id"]]
            case "packing_entries":
                del self._packing_entries_by_kit[record["kit_id"]][record["id"]]
            case "events":
                del self._events_by_subject[record["subject_id"]][record["id"]]
                del self._events_by_subject_kind_status[
                    record["subject_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._events_by_subject_status[record["subject_id"], record["status"]][record["id"]]
