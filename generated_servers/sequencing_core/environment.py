"""Sequencing core. Compiled from blueprint.yaml; run `envscaler build sequencing_core` after changing it there.

Runs a sequencing core facility - libraries with index barcodes that may not clash in a pool, a quality gate,
lanes that must all be filled, reads shared out by need and the credit of projects.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No two libraries of a pool have indexes that clash.",
    "Only libraries that passed the quality gate are in a pool that is not done.",
    "A library that passed was measured, with 20 nanograms or more and 200 to 700 bases.",
    "A machine has one run under way at a time.",
    "A run has each lane once, and no more lanes than its machine.",
    "A pool is on lanes of one run under way only, and is loaded as long as that lasts.",
    "All lanes of a run that was started are filled.",
    "A loaded pool asks for no more reads than its lanes give.",
    "A sequenced library got the reads that were wanted.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_library",
    "measure_library",
    "change_index",
    "open_pool",
    "add_to_pool",
    "take_from_pool",
    "set_up_run",
    "load_lane",
    "start_run",
    "end_run",
    "add_credit",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "projects": ("name",),
    "indexes": ("code",),
    "machines": ("name",),
    "pools": ("name",),
    "libraries": ("name",),
    "runs": ("name",),
    "lanes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("lanes", "pool_id"),
    ("lanes", "run_id"),
    ("libraries", "name"),
    ("libraries", "pool_id"),
    ("libraries", "project_id"),
    ("pools", "name"),
    ("runs", "machine_id"),
    ("runs", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Project(TypedDict):
    id: str
    name: str
    leader: str
    credit: int


class Index(TypedDict):
    id: str
    code: str
    clash_ids: list[str]


class Machine(TypedDict):
    id: str
    name: str
    lanes: int
    lane_reads: int
    lane_price: int


class Pool(TypedDict):
    id: str
    name: str
    status: Literal["open", "loaded", "done"]


class Library(TypedDict):
    id: str
    name: str
    project_id: str
    index_id: str
    wanted: int
    got: int
    nanograms: int | None
    length: int | None
    pool_id: str | None
    status: Literal["received", "passed", "failed", "sequenced"]


class Run(TypedDict):
    id: str
    name: str
    machine_id: str
    status: Literal["filling", "running", "finished", "failed"]


class Lane(TypedDict):
    id: str
    run_id: str
    number: int
    pool_id: str | None
    reads: int


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class SequencingCore:
    """Runs a sequencing core facility - libraries with index barcodes that may not clash in a pool, a
    quality gate, lanes that must all be filled, reads shared out by need and the credit of projects.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.projects: dict[str, Project] = _copied(config.get("projects", {}))
        self.indexes: dict[str, Index] = _copied(config.get("indexes", {}))
        self.machines: dict[str, Machine] = _copied(config.get("machines", {}))
        self.pools: dict[str, Pool] = _copied(config.get("pools", {}))
        self.libraries: dict[str, Library] = _copied(config.get("libraries", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.lanes: dict[str, Lane] = _copied(config.get("lanes", {}))
        self.now: str = config.get("now", "2026-10-12T09:00")
        self.counters: dict[str, int] = {
            "project": len(self.projects),
            "index": len(self.indexes),
            "machine": len(self.machines),
            "pool": len(self.pools),
            "library": len(self.libraries),
            "run": len(self.runs),
            "lane": len(self.lanes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._pools_by_lower_name: dict[Any, dict[str, Pool]] = {}
        self._pools_by_name: dict[Any, dict[str, Pool]] = {}
        self._libraries_by_lower_name: dict[Any, dict[str, Library]] = {}
        self._libraries_by_name: dict[Any, dict[str, Library]] = {}
        self._libraries_by_pool: dict[Any, dict[str, Library]] = {}
        self._libraries_by_project_pool: dict[Any, dict[str, Library]] = {}
        self._runs_by_lower_name: dict[Any, dict[str, Run]] = {}
        self._runs_by_machine: dict[Any, dict[str, Run]] = {}
        self._runs_by_name: dict[Any, dict[str, Run]] = {}
        self._lanes_by_pool: dict[Any, dict[str, Lane]] = {}
        self._lanes_by_run: dict[Any, dict[str, Lane]] = {}
        self._lanes_by_run_pool: dict[Any, dict[str, Lane]] = {}
        for pool in self.pools.values():
            self._link("pools", pool)
        for library in self.libraries.values():
            self._link("libraries", library)
        for run in self.runs.values():
            self._link("runs", run)
        for lane in self.lanes.values():
            self._link("lanes", lane)

    def free_indexes(self, pool_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The indexes that would not clash with anything in a pool, in order of their codes.

        Args:
            pool_id (str): Id of the pool, such as POOL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "indexes": records}} or {"success": False, "error": why
                not}
        """
        pool = self.pools.get(pool_id)
        if pool is None:
            return _refused(f"There is no pool {pool_id!r}.")
        found = [i for i in self.indexes.values() if self._in_the_way(i, pool) is None]
        found.sort(key=lambda i: (i["code"], _age(i)))
        return _found(
            {"total": len(found), "indexes": [{"id": i["id"], "code": i["code"]} for i in _page(found, offset)]}
        )

    def run_cost(self, run_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What each project would pay for a run as it is loaded now, and what it has.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}} or {"success": False, "error": why
                not}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        found = [g for g in self.projects.values() if self._owed(g, run) > 0]
        found.sort(key=lambda g: (-self._owed(g, run), g["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "projects": [
                    {"id": g["id"], "name": g["name"], "pays": self._owed(g, run), "credit": g["credit"]}
                    for g in _page(found, offset)
                ],
            }
        )

    def pool_check(self, pool_id: str, machine_id: str) -> Result:
        """How much a pool asks for, how many lanes of a machine that takes and whether it could be loaded.

        Args:
            pool_id (str): Id of the pool, such as POOL-00001.
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "data": {libraries, need, lanes, status}} or {"success": False, "error": why
                not}
        """
        pool = self.pools.get(pool_id)
        if pool is None:
            return _refused(f"There is no pool {pool_id!r}.")
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        return _found(
            {
                "libraries": self._pool_members(pool),
                "need": self._pool_need(pool),
                "lanes": (self._pool_need(pool) + machine["lane_reads"] - 1) // max(1, machine["lane_reads"]),
                "status": pool["status"],
            }
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

    def list_indexes(
        self,
        code: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the indexes, oldest first, all of them or only some.

        Args:
            code (str, optional): Only indexes whose code contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "indexes": records}}
        """
        found = [
            index
            for index in self.indexes.values()
            if (code is None or code.casefold() in index["code"].casefold())
        ]
        shown = [self._show_index(index) for index in _page(found, offset)]
        return _found({"total": len(found), "indexes": shown}, self._names_of_indexes(shown))

    def list_machines(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the machines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only machines whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "machines": records}}
        """
        found = [
            machine
            for machine in self.machines.values()
            if (name is None or name.casefold() in machine["name"].casefold())
        ]
        return _found({"total": len(found), "machines": [{**machine} for machine in _page(found, offset)]})

    def list_pools(
        self,
        name: Text | None = None,
        status: Literal["open", "loaded", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pools, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pools whose name contains this text.
            status (str, optional): Only pools with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pools": records}}
        """
        found = [
            pool
            for pool in self.pools.values()
            if (name is None or name.casefold() in pool["name"].casefold())
            and (status is None or pool["status"] == status)
        ]
        return _found({"total": len(found), "pools": [self._show_pool(pool) for pool in _page(found, offset)]})

    def list_libraries(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        index_id: str | None = None,
        pool_id: str | None = None,
        status: Literal["received", "passed", "failed", "sequenced"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the libraries, oldest first, all of them or only some.

        Args:
            name (str, optional): Only libraries whose name contains this text.
            project_id (str, optional): Only libraries of this project.
            index_id (str, optional): Only libraries of this index.
            pool_id (str, optional): Only libraries of this pool.
            status (str, optional): Only libraries with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "libraries": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if index_id is not None and index_id not in self.indexes:
            return _refused(f"There is no index {index_id!r}.")
        if pool_id is not None and pool_id not in self.pools:
            return _refused(f"There is no pool {pool_id!r}.")
        found = [
            library
            for library in self.libraries.values()
            if (name is None or name.casefold() in library["name"].casefold())
            and (project_id is None or library["project_id"] == project_id)
            and (index_id is None or library["index_id"] == index_id)
            and (pool_id is None or library["pool_id"] == pool_id)
            and (status is None or library["status"] == status)
        ]
        shown = [self._show_library(library) for library in _page(found, offset)]
        return _found({"total": len(found), "libraries": shown}, self._names_of_libraries(shown))

    def list_runs(
        self,
        name: Text | None = None,
        machine_id: str | None = None,
        status: Literal["filling", "running", "finished", "failed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only runs whose name contains this text.
            machine_id (str, optional): Only runs of this machine.
            status (str, optional): Only runs with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if machine_id is not None and machine_id not in self.machines:
            return _refused(f"There is no machine {machine_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (name is None or name.casefold() in run["name"].casefold())
            and (machine_id is None or run["machine_id"] == machine_id)
            and (status is None or run["status"] == status)
        ]
        shown = [{**run} for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def list_lanes(
        self,
        run_id: str | None = None,
        pool_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lanes, oldest first, all of them or only some.

        Args:
            run_id (str, optional): Only lanes of this run.
            pool_id (str, optional): Only lanes of this pool.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lanes": records}}
        """
        if run_id is not None and run_id not in self.runs:
            return _refused(f"There is no run {run_id!r}.")
        if pool_id is not None and pool_id not in self.pools:
            return _refused(f"There is no pool {pool_id!r}.")
        found = [
            lane
            for lane in self.lanes.values()
            if (run_id is None or lane["run_id"] == run_id)
            and (pool_id is None or lane["pool_id"] == pool_id)
        ]
        shown = [{**lane} for lane in _page(found, offset)]
        return _found({"total": len(found), "lanes": shown}, self._names_of_lanes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_library(
        self,
        name: Text,
        project_id: str,
        index_id: str,
        wanted: Annotated[int, {"minimum": 5, "maximum": 800}],
    ) -> Result:
        """Receive a library of a project with its index and the million reads wanted.

        Args:
            name (str): Name of the new library, not in use yet.
            project_id (str): Id of the project, such as PROJECT-00001.
            index_id (str): Id of the index, such as INDEX-00001.
            wanted (int): Reads that the project wants of the library, in millions, from 5 to 800.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        index = self.indexes.get(index_id)
        if index is None:
            return _refused(f"There is no index {index_id!r}.")
        if self._libraries_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a library {name} already.")
        self._journal = []
        library: Library = {
            "id": self._new_id("library", "LIBRARY", self.libraries),
            "name": name,
            "project_id": project_id,
            "index_id": index_id,
            "wanted": wanted,
            "got": 0,
            "nanograms": None,
            "length": None,
            "pool_id": None,
            "status": "received",
        }
        self._add("libraries", library)
        if len(self._libraries_by_name.get(library["name"], {})) > 1:
            return self._take_back(f"There is already a library with the name {library['name']!r}.")
        if self._breaks_rule_1_a(library):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(library):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(library):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(library):
            return self._take_back(RULES[2])
        for one_lane in _distinct(
            [
                user
                for one in [self.pools.get(library["pool_id"])]
                if one is not None
                for user in self._lanes_by_pool.get(library["pool_id"], {}).values()
            ]
        ):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(library):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: receive the library {name} of {project['name']} (new: library {library['id']}).",
            "data": {"library_id": library["id"], **self._changes()},
        }

    def measure_library(
        self,
        library_id: str,
        nanograms: Annotated[int, {"minimum": 0, "maximum": 500}],
        length: Annotated[int, {"minimum": 50, "maximum": 2000}],
    ) -> Result:
        """Measure a library that is in no pool; with 20 nanograms or more and 200 to 700 bases it passes, else it
        fails.

        Args:
            library_id (str): Id of the library, such as LIBRARY-00001.
            nanograms (int): How much DNA was measured, in nanograms, from 0 to 500.
            length (int): Average length of the fragments that was measured, in bases, from 50 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        library = self.libraries.get(library_id)
        if library is None:
            return _refused(f"There is no library {library_id!r}.")
        if library["status"] == "sequenced" or library["pool_id"] is not None:
            return _refused(f"{library['name']} is {library['status']} and in a pool or done, so take it out first.")
        self._journal = []
        changed_libraries: list[Any] = []
        self._put("libraries", library, "nanograms", nanograms)
        self._put("libraries", library, "length", length)
        if self._good(nanograms, length):
            if library["status"] not in ("received", "passed", "failed"):
                return self._take_back(f"Library {library['name']} cannot go from {library['status']} to passed.")
            changed_libraries.append(library)
            self._put("libraries", library, "status", "passed")
        else:
            if library["status"] not in ("received", "passed", "failed"):
                return self._take_back(f"Library {library['name']} cannot go from {library['status']} to failed.")
            changed_libraries.append(library)
            self._put("libraries", library, "status", "failed")
        for one_library in _distinct(changed_libraries):
            if self._breaks_rule_2(one_library):
                return self._take_back(RULES[1])
        for one_library in _distinct([library, *changed_libraries]):
            if self._breaks_rule_3(one_library):
                return self._take_back(RULES[2])
        for one_library in _distinct(changed_libraries):
            if self._breaks_rule_9(one_library):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record {nanograms} nanograms and {length} bases for {library['name']}.",
            "data": self._changes(),
        }

    def change_index(self, library_id: str, index_id: str) -> Result:
        """Give a library that is in no pool another index.

        Args:
            library_id (str): Id of the library, such as LIBRARY-00001.
            index_id (str): Id of the index, such as INDEX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        library = self.libraries.get(library_id)
        if library is None:
            return _refused(f"There is no library {library_id!r}.")
        index = self.indexes.get(index_id)
        if index is None:
            return _refused(f"There is no index {index_id!r}.")
        if library["pool_id"] is not None:
            return _refused(
                f"{library['name']} is in pool {self.pools[library['pool_id']]['name']}, so take it out first."
            )
        if library["index_id"] == index_id:
            return _refused(f"{library['name']} has {index['code']} already.")
        if library["status"] == "sequenced":
            return _refused(f"{library['name']} has been sequenced.")
        self._journal = []
        self._put("libraries", library, "index_id", index_id)
        if self._breaks_rule_1_a(library):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(library):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: give {library['name']} the index {index['code']}.",
            "data": self._changes(),
        }

    def open_pool(self, name: Text) -> Result:
        """Open a new pool.

        Args:
            name (str): Name of the new pool, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._pools_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a pool {name} already.")
        self._journal = []
        pool: Pool = {"id": self._new_id("pool", "POOL", self.pools), "name": name, "status": "open"}
        self._add("pools", pool)
        if len(self._pools_by_name.get(pool["name"], {})) > 1:
            return self._take_back(f"There is already a pool with the name {pool['name']!r}.")
        return {
            "success": True,
            "message": f"Done: open the pool {name} (new: pool {pool['id']}).",
            "data": {"pool_id": pool["id"], **self._changes()},
        }

    def add_to_pool(self, pool_id: str, library_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Add libraries that passed to an open pool, in which no index may clash.

        Args:
            pool_id (str): Id of the pool, such as POOL-00001.
            library_ids (list): Libraries that passed and are in no pool, each named once: ids of libraries, such
                as LIBRARY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pool = self.pools.get(pool_id)
        if pool is None:
            return _refused(f"There is no pool {pool_id!r}.")
        libraries = []
        for key in library_ids:
            if key not in self.libraries:
                return _refused(f"There is no library {key!r}.")
            libraries.append(self.libraries[key])
        if not (len(libraries) > 0 and _different([l["id"] for l in libraries])):
            return _refused("Name at least one library, and each once.")
        if pool["status"] != "open":
            return _refused(f"Pool {pool['name']} is {pool['status']}.")
        bad = next((l for l in libraries if l["status"] != "passed"), None)
        if bad is not None:
            return _refused(f"{bad['name']} is {bad['status']}.")
        placed = next((l for l in libraries if l["pool_id"] is not None), None)
        if placed is not None:
            return _refused(f"{placed['name']} is in a pool already.")
        hit = next((l for l in libraries if self._in_the_way(self.indexes[l["index_id"]], pool) is not None), None)
        if hit is not None:
            return _refused(
                f"The index {self.indexes[hit['index_id']]['code']} of {hit['name']} clashes with one in "
                f"{pool['name']}."
            )
        twin = next(
            (
                a
                for a in libraries
                for b in libraries
                if a is not b
                and self._clash(self.indexes[a["index_id"]], self.indexes[b["index_id"]])
            ),
            None,
        )
        if twin is not None:
            return _refused(f"The indexes of the libraries clash with each other, {twin['name']}'s for one.")
        self._journal = []
        changed_libraries: list[Any] = []
        former_pool_ids: list[Any] = []
        for l in list(libraries):
            changed_libraries.append(l)
            former_pool_ids.append(l["pool_id"])
            self._put("libraries", l, "pool_id", pool_id)
        for one_library in _distinct(changed_libraries):
            if self._breaks_rule_1_a(one_library):
                return self._take_back(RULES[0])
        for one_library in _distinct(changed_libraries):
            if self._breaks_rule_1_b(one_library):
                return self._take_back(RULES[0])
        for one_library in _distinct(changed_libraries):
            if self._breaks_rule_2(one_library):
                return self._take_back(RULES[1])
        for one_lane in _distinct(
            [
                *[
                    user
                    for one in [self.pools.get(one["pool_id"]) for one in changed_libraries]
                    if one is not None
                    for user in self._lanes_by_pool.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pools.get(key) for key in former_pool_ids]
                    if one is not None
                    for user in self._lanes_by_pool.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: add {', '.join(str(one['name']) for one in libraries)} to {pool['name']}.",
            "data": self._changes(),
        }

    def take_from_pool(self, library_id: str) -> Result:
        """Take a library out of a pool that is open or loaded on a run that was not started.

        Args:
            library_id (str): Id of the library, such as LIBRARY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        library = self.libraries.get(library_id)
        if library is None:
            return _refused(f"There is no library {library_id!r}.")
        if library["pool_id"] is None:
            return _refused(f"{library['name']} is in no pool.")
        if not (
            self.pools[library["pool_id"]]["status"] != "done"
            and not any(
                self.runs[n["run_id"]]["status"] == "running"
                for n in self._lanes_by_pool.get(library["pool_id"], {}).values()
            )
        ):
            return _refused(f"Pool {self.pools[library['pool_id']]['name']} is done or is being sequenced.")
        if (
            self.pools[library["pool_id"]]["status"] != "open"
            and self._pool_members(self.pools[library["pool_id"]]) <= 1
        ):
            return _refused(
                f"{library['name']} is the last library of {self.pools[library['pool_id']]['name']}, which is "
                "loaded on a lane."
            )
        self._journal = []
        former_pool_id = library["pool_id"]
        self._put("libraries", library, "pool_id", None)
        if self._breaks_rule_1_a(library):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(library):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(library):
            return self._take_back(RULES[1])
        for one_lane in _distinct(
            [
                *[
                    user
                    for one in [self.pools.get(library["pool_id"])]
                    if one is not None
                    for user in self._lanes_by_pool.get(library["pool_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pools.get(former_pool_id)]
                    if one is not None
                    for user in self._lanes_by_pool.get(former_pool_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: take {library['name']} out of its pool.", "data": self._changes()}

    def set_up_run(self, name: Text, machine_id: str) -> Result:
        """Set up a run on a machine that has none, with all its lanes empty.

        Args:
            name (str): Name of the new run, not in use yet.
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if self._runs_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a run {name} already.")
        other = next(
            (r for r in sorted(self._runs_by_machine.get(machine_id, {}).values(), key=_age) if self._going(r)),
            None,
        )
        if other is not None:
            return _refused(f"{machine['name']} has the run {other['name']}, which is {other['status']}.")
        self._journal = []
        added_lanes: list[Any] = []
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "name": name,
            "machine_id": machine_id,
            "status": "filling",
        }
        self._add("runs", run)
        for k in list(_numbers(1, machine["lanes"] + 1)):
            if not 1 <= k <= 4:
                return self._take_back("The number of a lane must be between 1 and 4.")
            lane = {
                "id": self._new_id("lane", "LANE", self.lanes),
                "run_id": run["id"],
                "number": k,
                "pool_id": None,
                "reads": 0,
            }
            self._add("lanes", lane)
            added_lanes.append(lane)
        if len(self._runs_by_name.get(run["name"], {})) > 1:
            return self._take_back(f"There is already a run with the name {run['name']!r}.")
        if self._breaks_rule_4(run):
            return self._take_back(RULES[3])
        for one_lane in _distinct(added_lanes):
            if self._breaks_rule_5_n(one_lane):
                return self._take_back(RULES[4])
        for one_lane in _distinct(added_lanes):
            if self._breaks_rule_5_n_again(one_lane):
                return self._take_back(RULES[4])
        for one_lane in _distinct(added_lanes):
            if self._breaks_rule_6_a(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(added_lanes):
            if self._breaks_rule_6_b(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(added_lanes):
            if self._breaks_rule_6_n(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(added_lanes):
            if self._breaks_rule_7(one_lane):
                return self._take_back(RULES[6])
        for one_lane in _distinct(
            [
                *added_lanes,
                *[
                    user
                    for one in [self.pools.get(one["pool_id"]) for one in added_lanes]
                    if one is not None
                    for user in self._lanes_by_pool.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: set up the run {name} on {machine['name']} (new: run {run['id']}).",
            "data": {"run_id": run["id"], **self._changes()},
        }

    def load_lane(self, lane_id: str, pool_id: str) -> Result:
        """Load a pool on a lane of a run that is being filled, instead of what was there.

        Args:
            lane_id (str): Id of the lane, such as LANE-00001.
            pool_id (str): Id of the pool, such as POOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lane = self.lanes.get(lane_id)
        if lane is None:
            return _refused(f"There is no lane {lane_id!r}.")
        pool = self.pools.get(pool_id)
        if pool is None:
            return _refused(f"There is no pool {pool_id!r}.")
        if self.runs[lane["run_id"]]["status"] != "filling":
            return _refused(f"The run {self.runs[lane['run_id']]['name']} is {self.runs[lane['run_id']]['status']}.")
        if lane["pool_id"] is not None and lane["pool_id"] == pool_id:
            return _refused(f"Pool {pool['name']} is on that lane already.")
        if pool["status"] == "done" or self._pool_members(pool) < 2:
            return _refused(f"Pool {pool['name']} is done or has fewer than two libraries.")
        other = next(
            (
                n
                for n in sorted(self._lanes_by_pool.get(pool_id, {}).values(), key=_age)
                if self._going(self.runs[n["run_id"]])
                and n["run_id"] != lane["run_id"]
            ),
            None,
        )
        if other is not None:
            return _refused(f"Pool {pool['name']} is on the run {self.runs[other['run_id']]['name']}.")
        self._journal = []
        changed_pools: list[Any] = []
        old = self.pools.get(lane["pool_id"])
        former_pool_id = lane["pool_id"]
        self._put("lanes", lane, "pool_id", pool_id)
        if pool["status"] not in ("open", "loaded"):
            return self._take_back(f"Pool {pool['name']} cannot go from {pool['status']} to loaded.")
        self._put("pools", pool, "status", "loaded")
        if old is not None:
            if not self._lanes_by_run_pool.get((lane["run_id"], old["id"]), {}):
                if old["status"] not in ("open", "loaded"):
                    return self._take_back(f"Pool {old['name']} cannot go from {old['status']} to open.")
                changed_pools.append(old)
                self._put("pools", old, "status", "open")
        for one_library in _distinct(
            [
                *self._libraries_by_pool.get(pool["id"], {}).values(),
                *[user for one in changed_pools for user in self._libraries_by_pool.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_library):
                return self._take_back(RULES[1])
        if self._breaks_rule_6_a(lane):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(lane):
            return self._take_back(RULES[5])
        for one_lane in _distinct(
            [
                lane,
                *self._lanes_by_pool.get(pool["id"], {}).values(),
                *[user for one in changed_pools for user in self._lanes_by_pool.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6_n(one_lane):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(lane):
            return self._take_back(RULES[6])
        for one_lane in _distinct(
            [
                lane,
                *[
                    user
                    for one in [self.pools.get(lane["pool_id"])]
                    if one is not None
                    for user in self._lanes_by_pool.get(lane["pool_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pools.get(former_pool_id)]
                    if one is not None
                    for user in self._lanes_by_pool.get(former_pool_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: load {pool['name']} on lane {lane['number']} of {self.runs[lane['run_id']]['name']}.",
            "data": self._changes(),
        }

    def start_run(self, run_id: str) -> Result:
        """Start a run whose lanes are all filled; each project pays its share of every lane by the reads it lacks.

        Args:
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "filling":
            return _refused(f"The run {run['name']} is {run['status']}.")
        if any(n["pool_id"] is None for n in self._lanes_by_run.get(run_id, {}).values()):
            return _refused(f"A lane of {run['name']} is empty.")
        tight = next(
            (
                p
                for n in sorted(self._lanes_by_run.get(run_id, {}).values(), key=_age)
                for p in _those(self.pools, [n["pool_id"]])
                if self._pool_need(p) > self.machines[run["machine_id"]]["lane_reads"] * len(
                    self._lanes_by_run_pool.get((run_id, p["id"]), {})
                )
            ),
            None,
        )
        if tight is not None:
            return _refused(
                f"Pool {tight['name']} asks for {self._pool_need(tight)} million reads, more than its lanes give; "
                "load it on another lane or take libraries out."
            )
        poor = next((g for g in self.projects.values() if self._owed(g, run) > g["credit"]), None)
        if poor is not None:
            return _refused(
                f"{poor['name']} would pay {_money(self._owed(poor, run))} and has {_money(poor['credit'])}."
            )
        self._journal = []
        for g in [g for g in self.projects.values() if self._owed(g, run) > 0]:
            credit = g["credit"] - self._owed(g, run)
            if not 0 <= credit <= 9000000:
                return self._take_back(f"The credit of {g['name']} must be between 0.00 and 90,000.00.")
            self._put("projects", g, "credit", credit)
        self._put("runs", run, "status", "running")
        if self._breaks_rule_4(run):
            return self._take_back(RULES[3])
        for one_lane in _distinct(self._lanes_by_run.get(run["id"], {}).values()):
            if self._breaks_rule_6_a(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(self._lanes_by_run.get(run["id"], {}).values()):
            if self._breaks_rule_6_b(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(self._lanes_by_run.get(run["id"], {}).values()):
            if self._breaks_rule_6_n(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(self._lanes_by_run.get(run["id"], {}).values()):
            if self._breaks_rule_7(one_lane):
                return self._take_back(RULES[6])
        for one_lane in _distinct(self._lanes_by_run.get(run["id"], {}).values()):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: start the run {run['name']}.", "data": self._changes()}

    def end_run(
        self,
        run_id: str,
        worked: bool,
        percent: Annotated[int, {"minimum": 30, "maximum": 100}] = 100,
    ) -> Result:
        """End a run; where it was good its reads, so many percent of what the lanes promise, are shared out by what
        each library lacks, and those still short leave the pool; where it failed the shares are paid back.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            worked (bool): Whether the run was good, false meaning that it failed and is paid back.
            percent (int): Reads of a good run, in percent of what the lanes promise, from 30 to 100. Default: 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "running":
            return _refused(f"The run {run['name']} is {run['status']}.")
        self._journal = []
        changed_libraries: list[Any] = []
        changed_libraries_2: list[Any] = []
        changed_libraries_3: list[Any] = []
        former_pool_ids: list[Any] = []
        changed_pools: list[Any] = []
        changed_runs: list[Any] = []
        if worked:
            for p in [
                p
                for p in _those(self.pools, [n["pool_id"] for n in self._lanes_by_run.get(run_id, {}).values()])
                if bool(self._lanes_by_run_pool.get((run_id, p["id"]), {}))
            ]:
                reads = self.machines[run["machine_id"]]["lane_reads"] * len(
                    self._lanes_by_run_pool.get((run_id, p["id"]), {})
                ) * percent // 100
                total = self._pool_need(p)
                if total > 0:
                    for l in sorted(self._libraries_by_pool.get(p["id"], {}).values(), key=_age):
                        got = l["got"] + reads * self._library_lacking(l) // total
                        if not 0 <= got <= 5000:
                            return self._take_back(f"The got of {l['name']} must be between 0 and 5000.")
                        changed_libraries.append(l)
                        self._put("libraries", l, "got", got)
                        if l["got"] >= l["wanted"]:
                            if l["status"] not in ("passed", "sequenced"):
                                return self._take_back(
                                    f"Library {l['name']} cannot go from {l['status']} to sequenced."
                                )
                            changed_libraries_2.append(l)
                            self._put("libraries", l, "status", "sequenced")
                        else:
                            changed_libraries_3.append(l)
                            former_pool_ids.append(l["pool_id"])
                            self._put("libraries", l, "pool_id", None)
                if p["status"] not in ("loaded", "done"):
                    return self._take_back(f"Pool {p['name']} cannot go from {p['status']} to done.")
                changed_pools.append(p)
                self._put("pools", p, "status", "done")
            for n in sorted(self._lanes_by_run.get(run_id, {}).values(), key=_age):
                new_reads = self.machines[run["machine_id"]]["lane_reads"] * percent // 100
                if not 0 <= new_reads <= 2000:
                    return self._take_back(f"The reads of {n['id']} must be between 0 and 2000.")
                self._put("lanes", n, "reads", new_reads)
            changed_runs.append(run)
            self._put("runs", run, "status", "finished")
        else:
            for g in [g for g in self.projects.values() if self._owed(g, run) > 0]:
                credit = g["credit"] + self._owed(g, run)
                if not 0 <= credit <= 9000000:
                    return self._take_back(f"The credit of {g['name']} must be between 0.00 and 90,000.00.")
                self._put("projects", g, "credit", credit)
            for p in [
                p
                for p in _those(self.pools, [n["pool_id"] for n in self._lanes_by_run.get(run_id, {}).values()])
                if bool(self._lanes_by_run_pool.get((run_id, p["id"]), {}))
            ]:
                if p["status"] not in ("open", "loaded"):
                    return self._take_back(f"Pool {p['name']} cannot go from {p['status']} to open.")
                changed_pools.append(p)
                self._put("pools", p, "status", "open")
            if run["status"] not in ("running", "failed"):
                return self._take_back(f"Run {run['name']} cannot go from {run['status']} to failed.")
            changed_runs.append(run)
            self._put("runs", run, "status", "failed")
        for one_library in _distinct(changed_libraries_3):
            if self._breaks_rule_1_a(one_library):
                return self._take_back(RULES[0])
        for one_library in _distinct(changed_libraries_3):
            if self._breaks_rule_1_b(one_library):
                return self._take_back(RULES[0])
        for one_library in _distinct(
            [
                *changed_libraries_2,
                *changed_libraries_3,
                *[user for one in changed_pools for user in self._libraries_by_pool.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_library):
                return self._take_back(RULES[1])
        for one_library in _distinct(changed_libraries_2):
            if self._breaks_rule_3(one_library):
                return self._take_back(RULES[2])
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_4(one_run):
                return self._take_back(RULES[3])
        for one_lane in _distinct(
            [user for one in changed_runs for user in self._lanes_by_run.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_a(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(
            [user for one in changed_runs for user in self._lanes_by_run.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_b(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(
            [
                *[user for one in changed_pools for user in self._lanes_by_pool.get(one["id"], {}).values()],
                *[user for one in changed_runs for user in self._lanes_by_run.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6_n(one_lane):
                return self._take_back(RULES[5])
        for one_lane in _distinct(
            [user for one in changed_runs for user in self._lanes_by_run.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_lane):
                return self._take_back(RULES[6])
        for one_lane in _distinct(
            [
                *[
                    user
                    for one in [self.pools.get(one["pool_id"]) for one in changed_libraries]
                    if one is not None
                    for user in self._lanes_by_pool.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pools.get(one["pool_id"]) for one in changed_libraries_3]
                    if one is not None
                    for user in self._lanes_by_pool.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.pools.get(key) for key in former_pool_ids]
                    if one is not None
                    for user in self._lanes_by_pool.get(one["id"], {}).values()
                ],
                *[user for one in changed_runs for user in self._lanes_by_run.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_lane):
                return self._take_back(RULES[7])
        for one_library in _distinct([*changed_libraries, *changed_libraries_2]):
            if self._breaks_rule_9(one_library):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: end the run {run['name']}.", "data": self._changes()}

    def add_credit(self, project_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 5000000}]) -> Result:
        """Add money to the credit of a project.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            amount (int): Money that comes on top of the credit of the project, in cents, from 100 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["credit"] + amount > 9000000:
            return _refused(f"{project['name']} would have more than 90,000.00.")
        self._journal = []
        credit = project["credit"] + amount
        if not 0 <= credit <= 9000000:
            return self._take_back(f"The credit of {project['name']} must be between 0.00 and 90,000.00.")
        self._put("projects", project, "credit", credit)
        return {
            "success": True,
            "message": f"Done: add {_money(amount)} to the credit of {project['name']}.",
            "data": self._changes(),
        }

    def _show_index(self, index: Index) -> dict[str, Any]:
        """The index as an answer shows it."""
        return {**index, "clash_ids": [*index["clash_ids"]]}

    def _show_pool(self, pool: Pool) -> dict[str, Any]:
        """The pool as an answer shows it."""
        return {**pool, "members": self._pool_members(pool), "need": self._pool_need(pool)}

    def _show_library(self, library: Library) -> dict[str, Any]:
        """The library as an answer shows it."""
        return {**library, "lacking": self._library_lacking(library)}

    def _names_of_indexes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that indexes point to."""
        return _names((self.indexes, "code", [each for row in shown for each in row["clash_ids"]]))

    def _names_of_libraries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that libraries point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.indexes, "code", [row["index_id"] for row in shown]),
            (self.pools, "name", [row["pool_id"] for row in shown]),
        )

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names((self.machines, "name", [row["machine_id"] for row in shown]))

    def _names_of_lanes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lanes point to."""
        return _names(
            (self.runs, "name", [row["run_id"] for row in shown]),
            (self.pools, "name", [row["pool_id"] for row in shown]),
        )

    def _pool_members(self, pool: Pool) -> int:
        """The members of a pool."""
        return len(self._libraries_by_pool.get(pool["id"], {}))

    def _pool_need(self, pool: Pool) -> int:
        """The need of a pool."""
        return sum(self._library_lacking(l) for l in self._libraries_by_pool.get(pool["id"], {}).values())

    def _library_lacking(self, library: Library) -> int:
        """The lacking of a library."""
        return max(0, library["wanted"] - library["got"])

    def _clash(self, i: Index, j: Index) -> bool:
        return i is j or j["id"] in i["clash_ids"] or i["id"] in j["clash_ids"]

    def _in_the_way(self, i: Index, p: Pool) -> Library | None:
        return next(
            (
                l
                for l in sorted(self._libraries_by_pool.get(p["id"], {}).values(), key=_age)
                if self._clash(i, self.indexes[l["index_id"]])
            ),
            None,
        )

    def _good(self, n: int, len_bp: int) -> bool:
        return n >= 20 and (200 <= len_bp and len_bp <= 700)

    def _share(self, g: Project, p: Pool, price: int) -> int:
        return _rounded(
            Fraction(
                price * sum(
                    self._library_lacking(l)
                    for l in self._libraries_by_project_pool.get((g["id"], p["id"]), {}).values()
                ),
                max(1, self._pool_need(p)),
            )
        )

    def _owed(self, g: Project, r: Run) -> int:
        return sum(
            self._share(g, p, self.machines[r["machine_id"]]["lane_price"])
            for n in self._lanes_by_run.get(r["id"], {}).values()
            for p in _those(self.pools, [n["pool_id"]])
        )

    def _going(self, r: Run) -> bool:
        return r["status"] in ("filling", "running")

    def _breaks_rule_1_a(self, a: Library) -> bool:
        """Whether this is broken: no two libraries of a pool have indexes that clash."""
        return (
            a["pool_id"] is not None
            and any(
                self._clash(self.indexes[a["index_id"]], self.indexes[b["index_id"]])
                for b in self._libraries_by_pool.get(a["pool_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_1_b(self, b: Library) -> bool:
        """Whether this is broken: no two libraries of a pool have indexes that clash."""
        return any(
            self._clash(self.indexes[a["index_id"]], self.indexes[b["index_id"]])
            for a in self._libraries_by_pool.get(b["pool_id"], {}).values()
            if a is not b
            and a["pool_id"] is not None
        )

    def _breaks_rule_2(self, l: Library) -> bool:
        """Whether this is broken: only libraries that passed the quality gate are in a pool that is not done."""
        return l["pool_id"] is not None and self.pools[l["pool_id"]]["status"] != "done" and l["status"] != "passed"

    def _breaks_rule_3(self, l: Library) -> bool:
        """Whether this is broken: a library that passed was measured, with 20 nanograms or more and 200 to 700 bases.
        """
        return (
            (l["status"] == "passed" or l["status"] == "sequenced")
            and not (
                l["nanograms"] is not None
                and l["length"] is not None
                and l["nanograms"] >= 20
                and (200 <= l["length"] and l["length"] <= 700)
            )
        )

    def _breaks_rule_4(self, r: Run) -> bool:
        """Whether this is broken: a machine has one run under way at a time."""
        return (
            self._going(r)
            and any(
                other_r is not r
                for other_r in self._runs_by_machine.get(r["machine_id"], {}).values()
                if self._going(other_r)
            )
        )

    def _breaks_rule_5_n(self, n: Lane) -> bool:
        """Whether this is broken: a run has each lane once, and no more lanes than its machine."""
        return any(
            other_n is not n
            for other_n in self._lanes_by_run.get(n["run_id"], {}).values()
            if other_n["number"] == n["number"]
        )

    def _breaks_rule_5_n_again(self, n: Lane) -> bool:
        """Whether this is broken: a run has each lane once, and no more lanes than its machine."""
        return n["number"] > self.machines[self.runs[n["run_id"]]["machine_id"]]["lanes"]

    def _breaks_rule_6_a(self, a: Lane) -> bool:
        """Whether this is broken: a pool is on lanes of one run under way only, and is loaded as long as that lasts.
        """
        return (
            a["pool_id"] is not None
            and self._going(self.runs[a["run_id"]])
            and any(
                a["run_id"] != b["run_id"]
                for b in self._lanes_by_pool.get(a["pool_id"], {}).values()
                if self._going(self.runs[b["run_id"]])
            )
        )

    def _breaks_rule_6_b(self, b: Lane) -> bool:
        """Whether this is broken: a pool is on lanes of one run under way only, and is loaded as long as that lasts.
        """
        return (
            self._going(self.runs[b["run_id"]])
            and any(
                a["run_id"] != b["run_id"]
                for a in self._lanes_by_pool.get(b["pool_id"], {}).values()
                if a["pool_id"] is not None
                and self._going(self.runs[a["run_id"]])
            )
        )

    def _breaks_rule_6_n(self, n: Lane) -> bool:
        """Whether this is broken: a pool is on lanes of one run under way only, and is loaded as long as that lasts.
        """
        return (
            self._going(self.runs[n["run_id"]])
            and (n["pool_id"] is not None and self.pools[n["pool_id"]]["status"] != "loaded")
        )

    def _breaks_rule_7(self, n: Lane) -> bool:
        """Whether this is broken: all lanes of a run that was started are filled."""
        return self.runs[n["run_id"]]["status"] != "filling" and n["pool_id"] is None

    def _breaks_rule_8(self, n: Lane) -> bool:
        """Whether this is broken: a loaded pool asks for no more reads than its lanes give."""
        return (
            self.runs[n["run_id"]]["status"] == "running"
            and (
                n["pool_id"] is not None
                and self._pool_need(self.pools[n["pool_id"]]) > self.machines[self.runs[n["run_id"]]["machine_id"]]["lane_reads"] * len(
                    self._lanes_by_run_pool.get((n["run_id"], n["pool_id"]), {})
                )
            )
        )

    def _breaks_rule_9(self, l: Library) -> bool:
        """Whether this is broken: a sequenced library got the reads that were wanted."""
        return l["status"] == "sequenced" and l["got"] < l["wanted"]

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
            case "pools":
                self._pools_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._pools_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "libraries":
                self._libraries_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._libraries_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._libraries_by_pool.setdefault(record["pool_id"], {})[record["id"]] = record
                self._libraries_by_project_pool.setdefault(
                    (record["project_id"], record["pool_id"]),
                    {},
                )[record["id"]] = record
            case "runs":
                self._runs_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._runs_by_machine.setdefault(record["machine_id"], {})[record["id"]] = record
                self._runs_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "lanes":
                self._lanes_by_pool.setdefault(record["pool_id"], {})[record["id"]] = record
                self._lanes_by_run.setdefault(record["run_id"], {})[record["id"]] = record
                self._lanes_by_run_pool.setdefault((record["run_id"], record["pool_id"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "pools":
                del self._pools_by_lower_name[record["name"].lower()][record["id"]]
                del self._pools_by_name[record["name"]][record["id"]]
            case "libraries":
                del self._libraries_by_lower_name[record["name"].lower()][record["id"]]
                del self._libraries_by_name[record["name"]][record["id"]]
                del self._libraries_by_pool[record["pool_id"]][record["id"]]
                del self._libraries_by_project_pool[record["project_id"], record["pool_id"]][record["id"]]
            case "runs":
                del self._runs_by_lower_name[record["name"].lower()][record["id"]]
                del self._runs_by_machine[record["machine_id"]][record["id"]]
                del self._runs_by_name[record["name"]][record["id"]]
            case "lanes":
                del self._lanes_by_pool[record["pool_id"]][record["id"]]
                del self._lanes_by_run[record["run_id"]][record["id"]]
                del self._lanes_by_run_pool[record["run_id"], record["pool_id"]][record["id"]]
