"""Wine cellar. Compiled from blueprint.yaml; run `envscaler build wine_cellar` after changing it there.

Follows the wines of a cellar from must to bottle through tanks and barrels, with rackings, blends, topping up,
laboratory samples and labels that promise a grape or a vintage.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No vessel holds more than its capacity.",
    "A vessel that is filled holds a wine, and no other does.",
    "Barrels are kept at least nine tenths full or emptied altogether.",
    "A wine lists each grape of a vintage once.",
    "A wine is bottled only under labels that its grapes and vintages allow.",
    "No more of a wine is planned for bottling than the cellar holds.",
    "The line bottles at most 1,500 bottles a day.",
    "Wine moves between two vessels.",
    "A label that promises something promises at least half.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "rack",
    "top_up",
    "blend",
    "receive_must",
    "clean_vessel",
    "pour_away",
    "take_sample",
    "treat_wine",
    "register_label",
    "plan_bottling",
    "bottle",
    "cancel_bottling",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "wines": ("name",),
    "components": (),
    "vessels": ("name",),
    "labels": ("name",),
    "samples": (),
    "bottling_runs": (),
    "treatments": (),
    "movements": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bottling_runs", "planned_on"),
    ("bottling_runs", "status"),
    ("bottling_runs", "wine_id"),
    ("components", "grape"),
    ("components", "wine_id"),
    ("labels", "name"),
    ("samples", "wine_id"),
    ("vessels", "wine_id"),
    ("wines", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Wine(TypedDict):
    id: str
    name: str


class Component(TypedDict):
    id: str
    wine_id: str
    grape: Literal["riesling", "silvaner", "chardonnay", "pinot_noir", "merlot"]
    vintage: int
    millilitres: int


class Vessel(TypedDict):
    id: str
    name: str
    kind: Literal["tank", "barrel"]
    capacity: int
    wine_id: str | None
    filled: int
    topped_on: str | None
    status: Literal["clean", "filled", "dirty"]


class Label(TypedDict):
    id: str
    name: str
    grape: Literal["riesling", "silvaner", "chardonnay", "pinot_noir", "merlot"] | None
    vintage: int | None
    least_percent: int


class Sample(TypedDict):
    id: str
    wine_id: str
    alcohol: int
    sulphur: int
    taken_on: str
    treated_since: bool


class BottlingRun(TypedDict):
    id: str
    wine_id: str
    label_id: str
    bottles: int
    planned_on: str
    status: Literal["planned", "bottled", "cancelled"]


class Treatment(TypedDict):
    id: str
    wine_id: str
    agent: Literal["sulphite", "bentonite", "sugar", "acid"]
    grams: int
    added_on: str


class Movement(TypedDict):
    id: str
    wine_id: str
    source_id: str
    target_id: str
    litres: int
    moved_on: str


class BlendPart(TypedDict):
    vessel_id: str
    litres: Annotated[int, {"minimum": 10, "maximum": 5000}]


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class WineCellar:
    """Follows the wines of a cellar from must to bottle through tanks and barrels, with rackings, blends,
    topping up, laboratory samples and labels that promise a grape or a vintage.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.wines: dict[str, Wine] = _copied(config.get("wines", {}))
        self.components: dict[str, Component] = _copied(config.get("components", {}))
        self.vessels: dict[str, Vessel] = _copied(config.get("vessels", {}))
        self.labels: dict[str, Label] = _copied(config.get("labels", {}))
        self.samples: dict[str, Sample] = _copied(config.get("samples", {}))
        self.bottling_runs: dict[str, BottlingRun] = _copied(config.get("bottling_runs", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.movements: dict[str, Movement] = _copied(config.get("movements", {}))
        self.now: str = config.get("now", "2026-03-19T08:00")
        self.counters: dict[str, int] = {
            "wine": len(self.wines),
            "component": len(self.components),
            "vessel": len(self.vessels),
            "label": len(self.labels),
            "sample": len(self.samples),
            "bottling_run": len(self.bottling_runs),
            "treatment": len(self.treatments),
            "movement": len(self.movements),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._wines_by_name: dict[Any, dict[str, Wine]] = {}
        self._components_by_wine: dict[Any, dict[str, Component]] = {}
        self._components_by_wine_grape: dict[Any, dict[str, Component]] = {}
        self._vessels_by_wine: dict[Any, dict[str, Vessel]] = {}
        self._labels_by_name: dict[Any, dict[str, Label]] = {}
        self._samples_by_wine: dict[Any, dict[str, Sample]] = {}
        self._bottling_runs_by_planned_on: dict[Any, dict[str, BottlingRun]] = {}
        self._bottling_runs_by_wine: dict[Any, dict[str, BottlingRun]] = {}
        self._bottling_runs_by_wine_status: dict[Any, dict[str, BottlingRun]] = {}
        for wine in self.wines.values():
            self._link("wines", wine)
        for component in self.components.values():
            self._link("components", component)
        for vessel in self.vessels.values():
            self._link("vessels", vessel)
        for label in self.labels.values():
            self._link("labels", label)
        for sample in self.samples.values():
            self._link("samples", sample)
        for bottling_run in self.bottling_runs.values():
            self._link("bottling_runs", bottling_run)

    def barrels_to_top(
        self,
        wine_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Barrels that are not full and were last topped up three weeks ago or more, the longest first.

        Args:
            wine_id (str, optional): Wine in the barrels; an id such as WINE-00001. If left out, barrels of all
                wines are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vessels": records}} or {"success": False, "error": why
                not}
        """
        wine = self.wines.get(wine_id) if wine_id is not None else None
        if wine_id is not None and wine is None:
            return _refused(f"There is no wine {wine_id!r}.")
        found = [
            v
            for v in self.vessels.values()
            if self._needs_topping(v, self.now[:10])
            and (wine_id is None or v["wine_id"] == wine_id)
        ]
        found.sort(
            key=lambda v: (v["topped_on"] if v["topped_on"] is not None else self.now[:10], v["name"], _age(v))
        )
        shown = [
            {
                "id": v["id"],
                "name": v["name"],
                "wine": v["wine_id"],
                "missing": v["capacity"] - v["filled"],
                "topped_on": v["topped_on"],
            }
            for v in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "vessels": shown},
            _names((self.wines, "name", [row["wine"] for row in shown])),
        )

    def labels_for(self, wine_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Labels that a wine may wear by its grapes and vintages.

        Args:
            wine_id (str): Id of the wine, such as WINE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "labels": records}} or {"success": False, "error": why
                not}
        """
        wine = self.wines.get(wine_id)
        if wine is None:
            return _refused(f"There is no wine {wine_id!r}.")
        found = [l for l in self.labels.values() if self._may_wear(wine, l)]
        return _found(
            {
                "total": len(found),
                "labels": [
                    {"id": l["id"], "name": l["name"], "grape": l["grape"], "vintage": l["vintage"]}
                    for l in _page(found, offset)
                ],
            }
        )

    def list_wines(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the wines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only wines whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wines": records}}
        """
        found = [wine for wine in self.wines.values() if (name is None or name.casefold() in wine["name"].casefold())]
        return _found({"total": len(found), "wines": [self._show_wine(wine) for wine in _page(found, offset)]})

    def list_components(
        self,
        wine_id: str | None = None,
        grape: Literal["riesling", "silvaner", "chardonnay", "pinot_noir", "merlot"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the components, oldest first, all of them or only some.

        Args:
            wine_id (str, optional): Only components of this wine.
            grape (str, optional): Only components with this grape.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "components": records}}
        """
        if wine_id is not None and wine_id not in self.wines:
            return _refused(f"There is no wine {wine_id!r}.")
        found = [
            component
            for component in self.components.values()
            if (wine_id is None or component["wine_id"] == wine_id)
            and (grape is None or component["grape"] == grape)
        ]
        shown = [{**component} for component in _page(found, offset)]
        return _found({"total": len(found), "components": shown}, self._names_of_components(shown))

    def list_vessels(
        self,
        name: Text | None = None,
        kind: Literal["tank", "barrel"] | None = None,
        wine_id: str | None = None,
        status: Literal["clean", "filled", "dirty"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vessels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vessels whose name contains this text.
            kind (str, optional): Only vessels with this kind.
            wine_id (str, optional): Only vessels of this wine.
            status (str, optional): Only vessels with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vessels": records}}
        """
        if wine_id is not None and wine_id not in self.wines:
            return _refused(f"There is no wine {wine_id!r}.")
        found = [
            vessel
            for vessel in self.vessels.values()
            if (name is None or name.casefold() in vessel["name"].casefold())
            and (kind is None or vessel["kind"] == kind)
            and (wine_id is None or vessel["wine_id"] == wine_id)
            and (status is None or vessel["status"] == status)
        ]
        shown = [{**vessel} for vessel in _page(found, offset)]
        return _found({"total": len(found), "vessels": shown}, self._names_of_vessels(shown))

    def list_labels(
        self,
        name: Text | None = None,
        grape: Literal["riesling", "silvaner", "chardonnay", "pinot_noir", "merlot"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the labels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only labels whose name contains this text.
            grape (str, optional): Only labels with this grape.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "labels": records}}
        """
        found = [
            label
            for label in self.labels.values()
            if (name is None or name.casefold() in label["name"].casefold())
            and (grape is None or label["grape"] == grape)
        ]
        return _found({"total": len(found), "labels": [{**label} for label in _page(found, offset)]})

    def list_samples(
        self,
        wine_id: str | None = None,
        treated_since: bool | None = None,
        taken_on_from: Date | None = None,
        taken_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the samples, oldest first, all of them or only some.

        Args:
            wine_id (str, optional): Only samples of this wine.
            treated_since (bool, optional): Only samples with this value of `treated_since`.
            taken_on_from (str, optional): Only samples whose `taken_on` is on this day or later.
            taken_on_to (str, optional): Only samples whose `taken_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "samples": records}}
        """
        if wine_id is not None and wine_id not in self.wines:
            return _refused(f"There is no wine {wine_id!r}.")
        found = [
            sample
            for sample in self.samples.values()
            if (wine_id is None or sample["wine_id"] == wine_id)
            and (treated_since is None or sample["treated_since"] == treated_since)
            and (taken_on_from is None or sample["taken_on"] >= taken_on_from)
            and (taken_on_to is None or sample["taken_on"] <= taken_on_to)
        ]
        shown = [{**sample} for sample in _page(found, offset)]
        return _found({"total": len(found), "samples": shown}, self._names_of_samples(shown))

    def list_bottling_runs(
        self,
        wine_id: str | None = None,
        label_id: str | None = None,
        status: Literal["planned", "bottled", "cancelled"] | None = None,
        planned_on_from: Date | None = None,
        planned_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bottling runs, oldest first, all of them or only some.

        Args:
            wine_id (str, optional): Only bottling runs of this wine.
            label_id (str, optional): Only bottling runs of this label.
            status (str, optional): Only bottling runs with this status.
            planned_on_from (str, optional): Only bottling runs whose `planned_on` is on this day or later.
            planned_on_to (str, optional): Only bottling runs whose `planned_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bottling_runs": records}}
        """
        if wine_id is not None and wine_id not in self.wines:
            return _refused(f"There is no wine {wine_id!r}.")
        if label_id is not None and label_id not in self.labels:
            return _refused(f"There is no label {label_id!r}.")
        found = [
            bottling_run
            for bottling_run in self.bottling_runs.values()
            if (wine_id is None or bottling_run["wine_id"] == wine_id)
            and (label_id is None or bottling_run["label_id"] == label_id)
            and (status is None or bottling_run["status"] == status)
            and (planned_on_from is None or bottling_run["planned_on"] >= planned_on_from)
            and (planned_on_to is None or bottling_run["planned_on"] <= planned_on_to)
        ]
        shown = [{**bottling_run} for bottling_run in _page(found, offset)]
        return _found({"total": len(found), "bottling_runs": shown}, self._names_of_bottling_runs(shown))

    def list_treatments(
        self,
        wine_id: str | None = None,
        agent: Literal["sulphite", "bentonite", "sugar", "acid"] | None = None,
        added_on_from: Date | None = None,
        added_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            wine_id (str, optional): Only treatments of this wine.
            agent (str, optional): Only treatments with this agent.
            added_on_from (str, optional): Only treatments whose `added_on` is on this day or later.
            added_on_to (str, optional): Only treatments whose `added_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        if wine_id is not None and wine_id not in self.wines:
            return _refused(f"There is no wine {wine_id!r}.")
        found = [
            treatment
            for treatment in self.treatments.values()
            if (wine_id is None or treatment["wine_id"] == wine_id)
            and (agent is None or treatment["agent"] == agent)
            and (added_on_from is None or treatment["added_on"] >= added_on_from)
            and (added_on_to is None or treatment["added_on"] <= added_on_to)
        ]
        shown = [{**treatment} for treatment in _page(found, offset)]
        return _found({"total": len(found), "treatments": shown}, self._names_of_treatments(shown))

    def list_movements(
        self,
        wine_id: str | None = None,
        source_id: str | None = None,
        target_id: str | None = None,
        moved_on_from: Date | None = None,
        moved_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the movements, oldest first, all of them or only some.

        Args:
            wine_id (str, optional): Only movements of this wine.
            source_id (str, optional): Only movements whose source is this vessel.
            target_id (str, optional): Only movements whose target is this vessel.
            moved_on_from (str, optional): Only movements whose `moved_on` is on this day or later.
            moved_on_to (str, optional): Only movements whose `moved_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "movements": records}}
        """
        if wine_id is not None and wine_id not in self.wines:
            return _refused(f"There is no wine {wine_id!r}.")
        if source_id is not None and source_id not in self.vessels:
            return _refused(f"There is no vessel {source_id!r}.")
        if target_id is not None and target_id not in self.vessels:
            return _refused(f"There is no vessel {target_id!r}.")
        found = [
            movement
            for movement in self.movements.values()
            if (wine_id is None or movement["wine_id"] == wine_id)
            and (source_id is None or movement["source_id"] == source_id)
            and (target_id is None or movement["target_id"] == target_id)
            and (moved_on_from is None or movement["moved_on"] >= moved_on_from)
            and (moved_on_to is None or movement["moved_on"] <= moved_on_to)
        ]
        shown = [{**movement} for movement in _page(found, offset)]
        return _found({"total": len(found), "movements": shown}, self._names_of_movements(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def rack(
        self,
        source_id: str,
        target_id: str,
        litres: Annotated[int, {"minimum": 1, "maximum": 20000}],
        lees: Annotated[int, {"minimum": 0, "maximum": 100}] = 0,
    ) -> Result:
        """Rack wine from a vessel into a clean one, or into one that holds the same wine; what is left behind as lees
        is lost. Barrels are racked out altogether.

        Args:
            source_id (str): Vessel that the wine is racked from; an id such as VESSEL-00001.
            target_id (str): Clean vessel, or one with the same wine, that receives it; an id such as VESSEL-00001.
            litres (int): Wine that reaches the target, in litres, from 1 to 20000.
            lees (int): Sediment left behind and lost, in litres, from 0 to 100. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.vessels.get(source_id)
        if source is None:
            return _refused(f"There is no vessel {source_id!r}.")
        target = self.vessels.get(target_id)
        if target is None:
            return _refused(f"There is no vessel {target_id!r}.")
        if source is target:
            return _refused("Wine moves between two vessels.")
        if source["wine_id"] is None:
            return _refused(f"{source['name']} is {source['status']}.")
        if target["status"] == "dirty":
            return _refused(f"{target['name']} is dirty, so clean it first.")
        if target["wine_id"] is not None and target["wine_id"] != source["wine_id"]:
            return _refused(f"{target['name']} holds {self.wines[target['wine_id']]['name']}; blend to mix wines.")
        if litres + lees > source["filled"]:
            return _refused(f"{source['name']} holds {source['filled']} litres.")
        if source["kind"] != "tank" and litres + lees != source["filled"]:
            return _refused(f"{source['name']} is a barrel with {source['filled']} litres and is emptied altogether.")
        if target["filled"] + litres > target["capacity"]:
            return _refused(f"{target['name']} has room for {target['capacity'] - target['filled']} litres.")
        if target["kind"] != "tank" and (target["filled"] + litres) * 10 < target["capacity"] * 9:
            return _refused(f"{target['name']} is a barrel and has to be nine tenths full.")
        if (
            lees != 0
            and self._wine_planned_bottles(self.wines[source["wine_id"]]) * 3 > (
                self._wine_litres(self.wines[source["wine_id"]]) - lees
            ) * 4
        ):
            return _refused(
                f"{self._wine_planned_bottles(self.wines[source['wine_id']])} bottles of "
                f"{self.wines[source['wine_id']]['name']} are planned, which would not be left."
            )
        self._journal = []
        changed_vessels: list[Any] = []
        former_wine_ids: list[Any] = []
        changed_vessels_2: list[Any] = []
        wine = self.wines[source["wine_id"]]
        filled = source["filled"] - (litres + lees)
        if not 0 <= filled <= 20000:
            return self._take_back(f"The filled of {source['name']} must be between 0 and 20000.")
        self._put("vessels", source, "filled", filled)
        new_filled = target["filled"] + litres
        if not 0 <= new_filled <= 20000:
            return self._take_back(f"The filled of {target['name']} must be between 0 and 20000.")
        self._put("vessels", target, "filled", new_filled)
        if target["wine_id"] is None:
            changed_vessels.append(target)
            former_wine_ids.append(target["wine_id"])
            self._put("vessels", target, "wine_id", wine["id"])
            if target["status"] not in ("clean", "filled"):
                return self._take_back(f"Vessel {target['name']} cannot go from {target['status']} to filled.")
            changed_vessels_2.append(target)
            self._put("vessels", target, "status", "filled")
        if target["kind"] == "barrel":
            self._put("vessels", target, "topped_on", self.now[:10])
        if source["filled"] == 0:
            changed_vessels.append(source)
            former_wine_ids.append(source["wine_id"])
            self._put("vessels", source, "wine_id", None)
            if source["status"] not in ("filled", "dirty"):
                return self._take_back(f"Vessel {source['name']} cannot go from {source['status']} to dirty.")
            changed_vessels_2.append(source)
            self._put("vessels", source, "status", "dirty")
            self._put("vessels", source, "topped_on", None)
        movement: Movement = {
            "id": self._new_id("movement", "MOVEMENT", self.movements),
            "wine_id": wine["id"],
            "source_id": source_id,
            "target_id": target_id,
            "litres": litres,
            "moved_on": self.now[:10],
        }
        self._add("movements", movement)
        if self._breaks_rule_1(source):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(target):
            return self._take_back(RULES[0])
        for one_vessel in _distinct([source, target, *changed_vessels, *changed_vessels_2]):
            if self._breaks_rule_2(one_vessel):
                return self._take_back(RULES[1])
        for one_vessel in _distinct([source, target, *changed_vessels]):
            if self._breaks_rule_3(one_vessel):
                return self._take_back(RULES[2])
        for one_wine in _distinct(
            [
                self.wines.get(source["wine_id"]),
                self.wines.get(target["wine_id"]),
                *[self.wines.get(one["wine_id"]) for one in changed_vessels],
                *[self.wines.get(key) for key in former_wine_ids],
            ]
        ):
            if self._breaks_rule_6(one_wine):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(movement):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: rack {litres} litres from {source['name']} to {target['name']} (new: movement "
                f"{movement['id']})."
            ),
            "data": {"movement_id": movement["id"], **self._changes()},
        }

    def top_up(self, barrel_id: str, tank_id: str, litres: Annotated[int, {"minimum": 1, "maximum": 60}]) -> Result:
        """Top a barrel up with the same wine out of a tank.

        Args:
            barrel_id (str): Barrel that is topped up; an id such as VESSEL-00001.
            tank_id (str): Tank with the same wine that it comes from; an id such as VESSEL-00001.
            litres (int): Wine added to the barrel, in litres, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        barrel = self.vessels.get(barrel_id)
        if barrel is None:
            return _refused(f"There is no vessel {barrel_id!r}.")
        tank = self.vessels.get(tank_id)
        if tank is None:
            return _refused(f"There is no vessel {tank_id!r}.")
        if barrel["kind"] != "barrel" or barrel["wine_id"] is None:
            return _refused(f"{barrel['name']} is no barrel in use.")
        if tank["kind"] != "tank" or tank["wine_id"] != barrel["wine_id"]:
            return _refused(f"{tank['name']} does not hold the wine of {barrel['name']}.")
        if litres > tank["filled"]:
            return _refused(f"{tank['name']} holds {tank['filled']} litres.")
        if barrel["filled"] + litres > barrel["capacity"]:
            return _refused(f"{barrel['name']} takes {barrel['capacity'] - barrel['filled']} litres.")
        self._journal = []
        changed_vessels: list[Any] = []
        former_wine_ids: list[Any] = []
        changed_vessels_2: list[Any] = []
        wine = self.wines[barrel["wine_id"]]
        filled = barrel["filled"] + litres
        if not 0 <= filled <= 20000:
            return self._take_back(f"The filled of {barrel['name']} must be between 0 and 20000.")
        self._put("vessels", barrel, "filled", filled)
        self._put("vessels", barrel, "topped_on", self.now[:10])
        new_filled = tank["filled"] - litres
        if not 0 <= new_filled <= 20000:
            return self._take_back(f"The filled of {tank['name']} must be between 0 and 20000.")
        self._put("vessels", tank, "filled", new_filled)
        if tank["filled"] == 0:
            changed_vessels.append(tank)
            former_wine_ids.append(tank["wine_id"])
            self._put("vessels", tank, "wine_id", None)
            if tank["status"] not in ("filled", "dirty"):
                return self._take_back(f"Vessel {tank['name']} cannot go from {tank['status']} to dirty.")
            changed_vessels_2.append(tank)
            self._put("vessels", tank, "status", "dirty")
        movement: Movement = {
            "id": self._new_id("movement", "MOVEMENT", self.movements),
            "wine_id": wine["id"],
            "source_id": tank_id,
            "target_id": barrel_id,
            "litres": litres,
            "moved_on": self.now[:10],
        }
        self._add("movements", movement)
        if self._breaks_rule_1(barrel):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(tank):
            return self._take_back(RULES[0])
        for one_vessel in _distinct([barrel, tank, *changed_vessels, *changed_vessels_2]):
            if self._breaks_rule_2(one_vessel):
                return self._take_back(RULES[1])
        for one_vessel in _distinct([barrel, tank, *changed_vessels]):
            if self._breaks_rule_3(one_vessel):
                return self._take_back(RULES[2])
        for one_wine in _distinct(
            [
                self.wines.get(barrel["wine_id"]),
                self.wines.get(tank["wine_id"]),
                *[self.wines.get(one["wine_id"]) for one in changed_vessels],
                *[self.wines.get(key) for key in former_wine_ids],
            ]
        ):
            if self._breaks_rule_6(one_wine):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(movement):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: top {barrel['name']} up with {litres} litres from {tank['name']} (new: movement "
                f"{movement['id']})."
            ),
            "data": {"movement_id": movement["id"], **self._changes()},
        }

    def blend(self, name: Text, tank_id: str, parts: Annotated[list[BlendPart], {"maxItems": 20}]) -> Result:
        """Blend a new wine in a clean tank out of parts of several vessels; grapes and vintages add up.

        Args:
            name (str): Name of the new wine, not used before.
            tank_id (str): Clean tank in which the blend is made; an id such as VESSEL-00001.
            parts (list): One entry for each vessel that gives wine, at least two: vessel_id: vessel that gives
                wine, a barrel only in full; an id such as VESSEL-00001; litres: wine taken from that vessel, in
                litres, from 10 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tank = self.vessels.get(tank_id)
        if tank is None:
            return _refused(f"There is no vessel {tank_id!r}.")
        entries, parts = parts, []
        for entry in entries:
            if entry["vessel_id"] not in self.vessels:
                return _refused(f"There is no vessel {entry['vessel_id']!r}.")
            parts.append({"vessel": self.vessels[entry["vessel_id"]], "litres": entry["litres"]})
        if self._wines_by_name.get(name, {}):
            return _refused(f"There is a wine called {name} already.")
        if tank["kind"] != "tank" or tank["status"] != "clean":
            return _refused(f"{tank['name']} is not a clean tank.")
        if not (len(parts) >= 2 and _different([p["vessel"]["id"] for p in parts])):
            return _refused("A blend has two parts at least, each from another vessel.")
        if not all(p["vessel"]["wine_id"] is not None for p in parts):
            return _refused("One of the vessels is empty.")
        less = next((p["vessel"] for p in parts if p["litres"] > p["vessel"]["filled"]), None)
        if less is not None:
            return _refused(f"{less['name']} holds {less['filled']} litres only.")
        cask = next(
            (p["vessel"] for p in parts if p["vessel"]["kind"] == "barrel" and p["litres"] < p["vessel"]["filled"]),
            None,
        )
        if cask is not None:
            return _refused(f"{cask['name']} is a barrel and is emptied altogether.")
        if sum(p["litres"] for p in parts) > tank["capacity"]:
            return _refused(f"{tank['name']} takes {tank['capacity']} litres.")
        short = next(
            (
                self.wines[p["vessel"]["wine_id"]]
                for p in parts
                if p["vessel"]["wine_id"] is not None
                and self._wine_planned_bottles(self.wines[p["vessel"]["wine_id"]]) * 3 > (
                    self._wine_litres(self.wines[p["vessel"]["wine_id"]]) - sum(
                        q["litres"]
                        for q in parts
                        if q["vessel"]["wine_id"] == p["vessel"]["wine_id"]
                    )
                ) * 4
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"{self._wine_planned_bottles(short)} bottles of {short['name']} are planned, which would not be "
                "left."
            )
        self._journal = []
        added_components: list[Any] = []
        changed_components: list[Any] = []
        added_movements: list[Any] = []
        changed_vessels: list[Any] = []
        changed_vessels_2: list[Any] = []
        former_wine_ids: list[Any] = []
        changed_vessels_3: list[Any] = []
        wine: Wine = {"id": self._new_id("wine", "WINE", self.wines), "name": name}
        self._add("wines", wine)
        for p in sorted(parts, key=lambda p: (p["vessel"]["name"],)):
            for c in [
                c
                for c in sorted(self._components_by_wine.get(p["vessel"]["wine_id"], {}).values(), key=_age)
                if self._whole(self.wines[c["wine_id"]]) > 0
            ]:
                old = next(
                    (
                        k
                        for k in sorted(
                            self._components_by_wine_grape.get((wine["id"], c["grape"]), {}).values(),
                            key=_age,
                        )
                        if k["vintage"] == c["vintage"]
                    ),
                    None,
                )
                add = _rounded(
                    Fraction(c["millilitres"] * p["litres"] * 1000, max(1, self._whole(self.wines[c["wine_id"]])))
                )
                if old is None:
                    if not 0 <= add <= 90000000:
                        return self._take_back("The millilitres of a component must be between 0 and 90000000.")
                    component = {
                        "id": self._new_id("component", "COMPONENT", self.components),
                        "wine_id": wine["id"],
                        "grape": c["grape"],
                        "vintage": c["vintage"],
                        "millilitres": add,
                    }
                    self._add("components", component)
                    added_components.append(component)
                else:
                    millilitres = old["millilitres"] + add
                    if not 0 <= millilitres <= 90000000:
                        return self._take_back(f"The millilitres of {old['id']} must be between 0 and 90000000.")
                    changed_components.append(old)
                    self._put("components", old, "millilitres", millilitres)
        for p in sorted(parts, key=lambda p: (p["vessel"]["name"],)):
            if p["vessel"]["wine_id"] is not None:
                movement = {
                    "id": self._new_id("movement", "MOVEMENT", self.movements),
                    "wine_id": p["vessel"]["wine_id"],
                    "source_id": p["vessel"]["id"],
                    "target_id": tank_id,
                    "litres": p["litres"],
                    "moved_on": self.now[:10],
                }
                self._add("movements", movement)
                added_movements.append(movement)
            vessel = p["vessel"]
            filled = p["vessel"]["filled"] - p["litres"]
            if not 0 <= filled <= 20000:
                return self._take_back(f"The filled of {vessel['name']} must be between 0 and 20000.")
            changed_vessels.append(vessel)
            self._put("vessels", vessel, "filled", filled)
            if p["vessel"]["filled"] == 0:
                its_vessel = p["vessel"]
                changed_vessels_2.append(its_vessel)
                former_wine_ids.append(its_vessel["wine_id"])
                self._put("vessels", its_vessel, "wine_id", None)
                its_vessel_2 = p["vessel"]
                if its_vessel_2["status"] not in ("filled", "dirty"):
                    return self._take_back(
                        f"Vessel {its_vessel_2['name']} cannot go from {its_vessel_2['status']} to dirty."
                    )
                changed_vessels_3.append(its_vessel_2)
                self._put("vessels", its_vessel_2, "status", "dirty")
                its_vessel_3 = p["vessel"]
                self._put("vessels", its_vessel_3, "topped_on", None)
        former_wine_id = tank["wine_id"]
        self._put("vessels", tank, "wine_id", wine["id"])
        new_filled = sum(p["litres"] for p in parts)
        if not 0 <= new_filled <= 20000:
            return self._take_back(f"The filled of {tank['name']} must be between 0 and 20000.")
        self._put("vessels", tank, "filled", new_filled)
        if tank["status"] not in ("clean", "filled"):
            return self._take_back(f"Vessel {tank['name']} cannot go from {tank['status']} to filled.")
        self._put("vessels", tank, "status", "filled")
        if len(self._wines_by_name.get(wine["name"], {})) > 1:
            return self._take_back(f"There is already a wine with the name {wine['name']!r}.")
        for one_vessel in _distinct([tank, *changed_vessels]):
            if self._breaks_rule_1(one_vessel):
                return self._take_back(RULES[0])
        for one_vessel in _distinct([tank, *changed_vessels, *changed_vessels_2, *changed_vessels_3]):
            if self._breaks_rule_2(one_vessel):
                return self._take_back(RULES[1])
        for one_vessel in _distinct([tank, *changed_vessels, *changed_vessels_2]):
            if self._breaks_rule_3(one_vessel):
                return self._take_back(RULES[2])
        for one_component in _distinct(added_components):
            if self._breaks_rule_4(one_component):
                return self._take_back(RULES[3])
        for one_bottling_run in _distinct(
            [
                *[
                    user
                    for one in [self.wines[one["wine_id"]] for one in added_components]
                    for user in self._bottling_runs_by_wine.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.wines[one["wine_id"]] for one in changed_components]
                    for user in self._bottling_runs_by_wine.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_bottling_run):
                return self._take_back(RULES[4])
        for one_wine in _distinct(
            [
                wine,
                self.wines.get(tank["wine_id"]),
                self.wines.get(former_wine_id),
                *[self.wines.get(one["wine_id"]) for one in changed_vessels],
                *[self.wines.get(one["wine_id"]) for one in changed_vessels_2],
                *[self.wines.get(key) for key in former_wine_ids],
            ]
        ):
            if self._breaks_rule_6(one_wine):
                return self._take_back(RULES[5])
        for one_movement in _distinct(added_movements):
            if self._breaks_rule_8(one_movement):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: blend {name} in {tank['name']} (new: wine {wine['id']}).",
            "data": {"wine_id": wine["id"], **self._changes()},
        }

    def receive_must(
        self,
        name: Text,
        grape: Literal["riesling", "silvaner", "chardonnay", "pinot_noir", "merlot"],
        vintage: Annotated[int, {"minimum": 2000, "maximum": 2040}],
        tank_id: str,
        litres: Annotated[int, {"minimum": 50, "maximum": 20000}],
    ) -> Result:
        """Take the must of one grape into a clean tank as a new wine.

        Args:
            name (str): Name of the new wine, not used before.
            grape (str): Grape that the must was pressed from: riesling, silvaner, chardonnay, pinot_noir or
                merlot.
            vintage (int): Year in which the grapes were picked, from 2000 to 2040.
            tank_id (str): Clean tank that takes the must; an id such as VESSEL-00001.
            litres (int): Volume of must in litres, from 50 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tank = self.vessels.get(tank_id)
        if tank is None:
            return _refused(f"There is no vessel {tank_id!r}.")
        if self._wines_by_name.get(name, {}):
            return _refused(f"There is a wine called {name} already.")
        if tank["kind"] != "tank" or tank["status"] != "clean":
            return _refused(f"{tank['name']} is not a clean tank.")
        if litres > tank["capacity"]:
            return _refused(f"{tank['name']} takes {tank['capacity']} litres.")
        self._journal = []
        wine: Wine = {"id": self._new_id("wine", "WINE", self.wines), "name": name}
        self._add("wines", wine)
        millilitres = litres * 1000
        if not 0 <= millilitres <= 90000000:
            return self._take_back("The millilitres of a component must be between 0 and 90000000.")
        component: Component = {
            "id": self._new_id("component", "COMPONENT", self.components),
            "wine_id": wine["id"],
            "grape": grape,
            "vintage": vintage,
            "millilitres": millilitres,
        }
        self._add("components", component)
        former_wine_id = tank["wine_id"]
        self._put("vessels", tank, "wine_id", wine["id"])
        self._put("vessels", tank, "filled", litres)
        self._put("vessels", tank, "status", "filled")
        if len(self._wines_by_name.get(wine["name"], {})) > 1:
            return self._take_back(f"There is already a wine with the name {wine['name']!r}.")
        if self._breaks_rule_1(tank):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(tank):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(tank):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(component):
            return self._take_back(RULES[3])
        for one_bottling_run in _distinct(self._bottling_runs_by_wine.get(component["wine_id"], {}).values()):
            if self._breaks_rule_5(one_bottling_run):
                return self._take_back(RULES[4])
        for one_wine in _distinct([wine, self.wines.get(tank["wine_id"]), self.wines.get(former_wine_id)]):
            if self._breaks_rule_6(one_wine):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: take {litres} litres of {grape} into {tank['name']} as {name} (new: wine {wine['id']}, "
                f"component {component['id']})."
            ),
            "data": {"wine_id": wine["id"], "component_id": component["id"], **self._changes()},
        }

    def clean_vessel(self, vessel_id: str) -> Result:
        """Clean an emptied vessel.

        Args:
            vessel_id (str): Id of the vessel, such as VESSEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if vessel["status"] != "dirty":
            return _refused(f"{vessel['name']} is {vessel['status']}.")
        self._journal = []
        self._put("vessels", vessel, "status", "clean")
        if self._breaks_rule_2(vessel):
            return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: clean {vessel['name']}.", "data": self._changes()}

    def pour_away(self, vessel_id: str) -> Result:
        """Pour away a spoiled wine.

        Args:
            vessel_id (str): Id of the vessel, such as VESSEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if vessel["wine_id"] is None:
            return _refused(f"{vessel['name']} is {vessel['status']}.")
        if self._wine_planned_bottles(self.wines[vessel["wine_id"]]) * 3 > (
            self._wine_litres(self.wines[vessel["wine_id"]]) - vessel["filled"]
        ) * 4:
            return _refused(
                f"{self._wine_planned_bottles(self.wines[vessel['wine_id']])} bottles of "
                f"{self.wines[vessel['wine_id']]['name']} are planned, so cancel that first."
            )
        self._journal = []
        self._put("vessels", vessel, "filled", 0)
        former_wine_id = vessel["wine_id"]
        self._put("vessels", vessel, "wine_id", None)
        self._put("vessels", vessel, "topped_on", None)
        if vessel["status"] not in ("filled", "dirty"):
            return self._take_back(f"Vessel {vessel['name']} cannot go from {vessel['status']} to dirty.")
        self._put("vessels", vessel, "status", "dirty")
        if self._breaks_rule_1(vessel):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(vessel):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(vessel):
            return self._take_back(RULES[2])
        for one_wine in _distinct([self.wines.get(vessel["wine_id"]), self.wines.get(former_wine_id)]):
            if self._breaks_rule_6(one_wine):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: pour {vessel['name']} away.", "data": self._changes()}

    def take_sample(
        self,
        wine_id: str,
        alcohol: Annotated[int, {"minimum": 50, "maximum": 180}],
        sulphur: Annotated[int, {"minimum": 0, "maximum": 100}],
    ) -> Result:
        """Record a laboratory sample of a wine, with alcohol in tenths of a percent and free sulphur in milligrams a
        litre.

        Args:
            wine_id (str): Id of the wine, such as WINE-00001.
            alcohol (int): Alcohol measured, in tenths of a percent by volume, from 50 to 180.
            sulphur (int): Free sulphur measured, in milligrams a litre, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wine = self.wines.get(wine_id)
        if wine is None:
            return _refused(f"There is no wine {wine_id!r}.")
        if self._wine_litres(wine) <= 0:
            return _refused(f"There is no {wine['name']} in the cellar.")
        self._journal = []
        sample: Sample = {
            "id": self._new_id("sample", "SAMPLE", self.samples),
            "wine_id": wine_id,
            "alcohol": alcohol,
            "sulphur": sulphur,
            "taken_on": self.now[:10],
            "treated_since": False,
        }
        self._add("samples", sample)
        return {
            "success": True,
            "message": f"Done: record a sample of {wine['name']} (new: sample {sample['id']}).",
            "data": {"sample_id": sample["id"], **self._changes()},
        }

    def treat_wine(
        self,
        wine_id: str,
        agent: Literal["sulphite", "bentonite", "sugar", "acid"],
        grams: Annotated[int, {"minimum": 1, "maximum": 90000}],
    ) -> Result:
        """Enter what was added to all of a wine, in grams, sulphite at most 10 grams for each hundred litres; the
        last sample of the wine counts no more then.

        Args:
            wine_id (str): Id of the wine, such as WINE-00001.
            agent (str): Substance that was added: sulphite, bentonite, sugar or acid.
            grams (int): Weight added to the whole wine, in grams, from 1 to 90000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wine = self.wines.get(wine_id)
        if wine is None:
            return _refused(f"There is no wine {wine_id!r}.")
        if self._wine_litres(wine) <= 0:
            return _refused(f"There is no {wine['name']} in the cellar.")
        if agent == "sulphite" and grams * 10 > self._wine_litres(wine):
            return _refused(
                f"{wine['name']} has {self._wine_litres(wine)} litres and takes {self._wine_litres(wine) // 10} "
                "grams of sulphite at a time."
            )
        self._journal = []
        treatment: Treatment = {
            "id": self._new_id("treatment", "TREATMENT", self.treatments),
            "wine_id": wine_id,
            "agent": agent,
            "grams": grams,
            "added_on": self.now[:10],
        }
        self._add("treatments", treatment)
        for s in [
            s
            for s in sorted(self._samples_by_wine.get(wine_id, {}).values(), key=_age)
            if not s["treated_since"]
        ]:
            self._put("samples", s, "treated_since", True)
        return {
            "success": True,
            "message": f"Done: add {grams} grams of {agent} to {wine['name']} (new: treatment {treatment['id']}).",
            "data": {"treatment_id": treatment["id"], **self._changes()},
        }

    def register_label(
        self,
        name: Text,
        grape: Literal["riesling", "silvaner", "chardonnay", "pinot_noir", "merlot"] | None = None,
        vintage: Annotated[int, {"minimum": 2000, "maximum": 2040}] | None = None,
        least_percent: Annotated[int, {"minimum": 50, "maximum": 100}] = 85,
    ) -> Result:
        """Register a label with what it promises about grape or vintage.

        Args:
            name (str): Name of the label, not used before.
            grape (str, optional): Grape that the label promises: riesling, silvaner, chardonnay, pinot_noir or
                merlot. If left out, it promises no grape, and so needs a vintage.
            vintage (int, optional): Vintage year that the label promises, from 2000 to 2040. If left out, it
                promises no vintage, and so needs a grape.
            least_percent (int): Share of the wine that must fit each promise, in percent, from 50 to 100. Default:
                85.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._labels_by_name.get(name, {}):
            return _refused(f"There is a label {name} already.")
        if grape is None and vintage is None:
            return _refused("A label without grape and vintage promises nothing; name one of them.")
        self._journal = []
        label: Label = {
            "id": self._new_id("label", "LABEL", self.labels),
            "name": name,
            "grape": grape,
            "vintage": vintage,
            "least_percent": least_percent,
        }
        self._add("labels", label)
        if len(self._labels_by_name.get(label["name"], {})) > 1:
            return self._take_back(f"There is already a label with the name {label['name']!r}.")
        if self._breaks_rule_9(label):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: register the label {name} (new: label {label['id']}).",
            "data": {"label_id": label["id"], **self._changes()},
        }

    def plan_bottling(
        self,
        wine_id: str,
        label_id: str,
        bottles: Annotated[int, {"minimum": 50, "maximum": 4000}],
        planned_on: Date,
    ) -> Result:
        """Plan a bottling run of a wine under a label.

        Args:
            wine_id (str): Id of the wine, such as WINE-00001.
            label_id (str): Id of the label, such as LABEL-00001.
            bottles (int): Bottles of three quarters of a litre to fill, from 50 to 4000.
            planned_on (str): Day of the run, from today to 120 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wine = self.wines.get(wine_id)
        if wine is None:
            return _refused(f"There is no wine {wine_id!r}.")
        label = self.labels.get(label_id)
        if label is None:
            return _refused(f"There is no label {label_id!r}.")
        if self.now[:10] > planned_on or planned_on > _plus_days(self.now[:10], 120):
            return _refused(f"Runs are planned from today to {_plus_days(self.now[:10], 120)}.")
        if not self._may_wear(wine, label):
            return _refused(f"{wine['name']} has not enough of what {label['name']} promises.")
        if bottles > self._spare(wine):
            return _refused(
                f"{self._wine_litres(wine)} litres of {wine['name']} make {self._wine_litres(wine) * 4 // 3} "
                f"bottles, and {self._wine_planned_bottles(wine)} are planned."
            )
        others = sum(
            r["bottles"]
            for r in self._bottling_runs_by_planned_on.get(planned_on, {}).values()
            if r["status"] != "cancelled"
        )
        if others + bottles > 1500:
            return _refused(f"The line has {1500 - others} bottles left on {planned_on}.")
        self._journal = []
        bottling_run: BottlingRun = {
            "id": self._new_id("bottling_run", "BR", self.bottling_runs),
            "wine_id": wine_id,
            "label_id": label_id,
            "bottles": bottles,
            "planned_on": planned_on,
            "status": "planned",
        }
        self._add("bottling_runs", bottling_run)
        if self._breaks_rule_5(bottling_run):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.wines[bottling_run["wine_id"]]):
            return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_bottling_run) for one_bottling_run in self.bottling_runs.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: plan {bottles} bottles of {wine['name']} as {label['name']} for {planned_on} (new: "
                f"bottling run {bottling_run['id']})."
            ),
            "data": {"bottling_run_id": bottling_run["id"], **self._changes()},
        }

    def bottle(self, run_id: str, tank_id: str) -> Result:
        """Bottle a planned run out of a tank; the last sample must be at most 30 days old, taken after the last
        treatment, with 20 to 40 milligrams of sulphur.

        Args:
            run_id (str): Planned bottling run whose day has come; an id such as BR-00001.
            tank_id (str): Tank with that wine, holding enough for all bottles; an id such as VESSEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.bottling_runs.get(run_id)
        if run is None:
            return _refused(f"There is no bottling run {run_id!r}.")
        tank = self.vessels.get(tank_id)
        if tank is None:
            return _refused(f"There is no vessel {tank_id!r}.")
        if run["status"] != "planned":
            return _refused(f"That run is {run['status']}.")
        if run["planned_on"] > self.now[:10]:
            return _refused(f"That run is planned for {run['planned_on']}.")
        if tank["kind"] != "tank":
            return _refused(f"Bottles are filled from tanks, so rack {tank['name']} into one.")
        if tank["wine_id"] != run["wine_id"]:
            return _refused(f"{tank['name']} does not hold {self.wines[run['wine_id']]['name']}.")
        if tank["filled"] < self._litres_for(run["bottles"]):
            return _refused(
                f"{run['bottles']} bottles take {self._litres_for(run['bottles'])} litres, and {tank['name']} "
                f"holds {tank['filled']}."
            )
        s = self._last_sample(self.wines[run["wine_id"]])
        if s is None or _plus_days(s["taken_on"], 30) < self.now[:10]:
            return _refused(f"{self.wines[run['wine_id']]['name']} needs a new sample.")
        if s["treated_since"]:
            return _refused(
                f"{self.wines[run['wine_id']]['name']} was treated after its last sample, so take a new one."
            )
        if 20 > s["sulphur"] or s["sulphur"] > 40:
            return _refused(
                f"The last sample of {self.wines[run['wine_id']]['name']} had {s['sulphur']} milligrams of "
                "sulphur, and it must be 20 to 40."
            )
        self._journal = []
        changed_vessels: list[Any] = []
        former_wine_ids: list[Any] = []
        changed_vessels_2: list[Any] = []
        filled = tank["filled"] - self._litres_for(run["bottles"])
        if not 0 <= filled <= 20000:
            return self._take_back(f"The filled of {tank['name']} must be between 0 and 20000.")
        self._put("vessels", tank, "filled", filled)
        if tank["filled"] == 0:
            changed_vessels.append(tank)
            former_wine_ids.append(tank["wine_id"])
            self._put("vessels", tank, "wine_id", None)
            if tank["status"] not in ("filled", "dirty"):
                return self._take_back(f"Vessel {tank['name']} cannot go from {tank['status']} to dirty.")
            changed_vessels_2.append(tank)
            self._put("vessels", tank, "status", "dirty")
        self._put("bottling_runs", run, "status", "bottled")
        if self._breaks_rule_1(tank):
            return self._take_back(RULES[0])
        for one_vessel in _distinct([tank, *changed_vessels, *changed_vessels_2]):
            if self._breaks_rule_2(one_vessel):
                return self._take_back(RULES[1])
        for one_vessel in _distinct([tank, *changed_vessels]):
            if self._breaks_rule_3(one_vessel):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(run):
            return self._take_back(RULES[4])
        for one_wine in _distinct(
            [
                self.wines.get(tank["wine_id"]),
                self.wines[run["wine_id"]],
                *[self.wines.get(one["wine_id"]) for one in changed_vessels],
                *[self.wines.get(key) for key in former_wine_ids],
            ]
        ):
            if self._breaks_rule_6(one_wine):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_bottling_run) for one_bottling_run in self.bottling_runs.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: bottle {run['bottles']} bottles of {self.wines[run['wine_id']]['name']} as "
                f"{self.labels[run['label_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_bottling(self, run_id: str) -> Result:
        """Cancel a planned bottling run.

        Args:
            run_id (str): Planned bottling run that is given up; an id such as BR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.bottling_runs.get(run_id)
        if run is None:
            return _refused(f"There is no bottling run {run_id!r}.")
        if run["status"] != "planned":
            return _refused(f"That run is {run['status']}.")
        self._journal = []
        self._put("bottling_runs", run, "status", "cancelled")
        if self._breaks_rule_5(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.wines[run["wine_id"]]):
            return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_bottling_run) for one_bottling_run in self.bottling_runs.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: cancel the run of {self.wines[run['wine_id']]['name']} as "
                f"{self.labels[run['label_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_wine(self, wine: Wine) -> dict[str, Any]:
        """The wine as an answer shows it."""
        return {**wine, "litres": self._wine_litres(wine), "planned_bottles": self._wine_planned_bottles(wine)}

    def _names_of_components(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that components point to."""
        return _names((self.wines, "name", [row["wine_id"] for row in shown]))

    def _names_of_vessels(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vessels point to."""
        return _names((self.wines, "name", [row["wine_id"] for row in shown]))

    def _names_of_samples(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that samples point to."""
        return _names((self.wines, "name", [row["wine_id"] for row in shown]))

    def _names_of_bottling_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bottling runs point to."""
        return _names(
            (self.wines, "name", [row["wine_id"] for row in shown]),
            (self.labels, "name", [row["label_id"] for row in shown]),
        )

    def _names_of_treatments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that treatments point to."""
        return _names((self.wines, "name", [row["wine_id"] for row in shown]))

    def _names_of_movements(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that movements point to."""
        return _names(
            (self.wines, "name", [row["wine_id"] for row in shown]),
            (self.vessels, "name", [row["source_id"] for row in shown]),
            (self.vessels, "name", [row["target_id"] for row in shown]),
        )

    def _wine_litres(self, wine: Wine) -> int:
        """The litres of a wine."""
        return sum(v["filled"] for v in self._vessels_by_wine.get(wine["id"], {}).values())

    def _wine_planned_bottles(self, wine: Wine) -> int:
        """The planned bottles of a wine."""
        return sum(r["bottles"] for r in self._bottling_runs_by_wine_status.get((wine["id"], "planned"), {}).values())

    def _whole(self, w: Wine) -> int:
        return sum(c["millilitres"] for c in self._components_by_wine.get(w["id"], {}).values())

    def _of_grape(self, w: Wine, l: Label) -> int:
        return sum(c["millilitres"] for c in self._components_by_wine_grape.get((w["id"], l["grape"]), {}).values())

    def _of_vintage(self, w: Wine, l: Label) -> int:
        return sum(
            c["millilitres"]
            for c in self._components_by_wine.get(w["id"], {}).values()
            if c["vintage"] == l["vintage"]
        )

    def _may_wear(self, w: Wine, l: Label) -> bool:
        return (
            (l["grape"] is None or self._of_grape(w, l) * 100 >= l["least_percent"] * self._whole(w))
            and (l["vintage"] is None or self._of_vintage(w, l) * 100 >= l["least_percent"] * self._whole(w))
        )

    def _last_sample(self, w: Wine) -> Sample | None:
        return min(
            self._samples_by_wine.get(w["id"], {}).values(),
            key=lambda s: (_descending(s["taken_on"]), _descending(s["id"]), _age(s)),
            default=None,
        )

    def _fit_to_bottle(self, w: Wine, d: str) -> bool:
        return (
            self._last_sample(w) is not None
            and _plus_days(self._last_sample(w)["taken_on"], 30) >= d
            and not self._last_sample(w)["treated_since"]
            and (20 <= self._last_sample(w)["sulphur"] and self._last_sample(w)["sulphur"] <= 40)
        )

    def _litres_for(self, bottles: int) -> int:
        return ceil(Fraction(bottles * 3, 4))

    def _spare(self, w: Wine) -> int:
        return self._wine_litres(w) * 4 // 3 - self._wine_planned_bottles(w)

    def _needs_topping(self, v: Vessel, d: str) -> bool:
        return (
            v["kind"] == "barrel"
            and v["wine_id"] is not None
            and v["filled"] < v["capacity"]
            and v["topped_on"] is not None
            and _plus_days(v["topped_on"], 21) <= d
        )

    def _breaks_rule_1(self, v: Vessel) -> bool:
        """Whether this is broken: no vessel holds more than its capacity."""
        return v["filled"] > v["capacity"]

    def _breaks_rule_2(self, v: Vessel) -> bool:
        """Whether this is broken: a vessel that is filled holds a wine, and no other does."""
        return (
            (v["status"] == "filled") != (v["wine_id"] is not None)
            or (v["filled"] > 0) != (v["wine_id"] is not None)
        )

    def _breaks_rule_3(self, v: Vessel) -> bool:
        """Whether this is broken: barrels are kept at least nine tenths full or emptied altogether."""
        return v["kind"] == "barrel" and v["wine_id"] is not None and v["filled"] * 10 < v["capacity"] * 9

    def _breaks_rule_4(self, c: Component) -> bool:
        """Whether this is broken: a wine lists each grape of a vintage once."""
        return any(
            other_c is not c
            for other_c in self._components_by_wine_grape.get((c["wine_id"], c["grape"]), {}).values()
            if other_c["vintage"] == c["vintage"]
        )

    def _breaks_rule_5(self, r: BottlingRun) -> bool:
        """Whether this is broken: a wine is bottled only under labels that its grapes and vintages allow."""
        return r["status"] != "cancelled" and not self._may_wear(self.wines[r["wine_id"]], self.labels[r["label_id"]])

    def _breaks_rule_6(self, w: Wine) -> bool:
        """Whether this is broken: no more of a wine is planned for bottling than the cellar holds."""
        return self._wine_planned_bottles(w) * 3 > self._wine_litres(w) * 4

    def _breaks_rule_7(self, r: BottlingRun) -> bool:
        """Whether this is broken: the line bottles at most 1,500 bottles a day."""
        return (
            r["status"] != "cancelled"
            and sum(
                o["bottles"]
                for o in self._bottling_runs_by_planned_on.get(r["planned_on"], {}).values()
                if o["status"] != "cancelled"
            ) > 1500
        )

    def _breaks_rule_8(self, m: Movement) -> bool:
        """Whether this is broken: wine moves between two vessels."""
        return m["source_id"] == m["target_id"]

    def _breaks_rule_9(self, l: Label) -> bool:
        """Whether this is broken: a label that promises something promises at least half."""
        return not (
            l["least_percent"] >= 50
            and (l["grape"] is not None or l["vintage"] is not None or l["least_percent"] == 100)
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
            case "wines":
                self._wines_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "components":
                self._components_by_wine.setdefault(record["wine_id"], {})[record["id"]] = record
                self._components_by_wine_grape.setdefault((record["wine_id"], record["grape"]), {})[record["id"]] = record
            case "vessels":
                self._vessels_by_wine.setdefault(record["wine_id"], {})[record["id"]] = record
            case "labels":
                self._labels_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "samples":
                self._samples_by_wine.setdefault(record["wine_id"], {})[record["id"]] = record
            case "bottling_runs":
                self._bottling_runs_by_planned_on.setdefault(record["planned_on"], {})[record["id"]] = record
                self._bottling_runs_by_wine.setdefault(record["wine_id"], {})[record["id"]] = record
                self._bottling_runs_by_wine_status.setdefault(
                    (record["wine_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "wines":
                del self._wines_by_name[record["name"]][record["id"]]
            case "components":
                del self._components_by_wine[record["wine_id"]][record["id"]]
                del self._components_by_wine_grape[record["wine_id"], record["grape"]][record["id"]]
            case "vessels":
                del self._vessels_by_wine[record["wine_id"]][record["id"]]
            case "labels":
                del self._labels_by_name[record["name"]][record["id"]]
            case "samples":
                del self._samples_by_wine[record["wine_id"]][record["id"]]
            case "bottling_runs":
                del self._bottling_runs_by_planned_on[record["planned_on"]][record["id"]]
                del self._bottling_runs_by_wine[record["wine_id"]][record["id"]]
                del self._bottling_runs_by_wine_status[record["wine_id"], record["status"]][record["id"]]
