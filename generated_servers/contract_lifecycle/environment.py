"""Contract lifecycle. Compiled from blueprint.yaml; run `envscaler build contract_lifecycle` after changing it there.

Takes contracts through rounds of negotiation with fallback positions that need approval, signatures in order of
rank, obligations with due days, notice and renewal.
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
    "A contract has one clause on each topic.",
    "A clause holds and is asked for positions of its own topic.",
    "A deviation is approved by somebody of the level that its position demands, and not by the owner of the contract.",
    "A contract never carries more than twelve points of risk.",
    "Once a contract is agreed nothing is asked for and every deviation is approved.",
    "Nobody signs a contract twice.",
    "Those of lower level sign first.",
    "An agreed contract waits for at least two signatures, one of them of the level that its worth demands.",
    "A contract under negotiation has no signatures, and one that is or was in force lacks none, the other side's included.",
    "What is due lies within the term of a contract that is or was in force.",
    "An obligation stands once for each due day.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_contract",
    "ask_for_position",
    "accept_request",
    "refuse_request",
    "approve_deviation",
    "conclude_negotiation",
    "sign_contract",
    "add_obligation",
    "fulfil_obligation",
    "give_notice",
    "renew_contract",
    "close_contract",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "parties": ("name",),
    "colleagues": ("name",),
    "positions": ("name",),
    "contracts": ("title",),
    "clauses": (),
    "signatures": (),
    "obligations": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("clauses", "contract_id"),
    ("clauses", "topic"),
    ("contracts", "title"),
    ("obligations", "contract_id"),
    ("signatures", "contract_id"),
    ("signatures", "signer_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Party(TypedDict):
    id: str
    name: str


class Colleague(TypedDict):
    id: str
    name: str
    level: int


class Position(TypedDict):
    id: str
    name: str
    topic: Literal["liability", "payment", "duration", "secrecy", "audit"]
    level: int
    risk: int


class Contract(TypedDict):
    id: str
    title: str
    party_id: str
    owner_id: str
    worth: int
    starts: str
    ends: str
    notice_days: int
    renews_by: int
    rounds: int
    their_signer: str | None
    status: Literal["negotiating", "agreed", "dropped", "active", "ending", "ended"]


class Clause(TypedDict):
    id: str
    contract_id: str
    topic: Literal["liability", "payment", "duration", "secrecy", "audit"]
    position_id: str
    asked_id: str | None
    approved_by_id: str | None


class Signature(TypedDict):
    id: str
    contract_id: str
    signer_id: str
    signed_on: str | None


class Obligation(TypedDict):
    id: str
    contract_id: str
    what: str
    due_on: str
    every_months: int
    done_on: str | None


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


class ContractLifecycle:
    """Takes contracts through rounds of negotiation with fallback positions that need approval, signatures
    in order of rank, obligations with due days, notice and renewal.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.parties: dict[str, Party] = _copied(config.get("parties", {}))
        self.colleagues: dict[str, Colleague] = _copied(config.get("colleagues", {}))
        self.positions: dict[str, Position] = _copied(config.get("positions", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.clauses: dict[str, Clause] = _copied(config.get("clauses", {}))
        self.signatures: dict[str, Signature] = _copied(config.get("signatures", {}))
        self.obligations: dict[str, Obligation] = _copied(config.get("obligations", {}))
        self.now: str = config.get("now", "2026-03-16T10:00")
        self.counters: dict[str, int] = {
            "party": len(self.parties),
            "colleague": len(self.colleagues),
            "position": len(self.positions),
            "contract": len(self.contracts),
            "clause": len(self.clauses),
            "signature": len(self.signatures),
            "obligation": len(self.obligations),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contracts_by_lower_title: dict[Any, dict[str, Contract]] = {}
        self._contracts_by_title: dict[Any, dict[str, Contract]] = {}
        self._clauses_by_contract: dict[Any, dict[str, Clause]] = {}
        self._clauses_by_contract_topic: dict[Any, dict[str, Clause]] = {}
        self._signatures_by_contract: dict[Any, dict[str, Signature]] = {}
        self._signatures_by_contract_signer: dict[Any, dict[str, Signature]] = {}
        self._obligations_by_contract: dict[Any, dict[str, Obligation]] = {}
        for contract in self.contracts.values():
            self._link("contracts", contract)
        for clause in self.clauses.values():
            self._link("clauses", clause)
        for signature in self.signatures.values():
            self._link("signatures", signature)
        for obligation in self.obligations.values():
            self._link("obligations", obligation)

    def blockers(self, contract_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What stands between a contract and its conclusion, clause by clause.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clauses": records}} or {"success": False, "error": why
                not}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        found = [
            k
            for k in self._clauses_by_contract.get(contract_id, {}).values()
            if (k["asked_id"] is not None or self._loose(k))
        ]
        found.sort(key=lambda k: (k["topic"], _age(k)))
        return _found(
            {
                "total": len(found),
                "clauses": [
                    {
                        "id": k["id"],
                        "topic": k["topic"],
                        "position": self.positions[k["position_id"]]["name"],
                        "asked": self.positions[k["asked_id"]]["name"] if k["asked_id"] is not None else "nothing",
                        "approval_needed": self._loose(k),
                        "level_needed": self.positions[k["position_id"]]["level"],
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def deadlines(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Contracts in force by the day until which notice can be given.

        Args:
            until (str): Latest day of notice of the contracts that are listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}} or {"success": False, "error":
                why not}
        """
        found = [
            c
            for c in self.contracts.values()
            if (c["status"] == "active" and self._contract_notice_until(c) <= until and c["ends"] >= self.now[:10])
        ]
        found.sort(key=lambda c: (self._contract_notice_until(c), c["title"], _age(c)))
        return _found(
            {
                "total": len(found),
                "contracts": [
                    {
                        "id": c["id"],
                        "title": c["title"],
                        "notice_until": self._contract_notice_until(c),
                        "ends": c["ends"],
                        "renews_by": c["renews_by"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def due_obligations(
        self,
        until: Date,
        party_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Obligations due by a day that were not fulfilled, the oldest first.

        Args:
            until (str): Latest due day of the obligations that are listed, as YYYY-MM-DD.
            party_id (str, optional): Other party of the contracts; an id such as PARTY-00001. If left out, the
                obligations under all contracts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "obligations": records}} or {"success": False, "error":
                why not}
        """
        party = self.parties.get(party_id) if party_id is not None else None
        if party_id is not None and party is None:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            o
            for o in self.obligations.values()
            if (o["done_on"] is None and o["due_on"] <= until)
            and (party_id is None or self.contracts[o["contract_id"]]["party_id"] == party_id)
        ]
        found.sort(key=lambda o: (o["due_on"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "obligations": [
                    {
                        "id": o["id"],
                        "contract": self.contracts[o["contract_id"]]["title"],
                        "what": o["what"],
                        "due_on": o["due_on"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def list_parties(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parties whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}}
        """
        found = [
            party
            for party in self.parties.values()
            if (name is None or name.casefold() in party["name"].casefold())
        ]
        return _found({"total": len(found), "parties": [{**party} for party in _page(found, offset)]})

    def list_colleagues(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the colleagues, oldest first, all of them or only some.

        Args:
            name (str, optional): Only colleagues whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "colleagues": records}}
        """
        found = [
            colleague
            for colleague in self.colleagues.values()
            if (name is None or name.casefold() in colleague["name"].casefold())
        ]
        return _found({"total": len(found), "colleagues": [{**colleague} for colleague in _page(found, offset)]})

    def list_positions(
        self,
        name: Text | None = None,
        topic: Literal["liability", "payment", "duration", "secrecy", "audit"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the positions, oldest first, all of them or only some.

        Args:
            name (str, optional): Only positions whose name contains this text.
            topic (str, optional): Only positions with this topic.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "positions": records}}
        """
        found = [
            position
            for position in self.positions.values()
            if (name is None or name.casefold() in position["name"].casefold())
            and (topic is None or position["topic"] == topic)
        ]
        return _found({"total": len(found), "positions": [{**position} for position in _page(found, offset)]})

    def list_contracts(
        self,
        title: Text | None = None,
        party_id: str | None = None,
        owner_id: str | None = None,
        status: Literal["negotiating", "agreed", "dropped", "active", "ending", "ended"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            title (str, optional): Only contracts whose title contains this text.
            party_id (str, optional): Only contracts of this party.
            owner_id (str, optional): Only contracts whose owner is this colleague.
            status (str, optional): Only contracts with this status.
            starts_from (str, optional): Only contracts whose `starts` is on this day or later.
            starts_to (str, optional): Only contracts whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        if owner_id is not None and owner_id not in self.colleagues:
            return _refused(f"There is no colleague {owner_id!r}.")
        found = [
            contract
            for contract in self.contracts.values()
            if (title is None or title.casefold() in contract["title"].casefold())
            and (party_id is None or contract["party_id"] == party_id)
            and (owner_id is None or contract["owner_id"] == owner_id)
            and (status is None or contract["status"] == status)
            and (starts_from is None or contract["starts"] >= starts_from)
            and (starts_to is None or contract["starts"] <= starts_to)
        ]
        shown = [self._show_contract(contract) for contract in _page(found, offset)]
        return _found({"total": len(found), "contracts": shown}, self._names_of_contracts(shown))

    def list_clauses(
        self,
        contract_id: str | None = None,
        topic: Literal["liability", "payment", "duration", "secrecy", "audit"] | None = None,
        position_id: str | None = None,
        asked_id: str | None = None,
        approved_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clauses, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only clauses of this contract.
            topic (str, optional): Only clauses with this topic.
            position_id (str, optional): Only clauses of this position.
            asked_id (str, optional): Only clauses whose asked is this position.
            approved_by_id (str, optional): Only clauses approved by this colleague.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clauses": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        if position_id is not None and position_id not in self.positions:
            return _refused(f"There is no position {position_id!r}.")
        if asked_id is not None and asked_id not in self.positions:
            return _refused(f"There is no position {asked_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.colleagues:
            return _refused(f"There is no colleague {approved_by_id!r}.")
        found = [
            clause
            for clause in self.clauses.values()
            if (contract_id is None or clause["contract_id"] == contract_id)
            and (topic is None or clause["topic"] == topic)
            and (position_id is None or clause["position_id"] == position_id)
            and (asked_id is None or clause["asked_id"] == asked_id)
            and (approved_by_id is None or clause["approved_by_id"] == approved_by_id)
        ]
        shown = [{**clause} for clause in _page(found, offset)]
        return _found({"total": len(found), "clauses": shown}, self._names_of_clauses(shown))

    def list_signatures(
        self,
        contract_id: str | None = None,
        signer_id: str | None = None,
        signed_on_from: Date | None = None,
        signed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the signatures, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only signatures of this contract.
            signer_id (str, optional): Only signatures whose signer is this colleague.
            signed_on_from (str, optional): Only signatures whose `signed_on` is on this day or later.
            signed_on_to (str, optional): Only signatures whose `signed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "signatures": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        if signer_id is not None and signer_id not in self.colleagues:
            return _refused(f"There is no colleague {signer_id!r}.")
        found = [
            signature
            for signature in self.signatures.values()
            if (contract_id is None or signature["contract_id"] == contract_id)
            and (signer_id is None or signature["signer_id"] == signer_id)
            and (
                signed_on_from is None
                or (signature["signed_on"] is not None and signature["signed_on"] >= signed_on_from)
            )
            and (
                signed_on_to is None
                or (signature["signed_on"] is not None and signature["signed_on"] <= signed_on_to)
            )
        ]
        shown = [{**signature} for signature in _page(found, offset)]
        return _found({"total": len(found), "signatures": shown}, self._names_of_signatures(shown))

    def list_obligations(
        self,
        contract_id: str | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the obligations, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only obligations of this contract.
            due_on_from (str, optional): Only obligations whose `due_on` is on this day or later.
            due_on_to (str, optional): Only obligations whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "obligations": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        found = [
            obligation
            for obligation in self.obligations.values()
            if (contract_id is None or obligation["contract_id"] == contract_id)
            and (due_on_from is None or obligation["due_on"] >= due_on_from)
            and (due_on_to is None or obligation["due_on"] <= due_on_to)
        ]
        shown = [{**obligation} for obligation in _page(found, offset)]
        return _found({"total": len(found), "obligations": shown}, self._names_of_obligations(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_contract(
        self,
        title: Text,
        party_id: str,
        owner_id: str,
        worth: Annotated[int, {"minimum": 100000, "maximum": 900000000}],
        starts: Date,
        ends: Date,
        notice_days: Annotated[int, {"minimum": 0, "maximum": 180}] = 60,
        renews_by: Annotated[int, {"minimum": 0, "maximum": 36}] = 12,
    ) -> Result:
        """Open the negotiation of a contract with our standard position on every topic.

        Args:
            title (str): Title of the new contract, not in use yet.
            party_id (str): Id of the party, such as PARTY-00001.
            owner_id (str): Colleague who negotiates the contract and cannot approve its deviations; an id such as
                COLLEAGUE-00001.
            worth (int): Value of the whole contract, which decides on the level of signature it needs, in cents,
                from 100000 to 900000000.
            starts (str): First day of the contract, after today, as YYYY-MM-DD.
            ends (str): Last day of the contract, after its first, as YYYY-MM-DD.
            notice_days (int): How many days before the last day notice must be given, from 0 to 180. Default: 60.
            renews_by (int): How many months a renewal lasts, where zero means that it is not renewed, from 0 to
                36. Default: 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        owner = self.colleagues.get(owner_id)
        if owner is None:
            return _refused(f"There is no colleague {owner_id!r}.")
        if self._contracts_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a contract {title} already.")
        if self.now[:10] >= starts or starts >= ends:
            return _refused(f"A contract begins after {self.now[:10]} and ends later still.")
        self._journal = []
        added_clauses: list[Any] = []
        contract: Contract = {
            "id": self._new_id("contract", "CONTRACT", self.contracts),
            "title": title,
            "party_id": party_id,
            "owner_id": owner_id,
            "worth": worth,
            "starts": starts,
            "ends": ends,
            "notice_days": notice_days,
            "renews_by": renews_by,
            "rounds": 0,
            "their_signer": None,
            "status": "negotiating",
        }
        self._add("contracts", contract)
        for t in ["liability", "payment", "duration", "secrecy", "audit"]:
            for p in sorted(
                [p for p in self.positions.values() if p["topic"] == t],
                key=lambda p: (p["level"], p["risk"], p["name"], _age(p)),
            )[:1]:
                clause = {
                    "id": self._new_id("clause", "CLAUSE", self.clauses),
                    "contract_id": contract["id"],
                    "topic": p["topic"],
                    "position_id": p["id"],
                    "asked_id": None,
                    "approved_by_id": None,
                }
                self._add("clauses", clause)
                added_clauses.append(clause)
        if len(self._contracts_by_title.get(contract["title"], {})) > 1:
            return self._take_back(f"There is already a contract with the title {contract['title']!r}.")
        for one_clause in _distinct(added_clauses):
            if self._breaks_rule_1(one_clause):
                return self._take_back(RULES[0])
        for one_clause in _distinct(added_clauses):
            if self._breaks_rule_2(one_clause):
                return self._take_back(RULES[1])
        for one_clause in _distinct(added_clauses):
            if self._breaks_rule_3(one_clause):
                return self._take_back(RULES[2])
        for one_contract in _distinct([contract, *[self.contracts[one["contract_id"]] for one in added_clauses]]):
            if self._breaks_rule_4(one_contract):
                return self._take_back(RULES[3])
        for one_contract in _distinct([contract, *[self.contracts[one["contract_id"]] for one in added_clauses]]):
            if self._breaks_rule_5(one_contract):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(contract):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_c(contract):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: open the negotiation of {title} with {party['name']} (new: contract {contract['id']})."
            ),
            "data": {"contract_id": contract["id"], **self._changes()},
        }

    def ask_for_position(self, clause_id: str, position_id: str) -> Result:
        """Note that one side asks for another position on a clause; an agreed contract that nobody has signed is
        negotiated again.

        Args:
            clause_id (str): Id of the clause, such as CLAUSE-00001.
            position_id (str): Id of the position, such as POSITION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        clause = self.clauses.get(clause_id)
        if clause is None:
            return _refused(f"There is no clause {clause_id!r}.")
        position = self.positions.get(position_id)
        if position is None:
            return _refused(f"There is no position {position_id!r}.")
        contract = self.contracts[clause["contract_id"]]
        if contract["status"] not in ("negotiating", "agreed"):
            return _refused(f"{contract['title']} is {contract['status']}.")
        if any(s["signed_on"] is not None for s in self._signatures_by_contract.get(contract["id"], {}).values()):
            return _refused(f"{contract['title']} has been signed by somebody.")
        if position["topic"] != clause["topic"]:
            return _refused(f"{position['name']} is about {position['topic']}, the clause about {clause['topic']}.")
        if position_id == clause["position_id"]:
            return _refused(f"The clause says {position['name']} already.")
        if clause["asked_id"] is not None:
            return _refused("Something else is asked for on this clause; answer that first.")
        if contract["rounds"] >= 10:
            return _refused(
                f"{contract['title']} has been through {contract['rounds']} rounds; nothing more can be asked for."
            )
        self._journal = []
        changed_contracts: list[Any] = []
        deleted_signatures: list[Any] = []
        if contract["status"] == "agreed":
            changed_contracts.append(contract)
            self._put("contracts", contract, "status", "negotiating")
            for s in sorted(self._signatures_by_contract.get(contract["id"], {}).values(), key=_age):
                if s["id"] in self.signatures:
                    self._remove("signatures", s)
                deleted_signatures.append(s)
        self._put("clauses", clause, "asked_id", position_id)
        if self._breaks_rule_2(clause):
            return self._take_back(RULES[1])
        for one_contract in _distinct([self.contracts[clause["contract_id"]], *changed_contracts]):
            if self._breaks_rule_5(one_contract):
                return self._take_back(RULES[4])
        for one_contract in _distinct(
            [*changed_contracts, *[self.contracts[one["contract_id"]] for one in deleted_signatures]]
        ):
            if self._breaks_rule_8(one_contract):
                return self._take_back(RULES[7])
        for one_signature in _distinct(
            [user for one in changed_contracts for user in self._signatures_by_contract.get(one["id"], {}).values()]
        ):
            if one_signature["id"] in self.signatures and self._breaks_rule_9_s(one_signature):
                return self._take_back(RULES[8])
        for one_contract in _distinct(changed_contracts):
            if self._breaks_rule_9_c(one_contract):
                return self._take_back(RULES[8])
        for one_obligation in _distinct(
            [user for one in changed_contracts for user in self._obligations_by_contract.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: ask for {position['name']} in {self.contracts[clause['contract_id']]['title']}.",
            "data": self._changes(),
        }

    def accept_request(self, clause_id: str) -> Result:
        """Accept what is asked for on a clause; a deviation from the standard then needs an approval.

        Args:
            clause_id (str): Id of the clause, such as CLAUSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        clause = self.clauses.get(clause_id)
        if clause is None:
            return _refused(f"There is no clause {clause_id!r}.")
        if clause["asked_id"] is None:
            return _refused("Nothing is asked for on this clause.")
        if (
            self._contract_risk(self.contracts[clause["contract_id"]])
            - self.positions[clause["position_id"]]["risk"]
            + self.positions[clause["asked_id"]]["risk"] > 12
        ):
            return _refused(
                f"{self.contracts[clause['contract_id']]['title']} would carry "
                f"{self._contract_risk(self.contracts[clause['contract_id']]) - self.positions[clause['position_id']]['risk'] + self.positions[clause['asked_id']]['risk']} points of risk, more than twelve."
            )
        self._journal = []
        self._put("clauses", clause, "position_id", clause["asked_id"])
        self._put("clauses", clause, "asked_id", None)
        self._put("clauses", clause, "approved_by_id", None)
        contract = self.contracts[clause["contract_id"]]
        rounds = self.contracts[clause["contract_id"]]["rounds"] + 1
        if not 0 <= rounds <= 12:
            return self._take_back(f"The rounds of {contract['title']} must be between 0 and 12.")
        self._put("contracts", contract, "rounds", rounds)
        if self._breaks_rule_2(clause):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(clause):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.contracts[clause["contract_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.contracts[clause["contract_id"]]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: accept the request on {clause['topic']} in {self.contracts[clause['contract_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def refuse_request(self, clause_id: str) -> Result:
        """Refuse what is asked for on a clause, which stays as it is.

        Args:
            clause_id (str): Id of the clause, such as CLAUSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        clause = self.clauses.get(clause_id)
        if clause is None:
            return _refused(f"There is no clause {clause_id!r}.")
        if clause["asked_id"] is None:
            return _refused("Nothing is asked for on this clause.")
        self._journal = []
        self._put("clauses", clause, "asked_id", None)
        contract = self.contracts[clause["contract_id"]]
        rounds = self.contracts[clause["contract_id"]]["rounds"] + 1
        if not 0 <= rounds <= 12:
            return self._take_back(f"The rounds of {contract['title']} must be between 0 and 12.")
        self._put("contracts", contract, "rounds", rounds)
        if self._breaks_rule_2(clause):
            return self._take_back(RULES[1])
        if self._breaks_rule_5(self.contracts[clause["contract_id"]]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: refuse the request on {clause['topic']} in {self.contracts[clause['contract_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def approve_deviation(self, clause_id: str, by_id: str) -> Result:
        """Approve the position of a clause that deviates from the standard.

        Args:
            clause_id (str): Id of the clause, such as CLAUSE-00001.
            by_id (str): Colleague of sufficient level who approves, other than the owner of the contract; an id
                such as COLLEAGUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        clause = self.clauses.get(clause_id)
        if clause is None:
            return _refused(f"There is no clause {clause_id!r}.")
        by = self.colleagues.get(by_id)
        if by is None:
            return _refused(f"There is no colleague {by_id!r}.")
        if self.contracts[clause["contract_id"]]["status"] != "negotiating":
            return _refused(
                f"{self.contracts[clause['contract_id']]['title']} is "
                f"{self.contracts[clause['contract_id']]['status']}."
            )
        if self.positions[clause["position_id"]]["level"] <= 0:
            return _refused(f"{self.positions[clause['position_id']]['name']} needs no approval.")
        if clause["approved_by_id"] is not None:
            return _refused(f"{self.positions[clause['position_id']]['name']} has been approved.")
        if by_id == self.contracts[clause["contract_id"]]["owner_id"]:
            return _refused(f"{by['name']} owns the contract and cannot approve.")
        if by["level"] < self.positions[clause["position_id"]]["level"]:
            return _refused(
                f"{self.positions[clause['position_id']]['name']} needs level "
                f"{self.positions[clause['position_id']]['level']}, and {by['name']} has {by['level']}."
            )
        self._journal = []
        self._put("clauses", clause, "approved_by_id", by_id)
        if self._breaks_rule_3(clause):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(self.contracts[clause["contract_id"]]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: approve {self.positions[clause['position_id']]['name']} in "
                f"{self.contracts[clause['contract_id']]['title']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def conclude_negotiation(self, contract_id: str, signer_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Conclude a negotiation and name those who sign; they sign in the order of their levels.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            signer_ids (list): Two to four colleagues who are to sign, one of them of sufficient level: ids of
                colleagues, such as COLLEAGUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        signers = []
        for key in signer_ids:
            if key not in self.colleagues:
                return _refused(f"There is no colleague {key!r}.")
            signers.append(self.colleagues[key])
        if contract["status"] != "negotiating":
            return _refused(f"{contract['title']} is {contract['status']}.")
        if self._open_requests(contract) != 0:
            return _refused(
                f"{self._open_requests(contract)} requests in {contract['title']} have not been answered."
            )
        if self._loose_clauses(contract) != 0:
            return _refused(
                f"{self._loose_clauses(contract)} deviations in {contract['title']} have not been approved."
            )
        if not ((2 <= len(signers) and len(signers) <= 4) and _different([s["id"] for s in signers])):
            return _refused("Name two to four different people who sign.")
        if not any(s["level"] >= self._needed(contract) for s in signers):
            return _refused(f"{contract['title']} needs a signature of level {self._needed(contract)} or above.")
        self._journal = []
        added_signatures: list[Any] = []
        for s in sorted(signers, key=lambda s: (s["level"], s["name"], _age(s))):
            signature = {
                "id": self._new_id("signature", "SIGNATURE", self.signatures),
                "contract_id": contract_id,
                "signer_id": s["id"],
                "signed_on": None,
            }
            self._add("signatures", signature)
            added_signatures.append(signature)
        self._put("contracts", contract, "status", "agreed")
        if self._breaks_rule_5(contract):
            return self._take_back(RULES[4])
        for one_signature in _distinct(added_signatures):
            if self._breaks_rule_6(one_signature):
                return self._take_back(RULES[5])
        for one_signature in _distinct(added_signatures):
            if self._breaks_rule_7_a(one_signature):
                return self._take_back(RULES[6])
        for one_signature in _distinct(added_signatures):
            if self._breaks_rule_7_b(one_signature):
                return self._take_back(RULES[6])
        for one_contract in _distinct([contract, *[self.contracts[one["contract_id"]] for one in added_signatures]]):
            if self._breaks_rule_8(one_contract):
                return self._take_back(RULES[7])
        for one_signature in _distinct(
            [*added_signatures, *self._signatures_by_contract.get(contract["id"], {}).values()]
        ):
            if self._breaks_rule_9_s(one_signature):
                return self._take_back(RULES[8])
        if self._breaks_rule_9_c(contract):
            return self._take_back(RULES[8])
        for one_obligation in _distinct(self._obligations_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: conclude {contract['title']}, to be signed by "
                f"{', '.join(str(one['name']) for one in signers)}."
            ),
            "data": self._changes(),
        }

    def sign_contract(self, contract_id: str, signer_id: str, their_signer: Text | None = None) -> Result:
        """Enter a signature, with the name of who signed for the other party by the last one, which puts the contract
        into force.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            signer_id (str): Colleague whose turn it is to sign, the lowest level first; an id such as
                COLLEAGUE-00001.
            their_signer (str, optional): Name of who signed for the other party, needed with our last signature.
                If left out, the name entered before is kept, if any.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        signer = self.colleagues.get(signer_id)
        if signer is None:
            return _refused(f"There is no colleague {signer_id!r}.")
        if contract["status"] != "agreed":
            return _refused(f"{contract['title']} is {contract['status']}.")
        mine = next(
            (
                s
                for s in sorted(
                    self._signatures_by_contract_signer.get((contract_id, signer_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if mine is None:
            return _refused(f"{signer['name']} is not among those who sign {contract['title']}.")
        if mine["signed_on"] is not None:
            return _refused(f"{signer['name']} has signed {contract['title']}.")
        before = next(
            (
                s
                for s in sorted(self._signatures_by_contract.get(contract_id, {}).values(), key=_age)
                if s["signed_on"] is None
                and self.colleagues[s["signer_id"]]["level"] < signer["level"]
            ),
            None,
        )
        if before is not None:
            return _refused(f"{self.colleagues[before['signer_id']]['name']} signs before {signer['name']}.")
        if not (
            their_signer is not None
            or contract["their_signer"] is not None
            or any(
                s is not mine
                for s in self._signatures_by_contract.get(contract_id, {}).values()
                if s["signed_on"] is None
            )
        ):
            return _refused(
                f"The last signature puts {contract['title']} into force, so say who signed for "
                f"{self.parties[contract['party_id']]['name']}."
            )
        self._journal = []
        changed_contracts: list[Any] = []
        self._put(
            "contracts",
            contract,
            "their_signer",
            their_signer if their_signer is not None else contract["their_signer"],
        )
        self._put("signatures", mine, "signed_on", self.now[:10])
        if not any(s["signed_on"] is None for s in self._signatures_by_contract.get(contract_id, {}).values()):
            changed_contracts.append(contract)
            self._put("contracts", contract, "status", "active")
        for one_contract in _distinct(changed_contracts):
            if self._breaks_rule_5(one_contract):
                return self._take_back(RULES[4])
        if self._breaks_rule_7_a(mine):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(mine):
            return self._take_back(RULES[6])
        for one_contract in _distinct([self.contracts[mine["contract_id"]], *changed_contracts]):
            if self._breaks_rule_8(one_contract):
                return self._take_back(RULES[7])
        for one_signature in _distinct(
            [
                mine,
                *[
                    user
                    for one in changed_contracts
                    for user in self._signatures_by_contract.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9_s(one_signature):
                return self._take_back(RULES[8])
        for one_contract in _distinct([contract, *changed_contracts]):
            if self._breaks_rule_9_c(one_contract):
                return self._take_back(RULES[8])
        for one_obligation in _distinct(
            [user for one in changed_contracts for user in self._obligations_by_contract.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: enter the signature of {signer['name']} on {contract['title']}.",
            "data": self._changes(),
        }

    def add_obligation(
        self,
        contract_id: str,
        what: Text,
        due_on: Date,
        every_months: Annotated[int, {"minimum": 0, "maximum": 12}] = 0,
    ) -> Result:
        """Add what one side must do under a contract in force, once or every so many months.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            what (str): What has to be done under the contract.
            due_on (str): Day by which it has to be done first, within the contract, as YYYY-MM-DD.
            every_months (int): After how many months it is due again, where zero means once only, from 0 to 12.
                Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] not in ("active", "ending"):
            return _refused(f"{contract['title']} is {contract['status']}.")
        if contract["starts"] > due_on or due_on > contract["ends"]:
            return _refused(f"{contract['title']} runs from {contract['starts']} to {contract['ends']}.")
        if any(
            each["due_on"] == due_on
            for each in self._obligations_by_contract.get(contract_id, {}).values()
            if each["what"] == what
        ):
            return _refused(f"{what} is due on {due_on} already.")
        self._journal = []
        obligation: Obligation = {
            "id": self._new_id("obligation", "OBLIGATION", self.obligations),
            "contract_id": contract_id,
            "what": what,
            "due_on": due_on,
            "every_months": every_months,
            "done_on": None,
        }
        self._add("obligations", obligation)
        if self._breaks_rule_10(obligation):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(obligation):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: add {what} to {contract['title']}, due on {due_on} (new: obligation {obligation['id']})."
            ),
            "data": {"obligation_id": obligation["id"], **self._changes()},
        }

    def fulfil_obligation(self, obligation_id: str) -> Result:
        """Note that an obligation was fulfilled; one that recurs is due again after its months, while the contract
        runs.

        Args:
            obligation_id (str): Id of the obligation, such as OBLIGATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        obligation = self.obligations.get(obligation_id)
        if obligation is None:
            return _refused(f"There is no obligation {obligation_id!r}.")
        if obligation["done_on"] is not None:
            return _refused(f"{obligation['what']} was fulfilled on {obligation['done_on']}.")
        if obligation["due_on"] > _plus_days(self.now[:10], 60):
            return _refused(f"{obligation['what']} is not due before {obligation['due_on']}.")
        done = f"note that {obligation['what']} under {self.contracts[obligation['contract_id']]['title']} was fulfilled"
        self._journal = []
        added_obligations: list[Any] = []
        self._put("obligations", obligation, "done_on", self.now[:10])
        if obligation["every_months"] > 0:
            again = _add_months(obligation["due_on"], obligation["every_months"])
            if (
                again <= self.contracts[obligation["contract_id"]]["ends"]
                and not any(
                    each["due_on"] == again
                    for each in self._obligations_by_contract.get(obligation["contract_id"], {}).values()
                    if each["what"] == obligation["what"]
                )
            ):
                new_obligation = {
                    "id": self._new_id("obligation", "OBLIGATION", self.obligations),
                    "contract_id": obligation["contract_id"],
                    "what": obligation["what"],
                    "due_on": again,
                    "every_months": obligation["every_months"],
                    "done_on": None,
                }
                self._add("obligations", new_obligation)
                added_obligations.append(new_obligation)
        for one_obligation in _distinct(added_obligations):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        for one_obligation in _distinct(added_obligations):
            if self._breaks_rule_11(one_obligation):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def give_notice(self, contract_id: str) -> Result:
        """Give notice in time, so that a contract ends on its last day and is not renewed.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] != "active":
            return _refused(f"{contract['title']} is {contract['status']}.")
        if self.now[:10] > self._contract_notice_until(contract):
            return _refused(
                f"Notice for {contract['title']} was possible until {self._contract_notice_until(contract)}."
            )
        self._journal = []
        self._put("contracts", contract, "status", "ending")
        if self._breaks_rule_5(contract):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(contract):
            return self._take_back(RULES[7])
        for one_signature in _distinct(self._signatures_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_9_s(one_signature):
                return self._take_back(RULES[8])
        if self._breaks_rule_9_c(contract):
            return self._take_back(RULES[8])
        for one_obligation in _distinct(self._obligations_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: give notice for {contract['title']}.", "data": self._changes()}

    def renew_contract(self, contract_id: str) -> Result:
        """Renew a contract for which the day of notice has passed.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] != "active":
            return _refused(f"{contract['title']} is {contract['status']}.")
        if contract["renews_by"] <= 0:
            return _refused(f"{contract['title']} is not renewed by itself.")
        if self._contract_notice_until(contract) >= self.now[:10] or self.now[:10] > contract["ends"]:
            return _refused(
                f"{contract['title']} ends on {contract['ends']}, with notice possible until "
                f"{self._contract_notice_until(contract)}."
            )
        self._journal = []
        self._put("contracts", contract, "ends", _add_months(contract["ends"], contract["renews_by"]))
        for one_obligation in _distinct(self._obligations_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: renew {contract['title']}.", "data": self._changes()}

    def close_contract(self, contract_id: str) -> Result:
        """Break off a negotiation, or close a contract whose last day has passed and under which nothing is left to
        be done.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] not in ("negotiating", "active", "ending"):
            return _refused(f"{contract['title']} is {contract['status']}.")
        if contract["status"] != "negotiating" and contract["ends"] >= self.now[:10]:
            return _refused(f"{contract['title']} runs until {contract['ends']}.")
        if not (
            contract["status"] == "negotiating"
            or not any(o["done_on"] is None for o in self._obligations_by_contract.get(contract_id, {}).values())
        ):
            return _refused(f"Something is still to be fulfilled under {contract['title']}.")
        self._journal = []
        changed_clauses: list[Any] = []
        changed_contracts: list[Any] = []
        if contract["status"] == "negotiating":
            for k in sorted(self._clauses_by_contract.get(contract_id, {}).values(), key=_age):
                changed_clauses.append(k)
                self._put("clauses", k, "asked_id", None)
            if contract["status"] not in ("negotiating", "dropped"):
                return self._take_back(
                    f"Contract {contract['title']} cannot go from {contract['status']} to dropped."
                )
            changed_contracts.append(contract)
            self._put("contracts", contract, "status", "dropped")
        else:
            if contract["status"] not in ("active", "ending", "ended"):
                return self._take_back(f"Contract {contract['title']} cannot go from {contract['status']} to ended.")
            changed_contracts.append(contract)
            self._put("contracts", contract, "status", "ended")
        for one_clause in _distinct(changed_clauses):
            if self._breaks_rule_2(one_clause):
                return self._take_back(RULES[1])
        for one_contract in _distinct(
            [*[self.contracts[one["contract_id"]] for one in changed_clauses], *changed_contracts]
        ):
            if self._breaks_rule_5(one_contract):
                return self._take_back(RULES[4])
        for one_contract in _distinct(changed_contracts):
            if self._breaks_rule_8(one_contract):
                return self._take_back(RULES[7])
        for one_signature in _distinct(
            [user for one in changed_contracts for user in self._signatures_by_contract.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_s(one_signature):
                return self._take_back(RULES[8])
        for one_contract in _distinct(changed_contracts):
            if self._breaks_rule_9_c(one_contract):
                return self._take_back(RULES[8])
        for one_obligation in _distinct(
            [user for one in changed_contracts for user in self._obligations_by_contract.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_obligation):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: close {contract['title']}.", "data": self._changes()}

    def _show_contract(self, contract: Contract) -> dict[str, Any]:
        """The contract as an answer shows it."""
        return {
            **contract,
            "risk": self._contract_risk(contract),
            "notice_until": self._contract_notice_until(contract),
        }

    def _names_of_contracts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contracts point to."""
        return _names(
            (self.parties, "name", [row["party_id"] for row in shown]),
            (self.colleagues, "name", [row["owner_id"] for row in shown]),
        )

    def _names_of_clauses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that clauses point to."""
        return _names(
            (self.contracts, "title", [row["contract_id"] for row in shown]),
            (self.positions, "name", [row["position_id"] for row in shown]),
            (self.positions, "name", [row["asked_id"] for row in shown]),
            (self.colleagues, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_signatures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that signatures point to."""
        return _names(
            (self.contracts, "title", [row["contract_id"] for row in shown]),
            (self.colleagues, "name", [row["signer_id"] for row in shown]),
        )

    def _names_of_obligations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that obligations point to."""
        return _names((self.contracts, "title", [row["contract_id"] for row in shown]))

    def _contract_risk(self, contract: Contract) -> int:
        """The risk of a contract."""
        return sum(
            self.positions[k["position_id"]]["risk"]
            for k in self._clauses_by_contract.get(contract["id"], {}).values()
        )

    def _contract_notice_until(self, contract: Contract) -> str:
        """The notice until of a contract."""
        return _plus_days(contract["ends"], -contract["notice_days"])

    def _needed(self, c: Contract) -> int:
        return 4 if c["worth"] >= 50000000 else 3 if c["worth"] >= 10000000 else 2

    def _loose(self, k: Clause) -> bool:
        return (
            self.positions[k["position_id"]]["level"] > 0
            and k["approved_by_id"] is None
            and self.contracts[k["contract_id"]]["status"] != "dropped"
        )

    def _standard(self, topic: str) -> Position | None:
        return min(
            (p for p in self.positions.values() if p["topic"] == topic),
            key=lambda p: (p["level"], p["risk"], p["name"], _age(p)),
            default=None,
        )

    def _open_requests(self, c: Contract) -> int:
        return sum(1 for k in self._clauses_by_contract.get(c["id"], {}).values() if k["asked_id"] is not None)

    def _loose_clauses(self, c: Contract) -> int:
        return sum(1 for k in self._clauses_by_contract.get(c["id"], {}).values() if self._loose(k))

    def _next_signer(self, c: Contract) -> Signature | None:
        return min(
            (s for s in self._signatures_by_contract.get(c["id"], {}).values() if s["signed_on"] is None),
            key=lambda s: (
                self.colleagues[s["signer_id"]]["level"],
                self.colleagues[s["signer_id"]]["name"],
                _age(s),
            ),
            default=None,
        )

    def _breaks_rule_1(self, k: Clause) -> bool:
        """Whether this is broken: a contract has one clause on each topic."""
        return any(
            other_k is not k
            for other_k in self._clauses_by_contract_topic.get((k["contract_id"], k["topic"]), {}).values()
        )

    def _breaks_rule_2(self, k: Clause) -> bool:
        """Whether this is broken: a clause holds and is asked for positions of its own topic."""
        return not (
            self.positions[k["position_id"]]["topic"] == k["topic"]
            and (
                k["asked_id"] is None
                or self.positions[k["asked_id"]]["topic"] == k["topic"]
                and k["asked_id"] != k["position_id"]
            )
        )

    def _breaks_rule_3(self, k: Clause) -> bool:
        """Whether this is broken: a deviation is approved by somebody of the level that its position demands, and not
        by the owner of the contract.
        """
        return not (
            k["approved_by_id"] is None
            or self.colleagues[k["approved_by_id"]]["level"] >= self.positions[k["position_id"]]["level"]
            and k["approved_by_id"] != self.contracts[k["contract_id"]]["owner_id"]
        )

    def _breaks_rule_4(self, c: Contract) -> bool:
        """Whether this is broken: a contract never carries more than twelve points of risk."""
        return self._contract_risk(c) > 12

    def _breaks_rule_5(self, c: Contract) -> bool:
        """Whether this is broken: once a contract is agreed nothing is asked for and every deviation is approved."""
        return not (c["status"] == "negotiating" or self._open_requests(c) == 0 and self._loose_clauses(c) == 0)

    def _breaks_rule_6(self, s: Signature) -> bool:
        """Whether this is broken: nobody signs a contract twice."""
        return any(
            other_s is not s
            for other_s in self._signatures_by_contract_signer.get((s["contract_id"], s["signer_id"]), {}).values()
        )

    def _breaks_rule_7_a(self, a: Signature) -> bool:
        """Whether this is broken: those of lower level sign first."""
        return any(
            a["signed_on"] is not None
            and b["signed_on"] is None
            and self.colleagues[a["signer_id"]]["level"] > self.colleagues[b["signer_id"]]["level"]
            for b in self._signatures_by_contract.get(a["contract_id"], {}).values()
        )

    def _breaks_rule_7_b(self, b: Signature) -> bool:
        """Whether this is broken: those of lower level sign first."""
        return any(
            a["signed_on"] is not None
            and b["signed_on"] is None
            and self.colleagues[a["signer_id"]]["level"] > self.colleagues[b["signer_id"]]["level"]
            for a in self._signatures_by_contract.get(b["contract_id"], {}).values()
        )

    def _breaks_rule_8(self, c: Contract) -> bool:
        """Whether this is broken: an agreed contract waits for at least two signatures, one of them of the level that
        its worth demands.
        """
        return not (
            c["status"] != "agreed"
            or len(self._signatures_by_contract.get(c["id"], {})) >= 2
            and any(
                self.colleagues[s["signer_id"]]["level"] >= self._needed(c)
                for s in self._signatures_by_contract.get(c["id"], {}).values()
            )
            and self._next_signer(c) is not None
        )

    def _breaks_rule_9_s(self, s: Signature) -> bool:
        """Whether this is broken: a contract under negotiation has no signatures, and one that is or was in force
        lacks none, the other side's included.
        """
        return (
            self.contracts[s["contract_id"]]["status"] in ("negotiating", "dropped")
            or self.contracts[s["contract_id"]]["status"] in ("active", "ending", "ended") and s["signed_on"] is None
        )

    def _breaks_rule_9_c(self, c: Contract) -> bool:
        """Whether this is broken: a contract under negotiation has no signatures, and one that is or was in force
        lacks none, the other side's included.
        """
        return c["status"] in ("active", "ending", "ended") and c["their_signer"] is None

    def _breaks_rule_10(self, o: Obligation) -> bool:
        """Whether this is broken: what is due lies within the term of a contract that is or was in force."""
        return not (
            (
                self.contracts[o["contract_id"]]["starts"] <= o["due_on"]
                and o["due_on"] <= self.contracts[o["contract_id"]]["ends"]
            )
            and self.contracts[o["contract_id"]]["status"] in ("active", "ending", "ended")
        )

    def _breaks_rule_11(self, o: Obligation) -> bool:
        """Whether this is broken: an obligation stands once for each due day."""
        return any(
            other_o is not o
            for other_o in self._obligations_by_contract.get(o["contract_id"], {}).values()
            if other_o["what"] == o["what"]
            and other_o["due_on"] == o["due_on"]
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
            case "contracts":
                self._contracts_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._contracts_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "clauses":
                self._clauses_by_contract.setdefault(record["contract_id"], {})[record["id"]] = record
                self._clauses_by_contract_topic.setdefault(
                    (record["contract_id"], record["topic"]),
                    {},
                )[record["id"]] = record
            case "signatures":
                self._signatures_by_contract.setdefault(record["contract_id"], {})[record["id"]] = record
                self._signatures_by_contract_signer.setdefault(
                    (record["contract_id"], record["signer_id"]),
                    {},
                )[record["id"]] = record
            case "obligations":
                self._obligations_by_contract.setdefault(record["contract_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contracts":
                del self._contracts_by_lower_title[record["title"].lower()][record["id"]]
                del self._contracts_by_title[record["title"]][record["id"]]
            case "clauses":
                del self._clauses_by_contract[record["contract_id"]][record["id"]]
                del self._clauses_by_contract_topic[record["contract_id"], record["topic"]][record["id"]]
            case "signatures":
                del self._signatures_by_contract[record["contract_id"]][record["id"]]
                del self._signatures_by_contract_signer[record["contract_id"], record["signer_id"]][record["id"]]
            case "obligations":
                del self._obligations_by_contract[record["contract_id"]][record["id"]]
