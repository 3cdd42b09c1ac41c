"""Stamp collection. Compiled from blueprint.yaml; run `envscaler build stamp_collection` after changing it there.

Keeps a collector's stamps with condition and certificates, a want list, swaps of equal value with partners, and
circuits of duplicates that travel from one collector to the next.
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
    "An offered copy is in one swap, a travelling one in a circuit with its price, and a kept one in neither.",
    "A swap is even to a tenth of its value on both sides.",
    "Only copies worth less than 100.00 are offered or travel without a certificate.",
    "Nobody is asked more than the catalogue says.",
    "A stamp stands once on the open want list.",
    "A want stays open only until a copy good enough is in the collection.",
    "One partner has one proposal open at a time.",
    "A circuit visits nobody twice, and its stops are numbered without a gap.",
    "A circuit is with somebody while it travels and with nobody otherwise.",
    "Nothing travels in a circuit that has come home.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "acquire_copy",
    "certify_copy",
    "add_want",
    "drop_want",
    "propose_swap",
    "answer_swap",
    "open_circuit",
    "put_in_circuit",
    "pass_circuit",
    "take_out",
    "receive_payment",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "stamps": ("name",),
    "copies": ("label",),
    "wants": (),
    "partners": ("name",),
    "swaps": (),
    "swap_pieces": (),
    "circuits": ("name",),
    "stops": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("circuits", "name"),
    ("copies", "circuit_id"),
    ("copies", "label"),
    ("copies", "stamp_id"),
    ("copies", "status"),
    ("copies", "swap_id"),
    ("stops", "circuit_id"),
    ("stops", "partner_id"),
    ("swap_pieces", "swap_id"),
    ("swaps", "partner_id"),
    ("swaps", "status"),
    ("wants", "stamp_id"),
    ("wants", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Stamp(TypedDict):
    id: str
    name: str
    country: Literal["Arland", "Belmark", "Corvia", "Dunmoor"]
    year: int
    mint_value: int
    used_value: int


class Copy(TypedDict):
    id: str
    label: str
    stamp_id: str
    condition: Literal["mint", "hinged", "used", "damaged"]
    came_on: str
    paid: int
    certified_by: str | None
    swap_id: str | None
    circuit_id: str | None
    asking: int | None
    status: Literal["kept", "offered", "travelling", "gone"]


class Want(TypedDict):
    id: str
    stamp_id: str
    at_least: Literal["mint", "hinged", "used", "damaged"]
    up_to: int
    status: Literal["open", "filled", "dropped"]


class Partner(TypedDict):
    id: str
    name: str
    town: str
    owes: int


class Swap(TypedDict):
    id: str
    partner_id: str
    proposed_on: str
    status: Literal["proposed", "done", "refused"]


class SwapPiece(TypedDict):
    id: str
    swap_id: str
    stamp_id: str
    condition: Literal["mint", "hinged", "used", "damaged"]


class Circuit(TypedDict):
    id: str
    name: str
    stop: int
    status: Literal["packing", "travelling", "home"]


class Stop(TypedDict):
    id: str
    circuit_id: str
    partner_id: str
    position: int


class ProposeSwapPiece(TypedDict):
    stamp_id: str
    condition: Literal["mint", "hinged", "used", "damaged"]


class AnswerSwapArrival(TypedDict):
    piece_id: str
    label: Text


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class StampCollection:
    """Keeps a collector's stamps with condition and certificates, a want list, swaps of equal value with
    partners, and circuits of duplicates that travel from one collector to the next.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stamps: dict[str, Stamp] = _copied(config.get("stamps", {}))
        self.copies: dict[str, Copy] = _copied(config.get("copies", {}))
        self.wants: dict[str, Want] = _copied(config.get("wants", {}))
        self.partners: dict[str, Partner] = _copied(config.get("partners", {}))
        self.swaps: dict[str, Swap] = _copied(config.get("swaps", {}))
        self.swap_pieces: dict[str, SwapPiece] = _copied(config.get("swap_pieces", {}))
        self.circuits: dict[str, Circuit] = _copied(config.get("circuits", {}))
        self.stops: dict[str, Stop] = _copied(config.get("stops", {}))
        self.now: str = config.get("now", "2026-12-05T16:00")
        self.counters: dict[str, int] = {
            "stamp": len(self.stamps),
            "copy": len(self.copies),
            "want": len(self.wants),
            "partner": len(self.partners),
            "swap": len(self.swaps),
            "swap_piece": len(self.swap_pieces),
            "circuit": len(self.circuits),
            "stop": len(self.stops),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._copies_by_circuit: dict[Any, dict[str, Copy]] = {}
        self._copies_by_circuit_status: dict[Any, dict[str, Copy]] = {}
        self._copies_by_label: dict[Any, dict[str, Copy]] = {}
        self._copies_by_stamp: dict[Any, dict[str, Copy]] = {}
        self._copies_by_stamp_status: dict[Any, dict[str, Copy]] = {}
        self._copies_by_status: dict[Any, dict[str, Copy]] = {}
        self._copies_by_swap: dict[Any, dict[str, Copy]] = {}
        self._wants_by_stamp_status: dict[Any, dict[str, Want]] = {}
        self._swaps_by_partner_status: dict[Any, dict[str, Swap]] = {}
        self._swaps_by_status: dict[Any, dict[str, Swap]] = {}
        self._swap_pieces_by_swap: dict[Any, dict[str, SwapPiece]] = {}
        self._circuits_by_name: dict[Any, dict[str, Circuit]] = {}
        self._stops_by_circuit: dict[Any, dict[str, Stop]] = {}
        self._stops_by_circuit_partner: dict[Any, dict[str, Stop]] = {}
        for copy in self.copies.values():
            self._link("copies", copy)
        for want in self.wants.values():
            self._link("wants", want)
        for swap in self.swaps.values():
            self._link("swaps", swap)
        for swap_piece in self.swap_pieces.values():
            self._link("swap_pieces", swap_piece)
        for circuit in self.circuits.values():
            self._link("circuits", circuit)
        for stop in self.stops.values():
            self._link("stops", stop)

    def duplicates(
        self,
        country: Literal["Arland", "Belmark", "Corvia", "Dunmoor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Kept copies that are spare, the most valuable first.

        Args:
            country (str, optional): Only stamps of this country: Arland, Belmark, Corvia or Dunmoor. If left out,
                stamps of all countries are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "copies": records}} or {"success": False, "error": why
                not}
        """
        found = [
            c
            for c in _distinct(
                [
                    c
                    for key in [o["stamp_id"] for o in self._copies_by_status.get("kept", {}).values()]
                    for c in self._copies_by_stamp.get(key, {}).values()
                ]
            )
            if (c["status"] == "kept" and self._spare(c))
            and (country is None or self.stamps[c["stamp_id"]]["country"] == country)
        ]
        found.sort(key=lambda c: (-self._copy_value(c), c["label"], _age(c)))
        return _found(
            {
                "total": len(found),
                "copies": [
                    {
                        "id": c["id"],
                        "label": c["label"],
                        "stamp": self.stamps[c["stamp_id"]]["name"],
                        "condition": c["condition"],
                        "value": self._copy_value(c),
                        "certified_by": c["certified_by"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def circuits_under_way(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Circuits that are being packed or travel, with who has them.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "circuits": records}} or {"success": False, "error": why
                not}
        """
        found = [k for k in self.circuits.values() if k["status"] != "home"]
        found.sort(key=lambda k: (k["name"], _age(k)))
        shown = [
            {
                "id": k["id"],
                "name": k["name"],
                "status": k["status"],
                "with_partner": _id_of(self._holder(k)),
                "stop": k["stop"],
                "stops": self._last_stop(k),
                "contents": [
                    *[
                        c["label"]
                        for c in sorted(
                            self._copies_by_circuit_status.get((k["id"], "travelling"), {}).values(),
                            key=_age,
                        )
                    ]
                ],
            }
            for k in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "circuits": shown},
            _names((self.partners, "name", [row["with_partner"] for row in shown])),
        )

    def open_swaps(
        self,
        partner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Proposals that wait for an answer, with their values and whether they would fill a want.

        Args:
            partner_id (str, optional): Only swaps with this partner; an id such as PARTNER-00001. If left out,
                swaps with all partners are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swaps": records}} or {"success": False, "error": why
                not}
        """
        partner = self.partners.get(partner_id) if partner_id is not None else None
        if partner_id is not None and partner is None:
            return _refused(f"There is no partner {partner_id!r}.")
        found = [
            w
            for w in self._swaps_by_status.get("proposed", {}).values()
            if (partner_id is None or w["partner_id"] == partner_id)
        ]
        found.sort(key=lambda w: (w["proposed_on"], w["id"], _age(w)))
        return _found(
            {
                "total": len(found),
                "swaps": [
                    {
                        "id": w["id"],
                        "partner": self.partners[w["partner_id"]]["name"],
                        "mine": self._mine_in(w),
                        "theirs": self._theirs_in(w),
                        "pieces": [
                            *[
                                self.stamps[p["stamp_id"]]["name"]
                                for p in sorted(self._swap_pieces_by_swap.get(w["id"], {}).values(), key=_age)
                            ]
                        ],
                        "fills_a_want": any(
                            self._wanted(self.stamps[p["stamp_id"]], p["condition"])
                            for p in self._swap_pieces_by_swap.get(w["id"], {}).values()
                        ),
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def list_stamps(
        self,
        name: Text | None = None,
        country: Literal["Arland", "Belmark", "Corvia", "Dunmoor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stamps, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stamps whose name contains this text.
            country (str, optional): Only stamps with this country.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stamps": records}}
        """
        found = [
            stamp
            for stamp in self.stamps.values()
            if (name is None or name.casefold() in stamp["name"].casefold())
            and (country is None or stamp["country"] == country)
        ]
        return _found({"total": len(found), "stamps": [{**stamp} for stamp in _page(found, offset)]})

    def list_copies(
        self,
        label: Text | None = None,
        stamp_id: str | None = None,
        condition: Literal["mint", "hinged", "used", "damaged"] | None = None,
        swap_id: str | None = None,
        circuit_id: str | None = None,
        status: Literal["kept", "offered", "travelling", "gone"] | None = None,
        came_on_from: Date | None = None,
        came_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the copies, oldest first, all of them or only some.

        Args:
            label (str, optional): Only copies whose label contains this text.
            stamp_id (str, optional): Only copies of this stamp.
            condition (str, optional): Only copies with this condition.
            swap_id (str, optional): Only copies of this swap.
            circuit_id (str, optional): Only copies of this circuit.
            status (str, optional): Only copies with this status.
            came_on_from (str, optional): Only copies whose `came_on` is on this day or later.
            came_on_to (str, optional): Only copies whose `came_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "copies": records}}
        """
        if stamp_id is not None and stamp_id not in self.stamps:
            return _refused(f"There is no stamp {stamp_id!r}.")
        if swap_id is not None and swap_id not in self.swaps:
            return _refused(f"There is no swap {swap_id!r}.")
        if circuit_id is not None and circuit_id not in self.circuits:
            return _refused(f"There is no circuit {circuit_id!r}.")
        found = [
            copy
            for copy in self.copies.values()
            if (label is None or label.casefold() in copy["label"].casefold())
            and (stamp_id is None or copy["stamp_id"] == stamp_id)
            and (condition is None or copy["condition"] == condition)
            and (swap_id is None or copy["swap_id"] == swap_id)
            and (circuit_id is None or copy["circuit_id"] == circuit_id)
            and (status is None or copy["status"] == status)
            and (came_on_from is None or copy["came_on"] >= came_on_from)
            and (came_on_to is None or copy["came_on"] <= came_on_to)
        ]
        shown = [self._show_copy(copy) for copy in _page(found, offset)]
        return _found({"total": len(found), "copies": shown}, self._names_of_copies(shown))

    def list_wants(
        self,
        stamp_id: str | None = None,
        at_least: Literal["mint", "hinged", "used", "damaged"] | None = None,
        status: Literal["open", "filled", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the wants, oldest first, all of them or only some.

        Args:
            stamp_id (str, optional): Only wants of this stamp.
            at_least (str, optional): Only wants with this at least.
            status (str, optional): Only wants with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wants": records}}
        """
        if stamp_id is not None and stamp_id not in self.stamps:
            return _refused(f"There is no stamp {stamp_id!r}.")
        found = [
            want
            for want in self.wants.values()
            if (stamp_id is None or want["stamp_id"] == stamp_id)
            and (at_least is None or want["at_least"] == at_least)
            and (status is None or want["status"] == status)
        ]
        shown = [{**want} for want in _page(found, offset)]
        return _found({"total": len(found), "wants": shown}, self._names_of_wants(shown))

    def list_partners(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the partners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only partners whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "partners": records}}
        """
        found = [
            partner
            for partner in self.partners.values()
            if (name is None or name.casefold() in partner["name"].casefold())
        ]
        return _found({"total": len(found), "partners": [{**partner} for partner in _page(found, offset)]})

    def list_swaps(
        self,
        partner_id: str | None = None,
        status: Literal["proposed", "done", "refused"] | None = None,
        proposed_on_from: Date | None = None,
        proposed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the swaps, oldest first, all of them or only some.

        Args:
            partner_id (str, optional): Only swaps of this partner.
            status (str, optional): Only swaps with this status.
            proposed_on_from (str, optional): Only swaps whose `proposed_on` is on this day or later.
            proposed_on_to (str, optional): Only swaps whose `proposed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swaps": records}}
        """
        if partner_id is not None and partner_id not in self.partners:
            return _refused(f"There is no partner {partner_id!r}.")
        found = [
            swap
            for swap in self.swaps.values()
            if (partner_id is None or swap["partner_id"] == partner_id)
            and (status is None or swap["status"] == status)
            and (proposed_on_from is None or swap["proposed_on"] >= proposed_on_from)
            and (proposed_on_to is None or swap["proposed_on"] <= proposed_on_to)
        ]
        shown = [{**swap} for swap in _page(found, offset)]
        return _found({"total": len(found), "swaps": shown}, self._names_of_swaps(shown))

    def list_swap_pieces(
        self,
        swap_id: str | None = None,
        stamp_id: str | None = None,
        condition: Literal["mint", "hinged", "used", "damaged"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the swap pieces, oldest first, all of them or only some.

        Args:
            swap_id (str, optional): Only swap pieces of this swap.
            stamp_id (str, optional): Only swap pieces of this stamp.
            condition (str, optional): Only swap pieces with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swap_pieces": records}}
        """
        if swap_id is not None and swap_id not in self.swaps:
            return _refused(f"There is no swap {swap_id!r}.")
        if stamp_id is not None and stamp_id not in self.stamps:
            return _refused(f"There is no stamp {stamp_id!r}.")
        found = [
            swap_piece
            for swap_piece in self.swap_pieces.values()
            if (swap_id is None or swap_piece["swap_id"] == swap_id)
            and (stamp_id is None or swap_piece["stamp_id"] == stamp_id)
            and (condition is None or swap_piece["condition"] == condition)
        ]
        shown = [{**swap_piece} for swap_piece in _page(found, offset)]
        return _found({"total": len(found), "swap_pieces": shown}, self._names_of_swap_pieces(shown))

    def list_circuits(
        self,
        name: Text | None = None,
        status: Literal["packing", "travelling", "home"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the circuits, oldest first, all of them or only some.

        Args:
            name (str, optional): Only circuits whose name contains this text.
            status (str, optional): Only circuits with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "circuits": records}}
        """
        found = [
            circuit
            for circuit in self.circuits.values()
            if (name is None or name.casefold() in circuit["name"].casefold())
            and (status is None or circuit["status"] == status)
        ]
        return _found(
            {"total": len(found), "circuits": [self._show_circuit(circuit) for circuit in _page(found, offset)]}
        )

    def list_stops(
        self,
        circuit_id: str | None = None,
        partner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stops, oldest first, all of them or only some.

        Args:
            circuit_id (str, optional): Only stops of this circuit.
            partner_id (str, optional): Only stops of this partner.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stops": records}}
        """
        if circuit_id is not None and circuit_id not in self.circuits:
            return _refused(f"There is no circuit {circuit_id!r}.")
        if partner_id is not None and partner_id not in self.partners:
            return _refused(f"There is no partner {partner_id!r}.")
        found = [
            stop
            for stop in self.stops.values()
            if (circuit_id is None or stop["circuit_id"] == circuit_id)
            and (partner_id is None or stop["partner_id"] == partner_id)
        ]
        shown = [{**stop} for stop in _page(found, offset)]
        return _found({"total": len(found), "stops": shown}, self._names_of_stops(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def acquire_copy(
        self,
        label: Text,
        stamp_id: str,
        condition: Literal["mint", "hinged", "used", "damaged"],
        paid: Annotated[int, {"minimum": 0, "maximum": 900000}],
    ) -> Result:
        """Enter a copy that came into the collection; it strikes the stamp off the want list where it is good enough.

        Args:
            label (str): Label of the new copy, not in use yet.
            stamp_id (str): Id of the stamp, such as STAMP-00001.
            condition (str): State in which the copy is: mint, hinged, used or damaged.
            paid (int): Price that was paid for the copy, in cents, from 0 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stamp = self.stamps.get(stamp_id)
        if stamp is None:
            return _refused(f"There is no stamp {stamp_id!r}.")
        if self._copies_by_label.get(label, {}):
            return _refused(f"There is a copy {label} already.")
        self._journal = []
        changed_wants: list[Any] = []
        copy: Copy = {
            "id": self._new_id("copy", "COPY", self.copies),
            "label": label,
            "stamp_id": stamp_id,
            "condition": condition,
            "came_on": self.now[:10],
            "paid": paid,
            "certified_by": None,
            "swap_id": None,
            "circuit_id": None,
            "asking": None,
            "status": "kept",
        }
        self._add("copies", copy)
        for w in [
            w
            for w in sorted(self._wants_by_stamp_status.get((stamp_id, "open"), {}).values(), key=_age)
            if self._grade(w["at_least"]) <= self._grade(condition)
        ]:
            if w["status"] not in ("open", "filled"):
                return self._take_back(f"Want {w['id']} cannot go from {w['status']} to filled.")
            changed_wants.append(w)
            self._put("wants", w, "status", "filled")
        if len(self._copies_by_label.get(copy["label"], {})) > 1:
            return self._take_back(f"There is already a copy with the label {copy['label']!r}.")
        if self._breaks_rule_1(copy):
            return self._take_back(RULES[0])
        for one_swap in _distinct([self.swaps.get(copy["swap_id"])]):
            if self._breaks_rule_2(one_swap):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(copy):
            return self._take_back(RULES[3])
        for one_want in _distinct(changed_wants):
            if self._breaks_rule_5(one_want):
                return self._take_back(RULES[4])
        for one_want in _distinct(
            [*self._wants_by_stamp_status.get((copy["stamp_id"], "open"), {}).values(), *changed_wants]
        ):
            if self._breaks_rule_6(one_want):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(copy):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: enter {label}, a {condition} {stamp['name']} (new: copy {copy['id']}).",
            "data": {"copy_id": copy["id"], **self._changes()},
        }

    def certify_copy(self, copy_id: str, expert: Text) -> Result:
        """Enter the certificate that an expert has written for a copy.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.
            expert (str): Name of the expert who wrote the certificate.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if copy["status"] != "kept":
            return _refused(f"{copy['label']} is {copy['status']}.")
        if copy["certified_by"] is not None:
            return _refused(f"{copy['label']} has a certificate of {copy['certified_by']}.")
        self._journal = []
        self._put("copies", copy, "certified_by", expert)
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: enter the certificate of {expert} for {copy['label']}.",
            "data": self._changes(),
        }

    def add_want(
        self,
        stamp_id: str,
        at_least: Literal["mint", "hinged", "used", "damaged"],
        up_to: Annotated[int, {"minimum": 0, "maximum": 900000}],
    ) -> Result:
        """Put a stamp on the want list.

        Args:
            stamp_id (str): Id of the stamp, such as STAMP-00001.
            at_least (str): Poorest condition that would still do: mint, hinged, used or damaged.
            up_to (int): Most that would be paid for it, in cents, from 0 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stamp = self.stamps.get(stamp_id)
        if stamp is None:
            return _refused(f"There is no stamp {stamp_id!r}.")
        if self._wants_by_stamp_status.get((stamp_id, "open"), {}):
            return _refused(f"{stamp['name']} is on the list already.")
        own = next(
            (
                c
                for c in sorted(self._copies_by_stamp_status.get((stamp_id, "kept"), {}).values(), key=_age)
                if self._grade(c["condition"]) >= self._grade(at_least)
            ),
            None,
        )
        if own is not None:
            return _refused(f"{own['label']} is good enough.")
        self._journal = []
        want: Want = {
            "id": self._new_id("want", "WANT", self.wants),
            "stamp_id": stamp_id,
            "at_least": at_least,
            "up_to": up_to,
            "status": "open",
        }
        self._add("wants", want)
        if self._breaks_rule_5(want):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(want):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: put {stamp['name']} on the want list (new: want {want['id']}).",
            "data": {"want_id": want["id"], **self._changes()},
        }

    def drop_want(self, want_id: str) -> Result:
        """Take a stamp off the want list.

        Args:
            want_id (str): Id of the want, such as WANT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        want = self.wants.get(want_id)
        if want is None:
            return _refused(f"There is no want {want_id!r}.")
        if want["status"] != "open":
            return _refused(f"{self.stamps[want['stamp_id']]['name']} is {want['status']}.")
        self._journal = []
        self._put("wants", want, "status", "dropped")
        if self._breaks_rule_5(want):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(want):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: take {self.stamps[want['stamp_id']]['name']} off the want list.",
            "data": self._changes(),
        }

    def propose_swap(
        self,
        partner_id: str,
        copy_ids: Annotated[list[str], {"maxItems": 20}],
        pieces: Annotated[list[ProposeSwapPiece], {"maxItems": 20}],
    ) -> Result:
        """Propose an even swap of spare copies to a partner for stamps of theirs.

        Args:
            partner_id (str): Id of the partner, such as PARTNER-00001.
            copy_ids (list): Spare copies that are offered, one of each stamp: ids of copies, such as COPY-00001.
            pieces (list): One entry for each stamp wanted from the partner: stamp_id: stamp that the partner would
                give, each once; an id such as STAMP-00001; condition: condition of the partner's stamp: mint,
                hinged, used or damaged.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        partner = self.partners.get(partner_id)
        if partner is None:
            return _refused(f"There is no partner {partner_id!r}.")
        copies = []
        for key in copy_ids:
            if key not in self.copies:
                return _refused(f"There is no copy {key!r}.")
            copies.append(self.copies[key])
        entries, pieces = pieces, []
        for entry in entries:
            if entry["stamp_id"] not in self.stamps:
                return _refused(f"There is no stamp {entry['stamp_id']!r}.")
            pieces.append({"stamp": self.stamps[entry["stamp_id"]], "condition": entry["condition"]})
        if self._swaps_by_partner_status.get((partner_id, "proposed"), {}):
            return _refused(f"{partner['name']} has not answered the last proposal.")
        if not (len(copies) > 0 and _different([c["id"] for c in copies])):
            return _refused("Name at least one copy, and each once.")
        if not (len(pieces) > 0 and _different([p["stamp"]["id"] for p in pieces])):
            return _refused("Name at least one stamp of theirs, and each once.")
        tied = next((c for c in copies if c["status"] != "kept"), None)
        if tied is not None:
            return _refused(f"{tied['label']} is {tied['status']}.")
        only = next((c for c in copies if not self._spare(c)), None)
        if only is not None:
            return _refused(f"{only['label']} is no duplicate.")
        if any(any(o["stamp_id"] == c["stamp_id"] for o in copies if o is not c) for c in copies):
            return _refused("Two of these copies are of the same stamp.")
        bare = next((c for c in copies if self._copy_value(c) >= 10000 and c["certified_by"] is None), None)
        if bare is not None:
            return _refused(
                f"{bare['label']} is worth {_money(self._copy_value(bare))} and needs a certificate first."
            )
        mine = sum(self._copy_value(c) for c in copies)
        theirs = sum(self._price_of(p["stamp"], p["condition"]) for p in pieces)
        if mine * 10 > theirs * 11 or theirs * 10 > mine * 11:
            return _refused(f"{_money(mine)} against {_money(theirs)} is not even to a tenth.")
        self._journal = []
        added_swap_pieces: list[Any] = []
        changed_copies: list[Any] = []
        former_swap_ids: list[Any] = []
        changed_copies_2: list[Any] = []
        swap: Swap = {
            "id": self._new_id("swap", "SWAP", self.swaps),
            "partner_id": partner_id,
            "proposed_on": self.now[:10],
            "status": "proposed",
        }
        self._add("swaps", swap)
        for p in sorted(pieces, key=lambda p: (p["stamp"]["name"], p["condition"])):
            swap_piece = {
                "id": self._new_id("swap_piece", "SP", self.swap_pieces),
                "swap_id": swap["id"],
                "stamp_id": p["stamp"]["id"],
                "condition": p["condition"],
            }
            self._add("swap_pieces", swap_piece)
            added_swap_pieces.append(swap_piece)
        for c in list(copies):
            changed_copies.append(c)
            former_swap_ids.append(c["swap_id"])
            self._put("copies", c, "swap_id", swap["id"])
            if c["status"] not in ("kept", "offered"):
                return self._take_back(f"Copy {c['label']} cannot go from {c['status']} to offered.")
            changed_copies_2.append(c)
            self._put("copies", c, "status", "offered")
        for one_copy in _distinct([*changed_copies, *changed_copies_2]):
            if self._breaks_rule_1(one_copy):
                return self._take_back(RULES[0])
        for one_swap in _distinct(
            [
                swap,
                *[self.swaps[one["swap_id"]] for one in added_swap_pieces],
                *[self.swaps.get(one["swap_id"]) for one in changed_copies],
                *[self.swaps.get(key) for key in former_swap_ids],
            ]
        ):
            if self._breaks_rule_2(one_swap):
                return self._take_back(RULES[1])
        for one_copy in _distinct(changed_copies_2):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_want in _distinct(
            [
                user
                for one in [self.stamps[one["stamp_id"]] for one in changed_copies_2]
                for user in self._wants_by_stamp_status.get((one["id"], "open"), {}).values()
            ]
        ):
            if self._breaks_rule_6(one_want):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(swap):
            return self._take_back(RULES[6])
        for one_copy in _distinct(changed_copies_2):
            if self._breaks_rule_10(one_copy):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: propose a swap to {partner['name']} (new: swap {swap['id']}).",
            "data": {"swap_id": swap["id"], **self._changes()},
        }

    def answer_swap(
        self,
        swap_id: str,
        done: bool,
        arrivals: Annotated[list[AnswerSwapArrival], {"maxItems": 20}],
    ) -> Result:
        """Enter a partner's answer to a swap; if it is done, the copies change hands, each stamp that comes in gets a
        label, and wants are struck off.

        Args:
            swap_id (str): Id of the swap, such as SWAP-00001.
            done (bool): Whether the swap takes place, or was refused.
            arrivals (list): One entry for each piece of the swap, none if refused: piece_id: piece of the swap
                that came in; an id such as SP-00001; label: label of the new copy, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swap = self.swaps.get(swap_id)
        if swap is None:
            return _refused(f"There is no swap {swap_id!r}.")
        entries, arrivals = arrivals, []
        for entry in entries:
            if entry["piece_id"] not in self.swap_pieces:
                return _refused(f"There is no swap piece {entry['piece_id']!r}.")
            arrivals.append({"piece": self.swap_pieces[entry["piece_id"]], "label": entry["label"]})
        if swap["status"] != "proposed":
            return _refused(f"That swap is {swap['status']}.")
        if not (done or len(arrivals) == 0):
            return _refused("Nothing comes in from a swap that is refused, so give no labels.")
        if not (
            _different([x["piece"]["id"] for x in arrivals])
            and all(x["piece"]["swap_id"] == swap_id for x in arrivals)
        ):
            return _refused("Name only pieces of that swap, and each once.")
        if done and len(arrivals) != len(self._swap_pieces_by_swap.get(swap_id, {})):
            return _refused(
                f"Give a label for each of the {len(self._swap_pieces_by_swap.get(swap_id, {}))} stamps that come in."
            )
        if not _different([x["label"] for x in arrivals]):
            return _refused("A label is given twice.")
        used_up = next((c for c in self.copies.values() if any(x["label"] == c["label"] for x in arrivals)), None)
        if used_up is not None:
            return _refused(f"There is a copy {used_up['label']} already.")
        self._journal = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        former_swap_ids: list[Any] = []
        added_copies: list[Any] = []
        changed_wants: list[Any] = []
        changed_swaps: list[Any] = []
        for c in sorted(self._copies_by_swap.get(swap_id, {}).values(), key=_age):
            if done:
                if c["status"] not in ("offered", "travelling", "gone"):
                    return self._take_back(f"Copy {c['label']} cannot go from {c['status']} to gone.")
                changed_copies.append(c)
                self._put("copies", c, "status", "gone")
            else:
                changed_copies_2.append(c)
                former_swap_ids.append(c["swap_id"])
                self._put("copies", c, "swap_id", None)
                if c["status"] not in ("kept", "offered", "travelling"):
                    return self._take_back(f"Copy {c['label']} cannot go from {c['status']} to kept.")
                changed_copies.append(c)
                self._put("copies", c, "status", "kept")
        if done:
            for x in sorted(arrivals, key=lambda x: (x["label"],)):
                paid = self._price_of(self.stamps[x["piece"]["stamp_id"]], x["piece"]["condition"])
                if not 0 <= paid <= 900000:
                    return self._take_back("The paid of a copy must be between 0.00 and 9,000.00.")
                copy = {
                    "id": self._new_id("copy", "COPY", self.copies),
                    "label": x["label"],
                    "stamp_id": x["piece"]["stamp_id"],
                    "condition": x["piece"]["condition"],
                    "came_on": self.now[:10],
                    "paid": paid,
                    "certified_by": None,
                    "swap_id": None,
                    "circuit_id": None,
                    "asking": None,
                    "status": "kept",
                }
                self._add("copies", copy)
                added_copies.append(copy)
                for w in [
                    w
                    for w in sorted(
                        self._wants_by_stamp_status.get((x["piece"]["stamp_id"], "open"), {}).values(),
                        key=_age,
                    )
                    if self._grade(w["at_least"]) <= self._grade(x["piece"]["condition"])
                ]:
                    if w["status"] not in ("open", "filled"):
                        return self._take_back(f"Want {w['id']} cannot go from {w['status']} to filled.")
                    changed_wants.append(w)
                    self._put("wants", w, "status", "filled")
            changed_swaps.append(swap)
            self._put("swaps", swap, "status", "done")
        else:
            if swap["status"] not in ("proposed", "refused"):
                return self._take_back(f"Swap {swap['id']} cannot go from {swap['status']} to refused.")
            changed_swaps.append(swap)
            self._put("swaps", swap, "status", "refused")
        for one_copy in added_copies:
            if len(self._copies_by_label.get(one_copy["label"], {})) > 1:
                return self._take_back(f"There is already a copy with the label {one_copy['label']!r}.")
        for one_copy_2 in _distinct([*changed_copies, *changed_copies_2, *added_copies]):
            if self._breaks_rule_1(one_copy_2):
                return self._take_back(RULES[0])
        for one_swap in _distinct(
            [
                *[self.swaps.get(one["swap_id"]) for one in changed_copies_2],
                *[self.swaps.get(key) for key in former_swap_ids],
                *[self.swaps.get(one["swap_id"]) for one in added_copies],
                *changed_swaps,
            ]
        ):
            if self._breaks_rule_2(one_swap):
                return self._take_back(RULES[1])
        for one_copy_2 in _distinct([*changed_copies, *added_copies]):
            if self._breaks_rule_3(one_copy_2):
                return self._take_back(RULES[2])
        for one_copy_2 in _distinct(added_copies):
            if self._breaks_rule_4(one_copy_2):
                return self._take_back(RULES[3])
        for one_want in _distinct(changed_wants):
            if self._breaks_rule_5(one_want):
                return self._take_back(RULES[4])
        for one_want in _distinct(
            [
                *[
                    user
                    for one in [self.stamps[one["stamp_id"]] for one in changed_copies]
                    for user in self._wants_by_stamp_status.get((one["id"], "open"), {}).values()
                ],
                *[
                    user
                    for one in [self.stamps[one["stamp_id"]] for one in added_copies]
                    for user in self._wants_by_stamp_status.get((one["id"], "open"), {}).values()
                ],
                *changed_wants,
            ]
        ):
            if self._breaks_rule_6(one_want):
                return self._take_back(RULES[5])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_7(one_swap):
                return self._take_back(RULES[6])
        for one_copy_2 in _distinct([*changed_copies, *added_copies]):
            if self._breaks_rule_10(one_copy_2):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: answer the swap with {self.partners[swap['partner_id']]['name']}.",
            "data": self._changes(),
        }

    def open_circuit(
        self,
        name: Text,
        first_partner_id: str,
        second_partner_id: str,
        third_partner_id: str | None = None,
    ) -> Result:
        """Open a circuit that will travel to one partner after the other.

        Args:
            name (str): Name of the new circuit, not in use yet.
            first_partner_id (str): Partner who gets the circuit first; an id such as PARTNER-00001.
            second_partner_id (str): Partner who gets it second; an id such as PARTNER-00001.
            third_partner_id (str, optional): Partner who gets it third; an id such as PARTNER-00001. If left out,
                it travels to two partners only.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        first_partner = self.partners.get(first_partner_id)
        if first_partner is None:
            return _refused(f"There is no partner {first_partner_id!r}.")
        second_partner = self.partners.get(second_partner_id)
        if second_partner is None:
            return _refused(f"There is no partner {second_partner_id!r}.")
        third_partner = self.partners.get(third_partner_id) if third_partner_id is not None else None
        if third_partner_id is not None and third_partner is None:
            return _refused(f"There is no partner {third_partner_id!r}.")
        if self._circuits_by_name.get(name, {}):
            return _refused(f"There is a circuit {name} already.")
        if first_partner is second_partner or first_partner is third_partner or second_partner is third_partner:
            return _refused("A partner is named twice.")
        self._journal = []
        added_stops: list[Any] = []
        circuit: Circuit = {
            "id": self._new_id("circuit", "CIRCUIT", self.circuits),
            "name": name,
            "stop": 0,
            "status": "packing",
        }
        self._add("circuits", circuit)
        stop: Stop = {
            "id": self._new_id("stop", "STOP", self.stops),
            "circuit_id": circuit["id"],
            "partner_id": first_partner_id,
            "position": 1,
        }
        self._add("stops", stop)
        new_stop: Stop = {
            "id": self._new_id("stop", "STOP", self.stops),
            "circuit_id": circuit["id"],
            "partner_id": second_partner_id,
            "position": 2,
        }
        self._add("stops", new_stop)
        for p in _those(self.partners, [third_partner_id]):
            new_stop_2 = {
                "id": self._new_id("stop", "STOP", self.stops),
                "circuit_id": circuit["id"],
                "partner_id": p["id"],
                "position": 3,
            }
            self._add("stops", new_stop_2)
            added_stops.append(new_stop_2)
        if len(self._circuits_by_name.get(circuit["name"], {})) > 1:
            return self._take_back(f"There is already a circuit with the name {circuit['name']!r}.")
        for one_stop in _distinct([stop, new_stop, *added_stops]):
            if self._breaks_rule_8_t(one_stop):
                return self._take_back(RULES[7])
        for one_stop in _distinct([stop, new_stop, *added_stops]):
            if self._breaks_rule_8_t_again(one_stop):
                return self._take_back(RULES[7])
        for one_stop in _distinct(
            [
                stop,
                new_stop,
                *self._stops_by_circuit.get(stop["circuit_id"], {}).values(),
                *self._stops_by_circuit.get(new_stop["circuit_id"], {}).values(),
                *added_stops,
                *[
                    user
                    for one in [self.circuits[one["circuit_id"]] for one in added_stops]
                    for user in self._stops_by_circuit.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_t_again_again(one_stop):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(circuit):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: open the circuit {name} (new: circuit {circuit['id']}, stop {stop['id']}, stop "
                f"{new_stop['id']})."
            ),
            "data": {
                "circuit_id": circuit["id"],
                "stop_id": stop["id"],
                "new_stop_id": new_stop["id"],
                **self._changes(),
            },
        }

    def put_in_circuit(
        self,
        copy_id: str,
        circuit_id: str,
        asking: Annotated[int, {"minimum": 0, "maximum": 900000}],
    ) -> Result:
        """Put a spare copy into a circuit that is being packed, with the price asked.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.
            circuit_id (str): Id of the circuit, such as CIRCUIT-00001.
            asking (int): Price asked for the copy, at most its value, in cents, from 0 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        circuit = self.circuits.get(circuit_id)
        if circuit is None:
            return _refused(f"There is no circuit {circuit_id!r}.")
        if circuit["status"] != "packing":
            return _refused(f"{circuit['name']} is {circuit['status']}.")
        if copy["status"] != "kept":
            return _refused(f"{copy['label']} is {copy['status']}.")
        if not self._spare(copy):
            return _refused(f"{copy['label']} is no duplicate.")
        if asking > self._copy_value(copy):
            return _refused(f"{copy['label']} is worth {_money(self._copy_value(copy))}.")
        if self._copy_value(copy) >= 10000 and copy["certified_by"] is None:
            return _refused(
                f"{copy['label']} is worth {_money(self._copy_value(copy))} and needs a certificate first."
            )
        self._journal = []
        self._put("copies", copy, "circuit_id", circuit_id)
        self._put("copies", copy, "asking", asking)
        self._put("copies", copy, "status", "travelling")
        if self._breaks_rule_1(copy):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(copy):
            return self._take_back(RULES[3])
        for one_want in _distinct(self._wants_by_stamp_status.get((copy["stamp_id"], "open"), {}).values()):
            if self._breaks_rule_6(one_want):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(copy):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: put {copy['label']} into {circuit['name']} for {_money(asking)}.",
            "data": self._changes(),
        }

    def pass_circuit(self, circuit_id: str) -> Result:
        """Send a circuit to its first or following partner, or home from the last one; what nobody took is kept
        again.

        Args:
            circuit_id (str): Id of the circuit, such as CIRCUIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        circuit = self.circuits.get(circuit_id)
        if circuit is None:
            return _refused(f"There is no circuit {circuit_id!r}.")
        if circuit["status"] == "home":
            return _refused(f"{circuit['name']} is home.")
        if self._circuit_contents(circuit) <= 0:
            return _refused(f"There is nothing in {circuit['name']}.")
        going_home = circuit["status"] == "travelling" and circuit["stop"] == self._last_stop(circuit)
        self._journal = []
        changed_circuits: list[Any] = []
        changed_circuits_2: list[Any] = []
        changed_copies: list[Any] = []
        changed_copies_2: list[Any] = []
        changed_copies_3: list[Any] = []
        changed_wants: list[Any] = []
        if going_home:
            changed_circuits.append(circuit)
            self._put("circuits", circuit, "stop", 0)
            if circuit["status"] not in ("travelling", "home"):
                return self._take_back(f"Circuit {circuit['name']} cannot go from {circuit['status']} to home.")
            changed_circuits_2.append(circuit)
            self._put("circuits", circuit, "status", "home")
            for c in sorted(self._copies_by_circuit_status.get((circuit_id, "travelling"), {}).values(), key=_age):
                changed_copies.append(c)
                self._put("copies", c, "circuit_id", None)
                changed_copies_2.append(c)
                self._put("copies", c, "asking", None)
                if c["status"] not in ("kept", "offered", "travelling"):
                    return self._take_back(f"Copy {c['label']} cannot go from {c['status']} to kept.")
                changed_copies_3.append(c)
                self._put("copies", c, "status", "kept")
                for w in [
                    w
                    for w in sorted(self._wants_by_stamp_status.get((c["stamp_id"], "open"), {}).values(), key=_age)
                    if self._grade(w["at_least"]) <= self._grade(c["condition"])
                ]:
                    if w["status"] not in ("open", "filled"):
                        return self._take_back(f"Want {w['id']} cannot go from {w['status']} to filled.")
                    changed_wants.append(w)
                    self._put("wants", w, "status", "filled")
        else:
            stop = circuit["stop"] + 1
            if not 0 <= stop <= 12:
                return self._take_back(f"The stop of {circuit['name']} must be between 0 and 12.")
            changed_circuits.append(circuit)
            self._put("circuits", circuit, "stop", stop)
            if circuit["status"] == "packing":
                if circuit["status"] not in ("packing", "travelling"):
                    return self._take_back(
                        f"Circuit {circuit['name']} cannot go from {circuit['status']} to travelling."
                    )
                changed_circuits_2.append(circuit)
                self._put("circuits", circuit, "status", "travelling")
        for one_copy in _distinct([*changed_copies, *changed_copies_2, *changed_copies_3]):
            if self._breaks_rule_1(one_copy):
                return self._take_back(RULES[0])
        for one_copy in _distinct(changed_copies_3):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        for one_copy in _distinct(changed_copies_2):
            if self._breaks_rule_4(one_copy):
                return self._take_back(RULES[3])
        for one_want in _distinct(changed_wants):
            if self._breaks_rule_5(one_want):
                return self._take_back(RULES[4])
        for one_want in _distinct(
            [
                *[
                    user
                    for one in [self.stamps[one["stamp_id"]] for one in changed_copies_3]
                    for user in self._wants_by_stamp_status.get((one["id"], "open"), {}).values()
                ],
                *changed_wants,
            ]
        ):
            if self._breaks_rule_6(one_want):
                return self._take_back(RULES[5])
        for one_circuit in _distinct([*changed_circuits, *changed_circuits_2]):
            if self._breaks_rule_9(one_circuit):
                return self._take_back(RULES[8])
        for one_copy in _distinct(
            [
                *[
                    user
                    for one in changed_circuits_2
                    for user in self._copies_by_circuit_status.get((one["id"], "travelling"), {}).values()
                ],
                *changed_copies,
                *changed_copies_3,
            ]
        ):
            if self._breaks_rule_10(one_copy):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: pass {circuit['name']} on.", "data": self._changes()}

    def take_out(self, copy_id: str) -> Result:
        """Enter that the partner who has a circuit takes a copy out of it and owes its price.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if copy["status"] != "travelling" or copy["circuit_id"] is None or copy["asking"] is None:
            return _refused(f"{copy['label']} is {copy['status']}.")
        who = self._holder(self.circuits[copy["circuit_id"]])
        if who is None:
            return _refused(f"{self.circuits[copy['circuit_id']]['name']} is with nobody yet.")
        if who["owes"] + copy["asking"] > 50000:
            return _refused(f"{who['name']} owes {_money(who['owes'])} and takes no more on credit.")
        self._journal = []
        owes = who["owes"] + copy["asking"]
        if not 0 <= owes <= 900000:
            return self._take_back(f"The owes of {who['name']} must be between 0.00 and 9,000.00.")
        self._put("partners", who, "owes", owes)
        self._put("copies", copy, "status", "gone")
        if self._breaks_rule_1(copy):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        for one_want in _distinct(self._wants_by_stamp_status.get((copy["stamp_id"], "open"), {}).values()):
            if self._breaks_rule_6(one_want):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(copy):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: enter that {copy['label']} was taken out.",
            "data": self._changes(),
        }

    def receive_payment(self, partner_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 900000}]) -> Result:
        """Enter what a partner has paid.

        Args:
            partner_id (str): Id of the partner, such as PARTNER-00001.
            amount (int): Money that was paid, at most what the partner owes, in cents, from 1 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        partner = self.partners.get(partner_id)
        if partner is None:
            return _refused(f"There is no partner {partner_id!r}.")
        if amount > partner["owes"]:
            return _refused(f"{partner['name']} owes {_money(partner['owes'])}, not {_money(amount)}.")
        self._journal = []
        owes = partner["owes"] - amount
        if not 0 <= owes <= 900000:
            return self._take_back(f"The owes of {partner['name']} must be between 0.00 and 9,000.00.")
        self._put("partners", partner, "owes", owes)
        return {
            "success": True,
            "message": f"Done: enter {_money(amount)} from {partner['name']}.",
            "data": self._changes(),
        }

    def _show_copy(self, copy: Copy) -> dict[str, Any]:
        """The copy as an answer shows it."""
        return {**copy, "value": self._copy_value(copy)}

    def _show_circuit(self, circuit: Circuit) -> dict[str, Any]:
        """The circuit as an answer shows it."""
        return {**circuit, "contents": self._circuit_contents(circuit)}

    def _names_of_copies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that copies point to."""
        return _names(
            (self.stamps, "name", [row["stamp_id"] for row in shown]),
            (self.circuits, "name", [row["circuit_id"] for row in shown]),
        )

    def _names_of_wants(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that wants point to."""
        return _names((self.stamps, "name", [row["stamp_id"] for row in shown]))

    def _names_of_swaps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that swaps point to."""
        return _names((self.partners, "name", [row["partner_id"] for row in shown]))

    def _names_of_swap_pieces(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that swap pieces point to."""
        return _names((self.stamps, "name", [row["stamp_id"] for row in shown]))

    def _names_of_stops(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stops point to."""
        return _names(
            (self.circuits, "name", [row["circuit_id"] for row in shown]),
            (self.partners, "name", [row["partner_id"] for row in shown]),
        )

    def _copy_value(self, copy: Copy) -> int:
        """The value of a copy."""
        return self._price_of(self.stamps[copy["stamp_id"]], copy["condition"])

    def _circuit_contents(self, circuit: Circuit) -> int:
        """The contents of a circuit."""
        return len(self._copies_by_circuit.get(circuit["id"], {}))

    def _price_of(self, s: Stamp, condition: str) -> int:
        return (
            s["mint_value"]
            if condition == "mint"
            else _rounded(Fraction(s["mint_value"] * 6, 10))
            if condition == "hinged"
            else s["used_value"]
            if condition == "used"
            else _rounded(Fraction(s["used_value"], 10))
        )

    def _grade(self, condition: str) -> int:
        return 4 if condition == "mint" else 3 if condition == "hinged" else 2 if condition == "used" else 1

    def _spare(self, c: Copy) -> bool:
        return any(
            self._grade(o["condition"]) > self._grade(c["condition"])
            or o["condition"] == c["condition"]
            and o["label"] < c["label"]
            for o in self._copies_by_stamp_status.get((c["stamp_id"], "kept"), {}).values()
            if o is not c
        )

    def _wanted(self, s: Stamp, condition: str) -> bool:
        return any(
            self._grade(w["at_least"]) <= self._grade(condition)
            for w in self._wants_by_stamp_status.get((s["id"], "open"), {}).values()
        )

    def _holder(self, k: Circuit) -> Partner | None:
        return next(
            (
                self.partners[t["partner_id"]]
                for t in sorted(self._stops_by_circuit.get(k["id"], {}).values(), key=_age)
                if t["position"] == k["stop"]
            ),
            None,
        )

    def _last_stop(self, k: Circuit) -> int:
        return (
            max((t["position"] for t in self._stops_by_circuit.get(k["id"], {}).values()), default=None)
            if max(
                (t["position"] for t in self._stops_by_circuit.get(k["id"], {}).values()),
                default=None,
            ) is not None
            else 0
        )

    def _mine_in(self, w: Swap) -> int:
        return sum(self._copy_value(c) for c in self._copies_by_swap.get(w["id"], {}).values())

    def _theirs_in(self, w: Swap) -> int:
        return sum(
            self._price_of(self.stamps[p["stamp_id"]], p["condition"])
            for p in self._swap_pieces_by_swap.get(w["id"], {}).values()
        )

    def _breaks_rule_1(self, c: Copy) -> bool:
        """Whether this is broken: an offered copy is in one swap, a travelling one in a circuit with its price, and a
        kept one in neither.
        """
        return not (
            (c["status"] != "kept" or c["swap_id"] is None and c["circuit_id"] is None)
            and (c["status"] != "offered" or c["swap_id"] is not None and c["circuit_id"] is None)
            and (c["status"] != "travelling" or c["circuit_id"] is not None and c["swap_id"] is None)
            and (c["circuit_id"] is None) == (c["asking"] is None)
        )

    def _breaks_rule_2(self, w: Swap) -> bool:
        """Whether this is broken: a swap is even to a tenth of its value on both sides."""
        return not (
            w["status"] == "refused"
            or self._mine_in(w) * 10 <= self._theirs_in(w) * 11
            and self._theirs_in(w) * 10 <= self._mine_in(w) * 11
        )

    def _breaks_rule_3(self, c: Copy) -> bool:
        """Whether this is broken: only copies worth less than 100.00 are offered or travel without a certificate."""
        return (
            c["status"] in ("offered", "travelling")
            and (self._copy_value(c) >= 10000 and c["certified_by"] is None)
        )

    def _breaks_rule_4(self, c: Copy) -> bool:
        """Whether this is broken: nobody is asked more than the catalogue says."""
        return c["asking"] is not None and c["asking"] > self._copy_value(c)

    def _breaks_rule_5(self, w: Want) -> bool:
        """Whether this is broken: a stamp stands once on the open want list."""
        return (
            w["status"] == "open"
            and any(
                other_w is not w
                for other_w in self._wants_by_stamp_status.get((w["stamp_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_6(self, w: Want) -> bool:
        """Whether this is broken: a want stays open only until a copy good enough is in the collection."""
        return (
            w["status"] == "open"
            and any(
                self._grade(c["condition"]) >= self._grade(w["at_least"])
                for c in self._copies_by_stamp_status.get((w["stamp_id"], "kept"), {}).values()
            )
        )

    def _breaks_rule_7(self, w: Swap) -> bool:
        """Whether this is broken: one partner has one proposal open at a time."""
        return (
            w["status"] == "proposed"
            and any(
                other_w is not w
                for other_w in self._swaps_by_partner_status.get((w["partner_id"], "proposed"), {}).values()
            )
        )

    def _breaks_rule_8_t(self, t: Stop) -> bool:
        """Whether this is broken: a circuit visits nobody twice, and its stops are numbered without a gap."""
        return any(
            other_t is not t
            for other_t in self._stops_by_circuit_partner.get((t["circuit_id"], t["partner_id"]), {}).values()
        )

    def _breaks_rule_8_t_again(self, t: Stop) -> bool:
        """Whether this is broken: a circuit visits nobody twice, and its stops are numbered without a gap."""
        return any(
            other_t is not t
            for other_t in self._stops_by_circuit.get(t["circuit_id"], {}).values()
            if other_t["position"] == t["position"]
        )

    def _breaks_rule_8_t_again_again(self, t: Stop) -> bool:
        """Whether this is broken: a circuit visits nobody twice, and its stops are numbered without a gap."""
        return not (
            t["position"] == 1
            or any(
                u["position"] + 1 == t["position"]
                for u in self._stops_by_circuit.get(t["circuit_id"], {}).values()
            )
        )

    def _breaks_rule_9(self, k: Circuit) -> bool:
        """Whether this is broken: a circuit is with somebody while it travels and with nobody otherwise."""
        return (k["status"] == "travelling") != (k["stop"] > 0)

    def _breaks_rule_10(self, c: Copy) -> bool:
        """Whether this is broken: nothing travels in a circuit that has come home."""
        return (
            c["status"] == "travelling"
            and c["circuit_id"] is not None
            and self.circuits[c["circuit_id"]]["status"] == "home"
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
            case "copies":
                self._copies_by_circuit.setdefault(record["circuit_id"], {})[record["id"]] = record
                self._copies_by_circuit_status.setdefault(
                    (record["circuit_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._copies_by_label.setdefault(record["label"], {})[record["id"]] = record
                self._copies_by_stamp.setdefault(record["stamp_id"], {})[record["id"]] = record
                self._copies_by_stamp_status.setdefault((record["stamp_id"], record["status"]), {})[record["id"]] = record
                self._copies_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._copies_by_swap.setdefault(record["swap_id"], {})[record["id"]] = record
            case "wants":
                self._wants_by_stamp_status.setdefault((record["stamp_id"], record["status"]), {})[record["id"]] = record
            case "swaps":
                self._swaps_by_partner_status.setdefault(
                    (record["partner_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._swaps_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "swap_pieces":
                self._swap_pieces_by_swap.setdefault(record["swap_id"], {})[record["id"]] = record
            case "circuits":
                self._circuits_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "stops":
                self._stops_by_circuit.setdefault(record["circuit_id"], {})[record["id"]] = record
                self._stops_by_circuit_partner.setdefault(
                    (record["circuit_id"], record["partner_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "copies":
                del self._copies_by_circuit[record["circuit_id"]][record["id"]]
                del self._copies_by_circuit_status[record["circuit_id"], record["status"]][record["id"]]
                del self._copies_by_label[record["label"]][record["id"]]
                del self._copies_by_stamp[record["stamp_id"]][record["id"]]
                del self._copies_by_stamp_status[record["stamp_id"], record["status"]][record["id"]]
                del self._copies_by_status[record["status"]][record["id"]]
                del self._copies_by_swap[record["swap_id"]][record["id"]]
            case "wants":
                del self._wants_by_stamp_status[record["stamp_id"], record["status"]][record["id"]]
            case "swaps":
                del self._swaps_by_partner_status[record["partner_id"], record["status"]][record["id"]]
                del self._swaps_by_status[record["status"]][record["id"]]
            case "swap_pieces":
                del self._swap_pieces_by_swap[record["swap_id"]][record["id"]]
            case "circuits":
                del self._circuits_by_name[record["name"]][record["id"]]
            case "stops":
                del self._stops_by_circuit[record["circuit_id"]][record["id"]]
                del self._stops_by_circuit_partner[record["circuit_id"], record["partner_id"]][record["id"]]
