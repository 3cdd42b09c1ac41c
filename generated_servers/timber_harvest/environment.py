"""Timber harvest. Compiled from blueprint.yaml; run `envscaler build timber_harvest` after changing it there.

Harvests the stands of a forest within permits, stream buffers, closed seasons and distances between clearings,
hauls the piles to mills under quotas and plants what is owed.
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
    "A stand has one open permit at a time.",
    "An open permit never has more left than stands outside of the buffer.",
    "No more is cut than the permit allows.",
    "Two clearings never lie side by side.",
    "Nothing is cleared beside a stand where plants are still owed.",
    "A crew works at one felling at a time, and a permit is used by one crew at a time.",
    "Harvesters do not work on steep stands, and nobody begins in the closed season.",
    "Felling goes on under open permits only.",
    "There is one pile of a kind at a stand.",
    "A mill takes no more than its quota, and only the kind of wood it has bought.",
    "No more is planted than was owed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "grant_permit",
    "extend_permit",
    "end_permit",
    "start_felling",
    "report_cut",
    "finish_felling",
    "change_crew",
    "haul_load",
    "deliver_load",
    "reject_load",
    "move_quota",
    "plant_trees",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "stands": ("name",),
    "permits": (),
    "crews": ("name",),
    "fellings": (),
    "piles": (),
    "contracts": ("mill",),
    "loads": (),
    "plantings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("fellings", "crew_id"),
    ("fellings", "permit_id"),
    ("fellings", "status"),
    ("loads", "contract_id"),
    ("permits", "kind"),
    ("permits", "stand_id"),
    ("piles", "kind"),
    ("piles", "stand_id"),
    ("plantings", "stand_id"),
    ("stands", "beside_ids"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Stand(TypedDict):
    id: str
    name: str
    hectares: int
    standing: int
    buffer: int
    steep: bool
    closed_from: str | None
    closed_until: str | None
    beside_ids: list[str]


class Permit(TypedDict):
    id: str
    stand_id: str
    kind: Literal["thinning", "clearing"]
    volume: int
    valid_until: str
    ended: bool


class Crew(TypedDict):
    id: str
    name: str
    gear: Literal["harvester", "chainsaw", "cable"]


class Felling(TypedDict):
    id: str
    permit_id: str
    crew_id: str
    began_on: str
    cut: int
    status: Literal["running", "finished"]


class Pile(TypedDict):
    id: str
    stand_id: str
    kind: Literal["sawlogs", "pulpwood", "firewood"]
    volume: int


class Contract(TypedDict):
    id: str
    mill: str
    kind: Literal["sawlogs", "pulpwood", "firewood"]
    quota: int
    price: int


class Load(TypedDict):
    id: str
    pile_id: str
    contract_id: str
    volume: int
    hauled_on: str
    status: Literal["on_the_road", "delivered", "rejected"]


class Planting(TypedDict):
    id: str
    stand_id: str
    plants: int
    planted: int
    due_on: str


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class TimberHarvest:
    """Harvests the stands of a forest within permits, stream buffers, closed seasons and distances between
    clearings, hauls the piles to mills under quotas and plants what is owed.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stands: dict[str, Stand] = _copied(config.get("stands", {}))
        self.permits: dict[str, Permit] = _copied(config.get("permits", {}))
        self.crews: dict[str, Crew] = _copied(config.get("crews", {}))
        self.fellings: dict[str, Felling] = _copied(config.get("fellings", {}))
        self.piles: dict[str, Pile] = _copied(config.get("piles", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.loads: dict[str, Load] = _copied(config.get("loads", {}))
        self.plantings: dict[str, Planting] = _copied(config.get("plantings", {}))
        self.now: str = config.get("now", "2026-04-08T07:30")
        self.counters: dict[str, int] = {
            "stand": len(self.stands),
            "permit": len(self.permits),
            "crew": len(self.crews),
            "felling": len(self.fellings),
            "pile": len(self.piles),
            "contract": len(self.contracts),
            "load": len(self.loads),
            "planting": len(self.plantings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._stands_by_beside: dict[Any, dict[str, Stand]] = {}
        self._permits_by_stand: dict[Any, dict[str, Permit]] = {}
        self._permits_by_stand_kind: dict[Any, dict[str, Permit]] = {}
        self._fellings_by_crew_status: dict[Any, dict[str, Felling]] = {}
        self._fellings_by_permit: dict[Any, dict[str, Felling]] = {}
        self._fellings_by_permit_status: dict[Any, dict[str, Felling]] = {}
        self._piles_by_stand_kind: dict[Any, dict[str, Pile]] = {}
        self._loads_by_contract: dict[Any, dict[str, Load]] = {}
        self._plantings_by_stand: dict[Any, dict[str, Planting]] = {}
        for stand in self.stands.values():
            self._link("stands", stand)
        for permit in self.permits.values():
            self._link("permits", permit)
        for felling in self.fellings.values():
            self._link("fellings", felling)
        for pile in self.piles.values():
            self._link("piles", pile)
        for load in self.loads.values():
            self._link("loads", load)
        for planting in self.plantings.values():
            self._link("plantings", planting)

    def best_buyers(
        self,
        kind: Literal["sawlogs", "pulpwood", "firewood"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Contracts for a kind of wood with quota open, the best price first.

        Args:
            kind (str): Kind of wood that is to be sold: sawlogs, pulpwood or firewood.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}} or {"success": False, "error":
                why not}
        """
        found = [k for k in self.contracts.values() if (k["kind"] == kind and self._contract_open_quota(k) > 0)]
        found.sort(key=lambda k: (-k["price"], k["mill"], _age(k)))
        return _found(
            {
                "total": len(found),
                "contracts": [
                    {
                        "id": k["id"],
                        "mill": k["mill"],
                        "price": k["price"],
                        "open_quota": self._contract_open_quota(k),
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def plants_owed(
        self,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Where plants are owed, the first due first.

        Args:
            until (str, optional): Last due day that is listed, as YYYY-MM-DD. If left out, all that is owed is
                listed, whenever it is due.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plantings": records}} or {"success": False, "error":
                why not}
        """
        found = [
            x
            for x in self.plantings.values()
            if x["planted"] < x["plants"]
            and (until is None or x["due_on"] <= until)
        ]
        found.sort(key=lambda x: (x["due_on"], x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "plantings": [
                    {
                        "id": x["id"],
                        "stand": self.stands[x["stand_id"]]["name"],
                        "owed": x["plants"] - x["planted"],
                        "due_on": x["due_on"],
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_stands(
        self,
        name: Text | None = None,
        steep: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stands, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stands whose name contains this text.
            steep (bool, optional): Only stands that are steep (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stands": records}}
        """
        found = [
            stand
            for stand in self.stands.values()
            if (name is None or name.casefold() in stand["name"].casefold())
            and (steep is None or stand["steep"] == steep)
        ]
        shown = [self._show_stand(stand) for stand in _page(found, offset)]
        return _found({"total": len(found), "stands": shown}, self._names_of_stands(shown))

    def list_permits(
        self,
        stand_id: str | None = None,
        kind: Literal["thinning", "clearing"] | None = None,
        ended: bool | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the permits, oldest first, all of them or only some.

        Args:
            stand_id (str, optional): Only permits of this stand.
            kind (str, optional): Only permits with this kind.
            ended (bool, optional): Only permits that are ended (true) or not (false).
            valid_until_from (str, optional): Only permits whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only permits whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}}
        """
        if stand_id is not None and stand_id not in self.stands:
            return _refused(f"There is no stand {stand_id!r}.")
        found = [
            permit
            for permit in self.permits.values()
            if (stand_id is None or permit["stand_id"] == stand_id)
            and (kind is None or permit["kind"] == kind)
            and (ended is None or permit["ended"] == ended)
            and (valid_until_from is None or permit["valid_until"] >= valid_until_from)
            and (valid_until_to is None or permit["valid_until"] <= valid_until_to)
        ]
        shown = [self._show_permit(permit) for permit in _page(found, offset)]
        return _found({"total": len(found), "permits": shown}, self._names_of_permits(shown))

    def list_crews(
        self,
        name: Text | None = None,
        gear: Literal["harvester", "chainsaw", "cable"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crews, oldest first, all of them or only some.

        Args:
            name (str, optional): Only crews whose name contains this text.
            gear (str, optional): Only crews with this gear.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}}
        """
        found = [
            crew
            for crew in self.crews.values()
            if (name is None or name.casefold() in crew["name"].casefold())
            and (gear is None or crew["gear"] == gear)
        ]
        return _found({"total": len(found), "crews": [{**crew} for crew in _page(found, offset)]})

    def list_fellings(
        self,
        permit_id: str | None = None,
        crew_id: str | None = None,
        status: Literal["running", "finished"] | None = None,
        began_on_from: Date | None = None,
        began_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fellings, oldest first, all of them or only some.

        Args:
            permit_id (str, optional): Only fellings of this permit.
            crew_id (str, optional): Only fellings of this crew.
            status (str, optional): Only fellings with this status.
            began_on_from (str, optional): Only fellings whose `began_on` is on this day or later.
            began_on_to (str, optional): Only fellings whose `began_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fellings": records}}
        """
        if permit_id is not None and permit_id not in self.permits:
            return _refused(f"There is no permit {permit_id!r}.")
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            felling
            for felling in self.fellings.values()
            if (permit_id is None or felling["permit_id"] == permit_id)
            and (crew_id is None or felling["crew_id"] == crew_id)
            and (status is None or felling["status"] == status)
            and (began_on_from is None or felling["began_on"] >= began_on_from)
            and (began_on_to is None or felling["began_on"] <= began_on_to)
        ]
        shown = [{**felling} for felling in _page(found, offset)]
        return _found({"total": len(found), "fellings": shown}, self._names_of_fellings(shown))

    def list_piles(
        self,
        stand_id: str | None = None,
        kind: Literal["sawlogs", "pulpwood", "firewood"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the piles, oldest first, all of them or only some.

        Args:
            stand_id (str, optional): Only piles of this stand.
            kind (str, optional): Only piles with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "piles": records}}
        """
        if stand_id is not None and stand_id not in self.stands:
            return _refused(f"There is no stand {stand_id!r}.")
        found = [
            pile
            for pile in self.piles.values()
            if (stand_id is None or pile["stand_id"] == stand_id)
            and (kind is None or pile["kind"] == kind)
        ]
        shown = [{**pile} for pile in _page(found, offset)]
        return _found({"total": len(found), "piles": shown}, self._names_of_piles(shown))

    def list_contracts(
        self,
        mill: Text | None = None,
        kind: Literal["sawlogs", "pulpwood", "firewood"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            mill (str, optional): Only contracts whose mill contains this text.
            kind (str, optional): Only contracts with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        found = [
            contract
            for contract in self.contracts.values()
            if (mill is None or mill.casefold() in contract["mill"].casefold())
            and (kind is None or contract["kind"] == kind)
        ]
        return _found(
            {"total": len(found), "contracts": [self._show_contract(contract) for contract in _page(found, offset)]}
        )

    def list_loads(
        self,
        pile_id: str | None = None,
        contract_id: str | None = None,
        status: Literal["on_the_road", "delivered", "rejected"] | None = None,
        hauled_on_from: Date | None = None,
        hauled_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loads, oldest first, all of them or only some.

        Args:
            pile_id (str, optional): Only loads of this pile.
            contract_id (str, optional): Only loads of this contract.
            status (str, optional): Only loads with this status.
            hauled_on_from (str, optional): Only loads whose `hauled_on` is on this day or later.
            hauled_on_to (str, optional): Only loads whose `hauled_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loads": records}}
        """
        if pile_id is not None and pile_id not in self.piles:
            return _refused(f"There is no pile {pile_id!r}.")
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        found = [
            load
            for load in self.loads.values()
            if (pile_id is None or load["pile_id"] == pile_id)
            and (contract_id is None or load["contract_id"] == contract_id)
            and (status is None or load["status"] == status)
            and (hauled_on_from is None or load["hauled_on"] >= hauled_on_from)
            and (hauled_on_to is None or load["hauled_on"] <= hauled_on_to)
        ]
        shown = [{**load} for load in _page(found, offset)]
        return _found({"total": len(found), "loads": shown}, self._names_of_loads(shown))

    def list_plantings(
        self,
        stand_id: str | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plantings, oldest first, all of them or only some.

        Args:
            stand_id (str, optional): Only plantings of this stand.
            due_on_from (str, optional): Only plantings whose `due_on` is on this day or later.
            due_on_to (str, optional): Only plantings whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plantings": records}}
        """
        if stand_id is not None and stand_id not in self.stands:
            return _refused(f"There is no stand {stand_id!r}.")
        found = [
            planting
            for planting in self.plantings.values()
            if (stand_id is None or planting["stand_id"] == stand_id)
            and (due_on_from is None or planting["due_on"] >= due_on_from)
            and (due_on_to is None or planting["due_on"] <= due_on_to)
        ]
        shown = [{**planting} for planting in _page(found, offset)]
        return _found({"total": len(found), "plantings": shown}, self._names_of_plantings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def grant_permit(
        self,
        stand_id: str,
        kind: Literal["thinning", "clearing"],
        volume: Annotated[int, {"minimum": 20, "maximum": 9000}],
        valid_until: Date,
    ) -> Result:
        """Enter a permit to thin a stand, by a third of what is allowed at most and once in five years, or to clear
        it.

        Args:
            stand_id (str): Id of the stand, such as STAND-00001.
            kind (str): Whether the stand is thinned or cleared wholly: thinning or clearing.
            volume (int): Wood that may be cut, in cubic metres, from 20 to 9000.
            valid_until (str): Last day of the permit, at least two weeks ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        if valid_until < _plus_days(self.now[:10], 14):
            return _refused("A permit runs for two weeks at least.")
        other = self._open_permit(stand)
        if other is not None:
            return _refused(f"{stand['name']} has a permit until {other['valid_until']}.")
        if volume > self._stand_allowed(stand):
            return _refused(f"{stand['name']} has {self._stand_allowed(stand)} outside of its buffer.")
        if kind != "clearing" and volume * 3 > self._stand_allowed(stand):
            return _refused(f"A thinning takes a third at most, that is {self._stand_allowed(stand) // 3}.")
        lately = self._thinned(stand, self.now[:10])
        if kind != "clearing" and lately is not None:
            return _refused(
                f"{stand['name']} was thinned from {lately['began_on']} on and rests for five years after that."
            )
        near = self._clearing_beside(stand)
        if kind == "clearing" and near is not None:
            return _refused(f"{self.stands[near['stand_id']]['name']} beside it is being cleared.")
        bare = self._bare_beside(stand)
        if kind == "clearing" and bare is not None:
            return _refused(f"{self._owing(bare)} plants are owed in {bare['name']} beside it.")
        self._journal = []
        permit: Permit = {
            "id": self._new_id("permit", "PERMIT", self.permits),
            "stand_id": stand_id,
            "kind": kind,
            "volume": volume,
            "valid_until": valid_until,
            "ended": False,
        }
        self._add("permits", permit)
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(permit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(permit):
            return self._take_back(RULES[2])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._stands_by_beside.get(permit["stand_id"], {}).values()
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
                *[
                    user
                    for one in [self.stands[key] for key in self.stands[permit["stand_id"]]["beside_ids"]]
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_permit):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(permit):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: enter a permit for {kind} of {volume} in {stand['name']} (new: permit {permit['id']})."
            ),
            "data": {"permit_id": permit["id"], **self._changes()},
        }

    def extend_permit(self, permit_id: str, valid_until: Date) -> Result:
        """Extend an open permit.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            valid_until (str): New last day, later than now by half a year at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["ended"]:
            return _refused(f"The permit for {self.stands[permit['stand_id']]['name']} has ended.")
        if valid_until <= permit["valid_until"]:
            return _refused(f"It runs until {permit['valid_until']} anyway.")
        if valid_until > _plus_days(permit["valid_until"], 180):
            return _refused("A permit is extended by half a year at most.")
        self._journal = []
        self._put("permits", permit, "valid_until", valid_until)
        return {
            "success": True,
            "message": f"Done: extend the permit for {self.stands[permit['stand_id']]['name']} until {valid_until}.",
            "data": self._changes(),
        }

    def end_permit(self, permit_id: str) -> Result:
        """End a permit under which nobody is felling; a clearing in which something was cut must be planted again
        within two years, with 2000 plants a hectare.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["ended"]:
            return _refused(f"The permit for {self.stands[permit['stand_id']]['name']} has ended.")
        job = self._job_on(permit)
        if job is not None:
            return _refused(f"{self.crews[job['crew_id']]['name']} is felling there; finish that first.")
        if not (
            permit["kind"] == "thinning"
            or self._permit_cut(permit) == 0
            or not any(
                not p["ended"]
                for t in self._around(self.stands[permit["stand_id"]])
                for p in self._permits_by_stand_kind.get((t["id"], "clearing"), {}).values()
            )
        ):
            return _refused("A neighbouring stand is being cleared.")
        self._journal = []
        added_plantings: list[Any] = []
        self._put("permits", permit, "ended", True)
        if permit["kind"] == "clearing" and self._permit_cut(permit) > 0:
            plants = 2000 * self.stands[permit["stand_id"]]["hectares"]
            if not 100 <= plants <= 200000:
                return self._take_back("The plants of a planting must be between 100 and 200000.")
            planting = {
                "id": self._new_id("planting", "PLANTING", self.plantings),
                "stand_id": permit["stand_id"],
                "plants": plants,
                "planted": 0,
                "due_on": _add_months(self.now[:10], 24),
            }
            self._add("plantings", planting)
            added_plantings.append(planting)
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(permit):
            return self._take_back(RULES[1])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._stands_by_beside.get(permit["stand_id"], {}).values()
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
                *[
                    user
                    for one in [self.stands[key] for key in self.stands[permit["stand_id"]]["beside_ids"]]
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_permit):
                return self._take_back(RULES[3])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in [
                        user
                        for one in [self.stands[one["stand_id"]] for one in added_plantings]
                        for user in self._stands_by_beside.get(one["id"], {}).values()
                    ]
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
                *[
                    user
                    for one in [
                        self.stands[key]
                        for one in [self.stands[one["stand_id"]] for one in added_plantings]
                        for key in one["beside_ids"]
                    ]
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_permit):
                return self._take_back(RULES[4])
        for one_felling in _distinct(self._fellings_by_permit_status.get((permit["id"], "running"), {}).values()):
            if self._breaks_rule_8(one_felling):
                return self._take_back(RULES[7])
        for one_planting in _distinct(added_plantings):
            if self._breaks_rule_11(one_planting):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: end the permit for {self.stands[permit['stand_id']]['name']}.",
            "data": self._changes(),
        }

    def start_felling(self, permit_id: str, crew_id: str) -> Result:
        """Let a crew begin to fell under a permit.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if permit["ended"] or permit["valid_until"] < self.now[:10]:
            return _refused(
                f"The permit for {self.stands[permit['stand_id']]['name']} has ended or ran out on "
                f"{permit['valid_until']}."
            )
        if self._permit_left(permit) <= 0:
            return _refused(f"The permit for {self.stands[permit['stand_id']]['name']} is used up.")
        other = self._job_on(permit)
        if other is not None:
            return _refused(f"{self.crews[other['crew_id']]['name']} is felling there.")
        busy = self._job_of(crew)
        if busy is not None:
            return _refused(
                f"{crew['name']} is felling in {self.stands[self.permits[busy['permit_id']]['stand_id']]['name']}."
            )
        if self.stands[permit["stand_id"]]["steep"] and crew["gear"] == "harvester":
            return _refused(f"{self.stands[permit['stand_id']]['name']} is too steep for a harvester.")
        if self._closed(self.stands[permit["stand_id"]], self.now[:10]):
            return _refused(f"{self.stands[permit['stand_id']]['name']} is closed for the breeding season.")
        self._journal = []
        felling: Felling = {
            "id": self._new_id("felling", "FELLING", self.fellings),
            "permit_id": permit_id,
            "crew_id": crew_id,
            "began_on": self.now[:10],
            "cut": 0,
            "status": "running",
        }
        self._add("fellings", felling)
        if self._breaks_rule_2(self.permits[felling["permit_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.permits[felling["permit_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_6_f(felling):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_f_again(felling):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_f(felling):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_f_again(felling):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(felling):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: let {crew['name']} begin in {self.stands[permit['stand_id']]['name']} (new: felling "
                f"{felling['id']})."
            ),
            "data": {"felling_id": felling["id"], **self._changes()},
        }

    def report_cut(
        self,
        felling_id: str,
        kind: Literal["sawlogs", "pulpwood", "firewood"],
        volume: Annotated[int, {"minimum": 1, "maximum": 2000}],
    ) -> Result:
        """Report wood that was cut in a felling and put on the pile of its kind.

        Args:
            felling_id (str): Id of the felling, such as FELLING-00001.
            kind (str): Kind of wood, which decides the pile it goes to: sawlogs, pulpwood or firewood.
            volume (int): Wood that was cut, in cubic metres, from 1 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        felling = self.fellings.get(felling_id)
        if felling is None:
            return _refused(f"There is no felling {felling_id!r}.")
        if felling["status"] != "running":
            return _refused("The felling is finished.")
        if self.permits[felling["permit_id"]]["valid_until"] < self.now[:10]:
            return _refused(
                f"The permit ran out on {self.permits[felling['permit_id']]['valid_until']}; extend it first."
            )
        if self._closed(self.stands[self.permits[felling["permit_id"]]["stand_id"]], self.now[:10]):
            return _refused(
                f"{self.stands[self.permits[felling['permit_id']]['stand_id']]['name']} is closed for the "
                "breeding season, so nothing is cut there now."
            )
        if volume > self._permit_left(self.permits[felling["permit_id"]]):
            return _refused(
                f"The permit leaves {self._permit_left(self.permits[felling['permit_id']])}, not {volume}."
            )
        self._journal = []
        added_piles: list[Any] = []
        stand = self.stands[self.permits[felling["permit_id"]]["stand_id"]]
        cut = felling["cut"] + volume
        if not 0 <= cut <= 9000:
            return self._take_back(f"The cut of {felling['id']} must be between 0 and 9000.")
        self._put("fellings", felling, "cut", cut)
        standing = stand["standing"] - volume
        if not 0 <= standing <= 30000:
            return self._take_back(f"The standing of {stand['name']} must be between 0 and 30000.")
        self._put("stands", stand, "standing", standing)
        if not self._piles_by_stand_kind.get((stand["id"], kind), {}):
            pile = {
                "id": self._new_id("pile", "PILE", self.piles),
                "stand_id": stand["id"],
                "kind": kind,
                "volume": 0,
            }
            self._add("piles", pile)
            added_piles.append(pile)
        for x in sorted(self._piles_by_stand_kind.get((stand["id"], kind), {}).values(), key=_age):
            new_volume = x["volume"] + volume
            if not 0 <= new_volume <= 9000:
                return self._take_back(f"The volume of {x['id']} must be between 0 and 9000.")
            self._put("piles", x, "volume", new_volume)
        for one_permit in _distinct(
            [self.permits[felling["permit_id"]], *self._permits_by_stand.get(stand["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_permit):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(self.permits[felling["permit_id"]]):
            return self._take_back(RULES[2])
        for one_pile in _distinct(added_piles):
            if self._breaks_rule_9(one_pile):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: report {volume} of {kind} from "
                f"{self.stands[self.permits[felling['permit_id']]['stand_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def finish_felling(self, felling_id: str) -> Result:
        """Finish a felling, so that its crew is free.

        Args:
            felling_id (str): Id of the felling, such as FELLING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        felling = self.fellings.get(felling_id)
        if felling is None:
            return _refused(f"There is no felling {felling_id!r}.")
        if felling["status"] != "running":
            return _refused("The felling is finished.")
        self._journal = []
        self._put("fellings", felling, "status", "finished")
        if self._breaks_rule_6_f(felling):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_f_again(felling):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(felling):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: finish the felling in {self.stands[self.permits[felling['permit_id']]['stand_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def change_crew(self, felling_id: str, crew_id: str) -> Result:
        """Let another crew go on with a felling.

        Args:
            felling_id (str): Id of the felling, such as FELLING-00001.
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        felling = self.fellings.get(felling_id)
        if felling is None:
            return _refused(f"There is no felling {felling_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if felling["status"] != "running":
            return _refused("The felling is finished.")
        busy = self._job_of(crew)
        if busy is not None:
            return _refused(
                f"{crew['name']} is felling in {self.stands[self.permits[busy['permit_id']]['stand_id']]['name']}."
            )
        if self._closed(self.stands[self.permits[felling["permit_id"]]["stand_id"]], self.now[:10]):
            return _refused(
                f"{self.stands[self.permits[felling['permit_id']]['stand_id']]['name']} is closed for the "
                "breeding season, so finish the felling there instead."
            )
        if self.stands[self.permits[felling["permit_id"]]["stand_id"]]["steep"] and crew["gear"] == "harvester":
            return _refused(
                f"{self.stands[self.permits[felling['permit_id']]['stand_id']]['name']} is too steep for a harvester."
            )
        self._journal = []
        self._put("fellings", felling, "crew_id", crew_id)
        if self._breaks_rule_6_f(felling):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_f(felling):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: let {crew['name']} go on in "
                f"{self.stands[self.permits[felling['permit_id']]['stand_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def haul_load(
        self,
        pile_id: str,
        contract_id: str,
        volume: Annotated[int, {"minimum": 1, "maximum": 40}],
    ) -> Result:
        """Haul a load of up to 40 cubic metres from a pile to a mill under a contract.

        Args:
            pile_id (str): Id of the pile, such as PILE-00001.
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            volume (int): Wood on the truck, in cubic metres, from 1 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pile = self.piles.get(pile_id)
        if pile is None:
            return _refused(f"There is no pile {pile_id!r}.")
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if pile["kind"] != contract["kind"]:
            return _refused(f"{contract['mill']} buys {contract['kind']}, not {pile['kind']}.")
        if volume > pile["volume"]:
            return _refused(f"The pile has {pile['volume']}, not {volume}.")
        if volume > self._contract_open_quota(contract):
            return _refused(f"{contract['mill']} takes {self._contract_open_quota(contract)} more, not {volume}.")
        self._journal = []
        new_volume = pile["volume"] - volume
        if not 0 <= new_volume <= 9000:
            return self._take_back(f"The volume of {pile['id']} must be between 0 and 9000.")
        self._put("piles", pile, "volume", new_volume)
        load: Load = {
            "id": self._new_id("load", "LOAD", self.loads),
            "pile_id": pile_id,
            "contract_id": contract_id,
            "volume": volume,
            "hauled_on": self.now[:10],
            "status": "on_the_road",
        }
        self._add("loads", load)
        if self._breaks_rule_10_k(self.contracts[load["contract_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_l(load):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: haul {volume} of {pile['kind']} from {self.stands[pile['stand_id']]['name']} to "
                f"{contract['mill']} (new: load {load['id']})."
            ),
            "data": {"load_id": load["id"], **self._changes()},
        }

    def deliver_load(
        self,
        load_id: str,
        measured: Annotated[int, {"minimum": 1, "maximum": 40}] | None = None,
    ) -> Result:
        """Note that the mill has accepted a load, as it was or with less volume.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            measured (int, optional): Volume the mill accepted, in cubic metres, at most what was loaded, from 1 to
                40. If left out, it accepted all that was loaded.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] != "on_the_road":
            return _refused(f"The load is {load['status']}.")
        if measured is not None and measured > load["volume"]:
            return _refused(f"{load['volume']} were loaded, not {measured}.")
        self._journal = []
        volume = measured if measured is not None else load["volume"]
        if not 1 <= volume <= 40:
            return self._take_back(f"The volume of {load['id']} must be between 1 and 40.")
        self._put("loads", load, "volume", volume)
        self._put("loads", load, "status", "delivered")
        if self._breaks_rule_10_k(self.contracts[load["contract_id"]]):
            return self._take_back(RULES[9])
        done = f"note the delivery to {self.contracts[load['contract_id']]['mill']}"
        if measured is not None:
            done += f" of {measured}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def reject_load(self, load_id: str) -> Result:
        """Note that the mill has rejected a load; it goes back to the stand as firewood.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if load["status"] != "on_the_road":
            return _refused(f"The load is {load['status']}.")
        self._journal = []
        added_piles: list[Any] = []
        stand = self.stands[self.piles[load["pile_id"]]["stand_id"]]
        if not self._piles_by_stand_kind.get((stand["id"], "firewood"), {}):
            pile = {
                "id": self._new_id("pile", "PILE", self.piles),
                "stand_id": stand["id"],
                "kind": "firewood",
                "volume": 0,
            }
            self._add("piles", pile)
            added_piles.append(pile)
        for x in sorted(self._piles_by_stand_kind.get((stand["id"], "firewood"), {}).values(), key=_age):
            volume = x["volume"] + load["volume"]
            if not 0 <= volume <= 9000:
                return self._take_back(f"The volume of {x['id']} must be between 0 and 9000.")
            self._put("piles", x, "volume", volume)
        self._put("loads", load, "status", "rejected")
        for one_pile in _distinct(added_piles):
            if self._breaks_rule_9(one_pile):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_k(self.contracts[load["contract_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: note that {self.contracts[load['contract_id']]['mill']} rejected {load['volume']}.",
            "data": self._changes(),
        }

    def move_quota(
        self,
        from_contract_id: str,
        to_contract_id: str,
        volume: Annotated[int, {"minimum": 1, "maximum": 5000}],
    ) -> Result:
        """Move open quota from one contract to another one of the same kind of wood.

        Args:
            from_contract_id (str): Contract that gives open quota away; an id such as CONTRACT-00001.
            to_contract_id (str): Contract for the same kind of wood that receives the quota; an id such as
                CONTRACT-00001.
            volume (int): Quota that is moved, in cubic metres, from 1 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        from_contract = self.contracts.get(from_contract_id)
        if from_contract is None:
            return _refused(f"There is no contract {from_contract_id!r}.")
        to_contract = self.contracts.get(to_contract_id)
        if to_contract is None:
            return _refused(f"There is no contract {to_contract_id!r}.")
        if from_contract is to_contract or from_contract["kind"] != to_contract["kind"]:
            return _refused("Quota moves between two contracts for one kind of wood.")
        if volume > self._contract_open_quota(from_contract):
            return _refused(
                f"{from_contract['mill']} has {self._contract_open_quota(from_contract)} open, not {volume}."
            )
        if from_contract["quota"] - volume < 10:
            return _refused(f"{from_contract['mill']} must keep a quota of 10.")
        self._journal = []
        quota = from_contract["quota"] - volume
        if not 10 <= quota <= 9000:
            return self._take_back(f"The quota of {from_contract['mill']} must be between 10 and 9000.")
        self._put("contracts", from_contract, "quota", quota)
        new_quota = to_contract["quota"] + volume
        if not 10 <= new_quota <= 9000:
            return self._take_back(f"The quota of {to_contract['mill']} must be between 10 and 9000.")
        self._put("contracts", to_contract, "quota", new_quota)
        if self._breaks_rule_10_k(from_contract):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_k(to_contract):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: move {volume} from {from_contract['mill']} to {to_contract['mill']}.",
            "data": self._changes(),
        }

    def plant_trees(self, planting_id: str, plants: Annotated[int, {"minimum": 50, "maximum": 200000}]) -> Result:
        """Note plants that were planted where they are owed.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.
            plants (int): Young trees that were planted now, from 50 to 200000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        if plants > planting["plants"] - planting["planted"]:
            return _refused(f"{planting['plants'] - planting['planted']} plants are owed, not {plants}.")
        self._journal = []
        planted = planting["planted"] + plants
        if not 0 <= planted <= 200000:
            return self._take_back(f"The planted of {planting['id']} must be between 0 and 200000.")
        self._put("plantings", planting, "planted", planted)
        for one_permit in _distinct(
            [
                *[
                    user
                    for one in self._stands_by_beside.get(planting["stand_id"], {}).values()
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
                *[
                    user
                    for one in [self.stands[key] for key in self.stands[planting["stand_id"]]["beside_ids"]]
                    for user in self._permits_by_stand_kind.get((one["id"], "clearing"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_permit):
                return self._take_back(RULES[4])
        if self._breaks_rule_11(planting):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: plant {plants} in {self.stands[planting['stand_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_stand(self, stand: Stand) -> dict[str, Any]:
        """The stand as an answer shows it."""
        return {**stand, "beside_ids": [*stand["beside_ids"]], "allowed": self._stand_allowed(stand)}

    def _show_permit(self, permit: Permit) -> dict[str, Any]:
        """The permit as an answer shows it."""
        return {**permit, "cut": self._permit_cut(permit), "left": self._permit_left(permit)}

    def _show_contract(self, contract: Contract) -> dict[str, Any]:
        """The contract as an answer shows it."""
        return {**contract, "open_quota": self._contract_open_quota(contract)}

    def _names_of_stands(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stands point to."""
        return _names((self.stands, "name", [each for row in shown for each in row["beside_ids"]]))

    def _names_of_permits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that permits point to."""
        return _names((self.stands, "name", [row["stand_id"] for row in shown]))

    def _names_of_fellings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fellings point to."""
        return _names((self.crews, "name", [row["crew_id"] for row in shown]))

    def _names_of_piles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that piles point to."""
        return _names((self.stands, "name", [row["stand_id"] for row in shown]))

    def _names_of_loads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loads point to."""
        return _names((self.contracts, "mill", [row["contract_id"] for row in shown]))

    def _names_of_plantings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plantings point to."""
        return _names((self.stands, "name", [row["stand_id"] for row in shown]))

    def _stand_allowed(self, stand: Stand) -> int:
        """The allowed of a stand."""
        return stand["standing"] * (100 - stand["buffer"]) // 100

    def _permit_cut(self, permit: Permit) -> int:
        """The cut of a permit."""
        return sum(f["cut"] for f in self._fellings_by_permit.get(permit["id"], {}).values())

    def _permit_left(self, permit: Permit) -> int:
        """The left of a permit."""
        return permit["volume"] - self._permit_cut(permit)

    def _contract_open_quota(self, contract: Contract) -> int:
        """The open quota of a contract."""
        return (
            contract["quota"]
            - sum(
                l["volume"]
                for l in self._loads_by_contract.get(contract["id"], {}).values()
                if l["status"] != "rejected"
            )
        )

    def _open_permit(self, s: Stand) -> Permit | None:
        return next(
            (p for p in sorted(self._permits_by_stand.get(s["id"], {}).values(), key=_age) if not p["ended"]),
            None,
        )

    def _job_of(self, c: Crew) -> Felling | None:
        return next(
            (f for f in sorted(self._fellings_by_crew_status.get((c["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _job_on(self, p: Permit) -> Felling | None:
        return next(
            (f for f in sorted(self._fellings_by_permit_status.get((p["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _owing(self, s: Stand) -> int:
        return sum(x["plants"] - x["planted"] for x in self._plantings_by_stand.get(s["id"], {}).values())

    def _around(self, s: Stand) -> list[Stand]:
        return sorted(
            _distinct([*_those(self.stands, s["beside_ids"]), *self._stands_by_beside.get(s["id"], {}).values()]),
            key=_age,
        )

    def _bare_beside(self, s: Stand) -> Stand | None:
        return next((t for t in self._around(s) if self._owing(t) > 0), None)

    def _clearing_beside(self, s: Stand) -> Permit | None:
        return next(
            (
                p
                for t in self._around(s)
                for p in sorted(self._permits_by_stand_kind.get((t["id"], "clearing"), {}).values(), key=_age)
                if not p["ended"]
            ),
            None,
        )

    def _can_work(self, c: Crew, s: Stand) -> bool:
        return (not s["steep"] or c["gear"] != "harvester") and self._job_of(c) is None

    def _thinned(self, s: Stand, d: str) -> Felling | None:
        return next(
            (
                f
                for f in sorted(
                    [
                        f
                        for _permit in self._permits_by_stand.get(s["id"], {}).values()
                        for f in self._fellings_by_permit.get(_permit["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.permits[f["permit_id"]]["kind"] == "thinning"
                and f["cut"] > 0
                and f["began_on"] > _add_months(d, -60)
            ),
            None,
        )

    def _closed(self, s: Stand, d: str) -> bool:
        return (
            s["closed_from"] is not None
            and s["closed_until"] is not None
            and (s["closed_from"] <= d and d <= s["closed_until"])
        )

    def _breaks_rule_1(self, p: Permit) -> bool:
        """Whether this is broken: a stand has one open permit at a time."""
        return (
            not p["ended"]
            and any(
                other_p is not p
                for other_p in self._permits_by_stand.get(p["stand_id"], {}).values()
                if not other_p["ended"]
            )
        )

    def _breaks_rule_2(self, p: Permit) -> bool:
        """Whether this is broken: an open permit never has more left than stands outside of the buffer."""
        return not p["ended"] and self._permit_left(p) > self._stand_allowed(self.stands[p["stand_id"]])

    def _breaks_rule_3(self, p: Permit) -> bool:
        """Whether this is broken: no more is cut than the permit allows."""
        return self._permit_cut(p) > p["volume"]

    def _breaks_rule_4(self, p: Permit) -> bool:
        """Whether this is broken: two clearings never lie side by side."""
        return (
            p["kind"] == "clearing"
            and not p["ended"]
            and self._clearing_beside(self.stands[p["stand_id"]]) is not None
        )

    def _breaks_rule_5(self, p: Permit) -> bool:
        """Whether this is broken: nothing is cleared beside a stand where plants are still owed."""
        return (
            p["kind"] == "clearing"
            and not p["ended"]
            and self._bare_beside(self.stands[p["stand_id"]]) is not None
        )

    def _breaks_rule_6_f(self, f: Felling) -> bool:
        """Whether this is broken: a crew works at one felling at a time, and a permit is used by one crew at a time.
        """
        return (
            f["status"] == "running"
            and any(
                other_f is not f
                for other_f in self._fellings_by_crew_status.get((f["crew_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_6_f_again(self, f: Felling) -> bool:
        """Whether this is broken: a crew works at one felling at a time, and a permit is used by one crew at a time.
        """
        return (
            f["status"] == "running"
            and any(
                other_f is not f
                for other_f in self._fellings_by_permit_status.get((f["permit_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_7_f(self, f: Felling) -> bool:
        """Whether this is broken: harvesters do not work on steep stands, and nobody begins in the closed season."""
        return (
            self.stands[self.permits[f["permit_id"]]["stand_id"]]["steep"]
            and self.crews[f["crew_id"]]["gear"] == "harvester"
        )

    def _breaks_rule_7_f_again(self, f: Felling) -> bool:
        """Whether this is broken: harvesters do not work on steep stands, and nobody begins in the closed season."""
        return self._closed(self.stands[self.permits[f["permit_id"]]["stand_id"]], f["began_on"])

    def _breaks_rule_8(self, f: Felling) -> bool:
        """Whether this is broken: felling goes on under open permits only."""
        return f["status"] == "running" and self.permits[f["permit_id"]]["ended"]

    def _breaks_rule_9(self, x: Pile) -> bool:
        """Whether this is broken: there is one pile of a kind at a stand."""
        return any(
            other_x is not x
            for other_x in self._piles_by_stand_kind.get((x["stand_id"], x["kind"]), {}).values()
        )

    def _breaks_rule_10_k(self, k: Contract) -> bool:
        """Whether this is broken: a mill takes no more than its quota, and only the kind of wood it has bought."""
        return self._contract_open_quota(k) < 0

    def _breaks_rule_10_l(self, l: Load) -> bool:
        """Whether this is broken: a mill takes no more than its quota, and only the kind of wood it has bought."""
        return self.piles[l["pile_id"]]["kind"] != self.contracts[l["contract_id"]]["kind"]

    def _breaks_rule_11(self, x: Planting) -> bool:
        """Whether this is broken: no more is planted than was owed."""
        return x["planted"] > x["plants"]

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
            case "stands":
                for key in record["beside_ids"]:
                    self._stands_by_beside.setdefault(key, {})[record["id"]] = record
            case "permits":
                self._permits_by_stand.setdefault(record["stand_id"], {})[record["id"]] = record
                self._permits_by_stand_kind.setdefault((record["stand_id"], record["kind"]), {})[record["id"]] = record
            case "fellings":
                self._fellings_by_crew_status.setdefault((record["crew_id"], record["status"]), {})[record["id"]] = record
                self._fellings_by_permit.setdefault(record["permit_id"], {})[record["id"]] = record
                self._fellings_by_permit_status.setdefault(
                    (record["permit_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "piles":
                self._piles_by_stand_kind.setdefault((record["stand_id"], record["kind"]), {})[record["id"]] = record
            case "loads":
                self._loads_by_contract.setdefault(record["contract_id"], {})[record["id"]] = record
            case "plantings":
                self._plantings_by_stand.setdefault(record["stand_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "stands":
                for key in record["beside_ids"]:
                    self._stands_by_beside[key].pop(record["id"], None)
            case "permits":
                del self._permits_by_stand[record["stand_id"]][record["id"]]
                del self._permits_by_stand_kind[record["stand_id"], record["kind"]][record["id"]]
            case "fellings":
                del self._fellings_by_crew_status[record["crew_id"], record["status"]][record["id"]]
                del self._fellings_by_permit[record["permit_id"]][record["id"]]
                del self._fellings_by_permit_status[record["permit_id"], record["status"]][record["id"]]
            case "piles":
                del self._piles_by_stand_kind[record["stand_id"], record["kind"]][record["id"]]
            case "loads":
                del self._loads_by_contract[record["contract_id"]][record["id"]]
            case "plantings":
                del self._plantings_by_stand[record["stand_id"]][record["id"]]
