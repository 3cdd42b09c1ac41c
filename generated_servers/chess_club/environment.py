"""Chess club. Compiled from blueprint.yaml; run `envscaler build chess_club` after changing it there.

Runs the ladder of a chess club with its challenges, games, adjournments and ratings, and fills the boards of
its league teams in rating order.
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
    "The rungs of the ladder have no gaps.",
    "A player has one challenge pending.",
    "Only players on the ladder have challenges pending.",
    "A player sits at one running game at a time.",
    "A game is played by two people.",
    "A finished game has a result, and no other has.",
    "An adjourned game has a sealed move and a day on which it goes on.",
    "A challenge is played in one game.",
    "A board of a match has one player, and a player one board.",
    "No board of a match is more than 80 points stronger than a board above it.",
    "Nobody plays two matches on one day.",
    "A team has no more boards than agreed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "make_challenge",
    "accept_challenge",
    "drop_challenge",
    "claim_forfeit",
    "start_ladder_game",
    "start_friendly",
    "adjourn_game",
    "resume_game",
    "finish_game",
    "join_ladder",
    "leave_ladder",
    "nominate",
    "clear_board",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "players": ("name",),
    "challenges": (),
    "games": (),
    "teams": ("name",),
    "fixtures": ("code",),
    "seats": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("challenges", "challenger_id"),
    ("challenges", "opponent_id"),
    ("games", "black_id"),
    ("games", "challenge_id"),
    ("games", "white_id"),
    ("players", "rung"),
    ("seats", "fixture_id"),
    ("seats", "player_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Player(TypedDict):
    id: str
    name: str
    rating: int
    rung: int | None


class Challenge(TypedDict):
    id: str
    challenger_id: str
    opponent_id: str
    gap: int
    made_on: str
    play_by: str
    status: Literal["open", "accepted", "forfeited", "dropped", "started"]


class Game(TypedDict):
    id: str
    white_id: str
    black_id: str
    challenge_id: str | None
    begun_on: str
    sealed_move: str | None
    resume_on: str | None
    result: Literal["white_won", "black_won", "draw"] | None
    status: Literal["running", "adjourned", "finished"]


class Team(TypedDict):
    id: str
    name: str
    captain: str
    boards: int


class Fixture(TypedDict):
    id: str
    code: str
    team_id: str
    against: str
    played_on: str


class Seat(TypedDict):
    id: str
    fixture_id: str
    board: int
    player_id: str
    rating: int


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _mean(values: list[int]) -> Fraction | None:
    """The average, or None of nothing."""
    return Fraction(sum(values), len(values)) if values else None


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class ChessClub:
    """Runs the ladder of a chess club with its challenges, games, adjournments and ratings, and fills the
    boards of its league teams in rating order.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.players: dict[str, Player] = _copied(config.get("players", {}))
        self.challenges: dict[str, Challenge] = _copied(config.get("challenges", {}))
        self.games: dict[str, Game] = _copied(config.get("games", {}))
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.fixtures: dict[str, Fixture] = _copied(config.get("fixtures", {}))
        self.seats: dict[str, Seat] = _copied(config.get("seats", {}))
        self.now: str = config.get("now", "2026-02-17T19:00")
        self.counters: dict[str, int] = {
            "player": len(self.players),
            "challenge": len(self.challenges),
            "game": len(self.games),
            "team": len(self.teams),
            "fixture": len(self.fixtures),
            "seat": len(self.seats),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._players_by_rung: dict[Any, dict[str, Player]] = {}
        self._challenges_by_challenger: dict[Any, dict[str, Challenge]] = {}
        self._challenges_by_opponent: dict[Any, dict[str, Challenge]] = {}
        self._games_by_black: dict[Any, dict[str, Game]] = {}
        self._games_by_challenge: dict[Any, dict[str, Game]] = {}
        self._games_by_white: dict[Any, dict[str, Game]] = {}
        self._seats_by_fixture: dict[Any, dict[str, Seat]] = {}
        self._seats_by_fixture_player: dict[Any, dict[str, Seat]] = {}
        self._seats_by_player: dict[Any, dict[str, Seat]] = {}
        for player in self.players.values():
            self._link("players", player)
        for challenge in self.challenges.values():
            self._link("challenges", challenge)
        for game in self.games.values():
            self._link("games", game)
        for seat in self.seats.values():
            self._link("seats", seat)

    def ladder(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The ladder from the top, with what is pending.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}} or {"success": False, "error": why
                not}
        """
        found = [p for p in self.players.values() if p["rung"] is not None]
        found.sort(key=lambda p: (p["rung"], _age(p)))
        return _found(
            {
                "total": len(found),
                "players": [
                    {
                        "id": p["id"],
                        "rung": p["rung"],
                        "name": p["name"],
                        "rating": p["rating"],
                        "challenge": _id_of(self._challenge_of(p)),
                        "game": _id_of(self._ladder_game(p)),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def may_challenge(self, player_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Whom a player may challenge now, the highest rung first.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}} or {"success": False, "error": why
                not}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            o
            for o in self.players.values()
            if (self._in_reach(player, o) and self._free_for_ladder(player) and self._free_for_ladder(o))
        ]
        found.sort(key=lambda o: (o["rung"] if o["rung"] is not None else 0, _age(o)))
        return _found(
            {
                "total": len(found),
                "players": [
                    {"id": o["id"], "name": o["name"], "rung": o["rung"], "rating": o["rating"]}
                    for o in _page(found, offset)
                ],
            }
        )

    def who_fits(
        self,
        fixture_id: str,
        board: Annotated[int, {"minimum": 1, "maximum": 8}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Players who could take a board of a match, the strongest first.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            board (int): Number of the board to be filled, board 1 being the strongest, from 1 to 8.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}} or {"success": False, "error": why
                not}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        found = [
            p
            for p in self.players.values()
            if (not self._nominated(p, fixture["played_on"]) and self._fits_board(fixture, p, board))
        ]
        found.sort(key=lambda p: (-p["rating"], p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "players": [{"id": p["id"], "name": p["name"], "rating": p["rating"]} for p in _page(found, offset)],
            }
        )

    def list_players(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the players, oldest first, all of them or only some.

        Args:
            name (str, optional): Only players whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}}
        """
        found = [
            player
            for player in self.players.values()
            if (name is None or name.casefold() in player["name"].casefold())
        ]
        return _found(
            {"total": len(found), "players": [self._show_player(player) for player in _page(found, offset)]}
        )

    def list_challenges(
        self,
        challenger_id: str | None = None,
        opponent_id: str | None = None,
        status: Literal["open", "accepted", "forfeited", "dropped", "started"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the challenges, oldest first, all of them or only some.

        Args:
            challenger_id (str, optional): Only challenges whose challenger is this player.
            opponent_id (str, optional): Only challenges whose opponent is this player.
            status (str, optional): Only challenges with this status.
            made_on_from (str, optional): Only challenges whose `made_on` is on this day or later.
            made_on_to (str, optional): Only challenges whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "challenges": records}}
        """
        if challenger_id is not None and challenger_id not in self.players:
            return _refused(f"There is no player {challenger_id!r}.")
        if opponent_id is not None and opponent_id not in self.players:
            return _refused(f"There is no player {opponent_id!r}.")
        found = [
            challenge
            for challenge in self.challenges.values()
            if (challenger_id is None or challenge["challenger_id"] == challenger_id)
            and (opponent_id is None or challenge["opponent_id"] == opponent_id)
            and (status is None or challenge["status"] == status)
            and (made_on_from is None or challenge["made_on"] >= made_on_from)
            and (made_on_to is None or challenge["made_on"] <= made_on_to)
        ]
        shown = [{**challenge} for challenge in _page(found, offset)]
        return _found({"total": len(found), "challenges": shown}, self._names_of_challenges(shown))

    def list_games(
        self,
        white_id: str | None = None,
        black_id: str | None = None,
        challenge_id: str | None = None,
        result: Literal["white_won", "black_won", "draw"] | None = None,
        status: Literal["running", "adjourned", "finished"] | None = None,
        begun_on_from: Date | None = None,
        begun_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the games, oldest first, all of them or only some.

        Args:
            white_id (str, optional): Only games whose white is this player.
            black_id (str, optional): Only games whose black is this player.
            challenge_id (str, optional): Only games of this challenge.
            result (str, optional): Only games with this result.
            status (str, optional): Only games with this status.
            begun_on_from (str, optional): Only games whose `begun_on` is on this day or later.
            begun_on_to (str, optional): Only games whose `begun_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "games": records}}
        """
        if white_id is not None and white_id not in self.players:
            return _refused(f"There is no player {white_id!r}.")
        if black_id is not None and black_id not in self.players:
            return _refused(f"There is no player {black_id!r}.")
        if challenge_id is not None and challenge_id not in self.challenges:
            return _refused(f"There is no challenge {challenge_id!r}.")
        found = [
            game
            for game in self.games.values()
            if (white_id is None or game["white_id"] == white_id)
            and (black_id is None or game["black_id"] == black_id)
            and (challenge_id is None or game["challenge_id"] == challenge_id)
            and (result is None or game["result"] == result)
            and (status is None or game["status"] == status)
            and (begun_on_from is None or game["begun_on"] >= begun_on_from)
            and (begun_on_to is None or game["begun_on"] <= begun_on_to)
        ]
        shown = [{**game} for game in _page(found, offset)]
        return _found({"total": len(found), "games": shown}, self._names_of_games(shown))

    def list_teams(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        found = [team for team in self.teams.values() if (name is None or name.casefold() in team["name"].casefold())]
        return _found({"total": len(found), "teams": [{**team} for team in _page(found, offset)]})

    def list_fixtures(
        self,
        code: Text | None = None,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fixtures, oldest first, all of them or only some.

        Args:
            code (str, optional): Only fixtures whose code contains this text.
            team_id (str, optional): Only fixtures of this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fixtures": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            fixture
            for fixture in self.fixtures.values()
            if (code is None or code.casefold() in fixture["code"].casefold())
            and (team_id is None or fixture["team_id"] == team_id)
        ]
        shown = [self._show_fixture(fixture) for fixture in _page(found, offset)]
        return _found({"total": len(found), "fixtures": shown}, self._names_of_fixtures(shown))

    def list_seats(
        self,
        fixture_id: str | None = None,
        player_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the seats, oldest first, all of them or only some.

        Args:
            fixture_id (str, optional): Only seats of this fixture.
            player_id (str, optional): Only seats of this player.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seats": records}}
        """
        if fixture_id is not None and fixture_id not in self.fixtures:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            seat
            for seat in self.seats.values()
            if (fixture_id is None or seat["fixture_id"] == fixture_id)
            and (player_id is None or seat["player_id"] == player_id)
        ]
        shown = [{**seat} for seat in _page(found, offset)]
        return _found({"total": len(found), "seats": shown}, self._names_of_seats(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def make_challenge(self, challenger_id: str, opponent_id: str, play_by: Date) -> Result:
        """Challenge a player at most three rungs up the ladder.

        Args:
            challenger_id (str): Player on the ladder who makes the challenge; an id such as PLAYER-00001.
            opponent_id (str): Player who is challenged, one to three rungs above the challenger; an id such as
                PLAYER-00001.
            play_by (str): Last day for the game, after today and within six weeks, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        challenger = self.players.get(challenger_id)
        if challenger is None:
            return _refused(f"There is no player {challenger_id!r}.")
        opponent = self.players.get(opponent_id)
        if opponent is None:
            return _refused(f"There is no player {opponent_id!r}.")
        if challenger["rung"] is None:
            return _refused(f"{challenger['name']} is not on the ladder.")
        if opponent["rung"] is None:
            return _refused(f"{opponent['name']} is not on the ladder.")
        gap = challenger["rung"] - opponent["rung"]
        if 1 > gap or gap > 3:
            return _refused(
                f"{challenger['name']} on rung {challenger['rung']} may challenge up to three rungs above, and "
                f"{opponent['name']} is on rung {opponent['rung']}."
            )
        mine = self._challenge_of(challenger)
        if mine is not None:
            return _refused(
                f"{challenger['name']} has a challenge pending between "
                f"{self.players[mine['challenger_id']]['name']} and {self.players[mine['opponent_id']]['name']}."
            )
        theirs = self._challenge_of(opponent)
        if theirs is not None:
            return _refused(
                f"{opponent['name']} has a challenge pending between "
                f"{self.players[theirs['challenger_id']]['name']} and {self.players[theirs['opponent_id']]['name']}."
            )
        if self._ladder_game(challenger) is not None or self._ladder_game(opponent) is not None:
            return _refused("One of them has a ladder game that is not finished.")
        if self.now[:10] >= play_by or play_by > _plus_days(self.now[:10], 42):
            return _refused(f"A challenge is played within six weeks, not by {play_by}.")
        self._journal = []
        if not 1 <= gap <= 3:
            return self._take_back("The gap of a challenge must be between 1 and 3.")
        challenge: Challenge = {
            "id": self._new_id("challenge", "CHALLENGE", self.challenges),
            "challenger_id": challenger_id,
            "opponent_id": opponent_id,
            "gap": gap,
            "made_on": self.now[:10],
            "play_by": play_by,
            "status": "open",
        }
        self._add("challenges", challenge)
        if self._breaks_rule_2(self.players[challenge["challenger_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.players[challenge["opponent_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(challenge):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: challenge {opponent['name']} on behalf of {challenger['name']}, to be played by {play_by} "
                f"(new: challenge {challenge['id']})."
            ),
            "data": {"challenge_id": challenge["id"], **self._changes()},
        }

    def accept_challenge(self, challenge_id: str) -> Result:
        """Accept a challenge.

        Args:
            challenge_id (str): Id of the challenge, such as CHALLENGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        challenge = self.challenges.get(challenge_id)
        if challenge is None:
            return _refused(f"There is no challenge {challenge_id!r}.")
        if challenge["status"] != "open":
            return _refused(f"That challenge is {challenge['status']}.")
        self._journal = []
        self._put("challenges", challenge, "status", "accepted")
        if self._breaks_rule_2(self.players[challenge["challenger_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.players[challenge["opponent_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(challenge):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: accept the challenge of {self.players[challenge['challenger_id']]['name']} to "
                f"{self.players[challenge['opponent_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def drop_challenge(self, challenge_id: str) -> Result:
        """Drop a challenge that will not be played.

        Args:
            challenge_id (str): Id of the challenge, such as CHALLENGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        challenge = self.challenges.get(challenge_id)
        if challenge is None:
            return _refused(f"There is no challenge {challenge_id!r}.")
        if not self._pending(challenge):
            return _refused(f"That challenge is {challenge['status']}.")
        self._journal = []
        if challenge["status"] not in ("open", "accepted", "dropped"):
            return self._take_back(f"Challenge {challenge['id']} cannot go from {challenge['status']} to dropped.")
        self._put("challenges", challenge, "status", "dropped")
        if self._breaks_rule_2(self.players[challenge["challenger_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.players[challenge["opponent_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(challenge):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: drop the challenge of {self.players[challenge['challenger_id']]['name']} to "
                f"{self.players[challenge['opponent_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def claim_forfeit(self, challenge_id: str) -> Result:
        """Give a challenge whose last day is over to the challenger, because the other did not answer or did not
        come; the rungs change, the ratings do not.

        Args:
            challenge_id (str): Id of the challenge, such as CHALLENGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        challenge = self.challenges.get(challenge_id)
        if challenge is None:
            return _refused(f"There is no challenge {challenge_id!r}.")
        if not self._pending(challenge):
            return _refused(f"That challenge is {challenge['status']}.")
        if challenge["play_by"] >= self.now[:10]:
            return _refused(
                f"There is time for that game until {challenge['play_by']}, so it cannot be claimed before."
            )
        c = self.players[challenge["challenger_id"]]
        o = self.players[challenge["opponent_id"]]
        if c["rung"] is None or o["rung"] is None:
            return _refused("One of them has left the ladder.")
        self._journal = []
        changed_players: list[Any] = []
        low = c["rung"]
        high = o["rung"]
        if high < low:
            for p in [
                p
                for p in self.players.values()
                if p["rung"] is not None
                and (high <= p["rung"] and p["rung"] < low)
            ]:
                rung = (p["rung"] if p["rung"] is not None else 0) + 1
                if not 1 <= rung <= 200:
                    return self._take_back(f"The rung of {p['name']} must be between 1 and 200.")
                changed_players.append(p)
                self._put("players", p, "rung", rung)
            if not 1 <= high <= 200:
                return self._take_back(f"The rung of {c['name']} must be between 1 and 200.")
            changed_players.append(c)
            self._put("players", c, "rung", high)
        if challenge["status"] not in ("open", "accepted", "forfeited"):
            return self._take_back(f"Challenge {challenge['id']} cannot go from {challenge['status']} to forfeited.")
        self._put("challenges", challenge, "status", "forfeited")
        for one_player in changed_players:
            if one_player["rung"] is not None and len(self._players_by_rung.get(one_player["rung"], {})) > 1:
                return self._take_back(f"There is already a player with the rung {one_player['rung']!r}.")
        for one_player_2 in changed_players:
            if one_player_2["rung"] is not None and len(self._players_by_rung.get(one_player_2["rung"], {})) > 1:
                return self._take_back(f"There is already a player with the rung {one_player_2['rung']!r}.")
        if any(self._breaks_rule_1(one_player_3) for one_player_3 in self.players.values()):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.players[challenge["challenger_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.players[challenge["opponent_id"]]):
            return self._take_back(RULES[1])
        for one_challenge in _distinct(
            [
                challenge,
                *[
                    user
                    for one in changed_players
                    for user in self._challenges_by_challenger.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in changed_players
                    for user in self._challenges_by_opponent.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_challenge):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: give the challenge to {self.players[challenge['challenger_id']]['name']} against "
                f"{self.players[challenge['opponent_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def start_ladder_game(self, challenge_id: str, challenger_white: bool) -> Result:
        """Start the game of an accepted challenge.

        Args:
            challenge_id (str): Id of the challenge, such as CHALLENGE-00001.
            challenger_white (bool): Whether the challenger has the white pieces.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        challenge = self.challenges.get(challenge_id)
        if challenge is None:
            return _refused(f"There is no challenge {challenge_id!r}.")
        if challenge["status"] != "accepted":
            return _refused(f"That challenge is {challenge['status']}, not accepted.")
        one = self._at_board(self.players[challenge["challenger_id"]])
        if one is not None:
            return _refused(
                f"{self.players[challenge['challenger_id']]['name']} sits at a running game, so adjourn or finish "
                "that."
            )
        two = self._at_board(self.players[challenge["opponent_id"]])
        if two is not None:
            return _refused(
                f"{self.players[challenge['opponent_id']]['name']} sits at a running game, so adjourn or finish that."
            )
        self._journal = []
        game: Game = {
            "id": self._new_id("game", "GAME", self.games),
            "white_id": challenge["challenger_id"] if challenger_white else challenge["opponent_id"],
            "black_id": challenge["opponent_id"] if challenger_white else challenge["challenger_id"],
            "challenge_id": challenge_id,
            "begun_on": self.now[:10],
            "sealed_move": None,
            "resume_on": None,
            "result": None,
            "status": "running",
        }
        self._add("games", game)
        self._put("challenges", challenge, "status", "started")
        if self._breaks_rule_2(self.players[challenge["challenger_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.players[challenge["opponent_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(challenge):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.players[game["white_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.players[game["black_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(game):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(game):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(game):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(game):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: start the game of {self.players[challenge['challenger_id']]['name']} against "
                f"{self.players[challenge['opponent_id']]['name']} (new: game {game['id']})."
            ),
            "data": {"game_id": game["id"], **self._changes()},
        }

    def start_friendly(self, white_id: str, black_id: str) -> Result:
        """Start a friendly game, which counts for the ratings only.

        Args:
            white_id (str): Player who has the white pieces; an id such as PLAYER-00001.
            black_id (str): Other player, who has the black pieces; an id such as PLAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        white = self.players.get(white_id)
        if white is None:
            return _refused(f"There is no player {white_id!r}.")
        black = self.players.get(black_id)
        if black is None:
            return _refused(f"There is no player {black_id!r}.")
        if white is black:
            return _refused("A game is played by two people.")
        if self._at_board(white) is not None:
            return _refused(f"{white['name']} sits at a running game, so adjourn or finish that.")
        if self._at_board(black) is not None:
            return _refused(f"{black['name']} sits at a running game, so adjourn or finish that.")
        self._journal = []
        game: Game = {
            "id": self._new_id("game", "GAME", self.games),
            "white_id": white_id,
            "black_id": black_id,
            "challenge_id": None,
            "begun_on": self.now[:10],
            "sealed_move": None,
            "resume_on": None,
            "result": None,
            "status": "running",
        }
        self._add("games", game)
        if self._breaks_rule_4(self.players[game["white_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.players[game["black_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(game):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(game):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(game):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(game):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: start a friendly with {white['name']} as White and {black['name']} as Black (new: game "
                f"{game['id']})."
            ),
            "data": {"game_id": game["id"], **self._changes()},
        }

    def adjourn_game(self, game_id: str, sealed_move: Text, resume_on: Date) -> Result:
        """Adjourn a running game with a sealed move.

        Args:
            game_id (str): Id of the game, such as GAME-00001.
            sealed_move (str): Move noted in secret that is played first on resumption, in chess notation.
            resume_on (str): Day on which the game goes on, after today and within 60 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        if game["status"] != "running":
            return _refused(f"That game is {game['status']}.")
        if self.now[:10] >= resume_on or resume_on > _plus_days(self.now[:10], 60):
            return _refused(f"A game goes on within 60 days, not on {resume_on}.")
        self._journal = []
        self._put("games", game, "sealed_move", sealed_move)
        self._put("games", game, "resume_on", resume_on)
        self._put("games", game, "status", "adjourned")
        if self._breaks_rule_4(self.players[game["white_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.players[game["black_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(game):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(game):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: adjourn the game of {self.players[game['white_id']]['name']} and "
                f"{self.players[game['black_id']]['name']} until {resume_on}."
            ),
            "data": self._changes(),
        }

    def resume_game(self, game_id: str) -> Result:
        """Go on with an adjourned game.

        Args:
            game_id (str): Id of the game, such as GAME-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        if game["status"] != "adjourned":
            return _refused(f"That game is {game['status']}.")
        if self._at_board(self.players[game["white_id"]]) is not None:
            return _refused(f"{self.players[game['white_id']]['name']} sits at another game.")
        if self._at_board(self.players[game["black_id"]]) is not None:
            return _refused(f"{self.players[game['black_id']]['name']} sits at another game.")
        self._journal = []
        self._put("games", game, "sealed_move", None)
        self._put("games", game, "resume_on", None)
        self._put("games", game, "status", "running")
        if self._breaks_rule_4(self.players[game["white_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.players[game["black_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(game):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(game):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: go on with the game of {self.players[game['white_id']]['name']} and "
                f"{self.players[game['black_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def finish_game(self, game_id: str, result: Literal["white_won", "black_won", "draw"]) -> Result:
        """Record the result of a running game; ratings follow, and on the ladder a winning challenger takes the rung
        of the opponent while everybody between steps down.

        Args:
            game_id (str): Id of the game, such as GAME-00001.
            result (str): How the game ended: white_won, black_won or draw.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        if game["status"] != "running":
            return _refused(f"That game is {game['status']}.")
        self._journal = []
        changed_players: list[Any] = []
        edge = _rounded(
            Fraction(self.players[game["black_id"]]["rating"] - self.players[game["white_id"]]["rating"], 25)
        )
        gain = (
            self._won(16 + edge)
            if result == "white_won"
            else -self._won(16 - edge)
            if result == "black_won"
            else max(-15, min(15, edge))
        )
        player = self.players[game["white_id"]]
        rating = self.players[game["white_id"]]["rating"] + gain
        if not 100 <= rating <= 3000:
            return self._take_back(f"The rating of {player['name']} must be between 100 and 3000.")
        self._put("players", player, "rating", rating)
        its_player = self.players[game["black_id"]]
        new_rating = self.players[game["black_id"]]["rating"] - gain
        if not 100 <= new_rating <= 3000:
            return self._take_back(f"The rating of {its_player['name']} must be between 100 and 3000.")
        self._put("players", its_player, "rating", new_rating)
        self._put("games", game, "result", result)
        self._put("games", game, "status", "finished")
        if game["challenge_id"] is not None:
            c = self.players[self.challenges[game["challenge_id"]]["challenger_id"]]
            o = self.players[self.challenges[game["challenge_id"]]["opponent_id"]]
            if (
                c["rung"] is not None
                and o["rung"] is not None
                and o["rung"] < c["rung"]
                and result == ("white_won" if c["id"] == game["white_id"] else "black_won")
            ):
                low = c["rung"]
                high = o["rung"]
                for p in [
                    p
                    for p in self.players.values()
                    if p["rung"] is not None
                    and (high <= p["rung"] and p["rung"] < low)
                ]:
                    rung = (p["rung"] if p["rung"] is not None else 0) + 1
                    if not 1 <= rung <= 200:
                        return self._take_back(f"The rung of {p['name']} must be between 1 and 200.")
                    changed_players.append(p)
                    self._put("players", p, "rung", rung)
                if not 1 <= high <= 200:
                    return self._take_back(f"The rung of {c['name']} must be between 1 and 200.")
                changed_players.append(c)
                self._put("players", c, "rung", high)
        for one_player in changed_players:
            if one_player["rung"] is not None and len(self._players_by_rung.get(one_player["rung"], {})) > 1:
                return self._take_back(f"There is already a player with the rung {one_player['rung']!r}.")
        for one_player_2 in changed_players:
            if one_player_2["rung"] is not None and len(self._players_by_rung.get(one_player_2["rung"], {})) > 1:
                return self._take_back(f"There is already a player with the rung {one_player_2['rung']!r}.")
        if any(self._breaks_rule_1(one_player_3) for one_player_3 in self.players.values()):
            return self._take_back(RULES[0])
        for one_challenge in _distinct(
            [
                *[
                    user
                    for one in changed_players
                    for user in self._challenges_by_challenger.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in changed_players
                    for user in self._challenges_by_opponent.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_challenge):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.players[game["white_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.players[game["black_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(game):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(game):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: record {result} in the game of {self.players[game['white_id']]['name']} and "
                f"{self.players[game['black_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def join_ladder(self, player_id: str) -> Result:
        """Put a player on the lowest rung of the ladder.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if player["rung"] is not None:
            return _refused(f"{player['name']} is on rung {player['rung']}.")
        self._journal = []
        rung = sum(1 for p in self.players.values() if p["rung"] is not None) + 1
        if not 1 <= rung <= 200:
            return self._take_back(f"The rung of {player['name']} must be between 1 and 200.")
        self._put("players", player, "rung", rung)
        if player["rung"] is not None and len(self._players_by_rung.get(player["rung"], {})) > 1:
            return self._take_back(f"There is already a player with the rung {player['rung']!r}.")
        if any(self._breaks_rule_1(one_player) for one_player in self.players.values()):
            return self._take_back(RULES[0])
        for one_challenge in _distinct(
            [
                *self._challenges_by_challenger.get(player["id"], {}).values(),
                *self._challenges_by_opponent.get(player["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_3(one_challenge):
                return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: put {player['name']} on the ladder.", "data": self._changes()}

    def leave_ladder(self, player_id: str) -> Result:
        """Take a player off the ladder; everybody below steps up.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if player["rung"] is None:
            return _refused(f"{player['name']} is not on the ladder.")
        c = self._challenge_of(player)
        if c is not None:
            return _refused(
                f"There is a challenge between {self.players[c['challenger_id']]['name']} and "
                f"{self.players[c['opponent_id']]['name']}, so drop that first."
            )
        if self._ladder_game(player) is not None:
            return _refused(f"{player['name']} has a ladder game that is not finished.")
        self._journal = []
        changed_players: list[Any] = []
        old = player["rung"]
        self._put("players", player, "rung", None)
        for p in [p for p in self.players.values() if p["rung"] is not None and p["rung"] > old]:
            rung = (p["rung"] if p["rung"] is not None else 2) - 1
            if not 1 <= rung <= 200:
                return self._take_back(f"The rung of {p['name']} must be between 1 and 200.")
            changed_players.append(p)
            self._put("players", p, "rung", rung)
        if player["rung"] is not None and len(self._players_by_rung.get(player["rung"], {})) > 1:
            return self._take_back(f"There is already a player with the rung {player['rung']!r}.")
        for one_player in changed_players:
            if one_player["rung"] is not None and len(self._players_by_rung.get(one_player["rung"], {})) > 1:
                return self._take_back(f"There is already a player with the rung {one_player['rung']!r}.")
        if any(self._breaks_rule_1(one_player_2) for one_player_2 in self.players.values()):
            return self._take_back(RULES[0])
        for one_challenge in _distinct(
            [
                *self._challenges_by_challenger.get(player["id"], {}).values(),
                *self._challenges_by_opponent.get(player["id"], {}).values(),
                *[
                    user
                    for one in changed_players
                    for user in self._challenges_by_challenger.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in changed_players
                    for user in self._challenges_by_opponent.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_challenge):
                return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: take {player['name']} off the ladder.", "data": self._changes()}

    def nominate(
        self,
        fixture_id: str,
        board: Annotated[int, {"minimum": 1, "maximum": 8}],
        player_id: str,
    ) -> Result:
        """Put a player on a free board of a match; the boards stay in order of rating within 80 points.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            board (int): Number of the free board that the player takes, board 1 being the strongest, from 1 to 8.
            player_id (str): Id of the player, such as PLAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if fixture["played_on"] < self.now[:10]:
            return _refused(f"That match was on {fixture['played_on']}.")
        if board > self.teams[fixture["team_id"]]["boards"]:
            return _refused(
                f"{self.teams[fixture['team_id']]['name']} plays on {self.teams[fixture['team_id']]['boards']} "
                "boards."
            )
        if any(each["board"] == board for each in self._seats_by_fixture.get(fixture_id, {}).values()):
            return _refused(f"Board {board} is filled, so clear it first.")
        if self._nominated(player, fixture["played_on"]):
            return _refused(f"{player['name']} plays a match on {fixture['played_on']} already.")
        if not self._fits_board(fixture, player, board):
            return _refused(
                f"With {player['rating']} points {player['name']} is out of order on board {board}; the boards go "
                "by rating, within 80 points."
            )
        self._journal = []
        seat: Seat = {
            "id": self._new_id("seat", "SEAT", self.seats),
            "fixture_id": fixture_id,
            "board": board,
            "player_id": player_id,
            "rating": player["rating"],
        }
        self._add("seats", seat)
        if self._breaks_rule_9_s(seat):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_s_again(seat):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_a(seat):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(seat):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(seat):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(seat):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: put {player['name']} on board {board} against {fixture['against']} (new: seat {seat['id']})."
            ),
            "data": {"seat_id": seat["id"], **self._changes()},
        }

    def clear_board(self, seat_id: str) -> Result:
        """Take a player off a board of a match to come.

        Args:
            seat_id (str): Id of the seat, such as SEAT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        seat = self.seats.get(seat_id)
        if seat is None:
            return _refused(f"There is no seat {seat_id!r}.")
        if self.fixtures[seat["fixture_id"]]["played_on"] < self.now[:10]:
            return _refused(f"That match was on {self.fixtures[seat['fixture_id']]['played_on']}.")
        self._journal = []
        self._remove("seats", seat)
        return {
            "success": True,
            "message": (
                f"Done: take {self.players[seat['player_id']]['name']} off board {seat['board']} against "
                f"{self.fixtures[seat['fixture_id']]['against']}."
            ),
            "data": self._changes(),
        }

    def _show_player(self, player: Player) -> dict[str, Any]:
        """The player as an answer shows it."""
        return {**player, "games": self._player_games(player)}

    def _show_fixture(self, fixture: Fixture) -> dict[str, Any]:
        """The fixture as an answer shows it."""
        return {**fixture, "filled": self._fixture_filled(fixture), "strength": self._fixture_strength(fixture)}

    def _names_of_challenges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that challenges point to."""
        return _names(
            (self.players, "name", [row["challenger_id"] for row in shown]),
            (self.players, "name", [row["opponent_id"] for row in shown]),
        )

    def _names_of_games(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that games point to."""
        return _names(
            (self.players, "name", [row["white_id"] for row in shown]),
            (self.players, "name", [row["black_id"] for row in shown]),
        )

    def _names_of_fixtures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fixtures point to."""
        return _names((self.teams, "name", [row["team_id"] for row in shown]))

    def _names_of_seats(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that seats point to."""
        return _names(
            (self.fixtures, "code", [row["fixture_id"] for row in shown]),
            (self.players, "name", [row["player_id"] for row in shown]),
        )

    def _player_games(self, player: Player) -> int:
        """The games of a player."""
        return len(
            _distinct(
                [
                    *self._games_by_white.get(player["id"], {}).values(),
                    *self._games_by_black.get(player["id"], {}).values(),
                ]
            )
        )

    def _fixture_filled(self, fixture: Fixture) -> int:
        """The filled of a fixture."""
        return len(self._seats_by_fixture.get(fixture["id"], {}))

    def _fixture_strength(self, fixture: Fixture) -> int:
        """The strength of a fixture."""
        return _rounded(
            _mean([s["rating"] for s in self._seats_by_fixture.get(fixture["id"], {}).values()])
            if _mean([s["rating"] for s in self._seats_by_fixture.get(fixture["id"], {}).values()]) is not None
            else Fraction(0, 1)
        )

    def _pending(self, c: Challenge) -> bool:
        return c["status"] in ("open", "accepted")

    def _challenge_of(self, p: Player) -> Challenge | None:
        return next(
            (
                c
                for c in sorted(
                    _distinct(
                        [
                            *self._challenges_by_challenger.get(p["id"], {}).values(),
                            *self._challenges_by_opponent.get(p["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if self._pending(c)
            ),
            None,
        )

    def _unfinished(self, g: Game) -> bool:
        return g["status"] != "finished"

    def _ladder_game(self, p: Player) -> Game | None:
        return next(
            (
                g
                for g in sorted(
                    _distinct(
                        [
                            *self._games_by_white.get(p["id"], {}).values(),
                            *self._games_by_black.get(p["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if g["challenge_id"] is not None
                and self._unfinished(g)
            ),
            None,
        )

    def _at_board(self, p: Player) -> Game | None:
        return next(
            (
                g
                for g in sorted(
                    _distinct(
                        [
                            *self._games_by_white.get(p["id"], {}).values(),
                            *self._games_by_black.get(p["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if g["status"] == "running"
            ),
            None,
        )

    def _free_for_ladder(self, p: Player) -> bool:
        return p["rung"] is not None and self._challenge_of(p) is None and self._ladder_game(p) is None

    def _in_reach(self, p: Player, o: Player) -> bool:
        return (
            p["rung"] is not None
            and o["rung"] is not None
            and (1 <= p["rung"] - o["rung"] and p["rung"] - o["rung"] <= 3)
        )

    def _nominated(self, p: Player, on: str) -> bool:
        return any(
            self.fixtures[s["fixture_id"]]["played_on"] == on
            for s in self._seats_by_player.get(p["id"], {}).values()
        )

    def _fits_board(self, f: Fixture, p: Player, b: int) -> bool:
        return (
            all(
                p["rating"] >= s["rating"] - 80
                for s in self._seats_by_fixture.get(f["id"], {}).values()
                if s["board"] > b
            )
            and all(
                s["rating"] >= p["rating"] - 80
                for s in self._seats_by_fixture.get(f["id"], {}).values()
                if s["board"] < b
            )
        )

    def _won(self, points: int) -> int:
        return max(1, min(31, points))

    def _breaks_rule_1(self, p: Player) -> bool:
        """Whether this is broken: the rungs of the ladder have no gaps."""
        return p["rung"] is not None and p["rung"] > sum(1 for q in self.players.values() if q["rung"] is not None)

    def _breaks_rule_2(self, p: Player) -> bool:
        """Whether this is broken: a player has one challenge pending."""
        return sum(
            1
            for c in _distinct(
                [
                    *self._challenges_by_challenger.get(p["id"], {}).values(),
                    *self._challenges_by_opponent.get(p["id"], {}).values(),
                ]
            )
            if self._pending(c)
        ) > 1

    def _breaks_rule_3(self, c: Challenge) -> bool:
        """Whether this is broken: only players on the ladder have challenges pending."""
        return (
            self._pending(c)
            and (
                self.players[c["challenger_id"]]["rung"] is None
                or self.players[c["opponent_id"]]["rung"] is None
                or c["challenger_id"] == c["opponent_id"]
            )
        )

    def _breaks_rule_4(self, p: Player) -> bool:
        """Whether this is broken: a player sits at one running game at a time."""
        return sum(
            1
            for g in _distinct(
                [*self._games_by_white.get(p["id"], {}).values(), *self._games_by_black.get(p["id"], {}).values()]
            )
            if g["status"] == "running"
        ) > 1

    def _breaks_rule_5(self, g: Game) -> bool:
        """Whether this is broken: a game is played by two people."""
        return g["white_id"] == g["black_id"]

    def _breaks_rule_6(self, g: Game) -> bool:
        """Whether this is broken: a finished game has a result, and no other has."""
        return (g["status"] == "finished") != (g["result"] is not None)

    def _breaks_rule_7(self, g: Game) -> bool:
        """Whether this is broken: an adjourned game has a sealed move and a day on which it goes on."""
        return (
            (g["status"] == "adjourned") != (g["sealed_move"] is not None)
            or (g["status"] == "adjourned") != (g["resume_on"] is not None)
        )

    def _breaks_rule_8(self, g: Game) -> bool:
        """Whether this is broken: a challenge is played in one game."""
        return (
            g["challenge_id"] is not None
            and any(
                other_g is not g
                for other_g in self._games_by_challenge.get(g["challenge_id"], {}).values()
                if other_g["challenge_id"] is not None
            )
        )

    def _breaks_rule_9_s(self, s: Seat) -> bool:
        """Whether this is broken: a board of a match has one player, and a player one board."""
        return any(
            other_s is not s
            for other_s in self._seats_by_fixture.get(s["fixture_id"], {}).values()
            if other_s["board"] == s["board"]
        )

    def _breaks_rule_9_s_again(self, s: Seat) -> bool:
        """Whether this is broken: a board of a match has one player, and a player one board."""
        return any(
            other_s is not s
            for other_s in self._seats_by_fixture_player.get((s["fixture_id"], s["player_id"]), {}).values()
        )

    def _breaks_rule_10_a(self, a: Seat) -> bool:
        """Whether this is broken: no board of a match is more than 80 points stronger than a board above it."""
        return any(
            a["rating"] < b["rating"] - 80
            for b in self._seats_by_fixture.get(a["fixture_id"], {}).values()
            if a["board"] < b["board"]
        )

    def _breaks_rule_10_b(self, b: Seat) -> bool:
        """Whether this is broken: no board of a match is more than 80 points stronger than a board above it."""
        return any(
            a["rating"] < b["rating"] - 80
            for a in self._seats_by_fixture.get(b["fixture_id"], {}).values()
            if a["board"] < b["board"]
        )

    def _breaks_rule_11(self, s: Seat) -> bool:
        """Whether this is broken: nobody plays two matches on one day."""
        return any(
            other_s is not s
            for other_s in self._seats_by_player.get(s["player_id"], {}).values()
            if self.fixtures[other_s["fixture_id"]]["played_on"] == self.fixtures[s["fixture_id"]]["played_on"]
        )

    def _breaks_rule_12(self, s: Seat) -> bool:
        """Whether this is broken: a team has no more boards than agreed."""
        return s["board"] > self.teams[self.fixtures[s["fixture_id"]]["team_id"]]["boards"]

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

    def _remove(self, container: str, record: Any) -> None:
        """Let a record go."""
        self._journal.append(("delete", container, record["id"], record))
        del getattr(self, container)[record["id"]]
        self._unlink(container, record)

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
            case "players":
                self._players_by_rung.setdefault(record["rung"], {})[record["id"]] = record
            case "challenges":
                self._challenges_by_challenger.setdefault(record["challenger_id"], {})[record["id"]] = record
                self._challenges_by_opponent.setdefault(record["opponent_id"], {})[record["id"]] = record
            case "games":
                self._games_by_black.setdefault(record["black_id"], {})[record["id"]] = record
                self._games_by_challenge.setdefault(record["challenge_id"], {})[record["id"]] = record
                self._games_by_white.setdefault(record["white_id"], {})[record["id"]] = record
            case "seats":
                self._seats_by_fixture.setdefault(record["fixture_id"], {})[record["id"]] = record
                self._seats_by_fixture_player.setdefault(
                    (record["fixture_id"], record["player_id"]),
                    {},
                )[record["id"]] = record
                self._seats_by_player.setdefault(record["player_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "players":
                del self._players_by_rung[record["rung"]][record["id"]]
            case "challenges":
                del self._challenges_by_challenger[record["challenger_id"]][record["id"]]
                del self._challenges_by_opponent[record["opponent_id"]][record["id"]]
            case "games":
                del self._games_by_black[record["black_id"]][record["id"]]
                del self._games_by_challenge[record["challenge_id"]][record["id"]]
                del self._games_by_white[record["white_id"]][record["id"]]
            case "seats":
                del self._seats_by_fixture[record["fixture_id"]][record["id"]]
                del self._seats_by_fixture_player[record["fixture_id"], record["player_id"]][record["id"]]
                del self._seats_by_player[record["player_id"]][record["id"]]
