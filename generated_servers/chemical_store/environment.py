"""Chemical store. Compiled from blueprint.yaml; run `envscaler build chemical_store` after changing it there.

Runs the chemical store of an institute - hazard classes that may not meet in a cabinet, cabinets with a limit,
bottles that keep less long once opened, users who must be trained and drums for the waste.
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
    "A cabinet never holds more than its limit, counted by the size of the bottles.",
    "Hazards that must be kept apart never share a cabinet.",
    "What must be vented is in a vented cabinet.",
    "A bottle is in a cabinet, with a user or gone, and only one of these.",
    "A bottle never holds more than its size, and what was never opened is full.",
    "An empty bottle is gone.",
    "Whoever has a bottle has been trained for its hazard.",
    "A user has three bottles at most.",
    "A user has one record of training for a hazard.",
    "A drum is never fuller than its capacity, and there is one open drum for a hazard.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_bottle",
    "move_bottle",
    "take_bottle",
    "draw_from_bottle",
    "return_bottle",
    "pour_together",
    "discard_bottle",
    "change_drum",
    "train_user",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "hazards": ("name",),
    "substances": ("name",),
    "cabinets": ("label",),
    "users": ("name",),
    "trainings": (),
    "bottles": ("code",),
    "draws": (),
    "drums": ("label",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bottles", "cabinet_id"),
    ("bottles", "code"),
    ("bottles", "substance_id"),
    ("bottles", "user_id"),
    ("drums", "hazard_id"),
    ("drums", "label"),
    ("drums", "status"),
    ("trainings", "hazard_id"),
    ("trainings", "user_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Hazard(TypedDict):
    id: str
    name: str
    apart_from_ids: list[str]
    vented_only: bool


class Substance(TypedDict):
    id: str
    name: str
    hazard_id: str
    keeps_open: int


class Cabinet(TypedDict):
    id: str
    label: str
    vented: bool
    limit: int


class User(TypedDict):
    id: str
    name: str


class Training(TypedDict):
    id: str
    user_id: str
    hazard_id: str
    until: str


class Bottle(TypedDict):
    id: str
    code: str
    substance_id: str
    size: int
    left: int
    expires: str
    opened_on: str | None
    cabinet_id: str | None
    user_id: str | None
    gone_on: str | None


class Draw(TypedDict):
    id: str
    bottle_id: str
    user_id: str
    amount: int
    on: str


class Drum(TypedDict):
    id: str
    label: str
    hazard_id: str
    capacity: int
    filled: int
    status: Literal["open", "collected"]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class ChemicalStore:
    """Runs the chemical store of an institute - hazard classes that may not meet in a cabinet, cabinets
    with a limit, bottles that keep less long once opened, users who must be trained and drums for the
    waste.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.hazards: dict[str, Hazard] = _copied(config.get("hazards", {}))
        self.substances: dict[str, Substance] = _copied(config.get("substances", {}))
        self.cabinets: dict[str, Cabinet] = _copied(config.get("cabinets", {}))
        self.users: dict[str, User] = _copied(config.get("users", {}))
        self.trainings: dict[str, Training] = _copied(config.get("trainings", {}))
        self.bottles: dict[str, Bottle] = _copied(config.get("bottles", {}))
        self.draws: dict[str, Draw] = _copied(config.get("draws", {}))
        self.drums: dict[str, Drum] = _copied(config.get("drums", {}))
        self.now: str = config.get("now", "2026-09-14T08:50")
        self.counters: dict[str, int] = {
            "hazard": len(self.hazards),
            "substance": len(self.substances),
            "cabinet": len(self.cabinets),
            "user": len(self.users),
            "training": len(self.trainings),
            "bottle": len(self.bottles),
            "draw": len(self.draws),
            "drum": len(self.drums),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._trainings_by_hazard: dict[Any, dict[str, Training]] = {}
        self._trainings_by_user: dict[Any, dict[str, Training]] = {}
        self._trainings_by_user_hazard: dict[Any, dict[str, Training]] = {}
        self._bottles_by_cabinet: dict[Any, dict[str, Bottle]] = {}
        self._bottles_by_code: dict[Any, dict[str, Bottle]] = {}
        self._bottles_by_lower_code: dict[Any, dict[str, Bottle]] = {}
        self._bottles_by_substance: dict[Any, dict[str, Bottle]] = {}
        self._bottles_by_user: dict[Any, dict[str, Bottle]] = {}
        self._drums_by_hazard_status: dict[Any, dict[str, Drum]] = {}
        self._drums_by_label: dict[Any, dict[str, Drum]] = {}
        self._drums_by_lower_label: dict[Any, dict[str, Drum]] = {}
        for training in self.trainings.values():
            self._link("trainings", training)
        for bottle in self.bottles.values():
            self._link("bottles", bottle)
        for drum in self.drums.values():
            self._link("drums", drum)

    def cabinets_for(
        self,
        substance_id: str,
        size: Annotated[int, {"minimum": 50, "maximum": 5000}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Cabinets into which a bottle of a substance and size may go, the least space first.

        Args:
            substance_id (str): Id of the substance, such as SUBSTANCE-00001.
            size (int): Content of the full bottle, in millilitres, from 50 to 5000.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cabinets": records}} or {"success": False, "error": why
                not}
        """
        substance = self.substances.get(substance_id)
        if substance is None:
            return _refused(f"There is no substance {substance_id!r}.")
        found = [
            c
            for c in self.cabinets.values()
            if (
                self._cabinet_space(c) >= size
                and (c["vented"] or not self.hazards[substance["hazard_id"]]["vented_only"])
            )
            and self._foe_in(c, self.hazards[substance["hazard_id"]]) is None
        ]
        found.sort(key=lambda c: (self._cabinet_space(c), c["label"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cabinets": [
                    {"id": c["id"], "label": c["label"], "space": self._cabinet_space(c), "vented": c["vented"]}
                    for c in _page(found, offset)
                ],
            }
        )

    def expired_bottles(
        self,
        by_day: Date,
        hazard_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bottles that have expired by a day and are not gone, those that expired first on top.

        Args:
            by_day (str): Day by which the bottles have expired, their last day lying before it, as YYYY-MM-DD.
            hazard_id (str, optional): Hazard class of the substances; an id such as HAZARD-00001. If left out, the
                bottles of all hazard classes are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bottles": records}} or {"success": False, "error": why
                not}
        """
        hazard = self.hazards.get(hazard_id) if hazard_id is not None else None
        if hazard_id is not None and hazard is None:
            return _refused(f"There is no hazard {hazard_id!r}.")
        found = [
            b
            for b in self.bottles.values()
            if (not self._gone(b) and b["expires"] < by_day)
            and (hazard_id is None or self.substances[b["substance_id"]]["hazard_id"] == hazard_id)
        ]
        found.sort(key=lambda b: (b["expires"], b["code"], _age(b)))
        shown = [
            {
                "id": b["id"],
                "code": b["code"],
                "substance": self.substances[b["substance_id"]]["name"],
                "left": b["left"],
                "expires": b["expires"],
                "cabinet": b["cabinet_id"],
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "bottles": shown},
            _names((self.cabinets, "label", [row["cabinet"] for row in shown])),
        )

    def who_may_use(
        self,
        substance_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The users with valid training for a substance.

        Args:
            substance_id (str): Id of the substance, such as SUBSTANCE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "users": records}} or {"success": False, "error": why
                not}
        """
        substance = self.substances.get(substance_id)
        if substance is None:
            return _refused(f"There is no substance {substance_id!r}.")
        found = [
            u
            for u in _those(
                self.users,
                [t["user_id"] for t in self._trainings_by_hazard.get(substance["hazard_id"], {}).values()],
            )
            if self._trained(u, self.hazards[substance["hazard_id"]], self.now[:10])
        ]
        found.sort(key=lambda u: (u["name"], _age(u)))
        return _found(
            {
                "total": len(found),
                "users": [
                    {"id": u["id"], "name": u["name"], "holding": self._user_holding(u)}
                    for u in _page(found, offset)
                ],
            }
        )

    def list_hazards(
        self,
        name: Text | None = None,
        vented_only: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hazards, oldest first, all of them or only some.

        Args:
            name (str, optional): Only hazards whose name contains this text.
            vented_only (bool, optional): Only hazards with this value of `vented_only`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hazards": records}}
        """
        found = [
            hazard
            for hazard in self.hazards.values()
            if (name is None or name.casefold() in hazard["name"].casefold())
            and (vented_only is None or hazard["vented_only"] == vented_only)
        ]
        shown = [self._show_hazard(hazard) for hazard in _page(found, offset)]
        return _found({"total": len(found), "hazards": shown}, self._names_of_hazards(shown))

    def list_substances(
        self,
        name: Text | None = None,
        hazard_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the substances, oldest first, all of them or only some.

        Args:
            name (str, optional): Only substances whose name contains this text.
            hazard_id (str, optional): Only substances of this hazard.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "substances": records}}
        """
        if hazard_id is not None and hazard_id not in self.hazards:
            return _refused(f"There is no hazard {hazard_id!r}.")
        found = [
            substance
            for substance in self.substances.values()
            if (name is None or name.casefold() in substance["name"].casefold())
            and (hazard_id is None or substance["hazard_id"] == hazard_id)
        ]
        shown = [self._show_substance(substance) for substance in _page(found, offset)]
        return _found({"total": len(found), "substances": shown}, self._names_of_substances(shown))

    def list_cabinets(
        self,
        label: Text | None = None,
        vented: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cabinets, oldest first, all of them or only some.

        Args:
            label (str, optional): Only cabinets whose label contains this text.
            vented (bool, optional): Only cabinets that are vented (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cabinets": records}}
        """
        found = [
            cabinet
            for cabinet in self.cabinets.values()
            if (label is None or label.casefold() in cabinet["label"].casefold())
            and (vented is None or cabinet["vented"] == vented)
        ]
        return _found(
            {"total": len(found), "cabinets": [self._show_cabinet(cabinet) for cabinet in _page(found, offset)]}
        )

    def list_users(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the users, oldest first, all of them or only some.

        Args:
            name (str, optional): Only users whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "users": records}}
        """
        found = [user for user in self.users.values() if (name is None or name.casefold() in user["name"].casefold())]
        return _found({"total": len(found), "users": [self._show_user(user) for user in _page(found, offset)]})

    def list_trainings(
        self,
        user_id: str | None = None,
        hazard_id: str | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trainings, oldest first, all of them or only some.

        Args:
            user_id (str, optional): Only trainings of this user.
            hazard_id (str, optional): Only trainings of this hazard.
            until_from (str, optional): Only trainings whose `until` is on this day or later.
            until_to (str, optional): Only trainings whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trainings": records}}
        """
        if user_id is not None and user_id not in self.users:
            return _refused(f"There is no user {user_id!r}.")
        if hazard_id is not None and hazard_id not in self.hazards:
            return _refused(f"There is no hazard {hazard_id!r}.")
        found = [
            training
            for training in self.trainings.values()
            if (user_id is None or training["user_id"] == user_id)
            and (hazard_id is None or training["hazard_id"] == hazard_id)
            and (until_from is None or training["until"] >= until_from)
            and (until_to is None or training["until"] <= until_to)
        ]
        shown = [{**training} for training in _page(found, offset)]
        return _found({"total": len(found), "trainings": shown}, self._names_of_trainings(shown))

    def get_bottle(self, bottle_id: str) -> Result:
        """Look up one bottle by its id.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        shown = {**bottle}
        return _found(shown, self._names_of_bottles([shown]))

    def list_bottles(
        self,
        code: Text | None = None,
        substance_id: str | None = None,
        cabinet_id: str | None = None,
        user_id: str | None = None,
        expires_from: Date | None = None,
        expires_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bottles, oldest first, all of them or only some.

        Args:
            code (str, optional): Only bottles whose code contains this text.
            substance_id (str, optional): Only bottles of this substance.
            cabinet_id (str, optional): Only bottles of this cabinet.
            user_id (str, optional): Only bottles of this user.
            expires_from (str, optional): Only bottles whose `expires` is on this day or later.
            expires_to (str, optional): Only bottles whose `expires` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bottles": records}}
        """
        if substance_id is not None and substance_id not in self.substances:
            return _refused(f"There is no substance {substance_id!r}.")
        if cabinet_id is not None and cabinet_id not in self.cabinets:
            return _refused(f"There is no cabinet {cabinet_id!r}.")
        if user_id is not None and user_id not in self.users:
            return _refused(f"There is no user {user_id!r}.")
        found = [
            bottle
            for bottle in self.bottles.values()
            if (code is None or code.casefold() in bottle["code"].casefold())
            and (substance_id is None or bottle["substance_id"] == substance_id)
            and (cabinet_id is None or bottle["cabinet_id"] == cabinet_id)
            and (user_id is None or bottle["user_id"] == user_id)
            and (expires_from is None or bottle["expires"] >= expires_from)
            and (expires_to is None or bottle["expires"] <= expires_to)
        ]
        shown = [{**bottle} for bottle in _page(found, offset)]
        return _found({"total": len(found), "bottles": shown}, self._names_of_bottles(shown))

    def list_draws(
        self,
        bottle_id: str | None = None,
        user_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the draws, oldest first, all of them or only some.

        Args:
            bottle_id (str, optional): Only draws of this bottle.
            user_id (str, optional): Only draws of this user.
            on_from (str, optional): Only draws whose `on` is on this day or later.
            on_to (str, optional): Only draws whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "draws": records}}
        """
        if bottle_id is not None and bottle_id not in self.bottles:
            return _refused(f"There is no bottle {bottle_id!r}.")
        if user_id is not None and user_id not in self.users:
            return _refused(f"There is no user {user_id!r}.")
        found = [
            draw
            for draw in self.draws.values()
            if (bottle_id is None or draw["bottle_id"] == bottle_id)
            and (user_id is None or draw["user_id"] == user_id)
            and (on_from is None or draw["on"] >= on_from)
            and (on_to is None or draw["on"] <= on_to)
        ]
        shown = [{**draw} for draw in _page(found, offset)]
        return _found({"total": len(found), "draws": shown}, self._names_of_draws(shown))

    def list_drums(
        self,
        label: Text | None = None,
        hazard_id: str | None = None,
        status: Literal["open", "collected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drums, oldest first, all of them or only some.

        Args:
            label (str, optional): Only drums whose label contains this text.
            hazard_id (str, optional): Only drums of this hazard.
            status (str, optional): Only drums with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drums": records}}
        """
        if hazard_id is not None and hazard_id not in self.hazards:
            return _refused(f"There is no hazard {hazard_id!r}.")
        found = [
            drum
            for drum in self.drums.values()
            if (label is None or label.casefold() in drum["label"].casefold())
            and (hazard_id is None or drum["hazard_id"] == hazard_id)
            and (status is None or drum["status"] == status)
        ]
        shown = [{**drum} for drum in _page(found, offset)]
        return _found({"total": len(found), "drums": shown}, self._names_of_drums(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_bottle(
        self,
        code: Text,
        substance_id: str,
        size: Annotated[int, {"minimum": 50, "maximum": 5000}],
        expires: Date,
        cabinet_id: str,
    ) -> Result:
        """Receive a sealed bottle into a cabinet.

        Args:
            code (str): Code on the label of the new bottle, not given before.
            substance_id (str): Id of the substance, such as SUBSTANCE-00001.
            size (int): Content of the full bottle, in millilitres, from 50 to 5000.
            expires (str): Last day on which the sealed bottle is good, after today, as YYYY-MM-DD.
            cabinet_id (str): Id of the cabinet, such as CABINET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        substance = self.substances.get(substance_id)
        if substance is None:
            return _refused(f"There is no substance {substance_id!r}.")
        cabinet = self.cabinets.get(cabinet_id)
        if cabinet is None:
            return _refused(f"There is no cabinet {cabinet_id!r}.")
        if self._bottles_by_lower_code.get(code.lower(), {}):
            return _refused(f"The code {code} was given already.")
        if expires <= self.now[:10]:
            return _refused(f"It expired on {expires}, so send it back.")
        if not cabinet["vented"] and self.hazards[substance["hazard_id"]]["vented_only"]:
            return _refused(f"{substance['name']} needs a vented cabinet.")
        if self._cabinet_space(cabinet) < size:
            return _refused(
                f"Cabinet {cabinet['label']} has room for {self._cabinet_space(cabinet)} millilitres, not {size}."
            )
        foe = self._foe_in(cabinet, self.hazards[substance["hazard_id"]])
        if foe is not None:
            return _refused(
                f"{self.substances[foe['substance_id']]['name']} is in cabinet {cabinet['label']} and must be "
                "kept apart."
            )
        self._journal = []
        bottle: Bottle = {
            "id": self._new_id("bottle", "BOTTLE", self.bottles),
            "code": code,
            "substance_id": substance_id,
            "size": size,
            "left": size,
            "expires": expires,
            "opened_on": None,
            "cabinet_id": cabinet_id,
            "user_id": None,
            "gone_on": None,
        }
        self._add("bottles", bottle)
        if len(self._bottles_by_code.get(bottle["code"], {})) > 1:
            return self._take_back(f"There is already a bottle with the code {bottle['code']!r}.")
        for one_cabinet in _distinct([self.cabinets.get(bottle["cabinet_id"])]):
            if self._breaks_rule_1(one_cabinet):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bottle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bottle):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(bottle):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(bottle):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(bottle):
            return self._take_back(RULES[6])
        for one_user in _distinct([self.users.get(bottle["user_id"])]):
            if self._breaks_rule_8(one_user):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: receive {code} of {substance['name']} into cabinet {cabinet['label']} (new: bottle "
                f"{bottle['id']})."
            ),
            "data": {"bottle_id": bottle["id"], **self._changes()},
        }

    def move_bottle(self, bottle_id: str, cabinet_id: str) -> Result:
        """Move a bottle from one cabinet to another.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.
            cabinet_id (str): Id of the cabinet, such as CABINET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        cabinet = self.cabinets.get(cabinet_id)
        if cabinet is None:
            return _refused(f"There is no cabinet {cabinet_id!r}.")
        if bottle["cabinet_id"] is None or bottle["cabinet_id"] == cabinet_id:
            return _refused(f"{bottle['code']} is not in another cabinet.")
        if (
            not cabinet["vented"]
            and self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]]["vented_only"]
        ):
            return _refused(f"{self.substances[bottle['substance_id']]['name']} needs a vented cabinet.")
        if self._cabinet_space(cabinet) < bottle["size"]:
            return _refused(
                f"Cabinet {cabinet['label']} has room for {self._cabinet_space(cabinet)} millilitres, not "
                f"{bottle['size']}."
            )
        foe = self._foe_in(cabinet, self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]])
        if foe is not None:
            return _refused(
                f"{self.substances[foe['substance_id']]['name']} is in cabinet {cabinet['label']} and must be "
                "kept apart."
            )
        self._journal = []
        former_cabinet_id = bottle["cabinet_id"]
        self._put("bottles", bottle, "cabinet_id", cabinet_id)
        for one_cabinet in _distinct([self.cabinets.get(bottle["cabinet_id"]), self.cabinets.get(former_cabinet_id)]):
            if self._breaks_rule_1(one_cabinet):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bottle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bottle):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: move {bottle['code']} to cabinet {cabinet['label']}.",
            "data": self._changes(),
        }

    def take_bottle(self, bottle_id: str, user_id: str) -> Result:
        """Let a trained user take a bottle that has not expired.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.
            user_id (str): Id of the user, such as USER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        user = self.users.get(user_id)
        if user is None:
            return _refused(f"There is no user {user_id!r}.")
        if bottle["cabinet_id"] is None:
            return _refused(f"{bottle['code']} is not in a cabinet.")
        if bottle["expires"] < self.now[:10]:
            return _refused(f"{bottle['code']} expired on {bottle['expires']} and must be discarded.")
        if not self._trained(user, self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]], self.now[:10]):
            return _refused(
                f"{user['name']} has no valid training for "
                f"{self.hazards[self.substances[bottle['substance_id']]['hazard_id']]['name']}."
            )
        if self._user_holding(user) >= 3:
            return _refused(f"{user['name']} has three bottles already.")
        self._journal = []
        former_cabinet_id = bottle["cabinet_id"]
        self._put("bottles", bottle, "cabinet_id", None)
        former_user_id = bottle["user_id"]
        self._put("bottles", bottle, "user_id", user_id)
        for one_cabinet in _distinct([self.cabinets.get(bottle["cabinet_id"]), self.cabinets.get(former_cabinet_id)]):
            if self._breaks_rule_1(one_cabinet):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bottle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bottle):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(bottle):
            return self._take_back(RULES[6])
        for one_user in _distinct([self.users.get(bottle["user_id"]), self.users.get(former_user_id)]):
            if self._breaks_rule_8(one_user):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: give {bottle['code']} to {user['name']}.",
            "data": self._changes(),
        }

    def draw_from_bottle(self, bottle_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 5000}]) -> Result:
        """Record what a user who is still trained for it drew from the bottle they have; the first time opens it and
        shortens its life, an empty one is gone.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.
            amount (int): How much was drawn in millilitres, no more than is left, from 1 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        user = self.users.get(bottle["user_id"])
        if user is None:
            return _refused(f"{bottle['code']} is with nobody, so let somebody take it first.")
        if not self._trained(user, self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]], self.now[:10]):
            return _refused(
                f"{user['name']} has no valid training for "
                f"{self.hazards[self.substances[bottle['substance_id']]['hazard_id']]['name']} any more, so have "
                f"{bottle['code']} returned."
            )
        if bottle["expires"] < self.now[:10]:
            return _refused(f"{bottle['code']} expired on {bottle['expires']}.")
        if amount > bottle["left"]:
            return _refused(f"{bottle['code']} has {bottle['left']} millilitres left, not {amount}.")
        self._journal = []
        changed_bottles: list[Any] = []
        changed_bottles_2: list[Any] = []
        former_user_ids: list[Any] = []
        changed_bottles_3: list[Any] = []
        draw: Draw = {
            "id": self._new_id("draw", "DRAW", self.draws),
            "bottle_id": bottle_id,
            "user_id": user["id"],
            "amount": amount,
            "on": self.now[:10],
        }
        self._add("draws", draw)
        left = bottle["left"] - amount
        if not 0 <= left <= 5000:
            return self._take_back(f"The left of {bottle['code']} must be between 0 and 5000.")
        self._put("bottles", bottle, "left", left)
        if bottle["opened_on"] is None:
            changed_bottles.append(bottle)
            self._put("bottles", bottle, "opened_on", self.now[:10])
            self._put(
                "bottles",
                bottle,
                "expires",
                min(
                    bottle["expires"],
                    _plus_days(self.now[:10], self.substances[bottle["substance_id"]]["keeps_open"]),
                ),
            )
        if bottle["left"] == 0:
            changed_bottles_2.append(bottle)
            former_user_ids.append(bottle["user_id"])
            self._put("bottles", bottle, "user_id", None)
            changed_bottles_3.append(bottle)
            self._put("bottles", bottle, "gone_on", self.now[:10])
        for one_bottle in _distinct([*changed_bottles_2, *changed_bottles_3]):
            if self._breaks_rule_4(one_bottle):
                return self._take_back(RULES[3])
        for one_bottle in _distinct([bottle, *changed_bottles, *changed_bottles_3]):
            if self._breaks_rule_5(one_bottle):
                return self._take_back(RULES[4])
        for one_bottle in _distinct([bottle, *changed_bottles_3]):
            if self._breaks_rule_6(one_bottle):
                return self._take_back(RULES[5])
        for one_bottle in _distinct(changed_bottles_2):
            if self._breaks_rule_7(one_bottle):
                return self._take_back(RULES[6])
        for one_user in _distinct(
            [
                *[self.users.get(one["user_id"]) for one in changed_bottles_2],
                *[self.users.get(key) for key in former_user_ids],
            ]
        ):
            if self._breaks_rule_8(one_user):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: draw {amount} millilitres from {bottle['code']} (new: draw {draw['id']}).",
            "data": {"draw_id": draw["id"], **self._changes()},
        }

    def return_bottle(self, bottle_id: str, cabinet_id: str) -> Result:
        """Put a bottle that somebody has back into a cabinet.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.
            cabinet_id (str): Id of the cabinet, such as CABINET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        cabinet = self.cabinets.get(cabinet_id)
        if cabinet is None:
            return _refused(f"There is no cabinet {cabinet_id!r}.")
        if bottle["user_id"] is None:
            return _refused(f"{bottle['code']} is with nobody.")
        if (
            not cabinet["vented"]
            and self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]]["vented_only"]
        ):
            return _refused(f"{self.substances[bottle['substance_id']]['name']} needs a vented cabinet.")
        if self._cabinet_space(cabinet) < bottle["size"]:
            return _refused(
                f"Cabinet {cabinet['label']} has room for {self._cabinet_space(cabinet)} millilitres, not "
                f"{bottle['size']}."
            )
        foe = self._foe_in(cabinet, self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]])
        if foe is not None:
            return _refused(
                f"{self.substances[foe['substance_id']]['name']} is in cabinet {cabinet['label']} and must be "
                "kept apart."
            )
        self._journal = []
        former_user_id = bottle["user_id"]
        self._put("bottles", bottle, "user_id", None)
        former_cabinet_id = bottle["cabinet_id"]
        self._put("bottles", bottle, "cabinet_id", cabinet_id)
        for one_cabinet in _distinct([self.cabinets.get(bottle["cabinet_id"]), self.cabinets.get(former_cabinet_id)]):
            if self._breaks_rule_1(one_cabinet):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bottle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bottle):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(bottle):
            return self._take_back(RULES[6])
        for one_user in _distinct([self.users.get(bottle["user_id"]), self.users.get(former_user_id)]):
            if self._breaks_rule_8(one_user):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: put {bottle['code']} back into cabinet {cabinet['label']}.",
            "data": self._changes(),
        }

    def pour_together(self, bottle_id: str, into_id: str) -> Result:
        """Let the user who has them pour what is left of an opened bottle into another opened one of the same
        substance, which then expires when the older does.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.
            into_id (str): Opened bottle of the same substance that takes the rest; an id such as BOTTLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        into = self.bottles.get(into_id)
        if into is None:
            return _refused(f"There is no bottle {into_id!r}.")
        if bottle is into:
            return _refused("Name two bottles.")
        if bottle["substance_id"] != into["substance_id"]:
            return _refused(f"{bottle['code']} and {into['code']} hold different substances.")
        if bottle["opened_on"] is None or into["opened_on"] is None or self._gone(bottle) or self._gone(into):
            return _refused("Both must have been opened and not be gone.")
        if bottle["user_id"] is None or bottle["user_id"] != into["user_id"]:
            return _refused("One user must have both bottles to pour them together, so let somebody take them first.")
        if not self._trained(
            self.users[bottle["user_id"]],
            self.hazards[self.substances[bottle["substance_id"]]["hazard_id"]],
            self.now[:10],
        ):
            return _refused(
                f"{self.users[bottle['user_id']]['name']} has no valid training for "
                f"{self.hazards[self.substances[bottle['substance_id']]['hazard_id']]['name']} any more."
            )
        if bottle["expires"] < self.now[:10] or into["expires"] < self.now[:10]:
            return _refused("One of them has expired.")
        if into["left"] + bottle["left"] > into["size"]:
            return _refused(
                f"{into['code']} takes {into['size'] - into['left']} more millilitres, not {bottle['left']}."
            )
        self._journal = []
        left = into["left"] + bottle["left"]
        if not 0 <= left <= 5000:
            return self._take_back(f"The left of {into['code']} must be between 0 and 5000.")
        self._put("bottles", into, "left", left)
        self._put("bottles", into, "expires", min(into["expires"], bottle["expires"]))
        self._put("bottles", bottle, "left", 0)
        former_cabinet_id = bottle["cabinet_id"]
        self._put("bottles", bottle, "cabinet_id", None)
        former_user_id = bottle["user_id"]
        self._put("bottles", bottle, "user_id", None)
        self._put("bottles", bottle, "gone_on", self.now[:10])
        for one_cabinet in _distinct([self.cabinets.get(bottle["cabinet_id"]), self.cabinets.get(former_cabinet_id)]):
            if self._breaks_rule_1(one_cabinet):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bottle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bottle):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(into):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(bottle):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(into):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(bottle):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(bottle):
            return self._take_back(RULES[6])
        for one_user in _distinct([self.users.get(bottle["user_id"]), self.users.get(former_user_id)]):
            if self._breaks_rule_8(one_user):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: pour {bottle['code']} into {into['code']}.",
            "data": self._changes(),
        }

    def discard_bottle(self, bottle_id: str, drum_id: str) -> Result:
        """Discard a bottle, whose content goes into the open drum for its hazard.

        Args:
            bottle_id (str): Id of the bottle, such as BOTTLE-00001.
            drum_id (str): Id of the drum, such as DRUM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bottle = self.bottles.get(bottle_id)
        if bottle is None:
            return _refused(f"There is no bottle {bottle_id!r}.")
        drum = self.drums.get(drum_id)
        if drum is None:
            return _refused(f"There is no drum {drum_id!r}.")
        if bottle["gone_on"] is not None:
            return _refused(f"{bottle['code']} is gone since {bottle['gone_on']}.")
        if drum["hazard_id"] != self.substances[bottle["substance_id"]]["hazard_id"]:
            return _refused(f"Drum {drum['label']} is for {self.hazards[drum['hazard_id']]['name']}.")
        if drum["status"] != "open":
            return _refused(f"Drum {drum['label']} was collected.")
        if drum["filled"] + bottle["left"] > drum["capacity"]:
            return _refused(
                f"Drum {drum['label']} takes {drum['capacity'] - drum['filled']} more millilitres, not "
                f"{bottle['left']}, so have it collected."
            )
        self._journal = []
        filled = drum["filled"] + bottle["left"]
        if not 0 <= filled <= 60000:
            return self._take_back(f"The filled of {drum['label']} must be between 0 and 60000.")
        self._put("drums", drum, "filled", filled)
        self._put("bottles", bottle, "left", 0)
        former_cabinet_id = bottle["cabinet_id"]
        self._put("bottles", bottle, "cabinet_id", None)
        former_user_id = bottle["user_id"]
        self._put("bottles", bottle, "user_id", None)
        self._put("bottles", bottle, "gone_on", self.now[:10])
        for one_cabinet in _distinct([self.cabinets.get(bottle["cabinet_id"]), self.cabinets.get(former_cabinet_id)]):
            if self._breaks_rule_1(one_cabinet):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(bottle):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(bottle):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(bottle):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(bottle):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(bottle):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(bottle):
            return self._take_back(RULES[6])
        for one_user in _distinct([self.users.get(bottle["user_id"]), self.users.get(former_user_id)]):
            if self._breaks_rule_8(one_user):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_d(drum):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: discard {bottle['code']} into drum {drum['label']}.",
            "data": self._changes(),
        }

    def change_drum(
        self,
        drum_id: str,
        label: Text,
        capacity: Annotated[int, {"minimum": 1000, "maximum": 60000}],
    ) -> Result:
        """Have the open drum for a hazard collected and put an empty one in its place.

        Args:
            drum_id (str): Id of the drum, such as DRUM-00001.
            label (str): Label of the new empty drum, not in use yet.
            capacity (int): How much the new drum holds, in millilitres, from 1000 to 60000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drum = self.drums.get(drum_id)
        if drum is None:
            return _refused(f"There is no drum {drum_id!r}.")
        if drum["status"] != "open":
            return _refused(f"Drum {drum['label']} was collected already.")
        if drum["filled"] <= 0:
            return _refused(f"Drum {drum['label']} is empty.")
        if self._drums_by_lower_label.get(label.lower(), {}):
            return _refused(f"There is a drum {label} already.")
        done = f"exchange drum {drum['label']} for {label}"
        self._journal = []
        self._put("drums", drum, "status", "collected")
        new_drum: Drum = {
            "id": self._new_id("drum", "DRUM", self.drums),
            "label": label,
            "hazard_id": drum["hazard_id"],
            "capacity": capacity,
            "filled": 0,
            "status": "open",
        }
        self._add("drums", new_drum)
        if len(self._drums_by_label.get(new_drum["label"], {})) > 1:
            return self._take_back(f"There is already a drum with the label {new_drum['label']!r}.")
        if self._breaks_rule_10_d(new_drum):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_d_again(drum):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_d_again(new_drum):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: {done} (new: drum {new_drum['id']}).",
            "data": {"drum_id": new_drum["id"], **self._changes()},
        }

    def train_user(self, user_id: str, hazard_id: str, until: Date) -> Result:
        """Record that a user was trained for a hazard, or trained again.

        Args:
            user_id (str): Id of the user, such as USER-00001.
            hazard_id (str): Id of the hazard, such as HAZARD-00001.
            until (str): Last day on which the training is valid, within about three years, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        user = self.users.get(user_id)
        if user is None:
            return _refused(f"There is no user {user_id!r}.")
        hazard = self.hazards.get(hazard_id)
        if hazard is None:
            return _refused(f"There is no hazard {hazard_id!r}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 1100):
            return _refused(f"A training is good for three years at most, until {_plus_days(self.now[:10], 1100)}.")
        old = next(
            (t for t in sorted(self._trainings_by_user_hazard.get((user_id, hazard_id), {}).values(), key=_age)),
            None,
        )
        if old is not None and old["until"] >= until:
            return _refused(f"{user['name']} is trained until {old['until']} already.")
        self._journal = []
        added_trainings: list[Any] = []
        if old is not None:
            self._put("trainings", old, "until", until)
        else:
            training = {
                "id": self._new_id("training", "TRAINING", self.trainings),
                "user_id": user_id,
                "hazard_id": hazard_id,
                "until": until,
            }
            self._add("trainings", training)
            added_trainings.append(training)
        for one_bottle in _distinct(
            [
                user
                for one in [self.users[one["user_id"]] for one in added_trainings]
                for user in self._bottles_by_user.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7(one_bottle):
                return self._take_back(RULES[6])
        for one_training in _distinct(added_trainings):
            if self._breaks_rule_9(one_training):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record the training of {user['name']} for {hazard['name']} until {until}.",
            "data": self._changes(),
        }

    def _show_hazard(self, hazard: Hazard) -> dict[str, Any]:
        """The hazard as an answer shows it."""
        return {**hazard, "apart_from_ids": [*hazard["apart_from_ids"]]}

    def _show_substance(self, substance: Substance) -> dict[str, Any]:
        """The substance as an answer shows it."""
        return {**substance, "stock": self._substance_stock(substance)}

    def _show_cabinet(self, cabinet: Cabinet) -> dict[str, Any]:
        """The cabinet as an answer shows it."""
        return {**cabinet, "space": self._cabinet_space(cabinet)}

    def _show_user(self, user: User) -> dict[str, Any]:
        """The user as an answer shows it."""
        return {**user, "holding": self._user_holding(user)}

    def _names_of_hazards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that hazards point to."""
        return _names((self.hazards, "name", [each for row in shown for each in row["apart_from_ids"]]))

    def _names_of_substances(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that substances point to."""
        return _names((self.hazards, "name", [row["hazard_id"] for row in shown]))

    def _names_of_trainings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trainings point to."""
        return _names(
            (self.users, "name", [row["user_id"] for row in shown]),
            (self.hazards, "name", [row["hazard_id"] for row in shown]),
        )

    def _names_of_bottles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bottles point to."""
        return _names(
            (self.substances, "name", [row["substance_id"] for row in shown]),
            (self.cabinets, "label", [row["cabinet_id"] for row in shown]),
            (self.users, "name", [row["user_id"] for row in shown]),
        )

    def _names_of_draws(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that draws point to."""
        return _names(
            (self.bottles, "code", [row["bottle_id"] for row in shown]),
            (self.users, "name", [row["user_id"] for row in shown]),
        )

    def _names_of_drums(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that drums point to."""
        return _names((self.hazards, "name", [row["hazard_id"] for row in shown]))

    def _substance_stock(self, substance: Substance) -> int:
        """The stock of a substance."""
        return sum(
            b["left"]
            for b in self._bottles_by_substance.get(substance["id"], {}).values()
            if not self._gone(b)
        )

    def _cabinet_space(self, cabinet: Cabinet) -> int:
        """The space of a cabinet."""
        return cabinet["limit"] - sum(b["size"] for b in self._bottles_by_cabinet.get(cabinet["id"], {}).values())

    def _user_holding(self, user: User) -> int:
        """The holding of an user."""
        return len(self._bottles_by_user.get(user["id"], {}))

    def _gone(self, b: Bottle) -> bool:
        return b["gone_on"] is not None

    def _foes(self, g: Hazard, h: Hazard) -> bool:
        return g["id"] in h["apart_from_ids"] or h["id"] in g["apart_from_ids"]

    def _trained(self, u: User, h: Hazard, d: str) -> bool:
        return any(t["until"] >= d for t in self._trainings_by_user_hazard.get((u["id"], h["id"]), {}).values())

    def _foe_in(self, c: Cabinet, h: Hazard) -> Bottle | None:
        return next(
            (
                b
                for b in sorted(self._bottles_by_cabinet.get(c["id"], {}).values(), key=_age)
                if self._foes(self.hazards[self.substances[b["substance_id"]]["hazard_id"]], h)
            ),
            None,
        )

    def _takes(self, c: Cabinet, b: Bottle) -> bool:
        return (
            self._cabinet_space(c) >= b["size"]
            and (c["vented"] or not self.hazards[self.substances[b["substance_id"]]["hazard_id"]]["vented_only"])
            and self._foe_in(c, self.hazards[self.substances[b["substance_id"]]["hazard_id"]]) is None
        )

    def _breaks_rule_1(self, c: Cabinet) -> bool:
        """Whether this is broken: a cabinet never holds more than its limit, counted by the size of the bottles."""
        return self._cabinet_space(c) < 0

    def _breaks_rule_2_a(self, a: Bottle) -> bool:
        """Whether this is broken: hazards that must be kept apart never share a cabinet."""
        return (
            a["cabinet_id"] is not None
            and any(
                self._foes(
                    self.hazards[self.substances[a["substance_id"]]["hazard_id"]],
                    self.hazards[self.substances[b["substance_id"]]["hazard_id"]],
                )
                for b in self._bottles_by_cabinet.get(a["cabinet_id"], {}).values()
            )
        )

    def _breaks_rule_2_b(self, b: Bottle) -> bool:
        """Whether this is broken: hazards that must be kept apart never share a cabinet."""
        return any(
            self._foes(
                self.hazards[self.substances[a["substance_id"]]["hazard_id"]],
                self.hazards[self.substances[b["substance_id"]]["hazard_id"]],
            )
            for a in self._bottles_by_cabinet.get(b["cabinet_id"], {}).values()
            if a["cabinet_id"] is not None
        )

    def _breaks_rule_3(self, b: Bottle) -> bool:
        """Whether this is broken: what must be vented is in a vented cabinet."""
        return (
            b["cabinet_id"] is not None
            and not self.cabinets[b["cabinet_id"]]["vented"]
            and self.hazards[self.substances[b["substance_id"]]["hazard_id"]]["vented_only"]
        )

    def _breaks_rule_4(self, b: Bottle) -> bool:
        """Whether this is broken: a bottle is in a cabinet, with a user or gone, and only one of these."""
        return (
            (1 if b["cabinet_id"] is not None else 0)
            + (1 if b["user_id"] is not None else 0)
            + (1 if b["gone_on"] is not None else 0) != 1
        )

    def _breaks_rule_5(self, b: Bottle) -> bool:
        """Whether this is broken: a bottle never holds more than its size, and what was never opened is full."""
        return (
            not self._gone(b)
            and not (b["left"] <= b["size"] and (b["opened_on"] is not None or b["left"] == b["size"]))
        )

    def _breaks_rule_6(self, b: Bottle) -> bool:
        """Whether this is broken: an empty bottle is gone."""
        return not self._gone(b) and b["left"] <= 0

    def _breaks_rule_7(self, b: Bottle) -> bool:
        """Whether this is broken: whoever has a bottle has been trained for its hazard."""
        return not (
            b["user_id"] is None
            or any(
                t["hazard_id"] == self.substances[b["substance_id"]]["hazard_id"]
                for t in self._trainings_by_user.get(b["user_id"], {}).values()
            )
        )

    def _breaks_rule_8(self, u: User) -> bool:
        """Whether this is broken: a user has three bottles at most."""
        return self._user_holding(u) > 3

    def _breaks_rule_9(self, t: Training) -> bool:
        """Whether this is broken: a user has one record of training for a hazard."""
        return any(
            other_t is not t
            for other_t in self._trainings_by_user_hazard.get((t["user_id"], t["hazard_id"]), {}).values()
        )

    def _breaks_rule_10_d(self, d: Drum) -> bool:
        """Whether this is broken: a drum is never fuller than its capacity, and there is one open drum for a hazard.
        """
        return d["filled"] > d["capacity"]

    def _breaks_rule_10_d_again(self, d: Drum) -> bool:
        """Whether this is broken: a drum is never fuller than its capacity, and there is one open drum for a hazard.
        """
        return (
            d["status"] == "open"
            and any(
                other_d is not d
                for other_d in self._drums_by_hazard_status.get((d["hazard_id"], "open"), {}).values()
            )
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
            case "trainings":
                self._trainings_by_hazard.setdefault(record["hazard_id"], {})[record["id"]] = record
                self._trainings_by_user.setdefault(record["user_id"], {})[record["id"]] = record
                self._trainings_by_user_hazard.setdefault(
                    (record["user_id"], record["hazard_id"]),
                    {},
                )[record["id"]] = record
            case "bottles":
                self._bottles_by_cabinet.setdefault(record["cabinet_id"], {})[record["id"]] = record
                self._bottles_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._bottles_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
                self._bottles_by_substance.setdefault(record["substance_id"], {})[record["id"]] = record
                self._bottles_by_user.setdefault(record["user_id"], {})[record["id"]] = record
            case "drums":
                self._drums_by_hazard_status.setdefault(
                    (record["hazard_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._drums_by_label.setdefault(record["label"], {})[record["id"]] = record
                self._drums_by_lower_label.setdefault(record["label"].lower(), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "trainings":
                del self._trainings_by_hazard[record["hazard_id"]][record["id"]]
                del self._trainings_by_user[record["user_id"]][record["id"]]
                del self._trainings_by_user_hazard[record["user_id"], record["hazard_id"]][record["id"]]
            case "bottles":
                del self._bottles_by_cabinet[record["cabinet_id"]][record["id"]]
                del self._bottles_by_code[record["code"]][record["id"]]
                del self._bottles_by_lower_code[record["code"].lower()][record["id"]]
                del self._bottles_by_substance[record["substance_id"]][record["id"]]
                del self._bottles_by_user[record["user_id"]][record["id"]]
            case "drums":
                del self._drums_by_hazard_status[record["hazard_id"], record["status"]][record["id"]]
                del self._drums_by_label[record["label"]][record["id"]]
                del self._drums_by_lower_label[record["label"].lower()][record["id"]]
