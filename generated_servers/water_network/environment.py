"""Water network. Compiled from blueprint.yaml; run `envscaler build water_network` after changing it there.

Repairs the mains of a water utility, with the valves that isolate a segment, notices to customers, tanks for
those who cannot be without water, and boil notices afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A segment has one open leak on record at a time, and an open leak one job that is not finished.",
    "The area of a job holds the segment that leaks.",
    "A segment is out for one job at a time.",
    "A crew has one job at a time.",
    "Only certified crews open asbestos cement.",
    "No valve at the edge of a pending job is seized.",
    "While a job is under way every valve at its edge is closed for it, and no valve is closed for any other job.",
    "Water is only off for customers who were told.",
    "Whoever cannot be without water has a tank while it is off.",
    "A tank is at one customer at a time, and it lasts as long as the job does.",
    "A customer gets one notice for a job.",
    "A repaired leak has a time, and no other leak has one.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "report_leak",
    "plan_repair",
    "rearrange_job",
    "cancel_job",
    "send_notices",
    "place_tank",
    "shut_water",
    "restore_water",
    "lift_boil_notice",
    "mark_valve",
    "register_need",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "segments": ("name",),
    "valves": ("code",),
    "customers": ("name",),
    "crews": ("foreman",),
    "tanks": ("code",),
    "leaks": (),
    "jobs": (),
    "notices": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("customers", "segment_id"),
    ("jobs", "area_ids"),
    ("jobs", "crew_id"),
    ("jobs", "leak_id"),
    ("jobs", "status"),
    ("leaks", "segment_id"),
    ("leaks", "status"),
    ("notices", "customer_id"),
    ("notices", "job_id"),
    ("notices", "tank_id"),
    ("valves", "closed_for_id"),
    ("valves", "one_end_id"),
    ("valves", "other_end_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Segment(TypedDict):
    id: str
    name: str
    zone: Literal["upper", "lower", "east"]
    material: Literal["iron", "plastic", "asbestos_cement"]
    boil_notice: bool
    boil_since: str | None


class Valve(TypedDict):
    id: str
    code: str
    one_end_id: str
    other_end_id: str
    seized: bool
    closed_for_id: str | None


class Customer(TypedDict):
    id: str
    name: str
    segment_id: str
    litres_per_hour: int | None


class Crew(TypedDict):
    id: str
    name: str
    certified: bool
    foreman: str


class Tank(TypedDict):
    id: str
    code: str
    litres: int


class Leak(TypedDict):
    id: str
    segment_id: str
    litres_per_hour: int
    burst: bool
    reported_at: str
    repaired_at: str | None
    status: Literal["open", "repaired"]


class Job(TypedDict):
    id: str
    leak_id: str
    crew_id: str
    area_ids: list[str]
    starts: str
    lasts: int
    status: Literal["planned", "under_way", "cancelled", "done"]


class Notice(TypedDict):
    id: str
    job_id: str
    customer_id: str
    sent_at: str
    tank_id: str | None


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class WaterNetwork:
    """Repairs the mains of a water utility, with the valves that isolate a segment, notices to customers,
    tanks for those who cannot be without water, and boil notices afterwards.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.segments: dict[str, Segment] = _copied(config.get("segments", {}))
        self.valves: dict[str, Valve] = _copied(config.get("valves", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.crews: dict[str, Crew] = _copied(config.get("crews", {}))
        self.tanks: dict[str, Tank] = _copied(config.get("tanks", {}))
        self.leaks: dict[str, Leak] = _copied(config.get("leaks", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.notices: dict[str, Notice] = _copied(config.get("notices", {}))
        self.now: str = config.get("now", "2026-04-22T08:15")
        self.counters: dict[str, int] = {
            "segment": len(self.segments),
            "valve": len(self.valves),
            "customer": len(self.customers),
            "crew": len(self.crews),
            "tank": len(self.tanks),
            "leak": len(self.leaks),
            "job": len(self.jobs),
            "notice": len(self.notices),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._valves_by_closed_for: dict[Any, dict[str, Valve]] = {}
        self._valves_by_one_end: dict[Any, dict[str, Valve]] = {}
        self._valves_by_other_end: dict[Any, dict[str, Valve]] = {}
        self._customers_by_segment: dict[Any, dict[str, Customer]] = {}
        self._leaks_by_segment_status: dict[Any, dict[str, Leak]] = {}
        self._jobs_by_area: dict[Any, dict[str, Job]] = {}
        self._jobs_by_crew: dict[Any, dict[str, Job]] = {}
        self._jobs_by_leak: dict[Any, dict[str, Job]] = {}
        self._jobs_by_status: dict[Any, dict[str, Job]] = {}
        self._notices_by_customer: dict[Any, dict[str, Notice]] = {}
        self._notices_by_job: dict[Any, dict[str, Notice]] = {}
        self._notices_by_job_customer: dict[Any, dict[str, Notice]] = {}
        self._notices_by_job_tank: dict[Any, dict[str, Notice]] = {}
        self._notices_by_tank: dict[Any, dict[str, Notice]] = {}
        for valve in self.valves.values():
            self._link("valves", valve)
        for customer in self.customers.values():
            self._link("customers", customer)
        for leak in self.leaks.values():
            self._link("leaks", leak)
        for job in self.jobs.values():
            self._link("jobs", job)
        for notice in self.notices.values():
            self._link("notices", notice)

    def valves_around(
        self,
        segment_ids: Annotated[list[str], {"maxItems": 20}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The valves at the edge of some segments, with those that are seized first.

        Args:
            segment_ids (list): Segments that would be shut together, at least one: ids of segments, such as
                SEGMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "valves": records}} or {"success": False, "error": why
                not}
        """
        segments = []
        for key in segment_ids:
            if key not in self.segments:
                return _refused(f"There is no segment {key!r}.")
            segments.append(self.segments[key])
        if not (len(segments) > 0 and _different([s["id"] for s in segments])):
            return _refused("Name at least one segment, and each once.")
        found = [v for v in self.valves.values() if self._at_edge(v, segments)]
        found.sort(key=lambda v: (-v["seized"], v["code"], _age(v)))
        return _found(
            {
                "total": len(found),
                "valves": [
                    {
                        "id": v["id"],
                        "code": v["code"],
                        "beyond": self.segments[
                            v["other_end_id"]
                        ]["name"] if self.segments[
                            v["one_end_id"]
                        ] in segments else self.segments[v["one_end_id"]]["name"],
                        "seized": v["seized"],
                        "closed": v["closed_for_id"] is not None,
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def fitting_tanks(
        self,
        job_id: str,
        customer_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tanks that would last a customer through a job and are free then, the smallest first.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tanks": records}} or {"success": False, "error": why
                not}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [t for t in self.tanks.values() if self._suits(t, job, customer)]
        found.sort(key=lambda t: (t["litres"], t["code"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tanks": [{"id": t["id"], "code": t["code"], "litres": t["litres"]} for t in _page(found, offset)],
            }
        )

    def jobs_ahead(
        self,
        crew_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Planned jobs with what is still missing before the water can be shut.

        Args:
            crew_id (str, optional): Crew whose jobs are listed; an id such as CREW-00001. If left out, the jobs of
                all crews are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        crew = self.crews.get(crew_id) if crew_id is not None else None
        if crew_id is not None and crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            j
            for j in self._jobs_by_status.get("planned", {}).values()
            if (crew_id is None or j["crew_id"] == crew_id)
        ]
        found.sort(key=lambda j: (j["starts"], j["id"], _age(j)))
        shown = [
            {
                "id": j["id"],
                "segment": self.segments[self.leaks[j["leak_id"]]["segment_id"]]["name"],
                "crew": self.crews[j["crew_id"]]["name"],
                "starts": j["starts"],
                "due": j["starts"] <= self.now,
                "not_told": len(self._untold(j)),
                "without_tank": _id_of(self._dry(j)),
            }
            for j in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "jobs": shown},
            _names((self.customers, "name", [row["without_tank"] for row in shown])),
        )

    def list_segments(
        self,
        name: Text | None = None,
        zone: Literal["upper", "lower", "east"] | None = None,
        material: Literal["iron", "plastic", "asbestos_cement"] | None = None,
        boil_notice: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the segments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only segments whose name contains this text.
            zone (str, optional): Only segments with this zone.
            material (str, optional): Only segments with this material.
            boil_notice (bool, optional): Only segments with this value of `boil_notice`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "segments": records}}
        """
        found = [
            segment
            for segment in self.segments.values()
            if (name is None or name.casefold() in segment["name"].casefold())
            and (zone is None or segment["zone"] == zone)
            and (material is None or segment["material"] == material)
            and (boil_notice is None or segment["boil_notice"] == boil_notice)
        ]
        return _found(
            {"total": len(found), "segments": [self._show_segment(segment) for segment in _page(found, offset)]}
        )

    def list_valves(
        self,
        code: Text | None = None,
        one_end_id: str | None = None,
        other_end_id: str | None = None,
        seized: bool | None = None,
        closed_for_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the valves, oldest first, all of them or only some.

        Args:
            code (str, optional): Only valves whose code contains this text.
            one_end_id (str, optional): Only valves whose one end is this segment.
            other_end_id (str, optional): Only valves whose other end is this segment.
            seized (bool, optional): Only valves that are seized (true) or not (false).
            closed_for_id (str, optional): Only valves closed for this job.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "valves": records}}
        """
        if one_end_id is not None and one_end_id not in self.segments:
            return _refused(f"There is no segment {one_end_id!r}.")
        if other_end_id is not None and other_end_id not in self.segments:
            return _refused(f"There is no segment {other_end_id!r}.")
        if closed_for_id is not None and closed_for_id not in self.jobs:
            return _refused(f"There is no job {closed_for_id!r}.")
        found = [
            valve
            for valve in self.valves.values()
            if (code is None or code.casefold() in valve["code"].casefold())
            and (one_end_id is None or valve["one_end_id"] == one_end_id)
            and (other_end_id is None or valve["other_end_id"] == other_end_id)
            and (seized is None or valve["seized"] == seized)
            and (closed_for_id is None or valve["closed_for_id"] == closed_for_id)
        ]
        shown = [{**valve} for valve in _page(found, offset)]
        return _found({"total": len(found), "valves": shown}, self._names_of_valves(shown))

    def list_customers(
        self,
        name: Text | None = None,
        segment_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            segment_id (str, optional): Only customers of this segment.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        if segment_id is not None and segment_id not in self.segments:
            return _refused(f"There is no segment {segment_id!r}.")
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (segment_id is None or customer["segment_id"] == segment_id)
        ]
        shown = [{**customer} for customer in _page(found, offset)]
        return _found({"total": len(found), "customers": shown}, self._names_of_customers(shown))

    def list_crews(
        self,
        foreman: Text | None = None,
        certified: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crews, oldest first, all of them or only some.

        Args:
            foreman (str, optional): Only crews whose foreman contains this text.
            certified (bool, optional): Only crews that are certified (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}}
        """
        found = [
            crew
            for crew in self.crews.values()
            if (foreman is None or foreman.casefold() in crew["foreman"].casefold())
            and (certified is None or crew["certified"] == certified)
        ]
        return _found({"total": len(found), "crews": [{**crew} for crew in _page(found, offset)]})

    def list_tanks(
        self,
        code: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tanks, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tanks whose code contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tanks": records}}
        """
        found = [tank for tank in self.tanks.values() if (code is None or code.casefold() in tank["code"].casefold())]
        return _found({"total": len(found), "tanks": [{**tank} for tank in _page(found, offset)]})

    def list_leaks(
        self,
        segment_id: str | None = None,
        burst: bool | None = None,
        status: Literal["open", "repaired"] | None = None,
        reported_at_from: Date | None = None,
        reported_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leaks, oldest first, all of them or only some.

        Args:
            segment_id (str, optional): Only leaks of this segment.
            burst (bool, optional): Only leaks with this value of `burst`.
            status (str, optional): Only leaks with this status.
            reported_at_from (str, optional): Only leaks whose `reported_at` is on this day or later.
            reported_at_to (str, optional): Only leaks whose `reported_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leaks": records}}
        """
        if segment_id is not None and segment_id not in self.segments:
            return _refused(f"There is no segment {segment_id!r}.")
        found = [
            leak
            for leak in self.leaks.values()
            if (segment_id is None or leak["segment_id"] == segment_id)
            and (burst is None or leak["burst"] == burst)
            and (status is None or leak["status"] == status)
            and (reported_at_from is None or leak["reported_at"][:10] >= reported_at_from)
            and (reported_at_to is None or leak["reported_at"][:10] <= reported_at_to)
        ]
        shown = [{**leak} for leak in _page(found, offset)]
        return _found({"total": len(found), "leaks": shown}, self._names_of_leaks(shown))

    def list_jobs(
        self,
        leak_id: str | None = None,
        crew_id: str | None = None,
        status: Literal["planned", "under_way", "cancelled", "done"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            leak_id (str, optional): Only jobs of this leak.
            crew_id (str, optional): Only jobs of this crew.
            status (str, optional): Only jobs with this status.
            starts_from (str, optional): Only jobs whose `starts` is on this day or later.
            starts_to (str, optional): Only jobs whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if leak_id is not None and leak_id not in self.leaks:
            return _refused(f"There is no leak {leak_id!r}.")
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (leak_id is None or job["leak_id"] == leak_id)
            and (crew_id is None or job["crew_id"] == crew_id)
            and (status is None or job["status"] == status)
            and (starts_from is None or job["starts"][:10] >= starts_from)
            and (starts_to is None or job["starts"][:10] <= starts_to)
        ]
        shown = [self._show_job(job) for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def list_notices(
        self,
        job_id: str | None = None,
        customer_id: str | None = None,
        tank_id: str | None = None,
        sent_at_from: Date | None = None,
        sent_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the notices, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only notices of this job.
            customer_id (str, optional): Only notices of this customer.
            tank_id (str, optional): Only notices of this tank.
            sent_at_from (str, optional): Only notices whose `sent_at` is on this day or later.
            sent_at_to (str, optional): Only notices whose `sent_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "notices": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if tank_id is not None and tank_id not in self.tanks:
            return _refused(f"There is no tank {tank_id!r}.")
        found = [
            notice
            for notice in self.notices.values()
            if (job_id is None or notice["job_id"] == job_id)
            and (customer_id is None or notice["customer_id"] == customer_id)
            and (tank_id is None or notice["tank_id"] == tank_id)
            and (sent_at_from is None or notice["sent_at"][:10] >= sent_at_from)
            and (sent_at_to is None or notice["sent_at"][:10] <= sent_at_to)
        ]
        shown = [{**notice} for notice in _page(found, offset)]
        return _found({"total": len(found), "notices": shown}, self._names_of_notices(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def report_leak(
        self,
        segment_id: str,
        litres_per_hour: Annotated[int, {"minimum": 20, "maximum": 30000}],
        burst: bool = False,
    ) -> Result:
        """Report a leak or a burst on a segment with what is lost an hour.

        Args:
            segment_id (str): Id of the segment, such as SEGMENT-00001.
            litres_per_hour (int): Water lost in litres an hour, from 20 to 30000.
            burst (bool): Whether the main has burst, which makes the repair urgent. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        segment = self.segments.get(segment_id)
        if segment is None:
            return _refused(f"There is no segment {segment_id!r}.")
        known = next(
            (l for l in sorted(self._leaks_by_segment_status.get((segment_id, "open"), {}).values(), key=_age)),
            None,
        )
        if known is not None:
            return _refused(
                f"A leak of {known['litres_per_hour']} litres an hour is on record for {segment['name']} already."
            )
        self._journal = []
        leak: Leak = {
            "id": self._new_id("leak", "LEAK", self.leaks),
            "segment_id": segment_id,
            "litres_per_hour": litres_per_hour,
            "burst": burst,
            "reported_at": self.now,
            "repaired_at": None,
            "status": "open",
        }
        self._add("leaks", leak)
        if self._breaks_rule_1_l(leak):
            return self._take_back(RULES[0])
        if self._breaks_rule_12(leak):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: report a leak of {litres_per_hour} litres an hour on {segment['name']} (new: leak "
                f"{leak['id']})."
            ),
            "data": {"leak_id": leak["id"], **self._changes()},
        }

    def plan_repair(
        self,
        leak_id: str,
        crew_id: str,
        starts: DateTime,
        lasts: Annotated[int, {"minimum": 1, "maximum": 12}],
        further_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Plan the repair of a leak; where a valve of the segment is seized, the segment beyond it must be shut as
        well.

        Args:
            leak_id (str): Id of the leak, such as LEAK-00001.
            crew_id (str): Id of the crew, such as CREW-00001.
            starts (str): When the job begins, from now on and within three weeks, as YYYY-MM-DDTHH:MM.
            lasts (int): Length of the job in hours, from 1 to 12.
            further_ids (list): Segments shut too because the valve towards them is seized: ids of segments, such
                as SEGMENT-00001. If left out, only the leaking segment is shut.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leak = self.leaks.get(leak_id)
        if leak is None:
            return _refused(f"There is no leak {leak_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        further = []
        for key in further_ids or []:
            if key not in self.segments:
                return _refused(f"There is no segment {key!r}.")
            further.append(self.segments[key])
        if leak["status"] != "open":
            return _refused(f"The leak on {self.segments[leak['segment_id']]['name']} is {leak['status']}.")
        job = next(
            (j for j in sorted(self._jobs_by_leak.get(leak_id, {}).values(), key=_age) if self._pending(j)),
            None,
        )
        if job is not None:
            return _refused(
                f"The leak on {self.segments[leak['segment_id']]['name']} has a job from {job['starts']} already."
            )
        if self.now > starts or starts > _plus_minutes(self.now, 21 * 1440):
            return _refused("Jobs begin between now and three weeks from now.")
        area = [self.segments[leak["segment_id"]]] + further
        if not (_different([s["id"] for s in further]) and self.segments[leak["segment_id"]] not in further):
            return _refused("Name every further segment once, and not the leaking one.")
        idle = next((s for s in further if not self._stuck_to(s, area)), None)
        if idle is not None:
            return _refused(f"There is no seized valve that would make it necessary to shut {idle['name']}.")
        stuck = next((v for v in self.valves.values() if v["seized"] and self._at_edge(v, area)), None)
        if stuck is not None:
            return _refused(
                f"Valve {stuck['code']} between {self.segments[stuck['one_end_id']]['name']} and "
                f"{self.segments[stuck['other_end_id']]['name']} is seized, so free it or shut both."
            )
        if self.segments[leak["segment_id"]]["material"] == "asbestos_cement" and not crew["certified"]:
            return _refused(
                f"{self.segments[leak['segment_id']]['name']} is asbestos cement and {crew['name']} is not "
                "certified for it."
            )
        busy = self._crew_job(crew, starts, _plus_minutes(starts, lasts * 60))
        if busy is not None:
            return _refused(
                f"{crew['name']} works on {self.segments[self.leaks[busy['leak_id']]['segment_id']]['name']} from "
                f"{busy['starts']} to {self._job_ends(busy)}."
            )
        clash = self._other_job(area, starts, _plus_minutes(starts, lasts * 60))
        if clash is not None:
            return _refused(
                f"The job on {self.segments[self.leaks[clash['leak_id']]['segment_id']]['name']} from "
                f"{clash['starts']} shuts the same water."
            )
        self._journal = []
        new_job: Job = {
            "id": self._new_id("job", "JOB", self.jobs),
            "leak_id": leak_id,
            "crew_id": crew_id,
            "area_ids": [record["id"] for record in area],
            "starts": starts,
            "lasts": lasts,
            "status": "planned",
        }
        self._add("jobs", new_job)
        if self._breaks_rule_1_j(new_job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(new_job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(new_job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(new_job):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(new_job):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(new_job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_j(new_job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_j(new_job):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(new_job):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(new_job):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: plan {crew['foreman']} for {self.segments[leak['segment_id']]['name']} at {starts} (new: "
                f"job {new_job['id']})."
            ),
            "data": {"job_id": new_job["id"], **self._changes()},
        }

    def rearrange_job(self, job_id: str, starts: DateTime | None = None, crew_id: str | None = None) -> Result:
        """Give a planned job another start, another crew or both; a new start makes its notices and tanks void.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            starts (str, optional): When the job begins instead, within three weeks, which makes notices and tanks
                void, as YYYY-MM-DDTHH:MM. If left out, the start stays as it is.
            crew_id (str, optional): Crew that does the job instead; an id such as CREW-00001. If left out, the
                crew stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        crew = self.crews.get(crew_id) if crew_id is not None else None
        if crew_id is not None and crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if job["status"] != "planned":
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is {job['status']}."
            )
        if starts is None and crew_id is None:
            return _refused("Name a new start or a new crew.")
        at = starts if starts is not None else job["starts"]
        who = crew or self.crews[job["crew_id"]]
        if not (starts is None or self.now <= at and at <= _plus_minutes(self.now, 21 * 1440)):
            return _refused("Jobs begin between now and three weeks from now.")
        if (
            self.segments[self.leaks[job["leak_id"]]["segment_id"]]["material"] == "asbestos_cement"
            and not who["certified"]
        ):
            return _refused(
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is asbestos cement and "
                f"{who['name']} is not certified for it."
            )
        busy = next(
            (
                j
                for j in sorted(self._jobs_by_crew.get(who["id"], {}).values(), key=_age)
                if j is not job
                and self._pending(j)
                and _overlap(j["starts"], self._job_ends(j), at, _plus_minutes(at, job["lasts"] * 60))
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"{who['name']} works on {self.segments[self.leaks[busy['leak_id']]['segment_id']]['name']} from "
                f"{busy['starts']} to {self._job_ends(busy)}."
            )
        clash = next(
            (
                j
                for j in sorted(
                    _distinct([j for key in job["area_ids"] for j in self._jobs_by_area.get(key, {}).values()]),
                    key=_age,
                )
                if j is not job
                and self._pending(j)
                and any(s["id"] in job["area_ids"] for s in [self.segments[key] for key in j["area_ids"]])
                and _overlap(j["starts"], self._job_ends(j), at, _plus_minutes(at, job["lasts"] * 60))
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"The job on {self.segments[self.leaks[clash['leak_id']]['segment_id']]['name']} from "
                f"{clash['starts']} shuts the same water."
            )
        self._journal = []
        deleted_notices: list[Any] = []
        changed_jobs: list[Any] = []
        self._put("jobs", job, "crew_id", who["id"])
        if at != job["starts"]:
            for n in sorted(self._notices_by_job.get(job_id, {}).values(), key=_age):
                if n["id"] in self.notices:
                    self._remove("notices", n)
                deleted_notices.append(n)
            changed_jobs.append(job)
            self._put("jobs", job, "starts", at)
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_3_a(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_3_b(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        for one_job in _distinct([self.jobs[one["job_id"]] for one in deleted_notices]):
            if self._breaks_rule_8(one_job):
                return self._take_back(RULES[7])
        for one_job in _distinct([self.jobs[one["job_id"]] for one in deleted_notices]):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                *[
                    user
                    for one in [self.tanks.get(one["tank_id"]) for one in deleted_notices]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        self.tanks.get(one["tank_id"])
                        for one in [
                            user
                            for one in changed_jobs
                            for user in self._notices_by_job.get(one["id"], {}).values()
                        ]
                    ]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
                *[user for one in changed_jobs for user in self._notices_by_job.get(one["id"], {}).values()],
            ]
        ):
            if one_notice["id"] in self.notices and self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        done = f"rearrange the job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']}"
        if starts is not None:
            done += f" to {starts}"
        if crew is not None:
            done += f" with {crew['foreman']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_job(self, job_id: str) -> Result:
        """Cancel a planned job; its tanks become free.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "planned":
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is {job['status']}."
            )
        self._journal = []
        changed_notices: list[Any] = []
        former_tank_ids: list[Any] = []
        for n in sorted(self._notices_by_job.get(job_id, {}).values(), key=_age):
            changed_notices.append(n)
            former_tank_ids.append(n["tank_id"])
            self._put("notices", n, "tank_id", None)
        self._put("jobs", job, "status", "cancelled")
        if self._breaks_rule_1_j(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_a(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_j(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_j(job):
            return self._take_back(RULES[6])
        for one_valve in _distinct(self._valves_by_closed_for.get(job["id"], {}).values()):
            if self._breaks_rule_7_v_again(one_valve):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        for one_job in _distinct([job, *[self.jobs[one["job_id"]] for one in changed_notices]]):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                *changed_notices,
                *[
                    user
                    for one in [self.tanks.get(one["tank_id"]) for one in changed_notices]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tanks.get(key) for key in former_tank_ids]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
                *self._notices_by_job.get(job["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.tanks.get(one["tank_id"])
                        for one in self._notices_by_job.get(job["id"], {}).values()
                    ]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        for one_notice in _distinct(changed_notices):
            if self._breaks_rule_10_n_again(one_notice):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: cancel the job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} at "
                f"{job['starts']}."
            ),
            "data": self._changes(),
        }

    def send_notices(self, job_id: str) -> Result:
        """Send a notice to every customer of a planned job who has none yet.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "planned":
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is {job['status']}."
            )
        if len(self._untold(job)) <= 0:
            return _refused(
                "Everybody concerned by the job on "
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} has been told."
            )
        if _plus_minutes(self.now, self._lead(job)) > job["starts"] and not self.leaks[job["leak_id"]]["burst"]:
            return _refused(
                "Notices go out a day ahead, and the job on "
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} begins at {job['starts']}, so "
                "move it first."
            )
        self._journal = []
        added_notices: list[Any] = []
        for c in sorted(self._untold(job), key=lambda c: (c["name"], _age(c))):
            notice = {
                "id": self._new_id("notice", "NOTICE", self.notices),
                "job_id": job_id,
                "customer_id": c["id"],
                "sent_at": self.now,
                "tank_id": None,
            }
            self._add("notices", notice)
            added_notices.append(notice)
        for one_job in _distinct([self.jobs[one["job_id"]] for one in added_notices]):
            if self._breaks_rule_8(one_job):
                return self._take_back(RULES[7])
        for one_job in _distinct([self.jobs[one["job_id"]] for one in added_notices]):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                *added_notices,
                *[
                    user
                    for one in [self.tanks.get(one["tank_id"]) for one in added_notices]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        for one_notice in _distinct(added_notices):
            if self._breaks_rule_10_n_again(one_notice):
                return self._take_back(RULES[9])
        for one_notice in _distinct(added_notices):
            if self._breaks_rule_11(one_notice):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                "Done: tell the customers of the job on "
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def place_tank(self, job_id: str, customer_id: str, tank_id: str) -> Result:
        """Promise a tank to a customer who cannot be without water and has been told of the job.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            tank_id (str): Id of the tank, such as TANK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        tank = self.tanks.get(tank_id)
        if tank is None:
            return _refused(f"There is no tank {tank_id!r}.")
        if job["status"] != "planned":
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is {job['status']}."
            )
        notice = next(
            (n for n in sorted(self._notices_by_job_customer.get((job_id, customer_id), {}).values(), key=_age)),
            None,
        )
        if notice is None:
            return _refused(f"{customer['name']} has not been told of this job yet.")
        if customer["litres_per_hour"] is None:
            return _refused(f"{customer['name']} can do without water for a while.")
        if tank["litres"] < customer["litres_per_hour"] * job["lasts"]:
            return _refused(
                f"{customer['name']} needs {customer['litres_per_hour'] * job['lasts']} litres and tank "
                f"{tank['code']} holds {tank['litres']}."
            )
        busy = self._busy_tank(tank, job)
        if busy is not None:
            return _refused(
                f"Tank {tank['code']} is at {self.customers[busy['customer_id']]['name']} during that time."
            )
        if any(
            n["customer_id"] != customer_id
            for n in self._notices_by_job_tank.get((job_id, tank_id), {}).values()
        ):
            return _refused(f"Tank {tank['code']} is promised to another customer of this job.")
        self._journal = []
        former_tank_id = notice["tank_id"]
        self._put("notices", notice, "tank_id", tank_id)
        if self._breaks_rule_9(self.jobs[notice["job_id"]]):
            return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                notice,
                *[
                    user
                    for one in [self.tanks.get(notice["tank_id"])]
                    if one is not None
                    for user in self._notices_by_tank.get(notice["tank_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tanks.get(former_tank_id)]
                    if one is not None
                    for user in self._notices_by_tank.get(former_tank_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_n_again(notice):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: place tank {tank['code']} at {customer['name']} for the job on "
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def shut_water(self, job_id: str) -> Result:
        """Close every valve at the edge of a job that is due, once all customers were told and tanks are in place.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "planned":
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is {job['status']}."
            )
        if job["starts"] > self.now:
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} begins at "
                f"{job['starts']}."
            )
        if self.now >= _plus_minutes(job["starts"], 24 * 60):
            return _refused(
                f"Customers were told of {job['starts']}, which is more than a day ago; give the job another "
                "start first."
            )
        missed = next((each for each in self._untold(job)), None)
        if missed is not None:
            return _refused(f"{missed['name']} has not been told yet.")
        thirsty = self._dry(job)
        if thirsty is not None:
            return _refused(f"{thirsty['name']} cannot be without water and has no tank yet.")
        shut = next(
            (
                v
                for v in self.valves.values()
                if self._at_edge(v, [self.segments[key] for key in job["area_ids"]])
                and v["closed_for_id"] is not None
            ),
            None,
        )
        if shut is not None:
            return _refused(f"Valve {shut['code']} is closed for another job, which has to be finished first.")
        self._journal = []
        changed_valves: list[Any] = []
        for v in [
            v
            for v in self.valves.values()
            if self._at_edge(v, [self.segments[key] for key in job["area_ids"]])
        ]:
            changed_valves.append(v)
            self._put("valves", v, "closed_for_id", job_id)
        self._put("jobs", job, "status", "under_way")
        if self._breaks_rule_1_j(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_a(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_j(job):
            return self._take_back(RULES[5])
        for one_valve in _distinct(changed_valves):
            if self._breaks_rule_7_v(one_valve):
                return self._take_back(RULES[6])
        if self._breaks_rule_7_j(job):
            return self._take_back(RULES[6])
        for one_valve in _distinct([*changed_valves, *self._valves_by_closed_for.get(job["id"], {}).values()]):
            if self._breaks_rule_7_v_again(one_valve):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                *self._notices_by_job.get(job["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.tanks.get(one["tank_id"])
                        for one in self._notices_by_job.get(job["id"], {}).values()
                    ]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                "Done: shut the water for the job on "
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def restore_water(self, job_id: str, repaired: bool) -> Result:
        """Open the valves of a job again; the segments get a boil notice until samples are clear.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            repaired (bool): Whether the leak was repaired rather than stays open.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "under_way":
            return _refused(
                f"The job on {self.segments[self.leaks[job['leak_id']]['segment_id']]['name']} is {job['status']}."
            )
        self._journal = []
        changed_valves: list[Any] = []
        changed_leaks: list[Any] = []
        changed_leaks_2: list[Any] = []
        for v in sorted(self._valves_by_closed_for.get(job_id, {}).values(), key=_age):
            changed_valves.append(v)
            self._put("valves", v, "closed_for_id", None)
        for s in [self.segments[key] for key in job["area_ids"]]:
            self._put("segments", s, "boil_notice", True)
            self._put("segments", s, "boil_since", self.now)
        self._put("jobs", job, "status", "done")
        if repaired:
            leak = self.leaks[job["leak_id"]]
            changed_leaks.append(leak)
            self._put("leaks", leak, "repaired_at", self.now)
            its_leak = self.leaks[job["leak_id"]]
            changed_leaks_2.append(its_leak)
            self._put("leaks", its_leak, "status", "repaired")
        for one_leak in _distinct(changed_leaks_2):
            if self._breaks_rule_1_l(one_leak):
                return self._take_back(RULES[0])
        if self._breaks_rule_1_j(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_a(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(job):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_j(job):
            return self._take_back(RULES[5])
        for one_valve in _distinct(changed_valves):
            if self._breaks_rule_7_v(one_valve):
                return self._take_back(RULES[6])
        if self._breaks_rule_7_j(job):
            return self._take_back(RULES[6])
        for one_valve in _distinct([*changed_valves, *self._valves_by_closed_for.get(job["id"], {}).values()]):
            if self._breaks_rule_7_v_again(one_valve):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(job):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                *self._notices_by_job.get(job["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.tanks.get(one["tank_id"])
                        for one in self._notices_by_job.get(job["id"], {}).values()
                    ]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        for one_leak in _distinct([*changed_leaks, *changed_leaks_2]):
            if self._breaks_rule_12(one_leak):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                "Done: restore the water after the job on "
                f"{self.segments[self.leaks[job['leak_id']]['segment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def lift_boil_notice(self, segment_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Lift the boil notice of segments whose samples are clear, 18 hours after the water came back at the
        earliest.

        Args:
            segment_ids (list): Segments with clear samples, at least one: ids of segments, such as SEGMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        segments = []
        for key in segment_ids:
            if key not in self.segments:
                return _refused(f"There is no segment {key!r}.")
            segments.append(self.segments[key])
        if not (len(segments) > 0 and _different([s["id"] for s in segments])):
            return _refused("Name at least one segment, and each once.")
        fine = next((s for s in segments if not s["boil_notice"]), None)
        if fine is not None:
            return _refused(f"{fine['name']} has no boil notice.")
        dead = next((s for s in segments if self._segment_off(s)), None)
        if dead is not None:
            return _refused(f"The water of {dead['name']} is off, so no sample can be clear.")
        early = next(
            (
                s
                for s in segments
                if s["boil_since"] is not None
                and _plus_minutes(s["boil_since"], 18 * 60) > self.now
            ),
            None,
        )
        if early is not None and early["boil_since"] is not None:
            return _refused(
                f"A sample from {early['name']} takes 18 hours, and the water came back at {early['boil_since']}."
            )
        self._journal = []
        for s in list(segments):
            self._put("segments", s, "boil_notice", False)
            self._put("segments", s, "boil_since", None)
        return {
            "success": True,
            "message": f"Done: lift the boil notice of {', '.join(str(one['name']) for one in segments)}.",
            "data": self._changes(),
        }

    def mark_valve(self, valve_id: str, seized: bool) -> Result:
        """Mark a valve as seized after an inspection, or as free again.

        Args:
            valve_id (str): Id of the valve, such as VALVE-00001.
            seized (bool): Whether the valve cannot be turned any more rather than is free again.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        valve = self.valves.get(valve_id)
        if valve is None:
            return _refused(f"There is no valve {valve_id!r}.")
        if valve["seized"] == seized:
            return _refused(f"Valve {valve['code']} is down like that already.")
        if valve["closed_for_id"] is not None:
            return _refused(f"Valve {valve['code']} is closed for a job.")
        hit = next(
            (
                j
                for j in self.jobs.values()
                if self._pending(j)
                and self._at_edge(valve, [self.segments[key] for key in j["area_ids"]])
            ),
            None,
        )
        if hit is not None and seized:
            return _refused(
                f"The job on {self.segments[self.leaks[hit['leak_id']]['segment_id']]['name']} counts on valve "
                f"{valve['code']}, so cancel it first."
            )
        self._journal = []
        self._put("valves", valve, "seized", seized)
        if self._breaks_rule_6_v(valve):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: mark valve {valve['code']}.", "data": self._changes()}

    def register_need(
        self,
        customer_id: str,
        litres_per_hour: Annotated[int, {"minimum": 5, "maximum": 2000}] | None = None,
    ) -> Result:
        """Register that a customer cannot be without water and how much it takes an hour, or that this has ended.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            litres_per_hour (int, optional): Water that the customer cannot be without in litres an hour, from 5 to
                2000. If left out, the need is removed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if litres_per_hour == customer["litres_per_hour"]:
            return _refused(f"That is on record for {customer['name']} already.")
        off = next(
            (
                j
                for j in sorted(self._jobs_by_area.get(customer["segment_id"], {}).values(), key=_age)
                if j["status"] == "under_way"
            ),
            None,
        )
        if off is not None:
            return _refused(f"The water of {customer['name']} is off at the moment, so call the control room.")
        self._journal = []
        changed_notices: list[Any] = []
        former_tank_ids: list[Any] = []
        self._put("customers", customer, "litres_per_hour", litres_per_hour)
        for n in [
            n
            for n in sorted(self._notices_by_customer.get(customer_id, {}).values(), key=_age)
            if self._pending(self.jobs[n["job_id"]])
        ]:
            changed_notices.append(n)
            former_tank_ids.append(n["tank_id"])
            self._put("notices", n, "tank_id", None)
        for one_job in _distinct(
            [
                *self._jobs_by_area.get(customer["segment_id"], {}).values(),
                *[self.jobs[one["job_id"]] for one in changed_notices],
            ]
        ):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        for one_notice in _distinct(
            [
                *self._notices_by_customer.get(customer["id"], {}).values(),
                *changed_notices,
                *[
                    user
                    for one in [self.tanks.get(one["tank_id"]) for one in changed_notices]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tanks.get(key) for key in former_tank_ids]
                    if one is not None
                    for user in self._notices_by_tank.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_n(one_notice):
                return self._take_back(RULES[9])
        for one_notice in _distinct(changed_notices):
            if self._breaks_rule_10_n_again(one_notice):
                return self._take_back(RULES[9])
        done = f"register the need of {customer['name']}"
        if litres_per_hour is not None:
            done += f", {litres_per_hour} litres an hour"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_segment(self, segment: Segment) -> dict[str, Any]:
        """The segment as an answer shows it."""
        return {**segment, "off": self._segment_off(segment)}

    def _show_job(self, job: Job) -> dict[str, Any]:
        """The job as an answer shows it."""
        return {**job, "area_ids": [*job["area_ids"]], "ends": self._job_ends(job)}

    def _names_of_valves(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that valves point to."""
        return _names(
            (self.segments, "name", [row["one_end_id"] for row in shown]),
            (self.segments, "name", [row["other_end_id"] for row in shown]),
        )

    def _names_of_customers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that customers point to."""
        return _names((self.segments, "name", [row["segment_id"] for row in shown]))

    def _names_of_leaks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leaks point to."""
        return _names((self.segments, "name", [row["segment_id"] for row in shown]))

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.crews, "foreman", [row["crew_id"] for row in shown]),
            (self.segments, "name", [each for row in shown for each in row["area_ids"]]),
        )

    def _names_of_notices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that notices point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.tanks, "code", [row["tank_id"] for row in shown]),
        )

    def _segment_off(self, segment: Segment) -> bool:
        """The off of a segment."""
        return any(j["status"] == "under_way" for j in self._jobs_by_area.get(segment["id"], {}).values())

    def _job_ends(self, job: Job) -> str:
        """The ends of a job."""
        return _plus_minutes(job["starts"], job["lasts"] * 60)

    def _pending(self, j: Job) -> bool:
        return j["status"] in ("planned", "under_way")

    def _at_edge(self, v: Valve, area: list[Segment]) -> bool:
        return (self.segments[v["one_end_id"]] in area) != (self.segments[v["other_end_id"]] in area)

    def _people_in(self, area: list[Segment]) -> list[Customer]:
        return sorted(
            _distinct(
                [
                    c
                    for key in [record["id"] for record in area]
                    for c in self._customers_by_segment.get(key, {}).values()
                ]
            ),
            key=_age,
        )

    def _told(self, j: Job, c: Customer) -> bool:
        return bool(self._notices_by_job_customer.get((j["id"], c["id"]), {}))

    def _untold(self, j: Job) -> list[Customer]:
        return [c for c in self._people_in([self.segments[key] for key in j["area_ids"]]) if not self._told(j, c)]

    def _lead(self, j: Job) -> int:
        return 0 if self.leaks[j["leak_id"]]["burst"] else 1440

    def _busy_tank(self, t: Tank, j: Job) -> Notice | None:
        return next(
            (
                n
                for n in sorted(self._notices_by_tank.get(t["id"], {}).values(), key=_age)
                if n["job_id"] != j["id"]
                and self._pending(self.jobs[n["job_id"]])
                and _overlap(
                    self.jobs[n["job_id"]]["starts"],
                    self._job_ends(self.jobs[n["job_id"]]),
                    j["starts"],
                    self._job_ends(j),
                )
            ),
            None,
        )

    def _suits(self, t: Tank, j: Job, c: Customer) -> bool:
        return (
            c["litres_per_hour"] is not None
            and t["litres"] >= c["litres_per_hour"] * j["lasts"]
            and self._busy_tank(t, j) is None
            and not any(
                n["customer_id"] != c["id"]
                for n in self._notices_by_job_tank.get((j["id"], t["id"]), {}).values()
            )
        )

    def _dry(self, j: Job) -> Customer | None:
        return next(
            (
                c
                for c in self._people_in([self.segments[key] for key in j["area_ids"]])
                if c["litres_per_hour"] is not None
                and not any(
                    n["tank_id"] is not None
                    for n in self._notices_by_job_customer.get((j["id"], c["id"]), {}).values()
                )
            ),
            None,
        )

    def _stuck_to(self, s: Segment, area: list[Segment]) -> bool:
        return any(
            v["one_end_id"] == s["id"]
            and self.segments[v["other_end_id"]] in area
            or v["other_end_id"] == s["id"]
            and self.segments[v["one_end_id"]] in area
            for v in _distinct(
                [
                    *self._valves_by_one_end.get(s["id"], {}).values(),
                    *self._valves_by_other_end.get(s["id"], {}).values(),
                ]
            )
            if v["seized"]
        )

    def _other_job(self, area: list[Segment], a: str, b: str) -> Job | None:
        return next(
            (
                j
                for j in sorted(
                    _distinct(
                        [
                            j
                            for key in [record["id"] for record in area]
                            for j in self._jobs_by_area.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if self._pending(j)
                and any(s in area for s in [self.segments[key] for key in j["area_ids"]])
                and _overlap(j["starts"], self._job_ends(j), a, b)
            ),
            None,
        )

    def _crew_job(self, k: Crew, a: str, b: str) -> Job | None:
        return next(
            (
                j
                for j in sorted(self._jobs_by_crew.get(k["id"], {}).values(), key=_age)
                if self._pending(j)
                and _overlap(j["starts"], self._job_ends(j), a, b)
            ),
            None,
        )

    def _breaks_rule_1_l(self, l: Leak) -> bool:
        """Whether this is broken: a segment has one open leak on record at a time, and an open leak one job that is
        not finished.
        """
        return (
            l["status"] == "open"
            and any(
                other_l is not l
                for other_l in self._leaks_by_segment_status.get((l["segment_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_1_j(self, j: Job) -> bool:
        """Whether this is broken: a segment has one open leak on record at a time, and an open leak one job that is
        not finished.
        """
        return (
            self._pending(j)
            and any(
                other_j is not j
                for other_j in self._jobs_by_leak.get(j["leak_id"], {}).values()
                if self._pending(other_j)
            )
        )

    def _breaks_rule_2(self, j: Job) -> bool:
        """Whether this is broken: the area of a job holds the segment that leaks."""
        return self.leaks[j["leak_id"]]["segment_id"] not in j["area_ids"]

    def _breaks_rule_3_a(self, a: Job) -> bool:
        """Whether this is broken: a segment is out for one job at a time."""
        return (
            self._pending(a)
            and any(
                not (
                    not any(s["id"] in b["area_ids"] for s in [self.segments[key] for key in a["area_ids"]])
                    or not _overlap(a["starts"], self._job_ends(a), b["starts"], self._job_ends(b))
                )
                for b in self.jobs.values()
                if a is not b
                and self._pending(b)
            )
        )

    def _breaks_rule_3_b(self, b: Job) -> bool:
        """Whether this is broken: a segment is out for one job at a time."""
        return (
            self._pending(b)
            and any(
                not (
                    not any(s["id"] in b["area_ids"] for s in [self.segments[key] for key in a["area_ids"]])
                    or not _overlap(a["starts"], self._job_ends(a), b["starts"], self._job_ends(b))
                )
                for a in self.jobs.values()
                if a is not b
                and self._pending(a)
            )
        )

    def _breaks_rule_4(self, a: Job) -> bool:
        """Whether this is broken: a crew has one job at a time."""
        return (
            self._pending(a)
            and any(
                _overlap(a["starts"], self._job_ends(a), b["starts"], self._job_ends(b))
                for b in self._jobs_by_crew.get(a["crew_id"], {}).values()
                if a is not b
                and self._pending(b)
            )
        )

    def _breaks_rule_5(self, j: Job) -> bool:
        """Whether this is broken: only certified crews open asbestos cement."""
        return (
            self._pending(j)
            and (
                not self.crews[j["crew_id"]]["certified"]
                and self.segments[self.leaks[j["leak_id"]]["segment_id"]]["material"] == "asbestos_cement"
            )
        )

    def _breaks_rule_6_v(self, v: Valve) -> bool:
        """Whether this is broken: no valve at the edge of a pending job is seized."""
        return any(
            v["seized"]
            and self._at_edge(v, [self.segments[key] for key in j["area_ids"]])
            for j in self.jobs.values()
            if self._pending(j)
        )

    def _breaks_rule_6_j(self, j: Job) -> bool:
        """Whether this is broken: no valve at the edge of a pending job is seized."""
        return (
            self._pending(j)
            and any(
                v["seized"]
                and self._at_edge(v, [self.segments[key] for key in j["area_ids"]])
                for v in self.valves.values()
            )
        )

    def _breaks_rule_7_v(self, v: Valve) -> bool:
        """Whether this is broken: while a job is under way every valve at its edge is closed for it, and no valve is
        closed for any other job.
        """
        return any(
            (v["closed_for_id"] == j["id"]) != self._at_edge(v, [self.segments[key] for key in j["area_ids"]])
            for j in self._jobs_by_status.get("under_way", {}).values()
        )

    def _breaks_rule_7_j(self, j: Job) -> bool:
        """Whether this is broken: while a job is under way every valve at its edge is closed for it, and no valve is
        closed for any other job.
        """
        return (
            j["status"] == "under_way"
            and any(
                (v["closed_for_id"] == j["id"]) != self._at_edge(v, [self.segments[key] for key in j["area_ids"]])
                for v in self.valves.values()
            )
        )

    def _breaks_rule_7_v_again(self, v: Valve) -> bool:
        """Whether this is broken: while a job is under way every valve at its edge is closed for it, and no valve is
        closed for any other job.
        """
        return v["closed_for_id"] is not None and self.jobs[v["closed_for_id"]]["status"] != "under_way"

    def _breaks_rule_8(self, j: Job) -> bool:
        """Whether this is broken: water is only off for customers who were told."""
        return j["status"] == "under_way" and len(self._untold(j)) != 0

    def _breaks_rule_9(self, j: Job) -> bool:
        """Whether this is broken: whoever cannot be without water has a tank while it is off."""
        return j["status"] == "under_way" and self._dry(j) is not None

    def _breaks_rule_10_n(self, n: Notice) -> bool:
        """Whether this is broken: a tank is at one customer at a time, and it lasts as long as the job does."""
        return (
            self._pending(self.jobs[n["job_id"]])
            and not (
                n["tank_id"] is None
                or self.customers[n["customer_id"]]["litres_per_hour"] is not None
                and self.tanks[n["tank_id"]]["litres"] >= self.customers[
                    n["customer_id"]
                ]["litres_per_hour"] * self.jobs[n["job_id"]]["lasts"]
                and self._busy_tank(self.tanks[n["tank_id"]], self.jobs[n["job_id"]]) is None
            )
        )

    def _breaks_rule_10_n_again(self, n: Notice) -> bool:
        """Whether this is broken: a tank is at one customer at a time, and it lasts as long as the job does."""
        return (
            n["tank_id"] is not None
            and any(
                other_n is not n
                for other_n in self._notices_by_job_tank.get((n["job_id"], n["tank_id"]), {}).values()
                if other_n["tank_id"] is not None
            )
        )

    def _breaks_rule_11(self, n: Notice) -> bool:
        """Whether this is broken: a customer gets one notice for a job."""
        return any(
            other_n is not n
            for other_n in self._notices_by_job_customer.get((n["job_id"], n["customer_id"]), {}).values()
        )

    def _breaks_rule_12(self, l: Leak) -> bool:
        """Whether this is broken: a repaired leak has a time, and no other leak has one."""
        return (l["status"] == "repaired") != (l["repaired_at"] is not None)

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
            case "valves":
                self._valves_by_closed_for.setdefault(record["closed_for_id"], {})[record["id"]] = record
                self._valves_by_one_end.setdefault(record["one_end_id"], {})[record["id"]] = record
                self._valves_by_other_end.setdefault(record["other_end_id"], {})[record["id"]] = record
            case "customers":
                self._customers_by_segment.setdefault(record["segment_id"], {})[record["id"]] = record
            case "leaks":
                self._leaks_by_segment_status.setdefault(
                    (record["segment_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "jobs":
                for key in record["area_ids"]:
                    self._jobs_by_area.setdefault(key, {})[record["id"]] = record
                self._jobs_by_crew.setdefault(record["crew_id"], {})[record["id"]] = record
                self._jobs_by_leak.setdefault(record["leak_id"], {})[record["id"]] = record
                self._jobs_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "notices":
                self._notices_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._notices_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._notices_by_job_customer.setdefault(
                    (record["job_id"], record["customer_id"]),
                    {},
                )[record["id"]] = record
                self._notices_by_job_tank.setdefault((record["job_id"], record["tank_id"]), {})[record["id"]] = record
                self._notices_by_tank.setdefault(record["tank_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "valves":
                del self._valves_by_closed_for[record["closed_for_id"]][record["id"]]
                del self._valves_by_one_end[record["one_end_id"]][record["id"]]
                del self._valves_by_other_end[record["other_end_id"]][record["id"]]
            case "customers":
                del self._customers_by_segment[record["segment_id"]][record["id"]]
            case "leaks":
                del self._leaks_by_segment_status[record["segment_id"], record["status"]][record["id"]]
            case "jobs":
                for key in record["area_ids"]:
                    self._jobs_by_area[key].pop(record["id"], None)
                del self._jobs_by_crew[record["crew_id"]][record["id"]]
                del self._jobs_by_leak[record["leak_id"]][record["id"]]
                del self._jobs_by_status[record["status"]][record["id"]]
            case "notices":
                del self._notices_by_customer[record["customer_id"]][record["id"]]
                del self._notices_by_job[record["job_id"]][record["id"]]
                del self._notices_by_job_customer[record["job_id"], record["customer_id"]][record["id"]]
                del self._notices_by_job_tank[record["job_id"], record["tank_id"]][record["id"]]
                del self._notices_by_tank[record["tank_id"]][record["id"]]
