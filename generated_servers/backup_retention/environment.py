"""Backup retention. Compiled from blueprint.yaml; run `envscaler build backup_retention` after changing it there.

Keeps full and incremental backups in chains on tapes, with retention, legal holds, copies, tapes that rotate
between rooms, and restore tests.
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
    "An incremental backup builds on an earlier one of the same source.",
    "One backup at most builds directly on another, and a chain has no more than four.",
    "A backup is kept as long as a later one in its chain is.",
    "What builds on a corrupt backup is not good.",
    "Backups under a legal hold are kept.",
    "No tape carries more than its capacity.",
    "A backup that is kept lies on a tape, and its copy on another one.",
    "Tapes that are scratch or retired carry nothing that is kept.",
    "A tape is never used more often than its maker allows.",
    "A source has one backup at a time.",
    "A released hold says who released it, and only those who may do so have.",
    "A hold ends no earlier than it begins.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "run_backup",
    "copy_backup",
    "test_restore",
    "expire_backup",
    "extend_retention",
    "place_hold",
    "release_hold",
    "recycle_tape",
    "ship_tapes",
    "add_tape",
    "retire_tape",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "operators": ("name",),
    "sources": ("name",),
    "tapes": ("code",),
    "backups": (),
    "holds": ("matter",),
    "restore_tests": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("backups", "copy_tape_id"),
    ("backups", "parent_id"),
    ("backups", "source_id"),
    ("backups", "status"),
    ("backups", "tape_id"),
    ("holds", "matter"),
    ("holds", "source_id"),
    ("holds", "status"),
    ("tapes", "code"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Operator(TypedDict):
    id: str
    name: str
    may_release: bool


class Source(TypedDict):
    id: str
    name: str
    gigabytes: int
    daily_change: int
    keep_days: int
    newest_hours: int


class Tape(TypedDict):
    id: str
    code: str
    capacity: int
    room: Literal["library", "vault", "mine"]
    uses: int
    max_uses: int
    status: Literal["scratch", "active", "retired"]


class Backup(TypedDict):
    id: str
    source_id: str
    parent_id: str | None
    taken_at: str
    gigabytes: int
    tape_id: str | None
    copy_tape_id: str | None
    keep_until: str
    status: Literal["good", "corrupt", "expired"]


class Hold(TypedDict):
    id: str
    matter: str
    source_id: str
    starts: str
    ends: str
    released_by_id: str | None
    status: Literal["open", "released"]


class RestoreTest(TypedDict):
    id: str
    backup_id: str
    by_id: str
    tested_on: str
    minutes: int
    passed: bool
    why: Literal["test", "request"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


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


class BackupRetention:
    """Keeps full and incremental backups in chains on tapes, with retention, legal holds, copies, tapes
    that rotate between rooms, and restore tests.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.operators: dict[str, Operator] = _copied(config.get("operators", {}))
        self.sources: dict[str, Source] = _copied(config.get("sources", {}))
        self.tapes: dict[str, Tape] = _copied(config.get("tapes", {}))
        self.backups: dict[str, Backup] = _copied(config.get("backups", {}))
        self.holds: dict[str, Hold] = _copied(config.get("holds", {}))
        self.restore_tests: dict[str, RestoreTest] = _copied(config.get("restore_tests", {}))
        self.now: str = config.get("now", "2026-08-19T07:00")
        self.counters: dict[str, int] = {
            "operator": len(self.operators),
            "source": len(self.sources),
            "tape": len(self.tapes),
            "backup": len(self.backups),
            "hold": len(self.holds),
            "restore_test": len(self.restore_tests),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tapes_by_code: dict[Any, dict[str, Tape]] = {}
        self._backups_by_copy_tape: dict[Any, dict[str, Backup]] = {}
        self._backups_by_parent: dict[Any, dict[str, Backup]] = {}
        self._backups_by_parent_status: dict[Any, dict[str, Backup]] = {}
        self._backups_by_source: dict[Any, dict[str, Backup]] = {}
        self._backups_by_source_status: dict[Any, dict[str, Backup]] = {}
        self._backups_by_tape: dict[Any, dict[str, Backup]] = {}
        self._holds_by_lower_matter: dict[Any, dict[str, Hold]] = {}
        self._holds_by_matter: dict[Any, dict[str, Hold]] = {}
        self._holds_by_source_status: dict[Any, dict[str, Hold]] = {}
        for tape in self.tapes.values():
            self._link("tapes", tape)
        for backup in self.backups.values():
            self._link("backups", backup)
        for hold in self.holds.values():
            self._link("holds", hold)

    def chain_of(self, backup_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The chain to which a backup belongs, from the full one on.

        Args:
            backup_id (str): Id of the backup, such as BACKUP-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "backups": records}} or {"success": False, "error": why
                not}
        """
        backup = self.backups.get(backup_id)
        if backup is None:
            return _refused(f"There is no backup {backup_id!r}.")
        found = [
            b
            for b in [backup] + _above(self.backups, backup, "parent_id") + _below(self._backups_by_parent, backup)
        ]
        found.sort(key=lambda b: (b["taken_at"], _age(b)))
        shown = [{**b} for b in _page(found, offset)]
        return _found({"total": len(found), "backups": shown}, self._names_of_backups(shown))

    def late_sources(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Sources whose newest good backup is older than they allow.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sources": records}} or {"success": False, "error": why
                not}
        """
        found = [s for s in self.sources.values() if self._late(s)]
        found.sort(key=lambda s: (s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sources": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "newest_hours": s["newest_hours"],
                        "newest": _id_of(self._newest(s)),
                        "increment": self._part_size(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def may_expire(
        self,
        source_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Kept backups that could expire today, newest first.

        Args:
            source_id (str, optional): Source whose backups are listed; an id such as SOURCE-00001. If left out,
                the backups of all sources are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "backups": records}} or {"success": False, "error": why
                not}
        """
        source = self.sources.get(source_id) if source_id is not None else None
        if source_id is not None and source is None:
            return _refused(f"There is no source {source_id!r}.")
        found = [
            b
            for b in self.backups.values()
            if (self._kept(b) and self._free_to_go(b, self.now[:10]))
            and (source_id is None or b["source_id"] == source_id)
            and (self._follower(b) is None and self._hold_on(b) is None)
        ]
        found.sort(key=lambda b: (_descending(b["taken_at"]), b["id"], _age(b)))
        shown = [
            {
                "id": b["id"],
                "source": self.sources[b["source_id"]]["name"],
                "taken_at": b["taken_at"],
                "keep_until": b["keep_until"],
                "status": b["status"],
                "tape": b["tape_id"],
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "backups": shown},
            _names((self.tapes, "code", [row["tape"] for row in shown])),
        )

    def tapes_with_room(
        self,
        gigabytes: Annotated[int, {"minimum": 1, "maximum": 6000}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tapes in the library that can still be written, those with the least room that suffices first.

        Args:
            gigabytes (int): Free space that the tape must have, in gigabytes, from 1 to 6000.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tapes": records}} or {"success": False, "error": why
                not}
        """
        found = [
            t
            for t in self.tapes.values()
            if (t["room"] == "library" and t["status"] != "retired")
            and self._tape_free(t) >= gigabytes
            and (t["status"] == "active" or t["uses"] < t["max_uses"])
        ]
        found.sort(key=lambda t: (self._tape_free(t), t["code"], _age(t)))
        return _found({"total": len(found), "tapes": [self._show_tape(t) for t in _page(found, offset)]})

    def list_operators(
        self,
        name: Text | None = None,
        may_release: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the operators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only operators whose name contains this text.
            may_release (bool, optional): Only operators that may release (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "operators": records}}
        """
        found = [
            operator
            for operator in self.operators.values()
            if (name is None or name.casefold() in operator["name"].casefold())
            and (may_release is None or operator["may_release"] == may_release)
        ]
        return _found({"total": len(found), "operators": [{**operator} for operator in _page(found, offset)]})

    def list_sources(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sources, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sources whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sources": records}}
        """
        found = [
            source
            for source in self.sources.values()
            if (name is None or name.casefold() in source["name"].casefold())
        ]
        return _found({"total": len(found), "sources": [{**source} for source in _page(found, offset)]})

    def list_tapes(
        self,
        code: Text | None = None,
        room: Literal["library", "vault", "mine"] | None = None,
        status: Literal["scratch", "active", "retired"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tapes, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tapes whose code contains this text.
            room (str, optional): Only tapes with this room.
            status (str, optional): Only tapes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tapes": records}}
        """
        found = [
            tape
            for tape in self.tapes.values()
            if (code is None or code.casefold() in tape["code"].casefold())
            and (room is None or tape["room"] == room)
            and (status is None or tape["status"] == status)
        ]
        return _found({"total": len(found), "tapes": [self._show_tape(tape) for tape in _page(found, offset)]})

    def get_backup(self, backup_id: str) -> Result:
        """Look up one backup by its id.

        Args:
            backup_id (str): Id of the backup, such as BACKUP-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        backup = self.backups.get(backup_id)
        if backup is None:
            return _refused(f"There is no backup {backup_id!r}.")
        shown = {**backup}
        return _found(shown, self._names_of_backups([shown]))

    def list_backups(
        self,
        source_id: str | None = None,
        parent_id: str | None = None,
        tape_id: str | None = None,
        copy_tape_id: str | None = None,
        status: Literal["good", "corrupt", "expired"] | None = None,
        taken_at_from: Date | None = None,
        taken_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the backups, oldest first, all of them or only some.

        Args:
            source_id (str, optional): Only backups of this source.
            parent_id (str, optional): Only backups whose parent is this backup.
            tape_id (str, optional): Only backups of this tape.
            copy_tape_id (str, optional): Only backups whose copy tape is this tape.
            status (str, optional): Only backups with this status.
            taken_at_from (str, optional): Only backups whose `taken_at` is on this day or later.
            taken_at_to (str, optional): Only backups whose `taken_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "backups": records}}
        """
        if source_id is not None and source_id not in self.sources:
            return _refused(f"There is no source {source_id!r}.")
        if parent_id is not None and parent_id not in self.backups:
            return _refused(f"There is no backup {parent_id!r}.")
        if tape_id is not None and tape_id not in self.tapes:
            return _refused(f"There is no tape {tape_id!r}.")
        if copy_tape_id is not None and copy_tape_id not in self.tapes:
            return _refused(f"There is no tape {copy_tape_id!r}.")
        found = [
            backup
            for backup in self.backups.values()
            if (source_id is None or backup["source_id"] == source_id)
            and (parent_id is None or backup["parent_id"] == parent_id)
            and (tape_id is None or backup["tape_id"] == tape_id)
            and (copy_tape_id is None or backup["copy_tape_id"] == copy_tape_id)
            and (status is None or backup["status"] == status)
            and (taken_at_from is None or backup["taken_at"][:10] >= taken_at_from)
            and (taken_at_to is None or backup["taken_at"][:10] <= taken_at_to)
        ]
        shown = [{**backup} for backup in _page(found, offset)]
        return _found({"total": len(found), "backups": shown}, self._names_of_backups(shown))

    def list_holds(
        self,
        matter: Text | None = None,
        source_id: str | None = None,
        released_by_id: str | None = None,
        status: Literal["open", "released"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holds, oldest first, all of them or only some.

        Args:
            matter (str, optional): Only holds whose matter contains this text.
            source_id (str, optional): Only holds of this source.
            released_by_id (str, optional): Only holds released by this operator.
            status (str, optional): Only holds with this status.
            starts_from (str, optional): Only holds whose `starts` is on this day or later.
            starts_to (str, optional): Only holds whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}}
        """
        if source_id is not None and source_id not in self.sources:
            return _refused(f"There is no source {source_id!r}.")
        if released_by_id is not None and released_by_id not in self.operators:
            return _refused(f"There is no operator {released_by_id!r}.")
        found = [
            hold
            for hold in self.holds.values()
            if (matter is None or matter.casefold() in hold["matter"].casefold())
            and (source_id is None or hold["source_id"] == source_id)
            and (released_by_id is None or hold["released_by_id"] == released_by_id)
            and (status is None or hold["status"] == status)
            and (starts_from is None or hold["starts"] >= starts_from)
            and (starts_to is None or hold["starts"] <= starts_to)
        ]
        shown = [{**hold} for hold in _page(found, offset)]
        return _found({"total": len(found), "holds": shown}, self._names_of_holds(shown))

    def list_restore_tests(
        self,
        backup_id: str | None = None,
        by_id: str | None = None,
        passed: bool | None = None,
        why: Literal["test", "request"] | None = None,
        tested_on_from: Date | None = None,
        tested_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the restore tests, oldest first, all of them or only some.

        Args:
            backup_id (str, optional): Only restore tests of this backup.
            by_id (str, optional): Only restore tests by this operator.
            passed (bool, optional): Only restore tests with this value of `passed`.
            why (str, optional): Only restore tests whose `why` is this.
            tested_on_from (str, optional): Only restore tests whose `tested_on` is on this day or later.
            tested_on_to (str, optional): Only restore tests whose `tested_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "restore_tests": records}}
        """
        if backup_id is not None and backup_id not in self.backups:
            return _refused(f"There is no backup {backup_id!r}.")
        if by_id is not None and by_id not in self.operators:
            return _refused(f"There is no operator {by_id!r}.")
        found = [
            restore_test
            for restore_test in self.restore_tests.values()
            if (backup_id is None or restore_test["backup_id"] == backup_id)
            and (by_id is None or restore_test["by_id"] == by_id)
            and (passed is None or restore_test["passed"] == passed)
            and (why is None or restore_test["why"] == why)
            and (tested_on_from is None or restore_test["tested_on"] >= tested_on_from)
            and (tested_on_to is None or restore_test["tested_on"] <= tested_on_to)
        ]
        shown = [{**restore_test} for restore_test in _page(found, offset)]
        return _found({"total": len(found), "restore_tests": shown}, self._names_of_restore_tests(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def run_backup(self, source_id: str, tape_id: str, full: bool) -> Result:
        """Back a source up to a tape in the library, either in full or as an increment of its newest good backup.

        Args:
            source_id (str): Id of the source, such as SOURCE-00001.
            tape_id (str): Id of the tape, such as TAPE-00001.
            full (bool): Whether to back up everything instead of only what has changed.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.sources.get(source_id)
        if source is None:
            return _refused(f"There is no source {source_id!r}.")
        tape = self.tapes.get(tape_id)
        if tape is None:
            return _refused(f"There is no tape {tape_id!r}.")
        if tape["status"] == "retired" or tape["room"] != "library":
            return _refused(
                f"Tape {tape['code']} is {tape['status']} in the {tape['room']}, so bring one into the library."
            )
        if tape["status"] != "active" and tape["uses"] >= tape["max_uses"]:
            return _refused(f"Tape {tape['code']} was used {tape['uses']} times and is worn.")
        base = self._newest(source)
        if not (full or base is not None):
            return _refused(f"{source['name']} has no good backup, so make a full one.")
        if not (full or base is None or not self._backups_by_parent.get(base["id"], {})):
            return _refused(
                f"The newest good backup of {source['name']} has a follower that is corrupt or has expired, so "
                "make a full one."
            )
        if not (full or base is None or self._chain_length(base) < 4):
            return _refused(f"The chain of {source['name']} has four backups, so make a full one.")
        if base is not None and base["taken_at"] >= self.now:
            return _refused(f"{source['name']} was backed up this very minute.")
        if self._tape_free(tape) < (source["gigabytes"] if full else self._part_size(source)):
            return _refused(f"Tape {tape['code']} has {self._tape_free(tape)} GB left.")
        self._journal = []
        changed_tapes: list[Any] = []
        changed_tapes_2: list[Any] = []
        gigabytes = source["gigabytes"] if full else self._part_size(source)
        if not 1 <= gigabytes <= 4000:
            return self._take_back("The gigabytes of a backup must be between 1 and 4000.")
        backup: Backup = {
            "id": self._new_id("backup", "BACKUP", self.backups),
            "source_id": source_id,
            "parent_id": _id_of(None if full else base),
            "taken_at": self.now,
            "gigabytes": gigabytes,
            "tape_id": tape_id,
            "copy_tape_id": None,
            "keep_until": _plus_days(self.now[:10], source["keep_days"]),
            "status": "good",
        }
        self._add("backups", backup)
        if tape["status"] == "scratch":
            uses = tape["uses"] + 1
            if not 0 <= uses <= 60:
                return self._take_back(f"The uses of {tape['code']} must be between 0 and 60.")
            changed_tapes.append(tape)
            self._put("tapes", tape, "uses", uses)
            if tape["status"] not in ("scratch", "active"):
                return self._take_back(f"Tape {tape['code']} cannot go from {tape['status']} to active.")
            changed_tapes_2.append(tape)
            self._put("tapes", tape, "status", "active")
        if self._breaks_rule_1(backup):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_b(backup):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b_again(backup):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(backup):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(backup):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(backup):
            return self._take_back(RULES[4])
        for one_tape in _distinct([self.tapes.get(backup["tape_id"]), self.tapes.get(backup["copy_tape_id"])]):
            if self._breaks_rule_6(one_tape):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_b(backup):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b_again(backup):
            return self._take_back(RULES[6])
        for one_backup in _distinct(
            [
                backup,
                *[user for one in changed_tapes_2 for user in self._backups_by_tape.get(one["id"], {}).values()],
                *[user for one in changed_tapes_2 for user in self._backups_by_copy_tape.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_backup):
                return self._take_back(RULES[7])
        for one_tape in _distinct(changed_tapes):
            if self._breaks_rule_9(one_tape):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(backup):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: back {source['name']} up to tape {tape['code']}, in full {'yes' if full else 'no'} (new: "
                f"backup {backup['id']})."
            ),
            "data": {"backup_id": backup["id"], **self._changes()},
        }

    def copy_backup(self, backup_id: str, tape_id: str) -> Result:
        """Copy a good backup to a second tape; both tapes must be in the library.

        Args:
            backup_id (str): Id of the backup, such as BACKUP-00001.
            tape_id (str): Id of the tape, such as TAPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        backup = self.backups.get(backup_id)
        if backup is None:
            return _refused(f"There is no backup {backup_id!r}.")
        tape = self.tapes.get(tape_id)
        if tape is None:
            return _refused(f"There is no tape {tape_id!r}.")
        if backup["status"] != "good" or backup["tape_id"] is None:
            return _refused(f"This backup of {self.sources[backup['source_id']]['name']} is {backup['status']}.")
        if backup["copy_tape_id"] is not None:
            return _refused(
                f"This backup of {self.sources[backup['source_id']]['name']} has a copy on tape "
                f"{self.tapes[backup['copy_tape_id']]['code']}."
            )
        if tape_id == backup["tape_id"]:
            return _refused(f"Tape {tape['code']} carries this backup already.")
        if self.tapes[backup["tape_id"]]["room"] != "library":
            return _refused(
                f"Tape {self.tapes[backup['tape_id']]['code']} is in the {self.tapes[backup['tape_id']]['room']}, "
                "so bring it into the library."
            )
        if tape["status"] == "retired" or tape["room"] != "library":
            return _refused(
                f"Tape {tape['code']} is {tape['status']} in the {tape['room']}, so bring one into the library."
            )
        if tape["status"] != "active" and tape["uses"] >= tape["max_uses"]:
            return _refused(f"Tape {tape['code']} was used {tape['uses']} times and is worn.")
        if self._tape_free(tape) < backup["gigabytes"]:
            return _refused(f"Tape {tape['code']} has {self._tape_free(tape)} GB left.")
        self._journal = []
        changed_tapes: list[Any] = []
        changed_tapes_2: list[Any] = []
        former_copy_tape_id = backup["copy_tape_id"]
        self._put("backups", backup, "copy_tape_id", tape_id)
        if tape["status"] == "scratch":
            uses = tape["uses"] + 1
            if not 0 <= uses <= 60:
                return self._take_back(f"The uses of {tape['code']} must be between 0 and 60.")
            changed_tapes.append(tape)
            self._put("tapes", tape, "uses", uses)
            if tape["status"] not in ("scratch", "active"):
                return self._take_back(f"Tape {tape['code']} cannot go from {tape['status']} to active.")
            changed_tapes_2.append(tape)
            self._put("tapes", tape, "status", "active")
        for one_tape in _distinct(
            [
                self.tapes.get(backup["tape_id"]),
                self.tapes.get(backup["copy_tape_id"]),
                self.tapes.get(former_copy_tape_id),
            ]
        ):
            if self._breaks_rule_6(one_tape):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_b_again(backup):
            return self._take_back(RULES[6])
        for one_backup in _distinct(
            [
                backup,
                *[user for one in changed_tapes_2 for user in self._backups_by_tape.get(one["id"], {}).values()],
                *[user for one in changed_tapes_2 for user in self._backups_by_copy_tape.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_backup):
                return self._take_back(RULES[7])
        for one_tape in _distinct(changed_tapes):
            if self._breaks_rule_9(one_tape):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: copy the backup of {self.sources[backup['source_id']]['name']} of {backup['taken_at']} to "
                f"tape {tape['code']}."
            ),
            "data": self._changes(),
        }

    def test_restore(
        self,
        backup_id: str,
        by_id: str,
        minutes: Annotated[int, {"minimum": 1, "maximum": 2000}],
        passed: bool,
        why: Literal["test", "request"] = "test",
    ) -> Result:
        """Record a restore of a good backup from tapes or copies in the library, as a test or because somebody asked
        for the data; if it failed, this backup and all that build on it are corrupt.

        Args:
            backup_id (str): Id of the backup, such as BACKUP-00001.
            by_id (str): Operator who carried out the restore; an id such as OPERATOR-00001.
            minutes (int): How long the restore took, in minutes, from 1 to 2000.
            passed (bool): Whether the restore worked, as a failure makes the backup and its followers corrupt.
            why (str): Whether it was a test or somebody asked for the data: test or request. Default: test.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        backup = self.backups.get(backup_id)
        if backup is None:
            return _refused(f"There is no backup {backup_id!r}.")
        by = self.operators.get(by_id)
        if by is None:
            return _refused(f"There is no operator {by_id!r}.")
        if backup["status"] != "good" or backup["tape_id"] is None:
            return _refused(f"This backup of {self.sources[backup['source_id']]['name']} is {backup['status']}.")
        away = next(
            (
                self.tapes[b["tape_id"]]
                for b in [backup] + _above(self.backups, backup, "parent_id")
                if b["tape_id"] is not None
                and not self._at_hand(b)
            ),
            None,
        )
        if away is not None:
            return _refused(
                f"Tape {away['code']} of this chain is in the {away['room']} and no copy is here, so bring it "
                "into the library."
            )
        self._journal = []
        changed_backups: list[Any] = []
        restore_test: RestoreTest = {
            "id": self._new_id("restore_test", "RT", self.restore_tests),
            "backup_id": backup_id,
            "by_id": by_id,
            "tested_on": self.now[:10],
            "minutes": minutes,
            "passed": passed,
            "why": why,
        }
        self._add("restore_tests", restore_test)
        if not passed:
            for b in [b for b in [backup] + _below(self._backups_by_parent, backup) if b["status"] == "good"]:
                if b["status"] not in ("good", "corrupt"):
                    return self._take_back(f"Backup {b['id']} cannot go from {b['status']} to corrupt.")
                changed_backups.append(b)
                self._put("backups", b, "status", "corrupt")
        for one_backup in _distinct(
            [
                *changed_backups,
                *[user for one in changed_backups for user in self._backups_by_parent.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_backup):
                return self._take_back(RULES[2])
        for one_backup in _distinct(
            [
                *changed_backups,
                *[
                    user
                    for one in changed_backups
                    for user in self._backups_by_parent_status.get((one["id"], "good"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_backup):
                return self._take_back(RULES[3])
        for one_backup in _distinct(changed_backups):
            if self._breaks_rule_5(one_backup):
                return self._take_back(RULES[4])
        for one_backup in _distinct(changed_backups):
            if self._breaks_rule_7_b(one_backup):
                return self._take_back(RULES[6])
        for one_backup in _distinct(changed_backups):
            if self._breaks_rule_8(one_backup):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: record the restore of {self.sources[backup['source_id']]['name']} by {by['name']} as a "
                f"{why}, passed {'yes' if passed else 'no'} (new: restore test {restore_test['id']})."
            ),
            "data": {"restore_test_id": restore_test["id"], **self._changes()},
        }

    def expire_backup(self, backup_id: str) -> Result:
        """Let a backup expire that is corrupt or past its retention, on which nothing that is kept builds, which no
        hold covers and which is not the newest good one of its source.

        Args:
            backup_id (str): Id of the backup, such as BACKUP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        backup = self.backups.get(backup_id)
        if backup is None:
            return _refused(f"There is no backup {backup_id!r}.")
        if not self._kept(backup):
            return _refused(f"This backup of {self.sources[backup['source_id']]['name']} has expired already.")
        if backup["status"] != "corrupt" and backup["keep_until"] >= self.now[:10]:
            return _refused(
                f"This backup of {self.sources[backup['source_id']]['name']} is kept until {backup['keep_until']}."
            )
        if self._last_good(backup):
            return _refused(
                f"This is the newest good backup of {self.sources[backup['source_id']]['name']}, so make another "
                "one first."
            )
        later = self._follower(backup)
        if later is not None:
            return _refused(f"The backup of {later['taken_at']} builds on this one, so that must expire first.")
        hold = self._hold_on(backup)
        if hold is not None:
            return _refused(
                f"{hold['matter']} keeps the backups of {self.sources[backup['source_id']]['name']} from "
                f"{hold['starts']} to {hold['ends']}."
            )
        self._journal = []
        self._put("backups", backup, "status", "expired")
        for one_backup in _distinct([backup, *self._backups_by_parent.get(backup["id"], {}).values()]):
            if self._breaks_rule_3(one_backup):
                return self._take_back(RULES[2])
        for one_backup in _distinct(
            [backup, *self._backups_by_parent_status.get((backup["id"], "good"), {}).values()]
        ):
            if self._breaks_rule_4(one_backup):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(backup):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_b(backup):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(backup):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: let the backup of {self.sources[backup['source_id']]['name']} of {backup['taken_at']} expire."
            ),
            "data": self._changes(),
        }

    def extend_retention(self, backup_id: str, until: Date) -> Result:
        """Keep a backup longer, with all those on which it builds.

        Args:
            backup_id (str): Id of the backup, such as BACKUP-00001.
            until (str): New day until which it is kept, later than before, within ten years, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        backup = self.backups.get(backup_id)
        if backup is None:
            return _refused(f"There is no backup {backup_id!r}.")
        if not self._kept(backup):
            return _refused(f"This backup of {self.sources[backup['source_id']]['name']} has expired.")
        if until <= backup["keep_until"]:
            return _refused(f"This backup is kept until {backup['keep_until']} anyway.")
        if until > _plus_days(self.now[:10], 3660):
            return _refused("Nothing is kept for more than ten years.")
        self._journal = []
        for b in [b for b in [backup] + _above(self.backups, backup, "parent_id") if b["keep_until"] < until]:
            self._put("backups", b, "keep_until", until)
        return {
            "success": True,
            "message": (
                f"Done: keep the backup of {self.sources[backup['source_id']]['name']} of {backup['taken_at']} "
                f"until {until}."
            ),
            "data": self._changes(),
        }

    def place_hold(self, matter: Text, source_id: str, starts: Date, ends: Date) -> Result:
        """Put a legal hold on the backups of a source that were taken in some days.

        Args:
            matter (str): Name of the legal matter, with no hold of that name yet.
            source_id (str): Id of the source, such as SOURCE-00001.
            starts (str): First day of the backups that are held, by when they were taken, as YYYY-MM-DD.
            ends (str): Last day of the backups that are held, by when they were taken, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.sources.get(source_id)
        if source is None:
            return _refused(f"There is no source {source_id!r}.")
        if self._holds_by_lower_matter.get(matter.lower(), {}):
            return _refused(f"There is a hold for {matter}.")
        if starts > ends:
            return _refused("The hold would end before it begins.")
        gone = next(
            (
                b
                for b in sorted(self._backups_by_source_status.get((source_id, "expired"), {}).values(), key=_age)
                if (starts <= b["taken_at"][:10] and b["taken_at"][:10] <= ends)
            ),
            None,
        )
        if gone is not None:
            return _refused(f"The backup of {gone['taken_at']} has expired already, so choose days without it.")
        if not any(
            self._kept(b)
            and (starts <= b["taken_at"][:10] and b["taken_at"][:10] <= ends)
            for b in self._backups_by_source.get(source_id, {}).values()
        ):
            return _refused(f"No backup of {source['name']} from those days is kept.")
        self._journal = []
        hold: Hold = {
            "id": self._new_id("hold", "HOLD", self.holds),
            "matter": matter,
            "source_id": source_id,
            "starts": starts,
            "ends": ends,
            "released_by_id": None,
            "status": "open",
        }
        self._add("holds", hold)
        if len(self._holds_by_matter.get(hold["matter"], {})) > 1:
            return self._take_back(f"There is already a hold with the matter {hold['matter']!r}.")
        for one_backup in _distinct(self._backups_by_source_status.get((hold["source_id"], "expired"), {}).values()):
            if self._breaks_rule_5(one_backup):
                return self._take_back(RULES[4])
        if self._breaks_rule_11_h(hold):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_h_again(hold):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(hold):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: put {source['name']} from {starts} to {ends} on hold for {matter} (new: hold {hold['id']})."
            ),
            "data": {"hold_id": hold["id"], **self._changes()},
        }

    def release_hold(self, hold_id: str, by_id: str) -> Result:
        """Release a legal hold in the name of somebody who may do so.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.
            by_id (str): Operator allowed to release holds, in whose name it is released; an id such as
                OPERATOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        by = self.operators.get(by_id)
        if by is None:
            return _refused(f"There is no operator {by_id!r}.")
        if hold["status"] != "open":
            return _refused(
                f"{hold['matter']} was released by {(self.operators.get(hold['released_by_id']) or by)['name']}."
            )
        if not by["may_release"]:
            return _refused(f"{by['name']} may not release holds.")
        self._journal = []
        self._put("holds", hold, "released_by_id", by_id)
        self._put("holds", hold, "status", "released")
        for one_backup in _distinct(self._backups_by_source_status.get((hold["source_id"], "expired"), {}).values()):
            if self._breaks_rule_5(one_backup):
                return self._take_back(RULES[4])
        if self._breaks_rule_11_h(hold):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_h_again(hold):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: release the hold for {hold['matter']} as {by['name']}.",
            "data": self._changes(),
        }

    def recycle_tape(self, tape_id: str) -> Result:
        """Make a tape scratch again when everything on it has expired; a worn one is retired.

        Args:
            tape_id (str): Id of the tape, such as TAPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tape = self.tapes.get(tape_id)
        if tape is None:
            return _refused(f"There is no tape {tape_id!r}.")
        if tape["status"] != "active":
            return _refused(f"Tape {tape['code']} is {tape['status']}.")
        if tape["room"] != "library":
            return _refused(f"Tape {tape['code']} is in the {tape['room']}, so bring it into the library.")
        if self._holds_data(tape):
            return _refused(f"Tape {tape['code']} carries backups that are kept.")
        self._journal = []
        changed_backups: list[Any] = []
        former_copy_tape_ids: list[Any] = []
        changed_backups_2: list[Any] = []
        former_tape_ids: list[Any] = []
        for b in sorted(self._backups_by_copy_tape.get(tape_id, {}).values(), key=_age):
            changed_backups.append(b)
            former_copy_tape_ids.append(b["copy_tape_id"])
            self._put("backups", b, "copy_tape_id", None)
        for b in sorted(self._backups_by_tape.get(tape_id, {}).values(), key=_age):
            changed_backups_2.append(b)
            former_tape_ids.append(b["tape_id"])
            self._put("backups", b, "tape_id", None)
        status = "retired" if tape["uses"] >= tape["max_uses"] else "scratch"
        self._put("tapes", tape, "status", status)
        for one_tape in _distinct(
            [
                *[self.tapes.get(one["tape_id"]) for one in changed_backups],
                *[self.tapes.get(one["copy_tape_id"]) for one in changed_backups],
                *[self.tapes.get(key) for key in former_copy_tape_ids],
                *[self.tapes.get(one["tape_id"]) for one in changed_backups_2],
                *[self.tapes.get(key) for key in former_tape_ids],
                *[self.tapes.get(one["copy_tape_id"]) for one in changed_backups_2],
            ]
        ):
            if self._breaks_rule_6(one_tape):
                return self._take_back(RULES[5])
        for one_backup in _distinct(changed_backups_2):
            if self._breaks_rule_7_b(one_backup):
                return self._take_back(RULES[6])
        for one_backup in _distinct([*changed_backups, *changed_backups_2]):
            if self._breaks_rule_7_b_again(one_backup):
                return self._take_back(RULES[6])
        for one_backup in _distinct(
            [
                *changed_backups,
                *changed_backups_2,
                *self._backups_by_tape.get(tape["id"], {}).values(),
                *self._backups_by_copy_tape.get(tape["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_backup):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: recycle tape {tape['code']}.", "data": self._changes()}

    def ship_tapes(
        self,
        tape_ids: Annotated[list[str], {"maxItems": 20}],
        room: Literal["library", "vault", "mine"],
    ) -> Result:
        """Take tapes to another room.

        Args:
            tape_ids (list): Tapes that are taken to the room, none of them there already: ids of tapes, such as
                TAPE-00001.
            room (str): Room to which they go, only active tapes leaving the library: library, vault or mine.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tapes = []
        for key in tape_ids:
            if key not in self.tapes:
                return _refused(f"There is no tape {key!r}.")
            tapes.append(self.tapes[key])
        if not (len(tapes) > 0 and _different([t["id"] for t in tapes])):
            return _refused("Name at least one tape, and each once.")
        there = next((t for t in tapes if t["room"] == room), None)
        if there is not None:
            return _refused(f"Tape {there['code']} is in the {room} already.")
        empty_one = next((t for t in tapes if room != "library" and t["status"] != "active"), None)
        if empty_one is not None:
            return _refused(f"Tape {empty_one['code']} is {empty_one['status']} and stays in the library.")
        self._journal = []
        for t in list(tapes):
            self._put("tapes", t, "room", room)
        return {
            "success": True,
            "message": f"Done: take tapes {', '.join(str(one['code']) for one in tapes)} to the {room}.",
            "data": self._changes(),
        }

    def add_tape(
        self,
        code: Text,
        capacity: Annotated[int, {"minimum": 100, "maximum": 6000}],
        max_uses: Annotated[int, {"minimum": 5, "maximum": 60}],
    ) -> Result:
        """Add a new tape to the library.

        Args:
            code (str): Code on the label of the new tape, not in use yet.
            capacity (int): How much the tape holds, in gigabytes, from 100 to 6000.
            max_uses (int): How many times the tape can be written anew before it is worn, from 5 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._tapes_by_code.get(code, {}):
            return _refused(f"There is a tape {code}.")
        self._journal = []
        tape: Tape = {
            "id": self._new_id("tape", "TAPE", self.tapes),
            "code": code,
            "capacity": capacity,
            "room": "library",
            "uses": 0,
            "max_uses": max_uses,
            "status": "scratch",
        }
        self._add("tapes", tape)
        if len(self._tapes_by_code.get(tape["code"], {})) > 1:
            return self._take_back(f"There is already a tape with the code {tape['code']!r}.")
        if self._breaks_rule_6(tape):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(tape):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: add tape {code} of {capacity} GB (new: tape {tape['id']}).",
            "data": {"tape_id": tape["id"], **self._changes()},
        }

    def retire_tape(self, tape_id: str) -> Result:
        """Retire a tape that carries nothing that is kept.

        Args:
            tape_id (str): Id of the tape, such as TAPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tape = self.tapes.get(tape_id)
        if tape is None:
            return _refused(f"There is no tape {tape_id!r}.")
        if tape["status"] == "retired":
            return _refused(f"Tape {tape['code']} is retired already.")
        if self._holds_data(tape):
            return _refused(f"Tape {tape['code']} carries backups that are kept.")
        self._journal = []
        self._put("tapes", tape, "status", "retired")
        for one_backup in _distinct(
            [
                *self._backups_by_tape.get(tape["id"], {}).values(),
                *self._backups_by_copy_tape.get(tape["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_backup):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: retire tape {tape['code']}.", "data": self._changes()}

    def _show_tape(self, tape: Tape) -> dict[str, Any]:
        """The tape as an answer shows it."""
        return {**tape, "written": self._tape_written(tape), "free": self._tape_free(tape)}

    def _names_of_backups(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that backups point to."""
        return _names(
            (self.sources, "name", [row["source_id"] for row in shown]),
            (self.tapes, "code", [row["tape_id"] for row in shown]),
            (self.tapes, "code", [row["copy_tape_id"] for row in shown]),
        )

    def _names_of_holds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holds point to."""
        return _names(
            (self.sources, "name", [row["source_id"] for row in shown]),
            (self.operators, "name", [row["released_by_id"] for row in shown]),
        )

    def _names_of_restore_tests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that restore tests point to."""
        return _names((self.operators, "name", [row["by_id"] for row in shown]))

    def _tape_written(self, tape: Tape) -> int:
        """The written of a tape."""
        return sum(
            b["gigabytes"]
            for b in _distinct(
                [
                    *self._backups_by_tape.get(tape["id"], {}).values(),
                    *self._backups_by_copy_tape.get(tape["id"], {}).values(),
                ]
            )
        )

    def _tape_free(self, tape: Tape) -> int:
        """The free of a tape."""
        return (
            tape["capacity"]
            - sum(
                b["gigabytes"]
                for b in _distinct(
                    [
                        *self._backups_by_tape.get(tape["id"], {}).values(),
                        *self._backups_by_copy_tape.get(tape["id"], {}).values(),
                    ]
                )
            )
        )

    def _kept(self, b: Backup) -> bool:
        return b["status"] != "expired"

    def _hold_on(self, b: Backup) -> Hold | None:
        return next(
            (
                h
                for h in sorted(self._holds_by_source_status.get((b["source_id"], "open"), {}).values(), key=_age)
                if (h["starts"] <= b["taken_at"][:10] and b["taken_at"][:10] <= h["ends"])
            ),
            None,
        )

    def _follower(self, b: Backup) -> Backup | None:
        return next(
            (
                c
                for c in sorted(self._backups_by_parent.get(b["id"], {}).values(), key=_age)
                if c["status"] != "expired"
            ),
            None,
        )

    def _newest(self, s: Source) -> Backup | None:
        return min(
            self._backups_by_source_status.get((s["id"], "good"), {}).values(),
            key=lambda b: (_descending(b["taken_at"]), _age(b)),
            default=None,
        )

    def _chain_length(self, b: Backup) -> int:
        return len(_above(self.backups, b, "parent_id")) + 1

    def _part_size(self, s: Source) -> int:
        return ceil(Fraction(s["gigabytes"] * s["daily_change"], 100))

    def _late(self, s: Source) -> bool:
        return (
            self._newest(s) is None
            or _plus_minutes(self._newest(s)["taken_at"], s["newest_hours"] * 60) < self.now
        )

    def _holds_data(self, t: Tape) -> bool:
        return any(
            b["status"] != "expired"
            for b in _distinct(
                [
                    *self._backups_by_tape.get(t["id"], {}).values(),
                    *self._backups_by_copy_tape.get(t["id"], {}).values(),
                ]
            )
        )

    def _at_hand(self, b: Backup) -> bool:
        return (
            b["tape_id"] is not None and self.tapes[b["tape_id"]]["room"] == "library"
            or b["copy_tape_id"] is not None and self.tapes[b["copy_tape_id"]]["room"] == "library"
        )

    def _last_good(self, b: Backup) -> bool:
        return (
            b["status"] == "good"
            and not any(
                c["taken_at"] > b["taken_at"]
                for c in self._backups_by_source_status.get((b["source_id"], "good"), {}).values()
            )
        )

    def _free_to_go(self, b: Backup, d: str) -> bool:
        return b["status"] == "corrupt" or b["status"] == "good" and b["keep_until"] < d and not self._last_good(b)

    def _breaks_rule_1(self, b: Backup) -> bool:
        """Whether this is broken: an incremental backup builds on an earlier one of the same source."""
        return not (
            b["parent_id"] is None
            or self.backups[b["parent_id"]]["source_id"] == b["source_id"]
            and self.backups[b["parent_id"]]["taken_at"] < b["taken_at"]
        )

    def _breaks_rule_2_b(self, b: Backup) -> bool:
        """Whether this is broken: one backup at most builds directly on another, and a chain has no more than four.
        """
        return (
            b["parent_id"] is not None
            and any(
                other_b is not b
                for other_b in self._backups_by_parent.get(b["parent_id"], {}).values()
                if other_b["parent_id"] is not None
            )
        )

    def _breaks_rule_2_b_again(self, b: Backup) -> bool:
        """Whether this is broken: one backup at most builds directly on another, and a chain has no more than four.
        """
        return self._chain_length(b) > 4

    def _breaks_rule_3(self, b: Backup) -> bool:
        """Whether this is broken: a backup is kept as long as a later one in its chain is."""
        return (
            b["status"] != "expired"
            and (b["parent_id"] is not None and self.backups[b["parent_id"]]["status"] == "expired")
        )

    def _breaks_rule_4(self, b: Backup) -> bool:
        """Whether this is broken: what builds on a corrupt backup is not good."""
        return (
            b["status"] == "good"
            and (b["parent_id"] is not None and self.backups[b["parent_id"]]["status"] != "good")
        )

    def _breaks_rule_5(self, b: Backup) -> bool:
        """Whether this is broken: backups under a legal hold are kept."""
        return b["status"] == "expired" and self._hold_on(b) is not None

    def _breaks_rule_6(self, t: Tape) -> bool:
        """Whether this is broken: no tape carries more than its capacity."""
        return self._tape_free(t) < 0

    def _breaks_rule_7_b(self, b: Backup) -> bool:
        """Whether this is broken: a backup that is kept lies on a tape, and its copy on another one."""
        return b["status"] != "expired" and b["tape_id"] is None

    def _breaks_rule_7_b_again(self, b: Backup) -> bool:
        """Whether this is broken: a backup that is kept lies on a tape, and its copy on another one."""
        return b["copy_tape_id"] is not None and b["copy_tape_id"] == b["tape_id"]

    def _breaks_rule_8(self, b: Backup) -> bool:
        """Whether this is broken: tapes that are scratch or retired carry nothing that is kept."""
        return not (
            b["status"] == "expired"
            or (b["tape_id"] is None or self.tapes[b["tape_id"]]["status"] == "active")
            and (b["copy_tape_id"] is None or self.tapes[b["copy_tape_id"]]["status"] == "active")
        )

    def _breaks_rule_9(self, t: Tape) -> bool:
        """Whether this is broken: a tape is never used more often than its maker allows."""
        return t["uses"] > t["max_uses"]

    def _breaks_rule_10(self, b: Backup) -> bool:
        """Whether this is broken: a source has one backup at a time."""
        return any(
            other_b is not b
            for other_b in self._backups_by_source.get(b["source_id"], {}).values()
            if other_b["taken_at"] == b["taken_at"]
        )

    def _breaks_rule_11_h(self, h: Hold) -> bool:
        """Whether this is broken: a released hold says who released it, and only those who may do so have."""
        return (h["status"] == "released") != (h["released_by_id"] is not None)

    def _breaks_rule_11_h_again(self, h: Hold) -> bool:
        """Whether this is broken: a released hold says who released it, and only those who may do so have."""
        return h["released_by_id"] is not None and not self.operators[h["released_by_id"]]["may_release"]

    def _breaks_rule_12(self, h: Hold) -> bool:
        """Whether this is broken: a hold ends no earlier than it begins."""
        return h["starts"] > h["ends"]

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
            case "tapes":
                self._tapes_by_code.setdefault(record["code"], {})[record["id"]] = record
            case "backups":
                self._backups_by_copy_tape.setdefault(record["copy_tape_id"], {})[record["id"]] = record
                self._backups_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
                self._backups_by_parent_status.setdefault(
                    (record["parent_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._backups_by_source.setdefault(record["source_id"], {})[record["id"]] = record
                self._backups_by_source_status.setdefault(
                    (record["source_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._backups_by_tape.setdefault(record["tape_id"], {})[record["id"]] = record
            case "holds":
                self._holds_by_lower_matter.setdefault(record["matter"].lower(), {})[record["id"]] = record
                self._holds_by_matter.setdefault(record["matter"], {})[record["id"]] = record
                self._holds_by_source_status.setdefault(
                    (record["source_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tapes":
                del self._tapes_by_code[record["code"]][record["id"]]
            case "backups":
                del self._backups_by_copy_tape[record["copy_tape_id"]][record["id"]]
                del self._backups_by_parent[record["parent_id"]][record["id"]]
                del self._backups_by_parent_status[record["parent_id"], record["status"]][record["id"]]
                del self._backups_by_source[record["source_id"]][record["id"]]
                del self._backups_by_source_status[record["source_id"], record["status"]][record["id"]]
                del self._backups_by_tape[record["tape_id"]][record["id"]]
            case "holds":
                del self._holds_by_lower_matter[record["matter"].lower()][record["id"]]
                del self._holds_by_matter[record["matter"]][record["id"]]
                del self._holds_by_source_status[record["source_id"], record["status"]][record["id"]]
