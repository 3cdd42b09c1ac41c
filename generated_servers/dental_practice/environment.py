"""Dental practice. Compiled from blueprint.yaml; run `envscaler build dental_practice` after changing it there.

Plans and carries out dental treatment tooth by tooth in the right order, with estimates that insurers approve,
appointments in chairs, healing times between steps and recalls for check-ups.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A step that builds on another is planned or done only after that other step on the same tooth.",
    "A step is booked or done only when the step before it on the tooth is done and has healed.",
    "Only agreed plans are treated, and a closed plan has nothing left to do.",
    "A plan above the insurer's limit is agreed only when the insurer has decided about it.",
    "An insurer grants a plan no more than its percentage of the costs.",
    "An insurer grants a patient no more than the yearly limit in one insurance year.",
    "A chair holds one patient at a time.",
    "Nobody treats two patients at the same time.",
    "No patient has two appointments at the same time.",
    "A step is booked in an appointment of its own patient that is still to come.",
    "Hygienists do only what they are trained for.",
    "A patient has one plan in preparation at a time.",
    "No service is planned twice for the same tooth of a plan.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_plan",
    "add_steps",
    "drop_step",
    "send_estimate",
    "record_decision",
    "agree_plan",
    "book_appointment",
    "move_appointment",
    "cancel_appointment",
    "complete_appointment",
    "set_recall",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "insurers": ("name",),
    "patients": ("name",),
    "practitioners": ("name",),
    "chairs": ("name",),
    "services": ("name",),
    "plans": ("number",),
    "steps": (),
    "appointments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("appointments", "chair_id"),
    ("appointments", "patient_id"),
    ("appointments", "practitioner_id"),
    ("appointments", "status"),
    ("plans", "number"),
    ("plans", "patient_id"),
    ("services", "after_id"),
    ("steps", "appointment_id"),
    ("steps", "plan_id"),
    ("steps", "service_id"),
    ("steps", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Insurer(TypedDict):
    id: str
    name: str
    pays_percent: int
    yearly_limit: int
    estimate_from: int
    year_from: str


class Patient(TypedDict):
    id: str
    name: str
    insurer_id: str | None
    recall_months: int
    last_check: str


class Practitioner(TypedDict):
    id: str
    name: str
    role: Literal["dentist", "hygienist"]


class Chair(TypedDict):
    id: str
    name: str


class Service(TypedDict):
    id: str
    name: str
    after_id: str | None
    healing_days: int
    price: int
    minutes: int
    hygienist: bool


class Plan(TypedDict):
    id: str
    number: str
    patient_id: str
    dentist_id: str
    granted: int | None
    decided_on: str | None
    status: Literal["draft", "waiting", "agreed", "approved", "closed"]


class Step(TypedDict):
    id: str
    plan_id: str
    service_id: str
    tooth: int
    appointment_id: str | None
    done_on: str | None
    status: Literal["planned", "booked", "dropped", "done"]


class Appointment(TypedDict):
    id: str
    patient_id: str
    practitioner_id: str
    chair_id: str
    starts_at: str
    status: Literal["booked", "kept", "missed", "cancelled"]


class AddStepsStep(TypedDict):
    service_id: str
    tooth: Annotated[int, {"minimum": 11, "maximum": 48}]


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


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


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


class DentalPractice:
    """Plans and carries out dental treatment tooth by tooth in the right order, with estimates that
    insurers approve, appointments in chairs, healing times between steps and recalls for check-ups.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.insurers: dict[str, Insurer] = _copied(config.get("insurers", {}))
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.practitioners: dict[str, Practitioner] = _copied(config.get("practitioners", {}))
        self.chairs: dict[str, Chair] = _copied(config.get("chairs", {}))
        self.services: dict[str, Service] = _copied(config.get("services", {}))
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.steps: dict[str, Step] = _copied(config.get("steps", {}))
        self.appointments: dict[str, Appointment] = _copied(config.get("appointments", {}))
        self.now: str = config.get("now", "2026-06-08T07:50")
        self.counters: dict[str, int] = {
            "insurer": len(self.insurers),
            "patient": len(self.patients),
            "practitioner": len(self.practitioners),
            "chair": len(self.chairs),
            "service": len(self.services),
            "plan": len(self.plans),
            "step": len(self.steps),
            "appointment": len(self.appointments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._services_by_after: dict[Any, dict[str, Service]] = {}
        self._plans_by_lower_number: dict[Any, dict[str, Plan]] = {}
        self._plans_by_number: dict[Any, dict[str, Plan]] = {}
        self._plans_by_patient: dict[Any, dict[str, Plan]] = {}
        self._steps_by_appointment: dict[Any, dict[str, Step]] = {}
        self._steps_by_appointment_status: dict[Any, dict[str, Step]] = {}
        self._steps_by_plan: dict[Any, dict[str, Step]] = {}
        self._steps_by_plan_service: dict[Any, dict[str, Step]] = {}
        self._steps_by_service: dict[Any, dict[str, Step]] = {}
        self._steps_by_service_status: dict[Any, dict[str, Step]] = {}
        self._appointments_by_chair: dict[Any, dict[str, Appointment]] = {}
        self._appointments_by_chair_status: dict[Any, dict[str, Appointment]] = {}
        self._appointments_by_patient: dict[Any, dict[str, Appointment]] = {}
        self._appointments_by_patient_status: dict[Any, dict[str, Appointment]] = {}
        self._appointments_by_practitioner: dict[Any, dict[str, Appointment]] = {}
        self._appointments_by_practitioner_status: dict[Any, dict[str, Appointment]] = {}
        for service in self.services.values():
            self._link("services", service)
        for plan in self.plans.values():
            self._link("plans", plan)
        for step in self.steps.values():
            self._link("steps", step)
        for appointment in self.appointments.values():
            self._link("appointments", appointment)

    def due_for_recall(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Patients whose check-up is due by a day and who have none booked, those overdue longest first.

        Args:
            until (str): Last due day of check-ups to include, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self.patients.values()
            if self._patient_recall_due(p) <= until
            and not any(
                not self._steps_by_appointment.get(a["id"], {})
                for a in self._appointments_by_patient_status.get((p["id"], "booked"), {}).values()
            )
        ]
        found.sort(key=lambda p: (self._patient_recall_due(p), p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "patients": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "recall_due": self._patient_recall_due(p),
                        "last_check": p["last_check"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def next_steps(
        self,
        on: Date,
        patient_id: str | None = None,
        plan_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Steps of agreed plans that could be booked for a day.

        Args:
            on (str): Day for which the steps would be booked, as YYYY-MM-DD.
            patient_id (str, optional): Patient whose steps are listed; an id such as PATIENT-00001. If left out,
                steps of all patients are listed.
            plan_id (str, optional): Plan that the steps belong to; an id such as PLAN-00001. If left out, steps of
                all agreed plans are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}} or {"success": False, "error": why
                not}
        """
        patient = self.patients.get(patient_id) if patient_id is not None else None
        if patient_id is not None and patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        plan = self.plans.get(plan_id) if plan_id is not None else None
        if plan_id is not None and plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            s
            for s in self.steps.values()
            if (s["status"] == "planned" and self.plans[s["plan_id"]]["status"] == "agreed")
            and self._ready_on(s, on)
            and (patient_id is None or self._step_patient(s) is patient)
            and (plan_id is None or s["plan_id"] == plan_id)
        ]
        return _found(
            {
                "total": len(found),
                "steps": [
                    {
                        "id": s["id"],
                        "patient": self._step_patient(s)["name"],
                        "plan": self.plans[s["plan_id"]]["number"],
                        "service": self.services[s["service_id"]]["name"],
                        "tooth": s["tooth"],
                        "minutes": self.services[s["service_id"]]["minutes"],
                        "before": _id_of(self._step_before(s)),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def what_insurer_pays(self, plan_id: str) -> Result:
        """What the insurer of a plan can grant at most today, and what would be left for the patient.

        Args:
            plan_id (str): Id of the plan, such as PLAN-00001.

        Returns:
            dict: {"success": True, "data": {total, needs_estimate, granted_this_year, at_most, patient_pays}} or
                {"success": False, "error": why not}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        return _found(
            {
                "total": self._plan_total(plan),
                "needs_estimate": self._plan_needs_estimate(plan),
                "granted_this_year": self._granted_this_year(self.patients[plan["patient_id"]], self.now[:10]),
                "at_most": self._most_granted(plan, self.now[:10]),
                "patient_pays": self._plan_total(plan) - (plan["granted"] if plan["granted"] is not None else 0),
            }
        )

    def list_insurers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the insurers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only insurers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "insurers": records}}
        """
        found = [
            insurer
            for insurer in self.insurers.values()
            if (name is None or name.casefold() in insurer["name"].casefold())
        ]
        return _found({"total": len(found), "insurers": [{**insurer} for insurer in _page(found, offset)]})

    def list_patients(
        self,
        name: Text | None = None,
        insurer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patients whose name contains this text.
            insurer_id (str, optional): Only patients of this insurer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}}
        """
        if insurer_id is not None and insurer_id not in self.insurers:
            return _refused(f"There is no insurer {insurer_id!r}.")
        found = [
            patient
            for patient in self.patients.values()
            if (name is None or name.casefold() in patient["name"].casefold())
            and (insurer_id is None or patient["insurer_id"] == insurer_id)
        ]
        shown = [self._show_patient(patient) for patient in _page(found, offset)]
        return _found({"total": len(found), "patients": shown}, self._names_of_patients(shown))

    def list_practitioners(
        self,
        name: Text | None = None,
        role: Literal["dentist", "hygienist"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the practitioners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only practitioners whose name contains this text.
            role (str, optional): Only practitioners with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "practitioners": records}}
        """
        found = [
            practitioner
            for practitioner in self.practitioners.values()
            if (name is None or name.casefold() in practitioner["name"].casefold())
            and (role is None or practitioner["role"] == role)
        ]
        return _found(
            {"total": len(found), "practitioners": [{**practitioner} for practitioner in _page(found, offset)]}
        )

    def list_chairs(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the chairs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only chairs whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chairs": records}}
        """
        found = [
            chair
            for chair in self.chairs.values()
            if (name is None or name.casefold() in chair["name"].casefold())
        ]
        return _found({"total": len(found), "chairs": [{**chair} for chair in _page(found, offset)]})

    def list_services(
        self,
        name: Text | None = None,
        after_id: str | None = None,
        hygienist: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the services, oldest first, all of them or only some.

        Args:
            name (str, optional): Only services whose name contains this text.
            after_id (str, optional): Only services after this service.
            hygienist (bool, optional): Only services with this value of `hygienist`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "services": records}}
        """
        if after_id is not None and after_id not in self.services:
            return _refused(f"There is no service {after_id!r}.")
        found = [
            service
            for service in self.services.values()
            if (name is None or name.casefold() in service["name"].casefold())
            and (after_id is None or service["after_id"] == after_id)
            and (hygienist is None or service["hygienist"] == hygienist)
        ]
        shown = [{**service} for service in _page(found, offset)]
        return _found({"total": len(found), "services": shown}, self._names_of_services(shown))

    def list_plans(
        self,
        number: Text | None = None,
        patient_id: str | None = None,
        dentist_id: str | None = None,
        status: Literal["draft", "waiting", "agreed", "approved", "closed"] | None = None,
        decided_on_from: Date | None = None,
        decided_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            number (str, optional): Only plans whose number contains this text.
            patient_id (str, optional): Only plans of this patient.
            dentist_id (str, optional): Only plans whose dentist is this practitioner.
            status (str, optional): Only plans with this status.
            decided_on_from (str, optional): Only plans whose `decided_on` is on this day or later.
            decided_on_to (str, optional): Only plans whose `decided_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if dentist_id is not None and dentist_id not in self.practitioners:
            return _refused(f"There is no practitioner {dentist_id!r}.")
        found = [
            plan
            for plan in self.plans.values()
            if (number is None or number.casefold() in plan["number"].casefold())
            and (patient_id is None or plan["patient_id"] == patient_id)
            and (dentist_id is None or plan["dentist_id"] == dentist_id)
            and (status is None or plan["status"] == status)
            and (
                decided_on_from is None
                or (plan["decided_on"] is not None and plan["decided_on"] >= decided_on_from)
            )
            and (decided_on_to is None or (plan["decided_on"] is not None and plan["decided_on"] <= decided_on_to))
        ]
        shown = [self._show_plan(plan) for plan in _page(found, offset)]
        return _found({"total": len(found), "plans": shown}, self._names_of_plans(shown))

    def list_steps(
        self,
        plan_id: str | None = None,
        service_id: str | None = None,
        appointment_id: str | None = None,
        status: Literal["planned", "booked", "dropped", "done"] | None = None,
        done_on_from: Date | None = None,
        done_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the steps, oldest first, all of them or only some.

        Args:
            plan_id (str, optional): Only steps of this plan.
            service_id (str, optional): Only steps of this service.
            appointment_id (str, optional): Only steps of this appointment.
            status (str, optional): Only steps with this status.
            done_on_from (str, optional): Only steps whose `done_on` is on this day or later.
            done_on_to (str, optional): Only steps whose `done_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}}
        """
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        if service_id is not None and service_id not in self.services:
            return _refused(f"There is no service {service_id!r}.")
        if appointment_id is not None and appointment_id not in self.appointments:
            return _refused(f"There is no appointment {appointment_id!r}.")
        found = [
            step
            for step in self.steps.values()
            if (plan_id is None or step["plan_id"] == plan_id)
            and (service_id is None or step["service_id"] == service_id)
            and (appointment_id is None or step["appointment_id"] == appointment_id)
            and (status is None or step["status"] == status)
            and (done_on_from is None or (step["done_on"] is not None and step["done_on"] >= done_on_from))
            and (done_on_to is None or (step["done_on"] is not None and step["done_on"] <= done_on_to))
        ]
        shown = [self._show_step(step) for step in _page(found, offset)]
        return _found({"total": len(found), "steps": shown}, self._names_of_steps(shown))

    def list_appointments(
        self,
        patient_id: str | None = None,
        practitioner_id: str | None = None,
        chair_id: str | None = None,
        status: Literal["booked", "kept", "missed", "cancelled"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the appointments, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only appointments of this patient.
            practitioner_id (str, optional): Only appointments of this practitioner.
            chair_id (str, optional): Only appointments of this chair.
            status (str, optional): Only appointments with this status.
            starts_at_from (str, optional): Only appointments whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only appointments whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "appointments": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if practitioner_id is not None and practitioner_id not in self.practitioners:
            return _refused(f"There is no practitioner {practitioner_id!r}.")
        if chair_id is not None and chair_id not in self.chairs:
            return _refused(f"There is no chair {chair_id!r}.")
        found = [
            appointment
            for appointment in self.appointments.values()
            if (patient_id is None or appointment["patient_id"] == patient_id)
            and (practitioner_id is None or appointment["practitioner_id"] == practitioner_id)
            and (chair_id is None or appointment["chair_id"] == chair_id)
            and (status is None or appointment["status"] == status)
            and (starts_at_from is None or appointment["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or appointment["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_appointment(appointment) for appointment in _page(found, offset)]
        return _found({"total": len(found), "appointments": shown}, self._names_of_appointments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_plan(self, patient_id: str, dentist_id: str, number: Text) -> Result:
        """Begin a treatment plan for a patient.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            dentist_id (str): Dentist who is responsible for the plan; an id such as PRACTITIONER-00001.
            number (str): New number of the plan, not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        dentist = self.practitioners.get(dentist_id)
        if dentist is None:
            return _refused(f"There is no practitioner {dentist_id!r}.")
        if dentist["role"] != "dentist":
            return _refused(f"{dentist['name']} is a hygienist and draws up no plans.")
        other = next(
            (
                q
                for q in sorted(self._plans_by_patient.get(patient_id, {}).values(), key=_age)
                if q["status"] in ("draft", "waiting", "approved")
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{patient['name']} has plan {other['number']}, which is {other['status']}, so finish that first."
            )
        if self._plans_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is a plan {number} already.")
        self._journal = []
        plan: Plan = {
            "id": self._new_id("plan", "PLAN", self.plans),
            "number": number,
            "patient_id": patient_id,
            "dentist_id": dentist_id,
            "granted": None,
            "decided_on": None,
            "status": "draft",
        }
        self._add("plans", plan)
        if len(self._plans_by_number.get(plan["number"], {})) > 1:
            return self._take_back(f"There is already a plan with the number {plan['number']!r}.")
        if self._breaks_rule_4(plan):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(plan):
            return self._take_back(RULES[4])
        for one_plan in _distinct([plan, *self._plans_by_patient.get(plan["patient_id"], {}).values()]):
            if self._breaks_rule_6(one_plan):
                return self._take_back(RULES[5])
        if self._breaks_rule_12(plan):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: begin plan {number} for {patient['name']} with {dentist['name']} (new: plan {plan['id']})."
            ),
            "data": {"plan_id": plan["id"], **self._changes()},
        }

    def add_steps(self, plan_id: str, steps: Annotated[list[AddStepsStep], {"maxItems": 20}]) -> Result:
        """Add steps to a draft plan, each on a tooth; what builds on another step comes after it.

        Args:
            plan_id (str): Id of the plan, such as PLAN-00001.
            steps (list): One entry for each service on a tooth: service_id: service to be carried out; an id such
                as SERVICE-00001; tooth: tooth by its two-digit number, quadrant and then place counted from the
                middle, from 11 to 48.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        entries, steps = steps, []
        for entry in entries:
            if entry["service_id"] not in self.services:
                return _refused(f"There is no service {entry['service_id']!r}.")
            steps.append({"service": self.services[entry["service_id"]], "tooth": entry["tooth"]})
        if plan["status"] != "draft":
            return _refused(f"Plan {plan['number']} is {plan['status']} and cannot be added to.")
        if not (len(steps) > 0 and _different([(x["service"]["id"], x["tooth"]) for x in steps])):
            return _refused("Name at least one step, and each once.")
        wrong = next((x for x in steps if (x["tooth"] % 10 == 0 or x["tooth"] % 10 == 9)), None)
        if wrong is not None:
            return _refused(f"There is no tooth {wrong['tooth']}.")
        twice = next(
            (
                x
                for x in steps
                if any(
                    self.services[s["service_id"]] is x["service"]
                    and s["tooth"] == x["tooth"]
                    and self._live(s)
                    for s in self._steps_by_plan.get(plan_id, {}).values()
                )
            ),
            None,
        )
        if twice is not None:
            return _refused(f"{twice['service']['name']} on tooth {twice['tooth']} is in the plan already.")
        early = next(
            (
                x
                for x in steps
                if x["service"]["after_id"] is not None
                and not any(
                    y["service"] is self.services[x["service"]["after_id"]]
                    for y in steps
                    if y["tooth"] == x["tooth"]
                )
                and not any(
                    self._live(s)
                    for s in self._steps_by_service.get(x["service"]["after_id"], {}).values()
                    if self._step_patient(s) is self.patients[plan["patient_id"]]
                    and s["tooth"] == x["tooth"]
                )
            ),
            None,
        )
        if early is not None:
            return _refused(
                f"{early['service']['name']} builds on another step that is missing for tooth {early['tooth']}."
            )
        self._journal = []
        added_steps: list[Any] = []
        for x in sorted(steps, key=lambda x: (len(_above(self.services, x["service"], "after_id")),)):
            step = {
                "id": self._new_id("step", "STEP", self.steps),
                "plan_id": plan_id,
                "service_id": x["service"]["id"],
                "tooth": x["tooth"],
                "appointment_id": None,
                "done_on": None,
                "status": "planned",
            }
            self._add("steps", step)
            added_steps.append(step)
        for one_step in _distinct(
            [
                *added_steps,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.patients[one["patient_id"]]
                            for one in [self.plans[one["plan_id"]] for one in added_steps]
                        ]
                        for user in self._plans_by_patient.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_plan.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_step):
                return self._take_back(RULES[0])
        for one_step in _distinct(
            [
                *added_steps,
                *[
                    user
                    for one in [
                        user
                        for one in [self.services[one["service_id"]] for one in added_steps]
                        for user in self._services_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_service.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_step):
                return self._take_back(RULES[1])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        for one_plan in _distinct([self.plans[one["plan_id"]] for one in added_steps]):
            if self._breaks_rule_4(one_plan):
                return self._take_back(RULES[3])
        for one_plan in _distinct([self.plans[one["plan_id"]] for one in added_steps]):
            if self._breaks_rule_5(one_plan):
                return self._take_back(RULES[4])
        for one_appointment in _distinct([self.appointments.get(one["appointment_id"]) for one in added_steps]):
            if self._breaks_rule_7(one_appointment):
                return self._take_back(RULES[6])
        for one_appointment in _distinct([self.appointments.get(one["appointment_id"]) for one in added_steps]):
            if self._breaks_rule_8(one_appointment):
                return self._take_back(RULES[7])
        for one_appointment in _distinct([self.appointments.get(one["appointment_id"]) for one in added_steps]):
            if self._breaks_rule_9(one_appointment):
                return self._take_back(RULES[8])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_10_s(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_10_s_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_10_s_again_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_11(one_step):
                return self._take_back(RULES[10])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_13(one_step):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: add {len(steps)} steps to plan {plan['number']}.",
            "data": self._changes(),
        }

    def drop_step(self, step_id: str) -> Result:
        """Drop a planned step on which no other one builds.

        Args:
            step_id (str): Id of the step, such as STEP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        step = self.steps.get(step_id)
        if step is None:
            return _refused(f"There is no step {step_id!r}.")
        if step["status"] != "planned":
            return _refused(
                f"The {self.services[step['service_id']]['name']} on tooth {step['tooth']} is {step['status']}."
            )
        if self.plans[step["plan_id"]]["status"] not in ("draft", "agreed"):
            return _refused(
                f"Plan {self.plans[step['plan_id']]['number']} is {self.plans[step['plan_id']]['status']}, so "
                "wait for the decision."
            )
        later = self._step_after(step)
        if later is not None:
            return _refused(
                f"The {self.services[later['service_id']]['name']} on tooth {later['tooth']} builds on it, so "
                "drop that first."
            )
        self._journal = []
        changed_plans: list[Any] = []
        self._put("steps", step, "status", "dropped")
        if (
            self.plans[step["plan_id"]]["status"] == "agreed"
            and not any(
                s["status"] in ("planned", "booked")
                for s in self._steps_by_plan.get(step["plan_id"], {}).values()
            )
        ):
            plan = self.plans[step["plan_id"]]
            if plan["status"] not in ("agreed", "closed"):
                return self._take_back(f"Plan {plan['number']} cannot go from {plan['status']} to closed.")
            changed_plans.append(plan)
            self._put("plans", plan, "status", "closed")
        for one_step in _distinct(
            [
                step,
                *[
                    user
                    for one in self._plans_by_patient.get(self.plans[step["plan_id"]]["patient_id"], {}).values()
                    for user in self._steps_by_plan.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_step):
                return self._take_back(RULES[0])
        for one_step in _distinct(
            [
                step,
                *[
                    user
                    for one in self._services_by_after.get(step["service_id"], {}).values()
                    for user in self._steps_by_service.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_step):
                return self._take_back(RULES[1])
        for one_step in _distinct(
            [step, *[user for one in changed_plans for user in self._steps_by_plan.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(
            [step, *[user for one in changed_plans for user in self._steps_by_plan.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        for one_plan in _distinct([self.plans[step["plan_id"]], *changed_plans]):
            if self._breaks_rule_4(one_plan):
                return self._take_back(RULES[3])
        for one_plan in _distinct([self.plans[step["plan_id"]], *changed_plans]):
            if self._breaks_rule_5(one_plan):
                return self._take_back(RULES[4])
        if self._breaks_rule_10_s(step):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_s_again_again(step):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(step):
            return self._take_back(RULES[10])
        for one_plan in _distinct(changed_plans):
            if self._breaks_rule_12(one_plan):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(step):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: drop the {self.services[step['service_id']]['name']} on tooth {step['tooth']} of "
                f"{self._step_patient(step)['name']}."
            ),
            "data": self._changes(),
        }

    def send_estimate(self, plan_id: str) -> Result:
        """Send the estimate of a draft plan to the patient's insurer.

        Args:
            plan_id (str): Id of the plan, such as PLAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if plan["status"] != "draft":
            return _refused(f"Plan {plan['number']} is {plan['status']}.")
        if self._plan_total(plan) <= 0:
            return _refused(f"Plan {plan['number']} has no steps.")
        if not self._plan_needs_estimate(plan):
            return _refused(
                f"Nobody has to approve the {_money(self._plan_total(plan))} of plan {plan['number']}, so it can "
                f"be agreed with {self.patients[plan['patient_id']]['name']}."
            )
        self._journal = []
        self._put("plans", plan, "status", "waiting")
        for one_step in _distinct(self._steps_by_plan.get(plan["id"], {}).values()):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(self._steps_by_plan.get(plan["id"], {}).values()):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(plan):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(plan):
            return self._take_back(RULES[4])
        if self._breaks_rule_12(plan):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: send the estimate of plan {plan['number']} to the insurer.",
            "data": self._changes(),
        }

    def record_decision(self, plan_id: str, granted: Annotated[int, {"minimum": 0, "maximum": 500000}]) -> Result:
        """Record what the insurer grants for a plan; with nothing granted the plan goes back to draft.

        Args:
            plan_id (str): Id of the plan, such as PLAN-00001.
            granted (int): Amount that the insurer grants, zero where nothing is granted, in cents, from 0 to
                500000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if plan["status"] != "waiting":
            return _refused(f"Plan {plan['number']} is {plan['status']}.")
        if granted > self._most_granted(plan, self.now[:10]):
            return _refused(
                f"The insurer of {self.patients[plan['patient_id']]['name']} can grant at most "
                f"{_money(self._most_granted(plan, self.now[:10]))} for plan {plan['number']}."
            )
        self._journal = []
        changed_plans: list[Any] = []
        changed_plans_2: list[Any] = []
        changed_plans_3: list[Any] = []
        if granted == 0:
            changed_plans.append(plan)
            self._put("plans", plan, "status", "draft")
        else:
            changed_plans_2.append(plan)
            self._put("plans", plan, "granted", granted)
            changed_plans_3.append(plan)
            self._put("plans", plan, "decided_on", self.now[:10])
            if plan["status"] not in ("waiting", "approved"):
                return self._take_back(f"Plan {plan['number']} cannot go from {plan['status']} to approved.")
            changed_plans.append(plan)
            self._put("plans", plan, "status", "approved")
        for one_step in _distinct(
            [user for one in changed_plans for user in self._steps_by_plan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(
            [user for one in changed_plans for user in self._steps_by_plan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        for one_plan in _distinct([*changed_plans, *changed_plans_3]):
            if self._breaks_rule_4(one_plan):
                return self._take_back(RULES[3])
        for one_plan in _distinct([*changed_plans, *changed_plans_2]):
            if self._breaks_rule_5(one_plan):
                return self._take_back(RULES[4])
        for one_plan in _distinct(
            [
                *[
                    user
                    for one in [self.patients[one["patient_id"]] for one in changed_plans_2]
                    for user in self._plans_by_patient.get(one["id"], {}).values()
                ],
                *changed_plans_3,
                *[
                    user
                    for one in [self.patients[one["patient_id"]] for one in changed_plans_3]
                    for user in self._plans_by_patient.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_plan):
                return self._take_back(RULES[5])
        for one_plan in _distinct(changed_plans):
            if self._breaks_rule_12(one_plan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: record that {_money(granted)} are granted for plan {plan['number']}.",
            "data": self._changes(),
        }

    def agree_plan(self, plan_id: str) -> Result:
        """Record that the patient agrees to a plan that is approved or needs no approval.

        Args:
            plan_id (str): Id of the plan, such as PLAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if plan["status"] not in ("draft", "approved"):
            return _refused(f"Plan {plan['number']} is {plan['status']}.")
        if self._plan_total(plan) <= 0:
            return _refused(f"Plan {plan['number']} has no steps.")
        if plan["status"] != "approved" and self._plan_needs_estimate(plan):
            return _refused(
                f"The insurer of {self.patients[plan['patient_id']]['name']} must see the "
                f"{_money(self._plan_total(plan))} first, so send the estimate."
            )
        self._journal = []
        self._put("plans", plan, "status", "agreed")
        for one_step in _distinct(self._steps_by_plan.get(plan["id"], {}).values()):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(self._steps_by_plan.get(plan["id"], {}).values()):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(plan):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(plan):
            return self._take_back(RULES[4])
        if self._breaks_rule_12(plan):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: agree plan {plan['number']} with {self.patients[plan['patient_id']]['name']}.",
            "data": self._changes(),
        }

    def book_appointment(
        self,
        practitioner_id: str,
        chair_id: str,
        starts_at: DateTime,
        step_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
        patient_id: str | None = None,
    ) -> Result:
        """Book a chair for steps that may be done by then, or, with a patient and no steps, for a check-up.

        Args:
            practitioner_id (str): Id of the practitioner, such as PRACTITIONER-00001.
            chair_id (str): Id of the chair, such as CHAIR-00001.
            starts_at (str): Start on Monday to Saturday, between 8.00 and 17.30, as YYYY-MM-DDTHH:MM.
            step_ids (list): Steps of agreed plans to be done, all of one patient: ids of steps, such as
                STEP-00001. If left out, it is a check-up, for which the patient is named.
            patient_id (str, optional): Patient who comes, to be named for a check-up; an id such as PATIENT-00001.
                If left out, it is the patient of the steps.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        practitioner = self.practitioners.get(practitioner_id)
        if practitioner is None:
            return _refused(f"There is no practitioner {practitioner_id!r}.")
        chair = self.chairs.get(chair_id)
        if chair is None:
            return _refused(f"There is no chair {chair_id!r}.")
        steps = []
        for key in step_ids or []:
            if key not in self.steps:
                return _refused(f"There is no step {key!r}.")
            steps.append(self.steps[key])
        patient = self.patients.get(patient_id) if patient_id is not None else None
        if patient_id is not None and patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is over.")
        if not (_weekday(starts_at[:10]) <= 6 and ("08:00" <= starts_at[11:] and starts_at[11:] <= "17:30")):
            return _refused("The practice takes patients from 08:00 to 17:30, not on Sundays.")
        if not _different([s["id"] for s in steps]):
            return _refused("A step is named twice.")
        whom = patient or next((self._step_patient(s) for s in steps), None)
        if whom is None:
            return _refused("Name the steps to be done, or the patient who comes for a check-up.")
        check = next(
            (
                a
                for a in sorted(
                    self._appointments_by_patient_status.get((whom["id"], "booked"), {}).values(),
                    key=_age,
                )
                if not self._steps_by_appointment.get(a["id"], {})
            ),
            None,
        )
        if len(steps) <= 0 and check is not None:
            return _refused(f"{whom['name']} has a check-up booked for {check['starts_at']} already.")
        if len(steps) <= 0 and self._patient_recall_due(whom) > _plus_days(starts_at[:10], 7):
            return _refused(
                f"The check-up of {whom['name']} is due on {self._patient_recall_due(whom)}, more than a week later."
            )
        foreign = next(
            (
                s
                for s in steps
                if (
                    self._step_patient(s) is not whom
                    or s["status"] != "planned"
                    or self.plans[s["plan_id"]]["status"] != "agreed"
                )
            ),
            None,
        )
        if foreign is not None:
            return _refused(
                f"The {self.services[foreign['service_id']]['name']} on tooth {foreign['tooth']} is not a planned "
                f"step of an agreed plan of {whom['name']}."
            )
        early = next((s for s in steps if not self._ready_on(s, starts_at[:10])), None)
        if early is not None:
            return _refused(
                f"The step before the {self.services[early['service_id']]['name']} on tooth {early['tooth']} is "
                f"not done or has not healed by {starts_at[:10]}."
            )
        trained = next(
            (
                s
                for s in steps
                if practitioner["role"] == "hygienist"
                and not self.services[s["service_id"]]["hygienist"]
            ),
            None,
        )
        if trained is not None:
            return _refused(f"The {self.services[trained['service_id']]['name']} takes a dentist.")
        until = _plus_minutes(starts_at, max(20, sum(self.services[s["service_id"]]["minutes"] for s in steps)))
        in_chair = next(
            (
                a
                for a in sorted(self._appointments_by_chair.get(chair_id, {}).values(), key=_age)
                if self._crossing(a, starts_at, until)
            ),
            None,
        )
        if in_chair is not None:
            return _refused(
                f"{self.patients[in_chair['patient_id']]['name']} has {chair['name']} from "
                f"{in_chair['starts_at']} for {self._appointment_minutes(in_chair)} minutes."
            )
        with_who = next(
            (
                a
                for a in sorted(self._appointments_by_practitioner.get(practitioner_id, {}).values(), key=_age)
                if self._crossing(a, starts_at, until)
            ),
            None,
        )
        if with_who is not None:
            return _refused(
                f"{practitioner['name']} treats {self.patients[with_who['patient_id']]['name']} from "
                f"{with_who['starts_at']} for {self._appointment_minutes(with_who)} minutes."
            )
        own = next(
            (
                a
                for a in sorted(self._appointments_by_patient.get(whom["id"], {}).values(), key=_age)
                if self._crossing(a, starts_at, until)
            ),
            None,
        )
        if own is not None:
            return _refused(
                f"{whom['name']} is in {self.chairs[own['chair_id']]['name']} from {own['starts_at']} for "
                f"{self._appointment_minutes(own)} minutes."
            )
        self._journal = []
        changed_steps: list[Any] = []
        former_appointment_ids: list[Any] = []
        changed_steps_2: list[Any] = []
        visit: Appointment = {
            "id": self._new_id("appointment", "APPOINTMENT", self.appointments),
            "patient_id": whom["id"],
            "practitioner_id": practitioner_id,
            "chair_id": chair_id,
            "starts_at": starts_at,
            "status": "booked",
        }
        self._add("appointments", visit)
        for s in list(steps):
            changed_steps.append(s)
            former_appointment_ids.append(s["appointment_id"])
            self._put("steps", s, "appointment_id", visit["id"])
            if s["status"] not in ("planned", "booked"):
                return self._take_back(f"Step {s['id']} cannot go from {s['status']} to booked.")
            changed_steps_2.append(s)
            self._put("steps", s, "status", "booked")
        for one_step in _distinct(
            [
                *changed_steps_2,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.patients[one["patient_id"]]
                            for one in [self.plans[one["plan_id"]] for one in changed_steps_2]
                        ]
                        for user in self._plans_by_patient.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_plan.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_step):
                return self._take_back(RULES[0])
        for one_step in _distinct(
            [
                *changed_steps,
                *changed_steps_2,
                *[
                    user
                    for one in [
                        user
                        for one in [self.services[one["service_id"]] for one in changed_steps_2]
                        for user in self._services_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_service.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_step):
                return self._take_back(RULES[1])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        for one_plan in _distinct([self.plans[one["plan_id"]] for one in changed_steps_2]):
            if self._breaks_rule_4(one_plan):
                return self._take_back(RULES[3])
        for one_plan in _distinct([self.plans[one["plan_id"]] for one in changed_steps_2]):
            if self._breaks_rule_5(one_plan):
                return self._take_back(RULES[4])
        for one_appointment in _distinct(
            [
                visit,
                *[self.appointments.get(one["appointment_id"]) for one in changed_steps],
                *[self.appointments.get(key) for key in former_appointment_ids],
            ]
        ):
            if self._breaks_rule_7(one_appointment):
                return self._take_back(RULES[6])
        for one_appointment in _distinct(
            [
                visit,
                *[self.appointments.get(one["appointment_id"]) for one in changed_steps],
                *[self.appointments.get(key) for key in former_appointment_ids],
            ]
        ):
            if self._breaks_rule_8(one_appointment):
                return self._take_back(RULES[7])
        for one_appointment in _distinct(
            [
                visit,
                *[self.appointments.get(one["appointment_id"]) for one in changed_steps],
                *[self.appointments.get(key) for key in former_appointment_ids],
            ]
        ):
            if self._breaks_rule_9(one_appointment):
                return self._take_back(RULES[8])
        for one_step in _distinct([*changed_steps, *changed_steps_2]):
            if self._breaks_rule_10_s(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(changed_steps):
            if self._breaks_rule_10_s_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct([*changed_steps, *changed_steps_2]):
            if self._breaks_rule_10_s_again_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct([*changed_steps, *changed_steps_2]):
            if self._breaks_rule_11(one_step):
                return self._take_back(RULES[10])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_13(one_step):
                return self._take_back(RULES[12])
        done = f"book {chair['name']} with {practitioner['name']} at {starts_at}"
        if patient is not None:
            done += f" for {patient['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: appointment {visit['id']}).",
            "data": {"appointment_id": visit["id"], **self._changes()},
        }

    def move_appointment(
        self,
        appointment_id: str,
        starts_at: DateTime | None = None,
        chair_id: str | None = None,
        practitioner_id: str | None = None,
    ) -> Result:
        """Move an appointment to another time, chair or person, keeping what is not named.

        Args:
            appointment_id (str): Id of the appointment, such as APPOINTMENT-00001.
            starts_at (str, optional): New start on Monday to Saturday, between 8.00 and 17.30, as
                YYYY-MM-DDTHH:MM. If left out, the time stays as it is.
            chair_id (str, optional): Chair that is used instead; an id such as CHAIR-00001. If left out, the chair
                stays the same.
            practitioner_id (str, optional): Practitioner who takes over; an id such as PRACTITIONER-00001. If left
                out, the practitioner stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appointment = self.appointments.get(appointment_id)
        if appointment is None:
            return _refused(f"There is no appointment {appointment_id!r}.")
        chair = self.chairs.get(chair_id) if chair_id is not None else None
        if chair_id is not None and chair is None:
            return _refused(f"There is no chair {chair_id!r}.")
        practitioner = self.practitioners.get(practitioner_id) if practitioner_id is not None else None
        if practitioner_id is not None and practitioner is None:
            return _refused(f"There is no practitioner {practitioner_id!r}.")
        if appointment["status"] != "booked":
            return _refused(
                f"The appointment of {self.patients[appointment['patient_id']]['name']} is {appointment['status']}."
            )
        from_then = starts_at if starts_at is not None else appointment["starts_at"]
        there = chair or self.chairs[appointment["chair_id"]]
        who = practitioner or self.practitioners[appointment["practitioner_id"]]
        if from_then <= self.now:
            return _refused(f"{from_then} is over.")
        if not (_weekday(from_then[:10]) <= 6 and ("08:00" <= from_then[11:] and from_then[11:] <= "17:30")):
            return _refused("The practice takes patients from 08:00 to 17:30, not on Sundays.")
        theirs = sorted(self._steps_by_appointment.get(appointment_id, {}).values(), key=_age)
        early = next((s for s in theirs if not self._ready_on(s, from_then[:10])), None)
        if early is not None:
            return _refused(
                f"The step before the {self.services[early['service_id']]['name']} on tooth {early['tooth']} will "
                f"not have healed by {from_then[:10]}."
            )
        trained = next(
            (s for s in theirs if who["role"] == "hygienist" and not self.services[s["service_id"]]["hygienist"]),
            None,
        )
        if trained is not None:
            return _refused(f"The {self.services[trained['service_id']]['name']} takes a dentist.")
        in_chair = next(
            (
                a
                for a in sorted(self._appointments_by_chair.get(there["id"], {}).values(), key=_age)
                if a is not appointment
                and self._crossing(a, from_then, _plus_minutes(from_then, self._appointment_minutes(appointment)))
            ),
            None,
        )
        if in_chair is not None:
            return _refused(
                f"{self.patients[in_chair['patient_id']]['name']} has {there['name']} from "
                f"{in_chair['starts_at']} for {self._appointment_minutes(in_chair)} minutes."
            )
        with_who = next(
            (
                a
                for a in sorted(self._appointments_by_practitioner.get(who["id"], {}).values(), key=_age)
                if a is not appointment
                and self._crossing(a, from_then, _plus_minutes(from_then, self._appointment_minutes(appointment)))
            ),
            None,
        )
        if with_who is not None:
            return _refused(
                f"{who['name']} treats {self.patients[with_who['patient_id']]['name']} from "
                f"{with_who['starts_at']} for {self._appointment_minutes(with_who)} minutes."
            )
        own = next(
            (
                a
                for a in sorted(self._appointments_by_patient.get(appointment["patient_id"], {}).values(), key=_age)
                if a is not appointment
                and self._crossing(a, from_then, _plus_minutes(from_then, self._appointment_minutes(appointment)))
            ),
            None,
        )
        if own is not None:
            return _refused(
                f"{self.patients[appointment['patient_id']]['name']} is in {self.chairs[own['chair_id']]['name']} "
                f"from {own['starts_at']} for {self._appointment_minutes(own)} minutes."
            )
        self._journal = []
        self._put("appointments", appointment, "starts_at", from_then)
        self._put("appointments", appointment, "chair_id", there["id"])
        self._put("appointments", appointment, "practitioner_id", who["id"])
        for one_step in _distinct(self._steps_by_appointment.get(appointment["id"], {}).values()):
            if self._breaks_rule_2(one_step):
                return self._take_back(RULES[1])
        if self._breaks_rule_7(appointment):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(appointment):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(appointment):
            return self._take_back(RULES[8])
        for one_step in _distinct(self._steps_by_appointment.get(appointment["id"], {}).values()):
            if self._breaks_rule_11(one_step):
                return self._take_back(RULES[10])
        done = f"move the appointment of {self.patients[appointment['patient_id']]['name']}"
        if starts_at is not None:
            done += f" to {starts_at}"
        if chair is not None:
            done += f" to {chair['name']}"
        if practitioner is not None:
            done += f" to {practitioner['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_appointment(self, appointment_id: str, missed: bool = False) -> Result:
        """Cancel an appointment, or note that the patient missed it; its steps are planned again.

        Args:
            appointment_id (str): Id of the appointment, such as APPOINTMENT-00001.
            missed (bool): Whether the patient did not come, once the time has passed. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appointment = self.appointments.get(appointment_id)
        if appointment is None:
            return _refused(f"There is no appointment {appointment_id!r}.")
        if appointment["status"] != "booked":
            return _refused(
                f"The appointment of {self.patients[appointment['patient_id']]['name']} is {appointment['status']}."
            )
        if missed and appointment["starts_at"] >= self.now:
            return _refused(
                f"{self.patients[appointment['patient_id']]['name']} is expected at {appointment['starts_at']} "
                "and has missed nothing yet."
            )
        self._journal = []
        changed_steps: list[Any] = []
        former_appointment_ids: list[Any] = []
        changed_steps_2: list[Any] = []
        changed_appointments: list[Any] = []
        for s in sorted(self._steps_by_appointment.get(appointment_id, {}).values(), key=_age):
            changed_steps.append(s)
            former_appointment_ids.append(s["appointment_id"])
            self._put("steps", s, "appointment_id", None)
            if s["status"] not in ("planned", "booked"):
                return self._take_back(f"Step {s['id']} cannot go from {s['status']} to planned.")
            changed_steps_2.append(s)
            self._put("steps", s, "status", "planned")
        if missed:
            changed_appointments.append(appointment)
            self._put("appointments", appointment, "status", "missed")
        else:
            if appointment["status"] not in ("booked", "cancelled"):
                return self._take_back(
                    f"Appointment {appointment['id']} cannot go from {appointment['status']} to cancelled."
                )
            changed_appointments.append(appointment)
            self._put("appointments", appointment, "status", "cancelled")
        for one_step in _distinct(
            [
                *changed_steps_2,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.patients[one["patient_id"]]
                            for one in [self.plans[one["plan_id"]] for one in changed_steps_2]
                        ]
                        for user in self._plans_by_patient.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_plan.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_step):
                return self._take_back(RULES[0])
        for one_step in _distinct(
            [
                *changed_steps,
                *changed_steps_2,
                *[
                    user
                    for one in [
                        user
                        for one in [self.services[one["service_id"]] for one in changed_steps_2]
                        for user in self._services_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_service.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_step):
                return self._take_back(RULES[1])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        for one_plan in _distinct([self.plans[one["plan_id"]] for one in changed_steps_2]):
            if self._breaks_rule_4(one_plan):
                return self._take_back(RULES[3])
        for one_plan in _distinct([self.plans[one["plan_id"]] for one in changed_steps_2]):
            if self._breaks_rule_5(one_plan):
                return self._take_back(RULES[4])
        for one_appointment in _distinct(
            [
                *[self.appointments.get(one["appointment_id"]) for one in changed_steps],
                *[self.appointments.get(key) for key in former_appointment_ids],
                *changed_appointments,
            ]
        ):
            if self._breaks_rule_7(one_appointment):
                return self._take_back(RULES[6])
        for one_appointment in _distinct(
            [
                *[self.appointments.get(one["appointment_id"]) for one in changed_steps],
                *[self.appointments.get(key) for key in former_appointment_ids],
                *changed_appointments,
            ]
        ):
            if self._breaks_rule_8(one_appointment):
                return self._take_back(RULES[7])
        for one_appointment in _distinct(
            [
                *[self.appointments.get(one["appointment_id"]) for one in changed_steps],
                *[self.appointments.get(key) for key in former_appointment_ids],
                *changed_appointments,
            ]
        ):
            if self._breaks_rule_9(one_appointment):
                return self._take_back(RULES[8])
        for one_step in _distinct([*changed_steps, *changed_steps_2]):
            if self._breaks_rule_10_s(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(changed_steps):
            if self._breaks_rule_10_s_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(
            [
                *changed_steps,
                *changed_steps_2,
                *[
                    user
                    for one in changed_appointments
                    for user in self._steps_by_appointment_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_s_again_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct([*changed_steps, *changed_steps_2]):
            if self._breaks_rule_11(one_step):
                return self._take_back(RULES[10])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_13(one_step):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: cancel the appointment of {self.patients[appointment['patient_id']]['name']} at "
                f"{appointment['starts_at']}."
            ),
            "data": self._changes(),
        }

    def complete_appointment(self, appointment_id: str) -> Result:
        """Record that an appointment took place with all its steps; one without steps counts as a check-up.

        Args:
            appointment_id (str): Id of the appointment, such as APPOINTMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appointment = self.appointments.get(appointment_id)
        if appointment is None:
            return _refused(f"There is no appointment {appointment_id!r}.")
        if appointment["status"] != "booked":
            return _refused(
                f"The appointment of {self.patients[appointment['patient_id']]['name']} is {appointment['status']}."
            )
        if appointment["starts_at"][:10] > self.now[:10]:
            return _refused(
                f"{self.patients[appointment['patient_id']]['name']} is expected at {appointment['starts_at']} only."
            )
        self._journal = []
        changed_steps: list[Any] = []
        changed_steps_2: list[Any] = []
        changed_plans: list[Any] = []
        theirs = sorted(self._steps_by_appointment.get(appointment_id, {}).values(), key=_age)
        if len(theirs) == 0:
            patient = self.patients[appointment["patient_id"]]
            self._put("patients", patient, "last_check", appointment["starts_at"][:10])
        for s in list(theirs):
            changed_steps.append(s)
            self._put("steps", s, "done_on", appointment["starts_at"][:10])
            if s["status"] not in ("booked", "done"):
                return self._take_back(f"Step {s['id']} cannot go from {s['status']} to done.")
            changed_steps_2.append(s)
            self._put("steps", s, "status", "done")
            if (
                self.plans[s["plan_id"]]["status"] == "agreed"
                and not any(
                    t["status"] in ("planned", "booked")
                    for t in self._steps_by_plan.get(s["plan_id"], {}).values()
                )
            ):
                plan = self.plans[s["plan_id"]]
                if plan["status"] not in ("agreed", "closed"):
                    return self._take_back(f"Plan {plan['number']} cannot go from {plan['status']} to closed.")
                changed_plans.append(plan)
                self._put("plans", plan, "status", "closed")
        self._put("appointments", appointment, "status", "kept")
        for one_step in _distinct(
            [
                *changed_steps_2,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.patients[one["patient_id"]]
                            for one in [self.plans[one["plan_id"]] for one in changed_steps_2]
                        ]
                        for user in self._plans_by_patient.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_plan.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_step):
                return self._take_back(RULES[0])
        for one_step in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [self.services[one["service_id"]] for one in changed_steps]
                        for user in self._services_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_service.get(one["id"], {}).values()
                ],
                *changed_steps_2,
                *[
                    user
                    for one in [
                        user
                        for one in [self.services[one["service_id"]] for one in changed_steps_2]
                        for user in self._services_by_after.get(one["id"], {}).values()
                    ]
                    for user in self._steps_by_service.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_step):
                return self._take_back(RULES[1])
        for one_step in _distinct(
            [
                *changed_steps_2,
                *[user for one in changed_plans for user in self._steps_by_plan.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3_s(one_step):
                return self._take_back(RULES[2])
        for one_step in _distinct(
            [
                *changed_steps_2,
                *[user for one in changed_plans for user in self._steps_by_plan.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3_s_again(one_step):
                return self._take_back(RULES[2])
        for one_plan in _distinct([*[self.plans[one["plan_id"]] for one in changed_steps_2], *changed_plans]):
            if self._breaks_rule_4(one_plan):
                return self._take_back(RULES[3])
        for one_plan in _distinct([*[self.plans[one["plan_id"]] for one in changed_steps_2], *changed_plans]):
            if self._breaks_rule_5(one_plan):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(appointment):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(appointment):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(appointment):
            return self._take_back(RULES[8])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_10_s(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(
            [*changed_steps_2, *self._steps_by_appointment_status.get((appointment["id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_10_s_again_again(one_step):
                return self._take_back(RULES[9])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_11(one_step):
                return self._take_back(RULES[10])
        for one_plan in _distinct(changed_plans):
            if self._breaks_rule_12(one_plan):
                return self._take_back(RULES[11])
        for one_step in _distinct(changed_steps_2):
            if self._breaks_rule_13(one_step):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: complete the appointment of {self.patients[appointment['patient_id']]['name']} at "
                f"{appointment['starts_at']}."
            ),
            "data": self._changes(),
        }

    def set_recall(self, patient_id: str, months: Annotated[int, {"minimum": 1, "maximum": 24}]) -> Result:
        """Set how many months a patient goes between check-ups.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            months (int): Months from one check-up to the next, other than now, from 1 to 24.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if months == patient["recall_months"]:
            return _refused(f"{patient['name']} comes every {months} months already.")
        self._journal = []
        self._put("patients", patient, "recall_months", months)
        return {
            "success": True,
            "message": f"Done: recall {patient['name']} every {months} months.",
            "data": self._changes(),
        }

    def _show_patient(self, patient: Patient) -> dict[str, Any]:
        """The patient as an answer shows it."""
        return {**patient, "recall_due": self._patient_recall_due(patient)}

    def _show_plan(self, plan: Plan) -> dict[str, Any]:
        """The plan as an answer shows it."""
        return {**plan, "total": self._plan_total(plan), "needs_estimate": self._plan_needs_estimate(plan)}

    def _show_step(self, step: Step) -> dict[str, Any]:
        """The step as an answer shows it."""
        return {**step, "patient_id": _id_of(self._step_patient(step))}

    def _show_appointment(self, appointment: Appointment) -> dict[str, Any]:
        """The appointment as an answer shows it."""
        return {**appointment, "minutes": self._appointment_minutes(appointment)}

    def _names_of_patients(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that patients point to."""
        return _names((self.insurers, "name", [row["insurer_id"] for row in shown]))

    def _names_of_services(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that services point to."""
        return _names((self.services, "name", [row["after_id"] for row in shown]))

    def _names_of_plans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plans point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.practitioners, "name", [row["dentist_id"] for row in shown]),
        )

    def _names_of_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that steps point to."""
        return _names(
            (self.plans, "number", [row["plan_id"] for row in shown]),
            (self.services, "name", [row["service_id"] for row in shown]),
            (self.patients, "name", [row["patient_id"] for row in shown]),
        )

    def _names_of_appointments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that appointments point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.practitioners, "name", [row["practitioner_id"] for row in shown]),
            (self.chairs, "name", [row["chair_id"] for row in shown]),
        )

    def _patient_recall_due(self, patient: Patient) -> str:
        """The recall due of a patient."""
        return _add_months(patient["last_check"], patient["recall_months"])

    def _plan_total(self, plan: Plan) -> int:
        """The total of a plan."""
        return sum(
            self.services[s["service_id"]]["price"]
            for s in self._steps_by_plan.get(plan["id"], {}).values()
            if s["status"] != "dropped"
        )

    def _plan_needs_estimate(self, plan: Plan) -> bool:
        """The needs estimate of a plan."""
        return (
            self.patients[plan["patient_id"]]["insurer_id"] is not None
            and self._plan_total(plan) >= self.insurers[
                self.patients[plan["patient_id"]]["insurer_id"]
            ]["estimate_from"]
        )

    def _step_patient(self, step: Step) -> Patient:
        """The patient of a step."""
        return self.patients[self.plans[step["plan_id"]]["patient_id"]]

    def _appointment_minutes(self, appointment: Appointment) -> int:
        """The minutes of an appointment."""
        return max(
            20,
            sum(
                self.services[s["service_id"]]["minutes"]
                for s in self._steps_by_appointment.get(appointment["id"], {}).values()
            ),
        )

    def _live(self, s: Step) -> bool:
        return s["status"] != "dropped"

    def _step_before(self, s: Step) -> Step | None:
        return next(
            (
                p
                for p in sorted(
                    self._steps_by_service.get(self.services[s["service_id"]]["after_id"], {}).values(),
                    key=_age,
                )
                if self.services[s["service_id"]]["after_id"] is not None
                and p["tooth"] == s["tooth"]
                and self._step_patient(p) is self._step_patient(s)
                and self._live(p)
            ),
            None,
        )

    def _step_after(self, s: Step) -> Step | None:
        return next(
            (
                n
                for n in sorted(
                    [
                        n
                        for _service in self._services_by_after.get(s["service_id"], {}).values()
                        for n in self._steps_by_service.get(_service["id"], {}).values()
                    ],
                    key=_age,
                )
                if n["tooth"] == s["tooth"]
                and self._step_patient(n) is self._step_patient(s)
                and self._live(n)
            ),
            None,
        )

    def _ready_on(self, s: Step, d: str) -> bool:
        return (
            self.services[s["service_id"]]["after_id"] is None
            or any(
                p["done_on"] is not None
                and _plus_days(p["done_on"], self.services[s["service_id"]]["healing_days"]) <= d
                for p in self._steps_by_service_status.get(
                    (self.services[s["service_id"]]["after_id"], "done"),
                    {},
                ).values()
                if p["tooth"] == s["tooth"]
                and self._step_patient(p) is self._step_patient(s)
            )
        )

    def _crossing(self, a: Appointment, from_: str, to_: str) -> bool:
        return (
            a["status"] == "booked"
            and _overlap(a["starts_at"], _plus_minutes(a["starts_at"], self._appointment_minutes(a)), from_, to_)
        )

    def _granted_this_year(self, p: Patient, d: str) -> int:
        return sum(
            q["granted"]
            if q["granted"] is not None
            else 0
            for q in self._plans_by_patient.get(p["id"], {}).values()
            if q["decided_on"] is not None
            and p["insurer_id"] is not None
            and _years(
                self.insurers[p["insurer_id"]]["year_from"],
                q["decided_on"],
            ) == _years(self.insurers[p["insurer_id"]]["year_from"], d)
        )

    def _most_granted(self, q: Plan, d: str) -> int:
        return (
            min(
                _rounded(
                    Fraction(
                        self._plan_total(q) * self.insurers[
                            self.patients[q["patient_id"]]["insurer_id"]
                        ]["pays_percent"],
                        100,
                    )
                ),
                self.insurers[
                    self.patients[q["patient_id"]]["insurer_id"]
                ]["yearly_limit"] - self._granted_this_year(self.patients[q["patient_id"]], d),
            )
            if self.patients[q["patient_id"]]["insurer_id"] is not None
            else 0
        )

    def _breaks_rule_1(self, s: Step) -> bool:
        """Whether this is broken: a step that builds on another is planned or done only after that other step on the
        same tooth.
        """
        return (
            self._live(s)
            and not (
                self.services[s["service_id"]]["after_id"] is None
                or any(
                    p["service_id"] == self.services[s["service_id"]]["after_id"]
                    and p["tooth"] == s["tooth"]
                    and self._live(p)
                    for _plan in self._plans_by_patient.get(self.plans[s["plan_id"]]["patient_id"], {}).values()
                    for p in self._steps_by_plan.get(_plan["id"], {}).values()
                )
            )
        )

    def _breaks_rule_2(self, s: Step) -> bool:
        """Whether this is broken: a step is booked or done only when the step before it on the tooth is done and has
        healed.
        """
        return (
            s["status"] in ("booked", "done")
            and not (
                s["appointment_id"] is None
                or self._ready_on(s, self.appointments[s["appointment_id"]]["starts_at"][:10])
            )
        )

    def _breaks_rule_3_s(self, s: Step) -> bool:
        """Whether this is broken: only agreed plans are treated, and a closed plan has nothing left to do."""
        return s["status"] in ("booked", "done") and self.plans[s["plan_id"]]["status"] not in ("agreed", "closed")

    def _breaks_rule_3_s_again(self, s: Step) -> bool:
        """Whether this is broken: only agreed plans are treated, and a closed plan has nothing left to do."""
        return self.plans[s["plan_id"]]["status"] == "closed" and s["status"] in ("planned", "booked")

    def _breaks_rule_4(self, q: Plan) -> bool:
        """Whether this is broken: a plan above the insurer's limit is agreed only when the insurer has decided about
        it.
        """
        return q["status"] == "agreed" and (q["decided_on"] is None and self._plan_needs_estimate(q))

    def _breaks_rule_5(self, q: Plan) -> bool:
        """Whether this is broken: an insurer grants a plan no more than its percentage of the costs."""
        return (
            q["status"] == "approved"
            and not (
                q["granted"] is None
                or self.patients[q["patient_id"]]["insurer_id"] is not None
                and q["granted"] <= _rounded(
                    Fraction(
                        self._plan_total(q) * self.insurers[
                            self.patients[q["patient_id"]]["insurer_id"]
                        ]["pays_percent"],
                        100,
                    )
                )
            )
        )

    def _breaks_rule_6(self, q: Plan) -> bool:
        """Whether this is broken: an insurer grants a patient no more than the yearly limit in one insurance year.
        """
        return (
            q["decided_on"] is not None
            and self.patients[q["patient_id"]]["insurer_id"] is not None
            and self._granted_this_year(
                self.patients[q["patient_id"]],
                q["decided_on"],
            ) > self.insurers[self.patients[q["patient_id"]]["insurer_id"]]["yearly_limit"]
        )

    def _breaks_rule_7(self, a: Appointment) -> bool:
        """Whether this is broken: a chair holds one patient at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(
                    a["starts_at"],
                    _plus_minutes(a["starts_at"], self._appointment_minutes(a)),
                    b["starts_at"],
                    _plus_minutes(b["starts_at"], self._appointment_minutes(b)),
                )
                for b in self._appointments_by_chair_status.get((a["chair_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_8(self, a: Appointment) -> bool:
        """Whether this is broken: nobody treats two patients at the same time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(
                    a["starts_at"],
                    _plus_minutes(a["starts_at"], self._appointment_minutes(a)),
                    b["starts_at"],
                    _plus_minutes(b["starts_at"], self._appointment_minutes(b)),
                )
                for b in self._appointments_by_practitioner_status.get((a["practitioner_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_9(self, a: Appointment) -> bool:
        """Whether this is broken: no patient has two appointments at the same time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(
                    a["starts_at"],
                    _plus_minutes(a["starts_at"], self._appointment_minutes(a)),
                    b["starts_at"],
                    _plus_minutes(b["starts_at"], self._appointment_minutes(b)),
                )
                for b in self._appointments_by_patient_status.get((a["patient_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_10_s(self, s: Step) -> bool:
        """Whether this is broken: a step is booked in an appointment of its own patient that is still to come."""
        return (s["appointment_id"] is not None) != (s["status"] == "booked") and s["status"] != "done"

    def _breaks_rule_10_s_again(self, s: Step) -> bool:
        """Whether this is broken: a step is booked in an appointment of its own patient that is still to come."""
        return (
            s["appointment_id"] is not None
            and self.appointments[s["appointment_id"]]["patient_id"] != self.plans[s["plan_id"]]["patient_id"]
        )

    def _breaks_rule_10_s_again_again(self, s: Step) -> bool:
        """Whether this is broken: a step is booked in an appointment of its own patient that is still to come."""
        return (
            s["status"] == "booked"
            and (s["appointment_id"] is not None and self.appointments[s["appointment_id"]]["status"] != "booked")
        )

    def _breaks_rule_11(self, s: Step) -> bool:
        """Whether this is broken: hygienists do only what they are trained for."""
        return (
            s["status"] in ("booked", "done")
            and (
                not self.services[s["service_id"]]["hygienist"]
                and s["appointment_id"] is not None
                and self.practitioners[self.appointments[s["appointment_id"]]["practitioner_id"]]["role"] != "dentist"
            )
        )

    def _breaks_rule_12(self, q: Plan) -> bool:
        """Whether this is broken: a patient has one plan in preparation at a time."""
        return (
            q["status"] in ("draft", "waiting", "approved")
            and any(
                other_q is not q
                for other_q in self._plans_by_patient.get(q["patient_id"], {}).values()
                if other_q["status"] in ("draft", "waiting", "approved")
            )
        )

    def _breaks_rule_13(self, s: Step) -> bool:
        """Whether this is broken: no service is planned twice for the same tooth of a plan."""
        return (
            self._live(s)
            and any(
                other_s is not s
                for other_s in self._steps_by_plan_service.get((s["plan_id"], s["service_id"]), {}).values()
                if other_s["tooth"] == s["tooth"]
                and self._live(other_s)
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
            case "services":
                self._services_by_after.setdefault(record["after_id"], {})[record["id"]] = record
            case "plans":
                self._plans_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._plans_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._plans_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
            case "steps":
                self._steps_by_appointment.setdefault(record["appointment_id"], {})[record["id"]] = record
                self._steps_by_appointment_status.setdefault(
                    (record["appointment_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._steps_by_plan.setdefault(record["plan_id"], {})[record["id"]] = record
                self._steps_by_plan_service.setdefault(
                    (record["plan_id"], record["service_id"]),
                    {},
                )[record["id"]] = record
                self._steps_by_service.setdefault(record["service_id"], {})[record["id"]] = record
                self._steps_by_service_status.setdefault(
                    (record["service_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "appointments":
                self._appointments_by_chair.setdefault(record["chair_id"], {})[record["id"]] = record
                self._appointments_by_chair_status.setdefault(
                    (record["chair_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._appointments_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
                self._appointments_by_patient_status.setdefault(
                    (record["patient_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._appointments_by_practitioner.setdefault(record["practitioner_id"], {})[record["id"]] = record
                self._appointments_by_practitioner_status.setdefault(
                    (record["practitioner_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "services":
                del self._services_by_after[record["after_id"]][record["id"]]
            case "plans":
                del self._plans_by_lower_number[record["number"].lower()][record["id"]]
                del self._plans_by_number[record["number"]][record["id"]]
                del self._plans_by_patient[record["patient_id"]][record["id"]]
            case "steps":
                del self._steps_by_appointment[record["appointment_id"]][record["id"]]
                del self._steps_by_appointment_status[record["appointment_id"], record["status"]][record["id"]]
                del self._steps_by_plan[record["plan_id"]][record["id"]]
                del self._steps_by_plan_service[record["plan_id"], record["service_id"]][record["id"]]
                del self._steps_by_service[record["service_id"]][record["id"]]
                del self._steps_by_service_status[record["service_id"], record["status"]][record["id"]]
            case "appointments":
                del self._appointments_by_chair[record["chair_id"]][record["id"]]
                del self._appointments_by_chair_status[record["chair_id"], record["status"]][record["id"]]
                del self._appointments_by_patient[record["patient_id"]][record["id"]]
                del self._appointments_by_patient_status[record["patient_id"], record["status"]][record["id"]]
                del self._appointments_by_practitioner[record["practitioner_id"]][record["id"]]
                del self._appointments_by_practitioner_status[record["practitioner_id"], record["status"]][record["id"]]
