"""Reinsurance treaties. Compiled from blueprint.yaml; run `envscaler build reinsurance_treaties` after changing it there.

Runs the excess-of-loss treaties of an insurer, with layers placed in shares, events that gather losses within a
window of days, cessions layer by layer, reinstatements with premium, and collection from reinsurers.
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
    "An event is ceded once to a layer, and never beyond what it reaches there.",
    "A layer never gives more than its capacity and what was reinstated.",
    "No more is reinstated than was ceded, nor than the reinstatements of the layer allow.",
    "A layer is never placed beyond a hundred percent.",
    "Losses are ceded to layers that are fully placed.",
    "A reinsurer has one share of a layer.",
    "A share of more than forty percent is held by an AA or A reinsurer only.",
    "A higher layer is touched only when the ones below have been ceded to.",
    "The losses of an event happened within its window.",
    "Events lie within the period of their treaty.",
    "A reinsurer is asked for no more than its share.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_event",
    "report_loss",
    "revise_loss",
    "move_loss",
    "cede_event",
    "reinstate_layer",
    "collect_share",
    "write_share",
    "replace_reinsurer",
    "suspend_reinsurer",
    "close_event",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "treaties": ("name",),
    "layers": ("code",),
    "reinsurers": ("name",),
    "shares": (),
    "events": ("name",),
    "losses": ("number",),
    "cessions": (),
    "collections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("cessions", "event_id"),
    ("cessions", "layer_id"),
    ("collections", "cession_id"),
    ("collections", "reinsurer_id"),
    ("events", "name"),
    ("layers", "treaty_id"),
    ("losses", "event_id"),
    ("losses", "number"),
    ("shares", "layer_id"),
    ("shares", "reinsurer_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Treaty(TypedDict):
    id: str
    name: str
    window_days: int
    starts: str
    ends: str


class Layer(TypedDict):
    id: str
    code: str
    treaty_id: str
    rank: int
    retention: int
    capacity: int
    premium: int
    reinstatements: int


class Reinsurer(TypedDict):
    id: str
    name: str
    rating: Literal["aa", "a", "bbb"]
    suspended: bool


class Share(TypedDict):
    id: str
    layer_id: str
    reinsurer_id: str
    percent: int


class Event(TypedDict):
    id: str
    name: str
    treaty_id: str
    begins: str
    closed_on: str | None


class Loss(TypedDict):
    id: str
    number: str
    event_id: str
    on: str
    gross: int


class Cession(TypedDict):
    id: str
    event_id: str
    layer_id: str
    amount: int
    restored: int
    extra_premium: int


class Collection(TypedDict):
    id: str
    cession_id: str
    reinsurer_id: str
    amount: int
    on: str


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class ReinsuranceTreaties:
    """Runs the excess-of-loss treaties of an insurer, with layers placed in shares, events that gather
    losses within a window of days, cessions layer by layer, reinstatements with premium, and collection
    from reinsurers.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.treaties: dict[str, Treaty] = _copied(config.get("treaties", {}))
        self.layers: dict[str, Layer] = _copied(config.get("layers", {}))
        self.reinsurers: dict[str, Reinsurer] = _copied(config.get("reinsurers", {}))
        self.shares: dict[str, Share] = _copied(config.get("shares", {}))
        self.events: dict[str, Event] = _copied(config.get("events", {}))
        self.losses: dict[str, Loss] = _copied(config.get("losses", {}))
        self.cessions: dict[str, Cession] = _copied(config.get("cessions", {}))
        self.collections: dict[str, Collection] = _copied(config.get("collections", {}))
        self.now: str = config.get("now", "2026-08-04T14:00")
        self.counters: dict[str, int] = {
            "treaty": len(self.treaties),
            "layer": len(self.layers),
            "reinsurer": len(self.reinsurers),
            "share": len(self.shares),
            "event": len(self.events),
            "loss": len(self.losses),
            "cession": len(self.cessions),
            "collection": len(self.collections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._layers_by_treaty: dict[Any, dict[str, Layer]] = {}
        self._shares_by_layer: dict[Any, dict[str, Share]] = {}
        self._shares_by_layer_reinsurer: dict[Any, dict[str, Share]] = {}
        self._events_by_lower_name: dict[Any, dict[str, Event]] = {}
        self._events_by_name: dict[Any, dict[str, Event]] = {}
        self._losses_by_event: dict[Any, dict[str, Loss]] = {}
        self._losses_by_lower_number: dict[Any, dict[str, Loss]] = {}
        self._losses_by_number: dict[Any, dict[str, Loss]] = {}
        self._cessions_by_event: dict[Any, dict[str, Cession]] = {}
        self._cessions_by_event_layer: dict[Any, dict[str, Cession]] = {}
        self._cessions_by_layer: dict[Any, dict[str, Cession]] = {}
        self._collections_by_cession: dict[Any, dict[str, Collection]] = {}
        self._collections_by_cession_reinsurer: dict[Any, dict[str, Collection]] = {}
        for layer in self.layers.values():
            self._link("layers", layer)
        for share in self.shares.values():
            self._link("shares", share)
        for event in self.events.values():
            self._link("events", event)
        for loss in self.losses.values():
            self._link("losses", loss)
        for cession in self.cessions.values():
            self._link("cessions", cession)
        for collection in self.collections.values():
            self._link("collections", collection)

    def recovery_of(self, event_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The layers of an event's treaty with what it reaches there, what was ceded and what could be ceded now.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "layers": records}} or {"success": False, "error": why
                not}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        found = [l for l in self._layers_by_treaty.get(event["treaty_id"], {}).values()]
        found.sort(key=lambda l: (l["rank"], _age(l)))
        return _found(
            {
                "total": len(found),
                "layers": [
                    {
                        "id": l["id"],
                        "code": l["code"],
                        "rank": l["rank"],
                        "placed": self._layer_placed(l),
                        "reached": self._reached(event, l),
                        "ceded": self._ceded_of(event, l),
                        "could_cede": max(self._to_cede(event, l), l["capacity"] - l["capacity"]),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def owed_by(self, reinsurer_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a reinsurer still owes on cessions, the largest sum first.

        Args:
            reinsurer_id (str): Id of the reinsurer, such as REINSURER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cessions": records}} or {"success": False, "error": why
                not}
        """
        reinsurer = self.reinsurers.get(reinsurer_id)
        if reinsurer is None:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        found = [x for x in self.cessions.values() if self._owes(x, reinsurer) > 0]
        found.sort(key=lambda x: (-self._owes(x, reinsurer), x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "cessions": [
                    {
                        "id": x["id"],
                        "event": self.events[x["event_id"]]["name"],
                        "layer": self.layers[x["layer_id"]]["code"],
                        "owes": self._owes(x, reinsurer),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def open_capacity(
        self,
        treaty_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Layers that are not fully placed.

        Args:
            treaty_id (str, optional): Treaty whose layers are listed; an id such as TREATY-00001. If left out, the
                layers of all treaties are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "layers": records}} or {"success": False, "error": why
                not}
        """
        treaty = self.treaties.get(treaty_id) if treaty_id is not None else None
        if treaty_id is not None and treaty is None:
            return _refused(f"There is no treaty {treaty_id!r}.")
        found = [
            l
            for l in self.layers.values()
            if self._layer_placed(l) < 100
            and (treaty_id is None or l["treaty_id"] == treaty_id)
        ]
        found.sort(key=lambda l: (l["code"], _age(l)))
        return _found(
            {
                "total": len(found),
                "layers": [
                    {"id": l["id"], "code": l["code"], "missing": 100 - self._layer_placed(l)}
                    for l in _page(found, offset)
                ],
            }
        )

    def list_treaties(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treaties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only treaties whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treaties": records}}
        """
        found = [
            treaty
            for treaty in self.treaties.values()
            if (name is None or name.casefold() in treaty["name"].casefold())
        ]
        return _found({"total": len(found), "treaties": [{**treaty} for treaty in _page(found, offset)]})

    def list_layers(
        self,
        code: Text | None = None,
        treaty_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the layers, oldest first, all of them or only some.

        Args:
            code (str, optional): Only layers whose code contains this text.
            treaty_id (str, optional): Only layers of this treaty.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "layers": records}}
        """
        if treaty_id is not None and treaty_id not in self.treaties:
            return _refused(f"There is no treaty {treaty_id!r}.")
        found = [
            layer
            for layer in self.layers.values()
            if (code is None or code.casefold() in layer["code"].casefold())
            and (treaty_id is None or layer["treaty_id"] == treaty_id)
        ]
        shown = [self._show_layer(layer) for layer in _page(found, offset)]
        return _found({"total": len(found), "layers": shown}, self._names_of_layers(shown))

    def list_reinsurers(
        self,
        name: Text | None = None,
        rating: Literal["aa", "a", "bbb"] | None = None,
        suspended: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reinsurers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only reinsurers whose name contains this text.
            rating (str, optional): Only reinsurers with this rating.
            suspended (bool, optional): Only reinsurers that are suspended (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reinsurers": records}}
        """
        found = [
            reinsurer
            for reinsurer in self.reinsurers.values()
            if (name is None or name.casefold() in reinsurer["name"].casefold())
            and (rating is None or reinsurer["rating"] == rating)
            and (suspended is None or reinsurer["suspended"] == suspended)
        ]
        return _found({"total": len(found), "reinsurers": [{**reinsurer} for reinsurer in _page(found, offset)]})

    def list_shares(
        self,
        layer_id: str | None = None,
        reinsurer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shares, oldest first, all of them or only some.

        Args:
            layer_id (str, optional): Only shares of this layer.
            reinsurer_id (str, optional): Only shares of this reinsurer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shares": records}}
        """
        if layer_id is not None and layer_id not in self.layers:
            return _refused(f"There is no layer {layer_id!r}.")
        if reinsurer_id is not None and reinsurer_id not in self.reinsurers:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        found = [
            share
            for share in self.shares.values()
            if (layer_id is None or share["layer_id"] == layer_id)
            and (reinsurer_id is None or share["reinsurer_id"] == reinsurer_id)
        ]
        shown = [{**share} for share in _page(found, offset)]
        return _found({"total": len(found), "shares": shown}, self._names_of_shares(shown))

    def list_events(
        self,
        name: Text | None = None,
        treaty_id: str | None = None,
        begins_from: Date | None = None,
        begins_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the events, oldest first, all of them or only some.

        Args:
            name (str, optional): Only events whose name contains this text.
            treaty_id (str, optional): Only events of this treaty.
            begins_from (str, optional): Only events whose `begins` is on this day or later.
            begins_to (str, optional): Only events whose `begins` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}}
        """
        if treaty_id is not None and treaty_id not in self.treaties:
            return _refused(f"There is no treaty {treaty_id!r}.")
        found = [
            event
            for event in self.events.values()
            if (name is None or name.casefold() in event["name"].casefold())
            and (treaty_id is None or event["treaty_id"] == treaty_id)
            and (begins_from is None or event["begins"] >= begins_from)
            and (begins_to is None or event["begins"] <= begins_to)
        ]
        shown = [self._show_event(event) for event in _page(found, offset)]
        return _found({"total": len(found), "events": shown}, self._names_of_events(shown))

    def list_losses(
        self,
        number: Text | None = None,
        event_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the losses, oldest first, all of them or only some.

        Args:
            number (str, optional): Only losses whose number contains this text.
            event_id (str, optional): Only losses of this event.
            on_from (str, optional): Only losses whose `on` is on this day or later.
            on_to (str, optional): Only losses whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "losses": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        found = [
            loss
            for loss in self.losses.values()
            if (number is None or number.casefold() in loss["number"].casefold())
            and (event_id is None or loss["event_id"] == event_id)
            and (on_from is None or loss["on"] >= on_from)
            and (on_to is None or loss["on"] <= on_to)
        ]
        shown = [{**loss} for loss in _page(found, offset)]
        return _found({"total": len(found), "losses": shown}, self._names_of_losses(shown))

    def list_cessions(
        self,
        event_id: str | None = None,
        layer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cessions, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only cessions of this event.
            layer_id (str, optional): Only cessions of this layer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cessions": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        if layer_id is not None and layer_id not in self.layers:
            return _refused(f"There is no layer {layer_id!r}.")
        found = [
            cession
            for cession in self.cessions.values()
            if (event_id is None or cession["event_id"] == event_id)
            and (layer_id is None or cession["layer_id"] == layer_id)
        ]
        shown = [self._show_cession(cession) for cession in _page(found, offset)]
        return _found({"total": len(found), "cessions": shown}, self._names_of_cessions(shown))

    def list_collections(
        self,
        cession_id: str | None = None,
        reinsurer_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the collections, oldest first, all of them or only some.

        Args:
            cession_id (str, optional): Only collections of this cession.
            reinsurer_id (str, optional): Only collections of this reinsurer.
            on_from (str, optional): Only collections whose `on` is on this day or later.
            on_to (str, optional): Only collections whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "collections": records}}
        """
        if cession_id is not None and cession_id not in self.cessions:
            return _refused(f"There is no cession {cession_id!r}.")
        if reinsurer_id is not None and reinsurer_id not in self.reinsurers:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        found = [
            collection
            for collection in self.collections.values()
            if (cession_id is None or collection["cession_id"] == cession_id)
            and (reinsurer_id is None or collection["reinsurer_id"] == reinsurer_id)
            and (on_from is None or collection["on"] >= on_from)
            and (on_to is None or collection["on"] <= on_to)
        ]
        shown = [{**collection} for collection in _page(found, offset)]
        return _found({"total": len(found), "collections": shown}, self._names_of_collections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_event(self, name: Text, treaty_id: str, begins: Date) -> Result:
        """Open an event under a treaty, which gathers the losses of its window.

        Args:
            name (str): Name of the new event, not in use yet.
            treaty_id (str): Id of the treaty, such as TREATY-00001.
            begins (str): First day of its window, within the treaty and not in the future, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        treaty = self.treaties.get(treaty_id)
        if treaty is None:
            return _refused(f"There is no treaty {treaty_id!r}.")
        if self._events_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is an event {name} already.")
        if treaty["starts"] > begins or begins > treaty["ends"]:
            return _refused(f"{treaty['name']} runs from {treaty['starts']} to {treaty['ends']}.")
        if begins > self.now[:10]:
            return _refused(f"{begins} is in the future.")
        self._journal = []
        event: Event = {
            "id": self._new_id("event", "EVENT", self.events),
            "name": name,
            "treaty_id": treaty_id,
            "begins": begins,
            "closed_on": None,
        }
        self._add("events", event)
        if len(self._events_by_name.get(event["name"], {})) > 1:
            return self._take_back(f"There is already an event with the name {event['name']!r}.")
        if self._breaks_rule_10(event):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: open the event {name} (new: event {event['id']}).",
            "data": {"event_id": event["id"], **self._changes()},
        }

    def report_loss(
        self,
        event_id: str,
        number: Text,
        on: Date,
        gross: Annotated[int, {"minimum": 100000, "maximum": 900000000000}],
    ) -> Result:
        """Report a loss under an open event.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            number (str): Number of the new loss, not in use yet.
            on (str): Day of the loss, within the window of the event, as YYYY-MM-DD.
            gross (int): Whole amount of the loss, before reinsurance, in cents, from 100000 to 900000000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["closed_on"] is not None:
            return _refused(f"{event['name']} was closed on {event['closed_on']}.")
        if self._losses_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is a loss {number} already.")
        if not self._in_window(event, on):
            return _refused(
                f"{event['name']} gathers losses from {event['begins']} on for "
                f"{self.treaties[event['treaty_id']]['window_days']} days."
            )
        if on > self.now[:10]:
            return _refused(f"{on} is in the future.")
        self._journal = []
        loss: Loss = {
            "id": self._new_id("loss", "LOSS", self.losses),
            "number": number,
            "event_id": event_id,
            "on": on,
            "gross": gross,
        }
        self._add("losses", loss)
        if len(self._losses_by_number.get(loss["number"], {})) > 1:
            return self._take_back(f"There is already a loss with the number {loss['number']!r}.")
        for one_cession in _distinct(self._cessions_by_event.get(loss["event_id"], {}).values()):
            if self._breaks_rule_1_x_again(one_cession):
                return self._take_back(RULES[0])
        if self._breaks_rule_9(loss):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: report loss {number} under {event['name']} (new: loss {loss['id']}).",
            "data": {"loss_id": loss["id"], **self._changes()},
        }

    def revise_loss(self, loss_id: str, gross: Annotated[int, {"minimum": 0, "maximum": 900000000000}]) -> Result:
        """Revise the gross amount of a loss; it cannot fall below what was ceded.

        Args:
            loss_id (str): Id of the loss, such as LOSS-00001.
            gross (int): New whole amount of the loss, before reinsurance, in cents, from 0 to 900000000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loss = self.losses.get(loss_id)
        if loss is None:
            return _refused(f"There is no loss {loss_id!r}.")
        if self.events[loss["event_id"]]["closed_on"] is not None:
            return _refused(f"{self.events[loss['event_id']]['name']} is closed.")
        if gross == loss["gross"]:
            return _refused("That is the amount already.")
        fall = loss["gross"] - gross
        if any(
            x["amount"] > min(
                self._event_total(self.events[x["event_id"]]) - fall - self.layers[x["layer_id"]]["retention"],
                self.layers[x["layer_id"]]["capacity"],
            )
            for x in self._cessions_by_event.get(loss["event_id"], {}).values()
        ):
            return _refused(
                f"More has been ceded of {self.events[loss['event_id']]['name']} than would be reached then."
            )
        self._journal = []
        self._put("losses", loss, "gross", gross)
        for one_cession in _distinct(self._cessions_by_event.get(loss["event_id"], {}).values()):
            if self._breaks_rule_1_x_again(one_cession):
                return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: revise {loss['number']} to {_money(gross)}.",
            "data": self._changes(),
        }

    def move_loss(self, loss_id: str, event_id: str) -> Result:
        """Move a loss to another open event of the treaty whose window it lies in, as long as nothing of its event
        was ceded.

        Args:
            loss_id (str): Id of the loss, such as LOSS-00001.
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loss = self.losses.get(loss_id)
        if loss is None:
            return _refused(f"There is no loss {loss_id!r}.")
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if (
            event_id == loss["event_id"]
            or event["closed_on"] is not None
            or self.events[loss["event_id"]]["closed_on"] is not None
        ):
            return _refused("A loss moves from one open event to another.")
        if event["treaty_id"] != self.events[loss["event_id"]]["treaty_id"]:
            return _refused(f"{event['name']} is under {self.treaties[event['treaty_id']]['name']}.")
        if not self._in_window(event, loss["on"]):
            return _refused(f"The loss of {loss['on']} lies outside the window of {event['name']}.")
        if self._cessions_by_event.get(loss["event_id"], {}):
            return _refused(f"{self.events[loss['event_id']]['name']} has been ceded already.")
        self._journal = []
        former_event_id = loss["event_id"]
        self._put("losses", loss, "event_id", event_id)
        for one_cession in _distinct(
            [
                *self._cessions_by_event.get(loss["event_id"], {}).values(),
                *self._cessions_by_event.get(former_event_id, {}).values(),
            ]
        ):
            if self._breaks_rule_1_x_again(one_cession):
                return self._take_back(RULES[0])
        if self._breaks_rule_9(loss):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: move {loss['number']} to {event['name']}.",
            "data": self._changes(),
        }

    def cede_event(self, event_id: str, layer_id: str) -> Result:
        """Cede to a layer what an event reaches there and the layer can still give, after the layers below.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            layer_id (str): Id of the layer, such as LAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        layer = self.layers.get(layer_id)
        if layer is None:
            return _refused(f"There is no layer {layer_id!r}.")
        if event["closed_on"] is not None:
            return _refused(f"{event['name']} is closed.")
        if layer["treaty_id"] != event["treaty_id"]:
            return _refused(f"Layer {layer['code']} belongs to {self.treaties[layer['treaty_id']]['name']}.")
        if self._layer_placed(layer) != 100:
            return _refused(f"Layer {layer['code']} is placed to {self._layer_placed(layer)} percent only.")
        lower_one = min(
            (
                m
                for m in self._layers_by_treaty.get(layer["treaty_id"], {}).values()
                if m["rank"] < layer["rank"]
                and not self._cessions_by_event_layer.get((event_id, m["id"]), {})
            ),
            key=lambda m: (m["rank"], _age(m)),
            default=None,
        )
        if lower_one is not None:
            return _refused(f"Cede to layer {lower_one['code']} first.")
        if self._to_cede(event, layer) <= 0:
            return _refused(
                f"Nothing of {event['name']} is left to cede to {layer['code']}; it reaches "
                f"{_money(self._reached(event, layer))} there, and the layer can give "
                f"{_money(self._layer_available(layer))}."
            )
        self._journal = []
        added_cessions: list[Any] = []
        changed_cessions: list[Any] = []
        part = self._to_cede(event, layer)
        old = self._cession_of(event, layer)
        if old is None:
            cession = {
                "id": self._new_id("cession", "CESSION", self.cessions),
                "event_id": event_id,
                "layer_id": layer_id,
                "amount": part,
                "restored": 0,
                "extra_premium": 0,
            }
            self._add("cessions", cession)
            added_cessions.append(cession)
        else:
            changed_cessions.append(old)
            self._put("cessions", old, "amount", old["amount"] + part)
        for one_cession in _distinct(added_cessions):
            if self._breaks_rule_1_x(one_cession):
                return self._take_back(RULES[0])
        for one_cession in _distinct([*added_cessions, *changed_cessions]):
            if self._breaks_rule_1_x_again(one_cession):
                return self._take_back(RULES[0])
        for one_layer in _distinct(
            [
                *[self.layers[one["layer_id"]] for one in added_cessions],
                *[self.layers[one["layer_id"]] for one in changed_cessions],
            ]
        ):
            if self._breaks_rule_2(one_layer):
                return self._take_back(RULES[1])
        for one_cession in _distinct([*added_cessions, *changed_cessions]):
            if self._breaks_rule_3_x(one_cession):
                return self._take_back(RULES[2])
        for one_layer in _distinct([self.layers[one["layer_id"]] for one in added_cessions]):
            if self._breaks_rule_3_l(one_layer):
                return self._take_back(RULES[2])
        for one_cession in _distinct(added_cessions):
            if self._breaks_rule_5(one_cession):
                return self._take_back(RULES[4])
        for one_cession in _distinct(
            [
                *added_cessions,
                *[
                    user
                    for one in [self.events[one["event_id"]] for one in added_cessions]
                    for user in self._cessions_by_event.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_cession):
                return self._take_back(RULES[7])
        for one_collection in _distinct(
            [user for one in changed_cessions for user in self._collections_by_cession.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_collection):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cede {event['name']} to layer {layer['code']}.",
            "data": self._changes(),
        }

    def reinstate_layer(self, cession_id: str) -> Result:
        """Reinstate what a cession has used of a layer, for a premium in proportion.

        Args:
            cession_id (str): Id of the cession, such as CESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cession = self.cessions.get(cession_id)
        if cession is None:
            return _refused(f"There is no cession {cession_id!r}.")
        if cession["restored"] >= cession["amount"]:
            return _refused("All of it has been reinstated.")
        if self._to_restore(cession) <= 0:
            return _refused(f"The reinstatements of layer {self.layers[cession['layer_id']]['code']} are used up.")
        self._journal = []
        part = self._to_restore(cession)
        self._put(
            "cessions",
            cession,
            "extra_premium",
            cession["extra_premium"] + _rounded(
                self.layers[cession["layer_id"]]["premium"] * Fraction(
                    part,
                    self.layers[cession["layer_id"]]["capacity"],
                )
            ),
        )
        self._put("cessions", cession, "restored", cession["restored"] + part)
        if self._breaks_rule_2(self.layers[cession["layer_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_x(cession):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_l(self.layers[cession["layer_id"]]):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: reinstate layer {self.layers[cession['layer_id']]['code']} for "
                f"{self.events[cession['event_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def collect_share(
        self,
        cession_id: str,
        reinsurer_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 900000000000}],
    ) -> Result:
        """Note money of a reinsurer for its share of a cession.

        Args:
            cession_id (str): Id of the cession, such as CESSION-00001.
            reinsurer_id (str): Id of the reinsurer, such as REINSURER-00001.
            amount (int): Money that came in, no more than the reinsurer owes on the cession, in cents, from 1 to
                900000000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cession = self.cessions.get(cession_id)
        if cession is None:
            return _refused(f"There is no cession {cession_id!r}.")
        reinsurer = self.reinsurers.get(reinsurer_id)
        if reinsurer is None:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        if self._percent_of(self.layers[cession["layer_id"]], reinsurer) <= 0:
            return _refused(f"{reinsurer['name']} has no share of layer {self.layers[cession['layer_id']]['code']}.")
        if amount > self._owes(cession, reinsurer):
            return _refused(
                f"{reinsurer['name']} owes {_money(self._owes(cession, reinsurer))} for "
                f"{self.events[cession['event_id']]['name']} on {self.layers[cession['layer_id']]['code']}."
            )
        self._journal = []
        collection: Collection = {
            "id": self._new_id("collection", "COLLECTION", self.collections),
            "cession_id": cession_id,
            "reinsurer_id": reinsurer_id,
            "amount": amount,
            "on": self.now[:10],
        }
        self._add("collections", collection)
        for one_collection in _distinct(
            [collection, *self._collections_by_cession.get(collection["cession_id"], {}).values()]
        ):
            if self._breaks_rule_11(one_collection):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: collect {_money(amount)} of {reinsurer['name']} for "
                f"{self.events[cession['event_id']]['name']} (new: collection {collection['id']})."
            ),
            "data": {"collection_id": collection["id"], **self._changes()},
        }

    def write_share(
        self,
        layer_id: str,
        reinsurer_id: str,
        percent: Annotated[int, {"minimum": 1, "maximum": 60}],
    ) -> Result:
        """Let a reinsurer take a share of a layer that is not fully placed.

        Args:
            layer_id (str): Id of the layer, such as LAYER-00001.
            reinsurer_id (str): Id of the reinsurer, such as REINSURER-00001.
            percent (int): Share of the layer in percent, no more than is left to place, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        layer = self.layers.get(layer_id)
        if layer is None:
            return _refused(f"There is no layer {layer_id!r}.")
        reinsurer = self.reinsurers.get(reinsurer_id)
        if reinsurer is None:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        if reinsurer["suspended"]:
            return _refused(f"{reinsurer['name']} is suspended.")
        if self._percent_of(layer, reinsurer) != 0:
            return _refused(
                f"{reinsurer['name']} has {self._percent_of(layer, reinsurer)} percent of {layer['code']} already."
            )
        if self._layer_placed(layer) + percent > 100:
            return _refused(f"Layer {layer['code']} has {100 - self._layer_placed(layer)} percent left to place.")
        if percent > 40 and reinsurer["rating"] == "bbb":
            return _refused(f"{reinsurer['name']} may take up to 40 percent.")
        self._journal = []
        share: Share = {
            "id": self._new_id("share", "SHARE", self.shares),
            "layer_id": layer_id,
            "reinsurer_id": reinsurer_id,
            "percent": percent,
        }
        self._add("shares", share)
        if self._breaks_rule_4(self.layers[share["layer_id"]]):
            return self._take_back(RULES[3])
        for one_cession in _distinct(self._cessions_by_layer.get(share["layer_id"], {}).values()):
            if self._breaks_rule_5(one_cession):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(share):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(share):
            return self._take_back(RULES[6])
        for one_collection in _distinct(
            [
                user
                for one in self._cessions_by_layer.get(share["layer_id"], {}).values()
                for user in self._collections_by_cession.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_collection):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: let {reinsurer['name']} take {percent} percent of layer {layer['code']} (new: share "
                f"{share['id']})."
            ),
            "data": {"share_id": share["id"], **self._changes()},
        }

    def replace_reinsurer(self, share_id: str, reinsurer_id: str) -> Result:
        """Let another reinsurer take a share over, as long as no loss was ceded to the layer.

        Args:
            share_id (str): Id of the share, such as SHARE-00001.
            reinsurer_id (str): Id of the reinsurer, such as REINSURER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        share = self.shares.get(share_id)
        if share is None:
            return _refused(f"There is no share {share_id!r}.")
        reinsurer = self.reinsurers.get(reinsurer_id)
        if reinsurer is None:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        if reinsurer["suspended"]:
            return _refused(f"{reinsurer['name']} is suspended.")
        if self._percent_of(self.layers[share["layer_id"]], reinsurer) != 0:
            return _refused(f"{reinsurer['name']} has a share of {self.layers[share['layer_id']]['code']}.")
        if share["percent"] > 40 and reinsurer["rating"] == "bbb":
            return _refused(f"{reinsurer['name']} may take up to 40 percent.")
        if self._cessions_by_layer.get(share["layer_id"], {}):
            return _refused(
                f"Losses have been ceded to {self.layers[share['layer_id']]['code']}, and "
                f"{self.reinsurers[share['reinsurer_id']]['name']} owes its share of them."
            )
        done = f"replace {self.reinsurers[share['reinsurer_id']]['name']} by {reinsurer['name']} on layer {self.layers[share['layer_id']]['code']}"
        self._journal = []
        self._put("shares", share, "reinsurer_id", reinsurer_id)
        if self._breaks_rule_6(share):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(share):
            return self._take_back(RULES[6])
        for one_collection in _distinct(
            [
                user
                for one in self._cessions_by_layer.get(share["layer_id"], {}).values()
                for user in self._collections_by_cession.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_collection):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def suspend_reinsurer(self, reinsurer_id: str, suspended: bool) -> Result:
        """Suspend a reinsurer, so that it takes no new shares, or lift the suspension.

        Args:
            reinsurer_id (str): Id of the reinsurer, such as REINSURER-00001.
            suspended (bool): Whether the reinsurer is to be suspended, false lifting the suspension.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reinsurer = self.reinsurers.get(reinsurer_id)
        if reinsurer is None:
            return _refused(f"There is no reinsurer {reinsurer_id!r}.")
        if suspended == reinsurer["suspended"]:
            return _refused("That is how it is already.")
        self._journal = []
        self._put("reinsurers", reinsurer, "suspended", suspended)
        return {
            "success": True,
            "message": f"Done: change the suspension of {reinsurer['name']}.",
            "data": self._changes(),
        }

    def close_event(self, event_id: str) -> Result:
        """Close an event of which everything is ceded and collected but cents.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["closed_on"] is not None:
            return _refused(f"{event['name']} is closed.")
        open_layer = next(
            (
                l
                for l in sorted(self._layers_by_treaty.get(event["treaty_id"], {}).values(), key=_age)
                if self._to_cede(event, l) > 0
            ),
            None,
        )
        if open_layer is not None:
            return _refused(f"{event['name']} can still be ceded to layer {open_layer['code']}.")
        unpaid = next(
            (
                x
                for x in sorted(self._cessions_by_event.get(event_id, {}).values(), key=_age)
                if x["amount"] - self._cession_collected(x) >= 100
            ),
            None,
        )
        if unpaid is not None:
            return _refused(
                f"{_money(unpaid['amount'] - self._cession_collected(unpaid))} has not been collected on layer "
                f"{self.layers[unpaid['layer_id']]['code']}."
            )
        self._journal = []
        self._put("events", event, "closed_on", self.now[:10])
        return {"success": True, "message": f"Done: close {event['name']}.", "data": self._changes()}

    def _show_layer(self, layer: Layer) -> dict[str, Any]:
        """The layer as an answer shows it."""
        return {
            **layer,
            "placed": self._layer_placed(layer),
            "ceded": self._layer_ceded(layer),
            "restored": self._layer_restored(layer),
            "available": self._layer_available(layer),
        }

    def _show_event(self, event: Event) -> dict[str, Any]:
        """The event as an answer shows it."""
        return {**event, "total": self._event_total(event)}

    def _show_cession(self, cession: Cession) -> dict[str, Any]:
        """The cession as an answer shows it."""
        return {**cession, "collected": self._cession_collected(cession)}

    def _names_of_layers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that layers point to."""
        return _names((self.treaties, "name", [row["treaty_id"] for row in shown]))

    def _names_of_shares(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shares point to."""
        return _names(
            (self.layers, "code", [row["layer_id"] for row in shown]),
            (self.reinsurers, "name", [row["reinsurer_id"] for row in shown]),
        )

    def _names_of_events(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that events point to."""
        return _names((self.treaties, "name", [row["treaty_id"] for row in shown]))

    def _names_of_losses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that losses point to."""
        return _names((self.events, "name", [row["event_id"] for row in shown]))

    def _names_of_cessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cessions point to."""
        return _names(
            (self.events, "name", [row["event_id"] for row in shown]),
            (self.layers, "code", [row["layer_id"] for row in shown]),
        )

    def _names_of_collections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that collections point to."""
        return _names((self.reinsurers, "name", [row["reinsurer_id"] for row in shown]))

    def _layer_placed(self, layer: Layer) -> int:
        """The placed of a layer."""
        return sum(s["percent"] for s in self._shares_by_layer.get(layer["id"], {}).values())

    def _layer_ceded(self, layer: Layer) -> int:
        """The ceded of a layer."""
        return sum(x["amount"] for x in self._cessions_by_layer.get(layer["id"], {}).values())

    def _layer_restored(self, layer: Layer) -> int:
        """The restored of a layer."""
        return sum(x["restored"] for x in self._cessions_by_layer.get(layer["id"], {}).values())

    def _layer_available(self, layer: Layer) -> int:
        """The available of a layer."""
        return layer["capacity"] + self._layer_restored(layer) - self._layer_ceded(layer)

    def _event_total(self, event: Event) -> int:
        """The total of an event."""
        return sum(s["gross"] for s in self._losses_by_event.get(event["id"], {}).values())

    def _cession_collected(self, cession: Cession) -> int:
        """The collected of a cession."""
        return sum(k["amount"] for k in self._collections_by_cession.get(cession["id"], {}).values())

    def _reached(self, e: Event, l: Layer) -> int:
        return max(
            min(self._event_total(e) - l["retention"], l["capacity"]),
            self._event_total(e) - self._event_total(e),
        )

    def _cession_of(self, e: Event, l: Layer) -> Cession | None:
        return next(
            (x for x in sorted(self._cessions_by_event_layer.get((e["id"], l["id"]), {}).values(), key=_age)),
            None,
        )

    def _ceded_of(self, e: Event, l: Layer) -> int:
        return sum(x["amount"] for x in self._cessions_by_event_layer.get((e["id"], l["id"]), {}).values())

    def _to_cede(self, e: Event, l: Layer) -> int:
        return min(self._reached(e, l) - self._ceded_of(e, l), self._layer_available(l))

    def _to_restore(self, x: Cession) -> int:
        return min(
            x["amount"] - x["restored"],
            self.layers[x["layer_id"]]["capacity"] * self.layers[x["layer_id"]]["reinstatements"] - self._layer_restored(
                self.layers[x["layer_id"]]
            ),
        )

    def _percent_of(self, l: Layer, r: Reinsurer) -> int:
        return sum(s["percent"] for s in self._shares_by_layer_reinsurer.get((l["id"], r["id"]), {}).values())

    def _owes(self, x: Cession, r: Reinsurer) -> int:
        return (
            x["amount"] * self._percent_of(self.layers[x["layer_id"]], r) // 100
            - sum(k["amount"] for k in self._collections_by_cession_reinsurer.get((x["id"], r["id"]), {}).values())
        )

    def _in_window(self, e: Event, d: str) -> bool:
        return e["begins"] <= d and d < _plus_days(e["begins"], self.treaties[e["treaty_id"]]["window_days"])

    def _breaks_rule_1_x(self, x: Cession) -> bool:
        """Whether this is broken: an event is ceded once to a layer, and never beyond what it reaches there."""
        return any(
            other_x is not x
            for other_x in self._cessions_by_event_layer.get((x["event_id"], x["layer_id"]), {}).values()
        )

    def _breaks_rule_1_x_again(self, x: Cession) -> bool:
        """Whether this is broken: an event is ceded once to a layer, and never beyond what it reaches there."""
        return (
            x["amount"] > self._reached(self.events[x["event_id"]], self.layers[x["layer_id"]])
            or self.layers[x["layer_id"]]["treaty_id"] != self.events[x["event_id"]]["treaty_id"]
        )

    def _breaks_rule_2(self, l: Layer) -> bool:
        """Whether this is broken: a layer never gives more than its capacity and what was reinstated."""
        return self._layer_ceded(l) > l["capacity"] + self._layer_restored(l)

    def _breaks_rule_3_x(self, x: Cession) -> bool:
        """Whether this is broken: no more is reinstated than was ceded, nor than the reinstatements of the layer
        allow.
        """
        return x["restored"] > x["amount"]

    def _breaks_rule_3_l(self, l: Layer) -> bool:
        """Whether this is broken: no more is reinstated than was ceded, nor than the reinstatements of the layer
        allow.
        """
        return self._layer_restored(l) > l["capacity"] * l["reinstatements"]

    def _breaks_rule_4(self, l: Layer) -> bool:
        """Whether this is broken: a layer is never placed beyond a hundred percent."""
        return self._layer_placed(l) > 100

    def _breaks_rule_5(self, x: Cession) -> bool:
        """Whether this is broken: losses are ceded to layers that are fully placed."""
        return self._layer_placed(self.layers[x["layer_id"]]) != 100

    def _breaks_rule_6(self, s: Share) -> bool:
        """Whether this is broken: a reinsurer has one share of a layer."""
        return any(
            other_s is not s
            for other_s in self._shares_by_layer_reinsurer.get((s["layer_id"], s["reinsurer_id"]), {}).values()
        )

    def _breaks_rule_7(self, s: Share) -> bool:
        """Whether this is broken: a share of more than forty percent is held by an AA or A reinsurer only."""
        return s["percent"] > 40 and self.reinsurers[s["reinsurer_id"]]["rating"] == "bbb"

    def _breaks_rule_8(self, x: Cession) -> bool:
        """Whether this is broken: a higher layer is touched only when the ones below have been ceded to."""
        return not all(
            bool(self._cessions_by_event_layer.get((x["event_id"], m["id"]), {}))
            for m in self._layers_by_treaty.get(self.layers[x["layer_id"]]["treaty_id"], {}).values()
            if m["rank"] < self.layers[x["layer_id"]]["rank"]
        )

    def _breaks_rule_9(self, s: Loss) -> bool:
        """Whether this is broken: the losses of an event happened within its window."""
        return not self._in_window(self.events[s["event_id"]], s["on"])

    def _breaks_rule_10(self, e: Event) -> bool:
        """Whether this is broken: events lie within the period of their treaty."""
        return (
            self.treaties[e["treaty_id"]]["starts"] > e["begins"]
            or e["begins"] > self.treaties[e["treaty_id"]]["ends"]
        )

    def _breaks_rule_11(self, k: Collection) -> bool:
        """Whether this is broken: a reinsurer is asked for no more than its share."""
        return self._owes(self.cessions[k["cession_id"]], self.reinsurers[k["reinsurer_id"]]) < 0

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
            case "layers":
                self._layers_by_treaty.setdefault(record["treaty_id"], {})[record["id"]] = record
            case "shares":
                self._shares_by_layer.setdefault(record["layer_id"], {})[record["id"]] = record
                self._shares_by_layer_reinsurer.setdefault(
                    (record["layer_id"], record["reinsurer_id"]),
                    {},
                )[record["id"]] = record
            case "events":
                self._events_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._events_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "losses":
                self._losses_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._losses_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._losses_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "cessions":
                self._cessions_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._cessions_by_event_layer.setdefault(
                    (record["event_id"], record["layer_id"]),
                    {},
                )[record["id"]] = record
                self._cessions_by_layer.setdefault(record["layer_id"], {})[record["id"]] = record
            case "collections":
                self._collections_by_cession.setdefault(record["cession_id"], {})[record["id"]] = record
                self._collections_by_cession_reinsurer.setdefault(
                    (record["cession_id"], record["reinsurer_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "layers":
                del self._layers_by_treaty[record["treaty_id"]][record["id"]]
            case "shares":
                del self._shares_by_layer[record["layer_id"]][record["id"]]
                del self._shares_by_layer_reinsurer[record["layer_id"], record["reinsurer_id"]][record["id"]]
            case "events":
                del self._events_by_lower_name[record["name"].lower()][record["id"]]
                del self._events_by_name[record["name"]][record["id"]]
            case "losses":
                del self._losses_by_event[record["event_id"]][record["id"]]
                del self._losses_by_lower_number[record["number"].lower()][record["id"]]
                del self._losses_by_number[record["number"]][record["id"]]
            case "cessions":
                del self._cessions_by_event[record["event_id"]][record["id"]]
                del self._cessions_by_event_layer[record["event_id"], record["layer_id"]][record["id"]]
                del self._cessions_by_layer[record["layer_id"]][record["id"]]
            case "collections":
                del self._collections_by_cession[record["cession_id"]][record["id"]]
                del self._collections_by_cession_reinsurer[record["cession_id"], record["reinsurer_id"]][record["id"]]
