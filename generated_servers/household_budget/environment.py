"""Household budget. Compiled from blueprint.yaml; run `envscaler build household_budget` after changing it there.

Keeps a family's money in envelopes by month, splits what is spent over them, moves money between them, pays
recurring bills and saves for goals.
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
    "No envelope is overspent in any month.",
    "No account goes below its overdraft.",
    "A month assigns no more than its income.",
    "An envelope has one allotment a month.",
    "What is spent is split over envelopes without a remainder, and what comes in is not.",
    "Money is spent only from envelopes of its month.",
    "An envelope occurs once in a split.",
    "Money comes from somewhere or goes somewhere, and never round in a circle.",
    "A goal is never saved for beyond its target.",
    "Months are closed in their order.",
    "Months begin on their first day.",
    "A bill that is running takes its money from a running cost envelope, not from savings.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "enter_spending",
    "enter_income",
    "transfer_money",
    "assign_money",
    "move_between",
    "remove_entry",
    "pay_bill",
    "change_bill",
    "save_for",
    "open_month",
    "close_month",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "accounts": ("name",),
    "months": ("name",),
    "envelopes": ("name",),
    "allotments": (),
    "entries": (),
    "splits": (),
    "bills": ("name",),
    "goals": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("allotments", "envelope_id"),
    ("allotments", "month_id"),
    ("entries", "into_id"),
    ("entries", "out_of_id"),
    ("months", "name"),
    ("months", "starts"),
    ("splits", "entry_id"),
    ("splits", "envelope_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Account(TypedDict):
    id: str
    name: str
    opening: int
    overdraft: int


class Month(TypedDict):
    id: str
    name: str
    starts: str
    income: int
    closed: bool


class Envelope(TypedDict):
    id: str
    name: str
    kind: Literal["fixed", "daily", "fun", "saving"]


class Allotment(TypedDict):
    id: str
    month_id: str
    envelope_id: str
    amount: int


class Entry(TypedDict):
    id: str
    what: str
    on: str
    amount: int
    out_of_id: str | None
    into_id: str | None
    by: Literal["katrin", "emeka", "lena", "omi"] | None


class Split(TypedDict):
    id: str
    entry_id: str
    envelope_id: str
    amount: int


class Bill(TypedDict):
    id: str
    name: str
    envelope_id: str
    account_id: str
    amount: int
    next_due: str
    every_months: int
    cancelled: bool


class Goal(TypedDict):
    id: str
    name: str
    target: int
    wanted_by: str
    saved: int


class EnterSpendingPart(TypedDict):
    envelope_id: str
    amount: Annotated[int, {"minimum": 1, "maximum": 1000000}]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


class HouseholdBudget:
    """Keeps a family's money in envelopes by month, splits what is spent over them, moves money between
    them, pays recurring bills and saves for goals.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.accounts: dict[str, Account] = _copied(config.get("accounts", {}))
        self.months: dict[str, Month] = _copied(config.get("months", {}))
        self.envelopes: dict[str, Envelope] = _copied(config.get("envelopes", {}))
        self.allotments: dict[str, Allotment] = _copied(config.get("allotments", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.splits: dict[str, Split] = _copied(config.get("splits", {}))
        self.bills: dict[str, Bill] = _copied(config.get("bills", {}))
        self.goals: dict[str, Goal] = _copied(config.get("goals", {}))
        self.now: str = config.get("now", "2026-05-19T19:30")
        self.counters: dict[str, int] = {
            "account": len(self.accounts),
            "month": len(self.months),
            "envelope": len(self.envelopes),
            "allotment": len(self.allotments),
            "entry": len(self.entries),
            "split": len(self.splits),
            "bill": len(self.bills),
            "goal": len(self.goals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._months_by_name: dict[Any, dict[str, Month]] = {}
        self._months_by_starts: dict[Any, dict[str, Month]] = {}
        self._allotments_by_envelope: dict[Any, dict[str, Allotment]] = {}
        self._allotments_by_month: dict[Any, dict[str, Allotment]] = {}
        self._allotments_by_month_envelope: dict[Any, dict[str, Allotment]] = {}
        self._entries_by_into: dict[Any, dict[str, Entry]] = {}
        self._entries_by_out_of: dict[Any, dict[str, Entry]] = {}
        self._splits_by_entry: dict[Any, dict[str, Split]] = {}
        self._splits_by_entry_envelope: dict[Any, dict[str, Split]] = {}
        self._splits_by_envelope: dict[Any, dict[str, Split]] = {}
        for month in self.months.values():
            self._link("months", month)
        for allotment in self.allotments.values():
            self._link("allotments", allotment)
        for entry in self.entries.values():
            self._link("entries", entry)
        for split in self.splits.values():
            self._link("splits", split)

    def envelopes_now(self, month_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What each envelope has, has spent and has left in a month, the fullest first.

        Args:
            month_id (str): Id of the month, such as MONTH-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "allotments": records}} or {"success": False, "error":
                why not}
        """
        month = self.months.get(month_id)
        if month is None:
            return _refused(f"There is no month {month_id!r}.")
        found = [a for a in self._allotments_by_month.get(month_id, {}).values()]
        found.sort(key=lambda a: (-self._allotment_left(a), self.envelopes[a["envelope_id"]]["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "allotments": [
                    {
                        "envelope_id": a["envelope_id"],
                        "envelope": self.envelopes[a["envelope_id"]]["name"],
                        "amount": a["amount"],
                        "spent": self._allotment_spent(a),
                        "left": self._allotment_left(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def bills_due(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Running bills that are due until a day, the next one first.

        Args:
            until (str): Last due day that is listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bills": records}} or {"success": False, "error": why
                not}
        """
        found = [b for b in self.bills.values() if (not b["cancelled"] and b["next_due"] <= until)]
        found.sort(key=lambda b: (b["next_due"], b["name"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bills": [
                    {
                        "id": b["id"],
                        "name": b["name"],
                        "amount": b["amount"],
                        "next_due": b["next_due"],
                        "envelope": self.envelopes[b["envelope_id"]]["name"],
                        "left_in_envelope": self._left_in(self.envelopes[b["envelope_id"]], self.now[:10]),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_accounts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accounts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only accounts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}}
        """
        found = [
            account
            for account in self.accounts.values()
            if (name is None or name.casefold() in account["name"].casefold())
        ]
        return _found(
            {"total": len(found), "accounts": [self._show_account(account) for account in _page(found, offset)]}
        )

    def list_months(
        self,
        name: Text | None = None,
        closed: bool | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the months, oldest first, all of them or only some.

        Args:
            name (str, optional): Only months whose name contains this text.
            closed (bool, optional): Only months that are closed (true) or not (false).
            starts_from (str, optional): Only months whose `starts` is on this day or later.
            starts_to (str, optional): Only months whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "months": records}}
        """
        found = [
            month
            for month in self.months.values()
            if (name is None or name.casefold() in month["name"].casefold())
            and (closed is None or month["closed"] == closed)
            and (starts_from is None or month["starts"] >= starts_from)
            and (starts_to is None or month["starts"] <= starts_to)
        ]
        return _found({"total": len(found), "months": [self._show_month(month) for month in _page(found, offset)]})

    def list_envelopes(
        self,
        name: Text | None = None,
        kind: Literal["fixed", "daily", "fun", "saving"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the envelopes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only envelopes whose name contains this text.
            kind (str, optional): Only envelopes with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "envelopes": records}}
        """
        found = [
            envelope
            for envelope in self.envelopes.values()
            if (name is None or name.casefold() in envelope["name"].casefold())
            and (kind is None or envelope["kind"] == kind)
        ]
        return _found({"total": len(found), "envelopes": [{**envelope} for envelope in _page(found, offset)]})

    def list_allotments(
        self,
        month_id: str | None = None,
        envelope_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the allotments, oldest first, all of them or only some.

        Args:
            month_id (str, optional): Only allotments of this month.
            envelope_id (str, optional): Only allotments of this envelope.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "allotments": records}}
        """
        if month_id is not None and month_id not in self.months:
            return _refused(f"There is no month {month_id!r}.")
        if envelope_id is not None and envelope_id not in self.envelopes:
            return _refused(f"There is no envelope {envelope_id!r}.")
        found = [
            allotment
            for allotment in self.allotments.values()
            if (month_id is None or allotment["month_id"] == month_id)
            and (envelope_id is None or allotment["envelope_id"] == envelope_id)
        ]
        shown = [self._show_allotment(allotment) for allotment in _page(found, offset)]
        return _found({"total": len(found), "allotments": shown}, self._names_of_allotments(shown))

    def list_entries(
        self,
        out_of_id: str | None = None,
        into_id: str | None = None,
        by: Literal["katrin", "emeka", "lena", "omi"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            out_of_id (str, optional): Only entries out of this account.
            into_id (str, optional): Only entries whose into is this account.
            by (str, optional): Only entries whose `by` is this.
            on_from (str, optional): Only entries whose `on` is on this day or later.
            on_to (str, optional): Only entries whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if out_of_id is not None and out_of_id not in self.accounts:
            return _refused(f"There is no account {out_of_id!r}.")
        if into_id is not None and into_id not in self.accounts:
            return _refused(f"There is no account {into_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (out_of_id is None or entry["out_of_id"] == out_of_id)
            and (into_id is None or entry["into_id"] == into_id)
            and (by is None or entry["by"] == by)
            and (on_from is None or entry["on"] >= on_from)
            and (on_to is None or entry["on"] <= on_to)
        ]
        shown = [{**entry} for entry in _page(found, offset)]
        return _found({"total": len(found), "entries": shown}, self._names_of_entries(shown))

    def list_splits(
        self,
        entry_id: str | None = None,
        envelope_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the splits, oldest first, all of them or only some.

        Args:
            entry_id (str, optional): Only splits of this entry.
            envelope_id (str, optional): Only splits of this envelope.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "splits": records}}
        """
        if entry_id is not None and entry_id not in self.entries:
            return _refused(f"There is no entry {entry_id!r}.")
        if envelope_id is not None and envelope_id not in self.envelopes:
            return _refused(f"There is no envelope {envelope_id!r}.")
        found = [
            split
            for split in self.splits.values()
            if (entry_id is None or split["entry_id"] == entry_id)
            and (envelope_id is None or split["envelope_id"] == envelope_id)
        ]
        shown = [{**split} for split in _page(found, offset)]
        return _found({"total": len(found), "splits": shown}, self._names_of_splits(shown))

    def list_bills(
        self,
        name: Text | None = None,
        envelope_id: str | None = None,
        account_id: str | None = None,
        cancelled: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bills, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bills whose name contains this text.
            envelope_id (str, optional): Only bills of this envelope.
            account_id (str, optional): Only bills of this account.
            cancelled (bool, optional): Only bills that are cancelled (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bills": records}}
        """
        if envelope_id is not None and envelope_id not in self.envelopes:
            return _refused(f"There is no envelope {envelope_id!r}.")
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        found = [
            bill
            for bill in self.bills.values()
            if (name is None or name.casefold() in bill["name"].casefold())
            and (envelope_id is None or bill["envelope_id"] == envelope_id)
            and (account_id is None or bill["account_id"] == account_id)
            and (cancelled is None or bill["cancelled"] == cancelled)
        ]
        shown = [{**bill} for bill in _page(found, offset)]
        return _found({"total": len(found), "bills": shown}, self._names_of_bills(shown))

    def list_goals(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the goals, oldest first, all of them or only some.

        Args:
            name (str, optional): Only goals whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "goals": records}}
        """
        found = [goal for goal in self.goals.values() if (name is None or name.casefold() in goal["name"].casefold())]
        return _found({"total": len(found), "goals": [self._show_goal(goal) for goal in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def enter_spending(
        self,
        what: Text,
        on: Date,
        account_id: str,
        by: Literal["katrin", "emeka", "lena", "omi"],
        parts: Annotated[list[EnterSpendingPart], {"maxItems": 20}],
    ) -> Result:
        """Enter what somebody spent, split over one or several envelopes of its month.

        Args:
            what (str): What the money was spent on.
            on (str): Day of the spending, not in the future, as YYYY-MM-DD.
            account_id (str): Id of the account, such as ACCOUNT-00001.
            by (str): Member of the household who spent it: katrin, emeka, lena or omi.
            parts (list): One entry for each envelope, each envelope once: envelope_id: envelope that pays this
                part, none for saving; an id such as ENVELOPE-00001; amount: money taken from the envelope, in
                cents, from 1 to 1000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        entries, parts = parts, []
        for entry_2 in entries:
            if entry_2["envelope_id"] not in self.envelopes:
                return _refused(f"There is no envelope {entry_2['envelope_id']!r}.")
            parts.append({"envelope": self.envelopes[entry_2["envelope_id"]], "amount": entry_2["amount"]})
        if on > self.now[:10]:
            return _refused(f"{on} is in the future.")
        month = self._month_of(on)
        if month is None or month["closed"]:
            return _refused(f"The month of {on} is closed or was never opened.")
        if not (len(parts) > 0 and _different([p["envelope"]["id"] for p in parts])):
            return _refused("Name at least one envelope, and each once.")
        if any(p["envelope"]["kind"] == "saving" for p in parts):
            return _refused("Savings are for goals.")
        short = next((p for p in parts if self._left_in(p["envelope"], on) < p["amount"]), None)
        if short is not None:
            return _refused(
                f"{short['envelope']['name']} has {_money(self._left_in(short['envelope'], on))} left, so move "
                f"{_money(short['amount'] - self._left_in(short['envelope'], on))} there first."
            )
        total = sum(p["amount"] for p in parts)
        if not self._can_pay(account, total):
            return _refused(
                f"{account['name']} has {_money(self._account_balance(account))} and cannot pay {_money(total)}."
            )
        self._journal = []
        added_splits: list[Any] = []
        if not 1 <= total <= 3000000:
            return self._take_back("The amount of an entry must be between 0.01 and 30,000.00.")
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "what": what,
            "on": on,
            "amount": total,
            "out_of_id": account_id,
            "into_id": None,
            "by": by,
        }
        self._add("entries", entry)
        for p in sorted(parts, key=lambda p: (p["envelope"]["name"],)):
            split = {
                "id": self._new_id("split", "SPLIT", self.splits),
                "entry_id": entry["id"],
                "envelope_id": p["envelope"]["id"],
                "amount": p["amount"],
            }
            self._add("splits", split)
            added_splits.append(split)
        for one_allotment in _distinct(
            [
                user
                for one in [self.envelopes[one["envelope_id"]] for one in added_splits]
                for user in self._allotments_by_envelope.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_1(one_allotment):
                return self._take_back(RULES[0])
        for one_account in _distinct([self.accounts.get(entry["into_id"]), self.accounts.get(entry["out_of_id"])]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        for one_entry in _distinct([entry, *[self.entries[one["entry_id"]] for one in added_splits]]):
            if self._breaks_rule_5_t(one_entry):
                return self._take_back(RULES[4])
        for one_split in _distinct(added_splits):
            if self._breaks_rule_5_s(one_split):
                return self._take_back(RULES[4])
        for one_split in _distinct(added_splits):
            if self._breaks_rule_6(one_split):
                return self._take_back(RULES[5])
        for one_split in _distinct(added_splits):
            if self._breaks_rule_7(one_split):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(entry):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: enter {what} on {on} (new: entry {entry['id']}).",
            "data": {"entry_id": entry["id"], **self._changes()},
        }

    def enter_income(
        self,
        what: Text,
        on: Date,
        account_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 3000000}],
        expected: bool = False,
    ) -> Result:
        """Enter money that came in; unless it was expected, it can be assigned to envelopes of its month.

        Args:
            what (str): What the money was paid for.
            on (str): Day on which it came in, not in the future, as YYYY-MM-DD.
            account_id (str): Id of the account, such as ACCOUNT-00001.
            amount (int): Money that came in, in cents, from 100 to 3000000.
            expected (bool): Whether the income of its month counts this money already, as it does with wages.
                Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if on > self.now[:10]:
            return _refused(f"{on} is in the future.")
        month = self._month_of(on)
        if month is None or month["closed"]:
            return _refused(f"The month of {on} is closed or was never opened.")
        self._journal = []
        changed_months: list[Any] = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "what": what,
            "on": on,
            "amount": amount,
            "out_of_id": None,
            "into_id": account_id,
            "by": None,
        }
        self._add("entries", entry)
        if not expected:
            income = month["income"] + amount
            if not 0 <= income <= 3000000:
                return self._take_back(f"The income of {month['name']} must be between 0.00 and 30,000.00.")
            changed_months.append(month)
            self._put("months", month, "income", income)
        for one_account in _distinct([self.accounts.get(entry["into_id"]), self.accounts.get(entry["out_of_id"])]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        for one_month in _distinct(changed_months):
            if self._breaks_rule_3(one_month):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_t(entry):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(entry):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: enter {_money(amount)} from {what} (new: entry {entry['id']}).",
            "data": {"entry_id": entry["id"], **self._changes()},
        }

    def transfer_money(
        self,
        source_id: str,
        target_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 3000000}],
    ) -> Result:
        """Move money from one account to another, without any envelope.

        Args:
            source_id (str): Account that the money leaves; an id such as ACCOUNT-00001.
            target_id (str): Account that gets the money; an id such as ACCOUNT-00001.
            amount (int): Money that is moved, in cents, from 100 to 3000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.accounts.get(source_id)
        if source is None:
            return _refused(f"There is no account {source_id!r}.")
        target = self.accounts.get(target_id)
        if target is None:
            return _refused(f"There is no account {target_id!r}.")
        if source is target:
            return _refused("That is the same account.")
        if not self._can_pay(source, amount):
            return _refused(
                f"{source['name']} has {_money(self._account_balance(source))} and cannot give {_money(amount)}."
            )
        self._journal = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "what": "transfer",
            "on": self.now[:10],
            "amount": amount,
            "out_of_id": source_id,
            "into_id": target_id,
            "by": None,
        }
        self._add("entries", entry)
        for one_account in _distinct([self.accounts.get(entry["into_id"]), self.accounts.get(entry["out_of_id"])]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        if self._breaks_rule_5_t(entry):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(entry):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: transfer {_money(amount)} from {source['name']} to {target['name']} (new: entry "
                f"{entry['id']})."
            ),
            "data": {"entry_id": entry["id"], **self._changes()},
        }

    def assign_money(
        self,
        month_id: str,
        envelope_id: str,
        amount: Annotated[int, {"minimum": 0, "maximum": 1000000}],
    ) -> Result:
        """Set how much an envelope has in a month.

        Args:
            month_id (str): Id of the month, such as MONTH-00001.
            envelope_id (str): Id of the envelope, such as ENVELOPE-00001.
            amount (int): Money that the envelope has in the month in all, in cents, from 0 to 1000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        month = self.months.get(month_id)
        if month is None:
            return _refused(f"There is no month {month_id!r}.")
        envelope = self.envelopes.get(envelope_id)
        if envelope is None:
            return _refused(f"There is no envelope {envelope_id!r}.")
        if month["closed"]:
            return _refused(f"{month['name']} is closed.")
        there = next(
            (
                a
                for a in sorted(
                    self._allotments_by_month_envelope.get((month_id, envelope_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if there is not None and amount < self._allotment_spent(there):
            return _refused(
                f"{_money(self._allotment_spent(there))} of {envelope['name']} are spent in {month['name']}."
            )
        if amount > self._month_unassigned(month) + (0 if there is None else there["amount"]):
            return _refused(f"{month['name']} has {_money(self._month_unassigned(month))} unassigned.")
        self._journal = []
        added_allotments: list[Any] = []
        changed_allotments: list[Any] = []
        if there is None:
            allotment = {
                "id": self._new_id("allotment", "ALLOTMENT", self.allotments),
                "month_id": month_id,
                "envelope_id": envelope_id,
                "amount": amount,
            }
            self._add("allotments", allotment)
            added_allotments.append(allotment)
        else:
            changed_allotments.append(there)
            self._put("allotments", there, "amount", amount)
        for one_allotment in _distinct([*added_allotments, *changed_allotments]):
            if self._breaks_rule_1(one_allotment):
                return self._take_back(RULES[0])
        for one_month in _distinct(
            [
                *[self.months[one["month_id"]] for one in added_allotments],
                *[self.months[one["month_id"]] for one in changed_allotments],
            ]
        ):
            if self._breaks_rule_3(one_month):
                return self._take_back(RULES[2])
        for one_allotment in _distinct(added_allotments):
            if self._breaks_rule_4(one_allotment):
                return self._take_back(RULES[3])
        for one_split in _distinct(
            [
                user
                for one in [self.envelopes[one["envelope_id"]] for one in added_allotments]
                for user in self._splits_by_envelope.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_6(one_split):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: give {envelope['name']} {_money(amount)} for {month['name']}.",
            "data": self._changes(),
        }

    def move_between(
        self,
        month_id: str,
        source_id: str,
        target_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 1000000}],
    ) -> Result:
        """Move money that is left from one envelope of a month to another.

        Args:
            month_id (str): Id of the month, such as MONTH-00001.
            source_id (str): Envelope that gives the money; an id such as ENVELOPE-00001.
            target_id (str): Envelope that gets the money; an id such as ENVELOPE-00001.
            amount (int): Money that is moved, at most what is left, in cents, from 1 to 1000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        month = self.months.get(month_id)
        if month is None:
            return _refused(f"There is no month {month_id!r}.")
        source = self.envelopes.get(source_id)
        if source is None:
            return _refused(f"There is no envelope {source_id!r}.")
        target = self.envelopes.get(target_id)
        if target is None:
            return _refused(f"There is no envelope {target_id!r}.")
        if month["closed"]:
            return _refused(f"{month['name']} is closed.")
        if source is target:
            return _refused("That is the same envelope.")
        giver = next(
            (a for a in sorted(self._allotments_by_month_envelope.get((month_id, source_id), {}).values(), key=_age)),
            None,
        )
        taker = next(
            (a for a in sorted(self._allotments_by_month_envelope.get((month_id, target_id), {}).values(), key=_age)),
            None,
        )
        if giver is None or taker is None:
            return _refused(f"One of the two has nothing in {month['name']}.")
        if amount > self._allotment_left(giver):
            return _refused(f"{source['name']} has {_money(self._allotment_left(giver))} left in {month['name']}.")
        self._journal = []
        new_amount = giver["amount"] - amount
        if not 0 <= new_amount <= 1000000:
            return self._take_back(f"The amount of {giver['id']} must be between 0.00 and 10,000.00.")
        self._put("allotments", giver, "amount", new_amount)
        new_amount_2 = taker["amount"] + amount
        if not 0 <= new_amount_2 <= 1000000:
            return self._take_back(f"The amount of {taker['id']} must be between 0.00 and 10,000.00.")
        self._put("allotments", taker, "amount", new_amount_2)
        if self._breaks_rule_1(giver):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(taker):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(self.months[giver["month_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(self.months[taker["month_id"]]):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move {_money(amount)} from {source['name']} to {target['name']}.",
            "data": self._changes(),
        }

    def remove_entry(self, entry_id: str) -> Result:
        """Remove an entry that was wrong, while its month is open.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        month = self._month_of(entry["on"])
        if month is None or month["closed"]:
            return _refused(f"The month of {entry['on']} is closed.")
        if entry["out_of_id"] is None or entry["into_id"] is not None:
            return _refused("Only spending is removed.")
        if entry["by"] is None:
            return _refused(f"{entry['what']} was paid as a bill or saved for a goal, so it cannot be removed.")
        self._journal = []
        deleted_splits: list[Any] = []
        for s in sorted(self._splits_by_entry.get(entry_id, {}).values(), key=_age):
            if s["id"] in self.splits:
                self._remove("splits", s)
            deleted_splits.append(s)
        if entry["id"] in self.entries:
            self._remove("entries", entry)
        users = len(self._splits_by_entry.get(entry["id"], {}))
        if users:
            return self._take_back(
                f"Entry {entry['id']} is still used by {users} {'split' if users == 1 else 'splits'}."
            )
        for one_allotment in _distinct(
            [
                *[
                    user
                    for one in [self.envelopes[one["envelope_id"]] for one in deleted_splits]
                    for user in self._allotments_by_envelope.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        self.envelopes[one["envelope_id"]]
                        for one in self._splits_by_entry.get(entry["id"], {}).values()
                    ]
                    for user in self._allotments_by_envelope.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_allotment):
                return self._take_back(RULES[0])
        for one_account in _distinct([self.accounts.get(entry["into_id"]), self.accounts.get(entry["out_of_id"])]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        for one_entry in _distinct([self.entries.get(one["entry_id"]) for one in deleted_splits]):
            if one_entry["id"] in self.entries and self._breaks_rule_5_t(one_entry):
                return self._take_back(RULES[4])
        for one_split in _distinct(self._splits_by_entry.get(entry["id"], {}).values()):
            if one_split["id"] in self.splits and self._breaks_rule_5_s(one_split):
                return self._take_back(RULES[4])
        for one_split in _distinct(self._splits_by_entry.get(entry["id"], {}).values()):
            if one_split["id"] in self.splits and self._breaks_rule_6(one_split):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: remove {entry['what']} of {entry['on']}.",
            "data": self._changes(),
        }

    def pay_bill(self, bill_id: str) -> Result:
        """Pay a bill from its account and envelope; it is due again after its interval.

        Args:
            bill_id (str): Id of the bill, such as BILL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bill = self.bills.get(bill_id)
        if bill is None:
            return _refused(f"There is no bill {bill_id!r}.")
        if bill["cancelled"]:
            return _refused(f"{bill['name']} is cancelled.")
        if bill["next_due"] > _plus_days(self.now[:10], 14):
            return _refused(f"{bill['name']} is due on {bill['next_due']}, which is more than two weeks ahead.")
        month = self._month_of(self.now[:10])
        if month is None or month["closed"]:
            return _refused(f"The month of {self.now[:10]} is not open.")
        if self._left_in(self.envelopes[bill["envelope_id"]], self.now[:10]) < bill["amount"]:
            return _refused(
                f"{self.envelopes[bill['envelope_id']]['name']} has "
                f"{_money(self._left_in(self.envelopes[bill['envelope_id']], self.now[:10]))} left for "
                f"{bill['name']}, which is {_money(bill['amount'])}."
            )
        if not self._can_pay(self.accounts[bill["account_id"]], bill["amount"]):
            return _refused(
                f"{self.accounts[bill['account_id']]['name']} has "
                f"{_money(self._account_balance(self.accounts[bill['account_id']]))} and cannot pay "
                f"{_money(bill['amount'])}."
            )
        self._journal = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "what": bill["name"],
            "on": self.now[:10],
            "amount": bill["amount"],
            "out_of_id": bill["account_id"],
            "into_id": None,
            "by": None,
        }
        self._add("entries", entry)
        split: Split = {
            "id": self._new_id("split", "SPLIT", self.splits),
            "entry_id": entry["id"],
            "envelope_id": bill["envelope_id"],
            "amount": bill["amount"],
        }
        self._add("splits", split)
        self._put("bills", bill, "next_due", _add_months(bill["next_due"], bill["every_months"]))
        for one_allotment in _distinct(self._allotments_by_envelope.get(split["envelope_id"], {}).values()):
            if self._breaks_rule_1(one_allotment):
                return self._take_back(RULES[0])
        for one_account in _distinct([self.accounts.get(entry["into_id"]), self.accounts.get(entry["out_of_id"])]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        if self._breaks_rule_5_t(entry):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_t(self.entries[split["entry_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_s(split):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(split):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(split):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(entry):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: pay {bill['name']} (new: entry {entry['id']}, split {split['id']}).",
            "data": {"entry_id": entry["id"], "split_id": split["id"], **self._changes()},
        }

    def change_bill(
        self,
        bill_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 300000}] | None = None,
        envelope_id: str | None = None,
        cancel: bool = False,
    ) -> Result:
        """Change the amount of a bill or the envelope that pays it, or cancel it.

        Args:
            bill_id (str): Id of the bill, such as BILL-00001.
            amount (int, optional): New amount of the bill, in cents, from 100 to 300000. If left out, the amount
                stays as it is.
            envelope_id (str, optional): Envelope that pays it from now on, none for saving; an id such as
                ENVELOPE-00001. If left out, the envelope stays as it is.
            cancel (bool): Whether the bill is cancelled. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bill = self.bills.get(bill_id)
        if bill is None:
            return _refused(f"There is no bill {bill_id!r}.")
        envelope = self.envelopes.get(envelope_id) if envelope_id is not None else None
        if envelope_id is not None and envelope is None:
            return _refused(f"There is no envelope {envelope_id!r}.")
        if bill["cancelled"]:
            return _refused(f"{bill['name']} is cancelled already.")
        if not (cancel or amount is not None or envelope_id is not None):
            return _refused("Say what is to change.")
        if envelope_id is not None and envelope["kind"] == "saving":
            return _refused("Bills are not paid from savings.")
        self._journal = []
        new_amount = amount if amount is not None else bill["amount"]
        if not 100 <= new_amount <= 300000:
            return self._take_back(f"The amount of {bill['name']} must be between 1.00 and 3,000.00.")
        self._put("bills", bill, "amount", new_amount)
        self._put("bills", bill, "envelope_id", (envelope or self.envelopes[bill["envelope_id"]])["id"])
        self._put("bills", bill, "cancelled", cancel)
        if self._breaks_rule_12(bill):
            return self._take_back(RULES[11])
        done = f"change {bill['name']}"
        if amount is not None:
            done += f" to {_money(amount)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def save_for(
        self,
        goal_id: str,
        account_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 1000000}],
    ) -> Result:
        """Put money from this month's savings towards a goal.

        Args:
            goal_id (str): Id of the goal, such as GOAL-00001.
            account_id (str): Id of the account, such as ACCOUNT-00001.
            amount (int): Money put towards the goal, at most what is missing, in cents, from 100 to 1000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        goal = self.goals.get(goal_id)
        if goal is None:
            return _refused(f"There is no goal {goal_id!r}.")
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if amount > self._goal_missing(goal):
            return _refused(f"{goal['name']} needs only {_money(self._goal_missing(goal))} more.")
        envelope = next((e for e in self.envelopes.values() if e["kind"] == "saving"), None)
        if envelope is None or self._left_in(envelope, self.now[:10]) < amount:
            return _refused(f"The savings have less than {_money(amount)} left this month.")
        if not self._can_pay(account, amount):
            return _refused(
                f"{account['name']} has {_money(self._account_balance(account))} and cannot pay {_money(amount)}."
            )
        self._journal = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "what": goal["name"],
            "on": self.now[:10],
            "amount": amount,
            "out_of_id": account_id,
            "into_id": None,
            "by": None,
        }
        self._add("entries", entry)
        split: Split = {
            "id": self._new_id("split", "SPLIT", self.splits),
            "entry_id": entry["id"],
            "envelope_id": envelope["id"],
            "amount": amount,
        }
        self._add("splits", split)
        saved = goal["saved"] + amount
        if not 0 <= saved <= 3000000:
            return self._take_back(f"The saved of {goal['name']} must be between 0.00 and 30,000.00.")
        self._put("goals", goal, "saved", saved)
        for one_allotment in _distinct(self._allotments_by_envelope.get(split["envelope_id"], {}).values()):
            if self._breaks_rule_1(one_allotment):
                return self._take_back(RULES[0])
        for one_account in _distinct([self.accounts.get(entry["into_id"]), self.accounts.get(entry["out_of_id"])]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        if self._breaks_rule_5_t(entry):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_t(self.entries[split["entry_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_s(split):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(split):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(split):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(entry):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(goal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: save {_money(amount)} for {goal['name']} (new: entry {entry['id']}, split {split['id']})."
            ),
            "data": {"entry_id": entry["id"], "split_id": split["id"], **self._changes()},
        }

    def open_month(self, name: Text, income: Annotated[int, {"minimum": 0, "maximum": 3000000}]) -> Result:
        """Open the month after the last one with the same envelopes and amounts.

        Args:
            name (str): Name of the new month, not in use yet.
            income (int): Money expected in the month, at least what the envelopes get, in cents, from 0 to
                3000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._months_by_name.get(name, {}):
            return _refused(f"There is {name} already.")
        last = min(self.months.values(), key=lambda m: (_descending(m["starts"]), _age(m)), default=None)
        if last is None:
            return _refused("No month was ever opened.")
        if last["starts"] > self.now[:10]:
            return _refused(f"{last['name']} is open already, and it is the coming month.")
        if income < self._month_allotted(last):
            return _refused(
                f"{last['name']} assigned {_money(self._month_allotted(last))}, which {_money(income)} does not "
                "cover."
            )
        self._journal = []
        added_allotments: list[Any] = []
        month: Month = {
            "id": self._new_id("month", "MONTH", self.months),
            "name": name,
            "starts": _add_months(last["starts"], 1),
            "income": income,
            "closed": False,
        }
        self._add("months", month)
        for a in sorted(self._allotments_by_month.get(last["id"], {}).values(), key=_age):
            allotment = {
                "id": self._new_id("allotment", "ALLOTMENT", self.allotments),
                "month_id": month["id"],
                "envelope_id": a["envelope_id"],
                "amount": a["amount"],
            }
            self._add("allotments", allotment)
            added_allotments.append(allotment)
        if len(self._months_by_name.get(month["name"], {})) > 1:
            return self._take_back(f"There is already a month with the name {month['name']!r}.")
        if len(self._months_by_starts.get(month["starts"], {})) > 1:
            return self._take_back(f"There is already a month with the starts {month['starts']!r}.")
        for one_allotment in _distinct(added_allotments):
            if self._breaks_rule_1(one_allotment):
                return self._take_back(RULES[0])
        for one_month in _distinct([month, *[self.months[one["month_id"]] for one in added_allotments]]):
            if self._breaks_rule_3(one_month):
                return self._take_back(RULES[2])
        for one_allotment in _distinct(added_allotments):
            if self._breaks_rule_4(one_allotment):
                return self._take_back(RULES[3])
        for one_split in _distinct(
            [
                user
                for one in [self.envelopes[one["envelope_id"]] for one in added_allotments]
                for user in self._splits_by_envelope.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_6(one_split):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_10(one_month) for one_month in self.months.values()):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(month):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: open {name} (new: month {month['id']}).",
            "data": {"month_id": month["id"], **self._changes()},
        }

    def close_month(self, month_id: str) -> Result:
        """Close a month that is over; what it has not assigned or not spent is carried over to the income of the next
        one.

        Args:
            month_id (str): Id of the month, such as MONTH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        month = self.months.get(month_id)
        if month is None:
            return _refused(f"There is no month {month_id!r}.")
        if month["closed"]:
            return _refused(f"{month['name']} is closed.")
        if _add_months(month["starts"], 1) > self.now[:10]:
            return _refused(f"{month['name']} is not over.")
        before = next((m for m in self.months.values() if m["starts"] < month["starts"] and not m["closed"]), None)
        if before is not None:
            return _refused(f"{before['name']} comes first.")
        coming = self._month_of(_add_months(month["starts"], 1))
        if coming is None:
            return _refused(f"Open the month after {month['name']} first, to which what is left is carried over.")
        self._journal = []
        income = (
            coming["income"]
            + self._month_unassigned(month)
            + sum(self._allotment_left(a) for a in self._allotments_by_month.get(month_id, {}).values())
        )
        if not 0 <= income <= 3000000:
            return self._take_back(f"The income of {coming['name']} must be between 0.00 and 30,000.00.")
        self._put("months", coming, "income", income)
        self._put("months", month, "closed", True)
        if self._breaks_rule_3(coming):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_10(one_month) for one_month in self.months.values()):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: close {month['name']}.", "data": self._changes()}

    def _show_account(self, account: Account) -> dict[str, Any]:
        """The account as an answer shows it."""
        return {**account, "balance": self._account_balance(account)}

    def _show_month(self, month: Month) -> dict[str, Any]:
        """The month as an answer shows it."""
        return {**month, "allotted": self._month_allotted(month), "unassigned": self._month_unassigned(month)}

    def _show_allotment(self, allotment: Allotment) -> dict[str, Any]:
        """The allotment as an answer shows it."""
        return {**allotment, "spent": self._allotment_spent(allotment), "left": self._allotment_left(allotment)}

    def _show_goal(self, goal: Goal) -> dict[str, Any]:
        """The goal as an answer shows it."""
        return {**goal, "missing": self._goal_missing(goal)}

    def _names_of_allotments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that allotments point to."""
        return _names(
            (self.months, "name", [row["month_id"] for row in shown]),
            (self.envelopes, "name", [row["envelope_id"] for row in shown]),
        )

    def _names_of_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entries point to."""
        return _names(
            (self.accounts, "name", [row["out_of_id"] for row in shown]),
            (self.accounts, "name", [row["into_id"] for row in shown]),
        )

    def _names_of_splits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that splits point to."""
        return _names((self.envelopes, "name", [row["envelope_id"] for row in shown]))

    def _names_of_bills(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bills point to."""
        return _names(
            (self.envelopes, "name", [row["envelope_id"] for row in shown]),
            (self.accounts, "name", [row["account_id"] for row in shown]),
        )

    def _account_balance(self, account: Account) -> int:
        """The balance of an account."""
        return (
            account["opening"]
            + sum(t["amount"] for t in self._entries_by_into.get(account["id"], {}).values())
            - sum(t["amount"] for t in self._entries_by_out_of.get(account["id"], {}).values())
        )

    def _month_allotted(self, month: Month) -> int:
        """The allotted of a month."""
        return sum(a["amount"] for a in self._allotments_by_month.get(month["id"], {}).values())

    def _month_unassigned(self, month: Month) -> int:
        """The unassigned of a month."""
        return month["income"] - self._month_allotted(month)

    def _allotment_spent(self, allotment: Allotment) -> int:
        """The spent of an allotment."""
        return sum(
            s["amount"]
            for s in self._splits_by_envelope.get(allotment["envelope_id"], {}).values()
            if self.entries[s["entry_id"]]["on"][:8] + "01" == self.months[allotment["month_id"]]["starts"]
        )

    def _allotment_left(self, allotment: Allotment) -> int:
        """The left of an allotment."""
        return allotment["amount"] - self._allotment_spent(allotment)

    def _goal_missing(self, goal: Goal) -> int:
        """The missing of a goal."""
        return goal["target"] - goal["saved"]

    def _month_of(self, d: str) -> Month | None:
        return next((m for m in sorted(self._months_by_starts.get(d[:8] + "01", {}).values(), key=_age)), None)

    def _pot(self, e: Envelope, d: str) -> Allotment | None:
        return next(
            (
                a
                for a in sorted(self._allotments_by_envelope.get(e["id"], {}).values(), key=_age)
                if self.months[a["month_id"]]["starts"] == d[:8] + "01"
            ),
            None,
        )

    def _left_in(self, e: Envelope, d: str) -> int:
        return sum(
            self._allotment_left(a)
            for a in self._allotments_by_envelope.get(e["id"], {}).values()
            if self.months[a["month_id"]]["starts"] == d[:8] + "01"
        )

    def _can_pay(self, k: Account, amount: int) -> bool:
        return self._account_balance(k) + k["overdraft"] >= amount

    def _breaks_rule_1(self, a: Allotment) -> bool:
        """Whether this is broken: no envelope is overspent in any month."""
        return self._allotment_left(a) < 0

    def _breaks_rule_2(self, k: Account) -> bool:
        """Whether this is broken: no account goes below its overdraft."""
        return self._account_balance(k) + k["overdraft"] < 0

    def _breaks_rule_3(self, m: Month) -> bool:
        """Whether this is broken: a month assigns no more than its income."""
        return self._month_allotted(m) > m["income"]

    def _breaks_rule_4(self, a: Allotment) -> bool:
        """Whether this is broken: an envelope has one allotment a month."""
        return any(
            other_a is not a
            for other_a in self._allotments_by_month_envelope.get((a["month_id"], a["envelope_id"]), {}).values()
        )

    def _breaks_rule_5_t(self, t: Entry) -> bool:
        """Whether this is broken: what is spent is split over envelopes without a remainder, and what comes in is
        not.
        """
        return (
            t["into_id"] is None
            and sum(s["amount"] for s in self._splits_by_entry.get(t["id"], {}).values()) != t["amount"]
        )

    def _breaks_rule_5_s(self, s: Split) -> bool:
        """Whether this is broken: what is spent is split over envelopes without a remainder, and what comes in is
        not.
        """
        return self.entries[s["entry_id"]]["out_of_id"] is None

    def _breaks_rule_6(self, s: Split) -> bool:
        """Whether this is broken: money is spent only from envelopes of its month."""
        return self._pot(self.envelopes[s["envelope_id"]], self.entries[s["entry_id"]]["on"]) is None

    def _breaks_rule_7(self, s: Split) -> bool:
        """Whether this is broken: an envelope occurs once in a split."""
        return any(
            other_s is not s
            for other_s in self._splits_by_entry_envelope.get((s["entry_id"], s["envelope_id"]), {}).values()
        )

    def _breaks_rule_8(self, t: Entry) -> bool:
        """Whether this is broken: money comes from somewhere or goes somewhere, and never round in a circle."""
        return not (
            (t["out_of_id"] is not None or t["into_id"] is not None)
            and (t["out_of_id"] is None or t["into_id"] is None or t["out_of_id"] != t["into_id"])
        )

    def _breaks_rule_9(self, g: Goal) -> bool:
        """Whether this is broken: a goal is never saved for beyond its target."""
        return g["saved"] > g["target"]

    def _breaks_rule_10(self, m: Month) -> bool:
        """Whether this is broken: months are closed in their order."""
        return m["closed"] and not all(n["closed"] for n in self.months.values() if n["starts"] < m["starts"])

    def _breaks_rule_11(self, m: Month) -> bool:
        """Whether this is broken: months begin on their first day."""
        return m["starts"] != m["starts"][:8] + "01"

    def _breaks_rule_12(self, b: Bill) -> bool:
        """Whether this is broken: a bill that is running takes its money from a running cost envelope, not from
        savings.
        """
        return not b["cancelled"] and self.envelopes[b["envelope_id"]]["kind"] == "saving"

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
            case "months":
                self._months_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._months_by_starts.setdefault(record["starts"], {})[record["id"]] = record
            case "allotments":
                self._allotments_by_envelope.setdefault(record["envelope_id"], {})[record["id"]] = record
                self._allotments_by_month.setdefault(record["month_id"], {})[record["id"]] = record
                self._allotments_by_month_envelope.setdefault(
                    (record["month_id"], record["envelope_id"]),
                    {},
                )[record["id"]] = record
            case "entries":
                self._entries_by_into.setdefault(record["into_id"], {})[record["id"]] = record
                self._entries_by_out_of.setdefault(record["out_of_id"], {})[record["id"]] = record
            case "splits":
                self._splits_by_entry.setdefault(record["entry_id"], {})[record["id"]] = record
                self._splits_by_entry_envelope.setdefault(
                    (record["entry_id"], record["envelope_id"]),
                    {},
                )[record["id"]] = record
                self._splits_by_envelope.setdefault(record["envelope_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "months":
                del self._months_by_name[record["name"]][record["id"]]
                del self._months_by_starts[record["starts"]][record["id"]]
            case "allotments":
                del self._allotments_by_envelope[record["envelope_id"]][record["id"]]
                del self._allotments_by_month[record["month_id"]][record["id"]]
                del self._allotments_by_month_envelope[record["month_id"], record["envelope_id"]][record["id"]]
            case "entries":
                del self._entries_by_into[record["into_id"]][record["id"]]
                del self._entries_by_out_of[record["out_of_id"]][record["id"]]
            case "splits":
                del self._splits_by_entry[record["entry_id"]][record["id"]]
                del self._splits_by_entry_envelope[record["entry_id"], record["envelope_id"]][record["id"]]
                del self._splits_by_envelope[record["envelope_id"]][record["id"]]
