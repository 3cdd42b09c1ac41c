"""Medication plan. Compiled from blueprint.yaml; run `envscaler build medication_plan` after changing it there.

Keeps the medicines of an extended family in order, who takes what at which times, what clashes, which doses
were taken or missed, how long the supply lasts and which carer was told.
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
    "Nobody takes two drugs that must never be combined.",
    "Drugs that must be kept apart are taken at times far enough from each other.",
    "Nobody takes a drug of a family they are allergic to.",
    "Nobody takes more of a drug than is safe in a day.",
    "A patient has one running course of a drug.",
    "A course has each time of day once.",
    "A supply is kept once for a patient and a drug.",
    "A dose is planned once.",
    "A dose that was taken has a time, and no other has.",
    "Carers are told about missed doses of people they look after.",
    "A course that is paused or stopped has no dose due.",
    "A stopped course says when it ended.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "note_allergy",
    "start_course",
    "change_units",
    "move_time",
    "set_course",
    "plan_doses",
    "take_dose",
    "close_dose",
    "tell_carer",
    "order_packs",
    "collect_packs",
    "count_supply",
)
"""The methods that may change something; all others only read."""

REGIMEN_STATUS_MOVES = {("active", "paused"), ("active", "stopped"), ("paused", "active"), ("paused", "stopped")}

LABELS: dict[str, tuple[str, ...]] = {
    "patients": ("name",),
    "carers": ("name",),
    "drugs": ("name",),
    "interactions": (),
    "regimens": (),
    "slots": (),
    "supplies": (),
    "doses": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("doses", "regimen_id"),
    ("doses", "status"),
    ("interactions", "one_id"),
    ("regimens", "drug_id"),
    ("regimens", "patient_id"),
    ("regimens", "status"),
    ("slots", "regimen_id"),
    ("supplies", "drug_id"),
    ("supplies", "patient_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Patient(TypedDict):
    id: str
    name: str
    born: str
    allergies: list[Literal["penicillin", "nsaid", "sulfonamide", "opioid"]]


class Carer(TypedDict):
    id: str
    name: str
    looks_after_ids: list[str]


class Drug(TypedDict):
    id: str
    name: str
    family: Literal["penicillin", "nsaid", "sulfonamide", "opioid", "other"]
    most_a_day: int
    in_pack: int
    essential: bool


class Interaction(TypedDict):
    id: str
    one_id: str
    other_id: str
    gap: int


class Regimen(TypedDict):
    id: str
    patient_id: str
    drug_id: str
    units: int
    starts: str
    ended_on: str | None
    status: Literal["active", "paused", "stopped"]


class Slot(TypedDict):
    id: str
    regimen_id: str
    at: str


class Supply(TypedDict):
    id: str
    patient_id: str
    drug_id: str
    units: int
    packs_ordered: int


class Dose(TypedDict):
    id: str
    regimen_id: str
    due_at: str
    units: int
    taken_at: str | None
    told_id: str | None
    status: Literal["due", "taken", "missed", "skipped"]


class StartCourseSlot(TypedDict):
    at: Time


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


class MedicationPlan:
    """Keeps the medicines of an extended family in order, who takes what at which times, what clashes,
    which doses were taken or missed, how long the supply lasts and which carer was told.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.carers: dict[str, Carer] = _copied(config.get("carers", {}))
        self.drugs: dict[str, Drug] = _copied(config.get("drugs", {}))
        self.interactions: dict[str, Interaction] = _copied(config.get("interactions", {}))
        self.regimens: dict[str, Regimen] = _copied(config.get("regimens", {}))
        self.slots: dict[str, Slot] = _copied(config.get("slots", {}))
        self.supplies: dict[str, Supply] = _copied(config.get("supplies", {}))
        self.doses: dict[str, Dose] = _copied(config.get("doses", {}))
        self.now: str = config.get("now", "2026-02-11T13:20")
        self.counters: dict[str, int] = {
            "patient": len(self.patients),
            "carer": len(self.carers),
            "drug": len(self.drugs),
            "interaction": len(self.interactions),
            "regimen": len(self.regimens),
            "slot": len(self.slots),
            "supply": len(self.supplies),
            "dose": len(self.doses),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._interactions_by_one: dict[Any, dict[str, Interaction]] = {}
        self._regimens_by_patient: dict[Any, dict[str, Regimen]] = {}
        self._regimens_by_patient_drug: dict[Any, dict[str, Regimen]] = {}
        self._regimens_by_patient_drug_status: dict[Any, dict[str, Regimen]] = {}
        self._regimens_by_patient_status: dict[Any, dict[str, Regimen]] = {}
        self._regimens_by_status: dict[Any, dict[str, Regimen]] = {}
        self._slots_by_regimen: dict[Any, dict[str, Slot]] = {}
        self._supplies_by_patient: dict[Any, dict[str, Supply]] = {}
        self._supplies_by_patient_drug: dict[Any, dict[str, Supply]] = {}
        self._doses_by_regimen: dict[Any, dict[str, Dose]] = {}
        self._doses_by_regimen_status: dict[Any, dict[str, Dose]] = {}
        for interaction in self.interactions.values():
            self._link("interactions", interaction)
        for regimen in self.regimens.values():
            self._link("regimens", regimen)
        for slot in self.slots.values():
            self._link("slots", slot)
        for supply in self.supplies.values():
            self._link("supplies", supply)
        for dose in self.doses.values():
            self._link("doses", dose)

    def day_sheet(
        self,
        on: Date,
        patient_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The doses of a day in their order, for one patient or for all.

        Args:
            on (str): Day whose doses are listed, as YYYY-MM-DD.
            patient_id (str, optional): Only doses of this patient; an id such as PATIENT-00001. If left out, the
                doses of all patients are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "doses": records}} or {"success": False, "error": why
                not}
        """
        patient = self.patients.get(patient_id) if patient_id is not None else None
        if patient_id is not None and patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        found = [
            d
            for d in self.doses.values()
            if d["due_at"][:10] == on
            and (patient_id is None or self.regimens[d["regimen_id"]]["patient_id"] == patient_id)
        ]
        found.sort(
            key=lambda d: (
                d["due_at"],
                self.patients[self.regimens[d["regimen_id"]]["patient_id"]]["name"],
                self.drugs[self.regimens[d["regimen_id"]]["drug_id"]]["name"],
                _age(d),
            )
        )
        shown = [
            {
                "id": d["id"],
                "patient": self.patients[self.regimens[d["regimen_id"]]["patient_id"]]["name"],
                "drug": self.drugs[self.regimens[d["regimen_id"]]["drug_id"]]["name"],
                "units": d["units"],
                "due_at": d["due_at"],
                "status": d["status"],
                "essential": self.drugs[self.regimens[d["regimen_id"]]["drug_id"]]["essential"],
                "told": d["told_id"],
            }
            for d in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "doses": shown},
            _names((self.carers, "name", [row["told"] for row in shown])),
        )

    def running_low(
        self,
        within: Annotated[int, {"minimum": 1, "maximum": 60}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Supplies of active courses that last fewer than some days, the shortest first.

        Args:
            within (int): Days, supplies that last fewer are listed, from 1 to 60.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "supplies": records}} or {"success": False, "error": why
                not}
        """
        found = [
            s
            for s in _distinct(
                [
                    s
                    for key in [each["patient_id"] for each in self._regimens_by_status.get("active", {}).values()]
                    for s in self._supplies_by_patient.get(key, {}).values()
                ]
            )
            if self._supply_lasts(s) < within
            and bool(self._regimens_by_patient_drug_status.get((s["patient_id"], s["drug_id"], "active"), {}))
        ]
        found.sort(
            key=lambda s: (
                self._supply_lasts(s),
                self.patients[s["patient_id"]]["name"],
                self.drugs[s["drug_id"]]["name"],
                _age(s),
            )
        )
        return _found(
            {
                "total": len(found),
                "supplies": [
                    {
                        "id": s["id"],
                        "patient": self.patients[s["patient_id"]]["name"],
                        "drug": self.drugs[s["drug_id"]]["name"],
                        "units": s["units"],
                        "lasts": self._supply_lasts(s),
                        "packs_ordered": s["packs_ordered"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def goes_with(
        self,
        patient_id: str,
        drug_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Whether a patient may take a drug beside their active courses, and how far apart.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            drug_id (str): Id of the drug, such as DRUG-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "regimens": records}} or {"success": False, "error": why
                not}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        drug = self.drugs.get(drug_id)
        if drug is None:
            return _refused(f"There is no drug {drug_id!r}.")
        found = [
            r
            for r in self._regimens_by_patient.get(patient_id, {}).values()
            if (
                r["patient_id"] == patient_id
                and r["status"] == "active"
                and self._clash(self.drugs[r["drug_id"]], drug) is not None
            )
        ]
        found.sort(key=lambda r: (self.drugs[r["drug_id"]]["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "regimens": [
                    {
                        "drug": self.drugs[r["drug_id"]]["name"],
                        "never": self._never_with(self.drugs[r["drug_id"]], drug),
                        "gap_in_hours": self._gap_of(self.drugs[r["drug_id"]], drug),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

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
        return _found(
            {"total": len(found), "patients": [self._show_patient(patient) for patient in _page(found, offset)]}
        )

    def list_carers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the carers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only carers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "carers": records}}
        """
        found = [
            carer
            for carer in self.carers.values()
            if (name is None or name.casefold() in carer["name"].casefold())
        ]
        shown = [self._show_carer(carer) for carer in _page(found, offset)]
        return _found({"total": len(found), "carers": shown}, self._names_of_carers(shown))

    def list_drugs(
        self,
        name: Text | None = None,
        family: Literal["penicillin", "nsaid", "sulfonamide", "opioid", "other"] | None = None,
        essential: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drugs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only drugs whose name contains this text.
            family (str, optional): Only drugs with this family.
            essential (bool, optional): Only drugs that are essential (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drugs": records}}
        """
        found = [
            drug
            for drug in self.drugs.values()
            if (name is None or name.casefold() in drug["name"].casefold())
            and (family is None or drug["family"] == family)
            and (essential is None or drug["essential"] == essential)
        ]
        return _found({"total": len(found), "drugs": [{**drug} for drug in _page(found, offset)]})

    def list_regimens(
        self,
        patient_id: str | None = None,
        drug_id: str | None = None,
        status: Literal["active", "paused", "stopped"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the regimens, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only regimens of this patient.
            drug_id (str, optional): Only regimens of this drug.
            status (str, optional): Only regimens with this status.
            starts_from (str, optional): Only regimens whose `starts` is on this day or later.
            starts_to (str, optional): Only regimens whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "regimens": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if drug_id is not None and drug_id not in self.drugs:
            return _refused(f"There is no drug {drug_id!r}.")
        found = [
            regimen
            for regimen in self.regimens.values()
            if (patient_id is None or regimen["patient_id"] == patient_id)
            and (drug_id is None or regimen["drug_id"] == drug_id)
            and (status is None or regimen["status"] == status)
            and (starts_from is None or regimen["starts"] >= starts_from)
            and (starts_to is None or regimen["starts"] <= starts_to)
        ]
        shown = [self._show_regimen(regimen) for regimen in _page(found, offset)]
        return _found({"total": len(found), "regimens": shown}, self._names_of_regimens(shown))

    def list_slots(
        self,
        regimen_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slots, oldest first, all of them or only some.

        Args:
            regimen_id (str, optional): Only slots of this regimen.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}}
        """
        if regimen_id is not None and regimen_id not in self.regimens:
            return _refused(f"There is no regimen {regimen_id!r}.")
        found = [slot for slot in self.slots.values() if (regimen_id is None or slot["regimen_id"] == regimen_id)]
        return _found({"total": len(found), "slots": [{**slot} for slot in _page(found, offset)]})

    def list_supplies(
        self,
        patient_id: str | None = None,
        drug_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the supplies, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only supplies of this patient.
            drug_id (str, optional): Only supplies of this drug.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "supplies": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if drug_id is not None and drug_id not in self.drugs:
            return _refused(f"There is no drug {drug_id!r}.")
        found = [
            supply
            for supply in self.supplies.values()
            if (patient_id is None or supply["patient_id"] == patient_id)
            and (drug_id is None or supply["drug_id"] == drug_id)
        ]
        shown = [self._show_supply(supply) for supply in _page(found, offset)]
        return _found({"total": len(found), "supplies": shown}, self._names_of_supplies(shown))

    def list_doses(
        self,
        regimen_id: str | None = None,
        told_id: str | None = None,
        status: Literal["due", "taken", "missed", "skipped"] | None = None,
        due_at_from: Date | None = None,
        due_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the doses, oldest first, all of them or only some.

        Args:
            regimen_id (str, optional): Only doses of this regimen.
            told_id (str, optional): Only doses whose told is this carer.
            status (str, optional): Only doses with this status.
            due_at_from (str, optional): Only doses whose `due_at` is on this day or later.
            due_at_to (str, optional): Only doses whose `due_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "doses": records}}
        """
        if regimen_id is not None and regimen_id not in self.regimens:
            return _refused(f"There is no regimen {regimen_id!r}.")
        if told_id is not None and told_id not in self.carers:
            return _refused(f"There is no carer {told_id!r}.")
        found = [
            dose
            for dose in self.doses.values()
            if (regimen_id is None or dose["regimen_id"] == regimen_id)
            and (told_id is None or dose["told_id"] == told_id)
            and (status is None or dose["status"] == status)
            and (due_at_from is None or dose["due_at"][:10] >= due_at_from)
            and (due_at_to is None or dose["due_at"][:10] <= due_at_to)
        ]
        shown = [{**dose} for dose in _page(found, offset)]
        return _found({"total": len(found), "doses": shown}, self._names_of_doses(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def note_allergy(
        self,
        patient_id: str,
        family: Literal["penicillin", "nsaid", "sulfonamide", "opioid"],
    ) -> Result:
        """Note that a patient is allergic to a family of drugs.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            family (str): Family of drugs that the patient does not bear: penicillin, nsaid, sulfonamide or opioid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if family in patient["allergies"]:
            return _refused(f"That is known of {patient['name']}.")
        course_on = next(
            (
                r
                for r in sorted(self._regimens_by_patient.get(patient_id, {}).values(), key=_age)
                if self._running(r)
                and self.drugs[r["drug_id"]]["family"] == family
            ),
            None,
        )
        if course_on is not None:
            return _refused(
                f"{patient['name']} takes {self.drugs[course_on['drug_id']]['name']}, which is such a drug, so "
                "stop that course first."
            )
        self._journal = []
        self._put("patients", patient, "allergies", [*(patient["allergies"] + [family])])
        for one_regimen in _distinct(self._regimens_by_patient.get(patient["id"], {}).values()):
            if self._breaks_rule_3(one_regimen):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: note that {patient['name']} is allergic to {family}.",
            "data": self._changes(),
        }

    def start_course(
        self,
        patient_id: str,
        drug_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 6}],
        slots: Annotated[list[StartCourseSlot], {"maxItems": 20}],
    ) -> Result:
        """Start a course of a drug with the times of day at which it is taken.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            drug_id (str): Id of the drug, such as DRUG-00001.
            units (int): Units of the drug in each dose, from 1 to 6.
            slots (list): One entry for each dose of a day, each time once: at: time of day at which it is taken,
                as HH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        drug = self.drugs.get(drug_id)
        if drug is None:
            return _refused(f"There is no drug {drug_id!r}.")
        if drug["family"] in patient["allergies"]:
            return _refused(f"{patient['name']} is allergic to drugs such as {drug['name']}.")
        if self._course(patient, drug) is not None:
            return _refused(f"{patient['name']} takes {drug['name']} already, so change that course.")
        if not (len(slots) > 0 and _different([s["at"] for s in slots])):
            return _refused("Name at least one time of day, and each once.")
        if units * len(slots) > drug["most_a_day"]:
            return _refused(
                f"{units * len(slots)} a day are more than the {drug['most_a_day']} of {drug['name']} that are safe."
            )
        enemy = next(
            (
                r
                for r in sorted(self._regimens_by_patient_status.get((patient_id, "active"), {}).values(), key=_age)
                if self._never_with(self.drugs[r["drug_id"]], drug)
            ),
            None,
        )
        if enemy is not None:
            return _refused(
                f"{drug['name']} must never be taken with {self.drugs[enemy['drug_id']]['name']}, so stop or "
                "pause that first."
            )
        tight = next(
            (
                s
                for s in sorted(
                    [
                        s
                        for _regimen in self._regimens_by_patient.get(patient_id, {}).values()
                        for s in self._slots_by_regimen.get(_regimen["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.regimens[s["regimen_id"]]["status"] == "active"
                and any(
                    abs(_clock_minutes(s["at"]) - _clock_minutes(x["at"])) < 60 * self._gap_of(
                        self.drugs[self.regimens[s["regimen_id"]]["drug_id"]],
                        drug,
                    )
                    for x in slots
                )
            ),
            None,
        )
        if tight is not None:
            return _refused(
                f"{drug['name']} and {self.drugs[self.regimens[tight['regimen_id']]['drug_id']]['name']}, taken "
                f"at {tight['at']}, must be "
                f"{self._gap_of(self.drugs[self.regimens[tight['regimen_id']]['drug_id']], drug)} hours apart."
            )
        self._journal = []
        added_slots: list[Any] = []
        added_supplies: list[Any] = []
        regimen: Regimen = {
            "id": self._new_id("regimen", "REGIMEN", self.regimens),
            "patient_id": patient_id,
            "drug_id": drug_id,
            "units": units,
            "starts": self.now[:10],
            "ended_on": None,
            "status": "active",
        }
        self._add("regimens", regimen)
        for x in sorted(slots, key=lambda x: (x["at"],)):
            slot = {"id": self._new_id("slot", "SLOT", self.slots), "regimen_id": regimen["id"], "at": x["at"]}
            self._add("slots", slot)
            added_slots.append(slot)
        if self._stock(patient, drug) is None:
            supply = {
                "id": self._new_id("supply", "SUPPLY", self.supplies),
                "patient_id": patient_id,
                "drug_id": drug_id,
                "units": 0,
                "packs_ordered": 0,
            }
            self._add("supplies", supply)
            added_supplies.append(supply)
        if self._breaks_rule_1_a(regimen):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(regimen):
            return self._take_back(RULES[0])
        for one_slot in _distinct(added_slots):
            if self._breaks_rule_2_s(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(added_slots):
            if self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(regimen):
            return self._take_back(RULES[2])
        for one_regimen in _distinct([regimen, *[self.regimens[one["regimen_id"]] for one in added_slots]]):
            if self._breaks_rule_4(one_regimen):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(regimen):
            return self._take_back(RULES[4])
        for one_slot in _distinct(added_slots):
            if self._breaks_rule_6(one_slot):
                return self._take_back(RULES[5])
        for one_supply in _distinct(added_supplies):
            if self._breaks_rule_7(one_supply):
                return self._take_back(RULES[6])
        if self._breaks_rule_12(regimen):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: start {drug['name']} for {patient['name']} (new: regimen {regimen['id']}).",
            "data": {"regimen_id": regimen["id"], **self._changes()},
        }

    def change_units(self, regimen_id: str, units: Annotated[int, {"minimum": 1, "maximum": 6}]) -> Result:
        """Change how many units a dose of a course has; doses that are due are planned anew.

        Args:
            regimen_id (str): Id of the regimen, such as REGIMEN-00001.
            units (int): New number of units in each dose, within the daily maximum, from 1 to 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        regimen = self.regimens.get(regimen_id)
        if regimen is None:
            return _refused(f"There is no regimen {regimen_id!r}.")
        if not self._running(regimen):
            return _refused(f"That course is {regimen['status']}.")
        if units == regimen["units"]:
            return _refused(f"A dose has {units} units already.")
        if units * len(self._slots_by_regimen.get(regimen_id, {})) > self.drugs[regimen["drug_id"]]["most_a_day"]:
            return _refused(
                f"That would be more than the {self.drugs[regimen['drug_id']]['most_a_day']} of "
                f"{self.drugs[regimen['drug_id']]['name']} that are safe in a day."
            )
        self._journal = []
        deleted_doses: list[Any] = []
        added_doses: list[Any] = []
        self._put("regimens", regimen, "units", units)
        for d in sorted(self._doses_by_regimen_status.get((regimen_id, "due"), {}).values(), key=_age):
            at = d["due_at"]
            if d["id"] in self.doses:
                self._remove("doses", d)
            deleted_doses.append(d)
            dose = {
                "id": self._new_id("dose", "DOSE", self.doses),
                "regimen_id": regimen_id,
                "due_at": at,
                "units": units,
                "taken_at": None,
                "told_id": None,
                "status": "due",
            }
            self._add("doses", dose)
            added_doses.append(dose)
        if self._breaks_rule_4(regimen):
            return self._take_back(RULES[3])
        for one_dose in _distinct(added_doses):
            if one_dose["id"] in self.doses and self._breaks_rule_8(one_dose):
                return self._take_back(RULES[7])
        for one_dose in _distinct(added_doses):
            if one_dose["id"] in self.doses and self._breaks_rule_9(one_dose):
                return self._take_back(RULES[8])
        for one_dose in _distinct(added_doses):
            if one_dose["id"] in self.doses and self._breaks_rule_10(one_dose):
                return self._take_back(RULES[9])
        for one_dose in _distinct(added_doses):
            if one_dose["id"] in self.doses and self._breaks_rule_11(one_dose):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: give {self.patients[regimen['patient_id']]['name']} {units} units of "
                f"{self.drugs[regimen['drug_id']]['name']} at a time."
            ),
            "data": self._changes(),
        }

    def move_time(self, slot_id: str, at: Time) -> Result:
        """Move one time of day of a course to another; its doses that are due at the old time are dropped.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            at (str): New time of day, not used by the course yet, as HH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if not self._running(self.regimens[slot["regimen_id"]]):
            return _refused(f"That course is {self.regimens[slot['regimen_id']]['status']}.")
        if any(each["at"] == at for each in self._slots_by_regimen.get(slot["regimen_id"], {}).values()):
            return _refused(
                f"{self.drugs[self.regimens[slot['regimen_id']]['drug_id']]['name']} is taken at {at} already."
            )
        tight = self._close_to(self.regimens[slot["regimen_id"]], at)
        if self.regimens[slot["regimen_id"]]["status"] == "active" and tight is not None:
            return _refused(
                f"{self.drugs[self.regimens[tight['regimen_id']]['drug_id']]['name']} is taken at {tight['at']}, "
                "which is too close."
            )
        done = f"move {self.drugs[self.regimens[slot['regimen_id']]['drug_id']]['name']} of {self.patients[self.regimens[slot['regimen_id']]['patient_id']]['name']} from {slot['at']} to {at}"
        self._journal = []
        deleted_doses: list[Any] = []
        for d in [
            d
            for d in sorted(self._doses_by_regimen_status.get((slot["regimen_id"], "due"), {}).values(), key=_age)
            if d["due_at"][11:] == slot["at"]
        ]:
            if d["id"] in self.doses:
                self._remove("doses", d)
            deleted_doses.append(d)
        self._put("slots", slot, "at", at)
        if self._breaks_rule_2_s(slot):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_t(slot):
            return self._take_back(RULES[1])
        if self._breaks_rule_6(slot):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def set_course(self, regimen_id: str, to: Literal["active", "paused", "stopped"]) -> Result:
        """Pause a course, let it go on, or stop it for good; doses that were due are skipped.

        Args:
            regimen_id (str): Id of the regimen, such as REGIMEN-00001.
            to (str): New state of the course, stopped being for good: active, paused or stopped.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        regimen = self.regimens.get(regimen_id)
        if regimen is None:
            return _refused(f"There is no regimen {regimen_id!r}.")
        if regimen["status"] == to or regimen["status"] == "stopped":
            return _refused(f"That course is {regimen['status']}.")
        enemy = next(
            (
                r
                for r in sorted(
                    self._regimens_by_patient_status.get((regimen["patient_id"], "active"), {}).values(),
                    key=_age,
                )
                if r is not regimen
                and self._never_with(self.drugs[r["drug_id"]], self.drugs[regimen["drug_id"]])
            ),
            None,
        )
        if to == "active" and enemy is not None:
            return _refused(
                f"{self.drugs[regimen['drug_id']]['name']} must never be taken with "
                f"{self.drugs[enemy['drug_id']]['name']}."
            )
        if not (
            to != "active"
            or not any(
                self._close_to(regimen, s["at"]) is not None
                for s in self._slots_by_regimen.get(regimen_id, {}).values()
            )
        ):
            return _refused(
                "Another drug is taken too close to one of the times of "
                f"{self.drugs[regimen['drug_id']]['name']}, so move a time first."
            )
        self._journal = []
        changed_doses: list[Any] = []
        changed_regimens: list[Any] = []
        for d in sorted(self._doses_by_regimen_status.get((regimen_id, "due"), {}).values(), key=_age):
            if d["status"] not in ("due", "skipped"):
                return self._take_back(f"Dose {d['id']} cannot go from {d['status']} to skipped.")
            changed_doses.append(d)
            self._put("doses", d, "status", "skipped")
        if to == "stopped":
            changed_regimens.append(regimen)
            self._put("regimens", regimen, "ended_on", self.now[:10])
        if regimen["status"] != to and (regimen["status"], to) not in REGIMEN_STATUS_MOVES:
            return self._take_back(f"Regimen {regimen['id']} cannot go from {regimen['status']} to {to}.")
        self._put("regimens", regimen, "status", to)
        if self._breaks_rule_1_a(regimen):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(regimen):
            return self._take_back(RULES[0])
        for one_slot in _distinct(self._slots_by_regimen.get(regimen["id"], {}).values()):
            if self._breaks_rule_2_s(one_slot):
                return self._take_back(RULES[1])
        for one_slot in _distinct(self._slots_by_regimen.get(regimen["id"], {}).values()):
            if self._breaks_rule_2_t(one_slot):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(regimen):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(regimen):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(regimen):
            return self._take_back(RULES[4])
        for one_dose in _distinct(changed_doses):
            if self._breaks_rule_9(one_dose):
                return self._take_back(RULES[8])
        for one_dose in _distinct(changed_doses):
            if self._breaks_rule_10(one_dose):
                return self._take_back(RULES[9])
        for one_dose in _distinct(
            [*changed_doses, *self._doses_by_regimen_status.get((regimen["id"], "due"), {}).values()]
        ):
            if self._breaks_rule_11(one_dose):
                return self._take_back(RULES[10])
        for one_regimen in _distinct([regimen, *changed_regimens]):
            if self._breaks_rule_12(one_regimen):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: set {self.drugs[regimen['drug_id']]['name']} of "
                f"{self.patients[regimen['patient_id']]['name']} to {to}."
            ),
            "data": self._changes(),
        }

    def plan_doses(self, patient_id: str, on: Date) -> Result:
        """Plan the doses of a patient for a day, from all active courses.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            on (str): Day that is planned, within 7 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 7):
            return _refused(f"Doses are planned for {self.now[:10]} to {_plus_days(self.now[:10], 7)}.")
        open_slots = [
            s
            for s in sorted(
                [
                    s
                    for _regimen in self._regimens_by_patient.get(patient_id, {}).values()
                    for s in self._slots_by_regimen.get(_regimen["id"], {}).values()
                ],
                key=_age,
            )
            if self.regimens[s["regimen_id"]]["status"] == "active"
            and not any(
                each["due_at"] == on + "T" + s["at"]
                for each in self._doses_by_regimen.get(s["regimen_id"], {}).values()
            )
        ]
        if len(open_slots) <= 0:
            return _refused(f"Everything is planned for {patient['name']} on {on}.")
        self._journal = []
        added_doses: list[Any] = []
        for s in sorted(
            open_slots,
            key=lambda s: (s["at"], self.drugs[self.regimens[s["regimen_id"]]["drug_id"]]["name"], _age(s)),
        ):
            dose = {
                "id": self._new_id("dose", "DOSE", self.doses),
                "regimen_id": s["regimen_id"],
                "due_at": on + "T" + s["at"],
                "units": self.regimens[s["regimen_id"]]["units"],
                "taken_at": None,
                "told_id": None,
                "status": "due",
            }
            self._add("doses", dose)
            added_doses.append(dose)
        for one_dose in _distinct(added_doses):
            if self._breaks_rule_8(one_dose):
                return self._take_back(RULES[7])
        for one_dose in _distinct(added_doses):
            if self._breaks_rule_9(one_dose):
                return self._take_back(RULES[8])
        for one_dose in _distinct(added_doses):
            if self._breaks_rule_10(one_dose):
                return self._take_back(RULES[9])
        for one_dose in _distinct(added_doses):
            if self._breaks_rule_11(one_dose):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: plan the doses of {patient['name']} for {on}.",
            "data": self._changes(),
        }

    def take_dose(self, dose_id: str) -> Result:
        """Note that a dose of today was taken just now, out of the supply.

        Args:
            dose_id (str): Id of the dose, such as DOSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dose = self.doses.get(dose_id)
        if dose is None:
            return _refused(f"There is no dose {dose_id!r}.")
        if dose["status"] != "due":
            return _refused(f"That dose is {dose['status']}.")
        if dose["due_at"][:10] != self.now[:10]:
            return _refused(f"That dose is for {dose['due_at'][:10]}.")
        if dose["due_at"] > _plus_minutes(self.now, 4 * 60):
            return _refused(f"That dose is due at {dose['due_at']} only, more than four hours from now.")
        there = self._stock(
            self.patients[self.regimens[dose["regimen_id"]]["patient_id"]],
            self.drugs[self.regimens[dose["regimen_id"]]["drug_id"]],
        )
        if there is None or there["units"] < dose["units"]:
            return _refused(
                f"There is not enough {self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['name']} for "
                f"{self.patients[self.regimens[dose['regimen_id']]['patient_id']]['name']}."
            )
        recent = next(
            (
                d
                for d in sorted(
                    [
                        d
                        for _regimen in self._regimens_by_patient.get(
                            self.regimens[dose["regimen_id"]]["patient_id"],
                            {},
                        ).values()
                        for d in self._doses_by_regimen.get(_regimen["id"], {}).values()
                    ],
                    key=_age,
                )
                if d["taken_at"] is not None
                and _minutes_between(d["taken_at"], self.now) < 60 * self._gap_of(
                    self.drugs[self.regimens[d["regimen_id"]]["drug_id"]],
                    self.drugs[self.regimens[dose["regimen_id"]]["drug_id"]],
                )
            ),
            None,
        )
        if recent is not None:
            return _refused(
                f"{self.drugs[self.regimens[recent['regimen_id']]['drug_id']]['name']} was taken too short a time "
                "ago."
            )
        twin = next(
            (
                d
                for d in sorted(
                    [
                        d
                        for _regimen in self._regimens_by_patient.get(
                            self.regimens[dose["regimen_id"]]["patient_id"],
                            {},
                        ).values()
                        for d in self._doses_by_regimen.get(_regimen["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.regimens[d["regimen_id"]]["drug_id"] == self.regimens[dose["regimen_id"]]["drug_id"]
                and d["taken_at"] is not None
                and _minutes_between(d["taken_at"], self.now) < 120
            ),
            None,
        )
        if twin is not None:
            return _refused(
                f"{self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['name']} was taken less than two "
                "hours ago, so close this dose as missed or skipped."
            )
        had = sum(
            d["units"]
            for _regimen in self._regimens_by_patient.get(
                self.regimens[dose["regimen_id"]]["patient_id"],
                {},
            ).values()
            for d in self._doses_by_regimen.get(_regimen["id"], {}).values()
            if self.regimens[d["regimen_id"]]["drug_id"] == self.regimens[dose["regimen_id"]]["drug_id"]
            and d["taken_at"] is not None
            and d["taken_at"][:10] == self.now[:10]
        )
        if had + dose["units"] > self.drugs[self.regimens[dose["regimen_id"]]["drug_id"]]["most_a_day"]:
            return _refused(
                f"{self.patients[self.regimens[dose['regimen_id']]['patient_id']]['name']} had {had} of "
                f"{self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['name']} today, and "
                f"{self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['most_a_day']} are the most."
            )
        self._journal = []
        units = there["units"] - dose["units"]
        if not 0 <= units <= 900:
            return self._take_back(f"The units of {there['id']} must be between 0 and 900.")
        self._put("supplies", there, "units", units)
        self._put("doses", dose, "taken_at", self.now)
        self._put("doses", dose, "status", "taken")
        if self._breaks_rule_9(dose):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(dose):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(dose):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: note that {self.patients[self.regimens[dose['regimen_id']]['patient_id']]['name']} took "
                f"{self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_dose(self, dose_id: str, outcome: Literal["missed", "skipped"]) -> Result:
        """Note that a dose was missed, or skipped on a doctor's word.

        Args:
            dose_id (str): Id of the dose, such as DOSE-00001.
            outcome (str): Whether it was missed, or skipped on a doctor's word: missed or skipped.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dose = self.doses.get(dose_id)
        if dose is None:
            return _refused(f"There is no dose {dose_id!r}.")
        if dose["status"] != "due":
            return _refused(f"That dose is {dose['status']}.")
        if outcome != "skipped" and dose["due_at"] >= self.now:
            return _refused(f"That dose is due at {dose['due_at']} only.")
        self._journal = []
        self._put("doses", dose, "status", outcome)
        if self._breaks_rule_9(dose):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(dose):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(dose):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: note {outcome} for {self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['name']} of "
                f"{self.patients[self.regimens[dose['regimen_id']]['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def tell_carer(self, dose_id: str, carer_id: str) -> Result:
        """Note which carer was told about a missed dose.

        Args:
            dose_id (str): Id of the dose, such as DOSE-00001.
            carer_id (str): Id of the carer, such as CARER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dose = self.doses.get(dose_id)
        if dose is None:
            return _refused(f"There is no dose {dose_id!r}.")
        carer = self.carers.get(carer_id)
        if carer is None:
            return _refused(f"There is no carer {carer_id!r}.")
        if dose["status"] != "missed":
            return _refused(f"That dose is {dose['status']}, so there is nothing to tell.")
        if dose["told_id"] is not None:
            return _refused(f"{self.carers[dose['told_id']]['name']} was told already.")
        if self.regimens[dose["regimen_id"]]["patient_id"] not in carer["looks_after_ids"]:
            return _refused(
                f"{carer['name']} does not look after "
                f"{self.patients[self.regimens[dose['regimen_id']]['patient_id']]['name']}."
            )
        self._journal = []
        self._put("doses", dose, "told_id", carer_id)
        if self._breaks_rule_10(dose):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: note that {carer['name']} was told about "
                f"{self.drugs[self.regimens[dose['regimen_id']]['drug_id']]['name']} of "
                f"{self.patients[self.regimens[dose['regimen_id']]['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def order_packs(self, supply_id: str, packs: Annotated[int, {"minimum": 1, "maximum": 12}]) -> Result:
        """Order packs of a drug for a patient at the pharmacy.

        Args:
            supply_id (str): Id of the supply, such as SUPPLY-00001.
            packs (int): Packs of the drug that are ordered, from 1 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supply = self.supplies.get(supply_id)
        if supply is None:
            return _refused(f"There is no supply {supply_id!r}.")
        if supply["packs_ordered"] != 0:
            return _refused(
                f"{supply['packs_ordered']} packs of {self.drugs[supply['drug_id']]['name']} are on order for "
                f"{self.patients[supply['patient_id']]['name']}."
            )
        if self._course(self.patients[supply["patient_id"]], self.drugs[supply["drug_id"]]) is None:
            return _refused(
                f"{self.patients[supply['patient_id']]['name']} does not take "
                f"{self.drugs[supply['drug_id']]['name']} any more."
            )
        self._journal = []
        self._put("supplies", supply, "packs_ordered", packs)
        return {
            "success": True,
            "message": (
                f"Done: order {packs} packs of {self.drugs[supply['drug_id']]['name']} for "
                f"{self.patients[supply['patient_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def collect_packs(self, supply_id: str) -> Result:
        """Take the ordered packs into the supply.

        Args:
            supply_id (str): Id of the supply, such as SUPPLY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supply = self.supplies.get(supply_id)
        if supply is None:
            return _refused(f"There is no supply {supply_id!r}.")
        if supply["packs_ordered"] <= 0:
            return _refused(
                f"No packs of {self.drugs[supply['drug_id']]['name']} are on order for "
                f"{self.patients[supply['patient_id']]['name']}."
            )
        if supply["units"] + supply["packs_ordered"] * self.drugs[supply["drug_id"]]["in_pack"] > 900:
            return _refused("That is more than anybody should keep at home.")
        done = f"collect {supply['packs_ordered']} packs of {self.drugs[supply['drug_id']]['name']} for {self.patients[supply['patient_id']]['name']}"
        self._journal = []
        units = supply["units"] + supply["packs_ordered"] * self.drugs[supply["drug_id"]]["in_pack"]
        if not 0 <= units <= 900:
            return self._take_back(f"The units of {supply['id']} must be between 0 and 900.")
        self._put("supplies", supply, "units", units)
        self._put("supplies", supply, "packs_ordered", 0)
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def count_supply(self, supply_id: str, units: Annotated[int, {"minimum": 0, "maximum": 900}]) -> Result:
        """Correct a supply after counting.

        Args:
            supply_id (str): Id of the supply, such as SUPPLY-00001.
            units (int): Units that were counted, from 0 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supply = self.supplies.get(supply_id)
        if supply is None:
            return _refused(f"There is no supply {supply_id!r}.")
        if supply["units"] == units:
            return _refused("That is what the book says.")
        self._journal = []
        self._put("supplies", supply, "units", units)
        return {
            "success": True,
            "message": (
                f"Done: set the {self.drugs[supply['drug_id']]['name']} of "
                f"{self.patients[supply['patient_id']]['name']} to {units}."
            ),
            "data": self._changes(),
        }

    def _show_patient(self, patient: Patient) -> dict[str, Any]:
        """The patient as an answer shows it."""
        return {**patient, "allergies": [*patient["allergies"]]}

    def _show_carer(self, carer: Carer) -> dict[str, Any]:
        """The carer as an answer shows it."""
        return {**carer, "looks_after_ids": [*carer["looks_after_ids"]]}

    def _show_regimen(self, regimen: Regimen) -> dict[str, Any]:
        """The regimen as an answer shows it."""
        return {**regimen, "a_day": self._regimen_a_day(regimen)}

    def _show_supply(self, supply: Supply) -> dict[str, Any]:
        """The supply as an answer shows it."""
        return {**supply, "lasts": self._supply_lasts(supply)}

    def _names_of_carers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that carers point to."""
        return _names((self.patients, "name", [each for row in shown for each in row["looks_after_ids"]]))

    def _names_of_regimens(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that regimens point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.drugs, "name", [row["drug_id"] for row in shown]),
        )

    def _names_of_supplies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that supplies point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.drugs, "name", [row["drug_id"] for row in shown]),
        )

    def _names_of_doses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that doses point to."""
        return _names((self.carers, "name", [row["told_id"] for row in shown]))

    def _regimen_a_day(self, regimen: Regimen) -> int:
        """The a day of a regimen."""
        return regimen["units"] * len(self._slots_by_regimen.get(regimen["id"], {}))

    def _supply_lasts(self, supply: Supply) -> int:
        """The lasts of a supply."""
        return supply["units"] // max(
            1,
            sum(
                self._regimen_a_day(r)
                for r in self._regimens_by_patient_drug_status.get(
                    (supply["patient_id"], supply["drug_id"], "active"),
                    {},
                ).values()
            ),
        )

    def _running(self, r: Regimen) -> bool:
        return r["status"] in ("active", "paused")

    def _clash(self, a: Drug, b: Drug) -> Interaction | None:
        return next(
            (
                i
                for i in sorted(
                    _distinct(
                        [i for key in [a["id"], b["id"]] for i in self._interactions_by_one.get(key, {}).values()]
                    ),
                    key=_age,
                )
                if (
                    i["one_id"] == a["id"]
                    and i["other_id"] == b["id"]
                    or i["one_id"] == b["id"]
                    and i["other_id"] == a["id"]
                )
            ),
            None,
        )

    def _never_with(self, a: Drug, b: Drug) -> bool:
        return any(
            i["gap"] == 0
            for i in _distinct(
                [i for key in [a["id"], b["id"]] for i in self._interactions_by_one.get(key, {}).values()]
            )
            if (
                i["one_id"] == a["id"]
                and i["other_id"] == b["id"]
                or i["one_id"] == b["id"]
                and i["other_id"] == a["id"]
            )
        )

    def _gap_of(self, a: Drug, b: Drug) -> int:
        return sum(
            i["gap"]
            for i in _distinct(
                [i for key in [a["id"], b["id"]] for i in self._interactions_by_one.get(key, {}).values()]
            )
            if (
                i["one_id"] == a["id"]
                and i["other_id"] == b["id"]
                or i["one_id"] == b["id"]
                and i["other_id"] == a["id"]
            )
        )

    def _stock(self, p: Patient, d: Drug) -> Supply | None:
        return next(
            (s for s in sorted(self._supplies_by_patient_drug.get((p["id"], d["id"]), {}).values(), key=_age)),
            None,
        )

    def _course(self, p: Patient, d: Drug) -> Regimen | None:
        return next(
            (
                r
                for r in sorted(self._regimens_by_patient_drug.get((p["id"], d["id"]), {}).values(), key=_age)
                if self._running(r)
            ),
            None,
        )

    def _close_to(self, r: Regimen, t: str) -> Slot | None:
        return next(
            (
                s
                for s in sorted(
                    [
                        s
                        for _regimen in self._regimens_by_patient.get(r["patient_id"], {}).values()
                        for s in self._slots_by_regimen.get(_regimen["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.regimens[s["regimen_id"]]["status"] == "active"
                and s["regimen_id"] != r["id"]
                and abs(_clock_minutes(s["at"]) - _clock_minutes(t)) < 60 * self._gap_of(
                    self.drugs[self.regimens[s["regimen_id"]]["drug_id"]],
                    self.drugs[r["drug_id"]],
                )
            ),
            None,
        )

    def _breaks_rule_1_a(self, a: Regimen) -> bool:
        """Whether this is broken: nobody takes two drugs that must never be combined."""
        return (
            a["status"] == "active"
            and any(
                self._never_with(self.drugs[a["drug_id"]], self.drugs[b["drug_id"]])
                for b in self._regimens_by_patient_status.get((a["patient_id"], "active"), {}).values()
            )
        )

    def _breaks_rule_1_b(self, b: Regimen) -> bool:
        """Whether this is broken: nobody takes two drugs that must never be combined."""
        return (
            b["status"] == "active"
            and any(
                self._never_with(self.drugs[a["drug_id"]], self.drugs[b["drug_id"]])
                for a in self._regimens_by_patient_status.get((b["patient_id"], "active"), {}).values()
            )
        )

    def _breaks_rule_2_s(self, s: Slot) -> bool:
        """Whether this is broken: drugs that must be kept apart are taken at times far enough from each other."""
        return (
            self.regimens[s["regimen_id"]]["status"] == "active"
            and any(
                abs(_clock_minutes(s["at"]) - _clock_minutes(t["at"])) < 60 * self._gap_of(
                    self.drugs[self.regimens[s["regimen_id"]]["drug_id"]],
                    self.drugs[self.regimens[t["regimen_id"]]["drug_id"]],
                )
                for _regimen in self._regimens_by_patient.get(
                    self.regimens[s["regimen_id"]]["patient_id"],
                    {},
                ).values()
                for t in self._slots_by_regimen.get(_regimen["id"], {}).values()
                if s["regimen_id"] != t["regimen_id"]
                and self.regimens[t["regimen_id"]]["status"] == "active"
            )
        )

    def _breaks_rule_2_t(self, t: Slot) -> bool:
        """Whether this is broken: drugs that must be kept apart are taken at times far enough from each other."""
        return (
            self.regimens[t["regimen_id"]]["status"] == "active"
            and any(
                abs(_clock_minutes(s["at"]) - _clock_minutes(t["at"])) < 60 * self._gap_of(
                    self.drugs[self.regimens[s["regimen_id"]]["drug_id"]],
                    self.drugs[self.regimens[t["regimen_id"]]["drug_id"]],
                )
                for _regimen in self._regimens_by_patient.get(
                    self.regimens[t["regimen_id"]]["patient_id"],
                    {},
                ).values()
                for s in self._slots_by_regimen.get(_regimen["id"], {}).values()
                if s["regimen_id"] != t["regimen_id"]
                and self.regimens[s["regimen_id"]]["status"] == "active"
            )
        )

    def _breaks_rule_3(self, r: Regimen) -> bool:
        """Whether this is broken: nobody takes a drug of a family they are allergic to."""
        return self._running(r) and self.drugs[r["drug_id"]]["family"] in self.patients[r["patient_id"]]["allergies"]

    def _breaks_rule_4(self, r: Regimen) -> bool:
        """Whether this is broken: nobody takes more of a drug than is safe in a day."""
        return self._running(r) and self._regimen_a_day(r) > self.drugs[r["drug_id"]]["most_a_day"]

    def _breaks_rule_5(self, r: Regimen) -> bool:
        """Whether this is broken: a patient has one running course of a drug."""
        return (
            self._running(r)
            and any(
                other_r is not r
                for other_r in self._regimens_by_patient_drug.get((r["patient_id"], r["drug_id"]), {}).values()
                if self._running(other_r)
            )
        )

    def _breaks_rule_6(self, s: Slot) -> bool:
        """Whether this is broken: a course has each time of day once."""
        return any(
            other_s is not s
            for other_s in self._slots_by_regimen.get(s["regimen_id"], {}).values()
            if other_s["at"] == s["at"]
        )

    def _breaks_rule_7(self, s: Supply) -> bool:
        """Whether this is broken: a supply is kept once for a patient and a drug."""
        return any(
            other_s is not s
            for other_s in self._supplies_by_patient_drug.get((s["patient_id"], s["drug_id"]), {}).values()
        )

    def _breaks_rule_8(self, d: Dose) -> bool:
        """Whether this is broken: a dose is planned once."""
        return any(
            other_d is not d
            for other_d in self._doses_by_regimen.get(d["regimen_id"], {}).values()
            if other_d["due_at"] == d["due_at"]
        )

    def _breaks_rule_9(self, d: Dose) -> bool:
        """Whether this is broken: a dose that was taken has a time, and no other has."""
        return (d["status"] == "taken") != (d["taken_at"] is not None)

    def _breaks_rule_10(self, d: Dose) -> bool:
        """Whether this is broken: carers are told about missed doses of people they look after."""
        return not (
            d["told_id"] is None
            or d["status"] == "missed"
            and self.regimens[d["regimen_id"]]["patient_id"] in self.carers[d["told_id"]]["looks_after_ids"]
        )

    def _breaks_rule_11(self, d: Dose) -> bool:
        """Whether this is broken: a course that is paused or stopped has no dose due."""
        return d["status"] == "due" and self.regimens[d["regimen_id"]]["status"] != "active"

    def _breaks_rule_12(self, r: Regimen) -> bool:
        """Whether this is broken: a stopped course says when it ended."""
        return (r["status"] == "stopped") != (r["ended_on"] is not None)

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
            case "interactions":
                self._interactions_by_one.setdefault(record["one_id"], {})[record["id"]] = record
            case "regimens":
                self._regimens_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
                self._regimens_by_patient_drug.setdefault(
                    (record["patient_id"], record["drug_id"]),
                    {},
                )[record["id"]] = record
                self._regimens_by_patient_drug_status.setdefault(
                    (record["patient_id"], record["drug_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._regimens_by_patient_status.setdefault(
                    (record["patient_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._regimens_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "slots":
                self._slots_by_regimen.setdefault(record["regimen_id"], {})[record["id"]] = record
            case "supplies":
                self._supplies_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
                self._supplies_by_patient_drug.setdefault(
                    (record["patient_id"], record["drug_id"]),
                    {},
                )[record["id"]] = record
            case "doses":
                self._doses_by_regimen.setdefault(record["regimen_id"], {})[record["id"]] = record
                self._doses_by_regimen_status.setdefault(
                    (record["regimen_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "interactions":
                del self._interactions_by_one[record["one_id"]][record["id"]]
            case "regimens":
                del self._regimens_by_patient[record["patient_id"]][record["id"]]
                del self._regimens_by_patient_drug[record["patient_id"], record["drug_id"]][record["id"]]
                del self._regimens_by_patient_drug_status[
                    record["patient_id"],
                    record["drug_id"],
                    record["status"],
                ][record["id"]]
                del self._regimens_by_patient_status[record["patient_id"], record["status"]][record["id"]]
                del self._regimens_by_status[record["status"]][record["id"]]
            case "slots":
                del self._slots_by_regimen[record["regimen_id"]][record["id"]]
            case "supplies":
                del self._supplies_by_patient[record["patient_id"]][record["id"]]
                del self._supplies_by_patient_drug[record["patient_id"], record["drug_id"]][record["id"]]
            case "doses":
                del self._doses_by_regimen[record["regimen_id"]][record["id"]]
                del self._doses_by_regimen_status[record["regimen_id"], record["status"]][record["id"]]
