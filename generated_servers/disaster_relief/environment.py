"""Disaster relief. Compiled from blueprint.yaml; run `envscaler build disaster_relief` after changing it there.

Brings relief kits from hubs to the sites that need them most, in convoys with limited payload, clearance for
dangerous zones and open roads, and books what arrived and what was lost.
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
    "A convoy never carries more than its trucks can take.",
    "No more is promised to convoys than a hub has in store.",
    "A hub counts each kit once.",
    "A truck is in one convoy at a time.",
    "Trucks go only into zones for which they are cleared on the day of departure.",
    "No convoy enters a red zone without a permit.",
    "A site is never sent more than it asked for.",
    "A site reports its need of a kit once.",
    "A convoy has one load for a need.",
    "What arrived is booked when the convoy is there, and a loss has a cause.",
    "No site gets more from a load than was on it.",
    "A convoy on the road carries something and has trucks.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "report_need",
    "revise_need",
    "report_road",
    "restock",
    "clear_truck",
    "plan_convoy",
    "load_kits",
    "grant_permit",
    "send_convoy",
    "book_arrival",
    "cancel_convoy",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "hubs": ("name",),
    "kits": ("name",),
    "stocks": (),
    "sites": ("name",),
    "needs": ("code",),
    "trucks": ("plate",),
    "convoys": ("code",),
    "loads": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("convoys", "code"),
    ("convoys", "truck_ids"),
    ("loads", "convoy_id"),
    ("loads", "need_id"),
    ("needs", "code"),
    ("needs", "kit_id"),
    ("needs", "site_id"),
    ("stocks", "hub_id"),
    ("stocks", "kit_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Hub(TypedDict):
    id: str
    name: str


class Kit(TypedDict):
    id: str
    name: str
    weight: int


class Stock(TypedDict):
    id: str
    hub_id: str
    kit_id: str
    quantity: int


class Site(TypedDict):
    id: str
    name: str
    zone: Literal["green", "amber", "red"]
    families: int
    road_open: bool


class Need(TypedDict):
    id: str
    code: str
    site_id: str
    kit_id: str
    wanted: int
    priority: int
    reported_on: str


class Truck(TypedDict):
    id: str
    plate: str
    payload: int
    cleared_for: Literal["green", "amber", "red"]
    cleared_until: str


class Convoy(TypedDict):
    id: str
    code: str
    hub_id: str
    truck_ids: list[str]
    leaves_on: str
    permit: str | None
    arrived_on: str | None
    status: Literal["planned", "on_the_road", "cancelled", "arrived"]


class Load(TypedDict):
    id: str
    convoy_id: str
    need_id: str
    quantity: int
    received: int | None
    lost_by: Literal["damage", "theft", "water", "seized"] | None


class BookArrivalLoss(TypedDict):
    load_id: str
    lost: Annotated[int, {"minimum": 1, "maximum": 3000}]
    cause: Literal["damage", "theft", "water", "seized"]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class DisasterRelief:
    """Brings relief kits from hubs to the sites that need them most, in convoys with limited payload,
    clearance for dangerous zones and open roads, and books what arrived and what was lost.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.hubs: dict[str, Hub] = _copied(config.get("hubs", {}))
        self.kits: dict[str, Kit] = _copied(config.get("kits", {}))
        self.stocks: dict[str, Stock] = _copied(config.get("stocks", {}))
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.needs: dict[str, Need] = _copied(config.get("needs", {}))
        self.trucks: dict[str, Truck] = _copied(config.get("trucks", {}))
        self.convoys: dict[str, Convoy] = _copied(config.get("convoys", {}))
        self.loads: dict[str, Load] = _copied(config.get("loads", {}))
        self.now: str = config.get("now", "2026-09-08T06:30")
        self.counters: dict[str, int] = {
            "hub": len(self.hubs),
            "kit": len(self.kits),
            "stock": len(self.stocks),
            "site": len(self.sites),
            "need": len(self.needs),
            "truck": len(self.trucks),
            "convoy": len(self.convoys),
            "load": len(self.loads),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._stocks_by_hub: dict[Any, dict[str, Stock]] = {}
        self._stocks_by_hub_kit: dict[Any, dict[str, Stock]] = {}
        self._stocks_by_kit: dict[Any, dict[str, Stock]] = {}
        self._needs_by_code: dict[Any, dict[str, Need]] = {}
        self._needs_by_kit: dict[Any, dict[str, Need]] = {}
        self._needs_by_site: dict[Any, dict[str, Need]] = {}
        self._needs_by_site_kit: dict[Any, dict[str, Need]] = {}
        self._convoys_by_code: dict[Any, dict[str, Convoy]] = {}
        self._convoys_by_trucks: dict[Any, dict[str, Convoy]] = {}
        self._loads_by_convoy: dict[Any, dict[str, Load]] = {}
        self._loads_by_convoy_need: dict[Any, dict[str, Load]] = {}
        self._loads_by_need: dict[Any, dict[str, Load]] = {}
        for stock in self.stocks.values():
            self._link("stocks", stock)
        for need in self.needs.values():
            self._link("needs", need)
        for convoy in self.convoys.values():
            self._link("convoys", convoy)
        for load in self.loads.values():
            self._link("loads", load)

    def open_needs(
        self,
        kit_id: str | None = None,
        zone: Literal["green", "amber", "red"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What sites still wait for, the most urgent first.

        Args:
            kit_id (str, optional): Only needs for this kit; an id such as KIT-00001. If left out, needs for all
                kits are listed.
            zone (str, optional): Only sites in this zone: green, amber or red. If left out, sites in all zones are
                listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "needs": records}} or {"success": False, "error": why
                not}
        """
        kit = self.kits.get(kit_id) if kit_id is not None else None
        if kit_id is not None and kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        found = [
            n
            for n in self.needs.values()
            if self._need_missing(n) > 0
            and (kit_id is None or n["kit_id"] == kit_id)
            and (zone is None or self.sites[n["site_id"]]["zone"] == zone)
        ]
        found.sort(key=lambda n: (n["priority"], n["reported_on"], self.sites[n["site_id"]]["name"], _age(n)))
        shown = [
            {
                "id": n["id"],
                "site": self.sites[n["site_id"]]["name"],
                "kit": self.kits[n["kit_id"]]["name"],
                "priority": n["priority"],
                "missing": self._need_missing(n),
                "road_open": self.sites[n["site_id"]]["road_open"],
                "reported_on": n["reported_on"],
            }
            for n in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "needs": shown},
            _names((self.needs, "code", [row["id"] for row in shown])),
        )

    def manifest(self, convoy_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a convoy carries, site by site.

        Args:
            convoy_id (str): Id of the convoy, such as CONVOY-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loads": records}} or {"success": False, "error": why
                not}
        """
        convoy = self.convoys.get(convoy_id)
        if convoy is None:
            return _refused(f"There is no convoy {convoy_id!r}.")
        found = [l for l in self._loads_by_convoy.get(convoy_id, {}).values()]
        found.sort(
            key=lambda l: (
                self.sites[self.needs[l["need_id"]]["site_id"]]["name"],
                self.kits[self.needs[l["need_id"]]["kit_id"]]["name"],
                _age(l),
            )
        )
        return _found(
            {
                "total": len(found),
                "loads": [
                    {
                        "id": l["id"],
                        "site": self.sites[self.needs[l["need_id"]]["site_id"]]["name"],
                        "kit": self.kits[self.needs[l["need_id"]]["kit_id"]]["name"],
                        "quantity": l["quantity"],
                        "kilos": l["quantity"] * self.kits[self.needs[l["need_id"]]["kit_id"]]["weight"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def free_trucks(
        self,
        on: Date,
        zone: Literal["green", "amber", "red"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Trucks that could join a convoy on a day, those with the smallest payload first.

        Args:
            on (str): Day on which the convoy leaves, as YYYY-MM-DD.
            zone (str, optional): Zone that the trucks must be cleared for: green, amber or red. If left out, green
                is enough.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trucks": records}} or {"success": False, "error": why
                not}
        """
        found = [
            t
            for t in self.trucks.values()
            if (self._busy(t) is None and t["cleared_until"] >= on)
            and self._level(t["cleared_for"]) >= self._level(zone if zone is not None else "green")
        ]
        found.sort(key=lambda t: (t["payload"], t["plate"], _age(t)))
        return _found({"total": len(found), "trucks": [{**t} for t in _page(found, offset)]})

    def list_hubs(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hubs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only hubs whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hubs": records}}
        """
        found = [hub for hub in self.hubs.values() if (name is None or name.casefold() in hub["name"].casefold())]
        return _found({"total": len(found), "hubs": [{**hub} for hub in _page(found, offset)]})

    def list_kits(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kits, oldest first, all of them or only some.

        Args:
            name (str, optional): Only kits whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kits": records}}
        """
        found = [kit for kit in self.kits.values() if (name is None or name.casefold() in kit["name"].casefold())]
        return _found({"total": len(found), "kits": [{**kit} for kit in _page(found, offset)]})

    def list_stocks(
        self,
        hub_id: str | None = None,
        kit_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stocks, oldest first, all of them or only some.

        Args:
            hub_id (str, optional): Only stocks of this hub.
            kit_id (str, optional): Only stocks of this kit.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stocks": records}}
        """
        if hub_id is not None and hub_id not in self.hubs:
            return _refused(f"There is no hub {hub_id!r}.")
        if kit_id is not None and kit_id not in self.kits:
            return _refused(f"There is no kit {kit_id!r}.")
        found = [
            stock
            for stock in self.stocks.values()
            if (hub_id is None or stock["hub_id"] == hub_id)
            and (kit_id is None or stock["kit_id"] == kit_id)
        ]
        shown = [self._show_stock(stock) for stock in _page(found, offset)]
        return _found({"total": len(found), "stocks": shown}, self._names_of_stocks(shown))

    def list_sites(
        self,
        name: Text | None = None,
        zone: Literal["green", "amber", "red"] | None = None,
        road_open: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            zone (str, optional): Only sites with this zone.
            road_open (bool, optional): Only sites with this value of `road_open`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        found = [
            site
            for site in self.sites.values()
            if (name is None or name.casefold() in site["name"].casefold())
            and (zone is None or site["zone"] == zone)
            and (road_open is None or site["road_open"] == road_open)
        ]
        return _found({"total": len(found), "sites": [{**site} for site in _page(found, offset)]})

    def list_needs(
        self,
        code: Text | None = None,
        site_id: str | None = None,
        kit_id: str | None = None,
        reported_on_from: Date | None = None,
        reported_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the needs, oldest first, all of them or only some.

        Args:
            code (str, optional): Only needs whose code contains this text.
            site_id (str, optional): Only needs of this site.
            kit_id (str, optional): Only needs of this kit.
            reported_on_from (str, optional): Only needs whose `reported_on` is on this day or later.
            reported_on_to (str, optional): Only needs whose `reported_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "needs": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if kit_id is not None and kit_id not in self.kits:
            return _refused(f"There is no kit {kit_id!r}.")
        found = [
            need
            for need in self.needs.values()
            if (code is None or code.casefold() in need["code"].casefold())
            and (site_id is None or need["site_id"] == site_id)
            and (kit_id is None or need["kit_id"] == kit_id)
            and (reported_on_from is None or need["reported_on"] >= reported_on_from)
            and (reported_on_to is None or need["reported_on"] <= reported_on_to)
        ]
        shown = [self._show_need(need) for need in _page(found, offset)]
        return _found({"total": len(found), "needs": shown}, self._names_of_needs(shown))

    def list_trucks(
        self,
        plate: Text | None = None,
        cleared_for: Literal["green", "amber", "red"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trucks, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only trucks whose plate contains this text.
            cleared_for (str, optional): Only trucks whose `cleared_for` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trucks": records}}
        """
        found = [
            truck
            for truck in self.trucks.values()
            if (plate is None or plate.casefold() in truck["plate"].casefold())
            and (cleared_for is None or truck["cleared_for"] == cleared_for)
        ]
        return _found({"total": len(found), "trucks": [{**truck} for truck in _page(found, offset)]})

    def list_convoys(
        self,
        code: Text | None = None,
        hub_id: str | None = None,
        status: Literal["planned", "on_the_road", "cancelled", "arrived"] | None = None,
        leaves_on_from: Date | None = None,
        leaves_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the convoys, oldest first, all of them or only some.

        Args:
            code (str, optional): Only convoys whose code contains this text.
            hub_id (str, optional): Only convoys of this hub.
            status (str, optional): Only convoys with this status.
            leaves_on_from (str, optional): Only convoys whose `leaves_on` is on this day or later.
            leaves_on_to (str, optional): Only convoys whose `leaves_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "convoys": records}}
        """
        if hub_id is not None and hub_id not in self.hubs:
            return _refused(f"There is no hub {hub_id!r}.")
        found = [
            convoy
            for convoy in self.convoys.values()
            if (code is None or code.casefold() in convoy["code"].casefold())
            and (hub_id is None or convoy["hub_id"] == hub_id)
            and (status is None or convoy["status"] == status)
            and (leaves_on_from is None or convoy["leaves_on"] >= leaves_on_from)
            and (leaves_on_to is None or convoy["leaves_on"] <= leaves_on_to)
        ]
        shown = [self._show_convoy(convoy) for convoy in _page(found, offset)]
        return _found({"total": len(found), "convoys": shown}, self._names_of_convoys(shown))

    def list_loads(
        self,
        convoy_id: str | None = None,
        need_id: str | None = None,
        lost_by: Literal["damage", "theft", "water", "seized"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loads, oldest first, all of them or only some.

        Args:
            convoy_id (str, optional): Only loads of this convoy.
            need_id (str, optional): Only loads of this need.
            lost_by (str, optional): Only loads whose `lost_by` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loads": records}}
        """
        if convoy_id is not None and convoy_id not in self.convoys:
            return _refused(f"There is no convoy {convoy_id!r}.")
        if need_id is not None and need_id not in self.needs:
            return _refused(f"There is no need {need_id!r}.")
        found = [
            load
            for load in self.loads.values()
            if (convoy_id is None or load["convoy_id"] == convoy_id)
            and (need_id is None or load["need_id"] == need_id)
            and (lost_by is None or load["lost_by"] == lost_by)
        ]
        shown = [{**load} for load in _page(found, offset)]
        return _found({"total": len(found), "loads": shown}, self._names_of_loads(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def report_need(
        self,
        code: Text,
        site_id: str,
        kit_id: str,
        wanted: Annotated[int, {"minimum": 1, "maximum": 3000}],
        priority: Annotated[int, {"minimum": 1, "maximum": 5}],
    ) -> Result:
        """Report how many of a kit a site needs and how urgently, 1 being the most urgent.

        Args:
            code (str): Code of the new need, not in use yet.
            site_id (str): Id of the site, such as SITE-00001.
            kit_id (str): Id of the kit, such as KIT-00001.
            wanted (int): Kits that the site needs, from 1 to 3000.
            priority (int): How urgent it is, 1 being the most urgent, from 1 to 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        kit = self.kits.get(kit_id)
        if kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        if self._needs_by_code.get(code, {}):
            return _refused(f"Request {code} was entered already.")
        known = next((n for n in sorted(self._needs_by_site_kit.get((site_id, kit_id), {}).values(), key=_age)), None)
        if known is not None:
            return _refused(
                f"{site['name']} still waits for {self._need_missing(known)} {kit['name']}, so revise that instead."
            )
        self._journal = []
        need: Need = {
            "id": self._new_id("need", "NEED", self.needs),
            "code": code,
            "site_id": site_id,
            "kit_id": kit_id,
            "wanted": wanted,
            "priority": priority,
            "reported_on": self.now[:10],
        }
        self._add("needs", need)
        if len(self._needs_by_code.get(need["code"], {})) > 1:
            return self._take_back(f"There is already a need with the code {need['code']!r}.")
        if self._breaks_rule_7(need):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(need):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: report {wanted} {kit['name']} for {site['name']} with priority {priority} (new: need "
                f"{need['id']})."
            ),
            "data": {"need_id": need["id"], **self._changes()},
        }

    def revise_need(
        self,
        need_id: str,
        priority: Annotated[int, {"minimum": 1, "maximum": 5}] | None = None,
        wanted: Annotated[int, {"minimum": 1, "maximum": 3000}] | None = None,
    ) -> Result:
        """Change how many a site wants in all, how urgently, or both.

        Args:
            need_id (str): Id of the need, such as NEED-00001.
            priority (int, optional): New urgency, 1 being the most urgent, from 1 to 5. If left out, the urgency
                stays as it is.
            wanted (int, optional): New number of kits in all, with those loaded or received, from 1 to 3000. If
                left out, the number stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        need = self.needs.get(need_id)
        if need is None:
            return _refused(f"There is no need {need_id!r}.")
        if priority is None and wanted is None:
            return _refused("Say what has changed.")
        if wanted is not None and wanted < self._need_loaded(need) + self._need_received(need):
            return _refused(
                f"{self._need_loaded(need) + self._need_received(need)} {self.kits[need['kit_id']]['name']} are "
                f"on their way to {self.sites[need['site_id']]['name']} or there already."
            )
        self._journal = []
        new_priority = priority if priority is not None else need["priority"]
        if not 1 <= new_priority <= 5:
            return self._take_back(f"The priority of {need['code']} must be between 1 and 5.")
        self._put("needs", need, "priority", new_priority)
        new_wanted = wanted if wanted is not None else need["wanted"]
        if not 1 <= new_wanted <= 3000:
            return self._take_back(f"The wanted of {need['code']} must be between 1 and 3000.")
        self._put("needs", need, "wanted", new_wanted)
        if self._breaks_rule_7(need):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: revise the need of {self.sites[need['site_id']]['name']} for "
                f"{self.kits[need['kit_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def report_road(
        self,
        site_id: str,
        passable: bool,
        zone: Literal["green", "amber", "red"] | None = None,
    ) -> Result:
        """Report that the road to a site is closed or open again, and the zone in which it lies where that has
        changed.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            passable (bool): Whether the road to the site can be used.
            zone (str, optional): Danger zone in which the site lies now: green, amber or red. If left out, the
                zone stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if not (site["road_open"] != passable or zone is not None and zone != site["zone"]):
            return _refused(f"That is known of {site['name']} already.")
        new_zone = zone if zone is not None else site["zone"]
        weak = next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _need in self._needs_by_site.get(site_id, {}).values()
                        for l in self._loads_by_need.get(_need["id"], {}).values()
                    ],
                    key=_age,
                )
                if self._moving(self.convoys[l["convoy_id"]])
                and any(
                    self._level(t["cleared_for"]) < self._level(new_zone)
                    for t in [self.trucks[key] for key in self.convoys[l["convoy_id"]]["truck_ids"]]
                )
            ),
            None,
        )
        if weak is not None:
            return _refused(
                f"Convoy {self.convoys[weak['convoy_id']]['code']} carries kits for {site['name']} with a truck "
                f"that is not cleared for {new_zone}, so unload it or book its arrival first."
            )
        bare = next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _need in self._needs_by_site.get(site_id, {}).values()
                        for l in self._loads_by_need.get(_need["id"], {}).values()
                    ],
                    key=_age,
                )
                if new_zone == "red"
                and self.convoys[l["convoy_id"]]["status"] == "on_the_road"
                and self.convoys[l["convoy_id"]]["permit"] is None
            ),
            None,
        )
        if bare is not None:
            return _refused(
                f"Convoy {self.convoys[bare['convoy_id']]['code']} is on its way to {site['name']} without a "
                "permit for a red zone, so book its arrival first."
            )
        self._journal = []
        self._put("sites", site, "road_open", passable)
        self._put("sites", site, "zone", new_zone)
        for one_load in _distinct(
            [
                user
                for one in self._needs_by_site.get(site["id"], {}).values()
                for user in self._loads_by_need.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(
            [
                user
                for one in self._needs_by_site.get(site["id"], {}).values()
                for user in self._loads_by_need.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        done = f"report on the road to {site['name']}"
        if zone is not None:
            done += f", zone {zone}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def restock(self, hub_id: str, kit_id: str, quantity: Annotated[int, {"minimum": 1, "maximum": 2000}]) -> Result:
        """Book a delivery of kits into a hub.

        Args:
            hub_id (str): Id of the hub, such as HUB-00001.
            kit_id (str): Id of the kit, such as KIT-00001.
            quantity (int): Kits that were delivered to the hub, from 1 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hub = self.hubs.get(hub_id)
        if hub is None:
            return _refused(f"There is no hub {hub_id!r}.")
        kit = self.kits.get(kit_id)
        if kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        self._journal = []
        added_stocks: list[Any] = []
        changed_stocks: list[Any] = []
        there = self._stock_of(hub, kit)
        if there is None:
            stock = {
                "id": self._new_id("stock", "STOCK", self.stocks),
                "hub_id": hub_id,
                "kit_id": kit_id,
                "quantity": quantity,
            }
            self._add("stocks", stock)
            added_stocks.append(stock)
        else:
            new_quantity = there["quantity"] + quantity
            if not 0 <= new_quantity <= 5000:
                return self._take_back(f"The quantity of {there['id']} must be between 0 and 5000.")
            changed_stocks.append(there)
            self._put("stocks", there, "quantity", new_quantity)
        for one_stock in _distinct([*added_stocks, *changed_stocks]):
            if self._breaks_rule_2(one_stock):
                return self._take_back(RULES[1])
        for one_stock in _distinct(added_stocks):
            if self._breaks_rule_3(one_stock):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: book {quantity} {kit['name']} into {hub['name']}.",
            "data": self._changes(),
        }

    def clear_truck(self, truck_id: str, zone: Literal["green", "amber", "red"], until: Date) -> Result:
        """Enter the clearance that a truck was given.

        Args:
            truck_id (str): Id of the truck, such as TRUCK-00001.
            zone (str): Most dangerous zone that the truck may enter: green, amber or red.
            until (str): Last day of the clearance, within a year from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        truck = self.trucks.get(truck_id)
        if truck is None:
            return _refused(f"There is no truck {truck_id!r}.")
        if self.now[:10] > until or until > _plus_days(self.now[:10], 365):
            return _refused(f"A clearance ends within a year from {self.now[:10]}.")
        trip = self._busy(truck)
        if trip is not None:
            return _refused(f"{truck['plate']} is in convoy {trip['code']}.")
        self._journal = []
        self._put("trucks", truck, "cleared_for", zone)
        self._put("trucks", truck, "cleared_until", until)
        for one_load in _distinct(
            [
                user
                for one in self._convoys_by_trucks.get(truck["id"], {}).values()
                for user in self._loads_by_convoy.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: clear {truck['plate']} for {zone} until {until}.",
            "data": self._changes(),
        }

    def plan_convoy(
        self,
        code: Text,
        hub_id: str,
        truck_ids: Annotated[list[str], {"maxItems": 20}],
        leaves_on: Date,
    ) -> Result:
        """Plan a convoy of one or several trucks from a hub.

        Args:
            code (str): Code of the new convoy, not in use yet.
            hub_id (str): Id of the hub, such as HUB-00001.
            truck_ids (list): Trucks of the convoy, free and cleared for that day: ids of trucks, such as
                TRUCK-00001.
            leaves_on (str): Day on which it leaves, within 14 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hub = self.hubs.get(hub_id)
        if hub is None:
            return _refused(f"There is no hub {hub_id!r}.")
        trucks = []
        for key in truck_ids:
            if key not in self.trucks:
                return _refused(f"There is no truck {key!r}.")
            trucks.append(self.trucks[key])
        if self._convoys_by_code.get(code, {}):
            return _refused(f"There is a convoy {code} already.")
        if not (len(trucks) > 0 and _different([t["id"] for t in trucks])):
            return _refused("Name at least one truck, and each once.")
        if self.now[:10] > leaves_on or leaves_on > _plus_days(self.now[:10], 14):
            return _refused(f"Convoys are planned for {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        away = next((t for t in trucks if self._busy(t) is not None), None)
        if away is not None:
            return _refused(f"{away['plate']} is in another convoy.")
        lapsed = next((t for t in trucks if t["cleared_until"] < leaves_on), None)
        if lapsed is not None:
            return _refused(
                f"The clearance of {lapsed['plate']} ends on {lapsed['cleared_until']}, so have it cleared first."
            )
        self._journal = []
        convoy: Convoy = {
            "id": self._new_id("convoy", "CONVOY", self.convoys),
            "code": code,
            "hub_id": hub_id,
            "truck_ids": [record["id"] for record in _those(self.trucks, [record["id"] for record in trucks])],
            "leaves_on": leaves_on,
            "permit": None,
            "arrived_on": None,
            "status": "planned",
        }
        self._add("convoys", convoy)
        if len(self._convoys_by_code.get(convoy["code"], {})) > 1:
            return self._take_back(f"There is already a convoy with the code {convoy['code']!r}.")
        if self._breaks_rule_1(convoy):
            return self._take_back(RULES[0])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        if self._breaks_rule_12(convoy):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: plan convoy {code} from {hub['name']} on {leaves_on} (new: convoy {convoy['id']}).",
            "data": {"convoy_id": convoy["id"], **self._changes()},
        }

    def load_kits(
        self,
        convoy_id: str,
        need_id: str,
        quantity: Annotated[int, {"minimum": 0, "maximum": 3000}],
    ) -> Result:
        """Set how many kits a planned convoy takes for a need; none takes them off again.

        Args:
            convoy_id (str): Id of the convoy, such as CONVOY-00001.
            need_id (str): Id of the need, such as NEED-00001.
            quantity (int): Kits on board for the need in all, 0 to unload them, from 0 to 3000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        convoy = self.convoys.get(convoy_id)
        if convoy is None:
            return _refused(f"There is no convoy {convoy_id!r}.")
        need = self.needs.get(need_id)
        if need is None:
            return _refused(f"There is no need {need_id!r}.")
        if convoy["status"] != "planned":
            return _refused(f"Convoy {convoy['code']} is {convoy['status']}.")
        old = self._on_board(convoy, need)
        before = 0 if old is None else old["quantity"]
        if quantity == before:
            return _refused(f"Convoy {convoy['code']} carries {before} of them as it is.")
        if quantity != 0 and not self.sites[need["site_id"]]["road_open"]:
            return _refused(f"The road to {self.sites[need['site_id']]['name']} is closed.")
        unable = self._unfit(convoy, self.sites[need["site_id"]])
        if quantity != 0 and unable is not None:
            return _refused(
                f"{unable['plate']} is not cleared for the zone {self.sites[need['site_id']]['zone']} around "
                f"{self.sites[need['site_id']]['name']}."
            )
        if quantity - before > self._need_missing(need):
            return _refused(
                f"{self.sites[need['site_id']]['name']} waits for {self._need_missing(need)} "
                f"{self.kits[need['kit_id']]['name']} only."
            )
        first_in_line = self._more_urgent(need)
        if quantity > before and first_in_line is not None:
            return _refused(
                f"{self.sites[first_in_line['site_id']]['name']} needs {self._need_missing(first_in_line)} "
                f"{self.kits[need['kit_id']]['name']} more urgently."
            )
        if quantity - before > self._free_of(self.hubs[convoy["hub_id"]], self.kits[need["kit_id"]]):
            return _refused(
                f"{self.hubs[convoy['hub_id']]['name']} has "
                f"{self._free_of(self.hubs[convoy['hub_id']], self.kits[need['kit_id']])} "
                f"{self.kits[need['kit_id']]['name']} left."
            )
        if (
            self._convoy_weight(convoy)
            + (quantity - before) * self.kits[need["kit_id"]]["weight"] > self._convoy_capacity(convoy)
        ):
            return _refused(
                f"Convoy {convoy['code']} can take {self._convoy_capacity(convoy) - self._convoy_weight(convoy)} "
                f"kilos more, and {self.kits[need['kit_id']]['name']} weigh {self.kits[need['kit_id']]['weight']} "
                "each."
            )
        self._journal = []
        added_loads: list[Any] = []
        deleted_loads: list[Any] = []
        changed_loads: list[Any] = []
        if old is None:
            if not 1 <= quantity <= 3000:
                return self._take_back("The quantity of a load must be between 1 and 3000.")
            load = {
                "id": self._new_id("load", "LOAD", self.loads),
                "convoy_id": convoy_id,
                "need_id": need_id,
                "quantity": quantity,
                "received": None,
                "lost_by": None,
            }
            self._add("loads", load)
            added_loads.append(load)
        else:
            if quantity == 0:
                if old["id"] in self.loads:
                    self._remove("loads", old)
                deleted_loads.append(old)
            else:
                if not 1 <= quantity <= 3000:
                    return self._take_back(f"The quantity of {old['id']} must be between 1 and 3000.")
                changed_loads.append(old)
                if old["id"] in self.loads:
                    self._put("loads", old, "quantity", quantity)
        for one_convoy in _distinct(
            [
                *[self.convoys[one["convoy_id"]] for one in added_loads],
                *[self.convoys[one["convoy_id"]] for one in deleted_loads],
                *[self.convoys[one["convoy_id"]] for one in changed_loads],
            ]
        ):
            if self._breaks_rule_1(one_convoy):
                return self._take_back(RULES[0])
        for one_stock in _distinct(
            [
                *[
                    user
                    for one in [
                        self.kits[one["kit_id"]]
                        for one in [self.needs[one["need_id"]] for one in added_loads]
                    ]
                    for user in self._stocks_by_kit.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        self.kits[one["kit_id"]]
                        for one in [self.needs[one["need_id"]] for one in deleted_loads]
                    ]
                    for user in self._stocks_by_kit.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        self.kits[one["kit_id"]]
                        for one in [self.needs[one["need_id"]] for one in changed_loads]
                    ]
                    for user in self._stocks_by_kit.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_stock):
                return self._take_back(RULES[1])
        for one_load in _distinct(added_loads):
            if one_load["id"] in self.loads and self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(added_loads):
            if one_load["id"] in self.loads and self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_need in _distinct(
            [
                *[self.needs[one["need_id"]] for one in added_loads],
                *[self.needs[one["need_id"]] for one in deleted_loads],
                *[self.needs[one["need_id"]] for one in changed_loads],
            ]
        ):
            if self._breaks_rule_7(one_need):
                return self._take_back(RULES[6])
        for one_load in _distinct(added_loads):
            if one_load["id"] in self.loads and self._breaks_rule_9(one_load):
                return self._take_back(RULES[8])
        for one_load in _distinct([*added_loads, *changed_loads]):
            if one_load["id"] in self.loads and self._breaks_rule_10(one_load):
                return self._take_back(RULES[9])
        for one_load in _distinct([*added_loads, *changed_loads]):
            if one_load["id"] in self.loads and self._breaks_rule_11(one_load):
                return self._take_back(RULES[10])
        for one_convoy in _distinct(
            [
                *[self.convoys[one["convoy_id"]] for one in added_loads],
                *[self.convoys[one["convoy_id"]] for one in deleted_loads],
                *[self.convoys[one["convoy_id"]] for one in changed_loads],
            ]
        ):
            if self._breaks_rule_12(one_convoy):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: load {quantity} {self.kits[need['kit_id']]['name']} for "
                f"{self.sites[need['site_id']]['name']} on {convoy['code']}."
            ),
            "data": self._changes(),
        }

    def grant_permit(self, convoy_id: str, permit: Text) -> Result:
        """Enter the permit with which a planned convoy may enter a red zone.

        Args:
            convoy_id (str): Id of the convoy, such as CONVOY-00001.
            permit (str): Number or text of the permit.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        convoy = self.convoys.get(convoy_id)
        if convoy is None:
            return _refused(f"There is no convoy {convoy_id!r}.")
        if convoy["status"] != "planned":
            return _refused(f"Convoy {convoy['code']} is {convoy['status']}.")
        if convoy["permit"] is not None:
            return _refused(f"Convoy {convoy['code']} has a permit.")
        self._journal = []
        self._put("convoys", convoy, "permit", permit)
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: enter the permit of {convoy['code']}.", "data": self._changes()}

    def send_convoy(self, convoy_id: str) -> Result:
        """Send a loaded convoy on its way; its kits leave the hub.

        Args:
            convoy_id (str): Id of the convoy, such as CONVOY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        convoy = self.convoys.get(convoy_id)
        if convoy is None:
            return _refused(f"There is no convoy {convoy_id!r}.")
        if convoy["status"] != "planned":
            return _refused(f"Convoy {convoy['code']} is {convoy['status']}.")
        if convoy["leaves_on"] > self.now[:10]:
            return _refused(f"Convoy {convoy['code']} leaves on {convoy['leaves_on']}.")
        if self._convoy_weight(convoy) <= 0:
            return _refused(f"Nothing is loaded on convoy {convoy['code']}.")
        if convoy["permit"] is None and self._enters_red(convoy):
            return _refused(f"Convoy {convoy['code']} goes into a red zone and has no permit.")
        lapsed = next(
            (t for t in [self.trucks[key] for key in convoy["truck_ids"]] if t["cleared_until"] < self.now[:10]),
            None,
        )
        if lapsed is not None:
            return _refused(
                f"The clearance of {lapsed['plate']} ended on {lapsed['cleared_until']}, so cancel the convoy and "
                "have it cleared first."
            )
        blocked = next(
            (
                l
                for l in sorted(self._loads_by_convoy.get(convoy_id, {}).values(), key=_age)
                if not self.sites[self.needs[l["need_id"]]["site_id"]]["road_open"]
            ),
            None,
        )
        if blocked is not None:
            return _refused(
                f"The road to {self.sites[self.needs[blocked['need_id']]['site_id']]['name']} is closed, so "
                "unload that first."
            )
        self._journal = []
        changed_stocks: list[Any] = []
        for s in sorted(self._stocks_by_hub.get(convoy["hub_id"], {}).values(), key=_age):
            quantity = (
                s["quantity"]
                - sum(
                    l["quantity"]
                    for l in self._loads_by_convoy.get(convoy_id, {}).values()
                    if self.needs[l["need_id"]]["kit_id"] == s["kit_id"]
                )
            )
            if not 0 <= quantity <= 5000:
                return self._take_back(f"The quantity of {s['id']} must be between 0 and 5000.")
            changed_stocks.append(s)
            self._put("stocks", s, "quantity", quantity)
        self._put("convoys", convoy, "status", "on_the_road")
        if self._breaks_rule_1(convoy):
            return self._take_back(RULES[0])
        for one_stock in _distinct(
            [
                *changed_stocks,
                *[
                    user
                    for one in [
                        self.kits[one["kit_id"]]
                        for one in [
                            self.needs[one["need_id"]]
                            for one in self._loads_by_convoy.get(convoy["id"], {}).values()
                        ]
                    ]
                    for user in self._stocks_by_kit.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_stock):
                return self._take_back(RULES[1])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_need in _distinct(
            [self.needs[one["need_id"]] for one in self._loads_by_convoy.get(convoy["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_need):
                return self._take_back(RULES[6])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if self._breaks_rule_10(one_load):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(convoy):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: send {convoy['code']}.", "data": self._changes()}

    def book_arrival(self, convoy_id: str, losses: Annotated[list[BookArrivalLoss], {"maxItems": 20}]) -> Result:
        """Book the arrival of a convoy; what is not named as lost was received in full.

        Args:
            convoy_id (str): Id of the convoy, such as CONVOY-00001.
            losses (list): One entry for each load of which kits were lost: load_id: load of the convoy that is
                concerned; an id such as LOAD-00001; lost: kits that were lost from the load, from 1 to 3000;
                cause: how the kits were lost: damage, theft, water or seized.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        convoy = self.convoys.get(convoy_id)
        if convoy is None:
            return _refused(f"There is no convoy {convoy_id!r}.")
        entries, losses = losses, []
        for entry in entries:
            if entry["load_id"] not in self.loads:
                return _refused(f"There is no load {entry['load_id']!r}.")
            losses.append({"load": self.loads[entry["load_id"]], "lost": entry["lost"], "cause": entry["cause"]})
        if convoy["status"] != "on_the_road":
            return _refused(f"Convoy {convoy['code']} is {convoy['status']}.")
        if not _different([x["load"]["id"] for x in losses]):
            return _refused("A load is named twice.")
        if not all(x["load"]["convoy_id"] == convoy_id for x in losses):
            return _refused(f"One of the loads was not on convoy {convoy['code']}.")
        odd = next((x for x in losses if x["lost"] > x["load"]["quantity"]), None)
        if odd is not None:
            return _refused(f"There were {odd['load']['quantity']} on that load, so no more can be lost.")
        self._journal = []
        changed_loads: list[Any] = []
        changed_loads_2: list[Any] = []
        for l in sorted(self._loads_by_convoy.get(convoy_id, {}).values(), key=_age):
            changed_loads.append(l)
            self._put("loads", l, "received", l["quantity"])
            for x in [x for x in losses if x["load"] is l]:
                received = l["quantity"] - x["lost"]
                if not 0 <= received <= 3000:
                    return self._take_back(f"The received of {l['id']} must be between 0 and 3000.")
                changed_loads.append(l)
                self._put("loads", l, "received", received)
                changed_loads_2.append(l)
                self._put("loads", l, "lost_by", x["cause"])
        self._put("convoys", convoy, "arrived_on", self.now[:10])
        self._put("convoys", convoy, "status", "arrived")
        if self._breaks_rule_1(convoy):
            return self._take_back(RULES[0])
        for one_stock in _distinct(
            [
                user
                for one in [
                    self.kits[one["kit_id"]]
                    for one in [
                        self.needs[one["need_id"]]
                        for one in self._loads_by_convoy.get(convoy["id"], {}).values()
                    ]
                ]
                for user in self._stocks_by_kit.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_2(one_stock):
                return self._take_back(RULES[1])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_need in _distinct(
            [
                *[self.needs[one["need_id"]] for one in changed_loads],
                *[self.needs[one["need_id"]] for one in self._loads_by_convoy.get(convoy["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_need):
                return self._take_back(RULES[6])
        for one_load in _distinct(
            [*changed_loads, *changed_loads_2, *self._loads_by_convoy.get(convoy["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_load):
                return self._take_back(RULES[9])
        for one_load in _distinct(changed_loads):
            if self._breaks_rule_11(one_load):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(convoy):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: book the arrival of {convoy['code']}.", "data": self._changes()}

    def cancel_convoy(self, convoy_id: str) -> Result:
        """Cancel a planned convoy; its kits stay in the hub and its trucks are free.

        Args:
            convoy_id (str): Id of the convoy, such as CONVOY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        convoy = self.convoys.get(convoy_id)
        if convoy is None:
            return _refused(f"There is no convoy {convoy_id!r}.")
        if convoy["status"] != "planned":
            return _refused(f"Convoy {convoy['code']} is {convoy['status']}.")
        self._journal = []
        deleted_loads: list[Any] = []
        for l in sorted(self._loads_by_convoy.get(convoy_id, {}).values(), key=_age):
            if l["id"] in self.loads:
                self._remove("loads", l)
            deleted_loads.append(l)
        self._put("convoys", convoy, "status", "cancelled")
        for one_convoy in _distinct([convoy, *[self.convoys[one["convoy_id"]] for one in deleted_loads]]):
            if self._breaks_rule_1(one_convoy):
                return self._take_back(RULES[0])
        for one_stock in _distinct(
            [
                *[
                    user
                    for one in [
                        self.kits[one["kit_id"]]
                        for one in [self.needs[one["need_id"]] for one in deleted_loads]
                    ]
                    for user in self._stocks_by_kit.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        self.kits[one["kit_id"]]
                        for one in [
                            self.needs[one["need_id"]]
                            for one in self._loads_by_convoy.get(convoy["id"], {}).values()
                        ]
                    ]
                    for user in self._stocks_by_kit.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_stock):
                return self._take_back(RULES[1])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if one_load["id"] in self.loads and self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if one_load["id"] in self.loads and self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_need in _distinct(
            [
                *[self.needs[one["need_id"]] for one in deleted_loads],
                *[self.needs[one["need_id"]] for one in self._loads_by_convoy.get(convoy["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_need):
                return self._take_back(RULES[6])
        for one_load in _distinct(self._loads_by_convoy.get(convoy["id"], {}).values()):
            if one_load["id"] in self.loads and self._breaks_rule_10(one_load):
                return self._take_back(RULES[9])
        for one_convoy in _distinct([convoy, *[self.convoys[one["convoy_id"]] for one in deleted_loads]]):
            if self._breaks_rule_12(one_convoy):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: cancel {convoy['code']}.", "data": self._changes()}

    def _show_stock(self, stock: Stock) -> dict[str, Any]:
        """The stock as an answer shows it."""
        return {**stock, "free": self._stock_free(stock)}

    def _show_need(self, need: Need) -> dict[str, Any]:
        """The need as an answer shows it."""
        return {
            **need,
            "loaded": self._need_loaded(need),
            "received": self._need_received(need),
            "missing": self._need_missing(need),
        }

    def _show_convoy(self, convoy: Convoy) -> dict[str, Any]:
        """The convoy as an answer shows it."""
        return {
            **convoy,
            "truck_ids": [*convoy["truck_ids"]],
            "capacity": self._convoy_capacity(convoy),
            "weight": self._convoy_weight(convoy),
        }

    def _names_of_stocks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stocks point to."""
        return _names(
            (self.hubs, "name", [row["hub_id"] for row in shown]),
            (self.kits, "name", [row["kit_id"] for row in shown]),
        )

    def _names_of_needs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that needs point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.kits, "name", [row["kit_id"] for row in shown]),
        )

    def _names_of_convoys(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that convoys point to."""
        return _names(
            (self.hubs, "name", [row["hub_id"] for row in shown]),
            (self.trucks, "plate", [each for row in shown for each in row["truck_ids"]]),
        )

    def _names_of_loads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loads point to."""
        return _names(
            (self.convoys, "code", [row["convoy_id"] for row in shown]),
            (self.needs, "code", [row["need_id"] for row in shown]),
        )

    def _stock_free(self, stock: Stock) -> int:
        """The free of a stock."""
        return (
            stock["quantity"]
            - sum(
                l["quantity"]
                for _need in self._needs_by_kit.get(stock["kit_id"], {}).values()
                for l in self._loads_by_need.get(_need["id"], {}).values()
                if self.convoys[l["convoy_id"]]["hub_id"] == stock["hub_id"]
                and self.convoys[l["convoy_id"]]["status"] == "planned"
            )
        )

    def _need_loaded(self, need: Need) -> int:
        """The loaded of a need."""
        return sum(
            l["quantity"]
            for l in self._loads_by_need.get(need["id"], {}).values()
            if self.convoys[l["convoy_id"]]["status"] in ("planned", "on_the_road")
        )

    def _need_received(self, need: Need) -> int:
        """The received of a need."""
        return sum(
            l["received"]
            if l["received"] is not None
            else 0
            for l in self._loads_by_need.get(need["id"], {}).values()
        )

    def _need_missing(self, need: Need) -> int:
        """The missing of a need."""
        return need["wanted"] - self._need_loaded(need) - self._need_received(need)

    def _convoy_capacity(self, convoy: Convoy) -> int:
        """The capacity of a convoy."""
        return sum(t["payload"] for t in [self.trucks[key] for key in convoy["truck_ids"]])

    def _convoy_weight(self, convoy: Convoy) -> int:
        """The weight of a convoy."""
        return sum(
            l["quantity"] * self.kits[self.needs[l["need_id"]]["kit_id"]]["weight"]
            for l in self._loads_by_convoy.get(convoy["id"], {}).values()
        )

    def _level(self, z: str) -> int:
        return 3 if z == "red" else 2 if z == "amber" else 1

    def _moving(self, c: Convoy) -> bool:
        return c["status"] in ("planned", "on_the_road")

    def _busy(self, t: Truck) -> Convoy | None:
        return next(
            (c for c in sorted(self._convoys_by_trucks.get(t["id"], {}).values(), key=_age) if self._moving(c)),
            None,
        )

    def _unfit(self, c: Convoy, s: Site) -> Truck | None:
        return next(
            (
                t
                for t in [self.trucks[key] for key in c["truck_ids"]]
                if self._level(t["cleared_for"]) < self._level(s["zone"])
            ),
            None,
        )

    def _stock_of(self, h: Hub, k: Kit) -> Stock | None:
        return next((s for s in sorted(self._stocks_by_hub_kit.get((h["id"], k["id"]), {}).values(), key=_age)), None)

    def _free_of(self, h: Hub, k: Kit) -> int:
        return sum(self._stock_free(s) for s in self._stocks_by_hub_kit.get((h["id"], k["id"]), {}).values())

    def _on_board(self, c: Convoy, n: Need) -> Load | None:
        return next(
            (l for l in sorted(self._loads_by_convoy_need.get((c["id"], n["id"]), {}).values(), key=_age)),
            None,
        )

    def _more_urgent(self, n: Need) -> Need | None:
        return next(
            (
                o
                for o in sorted(self._needs_by_kit.get(n["kit_id"], {}).values(), key=_age)
                if o["priority"] < n["priority"]
                and self._need_missing(o) > 0
                and self.sites[o["site_id"]]["road_open"]
            ),
            None,
        )

    def _enters_red(self, c: Convoy) -> bool:
        return any(
            self.sites[self.needs[l["need_id"]]["site_id"]]["zone"] == "red"
            for l in self._loads_by_convoy.get(c["id"], {}).values()
        )

    def _breaks_rule_1(self, c: Convoy) -> bool:
        """Whether this is broken: a convoy never carries more than its trucks can take."""
        return self._moving(c) and self._convoy_weight(c) > self._convoy_capacity(c)

    def _breaks_rule_2(self, s: Stock) -> bool:
        """Whether this is broken: no more is promised to convoys than a hub has in store."""
        return self._stock_free(s) < 0

    def _breaks_rule_3(self, s: Stock) -> bool:
        """Whether this is broken: a hub counts each kit once."""
        return any(
            other_s is not s
            for other_s in self._stocks_by_hub_kit.get((s["hub_id"], s["kit_id"]), {}).values()
        )

    def _breaks_rule_4(self) -> bool:
        """Whether this is broken: a truck is in one convoy at a time."""
        return not _different(
            [
                t["id"]
                for c in self.convoys.values()
                if self._moving(c)
                for t in [self.trucks[key] for key in c["truck_ids"]]
            ]
        )

    def _breaks_rule_5(self, l: Load) -> bool:
        """Whether this is broken: trucks go only into zones for which they are cleared on the day of departure."""
        return (
            self._moving(self.convoys[l["convoy_id"]])
            and any(
                self._level(t["cleared_for"]) < self._level(self.sites[self.needs[l["need_id"]]["site_id"]]["zone"])
                or t["cleared_until"] < self.convoys[l["convoy_id"]]["leaves_on"]
                for t in [self.trucks[key] for key in self.convoys[l["convoy_id"]]["truck_ids"]]
            )
        )

    def _breaks_rule_6(self, l: Load) -> bool:
        """Whether this is broken: no convoy enters a red zone without a permit."""
        return (
            self.convoys[l["convoy_id"]]["status"] == "on_the_road"
            and (
                self.convoys[l["convoy_id"]]["permit"] is None
                and self.sites[self.needs[l["need_id"]]["site_id"]]["zone"] == "red"
            )
        )

    def _breaks_rule_7(self, n: Need) -> bool:
        """Whether this is broken: a site is never sent more than it asked for."""
        return self._need_missing(n) < 0

    def _breaks_rule_8(self, n: Need) -> bool:
        """Whether this is broken: a site reports its need of a kit once."""
        return any(
            other_n is not n
            for other_n in self._needs_by_site_kit.get((n["site_id"], n["kit_id"]), {}).values()
        )

    def _breaks_rule_9(self, l: Load) -> bool:
        """Whether this is broken: a convoy has one load for a need."""
        return any(
            other_l is not l
            for other_l in self._loads_by_convoy_need.get((l["convoy_id"], l["need_id"]), {}).values()
        )

    def _breaks_rule_10(self, l: Load) -> bool:
        """Whether this is broken: what arrived is booked when the convoy is there, and a loss has a cause."""
        return (
            (l["received"] is not None) != (self.convoys[l["convoy_id"]]["status"] == "arrived")
            or (l["lost_by"] is not None) != (l["received"] is not None and l["received"] < l["quantity"])
        )

    def _breaks_rule_11(self, l: Load) -> bool:
        """Whether this is broken: no site gets more from a load than was on it."""
        return l["received"] is not None and l["received"] > l["quantity"]

    def _breaks_rule_12(self, c: Convoy) -> bool:
        """Whether this is broken: a convoy on the road carries something and has trucks."""
        return (
            c["status"] in ("on_the_road", "arrived")
            and (self._convoy_capacity(c) <= 0 or self._convoy_weight(c) <= 0)
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
            case "stocks":
                self._stocks_by_hub.setdefault(record["hub_id"], {})[record["id"]] = record
                self._stocks_by_hub_kit.setdefault((record["hub_id"], record["kit_id"]), {})[record["id"]] = record
                self._stocks_by_kit.setdefault(record["kit_id"], {})[record["id"]] = record
            case "needs":
                self._needs_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._needs_by_kit.setdefault(record["kit_id"], {})[record["id"]] = record
                self._needs_by_site.setdefault(record["site_id"], {})[record["id"]] = record
                self._needs_by_site_kit.setdefault((record["site_id"], record["kit_id"]), {})[record["id"]] = record
            case "convoys":
                self._convoys_by_code.setdefault(record["code"], {})[record["id"]] = record
                for key in record["truck_ids"]:
                    self._convoys_by_trucks.setdefault(key, {})[record["id"]] = record
            case "loads":
                self._loads_by_convoy.setdefault(record["convoy_id"], {})[record["id"]] = record
                self._loads_by_convoy_need.setdefault((record["convoy_id"], record["need_id"]), {})[record["id"]] = record
                self._loads_by_need.setdefault(record["need_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "stocks":
                del self._stocks_by_hub[record["hub_id"]][record["id"]]
                del self._stocks_by_hub_kit[record["hub_id"], record["kit_id"]][record["id"]]
                del self._stocks_by_kit[record["kit_id"]][record["id"]]
            case "needs":
                del self._needs_by_code[record["code"]][record["id"]]
                del self._needs_by_kit[record["kit_id"]][record["id"]]
                del self._needs_by_site[record["site_id"]][record["id"]]
                del self._needs_by_site_kit[record["site_id"], record["kit_id"]][record["id"]]
            case "convoys":
                del self._convoys_by_code[record["code"]][record["id"]]
                for key in record["truck_ids"]:
                    self._convoys_by_trucks[key].pop(record["id"], None)
            case "loads":
                del self._loads_by_convoy[record["convoy_id"]][record["id"]]
                del self._loads_by_convoy_need[record["convoy_id"], record["need_id"]][record["id"]]
                del self._loads_by_need[record["need_id"]][record["id"]]
