"""Build pipelines. Compiled from blueprint.yaml; run `envscaler build build_pipelines` after changing it there.

Runs the build pipelines of a software house, with jobs that need other jobs, runners with labels and slots,
jobs that take turns, retries, and deployments that need approvals and climb from one environment to the next.
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
    "A run has each kind of job of its project once.",
    "A job starts only after everything it needs has passed in the same run.",
    "Running jobs, and only these, occupy a runner that has the label they want.",
    "A runner never has more jobs than slots, and none while it is offline.",
    "Nothing is tried more often than its kind allows.",
    "Jobs that take turns run one at a time.",
    "A cancelled run has nothing waiting or running.",
    "A deployment brings a run of the project's own to one of its environments.",
    "What is or was live had all the approvals of its environment, none of them from whoever asked.",
    "One deployment is live in an environment, and none is asked for twice at a time.",
    "A run is live only where it has been in the environment before.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_run",
    "start_job",
    "finish_job",
    "retry_job",
    "cancel_run",
    "set_runner",
    "ask_deployment",
    "approve_deployment",
    "refuse_deployment",
    "go_live",
    "roll_back",
)
"""The methods that may change something; all others only read."""

RUNNER_STATE_MOVES = {
    ("online", "draining"),
    ("online", "offline"),
    ("draining", "online"),
    ("draining", "offline"),
    ("offline", "online"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "projects": ("name",),
    "people": ("name",),
    "runners": ("name",),
    "job_kinds": ("name",),
    "runs": ("commit",),
    "jobs": (),
    "environments": ("name",),
    "deployments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("deployments", "environment_id"),
    ("deployments", "run_id"),
    ("deployments", "status"),
    ("job_kinds", "need_ids"),
    ("job_kinds", "project_id"),
    ("jobs", "kind_id"),
    ("jobs", "run_id"),
    ("jobs", "runner_id"),
    ("jobs", "status"),
    ("runs", "commit"),
    ("runs", "project_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Project(TypedDict):
    id: str
    name: str


class Person(TypedDict):
    id: str
    name: str
    duty: Literal["developer", "operator"]


class Runner(TypedDict):
    id: str
    name: str
    labels: list[Literal["linux", "large", "mac", "gpu"]]
    slots: int
    state: Literal["online", "draining", "offline"]


class JobKind(TypedDict):
    id: str
    name: str
    project_id: str
    need_ids: list[str]
    label: Literal["linux", "large", "mac", "gpu"]
    most_tries: int
    turn: Literal["registry", "test_shop", "phones", "store"] | None


class Run(TypedDict):
    id: str
    commit: str
    project_id: str
    branch: str
    started_at: str
    cancelled: bool


class Job(TypedDict):
    id: str
    run_id: str
    kind_id: str
    runner_id: str | None
    tries: int
    status: Literal["waiting", "running", "skipped", "cancelled", "passed", "failed"]


class Environment(TypedDict):
    id: str
    name: str
    project_id: str
    after_id: str | None
    approver_ids: list[str]
    approvals: int


class Deployment(TypedDict):
    id: str
    run_id: str
    environment_id: str
    asked_by_id: str
    approved_by_ids: list[str]
    asked_at: str
    live_since: str | None
    status: Literal["asked", "live", "refused", "replaced"]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class BuildPipelines:
    """Runs the build pipelines of a software house, with jobs that need other jobs, runners with labels
    and slots, jobs that take turns, retries, and deployments that need approvals and climb from one
    environment to the next.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.projects: dict[str, Project] = _copied(config.get("projects", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.runners: dict[str, Runner] = _copied(config.get("runners", {}))
        self.job_kinds: dict[str, JobKind] = _copied(config.get("job_kinds", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.environments: dict[str, Environment] = _copied(config.get("environments", {}))
        self.deployments: dict[str, Deployment] = _copied(config.get("deployments", {}))
        self.now: str = config.get("now", "2026-08-24T13:45")
        self.counters: dict[str, int] = {
            "project": len(self.projects),
            "person": len(self.people),
            "runner": len(self.runners),
            "job_kind": len(self.job_kinds),
            "run": len(self.runs),
            "job": len(self.jobs),
            "environment": len(self.environments),
            "deployment": len(self.deployments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._job_kinds_by_needs: dict[Any, dict[str, JobKind]] = {}
        self._job_kinds_by_project: dict[Any, dict[str, JobKind]] = {}
        self._runs_by_commit: dict[Any, dict[str, Run]] = {}
        self._runs_by_lower_commit: dict[Any, dict[str, Run]] = {}
        self._runs_by_project: dict[Any, dict[str, Run]] = {}
        self._jobs_by_run: dict[Any, dict[str, Job]] = {}
        self._jobs_by_run_kind: dict[Any, dict[str, Job]] = {}
        self._jobs_by_run_kind_status: dict[Any, dict[str, Job]] = {}
        self._jobs_by_run_status: dict[Any, dict[str, Job]] = {}
        self._jobs_by_runner: dict[Any, dict[str, Job]] = {}
        self._jobs_by_status: dict[Any, dict[str, Job]] = {}
        self._deployments_by_environment_status: dict[Any, dict[str, Deployment]] = {}
        self._deployments_by_run: dict[Any, dict[str, Deployment]] = {}
        self._deployments_by_run_environment_status: dict[Any, dict[str, Deployment]] = {}
        self._deployments_by_run_status: dict[Any, dict[str, Deployment]] = {}
        for job_kind in self.job_kinds.values():
            self._link("job_kinds", job_kind)
        for run in self.runs.values():
            self._link("runs", run)
        for job in self.jobs.values():
            self._link("jobs", job)
        for deployment in self.deployments.values():
            self._link("deployments", deployment)

    def ready_jobs(
        self,
        project_id: str | None = None,
        label: Literal["linux", "large", "mac", "gpu"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Waiting jobs that could start now, the oldest run first.

        Args:
            project_id (str, optional): Project that has the jobs; an id such as PROJECT-00001. If left out, the
                jobs of all projects are listed.
            label (str, optional): Label that a runner needs for the jobs: linux, large, mac or gpu. If left out,
                jobs with every label are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        project = self.projects.get(project_id) if project_id is not None else None
        if project_id is not None and project is None:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            j
            for j in self.jobs.values()
            if self._startable(j)
            and (project_id is None or self.runs[j["run_id"]]["project_id"] == project_id)
            and (label is None or self.job_kinds[j["kind_id"]]["label"] == label)
        ]
        found.sort(
            key=lambda j: (self.runs[j["run_id"]]["started_at"], self.job_kinds[j["kind_id"]]["name"], _age(j))
        )
        return _found(
            {
                "total": len(found),
                "jobs": [
                    {
                        "id": j["id"],
                        "commit": self.runs[j["run_id"]]["commit"],
                        "kind": self.job_kinds[j["kind_id"]]["name"],
                        "label": self.job_kinds[j["kind_id"]]["label"],
                        "tries": j["tries"],
                        "most_tries": self.job_kinds[j["kind_id"]]["most_tries"],
                    }
                    for j in _page(found, offset)
                ],
            }
        )

    def runners_for(self, kind_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Runners that could take a kind of job now, those with most free slots first.

        Args:
            kind_id (str): Kind of job that a runner should take; an id such as JK-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runners": records}} or {"success": False, "error": why
                not}
        """
        kind = self.job_kinds.get(kind_id)
        if kind is None:
            return _refused(f"There is no job kind {kind_id!r}.")
        found = [w for w in self.runners.values() if self._could_run(w, kind)]
        found.sort(key=lambda w: (-(w["slots"] - self._runner_busy(w)), w["name"], _age(w)))
        return _found(
            {
                "total": len(found),
                "runners": [
                    {
                        "id": w["id"],
                        "name": w["name"],
                        "free": w["slots"] - self._runner_busy(w),
                        "labels": [*w["labels"]],
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def state_of_run(self, run_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """How the jobs of a run stand and what each still needs.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        found = [j for j in self._jobs_by_run.get(run_id, {}).values()]
        found.sort(key=lambda j: (j["id"], _age(j)))
        shown = [
            {
                "id": j["id"],
                "kind": self.job_kinds[j["kind_id"]]["name"],
                "status": j["status"],
                "tries": j["tries"],
                "runner": j["runner_id"],
                "needs": [
                    *[n["name"] for n in [self.job_kinds[key] for key in self.job_kinds[j["kind_id"]]["need_ids"]]]
                ],
                "lacking": [*[n["name"] for n in self._lacking(j)]],
            }
            for j in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "jobs": shown},
            _names((self.runners, "name", [row["runner"] for row in shown])),
        )

    def list_projects(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the projects, oldest first, all of them or only some.

        Args:
            name (str, optional): Only projects whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}}
        """
        found = [
            project
            for project in self.projects.values()
            if (name is None or name.casefold() in project["name"].casefold())
        ]
        return _found({"total": len(found), "projects": [{**project} for project in _page(found, offset)]})

    def list_people(
        self,
        name: Text | None = None,
        duty: Literal["developer", "operator"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            duty (str, optional): Only people with this duty.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (duty is None or person["duty"] == duty)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_runners(
        self,
        name: Text | None = None,
        state: Literal["online", "draining", "offline"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only runners whose name contains this text.
            state (str, optional): Only runners with this state.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runners": records}}
        """
        found = [
            runner
            for runner in self.runners.values()
            if (name is None or name.casefold() in runner["name"].casefold())
            and (state is None or runner["state"] == state)
        ]
        return _found(
            {"total": len(found), "runners": [self._show_runner(runner) for runner in _page(found, offset)]}
        )

    def list_job_kinds(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        label: Literal["linux", "large", "mac", "gpu"] | None = None,
        turn: Literal["registry", "test_shop", "phones", "store"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the job kinds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only job kinds whose name contains this text.
            project_id (str, optional): Only job kinds of this project.
            label (str, optional): Only job kinds with this label.
            turn (str, optional): Only job kinds with this turn.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "job_kinds": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            job_kind
            for job_kind in self.job_kinds.values()
            if (name is None or name.casefold() in job_kind["name"].casefold())
            and (project_id is None or job_kind["project_id"] == project_id)
            and (label is None or job_kind["label"] == label)
            and (turn is None or job_kind["turn"] == turn)
        ]
        shown = [self._show_job_kind(job_kind) for job_kind in _page(found, offset)]
        return _found({"total": len(found), "job_kinds": shown}, self._names_of_job_kinds(shown))

    def list_runs(
        self,
        commit: Text | None = None,
        project_id: str | None = None,
        cancelled: bool | None = None,
        started_at_from: Date | None = None,
        started_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            commit (str, optional): Only runs whose commit contains this text.
            project_id (str, optional): Only runs of this project.
            cancelled (bool, optional): Only runs that are cancelled (true) or not (false).
            started_at_from (str, optional): Only runs whose `started_at` is on this day or later.
            started_at_to (str, optional): Only runs whose `started_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (commit is None or commit.casefold() in run["commit"].casefold())
            and (project_id is None or run["project_id"] == project_id)
            and (cancelled is None or run["cancelled"] == cancelled)
            and (started_at_from is None or run["started_at"][:10] >= started_at_from)
            and (started_at_to is None or run["started_at"][:10] <= started_at_to)
        ]
        shown = [self._show_run(run) for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def list_jobs(
        self,
        run_id: str | None = None,
        kind_id: str | None = None,
        runner_id: str | None = None,
        status: Literal["waiting", "running", "skipped", "cancelled", "passed", "failed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            run_id (str, optional): Only jobs of this run.
            kind_id (str, optional): Only jobs whose kind is this job kind.
            runner_id (str, optional): Only jobs of this runner.
            status (str, optional): Only jobs with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if run_id is not None and run_id not in self.runs:
            return _refused(f"There is no run {run_id!r}.")
        if kind_id is not None and kind_id not in self.job_kinds:
            return _refused(f"There is no job kind {kind_id!r}.")
        if runner_id is not None and runner_id not in self.runners:
            return _refused(f"There is no runner {runner_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (run_id is None or job["run_id"] == run_id)
            and (kind_id is None or job["kind_id"] == kind_id)
            and (runner_id is None or job["runner_id"] == runner_id)
            and (status is None or job["status"] == status)
        ]
        shown = [{**job} for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def list_environments(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        after_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the environments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only environments whose name contains this text.
            project_id (str, optional): Only environments of this project.
            after_id (str, optional): Only environments after this environment.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "environments": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if after_id is not None and after_id not in self.environments:
            return _refused(f"There is no environment {after_id!r}.")
        found = [
            environment
            for environment in self.environments.values()
            if (name is None or name.casefold() in environment["name"].casefold())
            and (project_id is None or environment["project_id"] == project_id)
            and (after_id is None or environment["after_id"] == after_id)
        ]
        shown = [self._show_environment(environment) for environment in _page(found, offset)]
        return _found({"total": len(found), "environments": shown}, self._names_of_environments(shown))

    def list_deployments(
        self,
        run_id: str | None = None,
        environment_id: str | None = None,
        asked_by_id: str | None = None,
        status: Literal["asked", "live", "refused", "replaced"] | None = None,
        asked_at_from: Date | None = None,
        asked_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deployments, oldest first, all of them or only some.

        Args:
            run_id (str, optional): Only deployments of this run.
            environment_id (str, optional): Only deployments of this environment.
            asked_by_id (str, optional): Only deployments asked by this person.
            status (str, optional): Only deployments with this status.
            asked_at_from (str, optional): Only deployments whose `asked_at` is on this day or later.
            asked_at_to (str, optional): Only deployments whose `asked_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deployments": records}}
        """
        if run_id is not None and run_id not in self.runs:
            return _refused(f"There is no run {run_id!r}.")
        if environment_id is not None and environment_id not in self.environments:
            return _refused(f"There is no environment {environment_id!r}.")
        if asked_by_id is not None and asked_by_id not in self.people:
            return _refused(f"There is no person {asked_by_id!r}.")
        found = [
            deployment
            for deployment in self.deployments.values()
            if (run_id is None or deployment["run_id"] == run_id)
            and (environment_id is None or deployment["environment_id"] == environment_id)
            and (asked_by_id is None or deployment["asked_by_id"] == asked_by_id)
            and (status is None or deployment["status"] == status)
            and (asked_at_from is None or deployment["asked_at"][:10] >= asked_at_from)
            and (asked_at_to is None or deployment["asked_at"][:10] <= asked_at_to)
        ]
        shown = [self._show_deployment(deployment) for deployment in _page(found, offset)]
        return _found({"total": len(found), "deployments": shown}, self._names_of_deployments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_run(self, project_id: str, commit: Text, branch: Text, cancel_older: bool = False) -> Result:
        """Start a pipeline for a commit; older runs of the same branch that have not begun to pass anything further
        may be cancelled.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            commit (str): Commit that is built, without a run so far.
            branch (str): Name of the branch with the commit.
            cancel_older (bool): Whether unfinished older runs of the same branch are cancelled. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if self._runs_by_lower_commit.get(commit.lower(), {}):
            return _refused(f"Commit {commit} has a run already.")
        if not self._job_kinds_by_project.get(project_id, {}):
            return _refused(f"{project['name']} has no jobs.")
        self._journal = []
        changed_runs: list[Any] = []
        changed_jobs: list[Any] = []
        former_runner_ids: list[Any] = []
        changed_jobs_2: list[Any] = []
        added_jobs: list[Any] = []
        if cancel_older:
            for r in [
                r
                for r in sorted(self._runs_by_project.get(project_id, {}).values(), key=_age)
                if r["branch"] == branch
                and not r["cancelled"]
                and self._run_unfinished(r) > 0
            ]:
                changed_runs.append(r)
                self._put("runs", r, "cancelled", True)
                for j in [
                    j
                    for j in sorted(self._jobs_by_run.get(r["id"], {}).values(), key=_age)
                    if j["status"] not in ("passed", "cancelled")
                ]:
                    changed_jobs.append(j)
                    former_runner_ids.append(j["runner_id"])
                    self._put("jobs", j, "runner_id", None)
                    if j["status"] not in ("waiting", "running", "skipped", "cancelled", "failed"):
                        return self._take_back(f"Job {j['id']} cannot go from {j['status']} to cancelled.")
                    changed_jobs_2.append(j)
                    self._put("jobs", j, "status", "cancelled")
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "commit": commit,
            "project_id": project_id,
            "branch": branch,
            "started_at": self.now,
            "cancelled": False,
        }
        self._add("runs", run)
        for k in sorted(self._job_kinds_by_project.get(project_id, {}).values(), key=_age):
            job = {
                "id": self._new_id("job", "JOB", self.jobs),
                "run_id": run["id"],
                "kind_id": k["id"],
                "runner_id": None,
                "tries": 0,
                "status": "waiting",
            }
            self._add("jobs", job)
            added_jobs.append(job)
        if len(self._runs_by_commit.get(run["commit"], {})) > 1:
            return self._take_back(f"There is already a run with the commit {run['commit']!r}.")
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_1_j(one_job):
                return self._take_back(RULES[0])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_1_j_again(one_job):
                return self._take_back(RULES[0])
        for one_job in _distinct(
            [
                *changed_jobs_2,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_jobs_2]
                    for user in self._jobs_by_run.get(one["id"], {}).values()
                ],
                *added_jobs,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in added_jobs]
                    for user in self._jobs_by_run.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([*changed_jobs, *changed_jobs_2, *added_jobs]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct([*changed_jobs, *added_jobs]):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_runner in _distinct(
            [
                *[self.runners.get(one["runner_id"]) for one in changed_jobs],
                *[self.runners.get(key) for key in former_runner_ids],
                *[self.runners.get(one["runner_id"]) for one in added_jobs],
            ]
        ):
            if self._breaks_rule_4(one_runner):
                return self._take_back(RULES[3])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct([*changed_jobs_2, *added_jobs]):
            if self._breaks_rule_6_j(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([*changed_jobs_2, *added_jobs]):
            if self._breaks_rule_6_k(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(
            [
                *[user for one in changed_runs for user in self._jobs_by_run.get(one["id"], {}).values()],
                *changed_jobs_2,
                *added_jobs,
            ]
        ):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: start a run of {project['name']} for {commit} (new: run {run['id']}).",
            "data": {"run_id": run["id"], **self._changes()},
        }

    def start_job(self, job_id: str, runner_id: str) -> Result:
        """Start a waiting job on a runner; that counts as a try.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            runner_id (str): Id of the runner, such as RUNNER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        runner = self.runners.get(runner_id)
        if runner is None:
            return _refused(f"There is no runner {runner_id!r}.")
        if job["status"] != "waiting":
            return _refused(f"{self.job_kinds[job['kind_id']]['name']} is {job['status']}.")
        gap = next((each for each in self._lacking(job)), None)
        if gap is not None:
            return _refused(
                f"{self.job_kinds[job['kind_id']]['name']} needs {gap['name']}, which has not passed in this run."
            )
        if job["tries"] >= self.job_kinds[job["kind_id"]]["most_tries"]:
            return _refused(
                f"{self.job_kinds[job['kind_id']]['name']} has been tried {job['tries']} times, which is all it gets."
            )
        other = self._turn_taken(self.job_kinds[job["kind_id"]])
        if other is not None:
            return _refused(
                f"{self.job_kinds[other['kind_id']]['name']} of {self.runs[other['run_id']]['commit']} has the "
                "turn, so wait until it is done."
            )
        if runner["state"] != "online":
            return _refused(f"{runner['name']} is {runner['state']}.")
        if self.job_kinds[job["kind_id"]]["label"] not in runner["labels"]:
            return _refused(f"{runner['name']} is no {self.job_kinds[job['kind_id']]['label']} runner.")
        if self._runner_busy(runner) >= runner["slots"]:
            return _refused(f"All {runner['slots']} slots of {runner['name']} are in use.")
        self._journal = []
        former_runner_id = job["runner_id"]
        self._put("jobs", job, "runner_id", runner_id)
        tries = job["tries"] + 1
        if not 0 <= tries <= 5:
            return self._take_back(f"The tries of {job['id']} must be between 0 and 5.")
        self._put("jobs", job, "tries", tries)
        self._put("jobs", job, "status", "running")
        for one_job in _distinct([job, *self._jobs_by_run.get(job["run_id"], {}).values()]):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_j(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_j_again(job):
            return self._take_back(RULES[2])
        for one_runner in _distinct([self.runners.get(job["runner_id"]), self.runners.get(former_runner_id)]):
            if self._breaks_rule_4(one_runner):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_j(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_k(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: start {self.job_kinds[job['kind_id']]['name']} of {self.runs[job['run_id']]['commit']} on "
                f"{runner['name']}."
            ),
            "data": self._changes(),
        }

    def finish_job(self, job_id: str, passed: bool) -> Result:
        """Report that a running job has passed or failed; after a failure everything in the run that depends on it is
        skipped.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            passed (bool): Whether the job has passed, as opposed to failed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "running":
            return _refused(f"{self.job_kinds[job['kind_id']]['name']} is {job['status']}.")
        self._journal = []
        changed_jobs: list[Any] = []
        former_runner_id = job["runner_id"]
        self._put("jobs", job, "runner_id", None)
        status = "passed" if passed else "failed"
        self._put("jobs", job, "status", status)
        if not passed:
            for k in list(_below(self._job_kinds_by_needs, self.job_kinds[job["kind_id"]])):
                for j in sorted(
                    self._jobs_by_run_kind_status.get((job["run_id"], k["id"], "waiting"), {}).values(),
                    key=_age,
                ):
                    if j["status"] not in ("waiting", "skipped"):
                        return self._take_back(f"Job {j['id']} cannot go from {j['status']} to skipped.")
                    changed_jobs.append(j)
                    self._put("jobs", j, "status", "skipped")
        for one_job in _distinct(
            [
                job,
                *self._jobs_by_run.get(job["run_id"], {}).values(),
                *changed_jobs,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_jobs]
                    for user in self._jobs_by_run.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        if self._breaks_rule_3_j_again(job):
            return self._take_back(RULES[2])
        for one_runner in _distinct([self.runners.get(job["runner_id"]), self.runners.get(former_runner_id)]):
            if self._breaks_rule_4(one_runner):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_6_j(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_6_k(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: report {self.job_kinds[job['kind_id']]['name']} of {self.runs[job['run_id']]['commit']}."
            ),
            "data": self._changes(),
        }

    def retry_job(self, job_id: str) -> Result:
        """Let a failed job wait for another try, and with it what was skipped because of it.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "failed":
            return _refused(f"{self.job_kinds[job['kind_id']]['name']} is {job['status']}, not failed.")
        if self.runs[job["run_id"]]["cancelled"]:
            return _refused(f"The run of {self.runs[job['run_id']]['commit']} is cancelled.")
        if job["tries"] >= self.job_kinds[job["kind_id"]]["most_tries"]:
            return _refused(
                f"{self.job_kinds[job['kind_id']]['name']} has been tried {job['tries']} times, which is all it gets."
            )
        self._journal = []
        changed_jobs: list[Any] = []
        self._put("jobs", job, "status", "waiting")
        for k in list(_below(self._job_kinds_by_needs, self.job_kinds[job["kind_id"]])):
            for j in sorted(
                self._jobs_by_run_kind_status.get((job["run_id"], k["id"], "skipped"), {}).values(),
                key=_age,
            ):
                if not any(
                    o["status"] == "failed"
                    and self.job_kinds[o["kind_id"]] in _above(
                        self.job_kinds,
                        self.job_kinds[j["kind_id"]],
                        "need_ids",
                    )
                    for o in self._jobs_by_run.get(job["run_id"], {}).values()
                    if o is not job
                ):
                    if j["status"] not in ("waiting", "running", "skipped", "failed"):
                        return self._take_back(f"Job {j['id']} cannot go from {j['status']} to waiting.")
                    changed_jobs.append(j)
                    self._put("jobs", j, "status", "waiting")
        for one_job in _distinct(
            [
                job,
                *self._jobs_by_run.get(job["run_id"], {}).values(),
                *changed_jobs,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_jobs]
                    for user in self._jobs_by_run.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_6_j(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_6_k(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([job, *changed_jobs]):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: retry {self.job_kinds[job['kind_id']]['name']} of {self.runs[job['run_id']]['commit']}."
            ),
            "data": self._changes(),
        }

    def cancel_run(self, run_id: str) -> Result:
        """Cancel a run with everything in it that has not passed.

        Args:
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["cancelled"]:
            return _refused(f"The run of {run['commit']} is cancelled already.")
        if self._run_unfinished(run) <= 0:
            return _refused(f"The run of {run['commit']} is complete.")
        self._journal = []
        changed_jobs: list[Any] = []
        former_runner_ids: list[Any] = []
        changed_jobs_2: list[Any] = []
        for j in [
            j
            for j in sorted(self._jobs_by_run.get(run_id, {}).values(), key=_age)
            if j["status"] not in ("passed", "cancelled")
        ]:
            changed_jobs.append(j)
            former_runner_ids.append(j["runner_id"])
            self._put("jobs", j, "runner_id", None)
            if j["status"] not in ("waiting", "running", "skipped", "cancelled", "failed"):
                return self._take_back(f"Job {j['id']} cannot go from {j['status']} to cancelled.")
            changed_jobs_2.append(j)
            self._put("jobs", j, "status", "cancelled")
        self._put("runs", run, "cancelled", True)
        for one_job in _distinct(
            [
                *changed_jobs_2,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_jobs_2]
                    for user in self._jobs_by_run.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([*changed_jobs, *changed_jobs_2]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_runner in _distinct(
            [
                *[self.runners.get(one["runner_id"]) for one in changed_jobs],
                *[self.runners.get(key) for key in former_runner_ids],
            ]
        ):
            if self._breaks_rule_4(one_runner):
                return self._take_back(RULES[3])
        for one_job in _distinct(changed_jobs_2):
            if self._breaks_rule_6_j(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(changed_jobs_2):
            if self._breaks_rule_6_k(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([*changed_jobs_2, *self._jobs_by_run.get(run["id"], {}).values()]):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: cancel the run of {run['commit']}.", "data": self._changes()}

    def set_runner(self, runner_id: str, state: Literal["online", "draining", "offline"]) -> Result:
        """Take a runner online, let it drain, or take it offline, which sends its jobs back to wait without costing
        them a try.

        Args:
            runner_id (str): Id of the runner, such as RUNNER-00001.
            state (str): New state of the runner, where a draining one takes no new jobs: online, draining or
                offline.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        runner = self.runners.get(runner_id)
        if runner is None:
            return _refused(f"There is no runner {runner_id!r}.")
        if state == runner["state"]:
            return _refused(f"{runner['name']} is {state} already.")
        if state == "draining" and runner["state"] != "online":
            return _refused(f"{runner['name']} is {runner['state']}; only what is online is drained.")
        self._journal = []
        changed_jobs: list[Any] = []
        changed_jobs_2: list[Any] = []
        former_runner_ids: list[Any] = []
        changed_jobs_3: list[Any] = []
        if state == "offline":
            for j in sorted(self._jobs_by_runner.get(runner_id, {}).values(), key=_age):
                tries = max(j["tries"] - 1, 0)
                if not 0 <= tries <= 5:
                    return self._take_back(f"The tries of {j['id']} must be between 0 and 5.")
                changed_jobs.append(j)
                self._put("jobs", j, "tries", tries)
                changed_jobs_2.append(j)
                former_runner_ids.append(j["runner_id"])
                self._put("jobs", j, "runner_id", None)
                if j["status"] not in ("waiting", "running", "skipped", "failed"):
                    return self._take_back(f"Job {j['id']} cannot go from {j['status']} to waiting.")
                changed_jobs_3.append(j)
                self._put("jobs", j, "status", "waiting")
        if runner["state"] != state and (runner["state"], state) not in RUNNER_STATE_MOVES:
            return self._take_back(f"Runner {runner['name']} cannot go from {runner['state']} to {state}.")
        self._put("runners", runner, "state", state)
        for one_job in _distinct(
            [
                *changed_jobs_3,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_jobs_3]
                    for user in self._jobs_by_run.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([*changed_jobs_2, *changed_jobs_3]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct(changed_jobs_2):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_runner in _distinct(
            [
                runner,
                *[self.runners.get(one["runner_id"]) for one in changed_jobs_2],
                *[self.runners.get(key) for key in former_runner_ids],
            ]
        ):
            if self._breaks_rule_4(one_runner):
                return self._take_back(RULES[3])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_6_j(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_6_k(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: set {runner['name']} {state}.", "data": self._changes()}

    def ask_deployment(self, run_id: str, environment_id: str, by_id: str) -> Result:
        """Ask for the deployment of a complete run to an environment.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            environment_id (str): Id of the environment, such as ENVIRONMENT-00001.
            by_id (str): Person who asks for it and may not approve it later; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        environment = self.environments.get(environment_id)
        if environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if run["project_id"] != environment["project_id"]:
            return _refused(
                f"{environment['name']} belongs to {self.projects[environment['project_id']]['name']}, not to "
                f"{self.projects[run['project_id']]['name']}."
            )
        if not self._complete(run):
            return _refused(f"The run of {run['commit']} is not complete.")
        if self._deployments_by_run_environment_status.get((run_id, environment_id, "asked"), {}):
            return _refused("That has been asked for already.")
        live = self._live_in(environment)
        if live is not None and live["run_id"] == run_id:
            return _refused(f"{run['commit']} is live in {environment['name']}.")
        self._journal = []
        deployment: Deployment = {
            "id": self._new_id("deployment", "DEPLOYMENT", self.deployments),
            "run_id": run_id,
            "environment_id": environment_id,
            "asked_by_id": by_id,
            "approved_by_ids": [record["id"] for record in []],
            "asked_at": self.now,
            "live_since": None,
            "status": "asked",
        }
        self._add("deployments", deployment)
        if self._breaks_rule_8(deployment):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_d(deployment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_d_again(deployment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_d(deployment):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_d_again(deployment):
            return self._take_back(RULES[9])
        for one_deployment in _distinct(
            [deployment, *self._deployments_by_run_status.get((deployment["run_id"], "live"), {}).values()]
        ):
            if self._breaks_rule_11(one_deployment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: ask for {run['commit']} in {environment['name']} as {by['name']} (new: deployment "
                f"{deployment['id']})."
            ),
            "data": {"deployment_id": deployment["id"], **self._changes()},
        }

    def approve_deployment(self, deployment_id: str, by_id: str) -> Result:
        """Approve a deployment that was asked for, as one of the environment's approvers.

        Args:
            deployment_id (str): Id of the deployment, such as DEPLOYMENT-00001.
            by_id (str): Approver of the environment, other than whoever asked for it; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deployment = self.deployments.get(deployment_id)
        if deployment is None:
            return _refused(f"There is no deployment {deployment_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if deployment["status"] != "asked":
            return _refused(f"The deployment is {deployment['status']}.")
        if by_id not in self.environments[deployment["environment_id"]]["approver_ids"]:
            return _refused(
                f"{by['name']} is no approver of {self.environments[deployment['environment_id']]['name']}."
            )
        if by_id == deployment["asked_by_id"]:
            return _refused(f"{by['name']} asked for it, so somebody else must approve.")
        if by_id in deployment["approved_by_ids"]:
            return _refused(f"{by['name']} has approved it already.")
        self._journal = []
        self._put(
            "deployments",
            deployment,
            "approved_by_ids",
            [record["id"] for record in _those(self.people, [*deployment["approved_by_ids"], by_id])],
        )
        if self._breaks_rule_9_d(deployment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_d_again(deployment):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: approve {self.runs[deployment['run_id']]['commit']} for "
                f"{self.environments[deployment['environment_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def refuse_deployment(self, deployment_id: str, by_id: str) -> Result:
        """Refuse a deployment that was asked for.

        Args:
            deployment_id (str): Id of the deployment, such as DEPLOYMENT-00001.
            by_id (str): Approver of the environment or whoever asked for it; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deployment = self.deployments.get(deployment_id)
        if deployment is None:
            return _refused(f"There is no deployment {deployment_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if deployment["status"] != "asked":
            return _refused(f"The deployment is {deployment['status']}.")
        if (
            by_id not in self.environments[deployment["environment_id"]]["approver_ids"]
            and by_id != deployment["asked_by_id"]
        ):
            return _refused(
                f"{by['name']} is no approver of {self.environments[deployment['environment_id']]['name']}."
            )
        self._journal = []
        self._put("deployments", deployment, "status", "refused")
        if self._breaks_rule_9_d(deployment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_d(deployment):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_d_again(deployment):
            return self._take_back(RULES[9])
        for one_deployment in _distinct(
            [deployment, *self._deployments_by_run_status.get((deployment["run_id"], "live"), {}).values()]
        ):
            if self._breaks_rule_11(one_deployment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: refuse {self.runs[deployment['run_id']]['commit']} for "
                f"{self.environments[deployment['environment_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def go_live(self, deployment_id: str) -> Result:
        """Carry a deployment out once it has its approvals; what was live there is replaced, unless its run is the
        newer one.

        Args:
            deployment_id (str): Id of the deployment, such as DEPLOYMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deployment = self.deployments.get(deployment_id)
        if deployment is None:
            return _refused(f"There is no deployment {deployment_id!r}.")
        if deployment["status"] != "asked":
            return _refused(f"The deployment is {deployment['status']}.")
        environment = self.environments[deployment["environment_id"]]
        if len(deployment["approved_by_ids"]) < environment["approvals"]:
            return _refused(
                f"{environment['name']} wants {environment['approvals']} approvals and there are "
                f"{len(deployment['approved_by_ids'])}."
            )
        if not self._been_in(self.runs[deployment["run_id"]], self.environments.get(environment["after_id"])):
            return _refused(
                f"{self.runs[deployment['run_id']]['commit']} has not been in the environment before "
                f"{environment['name']}."
            )
        if not self._complete(self.runs[deployment["run_id"]]):
            return _refused(f"The run of {self.runs[deployment['run_id']]['commit']} is not complete.")
        present = self._newer_live(self.runs[deployment["run_id"]], environment)
        if present is not None:
            return _refused(
                f"{self.runs[present['run_id']]['commit']}, which is live in {environment['name']}, is newer than "
                f"{self.runs[deployment['run_id']]['commit']}; to go back is a roll back, and a newer run takes a "
                "new deployment."
            )
        self._journal = []
        changed_deployments: list[Any] = []
        for d in sorted(
            self._deployments_by_environment_status.get((environment["id"], "live"), {}).values(),
            key=_age,
        ):
            if d["status"] not in ("live", "replaced"):
                return self._take_back(f"Deployment {d['id']} cannot go from {d['status']} to replaced.")
            changed_deployments.append(d)
            self._put("deployments", d, "status", "replaced")
        self._put("deployments", deployment, "live_since", self.now)
        if deployment["status"] not in ("asked", "live", "replaced"):
            return self._take_back(f"Deployment {deployment['id']} cannot go from {deployment['status']} to live.")
        self._put("deployments", deployment, "status", "live")
        for one_deployment in _distinct([deployment, *changed_deployments]):
            if self._breaks_rule_9_d(one_deployment):
                return self._take_back(RULES[8])
        for one_deployment in _distinct([deployment, *changed_deployments]):
            if self._breaks_rule_10_d(one_deployment):
                return self._take_back(RULES[9])
        for one_deployment in _distinct([deployment, *changed_deployments]):
            if self._breaks_rule_10_d_again(one_deployment):
                return self._take_back(RULES[9])
        for one_deployment in _distinct(
            [
                deployment,
                *changed_deployments,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_deployments]
                    for user in self._deployments_by_run_status.get((one["id"], "live"), {}).values()
                ],
                *self._deployments_by_run_status.get((deployment["run_id"], "live"), {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_deployment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: let {self.runs[deployment['run_id']]['commit']} go live in "
                f"{self.environments[deployment['environment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def roll_back(self, deployment_id: str, by_id: str) -> Result:
        """Roll an environment back to a deployment that was live there before.

        Args:
            deployment_id (str): Id of the deployment, such as DEPLOYMENT-00001.
            by_id (str): Operator who rolls it back; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deployment = self.deployments.get(deployment_id)
        if deployment is None:
            return _refused(f"There is no deployment {deployment_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if deployment["status"] != "replaced":
            return _refused(f"The deployment is {deployment['status']}.")
        if by["duty"] != "operator":
            return _refused(f"{by['name']} is no operator.")
        self._journal = []
        changed_deployments: list[Any] = []
        for d in sorted(
            self._deployments_by_environment_status.get((deployment["environment_id"], "live"), {}).values(),
            key=_age,
        ):
            if d["status"] not in ("live", "replaced"):
                return self._take_back(f"Deployment {d['id']} cannot go from {d['status']} to replaced.")
            changed_deployments.append(d)
            self._put("deployments", d, "status", "replaced")
        self._put("deployments", deployment, "live_since", self.now)
        if deployment["status"] not in ("asked", "live", "replaced"):
            return self._take_back(f"Deployment {deployment['id']} cannot go from {deployment['status']} to live.")
        self._put("deployments", deployment, "status", "live")
        for one_deployment in _distinct([deployment, *changed_deployments]):
            if self._breaks_rule_9_d(one_deployment):
                return self._take_back(RULES[8])
        for one_deployment in _distinct([deployment, *changed_deployments]):
            if self._breaks_rule_10_d(one_deployment):
                return self._take_back(RULES[9])
        for one_deployment in _distinct([deployment, *changed_deployments]):
            if self._breaks_rule_10_d_again(one_deployment):
                return self._take_back(RULES[9])
        for one_deployment in _distinct(
            [
                deployment,
                *changed_deployments,
                *[
                    user
                    for one in [self.runs[one["run_id"]] for one in changed_deployments]
                    for user in self._deployments_by_run_status.get((one["id"], "live"), {}).values()
                ],
                *self._deployments_by_run_status.get((deployment["run_id"], "live"), {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_deployment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: roll {self.environments[deployment['environment_id']]['name']} back to "
                f"{self.runs[deployment['run_id']]['commit']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def _show_runner(self, runner: Runner) -> dict[str, Any]:
        """The runner as an answer shows it."""
        return {**runner, "labels": [*runner["labels"]], "busy": self._runner_busy(runner)}

    def _show_job_kind(self, job_kind: JobKind) -> dict[str, Any]:
        """The job kind as an answer shows it."""
        return {**job_kind, "need_ids": [*job_kind["need_ids"]]}

    def _show_run(self, run: Run) -> dict[str, Any]:
        """The run as an answer shows it."""
        return {**run, "passed": self._run_passed(run), "unfinished": self._run_unfinished(run)}

    def _show_environment(self, environment: Environment) -> dict[str, Any]:
        """The environment as an answer shows it."""
        return {**environment, "approver_ids": [*environment["approver_ids"]]}

    def _show_deployment(self, deployment: Deployment) -> dict[str, Any]:
        """The deployment as an answer shows it."""
        return {**deployment, "approved_by_ids": [*deployment["approved_by_ids"]]}

    def _names_of_job_kinds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that job kinds point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.job_kinds, "name", [each for row in shown for each in row["need_ids"]]),
        )

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names((self.projects, "name", [row["project_id"] for row in shown]))

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.runs, "commit", [row["run_id"] for row in shown]),
            (self.job_kinds, "name", [row["kind_id"] for row in shown]),
            (self.runners, "name", [row["runner_id"] for row in shown]),
        )

    def _names_of_environments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that environments point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.environments, "name", [row["after_id"] for row in shown]),
            (self.people, "name", [each for row in shown for each in row["approver_ids"]]),
        )

    def _names_of_deployments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deployments point to."""
        return _names(
            (self.runs, "commit", [row["run_id"] for row in shown]),
            (self.environments, "name", [row["environment_id"] for row in shown]),
            (self.people, "name", [row["asked_by_id"] for row in shown]),
            (self.people, "name", [each for row in shown for each in row["approved_by_ids"]]),
        )

    def _runner_busy(self, runner: Runner) -> int:
        """The busy of a runner."""
        return len(self._jobs_by_runner.get(runner["id"], {}))

    def _run_passed(self, run: Run) -> int:
        """The passed of a run."""
        return len(self._jobs_by_run_status.get((run["id"], "passed"), {}))

    def _run_unfinished(self, run: Run) -> int:
        """The unfinished of a run."""
        return sum(1 for j in self._jobs_by_run.get(run["id"], {}).values() if j["status"] != "passed")

    def _lacking(self, j: Job) -> list[JobKind]:
        return [
            n
            for n in [self.job_kinds[key] for key in self.job_kinds[j["kind_id"]]["need_ids"]]
            if not any(
                o["status"] == "passed"
                for o in self._jobs_by_run_kind.get((j["run_id"], n["id"]), {}).values()
            )
        ]

    def _turn_taken(self, k: JobKind) -> Job | None:
        return next(
            (
                j
                for j in sorted(self._jobs_by_status.get("running", {}).values(), key=_age)
                if k["turn"] is not None
                and self.job_kinds[j["kind_id"]]["turn"] == k["turn"]
            ),
            None,
        )

    def _complete(self, r: Run) -> bool:
        return not r["cancelled"] and self._run_unfinished(r) == 0 and self._run_passed(r) > 0

    def _live_in(self, e: Environment) -> Deployment | None:
        return next(
            (
                d
                for d in sorted(self._deployments_by_environment_status.get((e["id"], "live"), {}).values(), key=_age)
            ),
            None,
        )

    def _been_in(self, r: Run, e: Environment | None) -> bool:
        return (
            e is None
            or any(
                d["status"] in ("live", "replaced")
                and d["environment_id"] == e["id"]
                for d in self._deployments_by_run.get(r["id"], {}).values()
            )
        )

    def _newer_live(self, r: Run, e: Environment) -> Deployment | None:
        return next(
            (
                d
                for d in sorted(self._deployments_by_environment_status.get((e["id"], "live"), {}).values(), key=_age)
                if self.runs[d["run_id"]]["started_at"] > r["started_at"]
            ),
            None,
        )

    def _startable(self, j: Job) -> bool:
        return (
            j["status"] == "waiting"
            and len(self._lacking(j)) == 0
            and j["tries"] < self.job_kinds[j["kind_id"]]["most_tries"]
            and self._turn_taken(self.job_kinds[j["kind_id"]]) is None
        )

    def _could_run(self, w: Runner, k: JobKind) -> bool:
        return w["state"] == "online" and k["label"] in w["labels"] and self._runner_busy(w) < w["slots"]

    def _breaks_rule_1_j(self, j: Job) -> bool:
        """Whether this is broken: a run has each kind of job of its project once."""
        return any(
            other_j is not j
            for other_j in self._jobs_by_run_kind.get((j["run_id"], j["kind_id"]), {}).values()
        )

    def _breaks_rule_1_j_again(self, j: Job) -> bool:
        """Whether this is broken: a run has each kind of job of its project once."""
        return self.job_kinds[j["kind_id"]]["project_id"] != self.runs[j["run_id"]]["project_id"]

    def _breaks_rule_2(self, j: Job) -> bool:
        """Whether this is broken: a job starts only after everything it needs has passed in the same run."""
        return (
            j["status"] in ("running", "passed")
            and any(
                not any(
                    o["status"] == "passed"
                    and o["kind_id"] == n["id"]
                    for o in self._jobs_by_run.get(j["run_id"], {}).values()
                )
                for n in [self.job_kinds[key] for key in self.job_kinds[j["kind_id"]]["need_ids"]]
            )
        )

    def _breaks_rule_3_j(self, j: Job) -> bool:
        """Whether this is broken: running jobs, and only these, occupy a runner that has the label they want."""
        return (j["status"] == "running") != (j["runner_id"] is not None)

    def _breaks_rule_3_j_again(self, j: Job) -> bool:
        """Whether this is broken: running jobs, and only these, occupy a runner that has the label they want."""
        return (
            j["runner_id"] is not None
            and self.job_kinds[j["kind_id"]]["label"] not in self.runners[j["runner_id"]]["labels"]
        )

    def _breaks_rule_4(self, w: Runner) -> bool:
        """Whether this is broken: a runner never has more jobs than slots, and none while it is offline."""
        return self._runner_busy(w) > (0 if w["state"] == "offline" else w["slots"])

    def _breaks_rule_5(self, j: Job) -> bool:
        """Whether this is broken: nothing is tried more often than its kind allows."""
        return j["tries"] > self.job_kinds[j["kind_id"]]["most_tries"]

    def _breaks_rule_6_j(self, j: Job) -> bool:
        """Whether this is broken: jobs that take turns run one at a time."""
        return (
            j["status"] == "running"
            and self.job_kinds[j["kind_id"]]["turn"] is not None
            and any(
                j is not k
                for k in self._jobs_by_status.get("running", {}).values()
                if self.job_kinds[k["kind_id"]]["turn"] == self.job_kinds[j["kind_id"]]["turn"]
            )
        )

    def _breaks_rule_6_k(self, k: Job) -> bool:
        """Whether this is broken: jobs that take turns run one at a time."""
        return (
            k["status"] == "running"
            and any(
                j is not k
                for j in self._jobs_by_status.get("running", {}).values()
                if self.job_kinds[j["kind_id"]]["turn"] is not None
                and self.job_kinds[k["kind_id"]]["turn"] == self.job_kinds[j["kind_id"]]["turn"]
            )
        )

    def _breaks_rule_7(self, j: Job) -> bool:
        """Whether this is broken: a cancelled run has nothing waiting or running."""
        return self.runs[j["run_id"]]["cancelled"] and j["status"] in ("waiting", "running")

    def _breaks_rule_8(self, d: Deployment) -> bool:
        """Whether this is broken: a deployment brings a run of the project's own to one of its environments."""
        return self.runs[d["run_id"]]["project_id"] != self.environments[d["environment_id"]]["project_id"]

    def _breaks_rule_9_d(self, d: Deployment) -> bool:
        """Whether this is broken: what is or was live had all the approvals of its environment, none of them from
        whoever asked.
        """
        return (
            d["status"] in ("live", "replaced")
            and len(d["approved_by_ids"]) < self.environments[d["environment_id"]]["approvals"]
        )

    def _breaks_rule_9_d_again(self, d: Deployment) -> bool:
        """Whether this is broken: what is or was live had all the approvals of its environment, none of them from
        whoever asked.
        """
        return not (
            d["asked_by_id"] not in d["approved_by_ids"]
            and _different([p["id"] for p in [self.people[key] for key in d["approved_by_ids"]]])
        )

    def _breaks_rule_10_d(self, d: Deployment) -> bool:
        """Whether this is broken: one deployment is live in an environment, and none is asked for twice at a time.
        """
        return (
            d["status"] == "live"
            and any(
                other_d is not d
                for other_d in self._deployments_by_environment_status.get((d["environment_id"], "live"), {}).values()
            )
        )

    def _breaks_rule_10_d_again(self, d: Deployment) -> bool:
        """Whether this is broken: one deployment is live in an environment, and none is asked for twice at a time.
        """
        return (
            d["status"] == "asked"
            and any(
                other_d is not d
                for other_d in self._deployments_by_run_environment_status.get(
                    (d["run_id"], d["environment_id"], "asked"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_11(self, d: Deployment) -> bool:
        """Whether this is broken: a run is live only where it has been in the environment before."""
        return (
            d["status"] == "live"
            and not self._been_in(
                self.runs[d["run_id"]],
                self.environments.get(self.environments[d["environment_id"]]["after_id"]),
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
            case "job_kinds":
                for key in record["need_ids"]:
                    self._job_kinds_by_needs.setdefault(key, {})[record["id"]] = record
                self._job_kinds_by_project.setdefault(record["project_id"], {})[record["id"]] = record
            case "runs":
                self._runs_by_commit.setdefault(record["commit"], {})[record["id"]] = record
                self._runs_by_lower_commit.setdefault(record["commit"].lower(), {})[record["id"]] = record
                self._runs_by_project.setdefault(record["project_id"], {})[record["id"]] = record
            case "jobs":
                self._jobs_by_run.setdefault(record["run_id"], {})[record["id"]] = record
                self._jobs_by_run_kind.setdefault((record["run_id"], record["kind_id"]), {})[record["id"]] = record
                self._jobs_by_run_kind_status.setdefault(
                    (record["run_id"], record["kind_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._jobs_by_run_status.setdefault((record["run_id"], record["status"]), {})[record["id"]] = record
                self._jobs_by_runner.setdefault(record["runner_id"], {})[record["id"]] = record
                self._jobs_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "deployments":
                self._deployments_by_environment_status.setdefault(
                    (record["environment_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._deployments_by_run.setdefault(record["run_id"], {})[record["id"]] = record
                self._deployments_by_run_environment_status.setdefault(
                    (record["run_id"], record["environment_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._deployments_by_run_status.setdefault(
                    (record["run_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "job_kinds":
                for key in record["need_ids"]:
                    self._job_kinds_by_needs[key].pop(record["id"], None)
                del self._job_kinds_by_project[record["project_id"]][record["id"]]
            case "runs":
                del self._runs_by_commit[record["commit"]][record["id"]]
                del self._runs_by_lower_commit[record["commit"].lower()][record["id"]]
                del self._runs_by_project[record["project_id"]][record["id"]]
            case "jobs":
                del self._jobs_by_run[record["run_id"]][record["id"]]
                del self._jobs_by_run_kind[record["run_id"], record["kind_id"]][record["id"]]
                del self._jobs_by_run_kind_status[record["run_id"], record["kind_id"], record["status"]][record["id"]]
                del self._jobs_by_run_status[record["run_id"], record["status"]][record["id"]]
                del self._jobs_by_runner[record["runner_id"]][record["id"]]
                del self._jobs_by_status[record["status"]][record["id"]]
            case "deployments":
                del self._deployments_by_environment_status[record["environment_id"], record["status"]][record["id"]]
                del self._deployments_by_run[record["run_id"]][record["id"]]
                del self._deployments_by_run_environment_status[
                    record["run_id"],
                    record["environment_id"],
                    record["status"],
                ][record["id"]]
                del self._deployments_by_run_status[record["run_id"], record["status"]][record["id"]]
