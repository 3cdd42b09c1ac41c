"""Satellite passes. Compiled from blueprint.yaml; run `envscaler build satellite_passes` after changing it there.

Plans what a few small satellites do at their passes over ground stations, with antennas that take one at a
time, commands uploaded in order, pictures that fill the memory and a battery that must last.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "An antenna follows one satellite at a time and needs its time to turn to the next.",
    "An antenna stands at the station of the pass and works in the band of the satellite.",
    "Booked and finished passes have an antenna, and predicted ones have none.",
    "The commands of a satellite are uploaded in their order.",
    "No two commands of a satellite have the same position.",
    "A pass takes no more commands than it has slots, one for every three minutes.",
    "Loaded and sent commands have a pass of their satellite, and others have none.",
    "A satellite never stores more than its memory holds.",
    "No more is planned for a pass than its antenna can receive.",
    "Only stored pictures and received ones belong to a pass, and to one of their satellite.",
    "What is booked and loaded leaves a satellite at least a fifth of its battery.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_contact",
    "free_contact",
    "close_contact",
    "queue_command",
    "swap_commands",
    "load_command",
    "cancel_command",
    "request_image",
    "take_image",
    "plan_image",
    "drop_image",
    "log_charge",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "satellites": ("name",),
    "stations": ("name",),
    "antennas": ("label",),
    "contacts": (),
    "commands": (),
    "images": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("antennas", "station_id"),
    ("commands", "contact_id"),
    ("commands", "satellite_id"),
    ("commands", "status"),
    ("contacts", "antenna_id"),
    ("contacts", "satellite_id"),
    ("contacts", "status"),
    ("images", "contact_id"),
    ("images", "satellite_id"),
    ("images", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Satellite(TypedDict):
    id: str
    name: str
    band: Literal["S", "X"]
    memory: int
    battery: int


class Station(TypedDict):
    id: str
    name: str


class Antenna(TypedDict):
    id: str
    label: str
    station_id: str
    bands: list[Literal["S", "X"]]
    rate: int
    slew: int


class Contact(TypedDict):
    id: str
    satellite_id: str
    station_id: str
    rises_at: str
    minutes: int
    elevation: int
    antenna_id: str | None
    status: Literal["predicted", "booked", "done"]


class Command(TypedDict):
    id: str
    satellite_id: str
    position: int
    what: str
    energy: int
    contact_id: str | None
    status: Literal["queued", "loaded", "cancelled", "sent"]


class Image(TypedDict):
    id: str
    target: str
    satellite_id: str
    size: int
    urgency: int
    contact_id: str | None
    status: Literal["wanted", "stored", "dropped", "received"]


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


class SatellitePasses:
    """Plans what a few small satellites do at their passes over ground stations, with antennas that take
    one at a time, commands uploaded in order, pictures that fill the memory and a battery that must
    last.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.satellites: dict[str, Satellite] = _copied(config.get("satellites", {}))
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.antennas: dict[str, Antenna] = _copied(config.get("antennas", {}))
        self.contacts: dict[str, Contact] = _copied(config.get("contacts", {}))
        self.commands: dict[str, Command] = _copied(config.get("commands", {}))
        self.images: dict[str, Image] = _copied(config.get("images", {}))
        self.now: str = config.get("now", "2026-08-18T08:00")
        self.counters: dict[str, int] = {
            "satellite": len(self.satellites),
            "station": len(self.stations),
            "antenna": len(self.antennas),
            "contact": len(self.contacts),
            "command": len(self.commands),
            "image": len(self.images),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._antennas_by_station: dict[Any, dict[str, Antenna]] = {}
        self._contacts_by_antenna_status: dict[Any, dict[str, Contact]] = {}
        self._contacts_by_satellite_status: dict[Any, dict[str, Contact]] = {}
        self._commands_by_contact_status: dict[Any, dict[str, Command]] = {}
        self._commands_by_satellite: dict[Any, dict[str, Command]] = {}
        self._commands_by_satellite_status: dict[Any, dict[str, Command]] = {}
        self._images_by_contact_status: dict[Any, dict[str, Image]] = {}
        self._images_by_satellite: dict[Any, dict[str, Image]] = {}
        self._images_by_satellite_status: dict[Any, dict[str, Image]] = {}
        for antenna in self.antennas.values():
            self._link("antennas", antenna)
        for contact in self.contacts.values():
            self._link("contacts", contact)
        for command in self.commands.values():
            self._link("commands", command)
        for image in self.images.values():
            self._link("images", image)

    def antennas_for(self, contact_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Antennas that could follow a pass, the fastest first.

        Args:
            contact_id (str): Id of the contact, such as CONTACT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "antennas": records}} or {"success": False, "error": why
                not}
        """
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        found = [
            t
            for t in self._antennas_by_station.get(contact["station_id"], {}).values()
            if self._can_take(t, contact)
        ]
        found.sort(key=lambda t: (-t["rate"], t["label"], _age(t)))
        return _found(
            {
                "total": len(found),
                "antennas": [
                    {
                        "id": t["id"],
                        "label": t["label"],
                        "rate": t["rate"],
                        "could_receive": t["rate"] * contact["minutes"],
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def uplink_queue(
        self,
        satellite_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The commands of a satellite that are queued or loaded, in their order.

        Args:
            satellite_id (str): Id of the satellite, such as SATELLITE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "commands": records}} or {"success": False, "error": why
                not}
        """
        satellite = self.satellites.get(satellite_id)
        if satellite is None:
            return _refused(f"There is no satellite {satellite_id!r}.")
        found = [
            c
            for c in self._commands_by_satellite.get(satellite_id, {}).values()
            if (c["satellite_id"] == satellite_id and c["status"] in ("queued", "loaded"))
        ]
        found.sort(key=lambda c: (c["position"], _age(c)))
        return _found(
            {
                "total": len(found),
                "commands": [
                    {
                        "id": c["id"],
                        "position": c["position"],
                        "what": c["what"],
                        "energy": c["energy"],
                        "status": c["status"],
                        "contact_id": c["contact_id"],
                        "reserve": self._satellite_reserve(satellite),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def in_memory(self, satellite_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The pictures that a satellite wants or stores, the most urgent first, the biggest of them in front.

        Args:
            satellite_id (str): Id of the satellite, such as SATELLITE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "images": records}} or {"success": False, "error": why
                not}
        """
        satellite = self.satellites.get(satellite_id)
        if satellite is None:
            return _refused(f"There is no satellite {satellite_id!r}.")
        found = [
            i
            for i in self._images_by_satellite.get(satellite_id, {}).values()
            if (i["satellite_id"] == satellite_id and i["status"] in ("wanted", "stored"))
        ]
        found.sort(key=lambda i: (i["urgency"], -i["size"], i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "images": [
                    {
                        "id": i["id"],
                        "target": i["target"],
                        "size": i["size"],
                        "urgency": i["urgency"],
                        "status": i["status"],
                        "contact_id": i["contact_id"],
                        "room_left": self._satellite_room(satellite),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def pass_plan(
        self,
        since: DateTime,
        satellite_id: str | None = None,
        status: Literal["predicted", "booked", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Passes in the order of time, with what is planned for them.

        Args:
            since (str): Moment from which on passes that rise are listed, as YYYY-MM-DDTHH:MM.
            satellite_id (str, optional): Satellite whose passes are wanted; an id such as SATELLITE-00001. If left
                out, the passes of all satellites are listed.
            status (str, optional): State of the passes: predicted, booked or done. If left out, passes in every
                state are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contacts": records}} or {"success": False, "error": why
                not}
        """
        satellite = self.satellites.get(satellite_id) if satellite_id is not None else None
        if satellite_id is not None and satellite is None:
            return _refused(f"There is no satellite {satellite_id!r}.")
        found = [
            p
            for p in self.contacts.values()
            if p["rises_at"] >= since
            and (satellite_id is None or p["satellite_id"] == satellite_id)
            and (status is None or p["status"] == status)
        ]
        found.sort(key=lambda p: (p["rises_at"], p["id"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "satellite": self.satellites[p["satellite_id"]]["name"],
                "station": self.stations[p["station_id"]]["name"],
                "rises_at": p["rises_at"],
                "minutes": p["minutes"],
                "elevation": p["elevation"],
                "status": p["status"],
                "antenna_id": p["antenna_id"],
                "slots_left": self._contact_slots(p) - self._contact_loaded(p),
                "mb_left": self._capacity(p) - self._contact_planned(p),
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "contacts": shown},
            _names((self.antennas, "label", [row["antenna_id"] for row in shown])),
        )

    def list_satellites(
        self,
        name: Text | None = None,
        band: Literal["S", "X"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the satellites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only satellites whose name contains this text.
            band (str, optional): Only satellites with this band.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "satellites": records}}
        """
        found = [
            satellite
            for satellite in self.satellites.values()
            if (name is None or name.casefold() in satellite["name"].casefold())
            and (band is None or satellite["band"] == band)
        ]
        return _found(
            {
                "total": len(found),
                "satellites": [self._show_satellite(satellite) for satellite in _page(found, offset)],
            }
        )

    def list_stations(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stations whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (name is None or name.casefold() in station["name"].casefold())
        ]
        return _found({"total": len(found), "stations": [{**station} for station in _page(found, offset)]})

    def list_antennas(
        self,
        label: Text | None = None,
        station_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the antennas, oldest first, all of them or only some.

        Args:
            label (str, optional): Only antennas whose label contains this text.
            station_id (str, optional): Only antennas of this station.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "antennas": records}}
        """
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            antenna
            for antenna in self.antennas.values()
            if (label is None or label.casefold() in antenna["label"].casefold())
            and (station_id is None or antenna["station_id"] == station_id)
        ]
        shown = [self._show_antenna(antenna) for antenna in _page(found, offset)]
        return _found({"total": len(found), "antennas": shown}, self._names_of_antennas(shown))

    def list_contacts(
        self,
        satellite_id: str | None = None,
        station_id: str | None = None,
        antenna_id: str | None = None,
        status: Literal["predicted", "booked", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contacts, oldest first, all of them or only some.

        Args:
            satellite_id (str, optional): Only contacts of this satellite.
            station_id (str, optional): Only contacts of this station.
            antenna_id (str, optional): Only contacts of this antenna.
            status (str, optional): Only contacts with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contacts": records}}
        """
        if satellite_id is not None and satellite_id not in self.satellites:
            return _refused(f"There is no satellite {satellite_id!r}.")
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        if antenna_id is not None and antenna_id not in self.antennas:
            return _refused(f"There is no antenna {antenna_id!r}.")
        found = [
            contact
            for contact in self.contacts.values()
            if (satellite_id is None or contact["satellite_id"] == satellite_id)
            and (station_id is None or contact["station_id"] == station_id)
            and (antenna_id is None or contact["antenna_id"] == antenna_id)
            and (status is None or contact["status"] == status)
        ]
        shown = [self._show_contact(contact) for contact in _page(found, offset)]
        return _found({"total": len(found), "contacts": shown}, self._names_of_contacts(shown))

    def list_commands(
        self,
        satellite_id: str | None = None,
        contact_id: str | None = None,
        status: Literal["queued", "loaded", "cancelled", "sent"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the commands, oldest first, all of them or only some.

        Args:
            satellite_id (str, optional): Only commands of this satellite.
            contact_id (str, optional): Only commands of this contact.
            status (str, optional): Only commands with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "commands": records}}
        """
        if satellite_id is not None and satellite_id not in self.satellites:
            return _refused(f"There is no satellite {satellite_id!r}.")
        if contact_id is not None and contact_id not in self.contacts:
            return _refused(f"There is no contact {contact_id!r}.")
        found = [
            command
            for command in self.commands.values()
            if (satellite_id is None or command["satellite_id"] == satellite_id)
            and (contact_id is None or command["contact_id"] == contact_id)
            and (status is None or command["status"] == status)
        ]
        shown = [{**command} for command in _page(found, offset)]
        return _found({"total": len(found), "commands": shown}, self._names_of_commands(shown))

    def list_images(
        self,
        satellite_id: str | None = None,
        contact_id: str | None = None,
        status: Literal["wanted", "stored", "dropped", "received"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the images, oldest first, all of them or only some.

        Args:
            satellite_id (str, optional): Only images of this satellite.
            contact_id (str, optional): Only images of this contact.
            status (str, optional): Only images with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "images": records}}
        """
        if satellite_id is not None and satellite_id not in self.satellites:
            return _refused(f"There is no satellite {satellite_id!r}.")
        if contact_id is not None and contact_id not in self.contacts:
            return _refused(f"There is no contact {contact_id!r}.")
        found = [
            image
            for image in self.images.values()
            if (satellite_id is None or image["satellite_id"] == satellite_id)
            and (contact_id is None or image["contact_id"] == contact_id)
            and (status is None or image["status"] == status)
        ]
        shown = [{**image} for image in _page(found, offset)]
        return _found({"total": len(found), "images": shown}, self._names_of_images(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_contact(self, contact_id: str, antenna_id: str) -> Result:
        """Book an antenna for a predicted pass; it costs the satellite one percent of battery for every four minutes.

        Args:
            contact_id (str): Id of the contact, such as CONTACT-00001.
            antenna_id (str): Id of the antenna, such as ANTENNA-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        antenna = self.antennas.get(antenna_id)
        if antenna is None:
            return _refused(f"There is no antenna {antenna_id!r}.")
        if contact["status"] != "predicted":
            return _refused(f"The pass at {contact['rises_at']} is {contact['status']}.")
        if contact["rises_at"] <= self.now:
            return _refused(f"The pass began at {contact['rises_at']}.")
        if antenna["station_id"] != contact["station_id"]:
            return _refused(
                f"{antenna['label']} stands in {self.stations[antenna['station_id']]['name']}, not in "
                f"{self.stations[contact['station_id']]['name']}."
            )
        if self.satellites[contact["satellite_id"]]["band"] not in antenna["bands"]:
            return _refused(
                f"{antenna['label']} does not work in band {self.satellites[contact['satellite_id']]['band']}."
            )
        other = self._clashing(antenna, contact)
        if other is not None:
            return _refused(
                f"{antenna['label']} follows {self.satellites[other['satellite_id']]['name']} at "
                f"{other['rises_at']} and must turn."
            )
        twin = next(
            (
                q
                for q in sorted(
                    self._contacts_by_satellite_status.get((contact["satellite_id"], "booked"), {}).values(),
                    key=_age,
                )
                if q is not contact
                and _overlap(
                    q["rises_at"],
                    self._contact_sets_at(q),
                    contact["rises_at"],
                    self._contact_sets_at(contact),
                )
            ),
            None,
        )
        if twin is not None:
            return _refused(
                f"{self.satellites[contact['satellite_id']]['name']} is booked at "
                f"{self.stations[twin['station_id']]['name']} at {twin['rises_at']}, and it has one link."
            )
        if self._satellite_reserve(self.satellites[contact["satellite_id"]]) - contact["minutes"] // 4 < 20:
            return _refused(
                f"{self.satellites[contact['satellite_id']]['name']} has "
                f"{self._satellite_reserve(self.satellites[contact['satellite_id']])} percent of battery left "
                f"after all that is planned, the pass takes {contact['minutes'] // 4}, and 20 must stay."
            )
        self._journal = []
        self._put("contacts", contact, "antenna_id", antenna_id)
        self._put("contacts", contact, "status", "booked")
        if self._breaks_rule_1(contact):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(contact):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(contact):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(contact):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(contact):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.satellites[contact["satellite_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {antenna['label']} for {self.satellites[contact['satellite_id']]['name']} at "
                f"{contact['rises_at']}."
            ),
            "data": self._changes(),
        }

    def free_contact(self, contact_id: str) -> Result:
        """Give the antenna of a booked pass back; nothing may be loaded or planned for the pass.

        Args:
            contact_id (str): Id of the contact, such as CONTACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        if contact["status"] != "booked":
            return _refused(f"The pass at {contact['rises_at']} is {contact['status']}.")
        if self._contact_loaded(contact) != 0:
            return _refused(f"{self._contact_loaded(contact)} commands are loaded for it; take them back first.")
        if self._contact_planned(contact) != 0:
            return _refused(
                f"Pictures of {self._contact_planned(contact)} MB are planned for it; plan them for another pass "
                "first."
            )
        self._journal = []
        self._put("contacts", contact, "antenna_id", None)
        self._put("contacts", contact, "status", "predicted")
        if self._breaks_rule_1(contact):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(contact):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(contact):
            return self._take_back(RULES[2])
        if self._breaks_rule_6(contact):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(contact):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.satellites[contact["satellite_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: free the pass of {self.satellites[contact['satellite_id']]['name']} at {contact['rises_at']}."
            ),
            "data": self._changes(),
        }

    def close_contact(self, contact_id: str, no_contact: bool = False) -> Result:
        """Close a booked pass that is over; its commands are sent and its pictures received, and the battery pays.
        Where there was no contact, pictures stay in memory and the commands from that pass on go back into the
        queue.

        Args:
            contact_id (str): Id of the contact, such as CONTACT-00001.
            no_contact (bool): Whether no contact came about during the pass. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        if contact["status"] != "booked":
            return _refused(f"The pass at {contact['rises_at']} is {contact['status']}.")
        if self._contact_sets_at(contact) > self.now:
            return _refused(f"The pass ends at {self._contact_sets_at(contact)}.")
        satellite = self.satellites[contact["satellite_id"]]
        spent = (
            contact["minutes"] // 4
            + (
                0
                if no_contact
                else sum(
                    c["energy"]
                    for c in self._commands_by_contact_status.get((contact_id, "loaded"), {}).values()
                )
            )
        )
        if satellite["battery"] < spent:
            return _refused(f"{satellite['name']} has {satellite['battery']} percent and the pass needs {spent}.")
        self._journal = []
        changed_images: list[Any] = []
        former_contact_ids: list[Any] = []
        changed_commands: list[Any] = []
        former_contact_ids_2: list[Any] = []
        changed_commands_2: list[Any] = []
        changed_images_2: list[Any] = []
        if no_contact:
            for i in sorted(self._images_by_contact_status.get((contact_id, "stored"), {}).values(), key=_age):
                changed_images.append(i)
                former_contact_ids.append(i["contact_id"])
                self._put("images", i, "contact_id", None)
            for c in sorted(
                [
                    c
                    for c in self._commands_by_satellite_status.get((satellite["id"], "loaded"), {}).values()
                    if c["contact_id"] is not None
                    and self.contacts[c["contact_id"]]["rises_at"] >= contact["rises_at"]
                ],
                key=lambda c: (-c["position"], _age(c)),
            ):
                changed_commands.append(c)
                former_contact_ids_2.append(c["contact_id"])
                self._put("commands", c, "contact_id", None)
                if c["status"] not in ("queued", "loaded"):
                    return self._take_back(f"Command {c['id']} cannot go from {c['status']} to queued.")
                changed_commands_2.append(c)
                self._put("commands", c, "status", "queued")
        for c in sorted(self._commands_by_contact_status.get((contact_id, "loaded"), {}).values(), key=_age):
            if c["status"] not in ("loaded", "sent"):
                return self._take_back(f"Command {c['id']} cannot go from {c['status']} to sent.")
            changed_commands_2.append(c)
            self._put("commands", c, "status", "sent")
        for i in sorted(self._images_by_contact_status.get((contact_id, "stored"), {}).values(), key=_age):
            if i["status"] not in ("stored", "received"):
                return self._take_back(f"Image {i['id']} cannot go from {i['status']} to received.")
            changed_images_2.append(i)
            self._put("images", i, "status", "received")
        self._put("contacts", contact, "status", "done")
        battery = satellite["battery"] - spent
        if not 0 <= battery <= 100:
            return self._take_back(f"The battery of {satellite['name']} must be between 0 and 100.")
        self._put("satellites", satellite, "battery", battery)
        if self._breaks_rule_1(contact):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(contact):
            return self._take_back(RULES[2])
        for one_command in _distinct([*changed_commands, *changed_commands_2]):
            if self._breaks_rule_4_a(one_command):
                return self._take_back(RULES[3])
        for one_command in _distinct([*changed_commands, *changed_commands_2]):
            if self._breaks_rule_4_b(one_command):
                return self._take_back(RULES[3])
        for one_command in _distinct(changed_commands_2):
            if self._breaks_rule_4_a_again(one_command):
                return self._take_back(RULES[3])
        for one_command in _distinct(changed_commands_2):
            if self._breaks_rule_4_b_again(one_command):
                return self._take_back(RULES[3])
        for one_contact in _distinct(
            [
                contact,
                *[self.contacts.get(one["contact_id"]) for one in changed_commands],
                *[self.contacts.get(key) for key in former_contact_ids_2],
                *[self.contacts.get(one["contact_id"]) for one in changed_commands_2],
            ]
        ):
            if self._breaks_rule_6(one_contact):
                return self._take_back(RULES[5])
        for one_command in _distinct([*changed_commands, *changed_commands_2]):
            if self._breaks_rule_7_c(one_command):
                return self._take_back(RULES[6])
        for one_command in _distinct(changed_commands):
            if self._breaks_rule_7_c_again(one_command):
                return self._take_back(RULES[6])
        for one_satellite in _distinct([self.satellites[one["satellite_id"]] for one in changed_images_2]):
            if self._breaks_rule_8(one_satellite):
                return self._take_back(RULES[7])
        for one_contact in _distinct(
            [
                *[self.contacts.get(one["contact_id"]) for one in changed_images],
                *[self.contacts.get(key) for key in former_contact_ids],
                *[self.contacts.get(one["contact_id"]) for one in changed_images_2],
            ]
        ):
            if self._breaks_rule_9(one_contact):
                return self._take_back(RULES[8])
        for one_image in _distinct([*changed_images, *changed_images_2]):
            if self._breaks_rule_10(one_image):
                return self._take_back(RULES[9])
        for one_satellite in _distinct(
            [
                self.satellites[contact["satellite_id"]],
                satellite,
                *[self.satellites[one["satellite_id"]] for one in changed_commands_2],
            ]
        ):
            if self._breaks_rule_11(one_satellite):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: close the pass of {self.satellites[contact['satellite_id']]['name']} at "
                f"{contact['rises_at']}."
            ),
            "data": self._changes(),
        }

    def queue_command(
        self,
        satellite_id: str,
        what: Text,
        energy: Annotated[int, {"minimum": 0, "maximum": 30}],
    ) -> Result:
        """Put a command at the end of the queue of a satellite.

        Args:
            satellite_id (str): Id of the satellite, such as SATELLITE-00001.
            what (str): What the satellite is to do.
            energy (int): Energy the command takes, in percent of the battery, from 0 to 30.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        satellite = self.satellites.get(satellite_id)
        if satellite is None:
            return _refused(f"There is no satellite {satellite_id!r}.")
        if self._last_position(satellite) >= 9999:
            return _refused(f"The queue of {satellite['name']} is full.")
        self._journal = []
        position = self._last_position(satellite) + 1
        if not 1 <= position <= 9999:
            return self._take_back("The position of a command must be between 1 and 9999.")
        command: Command = {
            "id": self._new_id("command", "COMMAND", self.commands),
            "satellite_id": satellite_id,
            "position": position,
            "what": what,
            "energy": energy,
            "contact_id": None,
            "status": "queued",
        }
        self._add("commands", command)
        if self._breaks_rule_4_a(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b_again(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(command):
            return self._take_back(RULES[4])
        for one_contact in _distinct([self.contacts.get(command["contact_id"])]):
            if self._breaks_rule_6(one_contact):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_c(command):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(command):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(self.satellites[command["satellite_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: queue {what} for {satellite['name']} (new: command {command['id']}).",
            "data": {"command_id": command["id"], **self._changes()},
        }

    def swap_commands(self, one_id: str, other_id: str) -> Result:
        """Let two queued commands of a satellite change places in the queue.

        Args:
            one_id (str): First of the two queued commands; an id such as COMMAND-00001.
            other_id (str): Second of the two, of the same satellite; an id such as COMMAND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.commands.get(one_id)
        if one is None:
            return _refused(f"There is no command {one_id!r}.")
        other = self.commands.get(other_id)
        if other is None:
            return _refused(f"There is no command {other_id!r}.")
        if one is other or one["satellite_id"] != other["satellite_id"]:
            return _refused("Name two commands of one satellite.")
        if one["status"] != "queued" or other["status"] != "queued":
            return _refused("Both must be queued; take the loaded ones back first.")
        self._journal = []
        place = one["position"]
        self._put("commands", one, "position", other["position"])
        if not 1 <= place <= 9999:
            return self._take_back(f"The position of {other['id']} must be between 1 and 9999.")
        self._put("commands", other, "position", place)
        if self._breaks_rule_4_a(one):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a(other):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(one):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(other):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(one):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(other):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b_again(one):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b_again(other):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(one):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(other):
            return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: swap {one['what']} and {other['what']}.", "data": self._changes()}

    def load_command(self, command_id: str, contact_id: str | None = None) -> Result:
        """Load the next queued command of a satellite for a booked pass, where those in front of it must be loaded
        for that pass or an earlier one; or take the last loaded one back into the queue where no pass is named.

        Args:
            command_id (str): Id of the command, such as COMMAND-00001.
            contact_id (str, optional): Booked pass ahead for which the queued command is loaded; an id such as
                CONTACT-00001. If left out, the loaded command goes back into the queue.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        command = self.commands.get(command_id)
        if command is None:
            return _refused(f"There is no command {command_id!r}.")
        contact = self.contacts.get(contact_id) if contact_id is not None else None
        if contact_id is not None and contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        if (
            command["status"] not in ("queued", "loaded")
            or (command["status"] == "queued") != (contact_id is not None)
        ):
            return _refused(f"The command is {command['status']}.")
        if contact_id is not None and contact["satellite_id"] != command["satellite_id"]:
            return _refused("That is a pass of another satellite.")
        if not (contact_id is None or contact["status"] == "booked" and contact["rises_at"] > self.now):
            return _refused(f"The pass is {contact['status']} or has begun.")
        front = next(
            (
                x
                for x in self._ahead(command)
                if contact_id is not None
                and (
                    x["status"] == "queued"
                    or x["contact_id"] is not None
                    and self.contacts[x["contact_id"]]["rises_at"] > contact["rises_at"]
                )
            ),
            None,
        )
        if front is not None:
            return _refused(f"{front['what']} comes first and is {front['status']}.")
        if contact_id is not None and self._contact_loaded(contact) >= self._contact_slots(contact):
            return _refused(f"The pass has {self._contact_slots(contact)} slots and they are taken.")
        if (
            contact_id is not None
            and self._satellite_reserve(self.satellites[command["satellite_id"]]) - command["energy"] < 20
        ):
            return _refused(
                f"{self.satellites[command['satellite_id']]['name']} would keep "
                f"{self._satellite_reserve(self.satellites[command['satellite_id']]) - command['energy']} percent "
                "of its battery, and 20 must stay."
            )
        later = next((x for x in self._behind(command) if contact_id is None and x["status"] == "loaded"), None)
        if later is not None:
            return _refused(f"{later['what']} is loaded behind it; take that back first.")
        self._journal = []
        changed_commands: list[Any] = []
        former_contact_id = command["contact_id"]
        self._put("commands", command, "contact_id", contact_id)
        if contact_id is None:
            changed_commands.append(command)
            self._put("commands", command, "status", "queued")
        else:
            if command["status"] not in ("queued", "loaded"):
                return self._take_back(f"Command {command['id']} cannot go from {command['status']} to loaded.")
            changed_commands.append(command)
            self._put("commands", command, "status", "loaded")
        for one_command in _distinct([command, *changed_commands]):
            if self._breaks_rule_4_a(one_command):
                return self._take_back(RULES[3])
        for one_command in _distinct([command, *changed_commands]):
            if self._breaks_rule_4_b(one_command):
                return self._take_back(RULES[3])
        for one_command in _distinct(changed_commands):
            if self._breaks_rule_4_a_again(one_command):
                return self._take_back(RULES[3])
        for one_command in _distinct(changed_commands):
            if self._breaks_rule_4_b_again(one_command):
                return self._take_back(RULES[3])
        for one_contact in _distinct(
            [
                self.contacts.get(command["contact_id"]),
                self.contacts.get(former_contact_id),
                *[self.contacts.get(one["contact_id"]) for one in changed_commands],
            ]
        ):
            if self._breaks_rule_6(one_contact):
                return self._take_back(RULES[5])
        for one_command in _distinct([command, *changed_commands]):
            if self._breaks_rule_7_c(one_command):
                return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(command):
            return self._take_back(RULES[6])
        for one_satellite in _distinct([self.satellites[one["satellite_id"]] for one in changed_commands]):
            if self._breaks_rule_11(one_satellite):
                return self._take_back(RULES[10])
        done = f"load or take back {command['what']}"
        if contact is not None:
            done += f" for the pass of {self.satellites[contact['satellite_id']]['name']} at {contact['rises_at']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_command(self, command_id: str) -> Result:
        """Cancel a queued command.

        Args:
            command_id (str): Id of the command, such as COMMAND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        command = self.commands.get(command_id)
        if command is None:
            return _refused(f"There is no command {command_id!r}.")
        if command["status"] != "queued":
            return _refused(f"The command is {command['status']}; a loaded one is taken back first.")
        self._journal = []
        self._put("commands", command, "status", "cancelled")
        if self._breaks_rule_4_a(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(command):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b_again(command):
            return self._take_back(RULES[3])
        for one_contact in _distinct([self.contacts.get(command["contact_id"])]):
            if self._breaks_rule_6(one_contact):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_c(command):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(self.satellites[command["satellite_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cancel {command['what']} for {self.satellites[command['satellite_id']]['name']}.",
            "data": self._changes(),
        }

    def request_image(
        self,
        satellite_id: str,
        target: Text,
        size: Annotated[int, {"minimum": 10, "maximum": 3000}],
        urgency: Annotated[int, {"minimum": 1, "maximum": 3}] = 2,
    ) -> Result:
        """Note that a picture of a target is wanted; urgency 1 is the highest.

        Args:
            satellite_id (str): Id of the satellite, such as SATELLITE-00001.
            target (str): What the picture is to show.
            size (int): Size of the picture, in MB, from 10 to 3000.
            urgency (int): Urgency of the picture, 1 being the highest, from 1 to 3. Default: 2.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        satellite = self.satellites.get(satellite_id)
        if satellite is None:
            return _refused(f"There is no satellite {satellite_id!r}.")
        if size > satellite["memory"]:
            return _refused(f"{satellite['name']} holds {satellite['memory']} MB.")
        if any(
            i["status"] in ("wanted", "stored")
            for i in self._images_by_satellite.get(satellite_id, {}).values()
            if i["target"] == target
        ):
            return _refused(f"{target} is on the list of {satellite['name']} already.")
        self._journal = []
        image: Image = {
            "id": self._new_id("image", "IMAGE", self.images),
            "target": target,
            "satellite_id": satellite_id,
            "size": size,
            "urgency": urgency,
            "contact_id": None,
            "status": "wanted",
        }
        self._add("images", image)
        if self._breaks_rule_8(self.satellites[image["satellite_id"]]):
            return self._take_back(RULES[7])
        for one_contact in _distinct([self.contacts.get(image["contact_id"])]):
            if self._breaks_rule_9(one_contact):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(image):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: note {target} for {satellite['name']} (new: image {image['id']}).",
            "data": {"image_id": image["id"], **self._changes()},
        }

    def take_image(self, image_id: str) -> Result:
        """Note that a wanted picture was taken and is in the memory of the satellite.

        Args:
            image_id (str): Id of the image, such as IMAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        image = self.images.get(image_id)
        if image is None:
            return _refused(f"There is no image {image_id!r}.")
        if image["status"] != "wanted":
            return _refused(f"{image['target']} is {image['status']}.")
        if image["size"] > self._satellite_room(self.satellites[image["satellite_id"]]):
            return _refused(
                f"{self.satellites[image['satellite_id']]['name']} has "
                f"{self._satellite_room(self.satellites[image['satellite_id']])} MB left, not {image['size']}; "
                "drop a picture or receive some first."
            )
        self._journal = []
        self._put("images", image, "status", "stored")
        if self._breaks_rule_8(self.satellites[image["satellite_id"]]):
            return self._take_back(RULES[7])
        for one_contact in _distinct([self.contacts.get(image["contact_id"])]):
            if self._breaks_rule_9(one_contact):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(image):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: take {image['target']} with {self.satellites[image['satellite_id']]['name']}.",
            "data": self._changes(),
        }

    def plan_image(self, image_id: str, contact_id: str) -> Result:
        """Plan the download of a stored picture at a booked pass, or at another one than before.

        Args:
            image_id (str): Id of the image, such as IMAGE-00001.
            contact_id (str): Id of the contact, such as CONTACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        image = self.images.get(image_id)
        if image is None:
            return _refused(f"There is no image {image_id!r}.")
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        if image["status"] != "stored":
            return _refused(f"{image['target']} is {image['status']}.")
        if contact["satellite_id"] != image["satellite_id"]:
            return _refused(f"That is a pass of {self.satellites[contact['satellite_id']]['name']}.")
        if contact["status"] != "booked" or contact["rises_at"] <= self.now:
            return _refused(f"The pass at {contact['rises_at']} is {contact['status']} or has begun.")
        if image["contact_id"] == contact_id:
            return _refused("It is planned for that pass already.")
        if self._contact_planned(contact) + image["size"] > self._capacity(contact):
            return _refused(
                f"The pass can receive {self._capacity(contact)} MB and {self._contact_planned(contact)} are planned."
            )
        self._journal = []
        former_contact_id = image["contact_id"]
        self._put("images", image, "contact_id", contact_id)
        for one_contact in _distinct([self.contacts.get(image["contact_id"]), self.contacts.get(former_contact_id)]):
            if self._breaks_rule_9(one_contact):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(image):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan {image['target']} for {self.satellites[contact['satellite_id']]['name']} at "
                f"{contact['rises_at']}."
            ),
            "data": self._changes(),
        }

    def drop_image(self, image_id: str) -> Result:
        """Drop a picture that is wanted or stored.

        Args:
            image_id (str): Id of the image, such as IMAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        image = self.images.get(image_id)
        if image is None:
            return _refused(f"There is no image {image_id!r}.")
        if image["status"] not in ("wanted", "stored"):
            return _refused(f"{image['target']} is {image['status']}.")
        self._journal = []
        former_contact_id = image["contact_id"]
        self._put("images", image, "contact_id", None)
        self._put("images", image, "status", "dropped")
        if self._breaks_rule_8(self.satellites[image["satellite_id"]]):
            return self._take_back(RULES[7])
        for one_contact in _distinct([self.contacts.get(image["contact_id"]), self.contacts.get(former_contact_id)]):
            if self._breaks_rule_9(one_contact):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(image):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: drop {image['target']} of {self.satellites[image['satellite_id']]['name']}.",
            "data": self._changes(),
        }

    def log_charge(self, satellite_id: str, percent: Annotated[int, {"minimum": 1, "maximum": 80}]) -> Result:
        """Note by how many percent the sun has charged the battery of a satellite.

        Args:
            satellite_id (str): Id of the satellite, such as SATELLITE-00001.
            percent (int): Charge that was added, in percent of the battery, from 1 to 80.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        satellite = self.satellites.get(satellite_id)
        if satellite is None:
            return _refused(f"There is no satellite {satellite_id!r}.")
        if satellite["battery"] + percent > 100:
            return _refused(f"{satellite['name']} is at {satellite['battery']} percent.")
        self._journal = []
        battery = satellite["battery"] + percent
        if not 0 <= battery <= 100:
            return self._take_back(f"The battery of {satellite['name']} must be between 0 and 100.")
        self._put("satellites", satellite, "battery", battery)
        if self._breaks_rule_11(satellite):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: charge {satellite['name']} by {percent} percent.",
            "data": self._changes(),
        }

    def _show_satellite(self, satellite: Satellite) -> dict[str, Any]:
        """The satellite as an answer shows it."""
        return {
            **satellite,
            "used": self._satellite_used(satellite),
            "room": self._satellite_room(satellite),
            "reserve": self._satellite_reserve(satellite),
        }

    def _show_antenna(self, antenna: Antenna) -> dict[str, Any]:
        """The antenna as an answer shows it."""
        return {**antenna, "bands": [*antenna["bands"]]}

    def _show_contact(self, contact: Contact) -> dict[str, Any]:
        """The contact as an answer shows it."""
        return {
            **contact,
            "sets_at": self._contact_sets_at(contact),
            "slots": self._contact_slots(contact),
            "loaded": self._contact_loaded(contact),
            "planned": self._contact_planned(contact),
        }

    def _names_of_antennas(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that antennas point to."""
        return _names((self.stations, "name", [row["station_id"] for row in shown]))

    def _names_of_contacts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contacts point to."""
        return _names(
            (self.satellites, "name", [row["satellite_id"] for row in shown]),
            (self.stations, "name", [row["station_id"] for row in shown]),
            (self.antennas, "label", [row["antenna_id"] for row in shown]),
        )

    def _names_of_commands(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that commands point to."""
        return _names((self.satellites, "name", [row["satellite_id"] for row in shown]))

    def _names_of_images(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that images point to."""
        return _names((self.satellites, "name", [row["satellite_id"] for row in shown]))

    def _satellite_used(self, satellite: Satellite) -> int:
        """The used of a satellite."""
        return sum(i["size"] for i in self._images_by_satellite_status.get((satellite["id"], "stored"), {}).values())

    def _satellite_room(self, satellite: Satellite) -> int:
        """The room of a satellite."""
        return satellite["memory"] - self._satellite_used(satellite)

    def _satellite_reserve(self, satellite: Satellite) -> int:
        """The reserve of a satellite."""
        return (
            satellite["battery"]
            - sum(
                c["energy"]
                for c in self._commands_by_satellite_status.get((satellite["id"], "loaded"), {}).values()
            )
            - sum(
                p["minutes"] // 4
                for p in self._contacts_by_satellite_status.get((satellite["id"], "booked"), {}).values()
            )
        )

    def _contact_sets_at(self, contact: Contact) -> str:
        """The sets at of a contact."""
        return _plus_minutes(contact["rises_at"], contact["minutes"])

    def _contact_slots(self, contact: Contact) -> int:
        """The slots of a contact."""
        return contact["minutes"] // 3

    def _contact_loaded(self, contact: Contact) -> int:
        """The loaded of a contact."""
        return len(self._commands_by_contact_status.get((contact["id"], "loaded"), {}))

    def _contact_planned(self, contact: Contact) -> int:
        """The planned of a contact."""
        return sum(i["size"] for i in self._images_by_contact_status.get((contact["id"], "stored"), {}).values())

    def _ahead(self, c: Command) -> list[Command]:
        return [
            x
            for x in sorted(self._commands_by_satellite.get(c["satellite_id"], {}).values(), key=_age)
            if x["position"] < c["position"]
            and x["status"] in ("queued", "loaded")
        ]

    def _behind(self, c: Command) -> list[Command]:
        return [
            x
            for x in sorted(self._commands_by_satellite.get(c["satellite_id"], {}).values(), key=_age)
            if x["position"] > c["position"]
            and x["status"] in ("queued", "loaded")
        ]

    def _capacity(self, p: Contact) -> int:
        return p["minutes"] * self.antennas[p["antenna_id"]]["rate"] if p["antenna_id"] is not None else 0

    def _clashing(self, t: Antenna, p: Contact) -> Contact | None:
        return next(
            (
                q
                for q in sorted(self._contacts_by_antenna_status.get((t["id"], "booked"), {}).values(), key=_age)
                if q is not p
                and _overlap(
                    q["rises_at"],
                    _plus_minutes(self._contact_sets_at(q), t["slew"]),
                    p["rises_at"],
                    _plus_minutes(self._contact_sets_at(p), t["slew"]),
                )
            ),
            None,
        )

    def _can_take(self, t: Antenna, p: Contact) -> bool:
        return (
            t["station_id"] == p["station_id"]
            and self.satellites[p["satellite_id"]]["band"] in t["bands"]
            and self._clashing(t, p) is None
        )

    def _upcoming(self, s: Satellite) -> list[Contact]:
        return [
            p
            for p in sorted(self._contacts_by_satellite_status.get((s["id"], "booked"), {}).values(), key=_age)
            if p["rises_at"] > self.now
        ]

    def _last_position(self, s: Satellite) -> int:
        return (
            max((c["position"] for c in self._commands_by_satellite.get(s["id"], {}).values()), default=None)
            if max(
                (c["position"] for c in self._commands_by_satellite.get(s["id"], {}).values()),
                default=None,
            ) is not None
            else 0
        )

    def _breaks_rule_1(self, a: Contact) -> bool:
        """Whether this is broken: an antenna follows one satellite at a time and needs its time to turn to the next.
        """
        return (
            a["antenna_id"] is not None
            and a["status"] == "booked"
            and any(
                _overlap(
                    a["rises_at"],
                    _plus_minutes(self._contact_sets_at(a), self.antennas[a["antenna_id"]]["slew"]),
                    b["rises_at"],
                    _plus_minutes(self._contact_sets_at(b), self.antennas[b["antenna_id"]]["slew"]),
                )
                for b in self._contacts_by_antenna_status.get((a["antenna_id"], "booked"), {}).values()
                if b["antenna_id"] is not None
                and a is not b
            )
        )

    def _breaks_rule_2(self, p: Contact) -> bool:
        """Whether this is broken: an antenna stands at the station of the pass and works in the band of the
        satellite.
        """
        return not (
            p["antenna_id"] is None
            or self.antennas[p["antenna_id"]]["station_id"] == p["station_id"]
            and self.satellites[p["satellite_id"]]["band"] in self.antennas[p["antenna_id"]]["bands"]
        )

    def _breaks_rule_3(self, p: Contact) -> bool:
        """Whether this is broken: booked and finished passes have an antenna, and predicted ones have none."""
        return (p["status"] == "predicted") != (p["antenna_id"] is None)

    def _breaks_rule_4_a(self, a: Command) -> bool:
        """Whether this is broken: the commands of a satellite are uploaded in their order."""
        return (
            a["status"] == "loaded"
            and any(
                a["position"] <= b["position"]
                and a["contact_id"] is not None
                and b["contact_id"] is not None
                and self.contacts[a["contact_id"]]["rises_at"] > self.contacts[b["contact_id"]]["rises_at"]
                for b in self._commands_by_satellite_status.get((a["satellite_id"], "loaded"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4_b(self, b: Command) -> bool:
        """Whether this is broken: the commands of a satellite are uploaded in their order."""
        return (
            b["status"] == "loaded"
            and any(
                a["position"] <= b["position"]
                and a["contact_id"] is not None
                and b["contact_id"] is not None
                and self.contacts[a["contact_id"]]["rises_at"] > self.contacts[b["contact_id"]]["rises_at"]
                for a in self._commands_by_satellite_status.get((b["satellite_id"], "loaded"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4_a_again(self, a: Command) -> bool:
        """Whether this is broken: the commands of a satellite are uploaded in their order."""
        return any(
            a["position"] <= b["position"]
            and a["status"] == "queued"
            for b in self._commands_by_satellite_status.get((a["satellite_id"], "loaded"), {}).values()
            if a is not b
        )

    def _breaks_rule_4_b_again(self, b: Command) -> bool:
        """Whether this is broken: the commands of a satellite are uploaded in their order."""
        return (
            b["status"] == "loaded"
            and any(
                a["position"] <= b["position"]
                and a["status"] == "queued"
                for a in self._commands_by_satellite.get(b["satellite_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5(self, c: Command) -> bool:
        """Whether this is broken: no two commands of a satellite have the same position."""
        return any(
            other_c is not c
            for other_c in self._commands_by_satellite.get(c["satellite_id"], {}).values()
            if other_c["position"] == c["position"]
        )

    def _breaks_rule_6(self, p: Contact) -> bool:
        """Whether this is broken: a pass takes no more commands than it has slots, one for every three minutes."""
        return p["status"] == "booked" and self._contact_loaded(p) > self._contact_slots(p)

    def _breaks_rule_7_c(self, c: Command) -> bool:
        """Whether this is broken: loaded and sent commands have a pass of their satellite, and others have none."""
        return (c["status"] in ("loaded", "sent")) != (c["contact_id"] is not None)

    def _breaks_rule_7_c_again(self, c: Command) -> bool:
        """Whether this is broken: loaded and sent commands have a pass of their satellite, and others have none."""
        return c["contact_id"] is not None and self.contacts[c["contact_id"]]["satellite_id"] != c["satellite_id"]

    def _breaks_rule_8(self, s: Satellite) -> bool:
        """Whether this is broken: a satellite never stores more than its memory holds."""
        return self._satellite_used(s) > s["memory"]

    def _breaks_rule_9(self, p: Contact) -> bool:
        """Whether this is broken: no more is planned for a pass than its antenna can receive."""
        return self._contact_planned(p) > self._capacity(p)

    def _breaks_rule_10(self, i: Image) -> bool:
        """Whether this is broken: only stored pictures and received ones belong to a pass, and to one of their
        satellite.
        """
        return not (
            i["contact_id"] is None
            or i["status"] in ("stored", "received")
            and self.contacts[i["contact_id"]]["satellite_id"] == i["satellite_id"]
        )

    def _breaks_rule_11(self, s: Satellite) -> bool:
        """Whether this is broken: what is booked and loaded leaves a satellite at least a fifth of its battery."""
        return self._satellite_reserve(s) < 20

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
            case "antennas":
                self._antennas_by_station.setdefault(record["station_id"], {})[record["id"]] = record
            case "contacts":
                self._contacts_by_antenna_status.setdefault(
                    (record["antenna_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._contacts_by_satellite_status.setdefault(
                    (record["satellite_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "commands":
                self._commands_by_contact_status.setdefault(
                    (record["contact_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._commands_by_satellite.setdefault(record["satellite_id"], {})[record["id"]] = record
                self._commands_by_satellite_status.setdefault(
                    (record["satellite_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "images":
                self._images_by_contact_status.setdefault(
                    (record["contact_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._images_by_satellite.setdefault(record["satellite_id"], {})[record["id"]] = record
                self._images_by_satellite_status.setdefault(
                    (record["satellite_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "antennas":
                del self._antennas_by_station[record["station_id"]][record["id"]]
            case "contacts":
                del self._contacts_by_antenna_status[record["antenna_id"], record["status"]][record["id"]]
                del self._contacts_by_satellite_status[record["satellite_id"], record["status"]][record["id"]]
            case "commands":
                del self._commands_by_contact_status[record["contact_id"], record["status"]][record["id"]]
                del self._commands_by_satellite[record["satellite_id"]][record["id"]]
                del self._commands_by_satellite_status[record["satellite_id"], record["status"]][record["id"]]
            case "images":
                del self._images_by_contact_status[record["contact_id"], record["status"]][record["id"]]
                del self._images_by_satellite[record["satellite_id"]][record["id"]]
                del self._images_by_satellite_status[record["satellite_id"], record["status"]][record["id"]]
