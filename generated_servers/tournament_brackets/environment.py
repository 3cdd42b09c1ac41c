"""Tournament brackets. Compiled from blueprint.yaml; run `envscaler build tournament_brackets` after changing it there.

Runs single elimination tournaments from check-in and seeding through called matches, results, no-shows and
disputes to the champion.
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
    "A player is in a tournament once.",
    "No two entries of a tournament have the same seed, and no two matches the same number.",
    "A tournament has no more than 16 entries.",
    "Players rated above the limit of a tournament do not play in it.",
    "A station has one match at a time, of its platform, and none while it is closed.",
    "Matches have a station while they are called and at no other time.",
    "An entry waits for one match of its tournament at a time.",
    "Nobody plays two matches at a time, in whatever tournaments.",
    "A decided match has a winner who played in it and who stands in the match it leads to.",
    "Who is out or withdrawn stands in no open match.",
    "A finished tournament has a champion and no open match.",
    "A disputed match has one open dispute, and no other match has any.",
    "No referee rules about players of their own club.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "enter_player",
    "check_in",
    "withdraw_entry",
    "draw_bracket",
    "call_match",
    "report_result",
    "confirm_result",
    "award_walkover",
    "dispute_result",
    "rule_dispute",
    "switch_station",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "tournaments": ("name",),
    "players": ("name",),
    "stations": ("code",),
    "referees": ("name",),
    "entries": (),
    "matches": (),
    "disputes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("disputes", "game_id"),
    ("disputes", "referee_id"),
    ("entries", "player_id"),
    ("entries", "status"),
    ("entries", "tournament_id"),
    ("matches", "away_id"),
    ("matches", "feeds_id"),
    ("matches", "home_id"),
    ("matches", "station_id"),
    ("matches", "status"),
    ("matches", "tournament_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Tournament(TypedDict):
    id: str
    name: str
    platform: Literal["console", "pc", "board"]
    starts_on: str
    best_of: int
    rating_up_to: int | None
    champion_id: str | None
    status: Literal["signup", "running", "finished"]


class Player(TypedDict):
    id: str
    name: str
    rating: int
    club: Literal["north_side", "old_town", "harbour", "university", "association"]
    banned: bool


class Station(TypedDict):
    id: str
    code: str
    platform: Literal["console", "pc", "board"]
    streamed: bool
    closed_for: str | None


class Referee(TypedDict):
    id: str
    name: str
    club: Literal["north_side", "old_town", "harbour", "university", "association"]


class Entry(TypedDict):
    id: str
    tournament_id: str
    player_id: str
    seed: int | None
    status: Literal["entered", "checked_in", "withdrawn", "out", "champion"]


class Match(TypedDict):
    id: str
    tournament_id: str
    number: int
    feeds_id: str | None
    home_id: str | None
    away_id: str | None
    station_id: str | None
    called_at: str | None
    home_wins: int | None
    away_wins: int | None
    walkover: bool
    winner_id: str | None
    status: Literal["waiting", "ready", "decided", "called", "reported", "disputed"]


class Dispute(TypedDict):
    id: str
    game_id: str
    raised_by_id: str
    reason: str
    referee_id: str | None
    ruling: Literal["stands", "reversed", "replay"] | None


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class TournamentBrackets:
    """Runs single elimination tournaments from check-in and seeding through called matches, results, no-
    shows and disputes to the champion.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.tournaments: dict[str, Tournament] = _copied(config.get("tournaments", {}))
        self.players: dict[str, Player] = _copied(config.get("players", {}))
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.referees: dict[str, Referee] = _copied(config.get("referees", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.matches: dict[str, Match] = _copied(config.get("matches", {}))
        self.disputes: dict[str, Dispute] = _copied(config.get("disputes", {}))
        self.now: str = config.get("now", "2026-04-18T13:00")
        self.counters: dict[str, int] = {
            "tournament": len(self.tournaments),
            "player": len(self.players),
            "station": len(self.stations),
            "referee": len(self.referees),
            "entry": len(self.entries),
            "match": len(self.matches),
            "dispute": len(self.disputes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._entries_by_player: dict[Any, dict[str, Entry]] = {}
        self._entries_by_tournament: dict[Any, dict[str, Entry]] = {}
        self._entries_by_tournament_player: dict[Any, dict[str, Entry]] = {}
        self._entries_by_tournament_status: dict[Any, dict[str, Entry]] = {}
        self._matches_by_away: dict[Any, dict[str, Match]] = {}
        self._matches_by_feeds: dict[Any, dict[str, Match]] = {}
        self._matches_by_home: dict[Any, dict[str, Match]] = {}
        self._matches_by_station: dict[Any, dict[str, Match]] = {}
        self._matches_by_status: dict[Any, dict[str, Match]] = {}
        self._matches_by_tournament: dict[Any, dict[str, Match]] = {}
        self._matches_by_tournament_status: dict[Any, dict[str, Match]] = {}
        self._disputes_by_game: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_referee: dict[Any, dict[str, Dispute]] = {}
        for entry in self.entries.values():
            self._link("entries", entry)
        for match in self.matches.values():
            self._link("matches", match)
        for dispute in self.disputes.values():
            self._link("disputes", dispute)

    def bracket(self, tournament_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The matches of a tournament, the final first, with who plays and how it stands.

        Args:
            tournament_id (str): Id of the tournament, such as TOURNAMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "matches": records}} or {"success": False, "error": why
                not}
        """
        tournament = self.tournaments.get(tournament_id)
        if tournament is None:
            return _refused(f"There is no tournament {tournament_id!r}.")
        found = [m for m in self._matches_by_tournament.get(tournament_id, {}).values()]
        found.sort(key=lambda m: (m["number"], _age(m)))
        shown = [
            {
                "id": m["id"],
                "number": m["number"],
                "home": m["home_id"],
                "home_player": self.players[
                    self.entries[m["home_id"]]["player_id"]
                ]["name"] if m["home_id"] is not None else None,
                "away": m["away_id"],
                "away_player": self.players[
                    self.entries[m["away_id"]]["player_id"]
                ]["name"] if m["away_id"] is not None else None,
                "station": m["station_id"],
                "home_wins": m["home_wins"],
                "away_wins": m["away_wins"],
                "winner": m["winner_id"],
                "status": m["status"],
            }
            for m in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "matches": shown},
            _names((self.stations, "code", [row["station"] for row in shown])),
        )

    def free_stations(
        self,
        tournament_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open stations without a match on which a tournament can be played.

        Args:
            tournament_id (str): Id of the tournament, such as TOURNAMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}} or {"success": False, "error": why
                not}
        """
        tournament = self.tournaments.get(tournament_id)
        if tournament is None:
            return _refused(f"There is no tournament {tournament_id!r}.")
        found = [
            s
            for s in self.stations.values()
            if (s["platform"] == tournament["platform"] and s["closed_for"] is None)
            and self._at_station(s) is None
        ]
        found.sort(key=lambda s: (s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stations": [
                    {"id": s["id"], "code": s["code"], "streamed": s["streamed"]}
                    for s in _page(found, offset)
                ],
            }
        )

    def matches_of(self, player_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The matches of a player in all tournaments, with entry and opponent.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "matches": records}} or {"success": False, "error": why
                not}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            m
            for m in _distinct(
                [
                    *[
                        m
                        for _entry in self._entries_by_player.get(player_id, {}).values()
                        for m in self._matches_by_home.get(_entry["id"], {}).values()
                    ],
                    *[
                        m
                        for _entry in self._entries_by_player.get(player_id, {}).values()
                        for m in self._matches_by_away.get(_entry["id"], {}).values()
                    ],
                ]
            )
            if (
                m["home_id"] is not None
                and self.entries[m["home_id"]]["player_id"] == player_id
                or m["away_id"] is not None
                and self.entries[m["away_id"]]["player_id"] == player_id
            )
        ]
        found.sort(key=lambda m: (self.tournaments[m["tournament_id"]]["starts_on"], m["number"], _age(m)))
        return _found(
            {
                "total": len(found),
                "matches": [
                    {
                        "id": m["id"],
                        "tournament": self.tournaments[m["tournament_id"]]["name"],
                        "number": m["number"],
                        "home_player": self.players[
                            self.entries[m["home_id"]]["player_id"]
                        ]["name"] if m["home_id"] is not None else None,
                        "away_player": self.players[
                            self.entries[m["away_id"]]["player_id"]
                        ]["name"] if m["away_id"] is not None else None,
                        "status": m["status"],
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def neutral_referees(
        self,
        match_up_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Referees who may rule about a match, those with the fewest rulings first.

        Args:
            match_up_id (str): Match that a referee is sought for; an id such as MATCH-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "referees": records}} or {"success": False, "error": why
                not}
        """
        match_up = self.matches.get(match_up_id)
        if match_up is None:
            return _refused(f"There is no match {match_up_id!r}.")
        found = [r for r in self.referees.values() if not self._partial(r, match_up)]
        found.sort(key=lambda r: (self._referee_rulings(r), r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "referees": [
                    {"id": r["id"], "name": r["name"], "club": r["club"], "rulings": self._referee_rulings(r)}
                    for r in _page(found, offset)
                ],
            }
        )

    def list_tournaments(
        self,
        name: Text | None = None,
        platform: Literal["console", "pc", "board"] | None = None,
        champion_id: str | None = None,
        status: Literal["signup", "running", "finished"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tournaments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tournaments whose name contains this text.
            platform (str, optional): Only tournaments with this platform.
            champion_id (str, optional): Only tournaments whose champion is this entry.
            status (str, optional): Only tournaments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tournaments": records}}
        """
        if champion_id is not None and champion_id not in self.entries:
            return _refused(f"There is no entry {champion_id!r}.")
        found = [
            tournament
            for tournament in self.tournaments.values()
            if (name is None or name.casefold() in tournament["name"].casefold())
            and (platform is None or tournament["platform"] == platform)
            and (champion_id is None or tournament["champion_id"] == champion_id)
            and (status is None or tournament["status"] == status)
        ]
        return _found(
            {
                "total": len(found),
                "tournaments": [self._show_tournament(tournament) for tournament in _page(found, offset)],
            }
        )

    def list_players(
        self,
        name: Text | None = None,
        club: Literal["north_side", "old_town", "harbour", "university", "association"] | None = None,
        banned: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the players, oldest first, all of them or only some.

        Args:
            name (str, optional): Only players whose name contains this text.
            club (str, optional): Only players with this club.
            banned (bool, optional): Only players that are banned (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}}
        """
        found = [
            player
            for player in self.players.values()
            if (name is None or name.casefold() in player["name"].casefold())
            and (club is None or player["club"] == club)
            and (banned is None or player["banned"] == banned)
        ]
        return _found({"total": len(found), "players": [{**player} for player in _page(found, offset)]})

    def list_stations(
        self,
        code: Text | None = None,
        platform: Literal["console", "pc", "board"] | None = None,
        streamed: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            code (str, optional): Only stations whose code contains this text.
            platform (str, optional): Only stations with this platform.
            streamed (bool, optional): Only stations that are streamed (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (code is None or code.casefold() in station["code"].casefold())
            and (platform is None or station["platform"] == platform)
            and (streamed is None or station["streamed"] == streamed)
        ]
        return _found({"total": len(found), "stations": [{**station} for station in _page(found, offset)]})

    def list_referees(
        self,
        name: Text | None = None,
        club: Literal["north_side", "old_town", "harbour", "university", "association"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the referees, oldest first, all of them or only some.

        Args:
            name (str, optional): Only referees whose name contains this text.
            club (str, optional): Only referees with this club.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "referees": records}}
        """
        found = [
            referee
            for referee in self.referees.values()
            if (name is None or name.casefold() in referee["name"].casefold())
            and (club is None or referee["club"] == club)
        ]
        return _found(
            {"total": len(found), "referees": [self._show_referee(referee) for referee in _page(found, offset)]}
        )

    def list_entries(
        self,
        tournament_id: str | None = None,
        player_id: str | None = None,
        status: Literal["entered", "checked_in", "withdrawn", "out", "champion"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            tournament_id (str, optional): Only entries of this tournament.
            player_id (str, optional): Only entries of this player.
            status (str, optional): Only entries with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if tournament_id is not None and tournament_id not in self.tournaments:
            return _refused(f"There is no tournament {tournament_id!r}.")
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (tournament_id is None or entry["tournament_id"] == tournament_id)
            and (player_id is None or entry["player_id"] == player_id)
            and (status is None or entry["status"] == status)
        ]
        shown = [{**entry} for entry in _page(found, offset)]
        return _found({"total": len(found), "entries": shown}, self._names_of_entries(shown))

    def list_matches(
        self,
        tournament_id: str | None = None,
        feeds_id: str | None = None,
        home_id: str | None = None,
        away_id: str | None = None,
        station_id: str | None = None,
        walkover: bool | None = None,
        winner_id: str | None = None,
        status: Literal["waiting", "ready", "decided", "called", "reported", "disputed"] | None = None,
        called_at_from: Date | None = None,
        called_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the matches, oldest first, all of them or only some.

        Args:
            tournament_id (str, optional): Only matches of this tournament.
            feeds_id (str, optional): Only matches whose feeds is this match.
            home_id (str, optional): Only matches whose home is this entry.
            away_id (str, optional): Only matches whose away is this entry.
            station_id (str, optional): Only matches of this station.
            walkover (bool, optional): Only matches with this value of `walkover`.
            winner_id (str, optional): Only matches whose winner is this entry.
            status (str, optional): Only matches with this status.
            called_at_from (str, optional): Only matches whose `called_at` is on this day or later.
            called_at_to (str, optional): Only matches whose `called_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "matches": records}}
        """
        if tournament_id is not None and tournament_id not in self.tournaments:
            return _refused(f"There is no tournament {tournament_id!r}.")
        if feeds_id is not None and feeds_id not in self.matches:
            return _refused(f"There is no match {feeds_id!r}.")
        if home_id is not None and home_id not in self.entries:
            return _refused(f"There is no entry {home_id!r}.")
        if away_id is not None and away_id not in self.entries:
            return _refused(f"There is no entry {away_id!r}.")
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        if winner_id is not None and winner_id not in self.entries:
            return _refused(f"There is no entry {winner_id!r}.")
        found = [
            match
            for match in self.matches.values()
            if (tournament_id is None or match["tournament_id"] == tournament_id)
            and (feeds_id is None or match["feeds_id"] == feeds_id)
            and (home_id is None or match["home_id"] == home_id)
            and (away_id is None or match["away_id"] == away_id)
            and (station_id is None or match["station_id"] == station_id)
            and (walkover is None or match["walkover"] == walkover)
            and (winner_id is None or match["winner_id"] == winner_id)
            and (status is None or match["status"] == status)
            and (
                called_at_from is None
                or (match["called_at"] is not None and match["called_at"][:10] >= called_at_from)
            )
            and (called_at_to is None or (match["called_at"] is not None and match["called_at"][:10] <= called_at_to))
        ]
        shown = [{**match} for match in _page(found, offset)]
        return _found({"total": len(found), "matches": shown}, self._names_of_matches(shown))

    def list_disputes(
        self,
        game_id: str | None = None,
        raised_by_id: str | None = None,
        referee_id: str | None = None,
        ruling: Literal["stands", "reversed", "replay"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the disputes, oldest first, all of them or only some.

        Args:
            game_id (str, optional): Only disputes whose game is this match.
            raised_by_id (str, optional): Only disputes raised by this entry.
            referee_id (str, optional): Only disputes of this referee.
            ruling (str, optional): Only disputes with this ruling.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disputes": records}}
        """
        if game_id is not None and game_id not in self.matches:
            return _refused(f"There is no match {game_id!r}.")
        if raised_by_id is not None and raised_by_id not in self.entries:
            return _refused(f"There is no entry {raised_by_id!r}.")
        if referee_id is not None and referee_id not in self.referees:
            return _refused(f"There is no referee {referee_id!r}.")
        found = [
            dispute
            for dispute in self.disputes.values()
            if (game_id is None or dispute["game_id"] == game_id)
            and (raised_by_id is None or dispute["raised_by_id"] == raised_by_id)
            and (referee_id is None or dispute["referee_id"] == referee_id)
            and (ruling is None or dispute["ruling"] == ruling)
        ]
        shown = [{**dispute} for dispute in _page(found, offset)]
        return _found({"total": len(found), "disputes": shown}, self._names_of_disputes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def enter_player(self, tournament_id: str, player_id: str) -> Result:
        """Enter a player for a tournament whose bracket is not drawn yet.

        Args:
            tournament_id (str): Id of the tournament, such as TOURNAMENT-00001.
            player_id (str): Id of the player, such as PLAYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tournament = self.tournaments.get(tournament_id)
        if tournament is None:
            return _refused(f"There is no tournament {tournament_id!r}.")
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if tournament["status"] != "signup":
            return _refused(f"{tournament['name']} is {tournament['status']}.")
        if player["banned"]:
            return _refused(f"{player['name']} is banned.")
        if tournament["rating_up_to"] is not None and player["rating"] > tournament["rating_up_to"]:
            return _refused(
                f"{tournament['name']} is for ratings up to {tournament['rating_up_to']}, and {player['name']} "
                f"has {player['rating']}."
            )
        if self._entry_of(player, tournament) is not None:
            return _refused(f"{player['name']} is entered already.")
        if self._tournament_field(tournament) >= 16:
            return _refused(f"{tournament['name']} is full.")
        self._journal = []
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "tournament_id": tournament_id,
            "player_id": player_id,
            "seed": None,
            "status": "entered",
        }
        self._add("entries", entry)
        if self._breaks_rule_1(entry):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_e(entry):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.tournaments[entry["tournament_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(entry):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(entry):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: enter {player['name']} for {tournament['name']} (new: entry {entry['id']}).",
            "data": {"entry_id": entry["id"], **self._changes()},
        }

    def check_in(self, entry_id: str) -> Result:
        """Check an entered player in, on the day of the tournament or the day before.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["status"] != "entered":
            return _refused(f"{self.players[entry['player_id']]['name']} is {entry['status']}.")
        if self.tournaments[entry["tournament_id"]]["status"] != "signup":
            return _refused(
                f"{self.tournaments[entry['tournament_id']]['name']} is "
                f"{self.tournaments[entry['tournament_id']]['status']}."
            )
        if self.tournaments[entry["tournament_id"]]["starts_on"] > _plus_days(self.now[:10], 1):
            return _refused(
                f"{self.tournaments[entry['tournament_id']]['name']} starts on "
                f"{self.tournaments[entry['tournament_id']]['starts_on']}, which is too early to check in."
            )
        if self.players[entry["player_id"]]["banned"]:
            return _refused(f"{self.players[entry['player_id']]['name']} is banned.")
        self._journal = []
        self._put("entries", entry, "status", "checked_in")
        if self._breaks_rule_1(entry):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(self.tournaments[entry["tournament_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(entry):
            return self._take_back(RULES[3])
        for one_match in _distinct(
            [
                *self._matches_by_home.get(entry["id"], {}).values(),
                *self._matches_by_away.get(entry["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: check {self.players[entry['player_id']]['name']} in for "
                f"{self.tournaments[entry['tournament_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def withdraw_entry(self, entry_id: str) -> Result:
        """Withdraw an entry before the bracket is drawn.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if self.tournaments[entry["tournament_id"]]["status"] != "signup":
            return _refused(
                f"{self.tournaments[entry['tournament_id']]['name']} is "
                f"{self.tournaments[entry['tournament_id']]['status']}, so only a walkover helps."
            )
        if entry["status"] not in ("entered", "checked_in"):
            return _refused(f"{self.players[entry['player_id']]['name']} is {entry['status']}.")
        self._journal = []
        self._put("entries", entry, "status", "withdrawn")
        if self._breaks_rule_1(entry):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(self.tournaments[entry["tournament_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(entry):
            return self._take_back(RULES[3])
        for one_match in _distinct(
            [
                *self._matches_by_home.get(entry["id"], {}).values(),
                *self._matches_by_away.get(entry["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: withdraw {self.players[entry['player_id']]['name']} from "
                f"{self.tournaments[entry['tournament_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def draw_bracket(self, tournament_id: str) -> Result:
        """Draw the bracket from those checked in, seeded by rating; the best seeds get the byes, and who did not
        check in is out.

        Args:
            tournament_id (str): Id of the tournament, such as TOURNAMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tournament = self.tournaments.get(tournament_id)
        if tournament is None:
            return _refused(f"There is no tournament {tournament_id!r}.")
        if tournament["status"] != "signup":
            return _refused(f"{tournament['name']} is {tournament['status']}.")
        if tournament["starts_on"] > self.now[:10]:
            return _refused(f"{tournament['name']} starts on {tournament['starts_on']}.")
        starters = self._present(tournament)
        if 3 > len(starters) or len(starters) > 16:
            return _refused(
                f"{len(starters)} players are checked in for {tournament['name']}, and 3 to 16 are needed."
            )
        size = 4 if len(starters) <= 4 else 8 if len(starters) <= 8 else 16
        self._journal = []
        changed_entries: list[Any] = []
        changed_entries_2: list[Any] = []
        added_matches: list[Any] = []
        changed_matches: list[Any] = []
        changed_matches_2: list[Any] = []
        changed_matches_3: list[Any] = []
        changed_matches_4: list[Any] = []
        for e in sorted(self._entries_by_tournament_status.get((tournament_id, "entered"), {}).values(), key=_age):
            if e["status"] not in ("entered", "checked_in", "withdrawn"):
                return self._take_back(f"Entry {e['id']} cannot go from {e['status']} to withdrawn.")
            changed_entries.append(e)
            self._put("entries", e, "status", "withdrawn")
        rank = 0
        for e in sorted(
            starters,
            key=lambda e: (-self.players[e["player_id"]]["rating"], self.players[e["player_id"]]["name"], _age(e)),
        ):
            rank = rank + 1
            if not 1 <= rank <= 16:
                return self._take_back(f"The seed of {e['id']} must be between 1 and 16.")
            changed_entries_2.append(e)
            self._put("entries", e, "seed", rank)
        for k in list(_numbers(1, size // 2)):
            if not 1 <= k <= 15:
                return self._take_back("The number of a match must be between 1 and 15.")
            match = {
                "id": self._new_id("match", "MATCH", self.matches),
                "tournament_id": tournament_id,
                "number": k,
                "feeds_id": _id_of(
                    next(
                        (
                            m
                            for m in sorted(self._matches_by_tournament.get(tournament_id, {}).values(), key=_age)
                            if m["number"] == k // 2
                        ),
                        None,
                    )
                ),
                "home_id": None,
                "away_id": None,
                "station_id": None,
                "called_at": None,
                "home_wins": None,
                "away_wins": None,
                "walkover": False,
                "winner_id": None,
                "status": "waiting",
            }
            self._add("matches", match)
            added_matches.append(match)
        tops = [1, 2] if size == 4 else [1, 4, 2, 3] if size == 8 else [1, 8, 4, 5, 2, 7, 3, 6]
        spot = size // 2 - 1
        for top in list(tops):
            spot = spot + 1
            upper = next((e for e in starters if e["seed"] == top), None)
            under = next((e for e in starters if e["seed"] == size + 1 - top), None)
            parent = next(
                (
                    m
                    for m in sorted(self._matches_by_tournament.get(tournament_id, {}).values(), key=_age)
                    if m["number"] == spot // 2
                ),
                None,
            )
            if not 1 <= spot <= 15:
                return self._take_back("The number of a match must be between 1 and 15.")
            opener = {
                "id": self._new_id("match", "MATCH", self.matches),
                "tournament_id": tournament_id,
                "number": spot,
                "feeds_id": parent["id"] if parent is not None else None,
                "home_id": upper["id"] if upper is not None else None,
                "away_id": under["id"] if under is not None else None,
                "station_id": None,
                "called_at": None,
                "home_wins": None,
                "away_wins": None,
                "walkover": False,
                "winner_id": None,
                "status": "waiting",
            }
            self._add("matches", opener)
            added_matches.append(opener)
            if under is not None:
                if opener["status"] not in ("waiting", "ready", "called", "disputed"):
                    return self._take_back(f"Match {opener['id']} cannot go from {opener['status']} to ready.")
                changed_matches.append(opener)
                self._put("matches", opener, "status", "ready")
            else:
                changed_matches_2.append(opener)
                self._put("matches", opener, "winner_id", upper["id"] if upper is not None else None)
                if opener["status"] not in ("waiting", "decided", "called", "reported", "disputed"):
                    return self._take_back(f"Match {opener['id']} cannot go from {opener['status']} to decided.")
                changed_matches.append(opener)
                self._put("matches", opener, "status", "decided")
                if parent is not None and spot % 2 == 0:
                    changed_matches_3.append(parent)
                    self._put("matches", parent, "home_id", upper["id"] if upper is not None else None)
                if parent is not None and spot % 2 == 1:
                    changed_matches_4.append(parent)
                    self._put("matches", parent, "away_id", upper["id"] if upper is not None else None)
        for m in [
            m
            for m in sorted(self._matches_by_tournament_status.get((tournament_id, "waiting"), {}).values(), key=_age)
            if m["home_id"] is not None
            and m["away_id"] is not None
        ]:
            if m["status"] not in ("waiting", "ready", "called", "disputed"):
                return self._take_back(f"Match {m['id']} cannot go from {m['status']} to ready.")
            changed_matches.append(m)
            self._put("matches", m, "status", "ready")
        self._put("tournaments", tournament, "status", "running")
        for one_entry in _distinct(changed_entries):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_entry in _distinct(changed_entries_2):
            if self._breaks_rule_2_e(one_entry):
                return self._take_back(RULES[1])
        for one_match in _distinct(added_matches):
            if self._breaks_rule_2_m(one_match):
                return self._take_back(RULES[1])
        for one_tournament in _distinct([self.tournaments[one["tournament_id"]] for one in changed_entries]):
            if self._breaks_rule_3(one_tournament):
                return self._take_back(RULES[2])
        for one_entry in _distinct(changed_entries):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_match in _distinct(added_matches):
            if self._breaks_rule_5_m(one_match):
                return self._take_back(RULES[4])
        for one_match in _distinct(added_matches):
            if self._breaks_rule_5_m_again(one_match):
                return self._take_back(RULES[4])
        for one_match in _distinct([*added_matches, *changed_matches]):
            if self._breaks_rule_6(one_match):
                return self._take_back(RULES[5])
        for one_entry in _distinct(
            [
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in added_matches]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_3]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_4]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        for one_match in _distinct([*added_matches, *changed_matches, *changed_matches_3, *changed_matches_4]):
            if self._breaks_rule_8(one_match):
                return self._take_back(RULES[7])
        for one_match in _distinct([*added_matches, *changed_matches, *changed_matches_2]):
            if self._breaks_rule_9_m(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                *added_matches,
                *changed_matches_2,
                *changed_matches_3,
                *[user for one in changed_matches_3 for user in self._matches_by_feeds.get(one["id"], {}).values()],
                *changed_matches_4,
                *[user for one in changed_matches_4 for user in self._matches_by_feeds.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9_m_again(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                *[user for one in changed_entries for user in self._matches_by_home.get(one["id"], {}).values()],
                *[user for one in changed_entries for user in self._matches_by_away.get(one["id"], {}).values()],
                *added_matches,
                *changed_matches,
                *changed_matches_3,
                *changed_matches_4,
            ]
        ):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_t(tournament):
            return self._take_back(RULES[10])
        for one_match in _distinct(
            [*added_matches, *changed_matches, *self._matches_by_tournament.get(tournament["id"], {}).values()]
        ):
            if self._breaks_rule_11_m(one_match):
                return self._take_back(RULES[10])
        for one_match in _distinct([*added_matches, *changed_matches]):
            if self._breaks_rule_12(one_match):
                return self._take_back(RULES[11])
        for one_dispute in _distinct(
            [
                *[user for one in changed_matches_3 for user in self._disputes_by_game.get(one["id"], {}).values()],
                *[user for one in changed_matches_4 for user in self._disputes_by_game.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_13(one_dispute):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: draw the bracket of {tournament['name']}.",
            "data": self._changes(),
        }

    def call_match(self, match_up_id: str, station_id: str) -> Result:
        """Call the two players of a ready match to a station.

        Args:
            match_up_id (str): Match that is ready, with both players known; an id such as MATCH-00001.
            station_id (str): Id of the station, such as STATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        match_up = self.matches.get(match_up_id)
        if match_up is None:
            return _refused(f"There is no match {match_up_id!r}.")
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if match_up["status"] != "ready" or match_up["home_id"] is None or match_up["away_id"] is None:
            return _refused(
                f"Match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} is "
                f"{match_up['status']}."
            )
        if station["closed_for"] is not None:
            return _refused(f"Station {station['code']} is closed for {station['closed_for']}.")
        if station["platform"] != self.tournaments[match_up["tournament_id"]]["platform"]:
            return _refused(
                f"{self.tournaments[match_up['tournament_id']]['name']} is played on "
                f"{self.tournaments[match_up['tournament_id']]['platform']}, and station {station['code']} is for "
                f"{station['platform']}."
            )
        sitting = self._at_station(station)
        if sitting is not None:
            return _refused(
                f"Station {station['code']} is taken by a match of "
                f"{self.tournaments[sitting['tournament_id']]['name']}."
            )
        one = self._busy(self.players[self.entries[match_up["home_id"]]["player_id"]])
        if one is not None:
            return _refused(
                f"{self.players[self.entries[match_up['home_id']]['player_id']]['name']} is called to a match of "
                f"{self.tournaments[one['tournament_id']]['name']} at the moment."
            )
        other = self._busy(self.players[self.entries[match_up["away_id"]]["player_id"]])
        if other is not None:
            return _refused(
                f"{self.players[self.entries[match_up['away_id']]['player_id']]['name']} is called to a match of "
                f"{self.tournaments[other['tournament_id']]['name']} at the moment."
            )
        self._journal = []
        self._put("matches", match_up, "station_id", station_id)
        self._put("matches", match_up, "called_at", self.now)
        self._put("matches", match_up, "status", "called")
        if self._breaks_rule_5_m(match_up):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_m_again(match_up):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(match_up):
            return self._take_back(RULES[5])
        for one_entry in _distinct(self._entries_by_tournament.get(match_up["tournament_id"], {}).values()):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(match_up):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_m(match_up):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(match_up):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_m(match_up):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(match_up):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: call match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} "
                f"to station {station['code']}."
            ),
            "data": self._changes(),
        }

    def report_result(
        self,
        match_up_id: str,
        home_wins: Annotated[int, {"minimum": 0, "maximum": 4}],
        away_wins: Annotated[int, {"minimum": 0, "maximum": 4}],
    ) -> Result:
        """Report how many games each side of a called match has won; the station is free after that.

        Args:
            match_up_id (str): Called match that has been played; an id such as MATCH-00001.
            home_wins (int): Games won by the home side, where the winner reached the number needed, from 0 to 4.
            away_wins (int): Games won by the away side, where the winner reached the number needed, from 0 to 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        match_up = self.matches.get(match_up_id)
        if match_up is None:
            return _refused(f"There is no match {match_up_id!r}.")
        if match_up["status"] != "called":
            return _refused(
                f"Match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} is "
                f"{match_up['status']}, not called."
            )
        needed = self._tournament_wins_needed(self.tournaments[match_up["tournament_id"]])
        if max(home_wins, away_wins) != needed or min(home_wins, away_wins) >= needed:
            return _refused(
                f"{self.tournaments[match_up['tournament_id']]['name']} is best of "
                f"{self.tournaments[match_up['tournament_id']]['best_of']}, so one side wins exactly {needed}."
            )
        self._journal = []
        self._put("matches", match_up, "home_wins", home_wins)
        self._put("matches", match_up, "away_wins", away_wins)
        self._put("matches", match_up, "station_id", None)
        self._put("matches", match_up, "called_at", None)
        self._put("matches", match_up, "status", "reported")
        if self._breaks_rule_5_m(match_up):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_m_again(match_up):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(match_up):
            return self._take_back(RULES[5])
        for one_entry in _distinct(self._entries_by_tournament.get(match_up["tournament_id"], {}).values()):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(match_up):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_m(match_up):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(match_up):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_m(match_up):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(match_up):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: report {home_wins} to {away_wins} in match {match_up['number']} of "
                f"{self.tournaments[match_up['tournament_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def confirm_result(self, match_up_id: str) -> Result:
        """Confirm a reported result; the winner advances, and the winner of the final is champion.

        Args:
            match_up_id (str): Match with a reported result that nobody disputes; an id such as MATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        match_up = self.matches.get(match_up_id)
        if match_up is None:
            return _refused(f"There is no match {match_up_id!r}.")
        if match_up["status"] != "reported" or match_up["home_id"] is None or match_up["away_id"] is None:
            return _refused(
                f"Match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} is "
                f"{match_up['status']}, not reported."
            )
        better = (
            self.entries[match_up["home_id"]]
            if (
                match_up["home_wins"]
                if match_up["home_wins"] is not None
                else 0
            ) > (match_up["away_wins"] if match_up["away_wins"] is not None else 0)
            else self.entries[match_up["away_id"]]
        )
        loser = (
            self.entries[match_up["away_id"]]
            if better["id"] == match_up["home_id"]
            else self.entries[match_up["home_id"]]
        )
        up = self.matches.get(match_up["feeds_id"])
        self._journal = []
        changed_entries: list[Any] = []
        changed_tournaments: list[Any] = []
        changed_tournaments_2: list[Any] = []
        changed_matches: list[Any] = []
        changed_matches_2: list[Any] = []
        changed_matches_3: list[Any] = []
        self._put("matches", match_up, "winner_id", better["id"])
        self._put("matches", match_up, "status", "decided")
        if loser["status"] not in ("checked_in", "out"):
            return self._take_back(f"Entry {loser['id']} cannot go from {loser['status']} to out.")
        self._put("entries", loser, "status", "out")
        if up is None:
            if better["status"] not in ("checked_in", "champion"):
                return self._take_back(f"Entry {better['id']} cannot go from {better['status']} to champion.")
            changed_entries.append(better)
            self._put("entries", better, "status", "champion")
            tournament = self.tournaments[match_up["tournament_id"]]
            changed_tournaments.append(tournament)
            self._put("tournaments", tournament, "champion_id", better["id"])
            its_tournament = self.tournaments[match_up["tournament_id"]]
            if its_tournament["status"] not in ("running", "finished"):
                return self._take_back(
                    f"Tournament {its_tournament['name']} cannot go from {its_tournament['status']} to finished."
                )
            changed_tournaments_2.append(its_tournament)
            self._put("tournaments", its_tournament, "status", "finished")
        if up is not None and match_up["number"] % 2 == 0:
            changed_matches.append(up)
            self._put("matches", up, "home_id", better["id"])
        if up is not None and match_up["number"] % 2 == 1:
            changed_matches_2.append(up)
            self._put("matches", up, "away_id", better["id"])
        if up is not None and up["home_id"] is not None and up["away_id"] is not None:
            if up["status"] not in ("waiting", "ready", "called", "disputed"):
                return self._take_back(f"Match {up['id']} cannot go from {up['status']} to ready.")
            changed_matches_3.append(up)
            self._put("matches", up, "status", "ready")
        for one_entry in _distinct([loser, *changed_entries]):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_tournament in _distinct(
            [
                self.tournaments[loser["tournament_id"]],
                *[self.tournaments[one["tournament_id"]] for one in changed_entries],
            ]
        ):
            if self._breaks_rule_3(one_tournament):
                return self._take_back(RULES[2])
        for one_entry in _distinct([loser, *changed_entries]):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_match in _distinct([match_up, *changed_matches_3]):
            if self._breaks_rule_6(one_match):
                return self._take_back(RULES[5])
        for one_entry in _distinct(
            [
                *self._entries_by_tournament.get(match_up["tournament_id"], {}).values(),
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_2]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_3]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        for one_match in _distinct([match_up, *changed_matches, *changed_matches_2, *changed_matches_3]):
            if self._breaks_rule_8(one_match):
                return self._take_back(RULES[7])
        for one_match in _distinct([match_up, *changed_matches_3]):
            if self._breaks_rule_9_m(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                match_up,
                *changed_matches,
                *[user for one in changed_matches for user in self._matches_by_feeds.get(one["id"], {}).values()],
                *changed_matches_2,
                *[user for one in changed_matches_2 for user in self._matches_by_feeds.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9_m_again(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                match_up,
                *self._matches_by_home.get(loser["id"], {}).values(),
                *self._matches_by_away.get(loser["id"], {}).values(),
                *[user for one in changed_entries for user in self._matches_by_home.get(one["id"], {}).values()],
                *[user for one in changed_entries for user in self._matches_by_away.get(one["id"], {}).values()],
                *changed_matches,
                *changed_matches_2,
                *changed_matches_3,
            ]
        ):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        for one_tournament in _distinct([*changed_tournaments, *changed_tournaments_2]):
            if self._breaks_rule_11_t(one_tournament):
                return self._take_back(RULES[10])
        for one_match in _distinct(
            [
                match_up,
                *[
                    user
                    for one in changed_tournaments_2
                    for user in self._matches_by_tournament.get(one["id"], {}).values()
                ],
                *changed_matches_3,
            ]
        ):
            if self._breaks_rule_11_m(one_match):
                return self._take_back(RULES[10])
        for one_match in _distinct([match_up, *changed_matches_3]):
            if self._breaks_rule_12(one_match):
                return self._take_back(RULES[11])
        for one_dispute in _distinct(
            [
                *[user for one in changed_matches for user in self._disputes_by_game.get(one["id"], {}).values()],
                *[user for one in changed_matches_2 for user in self._disputes_by_game.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_13(one_dispute):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: confirm the result of match {match_up['number']} of "
                f"{self.tournaments[match_up['tournament_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def award_walkover(self, match_up_id: str, absent_id: str, at_once: bool = False) -> Result:
        """Award a called match to the side that is there, ten minutes or more after the call, or at once where the
        other one is disqualified or gives up.

        Args:
            match_up_id (str): Called match that is not played; an id such as MATCH-00001.
            absent_id (str): Entry of the player who loses the match by absence; an id such as ENTRY-00001.
            at_once (bool): Whether no waiting time applies, after a disqualification or giving up. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        match_up = self.matches.get(match_up_id)
        if match_up is None:
            return _refused(f"There is no match {match_up_id!r}.")
        absent = self.entries.get(absent_id)
        if absent is None:
            return _refused(f"There is no entry {absent_id!r}.")
        if (
            match_up["status"] != "called"
            or match_up["called_at"] is None
            or match_up["home_id"] is None
            or match_up["away_id"] is None
        ):
            return _refused(
                f"Match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} is "
                f"{match_up['status']}, not called."
            )
        if not self._plays(match_up, absent):
            return _refused(f"{self.players[absent['player_id']]['name']} does not play in that match.")
        if not (at_once or _plus_minutes(match_up["called_at"], 10) <= self.now):
            return _refused(f"The match was called at {match_up['called_at']}, and ten minutes have not passed.")
        better = (
            self.entries[match_up["home_id"]]
            if absent_id == match_up["away_id"]
            else self.entries[match_up["away_id"]]
        )
        up = self.matches.get(match_up["feeds_id"])
        self._journal = []
        changed_entries: list[Any] = []
        changed_tournaments: list[Any] = []
        changed_tournaments_2: list[Any] = []
        changed_matches: list[Any] = []
        changed_matches_2: list[Any] = []
        changed_matches_3: list[Any] = []
        self._put("matches", match_up, "walkover", True)
        self._put("matches", match_up, "winner_id", better["id"])
        self._put("matches", match_up, "station_id", None)
        self._put("matches", match_up, "called_at", None)
        self._put("matches", match_up, "status", "decided")
        if absent["status"] not in ("checked_in", "out"):
            return self._take_back(f"Entry {absent['id']} cannot go from {absent['status']} to out.")
        self._put("entries", absent, "status", "out")
        if up is None:
            if better["status"] not in ("checked_in", "champion"):
                return self._take_back(f"Entry {better['id']} cannot go from {better['status']} to champion.")
            changed_entries.append(better)
            self._put("entries", better, "status", "champion")
            tournament = self.tournaments[match_up["tournament_id"]]
            changed_tournaments.append(tournament)
            self._put("tournaments", tournament, "champion_id", better["id"])
            its_tournament = self.tournaments[match_up["tournament_id"]]
            if its_tournament["status"] not in ("running", "finished"):
                return self._take_back(
                    f"Tournament {its_tournament['name']} cannot go from {its_tournament['status']} to finished."
                )
            changed_tournaments_2.append(its_tournament)
            self._put("tournaments", its_tournament, "status", "finished")
        if up is not None and match_up["number"] % 2 == 0:
            changed_matches.append(up)
            self._put("matches", up, "home_id", better["id"])
        if up is not None and match_up["number"] % 2 == 1:
            changed_matches_2.append(up)
            self._put("matches", up, "away_id", better["id"])
        if up is not None and up["home_id"] is not None and up["away_id"] is not None:
            if up["status"] not in ("waiting", "ready", "called", "disputed"):
                return self._take_back(f"Match {up['id']} cannot go from {up['status']} to ready.")
            changed_matches_3.append(up)
            self._put("matches", up, "status", "ready")
        for one_entry in _distinct([absent, *changed_entries]):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_tournament in _distinct(
            [
                self.tournaments[absent["tournament_id"]],
                *[self.tournaments[one["tournament_id"]] for one in changed_entries],
            ]
        ):
            if self._breaks_rule_3(one_tournament):
                return self._take_back(RULES[2])
        for one_entry in _distinct([absent, *changed_entries]):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_m(match_up):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_m_again(match_up):
            return self._take_back(RULES[4])
        for one_match in _distinct([match_up, *changed_matches_3]):
            if self._breaks_rule_6(one_match):
                return self._take_back(RULES[5])
        for one_entry in _distinct(
            [
                *self._entries_by_tournament.get(match_up["tournament_id"], {}).values(),
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_2]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_3]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        for one_match in _distinct([match_up, *changed_matches, *changed_matches_2, *changed_matches_3]):
            if self._breaks_rule_8(one_match):
                return self._take_back(RULES[7])
        for one_match in _distinct([match_up, *changed_matches_3]):
            if self._breaks_rule_9_m(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                match_up,
                *changed_matches,
                *[user for one in changed_matches for user in self._matches_by_feeds.get(one["id"], {}).values()],
                *changed_matches_2,
                *[user for one in changed_matches_2 for user in self._matches_by_feeds.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9_m_again(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                match_up,
                *self._matches_by_home.get(absent["id"], {}).values(),
                *self._matches_by_away.get(absent["id"], {}).values(),
                *[user for one in changed_entries for user in self._matches_by_home.get(one["id"], {}).values()],
                *[user for one in changed_entries for user in self._matches_by_away.get(one["id"], {}).values()],
                *changed_matches,
                *changed_matches_2,
                *changed_matches_3,
            ]
        ):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        for one_tournament in _distinct([*changed_tournaments, *changed_tournaments_2]):
            if self._breaks_rule_11_t(one_tournament):
                return self._take_back(RULES[10])
        for one_match in _distinct(
            [
                match_up,
                *[
                    user
                    for one in changed_tournaments_2
                    for user in self._matches_by_tournament.get(one["id"], {}).values()
                ],
                *changed_matches_3,
            ]
        ):
            if self._breaks_rule_11_m(one_match):
                return self._take_back(RULES[10])
        for one_match in _distinct([match_up, *changed_matches_3]):
            if self._breaks_rule_12(one_match):
                return self._take_back(RULES[11])
        for one_dispute in _distinct(
            [
                *[user for one in changed_matches for user in self._disputes_by_game.get(one["id"], {}).values()],
                *[user for one in changed_matches_2 for user in self._disputes_by_game.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_13(one_dispute):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: award match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} "
                f"against {self.players[absent['player_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def dispute_result(self, match_up_id: str, raised_by_id: str, reason: Text) -> Result:
        """Raise a dispute about a reported result for one of the two players.

        Args:
            match_up_id (str): Match whose reported result is disputed; an id such as MATCH-00001.
            raised_by_id (str): Entry of the player in this match who raises the dispute; an id such as
                ENTRY-00001.
            reason (str): What is said to be wrong with the result.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        match_up = self.matches.get(match_up_id)
        if match_up is None:
            return _refused(f"There is no match {match_up_id!r}.")
        raised_by = self.entries.get(raised_by_id)
        if raised_by is None:
            return _refused(f"There is no entry {raised_by_id!r}.")
        if match_up["status"] != "reported":
            return _refused(
                f"Match {match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} is "
                f"{match_up['status']}, not reported."
            )
        if not self._plays(match_up, raised_by):
            return _refused(f"{self.players[raised_by['player_id']]['name']} did not play in that match.")
        self._journal = []
        dispute: Dispute = {
            "id": self._new_id("dispute", "DISPUTE", self.disputes),
            "game_id": match_up_id,
            "raised_by_id": raised_by_id,
            "reason": reason,
            "referee_id": None,
            "ruling": None,
        }
        self._add("disputes", dispute)
        self._put("matches", match_up, "status", "disputed")
        if self._breaks_rule_6(match_up):
            return self._take_back(RULES[5])
        for one_entry in _distinct(self._entries_by_tournament.get(match_up["tournament_id"], {}).values()):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(match_up):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_m(match_up):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(match_up):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_m(match_up):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(self.matches[dispute["game_id"]]):
            return self._take_back(RULES[11])
        if self._breaks_rule_12(match_up):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(dispute):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: raise a dispute of {self.players[raised_by['player_id']]['name']} about match "
                f"{match_up['number']} of {self.tournaments[match_up['tournament_id']]['name']} (new: dispute "
                f"{dispute['id']})."
            ),
            "data": {"dispute_id": dispute["id"], **self._changes()},
        }

    def rule_dispute(
        self,
        dispute_id: str,
        referee_id: str,
        ruling: Literal["stands", "reversed", "replay"],
    ) -> Result:
        """Rule that a disputed result stands, is reversed or is replayed.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.
            referee_id (str): Id of the referee, such as REFEREE-00001.
            ruling (str): Decision on the reported result: stands, reversed or replay.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        referee = self.referees.get(referee_id)
        if referee is None:
            return _refused(f"There is no referee {referee_id!r}.")
        if dispute["ruling"] is not None:
            return _refused("That dispute was ruled on already.")
        m = self.matches[dispute["game_id"]]
        if m["status"] != "disputed" or m["home_id"] is None or m["away_id"] is None:
            return _refused(
                f"Match {m['number']} of {self.tournaments[m['tournament_id']]['name']} is {m['status']}, not "
                "disputed."
            )
        if self._partial(referee, m):
            return _refused(f"{referee['name']} belongs to the club of one of the players.")
        home_ahead = (
            m["home_wins"]
            if m["home_wins"] is not None
            else 0
        ) > (m["away_wins"] if m["away_wins"] is not None else 0)
        better = self.entries[m["home_id"]] if home_ahead == (ruling == "stands") else self.entries[m["away_id"]]
        loser = self.entries[m["away_id"]] if better["id"] == m["home_id"] else self.entries[m["home_id"]]
        up = self.matches.get(m["feeds_id"])
        home_had = m["home_wins"]
        self._journal = []
        changed_matches: list[Any] = []
        changed_matches_2: list[Any] = []
        changed_entries: list[Any] = []
        changed_tournaments: list[Any] = []
        changed_tournaments_2: list[Any] = []
        changed_matches_3: list[Any] = []
        changed_matches_4: list[Any] = []
        self._put("disputes", dispute, "referee_id", referee_id)
        self._put("disputes", dispute, "ruling", ruling)
        if ruling == "replay":
            self._put("matches", m, "home_wins", None)
            self._put("matches", m, "away_wins", None)
            changed_matches.append(m)
            self._put("matches", m, "status", "ready")
        else:
            if ruling == "reversed":
                self._put("matches", m, "home_wins", m["away_wins"])
                if home_had is not None and not 0 <= home_had <= 4:
                    return self._take_back(f"The away wins of {m['id']} must be between 0 and 4.")
                self._put("matches", m, "away_wins", home_had)
            changed_matches_2.append(m)
            self._put("matches", m, "winner_id", better["id"])
            if m["status"] not in ("waiting", "decided", "called", "reported", "disputed"):
                return self._take_back(f"Match {m['id']} cannot go from {m['status']} to decided.")
            changed_matches.append(m)
            self._put("matches", m, "status", "decided")
            if loser["status"] not in ("checked_in", "out"):
                return self._take_back(f"Entry {loser['id']} cannot go from {loser['status']} to out.")
            changed_entries.append(loser)
            self._put("entries", loser, "status", "out")
            if up is None:
                if better["status"] not in ("checked_in", "champion"):
                    return self._take_back(f"Entry {better['id']} cannot go from {better['status']} to champion.")
                changed_entries.append(better)
                self._put("entries", better, "status", "champion")
                tournament = self.tournaments[m["tournament_id"]]
                changed_tournaments.append(tournament)
                self._put("tournaments", tournament, "champion_id", better["id"])
                its_tournament = self.tournaments[m["tournament_id"]]
                if its_tournament["status"] not in ("running", "finished"):
                    return self._take_back(
                        f"Tournament {its_tournament['name']} cannot go from {its_tournament['status']} to finished."
                    )
                changed_tournaments_2.append(its_tournament)
                self._put("tournaments", its_tournament, "status", "finished")
            if up is not None and m["number"] % 2 == 0:
                changed_matches_3.append(up)
                self._put("matches", up, "home_id", better["id"])
            if up is not None and m["number"] % 2 == 1:
                changed_matches_4.append(up)
                self._put("matches", up, "away_id", better["id"])
            if up is not None and up["home_id"] is not None and up["away_id"] is not None:
                if up["status"] not in ("waiting", "ready", "called", "disputed"):
                    return self._take_back(f"Match {up['id']} cannot go from {up['status']} to ready.")
                changed_matches.append(up)
                self._put("matches", up, "status", "ready")
        for one_entry in _distinct(changed_entries):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_tournament in _distinct([self.tournaments[one["tournament_id"]] for one in changed_entries]):
            if self._breaks_rule_3(one_tournament):
                return self._take_back(RULES[2])
        for one_entry in _distinct(changed_entries):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_match in _distinct(changed_matches):
            if self._breaks_rule_6(one_match):
                return self._take_back(RULES[5])
        for one_entry in _distinct(
            [
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_3]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_4]
                    for user in self._entries_by_tournament.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        for one_match in _distinct([*changed_matches, *changed_matches_3, *changed_matches_4]):
            if self._breaks_rule_8(one_match):
                return self._take_back(RULES[7])
        for one_match in _distinct([*changed_matches, *changed_matches_2]):
            if self._breaks_rule_9_m(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                *changed_matches_2,
                *changed_matches_3,
                *[user for one in changed_matches_3 for user in self._matches_by_feeds.get(one["id"], {}).values()],
                *changed_matches_4,
                *[user for one in changed_matches_4 for user in self._matches_by_feeds.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9_m_again(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(
            [
                *changed_matches,
                *[user for one in changed_entries for user in self._matches_by_home.get(one["id"], {}).values()],
                *[user for one in changed_entries for user in self._matches_by_away.get(one["id"], {}).values()],
                *changed_matches_3,
                *changed_matches_4,
            ]
        ):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        for one_tournament in _distinct([*changed_tournaments, *changed_tournaments_2]):
            if self._breaks_rule_11_t(one_tournament):
                return self._take_back(RULES[10])
        for one_match in _distinct(
            [
                *changed_matches,
                *[
                    user
                    for one in changed_tournaments_2
                    for user in self._matches_by_tournament.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11_m(one_match):
                return self._take_back(RULES[10])
        for one_match in _distinct([self.matches[dispute["game_id"]], *changed_matches]):
            if self._breaks_rule_12(one_match):
                return self._take_back(RULES[11])
        for one_dispute in _distinct(
            [
                dispute,
                *[user for one in changed_matches_3 for user in self._disputes_by_game.get(one["id"], {}).values()],
                *[user for one in changed_matches_4 for user in self._disputes_by_game.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_13(one_dispute):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: rule {ruling} in the dispute about match {self.matches[dispute['game_id']]['number']} of "
                f"{self.tournaments[self.matches[dispute['game_id']]['tournament_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def switch_station(self, station_id: str, closed_for: Text | None = None) -> Result:
        """Close a station for a reason, which sends a match called there back to wait, or open it where no reason is
        given.

        Args:
            station_id (str): Id of the station, such as STATION-00001.
            closed_for (str, optional): Why the station is closed. If left out, the closed station is opened again.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if closed_for is None and station["closed_for"] is None:
            return _refused(f"Station {station['code']} is open.")
        if closed_for is not None and station["closed_for"] is not None:
            return _refused(f"Station {station['code']} is closed for {station['closed_for']} already.")
        self._journal = []
        changed_matches: list[Any] = []
        changed_matches_2: list[Any] = []
        changed_matches_3: list[Any] = []
        for m in sorted(self._matches_by_station.get(station_id, {}).values(), key=_age):
            changed_matches.append(m)
            self._put("matches", m, "station_id", None)
            changed_matches_2.append(m)
            self._put("matches", m, "called_at", None)
            if m["status"] not in ("waiting", "ready", "called", "disputed"):
                return self._take_back(f"Match {m['id']} cannot go from {m['status']} to ready.")
            changed_matches_3.append(m)
            self._put("matches", m, "status", "ready")
        self._put("stations", station, "closed_for", closed_for)
        for one_match in _distinct(changed_matches):
            if self._breaks_rule_5_m(one_match):
                return self._take_back(RULES[4])
        for one_match in _distinct([*changed_matches, *self._matches_by_station.get(station["id"], {}).values()]):
            if self._breaks_rule_5_m_again(one_match):
                return self._take_back(RULES[4])
        for one_match in _distinct([*changed_matches, *changed_matches_2, *changed_matches_3]):
            if self._breaks_rule_6(one_match):
                return self._take_back(RULES[5])
        for one_entry in _distinct(
            [
                user
                for one in [self.tournaments[one["tournament_id"]] for one in changed_matches_3]
                for user in self._entries_by_tournament.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7(one_entry):
                return self._take_back(RULES[6])
        for one_match in _distinct(changed_matches_3):
            if self._breaks_rule_8(one_match):
                return self._take_back(RULES[7])
        for one_match in _distinct(changed_matches_3):
            if self._breaks_rule_9_m(one_match):
                return self._take_back(RULES[8])
        for one_match in _distinct(changed_matches_3):
            if self._breaks_rule_10(one_match):
                return self._take_back(RULES[9])
        for one_match in _distinct(changed_matches_3):
            if self._breaks_rule_11_m(one_match):
                return self._take_back(RULES[10])
        for one_match in _distinct(changed_matches_3):
            if self._breaks_rule_12(one_match):
                return self._take_back(RULES[11])
        done = f"switch station {station['code']}"
        if closed_for is not None:
            done += f" off for {closed_for}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_tournament(self, tournament: Tournament) -> dict[str, Any]:
        """The tournament as an answer shows it."""
        return {
            **tournament,
            "field": self._tournament_field(tournament),
            "wins_needed": self._tournament_wins_needed(tournament),
        }

    def _show_referee(self, referee: Referee) -> dict[str, Any]:
        """The referee as an answer shows it."""
        return {**referee, "rulings": self._referee_rulings(referee)}

    def _names_of_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entries point to."""
        return _names(
            (self.tournaments, "name", [row["tournament_id"] for row in shown]),
            (self.players, "name", [row["player_id"] for row in shown]),
        )

    def _names_of_matches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that matches point to."""
        return _names(
            (self.tournaments, "name", [row["tournament_id"] for row in shown]),
            (self.stations, "code", [row["station_id"] for row in shown]),
        )

    def _names_of_disputes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that disputes point to."""
        return _names((self.referees, "name", [row["referee_id"] for row in shown]))

    def _tournament_field(self, tournament: Tournament) -> int:
        """The field of a tournament."""
        return sum(
            1
            for e in self._entries_by_tournament.get(tournament["id"], {}).values()
            if e["status"] != "withdrawn"
        )

    def _tournament_wins_needed(self, tournament: Tournament) -> int:
        """The wins needed of a tournament."""
        return tournament["best_of"] // 2 + 1

    def _referee_rulings(self, referee: Referee) -> int:
        """The rulings of a referee."""
        return len(self._disputes_by_referee.get(referee["id"], {}))

    def _plays(self, m: Match, e: Entry) -> bool:
        return m["home_id"] == e["id"] or m["away_id"] == e["id"]

    def _at_station(self, s: Station) -> Match | None:
        return next((m for m in sorted(self._matches_by_station.get(s["id"], {}).values(), key=_age)), None)

    def _busy(self, p: Player) -> Match | None:
        return next(
            (
                m
                for m in sorted(
                    _distinct(
                        [
                            *[
                                m
                                for _entry in self._entries_by_player.get(p["id"], {}).values()
                                for m in self._matches_by_home.get(_entry["id"], {}).values()
                            ],
                            *[
                                m
                                for _entry in self._entries_by_player.get(p["id"], {}).values()
                                for m in self._matches_by_away.get(_entry["id"], {}).values()
                            ],
                        ]
                    ),
                    key=_age,
                )
                if m["status"] == "called"
                and (
                    m["home_id"] is not None
                    and self.entries[m["home_id"]]["player_id"] == p["id"]
                    or m["away_id"] is not None
                    and self.entries[m["away_id"]]["player_id"] == p["id"]
                )
            ),
            None,
        )

    def _entry_of(self, p: Player, t: Tournament) -> Entry | None:
        return next(
            (
                e
                for e in sorted(self._entries_by_tournament_player.get((t["id"], p["id"]), {}).values(), key=_age)
                if e["status"] != "withdrawn"
            ),
            None,
        )

    def _partial(self, r: Referee, m: Match) -> bool:
        return (
            m["home_id"] is not None and self.players[self.entries[m["home_id"]]["player_id"]]["club"] == r["club"]
            or m["away_id"] is not None and self.players[self.entries[m["away_id"]]["player_id"]]["club"] == r["club"]
        )

    def _present(self, t: Tournament) -> list[Entry]:
        return sorted(self._entries_by_tournament_status.get((t["id"], "checked_in"), {}).values(), key=_age)

    def _breaks_rule_1(self, e: Entry) -> bool:
        """Whether this is broken: a player is in a tournament once."""
        return (
            e["status"] != "withdrawn"
            and any(
                other_e is not e
                for other_e in self._entries_by_tournament_player.get(
                    (e["tournament_id"], e["player_id"]),
                    {},
                ).values()
                if other_e["status"] != "withdrawn"
            )
        )

    def _breaks_rule_2_e(self, e: Entry) -> bool:
        """Whether this is broken: no two entries of a tournament have the same seed, and no two matches the same
        number.
        """
        return (
            e["seed"] is not None
            and any(
                other_e is not e
                for other_e in self._entries_by_tournament.get(e["tournament_id"], {}).values()
                if other_e["seed"] == e["seed"]
                and other_e["seed"] is not None
            )
        )

    def _breaks_rule_2_m(self, m: Match) -> bool:
        """Whether this is broken: no two entries of a tournament have the same seed, and no two matches the same
        number.
        """
        return any(
            other_m is not m
            for other_m in self._matches_by_tournament.get(m["tournament_id"], {}).values()
            if other_m["number"] == m["number"]
        )

    def _breaks_rule_3(self, t: Tournament) -> bool:
        """Whether this is broken: a tournament has no more than 16 entries."""
        return self._tournament_field(t) > 16

    def _breaks_rule_4(self, e: Entry) -> bool:
        """Whether this is broken: players rated above the limit of a tournament do not play in it."""
        return (
            e["status"] != "withdrawn"
            and (
                self.tournaments[e["tournament_id"]]["rating_up_to"] is not None
                and self.players[e["player_id"]]["rating"] > self.tournaments[e["tournament_id"]]["rating_up_to"]
            )
        )

    def _breaks_rule_5_m(self, m: Match) -> bool:
        """Whether this is broken: a station has one match at a time, of its platform, and none while it is closed.
        """
        return (
            m["station_id"] is not None
            and any(
                other_m is not m
                for other_m in self._matches_by_station.get(m["station_id"], {}).values()
                if other_m["station_id"] is not None
            )
        )

    def _breaks_rule_5_m_again(self, m: Match) -> bool:
        """Whether this is broken: a station has one match at a time, of its platform, and none while it is closed.
        """
        return not (
            m["station_id"] is None
            or self.stations[m["station_id"]]["platform"] == self.tournaments[m["tournament_id"]]["platform"]
            and self.stations[m["station_id"]]["closed_for"] is None
        )

    def _breaks_rule_6(self, m: Match) -> bool:
        """Whether this is broken: matches have a station while they are called and at no other time."""
        return (
            (m["status"] == "called") != (m["station_id"] is not None)
            or (m["status"] == "called") != (m["called_at"] is not None)
        )

    def _breaks_rule_7(self, e: Entry) -> bool:
        """Whether this is broken: an entry waits for one match of its tournament at a time."""
        return sum(
            1
            for m in self._matches_by_tournament.get(e["tournament_id"], {}).values()
            if self._plays(m, e)
            and m["status"] != "decided"
        ) > 1

    def _breaks_rule_8(self, a: Match) -> bool:
        """Whether this is broken: nobody plays two matches at a time, in whatever tournaments."""
        return (
            a["status"] == "called"
            and any(
                not (
                    a is b
                    or a["home_id"] is None
                    or a["away_id"] is None
                    or b["home_id"] is None
                    or b["away_id"] is None
                    or self.entries[a["home_id"]]["player_id"] != self.entries[b["home_id"]]["player_id"]
                    and self.entries[a["home_id"]]["player_id"] != self.entries[b["away_id"]]["player_id"]
                    and self.entries[a["away_id"]]["player_id"] != self.entries[b["home_id"]]["player_id"]
                    and self.entries[a["away_id"]]["player_id"] != self.entries[b["away_id"]]["player_id"]
                )
                for b in self._matches_by_status.get("called", {}).values()
            )
        )

    def _breaks_rule_9_m(self, m: Match) -> bool:
        """Whether this is broken: a decided match has a winner who played in it and who stands in the match it leads
        to.
        """
        return (m["status"] == "decided") != (m["winner_id"] is not None)

    def _breaks_rule_9_m_again(self, m: Match) -> bool:
        """Whether this is broken: a decided match has a winner who played in it and who stands in the match it leads
        to.
        """
        return not (
            m["winner_id"] is None
            or self.entries[m["winner_id"]] in [self.entries.get(m["home_id"]), self.entries.get(m["away_id"])]
            and (
                m["feeds_id"] is None
                or self.entries[m["winner_id"]] in [
                    self.entries.get(self.matches[m["feeds_id"]]["home_id"]),
                    self.entries.get(self.matches[m["feeds_id"]]["away_id"]),
                ]
            )
        )

    def _breaks_rule_10(self, m: Match) -> bool:
        """Whether this is broken: who is out or withdrawn stands in no open match."""
        return (
            m["status"] != "decided"
            and (
                m["home_id"] is not None
                and self.entries[m["home_id"]]["status"] in ("out", "withdrawn")
                or m["away_id"] is not None
                and self.entries[m["away_id"]]["status"] in ("out", "withdrawn")
            )
        )

    def _breaks_rule_11_t(self, t: Tournament) -> bool:
        """Whether this is broken: a finished tournament has a champion and no open match."""
        return (t["status"] == "finished") != (t["champion_id"] is not None)

    def _breaks_rule_11_m(self, m: Match) -> bool:
        """Whether this is broken: a finished tournament has a champion and no open match."""
        return self.tournaments[m["tournament_id"]]["status"] == "finished" and m["status"] != "decided"

    def _breaks_rule_12(self, m: Match) -> bool:
        """Whether this is broken: a disputed match has one open dispute, and no other match has any."""
        return (m["status"] == "disputed") != (
            sum(1 for d in self._disputes_by_game.get(m["id"], {}).values() if d["ruling"] is None) == 1
        )

    def _breaks_rule_13(self, d: Dispute) -> bool:
        """Whether this is broken: no referee rules about players of their own club."""
        return (
            d["referee_id"] is not None
            and self._partial(self.referees[d["referee_id"]], self.matches[d["game_id"]])
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
            case "entries":
                self._entries_by_player.setdefault(record["player_id"], {})[record["id"]] = record
                self._entries_by_tournament.setdefault(record["tournament_id"], {})[record["id"]] = record
                self._entries_by_tournament_player.setdefault(
                    (record["tournament_id"], record["player_id"]),
                    {},
                )[record["id"]] = record
                self._entries_by_tournament_status.setdefault(
                    (record["tournament_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "matches":
                self._matches_by_away.setdefault(record["away_id"], {})[record["id"]] = record
                self._matches_by_feeds.setdefault(record["feeds_id"], {})[record["id"]] = record
                self._matches_by_home.setdefault(record["home_id"], {})[record["id"]] = record
                self._matches_by_station.setdefault(record["station_id"], {})[record["id"]] = record
                self._matches_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._matches_by_tournament.setdefault(record["tournament_id"], {})[record["id"]] = record
                self._matches_by_tournament_status.setdefault(
                    (record["tournament_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "disputes":
                self._disputes_by_game.setdefault(record["game_id"], {})[record["id"]] = record
                self._disputes_by_referee.setdefault(record["referee_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "entries":
                del self._entries_by_player[record["player_id"]][record["id"]]
                del self._entries_by_tournament[record["tournament_id"]][record["id"]]
                del self._entries_by_tournament_player[record["tournament_id"], record["player_id"]][record["id"]]
                del self._entries_by_tournament_status[record["tournament_id"], record["status"]][record["id"]]
            case "matches":
                del self._matches_by_away[record["away_id"]][record["id"]]
                del self._matches_by_feeds[record["feeds_id"]][record["id"]]
                del self._matches_by_home[record["home_id"]][record["id"]]
                del self._matches_by_station[record["station_id"]][record["id"]]
                del self._matches_by_status[record["status"]][record["id"]]
                del self._matches_by_tournament[record["tournament_id"]][record["id"]]
                del self._matches_by_tournament_status[record["tournament_id"], record["status"]][record["id"]]
            case "disputes":
                del self._disputes_by_game[record["game_id"]][record["id"]]
                del self._disputes_by_referee[record["referee_id"]][record["id"]]
