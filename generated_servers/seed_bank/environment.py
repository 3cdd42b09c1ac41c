"""Seed bank. Compiled from blueprint.yaml; run `envscaler build seed_bank` after changing it there.

Keeps the accessions of a seed bank in packets over several vaults and sites, tests their germination,
regenerates weak ones into new generations and sends seeds out above a minimum stock.
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
    "A vault holds no more packets than it has room for.",
    "An accession has one packet of a kind in a vault, and one active packet in all.",
    "Safety duplicates lie at another site than the base packets.",
    "No more seeds germinate than were sown.",
    "A test has a result and a day of reading once it is read.",
    "An accession is in one test at a time.",
    "An accession is in one regeneration at a time, and is marked as such.",
    "A line is not regenerated beyond the third generation.",
    "A new generation belongs to the same crop as its parent.",
    "A refused request says why, and no other does.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_accession",
    "store_packet",
    "duplicate_packet",
    "move_packet",
    "refill_active",
    "start_test",
    "read_test",
    "start_regeneration",
    "harvest",
    "fail_regeneration",
    "ask_seeds",
    "send_seeds",
    "refuse_request",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "crops": ("name",),
    "vaults": ("name",),
    "accessions": ("code",),
    "packets": (),
    "germination_tests": (),
    "regenerations": (),
    "seed_requests": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("accessions", "code"),
    ("accessions", "parent_id"),
    ("germination_tests", "accession_id"),
    ("germination_tests", "status"),
    ("packets", "accession_id"),
    ("packets", "kind"),
    ("packets", "vault_id"),
    ("regenerations", "accession_id"),
    ("regenerations", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Crop(TypedDict):
    id: str
    name: str
    least_percent: int
    retest_years: int
    least_stock: int


class Vault(TypedDict):
    id: str
    name: str
    site: str
    capacity: int


class Accession(TypedDict):
    id: str
    code: str
    crop_id: str
    origin: str
    donor: str
    collected_on: str
    parent_id: str | None
    status: Literal["stored", "due", "regenerating", "replaced"]


class Packet(TypedDict):
    id: str
    accession_id: str
    vault_id: str
    kind: Literal["base", "active", "safety"]
    seeds: int


class GerminationTest(TypedDict):
    id: str
    accession_id: str
    sown: int
    germinated: int | None
    started_on: str
    read_on: str | None
    status: Literal["running", "read"]


class Regeneration(TypedDict):
    id: str
    accession_id: str
    place: str
    sown: int
    begun_on: str
    status: Literal["growing", "harvested", "failed"]


class SeedRequest(TypedDict):
    id: str
    accession_id: str
    recipient: str
    seeds: int
    purpose: Literal["breeding", "research", "exhibition"]
    asked_on: str
    agreement: bool
    refused_for: str | None
    status: Literal["open", "sent", "refused"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


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


class SeedBank:
    """Keeps the accessions of a seed bank in packets over several vaults and sites, tests their
    germination, regenerates weak ones into new generations and sends seeds out above a minimum stock.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.crops: dict[str, Crop] = _copied(config.get("crops", {}))
        self.vaults: dict[str, Vault] = _copied(config.get("vaults", {}))
        self.accessions: dict[str, Accession] = _copied(config.get("accessions", {}))
        self.packets: dict[str, Packet] = _copied(config.get("packets", {}))
        self.germination_tests: dict[str, GerminationTest] = _copied(config.get("germination_tests", {}))
        self.regenerations: dict[str, Regeneration] = _copied(config.get("regenerations", {}))
        self.seed_requests: dict[str, SeedRequest] = _copied(config.get("seed_requests", {}))
        self.now: str = config.get("now", "2026-03-24T10:00")
        self.counters: dict[str, int] = {
            "crop": len(self.crops),
            "vault": len(self.vaults),
            "accession": len(self.accessions),
            "packet": len(self.packets),
            "germination_test": len(self.germination_tests),
            "regeneration": len(self.regenerations),
            "seed_request": len(self.seed_requests),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._accessions_by_code: dict[Any, dict[str, Accession]] = {}
        self._accessions_by_parent: dict[Any, dict[str, Accession]] = {}
        self._packets_by_accession_kind: dict[Any, dict[str, Packet]] = {}
        self._packets_by_accession_vault_kind: dict[Any, dict[str, Packet]] = {}
        self._packets_by_vault: dict[Any, dict[str, Packet]] = {}
        self._germination_tests_by_accession: dict[Any, dict[str, GerminationTest]] = {}
        self._germination_tests_by_accession_status: dict[Any, dict[str, GerminationTest]] = {}
        self._regenerations_by_accession_status: dict[Any, dict[str, Regeneration]] = {}
        for accession in self.accessions.values():
            self._link("accessions", accession)
        for packet in self.packets.values():
            self._link("packets", packet)
        for germination_test in self.germination_tests.values():
            self._link("germination_tests", germination_test)
        for regeneration in self.regenerations.values():
            self._link("regenerations", regeneration)

    def tests_due(
        self,
        crop_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Accessions in store whose last germination test is missing or too long ago for their crop.

        Args:
            crop_id (str, optional): Crop of the accessions; an id such as CROP-00001. If left out, the accessions
                of all crops are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accessions": records}} or {"success": False, "error":
                why not}
        """
        crop = self.crops.get(crop_id) if crop_id is not None else None
        if crop_id is not None and crop is None:
            return _refused(f"There is no crop {crop_id!r}.")
        found = [
            a
            for a in self.accessions.values()
            if (a["status"] == "stored" and self._running_test(a) is None)
            and self._test_due(a, self.now[:10])
            and (crop_id is None or a["crop_id"] == crop_id)
        ]
        found.sort(key=lambda a: (a["code"], _age(a)))
        return _found(
            {
                "total": len(found),
                "accessions": [
                    {
                        "id": a["id"],
                        "code": a["code"],
                        "crop": self.crops[a["crop_id"]]["name"],
                        "active_seeds": self._accession_active_seeds(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def lineage(self, accession_id: str) -> Result:
        """The accessions that an accession comes from and those that were grown from it.

        Args:
            accession_id (str): Id of the accession, such as ACCESSION-00001.

        Returns:
            dict: {"success": True, "data": {grown_from, grown_into, generation}} or {"success": False, "error":
                why not}
        """
        accession = self.accessions.get(accession_id)
        if accession is None:
            return _refused(f"There is no accession {accession_id!r}.")
        return _found(
            {
                "grown_from": [*[a["code"] for a in _above(self.accessions, accession, "parent_id")]],
                "grown_into": [*[a["code"] for a in _below(self._accessions_by_parent, accession)]],
                "generation": self._accession_generation(accession),
            }
        )

    def list_crops(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crops, oldest first, all of them or only some.

        Args:
            name (str, optional): Only crops whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crops": records}}
        """
        found = [crop for crop in self.crops.values() if (name is None or name.casefold() in crop["name"].casefold())]
        return _found({"total": len(found), "crops": [{**crop} for crop in _page(found, offset)]})

    def list_vaults(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vaults, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vaults whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vaults": records}}
        """
        found = [
            vault
            for vault in self.vaults.values()
            if (name is None or name.casefold() in vault["name"].casefold())
        ]
        return _found({"total": len(found), "vaults": [self._show_vault(vault) for vault in _page(found, offset)]})

    def list_accessions(
        self,
        code: Text | None = None,
        crop_id: str | None = None,
        parent_id: str | None = None,
        status: Literal["stored", "due", "regenerating", "replaced"] | None = None,
        collected_on_from: Date | None = None,
        collected_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accessions, oldest first, all of them or only some.

        Args:
            code (str, optional): Only accessions whose code contains this text.
            crop_id (str, optional): Only accessions of this crop.
            parent_id (str, optional): Only accessions whose parent is this accession.
            status (str, optional): Only accessions with this status.
            collected_on_from (str, optional): Only accessions whose `collected_on` is on this day or later.
            collected_on_to (str, optional): Only accessions whose `collected_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accessions": records}}
        """
        if crop_id is not None and crop_id not in self.crops:
            return _refused(f"There is no crop {crop_id!r}.")
        if parent_id is not None and parent_id not in self.accessions:
            return _refused(f"There is no accession {parent_id!r}.")
        found = [
            accession
            for accession in self.accessions.values()
            if (code is None or code.casefold() in accession["code"].casefold())
            and (crop_id is None or accession["crop_id"] == crop_id)
            and (parent_id is None or accession["parent_id"] == parent_id)
            and (status is None or accession["status"] == status)
            and (collected_on_from is None or accession["collected_on"] >= collected_on_from)
            and (collected_on_to is None or accession["collected_on"] <= collected_on_to)
        ]
        shown = [self._show_accession(accession) for accession in _page(found, offset)]
        return _found({"total": len(found), "accessions": shown}, self._names_of_accessions(shown))

    def list_packets(
        self,
        accession_id: str | None = None,
        vault_id: str | None = None,
        kind: Literal["base", "active", "safety"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the packets, oldest first, all of them or only some.

        Args:
            accession_id (str, optional): Only packets of this accession.
            vault_id (str, optional): Only packets of this vault.
            kind (str, optional): Only packets with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "packets": records}}
        """
        if accession_id is not None and accession_id not in self.accessions:
            return _refused(f"There is no accession {accession_id!r}.")
        if vault_id is not None and vault_id not in self.vaults:
            return _refused(f"There is no vault {vault_id!r}.")
        found = [
            packet
            for packet in self.packets.values()
            if (accession_id is None or packet["accession_id"] == accession_id)
            and (vault_id is None or packet["vault_id"] == vault_id)
            and (kind is None or packet["kind"] == kind)
        ]
        shown = [{**packet} for packet in _page(found, offset)]
        return _found({"total": len(found), "packets": shown}, self._names_of_packets(shown))

    def list_germination_tests(
        self,
        accession_id: str | None = None,
        status: Literal["running", "read"] | None = None,
        started_on_from: Date | None = None,
        started_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the germination tests, oldest first, all of them or only some.

        Args:
            accession_id (str, optional): Only germination tests of this accession.
            status (str, optional): Only germination tests with this status.
            started_on_from (str, optional): Only germination tests whose `started_on` is on this day or later.
            started_on_to (str, optional): Only germination tests whose `started_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "germination_tests": records}}
        """
        if accession_id is not None and accession_id not in self.accessions:
            return _refused(f"There is no accession {accession_id!r}.")
        found = [
            germination_test
            for germination_test in self.germination_tests.values()
            if (accession_id is None or germination_test["accession_id"] == accession_id)
            and (status is None or germination_test["status"] == status)
            and (started_on_from is None or germination_test["started_on"] >= started_on_from)
            and (started_on_to is None or germination_test["started_on"] <= started_on_to)
        ]
        shown = [{**germination_test} for germination_test in _page(found, offset)]
        return _found({"total": len(found), "germination_tests": shown}, self._names_of_germination_tests(shown))

    def list_regenerations(
        self,
        accession_id: str | None = None,
        status: Literal["growing", "harvested", "failed"] | None = None,
        begun_on_from: Date | None = None,
        begun_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the regenerations, oldest first, all of them or only some.

        Args:
            accession_id (str, optional): Only regenerations of this accession.
            status (str, optional): Only regenerations with this status.
            begun_on_from (str, optional): Only regenerations whose `begun_on` is on this day or later.
            begun_on_to (str, optional): Only regenerations whose `begun_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "regenerations": records}}
        """
        if accession_id is not None and accession_id not in self.accessions:
            return _refused(f"There is no accession {accession_id!r}.")
        found = [
            regeneration
            for regeneration in self.regenerations.values()
            if (accession_id is None or regeneration["accession_id"] == accession_id)
            and (status is None or regeneration["status"] == status)
            and (begun_on_from is None or regeneration["begun_on"] >= begun_on_from)
            and (begun_on_to is None or regeneration["begun_on"] <= begun_on_to)
        ]
        shown = [{**regeneration} for regeneration in _page(found, offset)]
        return _found({"total": len(found), "regenerations": shown}, self._names_of_regenerations(shown))

    def list_seed_requests(
        self,
        accession_id: str | None = None,
        purpose: Literal["breeding", "research", "exhibition"] | None = None,
        agreement: bool | None = None,
        status: Literal["open", "sent", "refused"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the seed requests, oldest first, all of them or only some.

        Args:
            accession_id (str, optional): Only seed requests of this accession.
            purpose (str, optional): Only seed requests with this purpose.
            agreement (bool, optional): Only seed requests with this value of `agreement`.
            status (str, optional): Only seed requests with this status.
            asked_on_from (str, optional): Only seed requests whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only seed requests whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seed_requests": records}}
        """
        if accession_id is not None and accession_id not in self.accessions:
            return _refused(f"There is no accession {accession_id!r}.")
        found = [
            seed_request
            for seed_request in self.seed_requests.values()
            if (accession_id is None or seed_request["accession_id"] == accession_id)
            and (purpose is None or seed_request["purpose"] == purpose)
            and (agreement is None or seed_request["agreement"] == agreement)
            and (status is None or seed_request["status"] == status)
            and (asked_on_from is None or seed_request["asked_on"] >= asked_on_from)
            and (asked_on_to is None or seed_request["asked_on"] <= asked_on_to)
        ]
        shown = [{**seed_request} for seed_request in _page(found, offset)]
        return _found({"total": len(found), "seed_requests": shown}, self._names_of_seed_requests(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_accession(self, code: Text, crop_id: str, origin: Text, donor: Text, collected_on: Date) -> Result:
        """Register a newly collected accession.

        Args:
            code (str): Code of the new accession, not in use yet.
            crop_id (str): Id of the crop, such as CROP-00001.
            origin (str): Place where the seeds come from.
            donor (str): Who gave the seeds.
            collected_on (str): Day on which they were collected, not after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crop = self.crops.get(crop_id)
        if crop is None:
            return _refused(f"There is no crop {crop_id!r}.")
        if self._accessions_by_code.get(code, {}):
            return _refused(f"There is an accession {code} already.")
        if collected_on > self.now[:10]:
            return _refused(f"{collected_on} has not come yet.")
        self._journal = []
        accession: Accession = {
            "id": self._new_id("accession", "ACCESSION", self.accessions),
            "code": code,
            "crop_id": crop_id,
            "origin": origin,
            "donor": donor,
            "collected_on": collected_on,
            "parent_id": None,
            "status": "stored",
        }
        self._add("accessions", accession)
        if len(self._accessions_by_code.get(accession["code"], {})) > 1:
            return self._take_back(f"There is already an accession with the code {accession['code']!r}.")
        if self._breaks_rule_8(accession):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(accession):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: register {code}, {crop['name']} from {origin} (new: accession {accession['id']}).",
            "data": {"accession_id": accession["id"], **self._changes()},
        }

    def store_packet(
        self,
        accession_id: str,
        vault_id: str,
        kind: Literal["base", "active"],
        seeds: Annotated[int, {"minimum": 10, "maximum": 20000}],
    ) -> Result:
        """Store seeds of an accession that have come in, in a new packet of the base or the active collection.

        Args:
            accession_id (str): Id of the accession, such as ACCESSION-00001.
            vault_id (str): Id of the vault, such as VAULT-00001.
            kind (str): Collection for the packet, base for keeping and active for tests and requests: base or
                active.
            seeds (int): Number of seeds in the packet, from 10 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        accession = self.accessions.get(accession_id)
        if accession is None:
            return _refused(f"There is no accession {accession_id!r}.")
        vault = self.vaults.get(vault_id)
        if vault is None:
            return _refused(f"There is no vault {vault_id!r}.")
        if accession["status"] != "stored":
            return _refused(f"{accession['code']} is {accession['status']}.")
        if self._vault_room(vault) <= 0:
            return _refused(f"{vault['name']} is full with {self._vault_packets(vault)} packets.")
        if self._packets_by_accession_vault_kind.get((accession_id, vault_id, kind), {}):
            return _refused(f"{vault['name']} has a {kind} packet of {accession['code']} already.")
        if kind == "active" and self._packet_of(accession, "active") is not None:
            return _refused(f"{accession['code']} has an active packet, so refill that one from the base.")
        if not (
            kind != "base"
            or not any(
                self.vaults[p["vault_id"]]["site"] == vault["site"]
                for p in self._packets_by_accession_kind.get((accession_id, "safety"), {}).values()
            )
        ):
            return _refused(f"The safety duplicate of {accession['code']} lies at {vault['site']}.")
        self._journal = []
        packet: Packet = {
            "id": self._new_id("packet", "PACKET", self.packets),
            "accession_id": accession_id,
            "vault_id": vault_id,
            "kind": kind,
            "seeds": seeds,
        }
        self._add("packets", packet)
        if self._breaks_rule_1(self.vaults[packet["vault_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_p(packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_p_again(packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(packet):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(packet):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: store {seeds} seeds of {accession['code']} in {vault['name']} (new: packet {packet['id']})."
            ),
            "data": {"packet_id": packet["id"], **self._changes()},
        }

    def duplicate_packet(
        self,
        packet_id: str,
        vault_id: str,
        seeds: Annotated[int, {"minimum": 10, "maximum": 10000}],
    ) -> Result:
        """Send part of a base packet to a vault at another site as a safety duplicate.

        Args:
            packet_id (str): Id of the packet, such as PACKET-00001.
            vault_id (str): Id of the vault, such as VAULT-00001.
            seeds (int): Number of seeds taken out of the base packet, from 10 to 10000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        packet = self.packets.get(packet_id)
        if packet is None:
            return _refused(f"There is no packet {packet_id!r}.")
        vault = self.vaults.get(vault_id)
        if vault is None:
            return _refused(f"There is no vault {vault_id!r}.")
        if packet["kind"] != "base":
            return _refused("Duplicates are made from base packets.")
        if vault["site"] == self.vaults[packet["vault_id"]]["site"]:
            return _refused(f"{vault['name']} is at {vault['site']} too, where the base packet lies.")
        if any(
            self.vaults[p["vault_id"]]["site"] == vault["site"]
            for p in self._packets_by_accession_kind.get((packet["accession_id"], "base"), {}).values()
        ):
            return _refused(
                f"Another base packet of {self.accessions[packet['accession_id']]['code']} lies at {vault['site']}."
            )
        if self._vault_room(vault) <= 0:
            return _refused(f"{vault['name']} is full with {self._vault_packets(vault)} packets.")
        if self._packets_by_accession_vault_kind.get((packet["accession_id"], vault_id, "safety"), {}):
            return _refused(
                f"{vault['name']} has a duplicate of {self.accessions[packet['accession_id']]['code']} already."
            )
        if seeds > packet["seeds"]:
            return _refused(f"The packet has {packet['seeds']} seeds, not {seeds}.")
        done = f"send {seeds} seeds of {self.accessions[packet['accession_id']]['code']} to {vault['name']} as a safety duplicate"
        self._journal = []
        new_seeds = packet["seeds"] - seeds
        if not 0 <= new_seeds <= 20000:
            return self._take_back(f"The seeds of {packet['id']} must be between 0 and 20000.")
        self._put("packets", packet, "seeds", new_seeds)
        new_packet: Packet = {
            "id": self._new_id("packet", "PACKET", self.packets),
            "accession_id": packet["accession_id"],
            "vault_id": vault_id,
            "kind": "safety",
            "seeds": seeds,
        }
        self._add("packets", new_packet)
        if self._breaks_rule_1(self.vaults[new_packet["vault_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_p(new_packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_p_again(new_packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(new_packet):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(new_packet):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: {done} (new: packet {new_packet['id']}).",
            "data": {"packet_id": new_packet["id"], **self._changes()},
        }

    def move_packet(self, packet_id: str, vault_id: str) -> Result:
        """Move a packet to another vault.

        Args:
            packet_id (str): Id of the packet, such as PACKET-00001.
            vault_id (str): Id of the vault, such as VAULT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        packet = self.packets.get(packet_id)
        if packet is None:
            return _refused(f"There is no packet {packet_id!r}.")
        vault = self.vaults.get(vault_id)
        if vault is None:
            return _refused(f"There is no vault {vault_id!r}.")
        if vault_id == packet["vault_id"]:
            return _refused(f"The packet lies in {vault['name']} already.")
        if self._vault_room(vault) <= 0:
            return _refused(f"{vault['name']} is full with {self._vault_packets(vault)} packets.")
        if self._packets_by_accession_vault_kind.get((packet["accession_id"], vault_id, packet["kind"]), {}):
            return _refused(
                f"{vault['name']} has a {packet['kind']} packet of "
                f"{self.accessions[packet['accession_id']]['code']} already."
            )
        if not (
            packet["kind"] != "safety"
            or not any(
                self.vaults[p["vault_id"]]["site"] == vault["site"]
                for p in self._packets_by_accession_kind.get((packet["accession_id"], "base"), {}).values()
            )
        ):
            return _refused(
                f"A base packet of {self.accessions[packet['accession_id']]['code']} lies at {vault['site']}, "
                "where the duplicate must not be."
            )
        if not (
            packet["kind"] != "base"
            or not any(
                self.vaults[p["vault_id"]]["site"] == vault["site"]
                for p in self._packets_by_accession_kind.get((packet["accession_id"], "safety"), {}).values()
            )
        ):
            return _refused(
                f"The safety duplicate of {self.accessions[packet['accession_id']]['code']} lies at {vault['site']}."
            )
        self._journal = []
        former_vault_id = packet["vault_id"]
        self._put("packets", packet, "vault_id", vault_id)
        if self._breaks_rule_1(self.vaults[packet["vault_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.vaults[former_vault_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_p(packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(packet):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(packet):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: move the {packet['kind']} packet of {self.accessions[packet['accession_id']]['code']} to "
                f"{vault['name']}."
            ),
            "data": self._changes(),
        }

    def refill_active(
        self,
        base_id: str,
        active_id: str,
        seeds: Annotated[int, {"minimum": 1, "maximum": 10000}],
    ) -> Result:
        """Move seeds from a base packet to the active packet of the same accession.

        Args:
            base_id (str): Base packet that gives seeds; an id such as PACKET-00001.
            active_id (str): Active packet of the same accession that gets them; an id such as PACKET-00001.
            seeds (int): Number of seeds to move, from 1 to 10000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        base = self.packets.get(base_id)
        if base is None:
            return _refused(f"There is no packet {base_id!r}.")
        active = self.packets.get(active_id)
        if active is None:
            return _refused(f"There is no packet {active_id!r}.")
        if base["kind"] != "base" or active["kind"] != "active":
            return _refused("Seeds go from a base packet to an active one.")
        if base["accession_id"] != active["accession_id"]:
            return _refused("The packets belong to different accessions.")
        if seeds > base["seeds"]:
            return _refused(f"The base packet has {base['seeds']} seeds, not {seeds}.")
        self._journal = []
        new_seeds = base["seeds"] - seeds
        if not 0 <= new_seeds <= 20000:
            return self._take_back(f"The seeds of {base['id']} must be between 0 and 20000.")
        self._put("packets", base, "seeds", new_seeds)
        new_seeds_2 = active["seeds"] + seeds
        if not 0 <= new_seeds_2 <= 20000:
            return self._take_back(f"The seeds of {active['id']} must be between 0 and 20000.")
        self._put("packets", active, "seeds", new_seeds_2)
        return {
            "success": True,
            "message": (
                f"Done: move {seeds} seeds of {self.accessions[base['accession_id']]['code']} to the active "
                "collection."
            ),
            "data": self._changes(),
        }

    def start_test(self, accession_id: str, sown: Annotated[int, {"minimum": 10, "maximum": 200}]) -> Result:
        """Sow seeds of the active packet of an accession for a germination test.

        Args:
            accession_id (str): Id of the accession, such as ACCESSION-00001.
            sown (int): Number of seeds sown, out of the active packet, from 10 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        accession = self.accessions.get(accession_id)
        if accession is None:
            return _refused(f"There is no accession {accession_id!r}.")
        if accession["status"] not in ("stored", "due"):
            return _refused(f"{accession['code']} is {accession['status']}.")
        if self._running_test(accession) is not None:
            return _refused(f"A test of {accession['code']} is running.")
        packet = self._packet_of(accession, "active")
        if packet is None:
            return _refused(f"{accession['code']} has no active packet.")
        if packet["seeds"] < sown:
            return _refused(f"The active packet has {packet['seeds']} seeds, not {sown}.")
        self._journal = []
        seeds = packet["seeds"] - sown
        if not 0 <= seeds <= 20000:
            return self._take_back(f"The seeds of {packet['id']} must be between 0 and 20000.")
        self._put("packets", packet, "seeds", seeds)
        germination_test: GerminationTest = {
            "id": self._new_id("germination_test", "GT", self.germination_tests),
            "accession_id": accession_id,
            "sown": sown,
            "germinated": None,
            "started_on": self.now[:10],
            "read_on": None,
            "status": "running",
        }
        self._add("germination_tests", germination_test)
        if self._breaks_rule_4(germination_test):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(germination_test):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(germination_test):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: sow {sown} seeds of {accession['code']} for a test (new: germination test "
                f"{germination_test['id']})."
            ),
            "data": {"germination_test_id": germination_test["id"], **self._changes()},
        }

    def read_test(self, test_id: str, germinated: Annotated[int, {"minimum": 0, "maximum": 200}]) -> Result:
        """Record how many seeds of a running test germinated; below the least percentage of the crop the accession is
        due for regeneration, and one that was due but does well is stored again.

        Args:
            test_id (str): Germination test that is read; an id such as GT-00001.
            germinated (int): Number of seeds that germinated, at most those sown, from 0 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        test = self.germination_tests.get(test_id)
        if test is None:
            return _refused(f"There is no germination test {test_id!r}.")
        if test["status"] != "running":
            return _refused("That test is read.")
        if germinated > test["sown"]:
            return _refused(f"Only {test['sown']} seeds were sown.")
        self._journal = []
        changed_accessions: list[Any] = []
        a = self.accessions[test["accession_id"]]
        weak = self._too_weak(germinated, test["sown"], self.crops[a["crop_id"]])
        self._put("germination_tests", test, "germinated", germinated)
        self._put("germination_tests", test, "read_on", self.now[:10])
        self._put("germination_tests", test, "status", "read")
        if weak and a["status"] == "stored":
            if a["status"] not in ("stored", "due", "regenerating"):
                return self._take_back(f"Accession {a['code']} cannot go from {a['status']} to due.")
            changed_accessions.append(a)
            self._put("accessions", a, "status", "due")
        if not weak and a["status"] == "due":
            if a["status"] not in ("stored", "due"):
                return self._take_back(f"Accession {a['code']} cannot go from {a['status']} to stored.")
            changed_accessions.append(a)
            self._put("accessions", a, "status", "stored")
        if self._breaks_rule_4(test):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(test):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(test):
            return self._take_back(RULES[5])
        for one_regeneration in _distinct(
            [
                user
                for one in changed_accessions
                for user in self._regenerations_by_accession_status.get((one["id"], "growing"), {}).values()
            ]
        ):
            if self._breaks_rule_7_g_again(one_regeneration):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: record {germinated} germinated seeds of {self.accessions[test['accession_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def start_regeneration(
        self,
        accession_id: str,
        sown: Annotated[int, {"minimum": 10, "maximum": 1000}],
        place: Text,
    ) -> Result:
        """Sow seeds of the base packet of an accession that is due, to grow a new generation.

        Args:
            accession_id (str): Id of the accession, such as ACCESSION-00001.
            sown (int): Number of seeds sown, out of the base packet, from 10 to 1000.
            place (str): Where the new generation is grown.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        accession = self.accessions.get(accession_id)
        if accession is None:
            return _refused(f"There is no accession {accession_id!r}.")
        if accession["status"] != "due":
            return _refused(f"{accession['code']} is {accession['status']}, not due.")
        if self._accession_generation(accession) >= 3:
            return _refused(f"{accession['code']} is a third generation; collect it anew.")
        if self._running_test(accession) is not None:
            return _refused(f"A test of {accession['code']} is running, so wait for it.")
        packet = self._packet_of(accession, "base")
        if packet is None:
            return _refused(f"{accession['code']} has no base packet.")
        if packet["seeds"] < sown:
            return _refused(f"The base packet has {packet['seeds']} seeds, not {sown}.")
        self._journal = []
        seeds = packet["seeds"] - sown
        if not 0 <= seeds <= 20000:
            return self._take_back(f"The seeds of {packet['id']} must be between 0 and 20000.")
        self._put("packets", packet, "seeds", seeds)
        regeneration: Regeneration = {
            "id": self._new_id("regeneration", "REGENERATION", self.regenerations),
            "accession_id": accession_id,
            "place": place,
            "sown": sown,
            "begun_on": self.now[:10],
            "status": "growing",
        }
        self._add("regenerations", regeneration)
        self._put("accessions", accession, "status", "regenerating")
        if self._breaks_rule_7_g(regeneration):
            return self._take_back(RULES[6])
        for one_regeneration in _distinct(
            [regeneration, *self._regenerations_by_accession_status.get((accession["id"], "growing"), {}).values()]
        ):
            if self._breaks_rule_7_g_again(one_regeneration):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: sow {sown} seeds of {accession['code']} at {place} (new: regeneration {regeneration['id']})."
            ),
            "data": {"regeneration_id": regeneration["id"], **self._changes()},
        }

    def harvest(
        self,
        regeneration_id: str,
        code: Text,
        seeds: Annotated[int, {"minimum": 10, "maximum": 20000}],
        vault_id: str,
    ) -> Result:
        """Record the harvest of a regeneration as an accession of the next generation, with its first base packet.

        Args:
            regeneration_id (str): Id of the regeneration, such as REGENERATION-00001.
            code (str): Code of the new accession, not in use yet.
            seeds (int): Number of seeds harvested, from 10 to 20000.
            vault_id (str): Id of the vault, such as VAULT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        regeneration = self.regenerations.get(regeneration_id)
        if regeneration is None:
            return _refused(f"There is no regeneration {regeneration_id!r}.")
        vault = self.vaults.get(vault_id)
        if vault is None:
            return _refused(f"There is no vault {vault_id!r}.")
        if regeneration["status"] != "growing":
            return _refused(f"That regeneration is {regeneration['status']}.")
        if self._accessions_by_code.get(code, {}):
            return _refused(f"There is an accession {code} already.")
        if self._vault_room(vault) <= 0:
            return _refused(f"{vault['name']} is full with {self._vault_packets(vault)} packets.")
        done = f"harvest {self.accessions[regeneration['accession_id']]['code']} as {code}"
        self._journal = []
        old = self.accessions[regeneration["accession_id"]]
        young: Accession = {
            "id": self._new_id("accession", "ACCESSION", self.accessions),
            "code": code,
            "crop_id": old["crop_id"],
            "origin": old["origin"],
            "donor": old["donor"],
            "collected_on": self.now[:10],
            "parent_id": old["id"],
            "status": "stored",
        }
        self._add("accessions", young)
        packet: Packet = {
            "id": self._new_id("packet", "PACKET", self.packets),
            "accession_id": young["id"],
            "vault_id": vault_id,
            "kind": "base",
            "seeds": seeds,
        }
        self._add("packets", packet)
        self._put("regenerations", regeneration, "status", "harvested")
        if old["status"] not in ("regenerating", "replaced"):
            return self._take_back(f"Accession {old['code']} cannot go from {old['status']} to replaced.")
        self._put("accessions", old, "status", "replaced")
        if len(self._accessions_by_code.get(young["code"], {})) > 1:
            return self._take_back(f"There is already an accession with the code {young['code']!r}.")
        if self._breaks_rule_1(self.vaults[packet["vault_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_p(packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_p_again(packet):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(packet):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(packet):
            return self._take_back(RULES[2])
        if self._breaks_rule_7_g(regeneration):
            return self._take_back(RULES[6])
        for one_regeneration in _distinct(
            [regeneration, *self._regenerations_by_accession_status.get((old["id"], "growing"), {}).values()]
        ):
            if self._breaks_rule_7_g_again(one_regeneration):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(young):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(young):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: {done} (new: accession {young['id']}, packet {packet['id']}).",
            "data": {"accession_id": young["id"], "packet_id": packet["id"], **self._changes()},
        }

    def fail_regeneration(self, regeneration_id: str) -> Result:
        """Record that a regeneration failed; the accession is due again.

        Args:
            regeneration_id (str): Id of the regeneration, such as REGENERATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        regeneration = self.regenerations.get(regeneration_id)
        if regeneration is None:
            return _refused(f"There is no regeneration {regeneration_id!r}.")
        if regeneration["status"] != "growing":
            return _refused(f"That regeneration is {regeneration['status']}.")
        self._journal = []
        self._put("regenerations", regeneration, "status", "failed")
        accession = self.accessions[regeneration["accession_id"]]
        if accession["status"] not in ("stored", "due", "regenerating"):
            return self._take_back(f"Accession {accession['code']} cannot go from {accession['status']} to due.")
        self._put("accessions", accession, "status", "due")
        if self._breaks_rule_7_g(regeneration):
            return self._take_back(RULES[6])
        for one_regeneration in _distinct(
            [regeneration, *self._regenerations_by_accession_status.get((accession["id"], "growing"), {}).values()]
        ):
            if self._breaks_rule_7_g_again(one_regeneration):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: record that the regeneration of {self.accessions[regeneration['accession_id']]['code']} "
                "failed."
            ),
            "data": self._changes(),
        }

    def ask_seeds(
        self,
        accession_id: str,
        recipient: Text,
        seeds: Annotated[int, {"minimum": 1, "maximum": 5000}],
        purpose: Literal["breeding", "research", "exhibition"],
        agreement: bool = True,
    ) -> Result:
        """Enter a request for seeds, with or without the recipient's signature under the material transfer agreement.

        Args:
            accession_id (str): Id of the accession, such as ACCESSION-00001.
            recipient (str): Who asks for the seeds.
            seeds (int): Number of seeds asked for, from 1 to 5000.
            purpose (str): What the seeds are for: breeding, research or exhibition.
            agreement (bool): Whether the recipient has signed the material transfer agreement. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        accession = self.accessions.get(accession_id)
        if accession is None:
            return _refused(f"There is no accession {accession_id!r}.")
        if accession["status"] == "replaced":
            return _refused(f"{accession['code']} is replaced by its next generation.")
        self._journal = []
        seed_request: SeedRequest = {
            "id": self._new_id("seed_request", "SR", self.seed_requests),
            "accession_id": accession_id,
            "recipient": recipient,
            "seeds": seeds,
            "purpose": purpose,
            "asked_on": self.now[:10],
            "agreement": agreement,
            "refused_for": None,
            "status": "open",
        }
        self._add("seed_requests", seed_request)
        if self._breaks_rule_10(seed_request):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: enter the request of {recipient} for {seeds} seeds of {accession['code']} (new: seed "
                f"request {seed_request['id']})."
            ),
            "data": {"seed_request_id": seed_request["id"], **self._changes()},
        }

    def send_seeds(self, request_id: str, signed_now: bool = False) -> Result:
        """Send the seeds of a request out of the active packet, which keeps the least stock of the crop; nothing
        leaves before the recipient has signed the material transfer agreement, which may have come in just now.

        Args:
            request_id (str): Open request whose seeds are sent; an id such as SR-00001.
            signed_now (bool): Whether the recipient's signature has just come in. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.seed_requests.get(request_id)
        if request is None:
            return _refused(f"There is no seed request {request_id!r}.")
        if request["status"] != "open":
            return _refused(f"That request is {request['status']}.")
        a = self.accessions[request["accession_id"]]
        if not (request["agreement"] or signed_now):
            return _refused(
                f"{request['recipient']} has not signed the material transfer agreement, and nothing leaves "
                "without it."
            )
        if a["status"] != "stored":
            return _refused(f"{a['code']} is {a['status']}, and only seeds that germinate well are sent.")
        if self._last_test(a) is None:
            return _refused(f"{a['code']} was never tested, and only seeds that germinate well are sent.")
        packet = self._packet_of(a, "active")
        if packet is None:
            return _refused(f"{a['code']} has no active packet.")
        if packet["seeds"] - request["seeds"] < self.crops[a["crop_id"]]["least_stock"]:
            return _refused(
                f"The active packet has {packet['seeds']} seeds and keeps "
                f"{self.crops[a['crop_id']]['least_stock']}, so refill it first."
            )
        self._journal = []
        seeds = packet["seeds"] - request["seeds"]
        if not 0 <= seeds <= 20000:
            return self._take_back(f"The seeds of {packet['id']} must be between 0 and 20000.")
        self._put("packets", packet, "seeds", seeds)
        self._put("seed_requests", request, "agreement", True)
        self._put("seed_requests", request, "status", "sent")
        if self._breaks_rule_10(request):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: send {request['seeds']} seeds of {self.accessions[request['accession_id']]['code']} to "
                f"{request['recipient']}."
            ),
            "data": self._changes(),
        }

    def refuse_request(self, request_id: str, reason: Text) -> Result:
        """Refuse a request for seeds.

        Args:
            request_id (str): Open request that is refused; an id such as SR-00001.
            reason (str): Why it is refused.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.seed_requests.get(request_id)
        if request is None:
            return _refused(f"There is no seed request {request_id!r}.")
        if request["status"] != "open":
            return _refused(f"That request is {request['status']}.")
        self._journal = []
        self._put("seed_requests", request, "refused_for", reason)
        self._put("seed_requests", request, "status", "refused")
        if self._breaks_rule_10(request):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: refuse the request of {request['recipient']} with the reason {reason}.",
            "data": self._changes(),
        }

    def _show_vault(self, vault: Vault) -> dict[str, Any]:
        """The vault as an answer shows it."""
        return {**vault, "packets": self._vault_packets(vault), "room": self._vault_room(vault)}

    def _show_accession(self, accession: Accession) -> dict[str, Any]:
        """The accession as an answer shows it."""
        return {
            **accession,
            "generation": self._accession_generation(accession),
            "active_seeds": self._accession_active_seeds(accession),
            "base_seeds": self._accession_base_seeds(accession),
        }

    def _names_of_accessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that accessions point to."""
        return _names(
            (self.crops, "name", [row["crop_id"] for row in shown]),
            (self.accessions, "code", [row["parent_id"] for row in shown]),
        )

    def _names_of_packets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that packets point to."""
        return _names(
            (self.accessions, "code", [row["accession_id"] for row in shown]),
            (self.vaults, "name", [row["vault_id"] for row in shown]),
        )

    def _names_of_germination_tests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that germination tests point to."""
        return _names((self.accessions, "code", [row["accession_id"] for row in shown]))

    def _names_of_regenerations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that regenerations point to."""
        return _names((self.accessions, "code", [row["accession_id"] for row in shown]))

    def _names_of_seed_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that seed requests point to."""
        return _names((self.accessions, "code", [row["accession_id"] for row in shown]))

    def _vault_packets(self, vault: Vault) -> int:
        """The packets of a vault."""
        return len(self._packets_by_vault.get(vault["id"], {}))

    def _vault_room(self, vault: Vault) -> int:
        """The room of a vault."""
        return vault["capacity"] - self._vault_packets(vault)

    def _accession_generation(self, accession: Accession) -> int:
        """The generation of an accession."""
        return len(_above(self.accessions, accession, "parent_id"))

    def _accession_active_seeds(self, accession: Accession) -> int:
        """The active seeds of an accession."""
        return sum(p["seeds"] for p in self._packets_by_accession_kind.get((accession["id"], "active"), {}).values())

    def _accession_base_seeds(self, accession: Accession) -> int:
        """The base seeds of an accession."""
        return sum(p["seeds"] for p in self._packets_by_accession_kind.get((accession["id"], "base"), {}).values())

    def _running_test(self, a: Accession) -> GerminationTest | None:
        return next(
            (
                t
                for t in sorted(
                    self._germination_tests_by_accession_status.get((a["id"], "running"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _last_test(self, a: Accession) -> GerminationTest | None:
        return min(
            (t for t in self._germination_tests_by_accession.get(a["id"], {}).values() if t["read_on"] is not None),
            key=lambda t: (_descending(t["read_on"]), _descending(t["id"]), _age(t)),
            default=None,
        )

    def _packet_of(self, a: Accession, kind: str) -> Packet | None:
        return next(
            (p for p in sorted(self._packets_by_accession_kind.get((a["id"], kind), {}).values(), key=_age)),
            None,
        )

    def _too_weak(self, germinated: int, sown: int, c: Crop) -> bool:
        return germinated * 100 < c["least_percent"] * sown

    def _can_spare(self, a: Accession, seeds: int) -> bool:
        return self._accession_active_seeds(a) - seeds >= self.crops[a["crop_id"]]["least_stock"]

    def _test_due(self, a: Accession, d: str) -> bool:
        return (
            self._last_test(a) is None
            or _add_months(self._last_test(a)["started_on"], 12 * self.crops[a["crop_id"]]["retest_years"]) < d
        )

    def _breaks_rule_1(self, v: Vault) -> bool:
        """Whether this is broken: a vault holds no more packets than it has room for."""
        return self._vault_packets(v) > v["capacity"]

    def _breaks_rule_2_p(self, p: Packet) -> bool:
        """Whether this is broken: an accession has one packet of a kind in a vault, and one active packet in all."""
        return any(
            other_p is not p
            for other_p in self._packets_by_accession_vault_kind.get(
                (p["accession_id"], p["vault_id"], p["kind"]),
                {},
            ).values()
        )

    def _breaks_rule_2_p_again(self, p: Packet) -> bool:
        """Whether this is broken: an accession has one packet of a kind in a vault, and one active packet in all."""
        return (
            p["kind"] == "active"
            and any(
                other_p is not p
                for other_p in self._packets_by_accession_kind.get((p["accession_id"], "active"), {}).values()
            )
        )

    def _breaks_rule_3_p(self, p: Packet) -> bool:
        """Whether this is broken: safety duplicates lie at another site than the base packets."""
        return (
            p["kind"] == "safety"
            and any(
                self.vaults[p["vault_id"]]["site"] == self.vaults[q["vault_id"]]["site"]
                for q in self._packets_by_accession_kind.get((p["accession_id"], "base"), {}).values()
            )
        )

    def _breaks_rule_3_q(self, q: Packet) -> bool:
        """Whether this is broken: safety duplicates lie at another site than the base packets."""
        return (
            q["kind"] == "base"
            and any(
                self.vaults[p["vault_id"]]["site"] == self.vaults[q["vault_id"]]["site"]
                for p in self._packets_by_accession_kind.get((q["accession_id"], "safety"), {}).values()
            )
        )

    def _breaks_rule_4(self, t: GerminationTest) -> bool:
        """Whether this is broken: no more seeds germinate than were sown."""
        return t["germinated"] is not None and t["germinated"] > t["sown"]

    def _breaks_rule_5(self, t: GerminationTest) -> bool:
        """Whether this is broken: a test has a result and a day of reading once it is read."""
        return (
            (t["status"] == "read") != (t["germinated"] is not None)
            or (t["status"] == "read") != (t["read_on"] is not None)
        )

    def _breaks_rule_6(self, t: GerminationTest) -> bool:
        """Whether this is broken: an accession is in one test at a time."""
        return (
            t["status"] == "running"
            and any(
                other_t is not t
                for other_t in self._germination_tests_by_accession_status.get(
                    (t["accession_id"], "running"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_7_g(self, g: Regeneration) -> bool:
        """Whether this is broken: an accession is in one regeneration at a time, and is marked as such."""
        return (
            g["status"] == "growing"
            and any(
                other_g is not g
                for other_g in self._regenerations_by_accession_status.get(
                    (g["accession_id"], "growing"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_7_g_again(self, g: Regeneration) -> bool:
        """Whether this is broken: an accession is in one regeneration at a time, and is marked as such."""
        return g["status"] == "growing" and self.accessions[g["accession_id"]]["status"] != "regenerating"

    def _breaks_rule_8(self, a: Accession) -> bool:
        """Whether this is broken: a line is not regenerated beyond the third generation."""
        return self._accession_generation(a) > 3

    def _breaks_rule_9(self, a: Accession) -> bool:
        """Whether this is broken: a new generation belongs to the same crop as its parent."""
        return a["parent_id"] is not None and self.accessions[a["parent_id"]]["crop_id"] != a["crop_id"]

    def _breaks_rule_10(self, q: SeedRequest) -> bool:
        """Whether this is broken: a refused request says why, and no other does."""
        return (q["status"] == "refused") != (q["refused_for"] is not None)

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
            case "accessions":
                self._accessions_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._accessions_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "packets":
                self._packets_by_accession_kind.setdefault(
                    (record["accession_id"], record["kind"]),
                    {},
                )[record["id"]] = record
                self._packets_by_accession_vault_kind.setdefault(
                    (record["accession_id"], record["vault_id"], record["kind"]),
                    {},
                )[record["id"]] = record
                self._packets_by_vault.setdefault(record["vault_id"], {})[record["id"]] = record
            case "germination_tests":
                self._germination_tests_by_accession.setdefault(record["accession_id"], {})[record["id"]] = record
                self._germination_tests_by_accession_status.setdefault(
                    (record["accession_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "regenerations":
                self._regenerations_by_accession_status.setdefault(
                    (record["accession_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "accessions":
                del self._accessions_by_code[record["code"]][record["id"]]
                del self._accessions_by_parent[record["parent_id"]][record["id"]]
            case "packets":
                del self._packets_by_accession_kind[record["accession_id"], record["kind"]][record["id"]]
                del self._packets_by_accession_vault_kind[
                    record["accession_id"],
                    record["vault_id"],
                    record["kind"],
                ][record["id"]]
                del self._packets_by_vault[record["vault_id"]][record["id"]]
            case "germination_tests":
                del self._germination_tests_by_accession[record["accession_id"]][record["id"]]
                del self._germination_tests_by_accession_status[record["accession_id"], record["status"]][record["id"]]
            case "regenerations":
                del self._regenerations_by_accession_status[record["accession_id"], record["status"]][record["id"]]
