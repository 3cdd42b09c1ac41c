"""Prison visits. Compiled from blueprint.yaml; run `envscaler build prison_visits` after changing it there.

Books the visits of a prison - approved visitors, sessions with tables and booths, a monthly allowance by
regime, bans, legal visits apart, people who must not meet and transfers between wings.
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
    "A session has no more visits than the hall has tables, and no more closed ones than it has booths.",
    "A prisoner has one visit in a session.",
    "A prisoner has no more social visits in a month than the regime allows.",
    "Everybody on a visit is approved for that prisoner.",
    "A visit has one to three visitors, and at least one of them is of age.",
    "Nobody comes on a visit while banned.",
    "Lawyers visit in legal sessions and nobody else does.",
    "A session serves the wing of every prisoner booked in it.",
    "Prisoners who must be kept apart never share a session.",
    "A visit is behind glass where anybody on it may only come like that.",
    "The bans of a visitor never overlap.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "ask_approval",
    "decide_approval",
    "book_visit",
    "join_visit",
    "move_visit",
    "cancel_visit",
    "record_visit",
    "ban_visitor",
    "lift_ban",
    "change_regime",
    "transfer_prisoner",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "wings": ("name",),
    "halls": ("name",),
    "sessions": (),
    "prisoners": ("name",),
    "visitors": ("name",),
    "approvals": (),
    "bans": (),
    "visits": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("approvals", "prisoner_id"),
    ("approvals", "status"),
    ("approvals", "visitor_id"),
    ("bans", "visitor_id"),
    ("sessions", "wing_ids"),
    ("visits", "prisoner_id"),
    ("visits", "session_id"),
    ("visits", "status"),
    ("visits", "visitor_ids"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Wing(TypedDict):
    id: str
    name: str


class Hall(TypedDict):
    id: str
    name: str
    tables: int
    booths: int


class Session(TypedDict):
    id: str
    hall_id: str
    on: str
    at: str
    legal: bool
    wing_ids: list[str]


class Prisoner(TypedDict):
    id: str
    name: str
    wing_id: str
    regime: Literal["basic", "standard", "enhanced"]
    apart_from_ids: list[str]


class Visitor(TypedDict):
    id: str
    name: str
    born: str
    kind: Literal["family", "friend", "lawyer"]


class Approval(TypedDict):
    id: str
    prisoner_id: str
    visitor_id: str
    asked_on: str
    closed_only: bool
    status: Literal["asked", "approved", "refused"]


class Ban(TypedDict):
    id: str
    visitor_id: str
    starts: str
    until: str
    reason: str


class Visit(TypedDict):
    id: str
    session_id: str
    prisoner_id: str
    visitor_ids: list[str]
    closed: bool
    status: Literal["booked", "attended", "missed", "cancelled"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class PrisonVisits:
    """Books the visits of a prison - approved visitors, sessions with tables and booths, a monthly
    allowance by regime, bans, legal visits apart, people who must not meet and transfers between wings.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.wings: dict[str, Wing] = _copied(config.get("wings", {}))
        self.halls: dict[str, Hall] = _copied(config.get("halls", {}))
        self.sessions: dict[str, Session] = _copied(config.get("sessions", {}))
        self.prisoners: dict[str, Prisoner] = _copied(config.get("prisoners", {}))
        self.visitors: dict[str, Visitor] = _copied(config.get("visitors", {}))
        self.approvals: dict[str, Approval] = _copied(config.get("approvals", {}))
        self.bans: dict[str, Ban] = _copied(config.get("bans", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.now: str = config.get("now", "2026-08-10T09:10")
        self.counters: dict[str, int] = {
            "wing": len(self.wings),
            "hall": len(self.halls),
            "session": len(self.sessions),
            "prisoner": len(self.prisoners),
            "visitor": len(self.visitors),
            "approval": len(self.approvals),
            "ban": len(self.bans),
            "visit": len(self.visits),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sessions_by_wings: dict[Any, dict[str, Session]] = {}
        self._approvals_by_prisoner_visitor: dict[Any, dict[str, Approval]] = {}
        self._approvals_by_prisoner_visitor_status: dict[Any, dict[str, Approval]] = {}
        self._bans_by_visitor: dict[Any, dict[str, Ban]] = {}
        self._visits_by_prisoner: dict[Any, dict[str, Visit]] = {}
        self._visits_by_prisoner_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_session: dict[Any, dict[str, Visit]] = {}
        self._visits_by_session_prisoner: dict[Any, dict[str, Visit]] = {}
        self._visits_by_session_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_visitors: dict[Any, dict[str, Visit]] = {}
        for session in self.sessions.values():
            self._link("sessions", session)
        for approval in self.approvals.values():
            self._link("approvals", approval)
        for ban in self.bans.values():
            self._link("bans", ban)
        for visit in self.visits.values():
            self._link("visits", visit)

    def free_sessions(
        self,
        prisoner_id: str,
        legal: bool = False,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sessions from tomorrow on that still have a place for a prisoner, earliest first.

        Args:
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            legal (bool): Whether sessions for lawyers are wanted rather than social ones. Default: false.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}} or {"success": False, "error": why
                not}
        """
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        found = [
            s
            for s in _distinct(self._sessions_by_wings.get(prisoner["wing_id"], {}).values())
            if (s["on"] > self.now[:10] and s["legal"] == legal)
            and self._open_to(prisoner, s)
            and (self._session_tables_free(s) > 0 or self._session_booths_free(s) > 0)
            and (legal or self._used(prisoner, s["on"][:8] + "01") < self._allowance(prisoner))
        ]
        found.sort(key=lambda s: (s["on"], s["at"], self.halls[s["hall_id"]]["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sessions": [
                    {
                        "id": s["id"],
                        "hall": self.halls[s["hall_id"]]["name"],
                        "on": s["on"],
                        "at": s["at"],
                        "tables_free": self._session_tables_free(s),
                        "booths_free": self._session_booths_free(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def allowance_left(self, prisoner_id: str, month: Date) -> Result:
        """How many social visits a prisoner has in a month and how many are left.

        Args:
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            month (str): Any day of the month in question, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {regime, allowed, used, left}} or {"success": False, "error": why not}
        """
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        return _found(
            {
                "regime": prisoner["regime"],
                "allowed": self._allowance(prisoner),
                "used": self._used(prisoner, month[:8] + "01"),
                "left": self._allowance(prisoner) - self._used(prisoner, month[:8] + "01"),
            }
        )

    def may_visit(self, prisoner_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who may visit a prisoner, with age and whether only behind glass.

        Args:
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visitors": records}} or {"success": False, "error": why
                not}
        """
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        found = [x for x in self.visitors.values() if self._approval_of(prisoner, x) is not None]
        found.sort(key=lambda x: (x["name"], _age(x)))
        return _found(
            {
                "total": len(found),
                "visitors": [
                    {
                        "id": x["id"],
                        "name": x["name"],
                        "kind": x["kind"],
                        "age": _years(x["born"], self.now[:10]),
                        "closed_only": self._behind_glass(prisoner, x),
                        "banned_today": self._banned(x, self.now[:10]),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_wings(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the wings, oldest first, all of them or only some.

        Args:
            name (str, optional): Only wings whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wings": records}}
        """
        found = [wing for wing in self.wings.values() if (name is None or name.casefold() in wing["name"].casefold())]
        return _found({"total": len(found), "wings": [{**wing} for wing in _page(found, offset)]})

    def list_halls(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the halls, oldest first, all of them or only some.

        Args:
            name (str, optional): Only halls whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "halls": records}}
        """
        found = [hall for hall in self.halls.values() if (name is None or name.casefold() in hall["name"].casefold())]
        return _found({"total": len(found), "halls": [{**hall} for hall in _page(found, offset)]})

    def list_sessions(
        self,
        hall_id: str | None = None,
        legal: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sessions, oldest first, all of them or only some.

        Args:
            hall_id (str, optional): Only sessions of this hall.
            legal (bool, optional): Only sessions with this value of `legal`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}}
        """
        if hall_id is not None and hall_id not in self.halls:
            return _refused(f"There is no hall {hall_id!r}.")
        found = [
            session
            for session in self.sessions.values()
            if (hall_id is None or session["hall_id"] == hall_id)
            and (legal is None or session["legal"] == legal)
        ]
        shown = [self._show_session(session) for session in _page(found, offset)]
        return _found({"total": len(found), "sessions": shown}, self._names_of_sessions(shown))

    def list_prisoners(
        self,
        name: Text | None = None,
        wing_id: str | None = None,
        regime: Literal["basic", "standard", "enhanced"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the prisoners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only prisoners whose name contains this text.
            wing_id (str, optional): Only prisoners of this wing.
            regime (str, optional): Only prisoners with this regime.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prisoners": records}}
        """
        if wing_id is not None and wing_id not in self.wings:
            return _refused(f"There is no wing {wing_id!r}.")
        found = [
            prisoner
            for prisoner in self.prisoners.values()
            if (name is None or name.casefold() in prisoner["name"].casefold())
            and (wing_id is None or prisoner["wing_id"] == wing_id)
            and (regime is None or prisoner["regime"] == regime)
        ]
        shown = [self._show_prisoner(prisoner) for prisoner in _page(found, offset)]
        return _found({"total": len(found), "prisoners": shown}, self._names_of_prisoners(shown))

    def list_visitors(
        self,
        name: Text | None = None,
        kind: Literal["family", "friend", "lawyer"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visitors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only visitors whose name contains this text.
            kind (str, optional): Only visitors with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visitors": records}}
        """
        found = [
            visitor
            for visitor in self.visitors.values()
            if (name is None or name.casefold() in visitor["name"].casefold())
            and (kind is None or visitor["kind"] == kind)
        ]
        return _found({"total": len(found), "visitors": [{**visitor} for visitor in _page(found, offset)]})

    def list_approvals(
        self,
        prisoner_id: str | None = None,
        visitor_id: str | None = None,
        closed_only: bool | None = None,
        status: Literal["asked", "approved", "refused"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the approvals, oldest first, all of them or only some.

        Args:
            prisoner_id (str, optional): Only approvals of this prisoner.
            visitor_id (str, optional): Only approvals of this visitor.
            closed_only (bool, optional): Only approvals with this value of `closed_only`.
            status (str, optional): Only approvals with this status.
            asked_on_from (str, optional): Only approvals whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only approvals whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "approvals": records}}
        """
        if prisoner_id is not None and prisoner_id not in self.prisoners:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        if visitor_id is not None and visitor_id not in self.visitors:
            return _refused(f"There is no visitor {visitor_id!r}.")
        found = [
            approval
            for approval in self.approvals.values()
            if (prisoner_id is None or approval["prisoner_id"] == prisoner_id)
            and (visitor_id is None or approval["visitor_id"] == visitor_id)
            and (closed_only is None or approval["closed_only"] == closed_only)
            and (status is None or approval["status"] == status)
            and (asked_on_from is None or approval["asked_on"] >= asked_on_from)
            and (asked_on_to is None or approval["asked_on"] <= asked_on_to)
        ]
        shown = [{**approval} for approval in _page(found, offset)]
        return _found({"total": len(found), "approvals": shown}, self._names_of_approvals(shown))

    def list_bans(
        self,
        visitor_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bans, oldest first, all of them or only some.

        Args:
            visitor_id (str, optional): Only bans of this visitor.
            starts_from (str, optional): Only bans whose `starts` is on this day or later.
            starts_to (str, optional): Only bans whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bans": records}}
        """
        if visitor_id is not None and visitor_id not in self.visitors:
            return _refused(f"There is no visitor {visitor_id!r}.")
        found = [
            ban
            for ban in self.bans.values()
            if (visitor_id is None or ban["visitor_id"] == visitor_id)
            and (starts_from is None or ban["starts"] >= starts_from)
            and (starts_to is None or ban["starts"] <= starts_to)
        ]
        shown = [{**ban} for ban in _page(found, offset)]
        return _found({"total": len(found), "bans": shown}, self._names_of_bans(shown))

    def list_visits(
        self,
        session_id: str | None = None,
        prisoner_id: str | None = None,
        closed: bool | None = None,
        status: Literal["booked", "attended", "missed", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            session_id (str, optional): Only visits of this session.
            prisoner_id (str, optional): Only visits of this prisoner.
            closed (bool, optional): Only visits that are closed (true) or not (false).
            status (str, optional): Only visits with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if session_id is not None and session_id not in self.sessions:
            return _refused(f"There is no session {session_id!r}.")
        if prisoner_id is not None and prisoner_id not in self.prisoners:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (session_id is None or visit["session_id"] == session_id)
            and (prisoner_id is None or visit["prisoner_id"] == prisoner_id)
            and (closed is None or visit["closed"] == closed)
            and (status is None or visit["status"] == status)
        ]
        shown = [self._show_visit(visit) for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def ask_approval(self, prisoner_id: str, visitor_id: str) -> Result:
        """Put a visitor forward for approval on the wish of a prisoner.

        Args:
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            visitor_id (str): Id of the visitor, such as VISITOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        visitor = self.visitors.get(visitor_id)
        if visitor is None:
            return _refused(f"There is no visitor {visitor_id!r}.")
        if any(
            a["status"] != "refused"
            for a in self._approvals_by_prisoner_visitor.get((prisoner_id, visitor_id), {}).values()
        ):
            return _refused(f"{visitor['name']} is approved or has been put forward for {prisoner['name']} already.")
        if self._banned(visitor, self.now[:10]):
            return _refused(f"{visitor['name']} is banned.")
        self._journal = []
        approval: Approval = {
            "id": self._new_id("approval", "APPROVAL", self.approvals),
            "prisoner_id": prisoner_id,
            "visitor_id": visitor_id,
            "asked_on": self.now[:10],
            "closed_only": False,
            "status": "asked",
        }
        self._add("approvals", approval)
        for one_visit in _distinct(
            self._visits_by_prisoner_status.get((approval["prisoner_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_4(one_visit):
                return self._take_back(RULES[3])
        for one_visit in _distinct(
            self._visits_by_prisoner_status.get((approval["prisoner_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: put {visitor['name']} forward for {prisoner['name']} (new: approval {approval['id']})."
            ),
            "data": {"approval_id": approval["id"], **self._changes()},
        }

    def decide_approval(self, approval_id: str, approved: bool, closed_only: bool = False) -> Result:
        """Approve somebody who was put forward, for closed visits only where that is said, or refuse; an approval can
        later be put behind glass, eased or taken back.

        Args:
            approval_id (str): Id of the approval, such as APPROVAL-00001.
            approved (bool): Whether the visitor is approved, rather than refused or taken back.
            closed_only (bool): Whether an approved visitor may only come behind glass. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        approval = self.approvals.get(approval_id)
        if approval is None:
            return _refused(f"There is no approval {approval_id!r}.")
        if approval["status"] == "refused":
            return _refused(
                f"{self.visitors[approval['visitor_id']]['name']} is refused for "
                f"{self.prisoners[approval['prisoner_id']]['name']}, and has to be put forward again."
            )
        if approval["status"] != "asked" and approved and closed_only == approval["closed_only"]:
            return _refused(
                f"{self.visitors[approval['visitor_id']]['name']} is approved for "
                f"{self.prisoners[approval['prisoner_id']]['name']} like that already."
            )
        if not (approved or not closed_only):
            return _refused("A refusal needs no closed visits.")
        ahead = next(
            (
                v
                for v in sorted(
                    self._visits_by_prisoner_status.get((approval["prisoner_id"], "booked"), {}).values(),
                    key=_age,
                )
                if approval["visitor_id"] in v["visitor_ids"]
            ),
            None,
        )
        if not (ahead is None or approved and not closed_only):
            return _refused(
                f"{self.visitors[approval['visitor_id']]['name']} is booked for "
                f"{self.sessions[ahead['session_id']]['on']}, so cancel that visit first, or record it if it is over."
            )
        self._journal = []
        changed_approvals: list[Any] = []
        changed_approvals_2: list[Any] = []
        if approved:
            changed_approvals.append(approval)
            self._put("approvals", approval, "closed_only", closed_only)
            if approval["status"] == "asked":
                if approval["status"] not in ("asked", "approved"):
                    return self._take_back(
                        f"Approval {approval['id']} cannot go from {approval['status']} to approved."
                    )
                changed_approvals_2.append(approval)
                self._put("approvals", approval, "status", "approved")
        else:
            changed_approvals_2.append(approval)
            self._put("approvals", approval, "status", "refused")
        for one_visit in _distinct(
            [
                user
                for one in [self.prisoners[one["prisoner_id"]] for one in changed_approvals_2]
                for user in self._visits_by_prisoner_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_4(one_visit):
                return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                *[
                    user
                    for one in [self.prisoners[one["prisoner_id"]] for one in changed_approvals]
                    for user in self._visits_by_prisoner_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.prisoners[one["prisoner_id"]] for one in changed_approvals_2]
                    for user in self._visits_by_prisoner_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: decide about {self.visitors[approval['visitor_id']]['name']} for "
                f"{self.prisoners[approval['prisoner_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def book_visit(
        self,
        session_id: str,
        prisoner_id: str,
        visitor_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Book a visit of up to three approved visitors in a session; it is closed where one of them may only come
        behind glass.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            visitor_ids (list): One to three approved visitors, at least one of them of age: ids of visitors, such
                as VISITOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        visitors = []
        for key in visitor_ids:
            if key not in self.visitors:
                return _refused(f"There is no visitor {key!r}.")
            visitors.append(self.visitors[key])
        if not ((1 <= len(visitors) and len(visitors) <= 3) and _different([x["id"] for x in visitors])):
            return _refused("Name one to three visitors, and each once.")
        if session["on"] <= self.now[:10]:
            return _refused(f"Visits are booked from tomorrow on, not for {session['on']}.")
        if prisoner["wing_id"] not in session["wing_ids"]:
            return _refused(f"That session is not for {self.wings[prisoner['wing_id']]['name']}.")
        odd = next((x for x in visitors if (x["kind"] == "lawyer") != session["legal"]), None)
        if odd is not None:
            return _refused(f"{odd['name']} cannot come then, as lawyers have sessions of their own.")
        stranger = next((x for x in visitors if self._approval_of(prisoner, x) is None), None)
        if stranger is not None:
            return _refused(f"{stranger['name']} is not approved for {prisoner['name']}.")
        out = next((x for x in visitors if self._banned(x, session["on"])), None)
        if out is not None:
            return _refused(f"{out['name']} is banned on {session['on']}.")
        if not any(self._adult(x, session["on"]) for x in visitors):
            return _refused("Somebody of age has to come along.")
        if self._engaged(prisoner, session) is not None:
            return _refused(f"{prisoner['name']} has a visit at that hour already.")
        twice = next((x for x in visitors if self._there_with(x, session) is not None), None)
        if twice is not None:
            return _refused(f"{twice['name']} is booked with somebody else at that hour.")
        if not session["legal"] and self._used(prisoner, session["on"][:8] + "01") >= self._allowance(prisoner):
            return _refused(f"{prisoner['name']} has had all {self._allowance(prisoner)} visits of that month.")
        foe = self._enemy(prisoner, session)
        if foe is not None:
            return _refused(f"{prisoner['name']} and {foe['name']} must be kept apart.")
        glass = any(self._behind_glass(prisoner, x) for x in visitors)
        if not (self._session_booths_free(session) > 0 if glass else self._session_tables_free(session) > 0):
            return _refused("There is no place left in that session.")
        self._journal = []
        changed_visits: list[Any] = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "session_id": session_id,
            "prisoner_id": prisoner_id,
            "visitor_ids": [record["id"] for record in []],
            "closed": glass,
            "status": "booked",
        }
        self._add("visits", visit)
        for x in sorted(visitors, key=lambda x: (x["name"], _age(x))):
            changed_visits.append(visit)
            self._put(
                "visits",
                visit,
                "visitor_ids",
                [record["id"] for record in [self.visitors[key] for key in visit["visitor_ids"]] + [x]],
            )
        if self._breaks_rule_1(self.sessions[visit["session_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(visit):
            return self._take_back(RULES[1])
        for one_visit in _distinct(
            [visit, *self._visits_by_prisoner_status.get((visit["prisoner_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct([visit, *changed_visits]):
            if self._breaks_rule_4(one_visit):
                return self._take_back(RULES[3])
        for one_visit in _distinct([visit, *changed_visits]):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct([visit, *changed_visits]):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct([visit, *changed_visits]):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct([visit, *changed_visits]):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: book {', '.join(str(one['name']) for one in visitors)} with {prisoner['name']} on "
                f"{session['on']} at {session['at']} (new: visit {visit['id']})."
            ),
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def join_visit(self, visit_id: str, visitor_id: str) -> Result:
        """Let one more visitor join a booked visit.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            visitor_id (str): Id of the visitor, such as VISITOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        visitor = self.visitors.get(visitor_id)
        if visitor is None:
            return _refused(f"There is no visitor {visitor_id!r}.")
        if visit["status"] != "booked" or self.sessions[visit["session_id"]]["on"] < self.now[:10]:
            return _refused(f"The visit to {self.prisoners[visit['prisoner_id']]['name']} is over or was cancelled.")
        if visitor_id in visit["visitor_ids"]:
            return _refused(f"{visitor['name']} is on it already.")
        if len(visit["visitor_ids"]) >= 3:
            return _refused("Three visitors are coming already.")
        if (visitor["kind"] == "lawyer") != self.sessions[visit["session_id"]]["legal"]:
            return _refused("Lawyers have sessions of their own.")
        if self._approval_of(self.prisoners[visit["prisoner_id"]], visitor) is None:
            return _refused(f"{visitor['name']} is not approved for {self.prisoners[visit['prisoner_id']]['name']}.")
        if self._banned(visitor, self.sessions[visit["session_id"]]["on"]):
            return _refused(f"{visitor['name']} is banned on {self.sessions[visit['session_id']]['on']}.")
        if self._there_with(visitor, self.sessions[visit["session_id"]]) is not None:
            return _refused(f"{visitor['name']} is booked with somebody else at that hour.")
        if not visit["closed"] and self._behind_glass(self.prisoners[visit["prisoner_id"]], visitor):
            return _refused(f"{visitor['name']} may only come behind glass and the visit is at a table.")
        self._journal = []
        self._put(
            "visits",
            visit,
            "visitor_ids",
            [record["id"] for record in [self.visitors[key] for key in visit["visitor_ids"]] + [visitor]],
        )
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(visit):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(visit):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(visit):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: let {visitor['name']} join the visit to {self.prisoners[visit['prisoner_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def move_visit(self, visit_id: str, session_id: str) -> Result:
        """Move a booked visit to another session.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if visit["status"] != "booked":
            return _refused(f"The visit to {self.prisoners[visit['prisoner_id']]['name']} is {visit['status']}.")
        if session_id == visit["session_id"] or session["on"] <= self.now[:10]:
            return _refused("Name another session from tomorrow on.")
        if session["legal"] != self.sessions[visit["session_id"]]["legal"]:
            return _refused("Legal and social visits have different sessions.")
        if self.prisoners[visit["prisoner_id"]]["wing_id"] not in session["wing_ids"]:
            return _refused(
                f"That session is not for {self.wings[self.prisoners[visit['prisoner_id']]['wing_id']]['name']}."
            )
        foe = self._enemy(self.prisoners[visit["prisoner_id"]], session)
        if foe is not None:
            return _refused(f"{self.prisoners[visit['prisoner_id']]['name']} and {foe['name']} must be kept apart.")
        if any(
            self.sessions[v["session_id"]]["at"] == session["at"]
            for v in self._visits_by_prisoner.get(visit["prisoner_id"], {}).values()
            if v is not visit
            and self._taking(v)
            and self.sessions[v["session_id"]]["on"] == session["on"]
        ):
            return _refused(f"{self.prisoners[visit['prisoner_id']]['name']} has a visit at that hour already.")
        if any(
            any(x["id"] in v["visitor_ids"] for x in [self.visitors[key] for key in visit["visitor_ids"]])
            for v in _distinct(
                [
                    v
                    for key in [key  for key in visit["visitor_ids"]]
                    for v in self._visits_by_visitors.get(key, {}).values()
                ]
            )
            if v is not visit
            and self._taking(v)
            and self.sessions[v["session_id"]]["on"] == session["on"]
            and self.sessions[v["session_id"]]["at"] == session["at"]
        ):
            return _refused("One of the visitors is booked with somebody else at that hour.")
        out = next(
            (x for x in [self.visitors[key] for key in visit["visitor_ids"]] if self._banned(x, session["on"])),
            None,
        )
        if out is not None:
            return _refused(f"{out['name']} is banned on {session['on']}.")
        if (
            not session["legal"]
            and session["on"][:8] + "01" != self._visit_month(visit)
            and self._used(
                self.prisoners[visit["prisoner_id"]],
                session["on"][:8] + "01",
            ) >= self._allowance(self.prisoners[visit["prisoner_id"]])
        ):
            return _refused(f"{self.prisoners[visit['prisoner_id']]['name']} has had all visits of that month.")
        if not (
            self._session_booths_free(session) > 0
            if visit["closed"]
            else self._session_tables_free(session) > 0
        ):
            return _refused("There is no place left in that session.")
        self._journal = []
        former_session_id = visit["session_id"]
        self._put("visits", visit, "session_id", session_id)
        if self._breaks_rule_1(self.sessions[visit["session_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.sessions[former_session_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(visit):
            return self._take_back(RULES[1])
        for one_visit in _distinct(
            [visit, *self._visits_by_prisoner_status.get((visit["prisoner_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(visit):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(visit):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(visit):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: move the visit to {self.prisoners[visit['prisoner_id']]['name']} to {session['on']} at "
                f"{session['at']}."
            ),
            "data": self._changes(),
        }

    def cancel_visit(self, visit_id: str) -> Result:
        """Cancel a booked visit that has not taken place.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "booked":
            return _refused(f"The visit to {self.prisoners[visit['prisoner_id']]['name']} is {visit['status']}.")
        if self.sessions[visit["session_id"]]["on"] < self.now[:10]:
            return _refused(
                f"The session was on {self.sessions[visit['session_id']]['on']}, so record what became of it."
            )
        self._journal = []
        self._put("visits", visit, "status", "cancelled")
        if self._breaks_rule_1(self.sessions[visit["session_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(visit):
            return self._take_back(RULES[1])
        for one_visit in _distinct(
            [visit, *self._visits_by_prisoner_status.get((visit["prisoner_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(visit):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(visit):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(visit):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: cancel the visit to {self.prisoners[visit['prisoner_id']]['name']} on "
                f"{self.sessions[visit['session_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def record_visit(self, visit_id: str, came: bool) -> Result:
        """Record whether the visitors of a booked visit came.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            came (bool): Whether the visitors came.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "booked":
            return _refused(f"The visit to {self.prisoners[visit['prisoner_id']]['name']} is {visit['status']}.")
        if self.sessions[visit["session_id"]]["on"] >= self.now[:10]:
            return _refused(
                f"The session is on {self.sessions[visit['session_id']]['on']} and is recorded the day after."
            )
        self._journal = []
        status = "attended" if came else "missed"
        self._put("visits", visit, "status", status)
        if self._breaks_rule_1(self.sessions[visit["session_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(visit):
            return self._take_back(RULES[1])
        for one_visit in _distinct(
            [visit, *self._visits_by_prisoner_status.get((visit["prisoner_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(visit):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(visit):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(visit):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record the visit to {self.prisoners[visit['prisoner_id']]['name']} on "
                f"{self.sessions[visit['session_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def ban_visitor(self, visitor_id: str, until: Date, reason: Text) -> Result:
        """Ban a visitor from today until a day, who is taken off visits ahead; visits without anybody of age are
        cancelled.

        Args:
            visitor_id (str): Id of the visitor, such as VISITOR-00001.
            until (str): Last day of the ban, from tomorrow to 365 days ahead, as YYYY-MM-DD.
            reason (str): Why the visitor is banned.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visitor = self.visitors.get(visitor_id)
        if visitor is None:
            return _refused(f"There is no visitor {visitor_id!r}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 365):
            return _refused(f"A ban lasts a year at most, until {_plus_days(self.now[:10], 365)}.")
        if any(b["until"] >= self.now[:10] for b in self._bans_by_visitor.get(visitor_id, {}).values()):
            return _refused(f"{visitor['name']} is banned already.")
        self._journal = []
        changed_visits: list[Any] = []
        changed_visits_2: list[Any] = []
        ban: Ban = {
            "id": self._new_id("ban", "BAN", self.bans),
            "visitor_id": visitor_id,
            "starts": self.now[:10],
            "until": until,
            "reason": reason,
        }
        self._add("bans", ban)
        for v in [
            v
            for v in sorted(self._visits_by_visitors.get(visitor_id, {}).values(), key=_age)
            if v["status"] == "booked"
            and (
                self.now[:10] <= self.sessions[v["session_id"]]["on"]
                and self.sessions[v["session_id"]]["on"] <= until
            )
        ]:
            rest = [x for x in [self.visitors[key] for key in v["visitor_ids"]] if x is not visitor]
            if any(self._adult(x, self.sessions[v["session_id"]]["on"]) for x in rest):
                changed_visits.append(v)
                self._put("visits", v, "visitor_ids", [record["id"] for record in rest])
            else:
                if v["status"] not in ("booked", "cancelled"):
                    return self._take_back(f"Visit {v['id']} cannot go from {v['status']} to cancelled.")
                changed_visits_2.append(v)
                self._put("visits", v, "status", "cancelled")
        for one_session in _distinct([self.sessions[one["session_id"]] for one in changed_visits_2]):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        for one_visit in _distinct(changed_visits_2):
            if self._breaks_rule_2(one_visit):
                return self._take_back(RULES[1])
        for one_visit in _distinct(
            [
                *changed_visits_2,
                *[
                    user
                    for one in [self.prisoners[one["prisoner_id"]] for one in changed_visits_2]
                    for user in self._visits_by_prisoner_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct([*changed_visits, *changed_visits_2]):
            if self._breaks_rule_4(one_visit):
                return self._take_back(RULES[3])
        for one_visit in _distinct([*changed_visits, *changed_visits_2]):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [*self._visits_by_visitors.get(ban["visitor_id"], {}).values(), *changed_visits, *changed_visits_2]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct([*changed_visits, *changed_visits_2]):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(changed_visits_2):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        for one_visit in _distinct(changed_visits_2):
            if self._breaks_rule_9_a(one_visit):
                return self._take_back(RULES[8])
        for one_visit in _distinct(changed_visits_2):
            if self._breaks_rule_9_b(one_visit):
                return self._take_back(RULES[8])
        for one_visit in _distinct([*changed_visits, *changed_visits_2]):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(ban):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: ban {visitor['name']} until {until} with the reason {reason} (new: ban {ban['id']}).",
            "data": {"ban_id": ban["id"], **self._changes()},
        }

    def lift_ban(self, ban_id: str) -> Result:
        """Lift a ban as of yesterday.

        Args:
            ban_id (str): Id of the ban, such as BAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ban = self.bans.get(ban_id)
        if ban is None:
            return _refused(f"There is no ban {ban_id!r}.")
        if ban["until"] < self.now[:10]:
            return _refused(f"The ban of {self.visitors[ban['visitor_id']]['name']} ended on {ban['until']}.")
        if ban["starts"] >= self.now[:10]:
            return _refused(f"The ban of {self.visitors[ban['visitor_id']]['name']} began today.")
        self._journal = []
        self._put("bans", ban, "until", _plus_days(self.now[:10], -1))
        for one_visit in _distinct(self._visits_by_visitors.get(ban["visitor_id"], {}).values()):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(ban):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: lift the ban of {self.visitors[ban['visitor_id']]['name']}.",
            "data": self._changes(),
        }

    def change_regime(self, prisoner_id: str, regime: Literal["basic", "standard", "enhanced"]) -> Result:
        """Put a prisoner on another regime, whose allowance must cover the visits of each month.

        Args:
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            regime (str): Regime that the prisoner is put on: basic, standard or enhanced.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        if prisoner["regime"] == regime:
            return _refused(f"{prisoner['name']} is on {regime} already.")
        most = 2 if regime == "basic" else 4 if regime == "standard" else 6
        full = next(
            (
                v
                for v in sorted(self._visits_by_prisoner_status.get((prisoner_id, "booked"), {}).values(), key=_age)
                if not self.sessions[v["session_id"]]["legal"]
                and self._used(prisoner, self._visit_month(v)) > most
            ),
            None,
        )
        if full is not None:
            return _refused(
                f"{prisoner['name']} has {self._used(prisoner, self._visit_month(full))} visits in the month of "
                f"{self._visit_month(full)}, so cancel some first."
            )
        self._journal = []
        self._put("prisoners", prisoner, "regime", regime)
        for one_visit in _distinct(self._visits_by_prisoner_status.get((prisoner["id"], "booked"), {}).values()):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: put {prisoner['name']} on {regime}.", "data": self._changes()}

    def transfer_prisoner(self, prisoner_id: str, wing_id: str) -> Result:
        """Transfer a prisoner to another wing; visits ahead in sessions that do not serve it are cancelled.

        Args:
            prisoner_id (str): Id of the prisoner, such as PRISONER-00001.
            wing_id (str): Id of the wing, such as WING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prisoner = self.prisoners.get(prisoner_id)
        if prisoner is None:
            return _refused(f"There is no prisoner {prisoner_id!r}.")
        wing = self.wings.get(wing_id)
        if wing is None:
            return _refused(f"There is no wing {wing_id!r}.")
        if prisoner["wing_id"] == wing_id:
            return _refused(f"{prisoner['name']} is on {wing['name']} already.")
        self._journal = []
        changed_visits: list[Any] = []
        for v in [
            v
            for v in sorted(self._visits_by_prisoner_status.get((prisoner_id, "booked"), {}).values(), key=_age)
            if wing_id not in self.sessions[v["session_id"]]["wing_ids"]
        ]:
            if v["status"] not in ("booked", "cancelled"):
                return self._take_back(f"Visit {v['id']} cannot go from {v['status']} to cancelled.")
            changed_visits.append(v)
            self._put("visits", v, "status", "cancelled")
        self._put("prisoners", prisoner, "wing_id", wing_id)
        for one_session in _distinct([self.sessions[one["session_id"]] for one in changed_visits]):
            if self._breaks_rule_1(one_session):
                return self._take_back(RULES[0])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_2(one_visit):
                return self._take_back(RULES[1])
        for one_visit in _distinct(
            [
                *changed_visits,
                *[
                    user
                    for one in [self.prisoners[one["prisoner_id"]] for one in changed_visits]
                    for user in self._visits_by_prisoner_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_4(one_visit):
                return self._take_back(RULES[3])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_7(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(
            [*changed_visits, *self._visits_by_prisoner_status.get((prisoner["id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_9_a(one_visit):
                return self._take_back(RULES[8])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_9_b(one_visit):
                return self._take_back(RULES[8])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: transfer {prisoner['name']} to {wing['name']}.",
            "data": self._changes(),
        }

    def _show_session(self, session: Session) -> dict[str, Any]:
        """The session as an answer shows it."""
        return {
            **session,
            "wing_ids": [*session["wing_ids"]],
            "tables_free": self._session_tables_free(session),
            "booths_free": self._session_booths_free(session),
        }

    def _show_prisoner(self, prisoner: Prisoner) -> dict[str, Any]:
        """The prisoner as an answer shows it."""
        return {**prisoner, "apart_from_ids": [*prisoner["apart_from_ids"]]}

    def _show_visit(self, visit: Visit) -> dict[str, Any]:
        """The visit as an answer shows it."""
        return {**visit, "visitor_ids": [*visit["visitor_ids"]], "month": self._visit_month(visit)}

    def _names_of_sessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sessions point to."""
        return _names(
            (self.halls, "name", [row["hall_id"] for row in shown]),
            (self.wings, "name", [each for row in shown for each in row["wing_ids"]]),
        )

    def _names_of_prisoners(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that prisoners point to."""
        return _names(
            (self.wings, "name", [row["wing_id"] for row in shown]),
            (self.prisoners, "name", [each for row in shown for each in row["apart_from_ids"]]),
        )

    def _names_of_approvals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that approvals point to."""
        return _names(
            (self.prisoners, "name", [row["prisoner_id"] for row in shown]),
            (self.visitors, "name", [row["visitor_id"] for row in shown]),
        )

    def _names_of_bans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bans point to."""
        return _names((self.visitors, "name", [row["visitor_id"] for row in shown]))

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names(
            (self.prisoners, "name", [row["prisoner_id"] for row in shown]),
            (self.visitors, "name", [each for row in shown for each in row["visitor_ids"]]),
        )

    def _session_tables_free(self, session: Session) -> int:
        """The tables free of a session."""
        return (
            self.halls[session["hall_id"]]["tables"]
            - sum(
                1
                for v in self._visits_by_session.get(session["id"], {}).values()
                if self._taking(v)
                and not v["closed"]
            )
        )

    def _session_booths_free(self, session: Session) -> int:
        """The booths free of a session."""
        return (
            self.halls[session["hall_id"]]["booths"]
            - sum(
                1
                for v in self._visits_by_session.get(session["id"], {}).values()
                if self._taking(v)
                and v["closed"]
            )
        )

    def _visit_month(self, visit: Visit) -> str:
        """The month of a visit."""
        return self.sessions[visit["session_id"]]["on"][:8] + "01"

    def _taking(self, v: Visit) -> bool:
        return v["status"] != "cancelled"

    def _allowance(self, p: Prisoner) -> int:
        return 2 if p["regime"] == "basic" else 4 if p["regime"] == "standard" else 6

    def _used(self, p: Prisoner, m: str) -> int:
        return sum(
            1
            for v in self._visits_by_prisoner.get(p["id"], {}).values()
            if self._taking(v)
            and not self.sessions[v["session_id"]]["legal"]
            and self._visit_month(v) == m
        )

    def _approval_of(self, p: Prisoner, x: Visitor) -> Approval | None:
        return next(
            (
                a
                for a in sorted(
                    self._approvals_by_prisoner_visitor_status.get((p["id"], x["id"], "approved"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _banned(self, x: Visitor, d: str) -> bool:
        return any(b["starts"] <= d and d <= b["until"] for b in self._bans_by_visitor.get(x["id"], {}).values())

    def _adult(self, x: Visitor, d: str) -> bool:
        return _years(x["born"], d) >= 18

    def _behind_glass(self, p: Prisoner, x: Visitor) -> bool:
        return any(
            a["closed_only"]
            for a in self._approvals_by_prisoner_visitor_status.get((p["id"], x["id"], "approved"), {}).values()
        )

    def _enemy(self, p: Prisoner, s: Session) -> Prisoner | None:
        return next(
            (
                self.prisoners[v["prisoner_id"]]
                for v in sorted(self._visits_by_session.get(s["id"], {}).values(), key=_age)
                if self._taking(v)
                and v["prisoner_id"] != p["id"]
                and (
                    v["prisoner_id"] in p["apart_from_ids"]
                    or p["id"] in self.prisoners[v["prisoner_id"]]["apart_from_ids"]
                )
            ),
            None,
        )

    def _engaged(self, p: Prisoner, s: Session) -> Visit | None:
        return next(
            (
                v
                for v in sorted(self._visits_by_prisoner.get(p["id"], {}).values(), key=_age)
                if self._taking(v)
                and self.sessions[v["session_id"]]["on"] == s["on"]
                and self.sessions[v["session_id"]]["at"] == s["at"]
            ),
            None,
        )

    def _there_with(self, x: Visitor, s: Session) -> Visit | None:
        return next(
            (
                v
                for v in sorted(self._visits_by_visitors.get(x["id"], {}).values(), key=_age)
                if self._taking(v)
                and self.sessions[v["session_id"]]["on"] == s["on"]
                and self.sessions[v["session_id"]]["at"] == s["at"]
            ),
            None,
        )

    def _open_to(self, p: Prisoner, s: Session) -> bool:
        return p["wing_id"] in s["wing_ids"] and self._enemy(p, s) is None and self._engaged(p, s) is None

    def _breaks_rule_1(self, s: Session) -> bool:
        """Whether this is broken: a session has no more visits than the hall has tables, and no more closed ones than
        it has booths.
        """
        return self._session_tables_free(s) < 0 or self._session_booths_free(s) < 0

    def _breaks_rule_2(self, v: Visit) -> bool:
        """Whether this is broken: a prisoner has one visit in a session."""
        return (
            self._taking(v)
            and any(
                other_v is not v
                for other_v in self._visits_by_session_prisoner.get((v["session_id"], v["prisoner_id"]), {}).values()
                if self._taking(other_v)
            )
        )

    def _breaks_rule_3(self, v: Visit) -> bool:
        """Whether this is broken: a prisoner has no more social visits in a month than the regime allows."""
        return (
            v["status"] == "booked"
            and self._used(
                self.prisoners[v["prisoner_id"]],
                self._visit_month(v),
            ) > self._allowance(self.prisoners[v["prisoner_id"]])
        )

    def _breaks_rule_4(self, v: Visit) -> bool:
        """Whether this is broken: everybody on a visit is approved for that prisoner."""
        return (
            v["status"] == "booked"
            and not all(
                self._approval_of(self.prisoners[v["prisoner_id"]], x) is not None
                for x in [self.visitors[key] for key in v["visitor_ids"]]
            )
        )

    def _breaks_rule_5(self, v: Visit) -> bool:
        """Whether this is broken: a visit has one to three visitors, and at least one of them is of age."""
        return (
            v["status"] == "booked"
            and not (
                (1 <= len(v["visitor_ids"]) and len(v["visitor_ids"]) <= 3)
                and any(
                    self._adult(x, self.sessions[v["session_id"]]["on"])
                    for x in [self.visitors[key] for key in v["visitor_ids"]]
                )
            )
        )

    def _breaks_rule_6(self, v: Visit) -> bool:
        """Whether this is broken: nobody comes on a visit while banned."""
        return (
            v["status"] == "booked"
            and any(
                self._banned(x, self.sessions[v["session_id"]]["on"])
                for x in [self.visitors[key] for key in v["visitor_ids"]]
            )
        )

    def _breaks_rule_7(self, v: Visit) -> bool:
        """Whether this is broken: lawyers visit in legal sessions and nobody else does."""
        return (
            v["status"] == "booked"
            and not all(
                (x["kind"] == "lawyer") == self.sessions[v["session_id"]]["legal"]
                for x in [self.visitors[key] for key in v["visitor_ids"]]
            )
        )

    def _breaks_rule_8(self, v: Visit) -> bool:
        """Whether this is broken: a session serves the wing of every prisoner booked in it."""
        return (
            v["status"] == "booked"
            and self.prisoners[v["prisoner_id"]]["wing_id"] not in self.sessions[v["session_id"]]["wing_ids"]
        )

    def _breaks_rule_9_a(self, a: Visit) -> bool:
        """Whether this is broken: prisoners who must be kept apart never share a session."""
        return (
            a["status"] == "booked"
            and any(
                b["prisoner_id"] in self.prisoners[a["prisoner_id"]]["apart_from_ids"]
                for b in self._visits_by_session_status.get((a["session_id"], "booked"), {}).values()
            )
        )

    def _breaks_rule_9_b(self, b: Visit) -> bool:
        """Whether this is broken: prisoners who must be kept apart never share a session."""
        return (
            b["status"] == "booked"
            and any(
                b["prisoner_id"] in self.prisoners[a["prisoner_id"]]["apart_from_ids"]
                for a in self._visits_by_session_status.get((b["session_id"], "booked"), {}).values()
            )
        )

    def _breaks_rule_10(self, v: Visit) -> bool:
        """Whether this is broken: a visit is behind glass where anybody on it may only come like that."""
        return (
            v["status"] == "booked"
            and not (
                v["closed"]
                or not any(
                    self._behind_glass(self.prisoners[v["prisoner_id"]], x)
                    for x in [self.visitors[key] for key in v["visitor_ids"]]
                )
            )
        )

    def _breaks_rule_11(self, a: Ban) -> bool:
        """Whether this is broken: the bans of a visitor never overlap."""
        return any(
            a["until"] >= b["starts"]
            and b["until"] >= a["starts"]
            for b in self._bans_by_visitor.get(a["visitor_id"], {}).values()
            if a is not b
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
            case "sessions":
                for key in record["wing_ids"]:
                    self._sessions_by_wings.setdefault(key, {})[record["id"]] = record
            case "approvals":
                self._approvals_by_prisoner_visitor.setdefault(
                    (record["prisoner_id"], record["visitor_id"]),
                    {},
                )[record["id"]] = record
                self._approvals_by_prisoner_visitor_status.setdefault(
                    (record["prisoner_id"], record["visitor_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "bans":
                self._bans_by_visitor.setdefault(record["visitor_id"], {})[record["id"]] = record
            case "visits":
                self._visits_by_prisoner.setdefault(record["prisoner_id"], {})[record["id"]] = record
                self._visits_by_prisoner_status.setdefault(
                    (record["prisoner_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._visits_by_session.setdefault(record["session_id"], {})[record["id"]] = record
                self._visits_by_session_prisoner.setdefault(
                    (record["session_id"], record["prisoner_id"]),
                    {},
                )[record["id"]] = record
                self._visits_by_session_status.setdefault(
                    (record["session_id"], record["status"]),
                    {},
                )[record["id"]] = record
                for key in record["visitor_ids"]:
                    self._visits_by_visitors.setdefault(key, {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sessions":
                for key in record["wing_ids"]:
                    self._sessions_by_wings[key].pop(record["id"], None)
            case "approvals":
                del self._approvals_by_prisoner_visitor[record["prisoner_id"], record["visitor_id"]][record["id"]]
                del self._approvals_by_prisoner_visitor_status[
                    record["prisoner_id"],
                    record["visitor_id"],
                    record["status"],
                ][record["id"]]
            case "bans":
                del self._bans_by_visitor[record["visitor_id"]][record["id"]]
            case "visits":
                del self._visits_by_prisoner[record["prisoner_id"]][record["id"]]
                del self._visits_by_prisoner_status[record["prisoner_id"], record["status"]][record["id"]]
                del self._visits_by_session[record["session_id"]][record["id"]]
                del self._visits_by_session_prisoner[record["session_id"], record["prisoner_id"]][record["id"]]
                del self._visits_by_session_status[record["session_id"], record["status"]][record["id"]]
                for key in record["visitor_ids"]:
                    self._visits_by_visitors[key].pop(record["id"], None)
