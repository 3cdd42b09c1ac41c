"""Pharmacy dispensing. Compiled from blueprint.yaml; run `envscaler build pharmacy_dispensing` after changing it there.

Dispenses prescriptions in a community pharmacy, with repeats, lots that expire, clashes between active
substances, allergies, generic substitution and the second check of controlled drugs.
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
    "A controlled drug is handed out only after a second pharmacist has checked it.",
    "Nobody checks a bag that they made up themselves.",
    "The product supplied is the one prescribed or, where substitution is allowed, one of the same substance and strength.",
    "A bag holds exactly the packs of one fill, all of the product supplied.",
    "No pack expires before the next fill is due.",
    "Substances that clash are taken together only when a prescriber has confirmed one of the two prescriptions.",
    "Nobody has an active prescription for a substance to which they are allergic.",
    "A prescription is never filled more often than it says.",
    "A prescription has at most one bag waiting, and only an active one has any.",
    "A controlled drug is prescribed for one fill at a time.",
    "No bag that waits contains packs of a withdrawn lot.",
    "At least one pharmacist is on duty.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "enter_prescription",
    "confirm_prescription",
    "cancel_prescription",
    "make_up_supply",
    "check_supply",
    "hand_out_supply",
    "return_supply",
    "receive_lot",
    "withdraw_lot",
    "note_allergy",
    "change_duty",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "substances": ("name",),
    "products": ("name",),
    "lots": ("number",),
    "patients": ("name",),
    "pharmacists": ("name",),
    "prescriptions": (),
    "supplies": (),
    "picks": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("lots", "number"),
    ("lots", "product_id"),
    ("picks", "lot_id"),
    ("picks", "supply_id"),
    ("prescriptions", "patient_id"),
    ("prescriptions", "product_id"),
    ("prescriptions", "status"),
    ("supplies", "prescription_id"),
    ("supplies", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Substance(TypedDict):
    id: str
    name: str
    controlled: bool
    clash_ids: list[str]


class Product(TypedDict):
    id: str
    name: str
    substance_id: str
    strength_mg: int
    price: int


class Lot(TypedDict):
    id: str
    number: str
    product_id: str
    expires: str
    packs: int
    withdrawn_for: Literal["recall", "expired", "damaged"] | None


class Patient(TypedDict):
    id: str
    name: str
    allergy_ids: list[str]


class Pharmacist(TypedDict):
    id: str
    name: str
    on_duty: bool


class Prescription(TypedDict):
    id: str
    patient_id: str
    product_id: str
    prescriber: str
    issued_on: str
    packs_each: int
    fills: int
    every_days: int
    substitution: bool
    confirmed: str | None
    status: Literal["active", "held", "cancelled", "finished"]


class Supply(TypedDict):
    id: str
    prescription_id: str
    product_id: str
    made_by_id: str
    made_on: str
    checked_by_id: str | None
    collected_on: str | None
    status: Literal["made_up", "collected", "returned"]


class Pick(TypedDict):
    id: str
    supply_id: str
    lot_id: str
    packs: int


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class PharmacyDispensing:
    """Dispenses prescriptions in a community pharmacy, with repeats, lots that expire, clashes between
    active substances, allergies, generic substitution and the second check of controlled drugs.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.substances: dict[str, Substance] = _copied(config.get("substances", {}))
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.pharmacists: dict[str, Pharmacist] = _copied(config.get("pharmacists", {}))
        self.prescriptions: dict[str, Prescription] = _copied(config.get("prescriptions", {}))
        self.supplies: dict[str, Supply] = _copied(config.get("supplies", {}))
        self.picks: dict[str, Pick] = _copied(config.get("picks", {}))
        self.now: str = config.get("now", "2026-03-09T08:30")
        self.counters: dict[str, int] = {
            "substance": len(self.substances),
            "product": len(self.products),
            "lot": len(self.lots),
            "patient": len(self.patients),
            "pharmacist": len(self.pharmacists),
            "prescription": len(self.prescriptions),
            "supply": len(self.supplies),
            "pick": len(self.picks),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lots_by_lower_number: dict[Any, dict[str, Lot]] = {}
        self._lots_by_number: dict[Any, dict[str, Lot]] = {}
        self._lots_by_product: dict[Any, dict[str, Lot]] = {}
        self._prescriptions_by_patient: dict[Any, dict[str, Prescription]] = {}
        self._prescriptions_by_patient_product: dict[Any, dict[str, Prescription]] = {}
        self._prescriptions_by_patient_status: dict[Any, dict[str, Prescription]] = {}
        self._supplies_by_prescription: dict[Any, dict[str, Supply]] = {}
        self._supplies_by_prescription_status: dict[Any, dict[str, Supply]] = {}
        self._picks_by_lot: dict[Any, dict[str, Pick]] = {}
        self._picks_by_supply: dict[Any, dict[str, Pick]] = {}
        for lot in self.lots.values():
            self._link("lots", lot)
        for prescription in self.prescriptions.values():
            self._link("prescriptions", prescription)
        for supply in self.supplies.values():
            self._link("supplies", supply)
        for pick in self.picks.values():
            self._link("picks", pick)

    def due_repeats(
        self,
        until: Date,
        patient_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Fills that can be made up by a day, those due longest first.

        Args:
            until (str): Last due day of fills to include, as YYYY-MM-DD.
            patient_id (str, optional): Patient whose fills are listed; an id such as PATIENT-00001. If left out,
                fills of all patients are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prescriptions": records}} or {"success": False,
                "error": why not}
        """
        patient = self.patients.get(patient_id) if patient_id is not None else None
        if patient_id is not None and patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        found = [
            p
            for p in self.prescriptions.values()
            if self._fillable(p, until)
            and (patient_id is None or p["patient_id"] == patient_id)
        ]
        found.sort(key=lambda p: (self._prescription_due_on(p), p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "prescriptions": [
                    {
                        "id": p["id"],
                        "patient": self.patients[p["patient_id"]]["name"],
                        "product": self.products[p["product_id"]]["name"],
                        "due_on": self._prescription_due_on(p),
                        "packs": p["packs_each"],
                        "fills_left": self._prescription_left(p),
                        "valid_until": self._valid_until(p),
                        "substitution": p["substitution"],
                        "stock_lasts": self._enough(p, self.products[p["product_id"]]),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def clash_check(
        self,
        patient_id: str,
        product_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Prescriptions under way that clash with a product if the patient were given it.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prescriptions": records}} or {"success": False,
                "error": why not}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            p
            for p in sorted(self._prescriptions_by_patient.get(patient_id, {}).values(), key=_age)
            if (p["patient_id"] == patient_id and p["status"] in ("active", "held"))
            and self._clashing(
                self.substances[self.products[p["product_id"]]["substance_id"]],
                self.substances[product["substance_id"]],
            )
        ]
        return _found(
            {
                "total": len(found),
                "prescriptions": [
                    {
                        "id": p["id"],
                        "product": self.products[p["product_id"]]["name"],
                        "substance": self.substances[self.products[p["product_id"]]["substance_id"]]["name"],
                        "prescriber": p["prescriber"],
                        "status": p["status"],
                        "confirmed": p["confirmed"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def packs_of_lot(self, lot_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who has got packs of a lot, or has a bag with some waiting.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "picks": records}} or {"success": False, "error": why
                not}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            k
            for k in self._picks_by_lot.get(lot_id, {}).values()
            if (k["lot_id"] == lot_id and self.supplies[k["supply_id"]]["status"] != "returned")
        ]
        found.sort(key=lambda k: (self.supplies[k["supply_id"]]["made_on"], k["id"], _age(k)))
        return _found(
            {
                "total": len(found),
                "picks": [
                    {
                        "supply_id": self.supplies[k["supply_id"]]["id"],
                        "prescription_id": self.prescriptions[self.supplies[k["supply_id"]]["prescription_id"]]["id"],
                        "patient": self._supply_patient(self.supplies[k["supply_id"]])["name"],
                        "packs": k["packs"],
                        "status": self.supplies[k["supply_id"]]["status"],
                        "made_on": self.supplies[k["supply_id"]]["made_on"],
                        "check_open": self._check_open(self.supplies[k["supply_id"]]),
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def list_substances(
        self,
        name: Text | None = None,
        controlled: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the substances, oldest first, all of them or only some.

        Args:
            name (str, optional): Only substances whose name contains this text.
            controlled (bool, optional): Only substances that are controlled (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "substances": records}}
        """
        found = [
            substance
            for substance in self.substances.values()
            if (name is None or name.casefold() in substance["name"].casefold())
            and (controlled is None or substance["controlled"] == controlled)
        ]
        shown = [self._show_substance(substance) for substance in _page(found, offset)]
        return _found({"total": len(found), "substances": shown}, self._names_of_substances(shown))

    def list_products(
        self,
        name: Text | None = None,
        substance_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the products, oldest first, all of them or only some.

        Args:
            name (str, optional): Only products whose name contains this text.
            substance_id (str, optional): Only products of this substance.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "products": records}}
        """
        if substance_id is not None and substance_id not in self.substances:
            return _refused(f"There is no substance {substance_id!r}.")
        found = [
            product
            for product in self.products.values()
            if (name is None or name.casefold() in product["name"].casefold())
            and (substance_id is None or product["substance_id"] == substance_id)
        ]
        shown = [self._show_product(product) for product in _page(found, offset)]
        return _found({"total": len(found), "products": shown}, self._names_of_products(shown))

    def list_lots(
        self,
        number: Text | None = None,
        product_id: str | None = None,
        withdrawn_for: Literal["recall", "expired", "damaged"] | None = None,
        expires_from: Date | None = None,
        expires_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            number (str, optional): Only lots whose number contains this text.
            product_id (str, optional): Only lots of this product.
            withdrawn_for (str, optional): Only lots whose `withdrawn_for` is this.
            expires_from (str, optional): Only lots whose `expires` is on this day or later.
            expires_to (str, optional): Only lots whose `expires` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (number is None or number.casefold() in lot["number"].casefold())
            and (product_id is None or lot["product_id"] == product_id)
            and (withdrawn_for is None or lot["withdrawn_for"] == withdrawn_for)
            and (expires_from is None or lot["expires"] >= expires_from)
            and (expires_to is None or lot["expires"] <= expires_to)
        ]
        shown = [{**lot} for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_patients(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patients whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}}
        """
        found = [
            patient
            for patient in self.patients.values()
            if (name is None or name.casefold() in patient["name"].casefold())
        ]
        shown = [self._show_patient(patient) for patient in _page(found, offset)]
        return _found({"total": len(found), "patients": shown}, self._names_of_patients(shown))

    def list_pharmacists(
        self,
        name: Text | None = None,
        on_duty: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pharmacists, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pharmacists whose name contains this text.
            on_duty (bool, optional): Only pharmacists that are on duty (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pharmacists": records}}
        """
        found = [
            pharmacist
            for pharmacist in self.pharmacists.values()
            if (name is None or name.casefold() in pharmacist["name"].casefold())
            and (on_duty is None or pharmacist["on_duty"] == on_duty)
        ]
        return _found({"total": len(found), "pharmacists": [{**pharmacist} for pharmacist in _page(found, offset)]})

    def list_prescriptions(
        self,
        patient_id: str | None = None,
        product_id: str | None = None,
        substitution: bool | None = None,
        status: Literal["active", "held", "cancelled", "finished"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the prescriptions, oldest first, all of them or only some.

        Args:
            patient_id (str, optional): Only prescriptions of this patient.
            product_id (str, optional): Only prescriptions of this product.
            substitution (bool, optional): Only prescriptions with this value of `substitution`.
            status (str, optional): Only prescriptions with this status.
            issued_on_from (str, optional): Only prescriptions whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only prescriptions whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prescriptions": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            prescription
            for prescription in self.prescriptions.values()
            if (patient_id is None or prescription["patient_id"] == patient_id)
            and (product_id is None or prescription["product_id"] == product_id)
            and (substitution is None or prescription["substitution"] == substitution)
            and (status is None or prescription["status"] == status)
            and (issued_on_from is None or prescription["issued_on"] >= issued_on_from)
            and (issued_on_to is None or prescription["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_prescription(prescription) for prescription in _page(found, offset)]
        return _found({"total": len(found), "prescriptions": shown}, self._names_of_prescriptions(shown))

    def list_supplies(
        self,
        prescription_id: str | None = None,
        product_id: str | None = None,
        made_by_id: str | None = None,
        checked_by_id: str | None = None,
        status: Literal["made_up", "collected", "returned"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the supplies, oldest first, all of them or only some.

        Args:
            prescription_id (str, optional): Only supplies of this prescription.
            product_id (str, optional): Only supplies of this product.
            made_by_id (str, optional): Only supplies made by this pharmacist.
            checked_by_id (str, optional): Only supplies checked by this pharmacist.
            status (str, optional): Only supplies with this status.
            made_on_from (str, optional): Only supplies whose `made_on` is on this day or later.
            made_on_to (str, optional): Only supplies whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "supplies": records}}
        """
        if prescription_id is not None and prescription_id not in self.prescriptions:
            return _refused(f"There is no prescription {prescription_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        if made_by_id is not None and made_by_id not in self.pharmacists:
            return _refused(f"There is no pharmacist {made_by_id!r}.")
        if checked_by_id is not None and checked_by_id not in self.pharmacists:
            return _refused(f"There is no pharmacist {checked_by_id!r}.")
        found = [
            supply
            for supply in self.supplies.values()
            if (prescription_id is None or supply["prescription_id"] == prescription_id)
            and (product_id is None or supply["product_id"] == product_id)
            and (made_by_id is None or supply["made_by_id"] == made_by_id)
            and (checked_by_id is None or supply["checked_by_id"] == checked_by_id)
            and (status is None or supply["status"] == status)
            and (made_on_from is None or supply["made_on"] >= made_on_from)
            and (made_on_to is None or supply["made_on"] <= made_on_to)
        ]
        shown = [self._show_supply(supply) for supply in _page(found, offset)]
        return _found({"total": len(found), "supplies": shown}, self._names_of_supplies(shown))

    def list_picks(
        self,
        supply_id: str | None = None,
        lot_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the picks, oldest first, all of them or only some.

        Args:
            supply_id (str, optional): Only picks of this supply.
            lot_id (str, optional): Only picks of this lot.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "picks": records}}
        """
        if supply_id is not None and supply_id not in self.supplies:
            return _refused(f"There is no supply {supply_id!r}.")
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            pick
            for pick in self.picks.values()
            if (supply_id is None or pick["supply_id"] == supply_id)
            and (lot_id is None or pick["lot_id"] == lot_id)
        ]
        shown = [{**pick} for pick in _page(found, offset)]
        return _found({"total": len(found), "picks": shown}, self._names_of_picks(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def enter_prescription(
        self,
        patient_id: str,
        product_id: str,
        prescriber: Text,
        issued_on: Date,
        packs_each: Annotated[int, {"minimum": 1, "maximum": 6}],
        fills: Annotated[int, {"minimum": 1, "maximum": 12}],
        every_days: Annotated[int, {"minimum": 7, "maximum": 90}],
        substitution: bool = True,
    ) -> Result:
        """Enter a prescription that was brought in; it is held when its substance clashes with another that the
        patient takes.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.
            prescriber (str): Name of the doctor who wrote the prescription.
            issued_on (str): Day on which it was written, within the last 30 days, as YYYY-MM-DD.
            packs_each (int): Packs handed out at each fill, from 1 to 6.
            fills (int): Number of fills in all, only one for a controlled drug, from 1 to 12.
            every_days (int): Days from one fill to the next, from 7 to 90.
            substitution (bool): Whether an equivalent product may be given instead. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if issued_on > self.now[:10]:
            return _refused(f"The prescription is dated {issued_on}, which is after {self.now[:10]}.")
        if _plus_days(issued_on, 30) < self.now[:10]:
            return _refused(
                f"The prescription of {issued_on} is more than 30 days old, so {patient['name']} needs a new one."
            )
        if product["substance_id"] in patient["allergy_ids"]:
            return _refused(
                f"{patient['name']} is allergic to {self.substances[product['substance_id']]['name']}, so ring "
                f"{prescriber}."
            )
        if fills != 1 and self.substances[product["substance_id"]]["controlled"]:
            return _refused(f"{product['name']} is a controlled drug and can be prescribed for one fill only.")
        same = next(
            (
                p
                for p in sorted(
                    self._prescriptions_by_patient_product.get((patient_id, product_id), {}).values(),
                    key=_age,
                )
                if p["status"] in ("active", "held")
            ),
            None,
        )
        if same is not None:
            return _refused(
                f"{patient['name']} has a prescription for {product['name']} from {same['prescriber']} already, "
                "so cancel that first."
            )
        self._journal = []
        changed_prescriptions: list[Any] = []
        other = self._clash_for(patient, self.substances[product["substance_id"]])
        entered: Prescription = {
            "id": self._new_id("prescription", "PRESCRIPTION", self.prescriptions),
            "patient_id": patient_id,
            "product_id": product_id,
            "prescriber": prescriber,
            "issued_on": issued_on,
            "packs_each": packs_each,
            "fills": fills,
            "every_days": every_days,
            "substitution": substitution,
            "confirmed": None,
            "status": "active",
        }
        self._add("prescriptions", entered)
        if other is not None:
            if entered["status"] not in ("active", "held"):
                return self._take_back(f"Prescription {entered['id']} cannot go from {entered['status']} to held.")
            changed_prescriptions.append(entered)
            self._put("prescriptions", entered, "status", "held")
        for one_prescription in _distinct([entered, *changed_prescriptions]):
            if self._breaks_rule_6_a(one_prescription):
                return self._take_back(RULES[5])
        for one_prescription in _distinct([entered, *changed_prescriptions]):
            if self._breaks_rule_6_b(one_prescription):
                return self._take_back(RULES[5])
        for one_prescription in _distinct([entered, *changed_prescriptions]):
            if self._breaks_rule_7(one_prescription):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_p(entered):
            return self._take_back(RULES[7])
        for one_prescription in _distinct([entered, *changed_prescriptions]):
            if self._breaks_rule_8_p_again(one_prescription):
                return self._take_back(RULES[7])
        for one_supply in _distinct(
            [
                user
                for one in changed_prescriptions
                for user in self._supplies_by_prescription_status.get((one["id"], "made_up"), {}).values()
            ]
        ):
            if self._breaks_rule_9_s_again(one_supply):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(entered):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: enter the prescription of {prescriber} for {product['name']} for {patient['name']} (new: "
                f"prescription {entered['id']})."
            ),
            "data": {"prescription_id": entered["id"], **self._changes()},
        }

    def confirm_prescription(self, prescription_id: str, note: Text) -> Result:
        """Take a prescription off hold because its prescriber has confirmed it.

        Args:
            prescription_id (str): Id of the prescription, such as PRESCRIPTION-00001.
            note (str): How the prescriber confirmed it, kept with the prescription.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prescription = self.prescriptions.get(prescription_id)
        if prescription is None:
            return _refused(f"There is no prescription {prescription_id!r}.")
        if prescription["status"] != "held":
            return _refused(
                f"The prescription of {self.patients[prescription['patient_id']]['name']} for "
                f"{self.products[prescription['product_id']]['name']} is {prescription['status']}."
            )
        if self.products[
            prescription["product_id"]
        ]["substance_id"] in self.patients[prescription["patient_id"]]["allergy_ids"]:
            return _refused(
                f"{self.patients[prescription['patient_id']]['name']} is allergic to "
                f"{self.substances[self.products[prescription['product_id']]['substance_id']]['name']}, which "
                "nobody can confirm."
            )
        self._journal = []
        self._put("prescriptions", prescription, "confirmed", note)
        self._put("prescriptions", prescription, "status", "active")
        if self._breaks_rule_6_a(prescription):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(prescription):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(prescription):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_p_again(prescription):
            return self._take_back(RULES[7])
        for one_supply in _distinct(
            self._supplies_by_prescription_status.get((prescription["id"], "made_up"), {}).values()
        ):
            if self._breaks_rule_9_s_again(one_supply):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: confirm the prescription of {self.patients[prescription['patient_id']]['name']} for "
                f"{self.products[prescription['product_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_prescription(self, prescription_id: str) -> Result:
        """Cancel a prescription for which no bag is waiting.

        Args:
            prescription_id (str): Id of the prescription, such as PRESCRIPTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prescription = self.prescriptions.get(prescription_id)
        if prescription is None:
            return _refused(f"There is no prescription {prescription_id!r}.")
        if prescription["status"] not in ("active", "held"):
            return _refused(
                f"The prescription of {self.patients[prescription['patient_id']]['name']} for "
                f"{self.products[prescription['product_id']]['name']} is {prescription['status']}."
            )
        bag = self._waiting_bag(prescription)
        if bag is not None:
            return _refused(
                f"A bag made up on {bag['made_on']} waits for "
                f"{self.patients[prescription['patient_id']]['name']}, so return it to the shelf first."
            )
        self._journal = []
        self._put("prescriptions", prescription, "status", "cancelled")
        if self._breaks_rule_6_a(prescription):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(prescription):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(prescription):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_p_again(prescription):
            return self._take_back(RULES[7])
        for one_supply in _distinct(
            self._supplies_by_prescription_status.get((prescription["id"], "made_up"), {}).values()
        ):
            if self._breaks_rule_9_s_again(one_supply):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: cancel the prescription of {self.patients[prescription['patient_id']]['name']} for "
                f"{self.products[prescription['product_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def make_up_supply(self, prescription_id: str, pharmacist_id: str, product_id: str | None = None) -> Result:
        """Make up the bag for the next fill of a prescription, from the lots that expire first; another product may
        be named where substitution is allowed.

        Args:
            prescription_id (str): Id of the prescription, such as PRESCRIPTION-00001.
            pharmacist_id (str): Id of the pharmacist, such as PHARMACIST-00001.
            product_id (str, optional): Equivalent product given instead, of the same substance and strength; an id
                such as PRODUCT-00001. If left out, the product prescribed is given.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        prescription = self.prescriptions.get(prescription_id)
        if prescription is None:
            return _refused(f"There is no prescription {prescription_id!r}.")
        pharmacist = self.pharmacists.get(pharmacist_id)
        if pharmacist is None:
            return _refused(f"There is no pharmacist {pharmacist_id!r}.")
        product = self.products.get(product_id) if product_id is not None else None
        if product_id is not None and product is None:
            return _refused(f"There is no product {product_id!r}.")
        if not pharmacist["on_duty"]:
            return _refused(f"{pharmacist['name']} is not on duty.")
        if prescription["status"] != "active":
            return _refused(
                f"The prescription of {self.patients[prescription['patient_id']]['name']} for "
                f"{self.products[prescription['product_id']]['name']} is {prescription['status']}."
            )
        bag = self._waiting_bag(prescription)
        if bag is not None:
            return _refused(
                f"A bag made up on {bag['made_on']} waits for {self.patients[prescription['patient_id']]['name']} "
                "already."
            )
        if self._prescription_left(prescription) <= 0:
            return _refused(f"All {prescription['fills']} fills have been used.")
        if self._valid_until(prescription) < self.now[:10]:
            return _refused(
                f"The prescription was valid until {self._valid_until(prescription)}, so "
                f"{self.patients[prescription['patient_id']]['name']} needs a new one."
            )
        if self._prescription_due_on(prescription) > _plus_days(self.now[:10], 7):
            return _refused(
                f"The next fill is due on {self._prescription_due_on(prescription)} and can be made up from "
                f"{_plus_days(self._prescription_due_on(prescription), -7)}."
            )
        chosen = product or self.products[prescription["product_id"]]
        if chosen["id"] != prescription["product_id"] and not prescription["substitution"]:
            return _refused(
                f"{prescription['prescriber']} does not allow {self.products[prescription['product_id']]['name']} "
                "to be substituted."
            )
        if not self._equivalent(chosen, self.products[prescription["product_id"]]):
            return _refused(
                f"{chosen['name']} is not the same substance and strength as "
                f"{self.products[prescription['product_id']]['name']}."
            )
        lots = self._shelf(chosen, _plus_days(self.now[:10], prescription["every_days"]))
        if sum(l["packs"] for l in lots) < prescription["packs_each"]:
            return _refused(
                f"{sum(l['packs'] for l in lots)} packs of {chosen['name']} last until "
                f"{_plus_days(self.now[:10], prescription['every_days'])} and {prescription['packs_each']} are "
                "needed."
            )
        self._journal = []
        added_picks: list[Any] = []
        bagged: Supply = {
            "id": self._new_id("supply", "SUPPLY", self.supplies),
            "prescription_id": prescription_id,
            "product_id": chosen["id"],
            "made_by_id": pharmacist_id,
            "made_on": self.now[:10],
            "checked_by_id": None,
            "collected_on": None,
            "status": "made_up",
        }
        self._add("supplies", bagged)
        missing = prescription["packs_each"]
        for l in sorted(lots, key=lambda l: (l["expires"], l["number"], _age(l))):
            part = min(missing, l["packs"])
            if part > 0:
                if not 1 <= part <= 6:
                    return self._take_back("The packs of a pick must be between 1 and 6.")
                pick = {
                    "id": self._new_id("pick", "PICK", self.picks),
                    "supply_id": bagged["id"],
                    "lot_id": l["id"],
                    "packs": part,
                }
                self._add("picks", pick)
                added_picks.append(pick)
                packs = l["packs"] - part
                if not 0 <= packs <= 200:
                    return self._take_back(f"The packs of {l['number']} must be between 0 and 200.")
                self._put("lots", l, "packs", packs)
                missing = missing - part
        if self._breaks_rule_1(bagged):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(bagged):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bagged):
            return self._take_back(RULES[2])
        for one_supply in _distinct([bagged, *[self.supplies[one["supply_id"]] for one in added_picks]]):
            if self._breaks_rule_4_s(one_supply):
                return self._take_back(RULES[3])
        for one_pick in _distinct(added_picks):
            if self._breaks_rule_4_k(one_pick):
                return self._take_back(RULES[3])
        for one_pick in _distinct(added_picks):
            if self._breaks_rule_5(one_pick):
                return self._take_back(RULES[4])
        if self._breaks_rule_8_p(self.prescriptions[bagged["prescription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_p_again(self.prescriptions[bagged["prescription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_s(bagged):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_s_again(bagged):
            return self._take_back(RULES[8])
        for one_pick in _distinct(added_picks):
            if self._breaks_rule_11(one_pick):
                return self._take_back(RULES[10])
        done = f"make up {self.products[prescription['product_id']]['name']} for {self.patients[prescription['patient_id']]['name']} by {pharmacist['name']}"
        if product is not None:
            done += f" with {product['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: supply {bagged['id']}).",
            "data": {"supply_id": bagged["id"], **self._changes()},
        }

    def check_supply(self, supply_id: str, pharmacist_id: str) -> Result:
        """Record the second check of a bag with a controlled drug.

        Args:
            supply_id (str): Id of the supply, such as SUPPLY-00001.
            pharmacist_id (str): Id of the pharmacist, such as PHARMACIST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supply = self.supplies.get(supply_id)
        if supply is None:
            return _refused(f"There is no supply {supply_id!r}.")
        pharmacist = self.pharmacists.get(pharmacist_id)
        if pharmacist is None:
            return _refused(f"There is no pharmacist {pharmacist_id!r}.")
        if supply["status"] != "made_up":
            return _refused(f"The bag of {self._supply_patient(supply)['name']} is {supply['status']}.")
        if not self.substances[self.products[supply["product_id"]]["substance_id"]]["controlled"]:
            return _refused(
                f"{self.products[supply['product_id']]['name']} is not a controlled drug and needs no second check."
            )
        if supply["checked_by_id"] is not None:
            return _refused(
                f"{self.pharmacists[supply['checked_by_id']]['name']} has checked the bag of "
                f"{self._supply_patient(supply)['name']} already."
            )
        if pharmacist_id == supply["made_by_id"]:
            return _refused(f"{pharmacist['name']} made the bag up and cannot check it.")
        if not pharmacist["on_duty"]:
            return _refused(f"{pharmacist['name']} is not on duty.")
        self._journal = []
        self._put("supplies", supply, "checked_by_id", pharmacist_id)
        if self._breaks_rule_1(supply):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(supply):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": (
                f"Done: record the second check of {self.products[supply['product_id']]['name']} for "
                f"{self._supply_patient(supply)['name']} by {pharmacist['name']}."
            ),
            "data": self._changes(),
        }

    def hand_out_supply(self, supply_id: str) -> Result:
        """Hand a bag out to the patient.

        Args:
            supply_id (str): Id of the supply, such as SUPPLY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supply = self.supplies.get(supply_id)
        if supply is None:
            return _refused(f"There is no supply {supply_id!r}.")
        if supply["status"] != "made_up":
            return _refused(f"The bag of {self._supply_patient(supply)['name']} is {supply['status']}.")
        if (
            supply["checked_by_id"] is None
            and self.substances[self.products[supply["product_id"]]["substance_id"]]["controlled"]
        ):
            return _refused(
                f"{self.products[supply['product_id']]['name']} is a controlled drug and nobody but "
                f"{self.pharmacists[supply['made_by_id']]['name']} has checked it."
            )
        if (
            self.substances[self.products[supply["product_id"]]["substance_id"]]["controlled"]
            and self._valid_until(self.prescriptions[supply["prescription_id"]]) < self.now[:10]
        ):
            return _refused(
                "The prescription for the controlled drug ran out on "
                f"{self._valid_until(self.prescriptions[supply['prescription_id']])}, so return the bag; "
                f"{self._supply_patient(supply)['name']} needs a new one."
            )
        self._journal = []
        changed_prescriptions: list[Any] = []
        self._put("supplies", supply, "collected_on", self.now[:10])
        self._put("supplies", supply, "status", "collected")
        if self._prescription_left(self.prescriptions[supply["prescription_id"]]) == 0:
            prescription = self.prescriptions[supply["prescription_id"]]
            if prescription["status"] not in ("active", "finished"):
                return self._take_back(
                    f"Prescription {prescription['id']} cannot go from {prescription['status']} to finished."
                )
            changed_prescriptions.append(prescription)
            self._put("prescriptions", prescription, "status", "finished")
        if self._breaks_rule_1(supply):
            return self._take_back(RULES[0])
        for one_prescription in _distinct(changed_prescriptions):
            if self._breaks_rule_6_a(one_prescription):
                return self._take_back(RULES[5])
        for one_prescription in _distinct(changed_prescriptions):
            if self._breaks_rule_6_b(one_prescription):
                return self._take_back(RULES[5])
        for one_prescription in _distinct(changed_prescriptions):
            if self._breaks_rule_7(one_prescription):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_p(self.prescriptions[supply["prescription_id"]]):
            return self._take_back(RULES[7])
        for one_prescription in _distinct([self.prescriptions[supply["prescription_id"]], *changed_prescriptions]):
            if self._breaks_rule_8_p_again(one_prescription):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_s(supply):
            return self._take_back(RULES[8])
        for one_supply in _distinct(
            [
                supply,
                *[
                    user
                    for one in changed_prescriptions
                    for user in self._supplies_by_prescription_status.get((one["id"], "made_up"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9_s_again(one_supply):
                return self._take_back(RULES[8])
        for one_pick in _distinct(self._picks_by_supply.get(supply["id"], {}).values()):
            if self._breaks_rule_11(one_pick):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hand {self.products[supply['product_id']]['name']} out to "
                f"{self._supply_patient(supply)['name']}."
            ),
            "data": self._changes(),
        }

    def return_supply(self, supply_id: str) -> Result:
        """Take a bag that was not collected apart and put its packs back into their lots.

        Args:
            supply_id (str): Id of the supply, such as SUPPLY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supply = self.supplies.get(supply_id)
        if supply is None:
            return _refused(f"There is no supply {supply_id!r}.")
        if supply["status"] != "made_up":
            return _refused(f"The bag of {self._supply_patient(supply)['name']} is {supply['status']}.")
        self._journal = []
        for k in sorted(self._picks_by_supply.get(supply_id, {}).values(), key=_age):
            lot = self.lots[k["lot_id"]]
            packs = self.lots[k["lot_id"]]["packs"] + k["packs"]
            if not 0 <= packs <= 200:
                return self._take_back(f"The packs of {lot['number']} must be between 0 and 200.")
            self._put("lots", lot, "packs", packs)
        self._put("supplies", supply, "status", "returned")
        if self._breaks_rule_1(supply):
            return self._take_back(RULES[0])
        if self._breaks_rule_8_p(self.prescriptions[supply["prescription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_p_again(self.prescriptions[supply["prescription_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_s(supply):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_s_again(supply):
            return self._take_back(RULES[8])
        for one_pick in _distinct(self._picks_by_supply.get(supply["id"], {}).values()):
            if self._breaks_rule_11(one_pick):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: return {self.products[supply['product_id']]['name']} of "
                f"{self._supply_patient(supply)['name']} to the shelf."
            ),
            "data": self._changes(),
        }

    def receive_lot(
        self,
        product_id: str,
        number: Text,
        expires: Date,
        packs: Annotated[int, {"minimum": 1, "maximum": 100}],
    ) -> Result:
        """Book a delivered lot in.

        Args:
            product_id (str): Id of the product, such as PRODUCT-00001.
            number (str): Number of the lot, not booked in before.
            expires (str): Last day on which it may be used, over 30 days ahead, as YYYY-MM-DD.
            packs (int): Packs that came in, from 1 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if expires <= _plus_days(self.now[:10], 30):
            return _refused(
                f"A lot that expires on {expires} is sent back; it must last longer than until "
                f"{_plus_days(self.now[:10], 30)}."
            )
        known = next((l for l in sorted(self._lots_by_lower_number.get(number.lower(), {}).values(), key=_age)), None)
        if known is not None:
            return _refused(
                f"Lot {number} is on the books already, with {known['packs']} packs of "
                f"{self.products[known['product_id']]['name']}."
            )
        self._journal = []
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "number": number,
            "product_id": product_id,
            "expires": expires,
            "packs": packs,
            "withdrawn_for": None,
        }
        self._add("lots", lot)
        if len(self._lots_by_number.get(lot["number"], {})) > 1:
            return self._take_back(f"There is already a lot with the number {lot['number']!r}.")
        return {
            "success": True,
            "message": f"Done: book in {packs} packs of {product['name']} as lot {number} (new: lot {lot['id']}).",
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def withdraw_lot(self, lot_id: str, reason: Literal["recall", "expired", "damaged"]) -> Result:
        """Withdraw a lot from the shelf; bags that wait and hold packs of it are taken apart.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            reason (str): Why the lot is withdrawn: recall, expired or damaged.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["withdrawn_for"] is not None:
            return _refused(f"Lot {lot['number']} was withdrawn already.")
        if reason == "expired" and lot["expires"] >= self.now[:10]:
            return _refused(f"Lot {lot['number']} expires on {lot['expires']}, so it has not expired.")
        self._journal = []
        changed_supplies: list[Any] = []
        for s in [
            self.supplies[k["supply_id"]]
            for k in sorted(self._picks_by_lot.get(lot_id, {}).values(), key=_age)
            if self.supplies[k["supply_id"]]["status"] == "made_up"
        ]:
            for j in sorted(self._picks_by_supply.get(s["id"], {}).values(), key=_age):
                its_lot = self.lots[j["lot_id"]]
                packs = self.lots[j["lot_id"]]["packs"] + j["packs"]
                if not 0 <= packs <= 200:
                    return self._take_back(f"The packs of {its_lot['number']} must be between 0 and 200.")
                self._put("lots", its_lot, "packs", packs)
            if s["status"] not in ("made_up", "returned"):
                return self._take_back(f"Supply {s['id']} cannot go from {s['status']} to returned.")
            changed_supplies.append(s)
            self._put("supplies", s, "status", "returned")
        self._put("lots", lot, "withdrawn_for", reason)
        for one_supply in _distinct(changed_supplies):
            if self._breaks_rule_1(one_supply):
                return self._take_back(RULES[0])
        for one_prescription in _distinct([self.prescriptions[one["prescription_id"]] for one in changed_supplies]):
            if self._breaks_rule_8_p(one_prescription):
                return self._take_back(RULES[7])
        for one_prescription in _distinct([self.prescriptions[one["prescription_id"]] for one in changed_supplies]):
            if self._breaks_rule_8_p_again(one_prescription):
                return self._take_back(RULES[7])
        for one_supply in _distinct(changed_supplies):
            if self._breaks_rule_9_s(one_supply):
                return self._take_back(RULES[8])
        for one_supply in _distinct(changed_supplies):
            if self._breaks_rule_9_s_again(one_supply):
                return self._take_back(RULES[8])
        for one_pick in _distinct(
            [
                *[user for one in changed_supplies for user in self._picks_by_supply.get(one["id"], {}).values()],
                *self._picks_by_lot.get(lot["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_pick):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: withdraw lot {lot['number']} because of {reason}.",
            "data": self._changes(),
        }

    def note_allergy(self, patient_id: str, substance_id: str) -> Result:
        """Note an allergy of a patient; active prescriptions for the substance are held and their bags taken apart.

        Args:
            patient_id (str): Id of the patient, such as PATIENT-00001.
            substance_id (str): Id of the substance, such as SUBSTANCE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        substance = self.substances.get(substance_id)
        if substance is None:
            return _refused(f"There is no substance {substance_id!r}.")
        if substance_id in patient["allergy_ids"]:
            return _refused(f"{patient['name']} is on record as allergic to {substance['name']} already.")
        self._journal = []
        changed_supplies: list[Any] = []
        changed_prescriptions: list[Any] = []
        for p in [
            p
            for p in sorted(self._prescriptions_by_patient_status.get((patient_id, "active"), {}).values(), key=_age)
            if self.products[p["product_id"]]["substance_id"] == substance_id
        ]:
            for s in sorted(self._supplies_by_prescription_status.get((p["id"], "made_up"), {}).values(), key=_age):
                for k in sorted(self._picks_by_supply.get(s["id"], {}).values(), key=_age):
                    lot = self.lots[k["lot_id"]]
                    packs = self.lots[k["lot_id"]]["packs"] + k["packs"]
                    if not 0 <= packs <= 200:
                        return self._take_back(f"The packs of {lot['number']} must be between 0 and 200.")
                    self._put("lots", lot, "packs", packs)
                if s["status"] not in ("made_up", "returned"):
                    return self._take_back(f"Supply {s['id']} cannot go from {s['status']} to returned.")
                changed_supplies.append(s)
                self._put("supplies", s, "status", "returned")
            if p["status"] not in ("active", "held"):
                return self._take_back(f"Prescription {p['id']} cannot go from {p['status']} to held.")
            changed_prescriptions.append(p)
            self._put("prescriptions", p, "status", "held")
        self._put(
            "patients",
            patient,
            "allergy_ids",
            [record["id"] for record in [self.substances[key] for key in patient["allergy_ids"]] + [substance]],
        )
        for one_supply in _distinct(changed_supplies):
            if self._breaks_rule_1(one_supply):
                return self._take_back(RULES[0])
        for one_prescription in _distinct(changed_prescriptions):
            if self._breaks_rule_6_a(one_prescription):
                return self._take_back(RULES[5])
        for one_prescription in _distinct(changed_prescriptions):
            if self._breaks_rule_6_b(one_prescription):
                return self._take_back(RULES[5])
        for one_prescription in _distinct(
            [
                *changed_prescriptions,
                *self._prescriptions_by_patient_status.get((patient["id"], "active"), {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_prescription):
                return self._take_back(RULES[6])
        for one_prescription in _distinct([self.prescriptions[one["prescription_id"]] for one in changed_supplies]):
            if self._breaks_rule_8_p(one_prescription):
                return self._take_back(RULES[7])
        for one_prescription in _distinct(
            [*[self.prescriptions[one["prescription_id"]] for one in changed_supplies], *changed_prescriptions]
        ):
            if self._breaks_rule_8_p_again(one_prescription):
                return self._take_back(RULES[7])
        for one_supply in _distinct(changed_supplies):
            if self._breaks_rule_9_s(one_supply):
                return self._take_back(RULES[8])
        for one_supply in _distinct(
            [
                *changed_supplies,
                *[
                    user
                    for one in changed_prescriptions
                    for user in self._supplies_by_prescription_status.get((one["id"], "made_up"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9_s_again(one_supply):
                return self._take_back(RULES[8])
        for one_pick in _distinct(
            [user for one in changed_supplies for user in self._picks_by_supply.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_pick):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note that {patient['name']} is allergic to {substance['name']}.",
            "data": self._changes(),
        }

    def change_duty(self, pharmacist_id: str, on_duty: bool) -> Result:
        """Sign a pharmacist on or off duty.

        Args:
            pharmacist_id (str): Id of the pharmacist, such as PHARMACIST-00001.
            on_duty (bool): Whether the pharmacist is on duty from now on.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pharmacist = self.pharmacists.get(pharmacist_id)
        if pharmacist is None:
            return _refused(f"There is no pharmacist {pharmacist_id!r}.")
        if pharmacist["on_duty"] == on_duty:
            return _refused(f"That is how the duty of {pharmacist['name']} stands already.")
        if not (on_duty or sum(1 for each in self.pharmacists.values() if each["on_duty"]) > 1):
            return _refused(f"{pharmacist['name']} is the only pharmacist on duty, so sign another one on first.")
        self._journal = []
        self._put("pharmacists", pharmacist, "on_duty", on_duty)
        if self._breaks_rule_12():
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: change the duty of {pharmacist['name']}.",
            "data": self._changes(),
        }

    def _show_substance(self, substance: Substance) -> dict[str, Any]:
        """The substance as an answer shows it."""
        return {**substance, "clash_ids": [*substance["clash_ids"]]}

    def _show_product(self, product: Product) -> dict[str, Any]:
        """The product as an answer shows it."""
        return {**product, "stock": self._product_stock(product)}

    def _show_patient(self, patient: Patient) -> dict[str, Any]:
        """The patient as an answer shows it."""
        return {**patient, "allergy_ids": [*patient["allergy_ids"]]}

    def _show_prescription(self, prescription: Prescription) -> dict[str, Any]:
        """The prescription as an answer shows it."""
        return {
            **prescription,
            "left": self._prescription_left(prescription),
            "due_on": self._prescription_due_on(prescription),
        }

    def _show_supply(self, supply: Supply) -> dict[str, Any]:
        """The supply as an answer shows it."""
        return {**supply, "patient_id": _id_of(self._supply_patient(supply))}

    def _names_of_substances(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that substances point to."""
        return _names((self.substances, "name", [each for row in shown for each in row["clash_ids"]]))

    def _names_of_products(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that products point to."""
        return _names((self.substances, "name", [row["substance_id"] for row in shown]))

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names((self.products, "name", [row["product_id"] for row in shown]))

    def _names_of_patients(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that patients point to."""
        return _names((self.substances, "name", [each for row in shown for each in row["allergy_ids"]]))

    def _names_of_prescriptions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that prescriptions point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
        )

    def _names_of_supplies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that supplies point to."""
        return _names(
            (self.products, "name", [row["product_id"] for row in shown]),
            (self.pharmacists, "name", [row["made_by_id"] for row in shown]),
            (self.pharmacists, "name", [row["checked_by_id"] for row in shown]),
            (self.patients, "name", [row["patient_id"] for row in shown]),
        )

    def _names_of_picks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that picks point to."""
        return _names((self.lots, "number", [row["lot_id"] for row in shown]))

    def _product_stock(self, product: Product) -> int:
        """The stock of a product."""
        return sum(
            l["packs"]
            for l in self._lots_by_product.get(product["id"], {}).values()
            if l["withdrawn_for"] is None
        )

    def _prescription_left(self, prescription: Prescription) -> int:
        """The left of a prescription."""
        return (
            prescription["fills"]
            - sum(
                1
                for s in self._supplies_by_prescription.get(prescription["id"], {}).values()
                if s["status"] != "returned"
            )
        )

    def _prescription_due_on(self, prescription: Prescription) -> str:
        """The due on of a prescription."""
        return self._next_due(self._last_made(prescription), prescription["issued_on"], prescription["every_days"])

    def _supply_patient(self, supply: Supply) -> Patient:
        """The patient of a supply."""
        return self.patients[self.prescriptions[supply["prescription_id"]]["patient_id"]]

    def _last_made(self, p: Prescription) -> str | None:
        return max(
            (
                s["made_on"]
                for s in self._supplies_by_prescription.get(p["id"], {}).values()
                if s["status"] != "returned"
            ),
            default=None,
        )

    def _next_due(self, last: str | None, issued: str, every: int) -> str:
        return _plus_days(last, every) if last is not None else issued

    def _check_open(self, s: Supply) -> bool:
        return (
            s["status"] == "made_up"
            and self.substances[self.products[s["product_id"]]["substance_id"]]["controlled"]
            and s["checked_by_id"] is None
        )

    def _clashing(self, a: Substance, b: Substance) -> bool:
        return a["id"] in b["clash_ids"] or b["id"] in a["clash_ids"]

    def _clash_for(self, p: Patient, s: Substance) -> Prescription | None:
        return min(
            (
                q
                for q in self._prescriptions_by_patient_status.get((p["id"], "active"), {}).values()
                if self._clashing(self.substances[self.products[q["product_id"]]["substance_id"]], s)
            ),
            key=lambda q: (q["id"], _age(q)),
            default=None,
        )

    def _waiting_bag(self, p: Prescription) -> Supply | None:
        return next(
            (
                s
                for s in sorted(
                    self._supplies_by_prescription_status.get((p["id"], "made_up"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _valid_until(self, p: Prescription) -> str:
        return _plus_days(
            p["issued_on"],
            28 if self.substances[self.products[p["product_id"]]["substance_id"]]["controlled"] else 180,
        )

    def _shelf(self, g: Product, until: str) -> list[Lot]:
        return [
            l
            for l in sorted(self._lots_by_product.get(g["id"], {}).values(), key=_age)
            if l["withdrawn_for"] is None
            and l["packs"] > 0
            and l["expires"] >= until
        ]

    def _enough(self, p: Prescription, g: Product) -> bool:
        return sum(l["packs"] for l in self._shelf(g, _plus_days(self.now[:10], p["every_days"]))) >= p["packs_each"]

    def _equivalent(self, a: Product, b: Product) -> bool:
        return a["substance_id"] == b["substance_id"] and a["strength_mg"] == b["strength_mg"]

    def _fillable(self, p: Prescription, until: str) -> bool:
        return (
            p["status"] == "active"
            and self._prescription_left(p) > 0
            and self._waiting_bag(p) is None
            and self._prescription_due_on(p) <= until
            and self._valid_until(p) >= self.now[:10]
        )

    def _breaks_rule_1(self, s: Supply) -> bool:
        """Whether this is broken: a controlled drug is handed out only after a second pharmacist has checked it."""
        return (
            s["status"] == "collected"
            and (
                s["checked_by_id"] is None
                and self.substances[self.products[s["product_id"]]["substance_id"]]["controlled"]
            )
        )

    def _breaks_rule_2(self, s: Supply) -> bool:
        """Whether this is broken: nobody checks a bag that they made up themselves."""
        return s["checked_by_id"] == s["made_by_id"]

    def _breaks_rule_3(self, s: Supply) -> bool:
        """Whether this is broken: the product supplied is the one prescribed or, where substitution is allowed, one
        of the same substance and strength.
        """
        return not (
            s["product_id"] == self.prescriptions[s["prescription_id"]]["product_id"]
            or self.prescriptions[s["prescription_id"]]["substitution"]
            and self._equivalent(
                self.products[s["product_id"]],
                self.products[self.prescriptions[s["prescription_id"]]["product_id"]],
            )
        )

    def _breaks_rule_4_s(self, s: Supply) -> bool:
        """Whether this is broken: a bag holds exactly the packs of one fill, all of the product supplied."""
        return sum(
            k["packs"]
            for k in self._picks_by_supply.get(s["id"], {}).values()
        ) != self.prescriptions[s["prescription_id"]]["packs_each"]

    def _breaks_rule_4_k(self, k: Pick) -> bool:
        """Whether this is broken: a bag holds exactly the packs of one fill, all of the product supplied."""
        return self.lots[k["lot_id"]]["product_id"] != self.supplies[k["supply_id"]]["product_id"]

    def _breaks_rule_5(self, k: Pick) -> bool:
        """Whether this is broken: no pack expires before the next fill is due."""
        return self.lots[k["lot_id"]]["expires"] < _plus_days(
            self.supplies[k["supply_id"]]["made_on"],
            self.prescriptions[self.supplies[k["supply_id"]]["prescription_id"]]["every_days"],
        )

    def _breaks_rule_6_a(self, a: Prescription) -> bool:
        """Whether this is broken: substances that clash are taken together only when a prescriber has confirmed one
        of the two prescriptions.
        """
        return (
            a["status"] == "active"
            and any(
                self._clashing(
                    self.substances[self.products[a["product_id"]]["substance_id"]],
                    self.substances[self.products[b["product_id"]]["substance_id"]],
                )
                and a["confirmed"] is None
                and b["confirmed"] is None
                for b in self._prescriptions_by_patient_status.get((a["patient_id"], "active"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_6_b(self, b: Prescription) -> bool:
        """Whether this is broken: substances that clash are taken together only when a prescriber has confirmed one
        of the two prescriptions.
        """
        return (
            b["status"] == "active"
            and any(
                self._clashing(
                    self.substances[self.products[a["product_id"]]["substance_id"]],
                    self.substances[self.products[b["product_id"]]["substance_id"]],
                )
                and a["confirmed"] is None
                and b["confirmed"] is None
                for a in self._prescriptions_by_patient_status.get((b["patient_id"], "active"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_7(self, p: Prescription) -> bool:
        """Whether this is broken: nobody has an active prescription for a substance to which they are allergic."""
        return (
            p["status"] == "active"
            and self.products[p["product_id"]]["substance_id"] in self.patients[p["patient_id"]]["allergy_ids"]
        )

    def _breaks_rule_8_p(self, p: Prescription) -> bool:
        """Whether this is broken: a prescription is never filled more often than it says."""
        return self._prescription_left(p) < 0

    def _breaks_rule_8_p_again(self, p: Prescription) -> bool:
        """Whether this is broken: a prescription is never filled more often than it says."""
        return p["status"] == "finished" and self._prescription_left(p) != 0

    def _breaks_rule_9_s(self, s: Supply) -> bool:
        """Whether this is broken: a prescription has at most one bag waiting, and only an active one has any."""
        return (
            s["status"] == "made_up"
            and any(
                other_s is not s
                for other_s in self._supplies_by_prescription_status.get(
                    (s["prescription_id"], "made_up"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_9_s_again(self, s: Supply) -> bool:
        """Whether this is broken: a prescription has at most one bag waiting, and only an active one has any."""
        return s["status"] == "made_up" and self.prescriptions[s["prescription_id"]]["status"] != "active"

    def _breaks_rule_10(self, p: Prescription) -> bool:
        """Whether this is broken: a controlled drug is prescribed for one fill at a time."""
        return p["fills"] != 1 and self.substances[self.products[p["product_id"]]["substance_id"]]["controlled"]

    def _breaks_rule_11(self, k: Pick) -> bool:
        """Whether this is broken: no bag that waits contains packs of a withdrawn lot."""
        return (
            self.supplies[k["supply_id"]]["status"] == "made_up"
            and self.lots[k["lot_id"]]["withdrawn_for"] is not None
        )

    def _breaks_rule_12(self) -> bool:
        """Whether this is broken: at least one pharmacist is on duty."""
        return sum(1 for each in self.pharmacists.values() if each["on_duty"]) < 1

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
            case "lots":
                self._lots_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._lots_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._lots_by_product.setdefault(record["product_id"], {})[record["id"]] = record
            case "prescriptions":
                self._prescriptions_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
                self._prescriptions_by_patient_product.setdefault(
                    (record["patient_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
                self._prescriptions_by_patient_status.setdefault(
                    (record["patient_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "supplies":
                self._supplies_by_prescription.setdefault(record["prescription_id"], {})[record["id"]] = record
                self._supplies_by_prescription_status.setdefault(
                    (record["prescription_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "picks":
                self._picks_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
                self._picks_by_supply.setdefault(record["supply_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lots":
                del self._lots_by_lower_number[record["number"].lower()][record["id"]]
                del self._lots_by_number[record["number"]][record["id"]]
                del self._lots_by_product[record["product_id"]][record["id"]]
            case "prescriptions":
                del self._prescriptions_by_patient[record["patient_id"]][record["id"]]
                del self._prescriptions_by_patient_product[record["patient_id"], record["product_id"]][record["id"]]
                del self._prescriptions_by_patient_status[record["patient_id"], record["status"]][record["id"]]
            case "supplies":
                del self._supplies_by_prescription[record["prescription_id"]][record["id"]]
                del self._supplies_by_prescription_status[record["prescription_id"], record["status"]][record["id"]]
            case "picks":
                del self._picks_by_lot[record["lot_id"]][record["id"]]
                del self._picks_by_supply[record["supply_id"]][record["id"]]
