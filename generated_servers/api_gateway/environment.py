"""API gateway. Compiled from blueprint.yaml; run `envscaler build api_gateway` after changing it there.

Lets consumers call the interfaces of a logistics company through a gateway, with plans and daily quotas, keys
that are rotated, scopes that contain others, routes of which the most specific wins, and routes that are
deprecated and removed.
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
    "A consumer has no more active keys than the plan allows.",
    "A key that works carries only scopes its consumer holds, directly or through a wider one.",
    "A retiring key has a successor of the same consumer, and no active key has one.",
    "Nobody holds a scope twice, and neither does a key.",
    "A consumer is never counted above the daily quota of the plan.",
    "Routes of the same path and method have different ranks.",
    "A deprecated route has a sunset and a replacement that is live, and a live route has neither.",
    "A replacement never leads back to the route it replaces.",
    "The calls of a consumer on a route are counted in one place.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_consumer",
    "change_plan",
    "grant_scope",
    "issue_key",
    "rotate_key",
    "revoke_key",
    "add_route",
    "change_route",
    "deprecate_route",
    "remove_route",
    "count_calls",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "plans": ("name",),
    "scopes": ("name",),
    "consumers": ("name",),
    "credentials": ("code",),
    "paths": ("name",),
    "routes": ("name",),
    "usages": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("consumers", "name"),
    ("credentials", "code"),
    ("credentials", "consumer_id"),
    ("credentials", "status"),
    ("routes", "method"),
    ("routes", "name"),
    ("routes", "path_id"),
    ("routes", "replacement_id"),
    ("routes", "status"),
    ("usages", "consumer_id"),
    ("usages", "route_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Plan(TypedDict):
    id: str
    name: str
    daily_quota: int
    most_keys: int
    price: int


class Scope(TypedDict):
    id: str
    name: str
    within_id: str | None


class Consumer(TypedDict):
    id: str
    name: str
    plan_id: str
    scope_ids: list[str]
    counted_on: str | None
    counted: int


class Credential(TypedDict):
    id: str
    code: str
    consumer_id: str
    scope_ids: list[str]
    issued_on: str
    expires_on: str
    successor_id: str | None
    status: Literal["active", "retiring", "revoked"]


class Path(TypedDict):
    id: str
    name: str
    within_id: str | None


class Route(TypedDict):
    id: str
    name: str
    path_id: str
    method: Literal["read", "write", "all"]
    rank: int
    backend: Literal["orders_a", "orders_b", "tracking", "billing", "archive"]
    needs_id: str | None
    replacement_id: str | None
    sunset_on: str | None
    status: Literal["live", "deprecated", "removed"]


class Usage(TypedDict):
    id: str
    consumer_id: str
    route_id: str
    calls: int
    last_on: str


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class ApiGateway:
    """Lets consumers call the interfaces of a logistics company through a gateway, with plans and daily
    quotas, keys that are rotated, scopes that contain others, routes of which the most specific wins,
    and routes that are deprecated and removed.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.scopes: dict[str, Scope] = _copied(config.get("scopes", {}))
        self.consumers: dict[str, Consumer] = _copied(config.get("consumers", {}))
        self.credentials: dict[str, Credential] = _copied(config.get("credentials", {}))
        self.paths: dict[str, Path] = _copied(config.get("paths", {}))
        self.routes: dict[str, Route] = _copied(config.get("routes", {}))
        self.usages: dict[str, Usage] = _copied(config.get("usages", {}))
        self.now: str = config.get("now", "2026-12-02T11:25")
        self.counters: dict[str, int] = {
            "plan": len(self.plans),
            "scope": len(self.scopes),
            "consumer": len(self.consumers),
            "credential": len(self.credentials),
            "path": len(self.paths),
            "route": len(self.routes),
            "usage": len(self.usages),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._consumers_by_lower_name: dict[Any, dict[str, Consumer]] = {}
        self._consumers_by_name: dict[Any, dict[str, Consumer]] = {}
        self._credentials_by_code: dict[Any, dict[str, Credential]] = {}
        self._credentials_by_consumer: dict[Any, dict[str, Credential]] = {}
        self._credentials_by_consumer_status: dict[Any, dict[str, Credential]] = {}
        self._credentials_by_lower_code: dict[Any, dict[str, Credential]] = {}
        self._routes_by_lower_name: dict[Any, dict[str, Route]] = {}
        self._routes_by_name: dict[Any, dict[str, Route]] = {}
        self._routes_by_path: dict[Any, dict[str, Route]] = {}
        self._routes_by_path_method: dict[Any, dict[str, Route]] = {}
        self._routes_by_replacement_status: dict[Any, dict[str, Route]] = {}
        self._usages_by_consumer_route: dict[Any, dict[str, Usage]] = {}
        self._usages_by_route: dict[Any, dict[str, Usage]] = {}
        for consumer in self.consumers.values():
            self._link("consumers", consumer)
        for credential in self.credentials.values():
            self._link("credentials", credential)
        for route in self.routes.values():
            self._link("routes", route)
        for usage in self.usages.values():
            self._link("usages", usage)

    def route_for(self, path_id: str, method: Literal["read", "write"]) -> Result:
        """Which route serves a path and method, and which others would if it were gone.

        Args:
            path_id (str): Id of the path, such as PATH-00001.
            method (str): Kind of call to serve: read or write.

        Returns:
            dict: {"success": True, "data": {route, name, follows, all_that_would_serve, status}} or {"success":
                False, "error": why not}
        """
        path = self.paths.get(path_id)
        if path is None:
            return _refused(f"There is no path {path_id!r}.")
        answer = {
            "route": _id_of(self._route_of(path, method)),
            "name": min(
                [
                    ((-self._path_depth(self.paths[r["path_id"]]), r["method"] == "all", r["rank"],), r["name"])
                    for r in sorted(
                        _distinct(
                            [
                                r
                                for key in [
                                    path_id,
                                    *[record["id"] for record in _above(self.paths, path, "within_id")],
                                ]
                                for r in self._routes_by_path.get(key, {}).values()
                            ]
                        ),
                        key=_age,
                    )
                    if self._serves(r, path, method)
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1],
            "follows": min(
                [
                    ((-self._path_depth(self.paths[r["path_id"]]), r["method"] == "all", r["rank"],), r["name"])
                    for r in sorted(
                        _distinct(
                            [
                                r
                                for key in [
                                    path_id,
                                    *[record["id"] for record in _above(self.paths, path, "within_id")],
                                ]
                                for r in self._routes_by_path.get(key, {}).values()
                            ]
                        ),
                        key=_age,
                    )
                    if self._serves(r, path, method)
                    and r is not self._route_of(path, method)
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1],
            "all_that_would_serve": [
                *[
                    r["name"]
                    for r in sorted(
                        _distinct(
                            [
                                r
                                for key in [
                                    path_id,
                                    *[record["id"] for record in _above(self.paths, path, "within_id")],
                                ]
                                for r in self._routes_by_path.get(key, {}).values()
                            ]
                        ),
                        key=_age,
                    )
                    if self._serves(r, path, method)
                ]
            ],
            "status": min(
                [
                    ((-self._path_depth(self.paths[r["path_id"]]), r["method"] == "all", r["rank"],), r["status"])
                    for r in sorted(
                        _distinct(
                            [
                                r
                                for key in [
                                    path_id,
                                    *[record["id"] for record in _above(self.paths, path, "within_id")],
                                ]
                                for r in self._routes_by_path.get(key, {}).values()
                            ]
                        ),
                        key=_age,
                    )
                    if self._serves(r, path, method)
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1],
        }
        return _found(answer, _names((self.routes, "name", [row["route"] for row in [answer]])))

    def keys_ending(
        self,
        until: Date,
        consumer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Keys that work and expire by a day, the earliest first.

        Args:
            until (str): Last day on which the listed keys may expire, as YYYY-MM-DD.
            consumer_id (str, optional): Consumer that has the keys; an id such as CONSUMER-00001. If left out, the
                keys of all consumers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "credentials": records}} or {"success": False, "error":
                why not}
        """
        consumer = self.consumers.get(consumer_id) if consumer_id is not None else None
        if consumer_id is not None and consumer is None:
            return _refused(f"There is no consumer {consumer_id!r}.")
        found = [
            k
            for k in self.credentials.values()
            if (k["status"] != "revoked" and k["expires_on"] <= until)
            and (consumer_id is None or k["consumer_id"] == consumer_id)
        ]
        found.sort(key=lambda k: (k["expires_on"], k["code"], _age(k)))
        return _found(
            {
                "total": len(found),
                "credentials": [
                    {
                        "id": k["id"],
                        "code": k["code"],
                        "consumer": self.consumers[k["consumer_id"]]["name"],
                        "expires_on": k["expires_on"],
                        "status": k["status"],
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def quota_of(self, consumer_id: str) -> Result:
        """What a consumer may still do today.

        Args:
            consumer_id (str): Id of the consumer, such as CONSUMER-00001.

        Returns:
            dict: {"success": True, "data": {plan, daily_quota, counted_today, left_today, active_keys, most_keys}}
                or {"success": False, "error": why not}
        """
        consumer = self.consumers.get(consumer_id)
        if consumer is None:
            return _refused(f"There is no consumer {consumer_id!r}.")
        return _found(
            {
                "plan": self.plans[consumer["plan_id"]]["name"],
                "daily_quota": self.plans[consumer["plan_id"]]["daily_quota"],
                "counted_today": self._counted_today(consumer),
                "left_today": self._left_today(consumer),
                "active_keys": self._consumer_live_keys(consumer),
                "most_keys": self.plans[consumer["plan_id"]]["most_keys"],
            }
        )

    def callers_of(
        self,
        route_id: str,
        since: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who has called a route, the heaviest user first.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            since (str, optional): Day on or after which a consumer last called, as YYYY-MM-DD. If left out, all
                who have ever called are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "usages": records}} or {"success": False, "error": why
                not}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        found = [
            u
            for u in self._usages_by_route.get(route_id, {}).values()
            if (since is None or u["last_on"] >= since)
        ]
        found.sort(key=lambda u: (-u["calls"], self.consumers[u["consumer_id"]]["name"], _age(u)))
        return _found(
            {
                "total": len(found),
                "usages": [
                    {
                        "consumer_id": self.consumers[u["consumer_id"]]["id"],
                        "consumer": self.consumers[u["consumer_id"]]["name"],
                        "calls": u["calls"],
                        "last_on": u["last_on"],
                    }
                    for u in _page(found, offset)
                ],
            }
        )

    def list_plans(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only plans whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        found = [plan for plan in self.plans.values() if (name is None or name.casefold() in plan["name"].casefold())]
        return _found({"total": len(found), "plans": [{**plan} for plan in _page(found, offset)]})

    def list_scopes(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the scopes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only scopes whose name contains this text.
            within_id (str, optional): Only scopes within this scope.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scopes": records}}
        """
        if within_id is not None and within_id not in self.scopes:
            return _refused(f"There is no scope {within_id!r}.")
        found = [
            scope
            for scope in self.scopes.values()
            if (name is None or name.casefold() in scope["name"].casefold())
            and (within_id is None or scope["within_id"] == within_id)
        ]
        shown = [{**scope} for scope in _page(found, offset)]
        return _found({"total": len(found), "scopes": shown}, self._names_of_scopes(shown))

    def list_consumers(
        self,
        name: Text | None = None,
        plan_id: str | None = None,
        counted_on_from: Date | None = None,
        counted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the consumers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only consumers whose name contains this text.
            plan_id (str, optional): Only consumers of this plan.
            counted_on_from (str, optional): Only consumers whose `counted_on` is on this day or later.
            counted_on_to (str, optional): Only consumers whose `counted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "consumers": records}}
        """
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            consumer
            for consumer in self.consumers.values()
            if (name is None or name.casefold() in consumer["name"].casefold())
            and (plan_id is None or consumer["plan_id"] == plan_id)
            and (
                counted_on_from is None
                or (consumer["counted_on"] is not None and consumer["counted_on"] >= counted_on_from)
            )
            and (
                counted_on_to is None
                or (consumer["counted_on"] is not None and consumer["counted_on"] <= counted_on_to)
            )
        ]
        shown = [self._show_consumer(consumer) for consumer in _page(found, offset)]
        return _found({"total": len(found), "consumers": shown}, self._names_of_consumers(shown))

    def list_credentials(
        self,
        code: Text | None = None,
        consumer_id: str | None = None,
        successor_id: str | None = None,
        status: Literal["active", "retiring", "revoked"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the credentials, oldest first, all of them or only some.

        Args:
            code (str, optional): Only credentials whose code contains this text.
            consumer_id (str, optional): Only credentials of this consumer.
            successor_id (str, optional): Only credentials whose successor is this credential.
            status (str, optional): Only credentials with this status.
            issued_on_from (str, optional): Only credentials whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only credentials whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "credentials": records}}
        """
        if consumer_id is not None and consumer_id not in self.consumers:
            return _refused(f"There is no consumer {consumer_id!r}.")
        if successor_id is not None and successor_id not in self.credentials:
            return _refused(f"There is no credential {successor_id!r}.")
        found = [
            credential
            for credential in self.credentials.values()
            if (code is None or code.casefold() in credential["code"].casefold())
            and (consumer_id is None or credential["consumer_id"] == consumer_id)
            and (successor_id is None or credential["successor_id"] == successor_id)
            and (status is None or credential["status"] == status)
            and (issued_on_from is None or credential["issued_on"] >= issued_on_from)
            and (issued_on_to is None or credential["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_credential(credential) for credential in _page(found, offset)]
        return _found({"total": len(found), "credentials": shown}, self._names_of_credentials(shown))

    def list_paths(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the paths, oldest first, all of them or only some.

        Args:
            name (str, optional): Only paths whose name contains this text.
            within_id (str, optional): Only paths within this path.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "paths": records}}
        """
        if within_id is not None and within_id not in self.paths:
            return _refused(f"There is no path {within_id!r}.")
        found = [
            path
            for path in self.paths.values()
            if (name is None or name.casefold() in path["name"].casefold())
            and (within_id is None or path["within_id"] == within_id)
        ]
        shown = [self._show_path(path) for path in _page(found, offset)]
        return _found({"total": len(found), "paths": shown}, self._names_of_paths(shown))

    def list_routes(
        self,
        name: Text | None = None,
        path_id: str | None = None,
        method: Literal["read", "write", "all"] | None = None,
        backend: Literal["orders_a", "orders_b", "tracking", "billing", "archive"] | None = None,
        needs_id: str | None = None,
        replacement_id: str | None = None,
        status: Literal["live", "deprecated", "removed"] | None = None,
        sunset_on_from: Date | None = None,
        sunset_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the routes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only routes whose name contains this text.
            path_id (str, optional): Only routes of this path.
            method (str, optional): Only routes with this method.
            backend (str, optional): Only routes with this backend.
            needs_id (str, optional): Only routes whose needs is this scope.
            replacement_id (str, optional): Only routes whose replacement is this route.
            status (str, optional): Only routes with this status.
            sunset_on_from (str, optional): Only routes whose `sunset_on` is on this day or later.
            sunset_on_to (str, optional): Only routes whose `sunset_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "routes": records}}
        """
        if path_id is not None and path_id not in self.paths:
            return _refused(f"There is no path {path_id!r}.")
        if needs_id is not None and needs_id not in self.scopes:
            return _refused(f"There is no scope {needs_id!r}.")
        if replacement_id is not None and replacement_id not in self.routes:
            return _refused(f"There is no route {replacement_id!r}.")
        found = [
            route
            for route in self.routes.values()
            if (name is None or name.casefold() in route["name"].casefold())
            and (path_id is None or route["path_id"] == path_id)
            and (method is None or route["method"] == method)
            and (backend is None or route["backend"] == backend)
            and (needs_id is None or route["needs_id"] == needs_id)
            and (replacement_id is None or route["replacement_id"] == replacement_id)
            and (status is None or route["status"] == status)
            and (sunset_on_from is None or (route["sunset_on"] is not None and route["sunset_on"] >= sunset_on_from))
            and (sunset_on_to is None or (route["sunset_on"] is not None and route["sunset_on"] <= sunset_on_to))
        ]
        shown = [{**route} for route in _page(found, offset)]
        return _found({"total": len(found), "routes": shown}, self._names_of_routes(shown))

    def list_usages(
        self,
        consumer_id: str | None = None,
        route_id: str | None = None,
        last_on_from: Date | None = None,
        last_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the usages, oldest first, all of them or only some.

        Args:
            consumer_id (str, optional): Only usages of this consumer.
            route_id (str, optional): Only usages of this route.
            last_on_from (str, optional): Only usages whose `last_on` is on this day or later.
            last_on_to (str, optional): Only usages whose `last_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "usages": records}}
        """
        if consumer_id is not None and consumer_id not in self.consumers:
            return _refused(f"There is no consumer {consumer_id!r}.")
        if route_id is not None and route_id not in self.routes:
            return _refused(f"There is no route {route_id!r}.")
        found = [
            usage
            for usage in self.usages.values()
            if (consumer_id is None or usage["consumer_id"] == consumer_id)
            and (route_id is None or usage["route_id"] == route_id)
            and (last_on_from is None or usage["last_on"] >= last_on_from)
            and (last_on_to is None or usage["last_on"] <= last_on_to)
        ]
        shown = [{**usage} for usage in _page(found, offset)]
        return _found({"total": len(found), "usages": shown}, self._names_of_usages(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_consumer(
        self,
        name: Text,
        plan_id: str,
        scope_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Register a consumer with a plan and scopes.

        Args:
            name (str): Name of the company, not registered yet.
            plan_id (str): Id of the plan, such as PLAN-00001.
            scope_ids (list): Scopes it gets, at least one and each once: ids of scopes, such as SCOPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        scopes = []
        for key in scope_ids:
            if key not in self.scopes:
                return _refused(f"There is no scope {key!r}.")
            scopes.append(self.scopes[key])
        if self._consumers_by_lower_name.get(name.lower(), {}):
            return _refused(f"{name} is registered already.")
        if not (len(scopes) > 0 and _different([s["id"] for s in scopes])):
            return _refused("Name at least one scope, and each once.")
        self._journal = []
        consumer: Consumer = {
            "id": self._new_id("consumer", "CONSUMER", self.consumers),
            "name": name,
            "plan_id": plan_id,
            "scope_ids": [record["id"] for record in _those(self.scopes, [record["id"] for record in scopes])],
            "counted_on": None,
            "counted": 0,
        }
        self._add("consumers", consumer)
        if len(self._consumers_by_name.get(consumer["name"], {})) > 1:
            return self._take_back(f"There is already a consumer with the name {consumer['name']!r}.")
        if self._breaks_rule_1(consumer):
            return self._take_back(RULES[0])
        if self._breaks_rule_4_c(consumer):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(consumer):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: register {name} on {plan['name']} (new: consumer {consumer['id']}).",
            "data": {"consumer_id": consumer["id"], **self._changes()},
        }

    def change_plan(self, consumer_id: str, plan_id: str) -> Result:
        """Put a consumer on another plan.

        Args:
            consumer_id (str): Id of the consumer, such as CONSUMER-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        consumer = self.consumers.get(consumer_id)
        if consumer is None:
            return _refused(f"There is no consumer {consumer_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if plan_id == consumer["plan_id"]:
            return _refused(f"{consumer['name']} is on {plan['name']} already.")
        if self._consumer_live_keys(consumer) > plan["most_keys"]:
            return _refused(
                f"{consumer['name']} has {self._consumer_live_keys(consumer)} active keys and {plan['name']} "
                f"allows {plan['most_keys']}, so revoke some first."
            )
        if self._counted_today(consumer) > plan["daily_quota"]:
            return _refused(
                f"{consumer['name']} has made {self._counted_today(consumer)} calls today, more than "
                f"{plan['name']} allows."
            )
        self._journal = []
        counted = self._counted_today(consumer)
        if not 0 <= counted <= 500000:
            return self._take_back(f"The counted of {consumer['name']} must be between 0 and 500000.")
        self._put("consumers", consumer, "counted", counted)
        self._put("consumers", consumer, "counted_on", self.now[:10])
        self._put("consumers", consumer, "plan_id", plan_id)
        if self._breaks_rule_1(consumer):
            return self._take_back(RULES[0])
        if self._breaks_rule_5(consumer):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: put {consumer['name']} on {plan['name']}.",
            "data": self._changes(),
        }

    def grant_scope(self, consumer_id: str, scope_id: str, granted: bool = True) -> Result:
        """Grant a consumer a scope, or withdraw it when no working key needs it.

        Args:
            consumer_id (str): Id of the consumer, such as CONSUMER-00001.
            scope_id (str): Id of the scope, such as SCOPE-00001.
            granted (bool): Whether the scope is granted, as opposed to withdrawn. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        consumer = self.consumers.get(consumer_id)
        if consumer is None:
            return _refused(f"There is no consumer {consumer_id!r}.")
        scope = self.scopes.get(scope_id)
        if scope is None:
            return _refused(f"There is no scope {scope_id!r}.")
        if granted != (scope_id not in consumer["scope_ids"]):
            return _refused(f"For {scope['name']} that is so already.")
        if not (granted or len(consumer["scope_ids"]) > 1):
            return _refused(f"{scope['name']} is the only scope of {consumer['name']}.")
        rest = [s for s in [self.scopes[key] for key in consumer["scope_ids"]] if s is not scope]
        key = next(
            (
                k
                for k in sorted(self._credentials_by_consumer.get(consumer_id, {}).values(), key=_age)
                if not granted
                and k["status"] != "revoked"
                and any(not self._covered(rest, s) for s in [self.scopes[key] for key in k["scope_ids"]])
            ),
            None,
        )
        if key is not None:
            return _refused(f"The key {key['code']} needs {scope['name']}, so revoke it first.")
        self._journal = []
        self._put(
            "consumers",
            consumer,
            "scope_ids",
            [
                record["id"]
                for record in [
                    s
                    for s in _those(self.scopes, [*consumer["scope_ids"], scope_id])
                    if (s["id"] in consumer["scope_ids"] and s is not scope or s is scope and granted)
                ]
            ],
        )
        for one_credential in _distinct(self._credentials_by_consumer.get(consumer["id"], {}).values()):
            if self._breaks_rule_2(one_credential):
                return self._take_back(RULES[1])
        if self._breaks_rule_4_c(consumer):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: change the scope {scope['name']} of {consumer['name']}.",
            "data": self._changes(),
        }

    def issue_key(
        self,
        consumer_id: str,
        code: Text,
        scope_ids: Annotated[list[str], {"maxItems": 20}],
        expires_on: Date,
    ) -> Result:
        """Issue a key to a consumer, for some of the scopes it holds.

        Args:
            consumer_id (str): Id of the consumer, such as CONSUMER-00001.
            code (str): Code of the new key, not in use yet.
            scope_ids (list): Scopes of the key, out of those that the consumer holds: ids of scopes, such as
                SCOPE-00001.
            expires_on (str): Last day of the key, 1 to 730 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        consumer = self.consumers.get(consumer_id)
        if consumer is None:
            return _refused(f"There is no consumer {consumer_id!r}.")
        scopes = []
        for key in scope_ids:
            if key not in self.scopes:
                return _refused(f"There is no scope {key!r}.")
            scopes.append(self.scopes[key])
        if self._credentials_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a key {code} already.")
        if not (len(scopes) > 0 and _different([s["id"] for s in scopes])):
            return _refused("Name at least one scope, and each once.")
        foreign = next(
            (s for s in scopes if not self._covered([self.scopes[key] for key in consumer["scope_ids"]], s)),
            None,
        )
        if foreign is not None:
            return _refused(f"{consumer['name']} does not hold {foreign['name']}, so grant it first.")
        if self.now[:10] >= expires_on or expires_on > _plus_days(self.now[:10], 730):
            return _refused("A key lasts 1 to 730 days.")
        if self._consumer_live_keys(consumer) >= self.plans[consumer["plan_id"]]["most_keys"]:
            return _refused(
                f"{consumer['name']} has {self._consumer_live_keys(consumer)} active keys, as many as "
                f"{self.plans[consumer['plan_id']]['name']} allows; revoke or rotate one, or change the plan."
            )
        self._journal = []
        credential: Credential = {
            "id": self._new_id("credential", "CREDENTIAL", self.credentials),
            "code": code,
            "consumer_id": consumer_id,
            "scope_ids": [record["id"] for record in _those(self.scopes, [record["id"] for record in scopes])],
            "issued_on": self.now[:10],
            "expires_on": expires_on,
            "successor_id": None,
            "status": "active",
        }
        self._add("credentials", credential)
        if len(self._credentials_by_code.get(credential["code"], {})) > 1:
            return self._take_back(f"There is already a credential with the code {credential['code']!r}.")
        if self._breaks_rule_1(self.consumers[credential["consumer_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(credential):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_k(credential):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_k_again(credential):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_k(credential):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: issue the key {code} to {consumer['name']} (new: credential {credential['id']}).",
            "data": {"credential_id": credential["id"], **self._changes()},
        }

    def rotate_key(self, key_id: str, code: Text, grace_until: Date, expires_on: Date) -> Result:
        """Replace an active key by a new one with the same scopes; the old one works until its last day of grace.

        Args:
            key_id (str): Active key that is replaced; an id such as CREDENTIAL-00001.
            code (str): Code of the new key, not in use yet.
            grace_until (str): Last day of the old key, within 60 days, as YYYY-MM-DD.
            expires_on (str): Last day of the new key, after the grace, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        key = self.credentials.get(key_id)
        if key is None:
            return _refused(f"There is no credential {key_id!r}.")
        if key["status"] != "active":
            return _refused(f"The key {key['code']} is {key['status']}.")
        if key["expires_on"] < self.now[:10]:
            return _refused(f"The key {key['code']} expired on {key['expires_on']}; revoke it and issue a new one.")
        if self._credentials_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a key {code} already.")
        if self.now[:10] > grace_until or grace_until > _plus_days(self.now[:10], 60):
            return _refused("The grace ends within 60 days.")
        if grace_until > key["expires_on"]:
            return _refused(f"The key {key['code']} ends on {key['expires_on']}, and a grace does not prolong it.")
        if grace_until >= expires_on or expires_on > _plus_days(self.now[:10], 730):
            return _refused("The new key must outlast the grace and lasts 730 days at most.")
        done = f"rotate the key {key['code']} to {code}"
        self._journal = []
        next_key: Credential = {
            "id": self._new_id("credential", "CREDENTIAL", self.credentials),
            "code": code,
            "consumer_id": key["consumer_id"],
            "scope_ids": [*key["scope_ids"]],
            "issued_on": self.now[:10],
            "expires_on": expires_on,
            "successor_id": None,
            "status": "active",
        }
        self._add("credentials", next_key)
        self._put("credentials", key, "status", "retiring")
        self._put("credentials", key, "successor_id", next_key["id"])
        self._put("credentials", key, "expires_on", grace_until)
        if len(self._credentials_by_code.get(next_key["code"], {})) > 1:
            return self._take_back(f"There is already a credential with the code {next_key['code']!r}.")
        if self._breaks_rule_1(self.consumers[next_key["consumer_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.consumers[key["consumer_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(next_key):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(key):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_k(next_key):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_k(key):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_k_again(next_key):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_k_again(key):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_k(next_key):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: {done} (new: credential {next_key['id']}).",
            "data": {"credential_id": next_key["id"], **self._changes()},
        }

    def revoke_key(self, key_id: str) -> Result:
        """Revoke a key at once.

        Args:
            key_id (str): Key that stops working; an id such as CREDENTIAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        key = self.credentials.get(key_id)
        if key is None:
            return _refused(f"There is no credential {key_id!r}.")
        if key["status"] == "revoked":
            return _refused(f"The key {key['code']} is revoked already.")
        self._journal = []
        self._put("credentials", key, "status", "revoked")
        if self._breaks_rule_1(self.consumers[key["consumer_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(key):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_k(key):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_k_again(key):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: revoke the key {key['code']}.", "data": self._changes()}

    def add_route(
        self,
        name: Text,
        path_id: str,
        method: Literal["read", "write", "all"],
        rank: Annotated[int, {"minimum": 1, "maximum": 99}],
        backend: Literal["orders_a", "orders_b", "tracking", "billing", "archive"],
        needs_id: str | None = None,
    ) -> Result:
        """Add a route for a path and everything below it; a more specific path, then a specific method, then the
        lower rank wins.

        Args:
            name (str): Name of the new route, not in use yet.
            path_id (str): Id of the path, such as PATH-00001.
            method (str): Calls that it serves: read, write or all.
            rank (int): Place among routes of the same path and method, the lower going first, from 1 to 99.
            backend (str): Backend to which the route leads: orders_a, orders_b, tracking, billing or archive.
            needs_id (str, optional): Scope that a key must have for it; an id such as SCOPE-00001. If left out, no
                scope is needed.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        path = self.paths.get(path_id)
        if path is None:
            return _refused(f"There is no path {path_id!r}.")
        needs = self.scopes.get(needs_id) if needs_id is not None else None
        if needs_id is not None and needs is None:
            return _refused(f"There is no scope {needs_id!r}.")
        if self._routes_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a route {name} already.")
        other = next(
            (
                r
                for r in sorted(self._routes_by_path_method.get((path_id, method), {}).values(), key=_age)
                if r["rank"] == rank
                and r["status"] != "removed"
            ),
            None,
        )
        if other is not None:
            return _refused(f"{other['name']} has rank {rank} there, so choose another.")
        self._journal = []
        route: Route = {
            "id": self._new_id("route", "ROUTE", self.routes),
            "name": name,
            "path_id": path_id,
            "method": method,
            "rank": rank,
            "backend": backend,
            "needs_id": needs_id,
            "replacement_id": None,
            "sunset_on": None,
            "status": "live",
        }
        self._add("routes", route)
        if len(self._routes_by_name.get(route["name"], {})) > 1:
            return self._take_back(f"There is already a route with the name {route['name']!r}.")
        if self._breaks_rule_6(route):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_r(route):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again(route):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again_again(route):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(route):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: add the route {name} for {path['name']} (new: route {route['id']}).",
            "data": {"route_id": route["id"], **self._changes()},
        }

    def change_route(
        self,
        route_id: str,
        rank: Annotated[int, {"minimum": 1, "maximum": 99}] | None = None,
        backend: Literal["orders_a", "orders_b", "tracking", "billing", "archive"] | None = None,
        needs_id: str | None = None,
    ) -> Result:
        """Change the rank of a route, where it leads, or the scope it needs.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            rank (int, optional): New rank, the lower going first, from 1 to 99. If left out, the rank stays as it
                is.
            backend (str, optional): Backend to which it leads from now on: orders_a, orders_b, tracking, billing
                or archive. If left out, the backend stays as it is.
            needs_id (str, optional): Scope that a key must have from now on; an id such as SCOPE-00001. If left
                out, the needed scope stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        needs = self.scopes.get(needs_id) if needs_id is not None else None
        if needs_id is not None and needs is None:
            return _refused(f"There is no scope {needs_id!r}.")
        if route["status"] == "removed":
            return _refused(f"{route['name']} has been removed.")
        if not (
            rank is not None
            and rank != route["rank"]
            or backend is not None
            and backend != route["backend"]
            or needs_id is not None
            and needs_id != route["needs_id"]
        ):
            return _refused(f"{route['name']} is like that already.")
        other = next(
            (
                r
                for r in sorted(
                    self._routes_by_path_method.get((route["path_id"], route["method"]), {}).values(),
                    key=_age,
                )
                if rank is not None
                and r is not route
                and r["rank"] == rank
                and r["status"] != "removed"
            ),
            None,
        )
        if other is not None:
            return _refused(f"{other['name']} has that rank there, so give it another one first.")
        self._journal = []
        new_rank = rank if rank is not None else route["rank"]
        if not 1 <= new_rank <= 99:
            return self._take_back(f"The rank of {route['name']} must be between 1 and 99.")
        self._put("routes", route, "rank", new_rank)
        self._put("routes", route, "backend", backend if backend is not None else route["backend"])
        self._put("routes", route, "needs_id", _id_of(needs or self.scopes.get(route["needs_id"])))
        if self._breaks_rule_6(route):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: change the route {route['name']}.", "data": self._changes()}

    def deprecate_route(self, route_id: str, replacement_id: str, sunset_on: Date) -> Result:
        """Deprecate a route in favour of a live one until a sunset, or change the sunset of one that is deprecated.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            replacement_id (str): Live route that callers should use instead; an id such as ROUTE-00001.
            sunset_on (str): Day of the sunset, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        replacement = self.routes.get(replacement_id)
        if replacement is None:
            return _refused(f"There is no route {replacement_id!r}.")
        if route["status"] == "removed":
            return _refused(f"{route['name']} has been removed.")
        if replacement["status"] != "live":
            return _refused(f"{replacement['name']} is {replacement['status']} and cannot replace anything.")
        if replacement is route or route in _above(self.routes, replacement, "replacement_id"):
            return _refused(f"{replacement['name']} leads back to {route['name']}.")
        if sunset_on <= self.now[:10]:
            return _refused(f"{sunset_on} is not ahead.")
        leaning = next(
            (
                r
                for r in sorted(
                    self._routes_by_replacement_status.get((route_id, "deprecated"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if leaning is not None:
            return _refused(
                f"{leaning['name']} is to be replaced by {route['name']}, so give it another replacement first."
            )
        if sunset_on == route["sunset_on"] and replacement_id == route["replacement_id"]:
            return _refused("That is so already.")
        self._journal = []
        changed_routes: list[Any] = []
        self._put("routes", route, "replacement_id", replacement_id)
        self._put("routes", route, "sunset_on", sunset_on)
        if route["status"] == "live":
            if route["status"] not in ("live", "deprecated"):
                return self._take_back(f"Route {route['name']} cannot go from {route['status']} to deprecated.")
            changed_routes.append(route)
            self._put("routes", route, "status", "deprecated")
        for one_route in _distinct(changed_routes):
            if self._breaks_rule_6(one_route):
                return self._take_back(RULES[5])
        for one_route in _distinct([route, *changed_routes]):
            if self._breaks_rule_7_r(one_route):
                return self._take_back(RULES[6])
        for one_route in _distinct([route, *changed_routes]):
            if self._breaks_rule_7_r_again(one_route):
                return self._take_back(RULES[6])
        for one_route in _distinct(
            [
                route,
                *changed_routes,
                *[
                    user
                    for one in changed_routes
                    for user in self._routes_by_replacement_status.get((one["id"], "deprecated"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7_r_again_again(one_route):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(route):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: deprecate {route['name']} in favour of {replacement['name']} until {sunset_on}.",
            "data": self._changes(),
        }

    def remove_route(self, route_id: str) -> Result:
        """Remove a deprecated route whose sunset has come and which nobody has called for a week.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        if route["status"] != "deprecated" or route["sunset_on"] is None:
            return _refused(f"{route['name']} is {route['status']}; only deprecated routes are removed.")
        if route["sunset_on"] > self.now[:10]:
            return _refused(f"The sunset of {route['name']} is on {route['sunset_on']}.")
        user = next(
            (u for u in sorted(self._usages_by_route.get(route_id, {}).values(), key=_age) if self._recent(u)),
            None,
        )
        if user is not None:
            return _refused(
                f"{self.consumers[user['consumer_id']]['name']} called {route['name']} on {user['last_on']}."
            )
        self._journal = []
        self._put("routes", route, "status", "removed")
        if self._breaks_rule_6(route):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_r(route):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again(route):
            return self._take_back(RULES[6])
        for one_route in _distinct(
            [route, *self._routes_by_replacement_status.get((route["id"], "deprecated"), {}).values()]
        ):
            if self._breaks_rule_7_r_again_again(one_route):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: remove {route['name']}.", "data": self._changes()}

    def count_calls(
        self,
        key_id: str,
        path_id: str,
        method: Literal["read", "write"],
        calls: Annotated[int, {"minimum": 1, "maximum": 100000}],
    ) -> Result:
        """Count calls that a consumer made with a key, on the route that serves the path and method, against today's
        quota.

        Args:
            key_id (str): Key with which the calls were made; an id such as CREDENTIAL-00001.
            path_id (str): Id of the path, such as PATH-00001.
            method (str): Kind of the calls: read or write.
            calls (int): Number of calls to count, from 1 to 100000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        key = self.credentials.get(key_id)
        if key is None:
            return _refused(f"There is no credential {key_id!r}.")
        path = self.paths.get(path_id)
        if path is None:
            return _refused(f"There is no path {path_id!r}.")
        if not self._usable(key):
            return _refused(f"The key {key['code']} is {key['status']} and lasts until {key['expires_on']}.")
        route = self._route_of(path, method)
        if route is None:
            return _refused("No route serves that.")
        if not self._covered([self.scopes[key] for key in key["scope_ids"]], self.scopes.get(route["needs_id"])):
            return _refused(f"The key {key['code']} lacks the scope for {route['name']}.")
        consumer = self.consumers[key["consumer_id"]]
        if calls > self._left_today(consumer):
            return _refused(
                f"{consumer['name']} has {self._left_today(consumer)} calls left today, so a larger plan is needed."
            )
        self._journal = []
        added_usages: list[Any] = []
        counted = self._counted_today(consumer) + calls
        if not 0 <= counted <= 500000:
            return self._take_back(f"The counted of {consumer['name']} must be between 0 and 500000.")
        self._put("consumers", consumer, "counted", counted)
        self._put("consumers", consumer, "counted_on", self.now[:10])
        if bool(self._usages_by_consumer_route.get((consumer["id"], route["id"]), {})):
            for u in sorted(self._usages_by_consumer_route.get((consumer["id"], route["id"]), {}).values(), key=_age):
                new_calls = u["calls"] + calls
                if not 1 <= new_calls <= 5000000:
                    return self._take_back(f"The calls of {u['id']} must be between 1 and 5000000.")
                self._put("usages", u, "calls", new_calls)
                self._put("usages", u, "last_on", self.now[:10])
        else:
            usage = {
                "id": self._new_id("usage", "USAGE", self.usages),
                "consumer_id": consumer["id"],
                "route_id": route["id"],
                "calls": calls,
                "last_on": self.now[:10],
            }
            self._add("usages", usage)
            added_usages.append(usage)
        if self._breaks_rule_5(consumer):
            return self._take_back(RULES[4])
        for one_usage in _distinct(added_usages):
            if self._breaks_rule_9(one_usage):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: count {calls} calls with {key['code']} on {path['name']}.",
            "data": self._changes(),
        }

    def _show_consumer(self, consumer: Consumer) -> dict[str, Any]:
        """The consumer as an answer shows it."""
        return {**consumer, "scope_ids": [*consumer["scope_ids"]], "live_keys": self._consumer_live_keys(consumer)}

    def _show_credential(self, credential: Credential) -> dict[str, Any]:
        """The credential as an answer shows it."""
        return {**credential, "scope_ids": [*credential["scope_ids"]]}

    def _show_path(self, path: Path) -> dict[str, Any]:
        """The path as an answer shows it."""
        return {**path, "depth": self._path_depth(path)}

    def _names_of_scopes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that scopes point to."""
        return _names((self.scopes, "name", [row["within_id"] for row in shown]))

    def _names_of_consumers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that consumers point to."""
        return _names(
            (self.plans, "name", [row["plan_id"] for row in shown]),
            (self.scopes, "name", [each for row in shown for each in row["scope_ids"]]),
        )

    def _names_of_credentials(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that credentials point to."""
        return _names(
            (self.consumers, "name", [row["consumer_id"] for row in shown]),
            (self.scopes, "name", [each for row in shown for each in row["scope_ids"]]),
            (self.credentials, "code", [row["successor_id"] for row in shown]),
        )

    def _names_of_paths(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that paths point to."""
        return _names((self.paths, "name", [row["within_id"] for row in shown]))

    def _names_of_routes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that routes point to."""
        return _names(
            (self.paths, "name", [row["path_id"] for row in shown]),
            (self.scopes, "name", [row["needs_id"] for row in shown]),
            (self.routes, "name", [row["replacement_id"] for row in shown]),
        )

    def _names_of_usages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that usages point to."""
        return _names(
            (self.consumers, "name", [row["consumer_id"] for row in shown]),
            (self.routes, "name", [row["route_id"] for row in shown]),
        )

    def _consumer_live_keys(self, consumer: Consumer) -> int:
        """The live keys of a consumer."""
        return len(self._credentials_by_consumer_status.get((consumer["id"], "active"), {}))

    def _path_depth(self, path: Path) -> int:
        """The depth of a path."""
        return len(_above(self.paths, path, "within_id"))

    def _covered(self, held: list[Scope], s: Scope | None) -> bool:
        return s is None or s in held or any(x in held for x in _above(self.scopes, s, "within_id"))

    def _usable(self, k: Credential) -> bool:
        return k["status"] != "revoked" and k["expires_on"] >= self.now[:10]

    def _counted_today(self, c: Consumer) -> int:
        return c["counted"] if c["counted_on"] == self.now[:10] else 0

    def _left_today(self, c: Consumer) -> int:
        return self.plans[c["plan_id"]]["daily_quota"] - self._counted_today(c)

    def _serves(self, r: Route, p: Path, m: str) -> bool:
        return (
            r["status"] != "removed"
            and (r["path_id"] == p["id"] or self.paths[r["path_id"]] in _above(self.paths, p, "within_id"))
            and (r["method"] == m or r["method"] == "all")
        )

    def _route_of(self, p: Path, m: str) -> Route | None:
        return min(
            (
                r
                for r in _distinct(
                    [
                        r
                        for key in [p["id"], *[record["id"] for record in _above(self.paths, p, "within_id")]]
                        for r in self._routes_by_path.get(key, {}).values()
                    ]
                )
                if self._serves(r, p, m)
            ),
            key=lambda r: (-self._path_depth(self.paths[r["path_id"]]), r["method"] == "all", r["rank"], _age(r)),
            default=None,
        )

    def _recent(self, u: Usage) -> bool:
        return u["last_on"] >= _plus_days(self.now[:10], -7)

    def _breaks_rule_1(self, c: Consumer) -> bool:
        """Whether this is broken: a consumer has no more active keys than the plan allows."""
        return self._consumer_live_keys(c) > self.plans[c["plan_id"]]["most_keys"]

    def _breaks_rule_2(self, k: Credential) -> bool:
        """Whether this is broken: a key that works carries only scopes its consumer holds, directly or through a
        wider one.
        """
        return (
            k["status"] != "revoked"
            and any(
                not (
                    s["id"] in self.consumers[k["consumer_id"]]["scope_ids"]
                    or any(
                        x["id"] in self.consumers[k["consumer_id"]]["scope_ids"]
                        for x in _above(self.scopes, s, "within_id")
                    )
                )
                for s in [self.scopes[key] for key in k["scope_ids"]]
            )
        )

    def _breaks_rule_3_k(self, k: Credential) -> bool:
        """Whether this is broken: a retiring key has a successor of the same consumer, and no active key has one."""
        return k["successor_id"] is None and k["status"] == "retiring"

    def _breaks_rule_3_k_again(self, k: Credential) -> bool:
        """Whether this is broken: a retiring key has a successor of the same consumer, and no active key has one."""
        return not (
            k["successor_id"] is None
            or self.credentials[k["successor_id"]]["consumer_id"] == k["consumer_id"]
            and k["status"] != "active"
            and k["successor_id"] != k["id"]
        )

    def _breaks_rule_4_c(self, c: Consumer) -> bool:
        """Whether this is broken: nobody holds a scope twice, and neither does a key."""
        return not _different([s["id"] for s in [self.scopes[key] for key in c["scope_ids"]]])

    def _breaks_rule_4_k(self, k: Credential) -> bool:
        """Whether this is broken: nobody holds a scope twice, and neither does a key."""
        return not _different([s["id"] for s in [self.scopes[key] for key in k["scope_ids"]]])

    def _breaks_rule_5(self, c: Consumer) -> bool:
        """Whether this is broken: a consumer is never counted above the daily quota of the plan."""
        return c["counted"] > self.plans[c["plan_id"]]["daily_quota"]

    def _breaks_rule_6(self, r: Route) -> bool:
        """Whether this is broken: routes of the same path and method have different ranks."""
        return (
            r["status"] != "removed"
            and any(
                other_r is not r
                for other_r in self._routes_by_path_method.get((r["path_id"], r["method"]), {}).values()
                if other_r["rank"] == r["rank"]
                and other_r["status"] != "removed"
            )
        )

    def _breaks_rule_7_r(self, r: Route) -> bool:
        """Whether this is broken: a deprecated route has a sunset and a replacement that is live, and a live route
        has neither.
        """
        return (r["status"] == "live") != (r["sunset_on"] is None) and r["status"] != "removed"

    def _breaks_rule_7_r_again(self, r: Route) -> bool:
        """Whether this is broken: a deprecated route has a sunset and a replacement that is live, and a live route
        has neither.
        """
        return (r["replacement_id"] is not None) != (r["status"] == "deprecated") and r["status"] != "removed"

    def _breaks_rule_7_r_again_again(self, r: Route) -> bool:
        """Whether this is broken: a deprecated route has a sunset and a replacement that is live, and a live route
        has neither.
        """
        return (
            r["status"] == "deprecated"
            and (r["replacement_id"] is not None and self.routes[r["replacement_id"]]["status"] != "live")
        )

    def _breaks_rule_8(self, r: Route) -> bool:
        """Whether this is broken: a replacement never leads back to the route it replaces."""
        return r in _above(self.routes, r, "replacement_id")

    def _breaks_rule_9(self, u: Usage) -> bool:
        """Whether this is broken: the calls of a consumer on a route are counted in one place."""
        return any(
            other_u is not u
            for other_u in self._usages_by_consumer_route.get((u["consumer_id"], u["route_id"]), {}).values()
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
            case "consumers":
                self._consumers_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._consumers_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "credentials":
                self._credentials_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._credentials_by_consumer.setdefault(record["consumer_id"], {})[record["id"]] = record
                self._credentials_by_consumer_status.setdefault(
                    (record["consumer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._credentials_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
            case "routes":
                self._routes_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._routes_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._routes_by_path.setdefault(record["path_id"], {})[record["id"]] = record
                self._routes_by_path_method.setdefault((record["path_id"], record["method"]), {})[record["id"]] = record
                self._routes_by_replacement_status.setdefault(
                    (record["replacement_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "usages":
                self._usages_by_consumer_route.setdefault(
                    (record["consumer_id"], record["route_id"]),
                    {},
                )[record["id"]] = record
                self._usages_by_route.setdefault(record["route_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "consumers":
                del self._consumers_by_lower_name[record["name"].lower()][record["id"]]
                del self._consumers_by_name[record["name"]][record["id"]]
            case "credentials":
                del self._credentials_by_code[record["code"]][record["id"]]
                del self._credentials_by_consumer[record["consumer_id"]][record["id"]]
                del self._credentials_by_consumer_status[record["consumer_id"], record["status"]][record["id"]]
                del self._credentials_by_lower_code[record["code"].lower()][record["id"]]
            case "routes":
                del self._routes_by_lower_name[record["name"].lower()][record["id"]]
                del self._routes_by_name[record["name"]][record["id"]]
                del self._routes_by_path[record["path_id"]][record["id"]]
                del self._routes_by_path_method[record["path_id"], record["method"]][record["id"]]
                del self._routes_by_replacement_status[record["replacement_id"], record["status"]][record["id"]]
            case "usages":
                del self._usages_by_consumer_route[record["consumer_id"], record["route_id"]][record["id"]]
                del self._usages_by_route[record["route_id"]][record["id"]]
