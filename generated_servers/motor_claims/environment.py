"""Motor claims. Compiled from blueprint.yaml; run `envscaler build motor_claims` after changing it there.

Settles motor claims, with cover and excess, reserves within a handler's authority, estimates and garages with
few places, total losses and recovery from other insurers.
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
    "A claim happened while the policy was valid, and the policy covers it unless it is denied.",
    "No more is paid out on a claim than its reserve.",
    "The reserve of a claim under way stays within the authority of its handler.",
    "A handler never has more claims under way than they can handle.",
    "A garage never repairs more cars than it has places.",
    "A car that is repaired is in a garage.",
    "A garage gives one estimate for a claim, and one estimate at most is accepted.",
    "A repair that costs more than seven tenths of the car is never accepted.",
    "A total loss says what the wreck is worth.",
    "A policy has one claim of a kind for a day.",
    "No more is asked back from others than was paid.",
    "What was received was agreed, and never exceeds what was asked.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_claim",
    "set_reserve",
    "hand_claim",
    "add_estimate",
    "accept_estimate",
    "raise_estimate",
    "declare_total_loss",
    "finish_repair",
    "pay_total_loss",
    "deny_claim",
    "ask_recovery",
    "answer_recovery",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "policies": ("holder",),
    "handlers": ("name",),
    "garages": ("name",),
    "claims": ("number",),
    "estimates": (),
    "payouts": (),
    "recoveries": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("claims", "garage_id"),
    ("claims", "handler_id"),
    ("claims", "kind"),
    ("claims", "number"),
    ("claims", "policy_id"),
    ("claims", "status"),
    ("estimates", "claim_id"),
    ("estimates", "garage_id"),
    ("payouts", "claim_id"),
    ("recoveries", "claim_id"),
    ("recoveries", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Policy(TypedDict):
    id: str
    number: str
    holder: str
    car_value: int
    excess: int
    covers: list[Literal["collision", "theft", "glass", "hail"]]
    valid_from: str
    valid_until: str


class Handler(TypedDict):
    id: str
    name: str
    authority: int
    most_open: int


class Garage(TypedDict):
    id: str
    name: str
    places: int


class Claim(TypedDict):
    id: str
    number: str
    policy_id: str
    kind: Literal["collision", "theft", "glass", "hail"]
    happened_on: str
    handler_id: str
    reserve: int
    garage_id: str | None
    salvage: int | None
    status: Literal["open", "repairing", "total_loss", "denied", "settled"]


class Estimate(TypedDict):
    id: str
    claim_id: str
    garage_id: str
    amount: int
    accepted: bool


class Payout(TypedDict):
    id: str
    claim_id: str
    payee: Literal["garage", "holder"]
    amount: int
    on: str


class Recovery(TypedDict):
    id: str
    claim_id: str
    against: str
    asked: int
    received: int
    status: Literal["asked", "agreed", "refused"]


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


class MotorClaims:
    """Settles motor claims, with cover and excess, reserves within a handler's authority, estimates and
    garages with few places, total losses and recovery from other insurers.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.policies: dict[str, Policy] = _copied(config.get("policies", {}))
        self.handlers: dict[str, Handler] = _copied(config.get("handlers", {}))
        self.garages: dict[str, Garage] = _copied(config.get("garages", {}))
        self.claims: dict[str, Claim] = _copied(config.get("claims", {}))
        self.estimates: dict[str, Estimate] = _copied(config.get("estimates", {}))
        self.payouts: dict[str, Payout] = _copied(config.get("payouts", {}))
        self.recoveries: dict[str, Recovery] = _copied(config.get("recoveries", {}))
        self.now: str = config.get("now", "2026-10-20T10:10")
        self.counters: dict[str, int] = {
            "policy": len(self.policies),
            "handler": len(self.handlers),
            "garage": len(self.garages),
            "claim": len(self.claims),
            "estimate": len(self.estimates),
            "payout": len(self.payouts),
            "recovery": len(self.recoveries),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._claims_by_garage_status: dict[Any, dict[str, Claim]] = {}
        self._claims_by_handler: dict[Any, dict[str, Claim]] = {}
        self._claims_by_lower_number: dict[Any, dict[str, Claim]] = {}
        self._claims_by_number: dict[Any, dict[str, Claim]] = {}
        self._claims_by_policy_kind: dict[Any, dict[str, Claim]] = {}
        self._estimates_by_claim: dict[Any, dict[str, Estimate]] = {}
        self._estimates_by_claim_garage: dict[Any, dict[str, Estimate]] = {}
        self._payouts_by_claim: dict[Any, dict[str, Payout]] = {}
        self._recoveries_by_claim: dict[Any, dict[str, Recovery]] = {}
        self._recoveries_by_claim_status: dict[Any, dict[str, Recovery]] = {}
        for claim in self.claims.values():
            self._link("claims", claim)
        for estimate in self.estimates.values():
            self._link("estimates", estimate)
        for payout in self.payouts.values():
            self._link("payouts", payout)
        for recovery in self.recoveries.values():
            self._link("recoveries", recovery)

    def estimates_for(self, claim_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The estimates for a claim, cheapest first, with free places and whether the repair is worth it.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "estimates": records}} or {"success": False, "error":
                why not}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        found = [e for e in self._estimates_by_claim.get(claim_id, {}).values()]
        found.sort(key=lambda e: (e["amount"], self.garages[e["garage_id"]]["name"], _age(e)))
        return _found(
            {
                "total": len(found),
                "estimates": [
                    {
                        "id": e["id"],
                        "garage": self.garages[e["garage_id"]]["name"],
                        "amount": e["amount"],
                        "free_places": self.garages[e["garage_id"]]["places"] - self._garage_busy(
                            self.garages[e["garage_id"]]
                        ),
                        "worth_repairing": e["amount"] <= self._uneconomic(claim),
                        "after_excess": self._owed_on(e),
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def desk_of(self, handler_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The claims under way of a handler, oldest accident first.

        Args:
            handler_id (str): Id of the handler, such as HANDLER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}} or {"success": False, "error": why
                not}
        """
        handler = self.handlers.get(handler_id)
        if handler is None:
            return _refused(f"There is no handler {handler_id!r}.")
        found = [
            c
            for c in self._claims_by_handler.get(handler_id, {}).values()
            if (c["handler_id"] == handler_id and self._ongoing(c))
        ]
        found.sort(key=lambda c: (c["happened_on"], c["number"], _age(c)))
        return _found(
            {
                "total": len(found),
                "claims": [
                    {
                        "id": c["id"],
                        "number": c["number"],
                        "kind": c["kind"],
                        "holder": self.policies[c["policy_id"]]["holder"],
                        "happened_on": c["happened_on"],
                        "reserve": c["reserve"],
                        "status": c["status"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def who_may_handle(
        self,
        reserve: Annotated[int, {"minimum": 0, "maximum": 20000000}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Handlers with room for a claim and authority for a reserve, those with the most room first.

        Args:
            reserve (int): Reserve that the handlers must be allowed to set, in cents, from 0 to 20000000.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "handlers": records}} or {"success": False, "error": why
                not}
        """
        found = [
            h
            for h in self.handlers.values()
            if (h["authority"] >= reserve and self._handler_active(h) < h["most_open"])
        ]
        found.sort(key=lambda h: (-(h["most_open"] - self._handler_active(h)), h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "handlers": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "authority": h["authority"],
                        "room": h["most_open"] - self._handler_active(h),
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def list_policies(
        self,
        holder: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the policies, oldest first, all of them or only some.

        Args:
            holder (str, optional): Only policies whose holder contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "policies": records}}
        """
        found = [
            policy
            for policy in self.policies.values()
            if (holder is None or holder.casefold() in policy["holder"].casefold())
        ]
        return _found(
            {"total": len(found), "policies": [self._show_policy(policy) for policy in _page(found, offset)]}
        )

    def list_handlers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the handlers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only handlers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "handlers": records}}
        """
        found = [
            handler
            for handler in self.handlers.values()
            if (name is None or name.casefold() in handler["name"].casefold())
        ]
        return _found(
            {"total": len(found), "handlers": [self._show_handler(handler) for handler in _page(found, offset)]}
        )

    def list_garages(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the garages, oldest first, all of them or only some.

        Args:
            name (str, optional): Only garages whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "garages": records}}
        """
        found = [
            garage
            for garage in self.garages.values()
            if (name is None or name.casefold() in garage["name"].casefold())
        ]
        return _found(
            {"total": len(found), "garages": [self._show_garage(garage) for garage in _page(found, offset)]}
        )

    def list_claims(
        self,
        number: Text | None = None,
        policy_id: str | None = None,
        kind: Literal["collision", "theft", "glass", "hail"] | None = None,
        handler_id: str | None = None,
        garage_id: str | None = None,
        status: Literal["open", "repairing", "total_loss", "denied", "settled"] | None = None,
        happened_on_from: Date | None = None,
        happened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the claims, oldest first, all of them or only some.

        Args:
            number (str, optional): Only claims whose number contains this text.
            policy_id (str, optional): Only claims of this policy.
            kind (str, optional): Only claims with this kind.
            handler_id (str, optional): Only claims of this handler.
            garage_id (str, optional): Only claims of this garage.
            status (str, optional): Only claims with this status.
            happened_on_from (str, optional): Only claims whose `happened_on` is on this day or later.
            happened_on_to (str, optional): Only claims whose `happened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}}
        """
        if policy_id is not None and policy_id not in self.policies:
            return _refused(f"There is no policy {policy_id!r}.")
        if handler_id is not None and handler_id not in self.handlers:
            return _refused(f"There is no handler {handler_id!r}.")
        if garage_id is not None and garage_id not in self.garages:
            return _refused(f"There is no garage {garage_id!r}.")
        found = [
            claim
            for claim in self.claims.values()
            if (number is None or number.casefold() in claim["number"].casefold())
            and (policy_id is None or claim["policy_id"] == policy_id)
            and (kind is None or claim["kind"] == kind)
            and (handler_id is None or claim["handler_id"] == handler_id)
            and (garage_id is None or claim["garage_id"] == garage_id)
            and (status is None or claim["status"] == status)
            and (happened_on_from is None or claim["happened_on"] >= happened_on_from)
            and (happened_on_to is None or claim["happened_on"] <= happened_on_to)
        ]
        shown = [self._show_claim(claim) for claim in _page(found, offset)]
        return _found({"total": len(found), "claims": shown}, self._names_of_claims(shown))

    def list_estimates(
        self,
        claim_id: str | None = None,
        garage_id: str | None = None,
        accepted: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the estimates, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only estimates of this claim.
            garage_id (str, optional): Only estimates of this garage.
            accepted (bool, optional): Only estimates that are accepted (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "estimates": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        if garage_id is not None and garage_id not in self.garages:
            return _refused(f"There is no garage {garage_id!r}.")
        found = [
            estimate
            for estimate in self.estimates.values()
            if (claim_id is None or estimate["claim_id"] == claim_id)
            and (garage_id is None or estimate["garage_id"] == garage_id)
            and (accepted is None or estimate["accepted"] == accepted)
        ]
        shown = [{**estimate} for estimate in _page(found, offset)]
        return _found({"total": len(found), "estimates": shown}, self._names_of_estimates(shown))

    def list_payouts(
        self,
        claim_id: str | None = None,
        payee: Literal["garage", "holder"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payouts, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only payouts of this claim.
            payee (str, optional): Only payouts with this payee.
            on_from (str, optional): Only payouts whose `on` is on this day or later.
            on_to (str, optional): Only payouts whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payouts": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        found = [
            payout
            for payout in self.payouts.values()
            if (claim_id is None or payout["claim_id"] == claim_id)
            and (payee is None or payout["payee"] == payee)
            and (on_from is None or payout["on"] >= on_from)
            and (on_to is None or payout["on"] <= on_to)
        ]
        shown = [{**payout} for payout in _page(found, offset)]
        return _found({"total": len(found), "payouts": shown}, self._names_of_payouts(shown))

    def list_recoveries(
        self,
        claim_id: str | None = None,
        status: Literal["asked", "agreed", "refused"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recoveries, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only recoveries of this claim.
            status (str, optional): Only recoveries with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recoveries": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        found = [
            recovery
            for recovery in self.recoveries.values()
            if (claim_id is None or recovery["claim_id"] == claim_id)
            and (status is None or recovery["status"] == status)
        ]
        shown = [{**recovery} for recovery in _page(found, offset)]
        return _found({"total": len(found), "recoveries": shown}, self._names_of_recoveries(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_claim(
        self,
        policy_id: str,
        number: Text,
        kind: Literal["collision", "theft", "glass", "hail"],
        happened_on: Date,
        handler_id: str,
        reserve: Annotated[int, {"minimum": 0, "maximum": 20000000}],
    ) -> Result:
        """Open a claim on a policy with a first reserve.

        Args:
            policy_id (str): Id of the policy, such as POLICY-00001.
            number (str): Number of the new claim, not in use yet.
            kind (str): What happened to the car, which the policy must cover: collision, theft, glass or hail.
            happened_on (str): Day of the damage or theft, within the last ninety days and the policy, as
                YYYY-MM-DD.
            handler_id (str): Id of the handler, such as HANDLER-00001.
            reserve (int): Money set aside for the claim, within the authority of the handler, in cents, from 0 to
                20000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        policy = self.policies.get(policy_id)
        if policy is None:
            return _refused(f"There is no policy {policy_id!r}.")
        handler = self.handlers.get(handler_id)
        if handler is None:
            return _refused(f"There is no handler {handler_id!r}.")
        if self._claims_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is a claim {number} already.")
        if _plus_days(self.now[:10], -90) > happened_on or happened_on > self.now[:10]:
            return _refused("Claims are opened for the last ninety days.")
        if happened_on < policy["valid_from"]:
            return _refused(f"Policy {policy['number']} began on {policy['valid_from']} only.")
        if happened_on > policy["valid_until"]:
            return _refused(f"Policy {policy['number']} ended on {policy['valid_until']}.")
        if kind not in policy["covers"]:
            return _refused(
                f"Policy {policy['number']} covers {', '.join(one for one in policy['covers'])}, not {kind}."
            )
        if any(
            c["status"] != "denied"
            for c in self._claims_by_policy_kind.get((policy_id, kind), {}).values()
            if c["happened_on"] == happened_on
        ):
            return _refused(f"There is a claim for that day and kind on policy {policy['number']}.")
        if self._handler_active(handler) >= handler["most_open"]:
            return _refused(f"{handler['name']} has {self._handler_active(handler)} claims and can take no more.")
        if reserve > handler["authority"]:
            return _refused(f"{handler['name']} may reserve up to {_money(handler['authority'])}.")
        self._journal = []
        claim: Claim = {
            "id": self._new_id("claim", "CLAIM", self.claims),
            "number": number,
            "policy_id": policy_id,
            "kind": kind,
            "happened_on": happened_on,
            "handler_id": handler_id,
            "reserve": reserve,
            "garage_id": None,
            "salvage": None,
            "status": "open",
        }
        self._add("claims", claim)
        if len(self._claims_by_number.get(claim["number"], {})) > 1:
            return self._take_back(f"There is already a claim with the number {claim['number']!r}.")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        for one_garage in _distinct([self.garages.get(claim["garage_id"])]):
            if self._breaks_rule_5(one_garage):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(claim):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(claim):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: open claim {number} on policy {policy['holder']} (new: claim {claim['id']}).",
            "data": {"claim_id": claim["id"], **self._changes()},
        }

    def set_reserve(self, claim_id: str, reserve: Annotated[int, {"minimum": 0, "maximum": 20000000}]) -> Result:
        """Set the reserve of a claim under way, within the handler's authority.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            reserve (int): Money set aside for the claim in all, no less than was paid already, in cents, from 0 to
                20000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if not self._ongoing(claim):
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if reserve == claim["reserve"]:
            return _refused("That is the reserve already.")
        if reserve < self._claim_paid(claim):
            return _refused(f"{_money(self._claim_paid(claim))} has been paid already.")
        if reserve > self.handlers[claim["handler_id"]]["authority"]:
            return _refused(
                f"{self.handlers[claim['handler_id']]['name']} may reserve up to "
                f"{_money(self.handlers[claim['handler_id']]['authority'])}; hand the claim to somebody with more "
                "authority first."
            )
        self._journal = []
        self._put("claims", claim, "reserve", reserve)
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: set the reserve of {claim['number']} to {_money(reserve)}.",
            "data": self._changes(),
        }

    def hand_claim(self, claim_id: str, handler_id: str) -> Result:
        """Hand a claim under way to another handler.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            handler_id (str): Id of the handler, such as HANDLER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        handler = self.handlers.get(handler_id)
        if handler is None:
            return _refused(f"There is no handler {handler_id!r}.")
        if not self._ongoing(claim):
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if handler_id == claim["handler_id"]:
            return _refused(f"{handler['name']} has the claim already.")
        if self._handler_active(handler) >= handler["most_open"]:
            return _refused(f"{handler['name']} has {self._handler_active(handler)} claims and can take no more.")
        if claim["reserve"] > handler["authority"]:
            return _refused(
                f"{handler['name']} may reserve up to {_money(handler['authority'])}, and "
                f"{_money(claim['reserve'])} is reserved."
            )
        self._journal = []
        former_handler_id = claim["handler_id"]
        self._put("claims", claim, "handler_id", handler_id)
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.handlers[former_handler_id]):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: hand {claim['number']} to {handler['name']}.",
            "data": self._changes(),
        }

    def add_estimate(
        self,
        claim_id: str,
        garage_id: str,
        amount: Annotated[int, {"minimum": 1000, "maximum": 9000000}],
    ) -> Result:
        """Add a garage's estimate for the repair.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            garage_id (str): Id of the garage, such as GARAGE-00001.
            amount (int): What the garage would charge for the repair, in cents, from 1000 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        garage = self.garages.get(garage_id)
        if garage is None:
            return _refused(f"There is no garage {garage_id!r}.")
        if claim["status"] != "open":
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if claim["kind"] == "theft":
            return _refused(f"The car of claim {claim['number']} was stolen.")
        if self._estimates_by_claim_garage.get((claim_id, garage_id), {}):
            return _refused(f"{garage['name']} has given an estimate for {claim['number']}.")
        self._journal = []
        estimate: Estimate = {
            "id": self._new_id("estimate", "ESTIMATE", self.estimates),
            "claim_id": claim_id,
            "garage_id": garage_id,
            "amount": amount,
            "accepted": False,
        }
        self._add("estimates", estimate)
        if self._breaks_rule_7_e(estimate):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_e_again(estimate):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(estimate):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: add the estimate of {garage['name']} over {_money(amount)} for {claim['number']} (new: "
                f"estimate {estimate['id']})."
            ),
            "data": {"estimate_id": estimate["id"], **self._changes()},
        }

    def accept_estimate(self, estimate_id: str) -> Result:
        """Accept an estimate and send the car to that garage.

        Args:
            estimate_id (str): Id of the estimate, such as ESTIMATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        estimate = self.estimates.get(estimate_id)
        if estimate is None:
            return _refused(f"There is no estimate {estimate_id!r}.")
        claim = self.claims[estimate["claim_id"]]
        if claim["status"] != "open":
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if estimate["amount"] > self._uneconomic(claim):
            return _refused(f"The repair is dearer than {_money(self._uneconomic(claim))}, seven tenths of the car.")
        if self._owed_on(estimate) > claim["reserve"]:
            return _refused(
                f"{_money(self._owed_on(estimate))} would be paid after the excess, and "
                f"{_money(claim['reserve'])} is reserved."
            )
        if self._garage_busy(self.garages[estimate["garage_id"]]) >= self.garages[estimate["garage_id"]]["places"]:
            return _refused(f"{self.garages[estimate['garage_id']]['name']} has no place free.")
        self._journal = []
        self._put("estimates", estimate, "accepted", True)
        former_garage_id = claim["garage_id"]
        self._put("claims", claim, "garage_id", estimate["garage_id"])
        self._put("claims", claim, "status", "repairing")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        for one_garage in _distinct([self.garages.get(claim["garage_id"]), self.garages.get(former_garage_id)]):
            if self._breaks_rule_5(one_garage):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(claim):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_e_again(estimate):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(estimate):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: accept the estimate of {self.garages[estimate['garage_id']]['name']} for "
                f"{self.claims[estimate['claim_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def raise_estimate(
        self,
        estimate_id: str,
        amount: Annotated[int, {"minimum": 1000, "maximum": 9000000}],
    ) -> Result:
        """Agree to a higher estimate of the garage that repairs the car, after hidden damage was found.

        Args:
            estimate_id (str): Id of the estimate, such as ESTIMATE-00001.
            amount (int): New price of the repair in all, higher than before, in cents, from 1000 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        estimate = self.estimates.get(estimate_id)
        if estimate is None:
            return _refused(f"There is no estimate {estimate_id!r}.")
        claim = self.claims[estimate["claim_id"]]
        if not estimate["accepted"] or claim["status"] != "repairing":
            return _refused("That estimate is not being carried out.")
        if amount <= estimate["amount"]:
            return _refused(f"The estimate is {_money(estimate['amount'])} already.")
        if amount > self._uneconomic(claim):
            return _refused(
                f"The repair would be dearer than {_money(self._uneconomic(claim))}, seven tenths of the car."
            )
        if max(amount - self.policies[claim["policy_id"]]["excess"], 0) > claim["reserve"]:
            return _refused(
                f"{_money(amount - self.policies[claim['policy_id']]['excess'])} would be paid after the excess, "
                f"and {_money(claim['reserve'])} is reserved."
            )
        self._journal = []
        self._put("estimates", estimate, "amount", amount)
        if self._breaks_rule_8(estimate):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: agree to {_money(amount)} of {self.garages[estimate['garage_id']]['name']} for "
                f"{self.claims[estimate['claim_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def declare_total_loss(
        self,
        claim_id: str,
        salvage: Annotated[int, {"minimum": 0, "maximum": 9000000}],
    ) -> Result:
        """Declare a total loss, for a stolen car or where no garage would repair for seven tenths of its value.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            salvage (int): What the wreck is still worth, taken off the payment, in cents, from 0 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "open":
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if not (claim["kind"] == "theft" or bool(self._estimates_by_claim.get(claim_id, {}))):
            return _refused(f"Nobody has estimated the repair for {claim['number']}.")
        if not (
            claim["kind"] == "theft"
            or not any(
                e["amount"] <= self._uneconomic(claim)
                for e in self._estimates_by_claim.get(claim_id, {}).values()
            )
        ):
            return _refused(f"A garage would repair the car for no more than {_money(self._uneconomic(claim))}.")
        if salvage >= self.policies[claim["policy_id"]]["car_value"]:
            return _refused("The wreck is worth less than the car.")
        self._journal = []
        self._put("claims", claim, "salvage", salvage)
        self._put("claims", claim, "status", "total_loss")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        for one_garage in _distinct([self.garages.get(claim["garage_id"])]):
            if self._breaks_rule_5(one_garage):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(claim):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: declare {claim['number']} a total loss.", "data": self._changes()}

    def finish_repair(self, claim_id: str, bill: Annotated[int, {"minimum": 1000, "maximum": 9000000}]) -> Result:
        """Note that the car is repaired and pay the garage's bill less the excess; the bill is at most a tenth above
        the estimate.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            bill (int): Whole bill of the garage, before the excess is taken off, in cents, from 1000 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "repairing":
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        estimate = self._accepted(claim)
        if estimate is None:
            return _refused(f"Claim {claim['number']} has no accepted estimate.")
        if bill * 10 > estimate["amount"] * 11:
            return _refused(f"The bill is more than a tenth above the estimate of {_money(estimate['amount'])}.")
        if self._claim_paid(claim) + max(bill - self.policies[claim["policy_id"]]["excess"], 0) > claim["reserve"]:
            return _refused(
                f"{_money(claim['reserve'])} is reserved, and "
                f"{_money(bill - self.policies[claim['policy_id']]['excess'])} would be paid."
            )
        self._journal = []
        added_payouts: list[Any] = []
        part = bill - self.policies[claim["policy_id"]]["excess"]
        if part > 0:
            if not 1 <= part <= 9000000:
                return self._take_back("The amount of a payout must be between 0.01 and 90,000.00.")
            payout = {
                "id": self._new_id("payout", "PAYOUT", self.payouts),
                "claim_id": claim_id,
                "payee": "garage",
                "amount": part,
                "on": self.now[:10],
            }
            self._add("payouts", payout)
            added_payouts.append(payout)
        self._put("claims", claim, "status", "settled")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        for one_claim in _distinct([self.claims[one["claim_id"]] for one in added_payouts]):
            if self._breaks_rule_2(one_claim):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        for one_garage in _distinct([self.garages.get(claim["garage_id"])]):
            if self._breaks_rule_5(one_garage):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(claim):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        for one_claim in _distinct([self.claims[one["claim_id"]] for one in added_payouts]):
            if self._breaks_rule_11(one_claim):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: finish the repair for {claim['number']} at {_money(bill)}.",
            "data": self._changes(),
        }

    def pay_total_loss(self, claim_id: str) -> Result:
        """Pay the holder for a total loss, that is the car less excess and wreck.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "total_loss":
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if self._claim_paid(claim) + self._loss(claim) > claim["reserve"]:
            return _refused(f"{_money(self._loss(claim))} is due, and {_money(claim['reserve'])} is reserved.")
        self._journal = []
        added_payouts: list[Any] = []
        part = self._loss(claim)
        if part > 0:
            if not 1 <= part <= 9000000:
                return self._take_back("The amount of a payout must be between 0.01 and 90,000.00.")
            payout = {
                "id": self._new_id("payout", "PAYOUT", self.payouts),
                "claim_id": claim_id,
                "payee": "holder",
                "amount": part,
                "on": self.now[:10],
            }
            self._add("payouts", payout)
            added_payouts.append(payout)
        self._put("claims", claim, "status", "settled")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        for one_claim in _distinct([self.claims[one["claim_id"]] for one in added_payouts]):
            if self._breaks_rule_2(one_claim):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        for one_garage in _distinct([self.garages.get(claim["garage_id"])]):
            if self._breaks_rule_5(one_garage):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(claim):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        for one_claim in _distinct([self.claims[one["claim_id"]] for one in added_payouts]):
            if self._breaks_rule_11(one_claim):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: pay the total loss for {claim['number']}.",
            "data": self._changes(),
        }

    def deny_claim(self, claim_id: str) -> Result:
        """Deny an open claim; its reserve is freed.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "open":
            return _refused(f"Claim {claim['number']} is {claim['status']}.")
        if self._claim_paid(claim) != 0:
            return _refused(f"{_money(self._claim_paid(claim))} has been paid on {claim['number']}.")
        self._journal = []
        self._put("claims", claim, "reserve", 0)
        self._put("claims", claim, "status", "denied")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(claim):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.handlers[claim["handler_id"]]):
            return self._take_back(RULES[3])
        for one_garage in _distinct([self.garages.get(claim["garage_id"])]):
            if self._breaks_rule_5(one_garage):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(claim):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: deny {claim['number']}.", "data": self._changes()}

    def ask_recovery(
        self,
        claim_id: str,
        against: Text,
        percent: Annotated[int, {"minimum": 1, "maximum": 100}],
    ) -> Result:
        """Ask another insurer for part of what was paid on a settled claim.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            against (str): Name of the other insurer that is asked to pay.
            percent (int): Part of what was paid on the claim, in percent, from 1 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "settled" or self._claim_paid(claim) <= 0:
            return _refused(f"Nothing has been settled and paid on {claim['number']}.")
        if self._recoveries_by_claim_status.get((claim_id, "asked"), {}):
            return _refused(f"Somebody is being asked for {claim['number']} already.")
        if (
            sum(r["asked"] for r in self._recoveries_by_claim_status.get((claim_id, "agreed"), {}).values())
            + self._claim_paid(claim) * percent // 100 > self._claim_paid(claim)
        ):
            return _refused(
                f"Together with what was agreed before this is more than the {_money(self._claim_paid(claim))} "
                "that was paid."
            )
        if self._claim_paid(claim) * percent // 100 <= 0:
            return _refused("That is nothing.")
        self._journal = []
        asked = self._claim_paid(claim) * percent // 100
        if not 1 <= asked <= 9000000:
            return self._take_back("The asked of a recovery must be between 0.01 and 90,000.00.")
        recovery: Recovery = {
            "id": self._new_id("recovery", "RECOVERY", self.recoveries),
            "claim_id": claim_id,
            "against": against,
            "asked": asked,
            "received": 0,
            "status": "asked",
        }
        self._add("recoveries", recovery)
        if self._breaks_rule_11(self.claims[recovery["claim_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(recovery):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: ask {against} for {percent} percent of {claim['number']} (new: recovery {recovery['id']})."
            ),
            "data": {"recovery_id": recovery["id"], **self._changes()},
        }

    def answer_recovery(
        self,
        recovery_id: str,
        received: Annotated[int, {"minimum": 0, "maximum": 9000000}],
    ) -> Result:
        """Note the answer of the other insurer, with what it pays, or its refusal where that is nothing.

        Args:
            recovery_id (str): Id of the recovery, such as RECOVERY-00001.
            received (int): What the other insurer pays, where zero means that it refuses, in cents, from 0 to
                9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        recovery = self.recoveries.get(recovery_id)
        if recovery is None:
            return _refused(f"There is no recovery {recovery_id!r}.")
        if recovery["status"] != "asked":
            return _refused(f"The recovery is {recovery['status']}.")
        if received > recovery["asked"]:
            return _refused(f"{_money(recovery['asked'])} was asked for.")
        self._journal = []
        changed_recoveries: list[Any] = []
        changed_recoveries_2: list[Any] = []
        if received == 0:
            changed_recoveries.append(recovery)
            self._put("recoveries", recovery, "status", "refused")
        else:
            if recovery["status"] not in ("asked", "agreed"):
                return self._take_back(f"Recovery {recovery['id']} cannot go from {recovery['status']} to agreed.")
            changed_recoveries.append(recovery)
            self._put("recoveries", recovery, "status", "agreed")
            changed_recoveries_2.append(recovery)
            self._put("recoveries", recovery, "received", received)
        for one_claim in _distinct([self.claims[one["claim_id"]] for one in changed_recoveries]):
            if self._breaks_rule_11(one_claim):
                return self._take_back(RULES[10])
        for one_recovery in _distinct([*changed_recoveries, *changed_recoveries_2]):
            if self._breaks_rule_12(one_recovery):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: note the answer of {recovery['against']} for {self.claims[recovery['claim_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def _show_policy(self, policy: Policy) -> dict[str, Any]:
        """The policy as an answer shows it."""
        return {**policy, "covers": [*policy["covers"]]}

    def _show_handler(self, handler: Handler) -> dict[str, Any]:
        """The handler as an answer shows it."""
        return {**handler, "active": self._handler_active(handler)}

    def _show_garage(self, garage: Garage) -> dict[str, Any]:
        """The garage as an answer shows it."""
        return {**garage, "busy": self._garage_busy(garage)}

    def _show_claim(self, claim: Claim) -> dict[str, Any]:
        """The claim as an answer shows it."""
        return {**claim, "paid": self._claim_paid(claim), "recovered": self._claim_recovered(claim)}

    def _names_of_claims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that claims point to."""
        return _names(
            (self.policies, "holder", [row["policy_id"] for row in shown]),
            (self.handlers, "name", [row["handler_id"] for row in shown]),
            (self.garages, "name", [row["garage_id"] for row in shown]),
        )

    def _names_of_estimates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that estimates point to."""
        return _names(
            (self.claims, "number", [row["claim_id"] for row in shown]),
            (self.garages, "name", [row["garage_id"] for row in shown]),
        )

    def _names_of_payouts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payouts point to."""
        return _names((self.claims, "number", [row["claim_id"] for row in shown]))

    def _names_of_recoveries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that recoveries point to."""
        return _names((self.claims, "number", [row["claim_id"] for row in shown]))

    def _handler_active(self, handler: Handler) -> int:
        """The active of a handler."""
        return sum(
            1
            for c in self._claims_by_handler.get(handler["id"], {}).values()
            if c["status"] in ("open", "repairing", "total_loss")
        )

    def _garage_busy(self, garage: Garage) -> int:
        """The busy of a garage."""
        return len(self._claims_by_garage_status.get((garage["id"], "repairing"), {}))

    def _claim_paid(self, claim: Claim) -> int:
        """The paid of a claim."""
        return sum(p["amount"] for p in self._payouts_by_claim.get(claim["id"], {}).values())

    def _claim_recovered(self, claim: Claim) -> int:
        """The recovered of a claim."""
        return sum(r["received"] for r in self._recoveries_by_claim.get(claim["id"], {}).values())

    def _ongoing(self, c: Claim) -> bool:
        return c["status"] in ("open", "repairing", "total_loss")

    def _uneconomic(self, c: Claim) -> int:
        return self.policies[c["policy_id"]]["car_value"] * 7 // 10

    def _owed_on(self, e: Estimate) -> int:
        return max(e["amount"] - self.policies[self.claims[e["claim_id"]]["policy_id"]]["excess"], 0)

    def _loss(self, c: Claim) -> int:
        return max(
            self.policies[c["policy_id"]]["car_value"] - self.policies[c["policy_id"]]["excess"] - (
                c["salvage"]
                if c["salvage"] is not None
                else 0
            ),
            0,
        )

    def _accepted(self, c: Claim) -> Estimate | None:
        return next(
            (e for e in sorted(self._estimates_by_claim.get(c["id"], {}).values(), key=_age) if e["accepted"]),
            None,
        )

    def _cheapest(self, c: Claim) -> int | None:
        return min((e["amount"] for e in self._estimates_by_claim.get(c["id"], {}).values()), default=None)

    def _breaks_rule_1(self, c: Claim) -> bool:
        """Whether this is broken: a claim happened while the policy was valid, and the policy covers it unless it is
        denied.
        """
        return not (
            self.policies[c["policy_id"]]["valid_from"] <= c["happened_on"]
            and c["happened_on"] <= self.policies[c["policy_id"]]["valid_until"]
            and (c["status"] == "denied" or c["kind"] in self.policies[c["policy_id"]]["covers"])
        )

    def _breaks_rule_2(self, c: Claim) -> bool:
        """Whether this is broken: no more is paid out on a claim than its reserve."""
        return self._claim_paid(c) > c["reserve"]

    def _breaks_rule_3(self, c: Claim) -> bool:
        """Whether this is broken: the reserve of a claim under way stays within the authority of its handler."""
        return self._ongoing(c) and c["reserve"] > self.handlers[c["handler_id"]]["authority"]

    def _breaks_rule_4(self, h: Handler) -> bool:
        """Whether this is broken: a handler never has more claims under way than they can handle."""
        return self._handler_active(h) > h["most_open"]

    def _breaks_rule_5(self, g: Garage) -> bool:
        """Whether this is broken: a garage never repairs more cars than it has places."""
        return self._garage_busy(g) > g["places"]

    def _breaks_rule_6(self, c: Claim) -> bool:
        """Whether this is broken: a car that is repaired is in a garage."""
        return c["status"] == "repairing" and c["garage_id"] is None

    def _breaks_rule_7_e(self, e: Estimate) -> bool:
        """Whether this is broken: a garage gives one estimate for a claim, and one estimate at most is accepted."""
        return any(
            other_e is not e
            for other_e in self._estimates_by_claim_garage.get((e["claim_id"], e["garage_id"]), {}).values()
        )

    def _breaks_rule_7_e_again(self, e: Estimate) -> bool:
        """Whether this is broken: a garage gives one estimate for a claim, and one estimate at most is accepted."""
        return (
            e["accepted"]
            and any(
                other_e is not e
                for other_e in self._estimates_by_claim.get(e["claim_id"], {}).values()
                if other_e["accepted"]
            )
        )

    def _breaks_rule_8(self, e: Estimate) -> bool:
        """Whether this is broken: a repair that costs more than seven tenths of the car is never accepted."""
        return e["accepted"] and e["amount"] > self._uneconomic(self.claims[e["claim_id"]])

    def _breaks_rule_9(self, c: Claim) -> bool:
        """Whether this is broken: a total loss says what the wreck is worth."""
        return c["status"] == "total_loss" and c["salvage"] is None

    def _breaks_rule_10(self, c: Claim) -> bool:
        """Whether this is broken: a policy has one claim of a kind for a day."""
        return (
            c["status"] != "denied"
            and any(
                other_c is not c
                for other_c in self._claims_by_policy_kind.get((c["policy_id"], c["kind"]), {}).values()
                if other_c["happened_on"] == c["happened_on"]
                and other_c["status"] != "denied"
            )
        )

    def _breaks_rule_11(self, c: Claim) -> bool:
        """Whether this is broken: no more is asked back from others than was paid."""
        return sum(
            r["asked"]
            for r in self._recoveries_by_claim.get(c["id"], {}).values()
            if r["status"] != "refused"
        ) > self._claim_paid(c)

    def _breaks_rule_12(self, r: Recovery) -> bool:
        """Whether this is broken: what was received was agreed, and never exceeds what was asked."""
        return not (r["received"] <= r["asked"] and (r["received"] == 0 or r["status"] == "agreed"))

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
            case "claims":
                self._claims_by_garage_status.setdefault(
                    (record["garage_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._claims_by_handler.setdefault(record["handler_id"], {})[record["id"]] = record
                self._claims_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._claims_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._claims_by_policy_kind.setdefault((record["policy_id"], record["kind"]), {})[record["id"]] = record
            case "estimates":
                self._estimates_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
                self._estimates_by_claim_garage.setdefault(
                    (record["claim_id"], record["garage_id"]),
                    {},
                )[record["id"]] = record
            case "payouts":
                self._payouts_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
            case "recoveries":
                self._recoveries_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
                self._recoveries_by_claim_status.setdefault(
                    (record["claim_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "claims":
                del self._claims_by_garage_status[record["garage_id"], record["status"]][record["id"]]
                del self._claims_by_handler[record["handler_id"]][record["id"]]
                del self._claims_by_lower_number[record["number"].lower()][record["id"]]
                del self._claims_by_number[record["number"]][record["id"]]
                del self._claims_by_policy_kind[record["policy_id"], record["kind"]][record["id"]]
            case "estimates":
                del self._estimates_by_claim[record["claim_id"]][record["id"]]
                del self._estimates_by_claim_garage[record["claim_id"], record["garage_id"]][record["id"]]
            case "payouts":
                del self._payouts_by_claim[record["claim_id"]][record["id"]]
            case "recoveries":
                del self._recoveries_by_claim[record["claim_id"]][record["id"]]
                del self._recoveries_by_claim_status[record["claim_id"], record["status"]][record["id"]]
