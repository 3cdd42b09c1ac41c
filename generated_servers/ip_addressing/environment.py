"""IP addressing. Compiled from blueprint.yaml; run `envscaler build ip_addressing` after changing it there.

Manages the address plan of a company (10.20.0.0/16), with prefixes inside prefixes, addresses for devices,
pools for automatic assignment, VLANs per site, quotas of teams and quarantine before reuse.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Prefixes side by side never overlap.",
    "A prefix lies inside the container above it, at the same site, and begins at a multiple of its size.",
    "Addresses, pools and VLANs belong to subnets of at most 512 addresses, not to containers.",
    "A host number is listed once in a subnet and lies between the gateway and the broadcast address.",
    "A pool lies inside its subnet and covers no listed address.",
    "Pools of a subnet never overlap.",
    "A VLAN carries one subnet, at its own site.",
    "A team never holds more addresses than its quota.",
    "Assigned addresses have a device, all others an end of their term and no device.",
    "A device uses addresses of its own team and site.",
    "A device has at most two addresses, and never two in one subnet.",
    "Nothing is reserved in a prefix that is being drained.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "carve_prefix",
    "bind_vlan",
    "drain_prefix",
    "retire_prefix",
    "reserve_address",
    "assign_address",
    "release_address",
    "renumber_address",
    "reclaim_addresses",
    "add_pool",
    "resize_pool",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "vlans": ("name",),
    "prefixes": ("name",),
    "teams": ("name",),
    "devices": ("name",),
    "addresses": (),
    "pools": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("addresses", "device_id"),
    ("addresses", "prefix_id"),
    ("addresses", "status"),
    ("addresses", "team_id"),
    ("pools", "prefix_id"),
    ("prefixes", "name"),
    ("prefixes", "parent_id"),
    ("prefixes", "vlan_id"),
    ("vlans", "site_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str


class Vlan(TypedDict):
    id: str
    name: str
    tag: int
    site_id: str


class Prefix(TypedDict):
    id: str
    name: str
    parent_id: str | None
    first: int
    length: int
    kind: Literal["container", "subnet"]
    site_id: str
    vlan_id: str | None
    status: Literal["active", "draining"]


class Team(TypedDict):
    id: str
    name: str
    quota: int


class Device(TypedDict):
    id: str
    name: str
    team_id: str
    site_id: str


class Address(TypedDict):
    id: str
    prefix_id: str
    host: int
    team_id: str
    device_id: str | None
    until: str | None
    status: Literal["reserved", "assigned", "quarantined"]


class Pool(TypedDict):
    id: str
    prefix_id: str
    first_host: int
    last_host: int


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


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


class IpAddressing:
    """Manages the address plan of a company (10.20.0.0/16), with prefixes inside prefixes, addresses for
    devices, pools for automatic assignment, VLANs per site, quotas of teams and quarantine before
    reuse.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.vlans: dict[str, Vlan] = _copied(config.get("vlans", {}))
        self.prefixes: dict[str, Prefix] = _copied(config.get("prefixes", {}))
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.devices: dict[str, Device] = _copied(config.get("devices", {}))
        self.addresses: dict[str, Address] = _copied(config.get("addresses", {}))
        self.pools: dict[str, Pool] = _copied(config.get("pools", {}))
        self.now: str = config.get("now", "2026-06-16T10:10")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "vlan": len(self.vlans),
            "prefix": len(self.prefixes),
            "team": len(self.teams),
            "device": len(self.devices),
            "address": len(self.addresses),
            "pool": len(self.pools),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._vlans_by_site: dict[Any, dict[str, Vlan]] = {}
        self._prefixes_by_lower_name: dict[Any, dict[str, Prefix]] = {}
        self._prefixes_by_name: dict[Any, dict[str, Prefix]] = {}
        self._prefixes_by_parent: dict[Any, dict[str, Prefix]] = {}
        self._prefixes_by_vlan: dict[Any, dict[str, Prefix]] = {}
        self._addresses_by_device: dict[Any, dict[str, Address]] = {}
        self._addresses_by_prefix: dict[Any, dict[str, Address]] = {}
        self._addresses_by_prefix_device: dict[Any, dict[str, Address]] = {}
        self._addresses_by_prefix_status: dict[Any, dict[str, Address]] = {}
        self._addresses_by_team: dict[Any, dict[str, Address]] = {}
        self._pools_by_prefix: dict[Any, dict[str, Pool]] = {}
        for vlan in self.vlans.values():
            self._link("vlans", vlan)
        for prefix in self.prefixes.values():
            self._link("prefixes", prefix)
        for address in self.addresses.values():
            self._link("addresses", address)
        for pool in self.pools.values():
            self._link("pools", pool)

    def next_free(self, prefix_id: str) -> Result:
        """Which address of a subnet comes next and how many are unused.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.

        Returns:
            dict: {"success": True, "data": {name, next_host, unused, last_host, begins_at_octets}} or {"success":
                False, "error": why not}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        return _found(
            {
                "name": prefix["name"],
                "next_host": self._next_host(prefix),
                "unused": self._prefix_unused(prefix),
                "last_host": self._prefix_size(prefix) - 2,
                "begins_at_octets": [prefix["first"] // 256, prefix["first"] % 256],
            }
        )

    def prefixes_inside(
        self,
        prefix_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """All prefixes inside one, at any depth, in the order of the address plan.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prefixes": records}} or {"success": False, "error": why
                not}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        found = [p for p in _below(self._prefixes_by_parent, prefix)]
        found.sort(key=lambda p: (p["first"], p["length"], _age(p)))
        shown = [self._show_prefix(p) for p in _page(found, offset)]
        return _found({"total": len(found), "prefixes": shown}, self._names_of_prefixes(shown))

    def lapsed_terms(
        self,
        site_id: str | None = None,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Reservations and quarantined addresses whose term is over, oldest first.

        Args:
            site_id (str, optional): Site of the addresses listed; an id such as SITE-00001. If left out, the
                addresses at all sites are listed.
            team_id (str, optional): Team that holds the addresses listed; an id such as TEAM-00001. If left out,
                the addresses of all teams are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "addresses": records}} or {"success": False, "error":
                why not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        team = self.teams.get(team_id) if team_id is not None else None
        if team_id is not None and team is None:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            a
            for a in self.addresses.values()
            if self._lapsed(a, self.now[:10])
            and (site_id is None or self.prefixes[a["prefix_id"]]["site_id"] == site_id)
            and (team_id is None or a["team_id"] == team_id)
        ]
        found.sort(
            key=lambda a: (
                a["until"] if a["until"] is not None else self.now[:10],
                self.prefixes[a["prefix_id"]]["name"],
                a["host"],
                _age(a),
            )
        )
        return _found(
            {
                "total": len(found),
                "addresses": [
                    {
                        "id": a["id"],
                        "prefix": a["prefix_id"],
                        "prefix_name": self.prefixes[a["prefix_id"]]["name"],
                        "host": a["host"],
                        "team": self.teams[a["team_id"]]["name"],
                        "status": a["status"],
                        "until": a["until"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def free_vlans(self, site_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """VLANs of a site that carry no subnet.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vlans": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            v
            for v in self._vlans_by_site.get(site_id, {}).values()
            if not self._prefixes_by_vlan.get(v["id"], {})
        ]
        found.sort(key=lambda v: (v["tag"], _age(v)))
        shown = [{**v} for v in _page(found, offset)]
        return _found({"total": len(found), "vlans": shown}, self._names_of_vlans(shown))

    def list_sites(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        found = [site for site in self.sites.values() if (name is None or name.casefold() in site["name"].casefold())]
        return _found({"total": len(found), "sites": [{**site} for site in _page(found, offset)]})

    def list_vlans(
        self,
        name: Text | None = None,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vlans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vlans whose name contains this text.
            site_id (str, optional): Only vlans of this site.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vlans": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            vlan
            for vlan in self.vlans.values()
            if (name is None or name.casefold() in vlan["name"].casefold())
            and (site_id is None or vlan["site_id"] == site_id)
        ]
        shown = [{**vlan} for vlan in _page(found, offset)]
        return _found({"total": len(found), "vlans": shown}, self._names_of_vlans(shown))

    def list_prefixes(
        self,
        name: Text | None = None,
        parent_id: str | None = None,
        kind: Literal["container", "subnet"] | None = None,
        site_id: str | None = None,
        vlan_id: str | None = None,
        status: Literal["active", "draining"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the prefixes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only prefixes whose name contains this text.
            parent_id (str, optional): Only prefixes whose parent is this prefix.
            kind (str, optional): Only prefixes with this kind.
            site_id (str, optional): Only prefixes of this site.
            vlan_id (str, optional): Only prefixes of this vlan.
            status (str, optional): Only prefixes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prefixes": records}}
        """
        if parent_id is not None and parent_id not in self.prefixes:
            return _refused(f"There is no prefix {parent_id!r}.")
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if vlan_id is not None and vlan_id not in self.vlans:
            return _refused(f"There is no vlan {vlan_id!r}.")
        found = [
            prefix
            for prefix in self.prefixes.values()
            if (name is None or name.casefold() in prefix["name"].casefold())
            and (parent_id is None or prefix["parent_id"] == parent_id)
            and (kind is None or prefix["kind"] == kind)
            and (site_id is None or prefix["site_id"] == site_id)
            and (vlan_id is None or prefix["vlan_id"] == vlan_id)
            and (status is None or prefix["status"] == status)
        ]
        shown = [self._show_prefix(prefix) for prefix in _page(found, offset)]
        return _found({"total": len(found), "prefixes": shown}, self._names_of_prefixes(shown))

    def list_teams(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        found = [team for team in self.teams.values() if (name is None or name.casefold() in team["name"].casefold())]
        return _found({"total": len(found), "teams": [self._show_team(team) for team in _page(found, offset)]})

    def list_devices(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the devices, oldest first, all of them or only some.

        Args:
            name (str, optional): Only devices whose name contains this text.
            team_id (str, optional): Only devices of this team.
            site_id (str, optional): Only devices of this site.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "devices": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            device
            for device in self.devices.values()
            if (name is None or name.casefold() in device["name"].casefold())
            and (team_id is None or device["team_id"] == team_id)
            and (site_id is None or device["site_id"] == site_id)
        ]
        shown = [self._show_device(device) for device in _page(found, offset)]
        return _found({"total": len(found), "devices": shown}, self._names_of_devices(shown))

    def list_addresses(
        self,
        prefix_id: str | None = None,
        team_id: str | None = None,
        device_id: str | None = None,
        status: Literal["reserved", "assigned", "quarantined"] | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the addresses, oldest first, all of them or only some.

        Args:
            prefix_id (str, optional): Only addresses of this prefix.
            team_id (str, optional): Only addresses of this team.
            device_id (str, optional): Only addresses of this device.
            status (str, optional): Only addresses with this status.
            until_from (str, optional): Only addresses whose `until` is on this day or later.
            until_to (str, optional): Only addresses whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "addresses": records}}
        """
        if prefix_id is not None and prefix_id not in self.prefixes:
            return _refused(f"There is no prefix {prefix_id!r}.")
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if device_id is not None and device_id not in self.devices:
            return _refused(f"There is no device {device_id!r}.")
        found = [
            address
            for address in self.addresses.values()
            if (prefix_id is None or address["prefix_id"] == prefix_id)
            and (team_id is None or address["team_id"] == team_id)
            and (device_id is None or address["device_id"] == device_id)
            and (status is None or address["status"] == status)
            and (until_from is None or (address["until"] is not None and address["until"] >= until_from))
            and (until_to is None or (address["until"] is not None and address["until"] <= until_to))
        ]
        shown = [self._show_address(address) for address in _page(found, offset)]
        return _found({"total": len(found), "addresses": shown}, self._names_of_addresses(shown))

    def list_pools(
        self,
        prefix_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pools, oldest first, all of them or only some.

        Args:
            prefix_id (str, optional): Only pools of this prefix.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pools": records}}
        """
        if prefix_id is not None and prefix_id not in self.prefixes:
            return _refused(f"There is no prefix {prefix_id!r}.")
        found = [pool for pool in self.pools.values() if (prefix_id is None or pool["prefix_id"] == prefix_id)]
        shown = [{**pool} for pool in _page(found, offset)]
        return _found({"total": len(found), "pools": shown}, self._names_of_pools(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def carve_prefix(
        self,
        parent_id: str,
        name: Text,
        length: Annotated[int, {"minimum": 21, "maximum": 29}],
        kind: Literal["container", "subnet"],
        vlan_id: str | None = None,
    ) -> Result:
        """Carve a prefix of some length out of a container, at the lowest place where it fits.

        Args:
            parent_id (str): Active container out of which the prefix is carved; an id such as PREFIX-00001.
            name (str): Name of the new prefix, not in use yet.
            length (int): Prefix length in bits, longer than that of the container and at least 23 for a subnet,
                from 21 to 29.
            kind (str): Whether the prefix is divided further (container) or holds addresses (subnet): container or
                subnet.
            vlan_id (str, optional): Free VLAN of the same site, for subnets only; an id such as VLAN-00001. If
                left out, the prefix has no VLAN.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parent = self.prefixes.get(parent_id)
        if parent is None:
            return _refused(f"There is no prefix {parent_id!r}.")
        vlan = self.vlans.get(vlan_id) if vlan_id is not None else None
        if vlan_id is not None and vlan is None:
            return _refused(f"There is no vlan {vlan_id!r}.")
        if self._prefixes_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a prefix called {name} already.")
        if parent["kind"] != "container":
            return _refused(f"{parent['name']} is a subnet and cannot be divided.")
        if parent["status"] != "active":
            return _refused(f"{parent['name']} is being drained.")
        if length <= parent["length"]:
            return _refused(f"A /{length} does not fit into {parent['name']}, which is a /{parent['length']}.")
        if kind != "container" and length < 23:
            return _refused("A subnet is a /23 or smaller.")
        if vlan_id is not None and kind != "subnet":
            return _refused("Only subnets have a VLAN.")
        if vlan_id is not None and vlan["site_id"] != parent["site_id"]:
            return _refused(
                f"{vlan['name']} is at {self.sites[vlan['site_id']]['name']}, not at "
                f"{self.sites[parent['site_id']]['name']}."
            )
        rival = next(
            (p for p in sorted(self._prefixes_by_vlan.get(vlan_id, {}).values(), key=_age) if vlan_id is not None),
            None,
        )
        if vlan_id is not None and rival is not None:
            return _refused(f"{vlan['name']} carries {rival['name']} already.")
        place = self._room(parent, length)
        if place is None:
            return _refused(f"{parent['name']} has no gap for a /{length}.")
        done = f"carve /{length} {name} out of {parent['name']}"
        if vlan is not None:
            done += f" on {vlan['name']}"
        self._journal = []
        if not 0 <= place <= 65535:
            return self._take_back("The first of a prefix must be between 0 and 65535.")
        prefix: Prefix = {
            "id": self._new_id("prefix", "PREFIX", self.prefixes),
            "name": name,
            "parent_id": parent_id,
            "first": place,
            "length": length,
            "kind": kind,
            "site_id": parent["site_id"],
            "vlan_id": vlan_id,
            "status": "active",
        }
        self._add("prefixes", prefix)
        if len(self._prefixes_by_name.get(prefix["name"], {})) > 1:
            return self._take_back(f"There is already a prefix with the name {prefix['name']!r}.")
        if self._breaks_rule_1(prefix):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(prefix):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(prefix):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_p_again(prefix):
            return self._take_back(RULES[2])
        if self._breaks_rule_7_p(prefix):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(prefix):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: {done} (new: prefix {prefix['id']}).",
            "data": {"prefix_id": prefix["id"], **self._changes()},
        }

    def bind_vlan(self, prefix_id: str, vlan_id: str | None = None) -> Result:
        """Put a subnet on a VLAN of its site, or take it off its VLAN where none is named.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.
            vlan_id (str, optional): Free VLAN at the site of the subnet; an id such as VLAN-00001. If left out,
                the subnet is taken off its VLAN.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        vlan = self.vlans.get(vlan_id) if vlan_id is not None else None
        if vlan_id is not None and vlan is None:
            return _refused(f"There is no vlan {vlan_id!r}.")
        if prefix["kind"] != "subnet":
            return _refused(f"{prefix['name']} is a container and has no VLAN.")
        if vlan_id == prefix["vlan_id"]:
            return _refused(f"That is how {prefix['name']} is bound already.")
        if vlan_id is not None and vlan["site_id"] != prefix["site_id"]:
            return _refused(
                f"{vlan['name']} is at {self.sites[vlan['site_id']]['name']}, and {prefix['name']} is at "
                f"{self.sites[prefix['site_id']]['name']}."
            )
        rival = next(
            (p for p in sorted(self._prefixes_by_vlan.get(vlan_id, {}).values(), key=_age) if vlan_id is not None),
            None,
        )
        if vlan_id is not None and rival is not None:
            return _refused(f"{vlan['name']} carries {rival['name']}, so take that off first.")
        self._journal = []
        self._put("prefixes", prefix, "vlan_id", vlan_id)
        if self._breaks_rule_3_p_again(prefix):
            return self._take_back(RULES[2])
        if self._breaks_rule_7_p(prefix):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(prefix):
            return self._take_back(RULES[6])
        done = f"bind {prefix['name']}"
        if vlan is not None:
            done += f" to {vlan['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def drain_prefix(self, prefix_id: str) -> Result:
        """Begin to empty a prefix and all prefixes inside it; reservations there lapse at once.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        if prefix["status"] != "active":
            return _refused(f"{prefix['name']} is being drained already.")
        if prefix["parent_id"] is None:
            return _refused(
                f"{prefix['name']} is the whole of {self.sites[prefix['site_id']]['name']} and cannot be given up."
            )
        self._journal = []
        changed_prefixes: list[Any] = []
        deleted_addresses: list[Any] = []
        for p in [p for p in self._inside(prefix) if p["status"] == "active"]:
            changed_prefixes.append(p)
            self._put("prefixes", p, "status", "draining")
            for a in sorted(self._addresses_by_prefix_status.get((p["id"], "reserved"), {}).values(), key=_age):
                if a["id"] in self.addresses:
                    self._remove("addresses", a)
                deleted_addresses.append(a)
        for one_pool in _distinct(
            [
                user
                for one in [self.prefixes[one["prefix_id"]] for one in deleted_addresses]
                for user in self._pools_by_prefix.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        for one_team in _distinct([self.teams[one["team_id"]] for one in deleted_addresses]):
            if self._breaks_rule_8(one_team):
                return self._take_back(RULES[7])
        for one_device in _distinct([self.devices.get(one["device_id"]) for one in deleted_addresses]):
            if self._breaks_rule_11_d(one_device):
                return self._take_back(RULES[10])
        for one_address in _distinct(
            [
                user
                for one in changed_prefixes
                for user in self._addresses_by_prefix_status.get((one["id"], "reserved"), {}).values()
            ]
        ):
            if one_address["id"] in self.addresses and self._breaks_rule_12(one_address):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: drain {prefix['name']}.", "data": self._changes()}

    def retire_prefix(self, prefix_id: str) -> Result:
        """Give back a drained prefix in which nothing is left.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        if prefix["status"] != "draining":
            return _refused(f"{prefix['name']} is active, so drain it first.")
        if self._prefixes_by_parent.get(prefix_id, {}):
            return _refused(f"There are prefixes inside {prefix['name']}.")
        if self._prefix_listed(prefix) != 0:
            return _refused(f"{self._prefix_listed(prefix)} addresses are still listed in {prefix['name']}.")
        self._journal = []
        deleted_pools: list[Any] = []
        for q in sorted(self._pools_by_prefix.get(prefix_id, {}).values(), key=_age):
            if q["id"] in self.pools:
                self._remove("pools", q)
            deleted_pools.append(q)
        if prefix["id"] in self.prefixes:
            self._remove("prefixes", prefix)
        users = len(self._prefixes_by_parent.get(prefix["id"], {}))
        if users:
            return self._take_back(
                f"Prefix {prefix['name']} is still used by {users} {'prefix' if users == 1 else 'prefixes'}."
            )
        users = len(self._addresses_by_prefix.get(prefix["id"], {}))
        if users:
            return self._take_back(
                f"Prefix {prefix['name']} is still used by {users} {'address' if users == 1 else 'addresses'}."
            )
        users = len(self._pools_by_prefix.get(prefix["id"], {}))
        if users:
            return self._take_back(
                f"Prefix {prefix['name']} is still used by {users} {'pool' if users == 1 else 'pools'}."
            )
        for one_prefix in _distinct(self._prefixes_by_parent.get(prefix["id"], {}).values()):
            if one_prefix["id"] in self.prefixes and self._breaks_rule_2(one_prefix):
                return self._take_back(RULES[1])
        for one_address in _distinct(self._addresses_by_prefix.get(prefix["id"], {}).values()):
            if self._breaks_rule_3_a(one_address):
                return self._take_back(RULES[2])
        for one_pool in _distinct(self._pools_by_prefix.get(prefix["id"], {}).values()):
            if one_pool["id"] in self.pools and self._breaks_rule_3_q(one_pool):
                return self._take_back(RULES[2])
        for one_address in _distinct(self._addresses_by_prefix.get(prefix["id"], {}).values()):
            if self._breaks_rule_4_a_again(one_address):
                return self._take_back(RULES[3])
        for one_pool in _distinct(self._pools_by_prefix.get(prefix["id"], {}).values()):
            if one_pool["id"] in self.pools and self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        for one_address in _distinct(self._addresses_by_prefix.get(prefix["id"], {}).values()):
            if self._breaks_rule_10(one_address):
                return self._take_back(RULES[9])
        for one_address in _distinct(self._addresses_by_prefix_status.get((prefix["id"], "reserved"), {}).values()):
            if self._breaks_rule_12(one_address):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: retire {prefix['name']}.", "data": self._changes()}

    def reserve_address(
        self,
        prefix_id: str,
        team_id: str,
        until: Date,
        host: Annotated[int, {"minimum": 2, "maximum": 1022}] | None = None,
    ) -> Result:
        """Reserve an address of a subnet for a team, the lowest one that is not in use unless a host number is named.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.
            team_id (str): Id of the team, such as TEAM-00001.
            until (str): Last day of the reservation, after today and within 60 days, as YYYY-MM-DD.
            host (int, optional): Free host number, counted from the first address of the subnet, from 2 to 1022.
                If left out, the lowest free host is reserved.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        if prefix["kind"] != "subnet" or prefix["status"] != "active":
            return _refused(f"{prefix['name']} is a container or being drained.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 60):
            return _refused("A reservation lasts at most 60 days.")
        if self._team_used(team) >= team["quota"]:
            return _refused(
                f"{team['name']} holds {self._team_used(team)} addresses and may have no more, so something must "
                "be released first."
            )
        place = host if host is not None else self._next_host(prefix)
        if place is None:
            return _refused(f"{prefix['name']} has no address left.")
        if place > self._prefix_size(prefix) - 2:
            return _refused(f"{prefix['name']} ends at host {self._prefix_size(prefix) - 2}.")
        if self._listed_as(prefix, place) is not None:
            return _refused(f"Host {place} of {prefix['name']} is listed already.")
        if self._in_pool(prefix, place):
            return _refused(f"Host {place} of {prefix['name']} belongs to a pool.")
        self._journal = []
        if not 2 <= place <= 1022:
            return self._take_back("The host of an address must be between 2 and 1022.")
        address: Address = {
            "id": self._new_id("address", "ADDRESS", self.addresses),
            "prefix_id": prefix_id,
            "host": place,
            "team_id": team_id,
            "device_id": None,
            "until": until,
            "status": "reserved",
        }
        self._add("addresses", address)
        if self._breaks_rule_3_a(address):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(address):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(address):
            return self._take_back(RULES[3])
        for one_pool in _distinct(self._pools_by_prefix.get(address["prefix_id"], {}).values()):
            if self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(self.teams[address["team_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(address):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(address):
            return self._take_back(RULES[9])
        for one_device in _distinct([self.devices.get(address["device_id"])]):
            if self._breaks_rule_11_d(one_device):
                return self._take_back(RULES[10])
        if self._breaks_rule_11_a(address):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(address):
            return self._take_back(RULES[11])
        done = f"reserve an address in {prefix['name']} for {team['name']} until {until}"
        if host is not None:
            done += f", host {host}"
        return {
            "success": True,
            "message": f"Done: {done} (new: address {address['id']}).",
            "data": {"address_id": address["id"], **self._changes()},
        }

    def assign_address(self, address_id: str, device_id: str) -> Result:
        """Assign a reserved address to a device of the same team at that site.

        Args:
            address_id (str): Id of the address, such as ADDRESS-00001.
            device_id (str): Id of the device, such as DEVICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        address = self.addresses.get(address_id)
        if address is None:
            return _refused(f"There is no address {address_id!r}.")
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        if address["status"] != "reserved":
            return _refused(
                f"Host {address['host']} of {self.prefixes[address['prefix_id']]['name']} is {address['status']}."
            )
        if address["until"] is not None and address["until"] < self.now[:10]:
            return _refused(
                f"The reservation of host {address['host']} of {self.prefixes[address['prefix_id']]['name']} "
                f"ended on {address['until']}; reserve it anew."
            )
        if device["team_id"] != address["team_id"]:
            return _refused(
                f"{device['name']} belongs to {self.teams[device['team_id']]['name']}, and the address to "
                f"{self.teams[address['team_id']]['name']}."
            )
        if device["site_id"] != self.prefixes[address["prefix_id"]]["site_id"]:
            return _refused(
                f"{device['name']} is at {self.sites[device['site_id']]['name']}, and "
                f"{self.prefixes[address['prefix_id']]['name']} at "
                f"{self.sites[self.prefixes[address['prefix_id']]['site_id']]['name']}."
            )
        if self._device_addresses(device) >= 2:
            return _refused(f"{device['name']} has two addresses.")
        if self._addresses_by_prefix_device.get((address["prefix_id"], device_id), {}):
            return _refused(f"{device['name']} has an address in {self.prefixes[address['prefix_id']]['name']}.")
        self._journal = []
        former_device_id = address["device_id"]
        self._put("addresses", address, "device_id", device_id)
        self._put("addresses", address, "until", None)
        self._put("addresses", address, "status", "assigned")
        if self._breaks_rule_8(self.teams[address["team_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(address):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(address):
            return self._take_back(RULES[9])
        for one_device in _distinct([self.devices.get(address["device_id"]), self.devices.get(former_device_id)]):
            if self._breaks_rule_11_d(one_device):
                return self._take_back(RULES[10])
        if self._breaks_rule_11_a(address):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(address):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: assign host {address['host']} of {self.prefixes[address['prefix_id']]['name']} to "
                f"{device['name']}."
            ),
            "data": self._changes(),
        }

    def release_address(self, address_id: str) -> Result:
        """Give up an address. A reservation is simply dropped, an assigned address is quarantined for 14 days.

        Args:
            address_id (str): Id of the address, such as ADDRESS-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        address = self.addresses.get(address_id)
        if address is None:
            return _refused(f"There is no address {address_id!r}.")
        if address["status"] == "quarantined":
            return _refused(
                f"Host {address['host']} of {self.prefixes[address['prefix_id']]['name']} was released already."
            )
        self._journal = []
        deleted_addresses: list[Any] = []
        changed_addresses: list[Any] = []
        former_device_ids: list[Any] = []
        changed_addresses_2: list[Any] = []
        changed_addresses_3: list[Any] = []
        if address["status"] == "reserved":
            if address["id"] in self.addresses:
                self._remove("addresses", address)
            deleted_addresses.append(address)
        else:
            changed_addresses.append(address)
            former_device_ids.append(address["device_id"])
            if address["id"] in self.addresses:
                self._put("addresses", address, "device_id", None)
            changed_addresses_2.append(address)
            if address["id"] in self.addresses:
                self._put("addresses", address, "until", _plus_days(self.now[:10], 14))
            if address["status"] not in ("assigned", "quarantined"):
                return self._take_back(f"Address {address['id']} cannot go from {address['status']} to quarantined.")
            changed_addresses_3.append(address)
            if address["id"] in self.addresses:
                self._put("addresses", address, "status", "quarantined")
        for one_pool in _distinct(
            [
                user
                for one in [self.prefixes[one["prefix_id"]] for one in deleted_addresses]
                for user in self._pools_by_prefix.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        for one_team in _distinct(
            [
                *[self.teams[one["team_id"]] for one in deleted_addresses],
                *[self.teams[one["team_id"]] for one in changed_addresses_3],
            ]
        ):
            if self._breaks_rule_8(one_team):
                return self._take_back(RULES[7])
        for one_address in _distinct([*changed_addresses, *changed_addresses_2, *changed_addresses_3]):
            if one_address["id"] in self.addresses and self._breaks_rule_9(one_address):
                return self._take_back(RULES[8])
        for one_address in _distinct(changed_addresses):
            if one_address["id"] in self.addresses and self._breaks_rule_10(one_address):
                return self._take_back(RULES[9])
        for one_device in _distinct(
            [
                *[self.devices.get(one["device_id"]) for one in deleted_addresses],
                *[self.devices.get(one["device_id"]) for one in changed_addresses],
                *[self.devices.get(key) for key in former_device_ids],
            ]
        ):
            if self._breaks_rule_11_d(one_device):
                return self._take_back(RULES[10])
        for one_address in _distinct(changed_addresses):
            if one_address["id"] in self.addresses and self._breaks_rule_11_a(one_address):
                return self._take_back(RULES[10])
        for one_address in _distinct(changed_addresses_3):
            if one_address["id"] in self.addresses and self._breaks_rule_12(one_address):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: release host {address['host']} of {self.prefixes[address['prefix_id']]['name']}.",
            "data": self._changes(),
        }

    def renumber_address(self, address_id: str, prefix_id: str) -> Result:
        """Move the device of an address to the lowest unused address of another subnet; the old address is
        quarantined for 14 days.

        Args:
            address_id (str): Id of the address, such as ADDRESS-00001.
            prefix_id (str): Id of the prefix, such as PREFIX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        address = self.addresses.get(address_id)
        if address is None:
            return _refused(f"There is no address {address_id!r}.")
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        if address["status"] != "assigned" or address["device_id"] is None:
            return _refused(
                f"Host {address['host']} of {self.prefixes[address['prefix_id']]['name']} is {address['status']}."
            )
        device = self.devices[address["device_id"]]
        if prefix["kind"] != "subnet" or prefix["status"] != "active":
            return _refused(f"{prefix['name']} is a container or being drained.")
        if prefix["site_id"] != device["site_id"]:
            return _refused(
                f"{prefix['name']} is at {self.sites[prefix['site_id']]['name']} and {device['name']} at "
                f"{self.sites[device['site_id']]['name']}."
            )
        if self._addresses_by_prefix_device.get((prefix_id, device["id"]), {}):
            return _refused(f"{device['name']} has an address in {prefix['name']} already.")
        place = self._next_host(prefix)
        if place is None:
            return _refused(f"{prefix['name']} has no address left.")
        done = f"renumber host {address['host']} of {self.prefixes[address['prefix_id']]['name']} into {prefix['name']}"
        self._journal = []
        former_device_id = address["device_id"]
        self._put("addresses", address, "device_id", None)
        self._put("addresses", address, "until", _plus_days(self.now[:10], 14))
        self._put("addresses", address, "status", "quarantined")
        if not 2 <= place <= 1022:
            return self._take_back("The host of an address must be between 2 and 1022.")
        fresh: Address = {
            "id": self._new_id("address", "ADDRESS", self.addresses),
            "prefix_id": prefix_id,
            "host": place,
            "team_id": address["team_id"],
            "device_id": None,
            "until": _plus_days(self.now[:10], 1),
            "status": "reserved",
        }
        self._add("addresses", fresh)
        former_device_id_2 = fresh["device_id"]
        self._put("addresses", fresh, "device_id", device["id"])
        self._put("addresses", fresh, "until", None)
        if fresh["status"] not in ("reserved", "assigned"):
            return self._take_back(f"Address {fresh['id']} cannot go from {fresh['status']} to assigned.")
        self._put("addresses", fresh, "status", "assigned")
        if self._breaks_rule_3_a(fresh):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(fresh):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(fresh):
            return self._take_back(RULES[3])
        for one_pool in _distinct(self._pools_by_prefix.get(fresh["prefix_id"], {}).values()):
            if self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(self.teams[address["team_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(self.teams[fresh["team_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(address):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(fresh):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(address):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(fresh):
            return self._take_back(RULES[9])
        for one_device in _distinct(
            [
                self.devices.get(address["device_id"]),
                self.devices.get(former_device_id),
                self.devices.get(fresh["device_id"]),
                self.devices.get(former_device_id_2),
            ]
        ):
            if self._breaks_rule_11_d(one_device):
                return self._take_back(RULES[10])
        if self._breaks_rule_11_a(address):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_a(fresh):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(address):
            return self._take_back(RULES[11])
        if self._breaks_rule_12(fresh):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: address {fresh['id']}).",
            "data": {"address_id": fresh["id"], **self._changes()},
        }

    def reclaim_addresses(self, prefix_id: str) -> Result:
        """Strike all reservations and quarantined addresses of a subnet whose term is over.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        if not any(self._lapsed(a, self.now[:10]) for a in self._addresses_by_prefix.get(prefix_id, {}).values()):
            return _refused(f"In {prefix['name']} no term is over.")
        self._journal = []
        deleted_addresses: list[Any] = []
        for a in [
            a
            for a in sorted(self._addresses_by_prefix.get(prefix_id, {}).values(), key=_age)
            if self._lapsed(a, self.now[:10])
        ]:
            if a["id"] in self.addresses:
                self._remove("addresses", a)
            deleted_addresses.append(a)
        for one_pool in _distinct(
            [
                user
                for one in [self.prefixes[one["prefix_id"]] for one in deleted_addresses]
                for user in self._pools_by_prefix.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        for one_team in _distinct([self.teams[one["team_id"]] for one in deleted_addresses]):
            if self._breaks_rule_8(one_team):
                return self._take_back(RULES[7])
        for one_device in _distinct([self.devices.get(one["device_id"]) for one in deleted_addresses]):
            if self._breaks_rule_11_d(one_device):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: reclaim what has lapsed in {prefix['name']}.",
            "data": self._changes(),
        }

    def add_pool(
        self,
        prefix_id: str,
        first_host: Annotated[int, {"minimum": 2, "maximum": 1022}],
        last_host: Annotated[int, {"minimum": 2, "maximum": 1022}],
    ) -> Result:
        """Set a range of hosts of a subnet aside for automatic assignment.

        Args:
            prefix_id (str): Id of the prefix, such as PREFIX-00001.
            first_host (int): First host number of the pool, counted from the first address of the subnet, from 2
                to 1022.
            last_host (int): Last host number of the pool, counted from the first address of the subnet, from 2 to
                1022.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prefix = self.prefixes.get(prefix_id)
        if prefix is None:
            return _refused(f"There is no prefix {prefix_id!r}.")
        if prefix["kind"] != "subnet" or prefix["status"] != "active":
            return _refused(f"{prefix['name']} is a container or being drained.")
        if first_host > last_host or last_host > self._prefix_size(prefix) - 2:
            return _refused(f"A pool of {prefix['name']} ends at host {self._prefix_size(prefix) - 2} at most.")
        hit = next(
            (
                a
                for a in sorted(self._addresses_by_prefix.get(prefix_id, {}).values(), key=_age)
                if (first_host <= a["host"] and a["host"] <= last_host)
            ),
            None,
        )
        if hit is not None:
            return _refused(f"Host {hit['host']} of {prefix['name']} is {hit['status']}.")
        if any(
            first_host <= q["last_host"]
            for q in self._pools_by_prefix.get(prefix_id, {}).values()
            if q["first_host"] <= last_host
        ):
            return _refused(f"{prefix['name']} has a pool there already.")
        self._journal = []
        pool: Pool = {
            "id": self._new_id("pool", "POOL", self.pools),
            "prefix_id": prefix_id,
            "first_host": first_host,
            "last_host": last_host,
        }
        self._add("pools", pool)
        if self._breaks_rule_3_q(pool):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(pool):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(pool):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: add a pool from host {first_host} to {last_host} of {prefix['name']} (new: pool "
                f"{pool['id']})."
            ),
            "data": {"pool_id": pool["id"], **self._changes()},
        }

    def resize_pool(
        self,
        pool_id: str,
        last_host: Annotated[int, {"minimum": 2, "maximum": 1022}] | None = None,
    ) -> Result:
        """Let a pool end at another host, or give it up where no end is named.

        Args:
            pool_id (str): Id of the pool, such as POOL-00001.
            last_host (int, optional): Host number at which the pool is to end, from 2 to 1022. If left out, the
                pool is given up altogether.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pool = self.pools.get(pool_id)
        if pool is None:
            return _refused(f"There is no pool {pool_id!r}.")
        if not (
            last_host is None
            or pool["first_host"] <= last_host
            and last_host <= self._prefix_size(self.prefixes[pool["prefix_id"]]) - 2
        ):
            return _refused(
                f"The pool begins at host {pool['first_host']}, and {self.prefixes[pool['prefix_id']]['name']} "
                f"ends at {self._prefix_size(self.prefixes[pool['prefix_id']]) - 2}."
            )
        hit = next(
            (
                a
                for a in sorted(self._addresses_by_prefix.get(pool["prefix_id"], {}).values(), key=_age)
                if last_host is not None
                and (pool["last_host"] < a["host"] and a["host"] <= last_host)
            ),
            None,
        )
        if hit is not None:
            return _refused(f"Host {hit['host']} of {self.prefixes[pool['prefix_id']]['name']} is {hit['status']}.")
        if any(
            pool["first_host"] <= q["last_host"]
            for q in self._pools_by_prefix.get(pool["prefix_id"], {}).values()
            if q is not pool
            and last_host is not None
            and q["first_host"] <= last_host
        ):
            return _refused(f"{self.prefixes[pool['prefix_id']]['name']} has another pool there.")
        self._journal = []
        deleted_pools: list[Any] = []
        changed_pools: list[Any] = []
        if last_host is None:
            if pool["id"] in self.pools:
                self._remove("pools", pool)
            deleted_pools.append(pool)
        else:
            changed_pools.append(pool)
            if pool["id"] in self.pools:
                self._put("pools", pool, "last_host", last_host)
        for one_pool in _distinct(changed_pools):
            if one_pool["id"] in self.pools and self._breaks_rule_5(one_pool):
                return self._take_back(RULES[4])
        for one_pool in _distinct(changed_pools):
            if one_pool["id"] in self.pools and self._breaks_rule_6(one_pool):
                return self._take_back(RULES[5])
        done = f"resize the pool of {self.prefixes[pool['prefix_id']]['name']}"
        if last_host is not None:
            done += f" to end at host {last_host}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_prefix(self, prefix: Prefix) -> dict[str, Any]:
        """The prefix as an answer shows it."""
        return {
            **prefix,
            "size": self._prefix_size(prefix),
            "listed": self._prefix_listed(prefix),
            "pooled": self._prefix_pooled(prefix),
            "unused": self._prefix_unused(prefix),
        }

    def _show_team(self, team: Team) -> dict[str, Any]:
        """The team as an answer shows it."""
        return {**team, "used": self._team_used(team)}

    def _show_device(self, device: Device) -> dict[str, Any]:
        """The device as an answer shows it."""
        return {**device, "addresses": self._device_addresses(device)}

    def _show_address(self, address: Address) -> dict[str, Any]:
        """The address as an answer shows it."""
        return {
            **address,
            "third_octet": self._address_third_octet(address),
            "fourth_octet": self._address_fourth_octet(address),
        }

    def _names_of_vlans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vlans point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_prefixes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that prefixes point to."""
        return _names(
            (self.prefixes, "name", [row["parent_id"] for row in shown]),
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.vlans, "name", [row["vlan_id"] for row in shown]),
        )

    def _names_of_devices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that devices point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.sites, "name", [row["site_id"] for row in shown]),
        )

    def _names_of_addresses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that addresses point to."""
        return _names(
            (self.prefixes, "name", [row["prefix_id"] for row in shown]),
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.devices, "name", [row["device_id"] for row in shown]),
        )

    def _names_of_pools(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pools point to."""
        return _names((self.prefixes, "name", [row["prefix_id"] for row in shown]))

    def _prefix_size(self, prefix: Prefix) -> int:
        """The size of a prefix."""
        return self._size_of(prefix["length"])

    def _prefix_listed(self, prefix: Prefix) -> int:
        """The listed of a prefix."""
        return len(self._addresses_by_prefix.get(prefix["id"], {}))

    def _prefix_pooled(self, prefix: Prefix) -> int:
        """The pooled of a prefix."""
        return sum(q["last_host"] - q["first_host"] + 1 for q in self._pools_by_prefix.get(prefix["id"], {}).values())

    def _prefix_unused(self, prefix: Prefix) -> int:
        """The unused of a prefix."""
        return (
            0
            if prefix["kind"] == "container"
            else self._size_of(prefix["length"]) - 3 - self._prefix_listed(prefix) - self._prefix_pooled(prefix)
        )

    def _team_used(self, team: Team) -> int:
        """The used of a team."""
        return sum(1 for a in self._addresses_by_team.get(team["id"], {}).values() if a["status"] != "quarantined")

    def _device_addresses(self, device: Device) -> int:
        """The addresses of a device."""
        return len(self._addresses_by_device.get(device["id"], {}))

    def _address_third_octet(self, address: Address) -> int:
        """The third octet of an address."""
        return (self.prefixes[address["prefix_id"]]["first"] + address["host"]) // 256

    def _address_fourth_octet(self, address: Address) -> int:
        """The fourth octet of an address."""
        return (self.prefixes[address["prefix_id"]]["first"] + address["host"]) % 256

    def _size_of(self, l: int) -> int:
        return (
            4096
            if l == 20
            else 2048
            if l == 21
            else 1024
            if l == 22
            else 512
            if l == 23
            else 256
            if l == 24
            else 128
            if l == 25
            else 64
            if l == 26
            else 32
            if l == 27
            else 16
            if l == 28
            else 8
        )

    def _in_pool(self, p: Prefix, h: int) -> bool:
        return any(
            q["first_host"] <= h
            and h <= q["last_host"]
            for q in self._pools_by_prefix.get(p["id"], {}).values()
        )

    def _listed_as(self, p: Prefix, h: int) -> Address | None:
        return next(
            (a for a in sorted(self._addresses_by_prefix.get(p["id"], {}).values(), key=_age) if a["host"] == h),
            None,
        )

    def _next_host(self, p: Prefix) -> int | None:
        return next(
            (
                h
                for h in _numbers(2, min(self._prefix_size(p) - 1, 900))
                if self._listed_as(p, h) is None
                and not self._in_pool(p, h)
            ),
            None,
        )

    def _inside(self, p: Prefix) -> list[Prefix]:
        return [p] + _below(self._prefixes_by_parent, p)

    def _lapsed(self, a: Address, d: str) -> bool:
        return a["until"] is not None and a["until"] < d

    def _room(self, p: Prefix, l: int) -> int | None:
        return next(
            (
                p["first"] + i * self._size_of(l)
                for i in _numbers(0, floor(Fraction(self._prefix_size(p), self._size_of(l))))
                if not any(
                    _overlap(
                        c["first"],
                        c["first"] + self._prefix_size(c),
                        p["first"] + i * self._size_of(l),
                        p["first"] + (i + 1) * self._size_of(l),
                    )
                    for c in self._prefixes_by_parent.get(p["id"], {}).values()
                )
            ),
            None,
        )

    def _breaks_rule_1(self, a: Prefix) -> bool:
        """Whether this is broken: prefixes side by side never overlap."""
        return any(
            _overlap(a["first"], a["first"] + self._prefix_size(a), b["first"], b["first"] + self._prefix_size(b))
            for b in self._prefixes_by_parent.get(a["parent_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_2(self, p: Prefix) -> bool:
        """Whether this is broken: a prefix lies inside the container above it, at the same site, and begins at a
        multiple of its size.
        """
        return not (
            p["first"] % self._size_of(p["length"]) == 0
            and (
                p["parent_id"] is None
                or self.prefixes[p["parent_id"]]["kind"] == "container"
                and self.prefixes[p["parent_id"]]["site_id"] == p["site_id"]
                and self.prefixes[p["parent_id"]]["length"] < p["length"]
                and self.prefixes[p["parent_id"]]["first"] <= p["first"]
                and p["first"] + self._prefix_size(p) <= self.prefixes[p["parent_id"]]["first"] + self._prefix_size(
                    self.prefixes[p["parent_id"]]
                )
            )
        )

    def _breaks_rule_3_p(self, p: Prefix) -> bool:
        """Whether this is broken: addresses, pools and VLANs belong to subnets of at most 512 addresses, not to
        containers.
        """
        return p["kind"] != "container" and p["length"] < 23

    def _breaks_rule_3_a(self, a: Address) -> bool:
        """Whether this is broken: addresses, pools and VLANs belong to subnets of at most 512 addresses, not to
        containers.
        """
        return self.prefixes[a["prefix_id"]]["kind"] != "subnet"

    def _breaks_rule_3_q(self, q: Pool) -> bool:
        """Whether this is broken: addresses, pools and VLANs belong to subnets of at most 512 addresses, not to
        containers.
        """
        return self.prefixes[q["prefix_id"]]["kind"] != "subnet"

    def _breaks_rule_3_p_again(self, p: Prefix) -> bool:
        """Whether this is broken: addresses, pools and VLANs belong to subnets of at most 512 addresses, not to
        containers.
        """
        return p["vlan_id"] is not None and p["kind"] != "subnet"

    def _breaks_rule_4_a(self, a: Address) -> bool:
        """Whether this is broken: a host number is listed once in a subnet and lies between the gateway and the
        broadcast address.
        """
        return any(
            other_a is not a
            for other_a in self._addresses_by_prefix.get(a["prefix_id"], {}).values()
            if other_a["host"] == a["host"]
        )

    def _breaks_rule_4_a_again(self, a: Address) -> bool:
        """Whether this is broken: a host number is listed once in a subnet and lies between the gateway and the
        broadcast address.
        """
        return a["host"] > self._prefix_size(self.prefixes[a["prefix_id"]]) - 2

    def _breaks_rule_5(self, q: Pool) -> bool:
        """Whether this is broken: a pool lies inside its subnet and covers no listed address."""
        return not (
            (
                q["first_host"] <= q["last_host"]
                and q["last_host"] <= self._prefix_size(self.prefixes[q["prefix_id"]]) - 2
            )
            and not any(
                q["first_host"] <= a["host"]
                and a["host"] <= q["last_host"]
                for a in self._addresses_by_prefix.get(q["prefix_id"], {}).values()
            )
        )

    def _breaks_rule_6(self, a: Pool) -> bool:
        """Whether this is broken: pools of a subnet never overlap."""
        return any(
            a["last_host"] >= b["first_host"]
            and b["last_host"] >= a["first_host"]
            for b in self._pools_by_prefix.get(a["prefix_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_7_p(self, p: Prefix) -> bool:
        """Whether this is broken: a VLAN carries one subnet, at its own site."""
        return (
            p["vlan_id"] is not None
            and any(
                other_p is not p
                for other_p in self._prefixes_by_vlan.get(p["vlan_id"], {}).values()
                if other_p["vlan_id"] is not None
            )
        )

    def _breaks_rule_7_p_again(self, p: Prefix) -> bool:
        """Whether this is broken: a VLAN carries one subnet, at its own site."""
        return p["vlan_id"] is not None and self.vlans[p["vlan_id"]]["site_id"] != p["site_id"]

    def _breaks_rule_8(self, t: Team) -> bool:
        """Whether this is broken: a team never holds more addresses than its quota."""
        return self._team_used(t) > t["quota"]

    def _breaks_rule_9(self, a: Address) -> bool:
        """Whether this is broken: assigned addresses have a device, all others an end of their term and no device.
        """
        return (
            (a["status"] == "assigned") != (a["device_id"] is not None)
            or (a["status"] == "assigned") != (a["until"] is None)
        )

    def _breaks_rule_10(self, a: Address) -> bool:
        """Whether this is broken: a device uses addresses of its own team and site."""
        return (
            a["device_id"] is not None
            and (
                self.devices[a["device_id"]]["team_id"] != a["team_id"]
                or self.devices[a["device_id"]]["site_id"] != self.prefixes[a["prefix_id"]]["site_id"]
            )
        )

    def _breaks_rule_11_d(self, d: Device) -> bool:
        """Whether this is broken: a device has at most two addresses, and never two in one subnet."""
        return self._device_addresses(d) > 2

    def _breaks_rule_11_a(self, a: Address) -> bool:
        """Whether this is broken: a device has at most two addresses, and never two in one subnet."""
        return (
            a["device_id"] is not None
            and any(
                other_a is not a
                for other_a in self._addresses_by_prefix_device.get((a["prefix_id"], a["device_id"]), {}).values()
                if other_a["device_id"] is not None
            )
        )

    def _breaks_rule_12(self, a: Address) -> bool:
        """Whether this is broken: nothing is reserved in a prefix that is being drained."""
        return a["status"] == "reserved" and self.prefixes[a["prefix_id"]]["status"] == "draining"

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
            case "vlans":
                self._vlans_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "prefixes":
                self._prefixes_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._prefixes_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._prefixes_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
                self._prefixes_by_vlan.setdefault(record["vlan_id"], {})[record["id"]] = record
            case "addresses":
                self._addresses_by_device.setdefault(record["device_id"], {})[record["id"]] = record
                self._addresses_by_prefix.setdefault(record["prefix_id"], {})[record["id"]] = record
                self._addresses_by_prefix_device.setdefault(
                    (record["prefix_id"], record["device_id"]),
                    {},
                )[record["id"]] = record
                self._addresses_by_prefix_status.setdefault(
                    (record["prefix_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._addresses_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "pools":
                self._pools_by_prefix.setdefault(record["prefix_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "vlans":
                del self._vlans_by_site[record["site_id"]][record["id"]]
            case "prefixes":
                del self._prefixes_by_lower_name[record["name"].lower()][record["id"]]
                del self._prefixes_by_name[record["name"]][record["id"]]
                del self._prefixes_by_parent[record["parent_id"]][record["id"]]
                del self._prefixes_by_vlan[record["vlan_id"]][record["id"]]
            case "addresses":
                del self._addresses_by_device[record["device_id"]][record["id"]]
                del self._addresses_by_prefix[record["prefix_id"]][record["id"]]
                del self._addresses_by_prefix_device[record["prefix_id"], record["device_id"]][record["id"]]
                del self._addresses_by_prefix_status[record["prefix_id"], record["status"]][record["id"]]
                del self._addresses_by_team[record["team_id"]][record["id"]]
            case "pools":
                del self._pools_by_prefix[record["prefix_id"]][record["id"]]
