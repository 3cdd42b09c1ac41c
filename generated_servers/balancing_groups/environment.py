"""Balancing groups. Compiled from blueprint.yaml; run `envscaler build balancing_groups` after changing it there.

Keeps the hourly schedules that balancing groups exchange with each other, closes the gates, settles imbalances
and holds the collateral of their parties.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A group sends one nomination to a partner for an hour, and none to itself.",
    "No group sells more in an hour than its capacity.",
    "What a party has nominated for hours that are not settled never exceeds its collateral.",
    "A nomination is confirmed when the gate has closed, and not before.",
    "What is confirmed on one side is confirmed with the opposite sign on the other.",
    "Never more is confirmed than was nominated.",
    "The gates close in the order of the hours.",
    "A group has one metered value for an hour, and none before its gate has closed.",
    "An hour is settled with a price when every group in it was metered.",
    "A group is charged once for an hour, and only when that is settled.",
    "A suspended party has no nominations in open hours.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "nominate",
    "correct_nomination",
    "withdraw_nomination",
    "close_gate",
    "enter_metering",
    "settle_hour",
    "collect_charge",
    "post_collateral",
    "release_collateral",
    "suspend_party",
    "lift_suspension",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "parties": ("name",),
    "groups": ("name",),
    "hours": ("name",),
    "nominations": (),
    "meterings": (),
    "charges": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("charges", "group_id"),
    ("charges", "hour_id"),
    ("charges", "status"),
    ("groups", "party_id"),
    ("hours", "state"),
    ("meterings", "group_id"),
    ("meterings", "hour_id"),
    ("nominations", "group_id"),
    ("nominations", "hour_id"),
    ("nominations", "partner_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Party(TypedDict):
    id: str
    name: str
    collateral: int
    suspended: bool


class Group(TypedDict):
    id: str
    name: str
    party_id: str
    kind: Literal["generation", "supply", "trading"]
    capacity: int


class Hour(TypedDict):
    id: str
    name: str
    begins: str
    reference: int
    price: int | None
    state: Literal["open", "closed", "settled"]


class Nomination(TypedDict):
    id: str
    group_id: str
    partner_id: str
    hour_id: str
    mwh: int
    version: int
    confirmed: int | None


class Metering(TypedDict):
    id: str
    group_id: str
    hour_id: str
    mwh: int


class Charge(TypedDict):
    id: str
    group_id: str
    hour_id: str
    mwh: int
    amount: int
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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class BalancingGroups:
    """Keeps the hourly schedules that balancing groups exchange with each other, closes the gates, settles
    imbalances and holds the collateral of their parties.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.parties: dict[str, Party] = _copied(config.get("parties", {}))
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.hours: dict[str, Hour] = _copied(config.get("hours", {}))
        self.nominations: dict[str, Nomination] = _copied(config.get("nominations", {}))
        self.meterings: dict[str, Metering] = _copied(config.get("meterings", {}))
        self.charges: dict[str, Charge] = _copied(config.get("charges", {}))
        self.now: str = config.get("now", "2026-05-12T10:10")
        self.counters: dict[str, int] = {
            "party": len(self.parties),
            "group": len(self.groups),
            "hour": len(self.hours),
            "nomination": len(self.nominations),
            "metering": len(self.meterings),
            "charge": len(self.charges),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._groups_by_party: dict[Any, dict[str, Group]] = {}
        self._hours_by_state: dict[Any, dict[str, Hour]] = {}
        self._nominations_by_group: dict[Any, dict[str, Nomination]] = {}
        self._nominations_by_group_hour: dict[Any, dict[str, Nomination]] = {}
        self._nominations_by_group_partner_hour: dict[Any, dict[str, Nomination]] = {}
        self._nominations_by_hour: dict[Any, dict[str, Nomination]] = {}
        self._nominations_by_partner: dict[Any, dict[str, Nomination]] = {}
        self._meterings_by_group_hour: dict[Any, dict[str, Metering]] = {}
        self._meterings_by_hour: dict[Any, dict[str, Metering]] = {}
        self._charges_by_group_hour: dict[Any, dict[str, Charge]] = {}
        self._charges_by_group_status: dict[Any, dict[str, Charge]] = {}
        self._charges_by_hour: dict[Any, dict[str, Charge]] = {}
        for group in self.groups.values():
            self._link("groups", group)
        for hour in self.hours.values():
            self._link("hours", hour)
        for nomination in self.nominations.values():
            self._link("nominations", nomination)
        for metering in self.meterings.values():
            self._link("meterings", metering)
        for charge in self.charges.values():
            self._link("charges", charge)

    def mismatches(
        self,
        hour_id: str | None = None,
        group_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Nominations whose other side is missing or says something else, hour by hour.

        Args:
            hour_id (str, optional): Only nominations for this hour; an id such as HOUR-00001. If left out, the
                nominations for all open hours are listed.
            group_id (str, optional): Only nominations that this group has sent; an id such as GROUP-00001. If left
                out, the nominations of all groups are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nominations": records}} or {"success": False, "error":
                why not}
        """
        hour = self.hours.get(hour_id) if hour_id is not None else None
        if hour_id is not None and hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        group = self.groups.get(group_id) if group_id is not None else None
        if group_id is not None and group is None:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            n
            for n in self.nominations.values()
            if (self.hours[n["hour_id"]]["state"] == "open" and not self._nomination_matched(n))
            and (hour_id is None or n["hour_id"] == hour_id)
            and (group_id is None or n["group_id"] == group_id)
        ]
        found.sort(
            key=lambda n: (
                self.hours[n["hour_id"]]["begins"],
                self.groups[n["group_id"]]["name"],
                self.groups[n["partner_id"]]["name"],
                _age(n),
            )
        )
        return _found(
            {
                "total": len(found),
                "nominations": [
                    {
                        "id": n["id"],
                        "hour": self.hours[n["hour_id"]]["name"],
                        "group": self.groups[n["group_id"]]["name"],
                        "partner": self.groups[n["partner_id"]]["name"],
                        "mwh": n["mwh"],
                        "other_side": _id_of(self._mirror(n)),
                    }
                    for n in _page(found, offset)
                ],
            }
        )

    def position(self, group_id: str, hour_id: str) -> Result:
        """What a group has sold, bought and confirmed for an hour, and what it was metered with.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            hour_id (str): Id of the hour, such as HOUR-00001.

        Returns:
            dict: {"success": True, "data": {sold, bought, can_still_sell, confirmed_net, metering}} or {"success":
                False, "error": why not}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        return _found(
            {
                "sold": self._sold(group, hour),
                "bought": 0 - sum(
                    n["mwh"]
                    for n in self._nominations_by_group_hour.get((group_id, hour_id), {}).values()
                    if n["mwh"] < 0
                ),
                "can_still_sell": group["capacity"] - self._sold(group, hour),
                "confirmed_net": self._net(group, hour),
                "metering": _id_of(self._metered(group, hour)),
            }
        )

    def hours_to_settle(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Closed hours with the number of groups still to be metered.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hours": records}} or {"success": False, "error": why
                not}
        """
        found = [h for h in self._hours_by_state.get("closed", {}).values()]
        found.sort(key=lambda h: (h["begins"], _age(h)))
        return _found(
            {
                "total": len(found),
                "hours": [
                    {"id": h["id"], "name": h["name"], "not_metered": [*[g["name"] for g in self._unmetered(h)]]}
                    for h in _page(found, offset)
                ],
            }
        )

    def standing(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The parties with what they owe and what is free, the largest debt first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}} or {"success": False, "error": why
                not}
        """
        found = [p for p in self.parties.values()]
        found.sort(key=lambda p: (-self._owes(p), p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parties": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "owes": self._owes(p),
                        "collateral": p["collateral"],
                        "free": self._party_free(p),
                        "suspended": p["suspended"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_parties(
        self,
        name: Text | None = None,
        suspended: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parties whose name contains this text.
            suspended (bool, optional): Only parties that are suspended (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}}
        """
        found = [
            party
            for party in self.parties.values()
            if (name is None or name.casefold() in party["name"].casefold())
            and (suspended is None or party["suspended"] == suspended)
        ]
        return _found({"total": len(found), "parties": [self._show_party(party) for party in _page(found, offset)]})

    def list_groups(
        self,
        name: Text | None = None,
        party_id: str | None = None,
        kind: Literal["generation", "supply", "trading"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the groups, oldest first, all of them or only some.

        Args:
            name (str, optional): Only groups whose name contains this text.
            party_id (str, optional): Only groups of this party.
            kind (str, optional): Only groups with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}}
        """
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            group
            for group in self.groups.values()
            if (name is None or name.casefold() in group["name"].casefold())
            and (party_id is None or group["party_id"] == party_id)
            and (kind is None or group["kind"] == kind)
        ]
        shown = [{**group} for group in _page(found, offset)]
        return _found({"total": len(found), "groups": shown}, self._names_of_groups(shown))

    def list_hours(
        self,
        name: Text | None = None,
        state: Literal["open", "closed", "settled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hours, oldest first, all of them or only some.

        Args:
            name (str, optional): Only hours whose name contains this text.
            state (str, optional): Only hours with this state.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hours": records}}
        """
        found = [
            hour
            for hour in self.hours.values()
            if (name is None or name.casefold() in hour["name"].casefold())
            and (state is None or hour["state"] == state)
        ]
        return _found({"total": len(found), "hours": [{**hour} for hour in _page(found, offset)]})

    def list_nominations(
        self,
        group_id: str | None = None,
        partner_id: str | None = None,
        hour_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the nominations, oldest first, all of them or only some.

        Args:
            group_id (str, optional): Only nominations of this group.
            partner_id (str, optional): Only nominations whose partner is this group.
            hour_id (str, optional): Only nominations of this hour.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nominations": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        if partner_id is not None and partner_id not in self.groups:
            return _refused(f"There is no group {partner_id!r}.")
        if hour_id is not None and hour_id not in self.hours:
            return _refused(f"There is no hour {hour_id!r}.")
        found = [
            nomination
            for nomination in self.nominations.values()
            if (group_id is None or nomination["group_id"] == group_id)
            and (partner_id is None or nomination["partner_id"] == partner_id)
            and (hour_id is None or nomination["hour_id"] == hour_id)
        ]
        shown = [self._show_nomination(nomination) for nomination in _page(found, offset)]
        return _found({"total": len(found), "nominations": shown}, self._names_of_nominations(shown))

    def list_meterings(
        self,
        group_id: str | None = None,
        hour_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meterings, oldest first, all of them or only some.

        Args:
            group_id (str, optional): Only meterings of this group.
            hour_id (str, optional): Only meterings of this hour.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meterings": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        if hour_id is not None and hour_id not in self.hours:
            return _refused(f"There is no hour {hour_id!r}.")
        found = [
            metering
            for metering in self.meterings.values()
            if (group_id is None or metering["group_id"] == group_id)
            and (hour_id is None or metering["hour_id"] == hour_id)
        ]
        shown = [{**metering} for metering in _page(found, offset)]
        return _found({"total": len(found), "meterings": shown}, self._names_of_meterings(shown))

    def list_charges(
        self,
        group_id: str | None = None,
        hour_id: str | None = None,
        status: Literal["open", "collected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the charges, oldest first, all of them or only some.

        Args:
            group_id (str, optional): Only charges of this group.
            hour_id (str, optional): Only charges of this hour.
            status (str, optional): Only charges with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        if hour_id is not None and hour_id not in self.hours:
            return _refused(f"There is no hour {hour_id!r}.")
        found = [
            charge
            for charge in self.charges.values()
            if (group_id is None or charge["group_id"] == group_id)
            and (hour_id is None or charge["hour_id"] == hour_id)
            and (status is None or charge["status"] == status)
        ]
        shown = [{**charge} for charge in _page(found, offset)]
        return _found({"total": len(found), "charges": shown}, self._names_of_charges(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def nominate(
        self,
        group_id: str,
        partner_id: str,
        hour_id: str,
        mwh: Annotated[int, {"minimum": -500, "maximum": 500}],
    ) -> Result:
        """Send a group's nomination for an hour to a partner, positive where it delivers and negative where it
        receives.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            partner_id (str): Other group, which delivers to or receives from this one; an id such as GROUP-00001.
            hour_id (str): Id of the hour, such as HOUR-00001.
            mwh (int): Energy in megawatt-hours, positive for delivery and negative for receipt, not zero, from
                -500 to 500.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        partner = self.groups.get(partner_id)
        if partner is None:
            return _refused(f"There is no group {partner_id!r}.")
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if mwh == 0 or group is partner:
            return _refused("A nomination is for another group and is not zero.")
        if hour["state"] != "open":
            return _refused(f"The gate for {hour['name']} is {hour['state']}.")
        if hour["begins"] <= self.now:
            return _refused(f"{hour['name']} began at {hour['begins']}, so it is too late; its gate is to be closed.")
        if self.parties[group["party_id"]]["suspended"]:
            return _refused(f"{self.parties[group['party_id']]['name']} is suspended.")
        old = self._sent(group, partner, hour)
        if old is not None:
            return _refused(
                f"{group['name']} has nominated {old['mwh']} MWh with {partner['name']} for {hour['name']}, so "
                "correct that."
            )
        if mwh >= 0 and self._sold(group, hour) + mwh > group["capacity"]:
            return _refused(
                f"{group['name']} can deliver {group['capacity']} MWh and has sold {self._sold(group, hour)} for "
                f"{hour['name']} already."
            )
        if abs(mwh) * hour["reference"] > self._party_free(self.parties[group["party_id"]]):
            return _refused(
                f"{self.parties[group['party_id']]['name']} has "
                f"{_money(self._party_free(self.parties[group['party_id']]))} of free collateral and needs "
                f"{_money(abs(mwh) * hour['reference'])}."
            )
        self._journal = []
        nomination: Nomination = {
            "id": self._new_id("nomination", "NOMINATION", self.nominations),
            "group_id": group_id,
            "partner_id": partner_id,
            "hour_id": hour_id,
            "mwh": mwh,
            "version": 1,
            "confirmed": None,
        }
        self._add("nominations", nomination)
        if self._breaks_rule_1_n(nomination):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_n_again(nomination):
            return self._take_back(RULES[0])
        for one_nomination in _distinct(
            [nomination, *self._nominations_by_group.get(nomination["group_id"], {}).values()]
        ):
            if self._breaks_rule_2(one_nomination):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(self.parties[self.groups[nomination["group_id"]]["party_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(nomination):
            return self._take_back(RULES[3])
        for one_nomination in _distinct(
            [nomination, *self._nominations_by_partner.get(nomination["group_id"], {}).values()]
        ):
            if self._breaks_rule_5(one_nomination):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(nomination):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(self.hours[nomination["hour_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(nomination):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: nominate {mwh} MWh of {group['name']} with {partner['name']} for {hour['name']} (new: "
                f"nomination {nomination['id']})."
            ),
            "data": {"nomination_id": nomination["id"], **self._changes()},
        }

    def correct_nomination(
        self,
        nomination_id: str,
        mwh: Annotated[int, {"minimum": -500, "maximum": 500}],
    ) -> Result:
        """Correct a nomination before gate closure; every correction is a new version.

        Args:
            nomination_id (str): Id of the nomination, such as NOMINATION-00001.
            mwh (int): New energy in megawatt-hours, positive for delivery and negative for receipt, not zero, from
                -500 to 500.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        nomination = self.nominations.get(nomination_id)
        if nomination is None:
            return _refused(f"There is no nomination {nomination_id!r}.")
        if self.hours[nomination["hour_id"]]["state"] != "open":
            return _refused(
                f"The gate for {self.hours[nomination['hour_id']]['name']} is "
                f"{self.hours[nomination['hour_id']]['state']}."
            )
        if self.hours[nomination["hour_id"]]["begins"] <= self.now:
            return _refused(
                f"{self.hours[nomination['hour_id']]['name']} began at "
                f"{self.hours[nomination['hour_id']]['begins']}, so it is too late; its gate is to be closed."
            )
        if mwh == 0:
            return _refused("Withdraw the nomination if nothing is delivered.")
        if mwh == nomination["mwh"]:
            return _refused(f"It says {mwh} MWh already.")
        if nomination["version"] >= 99:
            return _refused("There are 99 versions of it.")
        if (
            mwh >= 0
            and self._sold(
                self.groups[nomination["group_id"]],
                self.hours[nomination["hour_id"]],
            ) - max(0, nomination["mwh"]) + mwh > self.groups[nomination["group_id"]]["capacity"]
        ):
            return _refused(
                f"{self.groups[nomination['group_id']]['name']} can deliver "
                f"{self.groups[nomination['group_id']]['capacity']} MWh in all."
            )
        if (abs(mwh) - abs(nomination["mwh"])) * self.hours[nomination["hour_id"]]["reference"] > self._party_free(
            self.parties[self.groups[nomination["group_id"]]["party_id"]]
        ):
            return _refused(
                f"{self.parties[self.groups[nomination['group_id']]['party_id']]['name']} has "
                f"{_money(self._party_free(self.parties[self.groups[nomination['group_id']]['party_id']]))} of "
                "free collateral, which is too little."
            )
        self._journal = []
        self._put("nominations", nomination, "mwh", mwh)
        version = nomination["version"] + 1
        if not 1 <= version <= 99:
            return self._take_back(f"The version of {nomination['id']} must be between 1 and 99.")
        self._put("nominations", nomination, "version", version)
        if self._breaks_rule_1_n_again(nomination):
            return self._take_back(RULES[0])
        for one_nomination in _distinct(
            [nomination, *self._nominations_by_group.get(nomination["group_id"], {}).values()]
        ):
            if self._breaks_rule_2(one_nomination):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(self.parties[self.groups[nomination["group_id"]]["party_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(nomination):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: correct {self.groups[nomination['group_id']]['name']} with "
                f"{self.groups[nomination['partner_id']]['name']} for {self.hours[nomination['hour_id']]['name']} "
                f"to {mwh} MWh."
            ),
            "data": self._changes(),
        }

    def withdraw_nomination(self, nomination_id: str) -> Result:
        """Withdraw a nomination before gate closure.

        Args:
            nomination_id (str): Id of the nomination, such as NOMINATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        nomination = self.nominations.get(nomination_id)
        if nomination is None:
            return _refused(f"There is no nomination {nomination_id!r}.")
        if self.hours[nomination["hour_id"]]["state"] != "open":
            return _refused(
                f"The gate for {self.hours[nomination['hour_id']]['name']} is "
                f"{self.hours[nomination['hour_id']]['state']}."
            )
        self._journal = []
        self._remove("nominations", nomination)
        for one_nomination in _distinct(self._nominations_by_group.get(nomination["group_id"], {}).values()):
            if one_nomination["id"] in self.nominations and self._breaks_rule_2(one_nomination):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(self.parties[self.groups[nomination["group_id"]]["party_id"]]):
            return self._take_back(RULES[2])
        for one_nomination in _distinct(self._nominations_by_partner.get(nomination["group_id"], {}).values()):
            if one_nomination["id"] in self.nominations and self._breaks_rule_5(one_nomination):
                return self._take_back(RULES[4])
        if self._breaks_rule_9(self.hours[nomination["hour_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: withdraw {self.groups[nomination['group_id']]['name']} with "
                f"{self.groups[nomination['partner_id']]['name']} for {self.hours[nomination['hour_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_gate(self, hour_id: str) -> Result:
        """Close the gate of the earliest open hour; where two sides differ the smaller amount is confirmed, and what
        has no other side counts for nothing.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if hour["state"] != "open":
            return _refused(f"The gate for {hour['name']} is {hour['state']}.")
        earlier = min(
            (h for h in self._hours_by_state.get("open", {}).values() if h["begins"] < hour["begins"]),
            key=lambda h: (h["begins"], _age(h)),
            default=None,
        )
        if earlier is not None:
            return _refused(f"{earlier['name']} is open and comes first.")
        self._journal = []
        changed_nominations: list[Any] = []
        for n in sorted(self._nominations_by_hour.get(hour_id, {}).values(), key=_age):
            m = self._mirror(n)
            if m is None or (m["mwh"] > 0) == (n["mwh"] > 0):
                changed_nominations.append(n)
                self._put("nominations", n, "confirmed", 0)
            else:
                if n["mwh"] > 0:
                    confirmed = min(n["mwh"], 0 - m["mwh"])
                    if not -500 <= confirmed <= 500:
                        return self._take_back(f"The confirmed of {n['id']} must be between -500 and 500.")
                    changed_nominations.append(n)
                    self._put("nominations", n, "confirmed", confirmed)
                else:
                    new_confirmed = 0 - min(0 - n["mwh"], m["mwh"])
                    if not -500 <= new_confirmed <= 500:
                        return self._take_back(f"The confirmed of {n['id']} must be between -500 and 500.")
                    changed_nominations.append(n)
                    self._put("nominations", n, "confirmed", new_confirmed)
        self._put("hours", hour, "state", "closed")
        for one_party in _distinct(
            [
                self.parties[one["party_id"]]
                for one in [
                    self.groups[one["group_id"]]
                    for one in self._nominations_by_hour.get(hour["id"], {}).values()
                ]
            ]
        ):
            if self._breaks_rule_3(one_party):
                return self._take_back(RULES[2])
        for one_nomination in _distinct(
            [*changed_nominations, *self._nominations_by_hour.get(hour["id"], {}).values()]
        ):
            if self._breaks_rule_4(one_nomination):
                return self._take_back(RULES[3])
        for one_nomination in _distinct(
            [
                *changed_nominations,
                *[
                    user
                    for one in [self.groups[one["group_id"]] for one in changed_nominations]
                    for user in self._nominations_by_partner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_nomination):
                return self._take_back(RULES[4])
        for one_nomination in _distinct(changed_nominations):
            if self._breaks_rule_6(one_nomination):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_a(hour):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(hour):
            return self._take_back(RULES[6])
        for one_metering in _distinct(self._meterings_by_hour.get(hour["id"], {}).values()):
            if self._breaks_rule_8_m_again(one_metering):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(hour):
            return self._take_back(RULES[8])
        for one_charge in _distinct(self._charges_by_hour.get(hour["id"], {}).values()):
            if self._breaks_rule_10_c_again(one_charge):
                return self._take_back(RULES[9])
        for one_nomination in _distinct(self._nominations_by_hour.get(hour["id"], {}).values()):
            if self._breaks_rule_11(one_nomination):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: close the gate for {hour['name']}.", "data": self._changes()}

    def enter_metering(
        self,
        group_id: str,
        hour_id: str,
        mwh: Annotated[int, {"minimum": -2000, "maximum": 2000}],
    ) -> Result:
        """Enter what a group has fed in (positive) or taken out (negative) in a closed hour that is over, with a
        schedule or without one.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            hour_id (str): Id of the hour, such as HOUR-00001.
            mwh (int): Metered energy in megawatt-hours, positive where fed in and negative where taken out, from
                -2000 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if hour["state"] != "closed":
            return _refused(f"The hour {hour['name']} is {hour['state']}.")
        if _plus_minutes(hour["begins"], 60) > self.now:
            return _refused(
                f"{hour['name']} is not over before {_plus_minutes(hour['begins'], 60)}, so nothing is metered yet."
            )
        old = self._metered(group, hour)
        if old is not None:
            return _refused(f"{group['name']} was metered with {old['mwh']} MWh for {hour['name']}.")
        self._journal = []
        metering: Metering = {
            "id": self._new_id("metering", "METERING", self.meterings),
            "group_id": group_id,
            "hour_id": hour_id,
            "mwh": mwh,
        }
        self._add("meterings", metering)
        if self._breaks_rule_8_m(metering):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_m_again(metering):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.hours[metering["hour_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: enter {mwh} MWh of {group['name']} for {hour['name']} (new: metering {metering['id']})."
            ),
            "data": {"metering_id": metering["id"], **self._changes()},
        }

    def settle_hour(self, hour_id: str, price: Annotated[int, {"minimum": 0, "maximum": 400000}]) -> Result:
        """Settle a closed hour at the imbalance price once every group is metered; who is short owes, who is long is
        owed.

        Args:
            hour_id (str): Id of the hour, such as HOUR-00001.
            price (int): Imbalance price for each megawatt-hour, in cents, from 0 to 400000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hour = self.hours.get(hour_id)
        if hour is None:
            return _refused(f"There is no hour {hour_id!r}.")
        if hour["state"] != "closed":
            return _refused(f"The hour {hour['name']} is {hour['state']}.")
        missing = next((each for each in self._unmetered(hour)), None)
        if missing is not None:
            return _refused(f"{missing['name']} has no metered value for {hour['name']} yet.")
        self._journal = []
        added_charges: list[Any] = []
        for m in sorted(self._meterings_by_hour.get(hour_id, {}).values(), key=_age):
            off = m["mwh"] - self._net(self.groups[m["group_id"]], hour)
            if off != 0:
                if not -3000 <= off <= 3000:
                    return self._take_back("The mwh of a charge must be between -3000 and 3000.")
                charge = {
                    "id": self._new_id("charge", "CHARGE", self.charges),
                    "group_id": m["group_id"],
                    "hour_id": hour_id,
                    "mwh": off,
                    "amount": (0 - off) * price,
                    "status": "open",
                }
                self._add("charges", charge)
                added_charges.append(charge)
        self._put("hours", hour, "price", price)
        self._put("hours", hour, "state", "settled")
        for one_party in _distinct(
            [
                self.parties[one["party_id"]]
                for one in [
                    self.groups[one["group_id"]]
                    for one in self._nominations_by_hour.get(hour["id"], {}).values()
                ]
            ]
        ):
            if self._breaks_rule_3(one_party):
                return self._take_back(RULES[2])
        for one_nomination in _distinct(self._nominations_by_hour.get(hour["id"], {}).values()):
            if self._breaks_rule_4(one_nomination):
                return self._take_back(RULES[3])
        if self._breaks_rule_7_a(hour):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(hour):
            return self._take_back(RULES[6])
        for one_metering in _distinct(self._meterings_by_hour.get(hour["id"], {}).values()):
            if self._breaks_rule_8_m_again(one_metering):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(hour):
            return self._take_back(RULES[8])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_10_c(one_charge):
                return self._take_back(RULES[9])
        for one_charge in _distinct([*added_charges, *self._charges_by_hour.get(hour["id"], {}).values()]):
            if self._breaks_rule_10_c_again(one_charge):
                return self._take_back(RULES[9])
        for one_nomination in _distinct(self._nominations_by_hour.get(hour["id"], {}).values()):
            if self._breaks_rule_11(one_nomination):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: settle {hour['name']} at {_money(price)}.",
            "data": self._changes(),
        }

    def collect_charge(self, charge_id: str) -> Result:
        """Take a charge from the collateral of the party, or add what is owed to it.

        Args:
            charge_id (str): Id of the charge, such as CHARGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        charge = self.charges.get(charge_id)
        if charge is None:
            return _refused(f"There is no charge {charge_id!r}.")
        if charge["status"] != "open":
            return _refused(f"That charge is {charge['status']}.")
        party = self.parties[self.groups[charge["group_id"]]["party_id"]]
        if charge["amount"] > self._party_free(party):
            return _refused(
                f"{party['name']} has {_money(self._party_free(party))} of free collateral for a charge of "
                f"{_money(charge['amount'])}, so more has to be posted first."
            )
        self._journal = []
        collateral = party["collateral"] - charge["amount"]
        if not 0 <= collateral <= 50000000:
            return self._take_back(f"The collateral of {party['name']} must be between 0.00 and 500,000.00.")
        self._put("parties", party, "collateral", collateral)
        self._put("charges", charge, "status", "collected")
        if self._breaks_rule_3(party):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: collect {_money(charge['amount'])} from "
                f"{self.parties[self.groups[charge['group_id']]['party_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def post_collateral(self, party_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 20000000}]) -> Result:
        """Add to the collateral of a party.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            amount (int): Sum that is added to the collateral, in cents, from 1 to 20000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["collateral"] + amount > 50000000:
            return _refused(f"{party['name']} would have more than 500,000.00.")
        self._journal = []
        collateral = party["collateral"] + amount
        if not 0 <= collateral <= 50000000:
            return self._take_back(f"The collateral of {party['name']} must be between 0.00 and 500,000.00.")
        self._put("parties", party, "collateral", collateral)
        if self._breaks_rule_3(party):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: add {_money(amount)} to the collateral of {party['name']}.",
            "data": self._changes(),
        }

    def release_collateral(
        self,
        party_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 20000000}],
    ) -> Result:
        """Give back collateral that a party does not need for its nominations and its open charges.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            amount (int): Sum that is given back to the party, in cents, from 1 to 20000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if amount > self._party_free(party) - max(0, self._owes(party)):
            return _refused(
                f"{party['name']} has {_money(self._party_free(party))} free and owes "
                f"{_money(self._owes(party))}, so {_money(amount)} cannot be released."
            )
        self._journal = []
        collateral = party["collateral"] - amount
        if not 0 <= collateral <= 50000000:
            return self._take_back(f"The collateral of {party['name']} must be between 0.00 and 500,000.00.")
        self._put("parties", party, "collateral", collateral)
        if self._breaks_rule_3(party):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: release {_money(amount)} to {party['name']}.",
            "data": self._changes(),
        }

    def suspend_party(self, party_id: str) -> Result:
        """Suspend a party that owes a charge; its nominations for open hours fall away.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["suspended"]:
            return _refused(f"{party['name']} is suspended already.")
        if not any(
            c["amount"] > 0
            for _group in self._groups_by_party.get(party_id, {}).values()
            for c in self._charges_by_group_status.get((_group["id"], "open"), {}).values()
        ):
            return _refused(f"{party['name']} owes no charge.")
        self._journal = []
        deleted_nominations: list[Any] = []
        for n in [
            n
            for n in sorted(
                [
                    n
                    for _group in self._groups_by_party.get(party_id, {}).values()
                    for n in self._nominations_by_group.get(_group["id"], {}).values()
                ],
                key=_age,
            )
            if self.hours[n["hour_id"]]["state"] == "open"
        ]:
            if n["id"] in self.nominations:
                self._remove("nominations", n)
            deleted_nominations.append(n)
        self._put("parties", party, "suspended", True)
        for one_nomination in _distinct(
            [
                user
                for one in [self.groups[one["group_id"]] for one in deleted_nominations]
                for user in self._nominations_by_group.get(one["id"], {}).values()
            ]
        ):
            if one_nomination["id"] in self.nominations and self._breaks_rule_2(one_nomination):
                return self._take_back(RULES[1])
        for one_party in _distinct(
            [self.parties[one["party_id"]] for one in [self.groups[one["group_id"]] for one in deleted_nominations]]
        ):
            if self._breaks_rule_3(one_party):
                return self._take_back(RULES[2])
        for one_nomination in _distinct(
            [
                user
                for one in [self.groups[one["group_id"]] for one in deleted_nominations]
                for user in self._nominations_by_partner.get(one["id"], {}).values()
            ]
        ):
            if one_nomination["id"] in self.nominations and self._breaks_rule_5(one_nomination):
                return self._take_back(RULES[4])
        for one_hour in _distinct([self.hours[one["hour_id"]] for one in deleted_nominations]):
            if self._breaks_rule_9(one_hour):
                return self._take_back(RULES[8])
        for one_nomination in _distinct(
            [
                user
                for one in self._groups_by_party.get(party["id"], {}).values()
                for user in self._nominations_by_group.get(one["id"], {}).values()
            ]
        ):
            if one_nomination["id"] in self.nominations and self._breaks_rule_11(one_nomination):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: suspend {party['name']}.", "data": self._changes()}

    def lift_suspension(self, party_id: str) -> Result:
        """Let a suspended party nominate again once all its charges are collected.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if not party["suspended"]:
            return _refused(f"{party['name']} is not suspended.")
        due = next(
            (
                c
                for c in sorted(
                    [
                        c
                        for _group in self._groups_by_party.get(party_id, {}).values()
                        for c in self._charges_by_group_status.get((_group["id"], "open"), {}).values()
                    ],
                    key=_age,
                )
                if c["amount"] > 0
            ),
            None,
        )
        if due is not None:
            return _refused(
                f"{party['name']} has an open charge of {_money(due['amount'])} for "
                f"{self.hours[due['hour_id']]['name']}."
            )
        self._journal = []
        self._put("parties", party, "suspended", False)
        for one_nomination in _distinct(
            [
                user
                for one in self._groups_by_party.get(party["id"], {}).values()
                for user in self._nominations_by_group.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_nomination):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: lift the suspension of {party['name']}.", "data": self._changes()}

    def _show_party(self, party: Party) -> dict[str, Any]:
        """The party as an answer shows it."""
        return {**party, "exposure": self._party_exposure(party), "free": self._party_free(party)}

    def _show_nomination(self, nomination: Nomination) -> dict[str, Any]:
        """The nomination as an answer shows it."""
        return {**nomination, "matched": self._nomination_matched(nomination)}

    def _names_of_groups(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that groups point to."""
        return _names((self.parties, "name", [row["party_id"] for row in shown]))

    def _names_of_nominations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that nominations point to."""
        return _names(
            (self.groups, "name", [row["group_id"] for row in shown]),
            (self.groups, "name", [row["partner_id"] for row in shown]),
            (self.hours, "name", [row["hour_id"] for row in shown]),
        )

    def _names_of_meterings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meterings point to."""
        return _names(
            (self.groups, "name", [row["group_id"] for row in shown]),
            (self.hours, "name", [row["hour_id"] for row in shown]),
        )

    def _names_of_charges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that charges point to."""
        return _names(
            (self.groups, "name", [row["group_id"] for row in shown]),
            (self.hours, "name", [row["hour_id"] for row in shown]),
        )

    def _party_exposure(self, party: Party) -> int:
        """The exposure of a party."""
        return sum(
            abs(n["mwh"]) * self.hours[n["hour_id"]]["reference"]
            for _group in self._groups_by_party.get(party["id"], {}).values()
            for n in self._nominations_by_group.get(_group["id"], {}).values()
            if self.hours[n["hour_id"]]["state"] != "settled"
        )

    def _party_free(self, party: Party) -> int:
        """The free of a party."""
        return party["collateral"] - self._party_exposure(party)

    def _nomination_matched(self, nomination: Nomination) -> bool:
        """The matched of a nomination."""
        return any(
            m["mwh"] == 0 - nomination["mwh"]
            for m in self._nominations_by_group_partner_hour.get(
                (nomination["partner_id"], nomination["group_id"], nomination["hour_id"]),
                {},
            ).values()
        )

    def _open_now(self, h: Hour, t: str) -> bool:
        return h["state"] == "open" and h["begins"] > t

    def _mirror(self, n: Nomination) -> Nomination | None:
        return next(
            (
                m
                for m in sorted(
                    self._nominations_by_group_partner_hour.get(
                        (n["partner_id"], n["group_id"], n["hour_id"]),
                        {},
                    ).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _sent(self, a: Group, b: Group, h: Hour) -> Nomination | None:
        return next(
            (
                n
                for n in sorted(
                    self._nominations_by_group_partner_hour.get((a["id"], b["id"], h["id"]), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _sold(self, g: Group, h: Hour) -> int:
        return sum(
            n["mwh"]
            for n in self._nominations_by_group_hour.get((g["id"], h["id"]), {}).values()
            if n["mwh"] > 0
        )

    def _net(self, g: Group, h: Hour) -> int:
        return sum(
            n["confirmed"]
            if n["confirmed"] is not None
            else 0
            for n in self._nominations_by_group_hour.get((g["id"], h["id"]), {}).values()
        )

    def _metered(self, g: Group, h: Hour) -> Metering | None:
        return next(
            (m for m in sorted(self._meterings_by_group_hour.get((g["id"], h["id"]), {}).values(), key=_age)),
            None,
        )

    def _unmetered(self, h: Hour) -> list[Group]:
        return [
            g
            for g in _those(self.groups, [n["group_id"] for n in self._nominations_by_hour.get(h["id"], {}).values()])
            if bool(self._nominations_by_group_hour.get((g["id"], h["id"]), {}))
            and self._metered(g, h) is None
        ]

    def _owes(self, p: Party) -> int:
        return sum(
            c["amount"]
            for _group in self._groups_by_party.get(p["id"], {}).values()
            for c in self._charges_by_group_status.get((_group["id"], "open"), {}).values()
        )

    def _breaks_rule_1_n(self, n: Nomination) -> bool:
        """Whether this is broken: a group sends one nomination to a partner for an hour, and none to itself."""
        return any(
            other_n is not n
            for other_n in self._nominations_by_group_partner_hour.get(
                (n["group_id"], n["partner_id"], n["hour_id"]),
                {},
            ).values()
        )

    def _breaks_rule_1_n_again(self, n: Nomination) -> bool:
        """Whether this is broken: a group sends one nomination to a partner for an hour, and none to itself."""
        return n["group_id"] == n["partner_id"] or n["mwh"] == 0

    def _breaks_rule_2(self, n: Nomination) -> bool:
        """Whether this is broken: no group sells more in an hour than its capacity."""
        return (
            n["mwh"] > 0
            and self._sold(
                self.groups[n["group_id"]],
                self.hours[n["hour_id"]],
            ) > self.groups[n["group_id"]]["capacity"]
        )

    def _breaks_rule_3(self, p: Party) -> bool:
        """Whether this is broken: what a party has nominated for hours that are not settled never exceeds its
        collateral.
        """
        return self._party_exposure(p) > p["collateral"]

    def _breaks_rule_4(self, n: Nomination) -> bool:
        """Whether this is broken: a nomination is confirmed when the gate has closed, and not before."""
        return (n["confirmed"] is None) != (self.hours[n["hour_id"]]["state"] == "open")

    def _breaks_rule_5(self, n: Nomination) -> bool:
        """Whether this is broken: what is confirmed on one side is confirmed with the opposite sign on the other."""
        return not (
            n["confirmed"] is None
            or n["confirmed"] == 0
            or any(
                m["confirmed"] == 0 - n["confirmed"]
                for m in self._nominations_by_group_partner_hour.get(
                    (n["partner_id"], n["group_id"], n["hour_id"]),
                    {},
                ).values()
            )
        )

    def _breaks_rule_6(self, n: Nomination) -> bool:
        """Whether this is broken: never more is confirmed than was nominated."""
        return n["confirmed"] is not None and abs(n["confirmed"]) > abs(n["mwh"])

    def _breaks_rule_7_a(self, a: Hour) -> bool:
        """Whether this is broken: the gates close in the order of the hours."""
        return any(
            a["begins"] < b["begins"]
            and a["state"] == "open"
            and b["state"] != "open"
            for b in self.hours.values()
        )

    def _breaks_rule_7_b(self, b: Hour) -> bool:
        """Whether this is broken: the gates close in the order of the hours."""
        return any(
            a["begins"] < b["begins"]
            and a["state"] == "open"
            and b["state"] != "open"
            for a in self.hours.values()
        )

    def _breaks_rule_8_m(self, m: Metering) -> bool:
        """Whether this is broken: a group has one metered value for an hour, and none before its gate has closed."""
        return any(
            other_m is not m
            for other_m in self._meterings_by_group_hour.get((m["group_id"], m["hour_id"]), {}).values()
        )

    def _breaks_rule_8_m_again(self, m: Metering) -> bool:
        """Whether this is broken: a group has one metered value for an hour, and none before its gate has closed."""
        return self.hours[m["hour_id"]]["state"] == "open"

    def _breaks_rule_9(self, h: Hour) -> bool:
        """Whether this is broken: an hour is settled with a price when every group in it was metered."""
        return not (
            (h["state"] == "settled") == (h["price"] is not None)
            and (h["state"] != "settled" or len(self._unmetered(h)) == 0)
        )

    def _breaks_rule_10_c(self, c: Charge) -> bool:
        """Whether this is broken: a group is charged once for an hour, and only when that is settled."""
        return any(
            other_c is not c
            for other_c in self._charges_by_group_hour.get((c["group_id"], c["hour_id"]), {}).values()
        )

    def _breaks_rule_10_c_again(self, c: Charge) -> bool:
        """Whether this is broken: a group is charged once for an hour, and only when that is settled."""
        return self.hours[c["hour_id"]]["state"] != "settled"

    def _breaks_rule_11(self, n: Nomination) -> bool:
        """Whether this is broken: a suspended party has no nominations in open hours."""
        return (
            self.hours[n["hour_id"]]["state"] == "open"
            and self.parties[self.groups[n["group_id"]]["party_id"]]["suspended"]
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
            case "groups":
                self._groups_by_party.setdefault(record["party_id"], {})[record["id"]] = record
            case "hours":
                self._hours_by_state.setdefault(record["state"], {})[record["id"]] = record
            case "nominations":
                self._nominations_by_group.setdefault(record["group_id"], {})[record["id"]] = record
                self._nominations_by_group_hour.setdefault(
                    (record["group_id"], record["hour_id"]),
                    {},
                )[record["id"]] = record
                self._nominations_by_group_partner_hour.setdefault(
                    (record["group_id"], record["partner_id"], record["hour_id"]),
                    {},
                )[record["id"]] = record
                self._nominations_by_hour.setdefault(record["hour_id"], {})[record["id"]] = record
                self._nominations_by_partner.setdefault(record["partner_id"], {})[record["id"]] = record
            case "meterings":
                self._meterings_by_group_hour.setdefault(
                    (record["group_id"], record["hour_id"]),
                    {},
                )[record["id"]] = record
                self._meterings_by_hour.setdefault(record["hour_id"], {})[record["id"]] = record
            case "charges":
                self._charges_by_group_hour.setdefault((record["group_id"], record["hour_id"]), {})[record["id"]] = record
                self._charges_by_group_status.setdefault(
                    (record["group_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._charges_by_hour.setdefault(record["hour_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "groups":
                del self._groups_by_party[record["party_id"]][record["id"]]
            case "hours":
                del self._hours_by_state[record["state"]][record["id"]]
            case "nominations":
                del self._nominations_by_group[record["group_id"]][record["id"]]
                del self._nominations_by_group_hour[record["group_id"], record["hour_id"]][record["id"]]
                del self._nominations_by_group_partner_hour[
                    record["group_id"],
                    record["partner_id"],
                    record["hour_id"],
                ][record["id"]]
                del self._nominations_by_hour[record["hour_id"]][record["id"]]
                del self._nominations_by_partner[record["partner_id"]][record["id"]]
            case "meterings":
                del self._meterings_by_group_hour[record["group_id"], record["hour_id"]][record["id"]]
                del self._meterings_by_hour[record["hour_id"]][record["id"]]
            case "charges":
                del self._charges_by_group_hour[record["group_id"], record["hour_id"]][record["id"]]
                del self._charges_by_group_status[record["group_id"], record["status"]][record["id"]]
                del self._charges_by_hour[record["hour_id"]][record["id"]]
