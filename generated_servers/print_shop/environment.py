"""Print shop. Compiled from blueprint.yaml; run `envscaler build print_shop` after changing it there.

Prints jobs for clients, from the proof they approve through press runs on paper from stock and finishing steps
to delivery, with reprints and credit limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A run is made on a press that takes the sheet and has the colours.",
    "A press never works more than 480 minutes in a shift.",
    "There is paper for every run that is planned.",
    "Nothing is printed before its newest proof was approved, except reprints.",
    "A job has one run planned at a time.",
    "The proofs of a job have different numbers, and only the newest may be open.",
    "No more sheets are spoiled than were run.",
    "Finishing begins when everything is printed, and goes on in its order.",
    "A kind of finishing occurs once in a job, and a job is either stitched or bound.",
    "What was delivered is printed and finished.",
    "No client owes more than their credit.",
    "A reprint is for the same client and not larger than the job it repeats.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_job",
    "send_proof",
    "answer_proof",
    "plan_run",
    "move_run",
    "finish_run",
    "finish_step",
    "deliver_job",
    "record_payment",
    "reprint_job",
    "receive_paper",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "clients": ("name",),
    "papers": ("name",),
    "presses": ("name",),
    "jobs": ("title",),
    "proofs": (),
    "runs": (),
    "finishes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("finishes", "job_id"),
    ("finishes", "status"),
    ("jobs", "client_id"),
    ("jobs", "paper_id"),
    ("jobs", "title"),
    ("proofs", "job_id"),
    ("runs", "job_id"),
    ("runs", "press_id"),
    ("runs", "shift"),
    ("runs", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Client(TypedDict):
    id: str
    name: str
    credit: int


class Paper(TypedDict):
    id: str
    name: str
    width: int
    height: int
    sheets: int
    least: int


class Press(TypedDict):
    id: str
    name: str
    width: int
    height: int
    colours: int
    hourly: int


class Job(TypedDict):
    id: str
    title: str
    client_id: str
    paper_id: str
    copies: int
    per_copy: int
    up: int
    colours: int
    price: int
    due: str
    reprint_of_id: str | None
    delivered_on: str | None
    paid: bool


class Proof(TypedDict):
    id: str
    job_id: str
    number: int
    sent_on: str
    remark: str | None
    status: Literal["sent", "approved", "changes"]


class Run(TypedDict):
    id: str
    job_id: str
    press_id: str
    runs_on: str
    shift: Literal["early", "late"]
    sheets: int
    spoiled: int
    status: Literal["planned", "done"]


class Finish(TypedDict):
    id: str
    job_id: str
    kind: Literal["laminate", "fold", "stitch", "bind", "trim", "box"]
    status: Literal["waiting", "done"]


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


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


class PrintShop:
    """Prints jobs for clients, from the proof they approve through press runs on paper from stock and
    finishing steps to delivery, with reprints and credit limits.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.clients: dict[str, Client] = _copied(config.get("clients", {}))
        self.papers: dict[str, Paper] = _copied(config.get("papers", {}))
        self.presses: dict[str, Press] = _copied(config.get("presses", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.proofs: dict[str, Proof] = _copied(config.get("proofs", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.finishes: dict[str, Finish] = _copied(config.get("finishes", {}))
        self.now: str = config.get("now", "2026-03-19T06:30")
        self.counters: dict[str, int] = {
            "client": len(self.clients),
            "paper": len(self.papers),
            "press": len(self.presses),
            "job": len(self.jobs),
            "proof": len(self.proofs),
            "run": len(self.runs),
            "finish": len(self.finishes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._jobs_by_client: dict[Any, dict[str, Job]] = {}
        self._jobs_by_lower_title: dict[Any, dict[str, Job]] = {}
        self._jobs_by_paper: dict[Any, dict[str, Job]] = {}
        self._jobs_by_title: dict[Any, dict[str, Job]] = {}
        self._proofs_by_job: dict[Any, dict[str, Proof]] = {}
        self._runs_by_job: dict[Any, dict[str, Run]] = {}
        self._runs_by_job_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_press: dict[Any, dict[str, Run]] = {}
        self._runs_by_press_shift: dict[Any, dict[str, Run]] = {}
        self._finishes_by_job: dict[Any, dict[str, Finish]] = {}
        self._finishes_by_job_status: dict[Any, dict[str, Finish]] = {}
        for job in self.jobs.values():
            self._link("jobs", job)
        for proof in self.proofs.values():
            self._link("proofs", proof)
        for run in self.runs.values():
            self._link("runs", run)
        for finish in self.finishes.values():
            self._link("finishes", finish)

    def ready_to_plan(
        self,
        client_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Approved jobs with sheets missing and no run planned, the earliest due first.

        Args:
            client_id (str, optional): Only jobs of this client; an id such as CLIENT-00001. If left out, the jobs
                of all clients are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        client = self.clients.get(client_id) if client_id is not None else None
        if client_id is not None and client is None:
            return _refused(f"There is no client {client_id!r}.")
        found = [
            j
            for j in self.jobs.values()
            if (
                self._approved(j)
                and self._job_missing(j) > 0
                and not self._runs_by_job_status.get((j["id"], "planned"), {})
            )
            and (client_id is None or j["client_id"] == client_id)
        ]
        found.sort(key=lambda j: (j["due"], j["title"], _age(j)))
        shown = [self._show_job(j) for j in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def ready_to_deliver(
        self,
        client_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Jobs that are printed and finished but not delivered.

        Args:
            client_id (str, optional): Only jobs of this client; an id such as CLIENT-00001. If left out, the jobs
                of all clients are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        client = self.clients.get(client_id) if client_id is not None else None
        if client_id is not None and client is None:
            return _refused(f"There is no client {client_id!r}.")
        found = [
            j
            for j in self.jobs.values()
            if self._ready(j)
            and (client_id is None or j["client_id"] == client_id)
        ]
        found.sort(key=lambda j: (j["due"], j["title"], _age(j)))
        shown = [self._show_job(j) for j in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def free_time(self, press_id: str, on: Date) -> Result:
        """How many minutes a press has left in the shifts of a day.

        Args:
            press_id (str): Id of the press, such as PRESS-00001.
            on (str): Day whose shifts are looked at, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {early, late}} or {"success": False, "error": why not}
        """
        press = self.presses.get(press_id)
        if press is None:
            return _refused(f"There is no press {press_id!r}.")
        return _found({"early": 480 - self._load(press, on, "early"), "late": 480 - self._load(press, on, "late")})

    def list_clients(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clients whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clients": records}}
        """
        found = [
            client
            for client in self.clients.values()
            if (name is None or name.casefold() in client["name"].casefold())
        ]
        return _found(
            {"total": len(found), "clients": [self._show_client(client) for client in _page(found, offset)]}
        )

    def list_papers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the papers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only papers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "papers": records}}
        """
        found = [
            paper
            for paper in self.papers.values()
            if (name is None or name.casefold() in paper["name"].casefold())
        ]
        return _found({"total": len(found), "papers": [self._show_paper(paper) for paper in _page(found, offset)]})

    def list_presses(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the presses, oldest first, all of them or only some.

        Args:
            name (str, optional): Only presses whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "presses": records}}
        """
        found = [
            press
            for press in self.presses.values()
            if (name is None or name.casefold() in press["name"].casefold())
        ]
        return _found({"total": len(found), "presses": [{**press} for press in _page(found, offset)]})

    def get_job(self, job_id: str) -> Result:
        """Look up one job by its id.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        shown = self._show_job(job)
        return _found(shown, self._names_of_jobs([shown]))

    def list_jobs(
        self,
        title: Text | None = None,
        client_id: str | None = None,
        paper_id: str | None = None,
        reprint_of_id: str | None = None,
        paid: bool | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            title (str, optional): Only jobs whose title contains this text.
            client_id (str, optional): Only jobs of this client.
            paper_id (str, optional): Only jobs of this paper.
            reprint_of_id (str, optional): Only jobs reprint of this job.
            paid (bool, optional): Only jobs that are paid (true) or not (false).
            due_from (str, optional): Only jobs whose `due` is on this day or later.
            due_to (str, optional): Only jobs whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if client_id is not None and client_id not in self.clients:
            return _refused(f"There is no client {client_id!r}.")
        if paper_id is not None and paper_id not in self.papers:
            return _refused(f"There is no paper {paper_id!r}.")
        if reprint_of_id is not None and reprint_of_id not in self.jobs:
            return _refused(f"There is no job {reprint_of_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (title is None or title.casefold() in job["title"].casefold())
            and (client_id is None or job["client_id"] == client_id)
            and (paper_id is None or job["paper_id"] == paper_id)
            and (reprint_of_id is None or job["reprint_of_id"] == reprint_of_id)
            and (paid is None or job["paid"] == paid)
            and (due_from is None or job["due"] >= due_from)
            and (due_to is None or job["due"] <= due_to)
        ]
        shown = [self._show_job(job) for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def list_proofs(
        self,
        job_id: str | None = None,
        status: Literal["sent", "approved", "changes"] | None = None,
        sent_on_from: Date | None = None,
        sent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proofs, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only proofs of this job.
            status (str, optional): Only proofs with this status.
            sent_on_from (str, optional): Only proofs whose `sent_on` is on this day or later.
            sent_on_to (str, optional): Only proofs whose `sent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proofs": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        found = [
            proof
            for proof in self.proofs.values()
            if (job_id is None or proof["job_id"] == job_id)
            and (status is None or proof["status"] == status)
            and (sent_on_from is None or proof["sent_on"] >= sent_on_from)
            and (sent_on_to is None or proof["sent_on"] <= sent_on_to)
        ]
        shown = [{**proof} for proof in _page(found, offset)]
        return _found({"total": len(found), "proofs": shown}, self._names_of_proofs(shown))

    def list_runs(
        self,
        job_id: str | None = None,
        press_id: str | None = None,
        shift: Literal["early", "late"] | None = None,
        status: Literal["planned", "done"] | None = None,
        runs_on_from: Date | None = None,
        runs_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only runs of this job.
            press_id (str, optional): Only runs of this press.
            shift (str, optional): Only runs with this shift.
            status (str, optional): Only runs with this status.
            runs_on_from (str, optional): Only runs whose `runs_on` is on this day or later.
            runs_on_to (str, optional): Only runs whose `runs_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        if press_id is not None and press_id not in self.presses:
            return _refused(f"There is no press {press_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (job_id is None or run["job_id"] == job_id)
            and (press_id is None or run["press_id"] == press_id)
            and (shift is None or run["shift"] == shift)
            and (status is None or run["status"] == status)
            and (runs_on_from is None or run["runs_on"] >= runs_on_from)
            and (runs_on_to is None or run["runs_on"] <= runs_on_to)
        ]
        shown = [{**run} for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def list_finishes(
        self,
        job_id: str | None = None,
        kind: Literal["laminate", "fold", "stitch", "bind", "trim", "box"] | None = None,
        status: Literal["waiting", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the finishes, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only finishes of this job.
            kind (str, optional): Only finishes with this kind.
            status (str, optional): Only finishes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "finishes": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        found = [
            finish
            for finish in self.finishes.values()
            if (job_id is None or finish["job_id"] == job_id)
            and (kind is None or finish["kind"] == kind)
            and (status is None or finish["status"] == status)
        ]
        shown = [{**finish} for finish in _page(found, offset)]
        return _found({"total": len(found), "finishes": shown}, self._names_of_finishes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_job(
        self,
        title: Text,
        client_id: str,
        paper_id: str,
        copies: Annotated[int, {"minimum": 1, "maximum": 50000}],
        per_copy: Annotated[int, {"minimum": 1, "maximum": 40}],
        up: Annotated[int, {"minimum": 1, "maximum": 32}],
        colours: Annotated[int, {"minimum": 1, "maximum": 8}],
        price: Annotated[int, {"minimum": 100, "maximum": 3000000}],
        due: Date,
        finishing: Annotated[list[Literal["laminate", "fold", "stitch", "bind", "trim", "box"]], {"maxItems": 20}],
    ) -> Result:
        """Take a job of a client with its finishing.

        Args:
            title (str): Title of the job, not in use yet.
            client_id (str): Id of the client, such as CLIENT-00001.
            paper_id (str): Id of the paper, such as PAPER-00001.
            copies (int): Copies that the client orders, from 1 to 50000.
            per_copy (int): Printed parts that one copy needs, several of which may share a sheet, from 1 to 40.
            up (int): Printed parts that fit on one sheet, from 1 to 32.
            colours (int): Printing colours that the job needs, from 1 to 8.
            price (int): Price of the whole job, in cents, from 100 to 3000000.
            due (str): Day by which it is delivered, after today, as YYYY-MM-DD.
            finishing (list): Finishing steps, each once: laminate, fold, stitch, bind, trim or box.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        paper = self.papers.get(paper_id)
        if paper is None:
            return _refused(f"There is no paper {paper_id!r}.")
        if self._jobs_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a job called {title}.")
        if due <= self.now[:10]:
            return _refused(f"{due} is not ahead.")
        if not _different([self._turn(k) for k in finishing]):
            return _refused("A kind of finishing is named twice, or both stitch and bind are.")
        if not any(p["colours"] >= colours and self._fits(p, paper) for p in self.presses.values()):
            return _refused(f"No press of ours prints {colours} colours on {paper['name']}.")
        if ceil(Fraction(copies * per_copy, up)) > 20000:
            return _refused("That is more than 20000 sheets, so split the job.")
        self._journal = []
        added_finishes: list[Any] = []
        job: Job = {
            "id": self._new_id("job", "JOB", self.jobs),
            "title": title,
            "client_id": client_id,
            "paper_id": paper_id,
            "copies": copies,
            "per_copy": per_copy,
            "up": up,
            "colours": colours,
            "price": price,
            "due": due,
            "reprint_of_id": None,
            "delivered_on": None,
            "paid": False,
        }
        self._add("jobs", job)
        for k in sorted(finishing, key=lambda k: (self._turn(k),)):
            finish = {
                "id": self._new_id("finish", "FINISH", self.finishes),
                "job_id": job["id"],
                "kind": k,
                "status": "waiting",
            }
            self._add("finishes", finish)
            added_finishes.append(finish)
        if len(self._jobs_by_title.get(job["title"], {})) > 1:
            return self._take_back(f"There is already a job with the title {job['title']!r}.")
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_8_f(one_finish):
                return self._take_back(RULES[7])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_8_a(one_finish):
                return self._take_back(RULES[7])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_8_b(one_finish):
                return self._take_back(RULES[7])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_9(one_finish):
                return self._take_back(RULES[8])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_10_f(one_finish):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_j(job):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.clients[job["client_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(job):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take the job {title} of {client['name']}, due {due} (new: job {job['id']}).",
            "data": {"job_id": job["id"], **self._changes()},
        }

    def send_proof(self, job_id: str) -> Result:
        """Send the client the next proof of a job, also after an approval as long as no run is planned; it must be
        approved again then.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["reprint_of_id"] is not None:
            return _refused(f"{job['title']} is a reprint and needs no proof.")
        last = self._newest(job)
        if not (
            last is None
            or last["status"] == "changes"
            or last["status"] == "approved"
            and not self._runs_by_job.get(job_id, {})
        ):
            return _refused(
                f"The newest proof of {job['title']} is {last['status']}; it waits for an answer, or the job goes "
                "to press with it."
            )
        self._journal = []
        number = len(self._proofs_by_job.get(job_id, {})) + 1
        if not 1 <= number <= 20:
            return self._take_back("The number of a proof must be between 1 and 20.")
        proof: Proof = {
            "id": self._new_id("proof", "PROOF", self.proofs),
            "job_id": job_id,
            "number": number,
            "sent_on": self.now[:10],
            "remark": None,
            "status": "sent",
        }
        self._add("proofs", proof)
        for one_run in _distinct(self._runs_by_job.get(proof["job_id"], {}).values()):
            if self._breaks_rule_4(one_run):
                return self._take_back(RULES[3])
        if self._breaks_rule_6_p(proof):
            return self._take_back(RULES[5])
        for one_proof in _distinct([proof, *self._proofs_by_job.get(proof["job_id"], {}).values()]):
            if self._breaks_rule_6_p_again(one_proof):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: send a proof of {job['title']} (new: proof {proof['id']}).",
            "data": {"proof_id": proof["id"], **self._changes()},
        }

    def answer_proof(self, job_id: str, changes: Text | None = None) -> Result:
        """Record the client's answer to the open proof of a job, which is an approval where no changes are named.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            changes (str, optional): What the client wants changed. If left out, the proof is approved.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        proof = self._newest(job)
        if proof is None or proof["status"] != "sent":
            return _refused(f"{job['title']} has no proof that waits for an answer.")
        self._journal = []
        changed_proofs: list[Any] = []
        if changes is None:
            changed_proofs.append(proof)
            self._put("proofs", proof, "status", "approved")
        else:
            self._put("proofs", proof, "remark", changes)
            if proof["status"] not in ("sent", "changes"):
                return self._take_back(f"Proof {proof['id']} cannot go from {proof['status']} to changes.")
            changed_proofs.append(proof)
            self._put("proofs", proof, "status", "changes")
        for one_run in _distinct(
            [
                user
                for one in [self.jobs[one["job_id"]] for one in changed_proofs]
                for user in self._runs_by_job.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_4(one_run):
                return self._take_back(RULES[3])
        for one_proof in _distinct(changed_proofs):
            if self._breaks_rule_6_p_again(one_proof):
                return self._take_back(RULES[5])
        done = f"record the answer to the proof of {job['title']}"
        if changes is not None:
            done += f" with changes {changes}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def plan_run(self, job_id: str, press_id: str, on: Date, shift: Literal["early", "late"]) -> Result:
        """Plan a press run for all sheets of a job that are missing, with five percent overs.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            press_id (str): Id of the press, such as PRESS-00001.
            on (str): Monday to Friday, day of the run within 30 days from today, as YYYY-MM-DD.
            shift (str): Shift in which the press runs: early or late.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        press = self.presses.get(press_id)
        if press is None:
            return _refused(f"There is no press {press_id!r}.")
        if not self._approved(job):
            return _refused(f"The newest proof of {job['title']} is not approved.")
        if self._job_missing(job) <= 0:
            return _refused(f"Everything of {job['title']} is printed.")
        if self._runs_by_job_status.get((job_id, "planned"), {}):
            return _refused(f"{job['title']} has a planned run.")
        if not ((self.now[:10] <= on and on <= _plus_days(self.now[:10], 30)) and _weekday(on) <= 5):
            return _refused(f"Runs are planned on weekdays for the next 30 days, not for {on}.")
        if not self._fits(press, self.papers[job["paper_id"]]):
            return _refused(f"{self.papers[job['paper_id']]['name']} does not fit through the {press['name']}.")
        if job["colours"] > press["colours"]:
            return _refused(
                f"The {press['name']} prints {press['colours']} colours and {job['title']} has {job['colours']}."
            )
        sheets = self._with_overs(self._job_missing(job))
        if self._paper_bound(self.papers[job["paper_id"]]) + sheets > self.papers[job["paper_id"]]["sheets"]:
            return _refused(
                f"{job['title']} needs {sheets} sheets of {self.papers[job['paper_id']]['name']}, and only "
                f"{self.papers[job['paper_id']]['sheets'] - self._paper_bound(self.papers[job['paper_id']])} are "
                "free."
            )
        if self._load(press, on, shift) + self._time_on(press, sheets) > 480:
            return _refused(
                f"The {press['name']} has {480 - self._load(press, on, shift)} minutes left in the {shift} shift "
                f"of {on} and {job['title']} takes {self._time_on(press, sheets)}."
            )
        self._journal = []
        new_sheets = self._with_overs(self._job_missing(job))
        if not 1 <= new_sheets <= 60000:
            return self._take_back("The sheets of a run must be between 1 and 60000.")
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "job_id": job_id,
            "press_id": press_id,
            "runs_on": on,
            "shift": shift,
            "sheets": new_sheets,
            "spoiled": 0,
            "status": "planned",
        }
        self._add("runs", run)
        if self._breaks_rule_1(run):
            return self._take_back(RULES[0])
        for one_run in _distinct([run, *self._runs_by_press.get(run["press_id"], {}).values()]):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(self.papers[self.jobs[run["job_id"]]["paper_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(run):
            return self._take_back(RULES[6])
        for one_finish in _distinct(self._finishes_by_job_status.get((run["job_id"], "done"), {}).values()):
            if self._breaks_rule_8_f(one_finish):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_j(self.jobs[run["job_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan {job['title']} on the {press['name']} for the {shift} shift of {on} (new: run "
                f"{run['id']})."
            ),
            "data": {"run_id": run["id"], **self._changes()},
        }

    def move_run(
        self,
        run_id: str,
        press_id: str | None = None,
        on: Date | None = None,
        shift: Literal["early", "late"] | None = None,
    ) -> Result:
        """Give a planned run another press, another day or another shift.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            press_id (str, optional): Press that prints it instead; an id such as PRESS-00001. If left out, the
                press stays as it is.
            on (str, optional): New day of the run, Monday to Friday, from today on, as YYYY-MM-DD. If left out,
                the day stays as it is.
            shift (str, optional): New shift of the run: early or late. If left out, the shift stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        press = self.presses.get(press_id) if press_id is not None else None
        if press_id is not None and press is None:
            return _refused(f"There is no press {press_id!r}.")
        if run["status"] != "planned":
            return _refused(f"The run of {self.jobs[run['job_id']]['title']} is done.")
        if press_id is None and on is None and shift is None:
            return _refused("Say what is to be changed.")
        there = press or self.presses[run["press_id"]]
        then = on if on is not None else run["runs_on"]
        part = shift if shift is not None else run["shift"]
        if there["id"] == run["press_id"] and then == run["runs_on"] and part == run["shift"]:
            return _refused(f"That is how the run of {self.jobs[run['job_id']]['title']} is planned.")
        if then < self.now[:10] or _weekday(then) > 5:
            return _refused(f"{then} is over or on a weekend.")
        if not self._fits(there, self.papers[self.jobs[run["job_id"]]["paper_id"]]):
            return _refused(
                f"{self.papers[self.jobs[run['job_id']]['paper_id']]['name']} does not fit through the "
                f"{there['name']}."
            )
        if self.jobs[run["job_id"]]["colours"] > there["colours"]:
            return _refused(
                f"The {there['name']} prints {there['colours']} colours and {self.jobs[run['job_id']]['title']} "
                f"has {self.jobs[run['job_id']]['colours']}."
            )
        if (
            sum(
                self._time_on(there, r["sheets"])
                for r in self._runs_by_press_shift.get((there["id"], part), {}).values()
                if r is not run
                and r["runs_on"] == then
            )
            + self._time_on(there, run["sheets"]) > 480
        ):
            return _refused(f"The {there['name']} has too little time left in the {part} shift of {then}.")
        self._journal = []
        former_press_id = run["press_id"]
        self._put("runs", run, "press_id", there["id"])
        self._put("runs", run, "runs_on", then)
        self._put("runs", run, "shift", part)
        if self._breaks_rule_1(run):
            return self._take_back(RULES[0])
        for one_run in _distinct(
            [
                run,
                *self._runs_by_press.get(run["press_id"], {}).values(),
                *self._runs_by_press.get(former_press_id, {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        done = f"move the run of {self.jobs[run['job_id']]['title']}"
        if press is not None:
            done += f" to the {press['name']}"
        if on is not None:
            done += f" to {on}"
        if shift is not None:
            done += f" to the {shift} shift"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def finish_run(self, run_id: str, spoiled: Annotated[int, {"minimum": 0, "maximum": 20000}]) -> Result:
        """Finish a planned run; its paper is used up, and what was spoiled does not count.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            spoiled (int): Sheets of the run that were spoiled, from 0 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "planned":
            return _refused(f"The run of {self.jobs[run['job_id']]['title']} is done.")
        if run["runs_on"] > self.now[:10]:
            return _refused(f"The run of {self.jobs[run['job_id']]['title']} is planned for {run['runs_on']}.")
        if spoiled > run["sheets"]:
            return _refused(f"The run of {self.jobs[run['job_id']]['title']} has {run['sheets']} sheets.")
        self._journal = []
        self._put("runs", run, "spoiled", spoiled)
        self._put("runs", run, "status", "done")
        paper = self.papers[self.jobs[run["job_id"]]["paper_id"]]
        sheets = self.papers[self.jobs[run["job_id"]]["paper_id"]]["sheets"] - run["sheets"]
        if not 0 <= sheets <= 90000:
            return self._take_back(f"The sheets of {paper['name']} must be between 0 and 90000.")
        self._put("papers", paper, "sheets", sheets)
        if self._breaks_rule_3(self.papers[self.jobs[run["job_id"]]["paper_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(paper):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(run):
            return self._take_back(RULES[6])
        for one_finish in _distinct(self._finishes_by_job_status.get((run["job_id"], "done"), {}).values()):
            if self._breaks_rule_8_f(one_finish):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_j(self.jobs[run["job_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: finish the run of {self.jobs[run['job_id']]['title']} with {spoiled} sheets spoiled.",
            "data": self._changes(),
        }

    def finish_step(self, finish_id: str) -> Result:
        """Mark a finishing step of a printed job as done.

        Args:
            finish_id (str): Id of the finish, such as FINISH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        finish = self.finishes.get(finish_id)
        if finish is None:
            return _refused(f"There is no finish {finish_id!r}.")
        if finish["status"] != "waiting":
            return _refused(f"The {finish['kind']} of {self.jobs[finish['job_id']]['title']} is done.")
        if self._job_missing(self.jobs[finish["job_id"]]) != 0:
            return _refused(
                f"{self.jobs[finish['job_id']]['title']} lacks {self._job_missing(self.jobs[finish['job_id']])} "
                "printed sheets."
            )
        before = next(
            (
                f
                for f in sorted(
                    self._finishes_by_job_status.get((finish["job_id"], "waiting"), {}).values(),
                    key=_age,
                )
                if self._turn(f["kind"]) < self._turn(finish["kind"])
            ),
            None,
        )
        if before is not None:
            return _refused(f"The {before['kind']} of {self.jobs[finish['job_id']]['title']} comes first.")
        self._journal = []
        self._put("finishes", finish, "status", "done")
        if self._breaks_rule_8_f(finish):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a(finish):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b(finish):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_f(finish):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: mark the {finish['kind']} of {self.jobs[finish['job_id']]['title']} as done.",
            "data": self._changes(),
        }

    def deliver_job(self, job_id: str) -> Result:
        """Deliver a job that is printed and finished, if the client's credit covers it.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["delivered_on"] is not None:
            return _refused(f"{job['title']} was delivered on {job['delivered_on']}.")
        if self._job_missing(job) != 0:
            return _refused(f"{job['title']} lacks {self._job_missing(job)} printed sheets.")
        step = next(
            (f for f in sorted(self._finishes_by_job_status.get((job_id, "waiting"), {}).values(), key=_age)),
            None,
        )
        if step is not None:
            return _refused(f"The {step['kind']} of {job['title']} is not done.")
        if (
            self._client_owes(self.clients[job["client_id"]])
            + job["price"] > self.clients[job["client_id"]]["credit"]
        ):
            return _refused(
                f"{self.clients[job['client_id']]['name']} owes "
                f"{_money(self._client_owes(self.clients[job['client_id']]))} and has a credit of "
                f"{_money(self.clients[job['client_id']]['credit'])}, so a payment must come first."
            )
        self._journal = []
        self._put("jobs", job, "delivered_on", self.now[:10])
        for one_finish in _distinct(self._finishes_by_job_status.get((job["id"], "waiting"), {}).values()):
            if self._breaks_rule_10_f(one_finish):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_j(job):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.clients[job["client_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: deliver {job['title']} to {self.clients[job['client_id']]['name']}.",
            "data": self._changes(),
        }

    def record_payment(self, job_id: str) -> Result:
        """Record that a delivered job was paid.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["delivered_on"] is None:
            return _refused(f"{job['title']} was not delivered.")
        if job["paid"]:
            return _refused(f"{job['title']} was paid already.")
        self._journal = []
        self._put("jobs", job, "paid", True)
        if self._breaks_rule_11(self.clients[job["client_id"]]):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: record the payment of {job['title']}.", "data": self._changes()}

    def reprint_job(
        self,
        job_id: str,
        title: Text,
        copies: Annotated[int, {"minimum": 1, "maximum": 50000}],
        due: Date,
    ) -> Result:
        """Take a reprint of some copies of a delivered job at our own cost, for a token price of 1.00, with the same
        finishing.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            title (str): Title of the reprint, not in use yet.
            copies (int): Copies to be printed again, at most those of the job, from 1 to 50000.
            due (str): Day by which it is delivered, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["delivered_on"] is None:
            return _refused(f"{job['title']} was not delivered.")
        if self._jobs_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a job called {title}.")
        if copies > job["copies"]:
            return _refused(f"{job['title']} had {job['copies']} copies.")
        if due <= self.now[:10]:
            return _refused(f"{due} is not ahead.")
        done = f"take a reprint of {copies} copies of {job['title']} as {title}"
        self._journal = []
        added_finishes: list[Any] = []
        again: Job = {
            "id": self._new_id("job", "JOB", self.jobs),
            "title": title,
            "client_id": job["client_id"],
            "paper_id": job["paper_id"],
            "copies": copies,
            "per_copy": job["per_copy"],
            "up": job["up"],
            "colours": job["colours"],
            "price": 100,
            "due": due,
            "reprint_of_id": job_id,
            "delivered_on": None,
            "paid": False,
        }
        self._add("jobs", again)
        for f in sorted(self._finishes_by_job.get(job_id, {}).values(), key=_age):
            finish = {
                "id": self._new_id("finish", "FINISH", self.finishes),
                "job_id": again["id"],
                "kind": f["kind"],
                "status": "waiting",
            }
            self._add("finishes", finish)
            added_finishes.append(finish)
        if len(self._jobs_by_title.get(again["title"], {})) > 1:
            return self._take_back(f"There is already a job with the title {again['title']!r}.")
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_8_f(one_finish):
                return self._take_back(RULES[7])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_8_a(one_finish):
                return self._take_back(RULES[7])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_8_b(one_finish):
                return self._take_back(RULES[7])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_9(one_finish):
                return self._take_back(RULES[8])
        for one_finish in _distinct(added_finishes):
            if self._breaks_rule_10_f(one_finish):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_j(again):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.clients[again["client_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(again):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: job {again['id']}).",
            "data": {"job_id": again["id"], **self._changes()},
        }

    def receive_paper(self, paper_id: str, sheets: Annotated[int, {"minimum": 1, "maximum": 40000}]) -> Result:
        """Take sheets of a paper into stock.

        Args:
            paper_id (str): Id of the paper, such as PAPER-00001.
            sheets (int): Sheets that came into stock, from 1 to 40000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        paper = self.papers.get(paper_id)
        if paper is None:
            return _refused(f"There is no paper {paper_id!r}.")
        if paper["sheets"] + sheets > 90000:
            return _refused(f"There is no room for that much {paper['name']}.")
        self._journal = []
        new_sheets = paper["sheets"] + sheets
        if not 0 <= new_sheets <= 90000:
            return self._take_back(f"The sheets of {paper['name']} must be between 0 and 90000.")
        self._put("papers", paper, "sheets", new_sheets)
        if self._breaks_rule_3(paper):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: take {sheets} sheets of {paper['name']} into stock.",
            "data": self._changes(),
        }

    def _show_client(self, client: Client) -> dict[str, Any]:
        """The client as an answer shows it."""
        return {**client, "owes": self._client_owes(client)}

    def _show_paper(self, paper: Paper) -> dict[str, Any]:
        """The paper as an answer shows it."""
        return {**paper, "bound": self._paper_bound(paper)}

    def _show_job(self, job: Job) -> dict[str, Any]:
        """The job as an answer shows it."""
        return {**job, "needs": self._job_needs(job), "good": self._job_good(job), "missing": self._job_missing(job)}

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.clients, "name", [row["client_id"] for row in shown]),
            (self.papers, "name", [row["paper_id"] for row in shown]),
            (self.jobs, "title", [row["reprint_of_id"] for row in shown]),
        )

    def _names_of_proofs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that proofs point to."""
        return _names((self.jobs, "title", [row["job_id"] for row in shown]))

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names(
            (self.jobs, "title", [row["job_id"] for row in shown]),
            (self.presses, "name", [row["press_id"] for row in shown]),
        )

    def _names_of_finishes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that finishes point to."""
        return _names((self.jobs, "title", [row["job_id"] for row in shown]))

    def _client_owes(self, client: Client) -> int:
        """The owes of a client."""
        return sum(
            j["price"]
            for j in self._jobs_by_client.get(client["id"], {}).values()
            if j["delivered_on"] is not None
            and not j["paid"]
        )

    def _paper_bound(self, paper: Paper) -> int:
        """The bound of a paper."""
        return sum(
            r["sheets"]
            for _job in self._jobs_by_paper.get(paper["id"], {}).values()
            for r in self._runs_by_job_status.get((_job["id"], "planned"), {}).values()
        )

    def _job_needs(self, job: Job) -> int:
        """The needs of a job."""
        return ceil(Fraction(job["copies"] * job["per_copy"], job["up"]))

    def _job_good(self, job: Job) -> int:
        """The good of a job."""
        return sum(r["sheets"] - r["spoiled"] for r in self._runs_by_job_status.get((job["id"], "done"), {}).values())

    def _job_missing(self, job: Job) -> int:
        """The missing of a job."""
        return max(
            ceil(Fraction(job["copies"] * job["per_copy"], job["up"])) - sum(
                r["sheets"] - r["spoiled"]
                for r in self._runs_by_job_status.get((job["id"], "done"), {}).values()
            ),
            0,
        )

    def _turn(self, k: str) -> int:
        return (
            1
            if k == "laminate"
            else 2
            if k == "fold"
            else 3
            if k in ("stitch", "bind")
            else 4
            if k == "trim"
            else 5
        )

    def _newest(self, j: Job) -> Proof | None:
        return min(self._proofs_by_job.get(j["id"], {}).values(), key=lambda p: (-p["number"], _age(p)), default=None)

    def _approved(self, j: Job) -> bool:
        return (
            j["reprint_of_id"] is not None
            or any(
                p["status"] == "approved"
                and not any(q["number"] > p["number"] for q in self._proofs_by_job.get(j["id"], {}).values())
                for p in self._proofs_by_job.get(j["id"], {}).values()
            )
        )

    def _fits(self, p: Press, a: Paper) -> bool:
        return (
            a["width"] <= p["width"] and a["height"] <= p["height"]
            or a["height"] <= p["width"] and a["width"] <= p["height"]
        )

    def _with_overs(self, n: int) -> int:
        return n + ceil(Fraction(n * 5, 100))

    def _time_on(self, p: Press, n: int) -> int:
        return 30 + ceil(Fraction(n * 60, p["hourly"]))

    def _load(self, p: Press, d: str, s: str) -> int:
        return sum(
            self._time_on(p, r["sheets"])
            for r in self._runs_by_press_shift.get((p["id"], s), {}).values()
            if r["runs_on"] == d
        )

    def _ready(self, j: Job) -> bool:
        return (
            j["delivered_on"] is None
            and self._job_missing(j) == 0
            and not self._finishes_by_job_status.get((j["id"], "waiting"), {})
        )

    def _breaks_rule_1(self, r: Run) -> bool:
        """Whether this is broken: a run is made on a press that takes the sheet and has the colours."""
        return not (
            self._fits(self.presses[r["press_id"]], self.papers[self.jobs[r["job_id"]]["paper_id"]])
            and self.jobs[r["job_id"]]["colours"] <= self.presses[r["press_id"]]["colours"]
        )

    def _breaks_rule_2(self, r: Run) -> bool:
        """Whether this is broken: a press never works more than 480 minutes in a shift."""
        return self._load(self.presses[r["press_id"]], r["runs_on"], r["shift"]) > 480

    def _breaks_rule_3(self, p: Paper) -> bool:
        """Whether this is broken: there is paper for every run that is planned."""
        return self._paper_bound(p) > p["sheets"]

    def _breaks_rule_4(self, r: Run) -> bool:
        """Whether this is broken: nothing is printed before its newest proof was approved, except reprints."""
        return not self._approved(self.jobs[r["job_id"]])

    def _breaks_rule_5(self, r: Run) -> bool:
        """Whether this is broken: a job has one run planned at a time."""
        return (
            r["status"] == "planned"
            and any(
                other_r is not r
                for other_r in self._runs_by_job_status.get((r["job_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_6_p(self, p: Proof) -> bool:
        """Whether this is broken: the proofs of a job have different numbers, and only the newest may be open."""
        return any(
            other_p is not p
            for other_p in self._proofs_by_job.get(p["job_id"], {}).values()
            if other_p["number"] == p["number"]
        )

    def _breaks_rule_6_p_again(self, p: Proof) -> bool:
        """Whether this is broken: the proofs of a job have different numbers, and only the newest may be open."""
        return not (
            p["status"] != "sent"
            or not any(q["number"] > p["number"] for q in self._proofs_by_job.get(p["job_id"], {}).values())
        )

    def _breaks_rule_7(self, r: Run) -> bool:
        """Whether this is broken: no more sheets are spoiled than were run."""
        return r["spoiled"] > r["sheets"]

    def _breaks_rule_8_f(self, f: Finish) -> bool:
        """Whether this is broken: finishing begins when everything is printed, and goes on in its order."""
        return f["status"] == "done" and self._job_missing(self.jobs[f["job_id"]]) != 0

    def _breaks_rule_8_a(self, a: Finish) -> bool:
        """Whether this is broken: finishing begins when everything is printed, and goes on in its order."""
        return any(
            self._turn(a["kind"]) > self._turn(b["kind"])
            and a["status"] != "waiting"
            and b["status"] != "done"
            for b in self._finishes_by_job.get(a["job_id"], {}).values()
        )

    def _breaks_rule_8_b(self, b: Finish) -> bool:
        """Whether this is broken: finishing begins when everything is printed, and goes on in its order."""
        return any(
            self._turn(a["kind"]) > self._turn(b["kind"])
            and a["status"] != "waiting"
            and b["status"] != "done"
            for a in self._finishes_by_job.get(b["job_id"], {}).values()
        )

    def _breaks_rule_9(self, f: Finish) -> bool:
        """Whether this is broken: a kind of finishing occurs once in a job, and a job is either stitched or bound.
        """
        return any(
            other_f is not f
            for other_f in self._finishes_by_job.get(f["job_id"], {}).values()
            if self._turn(other_f["kind"]) == self._turn(f["kind"])
        )

    def _breaks_rule_10_f(self, f: Finish) -> bool:
        """Whether this is broken: what was delivered is printed and finished."""
        return f["status"] == "waiting" and self.jobs[f["job_id"]]["delivered_on"] is not None

    def _breaks_rule_10_j(self, j: Job) -> bool:
        """Whether this is broken: what was delivered is printed and finished."""
        return j["delivered_on"] is not None and self._job_missing(j) != 0

    def _breaks_rule_11(self, c: Client) -> bool:
        """Whether this is broken: no client owes more than their credit."""
        return self._client_owes(c) > c["credit"]

    def _breaks_rule_12(self, j: Job) -> bool:
        """Whether this is broken: a reprint is for the same client and not larger than the job it repeats."""
        return not (
            j["reprint_of_id"] is None
            or self.jobs[j["reprint_of_id"]]["client_id"] == j["client_id"]
            and j["copies"] <= self.jobs[j["reprint_of_id"]]["copies"]
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
            case "jobs":
                self._jobs_by_client.setdefault(record["client_id"], {})[record["id"]] = record
                self._jobs_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._jobs_by_paper.setdefault(record["paper_id"], {})[record["id"]] = record
                self._jobs_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "proofs":
                self._proofs_by_job.setdefault(record["job_id"], {})[record["id"]] = record
            case "runs":
                self._runs_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._runs_by_job_status.setdefault((record["job_id"], record["status"]), {})[record["id"]] = record
                self._runs_by_press.setdefault(record["press_id"], {})[record["id"]] = record
                self._runs_by_press_shift.setdefault((record["press_id"], record["shift"]), {})[record["id"]] = record
            case "finishes":
                self._finishes_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._finishes_by_job_status.setdefault((record["job_id"], record["status"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "jobs":
                del self._jobs_by_client[record["client_id"]][record["id"]]
                del self._jobs_by_lower_title[record["title"].lower()][record["id"]]
                del self._jobs_by_paper[record["paper_id"]][record["id"]]
                del self._jobs_by_title[record["title"]][record["id"]]
            case "proofs":
                del self._proofs_by_job[record["job_id"]][record["id"]]
            case "runs":
                del self._runs_by_job[record["job_id"]][record["id"]]
                del self._runs_by_job_status[record["job_id"], record["status"]][record["id"]]
                del self._runs_by_press[record["press_id"]][record["id"]]
                del self._runs_by_press_shift[record["press_id"], record["shift"]][record["id"]]
            case "finishes":
                del self._finishes_by_job[record["job_id"]][record["id"]]
                del self._finishes_by_job_status[record["job_id"], record["status"]][record["id"]]
