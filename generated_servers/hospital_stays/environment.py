"""Hospital stays. Compiled from blueprint.yaml; run `envscaler build hospital_stays` after changing it there.

Places patients in the beds of a hospital, with planned and emergency admissions, transfers, isolation,
discharge and the cleaning of beds.
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
    "A bed holds at most one patient.",
    "A patient has at most one stay under way and at most one planned admission.",
    "Women and men share a room only on a mixed ward.",
    "A patient who carries a germ shares a room only with patients who carry the same germ.",
    "A patient with tuberculosis lies in a room with an airlock.",
    "Patients lie in clean beds only.",
    "A ward takes only patients of its age group.",
    "A patient is treated by a doctor of the ward where they lie.",
    "A doctor never has more patients than they can take.",
    "A ward plans no more admissions for a day than it has beds.",
    "A discharged stay has a time and an outcome, and a stay under way has neither.",
    "A patient who has died has no stay under way and no planned admission.",
    "A blocked bed says why, and no other bed is blocked.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_admission",
    "cancel_admission",
    "admit_patient",
    "admit_emergency",
    "transfer_patient",
    "isolate_patient",
    "lift_isolation",
    "discharge_patient",
    "clean_bed",
    "block_bed",
    "reopen_bed",
)
"""The methods that may change something; all others only read."""

BED_CONDITION_MOVES = {
    ("clean", "dirty"),
    ("clean", "contaminated"),
    ("clean", "blocked"),
    ("dirty", "clean"),
    ("dirty", "blocked"),
    ("contaminated", "clean"),
    ("blocked", "dirty"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "wards": ("name",),
    "rooms": ("number",),
    "beds": ("label",),
    "patients": ("name",),
    "doctors": ("name",),
    "admissions": (),
    "stays": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("admissions", "patient_id"),
    ("admissions", "status"),
    ("admissions", "ward_id"),
    ("beds", "condition"),
    ("beds", "room_id"),
    ("rooms", "ward_id"),
    ("stays", "bed_id"),
    ("stays", "doctor_id"),
    ("stays", "patient_id"),
    ("stays", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Ward(TypedDict):
    id: str
    name: str
    specialty: Literal["cardiology", "surgery", "orthopaedics", "internal_medicine", "paediatrics", "intensive_care"]
    from_age: int
    to_age: int
    mixed: bool


class Room(TypedDict):
    id: str
    number: str
    ward_id: str
    airlock: bool


class Bed(TypedDict):
    id: str
    label: str
    room_id: str
    cleaned_at: str | None
    blocked_for: str | None
    condition: Literal["clean", "dirty", "contaminated", "blocked"]


class Patient(TypedDict):
    id: str
    name: str
    born: str
    sex: Literal["female", "male"]
    carries: Literal["mrsa", "norovirus", "influenza", "tuberculosis"] | None
    died_on: str | None


class Doctor(TypedDict):
    id: str
    name: str
    ward_id: str
    most_patients: int


class Admission(TypedDict):
    id: str
    patient_id: str
    ward_id: str
    planned_on: str
    diagnosis: str
    urgent: bool
    status: Literal["planned", "admitted", "cancelled"]


class Stay(TypedDict):
    id: str
    patient_id: str
    bed_id: str
    doctor_id: str
    diagnosis: str
    planned_id: str | None
    admitted_at: str
    moved_at: str | None
    moved_for: Literal["medical", "isolation", "bed_blocked", "own_wish"] | None
    discharged_at: str | None
    outcome: Literal["home", "rehabilitation", "other_hospital", "died"] | None
    status: Literal["admitted", "discharged"]


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class HospitalStays:
    """Places patients in the beds of a hospital, with planned and emergency admissions, transfers,
    isolation, discharge and the cleaning of beds.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.wards: dict[str, Ward] = _copied(config.get("wards", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.beds: dict[str, Bed] = _copied(config.get("beds", {}))
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.doctors: dict[str, Doctor] = _copied(config.get("doctors", {}))
        self.admissions: dict[str, Admission] = _copied(config.get("admissions", {}))
        self.stays: dict[str, Stay] = _copied(config.get("stays", {}))
        self.now: str = config.get("now", "2026-03-02T10:00")
        self.counters: dict[str, int] = {
            "ward": len(self.wards),
            "room": len(self.rooms),
            "bed": len(self.beds),
            "patient": len(self.patients),
            "doctor": len(self.doctors),
            "admission": len(self.admissions),
            "stay": len(self.stays),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._rooms_by_ward: dict[Any, dict[str, Room]] = {}
        self._beds_by_room: dict[Any, dict[str, Bed]] = {}
        self._beds_by_room_condition: dict[Any, dict[str, Bed]] = {}
        self._admissions_by_patient_status: dict[Any, dict[str, Admission]] = {}
        self._admissions_by_ward_status: dict[Any, dict[str, Admission]] = {}
        self._stays_by_bed: dict[Any, dict[str, Stay]] = {}
        self._stays_by_bed_status: dict[Any, dict[str, Stay]] = {}
        self._stays_by_doctor_status: dict[Any, dict[str, Stay]] = {}
        self._stays_by_patient_status: dict[Any, dict[str, Stay]] = {}
        self._stays_by_status: dict[Any, dict[str, Stay]] = {}
        for room in self.rooms.values():
            self._link("rooms", room)
        for bed in self.beds.values():
            self._link("beds", bed)
        for admission in self.admissions.values():
            self._link("admissions", admission)
        for stay in self.stays.values():
            self._link("stays", stay)

    def suitable_beds(
        self,
        patient_id: str,
        ward_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Clean and free beds in which a patient may lie, by age, sex and isolation.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            ward_id (str, optional): Ward that the beds are on; an id such as WARD-00001. If left out, beds on all
                wards are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "beds": records}} or {"success": False, "error": why
                not}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        ward = self.wards.get(ward_id) if ward_id is not None else None
        if ward_id is not None and ward is None:
            return _refused(f"There is no ward {ward_id!r}.")
        found = [
            b
            for b in self.beds.values()
            if (ward_id is None or self.rooms[b["room_id"]]["ward_id"] == ward_id)
            and (b["condition"] == "clean" and not self._bed_taken(b))
            and self._of_age(patient, self.wards[self.rooms[b["room_id"]]["ward_id"]], self.now[:10])
            and (patient["carries"] != "tuberculosis" or self.rooms[b["room_id"]]["airlock"])
            and self._other_germ(patient, self.rooms[b["room_id"]]) is None
            and self._other_sex(patient, self.rooms[b["room_id"]]) is None
        ]
        found.sort(key=lambda b: (self.wards[self.rooms[b["room_id"]]["ward_id"]]["name"], b["label"], _age(b)))
        return _found(
            {
                "total": len(found),
                "beds": [
                    {
                        "id": b["id"],
                        "label": b["label"],
                        "room": self.rooms[b["room_id"]]["number"],
                        "ward": self.wards[self.rooms[b["room_id"]]["ward_id"]]["name"],
                        "room_mates": self._room_patients(self.rooms[b["room_id"]]),
                        "airlock": self.rooms[b["room_id"]]["airlock"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def ward_round(
        self,
        ward_id: str,
        doctor_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The patients who lie on a ward, bed by bed.

        Args:
            ward_id (str): Id of the ward, such as WARD-00001.
            doctor_id (str, optional): Doctor who treats the patients; an id such as DOCTOR-00001. If left out,
                patients of all doctors are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stays": records}} or {"success": False, "error": why
                not}
        """
        ward = self.wards.get(ward_id)
        if ward is None:
            return _refused(f"There is no ward {ward_id!r}.")
        doctor = self.doctors.get(doctor_id) if doctor_id is not None else None
        if doctor_id is not None and doctor is None:
            return _refused(f"There is no doctor {doctor_id!r}.")
        found = [
            s
            for s in [
                s
                for _room in self._rooms_by_ward.get(ward_id, {}).values()
                for _bed in self._beds_by_room.get(_room["id"], {}).values()
                for s in self._stays_by_bed.get(_bed["id"], {}).values()
            ]
            if (s["status"] == "admitted" and self.rooms[self.beds[s["bed_id"]]["room_id"]]["ward_id"] == ward_id)
            and (doctor_id is None or s["doctor_id"] == doctor_id)
        ]
        found.sort(key=lambda s: (self.beds[s["bed_id"]]["label"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stays": [
                    {
                        "id": s["id"],
                        "bed": self.beds[s["bed_id"]]["label"],
                        "patient": self.patients[s["patient_id"]]["name"],
                        "diagnosis": s["diagnosis"],
                        "doctor": self.doctors[s["doctor_id"]]["name"],
                        "carries": self.patients[s["patient_id"]]["carries"],
                        "days": _days_between(s["admitted_at"][:10], self.now[:10]),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def beds_to_clean(
        self,
        ward_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Beds that wait for cleaning or disinfection.

        Args:
            ward_id (str, optional): Ward that the beds are on; an id such as WARD-00001. If left out, beds on all
                wards are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "beds": records}} or {"success": False, "error": why
                not}
        """
        ward = self.wards.get(ward_id) if ward_id is not None else None
        if ward_id is not None and ward is None:
            return _refused(f"There is no ward {ward_id!r}.")
        found = [
            b
            for b in self.beds.values()
            if b["condition"] in ("dirty", "contaminated")
            and (ward_id is None or self.rooms[b["room_id"]]["ward_id"] == ward_id)
        ]
        found.sort(key=lambda b: (b["label"], _age(b)))
        return _found(
            {
                "total": len(found),
                "beds": [
                    {
                        "id": b["id"],
                        "label": b["label"],
                        "ward": self.wards[self.rooms[b["room_id"]]["ward_id"]]["name"],
                        "condition": b["condition"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def expected_patients(
        self,
        until: Date,
        ward_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Planned admissions until a day, urgent ones first on each day.

        Args:
            until (str): Last day of admissions to include, as YYYY-MM-DD.
            ward_id (str, optional): Ward that expects the patients; an id such as WARD-00001. If left out,
                admissions to all wards are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "admissions": records}} or {"success": False, "error":
                why not}
        """
        ward = self.wards.get(ward_id) if ward_id is not None else None
        if ward_id is not None and ward is None:
            return _refused(f"There is no ward {ward_id!r}.")
        found = [
            a
            for a in self.admissions.values()
            if (a["status"] == "planned" and a["planned_on"] <= until)
            and (ward_id is None or a["ward_id"] == ward_id)
        ]
        found.sort(key=lambda a: (a["planned_on"], 0 if a["urgent"] else 1, a["id"], _age(a)))
        return _found(
            {
                "total": len(found),
                "admissions": [
                    {
                        "id": a["id"],
                        "patient": self.patients[a["patient_id"]]["name"],
                        "sex": self.patients[a["patient_id"]]["sex"],
                        "carries": self.patients[a["patient_id"]]["carries"],
                        "ward": self.wards[a["ward_id"]]["name"],
                        "planned_on": a["planned_on"],
                        "diagnosis": a["diagnosis"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_wards(
        self,
        name: Text | None = None,
        specialty: Literal[
            "cardiology",
            "surgery",
            "orthopaedics",
            "internal_medicine",
            "paediatrics",
            "intensive_care",
        ] | None = None,
        mixed: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the wards, oldest first, all of them or only some.

        Args:
            name (str, optional): Only wards whose name contains this text.
            specialty (str, optional): Only wards with this specialty.
            mixed (bool, optional): Only wards that are mixed (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wards": records}}
        """
        found = [
            ward
            for ward in self.wards.values()
            if (name is None or name.casefold() in ward["name"].casefold())
            and (specialty is None or ward["specialty"] == specialty)
            and (mixed is None or ward["mixed"] == mixed)
        ]
        return _found({"total": len(found), "wards": [self._show_ward(ward) for ward in _page(found, offset)]})

    def list_rooms(
        self,
        number: Text | None = None,
        ward_id: str | None = None,
        airlock: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            number (str, optional): Only rooms whose number contains this text.
            ward_id (str, optional): Only rooms of this ward.
            airlock (bool, optional): Only rooms with this value of `airlock`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        if ward_id is not None and ward_id not in self.wards:
            return _refused(f"There is no ward {ward_id!r}.")
        found = [
            room
            for room in self.rooms.values()
            if (number is None or number.casefold() in room["number"].casefold())
            and (ward_id is None or room["ward_id"] == ward_id)
            and (airlock is None or room["airlock"] == airlock)
        ]
        shown = [self._show_room(room) for room in _page(found, offset)]
        return _found({"total": len(found), "rooms": shown}, self._names_of_rooms(shown))

    def list_beds(
        self,
        label: Text | None = None,
        room_id: str | None = None,
        condition: Literal["clean", "dirty", "contaminated", "blocked"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the beds, oldest first, all of them or only some.

        Args:
            label (str, optional): Only beds whose label contains this text.
            room_id (str, optional): Only beds of this room.
            condition (str, optional): Only beds with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "beds": records}}
        """
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            bed
            for bed in self.beds.values()
            if (label is None or label.casefold() in bed["label"].casefold())
            and (room_id is None or bed["room_id"] == room_id)
            and (condition is None or bed["condition"] == condition)
        ]
        shown = [self._show_bed(bed) for bed in _page(found, offset)]
        return _found({"total": len(found), "beds": shown}, self._names_of_beds(shown))

    def list_patients(
        self,
        name: Text | None = None,
        sex: Literal["female", "male"] | None = None,
        carries: Literal["mrsa", "norovirus", "influenza", "tuberculosis"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patients whose name contains this text.
            sex (str, optional): Only patients with this sex.
            carries (str, optional): Only patients whose `carries` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}}
        """
        found = [
            patient
            for patient in self.patients.values()
            if (name is None or name.casefold() in patient["name"].casefold())
            and (sex is None or patient["sex"] == sex)
            and (carries is None or patient["carries"] == carries)
        ]
        return _found({"total": len(found), "patients": [{**patient} for patient in _page(found, offset)]})

    def list_doctors(
        self,
        name: Text | None = None,
        ward_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the doctors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only doctors whose name contains this text.
            ward_id (str, optional): Only doctors of this ward.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "doctors": records}}
        """
        if ward_id is not None and ward_id not in self.wards:
            return _refused(f"There is no ward {ward_id!r}.")
        found = [
            doctor
            for doctor in self.doctors.values()
            if (name is None or name.casefold() in doctor["name"].casefold())
            and (ward_id is None or doctor["ward_id"] == ward_id)
        ]
        shown = [self._show_doctor(doctor) for doctor in _page(found, offset)]
        return _found({"total": len(found), "doctors": shown}, self._names_of_doctors(shown))

    def list_admissions(
        self,
        patient_id: str | None = None,
        ward_id: str | None = None,
        urgent: bool | None = None,
        status: Literal["planned", "admitted", "cancelled"] | None = None,
        planned_on_from: Date | None = None,
        planned_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the admissions, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only admissions of this patient.
            ward_id (str, optional): Only admissions of this ward.
            urgent (bool, optional): Only admissions that are urgent (true) or not (false).
            status (str, optional): Only admissions with this status.
            planned_on_from (str, optional): Only admissions whose `planned_on` is on this day or later.
            planned_on_to (str, optional): Only admissions whose `planned_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "admissions": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if ward_id is not None and ward_id not in self.wards:
            return _refused(f"There is no ward {ward_id!r}.")
        found = [
            admission
            for admission in self.admissions.values()
            if (patient_id is None or admission["patient_id"] == patient_id)
            and (ward_id is None or admission["ward_id"] == ward_id)
            and (urgent is None or admission["urgent"] == urgent)
            and (status is None or admission["status"] == status)
            and (planned_on_from is None or admission["planned_on"] >= planned_on_from)
            and (planned_on_to is None or admission["planned_on"] <= planned_on_to)
        ]
        shown = [{**admission} for admission in _page(found, offset)]
        return _found({"total": len(found), "admissions": shown}, self._names_of_admissions(shown))

    def list_stays(
        self,
        patient_id: str | None = None,
        bed_id: str | None = None,
        doctor_id: str | None = None,
        planned_id: str | None = None,
        moved_for: Literal["medical", "isolation", "bed_blocked", "own_wish"] | None = None,
        outcome: Literal["home", "rehabilitation", "other_hospital", "died"] | None = None,
        status: Literal["admitted", "discharged"] | None = None,
        admitted_at_from: Date | None = None,
        admitted_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stays, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only stays of this patient.
            bed_id (str, optional): Only stays of this bed.
            doctor_id (str, optional): Only stays of this doctor.
            planned_id (str, optional): Only stays whose planned is this admission.
            moved_for (str, optional): Only stays whose `moved_for` is this.
            outcome (str, optional): Only stays with this outcome.
            status (str, optional): Only stays with this status.
            admitted_at_from (str, optional): Only stays whose `admitted_at` is on this day or later.
            admitted_at_to (str, optional): Only stays whose `admitted_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stays": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if bed_id is not None and bed_id not in self.beds:
            return _refused(f"There is no bed {bed_id!r}.")
        if doctor_id is not None and doctor_id not in self.doctors:
            return _refused(f"There is no doctor {doctor_id!r}.")
        if planned_id is not None and planned_id not in self.admissions:
            return _refused(f"There is no admission {planned_id!r}.")
        found = [
            stay
            for stay in self.stays.values()
            if (patient_id is None or stay["patient_id"] == patient_id)
            and (bed_id is None or stay["bed_id"] == bed_id)
            and (doctor_id is None or stay["doctor_id"] == doctor_id)
            and (planned_id is None or stay["planned_id"] == planned_id)
            and (moved_for is None or stay["moved_for"] == moved_for)
            and (outcome is None or stay["outcome"] == outcome)
            and (status is None or stay["status"] == status)
            and (admitted_at_from is None or stay["admitted_at"][:10] >= admitted_at_from)
            and (admitted_at_to is None or stay["admitted_at"][:10] <= admitted_at_to)
        ]
        shown = [{**stay} for stay in _page(found, offset)]
        return _found({"total": len(found), "stays": shown}, self._names_of_stays(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_admission(
        self,
        patient_id: str,
        ward_id: str,
        on: Date,
        diagnosis: Text,
        urgent: bool = False,
    ) -> Result:
        """Plan the admission of a patient to a ward for a day.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            ward_id (str): Id of the ward, such as WARD-00001.
            on (str): Day on which the patient is to come, from today to 180 days ahead, as YYYY-MM-DD.
            diagnosis (str): Diagnosis for which the patient is admitted.
            urgent (bool): Whether it goes before other admissions of that day. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        ward = self.wards.get(ward_id)
        if ward is None:
            return _refused(f"There is no ward {ward_id!r}.")
        if patient["died_on"] is not None:
            return _refused(f"{patient['name']} died on {patient['died_on']}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 180):
            return _refused(
                f"Admissions are planned from {self.now[:10]} to {_plus_days(self.now[:10], 180)}, not for {on}."
            )
        other = self._plan_of(patient)
        if other is not None:
            return _refused(
                f"{patient['name']} is planned for {self.wards[other['ward_id']]['name']} on "
                f"{other['planned_on']} already."
            )
        if not self._of_age(patient, ward, on):
            return _refused(
                f"{ward['name']} takes patients from {ward['from_age']} to {ward['to_age']} years and "
                f"{patient['name']} will be {_years(patient['born'], on)}."
            )
        if sum(
            1
            for a in self._admissions_by_ward_status.get((ward_id, "planned"), {}).values()
            if a["planned_on"] == on
        ) >= self._ward_beds(ward):
            return _refused(f"{ward['name']} has no place left for {on}.")
        self._journal = []
        admission: Admission = {
            "id": self._new_id("admission", "ADMISSION", self.admissions),
            "patient_id": patient_id,
            "ward_id": ward_id,
            "planned_on": on,
            "diagnosis": diagnosis,
            "urgent": urgent,
            "status": "planned",
        }
        self._add("admissions", admission)
        if self._breaks_rule_2_a(admission):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_a(admission):
            return self._take_back(RULES[6])
        for one_admission in _distinct(
            [admission, *self._admissions_by_ward_status.get((admission["ward_id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_10(one_admission):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_a(admission):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: plan the admission of {patient['name']} to {ward['name']} on {on} (new: admission "
                f"{admission['id']})."
            ),
            "data": {"admission_id": admission["id"], **self._changes()},
        }

    def cancel_admission(self, admission_id: str) -> Result:
        """Cancel a planned admission.

        Args:
            admission_id (str): Id of the admission, such as ADMISSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        admission = self.admissions.get(admission_id)
        if admission is None:
            return _refused(f"There is no admission {admission_id!r}.")
        if admission["status"] != "planned":
            return _refused(
                f"The admission of {self.patients[admission['patient_id']]['name']} is {admission['status']}."
            )
        self._journal = []
        self._put("admissions", admission, "status", "cancelled")
        if self._breaks_rule_2_a(admission):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_a(admission):
            return self._take_back(RULES[6])
        for one_admission in _distinct(
            [admission, *self._admissions_by_ward_status.get((admission["ward_id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_10(one_admission):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_a(admission):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the admission of {self.patients[admission['patient_id']]['name']} to "
                f"{self.wards[admission['ward_id']]['name']} planned for {admission['planned_on']}."
            ),
            "data": self._changes(),
        }

    def admit_patient(self, admission_id: str, bed_id: str, doctor_id: str) -> Result:
        """Admit a patient whose admission is planned for today or earlier to a clean, free bed of that ward.

        Args:
            admission_id (str): Id of the admission, such as ADMISSION-00001.
            bed_id (str): Id of the bed, such as BED-00001.
            doctor_id (str): Id of the doctor, such as DOCTOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        admission = self.admissions.get(admission_id)
        if admission is None:
            return _refused(f"There is no admission {admission_id!r}.")
        bed = self.beds.get(bed_id)
        if bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        doctor = self.doctors.get(doctor_id)
        if doctor is None:
            return _refused(f"There is no doctor {doctor_id!r}.")
        if admission["status"] != "planned":
            return _refused(
                f"The admission of {self.patients[admission['patient_id']]['name']} is {admission['status']}."
            )
        patient = self.patients[admission["patient_id"]]
        ward = self.wards[admission["ward_id"]]
        stay = self._stay_of(patient)
        if stay is not None:
            return _refused(f"{patient['name']} lies in bed {self.beds[stay['bed_id']]['label']} already.")
        if admission["planned_on"] > self.now[:10]:
            return _refused(f"{patient['name']} is planned for {admission['planned_on']}, not for {self.now[:10]}.")
        if self.rooms[bed["room_id"]]["ward_id"] != ward["id"]:
            return _refused(
                f"{patient['name']} is planned for {ward['name']} and bed {bed['label']} is on "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['name']}."
            )
        if not self._of_age(patient, ward, self.now[:10]):
            return _refused(
                f"{ward['name']} takes patients from {ward['from_age']} to {ward['to_age']} years and "
                f"{patient['name']} is {_years(patient['born'], self.now[:10])}."
            )
        if doctor["ward_id"] != ward["id"]:
            return _refused(
                f"{doctor['name']} works on {self.wards[doctor['ward_id']]['name']}, not on {ward['name']}."
            )
        if self._doctor_patients(doctor) >= doctor["most_patients"]:
            return _refused(f"{doctor['name']} has {self._doctor_patients(doctor)} patients and can take no more.")
        if bed["condition"] != "clean":
            return _refused(f"Bed {bed['label']} is {bed['condition']}.")
        if self._bed_taken(bed):
            return _refused(f"Bed {bed['label']} is taken.")
        if patient["carries"] == "tuberculosis" and not self.rooms[bed["room_id"]]["airlock"]:
            return _refused(f"{patient['name']} needs a room with an airlock.")
        germ = self._other_germ(patient, self.rooms[bed["room_id"]])
        if germ is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[bed['room_id']]['number']} with "
                f"{self.patients[germ['patient_id']]['name']} for reasons of isolation."
            )
        mate = self._other_sex(patient, self.rooms[bed["room_id"]])
        if mate is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[bed['room_id']]['number']} with "
                f"{self.patients[mate['patient_id']]['name']}, who is {self.patients[mate['patient_id']]['sex']}."
            )
        self._journal = []
        new_stay: Stay = {
            "id": self._new_id("stay", "STAY", self.stays),
            "patient_id": patient["id"],
            "bed_id": bed_id,
            "doctor_id": doctor_id,
            "diagnosis": admission["diagnosis"],
            "planned_id": admission_id,
            "admitted_at": self.now,
            "moved_at": None,
            "moved_for": None,
            "discharged_at": None,
            "outcome": None,
            "status": "admitted",
        }
        self._add("stays", new_stay)
        self._put("admissions", admission, "status", "admitted")
        if self._breaks_rule_1(new_stay):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(new_stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_a(admission):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(new_stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(new_stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(new_stay):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(new_stay):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(new_stay):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(new_stay):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a(admission):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(new_stay):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.doctors[new_stay["doctor_id"]]):
            return self._take_back(RULES[8])
        for one_admission in _distinct(
            [admission, *self._admissions_by_ward_status.get((admission["ward_id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_10(one_admission):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(new_stay):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_s(new_stay):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_a(admission):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: admit {self.patients[admission['patient_id']]['name']} as planned to bed {bed['label']} "
                f"under {doctor['name']} (new: stay {new_stay['id']})."
            ),
            "data": {"stay_id": new_stay["id"], **self._changes()},
        }

    def admit_emergency(self, patient_id: str, bed_id: str, doctor_id: str, diagnosis: Text) -> Result:
        """Admit a patient without a plan to a clean, free bed.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            bed_id (str): Id of the bed, such as BED-00001.
            doctor_id (str): Id of the doctor, such as DOCTOR-00001.
            diagnosis (str): Diagnosis with which the patient is admitted.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        bed = self.beds.get(bed_id)
        if bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        doctor = self.doctors.get(doctor_id)
        if doctor is None:
            return _refused(f"There is no doctor {doctor_id!r}.")
        if patient["died_on"] is not None:
            return _refused(f"{patient['name']} died on {patient['died_on']}.")
        stay = self._stay_of(patient)
        if stay is not None:
            return _refused(f"{patient['name']} lies in bed {self.beds[stay['bed_id']]['label']} already.")
        if not self._of_age(patient, self.wards[self.rooms[bed["room_id"]]["ward_id"]], self.now[:10]):
            return _refused(
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['name']} takes patients from "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['from_age']} to "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['to_age']} years and {patient['name']} is "
                f"{_years(patient['born'], self.now[:10])}."
            )
        if doctor["ward_id"] != self.rooms[bed["room_id"]]["ward_id"]:
            return _refused(
                f"{doctor['name']} works on {self.wards[doctor['ward_id']]['name']}, not on "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['name']}."
            )
        if self._doctor_patients(doctor) >= doctor["most_patients"]:
            return _refused(f"{doctor['name']} has {self._doctor_patients(doctor)} patients and can take no more.")
        if bed["condition"] != "clean":
            return _refused(f"Bed {bed['label']} is {bed['condition']}.")
        if self._bed_taken(bed):
            return _refused(f"Bed {bed['label']} is taken.")
        if patient["carries"] == "tuberculosis" and not self.rooms[bed["room_id"]]["airlock"]:
            return _refused(f"{patient['name']} needs a room with an airlock.")
        germ = self._other_germ(patient, self.rooms[bed["room_id"]])
        if germ is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[bed['room_id']]['number']} with "
                f"{self.patients[germ['patient_id']]['name']} for reasons of isolation."
            )
        mate = self._other_sex(patient, self.rooms[bed["room_id"]])
        if mate is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[bed['room_id']]['number']} with "
                f"{self.patients[mate['patient_id']]['name']}, who is {self.patients[mate['patient_id']]['sex']}."
            )
        self._journal = []
        new_stay: Stay = {
            "id": self._new_id("stay", "STAY", self.stays),
            "patient_id": patient_id,
            "bed_id": bed_id,
            "doctor_id": doctor_id,
            "diagnosis": diagnosis,
            "planned_id": None,
            "admitted_at": self.now,
            "moved_at": None,
            "moved_for": None,
            "discharged_at": None,
            "outcome": None,
            "status": "admitted",
        }
        self._add("stays", new_stay)
        if self._breaks_rule_1(new_stay):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(new_stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(new_stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(new_stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(new_stay):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(new_stay):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(new_stay):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(new_stay):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(new_stay):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.doctors[new_stay["doctor_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(new_stay):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_s(new_stay):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: admit {patient['name']} as an emergency to bed {bed['label']} under {doctor['name']} "
                f"(new: stay {new_stay['id']})."
            ),
            "data": {"stay_id": new_stay["id"], **self._changes()},
        }

    def transfer_patient(
        self,
        patient_id: str,
        bed_id: str,
        reason: Literal["medical", "isolation", "bed_blocked", "own_wish"] | None = None,
        doctor_id: str | None = None,
    ) -> Result:
        """Transfer a patient to another bed, on another ward with a doctor of that ward, and the old bed must be
        cleaned; or hand them over to another doctor in the bed where they lie.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            bed_id (str): Id of the bed, such as BED-00001.
            reason (str, optional): Why the patient changes beds, only for another bed than now: medical,
                isolation, bed_blocked or own_wish. If left out, the bed given must be the present one, and only
                the doctor changes.
            doctor_id (str, optional): Doctor who takes over, of the ward the bed is on; an id such as
                DOCTOR-00001. If left out, the doctor stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        bed = self.beds.get(bed_id)
        if bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        doctor = self.doctors.get(doctor_id) if doctor_id is not None else None
        if doctor_id is not None and doctor is None:
            return _refused(f"There is no doctor {doctor_id!r}.")
        stay = self._stay_of(patient)
        if stay is None:
            return _refused(f"{patient['name']} is not in the hospital.")
        carer = doctor or self.doctors[stay["doctor_id"]]
        if bed_id == stay["bed_id"] and carer["id"] == stay["doctor_id"]:
            return _refused(f"{patient['name']} lies in bed {bed['label']} under {carer['name']} already.")
        if (bed_id != stay["bed_id"]) != (reason is not None):
            return _refused("A move to another bed has a reason, and a change of doctor alone has none.")
        if carer["ward_id"] != self.rooms[bed["room_id"]]["ward_id"]:
            return _refused(
                f"{carer['name']} works on {self.wards[carer['ward_id']]['name']}, so name a doctor of "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['name']}."
            )
        if carer["id"] != stay["doctor_id"] and self._doctor_patients(carer) >= carer["most_patients"]:
            return _refused(f"{carer['name']} has {self._doctor_patients(carer)} patients and can take no more.")
        if not self._of_age(patient, self.wards[self.rooms[bed["room_id"]]["ward_id"]], stay["admitted_at"][:10]):
            return _refused(
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['name']} takes patients from "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['from_age']} to "
                f"{self.wards[self.rooms[bed['room_id']]['ward_id']]['to_age']} years."
            )
        if bed["condition"] != "clean":
            return _refused(f"Bed {bed['label']} is {bed['condition']}.")
        if bed_id != stay["bed_id"] and self._bed_taken(bed):
            return _refused(f"Bed {bed['label']} is taken.")
        if patient["carries"] == "tuberculosis" and not self.rooms[bed["room_id"]]["airlock"]:
            return _refused(f"{patient['name']} needs a room with an airlock.")
        germ = self._other_germ(patient, self.rooms[bed["room_id"]])
        if germ is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[bed['room_id']]['number']} with "
                f"{self.patients[germ['patient_id']]['name']} for reasons of isolation."
            )
        mate = self._other_sex(patient, self.rooms[bed["room_id"]])
        if mate is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[bed['room_id']]['number']} with "
                f"{self.patients[mate['patient_id']]['name']}, who is {self.patients[mate['patient_id']]['sex']}."
            )
        self._journal = []
        changed_stays: list[Any] = []
        changed_beds: list[Any] = []
        old = self.beds[stay["bed_id"]]
        former_doctor_id = stay["doctor_id"]
        self._put("stays", stay, "doctor_id", carer["id"])
        if bed is not old:
            changed_stays.append(stay)
            self._put("stays", stay, "bed_id", bed_id)
            self._put("stays", stay, "moved_at", self.now)
            self._put("stays", stay, "moved_for", reason)
            condition = "contaminated" if patient["carries"] is not None else "dirty"
            if old["condition"] != condition and (old["condition"], condition) not in BED_CONDITION_MOVES:
                return self._take_back(f"Bed {old['label']} cannot go from {old['condition']} to {condition}.")
            changed_beds.append(old)
            self._put("beds", old, "condition", condition)
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_1(one_stay):
                return self._take_back(RULES[0])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_3_a(one_stay):
                return self._take_back(RULES[2])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_3_b(one_stay):
                return self._take_back(RULES[2])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_4(one_stay):
                return self._take_back(RULES[3])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_5(one_stay):
                return self._take_back(RULES[4])
        for one_stay in _distinct(
            [
                *changed_stays,
                *[
                    user
                    for one in changed_beds
                    for user in self._stays_by_bed_status.get((one["id"], "admitted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_stay):
                return self._take_back(RULES[5])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_7_s(one_stay):
                return self._take_back(RULES[6])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_8(one_stay):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.doctors[stay["doctor_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(self.doctors[former_doctor_id]):
            return self._take_back(RULES[8])
        for one_bed in _distinct(changed_beds):
            if self._breaks_rule_13(one_bed):
                return self._take_back(RULES[12])
        done = f"put {patient['name']} in bed {bed['label']}"
        if reason is not None:
            done += f" for {reason}"
        if doctor is not None:
            done += f" under {doctor['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def isolate_patient(
        self,
        patient_id: str,
        germ: Literal["mrsa", "norovirus", "influenza", "tuberculosis"],
        bed_id: str | None = None,
    ) -> Result:
        """Isolate a patient who carries a germ, in the room where they lie or in another bed of the ward.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            germ (str): Germ that the patient carries: mrsa, norovirus, influenza or tuberculosis.
            bed_id (str, optional): Clean, free bed of the same ward to move the patient to; an id such as
                BED-00001. If left out, the patient stays in the present bed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        bed = self.beds.get(bed_id) if bed_id is not None else None
        if bed_id is not None and bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        stay = self._stay_of(patient)
        if stay is None:
            return _refused(f"{patient['name']} is not in the hospital.")
        if patient["carries"] == germ:
            return _refused(f"{patient['name']} is isolated for {germ} already.")
        there = bed or self.beds[stay["bed_id"]]
        if self.rooms[there["room_id"]]["ward_id"] != self.rooms[self.beds[stay["bed_id"]]["room_id"]]["ward_id"]:
            return _refused(f"Bed {there['label']} is on another ward, so transfer {patient['name']} first.")
        if there["condition"] != "clean":
            return _refused(f"Bed {there['label']} is {there['condition']}.")
        if there["id"] != stay["bed_id"] and self._bed_taken(there):
            return _refused(f"Bed {there['label']} is taken.")
        mate = next(
            (
                s
                for s in self._lying_in(self.rooms[there["room_id"]])
                if s is not stay
                and self.patients[s["patient_id"]]["carries"] != germ
            ),
            None,
        )
        if mate is not None:
            return _refused(
                f"Room {self.rooms[there['room_id']]['number']} is shared with "
                f"{self.patients[mate['patient_id']]['name']}, so name a bed in another room."
            )
        odd = self._other_sex(patient, self.rooms[there["room_id"]])
        if odd is not None:
            return _refused(
                f"{patient['name']} cannot share room {self.rooms[there['room_id']]['number']} with "
                f"{self.patients[odd['patient_id']]['name']}, who is {self.patients[odd['patient_id']]['sex']}."
            )
        if germ == "tuberculosis" and not self.rooms[there["room_id"]]["airlock"]:
            return _refused(f"Room {self.rooms[there['room_id']]['number']} has no airlock.")
        self._journal = []
        changed_stays: list[Any] = []
        changed_beds: list[Any] = []
        old = self.beds[stay["bed_id"]]
        self._put("patients", patient, "carries", germ)
        if there is not old:
            changed_stays.append(stay)
            self._put("stays", stay, "bed_id", there["id"])
            self._put("stays", stay, "moved_at", self.now)
            self._put("stays", stay, "moved_for", "isolation")
            if old["condition"] not in ("clean", "contaminated"):
                return self._take_back(f"Bed {old['label']} cannot go from {old['condition']} to contaminated.")
            changed_beds.append(old)
            self._put("beds", old, "condition", "contaminated")
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_1(one_stay):
                return self._take_back(RULES[0])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_3_a(one_stay):
                return self._take_back(RULES[2])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_3_b(one_stay):
                return self._take_back(RULES[2])
        for one_stay in _distinct(
            [*self._stays_by_patient_status.get((patient["id"], "admitted"), {}).values(), *changed_stays]
        ):
            if self._breaks_rule_4(one_stay):
                return self._take_back(RULES[3])
        for one_stay in _distinct(
            [*self._stays_by_patient_status.get((patient["id"], "admitted"), {}).values(), *changed_stays]
        ):
            if self._breaks_rule_5(one_stay):
                return self._take_back(RULES[4])
        for one_stay in _distinct(
            [
                *changed_stays,
                *[
                    user
                    for one in changed_beds
                    for user in self._stays_by_bed_status.get((one["id"], "admitted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_stay):
                return self._take_back(RULES[5])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_7_s(one_stay):
                return self._take_back(RULES[6])
        for one_stay in _distinct(changed_stays):
            if self._breaks_rule_8(one_stay):
                return self._take_back(RULES[7])
        for one_bed in _distinct(changed_beds):
            if self._breaks_rule_13(one_bed):
                return self._take_back(RULES[12])
        done = f"isolate {patient['name']} for {germ}"
        if bed is not None:
            done += f" in bed {bed['label']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def lift_isolation(self, patient_id: str) -> Result:
        """Lift the isolation of a patient who no longer carries a germ.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if patient["carries"] is None:
            return _refused(f"{patient['name']} is not isolated.")
        stay = self._stay_of(patient)
        mate = next(
            (
                s
                for s in sorted(self._stays_by_status.get("admitted", {}).values(), key=_age)
                if stay is not None
                and s is not stay
                and self.beds[s["bed_id"]]["room_id"] == self.beds[stay["bed_id"]]["room_id"]
            ),
            None,
        )
        if mate is not None:
            return _refused(
                f"{patient['name']} shares the room with {self.patients[mate['patient_id']]['name']}, who carries "
                f"{patient['carries']} too, so transfer one of them first."
            )
        self._journal = []
        self._put("patients", patient, "carries", None)
        for one_stay in _distinct(self._stays_by_patient_status.get((patient["id"], "admitted"), {}).values()):
            if self._breaks_rule_4(one_stay):
                return self._take_back(RULES[3])
        for one_stay in _distinct(self._stays_by_patient_status.get((patient["id"], "admitted"), {}).values()):
            if self._breaks_rule_5(one_stay):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: lift the isolation of {patient['name']}.",
            "data": self._changes(),
        }

    def discharge_patient(
        self,
        patient_id: str,
        outcome: Literal["home", "rehabilitation", "other_hospital", "died"],
    ) -> Result:
        """Discharge a patient; the bed must be cleaned, or disinfected after isolation.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            outcome (str): Where the patient goes, or that the patient died: home, rehabilitation, other_hospital
                or died.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        stay = self._stay_of(patient)
        if stay is None:
            return _refused(f"{patient['name']} is not in the hospital.")
        self._journal = []
        changed_patients: list[Any] = []
        changed_admissions: list[Any] = []
        self._put("stays", stay, "discharged_at", self.now)
        self._put("stays", stay, "outcome", outcome)
        self._put("stays", stay, "status", "discharged")
        bed = self.beds[stay["bed_id"]]
        condition = "contaminated" if patient["carries"] is not None else "dirty"
        if bed["condition"] != condition and (bed["condition"], condition) not in BED_CONDITION_MOVES:
            return self._take_back(f"Bed {bed['label']} cannot go from {bed['condition']} to {condition}.")
        self._put("beds", bed, "condition", condition)
        if outcome == "died":
            changed_patients.append(patient)
            self._put("patients", patient, "died_on", self.now[:10])
            for a in sorted(self._admissions_by_patient_status.get((patient_id, "planned"), {}).values(), key=_age):
                if a["status"] not in ("planned", "cancelled"):
                    return self._take_back(f"Admission {a['id']} cannot go from {a['status']} to cancelled.")
                changed_admissions.append(a)
                self._put("admissions", a, "status", "cancelled")
        if self._breaks_rule_1(stay):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_s(stay):
            return self._take_back(RULES[1])
        for one_admission in _distinct(changed_admissions):
            if self._breaks_rule_2_a(one_admission):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_a(stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(stay):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(stay):
            return self._take_back(RULES[4])
        for one_stay in _distinct([stay, *self._stays_by_bed_status.get((bed["id"], "admitted"), {}).values()]):
            if self._breaks_rule_6(one_stay):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_s(stay):
            return self._take_back(RULES[6])
        for one_admission in _distinct(changed_admissions):
            if self._breaks_rule_7_a(one_admission):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(stay):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.doctors[stay["doctor_id"]]):
            return self._take_back(RULES[8])
        for one_admission in _distinct(
            [
                *changed_admissions,
                *[
                    user
                    for one in [self.wards[one["ward_id"]] for one in changed_admissions]
                    for user in self._admissions_by_ward_status.get((one["id"], "planned"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_admission):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(stay):
            return self._take_back(RULES[10])
        for one_stay in _distinct(
            [
                stay,
                *[
                    user
                    for one in changed_patients
                    for user in self._stays_by_patient_status.get((one["id"], "admitted"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12_s(one_stay):
                return self._take_back(RULES[11])
        for one_admission in _distinct(
            [
                *[
                    user
                    for one in changed_patients
                    for user in self._admissions_by_patient_status.get((one["id"], "planned"), {}).values()
                ],
                *changed_admissions,
            ]
        ):
            if self._breaks_rule_12_a(one_admission):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(bed):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: discharge {patient['name']} with outcome {outcome}.",
            "data": self._changes(),
        }

    def clean_bed(self, bed_id: str, disinfected: bool = False) -> Result:
        """Clean a dirty bed, or disinfect a contaminated one.

        Args:
            bed_id (str): Id of the bed, such as BED-00001.
            disinfected (bool): Whether the bed was also disinfected, which a contaminated one needs. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bed = self.beds.get(bed_id)
        if bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        if bed["condition"] not in ("dirty", "contaminated"):
            return _refused(f"Bed {bed['label']} is {bed['condition']}.")
        if not (disinfected or bed["condition"] == "dirty"):
            return _refused(f"Bed {bed['label']} is contaminated and must be disinfected.")
        self._journal = []
        self._put("beds", bed, "cleaned_at", self.now)
        self._put("beds", bed, "condition", "clean")
        for one_stay in _distinct(self._stays_by_bed_status.get((bed["id"], "admitted"), {}).values()):
            if self._breaks_rule_6(one_stay):
                return self._take_back(RULES[5])
        if self._breaks_rule_13(bed):
            return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: clean bed {bed['label']}.", "data": self._changes()}

    def block_bed(self, bed_id: str, reason: Text) -> Result:
        """Take a free bed out of use.

        Args:
            bed_id (str): Id of the bed, such as BED-00001.
            reason (str): Why the bed cannot be used.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bed = self.beds.get(bed_id)
        if bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        if self._bed_taken(bed):
            return _refused(f"Bed {bed['label']} is taken, so transfer the patient first.")
        if bed["condition"] not in ("clean", "dirty"):
            return _refused(f"Bed {bed['label']} is {bed['condition']}.")
        self._journal = []
        self._put("beds", bed, "blocked_for", reason)
        self._put("beds", bed, "condition", "blocked")
        for one_stay in _distinct(self._stays_by_bed_status.get((bed["id"], "admitted"), {}).values()):
            if self._breaks_rule_6(one_stay):
                return self._take_back(RULES[5])
        if self._breaks_rule_13(bed):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: block bed {bed['label']} with the reason {reason}.",
            "data": self._changes(),
        }

    def reopen_bed(self, bed_id: str) -> Result:
        """Take a blocked bed back into use; it must be cleaned before somebody lies in it.

        Args:
            bed_id (str): Id of the bed, such as BED-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bed = self.beds.get(bed_id)
        if bed is None:
            return _refused(f"There is no bed {bed_id!r}.")
        if bed["condition"] != "blocked":
            return _refused(f"Bed {bed['label']} is {bed['condition']}, not blocked.")
        self._journal = []
        self._put("beds", bed, "blocked_for", None)
        self._put("beds", bed, "condition", "dirty")
        for one_stay in _distinct(self._stays_by_bed_status.get((bed["id"], "admitted"), {}).values()):
            if self._breaks_rule_6(one_stay):
                return self._take_back(RULES[5])
        if self._breaks_rule_13(bed):
            return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: reopen bed {bed['label']}.", "data": self._changes()}

    def _show_ward(self, ward: Ward) -> dict[str, Any]:
        """The ward as an answer shows it."""
        return {**ward, "beds": self._ward_beds(ward), "free_beds": self._ward_free_beds(ward)}

    def _show_room(self, room: Room) -> dict[str, Any]:
        """The room as an answer shows it."""
        return {**room, "patients": self._room_patients(room)}

    def _show_bed(self, bed: Bed) -> dict[str, Any]:
        """The bed as an answer shows it."""
        return {**bed, "taken": self._bed_taken(bed)}

    def _show_doctor(self, doctor: Doctor) -> dict[str, Any]:
        """The doctor as an answer shows it."""
        return {**doctor, "patients": self._doctor_patients(doctor)}

    def _names_of_rooms(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rooms point to."""
        return _names((self.wards, "name", [row["ward_id"] for row in shown]))

    def _names_of_beds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that beds point to."""
        return _names((self.rooms, "number", [row["room_id"] for row in shown]))

    def _names_of_doctors(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that doctors point to."""
        return _names((self.wards, "name", [row["ward_id"] for row in shown]))

    def _names_of_admissions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that admissions point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.wards, "name", [row["ward_id"] for row in shown]),
        )

    def _names_of_stays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stays point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.beds, "label", [row["bed_id"] for row in shown]),
            (self.doctors, "name", [row["doctor_id"] for row in shown]),
        )

    def _ward_beds(self, ward: Ward) -> int:
        """The beds of a ward."""
        return len(
            [
                b
                for _room in self._rooms_by_ward.get(ward["id"], {}).values()
                for b in self._beds_by_room.get(_room["id"], {}).values()
            ]
        )

    def _ward_free_beds(self, ward: Ward) -> int:
        """The free beds of a ward."""
        return sum(
            1
            for _room in self._rooms_by_ward.get(ward["id"], {}).values()
            for b in self._beds_by_room_condition.get((_room["id"], "clean"), {}).values()
            if not self._bed_taken(b)
        )

    def _room_patients(self, room: Room) -> int:
        """The patients of a room."""
        return len(
            [
                s
                for _bed in self._beds_by_room.get(room["id"], {}).values()
                for s in self._stays_by_bed_status.get((_bed["id"], "admitted"), {}).values()
            ]
        )

    def _bed_taken(self, bed: Bed) -> bool:
        """The taken of a bed."""
        return any(s["status"] == "admitted" for s in self._stays_by_bed.get(bed["id"], {}).values())

    def _doctor_patients(self, doctor: Doctor) -> int:
        """The patients of a doctor."""
        return len(self._stays_by_doctor_status.get((doctor["id"], "admitted"), {}))

    def _stay_of(self, p: Patient) -> Stay | None:
        return next(
            (s for s in sorted(self._stays_by_patient_status.get((p["id"], "admitted"), {}).values(), key=_age)),
            None,
        )

    def _plan_of(self, p: Patient) -> Admission | None:
        return next(
            (a for a in sorted(self._admissions_by_patient_status.get((p["id"], "planned"), {}).values(), key=_age)),
            None,
        )

    def _lying_in(self, r: Room) -> list[Stay]:
        return sorted(
            [
                s
                for _bed in self._beds_by_room.get(r["id"], {}).values()
                for s in self._stays_by_bed_status.get((_bed["id"], "admitted"), {}).values()
            ],
            key=_age,
        )

    def _other_sex(self, p: Patient, r: Room) -> Stay | None:
        return next(
            (
                s
                for s in self._lying_in(r)
                if s["patient_id"] != p["id"]
                and self.patients[s["patient_id"]]["sex"] != p["sex"]
                and not self.wards[r["ward_id"]]["mixed"]
            ),
            None,
        )

    def _other_germ(self, p: Patient, r: Room) -> Stay | None:
        return next(
            (
                s
                for s in self._lying_in(r)
                if s["patient_id"] != p["id"]
                and self.patients[s["patient_id"]]["carries"] != p["carries"]
            ),
            None,
        )

    def _of_age(self, p: Patient, w: Ward, d: str) -> bool:
        return w["from_age"] <= _years(p["born"], d) and _years(p["born"], d) <= w["to_age"]

    def _breaks_rule_1(self, s: Stay) -> bool:
        """Whether this is broken: a bed holds at most one patient."""
        return (
            s["status"] == "admitted"
            and any(
                other_s is not s
                for other_s in self._stays_by_bed_status.get((s["bed_id"], "admitted"), {}).values()
            )
        )

    def _breaks_rule_2_s(self, s: Stay) -> bool:
        """Whether this is broken: a patient has at most one stay under way and at most one planned admission."""
        return (
            s["status"] == "admitted"
            and any(
                other_s is not s
                for other_s in self._stays_by_patient_status.get((s["patient_id"], "admitted"), {}).values()
            )
        )

    def _breaks_rule_2_a(self, a: Admission) -> bool:
        """Whether this is broken: a patient has at most one stay under way and at most one planned admission."""
        return (
            a["status"] == "planned"
            and any(
                other_a is not a
                for other_a in self._admissions_by_patient_status.get((a["patient_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_3_a(self, a: Stay) -> bool:
        """Whether this is broken: women and men share a room only on a mixed ward."""
        return (
            a["status"] == "admitted"
            and any(
                self.patients[a["patient_id"]]["sex"] != self.patients[b["patient_id"]]["sex"]
                and not self.wards[self.rooms[self.beds[a["bed_id"]]["room_id"]]["ward_id"]]["mixed"]
                for _bed in self._beds_by_room.get(self.beds[a["bed_id"]]["room_id"], {}).values()
                for b in self._stays_by_bed_status.get((_bed["id"], "admitted"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_3_b(self, b: Stay) -> bool:
        """Whether this is broken: women and men share a room only on a mixed ward."""
        return (
            b["status"] == "admitted"
            and any(
                self.patients[a["patient_id"]]["sex"] != self.patients[b["patient_id"]]["sex"]
                and not self.wards[self.rooms[self.beds[a["bed_id"]]["room_id"]]["ward_id"]]["mixed"]
                for _bed in self._beds_by_room.get(self.beds[b["bed_id"]]["room_id"], {}).values()
                for a in self._stays_by_bed_status.get((_bed["id"], "admitted"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4(self, a: Stay) -> bool:
        """Whether this is broken: a patient who carries a germ shares a room only with patients who carry the same
        germ.
        """
        return (
            a["status"] == "admitted"
            and any(
                self.patients[a["patient_id"]]["carries"] != self.patients[b["patient_id"]]["carries"]
                for _bed in self._beds_by_room.get(self.beds[a["bed_id"]]["room_id"], {}).values()
                for b in self._stays_by_bed_status.get((_bed["id"], "admitted"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5(self, s: Stay) -> bool:
        """Whether this is broken: a patient with tuberculosis lies in a room with an airlock."""
        return (
            s["status"] == "admitted"
            and (
                self.patients[s["patient_id"]]["carries"] == "tuberculosis"
                and not self.rooms[self.beds[s["bed_id"]]["room_id"]]["airlock"]
            )
        )

    def _breaks_rule_6(self, s: Stay) -> bool:
        """Whether this is broken: patients lie in clean beds only."""
        return s["status"] == "admitted" and self.beds[s["bed_id"]]["condition"] != "clean"

    def _breaks_rule_7_s(self, s: Stay) -> bool:
        """Whether this is broken: a ward takes only patients of its age group."""
        return (
            s["status"] == "admitted"
            and not self._of_age(
                self.patients[s["patient_id"]],
                self.wards[self.rooms[self.beds[s["bed_id"]]["room_id"]]["ward_id"]],
                s["admitted_at"][:10],
            )
        )

    def _breaks_rule_7_a(self, a: Admission) -> bool:
        """Whether this is broken: a ward takes only patients of its age group."""
        return (
            a["status"] == "planned"
            and not self._of_age(self.patients[a["patient_id"]], self.wards[a["ward_id"]], a["planned_on"])
        )

    def _breaks_rule_8(self, s: Stay) -> bool:
        """Whether this is broken: a patient is treated by a doctor of the ward where they lie."""
        return (
            s["status"] == "admitted"
            and self.doctors[s["doctor_id"]]["ward_id"] != self.rooms[self.beds[s["bed_id"]]["room_id"]]["ward_id"]
        )

    def _breaks_rule_9(self, d: Doctor) -> bool:
        """Whether this is broken: a doctor never has more patients than they can take."""
        return self._doctor_patients(d) > d["most_patients"]

    def _breaks_rule_10(self, a: Admission) -> bool:
        """Whether this is broken: a ward plans no more admissions for a day than it has beds."""
        return (
            a["status"] == "planned"
            and sum(
                1
                for p in self._admissions_by_ward_status.get((a["ward_id"], "planned"), {}).values()
                if p["planned_on"] == a["planned_on"]
            ) > self._ward_beds(self.wards[a["ward_id"]])
        )

    def _breaks_rule_11(self, s: Stay) -> bool:
        """Whether this is broken: a discharged stay has a time and an outcome, and a stay under way has neither."""
        return (
            (s["status"] == "discharged") != (s["discharged_at"] is not None)
            or (s["status"] == "discharged") != (s["outcome"] is not None)
        )

    def _breaks_rule_12_s(self, s: Stay) -> bool:
        """Whether this is broken: a patient who has died has no stay under way and no planned admission."""
        return s["status"] == "admitted" and self.patients[s["patient_id"]]["died_on"] is not None

    def _breaks_rule_12_a(self, a: Admission) -> bool:
        """Whether this is broken: a patient who has died has no stay under way and no planned admission."""
        return a["status"] == "planned" and self.patients[a["patient_id"]]["died_on"] is not None

    def _breaks_rule_13(self, b: Bed) -> bool:
        """Whether this is broken: a blocked bed says why, and no other bed is blocked."""
        return (b["condition"] == "blocked") != (b["blocked_for"] is not None)

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
            case "rooms":
                self._rooms_by_ward.setdefault(record["ward_id"], {})[record["id"]] = record
            case "beds":
                self._beds_by_room.setdefault(record["room_id"], {})[record["id"]] = record
                self._beds_by_room_condition.setdefault(
                    (record["room_id"], record["condition"]),
                    {},
                )[record["id"]] = record
            case "admissions":
                self._admissions_by_patient_status.setdefault(
                    (record["patient_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._admissions_by_ward_status.setdefault(
                    (record["ward_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "stays":
                self._stays_by_bed.setdefault(record["bed_id"], {})[record["id"]] = record
                self._stays_by_bed_status.setdefault((record["bed_id"], record["status"]), {})[record["id"]] = record
                self._stays_by_doctor_status.setdefault(
                    (record["doctor_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._stays_by_patient_status.setdefault(
                    (record["patient_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._stays_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "rooms":
                del self._rooms_by_ward[record["ward_id"]][record["id"]]
            case "beds":
                del self._beds_by_room[record["room_id"]][record["id"]]
                del self._beds_by_room_condition[record["room_id"], record["condition"]][record["id"]]
            case "admissions":
                del self._admissions_by_patient_status[record["patient_id"], record["status"]][record["id"]]
                del self._admissions_by_ward_status[record["ward_id"], record["status"]][record["id"]]
            case "stays":
                del self._stays_by_bed[record["bed_id"]][record["id"]]
                del self._stays_by_bed_status[record["bed_id"], record["status"]][record["id"]]
                del self._stays_by_doctor_status[record["doctor_id"], record["status"]][record["id"]]
                del self._stays_by_patient_status[record["patient_id"], record["status"]][record["id"]]
                del self._stays_by_status[record["status"]][record["id"]]
