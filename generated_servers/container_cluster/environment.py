"""Container cluster. Compiled from blueprint.yaml; run `envscaler build container_cluster` after changing it there.

Places the pods of applications on the nodes of a cluster, with capacity and taints, zones and team quotas,
drains that respect disruption budgets, and priorities by which one application may push another aside.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The pods on a node never ask for more processor or memory than it has.",
    "Pods run only on nodes whose taints their application tolerates.",
    "An application that is tied to a zone runs only there.",
    "An application that is spread has one pod on a node at most.",
    "What runs of an application on a node is counted in one place.",
    "No application runs more pods than it is meant to have.",
    "A team uses no more processor than its quota.",
    "Nothing runs on a node that is down.",
    "A node carries each taint once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "create_app",
    "roll_out",
    "delete_app",
    "scale_app",
    "place_pods",
    "evict_pods",
    "preempt_for",
    "drain_node",
    "set_node",
    "taint_node",
    "set_budget",
    "change_quota",
)
"""The methods that may change something; all others only read."""

NODE_STATE_MOVES = {
    ("ready", "cordoned"),
    ("ready", "down"),
    ("cordoned", "ready"),
    ("cordoned", "down"),
    ("down", "ready"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "teams": ("name",),
    "nodes": ("name",),
    "priorities": ("name",),
    "apps": ("name",),
    "placements": (),
}
"""What people call a record of each container by."""

INDEXED = {("apps", "name"), ("apps", "team_id"), ("placements", "app_id"), ("placements", "node_id")}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Team(TypedDict):
    id: str
    name: str
    quota: int


class Node(TypedDict):
    id: str
    name: str
    zone: Literal["Harbour", "Hill", "Valley"]
    cpu: int
    memory: int
    taints: list[Literal["gpu", "spot", "system"]]
    state: Literal["ready", "cordoned", "down"]


class Priority(TypedDict):
    id: str
    name: str
    rank: int


class App(TypedDict):
    id: str
    name: str
    team_id: str
    cpu: int
    memory: int
    replicas: int
    priority_id: str
    tolerates: list[Literal["gpu", "spot", "system"]]
    spread: bool
    most_down: int
    only_in: Literal["Harbour", "Hill", "Valley"] | None
    image: str | None


class Placement(TypedDict):
    id: str
    app_id: str
    node_id: str
    pods: int


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


class ContainerCluster:
    """Places the pods of applications on the nodes of a cluster, with capacity and taints, zones and team
    quotas, drains that respect disruption budgets, and priorities by which one application may push
    another aside.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.nodes: dict[str, Node] = _copied(config.get("nodes", {}))
        self.priorities: dict[str, Priority] = _copied(config.get("priorities", {}))
        self.apps: dict[str, App] = _copied(config.get("apps", {}))
        self.placements: dict[str, Placement] = _copied(config.get("placements", {}))
        self.now: str = config.get("now", "2026-04-08T16:20")
        self.counters: dict[str, int] = {
            "team": len(self.teams),
            "node": len(self.nodes),
            "priority": len(self.priorities),
            "app": len(self.apps),
            "placement": len(self.placements),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._apps_by_lower_name: dict[Any, dict[str, App]] = {}
        self._apps_by_name: dict[Any, dict[str, App]] = {}
        self._apps_by_team: dict[Any, dict[str, App]] = {}
        self._placements_by_app: dict[Any, dict[str, Placement]] = {}
        self._placements_by_app_node: dict[Any, dict[str, Placement]] = {}
        self._placements_by_node: dict[Any, dict[str, Placement]] = {}
        for app in self.apps.values():
            self._link("apps", app)
        for placement in self.placements.values():
            self._link("placements", placement)

    def nodes_for(
        self,
        app_id: str,
        pods: Annotated[int, {"minimum": 1, "maximum": 60}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Nodes that could take some pods of an application now, those with most free processor first.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            pods (int, optional): How many pods a node must be able to take, from 1 to 60. If left out, nodes that
                could take one pod are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nodes": records}} or {"success": False, "error": why
                not}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        found = [
            n
            for n in self.nodes.values()
            if self._can_go(app, n, 1)
            and (pods is None or self._can_go(app, n, pods))
        ]
        found.sort(key=lambda n: (-self._node_free_cpu(n), n["name"], _age(n)))
        return _found(
            {
                "total": len(found),
                "nodes": [
                    {
                        "id": n["id"],
                        "name": n["name"],
                        "zone": n["zone"],
                        "free_cpu": self._node_free_cpu(n),
                        "free_memory": self._node_free_memory(n),
                        "taints": [*n["taints"]],
                    }
                    for n in _page(found, offset)
                ],
            }
        )

    def budget_of(self, app_id: str) -> Result:
        """How many pods an application may lose at present, and where they run.

        Args:
            app_id (str): Id of the app, such as APP-00001.

        Returns:
            dict: {"success": True, "data": {replicas, running, pending, most_down, may_lose_now, nodes}} or
                {"success": False, "error": why not}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        return _found(
            {
                "replicas": app["replicas"],
                "running": self._app_running(app),
                "pending": self._app_pending(app),
                "most_down": app["most_down"],
                "may_lose_now": self._may_lose(app),
                "nodes": [
                    *[
                        self.nodes[x["node_id"]]["name"]
                        for x in sorted(self._placements_by_app.get(app_id, {}).values(), key=_age)
                    ]
                ],
            }
        )

    def what_runs_on(self, node_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The applications on a node with their priority and what their budgets allow, the lowest priority first.

        Args:
            node_id (str): Id of the node, such as NODE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "placements": records}} or {"success": False, "error":
                why not}
        """
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        found = [x for x in self._placements_by_node.get(node_id, {}).values()]
        found.sort(
            key=lambda x: (
                self.priorities[self.apps[x["app_id"]]["priority_id"]]["rank"],
                self.apps[x["app_id"]]["name"],
                _age(x),
            )
        )
        return _found(
            {
                "total": len(found),
                "placements": [
                    {
                        "app_id": self.apps[x["app_id"]]["id"],
                        "app": self.apps[x["app_id"]]["name"],
                        "pods": x["pods"],
                        "rank": self.priorities[self.apps[x["app_id"]]["priority_id"]]["rank"],
                        "cpu_each": self.apps[x["app_id"]]["cpu"],
                        "memory_each": self.apps[x["app_id"]]["memory"],
                        "tolerates": [*self.apps[x["app_id"]]["tolerates"]],
                        "may_lose_now": self._may_lose(self.apps[x["app_id"]]),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def pending_apps(
        self,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Applications with pending pods, the highest priority first.

        Args:
            team_id (str, optional): Team to which the applications belong; an id such as TEAM-00001. If left out,
                the applications of all teams are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "apps": records}} or {"success": False, "error": why
                not}
        """
        team = self.teams.get(team_id) if team_id is not None else None
        if team_id is not None and team is None:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            a
            for a in self.apps.values()
            if self._app_pending(a) > 0
            and (team_id is None or a["team_id"] == team_id)
        ]
        found.sort(key=lambda a: (-self.priorities[a["priority_id"]]["rank"], a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "apps": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "team": self.teams[a["team_id"]]["name"],
                        "pending": self._app_pending(a),
                        "cpu_each": a["cpu"],
                        "memory_each": a["memory"],
                        "rank": self.priorities[a["priority_id"]]["rank"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_teams(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        found = [team for team in self.teams.values() if (name is None or name.casefold() in team["name"].casefold())]
        return _found({"total": len(found), "teams": [self._show_team(team) for team in _page(found, offset)]})

    def list_nodes(
        self,
        name: Text | None = None,
        zone: Literal["Harbour", "Hill", "Valley"] | None = None,
        state: Literal["ready", "cordoned", "down"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the nodes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only nodes whose name contains this text.
            zone (str, optional): Only nodes with this zone.
            state (str, optional): Only nodes with this state.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nodes": records}}
        """
        found = [
            node
            for node in self.nodes.values()
            if (name is None or name.casefold() in node["name"].casefold())
            and (zone is None or node["zone"] == zone)
            and (state is None or node["state"] == state)
        ]
        return _found({"total": len(found), "nodes": [self._show_node(node) for node in _page(found, offset)]})

    def list_priorities(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the priorities, oldest first, all of them or only some.

        Args:
            name (str, optional): Only priorities whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "priorities": records}}
        """
        found = [
            priority
            for priority in self.priorities.values()
            if (name is None or name.casefold() in priority["name"].casefold())
        ]
        return _found({"total": len(found), "priorities": [{**priority} for priority in _page(found, offset)]})

    def list_apps(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        priority_id: str | None = None,
        spread: bool | None = None,
        only_in: Literal["Harbour", "Hill", "Valley"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the apps, oldest first, all of them or only some.

        Args:
            name (str, optional): Only apps whose name contains this text.
            team_id (str, optional): Only apps of this team.
            priority_id (str, optional): Only apps of this priority.
            spread (bool, optional): Only apps with this value of `spread`.
            only_in (str, optional): Only apps whose `only_in` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "apps": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if priority_id is not None and priority_id not in self.priorities:
            return _refused(f"There is no priority {priority_id!r}.")
        found = [
            app
            for app in self.apps.values()
            if (name is None or name.casefold() in app["name"].casefold())
            and (team_id is None or app["team_id"] == team_id)
            and (priority_id is None or app["priority_id"] == priority_id)
            and (spread is None or app["spread"] == spread)
            and (only_in is None or app["only_in"] == only_in)
        ]
        shown = [self._show_app(app) for app in _page(found, offset)]
        return _found({"total": len(found), "apps": shown}, self._names_of_apps(shown))

    def get_app(self, app_id: str) -> Result:
        """Look up one app by its id.

        Args:
            app_id (str): Id of the app, such as APP-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        shown = self._show_app(app)
        return _found(shown, self._names_of_apps([shown]))

    def list_placements(
        self,
        app_id: str | None = None,
        node_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the placements, oldest first, all of them or only some.

        Args:
            app_id (str, optional): Only placements of this app.
            node_id (str, optional): Only placements of this node.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "placements": records}}
        """
        if app_id is not None and app_id not in self.apps:
            return _refused(f"There is no app {app_id!r}.")
        if node_id is not None and node_id not in self.nodes:
            return _refused(f"There is no node {node_id!r}.")
        found = [
            placement
            for placement in self.placements.values()
            if (app_id is None or placement["app_id"] == app_id)
            and (node_id is None or placement["node_id"] == node_id)
        ]
        shown = [{**placement} for placement in _page(found, offset)]
        return _found({"total": len(found), "placements": shown}, self._names_of_placements(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def create_app(
        self,
        name: Text,
        team_id: str,
        cpu: Annotated[int, {"minimum": 50, "maximum": 16000}],
        memory: Annotated[int, {"minimum": 64, "maximum": 128000}],
        replicas: Annotated[int, {"minimum": 1, "maximum": 60}],
        image: Text,
        priority_id: str,
        tolerates: Annotated[list[Literal["gpu", "spot", "system"]], {"maxItems": 20}] | None = None,
        spread: bool = False,
        most_down: Annotated[int, {"minimum": 0, "maximum": 60}] = 1,
        only_in: Literal["Harbour", "Hill", "Valley"] | None = None,
    ) -> Result:
        """Create an application, none of whose pods run yet.

        Args:
            name (str): Name of the new application, not in use yet.
            team_id (str): Id of the team, such as TEAM-00001.
            cpu (int): Processor that each pod needs, in millicores, from 50 to 16000.
            memory (int): Memory that each pod needs, in MiB, from 64 to 128000.
            replicas (int): How many pods the application is meant to have, from 1 to 60.
            image (str): Container image that the pods run, with its tag.
            priority_id (str): Id of the priority, such as PRIORITY-00001.
            tolerates (list): Taints of nodes that the pods tolerate: gpu, spot or system. If left out, the pods
                run only on nodes without taints.
            spread (bool): Whether a node may run only one pod of the application. Default: false.
            most_down (int): How many of its pods may be missing at a time, from 0 to 60. Default: 1.
            only_in (str, optional): Zone in which all its pods must run: Harbour, Hill or Valley. If left out, the
                pods may run in every zone.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        priority = self.priorities.get(priority_id)
        if priority is None:
            return _refused(f"There is no priority {priority_id!r}.")
        tolerates = tolerates or []
        if self._apps_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is an application {name} already.")
        if not _different([t for t in tolerates]):
            return _refused("A taint is named twice.")
        if not any(n["cpu"] >= cpu and n["memory"] >= memory for n in self.nodes.values()):
            return _refused("No node is that large.")
        self._journal = []
        app: App = {
            "id": self._new_id("app", "APP", self.apps),
            "name": name,
            "team_id": team_id,
            "cpu": cpu,
            "memory": memory,
            "replicas": replicas,
            "priority_id": priority_id,
            "tolerates": [*[t for t in ["gpu", "spot", "system"] if t in tolerates]],
            "spread": spread,
            "most_down": most_down,
            "only_in": only_in,
            "image": image,
        }
        self._add("apps", app)
        if len(self._apps_by_name.get(app["name"], {})) > 1:
            return self._take_back(f"There is already an app with the name {app['name']!r}.")
        if self._breaks_rule_6(app):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: create {name} for {team['name']} with {replicas} pods (new: app {app['id']}).",
            "data": {"app_id": app["id"], **self._changes()},
        }

    def roll_out(self, app_id: str, image: Text) -> Result:
        """Roll a new image out to an application all of whose pods run and whose budget lets one be missing at a
        time.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            image (str): New container image for the pods, with its tag.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        if app["image"] is not None and app["image"] == image:
            return _refused(f"{app['name']} runs that image already.")
        if self._app_running(app) <= 0:
            return _refused(f"Nothing of {app['name']} runs, so place its pods first.")
        if self._app_pending(app) > 0:
            return _refused(f"{app['name']} has {self._app_pending(app)} pending pods, so place them first.")
        if self._may_lose(app) <= 0:
            return _refused(f"{app['name']} may not miss a single pod, so widen its budget first.")
        self._journal = []
        self._put("apps", app, "image", image)
        return {"success": True, "message": f"Done: roll {image} out to {app['name']}.", "data": self._changes()}

    def delete_app(self, app_id: str) -> Result:
        """Delete an application that was scaled to none and of which nothing runs any more.

        Args:
            app_id (str): Id of the app, such as APP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        if app["replicas"] != 0:
            return _refused(f"{app['name']} is meant to have {app['replicas']} pods, so scale it to none first.")
        if self._app_running(app) != 0:
            return _refused(f"{self._app_running(app)} pods of {app['name']} are still running, so evict them first.")
        self._journal = []
        self._remove("apps", app)
        users = len(self._placements_by_app.get(app["id"], {}))
        if users:
            return self._take_back(
                f"App {app['name']} is still used by {users} {'placement' if users == 1 else 'placements'}."
            )
        for one_node in _distinct(
            [self.nodes[one["node_id"]] for one in self._placements_by_app.get(app["id"], {}).values()]
        ):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_placement in _distinct(self._placements_by_app.get(app["id"], {}).values()):
            if self._breaks_rule_2(one_placement):
                return self._take_back(RULES[1])
        for one_placement in _distinct(self._placements_by_app.get(app["id"], {}).values()):
            if self._breaks_rule_3(one_placement):
                return self._take_back(RULES[2])
        for one_placement in _distinct(self._placements_by_app.get(app["id"], {}).values()):
            if self._breaks_rule_4(one_placement):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(self.teams[app["team_id"]]):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: delete the application {app['name']}.", "data": self._changes()}

    def scale_app(self, app_id: str, replicas: Annotated[int, {"minimum": 0, "maximum": 60}]) -> Result:
        """Change how many pods an application is meant to have; too many running ones end, on the nodes with the
        least free processor first.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            replicas (int): How many pods the application is meant to have from now on, from 0 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        if replicas == app["replicas"]:
            return _refused(f"{app['name']} is meant to have {replicas} pods already.")
        self._journal = []
        deleted_placements: list[Any] = []
        changed_placements: list[Any] = []
        over = max(0, self._app_running(app) - replicas)
        for x in sorted(
            self._placements_by_app.get(app_id, {}).values(),
            key=lambda x: (self._node_free_cpu(self.nodes[x["node_id"]]), self.nodes[x["node_id"]]["name"], _age(x)),
        ):
            part = min(over, x["pods"])
            over = over - part
            if part == x["pods"]:
                if x["id"] in self.placements:
                    self._remove("placements", x)
                deleted_placements.append(x)
            else:
                pods = x["pods"] - part
                if not 1 <= pods <= 60:
                    return self._take_back(f"The pods of {x['id']} must be between 1 and 60.")
                changed_placements.append(x)
                if x["id"] in self.placements:
                    self._put("placements", x, "pods", pods)
        self._put("apps", app, "replicas", replicas)
        for one_node in _distinct(
            [
                *[self.nodes[one["node_id"]] for one in deleted_placements],
                *[self.nodes[one["node_id"]] for one in changed_placements],
            ]
        ):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_placement in _distinct(changed_placements):
            if one_placement["id"] in self.placements and self._breaks_rule_4(one_placement):
                return self._take_back(RULES[3])
        for one_app in _distinct(
            [
                app,
                *[self.apps[one["app_id"]] for one in deleted_placements],
                *[self.apps[one["app_id"]] for one in changed_placements],
            ]
        ):
            if self._breaks_rule_6(one_app):
                return self._take_back(RULES[5])
        for one_team in _distinct(
            [
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in deleted_placements]],
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in changed_placements]],
            ]
        ):
            if self._breaks_rule_7(one_team):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: scale {app['name']} to {replicas} pods.", "data": self._changes()}

    def place_pods(
        self,
        app_id: str,
        node_id: str,
        pods: Annotated[int, {"minimum": 1, "maximum": 60}] = 1,
    ) -> Result:
        """Place pending pods of an application on a node.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            node_id (str): Id of the node, such as NODE-00001.
            pods (int): How many pending pods to place, one only where the application is spread, from 1 to 60.
                Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if self._app_pending(app) < pods:
            return _refused(f"{app['name']} has {self._app_pending(app)} pending pods.")
        if node["state"] != "ready":
            return _refused(f"{node['name']} is {node['state']}.")
        if not all(t in app["tolerates"] for t in node["taints"]):
            return _refused(f"{app['name']} does not tolerate all the taints of {node['name']}.")
        if app["only_in"] is not None and app["only_in"] != node["zone"]:
            return _refused(f"{app['name']} is tied to another zone than {node['zone']}.")
        if not (not app["spread"] or pods == 1 and self._at(app, node) == 0):
            return _refused(f"{app['name']} is spread, so a node takes one pod of it.")
        if self._node_free_cpu(node) < app["cpu"] * pods:
            return _refused(
                f"{node['name']} has {self._node_free_cpu(node)} millicores free, not {app['cpu'] * pods}."
            )
        if self._node_free_memory(node) < app["memory"] * pods:
            return _refused(
                f"{node['name']} has {self._node_free_memory(node)} MiB free, not {app['memory'] * pods}."
            )
        if self._team_used(self.teams[app["team_id"]]) + app["cpu"] * pods > self.teams[app["team_id"]]["quota"]:
            return _refused(
                f"{self.teams[app['team_id']]['name']} uses {self._team_used(self.teams[app['team_id']])} of "
                f"{self.teams[app['team_id']]['quota']} millicores."
            )
        self._journal = []
        changed_placements: list[Any] = []
        added_placements: list[Any] = []
        if self._at(app, node) > 0:
            for x in sorted(self._placements_by_app_node.get((app_id, node_id), {}).values(), key=_age):
                new_pods = x["pods"] + pods
                if not 1 <= new_pods <= 60:
                    return self._take_back(f"The pods of {x['id']} must be between 1 and 60.")
                changed_placements.append(x)
                self._put("placements", x, "pods", new_pods)
        else:
            placement = {
                "id": self._new_id("placement", "PLACEMENT", self.placements),
                "app_id": app_id,
                "node_id": node_id,
                "pods": pods,
            }
            self._add("placements", placement)
            added_placements.append(placement)
        for one_node in _distinct(
            [
                *[self.nodes[one["node_id"]] for one in changed_placements],
                *[self.nodes[one["node_id"]] for one in added_placements],
            ]
        ):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_placement in _distinct(added_placements):
            if self._breaks_rule_2(one_placement):
                return self._take_back(RULES[1])
        for one_placement in _distinct(added_placements):
            if self._breaks_rule_3(one_placement):
                return self._take_back(RULES[2])
        for one_placement in _distinct([*changed_placements, *added_placements]):
            if self._breaks_rule_4(one_placement):
                return self._take_back(RULES[3])
        for one_placement in _distinct(added_placements):
            if self._breaks_rule_5(one_placement):
                return self._take_back(RULES[4])
        for one_app in _distinct(
            [
                *[self.apps[one["app_id"]] for one in changed_placements],
                *[self.apps[one["app_id"]] for one in added_placements],
            ]
        ):
            if self._breaks_rule_6(one_app):
                return self._take_back(RULES[5])
        for one_team in _distinct(
            [
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in changed_placements]],
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in added_placements]],
            ]
        ):
            if self._breaks_rule_7(one_team):
                return self._take_back(RULES[6])
        for one_placement in _distinct(added_placements):
            if self._breaks_rule_8(one_placement):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: place {pods} pods of {app['name']} on {node['name']}.",
            "data": self._changes(),
        }

    def evict_pods(
        self,
        app_id: str,
        node_id: str,
        pods: Annotated[int, {"minimum": 1, "maximum": 60}] = 1,
    ) -> Result:
        """Evict pods of an application from a node, as far as its disruption budget allows; they are pending again.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            node_id (str): Id of the node, such as NODE-00001.
            pods (int): How many pods to evict from the node, from 1 to 60. Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if self._at(app, node) < pods:
            return _refused(f"{node['name']} runs {self._at(app, node)} pods of {app['name']}.")
        if pods > self._may_lose(app):
            return _refused(
                f"{app['name']} may lose {self._may_lose(app)} pods at present, so place pending ones or widen "
                "its budget."
            )
        self._journal = []
        deleted_placements: list[Any] = []
        changed_placements: list[Any] = []
        for x in sorted(self._placements_by_app_node.get((app_id, node_id), {}).values(), key=_age):
            if x["pods"] == pods:
                if x["id"] in self.placements:
                    self._remove("placements", x)
                deleted_placements.append(x)
            else:
                new_pods = x["pods"] - pods
                if not 1 <= new_pods <= 60:
                    return self._take_back(f"The pods of {x['id']} must be between 1 and 60.")
                changed_placements.append(x)
                if x["id"] in self.placements:
                    self._put("placements", x, "pods", new_pods)
        for one_node in _distinct(
            [
                *[self.nodes[one["node_id"]] for one in deleted_placements],
                *[self.nodes[one["node_id"]] for one in changed_placements],
            ]
        ):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_placement in _distinct(changed_placements):
            if one_placement["id"] in self.placements and self._breaks_rule_4(one_placement):
                return self._take_back(RULES[3])
        for one_app in _distinct(
            [
                *[self.apps[one["app_id"]] for one in deleted_placements],
                *[self.apps[one["app_id"]] for one in changed_placements],
            ]
        ):
            if self._breaks_rule_6(one_app):
                return self._take_back(RULES[5])
        for one_team in _distinct(
            [
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in deleted_placements]],
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in changed_placements]],
            ]
        ):
            if self._breaks_rule_7(one_team):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: evict {pods} pods of {app['name']} from {node['name']}.",
            "data": self._changes(),
        }

    def preempt_for(self, app_id: str, node_id: str) -> Result:
        """Place one pending pod of an application on a node where it does not fit, by ending pods of lower priority
        there, the lowest first and no more than needed, whatever their budgets.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            node_id (str): Id of the node, such as NODE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if self._app_pending(app) <= 0:
            return _refused(f"{app['name']} has no pending pod.")
        if node["state"] != "ready":
            return _refused(f"{node['name']} is {node['state']}.")
        if not self._stands(app, node):
            return _refused(f"{app['name']} cannot run on {node['name']}, because of a taint or the zone.")
        if app["spread"] and self._at(app, node) != 0:
            return _refused(f"{app['name']} is spread and runs there already.")
        if self._fits(app, node, 1):
            return _refused(f"{app['name']} fits on {node['name']} without pushing anything aside, so just place it.")
        if (
            self._node_free_cpu(node) + sum(
                x["pods"] * self.apps[x["app_id"]]["cpu"]
                for x in self._below_rank(node, app)
            ) < app["cpu"]
            or self._node_free_memory(node) + sum(
                x["pods"] * self.apps[x["app_id"]]["memory"]
                for x in self._below_rank(node, app)
            ) < app["memory"]
        ):
            return _refused(f"There is not enough of lower priority on {node['name']}.")
        if self._team_used(self.teams[app["team_id"]]) + app["cpu"] > self.teams[app["team_id"]]["quota"]:
            return _refused(
                f"{self.teams[app['team_id']]['name']} uses {self._team_used(self.teams[app['team_id']])} of "
                f"{self.teams[app['team_id']]['quota']} millicores."
            )
        self._journal = []
        deleted_placements: list[Any] = []
        changed_placements: list[Any] = []
        added_placements: list[Any] = []
        cpu_short = max(0, app["cpu"] - self._node_free_cpu(node))
        memory_short = max(0, app["memory"] - self._node_free_memory(node))
        for x in sorted(
            self._below_rank(node, app),
            key=lambda x: (
                self.priorities[self.apps[x["app_id"]]["priority_id"]]["rank"],
                self.apps[x["app_id"]]["name"],
                _age(x),
            ),
        ):
            part = min(
                x["pods"],
                max(
                    ceil(Fraction(cpu_short, self.apps[x["app_id"]]["cpu"])),
                    ceil(Fraction(memory_short, self.apps[x["app_id"]]["memory"])),
                ),
            )
            if part > 0:
                cpu_short = max(0, cpu_short - part * self.apps[x["app_id"]]["cpu"])
                memory_short = max(0, memory_short - part * self.apps[x["app_id"]]["memory"])
                if part == x["pods"]:
                    if x["id"] in self.placements:
                        self._remove("placements", x)
                    deleted_placements.append(x)
                else:
                    pods = x["pods"] - part
                    if not 1 <= pods <= 60:
                        return self._take_back(f"The pods of {x['id']} must be between 1 and 60.")
                    changed_placements.append(x)
                    if x["id"] in self.placements:
                        self._put("placements", x, "pods", pods)
        if self._at(app, node) > 0:
            for x in sorted(self._placements_by_app_node.get((app_id, node_id), {}).values(), key=_age):
                new_pods = x["pods"] + 1
                if not 1 <= new_pods <= 60:
                    return self._take_back(f"The pods of {x['id']} must be between 1 and 60.")
                changed_placements.append(x)
                if x["id"] in self.placements:
                    self._put("placements", x, "pods", new_pods)
        else:
            placement = {
                "id": self._new_id("placement", "PLACEMENT", self.placements),
                "app_id": app_id,
                "node_id": node_id,
                "pods": 1,
            }
            self._add("placements", placement)
            added_placements.append(placement)
        for one_node in _distinct(
            [
                *[self.nodes[one["node_id"]] for one in deleted_placements],
                *[self.nodes[one["node_id"]] for one in changed_placements],
                *[self.nodes[one["node_id"]] for one in added_placements],
            ]
        ):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_placement in _distinct(added_placements):
            if one_placement["id"] in self.placements and self._breaks_rule_2(one_placement):
                return self._take_back(RULES[1])
        for one_placement in _distinct(added_placements):
            if one_placement["id"] in self.placements and self._breaks_rule_3(one_placement):
                return self._take_back(RULES[2])
        for one_placement in _distinct([*changed_placements, *added_placements]):
            if one_placement["id"] in self.placements and self._breaks_rule_4(one_placement):
                return self._take_back(RULES[3])
        for one_placement in _distinct(added_placements):
            if one_placement["id"] in self.placements and self._breaks_rule_5(one_placement):
                return self._take_back(RULES[4])
        for one_app in _distinct(
            [
                *[self.apps[one["app_id"]] for one in deleted_placements],
                *[self.apps[one["app_id"]] for one in changed_placements],
                *[self.apps[one["app_id"]] for one in added_placements],
            ]
        ):
            if self._breaks_rule_6(one_app):
                return self._take_back(RULES[5])
        for one_team in _distinct(
            [
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in deleted_placements]],
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in changed_placements]],
                *[self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in added_placements]],
            ]
        ):
            if self._breaks_rule_7(one_team):
                return self._take_back(RULES[6])
        for one_placement in _distinct(added_placements):
            if one_placement["id"] in self.placements and self._breaks_rule_8(one_placement):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: push others aside for {app['name']} on {node['name']}.",
            "data": self._changes(),
        }

    def drain_node(self, node_id: str) -> Result:
        """Cordon a node and evict everything from it, if every disruption budget allows that.

        Args:
            node_id (str): Id of the node, such as NODE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if node["state"] == "down":
            return _refused(f"{node['name']} is down.")
        if not self._placements_by_node.get(node_id, {}):
            return _refused(f"Nothing runs on {node['name']}, so just cordon it.")
        hurt = self._hurt_by(node)
        if hurt is not None:
            return _refused(
                f"{self.apps[hurt['app_id']]['name']} has {hurt['pods']} pods on {node['name']} and may lose "
                f"{self._may_lose(self.apps[hurt['app_id']])}, so place pending ones elsewhere or widen its budget."
            )
        self._journal = []
        deleted_placements: list[Any] = []
        changed_nodes: list[Any] = []
        for x in sorted(self._placements_by_node.get(node_id, {}).values(), key=_age):
            if x["id"] in self.placements:
                self._remove("placements", x)
            deleted_placements.append(x)
        if node["state"] == "ready":
            if node["state"] not in ("ready", "cordoned"):
                return self._take_back(f"Node {node['name']} cannot go from {node['state']} to cordoned.")
            changed_nodes.append(node)
            self._put("nodes", node, "state", "cordoned")
        for one_node in _distinct([self.nodes[one["node_id"]] for one in deleted_placements]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_app in _distinct([self.apps[one["app_id"]] for one in deleted_placements]):
            if self._breaks_rule_6(one_app):
                return self._take_back(RULES[5])
        for one_team in _distinct(
            [self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in deleted_placements]]
        ):
            if self._breaks_rule_7(one_team):
                return self._take_back(RULES[6])
        for one_placement in _distinct(
            [user for one in changed_nodes for user in self._placements_by_node.get(one["id"], {}).values()]
        ):
            if one_placement["id"] in self.placements and self._breaks_rule_8(one_placement):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: drain {node['name']}.", "data": self._changes()}

    def set_node(self, node_id: str, state: Literal["ready", "cordoned", "down"]) -> Result:
        """Make a node ready, cordon it so that nothing new comes, or note that it is down, which ends what ran there.

        Args:
            node_id (str): Id of the node, such as NODE-00001.
            state (str): State that the node is to have, down ending everything that runs there: ready, cordoned or
                down.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if state == node["state"]:
            return _refused(f"{node['name']} is {state} already.")
        if state == "cordoned" and node["state"] != "ready":
            return _refused(f"{node['name']} is down; bring it back first.")
        self._journal = []
        deleted_placements: list[Any] = []
        if state == "down":
            for x in sorted(self._placements_by_node.get(node_id, {}).values(), key=_age):
                if x["id"] in self.placements:
                    self._remove("placements", x)
                deleted_placements.append(x)
        if node["state"] != state and (node["state"], state) not in NODE_STATE_MOVES:
            return self._take_back(f"Node {node['name']} cannot go from {node['state']} to {state}.")
        self._put("nodes", node, "state", state)
        for one_node in _distinct([self.nodes[one["node_id"]] for one in deleted_placements]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        for one_app in _distinct([self.apps[one["app_id"]] for one in deleted_placements]):
            if self._breaks_rule_6(one_app):
                return self._take_back(RULES[5])
        for one_team in _distinct(
            [self.teams[one["team_id"]] for one in [self.apps[one["app_id"]] for one in deleted_placements]]
        ):
            if self._breaks_rule_7(one_team):
                return self._take_back(RULES[6])
        for one_placement in _distinct(self._placements_by_node.get(node["id"], {}).values()):
            if one_placement["id"] in self.placements and self._breaks_rule_8(one_placement):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: set {node['name']} {state}.", "data": self._changes()}

    def taint_node(self, node_id: str, taint: Literal["gpu", "spot", "system"], tainted: bool = True) -> Result:
        """Put a taint on a node, or take it off; what does not tolerate it must be gone before.

        Args:
            node_id (str): Id of the node, such as NODE-00001.
            taint (str): Taint that is put on the node or taken off it: gpu, spot or system.
            tainted (bool): Whether the node is to have the taint, false taking it off. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if tainted != (taint not in node["taints"]):
            return _refused(f"For {node['name']} that is so already.")
        odd = next(
            (
                x
                for x in sorted(self._placements_by_node.get(node_id, {}).values(), key=_age)
                if taint not in self.apps[x["app_id"]]["tolerates"]
            ),
            None,
        )
        if tainted and odd is not None:
            return _refused(
                f"{self.apps[odd['app_id']]['name']} runs on {node['name']} and does not tolerate {taint}, so "
                "evict it first."
            )
        self._journal = []
        self._put(
            "nodes",
            node,
            "taints",
            [*[t for t in ["gpu", "spot", "system"] if (t in node["taints"] and t != taint or t == taint and tainted)]],
        )
        for one_placement in _distinct(self._placements_by_node.get(node["id"], {}).values()):
            if self._breaks_rule_2(one_placement):
                return self._take_back(RULES[1])
        if self._breaks_rule_9(node):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: change the taint {taint} of {node['name']}.",
            "data": self._changes(),
        }

    def set_budget(self, app_id: str, most_down: Annotated[int, {"minimum": 0, "maximum": 60}]) -> Result:
        """Change how many pods of an application may be missing at a time.

        Args:
            app_id (str): Id of the app, such as APP-00001.
            most_down (int): How many pods may be missing at a time from now on, from 0 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        app = self.apps.get(app_id)
        if app is None:
            return _refused(f"There is no app {app_id!r}.")
        if most_down == app["most_down"]:
            return _refused(f"{app['name']} may miss {most_down} already.")
        self._journal = []
        self._put("apps", app, "most_down", most_down)
        return {
            "success": True,
            "message": f"Done: let {app['name']} miss {most_down} pods.",
            "data": self._changes(),
        }

    def change_quota(self, team_id: str, quota: Annotated[int, {"minimum": 500, "maximum": 60000}]) -> Result:
        """Change the processor quota of a team, in millicores.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            quota (int): Processor that the team may use in all, in millicores, from 500 to 60000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        if quota == team["quota"]:
            return _refused(f"{team['name']} has that quota already.")
        if quota < self._team_used(team):
            return _refused(f"{team['name']} uses {self._team_used(team)} millicores.")
        self._journal = []
        self._put("teams", team, "quota", quota)
        if self._breaks_rule_7(team):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: set the quota of {team['name']} to {quota} millicores.",
            "data": self._changes(),
        }

    def _show_team(self, team: Team) -> dict[str, Any]:
        """The team as an answer shows it."""
        return {**team, "used": self._team_used(team)}

    def _show_node(self, node: Node) -> dict[str, Any]:
        """The node as an answer shows it."""
        return {
            **node,
            "taints": [*node["taints"]],
            "free_cpu": self._node_free_cpu(node),
            "free_memory": self._node_free_memory(node),
        }

    def _show_app(self, app: App) -> dict[str, Any]:
        """The app as an answer shows it."""
        return {
            **app,
            "tolerates": [*app["tolerates"]],
            "running": self._app_running(app),
            "pending": self._app_pending(app),
        }

    def _names_of_apps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that apps point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.priorities, "name", [row["priority_id"] for row in shown]),
        )

    def _names_of_placements(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that placements point to."""
        return _names(
            (self.apps, "name", [row["app_id"] for row in shown]),
            (self.nodes, "name", [row["node_id"] for row in shown]),
        )

    def _team_used(self, team: Team) -> int:
        """The used of a team."""
        return sum(
            x["pods"] * self.apps[x["app_id"]]["cpu"]
            for _app in self._apps_by_team.get(team["id"], {}).values()
            for x in self._placements_by_app.get(_app["id"], {}).values()
        )

    def _node_free_cpu(self, node: Node) -> int:
        """The free cpu of a node."""
        return (
            node["cpu"]
            - sum(
                x["pods"] * self.apps[x["app_id"]]["cpu"]
                for x in self._placements_by_node.get(node["id"], {}).values()
            )
        )

    def _node_free_memory(self, node: Node) -> int:
        """The free memory of a node."""
        return (
            node["memory"]
            - sum(
                x["pods"] * self.apps[x["app_id"]]["memory"]
                for x in self._placements_by_node.get(node["id"], {}).values()
            )
        )

    def _app_running(self, app: App) -> int:
        """The running of an app."""
        return sum(x["pods"] for x in self._placements_by_app.get(app["id"], {}).values())

    def _app_pending(self, app: App) -> int:
        """The pending of an app."""
        return app["replicas"] - self._app_running(app)

    def _stands(self, a: App, n: Node) -> bool:
        return all(t in a["tolerates"] for t in n["taints"]) and (a["only_in"] is None or a["only_in"] == n["zone"])

    def _at(self, a: App, n: Node) -> int:
        return sum(x["pods"] for x in self._placements_by_app_node.get((a["id"], n["id"]), {}).values())

    def _may_lose(self, a: App) -> int:
        return max(0, self._app_running(a) - max(0, a["replicas"] - a["most_down"]))

    def _fits(self, a: App, n: Node, pods: int) -> bool:
        return self._node_free_cpu(n) >= a["cpu"] * pods and self._node_free_memory(n) >= a["memory"] * pods

    def _can_go(self, a: App, n: Node, pods: int) -> bool:
        return (
            n["state"] == "ready"
            and self._stands(a, n)
            and self._fits(a, n, pods)
            and (not a["spread"] or pods == 1 and self._at(a, n) == 0)
            and self._team_used(self.teams[a["team_id"]]) + a["cpu"] * pods <= self.teams[a["team_id"]]["quota"]
        )

    def _hurt_by(self, n: Node) -> Placement | None:
        return next(
            (
                x
                for x in sorted(self._placements_by_node.get(n["id"], {}).values(), key=_age)
                if x["pods"] > self._may_lose(self.apps[x["app_id"]])
            ),
            None,
        )

    def _below_rank(self, n: Node, a: App) -> list[Placement]:
        return [
            x
            for x in sorted(self._placements_by_node.get(n["id"], {}).values(), key=_age)
            if self.priorities[
                self.apps[x["app_id"]]["priority_id"]
            ]["rank"] < self.priorities[a["priority_id"]]["rank"]
        ]

    def _breaks_rule_1(self, n: Node) -> bool:
        """Whether this is broken: the pods on a node never ask for more processor or memory than it has."""
        return self._node_free_cpu(n) < 0 or self._node_free_memory(n) < 0

    def _breaks_rule_2(self, x: Placement) -> bool:
        """Whether this is broken: pods run only on nodes whose taints their application tolerates."""
        return any(t not in self.apps[x["app_id"]]["tolerates"] for t in self.nodes[x["node_id"]]["taints"])

    def _breaks_rule_3(self, x: Placement) -> bool:
        """Whether this is broken: an application that is tied to a zone runs only there."""
        return (
            self.apps[x["app_id"]]["only_in"] is not None
            and self.apps[x["app_id"]]["only_in"] != self.nodes[x["node_id"]]["zone"]
        )

    def _breaks_rule_4(self, x: Placement) -> bool:
        """Whether this is broken: an application that is spread has one pod on a node at most."""
        return self.apps[x["app_id"]]["spread"] and x["pods"] != 1

    def _breaks_rule_5(self, x: Placement) -> bool:
        """Whether this is broken: what runs of an application on a node is counted in one place."""
        return any(
            other_x is not x
            for other_x in self._placements_by_app_node.get((x["app_id"], x["node_id"]), {}).values()
        )

    def _breaks_rule_6(self, a: App) -> bool:
        """Whether this is broken: no application runs more pods than it is meant to have."""
        return self._app_running(a) > a["replicas"]

    def _breaks_rule_7(self, t: Team) -> bool:
        """Whether this is broken: a team uses no more processor than its quota."""
        return self._team_used(t) > t["quota"]

    def _breaks_rule_8(self, x: Placement) -> bool:
        """Whether this is broken: nothing runs on a node that is down."""
        return self.nodes[x["node_id"]]["state"] == "down"

    def _breaks_rule_9(self, n: Node) -> bool:
        """Whether this is broken: a node carries each taint once."""
        return not _different([t for t in n["taints"]])

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
            case "apps":
                self._apps_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._apps_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._apps_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "placements":
                self._placements_by_app.setdefault(record["app_id"], {})[record["id"]] = record
                self._placements_by_app_node.setdefault((record["app_id"], record["node_id"]), {})[record["id"]] = record
                self._placements_by_node.setdefault(record["node_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "apps":
                del self._apps_by_lower_name[record["name"].lower()][record["id"]]
                del self._apps_by_name[record["name"]][record["id"]]
                del self._apps_by_team[record["team_id"]][record["id"]]
            case "placements":
                del self._placements_by_app[record["app_id"]][record["id"]]
                del self._placements_by_app_node[record["app_id"], record["node_id"]][record["id"]]
                del self._placements_by_node[record["node_id"]][record["id"]]
