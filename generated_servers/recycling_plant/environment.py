"""Recycling plant. Compiled from blueprint.yaml; run `envscaler build recycling_plant` after changing it there.

Takes waste streams in, sorts them by percent, presses bales of known contamination into storage bays, blends
them into shipments that meet a buyer's limit and takes rejected loads back.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A bay holds bales of one material.",
    "No bay holds more bales than it has places.",
    "A bale lies in a bay or is on a shipment, unless it was opened.",
    "A shipment carries only the material of its contract.",
    "What is loaded is no dirtier on average than the buyer allows.",
    "No truck carries more than 24 tonnes.",
    "A bunker never holds more than it can.",
    "Waste that is too dirty is not tipped.",
    "Only accepted shipments are paid.",
    "Nothing is left on shipments that were rejected or given up.",
    "A sent shipment weighs two tonnes at least.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "weigh_delivery",
    "admit_delivery",
    "sort_delivery",
    "press_bale",
    "move_bale",
    "open_bale",
    "start_shipment",
    "load_bales",
    "send_shipment",
    "accept_shipment",
    "unload_shipment",
    "remove_residue",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "materials": ("name",),
    "streams": ("name",),
    "deliveries": ("ticket",),
    "bays": ("name",),
    "bales": (),
    "contracts": ("buyer",),
    "shipments": ("waybill",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bales", "bay_id"),
    ("bales", "number"),
    ("bales", "shipment_id"),
    ("deliveries", "status"),
    ("deliveries", "stream_id"),
    ("deliveries", "ticket"),
    ("shipments", "waybill"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Material(TypedDict):
    id: str
    name: str
    loose: int


class Stream(TypedDict):
    id: str
    name: str
    give_ids: list[str]
    bunker: int
    dirt_limit: int
    residue: int


class Delivery(TypedDict):
    id: str
    ticket: str
    supplier: str
    stream_id: str
    kilos: int
    dirt: int
    status: Literal["weighed", "tipped", "turned_away", "sorted"]


class Bay(TypedDict):
    id: str
    name: str
    places: int


class Bale(TypedDict):
    id: str
    number: int
    material_id: str
    kilos: int
    contamination: int
    pressed_on: str
    bay_id: str | None
    shipment_id: str | None
    opened: bool


class Contract(TypedDict):
    id: str
    buyer: str
    material_id: str
    dirt_limit: int
    open_kilos: int
    per_tonne: int


class Shipment(TypedDict):
    id: str
    waybill: str
    contract_id: str
    paid: int
    status: Literal["loading", "sent", "given_up", "accepted", "rejected"]


class SortDeliveryShare(TypedDict):
    material_id: str
    percent: Annotated[int, {"minimum": 1, "maximum": 100}]


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


class RecyclingPlant:
    """Takes waste streams in, sorts them by percent, presses bales of known contamination into storage
    bays, blends them into shipments that meet a buyer's limit and takes rejected loads back.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.materials: dict[str, Material] = _copied(config.get("materials", {}))
        self.streams: dict[str, Stream] = _copied(config.get("streams", {}))
        self.deliveries: dict[str, Delivery] = _copied(config.get("deliveries", {}))
        self.bays: dict[str, Bay] = _copied(config.get("bays", {}))
        self.bales: dict[str, Bale] = _copied(config.get("bales", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.shipments: dict[str, Shipment] = _copied(config.get("shipments", {}))
        self.now: str = config.get("now", "2026-07-22T07:15")
        self.counters: dict[str, int] = {
            "material": len(self.materials),
            "stream": len(self.streams),
            "delivery": len(self.deliveries),
            "bay": len(self.bays),
            "bale": len(self.bales),
            "contract": len(self.contracts),
            "shipment": len(self.shipments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._deliveries_by_stream_status: dict[Any, dict[str, Delivery]] = {}
        self._deliveries_by_ticket: dict[Any, dict[str, Delivery]] = {}
        self._bales_by_bay: dict[Any, dict[str, Bale]] = {}
        self._bales_by_number: dict[Any, dict[str, Bale]] = {}
        self._bales_by_shipment: dict[Any, dict[str, Bale]] = {}
        self._shipments_by_waybill: dict[Any, dict[str, Shipment]] = {}
        for delivery in self.deliveries.values():
            self._link("deliveries", delivery)
        for bale in self.bales.values():
            self._link("bales", bale)
        for shipment in self.shipments.values():
            self._link("shipments", shipment)

    def bales_in_store(
        self,
        material_id: str | None = None,
        dirt_limit: Annotated[int, {"minimum": 0, "maximum": 400}] | None = None,
        bay_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bales in the bays, the cleanest first.

        Args:
            material_id (str, optional): Material of the bales listed; an id such as MATERIAL-00001. If left out,
                bales of all materials are listed.
            dirt_limit (int, optional): Highest contamination of the bales listed in per mille, from 0 to 400. If
                left out, bales are listed however dirty.
            bay_id (str, optional): Bay of the bales listed; an id such as BAY-00001. If left out, the bales of all
                bays are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bales": records}} or {"success": False, "error": why
                not}
        """
        material = self.materials.get(material_id) if material_id is not None else None
        if material_id is not None and material is None:
            return _refused(f"There is no material {material_id!r}.")
        bay = self.bays.get(bay_id) if bay_id is not None else None
        if bay_id is not None and bay is None:
            return _refused(f"There is no bay {bay_id!r}.")
        found = [
            b
            for b in self.bales.values()
            if b["bay_id"] is not None
            and (material_id is None or b["material_id"] == material_id)
            and (dirt_limit is None or b["contamination"] <= dirt_limit)
            and (bay_id is None or b["bay_id"] == bay_id)
        ]
        found.sort(key=lambda b: (b["contamination"], b["number"], _age(b)))
        shown = [
            {
                "id": b["id"],
                "number": b["number"],
                "material": self.materials[b["material_id"]]["name"],
                "kilos": b["kilos"],
                "contamination": b["contamination"],
                "pressed_on": b["pressed_on"],
                "bay_id": b["bay_id"],
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "bales": shown},
            _names((self.bays, "name", [row["bay_id"] for row in shown])),
        )

    def yard(
        self,
        stream_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Deliveries that wait to be tipped or sorted, with the dirt that their stream allows.

        Args:
            stream_id (str, optional): Stream of the deliveries listed; an id such as STREAM-00001. If left out,
                the deliveries of all streams are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deliveries": records}} or {"success": False, "error":
                why not}
        """
        stream = self.streams.get(stream_id) if stream_id is not None else None
        if stream_id is not None and stream is None:
            return _refused(f"There is no stream {stream_id!r}.")
        found = [
            d
            for d in self.deliveries.values()
            if d["status"] in ("weighed", "tipped")
            and (stream_id is None or d["stream_id"] == stream_id)
        ]
        found.sort(key=lambda d: (d["ticket"], _age(d)))
        return _found(
            {
                "total": len(found),
                "deliveries": [
                    {
                        "id": d["id"],
                        "ticket": d["ticket"],
                        "stream": self.streams[d["stream_id"]]["name"],
                        "kilos": d["kilos"],
                        "dirt": d["dirt"],
                        "dirt_limit": self.streams[d["stream_id"]]["dirt_limit"],
                        "bunker_left": self.streams[d["stream_id"]]["bunker"] - self._stream_tipped(
                            self.streams[d["stream_id"]]
                        ),
                        "status": d["status"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def blend(self, shipment_id: str, bale_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """What a shipment would weigh and how dirty it would be on average with some more bales.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            bale_ids (list): Bales that would be added to the shipment, an empty list for none: ids of bales, such
                as BALE-00001.

        Returns:
            dict: {"success": True, "data": {kilos, contamination, allowed}} or {"success": False, "error": why
                not}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        bales = []
        for key in bale_ids:
            if key not in self.bales:
                return _refused(f"There is no bale {key!r}.")
            bales.append(self.bales[key])
        if not _different([b["id"] for b in bales]):
            return _refused("A bale is named twice.")
        return _found(
            {
                "kilos": self._shipment_kilos(shipment) + sum(b["kilos"] for b in bales),
                "contamination": self._mixed(shipment, bales),
                "allowed": self.contracts[shipment["contract_id"]]["dirt_limit"],
            }
        )

    def list_materials(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the materials, oldest first, all of them or only some.

        Args:
            name (str, optional): Only materials whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "materials": records}}
        """
        found = [
            material
            for material in self.materials.values()
            if (name is None or name.casefold() in material["name"].casefold())
        ]
        return _found({"total": len(found), "materials": [{**material} for material in _page(found, offset)]})

    def list_streams(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the streams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only streams whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "streams": records}}
        """
        found = [
            stream
            for stream in self.streams.values()
            if (name is None or name.casefold() in stream["name"].casefold())
        ]
        shown = [self._show_stream(stream) for stream in _page(found, offset)]
        return _found({"total": len(found), "streams": shown}, self._names_of_streams(shown))

    def list_deliveries(
        self,
        ticket: Text | None = None,
        stream_id: str | None = None,
        status: Literal["weighed", "tipped", "turned_away", "sorted"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deliveries, oldest first, all of them or only some.

        Args:
            ticket (str, optional): Only deliveries whose ticket contains this text.
            stream_id (str, optional): Only deliveries of this stream.
            status (str, optional): Only deliveries with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deliveries": records}}
        """
        if stream_id is not None and stream_id not in self.streams:
            return _refused(f"There is no stream {stream_id!r}.")
        found = [
            delivery
            for delivery in self.deliveries.values()
            if (ticket is None or ticket.casefold() in delivery["ticket"].casefold())
            and (stream_id is None or delivery["stream_id"] == stream_id)
            and (status is None or delivery["status"] == status)
        ]
        shown = [{**delivery} for delivery in _page(found, offset)]
        return _found({"total": len(found), "deliveries": shown}, self._names_of_deliveries(shown))

    def list_bays(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bays, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bays whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bays": records}}
        """
        found = [bay for bay in self.bays.values() if (name is None or name.casefold() in bay["name"].casefold())]
        return _found({"total": len(found), "bays": [self._show_bay(bay) for bay in _page(found, offset)]})

    def list_bales(
        self,
        material_id: str | None = None,
        bay_id: str | None = None,
        shipment_id: str | None = None,
        opened: bool | None = None,
        pressed_on_from: Date | None = None,
        pressed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bales, oldest first, all of them or only some.

        Args:
            material_id (str, optional): Only bales of this material.
            bay_id (str, optional): Only bales of this bay.
            shipment_id (str, optional): Only bales of this shipment.
            opened (bool, optional): Only bales that are opened (true) or not (false).
            pressed_on_from (str, optional): Only bales whose `pressed_on` is on this day or later.
            pressed_on_to (str, optional): Only bales whose `pressed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bales": records}}
        """
        if material_id is not None and material_id not in self.materials:
            return _refused(f"There is no material {material_id!r}.")
        if bay_id is not None and bay_id not in self.bays:
            return _refused(f"There is no bay {bay_id!r}.")
        if shipment_id is not None and shipment_id not in self.shipments:
            return _refused(f"There is no shipment {shipment_id!r}.")
        found = [
            bale
            for bale in self.bales.values()
            if (material_id is None or bale["material_id"] == material_id)
            and (bay_id is None or bale["bay_id"] == bay_id)
            and (shipment_id is None or bale["shipment_id"] == shipment_id)
            and (opened is None or bale["opened"] == opened)
            and (pressed_on_from is None or bale["pressed_on"] >= pressed_on_from)
            and (pressed_on_to is None or bale["pressed_on"] <= pressed_on_to)
        ]
        shown = [{**bale} for bale in _page(found, offset)]
        return _found({"total": len(found), "bales": shown}, self._names_of_bales(shown))

    def list_contracts(
        self,
        buyer: Text | None = None,
        material_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            buyer (str, optional): Only contracts whose buyer contains this text.
            material_id (str, optional): Only contracts of this material.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        if material_id is not None and material_id not in self.materials:
            return _refused(f"There is no material {material_id!r}.")
        found = [
            contract
            for contract in self.contracts.values()
            if (buyer is None or buyer.casefold() in contract["buyer"].casefold())
            and (material_id is None or contract["material_id"] == material_id)
        ]
        shown = [{**contract} for contract in _page(found, offset)]
        return _found({"total": len(found), "contracts": shown}, self._names_of_contracts(shown))

    def list_shipments(
        self,
        waybill: Text | None = None,
        contract_id: str | None = None,
        status: Literal["loading", "sent", "given_up", "accepted", "rejected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shipments, oldest first, all of them or only some.

        Args:
            waybill (str, optional): Only shipments whose waybill contains this text.
            contract_id (str, optional): Only shipments of this contract.
            status (str, optional): Only shipments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shipments": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        found = [
            shipment
            for shipment in self.shipments.values()
            if (waybill is None or waybill.casefold() in shipment["waybill"].casefold())
            and (contract_id is None or shipment["contract_id"] == contract_id)
            and (status is None or shipment["status"] == status)
        ]
        shown = [self._show_shipment(shipment) for shipment in _page(found, offset)]
        return _found({"total": len(found), "shipments": shown}, self._names_of_shipments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def weigh_delivery(
        self,
        ticket: Text,
        supplier: Text,
        stream_id: str,
        kilos: Annotated[int, {"minimum": 100, "maximum": 40000}],
        dirt: Annotated[int, {"minimum": 0, "maximum": 100}],
    ) -> Result:
        """Weigh a delivery in, with the share of dirt that the inspector sees, in percent.

        Args:
            ticket (str): Number of the weighing ticket, not in use yet.
            supplier (str): Name of the company that delivers.
            stream_id (str): Id of the stream, such as STREAM-00001.
            kilos (int): Weight of the delivery in kilograms, from 100 to 40000.
            dirt (int): Share of dirt that the inspector sees in percent, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stream = self.streams.get(stream_id)
        if stream is None:
            return _refused(f"There is no stream {stream_id!r}.")
        if self._deliveries_by_ticket.get(ticket, {}):
            return _refused(f"There is a ticket {ticket}.")
        self._journal = []
        delivery: Delivery = {
            "id": self._new_id("delivery", "DELIVERY", self.deliveries),
            "ticket": ticket,
            "supplier": supplier,
            "stream_id": stream_id,
            "kilos": kilos,
            "dirt": dirt,
            "status": "weighed",
        }
        self._add("deliveries", delivery)
        if len(self._deliveries_by_ticket.get(delivery["ticket"], {})) > 1:
            return self._take_back(f"There is already a delivery with the ticket {delivery['ticket']!r}.")
        if self._breaks_rule_7(self.streams[delivery["stream_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(delivery):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: weigh in {kilos} kg from {supplier} with ticket {ticket} (new: delivery {delivery['id']})."
            ),
            "data": {"delivery_id": delivery["id"], **self._changes()},
        }

    def admit_delivery(self, delivery_id: str, tipped: bool) -> Result:
        """Tip a weighed delivery into the bunker of its stream, or turn it away.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.
            tipped (bool): Whether the delivery is tipped into the bunker rather than turned away.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        if delivery["status"] != "weighed":
            return _refused(f"The delivery is {delivery['status']}.")
        if tipped and delivery["dirt"] > self.streams[delivery["stream_id"]]["dirt_limit"]:
            return _refused(
                f"{delivery['dirt']} percent of dirt are more than the "
                f"{self.streams[delivery['stream_id']]['dirt_limit']} that "
                f"{self.streams[delivery['stream_id']]['name']} allows; turn it away."
            )
        if (
            tipped
            and self._stream_tipped(
                self.streams[delivery["stream_id"]]
            ) + delivery["kilos"] > self.streams[delivery["stream_id"]]["bunker"]
        ):
            return _refused(
                f"The bunker holds {self.streams[delivery['stream_id']]['bunker']} kg and has "
                f"{self._stream_tipped(self.streams[delivery['stream_id']])}; sort something first."
            )
        self._journal = []
        changed_deliveries: list[Any] = []
        if tipped:
            changed_deliveries.append(delivery)
            self._put("deliveries", delivery, "status", "tipped")
        else:
            if delivery["status"] not in ("weighed", "turned_away"):
                return self._take_back(
                    f"Delivery {delivery['ticket']} cannot go from {delivery['status']} to turned_away."
                )
            changed_deliveries.append(delivery)
            self._put("deliveries", delivery, "status", "turned_away")
        for one_stream in _distinct([self.streams[one["stream_id"]] for one in changed_deliveries]):
            if self._breaks_rule_7(one_stream):
                return self._take_back(RULES[6])
        for one_delivery in _distinct(changed_deliveries):
            if self._breaks_rule_8(one_delivery):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: decide about delivery {delivery['ticket']}.",
            "data": self._changes(),
        }

    def sort_delivery(self, delivery_id: str, shares: Annotated[list[SortDeliveryShare], {"maxItems": 20}]) -> Result:
        """Sort a tipped delivery; each material gets a share of the weight in percent, and the rest is residue.

        Args:
            delivery_id (str): Id of the delivery, such as DELIVERY-00001.
            shares (list): One entry for each material found, the rest being residue: material_id: material that
                the stream gives; an id such as MATERIAL-00001; percent: its share of the whole delivery in
                percent, from 1 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delivery = self.deliveries.get(delivery_id)
        if delivery is None:
            return _refused(f"There is no delivery {delivery_id!r}.")
        entries, shares = shares, []
        for entry in entries:
            if entry["material_id"] not in self.materials:
                return _refused(f"There is no material {entry['material_id']!r}.")
            shares.append({"material": self.materials[entry["material_id"]], "percent": entry["percent"]})
        if delivery["status"] != "tipped":
            return _refused(f"The delivery is {delivery['status']}.")
        if not (len(shares) > 0 and _different([x["material"]["id"] for x in shares])):
            return _refused("Name each material once, and one at least.")
        odd = next(
            (x for x in shares if x["material"]["id"] not in self.streams[delivery["stream_id"]]["give_ids"]),
            None,
        )
        if odd is not None:
            return _refused(f"{self.streams[delivery['stream_id']]['name']} gives no {odd['material']['name']}.")
        if sum(x["percent"] for x in shares) > 100 - delivery["dirt"]:
            return _refused(
                f"The delivery holds {delivery['dirt']} percent of dirt, so the shares come to "
                f"{100 - delivery['dirt']} percent at most."
            )
        self._journal = []
        sorted_out = sum(delivery["kilos"] * x["percent"] // 100 for x in shares)
        for x in sorted(shares, key=lambda x: (x["material"]["name"],)):
            material = x["material"]
            loose = x["material"]["loose"] + delivery["kilos"] * x["percent"] // 100
            if not 0 <= loose <= 400000:
                return self._take_back(f"The loose of {material['name']} must be between 0 and 400000.")
            self._put("materials", material, "loose", loose)
        stream = self.streams[delivery["stream_id"]]
        residue = self.streams[delivery["stream_id"]]["residue"] + delivery["kilos"] - sorted_out
        if not 0 <= residue <= 400000:
            return self._take_back(f"The residue of {stream['name']} must be between 0 and 400000.")
        self._put("streams", stream, "residue", residue)
        self._put("deliveries", delivery, "status", "sorted")
        if self._breaks_rule_7(self.streams[delivery["stream_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(delivery):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: sort delivery {delivery['ticket']}.", "data": self._changes()}

    def press_bale(
        self,
        material_id: str,
        kilos: Annotated[int, {"minimum": 100, "maximum": 1500}],
        contamination: Annotated[int, {"minimum": 0, "maximum": 400}],
        bay_id: str,
    ) -> Result:
        """Press a bale out of loose material and put it into a bay; it gets the next number.

        Args:
            material_id (str): Id of the material, such as MATERIAL-00001.
            kilos (int): Weight of the bale in kilograms, at most what lies loose, from 100 to 1500.
            contamination (int): Foreign matter in the bale in per mille, from 0 to 400.
            bay_id (str): Id of the bay, such as BAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        material = self.materials.get(material_id)
        if material is None:
            return _refused(f"There is no material {material_id!r}.")
        bay = self.bays.get(bay_id)
        if bay is None:
            return _refused(f"There is no bay {bay_id!r}.")
        if kilos > material["loose"]:
            return _refused(f"{material['loose']} kg of {material['name']} lie loose, not {kilos}.")
        other = self._foreign(bay, material)
        if other is not None:
            return _refused(f"{bay['name']} holds {self.materials[other['material_id']]['name']}.")
        if self._free_places(bay) <= 0:
            return _refused(f"{bay['name']} is full.")
        self._journal = []
        loose = material["loose"] - kilos
        if not 0 <= loose <= 400000:
            return self._take_back(f"The loose of {material['name']} must be between 0 and 400000.")
        self._put("materials", material, "loose", loose)
        number = (
            (
                max((b["number"] for b in self.bales.values()), default=None)
                if max((b["number"] for b in self.bales.values()), default=None) is not None
                else 1000
            )
            + 1
        )
        if not 1000 <= number <= 99999:
            return self._take_back("The number of a bale must be between 1000 and 99999.")
        bale: Bale = {
            "id": self._new_id("bale", "BALE", self.bales),
            "number": number,
            "material_id": material_id,
            "kilos": kilos,
            "contamination": contamination,
            "pressed_on": self.now[:10],
            "bay_id": bay_id,
            "shipment_id": None,
            "opened": False,
        }
        self._add("bales", bale)
        if len(self._bales_by_number.get(bale["number"], {})) > 1:
            return self._take_back(f"There is already a bale with the number {bale['number']!r}.")
        if self._breaks_rule_1_a(bale):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(bale):
            return self._take_back(RULES[0])
        for one_bay in _distinct([self.bays.get(bale["bay_id"])]):
            if self._breaks_rule_2(one_bay):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_b(bale):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b_again(bale):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bale):
            return self._take_back(RULES[3])
        for one_shipment in _distinct([self.shipments.get(bale["shipment_id"])]):
            if self._breaks_rule_5(one_shipment):
                return self._take_back(RULES[4])
        for one_shipment in _distinct([self.shipments.get(bale["shipment_id"])]):
            if self._breaks_rule_6(one_shipment):
                return self._take_back(RULES[5])
        for one_shipment in _distinct([self.shipments.get(bale["shipment_id"])]):
            if self._breaks_rule_10(one_shipment):
                return self._take_back(RULES[9])
        for one_shipment in _distinct([self.shipments.get(bale["shipment_id"])]):
            if self._breaks_rule_11(one_shipment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: press {kilos} kg of {material['name']} into {bay['name']} (new: bale {bale['id']}).",
            "data": {"bale_id": bale["id"], **self._changes()},
        }

    def move_bale(self, bale_id: str, bay_id: str) -> Result:
        """Move a bale to another bay.

        Args:
            bale_id (str): Id of the bale, such as BALE-00001.
            bay_id (str): Id of the bay, such as BAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bale = self.bales.get(bale_id)
        if bale is None:
            return _refused(f"There is no bale {bale_id!r}.")
        bay = self.bays.get(bay_id)
        if bay is None:
            return _refused(f"There is no bay {bay_id!r}.")
        if bale["bay_id"] is None or bale["bay_id"] == bay_id:
            return _refused(f"Bale {bale['number']} is there already or in no bay.")
        other = self._foreign(bay, self.materials[bale["material_id"]])
        if other is not None:
            return _refused(f"{bay['name']} holds {self.materials[other['material_id']]['name']}.")
        if self._free_places(bay) <= 0:
            return _refused(f"{bay['name']} is full.")
        self._journal = []
        former_bay_id = bale["bay_id"]
        self._put("bales", bale, "bay_id", bay_id)
        if self._breaks_rule_1_a(bale):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(bale):
            return self._take_back(RULES[0])
        for one_bay in _distinct([self.bays.get(bale["bay_id"]), self.bays.get(former_bay_id)]):
            if self._breaks_rule_2(one_bay):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_b(bale):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b_again(bale):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move bale {bale['number']} to {bay['name']}.",
            "data": self._changes(),
        }

    def open_bale(self, bale_id: str, stream_id: str) -> Result:
        """Open a bale in a bay again; its clean part lies loose and its dirt becomes residue of a stream that gives
        the material.

        Args:
            bale_id (str): Id of the bale, such as BALE-00001.
            stream_id (str): Id of the stream, such as STREAM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bale = self.bales.get(bale_id)
        if bale is None:
            return _refused(f"There is no bale {bale_id!r}.")
        stream = self.streams.get(stream_id)
        if stream is None:
            return _refused(f"There is no stream {stream_id!r}.")
        if bale["bay_id"] is None:
            return _refused(f"Bale {bale['number']} is in no bay.")
        if bale["material_id"] not in stream["give_ids"]:
            return _refused(f"{stream['name']} gives no {self.materials[bale['material_id']]['name']}.")
        self._journal = []
        dirt_part = bale["kilos"] * bale["contamination"] // 1000
        material = self.materials[bale["material_id"]]
        loose = self.materials[bale["material_id"]]["loose"] + bale["kilos"] - dirt_part
        if not 0 <= loose <= 400000:
            return self._take_back(f"The loose of {material['name']} must be between 0 and 400000.")
        self._put("materials", material, "loose", loose)
        residue = stream["residue"] + dirt_part
        if not 0 <= residue <= 400000:
            return self._take_back(f"The residue of {stream['name']} must be between 0 and 400000.")
        self._put("streams", stream, "residue", residue)
        former_bay_id = bale["bay_id"]
        self._put("bales", bale, "bay_id", None)
        self._put("bales", bale, "opened", True)
        if self._breaks_rule_1_a(bale):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(bale):
            return self._take_back(RULES[0])
        for one_bay in _distinct([self.bays.get(bale["bay_id"]), self.bays.get(former_bay_id)]):
            if self._breaks_rule_2(one_bay):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_b(bale):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b_again(bale):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: open bale {bale['number']}.", "data": self._changes()}

    def start_shipment(self, contract_id: str, waybill: Text) -> Result:
        """Start loading a truck for a contract under a consignment note of its own.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            waybill (str): Number of the consignment note, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["open_kilos"] <= 0:
            return _refused(f"{contract['buyer']} takes no more.")
        if self._shipments_by_waybill.get(waybill, {}):
            return _refused(f"There is a consignment note {waybill} already.")
        self._journal = []
        shipment: Shipment = {
            "id": self._new_id("shipment", "SHIPMENT", self.shipments),
            "waybill": waybill,
            "contract_id": contract_id,
            "paid": 0,
            "status": "loading",
        }
        self._add("shipments", shipment)
        if len(self._shipments_by_waybill.get(shipment["waybill"], {})) > 1:
            return self._take_back(f"There is already a shipment with the waybill {shipment['waybill']!r}.")
        if self._breaks_rule_5(shipment):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shipment):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(shipment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(shipment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(shipment):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: start loading for {contract['buyer']} with consignment note {waybill} (new: shipment "
                f"{shipment['id']})."
            ),
            "data": {"shipment_id": shipment["id"], **self._changes()},
        }

    def load_bales(self, shipment_id: str, bale_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Load bales from their bays; the whole load must stay within the buyer's limit on average.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            bale_ids (list): Bales of the contract's material to load from their bays, at least one: ids of bales,
                such as BALE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        bales = []
        for key in bale_ids:
            if key not in self.bales:
                return _refused(f"There is no bale {key!r}.")
            bales.append(self.bales[key])
        if shipment["status"] != "loading":
            return _refused(f"The shipment is {shipment['status']}.")
        if not (len(bales) > 0 and _different([b["id"] for b in bales])):
            return _refused("Name at least one bale, and each once.")
        wrong = next(
            (b for b in bales if b["material_id"] != self.contracts[shipment["contract_id"]]["material_id"]),
            None,
        )
        if wrong is not None:
            return _refused(
                f"Bale {wrong['number']} is {self.materials[wrong['material_id']]['name']}, not "
                f"{self.materials[self.contracts[shipment['contract_id']]['material_id']]['name']}."
            )
        gone = next((b for b in bales if b["bay_id"] is None), None)
        if gone is not None:
            return _refused(f"Bale {gone['number']} is in no bay.")
        if self._shipment_kilos(shipment) + sum(b["kilos"] for b in bales) > 24000:
            return _refused("That is more than 24 tonnes.")
        if self._mixed(shipment, bales) > self.contracts[shipment["contract_id"]]["dirt_limit"]:
            return _refused(
                f"The load would come to {self._mixed(shipment, bales)} per mille, and "
                f"{self.contracts[shipment['contract_id']]['buyer']} takes "
                f"{self.contracts[shipment['contract_id']]['dirt_limit']}."
            )
        if (
            self._shipment_kilos(shipment)
            + sum(b["kilos"] for b in bales) > self.contracts[shipment["contract_id"]]["open_kilos"]
        ):
            return _refused(
                f"{self.contracts[shipment['contract_id']]['buyer']} takes "
                f"{self.contracts[shipment['contract_id']]['open_kilos']} kg more."
            )
        self._journal = []
        changed_bales: list[Any] = []
        former_bay_ids: list[Any] = []
        changed_bales_2: list[Any] = []
        former_shipment_ids: list[Any] = []
        for b in list(bales):
            changed_bales.append(b)
            former_bay_ids.append(b["bay_id"])
            self._put("bales", b, "bay_id", None)
            changed_bales_2.append(b)
            former_shipment_ids.append(b["shipment_id"])
            self._put("bales", b, "shipment_id", shipment_id)
        for one_bale in _distinct(changed_bales):
            if self._breaks_rule_1_a(one_bale):
                return self._take_back(RULES[0])
        for one_bale in _distinct(changed_bales):
            if self._breaks_rule_1_b(one_bale):
                return self._take_back(RULES[0])
        for one_bay in _distinct(
            [
                *[self.bays.get(one["bay_id"]) for one in changed_bales],
                *[self.bays.get(key) for key in former_bay_ids],
            ]
        ):
            if self._breaks_rule_2(one_bay):
                return self._take_back(RULES[1])
        for one_bale in _distinct([*changed_bales, *changed_bales_2]):
            if self._breaks_rule_3_b(one_bale):
                return self._take_back(RULES[2])
        for one_bale in _distinct([*changed_bales, *changed_bales_2]):
            if self._breaks_rule_3_b_again(one_bale):
                return self._take_back(RULES[2])
        for one_bale in _distinct(changed_bales_2):
            if self._breaks_rule_4(one_bale):
                return self._take_back(RULES[3])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
            ]
        ):
            if self._breaks_rule_5(one_shipment):
                return self._take_back(RULES[4])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
            ]
        ):
            if self._breaks_rule_6(one_shipment):
                return self._take_back(RULES[5])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
            ]
        ):
            if self._breaks_rule_10(one_shipment):
                return self._take_back(RULES[9])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
            ]
        ):
            if self._breaks_rule_11(one_shipment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: load {len(bales)} bales on {shipment['waybill']}.",
            "data": self._changes(),
        }

    def send_shipment(self, shipment_id: str) -> Result:
        """Send a loaded truck of two tonnes at least.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] != "loading":
            return _refused(f"The shipment is {shipment['status']}.")
        if self._shipment_kilos(shipment) < 2000:
            return _refused(f"{self._shipment_kilos(shipment)} kg are loaded, and a truck leaves with 2000 at least.")
        if self._shipment_kilos(shipment) > self.contracts[shipment["contract_id"]]["open_kilos"]:
            return _refused(
                f"{self.contracts[shipment['contract_id']]['buyer']} takes "
                f"{self.contracts[shipment['contract_id']]['open_kilos']} kg more."
            )
        self._journal = []
        contract = self.contracts[shipment["contract_id"]]
        open_kilos = self.contracts[shipment["contract_id"]]["open_kilos"] - self._shipment_kilos(shipment)
        if not 0 <= open_kilos <= 500000:
            return self._take_back(f"The open kilos of {contract['buyer']} must be between 0 and 500000.")
        self._put("contracts", contract, "open_kilos", open_kilos)
        self._put("shipments", shipment, "status", "sent")
        if self._breaks_rule_5(shipment):
            return self._take_back(RULES[4])
        if self._breaks_rule_9(shipment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(shipment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(shipment):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: send {shipment['waybill']}.", "data": self._changes()}

    def accept_shipment(self, shipment_id: str) -> Result:
        """Note that the buyer has accepted a shipment and what it paid.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] != "sent":
            return _refused(f"The shipment is {shipment['status']}.")
        self._journal = []
        self._put(
            "shipments",
            shipment,
            "paid",
            ceil(
                Fraction(self.contracts[shipment["contract_id"]]["per_tonne"] * self._shipment_kilos(shipment), 1000)
            ),
        )
        self._put("shipments", shipment, "status", "accepted")
        if self._breaks_rule_5(shipment):
            return self._take_back(RULES[4])
        if self._breaks_rule_9(shipment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(shipment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(shipment):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note that {shipment['waybill']} was accepted.",
            "data": self._changes(),
        }

    def unload_shipment(self, shipment_id: str, bay_id: str) -> Result:
        """Put all bales of a truck back into a bay, when it is given up while loading or rejected by the buyer, who
        raises each bale's contamination by a tenth then.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            bay_id (str): Id of the bay, such as BAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        bay = self.bays.get(bay_id)
        if bay is None:
            return _refused(f"There is no bay {bay_id!r}.")
        if shipment["status"] not in ("loading", "sent"):
            return _refused(f"The shipment is {shipment['status']}.")
        other = self._foreign(bay, self.materials[self.contracts[shipment["contract_id"]]["material_id"]])
        if other is not None:
            return _refused(f"{bay['name']} holds {self.materials[other['material_id']]['name']}.")
        if self._free_places(bay) < len(self._on_board(shipment)):
            return _refused(
                f"{bay['name']} has {self._free_places(bay)} places for {len(self._on_board(shipment))} bales."
            )
        self._journal = []
        changed_bales: list[Any] = []
        changed_bales_2: list[Any] = []
        former_shipment_ids: list[Any] = []
        changed_bales_3: list[Any] = []
        former_bay_ids: list[Any] = []
        changed_shipments: list[Any] = []
        rejected = shipment["status"] == "sent"
        if rejected:
            contract = self.contracts[shipment["contract_id"]]
            open_kilos = self.contracts[shipment["contract_id"]]["open_kilos"] + self._shipment_kilos(shipment)
            if not 0 <= open_kilos <= 500000:
                return self._take_back(f"The open kilos of {contract['buyer']} must be between 0 and 500000.")
            self._put("contracts", contract, "open_kilos", open_kilos)
        for b in list(self._on_board(shipment)):
            if rejected:
                contamination = min(400, b["contamination"] + ceil(Fraction(b["contamination"], 10)))
                if not 0 <= contamination <= 400:
                    return self._take_back(f"The contamination of {b['id']} must be between 0 and 400.")
                changed_bales.append(b)
                self._put("bales", b, "contamination", contamination)
            changed_bales_2.append(b)
            former_shipment_ids.append(b["shipment_id"])
            self._put("bales", b, "shipment_id", None)
            changed_bales_3.append(b)
            former_bay_ids.append(b["bay_id"])
            self._put("bales", b, "bay_id", bay_id)
        if rejected:
            if shipment["status"] not in ("sent", "rejected"):
                return self._take_back(
                    f"Shipment {shipment['waybill']} cannot go from {shipment['status']} to rejected."
                )
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "rejected")
        else:
            if shipment["status"] not in ("loading", "given_up"):
                return self._take_back(
                    f"Shipment {shipment['waybill']} cannot go from {shipment['status']} to given_up."
                )
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "given_up")
        for one_bale in _distinct(changed_bales_3):
            if self._breaks_rule_1_a(one_bale):
                return self._take_back(RULES[0])
        for one_bale in _distinct(changed_bales_3):
            if self._breaks_rule_1_b(one_bale):
                return self._take_back(RULES[0])
        for one_bay in _distinct(
            [
                *[self.bays.get(one["bay_id"]) for one in changed_bales_3],
                *[self.bays.get(key) for key in former_bay_ids],
            ]
        ):
            if self._breaks_rule_2(one_bay):
                return self._take_back(RULES[1])
        for one_bale in _distinct([*changed_bales_2, *changed_bales_3]):
            if self._breaks_rule_3_b(one_bale):
                return self._take_back(RULES[2])
        for one_bale in _distinct([*changed_bales_2, *changed_bales_3]):
            if self._breaks_rule_3_b_again(one_bale):
                return self._take_back(RULES[2])
        for one_bale in _distinct(changed_bales_2):
            if self._breaks_rule_4(one_bale):
                return self._take_back(RULES[3])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales],
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
                *changed_shipments,
            ]
        ):
            if self._breaks_rule_5(one_shipment):
                return self._take_back(RULES[4])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
            ]
        ):
            if self._breaks_rule_6(one_shipment):
                return self._take_back(RULES[5])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_9(one_shipment):
                return self._take_back(RULES[8])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
                *changed_shipments,
            ]
        ):
            if self._breaks_rule_10(one_shipment):
                return self._take_back(RULES[9])
        for one_shipment in _distinct(
            [
                *[self.shipments.get(one["shipment_id"]) for one in changed_bales_2],
                *[self.shipments.get(key) for key in former_shipment_ids],
                *changed_shipments,
            ]
        ):
            if self._breaks_rule_11(one_shipment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: unload {shipment['waybill']} into {bay['name']}.",
            "data": self._changes(),
        }

    def remove_residue(self, stream_id: str) -> Result:
        """Note that all the residue of a stream went to the incinerator.

        Args:
            stream_id (str): Id of the stream, such as STREAM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stream = self.streams.get(stream_id)
        if stream is None:
            return _refused(f"There is no stream {stream_id!r}.")
        if stream["residue"] <= 0:
            return _refused(f"{stream['name']} has no residue.")
        self._journal = []
        self._put("streams", stream, "residue", 0)
        return {"success": True, "message": f"Done: remove the residue of {stream['name']}.", "data": self._changes()}

    def _show_stream(self, stream: Stream) -> dict[str, Any]:
        """The stream as an answer shows it."""
        return {**stream, "give_ids": [*stream["give_ids"]], "tipped": self._stream_tipped(stream)}

    def _show_bay(self, bay: Bay) -> dict[str, Any]:
        """The bay as an answer shows it."""
        return {**bay, "bales": self._bay_bales(bay)}

    def _show_shipment(self, shipment: Shipment) -> dict[str, Any]:
        """The shipment as an answer shows it."""
        return {
            **shipment,
            "kilos": self._shipment_kilos(shipment),
            "contamination": self._shipment_contamination(shipment),
        }

    def _names_of_streams(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that streams point to."""
        return _names((self.materials, "name", [each for row in shown for each in row["give_ids"]]))

    def _names_of_deliveries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deliveries point to."""
        return _names((self.streams, "name", [row["stream_id"] for row in shown]))

    def _names_of_bales(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bales point to."""
        return _names(
            (self.materials, "name", [row["material_id"] for row in shown]),
            (self.bays, "name", [row["bay_id"] for row in shown]),
            (self.shipments, "waybill", [row["shipment_id"] for row in shown]),
        )

    def _names_of_contracts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contracts point to."""
        return _names((self.materials, "name", [row["material_id"] for row in shown]))

    def _names_of_shipments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shipments point to."""
        return _names((self.contracts, "buyer", [row["contract_id"] for row in shown]))

    def _stream_tipped(self, stream: Stream) -> int:
        """The tipped of a stream."""
        return sum(d["kilos"] for d in self._deliveries_by_stream_status.get((stream["id"], "tipped"), {}).values())

    def _bay_bales(self, bay: Bay) -> int:
        """The bales of a bay."""
        return len(self._bales_by_bay.get(bay["id"], {}))

    def _shipment_kilos(self, shipment: Shipment) -> int:
        """The kilos of a shipment."""
        return sum(b["kilos"] for b in self._bales_by_shipment.get(shipment["id"], {}).values())

    def _shipment_contamination(self, shipment: Shipment) -> int:
        """The contamination of a shipment."""
        return ceil(
            Fraction(
                sum(
                    b["kilos"] * b["contamination"]
                    for b in self._bales_by_shipment.get(shipment["id"], {}).values()
                ),
                max(sum(b["kilos"] for b in self._bales_by_shipment.get(shipment["id"], {}).values()), 1),
            )
        )

    def _on_board(self, s: Shipment) -> list[Bale]:
        return sorted(self._bales_by_shipment.get(s["id"], {}).values(), key=_age)

    def _foreign(self, y: Bay, m: Material) -> Bale | None:
        return next(
            (
                b
                for b in sorted(self._bales_by_bay.get(y["id"], {}).values(), key=_age)
                if b["material_id"] != m["id"]
            ),
            None,
        )

    def _free_places(self, y: Bay) -> int:
        return y["places"] - self._bay_bales(y)

    def _mixed(self, s: Shipment, more: list[Bale]) -> int:
        return ceil(
            Fraction(
                sum(
                    b["kilos"] * b["contamination"]
                    for b in self._on_board(s)
                ) + sum(b["kilos"] * b["contamination"] for b in more),
                max(self._shipment_kilos(s) + sum(b["kilos"] for b in more), 1),
            )
        )

    def _fits_bay(self, y: Bay, m: Material) -> bool:
        return self._foreign(y, m) is None and self._free_places(y) > 0

    def _breaks_rule_1_a(self, a: Bale) -> bool:
        """Whether this is broken: a bay holds bales of one material."""
        return (
            a["bay_id"] is not None
            and any(
                a["material_id"] != b["material_id"]
                for b in self._bales_by_bay.get(a["bay_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_1_b(self, b: Bale) -> bool:
        """Whether this is broken: a bay holds bales of one material."""
        return any(
            a["material_id"] != b["material_id"]
            for a in self._bales_by_bay.get(b["bay_id"], {}).values()
            if a is not b
            and a["bay_id"] is not None
        )

    def _breaks_rule_2(self, y: Bay) -> bool:
        """Whether this is broken: no bay holds more bales than it has places."""
        return self._bay_bales(y) > y["places"]

    def _breaks_rule_3_b(self, b: Bale) -> bool:
        """Whether this is broken: a bale lies in a bay or is on a shipment, unless it was opened."""
        return not b["opened"] and (b["bay_id"] is not None) == (b["shipment_id"] is not None)

    def _breaks_rule_3_b_again(self, b: Bale) -> bool:
        """Whether this is broken: a bale lies in a bay or is on a shipment, unless it was opened."""
        return b["opened"] and (b["bay_id"] is not None or b["shipment_id"] is not None)

    def _breaks_rule_4(self, b: Bale) -> bool:
        """Whether this is broken: a shipment carries only the material of its contract."""
        return (
            b["shipment_id"] is not None
            and b["material_id"] != self.contracts[self.shipments[b["shipment_id"]]["contract_id"]]["material_id"]
        )

    def _breaks_rule_5(self, s: Shipment) -> bool:
        """Whether this is broken: what is loaded is no dirtier on average than the buyer allows."""
        return (
            s["status"] in ("loading", "sent")
            and self._shipment_contamination(s) > self.contracts[s["contract_id"]]["dirt_limit"]
        )

    def _breaks_rule_6(self, s: Shipment) -> bool:
        """Whether this is broken: no truck carries more than 24 tonnes."""
        return self._shipment_kilos(s) > 24000

    def _breaks_rule_7(self, t: Stream) -> bool:
        """Whether this is broken: a bunker never holds more than it can."""
        return self._stream_tipped(t) > t["bunker"]

    def _breaks_rule_8(self, d: Delivery) -> bool:
        """Whether this is broken: waste that is too dirty is not tipped."""
        return d["status"] in ("tipped", "sorted") and d["dirt"] > self.streams[d["stream_id"]]["dirt_limit"]

    def _breaks_rule_9(self, s: Shipment) -> bool:
        """Whether this is broken: only accepted shipments are paid."""
        return (s["status"] == "accepted") != (s["paid"] > 0)

    def _breaks_rule_10(self, s: Shipment) -> bool:
        """Whether this is broken: nothing is left on shipments that were rejected or given up."""
        return s["status"] in ("rejected", "given_up") and self._shipment_kilos(s) != 0

    def _breaks_rule_11(self, s: Shipment) -> bool:
        """Whether this is broken: a sent shipment weighs two tonnes at least."""
        return s["status"] in ("sent", "accepted") and self._shipment_kilos(s) < 2000

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
            case "deliveries":
                self._deliveries_by_stream_status.setdefault(
                    (record["stream_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._deliveries_by_ticket.setdefault(record["ticket"], {})[record["id"]] = record
            case "bales":
                self._bales_by_bay.setdefault(record["bay_id"], {})[record["id"]] = record
                self._bales_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._bales_by_shipment.setdefault(record["shipment_id"], {})[record["id"]] = record
            case "shipments":
                self._shipments_by_waybill.setdefault(record["waybill"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "deliveries":
                del self._deliveries_by_stream_status[record["stream_id"], record["status"]][record["id"]]
                del self._deliveries_by_ticket[record["ticket"]][record["id"]]
            case "bales":
                del self._bales_by_bay[record["bay_id"]][record["id"]]
                del self._bales_by_number[record["number"]][record["id"]]
                del self._bales_by_shipment[record["shipment_id"]][record["id"]]
            case "shipments":
                del self._shipments_by_waybill[record["waybill"]][record["id"]]
