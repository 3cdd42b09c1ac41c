"""Grain elevator. Compiled from blueprint.yaml; run `envscaler build grain_elevator` after changing it there.

Takes grain in on tickets with a discount for moisture, keeps bins of one grade each, blends, and issues
warehouse receipts against which grain is pledged, endorsed and shipped.
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
    "No bin holds more than its capacity.",
    "A bin with grain has one grade, and an empty one has none.",
    "The grain of a bin has the protein and the dryness of its grade.",
    "There is never less grain of a grade in the bins than open receipts promise.",
    "Shipments never exceed what their receipt is for.",
    "Nothing is shipped against a pledged receipt.",
    "A receipt that is used up has nothing left, and an open one has.",
    "A ticket that was unloaded names its bin, and no other does.",
    "A ticket has a receipt once it is receipted, for the same grade.",
    "A rejected ticket says why, and no other does.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "weigh_in",
    "unload",
    "reject_ticket",
    "issue_receipt",
    "pledge_receipt",
    "release_receipt",
    "endorse_receipt",
    "plan_shipment",
    "load_shipment",
    "cancel_shipment",
    "blend_bins",
    "fumigate_bin",
    "open_bin",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "grades": ("name",),
    "bins": ("code",),
    "farmers": ("name",),
    "receipts": ("number",),
    "tickets": ("number",),
    "shipments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bins", "grade_id"),
    ("receipts", "grade_id"),
    ("receipts", "holder_id"),
    ("receipts", "number"),
    ("receipts", "status"),
    ("shipments", "receipt_id"),
    ("shipments", "status"),
    ("tickets", "farmer_id"),
    ("tickets", "grade_id"),
    ("tickets", "number"),
    ("tickets", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Grade(TypedDict):
    id: str
    name: str
    crop: Literal["wheat", "barley", "maize"]
    moisture: int
    shrink: int
    protein: int


class Bin(TypedDict):
    id: str
    code: str
    capacity: int
    grade_id: str | None
    kilos: int
    moisture: int
    protein: int
    gassed_on: str | None
    status: Literal["open", "fumigated"]


class Farmer(TypedDict):
    id: str
    name: str


class Receipt(TypedDict):
    id: str
    number: str
    holder_id: str
    grade_id: str
    kilos: int
    issued_on: str
    pledged_to: str | None
    status: Literal["open", "used"]


class Ticket(TypedDict):
    id: str
    number: str
    farmer_id: str
    grade_id: str
    gross: int
    moisture: int
    protein: int
    dockage: int
    weighed_on: str
    bin_id: str | None
    receipt_id: str | None
    rejected_for: str | None
    status: Literal["weighed", "binned", "rejected", "receipted"]


class Shipment(TypedDict):
    id: str
    receipt_id: str
    kilos: int
    truck: str
    status: Literal["planned", "loaded", "cancelled"]


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


class GrainElevator:
    """Takes grain in on tickets with a discount for moisture, keeps bins of one grade each, blends, and
    issues warehouse receipts against which grain is pledged, endorsed and shipped.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.grades: dict[str, Grade] = _copied(config.get("grades", {}))
        self.bins: dict[str, Bin] = _copied(config.get("bins", {}))
        self.farmers: dict[str, Farmer] = _copied(config.get("farmers", {}))
        self.receipts: dict[str, Receipt] = _copied(config.get("receipts", {}))
        self.tickets: dict[str, Ticket] = _copied(config.get("tickets", {}))
        self.shipments: dict[str, Shipment] = _copied(config.get("shipments", {}))
        self.now: str = config.get("now", "2026-08-20T15:30")
        self.counters: dict[str, int] = {
            "grade": len(self.grades),
            "bin": len(self.bins),
            "farmer": len(self.farmers),
            "receipt": len(self.receipts),
            "ticket": len(self.tickets),
            "shipment": len(self.shipments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._bins_by_grade: dict[Any, dict[str, Bin]] = {}
        self._receipts_by_grade_status: dict[Any, dict[str, Receipt]] = {}
        self._receipts_by_holder_status: dict[Any, dict[str, Receipt]] = {}
        self._receipts_by_number: dict[Any, dict[str, Receipt]] = {}
        self._tickets_by_farmer_grade_status: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_number: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_status: dict[Any, dict[str, Ticket]] = {}
        self._shipments_by_receipt_status: dict[Any, dict[str, Shipment]] = {}
        for bin in self.bins.values():
            self._link("bins", bin)
        for receipt in self.receipts.values():
            self._link("receipts", receipt)
        for ticket in self.tickets.values():
            self._link("tickets", ticket)
        for shipment in self.shipments.values():
            self._link("shipments", shipment)

    def bins_for(self, ticket_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Open bins that could take the load of a ticket, those with the most room first.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bins": records}} or {"success": False, "error": why
                not}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        found = [b for b in self.bins.values() if self._takes(b, ticket)]
        found.sort(key=lambda b: (-self._bin_room(b), b["code"], _age(b)))
        shown = [
            {
                "id": b["id"],
                "code": b["code"],
                "grade": b["grade_id"],
                "room": self._bin_room(b),
                "net_of_ticket": self._ticket_net(ticket),
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "bins": shown},
            _names((self.grades, "name", [row["grade"] for row in shown])),
        )

    def waiting_for_receipt(
        self,
        farmer_id: str | None = None,
        grade_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Unloaded tickets that have no receipt yet.

        Args:
            farmer_id (str, optional): Only tickets of this farmer; an id such as FARMER-00001. If left out, the
                tickets of all farmers are listed.
            grade_id (str, optional): Only tickets of this grade of grain; an id such as GRADE-00001. If left out,
                tickets of every grade are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}} or {"success": False, "error": why
                not}
        """
        farmer = self.farmers.get(farmer_id) if farmer_id is not None else None
        if farmer_id is not None and farmer is None:
            return _refused(f"There is no farmer {farmer_id!r}.")
        grade = self.grades.get(grade_id) if grade_id is not None else None
        if grade_id is not None and grade is None:
            return _refused(f"There is no grade {grade_id!r}.")
        found = [
            t
            for t in self._tickets_by_status.get("binned", {}).values()
            if (farmer_id is None or t["farmer_id"] == farmer_id)
            and (grade_id is None or t["grade_id"] == grade_id)
        ]
        found.sort(key=lambda t: (t["weighed_on"], t["number"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tickets": [
                    {
                        "id": t["id"],
                        "number": t["number"],
                        "farmer": self.farmers[t["farmer_id"]]["name"],
                        "grade": self.grades[t["grade_id"]]["name"],
                        "net": self._ticket_net(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def grade_position(self, grade_id: str) -> Result:
        """How much of a grade lies in the bins, how much of it is promised by receipts and how much is not.

        Args:
            grade_id (str): Id of the grade, such as GRADE-00001.

        Returns:
            dict: {"success": True, "data": {stock, owed, uncovered, bins}} or {"success": False, "error": why not}
        """
        grade = self.grades.get(grade_id)
        if grade is None:
            return _refused(f"There is no grade {grade_id!r}.")
        return _found(
            {
                "stock": self._grade_stock(grade),
                "owed": self._grade_owed(grade),
                "uncovered": self._grade_uncovered(grade),
                "bins": [*[b["code"] for b in sorted(self._bins_by_grade.get(grade_id, {}).values(), key=_age)]],
            }
        )

    def list_grades(
        self,
        name: Text | None = None,
        crop: Literal["wheat", "barley", "maize"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the grades, oldest first, all of them or only some.

        Args:
            name (str, optional): Only grades whose name contains this text.
            crop (str, optional): Only grades with this crop.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "grades": records}}
        """
        found = [
            grade
            for grade in self.grades.values()
            if (name is None or name.casefold() in grade["name"].casefold())
            and (crop is None or grade["crop"] == crop)
        ]
        return _found({"total": len(found), "grades": [self._show_grade(grade) for grade in _page(found, offset)]})

    def list_bins(
        self,
        code: Text | None = None,
        grade_id: str | None = None,
        status: Literal["open", "fumigated"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bins, oldest first, all of them or only some.

        Args:
            code (str, optional): Only bins whose code contains this text.
            grade_id (str, optional): Only bins of this grade.
            status (str, optional): Only bins with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bins": records}}
        """
        if grade_id is not None and grade_id not in self.grades:
            return _refused(f"There is no grade {grade_id!r}.")
        found = [
            bin
            for bin in self.bins.values()
            if (code is None or code.casefold() in bin["code"].casefold())
            and (grade_id is None or bin["grade_id"] == grade_id)
            and (status is None or bin["status"] == status)
        ]
        shown = [self._show_bin(bin) for bin in _page(found, offset)]
        return _found({"total": len(found), "bins": shown}, self._names_of_bins(shown))

    def list_farmers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the farmers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only farmers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "farmers": records}}
        """
        found = [
            farmer
            for farmer in self.farmers.values()
            if (name is None or name.casefold() in farmer["name"].casefold())
        ]
        return _found(
            {"total": len(found), "farmers": [self._show_farmer(farmer) for farmer in _page(found, offset)]}
        )

    def list_receipts(
        self,
        number: Text | None = None,
        holder_id: str | None = None,
        grade_id: str | None = None,
        status: Literal["open", "used"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the receipts, oldest first, all of them or only some.

        Args:
            number (str, optional): Only receipts whose number contains this text.
            holder_id (str, optional): Only receipts whose holder is this farmer.
            grade_id (str, optional): Only receipts of this grade.
            status (str, optional): Only receipts with this status.
            issued_on_from (str, optional): Only receipts whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only receipts whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "receipts": records}}
        """
        if holder_id is not None and holder_id not in self.farmers:
            return _refused(f"There is no farmer {holder_id!r}.")
        if grade_id is not None and grade_id not in self.grades:
            return _refused(f"There is no grade {grade_id!r}.")
        found = [
            receipt
            for receipt in self.receipts.values()
            if (number is None or number.casefold() in receipt["number"].casefold())
            and (holder_id is None or receipt["holder_id"] == holder_id)
            and (grade_id is None or receipt["grade_id"] == grade_id)
            and (status is None or receipt["status"] == status)
            and (issued_on_from is None or receipt["issued_on"] >= issued_on_from)
            and (issued_on_to is None or receipt["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_receipt(receipt) for receipt in _page(found, offset)]
        return _found({"total": len(found), "receipts": shown}, self._names_of_receipts(shown))

    def list_tickets(
        self,
        number: Text | None = None,
        farmer_id: str | None = None,
        grade_id: str | None = None,
        bin_id: str | None = None,
        receipt_id: str | None = None,
        status: Literal["weighed", "binned", "rejected", "receipted"] | None = None,
        weighed_on_from: Date | None = None,
        weighed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tickets, oldest first, all of them or only some.

        Args:
            number (str, optional): Only tickets whose number contains this text.
            farmer_id (str, optional): Only tickets of this farmer.
            grade_id (str, optional): Only tickets of this grade.
            bin_id (str, optional): Only tickets of this bin.
            receipt_id (str, optional): Only tickets of this receipt.
            status (str, optional): Only tickets with this status.
            weighed_on_from (str, optional): Only tickets whose `weighed_on` is on this day or later.
            weighed_on_to (str, optional): Only tickets whose `weighed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}}
        """
        if farmer_id is not None and farmer_id not in self.farmers:
            return _refused(f"There is no farmer {farmer_id!r}.")
        if grade_id is not None and grade_id not in self.grades:
            return _refused(f"There is no grade {grade_id!r}.")
        if bin_id is not None and bin_id not in self.bins:
            return _refused(f"There is no bin {bin_id!r}.")
        if receipt_id is not None and receipt_id not in self.receipts:
            return _refused(f"There is no receipt {receipt_id!r}.")
        found = [
            ticket
            for ticket in self.tickets.values()
            if (number is None or number.casefold() in ticket["number"].casefold())
            and (farmer_id is None or ticket["farmer_id"] == farmer_id)
            and (grade_id is None or ticket["grade_id"] == grade_id)
            and (bin_id is None or ticket["bin_id"] == bin_id)
            and (receipt_id is None or ticket["receipt_id"] == receipt_id)
            and (status is None or ticket["status"] == status)
            and (weighed_on_from is None or ticket["weighed_on"] >= weighed_on_from)
            and (weighed_on_to is None or ticket["weighed_on"] <= weighed_on_to)
        ]
        shown = [self._show_ticket(ticket) for ticket in _page(found, offset)]
        return _found({"total": len(found), "tickets": shown}, self._names_of_tickets(shown))

    def list_shipments(
        self,
        receipt_id: str | None = None,
        status: Literal["planned", "loaded", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shipments, oldest first, all of them or only some.

        Args:
            receipt_id (str, optional): Only shipments of this receipt.
            status (str, optional): Only shipments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shipments": records}}
        """
        if receipt_id is not None and receipt_id not in self.receipts:
            return _refused(f"There is no receipt {receipt_id!r}.")
        found = [
            shipment
            for shipment in self.shipments.values()
            if (receipt_id is None or shipment["receipt_id"] == receipt_id)
            and (status is None or shipment["status"] == status)
        ]
        shown = [{**shipment} for shipment in _page(found, offset)]
        return _found({"total": len(found), "shipments": shown}, self._names_of_shipments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def weigh_in(
        self,
        number: Text,
        farmer_id: str,
        grade_id: str,
        gross: Annotated[int, {"minimum": 100, "maximum": 60000}],
        moisture: Annotated[int, {"minimum": 80, "maximum": 260}],
        protein: Annotated[int, {"minimum": 50, "maximum": 220}],
        dockage: Annotated[int, {"minimum": 0, "maximum": 150}] = 0,
    ) -> Result:
        """Weigh a load in and open a ticket; moisture, protein and dockage (chaff, weed seed and other foreign
        matter) are in tenths of a percent.

        Args:
            number (str): Number of the new ticket, not in use yet.
            farmer_id (str): Id of the farmer, such as FARMER-00001.
            grade_id (str): Id of the grade, such as GRADE-00001.
            gross (int): Weight of the load in kilograms, before any deduction, from 100 to 60000.
            moisture (int): Moisture of the grain in tenths of a percent, from 80 to 260.
            protein (int): Protein of the grain in tenths of a percent, from 50 to 220.
            dockage (int): Foreign matter in the load, in tenths of a percent, from 0 to 150. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        farmer = self.farmers.get(farmer_id)
        if farmer is None:
            return _refused(f"There is no farmer {farmer_id!r}.")
        grade = self.grades.get(grade_id)
        if grade is None:
            return _refused(f"There is no grade {grade_id!r}.")
        if self._tickets_by_number.get(number, {}):
            return _refused(f"There is a ticket {number} already.")
        if moisture > grade["moisture"] + 60:
            return _refused(
                f"{moisture} tenths of moisture are too wet; {grade['name']} is taken up to {grade['moisture'] + 60}."
            )
        if protein < grade["protein"]:
            return _refused(f"{grade['name']} needs {grade['protein']} tenths of protein, not {protein}.")
        self._journal = []
        ticket: Ticket = {
            "id": self._new_id("ticket", "TICKET", self.tickets),
            "number": number,
            "farmer_id": farmer_id,
            "grade_id": grade_id,
            "gross": gross,
            "moisture": moisture,
            "protein": protein,
            "dockage": dockage,
            "weighed_on": self.now[:10],
            "bin_id": None,
            "receipt_id": None,
            "rejected_for": None,
            "status": "weighed",
        }
        self._add("tickets", ticket)
        if len(self._tickets_by_number.get(ticket["number"], {})) > 1:
            return self._take_back(f"There is already a ticket with the number {ticket['number']!r}.")
        if self._breaks_rule_8(ticket):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ticket):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ticket):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: weigh in {gross} kilos of {grade['name']} for {farmer['name']} as {number} (new: ticket "
                f"{ticket['id']})."
            ),
            "data": {"ticket_id": ticket["id"], **self._changes()},
        }

    def unload(self, ticket_id: str, bin_id: str) -> Result:
        """Unload a weighed load into a bin that is empty or holds its grade; only the net weight counts, after
        dockage and the moisture discount.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            bin_id (str): Id of the bin, such as BIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if ticket["status"] != "weighed":
            return _refused(f"{ticket['number']} is {ticket['status']}.")
        if bin["status"] != "open":
            return _refused(f"{bin['code']} is fumigated, so open it first.")
        if bin["grade_id"] is not None and bin["grade_id"] != ticket["grade_id"]:
            return _refused(
                f"{bin['code']} holds {self.grades[bin['grade_id']]['name']}, and {ticket['number']} is "
                f"{self.grades[ticket['grade_id']]['name']}."
            )
        if self._ticket_net(ticket) > self._bin_room(bin):
            return _refused(
                f"{bin['code']} has room for {self._bin_room(bin)} kilos, not {self._ticket_net(ticket)}."
            )
        self._journal = []
        moisture = self._mixed(
            bin["moisture"],
            bin["kilos"],
            min(ticket["moisture"], self.grades[ticket["grade_id"]]["moisture"]),
            self._ticket_net(ticket),
        )
        if not 0 <= moisture <= 200:
            return self._take_back(f"The moisture of {bin['code']} must be between 0 and 200.")
        self._put("bins", bin, "moisture", moisture)
        protein = self._mixed(bin["protein"], bin["kilos"], ticket["protein"], self._ticket_net(ticket))
        if not 0 <= protein <= 200:
            return self._take_back(f"The protein of {bin['code']} must be between 0 and 200.")
        self._put("bins", bin, "protein", protein)
        kilos = bin["kilos"] + self._ticket_net(ticket)
        if not 0 <= kilos <= 900000:
            return self._take_back(f"The kilos of {bin['code']} must be between 0 and 900000.")
        self._put("bins", bin, "kilos", kilos)
        former_grade_id = bin["grade_id"]
        self._put("bins", bin, "grade_id", ticket["grade_id"])
        self._put("tickets", ticket, "bin_id", bin_id)
        self._put("tickets", ticket, "status", "binned")
        if self._breaks_rule_1(bin):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(bin):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bin):
            return self._take_back(RULES[2])
        for one_grade in _distinct([self.grades.get(bin["grade_id"]), self.grades.get(former_grade_id)]):
            if self._breaks_rule_4(one_grade):
                return self._take_back(RULES[3])
        if self._breaks_rule_8(ticket):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ticket):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ticket):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: unload {ticket['number']} into {bin['code']}.",
            "data": self._changes(),
        }

    def reject_ticket(self, ticket_id: str, reason: Text) -> Result:
        """Turn a weighed load away.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.
            reason (str): Why the load is turned away.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if ticket["status"] != "weighed":
            return _refused(f"{ticket['number']} is {ticket['status']}.")
        self._journal = []
        self._put("tickets", ticket, "rejected_for", reason)
        self._put("tickets", ticket, "status", "rejected")
        if self._breaks_rule_8(ticket):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(ticket):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ticket):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: reject {ticket['number']} with the reason {reason}.",
            "data": self._changes(),
        }

    def issue_receipt(self, number: Text, farmer_id: str, grade_id: str) -> Result:
        """Issue a warehouse receipt over all unloaded tickets of a farmer in a grade that have none yet.

        Args:
            number (str): Number of the new warehouse receipt, not in use yet.
            farmer_id (str): Id of the farmer, such as FARMER-00001.
            grade_id (str): Id of the grade, such as GRADE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        farmer = self.farmers.get(farmer_id)
        if farmer is None:
            return _refused(f"There is no farmer {farmer_id!r}.")
        grade = self.grades.get(grade_id)
        if grade is None:
            return _refused(f"There is no grade {grade_id!r}.")
        if self._receipts_by_number.get(number, {}):
            return _refused(f"There is a receipt {number} already.")
        loads = self._unreceipted(farmer, grade)
        total = sum(self._ticket_net(t) for t in loads)
        if total <= 0:
            return _refused(f"{farmer['name']} has no unloaded {grade['name']} without a receipt.")
        if total > self._grade_uncovered(grade):
            return _refused(
                f"The bins hold {self._grade_uncovered(grade)} kilos of {grade['name']} that are not promised, "
                f"not {total}."
            )
        self._journal = []
        changed_tickets: list[Any] = []
        changed_tickets_2: list[Any] = []
        if not 1 <= total <= 5000000:
            return self._take_back("The kilos of a receipt must be between 1 and 5000000.")
        receipt: Receipt = {
            "id": self._new_id("receipt", "RECEIPT", self.receipts),
            "number": number,
            "holder_id": farmer_id,
            "grade_id": grade_id,
            "kilos": total,
            "issued_on": self.now[:10],
            "pledged_to": None,
            "status": "open",
        }
        self._add("receipts", receipt)
        for t in list(loads):
            changed_tickets.append(t)
            self._put("tickets", t, "receipt_id", receipt["id"])
            if t["status"] not in ("binned", "receipted"):
                return self._take_back(f"Ticket {t['number']} cannot go from {t['status']} to receipted.")
            changed_tickets_2.append(t)
            self._put("tickets", t, "status", "receipted")
        if len(self._receipts_by_number.get(receipt["number"], {})) > 1:
            return self._take_back(f"There is already a receipt with the number {receipt['number']!r}.")
        if self._breaks_rule_4(self.grades[receipt["grade_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(receipt):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(receipt):
            return self._take_back(RULES[6])
        for one_ticket in _distinct(changed_tickets_2):
            if self._breaks_rule_8(one_ticket):
                return self._take_back(RULES[7])
        for one_ticket in _distinct([*changed_tickets, *changed_tickets_2]):
            if self._breaks_rule_9(one_ticket):
                return self._take_back(RULES[8])
        for one_ticket in _distinct(changed_tickets_2):
            if self._breaks_rule_10(one_ticket):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: issue receipt {number} to {farmer['name']} for {grade['name']} (new: receipt "
                f"{receipt['id']})."
            ),
            "data": {"receipt_id": receipt["id"], **self._changes()},
        }

    def pledge_receipt(self, receipt_id: str, bank: Text) -> Result:
        """Note that a receipt is pledged to a bank; planned shipments have to be cancelled first.

        Args:
            receipt_id (str): Id of the receipt, such as RECEIPT-00001.
            bank (str): Name of the bank the receipt is pledged to.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        receipt = self.receipts.get(receipt_id)
        if receipt is None:
            return _refused(f"There is no receipt {receipt_id!r}.")
        if receipt["status"] != "open":
            return _refused(f"{receipt['number']} is used up.")
        if receipt["pledged_to"] is not None:
            return _refused(f"{receipt['number']} is pledged to {receipt['pledged_to']} already.")
        if len(self._planned_for(receipt)) != 0:
            return _refused(
                f"{len(self._planned_for(receipt))} shipments against {receipt['number']} are planned, so cancel "
                "them."
            )
        self._journal = []
        self._put("receipts", receipt, "pledged_to", bank)
        for one_shipment in _distinct(self._shipments_by_receipt_status.get((receipt["id"], "planned"), {}).values()):
            if self._breaks_rule_6(one_shipment):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: pledge {receipt['number']} to {bank}.", "data": self._changes()}

    def release_receipt(self, receipt_id: str) -> Result:
        """Note that a bank has released a pledged receipt.

        Args:
            receipt_id (str): Id of the receipt, such as RECEIPT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        receipt = self.receipts.get(receipt_id)
        if receipt is None:
            return _refused(f"There is no receipt {receipt_id!r}.")
        if receipt["pledged_to"] is None:
            return _refused(f"{receipt['number']} is not pledged.")
        self._journal = []
        self._put("receipts", receipt, "pledged_to", None)
        for one_shipment in _distinct(self._shipments_by_receipt_status.get((receipt["id"], "planned"), {}).values()):
            if self._breaks_rule_6(one_shipment):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: release {receipt['number']}.", "data": self._changes()}

    def endorse_receipt(self, receipt_id: str, farmer_id: str) -> Result:
        """Endorse a receipt to another farmer.

        Args:
            receipt_id (str): Id of the receipt, such as RECEIPT-00001.
            farmer_id (str): Id of the farmer, such as FARMER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        receipt = self.receipts.get(receipt_id)
        if receipt is None:
            return _refused(f"There is no receipt {receipt_id!r}.")
        farmer = self.farmers.get(farmer_id)
        if farmer is None:
            return _refused(f"There is no farmer {farmer_id!r}.")
        if receipt["status"] != "open":
            return _refused(f"{receipt['number']} is used up.")
        if receipt["pledged_to"] is not None:
            return _refused(f"{receipt['number']} is pledged to {receipt['pledged_to']}, who must release it first.")
        if receipt["holder_id"] == farmer_id:
            return _refused(f"{farmer['name']} holds {receipt['number']} already.")
        if len(self._planned_for(receipt)) != 0:
            return _refused(
                f"{len(self._planned_for(receipt))} shipments against {receipt['number']} are planned, so cancel "
                "them."
            )
        self._journal = []
        self._put("receipts", receipt, "holder_id", farmer_id)
        return {
            "success": True,
            "message": f"Done: endorse {receipt['number']} to {farmer['name']}.",
            "data": self._changes(),
        }

    def plan_shipment(
        self,
        receipt_id: str,
        kilos: Annotated[int, {"minimum": 100, "maximum": 60000}],
        truck: Text,
    ) -> Result:
        """Plan a truck against a receipt.

        Args:
            receipt_id (str): Id of the receipt, such as RECEIPT-00001.
            kilos (int): Grain to be loaded, in kilograms, from 100 to 60000.
            truck (str): Number plate or other name of the truck.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        receipt = self.receipts.get(receipt_id)
        if receipt is None:
            return _refused(f"There is no receipt {receipt_id!r}.")
        if receipt["status"] != "open":
            return _refused(f"{receipt['number']} is used up.")
        if receipt["pledged_to"] is not None:
            return _refused(f"{receipt['number']} is pledged to {receipt['pledged_to']}, who must release it first.")
        if kilos > self._receipt_bookable(receipt):
            return _refused(
                f"{receipt['number']} has {self._receipt_bookable(receipt)} kilos that are not planned yet, not "
                f"{kilos}."
            )
        self._journal = []
        shipment: Shipment = {
            "id": self._new_id("shipment", "SHIPMENT", self.shipments),
            "receipt_id": receipt_id,
            "kilos": kilos,
            "truck": truck,
            "status": "planned",
        }
        self._add("shipments", shipment)
        if self._breaks_rule_4(self.grades[self.receipts[shipment["receipt_id"]]["grade_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.receipts[shipment["receipt_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shipment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.receipts[shipment["receipt_id"]]):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: plan {kilos} kilos against {receipt['number']} on truck {truck} (new: shipment "
                f"{shipment['id']})."
            ),
            "data": {"shipment_id": shipment["id"], **self._changes()},
        }

    def load_shipment(self, shipment_id: str, bin_id: str) -> Result:
        """Load a planned truck out of an open bin of the grade.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            bin_id (str): Id of the bin, such as BIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if shipment["status"] != "planned":
            return _refused(f"That shipment is {shipment['status']}.")
        if bin["status"] != "open":
            return _refused(f"{bin['code']} is fumigated, so open it first.")
        if bin["grade_id"] != self.receipts[shipment["receipt_id"]]["grade_id"]:
            return _refused(
                f"{bin['code']} does not hold "
                f"{self.grades[self.receipts[shipment['receipt_id']]['grade_id']]['name']}."
            )
        if shipment["kilos"] > bin["kilos"]:
            return _refused(f"{bin['code']} holds {bin['kilos']} kilos, not {shipment['kilos']}.")
        self._journal = []
        changed_bins: list[Any] = []
        former_grade_ids: list[Any] = []
        changed_bins_2: list[Any] = []
        changed_bins_3: list[Any] = []
        changed_receipts: list[Any] = []
        kilos = bin["kilos"] - shipment["kilos"]
        if not 0 <= kilos <= 900000:
            return self._take_back(f"The kilos of {bin['code']} must be between 0 and 900000.")
        self._put("bins", bin, "kilos", kilos)
        if bin["kilos"] == 0:
            changed_bins.append(bin)
            former_grade_ids.append(bin["grade_id"])
            self._put("bins", bin, "grade_id", None)
            changed_bins_2.append(bin)
            self._put("bins", bin, "moisture", 0)
            changed_bins_3.append(bin)
            self._put("bins", bin, "protein", 0)
        self._put("shipments", shipment, "status", "loaded")
        if self._receipt_left(self.receipts[shipment["receipt_id"]]) <= 0:
            receipt = self.receipts[shipment["receipt_id"]]
            changed_receipts.append(receipt)
            self._put("receipts", receipt, "status", "used")
        if self._breaks_rule_1(bin):
            return self._take_back(RULES[0])
        for one_bin in _distinct([bin, *changed_bins]):
            if self._breaks_rule_2(one_bin):
                return self._take_back(RULES[1])
        for one_bin in _distinct([*changed_bins, *changed_bins_2, *changed_bins_3]):
            if self._breaks_rule_3(one_bin):
                return self._take_back(RULES[2])
        for one_grade in _distinct(
            [
                self.grades.get(bin["grade_id"]),
                self.grades[self.receipts[shipment["receipt_id"]]["grade_id"]],
                *[self.grades.get(one["grade_id"]) for one in changed_bins],
                *[self.grades.get(key) for key in former_grade_ids],
                *[self.grades[one["grade_id"]] for one in changed_receipts],
            ]
        ):
            if self._breaks_rule_4(one_grade):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.receipts[shipment["receipt_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shipment):
            return self._take_back(RULES[5])
        for one_receipt in _distinct([self.receipts[shipment["receipt_id"]], *changed_receipts]):
            if self._breaks_rule_7(one_receipt):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: load {shipment['kilos']} kilos against {self.receipts[shipment['receipt_id']]['number']} "
                f"from {bin['code']}."
            ),
            "data": self._changes(),
        }

    def cancel_shipment(self, shipment_id: str) -> Result:
        """Cancel a planned shipment.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] != "planned":
            return _refused(f"That shipment is {shipment['status']}.")
        self._journal = []
        self._put("shipments", shipment, "status", "cancelled")
        if self._breaks_rule_4(self.grades[self.receipts[shipment["receipt_id"]]["grade_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.receipts[shipment["receipt_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shipment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.receipts[shipment["receipt_id"]]):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: cancel the shipment of {shipment['kilos']} kilos against "
                f"{self.receipts[shipment['receipt_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def blend_bins(
        self,
        source_id: str,
        target_id: str,
        kilos: Annotated[int, {"minimum": 100, "maximum": 900000}],
    ) -> Result:
        """Move grain from one bin into another; it takes on the grade of the target, which must keep its protein and
        dryness.

        Args:
            source_id (str): Bin the grain is taken from; an id such as BIN-00001.
            target_id (str): Bin the grain is put into; an id such as BIN-00001.
            kilos (int): Grain that is moved, in kilograms, from 100 to 900000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.bins.get(source_id)
        if source is None:
            return _refused(f"There is no bin {source_id!r}.")
        target = self.bins.get(target_id)
        if target is None:
            return _refused(f"There is no bin {target_id!r}.")
        if source is target:
            return _refused("Name two bins.")
        if source["status"] != "open" or target["status"] != "open":
            return _refused("One of the bins is fumigated, so open it first.")
        if source["grade_id"] is None:
            return _refused(f"{source['code']} is empty.")
        if kilos > source["kilos"]:
            return _refused(f"{source['code']} holds {source['kilos']} kilos, not {kilos}.")
        if kilos > self._bin_room(target):
            return _refused(f"{target['code']} has room for {self._bin_room(target)} kilos, not {kilos}.")
        grade = self.grades.get(target["grade_id"]) or self.grades[source["grade_id"]]
        if grade["crop"] != self.grades[source["grade_id"]]["crop"]:
            return _refused(f"{self.grades[source['grade_id']]['name']} and {grade['name']} are different crops.")
        if grade["id"] != source["grade_id"] and kilos > self._grade_uncovered(self.grades[source["grade_id"]]):
            return _refused(
                f"Receipts promise {self.grades[source['grade_id']]['name']}; only "
                f"{self._grade_uncovered(self.grades[source['grade_id']])} kilos may leave that grade."
            )
        protein = self._mixed(target["protein"], target["kilos"], source["protein"], kilos)
        if protein < grade["protein"]:
            return _refused(
                f"The blend would have {protein} tenths of protein, and {grade['name']} needs {grade['protein']}."
            )
        moisture = self._mixed(target["moisture"], target["kilos"], source["moisture"], kilos)
        if moisture > grade["moisture"]:
            return _refused(
                f"The blend would have {moisture} tenths of moisture, and {grade['name']} takes {grade['moisture']}."
            )
        self._journal = []
        changed_bins: list[Any] = []
        former_grade_ids: list[Any] = []
        changed_bins_2: list[Any] = []
        changed_bins_3: list[Any] = []
        if not 0 <= protein <= 200:
            return self._take_back(f"The protein of {target['code']} must be between 0 and 200.")
        self._put("bins", target, "protein", protein)
        if not 0 <= moisture <= 200:
            return self._take_back(f"The moisture of {target['code']} must be between 0 and 200.")
        self._put("bins", target, "moisture", moisture)
        new_kilos = target["kilos"] + kilos
        if not 0 <= new_kilos <= 900000:
            return self._take_back(f"The kilos of {target['code']} must be between 0 and 900000.")
        self._put("bins", target, "kilos", new_kilos)
        former_grade_id = target["grade_id"]
        self._put("bins", target, "grade_id", grade["id"])
        new_kilos_2 = source["kilos"] - kilos
        if not 0 <= new_kilos_2 <= 900000:
            return self._take_back(f"The kilos of {source['code']} must be between 0 and 900000.")
        self._put("bins", source, "kilos", new_kilos_2)
        if source["kilos"] == 0:
            changed_bins.append(source)
            former_grade_ids.append(source["grade_id"])
            self._put("bins", source, "grade_id", None)
            changed_bins_2.append(source)
            self._put("bins", source, "moisture", 0)
            changed_bins_3.append(source)
            self._put("bins", source, "protein", 0)
        if self._breaks_rule_1(target):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(source):
            return self._take_back(RULES[0])
        for one_bin in _distinct([target, source, *changed_bins]):
            if self._breaks_rule_2(one_bin):
                return self._take_back(RULES[1])
        for one_bin in _distinct([target, *changed_bins, *changed_bins_2, *changed_bins_3]):
            if self._breaks_rule_3(one_bin):
                return self._take_back(RULES[2])
        for one_grade in _distinct(
            [
                self.grades.get(target["grade_id"]),
                self.grades.get(former_grade_id),
                self.grades.get(source["grade_id"]),
                *[self.grades.get(one["grade_id"]) for one in changed_bins],
                *[self.grades.get(key) for key in former_grade_ids],
            ]
        ):
            if self._breaks_rule_4(one_grade):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: move {kilos} kilos from {source['code']} to {target['code']}.",
            "data": self._changes(),
        }

    def fumigate_bin(self, bin_id: str) -> Result:
        """Close a bin for fumigation, which takes five days.

        Args:
            bin_id (str): Id of the bin, such as BIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if bin["status"] != "open":
            return _refused(f"{bin['code']} is fumigated already.")
        self._journal = []
        self._put("bins", bin, "gassed_on", self.now[:10])
        self._put("bins", bin, "status", "fumigated")
        return {"success": True, "message": f"Done: fumigate {bin['code']}.", "data": self._changes()}

    def open_bin(self, bin_id: str) -> Result:
        """Open a fumigated bin again, five days after it was gassed at the earliest.

        Args:
            bin_id (str): Id of the bin, such as BIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if bin["status"] != "fumigated":
            return _refused(f"{bin['code']} is open.")
        if bin["gassed_on"] is not None and _plus_days(bin["gassed_on"], 5) > self.now[:10]:
            return _refused(
                f"{bin['code']} was gassed on {bin['gassed_on']} and stays shut until "
                f"{_plus_days(bin['gassed_on'], 5)}."
            )
        self._journal = []
        self._put("bins", bin, "status", "open")
        return {"success": True, "message": f"Done: open {bin['code']}.", "data": self._changes()}

    def _show_grade(self, grade: Grade) -> dict[str, Any]:
        """The grade as an answer shows it."""
        return {
            **grade,
            "stock": self._grade_stock(grade),
            "owed": self._grade_owed(grade),
            "uncovered": self._grade_uncovered(grade),
        }

    def _show_bin(self, bin: Bin) -> dict[str, Any]:
        """The bin as an answer shows it."""
        return {**bin, "room": self._bin_room(bin)}

    def _show_farmer(self, farmer: Farmer) -> dict[str, Any]:
        """The farmer as an answer shows it."""
        return {**farmer, "held": self._farmer_held(farmer)}

    def _show_receipt(self, receipt: Receipt) -> dict[str, Any]:
        """The receipt as an answer shows it."""
        return {**receipt, "left": self._receipt_left(receipt), "bookable": self._receipt_bookable(receipt)}

    def _show_ticket(self, ticket: Ticket) -> dict[str, Any]:
        """The ticket as an answer shows it."""
        return {**ticket, "clean": self._ticket_clean(ticket), "net": self._ticket_net(ticket)}

    def _names_of_bins(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bins point to."""
        return _names((self.grades, "name", [row["grade_id"] for row in shown]))

    def _names_of_receipts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that receipts point to."""
        return _names(
            (self.farmers, "name", [row["holder_id"] for row in shown]),
            (self.grades, "name", [row["grade_id"] for row in shown]),
        )

    def _names_of_tickets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tickets point to."""
        return _names(
            (self.farmers, "name", [row["farmer_id"] for row in shown]),
            (self.grades, "name", [row["grade_id"] for row in shown]),
            (self.bins, "code", [row["bin_id"] for row in shown]),
            (self.receipts, "number", [row["receipt_id"] for row in shown]),
        )

    def _names_of_shipments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shipments point to."""
        return _names((self.receipts, "number", [row["receipt_id"] for row in shown]))

    def _grade_stock(self, grade: Grade) -> int:
        """The stock of a grade."""
        return sum(b["kilos"] for b in self._bins_by_grade.get(grade["id"], {}).values())

    def _grade_owed(self, grade: Grade) -> int:
        """The owed of a grade."""
        return sum(
            self._receipt_left(r)
            for r in self._receipts_by_grade_status.get((grade["id"], "open"), {}).values()
        )

    def _grade_uncovered(self, grade: Grade) -> int:
        """The uncovered of a grade."""
        return self._grade_stock(grade) - self._grade_owed(grade)

    def _bin_room(self, bin: Bin) -> int:
        """The room of a bin."""
        return bin["capacity"] - bin["kilos"]

    def _farmer_held(self, farmer: Farmer) -> int:
        """The held of a farmer."""
        return sum(
            self._receipt_left(r)
            for r in self._receipts_by_holder_status.get((farmer["id"], "open"), {}).values()
        )

    def _receipt_left(self, receipt: Receipt) -> int:
        """The left of a receipt."""
        return (
            receipt["kilos"]
            - sum(s["kilos"] for s in self._shipments_by_receipt_status.get((receipt["id"], "loaded"), {}).values())
        )

    def _receipt_bookable(self, receipt: Receipt) -> int:
        """The bookable of a receipt."""
        return (
            self._receipt_left(receipt)
            - sum(s["kilos"] for s in self._shipments_by_receipt_status.get((receipt["id"], "planned"), {}).values())
        )

    def _ticket_clean(self, ticket: Ticket) -> int:
        """The clean of a ticket."""
        return ticket["gross"] * (1000 - ticket["dockage"]) // 1000

    def _ticket_net(self, ticket: Ticket) -> int:
        """The net of a ticket."""
        return self._ticket_clean(ticket) * (
            1000 - max(
                0,
                ticket["moisture"] - self.grades[ticket["grade_id"]]["moisture"],
            ) * self.grades[ticket["grade_id"]]["shrink"] // 10
        ) // 1000

    def _takes(self, b: Bin, t: Ticket) -> bool:
        return (
            b["status"] == "open"
            and (b["grade_id"] is None or b["grade_id"] == t["grade_id"])
            and self._bin_room(b) >= self._ticket_net(t)
        )

    def _unreceipted(self, f: Farmer, g: Grade) -> list[Ticket]:
        return sorted(self._tickets_by_farmer_grade_status.get((f["id"], g["id"], "binned"), {}).values(), key=_age)

    def _mixed(self, own: int, own_kilos: int, other: int, other_kilos: int) -> int:
        return (own * own_kilos + other * other_kilos) // max(1, own_kilos + other_kilos)

    def _planned_for(self, r: Receipt) -> list[Shipment]:
        return sorted(self._shipments_by_receipt_status.get((r["id"], "planned"), {}).values(), key=_age)

    def _breaks_rule_1(self, b: Bin) -> bool:
        """Whether this is broken: no bin holds more than its capacity."""
        return b["kilos"] > b["capacity"]

    def _breaks_rule_2(self, b: Bin) -> bool:
        """Whether this is broken: a bin with grain has one grade, and an empty one has none."""
        return (b["kilos"] > 0) != (b["grade_id"] is not None)

    def _breaks_rule_3(self, b: Bin) -> bool:
        """Whether this is broken: the grain of a bin has the protein and the dryness of its grade."""
        return (
            b["grade_id"] is not None
            and (
                b["protein"] < self.grades[b["grade_id"]]["protein"]
                or b["moisture"] > self.grades[b["grade_id"]]["moisture"]
            )
        )

    def _breaks_rule_4(self, g: Grade) -> bool:
        """Whether this is broken: there is never less grain of a grade in the bins than open receipts promise."""
        return self._grade_owed(g) > self._grade_stock(g)

    def _breaks_rule_5(self, r: Receipt) -> bool:
        """Whether this is broken: shipments never exceed what their receipt is for."""
        return self._receipt_bookable(r) < 0

    def _breaks_rule_6(self, s: Shipment) -> bool:
        """Whether this is broken: nothing is shipped against a pledged receipt."""
        return s["status"] == "planned" and self.receipts[s["receipt_id"]]["pledged_to"] is not None

    def _breaks_rule_7(self, r: Receipt) -> bool:
        """Whether this is broken: a receipt that is used up has nothing left, and an open one has."""
        return (r["status"] == "open") != (self._receipt_left(r) > 0)

    def _breaks_rule_8(self, t: Ticket) -> bool:
        """Whether this is broken: a ticket that was unloaded names its bin, and no other does."""
        return (t["status"] in ("binned", "receipted")) != (t["bin_id"] is not None)

    def _breaks_rule_9(self, t: Ticket) -> bool:
        """Whether this is broken: a ticket has a receipt once it is receipted, for the same grade."""
        return not (
            (t["status"] == "receipted") == (t["receipt_id"] is not None)
            and (t["receipt_id"] is None or self.receipts[t["receipt_id"]]["grade_id"] == t["grade_id"])
        )

    def _breaks_rule_10(self, t: Ticket) -> bool:
        """Whether this is broken: a rejected ticket says why, and no other does."""
        return (t["status"] == "rejected") != (t["rejected_for"] is not None)

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
            case "bins":
                self._bins_by_grade.setdefault(record["grade_id"], {})[record["id"]] = record
            case "receipts":
                self._receipts_by_grade_status.setdefault(
                    (record["grade_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._receipts_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._receipts_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "tickets":
                self._tickets_by_farmer_grade_status.setdefault(
                    (record["farmer_id"], record["grade_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._tickets_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._tickets_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "shipments":
                self._shipments_by_receipt_status.setdefault(
                    (record["receipt_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "bins":
                del self._bins_by_grade[record["grade_id"]][record["id"]]
            case "receipts":
                del self._receipts_by_grade_status[record["grade_id"], record["status"]][record["id"]]
                del self._receipts_by_holder_status[record["holder_id"], record["status"]][record["id"]]
                del self._receipts_by_number[record["number"]][record["id"]]
            case "tickets":
                del self._tickets_by_farmer_grade_status[
                    record["farmer_id"],
                    record["grade_id"],
                    record["status"],
                ][record["id"]]
                del self._tickets_by_number[record["number"]][record["id"]]
                del self._tickets_by_status[record["status"]][record["id"]]
            case "shipments":
                del self._shipments_by_receipt_status[record["receipt_id"], record["status"]][record["id"]]
