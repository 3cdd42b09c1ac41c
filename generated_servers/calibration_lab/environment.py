"""Calibration laboratory. Compiled from blueprint.yaml; run `envscaler build calibration_lab` after changing it there.

Calibrates the instruments of its customers against standards in a chain of traceability - due dates, a ratio of
one to four between standard and tolerance, adjustments, certificates and recalls when a standard was wrong.
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
    "A standard is traced to one of the same quantity that is at least twice as good.",
    "No standard is traced to itself, however far up the chain.",
    "No standard is in use while one above it in the chain is suspended.",
    "An instrument has one job at a time, and is in the laboratory exactly as long.",
    "A job was measured by a technician who has the skill.",
    "A job was measured with a standard of the same quantity.",
    "A measured or certified job says with what, by whom and what was found.",
    "What was certified was left within its tolerance.",
    "A certified job has one certificate, and no other job has one.",
    "A certificate has one open recall at a time.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_instrument",
    "measure_instrument",
    "adjust_instrument",
    "certify_instrument",
    "fail_job",
    "suspend_standard",
    "reinstate_standard",
    "calibrate_standard",
    "retrace_standard",
    "recall_certificates",
    "answer_recall",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "technicians": ("name",),
    "standards": ("code",),
    "instruments": ("serial",),
    "jobs": (),
    "certificates": ("number",),
    "recalls": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("certificates", "job_id"),
    ("certificates", "number"),
    ("jobs", "instrument_id"),
    ("jobs", "standard_id"),
    ("recalls", "certificate_id"),
    ("standards", "traced_to_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str


class Technician(TypedDict):
    id: str
    name: str
    skills: list[Literal["mass", "length", "temperature", "pressure", "voltage"]]


class Standard(TypedDict):
    id: str
    code: str
    quantity: Literal["mass", "length", "temperature", "pressure", "voltage"]
    traced_to_id: str | None
    uncertainty: int
    calibrated_on: str
    valid_months: int
    status: Literal["in_use", "suspended"]


class Instrument(TypedDict):
    id: str
    serial: str
    owner_id: str
    quantity: Literal["mass", "length", "temperature", "pressure", "voltage"]
    tolerance: int
    interval: int
    due_on: str | None
    status: Literal["in_use", "in_lab", "blocked"]


class Job(TypedDict):
    id: str
    instrument_id: str
    received_on: str
    standard_id: str | None
    technician_id: str | None
    measured_on: str | None
    as_found: int | None
    as_left: int | None
    status: Literal["received", "measured", "failed", "certified"]


class Certificate(TypedDict):
    id: str
    number: str
    job_id: str
    issued_on: str
    valid_until: str


class Recall(TypedDict):
    id: str
    certificate_id: str
    reason: str
    opened_on: str
    answered_on: str | None


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


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


class CalibrationLab:
    """Calibrates the instruments of its customers against standards in a chain of traceability - due
    dates, a ratio of one to four between standard and tolerance, adjustments, certificates and recalls
    when a standard was wrong.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.technicians: dict[str, Technician] = _copied(config.get("technicians", {}))
        self.standards: dict[str, Standard] = _copied(config.get("standards", {}))
        self.instruments: dict[str, Instrument] = _copied(config.get("instruments", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.recalls: dict[str, Recall] = _copied(config.get("recalls", {}))
        self.now: str = config.get("now", "2026-02-09T08:10")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "technician": len(self.technicians),
            "standard": len(self.standards),
            "instrument": len(self.instruments),
            "job": len(self.jobs),
            "certificate": len(self.certificates),
            "recall": len(self.recalls),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._standards_by_traced_to: dict[Any, dict[str, Standard]] = {}
        self._jobs_by_instrument: dict[Any, dict[str, Job]] = {}
        self._jobs_by_standard: dict[Any, dict[str, Job]] = {}
        self._certificates_by_job: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_lower_number: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_number: dict[Any, dict[str, Certificate]] = {}
        self._recalls_by_certificate: dict[Any, dict[str, Recall]] = {}
        for standard in self.standards.values():
            self._link("standards", standard)
        for job in self.jobs.values():
            self._link("jobs", job)
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for recall in self.recalls.values():
            self._link("recalls", recall)

    def standards_for(
        self,
        instrument_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Standards with which an instrument can be measured today, the least exact of them first.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standards": records}} or {"success": False, "error":
                why not}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        found = [s for s in self.standards.values() if (self._good(s, self.now[:10]) and self._enough(s, instrument))]
        found.sort(key=lambda s: (-s["uncertainty"], s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "standards": [
                    {
                        "id": s["id"],
                        "code": s["code"],
                        "uncertainty": s["uncertainty"],
                        "due_on": self._standard_due_on(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def chain_of(self, standard_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The standards above a standard, nearest first.

        Args:
            standard_id (str): Id of the standard, such as STANDARD-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standards": records}} or {"success": False, "error":
                why not}
        """
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        found = [t for t in _above(self.standards, standard, "traced_to_id")]
        return _found(
            {
                "total": len(found),
                "standards": [
                    {
                        "id": t["id"],
                        "code": t["code"],
                        "uncertainty": t["uncertainty"],
                        "status": t["status"],
                        "due_on": self._standard_due_on(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def due_instruments(
        self,
        before: Date,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Instruments in use whose certificate ends before a day or that never had one, by customer.

        Args:
            before (str): Day before which their certificates end, as YYYY-MM-DD.
            owner_id (str, optional): Customer who owns the instruments; an id such as CUSTOMER-00001. If left out,
                the instruments of all customers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instruments": records}} or {"success": False, "error":
                why not}
        """
        owner = self.customers.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no customer {owner_id!r}.")
        found = [
            i
            for i in self.instruments.values()
            if (i["status"] == "in_use" and (i["due_on"] is None or i["due_on"] < before))
            and (owner_id is None or i["owner_id"] == owner_id)
        ]
        found.sort(key=lambda i: (self.customers[i["owner_id"]]["name"], i["serial"], _age(i)))
        return _found(
            {
                "total": len(found),
                "instruments": [
                    {
                        "id": i["id"],
                        "serial": i["serial"],
                        "owner": self.customers[i["owner_id"]]["name"],
                        "quantity": i["quantity"],
                        "due_on": i["due_on"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_customers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
        ]
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_technicians(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the technicians, oldest first, all of them or only some.

        Args:
            name (str, optional): Only technicians whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "technicians": records}}
        """
        found = [
            technician
            for technician in self.technicians.values()
            if (name is None or name.casefold() in technician["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "technicians": [self._show_technician(technician) for technician in _page(found, offset)],
            }
        )

    def list_standards(
        self,
        code: Text | None = None,
        quantity: Literal["mass", "length", "temperature", "pressure", "voltage"] | None = None,
        traced_to_id: str | None = None,
        status: Literal["in_use", "suspended"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the standards, oldest first, all of them or only some.

        Args:
            code (str, optional): Only standards whose code contains this text.
            quantity (str, optional): Only standards with this quantity.
            traced_to_id (str, optional): Only standards traced to this standard.
            status (str, optional): Only standards with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standards": records}}
        """
        if traced_to_id is not None and traced_to_id not in self.standards:
            return _refused(f"There is no standard {traced_to_id!r}.")
        found = [
            standard
            for standard in self.standards.values()
            if (code is None or code.casefold() in standard["code"].casefold())
            and (quantity is None or standard["quantity"] == quantity)
            and (traced_to_id is None or standard["traced_to_id"] == traced_to_id)
            and (status is None or standard["status"] == status)
        ]
        shown = [self._show_standard(standard) for standard in _page(found, offset)]
        return _found({"total": len(found), "standards": shown}, self._names_of_standards(shown))

    def list_instruments(
        self,
        serial: Text | None = None,
        owner_id: str | None = None,
        quantity: Literal["mass", "length", "temperature", "pressure", "voltage"] | None = None,
        status: Literal["in_use", "in_lab", "blocked"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instruments, oldest first, all of them or only some.

        Args:
            serial (str, optional): Only instruments whose serial contains this text.
            owner_id (str, optional): Only instruments whose owner is this customer.
            quantity (str, optional): Only instruments with this quantity.
            status (str, optional): Only instruments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instruments": records}}
        """
        if owner_id is not None and owner_id not in self.customers:
            return _refused(f"There is no customer {owner_id!r}.")
        found = [
            instrument
            for instrument in self.instruments.values()
            if (serial is None or serial.casefold() in instrument["serial"].casefold())
            and (owner_id is None or instrument["owner_id"] == owner_id)
            and (quantity is None or instrument["quantity"] == quantity)
            and (status is None or instrument["status"] == status)
        ]
        shown = [{**instrument} for instrument in _page(found, offset)]
        return _found({"total": len(found), "instruments": shown}, self._names_of_instruments(shown))

    def list_jobs(
        self,
        instrument_id: str | None = None,
        standard_id: str | None = None,
        technician_id: str | None = None,
        status: Literal["received", "measured", "failed", "certified"] | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            instrument_id (str, optional): Only jobs of this instrument.
            standard_id (str, optional): Only jobs of this standard.
            technician_id (str, optional): Only jobs of this technician.
            status (str, optional): Only jobs with this status.
            received_on_from (str, optional): Only jobs whose `received_on` is on this day or later.
            received_on_to (str, optional): Only jobs whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if instrument_id is not None and instrument_id not in self.instruments:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if standard_id is not None and standard_id not in self.standards:
            return _refused(f"There is no standard {standard_id!r}.")
        if technician_id is not None and technician_id not in self.technicians:
            return _refused(f"There is no technician {technician_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (instrument_id is None or job["instrument_id"] == instrument_id)
            and (standard_id is None or job["standard_id"] == standard_id)
            and (technician_id is None or job["technician_id"] == technician_id)
            and (status is None or job["status"] == status)
            and (received_on_from is None or job["received_on"] >= received_on_from)
            and (received_on_to is None or job["received_on"] <= received_on_to)
        ]
        shown = [{**job} for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def list_certificates(
        self,
        number: Text | None = None,
        job_id: str | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            number (str, optional): Only certificates whose number contains this text.
            job_id (str, optional): Only certificates of this job.
            issued_on_from (str, optional): Only certificates whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only certificates whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (number is None or number.casefold() in certificate["number"].casefold())
            and (job_id is None or certificate["job_id"] == job_id)
            and (issued_on_from is None or certificate["issued_on"] >= issued_on_from)
            and (issued_on_to is None or certificate["issued_on"] <= issued_on_to)
        ]
        return _found(
            {"total": len(found), "certificates": [{**certificate} for certificate in _page(found, offset)]}
        )

    def list_recalls(
        self,
        certificate_id: str | None = None,
        opened_on_from: Date | None = None,
        opened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recalls, oldest first, all of them or only some.

        Args:
            certificate_id (str, optional): Only recalls of this certificate.
            opened_on_from (str, optional): Only recalls whose `opened_on` is on this day or later.
            opened_on_to (str, optional): Only recalls whose `opened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recalls": records}}
        """
        if certificate_id is not None and certificate_id not in self.certificates:
            return _refused(f"There is no certificate {certificate_id!r}.")
        found = [
            recall
            for recall in self.recalls.values()
            if (certificate_id is None or recall["certificate_id"] == certificate_id)
            and (opened_on_from is None or recall["opened_on"] >= opened_on_from)
            and (opened_on_to is None or recall["opened_on"] <= opened_on_to)
        ]
        shown = [{**recall} for recall in _page(found, offset)]
        return _found({"total": len(found), "recalls": shown}, self._names_of_recalls(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_instrument(self, instrument_id: str) -> Result:
        """Receive an instrument of a customer in the laboratory, which opens a job.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["status"] == "in_lab":
            return _refused(f"{instrument['serial']} is in the laboratory already.")
        self._journal = []
        job: Job = {
            "id": self._new_id("job", "JOB", self.jobs),
            "instrument_id": instrument_id,
            "received_on": self.now[:10],
            "standard_id": None,
            "technician_id": None,
            "measured_on": None,
            "as_found": None,
            "as_left": None,
            "status": "received",
        }
        self._add("jobs", job)
        self._put("instruments", instrument, "status", "in_lab")
        if self._breaks_rule_4_j(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(self.instruments[job["instrument_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(instrument):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: receive {instrument['serial']} (new: job {job['id']}).",
            "data": {"job_id": job["id"], **self._changes()},
        }

    def measure_instrument(
        self,
        job_id: str,
        standard_id: str,
        technician_id: str,
        as_found: Annotated[int, {"minimum": 0, "maximum": 50000}],
    ) -> Result:
        """Record the error found with a standard that is in use, not overdue and at least four times better than the
        tolerance.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            standard_id (str): Id of the standard, such as STANDARD-00001.
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.
            as_found (int): Error of the instrument before any adjustment, in ppm, from 0 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if job["status"] != "received":
            return _refused(f"The job of {self.instruments[job['instrument_id']]['serial']} is {job['status']}.")
        if standard["quantity"] != self.instruments[job["instrument_id"]]["quantity"]:
            return _refused(f"{standard['code']} is a standard of {standard['quantity']}.")
        if standard["status"] != "in_use":
            return _refused(f"{standard['code']} is suspended.")
        if self._standard_due_on(standard) < self.now[:10]:
            return _refused(f"{standard['code']} was due on {self._standard_due_on(standard)}.")
        if not self._enough(standard, self.instruments[job["instrument_id"]]):
            return _refused(
                f"{standard['code']} has {standard['uncertainty']} ppm, which is more than a quarter of the "
                f"tolerance of {self.instruments[job['instrument_id']]['tolerance']} ppm."
            )
        if self.instruments[job["instrument_id"]]["quantity"] not in technician["skills"]:
            return _refused(f"{technician['name']} does not do {self.instruments[job['instrument_id']]['quantity']}.")
        self._journal = []
        self._put("jobs", job, "standard_id", standard_id)
        self._put("jobs", job, "technician_id", technician_id)
        self._put("jobs", job, "measured_on", self.now[:10])
        self._put("jobs", job, "as_found", as_found)
        self._put("jobs", job, "as_left", as_found)
        self._put("jobs", job, "status", "measured")
        if self._breaks_rule_4_j(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(self.instruments[job["instrument_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        for one_certificate in _distinct(self._certificates_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_9_c_again(one_certificate):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: record {as_found} ppm for {self.instruments[job['instrument_id']]['serial']} against "
                f"{standard['code']}."
            ),
            "data": self._changes(),
        }

    def adjust_instrument(self, job_id: str, as_left: Annotated[int, {"minimum": 0, "maximum": 50000}]) -> Result:
        """Record the error that is left after an adjustment.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            as_left (int): Error left after the adjustment in ppm, smaller than before, from 0 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "measured" or job["as_left"] is None:
            return _refused(f"The job of {self.instruments[job['instrument_id']]['serial']} is {job['status']}.")
        if as_left >= job["as_left"]:
            return _refused(f"An adjustment leaves less than {job['as_left']} ppm.")
        self._journal = []
        self._put("jobs", job, "as_left", as_left)
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: record an adjustment of {self.instruments[job['instrument_id']]['serial']} to {as_left} ppm."
            ),
            "data": self._changes(),
        }

    def certify_instrument(self, job_id: str, number: Text) -> Result:
        """Certify an instrument that was left within tolerance; one that was found outside of it gets half its
        interval from now on.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            number (str): Number of the new certificate, not given before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "measured" or job["as_left"] is None or job["as_found"] is None:
            return _refused(f"The job of {self.instruments[job['instrument_id']]['serial']} is {job['status']}.")
        if job["standard_id"] is None or self.standards[job["standard_id"]]["status"] != "in_use":
            return _refused(
                f"{self.instruments[job['instrument_id']]['serial']} was measured with a standard that is "
                "suspended now, so end the job and measure anew."
            )
        if job["as_left"] > self.instruments[job["instrument_id"]]["tolerance"]:
            return _refused(
                f"{self.instruments[job['instrument_id']]['serial']} has an error of {job['as_left']} ppm, and "
                f"{self.instruments[job['instrument_id']]['tolerance']} are tolerated; adjust it first."
            )
        if self._certificates_by_lower_number.get(number.lower(), {}):
            return _refused(f"The number {number} was given already.")
        self._journal = []
        if job["as_found"] > self.instruments[job["instrument_id"]]["tolerance"]:
            instrument = self.instruments[job["instrument_id"]]
            interval = max(1, self.instruments[job["instrument_id"]]["interval"] // 2)
            if not 1 <= interval <= 60:
                return self._take_back(f"The interval of {instrument['serial']} must be between 1 and 60.")
            self._put("instruments", instrument, "interval", interval)
        until = _add_months(self.now[:10], self.instruments[job["instrument_id"]]["interval"])
        its_instrument = self.instruments[job["instrument_id"]]
        self._put("instruments", its_instrument, "due_on", until)
        its_instrument_2 = self.instruments[job["instrument_id"]]
        if its_instrument_2["status"] not in ("in_use", "in_lab"):
            return self._take_back(
                f"Instrument {its_instrument_2['serial']} cannot go from {its_instrument_2['status']} to in_use."
            )
        self._put("instruments", its_instrument_2, "status", "in_use")
        self._put("jobs", job, "status", "certified")
        certificate: Certificate = {
            "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
            "number": number,
            "job_id": job_id,
            "issued_on": self.now[:10],
            "valid_until": until,
        }
        self._add("certificates", certificate)
        if len(self._certificates_by_number.get(certificate["number"], {})) > 1:
            return self._take_back(f"There is already a certificate with the number {certificate['number']!r}.")
        if self._breaks_rule_4_j(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(its_instrument_2):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(self.instruments[job["instrument_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_c(certificate):
            return self._take_back(RULES[8])
        for one_certificate in _distinct([certificate, *self._certificates_by_job.get(job["id"], {}).values()]):
            if self._breaks_rule_9_c_again(one_certificate):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: certify {self.instruments[job['instrument_id']]['serial']} under {number} (new: "
                f"certificate {certificate['id']})."
            ),
            "data": {"certificate_id": certificate["id"], **self._changes()},
        }

    def fail_job(self, job_id: str) -> Result:
        """End a job without a certificate, which blocks the instrument.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("received", "measured"):
            return _refused(f"The job of {self.instruments[job['instrument_id']]['serial']} is {job['status']}.")
        self._journal = []
        self._put("jobs", job, "status", "failed")
        instrument = self.instruments[job["instrument_id"]]
        self._put("instruments", instrument, "status", "blocked")
        if self._breaks_rule_4_j(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(self.instruments[job["instrument_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_i(instrument):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        for one_certificate in _distinct(self._certificates_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_9_c_again(one_certificate):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: end the job of {self.instruments[job['instrument_id']]['serial']} without a certificate."
            ),
            "data": self._changes(),
        }

    def suspend_standard(self, standard_id: str) -> Result:
        """Suspend a standard and every standard that is traced to it.

        Args:
            standard_id (str): Id of the standard, such as STANDARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        if standard["status"] != "in_use":
            return _refused(f"{standard['code']} is suspended already.")
        self._journal = []
        changed_standards: list[Any] = []
        for s in [standard] + _below(self._standards_by_traced_to, standard):
            if s["status"] == "in_use":
                changed_standards.append(s)
                self._put("standards", s, "status", "suspended")
        for one_standard in _distinct(
            [
                *changed_standards,
                *[
                    user
                    for one in changed_standards
                    for user in self._standards_by_traced_to.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_standard):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: suspend {standard['code']} and what is traced to it.",
            "data": self._changes(),
        }

    def reinstate_standard(self, standard_id: str) -> Result:
        """Put a suspended standard back into use, if it is not overdue and the one above it is in use.

        Args:
            standard_id (str): Id of the standard, such as STANDARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        if standard["status"] != "suspended":
            return _refused(f"{standard['code']} is in use.")
        if self._standard_due_on(standard) < self.now[:10]:
            return _refused(
                f"{standard['code']} was due on {self._standard_due_on(standard)}, so have it calibrated first."
            )
        if standard["traced_to_id"] is not None and self.standards[standard["traced_to_id"]]["status"] != "in_use":
            return _refused(f"The standard above {standard['code']} is suspended.")
        self._journal = []
        self._put("standards", standard, "status", "in_use")
        for one_standard in _distinct([standard, *self._standards_by_traced_to.get(standard["id"], {}).values()]):
            if self._breaks_rule_3(one_standard):
                return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: put {standard['code']} back into use.", "data": self._changes()}

    def calibrate_standard(
        self,
        standard_id: str,
        uncertainty: Annotated[int, {"minimum": 1, "maximum": 2000}],
    ) -> Result:
        """Record a new calibration of a standard with its uncertainty in ppm.

        Args:
            standard_id (str): Id of the standard, such as STANDARD-00001.
            uncertainty (int): Uncertainty of the standard that the calibration found, in ppm, from 1 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        if standard["calibrated_on"] >= self.now[:10]:
            return _refused(f"{standard['code']} was calibrated today.")
        if not (
            standard["traced_to_id"] is None
            or self._good(self.standards[standard["traced_to_id"]], self.now[:10])
        ):
            return _refused(
                f"{self.standards[standard['traced_to_id']]['code']} above {standard['code']} is suspended or "
                "overdue, so nothing is calibrated against it."
            )
        if (
            standard["traced_to_id"] is not None
            and 2 * self.standards[standard["traced_to_id"]]["uncertainty"] > uncertainty
        ):
            return _refused(
                f"{standard['code']} cannot be better than twice the uncertainty of "
                f"{self.standards[standard['traced_to_id']]['code']}."
            )
        close = next(
            (
                s
                for s in sorted(self._standards_by_traced_to.get(standard_id, {}).values(), key=_age)
                if 2 * uncertainty > s["uncertainty"]
            ),
            None,
        )
        if close is not None:
            return _refused(f"{close['code']} is traced to it and has only {close['uncertainty']} ppm.")
        self._journal = []
        self._put("standards", standard, "calibrated_on", self.now[:10])
        self._put("standards", standard, "uncertainty", uncertainty)
        for one_standard in _distinct([standard, *self._standards_by_traced_to.get(standard["id"], {}).values()]):
            if self._breaks_rule_1(one_standard):
                return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: record the calibration of {standard['code']} with {uncertainty} ppm.",
            "data": self._changes(),
        }

    def retrace_standard(self, standard_id: str, traced_to_id: str) -> Result:
        """Trace a suspended standard to another one.

        Args:
            standard_id (str): Id of the standard, such as STANDARD-00001.
            traced_to_id (str): Standard above it, of the same quantity and at least twice as exact; an id such as
                STANDARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        traced_to = self.standards.get(traced_to_id)
        if traced_to is None:
            return _refused(f"There is no standard {traced_to_id!r}.")
        if standard["status"] != "suspended":
            return _refused(f"{standard['code']} is in use, so suspend it first.")
        if standard["traced_to_id"] is not None and standard["traced_to_id"] == traced_to_id:
            return _refused(f"{standard['code']} is traced to {traced_to['code']} already.")
        if traced_to["quantity"] != standard["quantity"]:
            return _refused(f"{traced_to['code']} is a standard of {traced_to['quantity']}.")
        if 2 * traced_to["uncertainty"] > standard["uncertainty"]:
            return _refused(f"{traced_to['code']} is not twice as good as {standard['code']}.")
        if traced_to is standard or standard in _above(self.standards, traced_to, "traced_to_id"):
            return _refused(f"{traced_to['code']} is traced to {standard['code']} itself.")
        self._journal = []
        self._put("standards", standard, "traced_to_id", traced_to_id)
        if self._breaks_rule_1(standard):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(standard):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(standard):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: trace {standard['code']} to {traced_to['code']}.",
            "data": self._changes(),
        }

    def recall_certificates(self, standard_id: str, since: Date, reason: Text) -> Result:
        """Recall the valid certificates that rest on a standard, directly or through the chain, and were measured on
        a day or later; their instruments are blocked.

        Args:
            standard_id (str): Id of the standard, such as STANDARD-00001.
            since (str): First day of measurement from which certificates are recalled, not in the future, as
                YYYY-MM-DD.
            reason (str): Why the certificates are recalled.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standard = self.standards.get(standard_id)
        if standard is None:
            return _refused(f"There is no standard {standard_id!r}.")
        if since > self.now[:10]:
            return _refused(f"{since} is in the future.")
        if not any(
            self.jobs[c["job_id"]]["measured_on"] >= since
            for c in _distinct(
                [
                    c
                    for key in [
                        standard_id,
                        *[record["id"] for record in _below(self._standards_by_traced_to, standard)],
                    ]
                    for _job in self._jobs_by_standard.get(key, {}).values()
                    for c in self._certificates_by_job.get(_job["id"], {}).values()
                ]
            )
            if self._rests_on(c, standard)
            and c["valid_until"] >= self.now[:10]
            and not self._recalled(c)
            and self.jobs[c["job_id"]]["measured_on"] is not None
        ):
            return _refused(f"No valid certificate since {since} rests on {standard['code']}.")
        self._journal = []
        added_recalls: list[Any] = []
        changed_instruments: list[Any] = []
        for c in sorted(
            [
                c
                for c in _distinct(
                    [
                        c
                        for key in [
                            standard_id,
                            *[record["id"] for record in _below(self._standards_by_traced_to, standard)],
                        ]
                        for _job in self._jobs_by_standard.get(key, {}).values()
                        for c in self._certificates_by_job.get(_job["id"], {}).values()
                    ]
                )
                if self._rests_on(c, standard)
                and c["valid_until"] >= self.now[:10]
                and not self._recalled(c)
                and self.jobs[c["job_id"]]["measured_on"] is not None
                and self.jobs[c["job_id"]]["measured_on"] >= since
            ],
            key=lambda c: (c["number"], _age(c)),
        ):
            recall = {
                "id": self._new_id("recall", "RECALL", self.recalls),
                "certificate_id": c["id"],
                "reason": reason,
                "opened_on": self.now[:10],
                "answered_on": None,
            }
            self._add("recalls", recall)
            added_recalls.append(recall)
            if self.instruments[self.jobs[c["job_id"]]["instrument_id"]]["status"] == "in_use":
                instrument = self.instruments[self.jobs[c["job_id"]]["instrument_id"]]
                changed_instruments.append(instrument)
                self._put("instruments", instrument, "status", "blocked")
        for one_instrument in _distinct(changed_instruments):
            if self._breaks_rule_4_i(one_instrument):
                return self._take_back(RULES[3])
        for one_recall in _distinct(added_recalls):
            if self._breaks_rule_10(one_recall):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: recall what was calibrated with {standard['code']} since {since}.",
            "data": self._changes(),
        }

    def answer_recall(self, recall_id: str) -> Result:
        """Record that the customer has answered a recall.

        Args:
            recall_id (str): Id of the recall, such as RECALL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        recall = self.recalls.get(recall_id)
        if recall is None:
            return _refused(f"There is no recall {recall_id!r}.")
        if recall["answered_on"] is not None:
            return _refused(f"It was answered on {recall['answered_on']}.")
        self._journal = []
        self._put("recalls", recall, "answered_on", self.now[:10])
        if self._breaks_rule_10(recall):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record the answer to the recall of {self.certificates[recall['certificate_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def _show_technician(self, technician: Technician) -> dict[str, Any]:
        """The technician as an answer shows it."""
        return {**technician, "skills": [*technician["skills"]]}

    def _show_standard(self, standard: Standard) -> dict[str, Any]:
        """The standard as an answer shows it."""
        return {**standard, "due_on": self._standard_due_on(standard)}

    def _names_of_standards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that standards point to."""
        return _names((self.standards, "code", [row["traced_to_id"] for row in shown]))

    def _names_of_instruments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instruments point to."""
        return _names((self.customers, "name", [row["owner_id"] for row in shown]))

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.instruments, "serial", [row["instrument_id"] for row in shown]),
            (self.standards, "code", [row["standard_id"] for row in shown]),
            (self.technicians, "name", [row["technician_id"] for row in shown]),
        )

    def _names_of_recalls(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that recalls point to."""
        return _names((self.certificates, "number", [row["certificate_id"] for row in shown]))

    def _standard_due_on(self, standard: Standard) -> str:
        """The due on of a standard."""
        return _add_months(standard["calibrated_on"], standard["valid_months"])

    def _open_job(self, i: Instrument) -> Job | None:
        return next(
            (
                j
                for j in sorted(self._jobs_by_instrument.get(i["id"], {}).values(), key=_age)
                if j["status"] in ("received", "measured")
            ),
            None,
        )

    def _good(self, s: Standard, d: str) -> bool:
        return s["status"] == "in_use" and self._standard_due_on(s) >= d

    def _enough(self, s: Standard, i: Instrument) -> bool:
        return s["quantity"] == i["quantity"] and i["tolerance"] >= 4 * s["uncertainty"]

    def _recalled(self, c: Certificate) -> bool:
        return any(r["answered_on"] is None for r in self._recalls_by_certificate.get(c["id"], {}).values())

    def _rests_on(self, c: Certificate, s: Standard) -> bool:
        return (
            self.jobs[c["job_id"]]["standard_id"] is not None
            and (
                self.jobs[c["job_id"]]["standard_id"] == s["id"]
                or s in _above(self.standards, self.standards[self.jobs[c["job_id"]]["standard_id"]], "traced_to_id")
            )
        )

    def _breaks_rule_1(self, s: Standard) -> bool:
        """Whether this is broken: a standard is traced to one of the same quantity that is at least twice as good.
        """
        return not (
            s["traced_to_id"] is None
            or self.standards[s["traced_to_id"]]["quantity"] == s["quantity"]
            and 2 * self.standards[s["traced_to_id"]]["uncertainty"] <= s["uncertainty"]
        )

    def _breaks_rule_2(self, s: Standard) -> bool:
        """Whether this is broken: no standard is traced to itself, however far up the chain."""
        return s in _above(self.standards, s, "traced_to_id")

    def _breaks_rule_3(self, s: Standard) -> bool:
        """Whether this is broken: no standard is in use while one above it in the chain is suspended."""
        return (
            s["traced_to_id"] is not None
            and s["status"] != "suspended"
            and self.standards[s["traced_to_id"]]["status"] != "in_use"
        )

    def _breaks_rule_4_j(self, j: Job) -> bool:
        """Whether this is broken: an instrument has one job at a time, and is in the laboratory exactly as long."""
        return (
            j["status"] in ("received", "measured")
            and any(
                other_j is not j
                for other_j in self._jobs_by_instrument.get(j["instrument_id"], {}).values()
                if other_j["status"] in ("received", "measured")
            )
        )

    def _breaks_rule_4_i(self, i: Instrument) -> bool:
        """Whether this is broken: an instrument has one job at a time, and is in the laboratory exactly as long."""
        return (i["status"] == "in_lab") != (self._open_job(i) is not None)

    def _breaks_rule_5(self, j: Job) -> bool:
        """Whether this is broken: a job was measured by a technician who has the skill."""
        return (
            j["technician_id"] is not None
            and self.instruments[j["instrument_id"]]["quantity"] not in self.technicians[j["technician_id"]]["skills"]
        )

    def _breaks_rule_6(self, j: Job) -> bool:
        """Whether this is broken: a job was measured with a standard of the same quantity."""
        return (
            j["standard_id"] is not None
            and self.standards[j["standard_id"]]["quantity"] != self.instruments[j["instrument_id"]]["quantity"]
        )

    def _breaks_rule_7(self, j: Job) -> bool:
        """Whether this is broken: a measured or certified job says with what, by whom and what was found."""
        return (
            j["status"] in ("measured", "certified")
            and (
                j["standard_id"] is None
                or j["technician_id"] is None
                or j["as_found"] is None
                or j["as_left"] is None
            )
        )

    def _breaks_rule_8(self, j: Job) -> bool:
        """Whether this is broken: what was certified was left within its tolerance."""
        return (
            j["status"] == "certified"
            and (j["as_left"] is None or j["as_left"] > self.instruments[j["instrument_id"]]["tolerance"])
        )

    def _breaks_rule_9_c(self, c: Certificate) -> bool:
        """Whether this is broken: a certified job has one certificate, and no other job has one."""
        return any(other_c is not c for other_c in self._certificates_by_job.get(c["job_id"], {}).values())

    def _breaks_rule_9_c_again(self, c: Certificate) -> bool:
        """Whether this is broken: a certified job has one certificate, and no other job has one."""
        return self.jobs[c["job_id"]]["status"] != "certified"

    def _breaks_rule_10(self, r: Recall) -> bool:
        """Whether this is broken: a certificate has one open recall at a time."""
        return (
            r["answered_on"] is None
            and any(
                other_r is not r
                for other_r in self._recalls_by_certificate.get(r["certificate_id"], {}).values()
                if other_r["answered_on"] is None
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
            case "standards":
                self._standards_by_traced_to.setdefault(record["traced_to_id"], {})[record["id"]] = record
            case "jobs":
                self._jobs_by_instrument.setdefault(record["instrument_id"], {})[record["id"]] = record
                self._jobs_by_standard.setdefault(record["standard_id"], {})[record["id"]] = record
            case "certificates":
                self._certificates_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._certificates_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._certificates_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "recalls":
                self._recalls_by_certificate.setdefault(record["certificate_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "standards":
                del self._standards_by_traced_to[record["traced_to_id"]][record["id"]]
            case "jobs":
                del self._jobs_by_instrument[record["instrument_id"]][record["id"]]
                del self._jobs_by_standard[record["standard_id"]][record["id"]]
            case "certificates":
                del self._certificates_by_job[record["job_id"]][record["id"]]
                del self._certificates_by_lower_number[record["number"].lower()][record["id"]]
                del self._certificates_by_number[record["number"]][record["id"]]
            case "recalls":
                del self._recalls_by_certificate[record["certificate_id"]][record["id"]]
