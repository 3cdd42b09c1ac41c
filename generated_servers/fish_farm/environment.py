"""Fish farm. Compiled from blueprint.yaml; run `envscaler build fish_farm` after changing it there.

Runs the pens of a fish farm with stocking, feeding, weighing and mortalities, treatments with their withdrawal
days, splits and mergers of batches, and harvests for customers.
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
    "A pen holds one batch.",
    "A batch that grows has fish and a pen, and one that is gone has neither.",
    "No pen is stocked denser than it allows.",
    "No site carries more biomass than its licence.",
    "A fallow pen holds no fish.",
    "A batch gets one treatment at a time.",
    "A treatment is never longer than its medicine allows.",
    "No fish are harvested before the withdrawal days of a treatment are over.",
    "A silo holds no more feed than it can.",
    "Fish that were split off are of the same species.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "stock_pen",
    "feed_batch",
    "take_in_feed",
    "weigh_batch",
    "record_dead",
    "start_treatment",
    "end_treatment",
    "split_batch",
    "merge_batches",
    "move_batch",
    "harvest_fish",
    "prepare_pen",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "pens": ("code",),
    "batches": ("code",),
    "feeds": ("name",),
    "feedings": (),
    "medicines": ("name",),
    "treatments": (),
    "removals": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("batches", "code"),
    ("batches", "pen_id"),
    ("feedings", "batch_id"),
    ("pens", "site_id"),
    ("removals", "batch_id"),
    ("removals", "kind"),
    ("treatments", "batch_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str
    licence: int


class Pen(TypedDict):
    id: str
    code: str
    site_id: str
    volume: int
    density: int
    status: Literal["ready", "fallow"]


class Batch(TypedDict):
    id: str
    code: str
    species: Literal["salmon", "trout"]
    pen_id: str | None
    fish: int
    grams: int
    split_from_id: str | None
    stocked_on: str
    status: Literal["growing", "gone"]


class Feed(TypedDict):
    id: str
    name: str
    kilos: int
    silo: int


class Feeding(TypedDict):
    id: str
    batch_id: str
    feed_id: str
    kilos: int
    fed_on: str


class Medicine(TypedDict):
    id: str
    name: str
    withdrawal_days: int
    longest: int


class Treatment(TypedDict):
    id: str
    batch_id: str
    medicine_id: str
    started_on: str
    ends_on: str


class Removal(TypedDict):
    id: str
    batch_id: str
    kind: Literal["dead", "harvested"]
    fish: int
    kilos: int
    note: str
    removed_on: str


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


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


class FishFarm:
    """Runs the pens of a fish farm with stocking, feeding, weighing and mortalities, treatments with their
    withdrawal days, splits and mergers of batches, and harvests for customers.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.pens: dict[str, Pen] = _copied(config.get("pens", {}))
        self.batches: dict[str, Batch] = _copied(config.get("batches", {}))
        self.feeds: dict[str, Feed] = _copied(config.get("feeds", {}))
        self.feedings: dict[str, Feeding] = _copied(config.get("feedings", {}))
        self.medicines: dict[str, Medicine] = _copied(config.get("medicines", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.removals: dict[str, Removal] = _copied(config.get("removals", {}))
        self.now: str = config.get("now", "2026-06-15T07:30")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "pen": len(self.pens),
            "batch": len(self.batches),
            "feed": len(self.feeds),
            "feeding": len(self.feedings),
            "medicine": len(self.medicines),
            "treatment": len(self.treatments),
            "removal": len(self.removals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._pens_by_site: dict[Any, dict[str, Pen]] = {}
        self._batches_by_code: dict[Any, dict[str, Batch]] = {}
        self._batches_by_pen: dict[Any, dict[str, Batch]] = {}
        self._feedings_by_batch: dict[Any, dict[str, Feeding]] = {}
        self._treatments_by_batch: dict[Any, dict[str, Treatment]] = {}
        self._removals_by_batch_kind: dict[Any, dict[str, Removal]] = {}
        for pen in self.pens.values():
            self._link("pens", pen)
        for batch in self.batches.values():
            self._link("batches", batch)
        for feeding in self.feedings.values():
            self._link("feedings", feeding)
        for treatment in self.treatments.values():
            self._link("treatments", treatment)
        for removal in self.removals.values():
            self._link("removals", removal)

    def ready_for_harvest(
        self,
        site_id: str | None = None,
        species: Literal["salmon", "trout"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Batches that may be harvested today, with their withdrawal days over and no feed yesterday or today, the
        heaviest fish first.

        Args:
            site_id (str, optional): Only batches at this site; an id such as SITE-00001. If left out, the batches
                of all sites are listed.
            species (str, optional): Only batches of this kind of fish: salmon or trout. If left out, batches of
                every species are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            b
            for b in self.batches.values()
            if self._may_go(b, self.now[:10])
            and (site_id is None or b["pen_id"] is not None and self.pens[b["pen_id"]]["site_id"] == site_id)
            and (species is None or b["species"] == species)
        ]
        found.sort(key=lambda b: (-b["grams"], b["code"], _age(b)))
        return _found(
            {
                "total": len(found),
                "batches": [
                    {
                        "id": b["id"],
                        "code": b["code"],
                        "species": b["species"],
                        "fish": b["fish"],
                        "grams": b["grams"],
                        "biomass": self._batch_biomass(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def empty_pens(
        self,
        kilos: Annotated[int, {"minimum": 1, "maximum": 400000}] | None = None,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Pens that are ready and empty, the smallest limit first.

        Args:
            kilos (int, optional): Fish weight that the pen must be able to hold, in kilograms, from 1 to 400000.
                If left out, pens of every size are listed.
            site_id (str, optional): Only pens at this site; an id such as SITE-00001. If left out, the pens of all
                sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pens": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            p
            for p in self.pens.values()
            if self._free_pen(p)
            and (kilos is None or self._pen_limit(p) >= kilos)
            and (site_id is None or p["site_id"] == site_id)
        ]
        found.sort(key=lambda p: (self._pen_limit(p), p["code"], _age(p)))
        return _found(
            {
                "total": len(found),
                "pens": [
                    {
                        "id": p["id"],
                        "code": p["code"],
                        "site": self.sites[p["site_id"]]["name"],
                        "limit": self._pen_limit(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

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
        return _found({"total": len(found), "sites": [self._show_site(site) for site in _page(found, offset)]})

    def list_pens(
        self,
        code: Text | None = None,
        site_id: str | None = None,
        status: Literal["ready", "fallow"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pens, oldest first, all of them or only some.

        Args:
            code (str, optional): Only pens whose code contains this text.
            site_id (str, optional): Only pens of this site.
            status (str, optional): Only pens with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pens": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            pen
            for pen in self.pens.values()
            if (code is None or code.casefold() in pen["code"].casefold())
            and (site_id is None or pen["site_id"] == site_id)
            and (status is None or pen["status"] == status)
        ]
        shown = [self._show_pen(pen) for pen in _page(found, offset)]
        return _found({"total": len(found), "pens": shown}, self._names_of_pens(shown))

    def list_batches(
        self,
        code: Text | None = None,
        species: Literal["salmon", "trout"] | None = None,
        pen_id: str | None = None,
        split_from_id: str | None = None,
        status: Literal["growing", "gone"] | None = None,
        stocked_on_from: Date | None = None,
        stocked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the batches, oldest first, all of them or only some.

        Args:
            code (str, optional): Only batches whose code contains this text.
            species (str, optional): Only batches with this species.
            pen_id (str, optional): Only batches of this pen.
            split_from_id (str, optional): Only batches split from this batch.
            status (str, optional): Only batches with this status.
            stocked_on_from (str, optional): Only batches whose `stocked_on` is on this day or later.
            stocked_on_to (str, optional): Only batches whose `stocked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}}
        """
        if pen_id is not None and pen_id not in self.pens:
            return _refused(f"There is no pen {pen_id!r}.")
        if split_from_id is not None and split_from_id not in self.batches:
            return _refused(f"There is no batch {split_from_id!r}.")
        found = [
            batch
            for batch in self.batches.values()
            if (code is None or code.casefold() in batch["code"].casefold())
            and (species is None or batch["species"] == species)
            and (pen_id is None or batch["pen_id"] == pen_id)
            and (split_from_id is None or batch["split_from_id"] == split_from_id)
            and (status is None or batch["status"] == status)
            and (stocked_on_from is None or batch["stocked_on"] >= stocked_on_from)
            and (stocked_on_to is None or batch["stocked_on"] <= stocked_on_to)
        ]
        shown = [self._show_batch(batch) for batch in _page(found, offset)]
        return _found({"total": len(found), "batches": shown}, self._names_of_batches(shown))

    def list_feeds(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the feeds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only feeds whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "feeds": records}}
        """
        found = [feed for feed in self.feeds.values() if (name is None or name.casefold() in feed["name"].casefold())]
        return _found({"total": len(found), "feeds": [{**feed} for feed in _page(found, offset)]})

    def list_feedings(
        self,
        batch_id: str | None = None,
        feed_id: str | None = None,
        fed_on_from: Date | None = None,
        fed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the feedings, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only feedings of this batch.
            feed_id (str, optional): Only feedings of this feed.
            fed_on_from (str, optional): Only feedings whose `fed_on` is on this day or later.
            fed_on_to (str, optional): Only feedings whose `fed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "feedings": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if feed_id is not None and feed_id not in self.feeds:
            return _refused(f"There is no feed {feed_id!r}.")
        found = [
            feeding
            for feeding in self.feedings.values()
            if (batch_id is None or feeding["batch_id"] == batch_id)
            and (feed_id is None or feeding["feed_id"] == feed_id)
            and (fed_on_from is None or feeding["fed_on"] >= fed_on_from)
            and (fed_on_to is None or feeding["fed_on"] <= fed_on_to)
        ]
        shown = [{**feeding} for feeding in _page(found, offset)]
        return _found({"total": len(found), "feedings": shown}, self._names_of_feedings(shown))

    def list_medicines(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the medicines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only medicines whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "medicines": records}}
        """
        found = [
            medicine
            for medicine in self.medicines.values()
            if (name is None or name.casefold() in medicine["name"].casefold())
        ]
        return _found({"total": len(found), "medicines": [{**medicine} for medicine in _page(found, offset)]})

    def list_treatments(
        self,
        batch_id: str | None = None,
        medicine_id: str | None = None,
        started_on_from: Date | None = None,
        started_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only treatments of this batch.
            medicine_id (str, optional): Only treatments of this medicine.
            started_on_from (str, optional): Only treatments whose `started_on` is on this day or later.
            started_on_to (str, optional): Only treatments whose `started_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if medicine_id is not None and medicine_id not in self.medicines:
            return _refused(f"There is no medicine {medicine_id!r}.")
        found = [
            treatment
            for treatment in self.treatments.values()
            if (batch_id is None or treatment["batch_id"] == batch_id)
            and (medicine_id is None or treatment["medicine_id"] == medicine_id)
            and (started_on_from is None or treatment["started_on"] >= started_on_from)
            and (started_on_to is None or treatment["started_on"] <= started_on_to)
        ]
        shown = [self._show_treatment(treatment) for treatment in _page(found, offset)]
        return _found({"total": len(found), "treatments": shown}, self._names_of_treatments(shown))

    def list_removals(
        self,
        batch_id: str | None = None,
        kind: Literal["dead", "harvested"] | None = None,
        removed_on_from: Date | None = None,
        removed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the removals, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only removals of this batch.
            kind (str, optional): Only removals with this kind.
            removed_on_from (str, optional): Only removals whose `removed_on` is on this day or later.
            removed_on_to (str, optional): Only removals whose `removed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "removals": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        found = [
            removal
            for removal in self.removals.values()
            if (batch_id is None or removal["batch_id"] == batch_id)
            and (kind is None or removal["kind"] == kind)
            and (removed_on_from is None or removal["removed_on"] >= removed_on_from)
            and (removed_on_to is None or removal["removed_on"] <= removed_on_to)
        ]
        shown = [{**removal} for removal in _page(found, offset)]
        return _found({"total": len(found), "removals": shown}, self._names_of_removals(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def stock_pen(
        self,
        code: Text,
        species: Literal["salmon", "trout"],
        pen_id: str,
        fish: Annotated[int, {"minimum": 1, "maximum": 100000}],
        grams: Annotated[int, {"minimum": 5, "maximum": 3000}],
    ) -> Result:
        """Stock an empty pen with fish that were delivered.

        Args:
            code (str): Code of the new batch, not in use yet.
            species (str): Kind of fish that was delivered: salmon or trout.
            pen_id (str): Id of the pen, such as PEN-00001.
            fish (int): Fish that are put into the pen, from 1 to 100000.
            grams (int): Average weight of one fish in grams, from 5 to 3000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        if self._batches_by_code.get(code, {}):
            return _refused(f"There is a batch {code} already.")
        if pen["status"] != "ready":
            return _refused(f"Pen {pen['code']} is fallow, so prepare it first.")
        if self._in_pen(pen) is not None:
            return _refused(f"There are fish in pen {pen['code']}.")
        if fish * grams // 1000 > self._pen_limit(pen):
            return _refused(f"Pen {pen['code']} takes {self._pen_limit(pen)} kilos, not {fish * grams // 1000}.")
        if (
            self._site_biomass(self.sites[pen["site_id"]])
            + fish * grams // 1000 > self.sites[pen["site_id"]]["licence"]
        ):
            return _refused(
                f"{self.sites[pen['site_id']]['name']} has a licence for {self.sites[pen['site_id']]['licence']} "
                f"kilos and holds {self._site_biomass(self.sites[pen['site_id']])}."
            )
        self._journal = []
        batch: Batch = {
            "id": self._new_id("batch", "BATCH", self.batches),
            "code": code,
            "species": species,
            "pen_id": pen_id,
            "fish": fish,
            "grams": grams,
            "split_from_id": None,
            "stocked_on": self.now[:10],
            "status": "growing",
        }
        self._add("batches", batch)
        if len(self._batches_by_code.get(batch["code"], {})) > 1:
            return self._take_back(f"There is already a batch with the code {batch['code']!r}.")
        if self._breaks_rule_1(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        for one_site in _distinct(
            [self.sites[one["site_id"]] for one in [self.pens.get(batch["pen_id"])] if one is not None]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(batch):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(batch):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: stock pen {pen['code']} with {fish} {species} as {code} (new: batch {batch['id']}).",
            "data": {"batch_id": batch["id"], **self._changes()},
        }

    def feed_batch(
        self,
        batch_id: str,
        feed_id: str,
        kilos: Annotated[int, {"minimum": 1, "maximum": 5000}],
    ) -> Result:
        """Feed a batch, at most four percent of its biomass a day.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            feed_id (str): Id of the feed, such as FEED-00001.
            kilos (int): Feed that is given now, in kilograms, from 1 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        feed = self.feeds.get(feed_id)
        if feed is None:
            return _refused(f"There is no feed {feed_id!r}.")
        if batch["status"] != "growing":
            return _refused(f"{batch['code']} is gone.")
        if kilos > feed["kilos"]:
            return _refused(f"There are {feed['kilos']} kilos of {feed['name']} left, so order some.")
        if kilos > self._may_eat(batch, self.now[:10]):
            return _refused(f"{batch['code']} may still have {self._may_eat(batch, self.now[:10])} kilos today.")
        self._journal = []
        new_kilos = feed["kilos"] - kilos
        if not 0 <= new_kilos <= 60000:
            return self._take_back(f"The kilos of {feed['name']} must be between 0 and 60000.")
        self._put("feeds", feed, "kilos", new_kilos)
        feeding: Feeding = {
            "id": self._new_id("feeding", "FEEDING", self.feedings),
            "batch_id": batch_id,
            "feed_id": feed_id,
            "kilos": kilos,
            "fed_on": self.now[:10],
        }
        self._add("feedings", feeding)
        if self._breaks_rule_9(feed):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: feed {batch['code']} {kilos} kilos of {feed['name']} (new: feeding {feeding['id']}).",
            "data": {"feeding_id": feeding["id"], **self._changes()},
        }

    def take_in_feed(self, feed_id: str, kilos: Annotated[int, {"minimum": 1, "maximum": 60000}]) -> Result:
        """Take a delivery of feed into its silo.

        Args:
            feed_id (str): Id of the feed, such as FEED-00001.
            kilos (int): Feed that was delivered, in kilograms, from 1 to 60000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        feed = self.feeds.get(feed_id)
        if feed is None:
            return _refused(f"There is no feed {feed_id!r}.")
        if feed["kilos"] + kilos > feed["silo"]:
            return _refused(f"The silo of {feed['name']} takes {feed['silo'] - feed['kilos']} kilos more.")
        self._journal = []
        new_kilos = feed["kilos"] + kilos
        if not 0 <= new_kilos <= 60000:
            return self._take_back(f"The kilos of {feed['name']} must be between 0 and 60000.")
        self._put("feeds", feed, "kilos", new_kilos)
        if self._breaks_rule_9(feed):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take in {kilos} kilos of {feed['name']}.",
            "data": self._changes(),
        }

    def weigh_batch(self, batch_id: str, grams: Annotated[int, {"minimum": 5, "maximum": 12000}]) -> Result:
        """Record the average weight of a batch from a sample.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            grams (int): Average weight of one fish in the sample, in grams, from 5 to 12000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "growing" or batch["pen_id"] is None:
            return _refused(f"{batch['code']} is gone.")
        if batch["fish"] * grams // 1000 > self._pen_limit(self.pens[batch["pen_id"]]):
            return _refused(
                f"At {grams} grams {batch['code']} weighs {batch['fish'] * grams // 1000} kilos, and pen "
                f"{self.pens[batch['pen_id']]['code']} takes {self._pen_limit(self.pens[batch['pen_id']])}, so "
                "split the batch or move it."
            )
        if (
            self._site_biomass(self.sites[self.pens[batch["pen_id"]]["site_id"]])
            - self._batch_biomass(batch)
            + batch["fish"] * grams // 1000 > self.sites[self.pens[batch["pen_id"]]["site_id"]]["licence"]
        ):
            return _refused(
                f"{self.sites[self.pens[batch['pen_id']]['site_id']]['name']} would exceed its licence of "
                f"{self.sites[self.pens[batch['pen_id']]['site_id']]['licence']} kilos."
            )
        self._journal = []
        self._put("batches", batch, "grams", grams)
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        for one_site in _distinct(
            [self.sites[one["site_id"]] for one in [self.pens.get(batch["pen_id"])] if one is not None]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: record {grams} grams for {batch['code']}.",
            "data": self._changes(),
        }

    def record_dead(
        self,
        batch_id: str,
        fish: Annotated[int, {"minimum": 1, "maximum": 100000}],
        cause: Text,
    ) -> Result:
        """Record dead fish that were taken out; a pen in which all have died lies fallow.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            fish (int): Dead fish that were taken out, from 1 to 100000.
            cause (str): What the fish died of, as far as known.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "growing" or batch["pen_id"] is None:
            return _refused(f"{batch['code']} is gone.")
        if fish > batch["fish"]:
            return _refused(f"{batch['code']} has {batch['fish']} fish.")
        self._journal = []
        changed_pens: list[Any] = []
        changed_batches: list[Any] = []
        former_pen_ids: list[Any] = []
        changed_batches_2: list[Any] = []
        kilos = fish * batch["grams"] // 1000
        if not 0 <= kilos <= 400000:
            return self._take_back("The kilos of a removal must be between 0 and 400000.")
        removal: Removal = {
            "id": self._new_id("removal", "REMOVAL", self.removals),
            "batch_id": batch_id,
            "kind": "dead",
            "fish": fish,
            "kilos": kilos,
            "note": cause,
            "removed_on": self.now[:10],
        }
        self._add("removals", removal)
        new_fish = batch["fish"] - fish
        if not 0 <= new_fish <= 200000:
            return self._take_back(f"The fish of {batch['code']} must be between 0 and 200000.")
        self._put("batches", batch, "fish", new_fish)
        if batch["fish"] == 0:
            pen = self.pens[batch["pen_id"]]
            changed_pens.append(pen)
            self._put("pens", pen, "status", "fallow")
            changed_batches.append(batch)
            former_pen_ids.append(batch["pen_id"])
            self._put("batches", batch, "pen_id", None)
            changed_batches_2.append(batch)
            self._put("batches", batch, "status", "gone")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_1(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct([batch, *changed_batches, *changed_batches_2]):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_batch in _distinct([batch, *changed_batches]):
            if self._breaks_rule_3(one_batch):
                return self._take_back(RULES[2])
        for one_site in _distinct(
            [
                *[self.sites[one["site_id"]] for one in [self.pens.get(batch["pen_id"])] if one is not None],
                *[
                    self.sites[one["site_id"]]
                    for one in [self.pens.get(one["pen_id"]) for one in changed_batches]
                    if one is not None
                ],
                *[
                    self.sites[one["site_id"]]
                    for one in [self.pens.get(key) for key in former_pen_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        for one_batch in _distinct(
            [
                *[user for one in changed_pens for user in self._batches_by_pen.get(one["id"], {}).values()],
                *changed_batches,
            ]
        ):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(removal):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: record {fish} dead fish in {batch['code']} (new: removal {removal['id']}).",
            "data": {"removal_id": removal["id"], **self._changes()},
        }

    def start_treatment(
        self,
        batch_id: str,
        medicine_id: str,
        length: Annotated[int, {"minimum": 1, "maximum": 30}],
    ) -> Result:
        """Start a treatment of a batch from today on for some days.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            medicine_id (str): Id of the medicine, such as MEDICINE-00001.
            length (int): Days the treatment lasts, today included, from 1 to 30.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        medicine = self.medicines.get(medicine_id)
        if medicine is None:
            return _refused(f"There is no medicine {medicine_id!r}.")
        if batch["status"] != "growing":
            return _refused(f"{batch['code']} is gone.")
        if length > medicine["longest"]:
            return _refused(f"{medicine['name']} is given for {medicine['longest']} days at most.")
        other = next(
            (
                t
                for t in sorted(self._treatments_by_batch.get(batch_id, {}).values(), key=_age)
                if t["ends_on"] >= self.now[:10]
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{batch['code']} is treated with {self.medicines[other['medicine_id']]['name']} until "
                f"{other['ends_on']}."
            )
        if any(
            each["removed_on"] == self.now[:10]
            for each in self._removals_by_batch_kind.get((batch_id, "harvested"), {}).values()
        ):
            return _refused(f"Fish of {batch['code']} were harvested today.")
        self._journal = []
        treatment: Treatment = {
            "id": self._new_id("treatment", "TREATMENT", self.treatments),
            "batch_id": batch_id,
            "medicine_id": medicine_id,
            "started_on": self.now[:10],
            "ends_on": _plus_days(_plus_days(self.now[:10], length), -1),
        }
        self._add("treatments", treatment)
        if self._breaks_rule_6(treatment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(treatment):
            return self._take_back(RULES[6])
        for one_removal in _distinct(
            self._removals_by_batch_kind.get((treatment["batch_id"], "harvested"), {}).values()
        ):
            if self._breaks_rule_8(one_removal):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: treat {batch['code']} with {medicine['name']} for {length} days (new: treatment "
                f"{treatment['id']})."
            ),
            "data": {"treatment_id": treatment["id"], **self._changes()},
        }

    def end_treatment(self, treatment_id: str) -> Result:
        """End a running treatment early, today.

        Args:
            treatment_id (str): Id of the treatment, such as TREATMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        treatment = self.treatments.get(treatment_id)
        if treatment is None:
            return _refused(f"There is no treatment {treatment_id!r}.")
        if treatment["started_on"] > self.now[:10] or self.now[:10] >= treatment["ends_on"]:
            return _refused(f"That treatment runs until {treatment['ends_on']}.")
        self._journal = []
        self._put("treatments", treatment, "ends_on", self.now[:10])
        if self._breaks_rule_6(treatment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(treatment):
            return self._take_back(RULES[6])
        for one_removal in _distinct(
            self._removals_by_batch_kind.get((treatment["batch_id"], "harvested"), {}).values()
        ):
            if self._breaks_rule_8(one_removal):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: end the treatment of {self.batches[treatment['batch_id']]['code']}.",
            "data": self._changes(),
        }

    def split_batch(
        self,
        batch_id: str,
        pen_id: str,
        fish: Annotated[int, {"minimum": 1, "maximum": 100000}],
        code: Text,
    ) -> Result:
        """Split fish off a batch into an empty pen; the withdrawal days go with them.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            pen_id (str): Id of the pen, such as PEN-00001.
            fish (int): Fish that move to the empty pen, fewer than the batch has, from 1 to 100000.
            code (str): Code of the new batch, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        if batch["status"] != "growing":
            return _refused(f"{batch['code']} is gone.")
        if self._batches_by_code.get(code, {}):
            return _refused(f"There is a batch {code} already.")
        if fish >= batch["fish"]:
            return _refused(f"{batch['code']} has {batch['fish']} fish; move it as a whole.")
        if self._under_treatment(batch, self.now[:10]) is not None:
            return _refused(f"{batch['code']} is under treatment, so wait for the end or end it.")
        if pen["status"] != "ready":
            return _refused(f"Pen {pen['code']} is fallow, so prepare it first.")
        if self._in_pen(pen) is not None:
            return _refused(f"There are fish in pen {pen['code']}.")
        if fish * batch["grams"] // 1000 > self._pen_limit(pen):
            return _refused(
                f"Pen {pen['code']} takes {self._pen_limit(pen)} kilos, not {fish * batch['grams'] // 1000}."
            )
        if not (
            batch["pen_id"] is not None
            and (
                self.pens[batch["pen_id"]]["site_id"] == pen["site_id"]
                or self._site_biomass(
                    self.sites[pen["site_id"]]
                ) + fish * batch["grams"] // 1000 <= self.sites[pen["site_id"]]["licence"]
            )
        ):
            return _refused(
                f"{self.sites[pen['site_id']]['name']} has a licence for {self.sites[pen['site_id']]['licence']} "
                f"kilos and holds {self._site_biomass(self.sites[pen['site_id']])}."
            )
        done = f"split {fish} fish off {batch['code']} into pen {pen['code']} as {code}"
        self._journal = []
        new_batch: Batch = {
            "id": self._new_id("batch", "BATCH", self.batches),
            "code": code,
            "species": batch["species"],
            "pen_id": pen_id,
            "fish": fish,
            "grams": batch["grams"],
            "split_from_id": batch_id,
            "stocked_on": self.now[:10],
            "status": "growing",
        }
        self._add("batches", new_batch)
        new_fish = batch["fish"] - fish
        if not 0 <= new_fish <= 200000:
            return self._take_back(f"The fish of {batch['code']} must be between 0 and 200000.")
        self._put("batches", batch, "fish", new_fish)
        if len(self._batches_by_code.get(new_batch["code"], {})) > 1:
            return self._take_back(f"There is already a batch with the code {new_batch['code']!r}.")
        if self._breaks_rule_1(new_batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(new_batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(new_batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        for one_site in _distinct(
            [
                *[self.sites[one["site_id"]] for one in [self.pens.get(new_batch["pen_id"])] if one is not None],
                *[self.sites[one["site_id"]] for one in [self.pens.get(batch["pen_id"])] if one is not None],
            ]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(new_batch):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(new_batch):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: {done} (new: batch {new_batch['id']}).",
            "data": {"batch_id": new_batch["id"], **self._changes()},
        }

    def merge_batches(self, source_id: str, target_id: str) -> Result:
        """Put all fish of one batch to another of the same species; neither may be in its withdrawal days.

        Args:
            source_id (str): Batch that is dissolved and leaves its pen; an id such as BATCH-00001.
            target_id (str): Batch of the same species that takes in all the fish; an id such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.batches.get(source_id)
        if source is None:
            return _refused(f"There is no batch {source_id!r}.")
        target = self.batches.get(target_id)
        if target is None:
            return _refused(f"There is no batch {target_id!r}.")
        if source is target or source["status"] != "growing" or target["status"] != "growing":
            return _refused("Name two batches that grow.")
        if source["species"] != target["species"]:
            return _refused(f"{source['code']} and {target['code']} are of different species.")
        if not (self._harvestable(source, self.now[:10]) and self._harvestable(target, self.now[:10])):
            return _refused("One of them is in its withdrawal days.")
        kilos = self._batch_biomass(source) + self._batch_biomass(target)
        if target["pen_id"] is None or source["pen_id"] is None:
            return _refused("One of them has no pen.")
        if kilos > self._pen_limit(self.pens[target["pen_id"]]):
            return _refused(
                f"Pen {self.pens[target['pen_id']]['code']} takes {self._pen_limit(self.pens[target['pen_id']])} "
                f"kilos, not {kilos}."
            )
        if (
            self.pens[source["pen_id"]]["site_id"] != self.pens[target["pen_id"]]["site_id"]
            and self._site_biomass(
                self.sites[self.pens[target["pen_id"]]["site_id"]]
            ) + self._batch_biomass(source) > self.sites[self.pens[target["pen_id"]]["site_id"]]["licence"]
        ):
            return _refused(
                f"{self.sites[self.pens[target['pen_id']]['site_id']]['name']} has a licence for "
                f"{self.sites[self.pens[target['pen_id']]['site_id']]['licence']} kilos and holds "
                f"{self._site_biomass(self.sites[self.pens[target['pen_id']]['site_id']])}."
            )
        self._journal = []
        all_fish = source["fish"] + target["fish"]
        mean = (source["fish"] * source["grams"] + target["fish"] * target["grams"]) // max(1, all_fish)
        pen = self.pens[source["pen_id"]]
        self._put("pens", pen, "status", "fallow")
        former_pen_id = source["pen_id"]
        self._put("batches", source, "pen_id", None)
        self._put("batches", source, "fish", 0)
        self._put("batches", source, "status", "gone")
        if not 0 <= all_fish <= 200000:
            return self._take_back(f"The fish of {target['code']} must be between 0 and 200000.")
        self._put("batches", target, "fish", all_fish)
        if not 5 <= mean <= 12000:
            return self._take_back(f"The grams of {target['code']} must be between 5 and 12000.")
        self._put("batches", target, "grams", mean)
        if self._breaks_rule_1(source):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(source):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(target):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(source):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(target):
            return self._take_back(RULES[2])
        for one_site in _distinct(
            [
                *[self.sites[one["site_id"]] for one in [self.pens.get(source["pen_id"])] if one is not None],
                *[self.sites[one["site_id"]] for one in [self.pens.get(former_pen_id)] if one is not None],
                *[self.sites[one["site_id"]] for one in [self.pens.get(target["pen_id"])] if one is not None],
            ]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        for one_batch in _distinct([source, *self._batches_by_pen.get(pen["id"], {}).values()]):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: merge {source['code']} into {target['code']}.",
            "data": self._changes(),
        }

    def move_batch(self, batch_id: str, pen_id: str) -> Result:
        """Move a whole batch to an empty pen; the old pen lies fallow.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            pen_id (str): Id of the pen, such as PEN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        if batch["status"] != "growing" or batch["pen_id"] is None:
            return _refused(f"{batch['code']} is gone.")
        if self._under_treatment(batch, self.now[:10]) is not None:
            return _refused(f"{batch['code']} is under treatment, so wait for the end or end it.")
        if pen["status"] != "ready":
            return _refused(f"Pen {pen['code']} is fallow, so prepare it first.")
        if self._in_pen(pen) is not None:
            return _refused(f"There are fish in pen {pen['code']}.")
        if self._batch_biomass(batch) > self._pen_limit(pen):
            return _refused(
                f"Pen {pen['code']} takes {self._pen_limit(pen)} kilos, and {batch['code']} weighs "
                f"{self._batch_biomass(batch)}."
            )
        if (
            self.pens[batch["pen_id"]]["site_id"] != pen["site_id"]
            and self._site_biomass(
                self.sites[pen["site_id"]]
            ) + self._batch_biomass(batch) > self.sites[pen["site_id"]]["licence"]
        ):
            return _refused(
                f"{self.sites[pen['site_id']]['name']} has a licence for {self.sites[pen['site_id']]['licence']} "
                f"kilos and holds {self._site_biomass(self.sites[pen['site_id']])}."
            )
        self._journal = []
        its_pen = self.pens[batch["pen_id"]]
        self._put("pens", its_pen, "status", "fallow")
        former_pen_id = batch["pen_id"]
        self._put("batches", batch, "pen_id", pen_id)
        if self._breaks_rule_1(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        for one_site in _distinct(
            [
                *[self.sites[one["site_id"]] for one in [self.pens.get(batch["pen_id"])] if one is not None],
                *[self.sites[one["site_id"]] for one in [self.pens.get(former_pen_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        for one_batch in _distinct([batch, *self._batches_by_pen.get(its_pen["id"], {}).values()]):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: move {batch['code']} to pen {pen['code']}.",
            "data": self._changes(),
        }

    def harvest_fish(
        self,
        batch_id: str,
        fish: Annotated[int, {"minimum": 1, "maximum": 100000}],
        customer: Text,
    ) -> Result:
        """Harvest fish of a batch whose withdrawal days are over and that was not fed yesterday or today; a pen that
        is emptied lies fallow.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            fish (int): Fish that are harvested from the batch, from 1 to 100000.
            customer (str): Who gets the fish.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "growing" or batch["pen_id"] is None:
            return _refused(f"{batch['code']} is gone.")
        if fish > batch["fish"]:
            return _refused(f"{batch['code']} has {batch['fish']} fish.")
        if not self._harvestable(batch, self.now[:10]):
            return _refused(
                f"{batch['code']} is in its withdrawal days until "
                f"{self._last_safe(batch) if self._last_safe(batch) is not None else self.now[:10]}."
            )
        meal = self._last_meal(batch, self.now[:10])
        if meal is not None:
            return _refused(
                f"{batch['code']} was fed on {meal['fed_on']} and must fast, so it is harvested from "
                f"{_plus_days(meal['fed_on'], 2)} on if it gets nothing more."
            )
        self._journal = []
        changed_pens: list[Any] = []
        changed_batches: list[Any] = []
        former_pen_ids: list[Any] = []
        changed_batches_2: list[Any] = []
        kilos = fish * batch["grams"] // 1000
        if not 0 <= kilos <= 400000:
            return self._take_back("The kilos of a removal must be between 0 and 400000.")
        removal: Removal = {
            "id": self._new_id("removal", "REMOVAL", self.removals),
            "batch_id": batch_id,
            "kind": "harvested",
            "fish": fish,
            "kilos": kilos,
            "note": customer,
            "removed_on": self.now[:10],
        }
        self._add("removals", removal)
        new_fish = batch["fish"] - fish
        if not 0 <= new_fish <= 200000:
            return self._take_back(f"The fish of {batch['code']} must be between 0 and 200000.")
        self._put("batches", batch, "fish", new_fish)
        if batch["fish"] == 0:
            pen = self.pens[batch["pen_id"]]
            changed_pens.append(pen)
            self._put("pens", pen, "status", "fallow")
            changed_batches.append(batch)
            former_pen_ids.append(batch["pen_id"])
            self._put("batches", batch, "pen_id", None)
            changed_batches_2.append(batch)
            self._put("batches", batch, "status", "gone")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_1(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct([batch, *changed_batches, *changed_batches_2]):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_batch in _distinct([batch, *changed_batches]):
            if self._breaks_rule_3(one_batch):
                return self._take_back(RULES[2])
        for one_site in _distinct(
            [
                *[self.sites[one["site_id"]] for one in [self.pens.get(batch["pen_id"])] if one is not None],
                *[
                    self.sites[one["site_id"]]
                    for one in [self.pens.get(one["pen_id"]) for one in changed_batches]
                    if one is not None
                ],
                *[
                    self.sites[one["site_id"]]
                    for one in [self.pens.get(key) for key in former_pen_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_4(one_site):
                return self._take_back(RULES[3])
        for one_batch in _distinct(
            [
                *[user for one in changed_pens for user in self._batches_by_pen.get(one["id"], {}).values()],
                *changed_batches,
            ]
        ):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(removal):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: harvest {fish} fish of {batch['code']} for {customer} (new: removal {removal['id']}).",
            "data": {"removal_id": removal["id"], **self._changes()},
        }

    def prepare_pen(self, pen_id: str) -> Result:
        """Make a fallow pen ready, with its net washed and checked.

        Args:
            pen_id (str): Id of the pen, such as PEN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pen = self.pens.get(pen_id)
        if pen is None:
            return _refused(f"There is no pen {pen_id!r}.")
        if pen["status"] != "fallow":
            return _refused(f"Pen {pen['code']} is ready.")
        self._journal = []
        self._put("pens", pen, "status", "ready")
        for one_batch in _distinct(self._batches_by_pen.get(pen["id"], {}).values()):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: prepare pen {pen['code']}.", "data": self._changes()}

    def _show_site(self, site: Site) -> dict[str, Any]:
        """The site as an answer shows it."""
        return {**site, "biomass": self._site_biomass(site)}

    def _show_pen(self, pen: Pen) -> dict[str, Any]:
        """The pen as an answer shows it."""
        return {**pen, "limit": self._pen_limit(pen)}

    def _show_batch(self, batch: Batch) -> dict[str, Any]:
        """The batch as an answer shows it."""
        return {**batch, "biomass": self._batch_biomass(batch)}

    def _show_treatment(self, treatment: Treatment) -> dict[str, Any]:
        """The treatment as an answer shows it."""
        return {**treatment, "safe_on": self._treatment_safe_on(treatment)}

    def _names_of_pens(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pens point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_batches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that batches point to."""
        return _names(
            (self.pens, "code", [row["pen_id"] for row in shown]),
            (self.batches, "code", [row["split_from_id"] for row in shown]),
        )

    def _names_of_feedings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that feedings point to."""
        return _names(
            (self.batches, "code", [row["batch_id"] for row in shown]),
            (self.feeds, "name", [row["feed_id"] for row in shown]),
        )

    def _names_of_treatments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that treatments point to."""
        return _names(
            (self.batches, "code", [row["batch_id"] for row in shown]),
            (self.medicines, "name", [row["medicine_id"] for row in shown]),
        )

    def _names_of_removals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that removals point to."""
        return _names((self.batches, "code", [row["batch_id"] for row in shown]))

    def _site_biomass(self, site: Site) -> int:
        """The biomass of a site."""
        return sum(
            self._batch_biomass(b)
            for _pen in self._pens_by_site.get(site["id"], {}).values()
            for b in self._batches_by_pen.get(_pen["id"], {}).values()
            if b["pen_id"] is not None
        )

    def _pen_limit(self, pen: Pen) -> int:
        """The limit of a pen."""
        return pen["volume"] * pen["density"]

    def _batch_biomass(self, batch: Batch) -> int:
        """The biomass of a batch."""
        return batch["fish"] * batch["grams"] // 1000

    def _treatment_safe_on(self, treatment: Treatment) -> str:
        """The safe on of a treatment."""
        return _plus_days(treatment["ends_on"], self.medicines[treatment["medicine_id"]]["withdrawal_days"])

    def _in_pen(self, p: Pen) -> Batch | None:
        return next((b for b in sorted(self._batches_by_pen.get(p["id"], {}).values(), key=_age)), None)

    def _free_pen(self, p: Pen) -> bool:
        return p["status"] == "ready" and self._in_pen(p) is None

    def _under_treatment(self, b: Batch, d: str) -> Treatment | None:
        return next(
            (
                t
                for t in sorted(self._treatments_by_batch.get(b["id"], {}).values(), key=_age)
                if (t["started_on"] <= d and d <= t["ends_on"])
            ),
            None,
        )

    def _last_safe(self, b: Batch) -> str | None:
        return max(
            (
                self._treatment_safe_on(t)
                for t in _distinct(
                    [
                        t
                        for key in [b["id"], *[record["id"] for record in _above(self.batches, b, "split_from_id")]]
                        for t in self._treatments_by_batch.get(key, {}).values()
                    ]
                )
                if (
                    t["batch_id"] == b["id"]
                    or self.batches[t["batch_id"]] in _above(self.batches, b, "split_from_id")
                    and t["started_on"] <= b["stocked_on"]
                )
            ),
            default=None,
        )

    def _harvestable(self, b: Batch, d: str) -> bool:
        return b["status"] == "growing" and (self._last_safe(b) is None or self._last_safe(b) <= d)

    def _last_meal(self, b: Batch, d: str) -> Feeding | None:
        return next(
            (
                f
                for f in sorted(self._feedings_by_batch.get(b["id"], {}).values(), key=_age)
                if f["fed_on"] > _plus_days(d, -2)
            ),
            None,
        )

    def _may_go(self, b: Batch, d: str) -> bool:
        return self._harvestable(b, d) and self._last_meal(b, d) is None

    def _fed_today(self, b: Batch, d: str) -> int:
        return sum(f["kilos"] for f in self._feedings_by_batch.get(b["id"], {}).values() if f["fed_on"] == d)

    def _may_eat(self, b: Batch, d: str) -> int:
        return self._batch_biomass(b) * 4 // 100 - self._fed_today(b, d)

    def _breaks_rule_1(self, b: Batch) -> bool:
        """Whether this is broken: a pen holds one batch."""
        return (
            b["pen_id"] is not None
            and any(
                other_b is not b
                for other_b in self._batches_by_pen.get(b["pen_id"], {}).values()
                if other_b["pen_id"] is not None
            )
        )

    def _breaks_rule_2(self, b: Batch) -> bool:
        """Whether this is broken: a batch that grows has fish and a pen, and one that is gone has neither."""
        return (
            (b["status"] == "growing") != (b["pen_id"] is not None)
            or (b["status"] == "growing") != (b["fish"] > 0)
        )

    def _breaks_rule_3(self, b: Batch) -> bool:
        """Whether this is broken: no pen is stocked denser than it allows."""
        return b["pen_id"] is not None and self._batch_biomass(b) > self._pen_limit(self.pens[b["pen_id"]])

    def _breaks_rule_4(self, s: Site) -> bool:
        """Whether this is broken: no site carries more biomass than its licence."""
        return self._site_biomass(s) > s["licence"]

    def _breaks_rule_5(self, b: Batch) -> bool:
        """Whether this is broken: a fallow pen holds no fish."""
        return b["pen_id"] is not None and self.pens[b["pen_id"]]["status"] == "fallow"

    def _breaks_rule_6(self, t: Treatment) -> bool:
        """Whether this is broken: a batch gets one treatment at a time."""
        return any(
            t["ends_on"] >= u["started_on"]
            and u["ends_on"] >= t["started_on"]
            for u in self._treatments_by_batch.get(t["batch_id"], {}).values()
            if t is not u
        )

    def _breaks_rule_7(self, t: Treatment) -> bool:
        """Whether this is broken: a treatment is never longer than its medicine allows."""
        return (
            t["started_on"] > t["ends_on"]
            or _days_between(t["started_on"], t["ends_on"]) >= self.medicines[t["medicine_id"]]["longest"]
        )

    def _breaks_rule_8(self, h: Removal) -> bool:
        """Whether this is broken: no fish are harvested before the withdrawal days of a treatment are over."""
        return (
            h["kind"] == "harvested"
            and any(
                h["removed_on"] < self._treatment_safe_on(t)
                for t in self._treatments_by_batch.get(h["batch_id"], {}).values()
                if t["started_on"] <= h["removed_on"]
            )
        )

    def _breaks_rule_9(self, f: Feed) -> bool:
        """Whether this is broken: a silo holds no more feed than it can."""
        return f["kilos"] > f["silo"]

    def _breaks_rule_10(self, b: Batch) -> bool:
        """Whether this is broken: fish that were split off are of the same species."""
        return b["split_from_id"] is not None and self.batches[b["split_from_id"]]["species"] != b["species"]

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
            case "pens":
                self._pens_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "batches":
                self._batches_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._batches_by_pen.setdefault(record["pen_id"], {})[record["id"]] = record
            case "feedings":
                self._feedings_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
            case "treatments":
                self._treatments_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
            case "removals":
                self._removals_by_batch_kind.setdefault((record["batch_id"], record["kind"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "pens":
                del self._pens_by_site[record["site_id"]][record["id"]]
            case "batches":
                del self._batches_by_code[record["code"]][record["id"]]
                del self._batches_by_pen[record["pen_id"]][record["id"]]
            case "feedings":
                del self._feedings_by_batch[record["batch_id"]][record["id"]]
            case "treatments":
                del self._treatments_by_batch[record["batch_id"]][record["id"]]
            case "removals":
                del self._removals_by_batch_kind[record["batch_id"], record["kind"]][record["id"]]
