"""Field expedition. Compiled from blueprint.yaml; run `envscaler build field_expedition` after changing it there.

Runs a scientific expedition in the mountains - camps with beds and food for so many person-days, parties that
need a guide and a radio, heights to get used to, permits with specimen limits, gear and evacuations.
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
    "A camp sleeps no more people than it has beds.",
    "Nobody stays in a camp that lies more than 600 metres above what they are used to.",
    "A camp of four people or more has a medic.",
    "A member is in a camp, on the way or flown out, and only one of these.",
    "A party that is out has at least two people, a guide among them.",
    "A party that is out carries a working radio.",
    "Gear is in a camp or with a party, never both.",
    "No more is collected than a permit allows, nor after it ended.",
    "A member has one evacuation called at a time, and none is open for somebody who was flown out.",
    "A party goes from one camp to another.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_party",
    "pack_gear",
    "load_food",
    "start_party",
    "end_party",
    "drop_party",
    "deliver_food",
    "count_food",
    "collect_find",
    "call_evacuation",
    "end_evacuation",
    "report_gear",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "camps": ("name",),
    "members": ("name",),
    "parties": ("name",),
    "permits": ("number",),
    "finds": ("label",),
    "gears": ("code",),
    "evacuations": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("evacuations", "member_id"),
    ("evacuations", "status"),
    ("finds", "label"),
    ("finds", "permit_id"),
    ("gears", "kind"),
    ("gears", "party_id"),
    ("members", "camp_id"),
    ("members", "party_id"),
    ("parties", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Camp(TypedDict):
    id: str
    name: str
    altitude: int
    beds: int
    food: int


class Member(TypedDict):
    id: str
    name: str
    role: Literal["guide", "medic", "scientist", "cook"]
    used_to: int
    camp_id: str | None
    party_id: str | None
    flown_out: str | None


class Party(TypedDict):
    id: str
    name: str
    start_id: str
    goal_id: str
    food: int
    status: Literal["planned", "out", "dropped", "arrived", "back"]


class Permit(TypedDict):
    id: str
    number: str
    taxon: Literal["beetles", "mosses", "lichens", "moths", "sediment"]
    allowed: int
    until: str


class Find(TypedDict):
    id: str
    label: str
    permit_id: str
    collector_id: str
    camp_id: str
    pieces: int
    found_on: str


class Gear(TypedDict):
    id: str
    code: str
    kind: Literal["radio", "rope", "tent", "stove", "oxygen"]
    camp_id: str | None
    party_id: str | None
    broken: bool


class Evacuation(TypedDict):
    id: str
    member_id: str
    reason: str
    called_on: str
    status: Literal["called", "flown", "stood_down"]


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


class FieldExpedition:
    """Runs a scientific expedition in the mountains - camps with beds and food for so many person-days,
    parties that need a guide and a radio, heights to get used to, permits with specimen limits, gear
    and evacuations.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.camps: dict[str, Camp] = _copied(config.get("camps", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.parties: dict[str, Party] = _copied(config.get("parties", {}))
        self.permits: dict[str, Permit] = _copied(config.get("permits", {}))
        self.finds: dict[str, Find] = _copied(config.get("finds", {}))
        self.gears: dict[str, Gear] = _copied(config.get("gears", {}))
        self.evacuations: dict[str, Evacuation] = _copied(config.get("evacuations", {}))
        self.now: str = config.get("now", "2026-07-21T18:00")
        self.counters: dict[str, int] = {
            "camp": len(self.camps),
            "member": len(self.members),
            "party": len(self.parties),
            "permit": len(self.permits),
            "find": len(self.finds),
            "gear": len(self.gears),
            "evacuation": len(self.evacuations),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._members_by_camp: dict[Any, dict[str, Member]] = {}
        self._members_by_party: dict[Any, dict[str, Member]] = {}
        self._parties_by_lower_name: dict[Any, dict[str, Party]] = {}
        self._parties_by_name: dict[Any, dict[str, Party]] = {}
        self._finds_by_label: dict[Any, dict[str, Find]] = {}
        self._finds_by_lower_label: dict[Any, dict[str, Find]] = {}
        self._finds_by_permit: dict[Any, dict[str, Find]] = {}
        self._gears_by_kind_party: dict[Any, dict[str, Gear]] = {}
        self._gears_by_party: dict[Any, dict[str, Gear]] = {}
        self._evacuations_by_member_status: dict[Any, dict[str, Evacuation]] = {}
        for member in self.members.values():
            self._link("members", member)
        for party in self.parties.values():
            self._link("parties", party)
        for find in self.finds.values():
            self._link("finds", find)
        for gear in self.gears.values():
            self._link("gears", gear)
        for evacuation in self.evacuations.values():
            self._link("evacuations", evacuation)

    def who_could_go(
        self,
        start_id: str,
        goal_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """People in a camp who are in no party and used to enough height for another camp, guides first.

        Args:
            start_id (str): Camp where the people are; an id such as CAMP-00001.
            goal_id (str): Camp that they are to reach; an id such as CAMP-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}} or {"success": False, "error": why
                not}
        """
        start = self.camps.get(start_id)
        if start is None:
            return _refused(f"There is no camp {start_id!r}.")
        goal = self.camps.get(goal_id)
        if goal is None:
            return _refused(f"There is no camp {goal_id!r}.")
        found = [
            m
            for m in self._members_by_camp.get(start_id, {}).values()
            if (m["camp_id"] == start_id and m["party_id"] is None and m["used_to"] + 600 >= goal["altitude"])
            and self._called(m) is None
        ]
        found.sort(key=lambda m: (0 if m["role"] == "guide" else 1, m["name"], _age(m)))
        return _found(
            {
                "total": len(found),
                "members": [
                    {"id": m["id"], "name": m["name"], "role": m["role"], "used_to": m["used_to"]}
                    for m in _page(found, offset)
                ],
            }
        )

    def supplies(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """How long the food of each camp lasts, the shortest first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "camps": records}} or {"success": False, "error": why
                not}
        """
        found = [c for c in self.camps.values() if self._camp_people(c) > 0]
        found.sort(key=lambda c: (self._camp_lasts(c), c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "camps": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "people": self._camp_people(c),
                        "food": c["food"],
                        "lasts": self._camp_lasts(c),
                        "beds_free": c["beds"] - self._camp_people(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def usable_permits(
        self,
        taxon: Literal["beetles", "mosses", "lichens", "moths", "sediment"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Permits for a kind of specimen that have not ended, those with the least left first.

        Args:
            taxon (str): Kind of specimen that the permits are for: beetles, mosses, lichens, moths or sediment.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self.permits.values()
            if (p["taxon"] == taxon and p["until"] >= self.now[:10] and self._permit_left(p) > 0)
        ]
        found.sort(key=lambda p: (self._permit_left(p), p["number"], _age(p)))
        return _found(
            {
                "total": len(found),
                "permits": [
                    {"id": p["id"], "number": p["number"], "left": self._permit_left(p), "until": p["until"]}
                    for p in _page(found, offset)
                ],
            }
        )

    def list_camps(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the camps, oldest first, all of them or only some.

        Args:
            name (str, optional): Only camps whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "camps": records}}
        """
        found = [camp for camp in self.camps.values() if (name is None or name.casefold() in camp["name"].casefold())]
        return _found({"total": len(found), "camps": [self._show_camp(camp) for camp in _page(found, offset)]})

    def list_members(
        self,
        name: Text | None = None,
        role: Literal["guide", "medic", "scientist", "cook"] | None = None,
        camp_id: str | None = None,
        party_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            role (str, optional): Only members with this role.
            camp_id (str, optional): Only members of this camp.
            party_id (str, optional): Only members of this party.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if camp_id is not None and camp_id not in self.camps:
            return _refused(f"There is no camp {camp_id!r}.")
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (role is None or member["role"] == role)
            and (camp_id is None or member["camp_id"] == camp_id)
            and (party_id is None or member["party_id"] == party_id)
        ]
        shown = [{**member} for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_parties(
        self,
        name: Text | None = None,
        start_id: str | None = None,
        goal_id: str | None = None,
        status: Literal["planned", "out", "dropped", "arrived", "back"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parties whose name contains this text.
            start_id (str, optional): Only parties whose start is this camp.
            goal_id (str, optional): Only parties whose goal is this camp.
            status (str, optional): Only parties with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}}
        """
        if start_id is not None and start_id not in self.camps:
            return _refused(f"There is no camp {start_id!r}.")
        if goal_id is not None and goal_id not in self.camps:
            return _refused(f"There is no camp {goal_id!r}.")
        found = [
            party
            for party in self.parties.values()
            if (name is None or name.casefold() in party["name"].casefold())
            and (start_id is None or party["start_id"] == start_id)
            and (goal_id is None or party["goal_id"] == goal_id)
            and (status is None or party["status"] == status)
        ]
        shown = [self._show_party(party) for party in _page(found, offset)]
        return _found({"total": len(found), "parties": shown}, self._names_of_parties(shown))

    def list_permits(
        self,
        number: Text | None = None,
        taxon: Literal["beetles", "mosses", "lichens", "moths", "sediment"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the permits, oldest first, all of them or only some.

        Args:
            number (str, optional): Only permits whose number contains this text.
            taxon (str, optional): Only permits with this taxon.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}}
        """
        found = [
            permit
            for permit in self.permits.values()
            if (number is None or number.casefold() in permit["number"].casefold())
            and (taxon is None or permit["taxon"] == taxon)
        ]
        return _found(
            {"total": len(found), "permits": [self._show_permit(permit) for permit in _page(found, offset)]}
        )

    def list_finds(
        self,
        label: Text | None = None,
        permit_id: str | None = None,
        collector_id: str | None = None,
        camp_id: str | None = None,
        found_on_from: Date | None = None,
        found_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the finds, oldest first, all of them or only some.

        Args:
            label (str, optional): Only finds whose label contains this text.
            permit_id (str, optional): Only finds of this permit.
            collector_id (str, optional): Only finds whose collector is this member.
            camp_id (str, optional): Only finds of this camp.
            found_on_from (str, optional): Only finds whose `found_on` is on this day or later.
            found_on_to (str, optional): Only finds whose `found_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "finds": records}}
        """
        if permit_id is not None and permit_id not in self.permits:
            return _refused(f"There is no permit {permit_id!r}.")
        if collector_id is not None and collector_id not in self.members:
            return _refused(f"There is no member {collector_id!r}.")
        if camp_id is not None and camp_id not in self.camps:
            return _refused(f"There is no camp {camp_id!r}.")
        found = [
            find
            for find in self.finds.values()
            if (label is None or label.casefold() in find["label"].casefold())
            and (permit_id is None or find["permit_id"] == permit_id)
            and (collector_id is None or find["collector_id"] == collector_id)
            and (camp_id is None or find["camp_id"] == camp_id)
            and (found_on_from is None or find["found_on"] >= found_on_from)
            and (found_on_to is None or find["found_on"] <= found_on_to)
        ]
        shown = [{**find} for find in _page(found, offset)]
        return _found({"total": len(found), "finds": shown}, self._names_of_finds(shown))

    def list_gears(
        self,
        code: Text | None = None,
        kind: Literal["radio", "rope", "tent", "stove", "oxygen"] | None = None,
        camp_id: str | None = None,
        party_id: str | None = None,
        broken: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the gears, oldest first, all of them or only some.

        Args:
            code (str, optional): Only gears whose code contains this text.
            kind (str, optional): Only gears with this kind.
            camp_id (str, optional): Only gears of this camp.
            party_id (str, optional): Only gears of this party.
            broken (bool, optional): Only gears that are broken (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gears": records}}
        """
        if camp_id is not None and camp_id not in self.camps:
            return _refused(f"There is no camp {camp_id!r}.")
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            gear
            for gear in self.gears.values()
            if (code is None or code.casefold() in gear["code"].casefold())
            and (kind is None or gear["kind"] == kind)
            and (camp_id is None or gear["camp_id"] == camp_id)
            and (party_id is None or gear["party_id"] == party_id)
            and (broken is None or gear["broken"] == broken)
        ]
        shown = [{**gear} for gear in _page(found, offset)]
        return _found({"total": len(found), "gears": shown}, self._names_of_gears(shown))

    def list_evacuations(
        self,
        member_id: str | None = None,
        status: Literal["called", "flown", "stood_down"] | None = None,
        called_on_from: Date | None = None,
        called_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the evacuations, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only evacuations of this member.
            status (str, optional): Only evacuations with this status.
            called_on_from (str, optional): Only evacuations whose `called_on` is on this day or later.
            called_on_to (str, optional): Only evacuations whose `called_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "evacuations": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            evacuation
            for evacuation in self.evacuations.values()
            if (member_id is None or evacuation["member_id"] == member_id)
            and (status is None or evacuation["status"] == status)
            and (called_on_from is None or evacuation["called_on"] >= called_on_from)
            and (called_on_to is None or evacuation["called_on"] <= called_on_to)
        ]
        shown = [{**evacuation} for evacuation in _page(found, offset)]
        return _found({"total": len(found), "evacuations": shown}, self._names_of_evacuations(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_party(
        self,
        name: Text,
        start_id: str,
        goal_id: str,
        member_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Plan a party from one camp to another with the people who go.

        Args:
            name (str): Name of the new party, not in use yet.
            start_id (str): Camp that the party leaves; an id such as CAMP-00001.
            goal_id (str): Camp that the party is to reach; an id such as CAMP-00001.
            member_ids (list): Two to eight people in the start camp, a guide among them: ids of members, such as
                MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        start = self.camps.get(start_id)
        if start is None:
            return _refused(f"There is no camp {start_id!r}.")
        goal = self.camps.get(goal_id)
        if goal is None:
            return _refused(f"There is no camp {goal_id!r}.")
        members = []
        for key in member_ids:
            if key not in self.members:
                return _refused(f"There is no member {key!r}.")
            members.append(self.members[key])
        if self._parties_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a party {name} already.")
        if start is goal:
            return _refused("A party goes from one camp to another.")
        if not ((2 <= len(members) and len(members) <= 8) and _different([m["id"] for m in members])):
            return _refused("A party has two to eight people, each named once.")
        away = next((m for m in members if m["camp_id"] != start_id), None)
        if away is not None:
            return _refused(f"{away['name']} is not in {start['name']}.")
        busy = next((m for m in members if m["party_id"] is not None), None)
        if busy is not None:
            return _refused(f"{busy['name']} is in a party already.")
        sick = next((m for m in members if self._called(m) is not None), None)
        if sick is not None:
            return _refused(f"{sick['name']} waits to be flown out.")
        if not any(m["role"] == "guide" for m in members):
            return _refused("A party needs a guide.")
        low = next((m for m in members if m["used_to"] + 600 < goal["altitude"]), None)
        if low is not None:
            return _refused(
                f"{low['name']} is used to {low['used_to']} metres, too little for {goal['name']} at "
                f"{goal['altitude']}."
            )
        self._journal = []
        changed_members: list[Any] = []
        former_party_ids: list[Any] = []
        party: Party = {
            "id": self._new_id("party", "PARTY", self.parties),
            "name": name,
            "start_id": start_id,
            "goal_id": goal_id,
            "food": 0,
            "status": "planned",
        }
        self._add("parties", party)
        for m in list(members):
            changed_members.append(m)
            former_party_ids.append(m["party_id"])
            self._put("members", m, "party_id", party["id"])
        if len(self._parties_by_name.get(party["name"], {})) > 1:
            return self._take_back(f"There is already a party with the name {party['name']!r}.")
        for one_member in _distinct(changed_members):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_party in _distinct(
            [
                party,
                *[self.parties.get(one["party_id"]) for one in changed_members],
                *[self.parties.get(key) for key in former_party_ids],
            ]
        ):
            if self._breaks_rule_5(one_party):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(party):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(party):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan the party {name} from {start['name']} to {goal['name']} (new: party {party['id']})."
            ),
            "data": {"party_id": party["id"], **self._changes()},
        }

    def pack_gear(self, party_id: str, gear_id: str) -> Result:
        """Give gear of its start camp to a planned party.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            gear_id (str): Id of the gear, such as GEAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        gear = self.gears.get(gear_id)
        if gear is None:
            return _refused(f"There is no gear {gear_id!r}.")
        if party["status"] != "planned":
            return _refused(f"{party['name']} is {party['status']}.")
        if gear["camp_id"] != party["start_id"]:
            return _refused(f"{gear['code']} is not in {self.camps[party['start_id']]['name']}.")
        if gear["broken"]:
            return _refused(f"{gear['code']} is broken.")
        self._journal = []
        self._put("gears", gear, "camp_id", None)
        former_party_id = gear["party_id"]
        self._put("gears", gear, "party_id", party_id)
        for one_party in _distinct([self.parties.get(gear["party_id"]), self.parties.get(former_party_id)]):
            if self._breaks_rule_6(one_party):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(gear):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: give {gear['code']} to {party['name']}.", "data": self._changes()}

    def load_food(self, party_id: str, person_days: Annotated[int, {"minimum": 1, "maximum": 300}]) -> Result:
        """Load food of its start camp on a planned party.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            person_days (int): Food to load, in person-days, at most 60 for each member, from 1 to 300.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["status"] != "planned":
            return _refused(f"{party['name']} is {party['status']}.")
        if person_days > self.camps[party["start_id"]]["food"]:
            return _refused(
                f"{self.camps[party['start_id']]['name']} has food for {self.camps[party['start_id']]['food']} "
                f"person-days, not {person_days}."
            )
        if party["food"] + person_days > 60 * self._party_size(party):
            return _refused(f"{self._party_size(party)} people carry 60 person-days each at most.")
        self._journal = []
        camp = self.camps[party["start_id"]]
        food = self.camps[party["start_id"]]["food"] - person_days
        if not 0 <= food <= 2000:
            return self._take_back(f"The food of {camp['name']} must be between 0 and 2000.")
        self._put("camps", camp, "food", food)
        new_food = party["food"] + person_days
        if not 0 <= new_food <= 300:
            return self._take_back(f"The food of {party['name']} must be between 0 and 300.")
        self._put("parties", party, "food", new_food)
        return {
            "success": True,
            "message": f"Done: load {person_days} person-days of food on {party['name']}.",
            "data": self._changes(),
        }

    def start_party(self, party_id: str) -> Result:
        """Let a planned party leave, with a guide and a working radio.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["status"] != "planned":
            return _refused(f"{party['name']} is {party['status']}.")
        if not (self._party_size(party) >= 2 and any(m["role"] == "guide" for m in self._party_members(party))):
            return _refused(f"{party['name']} needs two people, one of them a guide.")
        if not self._working_radio(party):
            return _refused(f"{party['name']} carries no working radio.")
        sick = next((m for m in self._party_members(party) if self._called(m) is not None), None)
        if sick is not None:
            return _refused(f"{sick['name']} waits to be flown out.")
        if not (
            self._camp_people(self.camps[party["start_id"]]) - self._party_size(party) < 4
            or any(
                m["role"] == "medic"
                and m["party_id"] != party_id
                for m in self._members_by_camp.get(party["start_id"], {}).values()
            )
        ):
            return _refused(
                f"{self.camps[party['start_id']]['name']} would be left with four people or more and no medic."
            )
        self._journal = []
        changed_members: list[Any] = []
        former_camp_ids: list[Any] = []
        for m in list(self._party_members(party)):
            changed_members.append(m)
            former_camp_ids.append(m["camp_id"])
            self._put("members", m, "camp_id", None)
        self._put("parties", party, "status", "out")
        for one_camp in _distinct(
            [
                *[self.camps.get(one["camp_id"]) for one in changed_members],
                *[self.camps.get(key) for key in former_camp_ids],
            ]
        ):
            if self._breaks_rule_1(one_camp):
                return self._take_back(RULES[0])
        for one_member in _distinct(changed_members):
            if self._breaks_rule_2(one_member):
                return self._take_back(RULES[1])
        for one_camp in _distinct(
            [
                *[self.camps.get(one["camp_id"]) for one in changed_members],
                *[self.camps.get(key) for key in former_camp_ids],
            ]
        ):
            if self._breaks_rule_3(one_camp):
                return self._take_back(RULES[2])
        for one_member in _distinct([*changed_members, *self._members_by_party.get(party["id"], {}).values()]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(party):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(party):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: let {party['name']} leave for {self.camps[party['goal_id']]['name']}.",
            "data": self._changes(),
        }

    def end_party(self, party_id: str, turned_back: bool = False) -> Result:
        """Record that a party reached its goal, where its people, gear and food stay, or turned back to the camp it
        had left.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            turned_back (bool): Whether the party came back to its start instead of reaching its goal. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["status"] != "out":
            return _refused(f"{party['name']} is {party['status']}.")
        camp = self.camps[party["start_id"]] if turned_back else self.camps[party["goal_id"]]
        if self._camp_people(camp) + self._party_size(party) > camp["beds"]:
            return _refused(
                f"{camp['name']} has {camp['beds'] - self._camp_people(camp)} beds free, not "
                f"{self._party_size(party)}."
            )
        if not (
            self._camp_people(camp) + self._party_size(party) < 4
            or any(
                m["role"] == "medic"
                for m in _distinct(
                    [
                        *self._members_by_camp.get(camp["id"], {}).values(),
                        *self._members_by_party.get(party_id, {}).values(),
                    ]
                )
            )
        ):
            return _refused(f"{camp['name']} would have four people or more and no medic.")
        if camp["food"] + party["food"] > 2000:
            return _refused(f"{camp['name']} cannot store so much food.")
        self._journal = []
        changed_gears: list[Any] = []
        former_party_ids: list[Any] = []
        changed_gears_2: list[Any] = []
        changed_members: list[Any] = []
        former_party_ids_2: list[Any] = []
        changed_members_2: list[Any] = []
        former_camp_ids: list[Any] = []
        changed_members_3: list[Any] = []
        changed_parties: list[Any] = []
        food = camp["food"] + party["food"]
        if not 0 <= food <= 2000:
            return self._take_back(f"The food of {camp['name']} must be between 0 and 2000.")
        self._put("camps", camp, "food", food)
        self._put("parties", party, "food", 0)
        for g in sorted(self._gears_by_party.get(party_id, {}).values(), key=_age):
            changed_gears.append(g)
            former_party_ids.append(g["party_id"])
            self._put("gears", g, "party_id", None)
            changed_gears_2.append(g)
            self._put("gears", g, "camp_id", camp["id"])
        for m in list(self._party_members(party)):
            changed_members.append(m)
            former_party_ids_2.append(m["party_id"])
            self._put("members", m, "party_id", None)
            changed_members_2.append(m)
            former_camp_ids.append(m["camp_id"])
            self._put("members", m, "camp_id", camp["id"])
            used_to = max(m["used_to"], camp["altitude"])
            if not 500 <= used_to <= 7000:
                return self._take_back(f"The used to of {m['name']} must be between 500 and 7000.")
            changed_members_3.append(m)
            self._put("members", m, "used_to", used_to)
        if turned_back:
            changed_parties.append(party)
            self._put("parties", party, "status", "back")
        else:
            if party["status"] not in ("out", "arrived"):
                return self._take_back(f"Party {party['name']} cannot go from {party['status']} to arrived.")
            changed_parties.append(party)
            self._put("parties", party, "status", "arrived")
        for one_camp in _distinct(
            [
                *[self.camps.get(one["camp_id"]) for one in changed_members_2],
                *[self.camps.get(key) for key in former_camp_ids],
            ]
        ):
            if self._breaks_rule_1(one_camp):
                return self._take_back(RULES[0])
        for one_member in _distinct([*changed_members_2, *changed_members_3]):
            if self._breaks_rule_2(one_member):
                return self._take_back(RULES[1])
        for one_camp in _distinct(
            [
                *[self.camps.get(one["camp_id"]) for one in changed_members_2],
                *[self.camps.get(key) for key in former_camp_ids],
            ]
        ):
            if self._breaks_rule_3(one_camp):
                return self._take_back(RULES[2])
        for one_member in _distinct(
            [
                *changed_members,
                *changed_members_2,
                *[user for one in changed_parties for user in self._members_by_party.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_party in _distinct(
            [
                *[self.parties.get(one["party_id"]) for one in changed_members],
                *[self.parties.get(key) for key in former_party_ids_2],
                *changed_parties,
            ]
        ):
            if self._breaks_rule_5(one_party):
                return self._take_back(RULES[4])
        for one_party in _distinct(
            [
                *[self.parties.get(one["party_id"]) for one in changed_gears],
                *[self.parties.get(key) for key in former_party_ids],
                *changed_parties,
            ]
        ):
            if self._breaks_rule_6(one_party):
                return self._take_back(RULES[5])
        for one_gear in _distinct([*changed_gears, *changed_gears_2]):
            if self._breaks_rule_7(one_gear):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: record the end of {party['name']}.", "data": self._changes()}

    def drop_party(self, party_id: str) -> Result:
        """Drop a planned party, whose gear and food stay in the camp.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["status"] != "planned":
            return _refused(f"{party['name']} is {party['status']}.")
        self._journal = []
        changed_gears: list[Any] = []
        former_party_ids: list[Any] = []
        changed_gears_2: list[Any] = []
        changed_members: list[Any] = []
        former_party_ids_2: list[Any] = []
        camp = self.camps[party["start_id"]]
        food = self.camps[party["start_id"]]["food"] + party["food"]
        if not 0 <= food <= 2000:
            return self._take_back(f"The food of {camp['name']} must be between 0 and 2000.")
        self._put("camps", camp, "food", food)
        self._put("parties", party, "food", 0)
        for g in sorted(self._gears_by_party.get(party_id, {}).values(), key=_age):
            changed_gears.append(g)
            former_party_ids.append(g["party_id"])
            self._put("gears", g, "party_id", None)
            changed_gears_2.append(g)
            self._put("gears", g, "camp_id", party["start_id"])
        for m in list(self._party_members(party)):
            changed_members.append(m)
            former_party_ids_2.append(m["party_id"])
            self._put("members", m, "party_id", None)
        self._put("parties", party, "status", "dropped")
        for one_member in _distinct([*changed_members, *self._members_by_party.get(party["id"], {}).values()]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_party in _distinct(
            [
                party,
                *[self.parties.get(one["party_id"]) for one in changed_members],
                *[self.parties.get(key) for key in former_party_ids_2],
            ]
        ):
            if self._breaks_rule_5(one_party):
                return self._take_back(RULES[4])
        for one_party in _distinct(
            [
                party,
                *[self.parties.get(one["party_id"]) for one in changed_gears],
                *[self.parties.get(key) for key in former_party_ids],
            ]
        ):
            if self._breaks_rule_6(one_party):
                return self._take_back(RULES[5])
        for one_gear in _distinct([*changed_gears, *changed_gears_2]):
            if self._breaks_rule_7(one_gear):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: drop the party {party['name']}.", "data": self._changes()}

    def deliver_food(self, camp_id: str, person_days: Annotated[int, {"minimum": 1, "maximum": 1000}]) -> Result:
        """Record food that was flown to a camp.

        Args:
            camp_id (str): Id of the camp, such as CAMP-00001.
            person_days (int): Food that was flown in, in person-days, from 1 to 1000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        camp = self.camps.get(camp_id)
        if camp is None:
            return _refused(f"There is no camp {camp_id!r}.")
        if camp["food"] + person_days > 2000:
            return _refused(f"{camp['name']} stores food for 2000 person-days at most.")
        self._journal = []
        food = camp["food"] + person_days
        if not 0 <= food <= 2000:
            return self._take_back(f"The food of {camp['name']} must be between 0 and 2000.")
        self._put("camps", camp, "food", food)
        return {
            "success": True,
            "message": f"Done: record {person_days} person-days of food flown to {camp['name']}.",
            "data": self._changes(),
        }

    def count_food(self, camp_id: str, person_days: Annotated[int, {"minimum": 0, "maximum": 2000}]) -> Result:
        """Note for how many person-days the food in a camp was found to last when it was counted, after what was
        eaten or spoiled.

        Args:
            camp_id (str): Id of the camp, such as CAMP-00001.
            person_days (int): Food that was found, in person-days, less than on record, from 0 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        camp = self.camps.get(camp_id)
        if camp is None:
            return _refused(f"There is no camp {camp_id!r}.")
        if person_days >= camp["food"]:
            return _refused(
                f"{camp['name']} has {camp['food']} in the books, so nothing is gone; what came by air is "
                "recorded as delivered."
            )
        self._journal = []
        self._put("camps", camp, "food", person_days)
        return {
            "success": True,
            "message": f"Done: note {person_days} person-days of food left in {camp['name']}.",
            "data": self._changes(),
        }

    def collect_find(
        self,
        label: Text,
        permit_id: str,
        collector_id: str,
        pieces: Annotated[int, {"minimum": 1, "maximum": 200}],
    ) -> Result:
        """Record specimens collected by a scientist in a camp, under a permit.

        Args:
            label (str): Label on the specimens, not used before.
            permit_id (str): Id of the permit, such as PERMIT-00001.
            collector_id (str): Scientist in a camp who collected them; an id such as MEMBER-00001.
            pieces (int): Specimens collected under this label, within what the permit still allows, from 1 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        collector = self.members.get(collector_id)
        if collector is None:
            return _refused(f"There is no member {collector_id!r}.")
        if self._finds_by_lower_label.get(label.lower(), {}):
            return _refused(f"The label {label} was used already.")
        if collector["role"] != "scientist" or collector["camp_id"] is None:
            return _refused(f"{collector['name']} is no scientist in a camp.")
        if self._called(collector) is not None:
            return _refused(f"{collector['name']} waits to be flown out.")
        if permit["until"] < self.now[:10]:
            return _refused(f"Permit {permit['number']} ended on {permit['until']}.")
        if pieces > self._permit_left(permit):
            return _refused(f"Permit {permit['number']} allows {self._permit_left(permit)} more, not {pieces}.")
        self._journal = []
        find: Find = {
            "id": self._new_id("find", "FIND", self.finds),
            "label": label,
            "permit_id": permit_id,
            "collector_id": collector_id,
            "camp_id": collector["camp_id"],
            "pieces": pieces,
            "found_on": self.now[:10],
        }
        self._add("finds", find)
        if len(self._finds_by_label.get(find["label"], {})) > 1:
            return self._take_back(f"There is already a find with the label {find['label']!r}.")
        if self._breaks_rule_8_p(self.permits[find["permit_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_f(find):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: record {pieces} pieces as {label} under permit {permit['number']} (new: find {find['id']})."
            ),
            "data": {"find_id": find["id"], **self._changes()},
        }

    def call_evacuation(self, member_id: str, reason: Text) -> Result:
        """Call an evacuation for a member in a camp, who leaves a planned party with it.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            reason (str): Why the member must be flown out.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if member["camp_id"] is None:
            return _refused(f"{member['name']} is in no camp.")
        if self._called(member) is not None:
            return _refused(f"An evacuation of {member['name']} was called already.")
        self._journal = []
        evacuation: Evacuation = {
            "id": self._new_id("evacuation", "EVACUATION", self.evacuations),
            "member_id": member_id,
            "reason": reason,
            "called_on": self.now[:10],
            "status": "called",
        }
        self._add("evacuations", evacuation)
        former_party_id = member["party_id"]
        self._put("members", member, "party_id", None)
        if self._breaks_rule_4(member):
            return self._take_back(RULES[3])
        for one_party in _distinct([self.parties.get(member["party_id"]), self.parties.get(former_party_id)]):
            if self._breaks_rule_5(one_party):
                return self._take_back(RULES[4])
        if self._breaks_rule_9_e(evacuation):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_e_again(evacuation):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: call an evacuation for {member['name']} with the reason {reason} (new: evacuation "
                f"{evacuation['id']})."
            ),
            "data": {"evacuation_id": evacuation["id"], **self._changes()},
        }

    def end_evacuation(self, evacuation_id: str, flown: bool) -> Result:
        """End an evacuation that was called, by a flight or because it is not needed.

        Args:
            evacuation_id (str): Id of the evacuation, such as EVACUATION-00001.
            flown (bool): Whether the member was flown out, as opposed to not needing it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        evacuation = self.evacuations.get(evacuation_id)
        if evacuation is None:
            return _refused(f"There is no evacuation {evacuation_id!r}.")
        if evacuation["status"] != "called":
            return _refused(
                f"The evacuation of {self.members[evacuation['member_id']]['name']} is {evacuation['status']}."
            )
        camp = self.camps.get(self.members[evacuation["member_id"]]["camp_id"])
        if flown and camp is None:
            return _refused(f"{self.members[evacuation['member_id']]['name']} is on the way with a party.")
        if flown and self.members[evacuation["member_id"]]["party_id"] is not None:
            return _refused(f"{self.members[evacuation['member_id']]['name']} is in a planned party.")
        if not (
            not flown
            or camp is None
            or self._camp_people(camp) < 5
            or any(
                m["role"] == "medic"
                and m["id"] != evacuation["member_id"]
                for m in self._members_by_camp.get(camp["id"], {}).values()
            )
        ):
            return _refused(
                f"{self.members[evacuation['member_id']]['name']} is the only medic of a camp with five people or "
                "more."
            )
        self._journal = []
        changed_evacuations: list[Any] = []
        changed_members: list[Any] = []
        former_camp_ids: list[Any] = []
        changed_members_2: list[Any] = []
        if flown:
            changed_evacuations.append(evacuation)
            self._put("evacuations", evacuation, "status", "flown")
            member = self.members[evacuation["member_id"]]
            changed_members.append(member)
            former_camp_ids.append(member["camp_id"])
            self._put("members", member, "camp_id", None)
            its_member = self.members[evacuation["member_id"]]
            changed_members_2.append(its_member)
            self._put("members", its_member, "flown_out", self.now[:10])
        else:
            if evacuation["status"] not in ("called", "stood_down"):
                return self._take_back(
                    f"Evacuation {evacuation['id']} cannot go from {evacuation['status']} to stood_down."
                )
            changed_evacuations.append(evacuation)
            self._put("evacuations", evacuation, "status", "stood_down")
        for one_camp in _distinct(
            [
                *[self.camps.get(one["camp_id"]) for one in changed_members],
                *[self.camps.get(key) for key in former_camp_ids],
            ]
        ):
            if self._breaks_rule_1(one_camp):
                return self._take_back(RULES[0])
        for one_member in _distinct(changed_members):
            if self._breaks_rule_2(one_member):
                return self._take_back(RULES[1])
        for one_camp in _distinct(
            [
                *[self.camps.get(one["camp_id"]) for one in changed_members],
                *[self.camps.get(key) for key in former_camp_ids],
            ]
        ):
            if self._breaks_rule_3(one_camp):
                return self._take_back(RULES[2])
        for one_member in _distinct([*changed_members, *changed_members_2]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_evacuation in _distinct(changed_evacuations):
            if self._breaks_rule_9_e(one_evacuation):
                return self._take_back(RULES[8])
        for one_evacuation in _distinct(
            [
                *changed_evacuations,
                *[
                    user
                    for one in changed_members_2
                    for user in self._evacuations_by_member_status.get((one["id"], "called"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9_e_again(one_evacuation):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: end the evacuation of {self.members[evacuation['member_id']]['name']}.",
            "data": self._changes(),
        }

    def report_gear(self, gear_id: str, broken: bool) -> Result:
        """Report that gear in a camp is broken, or mended.

        Args:
            gear_id (str): Id of the gear, such as GEAR-00001.
            broken (bool): Whether the gear is broken, as opposed to mended.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        gear = self.gears.get(gear_id)
        if gear is None:
            return _refused(f"There is no gear {gear_id!r}.")
        if gear["broken"] == broken:
            return _refused(f"{gear['code']} is like that already.")
        if gear["camp_id"] is None:
            return _refused(f"{gear['code']} is on the way with a party or packed for one.")
        self._journal = []
        self._put("gears", gear, "broken", broken)
        for one_party in _distinct([self.parties.get(gear["party_id"])]):
            if self._breaks_rule_6(one_party):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: report the state of {gear['code']}.", "data": self._changes()}

    def _show_camp(self, camp: Camp) -> dict[str, Any]:
        """The camp as an answer shows it."""
        return {**camp, "people": self._camp_people(camp), "lasts": self._camp_lasts(camp)}

    def _show_party(self, party: Party) -> dict[str, Any]:
        """The party as an answer shows it."""
        return {**party, "size": self._party_size(party)}

    def _show_permit(self, permit: Permit) -> dict[str, Any]:
        """The permit as an answer shows it."""
        return {**permit, "left": self._permit_left(permit)}

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names(
            (self.camps, "name", [row["camp_id"] for row in shown]),
            (self.parties, "name", [row["party_id"] for row in shown]),
        )

    def _names_of_parties(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parties point to."""
        return _names(
            (self.camps, "name", [row["start_id"] for row in shown]),
            (self.camps, "name", [row["goal_id"] for row in shown]),
        )

    def _names_of_finds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that finds point to."""
        return _names(
            (self.permits, "number", [row["permit_id"] for row in shown]),
            (self.members, "name", [row["collector_id"] for row in shown]),
            (self.camps, "name", [row["camp_id"] for row in shown]),
        )

    def _names_of_gears(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that gears point to."""
        return _names(
            (self.camps, "name", [row["camp_id"] for row in shown]),
            (self.parties, "name", [row["party_id"] for row in shown]),
        )

    def _names_of_evacuations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that evacuations point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _camp_people(self, camp: Camp) -> int:
        """The people of a camp."""
        return len(self._members_by_camp.get(camp["id"], {}))

    def _camp_lasts(self, camp: Camp) -> int:
        """The lasts of a camp."""
        return camp["food"] // max(1, self._camp_people(camp))

    def _party_size(self, party: Party) -> int:
        """The size of a party."""
        return len(self._members_by_party.get(party["id"], {}))

    def _permit_left(self, permit: Permit) -> int:
        """The left of a permit."""
        return permit["allowed"] - sum(f["pieces"] for f in self._finds_by_permit.get(permit["id"], {}).values())

    def _party_members(self, p: Party) -> list[Member]:
        return sorted(self._members_by_party.get(p["id"], {}).values(), key=_age)

    def _called(self, m: Member) -> Evacuation | None:
        return next(
            (e for e in sorted(self._evacuations_by_member_status.get((m["id"], "called"), {}).values(), key=_age)),
            None,
        )

    def _working_radio(self, p: Party) -> bool:
        return any(not g["broken"] for g in self._gears_by_kind_party.get(("radio", p["id"]), {}).values())

    def _breaks_rule_1(self, c: Camp) -> bool:
        """Whether this is broken: a camp sleeps no more people than it has beds."""
        return self._camp_people(c) > c["beds"]

    def _breaks_rule_2(self, m: Member) -> bool:
        """Whether this is broken: nobody stays in a camp that lies more than 600 metres above what they are used to.
        """
        return m["camp_id"] is not None and self.camps[m["camp_id"]]["altitude"] > m["used_to"] + 600

    def _breaks_rule_3(self, c: Camp) -> bool:
        """Whether this is broken: a camp of four people or more has a medic."""
        return (
            self._camp_people(c) >= 4
            and not any(m["role"] == "medic" for m in self._members_by_camp.get(c["id"], {}).values())
        )

    def _breaks_rule_4(self, m: Member) -> bool:
        """Whether this is broken: a member is in a camp, on the way or flown out, and only one of these."""
        return (
            (1 if m["camp_id"] is not None else 0)
            + (1 if m["flown_out"] is not None else 0)
            + (1 if m["party_id"] is not None and self.parties[m["party_id"]]["status"] == "out" else 0) != 1
        )

    def _breaks_rule_5(self, p: Party) -> bool:
        """Whether this is broken: a party that is out has at least two people, a guide among them."""
        return (
            p["status"] == "out"
            and not (
                self._party_size(p) >= 2
                and any(m["role"] == "guide" for m in self._members_by_party.get(p["id"], {}).values())
            )
        )

    def _breaks_rule_6(self, p: Party) -> bool:
        """Whether this is broken: a party that is out carries a working radio."""
        return p["status"] == "out" and not self._working_radio(p)

    def _breaks_rule_7(self, g: Gear) -> bool:
        """Whether this is broken: gear is in a camp or with a party, never both."""
        return (g["camp_id"] is None) == (g["party_id"] is None)

    def _breaks_rule_8_p(self, p: Permit) -> bool:
        """Whether this is broken: no more is collected than a permit allows, nor after it ended."""
        return self._permit_left(p) < 0

    def _breaks_rule_8_f(self, f: Find) -> bool:
        """Whether this is broken: no more is collected than a permit allows, nor after it ended."""
        return f["found_on"] > self.permits[f["permit_id"]]["until"]

    def _breaks_rule_9_e(self, e: Evacuation) -> bool:
        """Whether this is broken: a member has one evacuation called at a time, and none is open for somebody who was
        flown out.
        """
        return (
            e["status"] == "called"
            and any(
                other_e is not e
                for other_e in self._evacuations_by_member_status.get((e["member_id"], "called"), {}).values()
            )
        )

    def _breaks_rule_9_e_again(self, e: Evacuation) -> bool:
        """Whether this is broken: a member has one evacuation called at a time, and none is open for somebody who was
        flown out.
        """
        return e["status"] == "called" and self.members[e["member_id"]]["flown_out"] is not None

    def _breaks_rule_10(self, p: Party) -> bool:
        """Whether this is broken: a party goes from one camp to another."""
        return p["start_id"] == p["goal_id"]

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
            case "members":
                self._members_by_camp.setdefault(record["camp_id"], {})[record["id"]] = record
                self._members_by_party.setdefault(record["party_id"], {})[record["id"]] = record
            case "parties":
                self._parties_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._parties_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "finds":
                self._finds_by_label.setdefault(record["label"], {})[record["id"]] = record
                self._finds_by_lower_label.setdefault(record["label"].lower(), {})[record["id"]] = record
                self._finds_by_permit.setdefault(record["permit_id"], {})[record["id"]] = record
            case "gears":
                self._gears_by_kind_party.setdefault((record["kind"], record["party_id"]), {})[record["id"]] = record
                self._gears_by_party.setdefault(record["party_id"], {})[record["id"]] = record
            case "evacuations":
                self._evacuations_by_member_status.setdefault(
                    (record["member_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "members":
                del self._members_by_camp[record["camp_id"]][record["id"]]
                del self._members_by_party[record["party_id"]][record["id"]]
            case "parties":
                del self._parties_by_lower_name[record["name"].lower()][record["id"]]
                del self._parties_by_name[record["name"]][record["id"]]
            case "finds":
                del self._finds_by_label[record["label"]][record["id"]]
                del self._finds_by_lower_label[record["label"].lower()][record["id"]]
                del self._finds_by_permit[record["permit_id"]][record["id"]]
            case "gears":
                del self._gears_by_kind_party[record["kind"], record["party_id"]][record["id"]]
                del self._gears_by_party[record["party_id"]][record["id"]]
            case "evacuations":
                del self._evacuations_by_member_status[record["member_id"], record["status"]][record["id"]]
