"""Climbing gym. Compiled from blueprint.yaml; run `envscaler build climbing_gym` after changing it there.

Lets climbers into a gym on punch cards, pairs them with certified belayers and inspected ropes, keeps juniors
under supervision, and sets and strips the routes on its walls.
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
    "Nobody is inside twice.",
    "Children under 14 are inside under the supervision of somebody who is inside too.",
    "Nobody supervises more than four.",
    "A rope holds one climber at a time.",
    "People climb or belay in one pair at a time, and nobody belays themselves.",
    "Only people who are inside are roped up.",
    "Belayers hold a certificate for the wall, and on lead walls so do climbers.",
    "A rope in use has fewer than 60 climbs since its last inspection.",
    "People climb on ropes in use that hang on an open wall.",
    "A rope is at least twice as long as its wall is high, and bouldering walls have none.",
    "A line of a wall has one route of a colour.",
    "A wall has no more routes than its limit.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "let_in",
    "let_out",
    "hand_over",
    "sell_card",
    "certify",
    "rope_up",
    "unrope",
    "inspect_rope",
    "hang_rope",
    "set_route",
    "strip_route",
    "close_wall",
    "open_wall",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "walls": ("name",),
    "routes": (),
    "ropes": ("code",),
    "climbers": ("name",),
    "punch_cards": (),
    "visits": (),
    "pairings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("pairings", "belayer_id"),
    ("pairings", "climber_id"),
    ("pairings", "rope_id"),
    ("pairings", "status"),
    ("pairings", "wall_id"),
    ("routes", "colour"),
    ("routes", "status"),
    ("routes", "wall_id"),
    ("visits", "climber_id"),
    ("visits", "status"),
    ("visits", "supervisor_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Wall(TypedDict):
    id: str
    name: str
    kind: Literal["toprope", "lead", "boulder"]
    height: int
    most_routes: int
    closed_for: str | None


class Route(TypedDict):
    id: str
    wall_id: str
    line: int
    colour: Literal["red", "blue", "green", "yellow", "black", "white"]
    grade: int
    setter: str
    set_on: str
    status: Literal["up", "stripped"]


class Rope(TypedDict):
    id: str
    code: str
    metres: int
    wall_id: str | None
    uses: int
    checked_at: int
    status: Literal["in_use", "quarantined", "retired"]


class Climber(TypedDict):
    id: str
    name: str
    born: str
    certificate: Literal["toprope", "lead"] | None
    certified_until: str | None
    waiver_on: str | None


class PunchCard(TypedDict):
    id: str
    climber_id: str
    punches: int
    valid_until: str


class Visit(TypedDict):
    id: str
    climber_id: str
    came_on: str
    card_id: str | None
    supervisor_id: str | None
    status: Literal["inside", "left"]


class Pairing(TypedDict):
    id: str
    climber_id: str
    belayer_id: str
    rope_id: str
    wall_id: str
    roped_on: str
    climbs: int
    status: Literal["roped", "done"]


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class ClimbingGym:
    """Lets climbers into a gym on punch cards, pairs them with certified belayers and inspected ropes,
    keeps juniors under supervision, and sets and strips the routes on its walls.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.walls: dict[str, Wall] = _copied(config.get("walls", {}))
        self.routes: dict[str, Route] = _copied(config.get("routes", {}))
        self.ropes: dict[str, Rope] = _copied(config.get("ropes", {}))
        self.climbers: dict[str, Climber] = _copied(config.get("climbers", {}))
        self.punch_cards: dict[str, PunchCard] = _copied(config.get("punch_cards", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.pairings: dict[str, Pairing] = _copied(config.get("pairings", {}))
        self.now: str = config.get("now", "2026-05-20T17:30")
        self.counters: dict[str, int] = {
            "wall": len(self.walls),
            "route": len(self.routes),
            "rope": len(self.ropes),
            "climber": len(self.climbers),
            "punch_card": len(self.punch_cards),
            "visit": len(self.visits),
            "pairing": len(self.pairings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._routes_by_wall_colour_status: dict[Any, dict[str, Route]] = {}
        self._routes_by_wall_status: dict[Any, dict[str, Route]] = {}
        self._visits_by_climber: dict[Any, dict[str, Visit]] = {}
        self._visits_by_climber_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_supervisor_status: dict[Any, dict[str, Visit]] = {}
        self._pairings_by_belayer: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_belayer_status: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_climber: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_climber_status: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_rope: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_rope_status: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_status: dict[Any, dict[str, Pairing]] = {}
        self._pairings_by_wall_status: dict[Any, dict[str, Pairing]] = {}
        for route in self.routes.values():
            self._link("routes", route)
        for visit in self.visits.values():
            self._link("visits", visit)
        for pairing in self.pairings.values():
            self._link("pairings", pairing)

    def on_the_ropes(
        self,
        wall_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who climbs and who belays at the moment, on which rope and wall.

        Args:
            wall_id (str, optional): Wall whose roped pairs are listed; an id such as WALL-00001. If left out, the
                pairs on all walls are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pairings": records}} or {"success": False, "error": why
                not}
        """
        wall = self.walls.get(wall_id) if wall_id is not None else None
        if wall_id is not None and wall is None:
            return _refused(f"There is no wall {wall_id!r}.")
        found = [
            p
            for p in self._pairings_by_status.get("roped", {}).values()
            if (wall_id is None or p["wall_id"] == wall_id)
        ]
        found.sort(key=lambda p: (self.walls[p["wall_id"]]["name"], self.ropes[p["rope_id"]]["code"], _age(p)))
        return _found(
            {
                "total": len(found),
                "pairings": [
                    {
                        "id": p["id"],
                        "climber": self.climbers[p["climber_id"]]["name"],
                        "belayer": self.climbers[p["belayer_id"]]["name"],
                        "rope": self.ropes[p["rope_id"]]["code"],
                        "wall": self.walls[p["wall_id"]]["name"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def rope_log(
        self,
        wall_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Ropes that are not retired, those with the most climbs since their inspection first.

        Args:
            wall_id (str, optional): Wall whose ropes are listed; an id such as WALL-00001. If left out, the ropes
                of all walls and those in store are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ropes": records}} or {"success": False, "error": why
                not}
        """
        wall = self.walls.get(wall_id) if wall_id is not None else None
        if wall_id is not None and wall is None:
            return _refused(f"There is no wall {wall_id!r}.")
        found = [
            r
            for r in self.ropes.values()
            if r["status"] != "retired"
            and (wall_id is None or r["wall_id"] == wall_id)
        ]
        found.sort(key=lambda r: (-self._rope_since_check(r), r["code"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "code": r["code"],
                "wall": r["wall_id"],
                "status": r["status"],
                "uses": r["uses"],
                "since_check": self._rope_since_check(r),
                "taken": self._rope_taken(r),
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "ropes": shown},
            _names((self.walls, "name", [row["wall"] for row in shown])),
        )

    def list_walls(
        self,
        name: Text | None = None,
        kind: Literal["toprope", "lead", "boulder"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the walls, oldest first, all of them or only some.

        Args:
            name (str, optional): Only walls whose name contains this text.
            kind (str, optional): Only walls with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "walls": records}}
        """
        found = [
            wall
            for wall in self.walls.values()
            if (name is None or name.casefold() in wall["name"].casefold())
            and (kind is None or wall["kind"] == kind)
        ]
        return _found({"total": len(found), "walls": [self._show_wall(wall) for wall in _page(found, offset)]})

    def list_routes(
        self,
        wall_id: str | None = None,
        colour: Literal["red", "blue", "green", "yellow", "black", "white"] | None = None,
        status: Literal["up", "stripped"] | None = None,
        set_on_from: Date | None = None,
        set_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the routes, oldest first, all of them or only some.

        Args:
            wall_id (str, optional): Only routes of this wall.
            colour (str, optional): Only routes with this colour.
            status (str, optional): Only routes with this status.
            set_on_from (str, optional): Only routes whose `set_on` is on this day or later.
            set_on_to (str, optional): Only routes whose `set_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "routes": records}}
        """
        if wall_id is not None and wall_id not in self.walls:
            return _refused(f"There is no wall {wall_id!r}.")
        found = [
            route
            for route in self.routes.values()
            if (wall_id is None or route["wall_id"] == wall_id)
            and (colour is None or route["colour"] == colour)
            and (status is None or route["status"] == status)
            and (set_on_from is None or route["set_on"] >= set_on_from)
            and (set_on_to is None or route["set_on"] <= set_on_to)
        ]
        shown = [{**route} for route in _page(found, offset)]
        return _found({"total": len(found), "routes": shown}, self._names_of_routes(shown))

    def list_ropes(
        self,
        code: Text | None = None,
        wall_id: str | None = None,
        status: Literal["in_use", "quarantined", "retired"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ropes, oldest first, all of them or only some.

        Args:
            code (str, optional): Only ropes whose code contains this text.
            wall_id (str, optional): Only ropes of this wall.
            status (str, optional): Only ropes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ropes": records}}
        """
        if wall_id is not None and wall_id not in self.walls:
            return _refused(f"There is no wall {wall_id!r}.")
        found = [
            rope
            for rope in self.ropes.values()
            if (code is None or code.casefold() in rope["code"].casefold())
            and (wall_id is None or rope["wall_id"] == wall_id)
            and (status is None or rope["status"] == status)
        ]
        shown = [self._show_rope(rope) for rope in _page(found, offset)]
        return _found({"total": len(found), "ropes": shown}, self._names_of_ropes(shown))

    def list_climbers(
        self,
        name: Text | None = None,
        certificate: Literal["toprope", "lead"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the climbers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only climbers whose name contains this text.
            certificate (str, optional): Only climbers with this certificate.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "climbers": records}}
        """
        found = [
            climber
            for climber in self.climbers.values()
            if (name is None or name.casefold() in climber["name"].casefold())
            and (certificate is None or climber["certificate"] == certificate)
        ]
        return _found(
            {"total": len(found), "climbers": [self._show_climber(climber) for climber in _page(found, offset)]}
        )

    def list_punch_cards(
        self,
        climber_id: str | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the punch cards, oldest first, all of them or only some.

        Args:
            climber_id (str, optional): Only punch cards of this climber.
            valid_until_from (str, optional): Only punch cards whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only punch cards whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "punch_cards": records}}
        """
        if climber_id is not None and climber_id not in self.climbers:
            return _refused(f"There is no climber {climber_id!r}.")
        found = [
            punch_card
            for punch_card in self.punch_cards.values()
            if (climber_id is None or punch_card["climber_id"] == climber_id)
            and (valid_until_from is None or punch_card["valid_until"] >= valid_until_from)
            and (valid_until_to is None or punch_card["valid_until"] <= valid_until_to)
        ]
        shown = [{**punch_card} for punch_card in _page(found, offset)]
        return _found({"total": len(found), "punch_cards": shown}, self._names_of_punch_cards(shown))

    def list_visits(
        self,
        climber_id: str | None = None,
        card_id: str | None = None,
        supervisor_id: str | None = None,
        status: Literal["inside", "left"] | None = None,
        came_on_from: Date | None = None,
        came_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            climber_id (str, optional): Only visits of this climber.
            card_id (str, optional): Only visits whose card is this punch card.
            supervisor_id (str, optional): Only visits whose supervisor is this climber.
            status (str, optional): Only visits with this status.
            came_on_from (str, optional): Only visits whose `came_on` is on this day or later.
            came_on_to (str, optional): Only visits whose `came_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if climber_id is not None and climber_id not in self.climbers:
            return _refused(f"There is no climber {climber_id!r}.")
        if card_id is not None and card_id not in self.punch_cards:
            return _refused(f"There is no punch card {card_id!r}.")
        if supervisor_id is not None and supervisor_id not in self.climbers:
            return _refused(f"There is no climber {supervisor_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (climber_id is None or visit["climber_id"] == climber_id)
            and (card_id is None or visit["card_id"] == card_id)
            and (supervisor_id is None or visit["supervisor_id"] == supervisor_id)
            and (status is None or visit["status"] == status)
            and (came_on_from is None or visit["came_on"] >= came_on_from)
            and (came_on_to is None or visit["came_on"] <= came_on_to)
        ]
        shown = [{**visit} for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def list_pairings(
        self,
        climber_id: str | None = None,
        belayer_id: str | None = None,
        rope_id: str | None = None,
        wall_id: str | None = None,
        status: Literal["roped", "done"] | None = None,
        roped_on_from: Date | None = None,
        roped_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pairings, oldest first, all of them or only some.

        Args:
            climber_id (str, optional): Only pairings of this climber.
            belayer_id (str, optional): Only pairings whose belayer is this climber.
            rope_id (str, optional): Only pairings of this rope.
            wall_id (str, optional): Only pairings of this wall.
            status (str, optional): Only pairings with this status.
            roped_on_from (str, optional): Only pairings whose `roped_on` is on this day or later.
            roped_on_to (str, optional): Only pairings whose `roped_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pairings": records}}
        """
        if climber_id is not None and climber_id not in self.climbers:
            return _refused(f"There is no climber {climber_id!r}.")
        if belayer_id is not None and belayer_id not in self.climbers:
            return _refused(f"There is no climber {belayer_id!r}.")
        if rope_id is not None and rope_id not in self.ropes:
            return _refused(f"There is no rope {rope_id!r}.")
        if wall_id is not None and wall_id not in self.walls:
            return _refused(f"There is no wall {wall_id!r}.")
        found = [
            pairing
            for pairing in self.pairings.values()
            if (climber_id is None or pairing["climber_id"] == climber_id)
            and (belayer_id is None or pairing["belayer_id"] == belayer_id)
            and (rope_id is None or pairing["rope_id"] == rope_id)
            and (wall_id is None or pairing["wall_id"] == wall_id)
            and (status is None or pairing["status"] == status)
            and (roped_on_from is None or pairing["roped_on"] >= roped_on_from)
            and (roped_on_to is None or pairing["roped_on"] <= roped_on_to)
        ]
        shown = [{**pairing} for pairing in _page(found, offset)]
        return _found({"total": len(found), "pairings": shown}, self._names_of_pairings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def let_in(
        self,
        climber_id: str,
        card_id: str | None = None,
        supervisor_id: str | None = None,
        signs: bool = False,
    ) -> Result:
        """Let a climber in, on a punch of their card or on a single ticket; the first time they sign the waiver, and
        children need a supervisor.

        Args:
            climber_id (str): Id of the climber, such as CLIMBER-00001.
            card_id (str, optional): Valid punch card of the climber, which loses one punch; an id such as
                PC-00001. If left out, the climber enters on a single ticket.
            supervisor_id (str, optional): Adult inside who looks after the climber, needed for those under 14; an
                id such as CLIMBER-00001. If left out, the climber has no supervisor.
            signs (bool): Whether the climber signs the waiver now, which happens on the first visit only. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        climber = self.climbers.get(climber_id)
        if climber is None:
            return _refused(f"There is no climber {climber_id!r}.")
        card = self.punch_cards.get(card_id) if card_id is not None else None
        if card_id is not None and card is None:
            return _refused(f"There is no punch card {card_id!r}.")
        supervisor = self.climbers.get(supervisor_id) if supervisor_id is not None else None
        if supervisor_id is not None and supervisor is None:
            return _refused(f"There is no climber {supervisor_id!r}.")
        if self._is_inside(climber):
            return _refused(f"{climber['name']} is inside already.")
        if not (signs or climber["waiver_on"] is not None):
            return _refused(f"{climber['name']} has not signed the waiver, which a guardian does for those under 18.")
        if signs and climber["waiver_on"] is not None:
            return _refused(f"The waiver of {climber['name']} was signed on {climber['waiver_on']}.")
        if card_id is not None and card["climber_id"] != climber_id:
            return _refused(f"That card belongs to {self.climbers[card['climber_id']]['name']}.")
        if card_id is not None and card["punches"] <= 0:
            return _refused("That card has no punches left, so sell a new one.")
        if card_id is not None and card["valid_until"] < self.now[:10]:
            return _refused(f"That card was valid until {card['valid_until']}.")
        if self._junior(climber, self.now[:10]) and supervisor_id is None:
            return _refused(f"{climber['name']} is under 14 and needs a supervisor.")
        if not (supervisor_id is None or self._is_inside(supervisor)):
            return _refused(f"{supervisor['name']} is not inside.")
        if not (supervisor_id is None or self._may_supervise(supervisor, self.now[:10])):
            return _refused(
                f"{supervisor['name']} cannot supervise; that takes an adult with a valid certificate and fewer "
                f"than four in their care, and {supervisor['name']} has {self._charges(supervisor)}."
            )
        self._journal = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "climber_id": climber_id,
            "came_on": self.now[:10],
            "card_id": card_id,
            "supervisor_id": supervisor_id,
            "status": "inside",
        }
        self._add("visits", visit)
        if signs:
            self._put("climbers", climber, "waiver_on", self.now[:10])
        if card_id is not None:
            punches = card["punches"] - 1
            if not 0 <= punches <= 20:
                return self._take_back(f"The punches of {card['id']} must be between 0 and 20.")
            self._put("punch_cards", card, "punches", punches)
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        for one_visit in _distinct(
            [visit, *self._visits_by_supervisor_status.get((visit["climber_id"], "inside"), {}).values()]
        ):
            if self._breaks_rule_2_v_again(one_visit):
                return self._take_back(RULES[1])
        for one_climber in _distinct([self.climbers.get(visit["supervisor_id"])]):
            if self._breaks_rule_3(one_climber):
                return self._take_back(RULES[2])
        for one_pairing in _distinct(
            [
                *self._pairings_by_climber_status.get((visit["climber_id"], "roped"), {}).values(),
                *self._pairings_by_belayer_status.get((visit["climber_id"], "roped"), {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_pairing):
                return self._take_back(RULES[5])
        done = f"let {climber['name']} in"
        if supervisor is not None:
            done += f" under the supervision of {supervisor['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: visit {visit['id']}).",
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def let_out(self, climber_id: str) -> Result:
        """Note that a climber has left.

        Args:
            climber_id (str): Id of the climber, such as CLIMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        climber = self.climbers.get(climber_id)
        if climber is None:
            return _refused(f"There is no climber {climber_id!r}.")
        v = self._climber_visit(climber)
        if v is None:
            return _refused(f"{climber['name']} is not inside.")
        if self._pairing_of(climber) is not None:
            return _refused(f"{climber['name']} is roped up, so finish that first.")
        if self._charges(climber) != 0:
            return _refused(
                f"{climber['name']} supervises {self._charges(climber)} who are inside, so hand them over or let "
                "them out first."
            )
        self._journal = []
        self._put("visits", v, "status", "left")
        if self._breaks_rule_1(v):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(v):
            return self._take_back(RULES[1])
        for one_visit in _distinct(
            [v, *self._visits_by_supervisor_status.get((v["climber_id"], "inside"), {}).values()]
        ):
            if self._breaks_rule_2_v_again(one_visit):
                return self._take_back(RULES[1])
        for one_climber in _distinct([self.climbers.get(v["supervisor_id"])]):
            if self._breaks_rule_3(one_climber):
                return self._take_back(RULES[2])
        for one_pairing in _distinct(
            [
                *self._pairings_by_climber_status.get((v["climber_id"], "roped"), {}).values(),
                *self._pairings_by_belayer_status.get((v["climber_id"], "roped"), {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_pairing):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: let {climber['name']} out.", "data": self._changes()}

    def hand_over(self, climber_id: str, supervisor_id: str) -> Result:
        """Put somebody inside under another supervisor.

        Args:
            climber_id (str): Id of the climber, such as CLIMBER-00001.
            supervisor_id (str): Certified adult inside who looks after the climber from now on; an id such as
                CLIMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        climber = self.climbers.get(climber_id)
        if climber is None:
            return _refused(f"There is no climber {climber_id!r}.")
        supervisor = self.climbers.get(supervisor_id)
        if supervisor is None:
            return _refused(f"There is no climber {supervisor_id!r}.")
        v = self._climber_visit(climber)
        if v is None:
            return _refused(f"{climber['name']} is not inside.")
        if v["supervisor_id"] == supervisor_id:
            return _refused(f"{supervisor['name']} looks after {climber['name']} already.")
        if supervisor is climber:
            return _refused(f"{climber['name']} cannot supervise themselves.")
        if not self._is_inside(supervisor):
            return _refused(f"{supervisor['name']} is not inside.")
        if not self._may_supervise(supervisor, self.now[:10]):
            return _refused(
                f"{supervisor['name']} cannot supervise; that takes an adult with a valid certificate and fewer "
                f"than four in their care, and {supervisor['name']} has {self._charges(supervisor)}."
            )
        self._journal = []
        former_supervisor_id = v["supervisor_id"]
        self._put("visits", v, "supervisor_id", supervisor_id)
        if self._breaks_rule_2_v(v):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_v_again(v):
            return self._take_back(RULES[1])
        for one_climber in _distinct(
            [self.climbers.get(v["supervisor_id"]), self.climbers.get(former_supervisor_id)]
        ):
            if self._breaks_rule_3(one_climber):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: put {climber['name']} under the supervision of {supervisor['name']}.",
            "data": self._changes(),
        }

    def sell_card(self, climber_id: str, size: Literal["five", "ten", "twenty"]) -> Result:
        """Sell a climber a punch card, valid for a year.

        Args:
            climber_id (str): Id of the climber, such as CLIMBER-00001.
            size (str): Number of punches on the card: five, ten or twenty.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        climber = self.climbers.get(climber_id)
        if climber is None:
            return _refused(f"There is no climber {climber_id!r}.")
        self._journal = []
        punch_card: PunchCard = {
            "id": self._new_id("punch_card", "PC", self.punch_cards),
            "climber_id": climber_id,
            "punches": 5 if size == "five" else 10 if size == "ten" else 20,
            "valid_until": _add_months(self.now[:10], 12),
        }
        self._add("punch_cards", punch_card)
        return {
            "success": True,
            "message": f"Done: sell {climber['name']} a card of {size} (new: punch card {punch_card['id']}).",
            "data": {"punch_card_id": punch_card["id"], **self._changes()},
        }

    def certify(self, climber_id: str, certificate: Literal["toprope", "lead"], valid_until: Date) -> Result:
        """Record a belay certificate; lead is for those of 16 and over who have a toprope certificate.

        Args:
            climber_id (str): Id of the climber, such as CLIMBER-00001.
            certificate (str): Kind of belay certificate that the climber has earned: toprope or lead.
            valid_until (str): Last day on which the certificate is valid, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        climber = self.climbers.get(climber_id)
        if climber is None:
            return _refused(f"There is no climber {climber_id!r}.")
        if _years(climber["born"], self.now[:10]) < (16 if certificate == "lead" else 14):
            return _refused(
                f"{climber['name']} is {_years(climber['born'], self.now[:10])} and too young for {certificate}."
            )
        if certificate != "toprope" and climber["certificate"] is None:
            return _refused(f"{climber['name']} needs a toprope certificate first.")
        if climber["certificate"] == "lead" and certificate != "lead":
            return _refused(f"{climber['name']} has a lead certificate, which covers toprope.")
        if valid_until <= self.now[:10]:
            return _refused(f"A certificate until {valid_until} has run out.")
        self._journal = []
        self._put("climbers", climber, "certificate", certificate)
        self._put("climbers", climber, "certified_until", valid_until)
        for one_pairing in _distinct(
            [
                *self._pairings_by_belayer_status.get((climber["id"], "roped"), {}).values(),
                *self._pairings_by_climber_status.get((climber["id"], "roped"), {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_pairing):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: certify {climber['name']} for {certificate} until {valid_until}.",
            "data": self._changes(),
        }

    def rope_up(self, climber_id: str, belayer_id: str, rope_id: str) -> Result:
        """Pair a climber with a belayer on a rope of a wall.

        Args:
            climber_id (str): Id of the climber, such as CLIMBER-00001.
            belayer_id (str): Other climber inside who secures the rope, with a certificate for the wall; an id
                such as CLIMBER-00001.
            rope_id (str): Id of the rope, such as ROPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        climber = self.climbers.get(climber_id)
        if climber is None:
            return _refused(f"There is no climber {climber_id!r}.")
        belayer = self.climbers.get(belayer_id)
        if belayer is None:
            return _refused(f"There is no climber {belayer_id!r}.")
        rope = self.ropes.get(rope_id)
        if rope is None:
            return _refused(f"There is no rope {rope_id!r}.")
        if climber is belayer:
            return _refused("Nobody belays themselves.")
        if not self._is_inside(climber):
            return _refused(f"{climber['name']} is not inside.")
        if not self._is_inside(belayer):
            return _refused(f"{belayer['name']} is not inside.")
        if self._pairing_of(climber) is not None:
            return _refused(f"{climber['name']} is roped up already.")
        if self._pairing_of(belayer) is not None:
            return _refused(f"{belayer['name']} is roped up already.")
        if rope["wall_id"] is None:
            return _refused(f"{rope['code']} hangs on no wall.")
        if rope["status"] != "in_use":
            return _refused(f"{rope['code']} is {rope['status']}.")
        if self._rope_taken(rope):
            return _refused(f"Somebody climbs on {rope['code']}.")
        if self.walls[rope["wall_id"]]["closed_for"] is not None:
            return _refused(f"{self.walls[rope['wall_id']]['name']} is closed.")
        if not self._may_belay(belayer, self.walls[rope["wall_id"]], self.now[:10]):
            return _refused(f"{belayer['name']} has no valid certificate for {self.walls[rope['wall_id']]['kind']}.")
        if not (
            self.walls[rope["wall_id"]]["kind"] != "lead"
            or self._may_belay(climber, self.walls[rope["wall_id"]], self.now[:10])
        ):
            return _refused(
                f"{climber['name']} has no valid lead certificate and cannot lead on "
                f"{self.walls[rope['wall_id']]['name']}, so choose a toprope wall."
            )
        self._journal = []
        pairing: Pairing = {
            "id": self._new_id("pairing", "PAIRING", self.pairings),
            "climber_id": climber_id,
            "belayer_id": belayer_id,
            "rope_id": rope_id,
            "wall_id": rope["wall_id"],
            "roped_on": self.now[:10],
            "climbs": 0,
            "status": "roped",
        }
        self._add("pairings", pairing)
        if self._breaks_rule_4(pairing):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_c(self.climbers[pairing["climber_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c(self.climbers[pairing["belayer_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p(pairing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(pairing):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(pairing):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(pairing):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: let {climber['name']} climb on {rope['code']} with {belayer['name']} belaying (new: "
                f"pairing {pairing['id']})."
            ),
            "data": {"pairing_id": pairing["id"], **self._changes()},
        }

    def unrope(self, pairing_id: str, climbs: Annotated[int, {"minimum": 0, "maximum": 40}]) -> Result:
        """Finish a pairing and count its climbs on the rope; with 60 since the last inspection the rope is
        quarantined.

        Args:
            pairing_id (str): Id of the pairing, such as PAIRING-00001.
            climbs (int): How many climbs the pair did on the rope, from 0 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pairing = self.pairings.get(pairing_id)
        if pairing is None:
            return _refused(f"There is no pairing {pairing_id!r}.")
        if pairing["status"] != "roped":
            return _refused("That pairing is done.")
        self._journal = []
        changed_ropes: list[Any] = []
        self._put("pairings", pairing, "climbs", climbs)
        self._put("pairings", pairing, "status", "done")
        rope = self.ropes[pairing["rope_id"]]
        uses = self.ropes[pairing["rope_id"]]["uses"] + climbs
        if not 0 <= uses <= 2000:
            return self._take_back(f"The uses of {rope['code']} must be between 0 and 2000.")
        self._put("ropes", rope, "uses", uses)
        if self._rope_since_check(self.ropes[pairing["rope_id"]]) >= 60:
            its_rope = self.ropes[pairing["rope_id"]]
            if its_rope["status"] not in ("in_use", "quarantined"):
                return self._take_back(f"Rope {its_rope['code']} cannot go from {its_rope['status']} to quarantined.")
            changed_ropes.append(its_rope)
            self._put("ropes", its_rope, "status", "quarantined")
        if self._breaks_rule_4(pairing):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_c(self.climbers[pairing["climber_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c(self.climbers[pairing["belayer_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(pairing):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(pairing):
            return self._take_back(RULES[6])
        for one_rope in _distinct([rope, *changed_ropes]):
            if self._breaks_rule_8(one_rope):
                return self._take_back(RULES[7])
        for one_pairing in _distinct(
            [
                pairing,
                *[
                    user
                    for one in changed_ropes
                    for user in self._pairings_by_rope_status.get((one["id"], "roped"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_pairing):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: finish the pairing of {self.climbers[pairing['climber_id']]['name']} with {climbs} climbs."
            ),
            "data": self._changes(),
        }

    def inspect_rope(self, rope_id: str, sound: bool) -> Result:
        """Inspect a rope that nobody is on; a sound one goes back into use, another is retired.

        Args:
            rope_id (str): Id of the rope, such as ROPE-00001.
            sound (bool): Whether the rope passed the inspection rather than is retired.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rope = self.ropes.get(rope_id)
        if rope is None:
            return _refused(f"There is no rope {rope_id!r}.")
        if rope["status"] == "retired":
            return _refused(f"{rope['code']} is retired.")
        if self._rope_taken(rope):
            return _refused(f"Somebody climbs on {rope['code']}.")
        self._journal = []
        changed_ropes: list[Any] = []
        changed_ropes_2: list[Any] = []
        self._put("ropes", rope, "checked_at", rope["uses"])
        if sound:
            if rope["status"] == "quarantined":
                if rope["status"] not in ("in_use", "quarantined"):
                    return self._take_back(f"Rope {rope['code']} cannot go from {rope['status']} to in_use.")
                changed_ropes.append(rope)
                self._put("ropes", rope, "status", "in_use")
        else:
            changed_ropes.append(rope)
            self._put("ropes", rope, "status", "retired")
            changed_ropes_2.append(rope)
            self._put("ropes", rope, "wall_id", None)
        for one_rope in _distinct([rope, *changed_ropes]):
            if self._breaks_rule_8(one_rope):
                return self._take_back(RULES[7])
        for one_pairing in _distinct(
            [
                *[
                    user
                    for one in changed_ropes
                    for user in self._pairings_by_rope_status.get((one["id"], "roped"), {}).values()
                ],
                *[
                    user
                    for one in changed_ropes_2
                    for user in self._pairings_by_rope_status.get((one["id"], "roped"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_pairing):
                return self._take_back(RULES[8])
        for one_rope in _distinct(changed_ropes_2):
            if self._breaks_rule_10(one_rope):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: inspect {rope['code']}.", "data": self._changes()}

    def hang_rope(self, rope_id: str, wall_id: str) -> Result:
        """Hang a rope on another wall.

        Args:
            rope_id (str): Id of the rope, such as ROPE-00001.
            wall_id (str): Id of the wall, such as WALL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rope = self.ropes.get(rope_id)
        if rope is None:
            return _refused(f"There is no rope {rope_id!r}.")
        wall = self.walls.get(wall_id)
        if wall is None:
            return _refused(f"There is no wall {wall_id!r}.")
        if rope["status"] != "in_use":
            return _refused(f"{rope['code']} is {rope['status']}.")
        if rope["wall_id"] == wall_id:
            return _refused(f"{rope['code']} hangs on {wall['name']} already.")
        if self._rope_taken(rope):
            return _refused(f"Somebody climbs on {rope['code']}.")
        if wall["kind"] == "boulder":
            return _refused(f"{wall['name']} is for bouldering.")
        if rope["metres"] < 2 * wall["height"]:
            return _refused(
                f"{wall['name']} takes {2 * wall['height']} metres, and {rope['code']} has {rope['metres']}."
            )
        self._journal = []
        self._put("ropes", rope, "wall_id", wall_id)
        for one_pairing in _distinct(self._pairings_by_rope_status.get((rope["id"], "roped"), {}).values()):
            if self._breaks_rule_9(one_pairing):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(rope):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: hang {rope['code']} on {wall['name']}.", "data": self._changes()}

    def set_route(
        self,
        wall_id: str,
        line: Annotated[int, {"minimum": 1, "maximum": 12}],
        colour: Literal["red", "blue", "green", "yellow", "black", "white"],
        grade: Annotated[int, {"minimum": 3, "maximum": 9}],
        setter: Text,
    ) -> Result:
        """Set a new route on a line of a wall.

        Args:
            wall_id (str): Id of the wall, such as WALL-00001.
            line (int): Number of the line on the wall that the route follows, from 1 to 12.
            colour (str): Colour of the holds, one route of each colour on a line: red, blue, green, yellow, black
                or white.
            grade (int): Difficulty of the route, higher being harder, from 3 to 9.
            setter (str): Name of the person who set the route.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wall = self.walls.get(wall_id)
        if wall is None:
            return _refused(f"There is no wall {wall_id!r}.")
        if self._wall_routes(wall) >= wall["most_routes"]:
            return _refused(
                f"{wall['name']} has {self._wall_routes(wall)} routes, which is all it takes, so strip one first."
            )
        if self._pairings_by_wall_status.get((wall_id, "roped"), {}):
            return _refused(f"People are roped up on {wall['name']}, so wait until they are down.")
        if any(
            each["line"] == line
            for each in self._routes_by_wall_colour_status.get((wall_id, colour, "up"), {}).values()
        ):
            return _refused(f"Line {line} of {wall['name']} has a {colour} route.")
        self._journal = []
        route: Route = {
            "id": self._new_id("route", "ROUTE", self.routes),
            "wall_id": wall_id,
            "line": line,
            "colour": colour,
            "grade": grade,
            "setter": setter,
            "set_on": self.now[:10],
            "status": "up",
        }
        self._add("routes", route)
        if self._breaks_rule_11(route):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(self.walls[route["wall_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: set a {colour} route of grade {grade} on line {line} of {wall['name']} (new: route "
                f"{route['id']})."
            ),
            "data": {"route_id": route["id"], **self._changes()},
        }

    def strip_route(self, route_id: str) -> Result:
        """Strip a route off its wall.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        if route["status"] != "up":
            return _refused("That route is stripped.")
        if self._pairings_by_wall_status.get((route["wall_id"], "roped"), {}):
            return _refused(
                f"People are roped up on {self.walls[route['wall_id']]['name']}, so wait until they are down."
            )
        self._journal = []
        self._put("routes", route, "status", "stripped")
        if self._breaks_rule_11(route):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(self.walls[route["wall_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: strip the {route['colour']} route on line {route['line']} of "
                f"{self.walls[route['wall_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_wall(self, wall_id: str, reason: Text) -> Result:
        """Close a wall that nobody climbs on.

        Args:
            wall_id (str): Id of the wall, such as WALL-00001.
            reason (str): Why the wall is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wall = self.walls.get(wall_id)
        if wall is None:
            return _refused(f"There is no wall {wall_id!r}.")
        if wall["closed_for"] is not None:
            return _refused(f"{wall['name']} is closed.")
        p = next(
            (p for p in sorted(self._pairings_by_wall_status.get((wall_id, "roped"), {}).values(), key=_age)),
            None,
        )
        if p is not None:
            return _refused(f"{self.climbers[p['climber_id']]['name']} is roped up on {wall['name']}.")
        self._journal = []
        self._put("walls", wall, "closed_for", reason)
        for one_pairing in _distinct(self._pairings_by_wall_status.get((wall["id"], "roped"), {}).values()):
            if self._breaks_rule_9(one_pairing):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: close {wall['name']} with the reason {reason}.",
            "data": self._changes(),
        }

    def open_wall(self, wall_id: str) -> Result:
        """Open a closed wall again.

        Args:
            wall_id (str): Id of the wall, such as WALL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        wall = self.walls.get(wall_id)
        if wall is None:
            return _refused(f"There is no wall {wall_id!r}.")
        if wall["closed_for"] is None:
            return _refused(f"{wall['name']} is open.")
        self._journal = []
        self._put("walls", wall, "closed_for", None)
        for one_pairing in _distinct(self._pairings_by_wall_status.get((wall["id"], "roped"), {}).values()):
            if self._breaks_rule_9(one_pairing):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: open {wall['name']}.", "data": self._changes()}

    def _show_wall(self, wall: Wall) -> dict[str, Any]:
        """The wall as an answer shows it."""
        return {**wall, "routes": self._wall_routes(wall)}

    def _show_rope(self, rope: Rope) -> dict[str, Any]:
        """The rope as an answer shows it."""
        return {**rope, "since_check": self._rope_since_check(rope)}

    def _show_climber(self, climber: Climber) -> dict[str, Any]:
        """The climber as an answer shows it."""
        return {**climber, "visit_id": _id_of(self._climber_visit(climber))}

    def _names_of_routes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that routes point to."""
        return _names((self.walls, "name", [row["wall_id"] for row in shown]))

    def _names_of_ropes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that ropes point to."""
        return _names((self.walls, "name", [row["wall_id"] for row in shown]))

    def _names_of_punch_cards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that punch cards point to."""
        return _names((self.climbers, "name", [row["climber_id"] for row in shown]))

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names(
            (self.climbers, "name", [row["climber_id"] for row in shown]),
            (self.climbers, "name", [row["supervisor_id"] for row in shown]),
        )

    def _names_of_pairings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pairings point to."""
        return _names(
            (self.climbers, "name", [row["climber_id"] for row in shown]),
            (self.climbers, "name", [row["belayer_id"] for row in shown]),
            (self.ropes, "code", [row["rope_id"] for row in shown]),
            (self.walls, "name", [row["wall_id"] for row in shown]),
        )

    def _wall_routes(self, wall: Wall) -> int:
        """The routes of a wall."""
        return len(self._routes_by_wall_status.get((wall["id"], "up"), {}))

    def _rope_since_check(self, rope: Rope) -> int:
        """The since check of a rope."""
        return rope["uses"] - rope["checked_at"]

    def _climber_visit(self, climber: Climber) -> Visit | None:
        """The visit of a climber."""
        return next(
            (v for v in sorted(self._visits_by_climber_status.get((climber["id"], "inside"), {}).values(), key=_age)),
            None,
        )

    def _junior(self, c: Climber, d: str) -> bool:
        return _years(c["born"], d) < 14

    def _may_belay(self, c: Climber, w: Wall, d: str) -> bool:
        return (
            c["certified_until"] is not None
            and c["certified_until"] >= d
            and (c["certificate"] == "lead" or c["certificate"] == "toprope" and w["kind"] == "toprope")
        )

    def _charges(self, c: Climber) -> int:
        return len(self._visits_by_supervisor_status.get((c["id"], "inside"), {}))

    def _pairing_of(self, c: Climber) -> Pairing | None:
        return next(
            (
                p
                for p in sorted(
                    _distinct(
                        [
                            *self._pairings_by_climber.get(c["id"], {}).values(),
                            *self._pairings_by_belayer.get(c["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if p["status"] == "roped"
            ),
            None,
        )

    def _rope_taken(self, r: Rope) -> bool:
        return any(p["status"] == "roped" for p in self._pairings_by_rope.get(r["id"], {}).values())

    def _good_rope(self, r: Rope, w: Wall) -> bool:
        return r["wall_id"] == w["id"] and r["status"] == "in_use" and not self._rope_taken(r)

    def _may_supervise(self, c: Climber, d: str) -> bool:
        return (
            _years(c["born"], d) >= 18
            and c["certificate"] is not None
            and c["certified_until"] is not None
            and c["certified_until"] >= d
            and self._charges(c) < 4
        )

    def _is_inside(self, c: Climber) -> bool:
        return any(v["status"] == "inside" for v in self._visits_by_climber.get(c["id"], {}).values())

    def _breaks_rule_1(self, v: Visit) -> bool:
        """Whether this is broken: nobody is inside twice."""
        return (
            v["status"] == "inside"
            and any(
                other_v is not v
                for other_v in self._visits_by_climber_status.get((v["climber_id"], "inside"), {}).values()
            )
        )

    def _breaks_rule_2_v(self, v: Visit) -> bool:
        """Whether this is broken: children under 14 are inside under the supervision of somebody who is inside too.
        """
        return (
            v["status"] == "inside"
            and (self._junior(self.climbers[v["climber_id"]], v["came_on"]) and v["supervisor_id"] is None)
        )

    def _breaks_rule_2_v_again(self, v: Visit) -> bool:
        """Whether this is broken: children under 14 are inside under the supervision of somebody who is inside too.
        """
        return (
            v["status"] == "inside"
            and v["supervisor_id"] is not None
            and not self._is_inside(self.climbers[v["supervisor_id"]])
        )

    def _breaks_rule_3(self, c: Climber) -> bool:
        """Whether this is broken: nobody supervises more than four."""
        return self._charges(c) > 4

    def _breaks_rule_4(self, p: Pairing) -> bool:
        """Whether this is broken: a rope holds one climber at a time."""
        return (
            p["status"] == "roped"
            and any(
                other_p is not p
                for other_p in self._pairings_by_rope_status.get((p["rope_id"], "roped"), {}).values()
            )
        )

    def _breaks_rule_5_c(self, c: Climber) -> bool:
        """Whether this is broken: people climb or belay in one pair at a time, and nobody belays themselves."""
        return sum(
            1
            for p in _distinct(
                [
                    *self._pairings_by_climber.get(c["id"], {}).values(),
                    *self._pairings_by_belayer.get(c["id"], {}).values(),
                ]
            )
            if p["status"] == "roped"
        ) > 1

    def _breaks_rule_5_p(self, p: Pairing) -> bool:
        """Whether this is broken: people climb or belay in one pair at a time, and nobody belays themselves."""
        return p["climber_id"] == p["belayer_id"]

    def _breaks_rule_6(self, p: Pairing) -> bool:
        """Whether this is broken: only people who are inside are roped up."""
        return (
            p["status"] == "roped"
            and not (
                self._is_inside(self.climbers[p["climber_id"]])
                and self._is_inside(self.climbers[p["belayer_id"]])
            )
        )

    def _breaks_rule_7(self, p: Pairing) -> bool:
        """Whether this is broken: belayers hold a certificate for the wall, and on lead walls so do climbers."""
        return (
            p["status"] == "roped"
            and not (
                self._may_belay(self.climbers[p["belayer_id"]], self.walls[p["wall_id"]], p["roped_on"])
                and (
                    self.walls[p["wall_id"]]["kind"] != "lead"
                    or self._may_belay(self.climbers[p["climber_id"]], self.walls[p["wall_id"]], p["roped_on"])
                )
            )
        )

    def _breaks_rule_8(self, r: Rope) -> bool:
        """Whether this is broken: a rope in use has fewer than 60 climbs since its last inspection."""
        return r["status"] == "in_use" and self._rope_since_check(r) >= 60

    def _breaks_rule_9(self, p: Pairing) -> bool:
        """Whether this is broken: people climb on ropes in use that hang on an open wall."""
        return (
            p["status"] == "roped"
            and (
                self.ropes[p["rope_id"]]["status"] != "in_use"
                or self.ropes[p["rope_id"]]["wall_id"] != p["wall_id"]
                or self.walls[p["wall_id"]]["closed_for"] is not None
            )
        )

    def _breaks_rule_10(self, r: Rope) -> bool:
        """Whether this is broken: a rope is at least twice as long as its wall is high, and bouldering walls have
        none.
        """
        return (
            r["wall_id"] is not None
            and (
                self.walls[r["wall_id"]]["kind"] == "boulder"
                or r["metres"] < 2 * self.walls[r["wall_id"]]["height"]
            )
        )

    def _breaks_rule_11(self, r: Route) -> bool:
        """Whether this is broken: a line of a wall has one route of a colour."""
        return (
            r["status"] == "up"
            and any(
                other_r is not r
                for other_r in self._routes_by_wall_colour_status.get((r["wall_id"], r["colour"], "up"), {}).values()
                if other_r["line"] == r["line"]
            )
        )

    def _breaks_rule_12(self, w: Wall) -> bool:
        """Whether this is broken: a wall has no more routes than its limit."""
        return self._wall_routes(w) > w["most_routes"]

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
            case "routes":
                self._routes_by_wall_colour_status.setdefault(
                    (record["wall_id"], record["colour"], record["status"]),
                    {},
                )[record["id"]] = record
                self._routes_by_wall_status.setdefault((record["wall_id"], record["status"]), {})[record["id"]] = record
            case "visits":
                self._visits_by_climber.setdefault(record["climber_id"], {})[record["id"]] = record
                self._visits_by_climber_status.setdefault(
                    (record["climber_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._visits_by_supervisor_status.setdefault(
                    (record["supervisor_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "pairings":
                self._pairings_by_belayer.setdefault(record["belayer_id"], {})[record["id"]] = record
                self._pairings_by_belayer_status.setdefault(
                    (record["belayer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._pairings_by_climber.setdefault(record["climber_id"], {})[record["id"]] = record
                self._pairings_by_climber_status.setdefault(
                    (record["climber_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._pairings_by_rope.setdefault(record["rope_id"], {})[record["id"]] = record
                self._pairings_by_rope_status.setdefault((record["rope_id"], record["status"]), {})[record["id"]] = record
                self._pairings_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._pairings_by_wall_status.setdefault((record["wall_id"], record["status"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "routes":
                del self._routes_by_wall_colour_status[
                    record["wall_id"],
                    record["colour"],
                    record["status"],
                ][record["id"]]
                del self._routes_by_wall_status[record["wall_id"], record["status"]][record["id"]]
            case "visits":
                del self._visits_by_climber[record["climber_id"]][record["id"]]
                del self._visits_by_climber_status[record["climber_id"], record["status"]][record["id"]]
                del self._visits_by_supervisor_status[record["supervisor_id"], record["status"]][record["id"]]
            case "pairings":
                del self._pairings_by_belayer[record["belayer_id"]][record["id"]]
                del self._pairings_by_belayer_status[record["belayer_id"], record["status"]][record["id"]]
                del self._pairings_by_climber[record["climber_id"]][record["id"]]
                del self._pairings_by_climber_status[record["climber_id"], record["status"]][record["id"]]
                del self._pairings_by_rope[record["rope_id"]][record["id"]]
                del self._pairings_by_rope_status[record["rope_id"], record["status"]][record["id"]]
                del self._pairings_by_status[record["status"]][record["id"]]
                del self._pairings_by_wall_status[record["wall_id"], record["status"]][record["id"]]
