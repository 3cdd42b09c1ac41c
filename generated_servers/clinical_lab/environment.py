"""Clinical laboratory. Compiled from blueprint.yaml; run `envscaler build clinical_lab` after changing it there.

Runs the samples of a hospital laboratory - tubes and aliquots with what is left in them, panels of tests,
analysers that must pass their controls, reruns, critical values that are phoned and samples that are rejected.
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
    "A test is done on the material that it needs.",
    "A sample has one order for a test at a time.",
    "Tests are ordered on the tube that came in, not on an aliquot.",
    "An aliquot has the patient and the material of the tube it was taken from.",
    "A result was measured on an analyser that does the test.",
    "A measured or released order has a value and an analyser, and a waiting one has neither.",
    "A critical result is released only after two runs and after it was phoned.",
    "Only critical results are phoned, and it is noted to whom.",
    "A rejected sample has no orders under way, and it says why.",
    "An aliquot of a rejected sample is rejected too.",
    "An analyser that is out of order has no valid control.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_sample",
    "order_panel",
    "order_test",
    "make_aliquot",
    "run_control",
    "measure_order",
    "rerun_order",
    "phone_result",
    "release_result",
    "reject_sample",
    "set_analyser",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "patients": ("name",),
    "requesters": ("name",),
    "tests": ("code",),
    "panels": ("name",),
    "analysers": ("name",),
    "samples": ("barcode",),
    "orders": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("orders", "sample_id"),
    ("orders", "status"),
    ("orders", "test_id"),
    ("samples", "barcode"),
    ("samples", "parent_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Patient(TypedDict):
    id: str
    name: str
    born: str


class Requester(TypedDict):
    id: str
    name: str


class Test(TypedDict):
    id: str
    code: str
    material: Literal["serum", "plasma", "blood", "urine"]
    uses: int
    low: int
    high: int


class Panel(TypedDict):
    id: str
    name: str
    test_ids: list[str]


class Analyser(TypedDict):
    id: str
    name: str
    test_ids: list[str]
    ready: bool
    control_until: str | None


class Sample(TypedDict):
    id: str
    barcode: str
    patient_id: str
    requester_id: str
    material: Literal["serum", "plasma", "blood", "urine"]
    volume: int
    received_at: str
    parent_id: str | None
    reason: str | None
    status: Literal["good", "rejected"]


class Order(TypedDict):
    id: str
    sample_id: str
    test_id: str
    urgent: bool
    analyser_id: str | None
    value: int | None
    runs: int
    phoned_to: str | None
    phoned_at: str | None
    status: Literal["waiting", "measured", "cancelled", "released"]


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


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


class ClinicalLab:
    """Runs the samples of a hospital laboratory - tubes and aliquots with what is left in them, panels of
    tests, analysers that must pass their controls, reruns, critical values that are phoned and samples
    that are rejected.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.requesters: dict[str, Requester] = _copied(config.get("requesters", {}))
        self.tests: dict[str, Test] = _copied(config.get("tests", {}))
        self.panels: dict[str, Panel] = _copied(config.get("panels", {}))
        self.analysers: dict[str, Analyser] = _copied(config.get("analysers", {}))
        self.samples: dict[str, Sample] = _copied(config.get("samples", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.now: str = config.get("now", "2026-11-04T07:30")
        self.counters: dict[str, int] = {
            "patient": len(self.patients),
            "requester": len(self.requesters),
            "test": len(self.tests),
            "panel": len(self.panels),
            "analyser": len(self.analysers),
            "sample": len(self.samples),
            "order": len(self.orders),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._samples_by_barcode: dict[Any, dict[str, Sample]] = {}
        self._samples_by_parent: dict[Any, dict[str, Sample]] = {}
        self._orders_by_sample: dict[Any, dict[str, Order]] = {}
        self._orders_by_sample_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_sample_test: dict[Any, dict[str, Order]] = {}
        self._orders_by_test: dict[Any, dict[str, Order]] = {}
        for sample in self.samples.values():
            self._link("samples", sample)
        for order in self.orders.values():
            self._link("orders", order)

    def worklist(self, analyser_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Waiting orders that an analyser can do, urgent ones first and then by time of receipt.

        Args:
            analyser_id (str): Id of the analyser, such as ANALYSER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        analyser = self.analysers.get(analyser_id)
        if analyser is None:
            return _refused(f"There is no analyser {analyser_id!r}.")
        found = [
            o
            for o in _distinct(
                [o for key in analyser["test_ids"] for o in self._orders_by_test.get(key, {}).values()]
            )
            if (o["status"] == "waiting" and o["test_id"] in analyser["test_ids"])
        ]
        found.sort(
            key=lambda o: (
                0 if o["urgent"] else 1,
                self.samples[o["sample_id"]]["received_at"],
                self.tests[o["test_id"]]["code"],
                _age(o),
            )
        )
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "id": o["id"],
                        "barcode": self.samples[o["sample_id"]]["barcode"],
                        "patient": self.patients[self.samples[o["sample_id"]]["patient_id"]]["name"],
                        "test": self.tests[o["test_id"]]["code"],
                        "urgent": o["urgent"],
                        "uses": self.tests[o["test_id"]]["uses"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def volume_left(self, sample_id: str) -> Result:
        """How much of a sample is left in all its good tubes, and how much the waiting tests need.

        Args:
            sample_id (str): Id of the sample, such as SAMPLE-00001.

        Returns:
            dict: {"success": True, "data": {in_tube, in_all, needed, tubes}} or {"success": False, "error": why
                not}
        """
        sample = self.samples.get(sample_id)
        if sample is None:
            return _refused(f"There is no sample {sample_id!r}.")
        return _found(
            {
                "in_tube": sample["volume"],
                "in_all": self._left(sample),
                "needed": sum(
                    self.tests[o["test_id"]]["uses"]
                    for o in self._orders_by_sample_status.get((sample_id, "waiting"), {}).values()
                ),
                "tubes": [*[t["barcode"] for t in self._tubes(sample) if t["status"] == "good"]],
            }
        )

    def to_phone(
        self,
        requester_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Critical results that were run twice and are not phoned yet.

        Args:
            requester_id (str, optional): Requester who sent the samples; an id such as REQUESTER-00001. If left
                out, the results for all requesters are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        requester = self.requesters.get(requester_id) if requester_id is not None else None
        if requester_id is not None and requester is None:
            return _refused(f"There is no requester {requester_id!r}.")
        found = [
            o
            for o in self.orders.values()
            if (o["status"] == "measured" and self._order_critical(o) and o["runs"] >= 2 and o["phoned_at"] is None)
            and (requester_id is None or self.samples[o["sample_id"]]["requester_id"] == requester_id)
        ]
        found.sort(
            key=lambda o: (self.samples[o["sample_id"]]["received_at"], self.tests[o["test_id"]]["code"], _age(o))
        )
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "id": o["id"],
                        "patient": self.patients[self.samples[o["sample_id"]]["patient_id"]]["name"],
                        "requester": self.requesters[self.samples[o["sample_id"]]["requester_id"]]["name"],
                        "test": self.tests[o["test_id"]]["code"],
                        "value": o["value"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

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
        return _found({"total": len(found), "patients": [{**patient} for patient in _page(found, offset)]})

    def list_requesters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requesters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only requesters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requesters": records}}
        """
        found = [
            requester
            for requester in self.requesters.values()
            if (name is None or name.casefold() in requester["name"].casefold())
        ]
        return _found({"total": len(found), "requesters": [{**requester} for requester in _page(found, offset)]})

    def list_tests(
        self,
        code: Text | None = None,
        material: Literal["serum", "plasma", "blood", "urine"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tests, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tests whose code contains this text.
            material (str, optional): Only tests with this material.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tests": records}}
        """
        found = [
            test
            for test in self.tests.values()
            if (code is None or code.casefold() in test["code"].casefold())
            and (material is None or test["material"] == material)
        ]
        return _found({"total": len(found), "tests": [{**test} for test in _page(found, offset)]})

    def list_panels(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the panels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only panels whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "panels": records}}
        """
        found = [
            panel
            for panel in self.panels.values()
            if (name is None or name.casefold() in panel["name"].casefold())
        ]
        shown = [self._show_panel(panel) for panel in _page(found, offset)]
        return _found({"total": len(found), "panels": shown}, self._names_of_panels(shown))

    def list_analysers(
        self,
        name: Text | None = None,
        ready: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the analysers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only analysers whose name contains this text.
            ready (bool, optional): Only analysers that are ready (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "analysers": records}}
        """
        found = [
            analyser
            for analyser in self.analysers.values()
            if (name is None or name.casefold() in analyser["name"].casefold())
            and (ready is None or analyser["ready"] == ready)
        ]
        shown = [self._show_analyser(analyser) for analyser in _page(found, offset)]
        return _found({"total": len(found), "analysers": shown}, self._names_of_analysers(shown))

    def list_samples(
        self,
        barcode: Text | None = None,
        patient_id: str | None = None,
        requester_id: str | None = None,
        material: Literal["serum", "plasma", "blood", "urine"] | None = None,
        parent_id: str | None = None,
        status: Literal["good", "rejected"] | None = None,
        received_at_from: Date | None = None,
        received_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the samples, oldest first, all of them or only some.

        Args:
            barcode (str, optional): Only samples whose barcode contains this text.
            patient_id (str, optional): Only samples of this patient.
            requester_id (str, optional): Only samples of this requester.
            material (str, optional): Only samples with this material.
            parent_id (str, optional): Only samples whose parent is this sample.
            status (str, optional): Only samples with this status.
            received_at_from (str, optional): Only samples whose `received_at` is on this day or later.
            received_at_to (str, optional): Only samples whose `received_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "samples": records}}
        """
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if requester_id is not None and requester_id not in self.requesters:
            return _refused(f"There is no requester {requester_id!r}.")
        if parent_id is not None and parent_id not in self.samples:
            return _refused(f"There is no sample {parent_id!r}.")
        found = [
            sample
            for sample in self.samples.values()
            if (barcode is None or barcode.casefold() in sample["barcode"].casefold())
            and (patient_id is None or sample["patient_id"] == patient_id)
            and (requester_id is None or sample["requester_id"] == requester_id)
            and (material is None or sample["material"] == material)
            and (parent_id is None or sample["parent_id"] == parent_id)
            and (status is None or sample["status"] == status)
            and (received_at_from is None or sample["received_at"][:10] >= received_at_from)
            and (received_at_to is None or sample["received_at"][:10] <= received_at_to)
        ]
        shown = [{**sample} for sample in _page(found, offset)]
        return _found({"total": len(found), "samples": shown}, self._names_of_samples(shown))

    def list_orders(
        self,
        sample_id: str | None = None,
        test_id: str | None = None,
        urgent: bool | None = None,
        analyser_id: str | None = None,
        status: Literal["waiting", "measured", "cancelled", "released"] | None = None,
        phoned_at_from: Date | None = None,
        phoned_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            sample_id (str, optional): Only orders of this sample.
            test_id (str, optional): Only orders of this test.
            urgent (bool, optional): Only orders that are urgent (true) or not (false).
            analyser_id (str, optional): Only orders of this analyser.
            status (str, optional): Only orders with this status.
            phoned_at_from (str, optional): Only orders whose `phoned_at` is on this day or later.
            phoned_at_to (str, optional): Only orders whose `phoned_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if sample_id is not None and sample_id not in self.samples:
            return _refused(f"There is no sample {sample_id!r}.")
        if test_id is not None and test_id not in self.tests:
            return _refused(f"There is no test {test_id!r}.")
        if analyser_id is not None and analyser_id not in self.analysers:
            return _refused(f"There is no analyser {analyser_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (sample_id is None or order["sample_id"] == sample_id)
            and (test_id is None or order["test_id"] == test_id)
            and (urgent is None or order["urgent"] == urgent)
            and (analyser_id is None or order["analyser_id"] == analyser_id)
            and (status is None or order["status"] == status)
            and (
                phoned_at_from is None
                or (order["phoned_at"] is not None and order["phoned_at"][:10] >= phoned_at_from)
            )
            and (phoned_at_to is None or (order["phoned_at"] is not None and order["phoned_at"][:10] <= phoned_at_to))
        ]
        shown = [self._show_order(order) for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_sample(
        self,
        barcode: Text,
        patient_id: str,
        requester_id: str,
        material: Literal["serum", "plasma", "blood", "urine"],
        volume: Annotated[int, {"minimum": 50, "maximum": 10000}],
    ) -> Result:
        """Receive a sample of a patient, with what is in it in microlitres.

        Args:
            barcode (str): Barcode on the tube, not in use yet.
            patient_id (str): Id of the patient, such as PATIENT-00001.
            requester_id (str): Id of the requester, such as REQUESTER-00001.
            material (str): What the tube contains: serum, plasma, blood or urine.
            volume (int): How much is in the tube, in microlitres, from 50 to 10000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        requester = self.requesters.get(requester_id)
        if requester is None:
            return _refused(f"There is no requester {requester_id!r}.")
        if self._samples_by_barcode.get(barcode, {}):
            return _refused(f"The barcode {barcode} is in use.")
        self._journal = []
        sample: Sample = {
            "id": self._new_id("sample", "SAMPLE", self.samples),
            "barcode": barcode,
            "patient_id": patient_id,
            "requester_id": requester_id,
            "material": material,
            "volume": volume,
            "received_at": self.now,
            "parent_id": None,
            "reason": None,
            "status": "good",
        }
        self._add("samples", sample)
        if len(self._samples_by_barcode.get(sample["barcode"], {})) > 1:
            return self._take_back(f"There is already a sample with the barcode {sample['barcode']!r}.")
        if self._breaks_rule_4(sample):
            return self._take_back(RULES[3])
        if self._breaks_rule_9_s(sample):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(sample):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: receive {barcode} of {patient['name']} (new: sample {sample['id']}).",
            "data": {"sample_id": sample["id"], **self._changes()},
        }

    def order_panel(self, sample_id: str, panel_id: str, urgent: bool = False) -> Result:
        """Order all tests of a panel that the sample has no order for.

        Args:
            sample_id (str): Id of the sample, such as SAMPLE-00001.
            panel_id (str): Id of the panel, such as PANEL-00001.
            urgent (bool): Whether the tests are to be measured before those that are not urgent. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sample = self.samples.get(sample_id)
        if sample is None:
            return _refused(f"There is no sample {sample_id!r}.")
        panel = self.panels.get(panel_id)
        if panel is None:
            return _refused(f"There is no panel {panel_id!r}.")
        if sample["parent_id"] is not None:
            return _refused("Order on the tube that came in, not on an aliquot.")
        if sample["status"] != "good":
            return _refused(f"Sample {sample['barcode']} was rejected.")
        odd = next(
            (t for t in [self.tests[key] for key in panel["test_ids"]] if t["material"] != sample["material"]),
            None,
        )
        if odd is not None:
            return _refused(
                f"{odd['code']} needs {odd['material']}, and {sample['barcode']} is {sample['material']}."
            )
        if not any(self._order_for(sample, t) is None for t in [self.tests[key] for key in panel["test_ids"]]):
            return _refused(f"Everything in {panel['name']} is ordered already.")
        self._journal = []
        added_orders: list[Any] = []
        for t in [t for t in [self.tests[key] for key in panel["test_ids"]] if self._order_for(sample, t) is None]:
            order = {
                "id": self._new_id("order", "ORDER", self.orders),
                "sample_id": sample_id,
                "test_id": t["id"],
                "urgent": urgent,
                "analyser_id": None,
                "value": None,
                "runs": 0,
                "phoned_to": None,
                "phoned_at": None,
                "status": "waiting",
            }
            self._add("orders", order)
            added_orders.append(order)
        for one_order in _distinct(added_orders):
            if self._breaks_rule_1(one_order):
                return self._take_back(RULES[0])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_3(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_5(one_order):
                return self._take_back(RULES[4])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_6_o(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_6_o_again(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_7(one_order):
                return self._take_back(RULES[6])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_8_o(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_8_o_again(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_9_o(one_order):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: order {panel['name']} on {sample['barcode']}.",
            "data": self._changes(),
        }

    def order_test(self, sample_id: str, test_id: str, urgent: bool = False) -> Result:
        """Order one more test on a sample.

        Args:
            sample_id (str): Id of the sample, such as SAMPLE-00001.
            test_id (str): Id of the test, such as TEST-00001.
            urgent (bool): Whether the test is to be measured before those that are not urgent. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sample = self.samples.get(sample_id)
        if sample is None:
            return _refused(f"There is no sample {sample_id!r}.")
        test = self.tests.get(test_id)
        if test is None:
            return _refused(f"There is no test {test_id!r}.")
        if sample["parent_id"] is not None:
            return _refused("Order on the tube that came in, not on an aliquot.")
        if sample["status"] != "good":
            return _refused(f"Sample {sample['barcode']} was rejected.")
        if test["material"] != sample["material"]:
            return _refused(
                f"{test['code']} needs {test['material']}, and {sample['barcode']} is {sample['material']}."
            )
        if self._order_for(sample, test) is not None:
            return _refused(f"{test['code']} is ordered on {sample['barcode']} already.")
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "sample_id": sample_id,
            "test_id": test_id,
            "urgent": urgent,
            "analyser_id": None,
            "value": None,
            "runs": 0,
            "phoned_to": None,
            "phoned_at": None,
            "status": "waiting",
        }
        self._add("orders", order)
        if self._breaks_rule_1(order):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(order):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_o_again(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_o_again(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: order {test['code']} on {sample['barcode']} (new: order {order['id']}).",
            "data": {"order_id": order["id"], **self._changes()},
        }

    def make_aliquot(
        self,
        sample_id: str,
        barcode: Text,
        volume: Annotated[int, {"minimum": 50, "maximum": 5000}],
    ) -> Result:
        """Take part of a sample into a new tube.

        Args:
            sample_id (str): Id of the sample, such as SAMPLE-00001.
            barcode (str): Barcode on the new tube, not in use yet.
            volume (int): How much to take from the sample into the new tube, in microlitres, from 50 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sample = self.samples.get(sample_id)
        if sample is None:
            return _refused(f"There is no sample {sample_id!r}.")
        if sample["status"] != "good":
            return _refused(f"Sample {sample['barcode']} was rejected.")
        if self._samples_by_barcode.get(barcode, {}):
            return _refused(f"The barcode {barcode} is in use.")
        if volume > sample["volume"]:
            return _refused(f"{sample['barcode']} has {sample['volume']} microlitres left, not {volume}.")
        done = f"take {volume} microlitres of {sample['barcode']} into {barcode}"
        self._journal = []
        new_volume = sample["volume"] - volume
        if not 0 <= new_volume <= 10000:
            return self._take_back(f"The volume of {sample['barcode']} must be between 0 and 10000.")
        self._put("samples", sample, "volume", new_volume)
        new_sample: Sample = {
            "id": self._new_id("sample", "SAMPLE", self.samples),
            "barcode": barcode,
            "patient_id": sample["patient_id"],
            "requester_id": sample["requester_id"],
            "material": sample["material"],
            "volume": volume,
            "received_at": sample["received_at"],
            "parent_id": sample_id,
            "reason": None,
            "status": "good",
        }
        self._add("samples", new_sample)
        if len(self._samples_by_barcode.get(new_sample["barcode"], {})) > 1:
            return self._take_back(f"There is already a sample with the barcode {new_sample['barcode']!r}.")
        if self._breaks_rule_4(new_sample):
            return self._take_back(RULES[3])
        if self._breaks_rule_9_s(new_sample):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(new_sample):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: {done} (new: sample {new_sample['id']}).",
            "data": {"sample_id": new_sample["id"], **self._changes()},
        }

    def run_control(self, analyser_id: str, passed: bool) -> Result:
        """Record a control of an analyser; one that passes holds for 24 hours, one that fails stops it.

        Args:
            analyser_id (str): Id of the analyser, such as ANALYSER-00001.
            passed (bool): Whether the analyser passed the control.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        analyser = self.analysers.get(analyser_id)
        if analyser is None:
            return _refused(f"There is no analyser {analyser_id!r}.")
        if not analyser["ready"]:
            return _refused(f"{analyser['name']} is out of order, so put it back into use first.")
        self._journal = []
        changed_analysers: list[Any] = []
        if passed:
            changed_analysers.append(analyser)
            self._put("analysers", analyser, "control_until", _plus_minutes(self.now, 24 * 60))
        else:
            changed_analysers.append(analyser)
            self._put("analysers", analyser, "control_until", None)
        for one_analyser in _distinct(changed_analysers):
            if self._breaks_rule_11(one_analyser):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: record a control of {analyser['name']}.", "data": self._changes()}

    def measure_order(
        self,
        order_id: str,
        analyser_id: str,
        tube_id: str,
        value: Annotated[int, {"minimum": 0, "maximum": 5000}],
    ) -> Result:
        """Record the value of a waiting order, measured from the tube or one of its aliquots on an analyser with a
        valid control.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            analyser_id (str): Id of the analyser, such as ANALYSER-00001.
            tube_id (str): Tube that was measured, the sample of the order or an aliquot; an id such as
                SAMPLE-00001.
            value (int): Result of the measurement, as a whole number in the unit of the test, from 0 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        analyser = self.analysers.get(analyser_id)
        if analyser is None:
            return _refused(f"There is no analyser {analyser_id!r}.")
        tube = self.samples.get(tube_id)
        if tube is None:
            return _refused(f"There is no sample {tube_id!r}.")
        if order["status"] != "waiting":
            return _refused(
                f"{self.tests[order['test_id']]['code']} on {self.samples[order['sample_id']]['barcode']} is "
                f"{order['status']}."
            )
        if order["test_id"] not in analyser["test_ids"]:
            return _refused(f"{analyser['name']} does not do {self.tests[order['test_id']]['code']}.")
        if not analyser["ready"]:
            return _refused(f"{analyser['name']} is out of order.")
        if not self._steady(analyser, self.now):
            return _refused(f"{analyser['name']} has no valid control.")
        if (
            tube_id != order["sample_id"]
            and self.samples[order["sample_id"]] not in _above(self.samples, tube, "parent_id")
        ):
            return _refused(f"{tube['barcode']} was not taken from {self.samples[order['sample_id']]['barcode']}.")
        if tube["status"] != "good":
            return _refused(f"{tube['barcode']} was rejected.")
        if tube["volume"] < self.tests[order["test_id"]]["uses"]:
            return _refused(
                f"{self.tests[order['test_id']]['code']} needs {self.tests[order['test_id']]['uses']} microlitres "
                f"and {tube['barcode']} has {tube['volume']}."
            )
        if order["runs"] >= 3:
            return _refused("It was run three times.")
        self._journal = []
        volume = tube["volume"] - self.tests[order["test_id"]]["uses"]
        if not 0 <= volume <= 10000:
            return self._take_back(f"The volume of {tube['barcode']} must be between 0 and 10000.")
        self._put("samples", tube, "volume", volume)
        self._put("orders", order, "analyser_id", analyser_id)
        self._put("orders", order, "value", value)
        runs = order["runs"] + 1
        if not 0 <= runs <= 3:
            return self._take_back(f"The runs of {order['id']} must be between 0 and 3.")
        self._put("orders", order, "runs", runs)
        self._put("orders", order, "status", "measured")
        if self._breaks_rule_2(order):
            return self._take_back(RULES[1])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_o_again(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_o_again(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: record {value} for {self.tests[order['test_id']]['code']} on "
                f"{self.samples[order['sample_id']]['barcode']}."
            ),
            "data": self._changes(),
        }

    def rerun_order(self, order_id: str) -> Result:
        """Set a measured result aside, or take a released one back, so that the test is run again.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] not in ("measured", "released"):
            return _refused(
                f"{self.tests[order['test_id']]['code']} on {self.samples[order['sample_id']]['barcode']} is "
                f"{order['status']}."
            )
        if self.samples[order["sample_id"]]["status"] != "good":
            return _refused(
                f"Sample {self.samples[order['sample_id']]['barcode']} was rejected, so nothing on it is run again."
            )
        if order["runs"] >= 3:
            return _refused("It was run three times, so reject the sample or release the result.")
        self._journal = []
        self._put("orders", order, "analyser_id", None)
        self._put("orders", order, "value", None)
        self._put("orders", order, "phoned_to", None)
        self._put("orders", order, "phoned_at", None)
        self._put("orders", order, "status", "waiting")
        if self._breaks_rule_2(order):
            return self._take_back(RULES[1])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_o_again(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_o_again(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: run {self.tests[order['test_id']]['code']} on "
                f"{self.samples[order['sample_id']]['barcode']} again."
            ),
            "data": self._changes(),
        }

    def phone_result(self, order_id: str, to: Text) -> Result:
        """Note to whom a critical result was phoned.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            to (str): Name of the person who took the call.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if not (order["status"] == "measured" and self._order_critical(order)):
            return _refused(
                f"{self.tests[order['test_id']]['code']} on {self.samples[order['sample_id']]['barcode']} is not "
                "a critical result that waits."
            )
        if order["runs"] < 2:
            return _refused("It was run once only, so run it again before you phone.")
        if order["phoned_at"] is not None:
            return _refused("It was phoned already.")
        self._journal = []
        self._put("orders", order, "phoned_to", to)
        self._put("orders", order, "phoned_at", self.now)
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_o_again(order):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: note that {self.tests[order['test_id']]['code']} on "
                f"{self.samples[order['sample_id']]['barcode']} was phoned to {to}."
            ),
            "data": self._changes(),
        }

    def release_result(self, order_id: str) -> Result:
        """Release a measured result unless the last control of its analyser failed; a critical one must have been run
        twice and phoned.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "measured":
            return _refused(
                f"{self.tests[order['test_id']]['code']} on {self.samples[order['sample_id']]['barcode']} is "
                f"{order['status']}."
            )
        if order["analyser_id"] is None or self.analysers[order["analyser_id"]]["control_until"] is None:
            return _refused(
                "The last control of that analyser failed or it was stopped, so run "
                f"{self.tests[order['test_id']]['code']} again."
            )
        if self._order_critical(order) and order["runs"] < 2:
            return _refused("The value is critical and was run once only.")
        if self._order_critical(order) and order["phoned_at"] is None:
            return _refused("The value is critical and must be phoned first.")
        self._journal = []
        self._put("orders", order, "status", "released")
        if self._breaks_rule_2(order):
            return self._take_back(RULES[1])
        if self._breaks_rule_6_o_again(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_o_again(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: release {self.tests[order['test_id']]['code']} on "
                f"{self.samples[order['sample_id']]['barcode']}."
            ),
            "data": self._changes(),
        }

    def reject_sample(self, sample_id: str, reason: Text) -> Result:
        """Reject a sample and its aliquots, which cancels the orders that are not released.

        Args:
            sample_id (str): Id of the sample, such as SAMPLE-00001.
            reason (str): Why the sample cannot be used.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sample = self.samples.get(sample_id)
        if sample is None:
            return _refused(f"There is no sample {sample_id!r}.")
        if sample["status"] != "good":
            return _refused(f"Sample {sample['barcode']} was rejected already.")
        self._journal = []
        changed_samples: list[Any] = []
        changed_samples_2: list[Any] = []
        changed_orders: list[Any] = []
        for t in list(self._tubes(sample)):
            if t["status"] == "good":
                changed_samples.append(t)
                self._put("samples", t, "reason", reason)
                changed_samples_2.append(t)
                self._put("samples", t, "status", "rejected")
        for o in [
            o
            for o in sorted(self._orders_by_sample.get(sample_id, {}).values(), key=_age)
            if self._pending(o)
        ]:
            if o["status"] not in ("waiting", "measured", "cancelled"):
                return self._take_back(f"Order {o['id']} cannot go from {o['status']} to cancelled.")
            changed_orders.append(o)
            self._put("orders", o, "status", "cancelled")
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_6_o_again(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_7(one_order):
                return self._take_back(RULES[6])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_8_o_again(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(
            [
                *[user for one in changed_samples_2 for user in self._orders_by_sample.get(one["id"], {}).values()],
                *changed_orders,
            ]
        ):
            if self._breaks_rule_9_o(one_order):
                return self._take_back(RULES[8])
        for one_sample in _distinct([*changed_samples, *changed_samples_2]):
            if self._breaks_rule_9_s(one_sample):
                return self._take_back(RULES[8])
        for one_sample in _distinct(
            [
                *[user for one in changed_samples_2 for user in self._samples_by_parent.get(one["id"], {}).values()],
                *changed_samples_2,
            ]
        ):
            if self._breaks_rule_10(one_sample):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: reject {sample['barcode']} with the reason {reason}.",
            "data": self._changes(),
        }

    def set_analyser(self, analyser_id: str, ready: bool) -> Result:
        """Take an analyser out of use, or put it back, after which it needs a control.

        Args:
            analyser_id (str): Id of the analyser, such as ANALYSER-00001.
            ready (bool): Whether the analyser is to be in use, false taking it out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        analyser = self.analysers.get(analyser_id)
        if analyser is None:
            return _refused(f"There is no analyser {analyser_id!r}.")
        if analyser["ready"] == ready:
            return _refused(f"{analyser['name']} is like that already.")
        self._journal = []
        self._put("analysers", analyser, "ready", ready)
        self._put("analysers", analyser, "control_until", None)
        if self._breaks_rule_11(analyser):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: change the use of {analyser['name']}.", "data": self._changes()}

    def _show_panel(self, panel: Panel) -> dict[str, Any]:
        """The panel as an answer shows it."""
        return {**panel, "test_ids": [*panel["test_ids"]]}

    def _show_analyser(self, analyser: Analyser) -> dict[str, Any]:
        """The analyser as an answer shows it."""
        return {**analyser, "test_ids": [*analyser["test_ids"]]}

    def _show_order(self, order: Order) -> dict[str, Any]:
        """The order as an answer shows it."""
        return {**order, "critical": self._order_critical(order)}

    def _names_of_panels(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that panels point to."""
        return _names((self.tests, "code", [each for row in shown for each in row["test_ids"]]))

    def _names_of_analysers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that analysers point to."""
        return _names((self.tests, "code", [each for row in shown for each in row["test_ids"]]))

    def _names_of_samples(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that samples point to."""
        return _names(
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.requesters, "name", [row["requester_id"] for row in shown]),
            (self.samples, "barcode", [row["parent_id"] for row in shown]),
        )

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.samples, "barcode", [row["sample_id"] for row in shown]),
            (self.tests, "code", [row["test_id"] for row in shown]),
            (self.analysers, "name", [row["analyser_id"] for row in shown]),
        )

    def _order_critical(self, order: Order) -> bool:
        """The critical of an order."""
        return (
            order["value"] is not None
            and (
                order["value"] < self.tests[order["test_id"]]["low"]
                or order["value"] > self.tests[order["test_id"]]["high"]
            )
        )

    def _pending(self, o: Order) -> bool:
        return o["status"] in ("waiting", "measured")

    def _order_for(self, s: Sample, t: Test) -> Order | None:
        return next(
            (
                o
                for o in sorted(self._orders_by_sample_test.get((s["id"], t["id"]), {}).values(), key=_age)
                if o["status"] != "cancelled"
            ),
            None,
        )

    def _steady(self, a: Analyser, at: str) -> bool:
        return a["ready"] and a["control_until"] is not None and a["control_until"] > at

    def _tubes(self, s: Sample) -> list[Sample]:
        return [s] + _below(self._samples_by_parent, s)

    def _left(self, s: Sample) -> int:
        return sum(t["volume"] for t in self._tubes(s) if t["status"] == "good")

    def _breaks_rule_1(self, o: Order) -> bool:
        """Whether this is broken: a test is done on the material that it needs."""
        return self.tests[o["test_id"]]["material"] != self.samples[o["sample_id"]]["material"]

    def _breaks_rule_2(self, o: Order) -> bool:
        """Whether this is broken: a sample has one order for a test at a time."""
        return (
            o["status"] != "cancelled"
            and any(
                other_o is not o
                for other_o in self._orders_by_sample_test.get((o["sample_id"], o["test_id"]), {}).values()
                if other_o["status"] != "cancelled"
            )
        )

    def _breaks_rule_3(self, o: Order) -> bool:
        """Whether this is broken: tests are ordered on the tube that came in, not on an aliquot."""
        return self.samples[o["sample_id"]]["parent_id"] is not None

    def _breaks_rule_4(self, s: Sample) -> bool:
        """Whether this is broken: an aliquot has the patient and the material of the tube it was taken from."""
        return not (
            s["parent_id"] is None
            or self.samples[s["parent_id"]]["patient_id"] == s["patient_id"]
            and self.samples[s["parent_id"]]["material"] == s["material"]
        )

    def _breaks_rule_5(self, o: Order) -> bool:
        """Whether this is broken: a result was measured on an analyser that does the test."""
        return o["analyser_id"] is not None and o["test_id"] not in self.analysers[o["analyser_id"]]["test_ids"]

    def _breaks_rule_6_o(self, o: Order) -> bool:
        """Whether this is broken: a measured or released order has a value and an analyser, and a waiting one has
        neither.
        """
        return (o["value"] is not None) != (o["analyser_id"] is not None)

    def _breaks_rule_6_o_again(self, o: Order) -> bool:
        """Whether this is broken: a measured or released order has a value and an analyser, and a waiting one has
        neither.
        """
        return o["status"] != "cancelled" and (o["value"] is not None) != (o["status"] in ("measured", "released"))

    def _breaks_rule_7(self, o: Order) -> bool:
        """Whether this is broken: a critical result is released only after two runs and after it was phoned."""
        return (
            o["status"] == "released"
            and not (not self._order_critical(o) or o["runs"] >= 2 and o["phoned_at"] is not None)
        )

    def _breaks_rule_8_o(self, o: Order) -> bool:
        """Whether this is broken: only critical results are phoned, and it is noted to whom."""
        return (o["phoned_at"] is None) != (o["phoned_to"] is None)

    def _breaks_rule_8_o_again(self, o: Order) -> bool:
        """Whether this is broken: only critical results are phoned, and it is noted to whom."""
        return o["status"] in ("measured", "released") and not (o["phoned_at"] is None or self._order_critical(o))

    def _breaks_rule_9_o(self, o: Order) -> bool:
        """Whether this is broken: a rejected sample has no orders under way, and it says why."""
        return self._pending(o) and self.samples[o["sample_id"]]["status"] == "rejected"

    def _breaks_rule_9_s(self, s: Sample) -> bool:
        """Whether this is broken: a rejected sample has no orders under way, and it says why."""
        return (s["status"] == "rejected") != (s["reason"] is not None)

    def _breaks_rule_10(self, s: Sample) -> bool:
        """Whether this is broken: an aliquot of a rejected sample is rejected too."""
        return (
            s["parent_id"] is not None
            and self.samples[s["parent_id"]]["status"] != "good"
            and s["status"] != "rejected"
        )

    def _breaks_rule_11(self, a: Analyser) -> bool:
        """Whether this is broken: an analyser that is out of order has no valid control."""
        return not a["ready"] and a["control_until"] is not None

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
            case "samples":
                self._samples_by_barcode.setdefault(record["barcode"], {})[record["id"]] = record
                self._samples_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "orders":
                self._orders_by_sample.setdefault(record["sample_id"], {})[record["id"]] = record
                self._orders_by_sample_status.setdefault(
                    (record["sample_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_sample_test.setdefault(
                    (record["sample_id"], record["test_id"]),
                    {},
                )[record["id"]] = record
                self._orders_by_test.setdefault(record["test_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "samples":
                del self._samples_by_barcode[record["barcode"]][record["id"]]
                del self._samples_by_parent[record["parent_id"]][record["id"]]
            case "orders":
                del self._orders_by_sample[record["sample_id"]][record["id"]]
                del self._orders_by_sample_status[record["sample_id"], record["status"]][record["id"]]
                del self._orders_by_sample_test[record["sample_id"], record["test_id"]][record["id"]]
                del self._orders_by_test[record["test_id"]][record["id"]]
