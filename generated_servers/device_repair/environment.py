"""Device repair shop. Compiled from blueprint.yaml; run `envscaler build device_repair` after changing it there.

Repairs phones, tablets and laptops, from diagnosis and quote to fitting, with parts reserved and ordered, loan
devices, a warranty on fitted parts, and devices that nobody fetches.
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
    "A device is in one job at a time.",
    "Whoever works at a job knows that kind of device.",
    "Jobs have a technician once they are looked at.",
    "No technician has more jobs on the bench than agreed.",
    "A part is quoted once in a job and fits the device.",
    "Parts promised to approved jobs are in stock or on the way.",
    "A loan device goes to one job, for a device of its kind, and is not damaged.",
    "Nobody keeps a loan device after the job.",
    "A repaired job says when it was done, and a warranty runs from there.",
    "A reminder has a date.",
    "An abandoned device was scrapped and belongs to nobody.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_device",
    "diagnose_job",
    "approve_quote",
    "decline_quote",
    "order_part",
    "close_order",
    "finish_repair",
    "hand_back",
    "pay_debt",
    "lend_device",
    "take_loaner_back",
    "remind_customer",
    "abandon_job",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "devices": ("serial",),
    "parts": ("name",),
    "technicians": ("name",),
    "jobs": (),
    "lines": (),
    "orders": (),
    "loaners": ("label",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("jobs", "device_id"),
    ("jobs", "status"),
    ("jobs", "technician_id"),
    ("lines", "job_id"),
    ("lines", "part_id"),
    ("loaners", "job_id"),
    ("orders", "part_id"),
    ("orders", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str
    limit: int
    owes: int


class Device(TypedDict):
    id: str
    serial: str
    kind: Literal["phone", "tablet", "laptop"]
    customer_id: str | None


class Part(TypedDict):
    id: str
    name: str
    fits: list[Literal["phone", "tablet", "laptop"]]
    price: int
    stock: int


class Technician(TypedDict):
    id: str
    name: str
    kinds: list[Literal["phone", "tablet", "laptop"]]
    most: int


class Job(TypedDict):
    id: str
    device_id: str
    fault: str
    came_on: str
    technician_id: str | None
    labour: int
    done_on: str | None
    reminders: int
    reminded_on: str | None
    status: Literal["waiting", "quoted", "approved", "declined", "repaired", "returned", "abandoned"]


class Line(TypedDict):
    id: str
    job_id: str
    part_id: str
    number: int
    warranty: bool


class Order(TypedDict):
    id: str
    part_id: str
    number: int
    arrives_on: str
    status: Literal["ordered", "arrived", "cancelled"]


class Loaner(TypedDict):
    id: str
    label: str
    kind: Literal["phone", "tablet", "laptop"]
    worth: int
    job_id: str | None
    damaged: bool


class DiagnoseJobPart(TypedDict):
    part_id: str
    number: Annotated[int, {"minimum": 1, "maximum": 6}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class DeviceRepair:
    """Repairs phones, tablets and laptops, from diagnosis and quote to fitting, with parts reserved and
    ordered, loan devices, a warranty on fitted parts, and devices that nobody fetches.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.devices: dict[str, Device] = _copied(config.get("devices", {}))
        self.parts: dict[str, Part] = _copied(config.get("parts", {}))
        self.technicians: dict[str, Technician] = _copied(config.get("technicians", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.loaners: dict[str, Loaner] = _copied(config.get("loaners", {}))
        self.now: str = config.get("now", "2026-05-26T09:15")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "device": len(self.devices),
            "part": len(self.parts),
            "technician": len(self.technicians),
            "job": len(self.jobs),
            "line": len(self.lines),
            "order": len(self.orders),
            "loaner": len(self.loaners),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._jobs_by_device: dict[Any, dict[str, Job]] = {}
        self._jobs_by_device_status: dict[Any, dict[str, Job]] = {}
        self._jobs_by_technician: dict[Any, dict[str, Job]] = {}
        self._lines_by_job: dict[Any, dict[str, Line]] = {}
        self._lines_by_job_part: dict[Any, dict[str, Line]] = {}
        self._lines_by_part: dict[Any, dict[str, Line]] = {}
        self._orders_by_part_status: dict[Any, dict[str, Order]] = {}
        self._loaners_by_job: dict[Any, dict[str, Loaner]] = {}
        for job in self.jobs.values():
            self._link("jobs", job)
        for line in self.lines.values():
            self._link("lines", line)
        for order in self.orders.values():
            self._link("orders", order)
        for loaner in self.loaners.values():
            self._link("loaners", loaner)

    def unfetched(
        self,
        since: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Devices that wait to be fetched, the longest first, with the reminders that went out.

        Args:
            since (str, optional): Day on or before which the device was ready, as YYYY-MM-DD. If left out, all
                that wait are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        found = [
            j
            for j in self.jobs.values()
            if j["status"] in ("repaired", "declined")
            and (since is None or j["done_on"] is not None and j["done_on"] <= since)
        ]
        found.sort(key=lambda j: (j["done_on"] if j["done_on"] is not None else self.now[:10], j["id"], _age(j)))
        shown = [
            {
                "id": j["id"],
                "serial": self.devices[j["device_id"]]["serial"],
                "customer_id": self.devices[j["device_id"]]["customer_id"],
                "done_on": j["done_on"],
                "reminders": j["reminders"],
                "reminded_on": j["reminded_on"],
                "to_pay": self._job_quote(j),
            }
            for j in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "jobs": shown},
            _names((self.customers, "name", [row["customer_id"] for row in shown])),
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

    def list_devices(
        self,
        serial: Text | None = None,
        kind: Literal["phone", "tablet", "laptop"] | None = None,
        customer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the devices, oldest first, all of them or only some.

        Args:
            serial (str, optional): Only devices whose serial contains this text.
            kind (str, optional): Only devices with this kind.
            customer_id (str, optional): Only devices of this customer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "devices": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            device
            for device in self.devices.values()
            if (serial is None or serial.casefold() in device["serial"].casefold())
            and (kind is None or device["kind"] == kind)
            and (customer_id is None or device["customer_id"] == customer_id)
        ]
        shown = [{**device} for device in _page(found, offset)]
        return _found({"total": len(found), "devices": shown}, self._names_of_devices(shown))

    def list_parts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}}
        """
        found = [part for part in self.parts.values() if (name is None or name.casefold() in part["name"].casefold())]
        return _found({"total": len(found), "parts": [self._show_part(part) for part in _page(found, offset)]})

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

    def list_jobs(
        self,
        device_id: str | None = None,
        technician_id: str | None = None,
        status: Literal[
            "waiting",
            "quoted",
            "approved",
            "declined",
            "repaired",
            "returned",
            "abandoned",
        ] | None = None,
        came_on_from: Date | None = None,
        came_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            device_id (str, optional): Only jobs of this device.
            technician_id (str, optional): Only jobs of this technician.
            status (str, optional): Only jobs with this status.
            came_on_from (str, optional): Only jobs whose `came_on` is on this day or later.
            came_on_to (str, optional): Only jobs whose `came_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if device_id is not None and device_id not in self.devices:
            return _refused(f"There is no device {device_id!r}.")
        if technician_id is not None and technician_id not in self.technicians:
            return _refused(f"There is no technician {technician_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (device_id is None or job["device_id"] == device_id)
            and (technician_id is None or job["technician_id"] == technician_id)
            and (status is None or job["status"] == status)
            and (came_on_from is None or job["came_on"] >= came_on_from)
            and (came_on_to is None or job["came_on"] <= came_on_to)
        ]
        shown = [self._show_job(job) for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def list_lines(
        self,
        job_id: str | None = None,
        part_id: str | None = None,
        warranty: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only lines of this job.
            part_id (str, optional): Only lines of this part.
            warranty (bool, optional): Only lines with this value of `warranty`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        if part_id is not None and part_id not in self.parts:
            return _refused(f"There is no part {part_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (job_id is None or line["job_id"] == job_id)
            and (part_id is None or line["part_id"] == part_id)
            and (warranty is None or line["warranty"] == warranty)
        ]
        shown = [self._show_line(line) for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_orders(
        self,
        part_id: str | None = None,
        status: Literal["ordered", "arrived", "cancelled"] | None = None,
        arrives_on_from: Date | None = None,
        arrives_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            part_id (str, optional): Only orders of this part.
            status (str, optional): Only orders with this status.
            arrives_on_from (str, optional): Only orders whose `arrives_on` is on this day or later.
            arrives_on_to (str, optional): Only orders whose `arrives_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if part_id is not None and part_id not in self.parts:
            return _refused(f"There is no part {part_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (part_id is None or order["part_id"] == part_id)
            and (status is None or order["status"] == status)
            and (arrives_on_from is None or order["arrives_on"] >= arrives_on_from)
            and (arrives_on_to is None or order["arrives_on"] <= arrives_on_to)
        ]
        shown = [{**order} for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_loaners(
        self,
        label: Text | None = None,
        kind: Literal["phone", "tablet", "laptop"] | None = None,
        job_id: str | None = None,
        damaged: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loaners, oldest first, all of them or only some.

        Args:
            label (str, optional): Only loaners whose label contains this text.
            kind (str, optional): Only loaners with this kind.
            job_id (str, optional): Only loaners of this job.
            damaged (bool, optional): Only loaners that are damaged (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loaners": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        found = [
            loaner
            for loaner in self.loaners.values()
            if (label is None or label.casefold() in loaner["label"].casefold())
            and (kind is None or loaner["kind"] == kind)
            and (job_id is None or loaner["job_id"] == job_id)
            and (damaged is None or loaner["damaged"] == damaged)
        ]
        return _found({"total": len(found), "loaners": [{**loaner} for loaner in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_device(self, device_id: str, fault: Text) -> Result:
        """Take a device in with what the customer says is wrong.

        Args:
            device_id (str): Id of the device, such as DEVICE-00001.
            fault (str): What is wrong, in the words of the customer.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        if device["customer_id"] is None:
            return _refused(f"{device['serial']} was scrapped.")
        other = self._open_job(device)
        if other is not None:
            return _refused(f"{device['serial']} is here since {other['came_on']}.")
        self._journal = []
        job: Job = {
            "id": self._new_id("job", "JOB", self.jobs),
            "device_id": device_id,
            "fault": fault,
            "came_on": self.now[:10],
            "technician_id": None,
            "labour": 0,
            "done_on": None,
            "reminders": 0,
            "reminded_on": None,
            "status": "waiting",
        }
        self._add("jobs", job)
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(job["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(job):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take {device['serial']} in for {fault} (new: job {job['id']}).",
            "data": {"job_id": job["id"], **self._changes()},
        }

    def diagnose_job(
        self,
        job_id: str,
        technician_id: str,
        parts: Annotated[list[DiagnoseJobPart], {"maxItems": 20}],
        labour: Annotated[int, {"minimum": 0, "maximum": 80000}],
    ) -> Result:
        """Quote a job after a look inside, with parts and labour; a part that we fitted into the same device within
        180 days costs nothing.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.
            parts (list): One entry for each part to fit, none where only labour is charged: part_id: part to fit,
                suited to this kind of device; an id such as PART-00001; number: pieces of it, from 1 to 6.
            labour (int): Price of the labour, above zero where no part is named, in cents, from 0 to 80000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        entries, parts = parts, []
        for entry in entries:
            if entry["part_id"] not in self.parts:
                return _refused(f"There is no part {entry['part_id']!r}.")
            parts.append({"part": self.parts[entry["part_id"]], "number": entry["number"]})
        if job["status"] != "waiting":
            return _refused(f"The job is {job['status']}.")
        if self.devices[job["device_id"]]["kind"] not in technician["kinds"]:
            return _refused(f"{technician['name']} does not repair a {self.devices[job['device_id']]['kind']}.")
        if self._technician_jobs(technician) >= technician["most"]:
            return _refused(f"{technician['name']} has {self._technician_jobs(technician)} jobs on the bench.")
        if not _different([x["part"]["id"] for x in parts]):
            return _refused("A part is named twice.")
        odd = next((x for x in parts if self.devices[job["device_id"]]["kind"] not in x["part"]["fits"]), None)
        if odd is not None:
            return _refused(f"{odd['part']['name']} does not fit a {self.devices[job['device_id']]['kind']}.")
        if len(parts) <= 0 and labour <= 0:
            return _refused("A quote has parts, labour or both.")
        self._journal = []
        added_lines: list[Any] = []
        former_technician_id = job["technician_id"]
        self._put("jobs", job, "technician_id", technician_id)
        self._put("jobs", job, "labour", labour)
        for x in sorted(parts, key=lambda x: (x["part"]["name"],)):
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "job_id": job_id,
                "part_id": x["part"]["id"],
                "number": x["number"],
                "warranty": self._covered(self.devices[job["device_id"]], x["part"], self.now[:10]),
            }
            self._add("lines", line)
            added_lines.append(line)
        self._put("jobs", job, "status", "quoted")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct(
            [self.technicians.get(job["technician_id"]), self.technicians.get(former_technician_id)]
        ):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_5_l(one_line):
                return self._take_back(RULES[4])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_5_l_again(one_line):
                return self._take_back(RULES[4])
        for one_part in _distinct(
            [
                *[self.parts[one["part_id"]] for one in added_lines],
                *[self.parts[one["part_id"]] for one in self._lines_by_job.get(job["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        for one_loaner in _distinct(self._loaners_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_8(one_loaner):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(job):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: quote the job of {self.devices[job['device_id']]['serial']} as {technician['name']}.",
            "data": self._changes(),
        }

    def approve_quote(self, job_id: str) -> Result:
        """Approve a quote; its parts must be to spare or on the way.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "quoted":
            return _refused(f"The job is {job['status']}.")
        lack = next(
            (
                l
                for l in self._lines(job)
                if self._spare(self.parts[l["part_id"]]) + self._part_coming(self.parts[l["part_id"]]) < l["number"]
            ),
            None,
        )
        if lack is not None:
            return _refused(
                f"{self._spare(self.parts[lack['part_id']]) + self._part_coming(self.parts[lack['part_id']])} of "
                f"{self.parts[lack['part_id']]['name']} are to spare or on the way and {lack['number']} are "
                "needed; order more first."
            )
        self._journal = []
        self._put("jobs", job, "status", "approved")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(job["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        for one_part in _distinct(
            [self.parts[one["part_id"]] for one in self._lines_by_job.get(job["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        for one_loaner in _distinct(self._loaners_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_8(one_loaner):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(job):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: approve the quote for {self.devices[job['device_id']]['serial']}.",
            "data": self._changes(),
        }

    def decline_quote(self, job_id: str) -> Result:
        """Decline a quote, or give an approved repair up; the customer owes 20.00 for the diagnosis, or the labour
        where that is less.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("quoted", "approved"):
            return _refused(f"The job is {job['status']}.")
        self._journal = []
        deleted_lines: list[Any] = []
        labour = min(job["labour"], 2000)
        if not 0 <= labour <= 80000:
            return self._take_back(f"The labour of {job['id']} must be between 0.00 and 800.00.")
        self._put("jobs", job, "labour", labour)
        for l in list(self._lines(job)):
            if l["id"] in self.lines:
                self._remove("lines", l)
            deleted_lines.append(l)
        self._put("jobs", job, "done_on", self.now[:10])
        self._put("jobs", job, "status", "declined")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(job["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        for one_part in _distinct(
            [
                *[self.parts[one["part_id"]] for one in deleted_lines],
                *[self.parts[one["part_id"]] for one in self._lines_by_job.get(job["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        for one_loaner in _distinct(self._loaners_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_8(one_loaner):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(job):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: decline the quote for {self.devices[job['device_id']]['serial']}.",
            "data": self._changes(),
        }

    def order_part(
        self,
        part_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 100}],
        arrives_on: Date,
    ) -> Result:
        """Order a part from the supplier.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            number (int): Pieces to order, from 1 to 100.
            arrives_on (str): Day on which they should arrive, within 45 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        if self.now[:10] > arrives_on or arrives_on > _plus_days(self.now[:10], 45):
            return _refused("Parts arrive within 45 days.")
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "part_id": part_id,
            "number": number,
            "arrives_on": arrives_on,
            "status": "ordered",
        }
        self._add("orders", order)
        if self._breaks_rule_6(self.parts[order["part_id"]]):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: order {number} of {part['name']} (new: order {order['id']}).",
            "data": {"order_id": order["id"], **self._changes()},
        }

    def close_order(self, order_id: str, arrived: bool) -> Result:
        """Note that an order has arrived, or cancel one that no approved job counts on.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            arrived (bool): Whether the order has arrived, as opposed to being cancelled.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "ordered":
            return _refused(f"The order was {order['status']}.")
        if not (
            arrived
            or self._part_promised(
                self.parts[order["part_id"]]
            ) <= self.parts[order["part_id"]]["stock"] + self._part_coming(
                self.parts[order["part_id"]]
            ) - order["number"]
        ):
            return _refused("Approved jobs count on that order.")
        self._journal = []
        changed_orders: list[Any] = []
        changed_parts: list[Any] = []
        if arrived:
            changed_orders.append(order)
            self._put("orders", order, "status", "arrived")
            part = self.parts[order["part_id"]]
            stock = self.parts[order["part_id"]]["stock"] + order["number"]
            if not 0 <= stock <= 500:
                return self._take_back(f"The stock of {part['name']} must be between 0 and 500.")
            changed_parts.append(part)
            self._put("parts", part, "stock", stock)
        else:
            if order["status"] not in ("ordered", "cancelled"):
                return self._take_back(f"Order {order['id']} cannot go from {order['status']} to cancelled.")
            changed_orders.append(order)
            self._put("orders", order, "status", "cancelled")
        for one_part in _distinct([*[self.parts[one["part_id"]] for one in changed_orders], *changed_parts]):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: close the order of {order['number']} of {self.parts[order['part_id']]['name']}.",
            "data": self._changes(),
        }

    def finish_repair(self, job_id: str) -> Result:
        """Fit the parts of an approved job, which are taken from stock.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "approved":
            return _refused(f"The job is {job['status']}.")
        lack = self._short_of(job)
        if lack is not None:
            return _refused(
                f"{lack['number']} of {self.parts[lack['part_id']]['name']} are needed and "
                f"{self.parts[lack['part_id']]['stock']} in stock."
            )
        self._journal = []
        changed_parts: list[Any] = []
        self._put("jobs", job, "done_on", self.now[:10])
        self._put("jobs", job, "status", "repaired")
        for l in list(self._lines(job)):
            part = self.parts[l["part_id"]]
            stock = self.parts[l["part_id"]]["stock"] - l["number"]
            if not 0 <= stock <= 500:
                return self._take_back(f"The stock of {part['name']} must be between 0 and 500.")
            changed_parts.append(part)
            self._put("parts", part, "stock", stock)
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(job["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        for one_part in _distinct(
            [*[self.parts[one["part_id"]] for one in self._lines_by_job.get(job["id"], {}).values()], *changed_parts]
        ):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        for one_loaner in _distinct(self._loaners_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_8(one_loaner):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(job):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: finish the repair of {self.devices[job['device_id']]['serial']}.",
            "data": self._changes(),
        }

    def hand_back(self, job_id: str, paid: bool = True) -> Result:
        """Hand a repaired device or one whose quote was declined back; what is not paid at once is owed.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            paid (bool): Whether the customer pays the quote at once. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("repaired", "declined"):
            return _refused(f"The job is {job['status']}.")
        loan = self._loaner_of(job)
        if loan is not None:
            return _refused(f"{loan['label']} must come back first.")
        if self.devices[job["device_id"]]["customer_id"] is None:
            return _refused(f"{self.devices[job['device_id']]['serial']} belongs to nobody.")
        customer = self.customers[self.devices[job["device_id"]]["customer_id"]]
        if not (paid or customer["owes"] + self._job_quote(job) <= customer["limit"]):
            return _refused(
                f"{customer['name']} owes {_money(customer['owes'])} and may owe {_money(customer['limit'])}."
            )
        self._journal = []
        if not paid:
            owes = customer["owes"] + self._job_quote(job)
            if not 0 <= owes <= 500000:
                return self._take_back(f"The owes of {customer['name']} must be between 0.00 and 5,000.00.")
            self._put("customers", customer, "owes", owes)
        self._put("jobs", job, "status", "returned")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(job["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        for one_part in _distinct(
            [self.parts[one["part_id"]] for one in self._lines_by_job.get(job["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        for one_loaner in _distinct(self._loaners_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_8(one_loaner):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(job):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: hand {self.devices[job['device_id']]['serial']} back.",
            "data": self._changes(),
        }

    def pay_debt(self, customer_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 500000}]) -> Result:
        """Take money from a customer for what is owed.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            amount (int): Sum paid, at most what the customer owes, in cents, from 1 to 500000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if amount > customer["owes"]:
            return _refused(f"{customer['name']} owes {_money(customer['owes'])}, not {_money(amount)}.")
        self._journal = []
        owes = customer["owes"] - amount
        if not 0 <= owes <= 500000:
            return self._take_back(f"The owes of {customer['name']} must be between 0.00 and 5,000.00.")
        self._put("customers", customer, "owes", owes)
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} from {customer['name']}.",
            "data": self._changes(),
        }

    def lend_device(self, loaner_id: str, job_id: str) -> Result:
        """Lend a device of the same kind for the time of a job.

        Args:
            loaner_id (str): Id of the loaner, such as LOANER-00001.
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loaner = self.loaners.get(loaner_id)
        if loaner is None:
            return _refused(f"There is no loaner {loaner_id!r}.")
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if loaner["job_id"] is not None or loaner["damaged"]:
            return _refused(f"{loaner['label']} is out or damaged.")
        if job["status"] in ("returned", "abandoned"):
            return _refused(f"The job is {job['status']}.")
        if loaner["kind"] != self.devices[job["device_id"]]["kind"]:
            return _refused(
                f"{loaner['label']} is a {loaner['kind']}, and the device a {self.devices[job['device_id']]['kind']}."
            )
        other = self._loaner_of(job)
        if other is not None:
            return _refused(f"{other['label']} is out for that job already.")
        self._journal = []
        self._put("loaners", loaner, "job_id", job_id)
        if self._breaks_rule_7_x(loaner):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_x_again(loaner):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(loaner):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: lend {loaner['label']} for {self.devices[job['device_id']]['serial']}.",
            "data": self._changes(),
        }

    def take_loaner_back(self, loaner_id: str, damaged: bool = False) -> Result:
        """Take a loan device back; if it is damaged, the customer owes half of its worth, above the limit too.

        Args:
            loaner_id (str): Id of the loaner, such as LOANER-00001.
            damaged (bool): Whether the loan device came back damaged. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loaner = self.loaners.get(loaner_id)
        if loaner is None:
            return _refused(f"There is no loaner {loaner_id!r}.")
        if loaner["job_id"] is None or self.devices[self.jobs[loaner["job_id"]]["device_id"]]["customer_id"] is None:
            return _refused(f"{loaner['label']} is not out.")
        self._journal = []
        changed_loaners: list[Any] = []
        if damaged:
            customer = self.customers[self.devices[self.jobs[loaner["job_id"]]["device_id"]]["customer_id"]]
            owes = (
                self.customers[self.devices[self.jobs[loaner["job_id"]]["device_id"]]["customer_id"]]["owes"]
                + loaner["worth"] // 2
            )
            if not 0 <= owes <= 500000:
                return self._take_back(f"The owes of {customer['name']} must be between 0.00 and 5,000.00.")
            self._put("customers", customer, "owes", owes)
            changed_loaners.append(loaner)
            self._put("loaners", loaner, "damaged", True)
        self._put("loaners", loaner, "job_id", None)
        if self._breaks_rule_7_x(loaner):
            return self._take_back(RULES[6])
        for one_loaner in _distinct([loaner, *changed_loaners]):
            if self._breaks_rule_7_x_again(one_loaner):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(loaner):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: take {loaner['label']} back.", "data": self._changes()}

    def remind_customer(self, job_id: str) -> Result:
        """Remind the customer of a device that can be fetched.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("repaired", "declined"):
            return _refused(f"The job is {job['status']}.")
        if job["reminders"] >= 9:
            return _refused("Nine reminders are enough.")
        if job["reminded_on"] is not None and _plus_days(job["reminded_on"], 7) > self.now[:10]:
            return _refused(f"A reminder went out on {job['reminded_on']}.")
        self._journal = []
        reminders = job["reminders"] + 1
        if not 0 <= reminders <= 9:
            return self._take_back(f"The reminders of {job['id']} must be between 0 and 9.")
        self._put("jobs", job, "reminders", reminders)
        self._put("jobs", job, "reminded_on", self.now[:10])
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: remind the customer of {self.devices[job['device_id']]['serial']}.",
            "data": self._changes(),
        }

    def abandon_job(self, job_id: str) -> Result:
        """Scrap a device that nobody fetches, two weeks after the second reminder at the earliest; one piece of each
        part that was fitted goes back into stock.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("repaired", "declined"):
            return _refused(f"The job is {job['status']}.")
        if job["reminders"] < 2 or job["reminded_on"] is None:
            return _refused(f"{job['reminders']} reminders were sent, and two are needed.")
        if _plus_days(job["reminded_on"], 14) > self.now[:10]:
            return _refused(f"The last reminder went out on {job['reminded_on']}.")
        loan = self._loaner_of(job)
        if loan is not None:
            return _refused(f"{loan['label']} must come back first.")
        self._journal = []
        changed_parts: list[Any] = []
        for l in list(self._lines(job)):
            part = self.parts[l["part_id"]]
            stock = self.parts[l["part_id"]]["stock"] + 1
            if not 0 <= stock <= 500:
                return self._take_back(f"The stock of {part['name']} must be between 0 and 500.")
            changed_parts.append(part)
            self._put("parts", part, "stock", stock)
        device = self.devices[job["device_id"]]
        self._put("devices", device, "customer_id", None)
        self._put("jobs", job, "status", "abandoned")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(job["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        for one_part in _distinct(
            [*changed_parts, *[self.parts[one["part_id"]] for one in self._lines_by_job.get(job["id"], {}).values()]]
        ):
            if self._breaks_rule_6(one_part):
                return self._take_back(RULES[5])
        for one_loaner in _distinct(self._loaners_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_8(one_loaner):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        for one_job in _distinct([job, *self._jobs_by_device_status.get((device["id"], "abandoned"), {}).values()]):
            if self._breaks_rule_11(one_job):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: scrap {self.devices[job['device_id']]['serial']}.",
            "data": self._changes(),
        }

    def _show_part(self, part: Part) -> dict[str, Any]:
        """The part as an answer shows it."""
        return {
            **part,
            "fits": [*part["fits"]],
            "promised": self._part_promised(part),
            "coming": self._part_coming(part),
        }

    def _show_technician(self, technician: Technician) -> dict[str, Any]:
        """The technician as an answer shows it."""
        return {**technician, "kinds": [*technician["kinds"]], "jobs": self._technician_jobs(technician)}

    def _show_job(self, job: Job) -> dict[str, Any]:
        """The job as an answer shows it."""
        return {
            **job,
            "quote": self._job_quote(job),
            "parts": self._job_parts(job),
            "out_of_stock": self._job_out_of_stock(job),
        }

    def _show_line(self, line: Line) -> dict[str, Any]:
        """The line as an answer shows it."""
        return {**line, "cost": self._line_cost(line)}

    def _names_of_devices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that devices point to."""
        return _names((self.customers, "name", [row["customer_id"] for row in shown]))

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.devices, "serial", [row["device_id"] for row in shown]),
            (self.technicians, "name", [row["technician_id"] for row in shown]),
        )

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names((self.parts, "name", [row["part_id"] for row in shown]))

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names((self.parts, "name", [row["part_id"] for row in shown]))

    def _part_promised(self, part: Part) -> int:
        """The promised of a part."""
        return sum(
            l["number"]
            for l in self._lines_by_part.get(part["id"], {}).values()
            if self.jobs[l["job_id"]]["status"] == "approved"
        )

    def _part_coming(self, part: Part) -> int:
        """The coming of a part."""
        return sum(o["number"] for o in self._orders_by_part_status.get((part["id"], "ordered"), {}).values())

    def _technician_jobs(self, technician: Technician) -> int:
        """The jobs of a technician."""
        return sum(
            1
            for j in self._jobs_by_technician.get(technician["id"], {}).values()
            if j["status"] in ("quoted", "approved")
        )

    def _job_quote(self, job: Job) -> int:
        """The quote of a job."""
        return job["labour"] + sum(self._line_cost(l) for l in self._lines_by_job.get(job["id"], {}).values())

    def _job_parts(self, job: Job) -> list[str]:
        """The parts of a job."""
        return [
            self.parts[l["part_id"]]["name"]
            for l in sorted(self._lines_by_job.get(job["id"], {}).values(), key=_age)
        ]

    def _job_out_of_stock(self, job: Job) -> list[str]:
        """The out of stock of a job."""
        return [
            self.parts[l["part_id"]]["name"]
            for l in sorted(self._lines_by_job.get(job["id"], {}).values(), key=_age)
            if self.parts[l["part_id"]]["stock"] < l["number"]
        ]

    def _line_cost(self, line: Line) -> int:
        """The cost of a line."""
        return self.parts[line["part_id"]]["price"] * (0 if line["warranty"] else line["number"])

    def _lines(self, j: Job) -> list[Line]:
        return sorted(self._lines_by_job.get(j["id"], {}).values(), key=_age)

    def _open_job(self, d: Device) -> Job | None:
        return next(
            (
                j
                for j in sorted(self._jobs_by_device.get(d["id"], {}).values(), key=_age)
                if j["status"] not in ("returned", "abandoned")
            ),
            None,
        )

    def _spare(self, p: Part) -> int:
        return p["stock"] - self._part_promised(p)

    def _covered(self, d: Device, p: Part, on: str) -> bool:
        return any(
            self.jobs[l["job_id"]]["done_on"] is not None
            and _plus_days(self.jobs[l["job_id"]]["done_on"], 180) >= on
            for l in self._lines_by_part.get(p["id"], {}).values()
            if self.jobs[l["job_id"]]["device_id"] == d["id"]
            and self.jobs[l["job_id"]]["status"] in ("repaired", "returned")
        )

    def _short_of(self, j: Job) -> Line | None:
        return next(
            (
                l
                for l in sorted(self._lines_by_job.get(j["id"], {}).values(), key=_age)
                if self.parts[l["part_id"]]["stock"] < l["number"]
            ),
            None,
        )

    def _loaner_of(self, j: Job) -> Loaner | None:
        return next((x for x in sorted(self._loaners_by_job.get(j["id"], {}).values(), key=_age)), None)

    def _breaks_rule_1(self, j: Job) -> bool:
        """Whether this is broken: a device is in one job at a time."""
        return (
            j["status"] not in ("returned", "abandoned")
            and any(
                other_j is not j
                for other_j in self._jobs_by_device.get(j["device_id"], {}).values()
                if other_j["status"] not in ("returned", "abandoned")
            )
        )

    def _breaks_rule_2(self, j: Job) -> bool:
        """Whether this is broken: whoever works at a job knows that kind of device."""
        return (
            j["technician_id"] is not None
            and self.devices[j["device_id"]]["kind"] not in self.technicians[j["technician_id"]]["kinds"]
        )

    def _breaks_rule_3(self, j: Job) -> bool:
        """Whether this is broken: jobs have a technician once they are looked at."""
        return (j["status"] == "waiting") != (j["technician_id"] is None)

    def _breaks_rule_4(self, t: Technician) -> bool:
        """Whether this is broken: no technician has more jobs on the bench than agreed."""
        return self._technician_jobs(t) > t["most"]

    def _breaks_rule_5_l(self, l: Line) -> bool:
        """Whether this is broken: a part is quoted once in a job and fits the device."""
        return any(
            other_l is not l
            for other_l in self._lines_by_job_part.get((l["job_id"], l["part_id"]), {}).values()
        )

    def _breaks_rule_5_l_again(self, l: Line) -> bool:
        """Whether this is broken: a part is quoted once in a job and fits the device."""
        return self.devices[self.jobs[l["job_id"]]["device_id"]]["kind"] not in self.parts[l["part_id"]]["fits"]

    def _breaks_rule_6(self, p: Part) -> bool:
        """Whether this is broken: parts promised to approved jobs are in stock or on the way."""
        return self._part_promised(p) > p["stock"] + self._part_coming(p)

    def _breaks_rule_7_x(self, x: Loaner) -> bool:
        """Whether this is broken: a loan device goes to one job, for a device of its kind, and is not damaged."""
        return (
            x["job_id"] is not None
            and any(
                other_x is not x
                for other_x in self._loaners_by_job.get(x["job_id"], {}).values()
                if other_x["job_id"] is not None
            )
        )

    def _breaks_rule_7_x_again(self, x: Loaner) -> bool:
        """Whether this is broken: a loan device goes to one job, for a device of its kind, and is not damaged."""
        return not (
            x["job_id"] is None
            or x["kind"] == self.devices[self.jobs[x["job_id"]]["device_id"]]["kind"]
            and not x["damaged"]
        )

    def _breaks_rule_8(self, x: Loaner) -> bool:
        """Whether this is broken: nobody keeps a loan device after the job."""
        return x["job_id"] is not None and self.jobs[x["job_id"]]["status"] in ("returned", "abandoned")

    def _breaks_rule_9(self, j: Job) -> bool:
        """Whether this is broken: a repaired job says when it was done, and a warranty runs from there."""
        return (j["status"] in ("repaired", "declined", "returned", "abandoned")) != (j["done_on"] is not None)

    def _breaks_rule_10(self, j: Job) -> bool:
        """Whether this is broken: a reminder has a date."""
        return (j["reminders"] > 0) != (j["reminded_on"] is not None)

    def _breaks_rule_11(self, j: Job) -> bool:
        """Whether this is broken: an abandoned device was scrapped and belongs to nobody."""
        return j["status"] == "abandoned" and self.devices[j["device_id"]]["customer_id"] is not None

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
            case "jobs":
                self._jobs_by_device.setdefault(record["device_id"], {})[record["id"]] = record
                self._jobs_by_device_status.setdefault((record["device_id"], record["status"]), {})[record["id"]] = record
                self._jobs_by_technician.setdefault(record["technician_id"], {})[record["id"]] = record
            case "lines":
                self._lines_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._lines_by_job_part.setdefault((record["job_id"], record["part_id"]), {})[record["id"]] = record
                self._lines_by_part.setdefault(record["part_id"], {})[record["id"]] = record
            case "orders":
                self._orders_by_part_status.setdefault((record["part_id"], record["status"]), {})[record["id"]] = record
            case "loaners":
                self._loaners_by_job.setdefault(record["job_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "jobs":
                del self._jobs_by_device[record["device_id"]][record["id"]]
                del self._jobs_by_device_status[record["device_id"], record["status"]][record["id"]]
                del self._jobs_by_technician[record["technician_id"]][record["id"]]
            case "lines":
                del self._lines_by_job[record["job_id"]][record["id"]]
                del self._lines_by_job_part[record["job_id"], record["part_id"]][record["id"]]
                del self._lines_by_part[record["part_id"]][record["id"]]
            case "orders":
                del self._orders_by_part_status[record["part_id"], record["status"]][record["id"]]
            case "loaners":
                del self._loaners_by_job[record["job_id"]][record["id"]]
