"""Escape rooms. Compiled from blueprint.yaml; run `envscaler build escape_rooms` after changing it there.

Runs the games of an escape room house, with shared and private sessions, reset times, game masters trained for
each game, puzzles that break, vouchers and record times.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A game has one session at a time and is reset before the next.",
    "A game master leads one session at a time and resets the game after it.",
    "A game master leads only games that they are trained for.",
    "No more people play than the game allows.",
    "A private group plays alone.",
    "Nobody is in a session twice.",
    "Nobody has a place in a cancelled session.",
    "Only paid groups have played, and enough people for the game.",
    "A played session has its time, which is within the time of the game where it was solved.",
    "A paid group has paid in cash what its vouchers do not cover, and others have paid nothing.",
    "A voucher is used by a paid group until the day on which it expires.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_session",
    "join_session",
    "make_private",
    "pay_group",
    "take_out",
    "cancel_session",
    "move_session",
    "change_master",
    "train_master",
    "record_game",
    "set_puzzle",
    "sell_voucher",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "games": ("title",),
    "game_masters": ("name",),
    "puzzles": ("label",),
    "sessions": (),
    "groups": ("contact",),
    "vouchers": ("holder",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("game_masters", "trained_ids"),
    ("groups", "session_id"),
    ("puzzles", "game_id"),
    ("sessions", "game_id"),
    ("sessions", "master_id"),
    ("sessions", "status"),
    ("vouchers", "number"),
    ("vouchers", "used_by_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Game(TypedDict):
    id: str
    title: str
    fewest: int
    most: int
    minutes: int
    reset: int
    per_head: int
    private_extra: int


class GameMaster(TypedDict):
    id: str
    name: str
    trained_ids: list[str]


class Puzzle(TypedDict):
    id: str
    label: str
    game_id: str
    essential: bool
    broken_since: str | None


class Session(TypedDict):
    id: str
    game_id: str
    master_id: str
    starts_at: str
    status: Literal["open", "played", "cancelled"]
    taken: int | None
    hints: int
    solved: bool


class Group(TypedDict):
    id: str
    contact: str
    session_id: str
    players: int
    private: bool
    cash: int
    status: Literal["booked", "paid", "gone"]


class Voucher(TypedDict):
    id: str
    number: int
    holder: str
    value: int
    expires: str
    used_by_id: str | None
    used_on: str | None


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class EscapeRooms:
    """Runs the games of an escape room house, with shared and private sessions, reset times, game masters
    trained for each game, puzzles that break, vouchers and record times.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.games: dict[str, Game] = _copied(config.get("games", {}))
        self.game_masters: dict[str, GameMaster] = _copied(config.get("game_masters", {}))
        self.puzzles: dict[str, Puzzle] = _copied(config.get("puzzles", {}))
        self.sessions: dict[str, Session] = _copied(config.get("sessions", {}))
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.vouchers: dict[str, Voucher] = _copied(config.get("vouchers", {}))
        self.now: str = config.get("now", "2026-10-23T11:00")
        self.counters: dict[str, int] = {
            "game": len(self.games),
            "game_master": len(self.game_masters),
            "puzzle": len(self.puzzles),
            "session": len(self.sessions),
            "group": len(self.groups),
            "voucher": len(self.vouchers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._game_masters_by_trained: dict[Any, dict[str, GameMaster]] = {}
        self._puzzles_by_game: dict[Any, dict[str, Puzzle]] = {}
        self._sessions_by_game: dict[Any, dict[str, Session]] = {}
        self._sessions_by_game_status: dict[Any, dict[str, Session]] = {}
        self._sessions_by_master: dict[Any, dict[str, Session]] = {}
        self._sessions_by_master_status: dict[Any, dict[str, Session]] = {}
        self._groups_by_session: dict[Any, dict[str, Group]] = {}
        self._vouchers_by_number: dict[Any, dict[str, Voucher]] = {}
        self._vouchers_by_used_by: dict[Any, dict[str, Voucher]] = {}
        for game_master in self.game_masters.values():
            self._link("game_masters", game_master)
        for puzzle in self.puzzles.values():
            self._link("puzzles", puzzle)
        for session in self.sessions.values():
            self._link("sessions", session)
        for group in self.groups.values():
            self._link("groups", group)
        for voucher in self.vouchers.values():
            self._link("vouchers", voucher)

    def open_places(
        self,
        players: Annotated[int, {"minimum": 1, "maximum": 14}],
        game_id: str | None = None,
        private: bool = False,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open sessions ahead that a group can join, earliest first.

        Args:
            players (int): Number of players in the group, from 1 to 14.
            game_id (str, optional): Game that the group wants; an id such as GAME-00001. If left out, sessions of
                all games are listed.
            private (bool): Whether only sessions without other groups are listed. Default: false.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}} or {"success": False, "error": why
                not}
        """
        game = self.games.get(game_id) if game_id is not None else None
        if game_id is not None and game is None:
            return _refused(f"There is no game {game_id!r}.")
        found = [
            s
            for s in self.sessions.values()
            if (s["status"] == "open" and s["starts_at"] > self.now and self._session_places(s) >= players)
            and (game_id is None or s["game_id"] == game_id)
            and (not any(g["private"] for g in self._in_it(s)) and (not private or self._session_players(s) == 0))
        ]
        found.sort(key=lambda s: (s["starts_at"], s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sessions": [
                    {
                        "id": s["id"],
                        "game": self.games[s["game_id"]]["title"],
                        "starts_at": s["starts_at"],
                        "places": self._session_places(s),
                        "master": self.game_masters[s["master_id"]]["name"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def masters_for(
        self,
        game_id: str,
        starts_at: DateTime,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Game masters who could lead a game at a time, the least busy of that day first.

        Args:
            game_id (str): Id of the game, such as GAME-00001.
            starts_at (str): Time at which the session would begin, as YYYY-MM-DDTHH:MM.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "game_masters": records}} or {"success": False, "error":
                why not}
        """
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        found = [
            m
            for m in self._game_masters_by_trained.get(game_id, {}).values()
            if self._leading(m, game, starts_at, None) is None
        ]
        found.sort(key=lambda m: (self._led_on(m, starts_at[:10]), m["name"], _age(m)))
        return _found(
            {
                "total": len(found),
                "game_masters": [
                    {"id": m["id"], "name": m["name"], "that_day": self._led_on(m, starts_at[:10])}
                    for m in _page(found, offset)
                ],
            }
        )

    def valid_vouchers(
        self,
        holder: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Vouchers that are unused and valid today, the first to expire first.

        Args:
            holder (str, optional): Full name of the person who has the vouchers. If left out, vouchers of all
                holders are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vouchers": records}} or {"success": False, "error": why
                not}
        """
        found = [
            v
            for v in self.vouchers.values()
            if (v["used_by_id"] is None and v["expires"] >= self.now[:10])
            and (holder is None or v["holder"] == holder)
        ]
        found.sort(key=lambda v: (v["expires"], v["number"], _age(v)))
        return _found(
            {
                "total": len(found),
                "vouchers": [
                    {
                        "id": v["id"],
                        "number": v["number"],
                        "holder": v["holder"],
                        "value": v["value"],
                        "expires": v["expires"],
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def hall_of_fame(self, game_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The solved sessions of a game, fastest first.

        Args:
            game_id (str): Id of the game, such as GAME-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}} or {"success": False, "error": why
                not}
        """
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        found = [
            s
            for s in self._sessions_by_game.get(game_id, {}).values()
            if (s["game_id"] == game_id and s["solved"])
        ]
        found.sort(key=lambda s: (s["taken"] if s["taken"] is not None else 0, s["hints"], s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sessions": [
                    {
                        "id": s["id"],
                        "starts_at": s["starts_at"],
                        "taken": s["taken"],
                        "hints": s["hints"],
                        "groups": [*[g["contact"] for g in self._in_it(s)]],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_games(
        self,
        title: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the games, oldest first, all of them or only some.

        Args:
            title (str, optional): Only games whose title contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "games": records}}
        """
        found = [
            game
            for game in self.games.values()
            if (title is None or title.casefold() in game["title"].casefold())
        ]
        return _found({"total": len(found), "games": [self._show_game(game) for game in _page(found, offset)]})

    def list_game_masters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the game masters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only game masters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "game_masters": records}}
        """
        found = [
            game_master
            for game_master in self.game_masters.values()
            if (name is None or name.casefold() in game_master["name"].casefold())
        ]
        shown = [self._show_game_master(game_master) for game_master in _page(found, offset)]
        return _found({"total": len(found), "game_masters": shown}, self._names_of_game_masters(shown))

    def list_puzzles(
        self,
        label: Text | None = None,
        game_id: str | None = None,
        essential: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the puzzles, oldest first, all of them or only some.

        Args:
            label (str, optional): Only puzzles whose label contains this text.
            game_id (str, optional): Only puzzles of this game.
            essential (bool, optional): Only puzzles that are essential (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "puzzles": records}}
        """
        if game_id is not None and game_id not in self.games:
            return _refused(f"There is no game {game_id!r}.")
        found = [
            puzzle
            for puzzle in self.puzzles.values()
            if (label is None or label.casefold() in puzzle["label"].casefold())
            and (game_id is None or puzzle["game_id"] == game_id)
            and (essential is None or puzzle["essential"] == essential)
        ]
        shown = [{**puzzle} for puzzle in _page(found, offset)]
        return _found({"total": len(found), "puzzles": shown}, self._names_of_puzzles(shown))

    def list_sessions(
        self,
        game_id: str | None = None,
        master_id: str | None = None,
        status: Literal["open", "played", "cancelled"] | None = None,
        solved: bool | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sessions, oldest first, all of them or only some.

        Args:
            game_id (str, optional): Only sessions of this game.
            master_id (str, optional): Only sessions whose master is this game master.
            status (str, optional): Only sessions with this status.
            solved (bool, optional): Only sessions that are solved (true) or not (false).
            starts_at_from (str, optional): Only sessions whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only sessions whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}}
        """
        if game_id is not None and game_id not in self.games:
            return _refused(f"There is no game {game_id!r}.")
        if master_id is not None and master_id not in self.game_masters:
            return _refused(f"There is no game master {master_id!r}.")
        found = [
            session
            for session in self.sessions.values()
            if (game_id is None or session["game_id"] == game_id)
            and (master_id is None or session["master_id"] == master_id)
            and (status is None or session["status"] == status)
            and (solved is None or session["solved"] == solved)
            and (starts_at_from is None or session["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or session["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_session(session) for session in _page(found, offset)]
        return _found({"total": len(found), "sessions": shown}, self._names_of_sessions(shown))

    def list_groups(
        self,
        contact: Text | None = None,
        session_id: str | None = None,
        private: bool | None = None,
        status: Literal["booked", "paid", "gone"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the groups, oldest first, all of them or only some.

        Args:
            contact (str, optional): Only groups whose contact contains this text.
            session_id (str, optional): Only groups of this session.
            private (bool, optional): Only groups that are private (true) or not (false).
            status (str, optional): Only groups with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}}
        """
        if session_id is not None and session_id not in self.sessions:
            return _refused(f"There is no session {session_id!r}.")
        found = [
            group
            for group in self.groups.values()
            if (contact is None or contact.casefold() in group["contact"].casefold())
            and (session_id is None or group["session_id"] == session_id)
            and (private is None or group["private"] == private)
            and (status is None or group["status"] == status)
        ]
        return _found({"total": len(found), "groups": [self._show_group(group) for group in _page(found, offset)]})

    def list_vouchers(
        self,
        holder: Text | None = None,
        used_by_id: str | None = None,
        expires_from: Date | None = None,
        expires_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vouchers, oldest first, all of them or only some.

        Args:
            holder (str, optional): Only vouchers whose holder contains this text.
            used_by_id (str, optional): Only vouchers used by this group.
            expires_from (str, optional): Only vouchers whose `expires` is on this day or later.
            expires_to (str, optional): Only vouchers whose `expires` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vouchers": records}}
        """
        if used_by_id is not None and used_by_id not in self.groups:
            return _refused(f"There is no group {used_by_id!r}.")
        found = [
            voucher
            for voucher in self.vouchers.values()
            if (holder is None or holder.casefold() in voucher["holder"].casefold())
            and (used_by_id is None or voucher["used_by_id"] == used_by_id)
            and (expires_from is None or voucher["expires"] >= expires_from)
            and (expires_to is None or voucher["expires"] <= expires_to)
        ]
        shown = [{**voucher} for voucher in _page(found, offset)]
        return _found({"total": len(found), "vouchers": shown}, self._names_of_vouchers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_session(self, game_id: str, master_id: str, starts_at: DateTime) -> Result:
        """Open a session of a game with a game master.

        Args:
            game_id (str): Id of the game, such as GAME-00001.
            master_id (str): Free game master, trained for the game, who leads it; an id such as GM-00001.
            starts_at (str): Start of the session, between 10.00 and 22.00, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        master = self.game_masters.get(master_id)
        if master is None:
            return _refused(f"There is no game master {master_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if starts_at[11:] < "10:00" or starts_at[11:] > "22:00":
            return _refused("Sessions begin between 10:00 and 22:00.")
        if game_id not in master["trained_ids"]:
            return _refused(f"{master['name']} is not trained for {game['title']}.")
        puzzle = self._out_of_order(game)
        if puzzle is not None:
            return _refused(f"{game['title']} cannot be played without {puzzle['label']}, which is broken.")
        other = self._room_taken(game, starts_at, None)
        if other is not None:
            return _refused(
                f"{game['title']} is played at {other['starts_at']} and ready again at "
                f"{self._session_clear_at(other)}."
            )
        work = self._leading(master, game, starts_at, None)
        if work is not None:
            return _refused(
                f"{master['name']} leads {self.games[work['game_id']]['title']} at {work['starts_at']} and is "
                f"free at {self._session_clear_at(work)}."
            )
        self._journal = []
        session: Session = {
            "id": self._new_id("session", "SESSION", self.sessions),
            "game_id": game_id,
            "master_id": master_id,
            "starts_at": starts_at,
            "status": "open",
            "taken": None,
            "hints": 0,
            "solved": False,
        }
        self._add("sessions", session)
        if self._breaks_rule_1(session):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(session):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(session):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(session):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(session):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_s(session):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_s_again(session):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: open {game['title']} at {starts_at} with {master['name']} (new: session {session['id']})."
            ),
            "data": {"session_id": session["id"], **self._changes()},
        }

    def join_session(
        self,
        session_id: str,
        contact: Text,
        players: Annotated[int, {"minimum": 1, "maximum": 14}],
        private: bool = False,
    ) -> Result:
        """Put a group into an open session; a private group must be alone in it.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            contact (str): Name of the person who booked for the group.
            players (int): Number of players in the group, at most the places left, from 1 to 14.
            private (bool): Whether the group wants the session to itself at the extra price. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["status"] != "open":
            return _refused(f"The session is {session['status']}.")
        if session["starts_at"] <= self.now:
            return _refused(f"The session began at {session['starts_at']}.")
        if any(g["contact"].lower() == contact.lower() for g in self._in_it(session)):
            return _refused(f"{contact} is in that session already.")
        alone = next((g for g in self._in_it(session) if g["private"]), None)
        if alone is not None:
            return _refused(f"{alone['contact']} has booked the session privately.")
        if private and len(self._in_it(session)) != 0:
            return _refused("Others are in that session, so it cannot be private.")
        if players > self._session_places(session):
            return _refused(f"{self._session_places(session)} places are left, not {players}.")
        self._journal = []
        group: Group = {
            "id": self._new_id("group", "GROUP", self.groups),
            "contact": contact,
            "session_id": session_id,
            "players": players,
            "private": private,
            "cash": 0,
            "status": "booked",
        }
        self._add("groups", group)
        if self._breaks_rule_4(self.sessions[group["session_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sessions[group["session_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(group):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(group):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.sessions[group["session_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_g(group):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_g_again(group):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: put {contact} with {players} players into {self.games[session['game_id']]['title']} at "
                f"{session['starts_at']} (new: group {group['id']})."
            ),
            "data": {"group_id": group["id"], **self._changes()},
        }

    def make_private(self, group_id: str) -> Result:
        """Make the session of a group private for it; nobody else may be in it, and it must not have paid.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        if group["status"] != "booked" or self.sessions[group["session_id"]]["status"] != "open":
            return _refused(f"The group of {group['contact']} is {group['status']}.")
        if group["private"]:
            return _refused(f"The group of {group['contact']} plays alone already.")
        other = next((g for g in self._in_it(self.sessions[group["session_id"]]) if g is not group), None)
        if other is not None:
            return _refused(f"The group of {other['contact']} is in that session too.")
        self._journal = []
        self._put("groups", group, "private", True)
        if self._breaks_rule_5(self.sessions[group["session_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_10_g(group):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: make the session of {group['contact']} private.",
            "data": self._changes(),
        }

    def pay_group(self, group_id: str, voucher_ids: Annotated[list[str], {"maxItems": 20}] | None = None) -> Result:
        """Take the payment of a group, with vouchers and the rest in cash; what a voucher is worth beyond the price
        is lost.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            voucher_ids (list): Valid, unused vouchers that the group hands in: ids of vouchers, such as
                VOUCHER-00001. If left out, all is paid in cash.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        vouchers = []
        for key in voucher_ids or []:
            if key not in self.vouchers:
                return _refused(f"There is no voucher {key!r}.")
            vouchers.append(self.vouchers[key])
        if group["status"] != "booked" or self.sessions[group["session_id"]]["status"] != "open":
            return _refused(f"The group of {group['contact']} is {group['status']}.")
        if not _different([v["id"] for v in vouchers]):
            return _refused("A voucher is named twice.")
        used = next((v for v in vouchers if v["used_by_id"] is not None), None)
        if used is not None:
            return _refused(f"Voucher {used['number']} has been used.")
        over = next((v for v in vouchers if v["expires"] < self.now[:10]), None)
        if over is not None:
            return _refused(f"Voucher {over['number']} expired on {over['expires']}.")
        spare = next(
            (v for v in vouchers if sum(w["value"] for w in vouchers) - v["value"] >= self._group_price(group)),
            None,
        )
        if spare is not None:
            return _refused(
                f"The price is {_money(self._group_price(group))}, so voucher {spare['number']} is not needed."
            )
        self._journal = []
        changed_vouchers: list[Any] = []
        former_used_by_ids: list[Any] = []
        changed_vouchers_2: list[Any] = []
        for v in list(vouchers):
            changed_vouchers.append(v)
            former_used_by_ids.append(v["used_by_id"])
            self._put("vouchers", v, "used_by_id", group_id)
            changed_vouchers_2.append(v)
            self._put("vouchers", v, "used_on", self.now[:10])
        cash = max(self._group_price(group) - self._group_covered(group), 0)
        if not 0 <= cash <= 300000:
            return self._take_back(f"The cash of {group['contact']} must be between 0.00 and 3,000.00.")
        self._put("groups", group, "cash", cash)
        self._put("groups", group, "status", "paid")
        if self._breaks_rule_4(self.sessions[group["session_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sessions[group["session_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(group):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(group):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.sessions[group["session_id"]]):
            return self._take_back(RULES[7])
        for one_group in _distinct(
            [
                group,
                *[self.groups.get(one["used_by_id"]) for one in changed_vouchers],
                *[self.groups.get(key) for key in former_used_by_ids],
            ]
        ):
            if self._breaks_rule_10_g(one_group):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_g_again(group):
            return self._take_back(RULES[9])
        for one_voucher in _distinct(
            [*changed_vouchers, *changed_vouchers_2, *self._vouchers_by_used_by.get(group["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_voucher):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take the payment of {group['contact']} with {len(vouchers)} vouchers.",
            "data": self._changes(),
        }

    def take_out(self, group_id: str) -> Result:
        """Take a group out of a session that has not been played, a paid one only before it begins or when it had too
        few players; its vouchers are valid again and what it paid in cash becomes a voucher for half a year.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        if group["status"] == "gone" or self.sessions[group["session_id"]]["status"] != "open":
            return _refused(
                f"The group of {group['contact']} is {group['status']} and the session "
                f"{self.sessions[group['session_id']]['status']}."
            )
        if (
            group["status"] != "booked"
            and self.sessions[group["session_id"]]["starts_at"] <= self.now
            and self._session_players(self.sessions[group["session_id"]]) >= self.games[
                self.sessions[group["session_id"]]["game_id"]
            ]["fewest"]
        ):
            return _refused(
                f"The game of {group['contact']} began at {self.sessions[group['session_id']]['starts_at']}, so "
                "what was paid is not given back."
            )
        last = min(self.vouchers.values(), key=lambda v: (-v["number"], _age(v)), default=None)
        if last is None or last["number"] >= 9999:
            return _refused("There are no voucher numbers left.")
        self._journal = []
        changed_vouchers: list[Any] = []
        former_used_by_ids: list[Any] = []
        changed_vouchers_2: list[Any] = []
        added_vouchers: list[Any] = []
        for v in sorted(self._vouchers_by_used_by.get(group_id, {}).values(), key=_age):
            changed_vouchers.append(v)
            former_used_by_ids.append(v["used_by_id"])
            self._put("vouchers", v, "used_by_id", None)
            changed_vouchers_2.append(v)
            self._put("vouchers", v, "used_on", None)
        if group["cash"] >= 500:
            number = last["number"] + 1
            if not 1000 <= number <= 9999:
                return self._take_back("The number of a voucher must be between 1000 and 9999.")
            value = group["cash"]
            if not 500 <= value <= 60000:
                return self._take_back("The value of a voucher must be between 5.00 and 600.00.")
            voucher = {
                "id": self._new_id("voucher", "VOUCHER", self.vouchers),
                "number": number,
                "holder": group["contact"],
                "value": value,
                "expires": _plus_days(self.now[:10], 183),
                "used_by_id": None,
                "used_on": None,
            }
            self._add("vouchers", voucher)
            added_vouchers.append(voucher)
        self._put("groups", group, "cash", 0)
        self._put("groups", group, "status", "gone")
        for one_voucher in added_vouchers:
            if len(self._vouchers_by_number.get(one_voucher["number"], {})) > 1:
                return self._take_back(f"There is already a voucher with the number {one_voucher['number']!r}.")
        if self._breaks_rule_4(self.sessions[group["session_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sessions[group["session_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(group):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(group):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.sessions[group["session_id"]]):
            return self._take_back(RULES[7])
        for one_group in _distinct(
            [
                group,
                *[self.groups.get(one["used_by_id"]) for one in changed_vouchers],
                *[self.groups.get(key) for key in former_used_by_ids],
                *[self.groups.get(one["used_by_id"]) for one in added_vouchers],
            ]
        ):
            if self._breaks_rule_10_g(one_group):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_g_again(group):
            return self._take_back(RULES[9])
        for one_voucher_2 in _distinct(
            [
                *changed_vouchers,
                *changed_vouchers_2,
                *added_vouchers,
                *self._vouchers_by_used_by.get(group["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_voucher_2):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: take {group['contact']} out of "
                f"{self.games[self.sessions[group['session_id']]['game_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def cancel_session(self, session_id: str) -> Result:
        """Cancel a session that nobody is in any more.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["status"] != "open":
            return _refused(f"The session is {session['status']}.")
        group = next((each for each in self._in_it(session)), None)
        if group is not None:
            return _refused(f"The group of {group['contact']} is in it; take it out first.")
        self._journal = []
        self._put("sessions", session, "status", "cancelled")
        if self._breaks_rule_1(session):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(session):
            return self._take_back(RULES[2])
        for one_group in _distinct(self._groups_by_session.get(session["id"], {}).values()):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(session):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_s(session):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: cancel {self.games[session['game_id']]['title']} at {session['starts_at']}.",
            "data": self._changes(),
        }

    def move_session(self, session_id: str, starts_at: DateTime) -> Result:
        """Let a session begin at another time, with all its groups.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            starts_at (str): New start of the session, between 10.00 and 22.00, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["status"] != "open" or session["starts_at"] <= self.now:
            return _refused(f"The session is {session['status']} or has begun.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if starts_at[11:] < "10:00" or starts_at[11:] > "22:00":
            return _refused("Sessions begin between 10:00 and 22:00.")
        other = self._room_taken(self.games[session["game_id"]], starts_at, session)
        if other is not None:
            return _refused(
                f"{self.games[session['game_id']]['title']} is played at {other['starts_at']} and ready again at "
                f"{self._session_clear_at(other)}."
            )
        work = self._leading(
            self.game_masters[session["master_id"]],
            self.games[session["game_id"]],
            starts_at,
            session,
        )
        if work is not None:
            return _refused(
                f"{self.game_masters[session['master_id']]['name']} leads {self.games[work['game_id']]['title']} "
                f"at {work['starts_at']}; change the game master first."
            )
        self._journal = []
        self._put("sessions", session, "starts_at", starts_at)
        if self._breaks_rule_1(session):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: move {self.games[session['game_id']]['title']} to {starts_at}.",
            "data": self._changes(),
        }

    def change_master(self, session_id: str, master_id: str) -> Result:
        """Let another game master lead a session.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            master_id (str): Free game master, trained for the game, who takes over; an id such as GM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        master = self.game_masters.get(master_id)
        if master is None:
            return _refused(f"There is no game master {master_id!r}.")
        if session["status"] != "open":
            return _refused(f"The session is {session['status']}.")
        if master_id == session["master_id"]:
            return _refused(f"{master['name']} leads it already.")
        if session["game_id"] not in master["trained_ids"]:
            return _refused(f"{master['name']} is not trained for {self.games[session['game_id']]['title']}.")
        work = self._leading(master, self.games[session["game_id"]], session["starts_at"], session)
        if work is not None:
            return _refused(
                f"{master['name']} leads {self.games[work['game_id']]['title']} at {work['starts_at']} and is "
                f"free at {self._session_clear_at(work)}."
            )
        self._journal = []
        self._put("sessions", session, "master_id", master_id)
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(session):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: let {master['name']} lead {self.games[session['game_id']]['title']} at "
                f"{session['starts_at']}."
            ),
            "data": self._changes(),
        }

    def train_master(self, master_id: str, game_id: str) -> Result:
        """Note that a game master has been trained for a game; nobody keeps more than five.

        Args:
            master_id (str): Game master who was trained; an id such as GM-00001.
            game_id (str): Id of the game, such as GAME-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        master = self.game_masters.get(master_id)
        if master is None:
            return _refused(f"There is no game master {master_id!r}.")
        game = self.games.get(game_id)
        if game is None:
            return _refused(f"There is no game {game_id!r}.")
        if game_id in master["trained_ids"]:
            return _refused(f"{master['name']} is trained for {game['title']} already.")
        if len(master["trained_ids"]) >= 5:
            return _refused(f"{master['name']} is trained for five games.")
        self._journal = []
        self._put(
            "game_masters",
            master,
            "trained_ids",
            [record["id"] for record in [self.games[key] for key in master["trained_ids"]] + [game]],
        )
        for one_session in _distinct(self._sessions_by_master_status.get((master["id"], "open"), {}).values()):
            if self._breaks_rule_3(one_session):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: note that {master['name']} is trained for {game['title']}.",
            "data": self._changes(),
        }

    def record_game(
        self,
        session_id: str,
        taken: Annotated[int, {"minimum": 1, "maximum": 120}],
        hints: Annotated[int, {"minimum": 0, "maximum": 30}],
        solved: bool,
    ) -> Result:
        """Record how a session went that has begun.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            taken (int): Time that the players took, in minutes, within that of the game, from 1 to 120.
            hints (int): Number of hints that were given, from 0 to 30.
            solved (bool): Whether the players solved the game.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["status"] != "open":
            return _refused(f"The session is {session['status']}.")
        if session["starts_at"] > self.now:
            return _refused(f"The session begins at {session['starts_at']}.")
        unpaid = next((g for g in self._in_it(session) if g["status"] != "paid"), None)
        if unpaid is not None:
            return _refused(f"The group of {unpaid['contact']} has not paid.")
        if self._session_players(session) < self.games[session["game_id"]]["fewest"]:
            return _refused(
                f"{self.games[session['game_id']]['title']} is played by at least "
                f"{self.games[session['game_id']]['fewest']}, not {self._session_players(session)}."
            )
        if taken > self.games[session["game_id"]]["minutes"]:
            return _refused(
                f"{self.games[session['game_id']]['title']} takes {self.games[session['game_id']]['minutes']} "
                "minutes at most."
            )
        if _plus_minutes(session["starts_at"], taken) > self.now:
            return _refused(f"{taken} minutes have not passed since {session['starts_at']}.")
        self._journal = []
        self._put("sessions", session, "taken", taken)
        self._put("sessions", session, "hints", hints)
        self._put("sessions", session, "solved", solved)
        self._put("sessions", session, "status", "played")
        if self._breaks_rule_1(session):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(session):
            return self._take_back(RULES[2])
        for one_group in _distinct(self._groups_by_session.get(session["id"], {}).values()):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(session):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_s(session):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_s_again(session):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: record {taken} minutes and {hints} hints for {self.games[session['game_id']]['title']} at "
                f"{session['starts_at']}."
            ),
            "data": self._changes(),
        }

    def set_puzzle(self, puzzle_id: str, broken: bool) -> Result:
        """Report a puzzle as broken, or note that it works again; without an essential one the game cannot be played,
        so its sessions ahead must be cancelled before the report.

        Args:
            puzzle_id (str): Id of the puzzle, such as PUZZLE-00001.
            broken (bool): Whether the puzzle is broken now.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        puzzle = self.puzzles.get(puzzle_id)
        if puzzle is None:
            return _refused(f"There is no puzzle {puzzle_id!r}.")
        if (puzzle["broken_since"] is not None) == broken:
            return _refused(f"{puzzle['label']} is noted like that already.")
        ahead = next(
            (
                s
                for s in sorted(self._sessions_by_game_status.get((puzzle["game_id"], "open"), {}).values(), key=_age)
                if broken
                and puzzle["essential"]
                and s["starts_at"] > self.now
            ),
            None,
        )
        if ahead is not None:
            return _refused(
                f"{self.games[ahead['game_id']]['title']} is open at {ahead['starts_at']} and cannot be played "
                "without it; cancel that session first."
            )
        self._journal = []
        if broken:
            self._put("puzzles", puzzle, "broken_since", self.now[:10])
        else:
            self._put("puzzles", puzzle, "broken_since", None)
        return {"success": True, "message": f"Done: note the state of {puzzle['label']}.", "data": self._changes()}

    def sell_voucher(
        self,
        holder: Text,
        value: Annotated[int, {"minimum": 500, "maximum": 60000}],
        expires: Date,
    ) -> Result:
        """Sell a voucher, or give one away; it gets the next number.

        Args:
            holder (str): Name of the person who gets the voucher.
            value (int): Value of the voucher, in cents, from 500 to 60000.
            expires (str): Last day on which it is valid, at least 30 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if _plus_days(self.now[:10], 30) > expires or expires > _plus_days(self.now[:10], 1100):
            return _refused("A voucher is valid for at least a month and at most three years.")
        last = min(self.vouchers.values(), key=lambda v: (-v["number"], _age(v)), default=None)
        if last is None or last["number"] >= 9999:
            return _refused("There are no voucher numbers left.")
        self._journal = []
        number = last["number"] + 1
        if not 1000 <= number <= 9999:
            return self._take_back("The number of a voucher must be between 1000 and 9999.")
        voucher: Voucher = {
            "id": self._new_id("voucher", "VOUCHER", self.vouchers),
            "number": number,
            "holder": holder,
            "value": value,
            "expires": expires,
            "used_by_id": None,
            "used_on": None,
        }
        self._add("vouchers", voucher)
        if len(self._vouchers_by_number.get(voucher["number"], {})) > 1:
            return self._take_back(f"There is already a voucher with the number {voucher['number']!r}.")
        for one_group in _distinct([self.groups.get(voucher["used_by_id"])]):
            if self._breaks_rule_10_g(one_group):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(voucher):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: sell {holder} a voucher of {_money(value)} (new: voucher {voucher['id']}).",
            "data": {"voucher_id": voucher["id"], **self._changes()},
        }

    def _show_game(self, game: Game) -> dict[str, Any]:
        """The game as an answer shows it."""
        return {**game, "record": self._game_record(game)}

    def _show_game_master(self, game_master: GameMaster) -> dict[str, Any]:
        """The game master as an answer shows it."""
        return {**game_master, "trained_ids": [*game_master["trained_ids"]]}

    def _show_session(self, session: Session) -> dict[str, Any]:
        """The session as an answer shows it."""
        return {
            **session,
            "clear_at": self._session_clear_at(session),
            "players": self._session_players(session),
            "places": self._session_places(session),
        }

    def _show_group(self, group: Group) -> dict[str, Any]:
        """The group as an answer shows it."""
        return {**group, "price": self._group_price(group), "covered": self._group_covered(group)}

    def _names_of_game_masters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that game masters point to."""
        return _names((self.games, "title", [each for row in shown for each in row["trained_ids"]]))

    def _names_of_puzzles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that puzzles point to."""
        return _names((self.games, "title", [row["game_id"] for row in shown]))

    def _names_of_sessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sessions point to."""
        return _names(
            (self.games, "title", [row["game_id"] for row in shown]),
            (self.game_masters, "name", [row["master_id"] for row in shown]),
        )

    def _names_of_vouchers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vouchers point to."""
        return _names((self.groups, "contact", [row["used_by_id"] for row in shown]))

    def _game_record(self, game: Game) -> int | None:
        """The record of a game."""
        return min(
            (
                s["taken"]
                for s in self._sessions_by_game.get(game["id"], {}).values()
                if s["solved"]
                and s["taken"] is not None
            ),
            default=None,
        )

    def _session_clear_at(self, session: Session) -> str:
        """The clear at of a session."""
        return _plus_minutes(
            _plus_minutes(session["starts_at"], self.games[session["game_id"]]["minutes"]),
            self.games[session["game_id"]]["reset"],
        )

    def _session_players(self, session: Session) -> int:
        """The players of a session."""
        return sum(
            g["players"]
            for g in self._groups_by_session.get(session["id"], {}).values()
            if g["status"] != "gone"
        )

    def _session_places(self, session: Session) -> int:
        """The places of a session."""
        return self.games[session["game_id"]]["most"] - self._session_players(session)

    def _group_price(self, group: Group) -> int:
        """The price of a group."""
        return (
            self.games[self.sessions[group["session_id"]]["game_id"]]["per_head"] * group["players"]
            + (self.games[self.sessions[group["session_id"]]["game_id"]]["private_extra"] if group["private"] else 0)
        )

    def _group_covered(self, group: Group) -> int:
        """The covered of a group."""
        return sum(v["value"] for v in self._vouchers_by_used_by.get(group["id"], {}).values())

    def _in_it(self, s: Session) -> list[Group]:
        return [
            g
            for g in sorted(self._groups_by_session.get(s["id"], {}).values(), key=_age)
            if g["status"] != "gone"
        ]

    def _room_taken(self, a: Game, at: str, own: Session | None) -> Session | None:
        return next(
            (
                s
                for s in sorted(self._sessions_by_game.get(a["id"], {}).values(), key=_age)
                if s["status"] != "cancelled"
                and s is not own
                and _overlap(
                    s["starts_at"],
                    self._session_clear_at(s),
                    at,
                    _plus_minutes(_plus_minutes(at, a["minutes"]), a["reset"]),
                )
            ),
            None,
        )

    def _leading(self, m: GameMaster, a: Game, at: str, own: Session | None) -> Session | None:
        return next(
            (
                s
                for s in sorted(self._sessions_by_master.get(m["id"], {}).values(), key=_age)
                if s["status"] != "cancelled"
                and s is not own
                and _overlap(
                    s["starts_at"],
                    self._session_clear_at(s),
                    at,
                    _plus_minutes(_plus_minutes(at, a["minutes"]), a["reset"]),
                )
            ),
            None,
        )

    def _led_on(self, m: GameMaster, d: str) -> int:
        return sum(
            1
            for s in self._sessions_by_master.get(m["id"], {}).values()
            if s["status"] != "cancelled"
            and s["starts_at"][:10] == d
        )

    def _out_of_order(self, a: Game) -> Puzzle | None:
        return next(
            (
                p
                for p in sorted(self._puzzles_by_game.get(a["id"], {}).values(), key=_age)
                if p["essential"]
                and p["broken_since"] is not None
            ),
            None,
        )

    def _breaks_rule_1(self, a: Session) -> bool:
        """Whether this is broken: a game has one session at a time and is reset before the next."""
        return (
            a["status"] != "cancelled"
            and any(
                _overlap(a["starts_at"], self._session_clear_at(a), b["starts_at"], self._session_clear_at(b))
                for b in self._sessions_by_game.get(a["game_id"], {}).values()
                if a is not b
                and b["status"] != "cancelled"
            )
        )

    def _breaks_rule_2(self, a: Session) -> bool:
        """Whether this is broken: a game master leads one session at a time and resets the game after it."""
        return (
            a["status"] != "cancelled"
            and any(
                _overlap(a["starts_at"], self._session_clear_at(a), b["starts_at"], self._session_clear_at(b))
                for b in self._sessions_by_master.get(a["master_id"], {}).values()
                if a is not b
                and b["status"] != "cancelled"
            )
        )

    def _breaks_rule_3(self, s: Session) -> bool:
        """Whether this is broken: a game master leads only games that they are trained for."""
        return s["status"] == "open" and s["game_id"] not in self.game_masters[s["master_id"]]["trained_ids"]

    def _breaks_rule_4(self, s: Session) -> bool:
        """Whether this is broken: no more people play than the game allows."""
        return self._session_players(s) > self.games[s["game_id"]]["most"]

    def _breaks_rule_5(self, s: Session) -> bool:
        """Whether this is broken: a private group plays alone."""
        return any(g["private"] for g in self._in_it(s)) and len(self._in_it(s)) > 1

    def _breaks_rule_6(self, g: Group) -> bool:
        """Whether this is broken: nobody is in a session twice."""
        return (
            g["status"] != "gone"
            and any(
                other_g is not g
                for other_g in self._groups_by_session.get(g["session_id"], {}).values()
                if other_g["contact"].lower() == g["contact"].lower()
                and other_g["status"] != "gone"
            )
        )

    def _breaks_rule_7(self, g: Group) -> bool:
        """Whether this is broken: nobody has a place in a cancelled session."""
        return self.sessions[g["session_id"]]["status"] == "cancelled" and g["status"] != "gone"

    def _breaks_rule_8(self, s: Session) -> bool:
        """Whether this is broken: only paid groups have played, and enough people for the game."""
        return (
            s["status"] == "played"
            and not (
                self._session_players(s) >= self.games[s["game_id"]]["fewest"]
                and all(g["status"] == "paid" for g in self._in_it(s))
            )
        )

    def _breaks_rule_9_s(self, s: Session) -> bool:
        """Whether this is broken: a played session has its time, which is within the time of the game where it was
        solved.
        """
        return (s["status"] == "played") != (s["taken"] is not None)

    def _breaks_rule_9_s_again(self, s: Session) -> bool:
        """Whether this is broken: a played session has its time, which is within the time of the game where it was
        solved.
        """
        return s["taken"] is not None and s["solved"] and s["taken"] > self.games[s["game_id"]]["minutes"]

    def _breaks_rule_10_g(self, g: Group) -> bool:
        """Whether this is broken: a paid group has paid in cash what its vouchers do not cover, and others have paid
        nothing.
        """
        return g["status"] == "paid" and g["cash"] != max(self._group_price(g) - self._group_covered(g), 0)

    def _breaks_rule_10_g_again(self, g: Group) -> bool:
        """Whether this is broken: a paid group has paid in cash what its vouchers do not cover, and others have paid
        nothing.
        """
        return g["status"] != "paid" and g["cash"] != 0

    def _breaks_rule_11(self, v: Voucher) -> bool:
        """Whether this is broken: a voucher is used by a paid group until the day on which it expires."""
        return not (
            v["used_by_id"] is None
            or self.groups[v["used_by_id"]]["status"] == "paid"
            and v["used_on"] is not None
            and v["used_on"] <= v["expires"]
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
            case "game_masters":
                for key in record["trained_ids"]:
                    self._game_masters_by_trained.setdefault(key, {})[record["id"]] = record
            case "puzzles":
                self._puzzles_by_game.setdefault(record["game_id"], {})[record["id"]] = record
            case "sessions":
                self._sessions_by_game.setdefault(record["game_id"], {})[record["id"]] = record
                self._sessions_by_game_status.setdefault((record["game_id"], record["status"]), {})[record["id"]] = record
                self._sessions_by_master.setdefault(record["master_id"], {})[record["id"]] = record
                self._sessions_by_master_status.setdefault(
                    (record["master_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "groups":
                self._groups_by_session.setdefault(record["session_id"], {})[record["id"]] = record
            case "vouchers":
                self._vouchers_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._vouchers_by_used_by.setdefault(record["used_by_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "game_masters":
                for key in record["trained_ids"]:
                    self._game_masters_by_trained[key].pop(record["id"], None)
            case "puzzles":
                del self._puzzles_by_game[record["game_id"]][record["id"]]
            case "sessions":
                del self._sessions_by_game[record["game_id"]][record["id"]]
                del self._sessions_by_game_status[record["game_id"], record["status"]][record["id"]]
                del self._sessions_by_master[record["master_id"]][record["id"]]
                del self._sessions_by_master_status[record["master_id"], record["status"]][record["id"]]
            case "groups":
                del self._groups_by_session[record["session_id"]][record["id"]]
            case "vouchers":
                del self._vouchers_by_number[record["number"]][record["id"]]
                del self._vouchers_by_used_by[record["used_by_id"]][record["id"]]
