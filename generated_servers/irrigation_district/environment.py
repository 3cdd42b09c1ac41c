"""Irrigation district. Compiled from blueprint.yaml; run `envscaler build irrigation_district` after changing it there.

Shares the water of a canal network among growers by the age of their rights, with orders for turns, flow
limits, calls in dry times, leases and water dues.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No canal carries more on a day than it can.",
    "No right takes, promises or leases out more water than it has.",
    "A right has at most one turn a day.",
    "A curtailed right has no turn scheduled or running.",
    "No turn is scheduled or running through a shut canal.",
    "A turn never draws more than its right may take at once.",
    "Only one call is in force on a canal.",
    "A right that leases water out takes none on lease.",
    "Water is leased only between rights on canals with the same feeder or on one canal.",
    "A finished turn has a meter reading, and no other turn has one.",
    "A shut canal says why, and an open one has no reason.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "order_turn",
    "schedule_turn",
    "move_turn",
    "withdraw_turn",
    "open_gate",
    "close_gate",
    "issue_call",
    "lift_call",
    "shut_canal",
    "reopen_canal",
    "lease_water",
    "pay_dues",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "canals": ("name",),
    "growers": ("name",),
    "rights": ("number",),
    "turns": (),
    "calls": (),
    "leases": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("calls", "canal_id"),
    ("calls", "state"),
    ("canals", "feeder_id"),
    ("leases", "giver_id"),
    ("leases", "taker_id"),
    ("rights", "canal_id"),
    ("turns", "right_id"),
    ("turns", "state"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Canal(TypedDict):
    id: str
    name: str
    feeder_id: str | None
    capacity: int
    shut_for: str | None
    state: Literal["open", "shut"]


class Grower(TypedDict):
    id: str
    name: str
    dues: int


class Right(TypedDict):
    id: str
    number: str
    grower_id: str
    canal_id: str
    since: str
    most_flow: int
    allotment: int
    tariff: int


class Turn(TypedDict):
    id: str
    right_id: str
    on: str
    flow: int
    taken: int | None
    state: Literal["asked", "scheduled", "withdrawn", "running", "done"]


class Call(TypedDict):
    id: str
    canal_id: str
    cutoff: str
    issued_on: str
    lifted_on: str | None
    state: Literal["in_force", "lifted"]


class Lease(TypedDict):
    id: str
    giver_id: str
    taker_id: str
    volume: int
    agreed_on: str


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


class IrrigationDistrict:
    """Shares the water of a canal network among growers by the age of their rights, with orders for turns,
    flow limits, calls in dry times, leases and water dues.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.canals: dict[str, Canal] = _copied(config.get("canals", {}))
        self.growers: dict[str, Grower] = _copied(config.get("growers", {}))
        self.rights: dict[str, Right] = _copied(config.get("rights", {}))
        self.turns: dict[str, Turn] = _copied(config.get("turns", {}))
        self.calls: dict[str, Call] = _copied(config.get("calls", {}))
        self.leases: dict[str, Lease] = _copied(config.get("leases", {}))
        self.now: str = config.get("now", "2026-07-06T06:20")
        self.counters: dict[str, int] = {
            "canal": len(self.canals),
            "grower": len(self.growers),
            "right": len(self.rights),
            "turn": len(self.turns),
            "call": len(self.calls),
            "lease": len(self.leases),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._canals_by_feeder: dict[Any, dict[str, Canal]] = {}
        self._rights_by_canal: dict[Any, dict[str, Right]] = {}
        self._turns_by_right: dict[Any, dict[str, Turn]] = {}
        self._turns_by_right_state: dict[Any, dict[str, Turn]] = {}
        self._turns_by_state: dict[Any, dict[str, Turn]] = {}
        self._calls_by_canal: dict[Any, dict[str, Call]] = {}
        self._calls_by_canal_state: dict[Any, dict[str, Call]] = {}
        self._leases_by_giver: dict[Any, dict[str, Lease]] = {}
        self._leases_by_taker: dict[Any, dict[str, Lease]] = {}
        for canal in self.canals.values():
            self._link("canals", canal)
        for right in self.rights.values():
            self._link("rights", right)
        for turn in self.turns.values():
            self._link("turns", turn)
        for call in self.calls.values():
            self._link("calls", call)
        for lease in self.leases.values():
            self._link("leases", lease)

    def canal_load(self, on: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What each canal carries on a day, with its limit.

        Args:
            on (str): Day for which the load is shown, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "canals": records}} or {"success": False, "error": why
                not}
        """
        found = [c for c in self.canals.values()]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "canals": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "state": c["state"],
                        "carries": self._load(c, on, None),
                        "capacity": c["capacity"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def waiting_orders(
        self,
        on: Date | None = None,
        canal_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Orders that wait to be scheduled, oldest right first.

        Args:
            on (str, optional): Only orders for this day, as YYYY-MM-DD. If left out, the orders for all days are
                listed.
            canal_id (str, optional): Only orders of rights on this canal; an id such as CANAL-00001. If left out,
                the orders of all canals are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "turns": records}} or {"success": False, "error": why
                not}
        """
        canal = self.canals.get(canal_id) if canal_id is not None else None
        if canal_id is not None and canal is None:
            return _refused(f"There is no canal {canal_id!r}.")
        found = [
            t
            for t in self._turns_by_state.get("asked", {}).values()
            if (on is None or t["on"] == on)
            and (canal_id is None or self.rights[t["right_id"]]["canal_id"] == canal_id)
        ]
        found.sort(key=lambda t: (self.rights[t["right_id"]]["since"], t["on"], _age(t)))
        return _found(
            {
                "total": len(found),
                "turns": [
                    {
                        "id": t["id"],
                        "right": self.rights[t["right_id"]]["number"],
                        "grower": self.growers[self.rights[t["right_id"]]["grower_id"]]["name"],
                        "canal": self.canals[self.rights[t["right_id"]]["canal_id"]]["name"],
                        "since": self.rights[t["right_id"]]["since"],
                        "on": t["on"],
                        "flow": t["flow"],
                        "volume": self._turn_volume(t),
                        "left": self._right_left(self.rights[t["right_id"]]),
                        "curtailed": self._right_curtailed(self.rights[t["right_id"]]),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def way_to_river(self, right_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The canals from the gate of a right up to the river, nearest first.

        Args:
            right_id (str): Id of the right, such as RIGHT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "canals": records}} or {"success": False, "error": why
                not}
        """
        right = self.rights.get(right_id)
        if right is None:
            return _refused(f"There is no right {right_id!r}.")
        found = [c for c in self._path(self.canals[right["canal_id"]])]
        shown = [{**c} for c in _page(found, offset)]
        return _found({"total": len(found), "canals": shown}, self._names_of_canals(shown))

    def turns_through(self, canal_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Turns scheduled or running through a canal, with everything below it.

        Args:
            canal_id (str): Id of the canal, such as CANAL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "turns": records}} or {"success": False, "error": why
                not}
        """
        canal = self.canals.get(canal_id)
        if canal is None:
            return _refused(f"There is no canal {canal_id!r}.")
        found = [
            t
            for t in _distinct(
                [
                    t
                    for key in [canal_id, *[record["id"] for record in _below(self._canals_by_feeder, canal)]]
                    for _right in self._rights_by_canal.get(key, {}).values()
                    for t in self._turns_by_right.get(_right["id"], {}).values()
                ]
            )
            if (self._live(t) and canal in self._path(self.canals[self.rights[t["right_id"]]["canal_id"]]))
        ]
        found.sort(key=lambda t: (t["on"], self.rights[t["right_id"]]["since"], _age(t)))
        return _found(
            {
                "total": len(found),
                "turns": [
                    {
                        "id": t["id"],
                        "right": self.rights[t["right_id"]]["number"],
                        "grower": self.growers[self.rights[t["right_id"]]["grower_id"]]["name"],
                        "on": t["on"],
                        "flow": t["flow"],
                        "state": t["state"],
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def list_canals(
        self,
        name: Text | None = None,
        feeder_id: str | None = None,
        state: Literal["open", "shut"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the canals, oldest first, all of them or only some.

        Args:
            name (str, optional): Only canals whose name contains this text.
            feeder_id (str, optional): Only canals whose feeder is this canal.
            state (str, optional): Only canals with this state.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "canals": records}}
        """
        if feeder_id is not None and feeder_id not in self.canals:
            return _refused(f"There is no canal {feeder_id!r}.")
        found = [
            canal
            for canal in self.canals.values()
            if (name is None or name.casefold() in canal["name"].casefold())
            and (feeder_id is None or canal["feeder_id"] == feeder_id)
            and (state is None or canal["state"] == state)
        ]
        shown = [{**canal} for canal in _page(found, offset)]
        return _found({"total": len(found), "canals": shown}, self._names_of_canals(shown))

    def list_growers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the growers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only growers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "growers": records}}
        """
        found = [
            grower
            for grower in self.growers.values()
            if (name is None or name.casefold() in grower["name"].casefold())
        ]
        return _found({"total": len(found), "growers": [{**grower} for grower in _page(found, offset)]})

    def list_rights(
        self,
        number: Text | None = None,
        grower_id: str | None = None,
        canal_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rights, oldest first, all of them or only some.

        Args:
            number (str, optional): Only rights whose number contains this text.
            grower_id (str, optional): Only rights of this grower.
            canal_id (str, optional): Only rights of this canal.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rights": records}}
        """
        if grower_id is not None and grower_id not in self.growers:
            return _refused(f"There is no grower {grower_id!r}.")
        if canal_id is not None and canal_id not in self.canals:
            return _refused(f"There is no canal {canal_id!r}.")
        found = [
            right
            for right in self.rights.values()
            if (number is None or number.casefold() in right["number"].casefold())
            and (grower_id is None or right["grower_id"] == grower_id)
            and (canal_id is None or right["canal_id"] == canal_id)
        ]
        shown = [self._show_right(right) for right in _page(found, offset)]
        return _found({"total": len(found), "rights": shown}, self._names_of_rights(shown))

    def list_turns(
        self,
        right_id: str | None = None,
        state: Literal["asked", "scheduled", "withdrawn", "running", "done"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the turns, oldest first, all of them or only some.

        Args:
            right_id (str, optional): Only turns of this right.
            state (str, optional): Only turns with this state.
            on_from (str, optional): Only turns whose `on` is on this day or later.
            on_to (str, optional): Only turns whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "turns": records}}
        """
        if right_id is not None and right_id not in self.rights:
            return _refused(f"There is no right {right_id!r}.")
        found = [
            turn
            for turn in self.turns.values()
            if (right_id is None or turn["right_id"] == right_id)
            and (state is None or turn["state"] == state)
            and (on_from is None or turn["on"] >= on_from)
            and (on_to is None or turn["on"] <= on_to)
        ]
        shown = [self._show_turn(turn) for turn in _page(found, offset)]
        return _found({"total": len(found), "turns": shown}, self._names_of_turns(shown))

    def list_calls(
        self,
        canal_id: str | None = None,
        state: Literal["in_force", "lifted"] | None = None,
        cutoff_from: Date | None = None,
        cutoff_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the calls, oldest first, all of them or only some.

        Args:
            canal_id (str, optional): Only calls of this canal.
            state (str, optional): Only calls with this state.
            cutoff_from (str, optional): Only calls whose `cutoff` is on this day or later.
            cutoff_to (str, optional): Only calls whose `cutoff` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "calls": records}}
        """
        if canal_id is not None and canal_id not in self.canals:
            return _refused(f"There is no canal {canal_id!r}.")
        found = [
            call
            for call in self.calls.values()
            if (canal_id is None or call["canal_id"] == canal_id)
            and (state is None or call["state"] == state)
            and (cutoff_from is None or call["cutoff"] >= cutoff_from)
            and (cutoff_to is None or call["cutoff"] <= cutoff_to)
        ]
        shown = [{**call} for call in _page(found, offset)]
        return _found({"total": len(found), "calls": shown}, self._names_of_calls(shown))

    def list_leases(
        self,
        giver_id: str | None = None,
        taker_id: str | None = None,
        agreed_on_from: Date | None = None,
        agreed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leases, oldest first, all of them or only some.

        Args:
            giver_id (str, optional): Only leases whose giver is this right.
            taker_id (str, optional): Only leases whose taker is this right.
            agreed_on_from (str, optional): Only leases whose `agreed_on` is on this day or later.
            agreed_on_to (str, optional): Only leases whose `agreed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leases": records}}
        """
        if giver_id is not None and giver_id not in self.rights:
            return _refused(f"There is no right {giver_id!r}.")
        if taker_id is not None and taker_id not in self.rights:
            return _refused(f"There is no right {taker_id!r}.")
        found = [
            lease
            for lease in self.leases.values()
            if (giver_id is None or lease["giver_id"] == giver_id)
            and (taker_id is None or lease["taker_id"] == taker_id)
            and (agreed_on_from is None or lease["agreed_on"] >= agreed_on_from)
            and (agreed_on_to is None or lease["agreed_on"] <= agreed_on_to)
        ]
        shown = [{**lease} for lease in _page(found, offset)]
        return _found({"total": len(found), "leases": shown}, self._names_of_leases(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def order_turn(self, right_id: str, on: Date, flow: Annotated[int, {"minimum": 5, "maximum": 120}]) -> Result:
        """Put a grower's order for a day of water on the list.

        Args:
            right_id (str): Id of the right, such as RIGHT-00001.
            on (str): Day the water is wanted, within two weeks from today, as YYYY-MM-DD.
            flow (int): Water to be drawn all day, in litres a second, from 5 to 120.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        right = self.rights.get(right_id)
        if right is None:
            return _refused(f"There is no right {right_id!r}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 14):
            return _refused(f"Water is ordered from {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        if flow > right["most_flow"]:
            return _refused(f"Right {right['number']} may draw {right['most_flow']} litres a second, not {flow}.")
        if self.growers[right["grower_id"]]["dues"] > 50000:
            return _refused(
                f"{self.growers[right['grower_id']]['name']} owes "
                f"{_money(self.growers[right['grower_id']]['dues'])}; nobody who owes more than 500.00 may order."
            )
        if any(t["state"] != "withdrawn" for t in self._turns_by_right.get(right_id, {}).values() if t["on"] == on):
            return _refused(f"Right {right['number']} has an order for {on} already.")
        self._journal = []
        turn: Turn = {
            "id": self._new_id("turn", "TURN", self.turns),
            "right_id": right_id,
            "on": on,
            "flow": flow,
            "taken": None,
            "state": "asked",
        }
        self._add("turns", turn)
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in self._rights_by_canal.get(self.rights[turn["right_id"]]["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(
                            self._canals_by_feeder,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _above(
                            self.canals,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                            "feeder_id",
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _above(
                                self.canals,
                                self.canals[self.rights[turn["right_id"]]["canal_id"]],
                                "feeder_id",
                            )
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(self.rights[turn["right_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(turn):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(turn):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(turn):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(turn):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(turn):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: order {flow} litres a second for right {right['number']} on {on} (new: turn {turn['id']})."
            ),
            "data": {"turn_id": turn["id"], **self._changes()},
        }

    def schedule_turn(self, turn_id: str) -> Result:
        """Schedule an order, the oldest right on a canal first, where every canal up to the river has room.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if turn["state"] != "asked":
            return _refused(f"The order of right {self.rights[turn['right_id']]['number']} is {turn['state']}.")
        if turn["on"] < self.now[:10]:
            return _refused(f"The order was for {turn['on']}; move it to another day first.")
        if self._right_curtailed(self.rights[turn["right_id"]]):
            return _refused(
                f"Right {self.rights[turn['right_id']]['number']} dates from "
                f"{self.rights[turn['right_id']]['since']} and is curtailed by a call."
            )
        shut = self._shut_on(self.rights[turn["right_id"]])
        if shut is not None:
            return _refused(f"{shut['name']} is shut.")
        old = self._elder(turn)
        if old is not None:
            return _refused(
                f"Right {self.rights[old['right_id']]['number']} is older and waits for the same day, so deal "
                "with that order first."
            )
        if self._turn_volume(turn) > self._right_left(self.rights[turn["right_id"]]):
            return _refused(
                f"Right {self.rights[turn['right_id']]['number']} has "
                f"{self._right_left(self.rights[turn['right_id']])} cubic metres left and the turn takes "
                f"{self._turn_volume(turn)}."
            )
        tight = self._narrow(self.rights[turn["right_id"]], turn["on"], turn["flow"], turn)
        if tight is not None:
            return _refused(
                f"{tight['name']} carries {self._load(tight, turn['on'], turn)} of {tight['capacity']} litres a "
                f"second on {turn['on']}."
            )
        self._journal = []
        self._put("turns", turn, "state", "scheduled")
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in self._rights_by_canal.get(self.rights[turn["right_id"]]["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(
                            self._canals_by_feeder,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _above(
                            self.canals,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                            "feeder_id",
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _above(
                                self.canals,
                                self.canals[self.rights[turn["right_id"]]["canal_id"]],
                                "feeder_id",
                            )
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(self.rights[turn["right_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(turn):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(turn):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(turn):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(turn):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: schedule the turn of right {self.rights[turn['right_id']]['number']} on {turn['on']}.",
            "data": self._changes(),
        }

    def move_turn(self, turn_id: str, on: Date) -> Result:
        """Move an order or a scheduled turn to another day; a scheduled turn must fit in there and have no older
        right waiting for that day.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.
            on (str): New day of the turn, within two weeks from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if turn["state"] not in ("asked", "scheduled"):
            return _refused(f"The turn of right {self.rights[turn['right_id']]['number']} is {turn['state']}.")
        if not ((self.now[:10] <= on and on <= _plus_days(self.now[:10], 14)) and on != turn["on"]):
            return _refused(f"Name another day from {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        if any(
            t["state"] != "withdrawn"
            for t in self._turns_by_right.get(turn["right_id"], {}).values()
            if t["on"] == on
        ):
            return _refused(f"Right {self.rights[turn['right_id']]['number']} has a turn on {on} already.")
        tight = self._narrow(self.rights[turn["right_id"]], on, turn["flow"], turn)
        if turn["state"] != "asked" and tight is not None:
            return _refused(f"There is no room on the way for {turn['flow']} litres a second on {on}.")
        old = self._elder_on(self.rights[turn["right_id"]], on)
        if turn["state"] != "asked" and old is not None:
            return _refused(
                f"Right {self.rights[old['right_id']]['number']} is older and waits for {on}, so deal with that "
                "order first."
            )
        self._journal = []
        self._put("turns", turn, "on", on)
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in self._rights_by_canal.get(self.rights[turn["right_id"]]["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(
                            self._canals_by_feeder,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _above(
                            self.canals,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                            "feeder_id",
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _above(
                                self.canals,
                                self.canals[self.rights[turn["right_id"]]["canal_id"]],
                                "feeder_id",
                            )
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(turn):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move the turn of right {self.rights[turn['right_id']]['number']} to {on}.",
            "data": self._changes(),
        }

    def withdraw_turn(self, turn_id: str) -> Result:
        """Withdraw an order or a scheduled turn.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if turn["state"] not in ("asked", "scheduled"):
            return _refused(f"The turn of right {self.rights[turn['right_id']]['number']} is {turn['state']}.")
        self._journal = []
        self._put("turns", turn, "state", "withdrawn")
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in self._rights_by_canal.get(self.rights[turn["right_id"]]["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(
                            self._canals_by_feeder,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _above(
                            self.canals,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                            "feeder_id",
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _above(
                                self.canals,
                                self.canals[self.rights[turn["right_id"]]["canal_id"]],
                                "feeder_id",
                            )
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(self.rights[turn["right_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(turn):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(turn):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(turn):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(turn):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: withdraw the turn of right {self.rights[turn['right_id']]['number']} on {turn['on']}.",
            "data": self._changes(),
        }

    def open_gate(self, turn_id: str) -> Result:
        """Open the gate for a turn that is scheduled for today.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if turn["state"] != "scheduled":
            return _refused(f"The turn of right {self.rights[turn['right_id']]['number']} is {turn['state']}.")
        if turn["on"] != self.now[:10]:
            return _refused(f"The turn is on {turn['on']}, not today.")
        self._journal = []
        self._put("turns", turn, "state", "running")
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in self._rights_by_canal.get(self.rights[turn["right_id"]]["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(
                            self._canals_by_feeder,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _above(
                            self.canals,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                            "feeder_id",
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _above(
                                self.canals,
                                self.canals[self.rights[turn["right_id"]]["canal_id"]],
                                "feeder_id",
                            )
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(self.rights[turn["right_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(turn):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(turn):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(turn):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(turn):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: open the gate of right {self.rights[turn['right_id']]['number']}.",
            "data": self._changes(),
        }

    def close_gate(self, turn_id: str, taken: Annotated[int, {"minimum": 0, "maximum": 20000}]) -> Result:
        """Close the gate of a running turn with the cubic metres on the meter, which are charged at the tariff of the
        right.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.
            taken (int): Water drawn according to the meter, in cubic metres, from 0 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if turn["state"] != "running":
            return _refused(f"The gate of right {self.rights[turn['right_id']]['number']} is not open.")
        if taken > self._turn_volume(turn):
            return _refused(f"The turn was for {self._turn_volume(turn)} cubic metres; {taken} cannot be right.")
        if (
            self.growers[self.rights[turn["right_id"]]["grower_id"]]["dues"]
            + taken * self.rights[turn["right_id"]]["tariff"] > 900000
        ):
            return _refused(f"{self.growers[self.rights[turn['right_id']]['grower_id']]['name']} would owe too much.")
        self._journal = []
        self._put("turns", turn, "taken", taken)
        grower = self.growers[self.rights[turn["right_id"]]["grower_id"]]
        dues = (
            self.growers[self.rights[turn["right_id"]]["grower_id"]]["dues"]
            + taken * self.rights[turn["right_id"]]["tariff"]
        )
        if not 0 <= dues <= 900000:
            return self._take_back(f"The dues of {grower['name']} must be between 0.00 and 9,000.00.")
        self._put("growers", grower, "dues", dues)
        self._put("turns", turn, "state", "done")
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in self._rights_by_canal.get(self.rights[turn["right_id"]]["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(
                            self._canals_by_feeder,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _above(
                            self.canals,
                            self.canals[self.rights[turn["right_id"]]["canal_id"]],
                            "feeder_id",
                        )
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _above(
                                self.canals,
                                self.canals[self.rights[turn["right_id"]]["canal_id"]],
                                "feeder_id",
                            )
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(self.rights[turn["right_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(turn):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(turn):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(turn):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(turn):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: close the gate of right {self.rights[turn['right_id']]['number']} at {taken} cubic metres."
            ),
            "data": self._changes(),
        }

    def issue_call(self, canal_id: str, cutoff: Date) -> Result:
        """Issue a call on a canal; rights below it that are younger than the cut-off lose their scheduled turns until
        it is lifted.

        Args:
            canal_id (str): Id of the canal, such as CANAL-00001.
            cutoff (str): Past day that divides older rights, which keep their turns, from younger ones, as
                YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        canal = self.canals.get(canal_id)
        if canal is None:
            return _refused(f"There is no canal {canal_id!r}.")
        if cutoff >= self.now[:10]:
            return _refused("The cut-off must be a date of the past.")
        if self._calls_by_canal_state.get((canal_id, "in_force"), {}):
            return _refused(f"A call is in force on {canal['name']} already, so lift it first.")
        wet = next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [canal_id, *[record["id"] for record in _below(self._canals_by_feeder, canal)]]
                            for _right in self._rights_by_canal.get(key, {}).values()
                            for t in self._turns_by_right.get(_right["id"], {}).values()
                        ]
                    ),
                    key=_age,
                )
                if t["state"] == "running"
                and self.rights[t["right_id"]]["since"] > cutoff
            ),
            None,
        )
        if wet is not None:
            return _refused(
                f"The gate of right {self.rights[wet['right_id']]['number']} is open and must be closed first."
            )
        self._journal = []
        changed_turns: list[Any] = []
        for t in [
            t
            for t in sorted(
                _distinct(
                    [
                        t
                        for key in [canal_id, *[record["id"] for record in _below(self._canals_by_feeder, canal)]]
                        for _right in self._rights_by_canal.get(key, {}).values()
                        for t in self._turns_by_right.get(_right["id"], {}).values()
                    ]
                ),
                key=_age,
            )
            if t["state"] == "scheduled"
            and self.rights[t["right_id"]]["since"] > cutoff
        ]:
            if t["state"] not in ("asked", "scheduled"):
                return self._take_back(f"Turn {t['id']} cannot go from {t['state']} to asked.")
            changed_turns.append(t)
            self._put("turns", t, "state", "asked")
        call: Call = {
            "id": self._new_id("call", "CALL", self.calls),
            "canal_id": canal_id,
            "cutoff": cutoff,
            "issued_on": self.now[:10],
            "lifted_on": None,
            "state": "in_force",
        }
        self._add("calls", call)
        for one_turn in _distinct(
            [
                *changed_turns,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.canals[one["canal_id"]]
                            for one in [self.rights[one["right_id"]] for one in changed_turns]
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                self.canals[one["canal_id"]]
                                for one in [self.rights[one["right_id"]] for one in changed_turns]
                            ]
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                self.canals[one["canal_id"]]
                                for one in [self.rights[one["right_id"]] for one in changed_turns]
                            ]
                            for user in _above(self.canals, one, "feeder_id")
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                user
                                for one in [
                                    self.canals[one["canal_id"]]
                                    for one in [self.rights[one["right_id"]] for one in changed_turns]
                                ]
                                for user in _above(self.canals, one, "feeder_id")
                            ]
                            for user in _below(self._canals_by_feeder, one)
                        ]
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_turn):
                return self._take_back(RULES[0])
        for one_right in _distinct([self.rights[one["right_id"]] for one in changed_turns]):
            if self._breaks_rule_2(one_right):
                return self._take_back(RULES[1])
        for one_turn in _distinct(changed_turns):
            if self._breaks_rule_3(one_turn):
                return self._take_back(RULES[2])
        for one_turn in _distinct(
            [
                *changed_turns,
                *[
                    user
                    for one in self._rights_by_canal.get(call["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(self._canals_by_feeder, self.canals[call["canal_id"]])
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_turn):
                return self._take_back(RULES[3])
        for one_turn in _distinct(changed_turns):
            if self._breaks_rule_5(one_turn):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(call):
            return self._take_back(RULES[6])
        for one_turn in _distinct(changed_turns):
            if self._breaks_rule_10(one_turn):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: issue a call on {canal['name']} against rights younger than {cutoff} (new: call "
                f"{call['id']})."
            ),
            "data": {"call_id": call["id"], **self._changes()},
        }

    def lift_call(self, canal_id: str) -> Result:
        """Lift the call that is in force on a canal.

        Args:
            canal_id (str): Id of the canal, such as CANAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        canal = self.canals.get(canal_id)
        if canal is None:
            return _refused(f"There is no canal {canal_id!r}.")
        call = next(
            (k for k in sorted(self._calls_by_canal_state.get((canal_id, "in_force"), {}).values(), key=_age)),
            None,
        )
        if call is None:
            return _refused(f"No call is in force on {canal['name']}.")
        self._journal = []
        self._put("calls", call, "lifted_on", self.now[:10])
        self._put("calls", call, "state", "lifted")
        for one_turn in _distinct(
            [
                *[
                    user
                    for one in self._rights_by_canal.get(call["canal_id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(self._canals_by_feeder, self.canals[call["canal_id"]])
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_turn):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(call):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: lift the call on {canal['name']}.", "data": self._changes()}

    def shut_canal(self, canal_id: str, why: Text) -> Result:
        """Shut a canal through which no turn is scheduled or running.

        Args:
            canal_id (str): Id of the canal, such as CANAL-00001.
            why (str): Reason for shutting the canal.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        canal = self.canals.get(canal_id)
        if canal is None:
            return _refused(f"There is no canal {canal_id!r}.")
        if canal["state"] != "open":
            return _refused(f"{canal['name']} is shut already.")
        turn = next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [canal_id, *[record["id"] for record in _below(self._canals_by_feeder, canal)]]
                            for _right in self._rights_by_canal.get(key, {}).values()
                            for t in self._turns_by_right.get(_right["id"], {}).values()
                        ]
                    ),
                    key=_age,
                )
                if self._live(t)
            ),
            None,
        )
        if turn is not None:
            return _refused(
                f"Right {self.rights[turn['right_id']]['number']} has a turn on {turn['on']} through "
                f"{canal['name']}; withdraw it first."
            )
        self._journal = []
        self._put("canals", canal, "shut_for", why)
        self._put("canals", canal, "state", "shut")
        for one_turn in _distinct(
            [
                *[
                    user
                    for one in self._rights_by_canal.get(canal["id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(self._canals_by_feeder, canal)
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_turn):
                return self._take_back(RULES[4])
        if self._breaks_rule_11(canal):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: shut {canal['name']} because of {why}.", "data": self._changes()}

    def reopen_canal(self, canal_id: str) -> Result:
        """Reopen a shut canal.

        Args:
            canal_id (str): Id of the canal, such as CANAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        canal = self.canals.get(canal_id)
        if canal is None:
            return _refused(f"There is no canal {canal_id!r}.")
        if canal["state"] != "shut":
            return _refused(f"{canal['name']} is open.")
        self._journal = []
        self._put("canals", canal, "shut_for", None)
        self._put("canals", canal, "state", "open")
        for one_turn in _distinct(
            [
                *[
                    user
                    for one in self._rights_by_canal.get(canal["id"], {}).values()
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(self._canals_by_feeder, canal)
                        for user in self._rights_by_canal.get(one["id"], {}).values()
                    ]
                    for user in self._turns_by_right.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_turn):
                return self._take_back(RULES[4])
        if self._breaks_rule_11(canal):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: reopen {canal['name']}.", "data": self._changes()}

    def lease_water(
        self,
        giver_id: str,
        taker_id: str,
        volume: Annotated[int, {"minimum": 1, "maximum": 100000}],
    ) -> Result:
        """Lease cubic metres from one right to another on the same canal or the same feeder, for this season.

        Args:
            giver_id (str): Right that gives the water away; an id such as RIGHT-00001.
            taker_id (str): Right that receives the water; an id such as RIGHT-00001.
            volume (int): Water that is leased, in cubic metres, from 1 to 100000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.rights.get(giver_id)
        if giver is None:
            return _refused(f"There is no right {giver_id!r}.")
        taker = self.rights.get(taker_id)
        if taker is None:
            return _refused(f"There is no right {taker_id!r}.")
        if giver is taker:
            return _refused("A right leases nothing to itself.")
        if not (
            giver["canal_id"] == taker["canal_id"]
            or self.canals[giver["canal_id"]]["feeder_id"] is not None
            and self.canals[giver["canal_id"]]["feeder_id"] == self.canals[taker["canal_id"]]["feeder_id"]
        ):
            return _refused(f"Rights {giver['number']} and {taker['number']} lie on canals with different feeders.")
        if self._right_curtailed(giver):
            return _refused(f"Right {giver['number']} is curtailed by a call and has no water to lease.")
        if self._leases_by_taker.get(giver_id, {}):
            return _refused(f"Right {giver['number']} has taken water on lease itself.")
        if self._leases_by_giver.get(taker_id, {}):
            return _refused(f"Right {taker['number']} has leased water out itself.")
        if volume > self._right_left(giver):
            return _refused(f"Right {giver['number']} has {self._right_left(giver)} cubic metres left.")
        self._journal = []
        lease: Lease = {
            "id": self._new_id("lease", "LEASE", self.leases),
            "giver_id": giver_id,
            "taker_id": taker_id,
            "volume": volume,
            "agreed_on": self.now[:10],
        }
        self._add("leases", lease)
        if self._breaks_rule_2(self.rights[lease["taker_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.rights[lease["giver_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_8_a(lease):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b(lease):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(lease):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: lease {volume} cubic metres from right {giver['number']} to right {taker['number']} (new: "
                f"lease {lease['id']})."
            ),
            "data": {"lease_id": lease["id"], **self._changes()},
        }

    def pay_dues(self, grower_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 900000}]) -> Result:
        """Take a payment of water dues.

        Args:
            grower_id (str): Id of the grower, such as GROWER-00001.
            amount (int): Sum that the grower pays, at most what is owed, in cents, from 1 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        grower = self.growers.get(grower_id)
        if grower is None:
            return _refused(f"There is no grower {grower_id!r}.")
        if amount > grower["dues"]:
            return _refused(f"{grower['name']} owes {_money(grower['dues'])} only.")
        self._journal = []
        dues = grower["dues"] - amount
        if not 0 <= dues <= 900000:
            return self._take_back(f"The dues of {grower['name']} must be between 0.00 and 9,000.00.")
        self._put("growers", grower, "dues", dues)
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} of dues from {grower['name']}.",
            "data": self._changes(),
        }

    def _show_right(self, right: Right) -> dict[str, Any]:
        """The right as an answer shows it."""
        return {
            **right,
            "used": self._right_used(right),
            "promised": self._right_promised(right),
            "leased": self._right_leased(right),
            "left": self._right_left(right),
            "curtailed": self._right_curtailed(right),
        }

    def _show_turn(self, turn: Turn) -> dict[str, Any]:
        """The turn as an answer shows it."""
        return {**turn, "volume": self._turn_volume(turn)}

    def _names_of_canals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that canals point to."""
        return _names((self.canals, "name", [row["feeder_id"] for row in shown]))

    def _names_of_rights(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rights point to."""
        return _names(
            (self.growers, "name", [row["grower_id"] for row in shown]),
            (self.canals, "name", [row["canal_id"] for row in shown]),
        )

    def _names_of_turns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that turns point to."""
        return _names((self.rights, "number", [row["right_id"] for row in shown]))

    def _names_of_calls(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that calls point to."""
        return _names((self.canals, "name", [row["canal_id"] for row in shown]))

    def _names_of_leases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leases point to."""
        return _names(
            (self.rights, "number", [row["giver_id"] for row in shown]),
            (self.rights, "number", [row["taker_id"] for row in shown]),
        )

    def _right_used(self, right: Right) -> int:
        """The used of a right."""
        return sum(
            t["taken"]
            if t["taken"] is not None
            else 0
            for t in self._turns_by_right.get(right["id"], {}).values()
        )

    def _right_promised(self, right: Right) -> int:
        """The promised of a right."""
        return sum(self._turn_volume(t) for t in self._turns_by_right.get(right["id"], {}).values() if self._live(t))

    def _right_leased(self, right: Right) -> int:
        """The leased of a right."""
        return (
            sum(l["volume"] for l in self._leases_by_taker.get(right["id"], {}).values())
            - sum(l["volume"] for l in self._leases_by_giver.get(right["id"], {}).values())
        )

    def _right_left(self, right: Right) -> int:
        """The left of a right."""
        return right["allotment"] + self._right_leased(right) - self._right_used(right) - self._right_promised(right)

    def _right_curtailed(self, right: Right) -> bool:
        """The curtailed of a right."""
        return any(
            k["state"] == "in_force"
            and right["since"] > k["cutoff"]
            for k in _distinct(
                [
                    k
                    for key in [
                        right["canal_id"],
                        *[
                            record["id"]
                            for record in _above(self.canals, self.canals[right["canal_id"]], "feeder_id")
                        ],
                    ]
                    for k in self._calls_by_canal.get(key, {}).values()
                ]
            )
        )

    def _turn_volume(self, turn: Turn) -> int:
        """The volume of a turn."""
        return _rounded(Fraction(turn["flow"] * 864, 10))

    def _live(self, t: Turn) -> bool:
        return t["state"] in ("scheduled", "running")

    def _path(self, c: Canal) -> list[Canal]:
        return [c] + _above(self.canals, c, "feeder_id")

    def _load(self, c: Canal, d: str, but: Turn | None) -> int:
        return sum(
            t["flow"]
            for t in _distinct(
                [
                    t
                    for key in [c["id"], *[record["id"] for record in _below(self._canals_by_feeder, c)]]
                    for _right in self._rights_by_canal.get(key, {}).values()
                    for t in self._turns_by_right.get(_right["id"], {}).values()
                ]
            )
            if t["on"] == d
            and t is not but
            and self._live(t)
        )

    def _narrow(self, r: Right, d: str, flow: int, but: Turn | None) -> Canal | None:
        return next(
            (c for c in self._path(self.canals[r["canal_id"]]) if self._load(c, d, but) + flow > c["capacity"]),
            None,
        )

    def _shut_on(self, r: Right) -> Canal | None:
        return next((c for c in self._path(self.canals[r["canal_id"]]) if c["state"] == "shut"), None)

    def _elder_on(self, r: Right, d: str) -> Turn | None:
        return min(
            (
                o
                for _right in self._rights_by_canal.get(r["canal_id"], {}).values()
                for o in self._turns_by_right_state.get((_right["id"], "asked"), {}).values()
                if o["on"] == d
                and self.rights[o["right_id"]]["since"] < r["since"]
                and not self._right_curtailed(self.rights[o["right_id"]])
            ),
            key=lambda o: (self.rights[o["right_id"]]["since"], _age(o)),
            default=None,
        )

    def _elder(self, t: Turn) -> Turn | None:
        return self._elder_on(self.rights[t["right_id"]], t["on"])

    def _breaks_rule_1(self, t: Turn) -> bool:
        """Whether this is broken: no canal carries more on a day than it can."""
        return (
            self._live(t)
            and any(
                self._load(c, t["on"], None) > c["capacity"]
                for c in self._path(self.canals[self.rights[t["right_id"]]["canal_id"]])
            )
        )

    def _breaks_rule_2(self, r: Right) -> bool:
        """Whether this is broken: no right takes, promises or leases out more water than it has."""
        return self._right_left(r) < 0

    def _breaks_rule_3(self, t: Turn) -> bool:
        """Whether this is broken: a right has at most one turn a day."""
        return (
            t["state"] in ("asked", "scheduled", "running", "done")
            and any(
                other_t is not t
                for other_t in self._turns_by_right.get(t["right_id"], {}).values()
                if other_t["on"] == t["on"]
                and other_t["state"] in ("asked", "scheduled", "running", "done")
            )
        )

    def _breaks_rule_4(self, t: Turn) -> bool:
        """Whether this is broken: a curtailed right has no turn scheduled or running."""
        return self._live(t) and self._right_curtailed(self.rights[t["right_id"]])

    def _breaks_rule_5(self, t: Turn) -> bool:
        """Whether this is broken: no turn is scheduled or running through a shut canal."""
        return (
            self._live(t)
            and any(c["state"] == "shut" for c in self._path(self.canals[self.rights[t["right_id"]]["canal_id"]]))
        )

    def _breaks_rule_6(self, t: Turn) -> bool:
        """Whether this is broken: a turn never draws more than its right may take at once."""
        return t["flow"] > self.rights[t["right_id"]]["most_flow"]

    def _breaks_rule_7(self, k: Call) -> bool:
        """Whether this is broken: only one call is in force on a canal."""
        return (
            k["state"] == "in_force"
            and any(
                other_k is not k
                for other_k in self._calls_by_canal_state.get((k["canal_id"], "in_force"), {}).values()
            )
        )

    def _breaks_rule_8_a(self, a: Lease) -> bool:
        """Whether this is broken: a right that leases water out takes none on lease."""
        return bool(self._leases_by_taker.get(a["giver_id"], {}))

    def _breaks_rule_8_b(self, b: Lease) -> bool:
        """Whether this is broken: a right that leases water out takes none on lease."""
        return bool(self._leases_by_giver.get(b["taker_id"], {}))

    def _breaks_rule_9(self, l: Lease) -> bool:
        """Whether this is broken: water is leased only between rights on canals with the same feeder or on one canal.
        """
        return not (
            self.rights[l["giver_id"]]["canal_id"] == self.rights[l["taker_id"]]["canal_id"]
            or self.canals[self.rights[l["giver_id"]]["canal_id"]]["feeder_id"] is not None
            and self.canals[
                self.rights[l["giver_id"]]["canal_id"]
            ]["feeder_id"] == self.canals[self.rights[l["taker_id"]]["canal_id"]]["feeder_id"]
        )

    def _breaks_rule_10(self, t: Turn) -> bool:
        """Whether this is broken: a finished turn has a meter reading, and no other turn has one."""
        return (t["state"] == "done") != (t["taken"] is not None)

    def _breaks_rule_11(self, c: Canal) -> bool:
        """Whether this is broken: a shut canal says why, and an open one has no reason."""
        return (c["state"] == "shut") != (c["shut_for"] is not None)

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
            case "canals":
                self._canals_by_feeder.setdefault(record["feeder_id"], {})[record["id"]] = record
            case "rights":
                self._rights_by_canal.setdefault(record["canal_id"], {})[record["id"]] = record
            case "turns":
                self._turns_by_right.setdefault(record["right_id"], {})[record["id"]] = record
                self._turns_by_right_state.setdefault((record["right_id"], record["state"]), {})[record["id"]] = record
                self._turns_by_state.setdefault(record["state"], {})[record["id"]] = record
            case "calls":
                self._calls_by_canal.setdefault(record["canal_id"], {})[record["id"]] = record
                self._calls_by_canal_state.setdefault((record["canal_id"], record["state"]), {})[record["id"]] = record
            case "leases":
                self._leases_by_giver.setdefault(record["giver_id"], {})[record["id"]] = record
                self._leases_by_taker.setdefault(record["taker_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "canals":
                del self._canals_by_feeder[record["feeder_id"]][record["id"]]
            case "rights":
                del self._rights_by_canal[record["canal_id"]][record["id"]]
            case "turns":
                del self._turns_by_right[record["right_id"]][record["id"]]
                del self._turns_by_right_state[record["right_id"], record["state"]][record["id"]]
                del self._turns_by_state[record["state"]][record["id"]]
            case "calls":
                del self._calls_by_canal[record["canal_id"]][record["id"]]
                del self._calls_by_canal_state[record["canal_id"], record["state"]][record["id"]]
            case "leases":
                del self._leases_by_giver[record["giver_id"]][record["id"]]
                del self._leases_by_taker[record["taker_id"]][record["id"]]
