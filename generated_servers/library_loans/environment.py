"""Library loans. Compiled from blueprint.yaml; run `envscaler build library_loans` after changing it there.

Lends the books, films and games of a town library with several branches, with renewals, holds in a queue, the
van between branches, and fines that block.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A copy is lent once at a time, and exactly the lent copies have a loan under way.",
    "A copy stands in a branch while it is on the shelf or held, and is headed for one only in transit.",
    "A held copy is kept for one reader, in the branch where they want to collect it.",
    "A copy is promised to one hold at a time, and only to a hold on that work.",
    "A hold has a copy from the moment one is sent to it, and a last day only while it can be collected.",
    "A copy on its way to a reader is headed for the branch where they collect it.",
    "A reader has at most one open hold on a work.",
    "Nobody holds what they have at home.",
    "Nobody has more on loan than the card allows.",
    "Works are lent only to readers who are old enough.",
    "A fine belongs to whoever had the loan, at most one of each kind, and is never paid beyond its amount.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "lend_copy",
    "return_copy",
    "renew_loan",
    "place_hold",
    "cancel_hold",
    "pull_copy",
    "receive_copy",
    "report_lost",
    "pay_fines",
    "waive_fine",
    "extend_card",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "branches": ("name",),
    "works": ("title",),
    "copies": ("barcode",),
    "readers": ("name",),
    "loans": (),
    "holds": (),
    "fines": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("copies", "at_id"),
    ("copies", "status"),
    ("copies", "work_id"),
    ("fines", "loan_id"),
    ("fines", "reader_id"),
    ("fines", "reason"),
    ("holds", "copy_id"),
    ("holds", "reader_id"),
    ("holds", "status"),
    ("holds", "work_id"),
    ("loans", "copy_id"),
    ("loans", "reader_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Branch(TypedDict):
    id: str
    name: str
    pickup_days: int


class Work(TypedDict):
    id: str
    title: str
    kind: Literal["book", "film", "game"]
    age_from: int
    price: int
    loan_days: int
    day_fine: int


class Copy(TypedDict):
    id: str
    barcode: str
    work_id: str
    home_id: str
    at_id: str | None
    heading_id: str | None
    status: Literal["shelf", "lent", "transit", "held", "lost"]


class Reader(TypedDict):
    id: str
    name: str
    born: str
    card: Literal["child", "adult", "teacher"]
    card_until: str


class Loan(TypedDict):
    id: str
    copy_id: str
    reader_id: str
    lent_on: str
    due: str
    renewals: int
    returned_on: str | None


class Hold(TypedDict):
    id: str
    reader_id: str
    work_id: str
    pickup_id: str
    placed_at: str
    copy_id: str | None
    ready_until: str | None
    status: Literal["waiting", "travelling", "ready", "collected", "cancelled", "expired"]


class Fine(TypedDict):
    id: str
    reader_id: str
    loan_id: str
    reason: Literal["late", "lost"]
    amount: int
    paid: int


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class LibraryLoans:
    """Lends the books, films and games of a town library with several branches, with renewals, holds in a
    queue, the van between branches, and fines that block.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.branches: dict[str, Branch] = _copied(config.get("branches", {}))
        self.works: dict[str, Work] = _copied(config.get("works", {}))
        self.copies: dict[str, Copy] = _copied(config.get("copies", {}))
        self.readers: dict[str, Reader] = _copied(config.get("readers", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.holds: dict[str, Hold] = _copied(config.get("holds", {}))
        self.fines: dict[str, Fine] = _copied(config.get("fines", {}))
        self.now: str = config.get("now", "2026-11-16T09:30")
        self.counters: dict[str, int] = {
            "branch": len(self.branches),
            "work": len(self.works),
            "copy": len(self.copies),
            "reader": len(self.readers),
            "loan": len(self.loans),
            "hold": len(self.holds),
            "fine": len(self.fines),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._copies_by_at: dict[Any, dict[str, Copy]] = {}
        self._copies_by_work: dict[Any, dict[str, Copy]] = {}
        self._copies_by_work_at_status: dict[Any, dict[str, Copy]] = {}
        self._loans_by_copy: dict[Any, dict[str, Loan]] = {}
        self._loans_by_reader: dict[Any, dict[str, Loan]] = {}
        self._holds_by_copy: dict[Any, dict[str, Hold]] = {}
        self._holds_by_copy_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_reader: dict[Any, dict[str, Hold]] = {}
        self._holds_by_reader_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_reader_work: dict[Any, dict[str, Hold]] = {}
        self._holds_by_work: dict[Any, dict[str, Hold]] = {}
        self._holds_by_work_status: dict[Any, dict[str, Hold]] = {}
        self._fines_by_loan_reason: dict[Any, dict[str, Fine]] = {}
        self._fines_by_reader: dict[Any, dict[str, Fine]] = {}
        for copy in self.copies.values():
            self._link("copies", copy)
        for loan in self.loans.values():
            self._link("loans", loan)
        for hold in self.holds.values():
            self._link("holds", hold)
        for fine in self.fines.values():
            self._link("fines", fine)

    def queue(self, work_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who waits for a work, in order, and where they want to collect it.

        Args:
            work_id (str): Id of the work, such as WORK-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}} or {"success": False, "error": why
                not}
        """
        work = self.works.get(work_id)
        if work is None:
            return _refused(f"There is no work {work_id!r}.")
        found = [
            h
            for h in self._holds_by_work.get(work_id, {}).values()
            if (h["work_id"] == work_id and h["status"] == "waiting")
        ]
        found.sort(key=lambda h: (h["placed_at"], h["id"], _age(h)))
        return _found(
            {
                "total": len(found),
                "holds": [
                    {
                        "id": h["id"],
                        "place": self._hold_place(h),
                        "reader": self.readers[h["reader_id"]]["name"],
                        "pickup": self.branches[h["pickup_id"]]["name"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def pull_list(self, branch_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Copies on the shelf of a branch for which somebody waits.

        Args:
            branch_id (str): Id of the branch, such as BRANCH-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "copies": records}} or {"success": False, "error": why
                not}
        """
        branch = self.branches.get(branch_id)
        if branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        found = [
            c
            for c in self._copies_by_at.get(branch_id, {}).values()
            if (
                c["status"] == "shelf"
                and c["at_id"] == branch_id
                and self._work_waiting(self.works[c["work_id"]]) > 0
            )
        ]
        found.sort(key=lambda c: (self.works[c["work_id"]]["title"], c["barcode"], _age(c)))
        return _found(
            {
                "total": len(found),
                "copies": [
                    {
                        "id": c["id"],
                        "barcode": c["barcode"],
                        "work": self.works[c["work_id"]]["title"],
                        "waiting": self._work_waiting(self.works[c["work_id"]]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def overdue_loans(
        self,
        reader_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Loans that should have been returned, the longest overdue first.

        Args:
            reader_id (str, optional): Only loans of this reader; an id such as READER-00001. If left out, the
                overdue loans of all readers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}} or {"success": False, "error": why
                not}
        """
        reader = self.readers.get(reader_id) if reader_id is not None else None
        if reader_id is not None and reader is None:
            return _refused(f"There is no reader {reader_id!r}.")
        found = [
            l
            for l in self.loans.values()
            if (l["returned_on"] is None and l["due"] < self.now[:10])
            and (reader_id is None or l["reader_id"] == reader_id)
        ]
        found.sort(key=lambda l: (l["due"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "loans": [
                    {
                        "id": l["id"],
                        "work": self.works[self.copies[l["copy_id"]]["work_id"]]["title"],
                        "reader": self.readers[l["reader_id"]]["name"],
                        "due": l["due"],
                        "fine_today": self._late_fee(l, self.now[:10]),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def account(self, reader_id: str) -> Result:
        """What a reader may do today, what they owe and what they could renew.

        Args:
            reader_id (str): Id of the reader, such as READER-00001.

        Returns:
            dict: {"success": True, "data": {card_valid, blocked, owed, loans_left, renewable, ready}} or
                {"success": False, "error": why not}
        """
        reader = self.readers.get(reader_id)
        if reader is None:
            return _refused(f"There is no reader {reader_id!r}.")
        return _found(
            {
                "card_valid": reader["card_until"] >= self.now[:10],
                "blocked": self._reader_owed(reader) >= self._block_at(reader),
                "owed": self._reader_owed(reader),
                "loans_left": self._limit(reader) - self._reader_loans(reader),
                "renewable": [
                    *[
                        self.works[self.copies[l["copy_id"]]["work_id"]]["title"]
                        for l in sorted(self._loans_by_reader.get(reader_id, {}).values(), key=_age)
                        if self._renewable(l, self.now[:10])
                    ]
                ],
                "ready": [
                    *[
                        self.works[h["work_id"]]["title"]
                        for h in sorted(self._holds_by_reader_status.get((reader_id, "ready"), {}).values(), key=_age)
                    ]
                ],
            }
        )

    def list_branches(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the branches, oldest first, all of them or only some.

        Args:
            name (str, optional): Only branches whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "branches": records}}
        """
        found = [
            branch
            for branch in self.branches.values()
            if (name is None or name.casefold() in branch["name"].casefold())
        ]
        return _found({"total": len(found), "branches": [{**branch} for branch in _page(found, offset)]})

    def list_works(
        self,
        title: Text | None = None,
        kind: Literal["book", "film", "game"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the works, oldest first, all of them or only some.

        Args:
            title (str, optional): Only works whose title contains this text.
            kind (str, optional): Only works with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "works": records}}
        """
        found = [
            work
            for work in self.works.values()
            if (title is None or title.casefold() in work["title"].casefold())
            and (kind is None or work["kind"] == kind)
        ]
        return _found({"total": len(found), "works": [self._show_work(work) for work in _page(found, offset)]})

    def list_copies(
        self,
        barcode: Text | None = None,
        work_id: str | None = None,
        home_id: str | None = None,
        at_id: str | None = None,
        heading_id: str | None = None,
        status: Literal["shelf", "lent", "transit", "held", "lost"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the copies, oldest first, all of them or only some.

        Args:
            barcode (str, optional): Only copies whose barcode contains this text.
            work_id (str, optional): Only copies of this work.
            home_id (str, optional): Only copies whose home is this branch.
            at_id (str, optional): Only copies at this branch.
            heading_id (str, optional): Only copies whose heading is this branch.
            status (str, optional): Only copies with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "copies": records}}
        """
        if work_id is not None and work_id not in self.works:
            return _refused(f"There is no work {work_id!r}.")
        if home_id is not None and home_id not in self.branches:
            return _refused(f"There is no branch {home_id!r}.")
        if at_id is not None and at_id not in self.branches:
            return _refused(f"There is no branch {at_id!r}.")
        if heading_id is not None and heading_id not in self.branches:
            return _refused(f"There is no branch {heading_id!r}.")
        found = [
            copy
            for copy in self.copies.values()
            if (barcode is None or barcode.casefold() in copy["barcode"].casefold())
            and (work_id is None or copy["work_id"] == work_id)
            and (home_id is None or copy["home_id"] == home_id)
            and (at_id is None or copy["at_id"] == at_id)
            and (heading_id is None or copy["heading_id"] == heading_id)
            and (status is None or copy["status"] == status)
        ]
        shown = [{**copy} for copy in _page(found, offset)]
        return _found({"total": len(found), "copies": shown}, self._names_of_copies(shown))

    def list_readers(
        self,
        name: Text | None = None,
        card: Literal["child", "adult", "teacher"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the readers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only readers whose name contains this text.
            card (str, optional): Only readers with this card.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "readers": records}}
        """
        found = [
            reader
            for reader in self.readers.values()
            if (name is None or name.casefold() in reader["name"].casefold())
            and (card is None or reader["card"] == card)
        ]
        return _found(
            {"total": len(found), "readers": [self._show_reader(reader) for reader in _page(found, offset)]}
        )

    def list_loans(
        self,
        copy_id: str | None = None,
        reader_id: str | None = None,
        lent_on_from: Date | None = None,
        lent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            copy_id (str, optional): Only loans of this copy.
            reader_id (str, optional): Only loans of this reader.
            lent_on_from (str, optional): Only loans whose `lent_on` is on this day or later.
            lent_on_to (str, optional): Only loans whose `lent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if copy_id is not None and copy_id not in self.copies:
            return _refused(f"There is no copy {copy_id!r}.")
        if reader_id is not None and reader_id not in self.readers:
            return _refused(f"There is no reader {reader_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (copy_id is None or loan["copy_id"] == copy_id)
            and (reader_id is None or loan["reader_id"] == reader_id)
            and (lent_on_from is None or loan["lent_on"] >= lent_on_from)
            and (lent_on_to is None or loan["lent_on"] <= lent_on_to)
        ]
        shown = [{**loan} for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def list_holds(
        self,
        reader_id: str | None = None,
        work_id: str | None = None,
        pickup_id: str | None = None,
        copy_id: str | None = None,
        status: Literal["waiting", "travelling", "ready", "collected", "cancelled", "expired"] | None = None,
        placed_at_from: Date | None = None,
        placed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holds, oldest first, all of them or only some.

        Args:
            reader_id (str, optional): Only holds of this reader.
            work_id (str, optional): Only holds of this work.
            pickup_id (str, optional): Only holds whose pickup is this branch.
            copy_id (str, optional): Only holds of this copy.
            status (str, optional): Only holds with this status.
            placed_at_from (str, optional): Only holds whose `placed_at` is on this day or later.
            placed_at_to (str, optional): Only holds whose `placed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}}
        """
        if reader_id is not None and reader_id not in self.readers:
            return _refused(f"There is no reader {reader_id!r}.")
        if work_id is not None and work_id not in self.works:
            return _refused(f"There is no work {work_id!r}.")
        if pickup_id is not None and pickup_id not in self.branches:
            return _refused(f"There is no branch {pickup_id!r}.")
        if copy_id is not None and copy_id not in self.copies:
            return _refused(f"There is no copy {copy_id!r}.")
        found = [
            hold
            for hold in self.holds.values()
            if (reader_id is None or hold["reader_id"] == reader_id)
            and (work_id is None or hold["work_id"] == work_id)
            and (pickup_id is None or hold["pickup_id"] == pickup_id)
            and (copy_id is None or hold["copy_id"] == copy_id)
            and (status is None or hold["status"] == status)
            and (placed_at_from is None or hold["placed_at"][:10] >= placed_at_from)
            and (placed_at_to is None or hold["placed_at"][:10] <= placed_at_to)
        ]
        shown = [self._show_hold(hold) for hold in _page(found, offset)]
        return _found({"total": len(found), "holds": shown}, self._names_of_holds(shown))

    def list_fines(
        self,
        reader_id: str | None = None,
        loan_id: str | None = None,
        reason: Literal["late", "lost"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fines, oldest first, all of them or only some.

        Args:
            reader_id (str, optional): Only fines of this reader.
            loan_id (str, optional): Only fines of this loan.
            reason (str, optional): Only fines with this reason.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fines": records}}
        """
        if reader_id is not None and reader_id not in self.readers:
            return _refused(f"There is no reader {reader_id!r}.")
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        found = [
            fine
            for fine in self.fines.values()
            if (reader_id is None or fine["reader_id"] == reader_id)
            and (loan_id is None or fine["loan_id"] == loan_id)
            and (reason is None or fine["reason"] == reason)
        ]
        shown = [{**fine} for fine in _page(found, offset)]
        return _found({"total": len(found), "fines": shown}, self._names_of_fines(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def lend_copy(self, copy_id: str, reader_id: str) -> Result:
        """Lend a copy from the shelf, or one that is held for this reader.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.
            reader_id (str): Id of the reader, such as READER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        reader = self.readers.get(reader_id)
        if reader is None:
            return _refused(f"There is no reader {reader_id!r}.")
        if reader["card_until"] < self.now[:10]:
            return _refused(f"The card of {reader['name']} ran out on {reader['card_until']}, so extend it first.")
        if self._reader_owed(reader) >= self._block_at(reader):
            return _refused(
                f"{reader['name']} owes {_money(self._reader_owed(reader))}, and the card is blocked from "
                f"{self._block_at(reader)}, so let them pay first."
            )
        if self._reader_loans(reader) >= self._limit(reader):
            return _refused(f"{reader['name']} has {self._reader_loans(reader)} loans, as many as the card allows.")
        if _years(reader["born"], self.now[:10]) < self.works[copy["work_id"]]["age_from"]:
            return _refused(
                f"{self.works[copy['work_id']]['title']} is for readers from "
                f"{self.works[copy['work_id']]['age_from']} years."
            )
        if copy["status"] not in ("shelf", "held"):
            return _refused(f"Copy {copy['barcode']} is {copy['status']}.")
        keeper = self._kept_for(copy)
        if keeper is not None and keeper["reader_id"] != reader_id:
            return _refused(f"Copy {copy['barcode']} is held for {self.readers[keeper['reader_id']]['name']}.")
        before = self._next_hold(self.works[copy["work_id"]])
        if copy["status"] != "held" and before is not None and before["reader_id"] != reader_id:
            return _refused(
                f"{self.readers[before['reader_id']]['name']} is first in the queue for "
                f"{self.works[before['work_id']]['title']}, so pull the copy for them."
            )
        if (
            copy["status"] != "held"
            and before is None
            and self._open_hold(reader, self.works[copy["work_id"]]) is not None
        ):
            return _refused(
                f"{reader['name']} has a copy of {self.works[copy['work_id']]['title']} on the way already."
            )
        if any(
            l["returned_on"] is None
            for l in self._loans_by_reader.get(reader_id, {}).values()
            if self.copies[l["copy_id"]]["work_id"] == copy["work_id"]
        ):
            return _refused(f"{reader['name']} has {self.works[copy['work_id']]['title']} at home already.")
        self._journal = []
        changed_holds: list[Any] = []
        former_copy_ids: list[Any] = []
        changed_holds_2: list[Any] = []
        changed_holds_3: list[Any] = []
        loan: Loan = {
            "id": self._new_id("loan", "LOAN", self.loans),
            "copy_id": copy_id,
            "reader_id": reader_id,
            "lent_on": self.now[:10],
            "due": _plus_days(self.now[:10], self.works[copy["work_id"]]["loan_days"]),
            "renewals": 0,
            "returned_on": None,
        }
        self._add("loans", loan)
        for h in [
            h
            for h in sorted(self._holds_by_reader_work.get((reader_id, copy["work_id"]), {}).values(), key=_age)
            if h["status"] in ("waiting", "ready")
        ]:
            changed_holds.append(h)
            former_copy_ids.append(h["copy_id"])
            self._put("holds", h, "copy_id", copy_id)
            changed_holds_2.append(h)
            self._put("holds", h, "ready_until", None)
            if h["status"] not in ("waiting", "ready", "collected"):
                return self._take_back(f"Hold {h['id']} cannot go from {h['status']} to collected.")
            changed_holds_3.append(h)
            self._put("holds", h, "status", "collected")
        self._put("copies", copy, "at_id", None)
        self._put("copies", copy, "status", "lent")
        if self._breaks_rule_1_l(loan):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_c(self.copies[loan["copy_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_c(copy):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(copy):
            return self._take_back(RULES[1])
        for one_copy in _distinct(
            [
                copy,
                *[self.copies.get(one["copy_id"]) for one in changed_holds],
                *[self.copies.get(key) for key in former_copy_ids],
                *[self.copies.get(one["copy_id"]) for one in changed_holds_3],
            ]
        ):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_hold in _distinct([*changed_holds, *changed_holds_3]):
            if self._breaks_rule_4_h(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4_h_again(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct([*changed_holds, *changed_holds_2, *changed_holds_3]):
            if self._breaks_rule_5(one_hold):
                return self._take_back(RULES[4])
        for one_hold in _distinct([*changed_holds, *changed_holds_3]):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_hold in _distinct(changed_holds_3):
            if self._breaks_rule_7(one_hold):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                loan,
                *[
                    user
                    for one in [self.readers[one["reader_id"]] for one in changed_holds_3]
                    for user in self._loans_by_reader.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.readers[loan["reader_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(loan):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: lend {copy['barcode']} to {reader['name']} (new: loan {loan['id']}).",
            "data": {"loan_id": loan["id"], **self._changes()},
        }

    def return_copy(self, copy_id: str, branch_id: str) -> Result:
        """Take a copy back in a branch; a late one is fined, and the copy goes to the next hold or towards its home.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.
            branch_id (str): Id of the branch, such as BRANCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        branch = self.branches.get(branch_id)
        if branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        loan = self._open_loan(copy)
        if loan is None:
            return _refused(f"Copy {copy['barcode']} is {copy['status']}, not lent.")
        self._journal = []
        added_fines: list[Any] = []
        changed_holds: list[Any] = []
        former_copy_ids: list[Any] = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        changed_holds_2: list[Any] = []
        changed_holds_3: list[Any] = []
        changed_copies_3: list[Any] = []
        if loan["due"] < self.now[:10]:
            amount = self._late_fee(loan, self.now[:10])
            if not 0 <= amount <= 20000:
                return self._take_back("The amount of a fine must be between 0.00 and 200.00.")
            fine = {
                "id": self._new_id("fine", "FINE", self.fines),
                "reader_id": loan["reader_id"],
                "loan_id": loan["id"],
                "reason": "late",
                "amount": amount,
                "paid": 0,
            }
            self._add("fines", fine)
            added_fines.append(fine)
        self._put("loans", loan, "returned_on", self.now[:10])
        taker = self._next_hold(self.works[copy["work_id"]])
        if taker is not None:
            changed_holds.append(taker)
            former_copy_ids.append(taker["copy_id"])
            self._put("holds", taker, "copy_id", copy_id)
            if taker["pickup_id"] == branch_id:
                changed_copies.append(copy)
                self._put("copies", copy, "at_id", branch_id)
                if copy["status"] not in ("shelf", "lent", "transit", "held"):
                    return self._take_back(f"Copy {copy['barcode']} cannot go from {copy['status']} to held.")
                changed_copies_2.append(copy)
                self._put("copies", copy, "status", "held")
                changed_holds_2.append(taker)
                self._put("holds", taker, "ready_until", _plus_days(self.now[:10], branch["pickup_days"]))
                if taker["status"] not in ("waiting", "travelling", "ready"):
                    return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to ready.")
                changed_holds_3.append(taker)
                self._put("holds", taker, "status", "ready")
            else:
                changed_copies_3.append(copy)
                self._put("copies", copy, "heading_id", taker["pickup_id"])
                changed_copies_2.append(copy)
                self._put("copies", copy, "status", "transit")
                if taker["status"] not in ("waiting", "travelling"):
                    return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to travelling.")
                changed_holds_3.append(taker)
                self._put("holds", taker, "status", "travelling")
        else:
            if branch_id == copy["home_id"]:
                changed_copies.append(copy)
                self._put("copies", copy, "at_id", branch_id)
                changed_copies_2.append(copy)
                self._put("copies", copy, "status", "shelf")
            else:
                changed_copies_3.append(copy)
                self._put("copies", copy, "heading_id", copy["home_id"])
                changed_copies_2.append(copy)
                self._put("copies", copy, "status", "transit")
        if self._breaks_rule_1_l(loan):
            return self._take_back(RULES[0])
        for one_copy in _distinct([self.copies[loan["copy_id"]], *changed_copies_2]):
            if self._breaks_rule_1_c(one_copy):
                return self._take_back(RULES[0])
        for one_copy in _distinct([*changed_copies, *changed_copies_2, *changed_copies_3]):
            if self._breaks_rule_2(one_copy):
                return self._take_back(RULES[1])
        for one_copy in _distinct(
            [
                *[self.copies.get(one["copy_id"]) for one in changed_holds],
                *[self.copies.get(key) for key in former_copy_ids],
                *changed_copies,
                *changed_copies_2,
                *[self.copies.get(one["copy_id"]) for one in changed_holds_3],
            ]
        ):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_hold in _distinct([*changed_holds, *changed_holds_3]):
            if self._breaks_rule_4_h(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4_h_again(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct([*changed_holds, *changed_holds_2, *changed_holds_3]):
            if self._breaks_rule_5(one_hold):
                return self._take_back(RULES[4])
        for one_hold in _distinct(
            [
                *changed_holds,
                *changed_holds_3,
                *[
                    user
                    for one in changed_copies_3
                    for user in self._holds_by_copy_status.get((one["id"], "travelling"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_hold in _distinct(changed_holds_3):
            if self._breaks_rule_7(one_hold):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                loan,
                *[
                    user
                    for one in [self.readers[one["reader_id"]] for one in changed_holds_3]
                    for user in self._loans_by_reader.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.readers[loan["reader_id"]]):
            return self._take_back(RULES[8])
        for one_fine in _distinct(added_fines):
            if self._breaks_rule_11_f(one_fine):
                return self._take_back(RULES[10])
        for one_fine in _distinct(added_fines):
            if self._breaks_rule_11_f_again(one_fine):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take {copy['barcode']} back at {branch['name']}.",
            "data": self._changes(),
        }

    def renew_loan(self, loan_id: str) -> Result:
        """Renew a loan that is not overdue, twice at most, while nobody waits for the work.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["returned_on"] is not None:
            return _refused(f"{self.works[self.copies[loan['copy_id']]['work_id']]['title']} has been returned.")
        if loan["due"] < self.now[:10]:
            return _refused(
                f"{self.works[self.copies[loan['copy_id']]['work_id']]['title']} was due on {loan['due']} and "
                "must come back."
            )
        if loan["renewals"] >= 2:
            return _refused(
                f"The loan of {self.works[self.copies[loan['copy_id']]['work_id']]['title']} has been renewed twice."
            )
        if self._work_waiting(self.works[self.copies[loan["copy_id"]]["work_id"]]) != 0:
            return _refused(
                f"{self._work_waiting(self.works[self.copies[loan['copy_id']]['work_id']])} readers wait for "
                f"{self.works[self.copies[loan['copy_id']]['work_id']]['title']}."
            )
        if self.readers[loan["reader_id"]]["card_until"] < self.now[:10]:
            return _refused(
                f"The card of {self.readers[loan['reader_id']]['name']} ran out on "
                f"{self.readers[loan['reader_id']]['card_until']}, so extend it first."
            )
        if self._reader_owed(self.readers[loan["reader_id"]]) >= self._block_at(self.readers[loan["reader_id"]]):
            return _refused(
                f"{self.readers[loan['reader_id']]['name']} owes "
                f"{_money(self._reader_owed(self.readers[loan['reader_id']]))}, so let them pay first."
            )
        self._journal = []
        self._put(
            "loans",
            loan,
            "due",
            _plus_days(loan["due"], self.works[self.copies[loan["copy_id"]]["work_id"]]["loan_days"]),
        )
        renewals = loan["renewals"] + 1
        if not 0 <= renewals <= 2:
            return self._take_back(f"The renewals of {loan['id']} must be between 0 and 2.")
        self._put("loans", loan, "renewals", renewals)
        return {
            "success": True,
            "message": (
                f"Done: renew {self.works[self.copies[loan['copy_id']]['work_id']]['title']} for "
                f"{self.readers[loan['reader_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def place_hold(self, reader_id: str, work_id: str, pickup_id: str) -> Result:
        """Put a reader into the queue for a work that is not on the shelf where they want to collect it.

        Args:
            reader_id (str): Id of the reader, such as READER-00001.
            work_id (str): Id of the work, such as WORK-00001.
            pickup_id (str): Branch where the reader wants to collect the work; an id such as BRANCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reader = self.readers.get(reader_id)
        if reader is None:
            return _refused(f"There is no reader {reader_id!r}.")
        work = self.works.get(work_id)
        if work is None:
            return _refused(f"There is no work {work_id!r}.")
        pickup = self.branches.get(pickup_id)
        if pickup is None:
            return _refused(f"There is no branch {pickup_id!r}.")
        if reader["card_until"] < self.now[:10]:
            return _refused(f"The card of {reader['name']} ran out on {reader['card_until']}, so extend it first.")
        if self._reader_owed(reader) >= self._block_at(reader):
            return _refused(f"{reader['name']} owes {_money(self._reader_owed(reader))}, so let them pay first.")
        if _years(reader["born"], self.now[:10]) < work["age_from"]:
            return _refused(f"{work['title']} is for readers from {work['age_from']} years.")
        if not any(c["status"] != "lost" for c in self._copies_by_work.get(work_id, {}).values()):
            return _refused(f"There is no copy of {work['title']} left.")
        idle = next(
            (
                c
                for c in sorted(
                    self._copies_by_work_at_status.get((work_id, pickup_id, "shelf"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if idle is not None and self._work_waiting(work) <= 0:
            return _refused(f"{work['title']} is on the shelf at {pickup['name']}, so lend it there.")
        if self._open_hold(reader, work) is not None:
            return _refused(f"{reader['name']} has a hold on {work['title']} already.")
        if any(
            l["returned_on"] is None
            for l in self._loans_by_reader.get(reader_id, {}).values()
            if self.copies[l["copy_id"]]["work_id"] == work_id
        ):
            return _refused(f"{reader['name']} has {work['title']} at home.")
        if sum(
            1
            for h in self._holds_by_reader.get(reader_id, {}).values()
            if h["status"] in ("waiting", "travelling", "ready")
        ) >= 4:
            return _refused(f"{reader['name']} has four holds, and more are not allowed.")
        self._journal = []
        hold: Hold = {
            "id": self._new_id("hold", "HOLD", self.holds),
            "reader_id": reader_id,
            "work_id": work_id,
            "pickup_id": pickup_id,
            "placed_at": self.now,
            "copy_id": None,
            "ready_until": None,
            "status": "waiting",
        }
        self._add("holds", hold)
        for one_copy in _distinct([self.copies.get(hold["copy_id"])]):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_h(hold):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_h_again(hold):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(hold):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(hold):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(hold):
            return self._take_back(RULES[6])
        for one_loan in _distinct(self._loans_by_reader.get(hold["reader_id"], {}).values()):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: place a hold on {work['title']} for {reader['name']} at {pickup['name']} (new: hold "
                f"{hold['id']})."
            ),
            "data": {"hold_id": hold["id"], **self._changes()},
        }

    def cancel_hold(self, hold_id: str) -> Result:
        """End a hold, on the reader's wish or because it was not collected in time; a copy that lay ready goes to the
        next hold or towards its home.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        if hold["status"] not in ("waiting", "travelling", "ready"):
            return _refused(
                f"The hold of {self.readers[hold['reader_id']]['name']} on {self.works[hold['work_id']]['title']} "
                f"is {hold['status']}."
            )
        self._journal = []
        changed_holds: list[Any] = []
        changed_holds_2: list[Any] = []
        former_copy_ids: list[Any] = []
        changed_holds_3: list[Any] = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        changed_copies_3: list[Any] = []
        kept = self.copies.get(hold["copy_id"])
        place = self.branches[hold["pickup_id"]]
        lapsed = hold["ready_until"] is not None and hold["ready_until"] < self.now[:10]
        former_copy_id = hold["copy_id"]
        self._put("holds", hold, "copy_id", None)
        self._put("holds", hold, "ready_until", None)
        if lapsed:
            if hold["status"] not in ("ready", "expired"):
                return self._take_back(f"Hold {hold['id']} cannot go from {hold['status']} to expired.")
            changed_holds.append(hold)
            self._put("holds", hold, "status", "expired")
        else:
            if hold["status"] not in ("waiting", "travelling", "ready", "cancelled"):
                return self._take_back(f"Hold {hold['id']} cannot go from {hold['status']} to cancelled.")
            changed_holds.append(hold)
            self._put("holds", hold, "status", "cancelled")
        if kept is not None and kept["status"] == "held":
            taker = self._next_hold(self.works[hold["work_id"]])
            if taker is not None:
                changed_holds_2.append(taker)
                former_copy_ids.append(taker["copy_id"])
                self._put("holds", taker, "copy_id", kept["id"])
                if taker["pickup_id"] == place["id"]:
                    changed_holds_3.append(taker)
                    self._put("holds", taker, "ready_until", _plus_days(self.now[:10], place["pickup_days"]))
                    if taker["status"] not in ("waiting", "travelling", "ready"):
                        return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to ready.")
                    changed_holds.append(taker)
                    self._put("holds", taker, "status", "ready")
                else:
                    changed_copies.append(kept)
                    self._put("copies", kept, "at_id", None)
                    changed_copies_2.append(kept)
                    self._put("copies", kept, "heading_id", taker["pickup_id"])
                    changed_copies_3.append(kept)
                    self._put("copies", kept, "status", "transit")
                    if taker["status"] not in ("waiting", "travelling"):
                        return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to travelling.")
                    changed_holds.append(taker)
                    self._put("holds", taker, "status", "travelling")
            else:
                if place["id"] == kept["home_id"]:
                    changed_copies_3.append(kept)
                    self._put("copies", kept, "status", "shelf")
                else:
                    changed_copies.append(kept)
                    self._put("copies", kept, "at_id", None)
                    changed_copies_2.append(kept)
                    self._put("copies", kept, "heading_id", kept["home_id"])
                    changed_copies_3.append(kept)
                    self._put("copies", kept, "status", "transit")
        for one_copy in _distinct(changed_copies_3):
            if self._breaks_rule_1_c(one_copy):
                return self._take_back(RULES[0])
        for one_copy in _distinct([*changed_copies, *changed_copies_2, *changed_copies_3]):
            if self._breaks_rule_2(one_copy):
                return self._take_back(RULES[1])
        for one_copy in _distinct(
            [
                self.copies.get(hold["copy_id"]),
                self.copies.get(former_copy_id),
                *[self.copies.get(one["copy_id"]) for one in changed_holds],
                *[self.copies.get(one["copy_id"]) for one in changed_holds_2],
                *[self.copies.get(key) for key in former_copy_ids],
                *changed_copies,
                *changed_copies_3,
            ]
        ):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_hold in _distinct([hold, *changed_holds, *changed_holds_2]):
            if self._breaks_rule_4_h(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct([hold, *changed_holds_2]):
            if self._breaks_rule_4_h_again(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct([hold, *changed_holds, *changed_holds_2, *changed_holds_3]):
            if self._breaks_rule_5(one_hold):
                return self._take_back(RULES[4])
        for one_hold in _distinct(
            [
                hold,
                *changed_holds,
                *changed_holds_2,
                *[
                    user
                    for one in changed_copies_2
                    for user in self._holds_by_copy_status.get((one["id"], "travelling"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_7(one_hold):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                user
                for one in [self.readers[one["reader_id"]] for one in changed_holds]
                for user in self._loans_by_reader.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: end the hold of {self.readers[hold['reader_id']]['name']} on "
                f"{self.works[hold['work_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def pull_copy(self, copy_id: str) -> Result:
        """Take a copy off the shelf for whoever is first in the queue, and send it off if they collect it elsewhere.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if copy["status"] != "shelf":
            return _refused(f"Copy {copy['barcode']} is {copy['status']}.")
        taker = self._next_hold(self.works[copy["work_id"]])
        if taker is None:
            return _refused(f"Nobody waits for {self.works[copy['work_id']]['title']}.")
        self._journal = []
        changed_holds: list[Any] = []
        changed_holds_2: list[Any] = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        changed_copies_3: list[Any] = []
        former_copy_id = taker["copy_id"]
        self._put("holds", taker, "copy_id", copy_id)
        if taker["pickup_id"] == copy["at_id"]:
            changed_holds.append(taker)
            self._put(
                "holds",
                taker,
                "ready_until",
                _plus_days(self.now[:10], self.branches[taker["pickup_id"]]["pickup_days"]),
            )
            if taker["status"] not in ("waiting", "travelling", "ready"):
                return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to ready.")
            changed_holds_2.append(taker)
            self._put("holds", taker, "status", "ready")
            changed_copies.append(copy)
            self._put("copies", copy, "status", "held")
        else:
            changed_copies_2.append(copy)
            self._put("copies", copy, "at_id", None)
            changed_copies_3.append(copy)
            self._put("copies", copy, "heading_id", taker["pickup_id"])
            changed_copies.append(copy)
            self._put("copies", copy, "status", "transit")
            if taker["status"] not in ("waiting", "travelling"):
                return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to travelling.")
            changed_holds_2.append(taker)
            self._put("holds", taker, "status", "travelling")
        for one_copy in _distinct(changed_copies):
            if self._breaks_rule_1_c(one_copy):
                return self._take_back(RULES[0])
        for one_copy in _distinct([*changed_copies, *changed_copies_2, *changed_copies_3]):
            if self._breaks_rule_2(one_copy):
                return self._take_back(RULES[1])
        for one_copy in _distinct(
            [
                self.copies.get(taker["copy_id"]),
                self.copies.get(former_copy_id),
                *[self.copies.get(one["copy_id"]) for one in changed_holds_2],
                *changed_copies,
                *changed_copies_2,
            ]
        ):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_hold in _distinct([taker, *changed_holds_2]):
            if self._breaks_rule_4_h(one_hold):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_h_again(taker):
            return self._take_back(RULES[3])
        for one_hold in _distinct([taker, *changed_holds, *changed_holds_2]):
            if self._breaks_rule_5(one_hold):
                return self._take_back(RULES[4])
        for one_hold in _distinct(
            [
                taker,
                *changed_holds_2,
                *[
                    user
                    for one in changed_copies_3
                    for user in self._holds_by_copy_status.get((one["id"], "travelling"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_hold in _distinct(changed_holds_2):
            if self._breaks_rule_7(one_hold):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                user
                for one in [self.readers[one["reader_id"]] for one in changed_holds_2]
                for user in self._loans_by_reader.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: pull {copy['barcode']} for the next in the queue.",
            "data": self._changes(),
        }

    def receive_copy(self, copy_id: str) -> Result:
        """Unpack a copy that the van has brought to the branch it was headed for; one that nobody waits for goes on
        to its home.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if copy["status"] != "transit" or copy["heading_id"] is None:
            return _refused(f"Copy {copy['barcode']} is {copy['status']}, not in transit.")
        self._journal = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        changed_copies_3: list[Any] = []
        changed_holds: list[Any] = []
        former_copy_ids: list[Any] = []
        changed_holds_2: list[Any] = []
        changed_holds_3: list[Any] = []
        branch = self.branches[copy["heading_id"]]
        taker = self._kept_for(copy) or self._next_hold(self.works[copy["work_id"]])
        self._put("copies", copy, "heading_id", None)
        if taker is None:
            if branch["id"] == copy["home_id"]:
                changed_copies.append(copy)
                self._put("copies", copy, "at_id", branch["id"])
                changed_copies_2.append(copy)
                self._put("copies", copy, "status", "shelf")
            else:
                changed_copies_3.append(copy)
                self._put("copies", copy, "heading_id", copy["home_id"])
        else:
            changed_holds.append(taker)
            former_copy_ids.append(taker["copy_id"])
            self._put("holds", taker, "copy_id", copy_id)
            if taker["pickup_id"] == branch["id"]:
                changed_copies.append(copy)
                self._put("copies", copy, "at_id", branch["id"])
                if copy["status"] not in ("shelf", "lent", "transit", "held"):
                    return self._take_back(f"Copy {copy['barcode']} cannot go from {copy['status']} to held.")
                changed_copies_2.append(copy)
                self._put("copies", copy, "status", "held")
                changed_holds_2.append(taker)
                self._put("holds", taker, "ready_until", _plus_days(self.now[:10], branch["pickup_days"]))
                if taker["status"] not in ("waiting", "travelling", "ready"):
                    return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to ready.")
                changed_holds_3.append(taker)
                self._put("holds", taker, "status", "ready")
            else:
                changed_copies_3.append(copy)
                self._put("copies", copy, "heading_id", taker["pickup_id"])
                if taker["status"] not in ("waiting", "travelling"):
                    return self._take_back(f"Hold {taker['id']} cannot go from {taker['status']} to travelling.")
                changed_holds_3.append(taker)
                self._put("holds", taker, "status", "travelling")
        for one_copy in _distinct(changed_copies_2):
            if self._breaks_rule_1_c(one_copy):
                return self._take_back(RULES[0])
        for one_copy in _distinct([copy, *changed_copies, *changed_copies_2, *changed_copies_3]):
            if self._breaks_rule_2(one_copy):
                return self._take_back(RULES[1])
        for one_copy in _distinct(
            [
                *changed_copies,
                *changed_copies_2,
                *[self.copies.get(one["copy_id"]) for one in changed_holds],
                *[self.copies.get(key) for key in former_copy_ids],
                *[self.copies.get(one["copy_id"]) for one in changed_holds_3],
            ]
        ):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_hold in _distinct([*changed_holds, *changed_holds_3]):
            if self._breaks_rule_4_h(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_4_h_again(one_hold):
                return self._take_back(RULES[3])
        for one_hold in _distinct([*changed_holds, *changed_holds_2, *changed_holds_3]):
            if self._breaks_rule_5(one_hold):
                return self._take_back(RULES[4])
        for one_hold in _distinct(
            [
                *self._holds_by_copy_status.get((copy["id"], "travelling"), {}).values(),
                *[
                    user
                    for one in changed_copies_3
                    for user in self._holds_by_copy_status.get((one["id"], "travelling"), {}).values()
                ],
                *changed_holds,
                *changed_holds_3,
            ]
        ):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        for one_hold in _distinct(changed_holds_3):
            if self._breaks_rule_7(one_hold):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                user
                for one in [self.readers[one["reader_id"]] for one in changed_holds_3]
                for user in self._loans_by_reader.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: receive {copy['barcode']} from the van.", "data": self._changes()}

    def report_lost(self, loan_id: str) -> Result:
        """Record that a reader has lost a copy; they pay its price.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["returned_on"] is not None:
            return _refused(
                f"{self.works[self.copies[loan['copy_id']]['work_id']]['title']} was returned on "
                f"{loan['returned_on']}."
            )
        self._journal = []
        fine: Fine = {
            "id": self._new_id("fine", "FINE", self.fines),
            "reader_id": loan["reader_id"],
            "loan_id": loan_id,
            "reason": "lost",
            "amount": self.works[self.copies[loan["copy_id"]]["work_id"]]["price"],
            "paid": 0,
        }
        self._add("fines", fine)
        self._put("loans", loan, "returned_on", self.now[:10])
        copy = self.copies[loan["copy_id"]]
        if copy["status"] not in ("lent", "lost"):
            return self._take_back(f"Copy {copy['barcode']} cannot go from {copy['status']} to lost.")
        self._put("copies", copy, "status", "lost")
        if self._breaks_rule_1_l(loan):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_c(self.copies[loan["copy_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_c(copy):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(copy):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        if self._breaks_rule_8(loan):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.readers[loan["reader_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_f(fine):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_f_again(fine):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record {self.copies[loan['copy_id']]['barcode']} as lost by "
                f"{self.readers[loan['reader_id']]['name']} (new: fine {fine['id']})."
            ),
            "data": {"fine_id": fine["id"], **self._changes()},
        }

    def pay_fines(self, reader_id: str, amount: Annotated[int, {"minimum": 10, "maximum": 50000}]) -> Result:
        """Take money for the fines of a reader, the oldest first.

        Args:
            reader_id (str): Id of the reader, such as READER-00001.
            amount (int): Money the reader pays, at most what is owed, in cents, from 10 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reader = self.readers.get(reader_id)
        if reader is None:
            return _refused(f"There is no reader {reader_id!r}.")
        if amount > self._reader_owed(reader):
            return _refused(f"{reader['name']} owes {_money(self._reader_owed(reader))}, not {_money(amount)}.")
        self._journal = []
        changed_fines: list[Any] = []
        left = amount
        for f in sorted(
            [f for f in self._fines_by_reader.get(reader_id, {}).values() if f["paid"] < f["amount"]],
            key=lambda f: (f["id"], _age(f)),
        ):
            part = min(left, f["amount"] - f["paid"])
            paid = f["paid"] + part
            if not 0 <= paid <= 20000:
                return self._take_back(f"The paid of {f['id']} must be between 0.00 and 200.00.")
            changed_fines.append(f)
            self._put("fines", f, "paid", paid)
            left = left - part
        for one_fine in _distinct(changed_fines):
            if self._breaks_rule_11_f(one_fine):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} from {reader['name']}.",
            "data": self._changes(),
        }

    def waive_fine(self, fine_id: str, found_at_id: str | None = None) -> Result:
        """Waive what is still unpaid of a fine for lateness, or of the price of a lost copy that has turned up at a
        branch; the copy is back in stock then, or on the van to its home.

        Args:
            fine_id (str): Id of the fine, such as FINE-00001.
            found_at_id (str, optional): Branch where a lost copy has turned up, never named for lateness; an id
                such as BRANCH-00001. If left out, the fine must be one for lateness.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fine = self.fines.get(fine_id)
        if fine is None:
            return _refused(f"There is no fine {fine_id!r}.")
        found_at = self.branches.get(found_at_id) if found_at_id is not None else None
        if found_at_id is not None and found_at is None:
            return _refused(f"There is no branch {found_at_id!r}.")
        if fine["reason"] != "late" and found_at_id is None:
            return _refused(
                "The price of a lost copy is waived only when the copy has turned up; name the branch where it is."
            )
        if fine["reason"] != "lost" and found_at_id is not None:
            return _refused(
                "A branch is named only for a lost copy that has turned up, and this fine is for lateness."
            )
        if fine["reason"] != "late" and self.copies[self.loans[fine["loan_id"]]["copy_id"]]["status"] != "lost":
            return _refused(
                f"Copy {self.copies[self.loans[fine['loan_id']]['copy_id']]['barcode']} is "
                f"{self.copies[self.loans[fine['loan_id']]['copy_id']]['status']}, not lost."
            )
        if fine["reason"] != "lost" and fine["paid"] >= fine["amount"]:
            return _refused("That fine is paid.")
        self._journal = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        changed_copies_3: list[Any] = []
        self._put("fines", fine, "amount", fine["paid"])
        if found_at_id is not None:
            back = self.copies[self.loans[fine["loan_id"]]["copy_id"]]
            if found_at_id == back["home_id"]:
                changed_copies.append(back)
                self._put("copies", back, "at_id", found_at_id)
                changed_copies_2.append(back)
                self._put("copies", back, "status", "shelf")
            else:
                changed_copies_3.append(back)
                self._put("copies", back, "heading_id", back["home_id"])
                changed_copies_2.append(back)
                self._put("copies", back, "status", "transit")
        for one_copy in _distinct(changed_copies_2):
            if self._breaks_rule_1_c(one_copy):
                return self._take_back(RULES[0])
        for one_copy in _distinct([*changed_copies, *changed_copies_2, *changed_copies_3]):
            if self._breaks_rule_2(one_copy):
                return self._take_back(RULES[1])
        for one_copy in _distinct([*changed_copies, *changed_copies_2]):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_hold in _distinct(
            [
                user
                for one in changed_copies_3
                for user in self._holds_by_copy_status.get((one["id"], "travelling"), {}).values()
            ]
        ):
            if self._breaks_rule_6(one_hold):
                return self._take_back(RULES[5])
        if self._breaks_rule_11_f(fine):
            return self._take_back(RULES[10])
        done = f"waive a fine of {self.readers[fine['reader_id']]['name']}"
        if found_at is not None:
            done += f" for a copy found at {found_at['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def extend_card(self, reader_id: str) -> Result:
        """Extend the card of a reader by a year, from the day it ends or from today where it has run out.

        Args:
            reader_id (str): Id of the reader, such as READER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reader = self.readers.get(reader_id)
        if reader is None:
            return _refused(f"There is no reader {reader_id!r}.")
        if reader["card_until"] > _plus_days(self.now[:10], 30):
            return _refused(f"The card of {reader['name']} is good until {reader['card_until']}.")
        self._journal = []
        self._put("readers", reader, "card_until", _add_months(max(reader["card_until"], self.now[:10]), 12))
        return {"success": True, "message": f"Done: extend the card of {reader['name']}.", "data": self._changes()}

    def _show_work(self, work: Work) -> dict[str, Any]:
        """The work as an answer shows it."""
        return {**work, "waiting": self._work_waiting(work)}

    def _show_reader(self, reader: Reader) -> dict[str, Any]:
        """The reader as an answer shows it."""
        return {**reader, "owed": self._reader_owed(reader), "loans": self._reader_loans(reader)}

    def _show_hold(self, hold: Hold) -> dict[str, Any]:
        """The hold as an answer shows it."""
        return {**hold, "place": self._hold_place(hold)}

    def _names_of_copies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that copies point to."""
        return _names(
            (self.works, "title", [row["work_id"] for row in shown]),
            (self.branches, "name", [row["home_id"] for row in shown]),
            (self.branches, "name", [row["at_id"] for row in shown]),
            (self.branches, "name", [row["heading_id"] for row in shown]),
        )

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.copies, "barcode", [row["copy_id"] for row in shown]),
            (self.readers, "name", [row["reader_id"] for row in shown]),
        )

    def _names_of_holds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holds point to."""
        return _names(
            (self.readers, "name", [row["reader_id"] for row in shown]),
            (self.works, "title", [row["work_id"] for row in shown]),
            (self.branches, "name", [row["pickup_id"] for row in shown]),
            (self.copies, "barcode", [row["copy_id"] for row in shown]),
        )

    def _names_of_fines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fines point to."""
        return _names((self.readers, "name", [row["reader_id"] for row in shown]))

    def _work_waiting(self, work: Work) -> int:
        """The waiting of a work."""
        return len(self._holds_by_work_status.get((work["id"], "waiting"), {}))

    def _reader_owed(self, reader: Reader) -> int:
        """The owed of a reader."""
        return sum(f["amount"] - f["paid"] for f in self._fines_by_reader.get(reader["id"], {}).values())

    def _reader_loans(self, reader: Reader) -> int:
        """The loans of a reader."""
        return sum(1 for l in self._loans_by_reader.get(reader["id"], {}).values() if l["returned_on"] is None)

    def _hold_place(self, hold: Hold) -> int:
        """The place of a hold."""
        return (
            sum(
                1
                for h in self._holds_by_work_status.get((hold["work_id"], "waiting"), {}).values()
                if (
                    h["placed_at"] < hold["placed_at"]
                    or h["placed_at"] == hold["placed_at"]
                    and h["id"] <= hold["id"]
                )
            )
            if hold["status"] == "waiting"
            else 0
        )

    def _limit(self, r: Reader) -> int:
        return 2 if r["card"] == "child" else 3 if r["card"] == "adult" else 6

    def _block_at(self, r: Reader) -> int:
        return 100 if r["card"] == "child" else 250

    def _next_hold(self, w: Work) -> Hold | None:
        return min(
            self._holds_by_work_status.get((w["id"], "waiting"), {}).values(),
            key=lambda h: (h["placed_at"], h["id"], _age(h)),
            default=None,
        )

    def _kept_for(self, c: Copy) -> Hold | None:
        return next(
            (
                h
                for h in sorted(self._holds_by_copy.get(c["id"], {}).values(), key=_age)
                if h["status"] in ("travelling", "ready")
            ),
            None,
        )

    def _open_loan(self, c: Copy) -> Loan | None:
        return next(
            (l for l in sorted(self._loans_by_copy.get(c["id"], {}).values(), key=_age) if l["returned_on"] is None),
            None,
        )

    def _late_fee(self, l: Loan, d: str) -> int:
        return min(
            max(_days_between(l["due"], d), 0) * self.works[self.copies[l["copy_id"]]["work_id"]]["day_fine"],
            self.works[self.copies[l["copy_id"]]["work_id"]]["price"],
        )

    def _open_hold(self, r: Reader, w: Work) -> Hold | None:
        return next(
            (
                h
                for h in sorted(self._holds_by_reader_work.get((r["id"], w["id"]), {}).values(), key=_age)
                if h["status"] in ("waiting", "travelling", "ready")
            ),
            None,
        )

    def _renewable(self, l: Loan, d: str) -> bool:
        return (
            l["returned_on"] is None
            and l["renewals"] < 2
            and l["due"] >= d
            and self._work_waiting(self.works[self.copies[l["copy_id"]]["work_id"]]) == 0
        )

    def _breaks_rule_1_l(self, l: Loan) -> bool:
        """Whether this is broken: a copy is lent once at a time, and exactly the lent copies have a loan under way.
        """
        return (
            l["returned_on"] is None
            and any(
                other_l is not l
                for other_l in self._loans_by_copy.get(l["copy_id"], {}).values()
                if other_l["returned_on"] is None
            )
        )

    def _breaks_rule_1_c(self, c: Copy) -> bool:
        """Whether this is broken: a copy is lent once at a time, and exactly the lent copies have a loan under way.
        """
        return (c["status"] == "lent") != any(
            l["returned_on"] is None
            for l in self._loans_by_copy.get(c["id"], {}).values()
        )

    def _breaks_rule_2(self, c: Copy) -> bool:
        """Whether this is broken: a copy stands in a branch while it is on the shelf or held, and is headed for one
        only in transit.
        """
        return (
            (c["at_id"] is not None) != (c["status"] in ("shelf", "held"))
            or (c["heading_id"] is not None) != (c["status"] == "transit")
        )

    def _breaks_rule_3(self, c: Copy) -> bool:
        """Whether this is broken: a held copy is kept for one reader, in the branch where they want to collect it.
        """
        return (c["status"] == "held") != any(
            h["status"] == "ready"
            and h["pickup_id"] == c["at_id"]
            for h in self._holds_by_copy.get(c["id"], {}).values()
        )

    def _breaks_rule_4_h(self, h: Hold) -> bool:
        """Whether this is broken: a copy is promised to one hold at a time, and only to a hold on that work."""
        return (
            h["status"] in ("travelling", "ready")
            and any(
                other_h is not h
                for other_h in self._holds_by_copy.get(h["copy_id"], {}).values()
                if other_h["status"] in ("travelling", "ready")
            )
        )

    def _breaks_rule_4_h_again(self, h: Hold) -> bool:
        """Whether this is broken: a copy is promised to one hold at a time, and only to a hold on that work."""
        return h["copy_id"] is not None and self.copies[h["copy_id"]]["work_id"] != h["work_id"]

    def _breaks_rule_5(self, h: Hold) -> bool:
        """Whether this is broken: a hold has a copy from the moment one is sent to it, and a last day only while it
        can be collected.
        """
        return (
            (h["copy_id"] is not None) != (h["status"] in ("travelling", "ready", "collected"))
            or (h["ready_until"] is not None) != (h["status"] == "ready")
        )

    def _breaks_rule_6(self, h: Hold) -> bool:
        """Whether this is broken: a copy on its way to a reader is headed for the branch where they collect it."""
        return (
            h["status"] == "travelling"
            and (h["copy_id"] is not None and self.copies[h["copy_id"]]["heading_id"] != h["pickup_id"])
        )

    def _breaks_rule_7(self, h: Hold) -> bool:
        """Whether this is broken: a reader has at most one open hold on a work."""
        return (
            h["status"] in ("waiting", "travelling", "ready")
            and any(
                other_h is not h
                for other_h in self._holds_by_reader_work.get((h["reader_id"], h["work_id"]), {}).values()
                if other_h["status"] in ("waiting", "travelling", "ready")
            )
        )

    def _breaks_rule_8(self, l: Loan) -> bool:
        """Whether this is broken: nobody holds what they have at home."""
        return (
            l["returned_on"] is None
            and any(
                h["status"] in ("waiting", "travelling", "ready")
                for h in self._holds_by_reader_work.get(
                    (l["reader_id"], self.copies[l["copy_id"]]["work_id"]),
                    {},
                ).values()
            )
        )

    def _breaks_rule_9(self, r: Reader) -> bool:
        """Whether this is broken: nobody has more on loan than the card allows."""
        return self._reader_loans(r) > self._limit(r)

    def _breaks_rule_10(self, l: Loan) -> bool:
        """Whether this is broken: works are lent only to readers who are old enough."""
        return _years(
            self.readers[l["reader_id"]]["born"],
            l["lent_on"],
        ) < self.works[self.copies[l["copy_id"]]["work_id"]]["age_from"]

    def _breaks_rule_11_f(self, f: Fine) -> bool:
        """Whether this is broken: a fine belongs to whoever had the loan, at most one of each kind, and is never paid
        beyond its amount.
        """
        return f["reader_id"] != self.loans[f["loan_id"]]["reader_id"] or f["paid"] > f["amount"]

    def _breaks_rule_11_f_again(self, f: Fine) -> bool:
        """Whether this is broken: a fine belongs to whoever had the loan, at most one of each kind, and is never paid
        beyond its amount.
        """
        return any(
            other_f is not f
            for other_f in self._fines_by_loan_reason.get((f["loan_id"], f["reason"]), {}).values()
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
            case "copies":
                self._copies_by_at.setdefault(record["at_id"], {})[record["id"]] = record
                self._copies_by_work.setdefault(record["work_id"], {})[record["id"]] = record
                self._copies_by_work_at_status.setdefault(
                    (record["work_id"], record["at_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "loans":
                self._loans_by_copy.setdefault(record["copy_id"], {})[record["id"]] = record
                self._loans_by_reader.setdefault(record["reader_id"], {})[record["id"]] = record
            case "holds":
                self._holds_by_copy.setdefault(record["copy_id"], {})[record["id"]] = record
                self._holds_by_copy_status.setdefault((record["copy_id"], record["status"]), {})[record["id"]] = record
                self._holds_by_reader.setdefault(record["reader_id"], {})[record["id"]] = record
                self._holds_by_reader_status.setdefault(
                    (record["reader_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._holds_by_reader_work.setdefault((record["reader_id"], record["work_id"]), {})[record["id"]] = record
                self._holds_by_work.setdefault(record["work_id"], {})[record["id"]] = record
                self._holds_by_work_status.setdefault((record["work_id"], record["status"]), {})[record["id"]] = record
            case "fines":
                self._fines_by_loan_reason.setdefault((record["loan_id"], record["reason"]), {})[record["id"]] = record
                self._fines_by_reader.setdefault(record["reader_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "copies":
                del self._copies_by_at[record["at_id"]][record["id"]]
                del self._copies_by_work[record["work_id"]][record["id"]]
                del self._copies_by_work_at_status[record["work_id"], record["at_id"], record["status"]][record["id"]]
            case "loans":
                del self._loans_by_copy[record["copy_id"]][record["id"]]
                del self._loans_by_reader[record["reader_id"]][record["id"]]
            case "holds":
                del self._holds_by_copy[record["copy_id"]][record["id"]]
                del self._holds_by_copy_status[record["copy_id"], record["status"]][record["id"]]
                del self._holds_by_reader[record["reader_id"]][record["id"]]
                del self._holds_by_reader_status[record["reader_id"], record["status"]][record["id"]]
                del self._holds_by_reader_work[record["reader_id"], record["work_id"]][record["id"]]
                del self._holds_by_work[record["work_id"]][record["id"]]
                del self._holds_by_work_status[record["work_id"], record["status"]][record["id"]]
            case "fines":
                del self._fines_by_loan_reason[record["loan_id"], record["reason"]][record["id"]]
                del self._fines_by_reader[record["reader_id"]][record["id"]]
