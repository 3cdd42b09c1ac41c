"""Football transfers. Compiled from blueprint.yaml; run `envscaler build football_transfers` after changing it there.

Keeps the contracts, bids, transfers and loans of the clubs of a football league, within transfer windows, squad
limits, wage caps and a quota of home-grown players.
"""

from __future__ import annotations

from calendar import monthrange
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
    "A player has one running contract.",
    "A player is on one loan at a time.",
    "A squad never exceeds its limit, loans included.",
    "A squad has no more players from elsewhere than the home-grown quota allows.",
    "A club stays within its wage cap.",
    "Players are lent by the club that has them under contract, to another one.",
    "Bids are alive only for players who are under contract with another club and not on loan.",
    "A club has one bid for a player on the table.",
    "At most one bid for a player is accepted.",
    "A club takes at most three players on loan.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "make_bid",
    "accept_bid",
    "reject_bid",
    "withdraw_bid",
    "complete_transfer",
    "sign_free_agent",
    "renew_contract",
    "release_player",
    "lend_player",
    "end_loan",
    "take_option",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "clubs": ("name",),
    "windows": ("name",),
    "players": ("name",),
    "contracts": (),
    "bids": (),
    "loans": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bids", "club_id"),
    ("bids", "player_id"),
    ("bids", "status"),
    ("contracts", "club_id"),
    ("contracts", "player_id"),
    ("contracts", "status"),
    ("loans", "borrower_id"),
    ("loans", "player_id"),
    ("loans", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Club(TypedDict):
    id: str
    name: str
    squad_limit: int
    most_others: int
    wage_cap: int
    cash: int


class Window(TypedDict):
    id: str
    name: str
    opens: str
    closes: str


class Player(TypedDict):
    id: str
    name: str
    born: str
    position: Literal["keeper", "defender", "midfielder", "striker"]
    home_grown: bool


class Contract(TypedDict):
    id: str
    player_id: str
    club_id: str
    wage: int
    runs_until: str
    release_clause: int | None
    status: Literal["running", "ended"]


class Bid(TypedDict):
    id: str
    club_id: str
    player_id: str
    fee: int
    made_on: str
    status: Literal["offered", "accepted", "rejected", "withdrawn", "completed"]


class Loan(TypedDict):
    id: str
    player_id: str
    owner_id: str
    borrower_id: str
    share: int
    runs_until: str
    option: int | None
    status: Literal["running", "returned", "bought"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class FootballTransfers:
    """Keeps the contracts, bids, transfers and loans of the clubs of a football league, within transfer
    windows, squad limits, wage caps and a quota of home-grown players.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.clubs: dict[str, Club] = _copied(config.get("clubs", {}))
        self.windows: dict[str, Window] = _copied(config.get("windows", {}))
        self.players: dict[str, Player] = _copied(config.get("players", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.bids: dict[str, Bid] = _copied(config.get("bids", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.now: str = config.get("now", "2026-07-20T10:00")
        self.counters: dict[str, int] = {
            "club": len(self.clubs),
            "window": len(self.windows),
            "player": len(self.players),
            "contract": len(self.contracts),
            "bid": len(self.bids),
            "loan": len(self.loans),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contracts_by_club_status: dict[Any, dict[str, Contract]] = {}
        self._contracts_by_player: dict[Any, dict[str, Contract]] = {}
        self._contracts_by_player_status: dict[Any, dict[str, Contract]] = {}
        self._bids_by_club_player: dict[Any, dict[str, Bid]] = {}
        self._bids_by_player: dict[Any, dict[str, Bid]] = {}
        self._bids_by_player_status: dict[Any, dict[str, Bid]] = {}
        self._loans_by_borrower_status: dict[Any, dict[str, Loan]] = {}
        self._loans_by_player: dict[Any, dict[str, Loan]] = {}
        self._loans_by_player_status: dict[Any, dict[str, Loan]] = {}
        for contract in self.contracts.values():
            self._link("contracts", contract)
        for bid in self.bids.values():
            self._link("bids", bid)
        for loan in self.loans.values():
            self._link("loans", loan)

    def squad_list(
        self,
        club_id: str,
        position: Literal["keeper", "defender", "midfielder", "striker"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The players at a club's disposal, loans included.

        Args:
            club_id (str): Id of the club, such as CLUB-00001.
            position (str, optional): Position of the players listed: keeper, defender, midfielder or striker. If
                left out, players in all positions are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}} or {"success": False, "error": why
                not}
        """
        club = self.clubs.get(club_id)
        if club is None:
            return _refused(f"There is no club {club_id!r}.")
        found = [
            p
            for p in self.players.values()
            if self._player_team(p) is club
            and (position is None or p["position"] == position)
        ]
        found.sort(key=lambda p: (p["position"], p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "players": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "born": p["born"],
                        "position": p["position"],
                        "home_grown": p["home_grown"],
                        "on_loan": self._player_loan(p) is not None,
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def bids_for(self, club_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Bids that are on the table for the players of a club, the highest first.

        Args:
            club_id (str): Id of the club, such as CLUB-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bids": records}} or {"success": False, "error": why
                not}
        """
        club = self.clubs.get(club_id)
        if club is None:
            return _refused(f"There is no club {club_id!r}.")
        found = [
            b
            for b in self.bids.values()
            if self._alive(b)
            and (
                self._player_contract(self.players[b["player_id"]]) is not None
                and self._player_contract(self.players[b["player_id"]])["club_id"] == club_id
            )
        ]
        found.sort(key=lambda b: (-b["fee"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bids": [
                    {
                        "id": b["id"],
                        "club": self.clubs[b["club_id"]]["name"],
                        "player": self.players[b["player_id"]]["name"],
                        "fee": b["fee"],
                        "status": b["status"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def free_agents(
        self,
        position: Literal["keeper", "defender", "midfielder", "striker"] | None = None,
        home_grown: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Players without a contract, the youngest first.

        Args:
            position (str, optional): Position of the players listed: keeper, defender, midfielder or striker. If
                left out, players in all positions are listed.
            home_grown (bool, optional): Whether home-grown players are listed rather than the others. If left out,
                both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self.players.values()
            if self._player_contract(p) is None
            and (position is None or p["position"] == position)
            and (home_grown is None or p["home_grown"] == home_grown)
        ]
        found.sort(key=lambda p: (_descending(p["born"]), p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "players": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "born": p["born"],
                        "position": p["position"],
                        "home_grown": p["home_grown"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def contracts_ending(
        self,
        before: Date,
        club_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Running contracts that end before a day, the first to end on top.

        Args:
            before (str): Day before which the contracts listed end, as YYYY-MM-DD.
            club_id (str, optional): Club whose contracts are listed; an id such as CLUB-00001. If left out, the
                contracts of all clubs are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}} or {"success": False, "error":
                why not}
        """
        club = self.clubs.get(club_id) if club_id is not None else None
        if club_id is not None and club is None:
            return _refused(f"There is no club {club_id!r}.")
        found = [
            k
            for k in self.contracts.values()
            if (k["status"] == "running" and k["runs_until"] < before)
            and (club_id is None or k["club_id"] == club_id)
        ]
        found.sort(key=lambda k: (k["runs_until"], self.players[k["player_id"]]["name"], _age(k)))
        return _found(
            {
                "total": len(found),
                "contracts": [
                    {
                        "id": k["id"],
                        "player": self.players[k["player_id"]]["name"],
                        "club": self.clubs[k["club_id"]]["name"],
                        "wage": k["wage"],
                        "runs_until": k["runs_until"],
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def list_clubs(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clubs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clubs whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clubs": records}}
        """
        found = [club for club in self.clubs.values() if (name is None or name.casefold() in club["name"].casefold())]
        return _found({"total": len(found), "clubs": [self._show_club(club) for club in _page(found, offset)]})

    def list_windows(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the windows, oldest first, all of them or only some.

        Args:
            name (str, optional): Only windows whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "windows": records}}
        """
        found = [
            window
            for window in self.windows.values()
            if (name is None or name.casefold() in window["name"].casefold())
        ]
        return _found({"total": len(found), "windows": [{**window} for window in _page(found, offset)]})

    def list_players(
        self,
        name: Text | None = None,
        position: Literal["keeper", "defender", "midfielder", "striker"] | None = None,
        home_grown: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the players, oldest first, all of them or only some.

        Args:
            name (str, optional): Only players whose name contains this text.
            position (str, optional): Only players with this position.
            home_grown (bool, optional): Only players with this value of `home_grown`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}}
        """
        found = [
            player
            for player in self.players.values()
            if (name is None or name.casefold() in player["name"].casefold())
            and (position is None or player["position"] == position)
            and (home_grown is None or player["home_grown"] == home_grown)
        ]
        shown = [self._show_player(player) for player in _page(found, offset)]
        return _found({"total": len(found), "players": shown}, self._names_of_players(shown))

    def list_contracts(
        self,
        player_id: str | None = None,
        club_id: str | None = None,
        status: Literal["running", "ended"] | None = None,
        runs_until_from: Date | None = None,
        runs_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            player_id (str, optional): Only contracts of this player.
            club_id (str, optional): Only contracts of this club.
            status (str, optional): Only contracts with this status.
            runs_until_from (str, optional): Only contracts whose `runs_until` is on this day or later.
            runs_until_to (str, optional): Only contracts whose `runs_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        if club_id is not None and club_id not in self.clubs:
            return _refused(f"There is no club {club_id!r}.")
        found = [
            contract
            for contract in self.contracts.values()
            if (player_id is None or contract["player_id"] == player_id)
            and (club_id is None or contract["club_id"] == club_id)
            and (status is None or contract["status"] == status)
            and (runs_until_from is None or contract["runs_until"] >= runs_until_from)
            and (runs_until_to is None or contract["runs_until"] <= runs_until_to)
        ]
        shown = [{**contract} for contract in _page(found, offset)]
        return _found({"total": len(found), "contracts": shown}, self._names_of_contracts(shown))

    def list_bids(
        self,
        club_id: str | None = None,
        player_id: str | None = None,
        status: Literal["offered", "accepted", "rejected", "withdrawn", "completed"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bids, oldest first, all of them or only some.

        Args:
            club_id (str, optional): Only bids of this club.
            player_id (str, optional): Only bids of this player.
            status (str, optional): Only bids with this status.
            made_on_from (str, optional): Only bids whose `made_on` is on this day or later.
            made_on_to (str, optional): Only bids whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bids": records}}
        """
        if club_id is not None and club_id not in self.clubs:
            return _refused(f"There is no club {club_id!r}.")
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            bid
            for bid in self.bids.values()
            if (club_id is None or bid["club_id"] == club_id)
            and (player_id is None or bid["player_id"] == player_id)
            and (status is None or bid["status"] == status)
            and (made_on_from is None or bid["made_on"] >= made_on_from)
            and (made_on_to is None or bid["made_on"] <= made_on_to)
        ]
        shown = [{**bid} for bid in _page(found, offset)]
        return _found({"total": len(found), "bids": shown}, self._names_of_bids(shown))

    def list_loans(
        self,
        player_id: str | None = None,
        owner_id: str | None = None,
        borrower_id: str | None = None,
        status: Literal["running", "returned", "bought"] | None = None,
        runs_until_from: Date | None = None,
        runs_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            player_id (str, optional): Only loans of this player.
            owner_id (str, optional): Only loans whose owner is this club.
            borrower_id (str, optional): Only loans whose borrower is this club.
            status (str, optional): Only loans with this status.
            runs_until_from (str, optional): Only loans whose `runs_until` is on this day or later.
            runs_until_to (str, optional): Only loans whose `runs_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        if owner_id is not None and owner_id not in self.clubs:
            return _refused(f"There is no club {owner_id!r}.")
        if borrower_id is not None and borrower_id not in self.clubs:
            return _refused(f"There is no club {borrower_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (player_id is None or loan["player_id"] == player_id)
            and (owner_id is None or loan["owner_id"] == owner_id)
            and (borrower_id is None or loan["borrower_id"] == borrower_id)
            and (status is None or loan["status"] == status)
            and (runs_until_from is None or loan["runs_until"] >= runs_until_from)
            and (runs_until_to is None or loan["runs_until"] <= runs_until_to)
        ]
        shown = [{**loan} for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def make_bid(
        self,
        club_id: str,
        player_id: str,
        fee: Annotated[int, {"minimum": 1000000, "maximum": 9000000000}],
    ) -> Result:
        """Bid for a player of another club while the window is open; a bid that reaches the release clause is
        accepted at once.

        Args:
            club_id (str): Id of the club, such as CLUB-00001.
            player_id (str): Id of the player, such as PLAYER-00001.
            fee (int): Transfer fee offered to the player's club, covered by the bidder's cash, in cents, from
                1000000 to 9000000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        club = self.clubs.get(club_id)
        if club is None:
            return _refused(f"There is no club {club_id!r}.")
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if not self._window_open(self.now[:10]):
            return _refused(f"No transfer window is open on {self.now[:10]}.")
        if self._player_contract(player) is None:
            return _refused(f"{player['name']} is a free agent and can simply be signed.")
        if self._player_contract(player)["club_id"] == club_id:
            return _refused(f"{player['name']} plays under contract for {club['name']} already.")
        if self._player_loan(player) is not None:
            return _refused(
                f"{player['name']} is on loan with {self.clubs[self._player_loan(player)['borrower_id']]['name']} "
                f"until {self._player_loan(player)['runs_until']}."
            )
        if any(self._alive(b) for b in self._bids_by_club_player.get((club_id, player_id), {}).values()):
            return _refused(f"{club['name']} has a bid for {player['name']} on the table, so withdraw that first.")
        if fee > club["cash"]:
            return _refused(f"{club['name']} has {_money(club['cash'])} in cash, not {_money(fee)}.")
        if self._bids_by_player_status.get((player_id, "accepted"), {}):
            return _refused(f"A bid for {player['name']} has been accepted already.")
        self._journal = []
        changed_bids: list[Any] = []
        bid: Bid = {
            "id": self._new_id("bid", "BID", self.bids),
            "club_id": club_id,
            "player_id": player_id,
            "fee": fee,
            "made_on": self.now[:10],
            "status": "offered",
        }
        self._add("bids", bid)
        if (
            self._player_contract(player) is not None
            and self._player_contract(player)["release_clause"] is not None
            and fee >= self._player_contract(player)["release_clause"]
        ):
            if bid["status"] not in ("offered", "accepted"):
                return self._take_back(f"Bid {bid['id']} cannot go from {bid['status']} to accepted.")
            changed_bids.append(bid)
            self._put("bids", bid, "status", "accepted")
        for one_bid in _distinct([bid, *changed_bids]):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        for one_bid in _distinct([bid, *changed_bids]):
            if self._breaks_rule_8(one_bid):
                return self._take_back(RULES[7])
        for one_bid in _distinct([bid, *changed_bids]):
            if self._breaks_rule_9(one_bid):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: bid {_money(fee)} for {player['name']} on behalf of {club['name']} (new: bid {bid['id']})."
            ),
            "data": {"bid_id": bid["id"], **self._changes()},
        }

    def accept_bid(self, bid_id: str) -> Result:
        """Accept a bid on behalf of the player's club.

        Args:
            bid_id (str): Id of the bid, such as BID-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bid = self.bids.get(bid_id)
        if bid is None:
            return _refused(f"There is no bid {bid_id!r}.")
        if bid["status"] != "offered":
            return _refused(f"The bid of {self.clubs[bid['club_id']]['name']} is {bid['status']}.")
        if self._bids_by_player_status.get((bid["player_id"], "accepted"), {}):
            return _refused(f"Another bid for {self.players[bid['player_id']]['name']} has been accepted.")
        self._journal = []
        self._put("bids", bid, "status", "accepted")
        if self._breaks_rule_7(bid):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(bid):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(bid):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: accept {_money(bid['fee'])} from {self.clubs[bid['club_id']]['name']} for "
                f"{self.players[bid['player_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def reject_bid(self, bid_id: str) -> Result:
        """Turn a bid down on behalf of the player's club.

        Args:
            bid_id (str): Id of the bid, such as BID-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bid = self.bids.get(bid_id)
        if bid is None:
            return _refused(f"There is no bid {bid_id!r}.")
        if bid["status"] != "offered":
            return _refused(f"The bid of {self.clubs[bid['club_id']]['name']} is {bid['status']}.")
        self._journal = []
        self._put("bids", bid, "status", "rejected")
        if self._breaks_rule_7(bid):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(bid):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(bid):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: reject {_money(bid['fee'])} from {self.clubs[bid['club_id']]['name']} for "
                f"{self.players[bid['player_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def withdraw_bid(self, bid_id: str) -> Result:
        """Withdraw a bid on behalf of the club that made it.

        Args:
            bid_id (str): Id of the bid, such as BID-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bid = self.bids.get(bid_id)
        if bid is None:
            return _refused(f"There is no bid {bid_id!r}.")
        if not self._alive(bid):
            return _refused(f"The bid of {self.clubs[bid['club_id']]['name']} is {bid['status']}.")
        self._journal = []
        if bid["status"] not in ("offered", "accepted", "withdrawn"):
            return self._take_back(f"Bid {bid['id']} cannot go from {bid['status']} to withdrawn.")
        self._put("bids", bid, "status", "withdrawn")
        if self._breaks_rule_7(bid):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(bid):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(bid):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: withdraw the bid of {self.clubs[bid['club_id']]['name']} for "
                f"{self.players[bid['player_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def complete_transfer(
        self,
        bid_id: str,
        wage: Annotated[int, {"minimum": 10000, "maximum": 9000000}],
        runs_until: Date,
        release_clause: Annotated[int, {"minimum": 100000, "maximum": 90000000000}] | None = None,
    ) -> Result:
        """Complete an accepted bid with a new contract; the fee is paid and all other bids for the player fall.

        Args:
            bid_id (str): Id of the bid, such as BID-00001.
            wage (int): Weekly wage of the player at the new club, in cents, from 10000 to 9000000.
            runs_until (str): Last day of the new contract, five months ahead at least, as YYYY-MM-DD.
            release_clause (int, optional): Fee at which a later bid is accepted at once, in cents, from 100000 to
                90000000000. If left out, the contract has no release clause.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bid = self.bids.get(bid_id)
        if bid is None:
            return _refused(f"There is no bid {bid_id!r}.")
        if bid["status"] != "accepted":
            return _refused(f"The bid of {self.clubs[bid['club_id']]['name']} is {bid['status']}.")
        if not self._window_open(self.now[:10]):
            return _refused(f"No transfer window is open on {self.now[:10]}.")
        if runs_until < _plus_days(self.now[:10], 150):
            return _refused("A contract runs for five months at least.")
        player = self.players[bid["player_id"]]
        if runs_until > self._longest(player):
            return _refused(
                f"{player['name']} may sign until {self._longest(player)} at the longest; that is five years, or "
                "three for those under 18."
            )
        if self._player_contract(player) is None:
            return _refused(f"{player['name']} has no contract any more.")
        if bid["fee"] > self.clubs[bid["club_id"]]["cash"]:
            return _refused(
                f"{self.clubs[bid['club_id']]['name']} has {_money(self.clubs[bid['club_id']]['cash'])} in cash, "
                f"not {_money(bid['fee'])}."
            )
        if self._club_squad(self.clubs[bid["club_id"]]) >= self.clubs[bid["club_id"]]["squad_limit"]:
            return _refused(
                f"The squad of {self.clubs[bid['club_id']]['name']} is full with "
                f"{self._club_squad(self.clubs[bid['club_id']])} players."
            )
        if (
            not player["home_grown"]
            and self._club_others(self.clubs[bid["club_id"]]) >= self.clubs[bid["club_id"]]["most_others"]
        ):
            return _refused(
                f"{self.clubs[bid['club_id']]['name']} has {self._club_others(self.clubs[bid['club_id']])} "
                "players from elsewhere, which is all that the quota allows."
            )
        if self._club_wages(self.clubs[bid["club_id"]]) + wage > self.clubs[bid["club_id"]]["wage_cap"]:
            return _refused(
                f"{self.clubs[bid['club_id']]['name']} has "
                f"{_money(self._club_wage_room(self.clubs[bid['club_id']]))} left under its wage cap."
            )
        self._journal = []
        changed_bids: list[Any] = []
        old = self._player_contract(player)
        club = self.clubs[old["club_id"]]
        cash = self.clubs[old["club_id"]]["cash"] + bid["fee"]
        if not 0 <= cash <= 90000000000:
            return self._take_back(f"The cash of {club['name']} must be between 0.00 and 900,000,000.00.")
        self._put("clubs", club, "cash", cash)
        self._put("contracts", old, "status", "ended")
        its_club = self.clubs[bid["club_id"]]
        new_cash = self.clubs[bid["club_id"]]["cash"] - bid["fee"]
        if not 0 <= new_cash <= 90000000000:
            return self._take_back(f"The cash of {its_club['name']} must be between 0.00 and 900,000,000.00.")
        self._put("clubs", its_club, "cash", new_cash)
        self._put("bids", bid, "status", "completed")
        for b in [
            b
            for b in sorted(self._bids_by_player.get(player["id"], {}).values(), key=_age)
            if b is not bid
            and self._alive(b)
        ]:
            if b["status"] not in ("offered", "accepted", "rejected"):
                return self._take_back(f"Bid {b['id']} cannot go from {b['status']} to rejected.")
            changed_bids.append(b)
            self._put("bids", b, "status", "rejected")
        contract: Contract = {
            "id": self._new_id("contract", "CONTRACT", self.contracts),
            "player_id": player["id"],
            "club_id": bid["club_id"],
            "wage": wage,
            "runs_until": runs_until,
            "release_clause": release_clause,
            "status": "running",
        }
        self._add("contracts", contract)
        if self._breaks_rule_1(old):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(contract):
            return self._take_back(RULES[0])
        if any(self._breaks_rule_3(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_4(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[3])
        for one_club in _distinct(
            [
                self.clubs[old["club_id"]],
                self.clubs[contract["club_id"]],
                *[self.clubs[one["borrower_id"]] for one in self._loans_by_player.get(old["player_id"], {}).values()],
                *[
                    self.clubs[one["borrower_id"]]
                    for one in self._loans_by_player.get(contract["player_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        for one_loan in _distinct(
            [
                *self._loans_by_player_status.get((old["player_id"], "running"), {}).values(),
                *self._loans_by_player_status.get((contract["player_id"], "running"), {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_bid in _distinct(
            [
                bid,
                *self._bids_by_player.get(old["player_id"], {}).values(),
                *changed_bids,
                *self._bids_by_player.get(contract["player_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        for one_bid in _distinct([bid, *changed_bids]):
            if self._breaks_rule_8(one_bid):
                return self._take_back(RULES[7])
        for one_bid in _distinct([bid, *changed_bids]):
            if self._breaks_rule_9(one_bid):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: complete the transfer of {self.players[bid['player_id']]['name']} to "
                f"{self.clubs[bid['club_id']]['name']} for {_money(bid['fee'])} (new: contract {contract['id']})."
            ),
            "data": {"contract_id": contract["id"], **self._changes()},
        }

    def sign_free_agent(
        self,
        club_id: str,
        player_id: str,
        wage: Annotated[int, {"minimum": 10000, "maximum": 9000000}],
        runs_until: Date,
        release_clause: Annotated[int, {"minimum": 100000, "maximum": 90000000000}] | None = None,
    ) -> Result:
        """Sign a player without a contract.

        Args:
            club_id (str): Id of the club, such as CLUB-00001.
            player_id (str): Id of the player, such as PLAYER-00001.
            wage (int): Weekly wage of the player at the club, in cents, from 10000 to 9000000.
            runs_until (str): Last day of the contract, five months ahead at least, as YYYY-MM-DD.
            release_clause (int, optional): Fee at which a later bid is accepted at once, in cents, from 100000 to
                90000000000. If left out, the contract has no release clause.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        club = self.clubs.get(club_id)
        if club is None:
            return _refused(f"There is no club {club_id!r}.")
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if self._player_contract(player) is not None:
            return _refused(f"{player['name']} is under contract.")
        if runs_until < _plus_days(self.now[:10], 150):
            return _refused("A contract runs for five months at least.")
        if runs_until > self._longest(player):
            return _refused(
                f"{player['name']} may sign until {self._longest(player)} at the longest; that is five years, or "
                "three for those under 18."
            )
        if self._club_squad(club) >= club["squad_limit"]:
            return _refused(f"The squad of {club['name']} is full with {self._club_squad(club)} players.")
        if not player["home_grown"] and self._club_others(club) >= club["most_others"]:
            return _refused(
                f"{club['name']} has {self._club_others(club)} players from elsewhere, which is all that the "
                "quota allows."
            )
        if self._club_wages(club) + wage > club["wage_cap"]:
            return _refused(f"{club['name']} has {_money(self._club_wage_room(club))} left under its wage cap.")
        self._journal = []
        contract: Contract = {
            "id": self._new_id("contract", "CONTRACT", self.contracts),
            "player_id": player_id,
            "club_id": club_id,
            "wage": wage,
            "runs_until": runs_until,
            "release_clause": release_clause,
            "status": "running",
        }
        self._add("contracts", contract)
        if self._breaks_rule_1(contract):
            return self._take_back(RULES[0])
        if any(self._breaks_rule_3(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_4(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[3])
        for one_club in _distinct(
            [
                self.clubs[contract["club_id"]],
                *[
                    self.clubs[one["borrower_id"]]
                    for one in self._loans_by_player.get(contract["player_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        for one_loan in _distinct(self._loans_by_player_status.get((contract["player_id"], "running"), {}).values()):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_bid in _distinct(self._bids_by_player.get(contract["player_id"], {}).values()):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: sign {player['name']} for {club['name']} until {runs_until} (new: contract {contract['id']})."
            ),
            "data": {"contract_id": contract["id"], **self._changes()},
        }

    def renew_contract(
        self,
        player_id: str,
        wage: Annotated[int, {"minimum": 10000, "maximum": 9000000}] | None = None,
        runs_until: Date | None = None,
        release_clause: Annotated[int, {"minimum": 100000, "maximum": 90000000000}] | None = None,
    ) -> Result:
        """Renew or change the contract of a player; what is not named stays as it is.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.
            wage (int, optional): New weekly wage of the player, not to be changed during a loan, in cents, from
                10000 to 9000000. If left out, the wage stays as it is.
            runs_until (str, optional): New last day of the contract, not earlier than the present one, as
                YYYY-MM-DD. If left out, the contract ends as before.
            release_clause (int, optional): Fee at which a later bid is accepted at once, in cents, from 100000 to
                90000000000. If left out, the release clause stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if self._player_contract(player) is None:
            return _refused(f"{player['name']} is a free agent.")
        k = self._player_contract(player)
        if runs_until is not None and runs_until < k["runs_until"]:
            return _refused(f"The contract of {player['name']} runs until {k['runs_until']} as it is.")
        if runs_until is not None and runs_until > self._longest(player):
            return _refused(
                f"{player['name']} may sign until {self._longest(player)} at the longest; that is five years, or "
                "three for those under 18."
            )
        if wage is not None and self._player_loan(player) is not None:
            return _refused(f"{player['name']} is on loan, and the wage is shared until the loan ends.")
        if (
            wage is not None
            and self._club_wages(self.clubs[k["club_id"]]) - k["wage"] + wage > self.clubs[k["club_id"]]["wage_cap"]
        ):
            return _refused(
                f"{self.clubs[k['club_id']]['name']} has {_money(self._club_wage_room(self.clubs[k['club_id']]))} "
                "left under its wage cap."
            )
        self._journal = []
        new_wage = wage if wage is not None else k["wage"]
        if not 10000 <= new_wage <= 9000000:
            return self._take_back(f"The wage of {k['id']} must be between 100.00 and 90,000.00.")
        self._put("contracts", k, "wage", new_wage)
        self._put("contracts", k, "runs_until", runs_until if runs_until is not None else k["runs_until"])
        new_release_clause = release_clause if release_clause is not None else k["release_clause"]
        if new_release_clause is not None and not 100000 <= new_release_clause <= 90000000000:
            return self._take_back(f"The release clause of {k['id']} must be between 1,000.00 and 900,000,000.00.")
        self._put("contracts", k, "release_clause", new_release_clause)
        for one_club in _distinct(
            [
                self.clubs[k["club_id"]],
                *[self.clubs[one["borrower_id"]] for one in self._loans_by_player.get(k["player_id"], {}).values()],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        for one_loan in _distinct(self._loans_by_player_status.get((k["player_id"], "running"), {}).values()):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        done = f"renew the contract of {player['name']}"
        if wage is not None:
            done += f" at {_money(wage)} a week"
        if runs_until is not None:
            done += f" until {runs_until}"
        if release_clause is not None:
            done += f" with a clause of {_money(release_clause)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def release_player(self, player_id: str) -> Result:
        """End a contract early; the club pays the player half of the wages that are left, week by week.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if self._player_contract(player) is None:
            return _refused(f"{player['name']} is a free agent.")
        if self._player_loan(player) is not None:
            return _refused(f"{player['name']} is on loan, so recall the player first.")
        k = self._player_contract(player)
        weeks = max(0, ceil(Fraction(_days_between(self.now[:10], k["runs_until"]), 7)))
        if k["wage"] * weeks // 2 > self.clubs[k["club_id"]]["cash"]:
            return _refused(
                f"Half of {weeks} weeks' wages is more than {self.clubs[k['club_id']]['name']} has in cash."
            )
        self._journal = []
        changed_bids: list[Any] = []
        club = self.clubs[k["club_id"]]
        cash = self.clubs[k["club_id"]]["cash"] - k["wage"] * weeks // 2
        if not 0 <= cash <= 90000000000:
            return self._take_back(f"The cash of {club['name']} must be between 0.00 and 900,000,000.00.")
        self._put("clubs", club, "cash", cash)
        self._put("contracts", k, "status", "ended")
        for b in [b for b in sorted(self._bids_by_player.get(player_id, {}).values(), key=_age) if self._alive(b)]:
            if b["status"] not in ("offered", "accepted", "rejected"):
                return self._take_back(f"Bid {b['id']} cannot go from {b['status']} to rejected.")
            changed_bids.append(b)
            self._put("bids", b, "status", "rejected")
        if self._breaks_rule_1(k):
            return self._take_back(RULES[0])
        if any(self._breaks_rule_3(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_4(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[3])
        for one_club in _distinct(
            [
                self.clubs[k["club_id"]],
                *[self.clubs[one["borrower_id"]] for one in self._loans_by_player.get(k["player_id"], {}).values()],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        for one_loan in _distinct(self._loans_by_player_status.get((k["player_id"], "running"), {}).values()):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_bid in _distinct([*self._bids_by_player.get(k["player_id"], {}).values(), *changed_bids]):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        for one_bid in _distinct(changed_bids):
            if self._breaks_rule_8(one_bid):
                return self._take_back(RULES[7])
        for one_bid in _distinct(changed_bids):
            if self._breaks_rule_9(one_bid):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: release {player['name']}.", "data": self._changes()}

    def lend_player(
        self,
        player_id: str,
        borrower_id: str,
        share: Annotated[int, {"minimum": 0, "maximum": 100}],
        runs_until: Date,
        option: Annotated[int, {"minimum": 100000, "maximum": 90000000000}] | None = None,
    ) -> Result:
        """Lend a player to another club, which pays a share of the wage and may get an option to buy.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.
            borrower_id (str): Other club that the player is lent to; an id such as CLUB-00001.
            share (int): Part of the wage that the borrowing club pays, in percent, from 0 to 100.
            runs_until (str): Last day of the loan, four weeks ahead at least and within the contract, as
                YYYY-MM-DD.
            option (int, optional): Price at which the borrowing club may buy the player, in cents, from 100000 to
                90000000000. If left out, there is no option to buy.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        borrower = self.clubs.get(borrower_id)
        if borrower is None:
            return _refused(f"There is no club {borrower_id!r}.")
        if not self._window_open(self.now[:10]):
            return _refused(f"No transfer window is open on {self.now[:10]}.")
        if self._player_contract(player) is None:
            return _refused(f"{player['name']} is a free agent.")
        k = self._player_contract(player)
        if self._player_loan(player) is not None:
            return _refused(
                f"{player['name']} is on loan with {self.clubs[self._player_loan(player)['borrower_id']]['name']} "
                f"until {self._player_loan(player)['runs_until']}."
            )
        if borrower_id == k["club_id"]:
            return _refused(f"{player['name']} belongs to {borrower['name']} already.")
        if _plus_days(self.now[:10], 28) > runs_until or runs_until > k["runs_until"]:
            return _refused(
                f"A loan lasts four weeks at least and ends before the contract does, on {k['runs_until']}."
            )
        if any(self._alive(b) for b in self._bids_by_player.get(player_id, {}).values()):
            return _refused(f"There is a bid for {player['name']} on the table, so deal with that first.")
        if self._club_squad(borrower) >= borrower["squad_limit"]:
            return _refused(f"The squad of {borrower['name']} is full with {self._club_squad(borrower)} players.")
        if not player["home_grown"] and self._club_others(borrower) >= borrower["most_others"]:
            return _refused(
                f"{borrower['name']} has {self._club_others(borrower)} players from elsewhere, which is all that "
                "the quota allows."
            )
        if self._club_wages(borrower) + _rounded(Fraction(k["wage"] * share, 100)) > borrower["wage_cap"]:
            return _refused(
                f"{borrower['name']} has {_money(self._club_wage_room(borrower))} left under its wage cap."
            )
        if len(self._loans_by_borrower_status.get((borrower_id, "running"), {})) >= 3:
            return _refused(f"{borrower['name']} has three players on loan already.")
        self._journal = []
        loan: Loan = {
            "id": self._new_id("loan", "LOAN", self.loans),
            "player_id": player_id,
            "owner_id": k["club_id"],
            "borrower_id": borrower_id,
            "share": share,
            "runs_until": runs_until,
            "option": option,
            "status": "running",
        }
        self._add("loans", loan)
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if any(self._breaks_rule_3(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_4(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[3])
        for one_club in _distinct(
            [
                self.clubs[loan["borrower_id"]],
                *[
                    self.clubs[one["club_id"]]
                    for one in self._contracts_by_player.get(loan["player_id"], {}).values()
                ],
                *[
                    self.clubs[one["borrower_id"]]
                    for one in self._loans_by_player.get(loan["player_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(loan):
            return self._take_back(RULES[5])
        for one_bid in _distinct(self._bids_by_player.get(loan["player_id"], {}).values()):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        if self._breaks_rule_10(self.clubs[loan["borrower_id"]]):
            return self._take_back(RULES[9])
        done = f"lend {player['name']} to {borrower['name']} until {runs_until} at {share} percent of the wage"
        if option is not None:
            done += f" with an option of {_money(option)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: loan {loan['id']}).",
            "data": {"loan_id": loan["id"], **self._changes()},
        }

    def end_loan(self, loan_id: str) -> Result:
        """End a loan on its last day or while a window is open; the player goes back to the owner's squad.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] != "running":
            return _refused(f"That loan is {loan['status']}.")
        if not (loan["runs_until"] <= self.now[:10] or self._window_open(self.now[:10])):
            return _refused(
                f"The loan of {self.players[loan['player_id']]['name']} runs until {loan['runs_until']}, and "
                "before that a player comes back only while a window is open."
            )
        c = self.clubs[loan["owner_id"]]
        if self._club_squad(c) >= c["squad_limit"]:
            return _refused(f"The squad of {c['name']} is full with {self._club_squad(c)} players.")
        if not self.players[loan["player_id"]]["home_grown"] and self._club_others(c) >= c["most_others"]:
            return _refused(
                f"{c['name']} has {self._club_others(c)} players from elsewhere, which is all that the quota allows."
            )
        if (
            self._club_wages(c)
            + sum(
                self._lent_part(k)
                for k in self._contracts_by_player_status.get((loan["player_id"], "running"), {}).values()
            ) > c["wage_cap"]
        ):
            return _refused(f"{c['name']} has {_money(self._club_wage_room(c))} left under its wage cap.")
        self._journal = []
        self._put("loans", loan, "status", "returned")
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if any(self._breaks_rule_3(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_4(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[3])
        for one_club in _distinct(
            [
                self.clubs[loan["borrower_id"]],
                *[
                    self.clubs[one["club_id"]]
                    for one in self._contracts_by_player.get(loan["player_id"], {}).values()
                ],
                *[
                    self.clubs[one["borrower_id"]]
                    for one in self._loans_by_player.get(loan["player_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(loan):
            return self._take_back(RULES[5])
        for one_bid in _distinct(self._bids_by_player.get(loan["player_id"], {}).values()):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        if self._breaks_rule_10(self.clubs[loan["borrower_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: end the loan of {self.players[loan['player_id']]['name']} to "
                f"{self.clubs[loan['borrower_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def take_option(self, loan_id: str) -> Result:
        """Buy a player on loan for the price of the option; the contract moves on with its wage and last day.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] != "running":
            return _refused(f"That loan is {loan['status']}.")
        if loan["option"] is None:
            return _refused(f"The loan of {self.players[loan['player_id']]['name']} has no option.")
        if self.now[:10] > loan["runs_until"]:
            return _refused(
                f"The loan of {self.players[loan['player_id']]['name']}, and the option with it, ran until "
                f"{loan['runs_until']}."
            )
        if self._player_contract(self.players[loan["player_id"]]) is None:
            return _refused(f"{self.players[loan['player_id']]['name']} has no contract any more.")
        k = self._player_contract(self.players[loan["player_id"]])
        c = self.clubs[loan["borrower_id"]]
        if loan["option"] > c["cash"]:
            return _refused(f"{c['name']} has {_money(c['cash'])} in cash, not {_money(loan['option'])}.")
        if self._club_wages(c) + k["wage"] - self._lent_part(k) > c["wage_cap"]:
            return _refused(f"{c['name']} has {_money(self._club_wage_room(c))} left under its wage cap.")
        self._journal = []
        cash = c["cash"] - loan["option"]
        if not 0 <= cash <= 90000000000:
            return self._take_back(f"The cash of {c['name']} must be between 0.00 and 900,000,000.00.")
        self._put("clubs", c, "cash", cash)
        club = self.clubs[loan["owner_id"]]
        new_cash = self.clubs[loan["owner_id"]]["cash"] + loan["option"]
        if not 0 <= new_cash <= 90000000000:
            return self._take_back(f"The cash of {club['name']} must be between 0.00 and 900,000,000.00.")
        self._put("clubs", club, "cash", new_cash)
        self._put("loans", loan, "status", "bought")
        self._put("contracts", k, "status", "ended")
        contract: Contract = {
            "id": self._new_id("contract", "CONTRACT", self.contracts),
            "player_id": loan["player_id"],
            "club_id": c["id"],
            "wage": k["wage"],
            "runs_until": k["runs_until"],
            "release_clause": None,
            "status": "running",
        }
        self._add("contracts", contract)
        if self._breaks_rule_1(k):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(contract):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if any(self._breaks_rule_3(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[2])
        if any(self._breaks_rule_4(one_club) for one_club in self.clubs.values()):
            return self._take_back(RULES[3])
        for one_club in _distinct(
            [
                self.clubs[loan["borrower_id"]],
                self.clubs[k["club_id"]],
                self.clubs[contract["club_id"]],
                *[
                    self.clubs[one["club_id"]]
                    for one in self._contracts_by_player.get(loan["player_id"], {}).values()
                ],
                *[
                    self.clubs[one["borrower_id"]]
                    for one in self._loans_by_player.get(loan["player_id"], {}).values()
                ],
                *[self.clubs[one["borrower_id"]] for one in self._loans_by_player.get(k["player_id"], {}).values()],
                *[
                    self.clubs[one["borrower_id"]]
                    for one in self._loans_by_player.get(contract["player_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_club):
                return self._take_back(RULES[4])
        for one_loan in _distinct(
            [
                loan,
                *self._loans_by_player_status.get((k["player_id"], "running"), {}).values(),
                *self._loans_by_player_status.get((contract["player_id"], "running"), {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_bid in _distinct(
            [
                *self._bids_by_player.get(loan["player_id"], {}).values(),
                *self._bids_by_player.get(k["player_id"], {}).values(),
                *self._bids_by_player.get(contract["player_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_bid):
                return self._take_back(RULES[6])
        if self._breaks_rule_10(self.clubs[loan["borrower_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: let {self.clubs[loan['borrower_id']]['name']} buy "
                f"{self.players[loan['player_id']]['name']} for the option (new: contract {contract['id']})."
            ),
            "data": {"contract_id": contract["id"], **self._changes()},
        }

    def _show_club(self, club: Club) -> dict[str, Any]:
        """The club as an answer shows it."""
        return {
            **club,
            "squad": self._club_squad(club),
            "others": self._club_others(club),
            "wages": self._club_wages(club),
            "wage_room": self._club_wage_room(club),
        }

    def _show_player(self, player: Player) -> dict[str, Any]:
        """The player as an answer shows it."""
        return {
            **player,
            "contract_id": _id_of(self._player_contract(player)),
            "loan_id": _id_of(self._player_loan(player)),
            "team_id": _id_of(self._player_team(player)),
        }

    def _names_of_players(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that players point to."""
        return _names((self.clubs, "name", [row["team_id"] for row in shown]))

    def _names_of_contracts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contracts point to."""
        return _names(
            (self.players, "name", [row["player_id"] for row in shown]),
            (self.clubs, "name", [row["club_id"] for row in shown]),
        )

    def _names_of_bids(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bids point to."""
        return _names(
            (self.clubs, "name", [row["club_id"] for row in shown]),
            (self.players, "name", [row["player_id"] for row in shown]),
        )

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.players, "name", [row["player_id"] for row in shown]),
            (self.clubs, "name", [row["owner_id"] for row in shown]),
            (self.clubs, "name", [row["borrower_id"] for row in shown]),
        )

    def _club_squad(self, club: Club) -> int:
        """The squad of a club."""
        return sum(1 for p in self.players.values() if self._player_team(p) is club)

    def _club_others(self, club: Club) -> int:
        """The others of a club."""
        return sum(1 for p in self.players.values() if self._player_team(p) is club and not p["home_grown"])

    def _club_wages(self, club: Club) -> int:
        """The wages of a club."""
        return (
            sum(
                k["wage"] - self._lent_part(k)
                for k in self._contracts_by_club_status.get((club["id"], "running"), {}).values()
            )
            + sum(
                self._lent_part(k)
                for b in self._loans_by_borrower_status.get((club["id"], "running"), {}).values()
                for k in self._contracts_by_player_status.get((b["player_id"], "running"), {}).values()
            )
        )

    def _club_wage_room(self, club: Club) -> int:
        """The wage room of a club."""
        return club["wage_cap"] - self._club_wages(club)

    def _player_contract(self, player: Player) -> Contract | None:
        """The contract of a player."""
        return next(
            (
                k
                for k in sorted(
                    self._contracts_by_player_status.get((player["id"], "running"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _player_loan(self, player: Player) -> Loan | None:
        """The loan of a player."""
        return next(
            (b for b in sorted(self._loans_by_player_status.get((player["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _player_team(self, player: Player) -> Club | None:
        """The team of a player."""
        return (
            self.clubs[self._player_loan(player)["borrower_id"]]
            if self._player_loan(player) is not None
            else self.clubs[self._player_contract(player)["club_id"]]
            if self._player_contract(player) is not None
            else None
        )

    def _lent_part(self, k: Contract) -> int:
        return sum(
            _rounded(Fraction(k["wage"] * b["share"], 100))
            for b in self._loans_by_player_status.get((k["player_id"], "running"), {}).values()
        )

    def _window_open(self, d: str) -> bool:
        return any(w["opens"] <= d and d <= w["closes"] for w in self.windows.values())

    def _longest(self, p: Player) -> str:
        return _add_months(self.now[:10], 60 if _years(p["born"], self.now[:10]) >= 18 else 36)

    def _alive(self, b: Bid) -> bool:
        return b["status"] in ("offered", "accepted")

    def _has_place(self, c: Club, p: Player) -> bool:
        return self._club_squad(c) < c["squad_limit"] and (p["home_grown"] or self._club_others(c) < c["most_others"])

    def _could_sign(self, c: Club, p: Player, wage: int) -> bool:
        return self._has_place(c, p) and self._club_wages(c) + wage <= c["wage_cap"]

    def _breaks_rule_1(self, k: Contract) -> bool:
        """Whether this is broken: a player has one running contract."""
        return (
            k["status"] == "running"
            and any(
                other_k is not k
                for other_k in self._contracts_by_player_status.get((k["player_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_2(self, b: Loan) -> bool:
        """Whether this is broken: a player is on one loan at a time."""
        return (
            b["status"] == "running"
            and any(
                other_b is not b
                for other_b in self._loans_by_player_status.get((b["player_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_3(self, c: Club) -> bool:
        """Whether this is broken: a squad never exceeds its limit, loans included."""
        return self._club_squad(c) > c["squad_limit"]

    def _breaks_rule_4(self, c: Club) -> bool:
        """Whether this is broken: a squad has no more players from elsewhere than the home-grown quota allows."""
        return self._club_others(c) > c["most_others"]

    def _breaks_rule_5(self, c: Club) -> bool:
        """Whether this is broken: a club stays within its wage cap."""
        return self._club_wages(c) > c["wage_cap"]

    def _breaks_rule_6(self, b: Loan) -> bool:
        """Whether this is broken: players are lent by the club that has them under contract, to another one."""
        return (
            b["status"] == "running"
            and not (
                any(
                    k["club_id"] == b["owner_id"]
                    and k["status"] == "running"
                    and k["runs_until"] >= b["runs_until"]
                    for k in self._contracts_by_player.get(b["player_id"], {}).values()
                )
                and b["owner_id"] != b["borrower_id"]
            )
        )

    def _breaks_rule_7(self, b: Bid) -> bool:
        """Whether this is broken: bids are alive only for players who are under contract with another club and not on
        loan.
        """
        return (
            self._alive(b)
            and not (
                any(
                    k["status"] == "running"
                    and k["club_id"] != b["club_id"]
                    for k in self._contracts_by_player.get(b["player_id"], {}).values()
                )
                and not self._loans_by_player_status.get((b["player_id"], "running"), {})
            )
        )

    def _breaks_rule_8(self, b: Bid) -> bool:
        """Whether this is broken: a club has one bid for a player on the table."""
        return (
            self._alive(b)
            and any(
                other_b is not b
                for other_b in self._bids_by_club_player.get((b["club_id"], b["player_id"]), {}).values()
                if self._alive(other_b)
            )
        )

    def _breaks_rule_9(self, b: Bid) -> bool:
        """Whether this is broken: at most one bid for a player is accepted."""
        return (
            b["status"] == "accepted"
            and any(
                other_b is not b
                for other_b in self._bids_by_player_status.get((b["player_id"], "accepted"), {}).values()
            )
        )

    def _breaks_rule_10(self, c: Club) -> bool:
        """Whether this is broken: a club takes at most three players on loan."""
        return len(self._loans_by_borrower_status.get((c["id"], "running"), {})) > 3

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
            case "contracts":
                self._contracts_by_club_status.setdefault(
                    (record["club_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._contracts_by_player.setdefault(record["player_id"], {})[record["id"]] = record
                self._contracts_by_player_status.setdefault(
                    (record["player_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "bids":
                self._bids_by_club_player.setdefault((record["club_id"], record["player_id"]), {})[record["id"]] = record
                self._bids_by_player.setdefault(record["player_id"], {})[record["id"]] = record
                self._bids_by_player_status.setdefault((record["player_id"], record["status"]), {})[record["id"]] = record
            case "loans":
                self._loans_by_borrower_status.setdefault(
                    (record["borrower_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._loans_by_player.setdefault(record["player_id"], {})[record["id"]] = record
                self._loans_by_player_status.setdefault(
                    (record["player_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contracts":
                del self._contracts_by_club_status[record["club_id"], record["status"]][record["id"]]
                del self._contracts_by_player[record["player_id"]][record["id"]]
                del self._contracts_by_player_status[record["player_id"], record["status"]][record["id"]]
            case "bids":
                del self._bids_by_club_player[record["club_id"], record["player_id"]][record["id"]]
                del self._bids_by_player[record["player_id"]][record["id"]]
                del self._bids_by_player_status[record["player_id"], record["status"]][record["id"]]
            case "loans":
                del self._loans_by_borrower_status[record["borrower_id"], record["status"]][record["id"]]
                del self._loans_by_player[record["player_id"]][record["id"]]
                del self._loans_by_player_status[record["player_id"], record["status"]][record["id"]]
