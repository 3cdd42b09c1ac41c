"""General ledger. Compiled from blueprint.yaml; run `envscaler build general_ledger` after changing it there.

Keeps the journal of a company with balanced entries posted by a second person, a tree of accounts, accruals
with their reversals, and months that close in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, NotRequired, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The lines of a posted entry balance.",
    "A line has either a debit or a credit.",
    "Lines stand on accounts without accounts below them.",
    "An entry lies in the month of its date.",
    "A closed month has no drafts.",
    "Months close in their order.",
    "An account is of the same kind as the account above it.",
    "An account does not lie below itself.",
    "Lines on income and expenses name a cost centre, and other lines none.",
    "An entry is posted by a second person, within that person's limit.",
    "A reversal is posted only when what it reverses was posted.",
    "An entry is reversed once at most, and not before its own date.",
    "A closed account has no balance, no draft and no open account below it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "enter_journal",
    "add_line",
    "post_journal",
    "drop_draft",
    "reverse_journal",
    "accrue_cost",
    "close_period",
    "reopen_period",
    "open_account",
    "move_account",
    "close_account",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "accounts": ("name",),
    "periods": ("name",),
    "cost_centres": ("name",),
    "bookkeepers": ("name",),
    "entries": ("title",),
    "postings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("accounts", "code"),
    ("accounts", "name"),
    ("accounts", "parent_id"),
    ("entries", "period_id"),
    ("entries", "reverses_id"),
    ("entries", "status"),
    ("periods", "status"),
    ("postings", "account_id"),
    ("postings", "cost_centre_id"),
    ("postings", "entry_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Account(TypedDict):
    id: str
    code: str
    name: str
    kind: Literal["asset", "liability", "equity", "income", "expense"]
    parent_id: str | None
    open: bool


class Period(TypedDict):
    id: str
    name: str
    starts: str
    ends: str
    status: Literal["open", "closed"]


class CostCentre(TypedDict):
    id: str
    name: str
    head_id: str


class Bookkeeper(TypedDict):
    id: str
    name: str
    limit: int


class Entry(TypedDict):
    id: str
    title: str
    date: str
    period_id: str
    by_id: str
    kind: Literal["normal", "accrual", "reversal"]
    reverses_id: str | None
    posted_by_id: str | None
    status: Literal["draft", "posted", "dropped"]


class Posting(TypedDict):
    id: str
    entry_id: str
    account_id: str
    debit: int
    credit: int
    cost_centre_id: str | None


class EnterJournalLine(TypedDict):
    account_id: str
    amount: Annotated[int, {"minimum": 1, "maximum": 20000000}]
    cost_centre_id: NotRequired[str | None]


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


class GeneralLedger:
    """Keeps the journal of a company with balanced entries posted by a second person, a tree of accounts,
    accruals with their reversals, and months that close in order.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.accounts: dict[str, Account] = _copied(config.get("accounts", {}))
        self.periods: dict[str, Period] = _copied(config.get("periods", {}))
        self.cost_centres: dict[str, CostCentre] = _copied(config.get("cost_centres", {}))
        self.bookkeepers: dict[str, Bookkeeper] = _copied(config.get("bookkeepers", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.postings: dict[str, Posting] = _copied(config.get("postings", {}))
        self.now: str = config.get("now", "2026-05-07T11:00")
        self.counters: dict[str, int] = {
            "account": len(self.accounts),
            "period": len(self.periods),
            "cost_centre": len(self.cost_centres),
            "bookkeeper": len(self.bookkeepers),
            "entry": len(self.entries),
            "posting": len(self.postings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._accounts_by_code: dict[Any, dict[str, Account]] = {}
        self._accounts_by_lower_name: dict[Any, dict[str, Account]] = {}
        self._accounts_by_name: dict[Any, dict[str, Account]] = {}
        self._accounts_by_parent: dict[Any, dict[str, Account]] = {}
        self._periods_by_status: dict[Any, dict[str, Period]] = {}
        self._entries_by_period_status: dict[Any, dict[str, Entry]] = {}
        self._entries_by_reverses: dict[Any, dict[str, Entry]] = {}
        self._postings_by_account: dict[Any, dict[str, Posting]] = {}
        self._postings_by_cost_centre: dict[Any, dict[str, Posting]] = {}
        self._postings_by_entry: dict[Any, dict[str, Posting]] = {}
        for account in self.accounts.values():
            self._link("accounts", account)
        for period in self.periods.values():
            self._link("periods", period)
        for entry in self.entries.values():
            self._link("entries", entry)
        for posting in self.postings.values():
            self._link("postings", posting)

    def trial_balance(
        self,
        below_account_id: str | None = None,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The balances of accounts, each with what lies below it, as of now or as at the end of a day.

        Args:
            below_account_id (str, optional): Only accounts anywhere below this one; an id such as ACCOUNT-00001.
                If left out, all accounts are listed.
            until (str, optional): Day at whose end the balances are taken, as YYYY-MM-DD. If left out, the
                balances as of now are shown.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}} or {"success": False, "error": why
                not}
        """
        below_account = self.accounts.get(below_account_id) if below_account_id is not None else None
        if below_account_id is not None and below_account is None:
            return _refused(f"There is no account {below_account_id!r}.")
        found = [
            a
            for a in self.accounts.values()
            if (below_account_id is None or below_account in _above(self.accounts, a, "parent_id"))
        ]
        found.sort(key=lambda a: (a["code"], _age(a)))
        return _found(
            {
                "total": len(found),
                "accounts": [
                    {
                        "code": a["code"],
                        "name": a["name"],
                        "kind": a["kind"],
                        "balance": self._until_day(a, until) if until is not None else self._account_balance(a),
                        "open": a["open"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def to_post(
        self,
        by_id: str,
        period_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Drafts that somebody may post, the oldest first.

        Args:
            by_id (str): Bookkeeper who wants to post drafts; an id such as BOOKKEEPER-00001.
            period_id (str, optional): Only drafts of this month; an id such as PERIOD-00001. If left out, the
                drafts of all months are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}} or {"success": False, "error": why
                not}
        """
        by = self.bookkeepers.get(by_id)
        if by is None:
            return _refused(f"There is no bookkeeper {by_id!r}.")
        period = self.periods.get(period_id) if period_id is not None else None
        if period_id is not None and period is None:
            return _refused(f"There is no period {period_id!r}.")
        found = [
            e
            for e in self.entries.values()
            if (e["status"] == "draft" and self._sound(e) and self._ripe(e) and self._may_post(by, e))
            and (period_id is None or e["period_id"] == period_id)
        ]
        found.sort(key=lambda e: (e["date"], e["id"], _age(e)))
        return _found(
            {
                "total": len(found),
                "entries": [
                    {
                        "id": e["id"],
                        "title": e["title"],
                        "date": e["date"],
                        "by": self.bookkeepers[e["by_id"]]["name"],
                        "total": self._entry_total(e),
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def costs(
        self,
        cost_centre_id: str,
        period_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What a cost centre spent in a month, account by account.

        Args:
            cost_centre_id (str): Id of the cost centre, such as CC-00001.
            period_id (str): Id of the period, such as PERIOD-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "postings": records}} or {"success": False, "error": why
                not}
        """
        cost_centre = self.cost_centres.get(cost_centre_id)
        if cost_centre is None:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        period = self.periods.get(period_id)
        if period is None:
            return _refused(f"There is no period {period_id!r}.")
        found = [
            p
            for p in self._postings_by_cost_centre.get(cost_centre_id, {}).values()
            if (p["cost_centre_id"] is not None and p["cost_centre_id"] == cost_centre_id)
            and (
                self.entries[p["entry_id"]]["period_id"] == period_id
                and self.entries[p["entry_id"]]["status"] == "posted"
            )
        ]
        found.sort(key=lambda p: (self.accounts[p["account_id"]]["code"], p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "postings": [
                    {
                        "account": self.accounts[p["account_id"]]["name"],
                        "title": self.entries[p["entry_id"]]["title"],
                        "debit": p["debit"],
                        "credit": p["credit"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def journal_view(self, entry_id: str) -> Result:
        """The lines of an entry and whether they balance.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "data": {title, date, accounts, total, gap, undone}} or {"success": False,
                "error": why not}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        return _found(
            {
                "title": entry["title"],
                "date": entry["date"],
                "accounts": [
                    *[
                        self.accounts[p["account_id"]]["name"]
                        for p in sorted(self._postings_by_entry.get(entry_id, {}).values(), key=_age)
                    ]
                ],
                "total": self._entry_total(entry),
                "gap": self._entry_gap(entry),
                "undone": self._undone(entry),
            }
        )

    def list_accounts(
        self,
        name: Text | None = None,
        kind: Literal["asset", "liability", "equity", "income", "expense"] | None = None,
        parent_id: str | None = None,
        open: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accounts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only accounts whose name contains this text.
            kind (str, optional): Only accounts with this kind.
            parent_id (str, optional): Only accounts whose parent is this account.
            open (bool, optional): Only accounts that are open (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}}
        """
        if parent_id is not None and parent_id not in self.accounts:
            return _refused(f"There is no account {parent_id!r}.")
        found = [
            account
            for account in self.accounts.values()
            if (name is None or name.casefold() in account["name"].casefold())
            and (kind is None or account["kind"] == kind)
            and (parent_id is None or account["parent_id"] == parent_id)
            and (open is None or account["open"] == open)
        ]
        shown = [self._show_account(account) for account in _page(found, offset)]
        return _found({"total": len(found), "accounts": shown}, self._names_of_accounts(shown))

    def list_periods(
        self,
        name: Text | None = None,
        status: Literal["open", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the periods, oldest first, all of them or only some.

        Args:
            name (str, optional): Only periods whose name contains this text.
            status (str, optional): Only periods with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "periods": records}}
        """
        found = [
            period
            for period in self.periods.values()
            if (name is None or name.casefold() in period["name"].casefold())
            and (status is None or period["status"] == status)
        ]
        return _found(
            {"total": len(found), "periods": [self._show_period(period) for period in _page(found, offset)]}
        )

    def list_cost_centres(
        self,
        name: Text | None = None,
        head_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cost centres, oldest first, all of them or only some.

        Args:
            name (str, optional): Only cost centres whose name contains this text.
            head_id (str, optional): Only cost centres whose head is this bookkeeper.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cost_centres": records}}
        """
        if head_id is not None and head_id not in self.bookkeepers:
            return _refused(f"There is no bookkeeper {head_id!r}.")
        found = [
            cost_centre
            for cost_centre in self.cost_centres.values()
            if (name is None or name.casefold() in cost_centre["name"].casefold())
            and (head_id is None or cost_centre["head_id"] == head_id)
        ]
        shown = [{**cost_centre} for cost_centre in _page(found, offset)]
        return _found({"total": len(found), "cost_centres": shown}, self._names_of_cost_centres(shown))

    def list_bookkeepers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookkeepers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bookkeepers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookkeepers": records}}
        """
        found = [
            bookkeeper
            for bookkeeper in self.bookkeepers.values()
            if (name is None or name.casefold() in bookkeeper["name"].casefold())
        ]
        return _found({"total": len(found), "bookkeepers": [{**bookkeeper} for bookkeeper in _page(found, offset)]})

    def get_entry(self, entry_id: str) -> Result:
        """Look up one entry by its id.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        shown = self._show_entry(entry)
        return _found(shown, self._names_of_entries([shown]))

    def list_entries(
        self,
        title: Text | None = None,
        period_id: str | None = None,
        by_id: str | None = None,
        kind: Literal["normal", "accrual", "reversal"] | None = None,
        reverses_id: str | None = None,
        posted_by_id: str | None = None,
        status: Literal["draft", "posted", "dropped"] | None = None,
        date_from: Date | None = None,
        date_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            title (str, optional): Only entries whose title contains this text.
            period_id (str, optional): Only entries of this period.
            by_id (str, optional): Only entries by this bookkeeper.
            kind (str, optional): Only entries with this kind.
            reverses_id (str, optional): Only entries whose reverses is this entry.
            posted_by_id (str, optional): Only entries posted by this bookkeeper.
            status (str, optional): Only entries with this status.
            date_from (str, optional): Only entries whose `date` is on this day or later.
            date_to (str, optional): Only entries whose `date` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if period_id is not None and period_id not in self.periods:
            return _refused(f"There is no period {period_id!r}.")
        if by_id is not None and by_id not in self.bookkeepers:
            return _refused(f"There is no bookkeeper {by_id!r}.")
        if reverses_id is not None and reverses_id not in self.entries:
            return _refused(f"There is no entry {reverses_id!r}.")
        if posted_by_id is not None and posted_by_id not in self.bookkeepers:
            return _refused(f"There is no bookkeeper {posted_by_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (title is None or title.casefold() in entry["title"].casefold())
            and (period_id is None or entry["period_id"] == period_id)
            and (by_id is None or entry["by_id"] == by_id)
            and (kind is None or entry["kind"] == kind)
            and (reverses_id is None or entry["reverses_id"] == reverses_id)
            and (posted_by_id is None or entry["posted_by_id"] == posted_by_id)
            and (status is None or entry["status"] == status)
            and (date_from is None or entry["date"] >= date_from)
            and (date_to is None or entry["date"] <= date_to)
        ]
        shown = [self._show_entry(entry) for entry in _page(found, offset)]
        return _found({"total": len(found), "entries": shown}, self._names_of_entries(shown))

    def list_postings(
        self,
        entry_id: str | None = None,
        account_id: str | None = None,
        cost_centre_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the postings, oldest first, all of them or only some.

        Args:
            entry_id (str, optional): Only postings of this entry.
            account_id (str, optional): Only postings of this account.
            cost_centre_id (str, optional): Only postings of this cost centre.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "postings": records}}
        """
        if entry_id is not None and entry_id not in self.entries:
            return _refused(f"There is no entry {entry_id!r}.")
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        if cost_centre_id is not None and cost_centre_id not in self.cost_centres:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        found = [
            posting
            for posting in self.postings.values()
            if (entry_id is None or posting["entry_id"] == entry_id)
            and (account_id is None or posting["account_id"] == account_id)
            and (cost_centre_id is None or posting["cost_centre_id"] == cost_centre_id)
        ]
        shown = [{**posting} for posting in _page(found, offset)]
        return _found({"total": len(found), "postings": shown}, self._names_of_postings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def enter_journal(
        self,
        title: Text,
        date: Date,
        by_id: str,
        lines: Annotated[list[EnterJournalLine], {"maxItems": 20}],
        counter_id: str,
        side: Literal["debit", "credit"] = "debit",
    ) -> Result:
        """Enter a draft with lines on one side and their sum on a counter account of the balance sheet.

        Args:
            title (str): What the entry is about.
            date (str): Booking day, in an open month, as YYYY-MM-DD.
            by_id (str): Bookkeeper who enters the draft; an id such as BOOKKEEPER-00001.
            lines (list): One entry for each account and cost centre, each pair once: account_id: open account with
                no accounts below it; an id such as ACCOUNT-00001; amount: sum of the line, in cents, from 1 to
                20000000; cost_centre_id: cost centre of the line, given for income and expenses only; an id such
                as CC-00001.
            counter_id (str): Balance sheet account that gets the sum of all lines; an id such as ACCOUNT-00001.
            side (str): Side of all the lines; the counter account gets the other: debit or credit. Default: debit.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.bookkeepers.get(by_id)
        if by is None:
            return _refused(f"There is no bookkeeper {by_id!r}.")
        entries, lines = lines, []
        for entry_2 in entries:
            if entry_2["account_id"] not in self.accounts:
                return _refused(f"There is no account {entry_2['account_id']!r}.")
            if entry_2.get("cost_centre_id") is not None and entry_2.get("cost_centre_id") not in self.cost_centres:
                return _refused(f"There is no cost centre {entry_2.get('cost_centre_id')!r}.")
            lines.append(
                {
                    "account": self.accounts[entry_2["account_id"]],
                    "amount": entry_2["amount"],
                    "cost_centre": self.cost_centres.get(entry_2.get("cost_centre_id")),
                }
            )
        counter = self.accounts.get(counter_id)
        if counter is None:
            return _refused(f"There is no account {counter_id!r}.")
        if not (len(lines) > 0 and _different([(l["account"]["id"], _id_of(l["cost_centre"])) for l in lines])):
            return _refused("Give at least one line, and each account and cost centre once.")
        group = next((l["account"] for l in lines if not self._account_leaf(l["account"])), None)
        if group is not None:
            return _refused(f"{group['name']} has accounts below it; take one of those.")
        shut = next((l["account"] for l in lines if not l["account"]["open"]), None)
        if shut is not None:
            return _refused(f"{shut['name']} is closed.")
        if not self._bookable(counter):
            return _refused(f"{counter['name']} is closed or has accounts below it.")
        if self._has_result(counter):
            return _refused(f"{counter['name']} is no account of the balance sheet.")
        bare = next(
            (l["account"] for l in lines if self._has_result(l["account"]) and l["cost_centre"] is None),
            None,
        )
        if bare is not None:
            return _refused(f"{bare['name']} needs a cost centre.")
        much = next(
            (l["account"] for l in lines if not self._has_result(l["account"]) and l["cost_centre"] is not None),
            None,
        )
        if much is not None:
            return _refused(f"{much['name']} takes no cost centre.")
        period = self._month_of(date)
        if period is None or period["status"] != "open":
            return _refused(f"There is no open month for {date}.")
        self._journal = []
        added_postings: list[Any] = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "title": title,
            "date": date,
            "period_id": period["id"],
            "by_id": by_id,
            "kind": "normal",
            "reverses_id": None,
            "posted_by_id": None,
            "status": "draft",
        }
        self._add("entries", entry)
        for l in list(lines):
            debit = l["amount"] if side == "debit" else l["amount"] - l["amount"]
            if not 0 <= debit <= 90000000:
                return self._take_back("The debit of a posting must be between 0.00 and 900,000.00.")
            credit = l["amount"] if side == "credit" else l["amount"] - l["amount"]
            if not 0 <= credit <= 90000000:
                return self._take_back("The credit of a posting must be between 0.00 and 900,000.00.")
            posting = {
                "id": self._new_id("posting", "POSTING", self.postings),
                "entry_id": entry["id"],
                "account_id": l["account"]["id"],
                "debit": debit,
                "credit": credit,
                "cost_centre_id": _id_of(l["cost_centre"]),
            }
            self._add("postings", posting)
            added_postings.append(posting)
        whole = sum(l["amount"] for l in lines)
        new_debit = whole if side == "credit" else whole - whole
        if not 0 <= new_debit <= 90000000:
            return self._take_back("The debit of a posting must be between 0.00 and 900,000.00.")
        new_credit = whole if side == "debit" else whole - whole
        if not 0 <= new_credit <= 90000000:
            return self._take_back("The credit of a posting must be between 0.00 and 900,000.00.")
        new_posting: Posting = {
            "id": self._new_id("posting", "POSTING", self.postings),
            "entry_id": entry["id"],
            "account_id": counter_id,
            "debit": new_debit,
            "credit": new_credit,
            "cost_centre_id": None,
        }
        self._add("postings", new_posting)
        for one_entry in _distinct(
            [entry, self.entries[new_posting["entry_id"]], *[self.entries[one["entry_id"]] for one in added_postings]]
        ):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_posting in _distinct([new_posting, *added_postings]):
            if self._breaks_rule_2(one_posting):
                return self._take_back(RULES[1])
        for one_posting in _distinct([new_posting, *added_postings]):
            if self._breaks_rule_3(one_posting):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(entry):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.periods[entry["period_id"]]):
            return self._take_back(RULES[4])
        for one_posting in _distinct([new_posting, *added_postings]):
            if self._breaks_rule_9(one_posting):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_e(entry):
            return self._take_back(RULES[9])
        for one_entry in _distinct(
            [entry, self.entries[new_posting["entry_id"]], *[self.entries[one["entry_id"]] for one in added_postings]]
        ):
            if self._breaks_rule_10_e_again(one_entry):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(entry):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_e(entry):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_e_again(entry):
            return self._take_back(RULES[11])
        for one_account in _distinct(
            [self.accounts[new_posting["account_id"]], *[self.accounts[one["account_id"]] for one in added_postings]]
        ):
            if self._breaks_rule_13_a(one_account):
                return self._take_back(RULES[12])
        for one_posting in _distinct([new_posting, *added_postings]):
            if self._breaks_rule_13_p(one_posting):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: enter {title} of {date} against {counter['name']} (new: entry {entry['id']}, posting "
                f"{new_posting['id']})."
            ),
            "data": {"entry_id": entry["id"], "posting_id": new_posting["id"], **self._changes()},
        }

    def add_line(
        self,
        entry_id: str,
        account_id: str,
        side: Literal["debit", "credit"],
        amount: Annotated[int, {"minimum": 1, "maximum": 20000000}],
        cost_centre_id: str | None = None,
    ) -> Result:
        """Add one line to a draft.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.
            account_id (str): Id of the account, such as ACCOUNT-00001.
            side (str): Side of the account on which the line stands: debit or credit.
            amount (int): Sum of the line, in cents, from 1 to 20000000.
            cost_centre_id (str, optional): Cost centre, required for income and expense accounts; an id such as
                CC-00001. If left out, there is none, as for balance sheet accounts.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        cost_centre = self.cost_centres.get(cost_centre_id) if cost_centre_id is not None else None
        if cost_centre_id is not None and cost_centre is None:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        if entry["status"] != "draft":
            return _refused(f"{entry['title']} is {entry['status']}.")
        if not self._bookable(account):
            return _refused(f"{account['name']} is closed or has accounts below it.")
        if self._has_result(account) != (cost_centre_id is not None):
            return _refused(f"Income and expenses need a cost centre, and {account['name']} is {account['kind']}.")
        self._journal = []
        debit = amount if side == "debit" else amount - amount
        if not 0 <= debit <= 90000000:
            return self._take_back("The debit of a posting must be between 0.00 and 900,000.00.")
        credit = amount if side == "credit" else amount - amount
        if not 0 <= credit <= 90000000:
            return self._take_back("The credit of a posting must be between 0.00 and 900,000.00.")
        posting: Posting = {
            "id": self._new_id("posting", "POSTING", self.postings),
            "entry_id": entry_id,
            "account_id": account_id,
            "debit": debit,
            "credit": credit,
            "cost_centre_id": cost_centre_id,
        }
        self._add("postings", posting)
        if self._breaks_rule_1(self.entries[posting["entry_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(posting):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(posting):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(posting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_e_again(self.entries[posting["entry_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_13_a(self.accounts[posting["account_id"]]):
            return self._take_back(RULES[12])
        if self._breaks_rule_13_p(posting):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: add {_money(amount)} {side} on {account['name']} to {entry['title']} (new: posting "
                f"{posting['id']})."
            ),
            "data": {"posting_id": posting["id"], **self._changes()},
        }

    def post_journal(self, entry_id: str, by_id: str) -> Result:
        """Post a draft that balances, as somebody who did not enter it and whose limit covers it.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.
            by_id (str): Bookkeeper who posts it, did not enter it and may post such sums; an id such as
                BOOKKEEPER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        by = self.bookkeepers.get(by_id)
        if by is None:
            return _refused(f"There is no bookkeeper {by_id!r}.")
        if entry["status"] != "draft":
            return _refused(f"{entry['title']} is {entry['status']}.")
        if entry["reverses_id"] is not None and self.entries[entry["reverses_id"]]["status"] != "posted":
            return _refused(
                f"{entry['title']} reverses an entry of {self.entries[entry['reverses_id']]['date']} that is "
                f"{self.entries[entry['reverses_id']]['status']}, so post that first; if it was dropped, drop "
                "this too."
            )
        if (
            self._entry_total(entry) <= 0
            or self._entry_gap(entry) != self._entry_total(entry) - self._entry_total(entry)
        ):
            return _refused(
                f"{entry['title']} does not balance, the debits are {_money(self._entry_gap(entry))} above the "
                "credits."
            )
        if by_id == entry["by_id"]:
            return _refused(f"{by['name']} entered {entry['title']} and cannot post it.")
        if not self._may_post(by, entry):
            return _refused(
                f"{by['name']} posts up to {_money(by['limit'])}, and this is {_money(self._entry_total(entry))}."
            )
        self._journal = []
        self._put("entries", entry, "posted_by_id", by_id)
        self._put("entries", entry, "status", "posted")
        if self._breaks_rule_1(entry):
            return self._take_back(RULES[0])
        if self._breaks_rule_5(self.periods[entry["period_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_10_e(entry):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_e_again(entry):
            return self._take_back(RULES[9])
        for one_entry in _distinct([entry, *self._entries_by_reverses.get(entry["id"], {}).values()]):
            if self._breaks_rule_11(one_entry):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_e(entry):
            return self._take_back(RULES[11])
        for one_account in _distinct(
            [self.accounts[one["account_id"]] for one in self._postings_by_entry.get(entry["id"], {}).values()]
        ):
            if self._breaks_rule_13_a(one_account):
                return self._take_back(RULES[12])
        for one_posting in _distinct(self._postings_by_entry.get(entry["id"], {}).values()):
            if self._breaks_rule_13_p(one_posting):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: post {entry['title']} as {by['name']}.", "data": self._changes()}

    def drop_draft(self, entry_id: str) -> Result:
        """Drop a draft that will not be posted.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["status"] != "draft":
            return _refused(f"{entry['title']} is {entry['status']}.")
        self._journal = []
        self._put("entries", entry, "status", "dropped")
        if self._breaks_rule_1(entry):
            return self._take_back(RULES[0])
        if self._breaks_rule_5(self.periods[entry["period_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_10_e(entry):
            return self._take_back(RULES[9])
        for one_entry in _distinct([entry, *self._entries_by_reverses.get(entry["id"], {}).values()]):
            if self._breaks_rule_11(one_entry):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_e(entry):
            return self._take_back(RULES[11])
        for one_account in _distinct(
            [self.accounts[one["account_id"]] for one in self._postings_by_entry.get(entry["id"], {}).values()]
        ):
            if self._breaks_rule_13_a(one_account):
                return self._take_back(RULES[12])
        for one_posting in _distinct(self._postings_by_entry.get(entry["id"], {}).values()):
            if self._breaks_rule_13_p(one_posting):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: drop the draft {entry['title']}.", "data": self._changes()}

    def reverse_journal(self, entry_id: str, date: Date, by_id: str) -> Result:
        """Draft the reversal of a posted entry for a day in an open month, with debits and credits exchanged.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.
            date (str): Day of the reversal, in an open month and not before the entry, as YYYY-MM-DD.
            by_id (str): Bookkeeper who enters the reversal; an id such as BOOKKEEPER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        by = self.bookkeepers.get(by_id)
        if by is None:
            return _refused(f"There is no bookkeeper {by_id!r}.")
        if entry["status"] != "posted":
            return _refused(f"{entry['title']} is {entry['status']}.")
        if entry["kind"] == "reversal":
            return _refused(f"{entry['title']} is a reversal itself.")
        if self._undone(entry):
            return _refused(f"A reversal of {entry['title']} exists already.")
        if date < entry["date"]:
            return _refused(f"{entry['title']} is of {entry['date']} and cannot be reversed before.")
        period = self._month_of(date)
        if period is None or period["status"] != "open":
            return _refused(f"There is no open month for {date}.")
        shut = next(
            (
                self.accounts[p["account_id"]]
                for p in sorted(self._postings_by_entry.get(entry_id, {}).values(), key=_age)
                if not self._bookable(self.accounts[p["account_id"]])
            ),
            None,
        )
        if shut is not None:
            return _refused(f"{shut['name']} can no longer be booked on.")
        done = f"draft the reversal of {entry['title']} for {date}"
        self._journal = []
        added_postings: list[Any] = []
        mirror: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "title": entry["title"],
            "date": date,
            "period_id": period["id"],
            "by_id": by_id,
            "kind": "reversal",
            "reverses_id": entry_id,
            "posted_by_id": None,
            "status": "draft",
        }
        self._add("entries", mirror)
        for p in sorted(self._postings_by_entry.get(entry_id, {}).values(), key=_age):
            posting = {
                "id": self._new_id("posting", "POSTING", self.postings),
                "entry_id": mirror["id"],
                "account_id": p["account_id"],
                "debit": p["credit"],
                "credit": p["debit"],
                "cost_centre_id": p["cost_centre_id"],
            }
            self._add("postings", posting)
            added_postings.append(posting)
        for one_entry in _distinct([mirror, *[self.entries[one["entry_id"]] for one in added_postings]]):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_posting in _distinct(added_postings):
            if self._breaks_rule_2(one_posting):
                return self._take_back(RULES[1])
        for one_posting in _distinct(added_postings):
            if self._breaks_rule_3(one_posting):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(mirror):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.periods[mirror["period_id"]]):
            return self._take_back(RULES[4])
        for one_posting in _distinct(added_postings):
            if self._breaks_rule_9(one_posting):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_e(mirror):
            return self._take_back(RULES[9])
        for one_entry in _distinct([mirror, *[self.entries[one["entry_id"]] for one in added_postings]]):
            if self._breaks_rule_10_e_again(one_entry):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(mirror):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_e(mirror):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_e_again(mirror):
            return self._take_back(RULES[11])
        for one_account in _distinct([self.accounts[one["account_id"]] for one in added_postings]):
            if self._breaks_rule_13_a(one_account):
                return self._take_back(RULES[12])
        for one_posting in _distinct(added_postings):
            if self._breaks_rule_13_p(one_posting):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: {done} (new: entry {mirror['id']}).",
            "data": {"entry_id": mirror["id"], **self._changes()},
        }

    def accrue_cost(
        self,
        title: Text,
        period_id: str,
        expense_id: str,
        accrual_id: str,
        cost_centre_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 20000000}],
        by_id: str,
    ) -> Result:
        """Draft an accrual of a cost on the last day of an open month, and its reversal on the first day of the month
        after it.

        Args:
            title (str): What the accrual is about.
            period_id (str): Id of the period, such as PERIOD-00001.
            expense_id (str): Expense account the cost belongs to; an id such as ACCOUNT-00001.
            accrual_id (str): Liability account that takes the accrual; an id such as ACCOUNT-00001.
            cost_centre_id (str): Id of the cost centre, such as CC-00001.
            amount (int): Cost that is accrued, in cents, from 1 to 20000000.
            by_id (str): Bookkeeper who enters the two drafts; an id such as BOOKKEEPER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        period = self.periods.get(period_id)
        if period is None:
            return _refused(f"There is no period {period_id!r}.")
        expense = self.accounts.get(expense_id)
        if expense is None:
            return _refused(f"There is no account {expense_id!r}.")
        accrual = self.accounts.get(accrual_id)
        if accrual is None:
            return _refused(f"There is no account {accrual_id!r}.")
        cost_centre = self.cost_centres.get(cost_centre_id)
        if cost_centre is None:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        by = self.bookkeepers.get(by_id)
        if by is None:
            return _refused(f"There is no bookkeeper {by_id!r}.")
        if period["status"] != "open":
            return _refused(f"{period['name']} is closed.")
        if not (expense["kind"] == "expense" and self._bookable(expense)):
            return _refused(f"{expense['name']} is no expense account that can be booked on.")
        if not (accrual["kind"] == "liability" and self._bookable(accrual)):
            return _refused(f"{accrual['name']} is no liability account that can be booked on.")
        later = self._month_of(_plus_days(period["ends"], 1))
        if later is None or later["status"] != "open":
            return _refused(f"The month after {period['name']} is not open.")
        self._journal = []
        added_entries: list[Any] = []
        added_postings: list[Any] = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "title": title,
            "date": period["ends"],
            "period_id": period_id,
            "by_id": by_id,
            "kind": "accrual",
            "reverses_id": None,
            "posted_by_id": None,
            "status": "draft",
        }
        self._add("entries", entry)
        credit = amount - amount
        if not 0 <= credit <= 90000000:
            return self._take_back("The credit of a posting must be between 0.00 and 900,000.00.")
        posting: Posting = {
            "id": self._new_id("posting", "POSTING", self.postings),
            "entry_id": entry["id"],
            "account_id": expense_id,
            "debit": amount,
            "credit": credit,
            "cost_centre_id": cost_centre_id,
        }
        self._add("postings", posting)
        debit = amount - amount
        if not 0 <= debit <= 90000000:
            return self._take_back("The debit of a posting must be between 0.00 and 900,000.00.")
        new_posting: Posting = {
            "id": self._new_id("posting", "POSTING", self.postings),
            "entry_id": entry["id"],
            "account_id": accrual_id,
            "debit": debit,
            "credit": amount,
            "cost_centre_id": None,
        }
        self._add("postings", new_posting)
        if amount > 0:
            back = {
                "id": self._new_id("entry", "ENTRY", self.entries),
                "title": title,
                "date": later["starts"],
                "period_id": later["id"],
                "by_id": by_id,
                "kind": "reversal",
                "reverses_id": entry["id"],
                "posted_by_id": None,
                "status": "draft",
            }
            self._add("entries", back)
            added_entries.append(back)
            new_debit = amount - amount
            if not 0 <= new_debit <= 90000000:
                return self._take_back("The debit of a posting must be between 0.00 and 900,000.00.")
            new_posting_2 = {
                "id": self._new_id("posting", "POSTING", self.postings),
                "entry_id": back["id"],
                "account_id": expense_id,
                "debit": new_debit,
                "credit": amount,
                "cost_centre_id": cost_centre_id,
            }
            self._add("postings", new_posting_2)
            added_postings.append(new_posting_2)
            new_credit = amount - amount
            if not 0 <= new_credit <= 90000000:
                return self._take_back("The credit of a posting must be between 0.00 and 900,000.00.")
            new_posting_3 = {
                "id": self._new_id("posting", "POSTING", self.postings),
                "entry_id": back["id"],
                "account_id": accrual_id,
                "debit": amount,
                "credit": new_credit,
                "cost_centre_id": None,
            }
            self._add("postings", new_posting_3)
            added_postings.append(new_posting_3)
        for one_entry in _distinct(
            [
                entry,
                self.entries[posting["entry_id"]],
                self.entries[new_posting["entry_id"]],
                *added_entries,
                *[self.entries[one["entry_id"]] for one in added_postings],
            ]
        ):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_posting in _distinct([posting, new_posting, *added_postings]):
            if self._breaks_rule_2(one_posting):
                return self._take_back(RULES[1])
        for one_posting in _distinct([posting, new_posting, *added_postings]):
            if self._breaks_rule_3(one_posting):
                return self._take_back(RULES[2])
        for one_entry in _distinct([entry, *added_entries]):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_period in _distinct(
            [self.periods[entry["period_id"]], *[self.periods[one["period_id"]] for one in added_entries]]
        ):
            if self._breaks_rule_5(one_period):
                return self._take_back(RULES[4])
        for one_posting in _distinct([posting, new_posting, *added_postings]):
            if self._breaks_rule_9(one_posting):
                return self._take_back(RULES[8])
        for one_entry in _distinct([entry, *added_entries]):
            if self._breaks_rule_10_e(one_entry):
                return self._take_back(RULES[9])
        for one_entry in _distinct(
            [
                entry,
                self.entries[posting["entry_id"]],
                self.entries[new_posting["entry_id"]],
                *added_entries,
                *[self.entries[one["entry_id"]] for one in added_postings],
            ]
        ):
            if self._breaks_rule_10_e_again(one_entry):
                return self._take_back(RULES[9])
        for one_entry in _distinct([entry, *added_entries]):
            if self._breaks_rule_11(one_entry):
                return self._take_back(RULES[10])
        for one_entry in _distinct([entry, *added_entries]):
            if self._breaks_rule_12_e(one_entry):
                return self._take_back(RULES[11])
        for one_entry in _distinct([entry, *added_entries]):
            if self._breaks_rule_12_e_again(one_entry):
                return self._take_back(RULES[11])
        for one_account in _distinct(
            [
                self.accounts[posting["account_id"]],
                self.accounts[new_posting["account_id"]],
                *[self.accounts[one["account_id"]] for one in added_postings],
            ]
        ):
            if self._breaks_rule_13_a(one_account):
                return self._take_back(RULES[12])
        for one_posting in _distinct([posting, new_posting, *added_postings]):
            if self._breaks_rule_13_p(one_posting):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: accrue {_money(amount)} of {expense['name']} for {period['name']} (new: entry "
                f"{entry['id']}, posting {posting['id']}, posting {new_posting['id']})."
            ),
            "data": {
                "entry_id": entry["id"],
                "posting_id": posting["id"],
                "new_posting_id": new_posting["id"],
                **self._changes(),
            },
        }

    def close_period(self, period_id: str) -> Result:
        """Close the earliest open month, when it is over and has no drafts.

        Args:
            period_id (str): Id of the period, such as PERIOD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        period = self.periods.get(period_id)
        if period is None:
            return _refused(f"There is no period {period_id!r}.")
        if period["status"] != "open":
            return _refused(f"{period['name']} is closed already.")
        if period["ends"] >= self.now[:10]:
            return _refused(f"{period['name']} ends on {period['ends']}.")
        earlier = next(
            (
                p
                for p in sorted(self._periods_by_status.get("open", {}).values(), key=_age)
                if p["ends"] < period["starts"]
            ),
            None,
        )
        if earlier is not None:
            return _refused(f"{earlier['name']} is closed before {period['name']}.")
        if self._period_drafts(period) != 0:
            return _refused(f"{period['name']} has {self._period_drafts(period)} drafts; post or drop them first.")
        self._journal = []
        self._put("periods", period, "status", "closed")
        if self._breaks_rule_5(period):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_a(period):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(period):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: close {period['name']}.", "data": self._changes()}

    def reopen_period(self, period_id: str) -> Result:
        """Open the month that was closed last again.

        Args:
            period_id (str): Id of the period, such as PERIOD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        period = self.periods.get(period_id)
        if period is None:
            return _refused(f"There is no period {period_id!r}.")
        if period["status"] != "closed":
            return _refused(f"{period['name']} is open.")
        later = next(
            (
                p
                for p in sorted(self._periods_by_status.get("closed", {}).values(), key=_age)
                if p["starts"] > period["ends"]
            ),
            None,
        )
        if later is not None:
            return _refused(f"{later['name']} is closed too and has to be reopened first.")
        self._journal = []
        self._put("periods", period, "status", "open")
        if self._breaks_rule_5(period):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_a(period):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(period):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: reopen {period['name']}.", "data": self._changes()}

    def open_account(self, code: Text, name: Text, parent_id: str) -> Result:
        """Open an account below another one that nothing is booked on.

        Args:
            code (str): Code of the new account, not in use yet.
            name (str): Name of the new account, not in use yet.
            parent_id (str): Open account it comes below, with no bookings of its own; an id such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parent = self.accounts.get(parent_id)
        if parent is None:
            return _refused(f"There is no account {parent_id!r}.")
        if self._accounts_by_code.get(code, {}):
            return _refused(f"There is an account {code} already.")
        if self._accounts_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is an account called {name} already.")
        if not parent["open"]:
            return _refused(f"{parent['name']} is closed.")
        if self._postings_by_account.get(parent_id, {}):
            return _refused(f"{parent['name']} has been booked on, so nothing can lie below it.")
        done = f"open account {code} {name} below {parent['name']}"
        self._journal = []
        account: Account = {
            "id": self._new_id("account", "ACCOUNT", self.accounts),
            "code": code,
            "name": name,
            "kind": parent["kind"],
            "parent_id": parent_id,
            "open": True,
        }
        self._add("accounts", account)
        if len(self._accounts_by_code.get(account["code"], {})) > 1:
            return self._take_back(f"There is already an account with the code {account['code']!r}.")
        if len(self._accounts_by_name.get(account["name"], {})) > 1:
            return self._take_back(f"There is already an account with the name {account['name']!r}.")
        for one_posting in _distinct(
            [
                user
                for one in [self.accounts.get(account["parent_id"])]
                if one is not None
                for user in self._postings_by_account.get(account["parent_id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_posting):
                return self._take_back(RULES[2])
        if self._breaks_rule_7(account):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(account):
            return self._take_back(RULES[7])
        if self._breaks_rule_13_a(account):
            return self._take_back(RULES[12])
        if self._breaks_rule_13_a_again(account):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: {done} (new: account {account['id']}).",
            "data": {"account_id": account["id"], **self._changes()},
        }

    def move_account(self, account_id: str, parent_id: str) -> Result:
        """Put an account, with all below it, below another account of its kind.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            parent_id (str): Account of the same kind it comes below, with no bookings of its own; an id such as
                ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        parent = self.accounts.get(parent_id)
        if parent is None:
            return _refused(f"There is no account {parent_id!r}.")
        if account["kind"] != parent["kind"]:
            return _refused(f"{account['name']} is {account['kind']} and {parent['name']} is {parent['kind']}.")
        if account is parent or account in _above(self.accounts, parent, "parent_id"):
            return _refused(f"{parent['name']} lies below {account['name']}.")
        if not parent["open"] and account["open"]:
            return _refused(f"{parent['name']} is closed.")
        if self._postings_by_account.get(parent_id, {}):
            return _refused(f"{parent['name']} has been booked on, so nothing can lie below it.")
        self._journal = []
        former_parent_id = account["parent_id"]
        self._put("accounts", account, "parent_id", parent_id)
        for one_posting in _distinct(
            [
                *[
                    user
                    for one in [self.accounts.get(account["parent_id"])]
                    if one is not None
                    for user in self._postings_by_account.get(account["parent_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.accounts.get(former_parent_id)]
                    if one is not None
                    for user in self._postings_by_account.get(former_parent_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_posting):
                return self._take_back(RULES[2])
        if self._breaks_rule_7(account):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(account):
            return self._take_back(RULES[7])
        if self._breaks_rule_13_a_again(account):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: move {account['name']} below {parent['name']}.",
            "data": self._changes(),
        }

    def close_account(self, account_id: str) -> Result:
        """Close an account without balance, drafts or open accounts below it.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if not account["open"]:
            return _refused(f"{account['name']} is closed already.")
        if self._account_own(account) != self._account_own(account) - self._account_own(account):
            return _refused(
                f"{account['name']} has a balance of {_money(self._account_own(account))}; book it elsewhere first."
            )
        child = next(
            (a for a in sorted(self._accounts_by_parent.get(account_id, {}).values(), key=_age) if a["open"]),
            None,
        )
        if child is not None:
            return _refused(f"{child['name']} lies below {account['name']} and is open.")
        draft = next(
            (
                self.entries[p["entry_id"]]
                for p in sorted(self._postings_by_account.get(account_id, {}).values(), key=_age)
                if self.entries[p["entry_id"]]["status"] == "draft"
            ),
            None,
        )
        if draft is not None:
            return _refused(f"The draft {draft['title']} of {draft['date']} uses {account['name']}.")
        self._journal = []
        self._put("accounts", account, "open", False)
        if self._breaks_rule_13_a(account):
            return self._take_back(RULES[12])
        for one_posting in _distinct(self._postings_by_account.get(account["id"], {}).values()):
            if self._breaks_rule_13_p(one_posting):
                return self._take_back(RULES[12])
        for one_account in _distinct([account, *self._accounts_by_parent.get(account["id"], {}).values()]):
            if self._breaks_rule_13_a_again(one_account):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: close account {account['name']}.", "data": self._changes()}

    def _show_account(self, account: Account) -> dict[str, Any]:
        """The account as an answer shows it."""
        return {
            **account,
            "leaf": self._account_leaf(account),
            "own": self._account_own(account),
            "balance": self._account_balance(account),
        }

    def _show_period(self, period: Period) -> dict[str, Any]:
        """The period as an answer shows it."""
        return {**period, "drafts": self._period_drafts(period)}

    def _show_entry(self, entry: Entry) -> dict[str, Any]:
        """The entry as an answer shows it."""
        return {**entry, "total": self._entry_total(entry), "gap": self._entry_gap(entry)}

    def _names_of_accounts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that accounts point to."""
        return _names((self.accounts, "name", [row["parent_id"] for row in shown]))

    def _names_of_cost_centres(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cost centres point to."""
        return _names((self.bookkeepers, "name", [row["head_id"] for row in shown]))

    def _names_of_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entries point to."""
        return _names(
            (self.periods, "name", [row["period_id"] for row in shown]),
            (self.bookkeepers, "name", [row["by_id"] for row in shown]),
            (self.entries, "title", [row["reverses_id"] for row in shown]),
            (self.bookkeepers, "name", [row["posted_by_id"] for row in shown]),
        )

    def _names_of_postings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that postings point to."""
        return _names(
            (self.entries, "title", [row["entry_id"] for row in shown]),
            (self.accounts, "name", [row["account_id"] for row in shown]),
            (self.cost_centres, "name", [row["cost_centre_id"] for row in shown]),
        )

    def _account_leaf(self, account: Account) -> bool:
        """The leaf of an account."""
        return not self._accounts_by_parent.get(account["id"], {})

    def _account_own(self, account: Account) -> int:
        """The own of an account."""
        return sum(
            p["debit"] - p["credit"]
            for p in self._postings_by_account.get(account["id"], {}).values()
            if self.entries[p["entry_id"]]["status"] == "posted"
        )

    def _account_balance(self, account: Account) -> int:
        """The balance of an account."""
        return (
            self._own_balance(account)
            + sum(self._own_balance(a) for a in _below(self._accounts_by_parent, account))
        )

    def _period_drafts(self, period: Period) -> int:
        """The drafts of a period."""
        return len(self._entries_by_period_status.get((period["id"], "draft"), {}))

    def _entry_total(self, entry: Entry) -> int:
        """The total of an entry."""
        return sum(p["debit"] for p in self._postings_by_entry.get(entry["id"], {}).values())

    def _entry_gap(self, entry: Entry) -> int:
        """The gap of an entry."""
        return sum(p["debit"] - p["credit"] for p in self._postings_by_entry.get(entry["id"], {}).values())

    def _own_balance(self, a: Account) -> int:
        return sum(
            p["debit"] - p["credit"]
            for p in self._postings_by_account.get(a["id"], {}).values()
            if self.entries[p["entry_id"]]["status"] == "posted"
        )

    def _month_of(self, d: str) -> Period | None:
        return next((p for p in self.periods.values() if p["starts"] <= d and d <= p["ends"]), None)

    def _bookable(self, a: Account) -> bool:
        return a["open"] and self._account_leaf(a)

    def _has_result(self, a: Account) -> bool:
        return a["kind"] in ("income", "expense")

    def _undone(self, e: Entry) -> bool:
        return any(
            r["status"] != "dropped"
            for r in self._entries_by_reverses.get(e["id"], {}).values()
            if r["reverses_id"] is not None
        )

    def _ripe(self, e: Entry) -> bool:
        return e["reverses_id"] is None or self.entries[e["reverses_id"]]["status"] == "posted"

    def _own_until(self, a: Account, d: str) -> int:
        return sum(
            p["debit"] - p["credit"]
            for p in self._postings_by_account.get(a["id"], {}).values()
            if self.entries[p["entry_id"]]["status"] == "posted"
            and self.entries[p["entry_id"]]["date"] <= d
        )

    def _until_day(self, a: Account, d: str) -> int:
        return self._own_until(a, d) + sum(self._own_until(b, d) for b in _below(self._accounts_by_parent, a))

    def _may_post(self, b: Bookkeeper, e: Entry) -> bool:
        return b["id"] != e["by_id"] and self._entry_total(e) <= b["limit"]

    def _sound(self, e: Entry) -> bool:
        return (
            self._entry_gap(e) == self._entry_total(e) - self._entry_total(e)
            and self._entry_total(e) > 0
            and all(
                self._bookable(self.accounts[p["account_id"]])
                for p in self._postings_by_entry.get(e["id"], {}).values()
            )
        )

    def _breaks_rule_1(self, e: Entry) -> bool:
        """Whether this is broken: the lines of a posted entry balance."""
        return e["status"] == "posted" and self._entry_gap(e) != self._entry_total(e) - self._entry_total(e)

    def _breaks_rule_2(self, p: Posting) -> bool:
        """Whether this is broken: a line has either a debit or a credit."""
        return (p["debit"] > 0) == (p["credit"] > 0)

    def _breaks_rule_3(self, p: Posting) -> bool:
        """Whether this is broken: lines stand on accounts without accounts below them."""
        return not self._account_leaf(self.accounts[p["account_id"]])

    def _breaks_rule_4(self, e: Entry) -> bool:
        """Whether this is broken: an entry lies in the month of its date."""
        return self.periods[e["period_id"]]["starts"] > e["date"] or e["date"] > self.periods[e["period_id"]]["ends"]

    def _breaks_rule_5(self, p: Period) -> bool:
        """Whether this is broken: a closed month has no drafts."""
        return p["status"] != "open" and self._period_drafts(p) != 0

    def _breaks_rule_6_a(self, a: Period) -> bool:
        """Whether this is broken: months close in their order."""
        return any(
            a["status"] != "closed"
            and b["status"] != "open"
            for b in self.periods.values()
            if a["ends"] < b["starts"]
        )

    def _breaks_rule_6_b(self, b: Period) -> bool:
        """Whether this is broken: months close in their order."""
        return any(
            a["status"] != "closed"
            and b["status"] != "open"
            for a in self.periods.values()
            if a["ends"] < b["starts"]
        )

    def _breaks_rule_7(self, a: Account) -> bool:
        """Whether this is broken: an account is of the same kind as the account above it."""
        return a["parent_id"] is not None and self.accounts[a["parent_id"]]["kind"] != a["kind"]

    def _breaks_rule_8(self, a: Account) -> bool:
        """Whether this is broken: an account does not lie below itself."""
        return a in _above(self.accounts, a, "parent_id")

    def _breaks_rule_9(self, p: Posting) -> bool:
        """Whether this is broken: lines on income and expenses name a cost centre, and other lines none."""
        return (self.accounts[p["account_id"]]["kind"] in ("income", "expense")) != (p["cost_centre_id"] is not None)

    def _breaks_rule_10_e(self, e: Entry) -> bool:
        """Whether this is broken: an entry is posted by a second person, within that person's limit."""
        return (e["status"] == "posted") != (e["posted_by_id"] is not None)

    def _breaks_rule_10_e_again(self, e: Entry) -> bool:
        """Whether this is broken: an entry is posted by a second person, within that person's limit."""
        return not (
            e["posted_by_id"] is None
            or e["posted_by_id"] != e["by_id"]
            and self._entry_total(e) <= self.bookkeepers[e["posted_by_id"]]["limit"]
        )

    def _breaks_rule_11(self, e: Entry) -> bool:
        """Whether this is broken: a reversal is posted only when what it reverses was posted."""
        return not (e["status"] != "posted" or self._ripe(e))

    def _breaks_rule_12_e(self, e: Entry) -> bool:
        """Whether this is broken: an entry is reversed once at most, and not before its own date."""
        return (
            e["reverses_id"] is not None
            and e["status"] != "dropped"
            and any(
                other_e is not e
                for other_e in self._entries_by_reverses.get(e["reverses_id"], {}).values()
                if other_e["reverses_id"] is not None
                and other_e["status"] != "dropped"
            )
        )

    def _breaks_rule_12_e_again(self, e: Entry) -> bool:
        """Whether this is broken: an entry is reversed once at most, and not before its own date."""
        return e["reverses_id"] is not None and e["date"] < self.entries[e["reverses_id"]]["date"]

    def _breaks_rule_13_a(self, a: Account) -> bool:
        """Whether this is broken: a closed account has no balance, no draft and no open account below it."""
        return not a["open"] and self._account_own(a) != self._account_own(a) - self._account_own(a)

    def _breaks_rule_13_p(self, p: Posting) -> bool:
        """Whether this is broken: a closed account has no balance, no draft and no open account below it."""
        return self.entries[p["entry_id"]]["status"] == "draft" and not self.accounts[p["account_id"]]["open"]

    def _breaks_rule_13_a_again(self, a: Account) -> bool:
        """Whether this is broken: a closed account has no balance, no draft and no open account below it."""
        return a["open"] and a["parent_id"] is not None and not self.accounts[a["parent_id"]]["open"]

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
            case "accounts":
                self._accounts_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._accounts_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._accounts_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._accounts_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "periods":
                self._periods_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "entries":
                self._entries_by_period_status.setdefault(
                    (record["period_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._entries_by_reverses.setdefault(record["reverses_id"], {})[record["id"]] = record
            case "postings":
                self._postings_by_account.setdefault(record["account_id"], {})[record["id"]] = record
                self._postings_by_cost_centre.setdefault(record["cost_centre_id"], {})[record["id"]] = record
                self._postings_by_entry.setdefault(record["entry_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "accounts":
                del self._accounts_by_code[record["code"]][record["id"]]
                del self._accounts_by_lower_name[record["name"].lower()][record["id"]]
                del self._accounts_by_name[record["name"]][record["id"]]
                del self._accounts_by_parent[record["parent_id"]][record["id"]]
            case "periods":
                del self._periods_by_status[record["status"]][record["id"]]
            case "entries":
                del self._entries_by_period_status[record["period_id"], record["status"]][record["id"]]
                del self._entries_by_reverses[record["reverses_id"]][record["id"]]
            case "postings":
                del self._postings_by_account[record["account_id"]][record["id"]]
                del self._postings_by_cost_centre[record["cost_centre_id"]][record["id"]]
                del self._postings_by_entry[record["entry_id"]][record["id"]]
