"""Futsal league. Compiled from blueprint.yaml; run `envscaler build sports_league` after changing it there.

Runs a futsal league with its fixtures, venues and referees, squad lists, results, cards, suspensions, transfers
and standings.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A team never plays itself.",
    "A team plays at most once on a matchday.",
    "Two teams meet at most once at the home of each.",
    "A team rests at least two days between two matches.",
    "Matches at one venue start at least two hours apart.",
    "A match has a kick-off unless it is postponed, and a score exactly when it was played or awarded.",
    "A referee never takes a match of a team from their own town.",
    "A referee takes at most one match a day.",
    "A match between two teams of one town has a referee of grade 1.",
    "Played matches had a referee.",
    "A squad list for a match to come names only players of the two teams, none of them suspended.",
    "A player is on one squad list of a match, which names at most eight players.",
    "A team never has more players than its squad limit.",
    "Two players of a team never wear the same shirt.",
    "Cards are shown in played matches only.",
    "A suspension is served exactly when its matches are over.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "schedule_fixture",
    "reschedule_fixture",
    "postpone_fixture",
    "assign_referee",
    "name_squad",
    "record_result",
    "correct_result",
    "award_match",
    "show_card",
    "lift_suspension",
    "transfer_player",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "teams": ("name",),
    "venues": ("name",),
    "referees": ("name",),
    "players": ("name",),
    "fixtures": (),
    "selections": (),
    "suspensions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("fixtures", "away_id"),
    ("fixtures", "home_id"),
    ("fixtures", "referee_id"),
    ("fixtures", "venue_id"),
    ("players", "team_id"),
    ("selections", "card"),
    ("selections", "fixture_id"),
    ("selections", "player_id"),
    ("selections", "team_id"),
    ("suspensions", "player_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Team(TypedDict):
    id: str
    name: str
    town: str
    squad_limit: int


class Venue(TypedDict):
    id: str
    name: str
    town: str
    spectators: int


class Referee(TypedDict):
    id: str
    name: str
    town: str
    grade: int


class Player(TypedDict):
    id: str
    name: str
    position: Literal["goalkeeper", "defender", "winger", "pivot"]
    team_id: str
    shirt: int
    joined_on: str


class Fixture(TypedDict):
    id: str
    matchday: int
    home_id: str
    away_id: str
    venue_id: str
    kickoff: str | None
    referee_id: str | None
    home_goals: int | None
    away_goals: int | None
    status: Literal["scheduled", "postponed", "played", "awarded"]


class Selection(TypedDict):
    id: str
    fixture_id: str
    team_id: str
    player_id: str
    card: Literal["yellow", "red"] | None


class Suspension(TypedDict):
    id: str
    player_id: str
    reason: Literal["red_card", "yellow_cards"]
    matches: int
    served: int
    imposed_on: str
    status: Literal["serving", "served", "lifted"]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class SportsLeague:
    """Runs a futsal league with its fixtures, venues and referees, squad lists, results, cards,
    suspensions, transfers and standings.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.venues: dict[str, Venue] = _copied(config.get("venues", {}))
        self.referees: dict[str, Referee] = _copied(config.get("referees", {}))
        self.players: dict[str, Player] = _copied(config.get("players", {}))
        self.fixtures: dict[str, Fixture] = _copied(config.get("fixtures", {}))
        self.selections: dict[str, Selection] = _copied(config.get("selections", {}))
        self.suspensions: dict[str, Suspension] = _copied(config.get("suspensions", {}))
        self.now: str = config.get("now", "2026-03-02T09:00")
        self.counters: dict[str, int] = {
            "team": len(self.teams),
            "venue": len(self.venues),
            "referee": len(self.referees),
            "player": len(self.players),
            "fixture": len(self.fixtures),
            "selection": len(self.selections),
            "suspension": len(self.suspensions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._players_by_team: dict[Any, dict[str, Player]] = {}
        self._fixtures_by_away: dict[Any, dict[str, Fixture]] = {}
        self._fixtures_by_home: dict[Any, dict[str, Fixture]] = {}
        self._fixtures_by_home_away: dict[Any, dict[str, Fixture]] = {}
        self._fixtures_by_referee: dict[Any, dict[str, Fixture]] = {}
        self._fixtures_by_venue: dict[Any, dict[str, Fixture]] = {}
        self._selections_by_fixture: dict[Any, dict[str, Selection]] = {}
        self._selections_by_fixture_player: dict[Any, dict[str, Selection]] = {}
        self._selections_by_fixture_team: dict[Any, dict[str, Selection]] = {}
        self._selections_by_player: dict[Any, dict[str, Selection]] = {}
        self._selections_by_player_card: dict[Any, dict[str, Selection]] = {}
        self._suspensions_by_player: dict[Any, dict[str, Suspension]] = {}
        for player in self.players.values():
            self._link("players", player)
        for fixture in self.fixtures.values():
            self._link("fixtures", fixture)
        for selection in self.selections.values():
            self._link("selections", selection)
        for suspension in self.suspensions.values():
            self._link("suspensions", suspension)

    def standings(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The table of the league, by points, then goal difference, then goals.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}} or {"success": False, "error": why
                not}
        """
        found = [t for t in self.teams.values()]
        found.sort(
            key=lambda t: (
                -self._team_points(t),
                self._team_goals_against(t) - self._team_goals_for(t),
                -self._team_goals_for(t),
                t["name"],
                _age(t),
            )
        )
        return _found(
            {
                "total": len(found),
                "teams": [
                    {
                        "team": t["name"],
                        "played": self._team_played(t),
                        "won": self._team_won(t),
                        "drawn": self._team_drawn(t),
                        "lost": self._team_lost(t),
                        "goals_for": self._team_goals_for(t),
                        "goals_against": self._team_goals_against(t),
                        "points": self._team_points(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def free_referees(
        self,
        fixture_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The referees who could take a scheduled match, best grade first.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "referees": records}} or {"success": False, "error": why
                not}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if fixture["kickoff"] is None:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} is "
                "postponed and has no date."
            )
        found = [
            r
            for r in self.referees.values()
            if (
                r["town"] != self.teams[fixture["home_id"]]["town"]
                and r["town"] != self.teams[fixture["away_id"]]["town"]
            )
            and (self.teams[fixture["home_id"]]["town"] != self.teams[fixture["away_id"]]["town"] or r["grade"] == 1)
            and not any(
                f["kickoff"][:10] == fixture["kickoff"][:10]
                for f in self._fixtures_by_referee.get(r["id"], {}).values()
                if f is not fixture
                and f["kickoff"] is not None
            )
        ]
        found.sort(key=lambda r: (r["grade"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "referees": [
                    {"referee_id": r["id"], "name": r["name"], "town": r["town"], "grade": r["grade"]}
                    for r in _page(found, offset)
                ],
            }
        )

    def eligible_players(
        self,
        team_id: str,
        position: Literal["goalkeeper", "defender", "winger", "pivot"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The players of a team who are not suspended, by shirt, with their yellow cards.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            position (str, optional): Position of the players listed: goalkeeper, defender, winger or pivot. If
                left out, players in all positions are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}} or {"success": False, "error": why
                not}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            p
            for p in self._players_by_team.get(team_id, {}).values()
            if (p["team_id"] == team_id and not self._player_suspended(p))
            and (position is None or p["position"] == position)
        ]
        found.sort(key=lambda p: (p["shirt"], _age(p)))
        return _found(
            {
                "total": len(found),
                "players": [
                    {
                        "player_id": p["id"],
                        "name": p["name"],
                        "position": p["position"],
                        "shirt": p["shirt"],
                        "yellow_cards": self._player_yellow_cards(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def free_venues(
        self,
        kickoff: DateTime,
        town: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The venues where a match could kick off at a time, if wanted only those of one town.

        Args:
            kickoff (str): When the match would begin, as YYYY-MM-DDTHH:MM.
            town (str, optional): Exact name of the town of the venues listed. If left out, the venues of all towns
                are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "venues": records}} or {"success": False, "error": why
                not}
        """
        found = [
            v
            for v in self.venues.values()
            if self._venue_user(v, kickoff, None) is None
            and (town is None or v["town"] == town)
        ]
        found.sort(key=lambda v: (v["name"], _age(v)))
        return _found(
            {
                "total": len(found),
                "venues": [
                    {"venue_id": v["id"], "name": v["name"], "town": v["town"], "spectators": v["spectators"]}
                    for v in _page(found, offset)
                ],
            }
        )

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
        return _found({"total": len(found), "teams": [self._show_team(team) for team in _page(found, offset)]})

    def list_venues(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the venues, oldest first, all of them or only some.

        Args:
            name (str, optional): Only venues whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "venues": records}}
        """
        found = [
            venue
            for venue in self.venues.values()
            if (name is None or name.casefold() in venue["name"].casefold())
        ]
        return _found({"total": len(found), "venues": [{**venue} for venue in _page(found, offset)]})

    def list_referees(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the referees, oldest first, all of them or only some.

        Args:
            name (str, optional): Only referees whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "referees": records}}
        """
        found = [
            referee
            for referee in self.referees.values()
            if (name is None or name.casefold() in referee["name"].casefold())
        ]
        return _found({"total": len(found), "referees": [{**referee} for referee in _page(found, offset)]})

    def list_players(
        self,
        name: Text | None = None,
        position: Literal["goalkeeper", "defender", "winger", "pivot"] | None = None,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the players, oldest first, all of them or only some.

        Args:
            name (str, optional): Only players whose name contains this text.
            position (str, optional): Only players with this position.
            team_id (str, optional): Only players of this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "players": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            player
            for player in self.players.values()
            if (name is None or name.casefold() in player["name"].casefold())
            and (position is None or player["position"] == position)
            and (team_id is None or player["team_id"] == team_id)
        ]
        shown = [self._show_player(player) for player in _page(found, offset)]
        return _found({"total": len(found), "players": shown}, self._names_of_players(shown))

    def list_fixtures(
        self,
        home_id: str | None = None,
        away_id: str | None = None,
        venue_id: str | None = None,
        referee_id: str | None = None,
        status: Literal["scheduled", "postponed", "played", "awarded"] | None = None,
        kickoff_from: Date | None = None,
        kickoff_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fixtures, oldest first, all of them or only some.

        Args:
            home_id (str, optional): Only fixtures whose home is this team.
            away_id (str, optional): Only fixtures whose away is this team.
            venue_id (str, optional): Only fixtures of this venue.
            referee_id (str, optional): Only fixtures of this referee.
            status (str, optional): Only fixtures with this status.
            kickoff_from (str, optional): Only fixtures whose `kickoff` is on this day or later.
            kickoff_to (str, optional): Only fixtures whose `kickoff` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fixtures": records}}
        """
        if home_id is not None and home_id not in self.teams:
            return _refused(f"There is no team {home_id!r}.")
        if away_id is not None and away_id not in self.teams:
            return _refused(f"There is no team {away_id!r}.")
        if venue_id is not None and venue_id not in self.venues:
            return _refused(f"There is no venue {venue_id!r}.")
        if referee_id is not None and referee_id not in self.referees:
            return _refused(f"There is no referee {referee_id!r}.")
        found = [
            fixture
            for fixture in self.fixtures.values()
            if (home_id is None or fixture["home_id"] == home_id)
            and (away_id is None or fixture["away_id"] == away_id)
            and (venue_id is None or fixture["venue_id"] == venue_id)
            and (referee_id is None or fixture["referee_id"] == referee_id)
            and (status is None or fixture["status"] == status)
            and (kickoff_from is None or (fixture["kickoff"] is not None and fixture["kickoff"][:10] >= kickoff_from))
            and (kickoff_to is None or (fixture["kickoff"] is not None and fixture["kickoff"][:10] <= kickoff_to))
        ]
        shown = [{**fixture} for fixture in _page(found, offset)]
        return _found({"total": len(found), "fixtures": shown}, self._names_of_fixtures(shown))

    def list_selections(
        self,
        fixture_id: str | None = None,
        team_id: str | None = None,
        player_id: str | None = None,
        card: Literal["yellow", "red"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the selections, oldest first, all of them or only some.

        Args:
            fixture_id (str, optional): Only selections of this fixture.
            team_id (str, optional): Only selections of this team.
            player_id (str, optional): Only selections of this player.
            card (str, optional): Only selections with this card.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "selections": records}}
        """
        if fixture_id is not None and fixture_id not in self.fixtures:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            selection
            for selection in self.selections.values()
            if (fixture_id is None or selection["fixture_id"] == fixture_id)
            and (team_id is None or selection["team_id"] == team_id)
            and (player_id is None or selection["player_id"] == player_id)
            and (card is None or selection["card"] == card)
        ]
        shown = [{**selection} for selection in _page(found, offset)]
        return _found({"total": len(found), "selections": shown}, self._names_of_selections(shown))

    def list_suspensions(
        self,
        player_id: str | None = None,
        reason: Literal["red_card", "yellow_cards"] | None = None,
        status: Literal["serving", "served", "lifted"] | None = None,
        imposed_on_from: Date | None = None,
        imposed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the suspensions, oldest first, all of them or only some.

        Args:
            player_id (str, optional): Only suspensions of this player.
            reason (str, optional): Only suspensions with this reason.
            status (str, optional): Only suspensions with this status.
            imposed_on_from (str, optional): Only suspensions whose `imposed_on` is on this day or later.
            imposed_on_to (str, optional): Only suspensions whose `imposed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "suspensions": records}}
        """
        if player_id is not None and player_id not in self.players:
            return _refused(f"There is no player {player_id!r}.")
        found = [
            suspension
            for suspension in self.suspensions.values()
            if (player_id is None or suspension["player_id"] == player_id)
            and (reason is None or suspension["reason"] == reason)
            and (status is None or suspension["status"] == status)
            and (imposed_on_from is None or suspension["imposed_on"] >= imposed_on_from)
            and (imposed_on_to is None or suspension["imposed_on"] <= imposed_on_to)
        ]
        shown = [{**suspension} for suspension in _page(found, offset)]
        return _found({"total": len(found), "suspensions": shown}, self._names_of_suspensions(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def schedule_fixture(
        self,
        matchday: Annotated[int, {"minimum": 1, "maximum": 12}],
        home_id: str,
        away_id: str,
        venue_id: str,
        kickoff: DateTime,
    ) -> Result:
        """Schedule a match of a matchday at a venue.

        Args:
            matchday (int): Number of the matchday on which the match counts, from 1 to 12.
            home_id (str): Team that plays at home; an id such as TEAM-00001.
            away_id (str): Other team, which plays as the guest; an id such as TEAM-00001.
            venue_id (str): Id of the venue, such as VENUE-00001.
            kickoff (str): When the match begins, later than now and two days apart from other matches, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        home = self.teams.get(home_id)
        if home is None:
            return _refused(f"There is no team {home_id!r}.")
        away = self.teams.get(away_id)
        if away is None:
            return _refused(f"There is no team {away_id!r}.")
        venue = self.venues.get(venue_id)
        if venue is None:
            return _refused(f"There is no venue {venue_id!r}.")
        if home is away:
            return _refused(f"{home['name']} cannot play itself.")
        if kickoff <= self.now:
            return _refused(f"The kick-off {kickoff} is in the past.")
        if self._fixtures_by_home_away.get((home_id, away_id), {}):
            return _refused(f"{home['name']} against {away['name']} is scheduled already.")
        other = self._on_matchday(home, matchday) or self._on_matchday(away, matchday)
        if other is not None:
            return _refused(
                f"On matchday {matchday} {self.teams[other['home_id']]['name']} plays "
                f"{self.teams[other['away_id']]['name']}."
            )
        user = self._venue_user(venue, kickoff, None)
        if user is not None:
            return _refused(
                f"{venue['name']} is taken at that time by {self.teams[user['home_id']]['name']} against "
                f"{self.teams[user['away_id']]['name']}."
            )
        near = self._too_soon(home, kickoff, None) or self._too_soon(away, kickoff, None)
        if near is not None:
            return _refused(
                f"{self.teams[near['home_id']]['name']} plays {self.teams[near['away_id']]['name']} less than two "
                "days before or after."
            )
        self._journal = []
        fixture: Fixture = {
            "id": self._new_id("fixture", "FIXTURE", self.fixtures),
            "matchday": matchday,
            "home_id": home_id,
            "away_id": away_id,
            "venue_id": venue_id,
            "kickoff": kickoff,
            "referee_id": None,
            "home_goals": None,
            "away_goals": None,
            "status": "scheduled",
        }
        self._add("fixtures", fixture)
        if self._breaks_rule_1(fixture):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_f(fixture):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_f_again(fixture):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_f_again_again(fixture):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_g(fixture):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(fixture):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_f(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g_again_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_f(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_g(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(fixture):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_f(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_g(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(fixture):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(fixture):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: schedule {home['name']} against {away['name']} on matchday {matchday} at {venue['name']}, "
                f"{kickoff} (new: fixture {fixture['id']})."
            ),
            "data": {"fixture_id": fixture["id"], **self._changes()},
        }

    def reschedule_fixture(self, fixture_id: str, venue_id: str, kickoff: DateTime) -> Result:
        """Give a scheduled or postponed match another kick-off or venue; its referee must be assigned anew.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            venue_id (str): Id of the venue, such as VENUE-00001.
            kickoff (str): When the match is to begin, later than now, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        venue = self.venues.get(venue_id)
        if venue is None:
            return _refused(f"There is no venue {venue_id!r}.")
        if fixture["status"] not in ("scheduled", "postponed"):
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} was "
                f"{fixture['status']}."
            )
        if kickoff <= self.now:
            return _refused(f"The kick-off {kickoff} is in the past.")
        if venue_id == fixture["venue_id"] and kickoff == fixture["kickoff"]:
            return _refused(f"The match is at {venue['name']} at {kickoff} already.")
        user = self._venue_user(venue, kickoff, fixture)
        if user is not None:
            return _refused(
                f"{venue['name']} is taken at that time by {self.teams[user['home_id']]['name']} against "
                f"{self.teams[user['away_id']]['name']}."
            )
        near = (
            self._too_soon(self.teams[fixture["home_id"]], kickoff, fixture)
            or self._too_soon(self.teams[fixture["away_id"]], kickoff, fixture)
        )
        if near is not None:
            return _refused(
                f"{self.teams[near['home_id']]['name']} plays {self.teams[near['away_id']]['name']} less than two "
                "days before or after."
            )
        self._journal = []
        self._put("fixtures", fixture, "venue_id", venue_id)
        self._put("fixtures", fixture, "kickoff", kickoff)
        self._put("fixtures", fixture, "referee_id", None)
        self._put("fixtures", fixture, "status", "scheduled")
        if self._breaks_rule_4_f(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g_again_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_f(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_g(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(fixture):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_f(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_g(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(fixture):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(fixture):
            return self._take_back(RULES[9])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if self._breaks_rule_15(one_selection):
                return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: move {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']} to {venue['name']}, {kickoff}."
            ),
            "data": self._changes(),
        }

    def postpone_fixture(self, fixture_id: str) -> Result:
        """Postpone a scheduled match without a new date; its squad lists are void and its referee is free again.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if fixture["status"] != "scheduled":
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} was "
                f"{fixture['status']}."
            )
        self._journal = []
        deleted_selections: list[Any] = []
        for x in sorted(self._selections_by_fixture.get(fixture_id, {}).values(), key=_age):
            if x["id"] in self.selections:
                self._remove("selections", x)
            deleted_selections.append(x)
        self._put("fixtures", fixture, "kickoff", None)
        self._put("fixtures", fixture, "referee_id", None)
        self._put("fixtures", fixture, "status", "postponed")
        if self._breaks_rule_4_f(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_g_again_again(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_f(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_g(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(fixture):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_f(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_g(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(fixture):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(fixture):
            return self._take_back(RULES[9])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if one_selection["id"] in self.selections and self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        for one_selection in _distinct(
            [
                user
                for one in [self.fixtures[one["fixture_id"]] for one in deleted_selections]
                for user in self._selections_by_fixture.get(one["id"], {}).values()
            ]
        ):
            if one_selection["id"] in self.selections and self._breaks_rule_12_x_again(one_selection):
                return self._take_back(RULES[11])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if one_selection["id"] in self.selections and self._breaks_rule_15(one_selection):
                return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: postpone {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def assign_referee(self, fixture_id: str, referee_id: str) -> Result:
        """Assign a referee to a scheduled match.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            referee_id (str): Id of the referee, such as REFEREE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        referee = self.referees.get(referee_id)
        if referee is None:
            return _refused(f"There is no referee {referee_id!r}.")
        if fixture["status"] != "scheduled" or fixture["kickoff"] is None:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} was "
                f"{fixture['status']}."
            )
        if fixture["referee_id"] == referee_id:
            return _refused(f"{referee['name']} has that match already.")
        if (
            referee["town"] == self.teams[fixture["home_id"]]["town"]
            or referee["town"] == self.teams[fixture["away_id"]]["town"]
        ):
            return _refused(f"{referee['name']} is from {referee['town']}, like one of the teams.")
        if self.teams[fixture["home_id"]]["town"] == self.teams[fixture["away_id"]]["town"] and referee["grade"] != 1:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} and {self.teams[fixture['away_id']]['name']} are both "
                f"from {self.teams[fixture['home_id']]['town']}, which takes a referee of grade 1; "
                f"{referee['name']} has grade {referee['grade']}."
            )
        same_day = next(
            (
                f
                for f in sorted(self._fixtures_by_referee.get(referee_id, {}).values(), key=_age)
                if f is not fixture
                and f["kickoff"] is not None
                and f["kickoff"][:10] == fixture["kickoff"][:10]
            ),
            None,
        )
        if same_day is not None:
            return _refused(
                f"{referee['name']} has {self.teams[same_day['home_id']]['name']} against "
                f"{self.teams[same_day['away_id']]['name']} on that day."
            )
        self._journal = []
        self._put("fixtures", fixture, "referee_id", referee_id)
        if self._breaks_rule_7(fixture):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_f(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_g(fixture):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(fixture):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(fixture):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: assign {referee['name']} to {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def name_squad(
        self,
        fixture_id: str,
        team_id: str,
        player_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Name the three to eight players of a team for a scheduled match, or all who may play if none is named, by
        shirt and at most eight; an earlier list is replaced.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            team_id (str): Id of the team, such as TEAM-00001.
            player_ids (list): Three to eight players of the team, none of them suspended: ids of players, such as
                PLAYER-00001. If left out, all who may play are named, by shirt number and at most eight.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        players = []
        for key in player_ids or []:
            if key not in self.players:
                return _refused(f"There is no player {key!r}.")
            players.append(self.players[key])
        if fixture["status"] != "scheduled":
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} was "
                f"{fixture['status']}."
            )
        if team_id != fixture["home_id"] and team_id != fixture["away_id"]:
            return _refused(f"{team['name']} does not play in that match.")
        if len(players) > 8:
            return _refused(f"A squad list names three to eight players, not {len(players)}.")
        if not _different([p["id"] for p in players]):
            return _refused("A player is named twice.")
        stranger = next((p for p in players if p["team_id"] != team_id), None)
        if stranger is not None:
            return _refused(f"{stranger['name']} plays for {self.teams[stranger['team_id']]['name']}.")
        banned = next((p for p in players if self._player_suspended(p)), None)
        if banned is not None:
            return _refused(f"{banned['name']} is suspended.")
        squad = (
            players
            if len(players) > 0
            else [
                p
                for p in sorted(self._players_by_team.get(team_id, {}).values(), key=_age)
                if not self._player_suspended(p)
            ]
        )
        if len(squad) < 3:
            return _refused(f"A squad list names three to eight players, not {len(squad)}.")
        self._journal = []
        deleted_selections: list[Any] = []
        added_selections: list[Any] = []
        for x in sorted(self._selections_by_fixture_team.get((fixture_id, team_id), {}).values(), key=_age):
            if x["id"] in self.selections:
                self._remove("selections", x)
            deleted_selections.append(x)
        for p in sorted(squad, key=lambda p: (p["shirt"], _age(p)))[:8]:
            selection = {
                "id": self._new_id("selection", "SELECTION", self.selections),
                "fixture_id": fixture_id,
                "team_id": team_id,
                "player_id": p["id"],
                "card": None,
            }
            self._add("selections", selection)
            added_selections.append(selection)
        for one_selection in _distinct(added_selections):
            if one_selection["id"] in self.selections and self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        for one_selection in _distinct(added_selections):
            if one_selection["id"] in self.selections and self._breaks_rule_12_x(one_selection):
                return self._take_back(RULES[11])
        for one_selection in _distinct(
            [
                *[
                    user
                    for one in [self.fixtures[one["fixture_id"]] for one in deleted_selections]
                    for user in self._selections_by_fixture.get(one["id"], {}).values()
                ],
                *added_selections,
                *[
                    user
                    for one in [self.fixtures[one["fixture_id"]] for one in added_selections]
                    for user in self._selections_by_fixture.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_selection["id"] in self.selections and self._breaks_rule_12_x_again(one_selection):
                return self._take_back(RULES[11])
        for one_selection in _distinct(added_selections):
            if one_selection["id"] in self.selections and self._breaks_rule_15(one_selection):
                return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: name the squad of {team['name']} for {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def record_result(
        self,
        fixture_id: str,
        home_goals: Annotated[int, {"minimum": 0, "maximum": 40}],
        away_goals: Annotated[int, {"minimum": 0, "maximum": 40}],
    ) -> Result:
        """Record the result of a match that has kicked off with a referee and two squad lists; suspended players of
        both teams have served one match.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            home_goals (int): Goals of the home team, from 0 to 40.
            away_goals (int): Goals of the away team, from 0 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if fixture["status"] != "scheduled" or fixture["kickoff"] is None:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} was "
                f"{fixture['status']}."
            )
        if fixture["kickoff"] > self.now:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} kicks "
                f"off at {fixture['kickoff']}."
            )
        if fixture["referee_id"] is None:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} has "
                "no referee."
            )
        if self._squad_size(fixture, self.teams[fixture["home_id"]]) < 3:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} has named "
                f"{self._squad_size(fixture, self.teams[fixture['home_id']])} players; at least three are needed."
            )
        if self._squad_size(fixture, self.teams[fixture["away_id"]]) < 3:
            return _refused(
                f"{self.teams[fixture['away_id']]['name']} has named "
                f"{self._squad_size(fixture, self.teams[fixture['away_id']])} players; at least three are needed."
            )
        self._journal = []
        changed_suspensions: list[Any] = []
        changed_suspensions_2: list[Any] = []
        self._put("fixtures", fixture, "home_goals", home_goals)
        self._put("fixtures", fixture, "away_goals", away_goals)
        self._put("fixtures", fixture, "status", "played")
        for s in [
            s
            for s in sorted(
                _distinct(
                    [
                        s
                        for key in [fixture["home_id"], fixture["away_id"]]
                        for _player in self._players_by_team.get(key, {}).values()
                        for s in self._suspensions_by_player.get(_player["id"], {}).values()
                    ]
                ),
                key=_age,
            )
            if s["status"] == "serving"
        ]:
            served = s["served"] + 1
            if not 0 <= served <= 6:
                return self._take_back(f"The served of {s['id']} must be between 0 and 6.")
            changed_suspensions.append(s)
            self._put("suspensions", s, "served", served)
            if s["served"] == s["matches"]:
                if s["status"] not in ("serving", "served"):
                    return self._take_back(f"Suspension {s['id']} cannot go from {s['status']} to served.")
                changed_suspensions_2.append(s)
                self._put("suspensions", s, "status", "served")
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(fixture):
            return self._take_back(RULES[9])
        for one_selection in _distinct(
            [
                *self._selections_by_fixture.get(fixture["id"], {}).values(),
                *[
                    user
                    for one in [self.players[one["player_id"]] for one in changed_suspensions_2]
                    for user in self._selections_by_player.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if self._breaks_rule_15(one_selection):
                return self._take_back(RULES[14])
        for one_suspension in _distinct([*changed_suspensions, *changed_suspensions_2]):
            if self._breaks_rule_16(one_suspension):
                return self._take_back(RULES[15])
        return {
            "success": True,
            "message": (
                f"Done: record {home_goals} to {away_goals} for {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def correct_result(
        self,
        fixture_id: str,
        home_goals: Annotated[int, {"minimum": 0, "maximum": 40}],
        away_goals: Annotated[int, {"minimum": 0, "maximum": 40}],
    ) -> Result:
        """Correct the result of a match played in the last 14 days.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            home_goals (int): Goals of the home team after the correction, from 0 to 40.
            away_goals (int): Goals of the away team after the correction, from 0 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if fixture["status"] != "played" or fixture["kickoff"] is None:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} is "
                f"{fixture['status']}."
            )
        if _days_between(fixture["kickoff"][:10], self.now[:10]) > 14:
            return _refused(f"The result of {fixture['kickoff'][:10]} is final.")
        if home_goals == fixture["home_goals"] and away_goals == fixture["away_goals"]:
            return _refused(f"The result is {home_goals} to {away_goals} already.")
        self._journal = []
        self._put("fixtures", fixture, "home_goals", home_goals)
        self._put("fixtures", fixture, "away_goals", away_goals)
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: correct the result of {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']} to {home_goals} to {away_goals}."
            ),
            "data": self._changes(),
        }

    def award_match(self, fixture_id: str, winner_id: str, withdrew: bool = False) -> Result:
        """Award a match 5 to 0 to one of its teams, because the other did not appear at the kick-off or has withdrawn
        from the league.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            winner_id (str): Team of this match that gets the 5 to 0 win; an id such as TEAM-00001.
            withdrew (bool): Whether the other team withdrew from the league, which allows an award before the
                kick-off. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        winner = self.teams.get(winner_id)
        if winner is None:
            return _refused(f"There is no team {winner_id!r}.")
        if fixture["status"] != "scheduled" or fixture["kickoff"] is None:
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} was "
                f"{fixture['status']}."
            )
        if not (withdrew or fixture["kickoff"] <= self.now):
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} kicks "
                f"off at {fixture['kickoff']}; until then both may appear, unless one has withdrawn from the league."
            )
        if winner_id != fixture["home_id"] and winner_id != fixture["away_id"]:
            return _refused(f"{winner['name']} does not play in that match.")
        self._journal = []
        deleted_selections: list[Any] = []
        for x in sorted(self._selections_by_fixture.get(fixture_id, {}).values(), key=_age):
            if x["id"] in self.selections:
                self._remove("selections", x)
            deleted_selections.append(x)
        self._put("fixtures", fixture, "home_goals", 5 if winner_id == fixture["home_id"] else 0)
        self._put("fixtures", fixture, "away_goals", 5 if winner_id == fixture["away_id"] else 0)
        self._put("fixtures", fixture, "status", "awarded")
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(fixture):
            return self._take_back(RULES[9])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if one_selection["id"] in self.selections and self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        for one_selection in _distinct(
            [
                user
                for one in [self.fixtures[one["fixture_id"]] for one in deleted_selections]
                for user in self._selections_by_fixture.get(one["id"], {}).values()
            ]
        ):
            if one_selection["id"] in self.selections and self._breaks_rule_12_x_again(one_selection):
                return self._take_back(RULES[11])
        for one_selection in _distinct(self._selections_by_fixture.get(fixture["id"], {}).values()):
            if one_selection["id"] in self.selections and self._breaks_rule_15(one_selection):
                return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: award {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']} to {winner['name']}."
            ),
            "data": self._changes(),
        }

    def show_card(
        self,
        fixture_id: str,
        player_id: str,
        card: Literal["yellow", "red"],
        matches: Annotated[int, {"minimum": 1, "maximum": 6}] = 1,
    ) -> Result:
        """Record a card of a player in a played match; a second yellow is a red, and a red or every third yellow
        suspends the player and takes them off coming squad lists.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.
            player_id (str): Id of the player, such as PLAYER-00001.
            card (str): Card that the player was shown: yellow or red.
            matches (int): Matches of suspension for a red card, 1 for a yellow one, from 1 to 6. Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        if fixture["status"] != "played":
            return _refused(
                f"{self.teams[fixture['home_id']]['name']} against {self.teams[fixture['away_id']]['name']} is "
                f"{fixture['status']}."
            )
        entry = next(
            (
                x
                for x in sorted(
                    self._selections_by_fixture_player.get((fixture_id, player_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if entry is None:
            return _refused(
                f"{player['name']} was on no squad list of {self.teams[fixture['home_id']]['name']} against "
                f"{self.teams[fixture['away_id']]['name']}."
            )
        if entry["card"] == "red":
            return _refused(f"{player['name']} was sent off in that match already.")
        if card != "red" and matches != 1:
            return _refused(f"Only a red card can suspend for {matches} matches.")
        self._journal = []
        added_suspensions: list[Any] = []
        deleted_selections: list[Any] = []
        off = card == "red" or entry["card"] == "yellow"
        self._put("selections", entry, "card", "red" if off else "yellow")
        if off:
            suspension = {
                "id": self._new_id("suspension", "SUSPENSION", self.suspensions),
                "player_id": player_id,
                "reason": "red_card",
                "matches": matches,
                "served": 0,
                "imposed_on": self.now[:10],
                "status": "serving",
            }
            self._add("suspensions", suspension)
            added_suspensions.append(suspension)
        else:
            if self._player_yellow_cards(player) % 3 == 0:
                new_suspension = {
                    "id": self._new_id("suspension", "SUSPENSION", self.suspensions),
                    "player_id": player_id,
                    "reason": "yellow_cards",
                    "matches": 1,
                    "served": 0,
                    "imposed_on": self.now[:10],
                    "status": "serving",
                }
                self._add("suspensions", new_suspension)
                added_suspensions.append(new_suspension)
        if self._player_suspended(player):
            for x in [
                x
                for x in sorted(self._selections_by_player.get(player_id, {}).values(), key=_age)
                if self.fixtures[x["fixture_id"]]["status"] == "scheduled"
            ]:
                if x["id"] in self.selections:
                    self._remove("selections", x)
                deleted_selections.append(x)
        for one_selection in _distinct(
            [
                user
                for one in [self.players[one["player_id"]] for one in added_suspensions]
                for user in self._selections_by_player.get(one["id"], {}).values()
            ]
        ):
            if one_selection["id"] in self.selections and self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        for one_selection in _distinct(
            [
                user
                for one in [self.fixtures[one["fixture_id"]] for one in deleted_selections]
                for user in self._selections_by_fixture.get(one["id"], {}).values()
            ]
        ):
            if one_selection["id"] in self.selections and self._breaks_rule_12_x_again(one_selection):
                return self._take_back(RULES[11])
        for one_selection in _distinct([entry]):
            if one_selection["id"] in self.selections and self._breaks_rule_15(one_selection):
                return self._take_back(RULES[14])
        for one_suspension in _distinct(added_suspensions):
            if self._breaks_rule_16(one_suspension):
                return self._take_back(RULES[15])
        return {
            "success": True,
            "message": (
                f"Done: record a {card} card of {player['name']} in {self.teams[fixture['home_id']]['name']} "
                f"against {self.teams[fixture['away_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def lift_suspension(self, suspension_id: str) -> Result:
        """Lift what is left of a suspension after an appeal.

        Args:
            suspension_id (str): Id of the suspension, such as SUSPENSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        suspension = self.suspensions.get(suspension_id)
        if suspension is None:
            return _refused(f"There is no suspension {suspension_id!r}.")
        if suspension["status"] != "serving":
            return _refused(
                f"The suspension of {self.players[suspension['player_id']]['name']} was {suspension['status']}."
            )
        self._journal = []
        self._put("suspensions", suspension, "status", "lifted")
        for one_selection in _distinct(self._selections_by_player.get(suspension["player_id"], {}).values()):
            if self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        if self._breaks_rule_16(suspension):
            return self._take_back(RULES[15])
        return {
            "success": True,
            "message": f"Done: lift the suspension of {self.players[suspension['player_id']]['name']}.",
            "data": self._changes(),
        }

    def transfer_player(
        self,
        player_id: str,
        team_id: str,
        shirt: Annotated[int, {"minimum": 1, "maximum": 20}],
    ) -> Result:
        """Transfer a player to another team with a free place and shirt.

        Args:
            player_id (str): Id of the player, such as PLAYER-00001.
            team_id (str): Id of the team, such as TEAM-00001.
            shirt (int): Free shirt number of the player in the new team, from 1 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        player = self.players.get(player_id)
        if player is None:
            return _refused(f"There is no player {player_id!r}.")
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        if team_id == player["team_id"]:
            return _refused(f"{player['name']} plays for {team['name']} already.")
        if _days_between(player["joined_on"], self.now[:10]) < 30:
            return _refused(
                f"{player['name']} joined {self.teams[player['team_id']]['name']} on {player['joined_on']}, less "
                "than 30 days ago."
            )
        if self._team_players(team) >= team["squad_limit"]:
            return _refused(f"{team['name']} has {self._team_players(team)} players, which is its limit.")
        if self._team_players(self.teams[player["team_id"]]) <= 4:
            return _refused(
                f"{self.teams[player['team_id']]['name']} has only "
                f"{self._team_players(self.teams[player['team_id']])} players and cannot let anybody go."
            )
        wearer = next(
            (p for p in sorted(self._players_by_team.get(team_id, {}).values(), key=_age) if p["shirt"] == shirt),
            None,
        )
        if wearer is not None:
            return _refused(f"{wearer['name']} wears shirt {shirt} of {team['name']}.")
        entry = next(
            (
                x
                for x in sorted(self._selections_by_player.get(player_id, {}).values(), key=_age)
                if self.fixtures[x["fixture_id"]]["status"] == "scheduled"
            ),
            None,
        )
        if entry is not None:
            return _refused(
                f"{player['name']} is on the squad list for "
                f"{self.teams[self.fixtures[entry['fixture_id']]['home_id']]['name']} against "
                f"{self.teams[self.fixtures[entry['fixture_id']]['away_id']]['name']}."
            )
        self._journal = []
        former_team_id = player["team_id"]
        self._put("players", player, "team_id", team_id)
        self._put("players", player, "shirt", shirt)
        self._put("players", player, "joined_on", self.now[:10])
        for one_selection in _distinct(self._selections_by_player.get(player["id"], {}).values()):
            if self._breaks_rule_11(one_selection):
                return self._take_back(RULES[10])
        if self._breaks_rule_13(self.teams[player["team_id"]]):
            return self._take_back(RULES[12])
        if self._breaks_rule_13(self.teams[former_team_id]):
            return self._take_back(RULES[12])
        if self._breaks_rule_14(player):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: transfer {player['name']} to {team['name']} with shirt {shirt}.",
            "data": self._changes(),
        }

    def _show_team(self, team: Team) -> dict[str, Any]:
        """The team as an answer shows it."""
        return {
            **team,
            "players": self._team_players(team),
            "played": self._team_played(team),
            "won": self._team_won(team),
            "drawn": self._team_drawn(team),
            "lost": self._team_lost(team),
            "goals_for": self._team_goals_for(team),
            "goals_against": self._team_goals_against(team),
            "points": self._team_points(team),
        }

    def _show_player(self, player: Player) -> dict[str, Any]:
        """The player as an answer shows it."""
        return {
            **player,
            "yellow_cards": self._player_yellow_cards(player),
            "suspended": self._player_suspended(player),
        }

    def _names_of_players(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that players point to."""
        return _names((self.teams, "name", [row["team_id"] for row in shown]))

    def _names_of_fixtures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fixtures point to."""
        return _names(
            (self.teams, "name", [row["home_id"] for row in shown]),
            (self.teams, "name", [row["away_id"] for row in shown]),
            (self.venues, "name", [row["venue_id"] for row in shown]),
            (self.referees, "name", [row["referee_id"] for row in shown]),
        )

    def _names_of_selections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that selections point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.players, "name", [row["player_id"] for row in shown]),
        )

    def _names_of_suspensions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that suspensions point to."""
        return _names((self.players, "name", [row["player_id"] for row in shown]))

    def _team_players(self, team: Team) -> int:
        """The players of a team."""
        return len(self._players_by_team.get(team["id"], {}))

    def _team_played(self, team: Team) -> int:
        """The played of a team."""
        return (
            sum(1 for f in self._fixtures_by_home.get(team["id"], {}).values() if self._over(f))
            + sum(1 for f in self._fixtures_by_away.get(team["id"], {}).values() if self._over(f))
        )

    def _team_won(self, team: Team) -> int:
        """The won of a team."""
        return (
            sum(1 for f in self._fixtures_by_home.get(team["id"], {}).values() if self._margin(f) > 0)
            + sum(1 for f in self._fixtures_by_away.get(team["id"], {}).values() if self._margin(f) < 0)
        )

    def _team_drawn(self, team: Team) -> int:
        """The drawn of a team."""
        return (
            sum(
                1
                for f in self._fixtures_by_home.get(team["id"], {}).values()
                if self._over(f)
                and self._margin(f) == 0
            )
            + sum(
                1
                for f in self._fixtures_by_away.get(team["id"], {}).values()
                if self._over(f)
                and self._margin(f) == 0
            )
        )

    def _team_lost(self, team: Team) -> int:
        """The lost of a team."""
        return self._team_played(team) - self._team_won(team) - self._team_drawn(team)

    def _team_goals_for(self, team: Team) -> int:
        """The goals for of a team."""
        return (
            sum(
                f["home_goals"]
                if f["home_goals"] is not None
                else 0
                for f in self._fixtures_by_home.get(team["id"], {}).values()
            )
            + sum(
                f["away_goals"]
                if f["away_goals"] is not None
                else 0
                for f in self._fixtures_by_away.get(team["id"], {}).values()
            )
        )

    def _team_goals_against(self, team: Team) -> int:
        """The goals against of a team."""
        return (
            sum(
                f["away_goals"]
                if f["away_goals"] is not None
                else 0
                for f in self._fixtures_by_home.get(team["id"], {}).values()
            )
            + sum(
                f["home_goals"]
                if f["home_goals"] is not None
                else 0
                for f in self._fixtures_by_away.get(team["id"], {}).values()
            )
        )

    def _team_points(self, team: Team) -> int:
        """The points of a team."""
        return 3 * self._team_won(team) + self._team_drawn(team)

    def _player_yellow_cards(self, player: Player) -> int:
        """The yellow cards of a player."""
        return len(self._selections_by_player_card.get((player["id"], "yellow"), {}))

    def _player_suspended(self, player: Player) -> bool:
        """The suspended of a player."""
        return any(s["status"] == "serving" for s in self._suspensions_by_player.get(player["id"], {}).values())

    def _over(self, f: Fixture) -> bool:
        return f["status"] in ("played", "awarded")

    def _margin(self, f: Fixture) -> int:
        return (
            (f["home_goals"] if f["home_goals"] is not None else 0)
            - (f["away_goals"] if f["away_goals"] is not None else 0)
        )

    def _rested(self, f: Fixture, g: Fixture) -> bool:
        return (
            f["kickoff"] is None
            or g["kickoff"] is None
            or abs(_minutes_between(g["kickoff"], f["kickoff"])) >= 2 * 1440
        )

    def _on_matchday(self, t: Team, d: int) -> Fixture | None:
        return (
            next(
                (f for f in sorted(self._fixtures_by_home.get(t["id"], {}).values(), key=_age) if f["matchday"] == d),
                None,
            )
            or next(
                (f for f in sorted(self._fixtures_by_away.get(t["id"], {}).values(), key=_age) if f["matchday"] == d),
                None,
            )
        )

    def _close_to(self, f: Fixture, at: str) -> bool:
        return f["kickoff"] is not None and abs(_minutes_between(at, f["kickoff"])) < 2 * 1440

    def _squad_size(self, f: Fixture, t: Team) -> int:
        return len(self._selections_by_fixture_team.get((f["id"], t["id"]), {}))

    def _venue_user(self, v: Venue, at: str, skip: Fixture | None) -> Fixture | None:
        return next(
            (
                f
                for f in sorted(self._fixtures_by_venue.get(v["id"], {}).values(), key=_age)
                if f is not skip
                and f["kickoff"] is not None
                and abs(_minutes_between(at, f["kickoff"])) < 120
            ),
            None,
        )

    def _too_soon(self, t: Team, at: str, skip: Fixture | None) -> Fixture | None:
        return (
            next(
                (
                    f
                    for f in sorted(self._fixtures_by_home.get(t["id"], {}).values(), key=_age)
                    if f is not skip
                    and self._close_to(f, at)
                ),
                None,
            )
            or next(
                (
                    f
                    for f in sorted(self._fixtures_by_away.get(t["id"], {}).values(), key=_age)
                    if f is not skip
                    and self._close_to(f, at)
                ),
                None,
            )
        )

    def _breaks_rule_1(self, f: Fixture) -> bool:
        """Whether this is broken: a team never plays itself."""
        return f["home_id"] == f["away_id"]

    def _breaks_rule_2_f(self, f: Fixture) -> bool:
        """Whether this is broken: a team plays at most once on a matchday."""
        return any(
            other_f is not f
            for other_f in self._fixtures_by_home.get(f["home_id"], {}).values()
            if other_f["matchday"] == f["matchday"]
        )

    def _breaks_rule_2_f_again(self, f: Fixture) -> bool:
        """Whether this is broken: a team plays at most once on a matchday."""
        return any(
            other_f is not f
            for other_f in self._fixtures_by_away.get(f["away_id"], {}).values()
            if other_f["matchday"] == f["matchday"]
        )

    def _breaks_rule_2_f_again_again(self, f: Fixture) -> bool:
        """Whether this is broken: a team plays at most once on a matchday."""
        return any(f["matchday"] == g["matchday"] for g in self._fixtures_by_away.get(f["home_id"], {}).values())

    def _breaks_rule_2_g(self, g: Fixture) -> bool:
        """Whether this is broken: a team plays at most once on a matchday."""
        return any(f["matchday"] == g["matchday"] for f in self._fixtures_by_home.get(g["away_id"], {}).values())

    def _breaks_rule_3(self, f: Fixture) -> bool:
        """Whether this is broken: two teams meet at most once at the home of each."""
        return any(
            other_f is not f
            for other_f in self._fixtures_by_home_away.get((f["home_id"], f["away_id"]), {}).values()
        )

    def _breaks_rule_4_f(self, f: Fixture) -> bool:
        """Whether this is broken: a team rests at least two days between two matches."""
        return any(
            not self._rested(f, g)
            for g in self._fixtures_by_home.get(f["home_id"], {}).values()
            if f is not g
        )

    def _breaks_rule_4_g(self, g: Fixture) -> bool:
        """Whether this is broken: a team rests at least two days between two matches."""
        return any(
            not self._rested(f, g)
            for f in self._fixtures_by_home.get(g["home_id"], {}).values()
            if f is not g
        )

    def _breaks_rule_4_f_again(self, f: Fixture) -> bool:
        """Whether this is broken: a team rests at least two days between two matches."""
        return any(
            not self._rested(f, g)
            for g in self._fixtures_by_away.get(f["away_id"], {}).values()
            if f is not g
        )

    def _breaks_rule_4_g_again(self, g: Fixture) -> bool:
        """Whether this is broken: a team rests at least two days between two matches."""
        return any(
            not self._rested(f, g)
            for f in self._fixtures_by_away.get(g["away_id"], {}).values()
            if f is not g
        )

    def _breaks_rule_4_f_again_again(self, f: Fixture) -> bool:
        """Whether this is broken: a team rests at least two days between two matches."""
        return any(not self._rested(f, g) for g in self._fixtures_by_away.get(f["home_id"], {}).values())

    def _breaks_rule_4_g_again_again(self, g: Fixture) -> bool:
        """Whether this is broken: a team rests at least two days between two matches."""
        return any(not self._rested(f, g) for f in self._fixtures_by_home.get(g["away_id"], {}).values())

    def _breaks_rule_5_f(self, f: Fixture) -> bool:
        """Whether this is broken: matches at one venue start at least two hours apart."""
        return (
            f["kickoff"] is not None
            and any(
                abs(_minutes_between(g["kickoff"], f["kickoff"])) < 120
                for g in self._fixtures_by_venue.get(f["venue_id"], {}).values()
                if f is not g
                and g["kickoff"] is not None
            )
        )

    def _breaks_rule_5_g(self, g: Fixture) -> bool:
        """Whether this is broken: matches at one venue start at least two hours apart."""
        return (
            g["kickoff"] is not None
            and any(
                abs(_minutes_between(g["kickoff"], f["kickoff"])) < 120
                for f in self._fixtures_by_venue.get(g["venue_id"], {}).values()
                if f is not g
                and f["kickoff"] is not None
            )
        )

    def _breaks_rule_6(self, f: Fixture) -> bool:
        """Whether this is broken: a match has a kick-off unless it is postponed, and a score exactly when it was
        played or awarded.
        """
        return (
            (f["kickoff"] is None) != (f["status"] == "postponed")
            or (f["home_goals"] is not None) != self._over(f)
            or (f["away_goals"] is not None) != self._over(f)
        )

    def _breaks_rule_7(self, f: Fixture) -> bool:
        """Whether this is broken: a referee never takes a match of a team from their own town."""
        return (
            f["referee_id"] is not None
            and (
                self.referees[f["referee_id"]]["town"] == self.teams[f["home_id"]]["town"]
                or self.referees[f["referee_id"]]["town"] == self.teams[f["away_id"]]["town"]
            )
        )

    def _breaks_rule_8_f(self, f: Fixture) -> bool:
        """Whether this is broken: a referee takes at most one match a day."""
        return (
            f["referee_id"] is not None
            and f["kickoff"] is not None
            and any(
                f["kickoff"][:10] == g["kickoff"][:10]
                for g in self._fixtures_by_referee.get(f["referee_id"], {}).values()
                if f is not g
                and g["kickoff"] is not None
            )
        )

    def _breaks_rule_8_g(self, g: Fixture) -> bool:
        """Whether this is broken: a referee takes at most one match a day."""
        return (
            g["kickoff"] is not None
            and any(
                f["kickoff"][:10] == g["kickoff"][:10]
                for f in self._fixtures_by_referee.get(g["referee_id"], {}).values()
                if f is not g
                and f["referee_id"] is not None
                and f["kickoff"] is not None
            )
        )

    def _breaks_rule_9(self, f: Fixture) -> bool:
        """Whether this is broken: a match between two teams of one town has a referee of grade 1."""
        return (
            f["referee_id"] is not None
            and self.teams[f["home_id"]]["town"] == self.teams[f["away_id"]]["town"]
            and self.referees[f["referee_id"]]["grade"] != 1
        )

    def _breaks_rule_10(self, f: Fixture) -> bool:
        """Whether this is broken: played matches had a referee."""
        return f["status"] == "played" and f["referee_id"] is None

    def _breaks_rule_11(self, x: Selection) -> bool:
        """Whether this is broken: a squad list for a match to come names only players of the two teams, none of them
        suspended.
        """
        return (
            self.fixtures[x["fixture_id"]]["status"] == "scheduled"
            and not (
                self.players[x["player_id"]]["team_id"] == x["team_id"]
                and (
                    x["team_id"] == self.fixtures[x["fixture_id"]]["home_id"]
                    or x["team_id"] == self.fixtures[x["fixture_id"]]["away_id"]
                )
                and not self._player_suspended(self.players[x["player_id"]])
            )
        )

    def _breaks_rule_12_x(self, x: Selection) -> bool:
        """Whether this is broken: a player is on one squad list of a match, which names at most eight players."""
        return any(
            other_x is not x
            for other_x in self._selections_by_fixture_player.get((x["fixture_id"], x["player_id"]), {}).values()
        )

    def _breaks_rule_12_x_again(self, x: Selection) -> bool:
        """Whether this is broken: a player is on one squad list of a match, which names at most eight players."""
        return self._squad_size(self.fixtures[x["fixture_id"]], self.teams[x["team_id"]]) > 8

    def _breaks_rule_13(self, t: Team) -> bool:
        """Whether this is broken: a team never has more players than its squad limit."""
        return self._team_players(t) > t["squad_limit"]

    def _breaks_rule_14(self, p: Player) -> bool:
        """Whether this is broken: two players of a team never wear the same shirt."""
        return any(
            other_p is not p
            for other_p in self._players_by_team.get(p["team_id"], {}).values()
            if other_p["shirt"] == p["shirt"]
        )

    def _breaks_rule_15(self, x: Selection) -> bool:
        """Whether this is broken: cards are shown in played matches only."""
        return x["card"] is not None and self.fixtures[x["fixture_id"]]["status"] != "played"

    def _breaks_rule_16(self, s: Suspension) -> bool:
        """Whether this is broken: a suspension is served exactly when its matches are over."""
        return s["served"] > s["matches"] or (s["served"] == s["matches"]) != (s["status"] == "served")

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
                self._players_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "fixtures":
                self._fixtures_by_away.setdefault(record["away_id"], {})[record["id"]] = record
                self._fixtures_by_home.setdefault(record["home_id"], {})[record["id"]] = record
                self._fixtures_by_home_away.setdefault((record["home_id"], record["away_id"]), {})[record["id"]] = record
                self._fixtures_by_referee.setdefault(record["referee_id"], {})[record["id"]] = record
                self._fixtures_by_venue.setdefault(record["venue_id"], {})[record["id"]] = record
            case "selections":
                self._selections_by_fixture.setdefault(record["fixture_id"], {})[record["id"]] = record
                self._selections_by_fixture_player.setdefault(
                    (record["fixture_id"], record["player_id"]),
                    {},
                )[record["id"]] = record
                self._selections_by_fixture_team.setdefault(
                    (record["fixture_id"], record["team_id"]),
                    {},
                )[record["id"]] = record
                self._selections_by_player.setdefault(record["player_id"], {})[record["id"]] = record
                self._selections_by_player_card.setdefault(
                    (record["player_id"], record["card"]),
                    {},
                )[record["id"]] = record
            case "suspensions":
                self._suspensions_by_player.setdefault(record["player_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "players":
                del self._players_by_team[record["team_id"]][record["id"]]
            case "fixtures":
                del self._fixtures_by_away[record["away_id"]][record["id"]]
                del self._fixtures_by_home[record["home_id"]][record["id"]]
                del self._fixtures_by_home_away[record["home_id"], record["away_id"]][record["id"]]
                del self._fixtures_by_referee[record["referee_id"]][record["id"]]
                del self._fixtures_by_venue[record["venue_id"]][record["id"]]
            case "selections":
                del self._selections_by_fixture[record["fixture_id"]][record["id"]]
                del self._selections_by_fixture_player[record["fixture_id"], record["player_id"]][record["id"]]
                del self._selections_by_fixture_team[record["fixture_id"], record["team_id"]][record["id"]]
                del self._selections_by_player[record["player_id"]][record["id"]]
                del self._selections_by_player_card[record["player_id"], record["card"]][record["id"]]
            case "suspensions":
                del self._suspensions_by_player[record["player_id"]][record["id"]]
