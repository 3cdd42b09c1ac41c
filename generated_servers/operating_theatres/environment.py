"""Operating theatres. Compiled from blueprint.yaml; run `envscaler build operating_theatres` after changing it there.

Runs the theatre lists of a hospital, sessions of limited minutes with cases in an order, anaesthetists,
surgeons, sterile instrument trays, overruns and emergencies that push planned cases off the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The cases of a session, each with 15 minutes of cleaning, fit into its minutes as long as any is still to come.",
    "The cases of a session have places in one order without gaps.",
    "Whoever is not on a list has no session, no place and no tray.",
    "One patient is operated on at a time in a session, and a cancelled session has no cases.",
    "A case is done with a tray of the kind that its procedure needs.",
    "A tray is meant for one case a day.",
    "Procedures that need clean air are done in theatres that have it.",
    "A surgeon operates within their specialty.",
    "A surgeon is on the lists of no two sessions at the same time.",
    "An anaesthetist looks after one session at a time.",
    "Children under 16 are anaesthetised by somebody trained for it.",
    "A patient has one open case at most.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "refer_surgery",
    "put_on_list",
    "take_off",
    "move_ahead",
    "assign_tray",
    "sterilise_tray",
    "assign_anaesthetist",
    "start_surgery",
    "finish_surgery",
    "add_emergency",
    "cancel_session",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "theatres": ("name",),
    "clinicians": ("name",),
    "procedures": ("name",),
    "trays": ("code",),
    "patients": ("name",),
    "sessions": ("code",),
    "surgeries": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("sessions", "anaesthetist_id"),
    ("surgeries", "patient_id"),
    ("surgeries", "session_id"),
    ("surgeries", "status"),
    ("surgeries", "surgeon_id"),
    ("surgeries", "tray_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Theatre(TypedDict):
    id: str
    name: str
    clean_air: bool


class Clinician(TypedDict):
    id: str
    name: str
    role: Literal["surgeon", "anaesthetist"]
    specialty: Literal["orthopaedics", "general", "ent"] | None
    children: bool


class Procedure(TypedDict):
    id: str
    name: str
    specialty: Literal["orthopaedics", "general", "ent"]
    minutes: int
    tray_kind: Literal["joint", "scope", "small_bone", "laparoscopy", "open", "throat"]
    clean_air: bool


class Tray(TypedDict):
    id: str
    code: str
    kind: Literal["joint", "scope", "small_bone", "laparoscopy", "open", "throat"]
    sterile_until: str
    status: Literal["sterile", "in_use", "soiled"]


class Patient(TypedDict):
    id: str
    name: str
    born: str


class Session(TypedDict):
    id: str
    code: str
    theatre_id: str
    starts_at: str
    minutes: int
    anaesthetist_id: str | None
    status: Literal["planned", "cancelled"]


class Surgery(TypedDict):
    id: str
    patient_id: str
    procedure_id: str
    surgeon_id: str
    urgency: Literal["elective", "urgent", "emergency"]
    minutes: int
    session_id: str | None
    position: int | None
    tray_id: str | None
    bumped: int
    finished_at: str | None
    status: Literal["waiting", "listed", "cancelled", "in_theatre", "done"]


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


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class OperatingTheatres:
    """Runs the theatre lists of a hospital, sessions of limited minutes with cases in an order,
    anaesthetists, surgeons, sterile instrument trays, overruns and emergencies that push planned cases
    off the list.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.theatres: dict[str, Theatre] = _copied(config.get("theatres", {}))
        self.clinicians: dict[str, Clinician] = _copied(config.get("clinicians", {}))
        self.procedures: dict[str, Procedure] = _copied(config.get("procedures", {}))
        self.trays: dict[str, Tray] = _copied(config.get("trays", {}))
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.sessions: dict[str, Session] = _copied(config.get("sessions", {}))
        self.surgeries: dict[str, Surgery] = _copied(config.get("surgeries", {}))
        self.now: str = config.get("now", "2026-05-12T13:40")
        self.counters: dict[str, int] = {
            "theatre": len(self.theatres),
            "clinician": len(self.clinicians),
            "procedure": len(self.procedures),
            "tray": len(self.trays),
            "patient": len(self.patients),
            "session": len(self.sessions),
            "surgery": len(self.surgeries),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sessions_by_anaesthetist: dict[Any, dict[str, Session]] = {}
        self._surgeries_by_patient: dict[Any, dict[str, Surgery]] = {}
        self._surgeries_by_session: dict[Any, dict[str, Surgery]] = {}
        self._surgeries_by_session_status: dict[Any, dict[str, Surgery]] = {}
        self._surgeries_by_status: dict[Any, dict[str, Surgery]] = {}
        self._surgeries_by_surgeon: dict[Any, dict[str, Surgery]] = {}
        self._surgeries_by_tray: dict[Any, dict[str, Surgery]] = {}
        for session in self.sessions.values():
            self._link("sessions", session)
        for surgery in self.surgeries.values():
            self._link("surgeries", surgery)

    def theatre_list(self, session_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The cases of a session in their order, with the time at which each is expected.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "surgeries": records}} or {"success": False, "error":
                why not}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        found = [c for c in self._surgeries_by_session.get(session_id, {}).values()]
        found.sort(key=lambda c: (c["position"] if c["position"] is not None else 0, _age(c)))
        shown = [
            {
                "id": c["id"],
                "position": c["position"],
                "patient": self.patients[c["patient_id"]]["name"],
                "procedure": self.procedures[c["procedure_id"]]["name"],
                "surgeon": self.clinicians[c["surgeon_id"]]["name"],
                "minutes": c["minutes"],
                "expected_at": _plus_minutes(
                    session["starts_at"],
                    sum(
                        d["minutes"] + 15
                        for d in self._surgeries_by_session.get(session_id, {}).values()
                        if d["position"] is not None
                        and c["position"] is not None
                        and d["position"] < c["position"]
                    ),
                ),
                "tray": c["tray_id"],
                "tray_ready": c["tray_id"] is not None and self.trays[c["tray_id"]]["status"] == "sterile",
                "urgency": c["urgency"],
                "status": c["status"],
            }
            for c in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "surgeries": shown},
            _names((self.trays, "code", [row["tray"] for row in shown])),
        )

    def fitting_sessions(
        self,
        surgery_id: str,
        minutes: Annotated[int, {"minimum": 5, "maximum": 600}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sessions in which a waiting case could still be listed, soonest first.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            minutes (int, optional): Length to allow for in minutes, where longer than noted, from 5 to 600. If
                left out, the length noted for the case counts.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}} or {"success": False, "error": why
                not}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        needed = (minutes if minutes is not None else surgery["minutes"]) + 15
        found = [s for s in self.sessions.values() if self._fits(surgery, s) and self._session_free(s) >= needed]
        found.sort(key=lambda s: (s["starts_at"], self.theatres[s["theatre_id"]]["name"], _age(s)))
        shown = [
            {
                "id": s["id"],
                "theatre": self.theatres[s["theatre_id"]]["name"],
                "starts_at": s["starts_at"],
                "free": self._session_free(s),
                "anaesthetist": s["anaesthetist_id"],
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "sessions": shown},
            _names(
                (self.sessions, "code", [row["id"] for row in shown]),
                (self.clinicians, "name", [row["anaesthetist"] for row in shown]),
            ),
        )

    def waiting_list(
        self,
        specialty: Literal["orthopaedics", "general", "ent"] | None = None,
        surgeon_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Cases that wait for a session, urgent ones first, then those pushed off most often.

        Args:
            specialty (str, optional): Specialty of the procedures: orthopaedics, general or ent. If left out,
                cases of all specialties are listed.
            surgeon_id (str, optional): Surgeon who is to operate; an id such as CLINICIAN-00001. If left out,
                cases of all surgeons are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "surgeries": records}} or {"success": False, "error":
                why not}
        """
        surgeon = self.clinicians.get(surgeon_id) if surgeon_id is not None else None
        if surgeon_id is not None and surgeon is None:
            return _refused(f"There is no clinician {surgeon_id!r}.")
        found = [
            c
            for c in self._surgeries_by_status.get("waiting", {}).values()
            if (specialty is None or self.procedures[c["procedure_id"]]["specialty"] == specialty)
            and (surgeon_id is None or c["surgeon_id"] == surgeon_id)
        ]
        found.sort(key=lambda c: (0 if c["urgency"] != "elective" else 1, -c["bumped"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "surgeries": [
                    {
                        "id": c["id"],
                        "patient": self.patients[c["patient_id"]]["name"],
                        "procedure": self.procedures[c["procedure_id"]]["name"],
                        "surgeon": self.clinicians[c["surgeon_id"]]["name"],
                        "urgency": c["urgency"],
                        "minutes": c["minutes"],
                        "bumped": c["bumped"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def fitting_trays(
        self,
        surgery_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Trays that may be assigned to a listed case.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trays": records}} or {"success": False, "error": why
                not}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        found = [t for t in self.trays.values() if self._ready_tray(t, surgery)]
        found.sort(key=lambda t: (t["code"], _age(t)))
        return _found({"total": len(found), "trays": [{**t} for t in _page(found, offset)]})

    def list_theatres(
        self,
        name: Text | None = None,
        clean_air: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the theatres, oldest first, all of them or only some.

        Args:
            name (str, optional): Only theatres whose name contains this text.
            clean_air (bool, optional): Only theatres with this value of `clean_air`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "theatres": records}}
        """
        found = [
            theatre
            for theatre in self.theatres.values()
            if (name is None or name.casefold() in theatre["name"].casefold())
            and (clean_air is None or theatre["clean_air"] == clean_air)
        ]
        return _found({"total": len(found), "theatres": [{**theatre} for theatre in _page(found, offset)]})

    def list_clinicians(
        self,
        name: Text | None = None,
        role: Literal["surgeon", "anaesthetist"] | None = None,
        specialty: Literal["orthopaedics", "general", "ent"] | None = None,
        children: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clinicians, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clinicians whose name contains this text.
            role (str, optional): Only clinicians with this role.
            specialty (str, optional): Only clinicians with this specialty.
            children (bool, optional): Only clinicians with this value of `children`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clinicians": records}}
        """
        found = [
            clinician
            for clinician in self.clinicians.values()
            if (name is None or name.casefold() in clinician["name"].casefold())
            and (role is None or clinician["role"] == role)
            and (specialty is None or clinician["specialty"] == specialty)
            and (children is None or clinician["children"] == children)
        ]
        return _found({"total": len(found), "clinicians": [{**clinician} for clinician in _page(found, offset)]})

    def list_procedures(
        self,
        name: Text | None = None,
        specialty: Literal["orthopaedics", "general", "ent"] | None = None,
        tray_kind: Literal["joint", "scope", "small_bone", "laparoscopy", "open", "throat"] | None = None,
        clean_air: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the procedures, oldest first, all of them or only some.

        Args:
            name (str, optional): Only procedures whose name contains this text.
            specialty (str, optional): Only procedures with this specialty.
            tray_kind (str, optional): Only procedures with this tray kind.
            clean_air (bool, optional): Only procedures with this value of `clean_air`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "procedures": records}}
        """
        found = [
            procedure
            for procedure in self.procedures.values()
            if (name is None or name.casefold() in procedure["name"].casefold())
            and (specialty is None or procedure["specialty"] == specialty)
            and (tray_kind is None or procedure["tray_kind"] == tray_kind)
            and (clean_air is None or procedure["clean_air"] == clean_air)
        ]
        return _found({"total": len(found), "procedures": [{**procedure} for procedure in _page(found, offset)]})

    def list_trays(
        self,
        code: Text | None = None,
        kind: Literal["joint", "scope", "small_bone", "laparoscopy", "open", "throat"] | None = None,
        status: Literal["sterile", "in_use", "soiled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trays, oldest first, all of them or only some.

        Args:
            code (str, optional): Only trays whose code contains this text.
            kind (str, optional): Only trays with this kind.
            status (str, optional): Only trays with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trays": records}}
        """
        found = [
            tray
            for tray in self.trays.values()
            if (code is None or code.casefold() in tray["code"].casefold())
            and (kind is None or tray["kind"] == kind)
            and (status is None or tray["status"] == status)
        ]
        return _found({"total": len(found), "trays": [{**tray} for tray in _page(found, offset)]})

    def list_patients(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patients whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}}
        """
        found = [
            patient
            for patient in self.patients.values()
            if (name is None or name.casefold() in patient["name"].casefold())
        ]
        return _found({"total": len(found), "patients": [{**patient} for patient in _page(found, offset)]})

    def list_sessions(
        self,
        code: Text | None = None,
        theatre_id: str | None = None,
        anaesthetist_id: str | None = None,
        status: Literal["planned", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sessions, oldest first, all of them or only some.

        Args:
            code (str, optional): Only sessions whose code contains this text.
            theatre_id (str, optional): Only sessions of this theatre.
            anaesthetist_id (str, optional): Only sessions whose anaesthetist is this clinician.
            status (str, optional): Only sessions with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}}
        """
        if theatre_id is not None and theatre_id not in self.theatres:
            return _refused(f"There is no theatre {theatre_id!r}.")
        if anaesthetist_id is not None and anaesthetist_id not in self.clinicians:
            return _refused(f"There is no clinician {anaesthetist_id!r}.")
        found = [
            session
            for session in self.sessions.values()
            if (code is None or code.casefold() in session["code"].casefold())
            and (theatre_id is None or session["theatre_id"] == theatre_id)
            and (anaesthetist_id is None or session["anaesthetist_id"] == anaesthetist_id)
            and (status is None or session["status"] == status)
        ]
        shown = [self._show_session(session) for session in _page(found, offset)]
        return _found({"total": len(found), "sessions": shown}, self._names_of_sessions(shown))

    def list_surgeries(
        self,
        patient_id: str | None = None,
        procedure_id: str | None = None,
        surgeon_id: str | None = None,
        urgency: Literal["elective", "urgent", "emergency"] | None = None,
        session_id: str | None = None,
        tray_id: str | None = None,
        status: Literal["waiting", "listed", "cancelled", "in_theatre", "done"] | None = None,
        finished_at_from: Date | None = None,
        finished_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the surgeries, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only surgeries of this patient.
            procedure_id (str, optional): Only surgeries of this procedure.
            surgeon_id (str, optional): Only surgeries whose surgeon is this clinician.
            urgency (str, optional): Only surgeries with this urgency.
            session_id (str, optional): Only surgeries of this session.
            tray_id (str, optional): Only surgeries of this tray.
            status (str, optional): Only surgeries with this status.
            finished_at_from (str, optional): Only surgeries whose `finished_at` is on this day or later.
            finished_at_to (str, optional): Only surgeries whose `finished_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "surgeries": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if procedure_id is not None and procedure_id not in self.procedures:
            return _refused(f"There is no procedure {procedure_id!r}.")
        if surgeon_id is not None and surgeon_id not in self.clinicians:
            return _refused(f"There is no clinician {surgeon_id!r}.")
        if session_id is not None and session_id not in self.sessions:
            return _refused(f"There is no session {session_id!r}.")
        if tray_id is not None and tray_id not in self.trays:
            return _refused(f"There is no tray {tray_id!r}.")
        found = [
            surgery
            for surgery in self.surgeries.values()
            if (patient_id is None or surgery["patient_id"] == patient_id)
            and (procedure_id is None or surgery["procedure_id"] == procedure_id)
            and (surgeon_id is None or surgery["surgeon_id"] == surgeon_id)
            and (urgency is None or surgery["urgency"] == urgency)
            and (session_id is None or surgery["session_id"] == session_id)
            and (tray_id is None or surgery["tray_id"] == tray_id)
            and (status is None or surgery["status"] == status)
            and (
                finished_at_from is None
                or (surgery["finished_at"] is not None and surgery["finished_at"][:10] >= finished_at_from)
            )
            and (
                finished_at_to is None
                or (surgery["finished_at"] is not None and surgery["finished_at"][:10] <= finished_at_to)
            )
        ]
        shown = [{**surgery} for surgery in _page(found, offset)]
        return _found({"total": len(found), "surgeries": shown}, self._names_of_surgeries(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def refer_surgery(
        self,
        patient_id: str,
        procedure_id: str,
        surgeon_id: str,
        urgency: Literal["elective", "urgent"],
        minutes: Annotated[int, {"minimum": 5, "maximum": 600}] | None = None,
    ) -> Result:
        """Put a patient on the waiting list of a surgeon; minutes are given where the case takes longer or shorter
        than usual.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            procedure_id (str): Id of the procedure, such as PROCEDURE-00001.
            surgeon_id (str): Surgeon who operates, of the procedure's specialty; an id such as CLINICIAN-00001.
            urgency (str): How soon the operation is needed: elective or urgent.
            minutes (int, optional): Expected length of this operation in minutes, from 5 to 600. If left out, the
                usual length of the procedure is used.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        procedure = self.procedures.get(procedure_id)
        if procedure is None:
            return _refused(f"There is no procedure {procedure_id!r}.")
        surgeon = self.clinicians.get(surgeon_id)
        if surgeon is None:
            return _refused(f"There is no clinician {surgeon_id!r}.")
        if surgeon["specialty"] != procedure["specialty"]:
            return _refused(
                f"{surgeon['name']} does not do {procedure['name']}, which belongs to {procedure['specialty']}."
            )
        open_case = next(
            (
                c
                for c in sorted(self._surgeries_by_patient.get(patient_id, {}).values(), key=_age)
                if c["status"] in ("waiting", "listed", "in_theatre")
            ),
            None,
        )
        if open_case is not None:
            return _refused(
                f"{patient['name']} has an open case of {self.procedures[open_case['procedure_id']]['name']} already."
            )
        self._journal = []
        new_minutes = minutes if minutes is not None else procedure["minutes"]
        if not 5 <= new_minutes <= 600:
            return self._take_back("The minutes of a surgery must be between 5 and 600.")
        surgery: Surgery = {
            "id": self._new_id("surgery", "SURGERY", self.surgeries),
            "patient_id": patient_id,
            "procedure_id": procedure_id,
            "surgeon_id": surgeon_id,
            "urgency": urgency,
            "minutes": new_minutes,
            "session_id": None,
            "position": None,
            "tray_id": None,
            "bumped": 0,
            "finished_at": None,
            "status": "waiting",
        }
        self._add("surgeries", surgery)
        for one_session in _distinct([self.sessions.get(surgery["session_id"])]):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_c(surgery):
            return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                surgery,
                *[
                    user
                    for one in [self.sessions.get(surgery["session_id"])]
                    if one is not None
                    for user in self._surgeries_by_session.get(surgery["session_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(surgery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_c(surgery):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_c_again(surgery):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_c(surgery):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(surgery):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_a(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(surgery):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(surgery):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(surgery):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(surgery):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(surgery):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(surgery):
            return self._take_back(RULES[11])
        done = f"refer {patient['name']} for {procedure['name']} to {surgeon['name']}"
        if minutes is not None:
            done += f" with {minutes} minutes"
        return {
            "success": True,
            "message": f"Done: {done} (new: surgery {surgery['id']}).",
            "data": {"surgery_id": surgery["id"], **self._changes()},
        }

    def put_on_list(self, surgery_id: str, session_id: str, surgeon_id: str | None = None) -> Result:
        """Put a waiting case at the end of the list of a session, with another surgeon if one is named.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            session_id (str): Id of the session, such as SESSION-00001.
            surgeon_id (str, optional): Surgeon who operates instead, of the procedure's specialty; an id such as
                CLINICIAN-00001. If left out, the surgeon stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        surgeon = self.clinicians.get(surgeon_id) if surgeon_id is not None else None
        if surgeon_id is not None and surgeon is None:
            return _refused(f"There is no clinician {surgeon_id!r}.")
        if surgery["status"] != "waiting":
            return _refused(f"The case of {self.patients[surgery['patient_id']]['name']} is {surgery['status']}.")
        if session["status"] != "planned" or self._session_ends_at(session) <= self.now:
            return _refused(
                f"The session in {self.theatres[session['theatre_id']]['name']} is {session['status']} and ends "
                f"at {self._session_ends_at(session)}."
            )
        who = surgeon or self.clinicians[surgery["surgeon_id"]]
        if who["specialty"] != self.procedures[surgery["procedure_id"]]["specialty"]:
            return _refused(f"{who['name']} does not do {self.procedures[surgery['procedure_id']]['name']}.")
        elsewhere = self._busy_surgeon(who, session)
        if elsewhere is not None:
            return _refused(
                f"{who['name']} operates on {self.patients[elsewhere['patient_id']]['name']} in another theatre "
                "at that time."
            )
        if (
            not self.theatres[session["theatre_id"]]["clean_air"]
            and self.procedures[surgery["procedure_id"]]["clean_air"]
        ):
            return _refused(
                f"{self.procedures[surgery['procedure_id']]['name']} needs clean air, which "
                f"{self.theatres[session['theatre_id']]['name']} has not got."
            )
        if self._session_free(session) < surgery["minutes"] + 15:
            return _refused(
                f"The session has {self._session_free(session)} minutes left and {surgery['minutes'] + 15} are "
                "needed."
            )
        if self._child_gap(self.patients[surgery["patient_id"]], session):
            return _refused(
                f"{self.patients[surgery['patient_id']]['name']} is a child and the anaesthetist of the session "
                "is not trained for children."
            )
        self._journal = []
        self._put("surgeries", surgery, "surgeon_id", who["id"])
        former_session_id = surgery["session_id"]
        self._put("surgeries", surgery, "session_id", session_id)
        position = self._begun(session) + len(self._to_come(session)) + 1
        if not 1 <= position <= 30:
            return self._take_back(f"The position of {surgery['id']} must be between 1 and 30.")
        self._put("surgeries", surgery, "position", position)
        self._put("surgeries", surgery, "status", "listed")
        for one_session in _distinct(
            [self.sessions.get(surgery["session_id"]), self.sessions.get(former_session_id)]
        ):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_c(surgery):
            return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                surgery,
                *[
                    user
                    for one in [self.sessions.get(surgery["session_id"])]
                    if one is not None
                    for user in self._surgeries_by_session.get(surgery["session_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.sessions.get(former_session_id)]
                    if one is not None
                    for user in self._surgeries_by_session.get(former_session_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(surgery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_c(surgery):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_c_again(surgery):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_c_again(surgery):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_a(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(surgery):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(surgery):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(surgery):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(surgery):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(surgery):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(surgery):
            return self._take_back(RULES[11])
        done = f"list {self.patients[surgery['patient_id']]['name']} for {self.procedures[surgery['procedure_id']]['name']} in {self.theatres[session['theatre_id']]['name']} on {session['starts_at']}"
        if surgeon is not None:
            done += f" with {surgeon['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def take_off(
        self,
        surgery_id: str,
        reason: Literal["unfit", "no_bed", "no_time", "surgeon_away", "declined", "not_needed"],
    ) -> Result:
        """Take a case off its list; who has declined or no longer needs it is off the waiting list too.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            reason (str): Why the case comes off, where only declined and not_needed end it: unfit, no_bed,
                no_time, surgeon_away, declined or not_needed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        if surgery["status"] not in ("waiting", "listed"):
            return _refused(f"The case of {self.patients[surgery['patient_id']]['name']} is {surgery['status']}.")
        if surgery["status"] != "listed" and reason not in ("declined", "not_needed"):
            return _refused(f"{self.patients[surgery['patient_id']]['name']} is on no list and only waits.")
        self._journal = []
        changed_surgeries: list[Any] = []
        changed_surgeries_2: list[Any] = []
        for c in [
            c
            for c in sorted(
                self._surgeries_by_session_status.get((surgery["session_id"], "listed"), {}).values(),
                key=_age,
            )
            if surgery["status"] == "listed"
            and c["position"] is not None
            and surgery["position"] is not None
            and c["position"] > surgery["position"]
        ]:
            position = (c["position"] if c["position"] is not None else 2) - 1
            if not 1 <= position <= 30:
                return self._take_back(f"The position of {c['id']} must be between 1 and 30.")
            changed_surgeries.append(c)
            self._put("surgeries", c, "position", position)
        former_session_id = surgery["session_id"]
        self._put("surgeries", surgery, "session_id", None)
        self._put("surgeries", surgery, "position", None)
        self._put("surgeries", surgery, "tray_id", None)
        if reason in ("declined", "not_needed"):
            changed_surgeries_2.append(surgery)
            self._put("surgeries", surgery, "status", "cancelled")
        else:
            if surgery["status"] not in ("waiting", "listed"):
                return self._take_back(f"Surgery {surgery['id']} cannot go from {surgery['status']} to waiting.")
            changed_surgeries_2.append(surgery)
            self._put("surgeries", surgery, "status", "waiting")
        for one_session in _distinct(
            [
                self.sessions.get(surgery["session_id"]),
                self.sessions.get(former_session_id),
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries_2],
            ]
        ):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_2]):
            if self._breaks_rule_2_c(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                surgery,
                *changed_surgeries,
                *[
                    user
                    for one in [self.sessions.get(surgery["session_id"])]
                    if one is not None
                    for user in self._surgeries_by_session.get(surgery["session_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.sessions.get(former_session_id)]
                    if one is not None
                    for user in self._surgeries_by_session.get(former_session_id, {}).values()
                ],
                *changed_surgeries_2,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries_2]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_2]):
            if self._breaks_rule_3(one_surgery):
                return self._take_back(RULES[2])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_4_c(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_4_c_again(one_surgery):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_c(surgery):
            return self._take_back(RULES[4])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_5_c_again(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_6_a(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_6_b(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_7(one_surgery):
                return self._take_back(RULES[6])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_9_a(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_9_b(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([surgery, *changed_surgeries_2]):
            if self._breaks_rule_11(one_surgery):
                return self._take_back(RULES[10])
        for one_surgery in _distinct(changed_surgeries_2):
            if self._breaks_rule_12(one_surgery):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {self.patients[surgery['patient_id']]['name']} off for {reason}.",
            "data": self._changes(),
        }

    def move_ahead(self, surgery_id: str, ahead_of_id: str) -> Result:
        """Move a listed case of a session directly ahead of another one that is still to come there.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            ahead_of_id (str): Listed case of the same session that it then precedes; an id such as SURGERY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        ahead_of = self.surgeries.get(ahead_of_id)
        if ahead_of is None:
            return _refused(f"There is no surgery {ahead_of_id!r}.")
        if surgery["status"] != "listed" or surgery["session_id"] is None:
            return _refused(f"The case of {self.patients[surgery['patient_id']]['name']} is {surgery['status']}.")
        if ahead_of["status"] != "listed" or ahead_of["session_id"] != surgery["session_id"]:
            return _refused(
                f"The case of {self.patients[ahead_of['patient_id']]['name']} is {ahead_of['status']} and not to "
                f"come in the same session as that of {self.patients[surgery['patient_id']]['name']}."
            )
        if surgery is ahead_of:
            return _refused("Name two different cases.")
        self._journal = []
        changed_surgeries: list[Any] = []
        session = self.sessions[surgery["session_id"]]
        place = self._begun(session)
        for c in sorted(
            [c for c in self._to_come(session) if c is not surgery],
            key=lambda c: (c["position"] if c["position"] is not None else 0, _age(c)),
        ):
            place = place + 1
            if c is ahead_of:
                if not 1 <= place <= 30:
                    return self._take_back(f"The position of {surgery['id']} must be between 1 and 30.")
                changed_surgeries.append(surgery)
                self._put("surgeries", surgery, "position", place)
                place = place + 1
            if not 1 <= place <= 30:
                return self._take_back(f"The position of {c['id']} must be between 1 and 30.")
            changed_surgeries.append(c)
            self._put("surgeries", c, "position", place)
        for one_surgery in _distinct(changed_surgeries):
            if self._breaks_rule_2_c(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(changed_surgeries):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(changed_surgeries):
            if self._breaks_rule_3(one_surgery):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: move {self.patients[surgery['patient_id']]['name']} ahead of "
                f"{self.patients[ahead_of['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def assign_tray(self, surgery_id: str, tray_id: str) -> Result:
        """Assign a sterile tray to a listed case.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            tray_id (str): Id of the tray, such as TRAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        tray = self.trays.get(tray_id)
        if tray is None:
            return _refused(f"There is no tray {tray_id!r}.")
        if surgery["status"] != "listed" or surgery["session_id"] is None:
            return _refused(f"The case of {self.patients[surgery['patient_id']]['name']} is {surgery['status']}.")
        if tray["kind"] != self.procedures[surgery["procedure_id"]]["tray_kind"]:
            return _refused(
                f"{self.procedures[surgery['procedure_id']]['name']} needs a "
                f"{self.procedures[surgery['procedure_id']]['tray_kind']} tray and {tray['code']} is a "
                f"{tray['kind']} one."
            )
        if tray["status"] != "sterile":
            return _refused(f"Tray {tray['code']} is {tray['status']}, so sterilise it first.")
        if tray["sterile_until"] < self.sessions[surgery["session_id"]]["starts_at"][:10]:
            return _refused(f"Tray {tray['code']} is sterile until {tray['sterile_until']} only.")
        other = self._tray_taken(tray, self.sessions[surgery["session_id"]])
        if other is not None:
            return _refused(
                f"Tray {tray['code']} is meant for {self.patients[other['patient_id']]['name']} on that day."
            )
        self._journal = []
        self._put("surgeries", surgery, "tray_id", tray_id)
        if self._breaks_rule_3(surgery):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_c(surgery):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(surgery):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_a(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(surgery):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: assign tray {tray['code']} to {self.patients[surgery['patient_id']]['name']}.",
            "data": self._changes(),
        }

    def sterilise_tray(self, tray_id: str) -> Result:
        """Record that a soiled or outdated tray came back sterile; it stays so for 28 days.

        Args:
            tray_id (str): Id of the tray, such as TRAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tray = self.trays.get(tray_id)
        if tray is None:
            return _refused(f"There is no tray {tray_id!r}.")
        if not (tray["status"] == "soiled" or tray["status"] == "sterile" and tray["sterile_until"] < self.now[:10]):
            return _refused(f"Tray {tray['code']} is {tray['status']}, with a date of {tray['sterile_until']}.")
        self._journal = []
        self._put("trays", tray, "sterile_until", _plus_days(self.now[:10], 28))
        if tray["status"] == "soiled":
            if tray["status"] not in ("sterile", "soiled"):
                return self._take_back(f"Tray {tray['code']} cannot go from {tray['status']} to sterile.")
            self._put("trays", tray, "status", "sterile")
        return {"success": True, "message": f"Done: sterilise tray {tray['code']}.", "data": self._changes()}

    def assign_anaesthetist(self, session_id: str, anaesthetist_id: str) -> Result:
        """Assign an anaesthetist to a session, in place of whoever had it.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            anaesthetist_id (str): Free anaesthetist who takes the session, trained for any children on it; an id
                such as CLINICIAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        anaesthetist = self.clinicians.get(anaesthetist_id)
        if anaesthetist is None:
            return _refused(f"There is no clinician {anaesthetist_id!r}.")
        if session["status"] != "planned" or self._session_ends_at(session) <= self.now:
            return _refused(
                f"The session in {self.theatres[session['theatre_id']]['name']} is {session['status']} and ends "
                f"at {self._session_ends_at(session)}."
            )
        if anaesthetist["role"] != "anaesthetist":
            return _refused(f"{anaesthetist['name']} is a surgeon.")
        if session["anaesthetist_id"] == anaesthetist_id:
            return _refused(f"{anaesthetist['name']} has that session already.")
        other = self._busy_anaesthetist(anaesthetist, session)
        if other is not None:
            return _refused(
                f"{anaesthetist['name']} is in {self.theatres[other['theatre_id']]['name']} from "
                f"{other['starts_at']} to {self._session_ends_at(other)}."
            )
        child = next(
            (
                c
                for c in sorted(self._surgeries_by_session.get(session_id, {}).values(), key=_age)
                if c["status"] in ("listed", "in_theatre")
                and self._is_child(self.patients[c["patient_id"]], session)
            ),
            None,
        )
        if child is not None and not anaesthetist["children"]:
            return _refused(
                f"{self.patients[child['patient_id']]['name']} is a child and {anaesthetist['name']} is not "
                "trained for children."
            )
        self._journal = []
        self._put("sessions", session, "anaesthetist_id", anaesthetist_id)
        if self._breaks_rule_10_s(session):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t(session):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_s_again(session):
            return self._take_back(RULES[9])
        for one_surgery in _distinct(self._surgeries_by_session.get(session["id"], {}).values()):
            if self._breaks_rule_11(one_surgery):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: assign {anaesthetist['name']} to {self.theatres[session['theatre_id']]['name']} on "
                f"{session['starts_at']}."
            ),
            "data": self._changes(),
        }

    def start_surgery(self, surgery_id: str) -> Result:
        """Start the next case of a session that takes place today.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        if surgery["status"] != "listed" or surgery["session_id"] is None:
            return _refused(f"The case of {self.patients[surgery['patient_id']]['name']} is {surgery['status']}.")
        session = self.sessions[surgery["session_id"]]
        if session["starts_at"][:10] != self.now[:10] or session["starts_at"] > self.now:
            return _refused(
                f"The session of {self.patients[surgery['patient_id']]['name']} begins at {session['starts_at']}."
            )
        if session["anaesthetist_id"] is None:
            return _refused(f"The session in {self.theatres[session['theatre_id']]['name']} has no anaesthetist yet.")
        inside = next(
            (
                c
                for c in sorted(
                    self._surgeries_by_session_status.get((session["id"], "in_theatre"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if inside is not None:
            return _refused(
                f"{self.patients[inside['patient_id']]['name']} is still in "
                f"{self.theatres[session['theatre_id']]['name']}."
            )
        before = min(
            (
                c
                for c in self._to_come(session)
                if c["position"] is not None
                and surgery["position"] is not None
                and c["position"] < surgery["position"]
            ),
            key=lambda c: (c["position"], _age(c)),
            default=None,
        )
        if before is not None:
            return _refused(
                f"{self.patients[before['patient_id']]['name']} comes first in "
                f"{self.theatres[session['theatre_id']]['name']}, so reorder the list or start there."
            )
        if surgery["tray_id"] is None:
            return _refused(f"No tray has been assigned to {self.patients[surgery['patient_id']]['name']}.")
        if (
            self.trays[surgery["tray_id"]]["status"] != "sterile"
            or self.trays[surgery["tray_id"]]["sterile_until"] < self.now[:10]
        ):
            return _refused(
                f"Tray {self.trays[surgery['tray_id']]['code']} is {self.trays[surgery['tray_id']]['status']}, "
                f"with a date of {self.trays[surgery['tray_id']]['sterile_until']}, so sterilise it or assign "
                "another."
            )
        self._journal = []
        tray = self.trays[surgery["tray_id"]]
        if tray["status"] not in ("sterile", "in_use"):
            return self._take_back(f"Tray {tray['code']} cannot go from {tray['status']} to in_use.")
        self._put("trays", tray, "status", "in_use")
        self._put("surgeries", surgery, "status", "in_theatre")
        for one_session in _distinct([self.sessions.get(surgery["session_id"])]):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_c(surgery):
            return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                surgery,
                *[
                    user
                    for one in [self.sessions.get(surgery["session_id"])]
                    if one is not None
                    for user in self._surgeries_by_session.get(surgery["session_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(surgery):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_c(surgery):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_c_again(surgery):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_c_again(surgery):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_a(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(surgery):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(surgery):
            return self._take_back(RULES[6])
        if self._breaks_rule_9_a(surgery):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(surgery):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(surgery):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(surgery):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: start the {self.procedures[surgery['procedure_id']]['name']} of "
                f"{self.patients[surgery['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def finish_surgery(self, surgery_id: str, minutes: Annotated[int, {"minimum": 5, "maximum": 600}]) -> Result:
        """Record that an operation is over and how many minutes it took; after an overrun the last planned cases are
        pushed off until the rest fits.

        Args:
            surgery_id (str): Id of the surgery, such as SURGERY-00001.
            minutes (int): Time that the operation really took, in minutes, from 5 to 600.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        surgery = self.surgeries.get(surgery_id)
        if surgery is None:
            return _refused(f"There is no surgery {surgery_id!r}.")
        if surgery["status"] != "in_theatre" or surgery["session_id"] is None or surgery["tray_id"] is None:
            return _refused(f"The case of {self.patients[surgery['patient_id']]['name']} is {surgery['status']}.")
        if self.sessions[surgery["session_id"]]["starts_at"] > self.now:
            return _refused(
                f"The session of {self.patients[surgery['patient_id']]['name']} begins at "
                f"{self.sessions[surgery['session_id']]['starts_at']}."
            )
        session = self.sessions[surgery["session_id"]]
        self._journal = []
        changed_surgeries: list[Any] = []
        former_session_ids: list[Any] = []
        changed_surgeries_2: list[Any] = []
        changed_surgeries_3: list[Any] = []
        changed_surgeries_4: list[Any] = []
        self._put("surgeries", surgery, "minutes", minutes)
        self._put("surgeries", surgery, "finished_at", self.now)
        tray = self.trays[surgery["tray_id"]]
        if tray["status"] not in ("in_use", "soiled"):
            return self._take_back(f"Tray {tray['code']} cannot go from {tray['status']} to soiled.")
        self._put("trays", tray, "status", "soiled")
        self._put("surgeries", surgery, "status", "done")
        for c in sorted(
            self._to_come(session),
            key=lambda c: (-(c["position"] if c["position"] is not None else 0), _age(c)),
        ):
            if self._session_free(session) < 0:
                changed_surgeries.append(c)
                former_session_ids.append(c["session_id"])
                self._put("surgeries", c, "session_id", None)
                changed_surgeries_2.append(c)
                self._put("surgeries", c, "position", None)
                changed_surgeries_3.append(c)
                self._put("surgeries", c, "tray_id", None)
                bumped = c["bumped"] + 1
                if not 0 <= bumped <= 50:
                    return self._take_back(f"The bumped of {c['id']} must be between 0 and 50.")
                self._put("surgeries", c, "bumped", bumped)
                if c["status"] not in ("waiting", "listed"):
                    return self._take_back(f"Surgery {c['id']} cannot go from {c['status']} to waiting.")
                changed_surgeries_4.append(c)
                self._put("surgeries", c, "status", "waiting")
        for one_session in _distinct(
            [
                self.sessions.get(surgery["session_id"]),
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries],
                *[self.sessions.get(key) for key in former_session_ids],
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries_4],
            ]
        ):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_2, *changed_surgeries_4]):
            if self._breaks_rule_2_c(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                surgery,
                *[
                    user
                    for one in [self.sessions.get(surgery["session_id"])]
                    if one is not None
                    for user in self._surgeries_by_session.get(surgery["session_id"], {}).values()
                ],
                *changed_surgeries,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.sessions.get(key) for key in former_session_ids]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *changed_surgeries_2,
                *changed_surgeries_4,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries_4]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [surgery, *changed_surgeries, *changed_surgeries_2, *changed_surgeries_3, *changed_surgeries_4]
        ):
            if self._breaks_rule_3(one_surgery):
                return self._take_back(RULES[2])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_4_c(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_4_c_again(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct(changed_surgeries_3):
            if self._breaks_rule_5_c(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([surgery, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_5_c_again(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_6_a(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_6_b(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_7(one_surgery):
                return self._take_back(RULES[6])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_9_a(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_9_b(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([surgery, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_11(one_surgery):
                return self._take_back(RULES[10])
        for one_surgery in _distinct([surgery, *changed_surgeries_4]):
            if self._breaks_rule_12(one_surgery):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: finish the {self.procedures[surgery['procedure_id']]['name']} of "
                f"{self.patients[surgery['patient_id']]['name']} after {minutes} minutes."
            ),
            "data": self._changes(),
        }

    def add_emergency(self, patient_id: str, procedure_id: str, surgeon_id: str, session_id: str) -> Result:
        """Put an emergency first on a list of today; elective cases are pushed off from the end until it fits.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            procedure_id (str): Id of the procedure, such as PROCEDURE-00001.
            surgeon_id (str): Free surgeon who operates, of the procedure's specialty; an id such as
                CLINICIAN-00001.
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        procedure = self.procedures.get(procedure_id)
        if procedure is None:
            return _refused(f"There is no procedure {procedure_id!r}.")
        surgeon = self.clinicians.get(surgeon_id)
        if surgeon is None:
            return _refused(f"There is no clinician {surgeon_id!r}.")
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if surgeon["specialty"] != procedure["specialty"]:
            return _refused(f"{surgeon['name']} does not do {procedure['name']}.")
        open_case = next(
            (
                c
                for c in sorted(self._surgeries_by_patient.get(patient_id, {}).values(), key=_age)
                if c["status"] in ("waiting", "listed", "in_theatre")
            ),
            None,
        )
        if open_case is not None:
            return _refused(
                f"{patient['name']} has an open case of {self.procedures[open_case['procedure_id']]['name']}, so "
                "take that off first."
            )
        if (
            session["status"] != "planned"
            or session["starts_at"][:10] != self.now[:10]
            or self._session_ends_at(session) <= self.now
        ):
            return _refused(f"Emergencies go into a session of {self.now[:10]} that has not ended.")
        if not self.theatres[session["theatre_id"]]["clean_air"] and procedure["clean_air"]:
            return _refused(
                f"{procedure['name']} needs clean air, which {self.theatres[session['theatre_id']]['name']} has "
                "not got."
            )
        elsewhere = self._busy_surgeon(surgeon, session)
        if elsewhere is not None:
            return _refused(
                f"{surgeon['name']} operates on {self.patients[elsewhere['patient_id']]['name']} in another "
                "theatre at that time."
            )
        if self._child_gap(patient, session):
            return _refused(
                f"{patient['name']} is a child and the anaesthetist of the session is not trained for children."
            )
        room = (
            self._session_free(session)
            + sum(c["minutes"] + 15 for c in self._to_come(session) if c["urgency"] == "elective")
        )
        if room < procedure["minutes"] + 15:
            return _refused(
                f"Even without its elective cases the session has {room} minutes, and {procedure['minutes'] + 15} "
                "are needed."
            )
        self._journal = []
        changed_surgeries: list[Any] = []
        former_session_ids: list[Any] = []
        changed_surgeries_2: list[Any] = []
        changed_surgeries_3: list[Any] = []
        changed_surgeries_4: list[Any] = []
        for c in sorted(
            [c for c in self._to_come(session) if c["urgency"] == "elective"],
            key=lambda c: (-(c["position"] if c["position"] is not None else 0), _age(c)),
        ):
            if self._session_free(session) < procedure["minutes"] + 15:
                changed_surgeries.append(c)
                former_session_ids.append(c["session_id"])
                self._put("surgeries", c, "session_id", None)
                changed_surgeries_2.append(c)
                self._put("surgeries", c, "position", None)
                changed_surgeries_3.append(c)
                self._put("surgeries", c, "tray_id", None)
                bumped = c["bumped"] + 1
                if not 0 <= bumped <= 50:
                    return self._take_back(f"The bumped of {c['id']} must be between 0 and 50.")
                self._put("surgeries", c, "bumped", bumped)
                if c["status"] not in ("waiting", "listed"):
                    return self._take_back(f"Surgery {c['id']} cannot go from {c['status']} to waiting.")
                changed_surgeries_4.append(c)
                self._put("surgeries", c, "status", "waiting")
        place = self._begun(session) + 1
        for c in sorted(
            self._to_come(session),
            key=lambda c: (c["position"] if c["position"] is not None else 0, _age(c)),
        ):
            place = place + 1
            if not 1 <= place <= 30:
                return self._take_back(f"The position of {c['id']} must be between 1 and 30.")
            changed_surgeries_2.append(c)
            self._put("surgeries", c, "position", place)
        position = self._begun(session) + 1
        if not 1 <= position <= 30:
            return self._take_back("The position of a surgery must be between 1 and 30.")
        urgent_one: Surgery = {
            "id": self._new_id("surgery", "SURGERY", self.surgeries),
            "patient_id": patient_id,
            "procedure_id": procedure_id,
            "surgeon_id": surgeon_id,
            "urgency": "emergency",
            "minutes": procedure["minutes"],
            "session_id": session_id,
            "position": position,
            "tray_id": None,
            "bumped": 0,
            "finished_at": None,
            "status": "waiting",
        }
        self._add("surgeries", urgent_one)
        if urgent_one["status"] not in ("waiting", "listed"):
            return self._take_back(f"Surgery {urgent_one['id']} cannot go from {urgent_one['status']} to listed.")
        self._put("surgeries", urgent_one, "status", "listed")
        for one_session in _distinct(
            [
                self.sessions.get(urgent_one["session_id"]),
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries],
                *[self.sessions.get(key) for key in former_session_ids],
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries_4],
            ]
        ):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_2, *changed_surgeries_4]):
            if self._breaks_rule_2_c(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                urgent_one,
                *changed_surgeries,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.sessions.get(key) for key in former_session_ids]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *changed_surgeries_2,
                *changed_surgeries_4,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries_4]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.sessions.get(urgent_one["session_id"])]
                    if one is not None
                    for user in self._surgeries_by_session.get(urgent_one["session_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [urgent_one, *changed_surgeries, *changed_surgeries_2, *changed_surgeries_3, *changed_surgeries_4]
        ):
            if self._breaks_rule_3(one_surgery):
                return self._take_back(RULES[2])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_4_c(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_4_c_again(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct([urgent_one, *changed_surgeries_3]):
            if self._breaks_rule_5_c(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([urgent_one, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_5_c_again(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_6_a(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_6_b(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_7(one_surgery):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(urgent_one):
            return self._take_back(RULES[7])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_9_a(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_9_b(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([urgent_one, *changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_11(one_surgery):
                return self._take_back(RULES[10])
        for one_surgery in _distinct([urgent_one, *changed_surgeries_4]):
            if self._breaks_rule_12(one_surgery):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: put {patient['name']} first for {procedure['name']} in "
                f"{self.theatres[session['theatre_id']]['name']} with {surgeon['name']} (new: surgery "
                f"{urgent_one['id']})."
            ),
            "data": {"surgery_id": urgent_one["id"], **self._changes()},
        }

    def cancel_session(self, session_id: str) -> Result:
        """Cancel a session in which nothing has begun; its cases wait again.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["status"] != "planned":
            return _refused(f"The session in {self.theatres[session['theatre_id']]['name']} is {session['status']}.")
        if self._begun(session) != 0:
            return _refused(f"{self._begun(session)} cases of the session have begun.")
        self._journal = []
        changed_surgeries: list[Any] = []
        former_session_ids: list[Any] = []
        changed_surgeries_2: list[Any] = []
        changed_surgeries_3: list[Any] = []
        changed_surgeries_4: list[Any] = []
        for c in list(self._to_come(session)):
            changed_surgeries.append(c)
            former_session_ids.append(c["session_id"])
            self._put("surgeries", c, "session_id", None)
            changed_surgeries_2.append(c)
            self._put("surgeries", c, "position", None)
            changed_surgeries_3.append(c)
            self._put("surgeries", c, "tray_id", None)
            bumped = c["bumped"] + 1
            if not 0 <= bumped <= 50:
                return self._take_back(f"The bumped of {c['id']} must be between 0 and 50.")
            self._put("surgeries", c, "bumped", bumped)
            if c["status"] not in ("waiting", "listed"):
                return self._take_back(f"Surgery {c['id']} cannot go from {c['status']} to waiting.")
            changed_surgeries_4.append(c)
            self._put("surgeries", c, "status", "waiting")
        self._put("sessions", session, "anaesthetist_id", None)
        self._put("sessions", session, "status", "cancelled")
        for one_session in _distinct(
            [
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries],
                *[self.sessions.get(key) for key in former_session_ids],
                *[self.sessions.get(one["session_id"]) for one in changed_surgeries_4],
            ]
        ):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_2, *changed_surgeries_4]):
            if self._breaks_rule_2_c(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [
                *changed_surgeries,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.sessions.get(key) for key in former_session_ids]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
                *changed_surgeries_2,
                *changed_surgeries_4,
                *[
                    user
                    for one in [self.sessions.get(one["session_id"]) for one in changed_surgeries_4]
                    if one is not None
                    for user in self._surgeries_by_session.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_surgery):
                return self._take_back(RULES[1])
        for one_surgery in _distinct(
            [*changed_surgeries, *changed_surgeries_2, *changed_surgeries_3, *changed_surgeries_4]
        ):
            if self._breaks_rule_3(one_surgery):
                return self._take_back(RULES[2])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_4_c(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct(
            [*changed_surgeries, *changed_surgeries_4, *self._surgeries_by_session.get(session["id"], {}).values()]
        ):
            if self._breaks_rule_4_c_again(one_surgery):
                return self._take_back(RULES[3])
        for one_surgery in _distinct(changed_surgeries_3):
            if self._breaks_rule_5_c(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([*changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_5_c_again(one_surgery):
                return self._take_back(RULES[4])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_6_a(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_3, *changed_surgeries_4]):
            if self._breaks_rule_6_b(one_surgery):
                return self._take_back(RULES[5])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_7(one_surgery):
                return self._take_back(RULES[6])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_9_a(one_surgery):
                return self._take_back(RULES[8])
        for one_surgery in _distinct([*changed_surgeries, *changed_surgeries_4]):
            if self._breaks_rule_9_b(one_surgery):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_s(session):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t(session):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_s_again(session):
            return self._take_back(RULES[9])
        for one_surgery in _distinct(
            [*changed_surgeries, *changed_surgeries_4, *self._surgeries_by_session.get(session["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_surgery):
                return self._take_back(RULES[10])
        for one_surgery in _distinct(changed_surgeries_4):
            if self._breaks_rule_12(one_surgery):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the session in {self.theatres[session['theatre_id']]['name']} on "
                f"{session['starts_at']}."
            ),
            "data": self._changes(),
        }

    def _show_session(self, session: Session) -> dict[str, Any]:
        """The session as an answer shows it."""
        return {**session, "ends_at": self._session_ends_at(session), "free": self._session_free(session)}

    def _names_of_sessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sessions point to."""
        return _names(
            (self.theatres, "name", [row["theatre_id"] for row in shown]),
            (self.clinicians, "name", [row["anaesthetist_id"] for row in shown]),
        )

    def _names_of_surgeries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that surgeries point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.procedures, "name", [row["procedure_id"] for row in shown]),
            (self.clinicians, "name", [row["surgeon_id"] for row in shown]),
            (self.sessions, "code", [row["session_id"] for row in shown]),
            (self.trays, "code", [row["tray_id"] for row in shown]),
        )

    def _session_ends_at(self, session: Session) -> str:
        """The ends at of a session."""
        return _plus_minutes(session["starts_at"], session["minutes"])

    def _session_free(self, session: Session) -> int:
        """The free of a session."""
        return (
            session["minutes"]
            - sum(
                c["minutes"] + 15
                for c in self._surgeries_by_session.get(session["id"], {}).values()
                if self._on_list(c)
            )
        )

    def _on_list(self, c: Surgery) -> bool:
        return c["status"] in ("listed", "in_theatre", "done")

    def _to_come(self, s: Session) -> list[Surgery]:
        return sorted(self._surgeries_by_session_status.get((s["id"], "listed"), {}).values(), key=_age)

    def _begun(self, s: Session) -> int:
        return sum(
            1
            for c in self._surgeries_by_session.get(s["id"], {}).values()
            if c["status"] in ("in_theatre", "done")
        )

    def _at_once(self, a: Session, b: Session) -> bool:
        return (
            a is not b
            and _overlap(a["starts_at"], self._session_ends_at(a), b["starts_at"], self._session_ends_at(b))
        )

    def _busy_surgeon(self, d: Clinician, s: Session) -> Surgery | None:
        return next(
            (
                c
                for c in sorted(self._surgeries_by_surgeon.get(d["id"], {}).values(), key=_age)
                if self._on_list(c)
                and c["session_id"] is not None
                and self._at_once(self.sessions[c["session_id"]], s)
            ),
            None,
        )

    def _busy_anaesthetist(self, d: Clinician, s: Session) -> Session | None:
        return next(
            (
                t
                for t in sorted(self._sessions_by_anaesthetist.get(d["id"], {}).values(), key=_age)
                if self._at_once(t, s)
            ),
            None,
        )

    def _is_child(self, p: Patient, s: Session) -> bool:
        return _years(p["born"], s["starts_at"][:10]) < 16

    def _child_gap(self, p: Patient, s: Session) -> bool:
        return (
            self._is_child(p, s)
            and s["anaesthetist_id"] is not None
            and not self.clinicians[s["anaesthetist_id"]]["children"]
        )

    def _tray_taken(self, t: Tray, s: Session) -> Surgery | None:
        return next(
            (
                c
                for c in sorted(self._surgeries_by_tray.get(t["id"], {}).values(), key=_age)
                if c["status"] in ("listed", "in_theatre")
                and c["session_id"] is not None
                and self.sessions[c["session_id"]]["starts_at"][:10] == s["starts_at"][:10]
            ),
            None,
        )

    def _fits(self, c: Surgery, s: Session) -> bool:
        return (
            s["status"] == "planned"
            and self._session_ends_at(s) > self.now
            and self._session_free(s) >= c["minutes"] + 15
            and (self.theatres[s["theatre_id"]]["clean_air"] or not self.procedures[c["procedure_id"]]["clean_air"])
            and self._busy_surgeon(self.clinicians[c["surgeon_id"]], s) is None
            and not self._child_gap(self.patients[c["patient_id"]], s)
        )

    def _ready_tray(self, t: Tray, c: Surgery) -> bool:
        return (
            c["session_id"] is not None
            and t["kind"] == self.procedures[c["procedure_id"]]["tray_kind"]
            and t["status"] == "sterile"
            and t["sterile_until"] >= self.sessions[c["session_id"]]["starts_at"][:10]
            and self._tray_taken(t, self.sessions[c["session_id"]]) is None
        )

    def _breaks_rule_1(self, s: Session) -> bool:
        """Whether this is broken: the cases of a session, each with 15 minutes of cleaning, fit into its minutes as
        long as any is still to come.
        """
        return self._session_free(s) < 0 and len(self._to_come(s)) != 0

    def _breaks_rule_2_c(self, c: Surgery) -> bool:
        """Whether this is broken: the cases of a session have places in one order without gaps."""
        return (
            self._on_list(c)
            and any(
                other_c is not c
                for other_c in self._surgeries_by_session.get(c["session_id"], {}).values()
                if other_c["position"] == c["position"]
                and self._on_list(other_c)
            )
        )

    def _breaks_rule_2_c_again(self, c: Surgery) -> bool:
        """Whether this is broken: the cases of a session have places in one order without gaps."""
        return (
            self._on_list(c)
            and (
                c["position"] is None
                or c["session_id"] is None
                or c["position"] > sum(
                    1
                    for d in self._surgeries_by_session.get(c["session_id"], {}).values()
                    if self._on_list(d)
                )
            )
        )

    def _breaks_rule_3(self, c: Surgery) -> bool:
        """Whether this is broken: whoever is not on a list has no session, no place and no tray."""
        return (
            not self._on_list(c)
            and (c["session_id"] is not None or c["position"] is not None or c["tray_id"] is not None)
        )

    def _breaks_rule_4_c(self, c: Surgery) -> bool:
        """Whether this is broken: one patient is operated on at a time in a session, and a cancelled session has no
        cases.
        """
        return (
            c["status"] == "in_theatre"
            and any(
                other_c is not c
                for other_c in self._surgeries_by_session_status.get((c["session_id"], "in_theatre"), {}).values()
            )
        )

    def _breaks_rule_4_c_again(self, c: Surgery) -> bool:
        """Whether this is broken: one patient is operated on at a time in a session, and a cancelled session has no
        cases.
        """
        return (
            self._on_list(c)
            and c["session_id"] is not None
            and self.sessions[c["session_id"]]["status"] == "cancelled"
        )

    def _breaks_rule_5_c(self, c: Surgery) -> bool:
        """Whether this is broken: a case is done with a tray of the kind that its procedure needs."""
        return (
            c["tray_id"] is not None
            and self.trays[c["tray_id"]]["kind"] != self.procedures[c["procedure_id"]]["tray_kind"]
        )

    def _breaks_rule_5_c_again(self, c: Surgery) -> bool:
        """Whether this is broken: a case is done with a tray of the kind that its procedure needs."""
        return c["status"] == "in_theatre" and c["tray_id"] is None

    def _breaks_rule_6_a(self, a: Surgery) -> bool:
        """Whether this is broken: a tray is meant for one case a day."""
        return (
            a["tray_id"] is not None
            and a["status"] in ("listed", "in_theatre")
            and any(
                a["session_id"] is None
                or b["session_id"] is None
                or self.sessions[
                    a["session_id"]
                ]["starts_at"][:10] == self.sessions[b["session_id"]]["starts_at"][:10]
                for b in self._surgeries_by_tray.get(a["tray_id"], {}).values()
                if a is not b
                and b["status"] in ("listed", "in_theatre")
            )
        )

    def _breaks_rule_6_b(self, b: Surgery) -> bool:
        """Whether this is broken: a tray is meant for one case a day."""
        return (
            b["status"] in ("listed", "in_theatre")
            and any(
                a["session_id"] is None
                or b["session_id"] is None
                or self.sessions[
                    a["session_id"]
                ]["starts_at"][:10] == self.sessions[b["session_id"]]["starts_at"][:10]
                for a in self._surgeries_by_tray.get(b["tray_id"], {}).values()
                if a is not b
                and a["tray_id"] is not None
                and a["status"] in ("listed", "in_theatre")
            )
        )

    def _breaks_rule_7(self, c: Surgery) -> bool:
        """Whether this is broken: procedures that need clean air are done in theatres that have it."""
        return (
            self._on_list(c)
            and self.procedures[c["procedure_id"]]["clean_air"]
            and (
                c["session_id"] is None
                or not self.theatres[self.sessions[c["session_id"]]["theatre_id"]]["clean_air"]
            )
        )

    def _breaks_rule_8(self, c: Surgery) -> bool:
        """Whether this is broken: a surgeon operates within their specialty."""
        return (
            self.clinicians[c["surgeon_id"]]["role"] != "surgeon"
            or self.clinicians[c["surgeon_id"]]["specialty"] != self.procedures[c["procedure_id"]]["specialty"]
        )

    def _breaks_rule_9_a(self, a: Surgery) -> bool:
        """Whether this is broken: a surgeon is on the lists of no two sessions at the same time."""
        return (
            self._on_list(a)
            and any(
                a["session_id"] is not None
                and b["session_id"] is not None
                and self._at_once(self.sessions[a["session_id"]], self.sessions[b["session_id"]])
                for b in self._surgeries_by_surgeon.get(a["surgeon_id"], {}).values()
                if a is not b
                and self._on_list(b)
            )
        )

    def _breaks_rule_9_b(self, b: Surgery) -> bool:
        """Whether this is broken: a surgeon is on the lists of no two sessions at the same time."""
        return (
            self._on_list(b)
            and any(
                a["session_id"] is not None
                and b["session_id"] is not None
                and self._at_once(self.sessions[a["session_id"]], self.sessions[b["session_id"]])
                for a in self._surgeries_by_surgeon.get(b["surgeon_id"], {}).values()
                if a is not b
                and self._on_list(a)
            )
        )

    def _breaks_rule_10_s(self, s: Session) -> bool:
        """Whether this is broken: an anaesthetist looks after one session at a time."""
        return (
            s["anaesthetist_id"] is not None
            and any(
                self._at_once(s, t)
                for t in self._sessions_by_anaesthetist.get(s["anaesthetist_id"], {}).values()
                if s is not t
            )
        )

    def _breaks_rule_10_t(self, t: Session) -> bool:
        """Whether this is broken: an anaesthetist looks after one session at a time."""
        return any(
            self._at_once(s, t)
            for s in self._sessions_by_anaesthetist.get(t["anaesthetist_id"], {}).values()
            if s is not t
            and s["anaesthetist_id"] is not None
        )

    def _breaks_rule_10_s_again(self, s: Session) -> bool:
        """Whether this is broken: an anaesthetist looks after one session at a time."""
        return s["anaesthetist_id"] is not None and self.clinicians[s["anaesthetist_id"]]["role"] != "anaesthetist"

    def _breaks_rule_11(self, c: Surgery) -> bool:
        """Whether this is broken: children under 16 are anaesthetised by somebody trained for it."""
        return (
            self._on_list(c)
            and (
                c["session_id"] is not None
                and self._child_gap(self.patients[c["patient_id"]], self.sessions[c["session_id"]])
            )
        )

    def _breaks_rule_12(self, c: Surgery) -> bool:
        """Whether this is broken: a patient has one open case at most."""
        return (
            c["status"] in ("waiting", "listed", "in_theatre")
            and any(
                other_c is not c
                for other_c in self._surgeries_by_patient.get(c["patient_id"], {}).values()
                if other_c["status"] in ("waiting", "listed", "in_theatre")
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
            case "sessions":
                self._sessions_by_anaesthetist.setdefault(record["anaesthetist_id"], {})[record["id"]] = record
            case "surgeries":
                self._surgeries_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
                self._surgeries_by_session.setdefault(record["session_id"], {})[record["id"]] = record
                self._surgeries_by_session_status.setdefault(
                    (record["session_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._surgeries_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._surgeries_by_surgeon.setdefault(record["surgeon_id"], {})[record["id"]] = record
                self._surgeries_by_tray.setdefault(record["tray_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sessions":
                del self._sessions_by_anaesthetist[record["anaesthetist_id"]][record["id"]]
            case "surgeries":
                del self._surgeries_by_patient[record["patient_id"]][record["id"]]
                del self._surgeries_by_session[record["session_id"]][record["id"]]
                del self._surgeries_by_session_status[record["session_id"], record["status"]][record["id"]]
                del self._surgeries_by_status[record["status"]][record["id"]]
                del self._surgeries_by_surgeon[record["surgeon_id"]][record["id"]]
                del self._surgeries_by_tray[record["tray_id"]][record["id"]]
