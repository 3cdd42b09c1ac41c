"""Notarial deeds. Compiled from blueprint.yaml; run `envscaler build notarial_deeds` after changing it there.

Prepares and records deeds with their parties and powers of attorney, identity checks, drafts, register numbers
in order and escrow money that is released on conditions.
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
    "The register of a notary has no number twice and no gap.",
    "Signed deeds have a day and a register number, and drafts have neither.",
    "Somebody gives and somebody takes in a signed deed.",
    "A party stands once in a deed.",
    "Nobody appears for both who gives and who takes.",
    "Whoever appears for a party has a power that comes from that party and covers the deed.",
    "A power given under another, which must allow that, comes from its holder, for the same scope and no longer.",
    "A notary does not act where a party or whoever appears is somebody they are barred from.",
    "No more money comes in for a deed than its price, and none before it is signed.",
    "No more is paid out of a deed than was received.",
    "Money leaves only after every condition of the deed is met.",
    "Only those who take pay in, and only those who give and their banks are paid.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_deed",
    "add_party",
    "set_power",
    "send_draft",
    "check_identity",
    "grant_power",
    "revoke_power",
    "sign_deed",
    "meet_condition",
    "receive_money",
    "release_money",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "parties": ("name",),
    "notaries": ("name",),
    "powers": ("number",),
    "deeds": ("number",),
    "sides": (),
    "conditions": (),
    "deposits": (),
    "payouts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("conditions", "deed_id"),
    ("deeds", "notary_id"),
    ("deeds", "number"),
    ("deeds", "status"),
    ("deposits", "deed_id"),
    ("payouts", "deed_id"),
    ("powers", "number"),
    ("powers", "under_id"),
    ("sides", "deed_id"),
    ("sides", "party_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Party(TypedDict):
    id: str
    name: str
    identity_until: str | None
    consumer: bool


class Notary(TypedDict):
    id: str
    name: str
    barred_from_ids: list[str]


class Power(TypedDict):
    id: str
    number: str
    giver_id: str
    holder_id: str
    scope: Literal["sale", "loan", "company", "anything"]
    valid_until: str
    under_id: str | None
    may_pass_on: bool
    revoked_on: str | None


class Deed(TypedDict):
    id: str
    number: str
    kind: Literal["sale", "loan", "company"]
    notary_id: str
    price: int
    draft_sent_on: str | None
    signed_on: str | None
    register_no: int | None
    status: Literal["draft", "signed"]


class Side(TypedDict):
    id: str
    deed_id: str
    party_id: str
    role: Literal["gives", "takes", "bank"]
    power_id: str | None


class Condition(TypedDict):
    id: str
    deed_id: str
    what: Literal["land_entry", "permit", "bank_release", "tax_clearance"]
    met_on: str | None


class Deposit(TypedDict):
    id: str
    deed_id: str
    payer_id: str
    amount: int
    came_on: str


class Payout(TypedDict):
    id: str
    deed_id: str
    payee_id: str
    amount: int
    made_on: str


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


class NotarialDeeds:
    """Prepares and records deeds with their parties and powers of attorney, identity checks, drafts,
    register numbers in order and escrow money that is released on conditions.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.parties: dict[str, Party] = _copied(config.get("parties", {}))
        self.notaries: dict[str, Notary] = _copied(config.get("notaries", {}))
        self.powers: dict[str, Power] = _copied(config.get("powers", {}))
        self.deeds: dict[str, Deed] = _copied(config.get("deeds", {}))
        self.sides: dict[str, Side] = _copied(config.get("sides", {}))
        self.conditions: dict[str, Condition] = _copied(config.get("conditions", {}))
        self.deposits: dict[str, Deposit] = _copied(config.get("deposits", {}))
        self.payouts: dict[str, Payout] = _copied(config.get("payouts", {}))
        self.now: str = config.get("now", "2026-10-14T09:00")
        self.counters: dict[str, int] = {
            "party": len(self.parties),
            "notary": len(self.notaries),
            "power": len(self.powers),
            "deed": len(self.deeds),
            "side": len(self.sides),
            "condition": len(self.conditions),
            "deposit": len(self.deposits),
            "payout": len(self.payouts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._powers_by_number: dict[Any, dict[str, Power]] = {}
        self._powers_by_under: dict[Any, dict[str, Power]] = {}
        self._deeds_by_notary: dict[Any, dict[str, Deed]] = {}
        self._deeds_by_notary_status: dict[Any, dict[str, Deed]] = {}
        self._deeds_by_number: dict[Any, dict[str, Deed]] = {}
        self._sides_by_deed: dict[Any, dict[str, Side]] = {}
        self._sides_by_deed_party: dict[Any, dict[str, Side]] = {}
        self._conditions_by_deed: dict[Any, dict[str, Condition]] = {}
        self._deposits_by_deed: dict[Any, dict[str, Deposit]] = {}
        self._payouts_by_deed: dict[Any, dict[str, Payout]] = {}
        for power in self.powers.values():
            self._link("powers", power)
        for deed in self.deeds.values():
            self._link("deeds", deed)
        for side in self.sides.values():
            self._link("sides", side)
        for condition in self.conditions.values():
            self._link("conditions", condition)
        for deposit in self.deposits.values():
            self._link("deposits", deposit)
        for payout in self.payouts.values():
            self._link("payouts", payout)

    def ready_to_sign(
        self,
        on: Date,
        notary_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Drafts that could be signed on a day, the first sent on top.

        Args:
            on (str): Day on which they would be signed, as YYYY-MM-DD.
            notary_id (str, optional): Notary who has the drafts; an id such as NOTARY-00001. If left out, the
                drafts of all notaries are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deeds": records}} or {"success": False, "error": why
                not}
        """
        notary = self.notaries.get(notary_id) if notary_id is not None else None
        if notary_id is not None and notary is None:
            return _refused(f"There is no notary {notary_id!r}.")
        found = [
            d
            for d in self.deeds.values()
            if self._ready(d, on)
            and (notary_id is None or d["notary_id"] == notary_id)
        ]
        found.sort(key=lambda d: (d["draft_sent_on"] if d["draft_sent_on"] is not None else on, d["number"], _age(d)))
        return _found(
            {
                "total": len(found),
                "deeds": [
                    {
                        "id": d["id"],
                        "number": d["number"],
                        "notary": self.notaries[d["notary_id"]]["name"],
                        "draft_sent_on": d["draft_sent_on"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def powers_below(self, power_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """A power with everything that was passed on under it, and whether it is in force.

        Args:
            power_id (str): Id of the power, such as POWER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "powers": records}} or {"success": False, "error": why
                not}
        """
        power = self.powers.get(power_id)
        if power is None:
            return _refused(f"There is no power {power_id!r}.")
        found = [p for p in [power] + _below(self._powers_by_under, power)]
        return _found(
            {
                "total": len(found),
                "powers": [
                    {
                        "id": p["id"],
                        "number": p["number"],
                        "giver": self.parties[p["giver_id"]]["name"],
                        "holder": self.parties[p["holder_id"]]["name"],
                        "in_force": self._in_force(p, self.now[:10]),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def escrow(self, deed_id: str) -> Result:
        """How the money of a deed stands.

        Args:
            deed_id (str): Id of the deed, such as DEED-00001.

        Returns:
            dict: {"success": True, "data": {price, received, paid_out, held, open_conditions}} or {"success":
                False, "error": why not}
        """
        deed = self.deeds.get(deed_id)
        if deed is None:
            return _refused(f"There is no deed {deed_id!r}.")
        return _found(
            {
                "price": deed["price"],
                "received": self._deed_received(deed),
                "paid_out": self._deed_paid_out(deed),
                "held": self._deed_held(deed),
                "open_conditions": [
                    *[
                        c["what"]
                        for c in sorted(self._conditions_by_deed.get(deed_id, {}).values(), key=_age)
                        if c["met_on"] is None
                    ]
                ],
            }
        )

    def list_parties(
        self,
        name: Text | None = None,
        consumer: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parties whose name contains this text.
            consumer (bool, optional): Only parties with this value of `consumer`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}}
        """
        found = [
            party
            for party in self.parties.values()
            if (name is None or name.casefold() in party["name"].casefold())
            and (consumer is None or party["consumer"] == consumer)
        ]
        return _found({"total": len(found), "parties": [{**party} for party in _page(found, offset)]})

    def list_notaries(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the notaries, oldest first, all of them or only some.

        Args:
            name (str, optional): Only notaries whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "notaries": records}}
        """
        found = [
            notary
            for notary in self.notaries.values()
            if (name is None or name.casefold() in notary["name"].casefold())
        ]
        shown = [self._show_notary(notary) for notary in _page(found, offset)]
        return _found({"total": len(found), "notaries": shown}, self._names_of_notaries(shown))

    def list_powers(
        self,
        number: Text | None = None,
        giver_id: str | None = None,
        holder_id: str | None = None,
        scope: Literal["sale", "loan", "company", "anything"] | None = None,
        under_id: str | None = None,
        may_pass_on: bool | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the powers, oldest first, all of them or only some.

        Args:
            number (str, optional): Only powers whose number contains this text.
            giver_id (str, optional): Only powers whose giver is this party.
            holder_id (str, optional): Only powers whose holder is this party.
            scope (str, optional): Only powers with this scope.
            under_id (str, optional): Only powers under this power.
            may_pass_on (bool, optional): Only powers that may pass on (true) or not (false).
            valid_until_from (str, optional): Only powers whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only powers whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "powers": records}}
        """
        if giver_id is not None and giver_id not in self.parties:
            return _refused(f"There is no party {giver_id!r}.")
        if holder_id is not None and holder_id not in self.parties:
            return _refused(f"There is no party {holder_id!r}.")
        if under_id is not None and under_id not in self.powers:
            return _refused(f"There is no power {under_id!r}.")
        found = [
            power
            for power in self.powers.values()
            if (number is None or number.casefold() in power["number"].casefold())
            and (giver_id is None or power["giver_id"] == giver_id)
            and (holder_id is None or power["holder_id"] == holder_id)
            and (scope is None or power["scope"] == scope)
            and (under_id is None or power["under_id"] == under_id)
            and (may_pass_on is None or power["may_pass_on"] == may_pass_on)
            and (valid_until_from is None or power["valid_until"] >= valid_until_from)
            and (valid_until_to is None or power["valid_until"] <= valid_until_to)
        ]
        shown = [{**power} for power in _page(found, offset)]
        return _found({"total": len(found), "powers": shown}, self._names_of_powers(shown))

    def list_deeds(
        self,
        number: Text | None = None,
        kind: Literal["sale", "loan", "company"] | None = None,
        notary_id: str | None = None,
        status: Literal["draft", "signed"] | None = None,
        draft_sent_on_from: Date | None = None,
        draft_sent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deeds, oldest first, all of them or only some.

        Args:
            number (str, optional): Only deeds whose number contains this text.
            kind (str, optional): Only deeds with this kind.
            notary_id (str, optional): Only deeds of this notary.
            status (str, optional): Only deeds with this status.
            draft_sent_on_from (str, optional): Only deeds whose `draft_sent_on` is on this day or later.
            draft_sent_on_to (str, optional): Only deeds whose `draft_sent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deeds": records}}
        """
        if notary_id is not None and notary_id not in self.notaries:
            return _refused(f"There is no notary {notary_id!r}.")
        found = [
            deed
            for deed in self.deeds.values()
            if (number is None or number.casefold() in deed["number"].casefold())
            and (kind is None or deed["kind"] == kind)
            and (notary_id is None or deed["notary_id"] == notary_id)
            and (status is None or deed["status"] == status)
            and (
                draft_sent_on_from is None
                or (deed["draft_sent_on"] is not None and deed["draft_sent_on"] >= draft_sent_on_from)
            )
            and (
                draft_sent_on_to is None
                or (deed["draft_sent_on"] is not None and deed["draft_sent_on"] <= draft_sent_on_to)
            )
        ]
        shown = [self._show_deed(deed) for deed in _page(found, offset)]
        return _found({"total": len(found), "deeds": shown}, self._names_of_deeds(shown))

    def list_sides(
        self,
        deed_id: str | None = None,
        party_id: str | None = None,
        role: Literal["gives", "takes", "bank"] | None = None,
        power_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sides, oldest first, all of them or only some.

        Args:
            deed_id (str, optional): Only sides of this deed.
            party_id (str, optional): Only sides of this party.
            role (str, optional): Only sides with this role.
            power_id (str, optional): Only sides of this power.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sides": records}}
        """
        if deed_id is not None and deed_id not in self.deeds:
            return _refused(f"There is no deed {deed_id!r}.")
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        if power_id is not None and power_id not in self.powers:
            return _refused(f"There is no power {power_id!r}.")
        found = [
            side
            for side in self.sides.values()
            if (deed_id is None or side["deed_id"] == deed_id)
            and (party_id is None or side["party_id"] == party_id)
            and (role is None or side["role"] == role)
            and (power_id is None or side["power_id"] == power_id)
        ]
        shown = [{**side} for side in _page(found, offset)]
        return _found({"total": len(found), "sides": shown}, self._names_of_sides(shown))

    def list_conditions(
        self,
        deed_id: str | None = None,
        what: Literal["land_entry", "permit", "bank_release", "tax_clearance"] | None = None,
        met_on_from: Date | None = None,
        met_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the conditions, oldest first, all of them or only some.

        Args:
            deed_id (str, optional): Only conditions of this deed.
            what (str, optional): Only conditions whose `what` is this.
            met_on_from (str, optional): Only conditions whose `met_on` is on this day or later.
            met_on_to (str, optional): Only conditions whose `met_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "conditions": records}}
        """
        if deed_id is not None and deed_id not in self.deeds:
            return _refused(f"There is no deed {deed_id!r}.")
        found = [
            condition
            for condition in self.conditions.values()
            if (deed_id is None or condition["deed_id"] == deed_id)
            and (what is None or condition["what"] == what)
            and (met_on_from is None or (condition["met_on"] is not None and condition["met_on"] >= met_on_from))
            and (met_on_to is None or (condition["met_on"] is not None and condition["met_on"] <= met_on_to))
        ]
        shown = [{**condition} for condition in _page(found, offset)]
        return _found({"total": len(found), "conditions": shown}, self._names_of_conditions(shown))

    def list_deposits(
        self,
        deed_id: str | None = None,
        payer_id: str | None = None,
        came_on_from: Date | None = None,
        came_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deposits, oldest first, all of them or only some.

        Args:
            deed_id (str, optional): Only deposits of this deed.
            payer_id (str, optional): Only deposits whose payer is this party.
            came_on_from (str, optional): Only deposits whose `came_on` is on this day or later.
            came_on_to (str, optional): Only deposits whose `came_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deposits": records}}
        """
        if deed_id is not None and deed_id not in self.deeds:
            return _refused(f"There is no deed {deed_id!r}.")
        if payer_id is not None and payer_id not in self.parties:
            return _refused(f"There is no party {payer_id!r}.")
        found = [
            deposit
            for deposit in self.deposits.values()
            if (deed_id is None or deposit["deed_id"] == deed_id)
            and (payer_id is None or deposit["payer_id"] == payer_id)
            and (came_on_from is None or deposit["came_on"] >= came_on_from)
            and (came_on_to is None or deposit["came_on"] <= came_on_to)
        ]
        shown = [{**deposit} for deposit in _page(found, offset)]
        return _found({"total": len(found), "deposits": shown}, self._names_of_deposits(shown))

    def list_payouts(
        self,
        deed_id: str | None = None,
        payee_id: str | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payouts, oldest first, all of them or only some.

        Args:
            deed_id (str, optional): Only payouts of this deed.
            payee_id (str, optional): Only payouts whose payee is this party.
            made_on_from (str, optional): Only payouts whose `made_on` is on this day or later.
            made_on_to (str, optional): Only payouts whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payouts": records}}
        """
        if deed_id is not None and deed_id not in self.deeds:
            return _refused(f"There is no deed {deed_id!r}.")
        if payee_id is not None and payee_id not in self.parties:
            return _refused(f"There is no party {payee_id!r}.")
        found = [
            payout
            for payout in self.payouts.values()
            if (deed_id is None or payout["deed_id"] == deed_id)
            and (payee_id is None or payout["payee_id"] == payee_id)
            and (made_on_from is None or payout["made_on"] >= made_on_from)
            and (made_on_to is None or payout["made_on"] <= made_on_to)
        ]
        shown = [{**payout} for payout in _page(found, offset)]
        return _found({"total": len(found), "payouts": shown}, self._names_of_payouts(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_deed(
        self,
        number: Text,
        kind: Literal["sale", "loan", "company"],
        notary_id: str,
        price: Annotated[int, {"minimum": 100000, "maximum": 300000000}],
        conditions: Annotated[
            list[Literal["land_entry", "permit", "bank_release", "tax_clearance"]],
            {"maxItems": 20},
        ],
    ) -> Result:
        """Open the file of a deed with the conditions on which its money will be released.

        Args:
            number (str): Number of the new file, not in use yet.
            kind (str): What the deed is about: sale, loan or company.
            notary_id (str): Id of the notary, such as NOTARY-00001.
            price (int): Money that is to go through escrow under the deed, in cents, from 100000 to 300000000.
            conditions (list): Conditions to be met before money is released, each once, or none: land_entry,
                permit, bank_release or tax_clearance.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        notary = self.notaries.get(notary_id)
        if notary is None:
            return _refused(f"There is no notary {notary_id!r}.")
        if self._deeds_by_number.get(number, {}):
            return _refused(f"There is a file {number} already.")
        if not _different([c for c in conditions]):
            return _refused("A condition is named twice.")
        self._journal = []
        added_conditions: list[Any] = []
        deed: Deed = {
            "id": self._new_id("deed", "DEED", self.deeds),
            "number": number,
            "kind": kind,
            "notary_id": notary_id,
            "price": price,
            "draft_sent_on": None,
            "signed_on": None,
            "register_no": None,
            "status": "draft",
        }
        self._add("deeds", deed)
        for c in list(conditions):
            condition = {
                "id": self._new_id("condition", "CONDITION", self.conditions),
                "deed_id": deed["id"],
                "what": c,
                "met_on": None,
            }
            self._add("conditions", condition)
            added_conditions.append(condition)
        if len(self._deeds_by_number.get(deed["number"], {})) > 1:
            return self._take_back(f"There is already a deed with the number {deed['number']!r}.")
        if self._breaks_rule_1_d(deed):
            return self._take_back(RULES[0])
        for one_deed in _distinct([deed, *self._deeds_by_notary.get(deed["notary_id"], {}).values()]):
            if self._breaks_rule_1_d_again(one_deed):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(deed):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(deed):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(deed):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(deed):
            return self._take_back(RULES[9])
        for one_condition in _distinct(added_conditions):
            if self._breaks_rule_11(one_condition):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: open the file {number} for {notary['name']} (new: deed {deed['id']}).",
            "data": {"deed_id": deed["id"], **self._changes()},
        }

    def add_party(self, deed_id: str, party_id: str, role: Literal["gives", "takes", "bank"]) -> Result:
        """Add a party to a draft.

        Args:
            deed_id (str): Id of the deed, such as DEED-00001.
            party_id (str): Id of the party, such as PARTY-00001.
            role (str): Whether the party gives, takes or is the bank in the deed: gives, takes or bank.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deed = self.deeds.get(deed_id)
        if deed is None:
            return _refused(f"There is no deed {deed_id!r}.")
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if deed["status"] != "draft":
            return _refused(f"{deed['number']} is signed.")
        if self._sides_by_deed_party.get((deed_id, party_id), {}):
            return _refused(f"{party['name']} stands in {deed['number']} already.")
        if party_id in self.notaries[deed["notary_id"]]["barred_from_ids"]:
            return _refused(f"{self.notaries[deed['notary_id']]['name']} is barred from acting for {party['name']}.")
        own = next(
            (
                s
                for s in self._sides(deed)
                if role != "bank"
                and s["role"] != "bank"
                and s["role"] != role
                and self._appears(s) is party
            ),
            None,
        )
        if own is not None:
            return _refused(f"{party['name']} appears for {self.parties[own['party_id']]['name']} there.")
        self._journal = []
        side: Side = {
            "id": self._new_id("side", "SIDE", self.sides),
            "deed_id": deed_id,
            "party_id": party_id,
            "role": role,
            "power_id": None,
        }
        self._add("sides", side)
        self._put("deeds", deed, "draft_sent_on", None)
        if self._breaks_rule_3(self.deeds[side["deed_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(side):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(side):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(side):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(side):
            return self._take_back(RULES[7])
        for one_deposit in _distinct(self._deposits_by_deed.get(side["deed_id"], {}).values()):
            if self._breaks_rule_12_m(one_deposit):
                return self._take_back(RULES[11])
        for one_payout in _distinct(self._payouts_by_deed.get(side["deed_id"], {}).values()):
            if self._breaks_rule_12_p(one_payout):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: add {party['name']} to {deed['number']} as who {role} (new: side {side['id']}).",
            "data": {"side_id": side["id"], **self._changes()},
        }

    def set_power(self, side_id: str, power_id: str | None = None) -> Result:
        """Let somebody appear for a party of a draft under a power of attorney, or the party in person where no power
        is named.

        Args:
            side_id (str): Id of the side, such as SIDE-00001.
            power_id (str, optional): Power of attorney in force under which somebody appears for the party; an id
                such as POWER-00001. If left out, the party appears in person, and a power named before no longer
                counts.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        side = self.sides.get(side_id)
        if side is None:
            return _refused(f"There is no side {side_id!r}.")
        power = self.powers.get(power_id) if power_id is not None else None
        if power_id is not None and power is None:
            return _refused(f"There is no power {power_id!r}.")
        if self.deeds[side["deed_id"]]["status"] != "draft":
            return _refused(f"{self.deeds[side['deed_id']]['number']} is signed.")
        if power_id is None and side["power_id"] is None:
            return _refused(f"{self.parties[side['party_id']]['name']} appears in person anyway.")
        if power_id is not None and self._principal(power) is not self.parties[side["party_id"]]:
            return _refused(f"Power {power['number']} does not come from {self.parties[side['party_id']]['name']}.")
        if not (power_id is None or self._covers(power, self.deeds[side["deed_id"]])):
            return _refused(
                f"Power {power['number']} is for {power['scope']}, and {self.deeds[side['deed_id']]['number']} is "
                f"a {self.deeds[side['deed_id']]['kind']}."
            )
        if not (power_id is None or self._in_force(power, self.now[:10])):
            return _refused(f"Power {power['number']} is not in force.")
        who = self.parties[power["holder_id"]] if power_id is not None else self.parties[side["party_id"]]
        if who["id"] in self.notaries[self.deeds[side["deed_id"]]["notary_id"]]["barred_from_ids"]:
            return _refused(
                f"{self.notaries[self.deeds[side['deed_id']]['notary_id']]['name']} is barred from acting for "
                f"{who['name']}."
            )
        across = next(
            (
                s
                for s in self._sides(self.deeds[side["deed_id"]])
                if s is not side
                and s["role"] != side["role"]
                and s["role"] != "bank"
                and side["role"] != "bank"
                and self._appears(s) is who
            ),
            None,
        )
        if across is not None:
            return _refused(
                f"{who['name']} appears on the other side for {self.parties[across['party_id']]['name']}."
            )
        self._journal = []
        self._put("sides", side, "power_id", power_id)
        if self._breaks_rule_5(side):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(side):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(side):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: settle who appears for {self.parties[side['party_id']]['name']} in "
                f"{self.deeds[side['deed_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def send_draft(
        self,
        deed_id: str,
        price: Annotated[int, {"minimum": 100000, "maximum": 300000000}] | None = None,
    ) -> Result:
        """Send the draft of a deed to its parties, with a new price where one is given; consumers have fourteen days
        from then.

        Args:
            deed_id (str): Id of the deed, such as DEED-00001.
            price (int, optional): New price of the deed, needed to send a draft again, in cents, from 100000 to
                300000000. If left out, the price stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deed = self.deeds.get(deed_id)
        if deed is None:
            return _refused(f"There is no deed {deed_id!r}.")
        if deed["status"] != "draft":
            return _refused(f"{deed['number']} is signed.")
        if not (
            any(s["role"] == "gives" for s in self._sides(deed))
            and any(s["role"] == "takes" for s in self._sides(deed))
        ):
            return _refused(f"{deed['number']} lacks somebody who gives or takes.")
        if price is None and deed["draft_sent_on"] is not None:
            return _refused(f"The draft of {deed['number']} was sent, and nothing has changed.")
        self._journal = []
        new_price = price if price is not None else deed["price"]
        if not 100000 <= new_price <= 300000000:
            return self._take_back(f"The price of {deed['number']} must be between 1,000.00 and 3,000,000.00.")
        self._put("deeds", deed, "price", new_price)
        self._put("deeds", deed, "draft_sent_on", self.now[:10])
        if self._breaks_rule_9(deed):
            return self._take_back(RULES[8])
        done = f"send the draft of {deed['number']}"
        if price is not None:
            done += f" with the price {_money(price)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def check_identity(self, party_id: str, valid_until: Date) -> Result:
        """Enter that somebody showed an identity document.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            valid_until (str): Last day on which the document is valid, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if valid_until <= self.now[:10]:
            return _refused(f"That document expired on {valid_until}.")
        if party["identity_until"] is not None and valid_until <= party["identity_until"]:
            return _refused(f"{party['name']} has shown a document valid until {party['identity_until']}.")
        self._journal = []
        self._put("parties", party, "identity_until", valid_until)
        return {"success": True, "message": f"Done: enter the identity of {party['name']}.", "data": self._changes()}

    def grant_power(
        self,
        number: Text,
        giver_id: str,
        holder_id: str,
        scope: Literal["sale", "loan", "company", "anything"],
        valid_until: Date,
        under_id: str | None = None,
        may_pass_on: bool = False,
    ) -> Result:
        """Record a power of attorney, or one that its holder passes on under their own, where that one says that it
        may be passed on.

        Args:
            number (str): Number of the new power of attorney, not in use yet.
            giver_id (str): Person who grants the power, or who passes on the one they hold; an id such as
                PARTY-00001.
            holder_id (str): Person who may act under the power; an id such as PARTY-00001.
            scope (str): Sort of deed for which the power is good: sale, loan, company or anything.
            valid_until (str): Last day on which the power is valid, after today, as YYYY-MM-DD.
            under_id (str, optional): Power that the giver holds and passes on, which must allow it; an id such as
                POWER-00001. If left out, the giver grants it for themselves, not under another power.
            may_pass_on (bool): Whether the holder may pass the power on to others. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.parties.get(giver_id)
        if giver is None:
            return _refused(f"There is no party {giver_id!r}.")
        holder = self.parties.get(holder_id)
        if holder is None:
            return _refused(f"There is no party {holder_id!r}.")
        under = self.powers.get(under_id) if under_id is not None else None
        if under_id is not None and under is None:
            return _refused(f"There is no power {under_id!r}.")
        if self._powers_by_number.get(number, {}):
            return _refused(f"There is a power {number} already.")
        if giver is holder:
            return _refused("Nobody needs a power of their own.")
        if valid_until <= self.now[:10]:
            return _refused(f"It would have expired on {valid_until}.")
        if under_id is not None and under["holder_id"] != giver_id:
            return _refused(f"{giver['name']} does not hold power {under['number']}.")
        if under_id is not None and not under["may_pass_on"]:
            return _refused(f"Power {under['number']} does not let its holder pass it on.")
        if not (under_id is None or self._in_force(under, self.now[:10])):
            return _refused(f"Power {under['number']} is not in force.")
        if not (
            under_id is None
            or (under["scope"] == scope or under["scope"] == "anything")
            and valid_until <= under["valid_until"]
        ):
            return _refused(f"Power {under['number']} is for {under['scope']} until {under['valid_until']}.")
        self._journal = []
        power: Power = {
            "id": self._new_id("power", "POWER", self.powers),
            "number": number,
            "giver_id": giver_id,
            "holder_id": holder_id,
            "scope": scope,
            "valid_until": valid_until,
            "under_id": under_id,
            "may_pass_on": may_pass_on,
            "revoked_on": None,
        }
        self._add("powers", power)
        if len(self._powers_by_number.get(power["number"], {})) > 1:
            return self._take_back(f"There is already a power with the number {power['number']!r}.")
        if self._breaks_rule_7(power):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: record power {number} of {giver['name']} for {holder['name']} (new: power {power['id']})."
            ),
            "data": {"power_id": power["id"], **self._changes()},
        }

    def revoke_power(self, power_id: str) -> Result:
        """Revoke a power; whatever was passed on under it has no force any more.

        Args:
            power_id (str): Id of the power, such as POWER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        power = self.powers.get(power_id)
        if power is None:
            return _refused(f"There is no power {power_id!r}.")
        if power["revoked_on"] is not None:
            return _refused(f"Power {power['number']} was revoked on {power['revoked_on']}.")
        self._journal = []
        self._put("powers", power, "revoked_on", self.now[:10])
        return {"success": True, "message": f"Done: revoke power {power['number']}.", "data": self._changes()}

    def sign_deed(self, deed_id: str) -> Result:
        """Have a deed signed; it gets the next number in the register of the notary.

        Args:
            deed_id (str): Id of the deed, such as DEED-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deed = self.deeds.get(deed_id)
        if deed is None:
            return _refused(f"There is no deed {deed_id!r}.")
        if deed["status"] != "draft":
            return _refused(f"{deed['number']} is signed.")
        if not (
            any(s["role"] == "gives" for s in self._sides(deed))
            and any(s["role"] == "takes" for s in self._sides(deed))
        ):
            return _refused(f"{deed['number']} lacks somebody who gives or takes.")
        if deed["draft_sent_on"] is None:
            return _refused(f"The draft of {deed['number']} was not sent.")
        if not self._ripe(deed, self.now[:10]):
            return _refused(f"Consumers have fourteen days, and the draft was sent on {deed['draft_sent_on']}.")
        bad = self._powerless(deed, self.now[:10])
        if bad is not None:
            return _refused(f"The power for {self.parties[bad['party_id']]['name']} is not in force.")
        stranger = self._unproven(deed, self.now[:10])
        if stranger is not None:
            return _refused(
                f"No valid identity was shown by whoever appears for {self.parties[stranger['party_id']]['name']}."
            )
        last = (
            max(
                (
                    d["register_no"]
                    for d in self._deeds_by_notary.get(deed["notary_id"], {}).values()
                    if d["register_no"] is not None
                ),
                default=None,
            )
            if max(
                (
                    d["register_no"]
                    for d in self._deeds_by_notary.get(deed["notary_id"], {}).values()
                    if d["register_no"] is not None
                ),
                default=None,
            ) is not None
            else 0
        )
        self._journal = []
        register_no = last + 1
        if not 1 <= register_no <= 9000:
            return self._take_back(f"The register no of {deed['number']} must be between 1 and 9000.")
        self._put("deeds", deed, "register_no", register_no)
        self._put("deeds", deed, "signed_on", self.now[:10])
        self._put("deeds", deed, "status", "signed")
        if self._breaks_rule_1_d(deed):
            return self._take_back(RULES[0])
        for one_deed in _distinct([deed, *self._deeds_by_notary.get(deed["notary_id"], {}).values()]):
            if self._breaks_rule_1_d_again(one_deed):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(deed):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(deed):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(deed):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: sign {deed['number']}.", "data": self._changes()}

    def meet_condition(self, condition_id: str) -> Result:
        """Enter that a condition for the release of money is met.

        Args:
            condition_id (str): Id of the condition, such as CONDITION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        condition = self.conditions.get(condition_id)
        if condition is None:
            return _refused(f"There is no condition {condition_id!r}.")
        if self.deeds[condition["deed_id"]]["status"] != "signed":
            return _refused(f"{self.deeds[condition['deed_id']]['number']} is not signed.")
        if condition["met_on"] is not None:
            return _refused(f"That was met on {condition['met_on']}.")
        self._journal = []
        self._put("conditions", condition, "met_on", self.now[:10])
        if self._breaks_rule_11(condition):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: enter {condition['what']} for {self.deeds[condition['deed_id']]['number']}.",
            "data": self._changes(),
        }

    def receive_money(
        self,
        deed_id: str,
        payer_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 300000000}],
    ) -> Result:
        """Enter money that came in on the escrow account for a signed deed.

        Args:
            deed_id (str): Id of the deed, such as DEED-00001.
            payer_id (str): Party that takes under the deed, or its bank, who paid; an id such as PARTY-00001.
            amount (int): Money that came in, no more than is still open of the price, in cents, from 1 to
                300000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deed = self.deeds.get(deed_id)
        if deed is None:
            return _refused(f"There is no deed {deed_id!r}.")
        payer = self.parties.get(payer_id)
        if payer is None:
            return _refused(f"There is no party {payer_id!r}.")
        if deed["status"] != "signed":
            return _refused(f"{deed['number']} is not signed.")
        if not any(s["party_id"] == payer_id and s["role"] in ("takes", "bank") for s in self._sides(deed)):
            return _refused(f"{payer['name']} has nothing to pay under {deed['number']}.")
        if self._deed_received(deed) + amount > deed["price"]:
            return _refused(
                f"{_money(deed['price'] - self._deed_received(deed))} are still open under {deed['number']}, not "
                f"{_money(amount)}."
            )
        self._journal = []
        deposit: Deposit = {
            "id": self._new_id("deposit", "DEPOSIT", self.deposits),
            "deed_id": deed_id,
            "payer_id": payer_id,
            "amount": amount,
            "came_on": self.now[:10],
        }
        self._add("deposits", deposit)
        if self._breaks_rule_9(self.deeds[deposit["deed_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.deeds[deposit["deed_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_12_m(deposit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: enter {_money(amount)} from {payer['name']} for {deed['number']} (new: deposit "
                f"{deposit['id']})."
            ),
            "data": {"deposit_id": deposit["id"], **self._changes()},
        }

    def release_money(
        self,
        deed_id: str,
        payee_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 300000000}],
    ) -> Result:
        """Pay money out of escrow once all conditions of the deed are met.

        Args:
            deed_id (str): Id of the deed, such as DEED-00001.
            payee_id (str): Party that gives under the deed, or the bank, who is paid; an id such as PARTY-00001.
            amount (int): Money to pay out, no more than is held for the deed, in cents, from 1 to 300000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deed = self.deeds.get(deed_id)
        if deed is None:
            return _refused(f"There is no deed {deed_id!r}.")
        payee = self.parties.get(payee_id)
        if payee is None:
            return _refused(f"There is no party {payee_id!r}.")
        if not any(s["party_id"] == payee_id and s["role"] in ("gives", "bank") for s in self._sides(deed)):
            return _refused(f"{payee['name']} is paid nothing under {deed['number']}.")
        wait = self._unmet(deed)
        if wait is not None:
            return _refused(f"{wait['what']} is not met yet.")
        if self._deed_held(deed) < amount:
            return _refused(f"{_money(self._deed_held(deed))} are held for {deed['number']}, not {_money(amount)}.")
        self._journal = []
        payout: Payout = {
            "id": self._new_id("payout", "PAYOUT", self.payouts),
            "deed_id": deed_id,
            "payee_id": payee_id,
            "amount": amount,
            "made_on": self.now[:10],
        }
        self._add("payouts", payout)
        if self._breaks_rule_10(self.deeds[payout["deed_id"]]):
            return self._take_back(RULES[9])
        for one_condition in _distinct(self._conditions_by_deed.get(payout["deed_id"], {}).values()):
            if self._breaks_rule_11(one_condition):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_p(payout):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: release {_money(amount)} to {payee['name']} from {deed['number']} (new: payout "
                f"{payout['id']})."
            ),
            "data": {"payout_id": payout["id"], **self._changes()},
        }

    def _show_notary(self, notary: Notary) -> dict[str, Any]:
        """The notary as an answer shows it."""
        return {
            **notary,
            "barred_from_ids": [*notary["barred_from_ids"]],
            "signed": self._notary_signed(notary),
            "drafts": self._notary_drafts(notary),
        }

    def _show_deed(self, deed: Deed) -> dict[str, Any]:
        """The deed as an answer shows it."""
        return {
            **deed,
            "received": self._deed_received(deed),
            "paid_out": self._deed_paid_out(deed),
            "held": self._deed_held(deed),
        }

    def _names_of_notaries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that notaries point to."""
        return _names((self.parties, "name", [each for row in shown for each in row["barred_from_ids"]]))

    def _names_of_powers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that powers point to."""
        return _names(
            (self.parties, "name", [row["giver_id"] for row in shown]),
            (self.parties, "name", [row["holder_id"] for row in shown]),
            (self.powers, "number", [row["under_id"] for row in shown]),
        )

    def _names_of_deeds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deeds point to."""
        return _names((self.notaries, "name", [row["notary_id"] for row in shown]))

    def _names_of_sides(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sides point to."""
        return _names(
            (self.deeds, "number", [row["deed_id"] for row in shown]),
            (self.parties, "name", [row["party_id"] for row in shown]),
            (self.powers, "number", [row["power_id"] for row in shown]),
        )

    def _names_of_conditions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that conditions point to."""
        return _names((self.deeds, "number", [row["deed_id"] for row in shown]))

    def _names_of_deposits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deposits point to."""
        return _names(
            (self.deeds, "number", [row["deed_id"] for row in shown]),
            (self.parties, "name", [row["payer_id"] for row in shown]),
        )

    def _names_of_payouts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payouts point to."""
        return _names(
            (self.deeds, "number", [row["deed_id"] for row in shown]),
            (self.parties, "name", [row["payee_id"] for row in shown]),
        )

    def _notary_signed(self, notary: Notary) -> int:
        """The signed of a notary."""
        return len(self._deeds_by_notary_status.get((notary["id"], "signed"), {}))

    def _notary_drafts(self, notary: Notary) -> int:
        """The drafts of a notary."""
        return len(self._deeds_by_notary_status.get((notary["id"], "draft"), {}))

    def _deed_received(self, deed: Deed) -> int:
        """The received of a deed."""
        return sum(m["amount"] for m in self._deposits_by_deed.get(deed["id"], {}).values())

    def _deed_paid_out(self, deed: Deed) -> int:
        """The paid out of a deed."""
        return sum(p["amount"] for p in self._payouts_by_deed.get(deed["id"], {}).values())

    def _deed_held(self, deed: Deed) -> int:
        """The held of a deed."""
        return self._deed_received(deed) - self._deed_paid_out(deed)

    def _chain(self, p: Power) -> list[Power]:
        return [p] + _above(self.powers, p, "under_id")

    def _in_force(self, p: Power, d: str) -> bool:
        return all(q["revoked_on"] is None and q["valid_until"] >= d for q in self._chain(p))

    def _principal(self, p: Power) -> Party | None:
        return next((self.parties[q["giver_id"]] for q in self._chain(p) if q["under_id"] is None), None)

    def _covers(self, p: Power, d: Deed) -> bool:
        return p["scope"] in ("anything", d["kind"])

    def _appears(self, s: Side) -> Party:
        return (
            self.parties[self.powers[s["power_id"]]["holder_id"]]
            if s["power_id"] is not None
            else self.parties[s["party_id"]]
        )

    def _sides(self, d: Deed) -> list[Side]:
        return sorted(self._sides_by_deed.get(d["id"], {}).values(), key=_age)

    def _unmet(self, d: Deed) -> Condition | None:
        return next(
            (c for c in sorted(self._conditions_by_deed.get(d["id"], {}).values(), key=_age) if c["met_on"] is None),
            None,
        )

    def _ripe(self, d: Deed, on: str) -> bool:
        return (
            d["draft_sent_on"] is not None
            and (
                _plus_days(d["draft_sent_on"], 14) <= on
                or not any(self.parties[s["party_id"]]["consumer"] for s in self._sides(d))
            )
        )

    def _unproven(self, d: Deed, on: str) -> Side | None:
        return next(
            (
                s
                for s in self._sides(d)
                if (
                    self._appears(s)["identity_until"]
                    if self._appears(s)["identity_until"] is not None
                    else _plus_days(on, -1)
                ) < on
            ),
            None,
        )

    def _powerless(self, d: Deed, on: str) -> Side | None:
        return next(
            (
                s
                for s in self._sides(d)
                if s["power_id"] is not None
                and not self._in_force(self.powers[s["power_id"]], on)
            ),
            None,
        )

    def _ready(self, d: Deed, on: str) -> bool:
        return (
            d["status"] == "draft"
            and self._ripe(d, on)
            and self._unproven(d, on) is None
            and self._powerless(d, on) is None
            and any(s["role"] == "gives" for s in self._sides(d))
            and any(s["role"] == "takes" for s in self._sides(d))
        )

    def _breaks_rule_1_d(self, d: Deed) -> bool:
        """Whether this is broken: the register of a notary has no number twice and no gap."""
        return (
            d["register_no"] is not None
            and any(
                other_d is not d
                for other_d in self._deeds_by_notary.get(d["notary_id"], {}).values()
                if other_d["register_no"] == d["register_no"]
                and other_d["register_no"] is not None
            )
        )

    def _breaks_rule_1_d_again(self, d: Deed) -> bool:
        """Whether this is broken: the register of a notary has no number twice and no gap."""
        return not (
            d["register_no"] is None
            or d["register_no"] == 1
            or any(
                e["register_no"] is not None
                and e["register_no"] + 1 == d["register_no"]
                for e in self._deeds_by_notary.get(d["notary_id"], {}).values()
            )
        )

    def _breaks_rule_2(self, d: Deed) -> bool:
        """Whether this is broken: signed deeds have a day and a register number, and drafts have neither."""
        return (
            (d["status"] == "signed") != (d["signed_on"] is not None)
            or (d["status"] == "signed") != (d["register_no"] is not None)
        )

    def _breaks_rule_3(self, d: Deed) -> bool:
        """Whether this is broken: somebody gives and somebody takes in a signed deed."""
        return (
            d["status"] == "signed"
            and not (
                any(s["role"] == "gives" for s in self._sides(d))
                and any(s["role"] == "takes" for s in self._sides(d))
            )
        )

    def _breaks_rule_4(self, s: Side) -> bool:
        """Whether this is broken: a party stands once in a deed."""
        return any(
            other_s is not s
            for other_s in self._sides_by_deed_party.get((s["deed_id"], s["party_id"]), {}).values()
        )

    def _breaks_rule_5(self, a: Side) -> bool:
        """Whether this is broken: nobody appears for both who gives and who takes."""
        return any(
            a["role"] != b["role"]
            and a["role"] != "bank"
            and b["role"] != "bank"
            and self._appears(a) is self._appears(b)
            for b in self._sides_by_deed.get(a["deed_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_6(self, s: Side) -> bool:
        """Whether this is broken: whoever appears for a party has a power that comes from that party and covers the
        deed.
        """
        return not (
            s["power_id"] is None
            or self._principal(self.powers[s["power_id"]]) is self.parties[s["party_id"]]
            and self._covers(self.powers[s["power_id"]], self.deeds[s["deed_id"]])
        )

    def _breaks_rule_7(self, p: Power) -> bool:
        """Whether this is broken: a power given under another, which must allow that, comes from its holder, for the
        same scope and no longer.
        """
        return not (
            p["giver_id"] != p["holder_id"]
            and (
                p["under_id"] is None
                or self.powers[p["under_id"]]["may_pass_on"]
                and self.powers[p["under_id"]]["holder_id"] == p["giver_id"]
                and (
                    self.powers[p["under_id"]]["scope"] == p["scope"]
                    or self.powers[p["under_id"]]["scope"] == "anything"
                )
                and p["valid_until"] <= self.powers[p["under_id"]]["valid_until"]
            )
        )

    def _breaks_rule_8(self, s: Side) -> bool:
        """Whether this is broken: a notary does not act where a party or whoever appears is somebody they are barred
        from.
        """
        return (
            s["party_id"] in self.notaries[self.deeds[s["deed_id"]]["notary_id"]]["barred_from_ids"]
            or self._appears(s)["id"] in self.notaries[self.deeds[s["deed_id"]]["notary_id"]]["barred_from_ids"]
        )

    def _breaks_rule_9(self, d: Deed) -> bool:
        """Whether this is broken: no more money comes in for a deed than its price, and none before it is signed."""
        return not (self._deed_received(d) <= d["price"] and (self._deed_received(d) == 0 or d["status"] == "signed"))

    def _breaks_rule_10(self, d: Deed) -> bool:
        """Whether this is broken: no more is paid out of a deed than was received."""
        return self._deed_held(d) < 0

    def _breaks_rule_11(self, c: Condition) -> bool:
        """Whether this is broken: money leaves only after every condition of the deed is met."""
        return c["met_on"] is None and self._deed_paid_out(self.deeds[c["deed_id"]]) != 0

    def _breaks_rule_12_m(self, m: Deposit) -> bool:
        """Whether this is broken: only those who take pay in, and only those who give and their banks are paid."""
        return not any(
            s["party_id"] == m["payer_id"]
            and s["role"] in ("takes", "bank")
            for s in self._sides_by_deed.get(m["deed_id"], {}).values()
        )

    def _breaks_rule_12_p(self, p: Payout) -> bool:
        """Whether this is broken: only those who take pay in, and only those who give and their banks are paid."""
        return not any(
            s["party_id"] == p["payee_id"]
            and s["role"] in ("gives", "bank")
            for s in self._sides_by_deed.get(p["deed_id"], {}).values()
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
            case "powers":
                self._powers_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._powers_by_under.setdefault(record["under_id"], {})[record["id"]] = record
            case "deeds":
                self._deeds_by_notary.setdefault(record["notary_id"], {})[record["id"]] = record
                self._deeds_by_notary_status.setdefault(
                    (record["notary_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._deeds_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "sides":
                self._sides_by_deed.setdefault(record["deed_id"], {})[record["id"]] = record
                self._sides_by_deed_party.setdefault((record["deed_id"], record["party_id"]), {})[record["id"]] = record
            case "conditions":
                self._conditions_by_deed.setdefault(record["deed_id"], {})[record["id"]] = record
            case "deposits":
                self._deposits_by_deed.setdefault(record["deed_id"], {})[record["id"]] = record
            case "payouts":
                self._payouts_by_deed.setdefault(record["deed_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "powers":
                del self._powers_by_number[record["number"]][record["id"]]
                del self._powers_by_under[record["under_id"]][record["id"]]
            case "deeds":
                del self._deeds_by_notary[record["notary_id"]][record["id"]]
                del self._deeds_by_notary_status[record["notary_id"], record["status"]][record["id"]]
                del self._deeds_by_number[record["number"]][record["id"]]
            case "sides":
                del self._sides_by_deed[record["deed_id"]][record["id"]]
                del self._sides_by_deed_party[record["deed_id"], record["party_id"]][record["id"]]
            case "conditions":
                del self._conditions_by_deed[record["deed_id"]][record["id"]]
            case "deposits":
                del self._deposits_by_deed[record["deed_id"]][record["id"]]
            case "payouts":
                del self._payouts_by_deed[record["deed_id"]][record["id"]]
