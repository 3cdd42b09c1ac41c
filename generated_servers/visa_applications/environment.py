"""Visa applications. Compiled from blueprint.yaml; run `envscaler build visa_applications` after changing it there.

Takes visa applications from the checklist of documents and the biometric appointment to the decision of an
officer and, where needed, a second signature, within yearly quotas, until the visa expires.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No quota grants more visas than it has places.",
    "A person has one application open at a time.",
    "A lodged application holds every document of the checklist of its type.",
    "Nobody's application is lodged before the fingerprints were taken.",
    "A lodged application lies with an officer of the grade of its type.",
    "No officer has more files than they may keep.",
    "A visa that needs a second signature was signed by another officer than the one who proposed it.",
    "A granted visa has a last day, at least 90 days before the passport ends.",
    "A dependant has a visa only as long as the main applicant has one.",
    "An application has one appointment at a time.",
    "An appointment that is free has no applicant, and any other has one.",
    "A document of a kind is accepted once for an application.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_application",
    "file_documents",
    "reject_document",
    "book_slot",
    "record_slot",
    "lodge_application",
    "hand_file",
    "decide_application",
    "countersign",
    "end_application",
    "transfer_places",
)
"""The methods that may change something; all others only read."""

APPLICATION_STATUS_MOVES = {
    ("collecting", "lodged"),
    ("collecting", "withdrawn"),
    ("lodged", "collecting"),
    ("lodged", "proposed"),
    ("lodged", "granted"),
    ("lodged", "refused"),
    ("lodged", "withdrawn"),
    ("proposed", "lodged"),
    ("proposed", "granted"),
    ("granted", "expired"),
    ("granted", "revoked"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "visa_types": ("name",),
    "quotas": ("code",),
    "people": ("name",),
    "officers": ("name",),
    "applications": ("file",),
    "documents": (),
    "slots": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("applications", "file"),
    ("applications", "main_id"),
    ("applications", "officer_id"),
    ("applications", "person_id"),
    ("applications", "quota_id"),
    ("applications", "receipt"),
    ("applications", "status"),
    ("documents", "application_id"),
    ("documents", "kind"),
    ("documents", "status"),
    ("slots", "application_id"),
    ("slots", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class VisaType(TypedDict):
    id: str
    name: str
    needs: list[
        Literal[
            "insurance",
            "contract",
            "police_certificate",
            "admission",
            "bank_statement",
            "marriage_certificate",
            "invitation",
        ]
    ]
    valid_days: int
    grade: int
    second_signature: bool


class Quota(TypedDict):
    id: str
    code: str
    type_id: str
    year: int
    places: int


class Person(TypedDict):
    id: str
    name: str
    passport_until: str


class Officer(TypedDict):
    id: str
    name: str
    grade: int
    most_files: int
    away: bool


class Application(TypedDict):
    id: str
    file: str
    person_id: str
    quota_id: str
    main_id: str | None
    officer_id: str | None
    signed_by_id: str | None
    lodged_on: str | None
    valid_until: str | None
    reason: str | None
    receipt: str | None
    revoked_on: str | None
    status: Literal["collecting", "lodged", "withdrawn", "proposed", "granted", "refused", "expired", "revoked"]


class Document(TypedDict):
    id: str
    application_id: str
    kind: Literal[
        "insurance",
        "contract",
        "police_certificate",
        "admission",
        "bank_statement",
        "marriage_certificate",
        "invitation",
    ]
    issued_on: str
    status: Literal["accepted", "rejected"]


class Slot(TypedDict):
    id: str
    at: str
    desk: int
    application_id: str | None
    status: Literal["free", "booked", "done", "missed"]


class FileDocumentsPaper(TypedDict):
    kind: Literal[
        "insurance",
        "contract",
        "police_certificate",
        "admission",
        "bank_statement",
        "marriage_certificate",
        "invitation",
    ]
    issued_on: Date


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


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


class VisaApplications:
    """Takes visa applications from the checklist of documents and the biometric appointment to the
    decision of an officer and, where needed, a second signature, within yearly quotas, until the visa
    expires.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.visa_types: dict[str, VisaType] = _copied(config.get("visa_types", {}))
        self.quotas: dict[str, Quota] = _copied(config.get("quotas", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.officers: dict[str, Officer] = _copied(config.get("officers", {}))
        self.applications: dict[str, Application] = _copied(config.get("applications", {}))
        self.documents: dict[str, Document] = _copied(config.get("documents", {}))
        self.slots: dict[str, Slot] = _copied(config.get("slots", {}))
        self.now: str = config.get("now", "2026-09-07T08:30")
        self.counters: dict[str, int] = {
            "visa_type": len(self.visa_types),
            "quota": len(self.quotas),
            "person": len(self.people),
            "officer": len(self.officers),
            "application": len(self.applications),
            "document": len(self.documents),
            "slot": len(self.slots),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._applications_by_file: dict[Any, dict[str, Application]] = {}
        self._applications_by_lower_file: dict[Any, dict[str, Application]] = {}
        self._applications_by_main: dict[Any, dict[str, Application]] = {}
        self._applications_by_main_status: dict[Any, dict[str, Application]] = {}
        self._applications_by_officer: dict[Any, dict[str, Application]] = {}
        self._applications_by_person: dict[Any, dict[str, Application]] = {}
        self._applications_by_person_status: dict[Any, dict[str, Application]] = {}
        self._applications_by_quota: dict[Any, dict[str, Application]] = {}
        self._applications_by_receipt: dict[Any, dict[str, Application]] = {}
        self._documents_by_application: dict[Any, dict[str, Document]] = {}
        self._documents_by_application_kind_status: dict[Any, dict[str, Document]] = {}
        self._documents_by_application_status: dict[Any, dict[str, Document]] = {}
        self._slots_by_application: dict[Any, dict[str, Slot]] = {}
        self._slots_by_application_status: dict[Any, dict[str, Slot]] = {}
        for application in self.applications.values():
            self._link("applications", application)
        for document in self.documents.values():
            self._link("documents", document)
        for slot in self.slots.values():
            self._link("slots", slot)

    def checklist(self, application_id: str) -> Result:
        """The documents that an application still lacks, and whether the fingerprints were taken.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.

        Returns:
            dict: {"success": True, "data": {status, missing, too_old, fingerprints, passport_until}} or
                {"success": False, "error": why not}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        return _found(
            {
                "status": application["status"],
                "missing": [
                    *[
                        k
                        for k in self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["needs"]
                        if not self._holds(application, k)
                    ]
                ],
                "too_old": [
                    *[
                        d["kind"]
                        for d in sorted(
                            self._documents_by_application_status.get((application_id, "accepted"), {}).values(),
                            key=_age,
                        )
                        if _days_between(d["issued_on"], self.now[:10]) > self._keeps_for(d["kind"])
                    ]
                ],
                "fingerprints": self._has_been(application),
                "passport_until": self.people[application["person_id"]]["passport_until"],
            }
        )

    def free_slots(
        self,
        until: Date,
        desk: Annotated[int, {"minimum": 1, "maximum": 3}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Appointments that can still be booked, earliest first.

        Args:
            until (str): Last day of appointments to include, as YYYY-MM-DD.
            desk (int, optional): Number of the desk, from 1 to 3. If left out, appointments at all desks are
                listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}} or {"success": False, "error": why
                not}
        """
        found = [
            s
            for s in self.slots.values()
            if (s["status"] == "free" and s["at"] > self.now and s["at"][:10] <= until)
            and (desk is None or s["desk"] == desk)
        ]
        found.sort(key=lambda s: (s["at"], s["desk"], _age(s)))
        return _found(
            {
                "total": len(found),
                "slots": [{"id": s["id"], "at": s["at"], "desk": s["desk"]} for s in _page(found, offset)],
            }
        )

    def officers_for(
        self,
        application_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Officers who could take an application, those with the fewest files first.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officers": records}} or {"success": False, "error": why
                not}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        found = [o for o in self.officers.values() if self._may_take(o, application)]
        found.sort(key=lambda o: (self._officer_files(o), o["name"], _age(o)))
        return _found(
            {
                "total": len(found),
                "officers": [
                    {"id": o["id"], "name": o["name"], "grade": o["grade"], "files": self._officer_files(o)}
                    for o in _page(found, offset)
                ],
            }
        )

    def waiting_files(
        self,
        officer_id: str | None = None,
        status: Literal["lodged", "proposed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lodged applications and proposals, the longest waiting first.

        Args:
            officer_id (str, optional): Officer who has the files; an id such as OFFICER-00001. If left out, files
                of all officers are listed.
            status (str, optional): Status of the files: lodged or proposed. If left out, both lodged and proposed
                ones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}} or {"success": False, "error":
                why not}
        """
        officer = self.officers.get(officer_id) if officer_id is not None else None
        if officer_id is not None and officer is None:
            return _refused(f"There is no officer {officer_id!r}.")
        found = [
            a
            for a in self.applications.values()
            if a["status"] in ("lodged", "proposed")
            and (officer_id is None or a["officer_id"] == officer_id)
            and (status is None or a["status"] == status)
        ]
        found.sort(
            key=lambda a: (a["lodged_on"] if a["lodged_on"] is not None else self.now[:10], a["file"], _age(a))
        )
        return _found(
            {
                "total": len(found),
                "applications": [
                    {
                        "id": a["id"],
                        "file": a["file"],
                        "person": self.people[a["person_id"]]["name"],
                        "type": self.visa_types[self.quotas[a["quota_id"]]["type_id"]]["name"],
                        "lodged_on": a["lodged_on"],
                        "status": a["status"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_visa_types(
        self,
        name: Text | None = None,
        second_signature: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visa types, oldest first, all of them or only some.

        Args:
            name (str, optional): Only visa types whose name contains this text.
            second_signature (bool, optional): Only visa types with this value of `second_signature`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visa_types": records}}
        """
        found = [
            visa_type
            for visa_type in self.visa_types.values()
            if (name is None or name.casefold() in visa_type["name"].casefold())
            and (second_signature is None or visa_type["second_signature"] == second_signature)
        ]
        return _found(
            {
                "total": len(found),
                "visa_types": [self._show_visa_type(visa_type) for visa_type in _page(found, offset)],
            }
        )

    def list_quotas(
        self,
        code: Text | None = None,
        type_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the quotas, oldest first, all of them or only some.

        Args:
            code (str, optional): Only quotas whose code contains this text.
            type_id (str, optional): Only quotas whose type is this visa type.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "quotas": records}}
        """
        if type_id is not None and type_id not in self.visa_types:
            return _refused(f"There is no visa type {type_id!r}.")
        found = [
            quota
            for quota in self.quotas.values()
            if (code is None or code.casefold() in quota["code"].casefold())
            and (type_id is None or quota["type_id"] == type_id)
        ]
        shown = [self._show_quota(quota) for quota in _page(found, offset)]
        return _found({"total": len(found), "quotas": shown}, self._names_of_quotas(shown))

    def list_people(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_officers(
        self,
        name: Text | None = None,
        away: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the officers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only officers whose name contains this text.
            away (bool, optional): Only officers with this value of `away`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officers": records}}
        """
        found = [
            officer
            for officer in self.officers.values()
            if (name is None or name.casefold() in officer["name"].casefold())
            and (away is None or officer["away"] == away)
        ]
        return _found(
            {"total": len(found), "officers": [self._show_officer(officer) for officer in _page(found, offset)]}
        )

    def list_applications(
        self,
        file: Text | None = None,
        person_id: str | None = None,
        quota_id: str | None = None,
        main_id: str | None = None,
        officer_id: str | None = None,
        signed_by_id: str | None = None,
        status: Literal[
            "collecting",
            "lodged",
            "withdrawn",
            "proposed",
            "granted",
            "refused",
            "expired",
            "revoked",
        ] | None = None,
        lodged_on_from: Date | None = None,
        lodged_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applications, oldest first, all of them or only some.

        Args:
            file (str, optional): Only applications whose file contains this text.
            person_id (str, optional): Only applications of this person.
            quota_id (str, optional): Only applications of this quota.
            main_id (str, optional): Only applications whose main is this application.
            officer_id (str, optional): Only applications of this officer.
            signed_by_id (str, optional): Only applications signed by this officer.
            status (str, optional): Only applications with this status.
            lodged_on_from (str, optional): Only applications whose `lodged_on` is on this day or later.
            lodged_on_to (str, optional): Only applications whose `lodged_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if quota_id is not None and quota_id not in self.quotas:
            return _refused(f"There is no quota {quota_id!r}.")
        if main_id is not None and main_id not in self.applications:
            return _refused(f"There is no application {main_id!r}.")
        if officer_id is not None and officer_id not in self.officers:
            return _refused(f"There is no officer {officer_id!r}.")
        if signed_by_id is not None and signed_by_id not in self.officers:
            return _refused(f"There is no officer {signed_by_id!r}.")
        found = [
            application
            for application in self.applications.values()
            if (file is None or file.casefold() in application["file"].casefold())
            and (person_id is None or application["person_id"] == person_id)
            and (quota_id is None or application["quota_id"] == quota_id)
            and (main_id is None or application["main_id"] == main_id)
            and (officer_id is None or application["officer_id"] == officer_id)
            and (signed_by_id is None or application["signed_by_id"] == signed_by_id)
            and (status is None or application["status"] == status)
            and (
                lodged_on_from is None
                or (application["lodged_on"] is not None and application["lodged_on"] >= lodged_on_from)
            )
            and (
                lodged_on_to is None
                or (application["lodged_on"] is not None and application["lodged_on"] <= lodged_on_to)
            )
        ]
        shown = [{**application} for application in _page(found, offset)]
        return _found({"total": len(found), "applications": shown}, self._names_of_applications(shown))

    def list_documents(
        self,
        application_id: str | None = None,
        kind: Literal[
            "insurance",
            "contract",
            "police_certificate",
            "admission",
            "bank_statement",
            "marriage_certificate",
            "invitation",
        ] | None = None,
        status: Literal["accepted", "rejected"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the documents, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only documents of this application.
            kind (str, optional): Only documents with this kind.
            status (str, optional): Only documents with this status.
            issued_on_from (str, optional): Only documents whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only documents whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "documents": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        found = [
            document
            for document in self.documents.values()
            if (application_id is None or document["application_id"] == application_id)
            and (kind is None or document["kind"] == kind)
            and (status is None or document["status"] == status)
            and (issued_on_from is None or document["issued_on"] >= issued_on_from)
            and (issued_on_to is None or document["issued_on"] <= issued_on_to)
        ]
        shown = [{**document} for document in _page(found, offset)]
        return _found({"total": len(found), "documents": shown}, self._names_of_documents(shown))

    def list_slots(
        self,
        application_id: str | None = None,
        status: Literal["free", "booked", "done", "missed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slots, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only slots of this application.
            status (str, optional): Only slots with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        found = [
            slot
            for slot in self.slots.values()
            if (application_id is None or slot["application_id"] == application_id)
            and (status is None or slot["status"] == status)
        ]
        shown = [{**slot} for slot in _page(found, offset)]
        return _found({"total": len(found), "slots": shown}, self._names_of_slots(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_application(self, file: Text, person_id: str, quota_id: str, main_id: str | None = None) -> Result:
        """Open an application of a person under a quota, for a dependant together with the application of the main
        applicant.

        Args:
            file (str): New file number of the application, not used before.
            person_id (str): Id of the person, such as PERSON-00001.
            quota_id (str): Id of the quota, such as QUOTA-00001.
            main_id (str, optional): Application of the main applicant, where the person is a dependant; an id such
                as APPLICATION-00001. If left out, the person applies as a main applicant.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        quota = self.quotas.get(quota_id)
        if quota is None:
            return _refused(f"There is no quota {quota_id!r}.")
        main = self.applications.get(main_id) if main_id is not None else None
        if main_id is not None and main is None:
            return _refused(f"There is no application {main_id!r}.")
        if self._applications_by_lower_file.get(file.lower(), {}):
            return _refused(f"The file number {file} is in use.")
        other = next(
            (
                a
                for a in sorted(self._applications_by_person.get(person_id, {}).values(), key=_age)
                if self._open_file(a)
            ),
            None,
        )
        if other is not None:
            return _refused(f"{person['name']} has file {other['file']} open.")
        if self._applications_by_person_status.get((person_id, "granted"), {}):
            return _refused(f"{person['name']} holds a visa already.")
        bar = next(
            (
                a
                for a in sorted(self._applications_by_person.get(person_id, {}).values(), key=_age)
                if a["revoked_on"] is not None
                and _add_months(a["revoked_on"], 12) > self.now[:10]
            ),
            None,
        )
        if bar is not None:
            return _refused(f"The visa of {person['name']} on file {bar['file']} was revoked less than a year ago.")
        if person["passport_until"] < _plus_days(self.now[:10], 104):
            return _refused(
                f"The passport of {person['name']} ends on {person['passport_until']}, too early for a visa."
            )
        if not (
            main_id is None
            or main["person_id"] != person_id
            and main["main_id"] is None
            and main["status"] in ("collecting", "lodged", "proposed", "granted")
        ):
            return _refused("That application cannot be the main one of a dependant.")
        done = f"open file {file} for {person['name']} under {quota['code']}"
        if main is not None:
            done += f" as a dependant of {main['file']}"
        self._journal = []
        application: Application = {
            "id": self._new_id("application", "APPLICATION", self.applications),
            "file": file,
            "person_id": person_id,
            "quota_id": quota_id,
            "main_id": main_id,
            "officer_id": None,
            "signed_by_id": None,
            "lodged_on": None,
            "valid_until": None,
            "reason": None,
            "receipt": None,
            "revoked_on": None,
            "status": "collecting",
        }
        self._add("applications", application)
        if len(self._applications_by_file.get(application["file"], {})) > 1:
            return self._take_back(f"There is already an application with the file {application['file']!r}.")
        if (
            application["receipt"] is not None
            and len(self._applications_by_receipt.get(application["receipt"], {})) > 1
        ):
            return self._take_back(f"There is already an application with the receipt {application['receipt']!r}.")
        if self._breaks_rule_1(self.quotas[application["quota_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(application):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(application):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(application):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(application):
            return self._take_back(RULES[4])
        for one_officer in _distinct([self.officers.get(application["officer_id"])]):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_a(application):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a_again(application):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(application):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(application):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: {done} (new: application {application['id']}).",
            "data": {"application_id": application["id"], **self._changes()},
        }

    def file_documents(
        self,
        application_id: str,
        papers: Annotated[list[FileDocumentsPaper], {"maxItems": 20}],
    ) -> Result:
        """File documents that have come in for an application still being collected.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            papers (list): One entry for each document that came in: kind: kind of document, one that is needed and
                still missing: insurance, contract, police_certificate, admission, bank_statement,
                marriage_certificate or invitation; issued_on: day on which the document was issued, not too long
                ago, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "collecting":
            return _refused(f"File {application['file']} is {application['status']}.")
        if not (len(papers) > 0 and _different([p["kind"] for p in papers])):
            return _refused("Name at least one document, and each kind once.")
        stray = next(
            (
                p["kind"]
                for p in papers
                if p["kind"] not in self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["needs"]
            ),
            None,
        )
        if stray is not None:
            return _refused(
                f"{stray} is not on the checklist of "
                f"{self.visa_types[self.quotas[application['quota_id']]['type_id']]['name']}."
            )
        twice = next((p["kind"] for p in papers if self._holds(application, p["kind"])), None)
        if twice is not None:
            return _refused(f"File {application['file']} has an accepted {twice} already, so reject that first.")
        stale = next(
            (
                p
                for p in papers
                if (
                    p["issued_on"] > self.now[:10]
                    or _days_between(p["issued_on"], self.now[:10]) > self._keeps_for(p["kind"])
                )
            ),
            None,
        )
        if stale is not None:
            return _refused(
                f"The {stale['kind']} of {stale['issued_on']} is not accepted; it may be "
                f"{self._keeps_for(stale['kind'])} days old at most."
            )
        self._journal = []
        added_documents: list[Any] = []
        for p in sorted(papers, key=lambda p: (p["kind"],)):
            document = {
                "id": self._new_id("document", "DOCUMENT", self.documents),
                "application_id": application_id,
                "kind": p["kind"],
                "issued_on": p["issued_on"],
                "status": "accepted",
            }
            self._add("documents", document)
            added_documents.append(document)
        for one_application in _distinct([self.applications[one["application_id"]] for one in added_documents]):
            if self._breaks_rule_3(one_application):
                return self._take_back(RULES[2])
        for one_document in _distinct(added_documents):
            if self._breaks_rule_12(one_document):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: file {len(papers)} documents in {application['file']}.",
            "data": self._changes(),
        }

    def reject_document(self, document_id: str) -> Result:
        """Reject an accepted document; a lodged application goes back to being collected.

        Args:
            document_id (str): Id of the document, such as DOCUMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        document = self.documents.get(document_id)
        if document is None:
            return _refused(f"There is no document {document_id!r}.")
        if document["status"] != "accepted":
            return _refused(f"The {document['kind']} is {document['status']} already.")
        if self.applications[document["application_id"]]["status"] not in ("collecting", "lodged"):
            return _refused(
                f"File {self.applications[document['application_id']]['file']} is "
                f"{self.applications[document['application_id']]['status']}."
            )
        self._journal = []
        changed_applications: list[Any] = []
        former_officer_ids: list[Any] = []
        changed_applications_2: list[Any] = []
        self._put("documents", document, "status", "rejected")
        if self.applications[document["application_id"]]["status"] == "lodged":
            application = self.applications[document["application_id"]]
            self._put("applications", application, "lodged_on", None)
            its_application = self.applications[document["application_id"]]
            changed_applications.append(its_application)
            former_officer_ids.append(its_application["officer_id"])
            self._put("applications", its_application, "officer_id", None)
            its_application_2 = self.applications[document["application_id"]]
            if its_application_2["status"] not in ("collecting", "lodged"):
                return self._take_back(
                    f"Application {its_application_2['file']} cannot go from {its_application_2['status']} to "
                    "collecting."
                )
            changed_applications_2.append(its_application_2)
            self._put("applications", its_application_2, "status", "collecting")
        for one_quota in _distinct([self.quotas[one["quota_id"]] for one in changed_applications_2]):
            if self._breaks_rule_1(one_quota):
                return self._take_back(RULES[0])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_2(one_application):
                return self._take_back(RULES[1])
        for one_application in _distinct([self.applications[document["application_id"]], *changed_applications_2]):
            if self._breaks_rule_3(one_application):
                return self._take_back(RULES[2])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_4(one_application):
                return self._take_back(RULES[3])
        for one_application in _distinct([*changed_applications, *changed_applications_2]):
            if self._breaks_rule_5(one_application):
                return self._take_back(RULES[4])
        for one_officer in _distinct(
            [
                *[self.officers.get(one["officer_id"]) for one in changed_applications],
                *[self.officers.get(key) for key in former_officer_ids],
                *[self.officers.get(one["officer_id"]) for one in changed_applications_2],
            ]
        ):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_7_a(one_application):
                return self._take_back(RULES[6])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_7_a_again(one_application):
                return self._take_back(RULES[6])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_application in _distinct(
            [
                *changed_applications_2,
                *[
                    user
                    for one in changed_applications_2
                    for user in self._applications_by_main_status.get((one["id"], "granted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_application):
                return self._take_back(RULES[8])
        if self._breaks_rule_12(document):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: reject the {document['kind']} of {self.applications[document['application_id']]['file']}."
            ),
            "data": self._changes(),
        }

    def book_slot(self, application_id: str, slot_id: str) -> Result:
        """Book an appointment for the fingerprints, or another one instead of the one booked.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            slot_id (str): Id of the slot, such as SLOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if application["status"] != "collecting":
            return _refused(f"File {application['file']} is {application['status']}.")
        if slot["status"] != "free":
            return _refused(f"The appointment at {slot['at']} at desk {slot['desk']} is {slot['status']}.")
        if slot["at"] <= self.now:
            return _refused(f"{slot['at']} is over.")
        if self._has_been(application):
            return _refused(f"The fingerprints for file {application['file']} have been taken.")
        self._journal = []
        changed_slots: list[Any] = []
        former_application_ids: list[Any] = []
        changed_slots_2: list[Any] = []
        for s in sorted(self._slots_by_application_status.get((application_id, "booked"), {}).values(), key=_age):
            changed_slots.append(s)
            former_application_ids.append(s["application_id"])
            self._put("slots", s, "application_id", None)
            if s["status"] not in ("free", "booked"):
                return self._take_back(f"Slot {s['id']} cannot go from {s['status']} to free.")
            changed_slots_2.append(s)
            self._put("slots", s, "status", "free")
        former_application_id = slot["application_id"]
        self._put("slots", slot, "application_id", application_id)
        if slot["status"] not in ("free", "booked"):
            return self._take_back(f"Slot {slot['id']} cannot go from {slot['status']} to booked.")
        self._put("slots", slot, "status", "booked")
        for one_application in _distinct(
            [
                self.applications.get(slot["application_id"]),
                self.applications.get(former_application_id),
                *[self.applications.get(one["application_id"]) for one in changed_slots],
                *[self.applications.get(key) for key in former_application_ids],
                *[self.applications.get(one["application_id"]) for one in changed_slots_2],
            ]
        ):
            if self._breaks_rule_4(one_application):
                return self._take_back(RULES[3])
        for one_slot in _distinct([slot, *changed_slots, *changed_slots_2]):
            if self._breaks_rule_10(one_slot):
                return self._take_back(RULES[9])
        for one_slot in _distinct([slot, *changed_slots, *changed_slots_2]):
            if self._breaks_rule_11(one_slot):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: book the appointment at {slot['at']} for {application['file']}.",
            "data": self._changes(),
        }

    def record_slot(self, slot_id: str, came: bool) -> Result:
        """Note whether the applicant came to an appointment and the fingerprints were taken.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            came (bool): Whether the applicant came and gave fingerprints.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if slot["status"] != "booked":
            return _refused(f"The appointment at {slot['at']} at desk {slot['desk']} is {slot['status']}.")
        if slot["at"] > self.now:
            return _refused(f"The appointment is at {slot['at']} only.")
        self._journal = []
        changed_slots: list[Any] = []
        if came:
            changed_slots.append(slot)
            self._put("slots", slot, "status", "done")
        else:
            if slot["status"] not in ("booked", "missed"):
                return self._take_back(f"Slot {slot['id']} cannot go from {slot['status']} to missed.")
            changed_slots.append(slot)
            self._put("slots", slot, "status", "missed")
        for one_application in _distinct([self.applications.get(one["application_id"]) for one in changed_slots]):
            if self._breaks_rule_4(one_application):
                return self._take_back(RULES[3])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_10(one_slot):
                return self._take_back(RULES[9])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_11(one_slot):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: record the appointment at {slot['at']}.", "data": self._changes()}

    def lodge_application(self, application_id: str, officer_id: str, receipt: Text | None = None) -> Result:
        """Lodge a complete application with an officer of sufficient grade; the fee is paid once, so a receipt
        belongs to the first time only.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            officer_id (str): Id of the officer, such as OFFICER-00001.
            receipt (str, optional): Number of the fee receipt, only when lodged for the first time. If left out,
                the receipt noted the first time counts.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        officer = self.officers.get(officer_id)
        if officer is None:
            return _refused(f"There is no officer {officer_id!r}.")
        if application["status"] != "collecting":
            return _refused(f"File {application['file']} is {application['status']}.")
        missing = next(
            (
                k
                for k in self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["needs"]
                if not self._holds(application, k)
            ),
            None,
        )
        if missing is not None:
            return _refused(f"File {application['file']} lacks the {missing}.")
        stale = next(
            (
                d
                for d in sorted(
                    self._documents_by_application_status.get((application_id, "accepted"), {}).values(),
                    key=_age,
                )
                if _days_between(d["issued_on"], self.now[:10]) > self._keeps_for(d["kind"])
            ),
            None,
        )
        if stale is not None:
            return _refused(
                f"The {stale['kind']} of {stale['issued_on']} has become too old, so reject it and file a new one."
            )
        if not self._has_been(application):
            return _refused(f"The fingerprints for file {application['file']} have not been taken.")
        if receipt is None and application["receipt"] is None:
            return _refused(f"The fee for file {application['file']} has not been paid, so give the receipt.")
        if receipt is not None and application["receipt"] is not None:
            return _refused(
                f"The fee for file {application['file']} was paid when it was first lodged, so leave the receipt out."
            )
        if not (
            receipt is None
            or not any(a["receipt"] is not None for a in self._applications_by_receipt.get(receipt, {}).values())
        ):
            return _refused("That receipt belongs to another file.")
        if officer["away"]:
            return _refused(f"{officer['name']} is away.")
        if officer["grade"] < self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["grade"]:
            return _refused(
                f"{officer['name']} has grade {officer['grade']} and "
                f"{self.visa_types[self.quotas[application['quota_id']]['type_id']]['name']} wants "
                f"{self.visa_types[self.quotas[application['quota_id']]['type_id']]['grade']}."
            )
        if self._officer_files(officer) >= officer["most_files"]:
            return _refused(f"{officer['name']} has {self._officer_files(officer)} files and may keep no more.")
        self._journal = []
        former_officer_id = application["officer_id"]
        self._put("applications", application, "officer_id", officer_id)
        self._put(
            "applications",
            application,
            "receipt",
            application["receipt"] if application["receipt"] is not None else receipt,
        )
        self._put("applications", application, "lodged_on", self.now[:10])
        self._put("applications", application, "status", "lodged")
        if (
            application["receipt"] is not None
            and len(self._applications_by_receipt.get(application["receipt"], {})) > 1
        ):
            return self._take_back(f"There is already an application with the receipt {application['receipt']!r}.")
        if self._breaks_rule_1(self.quotas[application["quota_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(application):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(application):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(application):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(application):
            return self._take_back(RULES[4])
        for one_officer in _distinct(
            [self.officers.get(application["officer_id"]), self.officers.get(former_officer_id)]
        ):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_a(application):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a_again(application):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(application):
            return self._take_back(RULES[7])
        for one_application in _distinct(
            [application, *self._applications_by_main_status.get((application["id"], "granted"), {}).values()]
        ):
            if self._breaks_rule_9(one_application):
                return self._take_back(RULES[8])
        done = f"lodge {application['file']} with {officer['name']}"
        if receipt is not None:
            done += f" on receipt {receipt}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_file(self, application_id: str, officer_id: str) -> Result:
        """Hand a lodged application over to another officer.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            officer_id (str): Id of the officer, such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        officer = self.officers.get(officer_id)
        if officer is None:
            return _refused(f"There is no officer {officer_id!r}.")
        if application["status"] != "lodged":
            return _refused(f"File {application['file']} is {application['status']}.")
        if application["officer_id"] is not None and application["officer_id"] == officer_id:
            return _refused(f"{officer['name']} has file {application['file']} already.")
        if officer["away"]:
            return _refused(f"{officer['name']} is away.")
        if officer["grade"] < self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["grade"]:
            return _refused(
                f"{officer['name']} has grade {officer['grade']} and "
                f"{self.visa_types[self.quotas[application['quota_id']]['type_id']]['name']} wants "
                f"{self.visa_types[self.quotas[application['quota_id']]['type_id']]['grade']}."
            )
        if self._officer_files(officer) >= officer["most_files"]:
            return _refused(f"{officer['name']} has {self._officer_files(officer)} files and may keep no more.")
        self._journal = []
        former_officer_id = application["officer_id"]
        self._put("applications", application, "officer_id", officer_id)
        if self._breaks_rule_5(application):
            return self._take_back(RULES[4])
        for one_officer in _distinct(
            [self.officers.get(application["officer_id"]), self.officers.get(former_officer_id)]
        ):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_a_again(application):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: hand {application['file']} to {officer['name']}.",
            "data": self._changes(),
        }

    def decide_application(
        self,
        application_id: str,
        decision: Literal["grant", "refuse"],
        reason: Text | None = None,
    ) -> Result:
        """Decide a lodged application as its officer; a refusal gives a reason, and a grant that needs a second
        signature is a proposal until then.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            decision (str): Decision of the officer: grant or refuse.
            reason (str, optional): Why the visa is refused, for a refusal only. If left out, no reason is noted; a
                refusal needs one.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "lodged" or application["officer_id"] is None:
            return _refused(f"File {application['file']} is {application['status']}.")
        if self.officers[application["officer_id"]]["away"]:
            return _refused(
                f"{self.officers[application['officer_id']]['name']} is away, so hand the file over first."
            )
        if (decision == "refuse") != (reason is not None):
            return _refused("A refusal gives a reason, and a grant gives none.")
        if (
            decision != "refuse"
            and application["main_id"] is not None
            and self.applications[application["main_id"]]["status"] != "granted"
        ):
            return _refused(f"The main applicant of file {application['file']} has no visa yet.")
        if decision != "refuse" and self._ends_on(application) <= self.now[:10]:
            return _refused(
                f"The passport of {self.people[application['person_id']]['name']} ends on "
                f"{self.people[application['person_id']]['passport_until']}."
            )
        if (
            decision != "refuse"
            and not self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["second_signature"]
            and self._quota_left(self.quotas[application["quota_id"]]) <= 0
        ):
            return _refused(f"Quota {self.quotas[application['quota_id']]['code']} has no places left.")
        self._journal = []
        changed_applications: list[Any] = []
        changed_applications_2: list[Any] = []
        main_until = (
            self.applications[application["main_id"]]["valid_until"]
            if application["main_id"] is not None
            else None
        )
        if decision == "refuse":
            self._put("applications", application, "reason", reason)
            changed_applications.append(application)
            self._put("applications", application, "status", "refused")
        else:
            changed_applications_2.append(application)
            self._put(
                "applications",
                application,
                "valid_until",
                min(self._ends_on(application), main_until if main_until is not None else self._ends_on(application)),
            )
            if self.visa_types[self.quotas[application["quota_id"]]["type_id"]]["second_signature"]:
                if application["status"] not in ("lodged", "proposed"):
                    return self._take_back(
                        f"Application {application['file']} cannot go from {application['status']} to proposed."
                    )
                changed_applications.append(application)
                self._put("applications", application, "status", "proposed")
            else:
                if application["status"] not in ("lodged", "proposed", "granted"):
                    return self._take_back(
                        f"Application {application['file']} cannot go from {application['status']} to granted."
                    )
                changed_applications.append(application)
                self._put("applications", application, "status", "granted")
        for one_quota in _distinct([self.quotas[one["quota_id"]] for one in changed_applications]):
            if self._breaks_rule_1(one_quota):
                return self._take_back(RULES[0])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_2(one_application):
                return self._take_back(RULES[1])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_3(one_application):
                return self._take_back(RULES[2])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_4(one_application):
                return self._take_back(RULES[3])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_5(one_application):
                return self._take_back(RULES[4])
        for one_officer in _distinct([self.officers.get(one["officer_id"]) for one in changed_applications]):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_7_a(one_application):
                return self._take_back(RULES[6])
        for one_application in _distinct([*changed_applications, *changed_applications_2]):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_application in _distinct(
            [
                *changed_applications,
                *[
                    user
                    for one in changed_applications
                    for user in self._applications_by_main_status.get((one["id"], "granted"), {}).values()
                ],
                *[
                    user
                    for one in changed_applications_2
                    for user in self._applications_by_main_status.get((one["id"], "granted"), {}).values()
                ],
                *changed_applications_2,
            ]
        ):
            if self._breaks_rule_9(one_application):
                return self._take_back(RULES[8])
        done = f"decide to {decision} {application['file']}"
        if reason is not None:
            done += f" for {reason}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def countersign(self, application_id: str, by_officer_id: str, agrees: bool = True) -> Result:
        """Agree to a proposed visa as the second officer, of grade three and not the one who proposed it, or send the
        file back.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            by_officer_id (str): Second officer, of grade three and not the one who proposed; an id such as
                OFFICER-00001.
            agrees (bool): Whether the visa is granted, rather than sent back to the first officer. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        by_officer = self.officers.get(by_officer_id)
        if by_officer is None:
            return _refused(f"There is no officer {by_officer_id!r}.")
        if application["status"] != "proposed":
            return _refused(f"File {application['file']} is {application['status']}.")
        if by_officer["grade"] != 3:
            return _refused(f"{by_officer['name']} has grade {by_officer['grade']} and only grade 3 countersigns.")
        if by_officer["away"]:
            return _refused(f"{by_officer['name']} is away.")
        if application["officer_id"] is not None and application["officer_id"] == by_officer_id:
            return _refused(f"{by_officer['name']} proposed file {application['file']} and cannot countersign it.")
        if agrees and self._quota_left(self.quotas[application["quota_id"]]) <= 0:
            return _refused(f"Quota {self.quotas[application['quota_id']]['code']} has no places left.")
        if not (
            not agrees
            or application["main_id"] is None
            or self.applications[application["main_id"]]["status"] == "granted"
            and self.applications[application["main_id"]]["valid_until"] is not None
            and application["valid_until"] is not None
            and application["valid_until"] <= self.applications[application["main_id"]]["valid_until"]
        ):
            return _refused(f"The main applicant of file {application['file']} has no visa that lasts as long.")
        self._journal = []
        changed_applications: list[Any] = []
        changed_applications_2: list[Any] = []
        changed_applications_3: list[Any] = []
        if agrees:
            changed_applications.append(application)
            self._put("applications", application, "signed_by_id", by_officer_id)
            changed_applications_2.append(application)
            self._put("applications", application, "status", "granted")
        else:
            changed_applications_3.append(application)
            self._put("applications", application, "valid_until", None)
            if application["status"] not in ("collecting", "lodged", "proposed"):
                return self._take_back(
                    f"Application {application['file']} cannot go from {application['status']} to lodged."
                )
            changed_applications_2.append(application)
            self._put("applications", application, "status", "lodged")
        for one_quota in _distinct([self.quotas[one["quota_id"]] for one in changed_applications_2]):
            if self._breaks_rule_1(one_quota):
                return self._take_back(RULES[0])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_2(one_application):
                return self._take_back(RULES[1])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_3(one_application):
                return self._take_back(RULES[2])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_4(one_application):
                return self._take_back(RULES[3])
        for one_application in _distinct(changed_applications_2):
            if self._breaks_rule_5(one_application):
                return self._take_back(RULES[4])
        for one_officer in _distinct([self.officers.get(one["officer_id"]) for one in changed_applications_2]):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        for one_application in _distinct([*changed_applications, *changed_applications_2]):
            if self._breaks_rule_7_a(one_application):
                return self._take_back(RULES[6])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_7_a_again(one_application):
                return self._take_back(RULES[6])
        for one_application in _distinct([*changed_applications_2, *changed_applications_3]):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_application in _distinct(
            [
                *changed_applications_2,
                *[
                    user
                    for one in changed_applications_2
                    for user in self._applications_by_main_status.get((one["id"], "granted"), {}).values()
                ],
                *[
                    user
                    for one in changed_applications_3
                    for user in self._applications_by_main_status.get((one["id"], "granted"), {}).values()
                ],
                *changed_applications_3,
            ]
        ):
            if self._breaks_rule_9(one_application):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: countersign {application['file']} as {by_officer['name']}.",
            "data": self._changes(),
        }

    def end_application(self, application_id: str, why: Literal["withdrawn", "expired", "revoked"]) -> Result:
        """Let an application be withdrawn, a visa that has run out expire, or a visa be revoked with those of all
        dependants; a booked appointment becomes free.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            why (str): How the application or the visa ends: withdrawn, expired or revoked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if why == "withdrawn" and application["status"] not in ("collecting", "lodged"):
            return _refused(f"File {application['file']} is {application['status']} and cannot be withdrawn.")
        if why != "withdrawn" and application["status"] != "granted":
            return _refused(
                f"File {application['file']} is {application['status']}, and only visas expire or are revoked."
            )
        if not (
            why != "expired"
            or application["valid_until"] is not None
            and application["valid_until"] < self.now[:10]
        ):
            return _refused(f"The visa of {self.people[application['person_id']]['name']} has not run out.")
        if why == "revoked" and application["valid_until"] is not None and application["valid_until"] < self.now[:10]:
            return _refused(f"The visa of {self.people[application['person_id']]['name']} has run out.")
        self._journal = []
        changed_slots: list[Any] = []
        former_application_ids: list[Any] = []
        changed_slots_2: list[Any] = []
        changed_applications: list[Any] = []
        if application["status"] != why and (application["status"], why) not in APPLICATION_STATUS_MOVES:
            return self._take_back(
                f"Application {application['file']} cannot go from {application['status']} to {why}."
            )
        self._put("applications", application, "status", why)
        if why == "revoked":
            self._put("applications", application, "revoked_on", self.now[:10])
        for s in sorted(self._slots_by_application_status.get((application_id, "booked"), {}).values(), key=_age):
            changed_slots.append(s)
            former_application_ids.append(s["application_id"])
            self._put("slots", s, "application_id", None)
            if s["status"] not in ("free", "booked"):
                return self._take_back(f"Slot {s['id']} cannot go from {s['status']} to free.")
            changed_slots_2.append(s)
            self._put("slots", s, "status", "free")
        for a in list(_below(self._applications_by_main, application)):
            if a["status"] == "granted" and why != "withdrawn":
                if a["status"] != why and (a["status"], why) not in APPLICATION_STATUS_MOVES:
                    return self._take_back(f"Application {a['file']} cannot go from {a['status']} to {why}.")
                changed_applications.append(a)
                self._put("applications", a, "status", why)
        for one_quota in _distinct(
            [self.quotas[application["quota_id"]], *[self.quotas[one["quota_id"]] for one in changed_applications]]
        ):
            if self._breaks_rule_1(one_quota):
                return self._take_back(RULES[0])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_2(one_application):
                return self._take_back(RULES[1])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_3(one_application):
                return self._take_back(RULES[2])
        for one_application in _distinct(
            [
                application,
                *[self.applications.get(one["application_id"]) for one in changed_slots],
                *[self.applications.get(key) for key in former_application_ids],
                *[self.applications.get(one["application_id"]) for one in changed_slots_2],
                *changed_applications,
            ]
        ):
            if self._breaks_rule_4(one_application):
                return self._take_back(RULES[3])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_5(one_application):
                return self._take_back(RULES[4])
        for one_officer in _distinct(
            [
                self.officers.get(application["officer_id"]),
                *[self.officers.get(one["officer_id"]) for one in changed_applications],
            ]
        ):
            if self._breaks_rule_6(one_officer):
                return self._take_back(RULES[5])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_7_a(one_application):
                return self._take_back(RULES[6])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_application in _distinct(
            [
                application,
                *self._applications_by_main_status.get((application["id"], "granted"), {}).values(),
                *changed_applications,
                *[
                    user
                    for one in changed_applications
                    for user in self._applications_by_main_status.get((one["id"], "granted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_application):
                return self._take_back(RULES[8])
        for one_slot in _distinct([*changed_slots, *changed_slots_2]):
            if self._breaks_rule_10(one_slot):
                return self._take_back(RULES[9])
        for one_slot in _distinct([*changed_slots, *changed_slots_2]):
            if self._breaks_rule_11(one_slot):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: note {application['file']} as {why}.", "data": self._changes()}

    def transfer_places(
        self,
        source_id: str,
        target_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 200}],
    ) -> Result:
        """Transfer places that are left from one quota of a year to another.

        Args:
            source_id (str): Quota that gives places away; an id such as QUOTA-00001.
            target_id (str): Quota of the same year that gets them; an id such as QUOTA-00001.
            number (int): Places transferred, at most those the source has left, from 1 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.quotas.get(source_id)
        if source is None:
            return _refused(f"There is no quota {source_id!r}.")
        target = self.quotas.get(target_id)
        if target is None:
            return _refused(f"There is no quota {target_id!r}.")
        if source is target or source["year"] != target["year"]:
            return _refused("Places move between two quotas of one year.")
        if number > self._quota_left(source):
            return _refused(f"{source['code']} has {self._quota_left(source)} places left, not {number}.")
        self._journal = []
        places = source["places"] - number
        if not 0 <= places <= 500:
            return self._take_back(f"The places of {source['code']} must be between 0 and 500.")
        self._put("quotas", source, "places", places)
        new_places = target["places"] + number
        if not 0 <= new_places <= 500:
            return self._take_back(f"The places of {target['code']} must be between 0 and 500.")
        self._put("quotas", target, "places", new_places)
        if self._breaks_rule_1(source):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(target):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: transfer {number} places from {source['code']} to {target['code']}.",
            "data": self._changes(),
        }

    def _show_visa_type(self, visa_type: VisaType) -> dict[str, Any]:
        """The visa type as an answer shows it."""
        return {**visa_type, "needs": [*visa_type["needs"]]}

    def _show_quota(self, quota: Quota) -> dict[str, Any]:
        """The quota as an answer shows it."""
        return {**quota, "used": self._quota_used(quota), "left": self._quota_left(quota)}

    def _show_officer(self, officer: Officer) -> dict[str, Any]:
        """The officer as an answer shows it."""
        return {**officer, "files": self._officer_files(officer)}

    def _names_of_quotas(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that quotas point to."""
        return _names((self.visa_types, "name", [row["type_id"] for row in shown]))

    def _names_of_applications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that applications point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.quotas, "code", [row["quota_id"] for row in shown]),
            (self.applications, "file", [row["main_id"] for row in shown]),
            (self.officers, "name", [row["officer_id"] for row in shown]),
            (self.officers, "name", [row["signed_by_id"] for row in shown]),
        )

    def _names_of_documents(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that documents point to."""
        return _names((self.applications, "file", [row["application_id"] for row in shown]))

    def _names_of_slots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that slots point to."""
        return _names((self.applications, "file", [row["application_id"] for row in shown]))

    def _quota_used(self, quota: Quota) -> int:
        """The used of a quota."""
        return sum(
            1
            for a in self._applications_by_quota.get(quota["id"], {}).values()
            if a["status"] in ("granted", "expired", "revoked")
        )

    def _quota_left(self, quota: Quota) -> int:
        """The left of a quota."""
        return quota["places"] - self._quota_used(quota)

    def _officer_files(self, officer: Officer) -> int:
        """The files of an officer."""
        return sum(
            1
            for a in self._applications_by_officer.get(officer["id"], {}).values()
            if a["status"] in ("lodged", "proposed")
        )

    def _open_file(self, a: Application) -> bool:
        return a["status"] in ("collecting", "lodged", "proposed")

    def _keeps_for(self, kind: str) -> int:
        return 90 if kind == "bank_statement" else 180 if kind == "police_certificate" else 20000

    def _holds(self, a: Application, kind: str) -> bool:
        return any(
            d["kind"] == kind
            and d["status"] == "accepted"
            for d in self._documents_by_application.get(a["id"], {}).values()
        )

    def _has_been(self, a: Application) -> bool:
        return any(s["status"] == "done" for s in self._slots_by_application.get(a["id"], {}).values())

    def _ends_on(self, a: Application) -> str:
        return min(
            _plus_days(self.now[:10], self.visa_types[self.quotas[a["quota_id"]]["type_id"]]["valid_days"]),
            _plus_days(self.people[a["person_id"]]["passport_until"], -90),
        )

    def _may_take(self, o: Officer, a: Application) -> bool:
        return (
            not o["away"]
            and o["grade"] >= self.visa_types[self.quotas[a["quota_id"]]["type_id"]]["grade"]
            and self._officer_files(o) < o["most_files"]
        )

    def _breaks_rule_1(self, q: Quota) -> bool:
        """Whether this is broken: no quota grants more visas than it has places."""
        return self._quota_left(q) < 0

    def _breaks_rule_2(self, a: Application) -> bool:
        """Whether this is broken: a person has one application open at a time."""
        return (
            self._open_file(a)
            and any(
                other_a is not a
                for other_a in self._applications_by_person.get(a["person_id"], {}).values()
                if self._open_file(other_a)
            )
        )

    def _breaks_rule_3(self, a: Application) -> bool:
        """Whether this is broken: a lodged application holds every document of the checklist of its type."""
        return (
            a["status"] in ("lodged", "proposed")
            and not all(
                any(
                    d["kind"] == k
                    and d["status"] == "accepted"
                    for d in self._documents_by_application.get(a["id"], {}).values()
                )
                for k in self.visa_types[self.quotas[a["quota_id"]]["type_id"]]["needs"]
            )
        )

    def _breaks_rule_4(self, a: Application) -> bool:
        """Whether this is broken: nobody's application is lodged before the fingerprints were taken."""
        return (
            a["status"] in ("lodged", "proposed", "granted")
            and not any(s["status"] == "done" for s in self._slots_by_application.get(a["id"], {}).values())
        )

    def _breaks_rule_5(self, a: Application) -> bool:
        """Whether this is broken: a lodged application lies with an officer of the grade of its type."""
        return (
            a["status"] in ("lodged", "proposed", "granted")
            and (
                a["officer_id"] is None
                or self.officers[a["officer_id"]]["grade"] < self.visa_types[
                    self.quotas[a["quota_id"]]["type_id"]
                ]["grade"]
            )
        )

    def _breaks_rule_6(self, o: Officer) -> bool:
        """Whether this is broken: no officer has more files than they may keep."""
        return self._officer_files(o) > o["most_files"]

    def _breaks_rule_7_a(self, a: Application) -> bool:
        """Whether this is broken: a visa that needs a second signature was signed by another officer than the one who
        proposed it.
        """
        return (
            a["status"] == "granted"
            and (
                a["signed_by_id"] is None
                and self.visa_types[self.quotas[a["quota_id"]]["type_id"]]["second_signature"]
            )
        )

    def _breaks_rule_7_a_again(self, a: Application) -> bool:
        """Whether this is broken: a visa that needs a second signature was signed by another officer than the one who
        proposed it.
        """
        return a["signed_by_id"] is not None and a["signed_by_id"] == a["officer_id"]

    def _breaks_rule_8(self, a: Application) -> bool:
        """Whether this is broken: a granted visa has a last day, at least 90 days before the passport ends."""
        return (
            a["status"] == "granted"
            and (
                a["valid_until"] is None
                or _plus_days(a["valid_until"], 90) > self.people[a["person_id"]]["passport_until"]
            )
        )

    def _breaks_rule_9(self, a: Application) -> bool:
        """Whether this is broken: a dependant has a visa only as long as the main applicant has one."""
        return (
            a["status"] == "granted"
            and not (
                a["main_id"] is None
                or self.applications[a["main_id"]]["status"] == "granted"
                and self.applications[a["main_id"]]["valid_until"] is not None
                and a["valid_until"] is not None
                and a["valid_until"] <= self.applications[a["main_id"]]["valid_until"]
            )
        )

    def _breaks_rule_10(self, s: Slot) -> bool:
        """Whether this is broken: an application has one appointment at a time."""
        return (
            s["status"] == "booked"
            and any(
                other_s is not s
                for other_s in self._slots_by_application_status.get((s["application_id"], "booked"), {}).values()
            )
        )

    def _breaks_rule_11(self, s: Slot) -> bool:
        """Whether this is broken: an appointment that is free has no applicant, and any other has one."""
        return (s["application_id"] is None) != (s["status"] == "free")

    def _breaks_rule_12(self, d: Document) -> bool:
        """Whether this is broken: a document of a kind is accepted once for an application."""
        return (
            d["status"] == "accepted"
            and any(
                other_d is not d
                for other_d in self._documents_by_application_kind_status.get(
                    (d["application_id"], d["kind"], "accepted"),
                    {},
                ).values()
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
            case "applications":
                self._applications_by_file.setdefault(record["file"], {})[record["id"]] = record
                self._applications_by_lower_file.setdefault(record["file"].lower(), {})[record["id"]] = record
                self._applications_by_main.setdefault(record["main_id"], {})[record["id"]] = record
                self._applications_by_main_status.setdefault(
                    (record["main_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._applications_by_officer.setdefault(record["officer_id"], {})[record["id"]] = record
                self._applications_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._applications_by_person_status.setdefault(
                    (record["person_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._applications_by_quota.setdefault(record["quota_id"], {})[record["id"]] = record
                self._applications_by_receipt.setdefault(record["receipt"], {})[record["id"]] = record
            case "documents":
                self._documents_by_application.setdefault(record["application_id"], {})[record["id"]] = record
                self._documents_by_application_kind_status.setdefault(
                    (record["application_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._documents_by_application_status.setdefault(
                    (record["application_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "slots":
                self._slots_by_application.setdefault(record["application_id"], {})[record["id"]] = record
                self._slots_by_application_status.setdefault(
                    (record["application_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "applications":
                del self._applications_by_file[record["file"]][record["id"]]
                del self._applications_by_lower_file[record["file"].lower()][record["id"]]
                del self._applications_by_main[record["main_id"]][record["id"]]
                del self._applications_by_main_status[record["main_id"], record["status"]][record["id"]]
                del self._applications_by_officer[record["officer_id"]][record["id"]]
                del self._applications_by_person[record["person_id"]][record["id"]]
                del self._applications_by_person_status[record["person_id"], record["status"]][record["id"]]
                del self._applications_by_quota[record["quota_id"]][record["id"]]
                del self._applications_by_receipt[record["receipt"]][record["id"]]
            case "documents":
                del self._documents_by_application[record["application_id"]][record["id"]]
                del self._documents_by_application_kind_status[
                    record["application_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._documents_by_application_status[record["application_id"], record["status"]][record["id"]]
            case "slots":
                del self._slots_by_application[record["application_id"]][record["id"]]
                del self._slots_by_application_status[record["application_id"], record["status"]][record["id"]]
