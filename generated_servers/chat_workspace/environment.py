"""Chat workspace. Compiled from blueprint.yaml; run `envscaler build chat_workspace` after changing it there.

Runs the chat of a design company with freelancers, with open, closed and announcement channels, guests who
depend on a sponsor, threads, a limited number of pins, archives and polls.
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
    "Guests have a sponsor and a last day, and nobody else has.",
    "A sponsor is active staff.",
    "A guest is in a channel only together with the sponsor.",
    "Guests are in at most two channels and never in one for announcements.",
    "Whoever is gone is in no channel.",
    "A channel is managed by staff who are in it, and nobody is in it twice.",
    "No channel has more pins than it allows.",
    "Answers stand in the channel of what they answer, are not answered themselves and not pinned.",
    "Archived channels have no open poll, and live ones at most two.",
    "Nobody votes for an option twice or for more options than the poll allows.",
    "In open polls only people of the channel have votes.",
    "A poll offers each answer once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "create_channel",
    "set_membership",
    "change_channel",
    "post_message",
    "pin_post",
    "start_poll",
    "cast_vote",
    "close_poll",
    "add_member",
    "invite_guest",
    "renew_guest",
    "deactivate_member",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "members": ("name",),
    "channels": ("name",),
    "posts": (),
    "polls": ("question",),
    "options": ("title",),
    "votes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("channels", "manager_id"),
    ("channels", "name"),
    ("channels", "person_ids"),
    ("channels", "status"),
    ("members", "name"),
    ("members", "sponsor_id"),
    ("options", "poll_id"),
    ("polls", "channel_id"),
    ("polls", "question"),
    ("polls", "status"),
    ("posts", "channel_id"),
    ("votes", "option_id"),
    ("votes", "voter_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Member(TypedDict):
    id: str
    name: str
    kind: Literal["admin", "member", "guest"]
    sponsor_id: str | None
    until: str | None
    joined_on: str
    status: Literal["active", "gone"]


class Channel(TypedDict):
    id: str
    name: str
    kind: Literal["open", "closed", "announcements"]
    manager_id: str
    person_ids: list[str]
    most_pins: int
    status: Literal["live", "archived"]


class Post(TypedDict):
    id: str
    channel_id: str
    author_id: str
    words: str
    posted_at: str
    answers_id: str | None
    pinned: bool


class Poll(TypedDict):
    id: str
    question: str
    channel_id: str
    asker_id: str
    choices: int
    closes_on: str
    status: Literal["open", "closed"]


class Option(TypedDict):
    id: str
    poll_id: str
    title: str


class Vote(TypedDict):
    id: str
    option_id: str
    voter_id: str


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class ChatWorkspace:
    """Runs the chat of a design company with freelancers, with open, closed and announcement channels,
    guests who depend on a sponsor, threads, a limited number of pins, archives and polls.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.channels: dict[str, Channel] = _copied(config.get("channels", {}))
        self.posts: dict[str, Post] = _copied(config.get("posts", {}))
        self.polls: dict[str, Poll] = _copied(config.get("polls", {}))
        self.options: dict[str, Option] = _copied(config.get("options", {}))
        self.votes: dict[str, Vote] = _copied(config.get("votes", {}))
        self.now: str = config.get("now", "2026-11-17T10:40")
        self.counters: dict[str, int] = {
            "member": len(self.members),
            "channel": len(self.channels),
            "post": len(self.posts),
            "poll": len(self.polls),
            "option": len(self.options),
            "vote": len(self.votes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._members_by_lower_name: dict[Any, dict[str, Member]] = {}
        self._members_by_name: dict[Any, dict[str, Member]] = {}
        self._members_by_sponsor: dict[Any, dict[str, Member]] = {}
        self._channels_by_lower_name: dict[Any, dict[str, Channel]] = {}
        self._channels_by_manager_status: dict[Any, dict[str, Channel]] = {}
        self._channels_by_name: dict[Any, dict[str, Channel]] = {}
        self._channels_by_people: dict[Any, dict[str, Channel]] = {}
        self._posts_by_channel: dict[Any, dict[str, Post]] = {}
        self._polls_by_channel: dict[Any, dict[str, Poll]] = {}
        self._polls_by_channel_status: dict[Any, dict[str, Poll]] = {}
        self._polls_by_lower_question: dict[Any, dict[str, Poll]] = {}
        self._polls_by_question: dict[Any, dict[str, Poll]] = {}
        self._options_by_poll: dict[Any, dict[str, Option]] = {}
        self._votes_by_option: dict[Any, dict[str, Vote]] = {}
        self._votes_by_option_voter: dict[Any, dict[str, Vote]] = {}
        self._votes_by_voter: dict[Any, dict[str, Vote]] = {}
        for member in self.members.values():
            self._link("members", member)
        for channel in self.channels.values():
            self._link("channels", channel)
        for post in self.posts.values():
            self._link("posts", post)
        for poll in self.polls.values():
            self._link("polls", poll)
        for option in self.options.values():
            self._link("options", option)
        for vote in self.votes.values():
            self._link("votes", vote)

    def channels_of(self, member_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The channels somebody is in, and whether they manage them.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "channels": records}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [c for c in self._channels_by_people.get(member_id, {}).values()]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "channels": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "kind": c["kind"],
                        "status": c["status"],
                        "manages": c["manager_id"] == member_id,
                        "guests_sponsored_there": [
                            *[
                                g["name"]
                                for g in [self.members[key] for key in c["person_ids"]]
                                if g["sponsor_id"] == member_id
                            ]
                        ],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def sponsors_for(self, guest_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who could sponsor a guest, by name.

        Args:
            guest_id (str): Guest who needs a sponsor; an id such as MEMBER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}} or {"success": False, "error": why
                not}
        """
        guest = self.members.get(guest_id)
        if guest is None:
            return _refused(f"There is no member {guest_id!r}.")
        found = [
            m
            for m in self.members.values()
            if (self._could_sponsor(m, guest) and m["id"] != guest["sponsor_id"])
            and sum(1 for g in self._members_by_sponsor.get(m["id"], {}).values() if self._active(g)) < 4
        ]
        found.sort(key=lambda m: (m["name"], _age(m)))
        return _found(
            {"total": len(found), "members": [{"id": m["id"], "name": m["name"]} for m in _page(found, offset)]}
        )

    def poll_result(self, poll_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The options of a poll, those with most votes first.

        Args:
            poll_id (str): Id of the poll, such as POLL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "options": records}} or {"success": False, "error": why
                not}
        """
        poll = self.polls.get(poll_id)
        if poll is None:
            return _refused(f"There is no poll {poll_id!r}.")
        found = [o for o in self._options_by_poll.get(poll_id, {}).values()]
        found.sort(key=lambda o: (-self._option_votes(o), o["title"], _age(o)))
        return _found(
            {
                "total": len(found),
                "options": [
                    {
                        "id": o["id"],
                        "title": o["title"],
                        "votes": self._option_votes(o),
                        "voters": [
                            *[
                                self.members[v["voter_id"]]["name"]
                                for v in sorted(self._votes_by_option.get(o["id"], {}).values(), key=_age)
                            ]
                        ],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def quiet_channels(
        self,
        since: DateTime,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Live channels in which nothing was posted since a time, the longest quiet first.

        Args:
            since (str): Moment since which nothing was posted, as YYYY-MM-DDTHH:MM.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "channels": records}} or {"success": False, "error": why
                not}
        """
        found = [
            c
            for c in self.channels.values()
            if (c["status"] == "live" and (self._last_post(c) if self._last_post(c) is not None else since) <= since)
        ]
        found.sort(
            key=lambda c: (self._last_post(c) if self._last_post(c) is not None else since, c["name"], _age(c))
        )
        return _found(
            {
                "total": len(found),
                "channels": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "last_post": self._last_post(c),
                        "people": len(c["person_ids"]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_members(
        self,
        name: Text | None = None,
        kind: Literal["admin", "member", "guest"] | None = None,
        sponsor_id: str | None = None,
        status: Literal["active", "gone"] | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            kind (str, optional): Only members with this kind.
            sponsor_id (str, optional): Only members whose sponsor is this member.
            status (str, optional): Only members with this status.
            until_from (str, optional): Only members whose `until` is on this day or later.
            until_to (str, optional): Only members whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if sponsor_id is not None and sponsor_id not in self.members:
            return _refused(f"There is no member {sponsor_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (kind is None or member["kind"] == kind)
            and (sponsor_id is None or member["sponsor_id"] == sponsor_id)
            and (status is None or member["status"] == status)
            and (until_from is None or (member["until"] is not None and member["until"] >= until_from))
            and (until_to is None or (member["until"] is not None and member["until"] <= until_to))
        ]
        shown = [self._show_member(member) for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_channels(
        self,
        name: Text | None = None,
        kind: Literal["open", "closed", "announcements"] | None = None,
        manager_id: str | None = None,
        status: Literal["live", "archived"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the channels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only channels whose name contains this text.
            kind (str, optional): Only channels with this kind.
            manager_id (str, optional): Only channels whose manager is this member.
            status (str, optional): Only channels with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "channels": records}}
        """
        if manager_id is not None and manager_id not in self.members:
            return _refused(f"There is no member {manager_id!r}.")
        found = [
            channel
            for channel in self.channels.values()
            if (name is None or name.casefold() in channel["name"].casefold())
            and (kind is None or channel["kind"] == kind)
            and (manager_id is None or channel["manager_id"] == manager_id)
            and (status is None or channel["status"] == status)
        ]
        shown = [self._show_channel(channel) for channel in _page(found, offset)]
        return _found({"total": len(found), "channels": shown}, self._names_of_channels(shown))

    def list_posts(
        self,
        channel_id: str | None = None,
        author_id: str | None = None,
        answers_id: str | None = None,
        pinned: bool | None = None,
        posted_at_from: Date | None = None,
        posted_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the posts, oldest first, all of them or only some.

        Args:
            channel_id (str, optional): Only posts of this channel.
            author_id (str, optional): Only posts whose author is this member.
            answers_id (str, optional): Only posts whose answers is this post.
            pinned (bool, optional): Only posts that are pinned (true) or not (false).
            posted_at_from (str, optional): Only posts whose `posted_at` is on this day or later.
            posted_at_to (str, optional): Only posts whose `posted_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "posts": records}}
        """
        if channel_id is not None and channel_id not in self.channels:
            return _refused(f"There is no channel {channel_id!r}.")
        if author_id is not None and author_id not in self.members:
            return _refused(f"There is no member {author_id!r}.")
        if answers_id is not None and answers_id not in self.posts:
            return _refused(f"There is no post {answers_id!r}.")
        found = [
            post
            for post in self.posts.values()
            if (channel_id is None or post["channel_id"] == channel_id)
            and (author_id is None or post["author_id"] == author_id)
            and (answers_id is None or post["answers_id"] == answers_id)
            and (pinned is None or post["pinned"] == pinned)
            and (posted_at_from is None or post["posted_at"][:10] >= posted_at_from)
            and (posted_at_to is None or post["posted_at"][:10] <= posted_at_to)
        ]
        shown = [{**post} for post in _page(found, offset)]
        return _found({"total": len(found), "posts": shown}, self._names_of_posts(shown))

    def list_polls(
        self,
        question: Text | None = None,
        channel_id: str | None = None,
        asker_id: str | None = None,
        status: Literal["open", "closed"] | None = None,
        closes_on_from: Date | None = None,
        closes_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the polls, oldest first, all of them or only some.

        Args:
            question (str, optional): Only polls whose question contains this text.
            channel_id (str, optional): Only polls of this channel.
            asker_id (str, optional): Only polls whose asker is this member.
            status (str, optional): Only polls with this status.
            closes_on_from (str, optional): Only polls whose `closes_on` is on this day or later.
            closes_on_to (str, optional): Only polls whose `closes_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "polls": records}}
        """
        if channel_id is not None and channel_id not in self.channels:
            return _refused(f"There is no channel {channel_id!r}.")
        if asker_id is not None and asker_id not in self.members:
            return _refused(f"There is no member {asker_id!r}.")
        found = [
            poll
            for poll in self.polls.values()
            if (question is None or question.casefold() in poll["question"].casefold())
            and (channel_id is None or poll["channel_id"] == channel_id)
            and (asker_id is None or poll["asker_id"] == asker_id)
            and (status is None or poll["status"] == status)
            and (closes_on_from is None or poll["closes_on"] >= closes_on_from)
            and (closes_on_to is None or poll["closes_on"] <= closes_on_to)
        ]
        shown = [self._show_poll(poll) for poll in _page(found, offset)]
        return _found({"total": len(found), "polls": shown}, self._names_of_polls(shown))

    def list_options(
        self,
        title: Text | None = None,
        poll_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the options, oldest first, all of them or only some.

        Args:
            title (str, optional): Only options whose title contains this text.
            poll_id (str, optional): Only options of this poll.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "options": records}}
        """
        if poll_id is not None and poll_id not in self.polls:
            return _refused(f"There is no poll {poll_id!r}.")
        found = [
            option
            for option in self.options.values()
            if (title is None or title.casefold() in option["title"].casefold())
            and (poll_id is None or option["poll_id"] == poll_id)
        ]
        shown = [self._show_option(option) for option in _page(found, offset)]
        return _found({"total": len(found), "options": shown}, self._names_of_options(shown))

    def list_votes(
        self,
        option_id: str | None = None,
        voter_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the votes, oldest first, all of them or only some.

        Args:
            option_id (str, optional): Only votes of this option.
            voter_id (str, optional): Only votes whose voter is this member.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "votes": records}}
        """
        if option_id is not None and option_id not in self.options:
            return _refused(f"There is no option {option_id!r}.")
        if voter_id is not None and voter_id not in self.members:
            return _refused(f"There is no member {voter_id!r}.")
        found = [
            vote
            for vote in self.votes.values()
            if (option_id is None or vote["option_id"] == option_id)
            and (voter_id is None or vote["voter_id"] == voter_id)
        ]
        shown = [{**vote} for vote in _page(found, offset)]
        return _found({"total": len(found), "votes": shown}, self._names_of_votes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def create_channel(
        self,
        name: Text,
        kind: Literal["open", "closed", "announcements"],
        manager_id: str,
        person_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Create a channel with its manager and first people.

        Args:
            name (str): Name of the new channel, not in use yet.
            kind (str): Kind of channel, closed ones needing somebody to let people in: open, closed or
                announcements.
            manager_id (str): Active member of the staff who manages it; an id such as MEMBER-00001.
            person_ids (list): Active staff who are in it from the start, besides the manager: ids of members, such
                as MEMBER-00001. If left out, only the manager is in it.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        manager = self.members.get(manager_id)
        if manager is None:
            return _refused(f"There is no member {manager_id!r}.")
        people = []
        for key in person_ids or []:
            if key not in self.members:
                return _refused(f"There is no member {key!r}.")
            people.append(self.members[key])
        if self._channels_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a channel {name} already.")
        if not self._staff(manager):
            return _refused(f"{manager['name']} is no active member of the staff.")
        if not (_different([m["id"] for m in people]) and all(self._staff(m) for m in people)):
            return _refused("Name active staff only, and each once; guests are added later.")
        self._journal = []
        channel: Channel = {
            "id": self._new_id("channel", "CHANNEL", self.channels),
            "name": name,
            "kind": kind,
            "manager_id": manager_id,
            "person_ids": [
                record["id"]
                for record in _those(self.members, [*[record["id"] for record in people], manager_id])
            ],
            "most_pins": 3,
            "status": "live",
        }
        self._add("channels", channel)
        if len(self._channels_by_name.get(channel["name"], {})) > 1:
            return self._take_back(f"There is already a channel with the name {channel['name']!r}.")
        if self._breaks_rule_3(channel):
            return self._take_back(RULES[2])
        for one_member in _distinct([self.members[key] for key in channel["person_ids"]]):
            if self._breaks_rule_4_g(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_c(channel):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(channel):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(channel):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(channel):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(channel):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: create the channel {name} (new: channel {channel['id']}).",
            "data": {"channel_id": channel["id"], **self._changes()},
        }

    def set_membership(
        self,
        channel_id: str,
        member_id: str,
        inside: bool = True,
        by_id: str | None = None,
    ) -> Result:
        """Put somebody into a channel or take them out; closed channels take somebody who has a say there. Votes in
        its open polls go with them.

        Args:
            channel_id (str): Id of the channel, such as CHANNEL-00001.
            member_id (str): Id of the member, such as MEMBER-00001.
            inside (bool): Whether the member is put in, as opposed to taken out. Default: true.
            by_id (str, optional): Member who does it, needed for a closed channel; an id such as MEMBER-00001. If
                left out, nobody is named, which is enough unless the channel is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        channel = self.channels.get(channel_id)
        if channel is None:
            return _refused(f"There is no channel {channel_id!r}.")
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        by = self.members.get(by_id) if by_id is not None else None
        if by_id is not None and by is None:
            return _refused(f"There is no member {by_id!r}.")
        if channel["status"] != "live":
            return _refused(f"{channel['name']} is archived.")
        if inside != (member_id not in channel["person_ids"]):
            return _refused(f"For {member['name']} that is so already.")
        if not self._active(member):
            return _refused(f"{member['name']} has left the workspace.")
        if inside and member["until"] is not None and member["until"] < self.now[:10]:
            return _refused(f"{member['name']} was a guest until {member['until']}, so renew the guest first.")
        if not (by_id is None or self._active(by)):
            return _refused(f"{by['name']} has left the workspace.")
        if not (
            not inside
            or channel["kind"] != "closed"
            or by_id is not None
            and (by_id in channel["person_ids"] or by["kind"] == "admin")
        ):
            return _refused(
                f"{channel['name']} is closed, so say who lets {member['name']} in, somebody inside or an admin."
            )
        if not (
            inside
            or channel["kind"] != "closed"
            or by_id is not None
            and (by in [member, self.members[channel["manager_id"]]] or by["kind"] == "admin")
        ):
            return _refused(
                f"{channel['name']} is closed, so only {member['name']}, "
                f"{self.members[channel['manager_id']]['name']} or an admin may do that."
            )
        if inside and member["kind"] == "guest" and channel["kind"] == "announcements":
            return _refused(f"Guests are not let into {channel['name']}.")
        if inside and member["kind"] == "guest" and self._member_channels(member) >= 2:
            return _refused(f"{member['name']} is a guest in two channels already.")
        sponsor = self.members.get(member["sponsor_id"])
        if inside and sponsor is not None and sponsor["id"] not in channel["person_ids"]:
            return _refused(
                f"{sponsor['name']}, who sponsors {member['name']}, is not in {channel['name']}, so let them in "
                "first."
            )
        if not (inside or member_id != channel["manager_id"]):
            return _refused(f"{member['name']} manages {channel['name']}, so hand it over first.")
        ward = next(
            (
                g
                for g in [self.members[key] for key in channel["person_ids"]]
                if not inside
                and g["sponsor_id"] == member_id
            ),
            None,
        )
        if ward is not None:
            return _refused(
                f"{ward['name']} is there only thanks to {member['name']}, so take the guest out first or find "
                "another sponsor."
            )
        self._journal = []
        deleted_votes: list[Any] = []
        former_person_ids = channel["person_ids"]
        self._put(
            "channels",
            channel,
            "person_ids",
            [
                record["id"]
                for record in [
                    m
                    for m in _those(self.members, [*channel["person_ids"], member_id])
                    if (m["id"] in channel["person_ids"] and m is not member or m is member and inside)
                ]
            ],
        )
        if not inside:
            for v in [
                v
                for v in sorted(self._votes_by_voter.get(member_id, {}).values(), key=_age)
                if self.polls[self.options[v["option_id"]]["poll_id"]]["channel_id"] == channel_id
                and self.polls[self.options[v["option_id"]]["poll_id"]]["status"] == "open"
            ]:
                if v["id"] in self.votes:
                    self._remove("votes", v)
                deleted_votes.append(v)
        if self._breaks_rule_3(channel):
            return self._take_back(RULES[2])
        for one_member in _distinct(
            [
                *[self.members[key] for key in channel["person_ids"]],
                *[self.members.get(key) for key in former_person_ids],
            ]
        ):
            if self._breaks_rule_4_g(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_c(channel):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(channel):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(channel):
            return self._take_back(RULES[5])
        for one_vote in _distinct(
            [
                user
                for one in [self.members[one["voter_id"]] for one in deleted_votes]
                for user in self._votes_by_voter.get(one["id"], {}).values()
            ]
        ):
            if one_vote["id"] in self.votes and self._breaks_rule_10_v_again(one_vote):
                return self._take_back(RULES[9])
        for one_vote in _distinct(
            [
                user
                for one in [
                    user
                    for one in self._polls_by_channel.get(channel["id"], {}).values()
                    for user in self._options_by_poll.get(one["id"], {}).values()
                ]
                for user in self._votes_by_option.get(one["id"], {}).values()
            ]
        ):
            if one_vote["id"] in self.votes and self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: change whether {member['name']} is in {channel['name']}.",
            "data": self._changes(),
        }

    def change_channel(
        self,
        channel_id: str,
        manager_id: str | None = None,
        most_pins: Annotated[int, {"minimum": 1, "maximum": 9}] | None = None,
        archived: bool | None = None,
    ) -> Result:
        """Hand a channel to another manager, change how many pins it allows, or archive or revive it; archiving
        closes its polls.

        Args:
            channel_id (str): Id of the channel, such as CHANNEL-00001.
            manager_id (str, optional): Active staff member in the channel who manages it from now on; an id such
                as MEMBER-00001. If left out, the manager stays as it is.
            most_pins (int, optional): Most messages that may be pinned there, from 1 to 9. If left out, the number
                stays as it is.
            archived (bool, optional): Whether the channel is archived, as opposed to revived. If left out, it
                stays live or archived as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        channel = self.channels.get(channel_id)
        if channel is None:
            return _refused(f"There is no channel {channel_id!r}.")
        manager = self.members.get(manager_id) if manager_id is not None else None
        if manager_id is not None and manager is None:
            return _refused(f"There is no member {manager_id!r}.")
        if manager_id is None and most_pins is None and archived is None:
            return _refused("Say what should change.")
        if manager_id is not None and manager_id == channel["manager_id"]:
            return _refused(f"{manager['name']} manages {channel['name']} already.")
        if not (manager_id is None or self._staff(manager) and manager_id in channel["person_ids"]):
            return _refused(f"{manager['name']} must be staff and in {channel['name']} to manage it.")
        if most_pins is not None and most_pins < self._channel_pins(channel):
            return _refused(f"{channel['name']} has {self._channel_pins(channel)} pins.")
        if archived is not None and archived != (channel["status"] == "live"):
            return _refused(f"{channel['name']} is {channel['status']} already.")
        if not (
            archived is None
            or archived
            or self._staff(self.members[channel["manager_id"]])
            and channel["manager_id"] in channel["person_ids"]
            or manager_id is not None
        ):
            return _refused(f"Whoever managed {channel['name']} is gone, so name a manager.")
        self._journal = []
        changed_channels: list[Any] = []
        changed_channels_2: list[Any] = []
        changed_polls: list[Any] = []
        if manager_id is not None:
            changed_channels.append(channel)
            self._put("channels", channel, "manager_id", manager_id)
        new_most_pins = most_pins if most_pins is not None else channel["most_pins"]
        if not 1 <= new_most_pins <= 9:
            return self._take_back(f"The most pins of {channel['name']} must be between 1 and 9.")
        self._put("channels", channel, "most_pins", new_most_pins)
        if archived is not None:
            status = "archived" if archived else "live"
            changed_channels_2.append(channel)
            self._put("channels", channel, "status", status)
            for p in [
                p
                for p in sorted(self._polls_by_channel_status.get((channel_id, "open"), {}).values(), key=_age)
                if archived
            ]:
                changed_polls.append(p)
                self._put("polls", p, "status", "closed")
        for one_channel in _distinct([*changed_channels, *changed_channels_2]):
            if self._breaks_rule_6(one_channel):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(channel):
            return self._take_back(RULES[6])
        for one_channel in _distinct(
            [*changed_channels_2, *[self.channels[one["channel_id"]] for one in changed_polls]]
        ):
            if self._breaks_rule_9(one_channel):
                return self._take_back(RULES[8])
        for one_vote in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_polls
                    for user in self._options_by_poll.get(one["id"], {}).values()
                ]
                for user in self._votes_by_option.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        done = f"change {channel['name']}"
        if manager is not None:
            done += f" to be managed by {manager['name']}"
        if most_pins is not None:
            done += f" with {most_pins} pins"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def post_message(self, channel_id: str, author_id: str, words: Text, answers_id: str | None = None) -> Result:
        """Post a message in a channel, or an answer in a thread there.

        Args:
            channel_id (str): Id of the channel, such as CHANNEL-00001.
            author_id (str): Member in the channel who writes; an id such as MEMBER-00001.
            words (str): Text of the message.
            answers_id (str, optional): Message in the channel that begins the thread to answer in; an id such as
                POST-00001. If left out, the message begins a thread itself.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        channel = self.channels.get(channel_id)
        if channel is None:
            return _refused(f"There is no channel {channel_id!r}.")
        author = self.members.get(author_id)
        if author is None:
            return _refused(f"There is no member {author_id!r}.")
        answers = self.posts.get(answers_id) if answers_id is not None else None
        if answers_id is not None and answers is None:
            return _refused(f"There is no post {answers_id!r}.")
        if channel["status"] != "live":
            return _refused(f"{channel['name']} is archived.")
        if author_id not in channel["person_ids"]:
            return _refused(f"{author['name']} is not in {channel['name']}.")
        if author["until"] is not None and author["until"] < self.now[:10]:
            return _refused(f"{author['name']} was a guest until {author['until']}, so renew the guest first.")
        if answers_id is not None and answers["channel_id"] != channel_id:
            return _refused(f"That message stands in {self.channels[answers['channel_id']]['name']}.")
        if answers_id is not None and answers["answers_id"] is not None:
            return _refused("That is an answer itself, so answer what it belongs to.")
        if not (answers_id is not None or self._may_start(author, channel)):
            return _refused(
                f"In {channel['name']} only {self.members[channel['manager_id']]['name']} and admins begin threads."
            )
        self._journal = []
        post: Post = {
            "id": self._new_id("post", "POST", self.posts),
            "channel_id": channel_id,
            "author_id": author_id,
            "words": words,
            "posted_at": self.now,
            "answers_id": answers_id,
            "pinned": False,
        }
        self._add("posts", post)
        if self._breaks_rule_7(self.channels[post["channel_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(post):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: post in {channel['name']} as {author['name']} (new: post {post['id']}).",
            "data": {"post_id": post["id"], **self._changes()},
        }

    def pin_post(self, post_id: str, by_id: str, pinned: bool = True) -> Result:
        """Pin a message to its channel, or unpin it.

        Args:
            post_id (str): Id of the post, such as POST-00001.
            by_id (str): Manager of the channel or an admin; an id such as MEMBER-00001.
            pinned (bool): Whether the message is pinned, as opposed to unpinned. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        post = self.posts.get(post_id)
        if post is None:
            return _refused(f"There is no post {post_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if self.channels[post["channel_id"]]["status"] != "live":
            return _refused(f"{self.channels[post['channel_id']]['name']} is archived.")
        if not (
            by_id == self.channels[post["channel_id"]]["manager_id"]
            or by["kind"] == "admin"
            and self._active(by)
        ):
            return _refused(
                f"Only {self.members[self.channels[post['channel_id']]['manager_id']]['name']} and admins pin in "
                f"{self.channels[post['channel_id']]['name']}."
            )
        if pinned == post["pinned"]:
            return _refused("That is so already.")
        if post["answers_id"] is not None:
            return _refused("Answers are not pinned, only what begins a thread.")
        if (
            pinned
            and self._channel_pins(
                self.channels[post["channel_id"]]
            ) >= self.channels[post["channel_id"]]["most_pins"]
        ):
            return _refused(
                f"{self.channels[post['channel_id']]['name']} has "
                f"{self._channel_pins(self.channels[post['channel_id']])} pins, so unpin something first or allow "
                "more."
            )
        self._journal = []
        self._put("posts", post, "pinned", pinned)
        if self._breaks_rule_7(self.channels[post["channel_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(post):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: change the pin on a message of {self.members[post['author_id']]['name']} in "
                f"{self.channels[post['channel_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def start_poll(
        self,
        channel_id: str,
        asker_id: str,
        question: Text,
        options: Annotated[list[Text], {"maxItems": 20}],
        closes_on: Date,
        choices: Annotated[int, {"minimum": 1, "maximum": 3}] = 1,
    ) -> Result:
        """Start a poll in a channel.

        Args:
            channel_id (str): Id of the channel, such as CHANNEL-00001.
            asker_id (str): Staff member in the channel who asks; an id such as MEMBER-00001.
            question (str): Question of the poll, not asked before.
            options (list): Two to six different answers to choose from.
            closes_on (str): Day on which the poll closes, after today, as YYYY-MM-DD.
            choices (int): Most answers that one person may choose, fewer than there are, from 1 to 3. Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        channel = self.channels.get(channel_id)
        if channel is None:
            return _refused(f"There is no channel {channel_id!r}.")
        asker = self.members.get(asker_id)
        if asker is None:
            return _refused(f"There is no member {asker_id!r}.")
        if channel["status"] != "live":
            return _refused(f"{channel['name']} is archived.")
        if asker_id not in channel["person_ids"] or asker["kind"] == "guest":
            return _refused(f"Only staff in {channel['name']} start polls there.")
        if not ((2 <= len(options) and len(options) <= 6) and _different([o for o in options])):
            return _refused("A poll has two to six different answers.")
        if choices >= len(options):
            return _refused(f"With {choices} choices everything could be chosen.")
        if closes_on <= self.now[:10]:
            return _refused(f"{closes_on} is not ahead.")
        if len(self._polls_by_channel_status.get((channel_id, "open"), {})) >= 2:
            return _refused(f"{channel['name']} has two open polls, so close one first.")
        if self._polls_by_lower_question.get(question.lower(), {}):
            return _refused("That has been asked already, so word it differently.")
        self._journal = []
        added_options: list[Any] = []
        poll: Poll = {
            "id": self._new_id("poll", "POLL", self.polls),
            "question": question,
            "channel_id": channel_id,
            "asker_id": asker_id,
            "choices": choices,
            "closes_on": closes_on,
            "status": "open",
        }
        self._add("polls", poll)
        for o in sorted(options, key=lambda o: (o.lower(),)):
            option = {"id": self._new_id("option", "OPTION", self.options), "poll_id": poll["id"], "title": o}
            self._add("options", option)
            added_options.append(option)
        if len(self._polls_by_question.get(poll["question"], {})) > 1:
            return self._take_back(f"There is already a poll with the question {poll['question']!r}.")
        if self._breaks_rule_9(self.channels[poll["channel_id"]]):
            return self._take_back(RULES[8])
        for one_option in _distinct(added_options):
            if self._breaks_rule_12(one_option):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: start the poll {question} in {channel['name']} as {asker['name']} (new: poll {poll['id']})."
            ),
            "data": {"poll_id": poll["id"], **self._changes()},
        }

    def cast_vote(self, option_id: str, voter_id: str, cast: bool = True) -> Result:
        """Vote for an option of an open poll, or take a vote back.

        Args:
            option_id (str): Id of the option, such as OPTION-00001.
            voter_id (str): Member in the channel who votes; an id such as MEMBER-00001.
            cast (bool): Whether the vote is given, as opposed to taken back. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        option = self.options.get(option_id)
        if option is None:
            return _refused(f"There is no option {option_id!r}.")
        voter = self.members.get(voter_id)
        if voter is None:
            return _refused(f"There is no member {voter_id!r}.")
        if self.polls[option["poll_id"]]["status"] != "open":
            return _refused(f"The poll {self.polls[option['poll_id']]['question']} is closed.")
        if voter_id not in self.channels[self.polls[option["poll_id"]]["channel_id"]]["person_ids"]:
            return _refused(
                f"{voter['name']} is not in {self.channels[self.polls[option['poll_id']]['channel_id']]['name']}."
            )
        if cast and voter["until"] is not None and voter["until"] < self.now[:10]:
            return _refused(f"{voter['name']} was a guest until {voter['until']}, so renew the guest first.")
        if cast != (not self._votes_by_option_voter.get((option_id, voter_id), {})):
            return _refused("That is so already.")
        if cast and self._used(voter, self.polls[option["poll_id"]]) >= self.polls[option["poll_id"]]["choices"]:
            return _refused(f"{voter['name']} has used all votes, so take one back first.")
        self._journal = []
        added_votes: list[Any] = []
        deleted_votes: list[Any] = []
        if cast:
            vote = {"id": self._new_id("vote", "VOTE", self.votes), "option_id": option_id, "voter_id": voter_id}
            self._add("votes", vote)
            added_votes.append(vote)
        else:
            for v in sorted(self._votes_by_option_voter.get((option_id, voter_id), {}).values(), key=_age):
                if v["id"] in self.votes:
                    self._remove("votes", v)
                deleted_votes.append(v)
        for one_vote in _distinct(added_votes):
            if one_vote["id"] in self.votes and self._breaks_rule_10_v(one_vote):
                return self._take_back(RULES[9])
        for one_vote in _distinct(
            [
                *added_votes,
                *[
                    user
                    for one in [self.members[one["voter_id"]] for one in added_votes]
                    for user in self._votes_by_voter.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.members[one["voter_id"]] for one in deleted_votes]
                    for user in self._votes_by_voter.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_vote["id"] in self.votes and self._breaks_rule_10_v_again(one_vote):
                return self._take_back(RULES[9])
        for one_vote in _distinct(added_votes):
            if one_vote["id"] in self.votes and self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: change the vote of {voter['name']} for {option['title']}.",
            "data": self._changes(),
        }

    def close_poll(self, poll_id: str, by_id: str) -> Result:
        """Close a poll, by its asker, the manager of the channel or an admin.

        Args:
            poll_id (str): Id of the poll, such as POLL-00001.
            by_id (str): Asker of the poll, manager of the channel or an admin; an id such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        poll = self.polls.get(poll_id)
        if poll is None:
            return _refused(f"There is no poll {poll_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if poll["status"] != "open":
            return _refused("The poll is closed already.")
        if not (
            by in [self.members[poll["asker_id"]], self.members[self.channels[poll["channel_id"]]["manager_id"]]]
            or by["kind"] == "admin"
            and self._active(by)
        ):
            return _refused(
                f"Only {self.members[poll['asker_id']]['name']}, "
                f"{self.members[self.channels[poll['channel_id']]['manager_id']]['name']} or an admin closes it."
            )
        self._journal = []
        self._put("polls", poll, "status", "closed")
        if self._breaks_rule_9(self.channels[poll["channel_id"]]):
            return self._take_back(RULES[8])
        for one_vote in _distinct(
            [
                user
                for one in self._options_by_poll.get(poll["id"], {}).values()
                for user in self._votes_by_option.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: close the poll {poll['question']} as {by['name']}.",
            "data": self._changes(),
        }

    def add_member(self, name: Text, channel_ids: Annotated[list[str], {"maxItems": 20}] | None = None) -> Result:
        """Give somebody new on the staff an account, and let them into channels that are not closed.

        Args:
            name (str): Full name of the new member, not in use yet.
            channel_ids (list): Live channels, not closed ones, that the member joins: ids of channels, such as
                CHANNEL-00001. If left out, the member joins no channel yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        channels = []
        for key in channel_ids or []:
            if key not in self.channels:
                return _refused(f"There is no channel {key!r}.")
            channels.append(self.channels[key])
        if self._members_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a {name} already.")
        if not _different([c["id"] for c in channels]):
            return _refused("A channel is named twice.")
        barred = next((c for c in channels if (c["kind"] == "closed" or c["status"] != "live")), None)
        if barred is not None:
            return _refused(
                f"{barred['name']} is {barred['kind']} and {barred['status']}; newcomers begin in live channels "
                "that are not closed."
            )
        self._journal = []
        changed_channels: list[Any] = []
        former_person_ids: list[Any] = []
        member: Member = {
            "id": self._new_id("member", "MEMBER", self.members),
            "name": name,
            "kind": "member",
            "sponsor_id": None,
            "until": None,
            "joined_on": self.now[:10],
            "status": "active",
        }
        self._add("members", member)
        for c in list(channels):
            changed_channels.append(c)
            former_person_ids.extend(c["person_ids"])
            self._put(
                "channels",
                c,
                "person_ids",
                [record["id"] for record in [self.members[key] for key in c["person_ids"]] + [member]],
            )
        if len(self._members_by_name.get(member["name"], {})) > 1:
            return self._take_back(f"There is already a member with the name {member['name']!r}.")
        if self._breaks_rule_1(member):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(member):
            return self._take_back(RULES[1])
        for one_channel in _distinct(changed_channels):
            if self._breaks_rule_3(one_channel):
                return self._take_back(RULES[2])
        for one_member in _distinct(
            [
                member,
                *[self.members[key] for one in changed_channels for key in one["person_ids"]],
                *[self.members.get(key) for key in former_person_ids],
            ]
        ):
            if self._breaks_rule_4_g(one_member):
                return self._take_back(RULES[3])
        for one_channel in _distinct(changed_channels):
            if self._breaks_rule_4_c(one_channel):
                return self._take_back(RULES[3])
        for one_channel in _distinct(changed_channels):
            if self._breaks_rule_5(one_channel):
                return self._take_back(RULES[4])
        for one_channel in _distinct(changed_channels):
            if self._breaks_rule_6(one_channel):
                return self._take_back(RULES[5])
        for one_vote in _distinct(
            [
                user
                for one in [
                    user
                    for one in [
                        user
                        for one in changed_channels
                        for user in self._polls_by_channel.get(one["id"], {}).values()
                    ]
                    for user in self._options_by_poll.get(one["id"], {}).values()
                ]
                for user in self._votes_by_option.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: add {name} to the staff (new: member {member['id']}).",
            "data": {"member_id": member["id"], **self._changes()},
        }

    def invite_guest(self, name: Text, sponsor_id: str, channel_id: str, until: Date) -> Result:
        """Invite a guest into a channel where the sponsor is.

        Args:
            name (str): Full name of the guest, not in use yet.
            sponsor_id (str): Active staff member in the channel who answers for the guest; an id such as
                MEMBER-00001.
            channel_id (str): Id of the channel, such as CHANNEL-00001.
            until (str): Last day of the guest, 1 to 366 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sponsor = self.members.get(sponsor_id)
        if sponsor is None:
            return _refused(f"There is no member {sponsor_id!r}.")
        channel = self.channels.get(channel_id)
        if channel is None:
            return _refused(f"There is no channel {channel_id!r}.")
        if self._members_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a {name} already.")
        if not self._staff(sponsor):
            return _refused(f"{sponsor['name']} is no active member of the staff.")
        if channel["status"] != "live" or channel["kind"] == "announcements":
            return _refused(f"Guests are not let into {channel['name']}.")
        if sponsor_id not in channel["person_ids"]:
            return _refused(f"{sponsor['name']} is not in {channel['name']}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 366):
            return _refused("Guests are invited for 1 to 366 days.")
        if sum(1 for g in self._members_by_sponsor.get(sponsor_id, {}).values() if self._active(g)) >= 4:
            return _refused(f"{sponsor['name']} sponsors four guests already.")
        done = f"invite {name} into {channel['name']} as a guest of {sponsor['name']}"
        self._journal = []
        guest: Member = {
            "id": self._new_id("member", "MEMBER", self.members),
            "name": name,
            "kind": "guest",
            "sponsor_id": sponsor_id,
            "until": until,
            "joined_on": self.now[:10],
            "status": "active",
        }
        self._add("members", guest)
        former_person_ids = channel["person_ids"]
        self._put(
            "channels",
            channel,
            "person_ids",
            [record["id"] for record in [self.members[key] for key in channel["person_ids"]] + [guest]],
        )
        if len(self._members_by_name.get(guest["name"], {})) > 1:
            return self._take_back(f"There is already a member with the name {guest['name']!r}.")
        if self._breaks_rule_1(guest):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(guest):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(channel):
            return self._take_back(RULES[2])
        for one_member in _distinct(
            [
                guest,
                *[self.members[key] for key in channel["person_ids"]],
                *[self.members.get(key) for key in former_person_ids],
            ]
        ):
            if self._breaks_rule_4_g(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_4_c(channel):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(channel):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(channel):
            return self._take_back(RULES[5])
        for one_vote in _distinct(
            [
                user
                for one in [
                    user
                    for one in self._polls_by_channel.get(channel["id"], {}).values()
                    for user in self._options_by_poll.get(one["id"], {}).values()
                ]
                for user in self._votes_by_option.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: member {guest['id']}).",
            "data": {"member_id": guest["id"], **self._changes()},
        }

    def renew_guest(self, guest_id: str, until: Date | None = None, sponsor_id: str | None = None) -> Result:
        """Give a guest another last day, another sponsor, or both.

        Args:
            guest_id (str): Active guest who is renewed; an id such as MEMBER-00001.
            until (str, optional): New last day of the guest, after today, as YYYY-MM-DD. If left out, the last day
                stays as it is.
            sponsor_id (str, optional): Staff member, in all channels of the guest, who takes over; an id such as
                MEMBER-00001. If left out, the sponsor stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.members.get(guest_id)
        if guest is None:
            return _refused(f"There is no member {guest_id!r}.")
        sponsor = self.members.get(sponsor_id) if sponsor_id is not None else None
        if sponsor_id is not None and sponsor is None:
            return _refused(f"There is no member {sponsor_id!r}.")
        if not (guest["kind"] == "guest" and self._active(guest)):
            return _refused(f"{guest['name']} is no active guest.")
        if until is None and sponsor_id is None:
            return _refused("Say the last day or the sponsor.")
        if not (until is None or until > self.now[:10] and until != guest["until"]):
            return _refused(f"{until} is not ahead or is what it was.")
        if sponsor_id is not None and sponsor_id == guest["sponsor_id"]:
            return _refused(f"{sponsor['name']} is the sponsor already.")
        if not (sponsor_id is None or self._could_sponsor(sponsor, guest)):
            return _refused(f"{sponsor['name']} must be staff and in every channel that {guest['name']} is in.")
        if (
            sponsor_id is not None
            and sum(1 for g in self._members_by_sponsor.get(sponsor_id, {}).values() if self._active(g)) >= 4
        ):
            return _refused(f"{sponsor['name']} sponsors four guests already.")
        self._journal = []
        self._put("members", guest, "until", until if until is not None else guest["until"])
        self._put("members", guest, "sponsor_id", _id_of(sponsor or self.members.get(guest["sponsor_id"])))
        if self._breaks_rule_1(guest):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(guest):
            return self._take_back(RULES[1])
        for one_channel in _distinct(self._channels_by_people.get(guest["id"], {}).values()):
            if self._breaks_rule_3(one_channel):
                return self._take_back(RULES[2])
        done = f"renew {guest['name']}"
        if until is not None:
            done += f" until {until}"
        if sponsor is not None:
            done += f" with {sponsor['name']} as the sponsor"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def deactivate_member(self, member_id: str) -> Result:
        """Let somebody go who manages no live channel and sponsors nobody; they leave all channels and their votes in
        open polls go.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if not self._active(member):
            return _refused(f"{member['name']} has gone already.")
        own = next(
            (c for c in sorted(self._channels_by_manager_status.get((member_id, "live"), {}).values(), key=_age)),
            None,
        )
        if own is not None:
            return _refused(f"{member['name']} manages {own['name']}, so hand it over or archive it first.")
        ward = next(
            (g for g in sorted(self._members_by_sponsor.get(member_id, {}).values(), key=_age) if self._active(g)),
            None,
        )
        if ward is not None:
            return _refused(f"{member['name']} sponsors {ward['name']}, so find another sponsor first.")
        if not (
            member["kind"] != "admin"
            or any(m["kind"] == "admin" and self._active(m) for m in self.members.values() if m is not member)
        ):
            return _refused(f"{member['name']} is the last admin.")
        self._journal = []
        deleted_votes: list[Any] = []
        changed_channels: list[Any] = []
        former_person_ids: list[Any] = []
        for v in [
            v
            for v in sorted(self._votes_by_voter.get(member_id, {}).values(), key=_age)
            if self.polls[self.options[v["option_id"]]["poll_id"]]["status"] == "open"
        ]:
            if v["id"] in self.votes:
                self._remove("votes", v)
            deleted_votes.append(v)
        for c in sorted(self._channels_by_people.get(member_id, {}).values(), key=_age):
            changed_channels.append(c)
            former_person_ids.extend(c["person_ids"])
            self._put(
                "channels",
                c,
                "person_ids",
                [
                    record["id"]
                    for record in [m for m in [self.members[key] for key in c["person_ids"]] if m is not member]
                ],
            )
        self._put("members", member, "status", "gone")
        for one_member in _distinct([member, *self._members_by_sponsor.get(member["id"], {}).values()]):
            if self._breaks_rule_2(one_member):
                return self._take_back(RULES[1])
        for one_channel in _distinct(changed_channels):
            if self._breaks_rule_3(one_channel):
                return self._take_back(RULES[2])
        for one_member in _distinct(
            [
                *[self.members[key] for one in changed_channels for key in one["person_ids"]],
                *[self.members.get(key) for key in former_person_ids],
            ]
        ):
            if self._breaks_rule_4_g(one_member):
                return self._take_back(RULES[3])
        for one_channel in _distinct(changed_channels):
            if self._breaks_rule_4_c(one_channel):
                return self._take_back(RULES[3])
        for one_channel in _distinct([*changed_channels, *self._channels_by_people.get(member["id"], {}).values()]):
            if self._breaks_rule_5(one_channel):
                return self._take_back(RULES[4])
        for one_channel in _distinct(
            [*changed_channels, *self._channels_by_manager_status.get((member["id"], "live"), {}).values()]
        ):
            if self._breaks_rule_6(one_channel):
                return self._take_back(RULES[5])
        for one_vote in _distinct(
            [
                user
                for one in [self.members[one["voter_id"]] for one in deleted_votes]
                for user in self._votes_by_voter.get(one["id"], {}).values()
            ]
        ):
            if one_vote["id"] in self.votes and self._breaks_rule_10_v_again(one_vote):
                return self._take_back(RULES[9])
        for one_vote in _distinct(
            [
                user
                for one in [
                    user
                    for one in [
                        user
                        for one in changed_channels
                        for user in self._polls_by_channel.get(one["id"], {}).values()
                    ]
                    for user in self._options_by_poll.get(one["id"], {}).values()
                ]
                for user in self._votes_by_option.get(one["id"], {}).values()
            ]
        ):
            if one_vote["id"] in self.votes and self._breaks_rule_11(one_vote):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: deactivate {member['name']}.", "data": self._changes()}

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "channels": self._member_channels(member)}

    def _show_channel(self, channel: Channel) -> dict[str, Any]:
        """The channel as an answer shows it."""
        return {**channel, "person_ids": [*channel["person_ids"]], "pins": self._channel_pins(channel)}

    def _show_poll(self, poll: Poll) -> dict[str, Any]:
        """The poll as an answer shows it."""
        return {**poll, "voters": self._poll_voters(poll)}

    def _show_option(self, option: Option) -> dict[str, Any]:
        """The option as an answer shows it."""
        return {**option, "votes": self._option_votes(option)}

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names((self.members, "name", [row["sponsor_id"] for row in shown]))

    def _names_of_channels(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that channels point to."""
        return _names(
            (self.members, "name", [row["manager_id"] for row in shown]),
            (self.members, "name", [each for row in shown for each in row["person_ids"]]),
        )

    def _names_of_posts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that posts point to."""
        return _names(
            (self.channels, "name", [row["channel_id"] for row in shown]),
            (self.members, "name", [row["author_id"] for row in shown]),
        )

    def _names_of_polls(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that polls point to."""
        return _names(
            (self.channels, "name", [row["channel_id"] for row in shown]),
            (self.members, "name", [row["asker_id"] for row in shown]),
        )

    def _names_of_options(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that options point to."""
        return _names((self.polls, "question", [row["poll_id"] for row in shown]))

    def _names_of_votes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that votes point to."""
        return _names(
            (self.options, "title", [row["option_id"] for row in shown]),
            (self.members, "name", [row["voter_id"] for row in shown]),
        )

    def _member_channels(self, member: Member) -> int:
        """The channels of a member."""
        return len(self._channels_by_people.get(member["id"], {}))

    def _channel_pins(self, channel: Channel) -> int:
        """The pins of a channel."""
        return sum(1 for p in self._posts_by_channel.get(channel["id"], {}).values() if p["pinned"])

    def _poll_voters(self, poll: Poll) -> int:
        """The voters of a poll."""
        return sum(
            1
            for m in _those(
                self.members,
                [
                    v["voter_id"]
                    for _option in self._options_by_poll.get(poll["id"], {}).values()
                    for v in self._votes_by_option.get(_option["id"], {}).values()
                ],
            )
            if any(
                v["voter_id"] == m["id"]
                for _option in self._options_by_poll.get(poll["id"], {}).values()
                for v in self._votes_by_option.get(_option["id"], {}).values()
            )
        )

    def _option_votes(self, option: Option) -> int:
        """The votes of an option."""
        return len(self._votes_by_option.get(option["id"], {}))

    def _active(self, m: Member) -> bool:
        return m["status"] == "active"

    def _staff(self, m: Member) -> bool:
        return m["status"] == "active" and m["kind"] != "guest"

    def _used(self, m: Member, p: Poll) -> int:
        return sum(
            1
            for v in self._votes_by_voter.get(m["id"], {}).values()
            if self.options[v["option_id"]]["poll_id"] == p["id"]
        )

    def _could_sponsor(self, m: Member, g: Member) -> bool:
        return (
            self._staff(m)
            and all(m["id"] in c["person_ids"] for c in self._channels_by_people.get(g["id"], {}).values())
        )

    def _last_post(self, c: Channel) -> str | None:
        return max((p["posted_at"] for p in self._posts_by_channel.get(c["id"], {}).values()), default=None)

    def _may_start(self, m: Member, c: Channel) -> bool:
        return (
            m["id"] in c["person_ids"]
            and (c["kind"] != "announcements" or m["id"] == c["manager_id"] or m["kind"] == "admin")
        )

    def _run_out(self, m: Member) -> bool:
        return m["until"] is not None and m["until"] < self.now[:10]

    def _leading(self, p: Poll) -> Option | None:
        return next(
            (
                o
                for o in sorted(self._options_by_poll.get(p["id"], {}).values(), key=_age)
                if not any(
                    self._option_votes(x) >= self._option_votes(o)
                    for x in self._options_by_poll.get(p["id"], {}).values()
                    if x is not o
                )
            ),
            None,
        )

    def _breaks_rule_1(self, m: Member) -> bool:
        """Whether this is broken: guests have a sponsor and a last day, and nobody else has."""
        return (
            (m["kind"] == "guest") != (m["sponsor_id"] is not None)
            or (m["kind"] == "guest") != (m["until"] is not None)
        )

    def _breaks_rule_2(self, g: Member) -> bool:
        """Whether this is broken: a sponsor is active staff."""
        return self._active(g) and not (g["sponsor_id"] is None or self._staff(self.members[g["sponsor_id"]]))

    def _breaks_rule_3(self, c: Channel) -> bool:
        """Whether this is broken: a guest is in a channel only together with the sponsor."""
        return any(
            g["sponsor_id"] is not None
            and g["sponsor_id"] not in c["person_ids"]
            for g in [self.members[key] for key in c["person_ids"]]
        )

    def _breaks_rule_4_g(self, g: Member) -> bool:
        """Whether this is broken: guests are in at most two channels and never in one for announcements."""
        return g["kind"] == "guest" and self._member_channels(g) > 2

    def _breaks_rule_4_c(self, c: Channel) -> bool:
        """Whether this is broken: guests are in at most two channels and never in one for announcements."""
        return (
            c["kind"] == "announcements"
            and any(g["kind"] == "guest" for g in [self.members[key] for key in c["person_ids"]])
        )

    def _breaks_rule_5(self, c: Channel) -> bool:
        """Whether this is broken: whoever is gone is in no channel."""
        return any(not self._active(m) for m in [self.members[key] for key in c["person_ids"]])

    def _breaks_rule_6(self, c: Channel) -> bool:
        """Whether this is broken: a channel is managed by staff who are in it, and nobody is in it twice."""
        return (
            c["status"] == "live"
            and not (
                c["manager_id"] in c["person_ids"]
                and self._staff(self.members[c["manager_id"]])
                and _different([m["id"] for m in [self.members[key] for key in c["person_ids"]]])
            )
        )

    def _breaks_rule_7(self, c: Channel) -> bool:
        """Whether this is broken: no channel has more pins than it allows."""
        return self._channel_pins(c) > c["most_pins"]

    def _breaks_rule_8(self, p: Post) -> bool:
        """Whether this is broken: answers stand in the channel of what they answer, are not answered themselves and
        not pinned.
        """
        return not (
            p["answers_id"] is None
            or self.posts[p["answers_id"]]["channel_id"] == p["channel_id"]
            and self.posts[p["answers_id"]]["answers_id"] is None
            and not p["pinned"]
        )

    def _breaks_rule_9(self, c: Channel) -> bool:
        """Whether this is broken: archived channels have no open poll, and live ones at most two."""
        return len(self._polls_by_channel_status.get((c["id"], "open"), {})) > (2 if c["status"] == "live" else 0)

    def _breaks_rule_10_v(self, v: Vote) -> bool:
        """Whether this is broken: nobody votes for an option twice or for more options than the poll allows."""
        return any(
            other_v is not v
            for other_v in self._votes_by_option_voter.get((v["option_id"], v["voter_id"]), {}).values()
        )

    def _breaks_rule_10_v_again(self, v: Vote) -> bool:
        """Whether this is broken: nobody votes for an option twice or for more options than the poll allows."""
        return sum(
            1
            for w in self._votes_by_voter.get(v["voter_id"], {}).values()
            if self.options[w["option_id"]]["poll_id"] == self.options[v["option_id"]]["poll_id"]
        ) > self.polls[self.options[v["option_id"]]["poll_id"]]["choices"]

    def _breaks_rule_11(self, v: Vote) -> bool:
        """Whether this is broken: in open polls only people of the channel have votes."""
        return (
            self.polls[self.options[v["option_id"]]["poll_id"]]["status"] == "open"
            and v["voter_id"] not in self.channels[
                self.polls[self.options[v["option_id"]]["poll_id"]]["channel_id"]
            ]["person_ids"]
        )

    def _breaks_rule_12(self, o: Option) -> bool:
        """Whether this is broken: a poll offers each answer once."""
        return any(
            other_o is not o
            for other_o in self._options_by_poll.get(o["poll_id"], {}).values()
            if other_o["title"] == o["title"]
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
            case "members":
                self._members_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._members_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._members_by_sponsor.setdefault(record["sponsor_id"], {})[record["id"]] = record
            case "channels":
                self._channels_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._channels_by_manager_status.setdefault(
                    (record["manager_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._channels_by_name.setdefault(record["name"], {})[record["id"]] = record
                for key in record["person_ids"]:
                    self._channels_by_people.setdefault(key, {})[record["id"]] = record
            case "posts":
                self._posts_by_channel.setdefault(record["channel_id"], {})[record["id"]] = record
            case "polls":
                self._polls_by_channel.setdefault(record["channel_id"], {})[record["id"]] = record
                self._polls_by_channel_status.setdefault(
                    (record["channel_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._polls_by_lower_question.setdefault(record["question"].lower(), {})[record["id"]] = record
                self._polls_by_question.setdefault(record["question"], {})[record["id"]] = record
            case "options":
                self._options_by_poll.setdefault(record["poll_id"], {})[record["id"]] = record
            case "votes":
                self._votes_by_option.setdefault(record["option_id"], {})[record["id"]] = record
                self._votes_by_option_voter.setdefault(
                    (record["option_id"], record["voter_id"]),
                    {},
                )[record["id"]] = record
                self._votes_by_voter.setdefault(record["voter_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "members":
                del self._members_by_lower_name[record["name"].lower()][record["id"]]
                del self._members_by_name[record["name"]][record["id"]]
                del self._members_by_sponsor[record["sponsor_id"]][record["id"]]
            case "channels":
                del self._channels_by_lower_name[record["name"].lower()][record["id"]]
                del self._channels_by_manager_status[record["manager_id"], record["status"]][record["id"]]
                del self._channels_by_name[record["name"]][record["id"]]
                for key in record["person_ids"]:
                    self._channels_by_people[key].pop(record["id"], None)
            case "posts":
                del self._posts_by_channel[record["channel_id"]][record["id"]]
            case "polls":
                del self._polls_by_channel[record["channel_id"]][record["id"]]
                del self._polls_by_channel_status[record["channel_id"], record["status"]][record["id"]]
                del self._polls_by_lower_question[record["question"].lower()][record["id"]]
                del self._polls_by_question[record["question"]][record["id"]]
            case "options":
                del self._options_by_poll[record["poll_id"]][record["id"]]
            case "votes":
                del self._votes_by_option[record["option_id"]][record["id"]]
                del self._votes_by_option_voter[record["option_id"], record["voter_id"]][record["id"]]
                del self._votes_by_voter[record["voter_id"]][record["id"]]
